"""curl: transfer data from or to URLs that the host allows.

Source: curl's manual. Oracle: curl 7.88.1. Without a ``Network`` of the host's nothing is reached: status 6, as on a
machine that is not connected. Divergences: L-CURL-001 to L-CURL-003.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from time import monotonic
from typing import TYPE_CHECKING

from sandhook.kernel.descriptor import Description
from sandhook.net.url import Url
from sandhook.utilities._base import Context, Inform, opt, option_set
from sandhook.utilities._cookies import Jar
from sandhook.utilities._curl_arguments import Arguments, Misuse, parse
from sandhook.utilities._curl_output import Unpacker, written
from sandhook.utilities._curl_request import Request, build
from sandhook.utilities._files import reason
from sandhook.utilities._transfer import Transfer, Trouble, network_of, next_url, read_url

if TYPE_CHECKING:
    from sandhook.net.connection import Response

RAW = True  # curl's options are shortened and repeated in its own way: see _curl_arguments.py

TRY_HELP = "curl: try 'curl --help' or 'curl --manual' for more information\n"

#: Statuses after which another try may succeed.
_TRANSIENT = frozenset({408, 429, 500, 502, 503, 504})

_MOST_TRIES, _MOST_REDIRECTS = 10, 50


@option_set
class Options:
    """curl [OPTION]... URL...

    Transfer data from or to each URL, as far as the host allows it.
    """

    silent: bool = opt("-s", "--silent", help="print no messages")
    show_error: bool = opt("-S", "--show-error", help="print messages of errors with -s, too")
    fail: bool = opt("-f", "--fail", "--fail-with-body", help="status 22 for an answer of 400 and above")
    location: bool = opt("-L", "--location", help="follow redirects, at most --max-redirs N")
    output: str = opt("-o", "--output", "FILE", "write to FILE; -O, --remote-name: to the URL's last name")
    dirs: str = opt("--output-dir", "DIR", "where these files go; --create-dirs makes directories")
    method: str = opt("-X", "--request", "METHOD", "the method")
    data: str = opt(
        "-d",
        "--data",
        "--data-raw",
        "--data-binary",
        "--data-urlencode",
        "--json",
        "DATA",
        "the body; @FILE reads it",
    )
    form: str = opt(
        "-F", "--form", "--form-string", "NAME=VALUE", "a part of a form; @FILE uploads, <FILE reads"
    )
    upload: str = opt("-T", "--upload-file", "FILE", "PUT a file")
    header: str = opt("-H", "--header", "LINE", "a header; without a value it is removed")
    user: str = opt("-u", "--user", "NAME:PASSWORD", "basic authorization; --oauth2-bearer TOKEN")
    agent: str = opt("-A", "--user-agent", "TEXT", "the header User-Agent; -e, --referer: Referer")
    cookie: str = opt("-b", "--cookie", "DATA|FILE", "send cookies; -c, --cookie-jar FILE writes them")
    get: bool = opt("-G", "--get", help="data is the query; -I, --head asks for the head alone")
    include: bool = opt("-i", "--include", help="print heads, too; -D, --dump-header FILE writes them")
    write_out: str = opt("-w", "--write-out", "FORMAT", "print facts afterwards")
    time: str = opt("-m", "--max-time", "--connect-timeout", "SECONDS", "the most that it may take")
    retry: str = opt("--retry", "N", "try again after errors that may pass")
    size: str = opt("--max-filesize", "BYTES", "the most that is received")
    range: str = opt("-r", "--range", "RANGE", "a part of the file")
    compressed: bool = opt("--compressed", help="ask for a packed answer, and unpack it")
    verbose: bool = opt("-v", "--verbose", help="print heads to standard error")


def run(options: None, arguments: Sequence[str], ctx: Context) -> int:
    """Return curl's exit status: of the last URL that failed, or 0."""
    try:
        parsed = parse(arguments)
        if parsed.inform:
            raise Inform(parsed.inform)
        if not parsed.urls:
            ctx.process.complain(TRY_HELP.encode())
            return 2
        return _Call(parsed, ctx).run()
    except Misuse as error:
        ctx.process.complain(
            f"curl: {error}\n{TRY_HELP if error.hint else ''}".encode("utf-8", "surrogateescape")
        )
        return 2


