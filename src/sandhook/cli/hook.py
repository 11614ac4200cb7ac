"""``sandhook hook``: run one script as a command hook of an agent, in the sandbox.

The settings of an agent name this command instead of the script. The payload comes on standard input; output and
exit status of the script go back unchanged.
"""

from __future__ import annotations

import os
from time import monotonic

from sandhook.cli import UsageError
from sandhook.cli.arguments import Parser, add_git_writes, add_isolation, add_variables
from sandhook.cli.cache import default_store
from sandhook.cli.configuration import add_write_back_also, environment
from sandhook.cli.permissions import add_host, host_of
from sandhook.errors import SandhookError
from sandhook.hooks import contracts
from sandhook.hooks.decode import DecodeError
from sandhook.record import Record
from sandhook.typed import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from sandhook.hooks.contracts import Contract
    from sandhook.hooks.event import Event
    from sandhook.hooks.model import HookSpec, RunResult
    from sandhook.host.world import Host
    from sandhook.vfs.base import FileSystem

_SECONDS = 60.0
_OUTPUT_BYTES = 1 << 20
_CANNOT_RUN = 126

#: Variables that the sandbox and the contract set; the agent's own values do not count.
_PLACES = frozenset({"HOME", "PATH", "PWD", "SHELL", "TMPDIR", "USER"})

_SHELLS = ("sh", "bash", "dash", "ash")


def parser() -> Parser:
    result = Parser(
        "hook",
        "--contract NAME [OPTION]... -- (SCRIPT | -c TEXT | -b BASE64) [ARG]...",
        "Run a script of this machine as a command hook of an agent, in the sandbox. The payload of\n"
        "the event comes on standard input; standard output and error are those of the script. It sees\n"
        "only itself and the directory of --workspace. With --host it runs on this machine instead, with\n"
        "its files, programs and variables.",
    )
    add = result.add_argument
    add("--contract", required=True, metavar="NAME", help="the agent that runs the hook")
    add("--event", metavar="EVENT", help="name of the event, when the payload does not have it")
    add(
        "--workspace",
        metavar="DIR",
        help="show this directory, also as /workspace; the script changes a copy",
    )
    add("--write-back", action="store_true", help="apply the changes to DIR")
    add_write_back_also(result)
    add(
        "--timeout",
        type=float,
        default=_SECONDS,
        metavar="S",
        help=f"limit in seconds (default {_SECONDS:g})",
    )
    add_variables(result, "a variable for the script", "all variables of this process")
    add_git_writes(result)
    add_isolation(result, "thread")
    add_host(result, "run on this machine instead of in the sandbox: for scripts that you trust")
    add("--fail-closed", action="store_true", help="refuse when the script could not run")
    return result


class Script(Record):
    """The script: its text, ``$0``, its arguments, and whether it comes from a file."""

    text: str
    name: str
    words: tuple[str, ...]
    is_file: bool


def run(arguments: list[str]) -> int:
    """Run the command and return the exit status for the agent."""
    from sandhook.cli.as_hook import closed

    at = arguments.index("--") if "--" in arguments else len(arguments)
    own, words = arguments[:at], arguments[at + 1 :]
    return closed(lambda: _run_with_options(own, words))


def _run_with_options(own: list[str], words: list[str]) -> int:
    options = parser().parse_args(own)
    if options.timeout <= 0:
        raise UsageError("--timeout must be more than 0 seconds")
    if options.write_back_also and not options.write_back:
        raise UsageError("--write-back-also needs --write-back")
    if options.write_back and options.workspace is None:
        raise UsageError("--write-back needs --workspace DIR")
    try:
        contract = contracts.get(options.contract)
        if options.event is not None:
            contracts.kind_of(contract, options.event)
    except SandhookError as error:
        raise UsageError(str(error)) from None
    return _hook(options, contract, words)


