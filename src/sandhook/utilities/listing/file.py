"""file: print the kind of data in files.

Source: POSIX.1-2024 XCU 3, file. Oracle: file 5.44, with its wording.
Divergence: L-FILE-001, only the kinds below are recognized, with fewer details; there is no magic file (-m, -C, -l),
-s, -k, --apple or --extension.
"""

from __future__ import annotations

import re
import stat as bits
from collections.abc import Sequence
from itertools import chain
from json import JSONDecodeError, loads

from sandhook.command.context import Context, Reader
from sandhook.command.operands import beneath, reason, stat_of
from sandhook.command.options import VERSION, UsageError, also, opt, option_set
from sandhook.lazy import lazily

WRITE_ERROR = ""
IGNORED_WRITE_STATUS = 1

_HEAD = 65_536  #: the number of bytes that are examined

#: Tests that -e accepts; some have no effect here.
_TESTS = frozenset(
    ("apptype", "ascii", "cdf", "compress", "csv", "elf", "encoding", "json", "soft", "tar", "text", "tokens")
)
#: Limits that -P accepts; only "bytes" has an effect here.
_LIMITS = frozenset(("bytes", "elf_notes", "elf_phnum", "elf_shnum", "encoding", "indir", "name", "regex"))

#: The first bytes of files, with their description and MIME type.
_MAGIC: tuple[tuple[bytes, str, str], ...] = (
    (b"BZh", "bzip2 compressed data", "application/x-bzip2"),
    (b"\xfd7zXZ\0", "XZ compressed data", "application/x-xz"),
    (b"\x1f\x8b", "gzip compressed data", "application/gzip"),
    (b"\x28\xb5\x2f\xfd", "Zstandard compressed data", "application/zstd"),
    (b"PK\x03\x04", "Zip archive data", "application/zip"),
    (b"PK\x05\x06", "Zip archive data (empty)", "application/zip"),
    (b"7z\xbc\xaf\x27\x1c", "7-zip archive data", "application/x-7z-compressed"),
    (b"\x7fELF\x02\x01", "ELF 64-bit LSB", "application/x-executable"),
    (b"\x7fELF\x01\x01", "ELF 32-bit LSB", "application/x-executable"),
    (b"\x89PNG\r\n\x1a\n", "PNG image data", "image/png"),
    (b"\xff\xd8\xff", "JPEG image data", "image/jpeg"),
    (b"GIF87a", "GIF image data, version 87a", "image/gif"),
    (b"GIF89a", "GIF image data, version 89a", "image/gif"),
    (b"%PDF-", "PDF document", "application/pdf"),
    (b"SQLite format 3\0", "SQLite 3.x database", "application/vnd.sqlite3"),
    (b"!<arch>\n", "current ar archive", "application/x-archive"),
)
_SHELLS = {
    "sh": ("POSIX shell script", "text/x-shellscript"),
    "zsh": ("Paul Falstad's zsh script", "text/x-shellscript"),
    "fish": ("fish shell script", "text/x-shellscript"),
    "bash": ("Bourne-Again shell script", "text/x-shellscript"),
    "python": ("Python script", "text/x-script.python"),
    "perl": ("Perl script text executable", "text/x-perl"),
    "node": ("Node.js script executable", "application/javascript"),
    "ruby": ("Ruby script", "text/x-ruby"),
    "awk": ("awk script", "text/x-awk"),
    "gawk": ("GNU awk script", "text/x-gawk"),
    "nawk": ("new awk script", "text/x-nawk"),
    "lua": ("Lua script", "text/x-lua"),
    "php": ("PHP script", "text/x-php"),
    "tclsh": ("Tcl/Tk script", "text/x-tcl"),
}
_TEXT = frozenset(range(32, 127)) | {7, 8, 9, 10, 12, 13, 27}
_BINARY = bytes(byte for byte in range(256) if byte not in _TEXT and byte < 128)
_KINDS = {
    bits.S_IFDIR: ("directory", "inode/directory"),
    bits.S_IFIFO: ("fifo (named pipe)", "inode/fifo"),
    bits.S_IFSOCK: ("socket", "inode/socket"),
    bits.S_IFCHR: ("character special", "inode/chardevice"),
}

_LINE_END = lazily(r"[\r\n]")
_LONG_LINE = 300  #: characters


def _parameter(text: str) -> tuple[str, int]:
    name, _, value = text.partition("=")
    if name not in _LIMITS or "=" not in text:
        raise UsageError(f"Unknown param {text}", hint=False)
    return name, int(value) if value.isascii() and value.isdigit() and len(value) < 10 else 0


def _test(text: str) -> str:
    if text not in _TESTS:
        raise UsageError(f"unknown test '{text}'")
    return text


