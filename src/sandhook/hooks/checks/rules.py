"""The findings of checks: their identifiers, severities and meanings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from sandhook.record import Record

if TYPE_CHECKING:
    from sandhook.hooks.event import JsonObject

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
    "E-MODE",
    "E-BYTES",
    "E-SPLIT",
    "E-DASHES",
    "E-CHECK",
    "E-PACKAGE",
    "W-CONFIG",
    "W-COMMAND",
    "W-INTERPRETER",
    "W-EXIT",
    "W-DENY",
    "W-READ",
    "W-OUTPUT",
    "W-OVERRIDE",
    "W-CONTINUE",
    "W-NAME",
    "W-WORDS",
    "W-FIELD",
    "W-VARIABLE",
    "W-REGEX",
    "W-NULL",
    "W-QUOTE",
    "W-STDIN",
    "W-JQ",
    "W-LOST",
    "W-NEVER",
    "W-TOOL",
    "W-TIMEOUT",
    "W-DUPLICATE",
    "W-PACKAGE",
    "N-TEXT",
    "N-STATE",
    "N-UNBOUND",
    "N-PACKAGE",
]

#: Advice about names that an approval cannot cover.
NAME_THE_FILE = (
    "Name the file by a path that is known before it runs: below the agent's variable of the project's directory,"
    ' `"$(git rev-parse --show-toplevel)"`, `"$(dirname "$0")"` or `~`.'
)

RULES: dict[RuleId, Rule] = {
    "E-CONFIG": Rule(
        "error",
        "The configuration has a fault, or cannot be read; the hook, or the file, is left out.",
        "Repair the value at the path that is named; `sandhook schema CONTRACT` describes the allowed values.",
    ),
    "E-CONTRACT": Rule(
        "error",
        "The file fits no known agent, or several.",
        "Name the agent with `--contract`.",
    ),
    "E-PARSE": Rule(
        "error",
        "The script does not parse. Its exit status is then 2, which some agents read as a refusal.",
        "Repair the syntax.",
    ),
    "E-FILE": Rule(
        "error",
        "A script that the hook runs or sources does not exist, or cannot be read.",
        "Correct the path; begin it with the agent's variable of the project's directory.",
    ),
    "E-MODE": Rule(
        "error",
        "A script that the hook runs by its path is not executable: the agent's shell ends with 126.",
        "`chmod +x FILE`, or run it with `bash FILE`.",
    ),
    "E-BYTES": Rule(
        "error",
        "A script begins with a byte order mark, or its lines end in CRLF: the agent's shell cannot run it (sandhook accepts CRLF).",
        "Save it as UTF-8 without a byte order mark, with lines that end in LF (`dos2unix FILE`).",
    ),
    "E-SPLIT": Rule(
        "error",
        "The path of a script is not quoted, and has a blank: the shell looks for a part of it.",
        'Write "$NAME"/script.sh, or the whole path in quotes.',
    ),
    "E-DASHES": Rule(
        "error",
        "`sandhook hook` lacks `--` before the script: it ends with a usage error, and most agents let the action pass.",
        "Write `sandhook hook --contract NAME -- SCRIPT`, or `-- -c TEXT`.",
    ),
    "E-CHECK": Rule(
        "error",
        "A check of an installed package cannot be loaded, or it failed, so it found nothing.",
        "Repair or remove the package that is named.",
    ),
    "E-PACKAGE": Rule(
        "error",
        "A check of an installed package found an error; the message begins with the package's own rule.",
        "See the documentation of the package.",
    ),
    "W-CONFIG": Rule(
        "warning",
        "Something in the configuration is allowed but unusual: an unknown field, an event that never fires.",
        "Remove it, or correct its name.",
    ),
    "W-COMMAND": Rule(
        "warning",
        "The script calls a command that the sandbox (with `--host`: this machine) does not have; its exit status is 127.",
        "Use another command, or test `command -v NAME` first.",
    ),
    "W-INTERPRETER": Rule(
        "warning",
        "The script is for an interpreter that the sandbox (with `--host`: this machine) does not have.",
        "Write the hook as a shell script, or run it on the host.",
    ),
    "W-EXIT": Rule(
        "warning",
        "The script exits with a status that does not refuse on this event: it never exits with one that does, or says here that it blocks.",
        "Exit with 2 to refuse.",
    ),
    "W-DENY": Rule(
        "warning",
        "The script writes to standard error that it blocks, but has no exit status or output that blocks.",
        "Add `exit 2` after the message.",
    ),
    "W-READ": Rule(
        "warning",
        "`read` under `set -e`: the agent ends its payload without a newline, so `read` fails and ends the script (sandhook adds one).",
        "Write `input=$(cat)`, or `read -r input || true`.",
    ),
    "W-OUTPUT": Rule(
        "warning",
        "The agent cannot parse the output of the script on this event.",
        "Print the fields that the agent's page lists.",
    ),
    "W-OVERRIDE": Rule(
        "warning",
        "The script prints an approval, which in this agent replaces refusals: those of other hooks (not in sandhook), or of the agent's own rules.",
        "Print nothing to let the action pass.",
    ),
    "W-CONTINUE": Rule(
        "warning",
        "The script prints `continue: false` when the agent wants to stop, and this agent then goes on working.",
        "Print nothing to let the agent stop.",
    ),
    "W-NAME": Rule(
        "warning",
        "The printed object does not name its event, which this agent requires.",
        "Add `hookEventName` to `hookSpecificOutput`.",
    ),
    "W-WORDS": Rule(
        "warning",
        "The script prints the output of another agent, which this agent ignores.",
        "Print this agent's fields, or let `sandhook fire --as-hook` translate.",
    ),
    "W-FIELD": Rule(
        "warning",
        "The script reads a field with jq that the payload of this event does not have, but that of another agent does.",
        "Use the field of this agent's payload; `sandhook explain -v` shows one.",
    ),
    "W-VARIABLE": Rule(
        "warning",
        "The script reads a variable for a part of the event, and the agent sets no such variable: it is empty.",
        "Read the payload from standard input: `jq -r .tool_input.command`.",
    ),
    "W-REGEX": Rule(
        "warning",
        "bash finds a quoted text after `=~` as it is, so this regular expression matches nothing.",
        "Write the expression into a variable, and the variable without quotes: `[[ $x =~ $expression ]]`.",
    ),
    "W-NULL": Rule(
        "warning",
        "`jq -r` prints `null` for a missing field, so the test for an empty text is never true.",
        "Write `jq -r '.field // empty'`.",
    ),
    "W-QUOTE": Rule(
        "warning",
        "The payload is expanded without quotes: it is split at white space, and `*` in it matches files.",
        'Write "$input".',
    ),
    "W-STDIN": Rule(
        "warning",
        "Two commands read the payload from standard input: the second one reads nothing.",
        'Write `input=$(cat)` first, and pass `"$input"` to each command.',
    ),
    "W-JQ": Rule(
        "warning",
        "If jq fails, nothing refuses: it ends the script under `set -e`, or the script goes on without what jq would have printed. The action passes.",
        "Write `|| exit 2` after the command.",
    ),
    "W-LOST": Rule(
        "warning",
        "A status that refuses does not become the status of the hook: a subshell, a part of a pipe, a command substitution or a background job ends with it, a function returns it and nothing tests it, or a trap replaces it.",
        "Pass the status on: `check || exit`, `value=$(check) || exit`, `while ...; done < <(command)` instead of a pipe into the loop.",
    ),
    "W-NEVER": Rule(
        "warning",
        "The matcher can never match.",
        "Correct the matcher; `sandhook explain` shows what it tests.",
    ),
    "W-TOOL": Rule(
        "warning",
        "The matcher names a tool that the agent is not known to have.",
        "Write the agent's name of the tool; names are case-sensitive.",
    ),
    "W-TIMEOUT": Rule(
        "warning",
        "The timeout seems to be in another unit than the agent's: milliseconds for seconds, or seconds for milliseconds.",
        "Write the number in the unit of the agent's page.",
    ),
    "W-DUPLICATE": Rule(
        "warning",
        "Two hooks have the same id.",
        "Use a different id for each.",
    ),
    "W-PACKAGE": Rule(
        "warning",
        "A check of an installed package found something doubtful; the message begins with the package's own rule.",
        "See the documentation of the package.",
    ),
    "N-TEXT": Rule(
        "note",
        "The output of the script has no effect on this event.",
        "Print the agent's JSON, or write to standard error.",
    ),
    "N-STATE": Rule(
        "note",
        "The hook does not run: nobody approved it, it changed since its approval, or the configuration switches it off.",
        "`sandhook trust FILE` approves hooks that come with a project.",
    ),
    "N-UNBOUND": Rule(
        "note",
        "The hook executes a command or a file whose name is known only when it runs: an approval does not cover that file.",
        NAME_THE_FILE,
    ),
    "N-PACKAGE": Rule(
        "note",
        "A check of an installed package has a note; the message begins with the package's own rule.",
        "See the documentation of the package.",
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


def finding_json(finding: Finding) -> JsonObject:
    """Return a finding as JSON values."""
    return {
        "severity": finding.severity,
        "rule": finding.rule,
        "message": finding.message,
        "file": finding.file,
        "line": finding.line,
        "path": finding.path,
        "hook": finding.hook,
    }
