"""The hooks of all agents with their layers, approvals and findings, and the texts that they consist of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING

from sandhook.errors import SandhookError
from sandhook.hooks.checks import check
from sandhook.hooks.checks.rules import finding_json
from sandhook.hooks.contracts import needs_trust
from sandhook.hooks.decode import DecodeError
from sandhook.hooks.inventory import Item, inventory, item_json
from sandhook.hooks.report import remedy
from sandhook.hooks.trust import machine_name
from sandhook.record import Record
from sandhook.studio.bench import StudioError
from sandhook.studio.lines import with_line_ends
from sandhook.studio.matchers import matcher_text

if TYPE_CHECKING:
    from sandhook.errors import Problem
    from sandhook.hooks.checks import Finding, Surroundings
    from sandhook.hooks.engine import HookEngine
    from sandhook.hooks.event import Json, JsonObject
    from sandhook.hooks.evidence import Evidence
    from sandhook.hooks.model import HookSpec
    from sandhook.hooks.sources import AgentConfiguration
    from sandhook.studio.bench import Bench, Place

#: Aspects of an agent that explain who wins.
_ASPECTS = ("order", "refuses", "could not run", "trust", "files")

#: Hooks whose scripts are followed for the list; to follow one takes milliseconds, and others may name any number.
_MOST_FOLLOWED = 100

#: Bytes of a text that the page shows.
MAX_TEXT = 1 << 20


def overview(bench: Bench) -> JsonObject:
    """Return the hooks of all agents that have some here."""
    approved = bench.approved()
    agents: list[Json] = []
    for setup in bench.setups():
        try:
            agents.append(_agent(bench, setup, approved))
        except (SandhookError, DecodeError) as error:
            agents.append(_unreadable(bench, setup, " ".join(str(error).split())))
    return {"directory": bench.directory, "files": list(bench.named), "agents": agents}


def _agent(bench: Bench, setup: AgentConfiguration, approved: Mapping[str, str]) -> JsonObject:
    contract = setup.contract
    engine = bench.engine(setup)
    items = inventory(engine, contract, setup.documents, setup.problems)
    found = check(engine, contract, setup.documents, bench.surroundings(), setup.problems)
    positions: dict[str, int] = {}
    hooks: list[Json] = []
    for number, item in enumerate(items):
        if item.spec is None:
            continue
        followed = bench.evidence(item.spec, contract) if number < _MOST_FOLLOWED else None
        own = [each for each in found if each.hook == item.spec.id]
        hooks.append(_hook(item, positions, followed, own, approved))
    return {
        "name": contract.name,
        "facts": _facts(contract.facts()),
        "places": [_place(place, items) for place in bench.places(contract)] if not bench.named else [],
        "problems": [_problem(each) for each in (*setup.problems, *engine.problems)],
        "findings": [finding_json(each) for each in found],
        "hooks": hooks,
        "notes": list(engine.diagnostics),
    }


def _unreadable(bench: Bench, setup: AgentConfiguration, why: str) -> JsonObject:
    """Return an agent whose configurations cannot be loaded at all."""
    return {
        "name": setup.contract.name,
        "facts": _facts(setup.contract.facts()),
        "places": [_place(place, ()) for place in bench.places(setup.contract)],
        "problems": [{"file": "", "line": 0, "path": "", "message": why}],
        "findings": [],
        "hooks": [],
        "notes": [],
    }


def _facts(facts: Mapping[str, str]) -> JsonObject:
    return {name: facts[name] for name in _ASPECTS if name in facts}


def _place(place: Place, items: Sequence[Item]) -> Json:
    return {
        "layer": place.layer,
        "path": place.path,
        "needs_approval": needs_trust(place.layer),
        "files": [
            {"path": file, "hooks": sum(item.file == file and item.spec is not None for item in items)}
            for file in place.files
        ],
    }


def _problem(problem: Problem) -> Json:
    return {"file": problem.file, "line": problem.line, "path": problem.path, "message": problem.message}


def _hook(
    item: Item,
    positions: dict[str, int],
    evidence: Evidence | None,
    findings: Sequence[Finding],
    approved: Mapping[str, str],
) -> JsonObject:
    spec = item.spec
    assert spec is not None
    if item.state == "trusted":
        positions[spec.event] = positions.get(spec.event, 0) + 1
    record = item_json(item)
    record.update(
        isolation=item.isolation,
        order=positions[spec.event] if item.state == "trusted" else None,
        matcher=matcher_text(spec.matcher),
        on_error=spec.on_error,
        background=spec.background,
        description=spec.description,
        needs_approval=needs_trust(spec.layer),
        approved=approved.get(spec.trust_hash or "", ""),
        remedy=remedy(spec.file, item.contract) if item.state == "untrusted" else "",
        scripts=[{"path": machine_name(file.path), "how": file.how} for file in evidence.files]
        if evidence
        else [],
        commands=list(evidence.commands) if evidence else [],
        unknown=list(evidence.unknown) if evidence else [],
        findings=[finding_json(each) for each in findings],
    )
    return record


class Text(Record):
    """A file of the machine that hooks consist of.

    Attributes:
        path: Its path.
        data: Its bytes.
        digest: Their hash.
    """

    path: str
    data: bytes
    digest: str


def text_of(bench: Bench, setup: AgentConfiguration, path: str) -> Text:
    """Return a configuration of an agent, or a script that one of its hooks executes.

    Raises:
        StudioError: No hook has this file, or it cannot be read.
    """
    if path not in _paths(bench, setup, bench.engine(setup)):
        raise StudioError(f"{path}: no hook of {setup.contract.name} consists of this file")
    data = bench.read(path)
    if data is None:
        raise StudioError(f"{path}: cannot be read")
    return Text(path, data, sha256(data).hexdigest())


def _paths(bench: Bench, setup: AgentConfiguration, engine: HookEngine) -> set[str]:
    paths = {document.name for document in setup.documents if document.name}
    paths |= {problem.file for problem in setup.problems if problem.file}
    specs: list[HookSpec] = [*engine.hooks, *(each.spec for each in engine.withheld)]
    for spec in specs[:_MOST_FOLLOWED]:
        evidence = bench.evidence(spec, setup.contract)
        if evidence is not None:
            paths |= {machine_name(file.path) for file in evidence.files}
    return paths


def text_json(bench: Bench, setup: AgentConfiguration, path: str) -> JsonObject:
    """Return a text of ``text_of`` with the findings at its lines."""
    text = text_of(bench, setup, path)
    return {
        "path": path,
        "text": text.data[:MAX_TEXT].decode("utf-8-sig", "replace").replace("\r\n", "\n"),
        "cut": len(text.data) > MAX_TEXT,
        "utf8": _is_utf8(text.data),
        "digest": text.digest,
        "line_ends": _line_ends(text.data),
        "findings": _findings(bench, setup, path, bench.surroundings()),
    }


def edited_findings(bench: Bench, setup: AgentConfiguration, path: str, text: str) -> JsonObject:
    """Return what ``sandhook check`` would find in a file with an edited text. Raises StudioError."""
    data = with_line_ends(text_of(bench, setup, path).data, text)
    surroundings = bench.surroundings()

    def read(name: str) -> bytes | None:
        return data if name == path else surroundings.read(name)

    edited = bench.edited(setup, {path: data})
    return {"findings": _findings(bench, edited, path, surroundings._replace(read=read))}


def _findings(bench: Bench, setup: AgentConfiguration, path: str, surroundings: Surroundings) -> list[Json]:
    found = check(bench.engine(setup), setup.contract, setup.documents, surroundings, setup.problems)
    return [finding_json(each) for each in found if each.file == path]


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _line_ends(data: bytes) -> str:
    windows = data.count(b"\r\n")
    lines = data.count(b"\n")
    return "LF" if not windows else "CRLF" if windows == lines else "mixed"
