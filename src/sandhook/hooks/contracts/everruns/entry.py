"""One hook of an Everruns configuration: its fields, their bounds, and upstream's message for each fault."""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.errors import Problem
from sandhook.hooks.contracts import LoadOptions
from sandhook.hooks.contracts._fields import unknown_keys
from sandhook.hooks.contracts._reading.serde import value_name
from sandhook.hooks.contracts.everruns.names import (
    DEFAULT_TIMEOUT_MS,
    EVENTS,
    MATCHER_FIELDS,
    MAX_COMMAND_BYTES,
    MAX_ENV,
    MAX_MATCHER_BYTES,
    ON_ERROR,
    RESERVED_EVENTS,
    RESERVED_EXECUTORS,
    TIMEOUT_MS,
    TOOL_EVENTS,
)
from sandhook.hooks.diagnostic import Diagnostic
from sandhook.hooks.event import Json, JsonObject
from sandhook.hooks.flavour import compile_search
from sandhook.hooks.matcher import (
    ALWAYS,
    All,
    Argument,
    Exact,
    Matcher,
    Never,
    NotEmpty,
    Prefixes,
    Regex,
    TextTest,
    ToolName,
)
from sandhook.hooks.model import Executor, HookSpec
from sandhook.pattern.errors import PatternError

_FIELDS = ("id", "event", "matcher", "executor", "timeout_ms", "on_error", "description", "source")


