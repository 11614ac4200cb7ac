"""Finds what is wrong with hooks before they run: in their configuration and in their scripts.

Nothing runs. The contract's own decoder decides what an output or an exit status means.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sandhook.errors import LimitExceeded, Problem, ShellSyntaxError
from sandhook.hooks.checks import scripts
from sandhook.hooks.checks.installed import CheckedHook, Remark, remarks
from sandhook.hooks.checks.matchers import unknown_tools
from sandhook.hooks.checks.rules import RULES, SEVERITIES, Finding, RuleId
from sandhook.hooks.checks.surroundings import Surroundings
from sandhook.hooks.checks.timeouts import doubtful_timeout
from sandhook.hooks.contracts import Contract, Document
from sandhook.hooks.diagnostic import Diagnostic
from sandhook.hooks.engine import HookEngine
from sandhook.hooks.inventory import Item, inventory
from sandhook.hooks.matcher import All, AnyOf, Exact, Matcher, Never, ToolName
from sandhook.hooks.model import HookSpec
from sandhook.hooks.report import remedy
from sandhook.hooks.sources import line_of, with_lines

__all__ = ["RULES", "SEVERITIES", "CheckedHook", "Finding", "Remark", "Surroundings", "check"]

#: Findings of one configuration.
MAX_FINDINGS = 1000


def check(
    engine: HookEngine,
    contract: Contract,
    documents: Sequence[Document],
    around: Surroundings,
    problems: Sequence[Problem] = (),
) -> list[Finding]:
    """Return what is wrong with the hooks of one contract, in the order of files and lines.

    Args:
        engine: The hooks, loaded.
        documents: The configurations that were loaded.
        problems: Faults in addition to the engine's: files that cannot be read.
    """
    findings: list[Finding] = []
    places = {document.name: with_lines(document) for document in documents}
    ids: dict[str, Item] = {}
    for item in inventory(engine, contract, documents, problems):
        if item.state == "invalid":
            findings.append(Finding("E-CONFIG", item.why, item.file, item.line, item.path))
            continue
        spec = item.spec
        if spec is None:
            continue
        if item.state in ("untrusted", "muted"):
            why = f"{item.why}; {remedy(item.file, item.contract)}" if item.state == "untrusted" else item.why
            findings.append(Finding("N-STATE", why, item.file, item.line, item.path, spec.id))
        if item.state == "muted":
            continue
        if spec.id in ids:
            message = f"the id {spec.id} is that of the hook at {ids[spec.id].where}, too"
            findings.append(Finding("W-DUPLICATE", message, item.file, item.line, item.path, spec.id))
        ids.setdefault(spec.id, item)
        for rule, message in _configured(spec, contract):
            findings.append(Finding(rule, message, item.file, item.line, item.path, spec.id))
        if len(findings) < MAX_FINDINGS:
            findings += _script(item, contract, around)
            hook = CheckedHook(contract.name, spec, around.project, around.read)
            for rule, message, file, line in remarks(hook):
                place = (file, line, "") if file else (item.file, line or item.line, item.path)
                findings.append(Finding(rule, message, *place, spec.id))
    notes = [_note(text, places) for text in engine.diagnostics]
    findings += [note for note in notes if not _is_reported(note, findings)]
    findings = list(dict.fromkeys(findings))
    findings.sort(key=lambda each: (each.file, each.line))
    return findings


def _configured(spec: HookSpec, contract: Contract) -> Iterator[tuple[RuleId, str]]:
    """Yield what is wrong with a hook's matcher and timeout."""
    if (why := _never(spec.matcher)) is not None:
        yield "W-NEVER", why
    else:
        for message in unknown_tools(spec, contract):
            yield "W-TOOL", message
    if (why := doubtful_timeout(spec)) is not None:
        yield "W-TIMEOUT", why


def _script(item: Item, contract: Contract, around: Surroundings) -> list[Finding]:
    spec = item.spec
    if spec is None or spec.executor.type not in ("bash", "argv"):
        return []
    try:
        return scripts.check(item, contract, around)
    except (ShellSyntaxError, LimitExceeded, RecursionError) as error:
        return [Finding("E-PARSE", str(error), item.file, item.line, item.path, spec.id)]


def _never(matcher: Matcher) -> str | None:
    """Return why a matcher can never match, or None."""
    if isinstance(matcher, Never):
        return matcher.reason
    if isinstance(matcher, All):
        return next(filter(None, map(_never, matcher.parts)), None)
    if isinstance(matcher, AnyOf):
        reasons = [_never(part) for part in matcher.parts]
        return reasons[0] if reasons and all(reasons) else None
    if isinstance(matcher, ToolName) and isinstance(matcher.test, Exact):
        wanted = matcher.test.wanted
        if any(c in "|*^$()[] " for c in wanted):
            return f"{wanted!r} is read as the exact name of a tool, and no tool has such a name"
    return None


def _is_reported(note: Finding, findings: Sequence[Finding]) -> bool:
    """Return True for a note about a matcher or condition by which a hook never runs: W-NEVER says so already."""
    place, _, field = note.path.rpartition(".")
    return field in ("matcher", "if") and any(
        each.rule == "W-NEVER"
        and each.file == note.file
        and f"{each.path}.".startswith((f"{place}.", f"{place}["))
        for each in findings
    )


def _note(note: str, places: dict[str, Document]) -> Finding:
    """Return what a loader noted, at its line when the note knows its place."""
    if not isinstance(note, Diagnostic):
        return Finding("W-CONFIG", note, next(iter(places)) if len(places) == 1 else "")
    file = note.file or (next(iter(places)) if len(places) == 1 else "")
    document = places.get(file)
    line = 0 if document is None or not note.path else line_of(document, note.path)
    return Finding("W-CONFIG", note.message, file, line, note.path)
