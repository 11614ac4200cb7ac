"""curl: transfer data from or to URLs that the host allows.

Source: curl's manual. Oracle: curl 7.88.1. Without a ``Network`` of the host, every transfer fails with status 6, as on
a machine without a network. Divergences: L-CURL-001 to L-CURL-003.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, WriteError
from sandhook.command.options import Inform
from sandhook.utilities.network.cookies import Jar
from sandhook.utilities.network.curl.arguments import Arguments, Misuse, parse
from sandhook.utilities.network.curl.globs import expand, output_name
from sandhook.utilities.network.curl.options import Options
from sandhook.utilities.network.curl.outputs import Output, uploads_into
from sandhook.utilities.network.curl.request import build, percent
from sandhook.utilities.network.curl.transfer import UrlTransfer
from sandhook.utilities.network.output import write_out_pieces
from sandhook.utilities.network.transfer import Trouble

RAW = True  # curl has its own rules for shortened and repeated options: see arguments.py

__all__ = ["Options"]
WRITE_ERROR = ""  # --version and --help do not check it
_WRITE_FAILED = 23
_UNREADABLE = 26  #: a file to send

TRY_HELP = "curl: try 'curl --help' or 'curl --manual' for more information\n"


def run(options: None, arguments: Sequence[str], ctx: Context) -> int:
    """Return curl's exit status: that of the last URL."""

    def read(name: str) -> bytes:
        with ctx.open(name) as reader:
            return reader.read_all()

    try:
        parsed, warnings = parse(arguments, read)
        for warning in warnings:
            ctx.process.write_error(f"Warning: {warning}\n".encode("utf-8", "surrogateescape"))
        if parsed[0].inform:
            raise Inform(parsed[0].inform)
        if not all(each.urls for each in parsed):
            message = "curl: no URL specified!\n" if arguments else ""
            ctx.process.write_error(f"{message}{TRY_HELP}".encode())
            return 2
        return _all(parsed, ctx)
    except Misuse as error:
        message = (
            f"{'curl: ' if error.named else ''}{error}\n{TRY_HELP if error.hint else ''}"
            if str(error)
            else ""
        )
        ctx.process.write_error(message.encode("utf-8", "surrogateescape"))
        return error.status


def _all(parsed: list[Arguments], ctx: Context) -> int:
    """Run the segments between the --next options, with messages to the file of --stderr."""
    descriptors = ctx.process.descriptors
    saved_stderr = descriptors.get(2)
    name = next((each.stderr for each in reversed(parsed) if each.stderr is not None), None)
    try:
        if name == "-" and 1 in descriptors:
            descriptors[2] = descriptors[1]
        elif name is not None and name != "-":
            descriptors[2] = ctx.create(name)
        status = 0
        for each in parsed:
            operation = _Operation(each, ctx)
            try:
                status = operation.run()
                ctx.flush()
            except WriteError:
                ctx.abandon()
                status = _WRITE_FAILED
                operation.report(status, "Failure writing output to destination")
            if status and each.fail_early:
                break
        return status
    finally:
        if name is not None and saved_stderr is not None:
            if name != "-" and descriptors[2] is not saved_stderr:
                descriptors[2].release()
            descriptors[2] = saved_stderr


class _Operation:
    """One segment of the command line: all of it, or the arguments between two --next options."""

    def __init__(self, arguments: Arguments, ctx: Context) -> None:
        self._arguments = arguments
        self._ctx = ctx
        self._jar: Jar | None = None
        if arguments.cookies or arguments.jar is not None:
            self._jar = Jar(ctx.now())
            for _, text in arguments.cookies:
                if "=" in text:
                    self._jar.add(text)
                elif text and ctx.fs.exists(ctx.path(text)):
                    cookies = self._read(text).decode("utf-8", "surrogateescape")
                    self._jar.load(cookies, without_session=arguments.junk_session)

    def run(self) -> int:
        arguments = self._arguments
        status = 0
        for number, (_, text) in enumerate(arguments.urls):
            output = self._output(number)
            try:
                for url, values in expand(text) if not arguments.plain_url else [(text, [])]:
                    self._ctx.charge(1)
                    status = self._transfer(
                        number, url, output._replace(name=output_name(output.name, values))
                    )
                    if status and arguments.fail_early:
                        break
            except Trouble as trouble:
                status = trouble.status
                self.report(status, str(trouble))
            if status and arguments.fail_early:
                break
        if self._jar is not None and arguments.jar is not None:
            self._save(self._jar.text(), arguments.jar)
        return status

    def _output(self, number: int) -> Output:
        """Return the destination of an operand's response."""
        arguments = self._arguments
        if number < len(arguments.outputs):
            option, name = arguments.outputs[number]
            return Output(name, option == "remote-name")
        return Output("", arguments.remote_name_all)

    def _transfer(self, number: int, text: str, output: Output) -> int:
        """Transfer one URL and return curl's status."""
        arguments = self._arguments
        transfer = UrlTransfer(self._ctx, arguments, self._jar, output, number)
        try:
            transfer.resume()
            request, query = build(arguments, self._read, self._warning)
        except (OSError, Misuse) as problem:
            if isinstance(problem, Misuse):
                if problem.status != _UNREADABLE:
                    raise
                self._ctx.write_error(f"curl: {problem}\n{TRY_HELP}")
            self.report(_UNREADABLE, "Failed to open/read local data from file/application")
            return _UNREADABLE
        upload = arguments.upload
        if upload is not None and upload not in ("-", ".") and uploads_into(text):
            text = f"{text.rstrip('/')}/{percent(upload.rpartition('/')[2].encode('utf-8', 'surrogateescape')).decode()}"
        error = transfer.run(text, query, request)
        if error is not None:
            self.report(error.status, str(error))
        self._write_out(transfer, error)
        return error.status if error is not None else 0

    def _warning(self, message: str) -> None:
        if not self._arguments.silent:
            self._ctx.process.write_error(f"Warning: {message}\n".encode("utf-8", "surrogateescape"))

    def report(self, status: int, message: str) -> None:
        arguments = self._arguments
        if not arguments.silent or arguments.show_error:
            self._ctx.write_error(f"curl: ({status}) {message}\n")

    def _read(self, name: str) -> bytes:
        with self._ctx.open(name) as reader:
            return reader.read_all()

    def _save(self, text: str, name: str) -> None:
        if name == "-":
            self._ctx.write(text.encode("utf-8", "surrogateescape"))
            return
        try:
            file = self._ctx.create(name)
        except OSError:
            if self._arguments.verbose:
                why = "Failed writing received data to disk/application"
                self._ctx.write_error(f"* WARNING: failed to save cookies in {name}: {why}\n")
            return
        file.write(text.encode("utf-8", "surrogateescape"))
        file.release()

    def _write_out(self, transfer: UrlTransfer, error: Trouble | None) -> None:
        text = self._arguments.write_out
        if text is None:
            return
        if text.startswith("@"):
            text = self._read(text[1:]).decode("utf-8", "surrogateescape")
        for destination, piece in write_out_pieces(text, transfer.facts(error), transfer.last_headers()):
            data = piece.encode("utf-8", "surrogateescape")
            if destination == "stdout":
                self._ctx.write(data)
            elif destination == "stderr":
                self._ctx.flush()
                self._ctx.process.write_error(data)
            else:
                self._ctx.flush()
                self._ctx.process.write_error(b"curl: unknown --write-out variable: '" + data + b"'\n")
