"""Claude Code's configurations: hooks of all layers add up, each with its type, its matcher and its `if`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sandhook.hooks.contracts import Document, Loaded, LoadOptions
from sandhook.hooks.contracts._fields import Fields, did_you_mean
from sandhook.hooks.contracts._forbidden import forbidden
from sandhook.hooks.contracts._groups import handlers, report_outside
from sandhook.hooks.contracts.claude_code.handler import Settings, hook
from sandhook.hooks.contracts.claude_code.names import (
    END_MOST,
    END_TIMEOUT,
    END_VARIABLE,
    EVENTS,
    ROWS,
)
from sandhook.hooks.contracts.claude_code.profile import Profile
from sandhook.hooks.contracts.claude_code.settings import Switches, origin, source, switches
from sandhook.hooks.decode import type_name
from sandhook.hooks.diagnostic import Diagnostic
from sandhook.hooks.model import HookSpec


def load(documents: Sequence[Document], options: LoadOptions, profile: Profile) -> Loaded:
    """Read configurations, weakest layer first; every fault is in the result, with its path."""
    all_fields = [Fields(document) for document in documents]
    rules = switches(all_fields, strict=options.strict)
    by_event: dict[str, list[HookSpec]] = {name: [] for name in EVENTS}
    read = [
        (fields, list(_document(fields, _settings(fields, rules, options, profile)))) for fields in all_fields
    ]
    if profile.reproduces("whole_file"):
        read = [(fields, several) for fields, several in read if not _is_dropped(fields)]
        rules = switches([Fields(fields.document) for fields, _ in read], strict=True)
    elif profile.has("whole_file"):
        for fields in all_fields:
            _note_dropped(fields)
    for _, several in read:
        for spec in several:
            by_event[spec.native_event].append(spec)
    by_event["SessionEnd"] = _ending(by_event["SessionEnd"], options)
    specs = [
        spec._replace(id=f"{event}[{index}]")
        for event, several in by_event.items()
        for index, spec in enumerate(several)
    ]
    specs = _told_apart(specs)
    kept, withheld, obstacles = _sorted(specs, rules, strict=options.strict)
    return Loaded(
        tuple(kept),
        tuple(problem for fields in all_fields for problem in fields.problems),
        (*(note for fields in all_fields for note in fields.notes), *obstacles),
        tuple(withheld),
    )


def _sorted(
    specs: list[HookSpec], rules: Switches, *, strict: bool
) -> tuple[list[HookSpec], list[tuple[HookSpec, str]], list[Diagnostic]]:
    """Return the hooks that count, those that the settings withhold, each with the reason, and notes.

    Args:
        strict: A hook whose URL is forbidden is withheld, as upstream; otherwise it could not run.
    """
    kept: list[HookSpec] = []
    withheld: list[tuple[HookSpec, str]] = []
    notes: list[Diagnostic] = []
    for spec in specs:
        why, url = rules.withholds(spec.layer, origin(spec.file, spec.layer)), _url_obstacle(rules, spec)
        if why is not None or (url is not None and strict):
            withheld.append((spec, why or url or ""))
        elif url is not None:
            kept.append(forbidden(spec, url))
            notes.append(Diagnostic(f"{url}: the hook could not run", spec.path, spec.file))
        else:
            kept.append(spec)
    return kept, withheld, notes


def _told_apart(specs: list[HookSpec]) -> list[HookSpec]:
    """Return the hooks with those of the organisation made different from settings with the same command.

    Settings that are equal in every key are one, wherever they stand; otherwise the organisation's hooks run before the
    others, and are not compared with them.
    """
    own = [(spec.native_event, spec.entry) for spec in specs if spec.layer != "managed"]
    return [
        spec._replace(variant=f"managed {spec.variant}")
        if spec.layer == "managed" and (spec.native_event, spec.entry) not in own
        else spec
        for spec in specs
    ]


#: The kinds of files of which Claude Code drops all hooks for one fault.
_WHOLE = ("settings", "plugin")


def _is_dropped(fields: Fields) -> bool:
    """Return whether Claude Code drops a whole file: settings or hooks of a plugin that have a fault."""
    from sandhook.hooks.contracts.claude_code.whole_file import report

    if origin(fields.document.name, fields.document.layer) not in _WHOLE:
        return False
    report(fields)
    return bool(fields.problems)


def _note_dropped(fields: Fields) -> None:
    """Note what costs a whole file in Claude Code, and nothing here."""
    from sandhook.hooks.contracts.claude_code.whole_file import report

    if origin(fields.document.name, fields.document.layer) not in _WHOLE:
        return
    managed = fields.document.layer == "managed"
    effect = "does not start with such a file" if managed else "drops the whole file, without a word"
    known = {problem.path for problem in fields.problems}
    strictly = Fields(fields.document)
    report(strictly)
    for problem in strictly.problems:
        if problem.path not in known:
            fields.note(problem.path, f"{problem.message}: Claude Code {effect}")


def _settings(fields: Fields, rules: Switches, options: LoadOptions, profile: Profile) -> Settings:
    document = fields.document
    return Settings(origin(document.name, document.layer), source(document), rules, options, profile)


def _url_obstacle(rules: Switches, spec: HookSpec) -> str | None:
    if spec.executor.type == "http" and rules.refuses_url(spec.layer, spec.executor.text):
        return f"allowedHttpHookUrls does not allow its URL: {spec.executor.text}"
    return None


def _document(fields: Fields, settings: Settings) -> Iterator[HookSpec]:
    value, profile = fields.document.value, settings.profile
    if value is None:
        return
    if not isinstance(value, dict):
        fields.problem("", f"wanted an object, got {type_name(value)}")
        return
    report_outside(fields, value, EVENTS)
    hooks = fields.get(value, "hooks", dict, "") or {}
    for name in hooks:
        _event_name(fields, name, profile)
    if profile.reproduces("whole_file"):  # which spares a file whose list of an event is something else
        hooks = {name: groups for name, groups in hooks.items() if isinstance(groups, list)}
    for handler in handlers(fields, hooks):
        if handler.event == "Stop" and settings.origin == "agent":
            handler = handler._replace(event="SubagentStop")
        if handler.event not in EVENTS or profile.lacks(handler.event) is not None:
            continue
        before = len(fields.problems)
        spec = hook(fields, handler, settings)
        if spec is not None and len(fields.problems) == before:
            yield spec


def _event_name(fields: Fields, name: str, profile: Profile) -> None:
    since = profile.lacks(name)
    if since is not None:
        fields.note(f"hooks.{name}", f"is known since {since}, and this is {profile.version}: skipped")
    elif name not in ROWS:
        hint = did_you_mean(name, ROWS)
        fields.note(f"hooks.{name}", f"is not an event of Claude Code: its hooks never run{hint}")


def _ending(specs: list[HookSpec], options: LoadOptions) -> list[HookSpec]:
    """Return SessionEnd's hooks with their timeouts: they share the longest timeout of the settings files."""
    variable = options.env.get(END_VARIABLE, "")
    if variable.isascii() and variable.isdigit() and len(variable) < 9:
        share = int(variable) / 1000
    else:
        timeouts = [
            spec.timeout
            for spec in specs
            if origin(spec.file, spec.layer) == "settings" and spec.extras and "timeout" in spec.extras
        ]
        share = max([END_TIMEOUT, *(min(seconds, END_MOST) for seconds in timeouts)])
    return [
        spec._replace(timeout=min(spec.timeout, share) if spec.extras and "timeout" in spec.extras else share)
        for spec in specs
    ]
