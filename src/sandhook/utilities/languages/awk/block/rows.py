"""Records of a block and the columns of their fields, which are computed when they are first read.

A column is a list with an entry for each record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import compress
from typing import TypeAlias

from sandhook.lazy import lazily
from sandhook.utilities.languages.awk.records import ODD
from sandhook.utilities.languages.awk.runtime import Runtime
from sandhook.utilities.languages.awk.special import FS
from sandhook.utilities.languages.awk.values import text_to_number

RECORD_AT = -1  #: $0 among the numbers of fields less one

#: The characters of texts that float() converts as awk does, or refuses.
_PLAIN = lazily(r"[0-9.+\-eE \t]*")
#: Values of FS that stand for themselves; the blank does not.
_SEPARATORS = frozenset("\t!\"#$%&'()*+,-./:;<=>?@[]^_`{|}~")
_LONG_RECORD = 64  #: fields; the division of a record that has more is charged

#: One field of all records.
Texts: TypeAlias = list[str]
Numbers: TypeAlias = list[float]


class Unfit(Exception):
    """The columns cannot be computed for these records. Nothing is changed: the ordinary path runs the rules on them."""


class BlockRun:
    """The rules on one block.

    Attributes:
        fields: How many fields of a record are read; 0 for all of them.
        ended: For each record, 1 after ``next``; None before the first ``next``.
        changes: What the rules change, in their order; called when every column is computed.
        substituted: ``sub`` or ``gsub`` has changed records, which are then strings, not numbers.
        last_substituted: The last record is one of them.
        pieces: What is printed: the places of the records in the block, their texts, and the text after each.
    """

    __slots__ = ("changes", "ended", "fields", "last_substituted", "pieces", "rt", "size", "substituted")

    def __init__(self, rt: Runtime, size: int, fields: int) -> None:
        self.rt = rt
        self.size = size
        self.fields = fields
        self.ended: bytearray | None = None
        self.substituted = self.last_substituted = False
        self.changes: list[Callable[[], None]] = []
        self.pieces: list[tuple[Sequence[int], Texts, str]] = []

    def output(self) -> str:
        """Return what the rules print, in the order of the records."""
        if len(self.pieces) == 1:
            _, texts, end = self.pieces[0]
            return end.join([*texts, ""])
        lines = [""] * self.size
        for places, texts, end in self.pieces:
            for place, text in zip(places, texts):
                lines[place] += text + end
        return "".join(lines)


class Rows:
    """Some records of a block, in their order.

    Attributes:
        digits: All records are digits, each one number without blanks; False when this is not known.
        undivided: No record has a separator of fields: each is its own first field.
    """

    __slots__ = (
        "_divided",
        "_numbers",
        "_parent",
        "_places",
        "_size",
        "_texts",
        "digits",
        "run",
        "undivided",
    )

    def __init__(
        self, run: BlockRun, records: Texts, places: Sequence[int], *, digits: bool, undivided: bool
    ) -> None:
        self.run = run
        self.digits = digits
        self.undivided = undivided
        self._size = len(records)
        self._parent: tuple[Rows, Sequence[object]] | None = None
        self._places: Sequence[int] | None = places
        self._divided: list[Texts] | None = None
        self._texts: dict[int, Texts] = {RECORD_AT: records}
        self._numbers: dict[int, Numbers | None] = {}

    def __len__(self) -> int:
        return self._size

    def where(self, mask: Sequence[bool]) -> Rows:
        """Return the records for which ``mask`` is true; their columns are computed from those that are known."""
        rows = Rows(self.run, [], (), digits=self.digits, undivided=self.undivided)
        rows._size = mask.count(True)
        rows._parent = self, mask
        rows._places = None
        rows._texts = {}
        return rows

    def last(self) -> Rows:
        """Return the last record alone."""
        record = self.records[-1:]
        return Rows(self.run, record, self.places[-1:], digits=self.digits, undivided=self.undivided)

    def substitute(self, literal: str, replacement: str, count: int) -> None:
        """Replace the first ``count`` occurrences of a text in every record, -1 for all of them."""
        if self._parent is not None:  # the other records would have to be known, too
            raise Unfit
        records, run = self.records, self.run
        run.substituted = True
        run.last_substituted = run.last_substituted or literal in records[-1]
        self._texts = {RECORD_AT: [record.replace(literal, replacement, count) for record in records]}
        self._divided, self._numbers = None, {}
        self.digits = False
        self.undivided = self.undivided and " " not in replacement

    def remaining(self) -> Rows:
        """Return the records that ``next`` did not end."""
        ended = self.run.ended
        return self if ended is None else self.where([not ended[place] for place in self.places])

    @property
    def places(self) -> Sequence[int]:
        """The place of each record in the block."""
        if self._places is None:
            assert self._parent is not None
            parent, mask = self._parent
            self._places = list(compress(parent.places, mask))
        return self._places

    @property
    def records(self) -> Texts:
        """The records themselves."""
        return self.texts(RECORD_AT)

    def texts(self, at: int) -> Texts:
        """Return the texts of a field; "" where a record does not have it.

        Args:
            at: Number of the field less one; ``RECORD_AT`` for the records themselves.
        """
        texts = self._texts.get(at)
        if texts is None and self._parent is not None:
            parent, mask = self._parent
            if at in parent._texts or at == RECORD_AT:
                texts = self._texts[at] = list(compress(parent.texts(at), mask))
        if texts is None and at == 0 and self.undivided:
            texts = self._texts[at] = self.records
        if texts is None:
            divided = self.divided()
            try:
                texts = [fields[at] for fields in divided]
            except IndexError:
                texts = [fields[at] if at < len(fields) else "" for fields in divided]
            self._texts[at] = texts
        return texts

    def plain_numbers(self, at: int) -> Numbers | None:
        """Return the numbers of a field; None unless all its texts are numbers that float() converts as awk does.

        Raises Unfit for records of which some are strings.
        """
        if at == RECORD_AT and self.run.substituted:
            raise Unfit
        try:
            return self._numbers[at]
        except KeyError:
            pass
        numbers = None
        try:
            if self._parent is not None and self._parent[0]._numbers.get(at) is not None:
                parent, mask = self._parent
                numbers = list(compress(parent._numbers[at] or (), mask))
            elif at <= 0 and self.digits:
                numbers = list(map(float, self.records))
            else:
                texts = self.texts(at)
                if _PLAIN.fullmatch("".join(texts)):
                    numbers = list(map(float, texts))
        except ValueError:
            pass
        self._numbers[at] = numbers
        return numbers

    def numbers(self, at: int) -> Numbers:
        """Return the numbers at the start of a field's texts."""
        numbers = None if at == RECORD_AT and self.run.substituted else self.plain_numbers(at)
        return list(map(text_to_number, self.texts(at))) if numbers is None else numbers

    def each_number(self, at: int) -> Iterable[float]:
        """Return the numbers of a field that is read once: no list of them is kept, which takes half the time.

        Raises ValueError while it is iterated, if a record of an input of digits is empty.
        """
        return map(float, self.records) if self.is_digits(at) else self.numbers(at)

    def is_digits(self, at: int) -> bool:
        """Return whether all texts of a field are known to be digits alone; one may be empty."""
        return at <= 0 and self.digits

    def divided(self) -> list[Texts]:
        """Return the fields of every record, at least as many of them as the rules read."""
        if self._divided is None:
            if self._parent is not None and self._parent[0]._divided is not None:
                parent, mask = self._parent
                self._divided = list(compress(parent._divided or (), mask))
            else:
                self._divided = self._divide()
        return self._divided

    def _divide(self) -> list[Texts]:
        rt, count = self.run.rt, self.run.fields
        separator = rt.g[FS]
        if count and rt.blanks:
            return [record.split(None, count) for record in self.records]
        if count and rt.mode == FS and rt.rs and separator in _SEPARATORS:
            return [record.split(separator, count) if record else [] for record in self.records]
        divide, count_pieces = rt.split_record, rt.count_pieces
        divided = [divide(record, count_pieces) for record in self.records]
        rt.budget.charge(sum([len(fields) >> 4 for fields in divided if len(fields) > _LONG_RECORD]))
        return divided


def is_blank_safe(text: str) -> bool:
    """Return True when str.split() divides the text at the blanks of awk alone."""
    return (text.isascii() and text.isprintable()) or ODD.search(text) is None
