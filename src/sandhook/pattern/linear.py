"""Regular expressions of Go and of Rust, as the configurations of agents use them.

Both languages promise linear time, and RE2 supports nearly all of their syntax. Syntax that RE2 interprets
differently (Rust's nested classes) is an error.

Source: Go's regexp/syntax; Rust's regex crate 1.x.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias, get_args

from sandhook.lazy import cache_short
from sandhook.pattern.engine import Find, compile_linear
from sandhook.pattern.errors import PatternError, UnsupportedError

#: The longest expression, in characters.
MAX_LENGTH = 65_536

#: The least bytes of a piece of many lines.
_PIECE = 4_096

#: The members of Rust's Perl classes, which cover all of Unicode.
_RUST_CLASSES = {
    "d": r"\p{Nd}",
    "w": r"\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}",
    "s": r"\t\n\v\f\r \x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}",
}
#: What is no white space.
_NOT_SPACE = (
    r"\x{0}-\x{8}\x{e}-\x{1f}\x{21}-\x{84}\x{86}-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}"
    r"\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{10ffff}"
)


class Re2Regex:
    """A compiled expression; immutable and shared."""

    __slots__ = ("_find",)

    def __init__(self, find: Find) -> None:
        self._find = find

    def search(self, text: str) -> bool:
        """Return True if there is a match anywhere; only the expression itself anchors it."""
        data = text.encode("utf-8", "surrogateescape")
        return self._find(data, 0, len(data))[0][0] >= 0

    def match(self, text: str) -> list[str | None] | None:
        """Return the text of the leftmost match and of its groups; None without a match."""
        data = text.encode("utf-8", "surrogateescape")
        spans = self._find(data, 0, len(data))
        if spans[0][0] < 0:
            return None
        return [None if a < 0 else data[a:b].decode("utf-8", "surrogateescape") for a, b in spans]


#: The syntax: Go's regexp, which is RE2's own, or Rust's regex crate.
Re2Flavor: TypeAlias = Literal["go", "rust"]


@cache_short(256)
def compile_re2(
    pattern: str, *, flavor: Re2Flavor = "go", icase: bool = False, groups: bool = True
) -> Re2Regex:
    """Compile an expression of Go's regexp ("go") or of Rust's regex crate ("rust").

    "$" is the end of the text unless ``(?m)`` says otherwise. Classes such as ``[[:space:]]``
    are ASCII; in Rust ``\\\\w``, ``\\\\d`` and ``\\\\s`` are Unicode's. ``\\\\b`` is ASCII in both.

    Args:
        groups: ``match`` of the result returns groups; without them ``search`` is faster.

    Raises:
        PatternError: The expression does not compile; the message has the reason.
        ValueError: ``flavor`` is another word.
    """
    if flavor not in get_args(Re2Flavor):
        raise ValueError(f"flavor must be 'go' or 'rust', not {flavor!r}")
    if len(pattern) > MAX_LENGTH:
        raise PatternError(f"expression of over {MAX_LENGTH} characters")
    return Re2Regex(
        compile_linear(
            _Checker(pattern, flavor == "rust").run(), latin1=False, icase=icase, longest=False, groups=groups
        )
    )


def line_pieces(data: bytes, at: int) -> Iterator[tuple[int, int]]:
    """Yield the offsets of pieces that end with a line, for a search that takes too long in all of the data at once."""
    size = len(data)
    while at < size:
        end = data.find(b"\n", min(at + _PIECE, size)) + 1 or size
        yield at, end
        at = end


def rust_syntax(pattern: str, *, within_lines: bool = False) -> str:
    """Return an expression of Rust's regex crate in RE2's syntax.

    Args:
        within_lines: Negated and Perl classes exclude the newline, so that a match cannot extend to the end of the data.

    Raises:
        PatternError: A part of it has no equivalent.
    """
    return _Checker(pattern, True, within_lines).run()


class _Checker:
    """Rewrites Rust's classes, and raises for syntax that RE2 would misread."""

    __slots__ = ("at", "lazy", "operator", "out", "pattern", "rust", "within_lines")

    def __init__(self, pattern: str, rust: bool, within_lines: bool = False) -> None:
        self.pattern = pattern
        self.rust = rust
        self.within_lines = within_lines
        self.at = 0
        self.out: list[str] = []
        #: Where the repetition operator stands that was copied last, or -1, and whether it is lazy.
        self.operator, self.lazy = -1, False

    def run(self) -> str:
        while self.at < len(self.pattern):
            c = self.pattern[self.at]
            if self.rust and c in "*+?":
                self._repeat(c)
                continue
            self.operator = -1
            if c == "\\":
                self._escape(False)
            elif c == "[":
                self._bracket()
            else:
                self.out.append(c)
                self.at += 1
        return "".join(self.out)

    def _repeat(self, c: str) -> None:
        """Copy a repetition operator; one that repeats a repetition, as Rust has it, becomes one for both."""
        self.at += 1
        if self.operator < 0:
            self.operator, self.lazy = len(self.out), False
            self.out.append(c)
        elif c == "?" and not self.lazy:
            self.lazy = True
            self.out.append(c)
        else:
            before, self.lazy = self.out[self.operator], False
            self.out[self.operator :] = [c if before == c else "*"]

    def _escape(self, inside: bool) -> None:
        c = self.pattern[self.at + 1 : self.at + 2]
        if c == "C" or (c == "Q" and self.rust):
            raise PatternError(f"invalid escape sequence: \\{c}")
        if c == "Q":
            end = self.pattern.find("\\E", self.at + 2)
            stop = len(self.pattern) if end < 0 else end + 2
            self.out.append(self.pattern[self.at : stop])
            self.at = stop
            return
        if self.rust and c.lower() in _RUST_CLASSES:
            self.out.append(self._rust_class(c, inside))
            self.at += 2
            return
        if self.rust and c in ("u", "U", "x") and self.pattern[self.at + 2 : self.at + 3] == "{":
            self.out.append("\\x")
            self.at += 2
            return
        if self.rust and c in ("u", "U"):
            size = 4 if c == "u" else 8
            digits = self.pattern[self.at + 2 : self.at + 2 + size]
            if len(digits) == size and not digits.strip("0123456789abcdefABCDEF"):
                self.out.append(f"\\x{{{digits}}}")
                self.at += 2 + size
                return
        self.out.append(self.pattern[self.at : self.at + 2])
        self.at += 2

    def _rust_class(self, c: str, inside: bool) -> str:
        members = _RUST_CLASSES[c.lower()]
        if self.within_lines and c == "s":
            members = members.replace(r"\n", "")
        if not inside:
            newline = r"\n" if self.within_lines and c in "DW" else ""
            return f"[^{newline}{members}]" if c.isupper() else f"[{members}]"
        if c == "W":
            raise UnsupportedError(f"\\{c} inside of a class is not supported")
        return {"D": r"\P{Nd}", "S": _NOT_SPACE}.get(c, members)

    def _bracket(self) -> None:
        """Copy one class."""
        begin = self.at
        self._copy(1)
        if self.pattern[self.at : self.at + 1] == "^":
            self._copy(1)
            if self.within_lines:
                self.out.append(r"\n")
        first = True
        while True:
            rest = self.pattern[self.at : self.at + 2]
            if not rest:
                raise PatternError(f"missing closing ]: {self.pattern[begin:]}")
            if rest[0] == "]" and not first:
                self._copy(1)
                return
            first = False
            if rest[0] == "\\":
                self._escape(True)
            elif rest == "[:":
                end = self.pattern.find(":]", self.at)
                self._copy(2 if end < 0 else end + 2 - self.at)
            elif self.rust and (rest[0] == "[" or rest in ("&&", "--", "~~")):
                raise UnsupportedError("nested classes and set operations are not supported")
            else:
                self._copy(1)

    def _copy(self, count: int) -> None:
        self.out.append(self.pattern[self.at : self.at + count])
        self.at += count
