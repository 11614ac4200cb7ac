"""``bash`` and ``sh`` as commands: a nested shell with a state of its own."""

from __future__ import annotations

import errno

from sandhook.interp.dynamic import ATTRIBUTES, DYNAMICS, UNLISTED, with_withheld
from sandhook.interp.lookup import not_started, search
from sandhook.kernel.process import Process
from sandhook.kernel.signals import NAMES, SIGQUIT
from sandhook.lazy import lazily
from sandhook.record import new_record
from sandhook.state.control import ExitShell
from sandhook.state.environment import exported_functions, exported_variables
from sandhook.state.options import LETTERS, SET_OPTIONS, SHOPT_OPTIONS
from sandhook.state.records import Input, Invocation
from sandhook.state.state import Interpreter, Programs, State
from sandhook.state.values import ARRAY, EXPORT, READONLY, IndexedArray, Value
from sandhook.text.names import is_name
from sandhook.text.numbers import decimal
from sandhook.vfs.errors import error_text, fs_error
from sandhook.vfs.path import join

USAGE_STATUS = 2

#: Variables that are set unless the environment has them.
_DEFAULTS = {
    "HOSTNAME": "sandhook", "HOSTTYPE": "x86_64", "MACHTYPE": "x86_64-pc-linux-gnu", "OSTYPE": "linux-gnu",
    "PATH": "/usr/local/bin:/usr/bin:/bin", "SHELL": "/bin/bash", "TERM": "dumb",
}  # fmt: skip

#: Variables that are set regardless of the environment. The array is readonly, so all shells share it.
_FIXED: dict[str, str | IndexedArray] = {
    "BASH": "/bin/bash",
    "BASH_LOADABLES_PATH": "/usr/local/lib/bash:/usr/lib/bash:/opt/local/lib/bash:/usr/pkg/lib/bash:/opt/pkg/lib/bash:.",
    "BASH_VERSINFO": IndexedArray(["5", "2", "15", "1", "release", "x86_64-pc-linux-gnu"]),
    "BASH_VERSION": "5.2.15(1)-release", "IFS": " \t\n", "OPTERR": "1", "OPTIND": "1", "PS4": "+ ",
}  # fmt: skip

#: Attributes that variables have regardless of the environment.
_ATTRIBUTES = {
    **ATTRIBUTES, "BASH_VERSINFO": ARRAY | READONLY, "OLDPWD": EXPORT, "PWD": EXPORT, "SHLVL": EXPORT,
}  # fmt: skip
_INITIAL: dict[str, Value] = {**_DEFAULTS, **_FIXED}
_NOT_IMPORTED = frozenset({*_ATTRIBUTES, *_FIXED})
_LEVEL = lazily(r"\s*[+-]?[0-9]{1,9}\s*")

#: Variables that a nested shell imports from its environment; a run itself ignores them.
_IMPORTED_BY_NESTED_SHELLS = ("BASH_ENV", "ENV", "GLOBIGNORE", "PS4")

#: Options of bash that are not supported.
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

#: Prompts, which a shell that is not interactive drops from its environment, as bash does.
_PROMPTS = frozenset({"PS1", "PS2"})

#: Variables that the environment of a run may not set.
INERT = frozenset({"BASHOPTS", "BASH_ENV", "ENV", "EXECIGNORE", "GLOBIGNORE", "IFS", "PS4", "SHELLOPTS"})


#: Computed variables, whose values the environment does not set.
_COMPUTED = frozenset(name for name, dynamic in DYNAMICS.items() if dynamic.unset is None)
#: What is not taken from the environment as it is.
_WITHOUT_IMPORT = INERT | _PROMPTS | _COMPUTED


