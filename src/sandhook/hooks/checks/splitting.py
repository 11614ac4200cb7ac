"""Paths that a shell splits at a blank: unquoted variables, and paths that are written without quotes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sandhook.errors import LimitExceeded, ShellSyntaxError
from sandhook.hooks.checks.reading import Act, read
from sandhook.syntax.nodes import ParameterExpansion, Word

SHELLS = ("sh", "bash", "dash", "ash", "zsh", "ksh")

#: Commands whose operand is a script.
INTERPRETERS = frozenset((*SHELLS, "python", "python3", "node", "bun", "ruby", "perl", "source", "."))

SCRIPT_ENDINGS = (".sh", ".bash", ".py", ".js", ".mjs", ".ts", ".rb", ".pl")

#: What splits a value that is not quoted, or makes it a pattern.
_SPLITTING = frozenset(" \t*?[")

#: Words of which a path may consist.
_MOST_WORDS = 6


def unquoted_variables(act: Act, variables: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the name and the quoted value of each variable that splits the path of a script."""
    words = act.nodes if act.name in INTERPRETERS else act.nodes[:1]
    for word in words:
        for part in word.parts if isinstance(word, Word) else ():
            value = variables.get(part.name) if isinstance(part, ParameterExpansion) else None
            if value is not None and isinstance(part, ParameterExpansion) and _SPLITTING & set(value):
                yield (
                    part.name,
                    repr(value).replace("\\\\", "\\"),
                )  # a path of Windows, as it is written there


def path_with_blank(act: Act) -> str | None:
    """Return the path that the first words of a command may have been meant as; None if they do not look so."""
    words = list(act.words)
    if words[0] in INTERPRETERS:
        del words[0]
    path: list[str] = []
    for word in words[:_MOST_WORDS]:
        if word is None or word.startswith("-") or (path and word.startswith(("/", "~"))):
            return None
        path.append(word)
        if "/" not in path[0]:
            return None
        if len(path) > 1 and ("/" in word or word.endswith(SCRIPT_ENDINGS)):
            return " ".join(path)
    return None


def split_note(text: str, variables: Mapping[str, str]) -> str | None:
    """Return why the shell may split the path of a script that a command line executes; None if it does not."""
    try:
        acts = read(text, variables).acts
    except (ShellSyntaxError, LimitExceeded, RecursionError):
        return None
    for act in acts:
        for name, value in unquoted_variables(act, variables):
            return f"${name} is not quoted, and is {value}: the shell splits it"
        if (path := path_with_blank(act)) is not None:
            return f"the shell splits paths at blanks: if {path!r} is one path, write it in quotes"
    return None
