"""git: what it discards, keeps, fetches and pushes, and which settings make it run programs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from sandhook.vetting.call import Call
from sandhook.vetting.effects.network import sends, urls_of
from sandhook.vetting.policy import SUMMARY, is_made_again
from sandhook.vetting.values import HOLE, Origin, Origins, Value, known

Effect = Callable[[Call], "Value | None"]


_GIT_RUNS = re.compile(
    r"core\.(?:hookspath|sshcommand|pager|editor|fsmonitor|gitproxy|askpass)|credential\.(?:[^ ]*\.)?helper|url\..*\.(?:push)?insteadof|alias\.\S+ !|http\.(?:\S+\.)?(?:proxy|sslverify)"
    r"|init\.templatedir|include(?:if\..*)?\.path|filter\..*\.(?:clean|smudge|process)|diff\.(?:external|.*\.(?:textconv|command))|merge\..*\.driver|(?:man|browser|mergetool|difftool)\..*\.cmd|remote\..*\.(?:push)?url\s|trailer\..*\.(?:cmd|command)|core\.alternaterefscommand|submodule\..*\.update !|gpg\.program|protocol\.ext\.allow|sequence\.editor|uploadpack|commit\.gpgsign false",
    re.IGNORECASE,
)


def _git(call: Call) -> Value | None:
    texts = call.texts
    while texts[:1] and texts[0] in ("-C", "-c", "--git-dir", "--work-tree"):
        if (
            texts[0] == "-c"
            and len(texts) > 1
            and _GIT_RUNS.search(texts[1].replace("=", " ", 1))
            and "pager=cat" not in texts[1]
        ):
            call.find("V-GIT-CONFIG")
        texts = texts[2:]
    command = texts[0] if texts else ""
    line = " ".join(texts[1:])
    _git_keeps(call, command)
    if command == "push":
        return _git_push(call, line)
    if command == "rev-parse":
        return _git_directory(texts[1:])
    _git_changes(call, command, line)
    return Value((HOLE,), _git_prints(call, command, line))


def _git_patches(call: Call) -> None:
    """Report the files that a patch changes, as far as it is known."""
    directory = call.argument("--directory")
    if directory is not None:
        call.writes(known(f"{directory.any_text}/{HOLE}"), call.stdin)
    for text in call.stdin.texts:
        for name in re.findall(r"(?m)^\+\+\+ (?:b/)?([^\t\n]+)", text):
            call.writes(known(name), call.stdin)
            call.runner.changed(text, known(name), call)


_DISCARDING = frozenset(
    {
        "reset",
        "clean",
        "checkout",
        "restore",
        "stash",
        "branch",
        "filter-branch",
        "filter-repo",
        "replace",
        "reflog",
        "gc",
        "update-ref",
    }
)


def _git_changes(call: Call, command: str, line: str) -> None:
    """Report what a command of git changes."""
    if command == "config":
        _git_config(call, line)
    elif command == "remote" and re.match(r"(?:set-url|add)\b", line):
        call.find("V-GIT-CONFIG", call.line, None if "set-url" in line else "medium")
        if len(call.operands) > 3:
            call.state.written[f"remote {call.operands[-2].any_text}"] = call.operands[-1]
    elif command in ("apply", "am"):
        _git_patches(call)
    elif command == "rm" and not call.has("--cached"):
        for word in call.operands[1:]:
            whole = call.has("-r") or "*" in word.any_text or HOLE in word.any_text
            if whole and not is_made_again(call.state.path(word.any_text)):
                call.find("V-DELETE", call.line)
    elif command == "update-index" and re.search(r"--(?:assume-unchanged|skip-worktree)", line):
        call.find("V-DISABLE", call.line)
    elif command in _DISCARDING:
        _git_discards(call, command, line)
    elif command in ("clone", "fetch", "pull", "ls-remote", "submodule"):
        _git_fetches(call, command)
        for url in urls_of(call.words):
            host = url.partition("://")[2].partition("/")[0] or url.partition("@")[2].partition(":")[0]
            sends(call, call.origins, host)
    elif command == "commit" and call.has("--no-verify", "-n"):
        call.find("V-DISABLE", call.line, "medium")


def _git_prints(call: Call, command: str, line: str) -> Origins:
    """Return the origins of what a command of git prints."""
    if command in ("credential", "credential-osxkeychain"):
        call.find("V-READ-SECRET")
        return frozenset({Origin("secret", "git's credentials")})
    if command in ("archive", "bundle", "ls-files"):
        return frozenset({Origin("file", "tree")})
    if command in ("config", "var"):
        if _SECRET_SETTING.search(line):
            return frozenset({Origin("secret", "git's credentials")})
        own = re.search(r"\buser\.|\bGIT_(?:AUTHOR|COMMITTER)", line) is not None
        return frozenset({Origin("machine", "the user") if own else Origin("printed", "git config")})
    if command == "log" or (command in ("diff", "show") and _SUMMARY.search(line)):
        patches = command == "log" and not _SUMMARY.search(f"{line} --stat")
        return frozenset({Origin("file", "git log" if patches else SUMMARY)})
    if command in ("diff", "show", "cat-file", "stash", "notes", "blame", "grep", "format-patch"):
        return frozenset({Origin("file", f"git {command}")})
    return frozenset({Origin("printed", f"git {command}")})


_SECRET_SETTING = re.compile(
    r"extraheader|password|token|(?:^|[^-])\bcredential\.\S*\.(?!helper)", re.IGNORECASE
)

#: Options with which git prints names and numbers alone; ``log`` does so unless it is asked for patches.
_SUMMARY = re.compile(
    r"^(?!.*(?:^|\s)(?:-p|-u|--patch)(?:\s|$)).*--(?:stat|shortstat|numstat|name-only|name-status|quiet|summary|oneline|no-patch)"
)


def _git_fetches(call: Call, command: str) -> None:
    """Keep which directory has what a server sent."""
    urls = urls_of(call.words)
    elsewhere = call.argument("-C")
    if (
        command in ("pull", "submodule")
        and elsewhere is not None
        and call.state.path(elsewhere.any_text) != "."
    ):
        call.state.store(
            call.state.path(elsewhere.any_text), Value((HOLE,), frozenset({Origin("download", "git")}))
        )
    if command in ("pull", "submodule") and urls:
        call.find("V-DOWNLOAD-EXEC")
    if command != "clone" or not urls:
        return
    last = call.operands[-1].any_text
    target = last if last not in urls else urls[0].rstrip("/").rpartition("/")[2].removesuffix(".git")
    call.writes(known(target), Value((HOLE,), frozenset({Origin("download", urls[0])})))


def _git_directory(texts: Sequence[str]) -> Value:
    """Return a directory that ``git rev-parse`` prints, where the bundle is in its own repository."""
    if texts == ["--show-toplevel"]:
        return known(".")
    if texts in (["--git-dir"], ["--git-common-dir"], ["--absolute-git-dir"]):
        return known(".git")
    if texts[:1] == ["--git-path"] and len(texts) == 2:
        return known(f".git/{texts[1]}")
    return Value((HOLE,))


#: Commands of git whose words stay in the repository, which is pushed.
_GIT_KEEPS = frozenset(
    {
        "add",
        "branch",
        "checkout",
        "commit",
        "commit-tree",
        "merge",
        "mktag",
        "notes",
        "push",
        "stash",
        "switch",
        "tag",
    }
)


def _git_keeps(call: Call, command: str) -> None:
    """Report secrets that become a message, a name of a branch, or a note."""
    if command not in _GIT_KEEPS:
        return
    whole = command == "commit" or call.has("-A", "--all", "-u", "-a") or "." in call.texts
    paths = {call.state.path(text) for text in call.texts}
    stored = [
        value for path, value in call.state.written.items() if path in paths or (whole and path[:2] == "./")
    ]
    origins = call.origins.union(*(value.origins for value in stored))
    names = sorted({origin.name for origin in origins if origin.kind in ("secret", "environment", "token")})
    if names or call.stdin.has("secret", "environment", "token"):
        call.find("V-SEND-SECRET", f"{', '.join(names) or 'a secret'} in what git {command} stores")


def _git_config(call: Call, line: str) -> None:
    reads = re.search(r"--(?:get|list|get-all|get-regexp|unset)|(?:^|\s)-l(?:\s|$)", line)
    one = len([word for word in call.operands if word.any_text != "config"]) == 1  # prints a setting
    if reads or one or not _GIT_RUNS.search(line):
        return
    wanted = re.search(r"core\.hookspath\s+(\S+)", line, re.IGNORECASE)
    local = "--global" not in line and "--system" not in line
    value = wanted.group(1) if wanted is not None else ""
    inside = local and wanted is not None and value[:1] not in ("/", "~", HOLE, "$")
    if "/dev/null" in line:
        call.find("V-DISABLE", call.line)
    else:
        call.find("V-GIT-CONFIG", call.line, "medium" if inside else None)


def _git_push(call: Call, line: str) -> Value:
    added = [call.state.written.get(f"remote {word.any_text}") for word in call.operands]
    urls = urls_of([*call.words, *filter(None, added)])
    for url in urls:
        host = url.partition("://")[2].partition("/")[0] or url.partition("@")[2].partition(":")[0]
        sends(call, frozenset({Origin("file", "tree")}), host.rpartition("@")[2])
    if re.search(
        r"--mirror|--force(?!-with|-if)|(?:^|\s)\+\S|(?:^|\s)-[a-eg-zA-Z]*f[a-zA-Z]*(?:\s|$)|--delete|\s:[\w/]",
        line,
    ):
        call.find("V-DELETE", call.line, "high" if re.search(r"--mirror|main|master", line) else "medium")
    return Value((HOLE,))


def _git_discards(call: Call, command: str, line: str) -> None:
    if (
        command in ("filter-branch", "filter-repo")
        or (command == "update-ref" and re.search(r"(?:^|\s)(?:-d|--stdin|refs/(?:heads|tags)/|HEAD)", line))
        or (command == "reflog" and "expire" in line)
        or (command == "clean" and re.search(r"-\w*[xXd]", line) and re.search(r"-\w*f", line))
    ):
        call.find("V-DELETE")
    elif (
        (command == "reset" and "--hard" in line)
        or (
            command in ("checkout", "restore")
            and re.search(r"(?:^|\s)(?:\.|\*|:/)$", line)
            and "--staged" not in line
        )
        or (command == "stash" and re.match(r"clear|drop", line))
        or (command == "checkout" and "--orphan" in line)
    ):
        one = command == "stash" and HOLE in line
        call.find("V-DELETE", call.line, "medium" if one else None)
    elif command == "branch" and "-D" in line:
        call.find("V-DELETE", call.line, "medium")


EFFECTS: Mapping[str, Effect] = {
    "git": _git,
}
