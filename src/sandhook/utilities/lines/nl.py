"""nl: number lines.

Source: POSIX.1-2024 XCU 3, nl. Oracle: GNU coreutils 9.1.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.operands import reason
from sandhook.command.options import UsageError, opt, option_set
from sandhook.pattern.errors import PatternError
from sandhook.pattern.posix import Regex, compile_bre
from sandhook.text.quoting import quote_odd

CLOSED_INPUT = "-"

_FORMATS = ("ln", "rn", "rz")

_MAX = 2**63
_NUMBER = re.compile(r"[ \t\n\v\f\r]*+([-+]?[0-9]+)", re.ASCII)


def _number(what: str, minimum: int = -_MAX, maximum: int = _MAX - 1) -> Callable[[str], int]:
    """Return a parser of numbers within bounds."""

    def read(text: str) -> int:
        match = _NUMBER.fullmatch(text)
        if match is None:
            raise Failure(f"invalid {what}: '{text}'")
        sign, digits = match[1][0] == "-", match[1].lstrip("+-0") or "0"
        value = int(digits[:30]) * (-1 if sign else 1)
        if not minimum <= value <= maximum:
            problem = (
                "Numerical result out of range"
                if value < minimum
                else "Value too large for defined data type"
            )
            raise Failure(f"invalid {what}: '{text}': {problem}")
        return value

    return read


def _format(text: str) -> str:
    if text not in _FORMATS:
        raise UsageError(f"invalid line numbering format: '{text}'")
    return text


def _style(section: str) -> Callable[[str], str | Regex]:
    """Return a parser of the numbering style of a section."""

    def read(text: str) -> str | Regex:
        if text in ("a", "t", "n"):
            return text
        if text[:1] == "p":
            try:
                return compile_bre(text[1:])
            except PatternError as error:
                raise Failure(str(error)) from None
        raise UsageError(f"invalid {section} numbering style: '{text}'")

    return read


@option_set
class Options:
    """nl [OPTION]... [FILE]...

    Print the lines of each FILE (standard input) with numbers. STYLE is a (all lines), t (those that are
    not empty), n (none) or pBRE (those that match).
    """

    body: str | Regex = opt(
        "-b",
        "--body-numbering",
        "STYLE",
        "lines of the body that are numbered (t)",
        default="t",
        convert=_style("body"),
    )
    header: str | Regex = opt(
        "-h",
        "--header-numbering",
        "STYLE",
        "lines of headers that are numbered (n)",
        default="n",
        convert=_style("header"),
    )
    footer: str | Regex = opt(
        "-f",
        "--footer-numbering",
        "STYLE",
        "lines of footers that are numbered (n)",
        default="n",
        convert=_style("footer"),
    )
    delimiter: str = opt("-d", "--section-delimiter", "CC", "characters that begin sections", default="\\:")
    increment: int = opt(
        "-i",
        "--line-increment",
        "N",
        "steps of the numbers (1)",
        default=1,
        convert=_number("line number increment"),
    )
    join: int = opt(
        "-l",
        "--join-blank-lines",
        "N",
        "N empty lines count as one",
        default=1,
        convert=_number("line number of blank lines", 1),
    )
    format_: str = opt(
        "-n", "--number-format", "FORMAT", "ln left, rn right, rz with zeros", default="rn", convert=_format
    )
    no_renumber: bool = opt("-p", "--no-renumber", "do not restart on each page")
    separator: str = opt("-s", "--number-separator", "TEXT", "the text after a number (a tab)", default="\t")
    start: int = opt(
        "-v",
        "--starting-line-number",
        "N",
        "the first number (1)",
        default=1,
        convert=_number("starting line number"),
    )
    width: int = opt(
        "-w",
        "--number-width",
        "N",
        "width of the numbers (6)",
        default=6,
        convert=_number("line number field width", 1, 2**31 - 1),
    )


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a file could not be read."""
    numbering = _Numbering(options, ctx)
    for name in operands or ["-"]:
        try:
            with ctx.open(name) as reader:
                for line in reader.lines():
                    numbering.line(line.removesuffix(b"\n"))
        except OSError as error:
            ctx.fail(f"{quote_odd(name)}: {reason(error)}")
    return ctx.failed


class _Numbering:
    """The current section and line number of the output."""

    def __init__(self, options: Options, ctx: Context) -> None:
        self.ctx = ctx
        self.renumber = not options.no_renumber
        self.styles = {
            "header": options.header,
            "body": options.body,
            "footer": options.footer,
        }
        self.section = "body"
        self.start = self.number = options.start
        self.increment = options.increment
        self.join = options.join
        self.width = options.width
        ctx.budget.check_fits(self.width)
        self.style = options.format_
        self.separator = options.separator.encode("utf-8", "surrogateescape")
        pair = options.delimiter if len(options.delimiter) != 1 else options.delimiter + ":"
        mark = pair.encode("utf-8", "surrogateescape")
        self.sections = {mark * 3: "header", mark * 2: "body", mark: "footer"} if mark else {}
        self.blank = 0

    def line(self, line: bytes) -> None:
        """Print one line with its number, or begin a section."""
        section = self.sections.get(line)
        if section is not None:
            if self.renumber:
                self.number = self.start
            self.section = section
            self.ctx.write(b"\n")
        elif self._counts(line):
            if not -_MAX <= self.number < _MAX:
                raise Failure("line number overflow")
            self.ctx.write(self._text() + self.separator + line + b"\n")
            self.number += self.increment
        else:
            self.ctx.write(b" " * (self.width + len(self.separator)) + line + b"\n")

    def _counts(self, line: bytes) -> bool:
        style = self.styles[self.section]
        if style == "a":
            if line or self.join == 1:
                self.blank = 0
                return True
            self.blank += 1
            if self.blank < self.join:
                return False
            self.blank = 0
            return True
        if isinstance(style, Regex):
            return style.test(line, remaining=self.ctx.budget.remaining)
        return style == "t" and bool(line)

    def _text(self) -> bytes:
        digits = str(self.number)
        if self.style == "ln":
            return digits.ljust(self.width).encode()
        if self.style == "rz":
            sign = "-" if self.number < 0 else ""
            return (sign + digits.lstrip("-").rjust(self.width - len(sign), "0")).encode()
        return digits.rjust(self.width).encode()
