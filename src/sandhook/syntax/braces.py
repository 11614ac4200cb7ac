"""${ ... } in all its forms.

bash accepts any text between the braces when it parses, and rejects what makes no sense only
when it runs; such text becomes a BadSubstitution.

Source: POSIX.1-2024 XCU 2.6.2; bash 5.2 reference manual 3.5.3.
"""

from __future__ import annotations

import re

from sandhook.record import new_record
from sandhook.syntax.nodes import BadSubstitution, Literal, ParameterExpansion, Word, WordPart
from sandhook.syntax.surroundings import apart, as_printed, standing_in
from sandhook.syntax.words import NAME, WordReader, merged
from sandhook.typed import Literal as OneOf

_DIGITS = re.compile(r"[0-9]+")
_SPECIAL = frozenset("@*#?-$!")
_TRANSFORMATION = re.compile(r"@([UuLQEPAKak])\}")
_BEFORE_CONTINUATION = re.compile(r"(?:[#!]?(?:[A-Za-z0-9_]*|[@*#?$!-]))(?=\\\n)")
_OPERATOR_BEFORE_CONTINUATION = re.compile(r"(?:@[A-Za-z]?|[:#%^,~/*]?)(?=\\\n)")
_CASE_OPERATORS = ("^", ",", "~")  #: bash has none for $#, $? and $-
_WORD_RUN = re.compile(r"[^\\\"'`$}<>]+")


def read_parameter(reader: WordReader, start: int, double_quoted: bool) -> WordPart:
    """Read ``${`` ... ``}``, whose "$" is at ``start``, into an expansion."""
    reader.enter()
    part = _read(reader, start, double_quoted)
    reader.depth -= 1
    return part


def _read(reader: WordReader, start: int, double_quoted: bool) -> WordPart:
    text = reader.text
    at = start + 2
    while match := _BEFORE_CONTINUATION.match(text, at):
        reader.unfold(match.end())
        text = reader.text
    prefix = _prefix(text, at)
    at += len(prefix)
    match = NAME.match(text, at) or _DIGITS.match(text, at)
    if match:
        name, at = match[0], match.end()
    elif text[at : at + 1] in _SPECIAL:
        name, at = text[at], at + 1
    else:
        return _bad(reader, start, double_quoted)
    subscript = None
    if text.startswith("[", at):
        if start in reader.bad_subscripts:
            return _bad(reader, start, double_quoted)
        reader.position = at + 1
        parts = reader.read_balanced("[", "]", start, stop="}", shifting=True)
        if reader.stopped:
            reader.bad_subscripts.add(start)
            return _bad(reader, start, double_quoted)
        subscript = Word(merged(parts), (at + 1, reader.position - 1))
        text, at = reader.text, reader.position
    while match := _OPERATOR_BEFORE_CONTINUATION.match(text, at):
        reader.unfold(match.end())
        text = reader.text
    operator = _operator(text, at, prefix)
    if operator is None or _makes_no_sense(text[at : at + 2], prefix, name, subscript is not None, operator):
        return _bad(reader, start, double_quoted)
    word = second = None
    at += len(operator)
    reader.position = at
    if operator == "@" and text[at] != "}":
        word = Word((Literal(text[at]),), (at, at + 1))
        reader.position = at + 2
    elif operator in ("@", "*", "@}") or operator == "":
        reader.position = at + 1
    elif operator[0] == "/":
        word, second = _pattern_and_replacement(
            reader, start, double_quoted, len(operator) == 2 and operator[1] in "#%"
        )
    elif operator == ":":
        word, second = _offset_and_length(reader, start, double_quoted)
    else:
        pattern = operator[0] in "#%^,~"
        parts = _read_word(reader, start, double_quoted, pattern)
        if double_quoted and operator[-1] == "?":
            parts = _message(reader, start, at, parts)
        word = new_record(Word, (merged(parts), (at, reader.position - 1)))
    span = (start, reader.position)
    return new_record(
        ParameterExpansion, (name, subscript, prefix, operator or None, word, second, True, span)
    )


def _makes_no_sense(text: str, prefix: str, name: str, has_subscript: bool, operator: str) -> bool:
    """Return True for an operator, at the beginning of ``text``, that the parameter cannot have."""
    if operator[:1] in _CASE_OPERATORS and name in "#?-":
        return True
    if name == "#" and operator and operator in "%+=/" and text[1:] == "}":
        return True
    needs_name = has_subscript or (prefix == "!" and text in ("*}", "@}"))
    return needs_name and not NAME.fullmatch(name)


def _message(reader: WordReader, start: int, at: int, parts: list[WordPart]) -> list[WordPart]:
    """Read the word of ``"${name?word}"`` again: as in bash, its quotes are removed though it is in quotes."""
    end = reader.position
    text = reader.text[at:end]
    if ("'" not in text and '"' not in text) or "<<" in text:
        return parts
    reader.position = at
    again = _read_word(reader, start, False, False)
    if reader.position == end:
        return again
    reader.position = end
    return parts


def _prefix(text: str, at: int) -> OneOf["", "#", "!"]:
    """Return "#" (length) or "!" (indirection) at ``at`` if it is a prefix, "" if it is the name."""
    char, following, third = text[at : at + 1], text[at + 1 : at + 2], text[at + 2 : at + 3]
    if char == "#":
        # ${#} ${#-x} ${##x} are $# with an operator; ${#x} ${#@} ${##} are lengths
        if following.isalnum() or following == "_" or (following in _SPECIAL and third == "}"):
            return "#" if following else ""
    elif char == "!" and (
        following.isalnum() or following == "_" or (following in _SPECIAL and following != "-")
    ):
        return "!" if following else ""
    return ""


