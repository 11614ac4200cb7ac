"""The program git: its options before the command, and the choice of the command."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandhook.command.context import Context
from sandhook.command.options import Inform
from sandhook.lazy import lazy_module
from sandhook.utilities.git.arguments import Parsed, Parser
from sandhook.utilities.git.errors import GitError, OptionFault
from sandhook.utilities.git.options import Options
from sandhook.utilities.git.store.access import Access
from sandhook.utilities.git.store.config import Config, command_setting, parse_boolean
from sandhook.utilities.git.store.repository import Globals, Repository, find_place
from sandhook.vfs.path import join

Run = Callable[["Invocation", Sequence[str]], int]

_PACKAGE = "sandhook.utilities.git.commands"

_add = lazy_module(f"{_PACKAGE}.writers.add")
_apply = lazy_module(f"{_PACKAGE}.apply")
_blame = lazy_module(f"{_PACKAGE}.blame")
_branch = lazy_module(f"{_PACKAGE}.branch")
_clean = lazy_module(f"{_PACKAGE}.writers.clean")
_cherry = lazy_module(f"{_PACKAGE}.patches.cherry")
_checkout = lazy_module(f"{_PACKAGE}.writers.checkout")
_commit = lazy_module(f"{_PACKAGE}.writers.commit")
_config = lazy_module(f"{_PACKAGE}.settings")
_describe = lazy_module(f"{_PACKAGE}.describe")
_count_objects = lazy_module(f"{_PACKAGE}.count_objects")
_patch_id = lazy_module(f"{_PACKAGE}.patches.patch_id")
_format_patch = lazy_module(f"{_PACKAGE}.patches.format_patch")
_diff = lazy_module(f"{_PACKAGE}.diffs.diff")
_diff_tree = lazy_module(f"{_PACKAGE}.diffs.diff_tree")
_facts = lazy_module(f"{_PACKAGE}.facts")
_fsck = lazy_module(f"{_PACKAGE}.fsck")
_grep = lazy_module(f"{_PACKAGE}.grep")
_history = lazy_module(f"{_PACKAGE}.history")
_archive = lazy_module(f"{_PACKAGE}.archive")
_attributes = lazy_module(f"{_PACKAGE}.attributes")
_ignored = lazy_module(f"{_PACKAGE}.ignored")
_init = lazy_module(f"{_PACKAGE}.writers.init")
_index_files = lazy_module(f"{_PACKAGE}.writers.index_files")
_log = lazy_module(f"{_PACKAGE}.log")
_ls_files = lazy_module(f"{_PACKAGE}.ls_files")
_merge_file = lazy_module(f"{_PACKAGE}.patches.merge_file")
_merge_tree = lazy_module(f"{_PACKAGE}.writers.merge_tree")
_mktree = lazy_module(f"{_PACKAGE}.writers.mktree")
_move = lazy_module(f"{_PACKAGE}.writers.move")
_name_rev = lazy_module(f"{_PACKAGE}.name_rev")
_notes = lazy_module(f"{_PACKAGE}.notes")
_objects = lazy_module(f"{_PACKAGE}.objects")
_plumbing_diff = lazy_module(f"{_PACKAGE}.diffs.plumbing_diff")
_ref_changes = lazy_module(f"{_PACKAGE}.writers.ref_changes")
_range_diff = lazy_module(f"{_PACKAGE}.patches.range_diff")
_reflog = lazy_module(f"{_PACKAGE}.reflog")
_refs = lazy_module(f"{_PACKAGE}.refs")
_remove = lazy_module(f"{_PACKAGE}.writers.remove")
_rerere = lazy_module(f"{_PACKAGE}.rerere")
_reset = lazy_module(f"{_PACKAGE}.writers.reset")
_rev_list = lazy_module(f"{_PACKAGE}.rev_list")
_rev_parse = lazy_module(f"{_PACKAGE}.rev_parse")
_show_branch = lazy_module(f"{_PACKAGE}.branch.show_branch")
_show = lazy_module(f"{_PACKAGE}.show")
_stash = lazy_module(f"{_PACKAGE}.stash")
_status = lazy_module(f"{_PACKAGE}.status")
_submodule = lazy_module(f"{_PACKAGE}.submodule")
_names = lazy_module(f"{_PACKAGE}.mailmap")
_column = lazy_module(f"{_PACKAGE}.column")
_shortlog = lazy_module(f"{_PACKAGE}.shortlog")
_trailers = lazy_module(f"{_PACKAGE}.trailers")
_texts = lazy_module(f"{_PACKAGE}.texts")
_update_index = lazy_module(f"{_PACKAGE}.writers.update_index")
_version = lazy_module(f"{_PACKAGE}.version")

#: The functions of the commands.
COMMANDS: dict[str, Callable[[], Run]] = {
    "apply": lambda: _apply.run,
    "archive": lambda: _archive.run,
    "get-tar-commit-id": lambda: _archive.run_commit_id,
    "annotate": lambda: _blame.run_annotate,
    "blame": lambda: _blame.run,
    "pickaxe": lambda: _blame.run,
    "branch": lambda: _branch.run,
    "cat-file": lambda: _objects.run_cat,
    "check-attr": lambda: _attributes.run,
    "check-mailmap": lambda: _names.run_mailmap,
    "column": lambda: _column.run,
    "check-ignore": lambda: _ignored.run,
    "clean": lambda: _clean.run,
    "cherry": lambda: _cherry.run,
    "config": lambda: _config.run,
    "check-ref-format": lambda: _texts.run_name,
    "count-objects": lambda: _count_objects.run,
    "format-patch": lambda: _format_patch.run,
    "patch-id": lambda: _patch_id.run,
    "describe": lambda: _describe.run,
    "diff": lambda: _diff.run,
    "diff-files": lambda: _plumbing_diff.run_files,
    "diff-index": lambda: _plumbing_diff.run_index,
    "diff-tree": lambda: _diff_tree.run,
    "for-each-ref": lambda: _refs.run_each,
    "fsck": lambda: _fsck.run,
    "fsck-objects": lambda: _fsck.run,
    "grep": lambda: _grep.run,
    "hash-object": lambda: _objects.run_hash,
    "interpret-trailers": lambda: _trailers.run,
    "log": lambda: _log.run,
    "ls-files": lambda: _ls_files.run,
    "ls-remote": lambda: _facts.run_ls_remote,
    "ls-tree": lambda: _objects.run_tree,
    "merge-file": lambda: _merge_file.run,
    "merge-base": lambda: _history.run_base,
    "name-rev": lambda: _name_rev.run,
    "notes": lambda: _notes.run,
    "range-diff": lambda: _range_diff.run,
    "reflog": lambda: _reflog.run,
    "rerere": lambda: _rerere.run,
    "remote": lambda: _facts.run_remote,
    "rev-list": lambda: _rev_list.run,
    "rev-parse": lambda: _rev_parse.run,
    "shortlog": lambda: _shortlog.run,
    "show-branch": lambda: _show_branch.run,
    "show": lambda: _show.run,
    "show-ref": lambda: _refs.run_show,
    "stash": lambda: _stash.run,
    "status": lambda: _status.run,
    "stripspace": lambda: _texts.run_strip,
    "submodule": lambda: _submodule.run,
    "symbolic-ref": lambda: _refs.run_symbolic,
    "tag": lambda: _refs.run_tag,
    "var": lambda: _facts.run_var,
    "verify-commit": lambda: _facts.run_verify,
    "verify-tag": lambda: _facts.run_verify,
    "version": lambda: _version.run,
    "whatchanged": lambda: _log.run,
    "worktree": lambda: _facts.run_worktree,
}

#: The functions of the commands that change a repository, which the caller must allow.
WRITERS: dict[str, Callable[[], Run]] = {
    "add": lambda: _add.run,
    "checkout": lambda: _checkout.run,
    "checkout-index": lambda: _index_files.run_write,
    "commit": lambda: _commit.run,
    "init": lambda: _init.run,
    "init-db": lambda: _init.run,
    "merge-tree": lambda: _merge_tree.run,
    "mktree": lambda: _mktree.run,
    "mv": lambda: _move.run,
    "commit-tree": lambda: _ref_changes.run_commit_tree,
    "read-tree": lambda: _index_files.run_read,
    "reset": lambda: _reset.run,
    "restore": lambda: _reset.run_restore,
    "rm": lambda: _remove.run,
    "switch": lambda: _checkout.run_switch,
    "stage": lambda: _add.run,
    "update-ref": lambda: _ref_changes.run_update,
    "update-index": lambda: _update_index.run,
    "write-tree": lambda: _update_index.run_write_tree,
}

#: Why commands of git are not offered.
_REFUSED = (
    (
        "it reaches other repositories, and the sandbox has none",
        (
            "clone fetch fetch-pack http-fetch pull push remote-https request-pull send-email "
            "send-pack upload-pack receive-pack svn p4 daemon instaweb http-push http-backend imap-send remote-ext remote-fd "
            "remote-ftp remote-ftps remote-http shell upload-archive upload-archive--writer"
        ),
    ),
    (
        "it starts other programs",
        (
            "credential difftool filter-branch gui gitk hook mergetool citool maintenance bisect help add--interactive "
            "bisect--helper credential-cache credential-cache--daemon credential-store difftool--helper for-each-repo "
            "fsmonitor--daemon merge-one-file web--browse bugreport quiltimport submodule--helper"
        ),
    ),
    (
        "it changes more of a repository than the index and the branch",
        (
            "am cherry-pick commit-graph fast-import gc "
            "index-pack merge merge-index mktag multi-pack-index pack-objects "
            "pack-refs prune prune-packed rebase repack replace revert sparse-checkout "
            "unpack-objects update-server-info checkout--worker merge-octopus merge-ours merge-recursive "
            "merge-recursive-ours merge-recursive-theirs merge-resolve merge-subtree subtree"
        ),
    ),
    (
        "",
        (
            "bundle diagnose fast-export "
            "fmt-merge-msg mailinfo mailsplit pack-redundant "
            "show-index unpack-file verify-pack env--helper "
            "sh-i18n--envsubst"
        ),
    ),
)

_EXTRAS = ("citool", "gitk", "gui", "p4", "send-email", "svn")  #: commands of other packages

_VERSION = "2.39.5"

_USAGE = "usage: git [-C DIR] [-c NAME=VALUE] COMMAND [ARGUMENT]..."

#: Where documentation is, as Debian has it.
_PLACES = {"html": "/usr/share/doc/git/html", "man": "/usr/share/man", "info": "/usr/share/info"}

#: Where the skeleton of the file system has git-sh-setup.
_EXEC_PATH = "/usr/lib/git-core"


class Invocation:
    """One call of git: the run, the options before the command, and the repository."""

    def __init__(self, access: Access, options: Globals, command: str) -> None:
        self.ctx = access.ctx
        self.options = options
        self.command = command
        self.access = access
        self._repository: Repository | None = None

    @property
    def repository(self) -> Repository:
        """The repository. Raises GitError if it does not exist."""
        if self._repository is None:
            found = self.find_repository()
            if found is None:
                raise GitError("not a git repository (or any of the parent directories): .git")
            self._repository = found
        return self._repository

    def find_repository(self) -> Repository | None:
        """Return the repository, None if it does not exist."""
        if self._repository is None:
            place = find_place(self.access, self.options)
            self._repository = None if place is None else Repository(self.access, self.options, place)
        return self._repository

    @property
    def may_write(self) -> bool:
        """True if the caller of the sandbox allows changes of repositories."""
        return self.ctx.kernel.settings.git_writes

    def check_may_write(self) -> None:
        """Raise GitError unless changes are allowed."""
        if not self.may_write:
            raise _not_allowed(self.command)

    def error(self, text: str) -> None:
        """Write a line to standard error."""
        self.ctx.flush()
        self.ctx.process.write_error(f"{text}\n".encode("utf-8", "surrogateescape"))


def run_git(arguments: Sequence[str], ctx: Context) -> int:
    """Run git and return its exit status."""
    access = Access(ctx)
    try:
        parsed = _parsed(arguments)
        options, words = parsed.of(Options), [*parsed.operands, *(parsed.paths or ())]
        if options.help:
            raise Inform("help")
        if options.exec_path is not None:
            return _exec_path(options.exec_path, ctx)
        if options.version:
            words = ["version"]
        if options.place:
            ctx.write_line(_PLACES[options.place])
            return 0
        if not words:
            ctx.write_line(_USAGE)
            return 1
        call = Invocation(access, _globals(options, ctx), words[0])
        for key, value in (
            call.options.settings if words[0] != "config" else ()
        ):  # which checks its own key first
            command_setting(key, value)
        return _run_command(call, words[0], words[1:])
    except GitError as error:
        ctx.flush()
        if str(error):
            ctx.process.write_error(f"{error.text()}\n".encode("utf-8", "surrogateescape"))
        return error.status


def _parsed(arguments: Sequence[str]) -> Parsed:
    """Return the options before the command. Raises GitError in git's words for these, which end with the usage."""
    try:
        return Parser(Options, stop=True, abbreviates=False).parse(arguments)
    except OptionFault as fault:
        kind, _, rest = str(fault).partition(" `")
        name = rest.partition("'")[0]
        shown = f"-{name}" if "switch" in kind and len(name) == 1 else f"--{name}"
        if kind.startswith("unknown"):
            word = next((word for word in arguments if word.startswith(shown)), shown)
            raise GitError(f"unknown option: {word}\n{_USAGE}", prefix="", status=129) from None
        texts = {
            "-c": "-c expects a configuration string",
            "--config-env": "no config key given for --config-env",
        }
        if shown == "--namespace":
            text = "no namespace given for --namespace"
        else:
            text = texts.get(shown, f"no directory given for '{shown}' option")
        raise GitError(f"{text}\n{_USAGE}", prefix="", status=129) from None


