"""Hooks on the host: which of them run there, and that they do."""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from sandhook import Host, HostRunner
from sandhook.hooks import HookEngine, ToolPre
from sandhook.hooks.contracts import Document
from sandhook.hooks.model import Executor, HookSpec, Request
from sandhook.hooks.trust import TrustStore
from sandhook.host.approved import ApprovedFiles

PYTHON = f'"{Path(sys.executable).as_posix()}"'
POSIX = sys.platform != "win32"


def everruns(*commands: str, **more: object) -> dict[str, object]:
    hooks = [
        {"id": f"h{at}", "event": "pre_tool_use", "executor": {"type": "bash", "command": text}, **more}
        for at, text in enumerate(commands)
    ]
    return {"hooks": hooks}


def crush(command: str, **more: object) -> dict[str, object]:
    return {"hooks": {"PreToolUse": [{"command": command, **more}]}}


def event(cwd: Path) -> ToolPre:
    return ToolPre("bash", {"command": "ls"}, cwd=cwd.as_posix())


def test_a_hook_reaches_real_files_and_programs(tmp_path):
    script = f"cat > payload.json; {PYTHON} -c 'import json; print(len(json.load(open(\"payload.json\"))))' >&2; exit 2"
    engine = HookEngine.load(crush(script), "crush", host=True)
    decision = engine.fire(event(tmp_path))
    assert decision.refused
    assert (tmp_path / "payload.json").exists()
    assert decision.outcomes[0].run.stderr.strip().isdigit()


def test_without_host_the_same_hook_stays_in_the_sandbox(tmp_path):
    engine = HookEngine.load(crush("cat > payload.json; exit 2"), "crush")
    assert engine.fire(event(tmp_path)).refused
    assert not (tmp_path / "payload.json").exists()


def test_hooks_of_a_layer_that_needs_trust_do_not_run_at_all(tmp_path):
    document = Document(crush(f"touch {tmp_path.as_posix()}/made"), layer="project", contract="crush")
    engine = HookEngine.load([document], host=True)
    engine.fire(event(tmp_path))
    assert [each.spec.layer for each in engine.withheld] == ["project"]
    assert not (tmp_path / "made").exists()


def test_what_somebody_approved_runs_on_the_host(tmp_path):
    document = Document(crush("echo x > made"), layer="project", contract="crush")
    approve = lambda spec: spec._replace(trust_hash="0" * 64)  # noqa: E731
    engine = HookEngine.load([document], host=True, trust=approve)
    engine.fire(event(tmp_path))
    assert (tmp_path / "made").exists()


@pytest.mark.parametrize("layer", ["project", "local", "bundle"])
def test_what_the_caller_approves_by_a_word_runs_on_the_host(tmp_path, layer):
    document = Document(crush("echo x > made"), layer=layer, contract="crush")
    engine = HookEngine.load([document], host=True, trust=lambda spec: True)
    decision = engine.fire(event(tmp_path))
    assert decision.outcomes[0].run.exit_status == 0
    assert (tmp_path / "made").exists()


@pytest.mark.parametrize("answer", [False, None])
def test_what_the_caller_does_not_approve_does_not_run(tmp_path, answer):
    document = Document(crush("echo x > made"), layer="bundle", contract="crush")
    engine = HookEngine.load([document], host=True, trust=lambda spec: answer)
    engine.fire(event(tmp_path))
    assert engine.hooks == () and not (tmp_path / "made").exists()


def test_a_hook_that_says_of_itself_that_it_is_approved_is_not(tmp_path):
    hook = {"command": "echo x > made", "approved": True, "trust_hash": "0" * 64}
    document = Document({"hooks": {"PreToolUse": [hook]}}, layer="project", contract="crush")
    engine = HookEngine.load([document], host=True)
    engine.fire(event(tmp_path))
    assert engine.hooks == () and not (tmp_path / "made").exists()


