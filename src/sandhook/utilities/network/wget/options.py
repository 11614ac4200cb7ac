"""The options of wget."""

from __future__ import annotations

from sandhook.command.options import UsageError, opt, option_set

_AGENT = "Wget/1.21.3"
_MOST_TRIES = 20


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
    input: str | None = opt("-i", "--input-file", "FILE", "read URLs from FILE, one a line")
    base: str | None = opt("-B", "--base", "URL", "what URLs of -i are relative to")
    go_on: bool = opt("-c", "--continue", help="go on where a file ends")
    start: str | None = opt("--start-pos", "OFFSET", "begin at OFFSET")
    newer: bool = opt("-N", "--timestamping", help="fetch only what is newer than the file")
    own_time: bool = opt("--no-use-server-timestamps", help="do not give files the time of the answer")
    log: str | None = opt("-o", "--output-file", "FILE", "write messages to FILE")
    log_more: str | None = opt("-a", "--append-output", "FILE", "append messages to FILE")
    disposition: bool = opt("--content-disposition", help="take names from answers")
    directories: bool = opt("-x", "--force-directories", help="make directories as in the URL")
    no_host: bool = opt("--no-host-directories", help="-nH: none for the host")
    load: str | None = opt("--load-cookies", "FILE", "read cookies")
    save: str | None = opt("--save-cookies", "FILE", "write cookies")
    sessions: bool = opt("--keep-session-cookies", help="those of the session, too")
    no_cookies: bool = opt("--no-cookies", help="send and keep no cookies")
    compression: str = opt("--compression", "TYPE", "auto, gzip or none", default="none")
    page: str = opt("--default-page", "NAME", "the file of a URL without a name", default="index.html")
    delete: bool = opt("--delete-after", help="remove files that were fetched")
    refused: bool = opt("--retry-connrefused", help="try again when nobody answers")
    ignored: bool = opt(
        "-4",
        "-6",
        "--inet4-only",
        "--inet6-only",
        "--no-cache",
        "--no-directories",
        "--no-dns-cache",
        "--no-glob",
        "--no-hsts",
        "--no-http-keep-alive",
        "--no-iri",
        "--no-netrc",
        "--no-parent",
        "--no-proxy",
        "--random-wait",
        "--show-progress",
        "--unlink",
        "--verbose",
        "-v",
        ignored="there is nothing to do",
    )
    ignored_value: str | None = opt(
        "--connect-timeout",
        "--dns-timeout",
        "--limit-rate",
        "--progress",
        "--prefer-family",
        "--read-timeout",
        "--restrict-file-names",
        "-w",
        "--wait",
        "--waitretry",
        "VALUE",
        ignored="-T bounds all times",
    )
