"""declare, typeset: set and show variable values and attributes.

Source: bash 5.2 reference manual 4.2.
"""

from __future__ import annotations

from collections.abc import Container, Sequence

from sandhook.builtins.base import (
    BuiltinError,
    ParsedOption,
    builtin,
    parse,
    print_builtin_error,
    print_error,
    runtime,
    write,
)
from sandhook.builtins.variables.declaration import Request, declare_one
from sandhook.builtins.variables.variables import (
    all_names,
    bits_of,
    describe,
    exists,
    function_line,
    listing,
    own_value,
    plain_line,
)
from sandhook.state.assigned import Assigned, as_argument
from sandhook.state.control import ShellError
from sandhook.state.environment import variable_names
from sandhook.state.locals import function_frame
from sandhook.state.state import State
from sandhook.state.values import (
    ARRAY,
    ASSOC,
    CAPITAL,
    EXPORT,
    INTEGER,
    LOWER,
    NAMEREF,
    READONLY,
    TRACE,
    UPPER,
    AssociativeArray,
    IndexedArray,
)
from sandhook.text.names import is_name

USAGE = "declare [-aAfFgiIlnrtux] [name[=value] ...] or declare -p [-aAfFilnrtux] [name ...]"
OTHER_USAGES = {
    "typeset": "typeset [-aAfFgiIlnrtux] name[=value] ... or typeset -p [-aAfFilnrtux] [name ...]",
}

_BITS = {
    "a": ARRAY, "A": ASSOC, "c": CAPITAL, "i": INTEGER, "l": LOWER, "r": READONLY, "t": TRACE, "u": UPPER,
    "x": EXPORT,
}  # fmt: skip
_CASES = CAPITAL | LOWER | UPPER
_LETTERS = "aAcfFgiIlnprtux"


@builtin(USAGE, OTHER_USAGES)
def run(state: State, argv: Sequence[str | Assigned]) -> int:
    """Return 1 when a name is invalid, readonly or missing; the other names are still declared."""
    options, operands = split_options(argv, _LETTERS, plus=True)
    letters = {option.letter for option in options if not option.plus}
    if any(option.letter in "fF" for option in options):
        return show_functions(state, str(argv[0]), options, operands)
    in_function = function_frame(state) is not None
    request = make_request(options, local=in_function, command=str(argv[0]))
    if not operands:
        return _list(state, request, letters)
    if any(option.letter == "p" for option in options):
        return show(state, str(argv[0]), operands)
    return declare_all(state, str(argv[0]), operands, request)


def split_options(
    argv: Sequence[str | Assigned], letters: str, *, plus: bool = False
) -> tuple[list[ParsedOption], list[str | Assigned]]:
    """Parse options; an argument that is an assignment in the source is always an operand."""
    words = [word if isinstance(word, str) else "=" for word in argv]
    options, operands = parse(words, letters, plus=plus)
    return options, list(argv[len(argv) - len(operands) :])


def make_request(options: list[ParsedOption], *, local: bool, command: str) -> Request:
    """Convert options to a Request of a built-in; ``local``: names become local without ``-g``."""
    add = remove = 0
    nameref: bool | None = None
    global_ = inherit = False
    for letter, _, plus in options:
        bit = _BITS.get(letter)
        if bit is not None and plus:
            remove |= bit
            add &= ~bit
        elif bit is not None:
            add |= bit
        elif letter == "n":
            nameref = not plus
        elif letter == "g":
            global_ = True
        elif letter == "I":
            inherit = True
    if nameref and add & (ARRAY | ASSOC) and (global_ or not local):  # as in bash, an array is no reference
        nameref = None
    return Request(add, remove, nameref, local and not global_, global_, inherit, command=command)


def declare_all(state: State, name: str, operands: Sequence[str | Assigned], request: Request) -> int:
    """Declare every operand; report each error and continue."""
    status = 0
    for operand in operands:
        try:
            declare_one(state, operand, request)
        except BuiltinError as error:
            print_builtin_error(state, name, error)
            status = 1
        except ShellError as error:
            if error.names_builtin or error.ends_callers:
                raise
            runtime(state).assignment_error(state, error)
            status = 1
    return status


