"""Hooks and a shell tool for agent frameworks: one module per framework, imported only when it is used.

``core`` has what all of them need: ``Guard`` fires events, ``shelltool.ShellTool`` runs commands of a model.
"""
