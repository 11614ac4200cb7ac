"""The options of wget."""

from __future__ import annotations

from sandhook.command.options import VERSION, UsageError, opt, option_set

_AGENT = "Wget/1.21.3"
_MAX_TRIES = 20


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
        return _MAX_TRIES
    if not (text.isascii() and text.isdigit()):
        raise UsageError(f"--tries: Invalid number '{text}'.", hint=False)
    return min(int(text[:6]) or _MAX_TRIES, _MAX_TRIES)


@option_set
class Options:
    """wget [OPTION]... URL...

    Fetch each URL into a file named after its last component, if the host allows it.
    """

    quiet: bool = opt("-q", "--quiet", help="print no messages")
    terse: bool = opt("--no-verbose", help="-nv: print little")
    output: str | None = opt(
        "-O", "--output-document", "FILE", "write everything to FILE; - is standard output"
    )
    prefix: str | None = opt("-P", "--directory-prefix", "DIR", "the directory of files")
    server: bool = opt("-S", "--server-response", help="print response headers")
    headers: tuple[str, ...] = opt("--header", "LINE", "send a header", append=True)
    agent: str = opt("-U", "--user-agent", "TEXT", "the header User-Agent", default=_AGENT)
    referer: str | None = opt("--referer", "URL", "the header Referer")
    user: str | None = opt("--user", "--http-user", "NAME", "basic authorization")
    password: str | None = opt("--password", "--http-password", "TEXT", "its password")
    auth_first: bool = opt("--auth-no-challenge", help="send authorization with the first request")
    post_data: str | None = opt("--post-data", "TEXT", "send TEXT by POST")
    post_file: str | None = opt("--post-file", "FILE", "send a file by POST")
    body_data: str | None = opt("--body-data", "TEXT", "send TEXT by the method of --method")
    body_file: str | None = opt("--body-file", "FILE", "send a file by the method of --method")
    method: str | None = opt("--method", "METHOD", "the method")
    timeout: float = opt(
        "-T", "--timeout", "SECONDS", "the time limit of one attempt (900)", convert=_seconds, default=900.0
    )
    tries: int = opt("-t", "--tries", "N", "the number of attempts (20)", convert=_tries, default=_MAX_TRIES)
    redirects: str = opt("--max-redirect", "N", "the greatest number of redirects (20)", default="20")
    spider: bool = opt("--spider", help="only check whether the URL exists")
    no_clobber: bool = opt("--no-clobber", help="-nc: keep existing files")
    on_error: bool = opt("--content-on-error", help="keep the response of an error, too")
    no_check_certificate: bool = opt(
        "--no-check-certificate", help="an error: certificates are always checked (L-WGET-001)"
    )
    input: str | None = opt("-i", "--input-file", "FILE", "read URLs from FILE, one a line")
    base: str | None = opt("-B", "--base", "URL", "the base of relative URLs in the file of -i")
    resume: bool = opt("-c", "--continue", help="continue at the end of an existing file")
    start: str | None = opt("--start-pos", "OFFSET", "begin at OFFSET")
    newer: bool = opt("-N", "--timestamping", help="fetch only if newer than the existing file")
    local_time: bool = opt(
        "--no-use-server-timestamps", help="do not set the time of files to that of the response"
    )
    log: str | None = opt("-o", "--output-file", "FILE", "write messages to FILE")
    log_more: str | None = opt("-a", "--append-output", "FILE", "append messages to FILE")
    disposition: bool = opt("--content-disposition", help="use the file name in the response")
    directories: bool = opt("-x", "--force-directories", help="create the directories of the URL")
    no_host: bool = opt("--no-host-directories", help="-nH: no directory for the host")
    load: str | None = opt("--load-cookies", "FILE", "read cookies")
    save: str | None = opt("--save-cookies", "FILE", "write cookies")
    sessions: bool = opt("--keep-session-cookies", help="write session cookies, too")
    no_cookies: bool = opt("--no-cookies", help="neither send nor store cookies")
    compression: str = opt("--compression", "TYPE", "auto, gzip or none", default="none")
    page: str = opt("--default-page", "NAME", "the file of a URL without a name", default="index.html")
    delete: bool = opt("--delete-after", help="remove files after fetching them")
    refused: bool = opt("--retry-connrefused", help="retry after a refused connection")
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
        ignored="has no effect here",
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
        ignored="-T limits the whole attempt",
    )
    version: bool = opt("-V", help="show the version", const=VERSION)
