"""hash: remember where commands are.

Source: POSIX.1-2024 XCU 3 hash; bash 5.2 reference manual 4.1.
Divergence: L-HASH-001, running a command does not enter it, and hits are not counted.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins._base import builtin, complain, parse, runtime, write
from sandhook.builtins._finding import found_files
from sandhook.state.state import State
from sandhook.vfs.path import join

USAGE = "hash [-lr] [-p pathname] [-dt] [name ...]"


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return 1 for a name that is not found."""
    given, names = parse(argv, "dlp:rt")
    letters = {option.letter for option in given}
    path = next((option.argument for option in reversed(given) if option.letter == "p"), None)
    if "r" in letters:
        state.hashed.clear()
    if not names:
        if not letters & {"r", "d", "t", "p"}:
            _list(state, reusable="l" in letters)
        return 0
    status = 0
    for name in names:
        if "t" in letters or "d" in letters:
            found = state.hashed.get(name)
            if found is None:
                complain(state, f"hash: {name}: not found")
                status = 1
            elif "d" in letters:
                del state.hashed[name]
            elif "l" in letters:
                write(state, f"builtin hash -p {found} {name}\n")
            else:
                write(state, f"{name}\t{found}\n" if len(names) > 1 else f"{found}\n")
        elif path is not None:
            status |= _enter_path(state, name, path)
        elif "/" not in name:
            status |= _enter(state, name)
    return status


def _enter_path(state: State, name: str, path: str) -> int:
    if state.process.kernel.fs.is_dir(join(state.process.cwd, path)):
        complain(state, f"hash: {path}: Is a directory")
        return 1
    state.hashed[name] = path
    return 0


def _enter(state: State, name: str) -> int:
    kinds = {found.kind for found in runtime(state).find(state, name)}
    if kinds & {"function", "builtin"}:
        return 0
    files = found_files(state, name)
    if not files:
        complain(state, f"hash: {name}: not found")
        return 1
    state.hashed[name] = files[0]
    return 0


def _list(state: State, *, reusable: bool) -> None:
    if not state.hashed:
        write(state, "hash: hash table empty\n")
        return
    if reusable:
        write(state, "".join([f"builtin hash -p {path} {name}\n" for name, path in state.hashed.items()]))
    else:
        write(state, "hits\tcommand\n" + "".join([f"   0\t{path}\n" for path in state.hashed.values()]))
