"""Documented configurations of every agent, in the forms that files have in practice."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from sandhook.formats.toml_text import write_toml
from sandhook.formats.yaml_text import write_yaml
from sandhook.hooks import contracts
from sandhook.installation.places import Surroundings, place
from sandhook.installation.texts import format_of

ROOT = Path(__file__).parents[2]

GUARD = {
    "hooks": {
        "PreToolUse": [
            {
                "matcher": "Bash",
                "hooks": [{"type": "command", "command": "printf 'no \"$1\" ${x} $$'; exit 2", "timeout": 7}],
            }
        ],
        "Stop": [{"hooks": [{"type": "command", "command": "true"}]}],
    }
}


class Example(NamedTuple):
    """A configuration of an agent: its text, and where it comes from."""

    agent: str
    name: str
    text: str


def home_variables(directory: Path) -> dict[str, str]:
    """Return the variables of every system that name the directory of the user."""
    return dict.fromkeys(("HOME", "USERPROFILE"), (directory / "home").as_posix())


def file_of(agent: str, directory: Path) -> Path:
    """Return the file in which hooks are installed when nothing exists."""
    around = Surroundings((directory / "project").as_posix(), home_variables(directory), sys.platform)
    return Path(place(contracts.get(agent), None, around).file)


@cache
def format_for(agent: str) -> str:
    return format_of(str(file_of(agent, Path(Path.cwd().anchor, "nowhere"))))


def encoded(value: Any, agent: str) -> str:
    form = format_for(agent)
    if form == "toml":
        return write_toml(value)
    return write_yaml(value) if form == "yaml" else json.dumps(value, indent=2) + "\n"


@cache
def documented(agent: str) -> tuple[Example, ...]:
    """Return the configurations of an agent's cases and of its page."""
    found: dict[str, Example] = {}
    for path in sorted((ROOT / "conformance" / "hooks" / agent).glob("*.json")):
        for case in json.loads(path.read_text(encoding="utf-8"))["cases"]:
            config = case.get("config")
            if case.get("contract", agent) != agent or not isinstance(config, (dict, str)):
                continue
            if isinstance(config, str) and "\n" not in config and (path.parent / config).is_file():
                config = (path.parent / config).read_text(encoding="utf-8")
            text = config if isinstance(config, str) else encoded(config, agent)
            if format_for(agent) == "json" and text[:1] not in ("{", "["):
                continue  # a crushrc
            found.setdefault(text, Example(agent, case["name"], text))
    page = (ROOT / "docs" / "contracts" / f"{agent}.md").read_text(encoding="utf-8")
    for match in re.finditer(r"```(json|yaml|toml)\b[^\n]*\n(.*?)```", page, re.S):
        if match[1] == format_for(agent):
            found.setdefault(match[2], Example(agent, f"page at {match.start()}", match[2]))
    return tuple(found.values())


def _commented(text: str, agent: str) -> str:
    if format_for(agent) == "json":
        text = text.replace("{\n", "{ // first\n  /* second */\n", 1)
        return f"// top\n{text}\n/* end */\n"
    return f"# top\n\n{text}# end\n"


def _with_more_keys(text: str, agent: str) -> str:
    form = format_for(agent)
    if form == "json":
        return text.replace(
            "{", '{\n  "zz-unknown": [1, {"a": null, "b": 1.50, "c": "\\u00e9"}],', 1
        ).replace("],}", "]}")
    if form == "toml":
        return f'zz-unknown = [1, 1.50, "\\u00e9"] # c\n{text}\n[zz-table]\n"a b".c = 1979-05-27\n'
    return f"zz-unknown: [1, 1.50, 'x']   # c\n{text}\nzz-last:\n    deep: |\n      text\n\n"


def _with_tabs(text: str, agent: str) -> str:
    if format_for(agent) == "json":
        return re.sub(r"^(?:  )+", lambda match: "\t" * (len(match[0]) // 2), text, flags=re.M)
    return text.replace(" = ", "\t=\t") if format_for(agent) == "toml" else text


VARIANTS: dict[str, Callable[[str, str], str]] = {
    "as it is": lambda text, agent: text,
    "comments": _commented,
    "tabs": _with_tabs,
    "CRLF": lambda text, agent: text.replace("\n", "\r\n"),
    "byte order mark": lambda text, agent: "\ufeff" + text,
    "no final newline": lambda text, agent: text.rstrip("\n"),
    "unknown keys": _with_more_keys,
    "one line": lambda text, agent: json.dumps(json.loads(text)) if format_for(agent) == "json" else text,
    "all": lambda text, agent: (
        "\ufeff" + _with_tabs(_commented(_with_more_keys(text, agent), agent), agent).replace("\n", "\r\n")
    ),
}


def product(sample: int = 1) -> Iterator[tuple[Example, str]]:
    """Yield examples and variants; ``sample`` n yields every n-th pair."""
    count = 0
    for agent in contracts.configured():
        for example in documented(agent):
            for variant in VARIANTS:
                count += 1
                if count % sample == 0:
                    yield example, variant
