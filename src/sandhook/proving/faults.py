"""The faults of ``sandhook chaos``: a row for each, with its name, what is broken, and the change of a try.

A change returns the broken try, or the reason why the fault does not concern the guard.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Literal, get_args

from sandhook.dispatch.operands import SHELLS, base_name
from sandhook.errors import SandhookError
from sandhook.hooks.event import Json, ToolCall
from sandhook.proving.trial import Trial
from sandhook.record import Record

FaultName = Literal[
    "no-jq",
    "no-shell",
    "no-interpreter",
    "not-executable",
    "script-gone",
    "script-crlf",
    "script-bom",
    "timeout",
    "killed",
    "out-of-memory",
    "empty-stdin",
    "truncated-payload",
    "huge-payload",
    "payload-not-utf8",
    "payload-nul",
    "unknown-tool",
    "tool-case",
    "mcp-tool",
    "no-home",
    "no-path",
    "no-tmpdir",
    "no-cwd",
    "read-only-disk",
    "full-disk",
    "locale-c",
    "locale-turkish",
    "output-first",
    "background-child",
]

NAMES: tuple[FaultName, ...] = get_args(FaultName)

#: Faults of the name of the tool: a guard that names its tools is not about others.
OF_THE_TOOL: frozenset[FaultName] = frozenset({"unknown-tool", "tool-case", "mcp-tool"})

#: Bytes of the huge payload, and of the output before the verdict.
HUGE, OUTPUT = 8 << 20, 1 << 20

_Change = Callable[[Trial], Trial | str]

_SHEBANG = re.compile(rb"\A#![^\n]*")
_NO_SCRIPT = "it runs no script file"
_NO_PAYLOAD = "it has no payload on standard input"
_NO_TOOL = "the event has no tool"
_OWN = "sandhook runs it with its own shell and utilities"


class Fault(Record):
    """One fault.

    Attributes:
        name: As in ``--fault``.
        what: What is broken, in a few words.
        change: Returns the broken try, or why the fault does not concern the guard.
        advice: What to do if the guard lets the action pass.
    """

    name: FaultName
    what: str
    change: _Change
    advice: str


# Programs and scripts.


def _no_jq(trial: Trial) -> Trial | str:
    if "jq" not in trial.programs:
        return "it does not call jq"
    if trial.through_sandhook:
        return _OWN
    return trial._replace(without=frozenset({"jq"}))


def _no_shell(trial: Trial) -> Trial | str:
    if trial.through_sandhook:
        return _OWN
    argv = trial.spec.executor.argv
    if not argv:
        return trial._replace(failure="the agent found no shell to start it")
    shell = base_name(argv[0])
    if shell not in SHELLS:
        return "the agent starts it without a shell"
    return trial._replace(missing=argv[0])


def _rewritten(change: Callable[[bytes], bytes | None]) -> _Change:
    """Return the change of all scripts; None removes a script."""

    def rewrite(trial: Trial) -> Trial | str:
        replaced = {
            path: new for path, data in trial.scripts.items() if (new := change(data)) is None or new != data
        }
        return trial._replace(replaced=replaced) if replaced else _NO_SCRIPT

    return rewrite


def _no_interpreter(trial: Trial) -> Trial | str:
    if trial.scripts and not any(data.startswith(b"#!") for data in trial.scripts.values()):
        return 'no script of it has a "#!" line'
    return _rewritten(lambda data: _SHEBANG.sub(b"#!/nonexistent/interpreter", data))(trial)


def _not_executable(trial: Trial) -> Trial | str:
    return trial._replace(mode=0o644) if trial.scripts else _NO_SCRIPT


def _crlf(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


# The process.


def _text_first(text: str) -> _Change:
    return lambda trial: trial._replace(before=text)


def _inside(text: str) -> _Change:
    return lambda trial: trial._replace(inside=text)


def _timeout(trial: Trial) -> Trial:
    """Return a try that sleeps; its timeout is short, because a real clock runs on this machine."""
    return _short(trial, 1.0)._replace(inside="sleep 60")


def _background_child(trial: Trial) -> Trial:
    return _short(trial, 3.0)._replace(inside="sleep 3600 &")


def _short(trial: Trial, seconds: float) -> Trial:
    return trial._replace(spec=trial.spec._replace(timeout=min(trial.spec.timeout, seconds)))


def _out_of_memory(trial: Trial) -> Trial | str:
    return trial._replace(ended=frozenset(trial.programs)) if trial.programs else "it starts no program"


#: Lines of 4,096 bytes, written by the shell itself, which may be any.
_OUTPUT_FIRST = f"i=0; while [ $i -lt {OUTPUT // 4096} ]; do echo {'x' * 4095}; i=$((i+1)); done"


# The payload.


def _changed_payload(change: Callable[[bytes], bytes]) -> _Change:
    return lambda trial: trial._replace(payload=change) if trial.stdin else _NO_PAYLOAD


def _not_utf8(data: bytes) -> bytes:
    """Add a member with bytes that are not UTF-8 to an object."""
    return data.replace(b"{", b'{"sandhook_note":"\xff\xfe\xc0\x80",', 1)


def _with_texts(change: Callable[[str], str], added: Json = None) -> _Change:
    """Return the change of the texts in a tool's input, or in the prompt.

    Args:
        added: A further argument of the tool, or None.
    """

    def each(value: Json) -> Json:
        if isinstance(value, str):
            return change(value)
        if isinstance(value, list):
            return [each(item) for item in value]
        if isinstance(value, Mapping):
            return {name: each(item) for name, item in value.items()}
        return value

    def with_texts(trial: Trial) -> Trial | str:
        event = trial.event
        if event.tool is not None:
            value = each(event.tool.input)
            if isinstance(value, dict) and added is not None:
                value = {**value, "sandhook_note": added}
            return trial._replace(event=event.with_(tool=event.tool._replace(input=value)))
        if event.prompt is not None:
            text = each(event.prompt) if added is None else f"{event.prompt}\n{added}"
            return trial._replace(event=event.with_(prompt=str(text)))
        return "the event has neither a tool nor a prompt"

    return with_texts


# The tool.


def _tool(rename: Callable[[Trial, ToolCall], str]) -> _Change:
    def renamed(trial: Trial) -> Trial | str:
        tool = trial.event.tool
        if tool is None:
            return _NO_TOOL
        name = rename(trial, tool)
        if not name or name == tool.name:
            return f"{trial.contract.name} has no such tool"
        return trial._replace(event=trial.event.with_(tool=tool._replace(name=name)))

    return renamed


def _mcp(trial: Trial, tool: ToolCall) -> str:
    try:
        pattern = trial.contract.vocabulary().mcp
    except SandhookError:
        return ""
    return pattern.replace("{server}", "sandhook").replace("{tool}", "execute")


_WRAP = "`sandhook wrap` makes a hook that could not run refuse"
_PARSE = "refuse if the payload cannot be read: `value=$(jq -er ...) || exit 2`"
_MATCHER = "widen the matcher, or leave it out and test the tool in the script"

FAULTS: tuple[Fault, ...] = (
    Fault("no-jq", "jq is not installed", _no_jq, f"{_PARSE}; {_WRAP}, and has a jq"),
    Fault("no-shell", "the agent finds no shell, as on Windows without Git Bash", _no_shell, _WRAP),
    Fault("no-interpreter", 'the program of the "#!" line is missing', _no_interpreter, _WRAP),
    Fault("not-executable", "the scripts lost their executable bit", _not_executable, f"run `bash FILE`; {_WRAP}"),
    Fault("script-gone", "the scripts are gone", _rewritten(lambda data: None), _WRAP),
    Fault("script-crlf", "the lines of the scripts end in CRLF", _rewritten(_crlf), "`dos2unix FILE`; " + _WRAP),
    Fault("script-bom", "the scripts begin with a byte order mark", _rewritten(lambda data: b"\xef\xbb\xbf" + data), _WRAP),
    Fault("timeout", "the hook does not end in time", _timeout, _WRAP),
    Fault("killed", "the hook is killed", _inside("kill -KILL $$"), _WRAP),
    Fault("out-of-memory", "the system kills the programs that the hook starts", _out_of_memory, _PARSE),
    Fault("empty-stdin", "the payload is empty", _changed_payload(lambda data: b""), _PARSE),
    Fault("truncated-payload", "the payload ends in its middle", _changed_payload(lambda data: data[: len(data) // 2]), _PARSE),
    Fault("huge-payload", "the payload has 8 MB", _with_texts(str, "x" * HUGE), _PARSE),
    Fault("payload-not-utf8", "the payload has bytes that are not UTF-8", _changed_payload(_not_utf8), _PARSE),
    Fault("payload-nul", "a NUL follows the texts of the action", _with_texts(lambda text: f"{text}\0"), _PARSE),
    Fault("unknown-tool", "a tool of another name does the same", _tool(lambda trial, tool: "SandhookUnknown"), _MATCHER),
    Fault("tool-case", "the tool's name is in other case", _tool(lambda trial, tool: tool.name.swapcase()), _MATCHER),
    Fault("mcp-tool", "a tool of an MCP server does the same", _tool(_mcp), _MATCHER),
    Fault("no-home", "HOME is not set", _text_first("unset HOME"), "do not depend on HOME"),
    Fault("no-path", "PATH leads to no programs", _text_first("export PATH=/nonexistent/bin"), f"{_PARSE}; {_WRAP}"),
    Fault("no-tmpdir", "TMPDIR does not exist", _text_first("export TMPDIR=/nonexistent/tmp TMP=/nonexistent/tmp TEMP=/nonexistent/tmp"), "refuse if a temporary file cannot be made"),
    Fault("no-cwd", "the working directory was removed", _text_first("mkdir -p /tmp/sandhook-gone.$$ && cd /tmp/sandhook-gone.$$ && rmdir /tmp/sandhook-gone.$$"), "begin the path of the script with the agent's variable of the project's directory; " + _WRAP),
    Fault("read-only-disk", "nothing can be written", lambda trial: trial._replace(disk="read-only"), "refuse if a file cannot be written"),
    Fault("full-disk", "the disk is full", lambda trial: trial._replace(disk="full"), "refuse if a file cannot be written"),
    Fault("locale-c", "LC_ALL is C", _text_first("export LC_ALL=C LANG=C"), "set LC_ALL in the script"),
    Fault("locale-turkish", "LC_ALL is tr_TR.UTF-8", _text_first("export LC_ALL=tr_TR.UTF-8 LANG=tr_TR.UTF-8"), "set LC_ALL in the script"),
    Fault("output-first", "1 MB of output precedes the verdict", _inside(_OUTPUT_FIRST), "refuse by the exit status 2"),
    Fault("background-child", "a child in the background holds the output open", _background_child, "redirect the output of children; " + _WRAP),
)  # fmt: skip

BY_NAME: Mapping[FaultName, Fault] = {fault.name: fault for fault in FAULTS}
