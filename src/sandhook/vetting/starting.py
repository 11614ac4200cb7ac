"""Options by which a program starts another one: ``tar --to-command``, ``sort --compress-program``, ``rsync -e``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sandhook.record import Record
from sandhook.vetting.call import Call
from sandhook.vetting.values import Value


class _Options(Record):
    """The options of a program that matter here.

    Args:
        commands: Long options whose argument is a command line; getopt_long takes any beginning of them, too.
        others: Long options that are a beginning of one of ``commands``, and something else.
        letters: Short options whose argument is a command line.
        taking: Other short options with an argument.
        bundled: True if the first word may be letters without a dash, as in ``tar xIf``.
    """

    commands: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    letters: str = ""
    taking: str = ""
    bundled: bool = False


_TAR = _Options(
    commands=(
        "--use-compress-program",
        "--to-command",
        "--info-script",
        "--new-volume-script",
        "--rsh-command",
        "--rmt-command",
        "--checkpoint-action",
    ),
    others=("--checkpoint",),
    letters="IF",
    taking="bfCHKLNTVXg",
    bundled=True,
)
_TERMINAL = _Options(commands=("--command", "--execute"), letters="ex", taking="Tt")

_PROGRAMS: Mapping[str, _Options] = {
    **dict.fromkeys(("tar", "gtar", "bsdtar"), _TAR),
    "cpio": _Options(commands=("--rsh-command",), taking="CDEFHIMOR"),
    "sort": _Options(commands=("--compress-program",), taking="kSTot"),
    "split": _Options(commands=("--filter",), taking="abClnt"),
    "rg": _Options(commands=("--pre",), others=("--pre-glob",), taking="ABCEMTefgjmrt"),
    "rsync": _Options(commands=("--rsh", "--rsync-path"), letters="e", taking="BMTf"),
    "scp": _Options(letters="S", taking="FJPcilo"),
    "zip": _Options(commands=("--unzip-command", "-TT"), taking="bnitxs"),
    "man": _Options(commands=("--pager", "--html"), letters="P", taking="CELMRSemrs"),
    "tcpdump": _Options(commands=("--postrotate-command",), letters="z", taking="BCEFGMTVWcijmrswy"),
    **dict.fromkeys(
        (
            "xterm",
            "konsole",
            "alacritty",
            "urxvt",
            "st",
            "gnome-terminal",
            "xfce4-terminal",
            "mate-terminal",
            "lxterminal",
            "kitty",
            "terminator",
        ),
        _TERMINAL,
    ),
}

#: The shortest beginning of a long option that counts: a shorter one stands for several.
_SHORTEST = len("--to")


def started(call: Call) -> Iterator[Value]:
    """Yield the command lines that the options of a program have it start."""
    options = _PROGRAMS.get(call.name)
    if options is None:
        return
    words = iter(call.words)
    for index, word in enumerate(words):
        text = word.any_text
        if text == "--":
            return
        if text in options.commands:
            yield from _command(text, next(words, None))
        elif text[:2] == "--":
            name, equals, value = text.partition("=")
            if _is_beginning(name, options):
                argument = Value((value,), word.origins) if equals else next(words, None)
                yield from _command(name, argument)
        elif text[:1] == "-":
            yield from _in_group(text[1:], word, words, options)
        elif index == 0 and options.bundled:
            for letter in text:
                if letter in options.letters + options.taking:
                    argument = next(words, None)
                    if letter in options.letters and argument is not None:
                        yield argument


def _is_beginning(name: str, options: _Options) -> bool:
    if name in options.others or len(name) < _SHORTEST:
        return False
    return any(command.startswith(name) for command in options.commands)


def _command(name: str, argument: Value | None) -> Iterator[Value]:
    """Yield the command line of a long option."""
    if argument is None:
        return
    if "--checkpoint-action".startswith(name):
        if argument.any_text.startswith("exec="):
            yield Value((argument.any_text.removeprefix("exec="),), argument.origins)
        return
    yield argument


def _in_group(letters: str, word: Value, words: Iterator[Value], options: _Options) -> Iterator[Value]:
    """Yield the command line of a letter in a group such as ``-xIf``."""
    for index, letter in enumerate(letters):
        if letter in options.letters or letter in options.taking:
            rest = letters[index + 1 :]
            argument = Value((rest,), word.origins) if rest else next(words, None)
            if letter in options.letters and argument is not None:
                yield argument
            return
