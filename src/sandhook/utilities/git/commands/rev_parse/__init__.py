"""git rev-parse: resolve names, and print facts about the repository.

Source: git-rev-parse(1).
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.record import Record
from sandhook.text.numbers import is_number
from sandhook.utilities.git.arguments import count
from sandhook.utilities.git.commands.rev_parse import options
from sandhook.utilities.git.commands.rev_parse.facts import FACTS, Facts
from sandhook.utilities.git.commands.rev_parse.options import quoted
from sandhook.utilities.git.errors import GitError, MissingObject, RevisionError
from sandhook.utilities.git.history.dates import parse_date
from sandhook.utilities.git.history.names import Names, excluded_parent
from sandhook.utilities.git.history.operands import looks_like_pathspec
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.access import encode
from sandhook.utilities.git.store.repository import Globals, Repository, find_place
from sandhook.vfs.path import VirtualPath, join

_HINT = (
    "\nUse '--' to separate paths from revisions, like this:\n'git <command> [<revision>...] -- [<file>...]'"
)
_NAMESPACES = {
    "--branches": "refs/heads/",
    "--tags": "refs/tags/",
    "--remotes": "refs/remotes/",
    "--glob": "refs/",
}
_LEAST = 4  #: digits of an abbreviated name
_AGES = {"--since": "max", "--after": "max", "--until": "min", "--before": "min"}
_FORMS = ("--symbolic", "--symbolic-full-name", "--abbrev-ref")

_LOCAL_VARIABLES = (
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_CONFIG", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT",
    "GIT_OBJECT_DIRECTORY", "GIT_DIR", "GIT_WORK_TREE", "GIT_IMPLICIT_WORK_TREE", "GIT_GRAFT_FILE", "GIT_INDEX_FILE",
    "GIT_NO_REPLACE_OBJECTS", "GIT_REPLACE_REF_BASE", "GIT_PREFIX", "GIT_INTERNAL_SUPER_PREFIX", "GIT_SHALLOW_FILE",
    "GIT_COMMON_DIR",
)  # fmt: skip


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Return 0, or 1 for "--verify -q" of an unknown name."""
    if list(arguments[:1]) == ["--sq-quote"]:
        call.ctx.write_line("".join(f" {quoted(word)}" for word in arguments[1:]))
        return 0
    if list(arguments) == ["--local-env-vars"]:
        for name in _LOCAL_VARIABLES:
            call.ctx.write_line(name)
        return 0
    if list(arguments[:1]) == ["--parseopt"]:
        return options.run(call, arguments[1:])
    try:
        return _RevParse(call).run(list(arguments))
    except GitError as error:
        # git has not written its buffer when it writes an error
        if str(error):
            call.ctx.process.write_error(encode(f"{error.text()}\n"))
        return error.status


class _Filter(Record):
    """Which words are printed: names and flags of revisions, flags and what is no flag, and other words."""

    revisions: bool = True
    others: bool = True
    flags: bool = True
    operands: bool = True


#: What each option takes from the words that are printed.
_FILTERS = {"--revs-only": "others", "--no-revs": "revisions", "--no-flags": "flags", "--flags": "operands"}
_FLAGS_OF_REVISIONS = frozenset(
    [
        "--all",
        "--bisect",
        "--dense",
        "--branches",
        "--header",
        "--ignore-missing",
        "--no-merges",
        "--objects",
        "--objects-edge",
        "--parents",
        "--pretty",
        "--remotes",
        "--sparse",
        "--tags",
        "--topo-order",
        "--date-order",
        "--unpacked",
    ]
)
_PREFIXES_OF_REVISIONS = (
    "--branches=", "--max-age=", "--max-count=", "--min-age=", "--remotes=", "--glob=", "--tags=",
)  # fmt: skip