def _exec_path(chosen: str, ctx: Context) -> int:
    """Print the directory of the libraries for scripts. Raises GitError for one that an option chooses."""
    if chosen:
        raise GitError(
            "'--exec-path' with a directory is not offered in the sandbox (L-GIT-002)", prefix="git", status=1
        )
    ctx.write_line(dict(ctx.environment).get("GIT_EXEC_PATH") or _EXEC_PATH)
    return 0


def _run_command(call: Invocation, command: str, rest: list[str]) -> int:
    for _ in range(10):
        if command in COMMANDS:
            return COMMANDS[command]()(call, rest)
        if command in WRITERS:
            if not call.may_write and command != "update-index":  # which may only compare
                raise _not_allowed(command)
            return WRITERS[command]()(call, rest)
        if (refusal := _refusal(command)) is not None:
            raise refusal
        if (status := _script(call, command, rest)) is not None:
            return status
        alias = _alias(call, command)
        if alias is None:
            break
        command, *more = alias
        rest = [*more, *rest]
        call.command = command
    raise _unknown(call, command)


def _unknown(call: Invocation, command: str) -> GitError:
    """Return the error for a word that is not a command, with the commands that are like it."""
    from sandhook.utilities.git.names.similar import similar_names

    refused = (name for _, names in _REFUSED for name in names.split() if name not in _EXTRAS)
    likely = similar_names(command, (*COMMANDS, *WRITERS, *refused, *_aliases(call)), call.access.charge)
    text = f"'{command}' is not a git command. See 'git --help'."
    if likely:
        text += f"\n\nThe most similar command{'s are' if likely[1:] else ' is'}\n"
        text += "\n".join(f"\t{name}" for name in likely)
    return GitError(text, prefix="git", status=1)


