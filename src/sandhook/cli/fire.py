"""``sandhook fire``: fire one event at a hook configuration and print the decision of the hooks."""

from __future__ import annotations

import sys

from sandhook.cli import INCOMPLETE, UsageError, usage_text
from sandhook.cli.arguments import Parser, add_format, add_isolation, add_variables
from sandhook.cli.configuration import add_places, add_write_back_also, find_project, gather, nothing_found
from sandhook.cli.engines import engine_of, prestart, workspace_of
from sandhook.cli.events import add_event, event_of, note_of_tool
from sandhook.cli.notes import print_note
from sandhook.cli.permissions import add_host, add_permissions
from sandhook.errors import ConfigError, IsolationError, TrustError
from sandhook.hooks import contracts
from sandhook.hooks.contracts import COMPAT, ContractError
from sandhook.hooks.decode import DecodeError
from sandhook.typed import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from sandhook.hooks.contracts import Contract
    from sandhook.hooks.model import Decision

#: The status of a hook that refuses. So a usage error has another one than elsewhere: a test that expects a refusal
#: must not pass because of a misspelt option.
REFUSED, NOT_FIRED = 2, 1

_NEEDS_HOOKS = "fire: needs --hooks FILE, or --contract NAME for the agent's own files"


def parser() -> Parser:
    result = Parser(
        "fire",
        "[EVENT] [--hooks FILE... | --contract NAME] [OPTION]...",
        "Fire one event at a hook configuration. Print the hooks that ran, the decision of each with\n"
        "its reason, and the decision of all. Hooks run in the sandbox, or with --host on this machine.\n"
        "Without --hooks, the files are those that the agent would read (without --contract, the only\n"
        "agent that has hooks here): hooks that come with a project run only when they are approved\n"
        "(`sandhook trust`). Hooks in the sandbox see a copy of the current directory as /workspace, and\n"
        "below its own path.\n\n"
        "A file or a hook with a fault does not run, nor does a hook that nobody approved as it is;\n"
        "the first line says so, and the others run.",
    )
    add = result.add_argument
    add(
        "event",
        nargs="?",
        metavar="EVENT",
        help="the agent's name for it (pre_tool_use), or the neutral one (tool.pre)",
    )
    add_places(result)
    add("--compat", choices=COMPAT, default="better", help="strict: reproduce the agent, defects included")
    add_event(result)
    add(
        "--as-hook",
        metavar="CONTRACT",
        help="act as a command hook of that agent: payload on standard input, its output and exit status",
    )
    _add_surroundings(result)
    add_permissions(result)
    add("--sandbox", action="store_true", help="also run hooks that nobody approved, in the sandbox")
    add(
        "--manifest",
        metavar="FILE",
        help="hold the hooks to what `sandhook vet` wrote; what they do not declare fails",
    )
    add_isolation(result, "process for hooks of bundles and of layers that anybody may write, else thread")
    add_host(result, "run hooks that are yours or approved on this machine, with its files and programs")
    add_format(result)
    add(
        "--trace",
        action="store_true",
        help="also print the output of hooks, and audit lines to standard error",
    )
    add(
        "--steps",
        action="store_true",
        help="also print what each command of a hook did",
    )
    add(
        "--fail-closed",
        action="store_true",
        help="a hook that could not run, or is not in force, refuses if it could have refused",
    )
    return result


def _add_surroundings(result: Parser) -> None:
    """Add the options for the files and variables that hooks see."""
    add = result.add_argument
    add(
        "--workspace",
        metavar="DIR",
        help="show this directory instead (default: that of --cwd); hooks change a copy",
    )
    add("--write-back", action="store_true", help="list these changes, and apply them to DIR")
    add_write_back_also(result)
    add_variables(
        result,
        "a variable of the agent, for hooks that may see those",
        "all variables of this process, for hooks that may see the agent's",
    )


def run(arguments: list[str]) -> int:
    """Run the command and return its exit status."""
    if any(each.partition("=")[0] == "--as-hook" for each in arguments):
        from sandhook.cli.as_hook import closed

        return closed(lambda: _run(arguments))
    try:
        return _run(arguments)
    except (UsageError, IsolationError) as error:
        print_note(f"sandhook: {usage_text(error)}")
        return NOT_FIRED


def _only_agent(options: argparse.Namespace) -> str:
    """Return the name of the agent that has hooks here. Raises UsageError if there are several, or none."""
    find_project(options)
    names = [each.contract.name for each in gather(options) if each.documents]
    if len(names) == 1:
        print_note(f"note: for {names[0]}, the agent that has hooks here")
        return names[0]
    advice = f"; here: {', '.join(f'--contract {name}' for name in names)}" if names else ""
    raise UsageError(_NEEDS_HOOKS + advice)


