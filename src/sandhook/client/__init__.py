"""The client of ``sandhook serve``: asks the user's resident service to run a hook.

Every module here imports next to nothing, because every hook pays for it: no ``socket``, no ``re``, no ``typing``.
"""
