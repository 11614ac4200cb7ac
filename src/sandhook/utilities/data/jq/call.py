"""One call of jq on Windows: wraps the program, reads its inputs, asks the worker, prints the answer.

The package jq hides libjq's functions there, so what its interface lacks is written around the
program (``program.py``, ``inputs.py``, ``explain.py``). ``native.py`` is the implementation for
Linux and macOS, where libjq does all of it itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from json import dumps
from typing import NoReturn

from sandhook.command.context import Context
from sandhook.errors import WorkerError
from sandhook.utilities.data.jq import program as programs
from sandhook.utilities.data.jq.arguments import TRY_HELP, Command, Stop
from sandhook.utilities.data.jq.directives import Malformed
from sandhook.utilities.data.jq.explain import explain
from sandhook.utilities.data.jq.lexer import Unbalanced
from sandhook.utilities.data.jq.linked import Linked, is_linked
from sandhook.utilities.data.jq.modules import PREFIX, Linker, ModuleError
from sandhook.utilities.data.jq.position import Sources
from sandhook.worker import client, frames
from sandhook.worker.requests import Request

_COMPILE_ERROR = 3
_RUN_ERROR = 5


class Run:
    """One call of jq."""

    def __init__(self, command: Command, ctx: Context) -> None:
        self._command = command
        self._ctx = ctx
        self._missing = False
        self._sources = Sources()
        self._named: dict[str, str] = {}  # name to JSON text
        self._positional: list[str] = []  # JSON texts
        self._outcome = frames.NOTHING
        self._halt: int | None = None
        self._swallowed = False
        self._step = 1
        self._linked = Linked("")
        self._input: bytes | None = None
        self._data = b""
        self._broken = False

    def status(self) -> int:
        """Run it and return its exit status."""
        try:
            return self._status()
        except Stop as stop:
            return stop.status

    def _status(self) -> int:
        command = self._command
        ctx = self._ctx
        linked = self._link(self._program())
        text = linked.before + linked.body
        if command.stream_errors:
            self._misuse("--stream-errors is not supported (L-JQ-006)")
        if command.definitions:
            self._define()
        if command.positional:
            self._place()
        for name, option, path, _ in linked.data:
            self._named[name] = self._file(option, name, path)
        try:
            if linked.before:
                programs.inspect(linked.body)
            plan = programs.plan(
                text,
                tuple(self._named),
                null_input=command.null_input,
                slurp=command.slurp and not command.raw_input,
                stream=command.stream,
                raw=command.raw and not command.ascii,
                sort_keys=command.sort_keys,
                linked=bool(linked.before),
            )
            uses = programs.inspect(text, linked=bool(linked.before))
        except programs.Refused as refused:
            self._print(f"jq: error: {refused}")
            return _COMPILE_ERROR
        except Unbalanced:
            self._explain(b"jq: error: the brackets of the program do not match")
        if uses.zoned and ctx.environment.get("TZ", "UTC") not in ("", "UTC", "UTC0", "Etc/UTC", "GMT"):
            self._print("jq: error: a time zone other than UTC is not supported (L-JQ-007)")
            return _COMPILE_ERROR
        if command.null_input and not uses.sites:
            data = b"null" if not plan.gather else b""
        else:
            data = self._read()
        request = Request(
            plan.program,
            data,
            flags=self._flags(plan),
            indent=max(command.indent or 0, 0),
            step=plan.step,
            variables=self._values(plan.names, data) if plan.gather else b"",
            probe=plan.probe,
        )
        self._step = plan.step or 1 << 62
        self._data = data
        self._ask(request, self._take)
        return self._exit_status()

    # ------------------------------------------------------------------ what goes in

    def _program(self) -> str:
        command = self._command
        text = "." if command.program is None else command.program
        if not command.from_file:
            return text
        try:
            with self._ctx.open(text) as reader:
                read = reader.read_all()
        except OSError as error:
            self._print(f"jq: Could not open {text}: {error.strerror}")
            raise Stop(2) from None
        return read.decode("utf-8", "surrogateescape")

    def _link(self, text: str) -> Linked:
        """Return the program with its modules."""
        self._linked = Linked(text)
        if not is_linked(text, self._ctx):
            return self._linked
        command = self._command
        linker = Linker(self._ctx, command.search)
        try:
            self._linked = linker.link(text, (command.program or "") * command.from_file, self._names)
        except ModuleError as error:
            self._print(f"{error}\njq: 1 compile error")
            raise Stop(_COMPILE_ERROR) from None
        except Malformed:
            self._print("jq: error: syntax error in the head of the program\njq: 1 compile error")
            raise Stop(_COMPILE_ERROR) from None
        except Unbalanced:
            self._linked = Linked(
                text
            )  # libjq says where, and looks for nothing in a text that it cannot read
        return self._linked

    def _define(self) -> None:
        """Read the values of --arg, --argjson, --slurpfile and --rawfile."""
        for option, name, text in self._command.definitions:
            if option == "arg":
                self._named[name] = _string(text)
            elif option == "argjson":
                self._named[name] = self._json(text, f"invalid JSON text passed to --{option}")
            else:
                self._named[name] = self._file(option, name, text)

    def _place(self) -> None:
        """Read the values of --args and --jsonargs."""
        for is_json, text in self._command.positional:
            value = self._json(text, "invalid JSON text passed to --jsonargs") if is_json else _string(text)
            self._positional.append(value)

    def _file(self, option: str, name: str, path: str) -> str:
        bad = f"Bad JSON in --{option} {name} {path}"
        try:
            with self._ctx.open(path) as reader:
                data = reader.read_all()
        except OSError as error:
            self._print(f"jq: {bad}: Could not open {path}: {error.strerror}")
            raise Stop(2) from None
        if option == "rawfile":
            return dumps(data.decode("utf-8", "replace"))
        values, broken = self._values_of(data)
        if broken and option == "data":
            self._print(f"jq: error loading data file {path}: {broken}\n\njq: 1 compile error")
            raise Stop(_COMPILE_ERROR)
        if broken:
            self._print(f"jq: {bad}: {broken}")
            raise Stop(2)
        return f"[{','.join(values)}]"

    def _json(self, text: str, complaint: str) -> str:
        """Return a JSON text as libjq writes it; exactly one value must be in it."""
        if text.isascii() and text.isdigit() and text[0] != "0":
            return text
        values, broken = self._values_of(text.encode("utf-8", "surrogateescape"))
        if broken or len(values) != 1:
            self._misuse(complaint)
        return values[0]

    def _values_of(self, data: bytes) -> tuple[list[str], str]:
        """Return the JSON values in ``data`` as compact text, and libjq's complaint about the rest."""
        output = []
        broken = ""

        def take(kind: int, payload: bytes) -> None:
            nonlocal broken
            if kind == frames.FAILED:
                broken = payload[frames.FAILED_HEAD.size :].decode("utf-8", "replace")
            else:
                output.append(payload[frames.DONE_HEAD.size :] if kind == frames.DONE else payload)

        self._ask(Request(b"[tojson]", data), take)
        return b"".join(output).decode("utf-8").splitlines(), broken

    def _read(self) -> bytes:
        """Return all input, read once: the operands one after the other, or standard input."""
        if self._input is None:
            self._input = self._read_all()
        return self._input

    def _read_all(self) -> bytes:
        ctx = self._ctx
        if not self._command.files:
            with ctx.stdin_reader() as reader:
                return self._sources.add("<stdin>", self._texts(reader.read_all()))
        pieces = []
        size = 0
        for name in self._command.files:
            try:
                with ctx.open(name) as reader:
                    data = reader.read_all()
            except OSError as error:
                self._missing = True
                self._print(f"jq: error: Could not open file {name}: {error.strerror}")
                continue
            size += len(data)
            ctx.budget.check_fits(size)
            pieces.append(self._sources.add(name, self._texts(data)))
        return b"".join(pieces)

    def _texts(self, data: bytes) -> bytes:
        """Return an input as JSON texts; with --seq, each stands after an RS and others are dropped."""
        if not self._command.seq or self._command.raw_input:
            return data
        before, found, rest = data.partition(b"\x1e")
        if not found and before:
            line = before.count(b"\n") + 1
            column = len(before) - before.rfind(b"\n") - 1
            where = f"line {line}, column {column}"
            self._print(f"jq: ignoring parse error: Unfinished abandoned text at EOF at {where}")
        return rest.replace(b"\x1e", b"\n")

    def _flags(self, plan: programs.Plan) -> int:
        command = self._command
        return sum(
            flag
            for flag, wanted in (
                (frames.GATHER, plan.gather),
                (frames.LINES, command.raw_input and self._sources.read),
                (frames.WHOLE, command.slurp),
                (frames.JOIN, command.join),
                (frames.ASCII, command.ascii),
                (frames.COLOUR, command.colour),
                (frames.TAB, command.indent == -1),
                (frames.SEQ, command.seq),
                (frames.NUL, command.nul),
                (frames.NULL_INPUT, command.null_input),
                (frames.HALTS, bool(plan.probe)),
                (frames.SPACED, command.indent is not None),
            )
            if wanted
        )

    def _values(self, names: tuple[str, ...], data: bytes) -> bytes:
        """Return the program's variables as one JSON array."""
        given = self._named
        own = programs.OWN
        texts = [self._special(name, data) if name in own else given[name] for name in names]
        return f"[{','.join(texts)}]".encode()

    def _special(self, name: str, data: bytes) -> str:
        ctx = self._ctx
        if name == "ENV":
            return _object((key, _string(value)) for key, value in ctx.environment.items())
        if name == "ARGS":
            positional = ",".join(self._positional)
            named = _object(item for item in self._named.items() if not item[0].startswith(PREFIX))
            return f'{{"positional":[{positional}],"named":{named}}}'
        if name == programs.NOW:
            return repr(ctx.now())
        return f"[{','.join(map(_string, self._sources.names(data, self._command)))}]"

    # ------------------------------------------------------------------ what comes out

    def _ask(self, request: Request, take: client.OnFrame) -> None:
        """Ask the worker; its death and its delay are the run's."""
        budget = self._ctx.budget
        budget.charge(1 + (len(request.data) >> 10))
        try:
            client.POOL.call(request, budget.remaining, take)
        except client.OutOfTime:
            budget.fail("wall_seconds")
        except client.WorkerDied:
            budget.fail("memory_bytes")
        except WorkerError as error:
            self._print(f"jq: error: {error}")
            raise Stop(2) from None

    def _take(self, kind: int, payload: bytes) -> None:
        """Print one frame of the answer."""
        if kind == frames.DONE:
            _, self._outcome, failed, halted, status = frames.DONE_HEAD.unpack_from(payload)
            self._ctx.write(payload[frames.DONE_HEAD.size :])
            self._broken = bool(failed)
            self._swallowed = halted == frames.SWALLOWED
            if halted == frames.HALTED:
                self._halt = status
        elif kind == frames.OUTPUT:
            self._ctx.write(payload)
        elif kind == frames.FAILED:
            self._report(payload)
        else:
            self._explain(payload)

    def _report(self, payload: bytes) -> None:
        inputs, kind = frames.FAILED_HEAD.unpack_from(payload)
        message = payload[frames.FAILED_HEAD.size :].decode("utf-8", "replace")
        if kind == frames.HALT_STRING:
            self._print(message, end="")
        elif kind == frames.HALT_VALUE:
            self._print(message)
        elif kind == frames.LOST:
            self._print("jq: error: going on after an error beside input is not supported (L-JQ-003)")
        elif kind == frames.NOT_JSON:
            self._print(f"jq: parse error: {message}")
        else:
            where = self._sources.position(self._data, inputs * self._step + self._step - 1, self._command)
            if kind == frames.ERROR_VALUE:
                self._print(f"jq: error (at {where}) (not a string): {message}")
            else:
                self._print(f"jq: error (at {where}): {message.partition(chr(0))[0]}")

    def _names(self) -> bytes:
        """Return where names of modules may stand, for ``modulemeta``."""
        return b"" if self._command.null_input else self._read()

    def _explain(self, fallback: bytes) -> NoReturn:
        """Print what libjq says of the program as it was written. Always raises Stop."""
        names = dumps(programs.names_for_check(list(self._named))).encode()
        answer = ""

        def take(_: int, payload: bytes) -> None:
            nonlocal answer
            answer = payload.decode("utf-8", "replace")

        def compiled(text: str) -> str:
            program = text.encode("utf-8", "surrogateescape")
            self._ask(Request(program, b"", flags=frames.COMPILE, variables=names), take)
            return answer

        linked = self._linked
        said = explain(linked, compiled) if linked.parts else compiled(linked.body)
        self._print(said or fallback.decode("utf-8", "replace"))
        raise Stop(_COMPILE_ERROR)

    def _exit_status(self) -> int:
        if self._swallowed:
            self._print("jq: error: halt inside try is not supported (L-JQ-004)")
            return _RUN_ERROR
        if self._halt is not None:
            return self._halt if self._command.exit_status or self._halt > 0 else 0
        if self._missing:
            return 2
        if self._broken:
            return _RUN_ERROR
        if self._command.exit_status:
            return {frames.NOTHING: 4, frames.FALSY: 1}.get(self._outcome, 0)
        return 0

    def _print(self, message: str, end: str = "\n") -> None:
        """Write to standard error, after the output so far."""
        self._ctx.flush()
        self._ctx.process.write_error((message + end).encode("utf-8", "surrogateescape"))

    def _misuse(self, message: str) -> NoReturn:
        self._print(f"jq: {message}\n{TRY_HELP}")
        raise Stop(2)


def _string(text: str) -> str:
    """Return text as a JSON string; bytes that are no UTF-8 become U+FFFD."""
    return dumps(text.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))


def _object(items: Iterable[tuple[str, str]]) -> str:
    return "{" + ",".join(f"{_string(key)}:{value}" for key, value in items) + "}"
