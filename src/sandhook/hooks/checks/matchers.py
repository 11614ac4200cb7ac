"""Matchers that name tools which the agent does not have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Protocol, runtime_checkable

from sandhook.hooks import contracts
from sandhook.hooks.contracts import Contract
from sandhook.hooks.contracts._fields import similar
from sandhook.hooks.contracts._vocabulary import Vocabulary
from sandhook.hooks.event import Event, ToolCall
from sandhook.hooks.matcher import All, AnyOf, Exact, Match, Matcher, OneOf, Prefixes, Regex, ToolName, quote
from sandhook.hooks.model import HookSpec

_ON_TOOLS = ("tool.pre", "tool.post", "tool.fail", "permission.request")

#: An expression that is a list of names: ``Edit|Write``, ``^(a|b)$``.
_LIST = re.compile(r"\^?(?:\((?:\?:)?)?(\w+(?:\|\w+)*)\)?\$?")


@runtime_checkable
class NameMatcher(Protocol):
    """A contract's own matcher of names, see ``matcher.expression``."""

    @property
    def pattern(self) -> str: ...

    def check(self, event: Event) -> Match: ...

    def expression(self) -> str | None:
        """Return an expression on the tool's own name; None for other values."""
        ...


_RULE = re.compile(r"(\w+)\(.*\)")


def unknown_tools(spec: HookSpec, contract: Contract) -> Iterator[str]:
    """Yield a line for each tool of a matcher that the agent is not known to have."""
    vocabulary = contract.vocabulary()
    if spec.event in _ON_TOOLS and vocabulary.tools:
        for leaf in _leaves(spec.matcher):
            if isinstance(leaf, ToolName):
                yield from _unknown_in(leaf, spec, contract, vocabulary)
            elif leaf.expression() is not None:
                yield from _unknown_name(leaf, spec, contract, vocabulary)


def tool_advice(name: str, contract: Contract) -> str | None:
    """Return the end of the sentence "NAME is not a tool of CONTRACT", which may be a hint at another name.

    None for a known tool, one of an MCP server, and one that the agent may have.
    """
    vocabulary = contract.vocabulary()
    if not vocabulary.tools or name in vocabulary.tools or _of_server(name):
        return None
    return _advice(name, contract, vocabulary, set(vocabulary.tools))


def _leaves(matcher: Matcher) -> Iterator[ToolName | NameMatcher]:
    """Yield the tests of names in a matcher, also in one of a contract that has a ``part``."""
    if isinstance(matcher, (ToolName, NameMatcher)):
        yield matcher
    elif isinstance(matcher, (All, AnyOf)):
        for part in matcher.parts:
            yield from _leaves(part)
    elif (inner := getattr(matcher, "part", None)) is not None:
        yield from _leaves(inner)


def _unknown_in(leaf: ToolName, spec: HookSpec, contract: Contract, vocabulary: Vocabulary) -> Iterator[str]:
    known = {*vocabulary.tools, *(name for several in leaf.aliases.values() for name in several)}
    found_anywhere = isinstance(leaf.test, Regex) and not leaf.test.pattern.startswith("^")
    names = _names_in(leaf)
    for name in names or ():
        rule = _RULE.fullmatch(name)
        if rule is not None and rule[1] in known:
            yield f"{quote(name)} is not a tool of {contract.name}{_no_rule(rule[1])}"
            continue
        if name in known or _of_server(name) or (found_anywhere and any(name in each for each in known)):
            continue
        if (advice := _advice(name, contract, vocabulary, known)) is not None:
            yield f"{quote(name)} is not a tool of {contract.name}{advice}"
    if names is None and isinstance(leaf.test, Regex) and not _matches_any(leaf, spec, known):
        rule = _RULE.fullmatch(leaf.test.pattern)
        hint = _no_rule(rule[1]) if rule is not None and rule[1] in known else ""
        yield f"/{leaf.test.pattern}/ matches no known tool of {contract.name}{hint}"
    pattern = getattr(leaf.test, "pattern", "") if names == () else ""
    if "_" in pattern and vocabulary.mcp.startswith("{"):
        return  # any name with "_" may be that of a server's tool
    if pattern and not _of_server(pattern) and not _matches_any(leaf, spec, known):
        rule = _RULE.fullmatch(pattern)
        hint = _no_rule(rule[1]) if rule is not None and rule[1] in known else ""
        yield f"{quote(pattern)} matches no known tool of {contract.name}{hint}"


def _no_rule(name: str) -> str:
    return f"; a rule is not a matcher: write {name}"


def _unknown_name(
    leaf: NameMatcher, spec: HookSpec, contract: Contract, vocabulary: Vocabulary
) -> Iterator[str]:
    known = set(vocabulary.tools)
    if _of_server(leaf.pattern) or _matches_any(leaf, spec, known):
        return
    rule = _RULE.fullmatch(leaf.pattern)
    if rule is not None and rule[1] in known:
        hint: str | None = _no_rule(rule[1])
    else:
        hint = _advice(leaf.pattern, contract, vocabulary, known) if leaf.pattern.isidentifier() else ""
    if hint is not None:
        yield f"{quote(leaf.pattern)} matches no known tool of {contract.name}{hint}"


def _names_in(leaf: ToolName) -> tuple[str, ...] | None:
    """Return the names of a list; None for another test."""
    test = leaf.test
    if isinstance(test, Exact):
        return (test.wanted,)
    if isinstance(test, OneOf):
        return test.wanted
    if isinstance(test, Prefixes):
        return tuple(each for each in test.alternatives if each[-1:] != "*")
    if isinstance(test, Regex):
        several = _LIST.fullmatch(test.pattern)
        return tuple(several[1].split("|")) if several is not None else None
    return ()


def _of_server(name: str) -> bool:
    """Return whether a name may be that of a tool of an MCP server."""
    return name.startswith(("mcp", "@", "MCP:")) or "__" in name


def _matches_any(leaf: ToolName | NameMatcher, spec: HookSpec, known: set[str]) -> bool:
    test = leaf.test if isinstance(leaf, ToolName) else leaf
    if any(part in getattr(test, "pattern", "") for part in ("mcp", "MCP", "__")):
        return True
    return any(leaf.check(Event(spec.event, tool=ToolCall(name))).matched for name in sorted(known))


def _advice(name: str, contract: Contract, vocabulary: Vocabulary, known: set[str]) -> str | None:
    """Return the end of a sentence about an unknown name, or None when it may be a tool that is not known here."""
    near = similar(name, sorted(known))
    if near is not None and near.lower() == name.lower():
        return f": names are case-sensitive; did you mean {near}?"
    for other in contracts.names():
        if other == contract.name:
            continue
        for kind in contracts.get(other).vocabulary().classes_of(name):
            mine = vocabulary.of_class(kind)
            return f", but of {other}; did you mean {mine[0]}?" if mine else f", but of {other}"
    if near is not None:
        return f"; did you mean {near}?"
    if (like := _like_another(name, contract, vocabulary)) is not None:
        return like
    return "" if vocabulary.complete else None


def _like_another(name: str, contract: Contract, vocabulary: Vocabulary) -> str | None:
    """Return the end of a sentence about a name that is almost one of another agent, or None."""
    for each in map(contracts.get, contracts.names()):
        if each.name == contract.name:
            continue
        theirs = each.vocabulary()
        near = similar(name, sorted(theirs.tools))
        for kind in theirs.classes_of(near) if near is not None else ():
            if mine := vocabulary.of_class(kind):
                return f", but like {near} of {each.name}; did you mean {mine[0]}?"
    return None