def test_contributions_stay_in_the_sandbox(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mine = everruns("echo x > mine")
    theirs = everruns("echo x > theirs")["hooks"]
    engine = HookEngine.load(mine, "everruns", host=True, contributions={"pack": theirs})
    decision = engine.fire(event(tmp_path))
    assert len(decision.outcomes) == 2
    assert (tmp_path / "mine").exists() and not (tmp_path / "theirs").exists()


def test_a_file_that_changed_since_its_approval_could_not_run(tmp_path):
    (tmp_path / "guard.sh").write_bytes(b"exit 2\n")
    approve = lambda spec: spec._replace(trust_hash="0" * 64, snapshot=(("guard.sh", b"exit 2\n"),))  # noqa: E731
    document = Document(crush("sh guard.sh"), layer="project", contract="crush")
    engine = HookEngine.load([document], host=True, trust=approve)
    assert engine.fire(event(tmp_path)).refused
    (tmp_path / "guard.sh").write_bytes(b"exit 0\n")
    ran = engine.fire(event(tmp_path)).outcomes[0].run
    assert ran.failure == "guard.sh: has changed since it was approved"
    (tmp_path / "guard.sh").unlink()
    ran = engine.fire(event(tmp_path)).outcomes[0].run
    assert ran.failure.startswith("guard.sh: was approved and cannot be read")


def test_the_payload_file_of_a_contract_is_a_private_one_that_goes_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    engine = HookEngine.load(
        everruns(
            'echo "$EVERRUNS_HOOK_PAYLOAD_PATH" > where; jq -r .event "$EVERRUNS_HOOK_PAYLOAD_PATH" > name'
        ),
        "everruns",
        host=True,
    )
    engine.fire(event(tmp_path))
    assert (tmp_path / "name").read_text() == "pre_tool_use\n"
    assert not Path((tmp_path / "where").read_text().strip()).exists()


def test_a_hook_that_takes_too_long_returns_with_its_tree_ended(tmp_path):
    slow = f"{PYTHON} -c 'import time; time.sleep(300)'"
    engine = HookEngine.load(crush(slow, timeout=1), "crush", host=True)
    started = time.monotonic()
    decision = engine.fire(event(tmp_path))
    assert decision.outcomes[0].run.timed_out
    assert time.monotonic() - started < 60


def test_parallel_hooks_really_run_at_once(tmp_path):
    """Each waits for all the others: one by one they would never end."""
    meet = "while set -- met.*; [ $# -lt 6 ]; do sleep 0.02; done"
    hooks = [{"command": f": > met.{at}; {meet}", "timeout": 30} for at in range(6)]
    engine = HookEngine.load({"hooks": {"PreToolUse": hooks}}, "crush", host=True)
    before = threading.active_count()
    outcomes = engine.fire(event(tmp_path)).outcomes
    assert [outcome.run.exit_status for outcome in outcomes] == [0] * 6
    assert threading.active_count() == before


def test_a_missing_script_is_no_decision(tmp_path):
    engine = HookEngine.load(crush("./gone.sh"), "crush", host=True)
    decision = engine.fire(event(tmp_path))
    assert not decision.refused
    assert "./gone.sh: No such file or directory" in decision.outcomes[0].run.missing


def test_argv_takes_the_same_way(tmp_path):
    spec = HookSpec(
        "a",
        "tool.pre",
        "x",
        Executor("argv", argv=(sys.executable, "-c", "print('a b')")),
        env_policy="inherit",
    )
    ran = HostRunner()(Request(spec, {}, cwd=str(tmp_path)))
    assert (ran.exit_status, ran.stdout.split()) == (0, [b"a", b"b"])
    (tmp_path / "s").write_text("echo script $1\n")
    spec = spec._replace(executor=Executor("argv", argv=("./s", "one")))
    assert HostRunner()(Request(spec, {}, cwd=str(tmp_path))).stdout == b"script one\n"


def test_a_fresh_environment_holds_what_the_contract_sets(tmp_path, monkeypatch):
    monkeypatch.setenv("SECRET_OF_MINE", "x")
    spec = HookSpec("a", "tool.pre", "x", Executor("bash", "env"))
    names = {
        line.partition(b"=")[0].decode().upper()
        for line in HostRunner()(Request(spec, {"GIVEN": "1"}, cwd=str(tmp_path))).stdout.splitlines()
    }
    assert {"GIVEN", "PATH"} <= names and "SECRET_OF_MINE" not in names
    spec = spec._replace(env_policy="allow", env_names=("SECRET_OF_MINE",))
    assert b"SECRET_OF_MINE=x" in HostRunner()(Request(spec, {}, cwd=str(tmp_path))).stdout


def test_a_directory_that_is_gone_is_a_hook_that_could_not_run():
    spec = HookSpec("a", "tool.pre", "x", Executor("bash", "true"))
    ran = HostRunner()(Request(spec, {}, cwd="/no/such/directory"))
    assert "not a directory" in ran.failure


def test_a_runner_of_ones_own_chooses(tmp_path):
    runner = HostRunner(Host(prefer="own"), select=lambda spec: "> here" in spec.executor.text)
    configuration = {"hooks": {"PreToolUse": [{"command": "echo > here"}, {"command": "echo > there"}]}}
    HookEngine.load(configuration, "crush", host=runner).fire(event(tmp_path))
    assert (tmp_path / "here").exists() and not (tmp_path / "there").exists()


@pytest.mark.skipif(not POSIX, reason="a shell script of POSIX")
def test_a_script_of_the_project_runs_by_its_first_line_without_its_bit(tmp_path):
    (tmp_path / "guard").write_text(
        "#!/usr/bin/env python3\nimport sys\nprint('no', file=sys.stderr)\nsys.exit(2)\n"
    )
    engine = HookEngine.load(crush("./guard"), "crush", host=True)
    decision = engine.fire(event(tmp_path))
    assert decision.refused and decision.reason == "no"


# What was approved is what runs.


def approved(tmp_path: Path, command: str, *, host: bool | HostRunner = True) -> HookEngine:
    """Approve a hook of the project as it is now; return an engine that runs it on the host."""
    document = Document(crush(command), str(tmp_path / "crush.json"), layer="project", contract="crush")
    store = TrustStore(str(tmp_path.parent / f"{tmp_path.name}.trust"), home=tmp_path.as_posix())
    (withheld,) = HookEngine.load([document]).withheld
    store.approve([store.examine(withheld.spec, "crush", tmp_path.as_posix())])
    return HookEngine.load([document], host=host, trust=store.allows("crush", tmp_path.as_posix()))


WAYS = {
    "a path": "./d/x.sh",
    "bash": "bash d/x.sh",
    "a source": ". d/x.sh",
    "cd": "cd d && ./x.sh",
    "a redirection": "bash < d/x.sh",
    "a descriptor": "exec 3<d/x.sh; bash /dev/fd/3",
    "-c": "bash -c './d/x.sh a'",
    "a program that starts it": "env A=1 bash d/x.sh",
    "a timeout": "timeout 20 bash d/x.sh",
    "a loop": 'for f in d/*.sh; do bash "$f"; done',
    "the variable of the project": 'bash "$CRUSH_PROJECT_DIR"/d/x.sh',
    "PATH": "PATH=$PWD/d:$PATH; x.sh",
}


#: Runs scripts in the shells of the machine.
MACHINE = HostRunner(Host(own_shell="never"))


@pytest.fixture(params=[HostRunner(), MACHINE], ids=["own", "machine"])
def shells(request: pytest.FixtureRequest) -> HostRunner:
    """Runners whose scripts run in our shell, and in the machine's."""
    runner: HostRunner = request.param
    return runner


@pytest.mark.skipif(not POSIX, reason="the file cannot be replaced on Windows")
@pytest.mark.parametrize("way", WAYS)
def test_a_file_that_changes_after_the_comparison_runs_as_it_was_approved(tmp_path, way, shells, monkeypatch):
    """The file changes at the worst moment: after the copies were made, before anything runs."""
    if way == "-c" and shells is MACHINE:
        pytest.skip("the machine's shell opens what its text names by itself")
    (tmp_path / "d").mkdir()
    script = tmp_path / "d" / "x.sh"
    script.write_text("#!/bin/bash\necho approved >&2; exit 2\n")
    script.chmod(0o755)
    engine = approved(tmp_path, WAYS[way], host=shells)
    enter = ApprovedFiles.__enter__

    def changes(self: ApprovedFiles) -> ApprovedFiles:
        entered = enter(self)
        script.write_text("#!/bin/bash\necho evil >&2; exit 2\n")
        return entered

    monkeypatch.setattr(ApprovedFiles, "__enter__", changes)
    assert engine.fire(event(tmp_path)).reason == "approved"
    monkeypatch.undo()
    assert engine.fire(event(tmp_path)).outcomes[0].run.failure == "d/x.sh: has changed since it was approved"


@pytest.mark.skipif(not POSIX, reason="links")
@pytest.mark.parametrize("lexical", [False, True])
@pytest.mark.parametrize(
    "command", ["bash l/../x.sh", ". l/../x.sh", "l/../x.sh", "cd l; bash ../x.sh", "cd l; . ../x.sh"]
)
def test_two_dots_after_a_link_lead_to_the_approved_file_of_the_system(tmp_path, command, lexical, shells):
    (tmp_path / "e" / "sub").mkdir(parents=True)
    (tmp_path / "l").symlink_to("e/sub")
    for place in [tmp_path / "e", tmp_path][: 2 if lexical else 1]:
        (place / "x.sh").write_text(f"#!/bin/bash\necho {place.name == 'e'} >&2; exit 2\n")
        (place / "x.sh").chmod(0o755)
    engine = approved(tmp_path, command, host=shells)
    assert engine.fire(event(tmp_path)).reason == "True"
    (tmp_path / "e" / "x.sh").write_text("#!/bin/bash\necho evil >&2; exit 2\n")
    assert "has changed since" in (engine.fire(event(tmp_path)).outcomes[0].run.failure or "")


@pytest.mark.skipif(not POSIX, reason="a python script by its first line")
def test_a_program_gets_the_path_of_the_copy(tmp_path, monkeypatch):
    script = tmp_path / "guard.py"
    script.write_text(
        "#!/usr/bin/env python3\nimport sys, os\n"
        "here = os.path.dirname(os.path.abspath(__file__))\n"
        "print(open(os.path.join(here, 'words.txt')).read(), file=sys.stderr)\nsys.exit(2)\n"
    )
    (tmp_path / "words.txt").write_text("from the file next to it")
    for command in ("./guard.py", "python3 guard.py", "cat | python3 -u ./guard.py"):
        engine = approved(tmp_path, command)
        enter = ApprovedFiles.__enter__

        def changes(self: ApprovedFiles, enter: Any = enter) -> ApprovedFiles:
            entered = enter(self)
            script.rename(tmp_path / "kept")
            script.write_text("raise SystemExit('evil')")
            return entered

        with monkeypatch.context() as patch:
            patch.setattr(ApprovedFiles, "__enter__", changes)
            assert engine.fire(event(tmp_path)).reason == "from the file next to it"
        (tmp_path / "kept").rename(script)


def test_a_script_finds_itself_and_what_stands_next_to_it(tmp_path, shells):
    (tmp_path / "hooks").mkdir()
    (tmp_path / "hooks" / "lib.sh").write_text(
        'say() { cat "$(dirname "$0")/words.txt" "$1"/../more.txt >&2; }\n'
    )
    (tmp_path / "hooks" / "words.txt").write_text("one ")
    (tmp_path / "more.txt").write_text("two")
    (tmp_path / "hooks" / "run.sh").write_text(
        'here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)\n. "$(dirname "$0")/lib.sh"\nsay "$here"; exit 2\n'
    )
    for command in (
        "bash hooks/run.sh",
        'bash "$CRUSH_PROJECT_DIR/hooks/run.sh"',
        "cd hooks && bash ./run.sh",
    ):
        assert approved(tmp_path, command, host=shells).fire(event(tmp_path)).reason == "one two"


def test_our_shell_keeps_the_names_of_approved_scripts(tmp_path):
    (tmp_path / "run.sh").write_text('echo "$0 ${BASH_SOURCE[0]}" >&2; exit 2\n')
    assert approved(tmp_path, "bash ./run.sh").fire(event(tmp_path)).reason == "./run.sh ./run.sh"


def test_a_script_that_was_absent_could_not_run_when_it_is_there(tmp_path):
    engine = approved(tmp_path, "[ -f extra.sh ] && . ./extra.sh; for f in d/*.sh; do . ./$f; done; exit 0")
    assert engine.fire(event(tmp_path)).outcomes[0].run.exit_status == 0
    (tmp_path / "extra.sh").write_text("touch ran")
    ran = engine.fire(event(tmp_path)).outcomes[0].run
    assert ran.failure == "extra.sh: was absent when the hook was approved, and exists now"
    (tmp_path / "extra.sh").unlink()
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "data.txt").write_text("")
    assert engine.fire(event(tmp_path)).outcomes[0].run.failure is None
    (tmp_path / "d" / "new.sh").write_text("touch ran")
    ran = engine.fire(event(tmp_path)).outcomes[0].run
    assert ran.failure == "d/new.sh: was absent when the hook was approved, and exists now"
    assert not (tmp_path / "ran").exists()


