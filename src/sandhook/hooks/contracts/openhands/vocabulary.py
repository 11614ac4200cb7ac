"""OpenHands' names of tools, and of variables with directories."""

from __future__ import annotations

from sandhook.hooks.contracts._vocabulary import Vocabulary

VOCABULARY = Vocabulary(
    shell=("terminal",),
    read=("file_editor",),
    write=("file_editor",),
    edit=("file_editor",),
    others=("task_tracker", "finish", "think"),
    project=("OPENHANDS_PROJECT_DIR",),
)
