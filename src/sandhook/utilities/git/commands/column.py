"""git column: arrange the lines of standard input in columns.

Source: git-column(1).
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.options import opt, option_set
from sandhook.text.numbers import is_number
from sandhook.utilities.git.arguments import Parser, count
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.names.columns import Layout, Measures, arranged, parse_layout
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.access import decode, encode

_MOST = 100_000


@option_set
class Options:
    """Options of git column."""

    command: str | None = opt("--command", "NAME", "")
    mode: str | None = opt("--mode", "MODE", "", optional=True, const="")
    raw_mode: int | None = opt("--raw-mode", "N", "", convert=count)
    width: int = opt("--width", "N", "", convert=count, default=0)
    indent: str = opt("--indent", "TEXT", "", default="")
    end: str = opt("--nl", "TEXT", "", default="\n")
    padding: int = opt("--padding", "N", "", convert=count, default=1)


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Print the lines; return 0."""
    parsed = Parser(Options).parse(arguments)
    options = parsed.of(Options)
    if options.padding < 0:
        raise GitError("--padding must be non-negative")
    repository = call.find_repository()
    config = repository.config if repository is not None else None
    setting = (config.get("column.ui") or "") if config is not None else ""
    own = config.get(f"column.{options.command}") if config is not None and options.command else None
    layout = Layout()
    if options.mode is not None:
        layout = parse_layout(options.mode)
    elif own or setting:
        layout = parse_layout(f"{setting},{own or ''}", "never")
    with call.ctx.stdin_reader() as reader:
        text = decode(reader.read_all())
    call.access.charge(1 + (len(text) >> 4))
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    columns = call.options.environment.get("COLUMNS", "")
    usual = int(columns) - 1 if is_number(columns) and 0 < len(columns) < 6 else 79
    width = options.width if 0 < options.width < _MOST else usual
    measures = Measures(width, options.indent, options.end, min(options.padding, _MOST))
    for line in arranged(lines, layout, measures, call.access.charge):
        call.ctx.write(encode(line))
    return 0
