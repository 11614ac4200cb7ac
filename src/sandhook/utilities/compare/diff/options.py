"""The options of diff."""

from __future__ import annotations

from collections.abc import Callable

from sandhook.command.options import VERSION, UsageError, also, opt, option_set
from sandhook.pattern.errors import PatternError
from sandhook.pattern.posix import Regex, compile_bre
from sandhook.utilities.compare.diff.formats import (
    CHANGED,
    NEW,
    OLD,
    UNCHANGED,
)

MAX_CONTEXT = 10**9  #: lines of context


def _lines_of_context(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise UsageError(f"invalid context length '{text}'")
    return min(int(text[:18]), MAX_CONTEXT)


def _horizon(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise UsageError(f"invalid horizon length '{text}'")
    return min(int(text[:18]), MAX_CONTEXT)


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


def _format(scope: str, kind: str = "") -> Callable[[str], tuple[str, str, str]]:
    return lambda text: (scope, kind, text)


def _colour(text: str) -> str:
    if text not in ("always", "never", "auto"):
        raise UsageError(f"invalid color '{text}'")
    return text


@option_set
class Options:
    """diff [OPTION]... FILES

    Describe how FILE1 became FILE2. If one of them is a directory, the file in it with the other's name is
    compared; two directories are compared file by file.
    """

    styles: tuple[str, ...] = also(
        opt("--normal", help="the default format", const="normal", append=True),
        opt("-u", help="three lines of unified context", const="unified", append=True),
        opt("-c", help="three lines of copied context", const="context", append=True),
        opt("-e", "--ed", help="a script for ed", const="ed", append=True),
        opt(
            "-f",
            "--forward-ed",
            help="like -e, from the beginning on, which ed cannot run",
            const="forward",
            append=True,
        ),
        opt("-n", "--rcs", help="the format of RCS", const="rcs", append=True),
        opt("-y", "--side-by-side", help="two columns", const="sides", append=True),
    )
    unified: tuple[int, ...] = also(
        opt("-U", "NUM", "NUM lines of unified context", convert=_lines_of_context, append=True),
        opt(
            "--unified",
            "NUM",
            "NUM lines of unified context, 3 without NUM",
            convert=_lines_of_context,
            optional=True,
            const=3,
            append=True,
        ),
    )
    context: tuple[int, ...] = also(
        opt("-C", "NUM", "NUM lines of copied context", convert=_lines_of_context, append=True),
        opt(
            "--context",
            "NUM",
            "NUM lines of copied context, 3 without NUM",
            convert=_lines_of_context,
            optional=True,
            const=3,
            append=True,
        ),
    )
    digits: tuple[str, ...] = also(
        *(opt(f"-{digit}", help="-NUM: lines of context", const=digit, append=True) for digit in "0123456789")
    )
    brief: bool = opt("-q", "--brief", help="print only whether files differ")
    identical: bool = opt("-s", "--report-identical-files", help="also print when files are identical")
    labels: tuple[str, ...] = opt("-L", "--label", "LABEL", "use LABEL instead of name and time", append=True)
    functions: bool = opt("-p", "--show-c-function", help="show the function of each change")
    function: Regex | None = opt(
        "-F", "--show-function-line", "RE", "show the nearest line above that matches RE", convert=_regex
    )
    pages: bool = opt("-l", "--paginate", help="pass the output through pr")
    expand: bool = opt("-t", "--expand-tabs", help="expand tabs in the output")
    indent: bool = opt("-T", "--initial-tab", help="put a tab before each line")
    tab: int = opt("--tabsize", "NUM", "columns between tab stops (8)", convert=_tab, default=8)
    bare: bool = opt("--suppress-blank-empty", help="no blank before empty lines")
    width: int = opt(
        "-W", "--width", "NUM", "with -y, columns of the output (130)", convert=_columns, default=130
    )
    left_only: bool = opt("--left-column", help="with -y, show common lines on the left only")
    changed_only: bool = opt("--suppress-common-lines", help="with -y, leave common lines out")
    recursive: bool = opt("-r", "--recursive", help="compare subdirectories, too")
    links: bool = opt("--no-dereference", help="compare links, not their targets")
    absent: bool = opt("-N", "--new-file", help="treat an absent file as empty")
    absent_first: bool = opt("-P", "--unidirectional-new-file", help="treat an absent first file as empty")
    exclude: tuple[str, ...] = opt("-x", "--exclude", "PATTERN", "leave out files that match", append=True)
    exclude_from: tuple[str, ...] = opt(
        "-X", "--exclude-from", "FILE", "leave out files that match a line of FILE", append=True
    )
    starting: str | None = opt("-S", "--starting-file", "FILE", "begin with FILE in directories")
    case: bool = opt("-i", "--ignore-case", help="ignore case")
    tabs: bool = opt("-E", "--ignore-tab-expansion", help="a tab equals the blanks up to its tab stop")
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
    text: bool = opt("-a", "--text", help="treat all files as text")
    carriage: bool = opt("--strip-trailing-cr", help="drop a carriage return at the ends of lines")
    from_file: str | None = opt("--from-file", "FILE", "compare FILE with every operand")
    to_file: str | None = opt("--to-file", "FILE", "compare every operand with FILE")
    minimal: bool = opt("-d", "--minimal", ignored="the search is thorough in any case")
    large: bool = opt("-H", "--speed-large-files", ignored="")
    horizon: int = opt("--horizon-lines", "NUM", ignored="", convert=_horizon, default=0)
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
                f"write {kind} groups in this format",
                convert=_format("group", kind),
                append=True,
            )
            for kind in (OLD, NEW, CHANGED, UNCHANGED)
        ),
        opt("--line-format", "FORMAT", "write lines in this format", convert=_format("line"), append=True),
        *(
            opt(
                f"--{kind}-line-format",
                "FORMAT",
                f"write {kind} lines in this format",
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
    version: bool = opt("-v", help="show the version", const=VERSION)
