"""The compiler: calls the module of each node's family.

A closure is ``(State) -> exit status``. It holds no data of a run: these are in the State, so all shells
and threads share the closures.
"""

from __future__ import annotations

from collections.abc import Callable

from sandhook.errors import ShellSyntaxError
from sandhook.expand.shapes import sets_variables
from sandhook.expand.word import WordCompiler
from sandhook.interp.compile import command, lists, simple
from sandhook.interp.compile.command import last_of_subshell
from sandhook.interp.compile.protocol import Mark, Run
from sandhook.interp.compile.wrappers import (
    close_substitutions,
    end_subshell,
    end_substitution,
    end_text,
    keep_assigned_argument,
)
from sandhook.interp.redirect import Apply, Undo, compile_redirections, restore
from sandhook.interp.subshell import redirects_input
from sandhook.lazy import lazily, lazy_module
from sandhook.limits import check_clock
from sandhook.state.control import ShellError
from sandhook.state.state import State
from sandhook.syntax import parse_word
from sandhook.syntax.nodes import (
    AndOr,
    ArithmeticCommand,
    ArithmeticFor,
    BraceGroup,
    Case,
    Command,
    CommandList,
    CommandSubstitution,
    ConditionalCommand,
    Coprocess,
    For,
    FunctionDefinition,
    If,
    Literal,
    Pipeline,
    ProcessSubstitution,
    Redirection,
    Select,
    SimpleCommand,
    Subshell,
    While,
    Word,
    expanding,
    walk,
)
from sandhook.typed import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sandhook.interp import substitution
    from sandhook.interp.compile import case, compound, cond
    from sandhook.syntax import printed_lines, unparse
else:  # what many texts do not have
    case = lazy_module("sandhook.interp.compile.case")
    compound = lazy_module("sandhook.interp.compile.compound")
    cond = lazy_module("sandhook.interp.compile.cond")
    substitution = lazy_module("sandhook.interp.substitution")
    printed_lines = lazy_module("sandhook.syntax.printed_lines")
    unparse = lazy_module("sandhook.syntax.unparse")

_PLAIN = frozenset({SimpleCommand, Pipeline, AndOr})
_READS_FILE = lazily(r"[ \t]*<[^<&(>]")


