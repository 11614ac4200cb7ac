"""What a shell knows in addition to its variables: its start, what it reports, what it is in the middle of.

The four records differ in what a subshell gets. ``Invocation`` and ``Memo`` are immutable and replaced as
a whole, so that a subshell shares them until one of the two shells replaces its own. ``Tracing`` is copied.
``Execution`` begins anew.
"""

from __future__ import annotations

from collections.abc import Mapping

from sandhook.record import Record
from sandhook.typed import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from sandhook.errors import ShellSyntaxError
    from sandhook.state.frame import Frame
    from sandhook.state.history import History
    from sandhook.state.random import Random
    from sandhook.state.values import Charge
    from sandhook.syntax.nodes import Command

#: Where a shell reads its commands: the text of ``-c``, a script file, standard input; "none" before it does.
Input: TypeAlias = Literal["string", "file", "stdin", "none"]

_NO_NAMES: Mapping[str, str] = {}


class Invocation(Record):
    """How a shell was started; it changes while the shell starts, and not afterwards.

    Fields:
        input: Where the shell reads its commands.
        main: The path of the script file; "" without one.
        interactive: What messages of an interactive shell begin with; None for a shell that is not interactive.
        parent_pid: PPID.
        ignored_signals: Signals that were ignored when the shell began; ``trap`` cannot change them.
    """

    input: Input = "none"
    main: str = ""
    interactive: str | None = None
    parent_pid: int = 1
    ignored_signals: frozenset[int] = frozenset()


#: The table of a shell where ``complete`` has never stored anything; it is never changed.
NO_SPECS: dict[str, str] = {}


class Memo(Record):
    """What variables and built-ins remember from one use to the next.

    Fields:
        random: The generator of RANDOM; None until RANDOM is first used.
        seconds: What SECONDS was set to, less the age of the shell at that moment; in seconds.
        subshell_offset: What BASH_SUBSHELL was set to, less the level at that moment.
        parameters: The positional parameters that BASH_ARGV ends with; None before they are first needed.
        directory: The logical and the physical working directory after the last ``cd``.
        hash_used: A command was entered into the hash table once.
        history: The list of commands; None until it is first used.
        trace_descriptor: Where xtrace goes since BASH_XTRACEFD was last set; None before.
        foreign: Environment variables whose names are not shell names; commands get them unchanged.
    """

    random: Random | None = None
    seconds: int = 0
    subshell_offset: int = 0
    parameters: tuple[str, ...] | None = None
    directory: tuple[str, str] | None = None
    hash_used: bool = False
    history: History | None = None
    foreign: Mapping[str, str] = _NO_NAMES
    trace_descriptor: int | None = None


class Tracing:
    """What is reported while commands run: xtrace, BASH_COMMAND, traps, the history. A subshell gets a copy.

    Attributes:
        depth: Levels of ``eval``, ``source`` and substitution: xtrace repeats the first character of PS4 as often.
        outer_depth: That of the shell around a subshell, whose EXIT trap runs one level below; -1 outside of subshells.
        busy: A line of xtrace is being written; the expansion of PS4 is not traced.
        command: The command that BASH_COMMAND shows; None before the first.
        debugged: The command of a child process whose DEBUG trap the parent ran; None for others.
        tracks_commands: A trap reads BASH_COMMAND, so each command is recorded before it runs.
        recording: Commands that are read now are added to the history.
        in_substitution: The commands are those of a command substitution; nobody reports their signals.
        running_traps: Names of the traps whose commands are running.
        err_depth: How deep in calls the ERR trap was set; None without one.
        err_calls: The numbers of calls around the ERR trap that is running, and around a DEBUG trap in it (None
            without one), and the line that bash has for every call between; None outside of an ERR trap.
        exit_status: What ``exit`` without an operand means in the EXIT trap; None outside of it.
        return_status: What ``return`` without an operand means in a trap; None outside of traps, and in DEBUG traps.
    """

    # Defaults of the class, as those of Execution.
    depth: int = 0
    outer_depth: int = -1
    busy: bool = False
    command: Command | None = None
    debugged: Command | None = None
    tracks_commands: bool = False
    recording: bool = False
    in_substitution: bool = False
    running_traps: frozenset[str] = frozenset()
    err_depth: int | None = None
    err_calls: tuple[int, int | None, int] | None = None
    exit_status: int | None = None
    return_status: int | None = None

    def copy(self) -> Tracing:
        new = Tracing()
        new.__dict__.update(self.__dict__)
        new.debugged = None
        return new