def names_of(path: Path) -> list[str]:
    r"""Return the absolute names of a file in scripts; Windows has ``C:\x``, C:/x, /c/x and all of them in capitals."""
    if POSIX:
        return [str(path)]
    names = [str(path), path.as_posix(), f"/{path.drive[0].lower()}{path.as_posix()[2:]}"]
    return [*names, *map(str.upper, names)]


def test_a_script_is_approved_by_each_of_its_names(tmp_path):
    guard = tmp_path / "guard.sh"
    outside = tmp_path.parent / f"{tmp_path.name}.sh"
    for script in (guard, outside):
        for name in names_of(script):
            script.write_text("echo approved >&2; exit 2\n")
            engine = approved(tmp_path, f". '{name}'")
            assert engine.fire(event(tmp_path)).reason == "approved"
            script.write_text("exit 0\n")
            failure = engine.fire(event(tmp_path)).outcomes[0].run.failure
            assert (failure or "").endswith(": has changed since it was approved"), name
    outside.unlink()


def test_an_absent_script_is_absent_by_each_of_its_names(tmp_path, monkeypatch):
    extra = tmp_path / "extra.sh"
    enter = ApprovedFiles.__enter__

    def appears(self: ApprovedFiles) -> ApprovedFiles:
        extra.write_text("touch ran")
        return enter(self)

    for name in names_of(extra):
        engine = approved(tmp_path, f"[ -f '{name}' ] && . '{name}'; exit 0")
        with monkeypatch.context() as patch:
            patch.setattr(ApprovedFiles, "__enter__", appears)
            engine.fire(event(tmp_path))
        failure = engine.fire(event(tmp_path)).outcomes[0].run.failure
        assert "was absent when the hook was approved" in (failure or ""), name
        extra.unlink()
        assert not (tmp_path / "ran").exists(), name


