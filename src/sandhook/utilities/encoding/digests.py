"""Print and check digests of files: code that md5sum, its relatives, b2sum and cksum share."""

from __future__ import annotations

import re
from typing import Any

from sandhook.command.context import Context
from sandhook.command.operands import not_readable, reason
from sandhook.record import Record
from sandhook.text.quoting import quote_odd

_TAGGED = re.compile(r"(MD5|SM3|SHA\d+|BLAKE2b(?:-\d+)?) \((.*)\) = ([0-9A-Fa-f]+)", re.DOTALL)
_PLAIN = re.compile(r"\\?([0-9A-Fa-f]+) [ *](.*)", re.DOTALL)


class Algorithm(Record):
    """One digest algorithm.

    Attributes:
        name: The name in hashlib.
        tag: The name in tagged lines, without a length.
        digits: Hexadecimal digits of its result.
        variable_length: Whether a listing may also have digests of other lengths (BLAKE2b).
    """

    name: str
    tag: str
    digits: int
    variable_length: bool = False

    @property
    def title(self) -> str:
        """The tag, with the length if it is not the maximum."""
        return self.tag if not self.variable_length or self.digits == 128 else f"{self.tag}-{self.digits * 4}"

    def start(self) -> Any:
        """Return a new hash object."""
        import hashlib

        if self.name == "blake2b":
            return hashlib.blake2b(digest_size=self.digits // 2, usedforsecurity=False)
        return hashlib.new(self.name, usedforsecurity=False)


ALGORITHMS = {
    "md5": Algorithm("md5", "MD5", 32),
    "sha1": Algorithm("sha1", "SHA1", 40),
    "sha224": Algorithm("sha224", "SHA224", 56),
    "sha256": Algorithm("sha256", "SHA256", 64),
    "sha384": Algorithm("sha384", "SHA384", 96),
    "sha512": Algorithm("sha512", "SHA512", 128),
    "blake2b": Algorithm("blake2b", "BLAKE2b", 128, True),
}


class Settings(Record):
    """The options for printing and checking, in one form for all utilities."""

    tag: bool = False
    binary: bool = False
    zero: bool = False
    ignore_missing: bool = False
    quiet: bool = False
    status: bool = False
    strict: bool = False
    warn: bool = False


def digest_of(name: str, algorithm: Algorithm, ctx: Context) -> str:
    """Return a file's digest in hexadecimal. Raises OSError."""
    state = algorithm.start()
    with ctx.open(name) as reader:
        for data in reader.chunks():
            state.update(data)
    digest: str = state.hexdigest()
    return digest


def print_digest(name: str, algorithm: Algorithm, options: Settings, ctx: Context) -> None:
    """Print the line for a file, or an error message if it cannot be read."""
    try:
        digest = digest_of(name, algorithm, ctx)
    except OSError as error:
        ctx.fail(f"{quote_odd(name)}: {reason(error)}")
        return
    mark, escaped_name = ("", name) if options.zero else _escape_name(name)
    if options.tag:
        line = f"{mark}{algorithm.title} ({escaped_name}) = {digest}"
    else:
        line = f"{mark}{digest} {'*' if options.binary else ' '}{escaped_name}"
    ctx.write(line.encode("utf-8", "surrogateescape") + (b"\0" if options.zero else b"\n"))


def _escape_name(name: str) -> tuple[str, str]:
    """Return a backslash and the escaped name if the name needs escapes, else "" and the name."""
    if not any(letter in name for letter in "\\\n\r"):
        return "", name
    return "\\", name.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")


def check_listing(listing: str, algorithm: Algorithm | None, options: Settings, ctx: Context) -> None:
    """Check every file in a listing, and print a summary of the failures.

    Without an ``algorithm`` the lines must be tagged.
    """
    malformed = failed = unreadable = matched = 0
    try:
        with ctx.open(listing) as reader:
            lines = [line.decode("utf-8", "surrogateescape") for line in reader.lines()]
    except OSError as error:
        shown = "'standard input'" if listing == "-" else quote_odd(listing)
        ctx.fail(f"{shown}: {'read error' if not_readable(error) else reason(error)}")
        return
    parsed_lines = 0
    for number, line in enumerate(lines, 1):
        ctx.charge(1 + (len(line) >> 10))
        if line[:1] == "#" or not line.strip("\r\n"):
            continue
        parsed = _parse(line.rstrip("\r\n"), algorithm)
        if parsed is None:
            malformed += 1
            if options.warn:
                ctx.error(f"{listing}: {number}: improperly formatted {_tag_of(algorithm)}checksum line")
            continue
        parsed_lines += 1
        name, expected, line_algorithm = parsed
        try:
            matches = digest_of(name, line_algorithm, ctx) == expected.lower()
        except FileNotFoundError as error:
            if not options.ignore_missing:
                unreadable += 1
                _read_error(name, error, options, ctx)
            continue
        except OSError as error:
            unreadable += 1
            _read_error(name, error, options, ctx)
            continue
        failed += not matches
        matched += matches
        if not options.status and not (matches and options.quiet):
            ctx.write_line("".join(_escape_name(name)) + (": OK" if matches else ": FAILED"))
    _print_summary(listing, options, ctx, (parsed_lines, malformed, failed, unreadable, matched))


def _read_error(name: str, error: OSError, options: Settings, ctx: Context) -> None:
    ctx.error(f"{quote_odd(name)}: {reason(error)}")
    if not options.status:
        ctx.write_line("".join(_escape_name(name)) + ": FAILED open or read")


def _tag_of(algorithm: Algorithm | None) -> str:
    return f"{algorithm.tag if algorithm else 'CRC'} "


def _parse(line: str, algorithm: Algorithm | None) -> tuple[str, str, Algorithm] | None:
    """Return name, digest and algorithm of a line, or None if the line is not valid for this algorithm."""
    escaped = line[:1] == "\\"
    tagged = _TAGGED.fullmatch(line.removeprefix("\\"))
    if tagged:
        title, name, digest = tagged[1], tagged[2], tagged[3]
        tag, _, length = title.partition("-")
        line_algorithm = algorithm or ALGORITHMS.get(tag.lower())
        if line_algorithm is None or line_algorithm.tag != tag:
            return None
        if line_algorithm.variable_length and not _is_valid_length(len(digest)):
            return None
        if length and str(len(digest) * 4) != length:
            return None
    else:
        match = _PLAIN.fullmatch(line)
        if match is None or algorithm is None:
            return None
        digest, name, line_algorithm = match[1], match[2], algorithm
    if line_algorithm.variable_length and _is_valid_length(len(digest)):
        line_algorithm = Algorithm(line_algorithm.name, line_algorithm.tag, len(digest), True)
    if len(digest) != line_algorithm.digits:
        return None
    if escaped:
        name = re.sub(r"\\([\\nr])", lambda match: {"n": "\n", "r": "\r"}.get(match[1], "\\"), name)
    return name, digest, line_algorithm


def _is_valid_length(digits: int) -> bool:
    return 2 <= digits <= 128 and digits % 2 == 0


def _print_summary(
    listing: str, options: Settings, ctx: Context, counts: tuple[int, int, int, int, int]
) -> None:
    parsed_lines, malformed, failed, unreadable, matched = counts
    listing_name = "'standard input'" if listing == "-" else listing
    if not parsed_lines:
        ctx.fail(f"{listing_name}: no properly formatted checksum lines found")
        return
    if not options.status:
        for count, singular, plural in (
            (malformed, "line is improperly formatted", "lines are improperly formatted"),
            (unreadable, "listed file could not be read", "listed files could not be read"),
            (failed, "computed checksum did NOT match", "computed checksums did NOT match"),
        ):
            if count:
                ctx.error(f"WARNING: {count} {singular if count == 1 else plural}")
        if options.ignore_missing and not matched:
            ctx.error(f"{listing_name}: no file was verified")
    if failed or unreadable or (malformed and options.strict) or (options.ignore_missing and not matched):
        ctx.failed = 1
