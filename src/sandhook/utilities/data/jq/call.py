"""One call of jq on Windows: wrap the program, read its inputs, send a request to the worker, print the answer.

The package jq hides libjq's functions on Windows. What its interface lacks is added to the text of the
program (``program.py``, ``inputs.py``, ``explain.py``). ``native.py`` is the implementation for
Linux and macOS, where libjq needs no wrapping.
"""

from __future__ import annotations

from collections.abc import Iterable
from json import dumps
from typing import NoReturn

from sandhook.command.context import Context
from sandhook.text.locale import replace_invalid
from sandhook.utilities.data.jq import program as programs
from sandhook.utilities.data.jq.arguments import TRY_HELP, Command, Stop
from sandhook.utilities.data.jq.directives import HeadError
from sandhook.utilities.data.jq.explain import explain
from sandhook.utilities.data.jq.lexer import UnbalancedError
from sandhook.utilities.data.jq.linked import Linked, is_linked
from sandhook.utilities.data.jq.modules import PREFIX, Linker, ModuleError
from sandhook.utilities.data.jq.position import Sources
from sandhook.utilities.data.jq.reading import Inputs
from sandhook.utilities.data.worker_call import call_worker
from sandhook.worker import client, frames
from sandhook.worker.requests import Request

_COMPILE_ERROR = 3
_RUN_ERROR = 5


