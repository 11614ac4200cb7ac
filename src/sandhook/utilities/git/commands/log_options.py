"""The options of git log, show and whatchanged.

Source: git-log(1).
"""

from __future__ import annotations

from sandhook.command.options import also, opt, option_set
from sandhook.utilities.git.arguments import Parser, count
from sandhook.utilities.git.diff.options import DiffOptions
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.notes import Notes
from sandhook.utilities.git.history.selection import SHORTHANDS, WalkOptions
from sandhook.utilities.git.store.repository import Repository


@option_set
class Options:
    """Options of log and show."""

    pretty: str | None = also(
        opt("--pretty", "FORMAT", "", optional=True, const="medium"),
        opt("--format", "FORMAT", ""),
    )
    abbrev_commit: bool | None = also(
        opt("--abbrev-commit", default=None), opt("--no-abbrev-commit", const=False)
    )
    decorate: str | None = also(
        opt("--decorate", "FORM", "", optional=True, const="short"), opt("--no-decorate", const="no")
    )
    decorated: tuple[str, ...] = opt("--decorate-refs", "PATTERN", "", append=True)
    undecorated: tuple[str, ...] = opt("--decorate-refs-exclude", "PATTERN", "", append=True)
    all_decorations: bool = opt("--clear-decorations")
    date: str | None = also(opt("--date", "FORM", ""), opt("--relative-date", const="relative"))
    follow: bool = opt("--follow")
    root: bool = opt("--root")
    graph: bool = opt("--graph")
    walk_reflogs: bool = also(opt("-g"), opt("--walk-reflogs"))
    lines: tuple[str, ...] = opt("-L", "RANGE", "", append=True)
    notes: tuple[tuple[str, str], ...] = also(
        opt("--no-notes", append=True, const=("off", "")),
        opt(
            "--notes",
            "REF",
            "",
            optional=True,
            append=True,
            const=("on", ""),
            convert=lambda ref: ("ref", ref),
        ),
        opt(
            "--show-notes",
            "REF",
            "",
            optional=True,
            append=True,
            const=("on", ""),
            convert=lambda ref: ("more", ref),
        ),
        opt("--standard-notes", append=True, const=("on", "")),
        opt("--no-standard-notes", append=True, const=("plain", "")),
    )
    encoding: str | None = opt("--encoding", "NAME", "")
    tabs: int | None = also(
        opt("--expand-tabs", "N", "", convert=count, optional=True, const=8), opt("--no-expand-tabs", const=0)
    )
    full_diff: bool = opt("--full-diff")
    log_size: bool = opt("--log-size")
    count: bool = opt("--count")  # which only rev-list has; log accepts it
    children: bool = opt("--children")
    signature: bool = opt("--show-signature")
    remerge: bool = opt("--remerge-diff")
    source: bool = opt("--source")
    mailmap: bool | None = also(
        opt("--mailmap", default=None),
        opt("--use-mailmap"),
        opt("--no-mailmap", const=False),
        opt("--no-use-mailmap", const=False),
    )
    parents: bool = opt("--parents")
    boundary: bool = opt("--boundary")
    equivalent: str = also(opt("--cherry-pick", const="omit", default=""), opt("--cherry-mark", const="mark"))


def refuse(options: Options, diff: DiffOptions) -> None:
    """Raise GitError for options of git that are not offered."""
    table = (
        ("--show-signature", options.signature),
        ("--remerge-diff", options.remerge),
        ("--line-prefix", bool(diff.line_prefix)),
    )
    name = next((name for name, is_set in table if is_set), None)
    if name is not None:
        raise GitError(f"log {name} is not offered in the sandbox (L-GIT-003)", status=129)


def parser() -> Parser:
    """Return the parser of git log and git show."""
    return Parser(
        WalkOptions,
        Options,
        DiffOptions,
        number="number",
        lenient=True,
        abbreviates=False,
        shorthands=SHORTHANDS,
    )


def chosen_notes(repository: Repository, options: Options, usual: bool) -> Notes | None:
    """Return the notes to print, None for no notes.

    Args:
        usual: Notes are printed without an option.
    """
    if not options.notes:
        return Notes(repository) if usual else None
    words: list[str] = []
    default: bool | None = None
    is_on = True
    for kind, word in options.notes:
        is_on = kind != "off"
        if kind in ("off", "on", "plain"):
            default = {"off": None, "on": True, "plain": False}[kind]
            words = [] if kind != "on" else words
        else:
            default = True if kind == "more" and default is None else default
            words.append(word)
    return Notes(repository, words, default) if is_on else None
