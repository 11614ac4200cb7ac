"""GitHub Copilot's hook files: a version, and a flat list of hooks per event."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from sandhook.errors import Problem
from sandhook.hooks.contracts import Document, Layer, Loaded, LoadOptions
from sandhook.hooks.contracts._convert import Target, flat
from sandhook.hooks.contracts._fields import Fields, did_you_mean
from sandhook.hooks.contracts._groups import Handler
from sandhook.hooks.contracts._loader import (
    entries,
    foreign_hook,
    gather,
    home,
    hook_spec,
    lists_of,
    matcher_on,
    schema,
    seconds,
    whole_name,
)
from sandhook.hooks.contracts.copilot.disabling import without_disabled
from sandhook.hooks.contracts.copilot.names import (
    ALIASES,
    DEFAULT_TIMEOUT,
    EVENTS,
    FIELDS,
    OTHER_SYSTEMS,
    PLACES,
    REMOVED,
    ROWS,
    TOOLS,
)
from sandhook.hooks.decode import encode, text_of, texts_of, type_name
from sandhook.hooks.event import Event, Json, JsonObject, ToolCall
from sandhook.hooks.flavour import compile_search
from sandhook.hooks.matcher import ALWAYS, Match, Matcher, Never, OneOf, Regex, TextTest, quote
from sandhook.hooks.model import Executor, HookSpec
from sandhook.pattern.errors import PatternError, UnsupportedError
from sandhook.record import Record
from sandhook.text.quoting import quote_word


def layers(cwd: str, env: Mapping[str, str], platform: str) -> Sequence[Layer]:
    """Return the files and directories of files, in the order in which their hooks run."""
    own = env.get("COPILOT_HOME") or f"{home(env, platform)}/.copilot"
    files = [] if platform == "win32" else [Layer("managed", "/etc/github-copilot/policy.d/*.json")]
    return [
        *files,
        Layer("user", f"{own}/hooks/*.json"),
        Layer("user", f"{own}/settings.json", "wrap"),
        Layer("project", f"{cwd}/.github/hooks/*.json"),
        Layer("project", f"{cwd}/.claude/settings.json", "read"),
        Layer("local", f"{cwd}/.claude/settings.local.json", "read"),
        Layer("project", f"{cwd}/.github/copilot/settings.json", "wrap"),
        Layer("local", f"{cwd}/.github/copilot/settings.local.json", "wrap"),
    ]


def load(documents: Sequence[Document], options: LoadOptions) -> Loaded:
    """Read configurations in the order of ``layers``; every fault is in the result, with its path."""
    read = partial(_document, strict=options.strict)
    dropped: list[Problem] = []
    kept: list[Document] = []
    for document in documents:
        faults = _faults_of_policy(document, read) if document.layer == "managed" else []
        dropped += (*faults, Problem("", _OF_POLICIES, file=document.name)) if faults else ()
        if not (faults and options.strict):
            kept.append(document)
    loaded = gather(kept, EVENTS, read)
    problems = dict.fromkeys((*loaded.problems, *dropped))
    return without_disabled(loaded._replace(problems=tuple(problems)), kept, strict=options.strict)


def _faults_of_policy(
    document: Document, read: Callable[[Fields, JsonObject], Iterator[HookSpec]]
) -> list[Problem]:
    """Return why Copilot CLI drops a file of the policy: it looks at the lists of its own events, and at other keys."""
    faults = []
    for problem in gather([document], EVENTS, read).problems:
        event = problem.path.removeprefix("hooks.").partition("[")[0]
        looked_at = event in EVENTS if problem.path.startswith("hooks.") else True
        if problem.message.endswith(_EMPTY):
            continue
        if looked_at and not problem.path.endswith((".matcher", ".description")):
            faults.append(problem)
    return faults


#: What a fault in a file of the machine's policy means.
_OF_POLICIES = "Copilot CLI drops the whole file, as any file of the policy with a fault"


def _document(fields: Fields, value: JsonObject, *, strict: bool) -> Iterator[HookSpec]:
    policy = fields.document.layer == "managed"
    version = value.get("version")
    if isinstance(version, bool) or version != 1:
        if "version" in value:
            fields.problem("version", f"is {encode(version)}; wanted 1")
        elif policy:
            fields.problem("version", "is missing, and a file of the policy needs it: 1")
        if strict and "version" in value:  # as upstream, which drops the file
            return
    for key in value if policy else ():
        if key not in ("version", "hooks"):
            fields.problem(key, "is not known in a file of the policy")
    hooks = fields.get(value, "hooks", dict, "") or {}
    for name in sorted(hooks, key=lambda name: name in ALIASES):  # those under Claude Code's names run last
        if name not in EVENTS and name not in ALIASES:
            hint = did_you_mean(name, EVENTS)
            fields.note(f"hooks.{name}", f"is not an event of GitHub Copilot: its hooks never run{hint}")
        if policy and name in EVENTS and hooks[name] is None:
            fields.problem(f"hooks.{name}", "wanted an array, got null")
        before = len(fields.problems)
        specs = [*_of_event(fields, hooks, name, policy=policy, strict=strict)]
        faults = [each for each in fields.problems[before:] if not each.message.endswith(_EMPTY)]
        if not (faults and strict and is_settings(fields.document.name)):  # of which upstream drops the event
            yield from specs


def is_settings(name: str) -> bool:
    """Return whether a file is one of settings, Claude Code's or Copilot's, and no file of hooks alone."""
    return name.replace("\\", "/").rpartition("/")[2] in ("settings.json", "settings.local.json")


def _of_event(
    fields: Fields, hooks: JsonObject, name: str, *, policy: bool, strict: bool
) -> Iterator[HookSpec]:
    for entry in entries(fields, hooks, name, "hooks"):
        if policy and name in EVENTS and ("hooks" in entry.raw or entry.raw.get("type") == "prompt"):
            fields.problem(entry.path, "wanted one command in a file of the policy")
        if policy and name in EVENTS and ROWS[name].matched and "matcher" in entry.raw:
            pattern = entry.raw["matcher"]
            if not isinstance(pattern, str) or not pattern:
                fields.problem(entry.path, f"matcher is {encode(pattern)} in a file of the policy")
        for handler in _of_group(fields, entry) if "hooks" in entry.raw else (entry,):
            before = len(fields.problems)
            spec = _hook(fields, handler, strict=strict)
            if spec is not None and len(fields.problems) == before:
                yield spec


def _of_group(fields: Fields, group: Handler) -> Iterator[Handler]:
    """Yield the hooks of a group in Claude Code's form."""
    if group.raw["hooks"] is None and is_settings(fields.document.name):
        fields.problem(f"{group.path}.hooks", "wanted an array, got null")
    for handler in entries(fields, group.raw, "hooks", group.path):
        yield handler._replace(event=group.event, group=group.raw, group_path=group.path)


