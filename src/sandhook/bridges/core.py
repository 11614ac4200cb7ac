"""Guard: fires the hooks of an engine at the points where a framework lets others intervene.

    guard = Guard(".claude/settings.json")
    before = guard.before_tool("bash", {"command": "rm -rf /"})
    if before.action == "refuse":
        ...  # the framework's own refusal, with before.reason for the model

A hook that could not run refuses: a tool call, its result, or a message. ``fail_open=True`` turns that off.
Each point has an ``async`` form, which runs the hooks in a thread.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from json import dumps
from os import PathLike
from typing import TYPE_CHECKING

from sandhook.bridges.points import TOP_LEVEL, Actor, AfterTool, BeforeTool, OnPrompt, OnStart, OnStop
from sandhook.hooks.continuation import LAPS
from sandhook.hooks.contracts import Document
from sandhook.hooks.contracts._vocabulary import TOOL_CLASSES, Vocabulary
from sandhook.hooks.engine import HookEngine
from sandhook.hooks.event import Event, Json, ToolCall, ToolResult
from sandhook.hooks.model import Decision, Outcome
from sandhook.hooks.placement import start_workers
from sandhook.hooks.runner import SandboxRunner
from sandhook.hooks.workspace import Workspace
from sandhook.record import Record

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias, TypedDict, Unpack

    from sandhook.hooks.contracts._vocabulary import ToolClass
    from sandhook.hooks.sources import Source
    from sandhook.limits import Cancellation

    #: What a Guard is made of.
    Hooks: TypeAlias = "Guard | HookEngine | Source | Sequence[Source]"

    class GuardArguments(TypedDict, total=False):
        """The keyword arguments of Guard."""

        fail_open: bool
        tools: Mapping[str, ToolClass] | None
        project: str | PathLike[str] | None
        cwd: str | None
        project_dir: str | None
        notify: Callable[[str], object] | None
        laps: int


#: Names that frameworks have for tools of a class, so that a hook for ``Bash`` runs for ``bash`` and ``execute``.
TOOLS = Vocabulary(
    shell=(
        *("bash", "shell", "execute", "run_command", "terminal", "execute_command", "local_shell", "Bash"),
        "mcp__sandhook__bash",
    ),
    read=("read_file", "read", "Read"),
    write=("write_file", "write", "Write"),
    edit=("edit_file", "edit", "apply_patch", "Edit"),
    fetch=("fetch", "web_fetch", "fetch_url", "visit_webpage", "WebFetch"),
    search=("grep", "search_files", "Grep"),
    mcp="mcp__{server}__{tool}",
)

#: Kinds of events that a hook which could not run refuses. No agent refuses a result, but a hook that redacts
#: results and could not run must not pass them on.
CLOSED = frozenset({"tool.pre", "tool.post", "tool.fail", "prompt.submit"})

#: Sessions that a Guard remembers as started.
_SESSIONS = 10_000

#: Guarded tools that run around this code: an agent that begins inside a tool is a sub-agent.
_tools_around: ContextVar[int] = ContextVar("sandhook_tools_around", default=0)


class _Framework(Record):
    """The names of tools of a framework, as ``HookEngine.fire`` reads them of a caller."""

    name: str
    words: Vocabulary

    def vocabulary(self) -> Vocabulary:
        return self.words


class Guard:
    """The hooks of an engine, for agents of any framework; a Guard may serve several agents and sessions.

    Args:
        hooks: An engine, or what ``HookEngine.load`` reads: paths, Documents or decoded configurations. Hooks of
            paths run in the sandbox; pass an engine for another runner, for trust, or for several layers.
        project: The directory of this machine of which these hooks see a copy, at /workspace and under its own path:
            for paths the current directory, and for decoded configurations no directory. Not with an engine.
        fail_open: A hook that could not run refuses nothing.
        tools: Classes of further tools by their names in the framework: ``{"run_in_pod": "shell"}``.
        cwd, project_dir: Where the agent works, for hooks: the project, or the sandbox's /workspace without one.
        notify: Receives messages of hooks for the user.
        laps: The most times in one run that hooks make an agent go on that wants to stop.

    Raises TypeError, ValueError, ContractError or ConfigError as ``HookEngine.load`` does, and OSError for a project
    that is not a directory.
    """

    def __init__(
        self,
        hooks: HookEngine | Source | Sequence[Source],
        *,
        fail_open: bool = False,
        tools: Mapping[str, ToolClass] | None = None,
        project: str | PathLike[str] | None = None,
        cwd: str | None = None,
        project_dir: str | None = None,
        notify: Callable[[str], object] | None = None,
        laps: int = LAPS,
    ) -> None:
        if not isinstance(fail_open, bool):
            raise TypeError(f"fail_open must be a bool, not {type(fail_open).__name__}")
        if isinstance(hooks, HookEngine):
            if project is not None:
                raise TypeError(
                    "project is for hooks that the Guard loads; the runner of an engine has its own files"
                )
            self.engine = hooks
        else:
            directory = project if project is not None else "." if _has_path(hooks) else None
            if directory is None:
                self.engine = HookEngine.load(hooks, fail_closed=not fail_open)
            else:
                shown = Workspace(directory)
                runner = SandboxRunner(shown.fs, view=shown.view)
                self.engine = HookEngine.load(hooks, fail_closed=not fail_open, runner=runner)
                start_workers(self.engine.hooks, runner)
                project_dir = project_dir or shown.directory
                cwd = cwd or project_dir
        self.fail_open = fail_open
        self.laps = laps
        self._caller = _Framework("bridge", _vocabulary(tools or {}))
        self.cwd, self.project_dir = cwd, project_dir
        self._notify = notify
        self._started: OrderedDict[str, None] = OrderedDict()
        self._events: dict[str, tuple[tuple[object, ...], Event]] = {}  # the last one of each kind
        kinds = {kind for contract in self.engine.contracts for kind in contract.events.values()}
        self._distinguishes_failures = "tool.fail" in kinds

    # Events.

    def fire(self, event: Event, *, cancel: Cancellation | None = None) -> Decision:
        """Fire an event; a hook that could not run, or any defect, refuses unless ``fail_open``."""
        try:
            decision = self.engine.fire(event, cancel=cancel, caller=self._caller)
        except Exception as error:  # a defect must not look like permission
            if self.fail_open:
                raise
            return _refusal(Decision(event.kind), f"sandhook: {error.__class__.__name__}: {error}")
        if self._notify is not None:
            for text in (decision.user_message, decision.system_message):
                if text:
                    self._notify(text)
        return decision if self.fail_open else closed(decision)

    async def afire(self, event: Event) -> Decision:
        """Fire an event in a thread; a cancelled task ends the hooks."""
        from sandhook.kernel.threads import call_in_thread
        from sandhook.limits import Cancellation

        cancel = Cancellation()
        return await call_in_thread(lambda: self.fire(event, cancel=cancel), cancel)

    def _event(self, kind: str, actor: Actor) -> Event:
        depth = max(actor.depth, tools_around())
        known = (actor, depth, self.cwd, self.project_dir)
        last = self._events.get(kind)
        if last is None or last[0] != known:
            last = self._events[kind] = (known, self._new_event(kind, actor, depth))
        return last[1]

    def _new_event(self, kind: str, actor: Actor, depth: int) -> Event:
        agent_id = actor.agent_id
        extras: dict[str, Json] = {}
        if depth > 0:
            agent_id = agent_id or actor.agent_type or "sub-agent"
            extras = {} if actor.agent_type is None else {"agent_type": actor.agent_type}
        return Event(
            kind,
            session_id=actor.session_id,
            turn_id=actor.turn_id,
            agent_id=agent_id,
            depth=depth,
            is_sub_agent=depth > 0,
            cwd=self.cwd,
            project_dir=self.project_dir,
            extras=extras or None,
        )

    # Before a tool.

    def before_tool(
        self, name: str, input: object, actor: Actor = TOP_LEVEL, *, call_id: str | None = None
    ) -> BeforeTool:
        """Return what hooks decide about a tool call."""
        call = ToolCall(name, json_of(input), call_id)
        return _before(call, self.fire(self._event("tool.pre", actor).with_(tool=call)))

    async def abefore_tool(
        self, name: str, input: object, actor: Actor = TOP_LEVEL, *, call_id: str | None = None
    ) -> BeforeTool:
        """Return what hooks decide about a tool call, without blocking the event loop."""
        call = ToolCall(name, json_of(input), call_id)
        return _before(call, await self.afire(self._event("tool.pre", actor).with_(tool=call)))

    # After a tool.

    def after_tool(self, call: ToolCall, result: ToolResult, actor: Actor = TOP_LEVEL) -> AfterTool:
        """Return what hooks decide about a tool's result."""
        return _after(result, self.fire(self._post(call, result, actor)))

    async def aafter_tool(self, call: ToolCall, result: ToolResult, actor: Actor = TOP_LEVEL) -> AfterTool:
        """Return what hooks decide about a tool's result, without blocking the event loop."""
        return _after(result, await self.afire(self._post(call, result, actor)))

    def _post(self, call: ToolCall, result: ToolResult, actor: Actor) -> Event:
        failed = not result.ok and self._distinguishes_failures
        return self._event("tool.fail" if failed else "tool.post", actor).with_(tool=call, result=result)

    # Prompt, start, stop, end.

    def prompt(self, text: str, actor: Actor = TOP_LEVEL) -> OnPrompt:
        """Return what hooks decide about a message of the user; a sub-agent has none, its task is a tool call."""
        event = self._event("prompt.submit", actor).with_(prompt=text)
        return _prompted(text, Decision(event.kind) if event.is_sub_agent else self.fire(event))

    async def aprompt(self, text: str, actor: Actor = TOP_LEVEL) -> OnPrompt:
        """Return what hooks decide about a message of the user, without blocking the event loop."""
        event = self._event("prompt.submit", actor).with_(prompt=text)
        return _prompted(text, Decision(event.kind) if event.is_sub_agent else await self.afire(event))

    def start(self, actor: Actor = TOP_LEVEL) -> OnStart:
        """Return what hooks decide at the start of a session, once for each session, or of a sub-agent."""
        event = self._beginning(actor)
        return OnStart() if event is None else _begun(self.fire(event))

    async def astart(self, actor: Actor = TOP_LEVEL) -> OnStart:
        """Return what hooks decide at a start, without blocking the event loop."""
        event = self._beginning(actor)
        return OnStart() if event is None else _begun(await self.afire(event))

    def stop(self, actor: Actor = TOP_LEVEL, *, laps: int = 0) -> OnStop:
        """Return what hooks decide about an agent that wants to stop; ``laps`` counts how often it went on so far."""
        return self._stopped(self.fire(self._ending(actor, laps)), laps)

    async def astop(self, actor: Actor = TOP_LEVEL, *, laps: int = 0) -> OnStop:
        """Return what hooks decide about a stop, without blocking the event loop."""
        return self._stopped(await self.afire(self._ending(actor, laps)), laps)

    def end(self, actor: Actor = TOP_LEVEL, *, reason: str = "other") -> None:
        """Fire the end of a session."""
        self._started.pop(actor.session_id or "", None)
        self.fire(self._event("session.end", actor).with_(reason=reason))

    async def aend(self, actor: Actor = TOP_LEVEL, *, reason: str = "other") -> None:
        """Fire the end of a session, without blocking the event loop."""
        self._started.pop(actor.session_id or "", None)
        await self.afire(self._event("session.end", actor).with_(reason=reason))

    def _beginning(self, actor: Actor) -> Event | None:
        event = self._event("session.start", actor)
        if event.is_sub_agent:
            return event._replace(kind="subagent.start")
        if actor.session_id is not None:
            if actor.session_id in self._started:
                return None
            self._started[actor.session_id] = None
            if len(self._started) > _SESSIONS:
                self._started.popitem(last=False)
        return event

    def _ending(self, actor: Actor, laps: int) -> Event:
        event = self._event("stop", actor).with_(stop_active=laps > 0)
        return event._replace(kind="subagent.stop") if event.is_sub_agent else event

    def _stopped(self, decision: Decision, laps: int) -> OnStop:
        if decision.force_continue and not decision.halt and laps < self.laps:
            return OnStop("go_on", decision, decision.reason or "A hook requests that you go on.")
        return OnStop("stop", decision, (decision.reason or "") if decision.halt else "")