class EntryReader:
    """Reads one raw hook and collects everything that is wrong with it.

    Attributes:
        prefix: What upstream writes before a fault, for example ``user_hooks.hooks[2]: ``.
        problems: The faults; with one, there is no hook.
        notes: What is allowed but unusual.
        unparsable: Upstream would have rejected the whole list.
        has_name: The hook has an id of its own.
    """

    def __init__(self, options: LoadOptions, owner: str, index: int, path: str, file: str = "") -> None:
        self.options = options
        self.owner = owner
        self.index = index
        self.path = path
        self.file = file
        self.prefix = ""
        self.problems: list[Problem] = []
        self.notes: list[str] = []
        self.unparsable = False
        self.has_name = False

    def read(self, raw: Json) -> HookSpec | None:
        """Return the hook, or None when it has problems."""
        if not isinstance(raw, dict):
            self._unparsed("", f"invalid type: {value_name(raw)}, expected struct UserHookSpec")
            return None
        self._unknown(raw, "", _FIELDS)
        event = self._event(raw)
        name = self._string(raw, "id", "", nullable=True)
        description = self._string(raw, "description", "", nullable=True)
        executor = self._executor(raw)
        timeout = self._timeout(raw.get("timeout_ms", DEFAULT_TIMEOUT_MS))
        on_error = raw.get("on_error", "warn")
        if on_error not in ON_ERROR:
            self._unparsed("on_error", _variant(on_error, ON_ERROR))
        matcher = self._matcher(raw, event)
        if self.problems or event is None or executor is None:
            return None
        self.has_name = name is not None
        return HookSpec(
            id=f"{self.owner}:{name if name is not None else f'{event}_{self.index}'}",
            event=EVENTS[event],
            native_event=event,
            executor=executor,
            matcher=matcher,
            timeout=timeout / 1000,
            on_error=on_error,
            description=description,
            source=self.owner,
            path=self.path,
            entry=raw,
        )

    # Problems and notes.

    def _unparsed(self, path: str, message: str) -> None:
        self.unparsable = True
        self.problems.append(
            Problem(self._at(path), f"user_hooks config parse failed: {message}", file=self.file)
        )

    def _invalid(self, path: str, message: str) -> None:
        self.problems.append(Problem(self._at(path), self.prefix + message, file=self.file))

    def _note(self, path: str, message: str) -> None:
        if not self.options.strict:
            self.notes.append(Diagnostic(message, self._at(path), self.file))

    def _at(self, path: str) -> str:
        return f"{self.path}.{path}" if path else self.path

    def _unknown(self, value: JsonObject, dot: str, known: Sequence[str]) -> None:
        for key, hint in unknown_keys(value, known):
            self._note(dot + key, f"unknown field, ignored{hint}")

    def _string(self, value: JsonObject, key: str, dot: str, *, nullable: bool = False) -> str | None:
        """Return a string field; None when it is absent, null (if that may be) or a fault."""
        item = value.get(key)
        if isinstance(item, str) or (item is None and (nullable or key not in value)):
            return item
        self._unparsed(dot + key, f"invalid type: {value_name(item)}, expected a string")
        return None

    # The fields.

    def _event(self, raw: JsonObject) -> str | None:
        if "event" not in raw:
            self._unparsed("event", "missing field `event`")
            return None
        event = raw["event"]
        if isinstance(event, str) and event in EVENTS:
            return event
        reserved = " (planned upstream)" if event in RESERVED_EVENTS else ""
        self._unparsed("event", _variant(event, tuple(EVENTS)) + reserved)
        return None

    def _timeout(self, value: Json) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            self._unparsed("timeout_ms", f"invalid type: {value_name(value)}, expected u64")
        elif value < 0:
            self._unparsed("timeout_ms", f"invalid value: {value_name(value)}, expected u64")
        elif value not in TIMEOUT_MS:
            self._invalid("timeout_ms", f"hook timeout_ms {value} is out of range (100..=30000)")
        else:
            return value
        return DEFAULT_TIMEOUT_MS

    def _executor(self, raw: JsonObject) -> Executor | None:
        if "executor" not in raw:
            self._unparsed("executor", "missing field `executor`")
            return None
        value = raw["executor"]
        if not isinstance(value, dict):
            self._unparsed("executor", f"invalid type: {value_name(value)}, expected a tagged object")
            return None
        if "type" not in value:
            self._unparsed("executor.type", "missing field `type`")
            return None
        type_ = value["type"]
        known = ("bash", *(name for name in self.options.executors if name != "bash"))
        if not isinstance(type_, str) or type_ not in known:
            reserved = " (planned upstream; a host can register it)" if type_ in RESERVED_EXECUTORS else ""
            self._unparsed("executor.type", _variant(type_, known) + reserved)
            return None
        if type_ != "bash":
            return Executor(type_, config={key: item for key, item in value.items() if key != "type"})
        self._unknown(value, "executor.", ("type", "command", "env"))
        return Executor("bash", self._command(value), env=self._env(value))

    def _command(self, value: JsonObject) -> str:
        if "command" not in value:
            self._unparsed("executor.command", "missing field `command`")
            return ""
        command = self._string(value, "command", "executor.")
        if command is None:
            return ""
        if not command.strip():
            self._invalid("executor.command", "hook bash command is empty")
        elif len(command.encode("utf-8", "surrogatepass")) > MAX_COMMAND_BYTES:
            self._invalid("executor.command", f"hook bash command is longer than {MAX_COMMAND_BYTES} bytes")
        return command

    def _env(self, value: JsonObject) -> tuple[tuple[str, str], ...]:
        env = value.get("env", {})
        if not isinstance(env, dict):
            self._unparsed("executor.env", f"invalid type: {value_name(env)}, expected a map")
            return ()
        for name, text in env.items():
            if not isinstance(text, str):
                self._unparsed(f"executor.env.{name}", f"invalid type: {value_name(text)}, expected a string")
            elif not name or "=" in name or "\0" in name + text:
                self._note(f"executor.env.{name}", "no environment can hold this; left out")
        if len(env) > MAX_ENV:
            self._invalid("executor.env", f"hook has more than {MAX_ENV} env vars")
        return tuple(
            (name, text)
            for name, text in env.items()
            if isinstance(text, str) and name and "=" not in name and "\0" not in name + text
        )

    # The matcher.

    def _matcher(self, raw: JsonObject, event: str | None) -> Matcher:
        value = raw.get("matcher", {})
        if not isinstance(value, dict):
            self._unparsed("matcher", f"invalid type: {value_name(value)}, expected struct HookMatcher")
            return ALWAYS
        self._unknown(value, "matcher.", MATCHER_FIELDS)
        fields = {
            key: text
            for key in MATCHER_FIELDS
            if (text := self._string(value, key, "matcher.", nullable=True)) is not None
        }
        if fields and event is not None and event not in TOOL_EVENTS:
            self._invalid("matcher", f"hook event `{event}` does not accept a matcher")
        for key, text in fields.items():
            if len(text.encode("utf-8", "surrogatepass")) > MAX_MATCHER_BYTES:
                self._invalid(
                    f"matcher.{key}", f"hook matcher field `{key}` is longer than {MAX_MATCHER_BYTES} bytes"
                )
        parts: list[Matcher] = []
        if "tool_name" in fields:
            parts.append(ToolName(Exact(fields["tool_name"])))
        if "tool_name_glob" in fields:
            parts.append(ToolName(self._glob(fields["tool_name_glob"])))
        if (argument := self._argument(fields)) is not None:
            parts.append(argument)
        if len(parts) == 1:
            return parts[0]
        return All(tuple(parts)) if parts else ALWAYS

    def _glob(self, glob: str) -> Prefixes:
        """Alternatives between ``|``; each may end in one ``*`` and has no other special character."""
        alternatives = tuple(each for part in glob.split("|") if (each := part.strip()))
        for each in alternatives:
            if any(c in "*?[]{}" for c in each.removesuffix("*")):
                self._invalid(
                    "matcher.tool_name_glob", f"hook tool_name_glob `{glob}` contains unsupported syntax"
                )
                break
        return Prefixes(alternatives)

    def _argument(self, fields: dict[str, str]) -> Matcher | None:
        regexes = [key for key in ("match_regex", "deny_regex") if key in fields]
        if len(regexes) == 2:
            self._invalid("matcher", "hook has both match_regex and deny_regex set; choose one")
        compiled = [self._regex(key, fields[key]) for key in regexes]
        path = fields.get("args_jsonpath")
        if path is None:
            if not regexes:
                return None
            self._note(f"matcher.{regexes[0]}", "without args_jsonpath it never fires")
            return Never(f"{regexes[0]} without args_jsonpath never fires")
        if "[" in path:
            self._note("matcher.args_jsonpath", "brackets select nothing here: every part is an object's key")
        keys = tuple(key for key in path.removeprefix("$.").split(".") if key)
        test: TextTest = compiled[0] if compiled and compiled[0] is not None else NotEmpty()
        return Argument(keys, test, path)

    def _regex(self, key: str, pattern: str) -> Regex | None:
        """Compile a regex; ``deny_regex`` fires on a match as ``match_regex`` does, as upstream."""
        if len(pattern.encode("utf-8", "surrogatepass")) > MAX_MATCHER_BYTES:
            return None  # reported already
        try:
            return Regex(pattern, "rust", compile_search(pattern, "rust"))
        except PatternError as error:
            self._invalid(f"matcher.{key}", f"hook regex `{pattern}` failed to compile: {error}")
            return None


def _variant(value: Json, known: Sequence[str]) -> str:
    names = ", ".join(f"`{name}`" for name in known)
    expected = f"expected {names}" if len(known) == 1 else f"expected one of {names}"
    if isinstance(value, str):
        return f"unknown variant `{value}`, {expected}"
    return f"invalid type: {value_name(value)}, {expected}"
