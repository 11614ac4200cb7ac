"""Tools of a developer: package managers, containers, agents, editors."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from sandhook.vetting.call import Call
from sandhook.vetting.effects import packages
from sandhook.vetting.effects.network import sends
from sandhook.vetting.effects.programs import report_downloads
from sandhook.vetting.values import HOLE, Origin, Value
from sandhook.vetting.variables import loads

Effect = Callable[[Call], "Value | None"]


#: Powers over the machine in a file of compose.
_COMPOSED = re.compile(r"privileged:\s*true|-\s*[\"']?/:/|/var/run/docker\.sock|pid:\s*[\"']?host")


def _docker(call: Call) -> Value | None:
    line = " ".join(call.texts)
    if any(_COMPOSED.search(text) for text in call.stdin.texts):
        call.find("V-CONTAINER", f"{call.name}: a container with powers over the machine")
    if call.texts[:1] == ["push"]:
        host = call.operands[-1].any_text.partition("/")[0]
        sends(call, frozenset({Origin("file", "tree")}), host if "." in host else "docker.io")
    if re.search(
        r"^(?:volume (?:rm|prune)|system prune\b.*(?:--volumes|-\w*a)|compose\b.*\bdown\b.*(?:-v\b|--volumes|--rmi)|rm\b.*-\w*v|rmi\b.*-\w*f)",
        line,
    ):
        call.find("V-DELETE")
    if re.search(r"^(?:build|buildx build)\b.*\s(?:https?://|git@|git://|github\.com/)", line):
        call.find("V-RUN-DOWNLOAD", call.line)
    if re.search(
        r"--privileged|--pid[= ]host|(?:-v|--volume|--mount)[= ]*(?:type=bind,source=)?(?:/|~|/etc|/home|/var/run/docker\.sock)[:,]",
        line,
    ):
        call.find("V-CONTAINER")
    return None


#: Options with which a package is installed whatever it is.
_UNCHECKED = re.compile(
    r"--allow-unauthenticated|--force-yes|--nogpgcheck|--no-gpg-checks?|--allow-untrusted|AllowInsecureRepositories|trusted=yes|--trusted-host|strict-ssl[= ]false|--no-verify-ssl|--insecure\b"
)


#: A setting of a package manager that is a secret.
_SECRET_SETTING = re.compile(r"^config (?:get|ls|list)\b.*(?:_?auth|token|passw)", re.IGNORECASE)


def _package(call: Call) -> Value | None:
    line = " ".join(call.texts)
    report_downloads(call)
    packages.report(call)
    if _SECRET_SETTING.search(line):
        call.find("V-READ-SECRET", call.line, "medium")
        return Value((HOLE,), frozenset({Origin("secret", f"{call.name} {line[:40]}")}))
    if re.match(r"(?:npm|pnpm|yarn) (?:pkg set scripts|set-script)", call.line):
        call.find("V-PIPELINE", call.line, "high")
    if re.match(r"(?:unpublish|yank)\b", line):
        call.find("V-DELETE", call.line)
    if _UNCHECKED.search(line):
        call.find("V-PACKAGE-SOURCE")
    if re.search(
        r"(?i:config (?:--global )?(?:set|--add|repositories)\b.*(?:registry|proxy|script-shell|ignore-scripts|strict-ssl|index-url|trusted-host|mirror|repositor|channels))|^sources? (?:-a|--add|add)|^(?:source|repo) add\b|--(?:extra-)?index-url[= ]|--registry[= ]|--trusted-host",
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
        call.find(
            "V-SEND-FILE" if "publish" in line and "--dry-run" not in line else "V-LOGIN",
            call.line,
            "high" if "--dry-run" not in line else "low",
        )
    elif re.search(
        r"(?:install|add|exec|dlx|download|wheel|i|x)\s.*(?:https?://|git\+|github:|git@)", line
    ) or (
        call.name in ("npx", "bunx", "uvx", "pipx", "deno", "bun")
        and re.search(r"(?:https?://|git\+|github:)", line)
    ):
        call.find("V-RUN-DOWNLOAD")
    elif call.name == "go" and (settings := re.match(r"env -w (.*)", line)) is not None:
        for name, value in re.findall(r"(\w+)=(\S*)", settings[1]):
            if (rule := loads(name, value, lasting=True)) is not None:
                call.find(rule, call.line)
    elif re.search(r"(?:install|add|i)\s+-g|install --global|--user\b|install --break-system", line):
        call.find("V-RUN-WRITTEN", call.line)
    return None


#: Words that switch an agent's questions off.
_FREE = re.compile(
    r"--dangerously|--yolo\b|--full-auto|bypassPermissions|--allow-all|--skip-permissions|--no-sandbox|approval[-_]policy[= ]never|--trust-all|danger-full-access|--auto-approve"
)


def _agent(call: Call) -> Value | None:
    """An agent that a hook starts or sets up."""
    line = " ".join(call.texts)
    if any(word.has("download", "decoded") for word in (*call.words, call.stdin)):
        call.find("V-RUN-DOWNLOAD", f"an agent gets its task from the network: {call.line}")
    if _FREE.search(line):
        call.find("V-DISABLE", call.line)
    elif re.match(
        r"(?:mcp|plugins?|extensions?|config|settings|marketplace|hooks)\s+(?:add|set|install|enable|link|import|remove|rm|disable|uninstall|marketplace)",
        line,
    ):
        call.find("V-AGENT-CONFIG", call.line)
    return None


def _types(call: Call) -> Value | None:
    """tmux, screen, kitty: they type into another terminal, or run a command there."""
    line = " ".join(call.texts)
    match = re.search(r"\b(?:send-keys|send|stuff|send-text|paste-buffer)\b(?P<text>.*)", line, re.DOTALL)
    if match is not None:
        call.find("V-RUN-TEXT", f"types into another terminal: {call.line}", "high")
    elif call.name in ("tmux", "screen"):
        call.find("V-BACKGROUND")
    return None


def _editor(call: Call) -> Value | None:
    line = " ".join(call.texts)
    if "--add-mcp" in line:
        call.find("V-AGENT-CONFIG")
    elif "--install-extension" in line:
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


def _plugins(call: Call) -> Value | None:
    """helm, asdf and others: plug-ins from anywhere, and sources of packages."""
    line = " ".join(call.texts)
    if re.match(r"plugins?(?: |-)(?:add|install)\b.*(?:://|/)", line):
        call.find("V-DOWNLOAD-EXEC", call.line)
    elif re.match(r"(?:repo|remote-add|nuget) add\b|remote-add\b", line):
        call.find("V-PACKAGE-SOURCE", call.line)
    return None


EFFECTS: Mapping[str, Effect] = {
    **dict.fromkeys(("helm", "asdf", "mise", "flatpak", "dotnet", "krew"), _plugins),
    **dict.fromkeys(("tmux", "screen", "kitty", "wezterm", "zellij"), _types),
    **dict.fromkeys(("docker", "podman", "nerdctl"), _docker),
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
}
