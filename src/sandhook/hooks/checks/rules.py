"""The findings of checks: their identifiers, severities and meanings."""

from __future__ import annotations

from typing import Literal, get_args

from sandhook.record import Record

Severity = Literal["error", "warning", "note"]

#: Severities, worst first.
SEVERITIES: tuple[Severity, ...] = get_args(Severity)


class Rule(Record):
    """One kind of finding: its severity, the fault in one line, and the advice."""

    severity: Severity
    what: str
    advice: str


#: Identifiers of rules: E for an error, W for a warning, N for a note.
RuleId = Literal[
    "E-CONFIG",
    "E-CONTRACT",
    "E-PARSE",
    "E-FILE",
    "W-CONFIG",
    "W-COMMAND",
    "W-INTERPRETER",
    "W-EXIT",
    "W-DENY",
    "W-READ",
    "W-OUTPUT",
    "W-NAME",
    "W-WORDS",
    "W-FIELD",
    "W-NULL",
    "W-QUOTE",
    "W-NEVER",
    "W-DUPLICATE",
    "N-TEXT",
    "N-STATE",
]

RULES: dict[RuleId, Rule] = {
    "E-CONFIG": Rule(
        "error",
        "The configuration has a fault, or cannot be read; the hook, or the file, is left out.",
        "Repair the value at the path that is named; `sandhook schema CONTRACT` says what may stand there.",
    ),
    "E-CONTRACT": Rule(
        "error",
        "No known agent has such a file, or several have.",
        "Say whose it is with `--contract`.",
    ),
    "E-PARSE": Rule(
        "error",
        "The script does not parse. Some agents take the exit status of that, 2, for a refusal.",
        "Repair the syntax.",
    ),
    "E-FILE": Rule(
        "error",
        "A script that the hook runs or reads in is missing, or cannot be read.",
        "Correct the path; begin it with the agent's variable of the project's directory.",
    ),
    "W-CONFIG": Rule(
        "warning",
        "Something in the configuration is allowed and odd: an unknown field, an event that never fires.",
        "Remove it, or correct its name.",
    ),
    "W-COMMAND": Rule(
        "warning",
        "The sandbox lacks a command that the script calls; the call ends with the exit status 127.",
        "Do without, or ask `command -v NAME` first.",
    ),
    "W-INTERPRETER": Rule(
        "warning",
        "The script is for another interpreter than a shell, which the sandbox does not have.",
        "Write the hook as a shell script.",
    ),
    "W-EXIT": Rule(
        "warning",
        "The script exits with a status that does not refuse on this event, and never with one that does.",
        "Exit with 2 to refuse.",
    ),
    "W-DENY": Rule(
        "warning",
        "The script says on standard error that it blocks, and has no exit status or output that does.",
        "Add `exit 2` after the message.",
    ),
    "W-READ": Rule(
        "warning",
        "`read` under `set -e`: the agent ends its payload without a newline, so `read` fails and ends the script (sandhook adds one).",
        "Write `input=$(cat)`, or `read -r input || true`.",
    ),
    "W-OUTPUT": Rule(
        "warning",
        "What the script prints cannot be read as this agent's output on this event.",
        "Print the fields that the agent's page lists.",
    ),
    "W-NAME": Rule(
        "warning",
        "The object that the script prints does not name its event, which this agent asks for.",
        "Add `hookEventName` to `hookSpecificOutput`.",
    ),
    "W-WORDS": Rule(
        "warning",
        "What the script prints is another agent's output; this one takes no notice of it.",
        "Print this agent's fields, or let `sandhook fire --as-hook` translate.",
    ),
    "W-FIELD": Rule(
        "warning",
        "The script asks jq for a field that the payload of this event does not have; another agent's has it.",
        "Use the field of this agent's payload; `sandhook explain -v` shows one.",
    ),
    "W-NULL": Rule(
        "warning",
        "`jq -r` prints `null` for a field that is not there, so the test for an empty text never holds.",
        "Write `jq -r '.field // empty'`.",
    ),
    "W-QUOTE": Rule(
        "warning",
        "The payload is expanded without quotes: it is split at white space, and `*` in it matches files.",
        'Write "$input".',
    ),
    "W-NEVER": Rule(
        "warning",
        "The matcher can never match.",
        "Correct the matcher; `sandhook explain` shows what it looks at.",
    ),
    "W-DUPLICATE": Rule(
        "warning",
        "Two hooks have the same id.",
        "Give each its own.",
    ),
    "N-TEXT": Rule(
        "note",
        "What the script prints on this event has no effect.",
        "Print the agent's JSON, or write to standard error.",
    ),
    "N-STATE": Rule(
        "note",
        "The hook does not run: nobody approved it, or the configuration switches it off.",
        "`sandhook trust FILE` approves hooks that come with a project.",
    ),
}


class Finding(Record):
    """One finding.

    Attributes:
        rule: Key of RULES.
        message: What is wrong here.
        file: The configuration or the script; "" for a value.
        line: Line in it, from 1; 0 when unknown.
        path: Where in a configuration.
        hook: Id of the hook, or "".
    """

    rule: RuleId
    message: str
    file: str = ""
    line: int = 0
    path: str = ""
    hook: str = ""

    @property
    def severity(self) -> Severity:
        return RULES[self.rule].severity

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.file and self.line else self.file
        place = ": ".join(part for part in (where, self.path) if part)
        hook = f" (hook {self.hook})" if self.hook else ""
        return f"{place}: {self.severity} {self.rule}: {self.message}{hook}"
