"""Writes the pages of docs/reference from the code: `make docs`, or `python -m docs.generate`.

tests/test_docs.py compares the pages with what this module makes, so they are never stale.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from docs import api, manual
from sandhook import cli, limits
from sandhook.cli.arguments.by_argparse import ArgparseParser
from sandhook.command.options import options_by_flag
from sandhook.limits import Limits
from sandhook.utilities import load, names

DIRECTORY = Path(__file__).resolve().parent / "reference"
NOTICE = "<!-- Made by `make docs`; do not edit. -->\n"


def escape(text: str) -> str:
    """Return text for a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|").replace("][", "]\\[")  # no reference to a link


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


# -------------------------------------------------------------------------- contracts.md


def contracts() -> str:
    """Compare the contracts: events, aspects, and how results are joined."""
    from sandhook.hooks.contracts import get, names
    from sandhook.hooks.contracts._facts import ASPECTS

    known = [get(name) for name in names()]
    kinds = dict.fromkeys(kind for contract in known for kind in contract.events.values())
    shared = [kind for kind in kinds if not kind.startswith("x.")]
    parts = [
        NOTICE,
        "# Contracts\n",
        "The hook formats of all agents in comparison. Each has a page in [contracts](../contracts).\n",
        "## Events\n",
        "The neutral name of each event, and its name in each agent. **Bold** if a hook can refuse.\n",
    ]
    for group in [known[at : at + 4] for at in range(0, len(known), 4)]:
        rows = [[f"`{kind}`", *(event_cell(contract, kind) for contract in group)] for kind in shared]
        rows = [row for row in rows if any(row[1:])]
        parts.append(table(["event", *(contract.name for contract in group)], rows))
    for aspect, about in ASPECTS.items():
        parts += [f"## {aspect.capitalize()}\n", f"{sentence(about)}\n"]
        parts.append(
            table(["contract", aspect], [[each.name, escape(each.facts()[aspect])] for each in known])
        )
    parts += [
        "## Launchers\n",
        "What reads the command line of a hook on each system: `sandhook portability` uses these facts.\n",
        launchers(known),
        "## How results are joined\n",
        table(["contract", "rules"], [[each.name, fold(each)] for each in known]),
    ]
    return "\n".join(parts)


def launchers(known: list[Any]) -> str:
    from sandhook.hooks.contracts._launch import SYSTEM_TITLES, SYSTEMS

    rows = [[each.name, *(each.launch().on(system) for system in SYSTEMS)] for each in known]
    return table(["contract", *SYSTEM_TITLES.values()], rows)


def event_cell(contract: Any, kind: str) -> str:
    names = [name for name, each in contract.events.items() if each == kind]
    mark = "**" if kind in contract.refusable else ""
    return ", ".join(f"{mark}{name}{mark}" for name in names)


def fold(contract: Any) -> str:
    """Return the words for a fold policy."""
    policy = contract.fold
    words = ["in parallel" if policy.parallel else "one by one"]
    words.append(
        "each with the changes of the earlier ones" if policy.chained else "each with the original event"
    )
    if policy.stop_on_refusal:
        words.append("a refusal ends the chain")
    words.append("the first reason counts" if policy.reasons == "first" else "reasons are joined")
    rewrites = {
        "first": "the first rewrite counts",
        "last": "the last rewrite counts",
        "chain": "rewrites add up",
    }
    words.append(rewrites[policy.replacements])
    words.append(
        "rewrites and a later refusal both hold" if policy.survive_refusal else "a refusal drops rewrites"
    )
    if policy.dedupe:
        words.append("the same command runs once")
    if policy.race:
        words.append("upstream the last to finish wins, here the last in the configuration")
    return "; ".join(words)


# --------------------------------------------------------------------------- commands.md


def commands() -> str:
    """Describe every utility by its Options, and list the built-ins."""
    parts = [
        NOTICE,
        "# Commands\n",
        "The commands that a script can call, apart from functions, keywords and its own files. An option that",
        "is not listed is an error that names it. All utilities with options accept `--help` and `--version`.\n",
        "## Built-ins\n",
        "Built-ins read or change the state of the shell.\n",
        built_ins(),
        "## Utilities\n",
    ]
    by_module: dict[str, list[str]] = {}
    for name in sorted(names()):
        by_module.setdefault(load(name).__name__, []).append(name)
    for known in sorted(by_module.values()):
        parts.append(utility(known))
    return "\n".join(parts)


def built_ins() -> str:
    from sandhook.builtins import BUILTINS

    return ", ".join(f"`{name}`" for name in sorted(BUILTINS)) + "\n"


def utility(known: list[str]) -> str:
    """Describe one utility's module under all the names that it is called by."""
    module = load(known[0])
    head = (module.__doc__ or "").strip().partition("\n")
    summary = head[0].partition(": ")[2] or head[0]
    lines = [f"### {', '.join(known)}\n", sentence(summary), ""]
    for options in option_classes(module):
        lines += described(options)
    for title, words in getattr(module, "OPERAND_WORDS", {}).items():
        lines += [f"{title}: {', '.join(f'`{word}`' for word in words)}.", ""]
    return "\n".join([*lines, *notes(head[2])])


def option_classes(module: Any) -> list[type]:
    """Return the Options of a module, of its programs and of its subcommands, each once."""
    own = [module.Options] if hasattr(module, "Options") else []
    more = (*getattr(module, "PROGRAMS", {}).values(), *getattr(module, "SUBCOMMANDS", {}).values())
    return list(dict.fromkeys([*own, *more]))


def described(options: type) -> list[str]:
    """Describe one Options class: its usage, its text, and a table of its options."""
    usage, _, more = inspect.cleandoc(options.__doc__ or "").partition("\n\n")
    lines = ["```text", usage, "```", ""]
    if more.strip():
        lines += [more.strip(), ""]
    rows = []
    for option in dict.fromkeys(options_by_flag(options).values()):
        flags = ", ".join(f"`{flag}`" for flag in option.flags)
        if option.metavar:
            flags += f" `[{option.metavar}]`" if option.optional else f" `{option.metavar}`"
        rows.append([flags, escape(option.help)])
    if rows:
        lines.append(table(["option", "what it does"], rows))
    return lines


def notes(docstring: str) -> list[str]:
    """Return the paragraphs of a module's docstring after its first line."""
    return [f"{paragraph.strip()}\n" for paragraph in docstring.split("\n\n") if paragraph.strip()]


def sentence(text: str) -> str:
    text = text.strip()
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")


# --------------------------------------------------------------------------- limits.md


def limits_page() -> str:
    """Describe the fields of Limits with their defaults; their comments describe what they count."""
    said = comments(limits, "Limits")
    default, generous = Limits(), Limits.generous()
    rows = [
        [f"`{name}`", number(getattr(default, name)), number(getattr(generous, name)), escape(said[name])]
        for name in Limits._fields
    ]
    return "\n".join(
        [
            NOTICE,
            "# Limits\n",
            "The limits of one run. Every field has a limit, which cannot be switched off. A run that reaches a",
            "limit ends with a non-zero exit status, and `Result.limit` names the field.\n",
            table(["field", "default", "`Limits.generous()`", "what it limits"], rows),
        ]
    )


def number(value: float) -> str:
    if isinstance(value, int) and value >= 1 << 20 and value % (1 << 20) == 0:
        return f"{value >> 20:,} Mi"
    return f"{value:,}"


def comments(module: Any, name: str) -> dict[str, str]:
    """Return the ``#:`` comments of a class's fields."""
    source = inspect.getsource(module)
    lines = source.splitlines()
    found = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef) and node.name == name:
            for statement in node.body:
                if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                    found[statement.target.id] = lines[statement.lineno - 1].partition("#:")[2].strip()
    return found