class Compiler:
    """Compiles commands; ``words`` compiles their words.

    Args:
        records_last_argument: Commands record their last argument, for ``$_``.
        returns: See ``functions.last_returns``.
        last_commands: See ``command.last_of_subshell``.
        ends: The mark of the closure of those commands.
        words: The compiler of words of an outer list.
    """

    def __init__(
        self,
        *,
        records_last_argument: bool = False,
        returns: frozenset[int] = frozenset(),
        last_commands: frozenset[int] = frozenset(),
        ends: Mark = end_subshell,
        words: WordCompiler | None = None,
    ) -> None:
        self.records_last_argument = records_last_argument
        self.returns = returns
        self.last_commands, self.ends = last_commands, ends
        self.words = words or WordCompiler(
            self._substitution,
            self._backquoted_substitution,
            lambda direction, body: substitution.process_substitution(
                direction, self._compile_lazily(body) if body is not None else None
            ),
        )

    def _substitution(self, body: CommandList | None) -> Callable[[State], str]:
        return (
            _nothing
            if body is None
            else substitution.substitute(self._compile_lazily(body), _file_of(body, self))
        )

    def _compile_lazily(self, body: CommandList) -> Run:
        """Compile a body at its first run.

        A word may be compiled to several closures, of which one runs: nested substitutions would
        be compiled twice at every level.
        """
        cache: list[Run] = []
        in_document = self.words.in_document  # whose substitutions bash does not print first

        def run(state: State) -> int:
            if not cache and _defines_aliases(body):  # its later lines may use them
                cache.append(state.shell.substitution_body(state, unparse.substitution_text(body)))
            if not cache:
                line = state.line
                if in_document or _is_on_one_line(body, line):
                    lined = body
                else:
                    lined = printed_lines.with_printed_lines(body, line)
                compiler = self.for_subshell(last_of_subshell(lined), ends=end_substitution)
                cache.append(compiler.list(lined))
            return cache[0](state)

        return run

    def _backquoted_substitution(self, text: str) -> Callable[[State], str]:
        """Compile a backquoted substitution; "`<file`" reads the file."""
        if _READS_FILE.match(text):
            try:
                parts = parse_word(f"$({text})").parts
            except ShellSyntaxError:
                return substitution.backquote(text)
            if len(parts) == 1 and isinstance(parts[0], CommandSubstitution):
                body = parts[0].body
                file = _file_of(body, self)
                if body is not None and file is not None:
                    return substitution.substitute(self.list(body), file)
        return substitution.backquote(text)

    def for_function(self, returns: frozenset[int]) -> Compiler:
        """Return the compiler of a function's body."""
        return (
            Compiler(records_last_argument=self.records_last_argument, returns=returns) if returns else self
        )

    def for_subshell(self, last_commands: frozenset[int], *, ends: Mark = end_subshell) -> Compiler:
        """Return the compiler of a list with these last commands."""
        return (
            Compiler(
                records_last_argument=self.records_last_argument,
                returns=self.returns,
                last_commands=last_commands,
                ends=ends,
                words=self.words,
            )
            if last_commands
            else self
        )

    def list(self, node: CommandList) -> Run:
        """Compile a list."""
        return lists.compile_list(self, node)

    def condition(self, node: CommandList) -> Run:
        """Compile a list whose status is tested: errexit ignores failures in it."""
        return lists.compile_list(self, node, is_condition=True)

    def command(self, node: Command) -> Run:
        """Compile any command, with its redirections."""
        check_clock()
        match node:
            case SimpleCommand():
                return simple.compile_simple(self, node)
            case Pipeline():
                return lists.compile_pipeline(self, node)
            case AndOr():
                return lists.compile_and_or(self, node)
            case FunctionDefinition():
                return command.compile_function(self, node)
            case Coprocess():
                return command.compile_coprocess(self, node)
        if isinstance(node, Subshell) and sets_variables(node.redirections):
            body = self._redirected(command.compile_subshell_body(self, node), node, final=True)
            return command.report_death_after(command.compile_subshell(node, body), node)
        return self._redirected(self._compound(node), node)

    def final(self, node: Command) -> Run:
        """Compile the only command of a process: a pipeline's part, a background job."""
        match node:
            case SimpleCommand():
                return simple.compile_simple(self, node, final=True)
            case Pipeline() | AndOr() | FunctionDefinition() | Coprocess():
                return self.command(node)
            case Subshell():  # the process is the subshell: $! is its pid, and signals run its traps
                body = command.compile_subshell_body(self, node)
                return self._redirected(body, node, final=True)
        return self._redirected(self._compound(node), node, final=True)

    def _compound(self, node: Command) -> Run:
        match node:
            case BraceGroup():
                return self.list(node.body)
            case Subshell():
                return command.compile_subshell(node, command.compile_subshell_body(self, node))
            case If():
                return compound.compile_if(self, node)
            case While():
                return compound.compile_while(self, node)
            case For():
                return compound.compile_for(self, node)
            case Select():
                return compound.compile_select(self, node)
            case ArithmeticFor():
                return compound.compile_arithmetic_for(self, node)
            case Case():
                return case.compile_case(self, node)
            case ArithmeticCommand():
                run = compound.compile_arithmetic(self, node)
                return keep_assigned_argument(run, node) if self.records_last_argument else run
            case ConditionalCommand():
                return cond.compile_conditional(self, node)
        raise TypeError(node)

    def redirections(self, redirections: tuple[Redirection, ...]) -> Apply | None:
        """Compile redirections; return None for an empty tuple."""
        return compile_redirections(redirections, self.words)

    def negated(self, node: Command) -> Run:
        """Compile ``! node``. A failing redirection of a compound command is not inverted: it remains a failure."""
        if isinstance(node, (SimpleCommand, Pipeline, AndOr, FunctionDefinition, Coprocess)):
            return lists.compile_negated(self.command(node))
        is_test = isinstance(node, (ArithmeticCommand, ConditionalCommand))
        run = lists.compile_negated(self._compound(node), inverts_pipestatus=is_test)
        return self._redirected(run, node, negated=True)

    def _redirected(self, run: Run, node: Any, *, final: bool = False, negated: bool = False) -> Run:
        redirections, line = node.redirections, node.line
        apply = self.redirections(redirections)
        if apply is None:
            return run
        change = apply
        reports_failure = not negated and not lists.is_checked(self, node)
        own_input, is_subshell = redirects_input(redirections), isinstance(node, Subshell)

        def run_redirected(state: State) -> int:
            undo: Undo | None = None if final else []
            try:
                try:
                    state.line = line
                    change(state, undo)
                    if not is_subshell:
                        execution = state.execution
                        execution.redirected_input = own_input or (final and execution.reads_pipe)
                except ShellError as error:
                    status: int = state.shell.fatal_error(state, error)
                    if is_subshell:
                        state.pipestatus = None
                    if reports_failure:
                        state.shell.failed(state, status, node)
                    return status
                return run(state)
            finally:
                if undo:
                    restore(state.process, undo)

        if any(isinstance(part, ProcessSubstitution) for part in walk(tuple(expanding(redirections)))):
            return close_substitutions(run_redirected)
        return command.report_death_after(run_redirected, node) if is_subshell else run_redirected


