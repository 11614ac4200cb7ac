"""The checks of a hook's shell text, and of the scripts that it runs."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from itertools import pairwise

from sandhook.builtins import BUILTINS
from sandhook.dispatch.operands import base_name
from sandhook.dispatch.ownline import NAME as OWN_NAME
from sandhook.dispatch.ownline import own_execution
from sandhook.dispatch.shebang import READ, is_binary, program_of
from sandhook.errors import LimitExceeded, ShellSyntaxError
from sandhook.hooks import contracts
from sandhook.hooks.checks.losses import lost_refusals
from sandhook.hooks.checks.mistakes import place_of_field, quoted_expressions, unset_variables
from sandhook.hooks.checks.payload import PLAIN_PATH, failing_jq, jq_path, second_readers
from sandhook.hooks.checks.probe import Probe
from sandhook.hooks.checks.reading import (
    Act,
    Nodes,
    Script,
    literal,
    printed_json,
    printed_text,
    read,
    reads_stdin,
    splits,
    substitution,
)
from sandhook.hooks.checks.refusals import refusing_status
from sandhook.hooks.checks.results import Results
from sandhook.hooks.checks.rules import Finding, RuleId
from sandhook.hooks.checks.splitting import (
    INTERPRETERS,
    SCRIPT_ENDINGS,
    SHELLS,
    path_with_blank,
    unquoted_variables,
)
from sandhook.hooks.checks.surroundings import Surroundings
from sandhook.hooks.contracts import Contract
from sandhook.hooks.evidence.repository import toplevel
from sandhook.hooks.inventory import Item
from sandhook.hooks.model import HookSpec
from sandhook.hooks.scan import TOPLEVEL, command_names
from sandhook.hooks.through import wrapped
from sandhook.hooks.trust import PROJECT_VARIABLES
from sandhook.syntax.nodes import (
    Assignment,
    DoubleQuoted,
    ParameterExpansion,
    Word,
)
from sandhook.text.quoting import in_single_quotes
from sandhook.utilities import is_utility

_BINARIES = ("/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin", "/opt/homebrew/bin")
_ASKS = frozenset({"command", "hash", "type", "which"})

#: The byte order mark of UTF-8.
_BOM = b"\xef\xbb\xbf"

#: Levels of scripts that run scripts.
_DEPTH = 3


def check(item: Item, contract: Contract, around: Surroundings) -> list[Finding]:
    """Return what is wrong with what a hook runs.

    Raises:
        ShellSyntaxError, LimitExceeded, RecursionError: Its own text does not parse.
    """
    spec = item.spec
    if spec is None:
        return []
    checker = _Checker(spec, contract, around)
    inner = wrapped(spec)
    if inner is not None and around.has_program is not None:  # the sandbox runs the script itself
        checker.launcher(spec)
    text = (
        inner.text
        if inner is not None
        else spec.executor.text or " ".join(map(in_single_quotes, spec.executor.argv))
    )
    whole = checker.text(text, None, 0)
    Results(checker.probe, checker.add).check(whole, opaque=checker.opaque)
    findings = []
    for rule, message, file, line in checker.findings:
        if file is None:
            inside = f" (line {line} of the command)" if line > 1 else ""
            findings.append(Finding(rule, message + inside, item.file, item.line, item.path, spec.id))
        else:
            findings.append(Finding(rule, message, file, line, "", spec.id))
    return findings


def _below(directory: str, name: str) -> str:
    """Return a path that may be relative to a directory."""
    return name if name[:1] == "/" or name[1:3] in (":/", ":\\") else f"{directory}/{name}"


class _Checker:
    """Checks one hook's text and the scripts that it names."""

    def __init__(self, spec: HookSpec, contract: Contract, around: Surroundings) -> None:
        self.probe = Probe(contract, spec)
        self.around = around
        project = around.project.rstrip("/") or "/"
        own = (spec.extras or {}).get("cwd")
        self.directory = _below(project, own) if isinstance(own, str) and own else project
        self.variables = dict.fromkeys(PROJECT_VARIABLES, project) | {"HOME": around.home}
        self.project = project
        self.findings: list[tuple[RuleId, str, str | None, int]] = []
        self.seen: set[str] = set()
        self.opaque = False

    def add(self, rule: RuleId, message: str, own: str | None, line: int) -> None:
        self.findings.append((rule, message, own, line))

    def launcher(self, spec: HookSpec) -> None:
        """Report that the program by which a hook runs is missing."""
        line = spec.executor.argv[0] if spec.executor.argv else spec.executor.text
        name = line.split()[0].strip("'\"")
        if "/" not in name and "\\" not in name and not self._has(name):
            self.add("W-COMMAND", f"{self.around.place} lacks {name}", None, 1)

    def text(self, text: str, own: str | None, depth: int) -> list[tuple[Act, str | None]]:
        """Check one text; return its commands and those of the scripts that it runs, each with its file."""
        if TOPLEVEL not in self.variables and "toplevel" in text:
            top = toplevel(self.project, self.around.read).path
            if top is not None:
                self.variables[TOPLEVEL] = top
        script = read(text, self.variables, own)
        self._commands(script, own)
        self._dashes(script, own)
        self._quotes(script, own)
        self._reads(script, own)
        self._fields(script, own)
        self._payload(script, own)
        acts: list[tuple[Act, str | None]] = []
        called: dict[Nodes, tuple[str, int]] = {}
        moved = False
        for act in script.acts:
            acts.append((act, own))
            moved = moved or act.name in ("cd", "pushd")
            inner = list(self._files(act, own, depth, moved))
            status = refusing_status(inner, self.probe.refuses)
            if status and act.name not in ("source", "."):
                called[act.nodes] = (script_of(act) or "", status)
            acts += inner
            self._opaque(act, script)
        self._losses(text, own, called)
        self._mistakes(text, own)
        return acts

    # Commands and files.

    def _commands(self, script: Script, own: str | None) -> None:
        looked_up = {word for act in script.acts if act.name in _ASKS for word in act.words[1:]}
        lacking: dict[str, int] = {}
        for act in script.acts:
            for name in command_names(act.words):
                base = name.rpartition("/")[2] if posixpath.dirname(name) in _BINARIES else name
                known = base in BUILTINS or base in script.functions or self._has(base)
                if not known and "/" not in base and base and base not in looked_up:
                    lacking.setdefault(base, act.line)
        for name, line in lacking.items():
            self.add("W-COMMAND", f"{self.around.place} lacks {name}", own, line)

    def _dashes(self, script: Script, own: str | None) -> None:
        """Report a call of sandhook that names its script without "--"."""
        for act in script.acts:
            words = act.words
            if (words[0] or "").rpartition("/")[2] != "sandhook" or words[1:2] != ("hook",):
                continue
            if not {"--", "-h", "--help"} & set(words):
                self.add("E-DASHES", "`sandhook hook` lacks `--` before the script", own, act.line)

    def _has(self, name: str) -> bool:
        """Return whether a command that is not of the shell itself exists where the hook runs."""
        if self.around.has_program is not None:
            return self.around.has_program(name)
        return name in SHELLS or is_utility(name)

    def _files(self, act: Act, own: str | None, depth: int, moved: bool) -> Iterator[tuple[Act, str | None]]:
        name = script_of(act)
        self._splits(act, own)
        if (inner := shell_text(act)) is not None and depth < _DEPTH:
            yield from self._inner(inner, act, own, depth)
            return
        if name is None or (moved and not name.startswith(("/", "~"))):
            return
        path = self._path(name)
        if path in self.seen:
            return
        self.seen.add(path)
        data = self.around.read(path)
        if data is None:
            whole = path_with_blank(act)
            if whole is not None and self.around.read(self._path(whole)) is not None:
                self.add("E-SPLIT", f"{whole!r} is not quoted, and has a blank", own, act.line)
            elif not act.checked:
                self.add("E-FILE", f"{name}: there is no such file, or it cannot be read", own, act.line)
            self.opaque = True
            return
        data = self._clean(data, path)
        needed = name == act.name and not self.probe.reads_scripts(name)
        if needed and self.around.is_executable(path) is False:
            self.add("E-MODE", f"{name} is not executable", own, act.line)
        program = program_of(data[:READ])
        if program is not None and program not in SHELLS:
            self.opaque = True
            if not self._has(program) and act.name != program:  # else the command itself is reported
                lacks = f"which {self.around.place} lacks"
                self.add("W-INTERPRETER", f"{name} is for {program}, {lacks}", own, act.line)
        elif act.name in INTERPRETERS and act.name not in (*SHELLS, "source", "."):
            self.opaque = True  # reported already: the command is missing
        elif is_binary(data) or depth >= _DEPTH:
            self.opaque = True
        else:
            try:
                yield from self.text(data.decode("utf-8", "replace"), path, depth + 1)
            except (ShellSyntaxError, LimitExceeded) as error:
                self.opaque = True
                line = error.line if isinstance(error, ShellSyntaxError) else 1
                self.add("E-PARSE", str(error), path, line)

    def _inner(self, text: str, act: Act, own: str | None, depth: int) -> Iterator[tuple[Act, str | None]]:
        """Check the text of ``bash -c TEXT``."""
        try:
            yield from self.text(text, own, depth + 1)
        except (ShellSyntaxError, LimitExceeded) as error:
            self.opaque = True
            self.add("E-PARSE", f"the text of {act.name} -c: {error}", own, act.line)

    def _clean(self, data: bytes, path: str) -> bytes:
        """Report bytes that the agent's shell cannot run; return the script without them."""
        if is_binary(data):
            return data
        if data.startswith(_BOM):
            self.add("E-BYTES", "begins with a byte order mark", path, 1)
            data = data.removeprefix(_BOM)
        if b"\r\n" in data:
            line = data[: data.index(b"\r\n")].count(b"\n") + 1
            self.add("E-BYTES", "lines end in CRLF", path, line)
            data = data.replace(b"\r\n", b"\n")
        return data

    def _splits(self, act: Act, own: str | None) -> None:
        """Report a script's path that is expanded without quotes and has a blank."""
        for name, value in unquoted_variables(act, self.variables):
            self.add("E-SPLIT", f"${name} is not quoted, and is {value} here", own, act.line)

    def _path(self, name: str) -> str:
        if name == "~" or name.startswith("~/"):
            name = self.around.home + name[1:]
        return posixpath.normpath(_below(self.directory, name))

    def _opaque(self, act: Act, script: Script) -> None:
        """Record commands whose effect on the decision is not known here."""
        name = act.name
        if (
            name is None
            or (name in ("eval", "exec") and len(act.words) > 1)
            or (name in ("exit", "return") and len(act.words) > 1 and act.words[1] is None)
        ):
            self.opaque = True
        elif act.captured or act.to_stderr or name in script.functions:
            return
        elif name in (*SHELLS, "source", ".") and (script_of(act) or shell_text(act)) is not None:
            return  # its commands are known, as those of a script that is named by its path
        elif name in ("jq", "awk", "sed", "cat", "printf", "echo") and not act.checked:
            text = printed_text(act)
            if printed_json(act) is None and (text is None or "x" in text[:1] or text.startswith("{")):
                self.opaque = True
        elif name not in BUILTINS and "/" not in name and not is_utility(name):
            self.opaque = True

    # The payload.

    def _quotes(self, script: Script, own: str | None) -> None:
        payloads = {name for name, word in script.assigned.items() if reads_stdin(word)}
        for act in script.acts:
            if act.name == "read":
                payloads.update(word for word in act.words[1:] if word and not word.startswith("-"))
        reported: set[str] = set()
        for act in script.acts:
            for name in splits(act):
                if name in payloads and name not in reported and act.name in ("echo", "printf"):
                    reported.add(name)
                    self.add("W-QUOTE", f"${name} is not quoted", own, act.line)

    def _reads(self, script: Script, own: str | None) -> None:
        if not script.errexit or self.probe.upstream_stdin[-1:] in (b"", b"\n"):
            return
        for act in script.acts:
            if act.name == "read" and not act.checked and not act.captured and act.document is None:
                self.add(
                    "W-READ",
                    "the agent ends its payload without a newline: `read` fails, and `set -e` ends the hook",
                    own,
                    act.line,
                )
                return

    def _payload(self, script: Script, own: str | None) -> None:
        for act, first in second_readers(script):
            message = (
                f"{first.name} on line {first.line} reads the whole payload, and {act.name} reads nothing"
            )
            self.add("W-STDIN", message, own, act.line)
        probe = self.probe
        gate = probe.is_gate and probe.refuses(2)
        failing = failing_jq(script, probe.refuses, self._prints_refusal) if gate else None
        if failing is None:
            return
        ends = (script.errexit and not failing.hidden) or (
            failing is script.acts[-1] and not failing.captured
        )
        if not ends or (not probe.refuses(5) and self.probe.spec.on_error != "block"):
            what = "ends the hook, which does not refuse" if ends else "lets the hook pass"
            message = f"a failure of jq {what} {probe.spec.native_event}"
            self.add("W-JQ", message, own, failing.line)

    def _mistakes(self, text: str, own: str | None) -> None:
        agent, variables = self.probe.contract.name, self.probe.variables
        for name, line in unset_variables(text, variables) if variables else ():
            self.add("W-VARIABLE", f"{agent} sets no {name} on {self.probe.spec.native_event}", own, line)
        for expression, line in quoted_expressions(text):
            self.add("W-REGEX", f"{expression!r} is in quotes after =~, and found as it is", own, line)

    def _prints_refusal(self, act: Act) -> bool:
        value = None if act.captured or act.to_stderr else printed_json(act)
        return value is not None and self.probe.of_json(value).intervenes

    def _losses(self, text: str, own: str | None, called: Mapping[Nodes, tuple[str, int]]) -> None:
        if self.probe.is_gate and self.probe.refuses(2):
            for message, line in lost_refusals(text, self.probe.refuses, called):
                self.add("W-LOST", message, own, line)

    def _fields(self, script: Script, own: str | None) -> None:
        filters: dict[str, str] = {}
        for act in script.acts:
            path = jq_path(act.words)
            if path is not None:
                self._field(path, own, act.line)
        for name, word in script.assigned.items():
            for call in substitution(word):
                words = tuple(literal(each) for each in call.words)
                if (path := jq_path(words)) is not None and "-e" not in words:
                    filters[name] = path
        for act in script.acts:
            if act.name not in ("[", "test") or act.words[1:2] not in (("-z",), ("-n",)):
                continue
            variable = next(
                (name for word in act.nodes[2:3] for name in _variables(word) if name in filters), None
            )
            if variable is not None:
                message = f"${variable} is `null`, not empty, when there is no {filters[variable]}"
                self.add("W-NULL", message, own, act.line)

    def _field(self, path: str, own: str | None, line: int) -> None:
        """Find a field of another agent's payload."""
        key = PLAIN_PATH.fullmatch(path)
        payload = self.probe.payload
        if key is None or not payload or key.group(1) in payload:
            return
        inside = place_of_field(key.group(1), payload)
        if inside:
            mine = self.probe.contract.name
            self.add("W-FIELD", f"{path} is not in the payload of {mine}; {inside} is", own, line)
            return
        for name in contracts.names():
            other = contracts.get(name)
            native = next((own for own, kind in other.events.items() if kind == self.probe.spec.event), None)
            if native is None or name == self.probe.contract.name:
                continue
            spec = self.probe.spec._replace(native_event=native)
            if key.group(1) in Probe(other, spec).payload:
                mine = self.probe.contract.name
                self.add("W-FIELD", f"{path} is in the payload of {name}, not of {mine}", own, line)
                return