def _has_path(hooks: Source | Sequence[Source]) -> bool:
    """Return whether a configuration, or one of several, is named by its path."""
    several = hooks if isinstance(hooks, list | tuple) and not isinstance(hooks, Document) else [hooks]
    return any(isinstance(each, str | PathLike) for each in several)


def guard_of(hooks: Hooks, **arguments: Unpack[GuardArguments]) -> Guard:
    """Return a Guard as it is, or one of these hooks. Raises ValueError for a Guard with arguments of a new one."""
    if not isinstance(hooks, Guard):
        return Guard(hooks, **arguments)
    if arguments:
        raise ValueError(f"{', '.join(arguments)}: pass them to the Guard")
    return hooks


@contextmanager
def inside_tool(depth: int = 0) -> Iterator[None]:
    """Mark that a guarded tool runs: agents that begin within the block are sub-agents.

    Args:
        depth: That of the agent with the tool, where the tool may run in a thread without its context.
    """
    token = _tools_around.set(max(_tools_around.get(), depth) + 1)
    try:
        yield
    finally:
        _tools_around.reset(token)


def tools_around() -> int:
    """Return the number of guarded tools that run around this code: the depth of an agent that begins here."""
    return _tools_around.get()


def closed(decision: Decision) -> Decision:
    """Return the decision, as a refusal if a hook could not run or nobody approved it."""
    if decision.kind not in CLOSED or decision.refused:
        return decision
    lost = {outcome.hook_id: why for outcome in decision.outcomes if (why := _lost(outcome)) is not None}
    if not lost:
        return decision
    reason = "; ".join(f"hook {name} {why}" for name, why in lost.items())
    return _refusal(decision._replace(fail_closed=(*decision.fail_closed, *lost)), reason)


