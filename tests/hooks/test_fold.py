"""Folding: the policies of the four agents as data, over verdicts in config order."""

from __future__ import annotations

from typing import Any

import pytest

from sandhook.hooks import Decision, Event, Operation, ToolPost, ToolPre, Verdict
from sandhook.hooks.fold import Fold, FoldPolicy

EVERRUNS = FoldPolicy()
CRUSH = FoldPolicy(
    chained=False,
    matchers_see_changes=False,
    stop_on_refusal=False,
    precedence=("deny", "allow", "none"),
    reasons="join",
    contexts="join",
    survive_refusal=False,
    context_survives_refusal=False,
    dedupe="text",
)
JCODE = FoldPolicy(matchers_see_changes=False, replacements="last", contexts="join")
UB = FoldPolicy(chained=False, stop_on_refusal=False)
CLAUDE = FoldPolicy(
    chained=False,
    stop_on_refusal=False,
    precedence=("deny", "defer", "ask", "allow", "none"),
    reasons="join",
    replacements="last",
    race=True,
)


def fold(policy: FoldPolicy, *verdicts: Verdict, event: Event | None = None) -> tuple[Fold, Decision]:
    made = Fold(policy, event or ToolPre("bash", {"command": "orig", "timeout": 60}))
    for number, verdict in enumerate(verdicts):
        if made.stopped:
            break
        made.add(f"h{number}", verdict)
    return made, made.decision()


ALLOW = Verdict(permission="allow")
ASK = Verdict(permission="ask")
NONE = Verdict()


def deny(reason: str) -> Verdict:
    return Verdict(permission="deny", reason=reason)


def merge(patch: Any, otherwise: str = "reject") -> Verdict:
    return Verdict(input=Operation("merge", patch, otherwise))


def applied(decision: Decision, value: Any) -> Any:
    for operation in decision.input:
        value = operation.apply(value)
    return value


@pytest.mark.parametrize(
    ("policy", "verdicts", "permission"),
    [
        (CRUSH, (ALLOW, deny("no")), "deny"),
        (CRUSH, (NONE, ALLOW), "allow"),
        (CRUSH, (NONE, NONE), "none"),
        (JCODE, (ALLOW, ASK), "ask"),
        (JCODE, (ASK, ALLOW), "ask"),
        (CLAUDE, (ASK, Verdict(permission="defer"), ALLOW), "defer"),
        (EVERRUNS, (), "none"),
    ],
)
def test_precedence(policy: FoldPolicy, verdicts: tuple[Verdict, ...], permission: str) -> None:
    assert fold(policy, *verdicts)[1].permission == permission


def test_reasons_are_the_first_or_all_of_them() -> None:
    verdicts = (
        deny("one"),
        Verdict(permission="allow", reason="unsaid"),
        deny("two"),
        Verdict(halt=True, reason="three"),
    )
    assert fold(CRUSH, *verdicts)[1].reason == "one\ntwo\nthree"
    assert fold(UB, *verdicts)[1].reason == "one"
    assert fold(JCODE, *verdicts)[1].reason == "one"
    assert fold(CRUSH, ALLOW)[1].reason is None


def test_a_chain_ends_at_the_first_refusal_where_the_agent_says_so() -> None:
    assert fold(EVERRUNS, NONE, deny("x"), ALLOW)[0].stopped
    assert fold(EVERRUNS, Verdict(block=True))[0].stopped
    assert fold(EVERRUNS, Verdict(halt=True))[0].stopped
    assert not fold(UB, deny("x"), NONE)[0].stopped


def test_halt_is_sticky_and_goes_with_allow() -> None:
    made = fold(CRUSH, Verdict(permission="allow", halt=True, reason="via json"))[1]
    assert (made.halt, made.permission) == (True, "allow")


def test_crush_merges_every_patch_onto_the_original() -> None:
    first, second = merge({"command": "first", "keep": "me"}), merge({"command": "second"})
    made, decision = fold(CRUSH, first, second)
    assert made.event.tool is not None and made.event.tool.input["command"] == "orig", "all see the original"
    assert applied(decision, {"command": "orig", "timeout": 60}) == {
        "command": "second",
        "keep": "me",
        "timeout": 60,
    }
    assert applied(decision, "just-a-string") == "just-a-string", (
        "a patch of what is not an object is rejected"
    )
    assert applied(fold(CRUSH, merge({"env": {"FOO": "bar"}}))[1], {"env": {"BAZ": 1}}) == {
        "env": {"FOO": "bar"}
    }


def test_changes_survive_a_refusal_or_not() -> None:
    verdicts = (merge({"a": 1})._replace(context=(("c", "result"),), context_files=("f",)), deny("no"))
    everruns, crush = fold(EVERRUNS, *verdicts)[1], fold(CRUSH, *verdicts)[1]
    assert applied(everruns, {}) == {"a": 1}
    assert everruns.context == (("c", "result"),)
    assert (crush.input, crush.context, crush.context_files) == ((), (), ())


