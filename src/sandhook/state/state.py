"""State: everything a shell knows besides its process.

Plain scalar variables live in ``values`` as ``str``; only names with attributes appear in
``attributes``. So the hot path of an assignment is two dictionary operations, and a subshell
environment is two dictionary copies. A local variable hides the outer one by saving it in the
frame of its function; there is one flat namespace at any time, so reading never walks scopes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from sandhook.kernel.process import Process
from sandhook.lazy import lazily
from sandhook.limits import Budget
from sandhook.record import Record
from sandhook.state.control import Discard, ShellError
from sandhook.state.frame import Frame, Saved
from sandhook.state.options import Options
from sandhook.state.records import NOT_STARTED, NOTHING_REMEMBERED, Execution, Invocation, Tracing
from sandhook.state.values import (
    ARRAY,
    ASSOC,
    CAPITAL,
    COMPUTED,
    DECLARED,
    DYNAMIC,
    EXPORT,
    INTEGER,
    LOWER,
    NAMEREF,
    READONLY,
    UPPER,
    Array,
    AssociativeArray,
    IndexedArray,
    Value,
    hash_of,
)

if TYPE_CHECKING:
    from sandhook.state.interpreter import InterpreterOf, ProgramsOf
    from sandhook.state.jobs import Jobs
    from sandhook.syntax.nodes import Command

#: The interpreter that owns a state.
Interpreter: TypeAlias = "InterpreterOf[State]"

#: What a shell reaches on the host.
Programs: TypeAlias = "ProgramsOf[State]"

#: A value larger than this many characters is charged to the run's memory.
LARGE = 1024


@lru_cache(maxsize=1024)
def _bucket(name: str) -> int:
    """Return where bash's table of variables has a name, which decides the order of the environment."""
    return hash_of(name) & 1023


#: What a reference may name: a variable, or an element of one.
_TARGET = lazily(r"[A-Za-z_][A-Za-z0-9_]*(?:\[.*\])?$", re.DOTALL)


class Function(Record):
    """A defined function: its compiled body and the tree that ``declare -f`` prints.

    ``attributes`` are EXPORT, READONLY and TRACE, as ``declare -f`` gives them. A ``shallow`` one takes
    few frames of Python's stack by itself.
    """

    name: str
    run: Callable[[State], int]
    body: Command
    source: str
    line: int
    attributes: int = 0
    shallow: bool = False

    def definition(self) -> str:
        """Return the definition as ``declare -f`` prints it."""
        from sandhook.syntax.unparse import function_text

        return function_text(self.name, self.body)


