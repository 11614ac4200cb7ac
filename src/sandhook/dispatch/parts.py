"""What one command line executes, as records: files, shell text, and other command lines."""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.record import Record

#: The words of a command line; a word that is not known is None.
Words = Sequence[str | None]


class Part(Record):
    """A command line within a command line: words ``start`` to ``end``.

    Attributes:
        directory: The index of the word that names its working directory; None for the caller's.
        assigned: The indexes of the words that set a variable for it.
        computed: Words are added to it, or replaced in it, that are not known.
        elsewhere: It runs in directories that are not known.
        marker: The text that is replaced, with ``computed``.
    """

    start: int
    end: int
    directory: int | None = None
    assigned: tuple[int, ...] = ()
    computed: bool = False
    elsewhere: bool = False
    marker: str = "{}"


class Execution(Record):
    """What one command line executes. Numbers are indexes of its words.

    Attributes:
        files: Words that name a file to execute.
        text: The word that is a shell's text; the words after it are its positional parameters.
        parts: Other command lines that it runs.
        stdin: It executes its standard input.
        unknown: What else it executes, in words for people.
        encoded: The word that is a shell's text in Base64.
    """

    files: tuple[int, ...] = ()
    text: int | None = None
    parts: tuple[Part, ...] = ()
    stdin: bool = False
    unknown: tuple[str, ...] = ()
    encoded: int | None = None
