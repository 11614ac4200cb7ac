"""git notes: print the notes of objects, and change them.

Source: git-notes(1); git 2.39, builtin/notes.c.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.options import opt, option_set
from sandhook.utilities.git.arguments import Parser
from sandhook.utilities.git.commands.writers.notes import CHANGES, run_change
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.history.notes import NotesTree, default_ref, full_name
from sandhook.utilities.git.program import Invocation


@option_set
class Options:
    """Options of git notes before the subcommand."""

    ref: str | None = opt("--ref", "REF", "")


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Return 0; 1 for an object without a note."""
    parsed = Parser(Options, stop=True).parse(arguments)
    words = [*parsed.operands, *(parsed.paths or ())]
    command, rest = (words[0], words[1:]) if words else ("list", [])
    repository, chosen = call.repository, parsed.of(Options).ref
    ref = default_ref(repository) if chosen is None else full_name(chosen)
    if command == "merge":
        raise GitError("'notes merge' is not offered in the sandbox (L-GIT-001)", prefix="git", status=1)
    if command in CHANGES:
        return run_change(call, command, ref, rest)
    if command not in ("list", "show", "get-ref"):
        raise GitError(f"unknown subcommand: `{command}'", prefix="error", status=129)
    rest = [word for word in rest if word != "--"]
    if any(word.startswith("-") for word in rest):
        name = next(word for word in rest if word.startswith("-")).lstrip("-")
        raise GitError(f"unknown option `{name}'", prefix="error", status=129)
    most = 0 if command == "get-ref" else 1
    if len(rest) > most:
        raise GitError("too many arguments", prefix="error", status=129)
    if command == "get-ref":
        call.ctx.write_line(ref)
        return 0
    if not ref.startswith("refs/notes/"):
        raise GitError(f"refusing to {command} notes in {ref} (outside of refs/notes/)")
    tree = NotesTree(repository, ref)
    if command == "list" and not rest:
        for note, oid in tree.all():
            call.ctx.write_line(f"{note} {oid}")
        return 0
    name = rest[0] if rest else "HEAD"
    found = Names(repository).find(name)
    if found is None:
        raise GitError(f"failed to resolve '{name}' as a valid ref.")
    blob = tree.blob_of(found)
    if blob is None:
        raise GitError(f"no note found for object {found}.", prefix="error", status=1)
    if command == "list":
        call.ctx.write_line(blob)
    else:
        call.ctx.write(repository.objects.get(blob).data)
    return 0
