"""Changes the settings of branches in the configuration of a repository.

Source: git 2.39, git_config_copy_or_rename_section_in_file in config.c.
"""

from __future__ import annotations

import re

from sandhook.utilities.git.store.access import encode
from sandhook.utilities.git.store.config import config_events, normalize_key
from sandhook.utilities.git.store.config_editing import ConfigText, ManyValues
from sandhook.utilities.git.store.repository import Repository
from sandhook.utilities.git.store.writing import replace_file

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
    for line in re.findall(r"[^\n]*\n|[^\n]+", text):
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


def set_branch_setting(
    repository: Repository, branch: str, key: str, value: str, *, adds: bool = False
) -> None:
    """Set a setting of a branch: in place of its value, or at the end of its section with ``adds``."""
    _edit(repository, f"branch.{branch}.{key}", value, adds=adds)


def unset_branch_settings(repository: Repository, branch: str, keys: tuple[str, ...]) -> None:
    """Remove settings of a branch, and its sections that are empty then."""
    for key in keys:
        _edit(repository, f"branch.{branch}.{key}", None)


def _edit(repository: Repository, key: str, value: str | None, *, adds: bool = False) -> None:
    """Set a setting in the repository's own file, or remove it; several values stay, with a warning.

    Raises:
        GitError: The file cannot be read or written.
    """
    path = f"{repository.common}/config"
    text = repository.access.text_or_none(path) or ""
    repository.access.charge(1 + (len(text) >> 4))
    editor = ConfigText(text, config_events(text, path))
    accepts = None if adds else (lambda _: True)
    try:
        changed = editor.changed(key, normalize_key(key) or key, value, accepts, every=False)
    except ManyValues:
        repository.warn_once(f"warning: {key} has multiple values")
        return
    if changed is not None and changed != text:
        replace_file(repository.access, path, encode(changed))


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
