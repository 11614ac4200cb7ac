r"""Converts names of files on Windows between the system's form and the shell's.

A shell's paths begin with "/" and have "/" between their components: C:\Users\x is /c/Users/x, and the
share \\server\share is //server/share. Scripts may write both forms. The kernel puts the working directory
before a path that does not begin with "/", so that C:\x arrives as /d/work/C:\x. Names on Windows have
no colon or backslash, so this can only mean C:\x.

These functions read no files and do not depend on the system that runs them. On POSIX the two forms are
the same, and these functions are not called.

Source: Microsoft, "Naming Files, Paths, and Namespaces".
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator

from sandhook.vfs.errors import fs_error
from sandhook.vfs.hostnames import check_windows_name

_NULL = "nul"


def to_native(virtual: str, drive: str = "C:", temporary: str = "") -> str:
    r"""Return the system's name of an absolute path of the shell.

    ``/c/a`` is ``C:\a``; ``/`` and paths that do not begin with a drive's letter are on the drive of the working
    directory. A component that is a Windows path replaces all components before it: ``/d/work/C:\a`` is
    ``C:\a``, and ``/d/work/\a`` is ``D:\a``. "." and ".." stay. /dev/null, and every ``nul``, are the device.

    Args:
        virtual: The path.
        drive: The drive of "/": "C:", or the share ``\\server\share``.
        temporary: The native directory of /tmp; for "" it is on the drive.

    Raises:
        OSError: EINVAL for names that no file on Windows can have (``con``, ``a.``, ``file:stream``,
            ``C:file``); ENOENT for "" and for a server without share.
    """
    if not virtual:
        raise fs_error(errno.ENOENT)
    if virtual == "/dev/null":
        return "NUL"
    if temporary and (virtual == "/tmp" or virtual.startswith("/tmp/")):
        virtual = to_virtual(temporary, drive) + virtual[4:]
    names: list[str] = []
    root, pieces = _begin(virtual, drive.rstrip("\\"))
    pieces.reverse()  # so that pop() returns the next piece
    while pieces:
        piece = pieces.pop()
        if piece.startswith("\\\\?"):  # everything after this prefix is one native path
            piece = "\\".join([piece, *reversed(pieces)])[4:]
            pieces.clear()
            if piece[:4].upper() == "UNC\\":
                piece = "\\\\" + piece[4:]
            elif not is_drive(piece[:2]):
                raise fs_error(errno.EINVAL, virtual)
        if is_drive(piece[:2]):
            if piece[2:3] not in ("", "\\"):
                raise fs_error(errno.EINVAL, virtual)  # relative to an unknown directory
            root, names = piece[:2].upper(), piece[2:].split("\\")
        elif piece.startswith("\\\\"):
            parts = [part for part in piece.split("\\") if part]
            pieces += reversed(parts[1:])
            root, names = _share("".join(parts[:1]), pieces.pop() if pieces else "", virtual), []
        elif piece.startswith("\\"):
            names = piece.split("\\")
        else:
            names += piece.split("\\")
    return _join(root, names, virtual)


def to_virtual(native: str, drive: str = "C:") -> str:
    r"""Return the shell's name of a path: ``C:\a`` and ``c:/a`` are ``/c/a``, ``a\b`` is ``a/b``.

    Args:
        native: The path, absolute or relative.
        drive: The drive of ``\a``, as for ``to_native``.

    Raises:
        OSError: EINVAL for ``C:a``, which is relative to an unknown directory, and for the namespace
            of devices.
    """
    text = native.replace("\\", "/")
    if text.lower() == _NULL:
        return "/dev/null"
    if text.startswith(("//?/", "//./")):
        text = text[4:]
        if text[:4].lower() == "unc/":
            text = "//" + text[4:]
        elif native[2] == "." or not is_drive(text[:2]):
            raise fs_error(errno.EINVAL, native)
    if is_drive(text[:2]):
        if text[2:3] not in ("", "/"):
            raise fs_error(errno.EINVAL, native)
        return _without_slash(f"/{text[0].lower()}{text[2:]}")
    if text.startswith("//"):
        return _without_slash(text)
    if text.startswith("/"):
        return _without_slash(to_virtual(drive + "/").rstrip("/") + text)
    return text


def to_argument(word: str, exists: Callable[[str], bool], temporary: str = "") -> str:
    """Return an argument of a program, or a variable's value, with a path of the shell in a form of Windows.

    A program of Windows reads ``/c/work/x`` as ``C:\\c\\work\\x``, so it receives ``C:/work/x``, also in
    ``--out=/c/work/x``. A path begins with the letter of an existing drive, or with /tmp. Options
    (``/c``), routes (``/v/1``) and lists do not change.

    Args:
        word: The argument.
        exists: Returns True for a drive that exists, "C:".
        temporary: As for ``to_native``.
    """
    if "/" not in word:
        return word
    option, equals, path = word.partition("=") if word.startswith("-") else ("", "", word)
    if ":" in path:
        return word
    if path[2:3] == "/" and path[0] == "/" and is_drive(drive := path[1] + ":") and exists(drive.upper()):
        return f"{option}{equals}{drive.upper()}{path[2:]}"
    if temporary and (path == "/tmp" or path.startswith("/tmp/")):
        return option + equals + temporary.replace("\\", "/").rstrip("/") + path[4:]
    return word


def is_drive(text: str) -> bool:
    """Return True for the name of a drive: "C:"."""
    return len(text) == 2 and text[1] == ":" and text[0].isascii() and text[0].isalpha()


def is_native(name: str) -> bool:
    r"""Return True for a name that can only be a Windows path: it has a backslash, or begins with a drive."""
    return "\\" in name or is_drive(name[:2])


def list_to_native(value: str, drive: str = "C:") -> str:
    r"""Convert a PATH of the shell to the system's form: ``/c/a:/c/b`` is ``C:\a;C:\b``.

    Entries in the system's form do not change: in ``C:\x:/c/a`` the first colon is part of a drive, and
    semicolons separate entries, too. Impossible names do not change. Empty entries, which mean the working
    directory to a shell, are left out.
    """
    return ";".join(_native_entry(entry, drive) for entry in _entries(value) if entry)


def list_to_virtual(value: str, drive: str = "C:") -> str:
    r"""Convert the system's PATH to the shell's form: ``C:\a;C:\b`` is ``/c/a:/c/b``.

    Empty entries, which mean nothing on Windows but the working directory to a shell, are left out.
    Quotation marks around an entry, which allow a semicolon in it, are removed.
    """
    return ":".join(_virtual_entry(entry, drive) for entry in _split_list(value) if entry)


def _begin(virtual: str, drive: str) -> tuple[str, list[str]]:
    """Return the root of a path, without a backslash at its end, and the components after it."""
    pieces = [piece for piece in virtual.split("/") if piece]
    if virtual.startswith("//") and virtual[2:3] not in ("", "/", "\\"):
        pieces[0] = "\\\\" + pieces[0]
    elif pieces and len(pieces[0]) == 1 and is_drive(pieces[0] + ":"):
        return pieces[0].upper() + ":", pieces[1:]
    return drive, pieces


def _share(server: str, share: str, virtual: str) -> str:
    if not server or server == "." or any(letter in '<>:"|?*' or letter < " " for letter in server):
        raise fs_error(errno.EINVAL, virtual)  # "." is the namespace of devices
    if not share:
        raise fs_error(errno.ENOENT, virtual)
    _join("", [share], virtual)
    return f"\\\\{server}\\{share}"


def _join(root: str, names: list[str], virtual: str) -> str:
    for name in names:
        if name.lower() == _NULL:
            return "NUL"
        if name not in ("", ".", ".."):
            try:
                check_windows_name(name)
            except OSError:
                raise fs_error(errno.EINVAL, virtual) from None
    return root + "\\" + "\\".join(name for name in names if name)


def _without_slash(path: str) -> str:
    return path.rstrip("/") or "/"


def _entries(value: str) -> Iterator[str]:
    """Yield the entries of a list, which are separated by semicolons, colons, or both."""
    for piece in value.split(";"):
        begin = 0
        while True:
            drive = is_drive(piece[begin : begin + 2]) and piece[begin + 2 : begin + 3] in ("", "\\", "/")
            end = piece.find(":", begin + 2 if drive else begin)
            if end < 0:
                yield piece[begin:]
                break
            yield piece[begin:end]
            begin = end + 1


def _split_list(value: str) -> Iterator[str]:
    """Yield the entries of the system's list, which are separated by semicolons outside quotation marks."""
    entry = ""
    for index, piece in enumerate(value.split('"')):
        if index % 2:
            entry += piece
            continue
        first, *fields = piece.split(";")
        entry += first
        for field in fields:
            yield entry
            entry = field
    yield entry


def _native_entry(entry: str, drive: str) -> str:
    if not entry.startswith("/") and not is_native(entry):
        return entry.replace("/", "\\")  # relative, as it is
    try:
        native = to_native(entry if entry.startswith("/") else "/" + entry, drive)
    except OSError:
        return entry
    return f'"{native}"' if ";" in native else native


def _virtual_entry(entry: str, drive: str) -> str:
    try:
        return to_virtual(entry, drive)
    except OSError:
        return entry
