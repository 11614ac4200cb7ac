"""The plugin in projects of its own, as pytest loads it by its entry point."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sandhook.conformance.expectations.model import ENDINGS as EXPECTATIONS
from sandhook.pytest_plugin import ENDINGS

GUARD = """\
#!/bin/bash
command=$(jq -r .tool_input.command)
if [[ $command == *"rm -rf"* ]]; then
  echo "rm -rf is not allowed: $command" >&2
  exit 2
fi
"""

SETTINGS = """\
{"hooks": {"PreToolUse": [{"matcher": "Bash",
  "hooks": [{"type": "command", "command": "\\"$CLAUDE_PROJECT_DIR\\"/guard.sh"}]}]}}
"""


WORKERS = pytest.mark.parametrize("workers", [(), pytest.param(("-n", "2"), marks=pytest.mark.slow)])


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / ".claude").mkdir()
    (tmp_path / "guard.sh").write_text(GUARD, newline="\n")
    (tmp_path / "guard.sh").chmod(0o755)
    (tmp_path / ".claude" / "settings.json").write_text(SETTINGS)
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --strict-markers\nfilterwarnings = error\n")
    return tmp_path


def run(project: Path, *arguments: str, by_entry_point: bool = False) -> subprocess.CompletedProcess[str]:
    """Run pytest in a project. Without the entry points of all packages it takes half the time."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    environment = dict(os.environ)
    if not (by_entry_point or arguments):
        command += ["-p", "sandhook.pytest_plugin"]
        environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    return subprocess.run(
        command, cwd=project, env=environment, capture_output=True, text=True, encoding="utf-8"
    )


def write(project: Path, text: str) -> None:
    (project / "test_guard.py").write_text(text)


def test_the_names_are_those_of_files_of_expectations_and_of_cases() -> None:
    assert set(ENDINGS) == {*EXPECTATIONS, ".test.sh"}


