"""``python -m sandhook``: the command line, where its script is not on the PATH."""

from __future__ import annotations

from sandhook.cli import entry

if __name__ == "__main__":
    entry()
