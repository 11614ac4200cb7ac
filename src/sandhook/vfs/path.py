"""Virtual paths; the only place where names are joined and refused.

A VirtualPath is a ``str`` that begins with "/" (surrogateescape for bytes that are not UTF-8).
"""

from __future__ import annotations

from typing import NewType

VirtualPath = NewType("VirtualPath", str)

ROOT = VirtualPath("/")


def join(cwd: VirtualPath, name: str) -> VirtualPath:
    """Return ``name`` as an absolute path; ".." stays, for links decide what it means, and "." but at its beginning."""
    if name[:1] == "/":
        return VirtualPath(name)
    if name[:2] == "./" and name[2:3] not in ("", "/"):
        name = name[2:]
    if cwd == "/":
        return VirtualPath("/" + name)
    return VirtualPath(f"{cwd}/{name}")


def normalize(path: str) -> VirtualPath:
    """Return the absolute path with ".", ".." and doubled slashes resolved as text.

    That is what ``cd -L`` and ``pwd -L`` do (POSIX XCU cd, step 8); it does not look at links.
    """
    kept: list[str] = []
    for part in path.split("/"):
        if part == "..":
            if kept:
                kept.pop()
        elif part and part != ".":
            kept.append(part)
    return VirtualPath("/" + "/".join(kept))


def dirname(path: str) -> VirtualPath:
    """Return the directory part of an absolute path; the root's is the root."""
    return VirtualPath(path.rstrip("/").rpartition("/")[0] or "/")


def basename(path: str) -> str:
    """Return the last component; "" for the root."""
    return path.rstrip("/").rpartition("/")[2]
