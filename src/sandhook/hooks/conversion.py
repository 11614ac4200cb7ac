"""Converts hooks to another agent: its names of tools and variables, and its format.

What an agent cannot express is in ``Conversion.lost``. Scripts are not changed: they read the payload of the first
agent, and answer in its words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sandhook.hooks.checks.probe import Probe, sample
from sandhook.hooks.contracts import Contract
from sandhook.hooks.contracts._vocabulary import Vocabulary
from sandhook.hooks.decode import DecodeError
from sandhook.hooks.event import Event, Json, ToolCall
from sandhook.hooks.flavour import compile_search
from sandhook.hooks.matcher import (
    ALWAYS,
    All,
    Always,
    AnyOf,
    Exact,
    Matcher,
    Never,
    OneOf,
    Prefixes,
    Regex,
    ToolName,
    regex_of,
)
from sandhook.hooks.model import HookSpec
from sandhook.hooks.through import called_by
from sandhook.pattern.errors import PatternError
from sandhook.record import Record

_ON_TOOLS = ("tool.pre", "tool.post", "tool.fail", "permission.request")

#: A tool that no agent has, to find out whether a matcher selects every tool.
_NO_TOOL = "sandhook-no-such-tool"


class Conversion(Record):
    """Hooks in the format of another agent.

    Attributes:
        value: The configuration.
        lost: A line for each thing that the other agent cannot express.
        notes: A line for each thing that is expressed in another way.
    """

    value: Json
    lost: tuple[str, ...]
    notes: tuple[str, ...]


def convert(specs: Sequence[HookSpec], source: Contract, target: Contract) -> Conversion:
    """Return the hooks of one agent in the format of another."""
    if source.name == target.name:
        value, lost = target.render(specs)
        return Conversion(value, lost, ())
    translator = _Translator(source, target)
    kept = [spec for each in specs if (spec := translator.translated(each)) is not None]
    value, lost = target.render(kept)
    return Conversion(value, (*translator.lost, *lost), tuple(dict.fromkeys(translator.notes)))


def as_written(value: Json, target: Contract) -> Json:
    """Return a configuration with its texts as they stand in a file of the agent."""
    if isinstance(value, str):
        return target.literal(value)
    if isinstance(value, dict):
        return {key: as_written(item, target) for key, item in value.items()}
    return [as_written(item, target) for item in value] if isinstance(value, list) else value


class _Translator:
    """Replaces the names of one agent by those of another; collects what has no equivalent."""

    def __init__(self, source: Contract, target: Contract) -> None:
        self.source = source
        self.target = target
        self.words = source.vocabulary()
        self.other = target.vocabulary()
        self.lost: list[str] = []
        self.notes: list[str] = []

    def translated(self, spec: HookSpec) -> HookSpec | None:
        """Return a hook in the other agent's names; None if it could never run there."""
        if spec.executor.type in ("bash", "argv") and not (spec.executor.text.strip() or spec.executor.argv):
            self.lost.append(f"{spec.id}: it has nothing to run: it is left out")
            return None
        if spec.event in _ON_TOOLS and self.words.tools and self.other.tools:
            matcher = self._matcher(spec)
            if matcher is None:
                return None
            spec = spec._replace(matcher=matcher)
        self._statuses(spec)
        native = self._native(spec)
        executor = spec.executor if native is None else called_by(spec, self.target.name, native).executor
        return spec._replace(
            executor=executor._replace(
                text=self._text(executor.text, spec),
                argv=tuple(self._text(word, spec) for word in executor.argv),
                env=tuple((name, self._text(value, spec)) for name, value in executor.env),
            )
        )

    def _native(self, spec: HookSpec) -> str | None:
        """Return the other agent's name of a hook's event; its ``render`` reports an event that it lacks."""
        return next((name for name, kind in self.target.events.items() if kind == spec.event), None)

    def _statuses(self, spec: HookSpec) -> None:
        """Report exit statuses that refuse for the first agent alone."""
        native = self._native(spec)
        if native is None or spec.event not in self.source.refusable:
            return
        ours, theirs = Probe(self.source, spec), Probe(self.target, spec._replace(native_event=native))
        for status in (1, 2):
            if ours.refuses(status) and not theirs.refuses(status):
                self.lost.append(f"{spec.id}: exit status {status} does not refuse in {self.target.name}")

    # Tools.

    def _matcher(self, spec: HookSpec) -> Matcher | None:
        if not _tests_names_alone(spec.matcher):
            return spec.matcher  # the other format reports what it cannot express
        selected = [name for name in self.words.tools if _selects(spec, name)]
        if len(selected) == len(self.words.tools) and _selects(spec, _NO_TOOL):
            return ALWAYS
        names = [name for tool in selected for name in self._names_of(tool, spec)]
        names += self._unknown_names(spec)
        patterns = self._server_patterns(spec)
        if not names and not patterns:
            self.lost.append(f"{spec.id}: {self.target.name} has none of its tools: it is left out")
            return None
        return _matcher_of(tuple(dict.fromkeys(names)), patterns)

    def _names_of(self, tool: str, spec: HookSpec) -> tuple[str, ...]:
        classes = self.words.classes_of(tool)
        names = tuple(name for each in classes for name in self.other.of_class(each))
        if names or tool in self.other.tools:
            return names or (tool,)
        self.lost.append(f"{spec.id}: {self.target.name} has no tool for {tool}")
        return ()

    def _unknown_names(self, spec: HookSpec) -> list[str]:
        """Return the names of a matcher that are neither of a known tool nor of a server's tool."""
        known = {*self.words.tools, *_aliases(spec.matcher)}
        names = [name for name in _names_in(spec.matcher) if name not in known]
        names = [name for name in names if _server_name(name, self.words) is None]
        for name in names:
            self.lost.append(f"{spec.id}: {name} is not a known tool of {self.source.name}: the name is kept")
        return names

    def _server_patterns(self, spec: HookSpec) -> tuple[str, ...]:
        """Return expressions for the tools of MCP servers that a matcher names."""
        patterns = []
        expression = regex_of(spec.matcher) or ""
        written = _names_in(spec.matcher) or [expression.removeprefix("^").removesuffix("$")]
        for name in written:
            parts = _server_name(name, self.words)
            if parts is None:
                continue
            if not self.other.mcp:
                self.lost.append(f"{spec.id}: the name of {name} in {self.target.name} is not known")
                continue
            patterns.append(self.other.mcp.replace("{server}", parts[0]).replace("{tool}", parts[1]))
        return tuple(patterns)

    # Variables.

    def _text(self, text: str, spec: HookSpec) -> str:
        if "$" not in text:
            return text
        for name in self.words.project:
            if name not in self.other.project and _uses(text, name):
                own = self.other.project[0] if self.other.project else "PWD"
                if not self.other.project:
                    self.notes.append(
                        f"{spec.id}: {self.target.name} has no variable with the project's directory:"
                        " $PWD stands for it"
                    )
                text = _replaced(text, name, own)
        for name in self.words.plugin:
            if name not in self.other.plugin and _uses(text, name):
                if self.other.plugin:
                    text = _replaced(text, name, self.other.plugin[0])
                else:
                    self.lost.append(f"{spec.id}: {self.target.name} does not set ${name}")
        for name in self._own_variables(spec):
            if _uses(text, name):
                self.lost.append(f"{spec.id}: {self.target.name} does not set ${name}")
        return text

    def _own_variables(self, spec: HookSpec) -> list[str]:
        """Return the variables that the first agent sets for a hook, and the other one does not."""
        directories = {*self.words.project, *self.words.plugin, *(name for name, _ in spec.executor.env)}
        native = self._native(spec)
        theirs: set[str] = set()
        if native is not None:
            theirs = _variables(self.target, spec._replace(native_event=native))
        return sorted(_variables(self.source, spec) - theirs - directories)


