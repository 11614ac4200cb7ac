"""The interpreter as states, expansions and built-ins see it: one protocol, which ``interp.runtime`` implements.

It is generic in the state that it works on, so that this module need not import ``state.state``, which
imports it; everybody else uses ``state.state.Interpreter``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, TypeAlias, TypeVar

if TYPE_CHECKING:
    from sandhook.errors import ShellSyntaxError
    from sandhook.kernel.descriptor import Description
    from sandhook.state.assigned import Argument, Assigned
    from sandhook.state.control import ShellError
    from sandhook.syntax.nodes import Assignment, Command, Word
    from sandhook.syntax.options import ParseOptions

T = TypeVar("T")
S = TypeVar("S", contravariant=True)
State_ = TypeVar("State_")

#: A built-in: receives its arguments, its name first, and returns an exit status.
BuiltinOf: TypeAlias = "Callable[[S, Sequence[Argument]], int]"


class CommandsOf(Protocol[S]):
    """The commands that a shell has."""

    @property
    def names(self) -> frozenset[str]:
        """Every name that ``type`` calls a shell builtin."""
        ...

    @property
    def special(self) -> frozenset[str]:
        """POSIX special built-ins."""
        ...

    @property
    def declarations(self) -> frozenset[str]:
        """Built-ins whose arguments may be assignments."""
        ...

    @property
    def keywords(self) -> Sequence[str]:
        """Reserved words."""
        ...

    @property
    def loaded(self) -> Mapping[str, BuiltinOf[S] | None]:
        """The built-ins that were used so far; None for a utility."""
        ...

    @property
    def utilities(self) -> Mapping[str, Any]:
        """Name to module of every utility."""
        ...

    @property
    def prepare(self) -> Callable[[str, tuple[str, ...], bool], BuiltinOf[S] | None]:
        """Return a quicker form of a built-in for its constant first words; True if these are all its words."""
        ...

    @property
    def test(self) -> Callable[[S, list[str]], bool]:
        """Evaluate an expression of ``test``."""
        ...

    def builtin(self, name: str) -> BuiltinOf[S] | None:
        """Return a built-in, None when there is none of that name; load it when it is first used."""
        ...


class InterpreterOf(Protocol[State_]):
    """What a state, an expansion or a built-in asks of the interpreter."""

    @property
    def commands(self) -> CommandsOf[State_]:
        """Built-ins and utilities."""
        ...

    @property
    def state_class(self) -> type[State_]:
        """The class of the state of a new shell."""
        ...

    @property
    def crlf(self) -> bool:
        """Whether lines of scripts may end in CRLF."""
        ...

    # ------------------------------------------------------------------ messages

    def error(self, state: State_, text: str) -> None:
        """Write ``name: line N: text`` to standard error; a closed one swallows it."""
        ...

    def warning(self, state: State_, text: str) -> None:
        """Write ``name: line N: warning: text`` to standard error."""
        ...

    def assignment_error(self, state: State_, error: ShellError) -> None:
        """Report an assignment error; under ``set -e`` some of them end the shell at once (ExitShell)."""
        ...

    def write_error(self, state: State_, text: str) -> None:
        """Write to standard error as it is."""
        ...

    def where(self, state: State_, *, numbered: bool = True) -> str:
        """Return what begins every message: the script's name and the line."""
        ...

    def fatal_error(self, state: State_, error: ShellError, argv: Sequence[Argument] = ()) -> int:
        """Report the error of a command; return its status or raise what it ends (Discard, ExitShell)."""
        ...

    def expression_error(self, state: State_, error: ShellError, command: str) -> int:
        """Report an error inside ``((`` or ``[[``, which the shell survives; return its status."""
        ...

    def fatal_status(self, state: State_, status: int) -> int:
        """Return what a shell exits with when an error with ``status`` ended it."""
        ...

    def print_times(self, state: State_, times: tuple[float, float, float], form: str) -> None:
        """Print what ``time`` prints of real, user and system seconds."""
        ...

    # ------------------------------------------------------------------ safe points

    def poll(self, state: State_) -> None:
        """Charge a slice of steps, deliver signals, let other tasks run. Raises LimitExceeded, Terminated."""
        ...

    def failed(self, state: State_, status: int, node: Command) -> None:
        """Act on a command that failed outside a condition: the ERR trap, errexit (ExitShell)."""
        ...

    def guard_stack(self, state: State_, run: Callable[[], T]) -> T:
        """Call ``run``, on a new stack when this one is deep."""
        ...

    def count_call(self, state: State_) -> None:
        """Count a nested call. Raises LimitExceeded when ``call_depth`` is reached."""
        ...

    def job_control(self, state: State_) -> bool:
        """Return True under ``set -m``."""
        ...

    # ------------------------------------------------------------------ running text and commands

    def parse_options(self, state: State_) -> ParseOptions:
        """Return how the next input unit is read."""
        ...

    def run_text(self, state: State_, text: str, *, name: str | None = None, line: int | None = None) -> int:
        """Run the text of ``eval``, of a trap or of a file in this state. Control flow passes through.

        Args:
            name: Begins the messages of syntax errors ("eval"); None for nothing.
            line: Number of its first line; by default the current line.
        """
        ...

    def run_units(
        self, state: State_, text: str, label: str = "", line: int = 1, *, main: bool = False
    ) -> int:
        """Run a text unit by unit; return the last status, 2 after a syntax error."""
        ...

    def run_main(self, state: State_, text: str | None, label: str = "") -> int:
        """Run a whole script, None for the one on standard input, and its EXIT trap; return the status."""
        ...

    def source(self, state: State_, path: str, arguments: list[str]) -> int:
        """Run a file's text in this state. Raises OSError when it cannot be read."""
        ...

    def invoke(self, state: State_, argv: Sequence[Argument]) -> int:
        """Run a simple command that is expanded: function, built-in, utility, or script."""
        ...

    def call(
        self,
        state: State_,
        argv: Sequence[Argument],
        *,
        functions: bool = True,
        builtins: bool = True,
        utilities: bool = True,
        default_path: bool = False,
    ) -> int:
        """Run a simple command by argv, for ``command``, ``builtin`` and the like."""
        ...

    def replace(
        self,
        state: State_,
        argv: Sequence[str],
        file: str,
        *,
        environment: dict[str, str] | None = None,
        argv0: str | None = None,
    ) -> NoReturn:
        """Run a file in place of the shell, called ``argv0``. Raises ExitShell, always."""
        ...

    # ------------------------------------------------------------------ expansions

    def arithmetic(self, state: State_, text: str) -> int:
        """Evaluate arithmetic text that is already expanded. Raises ShellError."""
        ...

    def integer(self, state: State_, text: str) -> int:
        """Evaluate what is assigned to an integer variable. Raises ShellError."""
        ...

    def sum_text(self, state: State_, old: str | None, value: str) -> str:
        """Return what ``+=`` assigns to an integer variable, as a sum of two numbers. Raises ShellError."""
        ...

    def subscript(self, state: State_, text: str) -> int:
        """Evaluate the subscript of an indexed array. Raises ShellError."""
        ...

    def in_subscript(self, state: State_, error: ShellError) -> ShellError:
        """Return the error of a subscript's arithmetic in the form in which it is raised."""
        ...

    def subscript_text(self, state: State_, name: str, text: str) -> str:
        """Return a subscript that is text (``unset 'm[$k]'``), with names expanded and quotes removed."""
        ...

    def expand_text(self, state: State_, text: str) -> str:
        """Expand parameters, substitutions and backslashes as in a here-document."""
        ...

    def expand_words(self, state: State_, text: str) -> list[str]:
        """Expand text as one unquoted word to fields, without pathname expansion and without commands."""
        ...

    def command_output(self, state: State_, text: str) -> str:
        """Return what ``$(text)`` expands to; the text is parsed now."""
        ...

    def substitution_body(self, state: State_, text: str) -> Callable[[State_], int]:
        """Return the closure of a backquoted text; a syntax error is reported when it runs."""
        ...

    def close_later(self, state: State_, number: int) -> None:
        """Close a process substitution's descriptor when the command has ended."""
        ...

    def unary_test(self, state: State_, operator: str, operand: str) -> bool:
        """Evaluate a unary operator of ``[[``."""
        ...

    def binary_test(self, state: State_, operator: str, left: str, right: str) -> bool:
        """Evaluate -nt, -ot, -ef of ``[[``."""
        ...

    def ask_selection(self, state: State_, values: list[str], *, menu: bool) -> str | None:
        """Show ``select``'s menu and prompt; return the reply, None at the end of input."""
        ...

    # ------------------------------------------------------------------ traps and tracing

    def run_trap(self, state: State_, name: str) -> int:
        """Run the commands of a trap; ``$?`` is as before afterwards."""
        ...

    def report_syntax(self, state: State_, error: ShellSyntaxError, label: str, line: int = 1) -> None:
        """Report a syntax error as bash does, with the offending line."""
        ...

    def run_exit_trap(self, state: State_, status: int) -> int:
        """Run the EXIT trap once and return the final status."""
        ...

    def handle_signal(self, state: State_, number: int) -> None:
        """Run the trap of a signal that came."""
        ...

    def note_command(self, state: State_, node: Command) -> None:
        """Record the command that BASH_COMMAND shows; a trap's commands leave it as it is."""
        ...

    def current_command(self, state: State_) -> str:
        """Return BASH_COMMAND."""
        ...

    def debug(self, state: State_, node: Command | None = None, *, ahead: bool = False) -> bool:
        """Run the DEBUG trap before a command; return True when the command is skipped (extdebug).

        Args:
            ahead: Another process runs the command, which this shell is about to start.
        """
        ...

    def trace(self, state: State_, argv: Sequence[Argument]) -> None:
        """xtrace of a simple command."""
        ...

    def trace_assignment(self, state: State_, name: str, text: str) -> None:
        """xtrace of ``name=text``."""
        ...

    def trace_assigned(self, state: State_, assigned: Assigned, subscript: Word | None = None) -> None:
        """xtrace of an assignment, whose subscript is shown as it is written."""
        ...

    def trace_for(self, state: State_, name: str, words: tuple[Word, ...] | None) -> None:
        """xtrace of the head of a ``for`` loop; None are the positional parameters."""
        ...

    def trace_line(self, state: State_, text: str) -> None:
        """xtrace of a text that is shown as it is."""
        ...

    def trace_node(self, state: State_, node: Command | Assignment) -> None:
        """xtrace of a command that is shown as it stands in the script, up to its body."""
        ...


class ProgramsOf(Protocol[S]):
    """What a shell reaches on the host, where its run may: programs, and connections by redirections."""

    def facts(self) -> Mapping[str, str]:
        """Return the shell variables that describe the machine: HOSTNAME, OSTYPE, HOSTTYPE, MACHTYPE."""
        ...

    def search(self, state: S, name: str, path: str | None) -> tuple[str, str | None] | None:
        """Look a name without slash up in PATH: the file, and the utility when it is one of ours."""
        ...

    def files(self, state: S, name: str, path: str | None) -> Iterator[str]:
        """Yield all that ``search`` could find, in order."""
        ...

    def may_run(self, state: S, path: str) -> bool:
        """Return True when permissions let ``run_file`` run a path."""
        ...

    def connect(self, state: S, name: str) -> Description:
        """Open /dev/tcp/HOST/PORT or /dev/udp/HOST/PORT. Raises ShellError in bash's words."""
        ...

    def run_file(self, state: S, path: str, argv: Sequence[str], shell: str) -> int:
        """Run a file of the host: a program, or a script by its interpreter; report what fails."""
        ...
