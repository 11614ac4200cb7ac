"""Declares a list while the words of a declaration are expanded, as bash does.

Source: bash 5.2 for the order: ``declare a=(1) b=$a`` gives b the value 1, and ``readonly -z a=(1)`` assigns the list
before the built-in rejects its option.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.record import Record
from sandhook.state.assigned import Argument, Assigned
from sandhook.state.assignment import assign
from sandhook.state.control import Discard, readonly_error
from sandhook.state.locals import function_frame
from sandhook.state.state import State
from sandhook.state.values import ARRAY, ASSOC, CAPITAL, INTEGER, LOWER, READONLY, UPPER
from sandhook.syntax.nodes import Assignment, Literal, Word

_MAKES_LOCALS = frozenset(("declare", "local", "typeset"))
_DECLARATIONS = _MAKES_LOCALS | {"export", "readonly"}

#: Letters of options with which the built-in assigns one last list itself, with the same result.
_PLAIN_LETTERS = {command: frozenset("aAgiluxrt") for command in _MAKES_LOCALS} | {
    command: frozenset("aA") for command in ("export", "readonly")
}
#: Attributes that change a value when it is assigned.
_CONVERTING = {"i": INTEGER, "l": LOWER, "u": UPPER, "c": CAPITAL}


class ListOptions(Record):
    """The options in the text of a command that apply to a list before the built-in reads its options.

    Attributes:
        command: The name of the built-in.
        sign: ``-`` or ``+``, of the first option with a letter of ``attributes``.
        attributes: The letters ``i``, ``l``, ``u``, ``c`` and ``I`` of the options before the first operand.
        kind: ``A``, ``a`` or nothing.
        global_: There is a ``g``.
    """

    command: str
    sign: str
    attributes: str
    kind: str
    global_: bool


def _text(word: Word | Assignment) -> str | None:
    """Return the text of a word without quotes and expansions, None for others."""
    if isinstance(word, Word) and len(word.parts) == 1 and isinstance(word.parts[0], Literal):
        return word.parts[0].text
    return None


def is_plain(words: Sequence[Word | Assignment]) -> bool:
    """Return True if the built-in may assign the list: it is the last word, after usual options alone."""
    letters = _PLAIN_LETTERS.get(_text(words[0]) or "", frozenset())
    *options, last = words[1:]
    texts = [_text(word) or "" for word in options]
    return (
        isinstance(last, Assignment)
        and last.subscript is None
        and not {"a", "A"}.issubset("".join(texts))
        and all(text[:1] == "-" and text[1:] and letters.issuperset(text[1:]) for text in texts)
    )


def list_options(words: Sequence[Word | Assignment]) -> ListOptions:
    """Return the options before a list; ``words`` are those of the command up to the list.

    As in bash, options count as they are written: not those in quotes or from expansions.
    """
    command = _text(words[0]) or ""
    sign = attributes = kind = ""
    global_ = leading = False
    for at, word in enumerate(words[1:]):
        text = _text(word) or ""
        leading = (leading or at == 0) and text[:1] in ("-", "+") and text not in ("", "--")
        if leading:
            found = "".join([letter for letter in text[1:] if letter in _CONVERTING or letter == "I"])
            sign = sign or (text[0] if found else "")
            attributes += found
        if text[:1] == "-":
            kind = "A" if "A" in text or kind == "A" else "a" if "a" in text else kind
            global_ = global_ or "g" in text
    return ListOptions(command, sign, attributes, kind, global_)


def declare_list(state: State, options: ListOptions, assigned: Assigned) -> Argument:
    """Declare one list with the options before it.

    Returns:
        The name alone, which the declaration then only gives its attributes; the list itself if the declaration
        has to report that it cannot be assigned.

    Raises:
        Discard: The list cannot be assigned. The message is written.
    """
    if options.command not in _DECLARATIONS or options.command in state.functions:
        return assigned
    name, bits = assigned.name, state.attributes.get(assigned.name, 0)
    in_function = function_frame(state) is not None
    makes_local = options.command in _MAKES_LOCALS and in_function and not options.global_
    if makes_local and bits & READONLY and state.values.get(name) is not None:
        state.shell.error(state, readonly_error(name).message)
        return assigned  # the declaration reports it again, and goes on
    if makes_local and _converts_local(state, name, options.kind, bits):
        return assigned
    if state.instrumented:
        state.shell.trace_assigned(state, assigned)
    if bits & READONLY and not makes_local:
        if name not in state.values and options.kind != "A":
            state.attributes[name] = bits | ARRAY
        state.shell.fatal_error(state, readonly_error(name, "unit"))
    if (in_function or options.kind) and not makes_local and state.namerefs.get(name) == "":
        del state.namerefs[name]  # as in bash, only the plain assignment of a list warns
    if options.command not in _MAKES_LOCALS:
        _assign_visible(state, options, assigned)
        return name
    sign = "-" if options.kind or options.global_ else options.sign
    letters = options.attributes + options.kind + ("g" if options.global_ else "")
    words: list[Argument] = ["declare", *([sign + letters] if letters else []), assigned]
    status = state.shell.call(state, words, functions=False, utilities=False)
    if status:
        raise Discard(status)
    return name


def _converts_local(state: State, name: str, kind: str, bits: int) -> bool:
    frame = function_frame(state)
    if frame is None or name not in frame.saved:
        return False
    return bool((kind == "A" and bits & ARRAY) or (kind == "a" and bits & ASSOC))


def _assign_visible(state: State, options: ListOptions, assigned: Assigned) -> None:
    """Assign a list for export and readonly, which make no locals."""
    name, _ = state.resolve(assigned.name)
    for letter in options.attributes:
        if letter in _CONVERTING:
            state.attributes[name] = state.attributes.get(name, 0) | _CONVERTING[letter]
    if options.kind:  # -n: nothing is marked yet
        words: list[Argument] = ["readonly", "-n", f"-{options.kind}", assigned]
        if state.shell.call(state, words, functions=False, utilities=False):
            raise Discard(1)
    else:
        assign(state, assigned)