def _variables(contract: Contract, spec: HookSpec) -> set[str]:
    try:
        return set(contract.request(spec, sample(spec.event), "better").env)
    except (DecodeError, KeyError):
        return set()


def _uses(text: str, name: str) -> bool:
    return re.search(rf"\$\{{?{name}(?!\w)", text) is not None


def _replaced(text: str, name: str, own: str) -> str:
    return re.sub(rf"(\$\{{?){name}(?!\w)", rf"\g<1>{own}", text)


def _selects(spec: HookSpec, tool: str) -> bool:
    return spec.matcher.check(Event(spec.event, tool=ToolCall(tool, {}))).matched


def _parts(matcher: Matcher) -> tuple[Matcher, ...]:
    """Return the matchers inside a matcher; a contract's own may have one ``part``."""
    if isinstance(matcher, (All, AnyOf)):
        return matcher.parts
    part = getattr(matcher, "part", None)
    return () if part is None else (part,)


def _tests_names_alone(matcher: Matcher) -> bool:
    """Return whether a matcher depends on the name of the tool and on nothing else."""
    if isinstance(matcher, (Always, Never, ToolName)) or regex_of(matcher) is not None:
        return True
    parts = _parts(matcher)
    return bool(parts) and all(map(_tests_names_alone, parts))


