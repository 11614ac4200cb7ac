"""Prints the share of each directory in the changes: --dirstat.

Source: git-diff(1), --dirstat; git 2.39, diff.c.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sandhook.record import Record
from sandhook.utilities.git.errors import GitError


class Dirstat(Record):
    """What --dirstat counts.

    Fields:
        by: "changes" (bytes), "lines" or "files".
        cumulative: Directories count in those above them.
        least: Smaller shares are not printed, in tenths of a per cent.
    """

    by: str = "changes"
    cumulative: bool = False
    least: int = 30


def parse_dirstat(texts: Sequence[str]) -> Dirstat:
    """Return what the parameters of --dirstat ask for. Raises GitError for wrong ones."""
    result = Dirstat()
    faults = []
    for word in ",".join(texts).split(","):
        number, dot, tenth = word.partition(".")
        if word in ("changes", "lines", "files"):
            result = result._replace(by=word)
        elif word in ("cumulative", "noncumulative"):
            result = result._replace(cumulative=word == "cumulative")
        elif word and number.isascii() and number.isdigit() and len(number) < 6:
            if dot and not (tenth[:1].isascii() and tenth[:1].isdigit() and tenth.isdigit()):
                faults.append(f"  Failed to parse dirstat cut-off percentage '{word}'\n")
            else:
                result = result._replace(least=int(number) * 10 + int(tenth[:1] or "0"))
        elif word[:1].isdigit():
            faults.append(f"  Failed to parse dirstat cut-off percentage '{word}'\n")
        elif word:
            faults.append(f"  Unknown dirstat parameter '{word}'\n")
    if faults:
        raise GitError(f"Failed to parse --dirstat/-X option parameter:\n{''.join(faults)}")
    return result


def dirstat(damages: Mapping[str, int], options: Dirstat) -> Iterator[str]:
    """Yield the lines of --dirstat.

    Args:
        damages: The change of each file, by its path.
    """
    total = sum(damages.values())
    if not total:
        return
    names = sorted(damages, key=lambda name: name.encode("utf-8", "surrogateescape"))
    open_directories: list[tuple[str, list[int]]] = [("", [0, 0])]  # each with its change and its sources
    for name in [*names, ""]:
        while not name.startswith(open_directories[-1][0]) or (not name and len(open_directories) > 1):
            base, (change, sources) = open_directories.pop()
            share = change * 1000 // total
            if sources != 1 and change and share >= options.least:
                yield f"{share // 10:>4}.{share % 10}% {base}\n"
                change = change if options.cumulative else 0
            above = open_directories[-1][1]
            above[0] += change
            above[1] += 1
        if not name:
            return
        slash = name.find("/", len(open_directories[-1][0]))
        while slash >= 0:
            open_directories.append((name[: slash + 1], [0, 0]))
            slash = name.find("/", slash + 1)
        open_directories[-1][1][0] += damages[name]
        open_directories[-1][1][1] += 2
