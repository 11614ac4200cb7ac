"""grep: print lines that match patterns.

Source: POSIX.1-2024 XCU 3, grep. Oracle: GNU grep 3.8 in C.UTF-8.
Divergences: L-GREP-002, -P; L-GREP-003, -r visits the entries of a directory in the order of names.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Mapping, Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.options import Inform, UsageError, also, declared_fields, opt, option_set
from sandhook.command.pieces import splits
from sandhook.lazy import text_size
from sandhook.pattern.errors import PatternError
from sandhook.text.locale import characters_are_bytes
from sandhook.utilities.search.grep.matcher import Matcher, Spec
from sandhook.utilities.search.grep.output import Searcher, Style
from sandhook.utilities.search.grep.patterns import PatternListError
from sandhook.vfs.errors import error_text

USAGE_STATUS = 2
FIXED_NAMES = {"egrep": "grep", "fgrep": "grep", "rgrep": "grep"}  # scripts that call grep
DIGITS = "legacy_context"
BASE_NAME = True
USAGE = "Usage: NAME [OPTION]... PATTERNS [FILE]..."
_CACHE_SIZE = 256  #: compiled searches in the cache
_MAX_CACHED_LENGTH = 4_096  #: characters of the longest patterns and options in the cache


def context_length(text: str) -> int:
    """Parse the argument of -A, -B, -C."""
    if not (text.isascii() and text.isdecimal()):
        raise Failure(f"{text}: invalid context length argument")
    return int(text[-19:]) if len(text.lstrip("0")) < 19 else 2**62


def max_count(text: str) -> int:
    """Parse the argument of -m; a negative number means no maximum."""
    bare = text.removeprefix("-")
    if not (bare.isascii() and bare.isdecimal()):
        raise Failure("invalid max count")
    return -1 if bare != text or len(bare.lstrip("0")) > 18 else int(bare)


def binary_type(text: str) -> str:
    """Check the argument of --binary-files."""
    if text not in ("binary", "text", "without-match"):
        raise Failure("unknown binary-files type")
    return text


def device_action(text: str) -> str:
    """Check the argument of -D."""
    if text not in ("read", "skip"):
        raise Failure("unknown devices method")
    return text


def _color(text: str) -> str:
    if text not in ("always", "yes", "force", "never", "no", "none", "auto", "tty", "if-tty"):
        raise Inform("help")  # GNU grep shows its help for another word, and succeeds
    return text


def _choice(option: str, *choices: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text not in choices:
            choice_list = "".join(f"\n  - '{choice}'" for choice in choices)
            raise UsageError(
                f"invalid argument '{text}' for '--{option}'\nValid arguments are:{choice_list}", status=1
            )
        return text

    return parse


def _matcher_kind(text: str) -> str:
    """Return the letter of a matcher of -X; those of awk are not offered."""
    kinds = {"grep": "G", "egrep": "E", "fgrep": "F", "perl": "P"}
    if text not in kinds:
        raise Failure(f"invalid matcher {text}", 2)
    return kinds[text]


@option_set
class Options:
    """grep [OPTION]... PATTERNS [FILE]...

    Print the lines of each FILE, or of standard input, that match one of the PATTERNS.
    """

    kinds: tuple[str, ...] = also(
        opt("-G", "--basic-regexp", help="PATTERNS are basic expressions (default)", const="G", append=True),
        opt("-E", "--extended-regexp", help="PATTERNS are extended expressions", const="E", append=True),
        opt("-F", "--fixed-strings", help="PATTERNS are strings", const="F", append=True),
        opt("-P", "--perl-regexp", help="PATTERNS are Perl's expressions", const="P", append=True),
        opt("-X", "MATCHER", "the kind of PATTERNS by the name of a program: grep, egrep, fgrep or perl", convert=_matcher_kind, append=True),
    )  # fmt: skip
    patterns: tuple[str, ...] = opt("-e", "--regexp", "PATTERNS", "search for PATTERNS", append=True)
    pattern_files: tuple[str, ...] = opt("-f", "--file", "FILE", "read PATTERNS from FILE", append=True)
    icase: bool = also(
        opt("-i", "-y", "--ignore-case", help="ignore case"),
        opt("--no-ignore-case", help="respect case (default)", const=False),
    )
    words: bool = opt("-w", "--word-regexp", help="match whole words only")
    lines: bool = opt("-x", "--line-regexp", help="match whole lines only")
    zero: bool = opt("-z", "--null-data", help="lines end with NUL, not newline")
    silent: bool = opt("-s", "--no-messages", help="do not report files that cannot be read")
    invert: bool = opt("-v", "--invert-match", help="select lines that do not match")
    limit: int = opt(
        "-m", "--max-count", "NUM", "stop after NUM selected lines", convert=max_count, default=-1
    )
    offsets: bool = opt("-b", "--byte-offset", help="print the offset in bytes of each line")
    numbers: bool = opt("-n", "--line-number", help="print the number of each line")
    line_buffered: bool = opt("--line-buffered", help="write each line at once")
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
            default="",
        ),
        opt("-r", "--recursive", help="search directories recursively", const="recurse"),
        opt("-R", "--dereference-recursive", help="same, and follow symbolic links", const="follow"),
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
        "color matches: always, never or auto (means never: there is no terminal)",
        optional=True,
        const="auto",
        default="never",
        convert=_color,
    )
    unix: bool = opt("-U", "--binary", ignored="")
    obsolete: bool = opt("-u", "--unix-byte-offsets", help="accepted with a warning; has no effect")
    version: bool = opt("-V", help="show the version")
    legacy_context: str | None = opt(default=None)


#: The cache of ``plan_for``: the id of an Options object to the object, program, pattern operand and results.
_PLANS: dict[int, tuple[Options, str, str | None, Matcher, Style]] = {}


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0 when a line was selected, else 1; 2 after an error, but not with -q and a selected line."""
    if options.version:
        raise Inform("version")
    if options.obsolete:
        ctx.error("warning: --unix-byte-offsets (-u) is obsolete")
    pattern_options = options.patterns or options.pattern_files
    if not pattern_options and not operands:
        ctx.flush()
        ctx.error_hint(USAGE, base=True)
        return 2
    if options.limit == 0 and (options.list_ != "L" or options.quiet) and len(set(options.kinds)) < 2:
        return 1
    matcher, style = plan_for(options, None if pattern_options else operands[0], ctx)
    files: Sequence[str] = operands if pattern_options else operands[1:]
    selects_nothing = matcher.matches_all if style.invert else matcher.matches_none
    if selects_nothing and style.list_ != "L":
        return 1
    any_selected = False
    searcher = Searcher(matcher, style, ctx)
    directories = options.directories or ("recurse" if ctx.program == "rgrep" else "read")
    if not files and directories not in ("recurse", "follow"):
        any_selected = search_stdin(searcher, style, ctx)
        return 2 if ctx.failed and not (any_selected and options.quiet) else 0 if any_selected else 1
    from sandhook.utilities.search.grep.files import Files

    searched_files = Files(options, directories, files, ctx)
    searcher.name_by_default = len(files) > 1
    for name, info in searched_files:
        if searched_files.has_recursed:
            searcher.name_by_default = True
        if name == "-" and info is None:
            any_selected = search_stdin(searcher, style, ctx) or any_selected
        else:
            try:
                with ctx.open(name) as reader:
                    any_selected = searcher.search(reader, name) or any_selected
            except OSError as error:
                searched_files.file_error(name, error)
                if error.errno == errno.EISDIR:
                    searcher.print_directory(name)
        if any_selected and options.quiet:
            return 0
    return 2 if ctx.failed else 0 if any_selected else 1


