"""What a run begins with: its script, its streams, and the bounds of both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sandhook.kernel.descriptor import ReadInput, WriteBytes
from sandhook.limits import Cancellation, Limits, Overflow
from sandhook.record import Record
from sandhook.state.control import ShellError
from sandhook.state.state import State
from sandhook.state.values import EXPORT
from sandhook.text.names import is_name
from sandhook.text.surrogates import as_shell_text
from sandhook.typed import TYPE_CHECKING, Literal


class Script(Record):
    """What a run executes; see ``Shell.run``."""

    text: str
    args: Sequence[str] = ()
    env: Mapping[str, str] | None = None
    name: str = "bash"
    from_file: bool = False


class Streams(Record):
    """What a run reads and writes, and who may end it; see ``Shell.run``."""

    stdin: bytes | str | ReadInput = b""
    stdout: WriteBytes | None = None
    stderr: WriteBytes | None = None
    overflow: Overflow = "fail"
    cancel: Cancellation | None = None
    steps: Steps | None = None


#: The environment of a script when the caller passes none.
DEFAULT_ENVIRONMENT: dict[str, str] = {
    "HOME": "/home/agent",
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "SHELL": "/bin/bash",
    "USER": "agent",
}


if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from threading import Lock
    from typing import TypedDict

    from sandhook.interp.steps import Steps

    class SessionStreamArguments(TypedDict, total=False):
        """The keyword arguments of ``Session.stream``."""

        stdin: bytes | str | ReadInput
        args: Sequence[str] | None
        env: Mapping[str, str] | None
        name: str | None
        from_file: bool
        limits: Limits | None
        overflow: Overflow
        cancel: Cancellation | None
        temporary_files: Sequence[tuple[str, bytes]]
        steps: Steps | None

    class SessionArguments(SessionStreamArguments, total=False):
        """The keyword arguments of ``Session.run``."""

        stdout: WriteBytes | None
        stderr: WriteBytes | None

    class StreamArguments(TypedDict, total=False):
        """The keyword arguments of ``Shell.stream``."""

        stdin: bytes | str | ReadInput
        args: Sequence[str]
        env: Mapping[str, str] | None
        name: str
        from_file: bool
        limits: Limits | None
        overflow: Overflow
        cancel: Cancellation | None
        temporary_files: Sequence[tuple[str, bytes]]
        steps: Steps | None

    class RunArguments(StreamArguments, total=False):
        """The keyword arguments of ``Shell.run``."""

        stdout: WriteBytes | None
        stderr: WriteBytes | None


def input_data(stdin: bytes | str | ReadInput) -> bytes | None:
    """Return standard input that is known from the start; None for a callable."""
    if isinstance(stdin, str):
        return as_shell_text(stdin).encode("utf-8", "surrogateescape")
    return stdin if isinstance(stdin, bytes) else None


def exceeded(
    limits: Limits, script: str, args: Sequence[str], environment: Mapping[str, str], data: bytes
) -> Literal["script_bytes", "input_bytes"] | None:
    """Return the limit that what a run begins with exceeds."""
    if len(script) > limits.script_bytes:
        return "script_bytes"
    texts = (*args, *environment, *environment.values())
    return "input_bytes" if len(data) + sum(map(len, texts)) > limits.input_bytes else None


def shell_environment(env: Mapping[str, str]) -> dict[str, str]:
    """Return an environment as the shell has it, with the bytes of each text as its characters."""
    if "".join((*env, *env.values())).isascii():
        return dict(env)
    return {as_shell_text(name): as_shell_text(value) for name, value in env.items()}


def export_variables(state: State, env: Mapping[str, str]) -> tuple[str, ...]:
    """Set and export variables of a running shell; return a note for each that cannot be set."""
    notes = []
    for name, value in shell_environment(env).items():
        if not is_name(name):
            state.memo = state.memo._replace(foreign={**state.memo.foreign, name: value})
            continue
        try:
            state.set(name, value)
        except ShellError as error:
            notes.append(f"env: {error.message}")
        else:
            target, _ = state.resolve(name)
            state.attributes[target] = state.attributes.get(target, 0) | EXPORT
    return tuple(notes)


def turn(lock: Lock, cancel: Cancellation | None) -> AbstractContextManager[object]:
    """Return what holds the lock of a Shell during a run."""
    if cancel is None:
        return lock
    from sandhook.kernel.threads import Turn

    return Turn(lock, cancel)
