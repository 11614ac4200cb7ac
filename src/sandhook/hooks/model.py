"""HookSpec, Outcome, Decision: the terms of the core, to which every contract maps its hooks and results.

Everything here is immutable: a hook changes an input by an Operation, which the engine applies to a
new Event.
"""

from __future__ import annotations

from collections.abc import Mapping

from sandhook.errors import LimitName
from sandhook.hooks.event import Json, ToolResult
from sandhook.hooks.matcher import ALWAYS, Matcher
from sandhook.record import Record, short_repr
from sandhook.typed import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from sandhook.host.environment import EnvPolicy
    from sandhook.interp.steps import Step
    from sandhook.limits import Cancellation, Overflow


#: What hooks decide about a tool call. "defer" leaves it open and ends the agent's run; "none" is no opinion.
Permission = Literal["deny", "defer", "ask", "allow", "none"]

#: Permissions, strongest first.
PERMISSIONS: tuple[Permission, ...] = ("deny", "defer", "ask", "allow", "none")

#: The layers of configurations, weakest first as agents read them; "" is what the caller names or passes.
LayerName = Literal["", "managed", "user", "project", "local", "bundle"]

#: Where a text is added: to the prompt, after a tool's result, to the session, or to wake an idle agent.
Placement = Literal["prompt", "result", "session", "wake"]

#: Texts to add, each with its placement.
Context = tuple[tuple[str, Placement], ...]

#: How faithful a run is: "better" closes the gaps that upstream has, "strict" reproduces them.
Compat = Literal["better", "strict"]

#: Whether a hook that could not run refuses: as its contract defines it, always, or also after a failure
#: without a decision.
FailClosed = bool | Literal["strict"]

#: What a hook that could not run means.
OnError = Literal["block", "allow", "warn"]

#: What happened to a hook when its event fired: it ran; it was started in the background; its matcher wanted
#: the event but something else kept it from running; it wanted the event but nobody approved it; or its matcher
#: did not want the event.
OutcomeState = Literal["selected", "background", "skipped", "withheld", "not_matched"]


class Operation(Record):
    """A change that a hook asks for: ``merge`` an object's top-level keys, or ``replace`` the value.

    Attributes:
        kind: "merge" or "replace".
        value: The patch (an object) or the new value.
        otherwise: What merging does to a value that is not an object: "replace" it by the patch, or
            "reject" the patch.
    """

    kind: Literal["merge", "replace"]
    value: Json
    otherwise: Literal["replace", "reject"] = "replace"

    def apply(self, value: Json) -> Json:
        """Return the changed value; ``value`` itself is never changed in place."""
        if self.kind == "replace":
            return self.value
        if isinstance(value, dict) and isinstance(self.value, Mapping):
            return {**value, **self.value}
        return self.value if self.otherwise == "replace" else value


class Executor(Record):
    """What a hook runs.

    Attributes:
        type: Name of the executor in the registry: "bash" for shell text in the sandbox.
        text: Shell source, or "" for the forms without.
        argv: Program and arguments, for the forms that have them.
        env: The hook's own variables, which override all others.
        config: Further settings from the contract, for executors of the host.
    """

    type: str
    text: str = ""
    argv: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    config: Mapping[str, Json] | None = None


