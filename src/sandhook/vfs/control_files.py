"""Names of files that programs of a host execute or obey without being asked.

A script that may write such a file decides what runs later: an agent's hooks, git's hooks, the start of a
shell. They are not written back to a host, and not shown to its programs, unless they are named.
"""

from __future__ import annotations

import unicodedata

#: Files that a shell, an editor or a tool reads when it starts in their directory.
_START_UP_NAMES = """
    .bash_aliases .bash_login .bash_logout .bash_profile .bashrc .cshrc .envrc .exrc .gdbinit .gitattributes
    .gitconfig .gitmodules .inputrc .kshrc .lldbinit .login .logout .mcp.json .mise.toml .npmrc .nvimrc
    .pam_environment .pnpmfile.cjs .pre-commit-config.yaml .profile .pypirc .screenrc .tcshrc .tmux.conf
    .tool-versions .vimrc .xinitrc .xprofile .xsession .xsessionrc .yarnrc .yarnrc.yml .zlogin .zlogout .zprofile
    .zshenv .zshrc pip.conf pip.ini
"""
START_UP_FILES = frozenset(_START_UP_NAMES.split())

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
    """Return True for the name of a directory that belongs to a tool: ``.git``, ``.claude``, ``.vscode``."""
    return folded(name)[:1] == "." and name not in (".", "..")


def is_start_up_file(name: str) -> bool:
    """Return True for a file that a program reads by itself when it starts."""
    return folded(name) in START_UP_FILES


def is_build_file(name: str) -> bool:
    """Return True for a file that says what a build tool or a linter executes."""
    plain = folded(name)
    if plain in BUILD_FILES or plain.endswith((".mk", ".gemspec", ".pth", ".csproj", ".vcxproj", ".targets")):
        return True
    return plain.endswith(_SCRIPT_ENDINGS) and (plain[:1] == "." or ".config." in plain or ".setup." in plain)