def search_stdin(searcher: Searcher, style: Style, ctx: Context) -> bool:
    """Search standard input. Reports an error when it is closed."""
    try:
        with ctx.stdin_reader() as reader:
            return searcher.search(reader, style.label)
    except OSError as error:
        if not style.silent:
            ctx.error(f"{style.label}: {error_text(error)}")
        if error.errno == errno.EISDIR:
            searcher.print_directory(style.label)
        ctx.failed = 2
        return False


def plan_for(options: Options, pattern: str | None, ctx: Context) -> tuple[Matcher, Style]:
    """Return the compiled patterns and the style of the output.

    The cache goes by the identity of the Options object, because the parser returns the same object for
    the same command line. Hashing its thirty fields would cost more than the search of a short input.
    """
    name = ctx.program
    bytewise = characters_are_bytes(ctx.environment.get)
    plan = _PLANS.get(id(options))
    if (
        plan is not None
        and plan[0] is options
        and plan[1] == name
        and plan[2] == pattern
        and plan[4].bytewise is bytewise
    ):
        for warning in plan[3].warnings:
            ctx.error(f"warning: {warning}")
        return plan[3], plan[4]
    files: dict[str, bytes] = {}
    spec = make_spec(options, name, pattern, ctx, files)._replace(bytewise=bytewise)
    try:
        matcher = Matcher(spec)
        matcher.bind(ctx.budget)
    except PatternListError as error:
        raise _wrong_patterns(error, options, pattern, files, ctx) from None
    except PatternError as error:
        raise Failure(error.message) from None
    for warning in matcher.warnings:
        ctx.error(f"warning: {warning}")
    style = Style.of(options, bytewise)
    values = [getattr(options, name) for name in declared_fields(Options)]
    length = sum(text_size(value) for value in values if isinstance(value, (str, tuple)))
    if not options.pattern_files and text_size(spec.patterns) + length < _MAX_CACHED_LENGTH:
        if len(_PLANS) >= _CACHE_SIZE:
            _PLANS.clear()
        _PLANS[id(options)] = (options, name, pattern, matcher, style)
    return matcher, style


