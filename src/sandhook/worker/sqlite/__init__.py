"""SQLite inside a worker: ``session.py`` runs statements, ``dots.py`` the dot-commands, ``modes.py`` prints rows."""
