"""Which of the agent's own variables its hooks have, and which of them name a place; in each layer."""

from __future__ import annotations

from tools.agents.cases.places import received
from tools.agents.cases.sessions import placed
from tools.agents.cases.shapes import EVENTS
from tools.agents.grid import probe
from tools.agents.records import Object

#: Variables that agents may keep from hooks: of telemetry, with secrets, and of loaders and interpreters.
_NAMES = (
    *("OTEL_SERVICE_NAME", "OTEL_EXPORTER_OTLP_HEADERS", "SENTRY_DSN"),
    *("AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "GH_TOKEN", "NPM_TOKEN", "DATABASE_URL", "SSH_AUTH_SOCK"),
    *("MY_API_KEY", "MY_PASSWORD", "MY_SECRET", "MY_PLAIN", "MY_TOKEN_COUNT", "CLIENT_ID", "PRIVATE_KEY"),
    *(
        "CI",
        "EDITOR",
        "PAGER",
        "GIT_AUTHOR_NAME",
        "TZ",
        "LC_ALL",
        "USER",
        "LOGNAME",
        "VIRTUAL_ENV",
        "NO_PROXY",
    ),
    *("LD_LIBRARY_PATH", "PYTHONPATH", "PERL5LIB", "PROMPT_COMMAND", "CDPATH", "TMPDIR"),
)
_VALUES = {
    "CI": "true",
    "TZ": "UTC",
    "LC_ALL": "C.UTF-8",
    "TMPDIR": "/tmp",
    "NO_PROXY": "localhost",
    "CDPATH": ".",
}
#: Names that an agent sets itself: as if it were started by the hook or the shell of another one.
_NESTED = (
    "CLAUDE_PROJECT_DIR",
    "CLAUDE_PLUGIN_ROOT",
    "GEMINI_PROJECT_DIR",
    "QWEN_PROJECT_DIR",
    "FACTORY_PROJECT_DIR",
)


#: Further names, of an agent that removes them.
_OWN = {
    "copilot": (
        *(
            "COPILOT_GITHUB_TOKEN",
            "COPILOT_API_URL",
            "COPILOT_OTEL_ENABLED",
            "COPILOT_TOKEN",
            "COPILOT_HMAC_KEY",
        ),
        *(
            "GITHUB_COPILOT_API_TOKEN",
            "GITHUB_COPILOT_TOKEN",
            "GITHUB_PERSONAL_ACCESS_TOKEN",
            "GITHUB_WORKSPACE",
        ),
        *("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"),
    )
}


def cases(agent: str) -> list[Object]:
    """Return the cases of an agent."""
    event = EVENTS.get(agent, "PreToolUse")
    hooks = placed(agent, {event: probe(event)})
    own: Object = {"limit": 120} if agent in ("hermes", "openhands") else {}
    plain: Object = {name: _VALUES.get(name, "v") for name in (*_NAMES, *_OWN.get(agent, ()))}
    case: Object = {"event": "*", **hooks, **own}
    found: list[Object] = [{**case, "id": "environment.kept", "env": plain}]
    nested: Object = dict.fromkeys(_NESTED, "/elsewhere")
    found.append({**case, "id": "environment.nested", "env": nested})
    layered = received(agent)
    if layered is not None:
        found.append({**layered, "id": "environment.layers", "env": {"MY_PLAIN": "v", "MY_SECRET": "v"}})
    return found
