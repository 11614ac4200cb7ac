"""The supervised worker processes that libjq and SQLite run in, and the host's side of the conversation.

``client.py`` starts, asks, kills and restarts workers, ``requests.py`` has what they are asked, and
``frames.py`` how it travels. ``process.py`` and the packages ``jq`` and ``sqlite`` run inside a
worker. Of sandhook a worker can import this package alone; see ``client.START``.
"""