def new_state(
    runtime: Interpreter,
    process: Process,
    name: str,
    environment: dict[str, str],
    *,
    input: Input = "none",
    main: str = "",
    programs: Programs | None = None,
) -> State:
    """Return the state of a shell that has just started with an environment.

    Functions and options are never imported from the environment.

    Args:
        name: ``$0``.
        input: The source of the commands, if it is already known.
        main: The path of the script file.
        programs: The programs of the host; None in a sandbox.
    """
    invocation = new_record(Invocation, (input, main, None, process.parent_pid, frozenset(process.ignored)))
    state = runtime.state_class(
        process, runtime, name, invocation=invocation, dynamics=DYNAMICS, unlisted=UNLISTED, programs=programs
    )
    restrictions = process.kernel.settings.restrictions
    if restrictions is not None and restrictions.variables:
        state.dynamics, state.unlisted = with_withheld(restrictions, environment)
    else:  # /proc/self/environ must not show what is withheld
        process.environment = environment
    process.on_signal = state.handle_signal
    process.caught.add(SIGQUIT)  # it ends a subshell, but not a shell
    if process.ignored:
        state.traps.update((NAMES[number], "") for number in process.ignored)
    state.values = values = _INITIAL.copy()  # in half the time of an update of an empty one
    state.attributes = _ATTRIBUTES.copy()
    _import_environment(state, environment)
    if not _NOT_IMPORTED.isdisjoint(environment):
        state.attributes.update(_ATTRIBUTES)
        values.update(_FIXED)
    if programs is not None:
        values.update((key, value) for key, value in programs.facts().items() if key not in environment)
    state.last_argument = environment.get("_", name)
    if "_" in environment:
        del values["_"], state.attributes["_"]
    outer_level = environment.get("SHLVL")
    values["SHLVL"] = _level(runtime, state, outer_level) if outer_level else "1"
    values["PWD"] = process.cwd
    return state


def _import_environment(state: State, environment: dict[str, str]) -> None:
    """Set the exported variables of a new shell, without those that an environment may not set."""
    values, attributes = state.values, state.attributes
    foreign: dict[str, str] = {}
    for name, value in environment.items():
        if is_name(name):
            values[name] = value
            attributes[name] = EXPORT
        else:
            foreign[name] = value
    if foreign:
        state.memo = state.memo._replace(foreign=foreign)
    if _WITHOUT_IMPORT.isdisjoint(environment):
        return
    for inert in (INERT | _PROMPTS).intersection(environment):
        del values[inert], attributes[inert]
    for computed in _COMPUTED.intersection(environment):
        text = values.pop(computed, None)
        seconds = decimal(text) if computed == "SECONDS" and isinstance(text, str) else None
        if seconds is not None:
            state.memo = state.memo._replace(seconds=seconds)


def _level(runtime: Interpreter, state: State, outer_level: str) -> str:
    """Return SHLVL: one more than in the outer shell, or 1 if its value is not a number, as in bash."""
    level = int(outer_level) + 1 if _LEVEL.fullmatch(outer_level) else 1
    if level >= 1000:
        runtime.write_error(state, f"{state.name}: warning: shell level ({level}) too high, resetting to 1\n")
        level = 1
    return str(max(level, 0))


def set_environment_value(state: State, name: str, value: str) -> None:
    """Set one exported variable."""
    state.values[name] = value
    state.attributes[name] = state.attributes.get(name, 0) | EXPORT


class _Request:
    """The arguments of ``bash``.

    Attributes:
        arguments: The words that are not options yet, then those that follow the options.
        wants_command: ``-c``: the first argument is the text to run.
        from_stdin: ``-s``: the arguments are positional parameters.
        interactive: ``-i``.
        startup: The file that an interactive shell runs first; None with ``--norc``.
        profile: A login shell reads its profile files.
    """

    __slots__ = ("arguments", "from_stdin", "interactive", "name", "profile", "startup", "wants_command")

    def __init__(self, name: str, arguments: list[str]) -> None:
        self.name = name
        self.arguments = arguments
        self.wants_command = self.from_stdin = self.interactive = False
        self.startup: str | None = "~/.bashrc"
        self.profile = True


def run_shell(runtime: Interpreter, outer: State, argv: list[str]) -> int:
    """Run ``bash [options] [-c text | file] [arguments]`` as the process of ``outer``."""
    state = _nested_state(runtime, outer, argv)
    name = argv[0].rpartition("/")[2]
    request = _Request(name.removeprefix("-") if argv[0][:1] == "-" else name, argv[1:])
    status = _read_options(runtime, outer, state, request)
    if status is not None:
        return status
    if request.interactive:
        for prompt in _PROMPTS.intersection(environment := exported_variables(outer)):
            set_environment_value(state, prompt, environment[prompt])
    state.instrumented = state.options.xtrace
    arguments = request.arguments
    if request.wants_command:
        if not arguments:
            runtime.write_error(outer, f"{request.name}: -c: option requires an argument\n")
            return USAGE_STATUS
        command = arguments.pop(0)
        if arguments:
            state.name = state.source = arguments.pop(0)
        state.positional = arguments
        state.invocation = state.invocation._replace(input="string")
        status = _start(runtime, state, request)
        return runtime.run_main(state, command, "-c: ") if status is None else status
    if arguments and not request.from_stdin:
        if request.interactive or "login_shell" in state.options.shopts:
            status = _start(runtime, state, request)
            if status is not None:
                return status
        return run_script(runtime, state, arguments[0], arguments[1:])
    state.positional = arguments
    state.invocation = state.invocation._replace(input="stdin")
    status = _start(runtime, state, request)
    return runtime.run_main(state, None) if status is None else status


