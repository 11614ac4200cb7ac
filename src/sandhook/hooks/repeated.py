"""Hooks that repeat an earlier one of the same event, and do not run again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandhook.hooks.contracts import may_override, needs_trust

if TYPE_CHECKING:
    from sandhook.hooks.fold import Dedupe
    from sandhook.hooks.model import Compat, HookSpec


class RepeatedHooks:
    """The hooks of one event with equal text and arguments, of which ``FoldPolicy.dedupe`` runs only the first.

    A hook of a weaker layer does not run in place of a stronger layer's: it may have another timeout or other
    variables. In strict mode it does, as upstream.
    """

    def __init__(self, compat: Compat) -> None:
        self._strict = compat == "strict"
        self._running: dict[tuple[str, str, str, str, tuple[str, ...], bool], list[HookSpec]] = {}

    def is_repeated(self, spec: HookSpec, dedupe: Dedupe, *, renamed: bool = False) -> bool:
        """Return whether an earlier hook runs in place of this one; otherwise remember this one.

        Args:
            renamed: The hook sees another name of the tool than most.
        """
        executor = spec.executor
        source = spec.source if dedupe == "source" else ""
        running = self._running.setdefault(
            (source, spec.variant, executor.type, executor.text, executor.argv, renamed), []
        )
        if any(self._strict or _runs_for(other, spec) for other in running):
            return True
        running.append(spec)
        return False


def _runs_for(other: HookSpec, spec: HookSpec) -> bool:
    """Return whether an earlier hook of the same text may run in place of a hook."""
    if may_override(other.layer, spec.layer):
        return True
    if needs_trust(other.layer):
        return False
    return (other.executor, other.timeout, other.on_error, other.background) == (
        spec.executor,
        spec.timeout,
        spec.on_error,
        spec.background,
    )