def test_a_script_that_appears_after_the_check_stays_absent(tmp_path, monkeypatch):
    engine = approved(tmp_path, "[ -f extra.sh ] && . ./extra.sh; exit 0")
    enter = ApprovedFiles.__enter__

    def appears(self: ApprovedFiles) -> ApprovedFiles:
        (tmp_path / "extra.sh").write_text("touch ran")
        return enter(self)

    monkeypatch.setattr(ApprovedFiles, "__enter__", appears)
    engine.fire(event(tmp_path))
    assert not (tmp_path / "ran").exists()


@pytest.mark.skipif(not POSIX, reason="there are no copies on Windows")
def test_a_hook_that_runs_in_the_root_has_copies(tmp_path):
    (tmp_path / "x.sh").write_bytes(b":")
    name = str(tmp_path / "x.sh")
    with ApprovedFiles([(name[1:], b":")], [f"{name[1:]}.d/*"], ["/"]) as files:
        assert Path(files.copy_of(name) or "").read_bytes() == b":"
        with pytest.raises(FileNotFoundError):
            files.copy_of(f"{name}.d/y")


@pytest.mark.skipif(not POSIX, reason="there are no copies on Windows")
def test_a_program_does_not_find_a_script_that_appears_after_the_check(tmp_path, monkeypatch):
    engine = approved(tmp_path, "python3 extra.py; bash extra.sh; echo end >&2; exit 2")
    enter = ApprovedFiles.__enter__

    def appears(self: ApprovedFiles) -> ApprovedFiles:
        (tmp_path / "extra.py").write_text("open('ran', 'w')")
        (tmp_path / "extra.sh").write_text("touch ran")
        return enter(self)

    monkeypatch.setattr(ApprovedFiles, "__enter__", appears)
    assert engine.fire(event(tmp_path)).reason.endswith("end")
    assert not (tmp_path / "ran").exists()