# --------------------------------------------------------------------------- cli.md


def cli_page() -> str:
    """Describe every sub-command by its argument parser."""
    parts = [NOTICE, "# Command line\n", "```text", cli.usage().rstrip(), "```\n"]
    for name, command in cli.COMMANDS.items():
        parser: ArgparseParser = import_module(command.module).parser().whole()
        parts += [f"## sandhook {name}\n", "```text", f"sandhook {name} {usage_of(parser)}", "```\n"]
        parts += [parser.whole_description().strip() + "\n", options_of(parser)]
        parts += [f"Example: `{command.example}`\n"]
    return "\n".join(parts)


def usage_of(parser: argparse.ArgumentParser) -> str:
    return re.sub(r"^sandhook \w+ ", "", (parser.usage or "").strip())


def options_of(parser: argparse.ArgumentParser) -> str:
    rows = []
    for action in parser._actions:
        if isinstance(action, argparse._HelpAction):
            continue
        value = action.metavar or (
            "|".join(map(str, action.choices)) if action.choices else action.dest.upper()
        )
        if not action.option_strings:
            name = f"`{value}`"
        elif action.nargs == 0:
            name = ", ".join(f"`{flag}`" for flag in action.option_strings)
        else:
            name = ", ".join(f"`{flag} {value}`" for flag in action.option_strings)
        text = (action.help or "") % {"default": action.default, "prog": parser.prog}
        rows.append([name.replace("|", "\\|"), escape(text)])
    return table(["argument", "meaning"], rows)


