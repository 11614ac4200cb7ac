"""Expansion of words that are parsed while the script runs: prompts, ``compgen -W``, text of variables."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from sandhook.interp.compile.compiler import COMPILER
from sandhook.state.state import State
from sandhook.syntax.nodes import Word


@lru_cache(maxsize=128)
def _text(word: Word) -> Callable[[State], str]:
    return COMPILER.words.string(word, quoted=True)


def expand(state: State, word: Word) -> str:
    """Expand a word as the body of a here-document."""
    return _text(word)(state)


@lru_cache(maxsize=128)
def _fields(word: Word) -> Callable[[State], list[str]]:
    return COMPILER.words.fields(word)


def expand_fields(state: State, word: Word) -> list[str]:
    """Expand a word to fields, without pathname expansion."""
    options = state.options
    state.options = options.with_option("noglob", True)
    try:
        return list(_fields(word)(state))
    finally:
        state.options = options
