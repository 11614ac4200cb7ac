"""Prints the sizes of changes: --stat, --numstat, --shortstat and --summary.

Source: git 2.39, diff.c.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sandhook.record import Record
from sandhook.text.numbers import is_number
from sandhook.text.width import width_of
from sandhook.utilities.git.diff.model import Pair
from sandhook.utilities.git.diff.options import DiffOptions
from sandhook.utilities.git.diff.painting import Palette, painted
from sandhook.utilities.git.names.quote import needs_quotes, quote


class Counts(Record):
    """The changed lines of a pair; for binary files, the bytes of both files."""

    pair: Pair
    added: int
    removed: int
    binary: bool = False

    @property
    def is_shown(self) -> bool:
        """False for a file that was modified without any change that counts."""
        pair = self.pair
        return bool(
            pair.status != "M" or self.added or self.removed or self.binary or pair.old.mode != pair.new.mode
        )


class Widths(Record):
    """The columns of --stat: of a line, of the name, of the graph; and the most lines."""

    total: int = 80
    name: int = 0
    graph: int = 0
    lines: int = 0


def _number(text: str | None) -> int:
    return int(text) if text is not None and is_number(text) and len(text) < 6 else 0


def chosen_widths(options: DiffOptions, columns: str, graph: int, used: int) -> Widths:
    """Return the columns of --stat by the options.

    Args:
        columns: The width of the terminal, "" for the usual one. graph: The width of the graph without an option.
        used: Columns that the prefix of lines takes.
    """
    numbers = [_number(each) for each in (options.stat or "").split(",")]
    numbers += [0] * (3 - len(numbers))
    for at, each in enumerate((options.stat_width, options.stat_name_width, options.stat_count)):
        numbers[at] = numbers[at] if each is None else _number(each)
    total = (_number(columns) or 80) - used
    graph = graph if options.stat_graph_width is None else _number(options.stat_graph_width)
    return Widths(numbers[0] or total, numbers[1], graph, numbers[2])


def rename_text(pair: Pair, quotes_wide: bool) -> str:
    """Return "dir/{old => new}/file", or the path of a file that was not renamed (pprint_rename)."""
    if pair.status not in ("R", "C"):
        return quote(pair.path, quotes_wide)
    old, new = pair.old.path, pair.new.path
    if needs_quotes(old, quotes_wide) or needs_quotes(new, quotes_wide):
        return f"{quote(old, quotes_wide)} => {quote(new, quotes_wide)}"
    same = 0
    for at in range(min(len(old), len(new))):
        if old[at] != new[at]:
            break
        if old[at] == "/":
            same = at + 1
    end = 0
    low = same - 1 if same else 0
    i, j = len(old), len(new)
    while low <= i and low <= j and (i == len(old) or old[i] == new[j]):
        if i < len(old) and old[i] == "/":
            end = len(old) - i
        i -= 1
        j -= 1
        if i < 0 or j < 0:
            break
    middle_old, middle_new = max(0, len(old) - same - end), max(0, len(new) - same - end)
    text = f"{old[same : same + middle_old]} => {new[same : same + middle_new]}"
    if same + end:
        return f"{old[:same]}{{{text}}}{old[len(old) - end :] if end else ''}"
    return text


def numstat(counts: Sequence[Counts], quotes_wide: bool, nul: bool) -> Iterator[str]:
    """Yield the lines of --numstat with their ends."""
    for each in counts:
        numbers = "-\t-" if each.binary else f"{each.added}\t{each.removed}"
        if not nul:
            yield f"{numbers}\t{rename_text(each.pair, quotes_wide)}\n"
        elif each.pair.status in ("R", "C"):
            yield f"{numbers}\t\0{each.pair.old.path}\0{each.pair.new.path}\0"
        else:
            yield f"{numbers}\t{each.pair.path}\0"


def total_line(counts: Sequence[Counts]) -> str:
    """Return " 2 files changed, 3 insertions(+)"."""
    if not counts:
        return " 0 files changed\n"
    text = [each for each in counts if not each.binary and each.pair.status != "U"]
    files = sum(1 for each in counts if each.pair.status != "U")
    if not files:
        return " 0 files changed\n"
    added, removed = sum(each.added for each in text), sum(each.removed for each in text)
    parts = [f" {files} file{'s' * (files != 1)} changed"]
    if added or not removed:
        parts.append(f" {added} insertion{'s' * (added != 1)}(+)")
    if removed or not added:
        parts.append(f" {removed} deletion{'s' * (removed != 1)}(-)")
    return ",".join(parts) + "\n"


def _scaled(value: int, width: int, most: int) -> int:
    return 1 + value * (width - 1) // most if value else 0


def stat(
    counts: Sequence[Counts],
    widths: Widths,
    quotes_wide: bool,
    compact: bool = False,
    palette: Palette | None = None,
) -> Iterator[str]:
    """Yield the lines of --stat."""
    if not counts:
        return
    shown = counts[: widths.lines] if widths.lines else counts
    names = [
        rename_text(each.pair, quotes_wide) + (_compact_mark(each.pair) if compact else "") for each in shown
    ]
    longest = max(map(width_of, names))
    most = max(
        [each.added + each.removed for each in shown if not each.binary and each.pair.status != "U"],
        default=0,
    )
    binary = [14 + len(str(each.added)) + len(str(each.removed)) for each in shown if each.binary]
    has_unmerged = any(each.pair.status == "U" for each in shown)
    number_width = max(len(str(most)), 3 if binary else 0)
    if has_unmerged and max(binary, default=0) < 8:
        binary.append(8)
    total = max(widths.total, 16 + 6 + number_width)
    graph = max([most, *(width - number_width for width in binary)]) if binary else most
    graph = min(graph, widths.graph or graph)
    name = min(widths.name, longest) if widths.name else longest
    if name + number_width + 6 + graph > total:
        if graph > total * 3 // 8 - number_width - 6:
            graph = max(6, total * 3 // 8 - number_width - 6)
        if widths.graph and graph > widths.graph:
            graph = widths.graph
        if name > total - number_width - 6 - graph:
            name = total - number_width - 6 - graph
        else:
            graph = total - number_width - 6 - name
    for each, text in zip(shown, names):
        end = "" if each.pair.status == "U" else "\n"  # git forgets it
        yield f" {_fitted(text, name)} |{_columns(each, number_width, graph, most, palette)}{end}"
    if len(shown) < len(counts):
        yield " ...\n"
    yield total_line(counts)


def _compact_mark(pair: Pair) -> str:
    if pair.status == "A":
        return (
            " (new +x)" if pair.new.mode & 0o111 else " (new +l)" if pair.new.mode == 0o120000 else " (new)"
        )
    if pair.status == "D":
        return " (gone)"
    was_link, is_link = pair.old.mode == 0o120000, pair.new.mode == 0o120000
    if was_link != is_link:
        return " (mode +l)" if is_link else " (mode -l)"
    if pair.old.mode != pair.new.mode:
        return " (mode +x)" if pair.new.mode & 0o111 else " (mode -x)"
    return ""


def _fitted(name: str, width: int) -> str:
    """Return a name of exactly ``width`` columns; the beginning of a long one is cut off."""
    if width_of(name) <= width:
        return name + " " * (width - width_of(name))
    rest = name
    keep = max(0, width - 3)
    while rest and width_of(rest) > keep:
        rest = rest[1:]
    slash = rest.find("/")
    rest = "..." + (rest[slash:] if slash >= 0 else rest)
    return rest + " " * max(0, width - width_of(rest))


def _columns(each: Counts, number_width: int, graph: int, most: int, palette: Palette | None) -> str:
    if each.pair.status == "U":
        return " Unmerged"
    if each.binary:
        same = not each.added and not each.removed
        old, new = (
            _graph(str(size), color) for size, color in zip((each.removed, each.added), _colors(palette))
        )
        return f" {'Bin':>{number_width}}" + ("" if same else f" {old} -> {new} bytes")
    total, added, removed = each.added + each.removed, each.added, each.removed
    text = f" {total:>{number_width}}"
    if not total:
        return text
    if graph <= most:
        width = _scaled(total, graph, most)
        if width < 2 and added and removed:
            width = 2
        if added < removed:
            added = _scaled(added, graph, most)
            removed = width - added
        else:
            removed = _scaled(removed, graph, most)
            added = width - removed
    old_color, new_color = _colors(palette)
    return f"{text} {_graph('+' * added, new_color)}{_graph('-' * removed, old_color)}"


def _colors(palette: Palette | None) -> tuple[bytes | None, bytes | None]:
    """Return the colours of removed and of added lines."""
    return (None, None) if palette is None else (palette.old, palette.new)


def _graph(signs: str, color: bytes | None) -> str:
    return painted(color, signs.encode()).decode() if color is not None and signs else signs


def summary(pairs: Sequence[Pair], quotes_wide: bool) -> Iterator[str]:
    """Yield the lines of --summary: files that were created, removed, renamed, and changed modes."""
    for pair in pairs:
        if pair.status == "A":
            yield f" create mode {pair.new.mode:06o} {quote(pair.path, quotes_wide)}\n"
        elif pair.status == "D":
            yield f" delete mode {pair.old.mode:06o} {quote(pair.path, quotes_wide)}\n"
        elif pair.status in ("R", "C"):
            word = "rename" if pair.status == "R" else "copy"
            yield f" {word} {rename_text(pair, quotes_wide)} ({pair.percent}%)\n"
            if pair.old.mode != pair.new.mode:
                yield f" mode change {pair.old.mode:06o} => {pair.new.mode:06o}\n"
        elif pair.old.mode != pair.new.mode and pair.status in ("M", "T"):
            yield f" mode change {pair.old.mode:06o} => {pair.new.mode:06o} {quote(pair.path, quotes_wide)}\n"