def _nested_state(runtime: Interpreter, outer: State, argv: list[str]) -> State:
    """Return the state of a shell that the command ``argv`` starts in the environment of ``outer``."""
    environment = exported_variables(outer)
    outer.process.argv = argv
    state = new_state(runtime, outer.process, argv[0], environment, programs=outer.programs)
    for key in _IMPORTED_BY_NESTED_SHELLS:  # shells that a script starts import what the script exports
        if key in environment:
            set_environment_value(state, key, environment[key])
    if argv[0][:1] == "-":
        state.set_shopt("login_shell", True)
    state.calls = outer.calls
    runtime.count_call(state)
    if argv[0].rpartition("/")[2].removeprefix("-") in ("sh", "dash", "ash"):
        state.set_option("posix", True)
    else:
        _import_functions(runtime, outer, state)
    _inherit_options(state, environment)
    if "POSIXLY_CORRECT" in environment:
        state.set_option("posix", True)
    return state


def _import_functions(runtime: Interpreter, outer: State, state: State) -> None:
    """Define what the outer shell exports, from its text; ``state`` has no source yet but the environment."""
    for name, definition in exported_functions(outer).items():
        text = f"function {name} {definition}"
        runtime.run_text(state, text, line=0)
        if name in state.functions:
            state.functions[name] = state.functions[name].replaced(attributes=EXPORT)
    state.line = 1


def _read_options(runtime: Interpreter, outer: State, state: State, request: _Request) -> int | None:
    """Parse and apply the options; return a status when one of them ends the shell."""
    arguments = request.arguments
    while arguments and arguments[0][:1] in ("-", "+"):
        word = arguments.pop(0)
        if word in ("--", "-"):
            break
        read = _read_long_option if word.startswith("--") else _read_letters
        status = read(runtime, outer, state, request, word)
        if status is not None:
            return status
    if state.options.posix:
        state.options = state.options.as_listed()
    return None


def _read_long_option(
    runtime: Interpreter, outer: State, state: State, request: _Request, word: str
) -> int | None:
    """Apply an option such as ``--posix``; return a status when it ends the shell."""
    match word:
        case "--norc":
            request.startup = None
        case "--rcfile" | "--init-file":
            if not request.arguments:
                runtime.write_error(outer, f"{request.name}: {word[2:]}: option requires an argument\n")
                return USAGE_STATUS
            request.startup = request.arguments.pop(0)
        case "--noprofile":
            request.profile = False
        case "--noediting":
            pass
        case "--login":
            state.set_shopt("login_shell", True)
        case "--posix":
            state.set("POSIXLY_CORRECT", "y")
        case "--verbose":
            state.set_option("verbose", True)
        case "--version":
            _write(state, f"GNU bash, version {state.get('BASH_VERSION')} (x86_64-pc-linux-gnu)\n")
            return 0
        case "--help":
            version = f"GNU bash, version {state.get('BASH_VERSION')}-({state.get('MACHTYPE')})"
            _write(state, f"{version}\n{_USAGE.replace('NAME', state.name)}")
            return 0
        case _:
            return _option_error(runtime, outer, state, word)
    return None


def _read_letters(
    runtime: Interpreter, outer: State, state: State, request: _Request, word: str
) -> int | None:
    """Apply options such as ``-ex``; return a status when one is invalid."""
    on = word[0] == "-"
    for letter in word[1:]:
        if letter == "c":
            request.wants_command = True
        elif letter == "s":
            request.from_stdin = True
        elif letter == "l":
            state.set_shopt("login_shell", on)
        elif letter == "i":
            request.interactive = on
        elif letter in "oO":
            if not request.arguments:
                _list_options(state, letter, reusable=not on)
                continue
            option = request.arguments.pop(0)
            if not _set_long(state, option, on, letter):
                problem = (
                    f"{request.name}: {option}: invalid" if letter == "o" else f"{option}: invalid shell"
                )
                runtime.write_error(outer, f"{request.name}: line 0: {problem} option name\n")
                return USAGE_STATUS
        elif letter in LETTERS:
            state.set_option(LETTERS[letter], on)
        else:
            return _option_error(runtime, outer, state, f"{word[0]}{letter}")
    return None