def _hook(options: argparse.Namespace, contract: Contract, words: list[str]) -> int:
    from sandhook.cli.as_hook import event_of, internal, stdin, write_answer
    from sandhook.cli.notes import print_note
    from sandhook.hooks.adapters.caller import refusal
    from sandhook.hooks.contracts import Answer
    from sandhook.hooks.model import RunResult

    data = stdin()
    event, native, fault, exceeded = None, "", "", False
    try:
        event, native = event_of(contract, options.event, data)
    except (SandhookError, DecodeError) as error:
        fault = str(error)
    notes = [f"sandhook: {fault}"] if fault else []
    script, call, began = _script(words), _Call(contract, event, native, data), monotonic()
    if isinstance(script, Script):
        try:
            ran = _run(options, call, script, notes)
        except (SandhookError, UsageError):
            raise
        except Exception as error:
            _observe(options, call, script, RunResult(failure=internal(error), failure_is_ours=True), began)
            return write_answer(refusal(contract, event, internal(error)), [])
        _observe(options, call, script, ran, began)
        exceeded = ran.exceeded_bound
        why, status = ran.could_not_run, ran.exit_status
        answer = Answer(ran.stdout, ran.stderr, _CANNOT_RUN if status is None else status)
    else:
        why, answer = script, Answer(exit_status=_CANNOT_RUN)
        unread = Script("", words[0], tuple(words[1:]), True)
        _observe(options, call, unread, RunResult(failure=why), began)
    if why is not None:
        notes.append(f"sandhook: could not run: {why}")
    if exceeded or (options.fail_closed and (why is not None or fault)):
        return write_answer(refusal(contract, event, notes[-1]), [])
    if why is not None and answer.exit_status != 0:
        print_note(notes[-1])
    return write_answer(answer, notes)


def _script(words: list[str]) -> Script | str:
    """Return the script, or the reason why it cannot run."""
    if words[:1] in (["-c"], ["-b"]):
        if len(words) < 2:
            raise UsageError(f"hook: {words[0]} needs {'TEXT' if words[0] == '-c' else 'BASE64'}")
        text = words[1] if words[0] == "-c" else _decoded(words[1])
        return Script(text, words[2] if len(words) > 2 else "bash", tuple(words[3:]), False)
    if not words:
        raise UsageError("hook: needs -- SCRIPT or -- -c TEXT")
    name = words[0]
    from sandhook.hooks.sources import read_regular
    from sandhook.limits import Limits

    try:
        data = read_regular(name, Limits().script_bytes + 1)
    except OSError as error:
        return f"{name}: {error.strerror}"
    if data is None:  # reading it could wait for ever, and the agent's timeout lets the action pass
        return f"{name}: not a regular file"
    other = _other_interpreter(data)
    if other is not None:
        return f"{name}: it is for {other}, and the sandbox runs shell scripts"
    return Script(data.decode("utf-8", "surrogateescape"), name.replace("\\", "/"), tuple(words[1:]), True)


def _decoded(text: str) -> str:
    """Return a script's text from base64, which no shell of any system changes."""
    from binascii import Error, a2b_base64

    try:
        return a2b_base64(text.encode("ascii", "replace"), strict_mode=True).decode(
            "utf-8", "surrogateescape"
        )
    except Error as error:
        raise UsageError(f"hook: -b: not base64: {error}") from None


def _other_interpreter(data: bytes) -> str | None:
    """Return the interpreter that the first line names, when it is not a shell."""
    from sandhook.dispatch.shebang import READ, program_of

    program = program_of(data[:READ])
    return None if program in _SHELLS else program


class _Call(Record):
    """How the agent calls the hook."""

    contract: Contract
    event: Event | None  #: None when standard input is not an event of the contract
    native: str  #: the agent's name of the event
    data: bytes  #: standard input


def _observe(options: argparse.Namespace, call: _Call, script: Script, ran: RunResult, began: float) -> None:
    """Report the decision to the observer of the command, as that of an engine with this one hook."""
    from sandhook.cli.observer import OBSERVER

    observer = OBSERVER.get()
    if observer is None or call.event is None:
        return
    from sandhook.cli.as_hook import payload_of
    from sandhook.hooks.audit import FiredEvent
    from sandhook.hooks.engine import HookEngine
    from sandhook.hooks.loading import Group

    spec = _spec(call.event, call.native, script, options.timeout)
    engine = HookEngine(
        [Group(call.contract, (spec,))], runner=lambda request: ran, fail_closed=options.fail_closed
    )
    fired = FiredEvent(
        call.event, engine.fire(call.event), monotonic() - began, call.contract.name, call.native
    )
    observer.decided(call.contract, fired._replace(payload=payload_of(call.data)))


