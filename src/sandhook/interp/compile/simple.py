"""Simple commands (POSIX.1-2024 XCU 2.9.1): assignments, words, redirections, invocation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from sandhook.interp.compile.arguments import Arguments, compile_arguments
from sandhook.interp.compile.assignment import MakeAssigned, compile_assignment, compile_assignments
from sandhook.interp.compile.functions import inline_last_return
from sandhook.interp.compile.inline import INLINE
from sandhook.interp.compile.protocol import Compiler
from sandhook.interp.compile.temporary import assign_temporarily, compile_temporary, hand_over
from sandhook.interp.invoke import call_function
from sandhook.interp.lookup import Builtin, is_external
from sandhook.interp.messages import report_killed
from sandhook.interp.redirect import (
    Apply,
    Undo,
    apply_as_child,
    apply_without,
    has_effects,
    keep,
    needs_process,
    restore,
)
from sandhook.interp.subshell import redirect_apart
from sandhook.lazy import lazily
from sandhook.state.assigned import Argument, Assigned
from sandhook.state.control import ShellError
from sandhook.state.frame import Saved
from sandhook.state.state import Hashed, State
from sandhook.syntax.nodes import (
    ArrayLiteral,
    Assignment,
    Literal,
    ParameterExpansion,
    ProcessSubstitution,
    SimpleCommand,
    Word,
    walk,
)

Run: TypeAlias = Callable[[State], int]

_KEYWORD = lazily(r"([A-Za-z_][A-Za-z0-9_]*)(\+?)=")


def compile_simple(compiler: Compiler, node: SimpleCommand, *, final: bool = False) -> Run:
    """Compile a simple command to the narrowest closure that its shape allows.

    ``final``: it is all that its process runs, so what its redirections replace is closed at once.
    """
    apply = compiler.redirections(node.redirections)
    if not node.words:
        run = compile_assignments(compiler, node, apply)
        if compiler.noting:
            run = _noting_none(run)
    else:
        run = _with_words(compiler, node, apply, final)
    parts = list(walk((node.words, node.assignments, node.redirections)))
    if any(isinstance(part, ProcessSubstitution) for part in parts):
        run = closing_substitutions(run)
    assignments, words = keywords(node)
    if assignments:
        run = _with_keywords(compiler, run, node._replace(assignments=assignments, words=words), final)
    if any(isinstance(part, ParameterExpansion) and part.name == "BASH_COMMAND" for part in parts):
        run = noting_command(run, node)
    elif node.words and isinstance(node.words[0], Word) and compiler.words.constant(node.words[0]) == "exit":
        run = noting_command(run, node)  # for the EXIT trap
    if id(node) in compiler.lasts:
        return _marking_last(run, only_untrapped=True)
    return _marking_last(run) if final else run


def _marking_last(run: Run, *, only_untrapped: bool = False) -> Run:
    """Say that an external command run at this depth is its process's last: it takes its place.

    ``only_untrapped``: unless traps are set, which are still to run.
    """

    def marking(state: State) -> int:
        if not (only_untrapped and state.traps):
            state.execution.last_command = state.calls
        return run(state)

    return marking


def keywords(
    node: SimpleCommand,
) -> tuple[tuple[Assignment, ...], tuple[Word | Assignment, ...]]:
    """Return what ``set -k`` makes of a command: all assignments, and the words that are none.

    The assignments are empty when there is none among the arguments.
    """
    moved: list[Assignment] = []
    rest: list[Word | Assignment] = []
    for word in node.words:
        found = _as_assignment(word) if isinstance(word, Word) else None
        if found is None or not rest:
            rest.append(word)
        else:
            moved.append(found)
    return (*node.assignments, *moved) if moved else (), tuple(rest)


def _as_assignment(word: Word) -> Assignment | None:
    first = word.parts[0] if word.parts else None
    found = _KEYWORD.match(first.text) if isinstance(first, Literal) and "=" in first.text else None
    if found is None or not isinstance(first, Literal):
        return None
    text = first.text[found.end() :]
    parts = (Literal(text), *word.parts[1:]) if text else word.parts[1:]
    return Assignment(found[1], Word(parts, word.span), None, bool(found[2]), word.span)


def _with_keywords(compiler: Compiler, run: Run, node: SimpleCommand, final: bool) -> Run:
    """Choose, when the command runs, whether its arguments ``name=value`` are assignments (``set -k``)."""
    made: list[Run] = []  # compiled when it is first needed

    def choose(state: State) -> int:
        if "keyword" not in state.options.enabled:
            return run(state)
        if not made:
            plain = compiler.redirections(node.redirections)
            made.append(_with_words(compiler, node, plain, final))
        return made[0](state)

    return choose


def _noting_last(arguments: Arguments, complete: Callable[[Arguments], Run]) -> Run:
    """Remember the last argument for ``$_`` once the command has run: it still sees the one before."""

    def noting(state: State) -> list[Argument]:
        argv = arguments(state)
        if argv:
            state.execution.last_argument = argv[-1]
        return argv

    run = complete(noting)

    def run_and_note(state: State) -> int:
        execution = state.execution
        outer, execution.last_argument = execution.last_argument, None
        try:
            status = run(state)
            last = execution.last_argument
            if last is not None:
                state.last_argument = last if isinstance(last, str) else _as_argument(last)
        finally:
            execution.last_argument = outer
        return status

    return run_and_note


def _as_argument(assigned: Assigned) -> str:
    """Return what ``$_`` is behind an assignment that was an argument: a list leaves the name alone."""
    if isinstance(assigned.value, list):
        return assigned.name
    subscript = "" if assigned.subscript is None else f"[{assigned.subscript}]"
    return f"{assigned.name}{subscript}{'+=' if assigned.append else '='}{assigned.value}"


def _noting_none(run: Run) -> Run:
    """Assignments alone have no last argument: ``$_`` becomes empty."""

    def noting(state: State) -> int:
        status = run(state)
        state.last_argument = ""
        return status

    return noting


def noting_command(run: Run, node: SimpleCommand) -> Run:
    """Remember the command for BASH_COMMAND before it runs."""

    def noting(state: State) -> int:
        state.shell.note_command(state, node)
        return run(state)

    return noting


def closing_substitutions(run: Run) -> Run:
    """Close the descriptors of process substitutions when the command has ended."""

    def closing(state: State) -> int:
        execution = state.execution
        outer = execution.substitutions
        mine: list[int] = []
        execution.substitutions = mine
        try:
            return run(state)
        finally:
            execution.substitutions = outer
            for number in mine:
                state.process.close(number)

    return closing


def _with_words(compiler: Compiler, node: SimpleCommand, apply: Apply | None, final: bool) -> Run:
    arguments = compile_arguments(compiler, node.words)
    first = node.words[0]
    name = compiler.words.constant(first) if isinstance(first, Word) else None
    prefix = _constant_prefix(compiler, node)
    if compiler.noting:
        return _noting_last(
            arguments, lambda noted: _general(compiler, noted, node, apply, name, prefix, final)
        )
    if not node.assignments and apply is None:
        inline = inline_last_return if id(node) in compiler.returns else INLINE.get(name or "")
        if inline is not None:
            special = inline(compiler.words, node)
            if special is not None:
                return _general_or_inline(
                    special, _plain(arguments, node, name, prefix), name or "", node.line
                )
    return _general(compiler, arguments, node, apply, name, prefix, final)


def _general(
    compiler: Compiler,
    arguments: Arguments,
    node: SimpleCommand,
    apply: Apply | None,
    name: str | None,
    prefix: tuple[tuple[str, ...], bool],
    final: bool,
) -> Run:
    """Compile a command whose arguments are compiled, in the way that serves every command."""
    if not node.assignments and apply is None:
        return _plain(arguments, node, name, prefix)
    temporary = [compile_temporary(compiler, assignment) for assignment in node.assignments]
    lasting = temporary  # what is done when no command comes of the words
    if any(isinstance(assignment.value, ArrayLiteral) for assignment in node.assignments):
        lasting = [compile_assignment(compiler, assignment) for assignment in node.assignments]
    full = _full(arguments, (temporary, lasting), apply, node, _known(node, name), final)
    if name in _TAKE_REDIRECTIONS and apply is not None and not temporary and not final:
        return _redirected(arguments, apply, full, node, name, prefix)
    return full


#: Built-ins that only read and write: redirections of theirs are applied, and undone, in one way.
_TAKE_REDIRECTIONS = frozenset({"echo", "printf", "read"})


def _redirected(
    arguments: Arguments,
    apply: Apply,
    full: Run,
    node: SimpleCommand,
    name: str,
    constant_prefix: tuple[tuple[str, ...], bool],
) -> Run:
    """``echo text >> file`` and the like; ``full`` runs the command where anything is out of the ordinary."""
    line = node.line
    prefix, whole = constant_prefix
    quick: Builtin | None = None

    def run(state: State) -> int:
        nonlocal quick
        commands = state.shell.commands
        builtin = commands.loaded.get(name)
        if state.instrumented or builtin is None or name in state.functions or state.disabled_builtins:
            return full(state)
        if quick is None:
            quick = commands.prepare(name, prefix, whole) or builtin
        budget = state.budget
        budget.slice_left = slice_left = budget.slice_left - 1
        if slice_left < 0:
            state.shell.poll(state)
        state.line = line
        state.substitution_status = 0
        undo: Undo = []
        argv: Any = []
        process = state.process
        try:
            argv = arguments(state)
            apply(state, undo)
            status = quick(state, argv)
        except ShellError as error:
            return state.shell.fatal_error(state, error, argv)
        finally:
            if undo:
                restore(process, undo)
        state.status = status
        state.pipestatus = None
        if process.pending:
            process.deliver()
        return status

    return run


def _constant_prefix(compiler: Compiler, node: SimpleCommand) -> tuple[tuple[str, ...], bool]:
    """Return the words that no run changes up to the first other one, and whether these are all."""
    found: list[str] = []
    for word in node.words:
        text = compiler.words.constant(word) if isinstance(word, Word) else None
        if text is None:
            return tuple(found), False
        found.append(text)
    return tuple(found), True


def _general_or_inline(special: Callable[[State], int | None], general: Run, name: str, line: int) -> Run:
    """Use the inlined form unless a function of that name, xtrace or a DEBUG trap is in the way."""

    def run(state: State) -> int:
        if state.instrumented or name in state.functions:
            return general(state)
        budget = state.budget
        budget.slice_left = slice_left = budget.slice_left - 1
        if slice_left < 0:
            state.shell.poll(state)
        state.line = line
        try:
            status = special(state)
        except ShellError as error:
            return state.shell.fatal_error(state, error)
        if status is None:
            return general(state)
        state.status = status
        state.pipestatus = None
        return status

    return run


def _plain(
    arguments: Arguments, node: SimpleCommand, name: str | None, constant_prefix: tuple[tuple[str, ...], bool]
) -> Run:
    """Without assignments and redirections; ``name`` is the command's, if no run changes it."""
    line = node.line
    known = _known(node, name)
    prefix, whole = constant_prefix
    quick: Builtin | None = None  # what the built-in makes of the words that no run changes

    def run(state: State) -> int:
        nonlocal quick
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
            # the same as _run_argv, without its frame
            if not argv:
                status = state.substitution_status
            elif known in state.functions:
                shell = state.shell
                status = call_function(shell, state, state.functions[known], argv[1:])
            else:
                shell = state.shell
                builtin = shell.commands.loaded.get(known)
                if builtin is None or state.disabled_builtins:
                    status = shell.invoke(state, argv)
                else:
                    if quick is None:
                        quick = shell.commands.prepare(known, prefix, whole) or builtin
                    status = quick(state, argv)
        except ShellError as error:
            return state.shell.fatal_error(state, error)
        if status > 128 and state.execution.killed is not None:
            report_killed(state, node)
        state.status = status
        state.pipestatus = None
        return status

    return run


