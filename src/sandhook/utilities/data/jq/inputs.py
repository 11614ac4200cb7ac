"""Static analysis of ``input`` and ``inputs`` in a wrapped program (``call.py``, Windows).

libjq's binding has no further inputs for ``input`` and ``inputs``, so they are bound to an
array of all remaining inputs. An array does not shrink when it is read: each site must be
known to run at most once, and in the order of the text. A program for which that cannot be
proved is rejected by name, because its result might be wrong.
"""

from __future__ import annotations

from sandhook.utilities.data.jq.lexer import Token

#: Functions with one result that evaluate no argument more than once.
_SINGLE = frozenset(
    (
        "length", "keys", "keys_unsorted", "tojson", "fromjson", "tostring", "tonumber", "toarray", "type",
        "not", "add", "sort", "reverse", "unique", "min", "max", "to_entries", "from_entries",
        "ascii_downcase", "ascii_upcase", "floor", "ceil", "round", "sqrt", "abs", "trim", "ltrim", "rtrim",
        "ltrimstr", "rtrimstr", "trimstr", "startswith", "endswith", "test", "join", "split", "has",
        "contains", "inside", "flatten", "transpose", "explode", "implode", "utf8bytelength", "todate",
        "fromdate", "now", "any", "all", "env", "input_filename", "null", "true", "false",
    )
)  # fmt: skip
#: Functions that evaluate an argument more than once, but always have one result.
_SINGLE_RESULT = frozenset(
    (
        "map",
        "map_values",
        "with_entries",
        "sort_by",
        "group_by",
        "unique_by",
        "min_by",
        "max_by",
        "del",
        "walk",
    )
)
#: Functions that read a generator once, possibly not to its end.
_STREAMS = frozenset(
    (
        "first", "last", "limit", "skip", "nth", "isempty", "add", "fromstream", "truncate_stream",
        "error", "select", "any", "all",
    )
)  # fmt: skip
_PARTIAL = frozenset(("first", "limit", "skip", "nth", "isempty", "any", "all"))
_BINARY = frozenset(
    ["+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "=", "|=", "+=", "-=", "*=", "/=", "%="]
)
_EITHER = frozenset(["and", "or", "//", "//="])
_BEFORE_TERM = frozenset(
    ["", "|", ",", ":", ";", "(", "[", "{", "?//", *_BINARY, *_EITHER,
     "if", "then", "elif", "else", "reduce", "foreach", "try", "catch", "as", "def"]
)  # fmt: skip


class UnclearReadingError(Exception):
    """The number of inputs that a site reads cannot be determined; the message names the site."""


class Reading:
    """How a program reads its inputs.

    Attributes:
        step: Inputs that one turn reads, including the main one; 0 when it reads all of them.
        sites: For the offset of each ``input`` and ``inputs``, its index in the order of reading.
    """

    __slots__ = ("sites", "step")

    def __init__(self, step: int, sites: dict[int, int]) -> None:
        self.step = step
        self.sites = sites


class _Level:
    """The state inside one bracket, ``if``, ``def`` or interpolation."""

    __slots__ = (
        "conditional",
        "in_fold_head",
        "in_fold_pattern",
        "kind",
        "multiple",
        "operator",
        "partial",
        "repeated",
        "short_circuits",
        "sites",
        "wide_operand",
    )

    def __init__(self, kind: str, *, repeated: bool, conditional: bool, partial: bool) -> None:
        self.kind = kind
        self.repeated = repeated  # the text here may be evaluated any number of times
        self.conditional = conditional  # or not at all
        self.partial = partial  # and perhaps not to its end
        self.multiple = False  # there may be no result or several results since the last |
        self.wide_operand = False  # an operand of this part may have no result or several results
        self.operator = False
        self.short_circuits = False
        self.sites = 0  # sites in this part
        self.in_fold_head = False  # after reduce or foreach, before its "as"
        self.in_fold_pattern = False  # after that "as", before the parenthesis


def reading_sites(
    tokens: list[Token], names: frozenset[int], sites: frozenset[int], *, null_input: bool
) -> Reading:
    """Return how a program reads its inputs.

    Args:
        tokens: The whole program.
        names: Offsets of the names that are keys of an object and not calls.
        sites: Offsets of the names ``input`` and ``inputs``.
        null_input: The program runs once, on null (-n).

    Raises:
        UnclearReadingError: A site may run more than once, or its inputs cannot be counted.
    """
    return _Scan([token for token in tokens if token.start not in names], sites, null_input).run()


class _Scan:
    def __init__(self, tokens: list[Token], sites: frozenset[int], null_input: bool) -> None:
        self._tokens = tokens
        self._sites = sites
        self._null_input = null_input
        self._single_site = null_input and len(sites) == 1  # then it does not matter whether it is reached
        self._levels = [_Level("", repeated=False, conditional=False, partial=False)]
        self._order: dict[int, int] = {}
        self._blocking_site = ""  # why no further site may follow
        self._previous = Token("", "", 0, 0)

    def run(self) -> Reading:
        for token in self._tokens:
            self._scan(token)
            self._previous = token
        while self._levels:
            self._end_part(self._levels.pop())
        takes_all = any(token.text == "inputs" for token in self._tokens if token.start in self._order)
        return Reading(0 if takes_all else 1 + len(self._order), self._order)

    def _scan(self, token: Token) -> None:
        level = self._levels[-1]
        text = token.text
        if token.kind == "name":
            self._name(token, level)
        elif token.kind == "open":
            level.operator = True  # the parts of a string are joined by operators
            self._push("(")
        elif token.kind == "close":
            self._pop("close")
        elif token.kind:
            return
        elif text in ("(", "[", "{"):
            self._open(text, level)
        elif text in (")", "]", "}"):
            self._pop(text)
        elif text == "|":
            self._end_part(level)
            level.repeated |= level.multiple
            level.multiple = False
        elif text == ",":
            self._end_part(level)
            if level.kind == "{":
                level.repeated |= level.multiple
            else:
                level.multiple = True
        elif text == ";":
            self._semicolon(level)
        elif text == ":" and level.kind == "{":
            level.repeated |= level.multiple
        elif text in ("..", "?", "?//"):
            level.multiple = level.wide_operand = True
            if text == "?" and level.sites and not self._single_site:
                raise UnclearReadingError("input")
        elif text in _BINARY and not (text == "-" and self._previous.text in _BEFORE_TERM):
            level.operator = True
        elif text in _EITHER:
            level.operator = level.short_circuits = True

    def _name(self, token: Token, level: _Level) -> None:
        text = token.text
        if token.start in self._sites:
            self._site(token, level)
        elif text == "def":
            self._push("def", repeated=True)
        elif text == "if":
            self._push("if")
        elif text in ("then", "elif", "else") and level.kind == "if":
            self._end_part(level)
            level.repeated |= level.multiple
            level.conditional = True
            level.multiple = False
        elif text == "end" and level.kind == "if":
            self._pop("end")
        elif text == "as":
            level.in_fold_pattern = level.in_fold_head
            level.in_fold_head = False
        elif text in ("reduce", "foreach"):
            level.in_fold_head = True
        elif text in ("and", "or"):
            level.operator = level.short_circuits = True
        elif text == "catch":
            level.conditional = True
        elif text in ("try", "label"):
            level.conditional = True  # an error or a break may keep a place from being reached
        elif text not in _SINGLE and text not in _SINGLE_RESULT:
            level.multiple = level.wide_operand = True

    def _site(self, token: Token, level: _Level) -> None:
        name = token.text
        if level.repeated:
            raise UnclearReadingError(name)
        if self._blocking_site:
            raise UnclearReadingError(name)
        if (level.conditional or level.partial) and not self._null_input:
            raise UnclearReadingError(name)
        if name == "inputs" or level.conditional or level.partial:
            self._blocking_site = name
        if name == "inputs":
            level.multiple = level.wide_operand = True
        self._order[token.start] = len(self._order)
        for outer in self._levels:
            outer.sites += 1

    def _open(self, text: str, level: _Level) -> None:
        previous = self._previous
        function = previous.text if previous.kind == "name" else ""
        if (
            text == "("
            and level.in_fold_pattern
            and (previous.kind == "variable" or previous.text in ("]", "}"))
        ):
            level.in_fold_pattern = False  # the pattern ended; what follows is evaluated for every value
            self._push("fold", repeated=True)
        elif text == "(" and function and function not in _BEFORE_TERM:
            self._push("(", repeated=function not in _STREAMS, partial=function in _PARTIAL)
        else:
            index = text == "[" and not (previous.text in _BEFORE_TERM and previous.kind in ("", "name"))
            self._push("index" if index else text)

    def _push(self, kind: str, *, repeated: bool = False, partial: bool = False) -> None:
        outer = self._levels[-1]
        self._levels.append(
            _Level(
                kind,
                repeated=repeated or outer.repeated,
                conditional=outer.conditional,
                partial=partial or outer.partial,
            )
        )

    def _pop(self, closing: str) -> None:
        inner = self._levels.pop()
        self._end_part(inner)
        outer = self._levels[-1]
        empty_index = inner.kind == "index" and self._previous.text == "["
        if inner.kind != "[" and (inner.multiple or inner.repeated or inner.conditional or empty_index):
            outer.multiple = outer.wide_operand = True

    def _semicolon(self, level: _Level) -> None:
        self._end_part(level)
        if level.kind == "fold" and level.multiple and self._levels[-2].sites:
            raise UnclearReadingError("input")  # the values are gone through once for each start
        if level.kind == "def":
            self._levels.pop()
        else:
            level.multiple = False

    def _end_part(self, level: _Level) -> None:
        """End a part of a list. Operators evaluate their right operand first, so a site may be out of order."""
        if (
            level.operator
            and level.sites
            and (
                level.wide_operand or (level.short_circuits and not self._single_site) or len(self._order) > 1
            )
        ):
            raise UnclearReadingError("input")
        level.operator = level.short_circuits = level.wide_operand = False
        level.sites = 0
