"""The program ``sandhook``, and ``python -m sandhook``: asks the user's service first, where there is one."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def main() -> NoReturn:
    """Run the command line as a program."""
    arguments = sys.argv[1:]
    if arguments[:1] in (["hook"], ["fire"]):
        from sandhook.client.ask import ask

        status = ask(arguments)
        if status is not None:
            import os

            os._exit(status)
    from sandhook.cli import entry

    entry()


if __name__ == "__main__":
    main()
