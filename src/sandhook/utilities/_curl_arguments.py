"""curl's command line: its options, and those that are known and refused."""

from __future__ import annotations

from collections.abc import Sequence

#: Options without an argument: letter, name, field.
_FLAGS = (
    ("s", "silent", "silent"), ("S", "show-error", "show_error"), ("f", "fail", "fail"), ("L", "location", "follow"),
    ("i", "include", "include"), ("I", "head", "head"), ("G", "get", "get"), ("O", "remote-name", "remote_name"),
    ("", "compressed", "compressed"), ("", "fail-with-body", "fail_with_body"), ("", "create-dirs", "create_dirs"),
    ("v", "verbose", "verbose"), ("g", "globoff", ""), ("N", "no-buffer", ""), ("#", "progress-bar", ""), ("4", "ipv4", ""),
    ("6", "ipv6", ""), ("0", "http1.0", ""), ("", "http1.1", ""), ("", "http2", ""), ("", "no-progress-meter", ""),
    ("", "tlsv1.2", ""), ("1", "tlsv1", ""), ("", "tlsv1.3", ""), ("", "path-as-is", ""), ("q", "disable", ""),
    ("", "no-keepalive", ""), ("", "retry-connrefused", "retry_refused"), ("", "retry-all-errors", "retry_all"),
    ("", "post301", "post301"), ("", "post302", "post302"), ("", "post303", "post303"), ("a", "append", ""),
    ("", "basic", ""), ("", "fail-early", ""), ("j", "junk-session-cookies", "junk_session"), ("", "no-sessionid", ""),
)  # fmt: skip

#: Options with an argument: letter, name, field; a field in _LISTS gathers (option, argument).
_VALUES = (
    ("o", "output", "outputs"), ("X", "request", "method"), ("d", "data", "data"), ("", "data-ascii", "data"),
    ("", "data-raw", "data"), ("", "data-binary", "data"), ("", "data-urlencode", "data"), ("", "json", "data"),
    ("F", "form", "form"), ("", "form-string", "form"), ("H", "header", "headers"), ("A", "user-agent", "agent"),
    ("e", "referer", "referer"), ("u", "user", "user"), ("b", "cookie", "cookies"), ("c", "cookie-jar", "jar"),
    ("w", "write-out", "write_out"), ("m", "max-time", "max_time"), ("", "connect-timeout", "connect_timeout"),
    ("", "retry", "retry"), ("", "retry-delay", "retry_delay"), ("", "retry-max-time", "retry_max_time"),
    ("", "max-redirs", "max_redirects"), ("", "max-filesize", "max_size"), ("T", "upload-file", "upload"),
    ("D", "dump-header", "dump_header"), ("", "url", "urls"), ("r", "range", "range"), ("", "output-dir", "output_dir"),
    ("", "url-query", "url_query"), ("", "oauth2-bearer", "bearer"), ("", "proto", ""), ("", "proto-redir", ""),
    ("", "keepalive-time", ""), ("", "limit-rate", ""), ("y", "speed-time", ""), ("Y", "speed-limit", ""),
)  # fmt: skip

#: Known options that lead around the checks, or to what is not there.
_REFUSED = (
    ("k", "insecure"), ("x", "proxy"), ("K", "config"), ("E", "cert"), ("", "key"), ("", "cacert"), ("", "capath"),
    ("", "proxy-user"), ("U", "proxy-user"), ("", "socks5"), ("", "socks4"), ("", "socks5-hostname"), ("", "preproxy"), ("", "unix-socket"),
    ("", "abstract-unix-socket"), ("", "interface"), ("", "resolve"), ("", "connect-to"), ("", "local-port"), ("", "doh-url"),
    ("n", "netrc"), ("", "netrc-file"), ("", "netrc-optional"), ("", "anyauth"), ("", "digest"), ("", "ntlm"), ("", "negotiate"),
    ("Z", "parallel"), (":", "next"), ("", "trace"), ("", "trace-ascii"), ("C", "continue-at"), ("z", "time-cond"),
    ("R", "remote-time"), ("J", "remote-header-name"), ("", "ftp-pasv"), ("Q", "quote"), ("", "mail-from"), ("t", "telnet-option"),
    ("", "http3"), ("", "http0.9"), ("", "raw"), ("", "tr-encoding"), ("", "libcurl"), ("", "engine"), ("", "crlfile"),
    ("", "location-trusted"), ("p", "proxytunnel"), ("P", "ftp-port"), ("B", "use-ascii"), ("M", "manual"), ("l", "list-only"),
    ("2", "sslv2"), ("3", "sslv3"),
)  # fmt: skip

