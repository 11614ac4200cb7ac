"""sdiff: show two files side by side.

Oracle: GNU diffutils 3.8. Divergence: L-SDIFF-001, -o is not offered, for there is no user to ask.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.options import VERSION, UsageError, opt, option_set

USAGE_STATUS = 2
NAMED_HINT = True


@option_set
class Options:
    """sdiff [OPTION]... FILE1 FILE2

    Show FILE1 and FILE2 in two columns, with marks where they differ.
    """

    case: bool = opt("-i", "--ignore-case", help="ignore case")
    tabs: bool = opt("-E", "--ignore-tab-expansion", help="tabs count as blanks")
    trailing: bool = opt("-Z", "--ignore-trailing-space", help="ignore white space at the end of lines")
    space: bool = opt("-b", "--ignore-space-change", help="any amount of white space is equal")
    all_space: bool = opt("-W", "--ignore-all-space", help="ignore white space")
    blank: bool = opt("-B", "--ignore-blank-lines", help="ignore changes of blank lines")
    matching: tuple[str, ...] = opt(
        "-I", "--ignore-matching-lines", "REGEX", "ignore changes of lines that match", append=True
    )
    strip: bool = opt("--strip-trailing-cr", help="drop carriage returns at the end of lines")
    text: bool = opt("-a", "--text", help="compare binary files as text")
    width: str | None = opt("-w", "--width", "COLUMNS", "columns of the output (130)")
    left: bool = opt("-l", "--left-column", help="show common lines on the left only")
    suppress: bool = opt("-s", "--suppress-common-lines", help="leave common lines out")
    expand: bool = opt("-t", "--expand-tabs", help="expand tabs")
    tab: str | None = opt("--tabsize", "COLUMNS", "columns between tab stops (8)")
    minimal: bool = opt("-d", "--minimal", help="find the smallest set of changes")
    fast: bool = opt("-H", "--speed-large-files", ignored="")
    version: bool = opt("-v", help="show the version", const=VERSION)


_FLAGS = {
    "case": "-i", "tabs": "-E", "trailing": "-Z", "space": "-b", "all_space": "-w", "blank": "-B",
    "strip": "--strip-trailing-cr", "text": "-a", "left": "--left-column", "suppress": "--suppress-common-lines",
    "expand": "-t", "minimal": "-d",
}  # fmt: skip


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0 for equal files, 1 for different ones, 2 after an error."""
    if len(operands) < 2:
        raise UsageError(f"missing operand after '{operands[-1] if operands else 'sdiff'}'")
    if len(operands) > 2:
        raise UsageError(f"extra operand '{operands[2]}'")
    words = ["diff", "-y", *(flag for name, flag in _FLAGS.items() if getattr(options, name))]
    if options.width is not None:
        words.append(f"--width={options.width}")
    if options.tab is not None:
        words.append(f"--tabsize={options.tab}")
    words += [f"--ignore-matching-lines={text}" for text in options.matching]
    return ctx.run_command([*words, "--", *operands])