def _hook(fields: Fields, handler: Handler, *, strict: bool) -> HookSpec | None:
    raw, path = handler.raw, handler.path
    fields.unknown(raw, FIELDS, path)
    native = ALIASES.get(handler.event, handler.event)
    type_ = fields.get(raw, "type", str, path)
    if type_ in ("http", "prompt"):
        if native not in EVENTS:
            return None
        matcher = _matcher(fields, handler, native, strict=strict)
        return foreign_hook(
            fields,
            handler._replace(event=native),
            EVENTS[native],
            type_,
            matcher=matcher,
            entry={"matcher": handler.group.get("matcher"), **raw},
            extras={"name": handler.event, "cwd": None},
        )
    if type_ not in ("command", None):  # a hook without a type is a command
        fields.problem(f"{path}.type", f"unknown type {type_!r}; known are command, http, prompt")
    text = _text(fields, raw, path, strict=strict)
    if strict and (script := _SCRIPT.match(text)):
        # Upstream gives a script execute permission. sandhook changes no file for that.
        text = f"if [ -f {script[0]} ] && [ ! -x {script[0]} ]; then\nbash {text}\nelse\n{text}\nfi"
    variables = fields.get(raw, "env", dict, path) or {}
    for key, value in variables.items():
        if not isinstance(value, str):
            fields.problem(f"{path}.env.{key}", f"wanted a string, got {type_name(value)}")
    if "args" in raw and not isinstance(raw["args"], list):
        why = f"wanted an array, got {type_name(raw['args'])}: Copilot CLI drops the hook"
        (fields.problem if strict else fields.note)(f"{path}.args", why)
    key = "timeoutSec" if "timeoutSec" in raw else "timeout"
    if key in raw and raw[key] is None:
        (fields.problem if strict else fields.note)(f"{path}.{key}", "is null: Copilot CLI drops the hook")
    timeout = seconds(fields, raw, key, path, default=DEFAULT_TIMEOUT)
    if native not in EVENTS:
        return None
    return hook_spec(
        fields,
        handler._replace(event=native),
        EVENTS[native],
        Executor(
            "bash" if text else next((key for key in OTHER_SYSTEMS if raw.get(key)), "bash"),
            text,
            env=tuple(texts_of(raw, "env").items()),
        ),
        matcher=_matcher(fields, handler, native, strict=strict),
        timeout=timeout,
        env_except=REMOVED,
        description=fields.get(raw, "description", str, path),
        entry={"matcher": handler.group.get("matcher"), **raw},
        extras={"name": handler.event, "cwd": text_of(raw, "cwd")},
    )