def _aliases(call: Invocation) -> list[str]:
    """Return the names of aliases."""
    settings = _settings(call).settings
    return [each.key[len("alias.") :] for each in settings if each.key.startswith("alias.")]


def _script(call: Invocation, command: str, rest: list[str]) -> int | None:
    """Run the program git-COMMAND along PATH and return its status, None if it does not exist."""
    ctx, options = call.ctx, call.options
    environment = dict(ctx.environment)
    name, path = f"git-{command}", environment.get("PATH", "")
    ctx.charge(1 + path.count(":"))
    cwd = ctx.process.cwd
    if "/" in name or not any(ctx.fs.exists(join(cwd, f"{part or '.'}/{name}")) for part in path.split(":")):
        return None
    if options != Globals(options.environment, str(cwd)):
        raise GitError(
            f"'{command}' is a program, for which options before it are not offered in the sandbox (L-GIT-002)",
            prefix="git",
            status=1,
        )
    ctx.flush()
    ended = ctx.run([name, *rest], environment={**environment, "PATH": f"{_EXEC_PATH}:{path}"})
    if ended.signal:
        call.error(f"error: {name} died of signal {ended.signal}")
    return None if ended.not_started is not None else ended.status


def _not_allowed(command: str) -> GitError:
    return GitError(
        f"'{command}' changes the repository, which the caller of the sandbox has not allowed: "
        "Shell(git_writes=True) or sandhook --git-writes allows it (L-GIT-001)",
        prefix="git",
        status=1,
    )


