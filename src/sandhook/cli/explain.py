"""``sandhook explain``: the hooks that an event would run, why the others would not, and the input of each."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sandhook.cli import FINDINGS
from sandhook.cli.arguments import Parser, add_format
from sandhook.cli.configuration import (
    add_places,
    find_project,
    gather,
    guarded,
    load,
    nothing_found,
    unstarted,
)
from sandhook.cli.events import add_event, event_of, note_of_tool
from sandhook.cli.listing import command_of, meaning_of
from sandhook.cli.notes import print_note
from sandhook.cli.output import columns, is_terminal, plain, put, put_record
from sandhook.hooks import contracts
from sandhook.hooks.contracts import COMPAT, ContractError
from sandhook.hooks.decode import DecodeError
from sandhook.hooks.inventory import Item, inventory
from sandhook.hooks.match_budget import MatchBudget, RepeatedHooks
from sandhook.hooks.report import remedy
from sandhook.hooks.sources import AgentConfiguration
from sandhook.record import Record

if TYPE_CHECKING:
    import argparse

    from rich.console import RenderableType

    from sandhook.cli.terminal import Cell
    from sandhook.hooks.event import Event
    from sandhook.hooks.model import Compat, HookSpec
    from sandhook.host.environment import EnvPolicy


def parser() -> Parser:
    result = Parser(
        "explain",
        "EVENT [OPTION]...",
        "Show which hooks an event would run, and why the others would not. Nothing runs.\n"
        "The hooks are those of --hooks, or those that the agent would read. Every hook is matched\n"
        "against the event as it is described, not as earlier hooks may change it.",
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
    add_format(result)
    return result


#: Exit status when no hook would run.
NONE = FINDINGS


def run(arguments: list[str]) -> int:
    """Run the command and return its exit status."""
    return guarded(lambda: _explain(parser().parse_args(arguments)))


def _explain(options: argparse.Namespace) -> int:
    answers: list[Answer] = []
    lines: list[str] = []
    drawings: list[RenderableType] = []
    is_known = False
    terminal = is_terminal(sys.stdout)
    find_project(options)
    configurations = [*gather(options), *unstarted(options)]
    for configuration in configurations:
        try:
            native, kind = contracts.kind_of(configuration.contract, options.event)
        except ContractError:
            if options.hooks or options.contract:
                raise
            continue  # another agent's name
        is_known = True
        event = event_of(options, configuration.contract, native, kind)
        agent_answers = answers_of(configuration, event, options)
        answers += agent_answers
        note = note_of_tool(event, configuration.contract)
        if note is not None and (agent_answers or options.contract or options.hooks):
            print_note(note)
        if options.layout == "text" and (agent_answers or options.contract or options.hooks):
            if terminal:
                drawings += _drawings(_summary(configuration, native, agent_answers), agent_answers)
            else:
                lines += _lines(_summary(configuration, native, agent_answers), agent_answers)
    if not is_known:
        from sandhook.text.nearest import nearest

        near = nearest(
            options.event, [name for each in contracts.names() for name in contracts.get(each).events]
        )
        advice = f"; did you mean {near}?" if near is not None else ""
        raise ContractError(f"unknown event {options.event!r}; no known agent has it{advice}")
    if not answers and (lines or drawings):
        print_note(f"note: {nothing_found(configurations, options)}")
    if options.layout == "json":
        put_record("explain", hooks=[answer.json() for answer in answers])
    elif drawings:
        from sandhook.cli.terminal import show

        show(*drawings)
    else:
        for line in lines or [plain(nothing_found(configurations, options))]:
            put(line)
    return 0 if any(answer.runs for answer in answers) else NONE


class HookInput(Record):
    """The input that one hook would receive.

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
    env_policy: EnvPolicy
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
    """Whether an event would run one hook, and why.

    Attributes:
        item: The hook, or a fault of its configuration.
        runs: True when the hook would run.
        why: Why it would run, or would not.
        input: Its input, an error message if that cannot be computed, or None without -v.
    """

    item: Item
    runs: bool
    why: str
    input: HookInput | str | None = None

    @property
    def label(self) -> str:
        """One word: ``runs``, ``no``, or the state of a hook that is not trusted."""
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
            "isolation": item.isolation,
        }
        if self.input is not None:
            record["given"] = {"error": self.input} if isinstance(self.input, str) else self.input.json()
        return record


