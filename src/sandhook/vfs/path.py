"""Virtual paths; the only place where names are joined.

A VirtualPath is a ``str`` that begins with "/" (surrogateescape for bytes that are not UTF-8).
"""

from __future__ import annotations

from sandhook.typed import NewType

VirtualPath = NewType("VirtualPath", str)

ROOT = VirtualPath("/")


def join(cwd: VirtualPath, name: str) -> VirtualPath:
    """Return ``name`` as an absolute path. ".." remains, because links decide its meaning; only a leading "./" is removed."""
    if name[:1] == "/":
        return VirtualPath(name)
    if name[:2] == "./" and name[2:3] not in ("", "/"):
        name = name[2:]
    if cwd == "/":
        return VirtualPath("/" + name)
    return VirtualPath(f"{cwd}/{name}")


def normalize(path: str) -> VirtualPath:
    """Return the absolute path with ".", ".." and doubled slashes resolved as text.

    ``cd -L`` and ``pwd -L`` need this (POSIX XCU cd, step 8). Links are not resolved.
    """
    parts = path.split("/")
    if ".." not in parts:
        return VirtualPath("/" + "/".join([part for part in parts if part and part != "."]))
    components: list[str] = []
    for part in parts:
        if part == "..":
            if components:
                components.pop()
        elif part and part != ".":
            components.append(part)
    return VirtualPath("/" + "/".join(components))


def dirname(path: str) -> VirtualPath:
    """Return the directory part of an absolute path; for the root, the root."""
    return VirtualPath(path.rstrip("/").rpartition("/")[0] or "/")


def basename(path: str) -> str:
    """Return the last component; "" for the root."""
    return path.rstrip("/").rpartition("/")[2]
