"""Workflow commands of GitHub Actions: a line for each finding, which GitHub shows at its line of a change.

Source: docs.github.com, "Workflow commands for GitHub Actions": error, warning and notice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sandhook.cli.output import plain
from sandhook.cli.outputs.annotations.model import Annotated, Annotation, Level

_COMMANDS: Mapping[Level, str] = {"error": "error", "warning": "warning", "note": "notice"}


def to_github(annotated: Annotated) -> Iterator[str]:
    """Yield the command of each annotation, in order."""
    advice = {kind.id: kind.advice for kind in annotated.kinds}
    for each in annotated.annotations:
        properties = {"file": each.file} if each.file else {}
        if each.file and each.line:
            properties["line"] = str(each.line)
            if each.column:
                properties["col"] = str(each.column)
        properties["title"] = f"sandhook {annotated.command}: {each.rule}"
        fields = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
        yield f"::{_COMMANDS[each.level]} {fields}::{_data(_text(each, advice.get(each.rule, '')))}"


def _text(each: Annotation, advice: str) -> str:
    path = f"{each.path}: " if each.path else ""
    hook = f" (hook {each.hook})" if each.hook else ""
    message = plain(f"{path}{each.message}{hook}")
    return f"{message}\n{advice}" if advice else message


def _data(text: str) -> str:
    """Return a text that is no command by itself, whatever a hook has in it."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
