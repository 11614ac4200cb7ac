"""The facts about a repository that git rev-parse prints.

Source: git-rev-parse(1), "Options for Files".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.objects import GITLINK
from sandhook.utilities.git.store.repository import Globals, Repository, find_place
from sandhook.vfs.path import VirtualPath, join, normalize


def _moved_by_caller(name: str, environment: Mapping[str, str]) -> str | None:
    """Return where a variable of the caller puts a file of the repository, None without one."""
    if name == "index":
        return environment.get("GIT_INDEX_FILE") or None
    objects = environment.get("GIT_OBJECT_DIRECTORY")
    is_object = name == "objects" or name.startswith("objects/")
    return objects + name[len("objects") :] if objects and is_object else None


class Facts:
    """The facts of one repository.

    Attributes:
        path_format: "absolute", "relative" or "": what --path-format asks for.
    """

    def __init__(self, call: Invocation) -> None:
        self.call = call
        self.path_format = ""

    @property
    def repository(self) -> Repository:
        """The repository."""
        return self.call.repository

    def _path(self, path: str) -> str:
        """Return a path as --path-format wants it."""
        cwd = VirtualPath(self.call.options.cwd)
        if not self.path_format:
            return path
        full = normalize(join(cwd, path))
        return full if self.path_format == "absolute" else self._relative(full)

    def _relative(self, path: str) -> str:
        """Return a path from the current directory, where a directory at or above it ends with a slash."""
        here, there = normalize(self.call.options.cwd).split("/"), path.split("/")
        while here and there and here[0] == there[0]:
            del here[0], there[0]
        return "../" * len(here) + "/".join(there) or "./"

    def git_path(self, name: str) -> str:
        """Return the path of a file of the repository, as --path-format wants it."""
        return self._path(self._git_path(name))

    def _git_path(self, name: str) -> str:
        own = name in (
            "HEAD",
            "index",
            "ORIG_HEAD",
            "FETCH_HEAD",
            "MERGE_HEAD",
            "COMMIT_EDITMSG",
            "logs/HEAD",
        )
        place = self.repository.place
        moved = _moved_by_caller(name, self.repository.options.environment)
        if moved is not None:
            return moved if moved.startswith("/") else f"{'../' * place.prefix.count('/')}{moved}"
        if name == "hooks" or name.startswith("hooks/"):
            hooks = self.repository.config.get("core.hookspath")
            if hooks:
                return hooks + name[5:]
        if (
            place.git_dir == place.common
            and place.root is not None
            and place.git_dir == f"{place.root.rstrip('/')}/.git"
        ):
            return f"{'../' * place.prefix.count('/')}.git/{name}"
        return f"{place.shown if own or place.git_dir == place.common else place.common}/{name}"

    def top_level(self) -> str:
        """Return the working tree."""
        root = self.repository.root
        return self._relative(root) if self.path_format == "relative" else root

    def git_dir(self) -> str:
        """Return the directory of the repository."""
        return self._path(self.repository.place.shown)

    def absolute_git_dir(self) -> str:
        """Return the directory of the repository as an absolute path."""
        return self.repository.git_dir

    def common_dir(self) -> str:
        """Return the directory that linked working trees share."""
        place = self.repository.place
        if place.common != place.git_dir:
            return self._path(place.common)
        ups = "../" * place.prefix.count("/")
        return self._path(
            f"{ups}.git"
            if place.root is not None and place.git_dir == f"{place.root.rstrip('/')}/.git"
            else place.shown
        )

    def inside_work_tree(self) -> str:
        """Return whether the caller is in the working tree."""
        root = self.repository.place.root
        cwd = normalize(self.call.options.cwd)
        return (
            "true"
            if root is not None and (cwd == root or cwd.startswith(root.rstrip("/") + "/"))
            else "false"
        )

    def inside_git_dir(self) -> str:
        """Return whether the caller is in the directory of the repository."""
        cwd, git_dir = normalize(self.call.options.cwd), self.repository.git_dir
        return "true" if cwd == git_dir or cwd.startswith(git_dir + "/") else "false"

    def bare(self) -> str:
        """Return whether there is no working tree."""
        return "true" if self.repository.place.bare else "false"

    def shallow(self) -> str:
        """Return whether the history is cut."""
        return "true" if self.repository.objects.shallow else "false"

    def prefix(self) -> str:
        """Return the directory of the caller below the working tree."""
        return self.repository.prefix

    def cdup(self) -> str:
        """Return the way to the working tree."""
        return "../" * self.repository.prefix.count("/")

    def superproject(self) -> str | None:
        """Return the working tree of which this one is a submodule, None if it does not exist."""
        repository = self.repository
        parent, _, name = repository.root.rpartition("/")
        options = Globals(repository.options.environment, parent or "/")
        place = find_place(repository.access, options) if parent else None
        if place is None or place.root is None:
            return None
        outer = Repository(repository.access, options, place)
        entry = outer.index.get(f"{place.prefix}{name}")
        return place.root if entry is not None and entry.mode == GITLINK else None

    def object_format(self) -> str:
        """Return the hash of objects."""
        return "sha1"


FACTS: dict[str, Callable[[Facts], str | None]] = {
    "--show-toplevel": Facts.top_level,
    "--git-dir": Facts.git_dir,
    "--absolute-git-dir": Facts.absolute_git_dir,
    "--git-common-dir": Facts.common_dir,
    "--is-inside-work-tree": Facts.inside_work_tree,
    "--is-inside-git-dir": Facts.inside_git_dir,
    "--is-bare-repository": Facts.bare,
    "--is-shallow-repository": Facts.shallow,
    "--show-prefix": Facts.prefix,
    "--show-cdup": Facts.cdup,
    "--show-superproject-working-tree": Facts.superproject,
    "--show-object-format": Facts.object_format,
}
