"""Translates expressions of Python's ``re``, for agents written in Python, to RE2's syntax.

They must match all of a text, as by ``re.fullmatch``. Lookaround, backreferences, and what never gives characters back (atomic
groups, possessive quantifiers) have no linear equivalent; only a lookahead at the beginning is a test of its own. ``\\b`` is that
of ASCII words, and ``$`` the end of the text.

Source: the documentation of ``re`` in Python 3.13, and its behavior.
"""

from __future__ import annotations

from collections.abc import Callable

from sandhook.lazy import cache_short
from sandhook.pattern.engine import compile_linear
from sandhook.pattern.errors import PatternError, UnsupportedError
from sandhook.pattern.linear import MAX_LENGTH, Re2Regex
from sandhook.pattern.python_class import PERL, bracket, character, is_decimal, numbered, of_perl, other_cases

_BLANKS, _FLAGS, _END = " \t\n\r\v\f", "aiLmsux", "expected :, ) or - after the flags of a group"
_LOOKAROUND = {"(?=": True, "(?!": False}
#: The largest number of a quantifier, and its digits; and how deep groups may be, in which RE2 has a bound, too.
_MOST, _DIGITS, _DEEPEST = (1 << 32) - 2, 10, 900


@cache_short(256)
def compile_python(pattern: str) -> Callable[[str], bool]:
    """Return a function that returns whether the pattern matches all of a text.

    Raises:
        UnsupportedError: The pattern is one of Python, and has no linear equivalent.
        PatternError: It does not compile in Python.
    """
    if len(pattern) > MAX_LENGTH:
        raise UnsupportedError(f"expression of over {MAX_LENGTH} characters")
    translator = _Translator(pattern)
    whole = translator.run()
    tests = [(wanted, _compiled(f"^(?:{text})")) for wanted, text in translator.ahead]
    last = _compiled(f"^(?:{whole})$")

    def matches(text: str) -> bool:
        return all(test.search(text) is wanted for wanted, test in tests) and last.search(text)

    return matches


def _compiled(text: str) -> Re2Regex:
    try:
        return Re2Regex(compile_linear(text, latin1=False, icase=False, longest=False, groups=False))
    except PatternError as error:  # Python has no such bounds
        raise UnsupportedError(str(error)) from None


class _Level:
    """A group that is open, or the whole expression."""

    __slots__ = ("branches", "flags", "items", "kind", "last", "number")

    def __init__(self, kind: str, flags: frozenset[str], number: int = 0) -> None:
        self.kind = kind
        self.flags = flags
        self.number = number
        self.items: list[str] = []
        #: What a quantifier would follow: "item", "repeat", "place" (``^``, ``\\b``), "test", or "" for nothing.
        self.last = ""
        self.branches = False


