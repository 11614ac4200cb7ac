"""Simple commands (POSIX.1-2024 XCU 2.9.1): assignments, words, redirections, invocation.

A command is compiled in the narrowest of these ways that its shape allows:

- ``compile_assignments``: no words.
- ``_inlined``: a built-in like ``[`` or ``echo`` whose shape ``inline`` knows; it never becomes argv.
- ``_words_alone``: words, without assignments and redirections.
- ``_redirected_builtin``: ``echo``, ``printf`` or ``read`` with redirections.
- ``_assigned_or_redirected``: everything else.

Each closure begins with the same lines (a step of the budget, the line number, the DEBUG trap), written out
in each: a function that they shared would cost a tenth of a short command.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandhook.interp.compile.arguments import Arguments, compile_arguments
from sandhook.interp.compile.deferred import Deferred
from sandhook.interp.compile.functions import Inline, inline_last_return, one_local
from sandhook.interp.compile.inline import INLINE
from sandhook.interp.compile.keywords import split_keywords
from sandhook.interp.compile.protocol import Compiler, Run
from sandhook.interp.compile.wrappers import (
    clear_last_argument,
    close_substitutions,
    exec_in_place,
    record_command,
    record_last_argument,
)
from sandhook.interp.invoke import call_function, run_redirected
from sandhook.interp.lookup import Builtin, is_external
from sandhook.interp.redirect import (
    Apply,
    Undo,
    apply_as_child,
    apply_without_temporaries,
    has_effects,
    make_permanent,
    needs_process,
    restore,
)
from sandhook.interp.subshell import redirect_apart
from sandhook.lazy import lazy_module
from sandhook.record import Record
from sandhook.state.assigned import Argument, Assigned
from sandhook.state.control import ShellError
from sandhook.state.frame import Saved
from sandhook.state.locals import with_hidden
from sandhook.state.state import State
from sandhook.state.values import READONLY
from sandhook.syntax.nodes import (
    ArrayLiteral,
    Assignment,
    ParameterExpansion,
    ProcessSubstitution,
    SimpleCommand,
    Word,
    expanding,
    is_text,
    walk,
)
from sandhook.typed import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from sandhook.interp import messages
    from sandhook.interp.compile import assignment
    from sandhook.interp.compile import temporary as temporary_assignments
    from sandhook.interp.compile.assignment import AssignedOf
else:  # few commands are ended by a signal or timed, and a short script may have no assignment
    messages = lazy_module("sandhook.interp.messages")
    assignment = lazy_module("sandhook.interp.compile.assignment")
    temporary_assignments = lazy_module("sandhook.interp.compile.temporary")

Redirect: TypeAlias = "Callable[[State, list[Argument], Undo | None, dict[str, Saved]], None]"

#: Built-ins that only read and write: their redirections need neither a child nor an ``exec``.
_READING_OR_WRITING = frozenset({"echo", "printf", "read"})


class _Words(Record):
    """The words of a simple command, as every way of running it needs them.

    Fields:
        node: The command.
        arguments: Expands the words to argv.
        name: The command's name, None when it is known only after expansion.
        prefix: The words before the first that expansion could change.
        constant: No word is changed by expansion.
    """

    node: SimpleCommand
    arguments: Arguments
    name: str | None
    prefix: tuple[str, ...]
    constant: bool

    @property
    def callable_name(self) -> str:
        """The name of a function or built-in to call without a search; "" when argv must decide.

        Assignments among the arguments mean that the parser saw a declaration command; only such a command
        receives them as assignments.
        """
        if self.name is None or any(isinstance(word, Assignment) for word in self.node.words):
            return ""
        return self.name


def compile_simple(compiler: Compiler, node: SimpleCommand, *, final: bool = False) -> Run:
    """Compile a simple command to the narrowest closure that its shape allows.

    ``final``: its process runs no other command, so descriptors that redirections replace are closed at once.
    """
    apply = compiler.redirections(node.redirections)
    first = node.words[0] if node.words else None
    name = compiler.words.constant(first) if isinstance(first, Word) else None
    if first is None:
        run = assignment.compile_assignments(compiler, node, apply)
        if compiler.records_last_argument:
            run = clear_last_argument(run)
    else:
        run = _compile_words(compiler, node, name, apply, final)
    expansions = _expansions(node)
    if ProcessSubstitution in expansions:
        run = close_substitutions(run)
    assignments, words = split_keywords(node)
    if assignments:
        run = _with_keywords(compiler, run, node._replace(assignments=assignments, words=words), name, final)
    if "BASH_COMMAND" in expansions or name in ("exit", "trap"):
        run = record_command(run, node)  # for a trap that is the next to run
    if id(node) in compiler.last_commands:
        run = compiler.ends(run)
    return exec_in_place(run) if final else run


def _expansions(node: SimpleCommand) -> set[object]:
    """Return the kinds of a command's expansions, and the names of its parameters."""
    words = [word for word in node.words if not (isinstance(word, Word) and is_text(word))]
    parts = (*words, *node.assignments, *expanding(node.redirections))
    found: set[object] = set()
    for part in walk(parts) if parts else ():
        found.add(part.name if part.__class__ is ParameterExpansion else part.__class__)
    return found