def _run(options: argparse.Namespace, call: _Call, script: Script, notes: list[str]) -> RunResult:
    from sandhook.cli.observer import OBSERVER

    if host := host_of(options):
        return _run_on_host(options, call, script, host)
    if observer := OBSERVER.get():
        observer.begins(options.timeout)
    from sandhook.hooks.runner import as_ran, working_directory
    from sandhook.interp.beginning import DEFAULT_ENVIRONMENT
    from sandhook.limits import Limits
    from sandhook.shell import Shell
    from sandhook.vfs.path import normalize

    fs: FileSystem | None = None
    workspace = None
    if options.workspace is not None:
        from sandhook.cli.files import Workspace

        workspace = Workspace(options.workspace)
        fs = workspace.fs
    env = {**DEFAULT_ENVIRONMENT, **_inherited(options)}
    cwd = "/workspace"
    if call.event is not None:
        contract_env, cwd = _contracts_own(call.contract, call.event, call.native, script, options.timeout)
        cwd = working_directory(cwd)
        env.update(
            {name: os.environ.get(name, text) for name, text in contract_env.items() if name not in _PLACES}
        )
        if fs is None or not fs.is_dir(normalize(cwd)):
            cwd = "/workspace"
    shell = Shell(
        fs=fs,
        env=env,
        cwd=cwd,
        limits=Limits(wall_seconds=options.timeout, output_bytes=_OUTPUT_BYTES),
        parse_cache=default_store(),
        start_files=False,
        git_writes=options.git_writes,
        isolation=options.isolation or "thread",
    )
    result = shell.run(
        script.text, stdin=call.data, args=script.words, name=script.name, from_file=script.is_file
    )
    if workspace is not None:
        workspace.finish(write_back=options.write_back, report=notes.append, also=options.write_back_also)
    return as_ran(result)


def _run_on_host(options: argparse.Namespace, call: _Call, script: Script, host: Host) -> RunResult:
    """Run a script on this machine, in the directory and with the variables of the agent."""
    for name in ("workspace", "git_writes", "isolation", "inherit_env"):
        if getattr(options, name):
            raise UsageError(f"--{name.replace('_', '-')} is for the sandbox: --host uses this machine")
    from sandhook.hooks.runner import as_ran
    from sandhook.host.environment import build
    from sandhook.host.files import WINDOWS
    from sandhook.host.shell import HostShell
    from sandhook.limits import Limits

    variables = environment(options.env, inherit=False)
    env = build("inherit", os.environ, keep=options.keep_env, extra=variables, windows=WINDOWS)
    limits = Limits.generous().with_(wall_seconds=options.timeout, output_bytes=_OUTPUT_BYTES)
    shell = HostShell(host=host, env=env, limits=limits, parse_cache=default_store())
    result = shell.run(
        script.text, stdin=call.data, args=script.words, name=script.name, from_file=script.is_file
    )
    return as_ran(result)


def _inherited(options: argparse.Namespace) -> dict[str, str]:
    env = environment(options.env, options.inherit_env)
    named = {text.partition("=")[0] for text in options.env}
    return {name: text for name, text in env.items() if name in named or name not in _PLACES}


def _contracts_own(
    contract: Contract, event: Event, native: str, script: Script, timeout: float
) -> tuple[dict[str, str], str]:
    """Return the variables that the agent sets for a hook, and the working directory of the hook."""
    request = contract.request(_spec(event, native, script, timeout), event, "better")
    return dict(request.env), request.cwd


def _spec(event: Event, native: str, script: Script, timeout: float) -> HookSpec:
    """Return a script as a hook of a configuration."""
    from sandhook.hooks.model import Executor, HookSpec

    return HookSpec(
        id=script.name,
        event=event.kind,
        native_event=native,
        executor=Executor("bash", script.text),
        timeout=timeout,
    )