def _aliases(matcher: Matcher) -> set[str]:
    own = matcher.aliases if isinstance(matcher, ToolName) else {}
    inner = {name for part in _parts(matcher) for name in _aliases(part)}
    return inner | {name for several in own.values() for name in several}


_LIST = re.compile(r"\^?(?:\((?:\?:)?)?(\w+(?:\|\w+)*)\)?\$?")


def _names_in(matcher: Matcher) -> list[str]:
    """Return the names that a matcher lists; [] for an expression."""
    if not isinstance(matcher, ToolName):
        return [name for part in _parts(matcher) for name in _names_in(part)]
    test = matcher.test
    if isinstance(test, Exact):
        return [test.wanted]
    if isinstance(test, OneOf):
        return list(test.wanted)
    if isinstance(test, Prefixes):
        return [each for each in test.alternatives if each[-1:] != "*"]
    if isinstance(test, Regex) and test.pattern.startswith("^"):
        several = _LIST.fullmatch(test.pattern)
        return several[1].split("|") if several is not None else []
    return []


def tool_of(name: str, source: Vocabulary, target: Vocabulary) -> str | None:
    """Return the usual name that one agent has for a tool of another; None if it is not known to have such a tool."""
    if name in target.tools:
        return name
    for each in source.classes_of(name):
        if names := target.of_class(each):
            return names[0]
    parts = _server_name(name, source)
    if parts is None or not target.mcp:
        return None
    return target.mcp.replace("{server}", parts[0]).replace("{tool}", parts[1])


def _server_name(text: str, words: Vocabulary) -> tuple[str, str] | None:
    """Return the server and the tool (names, or an expression for the tool) of an MCP tool's name; None for another."""
    if not words.mcp or not words.mcp.startswith(("mcp", "@", "MCP:")):
        return None
    pattern = re.escape(words.mcp).replace(r"\{server\}", r"([\w-]+?)").replace(r"\{tool\}", r"([^|]+)")
    match = re.fullmatch(pattern, text)
    if match is None:
        return None
    groups = match.groups()
    return (groups[0], groups[1]) if len(groups) == 2 else (".*", groups[0])


def _matcher_of(names: tuple[str, ...], patterns: tuple[str, ...]) -> Matcher:
    if not patterns:
        return ToolName(Exact(names[0]) if len(names) == 1 else OneOf(names))
    text = f"^({'|'.join((*map(re.escape, names), *patterns))})$"
    try:
        return ToolName(Regex(text, "go", compile_search(text, "go")))
    except PatternError:
        return ToolName(OneOf((*names, *patterns)))
