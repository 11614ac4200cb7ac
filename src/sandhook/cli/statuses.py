"""The exit statuses of all commands: what each means, for helps, manual pages and docs/reference/statuses.md.

One convention holds for every command that is not run in place of a hook or of a program; docs/decisions/0032 has its
reasons. ``sandhook.cli`` has the constants, which a hook imports.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from sandhook.cli import FINDINGS, INCOMPLETE, USAGE_ERROR

#: The meaning of the convention's statuses, in general.
CONVENTION = {
    0: "done; nothing to report",
    FINDINGS: "done, and the answer is no: something was found, refused, lost or left as it is",
    USAGE_ERROR: "an invalid command line, or a file that it names cannot be used",
    INCOMPLETE: "a part could not be tried, is not known, or is not in force",
}

#: Statuses of the program itself, for every command.
OF_THE_PROGRAM = {
    70: "a defect of sandhook (EX_SOFTWARE of sysexits.h); a command that an agent runs as a hook refuses instead",
    130: "interrupted by Ctrl-C",
    141: "the reader of the output has closed it",
}

_USAGE = "usage error, or a file that cannot be used"
_USAGE_ONLY = "usage error"


class Statuses(NamedTuple):
    """The exit statuses of a command.

    Attributes:
        meanings: Status to its meaning. A command that is run in place of another has that one's other statuses.
        others: The sentence about these.
    """

    meanings: Mapping[int, str]
    others: str = ""


#: The status of a hook that refuses, which nearly every agent reads so.
_HOOK = Statuses(
    {USAGE_ERROR: "usage error: most agents read it as a refusal"},
    "That of the script. A script that exceeds a limit other than --timeout is a refusal in the form of the agent;"
    " with --fail-closed, any script that could not run is.",
)

STATUSES: Mapping[str, Statuses] = {
    "fire": Statuses(
        {
            0: "the agent may proceed",
            1: _USAGE,
            2: "a hook refuses",
            INCOMPLETE: "nothing refuses, and a hook could not run or is not in force, or a part of the configuration"
            " has a fault",
        },
        "With --as-hook that of a hook of the agent, and 2 after a usage error, which most agents read as a refusal.",
    ),
    "hook": _HOOK,
    "exec": Statuses({USAGE_ERROR: _USAGE}, "That of the script."),
    "init": Statuses({0: "written", FINDINGS: "a file exists: nothing is written", USAGE_ERROR: _USAGE_ONLY}),
    "list": Statuses({0: "listed", FINDINGS: "a hook is invalid", USAGE_ERROR: _USAGE}),
    "explain": Statuses({0: "a hook would run", FINDINGS: "no hook would run", USAGE_ERROR: _USAGE}),
    "check": Statuses(
        {
            0: "no errors",
            FINDINGS: "errors (with --strict: or warnings)",
            USAGE_ERROR: "usage error, or a FILE that cannot be read",
        }
    ),
    "watch": Statuses(
        {
            0: "ended by Ctrl-C, or nothing was found",
            FINDINGS: "with --once: errors, or failed expectations",
            USAGE_ERROR: "usage error, or with --once a FILE that is not there",
        }
    ),
    "portability": Statuses(
        {
            0: "every hook runs everywhere",
            FINDINGS: "one differs or fails",
            USAGE_ERROR: _USAGE,
            INCOMPLETE: "none does, and not everything is known",
        }
    ),
    "vet": Statuses(
        {
            0: "no such finding",
            FINDINGS: "a finding of the severity that --fail-on names",
            USAGE_ERROR: _USAGE,
        }
    ),
    "schema": Statuses({0: "printed", USAGE_ERROR: _USAGE_ONLY}),
    "convert": Statuses(
        {0: "converted", FINDINGS: "something would be lost: nothing is written", USAGE_ERROR: _USAGE}
    ),
    "install": Statuses(
        {0: "installed", FINDINGS: "something would be lost: nothing is written", USAGE_ERROR: _USAGE}
    ),
    "uninstall": Statuses(
        {0: "removed, or there was nothing", FINDINGS: "hooks that were edited are left", USAGE_ERROR: _USAGE}
    ),
    "status": Statuses({0: "all unchanged", FINDINGS: "a hook is not", USAGE_ERROR: _USAGE}),
    "restore": Statuses(
        {
            0: "restored, or there was nothing",
            FINDINGS: "a file was edited since: nothing is written",
            USAGE_ERROR: _USAGE,
        }
    ),
    "wrap": Statuses({0: "wrapped", FINDINGS: "hooks are left as they are", USAGE_ERROR: _USAGE}),
    "unwrap": Statuses(
        {0: "undone, or there was nothing", FINDINGS: "hooks that were edited are left", USAGE_ERROR: _USAGE}
    ),
    "serve": Statuses(
        {
            0: "ended by a signal or --stop; with --status: it works",
            FINDINGS: "with --status: a configuration has a fault",
            USAGE_ERROR: _USAGE,
            INCOMPLETE: "with --start or --stop: it did not start or end; with --status: it does not run",
        }
    ),
    "studio": Statuses({0: "ended by a signal", USAGE_ERROR: _USAGE}),
    "trust": Statuses(
        {
            0: "approved, revoked, listed or shown",
            FINDINGS: "a hook is not approved",
            USAGE_ERROR: _USAGE,
        }
    ),
    "completion": Statuses({0: "printed", USAGE_ERROR: _USAGE_ONLY}),
    "doctor": Statuses(
        {
            0: "every guard is proven on",
            FINDINGS: "a hook is not on",
            USAGE_ERROR: _USAGE,
            INCOMPLETE: "something is not proven, or there are no hooks",
        }
    ),
    "chaos": Statuses(
        {
            0: "no action passed",
            FINDINGS: "one did",
            USAGE_ERROR: _USAGE,
            INCOMPLETE: "a guard could not be tried",
        }
    ),
    "replay": Statuses(
        {
            0: "replayed",
            FINDINGS: "a rule of --fail-on is broken",
            USAGE_ERROR: _USAGE,
            INCOMPLETE: "a part of the record was not replayed, or a file of it could not be read",
        }
    ),
    "record": Statuses({0: "imported", FINDINGS: "no event was imported", USAGE_ERROR: _USAGE}),
    "stats": Statuses({0: "shown", FINDINGS: "nothing could be read", USAGE_ERROR: _USAGE}),
    "mcp-proxy": Statuses(
        {USAGE_ERROR: _USAGE, 127: "the server cannot be started"},
        "That of the server. With a URL 0 after the end of the input, or 128 and the number of the signal that ended it.",
    ),
    "mcp-shell": Statuses({0: "the client ended", USAGE_ERROR: _USAGE_ONLY}),
    "test": Statuses(
        {
            0: "all as expected",
            FINDINGS: "a case is not",
            USAGE_ERROR: "usage error, a file that cannot be read or has a fault, or a missing shell",
        }
    ),
}


def status_lines(command: str, width: int) -> list[str]:
    """Return the paragraph about the exit statuses of a command."""
    from textwrap import wrap

    meanings, others = STATUSES[command]
    listed = "; ".join(f"{status} {meaning}" for status, meaning in meanings.items())
    return wrap(f"Exit status: {listed}.{f' {others}' if others else ''}", width, break_on_hyphens=False)
