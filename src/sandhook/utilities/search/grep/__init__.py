"""grep: print lines that match patterns.

Source: POSIX.1-2024 XCU 3, grep. Oracle: GNU grep 3.8 in C.UTF-8.
Divergences: L-GREP-002, -P; L-GREP-003, -r goes through a directory in the order of names.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.options import Inform, UsageError, also, opt, option_set
from sandhook.pattern.errors import PatternError
from sandhook.utilities.search.grep.matcher import Matcher, Spec
from sandhook.utilities.search.grep.output import Searcher, Style
from sandhook.vfs.errors import error_text

USAGE_STATUS = 2
FIXED_NAMES = ("egrep", "fgrep")  # scripts that call themselves so
DIGITS = "legacy_context"
USAGE = "Usage: grep [OPTION]... PATTERNS [FILE]..."
_KEPT = 256  #: compiled searches
_KEPT_LENGTH = 4_096  #: bytes of patterns of one that is kept


def context_length(text: str) -> int:
    """Read the argument of -A, -B, -C."""
    if not (text.isascii() and text.isdecimal()):
        raise Failure(f"{text}: invalid context length argument")
    return int(text[-19:]) if len(text.lstrip("0")) < 19 else 2**62


def max_count(text: str) -> int:
    """Read the argument of -m; a negative one means no maximum."""
    bare = text.removeprefix("-")
    if not (bare.isascii() and bare.isdecimal()):
        raise Failure("invalid max count")
    return -1 if bare != text or len(bare.lstrip("0")) > 18 else int(bare)


def binary_type(text: str) -> str:
    """Read the argument of --binary-files."""
    if text not in ("binary", "text", "without-match"):
        raise Failure("unknown binary-files type")
    return text


def device_action(text: str) -> str:
    """Read the argument of -D."""
    if text not in ("read", "skip"):
        raise Failure("unknown devices method")
    return text


def _choice(option: str, *allowed: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in allowed:
            listed = "".join(f"\n  - '{each}'" for each in allowed)
            raise UsageError(
                f"invalid argument '{text}' for '--{option}'\nValid arguments are:{listed}", status=1
            )
        return text

    return read


@option_set
class Options:
    """grep [OPTION]... PATTERNS [FILE]... | grep [OPTION]... -e PATTERNS -f FILE [FILE]...

    Print the lines of each FILE, or of standard input, that match one of the PATTERNS.
    """

    kinds: tuple[str, ...] = also(
        opt("-G", "--basic-regexp", help="PATTERNS are basic expressions (default)", const="G", append=True),
        opt("-E", "--extended-regexp", help="PATTERNS are extended expressions", const="E", append=True),
        opt("-F", "--fixed-strings", help="PATTERNS are strings", const="F", append=True),
        opt("-P", "--perl-regexp", help="PATTERNS are Perl's expressions", const="P", append=True),
    )
    patterns: tuple[str, ...] = opt("-e", "--regexp", "PATTERNS", "search for PATTERNS", append=True)
    pattern_files: tuple[str, ...] = opt("-f", "--file", "FILE", "take PATTERNS from FILE", append=True)
    icase: bool = also(
        opt("-i", "-y", "--ignore-case", help="ignore case"),
        opt("--no-ignore-case", help="respect case (default)", const=False),
    )
    words: bool = opt("-w", "--word-regexp", help="match whole words only")
    lines: bool = opt("-x", "--line-regexp", help="match whole lines only")
    zero: bool = opt("-z", "--null-data", help="lines end with NUL, not newline")
    silent: bool = opt("-s", "--no-messages", help="say nothing about files that cannot be read")
    invert: bool = opt("-v", "--invert-match", help="select lines that do not match")
    limit: int = opt(
        "-m", "--max-count", "NUM", "stop after NUM selected lines", convert=max_count, default=-1
    )
    offsets: bool = opt("-b", "--byte-offset", help="print the offset in bytes of each line")
    numbers: bool = opt("-n", "--line-number", help="print the number of each line")
    buffered: bool = opt("--line-buffered", help="write each line at once")
    names: bool | None = also(
        opt("-H", "--with-filename", help="print file names", default=None),
        opt("-h", "--no-filename", help="print no file names", const=False),
    )
    label: str = opt("--label", "NAME", "name for standard input", default="(standard input)")
    only: bool = opt("-o", "--only-matching", help="print only the parts that match")
    quiet: bool = opt("-q", "--quiet", "--silent", help="print nothing; stop at the first match")
    binary: str = also(
        opt(
            "--binary-files",
            "TYPE",
            "treat binary files as binary, text or without-match",
            convert=binary_type,
            default="binary",
        ),
        opt("-a", "--text", help="same as --binary-files=text", const="text"),
        opt("-I", help="same as --binary-files=without-match", const="without-match"),
    )
    directories: str = also(
        opt(
            "-d",
            "--directories",
            "ACTION",
            "read, recurse or skip directories",
            convert=_choice("directories", "read", "recurse", "skip"),
            default="read",
        ),
        opt("-r", "--recursive", help="search directories with all they hold", const="recurse"),
        opt("-R", "--dereference-recursive", help="same, through links too", const="follow"),
    )
    devices: str | None = opt("-D", "--devices", "ACTION", "read or skip devices", convert=device_action)
    selection: tuple[str, ...] = also(
        opt(
            "--include",
            "GLOB",
            "search only files that match GLOB",
            append=True,
            convert=lambda text: "+" + text,
        ),
        opt("--exclude", "GLOB", "skip files that match GLOB", append=True, convert=lambda text: "-" + text),
    )
    exclude_from: tuple[str, ...] = opt(
        "--exclude-from", "FILE", "skip files that match a GLOB in FILE", append=True
    )
    exclude_dir: tuple[str, ...] = opt(
        "--exclude-dir", "GLOB", "skip directories that match GLOB", append=True
    )
    list_: str = also(
        opt(
            "-l",
            "--files-with-matches",
            help="print only names of files with selected lines",
            const="l",
            default="",
        ),
        opt("-L", "--files-without-match", help="print only names of files without any", const="L"),
    )
    count: bool = opt("-c", "--count", help="print only the number of selected lines")
    tab: bool = opt("-T", "--initial-tab", help="align lines after a tab")
    null: bool = opt("-Z", "--null", help="end file names with NUL")
    after: int | None = opt(
        "-A", "--after-context", "NUM", "print NUM lines after each", convert=context_length
    )
    before: int | None = opt(
        "-B", "--before-context", "NUM", "print NUM lines before each", convert=context_length
    )
    context: int | None = opt("-C", "--context", "NUM", "print NUM lines around each", convert=context_length)
    separator: str | None = also(
        opt("--group-separator", "SEP", "print SEP between groups of lines", default="--"),
        opt("--no-group-separator", help="print nothing between groups", const=None),
    )
    color: str = opt(
        "--color",
        "--colour",
        "WHEN",
        "mark matches: always, never or auto (never, for there is no terminal)",
        optional=True,
        const="auto",
        default="never",
        convert=_choice("color", "always", "yes", "force", "never", "no", "none", "auto", "tty", "if-tty"),
    )
    unix: bool = opt("-U", "--binary", ignored="")
    obsolete: bool = opt("-u", "--unix-byte-offsets", help="taken with a warning, and without effect")
    version: bool = opt("-V", help="show the version")
    legacy_context: str | None = opt(default=None)


#: id of an Options object to (that object, the name it was given for, what it means); see ``plan_for``.
_PLANS: dict[int, tuple[Options, str, str | None, Matcher, Style]] = {}


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0 when a line was selected, 1 when none was, 2 after an error (but 0 with -q and a line)."""
    if options.version:
        raise Inform("version")
    if options.obsolete:
        ctx.error("warning: --unix-byte-offsets (-u) is obsolete")
    given = options.patterns or options.pattern_files
    if not given and not operands:
        ctx.flush()
        ctx.error_hint(USAGE)
        return 2
    if options.limit == 0 and (options.list_ != "L" or options.quiet) and len(set(options.kinds)) < 2:
        return 1
    matcher, style = plan_for(options, None if given else operands[0], ctx)
    files: Sequence[str] = operands if given else operands[1:]
    nothing = matcher.takes_all if style.invert else matcher.takes_none
    if nothing and style.list_ != "L":
        return 1
    selected = False
    searcher = Searcher(matcher, style, ctx)
    if not files and options.directories not in ("recurse", "follow"):
        selected = search_stdin(searcher, style, ctx)
        return 2 if ctx.failed and not (selected and options.quiet) else 0 if selected else 1
    from sandhook.utilities.search.grep.files import Files

    walk = Files(options, files, ctx)
    searcher.name_by_default = len(files) > 1
    for name, found in walk:
        if walk.recursed:
            searcher.name_by_default = True
        if name == "-" and found is None:
            selected = search_stdin(searcher, style, ctx) or selected
        else:
            try:
                with ctx.open(name) as reader:
                    selected = searcher.search(reader, name) or selected
            except OSError as error:
                walk.report(name, error)
                if error.errno == errno.EISDIR:
                    searcher.unread(name)
        if selected and options.quiet:
            return 0
    return 2 if ctx.failed else 0 if selected else 1


