"""Evidence: the files that a hook executes, and the hash that an approval is bound to.

The hash covers the hook with everything that decides when and how it runs, and the bytes of every file
that it executes or sources. A file that is executed when it is there, and is not there, is part of it, too.
Data files are not: a hook that reads a file stays approved when the file changes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from hashlib import sha256

from sandhook.errors import TrustError
from sandhook.hooks.evidence.bounds import MAX_BYTES, MAX_FILES, NamedFile, Use
from sandhook.hooks.evidence.commands import THE_COMMAND
from sandhook.hooks.evidence.machine import Machine
from sandhook.hooks.evidence.walker import Walker
from sandhook.hooks.evidence.words import shown_pattern
from sandhook.hooks.model import HookSpec
from sandhook.hooks.through import call_of, wrapped
from sandhook.record import Record

__all__ = [
    "MAX_BYTES",
    "MAX_FILES",
    "PROJECT_VARIABLES",
    "THE_COMMAND",
    "Evidence",
    "Machine",
    "NamedFile",
    "Use",
    "digest_of_hook",
    "examine",
    "shown_pattern",
]

#: Variables in which agents pass the project's directory.
PROJECT_VARIABLES = (
    *("PWD", "CRUSH_PROJECT_DIR", "CRUSH_CWD", "JCODE_CWD", "CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR"),
    *("GEMINI_CWD", "CURSOR_PROJECT_DIR", "WORKSPACE", "QWEN_PROJECT_DIR", "GROK_WORKSPACE_ROOT"),
    *("COPILOT_PROJECT_DIR", "FACTORY_PROJECT_DIR", "DROID_PROJECT_DIR", "OPENHANDS_PROJECT_DIR"),
)

#: Fields of a hook that do not decide when or how it runs: its names and places, and what an approval adds.
_NOT_BOUND = frozenset(
    {
        *("id", "description", "source", "path", "file", "layer", "entry"),
        *("trust_hash", "approved", "snapshot", "hashed", "absent", "links", "unbound"),
    }
)


class Evidence(Record):
    """The files and commands that an approval of one hook covers.

    Attributes:
        spec: The hook.
        contract: Name of its contract.
        digest: The hash, in hexadecimal.
        files: The files that it executes or sources, in order of appearance.
        absent: Patterns of paths that it would execute or source, and that match no further file.
        commands: Programs that it and its scripts call, and the built-in ``kill``.
        unknown: What it executes in addition and cannot be known before it runs.
        computed: Where it executes a command or a file whose name is not known before it runs: ``FILE:LINE``, or
            ``the command:LINE``. All of them are in ``unknown``, too.
        hook_digest: The hash of the hook alone, see ``digest_of_hook``.
        links: Paths that the hook follows through links, and where each leads now; the same path without a link.
    """

    spec: HookSpec
    contract: str
    digest: str
    files: tuple[NamedFile, ...]
    absent: tuple[str, ...]
    commands: tuple[str, ...]
    unknown: tuple[str, ...]
    computed: tuple[str, ...]
    hook_digest: str
    links: tuple[tuple[str, str], ...]


def examine(spec: HookSpec, contract: str, project: str, home: str, machine: Machine) -> Evidence:
    """Collect what a hook executes, and hash it.

    Args:
        contract: Name of the hook's contract.
        project: The directory that the hook runs in, an absolute path that begins with "/".
        home: What ``~`` stands for.
        machine: The files.

    Raises:
        TrustError: It executes more than MAX_FILES files or MAX_HASHED bytes, or is too complex to be followed.
    """
    project = _directory(project)
    executor = spec.executor
    variables = dict.fromkeys(PROJECT_VARIABLES[1:], project) | {"HOME": home}
    walker = Walker(machine, variables)
    known = walker.begin(project)
    own = spec.extras.get("cwd") if spec.extras is not None else None
    if isinstance(own, str) and own:
        walker.change_directory(own, known, certain=True)
    try:
        for name, value in executor.env:
            walker.assign_text(f"{name}={value}", known, 0)
        walker.base |= known.variables
        inner = wrapped(spec)
        if inner is not None and inner.on_host:  # our own runners run the script, see hooks.through
            walker.external(call_of(spec), known.copy(), 0)  # the agent starts it
            walker.text(inner.text, known)
        elif executor.argv:
            walker.external(executor.argv, known, 0)
        else:
            walker.text(executor.text, known)
        walker.finish(project)
    except RecursionError:
        raise TrustError("its scripts are nested too deeply to be followed") from None
    files, absent = tuple(walker.files.values()), tuple(sorted(walker.absent))
    parts = own_parts = _parts(spec, contract, project)
    for file in files:
        if file.sha256:
            parts = [*parts, f"{file.how} by hash".encode(), _bytes(file.path), file.sha256.encode()]
        else:
            parts = [*parts, file.how.encode(), _bytes(file.path), file.data]
    for pattern in absent:
        parts = [*parts, b"absent", _bytes(pattern)]
    links = tuple(sorted(walker.machine.links.items()))
    for path, target in links:
        parts = [*parts, b"link", _bytes(path), _bytes(target)] if path != target else parts
    return Evidence(
        spec,
        contract,
        _digest(parts),
        files,
        absent,
        commands=tuple(walker.commands),
        unknown=tuple(walker.unknown),
        computed=tuple(walker.computed),
        hook_digest=_digest(own_parts),
        links=links,
    )


def digest_of_hook(spec: HookSpec, contract: str, project: str) -> str:
    """Return the hash of a hook without its files: two hooks with different ones have different evidence."""
    return _digest(_parts(spec, contract, _directory(project)))


def _directory(project: str) -> str:
    return project.rstrip("/") or "/"


def _digest(parts: Iterable[bytes]) -> str:
    digest = sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "big"))
        digest.update(part)
    return digest.hexdigest()


def _parts(spec: HookSpec, contract: str, project: str) -> list[bytes]:
    bound = {name: value for name, value in zip(spec._fields, spec, strict=True) if name not in _NOT_BOUND}
    parts = [b"sandhook trust 2", contract.encode(), _bytes(project)]
    parts += [
        _bytes(json.dumps(_canonical(part), sort_keys=True, separators=(",", ":")))
        for part in (bound, spec.entry)
    ]
    return parts


def _canonical(value: object) -> object:
    """Return a value as JSON that depends on its contents alone; compiled functions are left out."""
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, Mapping):
        return {str(key): _canonical(each) for key, each in value.items()}
    if isinstance(value, Record):
        fields = zip(value._fields, value, strict=True)
        return [type(value).__name__, {name: _canonical(each) for name, each in fields if not callable(each)}]
    if isinstance(value, (tuple, list)):
        return [_canonical(each) for each in value]
    if isinstance(value, (set, frozenset)):
        return sorted(map(repr, value))
    return type(value).__name__


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
