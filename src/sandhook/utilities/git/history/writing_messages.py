"""The message of a new commit: where it comes from, and its cleanup.

Source: git-commit(1), --cleanup; git 2.39, builtin/commit.c and sequencer.c.
"""

from __future__ import annotations

import re

from sandhook.utilities.git.errors import GitError

CLEANUPS = ("default", "strip", "whitespace", "verbatim", "scissors")
_TRAILER = re.compile(r"[A-Za-z0-9-]+\s*:|\(cherry picked from commit ")
SCISSORS = "------------------------ >8 ------------------------"


def cleaned(message: str, mode: str, comment: str = "#") -> str:
    """Return a message after its cleanup.

    Args:
        mode: "strip" removes comments and needless blanks, "whitespace" only blanks, "scissors" all after its line.
    """
    if mode == "verbatim":
        return message
    if mode == "scissors":
        line = f"{comment} {SCISSORS}\n"
        at = 0 if message.startswith(line) else message.find("\n" + line)
        message = message if at < 0 else message[: at + (at > 0)]
    lines: list[str] = []
    blank = False
    for raw in message.split("\n"):
        line = raw.rstrip(" \t\r\f\v")
        if mode == "strip" and line.startswith(comment):
            continue
        if not line:
            blank = bool(lines)
            continue
        lines += [""] * blank + [line]
        blank = False
    return "".join(f"{line}\n" for line in lines)


def cleanup_mode(option: str | None, setting: str | None, *, editor: bool) -> str:
    """Return the cleanup of an option, else of commit.cleanup. Raises GitError for another word."""
    mode = option or setting or "default"
    if mode not in CLEANUPS:
        raise GitError(f"Invalid cleanup mode {mode}")
    if mode == "default" or (mode == "scissors" and not editor):
        return "strip" if editor else "whitespace"
    return mode


def signed_off(message: str, person: str) -> str:
    """Return a message with a line "Signed-off-by:", unless that is its last one."""
    line = f"Signed-off-by: {person}"
    text = message.rstrip("\n")
    if not text:
        return f"\n\n{line}\n"
    paragraphs = text.split("\n\n")
    last = paragraphs[-1].split("\n")
    if last[-1] == line:
        return text + "\n"
    is_footer = len(paragraphs) > 1 and all(_TRAILER.match(each) for each in last)
    return f"{text}\n{line}\n" if is_footer else f"{text}\n\n{line}\n"
