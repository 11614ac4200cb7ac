"""The options of rg."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sandhook.command.options import UsageError, also, opt, option_set
from sandhook.pattern.errors import PatternError


def _count(name: str) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not (text.isascii() and text.isdigit()):
            why = "invalid digit found in string" if text else "cannot parse integer from empty string"
            raise UsageError(f"Invalid value for '{name} <NUM>': {why}", hint=False)
        if len(text.lstrip("0")) > 18:
            raise UsageError(
                f"Invalid value for '{name} <NUM>': number too large to fit in target type", hint=False
            )
        return int(text)

    return parse


def _lines(kind: str, name: str) -> Callable[[str], tuple[str, int]]:
    parse = _count(name)
    return lambda text: (kind, parse(text))


def _one_of(name: str, *choices: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text not in choices:
            raise UsageError(
                f"'{text}' isn't a valid value for '{name}'\n\t[possible values: {', '.join(sorted(choices))}]",
                hint=False,
            )
        return text

    return parse


def _encoding(text: str) -> str:
    if text.lower() not in ("auto", "none", "utf-8", "utf8"):
        raise UsageError(f"--encoding: '{text}' is not offered", hint=False)
    return text


def _size(text: str) -> int:
    """Parse a number of bytes with an optional suffix."""
    digits = text[:-1] if text[-1:] in ("K", "M", "G") else text
    if not (digits.isascii() and digits.isdecimal() and len(digits) < 19):
        raise PatternError(
            f"invalid format for size '{text}', which should be a sequence of digits followed by an optional 'K', 'M' or 'G' suffix"
        )
    return int(digits) << {"K": 10, "M": 20, "G": 30}.get(text[-1], 0)


def _switch(name: str, negation: str, help_: str, *short: str) -> Any:
    return also(opt(*short, name, help=help_), opt(negation, help=f"undo {name}", const=False))


def _with_kind(kind: str) -> Callable[[str], tuple[str, str]]:
    return lambda text: (kind, text)


@option_set
class Options:
    """rg [OPTION]... PATTERN [PATH]... | rg [OPTION]... -e PATTERN ... [PATH]... | rg --files [PATH]...

    Print the lines of the files at each PATH, or below it, that match the PATTERN, an expression of Rust's. Without
    PATH, search standard input, or the working directory if standard input is empty. Skip files that are hidden, that
    contain NULs, or that .gitignore, .ignore or .rgignore lists.
    """

    patterns: tuple[str, ...] = opt(
        "-e", "--regexp", "PATTERN", "search for PATTERN; can be repeated", append=True
    )
    pattern_files: tuple[str, ...] = opt(
        "-f", "--file", "FILE", "read patterns from FILE, one on each line", append=True
    )
    fixed: bool = _switch("--fixed-strings", "--no-fixed-strings", "patterns are literal strings", "-F")
    case: str = also(
        opt("-i", "--ignore-case", help="ignore case", const="i", default="s"),
        opt("-s", "--case-sensitive", help="do not ignore case", const="s"),
        opt("-S", "--smart-case", help="ignore case if no pattern has a capital", const="S"),
    )
    invert: bool = _switch("--invert-match", "--no-invert-match", "select lines that do not match", "-v")
    bounds: str = also(
        opt("-w", "--word-regexp", help="match whole words only", const="w", default=""),
        opt("-x", "--line-regexp", help="match whole lines only", const="x"),
    )
    multiline: bool = _switch("--multiline", "--no-multiline", "matches may contain newlines", "-U")
    dotall: bool = _switch("--multiline-dotall", "--no-multiline-dotall", "with -U, . matches a newline")
    engine: str = also(
        opt("-P", "--pcre2", help="patterns are Perl's expressions, with lookaround", const="pcre2", default="default"),
        opt("--no-pcre2", help="undo -P", const="default"),
        opt("--auto-hybrid-regex", help="use Perl's expressions if a pattern needs them", const="auto"),
        opt("--no-auto-hybrid-regex", help="undo --auto-hybrid-regex", const="default"),
        opt("--engine", "ENGINE", "use the engine default, auto or pcre2",
            convert=_one_of("--engine <ENGINE>", "auto", "default", "pcre2")),
    )  # fmt: skip
    mode: str = also(
        opt("-c", "--count", help="print how many lines match in each file", const="c", default=""),
        opt("--count-matches", help="print how many matches there are", const="m"),
        opt("-l", "--files-with-matches", help="print names of files that match", const="l"),
        opt("--files-without-match", help="print names of files that do not match", const="L"),
        opt("--json", help="print messages in JSON", const="json"),
    )
    files: bool = opt("--files", help="print the names of the files that would be searched")
    type_list: bool = opt("--type-list", help="print the types of files")
    include_zero: bool = opt("--include-zero", help="with -c, print files without a match too")
    quiet: bool = opt("-q", "--quiet", help="print nothing")
    most: int | None = opt("-m", "--max-count", "NUM", "stop after NUM lines of a file",
                           convert=_count("--max-count"))  # fmt: skip
    contexts: tuple[tuple[str, int], ...] = also(
        opt(
            "-A",
            "--after-context",
            "NUM",
            "print NUM lines after each match",
            convert=_lines("A", "--after-context"),
            append=True,
        ),
        opt(
            "-B",
            "--before-context",
            "NUM",
            "print NUM lines before each match",
            convert=_lines("B", "--before-context"),
            append=True,
        ),
        opt(
            "-C",
            "--context",
            "NUM",
            "print NUM lines around each match",
            convert=_lines("C", "--context"),
            append=True,
        ),
    )
    passthru: bool = opt("--passthru", "--passthrough", help="print all lines")
    numbers: bool | None = also(
        opt("-n", "--line-number", help="print line numbers", default=None),
        opt("-N", "--no-line-number", help="print no line numbers", const=False),
    )
    column: bool = _switch("--column", "--no-column", "print the column of the first match")
    offsets: bool = _switch("--byte-offset", "--no-byte-offset", "print byte offsets", "-b")
    vimgrep: bool = opt("--vimgrep", help="print each match on its own line, with name, line and column")
    only: bool = opt("-o", "--only-matching", help="print only the matches")
    replacement: str | None = opt(
        "-r", "--replace", "TEXT", "print TEXT for matches; $1 and $name are groups"
    )
    names: bool | None = also(
        opt("-H", "--with-filename", help="print names of files", default=None),
        opt("-I", "--no-filename", help="print no names of files", const=False),
    )
    heading: bool | None = also(
        opt("--heading", help="print each name once, above its lines", default=None),
        opt("--no-heading", help="print the name on each line", const=False),
    )
    null: bool = opt("-0", "--null", help="print a NUL after names")
    trim: bool = _switch("--trim", "--no-trim", "drop blanks at the beginning of lines")
    widest: int = opt("-M", "--max-columns", "NUM", "do not print lines longer than NUM bytes",
                      convert=_count("--max-columns"), default=0)  # fmt: skip
    preview: bool = _switch(
        "--max-columns-preview", "--no-max-columns-preview", "with -M, print the beginning of long lines"
    )
    color: str = opt("--color", "WHEN", "color matches: always, ansi, auto or never",
                     convert=_one_of("--color <WHEN>", "always", "ansi", "auto", "never"), default="auto")  # fmt: skip
    pretty: bool = opt("-p", "--pretty", help="--color always --heading --line-number")
    group_separator: str | None = also(
        opt("--context-separator", "TEXT", "separator between groups of lines (--)", default="--"),
        opt("--no-context-separator", help="print no separator between groups", const=None),
    )
    match_separator: str = opt(
        "--field-match-separator", "TEXT", "separator after names and numbers (:)", default=":"
    )
    context_separator: str = opt(
        "--field-context-separator", "TEXT", "separator between fields in context (-)", default="-"
    )
    globs: tuple[tuple[str, str], ...] = also(
        opt(
            "-g",
            "--glob",
            "GLOB",
            "search files that match GLOB, or with ! those that do not",
            convert=_with_kind("g"),
            append=True,
        ),
        opt("--iglob", "GLOB", "like --glob, ignoring case", convert=_with_kind("i"), append=True),
    )
    glob_icase: bool = _switch("--glob-case-insensitive", "--no-glob-case-insensitive", "globs ignore case")
    types: tuple[tuple[str, str], ...] = also(
        opt("-t", "--type", "TYPE", "search only files of TYPE", convert=_with_kind("t"), append=True),
        opt("-T", "--type-not", "TYPE", "skip files of TYPE", convert=_with_kind("T"), append=True),
    )
    type_changes: tuple[tuple[str, str], ...] = also(
        opt("--type-add", "TYPE:GLOB", "add GLOB to a type", convert=_with_kind("add"), append=True),
        opt("--type-clear", "TYPE", "remove all globs of TYPE", convert=_with_kind("clear"), append=True),
    )
    hidden: bool = _switch("--hidden", "--no-hidden", "search hidden files too", "-.")
    unrestricted_: tuple[bool, ...] = opt(
        "-u", "--unrestricted", help="--no-ignore; -uu also --hidden; -uuu also --binary", append=True
    )
    no_ignore: bool = _switch("--no-ignore", "--ignore", "use no ignore files")
    no_ignore_dot: bool = _switch("--no-ignore-dot", "--ignore-dot", "use neither .ignore nor .rgignore")
    no_ignore_vcs: bool = _switch("--no-ignore-vcs", "--ignore-vcs", "use no .gitignore")
    no_ignore_exclude: bool = _switch("--no-ignore-exclude", "--ignore-exclude", "use no .git/info/exclude")
    no_ignore_parent: bool = _switch(
        "--no-ignore-parent", "--ignore-parent", "use no ignore files of directories above"
    )
    no_require_git: bool = _switch(
        "--no-require-git", "--require-git", "use .gitignore outside of repositories"
    )
    no_ignore_files: bool = _switch("--no-ignore-files", "--ignore-files", "use no --ignore-file")
    ignore_file: tuple[str, ...] = opt("--ignore-file", "FILE", "use FILE as an ignore file", append=True)
    ignore_file_icase: bool = _switch(
        "--ignore-file-case-insensitive",
        "--no-ignore-file-case-insensitive",
        "globs of ignore files ignore case",
    )
    follow: bool = _switch("--follow", "--no-follow", "follow symbolic links", "-L")
    max_depth: int | None = opt("-d", "--max-depth", "--maxdepth", "NUM", "descend at most NUM levels of directories",
                                convert=_count("--max-depth"))  # fmt: skip
    max_size_: str | None = opt(
        "--max-filesize", "SIZE", "skip files of directories that are larger than SIZE bytes (K, M, G)"
    )
    order: tuple[str, bool] = also(
        opt("--sort", "KEY", "sort by path, modified, accessed, created or none", default=("path", False),
            convert=lambda text: (_sort_key("--sort <SORTBY>", text), False)),
        opt("--sortr", "KEY", "sort in reverse order",
            convert=lambda text: (_sort_key("--sortr <SORTBY>", text), True)),
    )  # fmt: skip
    text: bool = _switch("--text", "--no-text", "search files with NULs as text", "-a")
    binary: bool = _switch("--binary", "--no-binary", "search files with NULs, and report whether they match")
    no_messages: bool = _switch(
        "--no-messages", "--messages", "print no messages about files that cannot be read"
    )
    encoding: str = opt(
        "-E", "--encoding", "NAME", "decode files as auto, none or utf-8", convert=_encoding, default="auto"
    )
    threads: int | None = opt("-j", "--threads", "NUM", ignored="", convert=_count("--threads"))
    sizes: str | None = also(
        opt("--dfa-size-limit", "SIZE", ignored=""),
        opt("--regex-size-limit", "SIZE", ignored=""),
    )
    ignored_switches: bool = opt(
        "--mmap", "--no-mmap", "--line-buffered", "--no-line-buffered", "--block-buffered", "--no-block-buffered",
        "--no-config", "--one-file-system", "--no-one-file-system", "--no-ignore-global", "--ignore-global",
        "--no-ignore-messages", "--ignore-messages", "--no-stats", "--no-crlf", "--no-pre", "--no-json",
        "--no-search-zip", "--no-encoding", ignored="",
    )  # fmt: skip

    @property
    def max_size(self) -> int | None:
        """Bytes of the largest file of a directory that is searched."""
        return None if self.max_size_ is None else _size(self.max_size_)

    @property
    def unrestricted(self) -> int:
        """The number of -u options."""
        return len(self.unrestricted_)

    @property
    def context(self) -> tuple[int, int]:
        """Lines of context before and after matches. -C overrides earlier -A and -B; these override an earlier -C."""
        before = after = 0
        for at, (kind, count) in enumerate(self.contexts):
            if kind == "C":
                before = after = count
            else:
                if at and self.contexts[at - 1][0] == "C":
                    before = after = 0
                before, after = (before, count) if kind == "A" else (count, after)
        return before, after


def _sort_key(name: str, text: str) -> str:
    return _one_of(name, "accessed", "created", "modified", "none", "path")(text)