def search_stdin(searcher: Searcher, style: Style, ctx: Context) -> bool:
    """Search standard input; a closed one is an error."""
    try:
        with ctx.stdin_reader() as reader:
            return searcher.search(reader, style.label)
    except OSError as error:
        if error.errno != errno.EISDIR and not style.silent:
            ctx.error(f"{style.label}: {error_text(error)}")
        ctx.failed = 2
        return False


def plan_for(options: Options, pattern: str | None, ctx: Context) -> tuple[Matcher, Style]:
    """Return the compiled patterns and the ways of printing.

    Kept by the identity of the Options object, which the parser hands out again for the same
    command line: hashing thirty fields would cost more than the search of a short input.
    """
    name = ctx.program
    if name != "grep":  # egrep and fgrep are scripts that call grep, which reports
        ctx.name = "grep"
    kept = _PLANS.get(id(options))
    if kept is not None and kept[0] is options and kept[1] == name and kept[2] == pattern:
        for warning in kept[3].warnings:
            ctx.error(f"warning: {warning}")
        return kept[3], kept[4]
    spec = make_spec(options, name, pattern, ctx)
    try:
        matcher = Matcher(spec)
        matcher.bind(ctx.budget)
    except PatternError as error:
        raise Failure(error.message) from None
    for warning in matcher.warnings:
        ctx.error(f"warning: {warning}")
    style = Style.of(options)
    if not options.pattern_files and sum(map(len, spec.patterns)) < _KEPT_LENGTH:
        if len(_PLANS) >= _KEPT:
            _PLANS.clear()
        _PLANS[id(options)] = (options, name, pattern, matcher, style)
    return matcher, style


def make_spec(options: Options, name: str, pattern: str | None, ctx: Context) -> Spec:
    """Gather the patterns of the first operand, of -e and of -f."""
    kinds = set(options.kinds)
    if name != "grep":
        kinds.add("E" if name == "egrep" else "F")
    if len(kinds) > 1:
        raise Failure("conflicting matchers specified")
    texts = list(options.patterns) if pattern is None else [pattern]
    lines: list[bytes] = []
    for text in texts:
        lines += text.encode("utf-8", "surrogateescape").split(b"\n")
    for file in options.pattern_files:
        try:
            with ctx.open(file) as reader:
                data = reader.read_all()
        except OSError as error:
            raise Failure(f"{file}: {error_text(error)}") from None
        if data:
            lines += data.removesuffix(b"\n").split(b"\n")
    return Spec(
        kinds.pop() if kinds else "G",
        tuple(dict.fromkeys(lines)),
        options.icase,
        options.words and not options.lines,
        options.lines,
        options.zero,
    )
