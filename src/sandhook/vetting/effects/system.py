"""Programs of the system, of git and of packages: what lasts, what is switched off, what spies."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from sandhook.vetting.call import Call
from sandhook.vetting.effects.network import sends, urls_of
from sandhook.vetting.effects.programs import report_downloads
from sandhook.vetting.policy import SUMMARY, payload_part
from sandhook.vetting.rules import RuleId, Severity
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
    for text in call.arguments("-S", "--split-string") if call.name == "env" else ():
        return call.runner.run_text(text, call.state.copy(), "env -S", call.at)
    if call.name == "printenv" and call.operands:
        return call.runner.variable(call.operands[0].any_text)
    if any("=" not in word.any_text for word in call.operands):
        return EMPTY
    return call.runner.all_variables()


def _kill(call: Call) -> Value:
    line = " ".join(call.texts)
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


def _sudo(call: Call) -> None:
    severity: Severity | None = (
        "high" if call.has("-S", "--stdin", "-A") or call.stdin.has("secret") else None
    )
    call.find("V-PRIVILEGE", call.line, severity)


def _docker(call: Call) -> Value | None:
    line = " ".join(call.texts)
    if call.texts[:1] == ["push"]:
        host = call.operands[-1].any_text.partition("/")[0]
        sends(call, frozenset({Origin("file", "tree")}), host if "." in host else "docker.io")
    if re.search(
        r"^(?:volume (?:rm|prune)|system prune\b.*(?:--volumes|-\w*a)|compose\b.*\bdown\b.*(?:-v\b|--volumes|--rmi)|rm\b.*-\w*v|rmi\b.*-\w*f)",
        line,
    ):
        call.find("V-DELETE")
    if re.search(
        r"--privileged|--pid[= ]host|(?:-v|--volume|--mount)[= ]*(?:type=bind,source=)?(?:/|~|/etc|/home|/var/run/docker\.sock)[:,]",
        line,
    ):
        call.find("V-CONTAINER")
    return None


_GIT_RUNS = re.compile(
    r"core\.(?:hookspath|sshcommand|pager|editor|fsmonitor|gitproxy|askpass)|credential\.(?:[^ ]*\.)?helper|url\..*\.(?:push)?insteadof|alias\.\S+ !|http\.(?:\S+\.)?(?:proxy|sslverify)"
    r"|init\.templatedir|include(?:if\..*)?\.path|filter\..*\.(?:clean|smudge|process)|diff\.(?:external|.*\.(?:textconv|command))|merge\..*\.driver|(?:man|browser|mergetool|difftool)\..*\.cmd|trailer\..*\.(?:cmd|command)|core\.alternaterefscommand|submodule\..*\.update !|gpg\.program|protocol\.ext\.allow|sequence\.editor|uploadpack|commit\.gpgsign false",
    re.IGNORECASE,
)


def _git(call: Call) -> Value | None:
    texts = call.texts
    while texts[:1] and texts[0] in ("-C", "-c", "--git-dir", "--work-tree"):
        if (
            texts[0] == "-c"
            and len(texts) > 1
            and _GIT_RUNS.search(texts[1].replace("=", " ", 1))
            and "pager=cat" not in texts[1]
        ):
            call.find("V-GIT-CONFIG")
        texts = texts[2:]
    command = texts[0] if texts else ""
    line = " ".join(texts[1:])
    _git_keeps(call, command)
    if command == "config":
        _git_config(call, line)
    if command == "remote" and re.match(r"(?:set-url|add)\b", line):
        call.find("V-GIT-CONFIG", call.line, None if "set-url" in line else "medium")
    elif command == "push":
        return _git_push(call, line)
    elif command == "credential" or (command == "credential-osxkeychain"):
        call.find("V-READ-SECRET")
        return Value((HOLE,), frozenset({Origin("secret", "git's credentials")}))
    elif command in (
        "reset",
        "clean",
        "checkout",
        "restore",
        "stash",
        "branch",
        "filter-branch",
        "reflog",
        "gc",
        "update-ref",
    ):
        _git_discards(call, command, line)
    elif command in ("archive", "bundle"):
        return Value((HOLE,), frozenset({Origin("file", "tree")}))
    elif command == "ls-files":
        return Value((HOLE,), frozenset({Origin("file", "tree")}))
    elif command == "config" or (command == "var"):
        return Value((HOLE,), frozenset({Origin("machine", "the user")}))
    elif command in ("diff", "show", "log") and _SUMMARY.search(
        line if command != "log" else f"{line} --stat"
    ):
        return Value((HOLE,), frozenset({Origin("file", SUMMARY)}))
    elif command in ("diff", "show", "log", "cat-file", "stash", "notes", "blame", "grep", "format-patch"):
        return Value((HOLE,), frozenset({Origin("file", f"git {command}")}))
    elif command in ("clone", "fetch", "pull", "ls-remote", "submodule"):
        _git_fetches(call, command)
        for url in urls_of(call.words):
            sends(
                call,
                call.origins,
                url.partition("://")[2].partition("/")[0] or url.partition("@")[2].partition(":")[0],
            )
    elif command == "rev-parse":
        return _git_directory(texts[1:])
    elif command == "commit" and call.has("--no-verify", "-n"):
        call.find("V-DISABLE", call.line, "medium")
    return Value((HOLE,))


#: Options with which git prints names and numbers alone; ``log`` does so unless it is asked for patches.
_SUMMARY = re.compile(
    r"^(?!.*(?:^|\s)(?:-p|-u|--patch)(?:\s|$)).*--(?:stat|shortstat|numstat|name-only|name-status|quiet|summary|oneline|no-patch)"
)


def _git_fetches(call: Call, command: str) -> None:
    """Keep which directory has what a server sent."""
    urls = urls_of(call.words)
    if command != "clone" or not urls:
        return
    last = call.operands[-1].any_text
    target = last if last not in urls else urls[0].rstrip("/").rpartition("/")[2].removesuffix(".git")
    call.writes(known(target), Value((HOLE,), frozenset({Origin("download", urls[0])})))


def _git_directory(texts: Sequence[str]) -> Value:
    """Return a directory that ``git rev-parse`` prints, where the bundle is in its own repository."""
    if texts == ["--show-toplevel"]:
        return known(".")
    if texts in (["--git-dir"], ["--git-common-dir"], ["--absolute-git-dir"]):
        return known(".git")
    if texts[:1] == ["--git-path"] and len(texts) == 2:
        return known(f".git/{texts[1]}")
    return Value((HOLE,))


#: Commands of git whose words stay in the repository, which is pushed.
_GIT_KEEPS = frozenset(
    {
        "branch",
        "checkout",
        "commit",
        "commit-tree",
        "merge",
        "mktag",
        "notes",
        "push",
        "stash",
        "switch",
        "tag",
    }
)


def _git_keeps(call: Call, command: str) -> None:
    """Report secrets that become a message, a name of a branch, or a note."""
    names = sorted(
        {origin.name for origin in call.origins if origin.kind in ("secret", "environment", "token")}
    )
    if command in _GIT_KEEPS and (names or call.stdin.has("secret", "environment", "token")):
        call.find("V-SEND-SECRET", f"{', '.join(names) or 'a secret'} in what git {command} stores")


def _git_config(call: Call, line: str) -> None:
    reads = re.search(r"--(?:get|list|get-all|get-regexp|unset)|(?:^|\s)-l(?:\s|$)", line)
    if reads or not _GIT_RUNS.search(line):
        return
    wanted = re.search(r"core\.hookspath\s+(\S+)", line, re.IGNORECASE)
    local = "--global" not in line and "--system" not in line
    value = wanted.group(1) if wanted is not None else ""
    inside = local and wanted is not None and value[:1] not in ("/", "~", HOLE, "$")
    if "/dev/null" in line:
        call.find("V-DISABLE", call.line)
    else:
        call.find("V-GIT-CONFIG", call.line, "medium" if inside else None)


def _git_push(call: Call, line: str) -> Value:
    urls = urls_of(call.words)
    for url in urls:
        host = url.partition("://")[2].partition("/")[0] or url.partition("@")[2].partition(":")[0]
        sends(call, frozenset({Origin("file", "tree")}), host.rpartition("@")[2])
    if re.search(
        r"--mirror|--force(?!-with|-if)|(?:^|\s)\+\S|(?:^|\s)-[a-eg-zA-Z]*f[a-zA-Z]*(?:\s|$)|--delete|\s:[\w/]",
        line,
    ):
        call.find("V-DELETE", call.line, "high" if re.search(r"--mirror|main|master", line) else "medium")
    return Value((HOLE,))


def _git_discards(call: Call, command: str, line: str) -> None:
    if (
        command == "filter-branch"
        or (command == "update-ref" and re.search(r"(?:^|\s)(?:-d|--stdin|refs/(?:heads|tags)/|HEAD)", line))
        or (command == "reflog" and "expire" in line)
        or (command == "clean" and re.search(r"-\w*[xXd]", line) and re.search(r"-\w*f", line))
    ):
        call.find("V-DELETE")
    elif (
        (command == "reset" and "--hard" in line)
        or (
            command in ("checkout", "restore")
            and re.search(r"(?:^|\s)(?:\.|\*|:/)$", line)
            and "--staged" not in line
        )
        or (command == "stash" and re.match(r"clear|drop", line))
    ):
        one = command == "stash" and HOLE in line
        call.find("V-DELETE", call.line, "medium" if one else None)
    elif command == "branch" and "-D" in line:
        call.find("V-DELETE", call.line, "medium")


#: Options with which a package is installed whatever it is.
_UNCHECKED = re.compile(
    r"--allow-unauthenticated|--force-yes|--nogpgcheck|--no-gpg-checks?|--allow-untrusted|AllowInsecureRepositories|trusted=yes|--trusted-host|strict-ssl[= ]false|--no-verify-ssl|--insecure\b"
)


def _package(call: Call) -> Value | None:
    line = " ".join(call.texts)
    report_downloads(call)
    if re.match(r"(?:npm|pnpm|yarn) (?:pkg set scripts|set-script)", call.line):
        call.find("V-PIPELINE", call.line, "high")
    if _UNCHECKED.search(line):
        call.find("V-PACKAGE-SOURCE")
    if re.search(
        r"config set .*(?:registry|proxy|script-shell|ignore-scripts|strict-ssl)|--(?:extra-)?index-url[= ]|--registry[= ]|--trusted-host",
        line,
    ):
        call.find("V-PACKAGE-SOURCE")
    elif re.search(
        r"(?:^|\s)(?:localtunnel|ngrok|http-server|serve|cloudflared|untun|tunnelmole|wstunnel)(?:@\S*)?(?:\s|$)",
        line,
    ) and call.name in ("npx", "bunx", "pnpm", "yarn", "uvx", "pipx", "npm"):
        call.find("V-TUNNEL")
    elif call.name == "brew" and re.match(r"tap\s+\S+\s+\S", line):
        call.find("V-PACKAGE-SOURCE")
    elif re.match(r"(?:install|get|run|add)\b.*\s\d+\.\d+\.\d+\.\d+[:/]", line):
        call.find("V-RUN-DOWNLOAD", call.line)
    elif re.search(r"^(?:publish|adduser|login|owner add|token create)\b", line):
        call.find("V-LOGIN", call.line, "high" if "publish" not in line else "medium")
    elif re.search(r"(?:install|add|exec|dlx|i|x)\s.*(?:https?://|git\+|github:|git@)", line) or (
        call.name in ("npx", "bunx", "uvx", "pipx", "deno", "bun")
        and re.search(r"(?:https?://|git\+|github:)", line)
    ):
        call.find("V-RUN-DOWNLOAD")
    elif re.search(r"(?:install|add|i)\s+-g|install --global|--user\b|install --break-system", line):
        call.find("V-RUN-WRITTEN", call.line)
    return None


#: Programs of jq that change what an installation or a build runs.
_SCRIPTS = re.compile(
    r"\.?scripts\W{0,4}(?:pre|post)?(?:install|prepare|publish|pack|test|build|dev|start)\w*\W{0,3}\s*[|+]?=(?!=)|scripts\s*\+=|scripts\"\s*,\s*\"\w+\"\s*\]\s*;"
)


def _named_values(call: Call) -> dict[str, Value]:
    """Return the values of ``--arg NAME VALUE``."""
    words = call.words
    return {
        words[index + 1].any_text: words[index + 2]
        for index, text in enumerate(call.texts[:-2])
        if text == "--arg" and words[index + 1].any_text.isidentifier()
    }


def _jq(call: Call) -> Value | None:
    """jq: the program's texts, and what it takes out of the payload."""
    files = [word for word in call.operands[1:] if word.any_text not in ("-", "")]
    program = next((word for word in call.operands), None)
    text = program.any_text if program is not None else ""
    named = {"--arg", "--argjson", "--slurpfile", "--rawfile", "--args", "--jsonargs"}
    skip: set[int] = set()
    for index, each in enumerate(call.texts):
        if each in named - {"--args", "--jsonargs"}:
            skip |= {index, index + 1, index + 2}
            if each in ("--slurpfile", "--rawfile") and index + 2 < len(call.words):
                call.access(call.words[index + 2], "read")
        elif each in ("--indent", "--tab", "-L"):
            skip |= {index + 1}
    operands = [
        word for index, word in enumerate(call.words) if index not in skip and word.any_text[:1] != "-"
    ]
    if operands:
        program, files = operands[0], operands[1:]
        text = program.any_text
    report_downloads(call)
    named = _named_values(call)
    for name, value in named.items():
        if value.text is not None:
            text = re.sub(rf"\${name}\b", lambda _, new=value.text: f'"{new}"', text)  # type: ignore[misc]
    call.runner.printed(call, Value((text.replace('\\"', '"'),)))
    if "updatedInput" in text or "updated_input" in text:
        for value in named.values():
            if value.has("payload") and any(each.strip(f"{HOLE} \n") for each in value.texts):
                call.runner.run_text(value, call.state.branch(), "the new input", call.at)
    if _SCRIPTS.search(text):
        call.find("V-PIPELINE", call.line, "high")
    if re.search(r"disableAllHooks\s*[=:]\s*true|del\(\s*\.hooks|\.hooks\s*=\s*(?:\{\}|\[\]|null)", text):
        call.find("V-DISABLE", call.line)
    if "updatedInput" in text or "updated_input" in text:
        call.find("V-REWRITE", call.line)
        for literal in re.findall(r'"((?:[^"\\]|\\.){8,})"', text):
            if re.search(r"[|;&]|\$\(", literal):
                call.runner.run_text(
                    Value((literal.replace('\\"', '"'),)), call.state.branch(), "the new input", call.at
                )
    origins = call.origins | (
        call.reads(files)
        if files
        else call.stdin.origins
        if not call.has("-n", "--null-input")
        else frozenset()
    )
    if "@base64d" in text:
        origins |= {Origin("decoded", "jq")}
    if "transcript" in text and any(origin.kind == "payload" for origin in origins):
        origins |= {Origin("payload", "transcript")}
    if "@sh" in text:
        origins = frozenset(origin for origin in origins if origin.kind != "payload")
    if re.search(r"\benv\b(?!\.\w)|\$ENV\b(?!\.)", text):
        origins |= {Origin("environment", "the environment")}
    if any(origin == Origin("payload") for origin in origins):
        origins = (origins - {Origin("payload")}) | {payload_part(text)}
    return Value((HOLE,), origins)


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
            call, call.stdin.origins if call.stdin != PAYLOAD else NOTHING, address.any_text.partition(":")[0]
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


