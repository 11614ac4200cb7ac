"""How a script reads the payload: twice, or with a failure that lets the action pass."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from sandhook.hooks.checks.reading import Act, Script

#: A jq program that is a plain path.
PLAIN_PATH = re.compile(r"\.([A-Za-z_]\w*+)[\w.]*")

#: Options of jq with a value, and with two.
_JQ_ONE = frozenset({"--indent", "-f", "--from-file", "-L"})
_JQ_TWO = frozenset({"--arg", "--argjson", "--slurpfile", "--rawfile", "--argfile"})

#: Filters that read standard input when they have at most so many operands.
_FILTERS = {
    "cat": 0,
    "grep": 1,
    "egrep": 1,
    "fgrep": 1,
    "rgrep": 1,
    "sed": 1,
    "awk": 1,
    "tee": 9,
    "tr": 9,
    "base64": 0,
}


def second_readers(script: Script) -> Iterator[tuple[Act, Act]]:
    """Yield each command that reads the payload after another command has read all of it, and that command."""
    first: Act | None = None
    for act in script.acts:
        if not act.reads_payload or act.name in script.functions or not (_reads_all(act) or _reads_line(act)):
            continue
        if first is not None:
            yield act, first
        elif act.certain and _reads_all(act):
            first = act


def _reads_line(act: Act) -> bool:
    return act.name == "read" and not any(word and word.startswith("-") and "u" in word for word in act.words)


def _reads_all(act: Act) -> bool:
    """Return whether a command reads its standard input to the end."""
    if act.name == "jq":
        return _jq_reads(act)
    most = _FILTERS.get(act.name or "")
    if most is None:
        return False
    operands = [word for word in act.words[1:] if word is None or word == "-" or not word.startswith("-")]
    if any(word in ("-e", "-f", "-r", "-R") for word in act.words[1:]) and act.name != "cat":
        return act.name in ("sed", "awk") and not operands
    return sum(word != "-" for word in operands) <= most


def _jq_reads(act: Act) -> bool:
    words = list(act.words[1:])
    operands = 0
    has_program = False
    while words:
        word = words.pop(0)
        if word is None or not word.startswith("-"):
            operands += 1
        elif word in ("-n", "--null-input") or (word[1:2] != "-" and "n" in word[1:]):
            return False
        elif word in ("--args", "--jsonargs"):
            break
        elif word in _JQ_TWO:
            del words[:2]
        elif word in _JQ_ONE:
            has_program = has_program or word in ("-f", "--from-file")
            del words[:1]
    return operands <= (0 if has_program else 1)


def failing_jq(
    script: Script, refuses: Callable[[int], bool], prints_refusal: Callable[[Act], bool] = lambda act: False
) -> Act | None:
    """Return the first jq whose failure lets the action pass, or None.

    Args:
        refuses: Returns whether an exit status refuses.
        prints_refusal: Returns whether a command prints an object that refuses.
    """
    if any(act.name == "trap" for act in script.acts):
        return None
    calls = [act for act in script.acts if act.name == "jq"]
    if script.errexit:
        if (ending := next((act for act in calls if act.ends), None)) is not None:
            return ending
        calls = [act for act in calls if act.hidden]
    refusals = [act for act in script.acts if _refuses(act, refuses) or prints_refusal(act)]
    if any(act.certain for act in refusals) or any(map(_tests_for_nothing, script.acts)):
        return None  # the script refuses what it does not know
    return next((act for act in calls if _decides(act) and (refusals or not act.captured)), None)


def _refuses(act: Act, refuses: Callable[[int], bool]) -> bool:
    status = act.words[1] if len(act.words) > 1 else None
    ends = act.name in ("exit", "return") and status is not None and status.isdecimal()
    return ends and len(str(status)) < 4 and refuses(int(str(status)) & 255)


def _tests_for_nothing(act: Act) -> bool:
    return act.name in ("[", "test", "[[") and "-z" in act.words


def _decides(act: Act) -> bool:
    """Return whether a script goes on without what a jq would have printed about the payload."""
    if not act.certain or act.handled or act.to_stderr or act.function:
        return False
    return not any(word in ("-n", "--null-input") for word in act.words)


def jq_path(words: tuple[str | None, ...]) -> str | None:
    """Return the program of ``jq -r PATH`` on standard input, when it is a plain path."""
    if words[:1] != ("jq",) or None in words:
        return None
    options = [word for word in words[1:] if word and word.startswith("-")]
    programs = [word for word in words[1:] if word and not word.startswith("-")]
    if len(programs) != 1 or not any("r" in each for each in options if not each.startswith("--")):
        return None
    return programs[0] if PLAIN_PATH.fullmatch(programs[0]) else None
