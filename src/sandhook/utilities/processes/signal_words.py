"""Signals on the command lines of kill, pkill and killall: ``-9``, ``-TERM``, ``-s HUP``."""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.kernel.signals import parse_signal


def signal_number(text: str) -> int | None:
    """Return the number of a signal; 0, which only checks for a process, for "0"; None for another word."""
    return 0 if text == "0" else parse_signal(text)


def signal_option(word: str) -> int | None:
    """Return the number of a word such as -9, -0 or -TERM; None for another word, and for an option of one letter."""
    if word[:1] != "-" or not (word[1:].isdigit() or len(word) > 2):
        return None
    return signal_number(word[1:])


def split_signal(words: Sequence[str]) -> tuple[list[str], int | None]:
    """Return the words without the first signal before "--", and its number."""
    for at, word in enumerate(words):
        if word == "--":
            break
        signal = signal_option(word)
        if signal is not None:
            return [*words[:at], *words[at + 1 :]], signal
    return list(words), None
