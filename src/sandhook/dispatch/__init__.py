"""Determines which program runs a file that a command names by its path.

Nothing here touches the host. A caller passes its view of the machine (``model.Files``) to
``plan.plan`` and executes the plan itself. The sandbox uses only ``shebang``, so
this package imports no other module.
"""
