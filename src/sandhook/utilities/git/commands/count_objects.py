"""git count-objects: the number of objects, and the bytes that they take.

Source: git-count-objects(1); git 2.39, builtin/count-objects.c.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sandhook.command.options import also, opt, option_set
from sandhook.utilities.git.arguments import Parser
from sandhook.utilities.git.program import Invocation

_BLOCK = 4096  #: bytes that the smallest file takes on a disk


@option_set
class Options:
    """Options of git count-objects."""

    verbose: bool = also(opt("-v"), opt("--verbose"))
    human: bool = also(opt("-H"), opt("--human-readable"))


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Print how many loose objects there are; with -v, also how many are in packs; return 0."""
    options = Parser(Options).parse(arguments).of(Options)
    objects, access = call.repository.objects, call.access
    directory, packs = objects.directory, objects.packs
    loose = size = packed = garbage = garbage_size = 0
    for entry in access.listdir(directory):
        if not re.fullmatch("[0-9a-f]{2}", entry.name):
            continue
        for each in access.listdir(f"{directory}/{entry.name}"):
            found = access.stat(f"{directory}/{entry.name}/{each.name}")
            length = 0 if found is None else found.size
            if re.fullmatch("[0-9a-f]{38}", each.name) is None:
                garbage, garbage_size = garbage + 1, garbage_size + length
                if options.verbose:
                    shown = f"{call.repository.place.shown}/objects/{entry.name}/{each.name}"
                    call.error(f"warning: garbage found: {shown}")
                continue
            loose += 1
            size += -(-length // _BLOCK) * _BLOCK
            packed += any(pack.offset_of(entry.name + each.name) is not None for pack in packs)
    if not options.verbose:
        shown = _human(size) if options.human else f"{size >> 10} kilobytes"
        call.ctx.write_line(f"{loose} objects, {shown}")
        return 0
    pack_size = sum(
        found.size
        for entry in access.listdir(f"{directory}/pack")
        if entry.name.endswith((".pack", ".idx"))
        and (found := access.stat(f"{directory}/pack/{entry.name}")) is not None
    )
    sizes = [_human(each) if options.human else str(each >> 10) for each in (size, pack_size, garbage_size)]
    for name, value in (
        ("count", loose), ("size", sizes[0]), ("in-pack", objects.packed_count()), ("packs", len(packs)),
        ("size-pack", sizes[1]), ("prune-packable", packed), ("garbage", garbage), ("size-garbage", sizes[2]),
    ):  # fmt: skip
        call.ctx.write_line(f"{name}: {value}")
    for line in (access.text_or_none(f"{directory}/info/alternates") or "").split("\n"):
        if line and not line.startswith("#"):
            call.ctx.write_line(f"alternate: {line}")
    return 0


def _human(size: int) -> str:
    """Return a number of bytes in the largest unit that fits."""
    for shift, extra, unit in ((30, 5368709, "GiB"), (20, 5243, "MiB"), (10, 5, "KiB")):
        if size > 1 << shift:
            rounded = size + extra
            part = rounded & ((1 << shift) - 1)
            return f"{rounded >> shift}.{(part * 100) >> shift:02} {unit}"
    return f"{size} bytes" if size != 1 else "1 byte"