class _RevParse:
    """The state of one command line, whose words take effect in order."""

    def __init__(self, call: Invocation) -> None:
        self.call = call
        self.ctx = call.ctx
        self.form = ""
        self.verify = False
        self.quiet = False
        self.short: int | None = None
        self.negated = False
        self.default = ""
        self.facts = Facts(call)
        self.excluded: list[str] = []
        self.filter = _Filter()
        self.in_quotes = False
        self.shown = 0
        self.pending: list[
            tuple[str, str, bool]
        ] = []  #: after --verify: objects, their names, and whether "^" is before
        self.has_dashes = False
        self.checks_files = False  #: the words are files, which no "--" says
        self.names_done = False

    @property
    def repository(self) -> Repository:
        return self.call.repository

    @property
    def names(self) -> Names:
        return Names(self.repository)

    def run(self, words: list[str]) -> int:
        self.repository  # noqa: B018  # outside of a repository every form fails
        self.has_dashes = "--" in words
        while words:
            word = words.pop(0)
            if self.names_done:
                is_file = looks_like_pathspec(word) or self._exists(word)
                is_shown = self._file(word)
                if is_shown and self.checks_files and word.startswith("-"):
                    raise GitError(f"option '{word}' must come before non-option arguments")
                if is_shown and self.checks_files and not is_file:
                    raise GitError(
                        f"{word}: no such path in the working tree.\n"
                        "Use 'git <command> -- <path>...' to specify paths that do not exist locally."
                    )
            elif word == "--":
                self.names_done = True
                if (self.filter.flags or self.filter.revisions) and not self.verify:
                    self._file("--")
            elif word.startswith("-") and len(word) > 1:
                status = self._option(word, words)
                if status is not None:
                    return status
            elif not self._revision(word) and (status := self._unknown(word)) is not None:
                return status
        if not self.shown and not self.pending and self.default:
            self._revision(self.default)
        if self.verify and len(self.pending) != 1:
            return self._not_single()
        for oid, name, negative in self.pending:
            self._show(oid, name, negative=negative)
        return 0

    def _line(self, text: str) -> None:
        self.ctx.write_line(text)

    def _word(self, text: str) -> None:
        """Print a word that is passed on: on a line of its own, or quoted after --sq."""
        if self.in_quotes:
            self.ctx.write(encode("'" + text.replace("'", "'\\''") + "' "))
        else:
            self._line(text)

    def _file(self, word: str) -> bool:
        """Print a word that is a file, after the default revision if no other was shown. Return False for a filter."""
        if not self.shown and self.default:
            default, self.default = self.default, ""
            self._revision(default)
        is_shown = self.filter.operands and self.filter.others
        if is_shown:
            self._word(word)
        return is_shown

    def _flag(self, word: str) -> None:
        is_revision = (
            word[1:2].isdigit() or word in _FLAGS_OF_REVISIONS or word.startswith(_PREFIXES_OF_REVISIONS)
        )
        if self.filter.flags and (self.filter.revisions if is_revision else self.filter.others):
            self._word(word)

    def _not_single(self) -> int:
        if self.quiet:
            return 1
        raise GitError("Needed a single revision")

    def _exists(self, word: str) -> bool:
        if not word or self.repository.place.root is None:
            return False
        return self.call.access.stat(join(VirtualPath(self.call.options.cwd), word)) is not None

    def _unknown(self, word: str) -> int | None:
        """Print a word that is not a revision; return a status to end with it. Raises GitError for what is no file."""
        if self.verify:
            if (fault := self.names.type_fault(word)) is not None:
                self.call.error(f"error: {fault}")
            return self._not_single()
        if self.has_dashes:
            raise GitError(f"bad revision '{word}'")
        if looks_like_pathspec(word) or self._exists(word):
            self.names_done = self.checks_files = True
            return None if self._file(word) else 0
        if not (self.filter.operands and self.filter.others):
            return 0
        self._file(word)
        if (error := self.names.missing_path(word)) is not None:
            raise error
        text = f"ambiguous argument '{word}': unknown revision or path not in the working tree.{_HINT}"
        raise self.names.with_type_fault(word, text)

    # ------------------------------------------------------------------ options

    def _option(self, word: str, rest: list[str]) -> int | None:
        """Evaluate one option; return a status to end with it."""
        name, equals, value = word.partition("=")
        if word == "--verify":
            self.verify = True
            return None
        if word in ("-q", "--quiet"):
            self.quiet = True
        elif name == "--short":
            self.verify = True
            self.short = max(4, count(value)) if equals else -1
        elif name in _FORMS:
            if not (
                self.form.startswith("--abbrev-ref") and name != "--abbrev-ref"
            ):  # which is the strongest
                self.form = f"{name}={value}" if equals else name
        elif word == "--not":
            self.negated = not self.negated
        elif word == "--default":
            if not rest:
                raise GitError("--default requires an argument")
            self.default = rest.pop(0)
        elif name == "--path-format":
            if not equals:
                raise GitError("--path-format requires an argument")
            if value not in ("absolute", "relative"):
                raise GitError(f"unknown argument to --path-format: {value}")
            self.facts.path_format = value
        elif name == "--exclude" and equals:
            self.excluded.append(value)
        elif word in _FILTERS:
            self.filter = self.filter._replace(**{_FILTERS[word]: False})
        elif word == "--sq":
            self.in_quotes = True
        else:
            return self._printed(word, name, value if equals else None, rest)
        return None

    def _printed(self, word: str, name: str, value: str | None, rest: list[str]) -> int | None:
        """Evaluate an option that prints something, or a revision; return a status to end with it."""
        if name == "-n" or word.startswith("-n"):
            number = [rest.pop(0)] if word == "-n" and rest else []
            if word == "-n" and not number:
                raise GitError("-n requires an argument")
            for each in (word, *number) if self.filter.flags and self.filter.revisions else ():
                self._word(each)
        elif word == "--end-of-options":
            if not self.verify and self.filter.flags and self.filter.revisions:
                self._word(word)
        elif word == "--shared-index-path":
            return None  # no index of the sandbox is split
        elif word == "--local-env-vars":
            for variable in _LOCAL_VARIABLES:
                self._line(variable)
        elif name == "--disambiguate" and value is not None:
            is_prefix = len(value) >= _LEAST and all(c in "0123456789abcdefABCDEF" for c in value)
            for oid in self.repository.objects.names_with(value.lower()) if is_prefix else ():
                self._line(oid)
        elif name == "--prefix":
            raise GitError(f"rev-parse {word} is not offered in the sandbox (L-GIT-001)", status=1)
        elif name in _AGES and value is not None:
            now = int(self.ctx.now())
            seconds = parse_date(value, now, self.call.options.environment.get("TZ"))
            if self.filter.flags and self.filter.revisions:
                self._word(f"--{_AGES[name]}-age={seconds}")
        elif word == "--resolve-git-dir":
            self._line(self._resolved(rest.pop(0) if rest else ""))
        elif word == "--git-path":
            if not rest:
                raise GitError("--git-path requires an argument")
            self._line(self.facts.git_path(rest.pop(0)))
        elif word == "--all":
            self._all("refs/")
        elif word == "--bisect":
            self._all("refs/bisect/bad")
            self._all("refs/bisect/good", negative=True)
        elif name in _NAMESPACES:
            self._all(_NAMESPACES[name], value or "")
        elif (fact := FACTS.get(word)) is not None:
            text = fact(self.facts)
            if text is not None:
                self._line(text)
        elif not self._revision(word):
            if self.verify:
                return self._not_single()
            self._flag(word)
        return None

    def _resolved(self, name: str) -> str:
        """Return the git directory that a path is, or names. Raises GitError for another path."""
        path = join(VirtualPath(self.call.options.cwd), name)
        options = Globals(self.repository.options.environment, self.call.options.cwd, git_dir=path)
        if (
            not name
            or self.call.access.stat(f"{path}/HEAD") is None
            or find_place(self.call.access, options) is None
        ):
            raise GitError(f"not a gitdir '{name}'")
        return name

    def _all(self, prefix: str, pattern: str = "", *, negative: bool = False) -> None:
        from sandhook.utilities.git.names.wildmatch import has_wildcard, wildmatch

        excluded, self.excluded = (
            self.excluded,
            [],
        )  # for one namespace, whose prefix they lack except for --all and --glob
        base = "" if prefix == "refs/" else prefix
        full = prefix + pattern.removeprefix("refs/" if prefix == "refs/" else "")
        glob = full if has_wildcard(pattern) or not pattern else f"{full.rstrip('/')}/*"
        for name, oid in self.repository.refs.all(prefix).items():
            if any(
                wildmatch(base + each, name, self.call.access.charge, pathname=False) for each in excluded
            ):
                continue
            if not pattern or wildmatch(glob, name, self.call.access.charge, pathname=False):
                is_relative = (
                    self.form == "--symbolic" and prefix in _NAMESPACES.values() and prefix != "refs/"
                )
                self._show(oid, name[len(prefix) :] if is_relative else name, negative=negative)

    # ------------------------------------------------------------------ names

    def _revision(self, word: str) -> bool:
        """Print what a name or a range means; return False for an unknown one."""
        if word.startswith("^") and len(word) > 1:
            return self._single(word[1:], negative=True)
        if ".." in word:
            split = self._range(word)
            if split:
                return True
        if (excluded := excluded_parent(word)) is not None:
            oid = self.names.find(excluded[0])
            parents = self.repository.objects.commit(oid).parents if oid is not None else ()
            if oid is None or excluded[1] > len(parents):
                return False
            self._show(oid, excluded[0])
            self._show(parents[excluded[1] - 1], "", negative=True)
            return True
        for suffix in ("^@", "^!"):
            if word.endswith(suffix):
                oid = self.names.find(word[:-2])
                if oid is None:
                    return False
                if suffix == "^!":
                    self._show(oid, word[:-2])
                for parent in self.repository.objects.commit(oid).parents:
                    self._show(parent, "", negative=suffix == "^!")
                return True
        return self._single(word)

    def _range(self, word: str) -> bool:
        dots = "..." if "..." in word else ".."
        left, _, right = word.partition(dots)
        if not left and not right and dots == "..":
            return False
        first, second = self.names.find(left or "HEAD"), self.names.find(right or "HEAD")
        if first is None or second is None:
            return False
        if dots == "..":
            self._show(second, right or "HEAD")
            self._show(first, left or "HEAD", negative=True)
            return True
        from sandhook.utilities.git.history.bases import merge_bases

        self._show(second, right or "HEAD")
        self._show(first, left or "HEAD")
        for base in merge_bases(self.repository, first, [second]):
            self._show(base, "", negative=True)
        return True

    def _single(self, word: str, negative: bool = False) -> bool:
        try:
            oid = self.names.find(word)
        except RevisionError:
            if self.quiet:
                return False
            raise
        except (MissingObject, GitError):
            if self.quiet and self.verify:
                return False
            raise
        if oid is None:
            return False
        if self.verify:
            self.pending.append((oid, word, negative))
        else:
            self._show(oid, word, negative=negative)
        return True

    def _show(self, oid: str, name: str, *, negative: bool = False) -> None:
        if not self.filter.revisions:
            return
        self.shown += 1
        sign = "^" if negative != self.negated else ""
        if self.form and name:
            text = self._symbolic(name)
            if text is None:
                return
            self._word(sign + text)
        elif self.short is not None:
            self._word(sign + self.names.abbreviate(oid, None if self.short < 0 else self.short))
        else:
            self._word(sign + oid)

    def _symbolic(self, name: str) -> str | None:
        """Return the name in the form that --symbolic, --symbolic-full-name or --abbrev-ref asks for."""
        if self.form == "--symbolic":
            return name
        full = self._full_name(name)
        if full is None:
            return "" if self.form.startswith("--abbrev-ref") and not self.quiet else None
        if self.form == "--symbolic-full-name":
            return full
        mode = self.form.partition("=")[2]
        return self.names.short_ref(full, strict=mode == "strict" if mode else None)

    def _full_name(self, name: str) -> str | None:
        """Return the reference that a name stands for, None for another kind of name."""
        if name.endswith("}") and "@{" in name:
            base, _, inner = name[:-1].rpartition("@{")
            if inner.lower() in ("u", "upstream", "push"):
                return self.names.at_reference(base, inner)
            if inner.startswith("-"):
                branch = self.names.previous_branch(int(inner[1:])) if is_number(inner[1:]) else None
                return None if branch is None else self.names.full_ref(branch)
        full = self.names.full_ref(name)
        return None if full is None else self.repository.refs.final_name(full)
