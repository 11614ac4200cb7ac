"""The transfer of one of curl's URLs: redirects, retries, the output of the response, and the variables of -w."""

from __future__ import annotations

import zlib
from time import monotonic
from typing import TYPE_CHECKING

from sandhook.command.context import Context
from sandhook.command.operands import reason
from sandhook.dates.clock import strftime
from sandhook.kernel.descriptor import Description
from sandhook.lazy import lazily
from sandhook.net.url import Url
from sandhook.utilities.network.cookies import Jar, date_seconds
from sandhook.utilities.network.curl.arguments import Arguments, Misuse
from sandhook.utilities.network.curl.files import Headers, LocalFile, is_file_url, path_of, upload
from sandhook.utilities.network.curl.outputs import (
    Nameless,
    Output,
    Unwritable,
    disposition_name,
    without_user,
)
from sandhook.utilities.network.curl.request import Request
from sandhook.utilities.network.output import Unpacker
from sandhook.utilities.network.ranges import is_complete_for_curl, is_failure_for_curl, length_of
from sandhook.utilities.network.transfer import Transfer, Trouble, network_of, next_url, read_url

if TYPE_CHECKING:
    from sandhook.net.connection import Response

#: Statuses after which a retry may succeed.
_TRANSIENT = frozenset({408, 429, 500, 502, 503, 504})

_MAX_TRIES, _MAX_REDIRECTS = 10, 50

_DIGITS = lazily(r"[0-9]+")

_TOO_LATE = (
    b"Warning: The Retry-After: time would make this command line exceed the maximum \n"
    b"Warning: allowed time for retries.\n"
)

_MAX_NAMES = 100  #: with --no-clobber


#: Dots that --path-as-is does not allow in a path.
_DOTS = lazily(r"/\.\.?(?:[/?#]|\Z)")


