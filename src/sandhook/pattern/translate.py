"""POSIX regular expressions with GNU's extensions, translated to RE2's syntax.

The parser keeps its own stack, so nesting costs no Python frames. Parts that RE2 cannot express (back-references,
and ``\\<`` where a word may not follow) are marked in the result, and ``fallback`` writes the
same expression for the ``regex`` module.

Source: POSIX.1-2024 XBD 9.3, 9.4. Oracles: glibc 2.36 (bash's ``=~``, sed) and GNU grep 3.8.
"""

from __future__ import annotations

from sandhook.lazy import lazily
from sandhook.pattern.errors import PatternError
from sandhook.pattern.posix_bracket import (
    ASCII_CLASSES,
    CLASSES,
    SPACE,
    WORD,
    code,
    parse_posix_bracket,
)
from sandhook.record import Record
from sandhook.typed import TYPE_CHECKING

if TYPE_CHECKING:
    import re

TOO_BIG = "Regular expression too big"
BAD_REPEAT = "Invalid preceding regular expression"

#: The deepest nesting of parentheses, and the most characters of an expression whose repeats are expanded.
MAX_NESTING = 250
MAX_UNROLLED = 100_000

#: GNU's RE_DUP_MAX, and the most that RE2 takes.
_DUP_MAX = 32_767
_RE2_DUP_MAX = 1_000

#: A code point in RE2's syntax; its backslash is never preceded by another one.
_CODE = lazily(r"\\x\{([0-9a-f]+)\}")

_ESCAPED_SETS = {"w": f"[{WORD}]", "W": f"[^{WORD}]", "s": f"[{SPACE}]", "S": f"[^{SPACE}]"}
_ASCII_SETS = {"w": r"[0-9A-Za-z_]", "W": r"[^0-9A-Za-z_]", "s": r"[\t\n\v\f\r ]", "S": r"[^\t\n\v\f\r ]"}

#: Bytes that are not UTF-8, as surrogateescape decodes them.
_STRAY_BYTES = r"\udc80-\udcff"

#: Zero-width escapes: (RE2, regex).
_ASSERTIONS = {
    "`": (r"\A", r"\A"),
    "'": (r"\z", r"\Z"),
    "b": (r"\b", r"\b"),
    "B": (r"\B", r"\B"),
    "<": (r"\b", r"\b(?=\w)"),
    ">": (r"\b", r"\b(?<=\w)"),
}


class Translation:
    """The result of a translation.

    Attributes:
        text: The expression for RE2, or with ``fallback`` for ``regex``.
        groups: Capturing groups (a count).
        backrefs: It has back-references, so RE2 cannot run it.
        words: It has ``\\b``, ``\\B``, ``\\<`` or ``\\>``; RE2 knows only ASCII words.
        unproven: It has a ``\\<`` or ``\\>`` that RE2's ``\\b`` cannot replace.
        irregular: It has a repeat with nothing to repeat, or a ")" without its "(".
        warnings: Warnings of GNU grep, without the "grep: warning: ".
    """

    __slots__ = ("backrefs", "groups", "irregular", "text", "unproven", "warnings", "words")

    def __init__(self) -> None:
        self.irregular = False
        self.text = ""
        self.groups = 0
        self.backrefs = False
        self.words = False
        self.unproven = False
        self.warnings: list[str] = []


class _Piece:
    """One translated part of an expression, and facts about it."""

    __slots__ = ("captures", "first_word", "kind", "last_word", "repeated", "size", "text")

    def __init__(self, text: str, size: int = 1, word: bool = False, kind: str = "") -> None:
        self.text = text
        self.size = size
        self.first_word = word
        self.last_word = word
        self.captures = False
        self.repeated = False
        self.kind = kind  # "" can consume text; "<" and ">" are word boundaries; "=" is another assertion


