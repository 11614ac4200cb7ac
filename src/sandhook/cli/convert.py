"""``sandhook convert``: write the hooks of one agent in the format of another, and list what is lost."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from sandhook.cli import FINDINGS, UsageError
from sandhook.cli.arguments import Parser, add_format
from sandhook.cli.configuration import guarded
from sandhook.cli.output import json_text, put_record
from sandhook.cli.remarks import Remarks
from sandhook.errors import ConfigError
from sandhook.hooks import contracts
from sandhook.hooks.contracts import Contract
from sandhook.hooks.conversion import Conversion, as_written, convert
from sandhook.hooks.engine import HookEngine
from sandhook.hooks.event import Json
from sandhook.hooks.model import HookSpec
from sandhook.hooks.sources import documents
from sandhook.record import Record

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

#: Exit status when something would be lost.
LOST = FINDINGS


def parser() -> Parser:
    result = Parser(
        "convert",
        "--from CONTRACT --to CONTRACT FILE... [OPTION]...",
        "Write the hooks of one agent in the format of another, on standard output: as JSON (which is\n"
        "also YAML), or as TOML for agents that read only TOML. Tools and variables with directories get\n"
        "the other agent's names. Standard error lists what it cannot express, a line each; nothing is\n"
        "written then, except with --lossy. The scripts stay as they are.",
    )
    add = result.add_argument
    add("--from", dest="source", metavar="CONTRACT", help="the agent to read (default: recognised from FILE)")
    add("--to", dest="target", required=True, metavar="CONTRACT", help="the agent to write for")
    add("files", nargs="+", metavar="FILE", help="a configuration; several are layers, weakest first")
    add("--lossy", action="store_true", help="write the hooks although something is lost")
    add_format(result)
    return result


def run(arguments: list[str]) -> int:
    """Run the command and return its exit status."""
    return guarded(lambda: _convert(parser().parse_args(arguments)))


class SourceHooks(Record):
    """The hooks of files that are converted.

    Attributes:
        contract: Their contract.
        specs: The hooks that run.
        withheld: A line for each hook that is switched off.
    """

    contract: Contract
    specs: tuple[HookSpec, ...]
    withheld: tuple[str, ...]

    def convert(self, target: Contract) -> Conversion:
        """Return the hooks in the format of another agent, as its file has them."""
        conversion = convert(self.specs, self.contract, target)
        value = as_written(conversion.value, target)
        return conversion._replace(value=value, lost=(*conversion.lost, *self.withheld))


def source_hooks(files: Sequence[str], contract: str | None) -> SourceHooks:
    """Return the hooks of files; their contract is recognised for None.

    Raises:
        ConfigError: A hook has a fault.
    """
    env = dict(os.environ)
    source = contracts.get(contract) if contract else None
    source_documents = documents(list(files), source, env)
    if source is None:
        source = contracts.recognise(source_documents)
        source_documents = [contracts.understand(document, env)[1] for document in source_documents]
    engine = HookEngine.load(source_documents, source, env=env, prestart=False)
    if engine.problems:
        raise ConfigError(list(engine.problems))
    withheld = tuple(f"{hook.spec.id}: left out: {hook.why}" for hook in engine.withheld)
    return SourceHooks(source, tuple(engine.hooks), withheld)


def _convert(options: argparse.Namespace) -> int:
    target = contracts.get(options.target)
    if not target.has_configuration:
        raise UsageError(
            f"{target.name}: this agent reads no configuration that could be written: its hooks are files, see the page of its contract"
        )
    hooks = source_hooks(options.files, options.source)
    conversion = hooks.convert(target)
    remarks = Remarks(is_json=options.layout == "json")
    for line in conversion.lost:
        remarks.lose(line)
    text = None
    if remarks.lost and not options.lossy:
        remarks.add(
            f"nothing is written: {len(remarks.lost)} thing(s) would be lost; --lossy writes the rest"
        )
    else:
        text = _text(conversion.value, target)
        if not remarks.is_json:
            sys.stdout.write(text)
        for note in conversion.notes:
            remarks.note(note)
        if hooks.specs and hooks.contract.name != target.name:
            remarks.note(_bridge(hooks.contract, target))
    if remarks.is_json:
        put_record(
            "convert",
            source=hooks.contract.name,
            target=target.name,
            configuration=None if text is None else conversion.value,
            text=text,
            lost=remarks.lost,
            notes=remarks.notes,
        )
    return 0 if text is not None else LOST


def _text(value: Json, target: Contract) -> str:
    """Return the text of a file for an agent, in ASCII if it is JSON."""
    if _reads_toml(target) and isinstance(value, dict):
        from sandhook.formats.toml_text import encode_toml

        return encode_toml(value)
    return json_text(value) + "\n"


def _reads_toml(contract: Contract) -> bool:
    """Return True if all files of an agent are TOML."""
    names = [layer.path for layer in contract.layers("/", {}, "linux")]
    return bool(names) and all(name.endswith(".toml") for name in names)


def _bridge(source: Contract, target: Contract) -> str:
    return (
        f"the scripts still read the payload of {source.name} and answer in its words; "
        f"`sandhook fire --as-hook {target.name} --hooks FILE` runs them as they are"
    )
