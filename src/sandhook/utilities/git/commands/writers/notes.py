"""git notes add, append, edit, copy, remove and prune: change the notes of objects.

Source: git-notes(1); git 2.39, builtin/notes.c and notes.c.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from sandhook.command.options import also, opt, option_set
from sandhook.utilities.git.arguments import Parser
from sandhook.utilities.git.commands.batches import input_lines
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.identity import person_of
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.history.notes import NotesTree
from sandhook.utilities.git.history.writing_messages import cleaned
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.access import decode, encode
from sandhook.utilities.git.store.commit_writing import write_commit
from sandhook.utilities.git.store.index import IndexEntry
from sandhook.utilities.git.store.index_writing import write_tree
from sandhook.utilities.git.store.objects import TREE
from sandhook.utilities.git.store.ref_writing import write_ref
from sandhook.utilities.git.store.refs import is_valid_name
from sandhook.utilities.git.store.writing import write_object
from sandhook.vfs.path import VirtualPath, join

CHANGES = ("add", "append", "copy", "edit", "prune", "remove")

_FILE = 0o100644
_DIGITS = 16
_NOTE_BYTES = 400  #: what a note takes in memory, roughly


@option_set
class TextOptions:
    """Options of git notes add, append and edit."""

    sources: tuple[tuple[str, str], ...] = also(
        opt("-m", "TEXT", "", append=True, convert=lambda text: ("-m", text)),
        opt("--message", "TEXT", "", append=True, convert=lambda text: ("-m", text)),
        opt("-F", "FILE", "", append=True, convert=lambda text: ("-F", text)),
        opt("--file", "FILE", "", append=True, convert=lambda text: ("-F", text)),
        opt("-C", "OBJECT", "", append=True, convert=lambda text: ("-C", text)),
        opt("--reuse-message", "OBJECT", "", append=True, convert=lambda text: ("-C", text)),
        opt("-c", "OBJECT", "", append=True, convert=lambda text: ("-c", text)),
        opt("--reedit-message", "OBJECT", "", append=True, convert=lambda text: ("-c", text)),
    )
    empty: bool = opt("--allow-empty")


@option_set
class ForceOptions:
    """Options of git notes add and copy."""

    force: bool = also(opt("-f"), opt("--force"))


@option_set
class CopyOptions:
    """Options of git notes copy."""

    stdin: bool = opt("--stdin")
    rewrite: str | None = opt("--for-rewrite", "COMMAND", "")


@option_set
class RemoveOptions:
    """Options of git notes remove."""

    missing: bool = opt("--ignore-missing")
    stdin: bool = opt("--stdin")


@option_set
class PruneOptions:
    """Options of git notes prune."""

    dry_run: bool = also(opt("-n"), opt("--dry-run"))
    verbose: bool = also(opt("-v"), opt("--verbose"))


def run_change(call: Invocation, command: str, ref: str, words: Sequence[str]) -> int:
    """Change the notes of a reference; return 0, and 1 for a note that exists or is missing."""
    call.check_may_write()
    changing = _Changing(call, command, ref)
    if command == "copy":
        return changing.copy(words)
    if command == "remove":
        return changing.remove(words)
    return changing.prune(words) if command == "prune" else changing.write(words)


class _Changing:
    """One change of the notes of a reference."""

    def __init__(self, call: Invocation, command: str, ref: str) -> None:
        self.call = call
        self.command = command
        self.repository = call.repository
        if not ref.startswith("refs/notes/"):
            raise GitError(f"refusing to {command} notes in {ref} (outside of refs/notes/)")
        self._ref = ref
        self._names = Names(self.repository)
        tree = NotesTree(self.repository, ref)
        self._notes: dict[str, str] = {}
        for note, oid in tree.all():
            self.repository.ctx.budget.charge_memory(_NOTE_BYTES)
            self._notes[oid] = note
        self._others = list(tree.others())
        self._before = dict(self._notes)

    def _object(self, name: str) -> str:
        found = self._names.find(name)
        if found is None:
            raise GitError(f"failed to resolve '{name}' as a valid ref.")
        return found

    def _one(self, parsed_words: Sequence[str]) -> str:
        if len(parsed_words) > 1:
            raise GitError("too many arguments", prefix="error", status=129)
        return self._object(parsed_words[0] if parsed_words else "HEAD")

    # ------------------------------------------------------------------ commands

    def write(self, words: Sequence[str]) -> int:
        """Add a note, or append to one."""
        classes = (TextOptions, ForceOptions) if self.command == "add" else (TextOptions,)
        parsed = Parser(*classes).parse(words)
        options = parsed.of(TextOptions)
        oid = self._one([*parsed.operands, *(parsed.paths or ())])
        if self.command == "edit" and options.sources:
            self.call.error(
                "The -m/-F/-c/-C options have been deprecated for the 'edit' subcommand.\n"
                "Please use 'git notes add -f -m/-F/-c/-C' instead."
            )
        old = self._notes.get(oid)
        force = self.command == "add" and parsed.of(ForceOptions).force
        if self.command == "add" and old is not None and options.sources and not force:
            self._exists("add", oid)
            return 1
        data = self._text(options.sources)
        if old is not None and force:
            self.call.error(f"Overwriting existing notes for object {oid}")
        if self.command == "append" and old is not None:
            before = decode(self.repository.objects.get(old).data)
            data = before + ("\n" if before and data else "") + data
        if data or options.empty:
            self._notes[oid] = write_object(self.repository.objects, "blob", encode(data))
            self._commit(f"Notes added by 'git notes {self.command}'")
            return 0
        self.call.error(f"Removing note for object {oid}")
        self._notes.pop(oid, None)
        self._commit(f"Notes removed by 'git notes {self.command}'")
        return 0

    def _exists(self, verb: str, oid: str) -> None:
        self.call.error(
            f"error: Cannot {verb} notes. Found existing notes for object {oid}. "
            "Use '-f' to overwrite existing notes"
        )

    def _text(self, sources: Sequence[tuple[str, str]]) -> str:
        """Return the text of the options, in their order. Raises GitError without one, which needs an editor."""
        if not sources or any(kind == "-c" for kind, _ in sources):
            raise GitError(
                f"notes {self.command} needs an editor, which git in the sandbox never starts: use -m, -F or -C (L-GIT-002)",
                prefix="error",
                status=1,
            )
        text = ""
        for kind, value in sources:
            text += "\n" * bool(text)
            if kind == "-C":
                text += self._blob(value)
            else:
                text = cleaned(text + (value if kind == "-m" else self._file(value)), "whitespace")
        return text

    def _blob(self, name: str) -> str:
        found = self.repository.objects.get(self._object(name))
        if found.kind != "blob":
            raise GitError(f"cannot read note data from non-blob object '{name}'.")
        return decode(found.data)

    def _file(self, name: str) -> str:
        path = name if name == "-" else join(VirtualPath(self.call.options.cwd), name)
        try:
            with self.call.ctx.open(path) as reader:
                return decode(reader.read_all())
        except OSError as error:
            raise GitError(f"could not open or read '{name}': {error.strerror}") from None

    def copy(self, words: Sequence[str]) -> int:
        """Copy notes from one object to another."""
        parsed = Parser(CopyOptions, ForceOptions).parse(words)
        options, operands = parsed.of(CopyOptions), [*parsed.operands, *(parsed.paths or ())]
        if options.rewrite is not None:
            raise GitError("notes copy --for-rewrite is not offered in the sandbox (L-GIT-003)", status=129)
        if options.stdin:
            if operands:
                raise GitError("too many arguments", prefix="error", status=129)
            return self._copy_pairs(force=parsed.of(ForceOptions).force)
        if not operands or len(operands) > 2:
            raise GitError(f"too {'many' if operands else 'few'} arguments", prefix="error", status=129)
        source, target = self._object(operands[0]), self._object(operands[1] if operands[1:] else "HEAD")
        if target in self._notes:
            if not parsed.of(ForceOptions).force:
                self._exists("copy", target)
                return 1
            self.call.error(f"Overwriting existing notes for object {target}")
        if source not in self._notes:
            self.call.error(f"error: missing notes on source object {source}. Cannot copy.")
            return 1
        self._notes[target] = self._notes[source]
        self._commit("Notes added by 'git notes copy'")
        return 0

    def _copy_pairs(self, *, force: bool) -> int:
        status = 0
        for line in input_lines(self.call):
            source, _, target = line.partition(" ")
            if not target:
                raise GitError(f"malformed input line: '{line}'.")
            from_oid, to_oid = self._object(source), self._object(target.strip())
            if to_oid in self._notes and not force:
                self.call.error(f"error: failed to copy notes from '{source}' to '{target.strip()}'")
                status = 1
            elif from_oid in self._notes:
                self._notes[to_oid] = self._notes[from_oid]
            else:
                self._notes.pop(to_oid, None)
        self._commit("Notes added by 'git notes copy'")
        return status

    def remove(self, words: Sequence[str]) -> int:
        """Remove the notes of objects."""
        parsed = Parser(RemoveOptions).parse(words)
        options, names = parsed.of(RemoveOptions), [*parsed.operands, *(parsed.paths or ())]
        if options.stdin:
            names += [line.rstrip() for line in input_lines(self.call)]
        status = 0
        for name in names or ([] if options.stdin else ["HEAD"]):
            oid = self._names.find(name)
            if oid is None:
                self.call.error(f"error: Failed to resolve '{name}' as a valid ref.")
                status = 1
            elif self._notes.pop(oid, None) is None:
                self.call.error(f"Object {name} has no note")
                status |= not options.missing
            else:
                self.call.error(f"Removing note for object {name}")
        if not status:
            self._commit("Notes removed by 'git notes remove'")
        return status

    def prune(self, words: Sequence[str]) -> int:
        """Remove the notes of objects that do not exist."""
        parsed = Parser(PruneOptions).parse(words)
        options = parsed.of(PruneOptions)
        if parsed.operands or parsed.paths:
            raise GitError("too many arguments", prefix="error", status=129)
        for oid in [each for each in self._notes if not self.repository.objects.has(each)]:
            if options.verbose or options.dry_run:
                self.call.ctx.write_line(oid)
            del self._notes[oid]
        if not options.dry_run:
            self._commit("Notes removed by 'git notes prune'")
        return 0

    # ------------------------------------------------------------------ result

    def _commit(self, message: str) -> None:
        """Write a commit with the notes, unless they are as before."""
        if self._notes == self._before:
            return
        repository, ref = self.repository, self._ref
        if not is_valid_name(ref):
            raise GitError(f"update_ref failed for ref '{ref}': refusing to update ref with bad name '{ref}'")
        paths = [(path, _FILE, self._notes[path.replace("/", "")]) for path in _paths(sorted(self._notes))]
        rows = sorted([*paths, *self._others], key=lambda row: encode(row[0] + "/" * (row[1] == TREE)))
        entries = [IndexEntry(path, mode, oid, 0, (0,) * 9) for path, mode, oid in rows]
        tree = write_tree(repository, entries, missing_ok=True)
        author, committer = (
            person_of(self.call.ctx, repository.config, role).text() for role in ("AUTHOR", "COMMITTER")
        )
        old = repository.refs.resolve(ref)
        parents = [] if old is None else [old]
        commit = write_commit(repository, tree, parents, (author, committer), f"{message}\n")
        write_ref(repository, ref, commit, committer, f"notes: {message}")


def _paths(oids: Sequence[str], depth: int = 0, levels: int = 0) -> Iterator[str]:
    """Yield where the notes of sorted objects are.

    Directories of two digits are added where all digits begin the names of several objects.

    Args:
        depth: How many digits the objects share.
        levels: How many levels of directories the notes above have.
    """
    groups = [list(group) for _, group in groupby(oids, key=lambda oid: oid[depth])]
    if depth == 2 * levels and len(groups) == _DIGITS and all(len(group) > 1 for group in groups):
        levels += 1
    for group in groups:
        if len(group) > 1:
            yield from _paths(group, depth + 1, levels)
        else:
            parts = [group[0][2 * level : 2 * level + 2] for level in range(levels)]
            yield "/".join([*parts, group[0][2 * levels :]])
