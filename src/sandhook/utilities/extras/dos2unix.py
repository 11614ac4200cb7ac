"""dos2unix, unix2dos, mac2unix, unix2mac: convert the line ends of text files.

Oracle: dos2unix 7.4 (-e is from 7.5). Options apply to the files after them.
Divergence: L-DOS-001, the only converted character set is UTF-16 with a byte order mark.
"""

from __future__ import annotations

import stat as bits
from collections.abc import Iterator, Sequence
from typing import Any

from sandhook.command.context import Context, Failure
from sandhook.command.operands import reason
from sandhook.command.options import Syntax, UsageError, also, opt, option_set, options_by_flag
from sandhook.command.pieces import PIECE, Charge, pieces
from sandhook.lazy import lazily
from sandhook.typed import TYPE_CHECKING
from sandhook.vfs.path import VirtualPath

if TYPE_CHECKING:
    import re

RAW = True  # options apply only to the files after them
_BOM = b"\xef\xbb\xbf"
_WIDE = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
_BINARY = lazily(rb"[^\t\n\f\r\x20-\xff]")
_DOS_END, _UNIX_END, _MAC_END, _BARE_END = (
    lazily(rb"\r\n"),
    lazily(rb"(?s)(\r.)|\n"),
    lazily(rb"\r(?!\n)"),
    lazily(rb"(?<!\r)\n"),
)
_FORMS = {
    "dos2unix": (_DOS_END, b"\n", "Unix"),
    "unix2dos": (_UNIX_END, b"\r\n", "DOS"),
    "mac2unix": (_MAC_END, b"\n", "Unix"),
    "unix2mac": (_BARE_END, b"\r", "Mac"),
}


@option_set
class Options:
    """dos2unix [OPTION]... [FILE]... | dos2unix [OPTION]... -n INPUT OUTPUT...

    Rewrite each FILE with the line ends in the program's name, or convert standard input to standard output.
    """

    mode: str | None = also(
        opt("-c", "--convmode", "MODE", "ascii, 7bit or mac"), opt("-ascii", help="like -c ascii", const="ascii"),
        opt("-7", help="like -c 7bit", const="7bit"),
    )  # fmt: skip
    bom: str = also(
        opt("-b", "--keep-bom", help="keep a byte order mark", const="keep", default=""),
        opt("-m", "--add-bom", help="add a byte order mark", const="add"),
        opt("-r", "--remove-bom", help="remove a byte order mark", const="remove"),
    )
    force: bool = also(
        opt("-f", "--force", help="also convert binary files"),
        opt("-s", "--safe", help="skip binary files (the default)", const=False),
    )
    add_end: bool = also(
        opt("-e", "--add-eol", help="end the last line, too"),
        opt("--no-add-eol", help="do not (the default)", const=False),
    )
    info: str | None = opt(
        "-i",
        "--info",
        "FLAGS",
        "print line ends and type of files; FLAGS: dmubt, c, h, p, 0",
        optional=True,
        const="",
    )
    keep_date: bool = opt("-k", "--keepdate", help="keep the files' times")
    double: bool = opt("-l", "--newline", help="add a newline after each converted line")
    paired: bool = also(
        opt("-n", "--newfile", help="the operands are pairs INPUT OUTPUT"),
        opt("-o", "--oldfile", help="rewrite the operands (the default)", const=False),
    )
    to_stdout: bool = opt("-O", "--to-stdout", help="write to standard output")
    quiet: bool = opt("-q", "--quiet", help="no messages")
    verbose: bool = opt("-v", "--verbose", help="print the number of converted line ends")
    wide: bool = opt("-u", "--keep-utf16", help="keep the encoding UTF-16")
    links: str = also(
        opt("-F", "--follow-symlink", help="convert the targets of links", const="follow", default="skip"),
        opt("-R", "--replace-symlink", help="replace links with converted files", const="replace"),
        opt("-S", "--skip-symlink", help="skip links (the default)", const="skip"),
    )


_SYNTAX = Syntax(Options)
_FLAGS = options_by_flag(Options)


