"""Paths that matter: what reading, writing or deleting a path means, by its name.

Paths are in the notation of manifests, with HOLE for parts that are not known. Sources: the manuals of the programs
that own the files.
"""

from __future__ import annotations

import re
from typing import Literal

from sandhook.record import Record
from sandhook.vetting.rules import RuleId, Severity
from sandhook.vetting.values import HOLE, Origin

Access = Literal["read", "write", "delete"]

#: Ends of the names of shell scripts.
SHELL_SCRIPTS = (".sh", ".bash", ".zsh", ".ksh")


class Place(Record):
    """Paths that one rule is about.

    Attributes:
        rule: The rule.
        pattern: Searched in a path.
        accesses: The kinds of access that it is about.
        severity: Overrides that of the rule.
    """

    rule: RuleId
    pattern: re.Pattern[str]
    accesses: tuple[Access, ...]
    severity: Severity | None = None


_CHANGE: tuple[Access, ...] = ("write", "delete")
_AGENTS = r"\.(?:claude|codex|gemini|cursor|qwen|kiro|copilot|factory|windsurf|goose|grok|vibe|hermes|kimi|agents|jcode|continue)"
_BEGIN = rf"(?:^|[/{HOLE}])"
_END = rf"(?=$|[/*?{HOLE}])"


def _place(
    rule: RuleId, pattern: str, accesses: tuple[Access, ...] = _CHANGE, severity: Severity | None = None
) -> Place:
    return Place(rule, re.compile(pattern), accesses, severity)