def test_a_hook_may_write_what_it_then_runs(tmp_path):
    (tmp_path / "run.sh").write_text("exit 0\n")
    engine = approved(tmp_path, "bash run.sh; echo 'exit 2' > made.sh; . ./made.sh")
    assert engine.fire(event(tmp_path)).refused


def test_an_edit_of_a_data_file_does_not_stop_an_approved_hook(tmp_path):
    (tmp_path / "guard.sh").write_text("cat TODO >&2; exit 2\n")
    (tmp_path / "TODO").write_text("one")
    engine = approved(tmp_path, "sh guard.sh")
    assert engine.fire(event(tmp_path)).reason == "one"
    (tmp_path / "TODO").write_text("two")
    assert engine.fire(event(tmp_path)).reason == "two"


def test_a_hook_of_a_directory_below_runs_the_approved_script(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "guard.sh").write_text("echo approved >&2; exit 2\n")
    engine = approved(tmp_path, 'bash "$CRUSH_PROJECT_DIR"/guard.sh')
    fired = ToolPre("bash", {}, cwd=(tmp_path / "sub").as_posix(), project_dir=tmp_path.as_posix())
    assert engine.fire(fired).reason == "approved"


@pytest.mark.skipif(not POSIX, reason="FIFOs")
def test_a_fifo_in_place_of_a_script_does_not_block(tmp_path):
    (tmp_path / "guard.sh").write_text("exit 2\n")
    engine = approved(tmp_path, "sh guard.sh")
    (tmp_path / "guard.sh").unlink()
    os.mkfifo(tmp_path / "guard.sh")
    assert (
        engine.fire(event(tmp_path)).outcomes[0].run.failure == "guard.sh: has changed since it was approved"
    )


