"""diff: compare files line by line.

Source: POSIX.1-2024 XCU 3, diff. Oracle: GNU diffutils 3.8, including its choice among equivalent changes.
Divergence: L-DIFF-001, --ignore-file-name-case is not offered.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.options import Syntax, UsageError
from sandhook.text.quoting import diff_quote
from sandhook.utilities.compare.diff.files import Pair
from sandhook.utilities.compare.diff.formats import (
    NEW,
    OLD,
    UNCHANGED,
    Formats,
    conditional,
    make_formats,
)
from sandhook.utilities.compare.diff.options import MAX_CONTEXT, Options
from sandhook.utilities.compare.diff.style import Style
from sandhook.utilities.compare.sides import Rules

RAW = True  # the output repeats the options as typed
USAGE_STATUS = 2
NAMED_HINT = True

WRITE_ERROR = "standard output: {}"


_SYNTAX = Syntax(Options)


def run(_: None, arguments: Sequence[str], ctx: Context) -> int:
    """Return 0 when nothing differs, 1 when something does, 2 after an error."""
    options, operands = _SYNTAX.parse(arguments, in_order="POSIXLY_CORRECT" in ctx.environment)
    if len(options.labels) > 2:
        raise Failure("too many file label options")
    style = _style(options, ctx)
    space = (
        "none" if options.space else "amount" if options.amount else "trailing" if options.trailing else "exact"
    )  # fmt: skip
    rules = Rules(
        case=not options.case,
        space=space,
        tabs=options.tabs,
        blank_lines=options.blank,
        ignored_lines=options.matching,
    )
    status = 0
    for old, new in _pairs(options, operands):
        pair = Pair(options, style, rules, _command(ctx.name, arguments, operands), ctx)
        status = max(status, pair.compare(old, new))
    return status


def _pairs(options: Options, operands: Sequence[str]) -> list[tuple[str, str]]:
    if options.from_file is not None and options.to_file is not None:
        raise UsageError("--from-file and --to-file both specified", hint=False)
    if options.from_file is not None:
        return [(options.from_file, each) for each in operands]
    if options.to_file is not None:
        return [(each, options.to_file) for each in operands]
    if len(operands) < 2:
        raise UsageError(f"missing operand after '{operands[0] if operands else 'diff'}'")
    if len(operands) > 2:
        raise UsageError(f"extra operand '{operands[2]}'")
    return [(operands[0], operands[1])]


def _formats(options: Options) -> Formats:
    """Return the formats of -D and the --...-format options. Raises UsageError if one is set to two values."""
    groups: dict[str, str] = {}
    lines: dict[str, str] = {}
    for scope, kind, text in options.formats:
        table = lines if scope == "line" else groups
        name = "-D" if scope == "ifdef" else f"--{kind}{'-' if kind else ''}{scope}-format"
        values = conditional(text) if scope == "ifdef" else {kind: text}
        if scope == "line" and not kind:
            values = dict.fromkeys((OLD, NEW, UNCHANGED), text)
        for each, value in values.items():
            if table.setdefault(each, value) != value:
                raise UsageError(f"conflicting {name} option value '{value}'")
    return make_formats(groups, lines)


def _colours(options: Options, ctx: Context) -> dict[str, str] | None:
    """Return the SGR parameters of the colours; None without colours."""
    if options.colour != "always":
        return None
    colours = {"rs": "0", "hd": "1", "ad": "32", "de": "31", "ln": "36"}
    for item in (options.palette or "").split(":"):
        name, equals, value = item.partition("=")
        if not item:
            continue
        if not equals or not re.fullmatch("[0-9;]*", value):
            ctx.error("unparsable value for --palette")
            return None
        if name not in colours:
            ctx.error(f"unrecognized prefix: {name}")
            ctx.error("unparsable value for --palette")
            return None
        colours[name] = value
    return colours


def _context(options: Options) -> int:
    """Return the lines of context. No option makes those of another fewer, but -NUM those of -u and -c."""
    numbers = [*options.unified, *options.context]
    is_explicit = bool(numbers)
    if not is_explicit or {"unified", "context"} & set(options.styles):
        numbers.append(3)
    if options.digits:
        number = min(int("".join(options.digits)[:9]), MAX_CONTEXT)
        numbers = [*numbers, number] if is_explicit else [number]
    return max(numbers)


def _style(options: Options, ctx: Context) -> Style:
    kinds = set(options.styles)
    if options.formats:
        kinds.add("groups")
    lengths = {"unified": options.unified, "context": options.context}
    kinds.update(kind for kind, numbers in lengths.items() if numbers)
    if len(kinds) > 1:
        raise UsageError("conflicting output style options")
    kind = kinds.pop() if kinds else "normal"
    if not kinds and kind == "normal" and not options.styles and (options.functions or options.function):
        kind = "context"
    return Style(
        kind=kind,
        context=_context(options),
        functions=options.functions or options.function is not None,
        function=options.function,
        expand=options.expand,
        tab=options.tab,
        indent=options.indent,
        bare=options.bare,
        width=options.width,
        left_only=options.left_only,
        changed_only=options.changed_only,
        formats=_formats(options) if kind == "groups" else None,
        colours=_colours(options, ctx),
    )


def _command(name: str, arguments: Sequence[str], operands: Sequence[str]) -> str:
    """Return the command with its options, for the heading of each file in a comparison of directories."""
    rest = list(operands)
    options = []
    for argument in reversed(arguments):
        if rest and argument == rest[-1]:
            rest.pop()
        elif argument != "--":
            options.append(argument)
    words = [name, *reversed(options)]
    return " ".join(diff_quote(word) for word in words)