@option_set
class Options:
    """file [-bhiLnNpzZ0] [-e TEST] [-P NAME=NUMBER] [-F SEPARATOR] [-f NAMES] FILE...

    Print the kind of data in each FILE.
    """

    brief: bool = opt("-b", "--brief", help="without names")
    mime: str = also(
        opt("-i", "--mime", help="MIME types and encodings", const="both", default=""),
        opt("--mime-type", help="MIME types", const="type"),
        opt("--mime-encoding", help="encodings", const="encoding"),
    )
    follow: bool = also(
        opt("-L", "--dereference", help="follow links", const=True, default=False),
        opt("-h", "--no-dereference", help="do not follow links (default)", const=False),
    )
    separator: str = opt("-F", "--separator", "TEXT", "the text after a name", default=":")
    unpadded: bool = opt("-N", "--no-pad", help="do not align the output")
    names: tuple[str, ...] = opt("-f", "--files-from", "FILE", "names of files, one a line", append=True)
    zero: bool = opt("-0", "--print0", help="a NUL after each name")
    inside: str = also(
        opt("-z", "--uncompress", help="look into compressed files, too", const="both", default=""),
        opt("-Z", "--uncompress-noreport", help="print only the contents of compressed files", const="inner"),
    )
    excluded: tuple[str, ...] = also(
        opt(
            "-e", "--exclude", "TEST", "leave out ascii, json, soft, tar or text", append=True, convert=_test
        ),
        opt("--exclude-quiet", "TEST", "like -e, but ignore an unknown TEST", append=True),
    )
    limits: tuple[tuple[str, int], ...] = opt(
        "-P",
        "--parameter",
        "NAME=NUMBER",
        "with bytes: how many bytes are examined",
        append=True,
        convert=_parameter,
    )
    no_effect: bool = opt("-n", "-p", "--no-buffer", "--preserve-date", ignored="")
    errors: bool = opt("-E", help="a file that cannot be read is an error")
    version: bool = opt("-v", help="show the version", const=VERSION)


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0; a file that cannot be read is described on standard output, unless -E makes it an error."""
    names: list[str] = []
    for listing in options.names:
        with ctx.open(listing) as reader:
            names += [line.decode("utf-8", "surrogateescape").rstrip("\n") for line in reader.lines()]
    names += operands
    if not names:
        raise UsageError("no file was given")
    width = max([len("/dev/stdin" if name == "-" else name) for name in names])
    for name in names:
        ctx.charge()
        try:
            kind, mime, encoding = _identify(name, options, ctx)
        except PermissionError as error:
            kind = mime = _unreadable(name, error, ctx)
            encoding = ""
            if options.errors:
                ctx.fail(kind)
                continue
        except OSError as error:
            kind = mime = f"cannot open `{name}' ({reason(error)})"
            encoding = ""
            if options.errors:
                ctx.fail(kind)
                continue
        text = {"": kind, "type": mime, "encoding": encoding}.get(
            options.mime, f"{mime}; charset={encoding}" if encoding else mime
        )
        title = "/dev/stdin" if name == "-" else name
        if options.brief:
            ctx.write_line(text)
        else:
            pad = "" if options.unpadded else " " * (width - len(title))
            ctx.write_line(f"{title}{chr(0) if options.zero else ''}{options.separator}{pad} {text}")
    return ctx.failed


def _unreadable(name: str, error: OSError, ctx: Context) -> str:
    """Return the description of a file that cannot be opened, but may be found."""
    try:
        info = stat_of(ctx, name)
    except OSError:
        return f"cannot open `{name}' ({reason(error)})"
    kind = "regular file" if bits.S_ISREG(info.mode) else "directory"
    return f"{kind}, no read permission"


def _identify(name: str, options: Options, ctx: Context) -> tuple[str, str, str]:
    """Return the description of a file, its MIME type and its encoding. Raises OSError."""
    if name != "-":
        info = stat_of(ctx, name, follow=options.follow)
        if bits.S_ISLNK(info.mode):
            target = ctx.fs.readlink(ctx.path(name))
            target_path = target if target[:1] == "/" else beneath(name.rpartition("/")[0] or ".", target)
            broken = "" if ctx.fs.exists(ctx.path(target_path)) else "broken "
            return f"{broken}symbolic link to {target}", "inode/symlink", "binary"
        description = _KINDS.get(bits.S_IFMT(info.mode))
        if description is not None:
            return *description, "binary"
    size = min(dict(options.limits).get("bytes", _HEAD), _HEAD)
    excluded = frozenset(options.excluded)
    with ctx.open(name) as reader:
        data = reader.read(size) if size else b""
        kind = _contents(data, excluded)
        return _inside(kind, data, reader, size, options, ctx) if options.inside else kind


def _inside(
    outer: tuple[str, str, str], data: bytes, reader: Reader, size: int, options: Options, ctx: Context
) -> tuple[str, str, str]:
    """Return the kind of a compressed file's contents, with -z followed by ``outer``; otherwise ``outer``."""
    from sandhook.formats.compressed import CorruptError, expanded, kind_of

    compression = kind_of(data)
    if not compression:
        return outer
    pieces: list[bytes] = []
    length = 0
    problem = ""
    try:
        for piece in expanded(
            chain([data], reader.chunks()), compression, ctx.charge, ctx.budget.charge_memory
        ):
            pieces.append(piece[: size - length])
            length += len(pieces[-1])
            if length >= size:
                break
    except CorruptError as error:
        problem = str(error)
    if problem and not length:
        kind, mime, encoding = f"ERROR:[{problem}]", "application/octet-stream", "binary"
    else:
        kind, mime, encoding = _contents(b"".join(pieces), frozenset(options.excluded))
    if options.inside == "inner":
        return kind, mime, encoding
    return f"{kind} ({outer[0]})", mime, encoding


