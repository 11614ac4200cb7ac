"""Where a wrapped program (``call.py``, Windows) reads further inputs, and whether that can be known before it runs.

libjq's binding offers no further inputs to ``input`` and ``inputs``, so they are bound to an
array of everything that is left. An array does not shrink when it is read: each place that
reads must be known to be reached at most once, and in the order of the text. What cannot
be seen to be so is refused by name rather than answered wrongly.
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
#: Functions with one result whatever their arguments do, which they evaluate more than once.
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
#: Functions that read a generator once, perhaps not to its end.
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


class Unclear(Exception):
    """It cannot be seen how many inputs a place reads; the message names the place."""


class Reading:
    """How a program reads.

    Attributes:
        step: Inputs that one turn takes, the main one included; 0 when it takes all of them.
        sites: Offset of each ``input`` and ``inputs`` and its place in the order of reading.
    """

    __slots__ = ("sites", "step")

    def __init__(self, step: int, sites: dict[int, int]) -> None:
        self.step = step
        self.sites = sites


class _Level:
    """What is known inside one bracket, ``if``, ``def`` or interpolation."""

    __slots__ = (
        "either",
        "folding",
        "kind",
        "many",
        "maybe",
        "operator",
        "partial",
        "pending",
        "plural",
        "sites",
        "wide",
    )

    def __init__(self, kind: str, *, many: bool, maybe: bool, partial: bool) -> None:
        self.kind = kind
        self.many = many  # what stands here may be evaluated any number of times
        self.maybe = maybe  # or not at all
        self.partial = partial  # and perhaps not to its end
        self.plural = False  # results since the last | may be none or several
        self.wide = False  # operand of this part may have none or several results
        self.operator = False
        self.either = False
        self.sites = 0  # in this part
        self.folding = False  # after reduce or foreach, before its "as"
        self.pending = False  # after that "as", before the parenthesis


def reading_sites(
    tokens: list[Token], names: frozenset[int], sites: frozenset[int], *, null_input: bool
) -> Reading:
    """Return how a program reads.

    Args:
        tokens: The whole program.
        names: Offsets of the names that are keys of an object, and so call nothing.
        sites: Offsets of the names ``input`` and ``inputs``.
        null_input: The program runs once, on null (-n).

    Raises:
        Unclear: A place may be reached more than once, or inputs cannot be counted.
    """
    return _Scan([token for token in tokens if token.start not in names], sites, null_input).run()


class _Scan:
    def __init__(self, tokens: list[Token], sites: frozenset[int], null_input: bool) -> None:
        self._tokens = tokens
        self._sites = sites
        self._null_input = null_input
        self._alone = null_input and len(sites) == 1  # then it does not matter whether it is reached
        self._levels = [_Level("", many=False, maybe=False, partial=False)]
        self._order: dict[int, int] = {}
        self._closed = ""  # why no further site may follow
        self._previous = Token("", "", 0, 0)
        self._before = Token("", "", 0, 0)

    def run(self) -> Reading:
        for token in self._tokens:
            self._take(token)
            self._before, self._previous = self._previous, token
        while self._levels:
            self._end_part(self._levels.pop())
        every = any(token.text == "inputs" for token in self._tokens if token.start in self._order)
        return Reading(0 if every else 1 + len(self._order), self._order)

    def _take(self, token: Token) -> None:
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
            level.many |= level.plural
            level.plural = False
        elif text == ",":
            self._end_part(level)
            if level.kind == "{":
                level.many |= level.plural
            else:
                level.plural = True
        elif text == ";":
            self._semicolon(level)
        elif text == ":" and level.kind == "{":
            level.many |= level.plural
        elif text in ("..", "?", "?//"):
            level.plural = level.wide = True
            if text == "?" and level.sites and not self._alone:
                raise Unclear("input")
        elif text in _BINARY and not (text == "-" and self._previous.text in _BEFORE_TERM):
            level.operator = True
        elif text in _EITHER:
            level.operator = level.either = True

    def _name(self, token: Token, level: _Level) -> None:
        text = token.text
        if token.start in self._sites:
            self._site(token, level)
        elif text == "def":
            self._push("def", many=True)
        elif text == "if":
            self._push("if")
        elif text in ("then", "elif", "else") and level.kind == "if":
            self._end_part(level)
            level.many |= level.plural
            level.maybe = True
            level.plural = False
        elif text == "end" and level.kind == "if":
            self._pop("end")
        elif text == "as":
            level.pending = level.folding
            level.folding = False
        elif text in ("reduce", "foreach"):
            level.folding = True
        elif text in ("and", "or"):
            level.operator = level.either = True
        elif text == "catch":
            level.maybe = True
        elif text in ("try", "label"):
            level.maybe = True  # an error or a break may keep a place from being reached
        elif text not in _SINGLE and text not in _SINGLE_RESULT:
            level.plural = level.wide = True

    def _site(self, token: Token, level: _Level) -> None:
        name = token.text
        if level.many:
            raise Unclear(name)
        if self._closed:
            raise Unclear(name)
        if (level.maybe or level.partial) and not self._null_input:
            raise Unclear(name)
        if name == "inputs" or level.maybe or level.partial:
            self._closed = name
        if name == "inputs":
            level.plural = level.wide = True
        self._order[token.start] = len(self._order)
        for outer in self._levels:
            outer.sites += 1

    def _open(self, text: str, level: _Level) -> None:
        previous = self._previous
        called = previous.text if previous.kind == "name" else ""
        if text == "(" and level.pending and (previous.kind == "variable" or previous.text in ("]", "}")):
            level.pending = False  # the pattern ended; what follows is evaluated for every value
            self._push("fold", many=True)
        elif text == "(" and called and called not in _BEFORE_TERM:
            self._push("(", many=called not in _STREAMS, partial=called in _PARTIAL)
        else:
            index = text == "[" and not (previous.text in _BEFORE_TERM and previous.kind in ("", "name"))
            self._push("index" if index else text)

    def _push(self, kind: str, *, many: bool = False, partial: bool = False) -> None:
        outer = self._levels[-1]
        self._levels.append(
            _Level(kind, many=many or outer.many, maybe=outer.maybe, partial=partial or outer.partial)
        )

    def _pop(self, closing: str) -> None:
        inner = self._levels.pop()
        self._end_part(inner)
        outer = self._levels[-1]
        empty_index = inner.kind == "index" and self._previous.text == "["
        if inner.kind != "[" and (inner.plural or inner.many or inner.maybe or empty_index):
            outer.plural = outer.wide = True

    def _semicolon(self, level: _Level) -> None:
        self._end_part(level)
        if level.kind == "fold" and level.plural and self._levels[-2].sites:
            raise Unclear("input")  # the values are gone through once for each start
        if level.kind == "def":
            self._levels.pop()
        else:
            level.plural = False

    def _end_part(self, level: _Level) -> None:
        """A part of a list ends: with operators, what stands right is evaluated first."""
        if (
            level.operator
            and level.sites
            and (level.wide or (level.either and not self._alone) or len(self._order) > 1)
        ):
            raise Unclear("input")
        level.operator = level.either = level.wide = False
        level.sites = 0
