"""``sandhook fire --as-hook CONTRACT``: act as one command hook of an agent, for hooks of any agent.

The payload comes on standard input; the decision of the hooks is written in that agent's form. Refusals are also: an
invalid command line, hooks that cannot be read, a defect of sandhook, and a payload beyond its bounds. A guard that is
not on would otherwise let everything pass, and ``--fail-closed`` itself may be what is misspelt. A payload that is no
event is that agent's fault: the hook has failed then, or refuses with ``--fail-closed``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from time import monotonic

from sandhook.cli import USAGE_ERROR, UsageError, usage_text
from sandhook.cli.configuration import gather
from sandhook.cli.engines import engine_of, longest, notes_of, prestart, workspace_of
from sandhook.cli.notes import print_note
from sandhook.cli.observer import OBSERVER
from sandhook.errors import IsolationError, SandhookError
from sandhook.hooks import contracts
from sandhook.hooks.adapters import caller
from sandhook.hooks.adapters.caller import FAILURE, MAX_PAYLOAD, fire_for, refusal
from sandhook.hooks.contracts import Answer, Contract
from sandhook.hooks.decode import BoundExceeded, DecodeError
from sandhook.typed import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from sandhook.hooks.event import Event, Json

#: Exit status that nearly every agent reads as a refusal; used when the agent is unknown. That of a usage error is the
#: same, by the convention of all commands.
_REFUSAL = USAGE_ERROR


def fire(options: argparse.Namespace) -> int:
    """Read the payload, fire the event and write the answer; return the exit status."""
    for name in ("tool", "input", "prompt", "payload"):
        if getattr(options, name) is not None:
            raise UsageError(f"--as-hook takes the event from standard input, not from --{name}")
    try:
        agent = contracts.get(options.as_hook)
        if options.event is not None:
            contracts.kind_of(agent, options.event)
    except SandhookError as error:
        raise UsageError(str(error)) from None
    event: Event | None = None
    try:
        data = stdin()
        event, name = event_of(agent, options.event, data)
        answer, notes = _decide(options, agent, event, name, data)
    except IsolationError as error:
        raise UsageError(usage_text(error)) from None
    except (SandhookError, DecodeError) as error:
        message = f"sandhook: {' '.join(str(error).split())}"
        if event is None and not (options.fail_closed or isinstance(error, BoundExceeded)):
            print_note(message)
            return FAILURE
        answer, notes = refusal(agent, event, message), []
    except (UsageError, BrokenPipeError):
        raise
    except Exception as error:
        answer, notes = refusal(agent, event, internal(error)), []
    return write_answer(answer, notes)


def closed(command: Callable[[], int]) -> int:
    """Run a command; an invalid command line and a defect of sandhook refuse."""
    try:
        return command()
    except BrokenPipeError:
        raise
    except (UsageError, IsolationError) as error:
        print_note(f"sandhook: {' '.join(usage_text(error).split())}")
        return USAGE_ERROR
    except Exception as error:
        print_note(internal(error))
        return _REFUSAL


def internal(error: Exception) -> str:
    """Return a line about a defect of sandhook."""
    return f"sandhook: internal error: {error.__class__.__name__}: {' '.join(str(error).split())}"


def stdin() -> bytes:
    """Return the payload's bytes, up to one more than MAX_PAYLOAD."""
    return sys.stdin.buffer.read(MAX_PAYLOAD + 1) if sys.stdin is not None else b""


def event_of(agent: Contract, named: str | None, data: bytes) -> tuple[Event, str]:
    """Return the event of a payload, and the agent's name for it; see ``caller.event_of``."""
    return caller.event_of(agent, named, data, os.environ)


def _decide(
    options: argparse.Namespace, agent: Contract, event: Event, name: str, data: bytes
) -> tuple[Answer, list[str]]:
    """Fire an event.

    Args:
        name: The agent's name of the event.
        data: The payload.
    """
    configuration = gather(options)[0]
    workspace = workspace_of(options)
    engine = engine_of(options, configuration, workspace)
    notes = [f"problem: {problem}" for problem in (*configuration.problems, *engine.problems)]
    if notes and options.fail_closed:
        return refusal(agent, event, f"sandhook: {notes[0]}"), []
    notes += notes_of(engine)
    prestart(engine, event.kind)
    observer = OBSERVER.get()
    if observer is not None:
        observer.begins(longest(engine))
    began = monotonic()
    decision, more = fire_for(agent, engine, configuration.contract, event)
    if observer is not None:
        from sandhook.hooks.audit import FiredEvent

        seconds = monotonic() - began
        observer.decided(agent, FiredEvent(event, decision, seconds, agent.name, name, payload_of(data)))
    notes += more
    workspace.finish(write_back=options.write_back, report=notes.append, also=options.write_back_also)
    return agent.answer(decision, event), notes


def payload_of(data: bytes) -> Json:
    """Return the payload of an event that was read, as it is recorded."""
    from sandhook.hooks.decode import DATA_DEPTH, decode

    return decode(data.decode("utf-8-sig"), max_depth=DATA_DEPTH).value


def write_answer(answer: Answer, notes: list[str]) -> int:
    """Print an answer; notes only with exit status 0, as standard error is otherwise the reason of a refusal."""
    if answer.stdout and sys.stdout is not None:
        sys.stdout.flush()
        sys.stdout.buffer.write(answer.stdout)
        sys.stdout.buffer.flush()
    if answer.exit_status == 0:
        for note in notes:
            print_note(note)
    if answer.stderr and sys.stderr is not None:
        sys.stderr.flush()
        sys.stderr.buffer.write(answer.stderr)
        sys.stderr.buffer.flush()
    return answer.exit_status
