"""Which changes of submodules are left out: --ignore-submodules, and the settings of the repository and of submodules.

Source: git 2.39, submodule.c; git-config(1), diff.ignoreSubmodules and submodule.NAME.ignore.
"""

from __future__ import annotations

from functools import cached_property
from typing import Protocol

from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.store.config import Config, ConfigReader
from sandhook.utilities.git.store.objects import GITLINK
from sandhook.utilities.git.store.repository import Repository


class IgnoredChanges:
    """The words of --ignore-submodules for each submodule.

    Args:
        option: The option, which is stronger than all settings; None without it.
        default: The word without the option and without settings.
    """

    def __init__(self, repository: Repository, option: str | None, default: str) -> None:
        self._repository = repository
        self._option = option
        self._default = default

    def of(self, path: str) -> str:
        """Return the word for the submodule at a path."""
        if self._option is not None:
            return self._option
        return self._by_path.get(path) or self._common

    @cached_property
    def _common(self) -> str:
        return self._repository.config.get("diff.ignoresubmodules") or self._default

    @cached_property
    def _by_path(self) -> dict[str, str]:
        """The settings of single submodules, by their paths."""
        modules, config = gitmodules(self._repository), self._repository.config
        words: dict[str, str] = {}
        for name in modules.subsections("submodule"):
            key = f"submodule.{name}.ignore"
            word, path = config.get(key) or modules.get(key), modules.get(f"submodule.{name}.path")
            if word and path:
                words[path] = word
        return words


def gitmodules(repository: Repository) -> Config:
    """Return the settings of the file .gitmodules."""
    reader = ConfigReader(repository.access, "", "", "")
    return Config(list(reader.file(f"{repository.root}/.gitmodules", "local")))


class Caller(Protocol):
    """A call of a command."""

    command: str

    @property
    def repository(self) -> Repository:
        """The repository."""


def check_recursion(call: Caller, recurses: bool) -> None:
    """Raise GitError for --recurse-submodules in a repository with submodules, which has no effect in others."""
    if recurses and any(entry.mode == GITLINK for entry in call.repository.index):
        raise GitError(
            f"{call.command} --recurse-submodules with submodules is not offered in the sandbox (L-GIT-003)",
            status=129,
        )
