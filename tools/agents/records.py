"""One record of a run of an agent, and what all agents' records have in common.

A record is one object of the recorder's list: ``id``, ``event``, ``layers`` (settings by layer), ``files``,
``script`` (what the model asks for) and ``observed``. In its texts ``@W@`` is the directory of the run,
``@P@`` the project below it and ``@H@`` the home.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol, TypeAlias, cast

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
Object: TypeAlias = "dict[str, Json]"

#: The agents that the recorder can start.
AGENTS = (
    "claude_code",
    "codex",
    "gemini",
    "copilot",
    "qwen",
    "kimi",
    "goose",
    "grok",
    "hermes",
    "openhands",
    "droid",
    "cline",
    "mistral_vibe",
)
#: Fields of a case that only the recorder reads.
SCENE = (
    "script",
    "prompt",
    "turns",
    "endpoints",
    "limit",
    "config",
    "tables",
    "trust",
    "sandbox",
    "keys",
    "earlier",
    "served",
)

#: What the agent did, by aspect; an aspect that a record cannot show is absent.
Facts: TypeAlias = "dict[str, Json]"


class Record(NamedTuple):
    """A record, with the texts of its paths in one form."""

    id: str
    event: str
    layers: Object
    files: Object
    script: list[Json]
    env: Object
    #: None for the arguments that the recorder has for all cases of the agent.
    args: list[str] | None
    prompt: str
    allowed: str
    #: Other fields of the case, which say how the agent was started.
    scene: Object
    seen: Object

    @property
    def calls(self) -> list[Object]:
        """The tool calls that the model asks for, in order."""
        flat = [each for step in self.script for each in (step if isinstance(step, list) else [step])]
        return [each for each in flat if isinstance(each, dict) and "tool" in each]

    @property
    def received(self) -> Object | None:
        """The payload that the case's hook kept: the exact one of the event."""
        payload = mapping(mapping(self.seen.get("probes")).get("a")).get("payload")
        return payload if isinstance(payload, dict) and self.event != "*" else None

    def number(self, key: str) -> int:
        """Return a number of what was observed; 0 when it is absent."""
        value = self.seen.get(key)
        return value if isinstance(value, int) else 0

    def texts(self, key: str) -> list[str]:
        """Return a list of texts of what was observed."""
        return [each for each in listed(self.seen.get(key)) if isinstance(each, str)]


class Agent(Protocol):
    """A module of one agent."""

    #: The name of its contract, its own name, and the touch that the model asks for without a script.
    CONTRACT: str
    TITLE: str
    TOUCH: Object
    #: Layers of a record, and the files that they are.
    LAYERS: Mapping[str, str]
    #: Why a record cannot be compared, by its identifier.
    INCOMPARABLE: Mapping[str, str]
    #: The event of a record's hook, by the record's identifier, where the record names another.
    EVENTS: Mapping[str, str]

    def payloads(self, record: Record) -> list[Object]:
        """Return the payloads of the events that the record's hooks wait for."""
        ...

    def facts(self, record: Record) -> Facts:
        """Return what the agent did."""
        ...


def read(value: Json, touch: Object) -> Record:
    """Return a record of the recorder's list."""
    fields = mapping(value)
    text = json.dumps(fields).replace("@P@", "@W@/project").replace("@H@", "@W@/home")
    fields = mapping(cast(Json, json.loads(text)))
    args = [each for each in listed(fields["args"]) if isinstance(each, str)] if "args" in fields else None
    return Record(
        id=str(fields["id"]),
        event=str(fields["event"]),
        layers=mapping(fields.get("layers")),
        files=mapping(fields.get("files")),
        script=listed(fields.get("script")) or [touch],
        env=mapping(fields.get("env")),
        args=args,
        prompt=str(fields.get("prompt", "do it")),
        allowed=str(fields.get("allowed", "Bash")),
        scene={key: fields[key] for key in SCENE if key in fields},
        seen=mapping(fields.get("observed")),
    )


def dumped(value: Json, indent: int | None = None) -> str:
    """Return a value as JSON that every encoding can write: halves of surrogate pairs stay escaped."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    return re.sub("[\ud800-\udfff]", lambda match: f"\\u{ord(match[0]):04x}", text)


def mapping(value: Json) -> Object:
    """Return an object, or an empty one for any other value."""
    return value if isinstance(value, dict) else {}


def listed(value: Json) -> list[Json]:
    """Return an array, or an empty one for any other value."""
    return value if isinstance(value, list) else []


def objects(value: Json) -> list[Object]:
    """Return the objects of an array."""
    return [each for each in listed(value) if isinstance(each, dict)]


def listed_in(name: str) -> list[Object]:
    """Return the cases or records of a file.

    Raises:
        SystemExit: There is no such file, or it is no list of objects with an ``id``.
    """
    try:
        value = cast(Json, json.loads(Path(name).read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        raise SystemExit(f"{name}: {error}") from None
    if not isinstance(value, list):
        raise SystemExit(f"{name}: expected a list of cases")
    for number, each in enumerate(value, 1):
        if not isinstance(each, dict) or not isinstance(each.get("id"), str):
            raise SystemExit(f"{name}: case {number} has no id")
    return objects(value)


def check_layers(case: Object, known: Iterable[str], where: str) -> None:
    """Raise SystemExit for a layer that the agent does not have."""
    names = list(known)
    for layer in mapping(case.get("layers")):
        if layer not in names:
            raise SystemExit(f"{where}: there is no layer {layer!r}; expected one of {', '.join(names)}")


def commands(value: Json) -> list[str]:
    """Return the commands of a configuration, as agents name them in messages: with their arguments."""
    if isinstance(value, list):
        return [text for each in value for text in commands(each)]
    if not isinstance(value, dict):
        return []
    command = value.get("command")
    if isinstance(command, str):
        words = [command, *(str(each) for each in listed(value.get("args")))]
        return [" ".join(words), command]
    if isinstance(prompt := value.get("prompt"), str):
        return [prompt]
    return [text for each in value.values() for text in commands(each)]


def joined(*texts: Sequence[str]) -> str:
    """Return texts that the model received, one below the other."""
    return "\n".join(text for several in texts for text in several)


def rounds(record: Record) -> int:
    """Return how often the hook ran that ran most often."""
    return max(Counter(record.texts("ran")).values(), default=0)


def what_was_read(record: Record, *parts: str) -> Facts:
    """Return the hooks that ran, each once, and the texts that the model got, if it was asked at all.

    Args:
        parts: Where the texts are, in this order.
    """
    facts: Facts = {"ran": [*sorted(set(record.texts("ran")))]}
    if record.number("requests"):
        facts["texts"] = joined(*(record.texts(part) for part in parts or ("said", "first", "tool_results")))
    return facts
