"""The formats of ls-files and ls-tree: fields in "%(name)", and characters in "%x41".

Source: git-ls-files(1), "FIELD NAMES".
"""

from __future__ import annotations

from collections.abc import Callable

from sandhook.lazy import lazily
from sandhook.typed import TYPE_CHECKING
from sandhook.utilities.git.errors import GitError

if TYPE_CHECKING:
    import re

_FIELD = lazily(r"%(?:\(([^()]*)\)|x([0-9a-fA-F]{2})|.?)")


def expanded(command: str, template: str, value_of: Callable[[str], str | None]) -> str:
    """Return a format with its fields.

    Args:
        command: The name of the command, for messages.
        value_of: Returns the text of a field, None for an unknown one.

    Raises:
        GitError: A field is unknown.
    """

    def text(match: re.Match[str]) -> str:
        if match[2]:
            return bytes((int(match[2], 16),)).decode("utf-8", "surrogateescape")
        if match[0] in ("%n", "%%"):
            return "\n" if match[0] == "%n" else "%"
        if match[1] is None:
            rest = template[match.start() + 1 :]
            fault = "does not end in ')'" if rest.startswith("(") else "does not start with '('"
            raise GitError(f"bad {command} format: element '{rest}' {fault}")
        value = value_of(match[1])
        if value is None:
            raise GitError(f"bad {command} format: %({match[1]})")
        return value

    return _FIELD.sub(text, template)
