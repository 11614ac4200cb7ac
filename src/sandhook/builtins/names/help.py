"""help: show how a built-in is used.

Source: bash 5.2 reference manual 4.2. Divergence: L-HELP-001, see ``topics``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sandhook.builtins import BUILTINS, load
from sandhook.builtins.base import BuiltinError, builtin, numeric, parse, usage_of, write
from sandhook.builtins.names.topics import description
from sandhook.pattern.glob import compile_pattern
from sandhook.state.state import State

USAGE = "help [-dms] [pattern ...]"

#: Topics without a module here, with their usage.
_OTHERS: dict[str, str] = {
    "%": "job_spec [&]",
    "(( ... ))": "(( expression ))",
    "[[ ... ]]": "[[ expression ]]",
    "case": "case WORD in [PATTERN [| PATTERN]...) COMMANDS ;;]... esac",
    "coproc": "coproc [NAME] command [redirections]",
    "for": "for NAME [in WORDS ... ] ; do COMMANDS; done",
    "for ((": "for (( exp1; exp2; exp3 )); do COMMANDS; done",
    "function": "function name { COMMANDS ; } or name () { COMMANDS ; }",
    "if": "if COMMANDS; then COMMANDS; [ elif COMMANDS; then COMMANDS; ]... [ else COMMANDS; ] fi",
    "select": "select NAME [in WORDS ... ;] do COMMANDS; done",
    "time": "time [-p] pipeline",
    "until": "until COMMANDS; do COMMANDS-2; done",
    "variables": "variables - Names and meanings of some shell variables",
    "while": "while COMMANDS; do COMMANDS-2; done",
    "{ ... }": "{ COMMANDS ; }",
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
    if is_glob(patterns[0]):
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


def _usage(name: str) -> str:
    if name in _OTHERS:
        return _OTHERS[name]
    module = load(name)
    return usage_of(name, getattr(module, "OTHER_USAGES", {}).get(name, module.USAGE))


def _text(state: State, name: str, style: str) -> str:
    usage = _usage(name)
    if style == "s":
        return f"{name}: {usage}\n"
    if style == "":
        return f"{name}: {usage}\n    {description(name)}\n"
    if style == "d":
        return f"{name} - {description(name)}\n"
    return (
        f"NAME\n    {name} - {description(name)}\n\nSYNOPSIS\n    {usage}\n\nDESCRIPTION\n    {description(name)}\n\n"
        f"SEE ALSO\n    bash(1)\n\nIMPLEMENTATION\n    sandhook, after bash {state.get('BASH_VERSION')}\n\n"
    )


def _overview(state: State) -> str:
    """Return the usages of all topics in two columns, down the first one and then the second."""
    columns = numeric(state.get("COLUMNS") or "") or 80
    width = min(128, columns // 2)
    if width <= 3:
        width = 40
    disabled = state.disabled_builtins
    entries = []
    for name in TOPICS:
        entries.append(("*" if name in disabled else " ") + _usage(name))
    height = -(-len(entries) // 2)
    entries = [_cut(entry, width - 2 if index < height else width - 3) for index, entry in enumerate(entries)]
    lines = [
        f"GNU bash, version {state.get('BASH_VERSION')} ({state.get('MACHTYPE')})",
        "These shell commands are defined internally.  Type `help' to see this list.",
        "Type `help name' to find out more about the function `name'.",
        "Use `info bash' to find out more about the shell in general.",
        "Use `man -k' or `info' to find out more about commands not in this list.",
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