def script_of(act: Act) -> str | None:
    """Return the file that a command runs or reads in, when it is known."""
    name = act.name
    if name is None:
        return None
    if base_name(name) == OWN_NAME:
        files = own_execution(act.words).files
        return act.words[files[0]] if files else None
    if "/" in name:
        return None if posixpath.dirname(name) in _BINARIES else name
    if name not in INTERPRETERS:
        return None
    operand = next((word for word in act.words[1:] if word is None or not word.startswith("-")), None)
    if operand is None or any(word in ("-c", "-s", "-m", "-e") for word in act.words[1:]):
        return None
    if name in ("source", ".") and "/" not in operand:
        return None
    return operand if "/" in operand or operand.endswith(SCRIPT_ENDINGS) else None


def shell_text(act: Act) -> str | None:
    """Return the text that a shell executes with -c, when it is known."""
    words = act.words
    if act.name is not None and base_name(act.name) == OWN_NAME:
        at = own_execution(words).text
        return None if at is None else words[at]
    if act.name not in SHELLS or len(words) < 3:
        return None
    before = ""
    for option, text in pairwise(words[1:]):
        if before not in ("-o", "+o", "-O", "+O"):
            if option is None or option[:1] not in ("-", "+"):
                return None
            if option[:1] == "-" != option[1:2] and "c" in option:
                return text
        before = option or ""
    return None


def _variables(word: Word | Assignment) -> Iterator[str]:
    """Yield the variables that a word expands, in double quotes too."""
    for part in word.parts if isinstance(word, Word) else ():
        for inner in part.parts if isinstance(part, DoubleQuoted) else (part,):
            if isinstance(inner, ParameterExpansion) and inner.operator is None:
                yield inner.name
