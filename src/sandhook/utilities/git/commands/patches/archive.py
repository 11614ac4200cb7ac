"""git archive, get-tar-commit-id: write the files of a tree as an archive, and read the commit that it is of.

Source: git-archive(1), git-get-tar-commit-id(1); git 2.39, archive.c.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterator, Sequence

from sandhook.utilities.git.arguments import Parser
from sandhook.utilities.git.commands.patches.output_files import output_to
from sandhook.utilities.git.commands.patches.tar_archive import RECORD, Archive, Options
from sandhook.utilities.git.commands.patches.zip_archive import ZipArchive
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.program import Invocation
from sandhook.vfs.path import VirtualPath, join

_FORMATS = ("tar", "tgz", "tar.gz", "zip")


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Return 0."""
    parsed = Parser(Options, stop=False).parse(arguments)
    options, operands = parsed.of(Options), [*parsed.operands, *(parsed.paths or ())]
    if options.remote is not None or options.program is not None:
        raise GitError(
            "archive --remote reaches other repositories, and the sandbox has none (L-GIT-001)", status=129
        )
    if options.list:
        for name in _FORMATS:
            call.ctx.write_line(name)
        return 0
    if not operands:
        raise GitError("usage: git archive [<options>] <tree-ish> [<path>...]", prefix="", status=129)
    kind = _format(options)
    if options.level is not None and kind == "tar":
        raise GitError(f"Argument not supported for format 'tar': -{options.level}")
    archive = (ZipArchive if kind == "zip" else Archive)(call, options, operands)
    archive.added = _added_files(arguments)
    pieces = archive.pieces()
    _write(call, options, _compressed(pieces, options) if kind in ("tgz", "tar.gz") else pieces)
    return 0


def _added_files(arguments: Sequence[str]) -> list[tuple[str, str]]:
    """Return the files of --add-file, each with the last --prefix before it."""
    added, prefix, words = [], "", list(reversed(arguments))
    while words and (word := words.pop()) != "--":
        name, equals, value = word.partition("=")
        if name in ("--prefix", "--add-file"):
            value = value if equals else words.pop() if words else ""
            if name == "--prefix":
                prefix = value
            else:
                added.append((value, prefix))
    return added


def _format(options: Options) -> str:
    """Return the name of the format. Raises GitError for one that is not offered."""
    kind = options.form
    if kind is None:
        name = options.output or ""
        kind = next((each for each in _FORMATS if name.endswith(f".{each}") and name != f".{each}"), "tar")
    if kind not in _FORMATS:
        raise GitError(f"Unknown archive format '{kind}'")
    return kind


def _compressed(pieces: Iterator[bytes], options: Options) -> Iterator[bytes]:
    """Yield an archive as gzip writes it."""
    packer = zlib.compressobj(int(options.level or 6), zlib.DEFLATED, 31)
    for piece in pieces:
        yield packer.compress(piece)
    yield packer.flush()


def _write(call: Invocation, options: Options, pieces: Iterator[bytes]) -> None:
    """Write an archive to standard output, or to the file of -o."""
    if options.output is None or options.output == "-":
        for piece in pieces:
            call.ctx.write(piece)
        return
    path = join(VirtualPath(call.options.cwd), options.output)
    try:
        with output_to(call.ctx, path):
            for piece in pieces:
                call.ctx.write(piece)
    except OSError as error:
        raise GitError(f"could not open '{options.output}' for writing: {error.strerror}") from None


def run_commit_id(call: Invocation, arguments: Sequence[str]) -> int:
    """Print the commit of an archive on standard input; return 0, 1 for an archive without one."""
    if arguments:
        raise GitError("usage: git get-tar-commit-id", prefix="", status=129)
    find: Callable[[bytes], re.Match[bytes] | None] = re.compile(rb"52 comment=([0-9a-f]{40})\n").match
    with call.ctx.stdin_reader() as reader:
        head = b""
        while len(head) < 2 * RECORD and (piece := reader.read(2 * RECORD - len(head))):
            head += piece
    if len(head) < 2 * RECORD:
        raise GitError("git get-tar-commit-id: EOF before reading tar header: Success")
    if head[156:157] != b"g" or (found := find(head[RECORD:])) is None:
        return 1
    call.ctx.write_line(found[1].decode())
    return 0
