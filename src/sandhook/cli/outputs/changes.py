"""The outputs of commands that write: ``init``, ``convert``, ``install`` and what undoes it, ``trust``."""

from __future__ import annotations

from typing import get_args

from sandhook.cli.outputs.fields import (
    COUNT,
    FLAG,
    NUMBER,
    TEXT,
    TEXTS,
    Fields,
    described,
    list_of,
    one_of,
    or_null,
    reference,
    words_of,
)
from sandhook.hooks.event import JsonObject
from sandhook.installation.changes import Done
from sandhook.installation.places import SCOPES
from sandhook.recipes.plan import FileKind

_WRITTEN: Fields = {
    "dry_run": (FLAG, "nothing is written: the rest is what would be done"),
    "written": (FLAG, "files were written, or would be"),
}
_NOTES: Fields = {"notes": (TEXTS, "what is worth knowing")}
_LOST: Fields = {"lost": (TEXTS, "what an agent cannot express; without --lossy nothing is written then")}
_FILES: Fields = {"files": (list_of(reference("changed_file")), "the files of agents")}
_UNDONE: Fields = {**_WRITTEN, **_FILES, **_NOTES}

FIELDS: dict[str, Fields] = {
    "init": {
        **_WRITTEN,
        "files": (list_of(reference("planned_file")), "the files of the project"),
        "next": (list_of(reference("step")), "commands to run next, when files were written"),
        "recipes": (list_of(reference("recipe")), "with --list: all recipes"),
        **_NOTES,
    },
    "convert": {
        "source": (TEXT, "the agent whose hooks they are"),
        "target": (TEXT, "the agent that is written for"),
        "configuration": (
            {"type": ["object", "null"]},
            "the hooks as the target has them; null if not written",
        ),
        "text": (or_null(TEXT), "the same as the text of a file, in JSON or TOML"),
        **_LOST,
        **_NOTES,
    },
    "install": {
        **_WRITTEN,
        "source": (TEXT, "the file that is installed; empty with --service"),
        **_FILES,
        **_LOST,
        "service?": (reference("service_file"), "with --service: the file by which the system starts it"),
        **_NOTES,
    },
    "uninstall": _UNDONE,
    "restore": _UNDONE,
    "wrap": {**_WRITTEN, **_FILES, "skipped": (TEXTS, "hooks that stay as they are, and why"), **_NOTES},
    "unwrap": _UNDONE,
    "trust": {
        "contracts": (TEXTS, "the agents whose format the file has"),
        "hooks": (list_of(reference("examined")), "the hooks of the file"),
        "approved": (COUNT, "hooks that this command approved"),
        "revoked": (COUNT, "approvals that it revoked"),
        "approvals": (list_of(reference("approval")), "with --list: all approvals"),
        "problems": (TEXTS, "hooks that cannot be approved, or only with another option, and why"),
    },
}


def definitions() -> JsonObject:
    """Return the objects of the outputs."""
    return {
        "changed_file": described(
            {
                "agent": (TEXT, "the agent"),
                "scope": (words_of(SCOPES), "whose file it is"),
                "file": (TEXT, "the file"),
                "target": (TEXT, "the file that a link leads to, or the same"),
                "done": (words_of(get_args(Done)), "what was done, or would be"),
                "hooks": (COUNT, "hooks that were added or removed"),
                "left": (COUNT, "hooks that stay, because somebody edited or removed them"),
                "exact": (FLAG, "the file has the bytes from before the first change"),
                "exists": (FLAG, "the file exists after the change"),
                "diff": (TEXT, "the change as a unified diff; empty without a change"),
            }
        ),
        "planned_file": described(
            {
                "agent": (TEXT, "the agent"),
                "path": (TEXT, "the file, below the project"),
                "kind": (words_of(get_args(FileKind)), "what it is"),
                "action": (one_of("write", "replace", "keep"), "what is done with it"),
                "why": (TEXT, "why it is kept, so that nothing is written; else empty"),
            }
        ),
        "service_file": described(
            {
                "path": (TEXT, "the file"),
                "text": (TEXT, "what it has"),
                "more": (list_of({"type": "object"}), "further files: `path` and `text` of each"),
                "switch_on": (TEXT, "the command that switches the service on"),
                "switch_off": (TEXT, "the command that switches it off"),
            }
        ),
        "step": described({"command": (TEXT, "the command"), "why": (TEXT, "what it does")}),
        "recipe": described(
            {
                "name": (TEXT, "its name"),
                "summary": (TEXT, "what it does"),
                "agents": (TEXTS, "the agents that can run it"),
            }
        ),
        "examined": _examined(),
        "approval": described(
            {
                "digest": (TEXT, "hash of what was approved"),
                "approved": (TEXT, "when"),
                "hook": (TEXT, "id of the hook"),
                "file": (TEXT, "its configuration"),
            }
        ),
        "executed_file": described(
            {
                "how": (TEXT, "how the hook uses it"),
                "path": (TEXT, "the file"),
                "bytes": (COUNT, "its size"),
            }
        ),
    }


def _examined() -> JsonObject:
    return described(
        {
            "id": (TEXT, "id of the hook"),
            "place": (TEXT, "its configuration, with the line if it is known"),
            "event": (TEXT, "the agent's name of the event"),
            "timeout": (NUMBER, "seconds"),
            "command": (TEXT, "what it runs"),
            "digest": (TEXT, "hash of what an approval covers"),
            "approved": (FLAG, "it is approved, after this command"),
            "change": (TEXT, "what changed since it was approved, or empty"),
            "files": (list_of(reference("executed_file")), "the files that it executes or reads as scripts"),
            "commands": (TEXTS, "commands that it calls"),
            "reaches_out": (TEXTS, "those of them that can reach other machines"),
            "env_policy": (one_of("fresh", "inherit", "allow"), "what it sees of the agent's environment"),
            "env_names": (TEXTS, "variables that it also sees"),
            "absent": (TEXTS, "files that it would execute if they existed"),
            "unknown": (TEXTS, "what cannot be known before it runs"),
        }
    )
