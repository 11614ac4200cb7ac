"""Option-arguments that must be one of a few words."""

from __future__ import annotations

from collections.abc import Callable

from sandhook.command.options import UsageError


def one_of(name: str, *known: str, status: int | None = None, hint: bool = True) -> Callable[[str], str]:
    """Return a converter for an option-argument that must be one of ``known``, or an unambiguous beginning.

    Args:
        name: The option, for messages.
        known: The allowed words; synonyms are in one text, separated by blanks, and the first is returned.
        status: The exit status for other words; None for the utility's status of usage errors.
        hint: The message ends with a hint at --help.
    """
    groups = [words.split() for words in known]

    def read(text: str) -> str:
        for group in groups:
            if text in group:
                return group[0]
        matches = [group for group in groups if any(word.startswith(text) for word in group)]
        if len(matches) == 1 and text:
            return matches[0][0]
        problem = "ambiguous" if matches else "invalid"
        valid_words = "".join("\n  - " + ", ".join(f"'{word}'" for word in group) for group in groups)
        raise UsageError(
            f"{problem} argument '{text}' for '{name}'\nValid arguments are:{valid_words}",
            hint=hint,
            status=status,
        )

    return read
