"""``Edit(...)`` and ``Read(...)`` in an `if`: a pattern of paths as .gitignore has them.

``//x`` begins at the root, ``~/x`` at the user's directory, ``/x`` at the project's, all else at the working
directory; a pattern without a slash is about names at any depth. The case of letters makes no difference.
"""

from __future__ import annotations

import posixpath

from sandhook.hooks.flavour import compile_search
from sandhook.pattern.errors import PatternError


def matches(pattern: str, path: str, *, cwd: str, project: str, home: str, rooted: bool) -> bool:
    """Return whether a pattern matches a path; a pattern that cannot be read matches every path.

    Args:
        path: The tool's argument; a relative path is below ``cwd``.
        rooted: A pattern of one directory (``src/**``) is about the one below ``cwd``; else, as before
            2.1.214, about any.
    """
    path, cwd, project, home = (_slashes(each) for each in (path, cwd, project, home))
    path = posixpath.normpath(path if _absolute(path) else f"{cwd}/{path}")
    pattern = pattern.replace("\\", "/") if ":\\" in pattern else pattern
    base, rest = _base(pattern, cwd, project, home)
    name_alone = "/" not in rest.rstrip("/") and base == cwd and not pattern.startswith("/")
    if not rooted and base == cwd and rest.count("/") == 1 and rest.endswith("/**"):
        rest = f"**/{rest}"
    if name_alone:
        rest = f"**/{rest.rstrip('/')}"
    above = base.rstrip("/") + "/"
    if base == cwd and pattern.startswith("*") and "/" not in pattern:
        above = "/"  # such a pattern is about names anywhere, also outside of the working directory
    if not path.lower().startswith(above.lower()):
        return False
    try:
        return compile_search(f"(?i)^(?:{_expression(rest)})(?:/.*)?$", "go")(path[len(above) :])
    except PatternError:
        return True


def _base(pattern: str, cwd: str, project: str, home: str) -> tuple[str, str]:
    if pattern.startswith("//"):
        return "/", pattern[2:]
    if pattern == "~" or pattern.startswith("~/"):
        return home or "/nonexistent", pattern[2:] or "**"
    if pattern[1:3] == ":/":
        return pattern[:2].lower(), pattern[3:]
    if pattern.startswith("/"):
        return project, pattern[1:]
    while pattern.startswith("./"):
        pattern = pattern[2:]
    return cwd, pattern


def _slashes(path: str) -> str:
    """Return a path with slashes, and a drive's letter in lower case, so that both cases are equal."""
    if path[1:3] in (":\\", ":/") or path.startswith("\\\\"):
        path = path.replace("\\", "/")
        return path[:1].lower() + path[1:]
    return path


def _absolute(path: str) -> bool:
    return path.startswith("/") or path[1:3] == ":/"


def _expression(pattern: str) -> str:
    """Return a pattern of .gitignore as RE2."""
    out = []
    at = 0
    while at < len(pattern):
        c = pattern[at]
        if pattern.startswith("**/", at) and (at == 0 or pattern[at - 1] == "/"):
            out.append("(?:.*/)?")
            at += 3
        elif c == "*":
            end = at
            while pattern[end : end + 1] == "*":
                end += 1
            out.append(".*" if end - at > 1 else "[^/]*")
            at = end
        elif c == "?":
            out.append("[^/]")
            at += 1
        elif c == "[" and "]" in pattern[at + 2 :]:
            end = pattern.index("]", at + 2)
            inside = pattern[at + 1 : end].replace("\\", "\\\\").replace("[", "\\[")
            out.append(f"[{'^' + inside[1:] if inside[:1] in '!^' else inside}]")
            at = end + 1
        else:
            out.append(c if c.isalnum() or not c.isascii() else f"\\{c}")
            at += 1
    return "".join(out)
