"""The fields of a word, built from its pieces (POSIX.1-2024 XCU 2.6.5).

A word is expanded piece by piece into a ``Fields``, which records whether a piece was
quoted (never split, never a pattern), literal (never split) or came from an expansion (split
at IFS). When a field is complete, pathname expansion is tried on it.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from math import inf

from sandhook.expand.pathname import PathnameOptions, expand_pathname
from sandhook.expand.special import join_values
from sandhook.lazy import lazily
from sandhook.limits import check_clock, check_fits, timed_items
from sandhook.pattern.glob import Pattern, compile_pattern, has_magic, quote
from sandhook.state.control import ShellError
from sandhook.state.state import State
from sandhook.text.fields import DEFAULT_IFS, field_spans
from sandhook.text.locale import characters_are_bytes

_PATTERN_PIECE = lazily(r"(?s)\\.|\[[!^]?\]?(?>\[:[a-z]+:\]|[^\]\[]|\[(?!:))*+\]|[^\\\[:]+|.")
_PLAIN_PIECE = lazily(r"(?s)\\.|[^\\:]+|.")
_MAGIC = frozenset("*?[")

#: A slash in brackets, which end later, or in a group.
_SLASH_IN_BRACKETS = lazily(r"\[[^\[\]/]*+/")
_SLASH_IN_GROUP = lazily(r"[?*+@!]\([^()/]*+/")

#: A pattern of GLOBIGNORE that is ``!(...)`` and nothing else.
_ALL_BUT = lazily(r"!\(([^()]*)\)")

#: Bytes that a piece of GLOBIGNORE takes.
_PIECE_BYTES = 128

#: A field that bash treats as a pattern although its brackets are empty (``[]``).
_BRACKETS = lazily(r"(?s)(?>\\.|[^\\[])*+\[(?>\\.|[^\\\]/])*+\]")
_WITHOUT_MATCH = frozenset(("failglob", "nullglob"))


def whole_list(values_of: Callable[[State], list[str]]) -> Callable[[State], list[str]]:
    """Return a closure for the fields of a quoted list that is a word by itself: its values, unchanged."""

    def run(state: State) -> list[str]:
        values = values_of(state)
        if len(values) > state.budget.limits.fields:
            state.budget.fail("fields")
        return values

    return run


class Fields:
    """Collects the pieces of one word and returns its fields.

    Attributes:
        results: The finished fields.
    """

    __slots__ = ("_ifs", "_in_field", "_pieces", "_state", "results")

    def __init__(self, state: State) -> None:
        self._state = state
        self.results: list[str] = []
        self._pieces: list[tuple[str, bool]] = []
        self._in_field = False
        self._ifs: str | None = None

    def quoted(self, text: str) -> None:
        """Add text that is neither split nor a pattern; "" starts a field, too."""
        self._in_field = True
        if text:
            self._pieces.append((text, True))

    def literal(self, text: str) -> None:
        """Add unquoted text of the script: not split, but a pattern."""
        self._in_field = True
        self._pieces.append((text, False))

    def expansion(self, text: str) -> None:
        """Add the result of an unquoted expansion: split at IFS, and a pattern."""
        if not text:
            return
        ifs = self._ifs
        if ifs is None:
            variable = self._state.get("IFS")
            ifs = self._ifs = DEFAULT_IFS if variable is None else variable
        if not ifs:
            self._add(text)
            return
        position = 0
        for start, end, after in field_spans(text, ifs):
            if start > position and self._in_field:  # white space ends the field that precedes the expansion
                self.finish()
            if end > start:
                self._add(text[start:end] if end - start < len(text) else text)
            if after > end:
                self.finish()
            position = after
        if position < len(text) and self._in_field:
            self.finish()

    def _add(self, text: str) -> None:
        self._in_field = True
        self._pieces.append((text, False))

    def add_any(self, add: Callable[[], None]) -> None:
        """Call ``add``; if it adds nothing but empty text, no field is started."""
        was_in_field, count = self._in_field, len(self.results)
        add()
        if not (was_in_field or self._pieces) and len(self.results) == count:
            self._in_field = False

    def separate(self) -> None:
        """End the current field, if there is one: between the elements of "$@"."""
        if self._in_field:
            self.finish()

    def finish(self) -> None:
        """Complete the current field, even an empty one, and expand it as a pathname pattern."""
        pieces = self._pieces
        self._in_field = False
        state = self._state
        if not state.options.noglob:
            for text, was_quoted in pieces:
                if not was_quoted and (
                    not _MAGIC.isdisjoint(text) or (state.options.extglob and "(" in text)
                ):
                    self._pieces = []
                    self.results += glob_field(state, pieces)
                    return
        self.results.append(
            pieces[0][0] if len(pieces) == 1 else join_values(state, "", [text for text, _ in pieces])
        )
        self._pieces = []

    def end(self) -> list[str]:
        """Return the fields of the word."""
        if self._in_field:
            self.finish()
        if len(self.results) > self._state.budget.limits.fields:
            self._state.budget.fail("fields")
        return self.results


class Unglobbed(Fields):
    """Fields without pathname expansion."""

    __slots__ = ()

    def finish(self) -> None:
        self._in_field = False
        self.results.append("".join([text for text, _ in self._pieces]))
        self._pieces = []


def glob_field(state: State, pieces: list[tuple[str, bool]], *, ignores: bool = True) -> list[str]:
    """Expand one field, given as (text, quoted) pieces, to the files it matches.

    A field that matches nothing stays unchanged, unless nullglob or failglob is set.
    GLOBIGNORE has no effect if ``ignores`` is False.
    """
    pattern = "".join([quote(text) if was_quoted else text for text, was_quoted in pieces])
    plain = "".join([text for text, _ in pieces])
    options = state.options
    shopts = options.shopts
    if not has_magic(pattern, extglob=options.extglob):
        unmatched = "[" in pattern and _BRACKETS.match(pattern) and not shopts.isdisjoint(_WITHOUT_MATCH)
        return _without_match(state, plain) if unmatched else [plain]
    process = state.process
    paths = expand_pathname(
        process.kernel.fs,
        process.cwd,
        pattern,
        PathnameOptions(
            dotglob="dotglob" in shopts,
            globstar="globstar" in shopts,
            nocase="nocaseglob" in shopts,
            extglob=options.extglob,
            skipdots="globskipdots" in shopts,
            bytewise=characters_are_bytes(state.get),
            most=state.budget.limits.fields,
        ),
        state.budget.charge,
    )
    ignored = state.get("GLOBIGNORE")
    if ignored and paths and ignores:
        nocase = "nocaseglob" in shopts
        paths = _without_ignored(paths, ignored, extglob=options.extglob, nocase=nocase)
    if paths:
        return paths
    return _without_match(state, plain)


def _without_match(state: State, plain: str) -> list[str]:
    """Return the fields for a pattern that matches no file."""
    shopts = state.options.shopts
    if "failglob" in shopts:
        raise ShellError(f"no match: {plain}", ends="unit")
    return [] if "nullglob" in shopts else [plain]


def _ignored_patterns(ignored: str) -> list[str]:
    """Return the patterns of GLOBIGNORE; a colon in brackets or after a backslash does not separate."""
    if "[" not in ignored and "\\" not in ignored:
        return ignored.split(":")
    last = ignored.rfind("]") + 1  # without a "]" after it, a "[" is an ordinary character
    pieces = chain(_PATTERN_PIECE.finditer(ignored, 0, last), _PLAIN_PIECE.finditer(ignored, last))
    patterns: list[list[str]] = [[]]
    for number, match in enumerate(pieces):
        if number & 511 == 511:
            check_clock()
            check_fits(number * _PIECE_BYTES)
        if match[0] == ":":
            patterns.append([])
        else:
            patterns[-1].append(match[0])
    return list(map("".join, patterns))


def _has_inner_slash(text: str) -> bool:
    """Return True for a pattern of GLOBIGNORE that is matched with the whole path: a slash is within brackets or a group."""
    if "/" not in text:
        return False
    brackets = _SLASH_IN_BRACKETS.search(text)
    return (brackets is not None and "]" in text[brackets.end() :]) or _SLASH_IN_GROUP.search(
        text
    ) is not None


def _without_ignored(paths: list[str], ignored: str, *, extglob: bool, nocase: bool) -> list[str]:
    # The least and the greatest number of components, and a pattern for each of the first ones.
    patterns: list[tuple[int, float, list[Pattern]]] = []
    whole: list[Pattern] = []
    for text in _ignored_patterns(ignored):
        is_whole = _has_inner_slash(text)
        parts = [text] if is_whole else text.replace("\\/", "/").split("/")
        compiled = [compile_pattern(part, extglob=extglob, nocase=nocase) for part in timed_items(parts)]
        if is_whole:
            whole += compiled
        elif text:
            is_open = text[-1] == "*" and text[-2:] != "\\*"  # as in bash, it matches the rest of a path
            patterns.append((len(parts), inf if is_open else len(parts), compiled))
            but = _ALL_BUT.fullmatch(parts[-1]) if extglob else None
            if but is not None:  # "!(p)" does so, too, unless p does
                others = "|".join([each for each in but[1].split("|") if each.endswith("*")])
                last = [compile_pattern(f"!({others})", extglob=True, nocase=nocase)] if others else []
                patterns.append((len(parts) + 1, inf, compiled[:-1] + last))

    def is_ignored(name: str) -> bool:
        components = name.split("/")
        return any(
            least <= len(components) <= most
            and all(part.matches(component) for part, component in zip(parts, components))
            for least, most, parts in timed_items(patterns)
        ) or any(pattern.matches(name) for pattern in timed_items(whole))

    remaining: list[str] = []
    for name in paths:
        check_clock()
        if not is_ignored(name):
            remaining.append(name)
    return [name for name in remaining if name.rstrip("/").rpartition("/")[2] not in (".", "..")]
