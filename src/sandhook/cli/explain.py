"""``sandhook explain``: the hooks that an event would run, why not the others, and the input of each."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

from sandhook.cli.arguments import Parser
from sandhook.cli.configuration import AgentConfiguration, add_places, gather, guarded, load
from sandhook.cli.events import add_event, event_of
from sandhook.cli.listing import command_of, meaning_of
from sandhook.cli.output import columns, is_terminal, plain, put, put_json
from sandhook.hooks import contracts
from sandhook.hooks.contracts import COMPAT, ContractError
from sandhook.hooks.decode import DecodeError
from sandhook.hooks.event_run import dedupe_key
from sandhook.hooks.inventory import Item, inventory
from sandhook.record import Record

if TYPE_CHECKING:
    import argparse

    from rich.console import RenderableType

    from sandhook.cli.terminal import Cell
    from sandhook.hooks.event import Event
    from sandhook.hooks.model import HookSpec


def parser() -> Parser:
    result = Parser(
        "explain",
        "EVENT [OPTION]...",
        "Show which hooks an event would run, and why the others would not. Nothing runs.\n"
        "The hooks are those of --hooks, or those that the agent would read. Every hook is matched\n"
        "against the event as it is described, not as earlier hooks may change it.\n\n"
        "Exit status: 0 when a hook would run, 3 when no hook would run, 1 after a usage or\n"
        "configuration error.",
    )
    add = result.add_argument
    add(
        "event",
        metavar="EVENT",
        help="the agent's name for it (pre_tool_use), or the neutral one (tool.pre)",
    )
    add_places(result)
    add_event(result)
    add("--compat", choices=COMPAT, default="better", help="strict: reproduce the agent, defects included")
    add("-v", "--verbose", action="store_true", help="also show the input of each hook")
    add("--format", dest="layout", choices=("text", "json"), default="text")
    return result


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
    answers: list[Answer] = []
    lines: list[str] = []
    drawn: list[RenderableType] = []
    known = False
    terminal = is_terminal(sys.stdout)
    for configuration in gather(options):
        try:
            native, kind = contracts.kind_of(configuration.contract, options.event)
        except ContractError:
            if options.hooks or options.contract:
                raise
            continue  # another agent's name
        known = True
        event = event_of(options, configuration.contract, native, kind)
        mine = answers_of(configuration, event, options)
        answers += mine
        if options.layout == "text" and (mine or options.contract or options.hooks):
            if terminal:
                drawn += _drawn(_summary(configuration, native, mine), mine)
            else:
                lines += _lines(_summary(configuration, native, mine), mine)
    if not known:
        raise ContractError(f"unknown event {options.event!r}; no known agent has it")
    if options.layout == "json":
        put_json([answer.json() for answer in answers])
    elif drawn:
        from sandhook.cli.terminal import show

        show(*drawn)
    else:
        for line in lines or ["no hooks"]:
            put(line)
    return 0 if any(answer.runs for answer in answers) else NONE


class HookInput(Record):
    """What one hook would receive.

    Attributes:
        stdin: Text on standard input.
        env: The variables that the contract sets, sorted by name.
        env_policy: What the hook also sees of the agent's environment; see ``HookSpec``.
        env_names: Names that the policy "allow" adds.
        cwd: Working directory, in the sandbox.
        files: Paths of files that the contract writes for the hook.
        argv: Arguments, for a hook that is not a script.
        timeout: Seconds.
    """

    stdin: str
    env: dict[str, str]
    env_policy: str
    env_names: tuple[str, ...]
    cwd: str
    files: tuple[str, ...]
    argv: tuple[str, ...]
    timeout: float

    def json(self) -> dict[str, object]:
        return {
            "stdin": self.stdin,
            "env": self.env,
            "env_policy": self.env_policy,
            "env_names": list(self.env_names),
            "cwd": self.cwd,
            "files": list(self.files),
            "argv": list(self.argv),
            "timeout": self.timeout,
        }


class Answer(Record):
    """What the event would do with one hook.

    Attributes:
        item: The hook, or a fault of its configuration.
        runs: True when the hook would run.
        why: Why it would run, or would not.
        input: What it would receive, an error message when that cannot be computed, or None without -v.
    """

    item: Item
    runs: bool
    why: str
    input: HookInput | str | None = None

    @property
    def label(self) -> str:
        """One word: ``runs``, ``no``, or the hook's state when that keeps it from running."""
        if self.item.state != "trusted":
            return self.item.state
        return "runs" if self.runs else "no"

    def json(self) -> dict[str, object]:
        item, spec = self.item, self.item.spec
        record: dict[str, object] = {
            "hook_id": spec.id if spec is not None else None,
            "contract": item.contract,
            "runs": self.runs,
            "state": item.state,
            "why": self.why,
            "layer": item.layer,
            "file": item.file,
            "line": item.line,
            "path": item.path,
        }
        if self.input is not None:
            record["given"] = {"error": self.input} if isinstance(self.input, str) else self.input.json()
        return record


