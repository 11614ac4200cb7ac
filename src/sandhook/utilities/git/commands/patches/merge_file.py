"""git merge-file: merge the changes of two files to a third one.

Source: git-merge-file(1); git 2.39, builtin/merge-file.c.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.options import also, opt, option_set
from sandhook.utilities.git.arguments import Parser, count
from sandhook.utilities.git.commands.patches.output_files import output_to
from sandhook.utilities.git.diff.patch import is_binary
from sandhook.utilities.git.diff.three_way import Labels, merge_files
from sandhook.utilities.git.errors import GitError, OptionFault
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.work.merging import conflict_style
from sandhook.vfs.path import VirtualPath, join

_FAILED, _MOST = 255, 127


@option_set
class Options:
    """Options of git merge-file."""

    stdout: bool = also(opt("-p"), opt("--stdout"))
    style: str | None = also(opt("--diff3", const="diff3", default=None), opt("--zdiff3", const="zdiff3"))
    favor: str = also(
        opt("--ours", const="ours", default=""),
        opt("--theirs", const="theirs"),
        opt("--union", const="union"),
    )
    width: int = opt("--marker-size", "N", "", convert=count, default=7)
    quiet: bool = also(opt("-q"), opt("--quiet"))
    labels: tuple[str, ...] = opt("-L", "NAME", "", append=True)


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Merge into the first file, or print the result; return the number of conflicts, 255 for an error."""
    parsed = Parser(Options).parse(arguments)
    options, operands = parsed.of(Options), [*parsed.operands, *(parsed.paths or ())]
    if len(options.labels) > 3:
        raise OptionFault("too many labels on the command line")
    if len(operands) != 3:
        raise GitError(
            "usage: git merge-file [<options>] [-L <name1> [-L <orig> [-L <name2>]]] <file1> <orig-file> <file2>",
            prefix="",
            status=129,
        )
    names = [*options.labels, *operands[len(options.labels) :]]
    repository = call.find_repository()
    style = options.style or ("merge" if repository is None else conflict_style(repository))
    ours, base, theirs = (_read(call, name) for name in operands)
    labels = Labels(
        names[0], names[2], names[1], style, width=options.width or 7, union=options.favor == "union",
        favor=options.favor, is_loose=True,
    )  # fmt: skip
    merged, conflicts = merge_files(base, ours, theirs, labels, call.access.charge)
    if options.stdout:
        call.ctx.write(merged)
        return min(conflicts, _MOST)
    path = str(join(VirtualPath(call.options.cwd), operands[0]))
    try:
        with output_to(call.ctx, path):
            call.ctx.write(merged)
    except OSError as error:
        raise GitError(
            f"Could not open {operands[0]} for writing: {error.strerror}", prefix="error", status=_FAILED
        ) from None
    return min(conflicts, _MOST)


def _read(call: Invocation, name: str) -> bytes:
    path = str(join(VirtualPath(call.options.cwd), name))
    try:
        with call.ctx.open(path) as reader:
            data = reader.read_all()
    except OSError as error:
        raise GitError(f"Could not stat {name}: {error.strerror}", prefix="error", status=_FAILED) from None
    if is_binary(data):
        raise GitError(f"Cannot merge binary files: {name}", prefix="error", status=_FAILED)
    return data
