"""ShellTool: ``bash`` for a model, on a session in the sandbox.

    shell = ShellTool(files={"data.csv": "a,b\n"})
    output = shell.run("wc -l data.csv")
    print(output.text)

The session keeps variables, functions and the working directory between commands. ``snapshot`` stores it.
"""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextvars import copy_context
from importlib.util import find_spec
from typing import TYPE_CHECKING, Self

from sandhook.errors import LimitName
from sandhook.limits import Limits
from sandhook.record import Record
from sandhook.shell import Session, Shell

if TYPE_CHECKING:
    from typing import TypedDict, Unpack

    from sandhook.command.own import Utilities
    from sandhook.interp.result import Result
    from sandhook.net.network import Network
    from sandhook.vfs.base import FileSystem

    class ToolArguments(TypedDict, total=False):
        """The arguments of a ShellTool that are not part of its session."""

        name: str
        description: str | None
        max_chars: int

    class ShellArguments(ToolArguments, total=False):
        """The keyword arguments of ShellTool."""

        files: Mapping[str, str | bytes] | None
        env: Mapping[str, str] | None
        cwd: str
        limits: Limits | None
        network: Network | None
        utilities: Utilities | None
        fs: FileSystem | None
        session: Session | None

    class RestoreArguments(ToolArguments, total=False):
        """The keyword arguments of ``ShellTool.restore``."""

        limits: Limits | None
        network: Network | None
        utilities: Utilities | None


#: Characters of output for a model, unless a framework or the caller has another bound.
MAX_CHARS = 30_000

#: Bounds of one command: agents run longer commands than hooks.
LIMITS = Limits(wall_seconds=30.0, output_bytes=1 << 20, fs_bytes=64 << 20)

DESCRIPTION = (
    "Run a bash command in a sandbox and return its output. The usual Unix utilities work (grep, sed, awk, jq, "
    "sort, find{git}). Variables, functions, the working directory and files stay for later commands. "
    "The sandbox has no programs and no files of the machine{reach}."
)

#: The argument of the tool, and its arguments, as JSON Schema.
COMMAND = {"type": "string", "description": "The bash command or script to run."}
SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": {"command": COMMAND},
    "required": ["command"],
    "additionalProperties": False,
}


class ShellOutput(Record):
    """What one command wrote, for a model and for programs.

    Attributes:
        text: For the model: both outputs, cut in the middle, with the exit status if it is not 0.
        stdout, stderr: The outputs as text, not cut; invalid UTF-8 is replaced.
        exit_status: 0 to 255.
        limit: The field of Limits that ended the command, or None.
        cut: ``text`` does not have all of the output.
    """

    text: str
    stdout: str
    stderr: str
    exit_status: int
    limit: LimitName | None = None
    cut: bool = False

    def facts(self) -> dict[str, object]:
        """Return all but ``text`` as a dictionary, for programs."""
        return {name: getattr(self, name) for name in self._fields[1:]}