def run(_: None, arguments: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 or the errno when a file could not be read or written."""
    worker = _Worker(ctx)
    words = list(arguments)
    files = False
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word == "--":
            for name in words[at:]:
                worker.operand(name)
            files = files or at < len(words)
            break
        if word[:1] == "-" and word != "-":
            option = _SYNTAX.short.get(word[1])
            if (
                word[1] != "-"
                and len(word) > 2
                and word not in _FLAGS
                and (option is None or option.metavar is None)
            ):
                raise UsageError(f"invalid option '{word}'")  # letters are not clustered
            if word in ("-c", "--convmode") and at < len(words):
                worker.apply_options(word, words[at])
                at += 1
            else:
                worker.apply_options(*(("-c", "ascii") if word == "-ascii" else (word,)))
            continue
        files = True
        worker.operand(word)
    worker.finish()
    if not files:
        worker.stream()
    return worker.status


class _Worker:
    """Converts the operands with the options before them."""

    def __init__(self, ctx: Context) -> None:
        name = ctx.called_as(_FORMS)
        self.ctx = ctx
        self.name = name
        self.current_options: dict[str, Any] = {}
        self.settings = Options()
        self.status = 0
        self._pending_input: str | None = None
        self._titles_printed = False

    def apply_options(self, *words: str) -> None:
        parsed, _ = _SYNTAX.parse(words)
        self.current_options.update(parsed.__dict__)
        if parsed.mode is not None:
            mode = parsed.mode.lower()
            if mode not in ("ascii", "7bit", "mac"):
                raise Failure(f"invalid {parsed.mode} conversion mode specified")
            if mode == "mac":
                self.name = {"dos2unix": "mac2unix", "unix2dos": "unix2mac"}.get(self.name, self.name)
        if parsed.paired:
            self.current_options.pop("info", None)
        if "paired" in parsed.__dict__:
            self.finish()
        self.settings = Options(**self.current_options)

    def finish(self) -> None:
        """Report an input without an output."""
        pending, self._pending_input = self._pending_input, None
        if pending is not None:
            self.ctx.error(f"target of file {pending} not specified in new-file mode")
            self.status = 1

    def print(self, text: str) -> None:
        if not self.settings.quiet:
            self.ctx.error(text)

    def operand(self, name: str) -> None:
        """Convert one file, or with -n store its name until the output follows."""
        self.ctx.charge()
        if self.settings.info is not None:
            self._print_file_info(name)
        elif not self.settings.paired:
            self._file(name, name)
        elif self._pending_input is None:
            self._pending_input = name
        else:
            source, self._pending_input = self._pending_input, None
            self._file(source, name)

    def _file(self, source: str, target: str) -> None:
        ctx, options = self.ctx, self.settings
        data, path = self._read(source)
        if data is None:
            return
        info = ctx.fs.stat(ctx.path(source))
        result = self._convert(data, source)
        if result is None:
            return
        converted, count, total = result
        if options.verbose:
            self.print(f"Converted {count} out of {total} line breaks.")
        form = _FORMS[self.name][2]
        if options.to_stdout:
            ctx.write(converted)
            return
        output_path = path if source == target else ctx.path(target)
        description = f"file {source} to" if source == target else f"file {source} to file {target} in"
        try:
            if source == target and options.links == "replace" and output_path != ctx.path(target):
                ctx.fs.unlink(ctx.path(target))
                output_path = ctx.path(target)
            ctx.fs.write_bytes(output_path, converted)
        except OSError as error:
            self._error(f"{target}: {reason(error)}", error.errno or 1)
            return
        if source != target or output_path != path:
            ctx.fs.chmod(output_path, info.mode & 0o777)
        if options.keep_date:
            ctx.fs.utime(output_path, info.atime_ns, info.mtime_ns)
        self.print(f"converting {description} {form} format...")

    def _read(self, name: str) -> tuple[bytes | None, VirtualPath]:
        """Return a file's bytes, None for a file to skip, and its real path."""
        ctx = self.ctx
        path = ctx.path(name)
        try:
            info = ctx.fs.stat(path, follow=False)
            if bits.S_ISLNK(info.mode) and self.settings.links == "skip" and self.settings.info is None:
                self.print(f"Skipping symbolic link {name}.")
                return None, path
            path = ctx.fs.realpath(path)
            info = ctx.fs.stat(path)
        except OSError as error:
            self._error(f"{name}: {reason(error)}", error.errno or 1)
            self.print(f"Skipping {name}, not a regular file.")
            return None, path
        if not bits.S_ISREG(info.mode):
            self.print(f"Skipping {name}, not a regular file.")
            return None, path
        try:
            with ctx.open(name) as reader:
                return reader.read_all(), path
        except OSError as error:
            self._error(f"{name}: {reason(error)}", error.errno or 1)
            return None, path

    def _error(self, text: str, status: int) -> None:
        self.print(text)
        if not self.settings.quiet:
            self.status = status

    def stream(self) -> None:
        """Convert standard input."""
        if self.settings.info is not None:
            with self.ctx.stdin_reader() as reader:
                self._print_info(reader.read_all(), "")
            return
        with self.ctx.stdin_reader() as reader:
            data = reader.read_all()
        result = self._convert(data, "stdin")
        if result is None:
            self.ctx.write(self._replace_ends(data[: _binary(data, self.ctx.charge)])[0])
            return
        converted, count, total = result
        if self.settings.verbose:
            self.print(f"Converted {count} out of {total} line breaks.")
        self.ctx.write(converted)

    def _convert(self, data: bytes, name: str) -> tuple[bytes, int, int] | None:
        """Return the converted text, the number of converted line ends, and the number of all line ends."""
        options = self.settings
        self.ctx.charge(len(data) >> 8)
        self.ctx.budget.check_fits(4 * len(data))
        codec = _WIDE.get(data[:2])
        had_mark = data.startswith(_BOM) or codec is not None
        if codec is not None:
            data = data[2:].decode(codec, "replace").encode()
        data = data.removeprefix(_BOM)
        if not options.force and (binary := _binary(data, self.ctx.charge)) >= 0:
            line = data.count(b"\n", 0, binary) + 1
            self.print(f"Binary symbol 0x{data[binary]:02X} found at line {line}")
            self.print(f"Skipping binary file {name}")
            return None
        converted, count = self._replace_ends(data)
        total = self._matches(_END, data)
        keep = options.bom == "keep" or (not options.bom and self.name == "unix2dos")
        if options.bom == "add" or (had_mark and keep):
            converted = _BOM + converted
        if codec is not None and options.wide:
            text = converted.decode("utf-8", "surrogateescape")
            converted = (text if text[:1] == "\ufeff" else "\ufeff" + text).encode(codec, "replace")
        return converted, count, total

    def _replace_ends(self, data: bytes) -> tuple[bytes, int]:
        options = self.settings
        pattern, line_end, _ = _FORMS[self.name]
        if options.mode is not None and options.mode.lower() == "7bit":
            data = data.translate(_SEVEN_BITS)
        if options.double:
            line_end *= 2
        count = 0

        def replace(match: re.Match[bytes]) -> bytes:
            nonlocal count
            if match.lastindex:  # a carriage return, and the character after it, stay
                return match[0]
            count += 1
            return line_end

        converted = b"".join(
            [pattern.sub(replace, piece) for piece in _pieces_between_ends(data, self.ctx.charge)]
        )
        if options.add_end and converted and converted[-1:] not in b"\r\n":
            converted += _FORMS[self.name][1]
        return converted, count

    def _matches(self, pattern: re.Pattern[bytes], data: bytes) -> int:
        """Return the number of line ends that match."""
        return sum(len(pattern.findall(piece)) for piece in _pieces_between_ends(data, self.ctx.charge))

    # ------------------------------------------------------------------ -i

    def _print_file_info(self, name: str) -> None:
        data, _ = self._read(name)
        if data is not None:
            self._print_info(data, name)

    def _print_info(self, data: bytes, name: str) -> None:
        flags = self.settings.info or ""
        unknown = flags.strip("dmubtchp0e")
        if unknown:
            raise Failure(f"wrong flag '{unknown[0]}' for option -i or --info")
        ends = [data.count(b"\r\n"), data.count(b"\n") - data.count(b"\r\n"), self._matches(_MAC_END, data)]
        mark = "UTF-8" if data.startswith(_BOM) else {b"\xff\xfe": "UTF-16LE", b"\xfe\xff": "UTF-16BE"}.get(data[:2], "no_bom")  # fmt: skip
        wide = mark.startswith("UTF-16")
        kind = "binary" if not wide and _binary(data, self.ctx.charge) >= 0 else "text"
        display_name = name.rpartition("/")[2] if "p" in flags else name
        end = b"\0" if "0" in flags else b"\n"
        if "c" in flags:
            count = {"dos2unix": ends[0], "mac2unix": ends[2]}.get(self.name, ends[1])
            if count and (kind == "text" or self.settings.force):
                self.ctx.write(display_name.encode("utf-8", "surrogateescape") + end)
            return
        columns = [letter for letter in "dumbt" if letter in flags] or list("dumbt")
        if "h" in flags and not self._titles_printed:
            self._titles_printed = True
            heads = {"d": "     DOS", "u": "    UNIX", "m": "     MAC", "b": "  BOM     ", "t": "  TXTBIN"}
            self.ctx.write_line("".join(heads[letter] for letter in columns) + "  FILE")
        cells = {"d": f"{ends[0]:8}", "u": f"{ends[1]:8}", "m": f"{ends[2]:8}", "b": f"  {mark:<8}", "t": f"  {kind:<6}"}  # fmt: skip
        row = "".join(cells[letter] for letter in columns) + (f"  {display_name}" if display_name else "")
        self.ctx.write(row.encode("utf-8", "surrogateescape") + end)


def _pieces_between_ends(data: bytes, charge: Charge) -> Iterator[bytes]:
    """Yield the data in pieces; none ends after a carriage return that belongs to the next byte."""
    start = 0
    while start < len(data):
        end = start + PIECE
        if data[end - 1 : end] == b"\r":
            end += (end - start - len(data[start:end].rstrip(b"\r"))) & 1
            end += data[end - 1 : end + 1] == b"\r\n"
        charge(1 + (min(PIECE, len(data) - start) >> 4))
        yield data[start:end]
        start = end


def _binary(data: bytes, charge: Charge) -> int:
    """Return the offset of the first byte that no text has, -1 without one."""
    at = 0
    for piece in pieces(data, charge):
        if match := _BINARY.search(piece):
            return at + match.start()
        at += len(piece)
    return -1


_END = lazily(rb"(?s)\r\n|\n|\r")
_SEVEN_BITS = bytes(byte if byte < 128 else 32 for byte in range(256))
