"""${...} that bash accepts when it parses, and refuses when it runs."""

from __future__ import annotations

from collections.abc import Callable

from sandhook.expand.reference import Words, compile_base
from sandhook.lazy import lazily
from sandhook.state.control import bad_substitution_error
from sandhook.state.state import State

#: ``${reference@letters}`` with letters that are no transformation.
_UNKNOWN = lazily(r"\$\{([A-Za-z_][A-Za-z0-9_]*(?:\[[^\]]*\])?|[0-9]+|[@*#?$!-])@[^}]*\}")


def bad_substitution(words: Words, text: str, shown: str) -> Callable[[State], str]:
    """Return what refuses a substitution when it is expanded.

    An unknown transformation ends the shell, but of what is not set, of which nothing is transformed.
    """
    unknown = _UNKNOWN.fullmatch(text)
    node = words.parse_name(unknown[1]) if unknown is not None else None
    if node is None:

        def refuse(state: State) -> str:
            raise bad_substitution_error(shown)

        return refuse
    reference = compile_base(node, words, checked=True)

    def transform(state: State) -> str:
        if not reference.is_set(state, nonempty=False):  # set -u refuses it here
            return ""
        raise bad_substitution_error(shown).ending("shell", 127)

    return transform