def _run(arguments: list[str]) -> int:
    options = parser().parse_args(arguments)
    if options.as_hook is not None:
        if not options.hooks and not options.contract:
            raise UsageError(_NEEDS_HOOKS)
        from sandhook.cli.as_hook import fire

        return fire(options)
    if options.event is None:
        raise UsageError("fire: the following arguments are required: EVENT")
    if not options.hooks and not options.contract:
        options.contract = _only_agent(options)
    try:
        return _fire(options)
    except ConfigError as error:
        for problem in error.problems:
            print_note(f"{error.source}: {problem}" if error.source else str(problem))
        return NOT_FIRED
    except (ContractError, DecodeError, TrustError) as error:
        raise UsageError(str(error)) from None


def _fire(options: argparse.Namespace) -> int:
    find_project(options)
    configuration = gather(options)[0]
    native, kind = contracts.kind_of(configuration.contract, options.event)
    event = event_of(options, configuration.contract, native, kind)
    workspace = workspace_of(options)
    engine = engine_of(options, configuration, workspace)
    problems = [str(problem) for problem in (*configuration.problems, *engine.problems)]
    if problems and options.fail_closed:
        raise ConfigError([*configuration.problems, *engine.problems])
    if (note := note_of_tool(event, configuration.contract)) is not None:
        print_note(note)
    for problem in problems:
        print_note(problem)
    for note in engine.diagnostics:
        print_note(f"note: {note}")
    if not (engine.hooks or engine.withheld or problems):
        print_note(f"note: {nothing_found([configuration], options)}")
    prestart(engine, kind)
    decision = engine.fire(event)
    if not options.host:
        for note in _split_notes(decision, configuration.contract, workspace.directory):
            print_note(note)
    _print(options, decision, problems, workspace.directory)
    workspace.finish(write_back=options.write_back, report=print_note, also=options.write_back_also)
    if decision.refused:
        return REFUSED
    return INCOMPLETE if problems or decision.could_not_run or decision.withheld else 0


def _split_notes(decision: Decision, contract: Contract, directory: str) -> Iterator[str]:
    """Yield a note for each hook that runs in the sandbox alone: in the project's own directory its path is split."""
    if not set(" \t*?[") & set(directory):
        return
    from sandhook.hooks.checks.splitting import split_note

    variables = dict.fromkeys(contract.vocabulary().project, directory)
    for outcome in decision.outcomes:
        spec = outcome.spec
        if outcome.run is None or outcome.verdict.could_not_run is not None or spec.executor.type != "bash":
            continue
        if (note := split_note(spec.executor.text, variables)) is not None:
            yield f"note: {spec.id}: outside of the sandbox: {note}"


def _draw(lines: list[str], decision: Decision) -> None:
    """Print the lines on a terminal: the decision in its colour, and what explains it fainter."""
    from sandhook.cli.terminal import Meaning, indented, line, show

    incomplete = bool(decision.could_not_run or decision.withheld)
    meaning: Meaning = "bad" if decision.refused else "warning" if incomplete else "good"
    for text in lines:
        words = text.lstrip(" ")
        inset = len(text) - len(words)
        content = line((words, meaning if text.startswith("decision: ") else "faint" if inset >= 4 else ""))
        show(indented(content, inset) if inset else content)


def _print(options: argparse.Namespace, decision: Decision, problems: list[str], workspace: str) -> None:
    """Print a decision. What is not in force comes first: silence would look like approval.

    Args:
        workspace: The directory whose copy the hooks saw.
    """
    from sandhook.cli.output import is_terminal
    from sandhook.hooks.report import to_json, to_text

    if options.layout == "json":
        from sandhook.cli.output import json_text, record

        text = json_text(record("fire", problems=problems, workspace=workspace, **to_json(decision)))
    else:
        named = options.workspace or options.cwd or "the current directory"
        place = "" if options.host else f"a copy of {named}"
        lines = to_text(decision, output=options.trace, place=place)
        if problems:
            lines.insert(
                0, f"not in force: hooks or files with {len(problems)} problem(s), see standard error"
            )
        if is_terminal(sys.stdout):
            _draw(lines, decision)
            return
        text = "\n".join(lines)
    try:
        sys.stdout.write(text + "\n")
    except UnicodeEncodeError:  # standard output is not UTF-8
        sys.stdout.write(text.encode("ascii", "backslashreplace").decode() + "\n")
    sys.stdout.flush()
