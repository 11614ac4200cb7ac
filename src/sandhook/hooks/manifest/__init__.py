"""Capability manifests: what each hook of a bundle may read, write, run, reach and see, and the files that run.

``sandhook vet --manifest`` writes one. An engine that is loaded with it holds each hook to it: see ``hold``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256

from sandhook.errors import ManifestError
from sandhook.hooks.decode import DecodeError, decode_object
from sandhook.hooks.event import JsonObject
from sandhook.hooks.model import Executor
from sandhook.record import Record

#: The version of the format.
VERSION = 1

#: The most bytes of a manifest.
MAX_BYTES = 4 << 20

#: The kinds of capabilities, in the order of the file.
KINDS = ("reads", "writes", "programs", "hosts", "variables")


class Capabilities(Record):
    """What one hook may do. ``*`` stands for any characters.

    Attributes:
        id: The hook's id, for people.
        event: The agent's name of its event, for people.
        digest: The hash of what it runs: its type, text, arguments and own variables.
        files: Files of the bundle that run, keys of ``Manifest.files``.
        reads, writes: Paths: "~/x" below the home directory, "./x" below the project, or absolute; a directory
            stands for everything below it.
        programs: Names of programs. Built-ins and shells need none: what a shell runs is held as well.
        hosts: Host and port.
        variables: Names of variables of the agent's environment.
        observed: The entries that only runs in the sandbox showed, by kind.
    """

    id: str
    event: str
    digest: str
    files: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    observed: tuple[tuple[str, tuple[str, ...]], ...] = ()


class Manifest(Record):
    """The capabilities of all hooks of a bundle.

    Attributes:
        hooks: In the order of the configuration.
        files: Hashes of the files that run, by path relative to the bundle.
    """

    hooks: tuple[Capabilities, ...] = ()
    files: Mapping[str, str] = {}

    def of(self, executor: Executor) -> Capabilities | None:
        """Return the capabilities of a hook by what it runs; None for one that is not declared.

        Hooks that run the same have one entry for each; they are joined.
        """
        digest = digest_of(executor)
        entries = [entry for entry in self.hooks if entry.digest == digest]
        if not entries:
            return None
        first, *others = entries
        for other in others:
            first = first._replace(
                **{
                    kind: tuple(sorted({*getattr(first, kind), *getattr(other, kind)}))
                    for kind in (*KINDS, "files")
                }
            )
        return first


def digest_of(executor: Executor) -> str:
    """Return the hash of what a hook runs."""
    value = [executor.type, executor.text, list(executor.argv), [list(pair) for pair in executor.env]]
    text = json.dumps(value, separators=(",", ":"))
    return f"sha256:{sha256(text.encode()).hexdigest()}"


def to_json(manifest: Manifest) -> JsonObject:
    """Return a manifest as its file has it: sorted, so that equal bundles have equal files."""
    hooks: list[JsonObject] = []
    for entry in manifest.hooks:
        hook: JsonObject = {
            "id": entry.id,
            "event": entry.event,
            "digest": entry.digest,
            "files": sorted(entry.files),
        }
        hook |= {kind: sorted(getattr(entry, kind)) for kind in KINDS}
        hook["observed"] = {kind: sorted(values) for kind, values in entry.observed if values}
        hooks.append(hook)
    return {"sandhook_manifest": VERSION, "files": dict(sorted(manifest.files.items())), "hooks": hooks}


def to_text(manifest: Manifest) -> str:
    """Return the text of a manifest's file."""
    return json.dumps(to_json(manifest), indent=2) + "\n"


def parse(text: str, name: str = "the manifest") -> Manifest:
    """Read a manifest; raises ManifestError for any other text."""
    if len(text) > MAX_BYTES:
        raise ManifestError(f"{name}: more than {MAX_BYTES} bytes")
    try:
        value = decode_object(text).value
    except DecodeError as error:
        raise ManifestError(f"{name}: {error}") from None
    if value.get("sandhook_manifest") != VERSION:
        raise ManifestError(
            f"{name}: sandhook_manifest must be {VERSION}, not {value.get('sandhook_manifest')!r}"
        )
    unknown = sorted(value.keys() - {"sandhook_manifest", "files", "hooks", "$schema"})
    if unknown:
        raise ManifestError(f"{name}: unknown key {unknown[0]!r}")
    files, hooks = value.get("files"), value.get("hooks")
    if not isinstance(files, dict) or not all(isinstance(each, str) for each in files.values()):
        raise ManifestError(f"{name}: files must be an object of hashes")
    if not isinstance(hooks, list):
        raise ManifestError(f"{name}: hooks must be an array")
    entries = tuple(_entry(hook, f"{name}: hooks[{index}]") for index, hook in enumerate(hooks))
    hashes = {path: str(digest) for path, digest in files.items()}
    for entry in entries:
        for path in entry.files:
            if path not in hashes:
                raise ManifestError(f"{name}: the file {path!r} of hook {entry.id} has no hash")
    return Manifest(entries, hashes)


def _entry(value: object, place: str) -> Capabilities:
    if not isinstance(value, dict):
        raise ManifestError(f"{place} must be an object")
    unknown = sorted(value.keys() - {"id", "event", "digest", "files", "observed", *KINDS})
    if unknown:
        raise ManifestError(f"{place}: unknown key {unknown[0]!r}")
    texts: dict[str, str] = {}
    for name in ("id", "event", "digest"):
        text = value.get(name)
        if not isinstance(text, str):
            raise ManifestError(f"{place}.{name} must be a text, not {text!r}")
        texts[name] = text
    lists: dict[str, tuple[str, ...]] = {}
    for name in ("files", *KINDS):
        lists[name] = _texts(value.get(name), f"{place}.{name}")
    observed = value.get("observed", {})
    if not isinstance(observed, dict):
        raise ManifestError(f"{place}.observed must be an object")
    seen = tuple((str(kind), _texts(each, f"{place}.observed.{kind}")) for kind, each in observed.items())
    return Capabilities(
        id=texts["id"],
        event=texts["event"],
        digest=texts["digest"],
        files=lists["files"],
        reads=lists["reads"],
        writes=lists["writes"],
        programs=lists["programs"],
        hosts=lists["hosts"],
        variables=lists["variables"],
        observed=seen,
    )


def _texts(value: object, place: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise ManifestError(f"{place} must be an array of texts")
    return tuple(each for each in value if isinstance(each, str))
