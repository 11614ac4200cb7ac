"""What the utilities that handle files share: looking names up, quoting them, asking, walking trees."""

from __future__ import annotations

import errno
import stat as bits
from collections.abc import Callable, Iterator

from sandhook.record import Record
from sandhook.utilities._base import Context, Failure, UsageError
from sandhook.vfs.base import FileSystem, Stat
from sandhook.vfs.errors import error_text, fs_error
from sandhook.vfs.path import VirtualPath

#: What GNU's shell-escape quoting leaves alone inside single quotes.
_PLAIN = frozenset(chr(code) for code in range(32, 127) if chr(code) != "'")
_ESCAPES = {
    "\a": "\\a", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\v": "\\v", "\f": "\\f", "\r": "\\r",
}  # fmt: skip


def locate(ctx: Context, name: str) -> VirtualPath:
    """Return an operand as an absolute path. Raises ENOENT for the empty name, as open(2) does."""
    if not name:
        raise fs_error(errno.ENOENT, name)
    return ctx.path(name)


def stat_of(ctx: Context, name: str, *, follow: bool = True) -> Stat:
    """Return what stat(2), or lstat(2), tells about an operand. Raises OSError."""
    return ctx.fs.stat(locate(ctx, name), follow=follow)


def find(ctx: Context, name: str, *, follow: bool = True) -> Stat | None:
    """Return ``stat_of``, or None when there is nothing (ENOENT); other errors pass through."""
    try:
        return stat_of(ctx, name, follow=follow)
    except FileNotFoundError:
        return None


def is_directory(ctx: Context, name: str) -> bool:
    """Tell whether an operand leads to a directory, through links too."""
    return bool(name) and ctx.fs.is_dir(ctx.path(name))


def beneath(directory: str, name: str) -> str:
    """Return ``directory/name`` with one slash between them."""
    return directory + name if directory[-1:] == "/" else f"{directory}/{name}"


def last_component(name: str) -> str:
    """Return the last component of an operand without trailing slashes; "/" for the root."""
    return name.rstrip("/").rpartition("/")[2] or name[:1]


# --------------------------------------------------------------------------- messages


def quote_always(name: str) -> str:
    """Return a name as GNU's messages quote it: so that a shell would read it back."""
    if "'" in name and not any(letter in name for letter in '"$`\\!\n\t\r') and name.isprintable():
        return f'"{name}"'
    pieces = ["'"]
    dollar = False
    for letter in name:
        printable = letter in _PLAIN or (ord(letter) > 126 and letter.isprintable())
        if printable:
            pieces.append("''" + letter if dollar else letter)
            dollar = False
        elif letter == "'":
            pieces.append("'\\''")
            dollar = False
        else:
            escape = _ESCAPES.get(letter) or "".join(
                f"\\{byte:03o}" for byte in letter.encode("utf-8", "surrogateescape")
            )
            pieces.append(escape if dollar else f"'$'{escape}")
            dollar = True
    return "".join(pieces) + "'"


#: What makes GNU's messages quote a name that they otherwise leave bare.
_NEEDS_QUOTES = frozenset("\t\n !\"$&'()*:;<=>?[\\^`|")


def quote_odd(name: str) -> str:
    """Return a name as "cat: NAME: reason" has it: quoted where it would not be read back as one word."""
    if name.isprintable() and _NEEDS_QUOTES.isdisjoint(name) and name[:1] not in ("#", "~", ""):
        return name if name not in ("{", "}") else quote_always(name)
    return quote_always(name)


def quote_escaped(name: str) -> str:
    """Return a name as the messages of find and tar quote it: with the escapes of a string of C."""
    pieces = []
    for letter in name:
        if letter in "'\\":
            pieces.append("\\" + letter)
        elif letter in _PLAIN or (ord(letter) > 126 and letter.isprintable()):
            pieces.append(letter)
        else:
            octal = "".join(f"\\{byte:03o}" for byte in letter.encode("utf-8", "surrogateescape"))
            pieces.append(_ESCAPES.get(letter) or octal)
    return "'" + "".join(pieces) + "'"


def reason(error: OSError) -> str:
    """Return GNU's text of an error."""
    return error_text(error)


