"""Names and bounds of Cline's hooks."""

from __future__ import annotations

from sandhook.hooks.contracts._rows import Row

#: Events by the names that their files have.
ROWS = {
    "TaskStart": Row("turn.start", ("taskStart",)),
    "TaskResume": Row("x.TaskResume", ("taskResume",)),
    "UserPromptSubmit": Row("prompt.submit", ("userPromptSubmit",)),
    "PreToolUse": Row("tool.pre", ("iteration", "tool_call", "preToolUse")),
    "PostToolUse": Row("tool.post", ("iteration", "tool_result", "postToolUse")),
    "TaskComplete": Row("turn.end", ("iteration", "turn?", "taskComplete")),
    "TaskCancel": Row("x.TaskCancel", ("taskCancel",)),
    "TaskError": Row("x.TaskError", ("iteration", "error?")),
    "SessionShutdown": Row("session.end", ("reason?",)),
}
EVENTS = {name: row.kind for name, row in ROWS.items()}

#: A name of a file that Cline knows, and whose hooks it does not start.
RESERVED = "PreCompact"

#: The names of events in payloads, ``hookName``.
HOOK_NAMES = {
    "TaskStart": "agent_start",
    "TaskResume": "agent_resume",
    "UserPromptSubmit": "prompt_submit",
    "PreToolUse": "tool_call",
    "PostToolUse": "tool_result",
    "TaskComplete": "agent_end",
    "TaskCancel": "agent_abort",
    "TaskError": "agent_error",
    "SessionShutdown": "session_shutdown",
}
BY_HOOK_NAME = {name: event for event, name in HOOK_NAMES.items()}

#: Events whose hooks Cline waits for; of all others it reads nothing.
AWAITED = ("PreToolUse", "PostToolUse")

#: What starts a file without a "#!" line, by its ending.
STARTERS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("", ".sh", ".bash", ".zsh"), ("bash",)),
    **dict.fromkeys((".js", ".mjs", ".cjs"), ("node",)),
    **dict.fromkeys((".ts", ".mts", ".cts"), ("bun", "run")),
    ".py": ("python3",),
    ".ps1": ("pwsh", "-File"),
}

#: The directories of a project that have hooks, below its root.
PROJECT_DIRECTORIES = (".clinerules/hooks", ".cline/hooks")

FIELDS = ("command",)

#: Seconds.
TIMEOUT = 120.0

#: The most characters of the text that a hook adds.
MAX_CONTEXT = 50_000

_BY_STEM = {name.lower(): name for name in (*EVENTS, RESERVED)}


def event_of_file(name: str) -> str | None:
    """Return the event that a file's name says, None for a file that is not a hook. The case of an ending counts."""
    stem, dot, ending = name.rpartition(".")
    if not dot:
        stem, ending = ending, ""
    if dot + ending.lower() not in STARTERS:
        return None
    whole = name if ending != ending.lower() else stem
    return _BY_STEM.get(whole.strip().lower())


def starter(name: str, text: str) -> tuple[str, ...]:
    """Return the words before a file's path with which Cline starts it: those of its "#!" line, or by its ending."""
    first = text.partition("\n")[0].strip()
    words = tuple(first[2:].split()) if first.startswith("#!") else ()
    while words and words[0].replace("\\", "/").rpartition("/")[2].lower() == "env":
        words = words[1:]
    if words:
        program = words[0].replace("\\", "/").rpartition("/")[2].lower()
        known = ("bash", "sh", "zsh", "python", "python3")
        return (program, *words[1:]) if program in known else words
    _, dot, ending = name.rpartition(".")
    return STARTERS.get(dot + ending.lower() if dot else "", ("bash",))
