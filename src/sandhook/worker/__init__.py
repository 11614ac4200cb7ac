"""The supervised worker process that libjq runs in, and the host's side of the conversation.

``client.py`` starts, asks, kills and restarts workers; ``server.py`` and ``layout.py`` run
inside one and import nothing of sandhook; ``frames.py`` says what travels between them.
"""