class _Translator:
    """Translates one expression in one pass."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0
        self.levels = [_Level("", frozenset())]
        self.count = 0
        self.names: dict[str, int] = {}
        self.closed: set[int] = set()
        #: Lookaheads at the beginning: whether they must match, and their expressions.
        self.ahead: list[tuple[bool, str]] = []
        #: The groups that conditions ask for, which may follow.
        self.conditions: list[int] = []
        self.unsupported = ""

    def run(self) -> str:
        """Return the expression in RE2's syntax."""
        while self.at < len(self.pattern):
            self._piece()
        if len(self.levels) > 1:
            raise PatternError("missing ), unterminated subpattern")
        if max(self.conditions, default=0) > self.count:
            raise PatternError(f"invalid group reference {max(self.conditions)}")
        if self.ahead and self.levels[0].branches:
            self.unsupported = "a lookahead in one of several branches"
        if self.unsupported:
            raise UnsupportedError(f"{self.unsupported} is not supported")
        return "".join(self.levels[0].items)

    def _piece(self) -> None:
        level, c = self.levels[-1], self.pattern[self.at]
        if "x" in level.flags and c in _BLANKS:
            self.at += 1
        elif "x" in level.flags and c == "#":
            end = self.pattern.find("\n", self.at)
            self.at = len(self.pattern) if end < 0 else end + 1
        elif c == "(":
            self._open()
        elif c == ")":
            self._close()
        elif c == "\\":
            self._escape()
        elif c == "[":
            self._add(self._bracket())
        elif c in "*+?" or (c == "{" and self._bounds() is not None):
            self._repeat()
        elif c == "|":
            self.at += 1
            level.items.append("|")
            level.last, level.branches = "", True
        elif c in "^$":
            self.at += 1
            plain = r"\A" if c == "^" else r"\z"
            self._add(f"(?m:{c})" if "m" in level.flags else plain, "place")
        else:
            self.at += 1
            if c == ".":
                self._add(r"(?s:.)" if "s" in level.flags else r"[^\n]")
            else:
                self._add_letter(ord(c))

    def _add(self, text: str, kind: str = "item") -> None:
        level = self.levels[-1]
        level.items.append(text)
        level.last = kind

    def _add_letter(self, code: int) -> None:
        flags, text = self.levels[-1].flags, _literal(chr(code))
        if "i" in flags and (others := other_cases(code, code, ascii_="a" in flags)):
            text = f"[{text}{''.join(others)}]"
        self._add(self._in_either_case(text))

    def _in_either_case(self, text: str) -> str:
        """Return a letter or a class in either case; RE2's ``(?i)`` is that of Unicode, where ``s`` has a third form."""
        flags, has_letters = self.levels[-1].flags, r"\x" in text or text.isalnum()
        return f"(?i:{text})" if "i" in flags and "a" not in flags and has_letters else text

    # Quantifiers.

    def _bounds(self) -> tuple[int, int | None, int] | None:
        """Return the numbers of a quantifier in braces and where it ends; None for a brace that is itself."""
        end = self.at + 1
        while self.pattern[end : end + 1] and self.pattern[end] in "0123456789,":
            end += 1
        low, comma, high = self.pattern[self.at + 1 : end].partition(",")
        if self.pattern[end : end + 1] != "}" or "," in high or not (low or comma):
            return None
        if max(len(low.lstrip("0")), len(high.lstrip("0"))) > _DIGITS:
            raise PatternError("the repetition number is too large")
        least = int(low[-_DIGITS:] or "0")
        most = least if not comma else int(high[-_DIGITS:]) if high else None
        return least, most, end + 1

    def _repeat(self) -> None:
        level, c = self.levels[-1], self.pattern[self.at]
        if c == "{":
            bounds = self._bounds()
            assert bounds is not None
            least, most, end = bounds
            if max(least, most or 0) > _MOST:
                raise PatternError("the repetition number is too large")
            if most is not None and least > most:
                raise PatternError("min repeat greater than max repeat")
            sign = f"{{{least},{'' if most is None else most}}}"
        else:
            sign, end = c, self.at + 1
        if level.last in ("", "place"):
            raise PatternError("nothing to repeat")
        if level.last == "repeat":
            raise PatternError("multiple repeat")
        if level.last == "test":
            self.unsupported = "a quantifier after a lookahead"
        self.at = end
        if self.pattern[end : end + 1] == "?":
            self.at += 1
        elif self.pattern[end : end + 1] == "+":
            self.at += 1
            self.unsupported = "a possessive quantifier"
        level.items.append(f"(?:{level.items.pop() if level.items else ''}){sign}")
        level.last = "repeat"

    # Groups.

    def _open(self) -> None:
        rest, level = self.pattern[self.at : self.at + 4], self.levels[-1]
        if not rest.startswith("(?"):
            self._group(1)
        elif rest.startswith("(?:"):
            self._enter("plain", 3)
        elif rest.startswith("(?>"):
            self.unsupported = "an atomic group"
            self._enter("plain", 3)
        elif rest.startswith("(?P<"):
            name, end = self._name(4, ">")
            if name in self.names:
                raise PatternError(f"redefinition of group name {name!r}")
            self.names[name] = self.count + 1
            self._group(end - self.at)
        elif rest.startswith("(?P="):
            name, self.at = self._name(4, ")")
            if name not in self.names:
                raise PatternError(f"unknown group name {name!r}")
            self._refer(self.names[name])
        elif rest.startswith("(?#"):
            end = self.pattern.find(")", self.at)
            if end < 0:
                raise PatternError("missing ), unterminated comment")
            self.at = end + 1
        elif rest[:3] in _LOOKAROUND:
            first = len(self.levels) == 1 and all(each == r"\A" for each in level.items)
            if not first:
                self.unsupported = f"lookahead {rest[:3]}...)"
            self._enter(rest[:3] if first else "test", 3)
        elif rest in ("(?<=", "(?<!"):
            self.unsupported = f"lookbehind {rest}...)"
            self._enter("test", 4)
        elif rest.startswith("(?("):
            name, end = self._name(3, ")", number=True)
            self.unsupported = "a group with a condition"
            if is_decimal(name):
                self.conditions.append(int(name))
            elif name not in self.names:
                raise PatternError(f"unknown group name {name!r}")
            self._enter("plain", end - self.at)
        else:
            self._flags()

    def _name(self, skip: int, ending: str, *, number: bool = False) -> tuple[str, int]:
        end = self.pattern.find(ending, self.at + skip)
        name = self.pattern[self.at + skip : end] if end > 0 else ""
        if not (name.isidentifier() or (number and is_decimal(name) and len(name) < _DIGITS and int(name))):
            raise PatternError(f"bad character in group name {name!r}")
        return name, end + 1

    def _group(self, length: int) -> None:
        self.count += 1
        self._enter("group", length, self.count)

    def _enter(self, kind: str, length: int, number: int = 0, flags: frozenset[str] | None = None) -> None:
        self.at += length
        if len(self.levels) > _DEEPEST:
            raise UnsupportedError("so many groups in each other are not supported")
        self.levels.append(_Level(kind, self.levels[-1].flags if flags is None else flags, number))

    def _close(self) -> None:
        level = self.levels.pop()
        if not self.levels:
            raise PatternError("unbalanced parenthesis")
        self.at += 1
        self.closed.add(level.number)
        text = "".join(level.items)
        if level.kind in _LOOKAROUND:
            self.ahead.append((_LOOKAROUND[level.kind], text))
            self.levels[-1].last = "test"
        else:
            outer = self.levels[-1]
            outer.items.append(f"(?:{text})")
            outer.last = "test" if level.kind == "test" else "item"

    def _flags(self) -> None:
        """Consume ``(?flags)``, which stands at the beginning, or the opening ``(?flags-flags:`` of a group."""
        end = self.at + 2
        while self.pattern[end : end + 1] and self.pattern[end] in f"{_FLAGS}-":
            end += 1
        on, minus, off = self.pattern[self.at + 2 : end].partition("-")
        sign, level = self.pattern[end : end + 1], self.levels[-1]
        if not (on or minus) or "-" in off:
            raise PatternError(f"unknown extension {self.pattern[self.at + 1 : self.at + 3]}")
        if "L" in on or {"a", "u"} <= set(on):
            raise PatternError("bad inline flags")
        if minus and (not off or set(off) & {"a", "L", "u"} or set(on) & set(off)):
            raise PatternError("bad inline flags")
        if sign == ")" and not minus:
            if len(self.levels) > 1 or level.items or level.last or self.ahead:
                raise PatternError("global flags not at the start of the expression")
            level.flags |= set(on)
            self.at = end + 1
        elif sign == ":":
            kept = level.flags - {"a"} if "u" in on else level.flags
            self._enter("plain", end + 1 - self.at, 0, (kept | set(on)) - set(off))
        else:
            raise PatternError(_END)

    # Escapes and classes.

    def _escape(self) -> None:
        c = self.pattern[self.at + 1 : self.at + 2]
        if c in ("A", "Z"):
            self.at += 2
            self._add(r"\A" if c == "A" else r"\z", "place")
        elif c in ("b", "B"):
            self.at += 2
            self._add(f"\\{c}", "place")
        elif c and c in PERL:
            self.at += 2
            self._add(of_perl(c, ascii_="a" in self.levels[-1].flags))
        elif c and c in "123456789" and (number := numbered(self.pattern, self.at)) is not None:
            self.at += 1 + len(str(number))
            self._refer(number)
        else:
            code, self.at = character(self.pattern, self.at)
            self._add_letter(code)

    def _refer(self, number: int) -> None:
        """Check a reference to a group."""
        if number > self.count:
            raise PatternError(f"invalid group reference {number}")
        if number not in self.closed:
            raise PatternError("cannot refer to an open group")
        self.unsupported = "a backreference"
        self.levels[-1].last = "item"
        self.levels[-1].items.append("(?:)")

    def _bracket(self) -> str:
        flags = self.levels[-1].flags
        text, self.at = bracket(self.pattern, self.at, ascii_="a" in flags, icase="i" in flags)
        if not text:
            self.unsupported = "a negated class of a negated class and others"
        return self._in_either_case(text or "x")


def _literal(c: str) -> str:
    if 0xD800 <= ord(c) < 0xE000:
        raise UnsupportedError("half of a surrogate pair is not supported")
    return c if c.isascii() and c.isalnum() else f"\\x{{{ord(c):x}}}"
