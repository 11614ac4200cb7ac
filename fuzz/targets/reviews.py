"""Changes that --write-back may write: never a file that a tool obeys, nor a link that leads out, unless it is named."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable

from fuzz.pieces import Pieces, promise
from sandhook.cli.write_back import Review, change_line, report_refused
from sandhook.vfs.changes import Change
from sandhook.vfs.path import VirtualPath

WORDS = (
    *(
        "/.git/hooks/x",
        "/.GIT",
        "/a/.claude",
        "/CLAUDE.md",
        "/sitecustomize.py",
        "/.envrc",
        "/a.pth",
        "..",
        "../x",
    ),
    *("/", "//", ".", "\u0130", "\u200d", "\ufb01", "/.g\u0131t", "~1", " ", ":", "\\", "a", "/workspace/"),
)

MODES = (0o100644, 0o100755, 0o040755, 0o120777, 0o100600, 0o104711)

KINDS = ("created", "modified", "deleted", "chmod")


def seeds() -> Iterable[bytes]:
    for mode, path, content in (
        *(
            (0, "a.txt", "x"),
            (1, "bin/run", "x"),
            (2, ".git", ""),
            (3, "d/l", "../a.txt"),
            (3, "l", "../../etc"),
        ),
        *(
            (0, ".claude/settings.json", "{}"),
            (0, "conftest.py", ""),
            (0, "d/e/f", ""),
            (3, "a", "/etc/passwd"),
        ),
    ):
        yield bytes([mode, 0]) + f"{path}\0{content}\0".encode()
    yield bytes([0, 0]) + b".git/config\0x\0.git/config"


def target(data: bytes) -> None:
    pieces = Pieces(data)
    mode, kind = pieces.choice(MODES), pieces.choice(KINDS)
    path, content, named, *_ = (*pieces.fields(3), b"", b"")
    text = path.decode("utf-8", "surrogateescape").replace("\0", "")
    parts = [part for part in text.split("/") if part not in ("", ".", "..")]
    if not parts:
        return
    change = Change(
        kind,  # type: ignore[arg-type]
        VirtualPath("/" + "/".join(parts)),
        mode,
        lambda: content,
    )
    review = Review("/nowhere/project", [named.decode("utf-8", "surrogateescape")])
    written, refused = review.split([change])
    promise([change] == [*written, *(each for each, _ in refused)], "a change is written or refused", parts)
    review.unused([change])
    change_line(change)
    report_refused(refused, lambda line: None)
    if not written or review._is_named(change):
        return
    promise(not any(map(obeyed, parts[:-1])) and parts[-1].lower() != ".git", "no file of a tool", parts)
    if os.name != "nt":
        quiet = kind == "deleted" or not change.is_file or not mode & 0o111
        promise(quiet, "nothing becomes executable", parts)
    if change.is_link and kind != "deleted":
        leads = posixpath.normpath(
            posixpath.join("/p", *parts[:-1], content.decode("utf-8", "surrogateescape"))
        )
        promise(leads == "/p" or leads.startswith("/p/"), "no link leads out", parts, content)


def obeyed(part: str) -> bool:
    """Return whether a directory belongs to a tool: its name begins with a dot."""
    return part.startswith(".")
