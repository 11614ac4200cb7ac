"""The supervised worker process that libjq runs in, and the host's side of the conversation.

``client.py`` starts, asks, kills and restarts workers, ``requests.py`` says what they are asked, ``frames.py`` how it
travels. The others run inside a worker and import nothing of sandhook: ``native.py`` over ``libjq.py`` where libjq's own functions
can be called, ``server.py`` over ``layout.py`` where the package jq hides them. ``sqlite.py`` and its like run SQLite.
"""
