"""diff: say how files differ, line by line.

Source: POSIX.1-2024 XCU 3, diff. Oracle: GNU diffutils 3.8; the changes that are found are GNU's, too.
Divergence: L-DIFF-001, --ignore-file-name-case is not offered.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from sandhook.command.context import Context
from sandhook.command.options import Syntax, UsageError, also, opt, option_set
from sandhook.pattern.errors import PatternError
from sandhook.pattern.posix import Regex, compile_bre
from sandhook.utilities.compare.diff.files import Pair
from sandhook.utilities.compare.diff.formats import (
    CHANGED,
    NEW,
    OLD,
    UNCHANGED,
    Formats,
    conditional,
    make_formats,
)
from sandhook.utilities.compare.diff.output import Style
from sandhook.utilities.compare.sides import Rules

RAW = True  # the options are repeated in the output, as they were given
USAGE_STATUS = 2
NAMED_HINT = True

_MOST = 10**9


def _lines_of_context(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise UsageError(f"invalid context length '{text}'")
    return min(int(text[:18]), _MOST)


def _columns(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or not 0 < int(text[:18]) <= 100_000:
        raise UsageError(f"invalid width '{text}'")
    return int(text)


def _tab(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or not 0 < int(text[:18]) <= 1000:
        raise UsageError(f"invalid tabsize '{text}'")
    return int(text)


def _regex(text: str) -> Regex:
    try:
        return compile_bre(text)
    except PatternError as error:
        raise UsageError(f"{text}: {error}", hint=False) from None


def _format(what: str, kind: str = "") -> Callable[[str], tuple[str, str, str]]:
    return lambda text: (what, kind, text)


def _colour(text: str) -> str:
    if text not in ("always", "never", "auto"):
        raise UsageError(f"invalid color '{text}'")
    return text


WRITE_ERROR = "standard output: {}"


@option_set
class Options:
    """diff [OPTION]... FILE1 FILE2

    Describe how FILE1 became FILE2. A directory stands for the file of the other's name in it; two
    directories are compared file by file.
    """

    styles: tuple[str, ...] = also(
        opt("--normal", help="the default format", const="normal", append=True),
        opt("-u", help="three lines of unified context", const="unified", append=True),
        opt("-c", help="three lines of copied context", const="context", append=True),
        opt("-e", "--ed", help="a script for ed", const="ed", append=True),
        opt(
            "-f",
            "--forward-ed",
            help="likewise, from the beginning on, which ed cannot run",
            const="forward",
            append=True,
        ),
        opt("-n", "--rcs", help="the format of RCS", const="rcs", append=True),
        opt("-y", "--side-by-side", help="two columns", const="sides", append=True),
    )
    unified: int | None = also(
        opt("-U", "NUM", "NUM lines of unified context", convert=_lines_of_context),
        opt("--unified", "NUM", "likewise, 3 without NUM", convert=_lines_of_context, optional=True, const=3),
    )
    context: int | None = also(
        opt("-C", "NUM", "NUM lines of copied context", convert=_lines_of_context),
        opt("--context", "NUM", "likewise, 3 without NUM", convert=_lines_of_context, optional=True, const=3),
    )
    digits: tuple[str, ...] = also(
        *(opt(f"-{digit}", help="-NUM: lines of context", const=digit, append=True) for digit in "0123456789")
    )
    brief: bool = opt("-q", "--brief", help="say only whether files differ")
    identical: bool = opt("-s", "--report-identical-files", help="say when files are the same")
    labels: tuple[str, ...] = opt("-L", "--label", "LABEL", "use LABEL instead of name and time", append=True)
    functions: bool = opt("-p", "--show-c-function", help="show the function of each change")
    function: Regex | None = opt(
        "-F", "--show-function-line", "RE", "show the nearest line above that matches RE", convert=_regex
    )
    pages: bool = opt("-l", "--paginate", help="hand the output to pr")
    expand: bool = opt("-t", "--expand-tabs", help="expand tabs in the output")
    indent: bool = opt("-T", "--initial-tab", help="put a tab before each line")
    tab: int = opt("--tabsize", "NUM", "columns between tab stops (8)", convert=_tab, default=8)
    bare: bool = opt("--suppress-blank-empty", help="no blank before empty lines")
    width: int = opt(
        "-W", "--width", "NUM", "with -y, columns of the output (130)", convert=_columns, default=130
    )
    left_only: bool = opt("--left-column", help="with -y, show common lines on the left only")
    changed_only: bool = opt("--suppress-common-lines", help="with -y, leave common lines out")
    recursive: bool = opt("-r", "--recursive", help="compare directories with all below them")
    links: bool = opt("--no-dereference", help="compare links, not what they lead to")
    absent: bool = opt("-N", "--new-file", help="a file that is absent is empty")
    absent_first: bool = opt("-P", "--unidirectional-new-file", help="an absent first file is empty")
    exclude: tuple[str, ...] = opt("-x", "--exclude", "PATTERN", "leave out files that match", append=True)
    exclude_from: tuple[str, ...] = opt(
        "-X", "--exclude-from", "FILE", "leave out files that match a line of FILE", append=True
    )
    starting: str | None = opt("-S", "--starting-file", "FILE", "begin with FILE in directories")
    case: bool = opt("-i", "--ignore-case", help="ignore case")
    tabs: bool = opt("-E", "--ignore-tab-expansion", help="a tab equals the blanks that it stands for")
    trailing: bool = opt("-Z", "--ignore-trailing-space", help="ignore white space at the ends of lines")
    amount: bool = opt("-b", "--ignore-space-change", help="ignore how much white space there is")
    space: bool = opt("-w", "--ignore-all-space", help="ignore white space")
    blank: bool = opt("-B", "--ignore-blank-lines", help="ignore changes of empty lines")
    matching: tuple[Regex, ...] = opt(
        "-I",
        "--ignore-matching-lines",
        "RE",
        "ignore changes of lines that match RE",
        convert=_regex,
        append=True,
    )
    text: bool = opt("-a", "--text", help="take all files as text")
    carriage: bool = opt("--strip-trailing-cr", help="drop a carriage return at the ends of lines")
    from_file: str | None = opt("--from-file", "FILE", "compare FILE with every operand")
    to_file: str | None = opt("--to-file", "FILE", "compare every operand with FILE")
    minimal: bool = opt("-d", "--minimal", ignored="the search is thorough in any case")
    large: bool = opt("-H", "--speed-large-files", ignored="")
    horizon: int = opt("--horizon-lines", "NUM", ignored="", convert=_lines_of_context, default=0)
    formats: tuple[tuple[str, str, str], ...] = also(
        opt(
            "-D",
            "--ifdef",
            "NAME",
            "both files in one, with #ifdef NAME",
            convert=_format("ifdef"),
            append=True,
        ),
        *(
            opt(
                f"--{kind}-group-format",
                "FORMAT",
                f"write {kind} groups so",
                convert=_format("group", kind),
                append=True,
            )
            for kind in (OLD, NEW, CHANGED, UNCHANGED)
        ),
        opt("--line-format", "FORMAT", "write lines so", convert=_format("line"), append=True),
        *(
            opt(
                f"--{kind}-line-format",
                "FORMAT",
                f"write {kind} lines so",
                convert=_format("line", kind),
                append=True,
            )
            for kind in (OLD, NEW, UNCHANGED)
        ),
    )
    colour: str = opt(
        "--color",
        "WHEN",
        "always, never, or auto: there is no terminal",
        convert=_colour,
        optional=True,
        const="auto",
    )
    palette: str | None = opt("--palette", "PALETTE", "colours, like rs=0:hd=1:ad=32:de=31:ln=36")
    names: bool = opt("--no-ignore-file-name-case", help="the default", ignored="")


_SYNTAX = Syntax(Options)


def run(_: None, arguments: Sequence[str], ctx: Context) -> int:
    """Return 0 when nothing differs, 1 when something does, 2 after an error."""
    options, operands = _SYNTAX.parse(arguments)
    style = _style(options, ctx)
    space = (
        "none" if options.space else "amount" if options.amount else "trailing" if options.trailing else "exact"
    )  # fmt: skip
    rules = Rules(
        case=not options.case,
        space=space,
        tabs=options.tabs,
        blank_lines=options.blank,
        ignored=options.matching,
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
    """Return the formats of -D and similar ones, each of which may be given once."""
    groups: dict[str, str] = {}
    lines: dict[str, str] = {}
    for what, kind, text in options.formats:
        table = lines if what == "line" else groups
        name = "-D" if what == "ifdef" else f"--{kind}{'-' if kind else ''}{what}-format"
        values = conditional(text) if what == "ifdef" else {kind: text}
        if what == "line" and not kind:
            values = dict.fromkeys((OLD, NEW, UNCHANGED), text)
        for each, value in values.items():
            if table.setdefault(each, value) != value:
                raise UsageError(f"conflicting {name} option value '{value}'")
    return make_formats(groups, lines)


def _colours(options: Options, ctx: Context) -> dict[str, str] | None:
    """Return the numbers of the colours; None without colours."""
    if options.colour != "always":
        return None
    found = {"rs": "0", "hd": "1", "ad": "32", "de": "31", "ln": "36"}
    for item in (options.palette or "").split(":"):
        name, equals, value = item.partition("=")
        if not item:
            continue
        if not equals or not re.fullmatch("[0-9;]*", value):
            ctx.error("unparsable value for --palette")
            return None
        if name not in found:
            ctx.error(f"unrecognized prefix: {name}")
            ctx.error("unparsable value for --palette")
            return None
        found[name] = value
    return found


def _style(options: Options, ctx: Context) -> Style:
    kinds = set(options.styles)
    if options.formats:
        kinds.add("groups")
    lengths = [options.unified, options.context]
    kinds |= {kind for kind, length in zip(("unified", "context"), lengths) if length is not None}
    if len(kinds) > 1:
        raise UsageError("conflicting output style options")
    kind = kinds.pop() if kinds else "normal"
    if not kinds and kind == "normal" and not options.styles and (options.functions or options.function):
        kind = "context"
    given = [length for length in lengths if length is not None]
    context = max(given, default=-1)
    if options.digits:
        context = max(context, min(int("".join(options.digits)[:9]), _MOST))
    return Style(
        kind,
        context if context >= 0 else 3,
        options.functions or options.function is not None,
        options.function,
        options.expand,
        options.tab,
        options.indent,
        options.bare,
        options.width,
        options.left_only,
        options.changed_only,
        _formats(options) if kind == "groups" else None,
        _colours(options, ctx),
    )


_SAFE = re.compile(r"[A-Za-z0-9_@%+:,./-]+", re.ASCII)


def _command(name: str, arguments: Sequence[str], operands: Sequence[str]) -> str:
    """Return the command with its options, as the heads of a comparison of directories repeat it."""
    rest = list(operands)
    kept = []
    for argument in reversed(arguments):
        if rest and argument == rest[-1]:
            rest.pop()
        elif argument != "--":
            kept.append(argument)
    words = [name, *reversed(kept)]
    return " ".join(quote(word) for word in words)


def quote(word: str) -> str:
    """Return a word as a shell would read it back."""
    return word if _SAFE.fullmatch(word) else "'" + word.replace("'", "'\\''") + "'"
