"""Fire real hooks at the engine and print what they decide: ``python examples/demo.py``.

Everything runs inside this process: no shell is started, no file of this machine is touched.
"""

from __future__ import annotations

from pathlib import Path

from sandhook.hooks import Event, HookEngine, PromptSubmit, ToolPost, ToolPre, TurnEnd
from sandhook.hooks.report import to_text
from sandhook.vfs.path import VirtualPath

BUNDLES = Path(__file__).parent / "hook-bundles"
WHEN = "2026-05-28T00:00:00Z"

PASTED_KEY = "use this key:\n-----BEGIN RSA PRIVATE KEY-----\nMII...\n-----END RSA PRIVATE KEY-----"

#: Title, bundle, event, and a file that the hook writes.
SCENES: tuple[tuple[str, str, Event, str | None], ...] = (
    (
        "The agent wants to run `rm -rf /`",
        "block-rm-rf.json",
        ToolPre("bash", {"command": "rm -rf /"}, call_id="call_1", timestamp=WHEN),
        None,
    ),
    (
        "The agent wants to run `ls -la`",
        "block-rm-rf.json",
        ToolPre("bash", {"command": "ls -la"}, call_id="call_2", timestamp=WHEN),
        None,
    ),
    (
        "The user pastes a private key",
        "block-secret-prompt.json",
        PromptSubmit(PASTED_KEY, timestamp=WHEN),
        None,
    ),
    (
        "The user writes a harmless message",
        "block-secret-prompt.json",
        PromptSubmit("summarize the README", timestamp=WHEN),
        None,
    ),
    (
        "A hook adds a reminder to the user's message",
        "prepend-style-note.json",
        PromptSubmit("fix the bug", timestamp=WHEN),
        None,
    ),
    (
        "A hook logs the end of a turn",
        "turn-end-log.json",
        TurnEnd(True, turn_id="trn_test", timestamp=WHEN),
        "/workspace/.turn-log",
    ),
    (
        "A hook reads a tool's result on standard input and logs it",
        "audit-every-tool.json",
        ToolPost("edit_file", {"path": "a.rs"}, result={"changed": True}, call_id="call_3", timestamp=WHEN),
        "/workspace/.audit.log",
    ),
)


def main() -> None:
    """Print every scene."""
    for title, bundle, event, file in SCENES:
        engine = HookEngine.load(BUNDLES / bundle)
        decision = engine.fire(event.with_(session_id="ses_demo"))
        print(f"{title}  ({bundle})")
        for line in to_text(decision):
            print(f"  {line}")
        if file is not None:
            print(f"  {file}:")
            for line in engine.fs.read_bytes(VirtualPath(file)).decode().splitlines():
                print(f"    {line}")
        print()


if __name__ == "__main__":
    main()
