"""Settings that choose how differences are computed and printed.

Source: git-config(1), diff.algorithm and diff.submodule.
"""

from __future__ import annotations

from typing import Literal

from sandhook.utilities.git.diff.model import Pair
from sandhook.utilities.git.diff.moved import MovedMode
from sandhook.utilities.git.diff.options import BARE, DiffOptions
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.store.access import encode
from sandhook.utilities.git.store.config import Config, parse_boolean
from sandhook.utilities.git.store.objects import GITLINK
from sandhook.utilities.git.store.repository import Repository

_ALGORITHMS = ("myers", "default", "minimal", "patience", "histogram")


def chosen_algorithm(config: Config, option: str | None, *, porcelain: bool) -> str:
    """Return the algorithm of --diff-algorithm, else that of diff.algorithm; "" without both. Raises GitError."""
    if option is not None and option not in _ALGORITHMS:
        raise GitError(
            'option diff-algorithm accepts "myers", "minimal", "patience" and "histogram"',
            prefix="error",
            status=129,
        )
    setting = (config.get("diff.algorithm") or "").lower() if porcelain else ""
    if setting and setting not in _ALGORITHMS:
        raise config.fault("diff.algorithm")
    return option or setting


def shows_submodule_log(config: Config, pair: Pair, option: str | None, *, porcelain: bool) -> bool:
    """Return True if the commits of a submodule are shown in place of its patch. Raises GitError for other forms."""
    if GITLINK not in (pair.old.mode, pair.new.mode):
        return False
    if option is not None and option not in ("short", "log"):
        if option != "diff":
            text = f"failed to parse --submodule option parameter: '{option}'"
            raise GitError(text, prefix="error", status=129)
        raise GitError("--submodule=diff is not offered in the sandbox (L-GIT-003)", status=129)
    form = option or (config.get("diff.submodule") if porcelain else None)
    if form == "diff":
        raise GitError("diff.submodule=diff is not offered in the sandbox (L-GIT-003)")
    return form == "log"


def read_marks(options: DiffOptions) -> dict[bytes, bytes] | None:
    """Return what is printed in place of "+", "-" and " "; None for these. Raises GitError for other than one byte."""
    marks: dict[bytes, bytes] = {}
    for name, sign, text in (
        ("new", b"+", options.new_mark), ("old", b"-", options.old_mark), ("context", b" ", options.context_mark),
    ):  # fmt: skip
        if text is None:
            continue
        mark = encode(text)
        if len(mark) != 1:
            raise GitError(
                f"output-indicator-{name} expects a character, got '{text}'", prefix="error", status=129
            )
        marks[sign] = mark
    return marks or None


_KINDS = {"none": "", "default": "+", "all": "+- ", "new": "+", "old": "-", "context": " "}
_MOVED: dict[str, MovedMode | Literal["no"]] = {
    "no": "no", "default": "zebra", "blocks": "blocks", "zebra": "zebra", "dimmed-zebra": "dimmed-zebra",
    "dimmed_zebra": "dimmed-zebra", "plain": "plain",
}  # fmt: skip
_MOVED_BLANKS = (
    "no", "ignore-space-change", "ignore-space-at-eol", "ignore-all-space", "allow-indentation-change",
)  # fmt: skip


def error_marks(config: Config, option: str | None, *, porcelain: bool) -> str:
    """Return the marks of the lines in which white-space errors are highlighted. Raises GitError."""
    setting = config.get("diff.wserrorhighlight") if porcelain else None
    text = option if option is not None else setting
    if text is None:
        return "+"
    marks = ""
    for word in text.split(","):
        if word not in _KINDS:
            if option is None:
                raise config.fault("diff.wserrorhighlight")
            raise GitError(
                "unknown value after ws-error-highlight=" + text[: text.index(word)],
                prefix="error",
                status=129,
            )
        marks = marks * (word in ("new", "old", "context")) + _KINDS[word]
    return marks


def _unknown_mode(more: str) -> GitError:
    return GitError(
        "color moved setting must be one of 'no', 'default', 'blocks', 'zebra', 'dimmed-zebra', 'plain'\n"
        + more,
        prefix="error",
        status=128 if more.startswith("fatal") else 129,
    )


