"""Records of an agent as cases: python -m tools.agents.convert AGENT VERSION RECORDS.json [DIRECTORY]

RECORDS is the output of tools.agents.record. Writes ``conformance/hooks/AGENT/recorded/TOPIC.json``: a case replaces
that of the same identifier, and others stay if they are of the same version. tests/hooks/recordedtools.py says what
the fields mean.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections import Counter
from pathlib import Path
from typing import cast

from tools.agents.records import (
    AGENTS,
    Agent,
    Json,
    Object,
    Record,
    check_layers,
    dumped,
    listed,
    listed_in,
    mapping,
    objects,
    read,
)

FORMAT = "sandhook recorded hooks 1"
#: What depends on the agent's own rules, too, in a case that is about them: its ``call`` has what became of the call.
DECIDED_BY_RULES = ("touched", "texts", "context", "halt")


def main(arguments: list[str]) -> int:
    """Convert one file of records."""
    if len(arguments) not in (3, 4) or arguments[0] not in AGENTS:
        print(__doc__, file=sys.stderr)
        return 2
    name, version, source = arguments[:3]
    agent = cast(Agent, importlib.import_module(f"tools.agents.{name}"))
    root = Path(arguments[3] if len(arguments) == 4 else "conformance/hooks")
    directory = root / name / "recorded"
    directory.mkdir(parents=True, exist_ok=True)
    records = listed_in(source)
    for each in records:
        check_layers(each, agent.LAYERS, f"{source}: {each['id']}")
    for topic, cases in by_topic(agent, [*records]).items():
        file = directory / f"{topic}.json"
        text = document(agent, version, merged(file, version, cases))
        file.write_text(text, encoding="utf-8", newline="\n")
        print(f"{topic}: {len(cases)}")
    return 0


def merged(file: Path, version: str, cases: list[Object]) -> list[Object]:
    """Return the cases of a file with new ones in place of those of the same identifiers.

    Raises:
        SystemExit: Cases that would stay are of another version.
    """
    if not file.exists():
        return cases
    known = mapping(cast(Json, json.loads(file.read_text(encoding="utf-8"))))
    new = {str(each["id"]): each for each in cases}
    kept = objects(known.get("cases"))
    others = [str(each["id"]) for each in kept if str(each["id"]) not in new]
    if others and known.get("version") != version:
        raise SystemExit(
            f"{file}: recorded with {known.get('version')}, and {version} has no record of {', '.join(others)}"
        )
    replaced = [new.pop(str(each["id"]), each) for each in kept]
    return [*replaced, *new.values()]


def by_topic(agent: Agent, records: list[Json]) -> dict[str, list[Object]]:
    """Return the cases of each topic, which is the first part of an identifier."""
    topics: dict[str, list[Object]] = {}
    for value in records:
        record = read(value, agent.TOUCH)
        topics.setdefault(record.id.split(".")[0], []).append(case(agent, record))
    return topics


def case(agent: Agent, record: Record) -> Object:
    """Return the case of a record."""
    record = record._replace(event=agent.EVENTS.get(record.id, record.event))
    layers: Object = {agent.LAYERS[name]: value for name, value in record.layers.items()}
    fields: Object = {"id": record.id, "event": record.event, "layers": layers}
    if record.files:
        fields["files"] = record.files
    if record.env:
        fields["env"] = record.env
    if record.args is not None:
        fields["args"] = list(record.args)
    if record.scene:
        fields["scene"] = record.scene
    if record.event == "*":
        return {**fields, "probes": _probes(record)}
    received = record.received
    fields["fire"] = [received] if received is not None else list(agent.payloads(record))
    if record.id.startswith("sweep."):  # many calls, each with an ending of its own
        alone = [record._replace(script=[call]) for call in record.calls]
        fields["fire"] = [payload for each in alone for payload in agent.payloads(each)]
    if record.allowed != "Bash":
        fields["allowed"] = record.allowed
    reason = agent.INCOMPARABLE.get(record.id)
    ruled = record.id.startswith("permissions.")
    if ruled:
        fields["call"] = _call(record)
        if not record.texts("ran"):
            reason = "the agent's own rules or its mode decide about the call before any hook is asked"
    if reason is not None:
        return {**fields, "incomparable": reason}
    if record.id.startswith("sweep."):
        return {**fields, "did": {"touched": list[Json](record.texts("files"))}}
    did = agent.facts(record)
    if record.id.startswith("spread.agents."):  # whose results the model of the sub-agent gets
        did = {key: value for key, value in did.items() if key == "touched"}
        did["ran"] = [*sorted(set(record.texts("ran")))]
    if ruled:
        did = {key: value for key, value in did.items() if key not in DECIDED_BY_RULES}
    if record.id.startswith("places.same"):
        did["runs"] = {**Counter(record.texts("ran"))}
    return {**fields, "did": did}


def _call(record: Record) -> str:
    """Return what became of the call that a hook and the agent's own rules are about."""
    if "marker" in record.texts("files"):
        return "runs"
    return "ends the turn" if record.number("requests") == 1 else "does not run"


def _probes(record: Record) -> Object:
    """Return what the hooks received, by label: payload, working directory, last byte and names of variables."""
    received: Object = {}
    for label, value in mapping(record.seen.get("probes")).items():
        probe = mapping(value)
        received[label] = {
            "payload": probe.get("payload"),
            "newline": probe.get("newline"),
            "cwd": probe.get("cwd"),
            "env": [*sorted(mapping(probe.get("env")))],
        }
        if record.id.startswith("environment."):
            received[label] = {**mapping(received[label]), **_environment(record, probe)}
    return received


def _environment(record: Record, probe: Object) -> Object:
    """Return the variables of the case that the hook did not get, and those whose value is a place of the run."""
    places = {
        name: value
        for name, value in mapping(probe.get("env")).items()
        if isinstance(value, str) and value.startswith("@W@") and name not in ("PATH", *record.env)
    }
    return {"lost": [each for each in listed(probe.get("lost")) if each in record.env], "places": {**places}}


def document(agent: Agent, version: str, cases: list[Object]) -> str:
    """Return the text of one topic's file, a field on each line."""
    head: Object = {
        "format": FORMAT,
        "contract": agent.CONTRACT,
        "agent": agent.TITLE,
        "version": version,
        "about": "What the agent did; tests/hooks/test_recorded.py says what the fields mean.",
    }
    lines = [f" {_json(key)}: {_json(value)}," for key, value in head.items()]
    text = "{\n" + "\n".join(lines) + '\n "cases": [\n' + ",\n".join(map(_case, cases)) + "\n ]\n}\n"
    for place in (Path.home(), Path.cwd()):
        forms = (place.as_posix(), _json(str(place)).strip('"'))
        if any(f"{form}{separator}" in text for form in forms for separator in ("/", r"\\")):
            raise ValueError(f"a path of this machine is in the records: {place}")
    return text


def _case(fields: Object) -> str:
    lines = [f"   {_json(key)}: {_json(value)}" for key, value in fields.items()]
    return "  {\n" + ",\n".join(lines) + "\n  }"


def _json(value: Json) -> str:
    return dumped(value).replace("\ufeff", "\\ufeff")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
