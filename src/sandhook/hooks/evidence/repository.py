"""The directory that ``git rev-parse --show-toplevel`` prints, found as git finds it, without git."""

from __future__ import annotations

import posixpath
from collections.abc import Callable

from sandhook.lazy import lazily
from sandhook.record import Record

#: The section of a configuration of git, and its settings that decide where the files of the repository are.
_SECTION = lazily(r"\s*\[\s*([^\]\s\"]+)")
_SETTING = lazily(r"(?i)\s*+(worktree|bare)\s*+(?:=(.*))?$")


class Toplevel(Record):
    """The result of a search.

    Attributes:
        path: The directory; None outside of repositories, and where a setting of git decides.
        absent: Paths that do not exist, and of which each would be another repository.
        outside: There is no repository, so git fails.
    """

    path: str | None
    absent: tuple[str, ...] = ()
    outside: bool = False


def toplevel(
    directory: str, read: Callable[[str], bytes | None], resolve: Callable[[str], str] = posixpath.normpath
) -> Toplevel:
    """Find the repository of a directory.

    Args:
        directory: An absolute path.
        read: Returns the bytes of a regular file, None for anything else.
        resolve: Returns a path without symbolic links.
    """
    place = resolve(directory)
    absent: list[str] = []
    while True:
        own = f"{place.rstrip('/')}/.git"
        link = read(own)
        if link is not None:
            text = link.decode("utf-8", "surrogateescape")
            inner = posixpath.join(place, text.removeprefix("gitdir:").strip())
            stays = text.startswith("gitdir:") and _stays(place, posixpath.normpath(inner), read, resolve)
            return Toplevel(place if stays else None, tuple(absent))
        if read(f"{own}/HEAD") is not None:
            return Toplevel(place if _stays(place, own, read, resolve) else None, tuple(absent))
        absent += [own, f"{own}/HEAD"]
        if place in ("", "/") or posixpath.dirname(place) == place:
            return Toplevel(None, tuple(absent), outside=True)
        place = posixpath.dirname(place)


def _stays(
    place: str, inner: str, read: Callable[[str], bytes | None], resolve: Callable[[str], str]
) -> bool:
    """Return False if the settings of a repository place its files elsewhere, or it has none.

    A linked worktree has its own settings in addition to those of its repository, which are not about it.
    """
    linked = read(f"{inner}/commondir") is not None
    names = ("config.worktree",) if linked else ("config", "config.worktree")
    section = ""
    for name in names:
        for line in (read(f"{inner}/{name}") or b"").decode("utf-8", "surrogateescape").splitlines():
            if (header := _SECTION.match(line)) is not None:
                section = header[1].lower()
                line = line.partition("]")[2]
            setting = _SETTING.match(line) if section == "core" else None
            if setting is None:
                continue
            value = (setting[2] or "true").strip().strip('"')
            if setting[1].lower() == "bare":
                if value.lower() not in ("false", "no", "off", "0"):
                    return False
            elif resolve(posixpath.normpath(posixpath.join(inner, value))) != place:
                return False
    return True