# --------------------------------------------------------------------------- statuses.md


def statuses_page() -> str:
    """Describe the exit statuses of all commands."""
    from sandhook.cli.statuses import CONVENTION, OF_THE_PROGRAM, STATUSES

    numbers = list(CONVENTION)
    rows = []
    for name, (meanings, others) in STATUSES.items():
        cells = [escape(meanings.get(number, "")) for number in numbers]
        own = [f"{number}: {text}." for number, text in meanings.items() if number not in CONVENTION]
        rows.append([f"`{name}`", *cells, escape(" ".join([*own, others]).strip())])
    every = [[str(number), escape(text)] for number, text in {**CONVENTION, **OF_THE_PROGRAM}.items()]
    return "\n".join(
        [
            NOTICE,
            "# Exit statuses\n",
            "One convention holds for all commands. [Why](../decisions/0032-exit-statuses.md)\n",
            table(["status", "meaning"], every),
            "Three commands have the status of what they run: `exec`, `hook` and `mcp-proxy`. Two are decisions for an",
            "agent, which reads 2 as a refusal. `sandhook hook` and `fire --as-hook` refuse after a usage error: a guard",
            "with a misspelt option would otherwise let everything pass. `sandhook fire` for people has 2 for a refusal,",
            "too. It has 1 for a usage error, so that a test which expects a refusal does not pass because of one. Whoever",
            "acts on its status lets an action proceed with 0 alone.\n",
            table(["command", *map(str, numbers), "others"], rows),
        ]
    )


# --------------------------------------------------------------------------- checks.md


def checks() -> str:
    """List the findings of `sandhook check`."""
    from sandhook.hooks.checks import RULES, SEVERITIES

    parts = [
        NOTICE,
        "# Checks\n",
        "The findings of `sandhook check`. It runs nothing: scripts are parsed, and the rules of the agent give",
        "the meaning of output and exit statuses. An identifier is never reused.\n",
    ]
    rules = [(name, rule.severity, rule.what, rule.advice) for name, rule in RULES.items()]
    header = ["identifier", "what is wrong", "what to do"]
    return "\n".join(
        [*parts, *by_severity(rules, [(each, f"{each.capitalize()}s") for each in SEVERITIES], header)]
    )


def by_severity(
    rules: Iterable[tuple[str, str, str, str]], sections: Iterable[tuple[str, str]], header: list[str]
) -> Iterator[str]:
    """Yield a section with a table for each severity.

    Args:
        rules: Identifier, severity, and two texts.
        sections: Severities with their headings.
    """
    known = list(rules)
    for severity, heading in sections:
        rows = [[f"`{name}`", escape(one), escape(two)] for name, own, one, two in known if own == severity]
        yield f"## {heading}\n"
        yield table(header, rows)


