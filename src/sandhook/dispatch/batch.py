"""Command lines for Windows: the usual quoting, and that of cmd.exe, which runs .bat and .cmd files.

A program on Windows gets one line of text and cuts it itself. Nearly all do it as Microsoft's C
library does, but cmd.exe reads the line as source first, and a batch file may read its arguments as
source again (``call``, ``%~1``, delayed expansion): what is a word to the caller can then be a command.
No quoting prevents that for every batch file, so arguments with such characters are refused.

Sources: Microsoft, "Parsing C command-line arguments" and ``cmd /?``; CVE-2024-24576, CVE-2024-43402.
"""

from __future__ import annotations

from collections.abc import Sequence

#: Characters that mean something to cmd.exe, inside quotes or when the batch file drops those.
_UNSAFE = frozenset('"%!^&|<>')

#: Besides letters and digits, what cmd.exe passes on unquoted.
_PLAIN = frozenset("#$*+-./:?@\\_~{}[]")

#: Of the file's own name, which is quoted once and read once, only these are unsafe.
_UNSAFE_IN_NAME = frozenset('"%')

_BATCH = (".bat", ".cmd")


class UnsafeArgument(ValueError):
    """An argument that no quoting brings to a batch file unharmed."""


def is_batch(path: str) -> bool:
    """Whether Windows runs the file by cmd.exe. Dots and spaces at the end count for nothing, as there."""
    return path.rstrip(". ").lower().endswith(_BATCH)


def windows_command_line(argv: Sequence[str]) -> str:
    """Return one line that Microsoft's C library cuts into ``argv`` again.

    Raises:
        UnsafeArgument: An argument holds a NUL, or the program's name a quote.
    """
    for argument in argv:
        if "\0" in argument:
            raise UnsafeArgument("an argument holds a NUL")
    if argv and '"' in argv[0]:
        raise UnsafeArgument("the program's name holds a quotation mark")
    return " ".join(
        [f'"{argv[0]}"' if _needs_quotes(argv[0]) else argv[0], *map(_quoted, argv[1:])] if argv else []
    )


def _needs_quotes(argument: str) -> bool:
    return not argument or any(letter in ' \t\n\v"' for letter in argument)


def _quoted(argument: str) -> str:
    """Quote an argument: backslashes are doubled only where a quotation mark follows them."""
    if not _needs_quotes(argument):
        return argument
    pieces: list[str] = []
    slashes = 0
    for letter in argument:
        if letter == "\\":
            slashes += 1
            continue
        pieces.append("\\" * (2 * slashes + 1 if letter == '"' else slashes))
        pieces.append(letter)
        slashes = 0
    pieces.append("\\" * (2 * slashes))
    return '"' + "".join(pieces) + '"'


def batch_arguments(path: str, arguments: Sequence[str]) -> str:
    """Return what stands behind ``cmd.exe`` to run a batch file.

    ``/d`` leaves out the AutoRun commands of the registry, ``/v:off`` delayed expansion, and ``/s`` makes
    cmd.exe take away exactly the outer quotation marks.

    Args:
        path: Native path of the .bat or .cmd file.
        arguments: Its arguments, without the name.

    Raises:
        UnsafeArgument: A name or an argument cannot be passed safely.
    """
    for letter in path:
        if letter in _UNSAFE_IN_NAME or letter < " ":
            raise UnsafeArgument(f"{letter!a} in the name of a batch file cannot be quoted safely")
    words = [f'"{path}"']
    for argument in arguments:
        for letter in argument:
            if letter in _UNSAFE or letter < " " or letter == "\x7f":
                raise UnsafeArgument(
                    f"{letter!a} in the argument {argument!a} of a batch file cannot be quoted safely"
                )
        words.append(_for_cmd(argument))
    return f'/d /e:on /v:off /s /c "{" ".join(words)}"'


def _for_cmd(argument: str) -> str:
    if argument and all(letter in _PLAIN or (letter.isascii() and letter.isalnum()) for letter in argument):
        return argument
    # for the program that gets %*, a backslash before the quotation mark counts
    slashes = len(argument) - len(argument.rstrip("\\"))
    return '"' + argument + "\\" * slashes + '"'
