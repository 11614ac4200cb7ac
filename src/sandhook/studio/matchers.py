"""Matchers as people read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandhook.hooks.matcher import All, Always, AnyOf, Argument, Field, Never, ToolName

if TYPE_CHECKING:
    from sandhook.hooks.matcher import Matcher


def matcher_text(matcher: Matcher) -> str:
    """Return what a matcher wants, in a few words."""
    if isinstance(matcher, Always):
        return "every event"
    if isinstance(matcher, Never):
        return f"nothing: {matcher.reason}"
    if isinstance(matcher, All):
        return " and ".join(map(matcher_text, matcher.parts))
    if isinstance(matcher, AnyOf):
        return " or ".join(map(matcher_text, matcher.parts))
    if isinstance(matcher, ToolName):
        return f"tool {matcher.test}"
    if isinstance(matcher, Field):
        return f"{matcher.name} {matcher.test}"
    if isinstance(matcher, Argument):
        return f"{matcher.label} {matcher.test}"
    return "a condition of this agent"
