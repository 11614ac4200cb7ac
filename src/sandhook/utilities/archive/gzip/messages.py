"""The messages of gzip, bzip2 and xz, which differ in text and severity.

Oracle: gzip 1.12, bzip2 1.0.8, XZ Utils 5.4.
"""

from __future__ import annotations

import errno

from sandhook.command.context import WriteError
from sandhook.formats.compressed import CorruptError
from sandhook.vfs.errors import reason

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
    """The messages of gzip, one method for each."""

    #: The name of standard input in messages.
    stream = "stdin"
    #: Exit statuses of warnings, and of damaged data.
    warning = 2
    corrupt = 1

    def lost_output(self, program: str, error: WriteError, name: str) -> str:
        """Return the message for standard output that cannot be written, "" for none."""
        return f"\n{program}: stdout: {error.reason}\n"

    def unreadable_input(self, error: OSError, *, expands: bool, test: bool) -> Message:
        """Return the message for standard input that cannot be read."""
        name = "standard input" if error.errno == errno.EBADF else self.stream
        return f"{name}: {reason(error)}", "error"

    def missing(self, name: str) -> Message:
        return f"{name}: No such file or directory", "error"

    def exists(self, target: str) -> Message:
        return f"{target} already exists;\tnot overwritten", "warning"

    def directory(self, name: str) -> Message:
        return f"{name} is a directory -- ignored", "warning"

    def link(self, name: str) -> Message:
        return f"{name}: Too many levels of symbolic links", "error"

    def hard_links(self, name: str, others: int) -> Message:
        return f"{name} has {plural(others)} -- file ignored", "warning"

    def has_suffix(self, name: str, suffix: str) -> Message:
        return f"{name} already has {suffix} suffix -- unchanged", "note"

    def unknown_suffix(self, name: str) -> Message:
        return f"{name}: unknown suffix -- ignored", "warning"

    def corrupt_data(
        self,
        name: str,
        error: CorruptError,
        target: str,
        *,
        test: bool,
        why: str = "No such file or directory",
    ) -> Message:
        return f"{name}: {error}", "warning" if error.reason == "trailing garbage" else "corrupt"

    def test_result(self, name: str, compressed: int, uncompressed: int) -> str:
        return f"{name}:\t OK\n"

    def summary(
        self,
        name: str,
        target: str,
        compressed: int,
        uncompressed: int,
        ratio: str,
        *,
        keep: bool,
        expands: bool,
    ) -> str:
        action = f" -- {'created' if keep else 'replaced with'} {target or 'stdout'}"
        return f"{name}:\t{ratio}{action}\n" if name else f"{ratio}\n"


