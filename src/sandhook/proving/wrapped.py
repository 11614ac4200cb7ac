"""Recognises hooks that run through ``sandhook hook``, as ``sandhook wrap`` writes them."""

from __future__ import annotations

import shlex
from binascii import Error, a2b_base64
from collections.abc import Sequence

from sandhook.hooks.model import HookSpec
from sandhook.record import Record
from sandhook.text.quoting import in_single_quotes

#: Options of ``sandhook hook`` that have an argument.
_WITH_ARGUMENT = frozenset(
    (
        *("--contract", "--event", "--workspace", "--timeout", "--env", "--isolation", "--write-back-also"),
        *("--prefer", "--own-shell", "--keep-env"),
    )
)

_NAMES = ("sandhook", "sandhook.exe")


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
    """Return how a hook runs through sandhook; None for a hook that does not."""
    words = _words(spec)
    start = _program(words)
    if start is None:
        return None
    options, dashes, script = _split(words[start:])
    if not dashes or not script:
        return None
    seconds = options.get("--timeout")
    try:
        timeout = None if seconds is None else float(seconds)
    except ValueError:
        return None
    text = _script(script)
    if text is None:
        return None
    return Wrapped(text, "--fail-closed" in options, "--host" in options, timeout)


def _words(spec: HookSpec) -> Sequence[str]:
    executor = spec.executor
    if executor.argv:
        return executor.argv
    try:
        return shlex.split(executor.text)
    except ValueError:
        return ()


def _program(words: Sequence[str]) -> int | None:
    """Return the index after ``sandhook hook``, or after ``python -m sandhook hook``; None without it."""
    if len(words) > 1 and words[1] == "hook" and _base(words[0]) in _NAMES:
        return 2
    if tuple(words[1:4]) == ("-m", "sandhook", "hook"):
        return 4
    return None


def _base(name: str) -> str:
    return name.replace("\\", "/").rpartition("/")[2]


def _split(words: Sequence[str]) -> tuple[dict[str, str], bool, Sequence[str]]:
    """Return the options, whether "--" ends them, and the operands."""
    options: dict[str, str] = {}
    index = 0
    while index < len(words) and words[index] != "--":
        name, equals, value = words[index].partition("=")
        if name in _WITH_ARGUMENT and not equals:
            index += 1
            value = words[index] if index < len(words) else ""
        options[name] = value
        index += 1
    return options, index < len(words), words[index + 1 :]


def _script(words: Sequence[str]) -> str | None:
    """Return the operands of ``sandhook hook`` as shell text."""
    if words[0] == "-c" and len(words) > 1:
        return words[1]
    if words[0] == "-b" and len(words) > 1:
        try:
            return a2b_base64(words[1].encode("ascii", "replace"), strict_mode=True).decode(
                "utf-8", "surrogateescape"
            )
        except Error:
            return None
    return None if words[0].startswith("-") else " ".join(map(in_single_quotes, words))
