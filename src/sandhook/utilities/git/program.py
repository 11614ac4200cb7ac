"""The program git: its options before the command, and the choice of the command."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandhook.command.context import Context
from sandhook.lazy import lazy_module
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.store.access import Access
from sandhook.utilities.git.store.config import Setting, command_setting
from sandhook.utilities.git.store.repository import Globals, Repository, find_place
from sandhook.vfs.path import VirtualPath, join, normalize

Run = Callable[["Invocation", Sequence[str]], int]

_PACKAGE = "sandhook.utilities.git.commands"

#: The modules of the commands, and their functions where these have another name than "run".
COMMANDS: dict[str, str] = {
    "blame": "blame",
    "branch": "branch",
    "cat-file": "objects:run_cat",
    "check-ignore": "ignored",
    "config": "config",
    "describe": "describe",
    "diff": "diff",
    "diff-files": "plumbing_diff:run_files",
    "diff-index": "plumbing_diff:run_index",
    "diff-tree": "plumbing_diff:run_tree",
    "for-each-ref": "refs:run_each",
    "grep": "grep",
    "hash-object": "objects:run_hash",
    "log": "log",
    "ls-files": "ls_files",
    "ls-tree": "objects:run_tree",
    "merge-base": "history:run_base",
    "remote": "facts:run_remote",
    "rev-list": "history:run_list",
    "rev-parse": "rev_parse",
    "shortlog": "history:run_shortlog",
    "show": "show",
    "show-ref": "refs:run_show",
    "stash": "facts:run_stash",
    "status": "status",
    "symbolic-ref": "refs:run_symbolic",
    "tag": "refs:run_tag",
    "var": "facts:run_var",
    "version": "version",
    "whatchanged": "log",
    "worktree": "facts:run_worktree",
}

#: Why a command of git is not offered.
_REFUSED = {
    "network": "archive clone fetch fetch-pack http-fetch ls-remote pull push remote-https request-pull send-email "
    "send-pack submodule upload-pack svn p4 daemon instaweb",
    "program": "credential difftool filter-branch gui gitk hook mergetool citool web--browse maintenance",
}
_REASONS = {
    "network": "it reaches other repositories, and the sandbox has none",
    "program": "it starts other programs",
}

_VERSION = "2.39.5"


class Invocation:
    """One call of git: the run, the options before the command, and the repository."""

    def __init__(self, ctx: Context, options: Globals, command: str) -> None:
        self.ctx = ctx
        self.options = options
        self.command = command
        self.access = Access(ctx)
        self._repository: Repository | None = None

    @property
    def repository(self) -> Repository:
        """The repository. Raises GitError if there is none."""
        if self._repository is None:
            found = self.find_repository()
            if found is None:
                raise GitError("not a git repository (or any of the parent directories): .git")
            self._repository = found
        return self._repository

    def find_repository(self) -> Repository | None:
        """Return the repository, None if there is none."""
        if self._repository is None:
            place = find_place(self.access, self.options)
            self._repository = None if place is None else Repository(self.ctx, self.options, place)
        return self._repository

    def error(self, text: str) -> None:
        """Write a line to standard error."""
        self.ctx.flush()
        self.ctx.process.write_error(f"{text}\n".encode("utf-8", "surrogateescape"))


def run_git(arguments: Sequence[str], ctx: Context) -> int:
    """Run git and return its exit status."""
    try:
        options, command, rest = _parse_globals(list(arguments), ctx)
        return _run_command(Invocation(ctx, options, command), command, rest)
    except GitError as error:
        ctx.flush()
        if str(error):
            ctx.process.write_error(f"{error.text()}\n".encode("utf-8", "surrogateescape"))
        return error.status


def _run_command(call: Invocation, command: str, rest: list[str]) -> int:
    for _ in range(10):
        if command in COMMANDS:
            module, _, function = COMMANDS[command].partition(":")
            status: int = getattr(lazy_module(f"{_PACKAGE}.{module}"), function or "run")(call, rest)
            return status
        for kind, names in _REFUSED.items():
            if command in names.split():
                raise GitError(
                    f"'{command}' is not offered in the sandbox: {_REASONS[kind]} (L-GIT-001)",
                    prefix="git",
                    status=1,
                )
        alias = _alias(call, command)
        if alias is None:
            break
        command, *more = alias
        rest = [*more, *rest]
        call.command = command
    if command in _OF_GIT:
        raise GitError(f"'{command}' is not offered in the sandbox (L-GIT-001)", prefix="git", status=1)
    raise GitError(f"'{command}' is not a git command. See 'git --help'.", prefix="git", status=1)


def _alias(call: Invocation, command: str) -> list[str] | None:
    """Return the words of an alias, None if there is none. Raises GitError for one that runs a program."""
    from sandhook.utilities.git.store.config import Config
    from sandhook.utilities.git.store.repository import read_settings

    repository = call.find_repository()
    config = (
        repository.config
        if repository is not None
        else Config(list(read_settings(call.access, call.options, None)))
    )
    text = config.get(f"alias.{command.lower()}")
    if text is None:
        return None
    if text.startswith("!"):
        raise GitError(
            f"alias '{command}' runs a program, which git in the sandbox never does (L-GIT-002)",
            prefix="git",
            status=1,
        )
    words = text.split()
    return words or None


def _parse_globals(words: list[str], ctx: Context) -> tuple[Globals, str, list[str]]:
    """Return the options before the command, the command, and its arguments."""
    cwd = str(ctx.process.cwd)
    values: dict[str, str] = {}
    settings: list[Setting] = []
    flags: set[str] = set()
    environment = dict(ctx.environment)
    while words and words[0].startswith("-"):
        word = words.pop(0)
        name, _, value = word.partition("=")
        if word in (
            "-C",
            "-c",
            "--git-dir",
            "--work-tree",
            "--namespace",
            "--config-env",
            "--exec-path",
            "--super-prefix",
        ):
            if not words:
                raise GitError(
                    f"no directory given for '{word}'"
                    if word != "-c"
                    else "-c expects a configuration string",
                    prefix="",
                    status=129,
                )
            name, value = word, words.pop(0)
        if name == "-C":
            if value:
                cwd = normalize(join(VirtualPath(cwd), value))
                if not ctx.fs.is_dir(VirtualPath(cwd)):
                    reason = (
                        "Not a directory" if ctx.fs.exists(VirtualPath(cwd)) else "No such file or directory"
                    )
                    raise GitError(f"cannot change to '{value}': {reason}")
        elif name == "-c":
            key, has_value, text = value.partition("=")
            settings.append(command_setting(key, text if has_value else None))
        elif name == "--config-env":
            key, _, variable = value.partition("=")
            if variable not in environment:
                raise GitError(f"missing environment variable '{variable}' for configuration '{key}'")
            settings.append(command_setting(key, environment[variable]))
        elif name in ("--git-dir", "--work-tree", "--namespace"):
            values[name] = value
        elif word in ("--version", "-v"):
            return Globals(environment, cwd), "version", words
        elif word in ("--help", "-h"):
            raise GitError(
                "--help is not offered in the sandbox: use 'man git' elsewhere (L-GIT-001)",
                prefix="git",
                status=1,
            )
        elif word in _FLAGS:
            flags.add(word)
        else:
            raise GitError(f"unknown option: {word}", prefix="", status=129)
    if not words:
        raise GitError("usage: git [-C <path>] [-c <name>=<value>] <command> [<args>]", prefix="", status=1)
    literal = "--literal-pathspecs" in flags or environment.get("GIT_LITERAL_PATHSPECS", "") in ("1", "true")
    options = Globals(
        environment,
        cwd,
        tuple(settings),
        values.get("--git-dir"),
        values.get("--work-tree"),
        "--bare" in flags,
        literal,
    )
    return options, words[0], words[1:]


_FLAG_NAMES = (
    "--no-pager -P -p --paginate --no-optional-locks --bare --no-replace-objects --literal-pathspecs "
    "--glob-pathspecs --noglob-pathspecs --icase-pathspecs"
)
_FLAGS = frozenset(_FLAG_NAMES.split())

#: Commands of git that are not offered.
_OTHER_NAMES = (
    "am annotate apply bisect bundle check-attr check-mailmap check-ref-format checkout-index cherry "
    "cherry-pick commit-graph commit-tree count-objects column diagnose fast-export fast-import fmt- "
    "merge-msg format-patch fsck gc get-tar-commit-id index-pack interpret-trailers mailinfo mailsplit "
    "merge merge-file merge-index merge-tree mktag mktree multi-pack-index name-rev notes pack-objects "
    "pack-redundant pack-refs patch-id prune prune-packed range-diff read-tree rebase receive-pack reflog "
    "repack replace rerere revert sparse-checkout show-branch show-index stripspace switch unpack-file "
    "unpack-objects update-index update-ref update-server-info verify-commit verify-pack verify-tag "
    "write-tree help"
)
_OF_GIT = frozenset(_OTHER_NAMES.split())


def version() -> str:
    """Return the version of git that the utility follows."""
    return _VERSION
