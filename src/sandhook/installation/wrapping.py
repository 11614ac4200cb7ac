"""Commands of an agent's hooks as commands that run them through ``sandhook hook``."""

from __future__ import annotations

import re
import shlex
from binascii import b2a_base64
from collections.abc import Mapping, Sequence

from sandhook.hooks.contracts import Contract, LoadOptions
from sandhook.hooks.decode import DecodeError
from sandhook.hooks.event import Json, JsonObject
from sandhook.hooks.model import HookSpec
from sandhook.installation.errors import InstallationError
from sandhook.installation.operations import Rewrite, Wrap
from sandhook.installation.places import Place
from sandhook.installation.texts import read_value
from sandhook.record import Record

_BARE_ON_WINDOWS = re.compile(r"[\w./:+=-]+", re.ASCII)
_PLAIN_ON_WINDOWS = re.compile(r"[\w./:+=~,@ -]+", re.ASCII)

#: Keys that can hold a hook's command, in the order in which agents prefer them.
_KEYS = ("exec", "bash", "command")


class Options(Record):
    """How wrapped hooks run.

    Attributes:
        program: The name or the path of sandhook.
        sandbox: In the sandbox, with a copy of the working directory; else on the machine.
        fail_closed: A hook that could not run refuses.
        env: The environment of the agent, for files with variables.
        platform: Where the agent runs, as ``sys.platform`` has it.
    """

    program: str = "sandhook"
    sandbox: bool = False
    fail_closed: bool = True
    env: Mapping[str, str] = {}
    platform: str = "linux"


class Wrapping(Record):
    """The rewrites of one file.

    Attributes:
        operation: What is to change.
        skipped: A line for each hook that stays as it is, with the reason.
    """

    operation: Wrap
    skipped: tuple[str, ...]


def wrapping(contract: Contract, place: Place, data: bytes, options: Options) -> Wrapping:
    """Return what is to change in a file so that its hooks run through sandhook.

    Raises:
        InstallationError: The agent could not read the file.
    """
    raw = read_value(data, place.file)
    try:
        document = contract.parse(data.decode("utf-8-sig"), place.file, options.env)
    except DecodeError as error:
        raise InstallationError(place.file, f"{contract.name} could not read it: {error}") from None
    loaded = contract.load([document], LoadOptions(executors=("bash",), env=options.env))
    rewrites: dict[tuple[tuple[str | None, ...], str], Rewrite] = {}
    skipped = [str(problem) for problem in loaded.problems]
    for spec in [*loaded.specs, *(each for each, _ in loaded.withheld)]:
        rewrite = _rewrite(contract, spec, raw, options)
        if isinstance(rewrite, Rewrite):
            rewrites[rewrite.path, repr(rewrite.old)] = rewrite
        elif rewrite:
            skipped.append(f"{spec.id}: {rewrite}")
    return Wrapping(Wrap(tuple(rewrites.values())), tuple(skipped))


def _rewrite(contract: Contract, spec: HookSpec, raw: Json, options: Options) -> Rewrite | str:
    """Return how the fields of one hook change, or why they do not; "" for one that is wrapped already."""
    if spec.executor.type not in ("bash", "argv"):
        return f"hooks of the type {spec.executor.type} run no command"
    found = _at(raw, spec.path)
    if found is None:
        return "its place in the file is not known"
    path, hook = found
    inner = hook.get("executor", hook.get("action"))
    if "command" not in hook and isinstance(inner, dict):
        path, hook = (*path, "executor" if "executor" in hook else "action"), inner
    key = next((each for each in _KEYS if hook.get(each)), None)
    if key is None:
        return "it has no command that can be replaced"
    command = hook[key]
    arguments = hook.get("args")
    words = _words(contract, spec, options)
    if isinstance(command, list):
        if command[:2] == words[:2]:
            return ""
        return Rewrite(
            path, {key: command}, {key: [contract.literal(word) for word in (*words, *_script(spec))]}
        )
    if not isinstance(command, str):
        return f"{key} is neither a text nor a list"
    if isinstance(arguments, list):
        if [command, *arguments[:1]] == words[:2]:
            return ""
        new: JsonObject = {key: words[0], "args": [*words[1:], *_script(spec)]}
        return Rewrite(path, {key: command, "args": arguments}, new)
    if _first_words(command) == words[:2]:
        return ""
    text = _line((*words, *_script(spec)), options.platform)
    return Rewrite(path, {key: command}, {key: contract.literal(text)})


def _line(words: Sequence[str], platform: str) -> str:
    """Return words as one line for the agent's shell.

    On Windows the shell may be cmd, PowerShell or bash. They agree on double quotes around characters that none of
    them interprets; a script with others is passed as base64.
    """
    if platform != "win32":
        return " ".join(map(shlex.quote, words))
    *head, option, script = words
    if option == "-c" and not _PLAIN_ON_WINDOWS.fullmatch(script):
        option, script = "-b", b2a_base64(script.encode("utf-8", "surrogateescape"), newline=False).decode()
    return " ".join(
        word if _BARE_ON_WINDOWS.fullmatch(word) else f'"{word}"' for word in (*head, option, script)
    )


def _first_words(command: str) -> list[str]:
    try:
        return shlex.split(command)[:2]
    except ValueError:
        return []


def _words(contract: Contract, spec: HookSpec, options: Options) -> list[str]:
    """Return the words of the command up to the script."""
    words = [options.program, "hook", "--contract", contract.name, "--event", spec.native_event]
    if options.fail_closed:
        words.append("--fail-closed")
    # sandhook must answer before the agent ends it: most agents proceed after a timeout
    seconds = spec.timeout - min(1.0, spec.timeout / 10)
    words += ["--timeout", f"{seconds:g}"]
    words += ["--workspace", ".", "--inherit-env"] if options.sandbox else ["--host"]
    return [*words, "--"]


def _script(spec: HookSpec) -> list[str]:
    """Return the operands that run what the hook ran."""
    executor = spec.executor
    argv = executor.argv
    if executor.type == "argv" and argv[1:2] == ("-c",) and argv[0].rpartition("/")[2] in ("bash", "sh"):
        return ["-c", *argv[2:]]
    return ["-c", executor.text or " ".join(_word(word) for word in executor.argv)]


def _word(word: str) -> str:
    """Return a word as shell text; a leading ``~/`` still stands for the home directory."""
    return f"~/{shlex.quote(word[2:])}" if word.startswith("~/") and len(word) > 2 else shlex.quote(word)


def _at(value: Json, path: str) -> tuple[tuple[str | None, ...], JsonObject] | None:
    """Return the object at a path such as ``hooks.Stop[0].hooks[1]``, and the path with None for every index."""
    if not path:
        return ((), dict(value)) if isinstance(value, dict) else None
    if path.startswith("["):
        number, _, rest = path[1:].partition("]")
        if not isinstance(value, list) or not number.isdigit() or int(number) >= len(value):
            return None
        found = _at(value[int(number)], rest.removeprefix("."))
        return None if found is None else ((None, *found[0]), found[1])
    if not isinstance(value, dict):
        return None
    for key in _longest_first(value, path):
        found = _at(value[key], path[len(key) :].removeprefix("."))
        if found is not None:
            return (key, *found[0]), found[1]
    return None


def _longest_first(value: JsonObject, path: str) -> Sequence[str]:
    """Return the keys that begin a path; a key may have dots itself."""
    keys = [key for key in value if key and path.startswith(key) and path[len(key) :][:1] in ("", ".", "[")]
    return sorted(keys, key=len, reverse=True)
