"""Makes ``tables.py``: ``python -m sandhook.syntax.tablegen > tables.py``.

The productions are bashlex's own, with the differences that ``productions`` lists; its yacc
builds the LALR table. None of this runs when a script is parsed.
"""

from __future__ import annotations

import sys
import types
from typing import Any

from sandhook.syntax.productions import ADDED, DROPPED


def bashlex_productions() -> list[str]:
    """Return bashlex's productions in order, each as ``left : right...``."""
    from bashlex import parser

    functions = [
        value
        for name, value in vars(parser).items()
        if name.startswith("p_") and name != "p_error" and isinstance(value, types.FunctionType)
    ]
    functions.sort(key=lambda function: function.__code__.co_firstlineno)
    productions = []
    for function in functions:
        left, _, rights = (function.__doc__ or "").partition(":")
        for right in rights.split("|"):
            productions.append(f"{left.strip()} : {' '.join(right.split())}".rstrip())
    return productions


def productions() -> list[str]:
    """Return the grammar's productions, the start symbol's first."""
    theirs = bashlex_productions()
    unknown = set(DROPPED) - set(theirs)
    if unknown:
        raise ValueError(f"bashlex has no such production: {sorted(unknown)}")
    return [text for text in theirs if text not in DROPPED] + list(ADDED)


def build() -> Any:
    """Run bashlex's yacc over the productions; return its LRTable."""
    from bashlex import parser, yacc

    def action(p: object) -> None:
        """Never called: only the table is wanted."""

    module = types.ModuleType("sandhook_grammar")
    by_left: dict[str, list[str]] = {}
    for text in productions():
        left, _, right = text.partition(" :")
        by_left.setdefault(left, []).append(right.strip())
    for line, (left, rights) in enumerate(by_left.items(), 1):
        function = types.FunctionType(action.__code__.replace(co_firstlineno=line), {}, f"p_{left}")
        function.__doc__ = f"{left} : " + "\n | ".join(rights)
        function.__module__ = __name__
        setattr(module, function.__name__, function)
    vars(module).update(
        tokens=[*parser.tokens, "DOLPAREN"],
        precedence=parser.precedence,
        p_error=lambda token: None,
        __file__="grammar.py",
        __package__="",
    )
    return yacc.yacc(
        module=module, start="inputunit", debug=False, errorlog=yacc.NullLogger(), check_recursion=False
    )


def generate() -> str:
    """Return the text of ``tables.py``."""
    table = build()
    rows: list[dict[str, int] | int] = []
    for state in range(max(table.action) + 1):
        rows.append(_compact(dict(table.action[state])))
    shared: list[Any] = []
    action_index = [_share(shared, row) for row in rows]
    gotos: list[Any] = []
    goto_index = [_share(gotos, dict(table.goto.get(state, {}))) for state in range(len(rows))]
    lines = [
        '"""The LALR(1) table, made by ``tablegen``; do not edit."""',
        "",
        "# fmt: off",
        "# ruff: noqa",
        "from __future__ import annotations",
        "",
        "#: Every production; a negative action -n reduces by PRODUCTIONS[n].",
        "PRODUCTIONS: tuple[str, ...] = (",
        *(
            f"    {f'{p.name} : ' + ' '.join(p.prod) if p.prod else f'{p.name} :'!r},"
            for p in table.productions
        ),
        ")",
        '#: Distinct rows: token to action (shift to n, reduce by -n), "" to the default reduction;',
        "#: a bare number reduces without looking at the next token.",
        "ROWS: tuple[dict[str, int] | int, ...] = (",
        *(f"    {row!r}," for row in shared),
        ")",
        "#: Row of each state.",
        f"ACTIONS: tuple[int, ...] = {tuple(action_index)!r}",
        "#: Distinct rows: non-terminal to the state after it.",
        "GOTO_ROWS: tuple[dict[str, int], ...] = (",
        *(f"    {row!r}," for row in gotos),
        ")",
        f"GOTOS: tuple[int, ...] = {tuple(goto_index)!r}",
    ]
    return "\n".join(lines) + "\n"


def _compact(actions: dict[str, int]) -> dict[str, int] | int:
    """Make the most frequent reduction the default one, as bison does."""
    reductions: dict[int, int] = {}
    for action in actions.values():
        if action < 0:
            reductions[action] = reductions.get(action, 0) + 1
    if not reductions:
        return dict(sorted(actions.items()))
    default = min(reductions, key=lambda action: (-reductions[action], -action))
    rest = {kind: action for kind, action in sorted(actions.items()) if action != default}
    return {**rest, "": default} if rest else default


def _share(rows: list[Any], row: object) -> int:
    if row not in rows:
        rows.append(row)
    return rows.index(row)


if __name__ == "__main__":
    sys.stdout.write(generate())
