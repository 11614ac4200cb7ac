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
    .aider.conf.yml .claude.json .clinerules .cursorrules .goosehints .roomodes .windsurfrules agents.md
    claude.local.md claude.md codex.md copilot-instructions.md gemini.md opencode.json qwen.md
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
    bsconfig.json build build.bazel build.gradle build.gradle.kts build.ninja build.rs build.sbt build.xml
    build.zig cargo.lock cargo.toml cmakelists.txt cmakepresets.json composer.json conftest.py deno.json
    deno.jsonc dune-project gemfile gnumakefile go.mod go.work gradle.properties gruntfile.js gulpfile.js
    jenkinsfile justfile lefthook.yml magefile.go makefile meson.build mix.exs module.bazel noxfile.py nx.json
    package.json package.swift pom.xml procfile pubspec.yaml rakefile sconstruct settings.gradle
    settings.gradle.kts setup.py sitecustomize.py taskfile.yml tox.ini turbo.json usercustomize.py vagrantfile
    workspace
"""
BUILD_FILES = frozenset(_BUILD_NAMES.split())

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
