"""Options by which a program starts another one: ``tar --to-command``, ``sort --compress-program``, ``rsync -e``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sandhook.record import Record
from sandhook.vetting.call import Call, is_beginning
from sandhook.vetting.values import Value


class Options(Record):
    """The options of a program that matter here.

    Args:
        commands: Long options whose argument is a command line; getopt_long takes any beginning of them, too.
        others: Long options that are a beginning of one of ``commands``, and something else.
        letters: Short options whose argument is a command line.
        attached: Short options whose argument is a command line, and never the next word.
        taking: Other short options with an argument.
        bundled: True if the first word may be letters without a dash, as in ``tar xIf``.
        leading: True if all options stand before the first operand.
    """

    commands: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    letters: str = ""
    attached: str = ""
    taking: str = ""
    bundled: bool = False
    leading: bool = False


_TAR = Options(
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
_TERMINAL = Options(commands=("--command", "--execute"), letters="ex", taking="Tt")

_PROGRAMS: Mapping[str, Options] = {
    **dict.fromkeys(("tar", "gtar", "bsdtar"), _TAR),
    "cpio": Options(commands=("--rsh-command",), taking="CDEFHIMOR"),
    "sort": Options(commands=("--compress-program",), taking="kSTot"),
    "split": Options(commands=("--filter",), taking="abClnt"),
    "rg": Options(commands=("--pre",), others=("--pre-glob",), taking="ABCEMTefgjmrt"),
    "wget": Options(commands=("--use-askpass",), taking="ABDGIOPQRTUaeilotw"),
    "rsync": Options(commands=("--rsh", "--rsync-path"), letters="e", taking="BMTf"),
    "scp": Options(letters="S", taking="FJPcilo"),
    "zip": Options(commands=("--unzip-command", "-TT"), taking="bnitxs"),
    "man": Options(commands=("--pager", "--html"), letters="P", taking="CELMRSemrs"),
    "tcpdump": Options(commands=("--postrotate-command",), letters="z", taking="BCEFGMTVWcijmrswy"),
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

#: The options of env.
ENV = Options(commands=("--split-string",), letters="S", taking="Cu", leading=True)

#: The options of the commands of git.
GIT: Mapping[str, Options] = {
    "rebase": Options(commands=("--exec",), letters="x", taking="CXs"),
    "grep": Options(commands=("--open-files-in-pager",), attached="O", taking="ABCefm"),
    "difftool": Options(commands=("--extcmd",), letters="x", taking="GSt"),
    "archive": Options(commands=("--exec",), taking="o"),
    "push": Options(commands=("--receive-pack", "--exec"), taking="o"),
    "send-pack": Options(commands=("--receive-pack", "--exec")),
    "clone": Options(commands=("--upload-pack",), letters="u", taking="bcjo"),
    **dict.fromkeys(("fetch", "pull"), Options(commands=("--upload-pack",), taking="josX")),
    **dict.fromkeys(("ls-remote", "fetch-pack"), Options(commands=("--upload-pack", "--exec"), taking="o")),
}


def started(call: Call) -> Iterator[Value]:
    """Yield the command lines that the options of a program have it start."""
    if call.name == "flock":
        yield from _after_lock(call.words)
    elif (options := _PROGRAMS.get(call.name)) is not None:
        yield from commands_in(call.words, options)


def commands_in(arguments: Sequence[Value], options: Options) -> Iterator[Value]:
    """Yield the command lines that options among these words have a program start."""
    words = iter(arguments)
    for index, word in enumerate(words):
        text = word.any_text
        if text == "--":
            return
        if text in options.commands:
            yield from _command(text, next(words, None))
        elif text[:2] == "--":
            name, equals, value = text.partition("=")
            if _is_command(name, options):
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
        elif options.leading:
            return


def _after_lock(arguments: Sequence[Value]) -> Iterator[Value]:
    """Yield the text of ``flock FILE -c TEXT``; what follows the file otherwise is a command with its own options."""
    texts = [word.any_text for word in arguments]
    at = 0
    while at < len(texts) and texts[at][:1] == "-":
        at += 2 if texts[at] in ("-w", "-E", "--wait", "--timeout", "--conflict-exit-code") else 1
    if texts[at + 1 : at + 2] in (["-c"], ["--command"]):
        yield from arguments[at + 2 : at + 3]


def _is_command(name: str, options: Options) -> bool:
    return name not in options.others and any(is_beginning(name, command) for command in options.commands)


def _command(name: str, argument: Value | None) -> Iterator[Value]:
    """Yield the command line of a long option."""
    if argument is None:
        return
    if "--checkpoint-action".startswith(name):
        if argument.any_text.startswith("exec="):
            yield Value((argument.any_text.removeprefix("exec="),), argument.origins)
        return
    yield argument


def _in_group(letters: str, word: Value, words: Iterator[Value], options: Options) -> Iterator[Value]:
    """Yield the command line of a letter in a group such as ``-xIf``."""
    for index, letter in enumerate(letters):
        rest = letters[index + 1 :]
        if letter in options.attached:
            if rest:
                yield Value((rest,), word.origins)
            return
        if letter in options.letters or letter in options.taking:
            argument = Value((rest,), word.origins) if rest else next(words, None)
            if letter in options.letters and argument is not None:
                yield argument
            return