def _with_keywords(compiler: Compiler, run: Run, node: SimpleCommand, name: str | None, final: bool) -> Run:
    """Compile a command whose arguments ``name=value`` are assignments if ``set -k`` is on when it runs."""
    with_assignments: list[Run] = []  # compiled at its first use

    def run_either(state: State) -> int:
        if "keyword" not in state.options.enabled:
            return run(state)
        if not with_assignments:
            apply = compiler.redirections(node.redirections)
            with_assignments.append(_compile_words(compiler, node, name, apply, final))
        return with_assignments[0](state)

    return run_either


def _compile_words(
    compiler: Compiler, node: SimpleCommand, name: str | None, apply: Apply | None, final: bool
) -> Run:
    if compiler.records_last_argument:
        words = _words(compiler, node, name)
        return record_last_argument(
            words.arguments,
            lambda arguments: _not_inlined(compiler, words._replace(arguments=arguments), apply, final),
        )
    if not node.assignments and apply is None:
        general = Deferred(lambda: _words_alone(_words(compiler, node, name)))
        if name == "local" and (run := one_local(compiler.words, node, general)) is not None:
            return run
        inline = inline_last_return if id(node) in compiler.returns else INLINE.get(name or "")
        inlined = inline(compiler.words, node) if inline is not None else None
        if inlined is not None:
            return _inlined(inlined, general, name or "", node.line)
    return _not_inlined(compiler, _words(compiler, node, name), apply, final)


def _words(compiler: Compiler, node: SimpleCommand, name: str | None) -> _Words:
    """Compile the words of a command."""
    return _Words(node, compile_arguments(compiler, node.words), name, *_constant_prefix(compiler, node))


def _constant_prefix(compiler: Compiler, node: SimpleCommand) -> tuple[tuple[str, ...], bool]:
    """Return the words before the first that expansion could change, and True if these are all words."""
    prefix: list[str] = []
    for word in node.words:
        text = compiler.words.constant(word) if isinstance(word, Word) else None
        if text is None:
            return tuple(prefix), False
        prefix.append(text)
    return tuple(prefix), True


def _not_inlined(compiler: Compiler, words: _Words, apply: Apply | None, final: bool) -> Run:
    """Compile a command to one of the closures that expand its words to argv."""
    node = words.node
    if not node.assignments and apply is None:
        return _words_alone(words)
    run = _assigned_or_redirected(compiler, words, apply, final)
    if words.name in _READING_OR_WRITING and apply is not None and not node.assignments and not final:
        return _redirected_builtin(words, apply, run)
    return run


def _inlined(inlined: Inline, general: Deferred, name: str, line: int) -> Run:
    """Return a closure that uses the inlined form unless there is a function of that name, xtrace or a DEBUG trap."""

    def run(state: State) -> int:
        if state.instrumented or name in state.functions:
            return (general.run or general.first)(state)
        budget = state.budget
        budget.slice_left = slice_left = budget.slice_left - 1
        if slice_left < 0:
            state.shell.poll(state)
        state.line = line
        try:
            status = inlined(state)
        except ShellError as error:
            return _failed(state, error)
        if status is None:
            return (general.run or general.first)(state)
        state.status = status
        state.pipestatus = None
        return status

    return run