def test_nothing_is_left_after_a_run(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path / "t"))
    monkeypatch.setattr("tempfile.tempdir", None)
    (tmp_path / "t").mkdir()
    (tmp_path / "guard.sh").write_text("exit 2\n")
    assert approved(tmp_path, "sh guard.sh").fire(event(tmp_path)).refused
    assert list((tmp_path / "t").iterdir()) == []


LINKED = {
    "cd -P": "cd -P l && ./x.sh",
    "cd -P through a variable": 'D="$PWD/l"; cd -P "$D" && . ./x.sh',
    "readlink": '. "$(readlink -f l)/x.sh"',
    "realpath": 'bash "$(realpath l/x.sh)"',
    "pwd -P": 'cd "$(cd l && pwd -P)" && ./x.sh',
    "..": "l/../x.sh",
    "cd and ..": "cd -P l/.. && bash x.sh",
}


@pytest.mark.skipif(not POSIX, reason="links of POSIX")
@pytest.mark.parametrize("way", LINKED)
def test_a_link_that_leads_elsewhere_ends_the_approval(tmp_path, way):
    ran = tmp_path / "ran"
    for place in ("a", "b"):
        (tmp_path / place / "d").mkdir(parents=True)
        for script in (tmp_path / place / "x.sh", tmp_path / place / "d" / "x.sh"):
            script.write_text(f"#!/bin/bash\necho {place} >> {ran}\nexit 2\n")
            script.chmod(0o755)
    (tmp_path / "l").symlink_to("a/d")
    engine = approved(tmp_path, LINKED[way])
    assert engine.fire(event(tmp_path)).refused
    assert ran.read_text() == "a\n"
    (tmp_path / "l").unlink()
    (tmp_path / "l").symlink_to("b/d")
    decision = engine.fire(event(tmp_path))
    assert decision.could_not_run
    assert ran.read_text() == "a\n"


