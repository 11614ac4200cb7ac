"""The result of a replay as lines of text, and as JUnit XML."""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.hooks.event import Json, JsonObject
from sandhook.hooks.text import neutralise
from sandhook.replay.compare import CHANGES

#: Groups of one change, and skipped places, that the text has.
_MOST_GROUPS, _MOST_SKIPPED = 12, 20

_TITLES = {
    "newly_refused": "newly refused",
    "newly_allowed": "newly allowed",
    "changed": "changed reason, input or permission",
    "could_not_run": "could not run now",
    "slower": "slower",
}


def to_text(value: JsonObject, broken: Sequence[str]) -> list[str]:
    """Return the lines of a result, see ``run.result_json``; texts of hooks cannot control a terminal.

    Args:
        broken: The rules that are broken.
    """
    refused = _object(value["refused"])
    changes = _object(value["changes"])
    measured = _object(value["measured"])
    lines = [
        f"{value['selected']} of {value['events']} events fired, {value['compared']} compared; refused: {refused['old']} before, {refused['new']} now"
    ]
    width = max(map(len, _TITLES.values()))
    for change in CHANGES:
        count = measured["slower"] if change == "slower" else changes[change]
        lines.append(f"  {_TITLES[change]:<{width}}  {count}")
    for change in CHANGES:
        lines += _group_lines(value, change)
    unfired = _object(value["unfired"])
    lines += [f"not fired: {count} events: {_one(reason)}" for reason, count in unfired.items()]
    for each in _objects(value["skipped"])[:_MOST_SKIPPED]:
        lines.append(skipped_line(each))
    if (more := int(str(value["skipped_count"])) - _MOST_SKIPPED) > 0:
        lines.append(f"skipped: {more} more places")
    for each in _objects(value["failed"]):
        ids = each["events"]
        count = len(ids) if isinstance(ids, list) else 0
        place = f"{_one(each['file'])}, {each['start']} to {each['end']}"
        lines.append(f"failed: {place}: {count} events were not replayed: {_one(each['reason'])}")
    if value["masked"]:
        lines.append(
            f"note: {value['masked']} events have masked secrets; hooks that look for those decide otherwise"
        )
    lines += [f"broken: {_one(rule)}" for rule in broken]
    return lines


def _group_lines(value: JsonObject, change: str) -> list[str]:
    groups = [each for each in _objects(value["groups"]) if each["change"] == change]
    if not groups:
        return []
    lines = [f"{_TITLES[change]}:"]
    for group in groups[:_MOST_GROUPS]:
        shape = f" `{_one(group['shape'])}`" if group["shape"] else ""
        lines.append(
            f"  {group['events']:>8}  {_one(group['hook']) or '-'}  {_one(group['tool']) or '-'}{shape}"
        )
        example = _objects(group["examples"])[0]
        new = _object(example["new"])
        reason = new["reason"] or ", ".join(map(str, _list(new["could_not_run"])))
        lines.append(
            f"            {example['time']} {_one(example['id'])}" + (f": {_one(reason)}" if reason else "")
        )
    if len(groups) > _MOST_GROUPS:
        lines.append(f"            {len(groups) - _MOST_GROUPS} more groups")
    return lines


def skipped_line(skipped: JsonObject) -> str:
    """Return what could not be read as a line: file, line and byte, row, or group; and why."""
    place = _one(skipped["file"])
    if skipped["unit"] != "file":
        line = f":{skipped['line']}" if skipped["line"] is not None else ""
        place += f"{line}: {skipped['unit']} {skipped['place']}"
    count = skipped["recovered"]
    recovered = f" ({count} whole events in it were read)" if count else ""
    return f"skipped: {place}: {_one(skipped['reason'])}{recovered}"


def to_junit(value: JsonObject, rules: Sequence[str], broken: Sequence[str]) -> str:
    """Return a test suite: a case for each rule, and one for each partition that failed."""
    cases = []
    for rule in rules:
        failure = ""
        if rule in broken:
            changes = ", ".join(f"{name} {count}" for name, count in _object(value["changes"]).items())
            failure = f"<failure message={_attribute('broken: ' + rule)}>{_xml(changes)}</failure>"
        cases.append(f'<testcase classname="replay" name={_attribute(rule)}>{failure}</testcase>')
    for each in _objects(value["failed"]):
        name = f"{each['file']} {each['start']}-{each['end']}"
        cases.append(
            f'<testcase classname="replay" name={_attribute(name)}>'
            f"<error message={_attribute(str(each['reason']))}/></testcase>"
        )
    if not cases:  # a suite without a case counts as one that did not run
        cases.append(f'<testcase classname="replay" name="{value["selected"]} events were fired"/>')
    errors = len(_objects(value["failed"]))
    head = f'<testsuite name="replay" tests="{len(cases)}" failures="{len(broken)}" errors="{errors}">'
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', head, *cases, "</testsuite>"])


def _attribute(text: str) -> str:
    return f'"{_xml(text)}"'


def _xml(text: str) -> str:
    text = _valid(text)
    for sign, escaped in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("\n", "&#10;")):
        text = text.replace(sign, escaped)
    return text


def _valid(text: str) -> str:
    """Return a text without characters that XML 1.0 does not have."""
    return "".join(
        c if c in "\t\n" or "\x20" <= c < "\ud800" or "\ue000" <= c < "\ufffe" else "?" for c in text
    )


def _one(value: Json) -> str:
    return neutralise("" if value is None else str(value), limit=300, lines=False)


def _object(value: Json) -> JsonObject:
    assert isinstance(value, dict)
    return value


def _objects(value: Json) -> list[JsonObject]:
    return [each for each in _list(value) if isinstance(each, dict)]


def _list(value: Json) -> list[Json]:
    assert isinstance(value, list)
    return value
