"""Writes the expectations of a recipe for one agent: its tools, and the names of their arguments."""

from __future__ import annotations

from posixpath import relpath

from sandhook.formats.yaml_text import write_yaml
from sandhook.hooks.contracts import Contract
from sandhook.hooks.event import Json, JsonObject
from sandhook.recipes.agents import arguments_of
from sandhook.recipes.catalogue import Recipe

#: Keys of a case that stay as they are.
_SAME = ("name", "because", "prompt", "files", "expect")


def expectations_of(recipe: Recipe, contract: Contract, config: str, directory: str) -> str:
    """Return the text of a file of expectations.

    Args:
        config: The hook file, relative to the project.
        directory: Where the file of expectations is, relative to the project.
    """
    native = next(name for name, kind in contract.events.items() if kind == recipe.event)
    value: JsonObject = {
        "version": 1,
        "hooks": relpath(config, directory),
        "contract": contract.name,
        "project": relpath(".", directory),
        "only": f"{recipe.name}.sh",
        "event": native,
        "cases": [_case(each, recipe, contract) for each in recipe.cases],
    }
    return f"# `sandhook test {directory}/{recipe.name}.expect.yaml` fires these events.\n{write_yaml(value)}"


def _case(case: JsonObject, recipe: Recipe, contract: Contract) -> JsonObject:
    found: JsonObject = {key: case[key] for key in ("name", "because") if key in case}
    if recipe.event.startswith("tool."):
        tool = str(case.get("tool") or ("write" if "path" in case else "shell"))
        found["tool"] = _tool(tool, contract)
        found["input"] = _input(case, contract)
    if recipe.event == "tool.post":
        found["result"] = case.get("output", "done")
    found.update({key: case[key] for key in _SAME if key in case})
    return found


def _tool(name: str, contract: Contract) -> str:
    vocabulary = contract.vocabulary()
    names = vocabulary.shell if name == "shell" else vocabulary.write or vocabulary.edit
    return names[0] if names else name


def _input(case: JsonObject, contract: Contract) -> Json:
    arguments = arguments_of(contract.name)
    if "path" not in case:
        return {arguments.command: case["command"]}
    path, content = case["path"], case["content"]
    if contract.name == "codex":  # its one tool for files applies a patch
        added = "".join(f"+{line}\n" for line in str(content).splitlines())
        return {"command": f"*** Begin Patch\n*** Add File: {path}\n{added}*** End Patch\n"}
    if contract.name == "kiro":
        return {"command": "create", arguments.path: path, arguments.content: content}
    return {arguments.path: path, arguments.content: content}
