"""The options of git blame."""

from __future__ import annotations

from sandhook.command.options import also, opt, option_set
from sandhook.utilities.git.arguments import count


@option_set
class Options:
    """Options of git blame."""

    ranges: tuple[str, ...] = opt("-L", "RANGE", "", append=True)
    porcelain: bool = also(opt("-p"), opt("--porcelain"))
    line_porcelain: bool = opt("--line-porcelain")
    email: bool = also(opt("-e"), opt("--show-email"))
    suppress: bool = opt("-s")
    long: bool = opt("-l")
    raw_time: bool = opt("-t")
    name: bool = also(opt("-f"), opt("--show-name"))
    number: bool = also(opt("-n"), opt("--show-number"))
    root: bool = opt("--root")
    blank_boundary: bool = opt("-b")
    date: str | None = opt("--date", "FORM", "")
    abbrev: int | None = opt("--abbrev", "N", "", convert=count)
    ignore_space: bool = opt("-w")
    moves: tuple[tuple[str, str], ...] = also(
        opt("-M", "N", "", optional=True, const=("M", ""), append=True, convert=lambda text: ("M", text)),
        opt("-C", "N", "", optional=True, const=("C", ""), append=True, convert=lambda text: ("C", text)),
    )
    ignored: tuple[str, ...] = opt("--ignore-rev", "REV", "", append=True)
    ignored_files: tuple[str, ...] = opt("--ignore-revs-file", "FILE", "", append=True)
    reverse: bool = opt("--reverse")
    incremental: bool = opt("--incremental")
    stats: bool = also(opt("--show-stats"), opt("--score-debug"))
    colors: bool = also(opt("--color-lines"), opt("--color-by-age"))
    compatible: bool = opt("-c")
    first_parent: bool = opt("--first-parent")
    since: str | None = also(opt("--since", "DATE", ""), opt("--after", "DATE", ""))
    contents: str | None = opt("--contents", "FILE", "")
    minimal: bool = opt("--minimal")
    progress: bool = also(opt("--progress"), opt("--no-progress", const=False))