class UrlTransfer:
    """The transfer of one URL."""

    def __init__(
        self, ctx: Context, arguments: Arguments, jar: Jar | None, output: Output, number: int
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
        self._start = monotonic()
        self._seconds = 0.0
        self._operand = ""
        self._offset = 0
        self._file_name = ""  #: the output file; "" before the first output
        self._file_url = ""  #: that of a file:// URL, and its headers
        self._file_headers: Headers = []

    def resume(self) -> None:
        """Set the range of the request to the rest of the file for -C. Raises Misuse."""
        offset = self._arguments.continue_at
        if offset is None:
            return
        if offset == "-":
            path = self._ctx.path(self._output.name)
            self._offset = self._ctx.fs.stat(path).size if self._ctx.fs.exists(path) else 0
        elif offset.isascii() and offset.isdigit():
            self._offset = int(offset[:15])
        else:
            kind = "positive" if offset[:1] == "-" and offset[1:].isdigit() else "proper"
            raise Misuse(f"option -C: expected a {kind} numerical parameter")
        if self._offset:
            self._arguments.range = f"{self._offset}-"

    def run(self, text: str, query: str, request: Request) -> Trouble | None:
        """Run the transfer, with the retries of --retry; return the error of the last attempt.

        --retry-max-time is how long after the first attempt a retry may begin; 0 is no limit. Source: curl(1).
        """
        arguments = self._arguments
        start = self._ctx.budget.elapsed()
        self._operand = text
        tries = int(min(arguments.retry or 0, _MAX_TRIES))
        pause = arguments.retry_delay or 1.0
        for attempt in range(tries + 1):
            failure = self._attempt(text, query, request)
            self._seconds = monotonic() - self._start
            if attempt == tries or not self._may_pass(failure):
                break
            elapsed = self._ctx.budget.elapsed() - start
            if arguments.retry_max_time and elapsed >= arguments.retry_max_time:
                break
            seconds = min(pause, 600.0)
            if (wanted := self._retry_after(failure)) is not None:
                seconds = wanted
                if arguments.retry_max_time and elapsed + seconds > arguments.retry_max_time:
                    self._ctx.process.write_error(_TOO_LATE)
                    break
            if not arguments.silent:
                self._ctx.process.write_error(
                    f"Warning: Transient problem: {'timeout' if failure else 'HTTP error'} Will retry in {seconds:g} seconds. "
                    f"{tries - attempt} retries left.\n".encode()
                )
            self._ctx.sleep(seconds)
            pause = pause if arguments.retry_delay else pause * 2
        if self._file is not None:
            self._file.release()
            path = self._ctx.path(self._file_name)
            if failure is not None and failure.status != 22 and arguments.remove_on_error:
                self._ctx.fs.unlink(path)
            elif arguments.remote_time:
                seconds = date_seconds(self.last_headers().get("last-modified", ""))
                if seconds:
                    self._ctx.fs.utime(path, seconds * 10**9, seconds * 10**9)
        return failure

    def _retry_after(self, error: Trouble | None) -> float | None:
        """Return the seconds that the header Retry-After demands before a retry; None without a usable one.

        Source: curl(1), --retry; RFC 9110, 10.2.3. A date in the past demands nothing.
        """
        if self._response is None or self._response.status not in _TRANSIENT:
            return None
        if error is not None and error.status != 22:
            return None
        text = self.last_headers().get("retry-after", "").strip()
        digits = _DIGITS.match(text)
        if digits is not None:
            return min(float(digits[0][:12]), 1e9) or None
        moment = date_seconds(text)
        wait = moment - self._ctx.now() if moment else 0.0
        return wait if wait > 0 else None

    def _may_pass(self, error: Trouble | None) -> bool:
        arguments = self._arguments
        status = self._response.status if self._response is not None else 0
        if error is None or error.status == 22:
            return status in _TRANSIENT or (arguments.retry_all and error is not None)
        return error.transient or arguments.retry_all or (arguments.retry_refused and error.refused)

    def _attempt(self, text: str, query: str, request: Request) -> Trouble | None:
        try:
            if is_file_url(text, self._arguments.default_protocol):
                self._transfer_file(text, request)
                return None
            text, user = without_user(text)
            if self._arguments.as_is and _DOTS.search(text):
                raise Trouble(
                    3, "URL using bad/illegal format or missing URL: it goes up in its path (L-CURL-001)"
                )
            if user and "authorization" not in request.overridden | {n.lower() for n, _ in request.headers}:
                request = request.with_user(user)
            url = read_url(text, self._arguments.default_protocol)
            _check_protocol(url.scheme, self._arguments.protocols)
            if query:
                url = url._replace(path=f"{url.path}{'&' if '?' in url.path else '?'}{query}")
            self._transfer(url, request)
        except Trouble as trouble:
            return trouble
        except zlib.error:
            return Trouble(61, "Error while processing content unencoding: invalid data")
        except Nameless as error:
            self._warning(str(error))
            return Trouble(23, "Failed writing received data to disk/application")
        except Unwritable as error:
            self._warning(str(error))
            return Trouble(23, "Failure writing output to destination")
        return None

    def _warning(self, message: str) -> None:
        if message and not self._arguments.silent:
            self._ctx.process.write_error(f"Warning: {message}\n".encode("utf-8", "surrogateescape"))

    def _transfer_file(self, text: str, request: Request) -> None:
        """Read, or with -T write, the file of a URL. Raises Trouble."""
        arguments = self._arguments
        _check_protocol("file", arguments.protocols)
        path = path_of(text, as_is=arguments.as_is)
        self._file_url = f"file://{path}"
        if arguments.upload is not None:
            upload(path, request.body or b"", self._ctx)
            self._sent = len(request.body or b"")
            return
        source = LocalFile(path, arguments.range, self._ctx)
        try:
            self._file_headers = source.headers
            head = "".join(f"{name}: {value}\r\n" for name, value in source.headers).encode()
            if arguments.dump_header is not None:
                self._dump(arguments.dump_header, head + b"\r\n")
            if arguments.head:
                self._put(head)
                return
            if arguments.include:
                self._put(head + b"\r\n")
            for piece in source.chunks():
                self._ctx.charge(1 + (len(piece) >> 10))
                self._body_size += len(piece)
                self._put(piece)
            self._put(b"")
        finally:
            source.close()

    def _transfer(self, url: Url, request: Request) -> None:
        arguments = self._arguments
        transfer = Transfer(self._ctx, seconds=arguments.max_time, connect_seconds=arguments.connect_timeout)
        first = url
        method, body = request.method, request.body
        network = network_of(self._ctx)
        max_redirects = int(
            min(
                arguments.max_redirects if arguments.max_redirects is not None else _MAX_REDIRECTS,
                _MAX_REDIRECTS,
            )
        )
        if network is not None:
            max_redirects = min(max_redirects, network.max_redirects)
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
            _check_protocol(following.scheme, arguments.protocols & arguments.redirect_protocols)
            if self._redirects >= max_redirects:
                raise Trouble(47, f"Maximum ({max_redirects}) redirects followed")
            self._redirects += 1
            if response.status == 303 or (response.status in (301, 302) and method == "POST"):
                keep = {301: arguments.post301, 302: arguments.post302, 303: arguments.post303}[
                    response.status
                ]
                if not keep and method != "HEAD":
                    method, body = method if request.custom else "GET", None
            url = following

    def _headers(self, request: Request, url: Url, first: Url, *, with_body: bool) -> list[tuple[str, str]]:
        """Return the headers of one hop; credentials are sent only to the first origin."""
        headers = [*request.headers, *self._condition()]
        if url.origin != first.origin:
            headers = [(n, v) for n, v in headers if n.lower() not in ("authorization", "cookie", "host")]
        if not with_body:
            headers = (
                [(n, v) for n, v in headers if n.lower() != "content-type"]
                if request.body is not None
                else headers
            )
        if self._jar is not None and "cookie" not in request.overridden:
            cookies = self._jar.header(url, first_host=url.origin == first.origin)
            if cookies:
                headers = [*headers, ("Cookie", cookies)]
        return headers

    def _condition(self) -> list[tuple[str, str]]:
        """Return the header of -z."""
        text = self._arguments.time_condition
        if text is None:
            return []
        older, text = text.startswith("-"), text.lstrip("-+=")
        path = self._ctx.path(text)
        if self._ctx.fs.exists(path):
            seconds = self._ctx.fs.stat(path).mtime_ns // 10**9
        else:
            seconds = date_seconds(text)
        if not seconds:
            self._warning(
                "Illegal date format for -z, --time-cond (and not a file name). Disabling time condition."
            )
            return []
        return [
            (
                "If-Unmodified-Since" if older else "If-Modified-Since",
                strftime("%a, %d %b %Y %H:%M:%S GMT", seconds, None),
            )
        ]

    def _show_request(self, method: str, url: Url, headers: list[tuple[str, str]]) -> None:
        if self._arguments.verbose:
            lines = [
                f"{method} {url.path} HTTP/1.1",
                f"Host: {url.authority}",
                *(f"{n}: {v}" for n, v in headers),
                "",
            ]
            self._ctx.write_error("".join(f"> {line}\r\n" for line in lines))

    # ------------------------------------------------------------------ the response

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
                    self._jar.store(url, value)
        if arguments.verbose:
            self._ctx.write_error("".join(f"< {line}\r\n" for line in lines))
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
            raise Unwritable(f"Failed to open {name}: {reason(error)}") from None
        file.write(data)
        file.release()

    def _body(self, transfer: Transfer, url: Url, response: Response) -> None:
        arguments = self._arguments
        failed = is_failure_for_curl(response, self._offset)
        if failed and arguments.fail and not arguments.fail_with_body:
            raise Trouble(22, f"The requested URL returned error: {response.status}")
        has_body = self._method != "HEAD"
        if self._offset and has_body and not self._sent:
            has_body = not is_complete_for_curl(response, self._offset)
        max_size = arguments.max_size
        if max_size is not None and (length_of(response) or 0) > max_size and has_body:
            raise Trouble(63, "Maximum file size exceeded")
        unpack = Unpacker(
            (response.header("content-encoding") or "").strip().lower() if arguments.compressed else ""
        )
        bound = network.max_bytes if (network := network_of(self._ctx)) is not None else 0
        self._body_size = 0
        if has_body:
            for piece in transfer.chunks(url, response):
                for data in unpack.feed(piece, bound):
                    self._body_size += len(data)
                    if self._body_size > (bound if max_size is None else min(max_size, bound)):
                        raise Trouble(63, "Maximum file size exceeded")
                    self._put(data)
        self._put(b"")
        if failed and arguments.fail_with_body:
            raise Trouble(22, f"The requested URL returned error: {response.status}")

    def _put(self, data: bytes) -> None:
        """Write to the destination; the first write creates a file."""
        name = self._name()
        if name is None:
            self._ctx.write(data)
            return
        try:
            if self._file is None:
                self._file = self._create(name)
            self._file.write(data)
        except OSError as error:
            raise Unwritable(f"Failed to open the file {name}: {reason(error)}") from None

    def _name(self) -> str | None:
        if self._file_name:
            return self._file_name
        arguments = self._arguments
        name = self._output.name
        if self._output.remote:
            header_name = (
                disposition_name(self.last_headers().get("content-disposition", ""))
                if arguments.header_name
                else ""
            )
            address = self._operand.partition("#")[0].partition("?")[0]
            name = (
                header_name or (address.partition("://")[2] or address).partition("/")[2].rpartition("/")[2]
            )
            if not name:
                raise Nameless("Remote file name has no length!")
            if header_name and self._ctx.fs.exists(self._ctx.path(header_name)):
                raise Unwritable(f"Refusing to overwrite {header_name}: File exists")
        if name in ("", "-"):
            return None
        if arguments.output_dir is not None:
            name = f"{arguments.output_dir}/{name}"
        if arguments.clobber is False:
            name = self._unused_name(name)
        self._file_name = name
        return name

    def _unused_name(self, name: str) -> str:
        """Return a name that does not exist yet, with a number at its end if necessary."""
        names = [name, *(f"{name}.{number}" for number in range(1, _MAX_NAMES))]
        for candidate in names:
            if not self._ctx.fs.exists(self._ctx.path(candidate)):
                return candidate
        raise Unwritable(f"Failed to open the file {name}: File exists")

    def _create(self, name: str) -> Description:
        if self._arguments.create_dirs:
            directory = "/" if name.startswith("/") else ""
            for part in name.split("/")[:-1]:
                directory += part + "/"
                path = self._ctx.path(directory)
                if part and not self._ctx.fs.exists(path):
                    self._ctx.fs.mkdir(path, 0o750)
        return self._ctx.create(name, append=bool(self._offset))

    # ------------------------------------------------------------------ -w

    def last_headers(self) -> dict[str, str]:
        """Return the headers of the last response, by name in lower case."""
        headers = self._response.headers if self._response is not None else self._file_headers
        return {n.lower(): v for n, v in headers}

    def facts(self, error: Trouble | None) -> dict[str, str]:
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
        speed = self._body_size / self._seconds if self._seconds else 0.0
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
            "errormsg": "" if error is None else str(error),
            "exitcode": "0" if error is None else str(error.status),
            "filename_effective": self._file_name if self._file is not None else "",
            "method": self._method,
            "num_connects": str(self._connects),
            "num_headers": str(len(response.headers)) if response is not None else "0",
            "num_redirects": str(self._redirects),
            "redirect_url": "" if following is None else str(following),
            "referer": self._arguments.referer or "",
            "remote_ip": response.address if response is not None else "",
            "remote_port": str(url.port) if response is not None and url is not None else "0",
            "scheme": url.scheme.upper() if url is not None else "FILE" if self._file_url else "",
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
            "time_total": f"{self._seconds:.6f}",
            "url": self._operand,
            "url_effective": str(url) if url is not None else self._file_url or self._operand,
            "urlnum": str(self._number),
        }


def _check_protocol(scheme: str, protocols: frozenset[str]) -> None:
    """Raise Trouble unless --proto and --proto-redir allow the scheme of a URL."""
    if scheme not in protocols:
        raise Trouble(1, f'Protocol "{scheme}" not supported or disabled in libcurl')
