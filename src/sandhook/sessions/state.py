"""The state of a shell as a JSON document, and back.

A document has only texts and numbers. Functions are stored as text, parsed again and compiled, but nothing of them
runs. What ends with a run is left out: jobs, calls, descriptors, BASH_COMMAND.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sandhook.builtins.variables.getopts import Index
from sandhook.errors import LimitExceeded
from sandhook.interp.dynamic import DYNAMICS
from sandhook.interp.lookup import hash_entry
from sandhook.kernel.signals import NUMBERS, SIGQUIT
from sandhook.sessions.functions import define, stored_text
from sandhook.sessions.reading import Cursor, shown
from sandhook.state.function import Function
from sandhook.state.options import SET_OPTIONS, SHOPT_OPTIONS, Options
from sandhook.state.records import NO_SPECS, Memo
from sandhook.state.values import (
    ARRAY,
    ASSOC,
    LETTERS,
    AssociativeArray,
    IndexedArray,
    Value,
    held,
    letters,
    store,
)
from sandhook.text.names import is_name
from sandhook.text.numbers import is_number
from sandhook.vfs.path import VirtualPath

if TYPE_CHECKING:
    from sandhook.limits import Limits
    from sandhook.sessions.reading import Json
    from sandhook.state.history import History
    from sandhook.state.random import Random
    from sandhook.state.state import State

#: Names of traps.
_TRAPS = frozenset({"EXIT", "DEBUG", "ERR", "RETURN", *NUMBERS})

#: OPTIND has fewer digits.
_DIGITS = 19

_BITS = {letter: bit for bit, letter in LETTERS}

_FIELDS = (
    "values", "attributes", "references", "unset", "functions", "options", "shopts", "aliases", "traps", "tracing",
    "positional", "getopts", "process", "directories", "statuses", "completions", "hashed", "disabled", "memo", "names",
)  # fmt: skip


def write_state(state: State, limits: Limits | None = None) -> dict[str, Json]:
    """Return the document of a state; without limits, for parsing, that of a copy in this process.

    Raises SnapshotError for a function that could not be parsed again.
    """
    values: dict[str, Json] = {name: _write_value(value) for name, value in state.values.items()}
    functions: dict[str, Json] = {
        name: {
            "text": "" if limits is None else stored_text(function, limits),
            "attributes": letters(function.attributes),
            "source": function.source,
            "line": function.line,
        }
        for name, function in state.functions.items()
    }
    tracing, process, optind = state.tracing, state.process, state.values.get("OPTIND")
    return {
        "values": values,
        "attributes": {name: letters(bits) for name, bits in state.attributes.items()},
        "references": _texts(state.namerefs),
        "unset": [*sorted(state.unset_dynamics)],
        "functions": functions,
        "options": [*sorted(state.options.enabled)],
        "shopts": [*sorted(state.options.shopts)],
        "aliases": _texts(state.aliases),
        "traps": _texts(state.traps),
        "tracing": {
            "tracks_commands": tracing.tracks_commands,
            "recording": tracing.recording,
            "err_depth": tracing.err_depth,
        },
        "positional": [*state.positional],
        "getopts": optind.position if isinstance(optind, Index) else None,
        "process": {"cwd": process.cwd, "umask": process.umask},
        "directories": [*state.directory_stack],
        "statuses": {
            "status": state.status,
            "substitution": state.substitution_status,
            "pipeline": None if state.pipestatus is None else [*state.pipestatus],
        },
        "completions": _texts(state.completions),
        "hashed": {
            "path": state.hash_path,
            "commands": {name: [file, hits] for name, (file, hits, _) in state.hashed.items()},
        },
        "disabled": [*sorted(state.disabled_builtins)],
        "memo": _write_memo(state.memo),
        "names": {
            "name": state.name,
            "source": state.source,
            "executed": state.executed,
            "last_argument": state.last_argument,
            "last_background": state.last_background,
            "line": state.line,
        },
    }


def _texts(texts: Mapping[str, str]) -> dict[str, Json]:
    return dict(texts)


def _write_value(value: Value) -> Json:
    if isinstance(value, str):
        return value
    if isinstance(value, IndexedArray):
        return {"indexed": [[index, text] for index, text in zip(value.indices(), value.values())]}
    return {"associative": [[key, text] for key, text in value.items.items()]}


def _write_memo(memo: Memo) -> Json:
    return {
        "random": None if memo.random is None else [memo.random.number, memo.random.last],
        "seconds": memo.seconds,
        "subshell_offset": memo.subshell_offset,
        "parameters": None if memo.parameters is None else [*memo.parameters],
        "directory": None if memo.directory is None else [*memo.directory],
        "hash_used": memo.hash_used,
        "history": None if memo.history is None else _write_history(memo.history),
        "foreign": _texts(memo.foreign),
        "trace_descriptor": memo.trace_descriptor,
    }


def _write_history(history: History) -> Json:
    return {
        "entries": [[entry.text, entry.time] for entry in history.entries],
        "base": history.base,
        "limit": history.limit,
        "added": history.added,
        "session": history.session,
        "in_file": history.in_file,
    }


def read_state(document: Cursor, state: State, functions: Mapping[str, Function] | None = None) -> None:
    """Change a new state to that of a document.

    Args:
        document: See ``write_state``.
        state: A state that nothing has run in. Its budget is charged as by a script.
        functions: The functions themselves, for a copy within this process; None parses the texts.

    Raises:
        SnapshotError: The document is malformed, or needs more memory than the budget has.
    """
    parts = document.fields(*_FIELDS)
    place = document
    try:
        for name, read in (("functions", _read_functions), ("values", _read_values)):
            place = parts[name]
            if name == "functions" and functions is not None:
                state.functions = {key: each.replaced(charge=None) for key, each in functions.items()}
            else:
                read(place, state)
        for name, part in parts.items():
            place = part
            reader = _READERS.get(name)
            if reader is not None:
                reader(part, state)
    except LimitExceeded as error:
        place.refuse(f"more than {error.limit} allows ({error.maximum})")
    state.update_instrumented()
    _check_kinds(parts["values"], state)


def _read_functions(part: Cursor, state: State) -> None:
    for name, item in part.members().items():
        fields = item.fields("text", "attributes", "source", "line")
        function = define(state, name, fields["text"], fields["line"].number(0))
        state.functions[name] = function.replaced(
            attributes=_read_bits(fields["attributes"], "rtx"),
            source=fields["source"].text(),
            line=fields["line"].number(),
        )


def _read_values(part: Cursor, state: State) -> None:
    state.values = {}
    for name, item in part.members().items():
        if not is_name(name):
            item.refuse("this is not a name of a variable")
        state.values[name] = _read_value(item, state)


def _read_value(item: Cursor, state: State) -> Value:
    if item.is_text():
        return held(item.text(), state.budget)
    members = item.members()
    if members.keys() == {"indexed"}:
        return _read_indexed(members["indexed"], state)
    if members.keys() != {"associative"}:
        item.refuse('wanted a text, {"indexed": ...} or {"associative": ...}')
    return _read_associative(members["associative"], state)


def _read_associative(items: Cursor, state: State) -> AssociativeArray:
    array = AssociativeArray()
    for each in items.items():
        key, value = each.pair()
        if key.text() in array.items:
            key.refuse("the key occurs twice")
        store(array, key.text(), value.text(), state.budget)
    return array


def _read_indexed(items: Cursor, state: State) -> IndexedArray:
    array = IndexedArray()
    last = -1
    for each in items.items():
        index, value = each.pair()
        number = index.number(0)
        if number <= last:
            index.refuse("wanted indices in order, each once")
        store(array, number, value.text(), state.budget)
        last = number
    return array


def _read_bits(item: Cursor, allowed: str) -> int:
    text = item.text()
    bits = 0
    for letter in text:
        if letter not in allowed:
            item.refuse(f"wanted letters of {allowed!r}")
        bits |= _BITS[letter]
    if letters(bits) != text:
        item.refuse("wanted letters in the order of declare, each once")
    return bits


def _read_attributes(part: Cursor, state: State) -> None:
    state.attributes = {}
    for name, item in part.members().items():
        if not is_name(name):
            item.refuse("this is not a name of a variable")
        state.attributes[name] = _read_bits(item, "aAirtxclu")


def _check_kinds(part: Cursor, state: State) -> None:
    """Refuse values of another kind than the attributes of their names."""
    for name, value in state.values.items():
        bits = state.attributes.get(name, 0) & (ARRAY | ASSOC)
        if isinstance(value, str):
            right = not bits
        elif isinstance(value, IndexedArray):
            right = bits == ARRAY
        else:
            right = bool(bits & ASSOC)
        if not right:
            part.refuse(f"{shown(name)} is not of the kind that its attributes name")


def _read_references(part: Cursor, state: State) -> None:
    for name in (references := part.text_map()):
        if not is_name(name):
            part.refuse(f"'{shown(name)}' is not a name of a variable")
    state.namerefs = references


def _read_unset(part: Cursor, state: State) -> None:
    state.unset_dynamics = part.names(frozenset(DYNAMICS))


def _read_options(part: Cursor, state: State) -> None:
    state.options = Options.of(part.names(SET_OPTIONS), state.options.shopts)


def _read_shopts(part: Cursor, state: State) -> None:
    state.options = Options.of(state.options.enabled, part.names(SHOPT_OPTIONS))


def _read_aliases(part: Cursor, state: State) -> None:
    state.aliases = _kept(part, state)


def _read_completions(part: Cursor, state: State) -> None:
    state.completions = _kept(part, state) or NO_SPECS


def _kept(part: Cursor, state: State) -> dict[str, str]:
    return {held(name, state.budget): held(text, state.budget) for name, text in part.text_map().items()}


def _read_traps(part: Cursor, state: State) -> None:
    process = state.process
    for name, text in (traps := _kept(part, state)).items():
        if name not in _TRAPS:
            part.refuse(f"'{shown(name)}' is not a trap")
        number = NUMBERS.get(name)
        if number is not None and text:
            process.caught.add(number)
        elif number is not None:
            process.ignored.add(number)
            if number != SIGQUIT:
                process.caught.discard(number)
    state.traps = traps


def _read_tracing(part: Cursor, state: State) -> None:
    fields = part.fields("tracks_commands", "recording", "err_depth")
    tracing = state.tracing
    tracing.tracks_commands = fields["tracks_commands"].flag()
    tracing.recording = fields["recording"].flag()
    tracing.err_depth = _optional_number(fields["err_depth"], 0)


def _optional_number(item: Cursor, least: int) -> int | None:
    return None if item.is_null() else item.number(least)


def _read_positional(part: Cursor, state: State) -> None:
    state.positional = [held(text, state.budget) for text in part.texts()]


def _read_getopts(part: Cursor, state: State) -> None:
    if part.is_null():
        return
    value = state.values.get("OPTIND")
    if not isinstance(value, str) or not is_number(value) or len(value) >= _DIGITS or int(value) < 1:
        part.refuse("OPTIND is not a number of getopts")
    index = Index(value)
    index.position, index.word = part.number(0), int(value)
    state.values["OPTIND"] = index


def _read_process(part: Cursor, state: State) -> None:
    fields = part.fields("cwd", "umask")
    state.process.cwd = read_directory(fields["cwd"])
    state.process.umask = fields["umask"].number(0, 0o777)


def read_directory(item: Cursor) -> VirtualPath:
    """Return an absolute path."""
    text = item.text()
    if text[:1] != "/":
        item.refuse("wanted an absolute path")
    return VirtualPath(text)


def _read_directories(part: Cursor, state: State) -> None:
    state.directory_stack = [held(text, state.budget) for text in part.texts()]


def _read_statuses(part: Cursor, state: State) -> None:
    fields = part.fields("status", "substitution", "pipeline")
    state.status = fields["status"].number(0, 255)
    state.substitution_status = fields["substitution"].number(0, 255)
    pipeline = fields["pipeline"]
    state.pipestatus = None if pipeline.is_null() else [each.number(0, 255) for each in pipeline.items()]


def _read_hashed(part: Cursor, state: State) -> None:
    fields = part.fields("path", "commands")
    state.hash_path = fields["path"].optional_text()
    state.hashed = {}
    for name, item in fields["commands"].members().items():
        file, hits = item.pair()
        entry = hash_entry(state, file.text())
        state.hashed[held(name, state.budget)] = (entry[0], hits.number(0), entry[2])


def _read_disabled(part: Cursor, state: State) -> None:
    state.disabled_builtins = part.names(state.shell.commands.names)


def _read_names(part: Cursor, state: State) -> None:
    fields = part.fields("name", "source", "executed", "last_argument", "last_background", "line")
    state.name, state.source = fields["name"].text(), fields["source"].text()
    state.executed = fields["executed"].optional_text()
    state.last_argument = held(fields["last_argument"].text(), state.budget)
    state.last_background = fields["last_background"].number(0)
    state.line = fields["line"].number(0)


def _read_memo(part: Cursor, state: State) -> None:
    fields = part.fields(*Memo._fields)
    parameters, directory, history = fields["parameters"], fields["directory"], fields["history"]
    pair = None if directory.is_null() else directory.pair()
    state.memo = Memo(
        random=_read_random(fields["random"], state.process.pid),
        seconds=fields["seconds"].number(),
        subshell_offset=fields["subshell_offset"].number(),
        parameters=None if parameters.is_null() else tuple(parameters.texts()),
        directory=None if pair is None else (pair[0].text(), pair[1].text()),
        hash_used=fields["hash_used"].flag(),
        history=None if history.is_null() else _read_history(history, state),
        foreign=fields["foreign"].text_map(),
        trace_descriptor=_optional_number(fields["trace_descriptor"], -1),
    )


def _read_random(item: Cursor, owner: int) -> Random | None:
    if item.is_null():
        return None
    from sandhook.state.random import Random

    number, last = item.pair()
    generator = Random(number.number(0, 0xFFFFFFFF), owner)
    generator.last = last.number(0, 0x7FFF)
    return generator


def _read_history(item: Cursor, state: State) -> History:
    from sandhook.state.history import Entry, History

    fields = item.fields("entries", "base", "limit", "added", "session", "in_file")
    history = History(state)
    for each in fields["entries"].items():
        text, time = each.pair()
        history.entries.append(Entry(text.text(), _optional_number(time, 0)))
        history.size += len(text.text())
        state.budget.check_fits(history.size)
    history.base = fields["base"].number(0)
    history.limit = _optional_number(fields["limit"], 0)
    history.added = fields["added"].flag()
    history.session, history.in_file = fields["session"].number(0), fields["in_file"].number(0)
    return history


_READERS = {
    "attributes": _read_attributes, "references": _read_references, "unset": _read_unset, "options": _read_options,
    "shopts": _read_shopts, "aliases": _read_aliases, "traps": _read_traps, "tracing": _read_tracing,
    "positional": _read_positional, "getopts": _read_getopts, "process": _read_process,
    "directories": _read_directories, "statuses": _read_statuses, "completions": _read_completions,
    "hashed": _read_hashed, "disabled": _read_disabled, "memo": _read_memo, "names": _read_names,
}  # fmt: skip
