"""Files that a hook writes itself: what it executes of them is not what somebody approved."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence

from sandhook.dispatch.operands import base_name
from sandhook.lazy import lazily

#: Programs that write the files of their operands, or of their options.
_WRITER_NAMES = "awk cp csplit curl dd ed gawk install ln mv patch perl rename rsync sed shred sponge sort tee truncate wget"
_WRITERS = frozenset(_WRITER_NAMES.split())

#: Programs that write files by the names that an archive or a patch has.
_EXTRACTORS = frozenset({"7z", "ar", "bsdtar", "cpio", "patch", "pax", "tar", "uudecode", "unzip"})

#: Operators of redirections that write.
WRITING = frozenset({">", ">>", ">|", "<>", "&>", "&>>", ">&"})


#: Writers whose last operand alone is written, without -t.
_TO_LAST = frozenset({"cp", "install", "ln", "rsync"})


def written_by(fields: Sequence[str | None]) -> list[str | None]:
    """Return the paths that a command may write: what its words name, in every way to write an option.

    The list has None for a name that is not known.
    """
    name = base_name(fields[0] or "")
    words = fields[1:]
    if name not in _WRITERS:
        return []
    if name in ("sed", "perl", "awk", "gawk") and not any(_in_place(name, each) for each in words):
        return _written_by_program(name, words)
    if name == "sort" and not any(each and each.startswith(("-o", "--o")) for each in words):
        return []
    if name in _TO_LAST and not any(each and each.startswith(("-t", "--t")) for each in words):
        return list(words[-1:])
    paths: list[str | None] = []
    for field in words:
        paths.append(field)
        if field is not None and "=" in field:
            paths.append(field.partition("=")[2])
        if field is not None and field[:1] == "-" and len(field) > 2:
            paths.append(field[2:])
    return paths


#: Files that an awk program writes, and those of the commands and flags ``w`` and ``W`` of sed.
_AWK_WRITES = lazily(r'>>?[ \t]*"([^"\n]*)"')
_SED_WRITES = lazily(r"(?m)(?:^|[^A-Za-z_0-9])[gpPeIiMm0-9]*+[wW][ \t]*+([^\n]+)")


def _written_by_program(name: str, words: Sequence[str | None]) -> list[str | None]:
    """Return the paths that a program text of awk or sed writes."""
    if name == "perl":
        return []
    pattern = _SED_WRITES if name == "sed" else _AWK_WRITES
    return [path.rstrip() for word in words if word for path in pattern.findall(word)]


def replaces_directory(fields: Sequence[str | None]) -> bool:
    """Return True for a command that replaces a directory, or everything in it, and does not add a file to it."""
    name = base_name(fields[0] or "")
    letters = "Tn" if name == "ln" else "T"
    for place, word in enumerate(fields[1:], 1):
        if word is None:
            continue
        if word.startswith("--no-") or (
            word[:1] == "-" and word[1:2] != "-" and any(each in word for each in letters)
        ):
            return True
        if place < len(fields) - 1 and (word.endswith("/.") or word in (".", "..")):
            return True
        if name == "rsync" and word.endswith("/"):
            return True
    return False


def added_names(fields: Sequence[str | None]) -> list[str | None]:
    """Return the names that a command may write in a directory that its words name; None when one is not known."""
    return [None if field is None else posixpath.basename(field.rstrip("/")) for field in fields[1:]]


def extracts(fields: Sequence[str | None]) -> bool:
    """Return True for a command that writes files by names that are not known here."""
    name = base_name(fields[0] or "")
    if name in ("tar", "bsdtar"):
        return any(
            word is not None
            and (word.startswith(("--ex", "--get")) or ("x" in word and _cluster(word, place)))
            for place, word in enumerate(fields[1:])
        )
    if name == "ar":
        return any(word is not None and "x" in word for word in fields[1:2])
    return name in _EXTRACTORS


def is_written(path: str, written: str) -> bool:
    """Return True if a path that is written is this path, or a directory above it; "*" is any name at the end."""
    if written.endswith("/*"):
        return posixpath.dirname(path) == written[:-2]
    return path == written or path.startswith(written.rstrip("/") + "/")


def _in_place(name: str, word: str | None) -> bool:
    if word is None:
        return False
    if name in ("awk", "gawk"):
        return word in ("inplace", "-iinplace", "--include=inplace")
    return word.startswith("--in") or (word[:1] == "-" and word[1:2] != "-" and "i" in word)


def _cluster(word: str, place: int) -> bool:
    return (word[:1] == "-" and word[1:2] != "-") or (place == 0 and word[:1] != "-")
