"""Expansion of words that are parsed while the script runs: prompts, ``compgen -W``, text of variables."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from sandhook.interp.compile.compiler import COMPILER
from sandhook.lazy import LONGEST_KEY
from sandhook.state.state import State
from sandhook.syntax.nodes import Word


@lru_cache(maxsize=64)
def _text(word: Word) -> Callable[[State], str]:
    return COMPILER.words.string(word, quoted=True)


def expand(state: State, text: str, word: Word) -> str:
    """Expand a word, which is parsed from ``text``, as the body of a here-document."""
    compile_ = _text if len(text) <= LONGEST_KEY else _text.__wrapped__
    return compile_(word)(state)


@lru_cache(maxsize=64)
def _fields(word: Word) -> Callable[[State], list[str]]:
    return COMPILER.words.fields(word)


def expand_fields(state: State, text: str, word: Word) -> list[str]:
    """Expand a word, which is parsed from ``text``, to fields, without pathname expansion."""
    compile_ = _fields if len(text) <= LONGEST_KEY else _fields.__wrapped__
    options = state.options
    state.options = options.with_option("noglob", True)
    try:
        return list(compile_(word)(state))
    finally:
        state.options = options
