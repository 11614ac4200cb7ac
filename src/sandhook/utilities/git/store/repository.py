"""Finds a repository, and opens what it consists of.

Source: git's setup.c, gitrepository-layout(5).
"""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property

from sandhook.record import Record
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.names.attributes import Attributes
from sandhook.utilities.git.names.ignore import Ignore, Rule
from sandhook.utilities.git.names.pathspec import Pathspec, parse_pathspec
from sandhook.utilities.git.store.access import Access, decode
from sandhook.utilities.git.store.config import (
    Config,
    ConfigReader,
    Setting,
    command_setting,
    from_environment,
)
from sandhook.utilities.git.store.index import Index, read_index
from sandhook.utilities.git.store.objects import ObjectStore
from sandhook.utilities.git.store.refs import Refs, is_head, is_object_name, is_valid_name
from sandhook.vfs.path import VirtualPath, join, normalize

_KNOWN_EXTENSIONS = frozenset(("noop", "preciousobjects", "worktreeconfig", "partialclone"))


class Place(Record):
    """Where a repository is.

    Fields:
        git_dir: The directory of HEAD and the index.
        common: The directory of objects and references, which linked working trees share.
        root: The working tree, None for a bare repository, or when called inside of the git directory.
        prefix: The directory of the caller below ``root``, "" or "dir/".
        shown: The git directory as "rev-parse --git-dir" prints it.
    """

    git_dir: str
    common: str
    root: str | None
    prefix: str
    shown: str
    bare: bool = False


class Globals(Record):
    """The options before the command, and the environment."""

    environment: Mapping[str, str]
    cwd: str
    settings: tuple[tuple[str, str | None], ...] = ()  #: of -c, whose keys may be wrong
    git_dir: str | None = None
    work_tree: str | None = None
    bare: bool = False
    pathspecs: frozenset[str] = frozenset()
    replaces: bool = True  #: objects have the contents that refs/replace gives them


