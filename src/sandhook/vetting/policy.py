"""What may go where: one judgement for every source that reaches a sink, whatever commands lie between them.

The effects of commands say what is read (an origin) and where it goes (a sink). This module says what that means. What
is not known counts against a hook where a hook has no need of it: a text that is executed and stands in a data file,
a destination that the script's author chose for what its user wrote.

Sinks: a host, an executed text or name, a stored file, a removed file.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator

from sandhook.record import Record
from sandhook.vetting.rules import RuleId, Severity
from sandhook.vetting.values import HOLE, Origin, Origins, Value
from sandhook.vetting.variables import belonging

#: The name of the origin "payload" for names, numbers and paths, which are not what the user or the model wrote.
METADATA = "metadata"

_ADDRESS = re.compile(r"^\d{1,3}(?:\.\d{1,3}){3}$|^0x[0-9a-fA-F]+$|^\d{8,10}$")
_PRIVATE = re.compile(
    r"^(?:localhost|127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|\[?::1|host\.docker\.internal|[^.]+\.local(?:host)?$|0\.0\.0\.0)"
)

#: Services that show what anybody sends to them, and make tunnels.
DROPS = re.compile(
    r"webhook\.site|requestbin|pipedream|ngrok|interact\.sh|oast\.|burpcollaborator|transfer\.sh|0x0\.st|pastebin|file\.io|termbin|ix\.io"
    r"|paste\.rs|beeceptor|hookbin|canarytokens|dnslog|trycloudflare|gofile|anonfiles|temp\.sh|oshi\.at|\.onion"
)

#: Files that are made to be uploaded.
_REPORT = re.compile(
    r"coverage|lcov|junit|report|sarif|benchmark|metrics|badge|(?:^|/)(?:dist|build|target|out|site|_site|public)/|test-results",
    re.IGNORECASE,
)

#: The name of the origin "file" for what git says about changes without their texts.
SUMMARY = "git's summary"

#: Files whose texts shells are meant to execute.
_SCRIPT = re.compile(
    r"(?:^|/)package\.json$|(?:config|settings|commands|checks)[\w.-]*$|^(?:\./)?\.(?:claude|codex|cursor|gemini)/[\w./-]+\.(?:json|ya?ml|toml|conf|txt|ini)$|\.(?:sh|bash|zsh|ksh)$|(?:^|/)\.?(?:env(?:rc)?|flaskenv)(?:\.[\w*]+)?$|\.env$|/activate$|rc$|^git rev-parse"
)


class Verdict(Record):
    """What a flow means: the rule, a detail for people, and the severity where it is not that of the rule."""

    rule: RuleId
    detail: str
    severity: Severity | None = None


def local(host: str) -> bool:
    """Return True for a host that is this machine or on its own network."""
    return bool(_PRIVATE.match(host))


def is_exposed(host: str) -> bool:
    """Return True for an address without a name, and for a service that shows what anybody sends to it."""
    return bool(_ADDRESS.match(host) or DROPS.search(host))


def is_chosen_by_author(host: str, origins: Origins) -> bool:
    """Return True for a host that the script has; False for one that the user configures in the environment."""
    known = host.replace(HOLE, "")
    if re.search(r"[\w-]\.[a-zA-Z][\w-]*$|\d", known):
        return True
    if host != HOLE:
        return False
    return any(
        each.kind in ("download", "decoded", "assembled", "printed")
        or (each.kind == "file" and each.name.startswith("./"))
        for each in origins
    )


def sent(origins: Origins, host: str, where: Origins) -> Iterator[Verdict]:
    """Yield what it means that data goes to a host.

    Args:
        origins: Those of the data.
        where: Those of the host's name.
    """
    if local(host):
        return
    kinds = {origin.kind for origin in origins}
    names = {origin.name for origin in origins if origin.kind in ("secret", "environment", "transcript")}
    authors = is_chosen_by_author(host, where)
    exposed = is_exposed(host)
    if kinds & {"secret", "environment", "transcript"}:
        what = ", ".join(sorted(filter(None, names))) or "the transcript"
        yield Verdict("V-SEND-SECRET", f"{what} to {host}")
    for origin in origins:
        if origin.kind == "token" and authors:
            whose = belonging(origin.name, host)
            if whose == "other" or (whose == "unknown" and exposed):
                yield Verdict("V-SEND-TOKEN", f"{origin.name} to {host}")
    if "payload" in kinds:
        texts = any(each.kind == "payload" and each.name not in (METADATA, "transcript") for each in origins)
        yield Verdict("V-SEND-PAYLOAD", f"to {host}", "high" if exposed or (texts and authors) else None)
    files = sorted(origin.name for origin in origins if origin.kind == "file")
    if files:
        own = any(not _REPORT.search(each) and each != SUMMARY for each in files)
        severe = exposed or {"tree", "."} & set(files) or (own and authors)
        yield Verdict("V-SEND-FILE", f"{', '.join(files)} to {host}", "high" if severe else None)
    facts = sorted(origin.name for origin in origins if origin.kind == "machine")
    if facts:
        severe = exposed or (authors and (len(facts) > 2 or "processes" in facts or "network" in facts))
        yield Verdict("V-SEND-MACHINE", f"{', '.join(facts)} to {host}", "high" if severe else None)


#: Rules for what is executed, by the origin of the text or of the name.
_BY_ORIGIN: tuple[tuple[tuple[str, ...], RuleId], ...] = (
    (("download",), "V-RUN-DOWNLOAD"),
    (("decoded", "assembled"), "V-RUN-DECODED"),
    (("payload",), "V-RUN-PAYLOAD"),
)


def executed(value: Value, how: str) -> Verdict | None:
    """Return what it means that a shell executes a text."""
    whole = all(text.strip(f"{HOLE} \n;*") == "" for text in value.texts)
    for kinds, rule in _BY_ORIGIN:
        if any(origin.kind in kinds for origin in value.origins):
            partly = rule == "V-RUN-PAYLOAD" and not whole
            return Verdict(rule, f"{how}: {value.any_text}", "medium" if partly else None)
    if "letters" in value.names("mixed"):
        return Verdict("V-OBFUSCATED", f"{how}: {value.any_text}")
    if not whole or value.texts == ("",):
        return None
    data = _data(value.origins)
    if data:
        return Verdict("V-RUN-TEXT", f"{how} of what {', '.join(data)} has", "high")
    printed = {origin.name for origin in value.origins if origin.kind == "printed"}
    if printed - (_ENVIRONMENTS if how in ("eval", "source") else frozenset()):
        return Verdict("V-RUN-TEXT", f"{how} of what {', '.join(sorted(printed))} prints", "high")
    return Verdict("V-RUN-TEXT", f"{how} of a text that is not known")


def computed(value: Value) -> Verdict | None:
    """Return what it means that a shell computes with a text: it runs the substitutions in a subscript."""
    if all(_NUMBER.fullmatch(text) for text in value.texts):
        return None
    fields = {each.name for each in value.origins if each.kind == "field"}
    hosts = sorted(each.name for each in value.origins if each.kind == "download" and not local(each.name))
    if set(hosts) - fields:
        return Verdict("V-RUN-DOWNLOAD", f"computes with what {', '.join(hosts)} sends")
    hidden = sorted(each.name for each in value.origins if each.kind == "decoded" and each.name in _ENCODINGS)
    if hidden or value.has("assembled"):
        detail = f"computes with what {', '.join(hidden) or 'pieces'} made"
        return Verdict("V-RUN-DECODED", detail, None if set(hidden) - fields or not hidden else "medium")
    return None


_NUMBER = re.compile(r"[\s\d+*/%()<>=&|^~!,?:.A-Za-z_-]*")

#: Programs that decode what no tool prints for others to compute with.
_ENCODINGS = frozenset(
    {
        "base64",
        "base32",
        "basenc",
        "xxd",
        "openssl",
        "gzip",
        "gunzip",
        "zcat",
        "uudecode",
        "gpg",
        "printf",
        "echo -e",
    }
)


def named(value: Value, name: str) -> Verdict:
    """Return what it means that the name of a command is not known."""
    for kinds, rule in _BY_ORIGIN:
        if any(origin.kind in kinds for origin in value.origins):
            return Verdict(rule, f"the command {name} is computed")
    data = [*_data(value.origins), *(each.name for each in value.origins if each.name == "git config")]
    if data:
        return Verdict("V-RUN-COMPUTED", f"the command {name} is from {', '.join(data)}", "high")
    return Verdict("V-RUN-COMPUTED", f"the command {name} is computed")


#: Programs that print assignments and functions for a shell.
_ENVIRONMENTS = frozenset(
    [
        "atuin",
        "asdf",
        "gh",
        "curl",
        "aws",
        "brew",
        "cargo",
        "chezmoi",
        "conda",
        "dircolors",
        "direnv",
        "docker",
        "docker-machine",
        "doppler",
        "dotenv",
        "eb",
        "envsubst",
        "fnm",
        "fzf",
        "gcloud",
        "getopt",
        "goenv",
        "gpg-agent",
        "guix",
        "hatch",
        "helm",
        "jenv",
        "keychain",
        "kubectl",
        "lesspipe",
        "lmod",
        "locale",
        "luarocks",
        "mamba",
        "mcfly",
        "micromamba",
        "minikube",
        "mise",
        "modulecmd",
        "nix",
        "nodenv",
        "npm",
        "nvm",
        "opam",
        "op",
        "pdm",
        "perl",
        "php",
        "pipenv",
        "pixi",
        "pnpm",
        "podman",
        "poetry",
        "proto",
        "pyenv",
        "python",
        "python3",
        "node",
        "ruby",
        "rbenv",
        "register-python-argcomplete",
        "resize",
        "rtx",
        "rustup",
        "rye",
        "sdk",
        "spack",
        "ssh-agent",
        "starship",
        "stat",
        "thefuck",
        "tput",
        "tset",
        "uv",
        "vault",
        "volta",
        "yarn",
        "yq",
        "zoxide",
        "devbox",
        "fzf",
        "date",
    ]
)


def _data(origins: Origins) -> list[str]:
    """Return the files from which a text comes that are no scripts."""
    return sorted(
        origin.name or "a secret"
        for origin in origins
        if origin.kind in ("file", "secret") and not _SCRIPT.search(origin.name)
    )


#: Directories and files that a build, a tool or the hook itself makes again.
_MADE_AGAIN = re.compile(
    r"(?:^|/)(?:node_modules|dist|build|target|out|coverage|htmlcov|tmp|temp|logs?|\.?backups?|artifacts?|generated|_site|site|storybook-static|obj"
    r"|[\w.-]*cache[\w.-]*|__pycache__|\.(?:next|nuxt|turbo|tox|nox|venv|svelte-kit|parcel|gradle|eggs|nyc_output|vite|terraform|coverage)|venv|DerivedData"
    r"|(?:\.claude|\.codex|\.gemini|\.cursor)/(?:state|tmp|logs?|run|locks?|checkpoints|backups|snapshots)|[\w.-]+\.egg-info|test-results|playwright-report)(?:/|$)"
    r"|\.(?:pyc|pyo|o|log|tmp|temp|bak|orig|rej|lock|pid|swp|map|tsbuildinfo|out|coverage|sock|new|old|state|cache|count|stamp|done|flag|marker)$|\.DS_Store$|~$"
)
_TEMPORARY = re.compile(r"^(?:/tmp|/var/tmp|/private/tmp|/dev/shm|/run|\$TMPDIR)(?:/|$)")


def is_made_again(path: str) -> bool:
    """Return True for a path that a build or the hook itself makes again."""
    return bool(_MADE_AGAIN.search(path) or _TEMPORARY.match(path))


def removed(paths: Iterable[str], word: Value, own: Iterable[str], *, recursive: bool) -> Iterator[Verdict]:
    """Yield what it means that files are removed or emptied.

    Args:
        paths: In the notation of manifests.
        word: The operand.
        own: What the script wrote.
        recursive: Whole trees.
    """
    made = any(name != "found" for name in word.names("mixed"))
    for path in paths:
        if made or is_made_again(path) or any(f"{path}/".startswith(f"{each}/") for each in own):
            continue
        whole = path.strip("/*") == HOLE
        if whole and word.has("payload"):
            yield Verdict("V-DELETE", "removes the file that a tool is about")
        elif whole and word.has("file", "secret", "download"):
            yield Verdict("V-DELETE", f"removes {', '.join(sorted(each.name for each in word.origins))}")
        elif (recursive or "*" in posixpath.basename(path)) and HOLE not in path and path[:1] in ".~/":
            yield Verdict("V-DELETE", f"removes {path}")


#: What a program does with a file or a text that starts something.
_STARTS = re.compile(
    r"https?://|\b(?:curl|wget|nc|ncat|socat)\b|\b(?:ba|z|da)?sh\s+-c\b|\|\s*(?:ba|z|da)?sh\b|\bsystem\s*\(|\bpopen\b|\bexec\w*\s*[(\"']|child_process|subprocess"
    r"|\bos\.(?:system|popen|exec)|init-hook|__import__|\beval\b|base64|\$\(shell|/tmp/|/dev/shm|/dev/tcp|~/\.|\$HOME/\.|\$\{HOME\}/\."
)

#: Scripts of a package that its installation runs.
_LIFECYCLE = re.compile(
    r"scripts[\"'.\[\]\s]*(?:pre|post)?(?:install|prepare|publish|pack|version|test|build|dev|start|uninstall)\b[\"'\]]*\s*[|+]?=(?!=)"
    r"|\"(?:(?:pre|post)(?:install|test|build|publish)|prepare|install|test|build|start|dev|lint)\"\s*:|\"prepare\"\s*:|\b(?:pre|post)install\s*="
)


def starts_something(text: str) -> bool:
    """Return True for a text that, in a file of a build or an editor, runs programs or fetches something."""
    return bool(_STARTS.search(text) or _LIFECYCLE.search(text))


def payload_part(text: str, name: str = "") -> Origin:
    """Return the origin of what a filter takes out of a payload, by the names in its text."""
    words = set(_FIELD.findall(text))
    if name != METADATA and (not words & _NAMES or words & _TEXTS):
        return Origin("payload", name)
    return Origin("payload", METADATA)


_FIELD = re.compile(r"[A-Za-z_]\w*")
_NAMES = frozenset(
    [
        "tool_name",
        "hook_event_name",
        "session_id",
        "cwd",
        "file_path",
        "path",
        "message",
        "title",
        "notification_type",
        "reason",
        "source",
        "model",
        "display_name",
        "stop_hook_active",
        "permission_mode",
        "transcript_path",
        "agent_type",
        "timestamp",
        "tool_use_id",
        "trigger",
        "current_dir",
        "total_cost_usd",
        "version",
        "length",
        "toolName",
        "sessionId",
        "notebook_path",
        "workspace",
        "conversation_id",
        "turn_id",
        "generation_id",
        "status",
        "duration_ms",
    ]
)
_TEXTS = frozenset(
    [
        "prompt",
        "content",
        "command",
        "tool_response",
        "tool_output",
        "new_string",
        "old_string",
        "last_assistant_message",
        "output",
        "stdout",
        "response",
        "text",
        "url",
        "query",
        "messages",
        "transcript",
        "user_prompt",
        "arguments",
        "args",
        "input",
        "tojson",
        "tostring",
        "edits",
    ]
)


def is_told(content: Value) -> bool:
    """Return True for a text that instructs an agent: sentences of the script, or what nobody here wrote."""
    if content.has("download", "decoded", "payload", "assembled"):
        return True
    return any(len(re.findall(r"[A-Za-z]{2,}", text.replace(HOLE, ""))) > 3 for text in content.texts)
