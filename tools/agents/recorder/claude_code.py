"""Claude Code, headless (``claude -p``), or in a terminal if the case types keys."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from tools.agents.recorder import chat
from tools.agents.recorder.model import ModelServer
from tools.agents.recorder.world import Ended, World, environment, neutral, objects_of, with_etc
from tools.agents.records import Json, Object, listed, mapping, objects

PACKAGE, PROGRAM = "@anthropic-ai/claude-code", "claude"

_KEY = "sk-ant-made-up"

#: Texts of the agent's own that are no words of a hook.
_OWN = (
    *(
        "# Environment",
        "You are powered by",
        "deferred tools",
        "Available agent types",
        "skills are available",
    ),
    *("# claudeMd", "Today's date", "userEmail", "the following context", "MCP Server Instructions"),
    *("# auto memory", "Attribution for git", "<total_tokens>"),
)
_TOKENS = re.compile(r"\n*<system-reminder>\n<total_tokens>.*?</system-reminder>", re.S)
_SECRET = re.compile(r'"(CLAUDE_PID|CLAUDE_CODE_MESSAGING_TOKEN|CLAUDE_CODE_MESSAGING_SOCKET)": "[^"]*"')
_FINAL = (
    *("subtype", "is_error", "result", "num_turns", "stop_reason", "terminal_reason", "permission_denials"),
    *("errors", "stop_hook_summary", "deferred_tool_use"),
)
_HOOK = ("hook_name", "hook_event", "exit_code", "outcome", "stdout", "stderr", "output")


def variables(case: Object, world: World, url: str) -> dict[str, str]:
    return environment(
        world,
        case,
        ANTHROPIC_BASE_URL=url,
        ANTHROPIC_API_KEY=_KEY,
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
        DISABLE_AUTOUPDATER="1",
        DISABLE_TELEMETRY="1",
    )


def prepare(case: Object, world: World, url: str) -> None:
    """Write what the first questions of a terminal would ask, for a case that types keys."""
    if "keys" not in case:
        return
    project: Object = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
    state: Object = {
        "hasCompletedOnboarding": True,
        "theme": "dark",
        "customApiKeyResponses": {"approved": [_KEY[-20:]], "rejected": []},
        "projects": {str(world.project): project},
    }
    world.put("home/.claude.json", state)


def command(case: Object, program: str) -> list[str]:
    words = [program]
    if "keys" not in case:
        words.append("-p")
        if case.get("turns") is None:
            words.append(str(case.get("prompt", "do it")))
        else:
            words += ["--input-format", "stream-json"]
        words += ["--output-format", "stream-json", "--verbose", "--include-hook-events"]
    words += ["--model", "claude-sonnet-4-5"]
    if allowed := case.get("allowed", "Bash"):
        words += ["--allowedTools", str(allowed)]
    return with_etc(case, [*words, *(str(each) for each in listed(case.get("args")))])


def lines(case: Object) -> Json:
    """Return what the agent reads: a line for each turn of the user, or None for a prompt on its command line."""
    return chat.turns(case)


def observe(case: Object, world: World, model: ModelServer, ended: Ended, env: dict[str, str]) -> Json:
    events = objects_of(ended.stdout)
    first = _texts(model.requests[0]) if model.requests else []
    last = _texts(model.requests[-1]) if model.requests else []
    shown = [
        result
        for each in events
        if each.get("type") == "user"
        for result in _results({"messages": [each.get("message", {})]})
    ]
    results = _results(model.requests[-1]) if model.requests else []
    seen: Object = {
        "requests": len(model.requests),
        "exit": ended.status,
        "stderr": ended.stderr,
        "ran": world.ran(),
        "files": list(world.new_files()),
        "tool_results": results,
        "shown_results": shown if shown != results else [],
        "said": [_short(text) for text in last if text not in first and not _own(text)],
        "first": [_short(text) for text in first if not _own(text)],
    }
    edges = {*first, *last}
    middle = [text for request in model.requests for text in _texts(request) if text not in edges]
    seen["between"] = [_short(text) for text in dict.fromkeys(middle) if not _own(text)]
    seen["models"] = [*dict.fromkeys(str(request.get("model")) for request in model.requests)]
    final = [each for each in events if each.get("type") == "result"]
    if final:
        seen["final"] = {key: final[-1][key] for key in _FINAL if final[-1].get(key) not in (None, [])}
    seen["hooks"] = [
        {key: each[key] for key in _HOOK if each.get(key) not in (None, "")}
        for each in events
        if each.get("subtype") == "hook_response"
    ]
    others = ("init", "hook_started", "hook_response", "hook_progress")
    seen["notices"] = [
        {key: value for key, value in each.items() if key not in ("uuid", "session_id", "timestamp")}
        for each in events
        if each.get("type") == "system" and each.get("subtype") not in others
    ]
    seen["probes"] = world.probes(env)
    seen["posted"] = [*model.posted]
    kept = neutral({key: value for key, value in seen.items() if value not in ([], "", None, {})}, world)
    text = _SECRET.sub(r'"\1": "…"', json.dumps(kept))
    return mapping(json.loads(re.sub(r"/tmp/claude-\d+/", "@TMP@/", text)))


def _blocks(request: Object) -> Iterator[tuple[Json, Object]]:
    for message in objects(request.get("messages")):
        content = message.get("content")
        blocks: list[Object] = (
            [{"type": "text", "text": content}] if isinstance(content, str) else objects(content)
        )
        for block in blocks:
            yield message.get("role"), block


def _texts(request: Object) -> list[str]:
    return [
        str(block["text"])
        for role, block in _blocks(request)
        if block.get("type") == "text" and role in ("user", "system")
    ]


def _results(request: Object) -> list[Json]:
    found: list[Json] = []
    for _, block in _blocks(request):
        if block.get("type") != "tool_result":
            continue
        content = block.get("content", "")
        if isinstance(content, list):
            content = "".join(str(part.get("text", f"[{part.get('type')}]")) for part in objects(content))
        text = _TOKENS.sub("", content if isinstance(content, str) else json.dumps(content))
        found.append({"text": text, "error": bool(block.get("is_error"))})
    return found


def _own(text: str) -> bool:
    return text.startswith("<system-reminder>") and any(word in text[:300] for word in _OWN)


def _short(text: str) -> str:
    """Return a text, without the agent's own long messages."""
    own = "SYSTEM NOTIFICATION" in text[:60] or "Codebase and user instructions" in text[:80]
    return text[:70] + "…" if own else text
