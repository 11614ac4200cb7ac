"""Translates Perl's regular expressions to the syntax of the ``regex`` module.

The translator adds up sizes, because ``((a{1000}){1000}){1000}`` would take gigabytes to compile.

Source: pcre2pattern(3), PCRE2 10.42, also for messages. Divergence: L-GREP-002.
"""

from __future__ import annotations

import re

from sandhook.lazy import lazily
from sandhook.pattern.errors import PatternError
from sandhook.pattern.perl.classes import Elements, boundary, character, letter_class, property_class
from sandhook.pattern.perl.codes import parse_code, parse_property

MAX_LENGTH = 20_000  #: characters
MAX_SIZE = 50_000  #: single-character items once all repeats are written out
MAX_NESTING = 100

TOO_LARGE = "regular expression is too large"
NO_ITEM = "quantifier does not follow a repeatable item"
NO_KEEP = "\\K is not allowed in lookarounds (but see PCRE2_EXTRA_ALLOW_LOOKAROUND_BSK)"
NO_GROUP = "reference to non-existent subpattern"

_REPEAT = lazily(r"[*+?]|\{(\d{1,6})(,(\d{0,6}))?\}", re.ASCII)
_BRACE = lazily(r"\{(?!\d+(?:,\d*)?\})", re.ASCII)  # a brace that does not begin a repeat
_REFERENCE = lazily(r"g([+-]?\d{1,5})|g\{([+-]?\d{1,5})\}|(?:k<|g\{|k\{|k')([A-Za-z_]\w*)[>'}]", re.ASCII)
_CALL = lazily(r"g(?:<([+-]?\d{1,5})>|'([+-]?\d{1,5})'|<([A-Za-z_]\w*)>|'([A-Za-z_]\w*)')", re.ASCII)
_NAMED_GROUP = lazily(r"\(\?(?:P?<|')([A-Za-z_]\w*)[>']", re.ASCII)
_RECURSION = lazily(r"\(\?(?:(R|[+-]?\d{1,5})|(?:&|P>)([A-Za-z_]\w*))\)", re.ASCII)
_CONDITION = lazily(r"\(\?\((?:<([A-Za-z_]\w*)>|'([A-Za-z_]\w*)'|(\d{1,5}|[A-Za-z_]\w*))\)", re.ASCII)
_FLAGS = lazily(r"\(\?(\^?)([imsxnJU]*)(?:-([imsxnJU]*))?([:)])")
_VERB = lazily(r"\(\*([A-Za-z_0-9]*)(?:[:=][^)]*)?\)")
_ASSERTION = lazily(r"\(\*([a-z_]+):")
_ASSERTIONS = {
    "pla": "?=", "positive_lookahead": "?=", "nla": "?!", "negative_lookahead": "?!",
    "plb": "?<=", "positive_lookbehind": "?<=", "nlb": "?<!", "negative_lookbehind": "?<!",
    "atomic": "?>",
}  # fmt: skip
#: Verbs at the very beginning of an expression that have no effect here.
_SETTINGS = frozenset(
    ("UTF", "UTF8", "LF", "NO_JIT", "NO_START_OPT", "NO_AUTO_POSSESS", "NO_DOTSTAR_ANCHOR", "LIMIT_MATCH")
) | {"LIMIT_DEPTH", "LIMIT_HEAP", "LIMIT_RECURSION"}

_ASSERTING = {"A": r"\A", "z": r"\Z", "Z": r"(?=\n?\Z)", "G": r"\G", "K": r"\K"}
_SEQUENCES = {"R": r"(?>\r\n|[\n\x0b\f\r\x85\u2028\u2029])", "N": r"[^\n]", "X": r"\X"}


class _Level:
    """An open group.

    Attributes:
        flags: The flags of n, x, U and J that are set in it.
        in_assertion: It is a lookahead or lookbehind, or inside one.
        scopes: Groups of the module that were opened for flags; they end with each alternative.
        size: The size of its items so far; see ``MAX_SIZE``.
    """

    __slots__ = ("flags", "in_assertion", "scopes", "size")

    def __init__(self, flags: frozenset[str], in_assertion: bool = False) -> None:
        self.flags = flags
        self.in_assertion = in_assertion
        self.scopes: list[str] = []
        self.size = 0


