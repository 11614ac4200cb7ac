"""``bash`` and ``sh`` as commands: a nested shell with a state of its own."""

from __future__ import annotations

import errno

from sandhook.interp.dynamic import ATTRIBUTES, DYNAMICS, UNLISTED
from sandhook.interp.environment import set_environment
from sandhook.interp.lookup import search
from sandhook.interp.outside import outside
from sandhook.interp.protocol import Runtime
from sandhook.interp.script import is_binary, read_script
from sandhook.interp.traps import on_signal
from sandhook.kernel.process import Process
from sandhook.kernel.signals import NAMES, SIGQUIT
from sandhook.lazy import lazily
from sandhook.state.control import ExitShell
from sandhook.state.options import LETTERS, SET_OPTIONS, SHOPT_OPTIONS
from sandhook.state.state import FOREIGN, State
from sandhook.state.values import ARRAY, EXPORT, READONLY, IndexedArray
from sandhook.vfs.errors import error_text, fs_error
from sandhook.vfs.path import join

USAGE_STATUS = 2

#: Variables that are set unless the environment has them.
_DEFAULTS = {
    "HOSTNAME": "sandbox", "HOSTTYPE": "x86_64", "MACHTYPE": "x86_64-pc-linux-gnu", "OSTYPE": "linux-gnu",
    "TERM": "dumb",
}  # fmt: skip
_LEVEL = lazily(r"\s*[+-]?[0-9]{1,9}\s*")

#: Variables of its environment that a nested shell obeys; at the start of a run they are inert.
_HEEDED = ("BASH_ENV", "GLOBIGNORE", "PS4")

#: Options of bash that are refused by name.
_NOT_SUPPORTED = frozenset({
    "-r", "-D", "--restricted", "--debug", "--debugger", "--dump-strings", "--dump-po-strings", "--pretty-print",
})  # fmt: skip

_USAGE = """\
Usage:\tNAME [GNU long option] [option] ...
\tNAME [GNU long option] [option] script-file ...
GNU long options:
\t--debug
\t--debugger
\t--dump-po-strings
\t--dump-strings
\t--help
\t--init-file
\t--login
\t--noediting
\t--noprofile
\t--norc
\t--posix
\t--pretty-print
\t--rcfile
\t--restricted
\t--verbose
\t--version
Shell options:
\t-ilrsD or -c command or -O shopt_option\t\t(invocation only)
\t-abefhkmnptuvxBCEHPT or -o option
"""

#: Names that a script's environment may not smuggle in as more than data.
INERT = frozenset({"BASHOPTS", "BASH_ENV", "ENV", "EXECIGNORE", "GLOBIGNORE", "IFS", "PS4", "SHELLOPTS"})


def new_state(runtime: Runtime, process: Process, name: str, environment: dict[str, str]) -> State:
    """Return the state of a shell that has just started with an environment.

    Functions are never imported from the environment, and options never taken from it.
    """
    state = State(process, runtime, name)
    state.dynamics = DYNAMICS
    state.unlisted = UNLISTED
    state.extra["parent"] = str(process.parent_pid)
    process.on_signal = lambda number: on_signal(runtime, state, number)
    process.caught.add(SIGQUIT)  # a shell does not end of it, a subshell does
    if process.ignored:
        state.extra["always_ignored"] = frozenset(process.ignored)
        state.traps.update((NAMES[number], "") for number in process.ignored)
    set_environment(state, {key: value for key, value in environment.items() if _is_name(key)})
    if len(state.values) < len(environment):
        state.extra[FOREIGN] = {key: value for key, value in environment.items() if not _is_name(key)}
    for inert in INERT:
        if inert in state.values:
            state.values.pop(inert)
            state.attributes.pop(inert, None)
    values = state.values
    for computed in DYNAMICS:
        if DYNAMICS[computed].unset is not None:
            continue
        given = values.pop(computed, None)
        if given is not None and computed == "SECONDS" and isinstance(given, str) and given.isdigit():
            state.extra["seconds"] = int(given[:18])
    state.attributes.update(ATTRIBUTES)
    values["IFS"] = " \t\n"
    values.setdefault("PATH", "/usr/local/bin:/usr/bin:/bin")
    values["OPTIND"] = "1"
    values["OPTERR"] = "1"
    values["PS4"] = "+ "
    values["BASH_VERSION"] = "5.2.15(1)-release"
    values["BASH_VERSINFO"] = IndexedArray(["5", "2", "15", "1", "release", "x86_64-pc-linux-gnu"])
    state.attributes["BASH_VERSINFO"] = ARRAY | READONLY
    for key, value in _DEFAULTS.items():
        values.setdefault(key, value)
    world = outside(state)
    if world is not None:
        values.update((key, value) for key, value in world.facts().items() if key not in environment)
    values["BASH"] = "/bin/bash"
    values["BASH_LOADABLES_PATH"] = "/usr/local/lib/bash:/usr/lib/bash"
    values.pop("_", None)
    state.attributes.pop("_", None)
    state.last_argument = environment.get("_", name)
    _count_level(runtime, state)
    set_environment_value(state, "PWD", process.cwd)
    state.attributes["OLDPWD"] = EXPORT
    return state