class ShellTool:
    """A bash tool for a model. It may be used from any thread, one command at a time.

    One tool is one session: agents that must not see each other's files need a tool each.

    Args:
        files, env, cwd, network, utilities, fs: As for ``Shell``; without ``network`` commands reach no network.
        limits: Bounds of each command; by default 30 s, 1 MiB of output and 64 MiB of files.
        name, description: The tool's, for the model.
        max_chars: Characters of output that the model sees.
        session: A session to use instead of a new one.

    Raises:
        TypeError, ValueError: An argument is wrong.
    """

    def __init__(
        self,
        *,
        files: Mapping[str, str | bytes] | None = None,
        env: Mapping[str, str] | None = None,
        cwd: str = "/workspace",
        limits: Limits | None = None,
        network: Network | None = None,
        utilities: Utilities | None = None,
        fs: FileSystem | None = None,
        name: str = "bash",
        description: str | None = None,
        max_chars: int = MAX_CHARS,
        session: Session | None = None,
    ) -> None:
        if isinstance(max_chars, bool) or not isinstance(max_chars, int) or max_chars < 1:
            raise ValueError(f"max_chars must be a number above 0, not {max_chars!r}")
        if session is None:
            limits = limits or LIMITS
            shell = Shell(
                files=files, env=env, cwd=cwd, limits=limits, network=network, utilities=utilities, fs=fs
            )
            session = shell.session()
        self.session = session
        self.name = name
        self.max_chars = max_chars
        reach = "" if session.shell.network is not None else ", and no network"
        git = ", git" if find_spec("dulwich") is not None else ""  # of the extra "git"
        self.description = description or DESCRIPTION.replace("{reach}", reach).replace("{git}", git)

    @property
    def shell(self) -> Shell:
        """The Shell whose files the commands use."""
        return self.session.shell

    def run(
        self,
        command: str,
        *,
        timeout: float | None = None,
        max_chars: int | None = None,
        write: Callable[[str], object] | None = None,
    ) -> ShellOutput:
        """Run a command. It never raises an exception because of the command.

        Args:
            timeout: Seconds; never more than the limit of the tool.
            max_chars: Characters of output for the model instead of those of the tool.
            write: Receives each piece of output while the command runs.
        """
        limits = self._limits(timeout)
        if write is None:
            result = self.session.run(command, overflow="drop", limits=limits)
            return self._output(result, result.stdout_bytes, result.stderr_bytes, max_chars)
        out, err = _Copy(write), _Copy(write)
        result = self.session.run(command, overflow="drop", limits=limits, stdout=out, stderr=err)
        out.end()
        err.end()
        return self._output(result, bytes(out.data), bytes(err.data), max_chars)

    async def arun(
        self,
        command: str,
        *,
        timeout: float | None = None,
        max_chars: int | None = None,
        write: Callable[[str], object] | None = None,
    ) -> ShellOutput:
        """Run a command without blocking the event loop, where ``write`` is called; a cancelled task ends it.

        Args:
            timeout, max_chars: Those of ``run``.
            write: Receives each piece of output; it may be asynchronous, and the next piece waits for it.
        """
        async for item in self.stream(command, timeout=timeout, max_chars=max_chars):
            if isinstance(item, ShellOutput):
                return item
            if write is not None and isinstance(written := write(item), Awaitable):
                await written
        raise AssertionError("a stream ends with its ShellOutput")

    async def stream(
        self, command: str, *, timeout: float | None = None, max_chars: int | None = None
    ) -> AsyncIterator[str | ShellOutput]:
        """Yield pieces of output while the command runs, and its ShellOutput as the last item."""
        pieces: list[str] = []
        copies = {"stdout": _Copy(pieces.append), "stderr": _Copy(pieces.append)}
        limits = self._limits(timeout)
        async with self.session.stream(command, overflow="drop", limits=limits) as stream:
            async for piece in stream:
                copies[piece.stream](piece.data)
                while pieces:
                    yield pieces.pop(0)
        for copy in copies.values():
            copy.end()
        for text in pieces:
            yield text
        out, err = (bytes(copies[name].data) for name in ("stdout", "stderr"))
        yield self._output(stream.result, out, err, max_chars)

    def snapshot(self) -> bytes:
        """Return the session as bytes for ``restore``. Raises SnapshotError."""
        return self.session.snapshot()

    @classmethod
    def restore(cls, data: bytes, **arguments: Unpack[RestoreArguments]) -> Self:
        """Return a tool with a session as ``snapshot`` stored it. Raises SnapshotError for malformed data."""
        limits = arguments.pop("limits", None) or LIMITS
        network, utilities = arguments.pop("network", None), arguments.pop("utilities", None)
        session = Shell.restore(data, limits=limits, network=network, utilities=utilities)
        return cls(session=session, **arguments)

    def fork(self) -> ShellTool:
        """Return a second tool that begins as this one is now. Raises SnapshotError."""
        return ShellTool(
            session=self.session.fork(),
            name=self.name,
            description=self.description,
            max_chars=self.max_chars,
        )

    def _limits(self, timeout: float | None) -> Limits | None:
        limits = self.shell.limits
        if timeout is None or timeout >= limits.wall_seconds:
            return None
        return limits.with_(wall_seconds=timeout)

    def _output(self, result: Result, stdout: bytes, stderr: bytes, max_chars: int | None) -> ShellOutput:
        out, err = stdout.decode("utf-8", "replace"), stderr.decode("utf-8", "replace")
        text, cut = shortened(_both(out, err), self.max_chars if max_chars is None else max_chars)
        notes = []
        if result.truncated:
            notes.append("[more output was dropped]")
        if result.limit == "wall_seconds":
            notes.append("[the command timed out]")
        elif result.limit is not None:
            notes.append(f"[the command was ended: limit {result.limit}]")
        elif result.exit_status:
            notes.append(f"[exit status {result.exit_status}]")
        text = "\n".join([*([text.rstrip("\n")] if text else []), *notes])
        truncated = cut or result.truncated
        return ShellOutput(text, out, err, result.exit_status, result.limit, truncated)


def shell_of(shell: ShellTool | None, arguments: ShellArguments) -> ShellTool:
    """Return a ShellTool as it is, or a new one. Raises ValueError for a ShellTool with arguments of a new one."""
    if shell is None:
        return ShellTool(**arguments)
    if arguments:
        raise ValueError(f"{', '.join(arguments)}: pass them to the ShellTool")
    return shell


def command_of(arguments: object) -> str:
    """Return the command in the arguments of a call. Raises ValueError, for the model, unless they are those of SCHEMA."""
    wanted = 'the arguments must be {"command": TEXT}'
    if not isinstance(arguments, Mapping):
        raise ValueError(wanted)
    for name in arguments:
        if name != "command":
            raise ValueError(f"{wanted}; there is no argument {name!r}")
    command = arguments.get("command")
    if not isinstance(command, str):
        raise ValueError(f"{wanted}; {'command is not a text' if arguments else 'there is no command'}")
    return command


class _Copy:
    """Keeps the bytes of one output, and writes them as text; a character may come in two pieces.

    ``write`` sees the context variables of the caller: a process of the shell is a greenlet and has none.
    """

    def __init__(self, write: Callable[[str], object]) -> None:
        self.data = bytearray()
        context = copy_context()
        self._write: Callable[[str], object] = lambda text: context.run(write, text)
        decoder = getincrementaldecoder("utf-8")("replace")
        self._decode: Callable[[bytes, bool], str] = decoder.decode

    def __call__(self, data: bytes) -> None:
        self.data += data
        if text := self._decode(data, False):
            self._write(text)

    def end(self) -> None:
        """Write what is left of a character that was cut."""
        if text := self._decode(b"", True):
            self._write(text)


def shortened(text: str, most: int) -> tuple[str, bool]:
    """Return a text of at most ``most`` characters and a note, without its middle; and whether it was cut."""
    if len(text) <= most:
        return text, False
    head = most - most // 2
    tail = text[len(text) - most // 2 :] if most > 1 else ""
    return f"{text[:head]}\n[... {len(text) - most} characters cut ...]\n{tail}", True


def _both(out: str, err: str) -> str:
    if not out or not err:
        return out or err
    return f"{out}{'' if out.endswith(chr(10)) else chr(10)}{err}"
