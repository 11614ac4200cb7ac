"""Backups of the files that cp, mv, ln and tar would overwrite.

Source: GNU coreutils 9.1 manual, "Backup options".
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from sandhook.command.context import Context
from sandhook.command.operands import locate
from sandhook.command.options import UsageError, also, opt

#: Words of --backup and VERSION_CONTROL, and their methods.
_CONTROLS = {
    "none": "none", "off": "none", "simple": "simple", "never": "simple", "existing": "existing",
    "nil": "existing", "numbered": "numbered", "t": "numbered",
}  # fmt: skip
_CHOICES = ("none", "simple", "existing", "numbered")
_PAIRS = {"none": "off", "simple": "never", "existing": "nil", "numbered": "t"}
#: The method of -b: VERSION_CONTROL determines the method.
BY_ENVIRONMENT = "environment"


def parse_control(text: str, source: str) -> str:
    """Return the method of a word or an unambiguous prefix of one. Raises UsageError."""
    matches = {meaning for word, meaning in _CONTROLS.items() if word.startswith(text)}
    if text in _CONTROLS:
        return _CONTROLS[text]
    if len(matches) == 1 and text:
        return matches.pop()
    kind = "ambiguous" if matches and text else "invalid"
    choices = "".join(f"\n  - '{word}', '{_PAIRS[word]}'" for word in _CHOICES)
    raise UsageError(f"{kind} argument '{text}' for '{source}'\nValid arguments are:{choices}")


def backup_option() -> Any:
    """Declare -b and --backup[=CONTROL]."""
    return also(
        opt("-b", help="back up files before they are overwritten", const=BY_ENVIRONMENT, default=None),
        opt(
            "--backup",
            "CONTROL",
            "like -b; CONTROL: none, numbered, existing or simple",
            optional=True,
            const=BY_ENVIRONMENT,
            convert=lambda text: parse_control(text, "backup type"),
        ),
    )


def suffix_option() -> Any:
    """Declare -S."""
    return opt("-S", "--suffix", "SUFFIX", "end the names of backups in SUFFIX (~)")


#: Moves a file out of the way and returns its new name.
Backup = Callable[[str], str]


def backup_of(control: str | None, suffix: str | None, ctx: Context) -> Backup | None:
    """Return the function that makes backups, or None without backups. Raises UsageError."""
    if control is None and suffix is None:
        return None
    if control is None or control == BY_ENVIRONMENT:
        variable = ctx.environment.get("VERSION_CONTROL")
        control = parse_control(variable, "$VERSION_CONTROL") if variable else "existing"
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
    """Return the highest number of an existing backup, 0 without one."""
    parent, slash, base = target.rpartition("/")
    pattern = re.compile(re.escape(base) + r"\.~([1-9][0-9]{0,17})~")
    entries = ctx.fs.listdir(ctx.path((parent or "/") if slash else "."))
    ctx.charge(1 + (len(entries) >> 3))
    matches = [pattern.fullmatch(entry.name) for entry in entries]
    return max((int(match[1]) for match in matches if match), default=0)
