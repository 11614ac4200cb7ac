"""Which calls of git run programs that a repository's configuration names, or its hooks.

Source: the manuals of git 2.39: git-config, gitattributes, githooks.
"""

from __future__ import annotations

from collections.abc import Mapping

from sandhook.dispatch.parts import Execution, Words

_PATCHES = "-p -u --patch --patch-with-stat --patch-with-raw --ext-diff --textconv --show-signature -S -G -L"

#: Subcommands that start nothing, and their options that do: filters, editors, programs for signatures.
_QUIET: Mapping[str, tuple[str, ...]] = {
    "blame": ("--textconv",),
    "branch": ("--edit-description",),
    "cat-file": ("--textconv", "--filters"),
    "check-ignore": (),
    "config": ("-e", "--edit"),
    "describe": ("--dirty", "--broken"),
    "diff-tree": tuple(_PATCHES.split()),
    "for-each-ref": (),
    "log": tuple(_PATCHES.split()),
    "ls-files": (),
    "ls-tree": (),
    "merge-base": (),
    "name-rev": (),
    "remote": ("update", "show", "prune", "-f"),
    "rev-list": (),
    "rev-parse": (),
    "shortlog": (),
    "show-ref": (),
    "symbolic-ref": (),
    "tag": ("-a", "--annotate", "-e", "--edit", "-s", "--sign", "-u", "--local-user", "-v", "--verify"),
    "version": (),
}

#: Options before the subcommand that have an argument in the next word.
_VALUES = ("-C", "--git-dir", "--work-tree", "--namespace")


def git(words: Words) -> Execution:
    """Return what a call of git executes."""
    at = 1
    while at < len(words) and (word := words[at]) is not None and word[:1] == "-":
        if word == "-c" or word.startswith("--config-env"):
            return Execution(unknown=("git -c: programs that a setting names",))
        if word in ("-p", "--paginate") or word.startswith("--exec-path="):
            return Execution(unknown=(f"git {word}: another program",))
        at += 2 if word in _VALUES else 1
    command = words[at] if at < len(words) else "version"
    loud = _QUIET.get(command or "")
    if loud is None:
        return Execution(
            unknown=(f"git {command or ''}".rstrip() + ": hooks and programs of its configuration",)
        )
    for word in words[at + 1 :]:
        if word is not None and any(_names(word.partition("=")[0], each) for each in loud):
            return Execution(unknown=(f"git {command} {word}: programs of its configuration",))
    return Execution()


def _names(word: str, option: str) -> bool:
    """Return True for an option, its abbreviation, its letter with an argument, or a cluster with its letter."""
    if option[:2] == "--":
        return len(word) > 3 and option.startswith(word)
    if option[:1] == "-":
        return word[:1] == "-" and word[1:2] != "-" and option[1] in word
    return word == option
