"""How a hook of an agent answers, as functions of the shell.

A form is used only if the agent itself, and sandhook in its place, reads from it what it should say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from sandhook.errors import SandhookError
from sandhook.hooks.checks.probe import sample
from sandhook.hooks.contracts import Answer, Contract
from sandhook.hooks.model import Compat, Decision, HookSpec, Placement, RunResult, Verdict
from sandhook.recipes.catalogue import Action
from sandhook.text.quoting import in_single_quotes

_TEXT = "SANDHOOK-TEXT"

#: The text of an answer in JSON if there is no jq to quote the hook's own.
_WITHOUT_JQ = "A hook objects. Its reason cannot be shown, because jq does not run."

_Test = Callable[[Verdict], bool]

#: Some agents drop standard error, which sandhook shows.
_COMPATS: tuple[Compat, ...] = ("strict", "better")


def answers_of(contract: Contract, spec: HookSpec, action: Action) -> dict[str, str] | None:
    """Return the functions that a hook calls to answer: their lines by name; None where the agent reads no such answer."""
    functions = {"pass": _pass(contract, spec)}
    if action == "observe":
        return functions
    for answer in _candidates(contract, spec, action):
        if _is_read(contract, spec, answer, _TESTS[action]):
            functions[action.replace("-", "_")] = _function(answer)
            return functions
    return None


def _candidates(contract: Contract, spec: HookSpec, action: Action) -> Iterator[Answer]:
    """Yield the forms that an answer may have, the simplest first."""
    kind = spec.event
    if action != "inform":
        yield Answer(stderr=f"{_TEXT}\n".encode(), exit_status=2)
    decision = Decision(kind, event=spec.native_event, contract=contract.name, reason=_TEXT)
    several = {
        "refuse": [
            decision._replace(permission="deny") if kind == "tool.pre" else decision._replace(block=True)
        ],
        "keep-working": [decision._replace(force_continue=True), decision._replace(block=True)],
        "inform": [decision._replace(context=((_TEXT, _PLACES.get(kind, "session")),), reason=None)],
    }[action]
    for each in several:
        try:
            yield contract.answer(each, sample(kind))
        except SandhookError:
            continue


_PLACES: Mapping[str, Placement] = {"prompt.submit": "prompt", "tool.post": "result"}


def _is_read(contract: Contract, spec: HookSpec, answer: Answer, test: _Test) -> bool:
    ran = RunResult(answer.exit_status, answer.stdout, answer.stderr)
    return all(
        verdict.could_not_run is None and test(verdict)
        for compat in _COMPATS
        for verdict in (contract.decode(spec, sample(spec.event), ran, compat),)
    )


_TESTS: Mapping[Action, _Test] = {
    "refuse": lambda verdict: verdict.refuses and _TEXT in (verdict.reason or ""),
    "inform": lambda verdict: any(_TEXT in text for text, _ in verdict.context),
    "keep-working": lambda verdict: verdict.force_continue and _TEXT in (verdict.reason or ""),
}


def _pass(contract: Contract, spec: HookSpec) -> str:
    """Return the lines that end a hook without an objection."""
    decision = Decision(spec.event, event=spec.native_event, contract=contract.name, permission="none")
    answer = contract.answer(decision, sample(spec.event))
    text = answer.stdout.decode().strip()
    return f"  printf '%s\\n' {in_single_quotes(text)}\n  exit 0" if text else "  exit 0"


def _function(answer: Answer) -> str:
    """Return the lines of a function that answers with the text of its first argument."""
    stdout, stderr = answer.stdout.decode().strip(), answer.stderr.decode().strip()
    lines = []
    if stderr:
        lines.append("printf '%s\\n' \"$1\" >&2")
    if stdout == _TEXT:
        lines.append("printf '%s\\n' \"$1\"")
    elif stdout:
        program = stdout.replace(f'"{_TEXT}"', "$text").replace(_TEXT, "\\($text)")
        constant = in_single_quotes(stdout.replace(_TEXT, _WITHOUT_JQ))
        lines.append(
            f"jq -nc --arg text \"$1\" '{program}' ||\n"
            f"    {{ printf '%s\\n' \"$1\" >&2; printf '%s\\n' {constant}; }} # without jq"
        )
    lines.append(f"exit {answer.exit_status}")
    return "\n".join(f"  {line}" for line in lines)
