"""One call of jq on Linux and macOS, where the worker calls libjq's own functions, in one request.

The package jq hides those functions on Windows, see ``call.py``. The header (``JqHeader``) has everything
that libjq would read from the system or from the command line. The answer consists of output, text for
standard error, and the exit status.
"""

from __future__ import annotations

from json import dumps
from time import time

from sandhook.command.context import Context
from sandhook.lazy import lazily
from sandhook.text.locale import replace_invalid
from sandhook.typed import TYPE_CHECKING
from sandhook.utilities.data.jq import program as programs
from sandhook.utilities.data.jq.arguments import TRY_HELP, Command, Stop
from sandhook.utilities.data.jq.lexer import UnbalancedError
from sandhook.utilities.data.jq.linked import Linked, is_linked
from sandhook.utilities.data.jq.reading import Inputs
from sandhook.utilities.data.worker_call import call_worker
from sandhook.worker import client, frames
from sandhook.worker.requests import NativeRequest

if TYPE_CHECKING:
    from sandhook.worker.headers import JqHeader

# libjq's flags for printing and for parsing.
_PRETTY, _ASCII, _COLOUR, _SORTED, _TAB = 1, 2, 4, 8, 64
_SEQ, _STREAM, _STREAM_ERRORS = 1, 2, 4

_NAME = lazily(r"(?a)[A-Za-z_][A-Za-z0-9_]*\Z")

_COMPILE_ERROR, _NO_OUTPUT = 3, -4

#: Functions whose values come from the host, if the text of the program has their name.
_HOST_FUNCTIONS = ("now", "input_filename", "input_line_number")

#: Texts that are valid time zones; any other text means UTC.
_ZONE = lazily(r"(?a)[A-Za-z<][A-Za-z0-9<>+\-,.:/_]{0,99}\Z")