class _Call:
    """One command line."""

    def __init__(self, arguments: Arguments, ctx: Context) -> None:
        self._arguments = arguments
        self._ctx = ctx
        self._jar: Jar | None = None
        if arguments.cookies or arguments.jar is not None:
            self._jar = Jar(ctx.now())
            for _, text in arguments.cookies:
                if "=" in text:
                    self._jar.give(text)
                elif text and ctx.fs.exists(ctx.path(text)):
                    cookies = self._read(text).decode("utf-8", "surrogateescape")
                    self._jar.load(cookies, without_session=arguments.junk_session)

    def run(self) -> int:
        arguments = self._arguments
        status = 0
        try:
            request, query = build(arguments, self._read)
        except OSError:
            self._complain(26, "Failed to open/read local data from file/application")
            return 26
        for number, (_, text) in enumerate(arguments.urls):
            output = arguments.outputs[number][1] if number < len(arguments.outputs) else None
            one = _One(self._ctx, arguments, self._jar, output, number)
            ended = one.run(text, query, request)
            if ended is not None:
                status = ended.status
                self._complain(ended.status, str(ended))
            self._write_out(one, ended)
        if self._jar is not None and arguments.jar is not None:
            self._save(self._jar.text(), arguments.jar)
        return status

    def _complain(self, status: int, message: str) -> None:
        arguments = self._arguments
        if not arguments.silent or arguments.show_error:
            self._ctx.flush()
            self._ctx.process.complain(f"curl: ({status}) {message}\n".encode("utf-8", "surrogateescape"))

    def _read(self, name: str) -> bytes:
        with self._ctx.open(name) as reader:
            return reader.read_all()

    def _save(self, text: str, name: str) -> None:
        if name == "-":
            self._ctx.write(text.encode("utf-8", "surrogateescape"))
            return
        try:
            file = self._ctx.create(name)
        except OSError as error:
            self._ctx.process.complain(
                f"Warning: failed to save cookies in {name}: {reason(error)}\n".encode()
            )
            return
        file.write(text.encode("utf-8", "surrogateescape"))
        file.release()

    def _write_out(self, one: _One, ended: Trouble | None) -> None:
        text = self._arguments.write_out
        if text is None:
            return
        if text.startswith("@"):
            text = self._read(text[1:]).decode("utf-8", "surrogateescape")
        for place, piece in written(text, one.facts(ended), one.last_headers()):
            data = piece.encode("utf-8", "surrogateescape")
            if place == "stdout":
                self._ctx.write(data)
            elif place == "stderr":
                self._ctx.flush()
                self._ctx.process.complain(data)
            else:
                self._ctx.flush()
                self._ctx.process.complain(b"curl: unknown --write-out variable: '" + data + b"'\n")


