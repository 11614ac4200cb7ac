"""The cases of conformance/hooks/AGENT/recorded: what a real agent did, and what the engine decides.

A case has ``layers`` and ``files`` (paths below the directory of the run, which is ``@W@`` in texts), the
payloads that are fired, and what the agent ``did``, by aspect:

* ``ran``: the hooks that ran, each by its label; ``runs``: how often each of them ran. ``touched``: the files that the tool call made.
* ``refused``: the call or the prompt did not go ahead; ``reason`` is what the model or the user read.
* ``message``: all that the model read of a refusal.
* ``halt``: the turn ended. ``stops``: how often the agent wanted to stop. ``result``: what the model read.
* ``prompt``: the prompt that the model read. ``mode``: how the model may choose tools.
* ``answer``: what a server got for a question to the user. ``context``: texts that the agent gave the model besides. ``texts``: all texts that the model got.

An aspect that one side does not show is not compared. "…" ends a text that the record cuts.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any
from zlib import crc32

from sandhook.errors import SandhookError
from sandhook.hooks import Decision, HookEngine, RunResult, SandboxRunner, ToolResult, contracts
from sandhook.hooks.continuation import Continuation
from sandhook.hooks.contracts import Document
from sandhook.hooks.decode import DecodeError
from sandhook.hooks.event import Event
from sandhook.hooks.model import Compat, Request
from sandhook.vfs.path import VirtualPath
from tools.agents.cases.shapes import EVENTS

ROOT = Path(__file__).parents[2] / "conformance" / "hooks"

#: Contracts of which only an older version could be recorded.
VERSIONS = {"hermes": "hermes@0.19.0"}

#: Where a run's directory is in the sandbox. The recorder's was below /tmp, and rules for /tmp see that.
WORLD = "/tmp/agents"

#: One case in so many runs in worker processes, which the hooks of a bundle have by default. The others run in threads,
#: which decide the same (tests/isolation) and take a quarter of the time.
CONFINED = 40

#: Where the recorder's server is, to which hooks of the type http post.
MODEL = "http://127.0.0.1:8080"

#: Events that are fired again for as long as hooks keep the agent from stopping.
STOP_EVENTS = ("Stop", "agentStop", "AfterAgent", "post_agent")

#: Directories of plugins and extensions, whose hooks a caller passes.
BUNDLES = ("/plugins/cache/", "/extensions/", "/plug/hooks/")

#: Codex's flag for hooks that nobody approved; the recorder uses it unless a case has flags of its own.
_BYPASS = "--dangerously-bypass-hook-trust"

#: Grok Build's flag that answers its questions; the recorder uses it unless a case has flags of its own.
_APPROVE = "--always-approve"

Case = dict[str, Any]
Facts = dict[str, Any]


@cache
def documents(agent: str) -> list[dict[str, Any]]:
    """Return the files of one agent's records, which nobody may change: all tests have the same."""
    paths = sorted((ROOT / agent / "recorded").glob("*.json"), key=str)  # Windows compares paths without case
    return [json.loads(path.read_text(encoding="utf-8")) for path in paths]


@cache
def cases(agent: str) -> list[Case]:
    """Return the cases of one agent, which nobody may change: all tests have the same."""
    read = [case for document in documents(agent) for case in document["cases"]]
    return json.loads(json.dumps(read).replace("@W@", WORLD).replace("@U@", MODEL))  # type: ignore[no-any-return]


