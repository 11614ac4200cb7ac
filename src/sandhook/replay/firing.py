"""Fires recorded events at hooks. Each event finds the same files, so the order of events has no effect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from time import monotonic

from sandhook.hooks import contracts
from sandhook.hooks.contracts import ContractError, Document
from sandhook.hooks.decode import DecodeError
from sandhook.hooks.engine import HookEngine
from sandhook.hooks.event import Event, JsonObject
from sandhook.hooks.model import Decision, FailClosed, Outcome, source_of
from sandhook.hooks.runner import SandboxRunner
from sandhook.journal.journal import decided_of
from sandhook.journal.masking import Masker
from sandhook.journal.neutral import event_of
from sandhook.journal.schema import Decided, Entry
from sandhook.record import Record
from sandhook.replay.compare import Side
from sandhook.vfs.base import FileSystem
from sandhook.vfs.initial import make_directories
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.mounts import MountTable
from sandhook.vfs.overlay import OverlayFileSystem
from sandhook.vfs.path import VirtualPath, normalize

#: Steps of a trace, and bytes of an output, in a report.
_MOST_STEPS, _MOST_OUTPUT = 60, 2_000

WORKSPACE = VirtualPath("/workspace")


class Bundle(Record):
    """The hooks of one side. It travels to workers as it is.

    Attributes:
        documents: The configurations, weakest layer first.
        contract: Name of their contract.
    """

    documents: tuple[Document, ...]
    contract: str


class Unfired(Exception):
    """An event that cannot be fired; the message has the reason."""


class BundleRunner:
    """Fires events at the hooks of a bundle.

    Args:
        files: The files that hooks see as /workspace, and below the directory of the event.
    """

    def __init__(self, bundle: Bundle, files: FileSystem | None, fail_closed: FailClosed) -> None:
        loaded = HookEngine.load(
            list(bundle.documents), bundle.contract, trust=lambda spec: True, prestart=False
        )
        self.problems = [str(problem) for problem in loaded.problems]
        self._groups = loaded.groups
        self._files = files
        self._fail_closed = fail_closed
        self._has_views = len({source_of(spec) for spec in loaded.hooks}) > 1
        self._kept: _Kept | None = None

    def fire(self, entry: Entry, *, steps: bool = False) -> tuple[Decision, float]:
        """Return the decision about an event and the milliseconds that it took. Raises Unfired."""
        event = read_event(entry)
        engine = self._fresh_engine(event, steps)
        caller = _contract(entry.agent) if entry.agent else None
        began = monotonic()
        decision = engine.fire(event, caller=caller)
        seconds = monotonic() - began
        ran = [each for each in decision.outcomes if each.run is not None or each.state == "background"]
        if ran:
            engine.wait()
            if self._kept is not None and not self._kept.is_fresh(ran):
                self._kept = None
        return decision, seconds * 1000

    def _fresh_engine(self, event: Event, steps: bool) -> HookEngine:
        """Return an engine in which no hook changed anything yet, with the files of the event's directory."""
        place = _mount_point(event.project_dir or event.cwd or "")
        if not steps and self._kept is not None and self._kept.place == place:
            return self._kept.engine
        self._kept = None
        root = MemoryFileSystem()
        runner = SandboxRunner(self._namespace(root, place), isolation="thread", steps=steps)
        engine = HookEngine(self._groups, runner=runner, fail_closed=self._fail_closed)
        if not steps:
            self._kept = _Kept(place, engine, None if self._files is not None or self._has_views else root)
        return engine

    def _namespace(self, root: MemoryFileSystem, own: VirtualPath | None) -> FileSystem:
        if own is not None and own.startswith("/root/"):
            with root.superuser() as view:  # the agent's user was root, and that of the sandbox is not
                view.chmod(VirtualPath("/root"), 0o755)
        if self._files is None:
            make_directories(root, own or WORKSPACE)
            return root
        overlay = OverlayFileSystem(self._files)
        table = MountTable(root)
        table.mount(WORKSPACE, overlay)
        if own is not None:
            table.mount(own, overlay)
        return table


