"""The protocols that --proto and --proto-redir allow.

Oracle: curl 7.88.1.
"""

from __future__ import annotations

#: The protocols of URLs here.
OFFERED = frozenset({"http", "https", "file"})


def allowed(text: str, before: frozenset[str] = OFFERED) -> frozenset[str]:
    """Return the protocols of a list such as ``=https`` or ``-all,https``; others have no effect.

    A protocol is added to the set, after ``-`` removed from it, and after ``=`` it is the only one.
    """
    protocols = set(before)
    for word in text.split(",")[:64]:
        name = word.lstrip("+-=")
        sign = word[: len(word) - len(name)][-1:]
        named = OFFERED if name.lower() == "all" else OFFERED & {name.lower()}
        if sign == "-":
            protocols -= named
        elif sign == "=":
            protocols = set(named)
        else:
            protocols |= named
    return frozenset(protocols)