class World:
    """The files of one case in a sandbox, and an engine with its configurations."""

    def __init__(self, agent: str, case: Case, compat: Compat) -> None:
        self.case = case
        #: Files that cannot be decoded.
        self.unread: list[str] = []
        self.contract = contracts.get(VERSIONS.get(agent, agent))
        self.env = {"HOME": f"{WORLD}/home", "PROBE": f"{WORLD}/probe", **self.case.get("env", {})}
        layers = json.dumps(case["layers"])
        # In worker processes, hooks that run at the same time lose what one of them writes to a shared file.
        alone = '"async": true' not in layers
        runner = SandboxRunner(
            files={f"{WORLD}/{name}/.keep": "" for name in ("project", "probe", "home")},
            isolation="process" if alone and crc32(layers.encode()) % CONFINED == 0 else "thread",
        )
        own_files = {} if self.contract.has_configuration else case["layers"]  # which are the hooks then
        for name, value in {**self.case.get("files", {}), **own_files}.items():
            text, mode = (
                value if isinstance(value, list) else (value, 0o755 if name.endswith(".sh") else 0o644)
            )
            path = VirtualPath(f"{WORLD}/{name}")
            _make_directories(runner, f"{WORLD}/{name}".rpartition("/")[0])
            runner.fs.write_bytes(path, _bytes(text))
            runner.fs.chmod(path, mode)
        self.engine = HookEngine.load(
            self._documents(),
            self.contract,
            compat=compat,
            env=self.env,
            trust=lambda spec: _trusts(agent, case),
            runner=runner,
            executors={"mcp_tool": self._call, "http": self._post, "prompt": self._ask},
            shared_files=True,
        )

    def _call(self, request: Request) -> RunResult:
        """Return what the tool of the recorder's server answers: a file, or a refusal with its arguments."""
        config = request.spec.executor.config or {}
        if config["server"] != "srv":
            return RunResult(failure=f"there is no server {config['server']}")
        answer = self.case["files"].get("home/answers.json")
        if answer is None:
            text = json.dumps({"decision": "block", "reason": json.dumps(config["input"], sort_keys=True)})
            answer = {"content": [{"type": "text", "text": text}]}
        text = "\n".join(part["text"] for part in answer["content"])
        return RunResult(1 if answer.get("isError") else 0, text.encode())

    def _post(self, request: Request) -> RunResult:
        """Return what the recorder's server answers to a hook of the type http."""
        url = request.spec.executor.text
        if self.contract.name == "copilot":  # whose calls pass with every answer of that server
            return RunResult(failure=f"does not post to {url}")
        answer = self.case["scene"]["endpoints"].get(url.removeprefix(MODEL))
        if answer is None:
            return RunResult(failure=f"cannot reach {url}")
        status, text = answer
        return (
            RunResult(0, text.encode()) if 200 <= status < 300 else RunResult(failure=f"HTTP status {status}")
        )

    def _ask(self, request: Request) -> RunResult:
        """Return what the recorder's model answers to a hook of the type prompt."""
        return RunResult(0, self.case["scene"]["endpoints"]["side"].encode())

    def _documents(self) -> list[Document]:
        """Return the configurations in the agent's order; it does not read one that cannot be decoded."""
        texts = {
            f"/{path}" if path.startswith("etc/") else f"{WORLD}/{path}": _bytes(value).decode()
            for path, value in {**self.case.get("files", {}), **self.case["layers"]}.items()
            if not (isinstance(value, list) and path in self.case.get("files", {}))  # [text, mode]
        }
        if self.contract.name == "grok" and "config" in self.case.get("scene", {}):
            texts[f"{WORLD}/home/.grok/config.toml"] = self.case["scene"]["config"]
        read = []
        for path in sorted(texts):
            if any(sign in path for sign in BUNDLES):  # the weakest
                try:
                    document = self.contract.parse(texts[path], path, self.env)
                except (DecodeError, SandhookError):
                    self.unread.append(path)
                    continue
                read.append(document._replace(layer="bundle", contract=self.contract.name))
        for layer in self.contract.layers(f"{WORLD}/project", self.env, "linux"):
            for path in sorted(texts):
                if PurePosixPath(path).match(layer.path) and not path.rpartition("/")[2].startswith("."):
                    text, marked = texts[path].removeprefix("\ufeff"), texts[path].startswith("\ufeff")
                    try:
                        document = self.contract.parse(text, path, self.env)
                    except (DecodeError, SandhookError):
                        self.unread.append(path)
                        continue
                    read.append(
                        document._replace(layer=layer.name, contract=self.contract.name, marked=marked)
                    )
        arguments = self.case.get("args", [])
        if "--settings" in arguments:  # Claude Code's flag: a layer above the files
            text = arguments[arguments.index("--settings") + 1]
            read.append(self.contract.parse(text, "flag", self.env)._replace(contract=self.contract.name))
        return read

    def fire(self, payload: dict[str, Any], **changes: object) -> Decision:
        event = self.contract.event(self.case["event"], {**payload, **changes})
        decision = self.engine.fire(event if event.cwd else event.with_(cwd=f"{WORLD}/project"))
        self.engine.wait(2.0)
        return decision

    def probe(self, name: str) -> str:
        path = VirtualPath(f"{WORLD}/probe/{name}")
        return self.engine.fs.read_bytes(path).decode() if self.engine.fs.exists(path) else ""


