"""The "error token" of errors that arithmetic finds when it runs.

Source: bash 5.2's messages. Divergence: L-ARITH-004, evaluation keeps no positions.
"""

from __future__ import annotations

from sandhook.expand.operators import NegativeExponent, OperandError
from sandhook.lazy import lazily
from sandhook.state.state import State

#: The right side of ``**``: when it is negative, bash has already read the token after it.
_OPERAND = lazily(r"(?:[\w@#]+(?:\[[^\]]*\])?|\([^()]*\)) *")


_NAME = lazily(r"(?a)[A-Za-z_]\w*(?:\[[^\]]*\])?")


def operand_message(text: str, problem: OperandError) -> str:
    """Return bash's message for a run-time error of an expression."""
    text = text.lstrip(" \t")
    if isinstance(problem, NegativeExponent):
        token = text[text.rfind("**") + 2 :].lstrip("+-~! ")
        operand = _OPERAND.match(token)
        token = token[operand.end() :] if operand is not None and operand.end() < len(token) else token
        return f'{text}: {problem} (error token is "{token}")'
    at = max(text.rfind("/"), text.rfind("%"))
    token = text[at + 1 :].lstrip("= ") if at >= 0 else text
    return f'{text}: {problem} (error token is "{token}")'


def as_written(message: str, expanded: str, text: str) -> str:
    """Return a message about an expression with its text before the subscripts in it were expanded."""
    head, _, token = message.partition(' (error token is "')
    shown, written = expanded.lstrip(), text.lstrip()
    if not head.startswith(shown):
        return message
    head = written + head[len(shown) :]
    token = token.removesuffix('")')
    before = shown.removesuffix(token)
    if token and shown.endswith(token) and written.startswith(before):
        token = written[len(before) :]
    return f'{head} (error token is "{token}")' if token else head


def from_recursive_name(state: State, text: str) -> str:
    """Return an expression from the first name on whose value is an expression itself: bash has read so far."""
    for name in _NAME.finditer(text):
        value = state.get(name[0].partition("[")[0])
        if value and not value.isdigit():
            return text[name.start() :]
    return text
