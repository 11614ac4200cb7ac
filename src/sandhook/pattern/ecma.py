"""Translates ECMAScript's regular expressions, for agents written in JavaScript, to RE2's syntax.

An expression is parsed as by ``new RegExp(text)``: no flags, so without Unicode mode, and with
the leniencies of Annex B. Lookaround and backreferences have no linear equivalent, so they are errors.

Source: ECMA-262 (15th edition), 22.2 and B.1.2. Divergence: L-CLAUDE-001.
"""

from __future__ import annotations

from sandhook.lazy import cache_short
from sandhook.pattern.engine import compile_linear
from sandhook.pattern.errors import PatternError, UnsupportedError
from sandhook.pattern.linear import MAX_LENGTH, Re2Regex
from sandhook.pattern.python_class import other_cases

_SPACE = r"\t\n\v\f\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}"
_NOT_DOT = r"[^\n\r\x{2028}\x{2029}]"
_CONTROLS = {"t": "\\t", "n": "\\n", "v": "\\v", "f": "\\f", "r": "\\r"}
#: The letters that have a third form for RE2's ``(?i)``, and these forms: the long s, and the sign of kelvin.
_WITH_THIRD, _THIRD = (0x4B, 0x53, 0x6B, 0x73, 0x17F, 0x212A), (0x17F, 0x212A)
#: Messages of RE2 about its own bounds.
_BOUNDS = ("too large", "invalid repetition size", "bad repetition argument")
_LOOKAROUND = {"(?=": "lookahead", "(?!": "lookahead", "(?<=": "lookbehind", "(?<!": "lookbehind"}


@cache_short(256)
def compile_ecma(pattern: str, *, groups: bool = True) -> Re2Regex:
    """Compile an expression; ``search`` of the result finds it anywhere in a text.

    Raises:
        UnsupportedError: The expression is one of JavaScript, and has no linear equivalent.
        PatternError: It does not compile in JavaScript.
    """
    if len(pattern) > MAX_LENGTH:
        raise UnsupportedError(f"expression of over {MAX_LENGTH} characters")
    translated = _Translator(pattern).run()
    try:
        find = compile_linear(translated, latin1=False, icase=False, longest=False, groups=groups)
    except PatternError as error:
        if any(each in error.message for each in _BOUNDS):  # which JavaScript does not have
            raise UnsupportedError(error.message) from None
        raise
    return Re2Regex(find)


