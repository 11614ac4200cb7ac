"""uudecode: decode files that uuencode encoded.

Source: POSIX.1-2024 XCU 3, uudecode. Oracle: GNU sharutils 4.15.
Divergence: L-UUENCODE-001, messages have the wording of other utilities.
"""

from __future__ import annotations

import binascii
from collections.abc import Iterator, Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.operands import reason
from sandhook.command.options import UsageError, opt, option_set
from sandhook.kernel.descriptor import Description
from sandhook.lazy import lazily

PERMUTE = False
USAGE_STATUS = 64
OPTION_STATUS = 1
_DAMAGED, _UNREADABLE, _UNWRITABLE = 2, 4, 8
_BEGIN = lazily(rb"(?s)begin(-base64)?(-encoded)? ([0-7]{3,4}) (.*)")


@option_set
class Options:
    """uudecode [-o FILE] [FILE]...

    Decode each FILE, or standard input, into the file that it names; ignore text before and after the encoded part.
    """

    output: str | None = opt(
        "-o", "--output-file", "FILE", "write to FILE instead (- or /dev/stdout: standard output)"
    )
    ignore: bool = opt("-c", "--ignore-chmod", ignored="permissions can be set")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, 2 for damaged input, 4 for unreadable input, 8 for unwritable output, 64 after a usage error."""
    if options.output is not None and len(operands) > 1:
        raise UsageError("an output file cannot be given with several input files")
    for name in operands or ("-",):
        display_name = "standard input" if name == "-" else name
        try:
            with ctx.open(name) as reader:
                _decode(reader.lines(), display_name, options, ctx)
        except OSError as error:
            ctx.fail(f"{display_name}: {reason(error)}", _UNREADABLE)
        except Failure as failure:
            ctx.fail(str(failure), failure.status or _DAMAGED)
    return ctx.failed


def _decode(lines: Iterator[bytes], display_name: str, options: Options, ctx: Context) -> None:
    for line in lines:
        match = _BEGIN.fullmatch(line)
        if match is not None:
            break
    else:
        raise Failure(f"{display_name}: Invalid or missing 'begin' line")
    name = match[4].removesuffix(b"\n").removesuffix(b"\r").rstrip(b" \t")
    if match[2]:
        try:
            name = binascii.a2b_base64(name)
        except ValueError:
            raise Failure(f"{display_name}: Invalid or missing 'begin' line") from None
    target = options.output if options.output is not None else name.decode("utf-8", "surrogateescape")
    decode = _base64_lines if match[1] else _historical_lines
    if target in ("-", "/dev/stdout"):
        for data in decode(lines, display_name):
            ctx.write(data)
        return
    file = _create(target, ctx)
    try:
        for data in decode(lines, display_name):
            file.write(data)
    finally:
        file.release()
    ctx.fs.chmod(ctx.path(target), int(match[3], 8) & 0o777)


def _create(name: str, ctx: Context) -> Description:
    try:
        return ctx.create(name)
    except OSError as error:
        raise Failure(f"{name}: {reason(error)}", _UNWRITABLE) from None


def _historical_lines(lines: Iterator[bytes], display_name: str) -> Iterator[bytes]:
    """Yield the decoded lines up to the line "end"."""
    for line in lines:
        text = line.rstrip(b"\r\n")
        count = (text[0] - 32) & 63 if text else 0
        if not count:
            if next(lines, b"").rstrip(b"\r\n") != b"end":
                raise Failure(f"{display_name}: No 'end' line")
            return
        letters = (count + 2) // 3 * 4
        try:
            yield binascii.a2b_uu(bytes((text[0],)) + text[1 : 1 + letters])
        except ValueError:
            raise Failure(f"{display_name}: Invalid input") from None
    raise Failure(f"{display_name}: Short file")


def _base64_lines(lines: Iterator[bytes], display_name: str) -> Iterator[bytes]:
    """Yield the decoded lines up to ``====``."""
    for line in lines:
        text = line.strip(b"\r\n")
        if text[:4] == b"====":
            return
        try:
            yield binascii.a2b_base64(text, strict_mode=True)
        except ValueError:
            raise Failure(f"{display_name}: Invalid input") from None
    raise Failure(f"{display_name}: Short file")
