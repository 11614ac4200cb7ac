"""Read hook configurations: paths that the caller names, an agent's own files, or decoded values.

This is the only module of the part that opens a configuration on the host.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Mapping, Sequence

from sandhook.errors import ConfigError, Problem, SandhookError
from sandhook.hooks.contracts import Contract, Document, get
from sandhook.hooks.decode import DecodeError, decode
from sandhook.record import Record
from sandhook.typed import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from typing import BinaryIO

    from sandhook.hooks.event import JsonObject

    class Path(Protocol):
        """The method of ``pathlib.Path`` that makes it a path."""

        def __fspath__(self) -> str: ...

    Source = str | Path | Mapping[str, object] | Document | None

#: The most files of one directory that are read; more are a problem of that directory.
MAX_FILES = 1_000

#: The most directories that a configuration of a project is below it, with a few to spare.
_MOST_LEVELS = 6

#: The most bytes of one file; every contract's own limit is far below.
MAX_BYTES = 4 << 20

_MARK = "\ufeff".encode()


class AgentConfiguration(Record):
    """The configurations of one agent.

    Attributes:
        contract: The agent's contract.
        documents: Weakest layer first.
        problems: Errors of files that cannot be read.
    """

    contract: Contract
    documents: tuple[Document, ...]
    problems: tuple[Problem, ...] = ()


def documents(
    sources: Source | Sequence[Source], contract: Contract | None = None, env: Mapping[str, str] | None = None
) -> list[Document]:
    """Return the documents of the sources, in their order.

    Args:
        sources: A path, a decoded configuration, a Document, or several of them, weakest layer first.
        contract: Parses the files; None parses them by the ending of their names.
        env: Variables that a contract's files may refer to.

    Raises:
        ConfigError: Files cannot be read or decoded; all of them are named.
    """
    several: Sequence[Source]
    if isinstance(sources, (list, tuple)) and not isinstance(sources, Document):  # a Document is a tuple
        several = sources
    else:
        several = [cast("Source", sources)]
    loaded: list[Document] = []
    problems: list[Problem] = []
    for source in several:
        if isinstance(source, Document):
            loaded.append(source)
            continue
        if source is None or isinstance(source, Mapping):
            # several objects are several sources: their hooks do not share their changes of files
            number = f"configuration {len(loaded) + 1}" if len(several) > 1 else ""
            loaded.append(Document(None if source is None else cast("JsonObject", dict(source)), number))
            continue
        name = str(source)
        try:
            text, marked = read_marked(name)
            read = parse(text, name) if contract is None else contract.parse(text, name, env or {})
            loaded.append(read._replace(marked=marked) if marked else read)
        except Exception as error:
            problems.append(problem_of(error, name))
    if problems:
        raise ConfigError(problems)
    return loaded


def problem_of(error: Exception, name: str) -> Problem:
    """Return what is wrong with a file that cannot be read or decoded."""
    if isinstance(error, OSError):
        return Problem("", error.strerror or str(error), file=name)
    if isinstance(error, (SandhookError, DecodeError)):
        return Problem("", str(error), file=name)
    if isinstance(error, RecursionError):
        return Problem("", "nests too deeply", file=name)
    return Problem("", f"cannot be read: {error.__class__.__name__}: {error}", file=name)


def read_text(name: str) -> str:
    """Return the text of a host file that the caller named, without a byte order mark. Raises as ``read_marked``."""
    return read_marked(name)[0]


def read_marked(name: str) -> tuple[str, bool]:
    """Return the text of a host file that the caller named, and whether it began with a byte order mark.

    Windows editors write the mark. The text is without it.

    Raises:
        OSError: It cannot be read.
        DecodeError: It is not a regular file, longer than MAX_BYTES, or not UTF-8.
    """
    data = read_regular(name, MAX_BYTES + 1)
    if data is None:
        raise DecodeError("not a regular file")
    if len(data) > MAX_BYTES:
        raise DecodeError(f"longer than {MAX_BYTES} bytes")
    try:
        return data.decode("utf-8-sig"), data.startswith(_MARK)
    except UnicodeDecodeError as error:
        raise DecodeError(f"not UTF-8 at byte {error.start + 1}") from None


def read_regular(name: str, count: int) -> bytes | None:
    """Return at most ``count`` bytes of a regular file of the host, None for a FIFO, a device or a socket.

    Raises:
        OSError: It cannot be read.
    """
    with open(name, "rb", opener=_without_waiting) as file:
        return file.read(count) if _is_regular(file) else None


def open_regular(name: str) -> BinaryIO:
    """Open a regular file of the host for reading.

    Raises:
        OSError: It cannot be read, or it is a FIFO, a device or a socket.
    """
    file = open(name, "rb", opener=_without_waiting)  # noqa: SIM115 - the caller closes it
    if _is_regular(file):
        return file
    file.close()
    raise OSError(errno.EINVAL, "not a regular file", name)


def _is_regular(file: BinaryIO) -> bool:
    return stat.S_ISREG(os.fstat(file.fileno()).st_mode)


def _without_waiting(name: str, flags: int) -> int:
    """Open a file; a FIFO without a writer does not block."""
    return os.open(name, flags | getattr(os, "O_NONBLOCK", 0))


def parse(text: str, name: str) -> Document:
    """Decode a configuration by the ending of its name: YAML, TOML, else JSON, or the hook of an agent whose hooks are files."""
    ending = name.lower().rpartition(".")[2]
    if ending in ("yaml", "yml"):
        from sandhook.hooks.yaml import decode_yaml

        return decode_yaml(text, name)
    if ending == "toml":
        from sandhook.hooks.toml import decode_toml

        return decode_toml(text, name)
    if ending != "json":
        from sandhook.hooks.contracts._directories import owner_of

        owner = owner_of(name)
        if owner is not None:
            return get(owner).parse(text, name, {})
    decoded = decode(text)
    return Document(decoded.value, name, decoded.diagnostics, text=text)


def discover(
    contract: Contract, cwd: str, env: Mapping[str, str], platform: str
) -> tuple[list[Document], list[Problem]]:
    """Return the configurations that an agent would read, weakest layer first, and what is wrong with them.

    Args:
        cwd: Where the agent runs, an absolute path.
        env: Its environment.
        platform: As ``sys.platform`` has it.
    """
    loaded: list[Document] = []
    problems: list[Problem] = []
    for layer in contract.layers(cwd, env, platform):
        layer_path = layer.path.replace("\\", "/") if platform == "win32" else layer.path
        paths, unread = layer_files(layer_path)
        problems += unread
        for path in filter(contract.reads, paths):
            try:
                text, marked = read_marked(path)
                document = contract.parse(text, path, env)
            except (FileNotFoundError, NotADirectoryError):
                continue
            except (
                Exception
            ) as error:  # whatever is wrong with a file, the other layers' guards stay in force
                problems.append(problem_of(error, path))
            else:
                loaded.append(document._replace(layer=layer.name, contract=contract.name, marked=marked))
    return loaded, problems


def layer_files(path: str) -> tuple[list[str], list[Problem]]:
    """Return the files of a layer's path, and which of its directories could not be read as a whole.

    The files are the path itself, or those of a directory with an ending, in the order of their names.
    """
    above, star, below = path.partition("/*/")
    if star:
        directories, problems = layer_files(f"{above}/*")
        return [f"{each}/{below}" for each in directories], problems
    directory, _, last = path.rpartition("/")
    if last[:1] != "*":
        return [path], []
    try:
        names = _first_names(directory, last[1:])
    except (FileNotFoundError, NotADirectoryError):
        return [], []
    except OSError as error:
        return [], [problem_of(error, directory)]
    problems = []
    if len(names) > MAX_FILES:
        message = f"has more than {MAX_FILES} configurations; those after {names[MAX_FILES - 1]} are not read"
        problems.append(Problem("", message, file=directory))
    return [f"{directory}/{name}" for name in names[:MAX_FILES]], problems


def _first_names(directory: str, ending: str) -> list[str]:
    """Return the first names of a directory that have the ending, sorted, one more than are read.

    Raises:
        OSError: It cannot be listed.
    """
    names: list[str] = []
    with os.scandir(directory) as entries:
        for entry in entries:
            if entry.name.endswith(ending) and entry.name[:1] != ".":
                names.append(entry.name)
            if len(names) > 8 * MAX_FILES:  # a directory of millions of files needs no memory for all of them
                names = sorted(names)[: MAX_FILES + 1]
    return sorted(names)[: MAX_FILES + 1]


def project_directory(cwd: str, known: Sequence[Contract], env: Mapping[str, str], platform: str) -> str:
    """Return the nearest directory, from ``cwd`` upward, that has a project's configuration; ``cwd`` without one.

    The search ends at the root of a git repository, and at the user's home directory.

    Args:
        cwd: An absolute path with slashes.
        known: The contracts whose files count.
    """
    home = env.get("USERPROFILE" if platform == "win32" else "HOME", "").replace("\\", "/")
    directory = cwd
    while directory and directory != home:
        for contract in known:
            for layer in contract.layers(directory, env, platform):
                if layer.name in ("project", "local") and any(
                    map(os.path.isfile, layer_files(layer.path)[0])
                ):
                    return directory
        if os.path.exists(f"{directory}/.git"):  # noqa: PTH110
            break
        above = directory.rpartition("/")[0] or "/"
        directory = above if above != directory else ""
    return cwd


def project_around(file: str, contract: Contract) -> str | None:
    """Return the directory whose project's configuration a file is, such as that of ``.claude/settings.json``.

    Args:
        file: An absolute path with slashes.

    Returns:
        None for a file that the agent does not read by its place.
    """
    directory = file.rpartition("/")[0]
    for _ in range(_MOST_LEVELS):
        for layer in contract.layers(directory, {}, "linux"):  # a project has the same files everywhere
            if layer.name in ("project", "local") and _is_place(layer.path, file):
                return directory or "/"
        directory = directory.rpartition("/")[0]
    return None


def is_anothers(file: str, contract: str) -> bool:
    """Return whether an agent reads a file that belongs to another one, such as ``.claude/settings.json`` for Grok Build.

    Args:
        file: A path in the host's own form.
        contract: Name of a contract, or several joined by ",".
    """
    from sandhook.hooks import contracts

    if contract not in contracts.names():
        return False
    here = "/p"
    places = [
        layer.path.removeprefix(here)
        for layer in contracts.get(contract).layers(here, {}, "linux")
        if layer.use == "read" and layer.path.startswith(f"{here}/")
    ]
    return file.replace("\\", "/").endswith(tuple(places))


def _is_place(path: str, file: str) -> bool:
    """Return whether a file is at the path of a layer, in which ``*`` is a name, or the beginning of the last."""
    parts, names = path.split("/"), file.split("/")
    return len(parts) == len(names) and all(
        name == part or (part[:1] == "*" and name.endswith(part[1:]))
        for part, name in zip(parts, names, strict=True)
    )


def line_of(document: Document, path: str) -> int:
    """Return the line (from 1) at which a path of a document stands, or of its nearest known parent; 0 if unknown."""
    if not document.text:
        return 0
    lines = with_lines(document).lines or {}
    while path and path not in lines:
        path = path[: max(path.rfind("."), path.rfind("["), 0)]
    return lines.get(path, 0)


def with_lines(document: Document) -> Document:
    """Return the document with the lines of its paths, for callers that ask for many of them."""
    if document.lines is not None or not document.text:
        return document
    from sandhook.hooks.locate import json_lines

    return document._replace(lines=json_lines(document.text))
