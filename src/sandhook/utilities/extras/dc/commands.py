"""The commands of dc, by the letters of a text.

Oracle: GNU dc 1.4.1 (of bc 1.07.1). Divergence: L-DC-001, "!" runs no command.
"""

from __future__ import annotations

from collections.abc import Callable

from sandhook.utilities.extras.bc_number import NumberError, compare
from sandhook.utilities.extras.dc.machine import BLANKS, DIGITS, DcError, Machine, Operation


def run_text(machine: Machine, text: str) -> bool:
    """Execute a text; return False when it ends the program."""
    machine.frames = [(text, 0)]
    while True:  # Python 3.11 specializes no loop whose condition is at its end
        if not machine.frames:
            return True
        machine.ctx.charge()
        code, at = machine.frames[-1]
        while at < len(code) and code[at] in BLANKS:
            at += 1
        if at >= len(code):
            machine.frames.pop()
            continue
        try:
            if not _command(machine, code, at):
                return False
        except DcError as problem:
            machine.ctx.error(str(problem))
        except NumberError as error:
            machine.ctx.error(str(error).lower())


def _command(machine: Machine, code: str, at: int) -> bool:
    """Execute the command at an offset; return False at the end of the program."""
    letter = code[at]
    machine.go_to(at + 1)
    if letter in DIGITS or letter in "._":
        machine.read_number(code, at)
    elif letter == "q":
        return machine.quit(2)
    elif letter in _SIMPLE:
        _SIMPLE[letter](machine)
    elif letter in _WITH_TEXT:
        _WITH_TEXT[letter](machine, code, at)
    elif letter in _WITH_REGISTER:
        _WITH_REGISTER[letter](machine, _register(machine, code, at + 1))
    else:
        _unknown_command(machine, letter)
    return True


def _unknown_command(machine: Machine, letter: str) -> None:
    """Report an unknown command, on both streams as GNU's dc does."""
    machine.ctx.flush()
    for byte in letter.encode("utf-8", "surrogateescape"):
        machine.ctx.process.write_error(f"{machine.ctx.name}: ".encode())
        byte_text = f"'{chr(byte)}' (0{byte:o})" if byte < 128 else f"0{byte:o}"
        machine.ctx.write_line(f"{byte_text} unimplemented")


def _register(machine: Machine, code: str, at: int) -> str:
    """Parse the name of a register."""
    name = code[at : at + 1]
    machine.go_to(at + 1)
    if not name:
        raise DcError("unexpected EOS")
    return name


def _exclamation(machine: Machine, code: str, at: int) -> None:
    """Execute a negated comparison; another "!" would run a command of the shell."""
    letter = code[at + 1 : at + 2]
    if letter not in _COMPARISONS:
        _skip_line(machine, code, at + 2)
        raise DcError("! runs no commands here")
    _compare(machine, letter, _register(machine, code, at + 2), negated=True)


def _skip_line(machine: Machine, code: str, at: int) -> None:
    end = code.find("\n", at)
    machine.go_to(len(code) if end < 0 else end)


def _compare(machine: Machine, letter: str, name: str, *, negated: bool = False) -> None:
    """Execute a register when the comparison of two numbers is true."""
    a, b = machine.pair()
    if _COMPARISONS[letter](compare(b, a)) != negated:
        machine.execute_value(machine.top_of(name))


def _calculation(operation: Operation) -> Callable[[Machine], None]:
    return lambda machine: machine.arithmetic(operation)


def _comparison(letter: str) -> Callable[[Machine, str], None]:
    return lambda machine, name: _compare(machine, letter, name)


#: Decides by the order of two numbers, -1, 0 or 1.
_COMPARISONS: dict[str, Callable[[int], bool]] = {
    "<": lambda order: order < 0, ">": lambda order: order > 0, "=": lambda order: order == 0,
}  # fmt: skip
_SIMPLE: dict[str, Callable[[Machine], None]] = {
    "+": _calculation(Machine.add), "-": _calculation(Machine.subtract), "*": _calculation(Machine.multiply),
    "/": _calculation(Machine.divide), "%": _calculation(Machine.remainder),
    "~": _calculation(Machine.quotient_and_remainder), "^": _calculation(Machine.power),
    "I": Machine.get_input_base, "O": Machine.get_output_base, "K": Machine.get_scale,
    "|": Machine.modular, "v": Machine.root, "p": Machine.print_, "f": Machine.print_all,
    "n": Machine.pop_and_print, "P": Machine.print_bytes, "d": Machine.duplicate, "c": Machine.clear, "r": Machine.swap,
    "R": Machine.rotate, "z": Machine.depth, "a": Machine.character, "x": Machine.execute, "?": Machine.execute_input_line,
    "i": Machine.set_input_base, "o": Machine.set_output_base, "k": Machine.set_scale, "Z": Machine.length,
    "X": Machine.scale_of, "Q": Machine.leave,
}  # fmt: skip
#: Commands that read on in the text; they get the text and the offset of their letter.
_WITH_TEXT: dict[str, Callable[[Machine, str, int], None]] = {
    "[": Machine.read_string, "#": _skip_line, "!": _exclamation,
}  # fmt: skip
#: Commands that are followed by the name of a register.
_WITH_REGISTER: dict[str, Callable[[Machine, str], None]] = {
    **{letter: _comparison(letter) for letter in _COMPARISONS},
    "s": Machine.store, "S": Machine.push_register, "l": Machine.load, "L": Machine.pop_register,
    ":": Machine.store_element, ";": Machine.load_element,
}  # fmt: skip
