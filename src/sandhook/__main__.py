"""The program ``sandhook``, and ``python -m sandhook``: asks the user's service first, where there is one."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def main() -> NoReturn:
    """Run the command line as a program."""
    arguments = sys.argv[1:]
    note = ""
    if arguments[:1] in (["hook"], ["fire"]):
        from sandhook.client.ask import ask

        asked = ask(arguments)
        if asked.status is not None:
            import os

            os._exit(asked.status)
        note = asked.note
    from sandhook.cli import entry

    entry(note)


if __name__ == "__main__":
    main()
