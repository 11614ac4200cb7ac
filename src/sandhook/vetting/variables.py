"""Variables: which of them are secrets, and which make programs load code or trust other hosts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from sandhook.vetting.notes import Notes
from sandhook.vetting.rules import RuleId
from sandhook.vetting.state import BUNDLE, PROJECT
from sandhook.vetting.values import HOLE, NOTHING, Origin, Origins, Value

#: Variables that the shell itself sets.
_OWN = re.compile(
    r"BASH\w*|RANDOM|SRANDOM|SECONDS|EPOCH\w+|LINENO|FUNCNAME|OPTARG|OPTIND|OPTERR|REPLY|PIPESTATUS|PPID|UID|EUID|GROUPS|HOSTNAME"
    r"|HOSTTYPE|MACHTYPE|OSTYPE|SHELLOPTS|SHLVL|DIRSTACK|IFS|COLUMNS|LINES|COPROC|MAPFILE|PS[0-4]|[0-9@*#?$!_-]+|_"
)

_SECRET = re.compile(
    r"(?:^|_)(?:TOKENS?|SECRETS?|PASSWORD|PASSWD|PASS|PASSPHRASE|PWD|PAT|CREDENTIALS?|KEY|APIKEY|COOKIE|DSN)(?:_ID)?$|^AWS_SE|TOKEN$|PASSWORD$"
    r"|^(?:DATABASE|DB|MONGO(?:DB)?|REDIS|POSTGRES\w*|MYSQL|AMQP|RABBITMQ)_(?:URL|URI)$|CONNECTION_STRING"
)

#: Variables that say which machine it is, and what they say.
_MACHINE: Mapping[str, str] = {
    "USER": "the user", "LOGNAME": "the user", "USERNAME": "the user", "HOSTNAME": "the host", "SSH_CONNECTION": "network", "SSH_CLIENT": "network",
}  # fmt: skip

#: Whose tokens belong to which hosts; a token of theirs that goes elsewhere is stolen. Without hosts, only the
#: owner's own program sends it.
OWNERS: Mapping[str, tuple[str, ...]] = {
    "ANTHROPIC": ("anthropic.com", "claude.ai"),
    "CLAUDE": ("anthropic.com", "claude.ai"),
    "OPENAI": ("openai.com", "azure.com"),
    "GEMINI": ("googleapis.com",),
    "GOOGLE": ("googleapis.com", "google.com"),
    "GITHUB": ("github.com", "githubusercontent.com"),
    "GH": ("github.com", "githubusercontent.com"),
    "GITLAB": ("gitlab",),
    "NPM": (),
    "NODE_AUTH": (),
    "AWS": ("amazonaws.com", "aws.amazon.com"),
    "AZURE": ("azure.com", "microsoft.com"),
    "PYPI": (),
    "CARGO": (),
    "HF": ("huggingface.co",),
    "SSH": (),
}

#: Variables that make programs execute code: a name, and the values that do so.
_LOADING: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = (
    (
        re.compile(r"PS[0-4]"),  # a shell expands its prompts, and PS4 in every trace
        re.compile(r"(?:\$\(|`)[^)`]{0,300}?\b(?:curl|wget|nc|ncat|dig|nslookup|ssh|(?:ba|z|da)?sh|python3?|perl|eval)\b"),
    ),
    (re.compile(r"LD_(?:PRELOAD|AUDIT)|DYLD_(?:INSERT_LIBRARIES|FORCE_FLAT_NAMESPACE)"), re.compile(r".")),
    (re.compile(r"BASH_ENV|ENV|PROMPT_COMMAND|PYTHONSTARTUP|GIT_EXEC_PATH|GIT_TEMPLATE_DIR|GIT_CONFIG_(?:GLOBAL|SYSTEM)"), re.compile(r"^(?!/dev/null$).*[/$;]")),
    (re.compile(r"NODE_OPTIONS"), re.compile(r"--(?:require|import|loader|experimental-loader|inspect)|-r\s")),
    (re.compile(r"PERL5OPT|RUBYOPT|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS"), re.compile(r"-[Mmr]|javaagent|agentlib|agentpath")),
    (re.compile(r"LD_LIBRARY_PATH|DYLD_LIBRARY_PATH|PYTHONPATH|PERL5LIB|RUBYLIB|NODE_PATH"), re.compile(r"^(?:/tmp|/var/tmp|/dev/shm|~/\.)|/\.[^./v]")),
    (
        re.compile(r"GIT_(?:SSH|SSH_COMMAND|ASKPASS|PROXY_COMMAND|EDITOR|PAGER|EXTERNAL_DIFF|SEQUENCE_EDITOR)|SSH_ASKPASS|PAGER|EDITOR|LESSOPEN|MANPAGER|BROWSER"),
        re.compile(r"^[~/.$].*[/]|ProxyCommand|\bcurl\b|\bsh -c|\||;"),
    ),
)  # fmt: skip

#: Variables that say where packages come from and whether anybody checks them.
_PACKAGES: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = (
    (re.compile(r"(?:PIP|UV|POETRY)_(?:EXTRA_|DEFAULT_)?INDEX(?:_URL)?|(?i:npm_config_registry)|YARN_(?:NPM_)?REGISTRY\w*|CARGO_REGISTRIES_\w+|GEM_SOURCE|BUNDLE_MIRROR\w*|PUB_HOSTED_URL|HOMEBREW_\w*(?:REMOTE|DOMAIN)"), re.compile(r"^https?://(?!localhost|127\.)")),
    (re.compile(r"GOSUMDB|GONOSUMCHECK|PYTHONHTTPSVERIFY|NODE_TLS_REJECT_UNAUTHORIZED|(?i:npm_config_strict_ssl)|GIT_SSL_VERIFY"), re.compile(r"^(?:off|0|1|false)$")),
    (re.compile(r"GOINSECURE|GONOSUMDB|GONOSUMCHECK|PIP_TRUSTED_HOST|GIT_SSL_NO_VERIFY"), re.compile(r".")),
)  # fmt: skip

#: Variables that send the traffic of programs to another host, or trust whoever answers.
_ROUTING = re.compile(
    r"(?:ANTHROPIC|OPENAI|GEMINI|CLAUDE|GOOGLE)\w*_(?:BASE_)?(?:URL|ENDPOINT)|(?:HTTPS?|ALL)_PROXY|NODE_TLS_REJECT_UNAUTHORIZED|GIT_SSL_NO_VERIFY|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE"
)

_FOREIGN_DIRECTORY = re.compile(
    r"^(?:/tmp|/var/tmp|/dev/shm|~/\.(?!local/bin|cargo|npm|nvm|pyenv|rbenv|bun|deno|volta|asdf|local/share/(?:pnpm|mise|rtx|fnm|uv|claude|pipx|proto|containers|flatpak|JetBrains|gem|go|cargo|zinit|sheldon)|dotnet|go|sdkman|yarn|poetry|krew|config/yarn|rye|pixi|foundry|fzf)|/Users/Shared|/[^:]*/\.)"
)

#: Settings of Go that say where modules come from, and which of them nobody checks.
_SOURCES = frozenset({"GOPROXY", "GONOSUMDB", "GONOSUMCHECK", "GOINSECURE", "GONOPROXY", "GOSUMDB"})

_HISTORY = frozenset({"HISTFILE", "HISTSIZE", "HISTFILESIZE", "HISTCONTROL", "SAVEHIST"})


def origins_of(name: str) -> Origins | None:
    """Return the origins of a variable of the environment; None for one that the shell sets."""
    if name in _MACHINE:
        return frozenset({Origin("machine", _MACHINE[name])})
    if _OWN.fullmatch(name) or not name.isidentifier():
        return None
    if name in PROJECT or name in BUNDLE or name in ("HOME", "PWD", "OLDPWD", "PATH"):
        return NOTHING
    return frozenset({Origin("token", name)}) if _SECRET.search(name) else NOTHING


_COMPUTED = re.compile(r"(?<!\w)([A-Za-z_]\w*)(?:\[[^\]]*\])?\s*=(?!=)")


def computed_names(expression: str) -> frozenset[str]:
    """Return the names that an arithmetic expression assigns without a look at their values."""
    return frozenset(_COMPUTED.findall(expression))


#: What a host is for a token: its owner's, another's, or nobody knows.
Belonging = Literal["owner", "other", "unknown"]


def belonging(token: str, host: str) -> Belonging:
    """Return whose a host is, for a token."""
    owner = next((hosts for prefix, hosts in OWNERS.items() if token.startswith(f"{prefix}_")), None)
    if owner is None:
        return _named_alike(token.partition("_")[0].lower(), host.lower())
    return "owner" if any(each in host for each in owner) else "other"


#: Services whose hosts have their names, so that a token of theirs for another host is stolen.
_SERVICES = frozenset(
    [
        "stripe",
        "sendgrid",
        "twilio",
        "cloudflare",
        "digitalocean",
        "vercel",
        "heroku",
        "netlify",
        "slack",
        "notion",
        "linear",
        "mistral",
        "groq",
        "cohere",
        "replicate",
        "openrouter",
        "deepseek",
        "telegram",
        "discord",
        "sentry",
        "supabase",
        "airtable",
        "dropbox",
        "figma",
        "shopify",
        "algolia",
        "mailgun",
        "postmark",
        "circleci",
        "buildkite",
    ]
)

#: What belongs to a store or a machine, and to no host of the web.
_OWN_SECRETS = frozenset(
    [
        "database",
        "db",
        "pg",
        "postgres",
        "mysql",
        "redis",
        "mongo",
        "mongodb",
        "jwt",
        "session",
        "secret",
        "encryption",
        "signing",
        "master",
        "root",
        "sudo",
        "kube",
        "ssh",
        "gpg",
    ]
)


def _named_alike(prefix: str, host: str) -> Belonging:
    """Return whose a host is, for a token whose owner is in no table."""
    if prefix in host:
        return "owner"
    return "other" if prefix in _SERVICES or prefix in _OWN_SECRETS else "unknown"


def check_assignment(
    name: str, value: Value, notes: Notes, file: str, at: tuple[int, int], *, exported: bool
) -> None:
    """Report an assignment that changes what later commands load."""
    for text in value.texts:
        rule = loads(name, text, lasting=False)
        if rule is not None:
            notes.find(rule, f"{name}={text}", file, at)
    if name in _HISTORY and exported and value.any_text in ("", "/dev/null", "0"):
        notes.find("V-TRACES", f"{name}={value.any_text}", file, at)


def loads(name: str, text: str, *, lasting: bool) -> RuleId | None:
    """Return the rule that the assignment of a variable breaks, or None.

    Args:
        lasting: Later sessions and commands have it, too.
    """
    if name == "PATH":
        first = text.partition(":")[0]
        return "V-PATH" if _FOREIGN_DIRECTORY.match(first) and ":" in text else None
    if name.startswith("BASH_FUNC_") or any(
        names.fullmatch(name) and values.search(text) for names, values in _LOADING
    ):
        return "V-LOADER"
    if any(names.fullmatch(name) and values.search(text) for names, values in _PACKAGES):
        return "V-PACKAGE-SOURCE"
    if lasting and name in _SOURCES and text not in ("", "off", "direct"):
        return "V-PACKAGE-SOURCE"
    if (
        lasting
        and _ROUTING.fullmatch(name)
        and text not in ("", HOLE)
        and "localhost" not in text
        and "127.0.0.1" not in text
    ):
        return "V-LOADER"
    return None


_EXPORT = re.compile(
    r"(?:(?:export|declare -x)\s+)?(?P<name>[A-Za-z_]\w*)=(?P<value>.*)|set -gx\s+(?P<fish>[A-Za-z_]\w*)\s(?P<words>.*)"
)


def persists(text: str, notes: Notes, file: str, at: tuple[int, int]) -> bool:
    """Report the variables in a text that later shells execute; return whether it has nothing else."""
    has_rest = False
    for line in text.split("\n"):
        statement = line.strip().removesuffix(";").rstrip()
        match = _EXPORT.fullmatch(statement)
        if match is None:
            has_rest = has_rest or bool(statement)
            continue
        name, value = match["name"] or match["fish"], match["value"] or match["words"] or ""
        if len(value) > 1 and value[0] == value[-1] in "\"'":
            value = value[1:-1]
        rule = loads(name, value.replace("$HOME", "~"), lasting=True)
        if rule is not None:
            notes.find(rule, f"{name}={value} for later commands", file, at)
    return not has_rest