class _Translator:
    """Translates one expression in one pass."""

    __slots__ = ("at", "groups", "icase", "named", "out", "outer", "pattern")

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0
        self.out: list[str] = []
        #: Whether letters match in either case, here and in each of the groups around.
        self.icase = False
        self.outer: list[bool] = []
        self.groups = _count_groups(pattern)
        self.named = "(?<" in pattern.replace("(?<=", "").replace("(?<!", "")

    def run(self) -> str:
        while self.at < len(self.pattern):
            c = self.pattern[self.at]
            if c == "\\":
                self.out.append(self._cased(self._escape()))
            elif c == "[":
                self.out.append(self._class())
            elif c == "(":
                self._group()
            elif c == "{":
                self._brace()
            else:
                self.at += 1
                if c == ")" and self.outer:
                    self.icase = self.outer.pop()
                text = {".": _NOT_DOT, "]": r"\]", "}": r"\}"}.get(c, c)
                self.out.append(self._cased(text))
        return "".join(self.out)

    def _cased(self, text: str) -> str:
        """Return a character in either case. For RE2 ``s`` has a third form beyond ASCII, and for JavaScript two."""
        code = _code_of(text) if self.icase else None
        if self.icase and text in (r"\w", r"\W"):
            return f"(?-i:{text})"
        if code in _THIRD:
            return f"(?-i:{text})"
        others = [] if code is None else other_cases(code, code, ascii_=True)
        return f"(?-i:[{text}{''.join(others)}])" if others else text

    def _group(self) -> None:
        self.outer.append(self.icase)
        rest = self.pattern[self.at : self.at + 4]
        for opening, name in _LOOKAROUND.items():
            if rest.startswith(opening):
                if name == "lookbehind" and self.pattern[_end(self.pattern, self.at) :][:1] in tuple("*+?"):
                    raise PatternError("nothing to repeat")
                raise UnsupportedError(f"{name} {opening}...) is not supported (L-CLAUDE-001)")
        if rest.startswith("(?<"):
            end = self.pattern.find(">", self.at)
            name = self.pattern[self.at + 3 : end] if end > 0 else ""
            if not name.isidentifier():
                raise PatternError("invalid name of a group")
            self.out.append("(")  # the name is not needed, and RE2 accepts fewer names
            self.at = end + 1
        elif rest.startswith("(?:"):
            self.out.append("(?:")
            self.at += 3
        elif rest.startswith("(?"):
            self._modifiers()
        else:
            self.out.append("(")
            self.at += 1

    def _modifiers(self) -> None:
        """Copy ``(?ims-ims:``, part of ECMA-262 since 2025; flags without a colon are not JavaScript."""
        end = self.pattern.find(":", self.at)
        flags = self.pattern[self.at + 2 : end] if end > 0 else "?"
        if not flags or flags.strip("ims-") or flags.count("-") > 1:
            raise PatternError(f"invalid group: {self.pattern[self.at : self.at + 4]}")
        self.out.append(f"(?{flags}:")
        on, _, off = flags.partition("-")
        self.icase = "i" in on or (self.icase and "i" not in off)
        self.at = end + 1

    def _brace(self) -> None:
        """Copy a quantifier; any other brace is itself."""
        end = self.pattern.find("}", self.at)
        inside = self.pattern[self.at + 1 : end] if end > 0 else ""
        low, comma, high = inside.partition(",")
        if _is_decimal(low) and (not high or (comma and _is_decimal(high))):
            if high and int(low) > int(high):
                raise PatternError("numbers out of order in {} quantifier")
            self.out.append(self.pattern[self.at : end + 1])
            self.at = end + 1
        else:
            self.out.append(r"\{")
            self.at += 1

    def _escape(self) -> str:
        """Consume and return one escape outside of a class."""
        c = self.pattern[self.at + 1 : self.at + 2]
        if not c:
            raise PatternError("\\ at end of pattern")
        if c in "bB":
            self.at += 2
            return "\\" + c
        if c in "123456789":
            self._backreference()
        if c == "k" and self.named:
            raise UnsupportedError("backreference \\k<...> is not supported (L-CLAUDE-001)")
        if c in "sS":
            self.at += 2
            return f"[{'^' if c == 'S' else ''}{_SPACE}]"
        return self._member()

    def _backreference(self) -> None:
        end = self.at + 1
        while _is_decimal(self.pattern[end : end + 1]):
            end += 1
        number = int(self.pattern[self.at + 1 : end][:6])
        if number <= self.groups:
            raise UnsupportedError(f"backreference \\{number} is not supported (L-CLAUDE-001)")

    def _member(self) -> str:
        """Consume and return an escape that means the same inside and outside of a class."""
        begin, c = self.at, self.pattern[self.at + 1 : self.at + 2]
        self.at += 2
        if c in "dDwW":
            return "\\" + c
        if c in _CONTROLS:
            return _CONTROLS[c]
        if c in "xu":
            count = 2 if c == "x" else 4
            digits = self.pattern[self.at : self.at + count]
            if len(digits) == count and all(digit in "0123456789abcdefABCDEF" for digit in digits):
                self.at += count
                code = int(digits, 16)
                if 0xD800 <= code < 0xE000:
                    raise UnsupportedError("half of a surrogate pair is not supported (L-CLAUDE-001)")
                return f"\\x{{{code:x}}}"
        if c == "c":
            letter = self.pattern[self.at : self.at + 1]
            if letter.isascii() and letter.isalpha():
                self.at += 1
                return f"\\x{{{ord(letter) % 32:x}}}"
            self.at = begin + 1
            return r"\\"
        if c in "01234567":  # Annex B: an octal escape
            digits = c
            while len(digits) < 3 and self.pattern[self.at : self.at + 1] in tuple("01234567"):
                if int(digits + self.pattern[self.at], 8) > 255:
                    break
                digits += self.pattern[self.at]
                self.at += 1
            return f"\\x{{{int(digits, 8):x}}}"
        return _literal(c)

    def _class(self) -> str:
        """Consume and return one bracket expression."""
        begin = self.at
        self.at += 1
        negated = self.pattern[self.at : self.at + 1] == "^"
        self.at += negated
        members: list[str] = []
        while True:
            c = self.pattern[self.at : self.at + 1]
            if not c:
                raise PatternError(f"unterminated character class: {self.pattern[begin:]}")
            if c == "]":
                self.at += 1
                break
            if c == "\\":
                members.append(self._class_escape())
            else:
                self.at += 1
                members.append("-" if c == "-" else _literal(c))
        return self._cased_class(members, negated)

    def _cased_class(self, members: list[str], negated: bool) -> str:
        """Return a class in either case, without the third forms that RE2 has of two letters."""
        inside = _bracket(members, negated)
        ranges = _ranges(members) if self.icase else []
        third = any(low <= code <= high for low, high in ranges for code in _WITH_THIRD)
        if not self.icase or not (third or r"\w" in members or r"\W" in members):
            return inside
        if any(high >= 128 for _, high in ranges):
            raise UnsupportedError(
                "a class with letters beyond ASCII in either case is not supported (L-CLAUDE-001)"
            )
        more = [text for low, high in ranges for text in other_cases(low, high, ascii_=True)]
        return f"(?-i:{inside[:-1]}{''.join(more)}])"

    def _class_escape(self) -> str:
        c = self.pattern[self.at + 1 : self.at + 2]
        if not c:
            raise PatternError("\\ at end of pattern")
        if c == "b":
            self.at += 2
            return "\\x{8}"
        if c == "s":
            self.at += 2
            return _SPACE
        letter = self.pattern[self.at + 2 : self.at + 3]
        if c == "c" and letter and (letter == "_" or _is_decimal(letter)):  # Annex B, only inside of classes
            self.at += 3
            return f"\\x{{{ord(letter) % 32:x}}}"
        if c == "S":
            raise UnsupportedError("\\S inside of a class is not supported (L-CLAUDE-001)")
        return r"\-" if c == "-" and self._skip() else self._member()

    def _skip(self) -> bool:
        self.at += 2
        return True


