"""Which files of an agent ``install`` and ``wrap`` change, for each scope."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Mapping
from typing import Literal, TypeAlias, get_args

from sandhook.hooks.contracts import Contract, Layer, LayerUse, UnrecognisedError, recognise
from sandhook.hooks.decode import DecodeError
from sandhook.hooks.sources import layer_files, read_text
from sandhook.installation.errors import InstallationError, ScopeError
from sandhook.record import Record

# pathlib costs the command line 10 ms.
# ruff: noqa: PTH112, PTH114, PTH116, PTH117, PTH120

Scope: TypeAlias = Literal["user", "project", "local"]

SCOPES: tuple[Scope, ...] = get_args(Scope)

#: Name of the file, or of the plugin, where an agent reads all files of a directory.
_OWN_NAME = "sandhook"

#: Variables that move files of a project to the user's layer; the scope of a file does not depend on them.
_TRUST_VARIABLES = frozenset({"JCODE_HOOKS_TRUST_PROJECT"})


class Surroundings(Record):
    """Where the agent runs.

    Attributes:
        cwd: The project's directory, absolute, with slashes.
        env: The agent's environment.
        platform: As ``sys.platform`` has it.
    """

    cwd: str
    env: Mapping[str, str]
    platform: str


class Place(Record):
    """One file of an agent.

    Attributes:
        agent: Name of the contract.
        scope: Whose file it is.
        file: The path that the agent reads; it need not exist.
    """

    agent: str
    scope: Scope
    file: str


def scopes(contract: Contract, around: Surroundings) -> list[Scope]:
    """Return the scopes in which hooks can be installed for an agent."""
    names = {layer.name for layer in _layers(contract, around) if layer.use in ("install", "file")}
    return [scope for scope in SCOPES if scope in names]


def choices(contract: Contract, scope: Scope | None, around: Surroundings) -> int:
    """Return how many files of a scope an agent reads, of all scopes for None: the fewer, the earlier it chooses."""
    return sum(layer.use == "install" and scope in (None, layer.name) for layer in _layers(contract, around))


def place(
    contract: Contract, scope: Scope | None, around: Surroundings, others: Collection[str] = ()
) -> Place:
    """Return the file in which hooks are installed: the strongest that exists, or else the strongest.

    Args:
        scope: None is the project, or the only scope of an agent without files of a project.
        others: Files that belong to other agents.

    Raises:
        ScopeError: The agent has no files of that scope.
        InstallationError: The user's directory is not known.
    """
    scope = scope_of(contract, scope, around)
    layers = [each for each in _layers(contract, around) if each.name == scope and each.use == "install"]
    names = [each.path.replace("/*/", f"/{_OWN_NAME}/").replace("*", _OWN_NAME) for each in layers]
    present = [name for name in names if os.path.lexists(name)]
    usable = [name for name in present if len(names) == 1 or _is_own(contract, name, around)]
    usable = [name for name in usable if name not in others]
    free = [name for name in names if name not in present and name not in others]
    file = (usable or free or names)[-1]
    if scope == "user":
        _check_home(contract, file, around)
    return Place(contract.name, scope, file)


def scope_of(contract: Contract, scope: Scope | None, around: Surroundings) -> Scope:
    """Return the scope in which hooks are installed; None is the project, or the only scope of an agent.

    Raises:
        ScopeError: The agent has no files of that scope.
    """
    known = scopes(contract, around)
    if not known:
        raise ScopeError(f"{contract.name}: hooks of this agent have no file in which they can be installed")
    if scope is None:
        scope = "project" if "project" in known else known[0]
    if scope not in known:
        raise ScopeError(f"{contract.name}: there is no scope {scope}; this agent has {', '.join(known)}")
    return scope


def directory_of(contract: Contract, scope: Scope, around: Surroundings) -> str:
    """Return the directory of a scope: the last that exists, or else the last.

    Raises:
        ScopeError: There is no such directory.
        InstallationError: The user's directory is not known.
    """
    names = [
        os.path.dirname(layer.path)
        for layer in _layers(contract, around)
        if layer.use == "file" and layer.name == scope
    ]
    if not names:
        raise ScopeError(f"{contract.name}: there is no scope {scope}")
    present = [name for name in names if os.path.isdir(name)]
    directory = (present or names)[-1]
    if scope == "user":
        _check_home(contract, directory, around)
    return directory


def is_present(file: str) -> bool:
    """Return whether there is a file of this name, also if it is a link without a target."""
    return os.path.lexists(file)


def places(contract: Contract, scope: Scope | None, around: Surroundings) -> list[Place]:
    """Return the files of an agent that exist, of one scope or of all, whose hooks ``wrap`` can change.

    Raises:
        ScopeError: The agent has no files of that scope.
    """
    uses: tuple[LayerUse, ...] = ("install", "wrap")
    layers = [layer for layer in _layers(contract, around) if layer.name in SCOPES and layer.use in uses]
    if scope is not None and scope not in {layer.name for layer in layers}:
        known = ", ".join(each for each in SCOPES if each in {layer.name for layer in layers})
        raise ScopeError(f"{contract.name}: there is no scope {scope}; this agent has {known or 'none'}")
    return [
        Place(contract.name, each, path)
        for layer in layers
        for each in SCOPES
        if each == layer.name and scope in (None, each)
        for path in layer_files(layer.path)[0]
        if os.path.lexists(path)
    ]


def is_of(contract: Contract, scope: Scope, file: str, around: Surroundings) -> bool:
    """Return whether a file is one that an agent reads here: the user's, or one of the working directory."""
    for layer in _layers(contract, around):
        if layer.name == scope:
            own_name = layer.path.replace("/*/", f"/{_OWN_NAME}/").replace("*", _OWN_NAME)
            if file == own_name or file in layer_files(layer.path)[0]:
                return True
            if layer.use == "file" and os.path.dirname(file) == os.path.dirname(layer.path):
                return True
    return False


