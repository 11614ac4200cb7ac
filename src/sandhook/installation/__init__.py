"""Hooks in the files of agents: install them, remove them, report their state, and run existing hooks through sandhook.

A file is changed at the places of the hooks alone. A record of the user has the bytes before the first change and a
list of operations, so that every change can be undone.
"""