def one_of(name: str, *known: str, status: int | None = None) -> Callable[[str], str]:
    """Return a reader of an option-argument that must be one of ``known`` (or a clear beginning of one).

    Args:
        name: The option, for messages.
        known: What it may be; words that mean the same stand together, with blanks, and the first is returned.
        status: The exit status where it is something else; None is the utility's own for wrong usage.
    """
    groups = [words.split() for words in known]

    def read(text: str) -> str:
        for group in groups:
            if text in group:
                return group[0]
        matching = [group for group in groups if any(word.startswith(text) for word in group)]
        if len(matching) == 1 and text:
            return matching[0][0]
        what = "ambiguous" if matching else "invalid"
        listed = "".join("\n  - " + ", ".join(f"'{word}'" for word in group) for group in groups)
        raise UsageError(
            f"{what} argument '{text}' for '{name}'\nValid arguments are:{listed}", status=status
        )

    return read


def confirm(ctx: Context, question: str) -> bool:
    """Ask on standard error and read a line of standard input; only y or Y at its start says yes.

    No input, or a closed one, answers no.
    """
    ctx.flush()
    ctx.process.complain(f"{ctx.name}: {question} ".encode("utf-8", "surrogateescape"))
    stdin = ctx.process.descriptors.get(0)
    if stdin is None:
        return False
    ctx.charge()
    return stdin.read_until(b"\n", 4096)[:1] in (b"y", b"Y")


_KINDS = {
    bits.S_IFDIR: "directory",
    bits.S_IFLNK: "symbolic link",
    bits.S_IFIFO: "fifo",
    bits.S_IFCHR: "character special file",
    bits.S_IFBLK: "block special file",
    bits.S_IFSOCK: "socket",
}


def kind_name(info: Stat) -> str:
    """Return the type of a file in GNU's words."""
    kind = bits.S_IFMT(info.mode)
    if kind == bits.S_IFREG:
        return "regular file" if info.size else "regular empty file"
    return _KINDS.get(kind, "weird file")


# --------------------------------------------------------------------------- owners


class Accounts(Record):
    """The names of users and groups that /etc/passwd and /etc/group of the file system give."""

    users: dict[int, str]
    groups: dict[int, str]

    def user(self, uid: int) -> str:
        return self.users.get(uid, str(uid))

    def group(self, gid: int) -> str:
        return self.groups.get(gid, str(gid))


def accounts(fs: FileSystem) -> Accounts:
    """Read the virtual /etc/passwd and /etc/group; missing or broken ones name nobody."""
    return Accounts(_names(fs, "/etc/passwd"), _names(fs, "/etc/group"))


def _names(fs: FileSystem, path: str) -> dict[int, str]:
    found: dict[int, str] = {}
    for fields in account_lines(fs, path):
        if len(fields) > 2 and fields[2].isascii() and fields[2].isdigit() and len(fields[2]) < 11:
            found.setdefault(int(fields[2]), fields[0])
    return found


def account_lines(fs: FileSystem, path: str) -> Iterator[list[str]]:
    """Yield the fields of each line of /etc/passwd or /etc/group."""
    try:
        data = fs.read_bytes(VirtualPath(path))
    except OSError:
        return
    for line in data.decode("utf-8", "surrogateescape").split("\n"):
        yield line.split(":")


# --------------------------------------------------------------------------- numbers

_HUGE = 1 << 63


def bounded_number(text: str, what: str, maximum: int = _HUGE - 1) -> int:
    """Read an unsigned decimal number, clamped to ``maximum``. Raises Failure ``what 'text'``."""
    if not (text.isascii() and text.isdigit()):
        raise Failure(f"{what} '{text}'")
    digits = text.lstrip("0")
    return maximum if len(digits) > 19 else min(int(digits or "0"), maximum)


def leads_out(name: str, target: str) -> bool:
    """Tell whether a link called ``name`` in an archive would lead out of the directory it is extracted to."""
    if target[:1] == "/":
        return True
    depth = name.count("/")
    for part in target.split("/"):
        if part == "..":
            depth -= 1
            if depth < 0:
                return True
        elif part not in ("", "."):
            depth += 1
    return False
