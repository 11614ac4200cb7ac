"""Every recipe on every agent that can run it: its expectations, `check`, and real bash."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from sandhook.hooks import HookEngine, contracts
from sandhook.hooks.checks import Surroundings, check
from sandhook.hooks.event import Event, ToolCall
from sandhook.hooks.evidence import examine
from sandhook.hooks.runner import SandboxRunner
from sandhook.hooks.sources import documents
from sandhook.recipes import catalogue
from sandhook.recipes.agents import place_of
from sandhook.recipes.catalogue import RecipeError
from sandhook.recipes.plan import agents_of, obstacle, plan_of
from sandhook.shell import Shell
from tests.hooks.evidencetools import Files
from tests.recipes.recipetools import failures, products, report, written

PRODUCTS = products()

#: Every recipe once, on agents whose formats differ: by exit status, JSON, TOML, YAML, a directory of its own.
SAMPLE = {
    "destructive-commands": "everruns",
    "protected-paths": "codex",
    "secrets-in-tool-input": "mistral_vibe",
    "git-history": "antigravity",
    "secrets-in-prompts": "cursor",
    "secrets-in-tool-output": "gemini",
    "pipe-to-shell": "goose",
    "network-egress": "kiro",
    "branch-policy": "ub",
    "package-manager": "kimi",
    "format-after-edit": "copilot",
    "license-header": "docker_agent",
    "tests-before-stop": "hermes",
    "session-context": "qwen",
    "audit-log": "grok",
    "turn-budget": "crush",
}

REAL = pytest.mark.skipif(
    sys.platform == "win32" or not shutil.which("bash") or not shutil.which("jq"),
    reason="needs bash and jq of the machine",
)


def test_the_sample_has_every_recipe() -> None:
    assert list(SAMPLE) == list(catalogue.NAMES)
    assert set(SAMPLE.items()) <= set(PRODUCTS)


@pytest.mark.parametrize(
    ("name", "agent"),
    [
        pytest.param(name, agent, marks=[] if SAMPLE[name] == agent else [pytest.mark.slow])
        for name, agent in PRODUCTS
    ],
)
def test_expectations_hold_and_check_is_clean(name: str, agent: str, tmp_path: Path) -> None:
    plan = written(agent, [name], tmp_path)
    result = report(plan, name, tmp_path)
    assert result.good, failures(result)
    contract = contracts.get(agent)
    found = documents([(tmp_path / plan.config).as_posix()], contract)
    engine = HookEngine.load(found, contract, prestart=False)
    around = Surroundings(
        project=tmp_path.as_posix(),
        home=tmp_path.as_posix(),
        read=lambda path: Path(path).read_bytes() if Path(path).is_file() else None,
    )
    serious = [str(each) for each in check(engine, contract, found, around) if each.severity != "note"]
    assert serious == []


@pytest.mark.parametrize("name", catalogue.NAMES)
def test_a_recipe_can_be_approved(name: str) -> None:
    plan = plan_of(SAMPLE[name], [name], lambda path: None, force=False)
    contract = contracts.get(SAMPLE[name])
    files = {f"/w/{file.path}": file.text for file in plan.files}
    document = contract.parse(plan.files[0].text, f"/w/{plan.config}", {})
    (spec, *_) = HookEngine.load(document, contract, prestart=False).hooks
    assert f"{name}.sh" in examine(spec, contract.name, "/w", "/h", Files(files)).files[0].path


@REAL
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[] if name == "secrets-in-prompts" else [pytest.mark.slow]) for name in SAMPLE],
)
def test_expectations_hold_on_real_bash(name: str, tmp_path: Path) -> None:
    agent = "claude_code" if "claude_code" in agents_of(catalogue.get(name)) else SAMPLE[name]
    plan = written(agent, [name], tmp_path)
    result = report(plan, name, tmp_path, shell="host")
    assert result.good, failures(result)


@pytest.mark.parametrize("name", catalogue.NAMES)
def test_a_recipe_has_refusing_and_allowing_cases(name: str) -> None:
    recipe = catalogue.get(name)
    assert len(recipe.cases) >= 6
    assert len({case["name"] for case in recipe.cases}) == len(recipe.cases)
    words = {str(each["decision"] if isinstance(each, dict) else each) for each in _expected(name)}
    if recipe.action in ("refuse", "keep-working"):
        assert words == {"proceed", "deny" if recipe.action == "refuse" else "keep-working"}
    assert recipe.limits and recipe.summary[0].islower()


def _expected(name: str) -> list[object]:
    return [case["expect"] for case in catalogue.get(name).cases]


@pytest.mark.slow
def test_all_recipes_of_one_file_keep_their_expectations(tmp_path: Path) -> None:
    plan = written("claude_code", list(catalogue.NAMES), tmp_path)
    for name in catalogue.NAMES:
        result = report(plan, name, tmp_path)
        assert result.good, failures(result)


def test_an_agent_that_cannot_run_a_recipe_is_named_with_those_that_can() -> None:
    with pytest.raises(RecipeError) as caught:
        plan_of("crush", ["tests-before-stop"], lambda path: None, force=False)
    text = str(caught.value)
    assert text.startswith("tests-before-stop: crush has no event stop; agents that can run it: jcode, ")
    assert obstacle(catalogue.get("secrets-in-prompts"), contracts.get("goose")) == (
        "goose reads no answer on UserPromptSubmit that could refuse"
    )


def test_an_unknown_recipe_has_a_hint() -> None:
    with pytest.raises(RecipeError, match="did you mean git-history"):
        catalogue.get("git-histroy")
    with pytest.raises(RecipeError, match="known are destructive-commands, "):
        catalogue.get("x")


def fired(recipe: str, event: Event, root: Path, files: dict[str, str]) -> bool:
    """Return whether a recipe for Claude Code refuses an event."""
    plan = plan_of("claude_code", [recipe], lambda path: None, force=False)
    shown = {file.path: file.text for file in plan.files} | files
    engine = HookEngine.load(
        documents([_written(root / "settings.json", plan.files[0].text)], contracts.get("claude_code")),
        "claude_code",
        runner=SandboxRunner(files=shown),
    )
    decision = engine.fire(event.with_(cwd="/workspace", project_dir="/workspace"))
    assert decision.could_not_run == ()
    return decision.refused


def _written(path: Path, text: str) -> str:
    path.write_text(text)
    return path.as_posix()


@pytest.mark.parametrize(("tokens", "refused"), [(999_999, False), (1_000_000, True)])
def test_output_tokens_count_where_the_transcript_has_them(
    tmp_path: Path, tokens: int, refused: bool
) -> None:
    line = '{"message": {"usage": {"output_tokens": %d}}}\nnot JSON\n{"type": "user", "message": "text"}\n'
    event = Event("tool.pre", tool=ToolCall("Bash", {"command": "ls"}), session_id="s")
    event = event.with_(transcript_path="/workspace/t.jsonl")
    assert fired("turn-budget", event, tmp_path, {"t.jsonl": line % tokens}) is refused


@pytest.mark.parametrize("value", [{}, {"command": None}, {"command": {"a": 1}}, {"other": "ls"}])
@pytest.mark.parametrize("name", ["destructive-commands", "git-history", "pipe-to-shell", "branch-policy"])
def test_a_call_that_cannot_be_read_is_refused(tmp_path: Path, name: str, value: dict[str, object]) -> None:
    event = Event("tool.pre", tool=ToolCall("Bash", value), session_id="s")  # type: ignore[arg-type]
    assert fired(name, event, tmp_path, {}) is True


def test_a_command_as_words_is_read(tmp_path: Path) -> None:
    for words, refused in ((["rm", "-rf", "/"], True), (["echo", "rm -rf /"], False)):
        event = Event("tool.pre", tool=ToolCall("Bash", {"command": words}), session_id="s")
        assert fired("destructive-commands", event, tmp_path, {}) is refused


def test_deep_nesting_is_refused_and_a_long_command_is_read(tmp_path: Path) -> None:
    nested = "eval " * 60 + "ls"
    for command, refused in (
        (nested, True),
        ("eval eval ls", False),
        ("echo " + "word " * 1000, False),
        ("x" * 12_000, False),
        ("x" * 12_001, True),
    ):
        event = Event("tool.pre", tool=ToolCall("Bash", {"command": command}), session_id="s")
        assert fired("destructive-commands", event, tmp_path, {}) is refused


def test_files_of_the_machine_do_not_change_the_patterns(tmp_path: Path) -> None:
    event = Event("tool.pre", tool=ToolCall("Bash", {"command": "rm -rf /tmp/work-1"}), session_id="s")
    assert fired("destructive-commands", event, tmp_path, {"/tmp/other/file": "x"}) is False
    plan = plan_of("claude_code", ["destructive-commands", "branch-policy"], lambda path: None, force=False)
    contract = contracts.get("claude_code")
    files = {f"/w/{file.path}": file.text for file in plan.files}
    document = contract.parse(plan.files[0].text, f"/w/{plan.config}", {})
    for spec in HookEngine.load(document, contract, prestart=False).hooks:
        assert examine(spec, contract.name, "/w", "/h", Files(files)).absent == ()


@pytest.mark.parametrize("agent", agents_of(catalogue.get("protected-paths")))
def test_a_guard_of_paths_protects_itself(agent: str, tmp_path: Path) -> None:
    """Whoever may change its configuration or its script may switch the guard off."""
    place = place_of(agent)
    script = next(
        file.text
        for file in plan_of(agent, ["protected-paths"], lambda path: None, force=False).files
        if file.kind == "script"
    )
    names = [f"{place.scripts}/protected-paths.sh", *([place.config] if place.config else [])]
    start = script.index("READ_ONLY='")
    patterns = script[start : script.index("'\n", start + 12) + 2]
    matches = script[script.index("matches() {") :]
    matches = matches[: matches.index("\n}\n") + 3]
    for name in names:
        text = f'{patterns}{matches}matches "$1" "$READ_ONLY"'
        assert Shell().run(text, args=[name]).exit_status == 0, name
        assert Shell().run(text, args=[f"/home/me/project/{name}"]).exit_status == 0, name
