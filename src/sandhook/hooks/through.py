"""Hooks that run through ``sandhook hook``, as ``sandhook wrap`` writes them.

Where sandhook runs such a hook by itself, it runs the script: the sandbox has no program sandhook, and on the host
starting one again would take half a second.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandhook.hooks.model import HookSpec, Request, RunResult
from sandhook.record import Record

#: A hook without this name does not run through sandhook.
_NAME = "sandhook"

#: More seconds than any timeout.
_FOREVER = float("inf")


class Wrapped(Record):
    """A hook that runs through ``sandhook hook``.

    Attributes:
        text: The shell text that sandhook runs.
        fail_closed: A hook that could not run refuses.
        on_host: It runs on the machine; else in the sandbox.
        seconds: Its timeout; None for the default.
    """

    text: str
    fail_closed: bool
    on_host: bool
    seconds: float | None


def wrapped(spec: HookSpec) -> Wrapped | None:
    """Return how a hook runs through sandhook; None for a hook that does not, or that does more than that."""
    executor = spec.executor
    if _NAME not in (executor.text or " ".join(executor.argv)):
        return None
    from sandhook.dispatch.ownline import hook_line

    words, written = (executor.argv, ()) if executor.argv else _words(executor.text)
    line = hook_line(words)
    if line is None or line.at >= len(words) or _is_of_project(words[0]):
        return None
    seconds = line.options.get("--timeout")
    try:
        timeout = None if seconds is None else float(seconds)
    except ValueError:
        return None
    if timeout is not None and not 0 < timeout < _FOREVER:  # sandhook refuses such a command line
        return None
    text = _script(words[line.at :], written[line.at :])
    if text is None:
        return None
    text = "".join([*(_exported(each) for each in line.env if "=" in each), text])
    return Wrapped(text, "--fail-closed" in line.options, "--host" in line.options, timeout)


def call_of(spec: HookSpec) -> Sequence[str | None]:
    """Return the words of a hook that runs through sandhook up to its script: the program and its options."""
    from sandhook.dispatch.ownline import hook_line

    words = spec.executor.argv or _words(spec.executor.text)[0]
    line = hook_line(words)
    return () if line is None else words[: line.at]


def _is_of_project(program: str | None) -> bool:
    """Return whether a relative path names a program: a file of the project may be anything."""
    name = (program or "").replace("\\", "/")
    return "/" in name and name[:1] != "/" and name[1:3] != ":/"


def _exported(variable: str) -> str:
    """Return a line that sets a variable, ``NAME=VALUE``, for a script."""
    from sandhook.text.quoting import in_single_quotes

    name, _, value = variable.partition("=")
    return f"export {name}={in_single_quotes(value)}\n" if name.isidentifier() else ""


def unwrapped(spec: HookSpec) -> HookSpec:
    """Return a hook with the script that sandhook runs, in place of the call of sandhook."""
    inner = wrapped(spec)
    if inner is None:
        return spec
    executor = spec.executor._replace(type="bash", text=inner.text, argv=())
    return spec._replace(executor=executor, timeout=inner.seconds or spec.timeout)


def through(request: Request, run: Callable[[Request], RunResult], *, on_host: bool = False) -> RunResult:
    """Run a request; of a hook that calls ``sandhook hook``, the script that sandhook would run.

    Args:
        on_host: Only of a hook that sandhook would run on the host.
    """
    inner = wrapped(request.spec)
    if inner is None or (on_host and not inner.on_host):
        return run(request)
    ran = run(_inner_request(request, inner))
    return ran._replace(closed=True) if inner.fail_closed else ran


def called_by(spec: HookSpec, contract: str, event: str) -> HookSpec:
    """Return a hook that runs through sandhook as another agent calls it; any other hook as it is.

    Args:
        contract: The name of the agent.
        event: Its name of the event.
    """
    if wrapped(spec) is None:
        return spec
    import re

    executor, names = spec.executor, {"--contract": contract, "--event": event}
    if not executor.argv:
        head, dashes, script = executor.text.partition(" -- ")
        for option, name in names.items():
            head = re.sub(rf"({option}[ =]+)[\w.:-]+", rf"\g<1>{name}", head)
        return spec._replace(executor=executor._replace(text=f"{head}{dashes}{script}"))
    argv, end = list(executor.argv), executor.argv.index("--")
    for at, word in enumerate(argv[:end]):
        option, equals, _ = word.partition("=")
        if option in names and equals:
            argv[at] = f"{option}={names[option]}"
        elif option in names:
            argv[at + 1] = names[option]
    return spec._replace(executor=executor._replace(argv=tuple(argv)))


def begun_with(spec: HookSpec, text: str, seconds: float) -> HookSpec:
    """Return a hook that runs through sandhook, with shell text before its script, and another timeout.

    Args:
        text: The text; with "" the hook stays as it is.
    """
    inner = wrapped(spec)
    if inner is None or not text:
        return spec
    from sandhook.dispatch.ownline import hook_line
    from sandhook.text.quoting import in_single_quotes

    executor = spec.executor
    words, written = (executor.argv, executor.argv) if executor.argv else _words(executor.text)
    line = hook_line(words)
    options = list(written[: len(words) if line is None else line.at])
    for at, word in enumerate(options):
        if word == "--timeout":
            options[at + 1] = f"{seconds:g}"
        elif word.startswith("--timeout="):
            options[at] = f"--timeout={seconds:g}"
    script = f"{text}\n{inner.text}"
    if executor.argv:
        return spec._replace(executor=executor._replace(argv=(*options, "-c", script)))
    line_of_shell = " ".join([*options, "-c", in_single_quotes(script)])
    return spec._replace(executor=executor._replace(text=line_of_shell))


def _inner_request(request: Request, inner: Wrapped) -> Request:
    """Return the request for the script that sandhook runs."""
    request = request._replace(spec=unwrapped(request.spec), by_execve=False)
    if inner.seconds is None:
        return request
    limits = dict(request.limits or {})
    own = limits.get("wall_seconds")
    limits["wall_seconds"] = min(inner.seconds, own) if isinstance(own, (int, float)) else inner.seconds
    return request._replace(limits=limits)


def _words(text: str) -> tuple[Sequence[str | None], Sequence[str]]:
    """Return the words of a text that is one simple command: their values, None where one is computed, and as they are written."""
    from sandhook.errors import LimitExceeded, ShellSyntaxError
    from sandhook.hooks.scan import literal_text
    from sandhook.syntax import parse_cached
    from sandhook.syntax.nodes import SimpleCommand
    from sandhook.syntax.unparse import unparse

    try:
        units = parse_cached(text)
    except (ShellSyntaxError, LimitExceeded):
        return (), ()
    items = [item for unit in units for item in unit.items]
    command = items[0].command if len(items) == 1 and not items[0].background else None
    if not isinstance(command, SimpleCommand) or command.assignments or command.redirections:
        return (), ()
    return [literal_text(word) for word in command.words], [unparse(word) for word in command.words]


def _script(words: Sequence[str | None], written: Sequence[str]) -> str | None:
    """Return the operands of ``sandhook hook`` as shell text.

    Args:
        written: The words as shell text has them; () for those of a program's arguments.
    """
    from sandhook.dispatch.ownline import decoded
    from sandhook.text.quoting import in_single_quotes

    first = words[0]
    if first == "-c":
        return words[1] if len(words) > 1 else None
    if first == "-b":
        return decoded(words[1]) if len(words) > 1 and words[1] is not None else None
    if first is not None and first.startswith("-"):
        return None
    texts = written or [in_single_quotes(word or "") for word in words]
    if first is not None and "/" not in first and "\\" not in first:  # a file, and not a command of PATH
        texts = [in_single_quotes(f"./{first}"), *texts[1:]]
    return f"bash {' '.join(texts)}"
