"""What ``sandhook init`` writes: the files for each agent, decided before anything is written."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import Literal

from sandhook.formats.toml_text import encode_toml
from sandhook.formats.yaml_text import write_yaml
from sandhook.hooks import contracts
from sandhook.hooks.contracts import Contract
from sandhook.hooks.event import Json
from sandhook.hooks.model import HookSpec
from sandhook.recipes import catalogue
from sandhook.recipes.agents import place_of
from sandhook.recipes.catalogue import Recipe, RecipeError
from sandhook.recipes.expectations import expectations_of
from sandhook.recipes.script import hook_of
from sandhook.record import Record

#: The file with the hashes of what init wrote, in the form of sha256sum; it is next to the scripts.
MANIFEST = ".sandhook-init"

#: Returns the contents of a file of the project, or None.
ReadFile = Callable[[str], bytes | None]

FileKind = Literal["hooks", "script", "expectations", "manifest"]

_ENDINGS = {"json": ".json", "toml": ".toml", "yaml": ".yaml"}


class PlannedFile(Record):
    """One file, with its path relative to the project."""

    path: str
    text: str
    kind: FileKind


class AgentPlan(Record):
    """What is written for one agent.

    Attributes:
        config: The hook file, relative to the project.
        scripts: The directory of the scripts and expectations.
        installed: The agent reads the hook file where it is; else `sandhook install` merges it.
        replaced: Paths of files that init wrote before, and that nobody changed since.
        conflicts: Paths of files that exist and may not be replaced.
        unchanged: Paths of files that are as init wrote them.
        notes: A line for each thing that the agent does in another way.
    """

    agent: str
    config: str
    scripts: str
    installed: bool
    files: tuple[PlannedFile, ...]
    replaced: tuple[str, ...]
    conflicts: tuple[str, ...]
    unchanged: tuple[str, ...]
    notes: tuple[str, ...]


def agents_of(recipe: Recipe) -> list[str]:
    """Return the agents that can run a recipe."""
    return [name for name in contracts.names() if obstacle(recipe, contracts.get(name)) is None]


def obstacle(recipe: Recipe, contract: Contract) -> str | None:
    """Return why an agent cannot run a recipe; None if it can."""
    try:
        hook_of(recipe, contract, place_of(contract.name).scripts)
    except RecipeError as error:
        return str(error)
    return None


def plan_of(agent: str, names: Sequence[str], read: ReadFile, *, force: bool) -> AgentPlan:
    """Return what to write for an agent.

    Args:
        names: The recipes.
        read: Reads the files of the project that exist already.
        force: Files that init wrote and that nobody changed may be replaced; the recipes of these files are kept.

    Raises:
        RecipeError: The agent cannot run one of the recipes; the message lists the agents that can.
    """
    contract = contracts.get(agent)
    place = place_of(agent)
    known = _manifest(read(f"{place.scripts}/{MANIFEST}"))
    config, scripts = place.config, place.scripts
    own = config in known
    if not config or (read(config) is not None and not own):
        config, scripts = f"hooks/{agent}/hooks{_ENDINGS[place.syntax]}", f"hooks/{agent}"
        known = _manifest(read(f"{scripts}/{MANIFEST}"))
    if force:
        before = [name for name in catalogue.NAMES if f"{scripts}/{name}.sh" in known]
        names = [name for name in catalogue.NAMES if name in (*before, *names)]
    files, notes = _files(contract, [catalogue.get(name) for name in names], config, scripts)
    existing = {file.path: data for file in files if (data := read(file.path)) is not None}
    unchanged = [path for path, data in existing.items() if known.get(path) == sha256(data).hexdigest()]
    replaced = [path for path in unchanged if force]
    return AgentPlan(
        agent,
        config,
        scripts,
        installed=config == place.config,
        files=(*files, _written_manifest(files, scripts)),
        replaced=tuple(replaced),
        conflicts=tuple(path for path in existing if path not in replaced),
        unchanged=tuple(unchanged),
        notes=notes,
    )


def _files(
    contract: Contract, recipes: Sequence[Recipe], config: str, scripts: str
) -> tuple[list[PlannedFile], tuple[str, ...]]:
    specs: list[HookSpec] = []
    files: list[PlannedFile] = []
    for recipe in recipes:
        try:
            hook = hook_of(recipe, contract, scripts)
        except RecipeError as error:
            able = ", ".join(agents_of(recipe))
            raise RecipeError(f"{recipe.name}: {error}; agents that can run it: {able}") from None
        specs.append(hook.spec)
        expectations = expectations_of(recipe, contract, config, scripts)
        files.append(PlannedFile(f"{scripts}/{recipe.name}.sh", hook.script, "script"))
        files.append(PlannedFile(f"{scripts}/{recipe.name}.expect.yaml", expectations, "expectations"))
    value, lost = contract.render(specs)
    return [PlannedFile(config, _encoded(value, config), "hooks"), *files], _notes(lost)


def _notes(lost: Sequence[str]) -> tuple[str, ...]:
    """Return what is lost, each loss once, after the names of its hooks."""
    names: dict[str, list[str]] = {}
    for each in lost:
        name, _, text = each.partition(": ")
        names.setdefault(text, []).append(name)
    return tuple(f"{', '.join(each)}: {text}" for text, each in names.items())


def _encoded(value: Json, name: str) -> str:
    if name.endswith(".toml") and isinstance(value, dict):
        return encode_toml(value)
    if name.endswith(".yaml"):
        return write_yaml(value)
    return json.dumps(value, indent=2) + "\n"


def _manifest(data: bytes | None) -> Mapping[str, str]:
    """Return the hashes of what init wrote, by path."""
    lines = (data or b"").decode("utf-8", "replace").splitlines()
    return {path: digest for digest, separator, path in (line.partition("  ") for line in lines) if separator}


def _written_manifest(files: Sequence[PlannedFile], scripts: str) -> PlannedFile:
    lines = [f"{sha256(file.text.encode()).hexdigest()}  {file.path}\n" for file in files]
    return PlannedFile(f"{scripts}/{MANIFEST}", "".join(lines), "manifest")
