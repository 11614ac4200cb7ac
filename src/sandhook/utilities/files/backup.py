"""Backups: the names that cp, mv and ln give to what they would overwrite.

Source: GNU coreutils 9.1 manual, "Backup options".
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from sandhook.command.context import Context
from sandhook.command.operands import locate
from sandhook.command.options import UsageError, also, opt

#: Words of --backup and VERSION_CONTROL, and what they mean.
_CONTROLS = {
    "none": "none", "off": "none", "simple": "simple", "never": "simple", "existing": "existing",
    "nil": "existing", "numbered": "numbered", "t": "numbered",
}  # fmt: skip
_LISTED = ("none", "simple", "existing", "numbered")
_PAIRS = {"none": "off", "simple": "never", "existing": "nil", "numbered": "t"}
#: What -b says: VERSION_CONTROL decides.
_BY_ENVIRONMENT = "environment"


def _control(text: str, source: str) -> str:
    """Return what a word means; it may be cut short where that is clear. Raises UsageError."""
    matching = {meaning for word, meaning in _CONTROLS.items() if word.startswith(text)}
    if text in _CONTROLS:
        return _CONTROLS[text]
    if len(matching) == 1 and text:
        return matching.pop()
    kind = "ambiguous" if matching and text else "invalid"
    listed = "".join(f"\n  - '{word}', '{_PAIRS[word]}'" for word in _LISTED)
    raise UsageError(f"{kind} argument '{text}' for '{source}'\nValid arguments are:{listed}")


def backup_option() -> Any:
    """Declare -b and --backup[=CONTROL]."""
    return also(
        opt("-b", help="back up what would be overwritten", const=_BY_ENVIRONMENT, default=None),
        opt(
            "--backup",
            "CONTROL",
            "like -b; CONTROL is none, numbered, existing or simple",
            optional=True,
            const=_BY_ENVIRONMENT,
            convert=lambda text: _control(text, "backup type"),
        ),
    )


def suffix_option() -> Any:
    """Declare -S."""
    return opt("-S", "--suffix", "SUFFIX", "end the names of backups in SUFFIX (~)")


#: Moves a file out of the way and returns its new name.
Backup = Callable[[str], str]


def backup_of(control: str | None, suffix: str | None, ctx: Context) -> Backup | None:
    """Return what makes backups, or None when there shall be none. Raises UsageError."""
    if control is None and suffix is None:
        return None
    if control is None or control == _BY_ENVIRONMENT:
        wanted = ctx.environment.get("VERSION_CONTROL")
        control = _control(wanted, "$VERSION_CONTROL") if wanted else "existing"
    if control == "none":
        return None
    ending = suffix or ctx.environment.get("SIMPLE_BACKUP_SUFFIX") or "~"
    if "/" in ending:
        ending = "~"
    method = control

    def backup(target: str) -> str:
        target = target.rstrip("/") or target
        name = target + ending
        if method != "simple":
            last = _last_number(target, ctx)
            if last or method == "numbered":
                name = f"{target}.~{last + 1}~"
        ctx.fs.rename(locate(ctx, target), locate(ctx, name))
        return name

    return backup


def _last_number(target: str, ctx: Context) -> int:
    """Return the highest number of a backup that is there, 0 for none."""
    above, slash, base = target.rpartition("/")
    numbered = re.compile(re.escape(base) + r"\.~([1-9][0-9]{0,17})~")
    entries = ctx.fs.listdir(ctx.path((above or "/") if slash else "."))
    ctx.charge(1 + (len(entries) >> 3))
    found = [numbered.fullmatch(entry.name) for entry in entries]
    return max((int(match[1]) for match in found if match), default=0)
