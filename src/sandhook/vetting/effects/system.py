"""Programs of the system, of git and of packages: what lasts, what is switched off, what spies."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from sandhook.vetting.call import Call
from sandhook.vetting.effects.network import sends
from sandhook.vetting.rules import RuleId, Severity
from sandhook.vetting.starting import ENV, commands_in
from sandhook.vetting.state import PAYLOAD
from sandhook.vetting.values import EMPTY, HOLE, NOTHING, Origin, Value, known

Effect = Callable[[Call], "Value | None"]


def _rule(rule: RuleId, severity: Severity | None = None) -> Effect:
    """Return an effect that reports one rule."""

    def effect(call: Call) -> Value | None:
        call.find(rule, call.line, severity)
        return Value((HOLE,))

    return effect


def _when(pattern: str, rule: RuleId, severity: Severity | None = None) -> Effect:
    """Return an effect that reports a rule if the arguments fit a pattern."""
    test = re.compile(pattern)

    def effect(call: Call) -> Value | None:
        if test.search(" ".join(call.texts)):
            call.find(rule, call.line, severity)
        return None

    return effect


def _reading(what: str, pattern: str = "") -> Effect:
    """Return an effect of a program that prints secrets."""
    test = re.compile(pattern)

    def effect(call: Call) -> Value | None:
        if not test.search(" ".join(call.texts)):
            return None
        call.find("V-READ-SECRET", f"{call.name}: {what}")
        return Value((HOLE,), frozenset({Origin("secret", what)}))

    return effect


def _spying(what: str) -> Effect:
    def effect(call: Call) -> Value | None:
        call.find("V-SPY", call.line)
        for word in call.operands[-1:]:
            call.state.written[call.state.path(word.any_text)] = Value(
                (HOLE,), frozenset({Origin("secret", what)})
            )
        return Value((HOLE,), frozenset({Origin("secret", what)}))

    return effect


def _terminal(call: Call) -> Value | None:
    """script records what is typed, unless it runs one command."""
    return None if call.has("-c", "--command") else _spying("the terminal")(call)


def _clipboard(call: Call) -> Value:
    """Reading the clipboard; writing it is what notifiers do."""
    writes = call.name in ("pbcopy", "wl-copy") or (
        call.name in ("xclip", "xsel") and not call.has("-o", "-out", "--output")
    )
    if writes:
        return EMPTY
    call.find("V-SPY", call.line)
    return Value((HOLE,), frozenset({Origin("secret", "the clipboard")}))


def _crontab(call: Call) -> Value:
    if call.has("-l"):
        return Value((HOLE,))
    call.find("V-SCHEDULE")
    for text in call.stdin.known:
        call.runner.run_text(Value((text.replace("* * * * *", ""),)), call.state.branch(), "crontab", call.at)
    return EMPTY


def _environment(call: Call) -> Value:
    """env and printenv: without a command they print all variables."""
    for text in commands_in(call.words, ENV) if call.name == "env" else ():
        return call.runner.run_text(text, call.state.copy(), "env -S", call.at)
    for word in call.words if call.name == "env" else ():
        name, equals, value = word.any_text.partition("=")
        if equals and (name.startswith("BASH_FUNC_") or name.isidentifier()):
            call.runner.assigned(name, Value((value,), word.origins), call)
    if call.name == "printenv" and call.operands:
        if HOLE in call.operands[0].any_text:
            return Value((HOLE,), frozenset({Origin("environment", "a variable by its name")}))
        return call.runner.variable(call.operands[0].any_text)
    if any("=" not in word.any_text for word in call.operands):
        return EMPTY
    return call.runner.all_variables()


def _kill(call: Call) -> Value:
    line = " ".join([*call.texts, *(name for word in call.words for name in word.names("mixed"))])
    if call.name == "kill" and re.match(r"-(?:0|l)\b", line):
        return EMPTY
    against = re.search(
        r"claude|codex|gemini|cursor|sandhook|guard|auditd|falco|osquery|crowdstrike|agent|clamd|defender",
        line,
        re.IGNORECASE,
    )
    parent = any("PPID" in word.names("mixed") for word in call.words)
    everything = call.name == "kill" and (parent or re.search(r"(?:^|\s)-1(?:$|\s*$)|PPID|--\s*-1", line))
    if against or everything:
        call.find("V-KILL", call.line, "high")
    elif call.name != "kill":
        call.find("V-KILL", call.line)
    return EMPTY


def _systemctl(call: Call) -> Value | None:
    line = " ".join(call.texts)
    if re.search(r"\b(?:enable|start|link|daemon-reload|restart)\b", line):
        call.find("V-SCHEDULE")
    elif re.search(r"\b(?:stop|disable|mask|kill)\b", line):
        call.find("V-DISABLE", call.line)
    return None


def _sudo(call: Call) -> None:
    severity: Severity | None = (
        "high" if call.has("-S", "--stdin", "-A") or call.stdin.has("secret") else None
    )
    call.find("V-PRIVILEGE", call.line, severity)


def _path_of(call: Call) -> Value | None:
    """dirname, basename, realpath, readlink -f: a path stays a path."""
    operands = list(call.operands)
    if call.name in ("realpath", "readlink") and operands:
        return operands[-1]
    return None


def _openssl(call: Call) -> Value | None:
    if call.texts[:1] == ["s_client"]:
        address = call.argument("-connect", "-host") or next(iter(call.operands[1:]), known(""))
        sends(
            call,
            call.stdin.origins if call.stdin is not PAYLOAD else NOTHING,
            address.any_text.partition(":")[0],
        )
        call.find("V-SOCKET", call.line, "medium")
        return Value((HOLE,), frozenset({Origin("download", "openssl")}))
    source = call.argument("-in")
    if source is not None:
        call.access(source, "read")
        if call.has("-d"):
            return Value((HOLE,), frozenset({Origin("decoded", "openssl")}))
        if call.texts[:1] in (["enc"], ["aes-256-cbc"]) and call.argument("-out") is not None:
            call.find("V-DESTROY", call.line, "medium")
    return None


def _unpack(call: Call) -> Value | None:
    if call.operands and call.stdin.text is None:
        call.reads(call.operands)
        return Value((HOLE,), frozenset({Origin("decoded", call.name)}))
    return None


def _defaults(call: Call) -> Value | None:
    line = " ".join(call.texts)
    if re.match(r"write\b", line):
        call.find(
            "V-DISABLE"
            if re.search(r"LSQuarantine|loginwindow|screensaver|SoftwareUpdate", line)
            else "V-SYSTEM",
            call.line,
        )
    return None


def _sleep(call: Call) -> Value:
    """sleep: an agent waits for its hooks."""
    if any(re.fullmatch(r"inf(?:inity)?|\d{5,}s?|\d{4,}m|\d{2,}h|\d+d", text) for text in call.texts):
        call.find("V-EXHAUST", f"waits: {call.line}")
    return EMPTY


def _yes(call: Call) -> Value:
    return Value((HOLE,), frozenset({Origin("mixed", "endless")}))


def _sysctl(call: Call) -> Value | None:
    """sysctl: it changes a setting, or prints one."""
    if call.has("-w", "--write", "-p", "--load", "--system") or any("=" in text for text in call.texts):
        call.find("V-SYSTEM")
        return EMPTY
    return Value((HOLE,), frozenset({Origin("machine", "hardware and software")}))


EFFECTS: Mapping[str, Effect] = {
    "sleep": _sleep,
    "osascript": _when(r"login item", "V-SCHEDULE"),
    **dict.fromkeys(
        (
            "docker-credential-desktop",
            "docker-credential-osxkeychain",
            "docker-credential-secretservice",
            "docker-credential-pass",
        ),
        _reading("credentials of registries", r"get|list"),
    ),
    **dict.fromkeys(
        (
            "git-credential-osxkeychain",
            "git-credential-libsecret",
            "git-credential-manager",
            "git-credential-store",
            "git-credential-cache",
        ),
        _reading("git's credentials", r"get"),
    ),
    "sops": _reading("encrypted secrets", r"-d\b|--decrypt|^decrypt|exec-env"),
    "ansible-vault": _reading("encrypted secrets", r"view|decrypt"),
    "pulumi": _reading("encrypted secrets", r"--show-secrets"),
    "terraform": _reading("the state of an infrastructure", r"^state pull"),
    "railway": _reading("variables", r"^variables"),
    "update-ca-certificates": _rule("V-DISABLE"),
    "update-ca-trust": _rule("V-DISABLE"),
    "trust": _when(r"^anchor", "V-DISABLE"),
    "certutil": _when(r"(?:^|\s)-A\b", "V-DISABLE"),
    "keytool": _when(r"-import", "V-DISABLE"),
    "mkcert": _when(r"-install", "V-DISABLE"),
    "loginctl": _when(r"enable-linger", "V-SCHEDULE"),
    **dict.fromkeys(
        ("gsettings", "dconf", "kwriteconfig5", "kwriteconfig6", "xfconf-query"),
        _when(r"command|exec|autostart|proxy|default-applications|keybinding", "V-STARTUP"),
    ),
    **dict.fromkeys(("xdg-mime", "xdg-settings", "duti"), _when(r"^(?:default|set|-s)\b", "V-STARTUP")),
    "setcap": _rule("V-LOGIN"),
    "setfacl": _when(r"(?:^|\s)(?:-\w*m|--modify)\S*\s.*(?:\.ssh|~|/etc|/$)", "V-LOGIN"),
    "sysctl": _sysctl,
    "crontab": _crontab,
    "at": _rule("V-SCHEDULE"),
    "batch": _rule("V-SCHEDULE"),
    "schtasks": _rule("V-SCHEDULE"),
    "launchctl": _when(r"^(?:load|bootstrap|submit|enable|start|setenv|kickstart|config)", "V-SCHEDULE"),
    "systemctl": _systemctl,
    "systemd-run": _rule("V-SCHEDULE"),
    **dict.fromkeys(("service", "rc-service", "sv"), _when(r"\bstop\b|\bdisable\b", "V-DISABLE")),
    **dict.fromkeys(
        (
            "gcore",
            "strace",
            "ltrace",
            "dtrace",
            "bpftrace",
            "tcpdump",
            "tshark",
            "ngrep",
            "mitmproxy",
            "mitmdump",
            "dsniff",
            "ettercap",
        ),
        _spying("other programs"),
    ),
    **dict.fromkeys(("gdb", "lldb"), _when(r"(?:^|\s)-p\b|--pid|attach", "V-SPY")),
    **dict.fromkeys(("xdotool", "ydotool", "wtype", "cliclick"), _when(r"type|key|kp|t:|--", "V-SPY")),
    **dict.fromkeys(
        ("zenity", "kdialog", "systemd-ask-password", "ssh-askpass", "pinentry"),
        _when(r"password|^$|:", "V-SPY"),
    ),
    **dict.fromkeys(
        (
            "tmutil",
            "btrfs",
            "zfs",
            "zpool",
            "diskutil",
            "lvremove",
            "vgremove",
            "nvram",
            "vssadmin",
            "snapper",
            "timeshift",
        ),
        _when(r"delete|destroy|erase|remove|^-c\b|--delete", "V-DESTROY"),
    ),
    **dict.fromkeys(("env", "printenv"), _environment),
    **dict.fromkeys(("kill", "pkill", "killall", "skill", "fuser"), _kill),
    **dict.fromkeys(("sudo", "doas", "pkexec", "su"), _sudo),
    **dict.fromkeys(("realpath", "readlink"), _path_of),
    "openssl": _openssl,
    "gpg": _when(r"--export-secret|--import\b.*|--delete-secret", "V-READ-SECRET"),
    **dict.fromkeys(("gunzip", "zcat", "bunzip2", "bzcat", "unxz", "xzcat", "uudecode"), _unpack),
    "security": _reading(
        "the keychain",
        r"find-(?:generic|internet)|dump-keychain|export|find-key|find-certificate.*-w|add-trusted-cert",
    ),
    "secret-tool": _reading("the keyring", r"lookup|search"),
    "pass": _reading("the password store", r"\S"),
    "kwallet-query": _reading("the wallet"),
    "keyctl": _reading("the keyring", r"print|read|pipe"),
    "bw": _reading("the password store", r"get|list|export"),
    "lpass": _reading("the password store", r"\S"),
    **dict.fromkeys(
        ("screencapture", "scrot", "gnome-screenshot", "import", "grim", "maim", "spectacle"),
        _spying("the screen"),
    ),
    **dict.fromkeys(
        ("arecord", "parecord", "sox", "rec", "imagesnap", "fswebcam"), _spying("the microphone or camera")
    ),
    "script": _terminal,
    **dict.fromkeys(("ttyrec", "asciinema"), _spying("the terminal")),
    **dict.fromkeys(("xinput", "evtest", "logkeys", "showkey", "xev"), _spying("the keyboard")),
    **dict.fromkeys(("pbpaste", "wl-paste", "xclip", "xsel", "pbcopy", "wl-copy"), _clipboard),
    **dict.fromkeys(
        (
            "setenforce",
            "ufw",
            "iptables",
            "nft",
            "pfctl",
            "spctl",
            "csrutil",
            "aa-disable",
            "aa-teardown",
            "socketfilterfw",
        ),
        _rule("V-DISABLE"),
    ),
    "auditctl": _rule("V-DISABLE"),
    "xattr": _when(r"-d\b|-c\b|-r?d?c?\b.*quarantine", "V-DISABLE"),
    "chattr": _when(r"\+i|-i", "V-DISABLE"),
    **dict.fromkeys(
        ("useradd", "adduser", "usermod", "passwd", "chpasswd", "visudo", "dscl", "ssh-copy-id", "groupadd"),
        _rule("V-LOGIN"),
    ),
    "ssh-keygen": _when(r"-[A-Za-z]*p\b", "V-LOGIN", "medium"),
    "ssh-add": _when(r"-D|-x|-X", "V-DISABLE", "medium"),
    **dict.fromkeys(("insmod", "modprobe", "kextload", "ldconfig", "update-alternatives"), _rule("V-SYSTEM")),
    "defaults": _defaults,
    "journalctl": _when(r"--vacuum|--rotate", "V-TRACES"),
    "wevtutil": _rule("V-TRACES"),
    "logrotate": _when(r"-f|--force", "V-TRACES"),
    **dict.fromkeys(
        ("xmrig", "minerd", "cpuminer", "ethminer", "cgminer", "t-rex", "nbminer"), _rule("V-EXHAUST")
    ),
    **dict.fromkeys(("stress", "stress-ng"), _rule("V-EXHAUST")),
    "yes": _yes,
    "ffmpeg": _when(r"x11grab|avfoundation|gdigrab|dshow|\bv4l2|\balsa\b|\bpulse\b", "V-SPY"),
    **dict.fromkeys(("adb",), _when(r"screencap|screenrecord", "V-SPY")),
    "php": _when(r"(?:^|\s)-S\s+(?!localhost|127\.)", "V-TUNNEL"),
    "caddy": _when(r"file-server|run|reverse-proxy", "V-TUNNEL"),
    **dict.fromkeys(
        ("darkhttpd", "webfsd", "miniserve", "http-server", "serve", "httpd", "telnetd"),
        _when(r"^(?!.*(?:127\.0\.0\.1|localhost))", "V-TUNNEL"),
    ),
    **dict.fromkeys(("shutdown", "reboot", "halt", "poweroff", "init"), _rule("V-KILL", "high")),
    **dict.fromkeys(("nohup", "setsid", "daemonize"), _rule("V-BACKGROUND")),
}
