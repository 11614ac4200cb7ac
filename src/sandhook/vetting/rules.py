"""The findings of a vetting: identifiers, severities, and one sentence each for what a hook does and why it matters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from sandhook.record import Record

if TYPE_CHECKING:
    from sandhook.hooks.event import JsonObject

Severity = Literal["high", "medium", "low", "info"]

#: Severities, worst first.
SEVERITIES: tuple[Severity, ...] = get_args(Severity)

#: Identifiers of rules.
RuleId = Literal[
    "V-RUN-DOWNLOAD",
    "V-RUN-DECODED",
    "V-RUN-PAYLOAD",
    "V-RUN-WRITTEN",
    "V-RUN-COMPUTED",
    "V-RUN-TEXT",
    "V-OBFUSCATED",
    "V-SOCKET",
    "V-TUNNEL",
    "V-DOWNLOAD-EXEC",
    "V-DOWNLOAD",
    "V-READ-SECRET",
    "V-READ-ENV-FILE",
    "V-SEND-SECRET",
    "V-SEND-TOKEN",
    "V-SEND-PAYLOAD",
    "V-SEND-FILE",
    "V-SEND-MACHINE",
    "V-DNS",
    "V-NETWORK",
    "V-SPY",
    "V-STARTUP",
    "V-SCHEDULE",
    "V-GIT-HOOK",
    "V-PIPELINE",
    "V-GIT-CONFIG",
    "V-AGENT-CONFIG",
    "V-INSTRUCTIONS",
    "V-DISABLE",
    "V-LOGIN",
    "V-SYSTEM",
    "V-PACKAGE-SOURCE",
    "V-LOADER",
    "V-PATH",
    "V-DELETE",
    "V-DELETE-COMPUTED",
    "V-DESTROY",
    "V-EXHAUST",
    "V-TRACES",
    "V-KILL",
    "V-PRIVILEGE",
    "V-CONTAINER",
    "V-BACKGROUND",
    "V-CODE",
    "V-INJECTION",
    "V-HIDDEN-TEXT",
    "V-APPROVE",
    "V-REWRITE",
    "V-PARSE",
    "V-BOUND",
    "V-UNREAD",
]


class Rule(Record):
    """One kind of finding.

    Attributes:
        severity: That of its findings, where they have no other.
        what: What the hook does, in one sentence.
        why: Why somebody should look at it, in one sentence.
    """

    severity: Severity
    what: str
    why: str


_RUNS: dict[RuleId, Rule] = {
    "V-RUN-DOWNLOAD": Rule(
        "high",
        "It executes text that comes from the network.",
        "The server decides what runs, and may send something else to each machine and on each day.",
    ),
    "V-RUN-DECODED": Rule(
        "high",
        "It decodes a text and executes it.",
        "Code that is encoded is code that the author does not want to be read.",
    ),
    "V-RUN-PAYLOAD": Rule(
        "high",
        "It executes a part of its payload as code.",
        "A prompt, a page or a file name that the model read then runs on the machine.",
    ),
    "V-RUN-WRITTEN": Rule(
        "medium",
        "It executes a file that it wrote before.",
        "The file is no part of the bundle, so neither its hash nor this report covers it.",
    ),
    "V-RUN-COMPUTED": Rule(
        "medium",
        "It executes a command or a file whose name is known only when it runs.",
        "The report cannot say what that is.",
    ),
    "V-RUN-TEXT": Rule(
        "medium",
        "It executes a text that is known only when it runs.",
        "The report cannot say what that is.",
    ),
    "V-OBFUSCATED": Rule(
        "high",
        "It puts a command or a path together from pieces, so that a reader does not see it.",
        "Nobody writes the name of a program in this form to be understood.",
    ),
    "V-CODE": Rule(
        "high",
        "A program of another language in it executes what it fetched or decoded, or sends what it must not read.",
        "Such a program has all the powers of a shell.",
    ),
}

_REACHES: dict[RuleId, Rule] = {
    "V-SOCKET": Rule(
        "high",
        "It connects a shell, or its input, to a socket.",
        "Somebody at the other end can type commands.",
    ),
    "V-TUNNEL": Rule(
        "high",
        "It opens a way from outside to this machine.",
        "A tunnel or a server makes local files and ports reachable for others.",
    ),
    "V-DOWNLOAD-EXEC": Rule(
        "high",
        "It makes a downloaded file executable, or installs it.",
        "The program that will run is no part of the bundle.",
    ),
    "V-DOWNLOAD": Rule(
        "low",
        "It stores something from the network in a file.",
        "The content is not known before it runs.",
    ),
    "V-SEND-SECRET": Rule(
        "high",
        "It sends a secret, the environment or the transcript to the network.",
        "Keys, tokens and conversations leave the machine.",
    ),
    "V-SEND-TOKEN": Rule(
        "high",
        "It sends a token of one service to another host.",
        "Whoever has the token acts as its owner.",
    ),
    "V-SEND-PAYLOAD": Rule(
        "medium",
        "It sends a part of its payload to the network.",
        "Prompts, commands and file contents may leave the machine.",
    ),
    "V-SEND-FILE": Rule(
        "medium",
        "It sends the content of files to the network.",
        "Source code may leave the machine.",
    ),
    "V-SEND-MACHINE": Rule(
        "low",
        "It sends names of the machine or its user, its addresses or its processes to the network.",
        "Such facts show a stranger which machine it is, and what is worth attacking there.",
    ),
    "V-DNS": Rule(
        "high",
        "It looks up names of hosts that contain data.",
        "A look-up passes firewalls, and the owner of the domain reads the data in it.",
    ),
    "V-NETWORK": Rule(
        "info",
        "It reaches the network.",
        "The host learns when the hook runs, and from where.",
    ),
    "V-SPY": Rule(
        "high",
        "It records the screen, the clipboard, the keyboard or the microphone.",
        "A hook of an agent has no need of them.",
    ),
}

_READS: dict[RuleId, Rule] = {
    "V-READ-SECRET": Rule(
        "high",
        "It reads private keys, credentials, stored tokens or histories of shells.",
        "Hooks do not need them, and whatever reads them can pass them on.",
    ),
    "V-READ-ENV-FILE": Rule(
        "low",
        "It reads a .env file of the project.",
        "Such files often have passwords.",
    ),
}

_STAYS: dict[RuleId, Rule] = {
    "V-STARTUP": Rule(
        "high",
        "It writes a start-up file of a shell, a desktop or an editor.",
        "The text runs in every later session, also when the bundle is removed.",
    ),
    "V-SCHEDULE": Rule(
        "high",
        "It installs a job, a service or an agent of the system.",
        "The job runs without the agent, also when the bundle is removed.",
    ),
    "V-GIT-HOOK": Rule(
        "high",
        "It writes a hook of git.",
        "The hook runs at the next commit, outside of every sandbox.",
    ),
    "V-PIPELINE": Rule(
        "high",
        "It writes a file by which a pipeline, a container or a tool of git runs commands.",
        "The commands run later, elsewhere and with other rights, also when the bundle is removed.",
    ),
    "V-GIT-CONFIG": Rule(
        "high",
        "It changes a setting of git that makes git run programs or talk to other hosts.",
        "Later git commands run them with all rights of the user.",
    ),
    "V-AGENT-CONFIG": Rule(
        "high",
        "It changes the settings, hooks or servers of an agent.",
        "A hook that can add hooks can do anything later, and can remove those that guard.",
    ),
    "V-INSTRUCTIONS": Rule(
        "medium",
        "It changes a file of instructions that agents read.",
        "The model follows that text in later sessions.",
    ),
    "V-DISABLE": Rule(
        "high",
        "It switches hooks, guards or protections of the system off.",
        "Nothing refuses afterwards.",
    ),
    "V-LOGIN": Rule(
        "high",
        "It changes who may log in or become the superuser.",
        "Somebody else can enter the machine afterwards.",
    ),
    "V-SYSTEM": Rule(
        "high",
        "It writes a file of the system.",
        "All users and programs of the machine depend on it.",
    ),
    "V-PACKAGE-SOURCE": Rule(
        "high",
        "It changes where packages are installed from.",
        "Later installations bring programs of whoever runs that source.",
    ),
    "V-LOADER": Rule(
        "high",
        "It sets a variable that makes programs load code.",
        "Every later program runs that code as well.",
    ),
    "V-PATH": Rule(
        "high",
        "It puts a directory that others can fill before the directories of the system in PATH, or a file with the name of a common program into one.",
        "That file then runs instead of the program.",
    ),
    "V-PRIVILEGE": Rule(
        "medium",
        "It runs a command as another user.",
        "The superuser is bound by no permission.",
    ),
    "V-CONTAINER": Rule(
        "high",
        "It starts a container that sees the whole machine.",
        "Inside it, a program is the superuser of the machine.",
    ),
    "V-BACKGROUND": Rule(
        "low",
        "It leaves a process that runs on after the hook has ended.",
        "The agent neither waits for it nor ends it.",
    ),
}

_HARMS: dict[RuleId, Rule] = {
    "V-DELETE": Rule(
        "high",
        "It deletes or overwrites a home directory, a project or its history.",
        "Nobody gets that back.",
    ),
    "V-DELETE-COMPUTED": Rule(
        "medium",
        "It deletes a tree whose name is known only when it runs.",
        "An empty or hostile value deletes something else.",
    ),
    "V-DESTROY": Rule(
        "high",
        "It overwrites a disk or a device, or makes files unusable.",
        "Nobody gets that back.",
    ),
    "V-EXHAUST": Rule(
        "high",
        "It starts processes, or fills a disk, without end.",
        "The machine stops answering.",
    ),
    "V-TRACES": Rule(
        "high",
        "It removes histories, logs or transcripts.",
        "Only somebody who does not want to be seen does that.",
    ),
    "V-KILL": Rule(
        "medium",
        "It ends other processes.",
        "These may be the agent, a guard, or the work of the user.",
    ),
}

_SAYS: dict[RuleId, Rule] = {
    "V-INJECTION": Rule(
        "high",
        "Its output asks the model to act against the user, or to hide something.",
        "The model reads the output of hooks and may do what it says.",
    ),
    "V-HIDDEN-TEXT": Rule(
        "high",
        "It has characters or lines that a reader does not see.",
        "What a reviewer sees is not what runs, or not what the model reads.",
    ),
    "V-APPROVE": Rule(
        "high",
        "It approves tool calls without looking at them.",
        "The user is no longer asked, whatever the model does.",
    ),
    "V-REWRITE": Rule(
        "medium",
        "It changes the input of tools.",
        "Another command may run than the one that the user sees.",
    ),
    "V-PARSE": Rule(
        "medium",
        "A script does not parse.",
        "What a shell does with it is not known.",
    ),
    "V-BOUND": Rule(
        "medium",
        "A script is larger or more complex than a vetting follows.",
        "The rest of it was not looked at.",
    ),
    "V-UNREAD": Rule(
        "low",
        "It executes a file that is not in the bundle.",
        "The report does not cover it.",
    ),
}

RULES: dict[RuleId, Rule] = {**_RUNS, **_REACHES, **_READS, **_STAYS, **_HARMS, **_SAYS}


class Finding(Record):
    """One finding.

    Attributes:
        rule: Key of RULES.
        severity: At most that of the rule, or worse where the value decides.
        detail: What exactly: a path, a host, a command.
        file: The script or the configuration, relative to the bundle.
        line, column: From 1; 0 when unknown.
        observed: Only a run in the sandbox showed it.
    """

    rule: RuleId
    severity: Severity
    detail: str
    file: str
    line: int = 0
    column: int = 0
    observed: bool = False

    @property
    def what(self) -> str:
        return RULES[self.rule].what

    @property
    def why(self) -> str:
        return RULES[self.rule].why

    @property
    def place(self) -> str:
        """``file:line:column``, as far as it is known."""
        numbers = f":{self.line}:{self.column}" if self.line and self.column else f":{self.line}"
        return self.file + (numbers if self.line else "")


def finding_json(finding: Finding) -> JsonObject:
    """Return a finding as JSON values."""
    return {
        "rule": finding.rule,
        "severity": finding.severity,
        "what": finding.what,
        "why": finding.why,
        "detail": finding.detail,
        "file": finding.file,
        "line": finding.line,
        "column": finding.column,
        "observed": finding.observed,
    }
