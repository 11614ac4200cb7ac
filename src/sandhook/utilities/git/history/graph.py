"""Draws the history next to commits: "git log --graph".

Each commit has a column; columns of parents follow. A commit is drawn in several lines: the row of the commit, the
edges of a merge, and the rows in which edges move to their columns.

Source: git 2.39, graph.c.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum, auto

from sandhook.lazy import lazily
from sandhook.utilities.git.history.selection import Selection
from sandhook.utilities.git.names.colors import RESET, parse_color
from sandhook.utilities.git.store.commits import Commit
from sandhook.utilities.git.store.config import Config

_ESCAPE = lazily(r"\x1b\[[0-9;]*m")
_COLORS = ("red", "green", "yellow", "blue", "magenta", "cyan")
_PALETTE = (*_COLORS, *(f"bold {color}" for color in _COLORS))


def read_colors(config: Config, report: Callable[[str], None]) -> list[str]:
    """Return the colours of columns: those of log.graphColors, else the usual ones. Wrong words are reported."""
    setting = config.get("log.graphcolors")
    colors = []
    for word in _PALETTE if setting is None else setting.split(","):
        color = parse_color(word)
        if color is None:
            report(f"error: invalid color value: {word}")
            report(f"warning: ignored invalid color '{word}' in log.graphColors")
        else:
            colors.append(color)
    return colors


class _State(Enum):
    PADDING = auto()
    SKIP = auto()
    PRE_COMMIT = auto()
    COMMIT = auto()
    POST_MERGE = auto()
    COLLAPSING = auto()


class Graph:
    """The graph of commits that are shown one after the other.

    Args:
        charge: Charges work.
        palette: The colours that columns have in turn; empty for a graph without colours.
    """

    def __init__(self, charge: Callable[[int], None], palette: Sequence[str] = ()) -> None:
        self._charge = charge
        self._palette = palette
        self._current = len(palette) - 1  #: the colour of the last column that began
        self._colors: list[int] = []  #: those of the columns
        self._new_colors: list[int] = []
        self._commit = ""
        self._mark = "*"
        self._parents: tuple[str, ...] = ()
        self._width = 0
        self._expansion_row = 0
        self._state = self._previous_state = _State.PADDING
        self._index = self._previous_index = 0
        self._layout = 0  #: 0: the first parent of a merge is in a column to the left; 1: it is not
        self._added = self._previous_added = 0  #: edges that the commit adds
        self._columns: list[str] = []
        self._new_columns: list[str] = []
        self._places: dict[str, int] = {}  #: those of the columns
        self._new_places: dict[str, int] = {}
        self._mapping: list[
            int
        ] = []  #: positions of characters to the columns that they lead to, -1 for none
        self._old_mapping: list[int] = []

    # ------------------------------------------------------------------ commits

    def update(self, commit: str, parents: tuple[str, ...], mark: str = "*") -> None:
        """Go to the next commit; ``parents`` are those that are shown, too."""
        self._commit, self._parents, self._mark = commit, parents, mark
        self._previous_index = self._index
        self._update_columns()
        self._charge(1 + len(self._new_columns))
        self._expansion_row = 0
        if self._state is not _State.PADDING:
            self._state = _State.SKIP
        else:
            self._state = _State.PRE_COMMIT if self._needs_expansion() else _State.COMMIT

    def _update_columns(self) -> None:
        self._columns, self._new_columns = self._new_columns, []
        self._places, self._new_places = self._new_places, {}
        self._colors, self._new_colors = self._new_colors, []
        self._mapping = [-1] * (2 * (len(self._columns) + len(self._parents)) + 2)
        self._width = 0
        self._previous_added, self._added = self._added, 0
        seen = False
        for at in range(len(self._columns) + 1):
            if at == len(self._columns):
                if seen:
                    break
                commit = self._commit
            else:
                commit = self._columns[at]
            if commit != self._commit:
                self._insert(commit, -1)
                continue
            seen = True
            self._index, self._layout = at, -1
            for parent in self._parents:
                if self._palette and (len(self._parents) > 1 or at == len(self._columns)):
                    self._current = (self._current + 1) % len(self._palette)
                self._insert(parent, at)
            if not self._parents:
                self._width += 2
        while len(self._mapping) > 1 and self._mapping[-1] < 0:
            self._mapping.pop()

    def _insert(self, commit: str, index: int) -> None:
        if (known := self._new_places.get(commit)) is not None:
            column = known
        else:
            column = self._new_places[commit] = len(self._new_columns)
            self._new_columns.append(commit)
            if self._palette:
                before = self._places.get(commit)
                self._new_colors.append(self._current if before is None else self._colors[before])
        if len(self._parents) > 1 and index > -1 and self._layout == -1:
            distance = index - column
            shift = 2 * distance - 3 if distance > 1 else 1
            self._layout = 0 if distance > 0 else 1
            self._added = len(self._parents) + self._layout - 2
            place = self._width + (self._layout - 1) * shift
            self._width += 2 * self._layout
        elif self._added > 0 and column == self._mapping[self._width - 2]:
            place = self._width - 2
            self._added = -1
        else:
            place = self._width
            self._width += 2
        self._mapping[place] = column

    def _drawn(self, text: str, column: int, *, new: bool = False) -> str:
        """Return characters in the colour of a column, or of a column of the next row."""
        if not self._palette:
            return text
        return f"{self._palette[(self._new_colors if new else self._colors)[column]]}{text}{RESET}"

    def _filled(self, text: str) -> str:
        """Return a line with blanks up to the width of the graph."""
        shown = _ESCAPE.sub("", text) if self._palette else text
        return text + " " * (self._width - len(shown))

    def _dashes(self) -> int:
        return len(self._parents) + self._layout - 3

    def _needs_expansion(self) -> bool:
        return (
            len(self._parents) >= 3
            and self._index < len(self._columns) - 1
            and self._expansion_row < self._dashes() * 2
        )

    # ------------------------------------------------------------------ lines

    @property
    def finished(self) -> bool:
        """True if all lines of the commit were returned."""
        return self._state is _State.PADDING

    def line(self) -> tuple[str, bool]:
        """Return the next line, and True for the one of the commit itself."""
        state = self._state
        text = {
            _State.PADDING: self._padding,
            _State.SKIP: self._skip,
            _State.PRE_COMMIT: self._expansion,
            _State.COMMIT: self._commit_line,
            _State.POST_MERGE: self._merge_line,
            _State.COLLAPSING: self._collapsing,
        }[state]()
        self._charge(1 + (len(text) >> 4))
        return self._filled(text), state is _State.COMMIT

    def padding(self) -> str:
        """Return a line for text before the commit."""
        if self._state is not _State.COMMIT:
            return self.line()[0]
        pieces = []
        for at, column in enumerate(self._columns):
            wide = column == self._commit and len(self._parents) > 2
            pieces.append(self._drawn("|", at) + " " * ((len(self._parents) - 2) * 2 if wide else 1))
        self._previous_state = _State.PADDING
        return self._filled("".join(pieces))

    def _go(self, state: _State) -> None:
        self._previous_state, self._state = self._state, state

    def _padding(self) -> str:
        return "".join(self._drawn("|", at, new=True) + " " for at in range(len(self._new_columns)))

    def _skip(self) -> str:
        self._go(_State.PRE_COMMIT if self._needs_expansion() else _State.COMMIT)
        return "..."

    def _expansion(self) -> str:
        pieces, seen = [], False
        for at, column in enumerate(self._columns):
            if column == self._commit:
                seen = True
                pieces.append(self._drawn("|", at) + " " * self._expansion_row)
            elif seen and self._expansion_row == 0:
                is_after = self._previous_state is _State.POST_MERGE and self._previous_index < at
                pieces.append(self._drawn("\\" if is_after else "|", at))
            else:
                pieces.append(self._drawn("\\" if seen else "|", at))
            pieces.append(" ")
        self._expansion_row += 1
        if not self._needs_expansion():
            self._go(_State.COMMIT)
        return "".join(pieces)

    def _commit_line(self) -> str:
        pieces, seen = [], False
        for at in range(len(self._columns) + 1):
            if at == len(self._columns) and seen:
                break
            column = self._columns[at] if at < len(self._columns) else self._commit
            if column == self._commit:
                seen = True
                dashes = self._dashes() if len(self._parents) > 2 else 0
                pieces.append(self._mark)
                for number in range(dashes):
                    target = self._mapping[(self._index + number + 2) * 2] if self._palette else 0
                    end = "." if number == dashes - 1 else "-"
                    pieces.append(self._drawn("-", target, new=True) + self._drawn(end, target, new=True))
            else:
                pieces.append(self._drawn(self._edge(at, seen), at))
            pieces.append(" ")
        if len(self._parents) > 1:
            self._go(_State.POST_MERGE)
        else:
            self._go(_State.PADDING if self._is_settled() else _State.COLLAPSING)
        return "".join(pieces)

    def _edge(self, at: int, seen: bool) -> str:
        """Return the edge of another column in the row of the commit."""
        if seen and self._added > 1:
            return "\\"
        if seen and self._added == 1:
            is_after = self._previous_state is _State.POST_MERGE and self._previous_added > 0
            return "\\" if is_after and self._previous_index < at else "|"
        if (
            self._previous_state is _State.COLLAPSING
            and _at(self._old_mapping, 2 * at + 1) == at
            and _at(self._mapping, 2 * at) < at
        ):
            return "/"
        return "|"

    def _merge_line(self) -> str:
        pieces, seen, parent_column = [], False, -1
        for at in range(len(self._columns) + 1):
            if at == len(self._columns) and seen:
                break
            column = self._columns[at] if at < len(self._columns) else self._commit
            if column == self._commit:
                seen = True
                shape = self._layout
                for number, parent in enumerate(self._parents):
                    target = self._new_places[parent] if self._palette else 0
                    pieces.append(self._drawn("/|\\"[shape], target, new=True))
                    if shape == 2:
                        pieces.append(" " * (self._added > 0 or number < len(self._parents) - 1))
                    else:
                        shape += 1
                pieces.append(" " * (self._added == 0))
            elif seen:
                pieces.append(self._drawn("\\" if self._added > 0 else "|", at) + " ")
            else:
                pieces.append(self._drawn("|", at))
                if self._layout != 0 or at != self._index - 1:
                    pieces.append(self._drawn("_", parent_column) if parent_column >= 0 else " ")
            if column == self._parents[0]:
                parent_column = at
        self._go(_State.PADDING if self._is_settled() else _State.COLLAPSING)
        return "".join(pieces)

    def _is_settled(self) -> bool:
        return all(target < 0 or target == at // 2 for at, target in enumerate(self._mapping))

    def _collapsing(self) -> str:
        old, size = self._mapping, len(self._mapping)
        new = [-1] * size
        horizontal = horizontal_target = -1
        for at, target in enumerate(old):
            if target < 0:
                continue
            if target * 2 == at:
                new[at] = target
            elif new[at - 1] < 0 or new[at - 1] != target:
                place = at - 1 if new[at - 1] < 0 else at - 2
                new[place] = target
                if horizontal == -1:
                    horizontal, horizontal_target = place + 1, target
                    for each in range(target * 2 + 3, at - 2, 2):
                        new[each] = target
        self._old_mapping = list(new)
        if new[-1] < 0:
            new.pop()
        pieces, used = [], False
        for at, target in enumerate(new):
            if target < 0:
                pieces.append(" ")
            elif target * 2 == at:
                pieces.append(self._drawn("|", target, new=True))
            elif target == horizontal_target and at != horizontal - 1:
                if at != target * 2 + 3:
                    new[at] = -1
                used = True
                pieces.append(self._drawn("_", target, new=True))
            else:
                if used and at < horizontal:
                    new[at] = -1
                pieces.append(self._drawn("/", target, new=True))
        self._mapping = new
        if self._is_settled():
            self._go(_State.PADDING)
        return "".join(pieces)


def _at(mapping: list[int], place: int) -> int:
    return mapping[place] if place < len(mapping) else -1


class GraphOfSelection:
    """The graph of a walk, and the texts of its commits next to it.

    Args:
        selection: The commits; they come in topological order from now on.
        palette: The colours of columns, empty for none.
    """

    def __init__(
        self, selection: Selection, charge: Callable[[int], None], palette: Sequence[str] = ()
    ) -> None:
        self._selection = selection
        self._members = selection.all_in_topological_order()
        self._first_parent = selection.options.first_parent
        self._graph = Graph(charge, palette)

    def update(self, commit: Commit, mark: str = "*") -> None:
        """Go to the next commit; ``mark`` is its character in the graph."""
        parents = self._selection.rewritten(commit).parents
        parents = parents[:1] if self._first_parent else parents
        edges = self._selection.edges
        shown = (parent for parent in parents if parent in self._members or parent in edges)
        self._graph.update(commit.oid, tuple(dict.fromkeys(shown)), mark)

    def padding(self) -> str:
        """Return the graph before a line that is not part of the text of a commit."""
        return self._graph.padding()

    def drawn(self, text: str) -> str:
        """Return the text of the commit, with the graph before each of its lines."""
        graph, rows = self._graph, text.split("\n")
        ends = rows[-1] == "" and len(rows) > 1
        if ends:
            rows.pop()
        pieces = []
        line, is_commit = graph.line()
        while not is_commit:
            pieces.append(f"{line}\n")
            line, is_commit = graph.line()
        pieces.append(line + rows[0])
        pieces += [f"\n{graph.line()[0]}{row}" for row in rows[1:]]
        if not graph.finished:
            rest = []
            while not graph.finished:
                rest.append(graph.line()[0])
            pieces.append("\n" + "\n".join(rest))
        return "".join(pieces) + "\n" * ends
