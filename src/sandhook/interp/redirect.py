"""Redirections: compiled, applied in order, and undone. Source: POSIX.1-2024 XCU 2.7."""

from __future__ import annotations

import errno
from collections.abc import Callable, Sequence

from sandhook.errors import ShellSyntaxError
from sandhook.expand.documents import compile_document
from sandhook.expand.shapes import has_braces, may_assign
from sandhook.expand.text import Text
from sandhook.expand.word import WordCompiler
from sandhook.interp.document import open_document
from sandhook.kernel.descriptor import Description, OpenDirectory
from sandhook.kernel.process import Process
from sandhook.limits import check_clock
from sandhook.state.assignment import set_named
from sandhook.state.control import ShellError
from sandhook.state.fork import fork
from sandhook.state.frame import Saved
from sandhook.state.locals import with_hidden
from sandhook.state.state import State
from sandhook.syntax import DEFAULT_OPTIONS, ParseOptions, parse_heredoc
from sandhook.syntax.nodes import (
    DoubleQuoted,
    HereDocument,
    Literal,
    Redirection,
    SingleQuoted,
)
from sandhook.text.numbers import decimal
from sandhook.typed import TypeAlias
from sandhook.vfs.errors import fs_error
from sandhook.vfs.path import VirtualPath, join

#: How to restore the descriptors: (number, former description).
Undo: TypeAlias = "list[tuple[int, Description | None]]"
Apply: TypeAlias = Callable[[State, "Undo | None"], None]

#: The lowest descriptor that ``{name}>`` uses.
FIRST_FREE = 10

#: No descriptor has this number or a higher one, as with ``ulimit -n`` on most systems.
HIGHEST = 1 << 16

#: The openings of expansions that can assign, and the operators with which they do.
_MAY_ASSIGN, _ASSIGNS = ("${", "$((", "$["), ("=", "++", "--")

_NETWORK = ("/dev/tcp/", "/dev/udp/")


def compile_redirections(redirections: Sequence[Redirection], words: WordCompiler) -> Apply | None:
    """Return a closure that applies all redirections in order, None for an empty list.

    The closure raises ShellError; the undo list has the redirections that were applied before. Without an
    undo list the effect is permanent (``exec``).
    """
    if not redirections:
        return None
    steps = [_compile(redirection, words) for redirection in redirections]
    if len(steps) == 1:
        return steps[0]

    def apply(state: State, undo: Undo | None) -> None:
        for step in steps:
            state.budget.charge(1)
            step(state, undo)

    return apply


def has_effects(redirections: Sequence[Redirection]) -> bool:
    """Return True if applying them may change variables, or close a descriptor permanently."""
    for node in redirections:
        if node.variable is not None or node.operator in ("<&", ">&"):
            return True
        if node.document is not None:
            text = "" if node.document.quoted else node.document.text
            if any(start in text for start in _MAY_ASSIGN) and any(sign in text for sign in _ASSIGNS):
                return True
        elif may_assign(node.target):
            return True
    return False


def needs_process(redirections: Sequence[Redirection]) -> bool:
    """Return True if bash applies redirections without a command in a separate process.

    It does for those of standard input and for ``{name}<``; the status is then that of this process.
    """
    return any(
        node.variable is not None
        or (
            not node.fd and (node.operator in ("<", "<>") or (node.operator == "<&" and not _is_number(node)))
        )
        or (node.fd == 0 and node.operator == ">&" and not _is_number(node))
        for node in redirections
    )


def _is_number(node: Redirection) -> bool:
    """Return True if the target is a literal descriptor (``3`` or ``3-``)."""
    first = node.target.parts[0] if len(node.target.parts) == 1 else None
    return isinstance(first, Literal) and first.text.rstrip("-").isdigit()


def restore(process: Process, undo: Undo) -> None:
    """Restore the descriptors that an undo list names."""
    descriptors = process.descriptors
    while undo:
        number, old = undo.pop()
        current = descriptors.pop(number, None)
        if (
            old is not None and process.done
        ):  # a signal ended it while its child ran: its descriptors are closed
            old.release()
        elif old is not None:
            descriptors[number] = old
        if current is not None:
            current.release()


def make_permanent(undo: Undo) -> None:
    """Make redirections permanent (``exec``): close the descriptions that they replaced."""
    for _, old in undo:
        if old is not None:
            old.release()


