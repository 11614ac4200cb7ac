"""Perl's regular expressions, translated to what the ``regex`` module takes.

Sizes are added up on the way, for ``((a{1000}){1000}){1000}`` would take gigabytes to compile.

Source: pcre2pattern(3), PCRE2 10.42, also for messages. Divergence: L-GREP-002.
"""

from __future__ import annotations

import re

from sandhook.lazy import lazily
from sandhook.pattern.errors import PatternError
from sandhook.utilities.search.perl.classes import Elements, boundary, character, letter_class, property_class
from sandhook.utilities.search.perl.codes import read_code, read_property

MAX_LENGTH = 20_000  #: characters
MAX_SIZE = 50_000  #: single-character items once all repeats are written out
MAX_NESTING = 100

TOO_LARGE = "regular expression is too large"
NO_ITEM = "quantifier does not follow a repeatable item"
NO_KEEP = "\\K is not allowed in lookarounds (but see PCRE2_EXTRA_ALLOW_LOOKAROUND_BSK)"
NO_GROUP = "reference to non-existent subpattern"

_REPEAT = lazily(r"[*+?]|\{(\d{1,6})(,(\d{0,6}))?\}", re.ASCII)
_BRACED = lazily(r"\{(?!\d+(?:,\d*)?\})", re.ASCII)  # what is no repeat
_REFERENCE = lazily(r"g([+-]?\d{1,5})|g\{([+-]?\d{1,5})\}|(?:k<|g\{|k\{|k')([A-Za-z_]\w*)[>'}]", re.ASCII)
_CALL = lazily(r"g(?:<([+-]?\d{1,5})>|'([+-]?\d{1,5})'|<([A-Za-z_]\w*)>|'([A-Za-z_]\w*)')", re.ASCII)
_NAMED = lazily(r"\(\?(?:P?<|')([A-Za-z_]\w*)[>']", re.ASCII)
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
#: Verbs at the very beginning that change nothing here.
_SETTINGS = frozenset(
    ("UTF", "UTF8", "LF", "NO_JIT", "NO_START_OPT", "NO_AUTO_POSSESS", "NO_DOTSTAR_ANCHOR", "LIMIT_MATCH")
) | {"LIMIT_DEPTH", "LIMIT_HEAP", "LIMIT_RECURSION"}

_ASSERTING = {"A": r"\A", "z": r"\Z", "Z": r"(?=\n?\Z)", "G": r"\G", "K": r"\K"}
_SEQUENCES = {"R": r"(?>\r\n|[\n\x0b\f\r\x85\u2028\u2029])", "N": r"[^\n]", "X": r"\X"}


class _Level:
    """An open group.

    Attributes:
        flags: Those of n, x, U and J that are set within it.
        around: It looks ahead or after, or is within what does.
        scopes: What was opened for flags of the module's, and is closed with the alternative.
        size: What it amounts to so far.
    """

    __slots__ = ("around", "flags", "scopes", "size")

    def __init__(self, flags: frozenset[str], around: bool = False) -> None:
        self.flags = flags
        self.around = around
        self.scopes: list[str] = []
        self.size = 0


