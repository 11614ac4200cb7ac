"""stty: print and change the settings of a terminal. It is an error, because there is no terminal.

Source: POSIX.1-2024 XCU 3, stty. Oracle: GNU coreutils 9.1.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.operands import reason
from sandhook.command.options import Inform, UsageError, opt, option_set

RAW = True

_SAVED = 35  #: colons in the output of -g on Linux
_HEXADECIMAL = frozenset("0123456789abcdef")
_MISSING = "Inappropriate ioctl for device"

#: Settings that may have a "-", settings without one, and settings with an argument.
_FLAGS = """
    brkint bsdly cbreak clocal cread crtscts crterase crtkill cstopb ctlecho decctlq echo echoctl echoe echok echoke
    echonl echoprt evenp extproc flusho hup hupcl icanon icrnl iexten ignbrk igncr ignpar imaxbel inlcr inpck
    isig istrip iuclc iutf8 ixany ixoff ixon lcase LCASE litout nl noflsh ocrnl ofdel ofill olcuc onlcr onlret onocr
    opost parenb parity parmrk parodd pass8 prterase raw tandem tostop xcase cooked oddp cmspar cdtrdsr
"""
_WITHOUT_SIGN = """
    crt dec drain ek sane size speed cs5 cs6 cs7 cs8
"""
_WITH_ARGUMENT = """
    cols columns discard eof eol eol2 erase intr ispeed kill line lnext min ospeed quit rows rprnt start stop susp
    swtch time werase
"""


@option_set
class Options:
    """stty [-a | -g] [-F DEVICE] [SETTING]...

    Print or change settings of the terminal of standard input.
    """

    all_: bool = opt("-a", "--all", help="all settings", ignored="")
    save: bool = opt("-g", "--save", help="in a format that stty can read", ignored="")
    file: str | None = opt(
        "-F", "--file", "DEVICE", help="the terminal, instead of standard input", ignored=""
    )


def run(_: None, arguments: Sequence[str], ctx: Context) -> int:
    """Raise Failure, because no stream is a terminal, or UsageError."""
    styles: set[str] = set()
    settings: list[str] = []
    device: str | None = None
    words = list(reversed(arguments))
    while words:
        word = words.pop()
        if word in ("--help", "--version"):
            raise Inform(word[2:])
        if word in ("-a", "--all", "-g", "--save"):
            styles.add(word.lstrip("-")[0])
        elif word in ("-F", "--file"):
            if not words:
                raise UsageError(f"invalid argument '{word}'")
            device = words.pop()
        elif word[:7] == "--file=" or (word[:2] == "-F" and len(word) > 2):
            device = word[7:] if word[:2] == "--" else word[2:]
        else:
            settings.append(word)
            if word in _WITH_ARGUMENT.split():
                if not words:
                    raise UsageError(f"missing argument to '{word}'")
                words.pop()
    if len(styles) > 1:
        raise Failure("the options for verbose and stty-readable output styles are\nmutually exclusive")
    if settings and styles:
        raise Failure("when specifying an output style, modes may not be set")
    for word in settings:
        if not _is_setting(word):
            raise UsageError(f"invalid argument '{word}'")
    if device is None:
        raise Failure(f"'standard input': {_MISSING}")
    try:
        ctx.open(device).close()
    except OSError as error:
        raise Failure(f"{device}: {reason(error)}") from None
    raise Failure(f"{device}: {_MISSING}")


def _is_setting(word: str) -> bool:
    if word.isascii() and word.isdigit():
        return True
    if word.count(":") == _SAVED and all(piece and set(piece) <= _HEXADECIMAL for piece in word.split(":")):
        return True
    return (
        word.removeprefix("-") in _FLAGS.split()
        or word in _WITHOUT_SIGN.split()
        or word in _WITH_ARGUMENT.split()
    )