#: The first place that fits decides.
PLACES: tuple[Place, ...] = (
    _place("V-LOGIN", rf"{_BEGIN}\.ssh/(?:authorized_keys|rc{_END})", ("write",)),
    _place("V-LOGIN", r"^/etc/(?:passwd|shadow|sudoers|group|pam\.d|ssh|security)"),
    _place("V-GIT-CONFIG", rf"{_BEGIN}\.ssh/config", ("write",)),
    _place(
        "V-READ-SECRET",
        rf"{_BEGIN}\.ssh(?:$|/(?!known_hosts|config$|authorized_keys|rc$|[^/]*\.pub$))",
        ("read", "write", "delete"),
    ),
    _place("V-READ-SECRET", rf"{_BEGIN}id_(?:rsa|dsa|ecdsa|ed25519){_END}", ("read",)),
    _place("V-READ-SECRET", rf"{_BEGIN}\.aws(?:$|/(?:credentials|sso|cli|\*|{HOLE}))", ("read",)),
    _place(
        "V-READ-SECRET",
        rf"{_BEGIN}(?:\.netrc|\.pgpass|\.git-credentials|\.pypirc|\.vault-token|\.boto|\.s3cfg|\.my\.cnf|\.dockercfg){_END}",
        ("read",),
    ),
    _place("V-READ-SECRET", r"^~/\.npmrc$|^~/\.m2/settings\.xml$", ("read",)),
    _place(
        "V-READ-SECRET",
        rf"{_BEGIN}(?:\.docker/config\.json|\.kube(?:$|/config)|\.config/(?:gh|hub|gcloud|op|rclone|doctl|solana|stripe)|\.azure|\.gnupg"
        rf"|\.password-store|\.cargo/credentials|\.terraform\.d/credentials|\.composer/auth\.json|\.local/share/keyrings){_END}",
        ("read",),
    ),
    _place(
        "V-READ-SECRET",
        rf"{_AGENTS}/(?:\.credentials|auth\.json|oauth_creds)",
        ("read",),
    ),
    _place("V-READ-SECRET", rf"{_BEGIN}\.claude\.json$", ("read",), "medium"),
    _place(
        "V-READ-SECRET",
        r"Library/Keychains|Login Data|/Cookies|cookies\.sqlite|logins\.json|key4\.db|\.mozilla|google-chrome|Google/Chrome"
        r"|BraveSoftware|wallet\.dat|\.bitcoin|\.ethereum|\.electrum|Exodus",
        ("read",),
    ),
    _place(
        "V-READ-SECRET",
        rf"^~/(?!{_AGENTS[2:]}/(?:projects|logs|state))\.(?:.*/)?[\w.-]*(?:tokens?|credentials?|secrets?|passw(?:or)?ds?|cookies?|keyring|keychain|wallet|oauth|ngrok\.yml|kaggle\.json|databrickscfg|accounts\.xml)[\w.-]*{_END}",
        ("read",),
    ),
    _place("V-READ-SECRET", r"^/etc/(?:shadow|gshadow|sudoers)|^/proc/[^/]*/(?:environ|mem)", ("read",)),
    _place("V-READ-SECRET", r"^/var/run/secrets|^/run/secrets", ("read",)),
    _place(
        "V-READ-SECRET",
        rf"^~/\.(?:(?:bash|zsh|sh|python|psql|mysql|sqlite|rediscli|node_repl)_history|zhistory){_END}|fish/fish_history",
        ("read",),
    ),
    _place(
        "V-PATH",
        r"^~/(?:\.local/)?bin/(?:git|gh|sudo|su|ssh|scp|bash|sh|zsh|python3?|pip3?|node|npm|npx|curl|wget|docker|kubectl|aws|claude|codex|gemini"
        rf"|ls|cat|grep|jq|sed|rm|cd|env|make|cargo|go){_END}",
        ("write",),
    ),
    _place(
        "V-PATH",
        rf"(?:^|/)\.?[\w-]*bin/(?:git|gh|sudo|ssh|scp|bash|sh|python3?|pip3?|node|npm|npx|pnpm|yarn|curl|wget|docker|kubectl|aws|claude|codex|gemini|cargo|go|make|ls|cat|rm){_END}",
        ("write",),
    ),
    _place(
        "V-PATH",
        rf"^~/(?:\.local/|\.cargo/|\.npm-global/|go/|\.bun/|\.deno/|\.volta/|\.pyenv/shims|\.rbenv/shims|\.asdf/shims)?/?bin/[\w.*{HOLE}-]+$"
        rf"|^/usr/local/s?bin/|^/opt/homebrew/s?bin/|{_BEGIN}(?:node_modules/\.bin|\.?venv/bin)/[\w.*{HOLE}-]+$",
        ("write",),
    ),
    _place(
        "V-READ-ENV-FILE",
        rf"{_BEGIN}(?:\.env(?:rc)?(?:\.[\w*]+|\*)?|[\w.-]*secrets?[\w.-]*\.(?:ya?ml|json|toml|env|txt)|service[_-]?account[\w.-]*\.json|credentials\.(?:json|ya?ml)|\.htpasswd|master\.key"
        r"|[\w.-]+\.(?:tfstate|tfvars|pem|key|p12|pfx|jks|keystore|kdbx|ovpn))$",
        ("read",),
    ),
    _place(
        "V-TRACES",
        rf"{_BEGIN}\.?(?:\w+_history|zhistory|lesshst|viminfo|python_history){_END}|fish_history|^/var/log|^/Library/Logs"
        r"|\.(?:bash|zsh)_sessions|/wtmp|/btmp|\.claude/(?:projects|history)|\.codex/sessions|audit[^/]*\.(?:log|jsonl)$",
        ("delete",),
    ),
    _place(
        "V-STARTUP",
        rf"{_BEGIN}\.(?:bash(?:rc|_profile|_login|_logout|_aliases)|zsh(?:rc|env)|zprofile|zlogin|zlogout|profile|kshrc|cshrc|tcshrc"
        rf"|login|inputrc|xprofile|xinitrc|xsession|vimrc|emacs|tmux\.conf|irbrc|Rprofile|gdbinit|pdbrc|envrc|screenrc){_END}",
        ("write",),
    ),
    _place("V-TRACES", rf"^~/\.(?:(?:bash|zsh|sh|python)_history|zhistory){_END}|fish_history", ("write",)),
    _place("V-STARTUP", r"NativeMessagingHosts|mimeapps\.list$", ("write",)),
    _place(
        "V-STARTUP", rf"^~/\.[\w{HOLE}]*{HOLE}[\w{HOLE}]*(?:rc|profile|login|logout|env|aliases)$", ("write",)
    ),
    _place(
        "V-STARTUP",
        rf"^~/(?!\.cache/|\.local/state/|\.local/share/(?!applications/|nvim/|vim/|systemd/|dbus-1/|gnome-shell/|nautilus/|jupyter/|fish/|zsh/)|{_AGENTS[2:]}/)(?:\.[\w-]+/(?:[^/]+/)*|Library/(?:[^/]+/)+|\.)"
        rf"(?:(?:config|settings|profile|init|startup|tasks|keybindings|preferences|alias(?:es)?|autoload|user)(?:\.(?!jsonl|log|txt|md)\w+)?|[\w-]*rc(?:\.(?!md|txt|log|jsonl|bak)\w+)?"
        rf"|[\w.-]+\.(?:conf|cfg|ini|toml|lua|el|vim|desktop|service|timer|socket|plist|properties|gradle|jl|zsh|fish|so|dylib|scpt)){_END}",
        ("write",),
    ),
    _place(
        "V-STARTUP",
        r"config/fish|(?:bash-completion/completions|\.bash_completion|zsh/site-functions|nautilus/scripts|plasma-workspace/env|jupyter/kernels)(?:/|$)|\.vscode(?:-server|-insiders)?/extensions|\.cursor/extensions|^~/\.vim/|^~/\.emacs\.d/|site-packages/|dist-packages/|node_modules/(?!\.)[^/]+/|^/etc/(?:profile|bash|zsh|environment)|config/autostart|config/nvim|\.vim/plugin|PowerShell/.*rofile"
        r"|(?:site|user)customize\.py|\.pth$|\.vscode/(?:tasks|settings)\.json|\.oh-my-zsh|\.pythonrc|config/environment\.d",
        ("write",),
    ),
    _place(
        "V-SCHEDULE",
        r"^/etc/(?:cron|init\.d|rc\.local|systemd|anacron)|^/var/spool/(?:cron|at)|Library/Launch(?:Agents|Daemons)|systemd/(?:user|system)"
        r"|Start Menu/Programs/Startup|^/etc/periodic",
        ("write",),
    ),
    _place(
        "V-GIT-HOOK",
        rf"\.git/(?:modules/.*/)?hooks{_END}|{_BEGIN}\.husky{_END}|git/templates?/hooks",
        ("write",),
    ),
    _place("V-DELETE", rf"\.git/(?:objects|refs|index|HEAD|packed-refs){_END}", ("write",)),
    _place("V-DISABLE", rf"\.git/hooks{_END}|{_BEGIN}\.husky{_END}", ("delete",)),
    _place(
        "V-DISABLE",
        rf"{_BEGIN}(?:\.gitleaks(?:\.toml|ignore)|\.trivyignore|\.snyk|\.semgrepignore|\.semgrep\.ya?ml|\.bandit|\.secrets\.baseline|\.github/(?:CODEOWNERS|dependabot\.ya?ml)"
        rf"|CODEOWNERS|\.pre-commit-config\.yaml|lefthook\.ya?ml|\.checkov\.ya?ml|\.trufflehog[\w.]*|\.talismanrc){_END}",
    ),
    _place(
        "V-PIPELINE",
        rf"{_BEGIN}(?:\.github/(?:workflows|actions)|\.gitlab-ci\.ya?ml|\.circleci|\.buildkite|\.drone\.yml|\.devcontainer|azure-pipelines[^/]*\.ya?ml"
        rf"|bitbucket-pipelines\.yml|Jenkinsfile|\.pre-commit-config\.yaml|lefthook\.ya?ml|\.gitpod\.ya?ml){_END}",
        ("write",),
    ),
    _place(
        "V-PIPELINE",
        rf"^(?!~/\.|/tmp/|/var/)(?:.*[/{HOLE}])?(?:GNUmakefile|[Mm]akefile|[\w.-]+\.mk|package\.json|composer\.json|conftest\.py|setup\.(?:py|cfg)|pyproject\.toml|tox\.ini|noxfile\.py|tasks\.py|build\.rs|Cargo\.toml"
        rf"|build\.gradle(?:\.kts)?|settings\.gradle|pom\.xml|CMakeLists\.txt|Rakefile|Gemfile|[\w.-]+\.gemspec|(?:[\w.-]+\.)?Dockerfile[\w.-]*|(?:docker-)?compose[\w.-]*\.ya?ml"
        rf"|[Jj]ustfile|Taskfile\.ya?ml|[\w.-]+\.config\.[cm]?[jt]s|\.(?:eslint|prettier|babel|mocha|stylelint)rc(?:\.[cm]?js)?|[Gg]ulpfile\.[jt]s|Gruntfile\.js|mise\.toml|\.mise\.toml"
        rf"|\.tool-versions|\.bazelrc|WORKSPACE|BUILD(?:\.bazel)?|Vagrantfile|Procfile|Brewfile|flake\.nix|shell\.nix|manage\.py|\.pnp\.cjs|\.pnpmfile\.cjs|Directory\.Build\.\w+|[\w.-]+\.csproj"
        rf"|package-lock\.json|yarn\.lock|pnpm-lock\.yaml|Cargo\.lock|poetry\.lock|uv\.lock|Gemfile\.lock|composer\.lock|go\.sum|deno\.jsonc?|\.gitmodules|requirements[\w.-]*\.txt|go\.mod|build\.xml|meson\.build|configure|\.idea/[\w./-]+|\.vscode/(?:launch|extensions)\.json|\.?pytest\.ini|\.?pylintrc|\.flake8|\.rubocop\.yml|\.mocharc\.\w+|\.swcrc|\.bundle/config|\.exrc|\.nvimrc|\.nvim\.lua|\.dir-locals\.el|\.lldbinit){_END}",
        ("write",),
        "low",
    ),
    _place(
        "V-GIT-CONFIG",
        rf"{_BEGIN}\.git/(?:config|info/attributes){_END}|{_BEGIN}\.gitconfig{_END}|config/git/",
        ("write",),
    ),
    _place(
        "V-AGENT-CONFIG",
        rf"{_AGENTS}/(?:[^/]+/)*(?:settings[^/]*\.json|config\.(?:toml|json|ya?ml)|hooks\.(?:json|ya?ml|toml)|mcp[^/]*\.json"
        rf"|(?:hooks|agents|commands|skills|plugins|extensions)/?(?:$|[*{HOLE}]|.*[*{HOLE}]|.*\.(?:sh|bash|py|[cm]?js|ts|rb|md|json|toml)$))",
    ),
    _place(
        "V-AGENT-CONFIG",
        rf"{_BEGIN}(?:\.claude\.json|\.mcp\.json|crush\.json|claude_desktop_config\.json|opencode\.jsonc?|\.zed/(?:settings|tasks)\.json|\.continue/config|managed-settings[^/]*\.json|\.github/hooks)",
    ),
    _place(
        "V-AGENT-CONFIG",
        rf"{_BEGIN}(?:\.cline(?:rules)?/hooks|Documents/Cline/Hooks)(?:/|$)",
    ),
    _place(
        "V-AGENT-CONFIG", rf"^~/{_AGENTS}$|^\./{_AGENTS}(?:/hooks)?$|\.config/(?:crush|goose)", ("delete",)
    ),
    _place("V-DISABLE", rf"{_BEGIN}\.(?:claude|codex|gemini|cursor)ignore$|\.git/info/exclude", ("delete",)),
    _place("V-AGENT-CONFIG", rf"{_BEGIN}[^/]*(?:guard|sandhook)[^/]*\.(?:sh|py|js|json)$"),
    _place(
        "V-INSTRUCTIONS",
        rf"{_BEGIN}(?:(?:CLAUDE|AGENTS|GEMINI|QWEN|MEMORY)(?:\.\w+)?\.md|\.cursorrules|\.windsurfrules|\.cursor/rules|copilot-instructions\.md|\.clinerules|\.roo(?:rules)?|\.goosehints|\.aider\.conf\.yml|\.windsurf/rules|\.junie/guidelines\.md|WARP\.md|CONVENTIONS\.md|\.github/instructions/)",
        ("write",),
    ),
    _place(
        "V-PACKAGE-SOURCE",
        rf"{_BEGIN}(?:\.npmrc|\.yarnrc(?:\.yml)?|pip\.conf|\.pip|\.gemrc|bunfig\.toml|\.cargo/config|\.m2/settings\.xml|\.condarc)|^/etc/(?:apt|yum)",
        ("write",),
    ),
    _place("V-DESTROY", r"^/dev/(?:sd|hd|vd|nvme|disk|rdisk|mmcblk|mapper)", ("write", "delete", "read")),
    _place("V-SYSTEM", r"^/(?:proc/(?!self/fd|\d+/fd|[^/]*/oom_)|sys/)", ("write",)),
    _place("V-SYSTEM", r"^/(?:etc|usr|bin|sbin|lib|lib64|boot|System|Library)(?:/|$)"),
)

