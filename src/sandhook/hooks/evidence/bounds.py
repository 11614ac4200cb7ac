"""What one approval covers at most, and how far the scripts of one hook are followed.

An approval is examined before somebody trusts its hook. A bound that is exceeded is a ``TrustError``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

from sandhook.dispatch.operands import LANGUAGES, base_name, is_system_program
from sandhook.record import Record

Use: TypeAlias = Literal["runs", "sources"]

#: The most files of one approval, and bytes that it keeps: a run copies them.
MAX_FILES, MAX_BYTES = 64, 4 << 20

#: Parts of scripts that are followed, and characters that are parsed.
MAX_STEPS, MAX_TEXT = 50_000, 256 << 10

#: Words of one command after expansion, and characters of all long values.
MAX_FIELDS, MAX_VALUES = 20_000, 8 << 20

#: Paths that are computed, and characters of a working directory.
MAX_PLACES, MAX_PATH = 100_000, 4_096


class NamedFile(Record):
    """A file that a hook executes.

    Attributes:
        path: Its absolute path; on Windows as a shell names it, /c/work/x.
        data: Its bytes; of a file that is bound by its hash, some bytes of its beginning.
        how: "runs" or "sources".
        size: Its bytes, counted.
        sha256: The hash, in hexadecimal, of a file that is bound by it; "" if ``data`` is all of it.
    """

    path: str
    data: bytes
    how: Use
    size: int
    sha256: str = ""


def is_program_of_machine(path: str, resolve: Callable[[str], str]) -> bool:
    """Return True for a program that an approval names but does not read.

    It is in a directory of the machine's own programs, or it is a link to one with the name of the same language, as
    ``python`` in a virtual environment is. Where the link leads is part of the approval; the program itself changes
    with updates of the machine.
    """
    name = base_name(path)
    return is_system_program(path) or (
        name in LANGUAGES and is_system_program(target := resolve(path)) and base_name(target) == name
    )
