"""Which hooks run in worker processes: notes about those that should and cannot, and an early start of workers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sandhook.hooks.diagnostic import Diagnostic
from sandhook.hooks.model import HookSpec
from sandhook.hooks.runner import (
    Runner,
    SandboxRunner,
    is_foreign,
    prestart_worker,
)
from sandhook.worker.jq_calls import needs_worker

#: Executor types that the sandbox runs.
SANDBOX_TYPES = ("bash", "argv")


def notes(
    specs: Sequence[HookSpec], runner: Runner, executors: Mapping[str, Runner], *, on_host: bool
) -> list[Diagnostic]:
    """Return a line for each hook that others wrote and that runs in this process by default, with the reason.

    Args:
        runner: Runs shell text and argv. One that is not a SandboxRunner is the caller's decision.
        executors: The caller's own runners by executor type.
        on_host: The caller runs approved hooks on the host.
    """
    lines = []
    for spec in specs:
        if not is_foreign(spec) or spec.executor.type not in SANDBOX_TYPES:
            continue
        why = ""
        if spec.executor.type in executors:
            why = f"an executor of the caller runs the type {spec.executor.type}"
        elif on_host and not spec.contributed:
            continue
        elif isinstance(runner, SandboxRunner) and runner.obstacle is not None and runner.wants_process(spec):
            why = str(runner.obstacle)
        if why:
            message = f"hook {spec.id} is not the user's own and runs in this process: {why}"
            lines.append(Diagnostic(message, spec.path, spec.file))
    return lines


def start_workers(specs: Sequence[HookSpec], runner: Runner) -> None:
    """Start the workers that hooks need; they get ready while this process goes on."""
    if any(needs_worker(spec.executor.text) for spec in specs):
        prestart_worker("jq")
    if isinstance(runner, SandboxRunner) and any(
        runner.isolation_of(spec) == "process" and spec.executor.type in SANDBOX_TYPES for spec in specs
    ):
        prestart_worker("shell")
