"""A matcher for shell patterns that never takes exponential time, not even with ``!(...)``.

Sets of text positions are Python integers (bit i stands for the gap before character i), and
every node of a pattern maps the set of positions where it may begin to the set where it may
end. Repeating a character set is one addition with carries, as in Cameron's bitwise parallel
regular expressions ("Parabix", PACT 2014). A node costs at most O(n*n/64) for n characters, a
negation O(n*n*n/64) word operations when it can begin anywhere. Each step is charged, so a
budget ends long searches.

Backtracking was rejected (exponential on ``+(+(+(a)))b``), and RE2 too: it has neither negation
nor the single bytes of a str with surrogateescape.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sandhook.pattern.bracket import Bracket, fold

Charge = Callable[[int], None]

#: Bits of a set for which one step is charged.
_BITS_PER_STEP = 4096


class Subject:
    """One text, with the sets of positions of its characters.

    Args:
        text: The text.
        charge: Called with the units of work, before it is done; None charges nothing.
        dot_special: A "." at the beginning is matched only by a "." of the pattern.
        whole: The match must cover the whole text.
    """

    __slots__ = ("_backwards", "_charge", "_masks", "_unit", "all_", "dot", "last", "size", "text")

    def __init__(
        self, text: str, charge: Charge | None = None, dot_special: bool = False, whole: bool = False
    ) -> None:
        self.text = text
        self.size = len(text)
        self.all_ = (1 << (self.size + 1)) - 1
        self.dot = 1 if dot_special and text[:1] == "." else 0
        self.last = 1 << self.size if whole else 0
        self._charge = charge
        self._unit = 1 + self.size // _BITS_PER_STEP
        self._masks: dict[object, int] = {}
        self._backwards = ""

    def step(self) -> None:
        """Charge one operation on sets."""
        if self._charge is not None:
            self._charge(self._unit)

    def where(self, key: object, test: Callable[[str], bool]) -> int:
        """Return the positions of the characters that pass ``test``; cached under ``key``."""
        mask = self._masks.get(key)
        if mask is None:
            self.step()
            backwards = self._backwards or self.text[::-1]
            self._backwards = backwards
            table = {ord(c): "1" if test(c) else "0" for c in set(backwards)}
            self._masks[key] = mask = int(backwards.translate(table) or "0", 2)
        return mask


class Node:
    """A part of a pattern."""

    __slots__ = ()

    def ends(self, subject: Subject, starts: int) -> int:
        """Return the positions where a match can end that begins at one of ``starts``; both are sets of bits."""
        raise NotImplementedError

    def reversed(self) -> Node:
        """Return the node for reversed texts."""
        return self


class Literal(Node):
    """Ordinary characters."""

    __slots__ = ("nocase", "text")

    def __init__(self, text: str, nocase: bool = False) -> None:
        self.text = "".join(map(fold, text)) if nocase else text
        self.nocase = nocase

    def ends(self, subject: Subject, starts: int) -> int:
        if not starts & (starts - 1) and not self.nocase:  # one start: no need for sets
            at = starts.bit_length() - 1
            return starts << len(self.text) if starts and subject.text.startswith(self.text, at) else 0
        for c in self.text:
            if not starts:
                return 0
            subject.step()
            test = (lambda x, c=c: fold(x) == c) if self.nocase else c.__eq__
            starts = (starts & subject.where(c, test)) << 1
        return starts

    def reversed(self) -> Node:
        return Literal(self.text[::-1], self.nocase)


class One(Node):
    """One character: ``?`` (``bracket`` is None) or a bracket expression."""

    __slots__ = ("bracket",)

    def __init__(self, bracket: Bracket | None) -> None:
        self.bracket = bracket

    def test(self, c: str) -> bool:
        """Return True if one character matches."""
        return self.bracket is None or self.bracket.test(c)

    def mask(self, subject: Subject) -> int:
        """Return the positions of the characters that match, regardless of the rule for a leading dot."""
        if self.bracket is None:
            return subject.all_ >> 1
        return subject.where(self, self.bracket.test)

    def ends(self, subject: Subject, starts: int) -> int:
        subject.step()
        return (starts & self.mask(subject) & ~subject.dot) << 1


class Star(Node):
    """Any characters: ``*``.

    Before ``@(``, ``+(`` and ``!(``, in bash it never matches the whole rest of the text, even if
    the group can be empty: ``b*!(c)`` does not match ``bc``. At the end of the text ``!(`` matches: so it matches ``b``.

    Attributes:
        before: The operator of the group after it, "" if no group follows.
    """

    __slots__ = ("before",)

    def __init__(self, before: str = "") -> None:
        self.before = before

    def ends(self, subject: Subject, starts: int) -> int:
        subject.step()
        starts &= ~subject.dot
        reached = subject.all_ & -(starts & -starts) if starts else 0
        if not self.before:
            return reached
        return reached & ~subject.last | (starts & subject.last if self.before == "!" else 0)


class Sequence(Node):
    """Several nodes, one after the other."""

    __slots__ = ("nodes",)

    def __init__(self, nodes: tuple[Node, ...]) -> None:
        self.nodes = nodes

    def ends(self, subject: Subject, starts: int) -> int:
        for node in self.nodes:
            if not starts:
                return 0
            starts = node.ends(subject, starts)
        return starts

    def reversed(self) -> Node:
        return Sequence(tuple(node.reversed() for node in reversed(self.nodes)))


class Group(Node):
    """An extended pattern: ``?(a|b)``, ``*(...)``, ``+(...)``, ``@(...)`` or ``!(...)``."""

    __slots__ = ("alternatives", "operator")

    def __init__(self, operator: str, alternatives: tuple[Node, ...]) -> None:
        self.operator = operator
        self.alternatives = alternatives

    def reversed(self) -> Node:
        return Group(self.operator, tuple(node.reversed() for node in self.alternatives))

    def ends(self, subject: Subject, starts: int) -> int:
        if self.operator == "@":
            return self._once(subject, starts)
        if self.operator == "?":
            return starts | self._once(subject, starts)
        if self.operator == "!":
            return self._others(subject, starts)
        return self._repeated(subject, starts)

    def _once(self, subject: Subject, starts: int) -> int:
        subject.step()
        ends = 0
        for node in self.alternatives:
            ends |= node.ends(subject, starts)
        return ends

    def _repeated(self, subject: Subject, starts: int) -> int:
        alternative = self.alternatives[0]
        if len(self.alternatives) == 1 and not subject.dot and isinstance(alternative, One):
            mask = alternative.mask(subject)
            subject.step()
            reached = (((starts & mask) + mask) ^ mask) | starts  # the carry runs to the end of the run
            if self.operator == "*":
                return reached & subject.all_
            return (reached & mask) << 1
        new = ends = starts if self.operator == "*" else self._once(subject, starts)
        while new:
            new = self._once(subject, new) & ~ends
            ends |= new
        return ends

    def _others(self, subject: Subject, starts: int) -> int:
        ends = 0
        starts &= ~subject.dot
        while starts:
            start = starts & -starts
            starts ^= start
            ends |= subject.all_ & -start & ~self._once(subject, start)
        return ends


def bits(positions: int) -> Iterator[int]:
    """Yield the positions of a set in order."""
    while positions:
        low = positions & -positions
        yield low.bit_length() - 1
        positions ^= low