# --------------------------------------------------------------------------- output.md


def output() -> str:
    """Describe the JSON of every command by its schema."""
    from sandhook.cli.output import OUTPUT_VERSION
    from sandhook.cli.outputs import OUTPUTS, output_schema

    parts = [
        NOTICE,
        "# Output as JSON\n",
        f"What commands print with `--format json`, version {OUTPUT_VERSION}. `sandhook schema --output COMMAND` prints the",
        "JSON Schema of a command. The version grows when a field changes or goes. A new field does not change it:",
        "ignore fields that you do not know. A field in parentheses may be absent.\n",
        "Standard output has one object; that of `watch` has one on a line for each run. A usage error is text on standard",
        "error, and standard output is empty then. [Exit statuses](statuses.md) are those of the text.\n",
    ]
    for command in OUTPUTS:
        schema = output_schema(command)
        parts += [f"## sandhook {command}\n", f"`$id`: `{schema['$id']}`\n", fields_of(schema)]
        definitions: Any = schema.get("$defs", {})
        for name, definition in definitions.items():
            parts += [f"### {name} of {command}\n", fields_of(definition)]
    return "\n".join(parts)


def fields_of(schema: Any) -> str:
    required = schema["required"]
    rows = [
        [
            f"`{name}`" if name in required else f"(`{name}`)",
            escape(type_words(field)),
            escape(field["description"]),
        ]
        for name, field in schema["properties"].items()
    ]
    return table(["field", "type", "meaning"], rows)


def type_words(schema: Any) -> str:
    """Return the words for the type of a field."""
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        words = ["null" if word is None else f"`{word}`" if word else "empty" for word in schema["enum"]]
        return ", ".join(words) if len(words) < 12 else "text"
    if "$ref" in schema:
        return schema["$ref"].rpartition("/")[2]
    if "anyOf" in schema:
        return " or ".join(type_words(each) for each in schema["anyOf"])
    kinds = schema.get("type", "anything")
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds == ["array"]:
        return f"list of {type_words(schema['items'])}"
    names = {"string": "text", "boolean": "true or false", "integer": "number", "object": "object"}
    return " or ".join(names.get(kind, kind) for kind in kinds)


# --------------------------------------------------------------------------- vet.md


def vet_page() -> str:
    """List the findings of `sandhook vet`."""
    from sandhook.vetting import RULES, SEVERITIES

    parts = [
        NOTICE,
        "# Findings of a vetting\n",
        "The findings of `sandhook vet`, by their usual severity; a value may raise or lower it. [Vet a",
        "bundle](../howto/vet-a-bundle.md) shows the command. An identifier is never reused.\n",
    ]
    rules = [(name, rule.severity, rule.what, rule.why) for name, rule in RULES.items()]
    header = ["identifier", "what the hook does", "why it matters"]
    return "\n".join(
        [*parts, *by_severity(rules, [(each, each.capitalize()) for each in SEVERITIES], header)]
    )


#: Generated pages: file name to what makes its text.
PAGES: dict[str, Callable[[], str]] = {
    "api.md": lambda: f"{NOTICE}\n{api.page()}",
    "checks.md": checks,
    "cli.md": cli_page,
    "statuses.md": statuses_page,
    "commands.md": commands,
    "contracts.md": contracts,
    "limits.md": limits_page,
    "output.md": output,
    "vet.md": vet_page,
}


def main() -> int:
    DIRECTORY.mkdir(exist_ok=True)
    for name, make in PAGES.items():
        path = DIRECTORY / name
        text = make()
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            print(f"wrote {path.relative_to(DIRECTORY.parents[1])}")
    manual.DIRECTORY.mkdir(exist_ok=True)
    pages = manual.pages()
    for name, text in pages.items():
        (manual.DIRECTORY / name).write_text(text, encoding="utf-8", newline="\n")
    for path in manual.DIRECTORY.iterdir():
        if path.name not in pages:
            path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
