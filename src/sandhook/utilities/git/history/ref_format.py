"""The fields of references: --format, --sort and --contains of for-each-ref, branch and tag.

Source: git-for-each-ref(1); git 2.39, ref-filter.c.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from sandhook.limits import check_fits
from sandhook.record import Record
from sandhook.text.numbers import is_integer, is_number
from sandhook.text.quoting import in_single_quotes
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.bases import ahead_behind, is_ancestor
from sandhook.utilities.git.history.dates import show_date
from sandhook.utilities.git.history.messages import body, subject
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.history.upstream import push_target, upstream_of
from sandhook.utilities.git.store.commits import Commit, Identity, Tag
from sandhook.utilities.git.store.repository import Repository

_FIELD = re.compile(r"%\(([^()]*)\)|%([0-9a-fA-F]{2})|%%")
_CONTROL = re.compile(r"%\((?:if|then|else|end)[:)]")
_NUMBER = re.compile(r"(\d+)")


class Ref(Record):
    """A reference and the object that it points to."""

    name: str
    oid: str


class _Choices:
    """The parts of a format with %(if): each level has the texts of its condition and of its two branches."""

    def __init__(self) -> None:
        self._levels: list[tuple[str, dict[str, list[str]]]] = []
        self._part: list[str] = []
        self._text: list[str] = []

    def add(self, text: str) -> None:
        """Add text to the current part."""
        part = self._levels[-1][1][self._part[-1]] if self._levels else self._text
        part.append(text)

    def control(self, word: str) -> bool:
        """Act on %(if), %(then), %(else) and %(end); return False for another field. Raises GitError."""
        name, _, options = word.partition(":")
        if name == "if":
            self._levels.append((options, {"if": [], "then": [], "else": []}))
            self._part.append("if")
            return True
        if name not in ("then", "else", "end"):
            return False
        self._check(name)
        if name != "end":
            self._part[-1] = name
            return True
        options, parts = self._levels.pop()
        self._part.pop()
        self.add("".join(parts["then" if _holds(options, "".join(parts["if"])) else "else"]))
        return True

    def _check(self, name: str) -> None:
        """Raise GitError for an atom that does not follow the part."""
        part = self._part[-1] if self._part else ""
        if not part:
            fault = f"%({name}) atom used without {'corresponding' if name == 'end' else 'a %(if)'} atom"
        elif part == name or (name == "then" and part == "else"):
            fault = f"%({name}) atom used more than once"
        elif name != "then" and part == "if":
            fault = f"%({'else' if name == 'else' else 'if'}) atom used without a %(then) atom"
        else:
            return
        raise GitError(f"format: {fault}")

    def end(self) -> str:
        """Return the text. Raises GitError without a last %(end)."""
        if self._levels:
            raise GitError("format: %(end) atom missing")
        return "".join(self._text)


def _holds(options: str, text: str) -> bool:
    """Return True if the condition of %(if), %(if:equals=X) or %(if:notequals=X) holds."""
    kind, _, wanted = options.partition("=")
    if kind == "equals":
        return text == wanted
    return text != wanted if kind == "notequals" else bool(text.strip())


class RefFields:
    """Computes the fields of references."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository
        self.objects = repository.objects
        self.names = Names(repository)
        self.quotes = False  #: fields are quoted for a shell (for-each-ref --shell)

    def expand(self, format_: str, ref: Ref) -> str:
        """Return a format with the fields of a reference."""
        charge = self.repository.access.charge
        charge(4)
        made = 0

        def value(match: re.Match[str]) -> str:
            nonlocal made
            if match[1] is not None:
                text = self.field(match[1], ref)
                made += len(text)
                charge(1 + (len(text) >> 10))
                check_fits(2 * made)  # the fields, and the text of them
                return in_single_quotes(text) if self.quotes else text
            if match[2] is not None:
                return bytes((int(match[2], 16),)).decode("utf-8", "surrogateescape")
            return "%"

        if _CONTROL.search(format_) is None:
            return _FIELD.sub(value, format_)
        choices = _Choices()
        at = 0
        for match in _FIELD.finditer(format_):
            choices.add(format_[at : match.start()])
            at = match.end()
            if not choices.control(match[1] or ""):
                choices.add(value(match))
        choices.add(format_[at:])
        return choices.end()

    def field(self, word: str, ref: Ref) -> str:
        """Return one field. Raises GitError for an unknown one."""
        name, _, options = word.partition(":")
        oid = ref.oid
        if name.startswith("*"):
            tagged = self.tagged(ref.oid)
            if tagged is None:
                return ""
            name, oid = name[1:], tagged
        if name in ("refname", "symref", "upstream", "push"):
            return self._name_field(name, options, ref)
        if name == "HEAD":
            return "*" if ref.name == self.repository.head_branch() else " "
        if name in ("objectname", "tree", "parent"):
            return self._id_field(name, options, oid)
        found = self.objects.get(oid)
        if name == "objecttype":
            return found.kind
        if name == "objectsize":
            return str(len(found.data))
        if name in (
            "align",
            "color",
            "deltabase",
            "worktreepath",
            "describe",
            "raw",
        ):
            if name == "color":
                return ""
            raise GitError(f"the field %({name}) is not offered in the sandbox (L-GIT-003)")
        return self._content_field(name, options, oid, found.kind)

    def tagged(self, oid: str) -> str | None:
        """Return the object that a tag object names, which may be another tag; None for an object of another type."""
        found = self.objects.find(oid)
        return self.objects.tag(oid).target if found is not None and found.kind == "tag" else None

    def _id_field(self, name: str, options: str, oid: str) -> str:
        if name == "objectname":
            ids = [oid]
        else:
            if self.objects.get(oid).kind != "commit":
                return ""
            commit = self.objects.commit(oid)
            ids = [commit.tree] if name == "tree" else list(commit.parents)
        if options.startswith("short"):
            digits = options.partition("=")[2]
            length = int(digits[:3]) if is_number(digits) else None
            return " ".join(self.names.abbreviate(each, length) for each in ids)
        return " ".join(ids)

    def _name_field(self, name: str, options: str, ref: Ref) -> str:
        if name == "refname":
            return self._shown_name(ref.name, options)
        if name == "symref":
            target = self.repository.refs.target(ref.name)
            return "" if target is None else self._shown_name(target, options)
        if not ref.name.startswith("refs/heads/"):
            return ""
        branch = ref.name.removeprefix("refs/heads/")
        target = (upstream_of if name == "upstream" else push_target)(self.repository, branch)
        if target is None:
            return ""
        if options.startswith(("track", "trackshort")):
            return self._track(ref, target, options)
        return self._shown_name(target, options)

    def _track(self, ref: Ref, target: str, options: str) -> str:
        there = self.repository.refs.resolve(target)
        bare = "nobracket" in options
        if there is None and options.startswith("trackshort"):
            return ""
        if there is None:
            return "gone" if bare else "[gone]"
        ours, theirs = ahead_behind(self.repository, ref.oid, there)
        if options.startswith("trackshort"):
            return "<>" if ours and theirs else ">" if ours else "<" if theirs else "="
        parts = [f"ahead {ours}"] * bool(ours) + [f"behind {theirs}"] * bool(theirs)
        text = ", ".join(parts)
        return text if bare or not text else f"[{text}]"

    def _shown_name(self, name: str, options: str) -> str:
        kind, _, digits = options.partition("=")
        if not kind:
            return name
        if kind == "short":
            return self.names.short_ref(name)
        if kind in ("lstrip", "strip", "rstrip") and is_integer(digits) and len(digits) < 6:
            parts, number = name.split("/"), int(digits)
            if kind == "rstrip":
                parts.reverse()
            kept = parts[number:]
            if kind == "rstrip":
                kept.reverse()
            return "/".join(kept)
        raise GitError(f"unrecognized %(refname) argument: {options}")

    def _content_field(self, name: str, options: str, oid: str, kind: str) -> str:
        content = self._content(oid, kind)
        if name in ("subject", "contents", "body"):
            return self._message_field(name, options, content)
        match = re.fullmatch(r"(author|committer|tagger|creator)(name|email|date)?", name)
        if match is None:
            if name == "tag":
                return content.name if isinstance(content, Tag) else ""
            if name in ("object", "type"):
                return (
                    (content.target if name == "object" else content.kind) if isinstance(content, Tag) else ""
                )
            if name == "numparent":
                return str(len(content.parents)) if isinstance(content, Commit) else ""
            raise GitError(f"unknown field name: {name}")
        person = _person(match[1], content)
        if person is None:
            return ""
        if match[2] == "name":
            return person.name
        if match[2] == "email":
            return {"trim": person.email, "localpart": person.email.partition("@")[0]}.get(
                options, f"<{person.email}>"
            )
        date = show_date(
            person,
            options if match[2] == "date" and options else "default" if match[2] == "date" else "raw",
            self.repository.ctx.now(),
            self.repository.options.environment.get("TZ"),
        )
        return date if match[2] == "date" else f"{person.name} <{person.email}> {date}"

    def _message_field(self, name: str, options: str, content: Commit | Tag | None) -> str:
        message = content.message if content is not None else ""
        if name == "subject" or options == "subject":
            return subject(message)
        if name == "body" or options == "body":
            return body(message)
        if options.startswith("lines="):
            digits = options[6:]
            lines = message.lstrip("\n").split("\n")
            lines = lines[:-1] if lines[-1] == "" else lines
            return "\n    ".join(lines[: int(digits[:6]) if is_number(digits) else 0])
        if options:
            raise GitError(f"the field %(contents:{options}) is not offered in the sandbox (L-GIT-003)")
        return message

    def _content(self, oid: str, kind: str) -> Commit | Tag | None:
        if kind == "commit":
            return self.objects.commit(oid)
        return self.objects.tag(oid) if kind == "tag" else None

    # ------------------------------------------------------------------ order

    def sort(self, refs: Iterable[Ref], keys: tuple[str, ...]) -> list[Ref]:
        """Return the references by the keys of --sort; the last key is the first to compare."""
        result = list(refs)
        for key in keys:
            name = key.removeprefix("-")
            result.sort(key=self._key(name), reverse=key.startswith("-"))
        return result

    def _key(self, name: str) -> Callable[[Ref], tuple[tuple[int, int, str], ...]]:
        field, _, options = name.partition(":")
        if field in ("version", "v"):
            return lambda ref: _version_key(self.field(options or "refname", ref))
        if field.endswith("date"):
            return lambda ref: ((0, int(self.field(f"{field}:unix", ref) or 0), ""),)
        if field in ("objectsize", "numparent"):
            return lambda ref: ((0, int(self.field(field, ref) or 0), ""),)
        return lambda ref: ((0, 0, self.field(name, ref)),)

    # ------------------------------------------------------------------ filters

    def contains(self, ref: Ref, oid: str) -> bool:
        """Return True if a commit is an ancestor of what a reference points to."""
        commit = self.objects.peel(ref.oid, "commit")
        return commit is not None and is_ancestor(self.repository, oid, commit)

    def merged(self, ref: Ref, oid: str) -> bool:
        """Return True if what a reference points to is an ancestor of a commit."""
        commit = self.objects.peel(ref.oid, "commit")
        return commit is not None and is_ancestor(self.repository, commit, oid)


def _version_key(text: str) -> tuple[tuple[int, int, str], ...]:
    """Return the key of --sort=version: digits compare as numbers."""
    parts = _NUMBER.split(text)
    return tuple((1, int(part[:18]), "") if is_number(part) else (0, 0, part) for part in parts if part)


def _person(role: str, content: Commit | Tag | None) -> Identity | None:
    if isinstance(content, Commit):
        return {"author": content.author, "committer": content.committer, "creator": content.committer}.get(
            role
        )
    if isinstance(content, Tag):
        return content.tagger if role in ("tagger", "creator") else None
    return None
