"""Programs of other languages in a hook, by the powers that they use together.

They are not parsed: the names of functions and the texts in them are searched. So a finding needs a combination
that has no harmless use, for example a socket and a shell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sandhook.vetting.places import places_of
from sandhook.vetting.program import READS_INPUT, Power, combined
from sandhook.vetting.rules import RuleId

_POWERS: tuple[tuple[Power, re.Pattern[str]], ...] = (
    ("run", re.compile(r"\bsubprocess\b|\bos\.(?:system|popen|exec\w*|spawn\w*)|child_process|\bexecSync\b|\bspawn(?:Sync)?\b|\bpty\b|\bsystem\s*[(\s'\"$]|\bqx\b|\bpopen\b|`[^`]+`|shell_exec|passthru|proc_open|do shell script|Process\.run|IO\.popen|Open3|Invoke-Expression|\bexec\s+['\"{]")),
    ("evaluate", re.compile(r"\beval\s*[({$'\"]|\beval\b|(?<![.\w])exec\s*\(|new Function\s*\(|\bvm\.run|(?<![.\w])compile\s*\(|__import__\s*\(|\bmarshal\.loads|pickle\.loads|instance_eval|\bloadstring\b|(?<![.\w])load\s*\(|assert\s*\(\s*\$")),
    ("fetch", re.compile(r"urllib|urlopen|\brequests\b|http\.client|httpx|aiohttp|https?['\"]?\)?\.(?:get|request)|\bfetch\s*\(|axios|LWP|HTTP::Tiny|Net::HTTP|open-uri|file_get_contents\s*\(\s*['\"]https?|curl_exec|XMLHTTP|Invoke-WebRequest|DownloadString|require\(['\"]https?['\"]\)|node:https?|(?:curl|wget)\s[^'\"\n]*https?://")),
    ("decode", re.compile(r"base64_decode|b64decode|b32decode|a85decode|base64[\"')]|decode64|unpack\(?\s*['\"]?[mHu]|pack\s*(?:\(\s*)?['\"]H|unhexlify|fromhex|codecs\.decode|zlib\.decompress|lzma\.decompress|bz2\.decompress|atob\s*\(|fromCharCode|decodeURIComponent|gzinflate|str_rot13|inflateSync|gunzipSync|chr\s*\(|\[::-1\]|\.reverse\(\)")),
    ("socket", re.compile(r"\bsocket\b|net\.(?:connect|createConnection|Socket)|IO::Socket|TCPSocket|fsockopen|require\(['\"](?:node:)?net['\"]\)")),
    ("shell", re.compile(r"/bin/(?:ba|z|da)?sh|cmd\.exe|powershell|['\"](?:ba|z)?sh['\"]")),
    ("duplicate", re.compile(r"dup2|pty\.spawn|STDIN->fdopen|>&|fileno\(\)|pipe\(")),
    ("environment", re.compile(r"os\.environ(?!\s*(?:\[|\.get))|dict\(os\.environ|JSON\.stringify\(process\.env\)|process\.env(?!\s*[.\[])|ENV\.to_h|%ENV|getenv\(\)")),
    ("delete", re.compile(r"rmtree|rmSync|rm_rf|rimraf|remove_tree|unlinkSync|FileUtils\.rm")),
    ("write", re.compile(r"open\s*\((?:[^()\n]|\([^()\n]{0,80}\)){0,200}['\"][wa]b?\+?['\"]|write_text|writeFile|appendFile|File\.write|>>|file_put_contents|open\s*\([^)]*>")),
    ("listen", re.compile(r"\.listen\s*\(|\.bind\s*\(|http\.server|SimpleHTTPServer|createServer|TCPServer")),
    ("send", re.compile(r"\.sendall\s*\(|\.request\s*\(\s*['\"](?:POST|PUT)|\.send\s*\(|\.post\s*\(|data\s*=|method\s*[:=]\s*['\"]POST|\.write\s*\(|gethostby|getaddrinfo|dns\.resolve|dns\.lookup|urlopen|\?\w*=")),
)  # fmt: skip

_STRING = re.compile(r"""'([^'\n]{1,300})'|"([^"\n]{1,300})"|`([^`]{1,300})`""")
#: The home directory in a text that a program expands.
_AT_HOME = re.compile(
    r"(?:\$ENV\{[\"']?HOME[\"']?\}|\$\{?HOME\}?|\$\{(?:os\.)?homedir\(\)\}|\{home\}|\$\{home\}|#\{(?:Dir\.home|ENV\[.HOME.\])\}|\$home)/"
)
_HOME = re.compile(
    r"expanduser\(|Path\.home\(\)|os\.homedir\(\)|homedir\(\)|Dir\.home|\$ENV\{HOME\}|process\.env\.HOME|environ\[['\"]HOME|ENV\[['\"]HOME"
)
_WHOLE = re.compile(
    r"(?:rmtree|rmSync|remove_tree|rm_rf|rimraf)[^;\n]*(?:expanduser\(['\"]~/?['\"]\)|Path\.home\(\)\s*[,)]|Dir\.home\s*[,)]|homedir\(\)\s*[,)]|['\"][/~.]['\"]|ENV\{HOME\})"
)


