"""git mktree: write a tree from lines such as those of ls-tree.

Source: git-mktree(1); git 2.39, builtin/mktree.c.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.options import opt, option_set
from sandhook.lazy import lazily
from sandhook.utilities.git.arguments import Parser
from sandhook.utilities.git.commands.batches import input_lines
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.names.quote import unquote
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.access import encode
from sandhook.utilities.git.store.objects import GITLINK, TREE
from sandhook.utilities.git.store.writing import write_object

_LINE = lazily(r"([0-7]{1,6}) ([a-z]{1,9}) ([0-9a-f]{40})(?: +[0-9-]{1,20})?\t(.*)")


@option_set
class Options:
    """Options of git mktree."""

    nul: bool = opt("-z")
    missing: bool = opt("--missing")
    batch: bool = opt("--batch")


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Print the name of the tree, or of each tree with --batch; return 0."""
    options = Parser(Options).parse(arguments).of(Options)
    rows: list[tuple[bytes, bytes]] = []
    filled = False
    for line in input_lines(call, nul=options.nul):
        call.access.charge(1)
        call.ctx.budget.charge_memory(len(line) + 200)
        if line:
            rows.append(_row(call, options, line))
            filled = True
        elif options.batch:
            _write(call, rows)
            rows, filled = [], False
        elif not options.nul:
            raise GitError("input format error: (blank line only valid in batch mode)")
    if filled or not options.batch:
        _write(call, rows)
    return 0


def _row(call: Invocation, options: Options, line: str) -> tuple[bytes, bytes]:
    """Return an entry of a tree, after the name that it is sorted by."""
    found = _LINE.fullmatch(line)
    if found is None:
        raise GitError(f"input format error: {line}")
    mode, kind, oid, name = int(found[1], 8), found[2], found[3], found[4]
    name = unquote(name) if name.startswith('"') and not options.nul else name
    if "/" in name:
        raise GitError(f"path {name} contains slash")
    expected = "tree" if mode == TREE else "commit" if mode == GITLINK else "blob"
    if kind != expected:
        raise GitError(f"entry '{name}' object type ({kind}) doesn't match mode type ({expected})")
    known = None if mode == GITLINK else call.repository.objects.find(oid)
    if known is None and mode != GITLINK and not options.missing:
        raise GitError(f"entry '{name}' object {oid} is unavailable")
    if known is not None and known.kind != kind:
        raise GitError(f"entry '{name}' object {oid} is a {known.kind} but specified type was ({kind})")
    shown = encode(name)
    row = f"{mode:o} ".encode() + shown + b"\0" + bytes.fromhex(oid)
    return shown + (b"/" if mode == TREE else b""), row


def _write(call: Invocation, rows: list[tuple[bytes, bytes]]) -> None:
    data = b"".join(row for _, row in sorted(rows))
    call.ctx.write_line(write_object(call.repository.objects, "tree", data))
