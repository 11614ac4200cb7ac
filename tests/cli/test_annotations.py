"""``--format sarif`` and ``--format github`` of check, vet and chaos."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import validators

from sandhook.cli.outputs.annotations.github import to_github
from sandhook.cli.outputs.annotations.model import Annotated, Annotation, Kind
from sandhook.cli.outputs.annotations.sarif import to_sarif
from tests import machine
from tests.cli.conftest import RunResult

Run = Callable[..., RunResult]

CONFIGURATION = """\
{"hooks": {"PreToolUse": [
  {"command": "./guard.sh", "matcher": "^bash$"},
  {"command": "./gone%20, a.sh"}
]}}
"""

EXPECTATIONS = """\
version: 1
hooks: crush.json
event: tool.pre
tool: shell
only: guard
cases:
  - name: rm is refused
    input: { command: rm -rf / }
    expect: deny
"""

#: A row for each command: its arguments, the exit status, and a rule with its level, file and line.
COMMANDS = {
    "check": (("check", "crush.json", "--contract", "crush"), 1, ("E-FILE", "error", "crush.json", 3)),
    "vet": (("vet", "crush.json", "--contract", "crush"), 1, ("V-DELETE", "error", "guard.sh", 4)),
    "chaos": (
        ("chaos", "crush.json", "--fault", "no-jq,tool-case,no-home"),
        1,
        ("no-jq", "error", "crush.json", 2),
    ),
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    script = "#!/bin/bash\ncommand=$(jq -r .tool_input.command)\ncase $command in rm*) echo no >&2; exit 2 ;; esac\n: || rm -rf ~\n"
    (tmp_path / "guard.sh").write_bytes(script.encode())
    (tmp_path / "guard.sh").chmod(0o755)
    (tmp_path / "crush.json").write_text(CONFIGURATION)
    (tmp_path / "guard.expect.yaml").write_text(EXPECTATIONS)
    return tmp_path


def log(sandhook: Run, name: str) -> Any:
    arguments, status, _ = COMMANDS[name]
    ran = sandhook(*arguments, "--format", "sarif")
    assert ran.status == status, ran
    return json.loads(ran.stdout)


@pytest.mark.parametrize("name", COMMANDS)
def test_sarif(sandhook: Run, project: Path, name: str) -> None:
    value = log(sandhook, name)
    _, status, (rule, level, file, line) = COMMANDS[name]
    (run,) = value["runs"]
    assert value["version"] == "2.1.0"
    assert run["tool"]["driver"]["name"] == f"sandhook {name}"
    assert run["invocations"] == [{"executionSuccessful": True, "exitCode": status}]
    rules = [each["id"] for each in run["tool"]["driver"]["rules"]]
    assert all(rules[each["ruleIndex"]] == each["ruleId"] for each in run["results"])
    (found,) = [each for each in run["results"] if each["ruleId"] == rule]
    assert found["level"] == level and "\n" not in found["message"]["text"]
    place = found["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": file, "uriBaseId": "%SRCROOT%"}
    assert place["region"]["startLine"] == line
    prints = [each["partialFingerprints"]["sandhook/v1"] for each in run["results"]]
    assert len(set(prints)) == len(prints)


@pytest.mark.parametrize("name", COMMANDS)
def test_github(sandhook: Run, project: Path, name: str) -> None:
    arguments, status, (rule, level, file, line) = COMMANDS[name]
    ran = sandhook(*arguments, "--format", "github")
    assert ran.status == status and ran.stderr == ""
    lines = ran.stdout.splitlines()
    assert all(re.match(r"::(error|warning|notice) [^:]*::", each) for each in lines), lines
    wanted = rf"::{level} file={file},line={line}(,col=\d+)?,title=sandhook {name}%3A {rule}::"
    assert [each for each in lines if re.match(wanted, each)], ran.stdout


def test_notes_are_in_every_format(sandhook: Run, project: Path) -> None:
    (project / "guard.sh").write_bytes(b'#!/bin/bash\nf=$(jq -r .cwd)\n. "$f/lib.sh"\nexit 2\n')
    arguments = COMMANDS["check"][0]
    text = sandhook(*arguments).stdout
    notes = set(re.findall(r"note (N-\w+)", text)) - {"N-STATE"}  # in a build, nobody approves anything
    assert "N-UNBOUND" in notes
    results = log(sandhook, "check")["runs"][0]["results"]
    assert {each["ruleId"] for each in results if each["level"] == "note"} == notes
    github = sandhook(*arguments, "--format", "github").stdout
    assert set(re.findall(r"(?m)^::notice .*?%3A (N-\w+)", github)) == notes


def test_fingerprints_do_not_depend_on_lines(sandhook: Run, project: Path) -> None:
    before = log(sandhook, "check")["runs"][0]["results"]
    (project / "crush.json").write_text("\n\n" + CONFIGURATION)
    after = log(sandhook, "check")["runs"][0]["results"]
    assert [each["partialFingerprints"] for each in before] == [each["partialFingerprints"] for each in after]
    assert before != after


def test_no_text_of_a_hook_is_a_command_of_github() -> None:
    hostile = Annotation("R%,:", "error", "a\n::set-output name=x::y\r%0A", "a,b:c%.sh", 3, hook="\n::stop::")
    (line,) = to_github(Annotated("check", (Kind("R%,:", "error", "w", "first\nsecond"),), (hostile,), 1))
    assert "\n" not in line and "\r" not in line
    head, _, text = line.removeprefix("::").partition("::")
    assert head == "error file=a%2Cb%3Ac%25.sh,line=3,title=sandhook check%3A R%25%2C%3A"
    assert "%250A" in text and text.endswith("%0Afirst%0Asecond")


def test_places_of_all_kinds() -> None:
    places = [Annotation("x", "note", "m", file) for file in ("a b/ü.sh", "/etc/x.json", "C:/x y.json", "")]
    run: Any = to_sarif(Annotated("vet", (), (*places, Annotation("x", "note", "m", path="hooks[0]")), 0))
    results = run["runs"][0]["results"]
    assert [each.get("locations") for each in results] == [
        [{"physicalLocation": {"artifactLocation": {"uri": "a%20b/%C3%BC.sh", "uriBaseId": "%SRCROOT%"}}}],
        [{"physicalLocation": {"artifactLocation": {"uri": "file:///etc/x.json"}}}],
        [{"physicalLocation": {"artifactLocation": {"uri": "file:///C:/x%20y.json"}}}],
        None,
        [{"logicalLocations": [{"fullyQualifiedName": "hooks[0]"}]}],
    ]
    assert all("ruleIndex" not in each for each in results)


def test_a_clean_file_has_no_results(sandhook: Run, project: Path) -> None:
    (project / "clean.json").write_text('{"hooks": {"PreToolUse": [{"command": "exit 2"}]}}')
    base = ("check", "clean.json", "--contract", "crush", "--format")
    ran = sandhook(*base, "sarif")
    assert (ran.status, json.loads(ran.stdout)["runs"][0]["results"]) == (0, [])
    assert sandhook(*base, "github") == (0, "", "")


def test_a_bundle_of_another_directory(sandhook: Run, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "elsewhere").mkdir()
    monkeypatch.chdir(project / "elsewhere")
    ran = sandhook("vet", "..", "--contract", "crush", "--format", "github")
    assert re.search(r"file=[^,]*/guard.sh,line=4", ran.stdout), ran.stdout
    assert not re.search(r"file=\.\.", ran.stdout)


def test_vet_without_a_bundle_is_about_the_project(sandhook: Run, project: Path) -> None:
    ran = sandhook("vet", "--fail-on", "never")
    assert ran.status == 0 and "crush.json:2" in ran.stdout, ran
    for name in ("crush.json", "guard.expect.yaml"):
        (project / name).unlink()
    assert sandhook("vet") == (0, "no hooks: no file of the project that agents read exists\n", "")


def test_vet_of_several_bundles(sandhook: Run, project: Path) -> None:
    (project / "b.sh").write_text("#!/bin/bash\nsudo ls\n")
    ran = sandhook("vet", "guard.sh", "b.sh", "--fail-on", "never")
    assert "guard.sh:4:" in ran.stdout and "b.sh:2:1: medium V-PRIVILEGE" in ran.stdout
    ran = sandhook("vet", "guard.sh", "b.sh", "--format", "json")
    assert ran.status == 2 and ran.stderr.endswith(
        "vet: --format json is about one bundle, and there are 2\n"
    )


PACKAGE = "@microsoft/sarif-multitool-linux"  #: on npm: the published schema, and its authors' validator


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("npm") is None, reason="npm fetches the published schema")
def test_sarif_is_valid(sandhook: Run, project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    place = tmp_path_factory.mktemp("npm")
    subprocess.run(["npm", "pack", "--silent", f"{PACKAGE}@5.7.0"], cwd=place, check=True)
    (archive,) = place.glob("*.tgz")
    with tarfile.open(archive) as tar:
        machine.unpack(tar, place)
    schema = json.loads((place / "package" / "sarif-2.1.0.json").read_text(encoding="utf-8-sig"))
    validator = validators.validator_for(schema)
    validator.check_schema(schema)
    for name in COMMANDS:
        value = log(sandhook, name)
        assert [error.message for error in validator(schema).iter_errors(value)] == []
        value["runs"][0]["results"][0]["level"] = "fatal"
        assert not validator(schema).is_valid(value), "the schema is looked at"


def test_vet_names_the_line_of_a_fault(sandhook: Run, project: Path) -> None:
    matcher = '{\n  "hooks": {\n    "PreToolUse": [\n      {"command": "true", "matcher": "^(bash$"}\n    ]\n  }\n}\n'
    (project / "faulty.json").write_text(matcher, encoding="utf-8")
    ran = sandhook("vet", "faulty.json", "--contract", "crush", "--format", "github")
    assert ran.stdout.startswith(
        "::error file=faulty.json,line=4,title=sandhook vet%3A problem::hooks.PreToolUse[0]"
    )
    (project / "broken.json").write_text("{", encoding="utf-8")
    ran = sandhook("vet", "broken.json", "--contract", "crush", "--format", "sarif")
    (result,) = json.loads(ran.stdout)["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "broken.json"
    assert sandhook("vet", "broken.json", "--contract", "crush").stdout.startswith("problem: broken.json: ")