class HookSpec(Record):
    """One hook of a configuration.

    Attributes:
        id: Fixed when the configuration is loaded; unique unless the file repeats an id.
        event: Neutral kind that the hook waits for.
        native_event: The contract's own name of it.
        executor: What it runs.
        matcher: Which events of that kind run it.
        timeout: Seconds; the contract has applied its own minimum and maximum.
        on_error: What a hook that could not run means: "block", "allow" or "warn".
        env_policy: "fresh" (only what the contract sets), "inherit", or "allow" with ``env_names``.
        env_names: Variables inherited from the agent's environment under "allow".
        env_except: Prefixes of names that are not inherited under "inherit".
        background: Runs in the background; its result decides nothing.
        once: Runs once in a session.
        include_sub_agents: Runs for sub-agents too.
        description: The author's description.
        source: Its origin: "user", a capability, a layer.
        contributed: The host contributes it, by the capability ``source``.
        path: Its position in the file, for messages: "hooks[2]".
        file: The file, or "".
        layer: The layer of the file, see ``contracts.LAYERS``.
        entry: The raw hook of the configuration, for approvals and for ``convert``.
        trust_hash: Hash of the entry and of every file it names, once somebody approved it.
        approved: The caller's ``trust`` approved it: a hook of a layer that needs trust.
        wants_approval: Why the hook runs only if the caller's ``trust`` approves it, whatever its layer is; or "".
        snapshot: The hashed files, which are the bytes that run: paths relative to the project, or absolute
            outside it, and contents.
        hashed: Files that are too large for ``snapshot``: paths like its, and their SHA-256 in hexadecimal.
        absent: Patterns of paths that the hook would execute and that matched no further file when it was
            approved, relative or absolute like those of ``snapshot``.
        links: Paths that the hook follows through links, and where each led when it was approved.
        unbound: Where it executes what its approval does not cover, because the name is not known before it runs:
            ``FILE:LINE``, or ``the command:LINE``.
        extras: Values that only its contract reads.
        variant: Two hooks of equal text and different variants are not the same hook.
    """

    id: str
    event: str
    native_event: str
    executor: Executor
    matcher: Matcher = ALWAYS
    timeout: float = 5.0
    on_error: OnError = "warn"
    env_policy: EnvPolicy = "fresh"
    env_names: tuple[str, ...] = ()
    env_except: tuple[str, ...] = ()
    background: bool = False
    once: bool = False
    include_sub_agents: bool = True
    description: str | None = None
    source: str = "user"
    contributed: bool = False
    path: str = ""
    file: str = ""
    layer: LayerName = ""
    entry: Json = None
    trust_hash: str | None = None
    approved: bool = False
    wants_approval: str = ""
    snapshot: tuple[tuple[str, bytes], ...] = ()
    hashed: tuple[tuple[str, str], ...] = ()
    absent: tuple[str, ...] = ()
    links: tuple[tuple[str, str], ...] = ()
    unbound: tuple[str, ...] = ()
    extras: Mapping[str, Json] | None = None
    variant: str = ""


def source_of(spec: HookSpec) -> str:
    """Return what a hook comes from, as a name that no other source has: its layer and file, or its capability."""
    return f"capability:{spec.source}" if spec.contributed else f"{spec.layer}:{spec.file}"


class Request(Record):
    """Everything that an executor needs to run one hook once.

    Attributes:
        spec: The hook.
        env: The variables that the contract sets.
        inherited: Variables inherited from the agent's own environment; ``env`` overrides them.
        stdin: Bytes on standard input.
        cwd: Working directory, an absolute path in the sandbox.
        files: Files that exist while the hook runs: absolute path and contents.
        limits: Fields of ``sandhook.limits.Limits`` that override the default.
        payload: The event as the contract encodes it, for traces.
        log: The file for the run's output when the host wants logs; "" for none.
        overflow: What output beyond ``output_bytes`` does: "fail" ends the hook, "drop" cuts it; with
            "drop" each stream has its own limit.
        cancel: Ends the hook from another thread.
        dispatches_scripts: The agent's shell is part of its process: see ``kernel.settings.Settings``.
        by_execve: No shell is between the agent and the program of an argv: a script needs permission to be executed,
            and a "#!" line.
        strict: The script runs as in bash where sandhook tolerates more: its lines may not end in CRLF.
        source: Hooks of one source see each other's changes of files, and those of another source do not;
            "" for hooks that change the shared files.
    """

    spec: HookSpec
    env: Mapping[str, str]
    stdin: bytes = b""
    cwd: str = "/workspace"
    files: tuple[tuple[str, bytes], ...] = ()
    inherited: Mapping[str, str] = {}
    limits: Mapping[str, float] | None = None
    payload: str = ""
    log: str = ""
    overflow: Overflow = "fail"
    cancel: Cancellation | None = None
    dispatches_scripts: bool = False
    by_execve: bool = False
    strict: bool = False
    source: str = ""