class PerlTranslator:
    """Translates one expression.

    Args:
        pattern: In Perl's notation.
        wide: ``\\w``, ``\\d``, ``\\s``, ``\\b`` and named classes are Unicode's.
        narrow: The text that is searched will be ASCII.

    Attributes:
        wide: The same, or because the expression begins with ``(*UCP)``.
    """

    def __init__(self, pattern: str, *, wide: bool = False, narrow: bool = False) -> None:
        if len(pattern) > MAX_LENGTH:
            raise PatternError(TOO_LARGE)
        self.wide = wide
        self._narrow = narrow
        self._pattern = pattern
        self._at = 0
        self._out: list[str] = []
        self._groups = 0
        self._names: set[str] = set()
        self._levels = [_Level(frozenset())]
        self._last = 0  # size of the item that a repeat would apply to
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
            self._quoted(letter)
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
            self._put(")" * len(scopes) + "|" + "".join(scopes))
            self._at += 1
        elif letter in "^$":
            self._put(letter)
            self._at += 1
        elif "x" in self._levels[-1].flags and letter in " \t\n\v\f\r#":
            self._blank(letter)
        elif not self._repeat():
            self._item("." if letter == "." else character(ord(letter)))
            self._at += 1

    # ------------------------------------------------------------------ pieces

    def _put(self, text: str) -> None:
        """Add what cannot be repeated."""
        self._out.append(text)
        self._repeatable = False

    def _item(self, text: str, size: int = 1) -> None:
        self._out.append(text)
        self._grow(size)
        self._repeatable = True

    def _grow(self, size: int) -> None:
        self._last = size
        self._levels[-1].size += size
        if self._levels[-1].size > MAX_SIZE:
            raise PatternError(TOO_LARGE)

    def _quoted(self, letter: str) -> None:
        if self._pattern.startswith("\\E", self._at):
            self._quoting = False
            self._at += 2
            return
        self._item(character(ord(letter)))
        self._at += 1

    def _blank(self, letter: str) -> None:
        """Step over what (?x) ignores."""
        end = self._pattern.find("\n", self._at) if letter == "#" else self._at
        self._at = len(self._pattern) if end < 0 else end + 1

    def _repeat(self) -> bool:
        found = _REPEAT.match(self._pattern, self._at)
        if not found:
            return False
        low, comma, high = found[1], found[2], found[3]
        if not self._repeatable:
            raise PatternError(NO_ITEM)
        if low:
            most = max(int(low), int(high or 0))
            if most > 65_535:
                raise PatternError("number too big in {} quantifier")
            if high and int(high) < int(low):
                raise PatternError("numbers out of order in {} quantifier")
            extra = self._last * max(most - 1, 0)
            self._grow(extra)
        self._at = found.end()
        manner = self._pattern[self._at : self._at + 1]
        if manner in ("?", "+") and manner:
            self._at += 1
        else:
            manner = ""
        if "U" in self._levels[-1].flags and manner != "+":
            manner = "" if manner == "?" else "?"
        exact = bool(low) and not comma
        self._put(found[0] + ("" if exact and manner == "?" else manner))
        return True

    # ------------------------------------------------------------------ groups

    def _settings(self) -> None:
        """Read the verbs at the beginning."""
        while found := _VERB.match(self._pattern, self._at):
            if found[1] == "UCP":
                self.wide = True
            elif found[1] not in _SETTINGS:
                return
            self._at = found.end()

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
        elif found := _NAMED.match(pattern, at):
            if found[1] in self._names and "J" not in self._levels[-1].flags:
                raise PatternError("two named subpatterns have the same name (PCRE2_DUPNAMES not set)")
            self._names.add(found[1])
            self._groups += 1
            self._begin(f"(?P<{found[1]}>", found.end())
        elif found := _RECURSION.match(pattern, at):
            self._at = found.end()
            self._item(self._call(found[1] or "", found[2] or ""), 16)
        elif found := re.compile(r"\(\?P=([A-Za-z_]\w*)\)", re.ASCII).match(pattern, at):
            self._at = found.end()
            self._item(f"(?P={found[1]})", 16)
        elif found := _CONDITION.match(pattern, at):
            self._begin(f"(?({found[1] or found[2] or found[3]})", found.end())
        elif pattern.startswith("(?(?", at):
            self._begin("(?", at + 2)
        elif found := _FLAGS.match(pattern, at):
            self._flags(found)
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
        self._put(text)
        self._at = at
        here = self._levels[-1]
        self._levels.append(_Level(here.flags, here.around or text in ("(?=", "(?!", "(?<=", "(?<!")))
        if len(self._levels) > MAX_NESTING:
            raise PatternError("parentheses are too deeply nested")

    def _close(self) -> None:
        if len(self._levels) < 2:
            raise PatternError("unmatched closing parenthesis")
        level = self._levels.pop()
        self._at += 1
        self._item(")" * len(level.scopes) + ")", level.size)

    def _flags(self, found: re.Match[str]) -> None:
        """Set flags, for a group of their own or for the rest of this one."""
        on, off = set(found[2]), set(found[3] or "")
        if found[1]:
            off |= set("imsxn") - on
        here = self._levels[-1]
        flags = (here.flags | (on & set("xnUJ"))) - off
        shown = "".join(letter for letter in "ims" if letter in on - off)
        hidden = "".join(letter for letter in "ims" if letter in off)
        text = f"(?{shown}{'-' + hidden if hidden else ''}:"
        if found[4] == ":":
            self._begin(text, found.end())
            self._levels[-1].flags = flags
            return
        here.flags = flags
        self._at = found.end()
        if text != "(?:":
            here.scopes.append(text)
            self._out.append(text)
        self._repeatable = False

    def _verb(self) -> None:
        pattern, at = self._pattern, self._at
        found = _ASSERTION.match(pattern, at)
        if found:
            if found[1] not in _ASSERTIONS:
                raise PatternError("(*alpha_assertion) not recognized")
            self._begin("(" + _ASSERTIONS[found[1]], found.end())
            return
        found = _VERB.match(pattern, at)
        if not found or pattern[at + 2 : at + 3] == ")":
            raise PatternError(
                NO_ITEM if pattern[at + 2 : at + 3] in (")", "") else "(*VERB) not recognized or malformed"
            )
        name = found[1]
        if name in ("F", "FAIL"):
            self._put("(?!)")
        elif name in ("SKIP", "PRUNE") and found[0] == f"(*{name})":
            self._put(found[0])
        elif name in ("ACCEPT", "COMMIT", "THEN", "MARK", "", "SKIP", "PRUNE"):
            raise PatternError(f"{found[0]} is not supported")
        elif name.islower():
            raise PatternError("(*alpha_assertion) not recognized")
        else:
            raise PatternError("(*VERB) not recognized or malformed")
        self._at = found.end()

    def _call(self, number: str, name: str) -> str:
        """Return a call of a group, as the module writes it."""
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

    def _coded(self, at: int) -> None:
        code, self._at = read_code(self._pattern, at)
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
            self._put(boundary(self.wide, letter == "B", self._narrow))
            self._at = at + 1
        elif letter in _ASSERTING:
            if letter == "K" and self._levels[-1].around:
                raise PatternError(NO_KEEP)
            self._put(_ASSERTING[letter])
            self._at = at + 1
        elif letter in "pP":
            name, negated, self._at = read_property(pattern, at)
            self._item(f"(?-i:{property_class(name, negated)})")  # PCRE2 lets no (?i) change what it holds
        elif letter in "123456789gk":
            self._reference(at)
        elif letter in _SEQUENCES and not (letter == "N" and _BRACED.match(pattern, at + 1)):
            self._item(_SEQUENCES[letter])
            self._at = at + 1
        elif (found := letter_class(letter, self.wide)) is not None:
            self._item(found)
            self._at = at + 1
        else:
            self._coded(at)

    def _reference(self, at: int) -> None:
        """Translate a back-reference, a call of a group or an octal code."""
        pattern = self._pattern
        digits = re.compile(r"[1-9]\d{0,4}", re.ASCII).match(pattern, at)
        if digits and (int(digits[0]) < 10 or int(digits[0]) <= self._groups or digits[0][0] in "89"):
            self._at = digits.end()
            self._item(self._backward(int(digits[0])), 16)
        elif digits:
            self._coded(at)
        elif found := _REFERENCE.match(pattern, at):
            self._at = found.end()
            number = found[1] or found[2]
            if number:
                value = int(number)
                value += self._groups + 1 if number[0] == "-" else self._groups if number[0] == "+" else 0
                self._item(self._backward(value), 16)
            else:
                self._item(f"(?P={found[3]})", 16)
        elif found := _CALL.match(pattern, at):
            self._at = found.end()
            self._item(self._call(found[1] or found[2] or "", found[3] or found[4] or ""), 16)
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
        elements = Elements(self.wide)
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
                end = 0 if quoting or letter != "[" else elements.add_named(pattern, self._at)
                if quoting and pattern.startswith("\\E", self._at):
                    quoting = False
                    self._at += 2
                    continue
                if not end:
                    elements.add(ord(letter), quoted=quoting)
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
            name, negated, self._at = read_property(self._pattern, at)
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
            code, self._at = read_code(self._pattern, at)
            elements.add(code, quoted=True)
