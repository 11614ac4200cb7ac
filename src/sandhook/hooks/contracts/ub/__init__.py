"""ub's hooks: programs with arguments, whose exit status alone counts.

Source: the public feimingxliu/ub repository, package internal/hook v0.3.8. Divergences: L-UB-001
and on in docs/divergences.md.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from sandhook.hooks.contracts import Document
from sandhook.hooks.contracts._packaged import PackagedContract
from sandhook.hooks.contracts.ub.names import EVENTS
from sandhook.hooks.fold import FoldPolicy


class Ub(PackagedContract):
    """The contract; it has no state."""

    name = "ub"
    has_own_format = True
    events = EVENTS
    refusable = frozenset({"tool.pre"})
    #: One by one, all of them, even after one that blocks; nothing is rewritten.
    fold = FoldPolicy(chained=False, stop_on_refusal=False, reasons="first")

    def parse(self, text: str, name: str, env: Mapping[str, str]) -> Document:
        """Expand the variables of a config.yaml and decode it."""
        from sandhook.hooks.contracts.ub.config import expand
        from sandhook.hooks.yaml import decode_yaml

        expanded, warnings = expand(text, env)
        document = decode_yaml(expanded, name)
        return document._replace(contract=self.name, text=text, diagnostics=warnings)

    def literal(self, text: str) -> str:
        """Return a text with a second dollar sign where ub would expand a variable."""
        return re.sub(r"\$(?=[${])", "$$", text) if "$" in text else text


CONTRACT = Ub()
