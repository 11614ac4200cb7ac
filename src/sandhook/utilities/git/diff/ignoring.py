"""Lines whose changes do not count: --ignore-blank-lines and -I.

Source: git-diff(1).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandhook.pattern.errors import PatternError
from sandhook.pattern.posix import LINE_ERE, Regex, compile_regex
from sandhook.utilities.git.diff.options import DiffOptions
from sandhook.utilities.git.diff.xdiff import Change
from sandhook.utilities.git.errors import GitError

Ignorable = tuple[Callable[[bytes], bool], ...]


def ignored_lines(options: DiffOptions) -> Ignorable | None:
    """Return what selects lines whose changes do not count; None without an option. Raises GitError.

    A change does not count if one of the functions selects all of its lines.
    """
    checks: list[Callable[[bytes], bool]] = []
    if options.blank_lines:
        ignores_blanks = (
            options.ignore_all_space
            or options.ignore_space_change
            or options.ignore_space_at_eol
            or options.ignore_cr_at_eol
        )
        checks.append(
            (lambda line: not line.strip()) if ignores_blanks else (lambda line: line in (b"", b"\n"))
        )
    regexes = []
    for pattern in options.ignore_matching:
        try:
            regexes.append(compile_regex(pattern, LINE_ERE))
        except PatternError:
            raise GitError(f"invalid regex given to -I: '{pattern}'", prefix="error", status=129) from None
    if regexes:
        checks.append(lambda line: any(_matches(regex, line) for regex in regexes))
    return tuple(checks) or None


def is_ignored(change: Change, old: Sequence[bytes], new: Sequence[bytes], ignorable: Ignorable) -> bool:
    """Return True if no line of a change counts."""
    lines = (*old[change.old : change.old_end], *new[change.new : change.new_end])
    return any(all(check(line) for line in lines) for check in ignorable)


def _matches(regex: Regex, line: bytes) -> bool:
    """Return True if an expression matches a line, or the empty text after its newline, as git compares it."""
    text = line.removesuffix(b"\n")
    return regex.search(text) is not None or (text != line and regex.search(b"") is not None)
