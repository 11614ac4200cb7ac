"""cksum: print and check checksums, by default POSIX's CRC.

Source: POSIX.1-2024 XCU 3, cksum. Oracle: GNU coreutils 9.1.
Divergence: L-CKSUM-001, --debug is not offered.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.operands import reason
from sandhook.command.options import UsageError, also, opt, option_set
from sandhook.command.utility import WRITE_ERROR_CLOSED
from sandhook.text.quoting import quote_odd
from sandhook.utilities.encoding.checksum import blake, require_check_mode, settings_of
from sandhook.utilities.encoding.digests import ALGORITHMS, Algorithm, check_listing, print_digest
from sandhook.utilities.encoding.sums import SUMS, sum_line

WRITE_ERROR = WRITE_ERROR_CLOSED

_KNOWN = ("bsd", "sysv", "crc", "md5", "sha1", "sha224", "sha256", "sha384", "sha512", "blake2b", "sm3")


def _algorithm(text: str) -> str:
    """Check the argument of -a, which must not be abbreviated."""
    if text not in _KNOWN:
        names = "".join(f"\n  - '{name}'" for name in _KNOWN)
        raise UsageError(f"invalid argument '{text}' for '--algorithm'\nValid arguments are:{names}")
    return text


@option_set
class Options:
    """cksum [OPTION]... [FILE]...

    Print the checksum and size of each FILE (standard input), or check those that FILE lists.
    """

    algorithm: str | None = opt(
        "-a",
        "--algorithm",
        "TYPE",
        "bsd, sysv, crc (default), md5, sha1, sha224, sha256, sha384, sha512, blake2b, sm3",
        convert=_algorithm,
    )
    check: bool = opt("-c", "--check", "check the digests that FILE lists")
    lengths: tuple[str, ...] = opt(
        "-l", "--length", "BITS", "blake2b: the length of the digest, a multiple of 8", append=True
    )
    tag: bool = also(
        opt("--tag", help="lines like BSD's (default)", const=True, default=True),
        opt("--untagged", help="lines like md5sum's", const=False),
    )
    zero: bool = opt("-z", "--zero", "end each line with NUL and escape no name")
    ignore_missing: bool = opt("--ignore-missing", "with -c, missing files are not a failure")
    mode: str = also(
        opt("--quiet", help="with -c, do not print OK", const="quiet", default=""),
        opt("--status", help="with -c, print nothing", const="status"),
        opt("-w", "--warn", help="with -c, report malformed lines", const="warn"),
    )
    debug: bool = opt("--debug", ignored="there is only one implementation to report")
    strict: bool = opt("--strict", "with -c, malformed lines are a failure")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a file could not be read or does not match its digest."""
    kind = options.algorithm or "crc"
    if options.lengths and kind != "blake2b":
        raise Failure("--length is only supported with --algorithm=blake2b")
    if options.check and options.algorithm in SUMS:
        raise Failure("--check is not supported with --algorithm={bsd,sysv,crc}")
    require_check_mode(options)
    settings = settings_of(options, tag=options.tag, binary=False)
    algorithm = None if kind in SUMS else _digest(kind, options.lengths, ctx)
    for name in operands or ["-"]:
        if options.check:
            check_listing(name, algorithm, settings, ctx)
        elif algorithm is not None:
            print_digest(name, algorithm, settings, ctx)
        else:
            _print_sum(kind, name, bool(operands), options.zero, ctx)
    return ctx.failed


def _digest(kind: str, lengths: Sequence[str], ctx: Context) -> Algorithm:
    if kind == "blake2b":
        return blake(lengths, ctx)
    if kind == "sm3":
        return _sm3()
    return ALGORITHMS[kind]


def _sm3() -> Algorithm:
    """Return SM3, which hashlib has only if OpenSSL was built with it."""
    import hashlib

    if "sm3" not in hashlib.algorithms_available:
        raise UsageError("sm3 is not available on this machine", hint=False)
    return Algorithm("sm3", "SM3", 64)


def _print_sum(kind: str, name: str, with_name: bool, zero: bool, ctx: Context) -> None:
    try:
        line = sum_line(kind, name, ctx)
    except OSError as error:
        ctx.fail(f"{quote_odd(name)}: {reason(error)}")
        return
    text = f"{line} {name}" if with_name else line
    ctx.write(text.encode("utf-8", "surrogateescape") + (b"\0" if zero else b"\n"))
