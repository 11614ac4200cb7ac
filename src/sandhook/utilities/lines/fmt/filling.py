"""Where ``fmt`` breaks a paragraph: the search for the cheapest breaks, starting from its end.

A line costs the square of its distance from the goal, plus the square of its difference from the next line. A break
after a sentence or punctuation is cheap; one that leaves a single word of a sentence is expensive.

Source: the program's behaviour, GNU coreutils 9.1.
"""

from __future__ import annotations

from sandhook.command.context import Context

MAX_BYTES = 5000  #: of a paragraph that is broken as a whole
_MAX_WORDS = 998

_INFINITE = 1 << 62
_LINE = 70 * 70
_SENTENCE_BONUS = 50 * 50
_NO_BREAK = 600 * 600
_PARENTHESIS_BONUS = _PUNCTUATION_BONUS = 40 * 40
_WIDOW = 200 * 200
_ORPHAN = 150 * 150
_LINE_CREDIT = 3 * 3
_PUNCTUATION = frozenset(b"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


class Word:
    """One word.

    Attributes:
        space: Columns after it, if it does not end its line.
        opens, punctuated, stops: It begins with an opening character, ends with punctuation, may end a sentence.
        final: It ends a sentence.
        cost, line, next: The cheapest layout of the text from this word on: its cost, the length of its first line,
            and the index of the word that begins the next line.
    """

    __slots__ = ("cost", "final", "length", "line", "next", "opens", "punctuated", "space", "stops", "text")

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.length = len(text)
        self.opens = text[0] in b"(['`\""
        self.punctuated = text[-1] in _PUNCTUATION
        end = len(text) - 1
        while end and text[end] in b")]'\"":
            end -= 1
        self.stops = text[end] in b".?!"
        self.final = False
        self.space = 0
        self.cost = self.line = self.next = 0

    def finish(self, space: int, ends_line: bool, ends_input: bool, uniform: bool) -> None:
        """Set the space after the word, and whether it ends a sentence."""
        self.final = ends_input or (self.stops and (ends_line or space > 1))
        self.space = (2 if self.final else 1) if ends_line or ends_input or uniform else space


class Paragraph:
    """The words of one paragraph that are not printed yet.

    Attributes:
        tabs: The input has tabs, so the output gets them.
        prefix_indent: Columns before the prefix.
        first_indent, other_indent: Columns before the first line's text, and before that of the others.
    """

    def __init__(self, prefix: bytes, width: int, goal: int, ctx: Context) -> None:
        self._prefix = prefix
        self._width = width
        self._goal = goal
        self._ctx = ctx
        self._words: list[Word] = []
        self._size = 0
        self._last = 0
        self.tabs = False
        self.prefix_indent = self.first_indent = self.other_indent = 0

    def begin(self, prefix_indent: int, first_indent: int) -> None:
        """Start with no words."""
        self.prefix_indent = prefix_indent
        self.first_indent = first_indent
        self._words = []
        self._size = self._last = 0

    def is_full(self, size: int) -> bool:
        """Return whether there is no room for another word of ``size`` bytes."""
        return bool(self._words) and (self._size + size > MAX_BYTES or len(self._words) >= _MAX_WORDS)

    def add(self, word: Word) -> None:
        self._words.append(word)
        self._size += word.length

    def end(self) -> None:
        """Print the remaining words."""
        last = self._words[-1]
        last.stops = last.final = True
        self._choose()
        self._print(len(self._words))

    def flush(self) -> None:
        """Print the lines up to the best break, because the paragraph is too long to be broken as a whole."""
        self._choose()
        words = self._words
        count = len(words)
        split, best = count, _INFINITE
        at = words[0].next
        while at != count:
            following = words[at].next
            gain = words[at].cost - (words[following].cost if following < count else 0)
            if gain < best:
                split, best = at, gain
            best += _LINE_CREDIT
            at = following
        self._print(split)
        self._words = words[split:]
        self._size = sum([word.length for word in self._words])

    # ------------------------------------------------------------------ the choice

    def _choose(self) -> None:
        words = self._words
        count = len(words)
        goal, width = self._goal, self._width
        for start in range(count - 1, -1, -1):
            word = words[start]
            best = _INFINITE
            length = (self.first_indent if start == 0 else self.other_indent) + word.length
            at = start
            attempts = 0
            while True:
                at += 1
                attempts += 1
                if at == count:
                    cost = 0
                else:
                    after = words[at]
                    cost = 100 * (goal - length) ** 2 + after.cost
                    if after.next != count:
                        cost += 100 * (length - after.line) ** 2 // 2
                if start == 0 and self._last > 0:
                    cost += 100 * (length - self._last) ** 2 // 2
                if cost < best:
                    best, word.next, word.line = cost, at, length
                if at == count:
                    break
                length += words[at - 1].space + words[at].length
                if length >= width:
                    break
            self._ctx.charge(1 + (attempts >> 2))
            word.cost = best + self._base(start)

    def _base(self, at: int) -> int:
        """Return the cost of a line that begins with a word."""
        words = self._words
        word = words[at]
        cost = _LINE
        if at:
            before = words[at - 1]
            if before.stops:
                cost += -_SENTENCE_BONUS if before.final else _NO_BREAK
            elif before.punctuated:
                cost -= _PUNCTUATION_BONUS
            elif at > 1 and words[at - 2].final:
                cost += _WIDOW // (before.length + 2)
        if word.opens:
            cost -= _PARENTHESIS_BONUS
        elif word.final:
            cost += _ORPHAN // (word.length + 2)
        return cost

    # ------------------------------------------------------------------ output

    def _print(self, end: int) -> None:
        at = 0
        indent = self.first_indent
        while at != end:
            following = self._words[at].next
            self._line(self._words[at:following], indent)
            at, indent = following, self.other_indent

    def _line(self, words: list[Word], indent: int) -> None:
        column = self.prefix_indent + len(self._prefix)
        pieces = [self.blanks(0, self.prefix_indent), self._prefix, self.blanks(column, indent)]
        column = max(column, indent)
        for word in words[:-1]:
            column += word.length
            pieces += [word.text, self.blanks(column, column + word.space)]
            column += word.space
        pieces += [words[-1].text, b"\n"]
        self._last = column + words[-1].length
        self._ctx.write(b"".join(pieces))

    def blanks(self, column: int, target: int) -> bytes:
        """Return the blanks from one column to another; tabs if they are enabled and shorter."""
        result = b""
        stop = target // 8 * 8
        if self.tabs and column + 1 < stop:
            result = b"\t" * (stop // 8 - column // 8)
            column = stop
        return result + b" " * (target - column)
