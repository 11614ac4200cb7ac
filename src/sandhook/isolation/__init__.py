"""The host's side of ``isolation="process"``: runs of the shell in supervised, confined worker processes.

``wire.py`` has the messages, ``files.py`` the copies of file systems, ``remote.py`` one run, ``pool.py`` the processes.
What the host does for a worker: ``fileserver.py`` operations on files that are not copied, ``relay.py`` jq and SQLite,
``fetch.py`` requests to the network, both in the threads of ``channels.py``. The worker's side is ``confined``.
"""