def _trusts(agent: str, case: Case) -> bool:
    """Return whether the agent was started so that hooks of the project run."""
    if agent == "codex":
        return _BYPASS in case.get("args", [_BYPASS])
    if agent == "mistral_vibe":
        return "--trust" in case.get("args", ["--trust"])
    if agent == "grok":
        return "--trust" in case.get("args", ["--trust"]) and "trust" not in case.get("scene", {})
    return True


def _make_directories(runner: SandboxRunner, path: str) -> None:
    if not runner.fs.exists(VirtualPath(path)):
        _make_directories(runner, path.rpartition("/")[0])
        runner.fs.mkdir(VirtualPath(path))


def _bytes(value: Any) -> bytes:
    return (value if isinstance(value, str) else json.dumps(value)).encode()


# What the engine decided, by the aspects of a record.


def decided(agent: str, case: Case, compat: Compat) -> Facts:
    """Return what the engine decided about a case, by aspect."""
    world = World(agent, case, compat)
    if "stops" in case["did"] or case["event"] in STOP_EVENTS:
        facts = _stops(agent, world)
    else:
        facts, touched = {}, set[str]()
        for payload in world.case["fire"]:
            facts.update(_decision(agent, world, payload))
            touched.update(facts.get("touched") or ())
        if len(world.case["fire"]) > 1 and "touched" in facts:
            facts["touched"] = sorted(touched)
    ran = world.probe("ran").split()
    return {"ran": ran, "runs": dict(Counter(ran)), **facts}


def _stops(agent: str, world: World) -> Facts:
    """Return how often the agent wanted to stop, and the reasons to continue."""
    (payload,) = world.case["fire"]
    fired: list[Decision] = []

    def stop(active: bool) -> Decision:
        key = "stopHookActive" if agent == "grok" else "stop_hook_active"
        fired.append(world.fire(payload, **{key: active}))
        return fired[-1]

    turn = _turn(agent, stop, world.env)
    reasons = []
    while len(fired) < 50 and (lap := turn.next()) is not None:
        reasons.append(lap.message)
    return {"stops": len(fired), "context": "\n".join(reasons), "halt": fired[-1].halt}


def _turn(agent: str, stop: Any, env: dict[str, str]) -> Continuation:
    if agent == "claude_code":
        from sandhook.hooks.contracts.claude_code.stops import continuation

        return continuation(stop, env)
    if agent == "copilot":
        from sandhook.hooks.contracts.copilot.names import STOPS

        return Continuation(stop, laps=STOPS, todo_laps=0, fires_in_vain=True)
    if agent == "qwen":
        from sandhook.hooks.contracts.qwen.reply import STOPS

        return Continuation(stop, laps=STOPS, todo_laps=0, fires_in_vain=True)
    if agent == "grok":
        from sandhook.hooks.contracts.grok.names import STOPS as LAPS

        return Continuation(stop, laps=LAPS, todo_laps=0)
    if agent == "goose":
        from sandhook.hooks.contracts.goose.names import STOPS

        return Continuation(stop, laps=STOPS, todo_laps=0, fires_in_vain=True)
    if agent == "mistral_vibe":
        from sandhook.hooks.contracts.mistral_vibe.names import RETRIES

        return Continuation(stop, laps=RETRIES, todo_laps=0, fires_in_vain=True)
    return Continuation(stop)


