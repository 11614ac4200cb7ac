"""help: show how a built-in is used.

Source: bash 5.2 reference manual 4.2.
Divergence: L-HELP-001, only usage and one line of description are shown, not bash's long texts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sandhook.builtins import BUILTINS, load
from sandhook.builtins.base import BuiltinError, builtin, numeric, parse, summary, usage_of, write
from sandhook.pattern.glob import compile_pattern
from sandhook.state.state import State

USAGE = "help [-dms] [pattern ...]"

#: Topics without a module here: usage, description.
_OTHERS: dict[str, tuple[str, str]] = {
    "%": ("job_spec [&]", "Resume a job in the foreground."),
    "(( ... ))": ("(( expression ))", "Evaluate an arithmetic expression."),
    "[[ ... ]]": ("[[ expression ]]", "Evaluate a conditional expression."),
    "case": (
        "case WORD in [PATTERN [| PATTERN]...) COMMANDS ;;]... esac",
        "Run commands by the pattern that a word matches.",
    ),
    "coproc": ("coproc [NAME] command [redirections]", "Run a command in the background, with pipes to it."),
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
    "variables": ("variables - Names and meanings of some shell variables", "Some variables of the shell."),
    "while": ("while COMMANDS; do COMMANDS-2; done", "Run commands as long as others succeed."),
    "{ ... }": ("{ COMMANDS ; }", "Run commands as one."),
}


#: Every topic, in the order of bash's table.
TOPICS: tuple[str, ...] = tuple(
    sorted([*BUILTINS, *_OTHERS], key=lambda name: ("~" if name[0] == "{" else name).replace("(( ", "("))
)


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return 1 when no topic matches."""
    options, patterns = parse(argv, "dms")
    letters = {option.letter for option in options}
    style = next((letter for letter in "mds" if letter in letters), "")
    if not patterns:
        write(state, _overview(state))
        return 0
    if any(is_glob(pattern) for pattern in patterns):
        write(
            state,
            f"Shell commands matching keyword{'s' if len(patterns) > 1 else ''} `{', '.join(patterns)}'\n\n",
        )
    has_match = False
    for pattern in patterns:
        for name in _matching(pattern):
            write(state, _text(state, name, style))
            has_match = True
    if has_match:
        return 0
    last = patterns[-1]
    raise BuiltinError(
        f"no help topics match `{last}'.  Try `help help' or `man -k {last}' or `info {last}'."
    )


def is_glob(pattern: str) -> bool:
    """Return True when a pattern has an unquoted ``*``, ``?`` or bracket expression."""
    plain = re.sub(r"\\.", "", pattern)
    return "*" in plain or "?" in plain or ("[" in plain and "]" in plain[plain.index("[") :])


def _matching(pattern: str) -> list[str]:
    """Return the topics that a pattern matches; a plain name also means those that begin with it."""
    if is_glob(pattern):
        matches = compile_pattern(pattern).matches
        return [name for name in TOPICS if matches(name)]
    return [name for name in TOPICS if name == pattern] or [
        name for name in TOPICS if name.startswith(pattern)
    ]


def _topic(name: str) -> tuple[str, str]:
    """Return the usage and the description of a topic."""
    if name in _OTHERS:
        return _OTHERS[name]
    module = load(name)
    usage = getattr(module, "OTHER_USAGES", {}).get(name, module.USAGE)
    return usage_of(name, usage), summary(name)


def _text(state: State, name: str, style: str) -> str:
    usage, description = _topic(name)
    if style == "s":
        return f"{name}: {usage}\n"
    if style == "d":
        return f"{name} - {description}\n"
    if style == "m":
        return (
            f"NAME\n    {name} - {description}\n\nSYNOPSIS\n    {usage}\n\nDESCRIPTION\n    {description}\n\n"
            f"SEE ALSO\n    bash(1)\n\nIMPLEMENTATION\n    sandhook, after bash {state.get('BASH_VERSION')}\n\n"
        )
    return f"{name}: {usage}\n    {description}\n"


def _overview(state: State) -> str:
    """Return the usages of all topics in two columns, down the first one and then the second."""
    columns = numeric(state.get("COLUMNS") or "") or 80
    width = min(128, columns // 2)
    if width <= 3:
        width = 40
    disabled = state.disabled_builtins
    entries = []
    for name in TOPICS:
        entries.append(("*" if name in disabled else " ") + _topic(name)[0])
    height = -(-len(entries) // 2)
    entries = [_cut(entry, width - 2 if index < height else width - 3) for index, entry in enumerate(entries)]
    lines = [
        f"GNU bash, version {state.get('BASH_VERSION')} ({state.get('MACHTYPE')}), as sandhook has it",
        "The commands of the shell itself, and its reserved words.",
        "`help NAME' shows how one is used and what it is for.",
        "`help -s NAME' shows its usage alone, `help -d NAME' a description.",
        "A NAME may be a pattern; it also stands for what begins with it.",
        "",
        "A star (*) next to a name means that the command is disabled.",
        "",
    ]
    for row in range(height):
        right = entries[row + height] if row + height < len(entries) else ""
        lines.append(f"{entries[row]:<{width}}{right}" if right else entries[row])
    return "".join([line + "\n" for line in lines])


def _cut(entry: str, room: int) -> str:
    """Return an entry, cut to its column; ``>`` marks one that fills the column or is longer."""
    size = min(len(entry) - 1, room)
    return entry[:size] + ">" if size + 1 >= room else entry
