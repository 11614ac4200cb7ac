"""The commands of ed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Protocol

from sandhook.command.context import Context
from sandhook.pattern.posix import Regex
from sandhook.utilities.extras.ed.buffer import Buffer, EdError, Line
from sandhook.utilities.extras.ed.files import Files
from sandhook.utilities.extras.ed.parse import Addresses, Parser
from sandhook.utilities.extras.ed.substitute import Substitution

if TYPE_CHECKING:
    from sandhook.utilities.extras.ed import Options

_WINDOW = 22
_COLUMNS = 72  #: of what l prints
_ESCAPES = {7: b"\\a", 8: b"\\b", 9: b"\\t", 11: b"\\v", 12: b"\\f", 13: b"\\r", 36: b"\\$", 92: b"\\\\"}


class Compile(Protocol):
    def __call__(self, text: str, icase: bool = False) -> Regex: ...


class Quit(Exception):
    """The session is over."""


class Session:
    """One run of ed.

    Attributes:
        message: The text of the last error.
        explains: Errors are explained, as H wants it.
        ended: The commands have ended.
    """

    def __init__(self, options: Options, ctx: Context, script: Iterator[bytes], compile_: Compile) -> None:
        self._ctx = ctx
        self._script = script
        self._given: list[bytes] | None = None  #: lines of a global command's list, the next one last
        self.buffer = Buffer(ctx.budget)
        self._parser = Parser(self.buffer, compile_, self._next_line, ctx.budget)
        self._files = Files(options, self.buffer, ctx)
        self._substitution = Substitution(self.buffer, self._parser, compile_, ctx.budget)
        self._prompt = options.prompt if options.prompt is not None else "*"
        self._prompts = options.prompt is not None
        self._window = _WINDOW
        self._warned = False
        self.message = ""
        self.explains = options.verbose
        self.ended = False
        self._commands: dict[bytes, Callable[[Addresses], None]] = {
            b"a": self._append, b"c": self._change, b"d": self._delete, b"e": self._edit, b"E": self._edit_anyway,
            b"f": self._file, b"g": self._global, b"G": self._global, b"h": self._help, b"H": self._explain,
            b"i": self._insert, b"j": self._join, b"k": self._mark, b"l": self._print, b"m": self._move,
            b"n": self._print, b"p": self._print, b"P": self._toggle_prompt, b"q": self._quit,
            b"Q": self._quit_anyway, b"r": self._read, b"s": self._substitute, b"t": self._transfer,
            b"u": self._undo, b"v": self._global, b"V": self._global, b"w": self._write, b"W": self._write,
            b"x": self._put, b"y": self._yank, b"z": self._scroll, b"=": self._number, b"#": self._comment,
            b"!": self._refuse,
        }  # fmt: skip

    # ------------------------------------------------------------------ lines of commands

    def _next_line(self) -> bytes | None:
        if self._given is not None:
            return self._given.pop() if self._given else None
        self._ctx.charge()
        return next(self._script, None)

    def read_first(self, name: str) -> None:
        """Read the file of the command line."""
        if not self._files.first(name):
            self.message = "Cannot open input file"

    def command(self) -> None:
        """Read a command and carry it out. Raises EdError, Quit."""
        if self._prompts:
            self._ctx.write(self._prompt.encode("utf-8", "surrogateescape"))
            self._ctx.flush()
        line = self._next_line()
        if line is None:
            self.ended = True
            if self.buffer.modified and not self._warned:
                self._warned = True
                raise EdError("Warning: buffer modified")
            raise Quit
        self.buffer.begin()
        warned = self._warned
        self._carry_out(line)
        if warned:
            self._warned = False

    def _carry_out(self, line: bytes) -> None:
        parser = self._parser
        parser.start(line)
        addresses = parser.addresses()
        self._verb = parser.take()
        if not self._verb:
            self._next(addresses)
            return
        run = self._commands.get(self._verb)
        if run is None:
            raise EdError("Unknown command")
        run(addresses)

    def _suffix(self) -> bytes:
        """Return the letters l, n and p after a command; anything else is an error."""
        letters = b""
        while (letter := self._parser.peek()) and letter in b"lnp":
            letters += self._parser.take()
        if self._parser.peek():
            raise EdError("Invalid command suffix")
        return letters

    def _show_current(self, letters: bytes) -> None:
        if letters and self.buffer.current:
            self._show(self.buffer.current, self.buffer.current, letters)

    def _no_address(self, addresses: Addresses) -> None:
        if addresses.count:
            raise EdError("Unexpected address")

    def _range(
        self, addresses: Addresses, first: int | None = None, last: int | None = None
    ) -> tuple[int, int]:
        """Return the lines that a command is for; ``first`` and ``last`` without addresses."""
        buffer = self.buffer
        if not addresses.count:
            addresses.first = buffer.current if first is None else first
            addresses.second = buffer.current if last is None else last
        if not 1 <= addresses.first <= addresses.second <= buffer.last:
            raise EdError("Invalid address")
        return addresses.first, addresses.second

    # ------------------------------------------------------------------ showing

    def _show(self, first: int, last: int, letters: bytes) -> None:
        if not 1 <= first <= last <= self.buffer.last:
            raise EdError("Invalid address")
        for number in range(first, last + 1):
            text = self.buffer.text(number)
            self._ctx.charge(1 + (len(text) >> 10))
            head = b"%d\t" % number if b"n" in letters else b""
            self._ctx.write(
                head + (_listed(text, len(head.expandtabs())) if b"l" in letters else text) + b"\n"
            )
        self.buffer.current = last

    def _next(self, addresses: Addresses) -> None:
        number = addresses.second if addresses.count else self.buffer.current + (self._given is None)
        self._show(number, number, b"p")

    def _print(self, addresses: Addresses) -> None:
        first, last = self._range(addresses)
        letters = self._verb + self._suffix()
        self._show(first, last, letters)

    def _scroll(self, addresses: Addresses) -> None:
        number = self._parser.number()
        if number == 0:
            raise EdError("Invalid command suffix")
        letters = self._suffix()
        first = addresses.second if addresses.count else self.buffer.current + 1
        if not 1 <= first <= self.buffer.last:
            raise EdError("Invalid address")
        if number:
            self._window = number
        self._show(first, min(first + self._window - 1, self.buffer.last), letters)

    def _number(self, addresses: Addresses) -> None:
        self._suffix()
        self._ctx.write(b"%d\n" % (addresses.second if addresses.count else self.buffer.last))

    def _comment(self, addresses: Addresses) -> None:
        self._parser.rest()

    def _refuse(self, addresses: Addresses) -> None:
        raise EdError("Shell access restricted")

    def _help(self, addresses: Addresses) -> None:
        self._no_address(addresses)
        self._suffix()
        if self.message:
            self._ctx.write(self.message.encode("utf-8", "surrogateescape") + b"\n")

    def _explain(self, addresses: Addresses) -> None:
        self._no_address(addresses)
        self._suffix()
        self.explains = not self.explains
        if self.explains and self.message:
            self._ctx.write(self.message.encode("utf-8", "surrogateescape") + b"\n")

    def _toggle_prompt(self, addresses: Addresses) -> None:
        self._no_address(addresses)
        self._suffix()
        self._prompts = not self._prompts

    # ------------------------------------------------------------------ changing

    def _input(self) -> list[bytes]:
        """Return the lines up to one that is a dot."""
        found: list[bytes] = []
        while (line := self._next_line()) is not None and line != b".":
            self._ctx.budget.charge_memory(len(line) + 64)
            found.append(line)
        return found

    def _append(self, addresses: Addresses) -> None:
        letters = self._suffix()
        after = addresses.second
        self.buffer.current = after
        self.buffer.insert(after, self._input())
        self._show_current(letters)

    def _insert(self, addresses: Addresses) -> None:
        letters = self._suffix()
        after = max(addresses.second - 1, 0)
        texts = self._input()
        if texts:
            self.buffer.insert(after, texts)
        else:
            self.buffer.current = min(max(addresses.second, 1), self.buffer.last)
        self._show_current(letters)

    def _change(self, addresses: Addresses) -> None:
        first, last = self._range(addresses)
        letters = self._suffix()
        self.buffer.delete(first, last)
        self.buffer.insert(first - 1, self._input())
        self._show_current(letters)

    def _delete(self, addresses: Addresses) -> None:
        first, last = self._range(addresses)
        letters = self._suffix()
        self.buffer.delete(first, last)
        self._show_current(letters)

    def _join(self, addresses: Addresses) -> None:
        single = addresses.count == 1
        first, last = self._range(addresses, last=self.buffer.current + 1)
        letters = self._suffix()
        if not single and first < last:
            texts = [self.buffer.text(number) for number in range(first, last + 1)]
            self._ctx.budget.check_fits(sum(map(len, texts)))
            self.buffer.delete(first, last)
            self.buffer.insert(first - 1, [b"".join(texts)])
        self._show_current(letters)

    def _mark(self, addresses: Addresses) -> None:
        name = self._parser.take().decode("latin-1")
        if not addresses.second:
            raise EdError("Invalid address")
        letters = self._suffix()
        if not name:
            raise EdError("Invalid command suffix")
        if not (name.isascii() and name.islower()):
            raise EdError("Invalid mark character")
        self.buffer.marks[name] = self.buffer.lines[addresses.second - 1]
        self._show_current(letters)

    def _destination(self) -> int:
        found = self._parser.addresses()
        return found.second if found.count else self.buffer.current

    def _move(self, addresses: Addresses) -> None:
        first, last = self._range(addresses)
        after = self._destination()
        letters = self._suffix()
        if first <= after < last:
            raise EdError("Invalid destination")
        if after in (first - 1, last):
            self.buffer.current = last
        else:
            self.buffer.move(first, last, after)
        self._show_current(letters)

    def _transfer(self, addresses: Addresses) -> None:
        first, last = self._range(addresses)
        after = self._destination()
        letters = self._suffix()
        self.buffer.insert(after, [self.buffer.text(number) for number in range(first, last + 1)])
        self._show_current(letters)

    def _put(self, addresses: Addresses) -> None:
        letters = self._suffix()
        if not self.buffer.yanked:
            raise EdError("Nothing to put")
        self.buffer.insert(addresses.second, self.buffer.yanked)
        self._show_current(letters)

    def _yank(self, addresses: Addresses) -> None:
        first, last = self._range(addresses)
        letters = self._suffix()
        self.buffer.yank(first, last)
        self._show_current(letters)

    def _undo(self, addresses: Addresses) -> None:
        self._no_address(addresses)
        letters = self._suffix()
        self.buffer.undo()
        self._show_current(letters)

    def _substitute(self, addresses: Addresses) -> None:
        self._substitution.read()
        first, last = self._range(addresses)
        letters = self._substitution.run(first, last, anywhere=self._given is not None)
        self._show_current(letters)

    # ------------------------------------------------------------------ globals

    def _global(self, addresses: Addresses) -> None:
        if self._given is not None:
            raise EdError("Cannot nest global commands")
        verb, parser, buffer = self._verb, self._parser, self.buffer
        first, last = self._range(addresses, 1, buffer.last)
        delimiter = parser.take()
        if delimiter in (b"", b" "):
            raise EdError("Invalid pattern delimiter")
        regex = parser.pattern(delimiter)
        asks = verb in (b"G", b"V")
        commands: list[bytes] = []
        if asks:
            self._suffix()
        else:
            commands = self._list(parser.rest())
        buffer.forget()
        wanted = verb in (b"g", b"G")
        chosen: list[Line] = []
        for number in range(first, last + 1):
            self._ctx.charge()
            if regex.test(buffer.text(number), remaining=self._ctx.budget.remaining) is wanted:
                chosen.append(buffer.lines[number - 1])
        for line in chosen:
            number = buffer.number_of(line)
            if not number:
                continue
            buffer.current = number
            if asks:
                answer = self._asked(number, commands)
                commands = answer or commands
                self._run_list(answer)
            else:
                self._run_list(commands)

    def _list(self, text: bytes) -> list[bytes]:
        """Return the lines of a list of commands: all but the last one end in a backslash."""
        lines = [text]
        while lines[-1][-1:] == b"\\" and (line := self._next_line()) is not None:
            lines[-1] = lines[-1][:-1]
            lines.append(line)
        return lines if lines != [b""] else [b"p"]

    def _asked(self, number: int, before: list[bytes]) -> list[bytes]:
        self._show(number, number, b"p")
        line = self._next_line()
        if line is None:
            raise EdError("Unexpected end-of-file")
        if not line:
            return []
        if line == b"&":
            if not before:
                raise EdError("No previous command")
            return before
        return self._list(line)

    def _run_list(self, commands: list[bytes]) -> None:
        if not commands:
            return
        self._given = commands[::-1]
        try:
            while self._given:
                self._ctx.charge()
                self._carry_out(self._given.pop())
        finally:
            self._given = None

    # ------------------------------------------------------------------ files

    def _edit(self, addresses: Addresses) -> None:
        if self.buffer.modified and not self._warned:
            self._warned = True
            raise EdError("Warning: buffer modified")
        self._edit_anyway(addresses)

    def _edit_anyway(self, addresses: Addresses) -> None:
        self._no_address(addresses)
        self._files.edit(self._files.name(self._parser))

    def _file(self, addresses: Addresses) -> None:
        self._no_address(addresses)
        self._files.rename(self._parser)

    def _read(self, addresses: Addresses) -> None:
        after = addresses.second if addresses.count else self.buffer.last
        self._files.read(self._files.name(self._parser, keeps=True), after)

    def _write(self, addresses: Addresses) -> None:
        quits = self._parser.peek() in (b"q", b"Q") and bool(self._parser.take())
        name = self._files.name(self._parser, keeps=True)
        first, last = 1, self.buffer.last
        if addresses.count or last:
            first, last = self._range(addresses, 1, last)
        self._files.write(name, first, last, append=self._verb == b"W")
        if quits:
            raise Quit

    def _quit(self, addresses: Addresses) -> None:
        self._no_address(addresses)
        self._suffix()
        if self.buffer.modified and not self._warned:
            self._warned = True
            raise EdError("Warning: buffer modified")
        raise Quit

    def _quit_anyway(self, addresses: Addresses) -> None:
        self._no_address(addresses)
        self._suffix()
        raise Quit


def _listed(text: bytes, column: int) -> bytes:
    """Return a line as l prints it: escapes for what cannot be printed, and a dollar sign at its end."""
    pieces = []
    for byte in text:
        shown = _ESCAPES.get(byte) or (bytes((byte,)) if 32 <= byte < 127 else b"\\%03o" % byte)
        if column + len(shown) > _COLUMNS:
            pieces.append(b"\\\n")
            column = 0
        column += len(shown)
        pieces.append(shown)
    return b"".join(pieces) + b"$"