#: Words with which an agent asks nobody any more.
_FREE = re.compile(
    r"--dangerously|--yolo\b|--full-auto|bypassPermissions|--allow-all|--skip-permissions|--no-sandbox|approval[-_]policy[= ]never|--trust-all|danger-full-access|--auto-approve"
)


def _agent(call: Call) -> Value | None:
    """An agent that a hook starts or sets up."""
    line = " ".join(call.texts)
    if _FREE.search(line):
        call.find("V-DISABLE", call.line)
    elif re.match(
        r"(?:mcp|plugins?|extensions?|config|settings|marketplace|hooks)\s+(?:add|set|install|enable|link|import|remove|rm|disable|uninstall|marketplace)",
        line,
    ):
        call.find("V-AGENT-CONFIG", call.line)
    return None


def _editor(call: Call) -> Value | None:
    line = " ".join(call.texts)
    if "--install-extension" in line:
        call.find("V-DOWNLOAD-EXEC")
    elif re.match(r"tunnel|serve-web", line):
        call.find("V-TUNNEL")
    return None


def _powershell(call: Call) -> Value | None:
    line = " ".join(call.texts)
    if re.search(r"(?:^|\s)-(?:e|en|enc\w*|EncodedCommand)\s", line, re.IGNORECASE):
        call.find("V-RUN-DECODED", call.line)
    elif re.search(
        r"DownloadString|DownloadFile|\biwr\b|Invoke-WebRequest|Invoke-RestMethod|\birm\b",
        line,
        re.IGNORECASE,
    ) and re.search(r"\biex\b|Invoke-Expression|Start-Process", line, re.IGNORECASE):
        call.find("V-RUN-DOWNLOAD", call.line)
    return None


