"""Steps: what each command of a script did, for somebody who asks why the script ended as it did.

A run with ``Steps`` has an interpreter of its own class, which notes every command before it runs; other runs pay
nothing. Scripts see no difference: no variable, no output and no option shows them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Final

from greenlet import getcurrent

from sandhook.expand.declared import compound
from sandhook.interp import trace
from sandhook.interp.runtime import Runtime
from sandhook.kernel.descriptor import Callback, Capture
from sandhook.kernel.pipe import Pipe, PipeReader, PipeWriter
from sandhook.kernel.signals import NAMES
from sandhook.record import Record
from sandhook.state.state import State
from sandhook.syntax.nodes import Case, For, Select

if TYPE_CHECKING:
    from sandhook.kernel.descriptor import Description, OutputCap, WriteBytes
    from sandhook.kernel.process import Kernel, Process
    from sandhook.kernel.scheduler import Scheduler
    from sandhook.limits import Budget
    from sandhook.state.assigned import Argument
    from sandhook.state.values import Array
    from sandhook.syntax.nodes import Command

#: Steps that are kept; what follows is counted.
MOST_STEPS: Final = 10_000

#: Characters that are kept of a text, and bytes of an output.
MOST_TEXT: Final = 2_000

#: Elements of an array that are compared and kept.
_MOST_ELEMENTS: Final = 200

#: Variables that change without a command that assigns them.
_COMPUTED = frozenset({"_", "BASH_EXECUTION_STRING", "LINENO", "PIPESTATUS"})


class Step(Record):
    """One command.

    Attributes:
        number: 0 for the first one of the run.
        line: Its line in ``source``; functions and sourced files count their own.
        source: The script or file, "main" for the text of the run, "-c" for that of another shell.
        function: The function that it stands in, "" outside.
        text: The command as in the script, without its body; cut at ``MOST_TEXT``, as all texts are.
        words: Its words after expansion; None for commands that are not simple.
        process: Number of the process; 1 less than the first number of the run's own shell is never used.
        depth: Nested calls of functions, sourced files and evals.
        status: Its exit status; None if the run ended before it did.
        signal: The signal that ended its process, None for none.
        variables: What it assigned, by name; None for a variable that it unset. Arrays are as ``declare -p`` has them.
        output, errors: What it wrote to the standard output and the standard error of the run.
        piped: What it wrote into the pipe to the next command.
        seconds: When it began, in seconds since the run began.
    """

    number: int
    line: int
    source: str
    function: str
    text: str
    words: tuple[str, ...] | None
    process: int
    depth: int
    status: int | None
    signal: str | None
    variables: tuple[tuple[str, str | None], ...]
    output: bytes
    errors: bytes
    piped: bytes
    seconds: float


class _Open:
    """A command that has begun, and perhaps not ended."""

    __slots__ = (
        "before", "depth", "function", "has_status", "line", "number", "piped", "process", "seconds", "signal", "source", "state",
        "status", "text", "variables", "words", "written",
    )  # fmt: skip

    def __init__(self, number: int, state: State, text: str, node: Command, source: str) -> None:
        self.number = number
        self.has_status = not isinstance(node, (Case, For, Select))
        self.state: State | None = state
        self.process: Process = state.process
        self.text = text
        self.line: int = getattr(node, "line", 0) or state.line
        self.source = source
        self.function = state.frames[-1].function if state.frames else ""
        self.depth = state.calls
        self.seconds = state.budget.elapsed()
        self.before = _values(state)
        self.words: tuple[str, ...] | None = None
        self.status: int | None = None
        self.signal: str | None = None
        self.variables: tuple[tuple[str, str | None], ...] = ()
        self.written: dict[int, bytearray] = {}
        self.piped = bytearray()

    def set_status(self, status: int) -> None:
        if self.status is None and self.has_status:
            self.status = status

    def end(self) -> None:
        state = self.state
        if state is None:
            return
        self.variables = _changes(self.before, _values(state))
        self.before = {}
        self.state = None

    def step(self) -> Step:
        return Step(
            number=self.number,
            line=self.line,
            source=self.source,
            function=self.function,
            text=self.text,
            words=self.words,
            process=self.process.pid,
            depth=self.depth,
            status=self.status,
            signal=self.signal,
            variables=self.variables,
            output=bytes(self.written.get(1, b"")),
            errors=bytes(self.written.get(2, b"")),
            piped=bytes(self.piped),
            seconds=self.seconds,
        )


class Steps:
    """Collects the steps of one run: pass it to ``Shell.run``, and read ``steps`` afterwards.

    Attributes:
        dropped: Commands beyond ``MOST_STEPS``, which are only counted.
    """

    def __init__(self) -> None:
        self.dropped = 0
        self._all: list[_Open] = []
        self._open: dict[int, list[_Open]] = {}
        self._shell_pid: int | None = None
        self._received: tuple[Step, ...] = ()

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps in the order in which they began."""
        if self._received:
            return self._received
        for stack in self._open.values():
            while stack:
                last = stack.pop()
                process = last.process
                if process.done:
                    last.set_status(process.status)
                    last.signal = NAMES.get(process.signal)
                last.end()
        return tuple(each.step() for each in self._all)

    def receive(self, steps: Sequence[Step], dropped: int) -> None:
        """Keep the steps of a run in another process."""
        self._received = tuple(steps)
        self.dropped = dropped

    def begin(self, state: State, node: Command) -> None:
        """Note a command that a shell is about to run."""
        stack = self._open.setdefault(state.process.pid, [])
        while stack and stack[-1].depth >= state.calls:
            stack.pop().end()
        if len(self._all) >= MOST_STEPS:
            self.dropped += 1
            return
        step = _Open(len(self._all), state, _cut(trace.command_text(node)), node, self._source_of(state))
        self._all.append(step)
        stack.append(step)

    def _source_of(self, state: State) -> str:
        """Return the name of the text that a shell runs: its own, or that of a file that it sourced."""
        if self._shell_pid is None:
            self._shell_pid = state.shell_pid
        if state.source != state.name:
            return state.source
        if state.shell_pid == self._shell_pid:
            return "main"
        return state.invocation.main or "-c"

    def end(self, state: State, status: int) -> None:
        """Note the status of the command that has ended: the first one that the shell gets is the command's own."""
        stack = self._open.get(state.process.pid)
        while stack and stack[-1].depth > state.calls:  # a return ended these, and the call has the status
            stack[-1].set_status(status)
            stack.pop().end()
        if stack and stack[-1].depth == state.calls:
            stack[-1].set_status(status)

    def expand(self, state: State, argv: Sequence[Argument]) -> None:
        """Note the words of the command that has just begun."""
        stack = self._open.get(state.process.pid)
        if stack and stack[-1].words is None:
            stack[-1].words = tuple(
                _cut(word if isinstance(word, str) else trace.assigned(word)) for word in argv
            )

    def write(self, descriptor: int, data: bytes) -> None:
        """Note output of the run: 1 is standard output, 2 standard error, and 0 stands for a pipe."""
        step = self._running()
        if step is None:
            return
        kept = step.written.setdefault(descriptor, bytearray()) if descriptor else step.piped
        kept += data[: MOST_TEXT - len(kept)]

    def observe(self, runtime: Runtime, kernel: Kernel) -> Runtime:
        """Return the interpreter of a run of ``kernel`` that reports its commands and its pipes here."""
        kernel.new_pipe = partial(_ObservedPipe, steps=self)
        return _ObservedRuntime(runtime, self)

    def output(
        self, descriptor: int, write: WriteBytes | None, budget: Budget, cap: OutputCap
    ) -> Description:
        """Return standard output (1) or standard error (2) of the run; see ``kernel.descriptor.Capture``."""
        note = partial(self.write, descriptor)
        if write is None:
            return _ObservedCapture(budget, cap, note)

        def both(data: bytes) -> None:
            note(data)
            write(data)

        return Callback(budget, cap, both)

    def _running(self) -> _Open | None:
        """Return the command that the present process runs, or the process that started it."""
        process = getcurrent().process
        while process is not None:
            stack = self._open.get(process.pid)
            if stack:
                return stack[-1]
            process = process.kernel.processes.get(process.parent_pid)
        return None