#: A remembered command: its file, how often it was asked for, and the utility that stands there.
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
    """One shell environment; ``fork`` makes the copy that a subshell gets.

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
        pending_temporaries: What the assignments before a function call, export or readonly hide. A function
            moves it to its frame; a name that is removed from it keeps its new value.
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
        "shell_pid", "shifted_list", "source", "started", "status", "subshell", "substitution_status", "tracing",
        "traps", "unlisted", "unset_dynamics", "values",
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
        self.completions: dict[str, str] = {}
        self.disabled_builtins: frozenset[str] = frozenset()
        self.positional: list[str] = []
        self.shifted_list: list[str] | None = None
        self.getopts_position = 0
        self.options = Options()
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
        self.started = self.budget.elapsed()

    def fork(self, process: Process) -> State:
        """Return the state of a subshell that runs as ``process``."""
        new = State.__new__(State)
        # What both share, or what is replaced and never changed in place.
        new.arithmetic_depth = self.arithmetic_depth
        new.budget = self.budget
        new.calls = self.calls
        new.coprocesses = self.coprocesses
        new.disabled_builtins = self.disabled_builtins
        new.dynamics = self.dynamics
        new.errexit_suppressed = self.errexit_suppressed
        new.eval_in_condition = self.eval_in_condition
        new.executed = self.executed
        new.getopts_position = self.getopts_position
        new.instrumented = self.instrumented
        new.invocation = self.invocation
        new.last_argument = self.last_argument
        new.last_background = self.last_background
        new.line = self.line
        new.memo = self.memo
        new.name = self.name
        new.options = self.options
        new.pipestatus = self.pipestatus
        new.positional = self.positional
        new.programs = self.programs
        new.shifted_list = self.shifted_list = None
        new.shell = self.shell
        new.shell_pid = self.shell_pid
        new.source = self.source
        new.started = self.started
        new.status = self.status
        new.substitution_status = self.substitution_status
        new.unlisted = self.unlisted
        new.unset_dynamics = self.unset_dynamics
        # What the subshell may change for itself.
        new.process = process
        new.values = values = self.values.copy()
        new.attributes = self.attributes.copy()
        for name in self.attributes:
            value = values.get(name)
            if value is not None and not isinstance(value, str):
                values[name] = value.copy()
        new.aliases = self.aliases.copy()
        new.completions = self.completions.copy()
        new.directory_stack = self.directory_stack.copy()
        new.frames = frames = self.frames.copy()
        new.shared_frames = len(frames)
        new.functions = self.functions.copy()
        new.hashed = self.hashed.copy()
        new.hash_path = self.hash_path
        new.namerefs = self.namerefs.copy()
        new.tracing = self.tracing.copy()
        new.traps = self.traps.copy()
        # What begins anew.
        new.execution = Execution()
        new.jobs = None
        new.loops = 0
        new.operands = []
        new.pending_temporaries = None
        new.subshell = self.subshell + 1
        return new

    def move_to(self, process: Process, programs: Programs | None = None) -> None:
        """Go on as another process, of another run: variables, functions, options and traps stay.

        Calls, jobs, descriptors of coprocesses, and what the former process was in the middle of end with it.
        """
        process.take_over(self.process)
        self.process = process
        self.programs = programs
        self.budget = process.kernel.budget
        self.shell_pid = process.pid
        self.execution = Execution()
        self.jobs = None
        self.coprocesses = ()
        self.frames = []
        self.shared_frames = 0
        self.errexit_suppressed = self.loops = self.calls = 0

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
        """Look among namerefs and dynamic variables."""
        if name in self.namerefs:
            target, subscript = self.resolve(name)
            if subscript is not None:
                return self.element(target, subscript)
            if target in self.namerefs:
                return self._global_value(target)
            return self.value(target)
        dynamic = self.dynamics.get(name)
        if dynamic is not None and name not in self.unset_dynamics:
            return dynamic.get(self)
        return None

    def _hiding_global(self, name: str) -> Frame | None:
        """Return the call whose local hides the global ``name``; a local reference to itself means that one."""
        if self.namerefs.get(name) != name:
            return None
        if self.shared_frames:
            self.unshare_frames()
        return next((frame for frame in self.frames if name in frame.saved), None)

    def _global_value(self, name: str) -> Value | None:
        frame = self._hiding_global(name)
        return None if frame is None else frame.saved[name].value

    def _set_global(self, name: str, value: str) -> None:
        frame = self._hiding_global(name)
        if frame is None:  # a circle, of which resolve has warned
            raise Discard(1)
        frame.saved[name] = frame.saved[name]._replace(value=value)

    def point(self, name: str, target: str) -> None:
        """Let the reference ``name`` mean ``target``, as a loop does. Raises ShellError when that is no name."""
        if not _TARGET.match(target):
            raise ShellError(f"`{target}': not a valid identifier", 1)
        self.namerefs[name] = target

    def _meant(self, name: str) -> tuple[str, Frame] | None:
        """Return what a local reference means when a later call hides that, and the call.

        A value is assigned to the variable that the call of the reference knows; reads, elements and
        references outside functions take the nearest, all as in bash.
        """
        at = len(self.frames)
        seen: list[str] = []
        while name in self.namerefs and name not in seen:
            at = next((k for k in range(at - 1, -1, -1) if name in self.frames[k].saved), -1)
            if at < 0 and not seen:
                return None
            seen.append(name)
            name = self.namerefs[name]
            for frame in self.frames[at + 1 :]:
                if name in frame.saved and name not in self.dynamics:
                    return name, frame
        return None

    def _set_hidden(self, name: str, frame: Frame, value: str, *, append: bool = False) -> None:
        """Assign to the variable that a local of ``frame`` hides."""
        if self.shared_frames:
            at = self.frames.index(frame)
            self.unshare_frames()
            frame = self.frames[at]
        nearest = self.save(name)
        self.restore(name, frame.saved[name])
        try:
            (self.append if append else self.set)(name, value)
        finally:
            frame.saved[name] = self.save(name)
            self.restore(name, nearest)

    def resolve(self, name: str) -> tuple[str, str | None]:
        """Follow namerefs: return the final name, and a subscript if a reference has one.

        A circle gives the name itself back, as bash does after a warning.
        """
        seen = {name}
        current = name
        while current in self.namerefs:
            target = self.namerefs[current]
            if target.endswith("]") and "[" in target:
                base, _, rest = target.partition("[")
                rest = rest[:-1]
                if not rest.isalnum():
                    rest = self.shell.subscript_text(self, base, rest)
                return base, rest
            if not target:
                return current, None
            if target in seen:
                self.shell.warn(self, f"warning: {name}: circular name reference")
                return name, None
            seen.add(target)
            current = target
        return current, None

    def is_associative(self, name: str) -> bool:
        """Tell whether subscripts of ``name`` are keys rather than arithmetic."""
        if name in self.namerefs:
            name, _ = self.resolve(name)
        return isinstance(self.value(name), AssociativeArray) or bool(self.attributes.get(name, 0) & ASSOC)

    def is_set(self, name: str) -> bool:
        """Tell whether ``${name+x}`` would give x."""
        return self.get(name) is not None

    def element(self, name: str, subscript: str) -> str | None:
        """Return ``${name[subscript]}`` where the subscript is text, evaluated as it must be."""
        value = self.value(name)
        if isinstance(value, AssociativeArray):
            if not subscript:
                self.complain_of_subscript(name)
            return value.get(subscript)
        if value is None and self.attributes.get(name, 0) & ASSOC:
            return None
        index = self.shell.subscript(self, subscript)
        if index < 0:
            index += value.top() if isinstance(value, IndexedArray) else 0
            if index < 0:
                self.complain_of_subscript(name)
                return None
        if isinstance(value, IndexedArray):
            return value.get(index)
        return value if index == 0 else None

    def complain_of_subscript(self, name: str) -> None:
        """Complain about a subscript of ``${name[...]}``, which gives nothing then; ``set -e`` ends the shell."""
        self.shell.refuse(self, f"{name}: bad array subscript")

    # ------------------------------------------------------------------ writing

    def set(self, name: str, value: str) -> None:
        """Assign a scalar as ``name=value`` does. Raises ShellError for a readonly name."""
        if name in self.attributes or name in self.namerefs or name in self.dynamics:
            self._set_rare(name, value)
            return
        if len(value) > LARGE:
            old = self.values.get(name)
            self.budget.charge_memory(
                len(value) - (len(old) if isinstance(old, str) and len(old) > LARGE else 0)
            )
        self.values[name] = value
        if self.options.allexport:
            self.attributes[name] = EXPORT

    def _set_rare(self, name: str, value: str) -> None:
        if name in self.namerefs:
            meant = self._meant(name) if self.frames else None
            if meant is not None:
                self._set_hidden(*meant, value)
                return
            name, subscript = self.resolve(name)
            if subscript is not None:
                self.set_element(name, subscript, value)
                return
            if self.namerefs.get(name):
                self._set_global(name, value)
                return
            if name in self.namerefs:  # a reference without target takes it now
                if not _TARGET.match(value):
                    raise ShellError(f"`{value}': not a valid identifier", 1, discard=True)
                self.namerefs[name] = value
                return
        bits = self.attributes.get(name, 0)
        if bits & COMPUTED:
            value = self.convert(name, bits, value)
        dynamic = self.dynamics.get(name)
        if dynamic is not None and name not in self.unset_dynamics:
            if dynamic.set is not None:
                dynamic.set(self, value)
            return
        if len(value) > LARGE:
            self.budget.charge_memory(len(value))
        old = self.values.get(name)
        if isinstance(old, IndexedArray):
            old.set(0, value)
        elif isinstance(old, AssociativeArray):
            old.set("0", value)
        elif bits & ARRAY:
            self.values[name] = IndexedArray([value])
        elif bits & ASSOC:
            new = self.values[name] = AssociativeArray()
            new.set("0", value)
        else:
            self.values[name] = value
            if not bits:  # declared before without a value; from now on it is plain
                self.attributes.pop(name, None)
        if self.options.allexport:
            self.attributes[name] = bits | EXPORT

    def convert(self, name: str, bits: int, value: str) -> str:
        """Return ``value`` as the attributes of ``name`` want it; refuse readonly names."""
        if bits & READONLY:
            raise ShellError(f"{name}: readonly variable", 1, discard=True)
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
            meant = self._meant(name) if self.frames else None
            if meant is not None:
                self._set_hidden(*meant, value, append=True)
                return
            target, subscript = self.resolve(name)
            bits = self.attributes.get(target, 0)
            if subscript is not None:
                self.set_element(target, subscript, value, append=True)
                return
        if bits & INTEGER:
            self.set(name, str(self.shell.integer(self, f"({self.get(name) or 0})+({value or 0})")))
        else:
            old = self.get(name) or ""
            self.budget.check_fits(len(old) + len(value))
            self.set(name, old + value)

    def set_element(self, name: str, subscript: str, value: str, *, append: bool = False) -> None:
        """Assign ``name[subscript]=value``; makes an indexed array of a scalar or a new name."""
        if name in self.namerefs:
            name, _ = self.resolve(name)
        bits = self.attributes.get(name, 0)
        if bits & READONLY:
            raise ShellError(f"{name}: readonly variable", 1, discard=True)
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
                key += old.top() if isinstance(old, IndexedArray) else 0
            bad = key < 0
        if bad:
            raise ShellError(f"{name}[{subscript}]: bad array subscript", 1)
        array = self.array(name)  # nothing is made for a bad subscript
        bits = self.attributes.get(name, 0)
        if append:
            old = array.get(key) or ""
            if bits & INTEGER:
                value = f"({old or 0})+({value or 0})"
            else:
                value = old + value
        if bits & COMPUTED:
            value = self.convert(name, bits, value)
        self.store_element(array, key, value)

    def computed(self, name: str) -> Dynamic | None:
        """Return what computes a variable, None for one that is stored."""
        dynamic = self.dynamics.get(name)
        return dynamic if dynamic is not None and name not in self.unset_dynamics else None

    def set_computed(self, name: str, subscript: str, value: str | None) -> None:
        """Set or (None) unset an element of a computed variable; most of them ignore it, as in bash."""
        dynamic = self.dynamics[name]
        if dynamic.element is not None:
            dynamic.element(self, subscript, value)

    def array(self, name: str) -> Array:
        """Return the array called ``name``, made of its scalar or anew when it is none."""
        value = self.value(name) if name in self.dynamics else self.values.get(name)
        if isinstance(value, (IndexedArray, AssociativeArray)):
            return value
        bits = self.attributes.get(name, 0)
        new: Array
        if bits & ASSOC:
            new = AssociativeArray()
            if isinstance(value, str):
                new.set("0", value)
        else:
            new = IndexedArray([value] if isinstance(value, str) else ())
            bits |= ARRAY
        self.attributes[name] = bits
        self.values[name] = new
        return new

    def plain_array(self, name: str) -> Array | None:
        """Return the array called ``name`` if assigning to an element of it is storing a text.

        None for a readonly or integer array and the like, a reference, and under ``set -a``; what
        is stored is the caller's to charge.
        """
        value = self.values.get(name)
        if (
            value.__class__ is str
            or value is None
            or self.attributes.get(name, 0) & COMPUTED
            or self.options.allexport
        ):
            return None
        return value  # type: ignore[return-value]

    def store_element(self, array: Array, key: Any, value: str) -> None:
        """Put a text into an array, charging what it takes beyond what it replaces."""
        old = array.items.get(key)
        if old is None:
            count = len(value) if len(value) > LARGE else 64
        elif len(value) > LARGE or len(old) > LARGE:
            count = len(value) - (len(old) if len(old) > LARGE else 0)
        else:
            array.set(key, value)
            return
        self.budget.charge_memory(count)
        array.keep(self.budget, count)
        array.set(key, value)

    def set_array(self, name: str, values: list[str]) -> None:
        """Make ``name`` an indexed array of ``values`` (read -a, mapfile, PIPESTATUS)."""
        name, _ = self.resolve(name) if name in self.namerefs else (name, None)
        bits = self.attributes.get(name, 0)
        if bits & READONLY:
            raise ShellError(f"{name}: readonly variable", 1)
        count = sum(map(len, values)) + 64 * len(values)
        self.budget.charge_memory(count)
        array = IndexedArray(values)
        array.keep(self.budget, count)
        self.attributes[name] = bits & ~ASSOC | ARRAY
        self.values[name] = array

    def unset(self, name: str) -> None:
        """Unset a variable with its attributes. Raises ShellError for a readonly name."""
        if name in self.namerefs:
            target, subscript = self.resolve(name)
            if subscript is not None:
                self.unset_element(target, subscript)
                return
            name = target
        self.check_writable(name, "cannot unset: readonly variable")
        self.values.pop(name, None)
        self.attributes.pop(name, None)
        self.namerefs.pop(name, None)
        dynamic = self.dynamics.get(name)
        if dynamic is not None and not dynamic.lasting:
            self.unset_dynamics = self.unset_dynamics | {name}
        elif dynamic is not None and dynamic.unset is not None:
            dynamic.unset(self)

    def unset_element(self, name: str, subscript: str) -> None:
        """Unset ``name[subscript]``."""
        self.check_writable(name, "cannot unset: readonly variable")
        if self.computed(name) is not None:
            self.set_computed(name, subscript, None)
            return
        value = self.values.get(name)
        if isinstance(value, AssociativeArray):
            if subscript in value.items:
                value.give_back(max(64, len(value.items[subscript])))
            value.remove(subscript)
        elif isinstance(value, IndexedArray):
            index = self.shell.subscript(self, subscript)
            if index < 0:
                index += value.top()
                if index < 0:
                    raise ShellError(f"[{subscript}]: bad array subscript", 1)
            if index in value.items:
                value.give_back(max(64, len(value.items[index])))
            value.remove(index)
        elif value is not None and self.shell.arithmetic(self, subscript) in (0, -1):
            self.unset(name)

    def check_writable(self, name: str, why: str = "readonly variable") -> None:
        """Raise ShellError when ``name`` is readonly."""
        if self.attributes.get(name, 0) & READONLY:
            raise ShellError(f"{name}: {why}", 1)

    # ------------------------------------------------------------------ attributes and scopes

    def remove_attributes(self, name: str, bits: int) -> None:
        """Take attributes from ``name``."""
        left = self.attributes.get(name, 0) & ~bits
        if left:
            self.attributes[name] = left
        else:
            self.attributes.pop(name, None)

    def make_local(self, name: str) -> None:
        """Hide ``name`` in the current function; it is unset afterwards.

        A name that is already local here stays as it is.
        """
        frame = self.function_frame()
        if frame is None:
            raise ShellError("can only be used in a function", 1)
        if name in frame.saved:
            return
        bits = self.attributes.get(name, 0)
        if bits & READONLY and not any(name in outer.saved for outer in self.frames):
            raise ShellError(f"{name}: readonly variable", 1)  # a caller's own may be hidden, a global not
        if name in self.dynamics and name not in self.unset_dynamics:
            bits |= DYNAMIC  # the local is a plain one, unless it switches something
        if name in self.attributes:
            bits |= DECLARED
        frame.saved[name] = Saved(self.values.get(name), bits, self.namerefs.get(name))
        self.values.pop(name, None)
        self.namerefs.pop(name, None)
        self.attributes.pop(name, None)
        if bits & DYNAMIC:
            unset = self.dynamics[name].unset
            if unset is None:
                self.unset_dynamics = self.unset_dynamics | {name}
            else:  # what switches something does so here, too
                unset(self)

    def function_frame(self) -> Frame | None:
        """Return the innermost frame that is a function's, or None. It may be changed."""
        if self.shared_frames:
            self.unshare_frames()
        for frame in reversed(self.frames):
            if not frame.sourced:
                return frame
        return None

    def unshare_frames(self) -> None:
        """Make the calls that a subshell began in its own: their locals may be changed here alone."""
        for at in range(self.shared_frames):
            self.frames[at] = self.frames[at].copy()
        self.shared_frames = 0

    def _restore_all(self, frame: Frame) -> None:
        """Do what ``restore`` does, for names that are not computed."""
        values, attributes, namerefs = self.values, self.attributes, self.namerefs
        for name, saved in frame.saved.items():
            value, bits, target = saved
            if value is None:
                values.pop(name, None)
            else:
                values[name] = value
            if bits:
                if bits & DYNAMIC:  # one that switches something
                    self.restore(name, saved)
                    continue
                attributes[name] = bits & ~DECLARED
            else:
                attributes.pop(name, None)
            if target is not None:
                namerefs[name] = target
            elif name in namerefs:
                del namerefs[name]

    def leave(self, frame: Frame) -> None:
        """Bring back what the locals of ``frame`` hid."""
        if frame.passed or self.unset_dynamics:
            for name, saved in frame.saved.items():
                if name not in frame.passed:
                    self.restore(name, saved)
        else:
            self._restore_all(frame)
        if frame.options is not None:
            self.options = frame.options.with_shopts_of(self.options)  # local - keeps set's alone
            self.watch()

    def set_option(self, name: str, on: bool) -> None:
        """Switch a ``set`` option by its long name. Raises KeyError for an unknown one."""
        self.options = self.options.with_option(name, on)

    def set_shopt(self, name: str, on: bool) -> None:
        """Switch a ``shopt`` option. Raises KeyError for an unknown one."""
        self.options = self.options.with_shopt(name, on)

    def watch(self) -> None:
        """Find out anew whether simple commands are watched."""
        self.instrumented = self.options.xtrace or "DEBUG" in self.traps or self.tracing.tracks_commands

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

    def environment(self) -> dict[str, str]:
        """Return the exported variables that have a value, as a new process would get them."""
        found: dict[str, str] = {}
        for name, bits in self.attributes.items():
            if bits & EXPORT:
                value = self.get(name)
                if value is None:
                    value = self._hidden(name)
                if value is not None and not bits & (ARRAY | ASSOC):
                    found[name] = value
        found.update(self.memo.foreign)
        made = {name: found[name] for name in sorted(found, key=_bucket)}
        if self.executed is not None:
            made["_"] = self.executed
        return made

    def _hidden(self, name: str) -> str | None:
        """Return the exported value that a local without a value hides; commands still get it."""
        for frame in reversed(self.frames):
            saved = frame.saved.get(name)
            if saved is not None and saved.attributes & EXPORT and isinstance(saved.value, str):
                return saved.value
        return None

    def keep_assigned(self, name: str) -> None:
        """Let a variable that was assigned before the present command keep its value (``x=1 export x``)."""
        if self.pending_temporaries is not None:
            self.pending_temporaries.pop(name, None)
        frame = self.function_frame()
        if frame is not None and name in frame.temporary:
            frame.passed = frame.passed | {name}

    def names(self) -> list[str]:
        """Return the names of all variables that are set, sorted."""
        found = set(self.values) | {name for name in self.dynamics if name not in self.unset_dynamics}
        found -= self.unlisted - self.values.keys()
        found.update(name for name in self.namerefs)
        return sorted(found)

    def is_special(self, name: str) -> int:
        """Return the attribute bits of a name (0 for none)."""
        return (
            self.attributes.get(name, 0)
            | (NAMEREF if name in self.namerefs else 0)
            | (DYNAMIC if name in self.dynamics else 0)
        )
