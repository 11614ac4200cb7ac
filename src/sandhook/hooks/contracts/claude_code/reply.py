"""The answer of a model for a hook of the type prompt or agent: ``{"ok": true}``, or false with a reason."""

from __future__ import annotations

from sandhook.hooks.contracts._claude_shape import read_output, wrong_types
from sandhook.hooks.contracts._outcome import unreadable
from sandhook.hooks.contracts.claude_code.names import ROWS
from sandhook.hooks.contracts.claude_code.profile import Profile
from sandhook.hooks.decode import text_of
from sandhook.hooks.model import HookSpec, Verdict


def decode(spec: HookSpec, data: bytes, profile: Profile, notes: list[str]) -> Verdict:
    """Return what a model's answer means for this event."""
    name = spec.native_event
    printed = read_output(data)
    value = printed.value
    wrong = printed.broken or "it is not a JSON object" if value is None else None
    if value is not None:
        wrong = wrong_types(value, {"ok": bool, "reason": str, "impossible": bool})
        if wrong is None and "ok" not in value:
            wrong = "it has no ok"
    if wrong is not None or value is None:
        notes.append(f"the answer cannot be read: {wrong}")
        return unreadable(wrong or "", (), exceeded_bound=printed.exceeded_bound, label="error")
    if value["ok"]:
        return Verdict("ok", True)
    reason = text_of(value, "reason") or None
    two = ROWS[name].on_exit_2
    if two == "ignored":
        notes.append(f"the answer is ignored on {name}")
        return Verdict("none")
    if two == "go":
        if value.get("impossible"):
            notes.append("the answer says that it cannot be reached: the agent may stop")
            return Verdict("impossible", True)
        return Verdict("block", True, force_continue=True, reason=reason)
    if two == "block":
        return Verdict("block", True, block=True, reason=reason, user_message=reason)
    goes_on = (spec.extras or {}).get("continueOnBlock") or not profile.has("prompt_ends_turn")
    if two == "deny":
        return Verdict("deny", True, permission="deny", halt=not goes_on, reason=reason)
    if goes_on and reason:
        return Verdict("feedback", True, reason=reason, context=((reason, "result"),))
    return Verdict("halt", True, halt=True, reason=reason)