def answers_of(configuration: AgentConfiguration, event: Event, options: argparse.Namespace) -> list[Answer]:
    """Return an answer for each hook of this kind of event, and an answer for each fault."""
    answers = _answers(configuration, event, options, options.compat)
    if options.compat == "strict":
        return answers
    agent = {_place(each): each for each in _answers(configuration, event, options, "strict")}
    return [each._replace(why=each.why + _difference(each, agent.get(_place(each)))) for each in answers]


def _place(answer: Answer) -> tuple[str, str]:
    return answer.item.file, answer.item.path


def _difference(answer: Answer, agent: Answer | None) -> str:
    """Return what the agent does otherwise, for a line about sandhook; "" when it does the same."""
    if agent is None:
        return "; the agent drops the file" if answer.runs else ""
    if agent.runs == answer.runs or answer.item.state != "trusted":
        return ""
    return f"; the agent {'runs it' if agent.runs else 'does not run it'}: {agent.why}"


def _answers(
    configuration: AgentConfiguration, event: Event, options: argparse.Namespace, compat: Compat
) -> list[Answer]:
    """Return the answers in one mode."""
    engine = load(configuration, options, compat=compat)
    repeated, budget = RepeatedHooks(compat), MatchBudget()
    answers = []
    for item in inventory(engine, configuration.contract, configuration.documents, configuration.problems):
        spec = item.spec
        if spec is None:
            answers.append(Answer(item, False, f"{item.path}: {item.why}" if item.path else item.why))
            continue
        if spec.event != event.kind:
            continue
        matches, reason = _match(spec, event, budget)
        dedupe = configuration.contract.fold.dedupe
        if matches and dedupe and item.state == "trusted" and repeated.is_repeated(spec, dedupe):
            matches, reason = False, "an earlier hook runs the same text"
        if item.state != "trusted":
            why = (
                f"{item.why}; {remedy(item.file, item.contract)}"
                if item.state == "untrusted" and matches
                else item.why
            )
            reason = f"{why}; it {'would match' if matches else 'would not match'}: {reason}"
        hook_input = _input(configuration, spec, event, options) if options.verbose else None
        answers.append(Answer(item, matches and item.state == "trusted", reason, hook_input))
    return answers


def _match(spec: HookSpec, event: Event, budget: MatchBudget) -> tuple[bool, str]:
    if event.is_sub_agent and not spec.include_sub_agents:
        return False, "not for sub-agents"
    match = budget.check(spec.matcher, event)
    return match.matched or match.undecided, match.why


def _input(
    configuration: AgentConfiguration, spec: HookSpec, event: Event, options: argparse.Namespace
) -> HookInput | str:
    try:
        request = configuration.contract.request(spec, event, options.compat)
    except DecodeError as error:
        return f"the event cannot be encoded: {error}"
    return HookInput(
        stdin=request.stdin.decode("utf-8", "replace"),
        env=dict(sorted(request.env.items())),
        env_policy=spec.env_policy,
        env_names=spec.env_names,
        cwd=request.cwd,
        files=tuple(name for name, _ in request.files),
        argv=spec.executor.argv,
        timeout=spec.timeout,
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


def _drawings(summary: str, answers: Sequence[Answer]) -> list[RenderableType]:
    """Return the drawings of the answers for a terminal; an answer with its input is a tree."""
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
                    *(line((text, "faint")) for text in _input_lines(answer.input)),
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


def _input_lines(hook_input: HookInput | str | None) -> list[str]:
    if hook_input is None:
        return []
    if isinstance(hook_input, str):
        return [hook_input]
    policy = {"inherit": "and the agent's whole environment", "fresh": "and nothing else"}
    environment = policy.get(hook_input.env_policy) or "and of the agent's: " + ", ".join(
        hook_input.env_names
    )
    return [
        f"in {hook_input.cwd}, at most {hook_input.timeout:g} seconds",
        f"stdin: {hook_input.stdin.rstrip() or 'nothing'}",
        *(f"file: {name}" for name in hook_input.files),
        *(f"env: {name}={value}" for name, value in hook_input.env.items()),
        f"env: {environment}",
    ]
