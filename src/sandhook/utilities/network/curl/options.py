"""The options of curl: those with an effect, those without one, and the names of unsupported ones."""

from __future__ import annotations

from sandhook.command.options import also, opt, option_set


@option_set
class Options:
    """curl [OPTION]... URL...

    Transfer data from or to each URL, if the host allows it.
    """

    silent: bool = opt("-s", "--silent", help="print no messages")
    show_error: bool = opt("-S", "--show-error", help="print messages of errors with -s, too")
    fail: bool = opt("-f", "--fail", help="status 22 for a response of 400 and above")
    fail_with_body: bool = opt("--fail-with-body", help="like -f, but print the response")
    fail_early: bool = opt("--fail-early", help="stop at the first URL that fails")
    follow: bool = opt("-L", "--location", help="follow redirects, at most --max-redirs N")
    max_redirects: str = opt("--max-redirs", "N", "redirects that -L follows")
    post301: bool = opt("--post301", help="keep the method after a response of 301")
    post302: bool = opt("--post302", help="keep the method after a response of 302")
    post303: bool = opt("--post303", help="keep the method after a response of 303")
    outputs: str = also(
        opt("-o", "--output", "FILE", "write to FILE"),
        opt("-O", "--remote-name", help="write to the last name of the URL"),
    )
    remote_name_all: bool = opt("--remote-name-all", help="-O for every URL")
    header_name: bool = opt("-J", "--remote-header-name", help="-O uses the name in the response")
    output_dir: str = opt("--output-dir", "DIR", "the directory of these files")
    create_dirs: bool = opt("--create-dirs", help="create missing directories of output files")
    clobber: bool = opt("--clobber", help="overwrite output files; --no-clobber uses another name")
    remove_on_error: bool = opt("--remove-on-error", help="remove an incomplete output file")
    remote_time: bool = opt("-R", "--remote-time", help="set the time of files to that of the response")
    method: str = opt("-X", "--request", "METHOD", "the method")
    data: str = also(
        opt("-d", "--data", "DATA", "the body; @FILE reads it"),
        opt("--data-ascii", "DATA", "like -d"),
        opt("--data-raw", "DATA", "like -d, but @ is literal"),
        opt("--data-binary", "DATA", "like -d, but newlines of a file are kept"),
        opt("--data-urlencode", "DATA", "like -d, encoded for a form"),
        opt("--json", "DATA", "like --data-binary, with headers for JSON"),
    )
    form: str = also(
        opt("-F", "--form", "NAME=VALUE", "a part of a form; @FILE uploads, <FILE reads"),
        opt("--form-string", "NAME=VALUE", "a literal part of a form"),
    )
    upload: str = opt("-T", "--upload-file", "FILE", "PUT a file")
    headers: str = opt("-H", "--header", "LINE", "a header; without a value it is removed")
    user: str = opt("-u", "--user", "NAME:PASSWORD", "basic authorization")
    bearer: str = opt("--oauth2-bearer", "TOKEN", "authorization by a token")
    agent: str = opt("-A", "--user-agent", "TEXT", "the header User-Agent")
    referer: str = opt("-e", "--referer", "TEXT", "the header Referer")
    cookies: str = opt("-b", "--cookie", "DATA|FILE", "send cookies")
    jar: str = opt("-c", "--cookie-jar", "FILE", "write cookies")
    junk_session: bool = opt("-j", "--junk-session-cookies", help="ignore session cookies of files")
    get: bool = opt("-G", "--get", help="data is the query")
    head: bool = opt("-I", "--head", help="request only the headers")
    include: bool = opt("-i", "--include", help="print response headers, too")
    dump_header: str = opt("-D", "--dump-header", "FILE", "write response headers to FILE")
    verbose: bool = opt("-v", "--verbose", help="print all headers to standard error")
    stderr: str = opt("--stderr", "FILE", "write messages to FILE")
    write_out: str = opt("-w", "--write-out", "FORMAT", "print facts afterwards")
    max_time: str = opt("-m", "--max-time", "SECONDS", "the time limit of a transfer")
    connect_timeout: str = opt("--connect-timeout", "SECONDS", "the time limit of a connection attempt")
    retry: str = opt("--retry", "N", "retry up to N times after transient errors")
    retry_delay: str = opt("--retry-delay", "SECONDS", "the time between retries")
    retry_max_time: str = opt("--retry-max-time", "SECONDS", "begin no retry after this time")
    retry_refused: bool = opt("--retry-connrefused", help="retry after a refused connection, too")
    retry_all: bool = opt("--retry-all-errors", help="retry after any error")
    max_size: str = opt("--max-filesize", "BYTES", "the size limit of a response")
    range: str = opt("-r", "--range", "RANGE", "a part of the file")
    continue_at: str = opt("-C", "--continue-at", "OFFSET", "continue at OFFSET; - at the end of the file")
    time_condition: str = opt(
        "-z", "--time-cond", "DATE|FILE", "only if newer; with - before it, only if older"
    )
    urls: str = opt("--url", "URL", "a URL")
    url_query: str = opt("--url-query", "DATA", "a part of the query")
    plain_url: bool = opt("-g", "--globoff", help="brackets and braces of URLs are literal")
    compressed: bool = opt("--compressed", help="request a compressed response, and decompress it")
    as_is: bool = opt("--path-as-is", help="an error for a path with . or ..")
    config: str = opt("-K", "--config", "FILE", "read options from FILE")
    next: bool = opt("-:", "--next", help="the following options apply to further URLs")
    inform: str = also(
        opt("-h", "--help", help="print this help", const="help"),
        opt("-V", "--version", help="print the version", const="version"),
    )
    without_effect: bool = also(
        opt("-N", "--no-buffer", ignored="output is not buffered"),
        opt("-#", "--progress-bar", ignored="there is no progress"),
        opt("--no-progress-meter", "--progress-meter", ignored="there is no progress"),
        opt("-4", "--ipv4", "-6", "--ipv6", ignored="the host checks and selects addresses"),
        opt("-0", "--http1.0", "--http1.1", "--http2", "--http2-prior-knowledge", ignored="HTTP is 1.1"),
        opt("-1", "--tlsv1", "--tlsv1.2", "--tlsv1.3", "--ssl", "--ssl-reqd", ignored="TLS is Python's"),
        opt("-q", "--disable", ignored="no file of options is read by default"),
        opt("--no-keepalive", "--keepalive", "--tcp-nodelay", "--tcp-fastopen", ignored=""),
        opt("--no-sessionid", "--sessionid", "--buffer", "--styled-output", "--raw", ignored=""),
        opt("-a", "--append", ignored="for FTP"),
        opt("--basic", ignored="the default"),
        opt("-Z", "--parallel", "--parallel-immediate", ignored="one transfer runs at a time"),
        opt("--disallow-username-in-url", ignored=""),
    )
    protocols: str = opt("--proto", "PROTOCOLS", "the protocols of URLs, such as =https")
    redirect_protocols: str = opt("--proto-redir", "PROTOCOLS", "the protocols of redirects")
    default_protocol: str = opt("--proto-default", "PROTOCOL", "the protocol of a URL without one")
    value_without_effect: str = also(
        opt("--keepalive-time", "--expect100-timeout", "--happy-eyeballs-timeout-ms", "TIME", ignored=""),
        opt("--limit-rate", "--rate", "-Y", "--speed-limit", "-y", "--speed-time", "RATE", ignored=""),
        opt("--parallel-max", "N", ignored="one transfer runs at a time"),
        opt("--noproxy", "HOSTS", ignored="there is no proxy"),
        opt("--create-file-mode", "MODE", ignored="for SFTP"),
    )