def _refusal(command: str) -> GitError | None:
    """Return the error for a command of git that is not offered; None for another word."""
    for why, names in _REFUSED:
        if command in names.split():
            reason = f": {why}" if why else ""
            text = f"'{command}' is not offered in the sandbox{reason} (L-GIT-001)"
            return GitError(text, prefix="git", status=1)
    return None


def _alias(call: Invocation, command: str) -> list[str] | None:
    """Return the words of an alias, None if it does not exist. Raises GitError for one that runs a program."""
    text = _settings(call).get(f"alias.{command.lower()}")
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


def _settings(call: Invocation) -> Config:
    """Return the settings of the repository, outside of one those of the user and the system."""
    from sandhook.utilities.git.store.repository import read_settings

    repository = call.find_repository()
    if repository is not None:
        return repository.config
    return Config(list(read_settings(call.access, call.options, None)))


def _globals(options: Options, ctx: Context) -> Globals:
    """Return the options before the command, with the environment."""
    cwd, environment = ctx.process.cwd, dict(ctx.environment)
    for name in filter(None, options.directories):
        path = join(cwd, name)
        if not ctx.fs.is_dir(path):
            reason = "Not a directory" if ctx.fs.exists(path) else "No such file or directory"
            raise GitError(f"cannot change to '{name}': {reason}")
        cwd = ctx.fs.realpath(path)
    settings: list[tuple[str, str | None]] = []
    for word in options.variables:
        key, _, variable = word.partition("=")
        if variable not in environment:
            raise GitError(f"missing environment variable '{variable}' for configuration '{key}'")
        settings.append((key, environment[variable]))
    for word in options.settings:
        key, has_value, text = word.partition("=")
        settings.append((key, text if has_value else None))
    chosen = {
        name
        for name, is_set in (
            ("literal", options.literal),
            ("glob", options.glob),
            ("noglob", options.no_glob),
            ("icase", options.icase),
        )
        if is_set or parse_boolean(environment.get(f"GIT_{name.upper()}_PATHSPECS", "")) is True
    }
    if {"glob", "noglob"} <= chosen:
        raise GitError("global 'glob' and 'noglob' pathspec settings are incompatible")
    if "literal" in chosen and len(chosen) > 1:
        raise GitError(
            "global 'literal' pathspec setting is incompatible with all other global pathspec settings"
        )
    return Globals(
        environment,
        str(cwd),
        tuple(settings),
        git_dir=options.git_dir,
        work_tree=options.work_tree,
        bare=options.bare,
        pathspecs=frozenset(chosen),
        replaces=not options.no_replace and "GIT_NO_REPLACE_OBJECTS" not in environment,
    )


def version() -> str:
    """Return the version of git that the utility follows."""
    return _VERSION
