"""One run of a script: a kernel with one budget, and the main process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import monotonic

from sandhook.errors import LimitExceeded, WorkerCrash
from sandhook.interp.beginning import (
    Script,
    Streams,
    exceeded,
    export_variables,
    input_data,
    shell_environment,
)
from sandhook.interp.result import DEFECT, KILLED, TIMED_OUT, Result
from sandhook.interp.shell_command import new_state
from sandhook.kernel.descriptor import Callback, Capture, Description, Feed, Input, OutputCap, WriteBytes
from sandhook.kernel.process import Kernel, Process
from sandhook.kernel.signals import NAMES
from sandhook.kernel.watchdog import RunInterrupted, WatchedRun
from sandhook.limits import Budget, Limits
from sandhook.state.fork import move, with_interpreter
from sandhook.state.state import State
from sandhook.text.surrogates import as_shell_text
from sandhook.typed import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from sandhook.interp.outside import Stage, World
    from sandhook.interp.runtime import Runtime
    from sandhook.interp.steps import Steps
    from sandhook.kernel.outside import NetworkAccess
    from sandhook.kernel.settings import Settings
    from sandhook.vfs.base import FileSystem
    from sandhook.vfs.path import VirtualPath


class Sandbox(Protocol):
    """What a run needs of its ``Shell``; see there."""

    fs: FileSystem
    env: dict[str, str]
    cwd: VirtualPath
    world: World | None
    settings: Settings
    runtime: Runtime

    @property
    def network(self) -> NetworkAccess | None: ...


#: Virtual seconds that outputs may stay open after the script has ended.
HELD = 0.5


class Run:
    """One run: a kernel with one budget, and the main process."""

    def __init__(self, shell: Sandbox, limits: Limits, streams: Streams) -> None:
        stdin, stdout, stderr, overflow, self.cancel, steps = streams
        self.shell = shell
        self.steps: Steps | None = steps
        self.limits = limits
        self.started, self.budget = monotonic(), Budget(limits)
        self.notes: tuple[str, ...] = ()
        self.stage: Stage | None = None
        if shell.world is None:
            self.kernel = Kernel(
                shell.fs, limits, self.budget, network=shell.network, settings=shell.settings
            )
        else:
            self.stage = shell.world.begin(limits, self.budget, shell.network, shell.settings)
            self.kernel = self.stage.kernel
        self.cap = OutputCap(limits.output_bytes, drops=overflow == "drop")
        self.error_cap = OutputCap(limits.output_bytes, drops=True) if self.cap.drops else self.cap
        inherited = self.stage if self.stage is not None and self.stage.inherits else None
        self.out = self._sink(1, stdout, self.cap) if inherited is None else inherited.stream(1)
        self.err = self._sink(2, stderr, self.error_cap) if inherited is None else inherited.stream(2)
        self.runtime = shell.runtime if steps is None else steps.observe(shell.runtime, self.kernel)
        self.inherited = inherited
        self.feed = None if isinstance(stdin, (bytes, str)) else stdin
        self.data = input_data(stdin) or b""
        #: When the script ended, in virtual seconds of the run; None before.
        self.over_since: float | None = None

    def _sink(self, descriptor: int, write: WriteBytes | None, cap: OutputCap) -> Description:
        if self.steps is not None:
            return self.steps.output(descriptor, write, self.budget, cap)
        if write is None:
            return Capture(self.budget, cap)
        return Callback(self.budget, cap, write)

    def process(self) -> Process:
        stdin: Description
        if self.inherited is not None:
            stdin = self.inherited.stream(0)
        else:
            stdin = Input(self.data) if self.feed is None else Feed(self.budget, self.feed)
        descriptors: dict[int, Description] = {0: stdin, 1: self.out, 2: self.err}
        return self.kernel.new_process(1, descriptors, self.shell.cwd)

    def main(self, script: Script) -> Result:
        """Run a script in fresh state."""
        environment = self._environment(script)
        if (refused := self._exceeding(script.text, script.args, environment)) is not None:
            return refused
        text, name, from_file = as_shell_text(script.text), as_shell_text(script.name), script.from_file
        args = [as_shell_text(argument) for argument in script.args]
        process = self.process()
        runtime = self.runtime
        if from_file:
            process.argv = ("bash", name, *args)
            state = new_state(
                runtime, process, name, environment, input="file", main=name, programs=self.stage
            )
        else:
            state = new_state(runtime, process, name, environment, input="string", programs=self.stage)
        state.positional = args
        return self._execute(process, state, text)

    def refused(self, script: Script) -> Result | None:
        """Return the result if the input exceeds a limit, else None."""
        return self._exceeding(script.text, script.args, self._environment(script))

    def continued(
        self, state: State | None, start: Script, script: Script, *, keeps_args: bool, keeps_name: bool
    ) -> tuple[State, Result]:
        """Run a script in a session's state, which moves to this run.

        Args:
            state: None begins the session.
            start: The environment and the name that it began with.
            keeps_args: Its positional parameters stay; else they are those of the script.
            keeps_name: Its ``$0`` stays; else it is that of the script, for this run alone.
        """
        environment = self._environment(start)
        if state is None:
            state = self.new_session(start)
            process = state.process
        else:
            if state.shell is not self.runtime:
                state = with_interpreter(state, self.runtime)
            process = self.process()
            move(state, process, self.stage)
        text, args = as_shell_text(script.text), [as_shell_text(argument) for argument in script.args]
        refused = self._exceeding(text, args, {**environment, **(script.env or {})})
        if refused is not None:
            return state, refused
        if not keeps_args:
            state.positional = args
        kept = state.name, state.source, state.invocation
        name = state.name if keeps_name else as_shell_text(script.name)
        state.name = state.source = name
        if script.from_file:
            process.argv = ("bash", name, *state.positional)
            state.invocation = state.invocation._replace(input="file", main=name)
        result = self._execute(process, state, text, script.env)
        if script.from_file or not keeps_name:
            state.name, state.source, state.invocation = kept
        return state, result

    def new_session(self, start: Script) -> State:
        """Return the state of a session that begins."""
        environment = self._environment(start)
        return new_state(
            self.runtime, self.process(), start.name, environment, input="string", programs=self.stage
        )

    def _environment(self, script: Script) -> dict[str, str]:
        """Return the shell's variables and those of the script."""
        return {**self.shell.env, **shell_environment(script.env)} if script.env else self.shell.env

    def _exceeding(self, text: str, args: Sequence[str], environment: Mapping[str, str]) -> Result | None:
        """Return the result if what the run begins with exceeds a limit, else None."""
        limit = exceeded(self.limits, text, args, environment, self.data)
        if limit is None:
            return None
        try:
            self.budget.fail(limit)
        except LimitExceeded as error:
            return self._refused(error)

    def _refused(self, error: LimitExceeded) -> Result:
        """Return the result of a run whose input exceeds a limit."""
        if self.stage is not None:
            self.stage.close(ended=True)
        return self._result(1, None, error)

    def _execute(
        self, process: Process, state: State, script: str, env: Mapping[str, str] | None = None
    ) -> Result:
        scheduler = self.kernel.scheduler
        runtime = self.runtime
        error: LimitExceeded | None = None
        defect: Exception | None = None
        ended = False
        label = "" if state.invocation.input == "file" else "-c: "

        def main() -> int:
            if env:
                self.notes = export_variables(state, env)
            return runtime.run_main(state, script, label)

        process.start(main)
        if self.cancel is not None:
            self.cancel.attach(self.budget)
        watched = WatchedRun(self.budget, interruptible=self.stage is None)
        try:
            if self.budget.exhausted is not None:  # cancelled before it began
                raise self.budget.exhausted
            watched.watch(lambda: scheduler.run(lambda: process.done and self._is_over()))
            ended = True
        except LimitExceeded as exceeded:
            error = exceeded
        except RunInterrupted:
            error = self.budget.exhausted or LimitExceeded("wall_seconds", self.limits.wall_seconds)
            self.budget.exhausted = error
        except MemoryError:  # the system had less memory than the limit allows
            error = self.budget.exhausted or LimitExceeded("memory_bytes", self.limits.memory_bytes)
            self.budget.exhausted = error
        except RecursionError:
            error = self.budget.exhausted or LimitExceeded("call_depth", self.limits.call_depth)
            self.budget.exhausted = error
        except Exception as exception:  # the only barrier: a defect ends the run, not the host
            defect = exception
        finally:
            script_status = process.status if self._was_held() else None
            if self.cancel is not None:
                self.cancel.detach(self.budget)
            scheduler.close()
            if self.stage is None:  # else programs of the machine hold them
                self.kernel.close_descriptors()
            if error is not None:
                error.with_traceback(None)  # its frames hold all that the run had
            if self.stage is not None:
                self.stage.close(ended=ended)
        result = self._result(process.status, state, error, defect)
        result.interrupted = watched.interrupted
        result.script_status = script_status
        return result

    def _is_over(self) -> bool:
        """Return True when every output descriptor is closed, or on a host the linger time has passed."""
        if self.over_since is None:
            self.over_since = self.budget.elapsed()
        if not self.out.references and not self.err.references:
            return True
        return self.stage is not None and not self.stage.lingers()

    def _was_held(self) -> bool:
        """Return True if the script ended some time before its outputs were closed, or the run was ended."""
        return self.over_since is not None and self.budget.elapsed() - self.over_since > HELD

    def _result(
        self, status: int, state: State | None, error: LimitExceeded | None, defect: Exception | None = None
    ) -> Result:
        crash = error.reason if isinstance(error, WorkerCrash) else None
        if error is not None:
            status = TIMED_OUT if error.limit == "wall_seconds" else KILLED
        elif defect is not None:
            status = DEFECT
        failure = self.kernel.failure if error is None and defect is None else None
        if failure is not None and failure.status != status:
            failure = None
        return Result(
            self.out.getvalue() if isinstance(self.out, Capture) else b"",
            self.err.getvalue() if isinstance(self.err, Capture) else b"",
            status,
            limit=error.limit if error is not None and crash is None else None,
            truncated=self.cap.truncated or self.error_cap.truncated,
            stdout_truncated=self.cap.truncated,
            duration=monotonic() - self.started,
            syntax_error=None if state is None else state.execution.syntax_error,
            not_started=failure.reason or None if failure is not None else None,
            outermost=failure is not None and failure.outermost,
            signal=NAMES.get(failure.signal) if failure is not None else None,
            defect=defect,
            failure=crash,
            notes=(*self.notes, *(() if self.stage is None else self.stage.notes), *self.kernel.notes),
        )