def _words_alone(words: _Words) -> Run:
    """Compile a command without assignments and redirections."""
    node, arguments, prefix, constant = words.node, words.arguments, words.prefix, words.constant
    line, name = node.line, words.callable_name
    quick_builtin: Builtin | None = None  # the built-in, specialized for its constant words

    def run(state: State) -> int:
        nonlocal quick_builtin
        budget = state.budget
        budget.slice_left = slice_left = budget.slice_left - 1
        if slice_left < 0:
            state.shell.poll(state)
        state.line = line
        if state.instrumented and state.shell.debug(state, node):
            return 0
        state.substitution_status = 0
        try:
            argv: Any = arguments(state)
            if state.instrumented:
                state.shell.trace(state, argv)
            # as _argv_runner, without its frame
            if not argv:
                status = state.substitution_status
            elif name in state.functions:
                del argv[0]
                status = call_function(state.shell, state, state.functions[name], argv)
            else:
                shell = state.shell
                builtin = shell.commands.loaded.get(name)
                if builtin is None or state.disabled_builtins:
                    status = shell.invoke(state, argv)
                    if state.process.pending:
                        return _signalled(state, node, status)
                else:
                    if quick_builtin is None:
                        quick_builtin = shell.commands.prepare(name, prefix, constant) or builtin
                    status = quick_builtin(state, argv)
        except ShellError as error:
            return _failed(state, error)
        if status > 128 and state.execution.killed is not None:
            messages.report_killed(state, node)
        state.status = status
        state.pipestatus = None
        return status

    return run


def _failed(state: State, error: ShellError, argv: Sequence[Argument] = ()) -> int:
    """Report an error; if it ends the command alone, return its status, which is also that of PIPESTATUS."""
    status = state.shell.fatal_error(state, error, argv)
    state.pipestatus = None
    return status


def _signalled(state: State, node: SimpleCommand, status: int) -> int:
    """Deliver the signals that came while a program ran: after it nothing may follow that would."""
    if status > 128 and state.execution.killed is not None:
        messages.report_killed(state, node)
    state.status = status
    state.pipestatus = None
    state.process.deliver()
    return status


def _redirected_builtin(words: _Words, apply: Apply, general: Run) -> Run:
    """Compile ``echo text >> file`` and the like; ``general`` runs the command in unusual cases."""
    arguments, prefix, constant, line = words.arguments, words.prefix, words.constant, words.node.line
    name = words.name or ""
    quick_builtin: Builtin | None = None

    def run(state: State) -> int:
        nonlocal quick_builtin
        commands = state.shell.commands
        builtin = commands.loaded.get(name)
        if state.instrumented or builtin is None or name in state.functions or state.disabled_builtins:
            return general(state)
        if quick_builtin is None:
            quick_builtin = commands.prepare(name, prefix, constant) or builtin
        budget = state.budget
        budget.slice_left = slice_left = budget.slice_left - 1
        if slice_left < 0:
            state.shell.poll(state)
        state.line = line
        state.substitution_status = 0
        undo: Undo = []
        argv: list[Argument] = []
        process = state.process
        try:
            argv = arguments(state)
            apply(state, undo)
            status = quick_builtin(state, argv)
        except ShellError as error:
            return _failed(state, error, argv)
        finally:
            if undo:
                restore(process, undo)
        state.status = status
        state.pipestatus = None
        if process.pending:
            process.deliver()
        return status

    return run


