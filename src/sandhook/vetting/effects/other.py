"""Programs that no table knows: judged by their words and by what flows into them.

A word that names a host makes a program one that sends; a word such as ``delete`` before the name of something
elsewhere makes it one that destroys; a word that looks like a path is read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from sandhook.vetting.call import Call
from sandhook.vetting.effects.network import sends
from sandhook.vetting.policy import local
from sandhook.vetting.state import PAYLOAD
from sandhook.vetting.values import HOLE, Origin, Value

Effect = Callable[[Call], "Value | None"]

#: A word by which a program finds another machine.
_REMOTE = re.compile(
    r"^(?:[\w.+-]+://(?:[^/@\s]*@)?([^/:?#\s]+)|[\w.-]+@([\w.-]+\.[a-zA-Z]{2,}|\d+\.\d+\.\d+\.\d+)(?::.*)?|(\d{1,3}(?:\.\d{1,3}){3})(?::\d+)?|((?:[\w-]+\.)+[a-zA-Z]{2,}):\d+)"
)

#: An address within a word: of an option, or of a connection.
_WITHIN = re.compile(
    r"\b(?:https?|wss?|ftps?|sftp|davs?|tcp|udp|mqtts?|amqps?|redis|mongodb(?:\+srv)?|postgres(?:ql)?|mysql|ldaps?)://(?:[^/@\s]*@)?([\w.-]+)|\bhost(?:addr)?=([\w.-]+\.[\w-]+)"
)

#: Options whose argument is a host.
_HOST_OPTIONS = (
    "-h",
    "-H",
    "--host",
    "--hostname",
    "--server",
    "--remote",
    "--endpoint",
    "--endpoint-url",
    "--url",
    "--broker",
)

#: Programs for which such options have another meaning, and those that never send.
_LOCAL = frozenset(
    [
        "notify-send",
        "terminal-notifier",
        "say",
        "afplay",
        "paplay",
        "aplay",
        "osascript",
        "code",
        "subl",
        "tput",
        "clear",
        "tmux",
        "pgrep",
        "ps",
        "prettier",
        "eslint",
        "ruff",
        "black",
        "isort",
        "mypy",
        "pytest",
        "jest",
        "vitest",
        "tsc",
        "gofmt",
        "rustfmt",
        "shfmt",
        "shellcheck",
        "markdownlint",
        "stylelint",
        "aspell",
        "hunspell",
        "gitleaks",
        "trufflehog",
        "detect-secrets",
        "semgrep",
        "sqlite3",
        "flock",
        "sleep",
        "tr",
        "comm",
        "diff",
        "cmp",
        "patch",
        "column",
        "expand",
    ]
)

#: Subcommands that remove what is elsewhere, or what nobody gets back.
_DESTROYS = re.compile(
    r"^(?:destroy|delete|terminate|flushall|flushdb|dropdb|nuke|teardown|purge|uninstall|delete-\w[\w-]*|terminate-\w[\w-]*|remove-all)$"
)
_STATEMENT = re.compile(
    r"\b(?:drop\s+(?:table|database|schema)|truncate\s+(?:table\s+)?\w|delete\s+from\s+\w+\s*(?:;|$)|dropDatabase\s*\(|FLUSHALL|FLUSHDB)",
    re.IGNORECASE,
)

#: Programs of infrastructure and of stores of data.
_STORES = frozenset(
    [
        "kubectl",
        "oc",
        "helm",
        "terraform",
        "tofu",
        "pulumi",
        "cdk",
        "aws",
        "gcloud",
        "az",
        "gsutil",
        "doctl",
        "heroku",
        "vercel",
        "netlify",
        "fly",
        "flyctl",
        "railway",
        "supabase",
        "firebase",
        "psql",
        "mysql",
        "mariadb",
        "mongosh",
        "mongo",
        "redis-cli",
        "sqlite3",
        "dropdb",
        "gh",
        "glab",
        "hub",
        "eksctl",
        "linode-cli",
        "hcloud",
        "wrangler",
        "cqlsh",
        "clickhouse-client",
        "influx",
        "etcdctl",
        "consul",
        "nomad",
        "s3cmd",
        "rclone",
        "mc",
        "ansible",
        "vault",
        "op",
        "sqlcmd",
        "bq",
    ]
)


def report(call: Call) -> None:
    """Report what concerns any program: texts that destroy, and data that goes to a host among its words."""
    words = [text for text in call.texts if text[:1] != "-"]
    own = call.name in ("gh", "glab") and words[:1] in (["cache"], ["run"], ["alias"])
    if call.name not in _STORES or own:
        return
    destroys = any(_DESTROYS.match(word) for word in words[:4]) and not call.has(
        "--dry-run", "--help", "--dryrun"
    )
    states = any(_STATEMENT.search(text) for text in (*call.texts, *call.stdin.known))
    removes = call.name == "aws" and re.search(r"\bs3 (?:rm|rb)\b", " ".join(words)) is not None
    removes = removes or (
        call.name in ("gsutil", "s3cmd", "rclone", "mc") and words[:1] in (["rm"], ["rb"], ["del"])
    )
    if destroys or states or removes:
        call.find("V-DELETE", call.line)


def unknown(call: Call) -> Value | None:
    """A program without an effect of its own."""
    if call.name in _LOCAL:
        return None
    hosts = [word for word in call.arguments(*_HOST_OPTIONS) if re.search(r"[\w-]\.\w", word.any_text)]
    for word in (*hosts, *call.words):
        text = word.any_text.rpartition("=")[2] if word.any_text[:1] == "-" else word.any_text
        match = _REMOTE.match(text) or _WITHIN.search(text)
        host = next(filter(None, match.groups()), "") if match is not None else text if word in hosts else ""
        if host and not local(host) and not text.startswith("file:"):
            attached = [each for each in call.operands if re.match(r"@?[~/.]", each.any_text)]
            origins = call.stdin.origins if call.stdin is not PAYLOAD else frozenset()
            sends(call, origins | call.origins | call.reads(attached), host)
            return Value((HOLE,), frozenset({Origin("download", host)}))
    severe = [
        origin for origin in call.stdin.origins if origin.kind in ("secret", "environment", "transcript")
    ]
    if severe and call.name:
        names = ", ".join(sorted(filter(None, {origin.name for origin in severe}))) or "the transcript"
        call.find("V-SEND-SECRET", f"{names} to the program {call.name}, which nobody knows")
    return None


def _machine(what: str) -> Effect:
    def effect(call: Call) -> Value:
        return Value((HOLE,), frozenset({Origin("machine", what)}))

    return effect


def _network(call: Call) -> Value:
    """Programs that show the network, or change where names and requests go."""
    line = " ".join(call.texts)
    if re.search(r"\bdns\b.*\d|-set\w*(?:dns|proxy)\w*|ipv4\.dns|\broute (?:add|replace)|proxy", line):
        call.find("V-SYSTEM", call.line)
    return Value((HOLE,), frozenset({Origin("machine", "network")}))


def _processes(call: Call) -> Value:
    """ps shows the variables of processes, too, if it is asked for."""
    letters = "".join(call.texts[:1])
    if letters in ("auxe", "eww") or (
        letters.isalpha() and "e" in letters.partition("ww")[0] and "ww" in letters
    ):
        return call.runner.all_variables()
    return Value((HOLE,), frozenset({Origin("machine", "processes")}))


def _numbers(call: Call) -> Value:
    """pgrep: the numbers of processes with a name."""
    return Value((HOLE,), frozenset({Origin("mixed", f"pids of {' '.join(call.texts)}")}))


def _date(call: Call) -> Value:
    """date: of a file with ``-r``, or the time."""
    return Value((HOLE,), frozenset({Origin("when", "date")}))


EFFECTS: Mapping[str, Effect] = {
    "date": _date,
    **dict.fromkeys(("whoami", "id", "logname", "who", "w", "last", "users", "groups"), _machine("the user")),
    **dict.fromkeys(("hostname", "uname", "hostnamectl", "sw_vers", "lsb_release"), _machine("the host")),
    **dict.fromkeys(
        (
            "nmap",
            "arp-scan",
            "masscan",
            "avahi-browse",
            "lldpctl",
            "ifconfig",
            "ip",
            "arp",
            "netstat",
            "ss",
            "route",
            "nmcli",
            "networksetup",
            "iwconfig",
            "scutil",
        ),
        _network,
    ),
    **dict.fromkeys(("pgrep", "pidof"), _numbers),
    "ps": _processes,
    **dict.fromkeys(("lsof", "top", "pstree", "tasklist"), _machine("processes")),
    **dict.fromkeys(
        ("system_profiler", "ioreg", "dmidecode", "lscpu", "lspci", "lshw", "lsblk", "dpkg", "rpm"),
        _machine("hardware and software"),
    ),
}
