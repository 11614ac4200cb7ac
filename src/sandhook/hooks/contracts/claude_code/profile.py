"""What each version of Claude Code changed in its hooks, as data: ``contracts.get("claude_code@2.1.214")``.

Only changes that decide something here have a key that other modules use; the rest is documentation.
"""

from __future__ import annotations

from sandhook.hooks.contracts import ContractError
from sandhook.record import Record
from sandhook.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from sandhook.hooks.model import Compat

#: The newest version that is known, and the beginning of what is.
NEWEST, OLDEST = "2.1.332", "2.1.0"


class Change(Record):
    """One change: the version that introduced it, its key, and its description."""

    version: str
    key: str
    text: str


CHANGES = (
    Change("2.1.139", "exec_form", "`args`: exec form; hooks have no controlling terminal"),
    Change("2.1.143", "stop_cap", "hooks refuse at most 8 stops one after the other"),
    Change("2.1.152", "MessageDisplay", "event MessageDisplay"),
    Change("2.1.163", "stop_context", "`additionalContext` on Stop makes the agent go on"),
    Change("2.1.163", "if_substitutions", "`if` looks inside of command substitutions"),
    Change("2.1.176", "if_paths", "`if` with patterns of paths works as documented"),
    Change("2.1.191", "commas", "matchers may separate names by commas"),
    Change("2.1.195", "hyphens", "a hyphen does not make a matcher an expression"),
    Change("2.1.198", "powershell_names", "placeholders are rewritten for PowerShell"),
    Change("2.1.199", "notices", "standard error of exit status 2 is shown at a session's start"),
    Change("2.1.202", "async_json", "malformed output of async hooks is ignored"),
    Change("2.1.207", "user_config_exec", "`${user_config.*}` is refused in shell form"),
    Change("2.1.208", "sdk_prompt", "a timeout of an SDK callback refuses the prompt"),
    Change("2.1.210", "prompt_ends_turn", "a prompt hook that denies ends the turn"),
    Change("2.1.212", "mid_stream", "`continue: false` counts in the middle of a stream"),
    Change("2.1.214", "invalid_blocks", "exit status 2 refuses though the JSON is invalid"),
    Change("2.1.214", "fork", "source `fork` of SessionStart"),
    Change(
        "2.1.214", "rooted_paths", "`if` with `dir/**` means the one directory below the working directory"
    ),
    Change("2.1.218", "agent_trust", "hooks of project agents want the trust dialog"),
    Change("2.1.219", "DirectoryAdded", "event DirectoryAdded"),
    Change("2.1.236", "classifierContext", "`classifierContext` after a tool"),
    Change("2.1.239", "lost_cwd", "a working directory that is gone becomes the project's"),
    Change("2.1.251", "PreModelSwitch", "event PreModelSwitch"),
    Change("2.1.251", "PostModelSwitch", "event PostModelSwitch"),
    Change("2.1.295", "on_failure", "`onFailure` of command and http hooks"),
    Change("2.1.317", "sdk_on_failure", "`on_failure` of the SDK's matchers"),
    Change("2.1.330", "call_before_halt", "`continue: false` before a tool ends the turn after the call"),
    Change("2.1.330", "start_goes_on", "`continue: false` at a session's start has no effect"),
    Change(
        "2.1.330",
        "event_goes_on",
        "`continue: false` has no effect on PermissionRequest, PostToolUseFailure, PreCompact, PreModelSwitch, SubagentStart, "
        "SubagentStop, TaskCompleted",
    ),
    Change("2.1.330", "setup_context", "`additionalContext` on Setup does not reach the model"),
    Change("2.1.330", "failed_stop", "`onFailure` has no effect on Stop and SubagentStop"),
    Change("2.1.330", "whole_file", "one fault drops the whole settings file"),
    Change("2.1.330", "wrappers", "`if` removes no wrappers but `xargs` and assignments"),
    Change("2.1.330", "unparsed", "`if` tests a command that does not parse as one text"),
    Change("2.1.330", "own_tool", "`if` with `Edit(…)` is not about Write"),
    Change("2.1.330", "no_rule", "`if` with `*`, or without a rule, never runs the hook"),
    Change("2.1.330", "preview", "of a context of more than 10,000 characters the model reads the beginning"),
    Change(
        "2.1.332", "stop_reminder", "the feedback of a refused stop reaches the model inside of a reminder"
    ),
)

_SINCE = {change.key: change.version for change in CHANGES}


class Profile:
    """One version.

    Attributes:
        version: As the caller named it.
        strict: Reproduce what the version does where sandhook would refuse more.
    """

    __slots__ = ("_number", "strict", "version")

    def __init__(self, version: str = NEWEST, *, strict: bool = False) -> None:
        self.version = version
        self.strict = strict
        self._number = _number(version)
        if self._number < _number(OLDEST):
            raise ContractError(f"claude_code: nothing is known of versions before {OLDEST}, got {version}")

    def has(self, key: str) -> bool:
        """Return whether this version has a change. Raises KeyError for an unknown key."""
        return self._number >= _number(_SINCE[key])

    def reproduces(self, key: str) -> bool:
        """Return whether to do as this version does: in strict mode, when it has the change."""
        return self.strict and self.has(key)

    def under(self, compat: Compat) -> Profile:
        """Return this version in one mode."""
        return self if self.strict == (compat == "strict") else Profile(self.version, strict=not self.strict)

    def lacks(self, event: str) -> str | None:
        """Return the version that introduced an event which this one lacks, or None."""
        since = _SINCE.get(event)
        return since if since is not None and self._number < _number(since) else None


def _number(version: str) -> tuple[int, ...]:
    parts = version.split(".")
    if len(parts) != 3 or not all(part.isascii() and part.isdigit() and len(part) < 7 for part in parts):
        raise ContractError(f"claude_code: {version!r} is not a version (such as {NEWEST})")
    return tuple(map(int, parts))
