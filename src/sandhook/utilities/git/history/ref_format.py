"""The fields of references: --format, --sort and --contains of for-each-ref, branch and tag.

Source: git-for-each-ref(1); git 2.39, ref-filter.c.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cmp_to_key

from sandhook.limits import check_fits
from sandhook.record import Record
from sandhook.text.numbers import is_integer, is_number
from sandhook.typed import Any
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.bases import ahead_behind, is_ancestor
from sandhook.utilities.git.history.dates import show_date
from sandhook.utilities.git.history.messages import body, subject
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.history.ref_text import QUOTES, Parts, compare_versions, version_key
from sandhook.utilities.git.history.upstream import push_target, pushed_reference, upstream_of
from sandhook.utilities.git.names.colors import RESET, parse_color
from sandhook.utilities.git.store.access import encode
from sandhook.utilities.git.store.commits import Commit, Identity, Tag
from sandhook.utilities.git.store.disk import Storage
from sandhook.utilities.git.store.repository import Repository

_FIELD = re.compile(r"%\(([^()]*)\)|%([0-9a-fA-F]{2})|%%")
_TRACKING = ("track", "trackshort", "nobracket", "remotename", "remoteref")
_SHORTENING = ("", "short", "strip", "lstrip", "rstrip")
_CONTROL = re.compile(r"%\((?:if|then|else|end|align)[:)]")
_COLOR = re.compile(r"%\(color:([^()]*)\)")


class Ref(Record):
    """A reference and the object that it points to."""

    name: str
    oid: str


class RefFields:
    """Computes the fields of references."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository
        self.objects = repository.objects
        self.names = Names(repository)
        self.quotes = ""  #: the language that fields are quoted for, such as "shell"; "" for none
        self.colored = False  #: %(color) has an effect
        self.trees: Callable[[], dict[str, str]] = (
            dict  #: returns the branches of working trees with their paths
        )
        self._storage = Storage(repository.objects)

    def _quoted(self, text: str) -> str:
        return QUOTES[self.quotes](text) if self.quotes else text

    def line(self, format_: str, ref: Ref) -> str:
        """Return a format with the fields of a reference, and the end of its last colour."""
        text = self.expand(format_, ref)
        colors = _COLOR.findall(format_) if self.colored else []
        return text + self._quoted(RESET) if colors and colors[-1] != "reset" else text

    def expand(self, format_: str, ref: Ref) -> str:
        """Return a format with the fields of a reference."""
        charge = self.repository.access.charge
        charge(4)
        made = 0
        parts = Parts(self._quoted, charge)

        def value(match: re.Match[str]) -> str:
            nonlocal made
            if match[1] is not None:
                text = self.field(match[1], ref)
                made += len(text)
                charge(1 + (len(text) >> 10))
                check_fits(2 * made)  # the fields, and the text of them
                return text if parts.is_inside else self._quoted(text)
            if match[2] is not None:
                return bytes((int(match[2], 16),)).decode("utf-8", "surrogateescape")
            return "%"

        if _CONTROL.search(format_) is None:
            return _FIELD.sub(value, format_)
        at = 0
        for match in _FIELD.finditer(format_):
            parts.add(format_[at : match.start()])
            at = match.end()
            if not parts.control(match[1] or ""):
                parts.add(value(match))
        parts.add(format_[at:])
        return parts.end()

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
            if options not in ("", "disk"):
                raise GitError(f"unrecognized %(objectsize) argument: {options}")
            return str(self._storage.size(oid) if options else len(found.data))
        if name == "deltabase":
            return self._storage.base(oid)
        if name == "raw":
            return self._raw(found.data, options)
        if name == "color":
            return self._color(options)
        if name == "worktreepath":
            return self.trees().get(ref.name, "") if word[:1] != "*" else ""
        return self._content_field(name, options, oid, found.kind)

    def _raw(self, data: bytes, options: str) -> str:
        if options not in ("", "size"):
            raise GitError(f"unrecognized %(raw) argument: {options}")
        if options:
            return str(len(data))
        if self.quotes and self.quotes != "perl":
            raise GitError("--format=raw cannot be used with --python, --shell, --tcl")
        return data.decode("utf-8", "surrogateescape")

    def _color(self, options: str) -> str:
        if not options:
            raise GitError("expected format: %(color:<color>)")
        color = parse_color(options)
        if color is None:
            raise GitError(
                f"invalid color value: {options}\nfatal: unrecognized color: %(color:{options})",
                prefix="error",
            )
        return color if self.colored else ""

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
            return "" if target is None else self._shown_name(target, options, name)
        kind = options.partition("=")[0]
        if any(word not in _TRACKING for word in kind.split(",")) and kind not in _SHORTENING:
            raise GitError(f"unrecognized %({name}:{options}) argument: {options}")
        if not ref.name.startswith("refs/heads/"):
            return ""
        branch = ref.name.removeprefix("refs/heads/")
        if options in ("remotename", "remoteref"):
            return self._remote_field(name, options, branch)
        target = (upstream_of if name == "upstream" else push_target)(self.repository, branch)
        if target is None:
            return ""
        if options.startswith(("track", "trackshort")):
            return self._track(ref, target, options)
        return self._shown_name(target, options, name)

    def _remote_field(self, name: str, options: str, branch: str) -> str:
        """Return the remote of a branch, or the reference there that it tracks or is pushed to."""
        get = self.repository.config.get
        remote = get(f"branch.{branch}.remote") or ""
        if name == "push":
            remote = get(f"branch.{branch}.pushremote") or get("remote.pushdefault") or remote
        if options == "remotename":
            return remote
        if name == "push":
            found = pushed_reference(self.repository, branch, remote)
            return found or ""
        return get(f"branch.{branch}.merge") or ""

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

    def _shown_name(self, name: str, options: str, field: str = "refname") -> str:
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
        raise GitError(f"unrecognized %({field}:{options}) argument: {options}")

    def _content_field(self, name: str, options: str, oid: str, kind: str) -> str:
        content = self._content(oid, kind)
        if name == "trailers":
            return self._trailers(options, content)
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
            raise GitError(f"unknown field name: {name}{':' * bool(options)}{options}")
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
        if name == "subject" and options == "sanitize":
            from sandhook.utilities.git.history.placeholders import as_file_name  # which most formats lack

            return as_file_name(subject(message))
        if name == "body" and options:
            raise GitError("%(body) does not take arguments")
        if name == "subject" and options:
            raise GitError(f"unrecognized %(subject) argument: {options}")
        if name == "subject" or options == "subject":
            return subject(message)
        if name == "body" or options == "body":
            return body(message)
        if options == "size":
            return str(len(encode(message)))
        kind, _, rest = options.partition(":")
        if kind == "trailers":
            return self._trailers(rest, content)
        if options.startswith("lines="):
            digits = options[6:]
            lines = message.lstrip("\n").split("\n")
            lines = lines[:-1] if lines[-1] == "" else lines
            return "\n    ".join(lines[: int(digits[:6]) if is_number(digits) else 0])
        if options:
            if options == "signature":
                raise GitError("the field %(contents:signature) is not offered in the sandbox (L-GIT-003)")
            raise GitError(f"unrecognized %(contents) argument: {options}")
        return message

    def _trailers(self, options: str, content: Commit | Tag | None) -> str:
        if content is None:
            return ""
        from sandhook.utilities.git.history.placeholders import trailers_text

        text = trailers_text(self.repository, content.message, options)
        if text is None:
            known = ("key", "only", "separator", "unfold", "keyonly", "valueonly", "key_value_separator")
            wrong = next(
                (word for word in options.split(",") if word.partition("=")[0] not in known), options
            )
            raise GitError(f"unknown %(trailers) argument: {wrong}")
        return text

    def _content(self, oid: str, kind: str) -> Commit | Tag | None:
        if kind == "commit":
            return self.objects.commit(oid)
        return self.objects.tag(oid) if kind == "tag" else None

    # ------------------------------------------------------------------ order

    def sort(self, refs: Iterable[Ref], keys: tuple[str, ...], *, ignore_case: bool = False) -> list[Ref]:
        """Return the references by the keys of --sort; the last key is the first to compare."""
        result = list(refs)
        for key in keys:
            name = key.removeprefix("-")
            result.sort(key=self._key(name, ignore_case=ignore_case), reverse=key.startswith("-"))
        return result

    def _key(self, name: str, *, ignore_case: bool) -> Callable[[Ref], Any]:
        field, _, options = name.partition(":")
        if field in ("version", "v"):
            get = self.repository.config.get_all
            suffixes = get("versionsort.suffix") or get("versionsort.prereleasesuffix")

            def compare(first: str, second: str) -> int:
                return compare_versions(first, second, suffixes)

            order = cmp_to_key(compare)
            if suffixes:
                return lambda ref: order(self.field(options or "refname", ref))
            return lambda ref: version_key(self.field(options or "refname", ref))
        if field.endswith("date"):
            return lambda ref: ((0, int(self.field(f"{field}:unix", ref) or 0), ""),)
        if field in ("objectsize", "numparent"):
            return lambda ref: ((0, int(self.field(field, ref) or 0), ""),)
        if ignore_case:
            return lambda ref: ((0, 0, self.field(name, ref).lower()),)
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


def _person(role: str, content: Commit | Tag | None) -> Identity | None:
    if isinstance(content, Commit):
        return {"author": content.author, "committer": content.committer, "creator": content.committer}.get(
            role
        )
    if isinstance(content, Tag):
        return content.tagger if role in ("tagger", "creator") else None
    return None
