"""git rerere in a repository that records no resolutions, where it has nothing to do.

Source: git-rerere(1).
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.program import Invocation

_COMMANDS = ("", "clear", "forget", "diff", "status", "remaining", "gc")


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Return 0. Raises GitError in a repository that records resolutions."""
    words = [word for word in arguments if not word.startswith("--")]
    if (words or [""])[0] not in _COMMANDS:
        raise GitError(
            "usage: git rerere [clear | forget <pathspec>... | diff | status | remaining | gc]",
            prefix="",
            status=129,
        )
    repository = call.repository
    default = call.access.is_dir(f"{repository.common}/rr-cache")
    if repository.config.boolean("rerere.enabled", default):
        raise GitError(
            "'rerere' is not offered in the sandbox: it changes more of a repository than the index and the branch (L-GIT-001)",
            prefix="git",
            status=1,
        )
    return 0