def _count_level(runtime: Runtime, state: State) -> None:
    """Set SHLVL to one more than the outer shell's, as bash does with values that are none."""
    given = state.values.get("SHLVL", "")
    assert isinstance(given, str)
    level = int(given) + 1 if _LEVEL.fullmatch(given) else 1
    if level >= 1000:
        runtime.write_error(state, f"{state.name}: warning: shell level ({level}) too high, resetting to 1\n")
        level = 1
    set_environment_value(state, "SHLVL", str(max(level, 0)))


def set_environment_value(state: State, name: str, value: str) -> None:
    """Set one exported variable."""
    state.values[name] = value
    state.attributes[name] = state.attributes.get(name, 0) | EXPORT


def _is_name(text: str) -> bool:
    return text.isidentifier() and text.isascii()


def run_shell(runtime: Runtime, outer: State, argv: list[str]) -> int:
    """Run ``bash [options] [-c text | file] [arguments]`` as the process of ``outer``."""
    name = argv[0].rpartition("/")[2]
    environment = outer.environment()
    outer.process.argv = argv
    state = new_state(runtime, outer.process, argv[0], environment)
    for key in _HEEDED:  # what a script exports itself, the shells that it starts obey
        if key in environment:
            set_environment_value(state, key, environment[key])
    if argv[0][:1] == "-":
        name = name.removeprefix("-")
        state.options.set_shopt("login_shell", True)
    state.calls = outer.calls
    state.subshell = 0
    runtime.count_call(state)
    if name in ("sh", "dash", "ash"):
        state.options.set("posix", True)
    else:
        exported = {key: value for key, value in outer.functions.items() if value.attributes & EXPORT}
        state.functions.update(exported)
    _inherit_options(state, environment)
    if "POSIXLY_CORRECT" in environment:
        state.options.set("posix", True)
    arguments = argv[1:]
    command: str | None = None
    wants_command = from_stdin = interactive = False
    startup: str | None = "~/.bashrc"
    profile = True
    while arguments and arguments[0][:1] in ("-", "+"):
        word = arguments.pop(0)
        if word in ("--", "-"):
            break
        if word.startswith("--"):
            if word == "--norc":
                startup = None
                continue
            if word in ("--rcfile", "--init-file"):
                if not arguments:
                    runtime.write_error(outer, f"{name}: {word[2:]}: option requires an argument\n")
                    return USAGE_STATUS
                startup = arguments.pop(0)
                continue
            if word == "--noprofile":
                profile = False
                continue
            if word == "--noediting":
                continue
            if word == "--login":
                state.options.set_shopt("login_shell", True)
                continue
            if word == "--posix":
                state.options.set("posix", True)
                continue
            if word == "--version":
                _write(state, f"GNU bash, version {state.get('BASH_VERSION')} (x86_64-pc-linux-gnu)\n")
                return 0
            if word == "--help":
                version = f"GNU bash, version {state.get('BASH_VERSION')}-({state.get('MACHTYPE')})"
                _write(state, f"{version}\n{_USAGE.replace('NAME', argv[0])}")
                return 0
            if word == "--verbose":
                state.options.set("verbose", True)
                continue
            return _refuse(runtime, outer, argv[0], word)
        on = word[0] == "-"
        for letter in word[1:]:
            if letter == "c":
                wants_command = True
            elif letter == "s":
                from_stdin = True
            elif letter == "l":
                state.options.set_shopt("login_shell", on)
            elif letter == "i":
                interactive = on
            elif letter in "oO":
                if not arguments:
                    _list_options(state, letter, reusable=not on)
                    continue
                option = arguments.pop(0)
                if not _set_long(state, option, on, letter):
                    wrong = f"{name}: {option}: invalid" if letter == "o" else f"{option}: invalid shell"
                    runtime.write_error(outer, f"{name}: line 0: {wrong} option name\n")
                    return USAGE_STATUS
            elif letter in LETTERS:
                state.options.set(LETTERS[letter], on)
            else:
                return _refuse(runtime, outer, argv[0], f"{word[0]}{letter}")
    state.instrumented = state.options.xtrace
    if wants_command:
        if not arguments:
            runtime.write_error(outer, f"{name}: -c: option requires an argument\n")
            return USAGE_STATUS
        command = arguments.pop(0)
        if arguments:
            state.name = arguments.pop(0)
            state.source = state.name
        state.positional = arguments
        state.extra["command_string"] = True
        left = _start(runtime, state, name, startup, interactive=interactive, profile=profile)
        return runtime.run_main(state, command, "-c: ") if left is None else left
    if arguments and not from_stdin:
        if interactive or "login_shell" in state.options.shopts:
            left = _start(runtime, state, name, startup, interactive=interactive, profile=profile)
            if left is not None:
                return left
        return run_script(runtime, state, arguments[0], arguments[1:])
    state.positional = arguments
    state.extra["from_stdin"] = True
    left = _start(runtime, state, name, startup, interactive=interactive, profile=profile)
    return runtime.run_main(state, None) if left is None else left


