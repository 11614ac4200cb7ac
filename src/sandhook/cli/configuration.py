"""Which hooks a command is about: files that are named, or those that an agent would read by itself."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sandhook.errors import Problem
from sandhook.hooks import contracts
from sandhook.hooks.contracts import Contract, Document
from sandhook.hooks.sources import discover, documents
from sandhook.record import Record

if TYPE_CHECKING:
    import argparse

    from sandhook.hooks.engine import HookEngine, Trust
    from sandhook.hooks.model import HookSpec
    from sandhook.hooks.trust import TrustStore


class Found(Record):
    """The configurations of one agent.

    Attributes:
        contract: Whose they are.
        documents: Weakest layer first.
        problems: Files that cannot be read.
    """

    contract: Contract
    documents: tuple[Document, ...]
    problems: tuple[Problem, ...] = ()


def directory(name: str | None) -> str:
    """Return a directory that an option names, or the current one: absolute, with slashes."""
    return os.path.abspath(name or ".").replace("\\", "/")  # noqa: PTH100 - pathlib costs 10 ms


def add_places(add: Any) -> None:
    """Add the options that say where hooks are configured."""
    add("--hooks", action="append", metavar="FILE", help="a configuration; again for more layers")
    add(
        "--contract",
        metavar="NAME",
        help="whose format it is; recognised from FILE when not given. Without FILE: the agent's own files",
    )
    add("--cwd", metavar="DIR", help="where the agent runs (default: the current directory)")
    add("--store", metavar="FILE", help="approvals of `sandhook trust`, when not the user's own")


def guarded(command: Callable[[], int]) -> int:
    """Run a command; faults of configurations are a line each and exit status 1."""
    from sandhook.cli import USAGE_ERROR, UsageError
    from sandhook.errors import ConfigError
    from sandhook.hooks.contracts import ContractError
    from sandhook.hooks.decode import DecodeError
    from sandhook.hooks.text import neutralise
    from sandhook.hooks.trust import TrustError

    try:
        return command()
    except ConfigError as error:
        for problem in error.problems:
            sys.stderr.write(neutralise(str(problem), limit=16_384, lines=False) + "\n")
        return USAGE_ERROR
    except (ContractError, DecodeError, TrustError) as error:
        raise UsageError(str(error)) from None


def gather(options: argparse.Namespace) -> list[Found]:
    """Return the named files, or those that the agent (every known agent, when none is named) would read.

    Raises:
        ConfigError: A named file cannot be read.
        ContractError: No contract fits a named file.
    """
    env = dict(os.environ)
    if options.hooks:
        contract = contracts.get(options.contract) if options.contract else None
        found = documents(options.hooks, contract, env)
        if contract is None:
            contract = contracts.recognise(found)
            found = [contracts.understand(document, env)[1] for document in found]
        return [Found(contract, tuple(found))]
    known = [options.contract] if options.contract else contracts.names()
    return [own_layers(contracts.get(name), directory(options.cwd), env) for name in known]


def own_layers(contract: Contract, cwd: str, env: Mapping[str, str]) -> Found:
    """Return what an agent would read."""
    found, problems = discover(contract, cwd, env, sys.platform)
    return Found(contract, tuple(found), tuple(problems))


def load(found: Found, options: argparse.Namespace, trust: Trust | None = None, **more: Any) -> HookEngine:
    """Load what was found; hooks that need trust and have none are in ``engine.withheld``."""
    from sandhook.hooks.engine import HookEngine

    if trust is None and any(contracts.needs_trust(each.layer) for each in found.documents):
        from sandhook.cli.trust import store_of

        trust = store_of(options.store).allows(found.contract.name, directory(options.cwd))
    return HookEngine.load(list(found.documents), found.contract, trust=trust, prestart=False, **more)


def carried(specs: Sequence[HookSpec], contract: str, project: str, store: TrustStore) -> dict[str, bytes]:
    """Return the host's files that hooks name, at the places where the sandbox looks for them.

    A hook of the user's own layer names its scripts by the host's paths, or below ``~``.
    """
    from sandhook.hooks.trust import TrustError
    from sandhook.shell import DEFAULT_ENVIRONMENT

    home = store.home.rstrip("/") + "/"
    found: dict[str, bytes] = {}
    for spec in specs:
        try:
            evidence = store.examine(spec, contract, project)
        except TrustError:
            continue  # it names too much; the hook runs without
        for file in evidence.files:
            if file.path.startswith(project + "/"):
                continue  # the workspace shows it
            if file.path.startswith("/"):
                found[file.path] = file.data
            elif file.path[1:3] == ":/":
                from sandhook.cli.windows import sandbox_path

                found[sandbox_path(file.path)] = file.data
            if file.path.startswith(home):
                found[f"{DEFAULT_ENVIRONMENT['HOME']}/{file.path.removeprefix(home)}"] = file.data
    return found


def environment(given: Sequence[str], inherit: bool) -> dict[str, str]:
    """Return the agent's environment as ``--env NAME[=VALUE]`` and ``--inherit-env`` hand it over."""
    from sandhook.cli import UsageError

    env = dict(os.environ) if inherit else {}
    for text in given:
        name, equals, value = text.partition("=")
        if not name.isidentifier() or not name.isascii():
            raise UsageError(f"--env {text}: wanted NAME or NAME=VALUE")
        if equals:
            env[name] = value
        elif name in os.environ:
            env[name] = os.environ[name]
        else:
            raise UsageError(f"--env {name}: there is no such variable")
    return env
