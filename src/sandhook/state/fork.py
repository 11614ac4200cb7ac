"""How a State goes on as another process: copied for a subshell, or moved to the next run of a session."""

from __future__ import annotations

from sandhook.kernel.process import Process
from sandhook.state.records import Execution
from sandhook.state.state import Interpreter, Programs, State
from sandhook.state.values import ARRAY, ASSOC, READONLY

#: Attributes of arrays, which are copied unless they are readonly; a string is shared.
_ARRAYS = ARRAY | ASSOC


def fork(state: State, process: Process) -> State:
    """Return the state of a subshell that runs as ``process``."""
    new = state.__class__.__new__(state.__class__)
    # What both share, or what is replaced and never changed in place.
    new.arithmetic_depth = state.arithmetic_depth
    new.budget = state.budget
    new.calls = state.calls
    new.coprocesses = state.coprocesses
    new.disabled_builtins = state.disabled_builtins
    new.dynamics = state.dynamics
    new.errexit_suppressed = state.errexit_suppressed
    new.eval_in_condition = state.eval_in_condition
    new.executed = state.executed
    new.getopts_position = state.getopts_position
    new.instrumented = state.instrumented
    new.invocation = state.invocation
    new.last_argument = state.last_argument
    new.last_background = state.last_background
    new.line, new.memo = state.line, state.memo
    new.name, new.options = state.name, state.options
    new.pipestatus = state.pipestatus
    new.positional = state.positional
    new.programs = state.programs
    new.shifted_list = state.shifted_list = None
    new.shell, new.shell_pid = state.shell, state.shell_pid
    new.source, new.started = state.source, state.started
    new.status = state.status
    new.substitution_status = state.substitution_status
    new.unlisted = state.unlisted
    new.unset_dynamics = state.unset_dynamics
    # What the subshell may change for itself.
    new.process = process
    new.values = values = state.values.copy()
    new.attributes = state.attributes.copy()
    for name, bits in state.attributes.items():
        if (
            bits & _ARRAYS and not bits & READONLY
        ):  # every array has one of these, and asking for the value costs more
            value = values.get(name)
            if value is not None and not isinstance(value, str):
                values[name] = value.copy(state.budget)
    new.aliases = state.aliases.copy()
    new.completions = state.completions
    new.directory_stack = state.directory_stack.copy()
    new.frames = frames = state.frames.copy()
    new.shared_frames = len(frames)
    new.functions = state.functions.copy()
    new.hashed, new.hash_path = state.hashed.copy(), state.hash_path
    new.namerefs = state.namerefs.copy()
    scopes = state.temporary_scopes
    new.temporary_scopes = [scope.copy() for scope in scopes] if scopes else []
    new.tracing = state.tracing.copy()
    new.traps = state.traps.copy()
    # What begins anew.
    new.execution = Execution()
    new.jobs = new.pending_temporaries = None
    new.loops = 0
    new.operands = []
    new.subshell = state.subshell + 1
    return new


def with_interpreter(state: State, shell: Interpreter) -> State:
    """Return a state, not in use, as one of another interpreter. An interpreter that observes has states of its own class."""
    new = shell.state_class.__new__(shell.state_class)
    for name in State.__slots__:
        setattr(new, name, getattr(state, name))
    new.shell = shell
    new.update_instrumented()  # a state that is observed is always instrumented
    return new


def move(state: State, process: Process, programs: Programs | None = None) -> None:
    """Go on as another process, of another run: variables, functions, options and traps stay.

    Calls, jobs, descriptors of coprocesses, and what the former process was in the middle of end with it.
    """
    process.take_over(state.process)
    process.on_signal = state.handle_signal
    state.process = process
    state.programs = programs
    state.budget = process.kernel.budget
    state.shell_pid = process.pid
    state.execution = Execution()
    tracing = state.tracing
    tracing.depth, tracing.outer_depth = 0, -1
    tracing.running_traps, tracing.exit_status = frozenset(), None
    state.jobs = None
    state.coprocesses = ()
    state.frames = []
    state.temporary_scopes = []
    state.shared_frames = 0
    state.errexit_suppressed = state.loops = state.calls = 0