def _decision(agent: str, world: World, payload: dict[str, Any]) -> Facts:
    decision, event = world.fire(payload), world.case["event"]
    contexts = [text for text, _ in decision.context]
    extras = decision.extras or {}
    halt = decision.halt or extras.get("continue") is False
    facts: Facts = {"halt": halt, "refused": decision.refused, "context": "\n".join(contexts)}
    if event == "PreModelSwitch" and decision.permission == "ask":  # and nobody answers
        facts["refused"] = True
    if event in ("Elicitation", "ElicitationResult"):
        facts["answer"] = _answer(decision, payload)
    if event == "TeammateIdle":
        facts["refused"] = decision.force_continue and not halt
    if event in ("SubagentStop", "subagentStop"):
        facts["refused"] = decision.force_continue and not decision.halt
    if not (decision.halt and decision.permission != "deny"):
        facts["reason"] = decision.reason or ""
    if decision.refused:
        facts["message"] = decision.message
    call = payload.get("tool_input", payload.get("toolArgs", payload.get("toolInput")))
    if agent == "cline":
        call = payload.get("tool_call", {}).get("input")
    if call is not None and event.lower() in (
        "pretooluse",
        "beforetool",
        "permissionrequest",
        "pre_tool_call",
        "pre_tool",
    ):
        facts["touched"] = _touched(world, decision, call)
    if event == "post_tool":
        value = decision.apply_to_result(ToolResult(payload["tool_output_text"])).value
        changed = "\n\n".join([str(value), *contexts])
        facts["result"] = changed if decision.result or contexts else None
    if agent == "gemini":
        if decision.refused:
            facts["context"] = "" if decision.halt else decision.message
        if decision.permission == "ask":  # which nobody answers in a run without a user
            facts["halt"] = None
    elif agent == "copilot" and decision.reason:
        facts["context"] = decision.reason
    if event.startswith(("PostTool", "postTool", "AfterTool")):
        facts["context"] = "\n".join(filter(None, [*contexts, None if agent == "codex" else decision.reason]))
        if "tool_response" in payload:
            value = decision.apply_to_result(ToolResult(payload["tool_response"])).value
            key = "llmContent" if agent == "gemini" else "stdout"
            facts["result"] = value.get(key, value) if isinstance(value, dict) else value
        if "toolResult" in payload or "tool_result" in payload:
            result = decision.apply_to_result(
                ToolResult(payload.get("toolResult", payload.get("tool_result")))
            )
            value = result.value
            facts["result"] = _result_text(value) if isinstance(value, dict) else value
    if agent == "copilot" and event.startswith(("userPrompt", "UserPrompt")):
        facts["prompt"] = decision.apply_to_prompt("do it")
        facts["context"] = "\n".join(contexts)
    if event == "BeforeToolSelection":
        facts["mode"] = (extras.get("toolConfig") or {}).get("mode", "AUTO")
    return facts


def _answer(decision: Decision, payload: dict[str, Any]) -> dict[str, Any]:
    """Return what a server gets for its question: a hook's answer, the user's, or that nobody is there."""
    extras = decision.extras or {}
    action = extras.get("action", payload.get("action", "cancel"))
    content = extras.get("content", payload.get("content")) if action == "accept" else None
    return {"action": action} if content is None else {"action": action, "content": content}


def _result_text(value: dict[str, Any]) -> str:
    text = value.get("textResultForLlm", value.get("text_result_for_llm", ""))
    return re.sub(r"\n<shellId: \d+ completed with exit code \d+>", "", text)


def _touched(world: World, decision: Decision, call: Any) -> list[str] | None:
    """Return the files that the call makes: no user is there to be asked, and Grok Build agrees by itself."""
    word, forbidden = decision.permission, "--disallowedTools" in world.case.get("args", [])
    if word == "ask" and world.contract.name == "grok" and _APPROVE in world.case.get("args", [_APPROVE]):
        word = "allow"
    permitted = word == "allow" or (word == "none" and world.case.get("allowed", "Bash"))
    if decision.refused or forbidden or not permitted:
        return []
    changed = decision.apply_to(call)
    if isinstance(changed, dict) and "tool_name" in changed:  # Grok's tool for those of servers
        changed = changed.get("tool_input")
        return [changed["name"]] if isinstance(changed, dict) else None
    if isinstance(changed, dict) and isinstance(
        changed.get("commands"), list
    ):  # Cline's, of which the first counts here
        changed = {"command": next(iter(changed["commands"]), None)}
    command = changed.get("command", changed.get("name")) if isinstance(changed, dict) else None
    words = command.split() if isinstance(command, str) else []
    return [words[-1]] if words[:1] == ["touch"] or "name" in call else None


