"""Digests of files, printed and checked: what md5sum and similar ones, b2sum and cksum share."""

from __future__ import annotations

import re
from typing import Any

from sandhook.command.context import Context
from sandhook.command.operands import reason
from sandhook.record import Record
from sandhook.text.quoting import quote_odd

_TAGGED = re.compile(r"(MD5|SM3|SHA\d+|BLAKE2b(?:-\d+)?) \((.*)\) = ([0-9A-Fa-f]+)", re.DOTALL)
_PLAIN = re.compile(r"\\?([0-9A-Fa-f]+) [ *](.*)", re.DOTALL)


class Algorithm(Record):
    """One way to make a digest.

    Attributes:
        name: As hashlib has it.
        tag: As tagged lines have it, without a length.
        digits: Hexadecimal digits of its result.
        free: Whether a listing may hold digests of other lengths too (BLAKE2b).
    """

    name: str
    tag: str
    digits: int
    free: bool = False

    @property
    def title(self) -> str:
        """The tag, with the length where it is not the longest."""
        return self.tag if not self.free or self.digits == 128 else f"{self.tag}-{self.digits * 4}"

    def start(self) -> Any:
        """Return a state of hashlib's."""
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


class Manner(Record):
    """How digests are printed and checked: the options, in one form for all utilities."""

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


def print_digest(name: str, algorithm: Algorithm, options: Manner, ctx: Context) -> None:
    """Print one line for a file, or why it could not be read."""
    try:
        digest = digest_of(name, algorithm, ctx)
    except OSError as error:
        ctx.fail(f"{quote_odd(name)}: {reason(error)}")
        return
    mark, shown = ("", name) if options.zero else _escaped(name)
    if options.tag:
        line = f"{mark}{algorithm.title} ({shown}) = {digest}"
    else:
        line = f"{mark}{digest} {'*' if options.binary else ' '}{shown}"
    ctx.write(line.encode("utf-8", "surrogateescape") + (b"\0" if options.zero else b"\n"))


def _escaped(name: str) -> tuple[str, str]:
    """Return a backslash and the name with escapes if it needs some, else "" and the name."""
    if not any(letter in name for letter in "\\\n\r"):
        return "", name
    return "\\", name.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")


def check_listing(listing: str, algorithm: Algorithm | None, options: Manner, ctx: Context) -> None:
    """Check every file that a listing names, and sum up what was wrong.

    Without an ``algorithm`` the lines must be tagged.
    """
    wrong = failed = unread = matched = 0
    try:
        with ctx.open(listing) as reader:
            lines = [line.decode("utf-8", "surrogateescape") for line in reader.lines()]
    except OSError as error:
        ctx.fail(f"{quote_odd(listing)}: {reason(error)}")
        return
    good = 0
    for number, line in enumerate(lines, 1):
        if line[:1] == "#" or not line.strip("\r\n"):
            continue
        parsed = _parse(line.rstrip("\r\n"), algorithm)
        if parsed is None:
            wrong += 1
            if options.warn:
                ctx.error(f"{listing}: {number}: improperly formatted {_what(algorithm)}checksum line")
            continue
        good += 1
        name, expected, used = parsed
        try:
            same = digest_of(name, used, ctx) == expected.lower()
        except FileNotFoundError as error:
            if not options.ignore_missing:
                unread += 1
                _report_unread(name, error, options, ctx)
            continue
        except OSError as error:
            unread += 1
            _report_unread(name, error, options, ctx)
            continue
        failed += not same
        matched += same
        if not options.status and not (same and options.quiet):
            ctx.write_line("".join(_escaped(name)) + (": OK" if same else ": FAILED"))
    _sum_up(listing, options, ctx, (good, wrong, failed, unread, matched))


def _report_unread(name: str, error: OSError, options: Manner, ctx: Context) -> None:
    ctx.error(f"{quote_odd(name)}: {reason(error)}")
    if not options.status:
        ctx.write_line("".join(_escaped(name)) + ": FAILED open or read")


def _what(algorithm: Algorithm | None) -> str:
    return f"{algorithm.tag if algorithm else 'CRC'} "


def _parse(line: str, algorithm: Algorithm | None) -> tuple[str, str, Algorithm] | None:
    """Return name, digest and algorithm of a line, or None when it is none of this algorithm's."""
    escaped = line[:1] == "\\"
    tagged = _TAGGED.fullmatch(line.removeprefix("\\"))
    if tagged:
        title, name, digest = tagged[1], tagged[2], tagged[3]
        tag, _, length = title.partition("-")
        used = algorithm or ALGORITHMS.get(tag.lower())
        if used is None or used.tag != tag:
            return None
        if used.free and not _fits(len(digest)):
            return None
        if length and str(len(digest) * 4) != length:
            return None
    else:
        plain = _PLAIN.fullmatch(line)
        if plain is None or algorithm is None:
            return None
        digest, name, used = plain[1], plain[2], algorithm
    if used.free and _fits(len(digest)):
        used = Algorithm(used.name, used.tag, len(digest), True)
    if len(digest) != used.digits:
        return None
    if escaped:
        name = re.sub(r"\\([\\nr])", lambda found: {"n": "\n", "r": "\r"}.get(found[1], "\\"), name)
    return name, digest, used


def _fits(digits: int) -> bool:
    return 2 <= digits <= 128 and digits % 2 == 0


def _sum_up(listing: str, options: Manner, ctx: Context, counts: tuple[int, int, int, int, int]) -> None:
    good, wrong, failed, unread, matched = counts
    shown = "'standard input'" if listing == "-" else listing
    if not good:
        ctx.fail(f"{shown}: no properly formatted checksum lines found")
        return
    if not options.status:
        for count, one, many in (
            (wrong, "line is improperly formatted", "lines are improperly formatted"),
            (unread, "listed file could not be read", "listed files could not be read"),
            (failed, "computed checksum did NOT match", "computed checksums did NOT match"),
        ):
            if count:
                ctx.error(f"WARNING: {count} {one if count == 1 else many}")
        if options.ignore_missing and not matched and not failed and not unread:
            ctx.error(f"{shown}: no file was verified")
    if failed or unread or (wrong and options.strict) or (options.ignore_missing and not matched):
        ctx.failed = 1
