"""History expansion, for ``history -p`` and interactive shells.

Source: bash 5.2 reference manual 9.3: an event (``!!``, ``!n``, ``!-n``, ``!text``, ``!?text?``, ``^a^b^``), words of
it (``:n``, ``:^``, ``:$``, ``:*``, ``:m-n``), and modifiers (h t r e p q x s & g G).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandhook.text.quoting import at_quote

_ENDS_TEXT = " \t\n;&()|<>:"


class NoEvent(Exception):
    """There is no such command, no such word of it, or no such modifier."""


def expand(text: str, entries: Sequence[str], base: int, *, extglob: bool = False) -> str:
    """Return text with its references replaced.

    Args:
        text: One word or line.
        entries: The commands, oldest first.
        base: Number of the first one.
        extglob: ``!(`` begins a pattern rather than an event.

    Raises:
        NoEvent: A reference to no command or word.
    """
    if text[:1] == "^":
        text = "!!:s" + text
    pieces: list[str] = []
    reader = _Expander(text, entries, base, " \t\n=(" if extglob else " \t\n=")
    quoted = False
    while reader.at < len(text):
        letter = text[reader.at]
        if letter == "\\":
            pieces.append(text[reader.at : reader.at + 2])
            reader.at += 2
        elif letter == "'" and not quoted:
            end = text.find("'", reader.at + 1)
            end = len(text) if end < 0 else end + 1
            pieces.append(text[reader.at : end])
            reader.at = end
        elif letter == "!" and reader.begins_event():
            pieces.append(reader.event("".join(pieces)))
        else:
            quoted ^= letter == '"'
            pieces.append(letter)
            reader.at += 1
    return "".join(pieces)


class _Expander:
    def __init__(self, text: str, entries: Sequence[str], base: int, no_event: str) -> None:
        self.no_event = no_event
        self.text = text
        self.entries = entries
        self.base = base
        self.at = 0
        self.search_text: str | None = None
        self.substitution: tuple[str, str] | None = None

    def peek(self, ahead: int = 0) -> str:
        return self.text[self.at + ahead : self.at + ahead + 1]

    def begins_event(self) -> bool:
        following = self.peek(1)
        return bool(following) and following not in self.no_event

    def event(self, before: str) -> str:
        """Parse and expand a reference; ``before`` is the value of ``!#``."""
        self.at += 1
        line = self._line(before)
        words = split_words(line)
        selection: str | None = None
        if self.peek() == ":" and self.peek(1) and self.peek(1) in "0123456789^$*-%xq":
            if self.peek(1) not in "xq":
                self.at += 1
                selection = self._words(words)
        elif self.peek() and self.peek() in "^$*-%":
            selection = self._words(words)
        return self._apply_modifiers(line if selection is None else selection)

    def _line(self, before: str) -> str:
        letter = self.peek()
        entries = self.entries
        if letter == "!":
            self.at += 1
            return self._entry(len(entries) - 1)
        if letter == "#":
            self.at += 1
            return before
        if letter in "^$*:%":  # !$ is short for !!:$
            return self._entry(len(entries) - 1)
        end = self.at + 1 if letter == "-" else self.at
        while self.text[end : end + 1].isdecimal():
            end += 1
        number = self.text[self.at : end]
        if number.lstrip("-"):
            self.at = end
            value = int(number[:12])
            return self._entry(len(entries) + value if value < 0 else value - self.base)
        if letter == "?":
            end = self.text.find("?", self.at + 1)
            text = self.text[self.at + 1 : end if end >= 0 else len(self.text)]
            self.at = end + 1 if end >= 0 else len(self.text)
            self.search_text = text
            return self._search(lambda line: text in line)
        end = self.at
        while end < len(self.text) and self.text[end] not in _ENDS_TEXT:
            end += 1
        prefix = self.text[self.at : end]
        if not prefix:
            raise NoEvent
        self.at = end
        return self._search(lambda line: line.startswith(prefix))

    def _entry(self, index: int) -> str:
        if not 0 <= index < len(self.entries):
            raise NoEvent
        return self.entries[index]

    def _search(self, matches: Callable[[str], bool]) -> str:
        for line in reversed(self.entries):
            if matches(line):
                return line
        raise NoEvent

    def _words(self, words: list[str]) -> str:
        last = len(words) - 1
        letter = self.peek()
        if letter == "*":
            self.at += 1
            return " ".join(words[1:])
        if letter == "%":
            self.at += 1
            return next((word for word in words if self.search_text and self.search_text in word), "")
        first = 0 if letter == "-" else self._word_number(last)
        if self.peek() == "*":
            self.at += 1
            return " ".join(words[first:])
        end = first
        if self.peek() == "-":
            self.at += 1
            following = self.peek()
            end = self._word_number(last) if following and following in "0123456789^$" else last - 1
        if first > last or end > last or end < first:
            raise NoEvent
        return " ".join(words[first : end + 1])

    def _word_number(self, last: int) -> int:
        letter = self.peek()
        if letter in ("^", "$"):
            self.at += 1
            return 1 if letter == "^" else last
        end = self.at
        while self.text[end : end + 1].isdecimal():
            end += 1
        if end == self.at:
            raise NoEvent
        value = int(self.text[self.at : end][:9])
        self.at = end
        return value

    def _apply_modifiers(self, value: str) -> str:
        while self.peek() == ":" and self.peek(1):
            self.at += 1
            everywhere = words = False
            while self.peek() in ("g", "a", "G") and self.peek(1) in ("s", "&"):
                everywhere |= self.peek() != "G"
                words |= self.peek() == "G"
                self.at += 1
            letter = self.peek()
            self.at += 1
            if letter == "h":
                value = value.rpartition("/")[0] if "/" in value else value
            elif letter == "t":
                value = value.rpartition("/")[2]
            elif letter == "r":
                value = value.rpartition(".")[0] if "." in value else value
            elif letter == "e":
                value = value[value.rfind(".") :] if "." in value else value
            elif letter == "q":
                value = at_quote(value)
            elif letter == "x":
                value = " ".join(map(at_quote, value.split()))
            elif letter == "s":
                self._read_substitution()
                value = self._substitute(value, everywhere, words)
            elif letter == "&":
                value = self._substitute(value, everywhere, words)
            elif letter != "p":
                raise NoEvent
        return value

    def _read_substitution(self) -> None:
        delimiter = self.peek()
        self.at += 1
        old = self._until(delimiter)
        new = self._until(delimiter).replace("\\&", "\0").replace("&", old).replace("\0", "&")
        self.substitution = old, new

    def _until(self, delimiter: str) -> str:
        end = self.text.find(delimiter, self.at) if delimiter else -1
        if end < 0:
            end = len(self.text)
        text = self.text[self.at : end]
        self.at = min(end + 1, len(self.text))
        return text

    def _substitute(self, value: str, everywhere: bool, words: bool) -> str:
        if self.substitution is None or not self.substitution[0] or self.substitution[0] not in value:
            raise NoEvent
        old, new = self.substitution
        if words:
            return " ".join(word.replace(old, new, 1) for word in value.split(" "))
        return value.replace(old, new) if everywhere else value.replace(old, new, 1)


def split_words(line: str) -> list[str]:
    """Split a command into the words of an event: quoted text is one word, and so is each operator."""
    words: list[str] = []
    index = 0
    while index < len(line):
        if line[index] in " \t\n":
            index += 1
            continue
        start = index
        if line[index] in ";&()|<>":
            index += 2 if line[index : index + 2] in ("&&", "||", ";;", ">>", "<<", ">&", "<&", "&>") else 1
        else:
            while index < len(line) and line[index] not in " \t\n;&()|<>":
                if line[index] == "\\":
                    index += 1
                elif line[index] in "'\"`":
                    end = line.find(line[index], index + 1)
                    index = len(line) if end < 0 else end
                index += 1
        words.append(line[start:index])
    return words