class PerlTranslator:
    """Translates one expression.

    Args:
        pattern: In Perl's notation.
        unicode: ``\\w``, ``\\d``, ``\\s``, ``\\b`` and named classes match Unicode.
        ascii_only: The text that is searched will be ASCII.
        dollar_end_only: ``$`` does not match before a newline at the end of the text (PCRE2_DOLLAR_ENDONLY).

    Attributes:
        unicode: The argument, or True after ``(*UCP)`` at the beginning of the expression.
    """

    def __init__(
        self, pattern: str, *, unicode: bool = False, ascii_only: bool = False, dollar_end_only: bool = False
    ) -> None:
        if len(pattern) > MAX_LENGTH:
            raise PatternError(TOO_LARGE)
        self.unicode = unicode
        self._ascii_only = ascii_only
        self._dollar_end_only = dollar_end_only
        self._pattern = pattern
        self._at = 0
        self._out: list[str] = []
        self._groups = 0
        self._names: set[str] = set()
        self._levels = [_Level(frozenset())]
        self._last_size = 0  # size of the item that a repeat would apply to
        self._repeatable = False
        self._quoting = False  # within \Q

    def run(self) -> str:
        """Return the expression. Raises PatternError in PCRE2's words."""
        self._settings()
        pattern = self._pattern
        while self._at < len(pattern):
            self._next(pattern[self._at])
        if len(self._levels) > 1:
            raise PatternError("missing closing parenthesis")
        self._out.append(")" * len(self._levels[0].scopes))
        return "".join(self._out)

    def _next(self, letter: str) -> None:
        if self._quoting:
            self._quoted_character(letter)
        elif letter == "\\":
            self._escape()
        elif letter == "[":
            self._bracket()
        elif letter == "(":
            self._open()
        elif letter == ")":
            self._close()
        elif letter == "|":
            scopes = self._levels[-1].scopes
            self._append(")" * len(scopes) + "|" + "".join(scopes))
            self._at += 1
        elif letter in "^$":
            end_only = letter == "$" and self._dollar_end_only and "m" not in self._levels[-1].flags
            self._append(r"\Z" if end_only else letter)
            self._at += 1
        elif "x" in self._levels[-1].flags and letter in " \t\n\v\f\r#":
            self._blank(letter)
        elif not self._repeat():
            self._item("." if letter == "." else character(ord(letter)))
            self._at += 1

    # ------------------------------------------------------------------ pieces

    def _append(self, text: str) -> None:
        """Append text that cannot be repeated."""
        self._out.append(text)
        self._repeatable = False

    def _item(self, text: str, size: int = 1) -> None:
        self._out.append(text)
        self._add_size(size)
        self._repeatable = True

    def _add_size(self, size: int) -> None:
        self._last_size = size
        self._levels[-1].size += size
        if self._levels[-1].size > MAX_SIZE:
            raise PatternError(TOO_LARGE)

    def _quoted_character(self, letter: str) -> None:
        if self._pattern.startswith("\\E", self._at):
            self._quoting = False
            self._at += 2
            return
        self._item(character(ord(letter)))
        self._at += 1

    def _blank(self, letter: str) -> None:
        """Skip a blank or comment, which (?x) ignores."""
        end = self._pattern.find("\n", self._at) if letter == "#" else self._at
        self._at = len(self._pattern) if end < 0 else end + 1

    def _repeat(self) -> bool:
        match = _REPEAT.match(self._pattern, self._at)
        if not match:
            return False
        low, comma, high = match[1], match[2], match[3]
        if not self._repeatable:
            raise PatternError(NO_ITEM)
        if low:
            most = max(int(low), int(high or 0))
            if most > 65_535:
                raise PatternError("number too big in {} quantifier")
            if high and int(high) < int(low):
                raise PatternError("numbers out of order in {} quantifier")
            extra = self._last_size * max(most - 1, 0)
            self._add_size(extra)
        self._at = match.end()
        suffix = self._pattern[self._at : self._at + 1]
        if suffix in ("?", "+") and suffix:
            self._at += 1
        else:
            suffix = ""
        if "U" in self._levels[-1].flags and suffix != "+":
            suffix = "" if suffix == "?" else "?"
        exact = bool(low) and not comma
        self._append(match[0] + ("" if exact and suffix == "?" else suffix))
        return True

    # ------------------------------------------------------------------ groups

    def _settings(self) -> None:
        """Parse the verbs at the beginning."""
        while match := _VERB.match(self._pattern, self._at):
            if match[1] == "UCP":
                self.unicode = True
            elif match[1] not in _SETTINGS:
                return
            self._at = match.end()

    def _open(self) -> None:
        pattern, at = self._pattern, self._at
        if pattern.startswith("(*", at):
            self._verb()
        elif pattern.startswith("(?#", at):
            end = pattern.find(")", at)
            if end < 0:
                raise PatternError("missing ) after (?# comment")
            self._at = end + 1
        elif not pattern.startswith("(?", at):
            captures = "n" not in self._levels[-1].flags
            self._groups += captures
            self._begin("(" if captures else "(?:", at + 1)
        elif match := _NAMED_GROUP.match(pattern, at):
            if match[1] in self._names and "J" not in self._levels[-1].flags:
                raise PatternError("two named subpatterns have the same name (PCRE2_DUPNAMES not set)")
            self._names.add(match[1])
            self._groups += 1
            self._begin(f"(?P<{match[1]}>", match.end())
        elif match := _RECURSION.match(pattern, at):
            self._at = match.end()
            self._item(self._call(match[1] or "", match[2] or ""), 16)
        elif match := re.compile(r"\(\?P=([A-Za-z_]\w*)\)", re.ASCII).match(pattern, at):
            self._at = match.end()
            self._item(f"(?P={match[1]})", 16)
        elif match := _CONDITION.match(pattern, at):
            self._begin(f"(?({match[1] or match[2] or match[3]})", match.end())
        elif pattern.startswith("(?(?", at):
            self._begin("(?", at + 2)
        elif match := _FLAGS.match(pattern, at):
            self._flags(match)
        else:
            self._special(at)

    def _special(self, at: int) -> None:
        """Open a group that begins with "(?" and a sign."""
        for sign in ("(?<=", "(?<!", "(?:", "(?|", "(?>", "(?=", "(?!"):
            if self._pattern.startswith(sign, at):
                self._begin(sign, at + len(sign))
                return
        rest = self._pattern[at + 2 : at + 4]
        if rest in ("", "P", "i", "-") or not self._pattern.find(")", at) >= 0:
            raise PatternError("missing closing parenthesis")
        if rest[:1] in ("<", "'") or rest == "P<":
            name = self._pattern[at + 2 + len(rest.rstrip(rest[-1:])) + 1 :] if rest == "P<" else rest[1:]
            if name[:1].isdigit():
                raise PatternError("subpattern name must start with a non-digit")
            raise PatternError(
                "subpattern name expected"
                if name[:1] in (">", "'", "")
                else "syntax error in subpattern name (missing terminator?)"
            )
        raise PatternError("unrecognized character after (? or (?-")

    def _begin(self, text: str, at: int) -> None:
        self._append(text)
        self._at = at
        level = self._levels[-1]
        self._levels.append(_Level(level.flags, level.in_assertion or text in ("(?=", "(?!", "(?<=", "(?<!")))
        if len(self._levels) > MAX_NESTING:
            raise PatternError("parentheses are too deeply nested")

    def _close(self) -> None:
        if len(self._levels) < 2:
            raise PatternError("unmatched closing parenthesis")
        level = self._levels.pop()
        self._at += 1
        self._item(")" * len(level.scopes) + ")", level.size)

    def _flags(self, match: re.Match[str]) -> None:
        """Set flags, for a group of their own or for the rest of the current group."""
        on, off = set(match[2]), set(match[3] or "")
        if match[1]:
            off |= set("imsxn") - on
        level = self._levels[-1]
        flags = (level.flags | (on & set("mxnUJ"))) - off
        enabled = "".join(letter for letter in "ims" if letter in on - off)
        disabled = "".join(letter for letter in "ims" if letter in off)
        text = f"(?{enabled}{'-' + disabled if disabled else ''}:"
        if match[4] == ":":
            self._begin(text, match.end())
            self._levels[-1].flags = flags
            return
        level.flags = flags
        self._at = match.end()
        if text != "(?:":
            level.scopes.append(text)
            self._out.append(text)
        self._repeatable = False

    def _verb(self) -> None:
        pattern, at = self._pattern, self._at
        match = _ASSERTION.match(pattern, at)
        if match:
            if match[1] not in _ASSERTIONS:
                raise PatternError("(*alpha_assertion) not recognized")
            self._begin("(" + _ASSERTIONS[match[1]], match.end())
            return
        match = _VERB.match(pattern, at)
        if not match or pattern[at + 2 : at + 3] == ")":
            raise PatternError(
                NO_ITEM if pattern[at + 2 : at + 3] in (")", "") else "(*VERB) not recognized or malformed"
            )
        name = match[1]
        if name in ("F", "FAIL"):
            self._append("(?!)")
        elif name in ("SKIP", "PRUNE") and match[0] == f"(*{name})":
            self._append(match[0])
        elif name in ("ACCEPT", "COMMIT", "THEN", "MARK", "", "SKIP", "PRUNE"):
            raise PatternError(f"{match[0]} is not supported")
        elif name.islower():
            raise PatternError("(*alpha_assertion) not recognized")
        else:
            raise PatternError("(*VERB) not recognized or malformed")
        self._at = match.end()

    def _call(self, number: str, name: str) -> str:
        """Return a call of a group in the syntax of the module."""
        if name:
            return f"(?&{name})"
        if number == "R":
            return "(?R)"
        value = int(number)
        if number[0] == "-":
            value += self._groups + 1
        elif number[0] == "+":
            value += self._groups
        if value < 0 or (number[0] == "-" and value < 1):
            raise PatternError(NO_GROUP)
        return f"(?{value})" if value else "(?R)"

    # ------------------------------------------------------------------ escapes

    def _code(self, at: int) -> None:
        code, self._at = parse_code(self._pattern, at)
        self._item(character(code))

    def _escape(self) -> None:
        pattern, at = self._pattern, self._at + 1
        letter = pattern[at : at + 1]
        if not letter:
            raise PatternError("\\ at end of pattern")
        if letter in "QE":
            self._quoting = letter == "Q"
            self._at = at + 1
        elif letter in "bB":
            self._append(boundary(self.unicode, letter == "B", self._ascii_only))
            self._at = at + 1
        elif letter in _ASSERTING:
            if letter == "K" and self._levels[-1].in_assertion:
                raise PatternError(NO_KEEP)
            self._append(_ASSERTING[letter])
            self._at = at + 1
        elif letter in "pP":
            name, negated, self._at = parse_property(pattern, at)
            self._item(f"(?-i:{property_class(name, negated)})")  # (?i) does not change a property in PCRE2
        elif letter in "123456789gk":
            self._reference(at)
        elif letter in _SEQUENCES and not (letter == "N" and _BRACE.match(pattern, at + 1)):
            self._item(_SEQUENCES[letter])
            self._at = at + 1
        elif (match := letter_class(letter, self.unicode)) is not None:
            self._item(match)
            self._at = at + 1
        else:
            self._code(at)

    def _reference(self, at: int) -> None:
        """Translate a back-reference, a call of a group or an octal code."""
        pattern = self._pattern
        digits = re.compile(r"[1-9]\d{0,4}", re.ASCII).match(pattern, at)
        if digits and (int(digits[0]) < 10 or int(digits[0]) <= self._groups or digits[0][0] in "89"):
            self._at = digits.end()
            self._item(self._backward(int(digits[0])), 16)
        elif digits:
            self._code(at)
        elif match := _REFERENCE.match(pattern, at):
            self._at = match.end()
            number = match[1] or match[2]
            if number:
                value = int(number)
                value += self._groups + 1 if number[0] == "-" else self._groups if number[0] == "+" else 0
                self._item(self._backward(value), 16)
            else:
                self._item(f"(?P={match[3]})", 16)
        elif match := _CALL.match(pattern, at):
            self._at = match.end()
            self._item(self._call(match[1] or match[2] or "", match[3] or match[4] or ""), 16)
        elif pattern[at] == "g":
            raise PatternError(
                "\\g is not followed by a braced, angle-bracketed, or quoted name/number or by a plain number"
            )
        else:
            raise PatternError("\\k is not followed by a braced, angle-bracketed, or quoted name")

    def _backward(self, number: int) -> str:
        if number < 1:
            raise PatternError(NO_GROUP)
        return f"(?:\\g<{number}>)"

    # ------------------------------------------------------------------ classes

    def _bracket(self) -> None:
        """Translate a class."""
        pattern = self._pattern
        if re.compile(r"\[:\^?[a-z]+:\]").match(pattern, self._at):
            raise PatternError("POSIX named classes are supported only within a class")
        self._at += 1
        negated = pattern[self._at : self._at + 1] == "^"
        self._at += negated
        elements = Elements(self.unicode)
        first = True
        quoting = False
        while True:
            letter = pattern[self._at : self._at + 1]
            if not letter:
                raise PatternError("missing terminating ] for character class")
            if quoting or letter != "\\":
                if letter == "]" and not first and not quoting:
                    self._at += 1
                    break
                end = 0 if quoting or letter != "[" else elements.add_named_class(pattern, self._at)
                if quoting and pattern.startswith("\\E", self._at):
                    quoting = False
                    self._at += 2
                    continue
                if not end:
                    elements.add(ord(letter), literal=quoting)
                    end = self._at + 1
                self._at = end
            elif pattern[self._at + 1 : self._at + 2] in ("Q", "E"):
                quoting = pattern[self._at + 1] == "Q"
                self._at += 2
                continue
            else:
                self._bracket_escape(elements)
            first = False
        self._item(elements.text(negated))

    def _bracket_escape(self, elements: Elements) -> None:
        at = self._at + 1
        letter = self._pattern[at : at + 1]
        if letter == "":
            raise PatternError("\\ at end of pattern")
        if letter in "pP":
            name, negated, self._at = parse_property(self._pattern, at)
            elements.add_property(name, negated)
        elif letter == "b":
            elements.add(8)
            self._at = at + 1
        elif letter == "N" and self._pattern[at + 1 : at + 2] != "{":
            raise PatternError("\\N is not supported in a class")
        elif letter in "BRX":
            raise PatternError("escape sequence is invalid in character class")
        elif elements.add_letter(letter):
            self._at = at + 1
        else:
            code, self._at = parse_code(self._pattern, at)
            elements.add(code, literal=True)
