"""The table of git apply --stat.

Source: git 2.39, show_stats in apply.c.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sandhook.utilities.git.commands.apply.parsing import FilePatch
from sandhook.utilities.git.names.quote import quote

_WIDEST_NAME = 50
_WIDTH = 70


def counts_of(patch: FilePatch) -> tuple[int, int]:
    """Return the numbers of added and of removed lines."""
    marks = [sign for hunk in patch.hunks for sign, _ in hunk.lines]
    return marks.count(b"+"), marks.count(b"-")


def stat_lines(patches: Sequence[FilePatch], wide: bool) -> Iterator[str]:
    """Yield a line for each patch, and the sums."""
    names = [quote(patch.path, wide) for patch in patches]
    both = (quote(path, wide) for patch in patches for path in (patch.old, patch.new))
    width = min(_WIDEST_NAME, max(map(len, both), default=0))
    counts = [counts_of(patch) for patch in patches]
    most = max((added + removed for added, removed in counts), default=0)
    for patch, name, (added, removed) in zip(patches, names, counts, strict=True):
        shown = _shortened(name, width).ljust(width)
        if patch.binary is not None:
            yield f" {shown} |  Bin"
            continue
        scale = _WIDTH - width if width + most > _WIDTH else most
        pluses, minuses = added, removed
        if most:
            total = ((added + removed) * scale + most // 2) // most
            pluses = (added * scale + most // 2) // most
            minuses = total - pluses
        yield f" {shown} |{added + removed:5} {'+' * pluses}{'-' * minuses}"
    added, removed = (sum(each) for each in zip(*counts, strict=True)) if counts else (0, 0)
    text = f" {len(patches)} file{'s' * (len(patches) != 1)} changed"
    if added or not removed:
        text += f", {added} insertion{'s' * (added != 1)}(+)"
    if removed or not added:
        text += f", {removed} deletion{'s' * (removed != 1)}(-)"
    yield text


def _shortened(name: str, width: int) -> str:
    """Return a name that is too long with dots in place of its beginning."""
    if len(name) <= width:
        return name
    slash = name.find("/", len(name) + 3 - width)
    rest = name[slash if slash >= 0 else len(name) + 3 - width :]
    return f"...{rest}"
