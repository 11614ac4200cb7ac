"""hash: store the locations of commands.

Source: POSIX.1-2024 XCU 3 hash; bash 5.2 reference manual 4.1.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins.base import BuiltinError, builtin, parse, print_error, write
from sandhook.interp.lookup import find, hash_entry, hash_table, hashed_file, is_executable, remember, search
from sandhook.state.state import Hashed, State
from sandhook.state.values import hash_of
from sandhook.text.quoting import set_quote
from sandhook.vfs.path import join

USAGE = "hash [-lr] [-p pathname] [-dt] [name ...]"


_BUCKETS = 256  #: buckets of bash's hash table, which determines the order of a listing


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return 1 for a name that is not found, and when hashing is off."""
    options, names = parse(argv, "dlp:rt")
    letters = {option.letter for option in options}
    path = next((option.argument for option in reversed(options) if option.letter == "p"), None)
    if "hashall" not in state.options.enabled:
        raise BuiltinError("hashing disabled")
    table = hash_table(state)
    if "r" in letters:
        table.clear()
    if not names:
        for letter in ("d", "t"):
            if letter in letters:
                raise BuiltinError(f"-{letter}: option requires an argument")
        if "r" not in letters:
            _list(state, table, reusable="l" in letters)
        return 0
    if "t" in letters:
        return _print_files(state, table, names, reusable="l" in letters)
    status = 0
    for name in names:
        if "d" in letters:
            # Before the first entry bash has no table and prints nothing.
            if "/" not in name and table.pop(name, None) is None and state.memo.hash_used:
                print_error(state, f"hash: {name}: not found")
                status = 1
        elif path is not None:
            status |= _store_path(state, name, path)
        elif "/" not in name:
            status |= _store(state, table, name)
    return status


def _print_files(state: State, table: dict[str, Hashed], names: Sequence[str], *, reusable: bool) -> int:
    status = 0
    for name in names:
        if name not in table:
            print_error(state, f"hash: {name}: not found")
            status = 1
            continue
        hashed = hashed_file(state, name)
        file = "" if hashed is None else hashed[0]
        if reusable:
            write(state, f"builtin hash -p {file} {name}\n")
        else:
            write(state, f"{name}\t{file}\n" if len(names) > 1 else f"{file}\n")
    return status


def _store_path(state: State, name: str, path: str) -> int:
    if path and state.process.kernel.fs.is_dir(join(state.process.cwd, path)):
        print_error(state, f"hash: {path}: Is a directory")
        return 1
    remember(state, name, hash_entry(state, path))
    return 0


def _store(state: State, table: dict[str, Hashed], name: str) -> int:
    kinds = {meaning.kind for meaning in find(state, name)}
    if kinds & {"function", "builtin"}:
        return 0
    table.pop(name, None)
    located = search(state, name, state.get("PATH")) if state.get("PATH") else None
    if located is None or not (located[1] is not None or is_executable(state, located[0])):
        print_error(state, f"hash: {name}: not found")
        return 1
    remember(state, name, (located[0], 0, located[1]))
    return 0


def _list(state: State, table: dict[str, Hashed], *, reusable: bool) -> None:
    if not table:
        if not reusable:
            write(state, "hash: hash table empty\n")
        return
    lines = [] if reusable else ["hits\tcommand\n"]
    newest_first = reversed(table.items())
    for name, (file, hits, _) in sorted(newest_first, key=lambda item: hash_of(item[0]) % _BUCKETS):
        lines.append(f"builtin hash -p {set_quote(file)} {name}\n" if reusable else f"{hits:4d}\t{file}\n")
    write(state, "".join(lines))
