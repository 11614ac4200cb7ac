"""md5sum, sha1sum, sha224sum, sha256sum, sha384sum, sha512sum: print and check digests.

Oracle: GNU coreutils 9.1. Which digest, the name says by which the utility is called.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sandhook.utilities._base import Context, UsageError, also, opt, option_set
from sandhook.utilities._files import reason

_TAGGED = re.compile(r"(MD5|SHA\d+) \((.*)\) = ([0-9A-Fa-f]+)", re.DOTALL)
_PLAIN = re.compile(r"\\?([0-9A-Fa-f]{32,}) [ *](.*)", re.DOTALL)


@option_set
class Options:
    """md5sum [-bctwz] [--tag] [--quiet] [--status] [--strict] [--ignore-missing] [FILE]...

    Print the digest of each FILE (standard input), or check those that FILE lists. Likewise sha1sum,
    sha224sum, sha256sum, sha384sum, sha512sum.
    """

    binary: bool = also(
        opt("-b", "--binary", help="mark names with *", const=True, default=False),
        opt("-t", "--text", help="mark names with a space (default)", const=False),
    )
    check: bool = opt("-c", "--check", "check the digests that FILE lists")
    tag: bool = opt("--tag", "lines like BSD's")
    zero: bool = opt("-z", "--zero", "end each line with NUL and escape no name")
    ignore_missing: bool = opt("--ignore-missing", "with -c, files that are missing are no failure")
    quiet: bool = opt("--quiet", "with -c, do not print OK")
    status: bool = opt("--status", "with -c, print nothing")
    strict: bool = opt("--strict", "with -c, wrong lines are a failure")
    warn: bool = opt("-w", "--warn", "with -c, name wrong lines")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0; 1 when a file could not be read or is not what its digest says."""
    if not options.check:
        for flag, given in (("--ignore-missing", options.ignore_missing), ("--status", options.status),
                            ("--warn", options.warn), ("--quiet", options.quiet), ("--strict", options.strict)):  # fmt: skip
            if given:
                raise UsageError(f"the {flag} option is meaningful only when verifying checksums")
    for name in operands or ["-"]:
        if options.check:
            _check(name, options, ctx)
        else:
            _print(name, options, ctx)
    return ctx.failed


def _algorithm(ctx: Context) -> str:
    return ctx.name.rpartition("/")[2].removesuffix("sum")


def _digest(name: str, ctx: Context) -> str:
    """Return a file's digest in hexadecimal. Raises OSError."""
    import hashlib

    state = hashlib.new(_algorithm(ctx), usedforsecurity=False)
    with ctx.open(name) as reader:
        for data in reader.chunks():
            state.update(data)
    return state.hexdigest()


def _print(name: str, options: Options, ctx: Context) -> None:
    try:
        digest = _digest(name, ctx)
    except OSError as error:
        ctx.fail(f"{name}: {reason(error)}")
        return
    mark, shown = ("", name) if options.zero else _escaped(name)
    if options.tag:
        line = f"{mark}{_algorithm(ctx).upper()} ({shown}) = {digest}"
    else:
        line = f"{mark}{digest} {'*' if options.binary else ' '}{shown}"
    ctx.write(line.encode("utf-8", "surrogateescape") + (b"\0" if options.zero else b"\n"))


def _escaped(name: str) -> tuple[str, str]:
    """Return a backslash and the name with escapes if it needs some, else "" and the name."""
    if not any(letter in name for letter in "\\\n\r"):
        return "", name
    return "\\", name.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")


def _check(listing: str, options: Options, ctx: Context) -> None:
    """Check every file that a listing names, and sum up what was wrong."""
    wrong = failed = unread = matched = 0
    try:
        with ctx.open(listing) as reader:
            lines = [line.decode("utf-8", "surrogateescape") for line in reader.lines()]
    except OSError as error:
        ctx.fail(f"{listing}: {reason(error)}")
        return
    good = 0
    for number, line in enumerate(lines, 1):
        if line[:1] == "#":
            continue
        parsed = _parse(line.rstrip("\r\n"), ctx)
        if parsed is None:
            wrong += 1
            if options.warn:
                ctx.error(
                    f"{listing}: {number}: improperly formatted {_algorithm(ctx).upper()} checksum line"
                )
            continue
        good += 1
        name, expected = parsed
        try:
            same = _digest(name, ctx) == expected.lower()
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


def _report_unread(name: str, error: OSError, options: Options, ctx: Context) -> None:
    ctx.error(f"{name}: {reason(error)}")
    if not options.status:
        ctx.write_line("".join(_escaped(name)) + ": FAILED open or read")


def _parse(line: str, ctx: Context) -> tuple[str, str] | None:
    """Return name and digest of a line, or None when it is none of this algorithm's."""
    algorithm = _algorithm(ctx)
    escaped = line[:1] == "\\"
    tagged = _TAGGED.fullmatch(line.removeprefix("\\"))
    if tagged:
        if tagged[1].lower() != algorithm:
            return None
        name, digest = tagged[2], tagged[3]
    else:
        plain = _PLAIN.fullmatch(line)
        if plain is None:
            return None
        digest, name = plain[1], plain[2]
    sizes = {"md5": 32, "sha1": 40, "sha224": 56, "sha256": 64, "sha384": 96, "sha512": 128}
    if len(digest) != sizes[algorithm]:
        return None
    if escaped:
        name = re.sub(r"\\([\\nr])", lambda found: {"n": "\n", "r": "\r"}.get(found[1], "\\"), name)
    return name, digest


def _sum_up(listing: str, options: Options, ctx: Context, counts: tuple[int, int, int, int, int]) -> None:
    good, wrong, failed, unread, matched = counts
    shown = "standard input" if listing == "-" else listing
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
