"""Claude Code's hooks: five types of handlers at 33 events, all run, folded with deny first.

Source: the public documentation of Claude Code as of 2.1.240, its release notes up to 2.1.317, and runs of
2.1.332, which conformance/hooks/claude_code/recorded has.
``claude_code@VERSION`` is the contract as an older version has it (``profile.CHANGES``). Divergences:
L-CLAUDE-001 and on in docs/divergences.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sandhook.hooks.contracts import Answer, BaseContract, Document
from sandhook.hooks.contracts.claude_code.names import EVENTS, ROWS
from sandhook.hooks.contracts.claude_code.profile import Profile
from sandhook.hooks.fold import FoldPolicy
from sandhook.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from sandhook.hooks.contracts import Layer, Loaded, LoadOptions
    from sandhook.hooks.contracts._launch import Launch
    from sandhook.hooks.contracts._vocabulary import Vocabulary
    from sandhook.hooks.event import Event, Json
    from sandhook.hooks.model import Compat, Decision, HookSpec, Request, RunResult, Verdict


class ClaudeCode(BaseContract):
    """The contract, in one version.

    Attributes:
        profile: The version's facts.
    """

    has_own_format = True
    #: All hooks run to their end, in parallel. All context counts, and the last rewrite in config order.
    fold = FoldPolicy(
        parallel=True,
        chained=False,
        stop_on_refusal=False,
        strict_managed_first=True,
        reasons="join",
        strict_reasons="last",
        user_messages="join",
        contexts="list",
        replacements="last",
        survive_refusal=False,
        context_survives_refusal=True,
        dedupe="source",
        background="deliver",
        race=True,
    )

    def __init__(self, profile: Profile | None = None) -> None:
        self.profile = profile or Profile()
        self.name = f"claude_code@{profile.version}" if profile is not None else "claude_code"
        self.events = {name: kind for name, kind in EVENTS.items() if self.profile.lacks(name) is None}
        self.refusable = frozenset(
            ROWS[name].kind
            for name in self.events
            if ROWS[name].on_exit_2 in ("deny", "block") or name == "PermissionRequest"
        )

    def at(self, version: str) -> ClaudeCode:
        """Return the contract as a version of Claude Code has it."""
        return ClaudeCode(Profile(version))

    def layers(self, cwd: str, env: Mapping[str, str], platform: str) -> Sequence[Layer]:
        from sandhook.hooks.contracts.claude_code.settings import layers

        return layers(cwd, env, platform)

    def parse(self, text: str, name: str, env: Mapping[str, str]) -> Document:
        if name.endswith(".md"):
            from sandhook.hooks.contracts.claude_code.settings import frontmatter

            return frontmatter(text, name)._replace(contract=self.name)
        return super().parse(text, name, env)

    def load(self, documents: Sequence[Document], options: LoadOptions) -> Loaded:
        from sandhook.hooks.contracts.claude_code.config import load

        return load(documents, options, self.profile.under(options.compat))

    def request(self, spec: HookSpec, event: Event, compat: Compat) -> Request:
        from sandhook.hooks.contracts.claude_code.payload import request

        return request(spec, event)

    def decode(self, spec: HookSpec, event: Event, ran: RunResult, compat: Compat) -> Verdict:
        from sandhook.hooks.contracts.claude_code.result import decode

        return decode(spec, event, ran, self.profile.under(compat))

    def event(self, name: str, payload: Json) -> Event:
        from sandhook.hooks.contracts.claude_code.payload import event

        return event(name, payload)

    def message(self, decision: Decision, event: Event) -> str:
        """Return what is shown instead of what was refused."""
        from sandhook.hooks.contracts.claude_code.answer import message

        return message(decision, event)

    def answer(self, decision: Decision, event: Event) -> Answer:
        from sandhook.hooks.contracts.claude_code.answer import answer

        return answer(decision, event)

    def schema(self) -> Json:
        from sandhook.hooks.contracts.claude_code.schema import schema

        return schema(self.events)

    def render(self, specs: Sequence[HookSpec]) -> tuple[Json, tuple[str, ...]]:
        from sandhook.hooks.contracts.claude_code.render import render

        return render(specs)

    def vocabulary(self) -> Vocabulary:
        from sandhook.hooks.contracts.claude_code.vocabulary import VOCABULARY

        return VOCABULARY

    def launch(self) -> Launch:
        from sandhook.hooks.contracts.claude_code.facts import LAUNCH

        return LAUNCH

    def facts(self) -> Mapping[str, str]:
        from sandhook.hooks.contracts.claude_code.facts import FACTS

        return FACTS


CONTRACT = ClaudeCode()
