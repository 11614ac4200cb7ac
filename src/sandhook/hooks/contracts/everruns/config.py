"""Everruns configurations: which forms there are, how they combine, and which hooks are muted.

A file may be the ``user_hooks`` config itself, a capability list that has one, or a declarative
capability that contributes hooks. Several files are layers: a later hook with the same explicit
id replaces an earlier one, and hooks without an id are added.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sandhook.errors import Problem
from sandhook.hooks.contracts import Document, Loaded, LoadOptions, may_override
from sandhook.hooks.contracts._fields import unknown_keys
from sandhook.hooks.contracts._loader import no_effect
from sandhook.hooks.contracts.everruns.entry import EntryReader
from sandhook.hooks.contracts.everruns.names import MAX_CONFIG_BYTES, MAX_HOOKS
from sandhook.hooks.decode import DecodeError, encode, type_name
from sandhook.hooks.diagnostic import Diagnostic
from sandhook.hooks.event import Json, JsonObject
from sandhook.hooks.model import HookSpec, LayerName
from sandhook.record import Record

_CONFIG_FIELDS = ("hooks", "disabled", "disabled_contributions")
_DEFINITION_FIELDS = ("name", "display_name", "description", "risk_level", "user_hooks")


class _Unit(Record):
    """A list of raw hooks from one place.

    Attributes:
        owner: "user", or the id of a capability.
        path, file, document: Where it stands.
        contributed: The host contributes it.
    """

    owner: str
    hooks: list[Json]
    path: str
    file: str
    document: int
    contributed: bool = False


class _Mute(Record):
    """An entry of ``disabled_contributions``: the ids, where it stands, and the number of its file."""

    pattern: str
    where: Diagnostic
    document: int


class _Loader:
    def __init__(self, documents: Sequence[Document], options: LoadOptions) -> None:
        self.documents = documents
        self.options = options
        self.strict = options.strict
        self.problems: list[Problem] = []
        self.notes: list[str] = []
        self.withheld: list[tuple[HookSpec, str]] = []
        self.units: list[_Unit] = []
        self.mutes: list[_Mute] = []
        self.disabled: list[tuple[int, str, Diagnostic]] = []
        self.contributed: set[str] = set()
        self.unparsable: set[int] = set()  # documents whose user hooks upstream would reject

    # Messages and their places.

    def at(self, document: int, path: str) -> Diagnostic:
        """Return a place, as it stands in a note."""
        name = self.documents[document].name
        return Diagnostic("", path, name if len(self.documents) > 1 else "")

    def problem(self, document: int, path: str, message: str) -> None:
        self.problems.append(Problem(path, message, file=self.documents[document].name))

    def note(self, document: int, path: str, message: str) -> None:
        if not self.strict:
            self.notes.append(self.at(document, path).with_message(message) if path else message)

    # The forms of a file.

    def read(self) -> Loaded:
        for name, hooks in (self.options.contributions or {}).items():
            if not self._listed(name, ""):
                self.units.append(_Unit(name, list(hooks), name, "", 0, contributed=True))
        for index, document in enumerate(self.documents):
            self._document(index, document)
        return self._finish()

    @staticmethod
    def _lists(value: Json, name: str) -> bool:
        """Return whether a document is a capability list with this capability in it."""
        entries = value.get("capabilities") if isinstance(value, dict) else None
        return isinstance(entries, list) and any(
            isinstance(entry, dict) and entry.get("ref") == name for entry in entries
        )

    def _listed(self, name: str, layer: LayerName) -> bool:
        """Return whether a capability list that may decide about hooks of a layer has this capability."""
        return any(
            self._lists(document.value, name) and self._may_override(document.layer, layer)
            for document in self.documents
        )

    def _may_override(self, layer: LayerName, other: LayerName) -> bool:
        """Return whether files of a layer may mute or replace hooks of another; in strict mode all may."""
        return self.strict or may_override(layer, other)

    def _document(self, index: int, document: Document) -> None:
        value = document.value
        for message in document.duplicates:
            self.problem(index, "", f"user_hooks config parse failed: {message}")
        if value is None:  # `null` is the empty configuration
            return
        if not isinstance(value, dict):
            self._bad(index, "", f"invalid type: wanted an object, got {type_name(value)}")
        elif "capabilities" in value:
            self._capabilities(index, value["capabilities"])
        elif "definition" in value:
            self._definition(index, value["definition"], "definition", None)
        elif "user_hooks" in value and "hooks" not in value:
            self._definition(index, value, "", None)
        else:
            self._config(index, value, "")

    def _bad(self, index: int, path: str, message: str) -> None:
        self.unparsable.add(index)
        self.problem(index, path, f"user_hooks config parse failed: {message}")

    def _capabilities(self, index: int, entries: Json) -> None:
        if not isinstance(entries, list):
            self._bad(index, "capabilities", f"invalid type: wanted an array, got {type_name(entries)}")
            return
        for number, entry in enumerate(entries):
            path = f"capabilities[{number}]"
            ref = entry.get("ref") if isinstance(entry, dict) else None
            if not isinstance(ref, str):
                self.problem(index, path, "a capability must be an object with a string `ref`")
            elif ref == "user_hooks":
                self._config(index, entry.get("config"), f"{path}.config")
            elif "definition" in entry:
                self._definition(index, entry["definition"], f"{path}.definition", ref)
            elif ref in (self.options.contributions or {}):
                if not self._may_override(self.documents[index].layer, ""):
                    continue  # they run, whatever this list has
                hooks = list((self.options.contributions or {})[ref])
                self.units.append(_Unit(ref, hooks, ref, "", index, contributed=True))
            elif (declared := self._definition_of(ref)) is not None:
                if not self._may_override(self.documents[index].layer, self.documents[declared[0]].layer):
                    continue
                self.contributed.add(ref)
                self._definition(declared[0], declared[1], "definition", ref)

    def _definition_of(self, ref: str) -> tuple[int, Json] | None:
        """Return another document that declares this capability; its position is that in the list."""
        stronger_first = sorted(
            enumerate(self.documents), key=lambda each: not may_override(each[1].layer, "")
        )
        for index, document in stronger_first:
            value = document.value
            definition = value.get("definition") if isinstance(value, dict) else None
            if isinstance(definition, dict) and definition.get("name") == ref:
                return index, definition
        return None

    def _definition(self, index: int, value: Json, path: str, ref: str | None) -> None:
        if not isinstance(value, dict):
            self.problem(index, path, f"wanted an object, got {type_name(value)}")
            return
        dot = f"{path}." if path else ""
        name = value.get("name") if ref is None else ref
        if not isinstance(name, str) or not name:
            self.problem(
                index, f"{dot}name", "a declarative capability needs a name: its hooks' ids begin with it"
            )
            return
        if ref is None and (name in self.contributed or self._listed(name, self.documents[index].layer)):
            return  # the capability list decides the position of its hooks
        self._unknown(index, value, dot, _DEFINITION_FIELDS)
        hooks = value.get("user_hooks", [])
        if not isinstance(hooks, list):
            self.problem(index, f"{dot}user_hooks", f"wanted an array, got {type_name(hooks)}")
            return
        if self.strict:
            place = self.at(index, f"{dot}user_hooks")
            self.notes.append(place.with_message("ignored, as upstream does (L-EVERRUNS-003)"))
            return
        if hooks and value.get("risk_level") not in (None, "High", "high"):
            self.note(index, f"{dot}risk_level", "a capability with hooks is of high risk, whatever it says")
        self.units.append(_Unit(name, hooks, f"{dot}user_hooks", self.documents[index].name, index))

    def _config(self, index: int, value: Json, path: str) -> None:
        """Read a ``user_hooks`` config: its bounds, its hooks, what it mutes."""
        if value is None:
            return
        if not isinstance(value, dict):
            self._bad(index, path, f"invalid type: wanted an object, got {type_name(value)}")
            return
        dot = f"{path}." if path else ""
        self._unknown(index, value, dot, (*_CONFIG_FIELDS, "$schema"))
        for muted, place in self._names(index, value, dot, "disabled_contributions"):
            self.mutes.append(_Mute(muted, place, index))
        for name, place in self._names(index, value, dot, "disabled"):
            self.disabled.append((index, name, place))
        hooks = value.get("hooks", [])
        if not isinstance(hooks, list):
            self._bad(index, f"{dot}hooks", f"invalid type: wanted an array, got {type_name(hooks)}")
            return
        if len(hooks) > MAX_HOOKS:
            self.problem(index, f"{dot}hooks", f"user_hooks has {len(hooks)} entries; maximum is {MAX_HOOKS}")
            return
        try:
            size = len(encode(value).encode())
        except DecodeError as error:
            self._bad(index, path, str(error))
            return
        if size > MAX_CONFIG_BYTES:
            self.problem(index, path, f"user_hooks config is {size} bytes; maximum is {MAX_CONFIG_BYTES}")
            return
        self.units.append(_Unit("user", hooks, f"{dot}hooks", self.documents[index].name, index))

    def _names(self, index: int, value: JsonObject, dot: str, key: str) -> Iterator[tuple[str, Diagnostic]]:
        names = value.get(key, [])
        if not isinstance(names, list):
            self._bad(index, dot + key, f"invalid type: wanted an array, got {type_name(names)}")
            return
        for number, name in enumerate(names):
            if isinstance(name, str):
                yield name, self.at(index, f"{dot}{key}[{number}]")
            else:
                self._bad(
                    index, f"{dot}{key}[{number}]", f"invalid type: wanted a string, got {type_name(name)}"
                )

    def _unknown(self, index: int, value: JsonObject, dot: str, known: Sequence[str]) -> None:
        for key, hint in unknown_keys(value, known):
            self.note(index, dot + key, f"unknown field, ignored{hint}")

    # From raw hooks to the list that runs.

    def _finish(self) -> Loaded:
        placed: list[tuple[int, HookSpec]] = []
        explicit: dict[str, int] = {}
        position = 0  # of the user's hooks, over all layers: the index in an id without a name
        for unit in self.units:
            for number, raw in enumerate(unit.hooks):
                index = number + (position if unit.owner == "user" else 0)
                reader = EntryReader(
                    self.options,
                    unit.owner,
                    index,
                    f"{unit.path}[{number}]",
                    unit.file or self.documents[unit.document].name,
                )
                if unit.owner == "user":
                    reader.prefix = f"user_hooks.hooks[{number}]: "
                spec = reader.read(raw)
                self.problems.extend(reader.problems)
                self.notes.extend(reader.notes)
                if reader.unparsable:
                    self.unparsable.add(unit.document)
                if spec is not None:
                    self._place(placed, explicit, unit, self._of_layer(spec, unit), reader.has_name)
            if unit.owner == "user":
                position += len(unit.hooks)
        if self.strict:
            placed = [each for each in placed if each[1].source != "user" or each[0] not in self.unparsable]
        specs = self._muted(self._without_disabled(placed))
        return Loaded(tuple(specs), tuple(self.problems), tuple(self.notes), tuple(self.withheld))

    def _of_layer(self, spec: HookSpec, unit: _Unit) -> HookSpec:
        """Return a hook with its file and layer; a contribution of the host has neither."""
        layer = "" if unit.contributed else self.documents[unit.document].layer
        return spec._replace(file=unit.file, layer=layer, contributed=unit.contributed)

    def _place(
        self,
        placed: list[tuple[int, HookSpec]],
        explicit: dict[str, int],
        unit: _Unit,
        spec: HookSpec,
        named: bool,
    ) -> None:
        earlier = explicit.get(spec.id) if named else None
        replaces = earlier is not None and unit.owner == "user" and placed[earlier][0] != unit.document
        if earlier is not None and replaces and self._may_override(spec.layer, placed[earlier][1].layer):
            place = self.at(unit.document, spec.path)
            self.notes.append(place.with_message(f"replaces {spec.id} in {placed[earlier][1].file}"))
            placed[earlier] = (unit.document, spec)
            return
        if any(other.id == spec.id for _, other in placed):
            self.note(unit.document, spec.path, f"another hook has the id {spec.id} too; both run")
        if named:
            explicit[spec.id] = len(placed)
        placed.append((unit.document, spec))

    def _without_disabled(self, placed: list[tuple[int, HookSpec]]) -> list[HookSpec]:
        """Remove the hooks of earlier layers that a later layer's ``disabled`` names."""
        kept = []
        used: set[str] = set()
        for layer, spec in placed:
            by = []
            for index, name, where in self.disabled:
                named = spec.source == "user" and name in (spec.id, spec.id.removeprefix("user:"))
                if not named or index <= layer:
                    continue
                if self._may_override(self.documents[index].layer, spec.layer):
                    by.append(where)
                else:
                    used.add(where)
                    self.notes.append(where.with_message(no_effect(self.documents[index], spec)))
            if by:
                used.update(by)
                self.notes.append(by[0].with_message(f"muting hook {spec.id}"))
                self.withheld.append((spec, f"muted by {by[0]}"))
            else:
                kept.append(spec)
        for _, name, where in self.disabled:
            if where not in used and not self.strict:
                self.notes.append(where.with_message(f"{name} names no hook of an earlier file"))
        return kept

    def _muted(self, specs: list[HookSpec]) -> list[HookSpec]:
        """Remove the hooks that ``disabled_contributions`` names; a final ``*`` is a wildcard in better mode only."""
        kept = []
        used: set[str] = set()
        for spec in specs:
            named = [mute for mute in self.mutes if self._mutes(mute.pattern, spec.id)]
            by = next((mute for mute in named if self._may_mute(mute, spec)), None)
            if by is None:
                used.update(mute.where for mute in named)
                self.notes.extend(
                    mute.where.with_message(no_effect(self.documents[mute.document], spec)) for mute in named
                )
                kept.append(spec)
                continue
            used.add(by.where)
            self.notes.append(by.where.with_message(f"muting hook {spec.id} via disabled_contributions"))
            self.withheld.append((spec, f"muted by {by.where}"))
        for mute in self.mutes:
            if mute.where not in used and not self.strict:
                self.notes.append(mute.where.with_message(f"{mute.pattern} names no hook"))
        return kept

    def _may_mute(self, mute: _Mute, spec: HookSpec) -> bool:
        return self._may_override(self.documents[mute.document].layer, spec.layer)

    def _mutes(self, pattern: str, hook_id: str) -> bool:
        if pattern[-1:] == "*" and not self.strict:
            return hook_id.startswith(pattern[:-1])
        return hook_id == pattern


def load(documents: Sequence[Document], options: LoadOptions) -> Loaded:
    """Read configurations, weakest layer first; every fault is in the result, with its path."""
    return _Loader(documents, options).read()