def apply_as_child(state: State, apply: Apply, undo: Undo, saved: dict[str, Saved], effects: bool) -> None:
    """Apply redirections of an external command as its process would: their assignments and errors affect only it."""
    inner = state
    if effects:
        inner = fork(state, state.process)
        inner.execution.applies_as_child = True
    try:
        if saved:
            apply_without_temporaries(inner, apply, undo, saved)
        else:
            apply(inner, undo)
    except ShellError as error:
        status = error.status if error.ends != "shell" else state.shell.fatal_status(state, error.status)
        raise error.ending("command", status) from None


def apply_without_temporaries(state: State, apply: Apply, undo: Undo | None, saved: dict[str, Saved]) -> None:
    """Apply redirections while the temporary assignments are undone: their words do not see these."""
    with_hidden(state, saved, lambda: apply(state, undo))


def install(state: State, number: int, description: Description, undo: Undo | None) -> None:
    """Point ``number`` at ``description`` and record the former one in ``undo``."""
    process = state.process
    if number >= HIGHEST:
        description.release()
        raise ShellError(f"{number}: Bad file descriptor")
    if undo is None:
        try:
            process.install(number, description)
        except OSError as error:
            raise ShellError(f"{number}: {error.strerror}") from None
        return
    old = process.descriptors.get(number)
    if old is None and len(process.descriptors) >= process.kernel.limits.open_files:
        description.release()
        raise ShellError(f"{number}: Too many open files")
    undo.append((number, old))
    process.descriptors[number] = description


def _compile(node: Redirection, words: WordCompiler) -> Apply:
    check_clock()
    operator = node.operator
    if operator in ("<<", "<<-"):
        return _compile_numbered(node, 0, _document(node, words))
    if operator == "<<<":
        text_of = words.string(node.target, assignment=True)
        return _compile_numbered(node, 0, lambda state: open_document(state, text_of(state) + "\n"))
    if operator in ("<&", ">&"):
        return _duplicate(node, words)
    name_of = _target(node, words)
    if operator in ("&>", "&>>"):
        return _compile_both_outputs(name_of, append=operator == "&>>")
    return _compile_numbered(node, 0 if operator in ("<", "<>") else 1, _opener(node, name_of))


def _document(node: Redirection, words: WordCompiler) -> Callable[[State], Description]:
    document = node.document
    assert document is not None
    if document.quoted or not any(c in document.text for c in "$`\\"):
        text = document.text
        return lambda state: open_document(state, text)
    if "$(" not in document.text:
        return _compile_body(document, words, DEFAULT_OPTIONS)
    cache: list[tuple[ParseOptions, Callable[[State], Description]]] = []

    def open_parsed(state: State) -> Description:
        options = state.shell.parse_options(state)  # substitutions use the current aliases
        if not cache or cache[0][0] != options:
            cache[:] = [(options, _compile_body(document, words, options))]
        return cache[0][1](state)

    return open_parsed


def _compile_body(
    document: HereDocument, words: WordCompiler, options: ParseOptions
) -> Callable[[State], Description]:
    try:
        body = parse_heredoc(document.text, options)
    except ShellSyntaxError as error:
        return _fail_with(error.message)
    text_of = compile_document(words, body, document.line - 1)
    return lambda state: open_document(state, text_of(state))


def _fail_with(message: str) -> Callable[[State], Description]:
    """Return a closure that fails: an invalid expansion in a body is an error only when it is expanded."""

    def fail(state: State) -> Description:
        raise ShellError(message, ends="unit")

    return fail


def _target(node: Redirection, words: WordCompiler) -> Text:
    """Compile the file name: exactly one field."""
    constant = words.constant(node.target)
    if constant is not None:
        name: str = constant
        return lambda state: name
    fields = words.fields(node.target)
    unsplit = words.string(node.target)
    has_quotes = any(isinstance(part, (SingleQuoted, DoubleQuoted)) for part in node.target.parts)
    can_be_several = has_braces(node.target)

    def name_of(state: State) -> str:
        if state.options.posix and not can_be_several:  # neither split nor matched
            text = unsplit(state)
            if not text and not has_quotes:
                raise _ambiguous(node)
            return text
        names = fields(state)
        if len(names) != 1:
            raise _ambiguous(node)
        return names[0]

    return name_of


