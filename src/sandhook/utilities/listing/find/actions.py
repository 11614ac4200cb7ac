"""find's actions, which process the files that pass the tests."""

from __future__ import annotations

import stat as bits

from sandhook.command.context import Context, Failure
from sandhook.command.modes import mode_string
from sandhook.command.operands import parent_of, reason
from sandhook.dates.clock import strftime
from sandhook.text.quoting import quote_escaped
from sandhook.utilities.listing.find.output import Write
from sandhook.utilities.listing.find.printf import Format
from sandhook.utilities.listing.find.state import Node, Settings, Visit, Walk
from sandhook.utilities.listing.find.tests import Arguments, Maker
from sandhook.utilities.listing.sizes import HALF_YEAR, blocks_of

#: Bytes of one command line of -exec ... +; GNU's default.
COMMAND_SIZE = 131_072

_ESCAPES = {
    "\n": "\\n", "\b": "\\b", "\r": "\\r", "\t": "\\t", "\f": "\\f", " ": "\\ ", '"': '\\"', "\\": "\\\\",
}  # fmt: skip


class Print:
    """-print, -print0, -fprint and -fprint0."""

    def __init__(self, write: Write, end: bytes = b"\n") -> None:
        self._write = write
        self._end = end

    def __call__(self, visit: Visit, walk: Walk) -> bool:
        self._write(visit.path.encode("utf-8", "surrogateescape") + self._end)
        return True


def _writer(word: str, arguments: Arguments, settings: Settings) -> Write:
    """Return standard output, or the file that an action whose name begins with -f names."""
    return settings.files.writer(arguments.argument(word)) if word[1] == "f" else settings.ctx.write


def _print(word: str, arguments: Arguments, settings: Settings) -> Node:
    return Print(_writer(word, arguments, settings), b"\0" if word[-1] == "0" else b"\n")


def _printf(word: str, arguments: Arguments, settings: Settings) -> Node:
    if word[1] == "f":
        name = arguments.argument(word)
        if not arguments.remaining():
            raise Failure(f"invalid argument `{name}' to `{word}'")
        write = settings.files.writer(name)
    else:
        write = settings.ctx.write
    format_ = Format(arguments.argument(word), settings)

    def act(visit: Visit, walk: Walk) -> bool:
        write(format_.expand(visit).encode("utf-8", "surrogateescape"))
        return True

    return act


def _ls(word: str, arguments: Arguments, settings: Settings) -> Node:
    write = _writer(word, arguments, settings)

    def act(visit: Visit, walk: Walk) -> bool:
        info = visit.stat()
        user, group = settings.accounts.user(info.uid), settings.accounts.group(info.gid)
        seconds = info.mtime_ns // 10**9
        recent = settings.now // 10**9 - HALF_YEAR < seconds <= settings.now // 10**9
        zone = settings.ctx.environment.get("TZ")
        date = strftime("%b %e %H:%M" if recent else "%b %e  %Y", seconds, zone)
        name = _escape_name(visit.path) + (
            f" -> {_escape_name(visit.target())}" if bits.S_ISLNK(visit.mode) else ""
        )
        line = (
            f"{info.inode:9} {blocks_of(info):6} {mode_string(info.mode)} {info.links:3} {user:<8} {group:<8} "
            f"{info.size:8} {date} {name}\n"
        )
        write(line.encode("utf-8", "surrogateescape"))
        return True

    return act


def _escape_name(name: str) -> str:
    """Return a name as -ls prints it: on one line, and as one word."""
    return "".join(
        letter if "!" <= letter <= "~" and letter not in '"\\' else _ESCAPES.get(letter) or _octal(letter)
        for letter in name
    )


def _octal(letter: str) -> str:
    return "".join(f"\\{byte:03o}" for byte in letter.encode("utf-8", "surrogateescape"))


def _prune(word: str, arguments: Arguments, settings: Settings) -> Node:
    settings.prunes = True

    def act(visit: Visit, walk: Walk) -> bool:
        walk.pruned = True
        return True

    return act


def _quit(word: str, arguments: Arguments, settings: Settings) -> Node:
    def act(visit: Visit, walk: Walk) -> bool:
        walk.stopped = True
        return True

    return act


def _delete(word: str, arguments: Arguments, settings: Settings) -> Node:
    settings.depth_first = settings.deletes = True
    ctx = settings.ctx

    def act(visit: Visit, walk: Walk) -> bool:
        if visit.path == ".":
            return True
        path = ctx.path(visit.path)
        try:
            info = ctx.fs.stat(path, follow=False)
            (ctx.fs.rmdir if bits.S_ISDIR(info.mode) else ctx.fs.unlink)(path)
        except OSError as error:
            ctx.fail(f"cannot delete {quote_escaped(visit.path)}: {reason(error)}")
            return False
        return True

    return act