# --------------------------------------------------------------------------- showing


def show(
    state: State, command: str, operands: Sequence[str | Assigned], among: Container[str] | None = None
) -> int:
    """Print ``declare -p name ...``, of all variables or ``among`` these."""
    status = 0
    for operand in operands:
        name = operand if isinstance(operand, str) else as_argument(operand)
        if exists(state, name) and (among is None or name in among):
            write(state, describe(state, name))
        else:
            print_error(state, f"{command}: {name}: not found")
            status = 1
    return status


def _list(state: State, request: Request, letters: set[str]) -> int:
    if not request.add and not request.nameref:  # +x selects no variables
        if "p" in letters:
            write(state, listing(state, all_names(state)))
        elif not (request.local and letters & {"I"}):
            write(state, "".join([plain_line(state, name) for name in variable_names(state)]))
            write(state, "".join([state.functions[name].definition(state.options.posix) + "\n"
                                  for name in sorted(state.functions)]))  # fmt: skip
        return 0
    bits = request.add | (NAMEREF if request.nameref else 0)
    kinds = bits & (ARRAY | ASSOC)
    others = bits & ~kinds
    names = [name for name in all_names(state) if effective_bits(state, name) & (kinds or others)]
    if kinds and others:
        names = [name for name in names if effective_bits(state, name) & others]
    write(state, listing(state, names))
    return 0


def effective_bits(state: State, name: str) -> int:
    """Return the attributes; ARRAY and ASSOC are included if the value is such an array."""
    bits = bits_of(state, name)
    value = own_value(state, name)
    if isinstance(value, IndexedArray):
        bits |= ARRAY
    elif isinstance(value, AssociativeArray):
        bits |= ASSOC
    return bits


# --------------------------------------------------------------------------- functions


def show_functions(
    state: State, command: str, options: Sequence[ParsedOption], operands: Sequence[str | Assigned]
) -> int:
    """Run ``declare -f`` and ``-F``, which show functions or change their attributes."""
    letters = {option.letter for option in options if not option.plus}
    removed = sum(
        {_BITS.get(option.letter, NAMEREF) for option in options if option.plus and option.letter not in "fF"}
    )
    bits = sum(bit for letter, bit in _BITS.items() if letter in letters)
    if not operands:
        _list_functions(state, "F" in letters, bits)
        return 0
    if letters & {"f", "F"} and (meaningless := [letter for letter in "niAa" if letter in letters]):
        raise BuiltinError(f"-{meaningless[0]}: invalid option")
    if bits & _CASES:
        removed |= _CASES & ~bits
    status = 0
    for operand in operands:
        if not isinstance(operand, str) and ("p" not in letters or not isinstance(operand.value, str)):
            raise BuiltinError("cannot use `-f' to make functions")
        operand = operand if isinstance(operand, str) else as_argument(operand)
        function = state.functions.get(operand)
        if function is None:
            if "p" not in letters and is_name(operand.partition("=")[0]) and "=" in operand:
                raise BuiltinError("cannot use `-f' to make functions")
            if "p" in letters:
                print_error(state, f"{command}: {operand}: not found")
            status = 1
        elif bits or (removed and letters & {"f", "F"}):
            if function.attributes & removed & READONLY:
                print_error(state, f"{command}: {operand}: readonly function")
                status = 1
                continue
            attributes = (function.attributes | bits) & ~removed
            state.functions[operand] = function.replaced(attributes=attributes)
        elif not letters & {"f", "F"}:
            continue
        elif "F" not in letters:
            write(state, function.definition(state.options.posix) + "\n")
            if "p" in letters and function.attributes:
                write(state, function_line(state, operand))
        elif "p" in letters:
            write(state, function_line(state, operand))
        elif "extdebug" in state.options.shopts:
            write(state, f"{operand} {function.line} {function.source}\n")
        else:
            write(state, operand + "\n")
    return status


def _list_functions(state: State, names_only: bool, bits: int) -> None:
    for name in sorted(state.functions):
        function = state.functions[name]
        if bits and not function.attributes & bits:
            continue
        if not names_only:
            write(state, function.definition(state.options.posix) + "\n")
        if names_only or function.attributes:
            write(state, function_line(state, name))