def _inherit_options(state: State, environment: dict[str, str]) -> None:
    """Take the options that the starting shell exported: SHELLOPTS and BASHOPTS."""
    for name in environment.get("SHELLOPTS", "").split(":"):
        if name in SET_OPTIONS:
            state.options.set(name, True)
    for name in environment.get("BASHOPTS", "").split(":"):
        if name in SHOPT_OPTIONS:
            state.options.set_shopt(name, True)
    for name in ("SHELLOPTS", "BASHOPTS"):
        if name in environment:
            state.attributes[name] = state.attributes.get(name, 0) | EXPORT


def _read_environment_file(runtime: Runtime, state: State) -> int | None:
    """Run the file that BASH_ENV names; return a status when it ends the shell."""
    named = state.get("BASH_ENV")
    state.instrumented = state.options.xtrace
    if not named or state.options.posix:
        return None
    try:
        path = runtime.expand_text(state, named)
        if path and not state.process.kernel.fs.is_dir(join(state.process.cwd, path)):
            runtime.source(state, path, [])
    except ExitShell as leaving:
        return runtime.run_exit_trap(state, leaving.status) & 0xFF
    except OSError:  # it need not be there
        pass
    return None


def _list_options(state: State, letter: str, *, reusable: bool) -> None:
    """Print what ``bash -o`` or ``bash -O`` without a name prints."""
    if letter == "o":
        table, enabled, command = dict.fromkeys(SET_OPTIONS), state.options.enabled, ("set -o", "set +o")
    else:
        table, enabled, command = (
            dict.fromkeys(SHOPT_OPTIONS),
            state.options.shopts,
            ("shopt -s", "shopt -u"),
        )
    for name in table:
        on = name in enabled
        if reusable:
            _write(state, f"{command[0 if on else 1]} {name}\n")
        else:
            _write(state, f"{name:<15}\t{'on' if on else 'off'}\n")


def _refuse(runtime: Runtime, state: State, name: str, option: str) -> int:
    """Report an option that bash does not know, or that sandhook does not have."""
    if option in _NOT_SUPPORTED:
        runtime.write_error(state, f"{name}: {option} is not supported (L-SHELL-002)\n")
    else:
        runtime.write_error(state, f"{name}: {option}: invalid option\n{_USAGE.replace('NAME', name)}")
    return USAGE_STATUS


def _start(
    runtime: Runtime, state: State, name: str, startup: str | None, *, interactive: bool, profile: bool
) -> int | None:
    """Run the startup files of a shell; return a status when one ends it."""
    login = "login_shell" in state.options.shopts
    if not (interactive or login):
        return _read_environment_file(runtime, state)
    from sandhook.interp import interactive as session

    if interactive:
        session.begin(runtime, state, name)
    if login:
        return session.read_profile(runtime, state) if profile else None
    return None if startup is None else session.read_startup(runtime, state, startup)


def run_script(runtime: Runtime, state: State, path: str, arguments: list[str]) -> int:
    """Run a file as a script of this state."""
    file = path
    if "/" not in path and not state.process.kernel.fs.exists(join(state.process.cwd, path)):
        located = search(state, path, state.get("PATH")) if path else None
        file = path if located is None or located[1] is not None else located[0]
    try:
        if not file:
            raise fs_error(errno.ENOENT)
        if state.process.kernel.fs.is_dir(join(state.process.cwd, file)):
            raise fs_error(errno.EISDIR)
        text = read_script(state, file)
    except OSError as error:
        missing = error.errno in (errno.ENOENT, errno.ENOTDIR)
        who = state.name if missing or error.errno != errno.EISDIR else path
        runtime.write_error(state, f"{who}: {path}: {error_text(error)}\n")
        return 127 if missing else 126
    if is_binary(state, file):
        runtime.write_error(state, f"{path}: {path}: cannot execute binary file\n")
        return 126
    state.name = state.source = path
    state.positional = arguments
    state.extra["script"] = True
    state.extra["main"] = path
    left = _read_environment_file(runtime, state)
    if left is not None:
        return left
    return runtime.run_main(state, text)


def _set_long(state: State, name: str, on: bool, letter: str) -> bool:
    try:
        if letter == "o":
            state.options.set(name, on)
        else:
            state.options.set_shopt(name, on)
    except KeyError:
        return False
    return True


def _write(state: State, text: str) -> None:
    stdout = state.process.descriptors.get(1)
    if stdout is not None:
        stdout.write(text.encode())
