"""Changes the settings of branches in the configuration of a repository.

Source: git 2.39, git_config_copy_or_rename_section_in_file in config.c.
"""

from __future__ import annotations

import re

from sandhook.utilities.git.store.access import encode
from sandhook.utilities.git.store.repository import Repository
from sandhook.utilities.git.store.writing import replace_file

_SETTING = re.compile(r"\s*([A-Za-z][A-Za-z0-9-]*+)\s*+(?:[=;#]|$)")
_HEADER = re.compile(r"""\s*\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\\n]|\\.)*)")?\s*\]""")


def rename_branch_settings(repository: Repository, old: str, new: str, *, copies: bool) -> None:
    """Rename the sections of a branch, or add a copy after each."""
    _change(repository, old, _header(new), copies=copies)


def remove_branch_settings(repository: Repository, name: str) -> None:
    """Remove the sections of a branch. Settings outside of the repository's own file stay, as in git."""
    _change(repository, name, None, copies=False)


def _change(repository: Repository, name: str, header: str | None, *, copies: bool) -> None:
    path = f"{repository.common}/config"
    text = repository.access.text_or_none(path) or ""
    lines: list[str] = []
    copied: list[str] | None = None
    removes = False
    for line in text.splitlines(keepends=True):
        repository.access.charge(1)
        found = _HEADER.match(line)
        if found is not None:
            lines += copied or ()
            copied = None
            removes = False
            if _is_of(found, name):
                removes = header is None
                copied = [f"{header}\n"] if copies else None
                line = line if copies or removes else f"{header}\n{_after(line[found.end() :])}"
        elif copied is not None:
            copied.append(line)
        if not removes:
            lines.append(line)
    lines += copied or ()
    changed = "".join(lines)
    if changed != text:
        replace_file(repository.access, path, encode(changed))


def set_branch_setting(repository: Repository, branch: str, key: str, value: str) -> None:
    """Set a setting of a branch: in place of its last value, else at the end of its last section, else in a new one."""
    lines, places, ends = _settings_of(repository, branch, key)
    line = f"\t{key} = {_quoted(value)}\n"
    if places:
        lines[places[-1]] = line
    elif ends:
        lines.insert(ends[-1], line)
    else:
        lines += [f"{_header(branch)}\n", line]
    replace_file(repository.access, f"{repository.common}/config", encode("".join(lines)))


def unset_branch_settings(repository: Repository, branch: str, keys: tuple[str, ...]) -> None:
    """Remove settings of a branch, and its sections that are empty then."""
    for key in keys:
        lines, places, _ = _settings_of(repository, branch, key)
        for at in reversed(places):
            del lines[at]
            above = _HEADER.match(lines[at - 1])
            is_last = at == len(lines) or _HEADER.match(lines[at]) is not None
            if above is not None and not lines[at - 1][above.end() :].strip() and is_last:
                del lines[at - 1]
        replace_file(repository.access, f"{repository.common}/config", encode("".join(lines)))


def _settings_of(repository: Repository, branch: str, key: str) -> tuple[list[str], list[int], list[int]]:
    """Return the lines of the settings, those with a key of a branch, and where the sections of the branch end."""
    text = repository.access.text_or_none(f"{repository.common}/config") or ""
    lines = (text if not text or text.endswith("\n") else f"{text}\n").splitlines(keepends=True)
    places: list[int] = []
    ends: list[int] = []
    inside = False
    for at, line in enumerate(lines):
        repository.access.charge(1)
        found = _HEADER.match(line)
        if found is not None:
            inside = _is_of(found, branch)
        setting = _SETTING.match(line, found.end() if found is not None else 0)
        if inside and setting is not None and setting[1].lower() == key and found is None:
            places.append(at)
        if inside and (found is not None or setting is not None):
            ends = [*ends[: -1 if found is None else None], at + 1]
    return lines, places, ends


def _quoted(value: str) -> str:
    text = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{text}"' if value[:1] == " " or value[-1:] == " " or any(c in value for c in ";#\r") else text


def _is_of(header: re.Match[str], branch: str) -> bool:
    """Return True for the header of a branch: [branch "NAME"], or [branch.name] as old versions of git wrote it."""
    section, quoted = header.groups()
    if quoted is None:
        return section == f"branch.{branch}"
    return section == "branch" and re.sub(r"\\(.)", r"\1", quoted) == branch


def _after(rest: str) -> str:
    """Return a setting that stood after a header on a line of its own."""
    text = rest.lstrip()
    return f"\t{text}" if text else ""


def _header(branch: str) -> str:
    quoted = branch.replace("\\", "\\\\").replace('"', '\\"')
    return f'[branch "{quoted}"]'
