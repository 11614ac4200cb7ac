"""Mail maps: the names and addresses that stand for those in commits.

Source: gitmailmap(5); git 2.39, mailmap.c.
"""

from __future__ import annotations

from sandhook.record import Record
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.store.access import decode
from sandhook.utilities.git.store.commits import Identity
from sandhook.utilities.git.store.repository import Repository
from sandhook.vfs.path import VirtualPath, join


class _New(Record):
    """What replaces a name and an address; "" for no replacement."""

    name: str = ""
    email: str = ""


class Mailmap:
    """The maps of a repository: ``.mailmap``, mailmap.blob and mailmap.file, the strongest last."""

    def __init__(self, repository: Repository) -> None:
        self._by_email: dict[str, _New] = {}
        self._by_both: dict[tuple[str, str], _New] = {}
        self._repository = repository
        access, config, root = repository.access, repository.config, repository.place.root
        path = f"{(root or '').rstrip('/')}/.mailmap"
        stat = None if root is None else access.stat(path)
        if stat is not None and stat.mode & 0o170000 == 0o100000:  # a link is not followed
            self._read(access.text_or_none(path) or "")
        blob = config.get("mailmap.blob") or ("HEAD:.mailmap" if repository.place.bare else "")
        if blob:
            self._read(self._blob(blob))
        if name := config.get("mailmap.file"):
            home = repository.options.environment.get("HOME", "")
            file = name if not name.startswith("~/") else f"{home}/{name[2:]}"
            self._read(access.text_or_none(join(VirtualPath(root or repository.options.cwd), file)) or "")

    def __bool__(self) -> bool:
        return bool(self._by_email or self._by_both)

    def _blob(self, name: str) -> str:
        try:
            oid = Names(self._repository).find(name)
        except GitError:
            oid = None
        if oid is None:
            return ""
        found = self._repository.objects.get(oid)
        return decode(found.data) if found.kind == "blob" else ""

    def _read(self, text: str) -> None:
        for line in text.split("\n"):
            self._repository.access.charge(1)
            (name, email, rest), more = _contact(line), []
            if line.startswith("#") or not email:
                continue
            if (second := _contact(rest))[1] is not None:
                more = [(second[0], second[1] or "")]
            old_name, old_email = more[0] if more else ("", email)
            new = _New(name, email if more else "")
            if old_name:
                self._by_both[old_email.lower(), old_name.lower()] = new
                continue
            before = self._by_email.get(old_email.lower(), _New())
            self._by_email[old_email.lower()] = _New(new.name or before.name, new.email or before.email)

    def of(self, person: Identity) -> Identity:
        """Return a person with the name and the address of the map."""
        new = self._by_both.get((person.email.lower(), person.name.lower()))
        new = new or self._by_email.get(person.email.lower())
        if new is None:
            return person
        return person._replace(name=new.name or person.name, email=new.email or person.email)


def _contact(text: str) -> tuple[str, str | None, str]:
    """Return the name and the address at the beginning of a text, None without one, and the rest."""
    name, _, rest = text.partition("<")
    email, end, rest = rest.partition(">")
    return name.strip(), email if end else None, rest
