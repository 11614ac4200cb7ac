"""The options of diffs, which diff, log, show and others share.

Source: git-diff(1), "OPTIONS".
"""

from __future__ import annotations

from sandhook.command.options import UsageError, also, opt, option_set
from sandhook.utilities.git.arguments import count
from sandhook.utilities.git.diff.model import MOST_SCORE
from sandhook.utilities.git.errors import GitError

BARE = "\0"  #: the mode of --color-moved alone, which is that of the settings
_ALONE = {"name_only", "name_status", "check"}  #: forms that no other one is printed with
_DEFAULT_SCORE = MOST_SCORE // 2


def similarity(text: str) -> int:
    """Convert "50%", "0.5" or "5" to a score. Raises UsageError."""
    digits = text.rstrip("%").replace(".", "", 1)
    if not (digits.isascii() and digits.isdigit()) or len(digits) > 9:
        raise UsageError("invalid argument to find-renames")
    if text.endswith("%"):
        value = float(text[:-1]) / 100
    elif "." in text:
        value = float(text)
    else:
        value = float(f"0.{text}")
    return min(MOST_SCORE, int(value * MOST_SCORE))


def _form_of_merges(text: str) -> str:
    """Return a form of --diff-merges, after "=". Raises GitError for an unknown one."""
    found = _FORMS_OF_MERGES.get(text)
    if text in ("r", "remerge"):
        raise GitError(f"--diff-merges={text} is not offered in the sandbox (L-GIT-003)", status=129)
    if found is None:
        raise GitError(f"invalid value for '--diff-merges': '{text}'")
    return found


_FORMS_OF_MERGES = {
    "off": "off", "none": "off", "1": "=first", "first-parent": "=first", "separate": "=separate", "m": "=separate",
    "on": "=separate", "c": "=combined", "combined": "=combined", "cc": "=dense", "dense-combined": "=dense",
}  # fmt: skip


