"""What the writers of configurations share: the hooks that a format can express, and shell text of argv."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sandhook.hooks.model import HookSpec
from sandhook.text.quoting import quote_word


def sayable(
    specs: Sequence[HookSpec], events: Mapping[str, str], agent: str, lost: list[str]
) -> Iterator[tuple[str, HookSpec]]:
    """Yield the hooks whose event and executor a format has, with its own name of the event.

    Args:
        events: The format's names of events to neutral kinds.
        agent: Its name in messages.
        lost: Receives a line for every other hook.
    """
    native: dict[str, str] = {}
    for name, kind in events.items():
        native.setdefault(kind, name)  # the canonical name comes first
    for spec in specs:
        event = native.get(spec.event)
        if event is None:
            lost.append(f"{spec.id}: {agent} has no event {spec.event} ({spec.native_event})")
        elif spec.executor.type not in ("bash", "argv"):
            lost.append(f"{spec.id}: {agent} has no hooks of the type {spec.executor.type}")
        else:
            yield event, spec


def command_of(spec: HookSpec) -> str:
    """Return a hook's command as shell text."""
    return spec.executor.text or " ".join(map(quote_word, spec.executor.argv))


def passes_if_broken(agent: str) -> str:
    """Return the loss of a hook that should also refuse if it cannot run."""
    return f"if it cannot run, {agent} lets the action pass; `sandhook wrap` makes it refuse"


def common_losses(spec: HookSpec, agent: str, *, background: bool = False) -> Iterator[str]:
    """Yield a line for each thing that most formats cannot express: ``on_error``, variables, background runs.

    Args:
        background: The format has hooks that run in the background.
    """
    if spec.background and not background:
        yield f"{spec.id}: it runs in the background; {agent} waits for it"
    if spec.on_error == "block":
        yield f"{spec.id}: {passes_if_broken(agent)}"
    if spec.executor.env:
        yield f"{spec.id}: its own variables ({', '.join(name for name, _ in spec.executor.env)})"
