"""Names of files that programs of a host execute or obey without being asked.

A script that may write such a file decides what runs later: an agent's hooks, git's hooks, the start of a
shell. They are not written back to a host, and not shown to its programs, unless they are named.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from sandhook.lazy import lazily

#: Files that a shell, an editor or a tool reads when it starts in their directory.
_START_UP_NAMES = """
    .bash_aliases .bash_login .bash_logout .bash_profile .bashrc .bazelrc .condarc .cshrc .curlrc .emacs .env .envrc
    .exrc .forward .gdbinit .gemrc .ghci .gitattributes .gitconfig .gitmodules .inputrc .irbrc .kshrc .lldbinit .login
    .logout .mailrc .mcp.json .mise.toml .my.cnf .netrc .npmrc .nvimrc .octaverc .pam_environment .pdbrc .pnp.cjs
    .pnp.loader.mjs .pnpmfile.cjs .pre-commit-config.yaml .profile .pryrc .psqlrc .pypirc .renviron .rhosts .rprofile
    .screenrc .sqliterc .tcshrc .tmux.conf .tool-versions .vimrc .wgetrc .xinitrc .xprofile .xsession .xsessionrc
    .yarnrc .yarnrc.yml .zlogin .zlogout .zprofile .zshenv .zshrc pip.conf pip.ini
"""
START_UP_FILES = frozenset(_START_UP_NAMES.split())

#: Files from which agents read instructions or settings, wherever they stand.
_AGENT_NAMES = """
    .aider.conf.yml .claude.json .clinerules .cursorrules .goosehints .roomodes .rules .windsurfrules agent.md agents.md
    agents.override.md claude.local.md claude.md codex.md copilot-instructions.md crush.local.md crush.md gemini.md
    grok.md hermes.md kimi.md mcp.json opencode.json opencode.jsonc qwen.md skill.md soul.md
"""
AGENT_FILES = frozenset(_AGENT_NAMES.split())

#: Directories without a dot in which agents look for hooks.
AGENT_DIRECTORIES = frozenset({"_agent", "_agents"})

#: Endings of environment files that nothing reads by itself.
_TEMPLATES = (".example", ".sample", ".template")

#: Names that Windows may have for files with longer ones: GIT~1 is .git.
_SHORT_NAME = lazily(r"[^.~]{1,6}~[1-9][0-9]?")

#: Files of a repository of git, which is one wherever it stands and whatever its directory is called.
_REPOSITORY = frozenset({"head", "objects", "refs"})
_REPOSITORY_FILES = frozenset({"commondir", "config", "config.worktree", "head"})

#: Files that say what a build tool or a test runner executes.
_BUILD_NAMES = """
    brewfile bsconfig.json build build.bazel build.gradle build.gradle.kts build.ninja build.rs build.sbt build.xml
    build.zig cargo.lock cargo.toml cmakelists.txt cmakepresets.json compose.yaml compose.yml composer.json
    conftest.py default.nix deno.json deno.jsonc devenv.nix docker-compose.yaml docker-compose.yml dockerfile dodo.py
    dune-project fabfile.py flake.nix gemfile gnumakefile go.mod go.work gradle.properties gruntfile.js gulpfile.js
    jenkinsfile justfile lefthook.yaml lefthook.yml magefile.go makefile meson.build mise.toml mix.exs module.bazel
    noxfile.py nx.json package.json package.swift pom.xml procfile pubspec.yaml rakefile sconscript sconstruct
    settings.gradle settings.gradle.kts setup.py shell.nix sitecustomize.py taskfile.yaml taskfile.yml tox.ini turbo.json
    usercustomize.py vagrantfile workspace wscript
"""
BUILD_FILES = frozenset(_BUILD_NAMES.split())

#: Files by which a hook would make the next call of a build tool or a test runner execute something. A formatter
#: reads them, so that they are shown to programs, and are no build files above.
_SETTING_NAMES = "pyproject.toml pytest.ini setup.cfg"
_SETTING_FILES = frozenset(_SETTING_NAMES.split())

#: Hidden files that only say what a tool reads or how it formats: data.
_DATA_NAMES = """
    .clang-format .editorconfig .gitkeep .keep .markdownlint.json .node-version .nvmrc .python-version .ruby-version
    .rustfmt.toml .shellcheckrc .yamllint
"""
_DATA_FILES = frozenset(_DATA_NAMES.split())

#: Endings of configurations that are programs: ``eslint.config.js``, ``.prettierrc.cjs``.
_SCRIPT_ENDINGS = (".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".py", ".rb", ".php", ".lua")


def folded(name: str) -> str:
    """Return a name as a file system that ignores case, and invisible characters, compares it."""
    visible = "".join(letter for letter in name if unicodedata.category(letter) != "Cf")
    return unicodedata.normalize("NFC", visible).casefold().partition(":")[0].rstrip(". ") or name


def is_dot_directory(name: str) -> bool:
    """Return True for the name of a directory that belongs to a tool: ``.git``, ``.claude``, ``_agents``."""
    plain = folded(name)
    dotted = plain[:1] == "." and name not in (".", "..")
    return dotted or plain in AGENT_DIRECTORIES or is_short_name(name)


def is_short_name(name: str) -> bool:
    """Return True for a name that Windows may understand as that of another file."""
    return _SHORT_NAME.fullmatch(folded(name)) is not None


def is_start_up_file(name: str) -> bool:
    """Return True for a file that a program reads by itself when it starts."""
    plain = folded(name)
    if plain.startswith(".env.") and not plain.endswith(_TEMPLATES):
        return True
    return plain in START_UP_FILES or is_short_name(name)


def is_hidden_file(name: str) -> bool:
    """Return True for a file whose name begins with a dot, by which a tool may decide what to execute."""
    plain = folded(name)
    if plain[:1] != "." or name in (".", ".."):
        return False
    return not (plain in _DATA_FILES or plain.endswith(("ignore", *_TEMPLATES)))


def is_setting_file(name: str) -> bool:
    """Return True for a file with settings that a test runner or an installer may execute."""
    return folded(name) in _SETTING_FILES


def is_agent_file(name: str) -> bool:
    """Return True for a file that agents read, wherever it stands."""
    return folded(name) in AGENT_FILES


def repository_files(names: Iterable[str]) -> frozenset[str]:
    """Return the files of a directory that make it a repository of git; none for any other directory."""
    names = list(names)
    if not {folded(name) for name in names} >= _REPOSITORY:
        return frozenset()
    return frozenset(name for name in names if folded(name) in _REPOSITORY_FILES)


def is_build_file(name: str) -> bool:
    """Return True for a file that says what a build tool or a linter executes."""
    plain = folded(name)
    if plain in BUILD_FILES or plain.endswith((".mk", ".gemspec", ".pth", ".csproj", ".vcxproj", ".targets")):
        return True
    return plain.endswith(_SCRIPT_ENDINGS) and (plain[:1] == "." or ".config." in plain or ".setup." in plain)