@option_set
class DiffOptions:
    """Options of diffs."""

    patch: bool = also(
        opt("-p"), opt("-u"), opt("--patch"), opt("-s", const=None), opt("--no-patch", const=None)
    )
    context: int | None = also(
        opt("-U", "N", "lines of context", convert=count), opt("--unified", "N", "", convert=count)
    )
    raw: bool = opt("--raw")
    stat: str | None = opt("--stat", "WIDTH", "", optional=True, const="")
    stat_width: str | None = opt("--stat-width", "N", "")
    stat_name_width: str | None = opt("--stat-name-width", "N", "")
    stat_graph_width: str | None = opt("--stat-graph-width", "N", "")
    stat_count: str | None = opt("--stat-count", "N", "")
    compact: bool = opt("--compact-summary")
    numstat: bool = opt("--numstat")
    shortstat: bool = opt("--shortstat")
    summary: bool = opt("--summary")
    patch_with_stat: bool = opt("--patch-with-stat")
    patch_with_raw: bool = opt("--patch-with-raw")
    name_only: bool = opt("--name-only")
    name_status: bool = opt("--name-status")
    check: bool = opt("--check")
    nul: bool = opt("-z")
    renames: int | None = also(
        opt("-M", "N", "", convert=similarity, optional=True, const=_DEFAULT_SCORE),
        opt("--find-renames", "N", "", convert=similarity, optional=True, const=_DEFAULT_SCORE),
        opt("--no-renames", const=-1),
        opt("--renames", const=_DEFAULT_SCORE),
    )
    copies: int | None = also(
        opt("-C", "N", "", convert=similarity, optional=True, const=_DEFAULT_SCORE),
        opt("--find-copies", "N", "", convert=similarity, optional=True, const=_DEFAULT_SCORE),
    )
    copies_harder: bool = opt("--find-copies-harder")
    rename_limit: int | None = opt("-l", "N", "", convert=count)
    filter: str | None = opt("--diff-filter", "LETTERS", "")
    pickaxe: str | None = opt("-S", "STRING", "")
    pickaxe_lines: str | None = opt("-G", "REGEX", "")
    pickaxe_regex: bool = opt("--pickaxe-regex")
    pickaxe_all: bool = opt("--pickaxe-all")
    exit_code: bool = opt("--exit-code")
    quiet: bool = opt("--quiet")
    text: bool = also(opt("-a"), opt("--text"))
    reverse: bool = opt("-R")
    full_index: bool = opt("--full-index")
    abbrev: int | None = also(
        opt("--abbrev", "N", "", convert=count, optional=True, const=0), opt("--no-abbrev", const=40)
    )
    binary: bool = opt("--binary")
    relative: str | None = opt("--relative", "PATH", "", optional=True, const="")
    no_prefix: bool = opt("--no-prefix")
    old_prefix: str | None = opt("--src-prefix", "PREFIX", "")
    new_prefix: str | None = opt("--dst-prefix", "PREFIX", "")
    line_prefix: str = opt("--line-prefix", "PREFIX", "", default="")
    minimal: bool = opt("--minimal")
    algorithm: str | None = also(
        opt("--diff-algorithm", "NAME", ""),
        opt("--patience", const="patience"),
        opt("--histogram", const="histogram"),
    )
    ignore_all_space: bool = also(opt("-w"), opt("--ignore-all-space"))
    ignore_space_change: bool = also(opt("-b"), opt("--ignore-space-change"))
    ignore_space_at_eol: bool = opt("--ignore-space-at-eol")
    ignore_cr_at_eol: bool = opt("--ignore-cr-at-eol")
    inter_hunk: int = opt("--inter-hunk-context", "N", "", convert=count, default=0)
    color: str | None = also(
        opt("--color", "WHEN", "", optional=True, const="always"), opt("--no-color", const="never")
    )
    submodules: str | None = opt("--ignore-submodules", "WHEN", "", optional=True, const="all")
    submodule: str | None = opt("--submodule", "FORMAT", "", optional=True, const="log")
    no_indent: bool = also(opt("--no-indent-heuristic"), opt("--indent-heuristic", const=False))
    external: bool = also(opt("--ext-diff"), opt("--no-ext-diff", const=False))
    textconv: bool = also(opt("--textconv"), opt("--no-textconv", const=False))
    combined: str | None = also(
        opt("-c", const="combined", default=None),
        opt("--cc", const="dense"),
        opt("-m", const="separate"),
        opt("--no-diff-merges", const="off"),
        opt("--diff-merges", "FORM", "", convert=_form_of_merges),
    )
    word_diff: str | None = opt("--word-diff", "MODE", "", optional=True, const="plain")
    word_regex: str | None = opt("--word-diff-regex", "REGEX", "")
    color_words: str | None = opt("--color-words", "REGEX", "", optional=True, const="")
    function_context: bool = also(opt("-W"), opt("--function-context"))
    break_rewrites: str | None = also(
        opt("-B", "N", "", optional=True, const=""), opt("--break-rewrites", "N", "", optional=True, const="")
    )
    color_moved: str | None = also(
        opt("--color-moved", "MODE", "", optional=True, const=BARE), opt("--no-color-moved", const="no")
    )
    output: str | None = opt("--output", "FILE", "")
    order_file: str | None = opt("-O", "FILE", "")
    rotate_to: str | None = opt("--rotate-to", "PATH", "")
    skip_to: str | None = opt("--skip-to", "PATH", "")
    find_object: str | None = opt("--find-object", "OBJECT", "")
    new_mark: str | None = opt("--output-indicator-new", "CHARACTER", "")
    old_mark: str | None = opt("--output-indicator-old", "CHARACTER", "")
    context_mark: str | None = opt("--output-indicator-context", "CHARACTER", "")
    errors: str | None = opt("--ws-error-highlight", "KINDS", "")
    irreversible: bool = also(opt("-D"), opt("--irreversible-delete"))
    no_empty_renames: bool = also(opt("--no-rename-empty"), opt("--rename-empty", const=False))
    anchored: str | None = opt("--anchored", "TEXT", "")
    color_moved_blanks: str | None = also(
        opt("--color-moved-ws", "MODE", ""), opt("--no-color-moved-ws", const="no")
    )
    intended: str | None = also(
        opt("--ita-invisible-in-index", const="invisible", default=None),
        opt("--ita-visible-in-index", const="visible"),
    )
    blank_lines: bool = opt("--ignore-blank-lines")
    ignore_matching: tuple[str, ...] = also(
        opt("-I", "REGEX", "", append=True), opt("--ignore-matching-lines", "REGEX", "", append=True)
    )
    dirstat: tuple[str, ...] = also(
        opt("--dirstat", "FORM", "", optional=True, const="", append=True),
        opt("-X", "FORM", "", optional=True, const="", append=True),
        opt("--cumulative", const="cumulative", append=True),
        opt(
            "--dirstat-by-file", "FORM", "", optional=True, const="files", append=True,
            convert=lambda text: f"files,{text}",
        ),
    )  # fmt: skip
    recursive: bool = opt("-r")


def chosen_forms(options: DiffOptions) -> set[str]:
    """Return the forms that the options ask for."""
    if options.patch is None:  # -s
        return set()
    chosen = {
        name
        for name, wanted in (
            ("patch", options.patch or options.binary or options.patch_with_stat or options.patch_with_raw or options.context is not None),
            ("raw", options.raw or options.patch_with_raw),
            ("stat", options.stat is not None or options.patch_with_stat or options.compact
             or options.stat_width is not None or options.stat_count is not None
             or options.stat_graph_width is not None or options.stat_name_width is not None),
            ("numstat", options.numstat),
            ("shortstat", options.shortstat),
            ("dirstat", options.dirstat != ()),
            ("summary", options.summary),
            ("name_only", options.name_only),
            ("name_status", options.name_status),
            ("check", options.check),
        )
        if wanted
    }  # fmt: skip
    return chosen & _ALONE or chosen


def refused(options: DiffOptions) -> str | None:
    """Return the option that git has and that is not offered here; None if there is no such option."""
    table = (
        ("-B", options.break_rewrites is not None),
        ("--output", options.output is not None),
        ("--anchored", options.anchored is not None),
        ("--ita-visible-in-index", options.intended == "visible"),
    )
    return next((name for name, is_set in table if is_set), None)