SWITCHED = {
    "a link and a name": ("l", "./l/x.sh"),
    "a link and cd": ("l", "cd l && ./x.sh; exit $?"),
    "a link and cd -P": ("l", "cd -P l && bash x.sh; exit $?"),
    "a link and pushd": ("l", "pushd l > /dev/null; . ./x.sh"),
    "a link and ..": ("l", "bash l/../x.sh"),
    "a link and cd ..": ("l", "cd -P l/.. && ./x.sh; exit $?"),
    "a directory and a name": ("d", "d/x.sh"),
    "a directory and cd": ("d", "cd d && ./x.sh; exit $?"),
    "a directory and source": ("d", "cd d; source ./x.sh"),
    "a directory and ..": ("d", "bash d/../x.sh"),
    "a directory below": ("d", "cd d/e && bash x.sh; exit $?"),
}


@pytest.mark.skipif(not POSIX, reason="links of POSIX")
@pytest.mark.parametrize("way", SWITCHED)
def test_a_path_that_is_switched_between_comparison_and_run_makes_no_difference(tmp_path, monkeypatch, way):
    ran = tmp_path / "ran"
    for place in ("good", "good/d", "bad", "bad/d", "d", "d/e", "bad/d/e", "."):
        (tmp_path / place).mkdir(exist_ok=True)
        script = tmp_path / place / "x.sh"
        script.write_text(f"#!/bin/bash\necho {'bad' if 'bad' in place else 'good'} >> {ran}\nexit 2\n")
        script.chmod(0o755)
    (tmp_path / "l").symlink_to("good/d")
    name, command = SWITCHED[way]
    engine = approved(tmp_path, command)
    enter = ApprovedFiles.__enter__

    def switch(files):
        entered = enter(files)
        (tmp_path / name).rename(tmp_path / "away")
        (tmp_path / name).symlink_to("bad/d")
        return entered

    monkeypatch.setattr(ApprovedFiles, "__enter__", switch)
    decision = engine.fire(event(tmp_path))
    assert decision.refused or decision.could_not_run
    assert not ran.exists() or ran.read_text() == "good\n"


@pytest.mark.skipif(not POSIX, reason="links of POSIX")
def test_a_directory_that_becomes_a_link_ends_the_approval(tmp_path):
    ran = tmp_path / "ran"
    for place in ("d", "b/d"):
        (tmp_path / place).mkdir(parents=True)
    for path, text in (("x.sh", "a"), ("b/x.sh", "b")):
        (tmp_path / path).write_text(f"echo {text} >> {ran}\nexit 2\n")
    engine = approved(tmp_path, "bash d/../x.sh")
    assert engine.fire(event(tmp_path)).refused
    (tmp_path / "d").rmdir()
    (tmp_path / "d").symlink_to("b/d")
    assert engine.fire(event(tmp_path)).could_not_run
    assert ran.read_text() == "a\n"


@pytest.mark.skipif(not POSIX, reason="links of POSIX")
def test_a_project_that_is_reached_by_a_link_stays_approved(tmp_path):
    real = tmp_path / "real"
    (real / "d").mkdir(parents=True)
    (real / "d" / "x.sh").write_text("exit 2\n")
    (tmp_path / "p").symlink_to("real")
    engine = approved(tmp_path / "p", "cd -P d && bash x.sh; exit $?")
    assert engine.fire(event(tmp_path / "p")).refused
    assert engine.fire(event(real)).refused