def _values(state: State) -> dict[str, object]:
    """Return what shows whether a variable changed: a text, or the first elements of an array and their number."""
    return {
        name: value if isinstance(value, str) else _Elements(value)
        for name, value in state.values.items()
        if name not in _COMPUTED
    }


class _Elements:
    """The first elements of an array, which is changed in place."""

    __slots__ = ("_count", "_first", "_kind")

    def __init__(self, array: Array) -> None:
        self._kind = array.__class__
        self._count = len(array)
        self._first = dict(islice(array.items.items(), _MOST_ELEMENTS))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, _Elements)
            and (self._kind, self._count) == (other._kind, other._count)
            and self._first == other._first
        )

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        """Return the elements as ``declare -p`` has them; "..." stands for those that are left out."""
        shown = self._kind()
        for key, text in self._first.items():
            shown.set(key, text)  # type: ignore[arg-type]
        more = "..." if self._count > len(self._first) else ""
        return compound(shown) + more


def _changes(before: dict[str, object], after: dict[str, object]) -> tuple[tuple[str, str | None], ...]:
    changed: dict[str, str | None] = {
        name: _cut(str(value)) for name, value in after.items() if name not in before or before[name] != value
    }
    changed |= dict.fromkeys(name for name in before if name not in after)
    return tuple(sorted(changed.items()))