def test_starting_pytest_imports_next_to_nothing() -> None:
    code = (
        "import sys, pytest; before = set(sys.modules)\n"
        "import sandhook.pytest_plugin\n"
        "print(sorted(set(sys.modules) - before))"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert eval(printed) == ["sandhook", "sandhook.pytest_plugin", "sandhook.version"]


def test_pytest_without_such_files_imports_no_more_of_sandhook(project: Path) -> None:
    write(project, "import sys\ndef test(): assert [n for n in sys.modules if 'sandhook.' in n] == NAMES\n".replace(
        "NAMES", "['sandhook.version', 'sandhook.pytest_plugin']"))  # fmt: skip
    done = run(project, "test_guard.py")
    assert "1 passed" in done.stdout, done.stdout


def test_fixtures(project: Path) -> None:
    write(project, """
import pytest
from sandhook.hooks import Stop, ToolPre

def test_the_project_has_hooks(fire):
    assert fire("tool.pre", tool="shell", input={"command": "rm -rf /"}).refused
    assert not fire("PreToolUse", tool="Bash", input={"command": "ls"}).refused
    assert fire(ToolPre("Bash", {"command": "rm -rf x"})).reason == "rm -rf is not allowed: rm -rf x"
    assert not fire(Stop()).refused

def test_named_hooks_and_added_files(fire):
    hooks = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "./a.sh"}]}]}}
    files = {"a.sh": "#!/bin/sh\\necho no >&2; exit 2\\n"}
    assert fire("tool.pre", tool="Bash", hooks=hooks, contract="claude_code", files=files).refused
    assert fire("tool.pre", tool="shell", input={"command": "rm -rf /"}, hooks=".claude/settings.json").refused

@pytest.mark.sandhook_hooks(".claude/settings.json", contract="claude_code")
def test_an_engine_is_kept(hook_engine):
    engine = hook_engine()
    assert [hook.event for hook in engine.hooks] == ["tool.pre"]
    assert engine.fire(ToolPre("Bash", {"command": "rm -rf /"})).refused

def test_a_shell(sandhook_shell):
    assert sandhook_shell.run("echo a > b; cat b").stdout == "a\\n"
    assert not sandhook_shell.fs.exists("/nosuch")

@pytest.mark.sandhook_shell(files={"in": "x\\n"}, env={"WHO": "me"})
def test_a_shell_with_arguments(sandhook_shell):
    assert sandhook_shell.run("cat in; echo $WHO").stdout == "x\\nme\\n"
""")  # fmt: skip
    done = run(project, by_entry_point=True)
    assert "5 passed" in done.stdout, done.stdout
    assert list(project.glob("b")) == []


WRONG = {
    '"tool.pre", tool="bash"': "claude_code has no tool bash; did you mean Bash?",
    '"tool.per"': "claude_code has no event 'tool.per'; did you mean tool.pre?",
    '"stop", tool="Bash"': "tool: does not go with stop",
    '"stop", tol="Bash"': "tol: unknown key; did you mean tool?",
    '"stop", hooks="nosuch.json"': "nosuch.json: No such file or directory",
    '"stop", contract="crush"': "no agent has hooks in ",
}


def test_what_is_wrong_with_a_call_is_named(project: Path) -> None:
    calls = [f"def test_{number}(fire): fire({call})\n" for number, call in enumerate(WRONG)]
    write(project, "".join(calls))
    done = run(project, "--tb=line")
    assert f"{len(WRONG)} failed" in done.stdout
    assert [message for message in WRONG.values() if message not in done.stdout] == [], done.stdout


@WORKERS
def test_a_failed_assertion_shows_what_the_hooks_did(project: Path, workers: tuple[str, ...]) -> None:
    write(project, """
def test_named(fire):
    decision = fire("tool.pre", tool="Bash", input={"command": "rm -r -f /"})
    assert decision.refused

def test_not_named(fire):
    assert not fire("tool.pre", tool="Bash", input={"command": "rm -rf /"}).refused

def test_another_error(fire):
    fire("tool.pre", tool="Bash", input={"command": "rm -rf /"})
    raise ValueError("other")
""")  # fmt: skip
    done = run(project, *workers)
    assert "3 failed" in done.stdout
    assert done.stdout.count("decided by the hooks") == 2, done.stdout
    assert "sandhook: decision, decided by the hooks" in done.stdout
    assert "decision: proceed" in done.stdout and 'because tool name "Bash" is "Bash"' in done.stdout
    assert "stderr| rm -rf is not allowed: rm -rf /" in done.stdout and "decision: refused" in done.stdout


CASES = """\
#### the sum of two numbers
echo $((1 + 1))
## stdout: 2

#### a wrong sum
echo $((1 + 2))
## stdout: 4

#### a status
exit 3
## status: 3
"""

BASHKIT = (
    "### echo\necho a\n### expect\na\n### end\n\n### skipped\n### skip: no reason\nx\n### expect\n### end\n"
)


@WORKERS
def test_cases_are_collected(project: Path, workers: tuple[str, ...]) -> None:
    (project / "sum.test.sh").write_text(CASES)
    (project / "kit.test.sh").write_text(BASHKIT)
    (project / "plain.test.sh").write_text("#!/bin/sh\n./run-my-tests\n")
    done = run(project, *workers)
    assert "1 failed, 3 passed, 1 skipped" in done.stdout, done.stdout
    assert "sum.test.sh:5: a wrong sum [sandhook: fail]" in done.stdout
    assert "-4\n    +3" in done.stdout and "Traceback" not in done.stdout
    assert "1 passed" in run(project, "sum.test.sh::a status").stdout


@pytest.mark.slow
def test_expected_failures_are_counted(project: Path) -> None:
    head = "## source: the manual\n## oracle: bash\n## expected_failures: {}\n\n"
    (project / "one.test.sh").write_text(head.format(1) + CASES)
    (project / "two.test.sh").write_text(head.format(2) + CASES)
    done = run(project)
    assert "1 failed, 1 passed" in done.stdout, done.stdout
    assert "two.test.sh: sandhook: 1 failed, but expected_failures says 2" in done.stdout


def test_faults_of_files_are_errors_of_the_collection(project: Path) -> None:
    (project / "a.test.sh").write_text("## source: the manual\n## oracle: bash\n#### a\necho\n## nosuch: x\n")
    (project / "b.expect.yaml").write_text("version: 1\n")
    done = run(project)
    assert "a.test.sh:5: " in done.stdout and "b.expect.yaml:1: hooks: is missing" in done.stdout
    assert "2 errors" in done.stdout and "Traceback" not in done.stdout


@pytest.mark.slow
def test_the_line_of_conftest_still_works(project: Path) -> None:
    (project / "conftest.py").write_text('pytest_plugins = ["sandhook.pytest_plugin"]\n')
    (project / "sum.test.sh").write_text(CASES)
    assert "1 failed, 2 passed" in run(project).stdout
    assert "no tests ran" in run(project, "-p", "no:sandhook.pytest_plugin", "--noconftest").stdout


@pytest.mark.skipif(sys.platform == "win32", reason="the paths of pyfakefs differ from those of the files")
@pytest.mark.slow
@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_with_pyfakefs(project: Path, workers: tuple[str, ...]) -> None:
    write(project, """
import os
from pathlib import Path

def test_a_shell_over_the_files_of_the_test(fs, sandhook_shell):
    Path("/project").mkdir()
    Path("/project/package.json").write_text('{"version": "1.2"}')
    result = sandhook_shell.run("cd /project; jq -r .version package.json | tee VERSION")
    assert (result.stdout, result.stderr) == ("1.2\\n", "")
    assert Path("/project/VERSION").read_text() == "1.2\\n"
    session = sandhook_shell.session()
    session.run("cd /project; x=$(jq -r .version package.json)")
    assert session.run("echo $x $PWD").stdout == "1.2 /project\\n"
    assert not os.path.exists("/usr/bin/env")

HOOKS = {"PreToolUse": [{"hooks": [{"type": "command", "command": "/project/guard.sh"}]}]}

def test_hooks_over_the_files_of_the_test(sandhook_shell, fire, hook_engine, fs):
    import json
    Path("/project").mkdir()
    os.chdir("/project")
    Path("guard.sh").write_text("#!/bin/bash\\njq -r .tool_name >> seen; cat flag >&2 && exit 2; true")
    os.chmod("guard.sh", 0o755)
    Path("settings.json").write_text(json.dumps({"hooks": HOOKS}))
    assert not fire("tool.pre", tool="Bash", hooks="settings.json", contract="claude_code").refused
    Path("flag").write_text("no")
    decision = fire("tool.pre", tool="Read", hooks="settings.json", contract="claude_code")
    assert decision.refused and decision.reason == "no"
    assert Path("seen").read_text() == "Bash\\nRead\\n"
    engine = hook_engine("settings.json", contract="claude_code", files={"flag": None})
    from sandhook.hooks import ToolPre
    assert not engine.fire(ToolPre("Edit")).refused

def test_without_fake_files_after_that(fire):
    assert fire("tool.pre", tool="Bash", input={"command": "rm -rf /"}).refused
""")  # fmt: skip
    done = run(project, *workers, by_entry_point=True)
    assert "3 passed" in done.stdout, done.stdout


def test_a_fault_of_a_test_is_shown_at_its_line_without_the_plugin(project: Path) -> None:
    write(project, """
import pytest
@pytest.mark.parametrize("arguments", [
    {"event": "PreToolUs"}, {"event": "PreToolUse", "tol": "Bash"}, {"event": "Stop", "hooks": "nosuch.json"},
    {"event": "Stop", "hooks": {"a": 1}},
])
def test_fire(fire, arguments):
    fire(**arguments)

def test_engine(hook_engine):
    hook_engine("nosuch.json")
""")  # fmt: skip
    done = run(project)
    assert "5 failed" in done.stdout, done.stdout
    for words in (
        "did you mean PreToolUse?",
        "tol: unknown key; did you mean tool?",
        "nosuch.json: No such file",
    ):
        assert words in done.stdout
    for frame in ("engines.py", "sources.py", "contextlib.py", "contracts"):
        assert f"{frame}:" not in done.stdout, done.stdout
    assert done.stdout.count("test_guard.py:8: ") == 4


def test_decisions_and_events_are_short_in_an_assertion(project: Path) -> None:
    write(project, """
def test(fire):
    decision = fire("tool.pre", tool="shell", input={"command": "rm -rf x"})
    assert not decision.refused
""")  # fmt: skip
    done = run(project)
    line = next(line for line in done.stdout.splitlines() if "where True = Decision" in line)
    assert "reason='rm -rf is not allowed: rm -rf x'" in line
    assert "outcomes=(...)).refused" in line
    assert "halt" not in line
