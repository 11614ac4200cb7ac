"""The names that a program uses: which are global, which are arrays, and which are functions.

A name is an array when it is used as one anywhere, or is an argument of a function that uses it as one.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.utilities.languages.awk.lexer import Token
from sandhook.utilities.languages.awk.nodes import Expression, Function, Name
from sandhook.utilities.languages.awk.special import SPECIAL, SPECIAL_ARRAYS
from sandhook.utilities.languages.awk.values import Fatal
from sandhook.utilities.languages.awk.warnings import Found

_SPECIAL_SCALARS = frozenset(SPECIAL) - {SPECIAL[slot] for slot in SPECIAL_ARRAYS}


class Scope:
    """Collects the names of one program while it is parsed.

    Attributes:
        function: The function whose body is parsed, None outside of functions.
        functions: All functions by name.
        names: Global names that are used.
        arrays: Names of global arrays.
        mixed: Names of variables that calls may make arrays, and that are also used as scalars.
        nests: The program has arrays of arrays.
        warnings: What gawk reports about the text.
    """

    def __init__(self) -> None:
        self.function: Function | None = None
        self.functions: dict[str, Function] = {}
        self.names: set[str] = set()
        self.arrays: set[str] = set()
        self.mixed: set[str] = set()
        self.nests = False
        self.warnings: list[Found] = []
        self._first_lines: dict[str, int] = {}
        self._scalar_uses: dict[str, int] = {}
        self._array_arguments: list[tuple[Function | None, str, str, int]] = []
        self._calls: list[tuple[str, list[str], Token]] = []

    def _is_parameter(self, name: str) -> bool:
        return self.function is not None and name in self.function.params

    def _arrays_of(self, function: Function | None, name: str) -> set[str]:
        return function.arrays if function is not None and name in function.params else self.arrays

    def _key(self, name: str) -> str:
        """Return a key that differs for parameters of different functions."""
        function = self.function
        return f"{function.name}({name}" if function is not None and name in function.params else name

    def add_name(self, name: str, line: int = 0) -> None:
        """Record the use of a name; ``line`` is for messages, 0 for no line."""
        if not self._is_parameter(name):
            self.names.add(name)
            if line:
                self._first_lines.setdefault(name, line)

    def add_array(self, name: str) -> None:
        """Record that a name is used as an array."""
        if self._is_parameter(name) or name not in _SPECIAL_SCALARS:
            self._arrays_of(self.function, name).add(name)

    def add_scalar_use(self, name: str) -> None:
        """Record that a name is used without a subscript."""
        key = self._key(name)
        self._scalar_uses[key] = self._scalar_uses.get(key, 0) + 1

    def drop_scalar_uses(self, arguments: Sequence[Expression]) -> None:
        """Undo ``add_scalar_use`` for names among the arguments of a call: they may be arrays."""
        for argument in arguments:
            if isinstance(argument, Name):
                self._scalar_uses[self._key(argument.name)] -= 1

    def is_used_as_scalar(self, name: str) -> bool:
        """Return True when a name was used as a scalar so far."""
        return bool(self._scalar_uses[self._key(name)])

    def add_call(self, token: Token, arguments: Sequence[Expression]) -> None:
        """Record a call of a user's function."""
        self.drop_scalar_uses(arguments)
        self._check_function(token, self.function.params if self.function else [])
        self._calls.append((token.value, self.function.params if self.function else [], token))
        for position, argument in enumerate(arguments):
            if isinstance(argument, Name):
                self._array_arguments.append((self.function, argument.name, token.value, position))

    def _check_function(self, token: Token, params: list[str]) -> None:
        name = token.value
        if name not in self.functions and (name in self.names or name in params or name in SPECIAL):
            raise Fatal(f"attempt to use non-function `{name}' in function call", 1, token.line)

    def define(self, token: Token, params: list[str]) -> Function:
        """Add a function. Raises Fatal when its name is already in use."""
        name = token.value
        if name in self.functions or name in self.names or name in SPECIAL:
            raise Fatal(f"function name `{name}' previously defined", 1, token.line)
        function = self.functions[name] = Function(name, params)
        return function

    def resolve(self) -> None:
        """Check the calls, and find the arrays that are arrays only through calls. Raises Fatal."""
        for name in sorted(self.names & self.functions.keys()):
            raise Fatal(
                f"function `{name}' called with space between name and `(',\nor used as a variable or an array",
                1,
                self._first_lines.get(name, 1),
            )
        for _, params, token in self._calls:
            self._check_function(token, params)
        self._resolve_arrays()
        self.mixed = {name for name in self.arrays if self._scalar_uses.get(name) and name not in SPECIAL}
        self.arrays -= self.mixed

    def _resolve_arrays(self) -> None:
        changed = True
        while changed:
            changed = False
            for function, name, callee, position in self._array_arguments:
                target = self.functions.get(callee)
                if target is None or position >= len(target.params):
                    continue  # the call fails when it runs, or has an argument too many
                arrays = self._arrays_of(function, name)
                if target.params[position] not in target.arrays or name in arrays:
                    continue
                if arrays is not self.arrays or name not in _SPECIAL_SCALARS:
                    arrays.add(name)
                    changed = True
