"""How a script refuses in words and by its exit status, and where the two differ."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from sandhook.hooks.checks.reading import Act, printed_text

_REFUSES = re.compile(r"\W*(?:error: *)?(?:block|den(?:y|ied)|refus|forbidden|not allowed|reject)", re.I)


def is_exit(act: Act) -> bool:
    """Return whether a command is ``exit`` with a number."""
    return act.name == "exit" and len(act.words) == 2 and (act.words[1] or "").isdecimal()


def refusing_status(acts: Sequence[tuple[Act, str | None]], refuses: Callable[[int], bool]) -> int:
    """Return the first status among some commands by which a script refuses, 0 without any."""
    statuses = (int(act.words[1] or 0) for act, _ in acts if is_exit(act))
    return next((status for status in statuses if refuses(status)), 0)


def says_that_it_blocks(act: Act) -> bool:
    """Return whether a command writes to standard error that the hook blocks."""
    return act.to_stderr and _REFUSES.match(printed_text(act) or "") is not None


def said_alone(
    acts: Sequence[tuple[Act, str | None]], refuses: Callable[[int], bool]
) -> Iterator[tuple[int, int, str | None]]:
    """Yield the exit status, line and file of the branches that say that they block, and do not.

    Args:
        acts: The commands of a hook in order, each with its file.
        refuses: Returns whether an exit status refuses.
    """
    for (said, place), (act, own) in pairwise(acts):
        if place != own or act.function != said.function or not is_exit(act) or not says_that_it_blocks(said):
            continue
        status = int(act.words[1] or 0)
        if not refuses(status):
            yield status, act.line, own
