"""git reflog: what a reference pointed to.

Source: git-reflog(1); git 2.39, builtin/reflog.c.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.options import also, opt, option_set
from sandhook.utilities.git.arguments import Parser, count
from sandhook.utilities.git.diff.model import NULL_ID
from sandhook.utilities.git.errors import GitError, RevisionError
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.program import Invocation

_OTHER = frozenset(("expire", "delete"))


@option_set
class Options:
    """Options of git reflog show."""

    limit: int | None = also(opt("-n", "N", "", convert=count), opt("--max-count", "N", "", convert=count))
    abbrev: int | None = also(
        opt("--abbrev", "N", "", convert=count, optional=True), opt("--no-abbrev", const=40)
    )


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Return 0; 1 if ``exists`` finds no reflog."""
    words = list(arguments)
    command = words.pop(0) if words and words[0] in ("show", "exists", *_OTHER) else "show"
    repository = call.repository
    if command in _OTHER:
        raise GitError(f"reflog {command} is not offered in the sandbox (L-GIT-001)", status=129)
    parsed = Parser(Options).parse(
        [f"-n{word[1:]}" if word[:1] == "-" and word[1:].isdigit() else word for word in words]
    )
    options = parsed.of(Options)
    if command == "exists":
        return (
            0
            if parsed.operands and repository.access.is_file(repository.refs.log_path(parsed.operands[0]))
            else 1
        )
    name = parsed.operands[0] if parsed.operands else "HEAD"
    name = "HEAD" if name == "@" else name
    names = Names(repository)
    full = "HEAD" if name == "HEAD" else names.full_ref(name)
    if full is None and names.find(name) is not None:
        return 0  # an object without a name has no reflog
    if full is None:
        raise RevisionError(
            f"ambiguous argument '{name}': unknown revision or path not in the working tree.\n"
            "Use '--' to separate paths from revisions, like this:\n"
            "'git <command> [<revision>...] -- [<file>...]'"
        )
    entries = [
        (index, entry) for index, entry in enumerate(repository.refs.log(full)[::-1]) if entry.new != NULL_ID
    ]
    for index, entry in entries[: options.limit]:
        short = names.abbreviate(entry.new, options.abbrev or None)
        call.ctx.write_line(f"{short} {name}@{{{index}}}: {entry.message}")
    return 0
