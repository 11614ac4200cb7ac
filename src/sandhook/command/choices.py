"""Option-arguments that must be one of a few words."""

from __future__ import annotations

from collections.abc import Callable

from sandhook.command.options import UsageError


def one_of(name: str, *known: str, status: int | None = None) -> Callable[[str], str]:
    """Return a reader of an option-argument that must be one of ``known`` (or a clear beginning of one).

    Args:
        name: The option, for messages.
        known: What it may be; words that mean the same stand together, with blanks, and the first is returned.
        status: The exit status where it is something else; None is the utility's own for wrong usage.
    """
    groups = [words.split() for words in known]

    def read(text: str) -> str:
        for group in groups:
            if text in group:
                return group[0]
        matching = [group for group in groups if any(word.startswith(text) for word in group)]
        if len(matching) == 1 and text:
            return matching[0][0]
        what = "ambiguous" if matching else "invalid"
        listed = "".join("\n  - " + ", ".join(f"'{word}'" for word in group) for group in groups)
        raise UsageError(
            f"{what} argument '{text}' for '{name}'\nValid arguments are:{listed}", status=status
        )

    return read
