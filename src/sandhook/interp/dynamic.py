"""Variables that are computed when they are read (bash 5.2 manual 5.2)."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence

from sandhook.interp.lookup import hash_entry, hash_table, remember
from sandhook.interp.record import number
from sandhook.kernel.settings import Restrictions
from sandhook.lazy import lazily
from sandhook.state.frame import AbandonedCalls
from sandhook.state.locals import function_frame, keep_parameters
from sandhook.state.options import SET_OPTIONS, SHOPT_OPTIONS
from sandhook.state.state import Dynamic, State
from sandhook.state.values import ARRAY, INTEGER, READONLY, AssociativeArray, IndexedArray, Value, held
from sandhook.text.numbers import decimal

#: A number without an expression: what these variables take after ``declare +i``.
_NUMBER = lazily(r"[ \t]*[+-]?[0-9]{1,19}[ \t]*$")

#: Values of BASH_COMPAT, without a point, under which RANDOM is that of bash 5.0.
_SINGLE_HALF = ("31", "32", "40", "41", "42", "43", "44", "50")


def _random(state: State) -> str:
    generator = state.memo.random
    if generator is None or (state.subshell and generator.owner != state.process.pid):
        from random import SystemRandom

        from sandhook.state.random import Random

        generator = Random(SystemRandom().getrandbits(31), state.process.pid)
        state.memo = state.memo._replace(random=generator)
    level = (state.get("BASH_COMPAT") or "").replace(".", "", 1)
    return str(generator.next(joined=level not in _SINGLE_HALF))


def _seed_random(state: State, value: str) -> None:
    from sandhook.state.random import Random

    if not _NUMBER.match(value):
        return
    state.memo = state.memo._replace(random=Random(int(value), state.process.pid))


def _srandom(state: State) -> str:
    from random import SystemRandom

    return str(SystemRandom().getrandbits(32))


def _seconds(state: State) -> str:
    return str(int(state.budget.elapsed() - state.started) + state.memo.seconds)


def _set_seconds(state: State, value: str) -> None:
    number = int(value) if _NUMBER.match(value) else 0
    age = int(state.budget.elapsed() - state.started)
    state.memo = state.memo._replace(seconds=number - age)


def _epoch_seconds(state: State) -> str:
    return str(int(state.process.kernel.now()))


def _epoch_realtime(state: State) -> str:
    return f"{state.process.kernel.now():.6f}"


def _function_names(state: State) -> IndexedArray | None:
    frames = state.frames
    if isinstance(frames, AbandonedCalls):
        hidden = frames.are_hidden() or (bool(frames) and all(frame.sourced for frame in frames))
    else:
        hidden = all(frame.sourced for frame in frames)
    if hidden:
        return None
    names = ["source" if frame.sourced else frame.function for frame in reversed(state.frames)]
    return IndexedArray([*names, "main"] if state.invocation.input == "file" else names)


def _call_lines(state: State) -> IndexedArray:
    lines = [str(frame.line) for frame in state.frames]
    if state.tracing.err_calls is not None:
        first, last, line = state.tracing.err_calls
        lines[first:last] = [str(line)] * len(lines[first:last])
    lines.reverse()
    return IndexedArray([*lines, "0"] if state.invocation.input == "file" else lines)


def _sources(state: State) -> IndexedArray:
    outer = [frame.source for frame in reversed(state.frames)]
    if not state.frames:
        return IndexedArray([state.source] if state.invocation.input == "file" else [])
    return IndexedArray([*outer, state.invocation.main] if state.invocation.input == "file" else outer)


def _argument_counts(state: State) -> IndexedArray:
    return IndexedArray([str(len(arguments)) for arguments in _argument_stack(state)])


def _argument_values(state: State) -> IndexedArray:
    return IndexedArray([text for arguments in _argument_stack(state) for text in reversed(arguments)])


def _argument_stack(state: State) -> list[Sequence[str]]:
    """Return the arguments of the calls that began under extdebug, the innermost first, and of the shell.

    Those of the shell are its parameters when extdebug was first set, or when a command outside a function
    first read them.
    """
    if function_frame(state) is None:
        keep_parameters(state)
    has_extdebug = "extdebug" in state.options.shopts
    stack: list[Sequence[str]] = [
        frame.arguments
        for frame in reversed(state.frames)
        if isinstance(frame.arguments, tuple) or (has_extdebug and frame.arguments is not None)
    ]
    if state.memo.parameters is not None:
        stack.append(state.memo.parameters)
    return stack


def _subshell_level(state: State) -> str:
    return str(state.subshell + state.memo.subshell_offset)


def _set_subshell_level(state: State, value: str) -> None:
    offset = state.shell.arithmetic(state, value) - state.subshell
    state.memo = state.memo._replace(subshell_offset=offset)


def _set_name(state: State, value: str) -> None:
    if state.source == state.name and state.invocation.input != "file":  # messages keep the name of a script
        state.source = value
    state.name = value


def _becomes_plain(name: str) -> Callable[[State, str], None]:
    """Return an assignment that converts a computed variable to a plain one."""

    def assign(state: State, value: str) -> None:
        state.unset_dynamics = state.unset_dynamics | {name}
        state.values[name] = value

    return assign


def _pipe_statuses(state: State) -> IndexedArray:
    statuses = [state.status] if state.pipestatus is None else state.pipestatus
    return IndexedArray([str(status) for status in statuses])


def _set_trace(state: State, value: str) -> None:
    """Set BASH_XTRACEFD; a value that is not an open descriptor is reported and stored, and not used."""
    state.values["BASH_XTRACEFD"] = value
    if not value:
        _unset_trace(state)
        return
    fd = decimal(value)
    if fd is None or fd not in state.process.descriptors:
        state.shell.error(state, f"BASH_XTRACEFD: {value}: invalid value for trace file descriptor")
        if state.memo.trace_descriptor is None:  # standard error, also when that descriptor is opened later
            state.memo = state.memo._replace(trace_descriptor=-1)
        return
    state.memo = state.memo._replace(trace_descriptor=fd)


def _unset_trace(state: State) -> None:
    """Let the trace go to standard error again, and close its former descriptor, as bash does.

    It stays open while a local hides a value: that value returns.
    """
    fd = state.memo.trace_descriptor
    state.memo = state.memo._replace(trace_descriptor=None)
    hidden = [frame.saved["BASH_XTRACEFD"] for frame in state.frames if "BASH_XTRACEFD" in frame.saved]
    if fd in state.process.descriptors and not any(saved.value for saved in hidden):
        state.process.close(fd)


def _switch(name: str, on_change: Callable[[State, str | None], None]) -> Dynamic:
    """Return a plain variable that calls ``on_change`` with its value when it is set, and with None when it is unset."""

    def assign(state: State, value: str) -> None:
        state.values[name] = value
        on_change(state, value)

    return Dynamic(lambda state: None, assign, None, True, lambda state: on_change(state, None))


def _switch_dotglob(state: State, value: str | None) -> None:
    if value != "":
        state.set_shopt("dotglob", value is not None)


def _switch_compatible(state: State, value: str | None) -> None:
    """Set BASH_COMPAT: 4.2 or 42 switches compat42 on; an empty value, or 5.0 and later, switch all levels off."""
    level = (value or "").replace(".", "", 1) if value != "." else "."
    option = f"compat{level}"
    for name in SHOPT_OPTIONS:
        if name.startswith("compat"):
            state.set_shopt(name, name == option)
    if level not in ("", "50", "51", "52") and option not in SHOPT_OPTIONS:
        state.shell.error(state, f"BASH_COMPAT: {value}: compatibility value out of range")


def _forget_commands(state: State, value: str | None) -> None:
    """Empty the table of ``hash``: its paths were found in another PATH, or may have been."""
    state.hashed, state.hash_path = {}, None


def _directories(state: State) -> IndexedArray:
    return IndexedArray([state.get("PWD") or state.process.cwd, *state.directory_stack])


def _set_directory(state: State, subscript: str, value: str | None) -> None:
    """Run DIRSTACK[n]=directory for n above 0; the first entry is the working directory."""
    index = state.shell.subscript(state, subscript) - 1
    if value is not None and 0 <= index < len(state.directory_stack):
        state.directory_stack[index] = value


def _shell_options(state: State) -> str:
    return ":".join(name for name in SET_OPTIONS if name in state.options.enabled)


def _bash_options(state: State) -> str:
    return ":".join(sorted(state.options.listed))


def _aliases(state: State) -> AssociativeArray:
    return _map_of(state.aliases)


def _commands(state: State) -> AssociativeArray:
    return _map_of({name: entry[0] for name, entry in hash_table(state).items()})


def _set_command(state: State, name: str, file: str | None) -> None:
    if file is not None:
        remember(state, name, hash_entry(state, file))


def _set_alias(state: State, name: str, value: str | None) -> None:
    if value is not None:  # unset changes nothing, as in bash
        state.aliases[held(name, state.budget)] = held(value, state.budget)


def _map_of(items: dict[str, str]) -> AssociativeArray:
    array = AssociativeArray()
    for name, value in items.items():
        array.set(name, value)
    return array


DYNAMICS: dict[str, Dynamic] = {
    "BASHOPTS": Dynamic(_bash_options, None),
    "BASHPID": Dynamic(lambda state: str(state.process.pid), None),
    "BASH_ALIASES": Dynamic(_aliases, None, _set_alias),
    "BASH_ARGV0": Dynamic(lambda state: state.name, _set_name),
    "BASH_ARGC": Dynamic(_argument_counts, None),
    "BASH_ARGV": Dynamic(_argument_values, None),
    "BASH_CMDS": Dynamic(_commands, None, _set_command),
    "BASH_COMPAT": _switch("BASH_COMPAT", _switch_compatible),
    "BASH_COMMAND": Dynamic(lambda state: state.shell.current_command(state), None),
    "BASH_LINENO": Dynamic(_call_lines, None),
    "BASH_SOURCE": Dynamic(_sources, None),
    "BASH_SUBSHELL": Dynamic(_subshell_level, _set_subshell_level),
    "BASH_XTRACEFD": Dynamic(lambda state: None, _set_trace, None, True, _unset_trace),
    "COMP_WORDBREAKS": Dynamic(lambda state: " \t\n\"'@><=;|&(:", _becomes_plain("COMP_WORDBREAKS")),
    "DIRSTACK": Dynamic(_directories, None, _set_directory),
    "EPOCHREALTIME": Dynamic(_epoch_realtime, None),
    "EPOCHSECONDS": Dynamic(_epoch_seconds, None),
    "EUID": Dynamic(lambda state: str(state.process.kernel.user_id), None),
    "FUNCNAME": Dynamic(_function_names, None),
    "GLOBIGNORE": _switch("GLOBIGNORE", _switch_dotglob),
    "GROUPS": Dynamic(lambda state: IndexedArray([str(state.process.kernel.group_id)]), None),
    "HISTCMD": Dynamic(number, None),
    "IGNOREEOF": _switch("IGNOREEOF", lambda state, value: state.set_option("ignoreeof", value is not None)),
    "LINENO": Dynamic(lambda state: str(state.line), None),
    "PIPESTATUS": Dynamic(_pipe_statuses, None, lasting=True),
    "PATH": _switch("PATH", _forget_commands),
    "POSIXLY_CORRECT": _switch(
        "POSIXLY_CORRECT", lambda state, value: state.set_option("posix", value is not None)
    ),
    "PPID": Dynamic(lambda state: str(state.invocation.parent_pid), None),
    "RANDOM": Dynamic(_random, _seed_random),
    "SECONDS": Dynamic(_seconds, _set_seconds),
    "SHELLOPTS": Dynamic(_shell_options, None),
    "SRANDOM": Dynamic(_srandom, None),
    "UID": Dynamic(lambda state: str(state.process.kernel.user_id), None),
}

#: Initial attributes of computed variables.
ATTRIBUTES: dict[str, int] = {
    "BASHOPTS": READONLY, "BASHPID": INTEGER, "EUID": INTEGER | READONLY, "FUNCNAME": ARRAY, "HISTCMD": INTEGER,
    "OPTIND": INTEGER, "PPID": INTEGER | READONLY, "RANDOM": INTEGER, "SECONDS": INTEGER, "SHELLOPTS": READONLY,
    "SRANDOM": INTEGER, "UID": INTEGER | READONLY,
}  # fmt: skip

#: Variables that exist in bash only after their first use: lists of all variables omit them.
UNLISTED = frozenset({
    "BASHPID", "BASH_ARGV0", "BASH_COMMAND", "BASH_COMPAT", "BASH_SUBSHELL", "COMP_WORDBREAKS", "EPOCHREALTIME",
    "EPOCHSECONDS", "GLOBIGNORE", "HISTCMD", "IGNOREEOF", "LINENO", "PATH", "POSIXLY_CORRECT", "RANDOM", "SECONDS", "SRANDOM",
})  # fmt: skip


def with_withheld(
    restrictions: Restrictions, environment: Container[str]
) -> tuple[Mapping[str, Dynamic], frozenset[str]]:
    """Return the computed variables with those that a caller withholds, and those that no list has.

    A withheld variable is not set; that a script reads it is recorded. An assignment makes it a plain one.
    """
    names = [name for name in restrictions.variables if name not in environment and name not in DYNAMICS]
    withheld = {name: Dynamic(_withheld(restrictions, name), _becomes_plain(name)) for name in names}
    return {**DYNAMICS, **withheld}, UNLISTED.union(names)


def _withheld(restrictions: Restrictions, name: str) -> Callable[[State], Value | None]:
    def read(state: State) -> Value | None:
        restrictions.read.setdefault(name)
        return None

    return read
