"""Programs that reach the network: what they send, fetch, and open."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from urllib.parse import unquote

from sandhook.vetting.call import Call
from sandhook.vetting.policy import DROPS, local, sent
from sandhook.vetting.state import PAYLOAD
from sandhook.vetting.values import EMPTY, HOLE, NOTHING, Origin, Origins, Value

Effect = Callable[[Call], "Value | None"]

_URL = re.compile(r"^(?:([a-zA-Z][a-zA-Z0-9+.-]*)://)?(?:[^/@?#]*@)?(\[[^\]]*\]|[^/:?#]+)(?::([^/?#]*))?")
#: The URL of a file, as curl reads it.
_FILE_URL = re.compile(r"(?is)file:(?://(?:localhost|127\.0\.0\.1)?)?(/[^?#]*)")
#: Where the machines of a cloud get their credentials.
METADATA = re.compile(
    r"^(?:169\.254\.169\.254|169\.254\.170\.2|100\.100\.100\.200|\[?fd00:ec2::254\]?|metadata\.google\.internal)$"
)


def host_of(url: str) -> str:
    """Return the host of a URL, "" when it has none that is known."""
    match = _URL.match(url)
    return match.group(2) if match is not None else ""


def reach(call: Call, url: str) -> str:
    """Record a host; return its name."""
    match = _URL.match(url)
    if match is None:
        call.runner.notes.hosts.setdefault("*")
        return HOLE
    scheme, host, port = match.groups()
    number = port or {"http": "80", "ftp": "21", "ssh": "22", "git": "9418"}.get(
        scheme or "", "443" if scheme == "https" or scheme is None else ""
    )
    call.runner.notes.hosts.setdefault(f"{host}:{number}".replace(HOLE, "*").rstrip(":"))
    call.find("V-NETWORK", f"{call.name} {host}")
    if METADATA.match(host):
        call.find("V-READ-SECRET", f"the credentials of the machine from {host}")
    return host


def send_to(call: Call, origins: Origins, host: str, where: Origins = NOTHING) -> None:
    """Report data that goes to a host, whose name has the origins ``where``."""
    for each in sent(origins, host, where):
        call.find(each.rule, each.detail, each.severity)


def _dns(call: Call, host: str, origins: Origins) -> None:
    """Report the look-up of a name that has data in it."""
    kinds = {origin.kind for origin in origins}
    if host == HOLE:  # a whole name is a setting, unless it is a secret
        kinds -= {"file", "machine", "decoded"}
    if (
        (
            kinds & {"payload", "secret", "token", "environment", "transcript", "file", "decoded"}
            and HOLE in host
        )
        or ("machine" in kinds and re.search(HOLE + r".*\.[\w-]+\.[a-zA-Z]{2,}$", host) and not local(host))
        or (
            call.name not in ("curl", "wget", "ping", "http", "xh")
            and HOLE in host
            and re.search(HOLE + r"\.[\w-]+\.", host)
        )
    ):
        call.find("V-DNS", f"looks up {host}")


_DATA = (
    "-d",
    "--data",
    "--data-raw",
    "--data-binary",
    "--data-urlencode",
    "--data-ascii",
    "--json",
    "-F",
    "--form",
    "--form-string",
    "--url-query",
)
_WGET_DATA = ("--post-data", "--body-data")
_FILES = ("-T", "--upload-file", "--post-file", "--body-file")
_VALUES = frozenset(
    [
        "-X",
        "--request",
        "-H",
        "--header",
        "-A",
        "--user-agent",
        "-e",
        "--referer",
        "-u",
        "--user",
        "-m",
        "--max-time",
        "--connect-timeout",
        "--retry",
        "--retry-delay",
        "-w",
        "--write-out",
        "-b",
        "--cookie",
        "-c",
        "--cookie-jar",
        "-x",
        "--proxy",
        "--cacert",
        "--cert",
        "--key",
        "--resolve",
        "-t",
        "--tries",
        "--timeout",
        "--method",
        "-K",
        "--config",
        "--url",
        "--limit-rate",
        "-C",
        "--range",
        "-r",
        "--retry-max-time",
        "--password",
        "--http-user",
        "--proxy-header",
        "--proxy-user",
        "--oauth2-bearer",
        "--netrc-file",
        "-i",
        "--input-file",
    ]
)

_LONG_WITH_ARGUMENT = frozenset(
    each
    for each in (*_DATA, *_WGET_DATA, *_FILES, *_VALUES, "--output", "--output-document")
    if each[:2] == "--"
)

#: The letters of options that have an argument; for wget also the first of those that have two letters.
_WITH_ARGUMENT = {"curl": "AbcCdDeEFHKmoPQrtTuUwxXyYz", "wget": "aABDeiIlnoOPQRtTUwX"}


#: Programs to which operands say what to send.
_WORDY = frozenset({"http", "https", "xh", "xhs"})


def _configured(call: Call) -> None:
    """Add the options that a file of ``-K`` has."""
    for option in call.arguments("-K", "--config"):
        is_input = option.any_text == "-"
        content = (
            call.stdin if is_input else call.runner.content(call.state.path(option.any_text), call.state)
        )
        for text in content.known if content is not None else ():
            for line in text.splitlines():
                name, _, value = line.strip().lstrip("-").partition("=")
                call.words += [Value((f"--{name.strip()}",)), Value((value.strip().strip('"'),))]


def _separate(call: Call) -> None:
    """Write each letter of a group as an option of its own, and its argument as a word: ``-sF x``, ``-qO-``."""
    letters = _WITH_ARGUMENT.get(call.name, "")
    words: list[Value] = []
    rest = iter(call.words)
    for word in rest:
        text = word.any_text
        words.append(word)
        if not letters or text[:1] != "-" or text[1:2] in ("", "-") or len(word.texts) != 1:
            if text in _LONG_WITH_ARGUMENT:
                words += islice(rest, 1)
            continue
        words.pop()
        for index, letter in enumerate(text[1:], 2):
            words.append(Value((f"-{letter}",)))
            if letter in letters:
                words += [Value((text[index:],), word.origins)] if text[index:] else list(islice(rest, 1))
                break
    call.words = words


def _curl(call: Call) -> Value:
    _configured(call)
    _separate(call)
    data: set[Origin] = set()
    headers: set[Origin] = set()
    for value in call.arguments(*_DATA, *_WGET_DATA):
        data |= value.origins | _attached(call, value)
    for value in call.arguments(*_FILES):
        data |= value.origins | (
            call.stdin.origins if value.any_text in ("-", ".") else call.access(value, "read")
        )
    for value in call.arguments(*_VALUES - {"-w", "--write-out"}):
        headers |= value.origins | (_attached(call, value) if value.any_text[:1] == "@" else NOTHING)
    for value in call.arguments("-b", "--cookie"):
        headers |= call.access(value, "read") if "=" not in value.any_text else NOTHING
    urls = _urls(call)
    for option in call.arguments("-i", "--input-file") if call.name in ("wget", "aria2c") else ():
        listed = (
            call.stdin
            if option.any_text == "-"
            else call.runner.content(call.state.path(option.any_text), call.state)
        )
        if listed is not None:
            urls += [
                Value((word,), listed.origins)
                for text in listed.texts
                for word in text.split()
                if "://" in word
            ]
    if call.name in _WORDY:  # METHOD URL NAME=VALUE NAME=@FILE, and standard input
        urls = [word for word in urls if re.search(r"[.:/]", word.any_text.partition("=")[0])][:1]
        for word in call.operands:
            data |= word.origins if word not in urls else NOTHING
            data |= (
                call.access(Value((word.any_text.partition("@")[2],)), "read")
                if re.match(r"[\w.]+:?=?@", word.any_text)
                else NOTHING
            )
        data |= call.stdin.origins
    fetched: set[Origin] = set()
    for url in urls:
        for text in url.texts or (HOLE,):
            if (file := _FILE_URL.match(text)) is not None:
                path = Value((unquote(file[1]),), url.origins)
                fetched |= call.access(path, "write" if call.arguments("-T", "--upload-file") else "read")
                continue
            host = reach(call, text)
            fetched.add(Origin("secret", host) if METADATA.match(host) else Origin("download", host))
            parts = NOTHING if text == HOLE else url.origins  # a whole address is a setting, and no data
            send_to(call, frozenset(data) | parts | headers, host, url.origins)
            _dns(call, host, parts)
            if DROPS.search(host):
                call.find("V-NETWORK", f"{call.name} {host}", "medium")
    if not urls and call.arguments("-K", "--config"):
        call.runner.notes.hosts.setdefault("*")
    return _fetched(call, frozenset(fetched))


def _attached(call: Call, value: Value) -> Origins:
    """Return the origins of files in an option such as ``-d @file`` or ``-F name=@file``."""
    origins: Origins = NOTHING
    for text in value.texts:
        match = re.search(r"(?:^|=|^[\w.-]+)[@<](.+)$", text, re.DOTALL)
        if match is None:
            continue
        name = match.group(1).partition(";")[0]
        origins |= call.stdin.origins if name == "-" else call.access(Value((name,), value.origins), "read")
    return origins


def _urls(call: Call) -> list[Value]:
    """Return the operands of curl and wget, and what ``--url`` names."""
    letters = _WITH_ARGUMENT.get(call.name, "")
    options = {*_LONG_WITH_ARGUMENT, *(f"-{letter}" for letter in letters)}
    if not letters:
        options |= {*_DATA, *_FILES, *_VALUES, "-o", "-P"}
    urls = call.arguments("--url")
    skip = False
    for word in call.words:
        text = word.any_text
        if skip:
            skip = False
        elif text in options:
            skip = True
        elif (
            text[:1] == "-"
            and text[1:2] != "-"
            and len(text) > 2
            and f"-{text[-1]}" in options
            and not any(text.startswith(each) for each in ("-d", "-H", "-F", "-X", "-T", "-u"))
        ):
            skip = True  # -sSLo FILE
        elif text[:1] != "-" and text:
            urls.append(word)
    return urls


def _fetched(call: Call, origins: Origins) -> Value:
    content = Value((HOLE,), origins)
    targets = call.arguments("-o", "--output", "--output-document")
    if call.name == "wget":
        targets = call.arguments("-O", "--output-document") or _group(call, "O")
        to_stdout = any(target.any_text == "-" for target in targets)
    else:
        targets = targets or _group(call, "o")
        to_stdout = not targets and not call.has("-O", "--remote-name")
    for target in targets:
        if target.any_text not in ("-", "/dev/null"):
            call.writes(target, content)
            call.runner.stored(content, target, call)
            call.find("V-DOWNLOAD", f"{call.name} to {target.any_text}")
    if not targets and not to_stdout:
        for url in _urls(call):
            name = url.any_text.rpartition("/")[2].partition("?")[0]
            directory = call.argument(
                "-P", "--directory-prefix", "--output-dir", "-d" if call.name == "aria2c" else "--dir"
            )
            if name and directory is not None:
                name = f"{directory.any_text}/{name}"
            if name:
                call.writes(Value((name,), url.origins), content)
                call.find("V-DOWNLOAD", f"{call.name} to {name}")
    return content if to_stdout else EMPTY


def _group(call: Call, letter: str) -> list[Value]:
    """Return the argument of a letter at the end of a group: ``-sSLo FILE``, ``-qO- URL``."""
    for index, word in enumerate(call.words):
        text = word.any_text
        if re.fullmatch(rf"-[a-zA-Z]*{letter}-?", text):
            if text[-1] == "-":
                return [Value(("-",))]
            return [call.words[index + 1]] if index + 1 < len(call.words) else []
    return []


def _netcat(call: Call) -> Value:
    hosts = [word for word in call.operands if not word.any_text.isdecimal()]
    host = hosts[0].any_text if hosts else HOLE
    if call.has("-z") and not call.has("-e", "-c"):
        call.runner.notes.hosts.setdefault(host.replace(HOLE, "*"))
        return EMPTY
    if call.has("-l", "--listen"):
        call.find("V-TUNNEL")
    elif call.has("-e", "-c", "--exec", "--sh-exec"):
        call.find("V-SOCKET")
    elif hosts:
        reach(call, f"tcp://{host}")
        send_to(call, call.stdin.origins | call.origins, host)
    return Value((HOLE,), frozenset({Origin("download", host)}))


def _socat(call: Call) -> Value:
    line = call.line
    if re.search(r"EXEC|SYSTEM|SHELL", line, re.IGNORECASE):
        call.find("V-SOCKET")
    elif re.search(r"LISTEN", line, re.IGNORECASE):
        call.find("V-TUNNEL")
    else:
        match = re.search(r"(?:TCP|TCP4|OPENSSL|UDP)[^:]*:([^:,\s]+)", line, re.IGNORECASE)
        host = match.group(1) if match else HOLE
        reach(call, f"tcp://{host}")
        send_to(call, call.stdin.origins | call.origins, host)
    return Value((HOLE,), frozenset({Origin("download")}))


def _lookup(call: Call) -> Value:
    for word in call.operands:
        text = word.any_text
        if text[:1] in ("@", "+") or text.isupper():
            continue
        for each in word.texts:
            call.runner.notes.hosts.setdefault(each.replace(HOLE, "*"))
            _dns(
                call,
                each,
                word.origins
                | (
                    call.stdin.origins
                    if HOLE in each and call.stdin.text is None and not word.origins
                    else NOTHING
                ),
            )
    return Value((HOLE,), frozenset({Origin("download", "a name server")}))


def _ping(call: Call) -> Value:
    pattern = call.argument("-p")
    if pattern is not None and (pattern.origins or HOLE in pattern.any_text):
        call.find("V-DNS", call.line)
    for word in call.operands[-1:]:
        call.runner.notes.hosts.setdefault(word.any_text.replace(HOLE, "*"))
        _dns(call, word.any_text, word.origins)
    return Value((HOLE,))


def _ssh(call: Call) -> Value:
    if call.has("-R", "-w", "-D"):
        call.find("V-TUNNEL")
    hosts = [
        word for word in call.operands if "@" in word.any_text or "." in word.any_text or ":" in word.any_text
    ]
    host = (hosts[0].any_text if hosts else HOLE).rpartition("@")[2].partition(":")[0]
    reach(call, f"ssh://{host}")
    for word in call.operands:
        listed = [
            each.name
            for each in word.origins
            if (each.kind == "file" and re.search(r"\.ssh/|^/etc/|history|inventory", each.name))
            or (each.kind in ("machine", "secret") and each.name != "the user")
        ]
        if listed and HOLE in word.any_text:
            call.find("V-LOGIN", f"logs in to the hosts of {', '.join(sorted(listed))}")
    if call.name in ("scp", "sftp"):
        remote = [word for word in call.operands if ":" in word.any_text]
        sources = [word for word in call.operands if ":" not in word.any_text]
        if remote and sources and call.operands[-1:] == sources[-1:]:
            call.writes(sources[-1], Value((HOLE,), frozenset({Origin("download", host)})))
        if remote and call.operands[-1:] == remote[-1:]:
            send_to(call, call.reads(sources), host)
        for put in _PUT.findall("\n".join(call.stdin.texts)) if call.name == "sftp" else ():
            send_to(call, call.access(Value((put,)), "read") | call.stdin.origins, host)
        return EMPTY
    if call.stdin is not PAYLOAD or re.search(r"\bcat\b|\btee\b|\bdd\b|>", " ".join(call.texts[-1:])):
        send_to(call, call.stdin.origins, host)
    return Value((HOLE,), frozenset({Origin("download", host)}))


#: A file that the commands of sftp send.
_PUT = re.compile(r"^[ \t]*m?put[ \t]+(?:-\w+[ \t]+)*(\S+)", re.MULTILINE)


def _tunnel(call: Call) -> Value:
    call.find("V-TUNNEL")
    return Value((HOLE,))


def urls_of(values: Iterable[Value]) -> list[str]:
    """Return the words that are URLs of another machine."""
    return [
        text
        for value in values
        for text in value.texts
        if "://" in text or re.match(r"^[\w.-]+@[\w.-]+:", text)
    ]


def sends(call: Call, origins: Origins, host: str) -> None:
    """Report data that goes to a host."""
    reach(call, f"https://{host}")
    send_to(call, origins, host)


EFFECTS: Mapping[str, Effect] = {
    **dict.fromkeys(
        ("curl", "wget", "http", "https", "xh", "xhs", "fetch", "lwp-request", "aria2c", "axel"), _curl
    ),
    **dict.fromkeys(("nc", "ncat", "netcat", "telnet"), _netcat),
    "socat": _socat,
    **dict.fromkeys(("dig", "nslookup", "host", "drill", "resolvectl", "dscacheutil", "getent"), _lookup),
    **dict.fromkeys(("ping", "ping6", "traceroute", "fping"), _ping),
    **dict.fromkeys(("ssh", "scp", "sftp", "autossh"), _ssh),
    **dict.fromkeys(
        (
            "ngrok",
            "cloudflared",
            "bore",
            "localtunnel",
            "lt",
            "frpc",
            "chisel",
            "tailscale",
            "ttyd",
            "gotty",
            "sshd",
            "dropbear",
            "x11vnc",
            "vncserver",
            "wstunnel",
            "gost",
            "zrok",
            "pagekite",
            "tor",
        ),
        _tunnel,
    ),
}
