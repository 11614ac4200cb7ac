"""Shell texts in what other programs read: git's transport ``ext``, ``.shell`` of sqlite3, ``$(shell …)`` of make.

And what a cluster is asked for: powers over all of it, or over its machines.
"""

from __future__ import annotations

import re

from sandhook.vetting.call import Call
from sandhook.vetting.policy import starts_something
from sandhook.vetting.starting import GIT, commands_in
from sandhook.vetting.values import HOLE, Value

_TRANSPORT = re.compile(r"\bext::(?P<command>.+)", re.DOTALL)
_DOT_COMMAND = re.compile(r"(?m)^[ \t]*\.(?:shell|system)\s(?P<command>.*)")
_MAKE_SHELL = re.compile(r"\$\(shell\s|\$\{shell\s|(?m:^\S+\s*!=)")
_CLUSTER_POWERS = re.compile(
    r"cluster-admin|system:(?:unauthenticated|masters)|[\"']?(?:privileged|hostPID|hostNetwork|hostIPC)[\"']?\s*:\s*true|[\"']?hostPath[\"']?\s*:|--privileged\b"
)


def report(call: Call) -> None:
    """Report texts that a program executes although it is no shell, and powers in a cluster."""
    if call.name == "git":
        for text in call.texts:
            if (match := _TRANSPORT.search(text)) is not None:
                command = match["command"].replace("% ", " ").replace("%%", "%")
                call.find("V-RUN-TEXT", f"git: the command of an address: {command}", "high")
                _follow(call, Value((command,), call.origins), "git")
        _git_runs(call)
    elif call.name in ("sqlite3", "litecli"):
        for value in (*call.words, call.stdin):
            for match in _DOT_COMMAND.finditer(value.any_text):
                if HOLE in match["command"]:
                    call.find("V-RUN-TEXT", f"{call.name}: .shell with a text that is not known", "high")
                _follow(call, Value((match["command"],), value.origins), f"{call.name}: .shell")
    elif call.name in ("make", "gmake"):
        _recipes(call)
        for text in call.texts:
            if _MAKE_SHELL.search(text):
                severe = starts_something(text.replace("$(shell", ""))
                call.find("V-RUN-TEXT", f"make: {text.strip()}", "high" if severe else None)
    elif call.name in ("kubectl", "oc") and not call.has("--dry-run", "--dry-run=client", "--dry-run=server"):
        for value in (*call.words, call.stdin):
            if (match := _CLUSTER_POWERS.search(value.any_text)) is not None and _changes_cluster(call):
                call.find("V-PRIVILEGE", f"{call.name}: {match.group()}", "high")
                return


def _git_runs(call: Call) -> None:
    """Follow what git runs for bisecting, for each commit of a rebase, and at the other end of a connection."""
    words, texts = call.words, call.texts
    if texts[:2] == ["bisect", "run"]:
        call.runner.run_words(words[2:], call.state.branch(), call.at)
    options = GIT.get(texts[0]) if texts else None
    for command in commands_in(words[1:], options) if options is not None else ():
        _follow(call, command, f"git {texts[0]}: an option")


def _recipes(call: Call) -> None:
    """Follow the recipes of a makefile that the script has or wrote."""
    names = call.arguments("-f", "--file", "--makefile")
    contents = [
        call.stdin
        if name.any_text in ("-", "/dev/stdin")
        else call.runner.content(call.state.path(name.any_text), call.state)
        for name in names
    ]
    for content in filter(None, contents):
        for text in content.texts:
            if _MAKE_SHELL.search(text) and starts_something(text.replace("$(shell", "")):
                call.find("V-RUN-TEXT", f"make: {text.strip()}", "high")
            for line in re.findall(
                r"(?m)^(?:\t|[^#\s=][^=:;\n]{0,90}:[^=;\n]{0,90};)[ \t]{0,9}[@+-]{0,9}(.{1,900})", text
            ):
                _follow(call, Value((line.replace("$$", "$"),), content.origins), "make: a recipe")


def _changes_cluster(call: Call) -> bool:
    return any(text in ("apply", "create", "run", "patch", "replace", "edit", "debug") for text in call.texts)


def _follow(call: Call, command: Value, how: str) -> None:
    call.runner.run_text(command, call.state.branch(), how, call.at)
