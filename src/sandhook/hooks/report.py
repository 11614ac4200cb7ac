"""A decision as JSON (for programs) and as lines of text (for people)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sandhook.hooks.event import Json, JsonObject
from sandhook.hooks.model import Decision, Operation, Outcome
from sandhook.hooks.text import neutralise
from sandhook.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from sandhook.interp.steps import Step


def to_json(decision: Decision) -> JsonObject:
    """Return a decision with all its outcomes as JSON values; texts are as the hooks wrote them."""
    return {
        "event": decision.event,
        "kind": decision.kind,
        "contract": decision.contract,
        "refused": decision.refused,
        "permission": decision.permission,
        "block": decision.block,
        "halt": decision.halt,
        "force_continue": decision.force_continue,
        "reason": decision.reason,
        "user_message": decision.user_message,
        "system_message": decision.system_message,
        "message": decision.message,
        "input": [_operation(each) for each in decision.input],
        "prompt": [_operation(each) for each in decision.prompt],
        "result": [_operation(each) for each in decision.result],
        "error": [_operation(each) for each in decision.error],
        "context": [{"text": text, "placement": place} for text, place in decision.context],
        "context_files": [{"path": file.path, "reason": file.reason} for file in decision.context_files],
        "could_not_run": list(decision.could_not_run),
        "withheld": [
            {"hook_id": each.spec.id, "path": each.spec.path, "file": each.spec.file, "why": each.why}
            for each in decision.withheld
        ],
        "fail_closed": list(decision.fail_closed),
        "outcomes": [outcome_json(each) for each in decision.outcomes],
        "late": [outcome_json(each) for each in decision.background],
        "extras": dict(decision.extras or {}),
        "diagnostics": list(decision.diagnostics),
    }


def _operation(operation: Operation) -> JsonObject:
    return {"op": operation.kind, "value": operation.value}


def outcome_json(outcome: Outcome) -> JsonObject:
    """Return what one hook did as JSON values."""
    verdict, run = outcome.verdict, outcome.run
    record: JsonObject = {
        "hook_id": outcome.spec.id,
        "path": outcome.spec.path,
        "matched": outcome.matched,
        "why": outcome.why,
        "ran": run is not None,
        "decision": verdict.label if run is not None else None,
        "reason": verdict.reason,
        "user_message": verdict.user_message,
        "could_not_run": verdict.could_not_run,
        "warnings": list(verdict.warnings),
        "diagnostics": list(verdict.diagnostics),
    }
    if run is not None:
        record.update(
            exit_status=run.exit_status,
            signal=run.signal,
            timed_out=run.timed_out,
            limit=run.limit,
            truncated=run.truncated,
            stdout=outcome.stdout,
            stderr=outcome.stderr,
            duration_ms=round(run.duration * 1000, 3),
            drift=list(run.drift),
        )
        if run.steps:
            record["steps"] = [step_json(step) for step in run.steps]
    return record


def to_text(decision: Decision, *, output: bool = False, place: str = "") -> list[str]:
    """Return lines about the hooks that ran, why they ran, their verdicts, and the decision.

    Args:
        output: Also show what each hook printed.
        place: The files that the hooks saw, or "".
    """
    lines = [
        f"not in force: {_one(each.spec.id)}: {_one(each.why)}; {_one(remedy(each.spec.file, decision.contract))}"
        for each in decision.withheld
    ]
    files = f", in {_one(place)}" if place and decision.outcomes else ""
    lines.append(f"{decision.event or decision.kind}: {len(decision.outcomes)} hook(s){files}")
    for outcome in decision.outcomes:
        lines.extend(_outcome_lines(outcome, output))
    lines.append("decision: " + _summary(decision) + _incomplete(decision))
    if (decision.refused or decision.force_continue) and decision.message is not None:
        lines.append(f"  message: {_one(decision.message)}")
    if decision.user_message is not None:
        lines.append(f"  to the user: {_one(decision.user_message)}")
    for name in ("input", "prompt", "result", "error"):
        for operation in getattr(decision, name):
            lines.append(f"  {name} {operation.kind}: {_one(_json(operation.value))}")
    for text, place in decision.context:
        lines.append(f"  context ({place}): {_one(text)}")
    lines.extend(f"  file: {_one(file.path)}" for file in decision.context_files)
    lines.extend(f"  {name}: {_one(_json(value))}" for name, value in (decision.extras or {}).items())
    return lines


def approval(file: str, contract: str) -> str:
    """Return the command by which a person approves the hooks of a file.

    Args:
        contract: The agent that reads them; "" if there are several.
    """
    from sandhook.hooks.sources import is_anothers
    from sandhook.text.quoting import quote_word

    named = f" --contract {contract}" if file and contract and is_anothers(file, contract) else ""
    return f"sandhook trust {quote_word(file) if file else 'FILE'}{named}"


def remedy(file: str, contract: str) -> str:
    """Return what a person does about hooks of a file that nobody approved; see `approval`."""
    return f"`{approval(file, contract)}` approves it"


def _outcome_lines(outcome: Outcome, output: bool) -> list[str]:
    run, verdict = outcome.run, outcome.verdict
    name = _one(outcome.spec.id)
    if run is None:
        state = {"not_matched": "not run: ", "withheld": "not in force: "}.get(
            outcome.state, ""
        ) + outcome.why
        return [f"  {name}  {_one(state)}"]
    words = [verdict.label]
    if verdict.reason is not None:
        words.append(f": {_one(verdict.reason)}")
    lines = [f"  {name}  {''.join(words)}", f"    because {_one(outcome.why)}"]
    status = "nothing ran" if run.exit_status is None else f"exit status {run.exit_status}"
    lines.append(f"    {status}")
    if verdict.could_not_run is not None:
        lines.append(f"    could not run: {_one(verdict.could_not_run)}")
        if not output:  # else it is shown with what the hook printed
            lines.extend(f"    hint: {_one(line)}" for line in _hints(outcome.stderr))
    lines.extend(f"    warning: {_one(text)}" for text in verdict.warnings)
    lines.extend(f"    note: {_one(text)}" for text in verdict.diagnostics)
    lines.extend(f"    {line}" for line in step_lines(run.steps))
    if output:
        for label, text in (("stdout", outcome.stdout), ("stderr", outcome.stderr)):
            lines.extend(f"    {label}| {_one(line)}" for line in text.splitlines())
    return lines


def _hints(stderr: str) -> list[str]:
    """Return what the sandbox said about programs that it has not, see ``sandhook.interp.advice``."""
    beginning = "sandhook: the sandbox has no "
    lines = dict.fromkeys(line for line in stderr.splitlines() if line.startswith(beginning))
    return [line.removeprefix("sandhook: ") for line in lines]


_ALLOWED = {"none": "proceed", "allow": "proceed, approved", "ask": "ask the user", "defer": "deferred"}


def _summary(decision: Decision) -> str:
    if decision.halt:
        return "halt"
    if decision.permission == "deny" or decision.block:
        return "refused" + (" (fail closed)" if decision.fail_closed else "")
    if decision.force_continue:
        return "go on working"
    changed = [name for name in ("input", "prompt", "result", "error") if getattr(decision, name)]
    allowed = _ALLOWED[decision.permission]
    return f"{allowed}, {' and '.join(changed)} changed" if changed else allowed


def _incomplete(decision: Decision) -> str:
    """Return how many hooks did not take part, in parentheses; "" when all did."""
    parts = []
    if decision.could_not_run:
        parts.append(f"{len(decision.could_not_run)} could not run")
    if decision.withheld:
        parts.append(f"{len(decision.withheld)} not in force")
    return f" ({', '.join(parts)})" if parts else ""


def _json(value: Json) -> str:
    from sandhook.hooks.decode import encode

    return encode(value)


def _one(text: str) -> str:
    return neutralise(text, lines=False, limit=2048)


# --------------------------------------------------------------------------- what each command of a hook did

#: Characters of a line.
_STEP_WIDTH = 200


def step_lines(steps: Sequence[Step]) -> Iterator[str]:
    """Yield the lines; control characters in what the script wrote are made visible."""
    if not steps:
        return
    from sandhook.interp.steps import MOST_STEPS

    for step in steps:
        yield from _step_lines(step, steps[0].process)
    if len(steps) == MOST_STEPS:
        yield f"only the first {MOST_STEPS:,} commands are shown"


def step_json(step: Step) -> JsonObject:
    """Return a step as JSON values; bytes that are not UTF-8 are replaced."""
    return {
        "line": step.line,
        "source": step.source,
        "function": step.function,
        "text": step.text,
        "words": None if step.words is None else list(step.words),
        "process": step.process,
        "depth": step.depth,
        "status": step.status,
        "signal": step.signal,
        "variables": dict(step.variables),
        "stdout": step.output.decode("utf-8", "replace"),
        "stderr": step.errors.decode("utf-8", "replace"),
        "piped": step.piped.decode("utf-8", "replace"),
        "seconds": round(step.seconds, 6),
    }


def _step_lines(step: Step, shell: int) -> Iterator[str]:
    """Yield the lines of one command; ``shell`` is the process of the script itself."""
    place = f"{step.function or step.source}:{step.line}"
    inset = "  " * (step.depth + (step.process != shell))
    ended = f"ended by {step.signal}" if step.signal else "" if step.status is None else str(step.status)
    yield _clipped(f"{place:<16} {ended:>3}  {inset}{_visible(step.text)}")
    margin = " " * 22 + inset + "  "
    expanded = " ".join(map(_quoted, step.words or ()))
    if expanded and expanded != _visible(step.text):
        yield _clipped(f"{margin}+ {expanded}")
    for name, value in step.variables:
        yield _clipped(f"{margin}{name} unset" if value is None else f"{margin}{name}={_quoted(value)}")
    for sign, data in (("|", step.piped), (">", step.output), ("!", step.errors)):
        for line in data.decode("utf-8", "replace").splitlines():
            yield _clipped(f"{margin}{sign} {_visible(line)}")


def _quoted(text: str) -> str:
    from sandhook.text.quoting import single_quote

    plain = text and all(letter.isalnum() or letter in "_-./:=,@%+" for letter in text)
    return text if plain else _visible(single_quote(text))


def _visible(text: str) -> str:
    return neutralise(text.replace("\n", "\u21b5"), limit=_STEP_WIDTH, lines=False)


def _clipped(line: str) -> str:
    return line if len(line) <= _STEP_WIDTH else line[: _STEP_WIDTH - 3] + "..."
