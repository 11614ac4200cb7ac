"""bc: a calculator of any precision, with a language.

Source: POSIX.1-2024 XCU 3, bc. Oracle: GNU bc 1.07.1.
Divergence: L-BC-001, numbers have at most 100,000 digits; the addresses in error messages differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sandhook.command.context import Context, Reader
from sandhook.command.options import VERSION, opt, option_set
from sandhook.command.utility import Whole
from sandhook.utilities.extras.bc import execute
from sandhook.utilities.extras.bc.assembler import BcSyntaxError
from sandhook.utilities.extras.bc.instructions import Function
from sandhook.utilities.extras.bc.lexer import Lexer
from sandhook.utilities.extras.bc.machine import Machine
from sandhook.utilities.extras.bc.parse import Parser, Quit

WRITE_ERROR = Whole("dc: could not write output file: {}")  # bc writes with the code of dc


@option_set
class Options:
    """bc [-lqsw] [FILE]...

    Run the programs in the FILEs, then standard input.
    """

    math: bool = opt(
        "-l", "--mathlib", help="scale is 20, and s c a l e j are defined: sine, cosine and so on"
    )
    quiet: bool = opt("-q", "--quiet", ignored="there is never a banner")
    standard: bool = opt("-s", "--standard", ignored="GNU extensions are always accepted")
    warn: bool = opt("-w", "--warn", ignored="")
    interactive: bool = opt("-i", "--interactive", ignored="there is no terminal")
    version: bool = opt("-v", help="show the version", const=VERSION)


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a FILE could not be read."""
    machine = Machine(ctx, options.math)
    try:
        for name in operands:
            try:
                with ctx.open(name) as reader:
                    _program(_lines(reader), name, machine, ctx)
            except OSError as error:
                directory = isinstance(error, IsADirectoryError)
                text = (
                    f"{name} 1: read() in flex scanner failed"
                    if directory
                    else f"File {name} is unavailable."
                )
                ctx.flush()
                ctx.process.write_error(text.encode("utf-8", "surrogateescape") + b"\n")
                return 1
        try:
            with ctx.stdin_reader() as reader:
                _program(_lines(reader), "(standard_in)", machine, ctx)
        except OSError:
            ctx.write_error("(standard_in) 1: read() in flex scanner failed\n")
            return 1
    except (Quit, execute.ProgramHalt):
        pass
    return 0


def _lines(reader: Reader) -> Iterator[str]:
    for line in reader.lines():
        yield line.decode("utf-8", "surrogateescape") + ("" if line[-1:] == b"\n" else "\n")


def _program(lines: Iterator[str], name: str, machine: Machine, ctx: Context) -> None:
    """Run one input, item by item; a syntax error drops the rest of its line."""

    def print_error(message: str) -> None:
        ctx.write_error(f"{name} {lexer.line}: {message}\n")

    lexer = Lexer(lines, print_error, ctx.charge)
    machine.lexer = lexer
    parser = Parser(lexer, ctx.charge)
    while True:
        try:
            item = parser.item()
        except BcSyntaxError as error:
            lexer.peek()
            print_error(str(error))
            lexer.skip_line()
            continue
        if item is None:
            return
        if isinstance(item, Function):
            machine.functions[item.name] = item
        else:
            execute.run(machine, item)
