"""What commands do: a table from the name of a program to the function that reports its effects.

A function returns the output of its command, or None where the rule for all commands computes it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from sandhook.vetting.call import Call
from sandhook.vetting.effects import (
    archives,
    asking,
    copies,
    disks,
    embedded,
    files,
    finding,
    git,
    network,
    objects,
    other,
    programs,
    shell,
    system,
    tools,
    writers,
)
from sandhook.vetting.effects.copies import rsync_to
from sandhook.vetting.policy import sent
from sandhook.vetting.values import HOLE, NOTHING, Value

EFFECTS: Mapping[str, Callable[[Call], Value | None]] = {
    **other.EFFECTS,
    **files.EFFECTS,
    **programs.EFFECTS,
    **network.EFFECTS,
    **objects.EFFECTS,
    **system.EFFECTS,
    **archives.EFFECTS,
    **asking.EFFECTS,
    **disks.EFFECTS,
    **copies.EFFECTS,
    **finding.EFFECTS,
    **git.EFFECTS,
    **tools.EFFECTS,
    **shell.EFFECTS,
    **writers.EFFECTS,
}


def finish(call: Call, output: Value) -> Value:
    """Report what concerns any command once its output is known, and return the output."""
    if call.name == "rsync":
        rsync_to(call)
    other.report(call)
    embedded.report(call)
    writers.outputs(call)
    if call.name in ("echo", "printf", "jq", "cat"):
        _addresses(call)
    if call.name in _CONNECTING:
        for word in call.words:
            if any(_DATA_IN_NAME.search(text) for text in word.texts) and any(
                o.kind in _PRIVATE - {"machine"} for o in word.origins
            ):
                call.find("V-DNS", f"looks up {word.any_text}")
    if call.name in ("xargs", "parallel") and "endless" in call.stdin.names("mixed"):
        call.find("V-EXHAUST")
    if _MINES.search(f" {call.line} "):
        call.find("V-EXHAUST", call.line)
    if call.name in _ENDING or (call.name in ("od", "hexdump", "xxd") and call.has("-N", "-n", "-l")):
        return Value(output.texts, frozenset(each for each in output.origins if each.name != "endless"))
    if "endless" in (
        *call.stdin.names("mixed"),
        *(n for word in call.words for n in word.names("mixed")),
    ) and (call.name in _READS_ALL or call.name in ("tee", "dd")):
        call.find("V-EXHAUST")
    if call.name in _READS_ALL and "endless" in output.names("mixed"):
        call.find("V-EXHAUST")
    return output


def _addresses(call: Call) -> None:
    """Report an address with a secret in what a command prints: whoever shows the text opens it."""
    reads = call.name == "jq" or (call.name == "cat" and not call.words)
    origins = call.origins | (call.stdin.origins if reads else NOTHING)
    if not any(origin.kind in _PRIVATE for origin in origins):
        return
    texts = [*call.texts, *call.stdin.texts] if call.name == "cat" else call.texts
    texts = [_INSERTED.sub(HOLE, text) for text in texts] if call.name == "jq" else texts
    for text in texts:
        shown = _IMAGE.search(text) is not None
        for host in dict.fromkeys(_ADDRESS.findall(text)):
            for each in sent(origins, host, NOTHING):
                if each.rule in ("V-SEND-SECRET", "V-SEND-TOKEN") or (shown and each.severity == "high"):
                    call.find(each.rule, f"{each.detail}, in an address that it prints", each.severity)


_PRIVATE = frozenset({"secret", "environment", "token", "transcript", "payload", "file", "machine"})

#: What a client loads as soon as it shows a text.
_IMAGE = re.compile(r"!\[[^\]\n]*\]\(|<(?:img|iframe|link|script)\b", re.IGNORECASE)

#: What jq inserts into a text.
_INSERTED = re.compile(r"\\\([^)\n]*\)+")


#: Programs that look up the names among their words.
_CONNECTING = frozenset(
    [
        "ssh",
        "nc",
        "ncat",
        "telnet",
        "openssl",
        "ntpdate",
        "sntp",
        "systemd-resolve",
        "avahi-resolve",
        "mtr",
        "traceroute",
        "whois",
        "finger",
        "ftp",
        "rsync",
        "socat",
        "dog",
        "doggo",
        "kdig",
        "delv",
        "q",
        "git",
        "npm",
        "pip",
        "docker",
    ]
)
_DATA_IN_NAME = re.compile(rf"{HOLE}[\w.-]*\.[\w-]+\.[a-z]{{2,}}(?::\d+)?(?:/|$)")

#: Options of programs that compute coins.
_MINES = re.compile(
    r"stratum\+|--donate-level|--algo[= ]|\s-a (?:rx/|randomx|cryptonight|kawpow|ethash|cn/)|--coin[= ]|\s(?:-o|--url)[= ][^\s:]{1,90}(?::[^\s:]{1,90})?:\d{4,5}\s(?:.{0,90}\s)?(?:-u|--user)[= ]|--(?:cpu-max-threads-hint|threads)[= ]\d{1,9}.{0,90}pool"
)

_ADDRESS = re.compile(rf"https?://([\w.-]+)[/?][^\s)\"']*[?&=/{HOLE}]")


#: Programs that stop before their input ends, and those that read all of it before they print.
_ENDING = frozenset({"head", "read", "dd", "timeout", "fold"})
_READS_ALL = frozenset(
    [
        "sort",
        "tail",
        "tac",
        "wc",
        "gzip",
        "bzip2",
        "xz",
        "zstd",
        "md5sum",
        "sha1sum",
        "sha256sum",
        "sha512sum",
        "b2sum",
        "cksum",
        "openssl",
        "shasum",
    ]
)
