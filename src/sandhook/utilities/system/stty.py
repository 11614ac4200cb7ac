"""stty: print and change the settings of a terminal. It is an error, because there is no terminal.

Source: POSIX.1-2024 XCU 3, stty. Oracle: GNU coreutils 9.1.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.operands import reason
from sandhook.command.options import OptionError, Syntax, UsageError, opt, option_set

RAW = True  # settings may begin with a dash, and an unknown option is an invalid setting

_SAVED = 35  #: colons in the output of -g on Linux
_HEXADECIMAL = frozenset("0123456789abcdef")
_MISSING = "Inappropriate ioctl for device"

_FLAGS = (
    "LCASE", "brkint", "cbreak", "clocal", "cmspar", "cooked", "cread", "crterase", "crtkill", "crtscts", "cstopb",
    "ctlecho", "decctlq", "drain", "echo", "echoctl", "echoe", "echok", "echoke", "echonl", "echoprt", "evenp",
    "extproc", "flusho", "hup", "hupcl", "icanon", "icrnl", "iexten", "ignbrk", "igncr", "ignpar", "imaxbel", "inlcr",
    "inpck", "isig", "istrip", "iuclc", "iutf8", "ixany", "ixoff", "ixon", "lcase", "litout", "nl", "noflsh", "ocrnl",
    "oddp", "ofdel", "ofill", "olcuc", "onlcr", "onlret", "onocr", "opost", "parenb", "parity", "parmrk", "parodd",
    "pass8", "prterase", "raw", "tabs", "tandem", "tostop", "xcase",
)  # fmt: skip
_WITHOUT_DASH = (
    "bs0", "bs1", "cr0", "cr1", "cr2", "cr3", "crt", "cs5", "cs6", "cs7", "cs8", "dec", "ek", "ff0", "ff1", "nl0",
    "nl1", "sane", "size", "speed", "tab0", "tab1", "tab2", "tab3", "vt0", "vt1",
)  # fmt: skip
_WITH_ARGUMENT = (
    "cols", "columns", "discard", "eof", "eol", "eol2", "erase", "flush", "intr", "ispeed", "kill", "line", "lnext",
    "min", "ospeed", "quit", "rows", "rprnt", "start", "stop", "susp", "swtch", "time", "werase",
)  # fmt: skip
_SPEEDS = (
    "0", "50", "75", "110", "134", "134.5", "150", "200", "300", "600", "1200", "1800", "2400", "4800", "9600",
    "19200", "exta", "38400", "extb", "57600", "115200", "230400", "460800", "500000", "576000", "921600", "1000000",
    "1152000", "1500000", "2000000", "2500000", "3000000", "3500000", "4000000",
)  # fmt: skip
OPERAND_WORDS = {
    "Settings, with a dash to switch them off": _FLAGS,
    "Settings without a dash": _WITHOUT_DASH,
    "Settings with an argument": _WITH_ARGUMENT,
    "Speeds": _SPEEDS,
}
_SETTINGS = frozenset((*_FLAGS, *(f"-{flag}" for flag in _FLAGS), *_WITHOUT_DASH, *_WITH_ARGUMENT, *_SPEEDS))


@option_set
class Options:
    """stty [-a | -g] [-F DEVICE] [SETTING]...

    Print or change settings of the terminal of standard input.
    """

    all_: bool = opt("-a", "--all", help="print all settings")
    save: bool = opt("-g", "--save", help="print the settings in a format that stty can read")
    devices: tuple[str, ...] = opt(
        "-F", "--file", "DEVICE", "use this terminal instead of standard input", append=True
    )


_SYNTAX = Syntax(Options, is_operand=_SETTINGS.__contains__)


def run(_: None, arguments: Sequence[str], ctx: Context) -> int:
    """Raise Failure, because no stream is a terminal, or UsageError."""
    try:
        options, settings = _SYNTAX.parse(arguments)
    except OptionError as error:
        raise UsageError(f"invalid argument '{error.word}'") from None
    if len(options.devices) > 1:
        raise Failure("only one device may be specified")
    if options.all_ and options.save:
        raise Failure("the options for verbose and stty-readable output styles are\nmutually exclusive")
    if settings and (options.all_ or options.save):
        raise Failure("when specifying an output style, modes may not be set")
    _check(settings)
    for device in options.devices:
        try:
            ctx.open(device).close()
        except OSError as error:
            raise Failure(f"{device}: {reason(error)}") from None
        raise Failure(f"{device}: {_MISSING}")
    raise Failure(f"'standard input': {_MISSING}")


def _check(settings: Sequence[str]) -> None:
    """Raise UsageError for a word that is not a setting, and for a setting without its argument."""
    words = iter(settings)
    for word in words:
        if word not in _SETTINGS and not _is_saved(word):
            raise UsageError(f"invalid argument '{word}'")
        if word in _WITH_ARGUMENT and next(words, None) is None:
            raise UsageError(f"missing argument to '{word}'")


def _is_saved(word: str) -> bool:
    """Return True for what ``stty -g`` prints: numbers in hexadecimal, separated by colons."""
    pieces = word.split(":")
    return len(pieces) == _SAVED + 1 and all(piece and set(piece) <= _HEXADECIMAL for piece in pieces)