class _Kept:
    """An engine for the next event: after this one, it is as it was made.

    Args:
        place: Where the files of the event's directory are.
        root: All files that its hooks can change; None if they are in several file systems, so that one run of a hook
            is the last of the engine.
    """

    def __init__(self, place: VirtualPath | None, engine: HookEngine, root: MemoryFileSystem | None) -> None:
        self.place = place
        self.engine = engine
        self._clock = root.watch() if root is not None else None
        self._calls = self._clock.calls if self._clock is not None else 0

    def is_fresh(self, ran: Sequence[Outcome]) -> bool:
        """Return whether the hooks that ran changed no file, and left nothing in the engine."""
        for each in ran:
            if each.spec.once or each.state == "background":
                return False
        return self._clock is not None and self._clock.calls == self._calls


#: Contracts by name; a contract of another package is looked for in all installed packages.
_contract = lru_cache(64)(contracts.get)


@lru_cache(512)
def _mount_point(directory: str) -> VirtualPath | None:
    """Return where the files of a directory of an event are, None if that is /workspace or no such path."""
    from sandhook.hooks.runner import working_directory

    path = working_directory(directory)
    if not path.startswith("/"):
        return None
    place = normalize(path)
    return None if place in ("/", WORKSPACE) or place.startswith(f"{WORKSPACE}/") else place


def read_event(entry: Entry) -> Event:
    """Return the event of an entry. Raises Unfired."""
    try:
        if entry.agent:
            return _contract(entry.agent).event(entry.event, entry.payload)
        if not isinstance(entry.payload, Mapping):
            raise DecodeError("the payload is not an object")
        return event_of(entry.payload)
    except (ContractError, DecodeError) as error:
        raise Unfired(str(error)) from None


def workspace(files: Sequence[tuple[str, bytes, int]]) -> FileSystem | None:
    """Return files as a file system, None without files.

    Args:
        files: Relative path, contents and permission bits.
    """
    if not files:
        return None
    room = sum(len(data) for _, data, _ in files) + (16 << 20)
    system = MemoryFileSystem(quota_bytes=room, quota_inodes=4 * len(files) + 10_000, bare=True)
    system.populate({f"/{path}": data for path, data, _ in files}, VirtualPath("/"))
    for path, _, mode in files:
        if mode & 0o111:
            system.chmod(VirtualPath(f"/{path}"), 0o755)
    return system


def new_side(decision: Decision, milliseconds: float, masker: Masker | None) -> Side:
    """Return a decision as it is compared."""
    return Side(decided_of(decision, masker), _deciding_hook(decision), milliseconds)


def _deciding_hook(decision: Decision) -> str:
    """Return the id of the first hook that decided: that refuses, could not run, or asks for something."""
    wanting = [each for each in decision.outcomes if each.state != "not_matched"]
    for test in (_refuses, _could_not_run, _intervenes):
        for each in wanting:
            if test(each):
                return each.spec.id
    return wanting[0].spec.id if wanting else ""


def _refuses(outcome: Outcome) -> bool:
    return outcome.verdict.refuses


def _could_not_run(outcome: Outcome) -> bool:
    return outcome.could_not_run is not None


def _intervenes(outcome: Outcome) -> bool:
    return outcome.verdict.decided


def recorded_side(entry: Entry) -> Side | None:
    """Return the decision of a record, None if it has none."""
    if entry.decision is None:
        return None
    hook = next((each.id for each in entry.hooks if each.reason and each.reason == entry.decision.reason), "")
    hook = hook or next((each.id for each in entry.hooks), "")
    return Side(entry.decision, hook, entry.duration_ms)


def run_json(decision: Decision) -> list[JsonObject]:
    """Return what the hooks of a decision did, for people: outputs and steps, cut."""
    from sandhook.hooks.report import outcome_json

    return [outcome_json(_cut(each)) for each in decision.outcomes if each.matched]


def _cut(outcome: Outcome) -> Outcome:
    run = outcome.run
    if run is None:
        return outcome
    short = run._replace(
        stdout=run.stdout[:_MOST_OUTPUT], stderr=run.stderr[:_MOST_OUTPUT], steps=run.steps[:_MOST_STEPS]
    )
    return outcome._replace(run=short)


def decided_json(decided: Decided) -> JsonObject:
    """Return a decision as JSON values."""
    return {
        "refused": decided.refused,
        "permission": decided.permission,
        "force_continue": decided.force_continue,
        "reason": decided.reason,
        "changes": decided.changes,
        "could_not_run": list(decided.could_not_run),
    }