def test_a_chain_shows_the_next_hook_what_changed() -> None:
    made, _ = fold(EVERRUNS, merge({"command": "new"}))
    assert made.event.tool is not None and made.event.tool.input == {"command": "new", "timeout": 60}
    assert made.matched_against is made.event
    assert isinstance(made.event, ToolPre)
    jcode, _ = fold(JCODE, merge({"command": "new"}))
    assert jcode.matched_against.tool is not None and jcode.event.tool is not None
    assert (jcode.matched_against.tool.input["command"], jcode.event.tool.input["command"]) == ("orig", "new")


def test_a_chain_over_results() -> None:
    made, decision = fold(
        EVERRUNS,
        Verdict(result=Operation("replace", 1)),
        Verdict(error=Operation("replace", "bad")),
        event=ToolPost("bash", result=0),
    )
    assert made.event.result is not None
    assert (made.event.result.value, made.event.result.error, made.event.result.ok) == (1, "bad", False)
    assert len(decision.result) == len(decision.error) == 1


def test_the_last_replacement_counts_and_a_race_is_told() -> None:
    verdicts = (Verdict(input=Operation("replace", {"a": 1})), Verdict(input=Operation("replace", {"a": 2})))
    decision = fold(CLAUDE, *verdicts)[1]
    assert applied(decision, {}) == {"a": 2} and len(decision.input) == 1
    assert decision.diagnostics == ("race: h0, h1 all replace the input; the last to finish wins upstream",)
    assert fold(CLAUDE, verdicts[0])[1].diagnostics == ()
    assert fold(JCODE, *verdicts)[1].diagnostics == ()


def test_contexts_join_by_placement_or_stay_apart() -> None:
    verdicts = [Verdict(context=(entry,)) for entry in (("a", "prompt"), ("b", "result"), ("c", "prompt"))]
    assert fold(CRUSH, *verdicts)[1].context == (("a\nc", "prompt"), ("b", "result"))
    assert fold(EVERRUNS, *verdicts)[1].context == (("a", "prompt"), ("b", "result"), ("c", "prompt"))


def test_context_files_are_told_once() -> None:
    verdicts = [Verdict(context_files=("a", "b")), Verdict(context_files=("b", "c"))]
    assert fold(CRUSH, *verdicts)[1].context_files == ("a", "b", "c")


def test_could_not_run_is_collected_and_is_no_permission() -> None:
    decision = fold(EVERRUNS, Verdict(could_not_run="timed out"), ALLOW, Verdict(could_not_run="gone"))[1]
    assert decision.could_not_run == ("h0", "h2")


def test_system_messages_join() -> None:
    assert (
        fold(JCODE, Verdict(system_message="a"), NONE, Verdict(system_message="b"))[1].system_message
        == "a\nb"
    )


def _blocking(reason: str, *, over: bool = False) -> Verdict:
    return Verdict("block", True, block=True, reason=reason, overrides=over)


@pytest.mark.parametrize(
    ("how", "verdicts", "reason"),
    [
        ("reasons", [Verdict(reason="one"), deny("two")], "one\ntwo"),
        ("reasons", [deny("none"), deny("two")], "two"),
        ("reasons", [deny("none")], "none"),
        ("reasons", [Verdict(halt=True, overrides=True, reason="over"), deny("two")], "over"),
        ("last stop", [_blocking("s1", over=True), _blocking("s2", over=True), _blocking("r")], "s2"),
        ("last stop", [_blocking("one"), _blocking("two")], "one\ntwo"),
        ("fields", [_blocking("one", over=True), Verdict(reason="two")], "two"),
        ("fields", [_blocking("one", over=True), Verdict(reason="two", overrides=True)], None),
    ],
)
def test_outputs_that_an_agent_merges_have_one_reason(
    how: Any, verdicts: list[Verdict], reason: str | None
) -> None:
    policy = FoldPolicy(stop_on_refusal=False, reasons="join", strict_merge=how, no_reason="none")
    made = Fold(policy, ToolPre("bash", {}), strict=True)
    for number, verdict in enumerate(verdicts):
        made.add(f"h{number}", verdict)
    decision = made.decision()
    assert decision.reason == reason
    assert decision.refused is (reason is not None)


def test_a_failure_of_the_organisation_lets_its_other_hooks_run_and_their_reason_count() -> None:
    made = Fold(FoldPolicy(), ToolPre("bash", {}))
    made.add("a", Verdict("policy failed", block=True, reason="failed"))
    assert (made.stopped, made.goes_on_in) == (True, "managed")
    made.add("b", _blocking("not so"))
    assert (made.stopped, made.goes_on_in) == (True, "")
    assert made.decision().reason == "not so"
