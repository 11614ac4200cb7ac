"""The runtime: the interpreter that closures, expansions and built-ins call.

One Runtime serves all States of a run (``State.shell``). It has the commands and the store of parsed trees.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from sandhook.errors import ShellSyntaxError
from sandhook.expand.shapes import runs_commands
from sandhook.interp import invoke, record, traps
from sandhook.interp.compile import Run
from sandhook.interp.lookup import Commands
from sandhook.interp.program import (
    Unavailable,
    load_program,
    print_warning,
    print_warnings,
    read_units,
    source_name,
)
from sandhook.interp.script import CRLF, has_crlf, note
from sandhook.interp.subshell import run_last_trap
from sandhook.kernel.signals import Terminated
from sandhook.kernel.stack import DEEP, stack_exceeds
from sandhook.lazy import lazy_module
from sandhook.state.assigned import Argument, Assigned
from sandhook.state.control import Discard, ExitShell, Replaced, ReturnFrom, ShellError
from sandhook.state.state import State
from sandhook.syntax import parse_heredoc, parse_word
from sandhook.syntax.nodes import Assignment, Case, Command, For, Select, SimpleCommand, Word
from sandhook.syntax.options import ParseOptions, parse_options
from sandhook.typed import TYPE_CHECKING, NoReturn, TypeVar

if TYPE_CHECKING:
    from sandhook.expand import arith
    from sandhook.interp import (
        arithmetic_errors,
        command_errors,
        expansion_services,
        external,
        messages,
        substitution,
        trace,
    )
    from sandhook.interp.program import TreeStore
else:  # most runs have no error, no trace and no arithmetic, many only built-ins
    arith = lazy_module("sandhook.expand.arith")
    arithmetic_errors = lazy_module("sandhook.interp.arithmetic_errors")
    command_errors = lazy_module("sandhook.interp.command_errors")
    expansion_services = lazy_module("sandhook.interp.expansion_services")
    external = lazy_module("sandhook.interp.external")
    messages = lazy_module("sandhook.interp.messages")
    substitution = lazy_module("sandhook.interp.substitution")
    trace = lazy_module("sandhook.interp.trace")

T = TypeVar("T")


class Runtime:
    """Finds commands, runs text, reports errors; delegates to the other modules of ``interp``.

    Args:
        commands: Built-ins and utilities.
        store: Keeps parsed trees beyond the process, or None.
        crlf: Lines of scripts may end in CRLF.
    """

    __slots__ = ("commands", "crlf", "store")
    state_class = State

    def __init__(self, commands: Commands, store: TreeStore | None = None, *, crlf: bool = True) -> None:
        self.commands = commands
        self.store = store
        self.crlf = crlf

    # ------------------------------------------------------------------ messages

    def error(self, state: State, text: str) -> None:
        """Write ``name: line N: text`` to standard error; does nothing when that is closed."""
        self.write_error(state, f"{self.where(state)}{text}\n")

    def warning(self, state: State, text: str) -> None:
        """Write ``name: line N: warning: text`` to standard error."""
        self.error(state, f"warning: {text}")

    def assignment_error(self, state: State, error: ShellError) -> None:
        """Write the message of an assignment error, which may end the shell under ``set -e``."""
        command_errors.assignment_error(self, state, error)

    def fatal_error(self, state: State, error: ShellError, argv: Sequence[Argument] = ()) -> int:
        """Write the message of an error, and end the command, its unit or the shell; see ``command_errors``."""
        return command_errors.fatal_error(self, state, error, argv)

    def expression_error(self, state: State, error: ShellError, command: str) -> int:
        """Write the message of an error inside ``((`` or ``[[``, which then return status 1."""
        return command_errors.expression_error(self, state, error, command)

    def fatal_status(self, state: State, status: int) -> int:
        """Return the exit status of a shell that an error with ``status`` ended: 127 only for ``-c``."""
        return command_errors.fatal_status(state, status)

    def where(self, state: State, *, numbered: bool = True) -> str:
        """Return the beginning of every message: the name of the script and the line; "bash" when interactive."""
        if state.invocation.interactive is not None:
            return f"{state.invocation.interactive}: "
        name = source_name(state)
        return f"{name}: line {state.line}: " if state.line and numbered else f"{name}: "

    def write_error(self, state: State, text: str) -> None:
        """Write text to standard error, unchanged."""
        state.process.write_error(text.encode("utf-8", "surrogateescape"))

    def report_syntax(self, state: State, error: ShellSyntaxError, label: str, line: int = 1) -> None:
        """Report a syntax error as bash does, with the offending line."""
        messages.report_syntax(self, state, error, label, line)

    # ------------------------------------------------------------------ safe points

    def poll(self, state: State) -> None:
        """Charge the next slice of steps, deliver signals and run other tasks; called when a slice is used up."""
        process = state.process
        process.kernel.budget.next_slice()
        if process.pending:
            process.deliver()
        process.kernel.scheduler.yield_to_others()

    def failed(self, state: State, status: int, node: Command) -> None:
        """Act on a command that failed outside a condition: the ERR trap, errexit."""
        if state.errexit_suppressed:
            return
        if "ERR" in state.traps:
            if not state.tracing.tracks_commands or not isinstance(node, SimpleCommand):
                traps.note_failure(state, node)  # a recorded command is newer: the node called it
            if state.execution.skips_err_trap:
                state.execution.skips_err_trap = False
            else:
                self.run_trap(state, "ERR")
                if traps.fails_twice(state, node):
                    self.run_trap(state, "ERR")
        elif state.options.errexit and "EXIT" in state.traps and not state.tracing.tracks_commands:
            self.note_command(state, node)
        if state.options.errexit:
            if "EXIT" in state.traps and traps.leave_calls(state):
                status = self.run_exit_trap(state, status)
            raise ExitShell(status)

    def guard_stack(self, state: State, run: Callable[[], T]) -> T:
        """Call ``run``, on a new stack when the current one is deep."""
        if stack_exceeds(DEEP):
            return state.process.kernel.scheduler.call_on_new_stack(run)
        return run()

    def count_call(self, state: State) -> None:
        """Count a nested call. Raises LimitExceeded when ``call_depth`` is reached."""
        state.calls += 1
        if state.calls > state.budget.call_depth:
            state.budget.fail("call_depth")

    def job_control(self, state: State) -> bool:
        """Return True if ``set -m`` is on."""
        return "monitor" in state.options.enabled

    # ------------------------------------------------------------------ running text

    def parse_options(self, state: State) -> ParseOptions:
        """Return the options for parsing the next input unit."""
        options = state.options
        limits = state.process.kernel.limits
        result = parse_options(options.extglob, options.posix, limits.nesting, limits.script_bytes, self.crlf)
        if state.aliases and "expand_aliases" in options.shopts:
            result = result.with_aliases(state.aliases)
        return result

    def run_units(
        self, state: State, text: str, label: str = "", line: int = 1, *, main: bool = False
    ) -> int:
        """Run a text unit by unit; an expansion error ends only its unit. Raises control flow.

        Returns:
            The last status; 2 after a syntax error, which comes after the units before it.
        """
        status = state.status if main else 0  # the main text may come in pieces, some of them empty
        error: ShellSyntaxError | None = None
        if main and self.crlf and has_crlf(text):
            note(state, [f"{state.source}: {CRLF}"])
        for unit, first in self._units(state, text, line):
            if isinstance(unit, ShellSyntaxError):
                error, line = unit, first
                continue
            status = self._run_unit(state, unit, label, first, main=main)
            if "onecmd" in state.options.enabled and state.invocation.input != "string":
                break
        if error is not None:
            self.report_syntax(state, error, label, line)
            unclosed = main and error.where == "quote"  # bash then keeps the status of the previous command
            state.status = status = 1 if error.repeats == "end" else (state.status if unclosed else 0) or 2
            state.execution.syntax_error = error
            if error.where == "substitution":  # this ends more than the text that contains it
                command_string = state.invocation.input == "string" and not state.subshell
                if command_string or not main:
                    state.status = 127 if command_string else 1
                    raise ExitShell(state.status)
        return status

    def _units(self, state: State, text: str, line: int) -> Iterator[tuple[Run | ShellSyntaxError, int]]:
        """Yield the units of a text, and the line that their lines are counted from; a syntax error comes last."""

        options = self.parse_options(state)
        if not options.aliases and record.OPTIONS.isdisjoint(state.options.enabled):
            program = load_program(text, options, self.store, line)
            count = 0
            try:
                while (unit := program.unit(count)) is not None:
                    if unit.warnings:
                        print_warnings(state, unit.warnings, line)
                    count += 1
                    yield unit.run, line
                    if record.reads_otherwise(state, options):
                        break
                else:
                    if program.error is not None:
                        print_warnings(state, program.last_warnings, line)
                        yield program.error, line
                    return
            except Unavailable:
                pass
            end = program.end(count)
            del program  # it may be large
            text, line = text[end:], line + text.count("\n", 0, end)
        for run in read_units(
            text,
            lambda: self.parse_options(state),
            line,
            lambda source: record.read(state, source),
            lambda at, warning: print_warning(state, at, warning),
        ):
            yield run, line

    def _run_unit(self, state: State, run: Run, label: str, line: int, *, main: bool) -> int:
        if "noexec" in state.options.enabled:  # set -n: parse, but run nothing
            return state.status
        try:
            return run(state)
        except ShellSyntaxError as error:
            self.report_syntax(state, error, label, line)
            if state.options.errexit and not state.errexit_suppressed:
                raise ExitShell(2) from None
            state.status = 1
            return 1
        except Discard as discarded:
            state.status, state.pipestatus = discarded.status, None
            if discarded.status == 2 and not (main and state.invocation.input != "string"):
                state.status = discarded.status = (
                    1  # of ${name=word}, in bash only the unit of a file has status 2
                )
            state.errexit_suppressed = 0
            if state.subshell or (discarded.top and not main):
                raise
            return discarded.status

    def run_text(self, state: State, text: str, *, name: str | None = None, line: int | None = None) -> int:
        """Run the text of ``eval`` or of a trap in this state. Control flow propagates.

        Args:
            state: The state it runs in.
            text: The commands.
            name: Begins the messages of syntax errors ("eval"); None for nothing.
            line: Number of its first line; by default the current line.
        """
        self.count_call(state)
        first = max(1, state.line) if line is None else line
        label = f"{name}: " if name else ""
        tracing = state.tracing
        depth, recording = tracing.depth, tracing.recording
        tracing.depth = depth + 1
        if recording:
            tracing.recording = False
        try:
            return self.guard_stack(state, lambda: self.run_units(state, text, label, first))
        finally:
            state.calls -= 1
            tracing.depth = depth
            if recording:  # otherwise the text may have begun to record
                tracing.recording = True

    def source(self, state: State, path: str, arguments: list[str]) -> int:
        """Run the text of a file in this state. Raises OSError when it cannot be read."""
        from sandhook.interp.sourced import run_sourced

        return run_sourced(self, state, path, arguments)

    def run_main(self, state: State, text: str | None, label: str = "") -> int:
        """Run a whole script (None: the one on standard input) and its EXIT trap; return the status."""
        if text is not None and state.invocation.input == "string":
            state.values["BASH_EXECUTION_STRING"] = text
            state.execution.main_calls, state.execution.replaced_shell = state.calls, -1
        try:
            if text is None:
                from sandhook.interp.stdin_script import run_stdin

                status = run_stdin(self, state)
            else:
                status = self.run_units(state, text, label, main=True)
        except (ExitShell, ReturnFrom, Discard) as leaving:
            status = leaving.status
        except Terminated as death:
            run_last_trap(state, death)
            raise
        state.status = status
        if "EXIT" in state.traps and "noexec" not in state.options.enabled:
            status = self.run_exit_trap(state, status)
        return status & 0xFF

    def substitution_body(self, state: State, text: str) -> Run:
        """Return the closure of a backquoted text; a syntax error is reported when it runs."""
        line = state.line
        return lambda inner: self.run_units(inner, text, "command substitution: ", line)

    def invoke(self, state: State, argv: Sequence[Argument]) -> int:
        """Run an expanded simple command: function, built-in, utility, or script."""
        return invoke.invoke(self, state, argv)

    def call(
        self,
        state: State,
        argv: Sequence[Argument],
        *,
        functions: bool = True,
        builtins: bool = True,
        utilities: bool = True,
        default_path: bool = False,
    ) -> int:
        """Run a simple command by argv, for ``command``, ``builtin`` and similar built-ins."""
        return invoke.invoke(
            self,
            state,
            argv,
            functions=functions,
            builtins=builtins,
            utilities=utilities,
            default_path=default_path,
        )

    def replace(
        self,
        state: State,
        argv: Sequence[str],
        file: str,
        *,
        environment: dict[str, str] | None = None,
        argv0: str | None = None,
    ) -> NoReturn:
        """exec: run a file instead of the shell, called ``argv0``. Raises ExitShell, always."""
        words = list(argv) if argv0 is None else [argv0, *argv[1:]]
        status = external.replace_shell(self, state, words, file, environment)
        state.traps.pop("EXIT", None)
        raise Replaced(status)

    # ------------------------------------------------------------------ expansions

    def arithmetic(self, state: State, text: str) -> int:
        """Evaluate arithmetic text that is already expanded. Raises ShellError."""
        return arith.evaluate(state, text)

    def subscript(self, state: State, text: str) -> int:
        """Evaluate the subscript of an indexed array; an error in it ends ``bash -c`` or the unit of the script."""
        return arithmetic_errors.subscript(state, text)

    def in_subscript(self, state: State, error: ShellError) -> ShellError:
        """Return an error in the arithmetic of a subscript: it ends ``bash -c``, elsewhere the unit of the script."""
        return arithmetic_errors.in_subscript(state, error)

    def subscript_text(self, state: State, name: str, text: str) -> str:
        """Return a subscript in text (``unset 'm[$k]'``), expanded for ``State``.

        The text may come from data, so only names, elements and lengths are expanded, and quotes are removed
        (L-INJ-001).
        """
        from sandhook.expand.subscript_text import expand_subscript  # rare: its text was in quotes

        return expand_subscript(state, text, key=state.is_associative(name))

    def integer(self, state: State, text: str) -> int:
        """Evaluate the value of an integer variable; an error ends ``bash -c`` or the unit of the script."""
        return arithmetic_errors.integer(state, text)

    def sum_text(self, state: State, old: str | None, value: str) -> str:
        return f"{self.integer(state, old or '0')}+{self.integer(state, value or '0')}"

    def expand_text(self, state: State, text: str) -> str:
        """Expand parameters, substitutions and backslashes as in a here-document."""
        if not any(c in text for c in "$`\\"):
            return text
        return expansion_services.expand(state, text, parse_heredoc(text))

    def command_output(self, state: State, text: str) -> str:
        """Return the expansion of ``$(text)``; the text is parsed now."""
        return substitution.substitute(self.substitution_body(state, text), None)(state)

    def expand_words(self, state: State, text: str) -> list[str]:
        """Expand text, including blanks, as one unquoted word to fields; text with commands is not expanded."""
        word = parse_word(text)
        return [text] if runs_commands(word) else expansion_services.expand_fields(state, text, word)

    def unary_test(self, state: State, operator: str, operand: str) -> bool:
        """Evaluate a unary operator of ``[[``."""
        return self.commands.test(state, [operator, operand])

    def binary_test(self, state: State, operator: str, left: str, right: str) -> bool:
        """Evaluate -nt, -ot, -ef of ``[[``."""
        return self.commands.test(state, [left, operator, right])

    def close_later(self, state: State, number: int) -> None:
        """Close a process substitution's descriptor when the command has ended."""
        substitutions = state.execution.substitutions
        if substitutions is not None:
            substitutions.append(number)

    def ask_selection(self, state: State, values: list[str], *, menu: bool) -> str | None:
        """Show ``select``'s menu and prompt; return the reply, None at the end of input."""
        from sandhook.interp import selection

        return selection.ask(self, state, values, menu=menu)

    # ------------------------------------------------------------------ traps and tracing

    def run_trap(self, state: State, name: str) -> int:
        """Run the commands of a trap; ``$?`` is restored afterwards."""
        return traps.run_trap(self, state, name)

    def run_exit_trap(self, state: State, status: int) -> int:
        """Run the EXIT trap once and return the final status."""
        return traps.run_exit_trap(self, state, status)

    def handle_signal(self, state: State, number: int) -> None:
        """Run the trap of a signal."""
        traps.handle_signal(self, state, number)

    def note_command(self, state: State, node: Command) -> None:
        """Record the command for BASH_COMMAND; commands of a trap do not change it."""
        if not state.tracing.running_traps:
            state.tracing.command = node

    def current_command(self, state: State) -> str:
        """Return BASH_COMMAND."""
        node = state.tracing.command
        return trace.command_text(node) if node is not None else ""

    def debug(self, state: State, node: Command | None = None, *, ahead: bool = False) -> bool:
        """Run the DEBUG trap before a command or a function's body; return True if extdebug skips the command."""
        if node is not None and ("DEBUG" in state.traps or not isinstance(node, (For, Select, Case))):
            self.note_command(state, node)
        if "DEBUG" not in state.traps:
            return False
        if node is not None and state.tracing.debugged is node:
            state.tracing.debugged = None
            return False
        return traps.skips(state, self.run_trap(state, "DEBUG"))

    def trace(self, state: State, argv: Sequence[Argument]) -> None:
        """xtrace of a simple command."""
        if state.options.xtrace and argv:
            trace.show_command(state, argv)

    def trace_assignment(self, state: State, name: str, text: str) -> None:
        if state.options.xtrace:
            trace.show(state, trace.assigned(Assigned(name, None, False, text)))

    def trace_assigned(self, state: State, assigned: Assigned, subscript: Word | None = None) -> None:
        """xtrace of an assignment; its subscript is printed as in the source."""
        if state.options.xtrace:
            if subscript is not None:
                assigned = assigned._replace(subscript=trace.word_text(subscript))
            trace.show(state, trace.assigned(assigned))

    def trace_for(self, state: State, name: str, words: tuple[Word, ...] | None) -> None:
        if state.options.xtrace:
            listed = " ".join(map(trace.word_text, words)) if words is not None else '"$@"'
            trace.show(state, f"for {name} in {listed}")

    def trace_line(self, state: State, text: str) -> None:
        """xtrace of a text, unchanged."""
        if state.options.xtrace:
            trace.show(state, text)

    def trace_node(self, state: State, node: Command | Assignment) -> None:
        """xtrace of a command as in the source, up to its body."""
        if state.options.xtrace:
            text = trace.command_text(node) if not isinstance(node, Assignment) else trace.word_text(node)
            trace.show(state, text.rstrip())

    def print_times(self, state: State, times: tuple[float, float, float], form: str) -> None:
        """Print real, user and system seconds for ``time``."""
        messages.print_times(self, state, times, form)


__all__ = ["Runtime"]