class Repository:
    """A repository, whose parts are read when they are first used."""

    def __init__(self, access: Access, options: Globals, place: Place) -> None:
        self.ctx = access.ctx
        self.access = access
        self.options = options
        self.place = place
        self.git_dir = place.git_dir
        self.common = place.common
        self.prefix = place.prefix
        self._warned: set[str] = set()

    def warn_once(self, text: str) -> None:
        """Write a line to standard error, unless this was done before."""
        if text not in self._warned:
            self._warned.add(text)
            self.ctx.flush()
            self.ctx.process.write_error(f"{text}\n".encode("utf-8", "surrogateescape"))

    @property
    def root(self) -> str:
        """The working tree. Raises GitError if it does not exist."""
        if self.place.root is None:
            raise GitError("this operation must be run in a work tree")
        return self.place.root

    @cached_property
    def config(self) -> Config:
        """All settings."""
        return Config(list(read_settings(self.access, self.options, self.place)))

    def forget_settings(self) -> None:
        """Read the settings anew at their next use, after they were changed."""
        self.__dict__.pop("config", None)

    @cached_property
    def objects(self) -> ObjectStore:
        """The objects."""
        environment = self.options.environment
        directory = environment.get("GIT_OBJECT_DIRECTORY") or f"{self.common}/objects"
        more = environment.get("GIT_ALTERNATE_OBJECT_DIRECTORIES", "")
        store = ObjectStore(
            self.access,
            join(VirtualPath(self.options.cwd), directory),
            tuple(join(VirtualPath(self.options.cwd), each) for each in more.split(":") if each),
        )
        store.shallow = frozenset((self.access.text_or_none(f"{self.common}/shallow") or "").split())
        store.replacements = self._replacements
        return store

    @property
    def replace_base(self) -> str:
        """The prefix of references that replace objects."""
        base = self.options.environment.get("GIT_REPLACE_REF_BASE") or "refs/replace/"
        return base if base.endswith("/") else f"{base}/"

    def _replacements(self) -> dict[str, str]:
        """Return the objects that others replace, each with the other one."""
        if not self.options.replaces or not self.config.boolean("core.usereplacerefs", True):
            return {}
        found: dict[str, str] = {}
        for name, oid in self.refs.all(self.replace_base).items():
            self.access.charge(1)
            replaced = name.rpartition("/")[2]
            if not is_object_name(replaced):
                self.warn_once(f"warning: bad replace ref name: {replaced}")
            elif found.setdefault(replaced.lower(), oid) != oid:
                raise GitError(f"duplicate replace ref: {name}")
        return found

    @cached_property
    def refs(self) -> Refs:
        """The references."""
        return Refs(self.access, self.git_dir, self.common)

    @cached_property
    def index(self) -> Index:
        """The index."""
        path = self.options.environment.get("GIT_INDEX_FILE") or f"{self.git_dir}/index"
        return read_index(self.access, join(VirtualPath(self.options.cwd), path))

    @cached_property
    def attributes(self) -> Attributes:
        """The attributes of files."""
        return self._attributes(None)

    @cached_property
    def staged_attributes(self) -> Attributes:
        """The attributes of files by the index alone."""

        def read(name: str) -> str | None:
            entry = self.index.get(name)
            return None if entry is None else decode(self.objects.get(entry.oid).data)

        return self._attributes(read)

    def use_tree_attributes(self, read: Callable[[str], str | None]) -> None:
        """Take the attributes of files from other places than the working tree; ``read`` returns a file's text."""
        self.__dict__["attributes"] = self._attributes(read, is_tree=True)

    def _attributes(self, read: Callable[[str], str | None] | None, *, is_tree: bool = False) -> Attributes:
        name = self.config.get("core.attributesfile")
        path = self.expand_setting(name) if name else f"{self._config_home}/git/attributes"
        return Attributes(
            self.access,
            "" if is_tree else self.place.root,
            self.access.text_or_none(f"{self.common}/info/attributes") or "",
            self.access.text_or_none(path) or "",
            read,
        )

    @property
    def _config_home(self) -> str:
        environment = self.options.environment
        return environment.get("XDG_CONFIG_HOME") or f"{environment.get('HOME', '')}/.config"

    def expand_setting(self, name: str) -> str:
        """Return the path of a setting, with "~/" and relative to the top of the working tree, if there is one."""
        if name.startswith("~/") or self.place.root is None:
            return self.expand(name)
        return join(VirtualPath(self.place.root), name)

    def expand(self, name: str) -> str:
        """Return a path of an option, with "~/" and relative to the caller."""
        if name.startswith("~/"):
            return f"{self.options.environment.get('HOME', '')}/{name[2:]}"
        return join(VirtualPath(self.options.cwd), name)

    def ignore(
        self, extra: list[Rule] | None = None, *, standard: bool = True, names: tuple[str, ...] = ()
    ) -> Ignore:
        """Return the rules of ignored files; ``standard``: those of all files where git looks."""
        sources: list[tuple[str, str]] = []
        if standard:
            exclude = self.access.text_or_none(f"{self.common}/info/exclude")
            shown = f"{self.place.shown}/info/exclude"
            name = self.config.get("core.excludesfile")
            path = self.expand_setting(name) if name is not None else f"{self._config_home}/git/ignore"
            text = self.access.text_or_none(path)
            sources = [(each, source) for each, source in ((exclude, shown), (text, name or path)) if each]
            names = (".gitignore", *names)
        ignore_case = self.config.boolean("core.ignorecase")
        return Ignore(self.access, self.root, sources, names, extra, ignore_case)

    def pathspec(self, operands: Sequence[str]) -> Pathspec:
        """Return the pathspec of operands, relative to the directory of the caller."""
        return parse_pathspec(
            operands,
            self.prefix,
            self.place.root or "/",
            self.access.charge,
            defaults=self.options.pathspecs,
            attributes_of=lambda path: self.attributes.of(path),
        )

    @cached_property
    def quotes_wide(self) -> bool:
        """False if names print without quotes for bytes above 127 (core.quotePath)."""
        return self.config.boolean("core.quotepath", True)

    def head_branch(self) -> str | None:
        """Return the full name of the checked-out branch, None for a detached HEAD."""
        return self.refs.target("HEAD")

    @property
    def has_broken_head(self) -> bool:
        """True if HEAD names a reference that git does not accept, such as one with "..": no branch is checked out."""
        branch = self.head_branch()
        return branch is not None and not is_valid_name(branch)


