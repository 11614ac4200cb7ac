"""less: show files page by page. Without a terminal, it copies them.

Oracle: less 590, which copies its input as cat does when its output is not a terminal. Divergence: L-MORE-001, the
options have no effect, also those that name files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sandhook.command.context import Context
from sandhook.command.links import resolve
from sandhook.command.options import Inform, Option, also, opt, option_set, options_by_flag
from sandhook.utilities.lines.cat import plain_copy
from sandhook.version import __version__
from sandhook.vfs.errors import error_text

RAW = True  # a wrong option is reported and skipped, and a cluster may continue after an option-argument

#: The version of less whose options these are.
VERSION = 590

_NO_SCREEN = "there is no screen"

#: Options of the display without an argument.
_FLAGS = (
    ("-a", "--search-skip-screen", "-A", "--SEARCH-SKIP-SCREEN"),
    ("-B", "--auto-buffers"),
    ("-c", "--clear-screen", "-C", "--CLEAR-SCREEN"),
    ("-d", "--dumb"),
    ("-e", "--quit-at-eof", "-E", "--QUIT-AT-EOF"),
    ("-f", "--force"),
    ("-F", "--quit-if-one-screen"),
    ("-g", "--hilite-search", "-G", "--HILITE-SEARCH"),
    ("-i", "--ignore-case", "-I", "--IGNORE-CASE"),
    ("-J", "--status-column"),
    ("-K", "--quit-on-intr"),
    ("-L", "--no-lessopen"),
    ("-m", "--long-prompt", "-M", "--LONG-PROMPT"),
    ("-n", "--line-numbers", "-N", "--LINE-NUMBERS"),
    ("-q", "--quiet", "--silent", "-Q", "--QUIET", "--SILENT"),
    ("-r", "--raw-control-chars", "-R", "--RAW-CONTROL-CHARS"),
    ("-s", "--squeeze-blank-lines"),
    ("-S", "--chop-long-lines"),
    ("-u", "--underline-special", "-U", "--UNDERLINE-SPECIAL"),
    ("-w", "--hilite-unread", "-W", "--HILITE-UNREAD"),
    ("-X", "--no-init"),
    ("-~", "--tilde"),
    ("--file-size",),
    ("--follow-name",),
    ("--incsearch",),
    ("--mouse",),
    ("--no-keypad",),
    ("--no-histdups",),
    ("--save-marks",),
    ("--use-backslash",),
    ("--use-color",),
)
#: The text of an option-argument in a cluster, by its name in Options; any other text goes up to a "$".
_ARGUMENTS = {
    "NUMBER": re.compile(r" *(-?[0-9]+)"),
    "LINE": re.compile(r" *(-?[0-9]*(?:\.[0-9]*)?)"),
    "COLUMNS": re.compile(r" *([0-9.,]*)"),
}
_TEXT = re.compile(r"([^$]*)\$?", re.DOTALL)

#: Characters between the letters of a cluster: -+F resets an option, "$" ends a text.
_SEPARATORS = frozenset("+!-$ \t")


@option_set
class Options:
    """less [OPTION]... [+COMMAND]... [FILE]...

    Copy each FILE, or standard input, because there is no terminal. +COMMAND has no effect.
    """

    display: bool = also(*(opt(*flags, ignored=_NO_SCREEN) for flags in _FLAGS))
    value: str | None = also(
        opt("-b", "--buffers", "NUMBER", ignored=_NO_SCREEN),
        opt("-D", "--color", "COLOR", ignored=_NO_SCREEN),
        opt("-h", "--max-back-scroll", "NUMBER", ignored=_NO_SCREEN),
        opt("-j", "--jump-target", "LINE", ignored=_NO_SCREEN),
        opt("-k", "--lesskey-file", "FILE", ignored=_NO_SCREEN),
        opt("-o", "--log-file", "FILE", ignored="the output is in no log"),
        opt("-O", "--LOG-FILE", "FILE", ignored="the output is in no log"),
        opt("-p", "--pattern", "REGEX", ignored=_NO_SCREEN),
        opt("-P", "--prompt", "TEXT", ignored=_NO_SCREEN),
        opt("-t", "--tag", "TAG", ignored=_NO_SCREEN),
        opt("-T", "--tag-file", "FILE", ignored=_NO_SCREEN),
        opt("-x", "--tabs", "COLUMNS", ignored=_NO_SCREEN),
        opt("-y", "--max-forw-scroll", "NUMBER", ignored=_NO_SCREEN),
        opt("-z", "--window", "NUMBER", ignored=_NO_SCREEN),
        opt('-"', "--quotes", "CHARACTERS", ignored=_NO_SCREEN),
        opt("-#", "--shift", "COLUMNS", ignored=_NO_SCREEN),
        opt("--line-num-width", "NUMBER", ignored=_NO_SCREEN),
        opt("--rscroll", "CHARACTER", ignored=_NO_SCREEN),
        opt("--status-col-width", "NUMBER", ignored=_NO_SCREEN),
        opt("--wheel-lines", "NUMBER", ignored=_NO_SCREEN),
    )
    inform: str = also(
        opt("-?", "--help", help="show this help", const="help"),
        opt("-V", "--version", help="show the version", const="version"),
    )


_OPTIONS = options_by_flag(Options)


def run(_: None, arguments: Sequence[str], ctx: Context) -> int:
    """Copy each FILE, or standard input; options of the display have no effect."""
    rest = list(reversed(arguments))
    while rest and (rest[-1][:1] == "+" or (rest[-1][:1] == "-" and rest[-1] != "-")):
        word = rest.pop()
        if word == "--":
            break
        if word[0] == "-":
            errors = _parse_long(word[2:], rest) if word[:2] == "--" else _parse_letters(word[1:], rest)
            try:
                messages = list(errors)
            except Inform as inform:
                if inform.topic != "version":
                    raise
                ctx.write_line(f"less {VERSION} (sandhook {__version__})")  # scripts compare the second word
                return 0
            for message in messages:
                ctx.process.write_error(f"{message}\n".encode("utf-8", "surrogateescape"))
    printed: set[str] = set()
    for name in reversed(rest or ["-"]):
        path = name if name == "-" else _resolve(name, ctx)
        if path in printed:
            continue  # less keeps each file once
        printed.add(path)
        try:
            with ctx.open(name) as reader:
                plain_copy(reader, ctx)
        except OSError as error:
            text = error_text(error)
            ctx.write_line(f"{name} is a directory" if text == "Is a directory" else f"{name}: {text}")
    return 0


def _resolve(name: str, ctx: Context) -> str:
    try:
        return resolve(ctx, name, missing="all")
    except OSError:
        return name


def _parse_letters(letters: str, rest: list[str]) -> Iterator[str]:
    """Read a cluster of short options; yield less's messages for wrong ones. Raises Inform.

    Args:
        letters: The word without its dash.
        rest: The words after it, in reverse order. An option-argument is popped.
    """
    while letters:
        letter = letters[0]
        if letter in _SEPARATORS:
            letters = letters[1:]
            continue
        if letter.isdecimal() and letter.isascii():
            letters = "z" + letters  # -5 is -z5
            letter = "z"
        letters = letters[1:]
        option = _OPTIONS.get(f"-{letter}")
        if option is None:
            yield f'There is no -{letter} option ("less --help" for help)'
            return
        if option.field == "inform":
            raise Inform(option.const)
        if option.metavar is None:
            continue
        if not letters:
            yield from _pop_argument(option, rest)
            continue
        match = _ARGUMENTS.get(option.metavar, _TEXT).match(letters)
        if match is None:
            yield f"Number is required after -{letter}"
            return
        letters = letters[match.end() :]


def _parse_long(word: str, rest: list[str]) -> Iterator[str]:
    """Read a long option, which may be shortened; yield less's message for a wrong one. Raises Inform."""
    name, equals, value = word.partition("=")
    exact = _OPTIONS.get(f"--{name}")
    matches = [exact] if exact else [_OPTIONS[flag] for flag in _OPTIONS if flag.startswith(f"--{name}")]
    options = list(dict.fromkeys(matches))
    if not options:
        yield f'There is no {name} option ("less --help" for help)'
    elif len(options) > 1:
        yield f'{name} is an ambiguous abbreviation ("less --help" for help)'
    elif options[0].metavar is None:
        if equals:
            yield f"The {word} option should not be followed by ="
        elif options[0].field == "inform":
            raise Inform(options[0].const)
    else:
        if equals:
            rest.append(value)
        yield from _pop_argument(options[0], rest)


def _pop_argument(option: Option, rest: list[str]) -> Iterator[str]:
    """Pop the argument of an option; yield less's message for a missing or wrong one."""
    *letters, long = option.flags
    title = f"{letters[0]} ({long})" if letters else long
    if not rest:
        yield f"Value is required after {title}"
    elif _ARGUMENTS.get(option.metavar or "", _TEXT).match(rest.pop()) is None:
        yield f"Number is required after {title}"
