"""What a contract makes of an output. Its own decoder answers, so that no table can contradict it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from sandhook.errors import SandhookError
from sandhook.hooks import contracts
from sandhook.hooks.contracts import Contract
from sandhook.hooks.decode import DecodeError, decode, encode
from sandhook.hooks.event import Event, Json, JsonObject, ToolCall, ToolResult
from sandhook.hooks.model import Compat, Decision, HookSpec, Request, RunResult, Verdict


def sample(kind: str) -> Event:
    """Return an event of a kind with all fields that such an event can have."""
    tool = kind.startswith("tool.") or kind == "permission.request"
    return Event(
        kind,
        session_id="session",
        turn_id="turn",
        org_id="org",
        agent_id="agent",
        cwd="/workspace",
        project_dir="/workspace",
        transcript_path="/workspace/transcript.jsonl",
        timestamp="2026-01-01T00:00:00Z",
        tool=ToolCall("Bash", {"command": "ls"}, "call") if tool else None,
        result=ToolResult({"output": "x"}) if kind in ("tool.post", "tool.fail") else None,
        prompt="text" if kind == "prompt.submit" else None,
        success=True,
        reason="other",
    )


class Probe:
    """One hook's contract with a sample event."""

    def __init__(self, contract: Contract, spec: HookSpec) -> None:
        self.contract = contract
        self.spec = spec
        self.event = sample(spec.event)

    @property
    def is_gate(self) -> bool:
        """Whether a hook can refuse on this event."""
        return self.spec.event in self.contract.refusable

    def verdict(self, stdout: str = "", exit_status: int = 0, stderr: str = "") -> Verdict:
        """Return what the contract makes of a run."""
        ran = RunResult(exit_status, stdout.encode("utf-8", "replace"), stderr.encode("utf-8", "replace"))
        return self.contract.decode(self.spec, self.event, ran, "better")

    def refuses(self, exit_status: int) -> bool:
        """Whether an exit status refuses."""
        return self.verdict("", exit_status, "message\n").intervenes

    def of_json(self, value: JsonObject) -> Verdict:
        """Return what the contract makes of a printed object."""
        return self.verdict(encode(value) + "\n")

    def refusal(self) -> str:
        """Return what a hook prints to refuse this event, or how it ends; "" where it cannot refuse."""
        if not self.is_gate:
            return ""
        decision = Decision(self.spec.event, contract=self.contract.name, reason="REASON")
        refusing = decision._replace(permission="deny") if self.event.tool else decision._replace(block=True)
        try:
            answer = self.contract.answer(refusing, self.event)
        except SandhookError:
            return ""
        if answer.stdout.strip():
            return answer.stdout.decode("utf-8", "replace").strip()
        return f"`exit {answer.exit_status}`, with the reason on standard error" if answer.exit_status else ""

    @cached_property
    def stdin(self) -> bytes:
        """A payload of this event as the script reads it; b"" without one."""
        return self._stdin("better")

    @property
    def upstream_stdin(self) -> bytes:
        """The payload as the agent itself writes it, without sandhook's additions."""
        return self._stdin("strict")

    def _stdin(self, compat: Compat) -> bytes:
        request = self._request(compat)
        return b"" if request is None else request.stdin

    def _request(self, compat: Compat) -> Request | None:
        try:
            return self.contract.request(self.spec, self.event, compat)
        except (DecodeError, KeyError):
            return None

    def reads_scripts(self, name: str) -> bool:
        """Whether the agent reads a script of this name itself, so that it needs no permission to be executed."""
        request = self._request("better")
        return (
            request is not None and request.dispatches_scripts and name.startswith(("./", "../", "/", "~/"))
        )

    @cached_property
    def variables(self) -> Mapping[str, str]:
        """The variables that the agent sets for the hook."""
        request = self._request("better")
        return {} if request is None else request.env

    @cached_property
    def payload(self) -> JsonObject:
        """The payload, decoded; {} when it is not an object."""
        try:
            value = decode(self.stdin.decode("utf-8", "replace")).value
        except DecodeError:
            return {}
        return value if isinstance(value, dict) else {}


def with_computed(value: JsonObject, computed: Json) -> JsonObject:
    """Return an object with another value where "x" stands for one that is not known."""

    def replaced(part: Json) -> Json:
        if isinstance(part, dict):
            return {key: replaced(each) for key, each in part.items()}
        if isinstance(part, list):
            return [replaced(each) for each in part]
        return computed if part == "x" else part

    return {key: replaced(part) for key, part in value.items()}


def has_effect(verdict: Verdict) -> bool:
    """Return whether an output has any effect on the agent."""
    return bool(
        verdict.decided
        or verdict.intervenes
        or verdict.permission != "none"
        or verdict.context
        or verdict.context_files
        or verdict.input
        or verdict.prompt
        or verdict.result
        or verdict.error
        or verdict.system_message
        or verdict.user_message
        or verdict.extras
    )


def understands(name: str, spec: HookSpec, value: JsonObject) -> bool:
    """Return whether an object has an effect on another agent, by its name."""
    other = contracts.get(name)
    native = next((own for own, kind in other.events.items() if kind == spec.event), None)
    if native is None:
        return False
    probe = Probe(other, spec._replace(native_event=native))
    if has_effect(probe.of_json({})):  # an agent that acts on any object understands none
        return False
    verdict = probe.of_json(value)
    return verdict.could_not_run is None and verdict.undecodable is None and has_effect(verdict)
