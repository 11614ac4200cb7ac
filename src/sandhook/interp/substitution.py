"""Command and process substitution (POSIX.1-2024 XCU 2.6.3, bash 5.2 manual 3.5.6)."""

from __future__ import annotations

from collections.abc import Callable, Container

from greenlet import getcurrent

from sandhook.interp.jobs import jobs_of
from sandhook.interp.redirect import Apply, Undo, restore
from sandhook.interp.subshell import in_subshell, start_subshell
from sandhook.kernel.descriptor import CHUNK, Collector
from sandhook.kernel.process import Kernel
from sandhook.kernel.scheduler import Task
from sandhook.state.control import Discard, ShellError
from sandhook.state.state import State
from sandhook.typed import TypeAlias
from sandhook.vfs.errors import error_text

Run: TypeAlias = Callable[[State], int]
Text: TypeAlias = Callable[[State], str]


class Output(Collector):
    """The output of a substitution; wakes the shell when the last writer closes it."""

    __slots__ = ("_scheduler", "closed", "waiting")

    def __init__(self, kernel: Kernel) -> None:
        super().__init__(kernel.budget)
        self._scheduler = kernel.scheduler
        self.closed = False
        self.waiting: Task | None = None

    def close(self) -> None:
        self.closed = True
        if self.waiting is not None:
            self._scheduler.wake(self.waiting)


def substitute(body: Run, file: Apply | None) -> Text:
    """Compile ``$(body)``; ``file`` is the redirection of ``$(<name)``."""

    def run(state: State) -> str:
        budget = state.budget
        budget.slice_left = slice_left = budget.slice_left - 1
        if slice_left < 0:
            state.shell.poll(state)
        if state.pipestatus is None:
            state.pipestatus = [state.status]  # a substitution changes only $?
        if file is not None:
            return _text(state, _read_file(state, file))
        kernel = state.process.kernel
        output = Output(kernel)
        child = state.process.fork()
        child.install(1, output)
        status = state.shell.guard_stack(
            state, lambda: in_subshell(state, child, run_body, sees_jobs=True, coprocesses=True)
        )
        while not output.closed:  # a background job still has the output open
            output.waiting = getcurrent()
            kernel.scheduler.block()
        state.status = state.substitution_status = status
        if state.process.pending:
            state.process.deliver()
        return _text(state, output.take())

    def run_body(inner: State) -> int:
        if (
            inner.options.errexit
            and not inner.options.posix
            and "inherit_errexit" not in inner.options.shopts
        ):
            inner.set_option("errexit", False)
        inner.tracing.depth += 1
        inner.tracing.in_substitution = True
        _end_verbose(inner)
        return _run_text(body, inner)

    return run


def _run_text(body: Run, inner: State) -> int:
    """Run the commands of a substitution; as those of all texts, an expansion error ends them with status 1."""
    try:
        return body(inner)
    except Discard as error:
        if error.status not in (0, 127):
            error.status = 1
        raise


def _end_verbose(inner: State) -> None:
    """Switch ``set -v`` off, as bash does in a substitution."""
    if "verbose" in inner.options.enabled:
        inner.set_option("verbose", False)


def _text(state: State, data: bytes) -> str:
    if b"\0" in data:
        state.shell.error(state, "warning: command substitution: ignored null byte in input")
        data = data.replace(b"\0", b"")
    return data.rstrip(b"\n").decode("utf-8", "surrogateescape")


def _read_file(state: State, apply: Apply) -> bytes:
    undo: Undo = []
    pieces: list[bytes] = []
    size = 0
    try:
        apply(state, undo)
        description = state.process.descriptor(0)
        while data := description.read(CHUNK):
            size += len(data)
            state.budget.check_fits(size)
            pieces.append(data)
        state.status = state.substitution_status = 0
    except ShellError as error:
        state.shell.error(state, error.message)
        state.status = state.substitution_status = 1
    except OSError:  # a directory: bash reads nothing and reports nothing
        state.status = state.substitution_status = 0
    finally:
        restore(state.process, undo)
    return b"".join(pieces)


def backquote(text: str) -> Text:
    """Compile a backquoted substitution; its text is parsed at run time."""

    def run(state: State) -> str:
        body = state.shell.substitution_body(state, text)

        def run_body(inner: State) -> int:
            inner.execution.main_calls = inner.calls
            return body(inner)

        return substitute(run_body, None)(state)

    return run


def process_substitution(direction: str, body: Run | None) -> Text:
    """Compile ``<(body)`` and ``>(body)`` to the name of the descriptor of a pipe."""

    def run_body(inner: State) -> int:
        inner.tracing.depth += 1
        _end_verbose(inner)
        return _run_text(body, inner) if body is not None else 0

    def run(state: State) -> str:
        process = state.process
        try:
            process.check_room(1)
        except OSError as error:
            state.shell.error(state, f"cannot make pipe for process substitution: {error_text(error)}")
            return ""
        reader, writer = process.kernel.pipe().ends()
        child = process.fork()
        shell_end, child_end, number = (reader, writer, 1) if direction == "<" else (writer, reader, 0)
        child.install(number, child_end)
        start_subshell(state, child, run_body)
        state.last_background = child.pid
        table = jobs_of(state)
        table.substitution = child
        table.substitutions = [*(process for process in table.substitutions if not process.done), child]
        free = (
            process.free_descriptor(63)
            if 63 not in process.descriptors
            else _free_below_63(process.descriptors)
        )
        process.install(free, shell_end)
        state.shell.close_later(state, free)
        return f"/dev/fd/{free}"

    return run


def _free_below_63(used: Container[int]) -> int:
    """Return the highest unused descriptor below 63, as bash does."""
    number = 63
    while number in used:
        number -= 1
    return number


__all__ = ["backquote", "process_substitution", "substitute"]