def _cut(text: str) -> str:
    return text if len(text) <= MOST_TEXT else text[:MOST_TEXT] + "..."


class _ObservedRuntime(Runtime):
    """An interpreter that notes every command before it runs."""

    __slots__ = ("steps",)

    def __init__(self, runtime: Runtime, steps: Steps) -> None:
        super().__init__(runtime.commands, runtime.store, crlf=runtime.crlf)
        self.steps = steps

    @property
    def state_class(self) -> type[State]:  # type: ignore[override]
        return _ObservedState

    def debug(self, state: State, node: Command | None = None, *, ahead: bool = False) -> bool:
        if node is not None and not ahead and not state.tracing.running_traps:
            self.steps.begin(state, node)
        return super().debug(state, node, ahead=ahead)

    def trace(self, state: State, argv: Sequence[Argument]) -> None:
        if argv and not state.tracing.running_traps:
            self.steps.expand(state, argv)
        super().trace(state, argv)


class _ObservedState(State):
    """A state whose commands take the path with traces, and report their status."""

    __slots__ = ("_status",)
    _status: int
    shell: _ObservedRuntime

    @property
    def instrumented(self) -> bool:
        return True

    @instrumented.setter
    def instrumented(self, value: bool) -> None:
        pass

    @property
    def status(self) -> int:
        return self._status

    @status.setter
    def status(self, value: int) -> None:
        self._status = value
        is_complete = hasattr(self, "started") and hasattr(
            self, "tracing"
        )  # the last fields of a new and of a forked one
        if is_complete and not self.tracing.running_traps:
            self.shell.steps.end(self, value)


class _ObservedCapture(Capture):
    __slots__ = ("_note",)

    def __init__(self, budget: Budget, cap: OutputCap, note: Callable[[bytes], None]) -> None:
        super().__init__(budget, cap)
        self._note = note

    def write(self, data: bytes) -> None:
        self._note(data)
        super().write(data)


class _ObservedPipe(Pipe):
    """A pipe whose data is noted."""

    __slots__ = ("_steps",)

    def __init__(self, scheduler: Scheduler, steps: Steps) -> None:
        super().__init__(scheduler)
        self._steps = steps

    def ends(self) -> tuple[PipeReader, PipeWriter]:
        return PipeReader(self), _ObservedWriter(self, self._steps)


class _ObservedWriter(PipeWriter):
    __slots__ = ("_steps",)

    def __init__(self, pipe: Pipe, steps: Steps) -> None:
        super().__init__(pipe)
        self._steps = steps

    def write(self, data: bytes) -> None:
        self._steps.write(0, data)
        super().write(data)