def _code_of(text: str) -> int | None:
    """Return the code of the character that a translated piece is; None for anything else."""
    if text.startswith("\\x{"):
        return int(text[3:-1], 16)
    if len(text) == 2 and text[0] == "\\" and not text[1].isalnum():
        return ord(text[1])
    if text in _CONTROLS.values():
        return 9 + "tnvfr".index(text[1])
    return ord(text) if len(text) == 1 and (text.isalnum() or text == "_") else None


def _ranges(members: list[str]) -> list[tuple[int, int]]:
    """Return the characters and ranges of a class, without those that stand for many, which have both cases."""
    codes, found, at = [_code_of(member) for member in members], list[tuple[int, int]](), 0
    while at < len(members):
        low, high = codes[at], None
        if members[at + 1 : at + 2] == ["-"] and at + 2 < len(members):
            high = codes[at + 2]
        if low is not None:
            found.append((low, low if high is None else high))
        at += 1 if low is None or high is None else 3
    return found


def _bracket(members: list[str], negated: bool) -> str:
    """Return a class of RE2; a hyphen is ordinary at the ends and next to a class of characters."""
    if not members:  # [] matches nothing, [^] everything
        return r"[\x{0}-\x{10ffff}]" if negated else r"[^\x{0}-\x{10ffff}]"
    last = len(members) - 1
    escaped = []
    for index, member in enumerate(members):
        if member == "-":
            neighbours = {members[index - 1], members[index + 1]} if 0 < index < last else {"-"}
            if index in (0, last) or any(_is_class(neighbour) for neighbour in neighbours):
                member = r"\-"
        escaped.append(member)
    return f"[{'^' if negated else ''}{''.join(escaped)}]"


def _is_class(member: str) -> bool:
    return member in (r"\d", r"\D", r"\w", r"\W", _SPACE)


def _literal(c: str) -> str:
    return f"\\{c}" if c.isascii() and not c.isalnum() and c.isprintable() and c not in " _" else c


def _end(pattern: str, at: int) -> int:
    """Return the place after the group that begins at a place."""
    depth, in_class = 0, False
    while at < len(pattern):
        c = pattern[at]
        at += 2 if c == "\\" else 1
        in_class = c == "[" or (in_class and c != "]")
        if not in_class and c in "()":
            depth += 1 if c == "(" else -1
            if depth == 0:
                return at
    return at


def _is_decimal(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _count_groups(pattern: str) -> int:
    """Return the number of capturing groups."""
    count, offset, in_class = 0, 0, False
    while offset < len(pattern):
        c = pattern[offset]
        if c == "\\":
            offset += 1
        elif c == "[":
            in_class = True
        elif c == "]":
            in_class = False
        elif c == "(" and not in_class:
            rest = pattern[offset + 1 : offset + 4]
            count += not rest.startswith("?") or (rest[1:2] == "<" and rest[2:3] not in ("=", "!"))
        offset += 1
    return count
