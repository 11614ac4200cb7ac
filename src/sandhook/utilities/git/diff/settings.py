"""Settings that choose how differences are computed and printed.

Source: git-config(1), diff.algorithm and diff.submodule.
"""

from __future__ import annotations

from sandhook.utilities.git.diff.model import Pair
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.store.config import Config
from sandhook.utilities.git.store.objects import GITLINK

_ALGORITHMS = ("myers", "default", "minimal", "patience", "histogram")


def chosen_algorithm(config: Config, option: str | None, *, porcelain: bool) -> str:
    """Return the algorithm of --diff-algorithm, else that of diff.algorithm; "" without both. Raises GitError."""
    if option is not None and option not in _ALGORITHMS:
        raise GitError(
            'option diff-algorithm accepts "myers", "minimal", "patience" and "histogram"',
            prefix="error",
            status=129,
        )
    setting = (config.get("diff.algorithm") or "").lower() if porcelain else ""
    if setting and setting not in _ALGORITHMS:
        raise config.fault("diff.algorithm")
    return option or setting


def check_submodule_form(config: Config, pair: Pair) -> None:
    """Raise GitError for the patch of a submodule in a form that only the setting asks for."""
    form = config.get("diff.submodule")
    if form in ("log", "diff") and GITLINK in (pair.old.mode, pair.new.mode):
        raise GitError(f"diff.submodule={form} is not offered in the sandbox (L-GIT-003)")