#: Options that would bypass checks, or need unsupported features: letter or "", and name.
UNSUPPORTED = (
    ("k", "insecure"), ("x", "proxy"), ("E", "cert"), ("", "key"), ("", "cacert"), ("", "capath"),
    ("U", "proxy-user"), ("", "socks5"), ("", "socks4"), ("", "socks5-hostname"), ("", "preproxy"), ("", "unix-socket"),
    ("", "abstract-unix-socket"), ("", "interface"), ("", "resolve"), ("", "connect-to"), ("", "local-port"), ("", "doh-url"),
    ("n", "netrc"), ("", "netrc-file"), ("", "netrc-optional"), ("", "anyauth"), ("", "digest"), ("", "ntlm"), ("", "negotiate"),
    ("", "trace"), ("", "trace-ascii"), ("", "ftp-pasv"), ("Q", "quote"), ("", "mail-from"), ("t", "telnet-option"),
    ("", "http3"), ("", "http0.9"), ("", "tr-encoding"), ("", "libcurl"), ("", "engine"), ("", "crlfile"),
    ("", "location-trusted"), ("p", "proxytunnel"), ("P", "ftp-port"), ("B", "use-ascii"), ("M", "manual"), ("l", "list-only"),
    ("2", "sslv2"), ("3", "sslv3"),
)  # fmt: skip
