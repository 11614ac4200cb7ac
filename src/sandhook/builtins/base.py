"""Shared by all built-ins: the decorator, option parsing, usage errors, output.

A built-in is a module with ``run(state, argv) -> int``, made by ``@builtin(USAGE)``. The decorator
turns a ``BuiltinError`` into bash's message ("bash: line 1: cd: gone: No such file or directory") and its
exit status, so a built-in just raises. Only declaration built-ins receive ``Assigned`` arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps

from sandhook.limits import PIECE, check_clock
from sandhook.record import Record
from sandhook.state.control import Discard, ExitShell, ShellError, UsageExit
from sandhook.state.state import Interpreter, State
from sandhook.text.names import is_name
from sandhook.typed import Any, Literal, NoReturn, TypeAlias
from sandhook.vfs.errors import error_text

USAGE_STATUS = 2  #: bash's EX_USAGE

Run: TypeAlias = Callable[[State, Sequence[Any]], int]

_NO_OTHERS: Mapping[str, str] = {}


class BuiltinError(Exception):
    """A built-in fails: bash's message (without the name of the built-in) and the exit status.

    Attributes:
        usage: The usage line follows the message, and the status is 2.
        ends: "unit" drops the rest of the script's input unit, as bash does after ``shift 1 2``.
        own: An error of the shell itself; its message is printed without the name of the built-in.
    """

    def __init__(
        self,
        message: str,
        status: int = 1,
        *,
        usage: bool = False,
        ends: Literal["command", "unit"] = "command",
        own: ShellError | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = USAGE_STATUS if usage else status
        self.usage = usage
        self.ends = ends
        self.own = own


class HelpWanted(Exception):
    """``--help``: usage and description are printed to standard output, with status 2."""


def builtin(usage: str, others: Mapping[str, str] = _NO_OTHERS) -> Callable[[Run], Run]:
    """Decorate ``run`` to report what it raises: BuiltinError, ShellError, and a failed write.

    Args:
        usage: bash's usage line.
        others: Usage lines of other names that share the module.
    """

    def decorate(run: Run) -> Run:
        @wraps(run)
        def guarded(state: State, argv: Sequence[Any]) -> int:
            try:
                return run(state, argv)
            except BuiltinError as error:
                return fatal_error(state, argv[0], error, others.get(argv[0], usage))
            except HelpWanted:
                from sandhook.builtins.names.topics import description

                name = argv[0]
                write(state, f"{name}: {usage_of(name, others.get(name, usage))}\n    {description(name)}\n")
                return USAGE_STATUS
            except ShellError as error:
                if error.names_builtin:
                    raise error.named(argv[0]) from None
                if error.ends_callers:
                    raise
                runtime(state).assignment_error(state, error)
                return error.status

        return guarded

    return decorate


def fatal_error(state: State, name: str, error: BuiltinError, usage: str = "") -> int:
    """Print the error of a built-in, and return its status."""
    print_builtin_error(state, name, error)
    if error.usage:
        show_usage(state, name, usage)
    if error.ends == "unit" and state.invocation.input == "string":
        raise ExitShell(error.status) from None  # bash drops all of the text of -c
    if error.ends == "unit":
        raise Discard(error.status, top=True) from None
    return misused(state, name, usage=True) if error.status == USAGE_STATUS else error.status


def print_builtin_error(state: State, name: str, error: BuiltinError) -> None:
    """Print an error, with the name of the built-in unless it is an error of the shell itself."""
    if error.own is not None:
        runtime(state).assignment_error(state, error.own)
    else:
        print_error(state, f"{name}: {error.message}")


def misused(state: State, name: str, status: int = USAGE_STATUS, *, usage: bool = False) -> int:
    """Return the status of a wrong use. In posix mode, one of a special built-in raises UsageExit.

    Args:
        state: The state of the shell.
        name: The built-in.
        status: The status.
        usage: It is a usage error: as in bash, the shell goes on if there is an ERR trap, and in a condition.
    """
    if usage:
        called_in_text = state.eval_in_condition or any(frame.sourced for frame in state.frames)
        if state.traps.get("ERR") or (state.errexit_suppressed and not called_in_text):
            return status
    if state.options.posix and name in state.shell.commands.special:
        raise UsageExit(status)
    return status


def usage_of(name: str, usage: str) -> str:
    """Return the usage line for ``name``, which may share it with another name (source, readarray)."""
    return name + usage[len(usage.split(" ", 1)[0]) :]


def show_usage(state: State, name: str, usage: str) -> None:
    """Write bash's usage line to standard error."""
    write_error(state, f"{name}: usage: {usage_of(name, usage)}\n")


# --------------------------------------------------------------------------- output


def write(state: State, text: str) -> None:
    """Write to standard output. Raises BuiltinError ("write error: ...", status 1), BrokenPipe."""
    if not text:
        return
    data = text.encode("utf-8", "surrogateescape")
    state.budget.charge(1 + (len(data) >> 10))
    try:
        state.process.descriptor(1).write(data)
    except OSError as error:
        raise BuiltinError(f"write error: {error_text(error)}") from None


def write_unchecked(state: State, text: str) -> None:
    """Write to standard output as built-ins do that do not look whether it worked. Raises BrokenPipe."""
    try:
        write(state, text)
    except BuiltinError:
        return


def write_error(state: State, text: str) -> None:
    """Write text to standard error, unchanged; does nothing when that is not writable."""
    state.process.write_error(text.encode("utf-8", "surrogateescape"))