# --------------------------------------------------------------------------- settings


def read_settings(access: Access, options: Globals, place: Place | None) -> Iterator[Setting]:
    """Yield all settings, the weakest first."""
    environment = options.environment
    home = environment.get("HOME", "")
    branch = ""
    if place is not None:
        branch = (Refs(access, place.git_dir, place.common).target("HEAD") or "").removeprefix("refs/heads/")
    directory = place.git_dir if place is not None else ""

    def urls() -> list[str]:
        plain = ConfigReader(access, home, directory, branch)
        found = (each for each in _read_all(plain, options, place) if each.key.startswith("remote."))
        return [each.value or "" for each in found if each.key.endswith(".url")]

    yield from _read_all(ConfigReader(access, home, directory, branch, urls), options, place)


def _read_all(reader: ConfigReader, options: Globals, place: Place | None) -> Iterator[Setting]:
    environment = options.environment
    if environment.get("GIT_CONFIG_NOSYSTEM", "") in ("", "0", "false"):
        yield from reader.file(environment.get("GIT_CONFIG_SYSTEM") or "/etc/gitconfig", "system")
    for path in global_files(environment):
        yield from reader.file(path, "global")
    if place is not None:
        shown = f"{place.shown}/config" if place.common == place.git_dir else f"{place.common}/config"
        local = list(reader.file(f"{place.common}/config", "local", shown=shown))
        yield from local
        if Config(local).boolean("extensions.worktreeconfig"):
            yield from reader.file(f"{place.git_dir}/config.worktree", "worktree")
    chosen = (command_setting(key, value) for key, value in options.settings)
    for setting in (*from_environment(environment), *chosen):
        yield setting
        yield from reader.of_command(setting)


def global_files(environment: Mapping[str, str]) -> list[str]:
    """Return the files of the user's settings, the weakest first."""
    if "GIT_CONFIG_GLOBAL" in environment:
        return [environment["GIT_CONFIG_GLOBAL"]]
    home = environment.get("HOME", "")
    config = environment.get("XDG_CONFIG_HOME") or f"{home}/.config"
    return [f"{config}/git/config", f"{home}/.gitconfig"] if home else []


# --------------------------------------------------------------------------- discovery


def find_place(access: Access, options: Globals) -> Place | None:
    """Return where the repository is, None if it does not exist. Raises GitError for a damaged one."""
    environment = options.environment
    git_dir = options.git_dir if options.git_dir is not None else environment.get("GIT_DIR")
    work_tree = options.work_tree if options.work_tree is not None else environment.get("GIT_WORK_TREE")
    if git_dir is not None:
        path = join(VirtualPath(options.cwd), git_dir)
        directory = _gitfile(access, path) or path
        if not _is_git_dir(access, directory):
            raise GitError(f"not a git repository: '{git_dir}'")
        return _explicit(access, options, directory, work_tree, git_dir)
    found = _search(access, options)
    if found is None:
        return None
    directory, root = found
    if work_tree is not None:
        return _explicit(access, options, directory, work_tree, directory)
    return _discovered(access, options, directory, root)


def _search(access: Access, options: Globals) -> tuple[str, str | None] | None:
    """Return the git directory above the caller and its working tree, None for a bare repository."""
    ceilings = {
        normalize(each) for each in options.environment.get("GIT_CEILING_DIRECTORIES", "").split(":") if each
    }
    here = normalize(options.cwd)
    first = here
    while True:
        candidate = f"{'' if here == '/' else here}/.git"
        if _is_git_dir(access, candidate):
            return candidate, here
        if access.is_file(candidate) and (target := _gitfile(access, candidate)) is not None:
            if not _is_git_dir(access, target):
                raise GitError(f"not a git repository: {target}")
            return target, here
        if _is_git_dir(access, here):
            return here, None
        if here == "/":
            return None
        here = VirtualPath(here.rpartition("/")[0] or "/")
        if here in ceilings and here != first:
            return None


