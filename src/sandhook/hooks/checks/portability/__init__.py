"""Which agents run a hook on which systems, differently or not at all, and why. Nothing runs.

The events, tools and variables are mapped as ``conversion`` maps them. Each contract states what starts the commands of
its hooks (``contracts._launch``). The rest is read from the trees of the command and of the scripts that it names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sandhook.errors import LimitExceeded, ShellSyntaxError
from sandhook.hooks import contracts
from sandhook.hooks.checks import scripts
from sandhook.hooks.checks.portability.model import STATES, Aspect, Portability, Reason, State, ordered
from sandhook.hooks.checks.portability.needs import Needs, Target
from sandhook.hooks.checks.rules import RuleId
from sandhook.hooks.checks.surroundings import Surroundings
from sandhook.hooks.contracts import Contract, Document, LoadOptions
from sandhook.hooks.contracts._launch import SYSTEM_TITLES, SYSTEMS, System
from sandhook.hooks.conversion import convert
from sandhook.hooks.event import Json
from sandhook.hooks.inventory import Item
from sandhook.hooks.model import HookSpec
from sandhook.record import Record

__all__ = [
    "STATES",
    "SYSTEMS",
    "SYSTEM_TITLES",
    "Aspect",
    "Portability",
    "Reason",
    "State",
    "System",
    "portability",
]

#: Findings of ``check`` about a payload or an answer that another agent does not share.
_ANSWERS: frozenset[RuleId] = frozenset(
    {"W-FIELD", "W-WORDS", "W-OUTPUT", "W-NAME", "W-EXIT", "W-DENY", "W-JQ", "N-TEXT"}
)


def portability(
    hooks: Sequence[HookSpec],
    contract: Contract,
    around: Surroundings,
    *,
    agents: Sequence[str] | None = None,
    systems: Sequence[System] = SYSTEMS,
) -> tuple[Portability, ...]:
    """Return a result for every hook, agent and system, in this order.

    Args:
        hooks: The hooks of one contract.
        contract: Their contract.
        around: The project's files, for the scripts that hooks name.
        agents: Names of contracts; None for all that come with sandhook.
        systems: The systems.

    Raises:
        ContractError: There is no such contract.
    """
    targets = [contracts.get(name) for name in (contracts.names() if agents is None else agents)]
    results: list[Portability] = []
    for spec in hooks:
        own = _findings(spec, contract, around)
        for target in targets:
            converted = _converted(spec, contract, target)
            shared = [*converted.reasons]
            if converted.spec is not None and target.name != contract.name:
                shared += _answers(converted.spec, target, around, own)
            for system in systems:
                reasons = [*shared, *_needs(converted.spec, target, system, around)]
                results.append(Portability(spec.id, target.name, system, ordered(reasons)))
    return tuple(results)


class _Converted(Record):
    """A hook in another agent's names; ``spec`` is None if it cannot run there."""

    spec: HookSpec | None
    reasons: tuple[Reason, ...] = ()


def _converted(spec: HookSpec, source: Contract, target: Contract) -> _Converted:
    if target.name == source.name:
        return _Converted(spec)
    conversion = convert([spec], source, target)
    lost = [line.removeprefix(f"{spec.id}: ") for line in conversion.lost]
    found = _loaded(conversion.value, target)
    state: State = "fails" if found is None else "differs"
    reasons = [Reason(state, "agent", line) for line in lost]
    reasons += [Reason("runs", "agent", line.removeprefix(f"{spec.id}: ")) for line in conversion.notes]
    if found is None and not reasons:
        reasons.append(Reason("fails", "agent", f"{target.name} cannot express it"))
    return _Converted(found, tuple(reasons))


def _loaded(value: Json, target: Contract) -> HookSpec | None:
    """Return the hook of a configuration with one hook, as its agent reads it."""
    loaded = target.load([Document(value, contract=target.name)], LoadOptions(executors=("bash", "argv")))
    return next(iter((*loaded.specs, *(spec for spec, _ in loaded.withheld))), None)


def _findings(spec: HookSpec, contract: Contract, around: Surroundings) -> set[tuple[RuleId, str, str]]:
    """Return the findings about payload and answers, with the event's name there; none for a text that does not parse."""
    if spec.executor.type not in ("bash", "argv"):
        return set()
    item = Item("trusted", contract.name, spec)
    try:
        findings = scripts.check(item, contract, around)
    except (ShellSyntaxError, LimitExceeded, RecursionError):
        return set()
    return {(each.rule, each.message, spec.native_event) for each in findings if each.rule in _ANSWERS}


def _answers(
    spec: HookSpec, target: Contract, around: Surroundings, own: set[tuple[RuleId, str, str]]
) -> Iterator[Reason]:
    """Yield what another agent makes of the fields that a hook reads, and of its answers.

    A finding that the hook has under its own agent, too, is no difference, although the event has another name.
    """
    known = {(rule, message.replace(event, "")) for rule, message, event in own}
    for rule, message, event in sorted(_findings(spec, target, around)):
        if (rule, message.replace(event, "")) not in known:
            yield Reason("differs", "answer", message)


def _needs(spec: HookSpec | None, target: Contract, system: System, around: Surroundings) -> Sequence[Reason]:
    """Return what a hook needs of a system."""
    if spec is None:
        return ()
    launch = target.launch()
    needs = Needs(Target(launch, system), around, _directory(spec, around))
    executor = spec.executor
    if executor.type not in ("bash", "argv", "powershell"):
        return ()  # the agent requests a URL, asks a model or calls a tool: no program starts
    if executor.type == "powershell":
        if system in ("linux", "macos"):
            needs.add("runs", "program", "needs pwsh, PowerShell 7, which not every system has")
        return needs.reasons
    raw = spec.entry if isinstance(spec.entry, dict) else {}
    key = next((each for each in launch.windows_keys if raw.get(each)), None)
    if system in ("git-bash", "windows"):
        if key is not None:
            needs.add("differs", "launcher", f"its {key} runs instead of the command")
            return needs.reasons
        if launch.windows_fallback and not raw.get(launch.windows_fallback) and not raw.get("exec"):
            wanted = f"{' or '.join(launch.windows_keys)}, or {launch.windows_fallback}"
            needs.add("fails", "launcher", f"the agent runs {wanted} there, and the hook does not have it")
            return needs.reasons
    try:
        if executor.type == "argv" or executor.argv:
            needs.program(list(executor.argv))
        else:
            launcher = launch.on(system)
            if raw.get("shell") == "bash" and launcher == "powershell":
                needs.add("fails", "launcher", "its shell is bash, and Windows has no bash")
            else:
                needs.line(executor.text, launcher)
    except (ShellSyntaxError, LimitExceeded, RecursionError) as error:
        needs.add("fails", "command line", f"it does not parse: {error}")
    if not any(reason.state == "fails" for reason in needs.reasons):
        for note in launch.notes(system):
            needs.add("differs", "launcher", note)
    return needs.reasons


def _directory(spec: HookSpec, around: Surroundings) -> str:
    """Return the directory that the hook runs in."""
    own = (spec.extras or {}).get("cwd")
    project = around.project.rstrip("/") or "/"
    if not isinstance(own, str) or not own:
        return project
    return own if own[:1] == "/" or own[1:3] in (":/", ":\\") else f"{project}/{own}"
