"""State: everything a shell knows, except for its process.

Plain scalar variables live in ``values`` as ``str``; only names with attributes appear in
``attributes``. So the hot path of an assignment is two dictionary operations, and a subshell
environment is two dictionary copies. A local variable hides the outer one by saving it in the
frame of its function; there is one flat namespace at any time, so reading never walks scopes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sandhook.kernel.process import Process
from sandhook.limits import Budget
from sandhook.record import Record
from sandhook.state.control import Discard, ShellError, readonly_error, subscript_error
from sandhook.state.frame import Frame, Saved, TemporaryScope
from sandhook.state.options import INITIAL_OPTIONS
from sandhook.state.records import NO_SPECS, NOT_STARTED, NOTHING_REMEMBERED, Execution, Invocation, Tracing
from sandhook.state.references import TARGET, array_target, element_value, follow, hidden_target, set_hidden
from sandhook.state.values import (
    ARRAY,
    ASSOC,
    CAPITAL,
    COMPUTED,
    DECLARED,
    DYNAMIC,
    EXPORT,
    INTEGER,
    LARGE,
    LOWER,
    READONLY,
    UPPER,
    Array,
    AssociativeArray,
    IndexedArray,
    Value,
    held,
    new_array,
    store,
)
from sandhook.typed import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from sandhook.state.function import Function
    from sandhook.state.interpreter import InterpreterOf, ProgramsOf
    from sandhook.state.jobs import Jobs

#: The interpreter that owns a state.
Interpreter: TypeAlias = "InterpreterOf[State]"

#: What a shell reaches on the host.
Programs: TypeAlias = "ProgramsOf[State]"


#: An entry of the hash table: the file, how often it was looked up, and the utility at that path.
Hashed: TypeAlias = "tuple[str, int, str | None]"


class Dynamic(Record):
    """A variable that is computed when read (RANDOM, SECONDS) and may react to assignment."""

    get: Callable[[State], Value | None]
    set: Callable[[State, str], None] | None
    element: Callable[[State, str, str | None], None] | None = None  #: sets one element; None unsets it
    lasting: bool = False  #: unset does not end it
    unset: Callable[[State], None] | None = None  #: what unset does besides: for a variable that is a switch


_NO_DYNAMICS: Mapping[str, Dynamic] = {}


class State:
    """One shell environment; ``state.fork`` makes the copy that a subshell gets.

    Attributes:
        invocation: How the shell was started. Immutable, and shared by all subshells.
        tracing: What is reported while commands run. A subshell gets a copy.
        execution: What the process is in the middle of. A subshell begins with a new one.
        memo: What variables and built-ins remember. Immutable; replaced as a whole.
        status: ``$?``.
        line: Line of the command being run, for LINENO and messages.
        errexit_suppressed: Above 0 while a failure is being tested (if, while, &&, ||, !): no errexit.
        eval_in_condition: Set while ``eval`` runs in a condition: errexit has no effect inside it.
        pipestatus: Statuses of the last pipeline; None when it was one command (``status``).
        instrumented: xtrace is on, a DEBUG trap is set, or a trap reads BASH_COMMAND: simple commands
            take the slow path.
        shell: The interpreter that owns this state: it finds commands, sources files, runs traps.
        operands: The numbers that expansions gave to the arithmetic being evaluated (``expand.arith``).
        arithmetic_depth: Nested evaluations of a variable's text as an expression (a count).
        calls: Nested functions, sources and evals.
        shifted_list: The list that shift made and may change in place, since nobody else has it.
        pending_temporaries: What the assignments before a function call, export or readonly hide.
        temporary_scopes: The assignments before the built-ins that run commands now, the innermost last.
        coprocesses: Descriptors of coprocesses, which programs do not inherit.
        disabled_builtins: Names that ``enable -n`` has switched off.
        programs: The programs of the host, where the run may start them; None in a sandbox.
        executed: The file of the external command that ran last; commands get it as ``_``.
        unlisted: Dynamic variables that lists of all variables omit until they are assigned.
    """

    __slots__ = (
        "aliases", "arithmetic_depth", "attributes", "budget", "calls", "completions", "coprocesses",
        "directory_stack", "disabled_builtins", "dynamics", "errexit_suppressed", "eval_in_condition", "executed",
        "execution", "frames", "functions", "getopts_position", "hash_path", "hashed", "instrumented", "invocation",
        "jobs", "last_argument", "last_background", "line", "loops", "memo", "name", "namerefs", "operands",
        "options", "pending_temporaries", "pipestatus", "positional", "process", "programs", "shared_frames", "shell",
        "shell_pid", "shifted_list", "source", "started", "status", "subshell", "substitution_status",
        "temporary_scopes", "tracing", "traps", "unlisted", "unset_dynamics", "values",
    )  # fmt: skip

    def __init__(
        self,
        process: Process,
        shell: Interpreter,
        name: str = "bash",
        *,
        invocation: Invocation = NOT_STARTED,
        dynamics: Mapping[str, Dynamic] = _NO_DYNAMICS,
        unlisted: frozenset[str] = frozenset(),
        programs: Programs | None = None,
    ) -> None:
        self.process = process
        self.budget: Budget = process.kernel.budget
        self.shell = shell
        self.programs = programs
        self.name = self.source = name
        self.invocation = invocation
        self.tracing = Tracing()
        self.execution = Execution()
        self.memo = NOTHING_REMEMBERED
        self.values: dict[str, Value] = {}
        self.attributes: dict[str, int] = {}
        self.namerefs: dict[str, str] = {}
        self.dynamics = dynamics
        self.unlisted = unlisted
        self.unset_dynamics: frozenset[str] = frozenset()
        self.functions: dict[str, Function] = {}
        self.aliases: dict[str, str] = {}
        self.completions = NO_SPECS  # replaced, never changed in place
        self.disabled_builtins: frozenset[str] = frozenset()
        self.positional: list[str] = []
        self.shifted_list: list[str] | None = None
        self.getopts_position = 0
        self.options = INITIAL_OPTIONS
        self.frames: list[Frame] = []
        self.shared_frames = 0
        self.traps: dict[str, str] = {}
        self.status = self.substitution_status = 0
        self.pipestatus: list[int] | None = None
        self.line = 1
        self.errexit_suppressed = self.loops = self.calls = self.subshell = 0
        self.eval_in_condition = self.instrumented = False
        self.operands: list[int] = []
        self.arithmetic_depth = 0
        self.last_background = 0
        self.last_argument = ""
        self.shell_pid = process.pid
        self.jobs: Jobs | None = None
        self.coprocesses: tuple[int, ...] = ()
        self.hashed: dict[str, Hashed] = {}
        self.hash_path: str | None = None
        self.executed: str | None = None
        self.directory_stack: list[str] = []
        self.pending_temporaries: dict[str, Saved] | None = None
        self.temporary_scopes: list[TemporaryScope] = []
        self.started = self.budget.elapsed()

    def handle_signal(self, number: int) -> None:
        """Run the trap of a signal that came to the process."""
        self.shell.handle_signal(self, number)

    # ------------------------------------------------------------------ reading

    def get(self, name: str) -> str | None:
        """Return what ``$name`` is, None when unset; an array gives its element 0."""
        value = self.values.get(name)
        if value is None:
            value = self._get_rare(name)
            if value is None:
                return None
        if isinstance(value, str):
            return value
        return value.get(0) if isinstance(value, IndexedArray) else value.get("0")

    def value(self, name: str) -> Value | None:
        """Return the whole value, arrays included; None when unset."""
        value = self.values.get(name)
        return self._get_rare(name) if value is None else value

    def _get_rare(self, name: str) -> Value | None:
        """Return the value of a reference or of a dynamic variable, None when it is neither."""
        if name in self.namerefs:
            target, subscript = self.resolve(name)
            if subscript is not None:
                return element_value(self, target, subscript)
            if target in self.namerefs:
                frame = self.hiding_global(target)
                return None if frame is None else frame.saved[target].value
            return self.value(target)
        dynamic = self.dynamics.get(name)
        if dynamic is not None and name not in self.unset_dynamics:
            return dynamic.get(self)
        return None

    def resolve(self, name: str) -> tuple[str, str | None]:
        """Follow references: return the final name, and a subscript if the last reference has one.

        A circle gives the name itself back, as bash does after a warning.
        """
        target = follow(self.namerefs, name)
        if target is None:
            self.shell.warning(self, f"{name}: circular name reference")
            return name, None
        base, subscript = target
        if subscript is not None and not subscript.isalnum():
            subscript = self.shell.subscript_text(self, base, subscript)
        return base, subscript

    def hiding_global(self, name: str) -> Frame | None:
        """Return the call whose local hides the global ``name``; a local reference in a circle means the global."""
        if name not in self.namerefs or follow(self.namerefs, name) is not None:
            return None
        if self.shared_frames:
            self.unshare_frames()
        return next((frame for frame in self.frames if name in frame.saved), None)

    def _hidden_target(self, name: str) -> tuple[str, Frame] | None:
        return hidden_target(self.namerefs, self.frames, self.dynamics, name) if self.frames else None

    def is_associative(self, name: str) -> bool:
        """Return True if subscripts of ``name`` are keys rather than arithmetic."""
        if name in self.namerefs:
            name, _ = self.resolve(name)
        return isinstance(self.value(name), AssociativeArray) or bool(self.attributes.get(name, 0) & ASSOC)

    def element(self, name: str, subscript: str) -> str | None:
        """Return ``${name[subscript]}`` where the subscript is text, evaluated as it must be."""
        value = self.value(name)
        if isinstance(value, AssociativeArray) or (value is None and self.attributes.get(name, 0) & ASSOC):
            if not subscript:
                self.report_bad_subscript(name)
            return None if value is None else value.get(subscript)
        index = self.shell.subscript(self, subscript)
        if index < 0:
            index += value.top() if isinstance(value, IndexedArray) else 0
            if index < 0:
                self.report_bad_subscript(self.resolve(name)[0])
                return None
        if isinstance(value, IndexedArray):
            return value.get(index)
        return value if index == 0 else None

    def report_bad_subscript(self, name: str) -> None:
        """Report a bad subscript of ``${name[...]}``, which expands to nothing; under ``set -e`` the shell exits."""
        self.shell.assignment_error(self, subscript_error(name))

    # ------------------------------------------------------------------ writing

    def is_plain(self, name: str) -> bool:
        """Return True for a name without attribute, target or computed value; hot closures write this out."""
        return not (name in self.attributes or name in self.namerefs or name in self.dynamics)

    def set(self, name: str, value: str) -> None:
        """Assign a scalar as ``name=value`` does. Raises ShellError for a readonly name."""
        if name in self.attributes or name in self.namerefs or name in self.dynamics:
            self._set_rare(name, value)
            return
        if len(value) > LARGE or len(name) > LARGE:
            if name in self.values:
                self.values[name] = ""  # the former value is gone before the new one is charged
            name, value = held(name, self.budget), held(value, self.budget)
        self.values[name] = value
        if self.options.allexport:
            self.attributes[name] = EXPORT

    def _set_rare(self, name: str, value: str) -> None:
        if name in self.namerefs:
            meant = self._hidden_target(name)
            if meant is not None:
                set_hidden(self, *meant, lambda hidden: self.set(hidden, value))
                return
            name, subscript = self.resolve(name)
            if subscript is not None:
                self.set_element(name, subscript, value)
                return
            if self.namerefs.get(name):
                frame = self.hiding_global(name)
                if frame is None:  # a circle, of which resolve has warned
                    raise Discard(1)
                set_hidden(self, name, frame, lambda hidden: self.set(hidden, value))
                return
            if name in self.namerefs:  # the value becomes the target of a reference that has none
                if not TARGET.match(value):
                    raise ShellError(
                        f"`{value}': not a valid identifier", ends="unit", reason="bad reference"
                    )
                self.namerefs[name] = held(value, self.budget)
                return
        bits = self.attributes.get(name, 0)
        if bits & COMPUTED:
            value = self.convert(name, bits, value)
        dynamic = self.dynamics.get(name)
        if dynamic is not None and name not in self.unset_dynamics:
            if dynamic.set is not None:
                dynamic.set(self, value)
            return
        old = self.values.get(name)
        if isinstance(old, IndexedArray):
            store(old, 0, value, self.budget)
        elif isinstance(old, AssociativeArray):
            store(old, "0", value, self.budget)
        elif bits & (ARRAY | ASSOC):
            self.values[name] = new_array(bits, held(value, self.budget))
        else:
            self.values[held(name, self.budget)] = held(value, self.budget)
            if not bits:  # declared before without a value; from now on it is plain
                self.attributes.pop(name, None)
        if self.options.allexport:
            self.attributes[name] = bits | EXPORT

    def convert(self, name: str, bits: int, value: str) -> str:
        """Return ``value`` as the attributes of ``name`` want it; refuse readonly names."""
        if bits & READONLY:
            raise readonly_error(name, "unit")
        if bits & INTEGER:
            value = str(self.shell.integer(self, value))
        if bits & UPPER:
            value = value.upper()
        elif bits & LOWER:
            value = value.lower()
        elif bits & CAPITAL:
            value = value.capitalize()
        return value

    def append(self, name: str, value: str) -> None:
        """Assign as ``name+=value`` does: concatenate, or add for integers."""
        bits = self.attributes.get(name, 0)
        if name in self.namerefs:
            meant = self._hidden_target(name)
            if meant is not None:
                set_hidden(self, *meant, lambda hidden: self.append(hidden, value))
                return
            target, subscript = self.resolve(name)
            bits = self.attributes.get(target, 0)
            if subscript is not None:
                self.set_element(target, subscript, value, append=True)
                return
        if bits & INTEGER:
            self.set(name, self.shell.sum_text(self, self.get(name), value))
        else:
            old = self.get(name) or ""
            self.budget.check_fits(len(old) + len(value))
            self.set(name, old + value)

    def set_element(self, name: str, subscript: str, value: str, *, append: bool = False) -> None:
        """Assign ``name[subscript]=value``; makes an indexed array of a scalar or a new name."""
        if name in self.namerefs:
            name = array_target(self, name)
            frame = self.hiding_global(name)
            if frame is not None:
                set_hidden(
                    self,
                    name,
                    frame,
                    lambda hidden: self.set_element(hidden, subscript, value, append=append),
                )
                return
        bits = self.attributes.get(name, 0)
        if bits & READONLY:
            raise readonly_error(name, "unit")
        if name in self.dynamics and self.computed(name) is not None:
            self.set_computed(name, subscript, value)
            return
        key: Any
        if bits & ASSOC:
            key, bad = subscript, not subscript
        elif subscript in ("@", "*"):
            key, bad = subscript, True
        else:
            key = self.shell.subscript(self, subscript)
            if key < 0:
                old = self.values.get(name)
                key += old.top() if isinstance(old, IndexedArray) else 1 if isinstance(old, str) else 0
            bad = key < 0
        if bad:
            raise subscript_error(f"{name}[{subscript}]")
        array = self.array(name)  # nothing is made for a bad subscript
        bits = self.attributes.get(name, 0)
        if append:
            old = array.get(key) or ""
            if bits & INTEGER:
                value = self.shell.sum_text(self, old, value)
            else:
                value = old + value
        if bits & COMPUTED:
            value = self.convert(name, bits, value)
        store(array, key, value, self.budget)

    def computed(self, name: str) -> Dynamic | None:
        """Return the Dynamic of a computed variable, None for a stored one, even if it switches something."""
        dynamic = self.dynamics.get(name)
        return dynamic if dynamic and not dynamic.unset and name not in self.unset_dynamics else None

    def set_computed(self, name: str, subscript: str, value: str | None) -> None:
        """Set or (None) unset an element of a computed variable; most of them ignore it, as in bash."""
        dynamic = self.dynamics[name]
        if dynamic.element is not None:
            dynamic.element(self, subscript, value)

    def array(self, name: str) -> Array:
        """Return the array called ``name``; make it of the scalar or of nothing when it is missing."""
        value = self.value(name) if name in self.dynamics else self.values.get(name)
        if value is not None and not isinstance(value, str):
            return value
        bits = self.attributes.get(name, 0)
        new = self.values[held(name, self.budget)] = new_array(bits, value)
        self.attributes[name] = bits if bits & ASSOC else bits | ARRAY
        return new

    # ------------------------------------------------------------------ scopes and options

    def unshare_frames(self) -> None:
        """Make the calls that a subshell began in its own: their locals may be changed here alone."""
        for at in range(self.shared_frames):
            self.frames[at] = self.frames[at].copy(self.budget)
        self.shared_frames = 0

    def set_option(self, name: str, on: bool) -> None:
        """Switch a ``set`` option by its long name. Raises KeyError for an unknown one."""
        self.options = self.options.with_option(name, on)

    def set_shopt(self, name: str, on: bool) -> None:
        """Switch a ``shopt`` option. Raises KeyError for an unknown one."""
        self.options = self.options.with_shopt(name, on)

    def update_instrumented(self) -> None:
        """Set ``instrumented`` after a change of traps, of xtrace or of disabled built-ins."""
        observed = self.options.xtrace or "DEBUG" in self.traps or self.tracing.tracks_commands
        self.instrumented = observed or bool(self.disabled_builtins)

    def save(self, name: str) -> Saved:
        """Return what ``restore`` needs to bring a variable back as it is now."""
        bits = self.attributes[name] | DECLARED if name in self.attributes else 0
        if name in self.dynamics and self.dynamics[name].unset is not None:
            bits |= DYNAMIC
        return Saved(self.values.get(name), bits, self.namerefs.get(name))

    def restore(self, name: str, saved: Saved) -> None:
        """Bring a variable back as it was."""
        if saved.value is None:
            self.values.pop(name, None)
        else:
            self.values[name] = saved.value
        bits = saved.attributes
        if bits & DYNAMIC:
            bits &= ~DYNAMIC
            self.unset_dynamics = self.unset_dynamics - {name}
            switch = self.dynamics[name]
            if switch.unset is not None:
                if saved.value is None:
                    switch.unset(self)
                elif isinstance(saved.value, str) and switch.set is not None:
                    switch.set(self, saved.value)
        if bits:
            self.attributes[name] = bits & ~DECLARED
        else:
            self.attributes.pop(name, None)
        if saved.target is None:
            self.namerefs.pop(name, None)
        else:
            self.namerefs[name] = saved.target