_FORKS = re.compile(
    r"\bfork\b\s{0,9}(?:\(\))?\s{1,9}while\b|\bwhile\b\s{0,9}\(?\s{0,9}(?:1|[Tt]rue)\s{0,9}\)?.{0,60}?\bfork\b|\bloop\s*\{\s*fork"
)

#: A call that executes what another call in it fetches.
_RUNS_FETCHED = re.compile(
    r"(?:\bsystem|\bpopen|\bexec\w*|\bassert|\beval|subprocess\.\w+|\bspawn\w*|shell_exec|passthru)\s*\(?[^;\n]{0,80}"
    r"(?:file_get_contents\s*\(\s*['\"]https?|urlopen\s*\(|requests\.get\s*\(|URI\.open|fetch\s*\()"
)

#: A file is stored from the network, or becomes executable.
_EXECUTABLE = re.compile(r"\bchmod\b|0o?7[0-7]5|urlretrieve|getstore|S_IX|copy_stream")


def powers_of(text: str) -> frozenset[Power]:
    """Return the powers that a program uses."""
    return frozenset(power for power, pattern in _POWERS if pattern.search(text))


def findings_in(text: str) -> Iterator[tuple[RuleId, str]]:
    """Yield what a program of another language does that matters: the rule and the detail."""
    powers = powers_of(text)
    if "socket" in powers and (powers & {"duplicate", "shell"} or (powers >= {"run"})):
        yield "V-SOCKET", "a program connects a shell or its commands to a socket"
    if "fetch" in powers and powers & {"evaluate"}:
        yield "V-CODE", "a program evaluates what it fetches"
    if _RUNS_FETCHED.search(text) or ({"fetch", "run"} <= powers and _EXECUTABLE.search(text)):
        yield "V-CODE", "a program executes what it fetches"
    if "decode" in powers and (powers & {"evaluate"} or ("run" in powers and _long_text(text))):
        yield "V-CODE", "a program executes what it decodes"
    if powers & {"fetch", "socket"} and "environment" in powers:
        yield "V-SEND-SECRET", "a program sends the whole environment"
    if "listen" in powers and powers & {"run", "evaluate", "socket"} and "evaluate" in powers | {"run"}:
        yield "V-TUNNEL", "a program listens for connections"
    if _FORKS.search(text):
        yield "V-EXHAUST", "a program starts itself without end"
    if _WHOLE.search(text):
        yield "V-DELETE", "a program deletes a whole tree"
    yield from _paths(text, powers)
    yield from combined(text, powers)


def evaluates_input(text: str) -> bool:
    """Return True for a program that evaluates or runs something and reads its input."""
    return bool(powers_of(text) & {"evaluate", "run"}) and READS_INPUT.search(text) is not None


def _long_text(text: str) -> bool:
    """Return whether a program has a text that looks encoded."""
    return bool(re.search(r"[A-Za-z0-9+/=]{24,}|(?:\\x[0-9a-f]{2}){6,}|(?:\d{2,3}\s*,\s*){6,}", text))


def _paths(text: str, powers: frozenset[Power]) -> Iterator[tuple[RuleId, str]]:
    """Yield the paths in a program's texts that matter for its powers."""
    at_home = bool(_HOME.search(text)) or "~" in text
    strings = [_AT_HOME.sub("~/", next(filter(None, match))) for match in _STRING.findall(text)]
    words = [word for each in strings for word in (each.split() if "~/" in each else [each])]
    for index, word in enumerate(words):
        if re.search(r"\s", word.strip()) or len(word) < 4:
            continue
        candidates = [word, "/".join(words[max(0, index - 1) : index + 1])]
        for each in candidates:
            path = each if each.startswith(("/", "~", ".")) and each[:2] != ".s" else f"~/{each}"
            path = f"~/{each}" if at_home and each[:1] not in ("~", "/") else path
            read = places_of(path, "read")
            if (
                read is not None
                and read.rule == "V-READ-ENV-FILE"
                and "send" in powers
                and powers & {"fetch", "socket"}
            ):
                yield "V-SEND-SECRET", f"a program sends {path}"
                break
            if read is not None and read.rule == "V-READ-SECRET":
                sends = powers & {"fetch", "socket", "run"}
                yield ("V-SEND-SECRET" if sends else "V-READ-SECRET"), f"a program reads {path}"
                break
            written = places_of(path, "write") if powers & {"write"} else None
            if written is not None and written.rule not in ("V-SYSTEM", "V-INSTRUCTIONS"):
                yield written.rule, f"a program writes {path}"
                break