def _operator(text: str, at: int, prefix: str) -> str | None:
    """Return the operator at ``at``, "" for none, or None for what bash rejects when it runs."""
    char = text[at : at + 1]
    if char == "}":
        return ""
    following = text[at + 1 : at + 2]
    if prefix == "!" and char in "*@" and following == "}":
        return char
    if prefix == "#" or not char:
        return None
    if char == ":":
        if following == "}":
            return None
        return char + following if following and following in "-=?+" else char
    if char in "-=?+":
        return char
    if char in "#%^,~":
        return char * 2 if following == char else char
    if char == "/":
        return char + following if following and following in "/#%" else char
    if char == "@" and _TRANSFORMATION.match(text, at):
        return char
    return None


def _bad(reader: WordReader, start: int, double_quoted: bool) -> BadSubstitution:
    reader.position = start + 2
    parts = _read_word(reader, start, double_quoted, True)
    reader.refused = True
    inside = as_printed(reader.text[start + 2 : reader.position - 1], parts, quoted=double_quoted)
    return BadSubstitution("${" + inside + "}", (start, reader.position))


def _read_word(
    reader: WordReader, start: int, double_quoted: bool, pattern: bool, *, shifting: bool = False
) -> list[WordPart]:
    """Read an operator's word up to the closing brace.

    Within double quotes apostrophes are ordinary, unless the operator has a pattern; they
    come in pairs all the same, and no brace or quote between two of them counts. In an expression
    (``shifting``) ``<(`` and ``>(`` are operators with an operand, not process substitutions.
    """
    text, at = reader.text, reader.position
    begin = at
    parts: list[WordPart] = []
    literal_quotes = double_quoted and not pattern
    as_text = (
        literal_quotes and reader.in_document and not reader.substitutions
    )  # $'...' is not quoting there
    apostrophe = -1  # where the second of a pair stands
    while True:
        match = _WORD_RUN.match(text, at)
        if match:
            parts.append(new_record(Literal, (match[0],)))
            at = match.end()
        if at >= reader.length:
            reader.unmatched("}", start)
        char = text[at]
        reader.position = at
        if char == "}" and at > apostrophe:
            reader.position = at + 1
            return standing_in(text[begin:at], parts) if reader.refused else parts
        if char in "<>" and not (double_quoted or shifting) and text.startswith("(", at + 1):
            parts.append(reader.read_process_substitution(char))
        elif char in "<>" or (char in "'}\"" and (at <= apostrophe or (char == "'" and literal_quotes))):
            if char == "'" and at > apostrophe:
                apostrophe = text.find("'", at + 1)
                if apostrophe < 0:
                    reader.unmatched("'", at)
            parts.append(Literal(char))
            reader.position = at + 1
        elif char == "\\" and literal_quotes and text[at + 1] not in '$`"\\}\n':
            parts.append(Literal(text[at : at + 2]))
            reader.position = at + 2
        elif char == "$":
            nested = literal_quotes and text.startswith(
                "{", at + 1
            )  # "${x-${y-'z'}}": the quotes hold there, too
            parts.append(reader.read_dollar(as_text or nested))
        else:
            part = reader.read_quoting(double_quoted)
            if part is not None:
                parts.append(part)
        text, at = reader.text, reader.position


def _split(parts: list[WordPart], index: int, cut: int) -> tuple[list[WordPart], list[WordPart]]:
    """Split at character ``cut`` of the literal ``parts[index]``, leaving that character out."""
    text = parts[index][0]
    before, after = parts[:index], parts[index + 1 :]
    if text[:cut]:
        before.append(Literal(text[:cut]))
    if text[cut + 1 :]:
        after.insert(0, Literal(text[cut + 1 :]))
    return before, after


def _pattern_and_replacement(
    reader: WordReader, start: int, double_quoted: bool, anchored: bool
) -> tuple[Word, Word | None]:
    """Split ``pattern/replacement`` at the first unquoted slash that is not the pattern's first.

    After ``/#`` and ``/%`` that slash counts: the pattern is empty.
    """
    begin = reader.position
    parts = _read_word(reader, start, double_quoted, True)
    span = (begin, reader.position - 1)
    for index, part in enumerate(parts):
        if part.__class__ is Literal:
            cut = part[0].find("/", 1 if index == 0 and not anchored else 0)
            if cut >= 0:
                before, after = _split(parts, index, cut)
                return Word(merged(apart(before)), span), Word(merged(apart(after)), span)
    return Word(merged(parts), span), None


def _offset_and_length(reader: WordReader, start: int, double_quoted: bool) -> tuple[Word, Word | None]:
    """Split ``offset:length`` at the first colon outside parentheses and ``? :``."""
    begin = reader.position
    parts = _read_word(reader, start, double_quoted, False, shifting=True)
    span = (begin, reader.position - 1)
    open_ = questions = 0
    for index, part in enumerate(parts):
        if part.__class__ is not Literal:
            continue
        for cut, char in enumerate(part[0]):
            if char == "(":
                open_ += 1
            elif char == ")":
                open_ -= 1
            elif char == "?" and open_ <= 0:
                questions += 1
            elif char == ":" and open_ <= 0:
                if questions:
                    questions -= 1
                    continue
                before, after = _split(parts, index, cut)
                return Word(merged(before), span), Word(merged(after), span)
    return Word(merged(parts), span), None
