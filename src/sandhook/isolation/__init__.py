"""The host's side of ``isolation="process"``: runs of the shell in supervised, confined worker processes.

``wire.py`` has the messages, ``files.py`` the copies of file systems, ``relay.py`` what the host does for a worker,
``remote.py`` one run, ``pool.py`` the processes. The worker's side is the package ``confined``.
"""
