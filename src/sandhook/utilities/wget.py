"""wget: fetch files from URLs that the host allows.

Source: GNU Wget's manual. Oracle: GNU Wget 1.21.3. Without a ``Network`` of the host's nothing is reached: status 4, as on a
machine that is not connected. Divergence: L-WGET-001.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sandhook.kernel.descriptor import Description
from sandhook.net.url import Url
from sandhook.utilities._base import Context, UsageError, opt, option_set, syntax_of
from sandhook.utilities._files import reason
from sandhook.utilities._transfer import Transfer, Trouble, network_of, next_url, read_url

if TYPE_CHECKING:
    from sandhook.net.connection import Response

RAW = True  # some of wget's short options have two letters
USAGE_STATUS = 2

_TWO_LETTERS = {"-nv": "--no-verbose", "-nc": "--no-clobber"}

_AGENT = "Wget/1.21.3"
_MOST_TRIES, _MOST_REDIRECTS = 20, 20

#: curl's statuses of trouble to wget's.
_STATUSES = {1: 1, 3: 1, 35: 5, 60: 5, 23: 3, 63: 3}


def _seconds(text: str) -> float:
    try:
        value = float(text[:20])
    except ValueError:
        value = -1.0
    if not 0 <= value < 1e9:
        raise UsageError(f"--timeout: Invalid time period '{text}'", hint=False)
    return value


def _tries(text: str) -> int:
    if text == "inf":
        return _MOST_TRIES
    if not (text.isascii() and text.isdigit()):
        raise UsageError(f"--tries: Invalid number '{text}'.", hint=False)
    return min(int(text[:6]) or _MOST_TRIES, _MOST_TRIES)


@option_set
class Options:
    """wget [OPTION]... URL...

    Fetch each URL into a file of its last name, as far as the host allows it.
    """

    quiet: bool = opt("-q", "--quiet", help="print no messages")
    terse: bool = opt("--no-verbose", help="-nv: print little")
    output: str | None = opt(
        "-O", "--output-document", "FILE", "write everything to FILE; - is standard output"
    )
    prefix: str | None = opt("-P", "--directory-prefix", "DIR", "where files go")
    server: bool = opt("-S", "--server-response", help="print the heads of answers")
    headers: tuple[str, ...] = opt("--header", "LINE", "send a header", append=True)
    agent: str = opt("-U", "--user-agent", "TEXT", "the header User-Agent", default=_AGENT)
    referer: str | None = opt("--referer", "URL", "the header Referer")
    user: str | None = opt("--user", "--http-user", "NAME", "basic authorization")
    password: str | None = opt("--password", "--http-password", "TEXT", "its password")
    auth_first: bool = opt("--auth-no-challenge", help="accepted; authorization is sent at once")
    post_data: str | None = opt("--post-data", "TEXT", "send TEXT by POST")
    post_file: str | None = opt("--post-file", "FILE", "send a file by POST")
    body_data: str | None = opt("--body-data", "TEXT", "send TEXT by the method of --method")
    body_file: str | None = opt("--body-file", "FILE", "send a file by the method of --method")
    method: str | None = opt("--method", "METHOD", "the method")
    timeout: float = opt(
        "-T", "--timeout", "SECONDS", "the most that one try may take (900)", convert=_seconds, default=900.0
    )
    tries: int = opt("-t", "--tries", "N", "how often it is tried (20)", convert=_tries, default=_MOST_TRIES)
    redirects: str = opt("--max-redirect", "N", "redirects that are followed (20)", default="20")
    spider: bool = opt("--spider", help="only see whether it is there")
    no_clobber: bool = opt("--no-clobber", help="-nc: leave files that are there")
    on_error: bool = opt("--content-on-error", help="keep the answer of a server's error, too")
    plain: bool = opt("--no-check-certificate", help="refused: certificates are always checked (L-WGET-001)")
    ignored: bool = opt(
        "--no-cache",
        "--no-proxy",
        "--no-cookies",
        "--no-hsts",
        "-c",
        "--continue",
        help="accepted; nothing is cached, continued or remembered",
    )
    progress: str | None = opt("--progress", "STYLE", "accepted; no progress is shown")
    show: bool = opt("--show-progress", help="accepted; no progress is shown")


class _Declared:
    """What the parser of the options is made of."""

    Options = Options


def run(_: None, arguments: Sequence[str], ctx: Context) -> int:
    """Return wget's exit status: 0, 1 wrong URL, 2 usage, 3 files, 4 network, 5 certificates, 8 an error of the server's."""
    options, operands = syntax_of(_Declared).parse([_TWO_LETTERS.get(word, word) for word in arguments])
    return _run(options, operands, ctx)


def _run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    if options.plain:
        raise UsageError("--no-check-certificate is not supported here (L-WGET-001)", hint=False)
    if not operands:
        ctx.process.complain(
            b"wget: missing URL\nUsage: wget [OPTION]... [URL]...\n\nTry `wget --help' for more options.\n"
        )
        return 1
    if not (options.redirects.isascii() and options.redirects.isdigit()):
        raise UsageError(f"--max-redirect: Invalid number '{options.redirects}'.", hint=False)
    output: Description | None = None
    if options.output is not None and options.output != "-" and not options.spider:
        try:
            output = ctx.create(options.output)
        except OSError as error:
            ctx.process.complain(f"{options.output}: {reason(error)}\n".encode("utf-8", "surrogateescape"))
            return 1
    status = 0
    try:
        for text in operands:
            ended = _One(options, ctx, output).run(text)
            status = ended if status == 0 else min(status, ended) if ended else status
    finally:
        if output is not None:
            output.release()
    return status


class _One:
    """The fetching of one URL."""

    def __init__(self, options: Options, ctx: Context, output: Description | None) -> None:
        self._options = options
        self._ctx = ctx
        self._output = output
        self._saved = 0
        self._name = ""

    def run(self, text: str) -> int:
        options = self._options
        try:
            url = read_url(text)
            body = self._body()
        except Trouble as trouble:
            hostless = text.partition("://")[2][:1] in ("", "/", "?", "#") and "://" in text
            what = "Invalid host name" if trouble.status == 3 and hostless else trouble
            self._say(f"{text}: {what}.\n")
            return _STATUSES.get(trouble.status, 4)
        except OSError as error:
            self._say(f"BODY data file '{error.filename}' missing: {reason(error)}\n")
            return 3
        self._name = self._target(url)
        if (
            options.no_clobber
            and self._output is None
            and options.output is None
            and self._ctx.fs.exists(self._ctx.path(self._name))
        ):
            self._say(f"File '{self._name}' already there; not retrieving.\n")
            return 0
        for attempt in range(options.tries):
            try:
                return self._fetch(url, body)
            except Trouble as trouble:
                self._say(f"failed: {trouble}.\n")
                last = attempt + 1 == options.tries
                if last or not trouble.transient:
                    if trouble.transient and not options.quiet:
                        self._say("Giving up.\n\n")
                    return _STATUSES.get(trouble.status, 4)
                self._ctx.sleep(min(attempt + 1, 10))
            except _Unwritable as error:
                self._say(f"{error}\n")
                return 3
        return 4

    def _body(self) -> bytes | None:
        options = self._options
        for given in (options.post_data, options.body_data):
            if given is not None:
                return given.encode("utf-8", "surrogateescape")
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
        name = url.path.rpartition("/")[2].partition("?")
        made = (name[0] or "index.html") + name[1] + name[2]
        return f"{self._options.prefix}/{made}" if self._options.prefix is not None else made

    def _headers(self, url: Url, first: Url) -> list[tuple[str, str]]:
        options = self._options
        made = [("User-Agent", options.agent), ("Accept", "*/*"), ("Accept-Encoding", "identity")]
        if options.referer is not None:
            made.append(("Referer", options.referer))
        if options.user is not None and url.origin == first.origin:
            pair = f"{options.user}:{options.password or ''}".encode("utf-8", "surrogateescape")
            made.append(("Authorization", "Basic " + b64encode(pair).decode()))
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
            if name.lower() in ("content-length", "transfer-encoding", "connection"):
                raise UsageError(f"--header: {name} is made here and cannot be set (L-WGET-001)", hint=False)
            made = [(n, v) for n, v in made if n.lower() != name.lower()]
            made.append((name, value.strip()))
        return made

    def _fetch(self, first: Url, body: bytes | None) -> int:
        options = self._options
        transfer = Transfer(self._ctx, seconds=options.timeout or None)
        posted = options.post_data is not None or options.post_file is not None
        method = options.method or ("POST" if posted else "HEAD" if options.spider else "GET")
        network = network_of(self._ctx)
        most = min(
            int(options.redirects[:3]), _MOST_REDIRECTS, network.max_redirects if network is not None else 99
        )
        url = first
        for _ in range(most + 1):
            if not options.terse:
                self._say(f"--{self._stamp()}--  {url}\n")
            headers = self._headers(url, first)
            if body is not None and not any(name.lower() == "content-type" for name, _ in headers):
                headers.append(("Content-Type", "application/x-www-form-urlencoded"))
            with transfer.send(method, url, headers, body) as response:
                self._show(response)
                following = next_url(url, response)
                if following is None:
                    return self._take(transfer, url, response)
                self._say(f"Location: {following} [following]\n" if not options.terse else "")
            if response.status in (301, 302, 303) and method == "POST":
                method, body = "GET", None
            url = following
        self._say(f"{most} redirections exceeded.\n")
        return 8

    def _show(self, response: Response) -> None:
        options = self._options
        if not options.terse:
            self._say(
                f"HTTP request sent, awaiting response... {'' if options.server else f'{response.status} {response.reason}'}\n"
            )
        if options.server:
            lines = [
                f"HTTP/{response.version} {response.status} {response.reason}",
                *(f"{n}: {v}" for n, v in response.headers),
            ]
            self._complain("".join(f"  {line}\n" for line in lines))

    def _take(self, transfer: Transfer, url: Url, response: Response) -> int:
        options = self._options
        if response.status >= 400 and not options.on_error:
            if not options.terse or options.spider:
                self._say(f"{self._stamp()} ERROR {response.status}: {response.reason}.\n\n")
            else:
                self._say(f"{url}:\n{self._stamp()} ERROR {response.status}: {response.reason}.\n")
            return 8
        if options.spider:
            self._say("Remote file exists.\n\n")
            return 0
        file = self._output
        if file is None and options.output != "-":
            file = self._create()
        try:
            for piece in transfer.chunks(url, response):
                self._saved += len(piece)
                if file is None:
                    self._ctx.write(piece)
                else:
                    file.write(piece)
        except OSError as error:
            raise _Unwritable(f"{self._name}: {reason(error)}") from None
        finally:
            if file is not None and file is not self._output:
                file.release()
        where = "- written to stdout" if options.output == "-" else f"'{options.output or self._name}' saved"
        if options.terse:
            self._say(f'{self._stamp()} URL:{url} [{self._saved}] -> "{options.output or self._name}" [1]\n')
        else:
            self._say(f"\n{self._stamp()} {where} [{self._saved}]\n\n")
        return 8 if response.status >= 400 else 0

    def _create(self) -> Description:
        """Make the file; one that is there already keeps its name, and this one gets a number."""
        name, number = self._name, 0
        while self._ctx.fs.exists(self._ctx.path(self._name)) and number < 1000:
            number += 1
            self._name = f"{name}.{number}"
        try:
            if self._options.prefix is not None and not self._ctx.fs.exists(
                self._ctx.path(self._options.prefix)
            ):
                self._ctx.fs.mkdir(self._ctx.path(self._options.prefix), 0o755)
            return self._ctx.create(self._name)
        except OSError as error:
            raise _Unwritable(f"{self._name}: {reason(error)}") from None

    def _stamp(self) -> str:
        from time import gmtime, strftime

        return strftime("%Y-%m-%d %H:%M:%S", gmtime(self._ctx.now()))

    def _say(self, text: str) -> None:
        if not self._options.quiet:
            self._complain(text)

    def _complain(self, text: str) -> None:
        self._ctx.flush()
        self._ctx.process.complain(text.encode("utf-8", "surrogateescape"))


class _Unwritable(Exception):
    """A file cannot be written; the message says why."""