class _One:
    """The transfer of one URL."""

    def __init__(
        self, ctx: Context, arguments: Arguments, jar: Jar | None, output: str | None, number: int
    ) -> None:
        self._ctx = ctx
        self._arguments = arguments
        self._jar = jar
        self._output = output
        self._number = number
        self._file: Description | None = None
        self._response: Response | None = None
        self._url: Url | None = None
        self._method = "GET"
        self._redirects = 0
        self._connects = 0
        self._head_size = self._body_size = self._sent = 0
        self._began = monotonic()
        self._took = 0.0
        self._asked = ""

    def run(self, text: str, query: str, request: Request) -> Trouble | None:
        """Run it, again after errors that may pass if --retry says so; return what went wrong."""
        arguments = self._arguments
        self._asked = text
        tries = int(min(arguments.retry or 0, _MOST_TRIES))
        pause = arguments.retry_delay or 1.0
        for attempt in range(tries + 1):
            ended = self._attempt(text, query, request)
            self._took = monotonic() - self._began
            if attempt == tries or not self._may_pass(ended):
                break
            seconds = min(pause, 600.0)
            if not arguments.silent:
                self._ctx.process.complain(
                    f"Warning: Transient problem: {'timeout' if ended else 'HTTP error'} Will retry in {seconds:g} seconds. "
                    f"{tries - attempt} retries left.\n".encode()
                )
            self._ctx.sleep(seconds)
            pause = pause if arguments.retry_delay else pause * 2
        if self._file is not None:
            self._file.release()
        return ended

    def _may_pass(self, ended: Trouble | None) -> bool:
        arguments = self._arguments
        status = self._response.status if self._response is not None else 0
        if ended is None or ended.status == 22:
            return status in _TRANSIENT or (arguments.retry_all and status >= 400)
        return ended.transient or arguments.retry_all or (arguments.retry_refused and ended.refused)

    def _attempt(self, text: str, query: str, request: Request) -> Trouble | None:
        try:
            url = read_url(text)
            if query:
                url = url._replace(path=f"{url.path}{'&' if '?' in url.path else '?'}{query}")
            self._transfer(url, request)
        except Trouble as trouble:
            return trouble
        except zlib.error:
            return Trouble(61, "Error while processing content unencoding: invalid data")
        except _Unwritable as error:
            if str(error) and not self._arguments.silent:
                self._ctx.process.complain(f"Warning: {error}\n".encode("utf-8", "surrogateescape"))
            return Trouble(23, "Failure writing output to destination")
        return None

    def _transfer(self, url: Url, request: Request) -> None:
        arguments = self._arguments
        transfer = Transfer(self._ctx, seconds=arguments.max_time, connect_seconds=arguments.connect_timeout)
        first = url
        method, body = request.method, request.body
        network = network_of(self._ctx)
        most = int(
            min(
                arguments.max_redirects if arguments.max_redirects is not None else _MOST_REDIRECTS,
                _MOST_REDIRECTS,
            )
        )
        if network is not None:
            most = min(most, network.max_redirects)
        self._redirects = 0
        while True:
            self._url, self._method = url, method
            headers = self._headers(request, url, first, with_body=body is not None)
            self._show_request(method, url, headers)
            self._sent = len(body or b"")
            with transfer.send(method, url, headers, body) as response:
                self._response = response
                self._connects += 1
                self._head(url, response)
                following = next_url(url, response) if arguments.follow else None
                if following is None:
                    self._body(transfer, url, response)
                    return
            if self._redirects >= most:
                raise Trouble(47, f"Maximum ({most}) redirects followed")
            self._redirects += 1
            if response.status == 303 or (response.status in (301, 302) and method == "POST"):
                keep = {301: arguments.post301, 302: arguments.post302, 303: arguments.post303}[
                    response.status
                ]
                if not keep and method != "HEAD":
                    method, body = method if request.custom else "GET", None
            url = following

    def _headers(self, request: Request, url: Url, first: Url, *, with_body: bool) -> list[tuple[str, str]]:
        """Return the headers for one hop: what is secret stays with the origin that it was meant for."""
        headers = request.headers
        if url.origin != first.origin:
            headers = [(n, v) for n, v in headers if n.lower() not in ("authorization", "cookie", "host")]
        if not with_body:
            headers = (
                [(n, v) for n, v in headers if n.lower() != "content-type"]
                if request.body is not None
                else headers
            )
        if self._jar is not None and "cookie" not in request.own:
            cookies = self._jar.header(url, first_host=url.origin == first.origin)
            if cookies:
                headers = [*headers, ("Cookie", cookies)]
        return headers

    def _show_request(self, method: str, url: Url, headers: list[tuple[str, str]]) -> None:
        if self._arguments.verbose:
            lines = [
                f"{method} {url.path} HTTP/1.1",
                f"Host: {url.authority}",
                *(f"{n}: {v}" for n, v in headers),
                "",
            ]
            self._say("".join(f"> {line}\n" for line in lines))

    def _say(self, text: str) -> None:
        self._ctx.flush()
        self._ctx.process.complain(text.encode("utf-8", "surrogateescape"))

    # ------------------------------------------------------------------ the answer

    def _head(self, url: Url, response: Response) -> None:
        arguments = self._arguments
        lines = [
            f"HTTP/{response.version} {response.status} {response.reason}",
            *(f"{n}: {v}" for n, v in response.headers),
            "",
        ]
        text = "".join(f"{line}\r\n" for line in lines)
        self._head_size += len(text)
        if self._jar is not None:
            for name, value in response.headers:
                if name.lower() == "set-cookie":
                    self._jar.take(url, value)
        if arguments.verbose:
            self._say("".join(f"< {line}\n" for line in lines))
        data = text.encode("latin-1", "replace")
        if arguments.dump_header is not None:
            self._dump(arguments.dump_header, data)
        if arguments.include or arguments.head:
            self._put(data)

    def _dump(self, name: str, data: bytes) -> None:
        if name == "-":
            self._ctx.write(data)
            return
        try:
            file = self._ctx.create(name, append=self._redirects > 0)
        except OSError as error:
            raise _Unwritable(f"Failed to open {name}: {reason(error)}") from None
        file.write(data)
        file.release()

    def _body(self, transfer: Transfer, url: Url, response: Response) -> None:
        arguments = self._arguments
        failed = response.status >= 400
        if failed and arguments.fail and not arguments.fail_with_body:
            raise Trouble(22, f"The requested URL returned error: {response.status}")
        most = arguments.max_size
        length = response.header("content-length") or ""
        if most is not None and length.isdigit() and int(length[:18]) > most and self._method != "HEAD":
            raise Trouble(63, "Maximum file size exceeded")
        unpack = Unpacker(
            (response.header("content-encoding") or "").strip().lower() if arguments.compressed else ""
        )
        bound = network.max_bytes if (network := network_of(self._ctx)) is not None else 0
        self._body_size = 0
        if self._method != "HEAD":
            for piece in transfer.chunks(url, response):
                for data in unpack.feed(piece, bound):
                    self._body_size += len(data)
                    if self._body_size > (bound if most is None else min(most, bound)):
                        raise Trouble(63, "Maximum file size exceeded")
                    self._put(data)
        self._put(b"")
        if failed and arguments.fail_with_body:
            raise Trouble(22, f"The requested URL returned error: {response.status}")

    def _put(self, data: bytes) -> None:
        """Write output where it goes; a file is made when the first of it comes."""
        name = self._name()
        if name is None:
            self._ctx.write(data)
            return
        try:
            if self._file is None:
                self._file = self._create(name)
            self._file.write(data)
        except OSError as error:
            raise _Unwritable(f"Failed to open the file {name}: {reason(error)}") from None

    def _name(self) -> str | None:
        arguments = self._arguments
        name = self._output
        if name is None and arguments.remote_name:
            name = (
                self._asked.partition("#")[0]
                .partition("?")[0]
                .partition("://")[2]
                .partition("/")[2]
                .rpartition("/")[2]
            )
            if not name:
                raise _Unwritable("Remote file name has no length!")
        if name is None or name == "-":
            return None
        return f"{arguments.output_dir}/{name}" if arguments.output_dir is not None else name

    def _create(self, name: str) -> Description:
        if self._arguments.create_dirs:
            at = "/" if name.startswith("/") else ""
            for part in name.split("/")[:-1]:
                at += part + "/"
                path = self._ctx.path(at)
                if part and not self._ctx.fs.exists(path):
                    self._ctx.fs.mkdir(path, 0o750)
        return self._ctx.create(name)

    # ------------------------------------------------------------------ -w

    def last_headers(self) -> dict[str, str]:
        """Return the headers of the last answer, by name in lower case."""
        return {n.lower(): v for n, v in self._response.headers} if self._response is not None else {}

    def facts(self, ended: Trouble | None) -> dict[str, str]:
        """Return the variables of -w."""
        response, url = self._response, self._url
        status = response.status if response is not None else 0
        connected = response.connected if response is not None else 0.0
        begun = response.begun if response is not None else 0.0
        following = None
        if response is not None and url is not None and not self._arguments.follow:
            try:
                following = next_url(url, response)
            except Trouble:
                following = None
        speed = self._body_size / self._took if self._took else 0.0
        return {
            "http_code": f"{status:03d}",
            "response_code": f"{status:03d}",
            "http_connect": "000",
            "http_version": "1.1"
            if response is not None and response.version == "1.1"
            else "1"
            if response
            else "0",
            "content_type": (response.header("content-type") or "") if response is not None else "",
            "errormsg": "" if ended is None else str(ended),
            "exitcode": "0" if ended is None else str(ended.status),
            "filename_effective": (self._output or "") if self._file is not None else "",
            "method": self._method,
            "num_connects": str(self._connects),
            "num_headers": str(len(response.headers)) if response is not None else "0",
            "num_redirects": str(self._redirects),
            "redirect_url": "" if following is None else str(following),
            "referer": self._arguments.referer or "",
            "remote_ip": response.address if response is not None else "",
            "remote_port": str(url.port) if response is not None and url is not None else "0",
            "scheme": url.scheme.upper() if url is not None else "",
            "size_download": str(self._body_size),
            "size_header": str(self._head_size),
            "size_upload": str(self._sent),
            "speed_download": f"{speed:.0f}",
            "speed_upload": "0",
            "ssl_verify_result": "0",
            "time_appconnect": f"{connected if url is not None and url.scheme == 'https' else 0:.6f}",
            "time_connect": f"{connected:.6f}",
            "time_namelookup": "0.000000",
            "time_pretransfer": f"{connected:.6f}",
            "time_redirect": "0.000000",
            "time_starttransfer": f"{begun:.6f}",
            "time_total": f"{self._took:.6f}",
            "url": self._asked,
            "url_effective": str(url) if url is not None else self._asked,
            "urlnum": str(self._number),
        }


class _Unwritable(Exception):
    """Output cannot be written; the message is a warning."""