_BY_LETTER = {letter: name for letter, name, _ in (*_FLAGS, *_VALUES) if letter}
_BY_LETTER.update({letter: name for letter, name in _REFUSED if letter})
_FLAG_FIELDS = {name: field for _, name, field in _FLAGS}
_VALUE_FIELDS = {name: field for _, name, field in _VALUES}
_REFUSED_NAMES = frozenset(name for _, name in _REFUSED)
_NAMES = sorted({*_FLAG_FIELDS, *_VALUE_FIELDS, *_REFUSED_NAMES, "help", "version"})

_LISTS = frozenset({"data", "form", "headers", "outputs", "urls", "cookies", "url_query"})
_NUMBERS = frozenset(
    {"max_time", "connect_timeout", "retry", "retry_delay", "retry_max_time", "max_redirects", "max_size"}
)


class Misuse(Exception):
    """Wrong options: curl's message, status 2."""

    def __init__(self, message: str, *, hint: bool = True) -> None:
        super().__init__(message)
        self.hint = hint


class Arguments:
    """A parsed command line. The lists have pairs of option and argument, in their order."""

    def __init__(self) -> None:
        self.silent = self.show_error = self.fail = self.follow = self.include = self.head = self.get = False
        self.remote_name = self.compressed = self.fail_with_body = self.create_dirs = self.verbose = False
        self.retry_refused = self.retry_all = self.post301 = self.post302 = self.post303 = (
            self.junk_session
        ) = False
        self.data: list[tuple[str, str]] = []
        self.form: list[tuple[str, str]] = []
        self.headers: list[tuple[str, str]] = []
        self.outputs: list[tuple[str, str]] = []
        self.urls: list[tuple[str, str]] = []
        self.cookies: list[tuple[str, str]] = []
        self.url_query: list[tuple[str, str]] = []
        self.method: str | None = None
        self.agent: str | None = None
        self.referer: str | None = None
        self.user: str | None = None
        self.bearer: str | None = None
        self.jar: str | None = None
        self.write_out: str | None = None
        self.upload: str | None = None
        self.dump_header: str | None = None
        self.range: str | None = None
        self.output_dir: str | None = None
        self.max_time: float | None = None
        self.connect_timeout: float | None = None
        self.retry: float | None = None
        self.retry_delay: float | None = None
        self.retry_max_time: float | None = None
        self.max_redirects: float | None = None
        self.max_size: float | None = None
        self.inform = ""


def parse(arguments: Sequence[str]) -> Arguments:
    """Read a command line. Raises Misuse."""
    made = Arguments()
    rest = list(reversed(arguments))
    options = True
    while rest:
        argument = rest.pop()
        if not options or not argument.startswith("-") or argument == "-":
            made.urls.append(("url", argument))
        elif argument == "--":
            options = False
        elif argument.startswith("--"):
            _take(made, _full(argument[2:], argument), argument, rest)
        else:
            _letters(made, argument, rest)
    return made


def _letters(made: Arguments, argument: str, rest: list[str]) -> None:
    at = 1
    while at < len(argument):
        letter = argument[at]
        at += 1
        if letter in "hV":
            made.inform = "help" if letter == "h" else "version"
            continue
        name = _BY_LETTER.get(letter)
        if name is None:
            raise Misuse(f"option {argument}: is unknown")
        if name in _VALUE_FIELDS and at < len(argument):
            rest.append(argument[at:])
            at = len(argument)
        _take(made, name, argument, rest)


def _full(name: str, argument: str) -> str:
    """Return the full name of an option that may be shortened."""
    if name in _NAMES or (name.startswith("no-") and name[3:] in _FLAG_FIELDS):
        return name
    found = [known for known in _NAMES if known.startswith(name)]
    if not found:
        raise Misuse(f"option {argument}: is unknown")
    if len(found) > 1:
        raise Misuse(f"option {argument}: is ambiguous")
    return found[0]


def _take(made: Arguments, name: str, argument: str, rest: list[str]) -> None:
    if name in ("help", "version"):
        made.inform = name
    elif name in _REFUSED_NAMES:
        raise Misuse(f"option {argument}: is not supported here (L-CURL-001)", hint=False)
    elif name in _FLAG_FIELDS:
        if _FLAG_FIELDS[name]:
            setattr(made, _FLAG_FIELDS[name], True)
    elif name.startswith("no-"):
        if _FLAG_FIELDS[name[3:]]:
            setattr(made, _FLAG_FIELDS[name[3:]], False)
    else:
        if not rest:
            raise Misuse(f"option {argument}: requires parameter")
        _value(made, name, _VALUE_FIELDS[name], rest.pop(), argument)


def _value(made: Arguments, name: str, field: str, value: str, argument: str) -> None:
    if field in _LISTS:
        getattr(made, field).append((name, value))
    elif field in _NUMBERS:
        try:
            number = float(value[:20])
        except ValueError:
            number = -1.0
        if not 0 <= number < 1e15:
            raise Misuse(f"option {argument}: expected a proper numerical parameter")
        setattr(made, field, number)
    elif field:
        setattr(made, field, value)
