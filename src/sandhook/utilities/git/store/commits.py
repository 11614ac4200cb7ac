"""Commits and tags, as dulwich parses them."""

from __future__ import annotations

import re

from dulwich.errors import ObjectFormatException
from dulwich.objects import Commit as ParsedCommit
from dulwich.objects import Tag as ParsedTag

from sandhook.record import Record
from sandhook.utilities.git.errors import MissingObject
from sandhook.utilities.git.store.access import decode

#: Seconds and a zone; the quantifiers are possessive, so that no text makes the search go back.
_MOMENT = re.compile(r"[^0-9]*+([0-9]++) ?([+-][0-9]+)?")


class Identity(Record):
    """A person and a time: seconds since the epoch, and a zone such as "+0200"."""

    name: str
    email: str
    time: int
    zone: str


class Commit(Record):
    """A commit.

    Fields:
        parents: Empty for a root, and where a shallow history ends.
        author, committer: Persons with times.
        encoding: The encoding of the message, "" for UTF-8.
        message: The text after the headers, in UTF-8.
        raw: All of its data.
    """

    oid: str
    tree: str
    parents: tuple[str, ...]
    author: Identity
    committer: Identity
    encoding: str
    message: str
    raw: bytes


class Tag(Record):
    """An annotated tag: the object that it names, and the words about it."""

    oid: str
    target: str
    kind: str
    name: str
    tagger: Identity | None
    message: str


def identity(text: str) -> Identity:
    """Parse "Name <email> 1700000000 +0100"; what is missing is "" or 0."""
    name, _, rest = text[:10_000].partition("<")
    email, end, rest = rest.partition(">")
    if not end:
        return Identity(text.strip(), "", 0, "+0000")
    match = _MOMENT.match(rest)
    if match is None:
        return Identity(name.strip(), email, 0, "+0000")
    return Identity(name.strip(), email, int(match[1][:15]), match[2] or "+0000")


def parse_commit(oid: str, data: bytes, shallow: bool) -> Commit:
    """Return a commit. Raises MissingObject for damaged data."""
    head, _, body = data.partition(b"\n\n")
    author = committer = ""
    for line in head.split(b"\n"):
        if line.startswith(b"author "):
            author = author or decode(line[7:])
        elif line.startswith(b"committer "):
            committer = committer or decode(line[10:])
    try:
        parsed = ParsedCommit.from_string(_essential(head))
        tree = parsed.tree.decode("ascii")
        parents = tuple(parent.decode("ascii") for parent in parsed.parents)
        encoding = parsed.encoding.decode("ascii", "replace") if parsed.encoding else ""
    except (ObjectFormatException, ValueError, AttributeError, AssertionError):
        raise MissingObject(f"bad object {oid}") from None
    message = decode(body)
    if encoding:
        author, committer, message = _recoded(encoding, author, committer, body)
    return Commit(
        oid,
        tree,
        () if shallow else parents,
        author=identity(author),
        committer=identity(committer),
        encoding=encoding,
        message=message,
        raw=data,
    )


def _essential(head: bytes) -> bytes:
    """Return the headers that dulwich parses: others, such as a signature, may be damaged without harm."""
    lines = [line for line in head.split(b"\n") if line.startswith((b"tree ", b"parent ", b"encoding "))]
    return b"\n".join(lines) + b"\n\n"


def _recoded(encoding: str, author: str, committer: str, body: bytes) -> tuple[str, str, str]:
    """Return both persons and the message as text of an encoding; as UTF-8 if they are not in the encoding."""
    from sandhook.utilities.git.store.encodings import codec_of, decoded  # which most commits do not need

    codec = codec_of(encoding)
    text = None if codec is None else decoded(body, codec)
    if codec is None or text is None:
        return author, committer, decode(body)
    people = [decoded(each.encode("utf-8", "surrogateescape"), codec) or each for each in (author, committer)]
    return people[0], people[1], text


def parse_tag(oid: str, data: bytes) -> Tag:
    """Return an annotated tag. Raises MissingObject for damaged data."""
    head, _, body = data.partition(b"\n\n")
    tagger = None
    for line in head.split(b"\n"):
        if line.startswith(b"tagger "):
            tagger = identity(decode(line[7:]))
    try:
        lines = [each for each in head.split(b"\n") if not each.startswith(b"tagger ")]
        parsed = ParsedTag.from_string(b"\n".join(lines) + b"\n\n")
        kind, target = parsed.object
        name = decode(parsed.name)
        return Tag(oid, target.decode("ascii"), decode(kind.type_name), name, tagger, decode(body))
    except (ObjectFormatException, ValueError, AttributeError, AssertionError, TypeError):
        raise MissingObject(f"bad tag object {oid}") from None
