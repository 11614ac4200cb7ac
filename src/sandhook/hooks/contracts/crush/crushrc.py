"""crushrc: Crush's configuration as a shell script, which runs in the sandbox to collect its `hook` lines.

``hook add EVENT --command CMD [--name NAME] [--matcher REGEX] [--timeout N]``, ``hook remove EVENT
[--name NAME]``. The other commands of a crushrc (provider, model, ...) do nothing here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sandhook.hooks.contracts.crush.names import canonical
from sandhook.hooks.decode import DecodeError
from sandhook.hooks.event import JsonObject
from sandhook.text.numbers import is_integer

if TYPE_CHECKING:
    from sandhook.command.context import Context
    from sandhook.command.utility import Declaration

#: Crush's other built-ins for configurations.
OTHER_WORDS = ("provider", "model", "mcp", "lsp", "permissions", "option")

_OPTIONS = ("--command", "--name", "--matcher", "--timeout")


def run(text: str, name: str) -> JsonObject:
    """Return the configuration that a crushrc makes.

    Raises:
        DecodeError: The script does not parse, or ends with an error; its message is in it.
    """
    from sandhook.limits import Limits
    from sandhook.shell import Shell

    hooks: dict[str, list[JsonObject]] = {}
    words: dict[str, Declaration] = {word: _Nothing() for word in OTHER_WORDS}
    shell = Shell(utilities={**words, "hook": _Hook(hooks)}, limits=Limits(wall_seconds=2.0))
    result = shell.run(text, name=name, from_file=True)
    if result.limit is not None:
        raise DecodeError(f"limit reached: {result.limit}")
    if result.exit_status:
        message = result.stderr.strip().rpartition("\n")[2]
        raise DecodeError(message or f"exit status {result.exit_status}")
    return {"hooks": hooks} if hooks else {}


class _Nothing:
    """A built-in that configures something else."""

    RAW = True

    def run(self, options: None, operands: Sequence[str], ctx: Context) -> int:
        return 0


class _Hook:
    """The built-in ``hook``, which changes the hooks of the configuration."""

    RAW = True

    def __init__(self, hooks: dict[str, list[JsonObject]]) -> None:
        self._hooks = hooks

    def run(self, options: None, operands: Sequence[str], ctx: Context) -> int:
        action, rest = (operands[0], list(operands[1:])) if operands else ("", [])
        if action not in ("add", "remove", "rm"):
            return self._fail(ctx, "wanted add or remove")
        if not rest or rest[0].startswith("-"):
            return self._fail(ctx, f"{action}: an event is required")
        event, options_or_error = canonical(rest[0]), self._parse(rest[1:])
        if isinstance(options_or_error, str):
            return self._fail(ctx, f"{action}: {options_or_error}")
        if action == "add":
            return self._add(ctx, event, options_or_error)
        return self._remove(event, options_or_error)

    def _add(self, ctx: Context, event: str, options: dict[str, str]) -> int:
        if not options.get("command"):
            return self._fail(ctx, "add: --command is required")
        hook: JsonObject = {**options}
        if "timeout" in options:
            timeout = options["timeout"]
            if not is_integer(timeout) or len(timeout) > 9:
                return self._fail(ctx, f"add: --timeout: {timeout!r} is not a number of seconds")
            hook["timeout"] = int(timeout)
        self._hooks.setdefault(event, []).append(hook)
        return 0

    def _remove(self, event: str, options: dict[str, str]) -> int:
        name = options.get("name")
        kept = [hook for hook in self._hooks.get(event, []) if name is not None and hook.get("name") != name]
        self._hooks[event] = kept
        return 0

    @staticmethod
    def _parse(words: list[str]) -> dict[str, str] | str:
        """Return the options by name, or what is wrong with them."""
        options: dict[str, str] = {}
        while words:
            option, equals, value = words.pop(0).partition("=")
            if option not in _OPTIONS:
                return f"unknown option {option!r}; known are {', '.join(_OPTIONS)}"
            if not equals:
                if not words:
                    return f"{option} needs a value"
                value = words.pop(0)
            options[option[2:]] = value
        return options

    @staticmethod
    def _fail(ctx: Context, message: str) -> int:
        ctx.error(message)
        return 1