def _known(node: SimpleCommand, name: str | None) -> str:
    """Return the name for ``_run_argv``, "" for none: only a declaration takes assignments as its arguments."""
    return "" if name is None or any(isinstance(word, Assignment) for word in node.words) else name


def _run_argv(state: State, known: str, argv: Any) -> int:
    """Run an expanded command; when its name is ``known`` a function or built-in is called at once."""
    if known in state.functions:
        return call_function(state.shell, state, state.functions[known], argv[1:])
    builtin = state.shell.commands.loaded.get(known)
    if builtin is not None and not state.disabled_builtins:
        return builtin(state, argv)
    return state.shell.invoke(state, argv)


def _full(
    arguments: Arguments,
    assignments: tuple[list[MakeAssigned], list[MakeAssigned]],
    apply: Apply | None,
    node: SimpleCommand,
    known: str,
    final: bool,
) -> Run:
    """With assignments or redirections: words are expanded first, then assignments, then redirections."""
    line = node.line
    effects = has_effects(node.redirections)
    is_apart = needs_process(node.redirections)
    temporary, lasting = assignments

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
        remembered: tuple[dict[str, Hashed], str | None] | None = None
        argv: Any = []
        try:
            argv = arguments(state)
            for make in temporary if argv else lasting:
                assign_temporarily(state, make(state), saved, argv)
            if "PATH" in saved:  # what is remembered belongs to the other PATH
                remembered = state.hashed, state.hash_path
                state.hashed, state.hash_path = {}, None
            if state.instrumented:
                state.shell.trace(state, argv)
            if apply is not None:  # last, as in bash: neither the trace nor a complaint goes there
                if argv and undo is not None and is_external(state, argv):
                    apply_as_child(state, apply, undo, saved, effects)
                elif saved:
                    apply_without(state, apply, undo, saved)
                elif is_apart and not argv:
                    state.substitution_status = redirect_apart(state, apply)
                else:
                    apply(state, undo)
            if not argv:
                status = state.substitution_status
            else:
                if argv[0] == "exec" and "exec" not in state.functions and undo:
                    keep(undo)
                    undo = None
                elif argv[0] == "kill":
                    state.execution.defers_signals = True  # a trap runs when the redirections are undone
                if saved:
                    hand_over(state, argv[0], saved)
                status = _run_argv(state, known, argv)
        except ShellError as error:
            return state.shell.fatal_error(state, error, argv)
        finally:
            if undo:
                restore(state.process, undo)
            if saved:
                state.pending_temporaries = None
                for name, former in saved.items():
                    state.restore(name, former)
                if remembered is not None:
                    state.hashed, state.hash_path = remembered
        if status > 128 and state.execution.killed is not None:
            report_killed(state, node)
        state.status = status
        state.pipestatus = None
        if state.process.pending:
            state.execution.defers_signals = False
            state.process.deliver()
        return status

    return run
