"""Names and bounds of Antigravity's hooks."""

from __future__ import annotations

from sandhook.hooks.contracts._rows import Row

#: Events, with the payload's keys after the common ones. "tool" is the only value that matchers look at.
ROWS = {
    "PreToolUse": Row("tool.pre", ("toolCall", "stepIdx"), "tool"),
    "PostToolUse": Row("tool.post", ("toolCall", "stepIdx", "error?"), "tool"),
    "PreInvocation": Row("x.PreInvocation"),
    "PostInvocation": Row("x.PostInvocation"),
    "Stop": Row("stop", ("executionNum", "terminationReason", "error?", "fullyIdle")),
    "SessionStart": Row("session.start"),
}
EVENTS = {name: row.kind for name, row in ROWS.items()}

#: Names are compared in any case.
FOLDED = {name.lower(): name for name in EVENTS}

COMMON = ("conversationId", "workspacePaths", "transcriptPath", "artifactDirectoryPath", "modelName")

FIELDS = ("type", "command", "timeout", "prompt", "model")

#: Directories of a project that may have a hooks.json, weakest first.
DIRECTORIES = ("_agent", "_agents", ".agent", ".agents")

#: Seconds.
DEFAULT_TIMEOUT = 30.0