class Run:
    """One call of jq."""

    def __init__(self, command: Command, ctx: Context, inputs: Inputs) -> None:
        self._command = command
        self._ctx = ctx
        self._inputs = inputs
        self._files: list[
            tuple[str, int, str]
        ] = []  # name, size, error message for a file that cannot be read
        self._data: bytes | None = None
        self._rejection: str | None = None  # libjq's messages for a program that does not compile
        self._status = 0

    def status(self) -> int:
        """Run it and return its exit status."""
        try:
            linked = self._link(self._program())
            text = linked.prelude + linked.body
            header = self._header(linked, text)
            if not self._command.null_input or header["reads"]:
                self._read()
            self._request(NativeRequest(_encode(header), self._data or b""))
            if self._rejection is not None:
                self._print_compile_error(linked, header)
        except Stop as stop:
            return stop.status
        return self._status

    # ------------------------------------------------------------------ input

    def _program(self) -> str:
        command = self._command
        text = "." if command.program is None else command.program
        if command.from_file:
            try:
                text = self._file(text)
                self._ctx.check_script(len(text))
            except OSError as error:
                self._ctx.write_error(f"jq: Could not open {text}: {_reason(error)}\n")
                raise Stop(2) from None
        return replace_invalid(text)

    def _link(self, text: str) -> Linked:
        """Return the program with its modules. libjq's messages about syntax come before those of the linker."""
        if not is_linked(text, self._ctx):
            return Linked(text)
        from sandhook.utilities.data.jq.directives import HeadError
        from sandhook.utilities.data.jq.modules import Linker, ModuleError

        command = self._command
        linker = Linker(self._ctx, command.search)
        linked: Linked | None = None
        error = "jq: error: syntax error in the head of the program"
        try:
            linked = linker.link(text, (command.program or "") * command.from_file, self._module_name_source)
        except ModuleError as failure:
            error = str(failure)
        except (HeadError, UnbalancedError):
            pass
        self._request(NativeRequest(dumps({"grammar": linker.texts}).encode(), b""))
        if linked is None or self._rejection:
            self._ctx.write_error(f"{self._rejection or error}\njq: 1 compile error\n")
            raise Stop(_COMPILE_ERROR)
        return linked

    def _module_name_source(self) -> bytes:
        """Return the input, where ``modulemeta`` looks for names of modules."""
        return b"" if self._command.null_input else self._read()

    def _print_compile_error(self, linked: Linked, header: JqHeader) -> None:
        """Print libjq's messages for a program that does not compile."""
        rejection = self._rejection
        self._status = _COMPILE_ERROR

        def compile_text(text: str) -> str:
            checked: JqHeader = {**header, "program": text, "before": "", "check": True}
            self._request(NativeRequest(_encode(checked), b""))
            return self._rejection or ""

        messages = ""
        if linked.parts:
            from sandhook.utilities.data.jq.explain import explain

            messages = explain(linked, compile_text)
        self._ctx.write_error(
            (messages or rejection or "jq: error: the brackets of the program do not match") + "\n"
        )

    def _header(self, linked: Linked, text: str) -> JqHeader:
        command = self._command
        is_unbalanced = False
        try:
            uses = programs.inspect(linked.body, native=True)
            if linked.prelude:
                uses = programs.inspect(text, native=True, linked=True)
            reads = bool(uses.sites)
        except programs.UnsupportedProgramError as error:
            self._ctx.write_error(f"jq: error: {error}\n")
            raise Stop(_COMPILE_ERROR) from None
        except UnbalancedError:
            is_unbalanced, reads = True, False
        environment = self._ctx.environment
        definitions = [self._definition(*each) for each in command.definitions]
        data = [(option, name, value, path) for name, option, path, value in linked.data]
        bound_variables = [
            name for _, name, _, _ in definitions if _NAME.match(name) and name not in programs.OWN
        ]
        bound_variables += [name for _, name, _, _ in data]
        env = {}
        if "env" in text or "ENV" in text:
            bound_variables.append("ENV")
            env = {replace_invalid(name): replace_invalid(value) for name, value in environment.items()}
        if "ARGS" in text:
            bound_variables.append("ARGS")
        return {
            "program": linked.body,
            "before": linked.prelude,
            "check": is_unbalanced,
            "reads": reads,
            "bind": bound_variables,
            "host_functions": self._host_functions(text, reads=reads),
            "env": env,
            "definitions": definitions + data,
            "files": self._files,
            "positional": [(is_json, replace_invalid(value)) for is_json, value in command.positional],
            "zone": self._zone(text),
            "skew": self._ctx.now() - time() if "now" in text else 0,
            "null_input": command.null_input,
            "slurp": command.slurp,
            "raw_input": command.raw_input,
            "parse": _SEQ * command.seq + _STREAM * command.stream + _STREAM_ERRORS * command.stream_errors,
            "layout": self._layout(),
            "raw": command.raw,
            "ascii": command.ascii,
            "join": command.join,
            "nul": command.nul,
            "seq": command.seq,
            "colour": command.colour,
            "colours": replace_invalid(environment.get("JQ_COLORS", "")) if command.colour else "",
        }

    def _host_functions(self, text: str, *, reads: bool) -> list[str]:
        """Return the functions that the worker redefines; those that read inputs go on after a malformed one."""
        command = self._command
        names = [name for name in _HOST_FUNCTIONS if name in text]
        if reads and not (command.raw_input or command.slurp or command.seq):
            names += ["input", "inputs"]
        return names

    def _zone(self, text: str) -> str | None:
        """Return the time zone, None for a program that does not use it."""
        if "time" not in text and "date" not in text:
            return None
        from sandhook.utilities.data.jq.zone import posix_zone

        return posix_zone(self._ctx.environment.get("TZ", ""))

    def _layout(self) -> int:
        command = self._command
        flags = _ASCII * command.ascii + _COLOUR * command.colour + _SORTED * command.sort_keys
        if command.indent == -1:
            flags |= _TAB | _PRETTY
        elif command.indent is not None:
            flags |= command.indent << 8 | _PRETTY
        return flags

    def _definition(self, option: str, name: str, text: str) -> tuple[str, str, str, str]:
        """Return option, name, text, and the file of the text."""
        path = ""
        if option.endswith("file"):
            path = text
            try:
                text = self._file(path)
            except OSError as error:
                self._ctx.write_error(
                    f"jq: Bad JSON in --{option} {name} {path}: Could not open {path}: {_reason(error)}\n"
                )
                raise Stop(2) from None
        return option, replace_invalid(name), replace_invalid(text), replace_invalid(path)

    def _file(self, name: str) -> str:
        with self._ctx.open(name) as reader:
            data = reader.read_all()
        self._ctx.budget.check_fits(2 * len(data))
        return data.decode("utf-8", "surrogateescape")

    def _read(self) -> bytes:
        """Return all input, which is read once: the operands in order, or standard input."""
        if self._data is None:
            self._data = self._read_all()
        return self._data

    def _read_all(self) -> bytes:
        pieces = self._inputs.read()
        for piece in pieces:
            message = ""
            if piece.error is not None:
                message = replace_invalid(_input_error(piece.name, piece.error))
            self._files.append(
                (replace_invalid("<stdin>" if piece.name == "-" else piece.name), len(piece.data), message)
            )
        return b"".join(piece.data for piece in pieces)

    # ------------------------------------------------------------------ output

    def _request(self, request: NativeRequest) -> None:
        """Send a request to the worker; its timeout or death ends the run."""
        self._rejection = None
        size = len(request.data) + len(request.header)
        call_worker(client.POOL, request, size, self._ctx.budget, self._on_frame)

    def _on_frame(self, kind: int, payload: bytes) -> None:
        """Print one frame of the answer."""
        if kind == frames.OUTPUT or kind == frames.ALSO:
            self._ctx.write(payload)
        elif kind == frames.FAILED:
            self._ctx.flush()
            self._ctx.process.write_error(payload)
        elif kind == frames.DONE:
            self._ctx.write(payload[frames.RUN_RESULT.size :])
            self._set_status(*frames.RUN_RESULT.unpack_from(payload))
        else:
            self._rejection = payload.decode("utf-8", "replace")

    def _set_status(self, result: int, last: int) -> None:
        """Compute the exit status from the last turn's result, as jq's main program does."""
        if result == frames.USAGE_ERROR:
            self._ctx.write_error(TRY_HELP + "\n")
            result = 2
        if not self._command.exit_status:
            self._status = max(result, 0)
        elif result != _NO_OUTPUT:
            self._status = abs(result)
        else:
            self._status = {-1: 4, 0: 1}.get(last, 0)
        self._status &= 0xFF


def _encode(header: JqHeader) -> bytes:
    """Return the header as the worker reads it: without empty fields, whose values it knows (``JQ_DEFAULTS``)."""
    return dumps({name: value for name, value in header.items() if value}).encode()


def _reason(error: OSError) -> str:
    return "It's a directory" if isinstance(error, IsADirectoryError) else str(error.strerror)


def _input_error(name: str, error: OSError) -> str:
    """Return jq's message for an operand that cannot be read."""
    if isinstance(error, IsADirectoryError):
        return f"jq: error: {error.strerror}\n"
    return f"jq: error: Could not open file {name}: {error.strerror}\n"
