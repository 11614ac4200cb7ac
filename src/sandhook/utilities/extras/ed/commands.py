"""The commands of ed: one function for each letter.

Source: POSIX.1-2024 XCU 3, ed. Oracle: GNU ed 1.19.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sandhook.pattern.posix import Regex
from sandhook.utilities.extras.ed.buffer import EdError, Line
from sandhook.utilities.extras.ed.parse import Addresses
from sandhook.utilities.extras.ed.session import Command, Quit, Session

# --------------------------------------------------------------------------- showing


def _next(session: Session, addresses: Addresses) -> None:
    number = addresses.second if addresses.count else session.buffer.current + (not session.in_global)
    session.show(number, number, b"p")


def _printer(letter: bytes) -> Command:
    """Return the command l, n or p."""

    def print_(session: Session, addresses: Addresses) -> None:
        first, last = session.range(addresses)
        session.show(first, last, letter + session.suffix())

    return print_


def _scroll(session: Session, addresses: Addresses) -> None:
    number = session.parser.number()
    if number == 0:
        raise EdError("Invalid command suffix")
    letters = session.suffix()
    first = addresses.second if addresses.count else session.buffer.current + 1
    if not 1 <= first <= session.buffer.last:
        raise EdError("Invalid address")
    if number:
        session.window = number
    session.show(first, min(first + session.window - 1, session.buffer.last), letters)


def _number(session: Session, addresses: Addresses) -> None:
    session.suffix()
    session.ctx.write(b"%d\n" % (addresses.second if addresses.count else session.buffer.last))


def _comment(session: Session, addresses: Addresses) -> None:
    session.parser.rest()


def _shell_command(session: Session, addresses: Addresses) -> None:
    raise EdError("Shell access restricted")


def _help(session: Session, addresses: Addresses) -> None:
    session.no_address(addresses)
    session.suffix()
    session.explain()


def _explain(session: Session, addresses: Addresses) -> None:
    session.no_address(addresses)
    session.suffix()
    session.explains = not session.explains
    if session.explains:
        session.explain()


def _toggle_prompt(session: Session, addresses: Addresses) -> None:
    session.no_address(addresses)
    session.suffix()
    session.prompts = not session.prompts


# --------------------------------------------------------------------------- changing


def _append(session: Session, addresses: Addresses) -> None:
    letters = session.suffix()
    after = addresses.second
    session.buffer.current = after
    session.buffer.insert(after, session.input())
    session.show_current(letters)


def _insert(session: Session, addresses: Addresses) -> None:
    letters = session.suffix()
    after = max(addresses.second - 1, 0)
    texts = session.input()
    if texts:
        session.buffer.insert(after, texts)
    else:
        session.buffer.current = min(max(addresses.second, 1), session.buffer.last)
    session.show_current(letters)


def _change(session: Session, addresses: Addresses) -> None:
    first, last = session.range(addresses)
    letters = session.suffix()
    session.buffer.delete(first, last)
    session.buffer.insert(first - 1, session.input())
    session.show_current(letters)


def _delete(session: Session, addresses: Addresses) -> None:
    first, last = session.range(addresses)
    letters = session.suffix()
    session.buffer.delete(first, last)
    session.show_current(letters)


def _join(session: Session, addresses: Addresses) -> None:
    single = addresses.count == 1
    first, last = session.range(addresses, last=session.buffer.current + 1)
    letters = session.suffix()
    if not single and first < last:
        texts = [session.buffer.text(number) for number in range(first, last + 1)]
        session.ctx.budget.check_fits(sum(map(len, texts)))
        session.buffer.delete(first, last)
        session.buffer.insert(first - 1, [b"".join(texts)])
    session.show_current(letters)


def _mark(session: Session, addresses: Addresses) -> None:
    name = session.parser.next().decode("latin-1")
    if not addresses.second:
        raise EdError("Invalid address")
    letters = session.suffix()
    if not name:
        raise EdError("Invalid command suffix")
    if not (name.isascii() and name.islower()):
        raise EdError("Invalid mark character")
    session.buffer.marks[name] = session.buffer.lines[addresses.second - 1]
    session.show_current(letters)


def _destination(session: Session) -> int:
    addresses = session.parser.addresses()
    return addresses.second if addresses.count else session.buffer.current


def _move(session: Session, addresses: Addresses) -> None:
    first, last = session.range(addresses)
    after = _destination(session)
    letters = session.suffix()
    if first <= after < last:
        raise EdError("Invalid destination")
    if after in (first - 1, last):
        session.buffer.current = last
    else:
        session.buffer.move(first, last, after)
    session.show_current(letters)


def _transfer(session: Session, addresses: Addresses) -> None:
    first, last = session.range(addresses)
    after = _destination(session)
    letters = session.suffix()
    session.buffer.insert(after, [session.buffer.text(number) for number in range(first, last + 1)])
    session.show_current(letters)


def _put(session: Session, addresses: Addresses) -> None:
    letters = session.suffix()
    if not session.buffer.yanked:
        raise EdError("Nothing to put")
    session.buffer.insert(addresses.second, session.buffer.yanked)
    session.show_current(letters)


def _yank(session: Session, addresses: Addresses) -> None:
    first, last = session.range(addresses)
    letters = session.suffix()
    session.buffer.yank(first, last)
    session.show_current(letters)


def _undo(session: Session, addresses: Addresses) -> None:
    session.no_address(addresses)
    letters = session.suffix()
    session.buffer.undo()
    session.show_current(letters)


def _substitute(session: Session, addresses: Addresses) -> None:
    session.substitution.read()
    first, last = session.range(addresses)
    letters = session.substitution.run(first, last, anywhere=session.in_global)
    session.show_current(letters)


# --------------------------------------------------------------------------- globals


def _for_each(*, matching: bool) -> Command:
    """Return the command g, or v for the lines that do not match."""

    def run(session: Session, addresses: Addresses) -> None:
        regex, first, last = _selection(session, addresses)
        commands = _list(session, session.parser.rest())
        for _ in _selected_lines(session, regex, first, last, matching):
            session.run_list(commands)

    return run


def _for_each_interactive(*, matching: bool) -> Command:
    """Return the command G, or V for the lines that do not match; it reads a command list for each line."""

    def run(session: Session, addresses: Addresses) -> None:
        regex, first, last = _selection(session, addresses)
        session.suffix()
        commands: list[bytes] = []
        for number in _selected_lines(session, regex, first, last, matching):
            answer = _read_command_list(session, number, commands)
            commands = answer or commands
            session.run_list(answer)

    return run


def _selection(session: Session, addresses: Addresses) -> tuple[Regex, int, int]:
    """Parse the pattern of a global command; return it with the lines to search. Raises EdError."""
    if session.in_global:
        raise EdError("Cannot nest global commands")
    first, last = session.range(addresses, 1, session.buffer.last)
    delimiter = session.parser.next()
    if delimiter in (b"", b" "):
        raise EdError("Invalid pattern delimiter")
    return session.parser.pattern(delimiter), first, last


def _selected_lines(session: Session, regex: Regex, first: int, last: int, matching: bool) -> Iterator[int]:
    """Choose lines at once, then make each of them current and yield its number, unless it is gone."""
    buffer, budget = session.buffer, session.ctx.budget
    buffer.forget()
    selected: list[Line] = []
    for number in range(first, last + 1):
        session.ctx.charge()
        if regex.test(buffer.text(number), remaining=budget.remaining) is matching:
            selected.append(buffer.lines[number - 1])
    for line in selected:
        number = buffer.number_of(line)
        if number:
            buffer.current = number
            yield number


def _list(session: Session, text: bytes) -> list[bytes]:
    """Return the lines of a command list: a backslash at the end of a line continues the list."""
    lines = [text]
    while lines[-1][-1:] == b"\\" and (line := session.next_line()) is not None:
        lines[-1] = lines[-1][:-1]
        lines.append(line)
    return lines if lines != [b""] else [b"p"]


def _read_command_list(session: Session, number: int, previous: list[bytes]) -> list[bytes]:
    session.show(number, number, b"p")
    line = session.next_line()
    if line is None:
        raise EdError("Unexpected end-of-file")
    if not line:
        return []
    if line == b"&":
        if not previous:
            raise EdError("No previous command")
        return previous
    return _list(session, line)


# --------------------------------------------------------------------------- files


def _edit(session: Session, addresses: Addresses) -> None:
    session.warn_of_changes()
    _edit_anyway(session, addresses)


def _edit_anyway(session: Session, addresses: Addresses) -> None:
    session.no_address(addresses)
    session.files.edit(session.files.name(session.parser))


def _file(session: Session, addresses: Addresses) -> None:
    session.no_address(addresses)
    session.files.rename(session.parser)


def _read(session: Session, addresses: Addresses) -> None:
    after = addresses.second if addresses.count else session.buffer.last
    session.files.read(session.files.name(session.parser, keeps=True), after)


def _writer(*, append: bool) -> Command:
    """Return the command w, or W, which appends."""

    def write(session: Session, addresses: Addresses) -> None:
        quits = session.parser.peek() in (b"q", b"Q") and bool(session.parser.next())
        name = session.files.name(session.parser, keeps=True)
        first, last = 1, session.buffer.last
        if addresses.count or last:
            first, last = session.range(addresses, 1, last)
        session.files.write(name, first, last, append=append)
        if quits:
            raise Quit

    return write


def _quit(session: Session, addresses: Addresses) -> None:
    session.no_address(addresses)
    session.suffix()
    session.warn_of_changes()
    raise Quit


def _quit_anyway(session: Session, addresses: Addresses) -> None:
    session.no_address(addresses)
    session.suffix()
    raise Quit


#: The commands by their letters; an empty line is a command too.
COMMANDS: Mapping[bytes, Command] = {
    b"": _next, b"a": _append, b"c": _change, b"d": _delete, b"e": _edit, b"E": _edit_anyway, b"f": _file,
    b"g": _for_each(matching=True), b"G": _for_each_interactive(matching=True), b"h": _help, b"H": _explain,
    b"i": _insert, b"j": _join, b"k": _mark, b"l": _printer(b"l"), b"m": _move, b"n": _printer(b"n"),
    b"p": _printer(b"p"), b"P": _toggle_prompt, b"q": _quit, b"Q": _quit_anyway, b"r": _read,
    b"s": _substitute, b"t": _transfer, b"u": _undo, b"v": _for_each(matching=False),
    b"V": _for_each_interactive(matching=False), b"w": _writer(append=False), b"W": _writer(append=True),
    b"x": _put, b"y": _yank, b"z": _scroll, b"=": _number, b"#": _comment, b"!": _shell_command,
}  # fmt: skip
