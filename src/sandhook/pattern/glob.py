"""Shell patterns: pattern matching notation and bash's extended patterns.

A pattern is a ``str`` in which a backslash makes the next character ordinary, so text that was
quoted in the script stays quoted (``quote``). Texts are ``str`` with surrogateescape: a byte
that is not UTF-8 is one character.

Source: POSIX.1-2024 XCU 2.14. Oracle: bash 5.2, shopt extglob and nocasematch.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from sandhook.errors import LimitExceeded
from sandhook.lazy import cache_short, lazily
from sandhook.limits import check_clock, check_fits
from sandhook.pattern.bracket import OpenBrackets, parse_bracket
from sandhook.pattern.matcher import Charge, Group, Literal, Node, One, Sequence, Star, Subject

#: The deepest nesting of extended patterns; bash is bounded only by its C stack.
MAX_NESTING = 50

#: Patterns up to this many characters are cached.

#: Turns of the parser between two looks at the clock, and the bytes that a bracket expression takes, the largest node.
_TURNS_PER_LOOK = 512
_NODE_BYTES = 512

#: Pieces of ordinary text that are joined before there are more.
_PIECES = 65_536

#: All other characters mean themselves wherever they stand.
_MAYBE_SPECIAL = frozenset("\\*?[+@!")
_PLAIN = lazily(r"[^\\*?\[+@!]+")
_SHORT = 256  #: characters of a pattern for which no regular expression is compiled

_ANY = One(None)

_SPECIAL = "\\*?[]!^-+@()|"
_QUOTED = {ord(c): "\\" + c for c in _SPECIAL}

Matches = Callable[..., bool]


def quote(text: str) -> str:
    """Return a pattern that matches exactly ``text``, in any position of a pattern."""
    return text.translate(_QUOTED)


def has_magic(pattern: str, *, extglob: bool = True) -> bool:
    """Return True if a pattern has an unquoted character that pathname expansion acts on."""
    if not ("*" in pattern or "?" in pattern or "[" in pattern or (extglob and "(" in pattern)):
        return False
    return not compile_pattern(pattern, extglob=extglob).is_literal


class Pattern:
    """A compiled pattern; immutable and shared.

    Attributes:
        matches: ``matches(text, charge=None) -> bool``: the whole text matches.
        is_literal: The pattern has only ordinary characters.
        literal_text: The text that a literal pattern matches, without quoting; "" for others.
    """

    __slots__ = ("_backwards", "_dot_special", "_node", "is_literal", "literal_text", "matches")

    def __init__(self, nodes: tuple[Node, ...], nocase: bool, dot_special: bool) -> None:
        self._node = nodes[0] if len(nodes) == 1 else Sequence(nodes)
        self._backwards: Node | None = None
        self._dot_special = dot_special
        plain = all(isinstance(node, Literal) for node in nodes)
        self.literal_text = "".join(node.text for node in nodes if isinstance(node, Literal)) if plain else ""
        self.is_literal = plain and not nocase
        fast_matcher = None if nocase or dot_special else _fast_matcher(nodes, self.match_sets)
        self.matches: Matches = fast_matcher or self.match_sets

    def match_sets(self, text: str, charge: Charge | None = None) -> bool:
        """Return True if the whole text matches, by sets of positions; ``matches`` may be faster."""
        subject = Subject(text, charge, self._dot_special, whole=True)
        return bool(self._node.ends(subject, 1) >> subject.size & 1)

    def match_prefix(self, text: str, longest: bool, charge: Charge | None = None) -> int:
        """Return the length of the shortest or longest beginning that matches; -1 for none."""
        if self.is_literal:
            return len(self.literal_text) if text.startswith(self.literal_text) else -1
        return _pick_end(self._node.ends(Subject(text, charge), 1), longest)

    def match_suffix(self, text: str, longest: bool, charge: Charge | None = None) -> int:
        """Return the offset where the shortest or longest ending that matches begins; -1 for none."""
        size = len(text)
        if self.is_literal:
            return size - len(self.literal_text) if text.endswith(self.literal_text) else -1
        length = _pick_end(self._reversed().ends(Subject(text[::-1], charge), 1), longest)
        return -1 if length < 0 else size - length

    def _reversed(self) -> Node:
        if self._backwards is None:
            self._backwards = self._node.reversed()
        return self._backwards

    def find(
        self, text: str, start: int = 0, longest: bool = True, charge: Charge | None = None
    ) -> tuple[int, int] | None:
        """Return the span of the leftmost match that begins at ``start`` or later, or None."""
        if self.is_literal:
            start_of_match = text.find(self.literal_text, start)
            return None if start_of_match < 0 else (start_of_match, start_of_match + len(self.literal_text))
        begins = self._begins(text, charge) >> start
        if not begins:
            return None
        start_of_match = start + (begins & -begins).bit_length() - 1
        if start_of_match == len(text) and not self._star_first:
            return None
        return start_of_match, _pick_end(self._node.ends(Subject(text, charge), 1 << start_of_match), longest)

    def one_character(self) -> Callable[[str], bool] | None:
        """Return the test of a pattern that is ``?`` or one bracket expression; None for other patterns."""
        return self._node.test if isinstance(self._node, One) else None

    def find_all(self, text: str, charge: Charge | None = None) -> list[tuple[int, int]]:
        """Return the spans that ``${text//pattern/...}`` replaces, in order.

        As in bash, an empty match counts at every character that no other match covers, and
        at the end only if the text is empty.
        """
        size = len(text)
        spans: list[tuple[int, int]] = []
        if isinstance(self._node, One):
            test = self._node.test
            matching = {c for c in set(text) if test(c)}
            return [(i, i + 1) for i, c in enumerate(text) if c in matching]
        if self.is_literal and self.literal_text:
            length = len(self.literal_text)
            offset = text.find(self.literal_text)
            while offset >= 0:
                spans.append((offset, offset + length))
                offset = text.find(self.literal_text, offset + length)
            return spans
        begins = self._begins(text, charge)
        subject = Subject(text, charge)
        offset = 0
        while offset < size or not (size or spans):
            remaining = begins >> offset
            if not remaining:
                break
            offset += (remaining & -remaining).bit_length() - 1
            if offset == size and (size or not self._star_first):
                break
            end = _pick_end(self._node.ends(subject, 1 << offset), True)
            spans.append((offset, end))
            offset = max(end, offset + 1)
        return spans

    def _begins(self, text: str, charge: Charge | None) -> int:
        """Return the set of offsets at which a match begins."""
        backwards = Subject(text[::-1], charge)
        ends = self._reversed().ends(backwards, backwards.all_)
        width = backwards.size + 1
        return int(f"{ends:0{width}b}"[::-1], 2)

    @property
    def _star_first(self) -> bool:
        """The pattern begins with a star; in bash, only such a pattern replaces the empty end of a text."""
        first = self._node.nodes[0] if isinstance(self._node, Sequence) and self._node.nodes else self._node
        return isinstance(first, Star) or (isinstance(first, Group) and first.operator == "*")


def _pick_end(positions: int, longest: bool) -> int:
    if longest:
        return positions.bit_length() - 1
    return (positions & -positions).bit_length() - 1


def _fast_matcher(nodes: tuple[Node, ...], general: Matches) -> Matches | None:
    """Return a matcher of str methods for common shapes of patterns; None for others."""
    kinds = "".join("l" if isinstance(n, Literal) else "*" if isinstance(n, Star) else "x" for n in nodes)
    texts = [n.text for n in nodes if isinstance(n, Literal)]
    if kinds == "l" or not kinds:
        literal = texts[0] if texts else ""
        return lambda text, charge=None: text == literal
    if kinds == "*":
        return lambda text, charge=None: True
    if kinds == "l*":
        head = texts[0]
        return lambda text, charge=None: text.startswith(head)
    if kinds == "*l":
        tail = texts[0]
        return lambda text, charge=None: text.endswith(tail)
    if kinds == "*l*":
        inner = texts[0]
        return lambda text, charge=None: inner in text
    if "x" not in kinds:
        return _pieces(kinds, texts)
    if kinds == "*x*" and isinstance(nodes[1], One):
        return _any_of(nodes[1])
    if all(isinstance(n, (Literal, One, Star)) for n in nodes):
        return _runs(nodes, general)
    return None


def _any_of(one: One) -> Matches:
    """Match ``*[!0-9]*``: some character is in the set. Tests each distinct character once."""
    test = one.test

    def matches(text: str, charge: Charge | None = None) -> bool:
        return any(map(test, set(text)))

    return matches


def _pieces(kinds: str, texts: list[str]) -> Matches:
    """Match literals with stars between them: each at its first occurrence, the last one at the end."""
    head = texts[0] if kinds[0] == "l" else ""
    tail = texts[-1] if kinds[-1] == "l" else ""
    inner = texts[(kinds[0] == "l") : len(texts) - (kinds[-1] == "l")]
    ends = len(head) + len(tail)

    def matches(text: str, charge: Charge | None = None) -> bool:
        if len(text) < ends or not text.startswith(head) or not text.endswith(tail):
            return False
        offset = len(head)
        last = len(text) - len(tail)
        for piece in inner:
            offset = text.find(piece, offset, last)
            if offset < 0:
                return False
            offset += len(piece)
        return True

    return matches


#: Longer texts (characters) are matched by sets, whose work grows more slowly.
_SHORT = 256

_Run = list[Literal | One]


def _runs(nodes: tuple[Node, ...], general: Matches) -> Matches:
    """Match runs of known length between stars, such as ``[!0-9]*`` or ``*"chmod "[0-7]*``.

    Each run is matched at its first occurrence, the last one at the end; this is correct because no run can be
    longer or shorter.
    """
    runs: list[_Run] = [[]]
    for node in nodes:
        if isinstance(node, Star):
            runs.append([])
        elif isinstance(node, (Literal, One)):
            runs[-1].append(node)
    widths = [sum(len(n.text) if isinstance(n, Literal) else 1 for n in run) for run in runs]
    head, tail = runs[0], runs[-1]
    inner = [(run, width) for run, width in zip(runs[1:-1], widths[1:-1])]
    starred = len(runs) > 1
    ends = widths[0] + (widths[-1] if starred else 0)

    def matches(text: str, charge: Charge | None = None) -> bool:
        size = len(text)
        if size > _SHORT:
            return general(text, charge)
        if size < ends or not _fits(head, text, 0):
            return False
        if not starred:
            return size == ends
        last = size - widths[-1]
        if not _fits(tail, text, last):
            return False
        offset = widths[0]
        for run, width in inner:
            while offset + width <= last and not _fits(run, text, offset):
                offset += 1
            offset += width
            if offset > last:
                return False
        return True

    return matches


def _fits(run: _Run, text: str, offset: int) -> bool:
    """Return True if a run matches at an offset; the text must be long enough."""
    for node in run:
        if isinstance(node, Literal):
            if not text.startswith(node.text, offset):
                return False
            offset += len(node.text)
        else:
            if not node.test(text[offset]):
                return False
            offset += 1
    return True


def _ends_in_wildcards(nodes: list[Node]) -> bool:
    """Return True if a star is the last node, or only what bash reads together with it follows."""
    for node in reversed(nodes):
        if isinstance(node, Star):
            return True
        if not (isinstance(node, One) and node.bracket is None) and not (
            isinstance(node, Group) and node.operator in ("?", "*")
        ):
            return False
    return False


def _mark_star(nodes: list[Node], operator: str) -> None:
    """Note in a star at the end that a group follows it; for bash, ``*?`` is ``?*``."""
    at = len(nodes) - 1
    while at > 0 and isinstance(node := nodes[at], One) and node.bracket is None:
        at -= 1
    if at >= 0 and isinstance(nodes[at], Star):
        del nodes[at]
        nodes.append(Star(before=operator))


def _plain_end(pattern: str, at: int, stop: int) -> int:
    """Return where the ordinary text ends that begins with the character at ``at``."""
    if stop - at > _SHORT:
        run = _PLAIN.match(pattern, at, stop)
        return at + 1 if run is None else run.end()
    at += 1
    while at < stop and pattern[at] not in _MAYBE_SPECIAL:
        at += 1
    return at


class _Parser:
    """Parses one pattern into nodes."""

    __slots__ = ("closed_nodes", "extglob", "nocase", "open_brackets", "pattern", "turns")

    def __init__(self, pattern: str, extglob: bool, nocase: bool) -> None:
        self.pattern = pattern
        self.turns = 0
        self.closed_nodes = 0  # those of sequences that are complete
        self.extglob = extglob
        self.nocase = nocase
        self.open_brackets = OpenBrackets()

    def parse(self, at: int, stop: int, depth: int) -> tuple[Node, ...]:
        pattern = self.pattern
        nodes: list[Node] = []
        plain: list[str] = []

        def flush() -> None:
            if plain:
                nodes.append(Literal("".join(plain), self.nocase))
                plain.clear()

        while at < stop:
            c = pattern[at]
            self.turns += 1
            if not self.turns % _TURNS_PER_LOOK:
                self.look(nodes, plain)
            if self.extglob and c in "?*+@!" and pattern[at + 1 : at + 2] == "(" and at + 1 < stop:
                flush()
                group, at = self._group(at, stop, depth)
                if isinstance(group, Literal) and c in "?*" and _ends_in_wildcards(nodes):
                    break  # bash ignores the text after "*?(" or "*?*(" without its ")"
                if depth == 0 and isinstance(group, Group) and c in "+@!":
                    _mark_star(nodes, c)
                nodes.append(group)
            elif c == "\\":
                plain.append(pattern[at + 1] if at + 1 < stop else c)
                at += 2
            elif c == "*":
                flush()
                if not (nodes and isinstance(nodes[-1], Star)):
                    nodes.append(Star())
                at += 1
            elif c == "?":
                flush()
                nodes.append(_ANY)
                at += 1
            elif (
                c == "["
                and (parsed := parse_bracket(pattern, at, self.nocase, self.open_brackets))
                and parsed[1] <= stop
            ):
                flush()
                nodes.append(One(parsed[0]))
                at = parsed[1]
            else:
                end = _plain_end(pattern, at, stop)
                plain.append(pattern[at:end])
                at = end
        flush()
        self.closed_nodes += len(nodes)
        return tuple(nodes)

    def look(self, nodes: list[Node], plain: list[str]) -> None:
        """Look at the clock and at the memory. Raises LimitExceeded."""
        check_clock()
        check_fits((self.closed_nodes + len(nodes)) * _NODE_BYTES)
        if len(plain) > _PIECES:
            plain[:] = ["".join(plain)]

    def _group(self, at: int, stop: int, depth: int) -> tuple[Node, int]:
        """Parse ``X(...)``; without its ")" the rest of the pattern is literal text."""
        if depth >= MAX_NESTING:
            raise LimitExceeded("nesting", MAX_NESTING, "pattern")
        bounds = self._alternatives(at + 2, stop)
        if bounds is None:
            return Literal(self.pattern[at:stop], self.nocase), stop
        alternatives: list[Node] = []
        for begin, end in pairwise(bounds):
            nodes = self.parse(begin, end - 1, depth + 1)
            alternatives.append(nodes[0] if len(nodes) == 1 else Sequence(nodes))
        return Group(self.pattern[at], tuple(alternatives)), bounds[-1]

    def _alternatives(self, at: int, stop: int) -> list[int] | None:
        """Return the offset of each alternative and, last, the offset after the ")"."""
        pattern = self.pattern
        bounds = [at]
        depth = 0
        while at < stop:
            c = pattern[at]
            self.turns += 1
            if not self.turns % _TURNS_PER_LOOK:
                check_clock()
            if c == "\\":
                at += 1
            elif c == "[":
                parsed = parse_bracket(pattern, at, False, self.open_brackets)
                if parsed is None:
                    return None  # in bash, an open "[" hides the ")"
                at = parsed[1] - 1
            elif c == "(":
                depth += 1
            elif c == ")":
                if not depth:
                    bounds.append(at + 1)
                    return bounds
                depth -= 1
            elif c == "|" and not depth:
                bounds.append(at + 1)
            at += 1
        return None


@cache_short(1024)
def _cached(pattern: str, extglob: bool, nocase: bool, dot_special: bool) -> Pattern:
    return Pattern(_Parser(pattern, extglob, nocase).parse(0, len(pattern), 0), nocase, dot_special)


def compile_pattern(
    pattern: str, *, extglob: bool = True, nocase: bool = False, dot_special: bool = False
) -> Pattern:
    """Compile a pattern.

    Args:
        pattern: The pattern; a backslash makes the next character ordinary.
        extglob: Whether ``?(...)`` and similar groups are special.
        nocase: Whether case is ignored (shopt nocasematch, nocaseglob).
        dot_special: A "." at the beginning of the text is matched by a "." only, as in
            pathname expansion.

    Raises:
        LimitExceeded: Extended patterns are nested deeper than MAX_NESTING.
    """
    return _cached(pattern, extglob, nocase, dot_special)
