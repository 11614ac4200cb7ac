"""PackagedContract: a contract whose parts are modules of its package, each loaded when it is needed.

`sandhook fire` needs three of them, and start-up time counts for every hook. The modules:

    config    layers(cwd, env, platform), load(documents, options)
    payload   request(spec, event, compat), event(name, payload)
    result    decode(spec, event, ran, compat), message(decision, event)
    answer    answer(decision, event)
    render    render(specs)
    schema    SCHEMA
    vocabulary  VOCABULARY
    facts     FACTS, LAUNCH
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from sandhook.hooks.contracts import Answer, BaseContract, Document

if TYPE_CHECKING:
    from sandhook.hooks.contracts import Layer, Loaded, LoadOptions
    from sandhook.hooks.contracts._launch import Launch
    from sandhook.hooks.contracts._vocabulary import Vocabulary
    from sandhook.hooks.event import Event, Json
    from sandhook.hooks.model import Compat, Decision, HookSpec, Request, RunResult, Verdict


class PackagedContract(BaseContract):
    """Base of the contracts that are packages; see ``Contract`` for what each method does."""

    _package = ""
    #: Modules that hold the parts of others in the list above.
    _homes: Mapping[str, str] = {}

    def __init_subclass__(cls, *, shared: bool = False) -> None:
        """Record the package of a contract; ``shared`` marks a base class of several contracts."""
        if not shared and not cls._package:  # a subclass of one contract keeps that contract's modules
            cls._package = cls.__module__

    def _part(self, module: str, name: str) -> Any:
        return getattr(import_module(f"{self._package}.{self._homes.get(module, module)}"), name)

    def layers(self, cwd: str, env: Mapping[str, str], platform: str) -> Sequence[Layer]:
        layers: Sequence[Layer] = self._part("config", "layers")(cwd, env, platform)
        return layers

    def load(self, documents: Sequence[Document], options: LoadOptions) -> Loaded:
        loaded: Loaded = self._part("config", "load")(documents, options)
        return loaded

    def request(self, spec: HookSpec, event: Event, compat: Compat) -> Request:
        request: Request = self._part("payload", "request")(spec, event, compat)
        return request

    def event(self, name: str, payload: Json) -> Event:
        event: Event = self._part("payload", "event")(name, payload)
        return event

    def decode(self, spec: HookSpec, event: Event, ran: RunResult, compat: Compat) -> Verdict:
        verdict: Verdict = self._part("result", "decode")(spec, event, ran, compat)
        return verdict

    def message(self, decision: Decision, event: Event) -> str:
        text: str = self._part("result", "message")(decision, event)
        return text

    def answer(self, decision: Decision, event: Event) -> Answer:
        answer: Answer = self._part("answer", "answer")(decision, event)
        return answer

    def render(self, specs: Sequence[HookSpec]) -> tuple[Json, tuple[str, ...]]:
        rendered: tuple[Json, tuple[str, ...]] = self._part("render", "render")(specs)
        return rendered

    def schema(self) -> Json:
        schema: Json = self._part("schema", "SCHEMA")
        return schema

    def vocabulary(self) -> Vocabulary:
        vocabulary: Vocabulary = self._part("vocabulary", "VOCABULARY")
        return vocabulary

    def launch(self) -> Launch:
        launch: Launch = self._part("facts", "LAUNCH")
        return launch

    def facts(self) -> Mapping[str, str]:
        facts: Mapping[str, str] = self._part("facts", "FACTS")
        return facts