#: Devices whose reader never comes to an end.
ENDLESS = frozenset({"/dev/zero", "/dev/urandom", "/dev/random", "/dev/full"})

_CONVERSATIONS = re.compile(
    rf"{_AGENTS}/(?:projects|history|sessions|transcripts|logs|chats|tmp)(?:/|\.jsonl?|$)"
)
_MACHINE = re.compile(
    r"^/etc/(?:passwd|group|hostname|hosts|os-release|machine-id|issue|resolv\.conf)$|^/proc/(?:cpuinfo|version|meminfo|net/|\d+/|\*/)"
)


def facts_in(path: str) -> Origin | None:
    """Return what can be read in a file about its user's conversations or machine; None for most files."""
    if _CONVERSATIONS.search(path):
        return Origin("transcript", path)
    return Origin("machine", path) if _MACHINE.search(path) else None


#: Files of a tree whose deletion nobody gets back, as the operand of a recursive deletion.
_TREES = re.compile(
    rf"^(?:/|~|\.|\.\.|/\*|~/\*|\./\*|\.\./\*|/home(?:/[^/]*)?|/Users(?:/[^/]*)?|/root|/(?:etc|usr|var|bin|lib|opt|boot)|~/\.\*"
    rf"|~/[^.][^/]*/?\*?|(?:.*/)?\.git(?:/(?:objects|refs|\*).*)?|{HOLE}/?\*?/?)$"
)

#: Deletions that are usual in a build, whatever their first directory.
_BUILT = re.compile(
    r"(?:^|/)(?:node_modules|dist|build|target|out|coverage|\.cache|cache|tmp|__pycache__|\.next|\.turbo|\.pytest_cache|\.mypy_cache)(?:/|$)"
)


def places_of(path: str, access: Access) -> Place | None:
    """Return the first place that a path is in, for one kind of access."""
    for place in PLACES:
        if access in place.accesses and place.pattern.search(path):
            return place
    return None


def is_precious(path: str) -> bool:
    """Return whether the recursive deletion of a path removes work or a system."""
    return bool(_TREES.match(path)) and not _BUILT.search(path)