def _blanks_fault(text: str) -> str | None:
    """Return what is wrong with the modes of --color-moved-ws, None for right ones."""
    words = text.split(",")
    wrong = next((word for word in words if word not in _MOVED_BLANKS), None)
    if wrong is not None:
        return (
            f"unknown color-moved-ws mode '{wrong}', possible values are 'ignore-space-change', "
            "'ignore-space-at-eol', 'ignore-all-space', 'allow-indentation-change'"
        )
    chosen = _chosen_blanks(text)
    if "allow-indentation-change" in chosen and len(chosen) > 1:
        return "color-moved-ws: allow-indentation-change cannot be combined with other whitespace modes"
    return None


def _chosen_blanks(text: str) -> frozenset[str]:
    words = text.split(",")
    last = max((at for at, word in enumerate(words) if word == "no"), default=-1)
    return frozenset(words[last + 1 :])


def moved_mode(
    config: Config, options: DiffOptions, *, porcelain: bool
) -> tuple[MovedMode | None, frozenset[str]]:
    """Return how moved lines are shown, None without colours of their own; and how their white space is compared.

    Raises GitError for unknown words of the settings.
    """
    setting = config.word("diff.colormoved") if porcelain else None
    blanks = config.get("diff.colormovedws") if porcelain else None
    if setting is not None and _mode(setting) is None:
        raise _unknown_mode(f"fatal: {config.fault('diff.colormoved')}")
    if blanks is not None and (fault := _blanks_fault(blanks)) is not None:
        raise GitError(f"{fault}\nfatal: {config.fault('diff.colormovedws')}", prefix="error", status=128)
    if options.color_moved_blanks is not None:
        blanks = options.color_moved_blanks
    asked = options.color_moved
    if asked is None or (asked == BARE and setting is not None):
        asked = setting
    mode = "no" if asked is None else "zebra" if asked == BARE else _mode(asked)
    return None if mode == "no" or mode is None else mode, _chosen_blanks(blanks or "no")


def _mode(text: str) -> MovedMode | Literal["no"] | None:
    """Return the mode of a word, None for an unknown one."""
    is_on = parse_boolean(text)
    if is_on is not None:
        return "zebra" if is_on else "no"
    return _MOVED.get(text)


def check_words(repository: Repository, options: DiffOptions) -> None:
    """Raise GitError for unknown words, and for a program that would compare files."""
    moved, blanks = options.color_moved, options.color_moved_blanks
    if moved is not None and moved != BARE and _mode(moved) is None:
        raise _unknown_mode(f"error: bad --color-moved argument: {moved}")
    if blanks is not None and (fault := _blanks_fault(blanks)) is not None:
        raise GitError(
            f"{fault}\nerror: invalid mode '{blanks}' in --color-moved-ws", prefix="error", status=129
        )
    if options.external and (
        repository.options.environment.get("GIT_EXTERNAL_DIFF")
        or repository.config.get("diff.external")
        or any(
            each.key.startswith("diff.") and each.key.endswith(".command")
            for each in repository.config.settings
        )
    ):
        raise GitError(
            "--ext-diff runs a program, which git in the sandbox never does (L-GIT-002)", status=129
        )


def check_forms(options: DiffOptions) -> None:
    """Raise GitError for options that exclude each other."""
    forms = (options.name_only, options.name_status, options.check, options.patch is None)
    if sum(forms) > 1:
        raise GitError("options '--name-only', '--name-status', '--check', and '-s' cannot be used together")
    searches = (options.pickaxe, options.pickaxe_lines, options.find_object)
    if sum(each is not None for each in searches) > 1:
        raise GitError("options '-G', '-S', and '--find-object' cannot be used together")
    if options.pickaxe_lines is not None and options.pickaxe_regex:
        raise GitError(
            "options '-G' and '--pickaxe-regex' cannot be used together, use '--pickaxe-regex' with '-S'"
        )
    if options.find_object is not None and options.pickaxe_all:
        raise GitError(
            "options '--pickaxe-all' and '--find-object' cannot be used together, "
            "use '--pickaxe-all' with '-G' and '-S'"
        )


def chosen_prefixes(
    config: Config, options: DiffOptions, mnemonic: tuple[str, str], *, porcelain: bool
) -> tuple[str, str]:
    """Return what is put before the names of the old and the new file.

    Args:
        mnemonic: The prefixes under diff.mnemonicPrefix.
    """
    old, new = "a/", "b/"
    if options.no_prefix or (porcelain and config.boolean("diff.noprefix")):
        old = new = ""
    elif porcelain and config.boolean("diff.mnemonicprefix"):
        old, new = mnemonic
    old = options.old_prefix if options.old_prefix is not None else old
    new = options.new_prefix if options.new_prefix is not None else new
    return (new, old) if options.reverse and options.old_prefix is None else (old, new)
