"""Commits as electronic mail: the headers of --pretty=email and --pretty=mboxrd.

Source: git-log(1), "PRETTY FORMATS"; RFC 2047; git 2.39, pretty.c.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sandhook.lazy import lazily
from sandhook.utilities.git.history.messages import body, subject, trimmed, wrapped_text
from sandhook.utilities.git.store.commits import Commit, Identity

_WIDTH = 78
_MOST_ENCODED = 76
_OPENING = "=?UTF-8?q?"
_QUOTED = lazily(r'[()<>\[\]:;@\\,."]')
_SENDER = lazily(r">*From ")
_MIME = (
    "MIME-Version: 1.0",
    "Content-Type: text/plain; charset=UTF-8",
    "Content-Transfer-Encoding: 8bit",
)


def email_lines(
    commit: Commit, author: Identity, date: str, *, is_mboxrd: bool, prefix: str = "[PATCH] "
) -> Iterator[str]:
    """Yield the lines of a commit as a message.

    Args:
        author: The author, after .mailmap. date: Its date in the form of RFC 2822.
        is_mboxrd: Lines of the body that look like the first line of a message have ">" before them.
        prefix: What the subject begins with.
    """
    yield f"From {commit.oid} Mon Sep 17 00:00:00 2001"
    yield sender(author)
    yield f"Date: {date}"
    yield _folded(f"Subject: {prefix}", subject(commit.message))
    if not commit.message.isascii():
        yield from _MIME
    yield ""
    text = trimmed(body(commit.message))
    for line in text.split("\n") if text else ():
        shown = line.rstrip()
        yield f">{shown}" if is_mboxrd and _SENDER.match(shown) else shown


def sender(author: Identity) -> str:
    """Return the header with the author, in two lines if it is long."""
    name = author.name
    if _needs_code(name):
        text = "From: " + _encoded(name, len("From: "), lambda c: c.isalnum() or c in "!*+-/")
    else:
        quoted = name.replace("\\", "\\\\").replace('"', '\\"')
        text = "From: " + (f'"{quoted}"' if _QUOTED.search(name) else name)
    end = f" <{author.email}>"
    last = text.rpartition("\n")[2]
    return text + ("\n" if len(last) + len(end) > _WIDTH else "") + end


def _needs_code(text: str) -> bool:
    return not text.isascii() or "\n" in text or "=?" in text


def _folded(head: str, text: str) -> str:
    """Return a header in lines of at most 78 columns."""
    if _needs_code(text):
        return head + _encoded(text, len(head), lambda c: c not in "=?_ " and c.isprintable())
    return head + wrapped_text(text, _WIDTH, -len(head), 1)


def _encoded(text: str, used: int, is_plain: Callable[[str], bool]) -> str:
    """Return a text in the code of RFC 2047, in several lines if it is long.

    Args:
        used: Columns of the line before the text. is_plain: Returns True for a character of ASCII that stays as it is.
    """
    pieces = [_OPENING]
    length = used + len(_OPENING)
    for character in text:
        if character.isascii() and is_plain(character):
            code = character
        else:
            code = "".join(f"={byte:02X}" for byte in character.encode("utf-8", "surrogateescape"))
        if length + len(code) + 2 > _MOST_ENCODED:
            pieces.append(f"?=\n {_OPENING}")
            length = len(_OPENING) + 1
        pieces.append(code)
        length += len(code)
    return "".join(pieces) + "?="