#: A path of a script, at the start of a command.
_SCRIPT = re.compile(r"[\w.-]*+/[\w./-]++(?![^\s;&|])")

_NAMES = re.compile(r"[\w| -]+")


class ClaudeName(Record):
    """Tests Claude Code's name of the tool; a list of names may also have Copilot's own.

    Attributes:
        test: What the name must pass.
    """

    test: TextTest

    def check(self, event: Event) -> Match:
        own = event.tool.name if event.tool is not None else ""
        name = TOOLS.get(own, own)
        matched = self.test.test(name) or (not isinstance(self.test, Regex) and self.test.test(own))
        return Match(matched, f"tool name {quote(name)} is {'' if matched else 'not '}{self.test}")

    def expression(self) -> str | None:
        """Return an expression on Copilot's own names of the tools."""
        own = [name for name in TOOLS if self.check(Event("tool.pre", tool=ToolCall(name))).matched]
        return f"^({'|'.join(own)})$" if own else None


def _of_claude(pattern: str) -> TextTest:
    """Return the test of a matcher under Claude Code's name of an event: names, or an expression for all of one."""
    if _NAMES.fullmatch(pattern):
        return OneOf(tuple(pattern.strip(" ").split("|")))
    whole = f"^(?:{pattern})$"
    return Regex(whole, "js", compile_search(whole, "js"))


_REQUIRED, _EMPTY = "bash, command or exec is required", "is empty: there is nothing to run"


def _text(fields: Fields, raw: JsonObject, path: str, *, strict: bool) -> str:
    """Return what the hook runs as shell text; a program and its arguments are quoted."""
    keys = ("linux", "bash", "command", *OTHER_SYSTEMS, "exec", "cwd")
    texts = {key: fields.get(raw, key, str, path) for key in keys}
    if program := texts["exec"]:
        others = [key for key in keys[:-2] if texts[key]]
        if others:
            why = f"stands next to exec: Copilot CLI drops the hook for {', '.join(others)}"
            (fields.problem if strict else fields.note)(f"{path}.exec", why)
        return " ".join(map(quote_word, (program, *(fields.strings(raw, "args", path) or ()))))
    text = texts["linux"] or texts["bash"] or texts["command"] or ""
    if not text and not any(key in raw and texts[key] is None for key in texts):
        other = next((key for key in OTHER_SYSTEMS if texts[key]), None)
        if other is not None:
            fields.note(f"{path}.{other}", "there is no bash, command or linux: the hook cannot run here")
        else:
            empty = next((key for key in keys[:-1] if key in raw), None)
            fields.problem(path, _REQUIRED if empty is None else f"{empty} {_EMPTY}")
    return text