class Execution:
    """What one process of a shell is in the middle of. A subshell begins with a new one.

    Attributes:
        last_command: The depth of calls at which an external command takes the place of the process, since
            nothing follows it; -1 when commands follow.
        replaced_shell: The depth of calls at which bash replaces its own process by an external command, which
            therefore has the level (SHLVL) of the shell; -1 for none.
        main_calls: The depth of calls of the text of ``bash -c``; -1 in other processes.
        in_parentheses: The process is that of a list in parentheses.
        direct: The process runs one simple command alone, so an expansion error's status is its own.
        asynchronous: The process runs one command in the background.
        base_calls: The number of calls when the process began to run one simple command alone; -1 for others.
        alone: The next pipeline is all that the process runs.
        reads_pipe: The process is a part of a pipeline other than the first.
        redirected_input: The input of a compound command was redirected: jobs in the background read it, too.
        applies_as_child: Redirections are applied as in the process of an external command.
        defers_signals: ``kill`` runs with redirections: traps run after these are undone.
        inherited_traps: The traps of the parent, which ``trap`` shows until it sets one.
        running_exit_trap: The EXIT trap that is running, which ``trap`` still shows; None for none.
        substitutions: Descriptors of process substitutions to close when the command ends; None outside a command.
        killed: Number and signal of the process that a signal has just ended; reported after the command's
            redirections are undone.
        last_argument: The last argument of the command that runs, which ``$_`` becomes afterwards.
        syntax_error: The error that ended the text that was read last; None without one.
        positional_set: ``set`` has assigned the positional parameters, so they stay after a sourced file.
        abandoned_calls: Calls and positional parameters for the EXIT trap: those that errexit has left, or the
            parameters of a call that was the only command of the process.
        keeps_locals: Calls that errexit leaves in a subshell keep their locals for the EXIT trap.
        redirected_call: The number of calls around the outermost call with redirections, and their positional
            parameters; None outside of such a call.
        parameters: Memory of the positional parameters that the process has set, if they are many.
        skips_exit_trap: The process ends without the EXIT trap that it has set.
        skips_err_trap: The next failure is that of the call which set the ERR trap.
    """

    # Defaults of the class, not slots: a process changes few of them, and every subshell begins with a new record.
    last_command: int = -1
    replaced_shell: int = -1
    main_calls: int = -1
    in_parentheses: bool = False
    direct: bool = False
    asynchronous: bool = False
    base_calls: int = -1
    alone: bool = False
    reads_pipe: bool = False
    redirected_input: bool = False
    applies_as_child: bool = False
    defers_signals: bool = False
    inherited_traps: Mapping[str, str] = _NO_NAMES
    running_exit_trap: str | None = None
    substitutions: list[int] | None = None
    killed: tuple[int, int] | None = None
    last_argument: object = None
    syntax_error: ShellSyntaxError | None = None
    positional_set: bool = False
    abandoned_calls: tuple[list[Frame], list[str]] | None = None
    keeps_locals: bool = False
    redirected_call: tuple[int, list[str]] | None = None
    skips_exit_trap: bool = False
    skips_err_trap: bool = False
    parameters: Charge | None = None


#: What a shell has before it is started with anything; both are immutable.
NOT_STARTED = Invocation()
NOTHING_REMEMBERED = Memo()