class _Level:
    """An open parenthesis: its alternatives so far, and the current one."""

    __slots__ = ("alternatives", "before", "current", "inside", "number")

    def __init__(self, number: int, before: frozenset[int]) -> None:
        self.number = number
        self.before = before  # groups that were closed before this level
        self.inside: frozenset[int] = frozenset()  # groups that were closed in earlier alternatives
        self.alternatives: list[list[_Piece]] = []
        self.current: list[_Piece] = []


class Dialect(Record):
    """The dialect of POSIX or GNU in which an expression is written."""

    extended: bool  #: ERE instead of BRE
    newline: bool = False  #: REG_NEWLINE (sed's M): "." and ``[^...]`` match no newline, "^" and "$" any line
    #: grep's and awk's dialect: a misplaced operator is ordinary or ignored, not an error. Repeats may follow
    #: each other, and lines of a BRE are alternatives.
    lenient: bool = False
    bracket_escapes: bool = False  #: a backslash escapes inside brackets too (awk)
    stray_paren: bool = True  #: a ")" without its "(" is ordinary in an ERE, instead of an error (sed -E)
    lines: bool = True  #: with ``newline``, "^" and "$" match at every line, not only at the ends of the data
    gnu: bool = True  #: GNU's operators of a backslash and a character
    #: In a lenient ERE, a misplaced repeat is ordinary (awk) instead of ignored (grep).
    ordinary: bool = False
    #: The rules of gnulib's dfa.c instead of its regcomp; see ``Regex.selecting``.
    selects: bool = False
    bytewise: bool = False  #: the C locale: each byte is a character, and letters are those of ASCII

    __hash__ = tuple.__hash__  # in C, because every use of a cached expression needs it
    __eq__ = tuple.__eq__


