"""uudecode: make files again of what uuencode wrote.

Source: POSIX.1-2024 XCU 3, uudecode. Oracle: GNU sharutils 4.15.
Divergence: L-UUENCODE-001, messages are worded as other utilities' are.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator, Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.operands import reason
from sandhook.command.options import UsageError, opt, option_set
from sandhook.kernel.descriptor import Description
from sandhook.lazy import lazily

USAGE_STATUS = 64
OPTION_STATUS = 1
_DAMAGED, _UNREADABLE, _UNWRITABLE = 2, 4, 8
_BEGIN = lazily(rb"begin(-base64)?(-encoded)? ([0-7]{3,4}) (.*?)[ \t]*\r?\n?", re.DOTALL)


@option_set
class Options:
    """uudecode [-o FILE] [FILE]...

    Decode each FILE, or standard input, into the file that it names; what stands before and after is left out.
    """

    output: str | None = opt(
        "-o", "--output-file", "FILE", "write there instead (- or /dev/stdout: print it)"
    )
    ignore: bool = opt("-c", "--ignore-chmod", ignored="permissions can be set")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or what was wrong: 2 damaged, 4 not readable, 8 not writable, 64 a wrong call."""
    if options.output is not None and len(operands) > 1:
        raise UsageError("an output file cannot be given with several input files")
    for name in operands or ("-",):
        shown = "standard input" if name == "-" else name
        try:
            with ctx.open(name) as reader:
                _decode(reader.lines(), shown, options, ctx)
        except OSError as error:
            ctx.fail(f"{shown}: {reason(error)}", _UNREADABLE)
        except Failure as failure:
            ctx.fail(str(failure), failure.status or _DAMAGED)
    return ctx.failed


def _decode(lines: Iterator[bytes], shown: str, options: Options, ctx: Context) -> None:
    for line in lines:
        found = _BEGIN.fullmatch(line)
        if found is not None:
            break
    else:
        raise Failure(f"{shown}: Invalid or missing 'begin' line")
    name = found[4]
    if found[2]:
        try:
            name = binascii.a2b_base64(name)
        except ValueError:
            raise Failure(f"{shown}: Invalid or missing 'begin' line") from None
    target = options.output if options.output is not None else name.decode("utf-8", "surrogateescape")
    decode = _base64_lines if found[1] else _historical_lines
    if target in ("-", "/dev/stdout"):
        for data in decode(lines, shown):
            ctx.write(data)
        return
    file = _create(target, ctx)
    try:
        for data in decode(lines, shown):
            file.write(data)
    finally:
        file.release()
    ctx.fs.chmod(ctx.path(target), int(found[3], 8) & 0o777)


def _create(name: str, ctx: Context) -> Description:
    try:
        return ctx.create(name)
    except OSError as error:
        raise Failure(f"{name}: {reason(error)}", _UNWRITABLE) from None


def _historical_lines(lines: Iterator[bytes], shown: str) -> Iterator[bytes]:
    """Yield what the lines up to the one that says "end" stand for."""
    for line in lines:
        text = line.rstrip(b"\r\n")
        count = (text[0] - 32) & 63 if text else 0
        if not count:
            if next(lines, b"").rstrip(b"\r\n") != b"end":
                raise Failure(f"{shown}: No 'end' line")
            return
        wanted = (count + 2) // 3 * 4
        try:
            yield binascii.a2b_uu(bytes((text[0],)) + text[1 : 1 + wanted])
        except ValueError:
            raise Failure(f"{shown}: Invalid input") from None
    raise Failure(f"{shown}: Short file")


def _base64_lines(lines: Iterator[bytes], shown: str) -> Iterator[bytes]:
    """Yield what the lines up to ``====`` stand for."""
    for line in lines:
        text = line.strip(b"\r\n")
        if text[:4] == b"====":
            return
        try:
            yield binascii.a2b_base64(text, strict_mode=True)
        except ValueError:
            raise Failure(f"{shown}: Invalid input") from None
    raise Failure(f"{shown}: Short file")
