"""tput: print the capabilities of a terminal, and write their control sequences.

Source: POSIX.1-2024 XCU 3, tput. Oracle: ncurses 6.4. Divergence: L-TPUT-001, terminals are dumb or like xterm, and
only the capabilities that scripts use are known.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.options import UsageError, opt, option_set
from sandhook.text.numbers import is_number

USAGE_STATUS = 2
PERMUTE = False

_FAMILY = ("xterm", "screen", "tmux", "linux")
_DUMB = ("dumb",)
_NUMBERS = {"cols": 80, "lines": 24, "it": 8}
_CLEAR_SCROLLBACK = "\033[3J"  #: clears the lines that were scrolled off the screen
_STRINGS = {
    "bold": "\033[1m",
    "dim": "\033[2m",
    "sitm": "\033[3m",
    "ritm": "\033[23m",
    "smul": "\033[4m",
    "rmul": "\033[24m",
    "rev": "\033[7m",
    "smso": "\033[7m",
    "rmso": "\033[27m",
    "blink": "\033[5m",
    "invis": "\033[8m",
    "sgr0": "\033(B\033[m",
    "op": "\033[39;49m",
    "clear": "\033[H\033[2J\033[3J",
    "el": "\033[K",
    "el1": "\033[1K",
    "ed": "\033[J",
    "home": "\033[H",
    "sc": "\0337",
    "rc": "\0338",
    "civis": "\033[?25l",
    "cnorm": "\033[?12l\033[?25h",
    "smcup": "\033[?1049h\033[22;0;0t",
    "rmcup": "\033[?1049l\033[23;0;0t",
    "bel": "\a",
    "cr": "\r",
    "cuu1": "\033[A",
    "cuf1": "\033[C",
    "cub1": "\b",
    "cud1": "\n",
}
_ON_DUMB = ("bel", "cr", "cud1")
_MOVES = {"cuu": "A", "cud": "B", "cuf": "C", "cub": "D"}


_COLOURS = ("setaf", "setab")
_SETUP = ("init", "reset")  #: they configure the terminal, which does not exist
OPERAND_WORDS = {
    "Numbers": (*_NUMBERS, "colors"),
    "Strings": (*_STRINGS, *_SETUP),
    "Strings with parameters": (
        *(f"{name} COLOUR" for name in _COLOURS),
        "cup ROW COLUMN",
        *(f"{name} COUNT" for name in _MOVES),
    ),
}


@option_set
class Options:
    """tput [-T TERM] CAPABILITY [PARAMETER]...

    Print the number of a capability, or write its string.
    """

    lines: bool = opt("-S", "read capabilities from the lines of standard input")
    visible: bool = opt("-x", help="clear keeps the lines that were scrolled off")
    terminal: str | None = opt("-T", "TERM", "the kind of terminal, instead of $TERM")


def is_known(terminal: str) -> bool:
    """Return whether a kind of terminal is known."""
    return terminal in _DUMB or is_smart(terminal)


def is_smart(terminal: str) -> bool:
    """Return whether a kind of terminal understands escape sequences."""
    return terminal.partition("-")[0] in _FAMILY


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0; 1 for a flag that is off, 2 for wrong usage, 3 for an unknown terminal, 4 for a capability."""
    terminal = options.terminal if options.terminal is not None else ctx.environment.get("TERM", "")
    if not terminal:
        raise Failure("No value for $TERM and no -T specified", 2)
    if options.lines:
        with ctx.stdin_reader() as reader:
            operands = [
                word.decode("utf-8", "surrogateescape") for line in reader.lines() for word in line.split()
            ]
    if not is_known(terminal):
        raise Failure(f'unknown terminal "{terminal}"', 3)
    if not operands and not options.lines:
        raise UsageError("no capability was given")
    smart = is_smart(terminal)
    remaining = list(operands)
    while remaining:
        ctx.charge()
        remaining = _write_capability(remaining, terminal, smart, options.visible, ctx)
    return ctx.failed


def _write_capability(words: list[str], terminal: str, smart: bool, visible: bool, ctx: Context) -> list[str]:
    """Write the capability of the first word; return the words after it and its parameters."""
    name = words[0]
    if name in _NUMBERS:
        variable = {"cols": "COLUMNS", "lines": "LINES"}.get(name, "")
        size = ctx.environment.get(variable, "")
        number = int(size) if is_number(size) and 0 < len(size) < 6 and int(size) else _NUMBERS[name]
        ctx.write_line(str(number if smart or name != "it" else -1))
    elif name == "colors":
        ctx.write_line(("256" if "256" in terminal else "8") if smart else "-1")
    elif name in _SETUP:
        pass
    elif name in _STRINGS:
        if smart or name in _ON_DUMB:
            text = _STRINGS[name]
            ctx.write(
                (text.removesuffix(_CLEAR_SCROLLBACK) if visible and name == "clear" else text).encode()
            )
        else:
            ctx.failed = 1
    elif name in ("cup", *_COLOURS, *_MOVES):
        return _with_parameters(words, terminal, smart, ctx)
    else:
        raise Failure(f"unknown terminfo capability '{name}'", 4)
    return words[1:]


def _with_parameters(words: list[str], terminal: str, smart: bool, ctx: Context) -> list[str]:
    name, count = words[0], 2 if words[0] == "cup" else 1
    numbers = []
    for word in words[1 : 1 + count]:
        if not (word.isascii() and word.isdigit() and len(word) < 6):
            break
        numbers.append(int(word))
    end = 1 + len(numbers)
    numbers += [0] * (count - len(numbers))
    if not smart:
        ctx.failed = 1
    elif name == "cup":
        ctx.write(f"\033[{numbers[0] + 1};{numbers[1] + 1}H".encode())
    elif name in _MOVES:
        ctx.write(f"\033[{numbers[0]}{_MOVES[name]}".encode())
    else:
        ctx.write(f"\033[{_colour(numbers[0], name == 'setaf', '256' in terminal)}m".encode())
    return words[end:]


def _colour(number: int, foreground: bool, extended: bool) -> str:
    base = 30 if foreground else 40
    if number < 8 or not extended:
        return str(base + number)
    return str(base + 52 + number) if number < 16 else f"{base + 8};5;{number}"
