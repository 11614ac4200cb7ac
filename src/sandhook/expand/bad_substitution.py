"""${...} that is an error when it is expanded."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from sandhook.expand.reference import Words, compile_base
from sandhook.lazy import lazily
from sandhook.state.control import ShellError, bad_substitution_error
from sandhook.state.state import State
from sandhook.syntax.nodes import ParameterExpansion

Text: TypeAlias = Callable[[State], str]

#: ``${reference@letters}`` with letters that are no transformation.
_UNKNOWN = lazily(r"\$\{([A-Za-z_][A-Za-z0-9_]*(?:\[[^\]]*\])?|[0-9]+|[@*#?$!-])@[^}]*\}")

#: ``${!reference@letters}``, which is not a list of names.
_OF_TARGET = lazily(r"\$\{!([A-Za-z_][A-Za-z0-9_]*)@[^}]*\}")


def unset_error(shown: str, operator: str, message: Text | None) -> Text:
    """Return a closure that raises the error of ``${name?word}``; without a word the message is bash's.

    Under ``set -e``, bash exits with the status of the last command substitution in the word, if that failed.
    """

    def fail(state: State) -> str:
        status = 127
        if message is not None:
            state.substitution_status = 0
            text = message(state)
            if state.options.errexit and not state.eval_in_condition:
                status = state.substitution_status or status
        else:
            text = "parameter null or not set" if operator == ":?" else "parameter not set"
        raise ShellError(f"{shown}: {text}", status, ends="shell")

    return fail


def bad_substitution(words: Words, text: str, shown: str) -> Callable[[State], str]:
    """Return a closure that raises "bad substitution" when it is called.

    An unknown transformation of a parameter that is set ends the shell; an unset one is never transformed.
    """
    of_target = _OF_TARGET.fullmatch(text)
    if of_target is not None:
        return _of_target(words, of_target[1], shown)
    unknown = _UNKNOWN.fullmatch(text)
    node = words.parse_name(unknown[1]) if unknown is not None else None
    if node is None:

        def fail(state: State) -> str:
            raise bad_substitution_error(shown)

        return fail
    reference = compile_base(node, words, checked=True)

    def transform(state: State) -> str:
        if not reference.is_set(state, nonempty=False):  # raises under set -u
            return ""
        raise bad_substitution_error(shown).ending("shell", 127)

    return transform


def _of_target(words: Words, name: str, shown: str) -> Callable[[State], str]:
    """Return a closure for an unknown transformation of what ``name`` refers to, which is found first."""
    from sandhook.expand.parameter import compile_parameter

    indirect = compile_parameter(ParameterExpansion(name, None, "!"), words)

    def transform(state: State) -> str:
        if not indirect.is_set(state, nonempty=False):  # raises for a value that is no name
            return ""
        raise bad_substitution_error(shown).ending("shell", 127)

    return transform