def _contents(data: bytes, excluded: frozenset[str]) -> tuple[str, str, str]:
    if not data:
        return "empty", "inode/x-empty", "binary"
    for magic, words, mime in _MAGIC if "soft" not in excluded else ():
        if data.startswith(magic):
            if words == "PDF document":
                version = re.match(rb"%PDF-([0-9.]{1,8})", data)
                words += f", version {version[1].decode()}" if version else ""
            return words, mime, "binary"
    if data[257:262] == b"ustar" and not excluded >= {"soft", "tar"}:
        return (
            "POSIX tar archive" + (" (GNU)" if data[262:264] == b"  " else ""),
            "application/x-tar",
            "binary",
        )
    if len(data) == 1:
        return "very short file (no magic)", "application/octet-stream", "binary"
    charset, encoding = _charset(data)
    if not charset or excluded & {"ascii", "text"}:
        return "data", "application/octet-stream", "binary"
    words, mime = _text_kind(data, charset, excluded)
    return words, mime, encoding


def _charset(data: bytes) -> tuple[str, str]:
    """Return the description and the name of a text's encoding; the description of other data is ""."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") and len(data) % 2 == 0:
        order = "little" if data[:1] == b"\xff" else "big"
        return f"Unicode text, UTF-16, {order}-endian text", f"utf-16{order[0]}e"
    if len(data.translate(None, _BINARY)) != len(data):
        return "", "binary"
    if data.isascii():
        return "ASCII text", "us-ascii"
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        if len(data) < _HEAD or error.start < len(data) - 3:
            high = re.search(rb"[\x80-\x9f]", data)
            return (
                ("Non-ISO extended-ASCII text", "unknown-8bit") if high else ("ISO-8859 text", "iso-8859-1")
            )
    mark = " (with BOM)" if data[:3] == b"\xef\xbb\xbf" else ""
    return f"Unicode text, UTF-8{mark} text", "utf-8"


def _text_kind(data: bytes, charset: str, excluded: frozenset[str]) -> tuple[str, str]:
    head = data[:4096].lstrip(b"\xef\xbb\xbf").lstrip()
    ends = _line_ends(data)
    if head[:1] in (b"{", b"[") and len(data) < _HEAD and "json" not in excluded and _is_json(data):
        return "JSON text data", "application/json"
    if "soft" in excluded:
        return f"{charset}{ends}", "text/plain"
    if data[:2] == b"#!":
        words = data[2:256].split(b"\n", 1)[0].split()
        program = words[0].rpartition(b"/")[2] if words else b""
        if program == b"env":
            arguments = [word for word in words[1:] if word[:1] != b"-"]
            program = arguments[0] if arguments else b""
        interpreter = program.decode("latin-1").rstrip("0123456789.")
        if interpreter in _SHELLS:
            description, mime = _SHELLS[interpreter]
            if interpreter == "node":
                return f"{description}, {charset}{ends}", mime
            return (
                description if "executable" in description else f"{description}, {charset} executable{ends}",
                mime,
            )
        if words:
            path = b" ".join(words).decode("utf-8", "surrogateescape")
            return f"a {path} script, {charset} executable{ends}", "text/plain"
    lower = head[:64].lower()
    if lower.startswith(b"<?xml"):
        version = re.match(rb"<\?xml version=[\"']([0-9.]{1,8})", head)
        return f"XML {version[1].decode() if version else '1.0'} document, {charset}{ends}", "text/xml"
    if lower.startswith((b"<!doctype html", b"<html")):
        return f"HTML document, {charset}{ends}", "text/html"
    return f"{charset}{ends}", "text/plain"


def _is_json(data: bytes) -> bool:
    try:
        return isinstance(loads(data), (dict, list))
    except (JSONDecodeError, UnicodeDecodeError, RecursionError, ValueError):
        return False


def _line_ends(data: bytes) -> str:
    """Return what is unusual about the lines of a text."""
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8"
    longest = max(map(len, _LINE_END.split(data.decode(encoding, "replace"))))
    return (f", with very long lines ({longest})" if longest > _LONG_LINE else "") + _terminators(data)


def _terminators(data: bytes) -> str:
    crlf = data.count(b"\r\n")
    if crlf:
        return (
            ", with CRLF line terminators"
            if data.count(b"\n") == crlf
            else ", with CRLF, LF line terminators"
        )
    if b"\n" not in data:
        return ", with CR line terminators" if b"\r" in data else ", with no line terminators"
    return ""