def _nothing(state: State) -> str:
    state.substitution_status = state.status = 0
    return ""


def _file_of(body: CommandList | None, compiler: Compiler) -> Apply | None:
    """Return the redirection of ``$(<file)``, None for any other body."""
    if body is None or len(body.items) != 1 or body.items[0].background:
        return None
    node = body.items[0].command
    if not isinstance(node, SimpleCommand) or node.words or node.assignments or len(node.redirections) != 1:
        return None
    redirection = node.redirections[0]
    if redirection.operator != "<" or redirection.fd not in (None, 0) or redirection.variable is not None:
        return None
    return compiler.redirections(node.redirections)


COMPILER = Compiler()
_RECORDING_COMPILER = Compiler(records_last_argument=True)


def compile_unit(node: CommandList, *, records_last_argument: bool = False, is_last: bool = False) -> Run:
    """Compile one input unit; see ``Compiler`` for ``records_last_argument``. ``is_last``: no text follows."""
    compiler: Compiler = _RECORDING_COMPILER if records_last_argument else COMPILER
    if is_last and (len(node.items) == 1 or not isinstance(node.items[-1].command, AndOr)):
        compiler = compiler.for_subshell(last_of_subshell(node), ends=end_text)
    return compiler.list(node)


def _defines_aliases(body: CommandList) -> bool:
    """Return True for a list of which one command, but not the last, is ``alias``."""
    commands = [item.command for item in body.items[:-1]]
    return any(
        isinstance(command, SimpleCommand)
        and bool(command.words)
        and isinstance(command.words[0], Word)
        and command.words[0].parts == (Literal("alias"),)
        for command in commands
    )


def _is_on_one_line(body: CommandList, line: int) -> bool:
    """Return True for simple commands alone that begin on one line: their printed form has one line, too."""
    waiting: list[Command] = [item.command for item in body.items]
    while waiting:
        command = waiting.pop()
        if command.__class__ not in _PLAIN:
            return False
        if isinstance(command, SimpleCommand):
            if command.line != line:
                return False
        elif isinstance(command, (Pipeline, AndOr)):
            waiting += command.commands
    return True
