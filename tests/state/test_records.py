"""What a subshell shares, what it gets a copy of, and what begins anew; and what a session keeps."""

from __future__ import annotations

from sandhook.kernel.process import Kernel
from sandhook.limits import Limits
from sandhook.state.fork import fork, move
from sandhook.state.records import Execution, Invocation, Tracing
from sandhook.state.state import State
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.path import ROOT, VirtualPath


def new_state() -> State:
    kernel = Kernel(MemoryFileSystem(), Limits())
    return State(kernel.new_process(1, {}, ROOT), object(), invocation=Invocation("file", "x.sh"))


def test_a_copy_has_every_field() -> None:
    tracing = Tracing()
    for name in Tracing.__annotations__:
        setattr(tracing, name, name)
    assert vars(tracing.copy()) == vars(tracing) | {"debugged": None}  # its DEBUG trap ran in the parent


def test_a_subshell_begins_with_every_default_of_its_execution() -> None:
    assert vars(Execution()) == {}
    assert [name for name in Execution.__annotations__ if not hasattr(Execution, name)] == []


def test_a_subshell_shares_what_is_immutable() -> None:
    state = new_state()
    child = fork(state, state.process.fork())
    assert (child.invocation, child.memo, child.options) == (state.invocation, state.memo, state.options)
    child.memo = child.memo._replace(seconds=7)
    child.set_shopt("extglob", True)
    assert (state.memo.seconds, state.options.extglob) == (0, False)


def test_a_subshell_has_a_tracing_of_its_own() -> None:
    state = new_state()
    state.tracing.depth = 2
    child = fork(state, state.process.fork())
    child.tracing.depth += 1
    child.tracing.running_traps |= {"EXIT"}
    assert (child.tracing.depth, state.tracing.depth, state.tracing.running_traps) == (3, 2, frozenset())


def test_a_subshell_is_in_the_middle_of_nothing() -> None:
    state = new_state()
    state.execution.last_command = 0
    state.execution.killed = 1000, 9
    state.execution.substitutions = [63]
    child = fork(state, state.process.fork())
    found = child.execution
    assert (found.last_command, found.killed, found.substitutions) == (-1, None, None)


def test_a_session_moves_with_its_variables_and_without_its_calls() -> None:
    state = new_state()
    state.set("x", "1")
    state.traps["INT"] = ":"
    state.calls, state.coprocesses = 3, (60, 63)
    state.process.cwd, state.process.umask = VirtualPath("/tmp"), 0o077
    process = Kernel(MemoryFileSystem(), Limits()).new_process(1, {}, ROOT)
    move(state, process)
    assert (state.process, state.budget, state.shell_pid) == (process, process.kernel.budget, process.pid)
    assert (process.cwd, process.umask, state.get("x"), state.traps) == ("/tmp", 0o077, "1", {"INT": ":"})
    assert (state.calls, state.coprocesses, state.jobs) == (0, (), None)
