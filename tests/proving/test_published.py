"""``chaos`` and ``doctor`` over the hooks that others published: every one can be tried, and nothing fails in between."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sandhook.conformance.expectations.model import EventCase, ExpectationFile, Expected
from sandhook.errors import SandhookError
from sandhook.hooks import HookEngine
from sandhook.hooks.contracts import Contract, Document, get
from sandhook.hooks.decode import DecodeError
from sandhook.hooks.inventory import inventory
from sandhook.proving.chaos import Guards, under_faults
from sandhook.proving.configuration import Configuration
from sandhook.proving.doctor import Settings, doctor
from sandhook.proving.faults import FaultName
from sandhook.proving.guards import find_guards

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "conformance" / "hooks").glob("*/*.json"))
FAULTS: list[FaultName] = ["no-jq", "killed", "empty-stdin", "payload-nul", "tool-case", "no-path"]


def documents(case: dict[str, Any], contract: Contract, root: Path) -> tuple[Document, ...]:
    layers = case.get("layers") or [{"config": case["config"], "name": case.get("config_name", "")}]
    found = []
    for number, layer in enumerate(layers):
        config, name = layer["config"], f"{root.as_posix()}/{number}-{layer.get('name') or 'hooks.json'}"
        parsed = contract.parse(config, name, {}) if isinstance(config, str) else Document(config, name)
        found.append(parsed)
    return tuple(found)


def expectations(case: dict[str, Any], contract: Contract, root: Path) -> ExpectationFile | None:
    """Return the events of a published case that it refuses as expectations; None if it cannot be loaded."""
    cases = []
    for number, step in enumerate(case["fire"]):
        if "payload" not in step:
            continue
        event = contract.event(step["event"], step["payload"])
        word: Any = "deny" if step["expect"].get("refused") else "proceed"
        cases.append(EventCase(f"event {number}", 0, "", event, Expected(word), case.get("files", {})))
    if any(name.startswith("/") for name in case.get("files", {})):
        return None
    try:
        found = documents(case, contract, root)
    except DecodeError:
        return None
    return ExpectationFile(f"{root.as_posix()}/x.expect.yaml", root.as_posix(), contract, found, tuple(cases))


@pytest.mark.slow
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.parent.name)
def test_every_published_hook_can_be_tried(path: Path, tmp_path: Path) -> None:
    value = json.loads(path.read_text(encoding="utf-8"))
    for case in value["cases"]:
        contract = get(case.get("contract", value["contract"]))
        file = expectations(case, contract, tmp_path)
        if file is None:
            continue
        found = find_guards([file])
        tried = {each.case.name for guard in found.guards for each in guard.cases}
        lacking = {each.name for each in found.untried if each.why.startswith("the sandbox lacks ")}
        untried = {each.name for each in found.untried if each.let_pass} | lacking
        assert {each.name for each in file.cases if each.expected.decision == "deny"} == tried | untried
        report = under_faults(Guards(found), faults=FAULTS, cases=1)
        for guard in report.guards:
            assert [cell.fault for cell in guard.cells] == FAULTS
            assert all(cell.reason for cell in guard.cells)
        engine = HookEngine.load(list(file.documents), contract, trust=lambda spec: True, prestart=False)
        configuration = Configuration(
            contract,
            file.documents,
            items=tuple(inventory(engine, contract, file.documents)),
            findings=(),
            expectations=(file,),
            project=tmp_path.as_posix(),
            trust=None,
        )
        examined = doctor([configuration], Settings({}, start=False))
        assert len(examined.hooks) == len(configuration.items)
        assert all(hook.checks for hook in examined.hooks)
        assert "proven on" not in {hook.verdict for hook in examined.hooks}  # nothing was started


@pytest.mark.parametrize(
    "path", sorted((ROOT / "examples" / "hook-bundles").glob("*.json")), ids=lambda path: path.stem
)
def test_every_example_can_be_tried(path: Path) -> None:
    from sandhook.proving.chaos import chaos

    try:
        report = chaos([path.as_posix()], faults=FAULTS)
    except SandhookError as error:
        assert "fits" in str(error)
        return
    assert not report.let_pass