def _opener(node: Redirection, name_of: Text) -> Callable[[State], Description]:
    if node.operator == "<":
        return _reader(name_of)
    if node.operator == "<>":
        return lambda state: open_file(state, name_of(state), read=True, write=True, create=True)
    if node.operator == ">>":
        return _appender(name_of)

    def truncate(state: State) -> Description:
        name = name_of(state)
        if state.options.noclobber and node.operator != ">|":
            return _open_unclobbered(state, name, node.variable)
        return open_file(state, name, write=True, create=True, truncate=True)

    return truncate


def _reader(name_of: Text) -> Callable[[State], Description]:
    """Compile ``<``; the file is opened without the call of ``open_file``, which costs time."""

    def reader(state: State) -> Description:
        name = name_of(state)
        try:
            if name:
                return state.process.open(name)
        except OSError:  # open_file fails again, with the message
            pass
        return open_file(state, name, read=True)

    return reader


def _appender(name_of: Text) -> Callable[[State], Description]:
    """Compile ``>>``."""

    def appender(state: State) -> Description:
        name = name_of(state)
        try:
            if name:
                return state.process.open(name, read=False, write=True, create=True, append=True)
        except OSError:
            pass
        return open_file(state, name, write=True, create=True, append=True)

    return appender


def _open_unclobbered(state: State, name: str, variable: str | None = None) -> Description:
    """Open for ``>`` under ``set -C``: an existing regular file is an error, which names the variable of ``{name}>``."""
    process = state.process
    path = join(process.cwd, name)
    try:
        is_regular = process.kernel.fs.stat(path).mode & 0o170000 == 0o100000
    except OSError:
        is_regular = False
    if is_regular or _is_dangling(state, path):
        raise ShellError(f"{variable or name}: cannot overwrite existing file")
    return open_file(state, name, write=True, create=True, truncate=True)


def _is_dangling(state: State, path: VirtualPath) -> bool:
    """Return True if a path is a dangling link: ``set -C`` creates no file through one."""
    fs = state.process.kernel.fs
    try:
        return fs.stat(path, follow=False).mode & 0o170000 == 0o120000 and not fs.exists(path)
    except OSError:
        return False


def open_file(
    state: State,
    name: str,
    *,
    read: bool = False,
    write: bool = False,
    create: bool = False,
    append: bool = False,
    truncate: bool = False,
) -> Description:
    """Open a file for a redirection. Raises ShellError with bash's message."""
    try:
        if not name:
            raise fs_error(errno.ENOENT)
        return state.process.open(
            name, read=read, write=write, create=create, append=append, truncate=truncate
        )
    except OSError as error:
        if error.errno == errno.EISDIR and read and not write:
            return OpenDirectory(join(state.process.cwd, name))
        if name.startswith(_NETWORK):
            programs = state.programs
            if programs is None:
                raise ShellError(f"{name}: no network (L-NET-001)") from None
            return programs.connect(state, name)
        raise ShellError(f"{name}: {error.strerror}") from None


def _compile_numbered(node: Redirection, default: int, open_target: Callable[[State], Description]) -> Apply:
    """Compile a redirection of the operator's descriptor, of the default, or of a free one for ``{name}``."""
    if node.variable is None:
        number = default if node.fd is None else node.fd

        def apply(state: State, undo: Undo | None) -> None:
            install(state, number, open_target(state), undo)

        return apply
    variable = node.variable

    def apply_free(state: State, undo: Undo | None) -> None:
        description = open_target(state)
        free = state.process.free_descriptor(FIRST_FREE)
        try:
            set_named(state, variable, str(free))
        except ShellError as error:
            description.release()
            if error.ends_callers:
                raise
            state.shell.assignment_error(state, error)
            raise ShellError(f"{variable}: cannot assign fd to variable") from None
        is_temporary = "varredir_close" in state.options.shopts or state.execution.applies_as_child
        install(state, free, description, undo if is_temporary else None)

    return apply_free


