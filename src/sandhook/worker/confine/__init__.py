"""Confinement of a worker by the system: what it is refused after its start, and a report of that.

``system.confine`` does it. It is not imported here: the host reads reports, and needs no module of a system for that.
"""
