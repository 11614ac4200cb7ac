"""The variables of a shell as a whole: those that commands get, and the names of all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sandhook.kernel.environment import ChangedEnvironment
from sandhook.lazy import cache_texts
from sandhook.state.state import State
from sandhook.state.values import ARRAY, ASSOC, DYNAMIC, EXPORT, NAMEREF, hash_of
from sandhook.text.numbers import decimal
from sandhook.typed import TypeVar, overload

T = TypeVar("T")

#: What decides whether a local hides an exported variable from commands: an exported array does.
_HIDING = ARRAY | ASSOC | EXPORT


@cache_texts(1024)
def _bucket(name: str) -> int:
    """Return where bash's table of variables has a name, which decides the order of the environment."""
    return hash_of(name) & 1023


def exported_variables(state: State) -> dict[str, str]:
    """Return the exported variables that have a value, as a new process would get them."""
    exported: dict[str, str] = {}
    for name, bits in state.attributes.items():
        if bits & EXPORT:
            value = state.get(name)
            if value is not None and not bits & (ARRAY | ASSOC):
                exported[name] = value
    for frame in reversed(state.frames):  # a local that is not exported does not hide an exported variable
        for name, saved in frame.saved.items():
            visible = state.attributes.get(name, 0) & _HIDING
            is_hidden = name in exported or visible in (EXPORT | ARRAY, EXPORT | ASSOC)
            if saved.attributes & EXPORT and isinstance(saved.value, str) and not is_hidden:
                exported[name] = saved.value
    for name, target in state.namerefs.items():  # commands get the name that it refers to
        if state.attributes.get(name, 0) & EXPORT and target:
            exported[name] = target
    if state.execution.replaced_shell == state.calls and "SHLVL" in exported:
        exported["SHLVL"] = lower_level(exported["SHLVL"])
    exported.update(state.memo.foreign)
    ordered = {name: exported[name] for name in sorted(exported, key=_bucket)}
    if state.executed is not None:
        ordered["_"] = state.executed
    return ordered


def exported_value(state: State, name: str) -> str | None:
    """Return the value that ``exported_variables`` has for a name, without the others; None if it has none."""
    if name == "_" and state.executed is not None:
        return state.executed
    if name in state.memo.foreign:
        return state.memo.foreign[name]
    bits = state.attributes.get(name, 0)
    value = state.get(name) if bits & EXPORT and not bits & (ARRAY | ASSOC) else None
    if value is None and state.frames and bits & _HIDING not in (EXPORT | ARRAY, EXPORT | ASSOC):
        hidden = (frame.saved[name] for frame in reversed(state.frames) if name in frame.saved)
        texts = (saved.value for saved in hidden if saved.attributes & EXPORT)
        value = next((text for text in texts if isinstance(text, str)), None)
    if bits & EXPORT and state.namerefs.get(name):
        value = state.namerefs[name]
    if name == "SHLVL" and value is not None and state.execution.replaced_shell == state.calls:
        value = lower_level(value)
    return value


class ExportedVariables(Mapping[str, str]):
    """The exported variables of a state as a mapping: most utilities look at one or two of them.

    They are what they were when all of them were first asked for.
    """

    __slots__ = ("_state", "_variables")

    def __init__(self, state: State) -> None:
        self._state = state
        self._variables: dict[str, str] | None = None

    def _all(self) -> dict[str, str]:
        if self._variables is None:
            self._variables = exported_variables(self._state)
        return self._variables

    def __getitem__(self, name: str) -> str:
        value = self.get(name)
        if value is None:
            raise KeyError(name)
        return value

    @overload
    def get(self, name: str, default: None = None, /) -> str | None: ...
    @overload
    def get(self, name: str, default: str, /) -> str: ...
    @overload
    def get(self, name: str, default: T, /) -> str | T: ...
    def get(self, name: str, default: object = None, /) -> object:
        known = self._variables
        value = exported_value(self._state, name) if known is None else known.get(name)
        return default if value is None else value

    def end(self) -> None:
        """Drop the state: who keeps these variables does not keep it."""
        del self._state

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())


def lower_level(level: str) -> str:
    """Return SHLVL for a command that replaces its shell: a shell started there has the level of that shell."""
    depth = decimal(level)
    return "0" if depth is None else str(max(depth - 1, 0))


def exported_functions(state: State) -> dict[str, str]:
    """Return the exported functions, each as bash writes it to the environment: "() {  command ...".

    The first command stands on the line of the brace, so bash counts the lines of such a function from 0.
    """
    return {
        name: "() {  " + function.definition(state.options.posix).partition("{")[2].lstrip(" \n")
        for name, function in state.functions.items()
        if function.attributes & EXPORT
    }


def set_environment(state: State, environment: Mapping[str, str]) -> None:
    """Make exactly these the exported variables; exported functions stay unless it is a ChangedEnvironment."""
    if isinstance(environment, ChangedEnvironment):
        _drop_functions(state, environment)
    if state.memo.foreign:
        state.memo = state.memo._replace(foreign={})
    for name, bits in list(state.attributes.items()):
        if bits & EXPORT and name not in environment:
            state.values.pop(name, None)
            state.attributes.pop(name, None)
    for name, value in environment.items():
        state.values[name] = value
        state.attributes[name] = state.attributes.get(name, 0) | EXPORT


def _drop_functions(state: State, environment: ChangedEnvironment) -> None:
    """Let commands inherit no function that the environment does not have."""
    for name, function in list(state.functions.items()):
        if function.attributes & EXPORT and (environment.empty or f"BASH_FUNC_{name}%%" in environment.unset):
            state.functions[name] = function.replaced(attributes=function.attributes & ~EXPORT)


def variable_names(state: State) -> list[str]:
    """Return the names of all variables that are set, sorted."""
    names = set(state.values) | {name for name in state.dynamics if name not in state.unset_dynamics}
    names -= state.unlisted - state.values.keys()
    names.update(name for name in state.namerefs)
    return sorted(names)


def seen_names(state: State) -> list[str]:
    """Return the names that completion and ``${!prefix*}`` list: a local without a value does not hide one with a value."""
    hidden = (
        name
        for frame in state.frames
        for name, saved in frame.saved.items()
        if saved.value is not None or saved.target
    )
    return sorted({*variable_names(state), *hidden})


def attribute_bits(state: State, name: str) -> int:
    """Return the attribute bits of a name (0 for none)."""
    return (
        state.attributes.get(name, 0)
        | (NAMEREF if name in state.namerefs else 0)
        | (DYNAMIC if name in state.dynamics else 0)
    )
