"""grep -P: Perl's regular expressions on the ``regex`` module, under a time limit.

What PCRE writes in another way is translated. Sizes are checked before the module compiles
anything, for ``((a{1000}){1000}){1000}`` would take gigabytes.

Source: pcre2pattern(3). Divergence: L-GREP-002, messages are our own, (*VERBS) are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from sandhook.limits import Budget
from sandhook.pattern.errors import PatternError

MAX_LENGTH = 20_000  #: characters
MAX_SIZE = 50_000  #: single-character items once all repeats are written out

_HORIZONTAL = r" \t\xa0\u1680\u180e\u2000-\u200a\u202f\u205f\u3000"
_VERTICAL = r"\n\x0b\f\r\x85\u2028\u2029"
_OUTSIDE = {
    "h": f"[{_HORIZONTAL}]",
    "H": f"[^{_HORIZONTAL}]",
    "v": f"[{_VERTICAL}]",
    "V": f"[^{_VERTICAL}]",
    "N": r"[^\n]",
    "R": rf"(?>\r\n|[{_VERTICAL}])",
    "e": r"\x1b",
    "z": r"\Z",
    "Z": r"(?=\n?\Z)",
}
_INSIDE = {"h": _HORIZONTAL, "v": _VERTICAL, "e": r"\x1b", "b": r"\x08"}
_CODE = re.compile(r"x\{([0-9a-fA-F]{1,8})\}|o\{([0-7]{1,11})\}|x([0-9a-fA-F]{0,2})|c([ -~])", re.ASCII)
_REFERENCE = re.compile(r"g\{?([+-]?\d{1,4})\}?|(?:k[<'{]|g\{)([A-Za-z_]\w*)[>'}]", re.ASCII)
#: The module's words for what PCRE2 has words for.
_MESSAGES = {
    "missing )": "missing closing parenthesis",
    "unbalanced parenthesis": "unmatched closing parenthesis",
    "bad character range": "range out of order in character class",
    "nothing to repeat": "quantifier does not follow a repeatable item",
    "multiple repeat": "quantifier does not follow a repeatable item",
    "invalid group reference": "reference to non-existent subpattern",
    "unknown group": "reference to non-existent subpattern",
    "bad escape (end of pattern)": "\\ at end of pattern",
}
_REPEAT = re.compile(r"[*+?]|\{(\d{1,6})(?:(,)(\d{0,6}))?\}", re.ASCII)


def perl_spans(pattern: bytes, icase: bool, words: bool, lines: bool, budget: Budget) -> PerlSpans:
    """Return the search for all matches in a line. Raises PatternError."""
    return PerlSpans(_compiled(pattern, icase, words, lines), budget)


class PerlSpans:
    """Yields the spans of matches, in bytes."""

    __slots__ = ("_budget", "_compiled")

    def __init__(self, compiled: Any, budget: Budget) -> None:
        self._compiled = compiled
        self._budget = budget

    def __call__(self, line: bytes) -> Iterator[tuple[int, int]]:
        budget = self._budget
        text = line.decode("utf-8", "surrogateescape")
        same = len(text) == len(line)
        at = 0
        while at <= len(text):
            left = budget.remaining()
            if left <= 0:
                budget.fail("wall_seconds")
            try:
                found = self._compiled.search(text, at, timeout=left, concurrent=True)
            except TimeoutError:
                budget.fail("wall_seconds")
            if found is None:
                return
            start, end = found.span()
            if same:
                yield start, end
            else:
                first = len(text[:start].encode("utf-8", "surrogateescape"))
                yield first, first + len(text[start:end].encode("utf-8", "surrogateescape"))
            at = end if end > start else end + 1


@lru_cache(maxsize=64)
def _compiled(pattern: bytes, icase: bool, words: bool, lines: bool) -> Any:
    import regex

    if b"\n" in pattern:
        raise PatternError("the -P option only supports a single pattern")
    text = Translator(pattern.decode("utf-8", "surrogateescape")).run()
    if lines:
        text = f"^(?:{text})$"
    elif words:
        text = rf"(?<!\w)(?:{text})(?!\w)"
    flags = regex.V0 | regex.ASCII | (regex.IGNORECASE if icase else 0)
    try:
        return regex.compile(text, flags, cache_pattern=False)
    except regex.error as error:
        raise PatternError(_MESSAGES.get(error.msg, error.msg)) from None
    except (OverflowError, RecursionError):
        raise PatternError("regular expression is too large") from None


class Translator:
    """Rewrites PCRE's notation into the module's, and adds up what its repeats amount to."""

    def __init__(self, pattern: str) -> None:
        if len(pattern) > MAX_LENGTH:
            raise PatternError("regular expression is too large")
        self._pattern = pattern
        self._at = 0
        self._out: list[str] = []
        self._groups = 0
        self._sizes = [0]  # of every open group, the outermost first
        self._last = 0  # of the item that a repeat would apply to

    def run(self) -> str:
        pattern = self._pattern
        while self._at < len(pattern):
            letter = pattern[self._at]
            if letter == "\\":
                self._escape()
            elif letter == "[":
                self._item(self._bracket())
            elif letter == "(":
                self._open()
            elif letter == ")":
                self._take(1)
                inner = self._sizes.pop() if len(self._sizes) > 1 else 0
                self._add(inner)
            elif not self._repeat():
                self._item(letter)
                self._at += 1
        return "".join(self._out)

    def _take(self, count: int) -> None:
        self._out.append(self._pattern[self._at : self._at + count])
        self._at += count

    def _item(self, text: str) -> None:
        self._out.append(text)
        self._add(1)

    def _add(self, size: int) -> None:
        self._last = size
        self._sizes[-1] += size
        if self._sizes[-1] > MAX_SIZE:
            raise PatternError("regular expression is too large")

    def _open(self) -> None:
        pattern = self._pattern
        if pattern.startswith("(*", self._at):
            verb = pattern[self._at : pattern.find(")", self._at) + 1]
            raise PatternError(f"{verb or '(*'} is not supported")
        if pattern.startswith("(?#", self._at):
            end = pattern.find(")", self._at) + 1
            self._at = end or len(pattern)
            return
        named = re.compile(r"\(\?(?:P?<|')([A-Za-z_]\w*)[>']", re.ASCII).match(pattern, self._at)
        if named:
            self._groups += 1
            self._out.append(f"(?P<{named[1]}>")
            self._at = named.end()
        elif pattern.startswith("(?P>", self._at):
            self._out.append("(?&")
            self._at += 4
        else:
            if not pattern.startswith("(?", self._at):
                self._groups += 1
            self._take(2 if pattern.startswith("(?", self._at) else 1)
        self._sizes.append(0)
        if len(self._sizes) > 100:
            raise PatternError("parentheses are too deeply nested")

    def _repeat(self) -> bool:
        found = _REPEAT.match(self._pattern, self._at)
        if not found:
            return False
        if found[1]:
            most = max(int(found[1]), int(found[3] or 0))
            if most > 65_535:
                raise PatternError("number too big in {} quantifier")
            extra = self._last * max(most - 1, 0)
            self._add(extra)
            self._last = extra
        self._take(found.end() - self._at)
        return True

    def _escape(self) -> None:
        pattern, at = self._pattern, self._at + 1
        letter = pattern[at : at + 1]
        if not letter:
            raise PatternError("\\ at end of pattern")
        if letter == "Q":
            end = pattern.find("\\E", at)
            quoted = pattern[at + 1 :] if end < 0 else pattern[at + 1 : end]
            for each in quoted:
                self._item(re.escape(each))
            self._at = len(pattern) if end < 0 else end + 2
            return
        if letter == "E":
            self._at = at + 1
            return
        reference = _REFERENCE.match(pattern, at)
        if reference:
            self._at = reference.end()
            number = reference[1]
            if number:
                value = int(number)
                if number[0] == "-":
                    value += self._groups + 1
                self._item(f"(?:\\g<{value}>)")
            else:
                self._item(f"(?P={reference[2]})")
            return
        code = self._code(at)
        if code is not None:
            self._item(code)
        elif letter in _OUTSIDE:
            self._at = at + 1
            self._item(_OUTSIDE[letter])
        elif letter in "pP":
            self._property(at)
        else:
            self._at = at + 1
            self._item("\\" + letter if letter.isascii() else re.escape(letter))

    def _property(self, at: int) -> None:
        end = self._pattern.find("}", at) + 1 if self._pattern[at + 1 : at + 2] == "{" else at + 2
        self._item(self._pattern[at - 1 : end or len(self._pattern)])
        self._at = end or len(self._pattern)

    def _code(self, at: int) -> str | None:
        """Return the character that a \\x, \\o or \\c escape stands for, and step over it."""
        found = _CODE.match(self._pattern, at)
        if not found:
            return None
        self._at = found.end()
        if found[4]:
            value = ord(found[4].upper()) ^ 0x40
        elif found[2]:
            value = int(found[2], 8)
        else:
            value = int(found[1] or found[3] or "0", 16)
        if value > 0x10FFFF or 0xD800 <= value <= 0xDFFF:
            raise PatternError("character code point value in \\x{} or \\o{} is too large")
        return f"\\U{value:08x}"

    def _bracket(self) -> str:
        """Return a class with what stands in it translated, and step over it."""
        pattern = self._pattern
        self._at += 1
        out = ["["]
        if pattern[self._at : self._at + 1] == "^":
            out.append("^")
            self._at += 1
        if pattern[self._at : self._at + 1] == "]":
            out.append("\\]")
            self._at += 1
        while True:
            letter = pattern[self._at : self._at + 1]
            if not letter:
                raise PatternError("missing terminating ] for character class")
            if letter == "]":
                self._at += 1
                return "".join((*out, "]"))
            if letter == "\\":
                out.append(self._bracket_escape())
                continue
            named = re.compile(r"\[:\^?[a-z]+:\]").match(pattern, self._at)
            if named:
                out.append(named[0])
                self._at = named.end()
            else:
                out.append("\\" + letter if letter in "[&~|" else letter)
                self._at += 1

    def _bracket_escape(self) -> str:
        at = self._at + 1
        letter = self._pattern[at : at + 1]
        code = self._code(at)
        if code is not None:
            return code
        if letter in ("p", "P") and self._pattern[at + 1 : at + 2] == "{":
            end = self._pattern.find("}", at) + 1 or len(self._pattern)
            text = self._pattern[at - 1 : end]
            self._at = end
            return text
        if letter in ("Q", "E"):
            raise PatternError(f"\\{letter} inside of a class is not supported")
        self._at = at + 1
        return _INSIDE.get(letter, "\\" + letter)