# Commands.


def _exec(word: str, arguments: Arguments, settings: Settings) -> Node:
    words, end = arguments.command(word)
    in_directory = word.endswith("dir")
    if in_directory:
        _check_path(settings.ctx.environment.get("PATH", "/"), word)
    if end == "+":
        return _Batch(word, words, in_directory, settings)
    needs_confirmation = word[:3] == "-ok"
    ctx = settings.ctx
    placeholders = sum(argument.count("{}") for argument in words)

    def act(visit: Visit, walk: Walk) -> bool:
        name = _local_name(visit) if in_directory else visit.path
        ctx.budget.check_fits(placeholders * len(name) * 4)
        if needs_confirmation and not _confirm(ctx, words[0], visit.path):
            return False
        argv = [argument.replace("{}", name) for argument in words]
        settings.files.flush()
        return _run(ctx, argv, visit if in_directory else None) == 0

    return act


def _check_path(path: str, word: str) -> None:
    """Raise Failure for a PATH that could run one of the files that the walk visits."""
    for directory in path.split(":"):
        if directory in ("", "."):
            raise Failure(
                "The current directory is included in the PATH environment variable, which is insecure in"
                f" combination with the {word} action of find.  Please remove the current directory from your $PATH"
                ' (that is, remove ".", doubled colons, or leading or trailing colons)'
            )
        if directory[0] != "/":
            raise Failure(
                f"The relative path '{directory}' is included in the PATH environment variable, which is insecure"
                f" in combination with the {word} action of find.  Please remove that entry from $PATH"
            )


def _confirm(ctx: Context, command: str, name: str) -> bool:
    """Ask on standard error, and read the answer from standard input, as -ok does."""
    ctx.write_error(f"< {command} ... {name} > ? ")
    stdin = ctx.process.descriptors.get(0)
    return stdin is not None and stdin.read_until(b"\n", 4096)[:1] in (b"y", b"Y")


def _local_name(visit: Visit) -> str:
    """Return a file's name relative to its directory."""
    return visit.path if visit.name == "/" else f"./{visit.name}" + "/" * (visit.path[-1:] == "/")


def _run(ctx: Context, argv: list[str], sibling: Visit | None) -> int:
    """Run a command; with a sibling, in the directory of that file."""
    ctx.charge()
    ctx.flush()
    process = ctx.process
    directory = process.cwd
    if sibling is not None:
        process.cwd = ctx.fs.realpath(ctx.path(parent_of(sibling.path)))
    try:
        return ctx.run_command(argv)
    finally:
        process.cwd = directory


class _Batch:
    """-exec COMMAND {} +: one command for as many files as fit."""

    def __init__(self, word: str, command: list[str], in_directory: bool, settings: Settings) -> None:
        placeholders = [argument for argument in command if "{}" in argument]
        if len(placeholders) > 1:
            raise Failure(f"Only one instance of {{}} is supported with {word} ... +")
        if command[-1] != "{}":
            raise Failure(
                f"In '{word} ... {{}} +' the '{{}}' must appear by itself, but you specified '{command[-1]}'"
            )
        self._command = command[:-1]
        self._in_directory = in_directory
        self._ctx = settings.ctx
        self._files = settings.files
        self._names: list[str] = []
        self._size = 0
        self._sibling: Visit | None = None
        self._directory = ""
        settings.at_end.append(self._finish)

    def __call__(self, visit: Visit, walk: Walk) -> bool:
        name = _local_name(visit) if self._in_directory else visit.path
        directory = visit.path.rstrip("/").rpartition("/")[0] if self._in_directory else ""
        size = len(name.encode("utf-8", "surrogateescape")) + 1
        if self._names and (self._size + size > COMMAND_SIZE or directory != self._directory):
            self._finish()
        self._names.append(name)
        self._size += size
        self._directory = directory
        self._sibling = visit if self._in_directory else None
        return True

    def _finish(self) -> None:
        if self._names:
            names, self._names, self._size = self._names, [], 0
            self._files.flush()
            if _run(self._ctx, [*self._command, *names], self._sibling):
                self._ctx.failed = 1


ACTIONS: dict[str, Maker] = {
    "-delete": _delete,
    "-exec": _exec,
    "-execdir": _exec,
    "-fls": _ls,
    "-fprint": _print,
    "-fprint0": _print,
    "-fprintf": _printf,
    "-ls": _ls,
    "-ok": _exec,
    "-okdir": _exec,
    "-print": _print,
    "-print0": _print,
    "-printf": _printf,
    "-prune": _prune,
    "-quit": _quit,
}