def _matcher(fields: Fields, handler: Handler, native: str, *, strict: bool) -> Matcher:
    path, alias = handler.path, handler.event in ALIASES
    pattern, key = fields.get(handler.group, "matcher", str, path), ROWS[native].matched
    if pattern is None:
        return ALWAYS
    if not key:
        fields.note(f"{path}.matcher", f"has no meaning on {native}: all match")
        return ALWAYS
    policy = fields.document.layer == "managed"
    if (pattern == "" and not (alias and policy)) or (pattern == "*" and not alias):
        fields.note(f"{path}.matcher", f"{pattern!r} matches no tool in Copilot CLI: leave it out")
        return Never("the matcher matches no tool") if strict else ALWAYS
    if pattern in ("", "*"):
        return ALWAYS
    test: TextTest
    try:
        if alias and key == "toolName":  # Claude Code's rules and names
            test = _of_claude(pattern)
        else:
            whole = f"^(?:{pattern})$"
            test = Regex(whole, "js", compile_search(whole, "js"))
    except UnsupportedError as error:
        fields.note(f"{path}.matcher", f"{error}: all match")
        return ALWAYS
    except PatternError as error:
        fields.problem(f"{path}.matcher", f"does not compile: {error}")
        return ALWAYS
    if alias and key == "toolName":
        return ClaudeName(test)
    return matcher_on(key, test, tool_key="toolName", place=PLACES.get(key))


TARGET = Target(
    "GitHub Copilot",
    EVENTS,
    timeout="timeoutSec",
    default=DEFAULT_TIMEOUT,
    text="bash",
    name="description",
    env="env",
    always_closes=True,
    matched=("preToolUse", "permissionRequest", "postToolUse"),
)


def render(specs: Sequence[HookSpec]) -> tuple[Json, tuple[str, ...]]:
    """Return a file for .github/hooks, and a line for each thing that it cannot express."""
    hooks, lost = flat(specs, TARGET)
    for handlers in hooks.values():
        for index, hook in enumerate(handlers):
            handlers[index] = {"type": "command", **hook}
            if "matcher" in hook:  # a search anywhere in the name there, an expression over all of it here
                handlers[index]["matcher"] = whole_name(str(hook["matcher"]))
    return {"version": 1, "hooks": hooks}, lost


SCHEMA = schema(
    "Hooks of GitHub Copilot",
    {
        "version": {"const": 1},
        "disableAllHooks": {"type": "boolean", "default": False},
        "hooks": lists_of("hook", (*EVENTS, *ALIASES)),
    },
    {
        "hook": {
            "type": "object",
            "properties": {
                "type": {"enum": ["command", "http", "prompt"]},
                "bash": {"type": "string", "description": "Shell source."},
                "powershell": {"type": "string"},
                "command": {"type": "string", "description": "Used when there is no bash or powershell."},
                "linux": {"type": "string", "description": "Used on Linux before bash and command."},
                "osx": {"type": "string"},
                "windows": {"type": "string"},
                "exec": {"type": "string", "description": "A program, without a shell."},
                "args": {"type": "array", "items": {"type": "string"}},
                "cwd": {"type": "string"},
                "env": {"type": "object", "additionalProperties": {"type": "string"}},
                "timeoutSec": {"type": "number", "default": DEFAULT_TIMEOUT},
                "matcher": {"type": "string", "description": "An expression over all of the tool's name."},
            },
        }
    },
    required=["version", "hooks"],
)