def is_linked(file: str) -> bool:
    """Return whether a file, or its directory, is a link."""
    return os.path.islink(file) or os.path.islink(os.path.dirname(file))


def target_of(file: str) -> str:
    """Return the file that a write must replace: a link stays, and its target is written.

    Raises:
        InstallationError: It is neither a regular file nor absent, or a link without a target.
    """
    try:
        target = os.path.realpath(file)
        mode = os.stat(target).st_mode
    except FileNotFoundError:
        if os.path.islink(file):
            raise InstallationError(
                file, f"is a link to {os.path.realpath(file)}, and there is no such file"
            ) from None
        return target
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise InstallationError(file, f"cannot be read: {reason}") from None
    if not stat.S_ISREG(mode):
        raise InstallationError(file, "is not a regular file")
    return target


def _layers(contract: Contract, around: Surroundings) -> list[Layer]:
    env = {name: text for name, text in around.env.items() if name not in _TRUST_VARIABLES}
    layers = contract.layers(around.cwd, env, around.platform)
    return [layer._replace(path=layer.path.replace("\\", "/")) for layer in layers]


def _is_own(contract: Contract, file: str, around: Surroundings) -> bool:
    """Return whether a file is the agent's own; two agents read .agents/hooks.json, each in its own format."""
    try:
        document = contract.parse(read_text(file), file, around.env)
        return recognise([document]).name == contract.name
    except (OSError, DecodeError, UnrecognisedError):
        return True


def _check_home(contract: Contract, file: str, around: Surroundings) -> None:
    variable = "USERPROFILE" if around.platform == "win32" else "HOME"
    if not os.path.isabs(file) or (file.startswith("/.") and around.env.get(variable, "") in ("", "/")):
        raise InstallationError(
            file, f"the directory of the user is not known: {variable} is not set for {contract.name}"
        )
