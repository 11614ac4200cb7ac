"""Command lines for Windows: the usual quoting, and that of cmd.exe, which runs .bat and .cmd files.

A program on Windows gets one line of text and splits it itself. Nearly all programs split it as Microsoft's
C library does. But cmd.exe parses the line as source first, and a batch file may parse its arguments as
source again (``call``, ``%~1``, delayed expansion), so that a word of the caller becomes a command.
No quoting prevents that for every batch file, so arguments with such characters are refused.

Sources: Microsoft, "Parsing C command-line arguments" and ``cmd /?``; CVE-2024-24576, CVE-2024-43402.
"""

from __future__ import annotations

from collections.abc import Sequence

#: Characters that are special to cmd.exe, inside quotes or after the batch file drops the quotes.
_UNSAFE = frozenset('"%!^&|<>')

#: Characters that cmd.exe passes on unquoted, in addition to letters and digits.
_PLAIN = frozenset("#$*+-./:?@\\_~{}[]")

#: The unsafe characters of the file's own name, which is quoted once and parsed once.
_UNSAFE_IN_NAME = frozenset('"%')

_BATCH = (".bat", ".cmd")


class UnsafeArgument(ValueError):
    """An argument that no quoting can pass to a batch file unchanged."""


def is_batch(path: str) -> bool:
    """Return True when Windows runs the file by cmd.exe, which ignores dots and spaces at the end."""
    return path.rstrip(". ").lower().endswith(_BATCH)


def windows_command_line(argv: Sequence[str]) -> str:
    """Return one line that Microsoft's C library splits into ``argv`` again.

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
    """Return the arguments of ``cmd.exe`` that run a batch file.

    ``/d`` leaves out the AutoRun commands of the registry, ``/v:off`` delayed expansion, and ``/s`` makes
    cmd.exe remove exactly the outer quotation marks.

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
