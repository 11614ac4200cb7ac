"""``sandhook explain``: which hooks an event would run, why not the others, and what they would be given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandhook.cli.arguments import Parser
from sandhook.cli.configuration import Found, add_places, gather, guarded, load
from sandhook.cli.events import add_event, event_of
from sandhook.cli.listing import command_of
from sandhook.cli.table import columns, plain, put, put_json
from sandhook.hooks import contracts
from sandhook.hooks.chain import run_key
from sandhook.hooks.contracts import COMPAT, ContractError
from sandhook.hooks.decode import DecodeError
from sandhook.hooks.inventory import Item, inventory

if TYPE_CHECKING:
    import argparse

    from sandhook.hooks.event import Event
    from sandhook.hooks.model import HookSpec


def parser() -> Parser:
    made = Parser(
        "explain",
        "EVENT [OPTION]...",
        "Say which hooks an event would run and why not the others, without running anything.\n"
        "The hooks are those of --hooks, or those that the agent would read itself. Every hook is\n"
        "matched against the event as it is given, not as earlier hooks may change it.\n\n"
        "Exit status: 0 when a hook would run, 3 when none would, 1 usage or configuration error.",
    )
    add = made.add_argument
    add(
        "event",
        metavar="EVENT",
        help="the contract's own name (pre_tool_use) or a neutral one (tool.pre)",
    )
    add_places(add)
    add_event(add)
    add("--compat", choices=COMPAT, default="better", help="strict: reproduce upstream, gaps included")
    add("-v", "--verbose", action="store_true", help="also show what a hook would be given")
    add("--format", dest="layout", choices=("text", "json"), default="text")
    return made


#: Exit status when no hook would run.
NONE = 3


def run(arguments: list[str]) -> int:
    """Run the command and return its exit status."""
    try:
        options = parser().parse_args(arguments)
    except SystemExit as done:  # --help
        return int(done.code or 0)
    return guarded(lambda: _explain(options))


def _explain(options: argparse.Namespace) -> int:
    answers = []
    lines: list[str] = []
    known = False
    for found in gather(options):
        try:
            native, kind = contracts.kind_of(found.contract, options.event)
        except ContractError:
            if options.hooks or options.contract:
                raise
            continue  # another agent's word
        known = True
        event = event_of(options, found.contract, native, kind)
        found_answers = answers_of(found, event, options)
        answers += found_answers
        if options.layout == "text" and (found_answers or options.contract or options.hooks):
            lines += _lines(found, native, found_answers)
    if not known:
        raise ContractError(f"unknown event {options.event!r}; no known agent has it")
    if options.layout == "json":
        put_json([answer.json() for answer in answers])
    else:
        for line in lines or ["no hooks"]:
            put(line)
    return 0 if any(answer.runs for answer in answers) else NONE


class Answer:
    """What would become of one hook on the event."""

    def __init__(self, item: Item, runs: bool, why: str, given: dict[str, Any] | None) -> None:
        self.item = item
        self.runs = runs
        self.why = why
        self.given = given

    @property
    def word(self) -> str:
        if self.item.state != "trusted":
            return self.item.state
        return "runs" if self.runs else "no"

    def json(self) -> dict[str, Any]:
        item, spec = self.item, self.item.spec
        return {
            "hook_id": spec.id if spec is not None else None,
            "contract": item.contract,
            "runs": self.runs,
            "state": item.state,
            "why": self.why,
            "layer": item.layer,
            "file": item.file,
            "line": item.line,
            "path": item.path,
            **({"given": self.given} if self.given is not None else {}),
        }


def answers_of(found: Found, event: Event, options: argparse.Namespace) -> list[Answer]:
    """Return what would become of each hook that waits for this kind of event, and the faults."""
    engine = load(found, options, compat=options.compat)
    seen: set[Any] = set()
    answers = []
    for item in inventory(engine, found.contract, found.documents, found.problems):
        spec = item.spec
        if spec is None:
            answers.append(Answer(item, False, f"{item.path}: {item.why}" if item.path else item.why, None))
            continue
        if spec.event != event.kind:
            continue
        matched, why = _matched(spec, event)
        if matched and found.contract.fold.dedupe and item.state == "trusted":
            key = run_key(spec, found.contract.fold.dedupe)
            if key in seen:
                matched, why = False, "an earlier hook runs the same text"
            seen.add(key)
        if item.state != "trusted":
            why = f"{item.why}; it {'would match' if matched else 'would not match'}: {why}"
        given = _given(found, spec, event, options) if options.verbose else None
        answers.append(Answer(item, matched and item.state == "trusted", why, given))
    return answers


def _matched(spec: HookSpec, event: Event) -> tuple[bool, str]:
    if event.is_sub_agent and not spec.include_sub_agents:
        return False, "not for sub-agents"
    match = spec.matcher.check(event)
    return match.matched, match.why


def _given(found: Found, spec: HookSpec, event: Event, options: argparse.Namespace) -> dict[str, Any]:
    try:
        request = found.contract.request(spec, event, options.compat)
    except DecodeError as error:
        return {"error": f"the event cannot be encoded: {error}"}
    return {
        "stdin": request.stdin.decode("utf-8", "replace"),
        "env": dict(sorted(request.env.items())),
        "env_policy": spec.env_policy,
        "env_names": list(spec.env_names),
        "cwd": request.cwd,
        "files": [name for name, _ in request.files],
        "argv": list(spec.executor.argv),
        "timeout": spec.timeout,
    }


def _lines(found: Found, native: str, answers: list[Answer]) -> list[str]:
    count = sum(answer.runs for answer in answers)
    lines = [f"{native} of {found.contract.name}: {count} of {len(answers)} hook(s) would run"]
    rows = [
        [
            f"  {answer.word}",
            answer.item.spec.id if answer.item.spec is not None else "-",
            answer.item.layer or "-",
            answer.item.where or "-",
            answer.why,
        ]
        for answer in answers
    ]
    for line, answer in zip(columns(rows), answers):
        lines.append(line)
        if answer.given is not None:
            lines.append(f"      | {plain(command_of(answer.item))}")
            lines += [f"      {plain(line)}" for line in _given_lines(answer.given)]
    return lines


def _given_lines(given: dict[str, Any]) -> list[str]:
    if "error" in given:
        return [str(given["error"])]
    policy = {"inherit": "and the agent's whole environment", "fresh": "and nothing else"}
    more = policy.get(given["env_policy"]) or "and of the agent's: " + ", ".join(given["env_names"])
    return [
        f"in {given['cwd']}, at most {given['timeout']:g} seconds",
        f"stdin: {given['stdin'].rstrip() or 'nothing'}",
        *(f"file: {name}" for name in given["files"]),
        *(f"env: {name}={value}" for name, value in given["env"].items()),
        f"env: {more}",
    ]
