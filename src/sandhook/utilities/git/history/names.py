"""Names of revisions: "HEAD~2", "@{u}", "v1^{commit}", ":path", "main..topic".

Source: gitrevisions(7) and git's object-name.c.
"""

from __future__ import annotations

import re

from sandhook.text.numbers import is_number
from sandhook.utilities.git.errors import GitError, RevisionError
from sandhook.utilities.git.history.upstream import push_target, upstream_of
from sandhook.utilities.git.names.pathspec import from_top
from sandhook.utilities.git.store.refs import is_valid_name
from sandhook.utilities.git.store.repository import Repository

#: Where git looks for a short name of a reference.
RULES = ("{}", "refs/{}", "refs/tags/{}", "refs/heads/{}", "refs/remotes/{}", "refs/remotes/{}/HEAD")
_HEX = re.compile(r"[0-9a-fA-F]{4,40}")
_DESCRIBED = re.compile(r".*-g([0-9a-f]{4,40})")
_SUFFIX = re.compile(r"\^\{([^}]*)\}|\^(\d*)|~(\d*)")
_MOST_STEPS = 1_000_000
_DEFAULT_ABBREV = 7


class Names:
    """Resolves names of revisions in one repository."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._refs = repository.refs
        self._objects = repository.objects

    # ------------------------------------------------------------------ references

    def full_ref(self, name: str) -> str | None:
        """Return the full name of an existing reference for a short one."""
        if name == "@":
            name = "HEAD"
        if not is_valid_name(name):
            return None
        for rule in RULES:
            full = rule.replace("{}", name)
            if "/" not in full and not full.replace("_", "").replace("-", "").isupper():
                continue
            if self._refs.resolve(full) is not None:
                return full
        return None

    def short_ref(self, full: str, strict: bool | None = None) -> str:
        """Return the shortest name that means a reference and no other one.

        Args:
            strict: No other reference has the name, in place of none that git finds first; None for the setting.
        """
        if strict is None:
            strict = self._repository.config.boolean("core.warnambiguousrefs", True)
        others = len(RULES) if strict else 0
        for number in range(len(RULES) - 1, 0, -1):
            prefix, _, suffix = RULES[number].partition("{}")
            if suffix or not full.startswith(prefix):  # git 2.39 never shortens "refs/remotes/X/HEAD" to "X"
                continue
            short = full[len(prefix) :]
            if short and not any(
                other != number and self._refs.resolve(RULES[other].replace("{}", short)) is not None
                for other in range(others or number)
            ):
                return short
        return full

    # ------------------------------------------------------------------ objects

    def resolve(self, name: str) -> str:
        """Return the object that a name means. Raises RevisionError for an unknown one."""
        found = self.find(name)
        if found is None:
            raise RevisionError(
                f"ambiguous argument '{name}': unknown revision or path not in the working tree."
            )
        return found

    def missing_path(self, name: str) -> GitError | None:
        """Return the error for "REV:PATH" with a revision that has no such path; None for another name."""
        found = self.split_path(name)
        if found is None or (name.startswith(":") and not name[1:2].isalnum()):  # which may be a pathspec
            return None
        revision, path = found
        if revision.startswith(":"):
            return self._missing_entry(int(revision[1:]), path) if path else None
        if (oid := self.find(revision)) is None:
            return GitError(f"invalid object name '{revision}'.")
        if self._is_on_disk(path):
            return GitError(f"path '{path}' exists on disk, but not in '{revision}'")
        full = self._repository.prefix + path
        tree = self._objects.peel(oid, "tree")
        if tree is not None and full != path and self.tree_item(tree, full) is not None:
            return GitError(
                f"path '{full}' exists, but not '{path}'\n"
                f"hint: Did you mean '{revision}:{full}' aka '{revision}:./{path}'?"
            )
        return GitError(f"path '{path}' does not exist in '{revision}'")

    def _is_on_disk(self, path: str) -> bool:
        root = self._repository.place.root
        return root is not None and self._repository.access.stat(f"{root}/{path}") is not None

    def _missing_entry(self, stage: int, path: str) -> GitError:
        """Return the error for ":PATH" or ":STAGE:PATH" that the index does not have."""
        entries = self._repository.index.by_path
        if path in entries:
            known = entries[path][0].stage
            return GitError(
                f"path '{path}' is in the index, but not at stage {stage}\nhint: Did you mean ':{known}:{path}'?"
            )
        full = self._repository.prefix + path
        if full in entries:
            known = entries[full][0].stage
            return GitError(
                f"path '{full}' is in the index, but not '{path}'\n"
                f"hint: Did you mean ':{known}:{full}' aka ':{known}:./{path}'?"
            )
        if self._is_on_disk(path):
            return GitError(f"path '{path}' exists on disk, but not in the index")
        return GitError(f"path '{path}' does not exist (neither on disk nor in the index)")

    def commit(self, name: str) -> str:
        """Return the commit that a name means. Raises RevisionError, MissingObject."""
        oid = self._objects.peel(self.resolve(name), "commit")
        if oid is None:
            raise RevisionError(f"bad revision '{name}'")
        return oid

    def type_fault(self, name: str) -> str | None:
        """Return why a suffix of a name does not apply to its object: "object X is a tree, not a commit", or None."""
        base, suffixes = _split_suffixes(name)
        oid = self._base(base)
        for at, suffix in enumerate(suffixes):
            if oid is None or not self._objects.has(oid):
                return None
            kind = suffix[1]
            found = self._apply(oid, suffix)
            if found is None:
                has = self._objects.get(oid).kind
                inner = self._objects.peel(oid)
                has = self._objects.get(inner).kind if inner is not None and self._objects.has(inner) else has
                if kind is None:
                    return f"object {inner or oid} is a {has}, not a commit" if has != "commit" else None
                has = "tree" if has == "commit" else has  # a commit stands for its tree
                if kind in ("commit", "tree", "blob", "tag"):
                    shown = name if at + 1 == len(suffixes) else name[: suffix.end()]
                    return f"{shown}: expected {kind} type, but the object dereferences to {has} type"
                return None
            oid = found
        return None

    def with_type_fault(self, name: str, text: str) -> GitError:
        """Return the error of a text, after the reason why a suffix does not apply, which git finds twice."""
        fault = self.type_fault(name)
        return (
            GitError(text)
            if fault is None
            else GitError(f"{fault}\nerror: {fault}\nfatal: {text}", prefix="error")
        )

    def has_object(self, word: str) -> bool:
        """Return False for the name of an object that the repository does not have; a range is read later."""
        is_range = ".." in word or excluded_parent(word) is not None
        oid = None if is_range else self.find(word.removeprefix("^"))
        return oid is None or self._objects.has(oid)

    def peeled(self, oid: str) -> tuple[str | None, str]:
        """Return the commit that an object stands for, None for a tree or a file, and the type of the object."""
        return self._objects.peel(oid, "commit"), self._objects.get(oid).kind

    def find(self, name: str) -> str | None:
        """Return the object that a name means, None for an unknown one."""
        self._repository.access.charge(2 + (len(name) >> 2))
        base, suffixes = _split_suffixes(name)
        oid = self._base(base)
        if oid is None and suffixes:
            oid, suffixes = self._base(name), []
        for suffix in suffixes:
            if oid is None:
                break
            oid = self._apply(oid, suffix)
        return oid if oid is not None else self._with_path(name)

    def _base(self, name: str) -> str | None:
        if not name:
            return None
        before, at, inside = name.rpartition("@{")
        if at and inside.find("}") == len(inside) - 1:
            return self._at(before, inside[:-1])
        if len(name) == 40 and _HEX.fullmatch(name):
            return name.lower()
        if name.startswith(":/"):
            return self._with_message(self._tips(), name[2:])
        full = self.full_ref(name)
        if full is not None:
            return self._refs.resolve(full)
        described = _DESCRIBED.fullmatch(name)
        return self._abbreviated(described[1] if described is not None else name)

    def _abbreviated(self, name: str) -> str | None:
        if not _HEX.fullmatch(name):
            return None
        matches = self._objects.names_with(name.lower())
        if len(matches) > 1:
            commits = [oid for oid in matches if self._objects.peel(oid, "commit") is not None]
            if len(commits) == 1:
                return commits[0]
            raise RevisionError(f"short object ID {name} is ambiguous", prefix="error", status=128)
        return matches[0] if matches else None

    def _at(self, name: str, inner: str) -> str | None:
        """Resolve NAME@{INNER}."""
        if inner in ("u", "upstream", "U", "UPSTREAM", "push", "PUSH"):
            full = self.at_reference(name, inner)
            return None if full is None else self._refs.resolve(full)
        if inner.startswith("-") and is_number(inner[1:]) and not name:
            branch = self.previous_branch(int(inner[1:]))
            return None if branch is None else self._base(branch)
        full = self.full_ref(name) if name else (self._repository.head_branch() or "HEAD")
        if full is None:
            return None
        entries = self._refs.log(full)
        if is_number(inner):
            number = int(inner[:9])
            if number == 0 and not entries:
                return self._refs.resolve(full)
            if number == 0:
                return entries[-1].new
            if number <= len(entries):
                return entries[len(entries) - number].old
            shown = name or full.removeprefix("refs/heads/")
            raise GitError(f"log for '{shown}' only has {len(entries)} entries")
        return self._at_date(full, inner)

    def _at_date(self, full: str, text: str) -> str | None:
        from sandhook.utilities.git.history.dates import parse_date, show_date

        when = parse_date(
            text, int(self._repository.ctx.now()), self._repository.options.environment.get("TZ")
        )
        entries = self._refs.log(full)
        for entry in reversed(entries):
            if entry.person.time <= when:
                return entry.new
        if not entries:
            if self._refs.resolve(full) is None:
                return None
            raise GitError(f"log for {full} is empty")
        first = show_date(entries[0].person, "rfc", self._repository.ctx.now(), None)
        shown = full.removeprefix("refs/heads/")
        self._repository.warn_once(f"warning: log for '{shown}' only goes back to {first}")
        return entries[0].old if entries[0].old.strip("0") else entries[0].new

    def at_reference(self, name: str, inner: str) -> str | None:
        """Return the reference that NAME@{upstream} or NAME@{push} means. Raises GitError if it does not exist."""
        if name in ("", "@", "HEAD"):
            branch = self._repository.head_branch()
            if branch is None:
                raise GitError("HEAD does not point to a branch")
        else:
            branch = f"refs/heads/{name.removeprefix('refs/heads/')}"
            if self._refs.resolve(branch) is None:
                raise GitError(f"no such branch: '{name}'")
        short = branch.removeprefix("refs/heads/")
        target = (push_target if inner.lower() == "push" else upstream_of)(self._repository, short)
        if target is None and self._refs.resolve(branch) is None:
            raise GitError(f"no such branch: '{short}'")
        if target is None and inner.lower() == "push" and upstream_of(self._repository, short) is not None:
            raise GitError("cannot resolve 'simple' push to a single destination")
        if target is None:
            raise GitError(f"no upstream configured for branch '{short}'")
        return target

    def previous_branch(self, number: int) -> str | None:
        """Return the branch that was checked out before the last ``number`` changes."""
        left = number
        for entry in reversed(self._refs.log("HEAD")):
            if entry.message.startswith("checkout: moving from "):
                left -= 1
                if left == 0:
                    return entry.message[len("checkout: moving from ") :].partition(" to ")[0]
        return None

    def _tips(self) -> list[str]:
        head = self._refs.resolve("HEAD")
        return [*([head] if head is not None else []), *self._refs.all().values()]

    def _with_message(self, tips: list[str], pattern: str) -> str | None:
        """Return the youngest commit whose message matches an expression."""
        from sandhook.pattern.errors import PatternError
        from sandhook.pattern.posix import LINE_ERE, compile_regex
        from sandhook.utilities.git.history.walk import Walk

        negated = pattern.startswith("!-")
        try:
            regex = compile_regex(pattern[2:] if negated else pattern.removeprefix("!"), LINE_ERE)
        except PatternError:
            return None
        starts = [oid for tip in tips if (oid := self._objects.peel(tip, "commit")) is not None]
        for commit in Walk(self._repository, starts, []):
            found = regex.search(commit.message.encode("utf-8", "surrogateescape")) is not None
            if found != negated:
                return commit.oid
        return None

    def _apply(self, oid: str, suffix: re.Match[str]) -> str | None:
        """Apply one "^2", "~3" or "^{tree}"."""
        kind, parent, back = suffix.groups()
        if kind is not None:
            return self._peeled(oid, kind)
        commit = self._objects.peel(oid, "commit")
        if commit is None:
            return None
        if parent is not None:
            number = int((parent or "1")[:9])
            parents = self._objects.commit(commit).parents
            return commit if number == 0 else parents[number - 1] if number <= len(parents) else None
        for _ in range(min(int((back or "1")[:9]), _MOST_STEPS)):
            self._repository.access.charge(1)
            parents = self._objects.commit(commit).parents
            if not parents:
                return None
            commit = parents[0]
        return commit

    def _peeled(self, oid: str, kind: str) -> str | None:
        if kind.startswith("/"):
            commit = self._objects.peel(oid, "commit")
            return None if commit is None else self._with_message([commit], kind[1:])
        if kind == "":
            return self._objects.peel(oid)
        if kind == "object":
            return oid if self._objects.has(oid) else None
        if kind not in ("commit", "tree", "blob", "tag"):
            return None
        return self._objects.peel(oid, kind)

    # ------------------------------------------------------------------ paths in trees

    def _with_path(self, name: str) -> str | None:
        """Resolve ":path", ":2:path" and "rev:path"."""
        found = self.split_path(name)
        if found is None:
            return None
        revision, path = found
        if revision in (":0", ":1", ":2", ":3"):
            entries = self._repository.index.by_path.get(path, [])
            return next((entry.oid for entry in entries if entry.stage == int(revision[1])), None)
        tree = self.find(revision)
        tree = None if tree is None else self._objects.peel(tree, "tree")
        item = None if tree is None else self.tree_item(tree, path)
        return None if item is None else item[1]

    def split_path(self, name: str) -> tuple[str, str] | None:
        """Return the revision (":0" to ":3" for the index) and the path of "REV:PATH"; None without a path."""
        if name.startswith(":") and not name.startswith(":/"):
            stage, path = (
                (name[1], name[3:])
                if name[1:2] in ("0", "1", "2", "3") and name[2:3] == ":"
                else ("0", name[1:])
            )
            return f":{stage}", self._in_tree(path)
        depth = 0
        for at, c in enumerate(name):
            depth += (c == "{") - (c == "}")
            if c == ":" and depth == 0 and at > 0:
                return name[:at], self._in_tree(name[at + 1 :])
        return None

    def _in_tree(self, path: str) -> str:
        if path.startswith(("./", "../")) or path in (".", ".."):
            return from_top(path, self._repository.prefix, self._repository.place.root or "/", path).rstrip(
                "/"
            )
        return path

    def tree_item(self, tree: str, path: str) -> tuple[int, str] | None:
        """Return the mode and the object of a path in a tree."""
        mode = 0o040000
        for part in filter(None, path.split("/")):
            if mode != 0o040000:
                return None
            item = next((item for item in self._objects.tree(tree) if item.name == part), None)
            if item is None:
                return None
            mode, tree = item.mode, item.oid
        return mode, tree

    # ------------------------------------------------------------------ abbreviations

    def abbreviate(self, oid: str, length: int | None = None) -> str:
        """Return the shortest unique prefix of an object name, of at least ``length`` digits."""
        wanted = self.abbreviation if length is None else length
        if wanted >= 40:
            return oid
        wanted = max(wanted, 4)
        others = [name for name in self._objects.names_with(oid[:wanted]) if name != oid]
        for other in others:
            same = next(at for at in range(40) if oid[at] != other[at])
            wanted = max(wanted, same + 1)
        return oid[:wanted]

    @property
    def abbreviation(self) -> int:
        """The length of abbreviated names: core.abbrev, or by the number of packed objects."""
        setting = self._repository.config.get("core.abbrev")
        if setting is not None and setting.lower() in ("no", "off", "false"):
            return 40
        if setting is not None and is_number(setting):
            return min(40, max(4, int(setting[:3])))
        bits = self._objects.packed_count().bit_length()
        return max(_DEFAULT_ABBREV, (bits + 1) // 2)


def excluded_parent(word: str) -> tuple[str, int] | None:
    """Return the commit and the number of its parent that "COMMIT^-2" names; None for another word."""
    name, mark, digits = word.rpartition("^-")
    if not mark or not name or not (digits == "" or (is_number(digits) and len(digits) < 9)):
        return None
    return (name, int(digits or "1")) if int(digits or "1") else None


def _split_suffixes(name: str) -> tuple[str, list[re.Match[str]]]:
    """Return the name before the first suffix, and all suffixes; none if the rest has another form."""
    start = 0
    depth = 0
    for at, c in enumerate(name):
        depth += (c == "{") - (c == "}")
        if depth == 0 and c in "^~" and at:
            start = at
            break
    if not start or name.startswith(":"):
        return name, []
    suffixes = []
    at = start
    while at < len(name):
        match = _SUFFIX.match(name, at)
        if match is None:
            return name, []
        suffixes.append(match)
        at = match.end()
    return name[:start], suffixes