def _assigned_or_redirected(compiler: Compiler, words: _Words, apply: Apply | None, final: bool) -> Run:
    """Compile a command with assignments or redirections: bash expands words, then assigns, then redirects."""
    node, arguments, line = words.node, words.arguments, words.node.line
    temporary = [
        (each.name, temporary_assignments.compile_temporary(compiler, each)) for each in node.assignments
    ]
    lasting = temporary  # used when the words expand to nothing
    if any(isinstance(assignment.value, ArrayLiteral) for assignment in node.assignments):
        lasting = [(each.name, assignment.compile_assignment(compiler, each)) for each in node.assignments]
    redirect = None if apply is None else _redirector(node, apply)
    run_argv = _argv_runner(words)

    def run(state: State) -> int:
        budget = state.budget
        budget.slice_left = slice_left = budget.slice_left - 1
        if slice_left < 0:
            state.shell.poll(state)
        state.line = line
        if state.instrumented and state.shell.debug(state, node):
            return 0
        state.substitution_status = 0
        undo: Undo | None = None if final else []
        saved: dict[str, Saved] = {}
        argv: list[Argument] = []
        try:
            argv = arguments(state)
            if lasting:
                _assign_before(state, temporary if argv else lasting, saved, argv)
            if state.instrumented and saved:
                with_hidden(state, saved, lambda: state.shell.trace(state, argv))  # PS4 does not see these
            elif state.instrumented:
                state.shell.trace(state, argv)
            if redirect is not None:  # last, as in bash: neither the trace nor an error goes there
                redirect(state, argv, undo, saved)
            if argv:
                if argv[0] in _CHANGING_UNDO:
                    _prepare_redirections(state, argv, undo)
                if saved:
                    temporary_assignments.scope_temporaries(state, argv, saved)
                status = run_redirected(state, argv, run_argv) if redirect else run_argv(state, argv)
            else:
                status = state.substitution_status
        except ShellError as error:
            return _failed(state, error, argv)
        finally:
            if undo:
                restore(state.process, undo)
            if saved:
                _undo_assignments(state, saved)
        if status > 128 and state.execution.killed is not None:
            messages.report_killed(state, node)
        state.status = status
        state.pipestatus = None
        if state.process.pending:
            state.execution.defers_signals = False
            state.process.deliver()
        return status

    return run


def _assign_before(
    state: State, assignments: Sequence[tuple[str, AssignedOf]], saved: dict[str, Saved], argv: list[Argument]
) -> None:
    """Assign before a command."""
    for name, assigned_of in assignments:
        if argv and state.attributes.get(name, 0) & READONLY and name not in saved:
            assigned = Assigned(name, None, False, "")  # it is refused, and bash does not expand its value
        else:
            assigned = assigned_of(state)
        temporary_assignments.assign_temporarily(state, assigned, saved, argv)
        if assigned.name == "_":
            state.last_argument = state.get("_") or ""


def _undo_assignments(state: State, saved: dict[str, Saved]) -> None:
    state.pending_temporaries = None
    scopes = state.temporary_scopes
    if scopes and scopes[-1].saved is saved:
        scope = scopes.pop()
        if scope.lasts:
            return
        if scope.values is not None:
            temporary_assignments.undo_and_keep(state, saved, scope.values)
            return
    for name, former in saved.items():
        state.restore(name, former)


def _redirector(node: SimpleCommand, apply: Apply) -> Redirect:
    """Return a closure that applies a command's redirections in the way of its kind of command."""
    effects = has_effects(node.redirections)
    is_apart = needs_process(node.redirections)

    def redirect(state: State, argv: list[Argument], undo: Undo | None, saved: dict[str, Saved]) -> None:
        if argv and undo is not None and is_external(state, argv):
            apply_as_child(state, apply, undo, saved, effects)
        elif saved:
            apply_without_temporaries(state, apply, undo, saved)
        elif is_apart and not argv:
            state.substitution_status = redirect_apart(state, apply)
        else:
            apply(state, undo)

    return redirect


#: Commands that change how their redirections are undone.
_CHANGING_UNDO = ("exec", "kill", "command")


def _prepare_redirections(state: State, argv: Sequence[Argument], undo: Undo | None) -> None:
    if argv[0] == "kill":
        state.execution.defers_signals = True  # a trap runs without the redirections of kill
    elif undo and _executes(state, argv):
        make_permanent(undo)
        undo.clear()


def _executes(state: State, argv: Sequence[Argument]) -> bool:
    """Return True for the built-in exec, also after ``command``."""
    if argv[0] == "exec":
        return "exec" not in state.functions
    name = next((word for word in argv if word not in ("command", "-p", "--")), None)
    return name == "exec" and "command" not in state.functions


def _argv_runner(words: _Words) -> Callable[[State, Any], int]:
    """Return a closure that runs the expanded words; a function or built-in whose name is constant is called at once."""
    name, prefix, constant = words.callable_name, words.prefix, words.constant
    quick_builtin: Builtin | None = None

    def run(state: State, argv: Any) -> int:
        nonlocal quick_builtin
        shell = state.shell
        if name in state.functions:
            return call_function(shell, state, state.functions[name], argv[1:])
        builtin = shell.commands.loaded.get(name)
        if builtin is None or state.disabled_builtins:
            return shell.invoke(state, argv)
        if quick_builtin is None:
            quick_builtin = shell.commands.prepare(name, prefix, constant) or builtin
        return quick_builtin(state, argv)

    return run
