"""The LR engine: runs the table over a lexer's tokens.

Source: the loop of bashlex's yacc, without its recovery and its debugging.
"""

from __future__ import annotations

from collections.abc import Callable

from sandhook.syntax.tables import ACTIONS, GOTO_ROWS, GOTOS, PRODUCTIONS, ROWS
from sandhook.syntax.unexpected import unexpected
from sandhook.typed import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from sandhook.syntax.lexer import Lexer

#: Values of a production's symbols: tokens, and what other actions returned. Their types depend on the production.
Symbols: TypeAlias = list[Any]

#: Returns a production's value for its symbols' values.
Action: TypeAlias = Callable[["Lexer", Symbols], object]


class Driver:
    """The table with an action for each production; keeps no state between runs.

    Args:
        actions: By production, or by its left side for all others of that; a production
            without an action has the value of its first symbol, None if it has no symbols.
    """

    def __init__(self, actions: dict[str, Action]) -> None:
        self._rows = [ROWS[row] for row in ACTIONS]
        self._productions: list[tuple[str, int, Action | None]] = []
        for text in PRODUCTIONS:
            left, *right = text.split()
            action = actions[text] if text in actions else actions.get(left)
            self._productions.append((left, len(right) - 1, action))
        #: The next state by state and left side, as far as they were asked for.
        self._gotos: list[dict[str, int]] = [{} for _ in GOTOS]

    def _next_state(self, state: int, left: str) -> int:
        """Return the state after ``left``, past reductions of one symbol without an action, and remember it."""
        gotos = GOTO_ROWS[GOTOS[state]]
        following = gotos[left]
        while isinstance(row := self._rows[following], int):
            above, size, make = self._productions[-row]
            if size != 1 or make is not None or above == "inputunit":
                break
            following = gotos[above]
        self._gotos[state][left] = following
        return following

    def run(self, lexer: Lexer) -> Any:
        """Return the value of one ``inputunit``; raise ShellSyntaxError if the text has none."""
        rows, gotos, productions = self._rows, self._gotos, self._productions
        next_token = lexer.token
        states = [0]
        values: Symbols = [None]
        state = 0
        token = None
        while True:
            row: Any = rows[state]
            action: Any  # an int, or None for a token that may not stand here
            if row.__class__ is int:
                action = row
            else:
                if token is None:
                    token = next_token()
                action = row.get(token.kind) or row.get("")
                if action is None:
                    unexpected(lexer, token)
                if action > 0:
                    state = action
                    states.append(state)
                    values.append(token)
                    token = None
                    continue
            left, size, make = productions[-action]
            if size == 1:
                value = values.pop() if make is None else make(lexer, [values.pop()])
                states.pop()
            elif size:
                symbols = values[-size:]
                del values[-size:], states[-size:]
                value = make(lexer, symbols) if make is not None else symbols[0]
            else:
                value = make(lexer, []) if make is not None else None
            if left == "inputunit":
                return value
            state = states[-1]
            state = gotos[state].get(left) or self._next_state(state, left)
            states.append(state)
            values.append(value)
