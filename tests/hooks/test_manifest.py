"""Hooks that are held to a capability manifest: what is not declared fails, and never lets anything pass."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from sandhook import Shell
from sandhook.errors import ManifestError
from sandhook.hooks import HookEngine, ToolPre
from sandhook.hooks.manifest import Capabilities, Manifest, digest_of, parse, to_json
from sandhook.hooks.manifest.hold import Holder
from sandhook.hooks.manifest.schema import MANIFEST_SCHEMA
from sandhook.hooks.model import Decision, Executor, RunResult
from sandhook.hooks.runner import SandboxRunner
from sandhook.kernel.settings import Restrictions
from sandhook.net.network import Network

EVENT = ToolPre("bash", {"command": "ls"})


def manifest_for(command: str, **declared: Any) -> Manifest:
    entry = Capabilities("hook", "PreToolUse", digest_of(Executor("bash", command)), **declared)
    return Manifest((entry,), dict.fromkeys(entry.files, "sha256:" + "0" * 64))


def fire(
    command: str, manifest: Manifest, files: Mapping[str, str] | None = None, **options: Any
) -> Decision:
    runner = SandboxRunner(
        files=files or {},
        holder=Holder(manifest),
        network=options.pop("network", None),
        isolation=options.pop("isolation", "thread"),
    )
    engine = HookEngine.load(
        {"hooks": {"PreToolUse": [{"command": command}]}}, "crush", runner=runner, **options
    )
    return engine.fire(EVENT)


def run_of(decision: Decision) -> RunResult:
    (outcome,) = decision.outcomes
    assert outcome.run is not None
    return outcome.run


@pytest.mark.parametrize(
    ("command", "declared", "drift"),
    [
        ("cat a.txt", {"programs": ("cat",)}, "reads ./a.txt"),
        ("echo x > b.txt", {}, "writes ./b.txt"),
        ("mkdir d; true", {"programs": ("mkdir",)}, "writes ./d"),
        ("sort < /etc/hosts.x || true", {"programs": ("sort",)}, "reads /etc/hosts.x"),
        ("echo x > ~/y", {}, "writes ~/y"),
        ("ln -s a.txt l; cat l", {"programs": ("cat", "ln"), "writes": ("./l",)}, "reads ./a.txt"),
        ("ls", {}, "runs ls"),
        ("bash -c 'ls; true'", {"programs": ("bash",)}, "runs ls"),
        ("xargs ls </dev/null; true", {"programs": ("xargs",)}, "runs ls"),
        ("/usr/bin/ls", {}, "runs ls"),
        ("x=ls; $x || true", {}, "runs ls"),
        ("curl -s http://other.example/; true", {"programs": ("curl",), "hosts": ("a.example:80",)}, "reaches other.example:80"),
        ("curl -s http://other.example/; true", {"programs": ("curl",)}, "reaches other.example:80"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("isolation", ["thread", "process"])
def test_what_is_not_declared_fails(
    command: str, declared: dict[str, Any], drift: str, isolation: str
) -> None:
    network = Network(["http://a.example", "http://other.example"], resolve=lambda host, port: [])
    decision = fire(command, manifest_for(command, **declared), {"a.txt": "1\n"}, network=network)
    run = run_of(decision)
    assert run.drift == (drift,)
    assert decision.refused and decision.fail_closed == ("PreToolUse[0]",)
    assert run.failure == f"drift: not in the manifest: {drift}"


@pytest.mark.parametrize(
    ("command", "declared"),
    [
        ("cat a.txt", {"programs": ("cat",), "reads": ("./a.txt",)}),
        ("cat sub/a.txt", {"programs": ("cat",), "reads": ("./sub",)}),
        ("cat sub/a.txt", {"programs": ("cat",), "reads": ("./*.txt",)}),
        ("cat sub/a.txt", {"programs": ("*",), "reads": (".",)}),
        ("echo x > ~/y", {"writes": ("~/y",)}),
        ("echo x > /dev/null; [ -e nosuch ] || true; printf -v x %s 1", {}),
        ("bash -c 'bash -c true'", {}),
        ("f=/tmp/x.$$; echo 1 > $f; rm $f", {"writes": ("/tmp/x.*",), "programs": ("rm",)}),
    ],
)
@pytest.mark.parametrize("isolation", ["thread", "process"])
def test_what_is_declared_runs(command: str, declared: dict[str, Any], isolation: str) -> None:
    files = {"a.txt": "1\n", "sub/a.txt": "1\n"}
    run = run_of(fire(command, manifest_for(command, **declared), files))
    assert (run.drift, run.failure, run.stderr, run.exit_status) == ((), None, b"", 0)


def test_the_script_sees_an_error() -> None:
    run = run_of(
        fire(
            "cat a.txt; echo $?; ls; echo $?",
            manifest_for("cat a.txt; echo $?; ls; echo $?", programs=("cat",)),
            {"a.txt": "1"},
        )
    )
    assert run.stdout == b"1\n126\n"
    assert run.stderr == b"cat: a.txt: Permission denied\nbash: line 1: ls: Permission denied\n"


def test_a_hook_that_is_not_in_the_manifest_does_not_run() -> None:
    decision = fire("echo other", manifest_for("echo this"))
    assert decision.refused and run_of(decision).exit_status is None
    assert "is not in the manifest" in (run_of(decision).failure or "")


def test_drift_does_not_turn_an_approval_loose() -> None:
    command = """ls; echo '{"decision":"allow"}'"""
    assert fire(command, manifest_for(command, programs=("ls",))).permission == "allow"
    assert fire(command, manifest_for(command)).refused


def test_strict_mode_refuses_as_well() -> None:
    assert fire("ls", manifest_for("ls"), compat="strict").refused


def test_a_file_must_have_its_hash() -> None:
    manifest = manifest_for("bash ./g.sh", files=("g.sh",))
    text = "exit 0\n"
    from hashlib import sha256

    right = manifest._replace(files={"g.sh": f"sha256:{sha256(text.encode()).hexdigest()}"})
    assert run_of(fire("bash ./g.sh", right, {"g.sh": text})).failure is None
    assert "g.sh has changed" in (run_of(fire("bash ./g.sh", manifest, {"g.sh": text})).failure or "")
    assert "g.sh is missing" in (run_of(fire("bash ./g.sh", right, {})).failure or "")
    assert fire("bash ./g.sh", manifest, {"g.sh": text}).refused


@pytest.mark.parametrize("isolation", ["thread", "process"])
@pytest.mark.parametrize(
    ("script", "declared", "answer"),
    [
        ("echo ${A-none} $B >&2; exit 2", ("A", "B"), "1 2"),
        ("echo ${A-none} >&2; exit 2", ("*",), "1"),
        ("B=3; echo $A $B >&2; exit 2", ("A",), "1 3"),
        ("local_b() { local B=4; echo $B >&2; }; local_b; exit 2", (), "4"),
        ("B=5 bash -c 'echo $B >&2'; exit 2", (), "5"),
        ("unset B; B=6; export B; bash -c 'echo $B' >&2; exit 2", (), "6"),
        ("declare -p >/dev/null; compgen -v >/dev/null; echo x >&2; exit 2", (), "x"),
        ("echo ${B-none} >&2; exit 2", (), None),
        ("bash -c 'echo ${B-none}' >&2; exit 2", (), None),
        ("[ -v B ] || echo x >&2; exit 2", (), None),
        ("name=B; echo ${!name} >&2; exit 2", (), None),
        ("(( B > 1 )) || echo x >&2; exit 2", (), None),
        ("(echo $B) >&2; exit 2", (), None),
    ],
)
def test_a_variable_that_is_not_declared_is_missing_and_drift(
    script: str, declared: tuple[str, ...], answer: str | None, isolation: Any
) -> None:
    hook = {"matcher": "Bash", "hooks": [{"type": "command", "command": script}]}
    engine = HookEngine.load(
        {"hooks": {"PreToolUse": [hook]}},
        "claude_code",
        env={"A": "1", "B": "2"},
        manifest=manifest_for(script, variables=declared),
        isolation=isolation,
    )
    decision = engine.fire(ToolPre("Bash", {"command": "ls"}))
    if answer is not None:
        assert (decision.reason, run_of(decision).drift) == (answer, ())
    else:
        assert run_of(decision).drift == ("reads the variable B",)
        assert decision.refused and decision.fail_closed


def test_where_a_held_hook_runs() -> None:
    assert SandboxRunner(holder=Holder(Manifest()), isolation="process").obstacle is None
    spec = HookEngine.load({"hooks": {"PreToolUse": [{"command": "true"}]}}, "crush").hooks[0]
    assert SandboxRunner(holder=Holder(Manifest()), isolation="process").isolation_of(spec) == "process"


@pytest.mark.parametrize("isolation", ["thread", "process"])
def test_a_missing_utility_is_not_found(isolation: Any) -> None:
    shell = Shell(restrictions=Restrictions(missing=["jq"], programs=["cat"]), isolation=isolation)
    result = shell.run("jq; echo $?; type jq; ls; echo $?; cat </dev/null; echo $?")
    assert result.stdout == "127\n126\n0\n"
    assert result.stderr.splitlines() == [
        "bash: line 1: jq: command not found",
        "bash: line 1: type: jq: not found",
        "bash: line 1: ls: Permission denied",
    ]
    assert shell.settings.restrictions is not None
    assert list(shell.settings.restrictions.asked) == ["ls", "cat"]


def test_the_engine_refuses_what_it_cannot_hold() -> None:
    value = {"hooks": {"PreToolUse": [{"command": "true"}]}}
    with pytest.raises(ValueError, match="host must be False"):
        HookEngine.load(value, "crush", manifest=Manifest(), host=True)
    with pytest.raises(ValueError, match="own sandbox"):
        HookEngine.load(value, "crush", manifest=Manifest(), runner=SandboxRunner())


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[]", "object"),
        ("{", "line 1"),
        ('{"sandhook_manifest": 2, "files": {}, "hooks": []}', "must be 1, not 2"),
        ('{"sandhook_manifest": 1, "files": {}, "hooks": [], "x": 1}', "unknown key 'x'"),
        ('{"sandhook_manifest": 1, "files": [], "hooks": []}', "files must be an object"),
        ('{"sandhook_manifest": 1, "files": {}, "hooks": {}}', "hooks must be an array"),
        ('{"sandhook_manifest": 1, "files": {}, "hooks": [1]}', r"hooks\[0\] must be an object"),
        ('{"sandhook_manifest": 1, "files": {}, "hooks": [{"id": 1}]}', r"hooks\[0\].id must be a text"),
        ('{"sandhook_manifest": 1, "files": {}, "hooks": [{"id": "a", "event": "b", "digest": "c"}]}', "files must be an array"),
    ],
)  # fmt: skip
def test_a_manifest_is_read_strictly(text: str, problem: str) -> None:
    with pytest.raises(ManifestError, match=problem):
        parse(text, "m.json")


def test_the_schema_describes_every_key() -> None:
    value = json.loads(json.dumps(to_json(manifest_for("ls", programs=("ls",)))))
    schema: Any = MANIFEST_SCHEMA
    assert value.keys() == set(schema["required"])
    assert value["hooks"][0].keys() == schema["$defs"]["hook"]["properties"].keys()