def _compile_both_outputs(name_of: Text, *, append: bool) -> Apply:
    """Compile &> and &>>: standard output and standard error."""

    def apply(state: State, undo: Undo | None) -> None:
        name = name_of(state)
        if state.options.noclobber and not append:
            description = _open_unclobbered(state, name)
        else:
            description = open_file(state, name, write=True, create=True, append=append, truncate=not append)
        description.retain()
        install(state, 1, description, undo)
        install(state, 2, description, undo)

    return apply


def _duplicate(node: Redirection, words: WordCompiler) -> Apply:
    """Compile n<&m, n>&m, n>&-, n>&m-, and >&file."""
    target = words.string(node.target)
    fields = words.fields(node.target)
    output = node.operator == ">&"
    default = 1 if output else 0
    number = default if node.fd is None else node.fd
    can_be_file = output and number == 1 and node.variable is None
    parts = node.target.parts
    has_quotes = any(isinstance(part, (SingleQuoted, DoubleQuoted)) for part in parts)
    can_move = isinstance(parts[-1], Literal) and parts[-1].text.endswith(
        "-"
    )  # not the result of an expansion

    def apply(state: State, undo: Undo | None) -> None:
        texts = [target(state)] if state.options.posix else fields(state)
        if len(texts) != 1 or not (texts[0] or has_quotes or node.variable):
            raise _ambiguous(node)
        text = texts[0]
        if text == "-":
            _close(state, node, default, undo)
            return
        move = can_move and text.endswith("-")
        digits = text[:-1] if move else text
        if not (digits.isascii() and digits.isdigit()):
            if not text:
                raise _closed_source(state, node, _target_text(node) if node.variable is None else "")
            if can_be_file and not move:
                _compile_both_outputs(lambda _: text, append=False)(state, undo)
                return
            raise _ambiguous(node, digits)
        source_number = int(digits[:9])
        if source_number == number and node.variable is None:
            return
        source = state.process.descriptors.get(source_number)
        if source is None:
            saved = undo is not None and number in state.process.descriptors
            if move and saved and node.variable is None and not state.execution.applies_as_child:
                _print_cannot_duplicate(state)
            raise _closed_source(state, node, _shown_source(node, digits, number, move=move))
        source.retain()
        was_open = number in state.process.descriptors
        _compile_numbered(node, default, lambda _: source)(state, undo)
        if move:  # bash restores the source only when it had to save the destination
            lasting = not was_open and not state.execution.applies_as_child
            _remove(state, source_number, None if lasting else undo)

    return apply


def _shown_source(node: Redirection, digits: str, number: int, *, move: bool) -> str:
    """Return how a message names a source that is not open; bash has lost an expansion for most targets."""
    text = _target_text(node)
    if text.removesuffix("-") == digits:
        return digits
    return str(number) if node.variable is None and (move or number > 1) else text


def _closed_source(state: State, node: Redirection, shown: str) -> ShellError:
    """Return the error for a descriptor that is not open; for ``{name}>&`` bash writes another before it."""
    if node.variable is not None:
        _print_cannot_duplicate(state)
    return ShellError(f"{shown}: Bad file descriptor")


def _print_cannot_duplicate(state: State) -> None:
    """Print what bash prints first if it cannot copy a descriptor that it has to restore or to name."""
    where = state.shell.where(state, numbered=False)
    state.shell.write_error(state, f"{where}redirection error: cannot duplicate fd: Bad file descriptor\n")


def _ambiguous(node: Redirection, shown: str | None = None) -> ShellError:
    """Return the error for a target that is not one word; it names the variable of ``{name}>``."""
    return ShellError(f"{node.variable or shown or _target_text(node)}: ambiguous redirect")


def _target_text(node: Redirection) -> str:
    """Return the source text of the target, for messages."""
    from sandhook.syntax.unparse import unparse

    return unparse(node.target)


def _close(state: State, node: Redirection, default: int, undo: Undo | None) -> None:
    if node.variable is not None:
        name, bracket, rest = node.variable.partition("[")
        if not (text := state.element(name, rest[:-1]) if bracket else state.get(name)):
            raise ShellError(f"{node.variable}: ambiguous redirect")
        _remove(state, decimal(text) or 0, undo)  # bash treats other text as 0
    else:
        _remove(state, default if node.fd is None else node.fd, undo)


def _remove(state: State, number: int, undo: Undo | None) -> None:
    if undo is None:
        state.process.close(number)
    else:
        undo.append((number, state.process.descriptors.pop(number, None)))
