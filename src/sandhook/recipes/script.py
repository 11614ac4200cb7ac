"""Writes the script and the hook of a recipe for one agent."""

from __future__ import annotations

import re
from functools import cache
from textwrap import wrap

from sandhook.errors import SandhookError
from sandhook.hooks.contracts import Contract, Document, LoadOptions
from sandhook.hooks.matcher import ALWAYS, Exact, Matcher, OneOf, ToolName
from sandhook.hooks.model import Executor, HookSpec
from sandhook.recipes.agents import place_of
from sandhook.recipes.answers import answers_of
from sandhook.recipes.catalogue import Recipe, RecipeError, read_data
from sandhook.recipes.payloads import paths_of
from sandhook.record import Record

_COMMENTS = {
    "pass": "Ends the hook without an objection.",
    "refuse": "Refuses the action with the reason $1.",
    "inform": "Adds the text $1 for the model.",
    "keep_working": "Makes the agent continue, with the reason $1.",
}


class Hook(Record):
    """A recipe for one agent.

    Attributes:
        spec: The hook, for the agent's hook file.
        script: The text of the script.
    """

    spec: HookSpec
    script: str


def hook_of(recipe: Recipe, contract: Contract, scripts: str) -> Hook:
    """Return a recipe for an agent.

    Args:
        scripts: The directory of the scripts, relative to the project.

    Raises:
        RecipeError: The agent cannot run it; the message has the reason.
    """
    if not contract.has_configuration:
        raise RecipeError(
            f"{contract.name} reads no configuration: its hooks are files, see the page of its contract"
        )
    spec = _spec(recipe, contract, scripts)
    value, _ = contract.render([spec])
    loaded = contract.load([Document(value, "", contract=contract.name)], LoadOptions())
    if not loaded.specs:
        raise RecipeError(f"{contract.name} cannot have such a hook")
    try:
        paths = paths_of(contract, loaded.specs[0])
        answers = answers_of(contract, loaded.specs[0], recipe.action)
    except SandhookError as error:
        raise RecipeError(f"{contract.name}: {error}") from None
    if answers is None:
        raise RecipeError(
            f"{contract.name} reads no answer on {spec.native_event} that could {_DOES[recipe.action]}"
        )
    blocks = {name: f"# {_COMMENTS[name]}\n{name}() {{\n{lines}\n}}" for name, lines in answers.items()}
    values = {**paths.placeholders(), "@PROJECT@": _project(contract)}
    text = "\n\n".join((recipe.body.strip(), *_helpers(recipe.body, values, contract, blocks)))
    head = _head(recipe, contract, spec)
    return Hook(spec, f"{head}\n\n{text}\n\npayload={_quoted(paths.source)}\nmain\n")


_DOES = {"refuse": "refuse", "inform": "add a text for the model", "keep-working": "make it continue"}


def _quoted(source: str) -> str:
    return source if source.startswith("$(") else f'"{source}"'


def _spec(recipe: Recipe, contract: Contract, scripts: str) -> HookSpec:
    native = next((name for name, kind in contract.events.items() if kind == recipe.event), None)
    if native is None:
        raise RecipeError(f"{contract.name} has no event {recipe.event}")
    place = place_of(contract.name)
    path = f"{scripts}/{recipe.name}.sh"
    command = place.command.replace("SCRIPT", path).replace("NAME", f"{recipe.name}.sh")
    variables = contract.vocabulary().project
    if not path.startswith(place.scripts):
        command = f"./{path}"
    if variables and command.startswith("./"):
        command = f'"${variables[0]}"/{path}'
    return HookSpec(
        recipe.name,
        recipe.event,
        native,
        Executor("bash", command),
        matcher=_matcher(recipe, contract),
        timeout=recipe.timeout,
        on_error="block" if recipe.action == "refuse" else "warn",
    )


def _matcher(recipe: Recipe, contract: Contract) -> Matcher:
    if not recipe.tools:
        return ALWAYS
    vocabulary = contract.vocabulary()
    several = [name for each in recipe.tools for name in vocabulary.of_class(each)]
    names = tuple(dict.fromkeys(several))
    if not names:
        raise RecipeError(f"{contract.name} has no tool known for {', '.join(recipe.tools)}")
    return ToolName(Exact(names[0]) if len(names) == 1 else OneOf(names))


def _project(contract: Contract) -> str:
    variables = contract.vocabulary().project
    root = place_of(contract.name).root
    return f'"${{{variables[0]}:-{root}}}"' if variables else root


def _head(recipe: Recipe, contract: Contract, spec: HookSpec) -> str:
    about = f"For {contract.name} on {spec.native_event}, written by `sandhook init`. Needs bash 3.2 and jq."
    paragraphs = (f"{recipe.name}: {recipe.summary}.", recipe.limits, about)
    comments = ["\n".join(f"# {line}" for line in wrap(text, 98)) for text in paragraphs]
    return "#!/bin/bash\n" + "\n#\n".join(comments)


def _helpers(body: str, values: dict[str, str], contract: Contract, answers: dict[str, str]) -> list[str]:
    """Return the functions that a body calls, with those that they call."""
    known = {**answers, **_library()}
    wanted: list[str] = []
    queue = [body]
    while queue:
        words = set(re.findall(r"[\w-]+", _code(queue.pop())))
        for name, block in known.items():
            if name in words and block not in wanted:
                wanted.append(block)
                queue.append(block)
    found = []
    for block in dict.fromkeys(known.values()):
        if block not in wanted:
            continue
        for name, expression in values.items():
            if name in block and not expression:
                raise RecipeError(
                    f"the payload of {contract.name} does not have the {name.strip('@').lower()}"
                )
            block = block.replace(name, expression)
        found.append(block)
    return found


def _code(text: str) -> str:
    """Return a script without the lines that are comments."""
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))


@cache
def _library() -> dict[str, str]:
    """Return the blocks of functions of the library by the name of each function; blocks begin with a comment."""
    blocks: dict[str, str] = {}
    for file in ("payload", "secrets", "commands", "state"):
        for block in re.split(r"\n\n(?=# )", read_data(f"library/{file}.bash").strip()):
            for name in re.findall(r"^(\w+)\(\) ", block, re.MULTILINE):
                blocks[name] = block
    return blocks
