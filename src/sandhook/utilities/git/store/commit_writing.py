"""Writes commits.

Source: git 2.39, commit_tree_extended in commit.c.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.utilities.git.store.access import encode
from sandhook.utilities.git.store.repository import Repository
from sandhook.utilities.git.store.writing import write_object

_UTF8 = ("utf-8", "utf8")


def write_commit(
    repository: Repository, tree: str, parents: Sequence[str], people: tuple[str, str], message: str
) -> str:
    """Write a commit and return its name.

    Args:
        people: The author and the committer, each as "Name <email> time zone".
        message: In the encoding of i18n.commitEncoding, which the commit names.
    """
    encoding = repository.config.get("i18n.commitencoding") or _UTF8[0]
    lines = [f"tree {tree}", *(f"parent {each}" for each in parents)]
    lines += [f"author {people[0]}", f"committer {people[1]}"]
    lines += [] if encoding.lower() in _UTF8 else [f"encoding {encoding}"]
    return write_object(repository.objects, "commit", encode("\n".join([*lines, "", message])))
