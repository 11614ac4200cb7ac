"""md5sum, sha1sum, sha224sum, sha256sum, sha384sum, sha512sum, b2sum: print and check digests.

Oracle: GNU coreutils 9.1. The program's name selects the digest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sandhook.command.context import Context, Failure
from sandhook.command.options import UsageError, also, opt, option_set
from sandhook.command.utility import WRITE_ERROR_CLOSED
from sandhook.utilities.encoding.digests import ALGORITHMS, Algorithm, Settings, check_listing, print_digest

CLOSED_INPUT = "standard input"

WRITE_ERROR = WRITE_ERROR_CLOSED


@option_set
class Options:
    """md5sum [OPTION]... [FILE]...

    Print the digest of each FILE (standard input), or check those that FILE lists. sha1sum, sha224sum,
    sha256sum, sha384sum, sha512sum and b2sum have the same options.
    """

    binary: bool | None = also(
        opt("-b", "--binary", help="mark names with *", const=True, default=None),
        opt("-t", "--text", help="mark names with a space (default)", const=False),
    )
    lengths: tuple[str, ...] = opt(
        "-l", "--length", "BITS", "b2sum: the length of the digest, a multiple of 8", append=True
    )
    check: bool = opt("-c", "--check", "check the digests that FILE lists")
    tag: bool = opt("--tag", help="lines like BSD's", implies="binary")
    zero: bool = opt("-z", "--zero", "end each line with NUL and escape no name")
    ignore_missing: bool = opt("--ignore-missing", "with -c, missing files are not a failure")
    mode: str = also(
        opt("--quiet", help="with -c, do not print OK", const="quiet", default=""),
        opt("--status", help="with -c, print nothing", const="status"),
        opt("-w", "--warn", help="with -c, report malformed lines", const="warn"),
    )
    strict: bool = opt("--strict", "with -c, malformed lines are a failure")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a file could not be read or does not match its digest."""
    algorithm = algorithm_of(options, ctx)
    if options.tag and options.binary is False:
        raise UsageError("--tag does not support --text mode")
    if options.check and options.zero:
        raise UsageError("the --zero option is not supported when verifying checksums")
    if options.check and options.tag:
        raise UsageError("the --tag option is meaningless when verifying checksums")
    if options.check and options.binary is not None:
        raise UsageError("the --binary and --text options are meaningless when verifying checksums")
    require_check_mode(options)
    settings = settings_of(options, tag=options.tag, binary=bool(options.binary))
    for name in operands or ["-"]:
        if options.check:
            check_listing(name, algorithm, settings, ctx)
        else:
            print_digest(name, algorithm, settings, ctx)
    return ctx.failed


def algorithm_of(options: Options, ctx: Context) -> Algorithm:
    """Return the algorithm for the utility's name, with the length of -l for b2sum."""
    stem = ctx.program.removesuffix("sum")
    if stem != "b2":
        if options.lengths:
            raise UsageError("invalid option -- 'l'")
        return ALGORITHMS[stem]
    return blake(options.lengths, ctx)


def blake(lengths: Sequence[str], ctx: Context) -> Algorithm:
    """Return BLAKE2b with the last of some lengths in bits. Raises Failure if one of them is wrong."""
    longest = ALGORITHMS["blake2b"]
    bits = 0
    for length in lengths:
        digits = length.lstrip("0")
        if not (length.isascii() and length.isdigit()):
            raise Failure(f"invalid length: '{length}'")
        bits = int(digits[:6] or "0")
        if bits % 8:
            ctx.error(f"invalid length: '{length}'")
            raise Failure("length is not a multiple of 8")
    if bits > 512:  # only the last one has to fit
        ctx.error(f"invalid length: '{lengths[-1]}'")
        raise Failure("maximum digest length for 'BLAKE2b' is 512 bits")
    return Algorithm(longest.name, longest.tag, bits // 4, True) if bits else longest


def require_check_mode(options: Any) -> None:
    """Raise UsageError for options that need -c, and for -z with -c."""
    if options.check and options.zero:
        raise UsageError("the --zero option is not supported when verifying checksums")
    if not options.check:
        flags = (options.ignore_missing and "ignore-missing", options.mode, options.strict and "strict")
        for flag in filter(None, flags):
            raise UsageError(f"the --{flag} option is meaningful only when verifying checksums")


def settings_of(options: Any, *, tag: bool, binary: bool) -> Settings:
    """Return the options in the form that printing and checking share."""
    mode = options.mode
    return Settings(
        tag=tag,
        binary=binary,
        zero=options.zero,
        ignore_missing=options.ignore_missing,
        quiet=mode == "quiet",
        status=mode == "status",
        strict=options.strict,
        warn=mode == "warn",
    )
