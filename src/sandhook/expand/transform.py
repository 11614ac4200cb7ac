"""The operators of ``${...}`` on one value. Source: bash 5.2 manual, 3.5.3.

The operands are already expanded. ``parameter`` selects the function and the values that it is
applied to.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from sandhook.expand.escapes import ansi_c, prompt_value
from sandhook.lazy import cache_short
from sandhook.limits import timed_pieces
from sandhook.pattern.glob import Pattern, compile_pattern, quote
from sandhook.state.control import bad_substitution_error
from sandhook.state.state import State
from sandhook.text.quoting import at_quote

#: Changes a text that is not empty; the options of the shell may affect it.
Change: TypeAlias = Callable[[State, str], str]

#: Longer texts are charged and use the general functions.
_SHORT = 4096


@cache_short(512)
def affix_remover(operator: str, pattern: str) -> Change | None:
    """Return the function for ``${x##*/}``, ``${x%.*}``, ``${x%.py}`` and similar; None for other patterns.

    They search for a literal, which no option affects.
    """
    star = pattern.count("*")
    if star > 1 or "(" in pattern or (star and (len(pattern) < 2 or pattern[-2:] == "\\*")):
        return None
    star_first = pattern[:1] == "*"
    if star and not (star_first or pattern[-1:] == "*"):
        return None
    compiled = compile_pattern(pattern.replace("*", ""))
    if not compiled.is_literal:
        return None
    literal = compiled.literal_text
    size = len(literal)
    from_left = operator[0] == "#"
    longest = len(operator) == 2
    if star and star_first is from_left:  # the star matches up to the first or last occurrence of the literal
        find = str.rfind if longest is star_first else str.find
        if from_left:
            return lambda _, text: text if (at := find(text, literal)) < 0 else text[at + size :]
        return lambda _, text: text if (at := find(text, literal)) < 0 else text[:at]
    if star and longest:  # the star is at the far end and matches the rest
        fits = str.startswith if from_left else str.endswith
        return lambda _, text: "" if fits(text, literal) else text
    if from_left:
        return lambda _, text: text.removeprefix(literal)
    return lambda _, text: text.removesuffix(literal)


def literal_replacer(operator: str, pattern: str, replacement: str) -> Change | None:
    """Return the function for ``${x/a/b}`` and ``${x//a/b}`` with plain texts; None for others."""
    if operator not in ("/", "//") or "&" in replacement or "\\" in replacement:
        return None
    compiled = compile_pattern(pattern)
    old = compiled.literal_text
    if not compiled.is_literal or not old or "(" in pattern:
        return None
    count = 1 if operator == "/" else -1
    pieces = [(replacement, False)]

    def change(state: State, value: str) -> str:
        if state.options.nocasematch or len(value) > _SHORT:
            return replace(state, value, operator, pattern, pieces)
        if count < 0 and len(replacement) > len(old):
            state.budget.check_fits(len(value) * len(replacement))
        return value.replace(old, replacement, count)

    return change


def case_changer(operator: str) -> Change:
    """Return the function for ``${x^^}`` and similar forms without a pattern."""
    whole = {"^^": str.upper, ",,": str.lower}.get(operator)

    def change(state: State, value: str) -> str:
        if whole is not None and len(value) <= _SHORT and value.isascii():
            return whole(value)
        return change_case(state, value, operator, "")

    return change


def remove_affix(state: State, value: str, operator: str, pattern: str) -> str:
    """${x#p} ${x##p} ${x%p} ${x%%p}: remove a matching beginning or end."""
    remover = affix_remover(operator, pattern)
    if remover is not None:
        return remover(state, value)
    compiled = compile_pattern(pattern, extglob=state.options.extglob)
    longest = len(operator) == 2
    if operator[0] == "#":
        length = compiled.match_prefix(value, longest, state.budget.charge)
        return value[length:] if length > 0 else value
    start = compiled.match_suffix(value, longest, state.budget.charge)
    return value[:start] if start >= 0 else value


def anchored(pieces: list[tuple[str, bool]]) -> tuple[str, str]:
    """Return the operator and pattern of ``${x/$p/r}``, whose value may begin with # or %."""
    pattern = "".join([quote(text) if quoted else text for text, quoted in pieces])
    text, quoted = next((piece for piece in pieces if piece[0]), ("", True))
    return ("/", pattern) if quoted or text[0] not in "#%" else ("/" + text[0], pattern[1:])


def replace(
    state: State, value: str, operator: str, pattern: str, replacement: list[tuple[str, bool]]
) -> str:
    """${x/p/r} ${x//p/r} ${x/#p/r} ${x/%p/r}.

    Args:
        replacement: Its pieces as (text, quoted); an unquoted & stands for the match.
    """
    if not pattern and operator not in ("/#", "/%"):
        return value
    if pattern.endswith("\\") and (len(pattern) - len(pattern.rstrip("\\"))) & 1:
        return value  # as in bash, a final backslash that quotes nothing matches nothing
    options = state.options
    charge = state.budget.charge
    compiled = compile_pattern(pattern, extglob=options.extglob, nocase=options.nocasematch)
    if operator == "/#":
        end = compiled.match_prefix(value, True, charge)
        spans = [(0, end)] if end >= 0 else []
    elif operator == "/%":
        start = compiled.match_suffix(value, True, charge)
        spans = [(start, len(value))] if start >= 0 else []
    elif operator == "//" and compiled.is_literal and compiled.literal_text:
        old = compiled.literal_text
        new = "".join([old if piece is None else piece for piece in _template(state, replacement)])
        return _replace_literal(state, value, old, new)
    elif operator == "//":
        tested = compiled.one_character()
        if tested is not None:
            return _replace_characters(state, value, tested, _template(state, replacement))
        spans = compiled.find_all(value, charge)
    else:
        span = compiled.find(value, 0, True, charge)
        spans = [span] if span is not None else []
    if not spans:
        return value
    return _substitute(state, value, spans, _template(state, replacement))


def _replace_literal(state: State, value: str, old: str, new: str) -> str:
    """The common ${x//a/b} without patterns, in C."""
    if len(value) > 4096:
        state.budget.charge(len(value) >> 8)
        state.budget.check_fits(len(value) + value.count(old) * max(0, len(new) - len(old)))
    return value.replace(old, new)


def _replace_characters(
    state: State, value: str, test: Callable[[str], bool], template: list[str | None]
) -> str:
    """${x//?/b} and ${x//[ab]/c}, whose spans would take more memory than the value."""
    constant = sum(len(piece) for piece in template if piece is not None)
    if len(value) > _SHORT:
        state.budget.charge(len(value) >> 6)
        state.budget.check_fits(len(value) * max(1, constant + template.count(None)))
    table = {
        ord(letter): "".join(letter if piece is None else piece for piece in template)
        for letter in set(value)
        if test(letter)
    }
    return "".join([piece.translate(table) for piece in timed_pieces(value)]) if table else value


def _template(state: State, replacement: list[tuple[str, bool]]) -> list[str | None]:
    """Return the replacement's pieces; None stands for the matched text."""
    if "patsub_replacement" not in state.options.shopts:
        return ["".join(text for text, _ in replacement)]
    pieces: list[str | None] = []
    for text, quoted in replacement:
        if quoted or ("&" not in text and "\\" not in text):
            pieces.append(text)
            continue
        plain: list[str] = []
        index = 0
        while index < len(text):
            c = text[index]
            if c == "\\" and index + 1 < len(text) and text[index + 1] in "&\\":
                plain.append(text[index + 1])
                index += 1
            elif c == "&":
                pieces.append("".join(plain))
                pieces.append(None)
                plain = []
            else:
                plain.append(c)
            index += 1
        pieces.append("".join(plain))
    return pieces


def _substitute(state: State, value: str, spans: list[tuple[int, int]], template: list[str | None]) -> str:
    constant = "".join(piece for piece in template if piece is not None)
    copies = template.count(None)
    state.budget.charge(len(spans))
    if len(constant) * len(spans) > 4096 or len(value) > 4096:
        state.budget.check_fits(len(value) * (1 + copies) + len(constant) * len(spans))
    out: list[str] = []
    position = 0
    for start, end in spans:
        out.append(value[position:start])
        if copies:
            matched = value[start:end]
            out.extend(matched if piece is None else piece for piece in template)
        else:
            out.append(constant)
        position = end
    out.append(value[position:])
    return "".join(out)


def change_case(state: State, value: str, operator: str, pattern: str) -> str:
    """${x^p} ${x^^p} ${x,p} ${x,,p} ${x~p} ${x~~p}; an empty pattern matches any character.

    As in bash, extended patterns work here without extglob.
    """
    if len(value) > 4096:
        state.budget.charge(len(value) >> 4)
    compiled: Pattern | None = compile_pattern(pattern) if pattern else None

    def change(c: str) -> str:
        if compiled is not None and not compiled.matches(c):
            return c
        upper = operator[0] == "^" or (operator[0] == "~" and c.islower())
        changed = c.upper() if upper else c.lower()
        return changed if len(changed) == 1 else c if upper else changed[0]

    if len(operator) == 1:
        return change(value[0]) + value[1:] if value else value
    if compiled is None and value.isascii() and operator != "~~":
        return value.upper() if operator == "^^" else value.lower()
    return "".join(["".join(map(change, piece)) for piece in timed_pieces(value)])


def transform(state: State, value: str, letter: str) -> str:
    """${x@U} ${x@u} ${x@L} ${x@Q} ${x@E} ${x@P} ${x@K} of one value."""
    if len(value) > 4096:
        state.budget.charge(len(value) >> 6)
        state.budget.check_fits(2 * len(value))
    match letter:
        case "U":
            return change_case(state, value, "^^", "")
        case "u":
            return change_case(state, value, "^", "")
        case "L":
            return change_case(state, value, ",,", "")
        case "Q" | "K" | "k":
            return at_quote(value)
        case "E":
            return ansi_c(value)
        case "P":
            return prompt_value(state, value)
    raise bad_substitution_error(letter)


def substring(value: str, offset: int, length: int | None) -> str | None:
    """${x:offset:length} in characters; None when the offset is before the value or after its end.

    Raises ValueError when a negative length ends before the offset.
    """
    size = len(value)
    if offset < 0:
        offset += size
    if not 0 <= offset <= size:
        return None
    if length is None:
        return value[offset:]
    if length < 0:
        end = size + length
        if end < offset:
            raise ValueError(length)
        return value[offset:end]
    return value[offset : offset + length]