# The comparison.

_SHELL = re.compile(r"(?:/bin/sh: \d+|bash: line \d+|sh: \d+): (\S+): (?:command )?not found")
_SURROGATES = re.compile("[\ud800-\udfff]")
_CUT = re.compile(r"…(?:\[\d+ characters in all\])?")


def differences(did: Facts, facts: Facts) -> dict[str, tuple[Any, Any]]:
    """Return the aspects in which the engine differs from the agent: what it did, and what the engine says."""
    pairs = {key: (did[key], facts.get(key)) for key in did}
    if "texts" in did:
        pairs["texts"] = (did["texts"], facts.get("context"))
    if facts.get("halt"):
        pairs.pop("context", None)
        pairs.pop("texts", None)
    return {
        key: (was, got)
        for key, (was, got) in pairs.items()
        if was is not None and got is not None and not _same(key, was, got)
    }


def _same(key: str, was: Any, got: Any) -> bool:
    if key == "ran":
        return sorted(set(was)) == sorted(set(got)) and (len(set(was)) == len(was) or len(was) == len(got))
    if key == "context":
        return bool(was.strip()) == bool(got.strip()) and all(
            _contains(was, line) for line in got.splitlines()
        )
    if key == "texts":
        return all(_contains(was, line) for line in got.splitlines())
    if key in ("reason", "result", "message"):
        was, got = (
            _SURROGATES.sub("\ufffd", _SHELL.sub(r"\1: not found", str(text)).strip()) for text in (was, got)
        )
        cut = _CUT.search(was)
        return got.startswith(was[: cut.start()]) if cut else was == got
    return bool(was == got)


def _contains(text: str, line: str) -> bool:
    line, text = line.strip(), _SURROGATES.sub("\ufffd", text)
    if any(
        form in text for form in (line, json.dumps(line)[1:-1], json.dumps(line, ensure_ascii=False)[1:-1])
    ):
        return True
    cut = _CUT.search(text)
    if cut is None:
        return False
    before = text[: cut.start()].splitlines()[-1]
    start = before.rfind(line[:40])
    return line.startswith((before[-40:], before[start:] if start >= 0 else before[-40:]))


def refuses_more(aspect: str, did: Any, says: Any) -> bool:
    """Return whether the engine refuses more than the agent in one aspect, or says more where it refuses."""
    if aspect == "ran":
        return set(did) <= set(says)
    if aspect in ("refused", "halt"):
        return did is False and says is True
    if aspect == "touched":
        return set(says) < set(did)
    if aspect == "stops":
        return bool(says > did)
    return bool(says)


# What hooks receive.


def event_of_probe(agent: str, world: World, case: Case, label: str) -> tuple[Event, str]:
    """Return the event whose payload a recorded hook received, and its name."""
    payload = case["probes"][label]["payload"]
    name = payload.get("hook_event_name", label.rstrip("0123456789")) if isinstance(payload, dict) else label
    if label == "a":  # the hook of a case of one event
        name = case["event"]
    elif case["id"] in ("places.received", "environment.layers"):  # the labels are those of layers
        name = EVENTS.get(agent, "PreToolUse")
    event = world.contract.event(name, payload)
    return event if event.cwd else event.with_(cwd=f"{WORLD}/project"), name


def received(agent: str, case: Case, label: str) -> dict[str, Any] | None:
    """Return what a hook of the engine receives for the payload that the agent's hook received; None for nothing."""
    world = World(agent, case, "strict")
    event, name = event_of_probe(agent, world, case, label)
    world.engine.fire(event)
    world.engine.wait(2.0)
    label = label if world.probe(f"{label}.stdin") else name  # one of several runs in a session
    text = world.probe(f"{label}.stdin")
    if not text:
        return None
    return {
        "payload": [(key, value) for key, value in json.loads(text).items() if key != "timestamp"],
        "newline": text.endswith("\n"),
        "cwd": world.probe(f"{label}.cwd").strip(),
    }
