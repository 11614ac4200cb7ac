"""Completes a list of pairs (renames, filters), and prints it in the forms that the options ask for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

from sandhook.limits import check_fits
from sandhook.utilities.git.diff.appearance import Appearance
from sandhook.utilities.git.diff.check import check_pair
from sandhook.utilities.git.diff.dirstat import dirstat, parse_dirstat
from sandhook.utilities.git.diff.hunk_extents import kept_groups
from sandhook.utilities.git.diff.ignoring import ignored_lines, is_ignored
from sandhook.utilities.git.diff.model import (
    MOST_SCORE,
    NULL_ID,
    Pair,
    Side,
    raw_id,
    reversed_pair,
    side_below,
)
from sandhook.utilities.git.diff.moved import MovedLines
from sandhook.utilities.git.diff.options import DiffOptions, chosen_forms, refused
from sandhook.utilities.git.diff.patch import Files, Style, is_binary, normalizer, patch, prefixed
from sandhook.utilities.git.diff.renames import damage, find_renames
from sandhook.utilities.git.diff.selecting import Pickaxe, filtered, ordered, rotated
from sandhook.utilities.git.diff.settings import (
    check_forms,
    check_words,
    chosen_algorithm,
    chosen_prefixes,
    read_marks,
    shows_submodule_log,
)
from sandhook.utilities.git.diff.stat import (
    Counts,
    Widths,
    chosen_widths,
    numstat,
    stat,
    summary,
    total_line,
)
from sandhook.utilities.git.diff.xdiff import compare, split_lines
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.names.quote import quote
from sandhook.utilities.git.store.access import encode
from sandhook.utilities.git.store.objects import GITLINK, object_id
from sandhook.utilities.git.store.repository import Repository
from sandhook.utilities.git.work.submodules import IgnoredChanges
from sandhook.utilities.git.work.tree import WorkTree

_CONTEXT = 3


class DiffOutput:
    """Prints differences of one repository.

    Args:
        all_files: Returns the files of the old tree, for --find-copies-harder.
        porcelain: The settings diff.* apply.
    """

    def __init__(
        self,
        repository: Repository,
        options: DiffOptions,
        *,
        porcelain: bool = True,
        all_files: Callable[[], Iterable[Side]] = tuple,
    ) -> None:
        self.repository = repository
        self.options = options
        self.line_prefix = options.line_prefix
        self.porcelain = porcelain
        self.all_files = all_files
        self.check_status = 0  #: 2 after --check reported a problem
        self.names = Names(repository)
        self._work: WorkTree | None = None
        self._full_paths: dict[str, str] = {}  #: of the last pairs, by the paths that --relative leaves
        self.strict = True  #: --rotate-to must name a path with a change
        self.mnemonic = ("a/", "b/")  #: the prefixes under diff.mnemonicPrefix
        if (name := refused(options)) is not None:
            raise GitError(f"{name} is not offered in the sandbox (L-GIT-003)", status=129)
        check_words(repository, options)
        check_forms(options)
        self._ignorable = ignored_lines(options)
        self._marks = read_marks(options)
        self.appearance = Appearance(repository, options, porcelain=porcelain)

    def set_line_prefix(self, prefix: str) -> None:
        """Print a text before each line of the following differences."""
        self.line_prefix = prefix

    # ------------------------------------------------------------------ completion

    def complete(self, pairs: Iterable[Pair]) -> list[Pair]:
        """Return the pairs to print: with renames, and those that the filters select."""
        result = [pair for pair in pairs if not self._is_ignored_submodule(pair)]
        options = self.options
        if options.reverse:
            result = [reversed_pair(pair) for pair in result]
        base = self._base()
        if base:
            result = [pair for pair in result if pair.path.startswith(base)]
        least = self._least_similarity()
        if least is not None:
            result = find_renames(
                result,
                self.load,
                self.repository.access.charge,
                least=least,
                copies=options.copies is not None
                or options.copies_harder
                or self._config_renames() == "copies",
                limit=self._rename_limit(),
                more_sources=self.all_files() if options.copies_harder else (),
                with_empty=not options.no_empty_renames,
            )
        if (options.pickaxe, options.pickaxe_lines, options.find_object) != (None, None, None):
            pickaxe = Pickaxe(self.repository, options, self.load, self.is_binary)
            selected = [pair for pair in result if pickaxe.selects(pair)]
            result = result if options.pickaxe_all and selected else selected
        result = ordered(self.repository, options, result, porcelain=self.porcelain)
        result = rotated(options, result, strict=self.strict)
        if options.filter:
            result = filtered(result, options.filter)
        if base:
            self._full_paths = {side_below(base, pair.new).path: pair.path for pair in result}
            result = [
                pair._replace(old=side_below(base, pair.old), new=side_below(base, pair.new))
                for pair in result
            ]
        return result

    def _is_ignored_submodule(self, pair: Pair) -> bool:
        if (
            GITLINK not in (pair.old.mode, pair.new.mode)
            or pair.old.mode not in (0, GITLINK)
            or pair.new.mode not in (0, GITLINK)
        ):
            return False
        return self.ignored_changes.of(pair.path) == "all"

    @cached_property
    def ignored_changes(self) -> IgnoredChanges:
        """Which changes of submodules are left out."""
        return IgnoredChanges(self.repository, self.options.submodules, "untracked")

    def _config_renames(self) -> str:
        return (self.repository.config.get("diff.renames") or "").lower() if self.porcelain else "false"

    def _least_similarity(self) -> int | None:
        options = self.options
        if options.copies is not None:
            return options.copies
        if options.copies_harder:
            return MOST_SCORE // 2
        if options.renames is not None:
            return options.renames if options.renames >= 0 else None
        setting = self._config_renames()
        is_off = setting in ("false", "no", "off", "0")
        return None if is_off or not self.porcelain else MOST_SCORE // 2

    def _rename_limit(self) -> int:
        limit = self.options.rename_limit
        return self.repository.config.integer("diff.renamelimit", 1000) if limit is None else limit or 1 << 15

    def _base(self) -> str:
        """Return the prefix of the paths that --relative selects; "" for all of them."""
        relative = self.options.relative
        return "" if relative is None else relative or self.repository.prefix

    def changed(self, pairs: list[Pair], default: str = "patch") -> bool:
        """Return True for differences that --exit-code and --quiet report.

        With -w, -I and similar options, only a patch compares the contents; a command of another form returns 0.
        """
        if normalizer(self.options) is None and not self.options.ignore_matching:
            return bool(pairs)
        forms = self.forms() or ({default} if self.options.patch is not None else set())
        return (self.options.quiet or "patch" in forms) and any(self._differs(pair) for pair in pairs)

    def _differs(self, pair: Pair) -> bool:
        files = self.files(pair)
        return files.old_id != files.new_id if files.binary else bool(self._changes(files))

    # ------------------------------------------------------------------ contents

    @property
    def work(self) -> WorkTree:
        """The working tree."""
        if self._work is None:
            self._work = WorkTree(self.repository)
        return self._work

    def load(self, side: Side) -> bytes:
        """Return the contents of one side."""
        if not side.exists:
            return b""
        if side.mode == GITLINK:
            return f"Subproject commit {side.oid}{'-dirty' * bool(side.dirty)}\n".encode()
        if not side.in_work_tree:
            return self.repository.objects.get(side.oid).data
        path = side.path
        if self.options.relative is not None and not self._exists(path):
            base = self._base()
            path = base + path if self._exists(base + path) else f"{base.rstrip('/')}/{path}"
        return self.work.read(path, side.mode)

    def _exists(self, path: str) -> bool:
        return self.repository.access.stat(self.work.path(path)) is not None

    def files(self, pair: Pair) -> Files:
        """Return the contents of a pair."""
        old, new = self.load(pair.old), self.load(pair.new)
        binary = not self.options.text and (self.is_binary(pair.old, old) or self.is_binary(pair.new, new))
        return Files(old, new, self._id(pair.old, old), self._id(pair.new, new), binary)

    def is_binary(self, side: Side, data: bytes) -> bool:
        """Return True if git takes a file for binary: by its attribute "diff", else by its contents."""
        if not side.exists or side.mode & 0o170000 != 0o100000:
            return False
        attribute = self.repository.attributes.of(side.path).get("diff")
        return attribute is False or (attribute is not True and is_binary(data))

    def _id(self, side: Side, data: bytes) -> str:
        if not side.exists:
            return NULL_ID
        if side.oid != NULL_ID:
            return side.oid
        self.repository.access.charge(1 + (len(data) >> 10))
        return object_id("blob", data)

    def _changes(self, files: Files) -> list[tuple[int, int]]:
        """Return the numbers of removed and of added lines of each change."""
        old, new = split_lines(files.old), split_lines(files.new)
        changes = compare(
            old,
            new,
            self.repository.access.charge,
            key=normalizer(self.options),
            minimal=self._minimal(),
            algorithm=self.algorithm(),
        )
        if (ignorable := self._ignorable) is not None:
            groups = kept_groups(
                changes,
                self._context(),
                self.options.inter_hunk,
                lambda change: is_ignored(change, old, new, ignorable),
            )
            changes = [change for group in groups for change in group]
        return [(change.old_end - change.old, change.new_end - change.new) for change in changes]

    def _minimal(self) -> bool:
        return self.options.minimal or self._algorithm() == "minimal"

    def _algorithm(self) -> str:
        return chosen_algorithm(self.repository.config, self.options.algorithm, porcelain=self.porcelain)

    def algorithm(self) -> str:
        """Return "patience" or "histogram", "" for Myers' algorithm."""
        chosen = self._algorithm()
        return chosen if chosen in ("patience", "histogram") else ""

    def counts(self, pair: Pair) -> Counts:
        """Return the changed lines of a pair."""
        if pair.status == "U":
            return Counts(pair, 0, 0)
        if pair.old.oid == pair.new.oid != NULL_ID and not pair.new.dirty:
            return Counts(pair, 0, 0, self.files(pair).binary)
        files = self.files(pair)
        sides = ((pair.old, files.old), (pair.new, files.new))
        if any(self.is_binary(side, data) for side, data in sides):  # also with --text
            return Counts(pair, len(files.new), len(files.old), True)
        changes = self._changes(files)
        return Counts(pair, sum(new for _, new in changes), sum(old for old, _ in changes))

    # ------------------------------------------------------------------ forms

    def abbreviate(self, oid: str) -> str:
        """Return an object name as a patch shows it."""
        options = self.options
        if options.full_index or (options.abbrev or 0) >= 40:
            return oid
        length = options.abbrev or None
        if oid == NULL_ID:
            return oid[: length or self.names.abbreviation]
        return self.names.abbreviate(oid, length)

    def full_abbreviate(self, oid: str) -> str:
        """Return an object name as a combined patch shows it, whatever --abbrev says."""
        if self.options.full_index:
            return oid
        return oid[: self.names.abbreviation] if oid == NULL_ID else self.names.abbreviate(oid)

    def wants_stat(self) -> bool:
        """Return True if the options ask for sizes of changes."""
        return bool(self.forms() & {"stat", "numstat", "shortstat", "dirstat", "summary"})

    def wants_patch(self) -> bool:
        """Return True if a command whose default is a patch prints one."""
        return "patch" in (self.forms() or ({"patch"} if self.options.patch is not None else set()))

    def has_form(self) -> bool:
        """Return True if the options ask for any form."""
        return self.forms() != set()

    def forms(self) -> set[str]:
        """Return the forms that the options ask for."""
        return chosen_forms(self.options)

    def write(self, pairs: list[Pair], default: str = "patch", *, without: Iterable[str] = ()) -> bool:
        """Print the pairs. Return True for problems that --check reports.

        Args:
            default: The form if the options do not ask for one; "" for none.
            without: Forms that are left out.
        """
        forms = self.forms() or ({default} if default and self.options.patch is not None else set())
        forms.difference_update(without)
        if "name_only" in forms or "name_status" in forms:
            self._write_names(pairs, "name_status" in forms)
            return False
        if "check" in forms and self.options.color == "always":
            raise GitError("--check --color=always is not offered in the sandbox (L-GIT-003)", status=129)
        if "check" in forms:
            checked = [pair for pair in pairs if pair.status not in "DU"]
            problems = [check_pair(self.repository, pair, self.files(pair)) for pair in checked]
            if any(problems):
                self.check_status = 2
            return any(problems)
        write = self._write_text
        if "raw" in forms:
            for pair in pairs:
                write(self._raw_line(pair))
        separated = "raw" in forms and bool(pairs)
        if forms & {"stat", "numstat", "shortstat"}:
            counts = [each for pair in pairs if (each := self.counts(pair)).is_shown]
            if "numstat" in forms:
                self._write_all(numstat(counts, self.repository.quotes_wide, self.options.nul))
            if "stat" in forms:
                self._write_all(
                    stat(
                        counts,
                        self._widths(),
                        self.repository.quotes_wide,
                        self.options.compact,
                        self.appearance.palette if self.appearance.colored else None,
                    )
                )
            if "shortstat" in forms and counts:
                write(total_line(counts))
            separated = separated or bool(pairs)
        if "dirstat" in forms:
            self._write_dirstat(pairs)
            separated = separated or bool(pairs)
        if "summary" in forms:
            self._write_all(lines := list(summary(pairs, self.repository.quotes_wide)))
            separated = separated or bool(lines)
        if "patch" in forms and pairs:
            if separated:
                write("\0" if self.options.nul else f"{self.line_prefix}\n")
            self._write_patches(pairs)
        return False

    def _write_dirstat(self, pairs: list[Pair]) -> None:
        setting = self.repository.config.get("diff.dirstat") if self.porcelain else None
        options = parse_dirstat([*([setting] if setting else []), *self.options.dirstat])
        if options.by == "lines":
            counts = [each for pair in pairs if (each := self.counts(pair)).is_shown]
            damages = {
                each.pair.path: -(-(each.added + each.removed) // (64 if each.binary else 1))
                for each in counts
            }
        else:
            load, charge = self.load, self.repository.access.charge
            full = self._full_paths  # which also --relative compares
            damages = {
                full.get(pair.path, pair.path): damage(pair, load, charge, whole=options.by == "files")
                for pair in pairs
            }
        self._write_all(dirstat(damages, options))

    def _write_text(self, text: str) -> None:
        prefix = self.line_prefix
        if prefix:
            end = "\n" * text.endswith("\n")
            text = prefix + text.removesuffix("\n").replace("\n", f"\n{prefix}") + end
        self.repository.ctx.write(encode(text))

    def _write_all(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._write_text(line)

    def _widths(self) -> Widths:
        repository = self.repository
        columns = repository.options.environment.get("COLUMNS", "") if self.porcelain else ""
        graph = repository.config.integer("diff.statgraphwidth", 0)
        return chosen_widths(self.options, columns, graph, len(self.line_prefix) if self.porcelain else 0)

    def _write_names(self, pairs: list[Pair], with_status: bool) -> None:
        nul, wide = self.options.nul, self.repository.quotes_wide
        for pair in pairs:
            if not with_status:
                self._write_text(f"{pair.path}\0" if nul else f"{quote(pair.path, wide)}\n")
                continue
            paths = [pair.old.path, pair.path] if pair.status in "RC" else [pair.path]
            self._write_text(self._status_fields(pair) + self._joined(paths))

    def _joined(self, paths: list[str]) -> str:
        if self.options.nul:
            return "".join(f"\0{path}" for path in paths) + "\0"
        return "".join(f"\t{quote(path, self.repository.quotes_wide)}" for path in paths) + "\n"

    def _status_fields(self, pair: Pair) -> str:
        return f"{pair.status}{pair.percent:03d}" if pair.status in "RC" else pair.status

    def _raw_line(self, pair: Pair) -> str:
        old, new = pair.old, pair.new
        short = self.abbreviate if self.porcelain or self.options.abbrev is not None else str
        paths = [old.path, new.path] if pair.status in "RC" else [pair.path]
        return f":{old.mode:06o} {new.mode:06o} {short(raw_id(old))} {short(raw_id(new))} {self._status_fields(pair)}{self._joined(paths)}"

    def _context(self) -> int:
        context = self.options.context
        if context is None:
            context = self.repository.config.integer("diff.context", _CONTEXT) if self.porcelain else _CONTEXT
        return max(0, context)

    def style(self) -> Style:
        """Return how patches are printed."""
        options, config = self.options, self.repository.config
        prefixes = chosen_prefixes(config, options, self.mnemonic, porcelain=self.porcelain)
        return Style(
            context=self._context(),
            inter_hunk=options.inter_hunk,
            old_prefix=prefixes[0],
            new_prefix=prefixes[1],
            quotes_wide=self.repository.quotes_wide,
            key=normalizer(options),
            minimal=self._minimal(),
            algorithm=self.algorithm(),
            binary=options.binary,
            functions=options.function_context,
            bare_blanks=config.boolean("diff.suppressblankempty"),
            marks=self._marks,
            irreversible=options.irreversible,
            ignorable=self._ignorable,
        )

    def _write_patches(self, pairs: list[Pair]) -> None:
        write, moved = self.repository.ctx.write, self.appearance.moved_lines()
        pieces = self._patches(pairs, moved)
        if moved is not None:
            for piece in pieces:
                moved.text(piece)
            pieces = moved.pieces()
        for piece in prefixed(encode(self.line_prefix), pieces) if self.line_prefix else pieces:
            write(piece)

    def patch(self, pairs: list[Pair]) -> bytes:
        """Return the patches of pairs, in place of printing them."""
        pieces: list[bytes] = []
        for piece in self._patches(pairs, None):
            check_fits(2 * len(piece))
            self.repository.ctx.budget.charge_memory(len(piece))
            pieces.append(piece)
        return b"".join(pieces)

    def _patches(self, pairs: list[Pair], moved: MovedLines | None) -> Iterator[bytes]:
        """Yield the patches of pairs, without the lines of hunks that are kept to find moved ones."""
        style, charge = self.style(), self.repository.access.charge
        for pair in pairs:
            if pair.status == "U":
                yield encode(f"* Unmerged path {quote(pair.path, self.repository.quotes_wide)}\n")
                continue
            if shows_submodule_log(
                self.repository.config, pair, self.options.submodule, porcelain=self.porcelain
            ):
                from sandhook.utilities.git.diff.submodule_log import submodule_log

                yield from submodule_log(self.repository, pair, self.appearance)
                continue
            files, appearance = self.files(pair), self.appearance
            style = style._replace(
                painter=appearance.painter(pair, files, moved),
                heading=appearance.drivers.heading(pair.old.path),
            )
            yield from patch(pair, files, style, charge, self.abbreviate)
