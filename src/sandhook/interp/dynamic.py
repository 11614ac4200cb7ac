"""Variables that are computed when they are read (bash 5.2 manual 5.2)."""

from __future__ import annotations

from sandhook.interp.record import number
from sandhook.state.options import SET_OPTIONS
from sandhook.state.state import Dynamic, State
from sandhook.state.values import AssociativeArray, IndexedArray

USER_ID = "1000"  #: of the sandbox's only user


def _random(state: State) -> str:
    generator = state.extra.get("random")
    if generator is None:
        from random import Random

        generator = state.extra["random"] = Random()
    return str(generator.randrange(32768))


def _seed_random(state: State, value: str) -> None:
    from random import Random

    state.extra["random"] = Random(value)


def _srandom(state: State) -> str:
    from random import SystemRandom

    return str(SystemRandom().getrandbits(32))


def _seconds(state: State) -> str:
    base = state.extra.get("seconds", 0)
    return str(int(state.budget.elapsed() - state.started) + base)


def _set_seconds(state: State, value: str) -> None:
    number = state.shell.arithmetic(state, value)
    state.extra["seconds"] = number - int(state.budget.elapsed() - state.started)


def _epoch_seconds(state: State) -> str:
    return str(int(state.process.kernel.now()))


def _epoch_realtime(state: State) -> str:
    return f"{state.process.kernel.now():.6f}"


def _function_names(state: State) -> IndexedArray | None:
    if not any(not frame.sourced for frame in state.frames):
        return None
    names = ["source" if frame.sourced else frame.function for frame in reversed(state.frames)]
    return IndexedArray([*names, "main"] if state.extra.get("script") else names)


def _call_lines(state: State) -> IndexedArray:
    lines = [str(frame.line) for frame in reversed(state.frames)]
    return IndexedArray([*lines, "0"] if state.extra.get("script") else lines)


def _sources(state: State) -> IndexedArray:
    outer = [frame.source for frame in reversed(state.frames)]
    if not state.frames:
        return IndexedArray([state.source] if state.extra.get("script") else [])
    return IndexedArray([*outer, state.extra["main"]] if state.extra.get("script") else outer)


def _pipe_statuses(state: State) -> IndexedArray:
    statuses = [state.status] if state.pipestatus is None else state.pipestatus
    return IndexedArray([str(status) for status in statuses])


def _directories(state: State) -> IndexedArray:
    return IndexedArray([state.get("PWD") or state.process.cwd, *state.directory_stack])


def _shell_options(state: State) -> str:
    return ":".join(name for name in SET_OPTIONS if name in state.options.enabled)


def _bash_options(state: State) -> str:
    return ":".join(sorted(state.options.shopts))


def _aliases(state: State) -> AssociativeArray:
    array = AssociativeArray()
    for name, value in state.aliases.items():
        array.set(name, value)
    return array


DYNAMICS: dict[str, Dynamic] = {
    "BASHOPTS": Dynamic(_bash_options, None),
    "BASHPID": Dynamic(lambda state: str(state.process.pid), None),
    "BASH_ALIASES": Dynamic(_aliases, None),
    "BASH_ARGV0": Dynamic(lambda state: state.name, lambda state, value: setattr(state, "name", value)),
    "BASH_COMMAND": Dynamic(lambda state: state.shell.current_command(state), None),
    "BASH_LINENO": Dynamic(_call_lines, None),
    "BASH_SOURCE": Dynamic(_sources, None),
    "BASH_SUBSHELL": Dynamic(lambda state: str(state.subshell), None),
    "DIRSTACK": Dynamic(_directories, None),
    "EPOCHREALTIME": Dynamic(_epoch_realtime, None),
    "EPOCHSECONDS": Dynamic(_epoch_seconds, None),
    "EUID": Dynamic(lambda state: USER_ID, None),
    "FUNCNAME": Dynamic(_function_names, None),
    "GROUPS": Dynamic(lambda state: IndexedArray([USER_ID]), None),
    "HISTCMD": Dynamic(number, None),
    "LINENO": Dynamic(lambda state: str(state.line), None),
    "PIPESTATUS": Dynamic(_pipe_statuses, None),
    "PPID": Dynamic(lambda state: "1", None),
    "RANDOM": Dynamic(_random, _seed_random),
    "SECONDS": Dynamic(_seconds, _set_seconds),
    "SHELLOPTS": Dynamic(_shell_options, None),
    "SRANDOM": Dynamic(_srandom, None),
    "UID": Dynamic(lambda state: USER_ID, None),
}