def _wrong_patterns(
    error: PatternListError, options: Options, operand: str | None, files: Mapping[str, bytes], ctx: Context
) -> Failure:
    """Report the errors of patterns but the last, which is returned. Patterns of -f have the file and the line."""
    typed = "\n".join(options.patterns if operand is None else [operand])
    own = set(typed.encode("utf-8", "surrogateescape").split(b"\n"))
    messages = []
    for pattern, message in error.errors:
        place = "" if pattern in own else _place(pattern, files)
        messages.append(place + message)
    for message in messages[:-1]:
        ctx.error(message)
    return Failure(messages[-1])


def _place(pattern: bytes, files: Mapping[str, bytes]) -> str:
    """Return "FILE:LINE: " of the first line with a pattern."""
    for name, data in files.items():
        lines = data.split(b"\n")
        if pattern in lines:
            return f"{name}:{lines.index(pattern) + 1}: "
    return ""


def make_spec(
    options: Options, name: str, pattern: str | None, ctx: Context, files: dict[str, bytes]
) -> Spec:
    """Return the search for the patterns of -e, -f or the first operand; ``files`` receives those of -f. Raises Failure."""
    kinds = set(options.kinds)
    if name in ("egrep", "fgrep"):
        kinds.add("E" if name == "egrep" else "F")
    if len(kinds) > 1:
        raise Failure("conflicting matchers specified")
    texts = list(options.patterns) if pattern is None else [pattern]
    lines: dict[bytes, None] = {}
    for text in texts:
        for part in splits(text.encode("utf-8", "surrogateescape"), b"\n", ctx.charge):
            lines |= dict.fromkeys(part)
    for file in options.pattern_files:
        try:
            with ctx.open(file) as reader:
                data = reader.read_all()
        except OSError as error:
            raise Failure(f"{file}: {error_text(error)}") from None
        files[file] = data
        if data:
            for part in splits(data.removesuffix(b"\n"), b"\n", ctx.charge):
                lines |= dict.fromkeys(part)
    return Spec(
        kinds.pop() if kinds else "G",
        tuple(lines),
        options.icase,
        options.words and not options.lines,
        options.lines,
        options.zero,
    )