def error_text(error: BaseException) -> str:
    """Return an exception as the text of a tool's error."""
    return f"{error.__class__.__name__}: {error}"


def with_context(value: Json, texts: Sequence[str]) -> str:
    """Return a result as text for the model, with the texts that hooks add."""
    text = value if isinstance(value, str) else dumps(value, ensure_ascii=False)
    return "\n\n".join([*([text] if text else []), *texts])


def json_of(value: object) -> Json:
    """Return a value as JSON: what has ``model_dump`` as that, and what is not JSON as its text."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Mapping):
        return {str(key): json_of(each) for key, each in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [json_of(each) for each in value]
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        return json_of(dump(mode="json"))
    fields = getattr(value, "__dataclass_fields__", None)
    if isinstance(fields, dict) and not isinstance(value, type):
        return {name: json_of(getattr(value, name)) for name in fields}
    return str(value)


def _vocabulary(tools: Mapping[str, ToolClass]) -> Vocabulary:
    added: dict[str, tuple[str, ...]] = {}
    for name, each in tools.items():
        if each not in TOOL_CLASSES:
            raise ValueError(f"tools[{name!r}] must be one of {', '.join(TOOL_CLASSES)}, not {each!r}")
        added[each] = (*added.get(each, TOOLS.of_class(each)), name)
    return TOOLS._replace(**added)


def _lost(outcome: Outcome) -> str | None:
    """Return why a hook had no say, or None."""
    if outcome.spec.background:
        return None
    if outcome.state == "withheld":
        return f"is not in force: {outcome.why}"
    return None if outcome.could_not_run is None else f"could not run: {outcome.could_not_run}"


def _refusal(decision: Decision, reason: str) -> Decision:
    """Return a refusal, without what hooks changed of an input or a prompt."""
    decision = decision._replace(reason=reason, message=reason, input=(), prompt=(), context=())
    if decision.kind == "tool.pre":
        return decision._replace(permission="deny")
    return decision._replace(block=True)


def _reason(decision: Decision) -> str:
    refusing = [outcome.hook_id for outcome in decision.outcomes if outcome.verdict.refuses]
    return decision.reason or decision.message or f"refused by {', '.join(refusing) or 'a hook'}"


def _texts(decision: Decision) -> tuple[str, ...]:
    note = decision.context_note
    return (*(text for text, _ in decision.context if text), *((note,) if note else ()))


def _before(call: ToolCall, decision: Decision) -> BeforeTool:
    context = _texts(decision)
    if decision.halt:
        return BeforeTool("stop", call.input, decision, _reason(decision), context)
    if decision.refused:
        return BeforeTool("refuse", call.input, decision, _reason(decision), context)
    input = decision.apply_to(call.input)
    if decision.permission in ("ask", "defer"):
        asking = next((each.verdict for each in decision.outcomes if each.verdict.permission == "ask"), None)
        reason = decision.reason or (asking.reason if asking else None) or f"a hook asks about {call.name}"
        return BeforeTool("ask", input, decision, reason, context)
    return BeforeTool("go", input, decision, "", context)


def _after(result: ToolResult, decision: Decision) -> AfterTool:
    context = _texts(decision)
    if decision.block or decision.permission == "deny":
        reason = _reason(decision)
        return AfterTool("refuse", ToolResult(None, reason), decision, reason, context)
    changed = decision.apply_to_result(result)
    if decision.halt:
        return AfterTool("stop", changed, decision, _reason(decision), context)
    return AfterTool("go", changed, decision, "", context)


def _prompted(text: str, decision: Decision) -> OnPrompt:
    context = _texts(decision)
    if decision.refused:
        return OnPrompt("stop" if decision.halt else "refuse", text, decision, _reason(decision), context)
    return OnPrompt("go", decision.apply_to_prompt(text), decision, "", context)


def _begun(decision: Decision) -> OnStart:
    if decision.refused:
        return OnStart("stop", (), decision, _reason(decision))
    return OnStart("go", _texts(decision), decision)