class Translator:
    """Translates one expression.

    Args:
        pattern: The expression.
        dialect: Its dialect.
        fallback: Write for the ``regex`` module.
        folds: A letter of ASCII matches in either case.
    """

    def __init__(
        self, pattern: str, dialect: Dialect, *, fallback: bool = False, folds: bool = False
    ) -> None:
        self.pattern = pattern
        self.extended = dialect.extended
        self.newline = dialect.newline
        self.lenient = dialect.lenient
        self.bracket_escapes = dialect.bracket_escapes
        self.stray_paren = dialect.stray_paren
        self.lines = dialect.newline and dialect.lines
        self.gnu = dialect.gnu
        self.ordinary = dialect.ordinary or not dialect.extended
        self.selects = dialect.selects
        self.bytewise = dialect.bytewise
        self.folds = folds
        self.fallback = fallback
        self.result = Translation()
        self.levels = [_Level(0, frozenset())]
        self.closed: frozenset[int] = frozenset()  # groups that a back-reference may name here
        self.former = 0  # groups in earlier lines of a pattern of grep
        self.at = 0
        self.ignored = 0  # the offset after a repeat that was ignored

    def run(self) -> Translation:
        """Translate; PatternError has GNU's wording."""
        while self.at < len(self.pattern):
            self._next()
        if len(self.levels) > 1:
            raise PatternError(r"Unmatched ( or \(")
        whole = self._join(self.levels[0])
        if whole.size > MAX_UNROLLED:
            raise PatternError(TOO_BIG)
        self.result.text = _CODE.sub(_eight_digits, whole.text) if self.fallback else whole.text
        return self.result

    # One token after the other.

    def _next(self) -> None:
        c = self.pattern[self.at]
        self.at += 1
        if c == "\\":
            self._escape()
        elif c == "[":
            bracket = parse_posix_bracket(
                self.pattern,
                self.at - 1,
                escapes=self.bracket_escapes,
                negated_newline=not self.newline,
                classes=ASCII_CLASSES if self.bytewise else CLASSES,
                folds=self.folds,
            )
            self.at = bracket.end
            self._set(bracket.text, bracket.words)
        elif c == ".":
            self._set(r"[^\n]" if self.newline else "[^]" if self.fallback else "(?s:.)")
        elif c == "*":
            self._repeat("*", 0, -1)
        elif c == "^" and self._caret_is_anchor():
            self._add(_Piece("(?m:^)" if self.lines else r"\A", kind="="))
        elif c == "$" and self._dollar_is_anchor():
            end = r"\Z" if self.fallback else r"\z"
            self._add(_Piece("(?m:$)" if self.lines else end, kind="="))
        elif self.extended and c in "+?(){|":
            self._operator(c)
        elif c == "\n" and self.lenient:
            if len(self.levels) > 1:
                raise PatternError(r"Unmatched ( or \(")
            self._alternative()  # for grep, the lines of a pattern are alternatives
            self.former = self.result.groups
        else:
            self._literal(c)

    def _operator(self, c: str) -> None:
        if c == "+":
            self._repeat("+", 1, -1)
        elif c == "?":
            self._repeat("?", 0, 1)
        elif c == "(":
            self._open()
        elif c == ")":
            if len(self.levels) > 1 and self.ignored != self.at - 1:
                self._close()
            elif self.stray_paren:
                self.result.irregular = True
                self._literal(c)
            else:
                raise PatternError(r"Unmatched ) or \)")
        elif c == "|":
            self._alternative()
        else:
            self._interval("}")

    def _escape(self) -> None:
        if self.at >= len(self.pattern):
            raise PatternError("Trailing backslash")
        c = self.pattern[self.at]
        self.at += 1
        if not self.gnu and (c in _ASSERTIONS or c in _ESCAPED_SETS or (c in "+?|" and not self.extended)):
            self._literal(c)
        elif c in _ASSERTIONS:
            self.result.words = self.result.words or (c in "bB<>" and not self.bytewise)
            text = _ASSERTIONS[c][self.fallback]
            if c in "`'" and self.lenient and self.lines:  # grep matches single lines
                text = "(?m:^)" if c == "`" else "(?m:$)"
            if self.selects and c in "bB<>":
                self._add(_Piece("(?s:.*)", kind="="))
            else:
                self._add(_Piece(text, kind=c if c in "<>" else "="))
        elif c in _ESCAPED_SETS:
            self._set((_ASCII_SETS if self.bytewise else _ESCAPED_SETS)[c], c == "w")
        elif "1" <= c <= "9":
            self._reference(int(c))
        elif self.extended or c not in "+?(){}|":
            self._literal(c)
        elif c == ")":
            if len(self.levels) < 2:
                raise PatternError(r"Unmatched ) or \)")
            self._close()
        elif c == "{":
            self._interval(r"\}")
        elif c == "}":
            self._literal(c)
        else:
            self._operator(c)

    def _reference(self, number: int) -> None:
        number += self.former
        if number not in self.closed:
            raise PatternError("Invalid back reference")
        if self.selects:
            self._add(_Piece("(?s:.*)"))
            return
        self.result.backrefs = True
        self._add(_Piece(f"(?:\\{number})", size=16))

    def _literal(self, c: str) -> None:
        text = f"[{c.upper()}{c.lower()}]" if self.folds and c.isascii() and c.isalpha() else code(c)
        self._add(_Piece(text, word=(c.isalnum() and (c.isascii() or not self.bytewise)) or c == "_"))

    def _set(self, text: str, word: bool = False) -> None:
        """Add a set of characters. For ``regex``, a byte that is not UTF-8 is a character, but in no set."""
        if self.fallback and text.startswith("[^"):
            text = f"[^{_STRAY_BYTES}{text[2:]}"
        self._add(_Piece(text, word=word))

    def _add(self, piece: _Piece) -> None:
        self.levels[-1].current.append(piece)

    # Anchors.

    def _caret_is_anchor(self) -> bool:
        return self.extended or not self.levels[-1].current

    def _dollar_is_anchor(self) -> bool:
        rest = self.pattern[self.at : self.at + 2]
        if self.extended or not rest or rest in (r"\|", r"\)"):
            return True
        return self.lenient and rest[0] == "\n"

    # Groups.

    def _open(self) -> None:
        if len(self.levels) > MAX_NESTING:
            raise PatternError(TOO_BIG)
        self.result.groups += 1
        self.levels.append(_Level(self.result.groups, self.closed))

    def _close(self) -> None:
        level = self.levels.pop()
        self.closed |= level.inside | {level.number}
        piece = self._join(level)
        piece.text = f"({piece.text})"
        piece.captures = True
        self._add(piece)

    def _alternative(self) -> None:
        level = self.levels[-1]
        level.alternatives.append(level.current)
        level.current = []
        level.inside |= self.closed
        self.closed = level.before  # groups of one alternative did not match in the next

    def _join(self, level: _Level) -> _Piece:
        """Return all alternatives of a level as one piece, without its parentheses."""
        alternatives = [*level.alternatives, level.current]
        joined = [self._concatenate(pieces) for pieces in alternatives]
        whole = _Piece("|".join(piece.text for piece in joined), sum(piece.size for piece in joined) + 1)
        whole.captures = any(piece.captures for piece in joined)
        whole.first_word = all(piece.first_word for piece in joined)
        whole.last_word = all(piece.last_word for piece in joined)
        return whole

    def _concatenate(self, pieces: list[_Piece]) -> _Piece:
        for kind, order in ((">", pieces), ("<", pieces[::-1])):
            neighbour: _Piece | None = None
            for piece in order:
                if piece.kind == kind and not (
                    neighbour and (neighbour.last_word if kind == ">" else neighbour.first_word)
                ):
                    self.result.unproven = True
                if piece.kind != "=":
                    neighbour = piece
        consuming = [piece for piece in pieces if not piece.kind]
        whole = _Piece("".join(piece.text for piece in pieces), sum(piece.size for piece in pieces))
        whole.captures = any(piece.captures for piece in pieces)
        whole.first_word = bool(consuming) and consuming[0].first_word
        whole.last_word = bool(consuming) and consuming[-1].last_word
        return whole

    # Repeats.

    def _repeat(self, operator: str, low: int, high: int) -> None:
        """Repeat the last piece; ``high`` is -1 for no upper bound."""
        current = self.levels[-1].current
        if not current or current[-1].kind:
            self._misplaced(operator, low)
            return
        piece = current[-1]
        if piece.repeated:
            if not (self.extended or self.lenient) and operator in ("*", "{"):
                raise PatternError(BAD_REPEAT)  # glibc: a BRE cannot have two of these in a row
            piece.text = f"(?:{piece.text})"
        piece.repeated = True
        piece.size *= max(1, high, low)
        if piece.size > MAX_UNROLLED or (piece.captures and max(low, high) > _RE2_DUP_MAX):
            raise PatternError(TOO_BIG)
        piece.text = _repeated(piece.text, low, high)
        if not low:
            piece.first_word = piece.last_word = False

    def _misplaced(self, operator: str, low: int) -> None:
        """Apply a repeat at the start of an expression or after an assertion, at least ``low`` times."""
        self.result.irregular = True
        at_start = self._has_only_assertions()
        if not self.lenient and (self.extended or operator == "{"):
            raise PatternError(BAD_REPEAT)
        if self.ordinary and (at_start or not self.selects):
            self._literal(operator)
        elif not self.selects:
            self.ignored = self.at
        elif at_start and not self.ordinary:
            operator_text = "{...}" if operator == "{" else operator
            self.result.warnings.append(f"{operator_text} at start of expression")
        if self.selects and not (self.ordinary and at_start):
            current = self.levels[-1].current
            if current and not low:
                current[-1].text = ""  # an assertion that is optional
            if operator == "{":  # only this operator ends the start for dfa.c
                self._add(_Piece(f"(?:{current.pop().text if current else ''})"))

    def _has_only_assertions(self) -> bool:
        """Return True if the alternative has only assertions so far."""
        return all(piece.kind for piece in self.levels[-1].current)

    def _interval(self, closer: str) -> None:
        """Parse an interval after "{" and apply it; glibc and grep accept different errors."""
        current = self.levels[-1].current
        misplaced = not current or bool(current[-1].kind)
        if misplaced and not (self.selects and (not self.ordinary or not self._has_only_assertions())):
            self._misplaced("{", 0)
            return
        error, low, high, end = self._bounds(closer)
        empty = not misplaced and self.pattern.startswith(closer, self.at)
        literal = low >= 0 or (low == -2 and misplaced)
        if error and self.extended and self.lenient and literal and not empty:  # glibc rejects "a{}" always
            self._literal("{")
            return
        if error:
            raise PatternError(error)
        self.at = end
        self._repeat("{", low, high)

    def _bounds(self, closer: str) -> tuple[str, int, int, int]:
        """Return error (or ""), bounds (-1: no bound) and offset after an interval.

        With an error, a lower bound of -1 means that grep reports it too, and -2 that it does so after a character.
        """
        unmatched = r"Unmatched \{"
        invalid = r"Invalid content of \{\}"
        end = self.pattern.find(closer, self.at)
        comma = self.pattern.find(",", self.at, end if end >= 0 else len(self.pattern))
        first = self.pattern[self.at : comma if comma >= 0 else end]
        if end < 0 and comma < 0:
            return unmatched, 0, 0, 0
        if not _is_count(first) or (not first and comma < 0):
            return invalid, 0, 0, 0
        low = _count(first)
        if comma < 0:
            return (
                ("" if low <= _DUP_MAX else TOO_BIG),
                low if low <= _DUP_MAX else -1,
                low,
                end + len(closer),
            )
        second, other, _ = self.pattern[comma + 1 : end if end >= 0 else None].partition(",")
        if other and _is_count(second):
            return invalid, -2, 0, 0
        second = self.pattern[comma + 1 : end] if end >= 0 else ""
        if end < 0 and "," not in self.pattern[comma + 1 :]:
            return unmatched, 0, 0, 0
        if end < 0 or not _is_count(second):
            return invalid, 0, 0, 0
        high = _count(second) if second else -1
        if max(low, high) > _DUP_MAX:
            return TOO_BIG, -1, 0, 0
        if -1 < high < low:
            return invalid, -1, 0, 0
        return "", low, high, end + len(closer)


