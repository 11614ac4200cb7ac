"""git config with a value: set, add and remove settings, where the caller of the sandbox allows it.

Source: git-config(1); git 2.39, builtin/config.c.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandhook.pattern.errors import PatternError
from sandhook.pattern.posix import compile_ere
from sandhook.record import Record
from sandhook.utilities.git.errors import GitError, OptionFault
from sandhook.utilities.git.names.colors import parse_color
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.access import encode
from sandhook.utilities.git.store.config import (
    config_events,
    key_fault,
    normalize_key,
    parse_boolean,
    parse_integer,
)
from sandhook.utilities.git.store.config_editing import ConfigText, ManyValues, renamed_section
from sandhook.utilities.git.store.repository import global_files
from sandhook.utilities.git.store.writing import replace_file
from sandhook.vfs.path import VirtualPath, join

_NO_SETTING, _BAD_PATTERN, _NO_WRITE = 5, 6, 255


class Place(Record):
    """Which file is changed: the option of its scope, and that of its name."""

    scope: str | None
    file: str | None
    type: str | None
    is_fixed: bool


def change(call: Invocation, place: Place, action: str, operands: Sequence[str]) -> int:
    """Change settings; return 0, and 5 for a key that has no value, or several."""
    least, most = {"set": (2, 3), "--add": (2, 2), "--replace-all": (2, 3)}.get(action, (1, 2))
    if action in ("--rename-section", "--remove-section"):
        least = most = 2 if action == "--rename-section" else 1
    if not least <= len(operands) <= most:
        count = f"should be {least}" if least == most else f"should be from {least} to {most}"
        raise OptionFault(f"wrong number of arguments, {count}")
    if action == "--edit":
        raise GitError("config -e: an editor is a program, which git in the sandbox never starts (L-GIT-002)")
    call.check_may_write()
    path, shown = _path(call, place)
    text = call.access.text_or_none(path) or ""
    call.access.charge(1 + (len(text) >> 4))
    call.ctx.budget.check_fits(len(text) * 16)
    events = config_events(text, shown)
    if least == most and action.endswith("-section"):
        new = operands[1] if len(operands) > 1 else None
        renamed = renamed_section(text, events, _section_name(operands[0]), new)
        if renamed is None:
            raise GitError(f"no such section: {operands[0]}")
        _write(call, path, shown, renamed)
        return 0
    key = operands[0]
    normal = normalize_key(key)
    if normal is None:
        raise GitError(key_fault(key), prefix="error", status=1 if "invalid" in key_fault(key) else 2)
    value = None if action.startswith("--unset") else _typed(place.type, normal, operands[1])
    accepts = None if action == "--add" else _pattern(operands[1 if value is None else 2 :], place)
    try:
        changed = ConfigText(text, events).changed(
            key, normal, value, accepts, every=action in ("--replace-all", "--unset-all")
        )
    except ManyValues:
        raise _several(key, action) from None
    if changed is None:
        return _NO_SETTING
    _write(call, path, shown, changed)
    return 0


def _several(key: str, action: str) -> GitError:
    text = f"{key} has multiple values"
    if action == "set":
        text += (
            "\nerror: cannot overwrite multiple values with a single value\n"
            f"       Use a regexp, --add or --replace-all to change {key}."
        )
    return GitError(text, prefix="warning", status=_NO_SETTING)


def _path(call: Invocation, place: Place) -> tuple[str, str]:
    """Return the path of the file, and the name that messages have."""
    if place.file is not None:
        return str(join(VirtualPath(call.options.cwd), place.file)), place.file
    if place.scope == "system":
        name = call.options.environment.get("GIT_CONFIG_SYSTEM") or "/etc/gitconfig"
        return name, name
    if place.scope == "global":
        files = global_files(call.options.environment)
        if not files:
            raise GitError("$HOME not set")
        exists = [each for each in reversed(files) if call.access.stat(each, follow=True) is not None]
        name = (exists or [files[-1]])[0]
        return str(join(VirtualPath(call.options.cwd), name)), name
    repository = call.find_repository()
    if repository is None:
        if place.scope is not None:
            raise GitError(f"--{place.scope} can only be used inside a git repository")
        raise GitError("not in a git directory")
    path = f"{repository.common}/config"
    if place.scope == "worktree" and repository.config.boolean("extensions.worktreeconfig"):
        path = f"{repository.git_dir}/config.worktree"
    elif place.scope == "worktree" and call.access.listdir(f"{repository.common}/worktrees"):
        raise GitError(
            "--worktree cannot be used with multiple working trees unless the config\n"
            'extension worktreeConfig is enabled. Please read "CONFIGURATION FILE"\n'
            'section in "git help worktree" for details'
        )
    shown = f"{repository.place.shown}/config" if repository.common == repository.git_dir else path
    return path, shown


def _write(call: Invocation, path: str, shown: str, text: str) -> None:
    found = call.access.stat(path, follow=True)
    if found is not None and found.mode & 0o170000 == 0o040000:
        raise GitError(
            f"unable to access '{shown}': Is a directory\nerror: invalid config file {shown}",
            prefix="warning",
            status=3,
        )
    if found is not None and found.mode & 0o170000 != 0o100000:
        raise GitError(
            f"could not lock config file {shown}: Permission denied", prefix="error", status=_NO_WRITE
        )
    if not call.access.is_dir(path.rpartition("/")[0] or "/"):
        raise GitError(
            f"could not lock config file {shown}: No such file or directory", prefix="error", status=_NO_WRITE
        )
    try:
        replace_file(call.access, path, encode(text))
    except GitError as error:
        reason = str(error).partition("': ")[2].partition(".\n")[0]
        raise GitError(
            f"could not lock config file {shown}: {reason}", prefix="error", status=_NO_WRITE
        ) from None


def _section_name(name: str) -> str:
    section, dot, rest = name.partition(".")
    return section.lower() + dot + rest


def _typed(kind: str | None, key: str, value: str) -> str:
    """Return a value in the form of --type. Raises GitError for another value."""
    if kind in ("bool", "bool-or-int"):
        truth = parse_boolean(value)
        number = parse_integer(value) if kind == "bool-or-int" else None
        if number is not None:
            return str(number)
        if truth is None:
            raise GitError(f"bad boolean config value '{value}' for '{key}'")
        return "true" if truth else "false"
    if kind == "int":
        number = parse_integer(value)
        if number is None:
            raise GitError(f"bad numeric config value '{value}' for '{key}': invalid unit")
        return str(number)
    if kind == "bool-or-str":
        truth = parse_boolean(value) if value else None
        return value if truth is None else "true" if truth else "false"
    if kind == "color" and parse_color(value) is None:
        raise GitError(f"invalid color value: {value}\nfatal: cannot parse color '{value}'", prefix="error")
    return value


def _pattern(words: Sequence[str], place: Place) -> Callable[[str | None], bool]:
    """Return which present values are changed."""
    if not words:
        return lambda value: True
    pattern = words[0]
    if place.is_fixed:
        return lambda value: value == pattern
    negated = pattern.startswith("!")
    try:
        regex = compile_ere(pattern[1:] if negated else pattern)
    except PatternError:
        raise GitError(f"invalid pattern: {pattern}", prefix="error", status=_BAD_PATTERN) from None
    return lambda value: (regex.search(encode(value or "")) is not None) != negated