class RunResult(Record):
    """The result of one run, before a contract decodes it.

    Attributes:
        exit_status: 0 to 255, or None when nothing ran.
        stdout, stderr: Bytes, up to the contract's limit.
        duration: Seconds.
        signal: Name of the signal that ended it ("TERM"), or None.
        limit: Field of Limits that ended the run, or None; "wall_seconds" is the timeout,
            "cancelled" the host.
        truncated: Part of standard output was dropped.
        stderr_truncated: Part of standard error was dropped.
        syntax_error: bash's message when the script does not parse.
        missing: The command that could not be found or executed, when the exit status is 126 or 127.
        spawned: False if ``missing`` is the program of an ``argv`` itself.
        script_status: The status with which the hook itself ended, if a child of it kept an output open for more than half
            a second after that; None otherwise.
        failure: Why nothing could be run at all.
        failure_is_ours: The failure is a bound or an error of sandhook itself, which the agent does not have.
        diagnostics: Notes of the interpreter for the host.
        interrupted: The watchdog ended the run after its deadline: a fault of sandhook.
        steps: What each command did, if the runner was asked for it.
        drift: What the hook did, or is, that its manifest does not declare.
        closed: It ran as by ``sandhook hook --fail-closed``, which refuses if it could not run.
    """

    exit_status: int | None = None
    stdout: bytes = b""
    stderr: bytes = b""
    duration: float = 0.0
    signal: str | None = None
    limit: LimitName | None = None
    truncated: bool = False
    stderr_truncated: bool = False
    syntax_error: str | None = None
    missing: str | None = None
    spawned: bool = True
    script_status: int | None = None
    failure: str | None = None
    failure_is_ours: bool = False
    diagnostics: tuple[str, ...] = ()
    interrupted: bool = False
    steps: tuple[Step, ...] = ()
    drift: tuple[str, ...] = ()
    closed: bool = False

    @property
    def timed_out(self) -> bool:
        return self.limit == "wall_seconds"

    @property
    def cancelled(self) -> bool:
        return self.limit == "cancelled"

    @property
    def exceeded_bound(self) -> bool:
        """Whether a bound of sandhook kept the hook from deciding; the agent has no such bound.

        The timeout is the agent's own, and a cancellation is the host's.
        """
        if self.failure is not None:
            return self.failure_is_ours
        if self.limit is not None:
            return not (self.timed_out or self.cancelled)
        return self.truncated

    @property
    def could_not_run(self) -> str | None:
        """Why the hook could not decide, or None when it could."""
        if self.failure is not None:
            return self.failure
        if self.cancelled:
            return "cancelled"
        if self.timed_out:
            return "timed out"
        if self.limit is not None:
            return f"limit reached: {self.limit}"
        if self.truncated:
            return "output was cut"
        if self.syntax_error is not None:
            return f"does not parse: {self.syntax_error}"
        if self.signal is not None:
            return f"ended by signal {self.signal}"
        return self.missing


class ContextFile(Record):
    """A file that a hook mentions to the model; ``path`` as the hook wrote it."""

    path: str
    reason: str = ""


class Verdict(Record):
    """The meaning of one run by its contract. The defaults are "no opinion".

    Attributes:
        label: The contract's own term: "allow", "block", "mutate", "error", "none".
        decided: The hook itself decided; a silent success or an empty object is not a decision.
        permission: One of PERMISSIONS, for tool calls.
        overrides: Upstream its permission replaces those of earlier hooks, see ``FoldPolicy.strict_overrides``.
        block: Refuses a prompt or a stop; tool calls use ``permission``.
        halt: Ends the turn.
        force_continue: Makes an agent that wants to stop continue.
        reason: For the model, or for the log.
        user_message: For the user.
        system_message: A note outside the conversation.
        input, prompt, result, error: Operations on the tool's input, the prompt, the tool's result
            and its error text.
        context: Texts to add, each with its placement ("prompt", "result", "session").
        context_files: Files to mention to the model; the engine drops those outside the project.
        could_not_run: Why the hook could not decide; None when it decided or had no opinion.
        exceeded_bound: It could not because its output exceeds a bound of sandhook.
        undecodable: Why the output could not be read, where the contract ignores that.
        extras: Values that only this agent has (a session's title, paths to watch), under its own names.
        warnings: Messages for the log (``hook.warning``).
        diagnostics: Notes for the author of the hook.
    """

    label: str = "none"
    decided: bool = False
    permission: Permission = "none"
    overrides: bool = False
    block: bool = False
    halt: bool = False
    force_continue: bool = False
    reason: str | None = None
    user_message: str | None = None
    system_message: str | None = None
    input: Operation | None = None
    prompt: Operation | None = None
    result: Operation | None = None
    error: Operation | None = None
    context: Context = ()
    context_files: tuple[ContextFile, ...] = ()
    could_not_run: str | None = None
    exceeded_bound: bool = False
    undecodable: str | None = None
    extras: Mapping[str, Json] | None = None
    warnings: tuple[str, ...] = ()
    diagnostics: tuple[str, ...] = ()

    @property
    def refuses(self) -> bool:
        return self.permission == "deny" or self.block or self.halt

    @property
    def intervenes(self) -> bool:
        """Whether the agent is refused, or made to continue."""
        return self.refuses or self.force_continue