def _eight_digits(match: re.Match[str]) -> str:
    """Return a code point in the syntax of the ``regex`` module."""
    return f"\\U{int(match[1], 16):08x}"


def _is_count(text: str) -> bool:
    return not text or (text.isascii() and text.isdecimal())


def _count(text: str) -> int:
    """Return a decimal number; for too many digits, a number over the maximum."""
    digits = text.lstrip("0")
    return int(digits or "0") if len(digits) < 6 else _DUP_MAX + 1


def _repeated(text: str, low: int, high: int) -> str:
    """Return a piece with its repeat, split if a bound exceeds RE2's maximum."""
    if high == -1 and low < 2:
        return text + ("+" if low else "*")
    if (low, high) == (0, 1):
        return text + "?"
    if max(low, high) <= _RE2_DUP_MAX:
        bound = "" if high == -1 else str(high)
        return f"(?:{text}{{{low}}})" if low == high else f"(?:{text}{{{low},{bound}}})"
    parts: list[str] = []
    while low > _RE2_DUP_MAX:
        parts.append(f"{text}{{{_RE2_DUP_MAX}}}")
        low -= _RE2_DUP_MAX
        high -= _RE2_DUP_MAX if high > 0 else 0
    while high > _RE2_DUP_MAX:
        parts.append(f"{text}{{{low},{_RE2_DUP_MAX}}}")
        high -= _RE2_DUP_MAX
        low = 0
    parts.append(f"{text}{{{low},{'' if high == -1 else high}}}")
    return f"(?:{''.join(parts)})"
