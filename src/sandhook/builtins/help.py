"""help: show how a built-in is used.

Source: bash 5.2 reference manual 4.2.
Divergence: L-HELP-001, usage and one line of description are shown; bash's long texts are not kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sandhook.builtins import BUILTINS, load
from sandhook.builtins._base import builtin, complain, parse, summary, usage_of, write
from sandhook.pattern.glob import compile_pattern
from sandhook.state.state import State

USAGE = "help [-dms] [pattern ...]"

#: Topics that are no module here: usage, description.
_OTHERS: dict[str, tuple[str, str]] = {
    "%": ("job_spec [&]", "Resume a job in the foreground."),
    "((": ("(( expression ))", "Evaluate an arithmetic expression."),
    "[[": ("[[ expression ]]", "Evaluate a conditional expression."),
    "case": (
        "case WORD in [PATTERN [| PATTERN]...) COMMANDS ;;]... esac",
        "Run commands by the pattern that a word matches.",
    ),
    "coproc": ("coproc [NAME] command [redirections]", "Run a command beside the shell, with pipes to it."),
    "echo": ("echo [-neE] [arg ...]", "Write arguments to standard output."),
    "false": ("false", "Do nothing, unsuccessfully."),
    "for": ("for NAME [in WORDS ... ] ; do COMMANDS; done", "Run commands for each word of a list."),
    "for ((": ("for (( exp1; exp2; exp3 )); do COMMANDS; done", "Run commands while an expression is true."),
    "function": ("function name { COMMANDS ; } or name () { COMMANDS ; }", "Define a function."),
    "if": (
        "if COMMANDS; then COMMANDS; [ elif COMMANDS; then COMMANDS; ]... [ else COMMANDS; ] fi",
        "Run commands if others succeed.",
    ),
    "select": ("select NAME [in WORDS ... ;] do COMMANDS; done", "Let the user choose words from a menu."),
    "time": ("time [-p] pipeline", "Report how long a pipeline takes."),
    "true": ("true", "Do nothing, successfully."),
    "until": ("until COMMANDS; do COMMANDS-2; done", "Run commands as long as others fail."),
    "while": ("while COMMANDS; do COMMANDS-2; done", "Run commands as long as others succeed."),
    "{": ("{ COMMANDS ; }", "Run commands as one."),
}


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return 1 when no topic matches."""
    given, patterns = parse(argv, "dms")
    style = given[-1].letter if given else ""
    if not patterns:
        write(state, "".join([f"{_topic(name)[0]}\n" for name in _topics()]))
        return 0
    status = 0
    for pattern in patterns:
        found = list(_matching(pattern))
        if not found:
            complain(
                state,
                f"help: no help topics match `{pattern}'.  Try `help help' or `man -k {pattern}' "
                f"or `info {pattern}'.",
            )
            status = 1
        for name in found:
            write(state, _text(name, style))
    return status


def _topics() -> list[str]:
    return sorted([*BUILTINS, *_OTHERS])


def _matching(pattern: str) -> Iterator[str]:
    """Yield the topics that a pattern matches; a plain name also means those that begin with it."""
    matches = compile_pattern(pattern).matches
    found = [name for name in _topics() if name == pattern or matches(name)]
    if not found and not any(letter in pattern for letter in "*?["):
        found = [name for name in _topics() if name.startswith(pattern)]
    yield from found


def _topic(name: str) -> tuple[str, str]:
    """Return the usage and the description of a topic."""
    if name in _OTHERS:
        return _OTHERS[name]
    module = load(name)
    usage = getattr(module, "OTHER_USAGES", {}).get(name, module.USAGE)
    return usage_of(name, usage), summary(name)


def _text(name: str, style: str) -> str:
    usage, description = _topic(name)
    if style == "s":
        return f"{name}: {usage}\n"
    if style == "d":
        return f"{name} - {description}\n"
    if style == "m":
        return f"NAME\n    {name} - {description}\n\nSYNOPSIS\n    {usage}\n"
    return f"{name}: {usage}\n    {description}\n"