class Run:
    """One call of jq."""

    def __init__(self, command: Command, ctx: Context, inputs: Inputs) -> None:
        self._command = command
        self._ctx = ctx
        self._inputs = inputs
        self._has_unreadable_file = False
        self._sources = Sources()
        self._variables: dict[str, str] = {}  # name to JSON text
        self._positional: list[str] = []  # JSON texts
        self._outcome = frames.NOTHING
        self._halt: int | None = None
        self._halt_caught = False
        self._step = 1
        self._linked = Linked("")
        self._input: bytes | None = None
        self._data = b""
        self._failed = False

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
        text = linked.prelude + linked.body
        if command.stream_errors:
            self._usage_error("--stream-errors is not supported (L-JQ-006)")
        if command.definitions:
            self._read_definitions()
        if command.positional:
            self._read_positional()
        for name, option, path, _ in linked.data:
            self._variables[name] = self._file(option, name, path)
        try:
            if linked.prelude:
                programs.inspect(linked.body)
            plan = programs.plan(
                text,
                tuple(self._variables),
                null_input=command.null_input,
                slurp=command.slurp and not command.raw_input,
                stream=command.stream,
                raw=command.raw and not command.ascii,
                sort_keys=command.sort_keys,
                linked=bool(linked.prelude),
            )
            uses = programs.inspect(text, linked=bool(linked.prelude))
        except programs.UnsupportedProgramError as error:
            self._print(f"jq: error: {error}")
            return _COMPILE_ERROR
        except UnbalancedError:
            self._print_compile_error(b"jq: error: the brackets of the program do not match")
        if uses.uses_time_zone and ctx.environment.get("TZ", "UTC") not in (
            "",
            "UTC",
            "UTC0",
            "Etc/UTC",
            "GMT",
        ):
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
            variables=self._variables_json(plan.names, data) if plan.gather else b"",
            probe=plan.probe,
        )
        self._step = plan.step or 1 << 62
        self._data = data
        self._request(request, self._on_frame)
        return self._exit_status()

    # ------------------------------------------------------------------ input

    def _program(self) -> str:
        command = self._command
        text = "." if command.program is None else command.program
        if not command.from_file:
            return text
        try:
            with self._ctx.open(text) as reader:
                data = reader.read_all()
            self._ctx.check_script(len(data))
        except OSError as error:
            self._print(f"jq: Could not open {text}: {error.strerror}")
            raise Stop(2) from None
        return data.decode("utf-8", "surrogateescape")

    def _link(self, text: str) -> Linked:
        """Return the program with its modules."""
        self._linked = Linked(text)
        if not is_linked(text, self._ctx):
            return self._linked
        command = self._command
        linker = Linker(self._ctx, command.search)
        try:
            self._linked = linker.link(
                text, (command.program or "") * command.from_file, self._module_name_source
            )
        except ModuleError as error:
            self._print(f"{error}\njq: 1 compile error")
            raise Stop(_COMPILE_ERROR) from None
        except HeadError:
            self._print("jq: error: syntax error in the head of the program\njq: 1 compile error")
            raise Stop(_COMPILE_ERROR) from None
        except UnbalancedError:
            self._linked = Linked(text)  # libjq reports the place, and loads no modules for such a text
        return self._linked

    def _read_definitions(self) -> None:
        """Set the variables of --arg, --argjson, --slurpfile and --rawfile."""
        for option, name, text in self._command.definitions:
            if option == "arg":
                self._variables[name] = _string(text)
            elif option == "argjson":
                self._variables[name] = self._json(text, f"invalid JSON text passed to --{option}")
            else:
                self._variables[name] = self._file(option, name, text)

    def _read_positional(self) -> None:
        """Set the positional values of --args and --jsonargs."""
        for is_json, text in self._command.positional:
            value = self._json(text, "invalid JSON text passed to --jsonargs") if is_json else _string(text)
            self._positional.append(value)

    def _file(self, option: str, name: str, path: str) -> str:
        problem = f"Bad JSON in --{option} {name} {path}"
        try:
            with self._ctx.open(path) as reader:
                data = reader.read_all()
        except OSError as error:
            self._print(f"jq: {problem}: Could not open {path}: {error.strerror}")
            raise Stop(2) from None
        if option == "rawfile":
            return dumps(data.decode("utf-8", "replace"))
        values, error_text = self._parse_values(data)
        if error_text and option == "data":
            self._print(f"jq: error loading data file {path}: {error_text}\n\njq: 1 compile error")
            raise Stop(_COMPILE_ERROR)
        if error_text:
            self._print(f"jq: {problem}: {error_text}")
            raise Stop(2)
        return f"[{','.join(values)}]"

    def _json(self, text: str, message: str) -> str:
        """Normalize a JSON text, which must have exactly one value, with libjq."""
        if text.isascii() and text.isdigit() and text[0] != "0":
            return text
        values, error_text = self._parse_values(text.encode("utf-8", "surrogateescape"))
        if error_text or len(values) != 1:
            self._usage_error(message)
        return values[0]

    def _parse_values(self, data: bytes) -> tuple[list[str], str]:
        """Return the JSON values in ``data`` as compact texts, and libjq's error message about the rest."""
        output = []
        error_text = ""

        def on_frame(kind: int, payload: bytes) -> None:
            nonlocal error_text
            if kind == frames.FAILED:
                error_text = payload[frames.FAILED_HEAD.size :].decode("utf-8", "replace")
            else:
                output.append(payload[frames.DONE_HEAD.size :] if kind == frames.DONE else payload)

        self._request(Request(b"[tojson]", data), on_frame)
        return b"".join(output).decode("utf-8", "replace").splitlines(), error_text

    def _read(self) -> bytes:
        """Return all input, which is read once: the operands in order, or standard input."""
        if self._input is None:
            self._input = self._read_all()
        return self._input

    def _read_all(self) -> bytes:
        texts = []
        for piece in self._inputs.read():
            if piece.error is not None:
                self._has_unreadable_file = True
                self._print(f"jq: error: Could not open file {piece.name}: {piece.error.strerror}")
            else:
                texts.append(self._sources.add(piece.name, self._json_texts(piece.data)))
        return b"".join(texts)

    def _json_texts(self, data: bytes) -> bytes:
        """Return an input as JSON texts; with --seq, drop text before the first RS."""
        if not self._command.seq or self._command.raw_input:
            return data
        abandoned, separator, rest = data.partition(b"\x1e")
        if not separator and abandoned:
            line = abandoned.count(b"\n") + 1
            column = len(abandoned) - abandoned.rfind(b"\n") - 1
            position = f"line {line}, column {column}"
            self._print(f"jq: ignoring parse error: Unfinished abandoned text at EOF at {position}")
        return rest.replace(b"\x1e", b"\n")

    def _flags(self, plan: programs.Plan) -> int:
        command = self._command
        return sum(
            flag
            for flag, is_set in (
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
                (frames.PRETTY, command.indent is not None),
            )
            if is_set
        )

    def _variables_json(self, names: tuple[str, ...], data: bytes) -> bytes:
        """Return the program's variables as one JSON array."""
        values = self._variables
        reserved = programs.OWN
        texts = [self._special_variable(name, data) if name in reserved else values[name] for name in names]
        return f"[{','.join(texts)}]".encode()

    def _special_variable(self, name: str, data: bytes) -> str:
        ctx = self._ctx
        if name == "ENV":
            return _object((key, _string(value)) for key, value in ctx.environment.items())
        if name == "ARGS":
            positional = ",".join(self._positional)
            named = _object(item for item in self._variables.items() if not item[0].startswith(PREFIX))
            return f'{{"positional":[{positional}],"named":{named}}}'
        if name == programs.NOW:
            return repr(ctx.now())
        return f"[{','.join(map(_string, self._sources.names(data, self._command)))}]"

    # ------------------------------------------------------------------ output

    def _request(self, request: Request, on_frame: client.OnFrame) -> None:
        """Send a request to the worker; its timeout or death ends the run."""
        call_worker(client.POOL, request, len(request.data), self._ctx.budget, on_frame)

    def _on_frame(self, kind: int, payload: bytes) -> None:
        """Print one frame of the answer."""
        if kind == frames.DONE:
            _, self._outcome, failed, halted, status = frames.DONE_HEAD.unpack_from(payload)
            self._ctx.write(payload[frames.DONE_HEAD.size :])
            self._failed = bool(failed)
            self._halt_caught = halted == frames.HALT_CAUGHT
            if halted == frames.HALTED:
                self._halt = status
        elif kind == frames.OUTPUT:
            self._ctx.write(payload)
        elif kind == frames.FAILED:
            self._print_error(payload)
        else:
            self._print_compile_error(payload)

    def _print_error(self, payload: bytes) -> None:
        inputs, kind = frames.FAILED_HEAD.unpack_from(payload)
        message = payload[frames.FAILED_HEAD.size :].decode("utf-8", "replace")
        if kind == frames.HALT_STRING:
            self._print(message, end="")
        elif kind == frames.HALT_VALUE:
            self._print(message)
        elif kind == frames.LOST:
            self._print(
                "jq: error: continuing after an error together with input is not supported (L-JQ-003)"
            )
        elif kind == frames.NOT_JSON:
            self._print(f"jq: parse error: {message}")
        else:
            position = self._sources.position(self._data, inputs * self._step + self._step - 1, self._command)
            if kind == frames.ERROR_VALUE:
                self._print(f"jq: error (at {position}) (not a string): {message}")
            else:
                self._print(f"jq: error (at {position}): {message.partition(chr(0))[0]}")

    def _module_name_source(self) -> bytes:
        """Return the input, where ``modulemeta`` looks for names of modules."""
        return b"" if self._command.null_input else self._read()

    def _print_compile_error(self, fallback: bytes) -> NoReturn:
        """Print libjq's messages for the program without its wrapping. Always raises Stop."""
        names = dumps(programs.names_for_check(list(self._variables))).encode()
        messages = ""

        def on_frame(_: int, payload: bytes) -> None:
            nonlocal messages
            messages = payload.decode("utf-8", "replace")

        def compile_text(text: str) -> str:
            program = text.encode("utf-8", "surrogateescape")
            self._request(Request(program, b"", flags=frames.COMPILE, variables=names), on_frame)
            return messages

        linked = self._linked
        message = explain(linked, compile_text) if linked.parts else compile_text(linked.body)
        self._print(message or fallback.decode("utf-8", "replace"))
        raise Stop(_COMPILE_ERROR)

    def _exit_status(self) -> int:
        if self._halt_caught:
            self._print("jq: error: halt inside try is not supported (L-JQ-004)")
            return _RUN_ERROR
        if self._halt is not None:
            return self._halt if self._command.exit_status or self._halt > 0 else 0
        if self._has_unreadable_file:
            return 2
        if self._failed:
            return _RUN_ERROR
        if self._command.exit_status:
            return {frames.NOTHING: 4, frames.FALSY: 1}.get(self._outcome, 0)
        return 0

    def _print(self, message: str, end: str = "\n") -> None:
        """Write a line to standard error."""
        self._ctx.write_error(message + end)

    def _usage_error(self, message: str) -> NoReturn:
        self._print(f"jq: {message}\n{TRY_HELP}")
        raise Stop(2)


def _string(text: str) -> str:
    """Return text as a JSON string; bytes that are not UTF-8 become U+FFFD."""
    return dumps(replace_invalid(text))


def _object(items: Iterable[tuple[str, str]]) -> str:
    return "{" + ",".join(f"{_string(key)}:{value}" for key, value in items) + "}"
