"""The transfer of one of wget's URLs: redirects, retries, and the output of the response."""

from __future__ import annotations

import zlib
from base64 import b64encode
from typing import TYPE_CHECKING

from sandhook.command.context import Context
from sandhook.command.operands import reason
from sandhook.command.options import UsageError
from sandhook.dates.clock import strftime
from sandhook.kernel.descriptor import Description
from sandhook.net.url import OWN_HEADERS, Url
from sandhook.utilities.network.cookies import Jar, date_seconds
from sandhook.utilities.network.curl.outputs import disposition_name, without_user
from sandhook.utilities.network.output import Unpacker
from sandhook.utilities.network.ranges import bytes_to_skip_for_wget, length_of
from sandhook.utilities.network.transfer import Transfer, Trouble, network_of, next_url, read_url

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sandhook.net.connection import Response
    from sandhook.utilities.network.wget.options import Options

_MAX_REDIRECTS = 20

_COMPLETE = "\n    The file is already fully retrieved; nothing to do.\n\n"

#: wget's exit statuses by the status of a Trouble, which is curl's.
_STATUSES = {1: 1, 3: 1, 35: 5, 60: 5, 23: 3, 63: 3}


class UrlTransfer:
    """The transfer of one URL."""

    def __init__(self, options: Options, ctx: Context, output: Description | None, jar: Jar | None) -> None:
        self._options = options
        self._jar = jar
        self._offset = 0
        self._user = options.user
        self._password = options.password or ""
        self._authorized = options.auth_first
        self._ctx = ctx
        self._output = output
        self._saved = 0
        self._attempt = 1
        self._name = ""

    def run(self, text: str) -> int:
        options = self._options
        try:
            text, user = without_user(text)
            if user:
                self._user, _, self._password = user.partition(":")
            url = read_url(text)
            body = self._body()
        except Trouble as trouble:
            hostless = text.partition("://")[2][:1] in ("", "/", "?", "#") and "://" in text
            what = "Invalid host name" if trouble.status == 3 and hostless else trouble
            self._print(f"{text}: {what}.\n")
            return _STATUSES.get(trouble.status, 4)
        except OSError as error:
            self._print(f"BODY data file '{error.filename}' missing: {reason(error)}\n")
            return 3
        self._name = self._target(url)
        if (
            options.no_clobber
            and self._output is None
            and options.output is None
            and self._ctx.fs.exists(self._ctx.path(self._name))
        ):
            self._print(f"File '{self._name}' already there; not retrieving.\n")
            return 0
        self._offset = self._first_byte()
        for self._attempt in range(1, options.tries + 1):
            try:
                return self._fetch(url, body)
            except Trouble as trouble:
                if str(trouble):
                    self._print(f"failed: {trouble}.\n")
                last = self._attempt == options.tries
                if last or not (trouble.transient or (options.refused and trouble.refused)):
                    if trouble.transient and not options.terse:
                        self._print("Giving up.\n\n")
                    return _STATUSES.get(trouble.status, 4)
                if not options.terse:
                    self._print("Retrying.\n\n")
                self._ctx.sleep(min(self._attempt, 10))
            except Unwritable as error:
                self._print(f"{error}\n")
                return 3
        return 4

    def _first_byte(self) -> int:
        """Return the offset at which the transfer begins."""
        options = self._options
        if options.start is not None:
            return int(options.start[:15])
        path = self._ctx.path(self._name if options.output is None else options.output)
        resumes = options.resume and options.output != "-" and self._ctx.fs.exists(path)
        return self._ctx.fs.stat(path).size if resumes else 0

    def _body(self) -> bytes | None:
        options = self._options
        for text in (options.post_data, options.body_data):
            if text is not None:
                return text.encode("utf-8", "surrogateescape")
        for name in (options.post_file, options.body_file):
            if name is not None:
                try:
                    with self._ctx.open(name) as reader:
                        return reader.read_all()
                except OSError as error:
                    error.filename = name
                    raise
        return None

    def _target(self, url: Url) -> str:
        options = self._options
        path, mark, query = url.path.partition("?")
        directory, _, name = path.rpartition("/")
        result = f"{name or options.page}{mark}{query}"
        if options.directories:
            parts = ["" if options.no_host else url.authority, directory.strip("/"), result]
            result = "/".join(part for part in parts if part)
        return f"{options.prefix}/{result}" if options.prefix is not None else result

    def _headers(self, url: Url, first: Url) -> list[tuple[str, str]]:
        options = self._options
        encoding = "identity" if options.compression == "none" else "gzip"
        headers = [("User-Agent", options.agent)] if options.agent else []
        headers += [("Accept", "*/*"), ("Accept-Encoding", encoding)]
        if self._offset:
            headers.append(("Range", f"bytes={self._offset}-"))
        path = self._ctx.path(self._name)
        if options.newer and self._ctx.fs.exists(path):
            seconds = self._ctx.fs.stat(path).mtime_ns // 10**9
            headers.append(("If-Modified-Since", strftime("%a, %d %b %Y %H:%M:%S GMT", seconds, None)))
        cookies = (
            self._jar.header(url, first_host=url.origin == first.origin) if self._jar is not None else ""
        )
        if cookies:
            headers.append(("Cookie", cookies))
        if options.referer is not None:
            headers.append(("Referer", options.referer))
        if self._user is not None and self._authorized and url.origin == first.origin:
            pair = f"{self._user}:{self._password}".encode("utf-8", "surrogateescape")
            headers.append(("Authorization", "Basic " + b64encode(pair).decode()))
        for line in options.headers:
            name, colon, value = line.partition(":")
            if (
                not colon
                or any(not 32 < ord(c) < 127 for c in name)
                or any(ord(c) < 32 and c != "\t" for c in value)
            ):
                raise UsageError(f"--header: Invalid header '{line}'.", hint=False)
            if name.lower() in ("authorization", "cookie", "host") and url.origin != first.origin:
                continue
            if name.lower() in OWN_HEADERS:
                raise UsageError(f"--header: {name} is made here and cannot be set (L-WGET-001)", hint=False)
            headers = [(n, v) for n, v in headers if n.lower() != name.lower()]
            headers.append((name, value.strip()))
        return headers

    def _fetch(self, first: Url, body: bytes | None) -> int:
        options = self._options
        transfer = Transfer(self._ctx, seconds=options.timeout or None)
        has_post_body = options.post_data is not None or options.post_file is not None
        method = options.method or ("POST" if has_post_body else "HEAD" if options.spider else "GET")
        network = network_of(self._ctx)
        max_redirects = min(
            int(options.redirects[:3]), _MAX_REDIRECTS, network.max_redirects if network is not None else 99
        )
        url = first
        for _ in range(max_redirects + 1):
            if not options.terse:
                number = f"(try:{self._attempt:2d})  " if self._attempt > 1 else ""
                self._print(f"--{self._stamp()}--  {number}{url}\n")
            headers = self._headers(url, first)
            if body is not None and not any(name.lower() == "content-type" for name, _ in headers):
                headers.append(("Content-Type", "application/x-www-form-urlencoded"))
            with transfer.send(method, url, headers, body) as response:
                self._show(response)
                if self._jar is not None:
                    for name, value in response.headers:
                        if name.lower() == "set-cookie":
                            self._jar.store(url, value)
                if response.status == 401 and self._user is not None and not self._authorized:
                    self._authorized = True
                    self._print("Authentication selected: Basic\n")
                    continue
                following = next_url(url, response)
                if following is None:
                    return self._receive(transfer, url, response)
                self._print(f"Location: {following} [following]\n" if not options.terse else "")
            if response.status in (301, 302, 303) and method == "POST":
                method, body = "GET", None
            url = following
        self._print(f"{max_redirects} redirections exceeded.\n")
        return 8

    def _show(self, response: Response) -> None:
        options = self._options
        if not options.terse:
            self._print(
                f"HTTP request sent, awaiting response... {'' if options.server else f'{response.status} {response.reason}'}\n"
            )
        if options.server:
            lines = [
                f"HTTP/{response.version} {response.status} {response.reason}",
                *(f"{n}: {v}" for n, v in response.headers),
            ]
            self._ctx.write_error("".join(f"  {line}\n" for line in lines))

    def _receive(self, transfer: Transfer, url: Url, response: Response) -> int:
        options = self._options
        if response.status == 304 and options.newer:
            self._print(f"File '{self._name}' not modified on server. Omitting download.\n\n")
            return 0
        skip = 0
        if self._offset:
            missing = bytes_to_skip_for_wget(response, self._offset)
            if missing is None:
                self._print("" if options.terse else _COMPLETE)
                return 0
            skip = missing
        if response.status >= 400 and not options.on_error:
            if not options.terse or options.spider:
                self._print(f"{self._stamp()} ERROR {response.status}: {response.reason}.\n\n")
            else:
                self._print(f"{url}:\n{self._stamp()} ERROR {response.status}: {response.reason}.\n")
            return 8
        if options.spider:
            self._print("Remote file exists.\n\n")
            return 0
        file = self._output
        is_own_file = file is None and options.output != "-"
        if is_own_file:
            self._rename(response)
            file = self._create(append=bool(self._offset) and options.start is None)
        encoding = (response.header("content-encoding") or "").strip().lower()
        try:
            self._write(transfer.chunks(url, response), encoding, file, skip)
        finally:
            if file is not None and file is not self._output:
                file.release()
        if is_own_file:
            self._finish(response)
        before = 0 if skip else self._offset
        size, length = f"{before + self._saved}", length_of(response)
        if length is not None and not encoding:
            size += f"/{before + length}"
        destination = (
            "- written to stdout" if options.output == "-" else f"'{options.output or self._name}' saved"
        )
        if options.terse:
            self._print(f'{self._stamp()} URL:{url} [{size}] -> "{options.output or self._name}" [1]\n')
        else:
            self._print(f"\n{self._stamp()} {destination} [{size}]\n\n")
        return 8 if response.status >= 400 else 0

    def _write(self, chunks: Iterator[bytes], encoding: str, file: Description | None, skip: int) -> None:
        """Write a body without its first ``skip`` bytes to a file, or to standard output if it is None."""
        unpack = Unpacker(encoding if self._options.compression != "none" else "")
        network = network_of(self._ctx)
        limit = network.max_bytes if network is not None else 0
        try:
            for chunk in chunks:
                for piece in unpack.feed(chunk, limit):
                    self._saved += len(piece)
                    if self._saved > limit:
                        raise Trouble(63, "Maximum file size exceeded")
                    rest, skip = piece[skip:], max(skip - len(piece), 0)
                    if file is None:
                        self._ctx.write(rest)
                    else:
                        file.write(rest)
        except zlib.error:
            raise Trouble(61, "the answer cannot be unpacked") from None
        except OSError as error:
            raise Unwritable(f"{self._name}: {reason(error)}") from None

    def _rename(self, response: Response) -> None:
        """Use the file name in the response, if there is one and --content-disposition is set."""
        if self._options.disposition:
            name = disposition_name(response.header("content-disposition") or "")
            if name:
                self._name = f"{self._options.prefix}/{name}" if self._options.prefix is not None else name

    def _create(self, *, append: bool) -> Description:
        """Create the file, with a number at the end of its name if that exists already."""
        options, fs = self._options, self._ctx.fs
        name, number = self._name, 0
        overwrite = options.newer or options.resume or options.directories
        while not overwrite and fs.exists(self._ctx.path(self._name)) and number < 1000:
            number += 1
            self._name = f"{name}.{number}"
        try:
            directory = "/" if name.startswith("/") else ""
            for part in name.split("/")[:-1]:
                directory += f"{part}/"
                if part and not fs.exists(self._ctx.path(directory)):
                    fs.mkdir(self._ctx.path(directory), 0o755)
            return self._ctx.create(self._name, append=append)
        except OSError as error:
            raise Unwritable(f"{self._name}: {reason(error)}") from None

    def _finish(self, response: Response) -> None:
        """Set the time of a file to that of the response, or remove the file."""
        path = self._ctx.path(self._name)
        seconds = date_seconds(response.header("last-modified") or "")
        if self._options.delete:
            self._ctx.fs.unlink(path)
        elif seconds and not self._options.local_time:
            self._ctx.fs.utime(path, seconds * 10**9, seconds * 10**9)

    def _stamp(self) -> str:
        return strftime("%F %T", int(self._ctx.now()), None)

    def _print(self, text: str) -> None:
        if not self._options.quiet:
            self._ctx.write_error(text)


class Unwritable(Exception):
    """A file cannot be written; the message has the reason."""