def _inherit_options(state: State, environment: dict[str, str]) -> None:
    """Switch on the options that the calling shell exported in SHELLOPTS and BASHOPTS."""
    for name in environment.get("SHELLOPTS", "").split(":"):
        if name in SET_OPTIONS:
            if name == "posix":
                state.set("POSIXLY_CORRECT", "y")
            state.set_option(name, True)
    for name in environment.get("BASHOPTS", "").split(":"):
        if name in SHOPT_OPTIONS:
            state.set_shopt(name, True)
    for name in ("SHELLOPTS", "BASHOPTS"):
        if name in environment:
            state.attributes[name] = state.attributes.get(name, 0) | EXPORT


def _read_environment_file(runtime: Interpreter, state: State, variable: str) -> int | None:
    """Run the file that BASH_ENV or ENV names; return a status when it ends the shell."""
    value = state.get(variable)
    state.instrumented = state.options.xtrace
    if not value or (variable == "BASH_ENV" and state.options.posix):
        return None
    try:
        path = runtime.expand_text(state, value)
        if path and not state.process.kernel.fs.is_dir(join(state.process.cwd, path)):
            runtime.source(state, path, [])
    except ExitShell as leaving:
        return runtime.run_exit_trap(state, leaving.status) & 0xFF
    except OSError:  # the file is optional
        pass
    return None


def _list_options(state: State, letter: str, *, reusable: bool) -> None:
    """Print the options, for ``bash -o`` or ``bash -O`` without a name."""
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


def _option_error(runtime: Interpreter, outer: State, state: State, option: str) -> int:
    """Report an option that bash does not have, or that sandhook does not support.

    After ``-e`` bash leaves at the report: without the usage, and with the status 1.
    """
    name = state.name
    if option in _NOT_SUPPORTED:
        runtime.write_error(outer, f"{name}: {option} is not supported (L-SHELL-002)\n")
    elif state.options.errexit:
        runtime.write_error(outer, f"{name}: {option}: invalid option\n")
        return 1
    else:
        runtime.write_error(outer, f"{name}: {option}: invalid option\n{_USAGE.replace('NAME', name)}")
    return USAGE_STATUS


def _start(runtime: Interpreter, state: State, request: _Request) -> int | None:
    """Run the startup files of a shell; return a status when one ends it."""
    login = "login_shell" in state.options.shopts
    if not (request.interactive or login):
        return _read_environment_file(runtime, state, "BASH_ENV")
    from sandhook.interp import interactive

    if request.interactive:
        interactive.begin(runtime, state, request.name)
    if login:
        return interactive.read_profile(runtime, state) if request.profile else None
    if state.options.posix:
        return _read_environment_file(runtime, state, "ENV")
    return None if request.startup is None else interactive.read_startup(runtime, state, request.startup)


def run_script(runtime: Interpreter, state: State, path: str, arguments: list[str]) -> int:
    """Run a file as the script of this state."""
    from sandhook.interp.script import is_binary, read_script

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
        reporter = state.name if missing or error.errno != errno.EISDIR else path
        return not_started(state, 127 if missing else 126, f"{reporter}: {path}: {error_text(error)}")
    if is_binary(state, file):
        return not_started(state, 126, f"{path}: {path}: cannot execute binary file")
    state.name, state.source = path, file
    state.positional = arguments
    state.invocation = state.invocation._replace(input="file", main=file)
    status = _read_environment_file(runtime, state, "BASH_ENV")
    if status is not None:
        return status
    return runtime.run_main(state, text)


def _set_long(state: State, name: str, on: bool, letter: str) -> bool:
    try:
        if letter == "o":
            if name == "posix" and on:
                state.set("POSIXLY_CORRECT", "y")
            state.set_option(name, on)
        else:
            state.set_shopt(name, on)
    except KeyError:
        return False
    return True


def _write(state: State, text: str) -> None:
    stdout = state.process.descriptors.get(1)
    if stdout is not None:
        stdout.write(text.encode())