def answers_of(configuration: AgentConfiguration, event: Event, options: argparse.Namespace) -> list[Answer]:
    """Return an answer for each hook of this kind of event, and one for each fault."""
    engine = load(configuration, options, compat=options.compat)
    seen: set[Hashable] = set()
    answers = []
    for item in inventory(engine, configuration.contract, configuration.documents, configuration.problems):
        spec = item.spec
        if spec is None:
            answers.append(Answer(item, False, f"{item.path}: {item.why}" if item.path else item.why))
            continue
        if spec.event != event.kind:
            continue
        matched, why = _matched(spec, event)
        if matched and configuration.contract.fold.dedupe and item.state == "trusted":
            key = dedupe_key(spec, configuration.contract.fold.dedupe)
            if key in seen:
                matched, why = False, "an earlier hook runs the same text"
            seen.add(key)
        if item.state != "trusted":
            why = f"{item.why}; it {'would match' if matched else 'would not match'}: {why}"
        received = _input(configuration, spec, event, options) if options.verbose else None
        answers.append(Answer(item, matched and item.state == "trusted", why, received))
    return answers


def _matched(spec: HookSpec, event: Event) -> tuple[bool, str]:
    if event.is_sub_agent and not spec.include_sub_agents:
        return False, "not for sub-agents"
    match = spec.matcher.check(event)
    return match.matched, match.why


def _input(
    configuration: AgentConfiguration, spec: HookSpec, event: Event, options: argparse.Namespace
) -> HookInput | str:
    try:
        request = configuration.contract.request(spec, event, options.compat)
    except DecodeError as error:
        return f"the event cannot be encoded: {error}"
    return HookInput(
        request.stdin.decode("utf-8", "replace"),
        dict(sorted(request.env.items())),
        spec.env_policy,
        spec.env_names,
        request.cwd,
        tuple(name for name, _ in request.files),
        spec.executor.argv,
        spec.timeout,
    )


def _summary(configuration: AgentConfiguration, native: str, answers: Sequence[Answer]) -> str:
    count = sum(answer.runs for answer in answers)
    return f"{native} of {configuration.contract.name}: {count} of {len(answers)} hook(s) would run"


def _lines(summary: str, answers: Sequence[Answer]) -> list[str]:
    """Return the answers to one event as plain text."""
    lines = [summary]
    rows = [
        [
            f"  {answer.label}",
            answer.item.spec.id if answer.item.spec is not None else "-",
            answer.item.layer or "-",
            answer.item.where or "-",
            answer.why,
        ]
        for answer in answers
    ]
    for line, answer in zip(columns(rows), answers):
        lines.append(line)
        if answer.input is not None:
            lines.append(f"      | {plain(command_of(answer.item))}")
            lines += [f"      {plain(line)}" for line in _input_lines(answer.input)]
    return lines


def _drawn(summary: str, answers: Sequence[Answer]) -> list[RenderableType]:
    """Return the answers to one event for the terminal; with their inputs, each is a tree."""
    from sandhook.cli.terminal import Rows, indented, line, tree

    head = line((summary, "heading"))
    if all(answer.input is None for answer in answers):
        return [head, indented(Rows(map(_cells, answers)))] if answers else [head]
    return [
        head,
        *(
            tree(
                Rows([_cells(answer)]),
                [
                    line(("| " + command_of(answer.item), "")),
                    *(line((each, "faint")) for each in _input_lines(answer.input)),
                ],
            )
            for answer in answers
        ),
    ]


def _cells(answer: Answer) -> list[Cell]:
    item = answer.item
    meaning = meaning_of(item.state) if item.state != "trusted" or answer.runs else "faint"
    return [
        (answer.label, meaning),
        (item.spec.id if item.spec is not None else "", ""),
        (item.layer, "faint"),
        (item.where, "faint"),
        (answer.why, ""),
    ]


def _input_lines(received: HookInput | str | None) -> list[str]:
    if received is None:
        return []
    if isinstance(received, str):
        return [received]
    policy = {"inherit": "and the agent's whole environment", "fresh": "and nothing else"}
    more = policy.get(received.env_policy) or "and of the agent's: " + ", ".join(received.env_names)
    return [
        f"in {received.cwd}, at most {received.timeout:g} seconds",
        f"stdin: {received.stdin.rstrip() or 'nothing'}",
        *(f"file: {name}" for name in received.files),
        *(f"env: {name}={value}" for name, value in received.env.items()),
        f"env: {more}",
    ]
