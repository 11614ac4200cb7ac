"""Reads and changes the bytes of a configuration: JSON with or without comments, TOML, YAML.

Byte order mark, line ends, comments, blanks and unknown keys stay as they are. A file that is itself a hook, named as
its event, counts as an object with this hook: ``{"hooks": {"PreToolUse": [{"command": ..., "script": true}]}}``.
"""

from __future__ import annotations

import json
from typing import Literal, TypeAlias

from sandhook.formats import FormatError, NotEditable
from sandhook.formats.tree_edit import same
from sandhook.hooks.event import Json
from sandhook.installation.errors import InstallationError
from sandhook.installation.operations import first_text

Format: TypeAlias = Literal["json", "toml", "yaml", "script"]

_BOM = "\ufeff"


def format_of(file: str) -> Format:
    """Return the format of a file by the ending of its name."""
    base = file.replace("\\", "/").rpartition("/")[2]
    ending = base.lower().rpartition(".")[2]
    if "." not in base or ending in ("sh", "bash", "zsh"):
        return "script"
    return "yaml" if ending in ("yaml", "yml") else "toml" if ending == "toml" else "json"


def read_value(data: bytes | None, file: str) -> Json:
    """Return the value of a file; {} for a file that is absent or has no value.

    Raises:
        InstallationError: It cannot be decoded.
    """
    try:
        form = format_of(file)
        return _of_script(data, file) if form == "script" else _value(_text(data or b""), form)
    except UnicodeDecodeError as error:
        raise InstallationError(file, f"not UTF-8 at byte {error.start + 1}") from None
    except (FormatError, RecursionError) as error:
        raise InstallationError(file, f"cannot be read as {format_of(file).upper()}: {error}") from None


def changed(data: bytes | None, value: Json, file: str) -> bytes:
    """Return the bytes of a file with its value changed; what is equal in both values keeps its bytes.

    Raises:
        InstallationError: It cannot be decoded, or the change cannot be made in its text.
    """
    old = read_value(data, file)
    if data is not None and same(old, value):
        return data
    text = _text(data or b"")
    mark = _BOM if (data or b"").startswith(_BOM.encode()) else ""
    try:
        form = format_of(file)
        edited = _script(value) if form == "script" else _edited(text, old, value, form)
        result = (mark + edited).encode()
        if not same(read_value(result, file), value):
            raise NotEditable("the result would have another meaning")
    except (NotEditable, FormatError, RecursionError, UnicodeEncodeError) as error:
        reason = str(error) or "its hooks are written in a form that cannot be changed in place"
        raise InstallationError(file, f"cannot be changed: {reason}") from None
    return result


def reverted(current: bytes, after: bytes, before: bytes) -> bytes | None:
    """Return bytes with one change taken back: what made ``after`` of ``before``. None if it is not found once."""
    start = _common(after, before)
    length = min(len(after), len(before)) - start
    end = _common(after[len(after) - length :][::-1], before[len(before) - length :][::-1])
    inserted = after[start : len(after) - end]
    if not inserted.strip() or current.count(inserted) != 1:
        return None
    return current.replace(inserted, before[start : len(before) - end])


def _common(left: bytes, right: bytes) -> int:
    """Return the length of the common beginning."""
    differs = (index for index, (a, b) in enumerate(zip(left, right)) if a != b)
    return next(differs, min(len(left), len(right)))


def _text(data: bytes) -> str:
    return data.decode("utf-8").removeprefix(_BOM)


def _value(text: str, form: Format) -> Json:
    value: object
    if form == "yaml":
        from sandhook.formats.yaml import read_yaml

        value = read_yaml(text, any_tag=True)[0].value
        value = {} if value is None else value
    elif form == "toml":
        from sandhook.formats.toml import read_toml

        value = read_toml(text)
    else:
        from sandhook.formats.json_edit import read_commented_json

        value = read_commented_json(text)
    plain: Json = json.loads(json.dumps(value))  # numbers and texts of the readers' own classes become plain
    return plain


_FIRST_LINE = "#!/usr/bin/env bash\n"


def _of_script(data: bytes | None, file: str) -> Json:
    """Return the object that stands for a file that is a hook."""
    if data is None:
        return {}
    event = file.replace("\\", "/").rpartition("/")[2].partition(".")[0]
    text = data.decode("utf-8")
    if text.startswith(_FIRST_LINE) and text.endswith("\n"):
        text = text.removeprefix(_FIRST_LINE).removesuffix("\n")
    return {"hooks": {event: [{"command": text, "script": True}]}}


def _script(value: Json) -> str:
    """Return the text of a file that is the hook in a value."""
    command = first_text(value, ("command",))
    return f"{_FIRST_LINE}{command}\n"


def _edited(text: str, old: Json, new: Json, form: Format) -> str:
    if form == "json":
        from sandhook.formats.json_edit import edit_json

        return edit_json(text, new)
    if form == "toml":
        from sandhook.formats.toml_edit import edit_toml

        if not isinstance(new, dict):
            raise NotEditable("a TOML file is a table")
        return edit_toml(text, dict(new))
    return _edited_yaml(text, old, new)


def _edited_yaml(text: str, old: Json, new: Json) -> str:
    from sandhook.formats.yaml import read_yaml
    from sandhook.formats.yaml_edit import edit_yaml
    from sandhook.formats.yaml_text import write_yaml

    plain = text.replace("\r\n", "\n")
    if "\r" in plain:
        raise NotEditable("a line ends with a carriage return alone")
    if not old and read_yaml(plain, any_tag=True)[0].value is None:
        separator = "" if not plain or plain.endswith("\n") else "\n"
        edited = plain + separator + (write_yaml(new) if new else "")
    else:
        edited = edit_yaml(plain, [_value(plain, "yaml")], [new])
        if not plain.endswith("\n"):
            edited = edited.removesuffix("\n")
    return edited if plain == text else _with_line_ends(text, edited)


def _with_line_ends(text: str, edited: str) -> str:
    """Return an edited text in which the lines of the first text have the line ends that they had there."""
    from difflib import SequenceMatcher

    first_end = text.find("\n")
    usual = "\r\n" if text[first_end - 1 : first_end] == "\r" else "\n"
    old = text.splitlines(keepends=True)
    new = edited.splitlines(keepends=True)
    bare = [line.replace("\r\n", "\n") for line in old]
    lines: list[str] = []
    for tag, start, end, new_start, new_end in SequenceMatcher(None, bare, new, False).get_opcodes():
        if tag == "equal":
            lines += old[start:end]
        else:
            lines += [line.replace("\n", usual) for line in new[new_start:new_end]]
    return "".join(lines)