def _yes(call: Call) -> Value:
    return Value((HOLE,), frozenset({Origin("mixed", "endless")}))


EFFECTS: Mapping[str, Effect] = {
    "crontab": _crontab,
    "at": _rule("V-SCHEDULE"),
    "batch": _rule("V-SCHEDULE"),
    "schtasks": _rule("V-SCHEDULE"),
    "launchctl": _when(r"^(?:load|bootstrap|submit|enable|start|setenv|kickstart|config)", "V-SCHEDULE"),
    "systemctl": _when(r"\b(?:enable|start|link|daemon-reload|restart)\b", "V-SCHEDULE"),
    "systemd-run": _rule("V-SCHEDULE"),
    **dict.fromkeys(("env", "printenv"), _environment),
    **dict.fromkeys(("kill", "pkill", "killall", "skill", "fuser"), _kill),
    **dict.fromkeys(("sudo", "doas", "pkexec", "su"), _sudo),
    **dict.fromkeys(("docker", "podman", "nerdctl"), _docker),
    "git": _git,
    **dict.fromkeys(
        (
            "npm",
            "pnpm",
            "yarn",
            "bun",
            "pip",
            "pip3",
            "uv",
            "npx",
            "bunx",
            "uvx",
            "pipx",
            "gem",
            "cargo",
            "deno",
            "go",
            "brew",
            "poetry",
            "apt",
            "apt-get",
            "apk",
            "yum",
            "dnf",
            "pacman",
            "zypper",
            "port",
            "conda",
            "composer",
        ),
        _package,
    ),
    "jq": _jq,
    **dict.fromkeys(("realpath", "readlink"), _path_of),
    "openssl": _openssl,
    "gpg": _when(r"--export-secret|--import\b.*|--delete-secret", "V-READ-SECRET"),
    **dict.fromkeys(("gunzip", "zcat", "bunzip2", "bzcat", "unxz", "xzcat", "uudecode"), _unpack),
    "security": _reading(
        "the keychain", r"find-(?:generic|internet)|dump-keychain|export|find-key|find-certificate.*-w"
    ),
    "secret-tool": _reading("the keyring", r"lookup|search"),
    "pass": _reading("the password store"),
    "kwallet-query": _reading("the wallet"),
    "keyctl": _reading("the keyring", r"print|read|pipe"),
    "bw": _reading("the password store", r"get|list|export"),
    "lpass": _reading("the password store"),
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
    **dict.fromkeys(
        ("sysctl", "insmod", "modprobe", "kextload", "ldconfig", "update-alternatives"), _rule("V-SYSTEM")
    ),
    "defaults": _defaults,
    "journalctl": _when(r"--vacuum|--rotate", "V-TRACES"),
    "wevtutil": _rule("V-TRACES"),
    "logrotate": _when(r"-f|--force", "V-TRACES"),
    **dict.fromkeys(
        ("xmrig", "minerd", "cpuminer", "ethminer", "cgminer", "t-rex", "nbminer"), _rule("V-EXHAUST")
    ),
    **dict.fromkeys(("stress", "stress-ng"), _rule("V-EXHAUST")),
    "yes": _yes,
    **dict.fromkeys(
        (
            "claude",
            "codex",
            "gemini",
            "cursor-agent",
            "qwen",
            "goose",
            "crush",
            "droid",
            "copilot",
            "opencode",
            "amp",
            "kiro",
            "aider",
        ),
        _agent,
    ),
    **dict.fromkeys(("code", "code-insiders", "cursor", "codium", "windsurf"), _editor),
    **dict.fromkeys(("powershell", "pwsh", "powershell.exe"), _powershell),
    "ffmpeg": _when(r"x11grab|avfoundation|gdigrab|dshow|\bv4l2|\balsa\b|\bpulse\b", "V-SPY"),
    **dict.fromkeys(("adb",), _when(r"screencap|screenrecord", "V-SPY")),
    "php": _when(r"(?:^|\s)-S\s+(?!localhost|127\.)", "V-TUNNEL"),
    "caddy": _when(r"file-server|run|reverse-proxy", "V-TUNNEL"),
    **dict.fromkeys(
        ("darkhttpd", "webfsd", "miniserve", "http-server", "serve", "httpd", "telnetd"),
        _when(r"^(?!.*(?:127\.0\.0\.1|localhost))", "V-TUNNEL"),
    ),
    **dict.fromkeys(("shutdown", "reboot", "halt", "poweroff", "init"), _rule("V-KILL", "high")),
    **dict.fromkeys(("nohup", "setsid", "daemonize", "screen", "tmux"), _rule("V-BACKGROUND")),
}
