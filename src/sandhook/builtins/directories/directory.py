"""The working directory of a shell, for cd, pwd, pushd, popd and dirs.

The ``cwd`` of a process is physical (it has no links), so it does not change when a link moves.
The shell itself keeps the logical name, by which it entered the directory, as in bash.
"""

from __future__ import annotations

import errno

from sandhook.builtins.base import write
from sandhook.limits import timed_items
from sandhook.state.state import State
from sandhook.text.quoting import ansi_c, needs_ansi_c
from sandhook.vfs.errors import fs_error
from sandhook.vfs.path import VirtualPath, join, normalize

#: The message of cd and pwd, after their names alone, when the working directory is gone.
LOST = (
    "error retrieving current directory: getcwd: cannot access parent directories: No such file or directory"
)


def logical(state: State) -> str:
    """Return the logical name of the working directory."""
    cwd = state.process.cwd
    cached = state.memo.directory
    if cached is not None and cached[1] == cwd:
        return cached[0]
    inherited = state.get("PWD") or ""
    if inherited[:1] == "/" and inherited != cwd and normalize(inherited) == inherited:
        try:
            if state.process.kernel.fs.realpath(VirtualPath(inherited)) == cwd:
                return inherited
        except OSError:
            pass
    return cwd


def shown(name: str) -> str:
    """Return the name of a directory as messages print it."""
    return ansi_c(name) if needs_ansi_c(name) else name


def physical(state: State) -> str:
    """Return the working directory without links. Raises OSError when it is gone."""
    return _double(logical(state), state.process.kernel.fs.realpath(state.process.cwd))


def resolve(state: State, name: str, *, follow: bool) -> tuple[str, VirtualPath]:
    """Return the new logical and physical directory that ``cd name`` leads to.

    Args:
        follow: cd -P: the logical name is the physical one.

    Raises:
        OSError: ENOENT, ENOTDIR, EACCES, ELOOP.
    """
    fs = state.process.kernel.fs
    if name[:1] == "." and set(name.split("/")) <= {".", ""} and not fs.exists(state.process.cwd):
        state.shell.write_error(state, f"cd: {LOST}\n")  # bash prints this and stays in the directory
        return f"{logical(state)}/{name}", state.process.cwd
    if follow:
        target = fs.realpath(join(state.process.cwd, name))
        _enter(state, target)
        return _double(name if name[:1] == "/" else logical(state), target), target
    removed = _out_of_removed(state, name)
    if removed is not None:
        return removed
    whole = join(VirtualPath(logical(state)), name)
    if "/.." in whole:
        _check_parents(state, whole)
    text = normalize(whole)
    try:
        target = fs.realpath(text)
    except OSError:
        target = fs.realpath(join(state.process.cwd, name))
        text = target
    _enter(state, target)
    return _double(whole, text), target


def _double(path: str, text: str) -> str:
    """Keep two slashes at the start of a path, and no other number of them, as POSIX allows."""
    return f"/{text}" if path[:2] == "//" and path[2:3] != "/" else text


def _out_of_removed(state: State, name: str) -> tuple[str, VirtualPath] | None:
    """Return the parent that ``cd ..`` still reaches when the working directory is gone."""
    cwd = state.process.cwd
    if name.partition("/")[0] != ".." or state.process.kernel.fs.exists(cwd):
        return None
    target = state.process.kernel.fs.realpath(normalize(join(cwd, name)))
    _enter(state, target)
    return target, target


def _check_parents(state: State, path: str) -> None:
    """Check that the path before each ".." is a directory, although normalizing would remove it."""
    components: list[str] = []
    for part in timed_items(path.split("/")):
        if part == "..":
            if components:
                info = state.process.kernel.fs.stat(VirtualPath("/" + "/".join(components)))
                if info.mode & 0o170000 != 0o040000:
                    raise fs_error(errno.ENOTDIR)
                components.pop()
        elif part and part != ".":
            components.append(part)


def _enter(state: State, target: VirtualPath) -> None:
    fs = state.process.kernel.fs
    if not fs.is_dir(target):
        raise fs_error(errno.ENOTDIR)
    if not fs.access(target, 1):
        raise fs_error(errno.EACCES)


def change(state: State, name: str, *, follow: bool) -> str:
    """Go to a directory and set OLDPWD and PWD; return its logical name.

    Raises:
        OSError: The directory cannot be entered; nothing was changed.
        ShellError: OLDPWD or PWD is readonly; the directory was changed.
    """
    old = logical(state)
    text, target = resolve(state, name, follow=follow)
    state.process.cwd = target
    state.memo = state.memo._replace(directory=(text, target))
    state.set("OLDPWD", state.get("PWD") or old)
    state.set("PWD", text)
    return text


def change_along_cdpath(state: State, name: str, *, follow: bool) -> bool:
    """Go to the first directory of CDPATH that has ``name``; print the directory unless the entry is empty."""
    path = state.get("CDPATH")
    if not path or name[:1] == "/" or name.partition("/")[0] in (".", ".."):
        return False
    for entry in timed_items(path.split(":")):
        candidate = f"{entry.rstrip('/')}/{name}" if entry else f"./{name}"
        try:
            directory = change(state, candidate, follow=follow)
        except OSError:
            continue
        if entry:
            write(state, f"{candidate if follow else directory}\n")
        return True
    return False
