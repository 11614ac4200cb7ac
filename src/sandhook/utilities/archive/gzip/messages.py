"""The messages of gzip, bzip2 and xz, which differ in text and severity.

Oracle: gzip 1.12, bzip2 1.0.8, XZ Utils 5.4.
"""

from __future__ import annotations

from sandhook.formats.compressed import CorruptError

#: The text, and the severity: "error", "warning", "corrupt", or "note", which does not change the exit status.
Message = tuple[str, str]

_RECOVER = (
    "\nYou can use the `bzip2recover' program to attempt to recover\n"
    "data from undamaged sections of corrupted files.\n"
)


def plural(count: int) -> str:
    """Return "1 other link" or "2 other links"."""
    return f"{count} other link" + ("s" if count > 1 else "")


class GzipMessages:
    """The messages of gzip; each method is named after the event that it reports."""

    #: The name of standard input in messages.
    stream = "stdin"
    #: Exit statuses of warnings, and of damaged data.
    warning = 2
    corrupt = 1

    def missing(self, name: str) -> Message:
        return f"{name}: No such file or directory", "error"

    def exists(self, target: str) -> Message:
        return f"{target} already exists;\tnot overwritten", "warning"

    def directory(self, name: str) -> Message:
        return f"{name} is a directory -- ignored", "warning"

    def link(self, name: str) -> Message:
        return f"{name}: Too many levels of symbolic links", "error"

    def linked(self, name: str, others: int) -> Message:
        return f"{name} has {plural(others)} -- file ignored", "warning"

    def packed(self, name: str, suffix: str) -> Message:
        return f"{name} already has {suffix} suffix -- unchanged", "note"

    def unknown(self, name: str) -> Message:
        return f"{name}: unknown suffix -- ignored", "warning"

    def damaged(self, name: str, error: CorruptError, target: str, *, test: bool) -> Message:
        return f"{name}: {error}", "warning" if error.reason == "trailing garbage" else "corrupt"

    def tested(self, name: str, compressed: int, whole: int) -> str:
        return f"{name}:\t OK\n"

    def done(
        self, name: str, target: str, compressed: int, whole: int, ratio: str, *, keep: bool, expands: bool
    ) -> str:
        what = f" -- {'created' if keep else 'replaced with'} {target or 'stdout'}"
        return f"{name}:\t{ratio}{what}\n" if name else f"{ratio}\n"


class BzipMessages(GzipMessages):
    """The messages of bzip2."""

    stream = "(stdin)"
    warning = 1
    corrupt = 2

    def missing(self, name: str) -> Message:
        return f"Can't open input file {name}: No such file or directory.", "error"

    def exists(self, target: str) -> Message:
        return f"Output file {target} already exists.", "error"

    def directory(self, name: str) -> Message:
        return f"Input file {name} is a directory.", "error"

    def link(self, name: str) -> Message:
        return f"Input file {name} is not a normal file.", "error"

    def linked(self, name: str, others: int) -> Message:
        return f"Input file {name} has {plural(others)}.", "error"

    def packed(self, name: str, suffix: str) -> Message:
        return f"Input file {name} already has {suffix} suffix.", "error"

    def unknown(self, name: str) -> Message:
        return f"Can't guess original name for {name} -- using {name}.out", "note"

    def damaged(self, name: str, error: CorruptError, target: str, *, test: bool) -> Message:
        if error.reason == "trailing garbage":
            return f"{name}: trailing garbage after EOF ignored", "note"
        if error.reason == "unrecognized":
            if test:
                return f"{name}: bad magic number (file not created by bzip2)\n{_RECOVER}", "corrupt"
            return f"{name} is not a bzip2 file.", "corrupt"
        ends = error.reason == "truncated"
        if test:
            what = "file ends unexpectedly" if ends else "data integrity (CRC) error in data"
            return f"{name}: {what}\n{_RECOVER}", "corrupt"
        output = target or "(stdout)"
        first = (
            "Compressed file ends unexpectedly;\n\tperhaps it is corrupted?  *Possible* reason follows.\n"
            "bzip2: No such file or directory\n"
            if ends
            else "Data integrity error when decompressing.\n"
        )
        after = f"\nbzip2: Deleting output file {target}, if it exists." if target else ""
        return (
            f"{first}\tInput file = {name}, output file = {output}\n\n"
            "It is possible that the compressed file(s) have become corrupted.\n"
            f"You can use the -tvv option to test integrity of such files.\n{_RECOVER}{after}"
        ), "corrupt"

    def tested(self, name: str, compressed: int, whole: int) -> str:
        return f"  {name}:   ok\n"

    def done(
        self, name: str, target: str, compressed: int, whole: int, ratio: str, *, keep: bool, expands: bool
    ) -> str:
        name = name or self.stream
        if expands:
            return f"  {name}:   done\n"
        if not whole:
            return f"  {name}:  no data compressed.\n"
        shrunk = f"{whole / compressed:6.3f}:1, {8 * compressed / whole:6.3f} bits/byte, "
        saved = f"{100 * (1 - compressed / whole):5.2f}% saved, {whole} in, {compressed} out.\n"
        return f"  {name}: {' ' * max(0, 7 - len(name))}{shrunk}{saved}"


class XzMessages(GzipMessages):
    """The messages of xz."""

    stream = "(stdin)"

    def exists(self, target: str) -> Message:
        return f"{target}: File exists", "error"

    def directory(self, name: str) -> Message:
        return f"{name}: Is a directory, skipping", "warning"

    def link(self, name: str) -> Message:
        return f"{name}: Is a symbolic link, skipping", "warning"

    def linked(self, name: str, others: int) -> Message:
        return f"{name}: Input file has more than one hard link, skipping", "warning"

    def packed(self, name: str, suffix: str) -> Message:
        return f"{name}: File already has `{suffix}' suffix, skipping", "warning"

    def unknown(self, name: str) -> Message:
        return f"{name}: Filename has an unknown suffix, skipping", "warning"

    def damaged(self, name: str, error: CorruptError, target: str, *, test: bool) -> Message:
        text = str(error)
        if error.reason == "truncated":
            text = "Unexpected end of input"
        elif error.reason == "corrupt":
            text = "Compressed data is corrupt"
        return f"{name}: {text}", "error"

    def tested(self, name: str, compressed: int, whole: int) -> str:
        return self.done(name, "", compressed, whole, "", keep=True, expands=True)

    def done(
        self, name: str, target: str, compressed: int, whole: int, ratio: str, *, keep: bool, expands: bool
    ) -> str:
        ratio = f" = {compressed / whole:.3f}" if whole else ""
        return f"{name or self.stream}: {compressed} B / {whole} B{ratio}\n"
