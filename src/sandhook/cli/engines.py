"""Builds an engine, and the notes about it, from the options of a command."""

from __future__ import annotations

from sandhook.cli import UsageError
from sandhook.cli.cache import default_store
from sandhook.cli.configuration import directory, environment, store_of, trust_of
from sandhook.cli.notes import write_line
from sandhook.cli.observer import OBSERVER
from sandhook.cli.permissions import host_of, network_of
from sandhook.hooks.contracts import needs_trust
from sandhook.hooks.runner import SandboxRunner
from sandhook.typed import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from sandhook.cli.files import Workspace
    from sandhook.hooks.audit import Sink
    from sandhook.hooks.engine import HookEngine
    from sandhook.hooks.host import HostRunner
    from sandhook.hooks.manifest.hold import Holder
    from sandhook.hooks.model import HookSpec
    from sandhook.hooks.runner import Runner
    from sandhook.hooks.sources import AgentConfiguration


def workspace_of(options: argparse.Namespace) -> Workspace:
    """Return the directory that hooks see: the named one, or that in which the agent would run them."""
    name = options.workspace
    if options.write_back_also and not options.write_back:
        raise UsageError("--write-back-also needs --write-back")
    if name is None and options.write_back:
        raise UsageError("--write-back needs --workspace DIR")
    from sandhook.cli.files import Workspace

    return Workspace(directory(options.cwd) if name is None else name)


def engine_of(
    options: argparse.Namespace,
    configuration: AgentConfiguration,
    workspace: Workspace,
    *,
    audit: Sink | None = None,
    wrap: Callable[[SandboxRunner], Runner] | None = None,
) -> HookEngine:
    """Load the hooks, and the scripts that hooks of the user's own layers name.

    Args:
        audit: Where audit lines go; to standard error or the observer of the command when None.
        wrap: Returns what runs the hooks instead of the sandbox that it receives.
    """
    from sandhook.hooks.engine import HookEngine

    sandbox = SandboxRunner(
        workspace.fs,
        view=workspace.view,
        network=network_of(options),
        git_writes=options.git_writes,
        parse_cache=default_store(),
        isolation=options.isolation,
        steps=options.steps,
        holder=_holder(options),
    )
    engine = HookEngine.load(
        list(configuration.documents),
        configuration.contract,
        trust=(lambda spec: True) if options.sandbox else trust_of(configuration, options),
        prestart=False,
        compat=options.compat,
        runner=sandbox if wrap is None else wrap(sandbox),
        fail_closed=options.fail_closed,
        env=environment(options.env, options.inherit_env),
        audit=audit if audit is not None else audit_of(options),
        host=_host(options),
    )
    if not options.hooks:
        workspace.show(_scripts(options, configuration, engine))
    return engine


def _holder(options: argparse.Namespace) -> Holder | None:
    """Return what holds hooks to the manifest that the command line names, if it names one."""
    name: str | None = getattr(options, "manifest", None)
    if name is None:
        return None
    if options.host:
        raise UsageError(
            "--manifest: a hook that runs on this machine cannot be held to a manifest; leave out --host"
        )
    from sandhook.errors import ManifestError
    from sandhook.hooks.manifest import parse
    from sandhook.hooks.manifest.hold import Holder
    from sandhook.hooks.sources import read_text

    try:
        return Holder(parse(read_text(name), name))
    except (ManifestError, OSError, ValueError) as error:
        raise UsageError(f"--manifest: {error}") from None


def longest(engine: HookEngine) -> float:
    """Return the most seconds that the hooks of one event may take, one after the other."""
    seconds: dict[str, float] = {}
    for spec in engine.hooks:
        if not spec.background:
            seconds[spec.event] = seconds.get(spec.event, 0.0) + spec.timeout
    return max(seconds.values(), default=0.0)


def audit_of(options: argparse.Namespace) -> Sink | None:
    """Return where audit lines go: to standard error with --trace, and to the observer of the command."""
    observer = OBSERVER.get()
    if observer is None:
        return write_line if options.trace else None
    if not options.trace:
        return observer.audit
    audit = observer.audit

    def both(line: str) -> None:
        write_line(line)
        audit(line)

    return both


def _host(options: argparse.Namespace) -> HostRunner | bool:
    """Return the runner of trusted hooks on this machine for --host, else False."""
    host = host_of(options)
    if host is None:
        return False
    from sandhook.hooks.host import HostRunner

    return HostRunner(
        host,
        select=_of_trusted_layer if options.sandbox else None,
        workspace=directory(options.cwd),
        keep_env=options.keep_env,
        parse_cache=default_store(),
    )


def _of_trusted_layer(spec: HookSpec) -> bool:
    """Return whether a hook needs no approval; with --sandbox, nobody approved the others."""
    return not needs_trust(spec.layer)


def _scripts(
    options: argparse.Namespace, configuration: AgentConfiguration, engine: HookEngine
) -> dict[str, bytes]:
    """Return the files that hooks of the user and of the managed layer name."""
    outside = [spec for spec in engine.hooks if spec.layer in ("user", "managed")]
    if not outside:
        return {}
    from sandhook.cli.configuration import carried

    return carried(outside, configuration.contract.name, directory(options.cwd), store_of(options.store))


def notes_of(engine: HookEngine) -> list[str]:
    """Return a line for each hook that is switched off or not approved."""
    from sandhook.hooks.report import remedy

    contract = engine.contracts[0].name if len(engine.contracts) == 1 else ""
    return [
        f"skipped {hook.spec.id} ({hook.spec.file or hook.spec.path}): {hook.why}"
        + (f"; {remedy(hook.spec.file, contract)}" if hook.state == "untrusted" else "")
        for hook in engine.withheld
    ]


def prestart(engine: HookEngine, kind: str) -> None:
    """Start the workers that hooks of this event need, while the shell is imported."""
    from sandhook.hooks.runner import prestart_worker
    from sandhook.worker.jq_calls import needs_worker

    specs = [spec for spec in engine.hooks if spec.event == kind]
    if any(engine.isolation_of(spec) == "process" for spec in specs):
        prestart_worker("shell")
    if any(needs_worker(spec.executor.text) for spec in specs):
        prestart_worker("jq")