def print_error(state: State, text: str) -> None:
    """Write ``bash: line N: text`` to standard error."""
    runtime(state).error(state, text)


def runtime(state: State) -> Interpreter:
    """Return the interpreter that owns this state."""
    return state.shell


# --------------------------------------------------------------------------- arguments


class ParsedOption(Record):
    """An option: its letter, its option-argument ("" without), and whether it began with ``+``."""

    letter: str
    argument: str
    plus: bool = False


def parse(argv: Sequence[str], letters: str, *, plus: bool = False) -> tuple[list[ParsedOption], list[str]]:
    """Split a built-in's arguments into options and operands, as bash's internal_getopt does.

    Args:
        argv: With the built-in's name first.
        letters: Known options; ":" after a letter means that it takes an option-argument, ";" that one may
            follow it.
        plus: ``+x`` is an option too (declare).

    Raises:
        BuiltinError: An unknown option, or a missing option-argument (usage, status 2).
        HelpWanted: ``--help``.
    """
    options: list[ParsedOption] = []
    index = 1
    count = len(argv)
    while index < count:
        word = argv[index]
        lead = word[:1]
        if len(word) < 2 or not (lead == "-" or (plus and lead == "+")):
            break
        if word == "--":
            index += 1
            break
        if word == "--help":
            raise HelpWanted
        index += 1
        offset = 1
        while offset < len(word):
            letter = word[offset]
            offset += 1
            position = letters.find(letter) if letter not in (":", ";") else -1
            if position < 0:
                raise BuiltinError(f"{lead}{letter}: invalid option", usage=True)
            takes = letters[position + 1 : position + 2]
            alone = takes == ";" and offset == len(word) and (index == count or argv[index][:1] == "-")
            if takes not in (":", ";") or alone:
                options.append(ParsedOption(letter, "", lead == "+"))
                continue
            if offset < len(word):
                options.append(ParsedOption(letter, word[offset:], lead == "+"))
            elif index < count:
                options.append(ParsedOption(letter, argv[index], lead == "+"))
                index += 1
            else:
                raise BuiltinError(f"{lead}{letter}: option requires an argument", usage=True)
            break
    return options, list(argv[index:])


def no_options(argv: Sequence[str]) -> list[str]:
    """Return the operands of a built-in that has no options; ``--`` is skipped.

    Raises:
        BuiltinError: Any option (usage, status 2).
    """
    return parse(argv, "")[1]


def number_operands(argv: Sequence[str]) -> list[str]:
    """Return the operands of a built-in that takes one number, which may be negative.

    Raises:
        HelpWanted: ``--help``.
    """
    if len(argv) > 1 and argv[1] == "--help":
        raise HelpWanted
    return list(argv[2:] if len(argv) > 1 and argv[1] == "--" else argv[1:])


def numeric(text: str) -> int | None:
    """Parse a decimal number as bash's legal_number does: blanks around it, a sign, 64 bits."""
    if len(text) < 19 and text.isdigit() and text.isascii():  # nearly all of them
        return int(text)
    digits = text.strip(" \t\n")
    unsigned = digits[1:] if digits[:1] in ("-", "+") else digits
    if not (unsigned.isascii() and unsigned.isdigit()) or len(unsigned) > 40:
        return None
    value = int(digits)
    return value if -(1 << 63) <= value < 1 << 63 else None


def count_argument(operands: Sequence[str], default: int) -> int:
    """Return the one optional number of shift, break, continue.

    Raises:
        BuiltinError: More than one operand (drops the input unit), or not a number.
    """
    if not operands:
        return default
    value = numeric(operands[0])
    if value is None:
        raise BuiltinError(f"{operands[0]}: numeric argument required")
    if len(operands) > 1:
        raise BuiltinError("too many arguments", ends="unit")
    return value


def invalid_name(text: str) -> BuiltinError:
    """Return bash's error for a word that cannot name a variable."""
    return BuiltinError(f"`{text}': not a valid identifier")


_BRACKETS_AND_QUOTES = frozenset("[]'\"`\\")


def split_reference(text: str) -> tuple[str, str | None] | None:
    """Split ``name`` or ``name[subscript]``; None when it is neither."""
    if is_name(text):
        return text, None
    name, bracket, rest = text.partition("[")
    if bracket and rest[-1:] == "]" and len(rest) > 1 and is_name(name) and _is_balanced(rest[:-1]):
        return name, rest[:-1]
    return None


def _is_balanced(subscript: str) -> bool:
    """Return True when brackets and quotes of a subscript are balanced."""
    if _BRACKETS_AND_QUOTES.isdisjoint(subscript):
        return True
    depth = at = looked = 0
    while at < len(subscript):
        if at - looked > PIECE:
            looked = at
            check_clock()
        letter = subscript[at]
        if letter in "'\"`":
            at += 1
            while at < len(subscript) and subscript[at] != letter:
                if at - looked > PIECE:
                    looked = at
                    check_clock()
                at += 2 if subscript[at] == "\\" and letter != "'" else 1
            if at >= len(subscript):
                return False
        elif letter == "\\":
            at += 1
        elif letter == "[":
            depth += 1
        elif letter == "]":
            depth -= 1
            if depth < 0:
                return False
        at += 1
    return depth == 0 and at == len(subscript)


def unsupported(feature: str, divergence: str) -> NoReturn:
    """Raise the error for a feature that bash has and sandhook does not."""
    raise BuiltinError(f"{feature} is not supported ({divergence})", USAGE_STATUS)