def _is_git_dir(access: Access, path: str) -> bool:
    head = access.stat(f"{path}/HEAD")
    if head is None:
        return False
    if stat.S_ISLNK(head.mode):
        if not access.readlink(f"{path}/HEAD").startswith("refs/"):
            return False
    elif not is_head(access.text_or_none(f"{path}/HEAD") or ""):
        return False
    common = _common(access, path)
    return access.is_dir(f"{common}/objects") and access.is_dir(f"{common}/refs")


def _common(access: Access, git_dir: str) -> str:
    text = access.text_or_none(f"{git_dir}/commondir")
    if text is None:
        return git_dir
    return normalize(join(VirtualPath(git_dir), text.strip()))


def _gitfile(access: Access, path: str) -> str | None:
    """Return the directory that a file ".git" points to, None if the path is not such a file."""
    if access.is_dir(path):
        return None
    text = access.text_or_none(path)
    if text is None:
        return None
    if not text.startswith("gitdir: "):
        raise GitError(f"invalid gitfile format: {path}")
    target = text[8:].rstrip("\r\n")
    return normalize(join(VirtualPath(path.rpartition("/")[0] or "/"), target))


def _own_settings(access: Access, options: Globals, git_dir: str) -> Config:
    """Return the settings of the repository alone, after a check of its format."""
    common = _common(access, git_dir)
    reader = ConfigReader(access, options.environment.get("HOME", ""), git_dir, "")
    config = Config([*reader.file(f"{common}/config", "local")])
    version = config.integer("core.repositoryformatversion", 0)
    if version > 1:
        raise GitError(f"Expected git repo version <= 1, found {version}")
    if version == 1:
        extensions = {
            each.key[11:]: each.value for each in config.settings if each.key.startswith("extensions.")
        }
        unknown = [
            name
            for name, value in extensions.items()
            if name not in _KNOWN_EXTENSIONS
            and (name, value) not in (("objectformat", "sha1"), ("refstorage", "files"))
        ]
        if unknown:
            noun = "extension" if len(unknown) == 1 else "extensions"
            raise GitError(f"unknown repository {noun} found:\n" + "\n".join(f"\t{name}" for name in unknown))
    return config


def _discovered(access: Access, options: Globals, git_dir: str, root: str | None) -> Place:
    config = _own_settings(access, options, git_dir)
    cwd = normalize(options.cwd)
    common = _common(access, git_dir)
    tree = config.get("core.worktree")
    bare = config.get("core.bare")
    if tree is not None and tree:
        root = normalize(join(VirtualPath(git_dir), tree))
    elif options.bare or (root is None and bare is None) or (bare and config.boolean("core.bare")):
        return Place(git_dir, common, None, "", "." if git_dir == cwd else git_dir, True)
    elif root is None:  # called inside of the git directory
        return Place(git_dir, common, None, "", "." if git_dir == cwd else git_dir)
    shown = ".git" if git_dir == f"{root.rstrip('/')}/.git" and root == cwd else git_dir
    if cwd == git_dir or cwd.startswith(git_dir + "/"):
        return Place(git_dir, common, None, "", "." if git_dir == cwd else git_dir)
    return Place(git_dir, common, root, _prefix(cwd, root) or "", shown)


def _explicit(access: Access, options: Globals, git_dir: str, work_tree: str | None, shown: str) -> Place:
    config = _own_settings(access, options, git_dir)
    cwd = normalize(options.cwd)
    git_dir = normalize(git_dir)
    setting = config.get("core.worktree")
    if work_tree is not None:
        root = normalize(join(VirtualPath(cwd), work_tree))
    elif setting:
        root = normalize(join(VirtualPath(git_dir), setting))
    elif options.bare or config.boolean("core.bare"):
        return Place(git_dir, _common(access, git_dir), None, "", shown, True)
    else:
        root = cwd
    prefix = _prefix(cwd, root)
    return Place(git_dir, _common(access, git_dir), root, prefix or "", shown if prefix == "" else git_dir)


def _prefix(cwd: str, root: str) -> str | None:
    """Return the directory of the caller below the working tree, None if it is not below."""
    if cwd == root:
        return ""
    base = root.rstrip("/") + "/"
    return cwd[len(base) :] + "/" if cwd.startswith(base) else None
