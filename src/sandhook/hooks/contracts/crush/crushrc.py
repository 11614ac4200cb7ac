"""crushrc: Crush's configuration as a shell script, run in the sandbox for what its `hook` lines say.

``hook add EVENT --command CMD [--name NAME] [--matcher REGEX] [--timeout N]``, ``hook remove EVENT
[--name NAME]``. The other words of a crushrc (provider, model, ...) do nothing here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sandhook.hooks.contracts.crush.names import canonical
from sandhook.hooks.decode import DecodeError

#: The configuration's other words, which Crush has as built-ins.
OTHER_WORDS = ("provider", "model", "mcp", "lsp", "permissions", "option")

_OPTIONS = ("--command", "--name", "--matcher", "--timeout")


def run(text: str, name: str) -> dict[str, Any]:
    """Return the configuration that a crushrc makes.

    Raises:
        DecodeError: The script does not parse, or ends with an error; its message is in it.
    """
    from sandhook.limits import Limits
    from sandhook.shell import Shell

    hooks: dict[str, list[dict[str, Any]]] = {}
    words: dict[str, Any] = {word: _Nothing() for word in OTHER_WORDS}
    shell = Shell(utilities={**words, "hook": _Hook(hooks)}, limits=Limits(wall_seconds=2.0))
    result = shell.run(text, name=name, from_file=True)
    if result.limit is not None:
        raise DecodeError(f"limit reached: {result.limit}")
    if result.exit_status:
        said = result.stderr.strip().rpartition("\n")[2]
        raise DecodeError(said or f"exit status {result.exit_status}")
    return {"hooks": hooks} if hooks else {}


class _Nothing:
    """A word that configures something else."""

    RAW = True

    def run(self, options: None, operands: Sequence[str], ctx: Any) -> int:
        return 0


class _Hook:
    """The word ``hook``: it changes the fragment that is being made."""

    RAW = True

    def __init__(self, hooks: dict[str, list[dict[str, Any]]]) -> None:
        self._hooks = hooks

    def run(self, options: None, operands: Sequence[str], ctx: Any) -> int:
        action, rest = (operands[0], list(operands[1:])) if operands else ("", [])
        if action not in ("add", "remove", "rm"):
            return self._fail(ctx, "wanted add or remove")
        if not rest or rest[0].startswith("-"):
            return self._fail(ctx, f"{action}: an event is required")
        event, given = canonical(rest[0]), self._given(rest[1:])
        if isinstance(given, str):
            return self._fail(ctx, f"{action}: {given}")
        return self._add(ctx, event, given) if action == "add" else self._remove(event, given)

    def _add(self, ctx: Any, event: str, given: dict[str, Any]) -> int:
        if not given.get("command"):
            return self._fail(ctx, "add: --command is required")
        if "timeout" in given:
            if not given["timeout"].lstrip("-").isdigit() or len(given["timeout"]) > 9:
                return self._fail(ctx, f"add: --timeout: {given['timeout']!r} is no number of seconds")
            given["timeout"] = int(given["timeout"])
        self._hooks.setdefault(event, []).append(given)
        return 0

    def _remove(self, event: str, given: dict[str, Any]) -> int:
        name = given.get("name")
        kept = [each for each in self._hooks.get(event, []) if name is not None and each.get("name") != name]
        self._hooks[event] = kept
        return 0

    @staticmethod
    def _given(words: list[str]) -> dict[str, Any] | str:
        given: dict[str, Any] = {}
        while words:
            option, equals, value = words.pop(0).partition("=")
            if option not in _OPTIONS:
                return f"unknown option {option!r}; known are {', '.join(_OPTIONS)}"
            if not equals:
                if not words:
                    return f"{option} needs a value"
                value = words.pop(0)
            given[option[2:]] = value
        return given

    @staticmethod
    def _fail(ctx: Any, message: str) -> int:
        ctx.error(message)
        return 1
