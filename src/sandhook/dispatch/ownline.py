"""What ``sandhook`` executes: the script of ``sandhook hook`` and ``sandhook exec``, and the hooks of other commands."""

from __future__ import annotations

from collections.abc import Mapping

from sandhook.dispatch.parts import Execution, Words
from sandhook.lazy import lazily
from sandhook.record import Record

#: The name of the program.
NAME = "sandhook"

#: Names of programs that run Python.
_PYTHON = lazily(r"(?:python|pypy)\d*(?:\.\d+)*w?|py")

#: Options of ``sandhook hook`` that have an argument.
_WITH_ARGUMENT = frozenset(
    (
        *("--contract", "--event", "--workspace", "--timeout", "--env", "--isolation", "--write-back-also"),
        *("--prefer", "--own-shell", "--keep-env", "--color"),
    )
)

#: Commands that execute no hook and no script.
_READING_NAMES = """
    --help --version -h check completion convert explain help install init list portability restore schema stats status
    trust uninstall unwrap vet wrap
"""
_READING = frozenset(_READING_NAMES.split())


class HookLine(Record):
    """A command line of ``sandhook hook``.

    Attributes:
        options: Its options, by name, with their arguments; "" for an option without one, or with one that is not known.
        at: The index of its first operand; the number of words if there is no operand.
        env: The arguments of all options ``--env``.
    """

    options: Mapping[str, str]
    at: int
    env: tuple[str, ...] = ()


def hook_line(words: Words) -> HookLine | None:
    """Return how a command line calls ``sandhook hook``; None for another command, or without "--"."""
    start = _start(words)
    if start is None or start >= len(words) or words[start] != "hook":
        return None
    options: dict[str, str] = {}
    env: list[str] = []
    at = start + 1
    while at < len(words):
        word = words[at]
        if word == "--":
            return HookLine(options, at + 1, tuple(env))
        name, equals, value = (word or "").partition("=")
        if name in _WITH_ARGUMENT and not equals:
            at += 1
            value = (words[at] if at < len(words) else None) or ""
        options[name] = value
        if name == "--env":
            env.append(value)
        at += 1
    return None


def own_execution(words: Words) -> Execution:
    """Return what a command line of sandhook executes."""
    start = _start(words)
    if start is None or start >= len(words):
        return Execution()
    command = words[start]
    if command == "hook":
        return _hook(words)
    if command == "exec" and "-c" in words:
        at = words.index("-c") + 1
        return Execution(text=at) if at < len(words) else Execution()
    if command in _READING:
        return Execution()
    what = (
        "a command that is computed" if command is None else f"{command}: the hooks and scripts that it runs"
    )
    return Execution(unknown=(f"{NAME} {what}",))


def is_own(words: Words) -> bool:
    """Return True for a command line of sandhook."""
    return _start(words) is not None


def decoded(text: str) -> str | None:
    """Return the script of ``sandhook hook -- -b TEXT``; None for a text that sandhook refuses."""
    from binascii import Error, a2b_base64

    try:
        data = a2b_base64(text.encode("ascii", "replace"), strict_mode=True)
    except Error:
        return None
    return data.decode("utf-8", "surrogateescape")


def _start(words: Words) -> int | None:
    """Return the index of the command, after ``sandhook`` or ``python -m sandhook``; None for another program."""
    if not words or words[0] is None:
        return None
    program = words[0].replace("\\", "/").rpartition("/")[2].removesuffix(".exe")
    if program == NAME:
        return 1
    return 3 if tuple(words[1:3]) == ("-m", NAME) and _PYTHON.fullmatch(program) else None


def _hook(words: Words) -> Execution:
    line = hook_line(words)
    if line is None or line.at >= len(words):  # an invalid command line, which refuses
        return Execution()
    first = words[line.at]
    if first == "-c":
        return Execution(text=line.at + 1) if line.at + 1 < len(words) else Execution()
    if first is None or first.startswith("-"):
        encoded = line.at + 1 if first == "-b" and line.at + 1 < len(words) else None
        return Execution(unknown=(f"{NAME} hook: a script that is computed",), encoded=encoded)
    return Execution((line.at,))
