"""``sandhook convert``: write the hooks of one agent in the format of another, and list what is lost."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from sandhook.cli.arguments import Parser
from sandhook.cli.configuration import guarded
from sandhook.cli.notes import print_note
from sandhook.cli.output import put_json
from sandhook.errors import ConfigError
from sandhook.hooks import contracts
from sandhook.hooks.engine import HookEngine
from sandhook.hooks.sources import documents

if TYPE_CHECKING:
    import argparse

    from sandhook.hooks.contracts import Contract

#: Exit status with --strict when something is lost.
LOST = 2


def parser() -> Parser:
    result = Parser(
        "convert",
        "--from CONTRACT --to CONTRACT FILE... [OPTION]...",
        "Write the hooks of one agent in the format of another, on standard output: as JSON (which is\n"
        "also YAML), or as TOML for agents that read only TOML. Standard error lists what is lost, a\n"
        "line each. The scripts stay as they are.\n\n"
        "Exit status: 0 converted, 2 something is lost (with --strict), 1 usage or configuration error.",
    )
    add = result.add_argument
    add("--from", dest="source", metavar="CONTRACT", help="the agent to read (default: recognised from FILE)")
    add("--to", dest="target", required=True, metavar="CONTRACT", help="the agent to write for")
    add("files", nargs="+", metavar="FILE", help="a configuration; several are layers, weakest first")
    add("--strict", action="store_true", help="exit status 2 when something is lost")
    return result


def run(arguments: list[str]) -> int:
    """Run the command and return its exit status."""
    return guarded(lambda: _convert(parser().parse_args(arguments)))


def _convert(options: argparse.Namespace) -> int:
    env = dict(os.environ)
    target = contracts.get(options.target)
    source = contracts.get(options.source) if options.source else None
    source_documents = documents(options.files, source, env)
    if source is None:
        source = contracts.recognise(source_documents)
        source_documents = [contracts.understand(document, env)[1] for document in source_documents]
    engine = HookEngine.load(source_documents, source, env=env, prestart=False)
    if engine.problems:
        raise ConfigError(list(engine.problems))
    value, lost = target.render(engine.hooks)
    if _reads_toml(target) and isinstance(value, dict):
        from sandhook.formats.toml_text import encode_toml

        sys.stdout.write(encode_toml(value))
    else:
        put_json(value)
    notes = [*lost, *(f"{hook.spec.id}: left out: {hook.why}" for hook in engine.withheld)]
    for note in notes:
        print_note(f"lost: {note}")
    if engine.hooks and source.name != target.name:
        print_note(_bridge(source, target))
    return LOST if notes and options.strict else 0


def _reads_toml(contract: Contract) -> bool:
    """Return True if all files of an agent are TOML."""
    names = [layer.path for layer in contract.layers("/", {}, "linux")]
    return bool(names) and all(name.endswith(".toml") for name in names)


def _bridge(source: Contract, target: Contract) -> str:
    return (
        f"note: the scripts still read the payload of {source.name} and answer in its words; "
        f"`sandhook fire --as-hook {target.name} --hooks FILE` runs them as they are"
    )
