"""The promises about hooks: how guards decide, what counts as a decision, and what an approval binds.

Each promise has its own tests in depth elsewhere. A test here shows the promise from end to end.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sandhook import Shell
from sandhook.hooks import HookEngine, RunResult
from sandhook.hooks.contracts import Document, names
from sandhook.hooks.events import ToolPre
from sandhook.hooks.trust import TrustStore
from tests.hooks.hooktools import Scripted
from tests.hooks.test_silencing import GUARDS

BASH = shutil.which("bash") if sys.platform != "win32" else None

#: Guards as people write them: the payload's command, the text, and the exit status in bash 5.2 with GNU tools and jq 1.8.
GUARDS_OF_PEOPLE: list[tuple[str, str, int]] = [
    ("rm -rf /", 'case $c in *"rm -rf"*) exit 2;; esac', 2),
    ("ls\nrm -rf /", '[[ $c =~ rm.*/$ ]] && exit 2; exit 0', 2),
    ("a\nb", "[[ $c =~ a.b ]] && exit 2; exit 0", 2),
    ("RM x", "shopt -s nocasematch; [[ $c == rm* ]] && exit 2; exit 0", 2),
    ("git push --force", "grep -qE 'push +(-f|--force)( |$)' <<< \"$c\" && exit 2; exit 0", 2),
    ("git push --force-with-lease", "grep -qE 'push +(-f|--force)( |$)' <<< \"$c\" && exit 2; exit 0", 0),
    ("curl x | sh", "[[ $c =~ \\|[[:space:]]*(ba)?sh ]] && exit 2; exit 0", 2),
    ("cat .env", 'for w in $c; do case $w in .env|*/.env) exit 2;; esac; done', 2),
    ("x", "set -e; false; exit 2", 1),
    ("x", "set -e; if false; then :; fi; false || true; exit 2", 2),
    ("x", "set -o pipefail; false | true; exit $?", 1),
    ("x", "false | true; exit $?", 0),
    ("x", "trap 'exit 9' EXIT; exit 300", 9),
    ("x", "trap 'exit 2' ERR; false; exit 0", 2),
    ("x", "exit 258", 2),
    ("x", "(exit 2) || exit $?", 2),
    ("x", "f() { return 2; }; f || exit $?", 2),
    ("x", "! true; exit $?", 1),
    ("x", 'v=$(exit 2); exit $?', 2),
    ("x", 'export v=$(exit 2); exit $?', 0),
    ("-n", 'echo "$c" | grep -q -- -n && exit 2; exit 0', 0),
    ("*", 'set -f; [ "$c" = "*" ] && exit 2; exit 0', 2),
    ("a b", "[ $c = a ] 2>/dev/null; exit $?", 2),
    ("sudo ls", "[[ ${c%% *} == sudo ]] && exit 2; exit 0", 2),
    ("rm x", "printf %s \"$c\" | sed -n '/^rm /q2'; exit $?", 2),
    ("rm x", "printf %s \"$c\" | awk '/^rm/ { exit 2 }'; exit $?", 2),
    ("rm x", "jq -e '.c | test(\"^rm\")' <<< \"{\\\"c\\\":\\\"$c\\\"}\" >/dev/null && exit 2; exit 0", 2),
    ("x", "jq -e .gone <<< '{}' >/dev/null; exit $?", 1),
    ("x", "jq -e . <<< '{' >/dev/null 2>&1; exit $?", 5),
    ("x", "jq -n 'halt_error(2)' 2>/dev/null; exit $?", 2),
]  # fmt: skip


@pytest.mark.parametrize(("command", "script", "status"), GUARDS_OF_PEOPLE)
def test_promise_12_guards_decide_as_bash_does(command: str, script: str, status: int) -> None:
    assert Shell(env={"c": command, "PATH": "/usr/bin:/bin"}).run(script).exit_status == status


@pytest.mark.skipif("BASH is None and not config.option.oracle", reason="bash is the oracle")
def test_promise_12_the_statuses_are_those_of_bash(oracle: bool) -> None:
    assert BASH is not None
    for command, script, status in GUARDS_OF_PEOPLE:
        if "jq" in script and not oracle:
            continue  # recorded with jq 1.8, which is not everywhere
        done = subprocess.run([BASH, "-c", script], env={"c": command, "PATH": "/usr/bin:/bin"}, timeout=30)
        assert done.returncode == status, script


def fire(name: str, *runs: RunResult, **options: Any) -> Any:
    engine = HookEngine.load(GUARDS[name], name, runner=Scripted(*runs), **options)
    return engine.fire(ToolPre("Bash", {"command": "ls"}))


#: Ends of a run that are no decision.
NO_DECISION = {
    "limit": RunResult(137, limit="steps"),
    "crash": RunResult(None, signal="SEGV"),
    "timeout": RunResult(124, limit="wall_seconds"),
    "failure": RunResult(failure="it could not be started"),
    "cancelled": RunResult(137, limit="cancelled"),
    "missing": RunResult(127, missing="guard: command not found"),
    "defect": RunResult(failure="internal error", failure_is_ours=True),
}


@pytest.mark.parametrize("end", NO_DECISION)
@pytest.mark.parametrize("name", names())
def test_promise_13_what_is_no_decision_is_its_own_state_and_can_be_closed(name: str, end: str) -> None:
    decision = fire(name, NO_DECISION[end])
    outcome = decision.outcomes[0]
    assert outcome.could_not_run or outcome.verdict.refuses
    assert outcome.verdict.label != "allow"
    assert fire(name, NO_DECISION[end], fail_closed=True).refused


#: Outputs that are not exactly one JSON object of strict JSON, around a refusal.
NOT_STRICT = ["{}x", "{} {}", "[{}]", "{},", "\ufeff{}", "{}\0", "//\n{}", '{{"a":NaN,"b":{}}}', "'{}'"]


#: Contracts in which an output before a call that is not JSON has no meaning.
NOT_TEXT = [
    *("claude_code", "codex", "copilot", "cursor", "docker_agent", "everruns"),
    *("qwen", "kimi", "goose", "antigravity", "grok", "hermes", "openhands", "droid", "cline"),
]


@pytest.mark.parametrize("form", NOT_STRICT)
@pytest.mark.parametrize("name", NOT_TEXT)
def test_promise_13_an_output_that_is_not_strict_json_is_no_approval(name: str, form: str) -> None:
    words = {
        "permissionDecision": "allow",
        "permission_decision": "allow",
        "decision": "allow",
        "permission": "allow",
    }
    if name == "cline" and form == "\ufeff{}":
        pytest.skip("Cline skips the mark, and has no approvals")
    text = form.replace("{{", "\1").replace("}}", "\2").replace("{}", json.dumps(words))
    run = RunResult(0, text.replace("\1", "{").replace("\2", "}").encode())
    assert fire(name, run).permission != "allow"
    assert fire(name, run, fail_closed="strict").refused


@pytest.mark.parametrize("name", names())
def test_promise_13_a_refusal_is_stronger_than_an_approval(name: str) -> None:
    one = GUARDS[name]
    documents = [
        Document(one, "a.json"),
        Document(json.loads(json.dumps(one).replace("guard", "other").replace('"g"', '"h"')), "b.json"),
    ]

    def runner(request: Any) -> RunResult:
        refuses = "guard" in (request.spec.executor.text, *request.spec.executor.argv)
        return RunResult(2 if refuses else 0, stderr=b"no" if refuses else b"")

    for order in (documents, documents[::-1]):
        assert HookEngine.load(order, name, runner=runner).fire(ToolPre("Bash", {"command": "ls"})).refused


@pytest.mark.skipif(sys.platform == "win32", reason="files that are replaced while they are open")
def test_promise_14_nothing_of_a_project_runs_before_trust_and_then_only_those_bytes(tmp_path: Path) -> None:
    root = tmp_path / "p"
    (root / "hooks").mkdir(parents=True)
    mark = tmp_path / "mark"
    script = root / "hooks" / "run.sh"
    lib = root / "hooks" / "lib.sh"
    script.write_text('#!/bin/bash\n. "$(dirname "$0")/lib.sh"\necho no >&2; exit 2\n')
    script.chmod(0o755)
    lib.write_text(f"echo lib >> {mark}\n")
    config = {"hooks": {"PreToolUse": [{"command": "cd hooks && ./run.sh"}]}}
    document = Document(config, str(root / "crush.json"), layer="project", contract="crush")
    event = ToolPre("bash", {"command": "ls"}, cwd=str(root))
    store = TrustStore(str(tmp_path / "trust.json"), home=str(tmp_path))

    def load() -> HookEngine:
        return HookEngine.load(document, host=True, trust=store.allows("crush", str(root)))

    untrusted = load()
    assert not untrusted.fire(event).refused
    assert (untrusted.hooks, mark.exists()) == ((), False)
    store.approve([store.examine(untrusted.withheld[0].spec, "crush", str(root))])
    trusted = load()
    assert trusted.fire(event).reason == "no"
    assert mark.read_text() == "lib\n"
    changes = [
        (lib, f"echo evil >> {mark}\n"),
        (script, f"#!/bin/bash\necho evil >> {mark}\n"),
    ]
    for path, text in changes:
        before = path.read_text()
        path.write_text(text)
        assert trusted.fire(event).could_not_run  # an engine that was loaded before
        assert load().hooks == ()  # and one that is loaded now
        path.write_text(before)
    moved = document._replace(
        value={"hooks": {"PreToolUse": [{**config["hooks"]["PreToolUse"][0], "timeout": 5}]}}
    )
    assert HookEngine.load(moved, host=True, trust=store.allows("crush", str(root))).hooks == ()
    other = tmp_path / "q"
    other.mkdir()
    assert HookEngine.load(document, host=True, trust=store.allows("crush", str(other))).hooks == ()
    assert mark.read_text() == "lib\n"
