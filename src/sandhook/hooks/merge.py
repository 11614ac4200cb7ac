"""Merge decisions of several contracts: halt before deny before defer before ask before allow."""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.hooks.model import PERMISSIONS, Decision


def merge(decisions: Sequence[Decision]) -> Decision:
    """Return one decision for several contracts, each of which folded its own hooks.

    Reason and messages are those of the first contract with the strongest decision. Changes apply in
    the order of the contracts, because later ones saw what earlier ones changed. A refusal of any
    contract drops changes of the input and the prompt, and context.

    Args:
        decisions: One per contract, in the order of the configuration; at least one.
    """
    if len(decisions) == 1:
        return decisions[0]
    strongest = min(decisions, key=_weakness)
    refused = any(decision.refused for decision in decisions)
    return Decision(
        kind=decisions[0].kind,
        event=next((each.event for each in decisions if each.event), ""),
        contract=",".join(decision.contract for decision in decisions),
        permission=min((each.permission for each in decisions), key=PERMISSIONS.index),
        block=any(decision.block for decision in decisions),
        halt=any(decision.halt for decision in decisions),
        force_continue=any(decision.force_continue for decision in decisions),
        reason=strongest.reason,
        user_message=strongest.user_message,
        system_message="\n".join(each.system_message for each in decisions if each.system_message) or None,
        input=() if refused else tuple(one for each in decisions for one in each.input),
        prompt=() if refused else tuple(one for each in decisions for one in each.prompt),
        result=tuple(one for each in decisions for one in each.result),
        error=tuple(one for each in decisions for one in each.error),
        context=() if refused else tuple(one for each in decisions for one in each.context),
        context_files=() if refused else tuple(one for each in decisions for one in each.context_files),
        could_not_run=tuple(one for each in decisions for one in each.could_not_run),
        fail_closed=tuple(one for each in decisions for one in each.fail_closed),
        message=strongest.message,
        outcomes=tuple(one for each in decisions for one in each.outcomes),
        diagnostics=tuple(one for each in decisions for one in each.diagnostics),
        extras={key: value for each in decisions for key, value in (each.extras or {}).items()} or None,
    )


def _weakness(decision: Decision) -> int:
    if decision.halt:
        return 0
    if decision.refused or decision.force_continue:
        return 1
    return 1 + PERMISSIONS.index(decision.permission)