class BzipMessages(GzipMessages):
    """The messages of bzip2."""

    stream = "(stdin)"
    warning = 1
    corrupt = 2

    def lost_output(self, program: str, error: WriteError, name: str) -> str:
        return (
            f"\n{program}: I/O or other error, bailing out.  Possible reason follows.\n{program}: {error.reason}\n"
            f"\tInput file = {name}, output file = (stdout)\n"
        )

    def unreadable_input(self, error: OSError, *, expands: bool, test: bool) -> Message:
        if expands:
            return self.corrupt_data(
                self.stream, CorruptError("", "truncated"), "", test=test, why=reason(error)
            )
        text = "I/O or other error, bailing out.  Possible reason follows."
        return f"{text}\nbzip2: {reason(error)}\n\tInput file = (stdin), output file = (stdout)", "error"

    def missing(self, name: str) -> Message:
        return f"Can't open input file {name}: No such file or directory.", "error"

    def exists(self, target: str) -> Message:
        return f"Output file {target} already exists.", "error"

    def directory(self, name: str) -> Message:
        return f"Input file {name} is a directory.", "error"

    def link(self, name: str) -> Message:
        return f"Input file {name} is not a normal file.", "error"

    def hard_links(self, name: str, others: int) -> Message:
        return f"Input file {name} has {plural(others)}.", "error"

    def has_suffix(self, name: str, suffix: str) -> Message:
        return f"Input file {name} already has {suffix} suffix.", "error"

    def unknown_suffix(self, name: str) -> Message:
        return f"Can't guess original name for {name} -- using {name}.out", "note"

    def corrupt_data(
        self,
        name: str,
        error: CorruptError,
        target: str,
        *,
        test: bool,
        why: str = "No such file or directory",
    ) -> Message:
        if error.reason == "trailing garbage":
            return f"{name}: trailing garbage after EOF ignored", "note"
        if error.reason == "unrecognized":
            if test:
                return f"{name}: bad magic number (file not created by bzip2)\n{_RECOVER}", "corrupt"
            return f"{name} is not a bzip2 file.", "corrupt"
        truncated = error.reason == "truncated"
        if test:
            problem = "file ends unexpectedly" if truncated else "data integrity (CRC) error in data"
            return f"{name}: {problem}\n{_RECOVER}", "corrupt"
        output = target or "(stdout)"
        headline = (
            "Compressed file ends unexpectedly;\n\tperhaps it is corrupted?  *Possible* reason follows.\n"
            f"bzip2: {why}\n"
            if truncated
            else "Data integrity error when decompressing.\n"
        )
        deletion_note = f"\nbzip2: Deleting output file {target}, if it exists." if target else ""
        return (
            f"{headline}\tInput file = {name}, output file = {output}\n\n"
            "It is possible that the compressed file(s) have become corrupted.\n"
            f"You can use the -tvv option to test integrity of such files.\n{_RECOVER}{deletion_note}"
        ), "corrupt"

    def test_result(self, name: str, compressed: int, uncompressed: int) -> str:
        return f"  {name}:   ok\n"

    def summary(
        self,
        name: str,
        target: str,
        compressed: int,
        uncompressed: int,
        ratio: str,
        *,
        keep: bool,
        expands: bool,
    ) -> str:
        name = name or self.stream
        if expands:
            return f"  {name}:   done\n"
        if not uncompressed:
            return f"  {name}:  no data compressed.\n"
        ratio_text = f"{uncompressed / compressed:6.3f}:1, {8 * compressed / uncompressed:6.3f} bits/byte, "
        savings_text = (
            f"{100 * (1 - compressed / uncompressed):5.2f}% saved, {uncompressed} in, {compressed} out.\n"
        )
        return f"  {name}: {' ' * max(0, 7 - len(name))}{ratio_text}{savings_text}"


class XzMessages(GzipMessages):
    """The messages of xz."""

    stream = "(stdin)"

    def lost_output(self, program: str, error: WriteError, name: str) -> str:
        return "" if error.code == errno.EPIPE else f"{program}: (stdout): Write error: {error.reason}\n"

    def unreadable_input(self, error: OSError, *, expands: bool, test: bool) -> Message:
        return f"{self.stream}: Read error: {reason(error)}", "error"

    def exists(self, target: str) -> Message:
        return f"{target}: File exists", "error"

    def directory(self, name: str) -> Message:
        return f"{name}: Is a directory, skipping", "warning"

    def link(self, name: str) -> Message:
        return f"{name}: Is a symbolic link, skipping", "warning"

    def hard_links(self, name: str, others: int) -> Message:
        return f"{name}: Input file has more than one hard link, skipping", "warning"

    def has_suffix(self, name: str, suffix: str) -> Message:
        return f"{name}: File already has `{suffix}' suffix, skipping", "warning"

    def unknown_suffix(self, name: str) -> Message:
        return f"{name}: Filename has an unknown suffix, skipping", "warning"

    def corrupt_data(
        self,
        name: str,
        error: CorruptError,
        target: str,
        *,
        test: bool,
        why: str = "No such file or directory",
    ) -> Message:
        text = str(error)
        if error.reason == "truncated":
            text = "Unexpected end of input"
        elif error.reason == "corrupt":
            text = "Compressed data is corrupt"
        return f"{name}: {text}", "error"

    def test_result(self, name: str, compressed: int, uncompressed: int) -> str:
        return self.summary(name, "", compressed, uncompressed, "", keep=True, expands=True)

    def summary(
        self,
        name: str,
        target: str,
        compressed: int,
        uncompressed: int,
        ratio: str,
        *,
        keep: bool,
        expands: bool,
    ) -> str:
        ratio = f" = {compressed / uncompressed:.3f}" if uncompressed else ""
        return f"{name or self.stream}: {compressed} B / {uncompressed} B{ratio}\n"
