"""Loading Everruns configurations: forms, bounds, upstream's words, ids, layers, mutes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sandhook.errors import ConfigError
from sandhook.hooks import ContractError, HookEngine, NopEngine, ToolPre
from tests.hooks.hooktools import Scripted, config, hook, said


def load(*sources: Any, **options: Any) -> HookEngine:
    options.setdefault("runner", Scripted(said()))
    return HookEngine.load(list(sources), **{"contract": "everruns", **options})


def problems(*sources: Any, **options: Any) -> list[str]:
    return [str(problem) for problem in load(*sources, **options).problems]


PARSE = "user_hooks config parse failed: "
EVENTS = (
    "expected one of `session_start`, `user_prompt_submit`, `pre_tool_use`, `post_tool_use`, "
    "`turn_end`, `session_end`"
)


@pytest.mark.parametrize(
    ("raw", "path", "message"),
    [
        (hook(timeout_ms=50), "timeout_ms", "hook timeout_ms 50 is out of range (100..=30000)"),
        (hook(timeout_ms=99), "timeout_ms", "hook timeout_ms 99 is out of range (100..=30000)"),
        (hook(timeout_ms=30_001), "timeout_ms", "hook timeout_ms 30001 is out of range (100..=30000)"),
        (
            hook("turn_end", matcher={"tool_name": "bash"}),
            "matcher",
            "hook event `turn_end` does not accept a matcher",
        ),
        (
            {
                "event": "turn_end",
                "executor": {"type": "bash", "command": "x", "env": dict.fromkeys("abcdefghijklmnopq", "")},
            },
            "executor.env",
            "hook has more than 16 env vars",
        ),
        (hook(command="  \n"), "executor.command", "hook bash command is empty"),
        (hook(command="x" * 16_385), "executor.command", "hook bash command is longer than 16384 bytes"),
        (
            hook(matcher={"tool_name": "ü" * 1025}),
            "matcher.tool_name",
            "hook matcher field `tool_name` is longer than 2048 bytes",
        ),
        (
            hook(matcher={"args_jsonpath": "$.a", "match_regex": "a", "deny_regex": "b"}),
            "matcher",
            "hook has both match_regex and deny_regex set; choose one",
        ),
        (
            hook(matcher={"args_jsonpath": "$.a", "deny_regex": "(a"}),
            "matcher.deny_regex",
            "hook regex `(a` failed to compile: missing ): (a",
        ),
        (
            hook(matcher={"args_jsonpath": "$.a", "match_regex": "a(?=b)"}),
            "matcher.match_regex",
            "hook regex `a(?=b)` failed to compile: invalid perl operator: (?=",
        ),
        *(
            (
                hook(matcher={"tool_name_glob": glob}),
                "matcher.tool_name_glob",
                f"hook tool_name_glob `{glob}` contains unsupported syntax",
            )
            for glob in ("bash**", "b*sh", "ba?h", "[ab]", "{a,b}", "ok|*x")
        ),
    ],
)
def test_a_bound_in_upstreams_words(raw: dict[str, Any], path: str, message: str) -> None:
    assert problems(config(hook(), raw)) == [f"hooks[1].{path}: user_hooks.hooks[1]: {message}"]


@pytest.mark.parametrize(
    "raw",
    [
        hook(timeout_ms=100),
        hook(timeout_ms=30_000),
        hook("turn_end", matcher={}),
        hook("turn_end", matcher={"tool_name": None}),
        {
            "event": "turn_end",
            "executor": {"type": "bash", "command": "x", "env": dict.fromkeys("abcdefghijklmnop", "")},
        },
        hook(command="x" * 16_384),
        hook(matcher={"tool_name": "ü" * 1024}),
        hook(matcher={"tool_name_glob": " bash* | edit_file | "}),
        hook(id=None, description=None),
        hook(source={"type": "capability"}),
    ],
)
def test_a_step_short_of_a_bound_is_no_fault(raw: dict[str, Any]) -> None:
    made = load(config(raw))
    assert made.problems == () and len(made.hooks) == 1


@pytest.mark.parametrize(
    ("raw", "path", "message"),
    [
        ({}, "event", "missing field `event`"),
        ({"event": "turn_end"}, "executor", "missing field `executor`"),
        (hook("PreToolUse"), "event", f"unknown variant `PreToolUse`, {EVENTS}"),
        (hook("pre_compact"), "event", f"unknown variant `pre_compact`, {EVENTS} (planned upstream)"),
        (hook(matcher=None), "matcher", "invalid type: null, expected struct HookMatcher"),
        (hook(matcher={"tool_name": 5}), "matcher.tool_name", "invalid type: integer `5`, expected a string"),
        (hook(timeout_ms=1.5), "timeout_ms", "invalid type: floating point `1.5`, expected u64"),
        (hook(timeout_ms=True), "timeout_ms", "invalid type: boolean `true`, expected u64"),
        (hook(timeout_ms=-1), "timeout_ms", "invalid value: integer `-1`, expected u64"),
        (
            hook(on_error="deny"),
            "on_error",
            "unknown variant `deny`, expected one of `block`, `allow`, `warn`",
        ),
        (hook(id=7), "id", "invalid type: integer `7`, expected a string"),
        (hook(description=["x"]), "description", "invalid type: sequence, expected a string"),
        ({"event": "turn_end", "executor": {"command": "x"}}, "executor.type", "missing field `type`"),
        ({"event": "turn_end", "executor": {"type": "bash"}}, "executor.command", "missing field `command`"),
        (
            {"event": "turn_end", "executor": {"type": "webhook", "url": "u"}},
            "executor.type",
            "unknown variant `webhook`, expected `bash` (planned upstream; a host can register it)",
        ),
        (
            {"event": "turn_end", "executor": {"type": "bash", "command": "x", "env": {"A": 1}}},
            "executor.env.A",
            "invalid type: integer `1`, expected a string",
        ),
        ("x", "", 'invalid type: string "x", expected struct UserHookSpec'),
    ],
)
def test_what_upstream_cannot_parse(raw: Any, path: str, message: str) -> None:
    where = f"hooks[0].{path}" if path else "hooks[0]"
    assert f"{where}: {PARSE}{message}" in problems(config(raw))


def test_every_one_of_ten_faults_is_told() -> None:
    made = config(
        hook("nosuch", timeout_ms="soon", on_error="maybe"),
        hook("turn_end", command="", matcher={"tool_name": "x"}, timeout_ms=1),
        hook(matcher={"tool_name_glob": "a?", "args_jsonpath": "$.c", "match_regex": "[", "deny_regex": "x"}),
        {"event": "turn_end", "executor": {"type": "wasm"}},
    )
    paths = [
        "hooks[0].event",
        "hooks[0].on_error",
        "hooks[0].timeout_ms",
        "hooks[1].executor.command",
        "hooks[1].matcher",
        "hooks[1].timeout_ms",
        "hooks[2].matcher",
        "hooks[2].matcher.match_regex",
        "hooks[2].matcher.tool_name_glob",
        "hooks[3].executor.type",
    ]
    assert sorted(problem.path for problem in load(made).problems) == paths


def test_a_hook_with_a_fault_is_left_out_and_the_others_run() -> None:
    made = load(config(hook(id="a"), hook(timeout_ms=1), hook()))
    assert [spec.id for spec in made.hooks] == ["user:a", "user:pre_tool_use_2"]


def test_strict_takes_no_hook_when_upstream_cannot_parse_one() -> None:
    bad = config(hook(), hook("nosuch"))
    assert load(bad, compat="strict").hooks == ()
    assert len(load(bad).hooks) == 1
    assert len(load(config(hook(), hook(timeout_ms=1)), compat="strict").hooks) == 1


def test_fail_closed_takes_no_configuration_with_a_fault() -> None:
    with pytest.raises(ConfigError) as error:
        load(config(hook(timeout_ms=1), hook("x")), fail_closed=True)
    assert len(error.value.problems) == 2


def test_too_many_hooks_and_too_long_a_config() -> None:
    assert len(load(config(*[hook()] * 64)).hooks) == 64
    made = load(config(*[hook(timeout_ms=1)] * 65))
    assert [str(each) for each in made.problems] == ["hooks: user_hooks has 65 entries; maximum is 64"]
    long = config(*[hook(command="x" * 16_000)] * 17)
    size = len(json.dumps(long, separators=(",", ":")))
    assert problems(long) == [f"user_hooks config is {size} bytes; maximum is 262144"]


@pytest.mark.parametrize("empty", [None, {}, {"hooks": []}, {"hooks": [], "disabled_contributions": []}])
def test_an_empty_configuration_has_no_hooks(empty: Any) -> None:
    made = load(empty)
    assert (made.hooks, made.problems) == ((), ())
    assert HookEngine.load(empty, "everruns").fire(ToolPre("bash")).proceed


def test_nothing_configured_gives_an_engine_that_does_nothing() -> None:
    assert isinstance(HookEngine.load([]), NopEngine)
    decision = HookEngine.load([]).fire(ToolPre("bash"))
    assert decision.proceed and decision.outcomes == ()


def test_unknown_fields_are_told_in_better_mode_alone() -> None:
    raw = hook(matcher={"tool": "bash"}, name="x")
    raw["executor"]["shell"] = "zsh"
    made = config(raw, hook_s=1)
    assert sorted(load(made).diagnostics) == [
        "hook_s: unknown field, ignored",
        "hooks[0].executor.shell: unknown field, ignored",
        "hooks[0].matcher.tool: unknown field, ignored",
        "hooks[0].name: unknown field, ignored",
    ]
    assert load(made, compat="strict").diagnostics == ()


def test_a_duplicate_key_is_a_fault(tmp_path: Path) -> None:
    path = tmp_path / "hooks.json"
    path.write_text(
        '{"hooks":[{"event":"turn_end","event":"turn_end","executor":{"type":"bash","command":"x"}}]}'
    )
    assert problems(path) == [f"{path}:1: {PARSE}duplicate key 'event': the last one counts"]


def test_files_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "hooks.json"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(config(hook())).encode())
    assert len(load(path).hooks) == 1


def test_files_that_cannot_be_read_are_all_named(tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text("{")
    latin = tmp_path / "latin.json"
    latin.write_bytes(b'{"hooks":"\xff"}')
    with pytest.raises(ConfigError) as error:
        load(tmp_path / "gone.json", broken, latin)
    assert [problem.message.partition(" at")[0] for problem in error.value.problems] == [
        "No such file or directory",
        "Expecting property name enclosed in double quotes",
        "not UTF-8",
    ]


# Ids and layers.


def test_an_id_less_hook_is_named_after_its_event_and_place() -> None:
    made = load(config(hook(id="a"), hook("turn_end"), hook()))
    assert [spec.id for spec in made.hooks] == ["user:a", "user:turn_end_1", "user:pre_tool_use_2"]
    assert load(config(hook(), disabled_contributions=["user:pre_tool_use_0"])).hooks == ()


def test_a_later_file_replaces_by_id_adds_without_and_drops_by_name() -> None:
    low = config(hook(id="a", command="low"), hook(id="b"), hook())
    high = config(hook(id="a", command="high"), hook(), disabled=["b"])
    made = load(low, high)
    assert [(spec.id, spec.executor.text) for spec in made.hooks] == [
        ("user:a", "high"),
        ("user:pre_tool_use_2", "true"),
        ("user:pre_tool_use_4", "true"),
    ]
    assert load(high, low).hooks[0].executor.text == "low"
    assert "user:b" in [spec.id for spec in load(high, low).hooks], "`disabled` reaches lower layers alone"


def test_two_hooks_of_one_file_may_share_an_id_and_both_run() -> None:
    made = load(config(hook(id="a"), hook(id="a")))
    assert len(made.hooks) == 2
    assert made.diagnostics == ("hooks[1]: another hook has the id user:a too; both run",)


def test_problems_of_several_files_name_theirs(tmp_path: Path) -> None:
    first, second = tmp_path / "a.json", tmp_path / "b.json"
    first.write_text(json.dumps(config(hook())))
    second.write_text(json.dumps(config(hook(timeout_ms=1))))
    assert problems(first, second) == [
        f"{second}:1: hooks[0].timeout_ms: user_hooks.hooks[0]: hook timeout_ms 1 is out of range (100..=30000)"
    ]


def test_capabilities_contribute_in_the_order_of_the_list() -> None:
    made = load(
        {
            "capabilities": [
                {"ref": "auditor"},
                {"ref": "virtual_bash"},
                {"ref": "user_hooks", "config": config(hook(id="mine"), disabled_contributions=["pack:two"])},
                {"ref": "pack"},
                {"ref": "inline", "definition": {"user_hooks": [hook()]}},
            ]
        },
        {"definition": {"name": "pack", "user_hooks": [hook(id="one"), hook(id="two")]}},
        contributions={"auditor": [hook("post_tool_use")], "unlisted": [hook(id="x")]},
    )
    assert [spec.id for spec in made.hooks] == [
        "unlisted:x",
        "auditor:post_tool_use_0",
        "user:mine",
        "pack:one",
        "inline:pre_tool_use_0",
    ]
    assert made.diagnostics == (
        (
            "configuration 1: capabilities[2].config.disabled_contributions[0]: "
            "muting hook pack:two via disabled_contributions"
        ),
    )


def test_a_problem_in_a_capability_list_has_its_whole_path() -> None:
    source = {"capabilities": [{"ref": "user_hooks", "config": config(hook(timeout_ms=1))}, {"reff": "x"}]}
    assert problems(source) == [
        "capabilities[1]: a capability must be an object with a string `ref`",
        "capabilities[0].config.hooks[0].timeout_ms: user_hooks.hooks[0]: hook timeout_ms 1 is out of range (100..=30000)",
    ]


def test_a_declarative_capability_is_of_high_risk_and_strict_mode_ignores_it() -> None:
    source = {"definition": {"name": "pack", "risk_level": "low", "user_hooks": [hook(id="a")], "extra": 1}}
    made = load(source)
    assert [spec.id for spec in made.hooks] == ["pack:a"]
    assert made.diagnostics == (
        "definition.extra: unknown field, ignored",
        "definition.risk_level: a capability with hooks is of high risk, whatever it says",
    )
    strict = load(source, compat="strict")
    assert strict.hooks == () and "L-EVERRUNS-003" in strict.diagnostics[0]
    assert problems({"definition": {"user_hooks": []}}) == [
        "definition.name: a declarative capability needs a name: its hooks' ids begin with it"
    ]


def test_mutes_that_name_nothing_are_told() -> None:
    assert load(config(hook(), disabled_contributions=["user:nosuch"])).diagnostics == (
        "disabled_contributions[0]: user:nosuch names no hook",
    )


@pytest.mark.parametrize(
    "source",
    [
        config(),
        {"disabled_contributions": ["a:b"]},
        {"capabilities": []},
        {"definition": {"name": "x", "user_hooks": []}},
        {"name": "x", "user_hooks": []},
    ],
)
def test_the_contract_is_recognised(source: Any) -> None:
    made = HookEngine.load(source, runner=Scripted(said()))
    assert [contract.name for contract in made.contracts] == ["everruns"]


@pytest.mark.parametrize("source", [{"hooks": {"PreToolUse": []}}, {"x": 1}, {"hooks": 5}])
def test_what_fits_no_contract_is_an_error(source: Any) -> None:
    with pytest.raises(ContractError, match="fits none of the known contracts"):
        HookEngine.load(source)


def test_an_unknown_contract_is_an_error_that_lists_the_known() -> None:
    with pytest.raises(ContractError, match="unknown contract 'nosuch'; known are everruns"):
        HookEngine.load({}, "nosuch")


def test_a_host_may_register_an_executor() -> None:
    called = Scripted(said('{"decision":"block","reason":"by webhook"}'))
    raw = {
        "event": "pre_tool_use",
        "executor": {"type": "webhook", "url": "http://x", "hmac_secret_ref": "s"},
    }
    made = load(config(raw), executors={"webhook": called})
    assert made.fire(ToolPre("bash")).reason == "by webhook"
    assert called.requests[0].spec.executor.config == {"url": "http://x", "hmac_secret_ref": "s"}


def test_an_environment_that_cannot_be_is_told() -> None:
    raw = hook()
    raw["executor"]["env"] = {"A=B": "1", "": "2", "C": "a\0b", "D": "4"}
    made = load(config(raw))
    assert made.hooks[0].executor.env == (("D", "4"),)
    assert len(made.diagnostics) == 3