class Outcome(Record):
    """One hook and one event: whether the hook ran, its output, and what that meant.

    Attributes:
        spec: The hook.
        state: One of OutcomeState.
        why: What the matcher tested; for a hook that did not run, the reason. For people only.
        run: The result of the run, or None.
        verdict: The contract's verdict; ``Verdict()`` for a hook that did not run.
    """

    spec: HookSpec
    state: OutcomeState
    why: str
    run: RunResult | None = None
    verdict: Verdict = Verdict()

    @property
    def hook_id(self) -> str:
        return self.spec.id

    @property
    def matched(self) -> bool:
        """Whether the hook's matcher wanted the event."""
        return self.state != "not_matched"

    @property
    def could_not_run(self) -> str | None:
        return self.verdict.could_not_run

    @property
    def stdout(self) -> str:
        """Standard output as text; invalid UTF-8 is replaced."""
        return self.run.stdout.decode("utf-8", "replace") if self.run else ""

    @property
    def stderr(self) -> str:
        """Standard error as text; invalid UTF-8 is replaced."""
        return self.run.stderr.decode("utf-8", "replace") if self.run else ""


class Decision(Record):
    """What all hooks of one event decided together.

    Test ``refused`` first. Texts are as the hooks wrote them: pass them through
    ``sandhook.hooks.text.neutralise`` before showing them.

    Attributes:
        kind: Neutral kind of the event.
        event: The contract's own name of it.
        contract: Name of the contract, several joined by ","; "" when no hook is configured.
        permission: One of PERMISSIONS.
        block, halt, force_continue, reason, user_message, system_message: See Verdict.
        input, prompt, result, error: Operations in the order in which they apply.
        context, context_files: In config order.
        could_not_run: Ids of the hooks that could not decide.
        fail_closed: Ids of the hooks that refuse because they could not run: a bound of sandhook was exceeded,
            or the caller's ``fail_closed`` applies, also to hooks that are withheld.
        message: The text that the agent shows instead of what was refused.
        outcomes: One per hook that waits for this kind of event, in config order.
        background: Outcomes of hooks that ran in the background and ended since the last event.
        extras: Values that only this agent has, see ``Verdict.extras``; later hooks win.
        diagnostics: Notes for the author of the configuration.
    """

    kind: str
    event: str = ""
    contract: str = ""
    permission: Permission = "none"
    block: bool = False
    halt: bool = False
    force_continue: bool = False
    reason: str | None = None
    user_message: str | None = None
    system_message: str | None = None
    input: tuple[Operation, ...] = ()
    prompt: tuple[Operation, ...] = ()
    result: tuple[Operation, ...] = ()
    error: tuple[Operation, ...] = ()
    context: Context = ()
    context_files: tuple[ContextFile, ...] = ()
    could_not_run: tuple[str, ...] = ()
    fail_closed: tuple[str, ...] = ()
    message: str | None = None
    outcomes: tuple[Outcome, ...] = ()
    background: tuple[Outcome, ...] = ()
    extras: Mapping[str, Json] | None = None
    diagnostics: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Return the fields that have a value; ``sandhook.hooks.report.to_text`` shows the outcomes."""
        return short_repr(self, long=("outcomes", "background"))

    @property
    def refused(self) -> bool:
        """Whether the tool call, the prompt or the stop must not go ahead."""
        return self.permission == "deny" or self.block or self.halt

    @property
    def withheld(self) -> tuple[Outcome, ...]:
        """The hooks that wanted the event and are not in force, because nobody approved them as they are."""
        return tuple(outcome for outcome in self.outcomes if outcome.state == "withheld")

    @property
    def proceed(self) -> bool:
        return not self.refused

    @property
    def context_note(self) -> str:
        """A note for the model about the files that hooks mention; "" without any."""
        if not self.context_files:
            return ""
        lines = [
            f"- {file.path}" + (f": {file.reason}" if file.reason else "") for file in self.context_files
        ]
        return "\n".join(["## Referenced files", *lines])

    def apply_to(self, value: Json) -> Json:
        """Return the tool's input as the hooks changed it."""
        return _apply(self.input, value)

    def apply_to_prompt(self, prompt: str) -> str:
        """Return the prompt as the hooks changed it."""
        return str(_apply(self.prompt, prompt))

    def apply_to_result(self, result: ToolResult) -> ToolResult:
        """Return the tool's result and error as the hooks changed them."""
        error = _apply(self.error, result.error)
        return ToolResult(_apply(self.result, result.value), None if error is None else str(error))


def _apply(operations: tuple[Operation, ...], value: Json) -> Json:
    for operation in operations:
        value = operation.apply(value)
    return value
