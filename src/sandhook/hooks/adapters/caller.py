"""An agent that calls: the event of its payload, hooks of any agent fired for it, and refusals in its words."""

from __future__ import annotations

from collections.abc import Mapping

from sandhook.hooks import contracts
from sandhook.hooks.contracts import Answer, Contract
from sandhook.hooks.decode import DATA_DEPTH, BoundExceeded, DecodeError, decode
from sandhook.hooks.model import Decision
from sandhook.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from sandhook.hooks.engine import HookEngine
    from sandhook.hooks.event import Event

#: Bytes that are read of a payload.
MAX_PAYLOAD = 64 << 20

#: The exit status of a failure that is not a decision, for every agent.
FAILURE = 1


def event_of(agent: Contract, named: str | None, data: bytes, env: Mapping[str, str]) -> tuple[Event, str]:
    """Return the event of a payload, and the agent's name for it.

    Args:
        named: The agent's name of the event, when the payload does not have it.
        env: The variables of the hook; some agents pass the name of the event there.

    Raises:
        DecodeError: The payload is not JSON.
        BoundExceeded: It exceeds a bound of sandhook.
        ContractError: The agent has no such event.
    """
    if len(data) > MAX_PAYLOAD:
        raise BoundExceeded(f"the payload: longer than {MAX_PAYLOAD} bytes")
    try:
        payload = decode(data.decode("utf-8-sig"), max_depth=DATA_DEPTH).value
    except UnicodeDecodeError as error:
        raise DecodeError(f"the payload is not UTF-8 at byte {error.start + 1}") from None
    except BoundExceeded as error:
        raise BoundExceeded(f"the payload: {error}") from None
    except DecodeError as error:
        raise DecodeError(f"the payload: {error}") from None
    name = named if named is not None else agent.event_name(payload, dict(env))
    native, _ = contracts.kind_of(agent, name)
    return agent.event(native, payload), native


def fire_for(
    agent: Contract, engine: HookEngine, contract: Contract, event: Event
) -> tuple[Decision, list[str]]:
    """Fire the event of an agent at the hooks of a contract; return the decision, and notes about both."""
    notes: list[str] = []
    decision = engine.fire(event, caller=agent)
    unmatched = all(each.state == "not_matched" for each in decision.outcomes)
    if event.tool is not None and decision.outcomes and unmatched:
        from sandhook.hooks.conversion import tool_of

        if tool_of(event.tool.name, agent.vocabulary(), contract.vocabulary()) is None:
            notes.append(f"note: {contract.name} has no tool like {event.tool.name}")
    notes += [f"note: {note}" for note in decision.diagnostics]
    return decision, notes


def refusal(agent: Contract, event: Event | None, reason: str) -> Answer:
    """Return the answer of a hook that refuses; for an event that cannot be refused, a failure with its reason."""
    if event is None:
        return agent.refuse(reason)
    if event.kind not in agent.refusable:
        return Answer(stderr=reason.encode("utf-8", "replace") + b"\n", exit_status=FAILURE)
    return agent.answer(refused(agent, event, reason), event)


def refused(agent: Contract, event: Event, reason: str) -> Decision:
    """Return the decision that refuses an event."""
    decision = Decision(event.kind, contract=agent.name, reason=reason)
    if event.tool is not None:
        return decision._replace(permission="deny")
    return decision._replace(block=True)
