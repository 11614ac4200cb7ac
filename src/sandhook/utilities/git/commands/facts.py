"""git remote, var and worktree list: facts about a repository.

Source: git-remote(1), git-var(1), git-worktree(1).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sandhook.record import Record
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.identity import person_of
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.access import encode
from sandhook.utilities.git.store.refs import Refs
from sandhook.utilities.git.store.repository import Repository, read_settings

_DEFAULT_EDITOR = "editor"


def _url(repository: Repository, url: str, push: bool) -> str:
    """Return a URL after the rules of url.*.insteadOf."""
    kinds = ("pushinsteadof", "insteadof") if push else ("insteadof",)
    for kind in kinds:
        best, replacement = "", ""
        for setting in repository.config.settings:
            if setting.key.startswith("url.") and setting.key.endswith(f".{kind}"):
                prefix = setting.value or ""
                if url.startswith(prefix) and len(prefix) > len(best):
                    best, replacement = prefix, setting.key[4 : -len(kind) - 1]
        if best:
            return replacement + url[len(best) :]
    return url


_REMOTE_CHANGES = ("add", "rename", "set-branches", "set-head", "set-url", "remove", "rm")


def run_remote(call: Invocation, arguments: Sequence[str]) -> int:
    """Print the remotes or their URLs; return 2 for an unknown remote."""
    words = list(arguments)
    repository = call.repository
    verbose = bool({"-v", "--verbose"} & set(words))
    words = [word for word in words if word not in ("-v", "--verbose")]
    config = repository.config
    if words[:1] == ["get-url"]:
        options = {word for word in words[1:] if word.startswith("-")}
        names = [word for word in words[1:] if not word.startswith("-")]
        if options - {"--push", "--all"} or len(names) != 1:
            raise GitError("usage: git remote get-url [--push] [--all] <name>", prefix="", status=129)
        push = "--push" in options
        urls = config.get_all(f"remote.{names[0]}.pushurl") if push else []
        urls = urls or config.get_all(f"remote.{names[0]}.url")
        if not urls:
            raise GitError(f"No such remote '{names[0]}'", prefix="error", status=2)
        for url in urls if "--all" in options else urls[:1]:
            call.ctx.write_line(_url(repository, url, push))
        return 0
    if words in (["show"], ["show", "-n"]):
        words, verbose = [], False
    if words[:1] == ["show"] and "-n" in words:
        from sandhook.utilities.git.commands.settings.remote_report import report

        names = [word for word in words[1:] if word != "-n"]
        return report(call, names, lambda url, push: _url(repository, url, push))
    if words[:1] and words[0] in _REMOTE_CHANGES:
        from sandhook.utilities.git.commands.settings import remotes

        return remotes.run(call, words[0], words[1:])
    if words:
        raise GitError(
            f"remote {words[0]} is not offered in the sandbox: it reaches other repositories; remote show -n and all changes of settings are (L-GIT-001)",
            status=129,
        )
    for name in sorted(config.subsections("remote")):
        urls = config.get_all(f"remote.{name}.url")
        if not verbose:
            call.ctx.write_line(name)
            continue
        for url in urls[:1]:
            call.ctx.write_line(f"{name}\t{_url(repository, url, False)} (fetch)")
        for url in config.get_all(f"remote.{name}.pushurl") or urls:
            call.ctx.write_line(f"{name}\t{_url(repository, url, True)} (push)")
    return 0


def run_ls_remote(call: Invocation, arguments: Sequence[str]) -> int:
    """Print the URL of a remote for --get-url; return 0. Raises GitError for what would reach it."""
    words = [word for word in arguments if word not in ("--get-url", "-q", "--quiet")]
    if "--get-url" not in arguments or len(words) > 1 or any(word.startswith("-") for word in words):
        raise GitError(
            "'ls-remote' is not offered in the sandbox: it reaches other repositories; ls-remote --get-url is (L-GIT-001)",
            prefix="git",
            status=1,
        )
    repository = call.repository
    config = repository.config
    branch = (repository.head_branch() or "").removeprefix("refs/heads/")
    remotes = config.subsections("remote")
    usual = config.get(f"branch.{branch}.remote") or (remotes[0] if len(remotes) == 1 else "origin")
    name = words[0] if words else usual
    urls = config.get_all(f"remote.{name}.url")
    if not words and not urls:
        raise GitError("No remote configured to list refs from.")
    call.ctx.write_line(_url(repository, urls[0] if urls else name, False))
    return 0


def run_verify(call: Invocation, arguments: Sequence[str]) -> int:
    """Return 1 for commits and tags without a signature. Raises GitError for a signature, which a program verifies."""
    names, objects = Names(call.repository), call.repository.objects
    kind = call.command.removeprefix("verify-")
    words = [word for word in arguments if word not in ("-v", "--verbose", "--raw")]
    if not words or any(word.startswith("-") for word in words):
        raise GitError(
            f"usage: git {call.command} [-v | --verbose] [--raw] <{kind}>...", prefix="", status=129
        )
    for word in words:
        oid = names.find(word)
        if oid is None or not objects.has(oid):
            call.error(f"error: {kind} '{word}' not found.")
            continue
        found = objects.get(oid)
        if found.kind != kind:
            call.error(f"error: {word}: cannot verify a non-{kind} object of type {found.kind}.")
        elif b"\ngpgsig" in found.data or b"-----BEGIN " in found.data:
            raise GitError(
                f"{call.command}: a program verifies the signature of '{word}', which git in the sandbox never starts "
                "(L-GIT-002)"
            )
        elif kind == "tag":
            call.error("error: no signature found")
    return 1


def run_var(call: Invocation, arguments: Sequence[str]) -> int:
    """Print a variable of git; return 0."""
    words = list(arguments)
    if words == ["-l"]:
        return _all_variables(call)
    if len(words) != 1:
        raise GitError("usage: git var (-l | <variable>)", prefix="", status=129)
    text = _variable(call, words[0])
    if text is None:
        raise GitError("usage: git var (-l | <variable>)", prefix="", status=129)
    call.ctx.write_line(text)
    return 0


_VARIABLES = (
    "GIT_COMMITTER_IDENT", "GIT_AUTHOR_IDENT", "GIT_EDITOR", "GIT_PAGER", "GIT_DEFAULT_BRANCH",
)  # fmt: skip


def _all_variables(call: Invocation) -> int:
    """Print all settings and variables; return 0."""
    place = found.place if (found := call.find_repository()) is not None else None
    for setting in read_settings(call.access, call.options, place):
        value = "" if setting.value is None else f"={setting.value}"
        call.ctx.write(encode(f"{setting.key}{value}\n"))
    for name in _VARIABLES:
        try:
            text = _variable(call, name)
        except GitError:
            continue  # a variable without a value is left out
        if text is not None:
            call.ctx.write(encode(f"{name}={text}\n"))
    return 0


def _editor(call: Invocation, name: str) -> str:
    environment, found = call.options.environment, call.find_repository()
    is_dumb = environment.get("TERM", "dumb") == "dumb"
    editor = environment.get(name) or (found.config.get("core.editor") if found is not None else None)
    editor = editor or (environment.get("VISUAL") if not is_dumb else None) or environment.get("EDITOR")
    if not editor and is_dumb:
        raise GitError("Terminal is dumb, but EDITOR unset")
    return editor or _DEFAULT_EDITOR


def _variable(call: Invocation, name: str) -> str | None:
    """Return the value of a variable, None for an unknown one. Raises GitError for one without a value."""
    environment, found = call.options.environment, call.find_repository()
    if name in ("GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"):
        config = found.config if found is not None else None
        return person_of(call.ctx, config, name.split("_")[1]).text()
    if name == "GIT_EDITOR":
        return _editor(call, name)
    if name == "GIT_PAGER":
        setting = found.config.get("core.pager") if found is not None else None
        pager = next(
            (each for each in (environment.get(name), setting, environment.get("PAGER")) if each is not None),
            "pager",
        )
        return pager or "cat"
    if name == "GIT_DEFAULT_BRANCH":
        return (found.config.get("init.defaultbranch") if found is not None else None) or "master"
    return None


class _Tree(Record):
    """A working tree: why it is locked, "" without a reason; why it can be pruned. None if it is not."""

    path: str
    refs: Refs
    bare: bool
    lock: str | None
    prunable: str | None


def _porcelain(row: _Tree) -> Iterator[str]:
    """Yield the lines of worktree list --porcelain about a working tree."""
    yield f"worktree {row.path}"
    if row.bare:
        yield "bare"
    else:
        branch = row.refs.target("HEAD")
        yield f"HEAD {row.refs.resolve('HEAD') or '0' * 40}"
        yield f"branch {branch}" if branch else "detached"
    if row.lock is not None:
        yield f"locked {row.lock}".rstrip()
    if row.prunable is not None:
        yield f"prunable {row.prunable}"


def run_worktree(call: Invocation, arguments: Sequence[str]) -> int:
    """Print the working trees; return 0."""
    words = list(arguments)
    options = set(words[1:])
    if words[:1] != ["list"] or options - {"--porcelain", "-z", "-v", "--verbose"}:
        raise GitError("worktree only lists working trees in the sandbox (L-GIT-001)", status=129)
    repository = call.repository
    common = repository.common
    main = common.removesuffix("/.git") if common.endswith("/.git") else common
    bare = repository.config.boolean("core.bare")
    rows = [_Tree(main, Refs(call.access, common, common), bare, None, None)]
    for entry in call.access.listdir(f"{common}/worktrees"):
        directory = f"{common}/worktrees/{entry.name}"
        path = (call.access.text_or_none(f"{directory}/gitdir") or "").strip().removesuffix("/.git")
        lock = call.access.text_or_none(f"{directory}/locked")
        missing = lock is None and call.access.stat(f"{path}/.git") is None
        rows.append(
            _Tree(
                path,
                Refs(call.access, directory, common),
                False,
                None if lock is None else lock.strip(),
                "gitdir file points to non-existent location" if missing else None,
            )
        )
    end = "\0" if "-z" in options else "\n"
    if "--porcelain" in options:
        for row in rows:
            text = "".join(f"{line}{end}" for line in (*_porcelain(row), ""))
            call.ctx.write(text.encode("utf-8", "surrogateescape"))
        return 0
    width = max(len(row.path) for row in rows)
    names = Names(repository)
    for row in rows:
        branch = row.refs.target("HEAD")
        shown = (
            "(bare)"
            if row.bare
            else f"{names.abbreviate(row.refs.resolve('HEAD') or '0' * 40)} "
            + (f"[{branch.removeprefix('refs/heads/')}]" if branch else "(detached HEAD)")
        )
        for word, reason in (("locked", row.lock), ("prunable", row.prunable)):
            if reason and options & {"-v", "--verbose"}:
                shown += f"\n\t{word}: {reason}"
            elif reason is not None:
                shown += f" {word}"
        call.ctx.write_line(f"{row.path:<{width}}  {shown}")
    return 0
