"""Exit statuses that refuse and do not reach the agent: in a subshell, a pipe, a substitution, a background job, a call.

The tree is followed with what becomes of each status. A function is followed where it is called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from sandhook.errors import LimitExceeded, ShellSyntaxError
from sandhook.hooks.checks.reading import Nodes, literal, passes
from sandhook.hooks.scan import walk
from sandhook.record import Record
from sandhook.syntax import parse_cached
from sandhook.syntax.nodes import (
    AndOr,
    ArithmeticFor,
    Backquoted,
    BraceGroup,
    Case,
    CommandList,
    CommandSubstitution,
    For,
    FunctionDefinition,
    If,
    ListItem,
    Literal,
    Node,
    ParameterExpansion,
    Pipeline,
    ProcessSubstitution,
    Select,
    SimpleCommand,
    Subshell,
    While,
)

#: Functions that call each other, at most.
_DEPTH = 6

_GOES_ON = "the script goes on"


class Lost(Record):
    """A status that refuses and is lost.

    Attributes:
        message: What happens to it.
        line: Line of the command that loses it, from 1.
    """

    message: str
    line: int


class _Way(Record):
    """What becomes of the status of a command.

    Attributes:
        lost: Why it is lost; "" if it is tested, or is the result of the hook.
        unaided: The same without ``set -e``.
        tested: ``set -e`` has no effect here.
        moot: The script refuses afterwards in any case.
        shell: What ``exit`` ends, "" for the script; with why the status of that is lost.
        shell_lost: Why the status of that subshell is lost.
        call: The function, "" outside of all, and why the status of its call is lost.
        call_lost: Why the status of that call is lost.
        line: Line of the outermost call of a function since the script or the subshell began; 0 outside of functions.
        stack: Names of the functions.
    """

    lost: str = ""
    unaided: str = ""
    tested: bool = False
    moot: bool = False
    shell: str = ""
    shell_lost: str = ""
    call: str = ""
    call_lost: str = ""
    line: int = 0
    stack: tuple[str, ...] = ()

    def used(self) -> _Way:
        """Return the way of a command whose status another command tests."""
        return self._replace(lost="", unaided="", tested=True)

    def losing(self, why: str) -> _Way:
        """Return the way of a command whose status is lost."""
        return self._replace(lost=why, unaided=why)

    def inside(self, shell: str, why: str) -> _Way:
        """Return the way of a command in a subshell."""
        return self._replace(shell=shell, shell_lost=why, lost=why, unaided=why, line=0)


def lost_refusals(
    text: str, refuses: Callable[[int], bool], called: Mapping[Nodes, tuple[str, int]] | None = None
) -> list[Lost]:
    """Return the statuses of a script that refuse and are lost, by line.

    Args:
        refuses: Returns whether an exit status refuses.
        called: Names of scripts that the script calls, and a status of each that refuses, by the words of the call.

    Raises:
        ShellSyntaxError, LimitExceeded: It does not parse.
    """
    units = [unit for unit in parse_cached(text) if isinstance(unit, CommandList)]
    flow = _Flow([node for unit in units for node in walk(unit)], refuses, called or {})
    flow.sequence([item for unit in units for item in unit.items], _Way())
    found = [*flow.traps(), *flow.found.values()]
    return sorted(found, key=lambda each: each.line)


class _Flow:
    """Follows the statuses of one script.

    Attributes:
        found: What is lost, by the line and the command.
    """

    def __init__(
        self, nodes: Sequence[Node], refuses: Callable[[int], bool], called: Mapping[Nodes, tuple[str, int]]
    ) -> None:
        self._refuses = refuses
        self._called = called
        self.found: dict[tuple[int, str], Lost] = {}
        self._errexit = False
        self._commands = [node for node in nodes if isinstance(node, SimpleCommand)]
        self._functions: Mapping[str, FunctionDefinition] = {
            node.name: node for node in nodes if isinstance(node, FunctionDefinition)
        }
        self._statuses_of_pipes = any(
            (isinstance(node, ParameterExpansion) and node.name == "PIPESTATUS")
            or (isinstance(node, Literal) and node.text == "pipefail")
            for node in nodes
        )
        calls = [_words(node) for node in self._commands]
        self._waits = any(words[:1] == ["wait"] and len(words) > 1 for words in calls)
        self._lastpipe = any(words[:1] == ["shopt"] and "lastpipe" in words for words in calls)

    def traps(self) -> Iterator[Lost]:
        """Yield the traps that replace the status of the script."""
        if not any(self._status(_words(node), "exit") for node in self._commands):
            return
        for node in self._commands:
            words = _words(node)
            text = words[1] if words[:1] == ["trap"] and {"EXIT", "0"} & set(words[2:]) else None
            for each in () if text is None else self._always(text):
                if (
                    each[:1] == ["exit"]
                    and len(each) > 1
                    and _number(each[1]) is not None
                    and not self._status(each)
                ):
                    message = f"the EXIT trap ends the script with status {each[1]}, also after it refused"
                    yield Lost(message, node.line)

    def _always(self, text: str) -> Iterator[list[str | None]]:
        """Yield the words of the commands that a text always runs; those of a function that it calls, too."""
        try:
            units = parse_cached(text)
        except (ShellSyntaxError, LimitExceeded):  # `sandhook check` reports the text of no trap
            return
        for unit in units:
            for item in unit.items if isinstance(unit, CommandList) else ():
                if not isinstance(item.command, SimpleCommand):
                    continue
                words = _words(item.command)
                yield words
                called = self._functions.get(words[0] or "") if words else None
                body = None if called is None else called.body
                for inner in body.body.items if isinstance(body, BraceGroup) else ():
                    if isinstance(inner.command, SimpleCommand):
                        yield _words(inner.command)

    # Commands.

    def sequence(self, items: Sequence[ListItem], way: _Way) -> None:
        """Follow commands that run one after the other."""
        for index, item in enumerate(items):
            rest = items[index + 1 :]
            if item.background:
                self._visit(item.command, way if self._waits else way.inside("a background job", _GOES_ON))
            elif not rest:
                self._visit(item.command, way)
            elif any(self._ends(each.command) for each in rest):
                self._visit(item.command, way.used()._replace(moot=True))
            elif _reads_status(rest[0]):
                self._visit(item.command, way.used())
            else:
                aided = self._errexit and not way.tested
                self._visit(item.command, way._replace(lost="" if aided else _GOES_ON, unaided=_GOES_ON))

    def _ends(self, node: object) -> bool:
        """Return whether a command refuses in any case."""
        return isinstance(node, SimpleCommand) and bool(self._status(_words(node), "exit"))

    def _visit(self, node: object, way: _Way) -> None:
        match node:
            case SimpleCommand():
                self._simple(node, way)
            case Subshell():
                self.sequence(node.body.items, way.inside("a subshell", way.lost))
            case Pipeline():
                self._pipeline(node, way)
            case AndOr():
                self._list(node, way)
            case If():
                self._if(node, way)
            case While():
                self.sequence(node.condition.items, way.used())
                self.sequence(node.body.items, way)
            case Case():
                for clause in node.clauses:
                    self.sequence(clause.body.items if clause.body is not None else (), way)
            case BraceGroup() | For() | Select() | ArithmeticFor():
                self.sequence(node.body.items, way)
            case _:  # a function is followed where it is called, and a coprocess rarely decides anything
                return

    def _pipeline(self, node: Pipeline, way: _Way) -> None:
        if not node.commands:  # a bare "!" or "time"
            return
        if node.negated:
            way = way.used()
        *before, last = node.commands
        why = way.lost if self._statuses_of_pipes else "the status of a pipe is that of its last command"
        for command in before:
            self._visit(command, way.inside("a part of a pipe", why))
        in_subshell = bool(before) and not self._lastpipe
        self._visit(last, way.inside("the last part of a pipe", way.lost) if in_subshell else way)

    def _list(self, node: AndOr, way: _Way) -> None:
        for index, command in enumerate(node.commands):
            operators = node.operators[index:]
            if not operators:
                self._visit(command, way)
            elif "||" not in operators:
                self._visit(command, way._replace(lost=way.unaided, tested=True))
            else:
                other = node.commands[index + operators.index("||") + 1]
                self._visit(
                    command, way.used() if (why := self._discards(other)) is None else way.losing(why)
                )

    def _discards(self, node: object) -> str | None:
        """Return how a command after || replaces a status that refuses, None if it does something else."""
        words = _words(node) if isinstance(node, SimpleCommand) else []
        other = words[:1] in (["exit"], ["return"]) and len(words) == 2 and _number(words[1]) is not None
        if passes(node) or (other and not self._status(words)):
            return f"`|| {' '.join(str(word) for word in words)}` replaces it"
        return None

    def _if(self, node: If, way: _Way) -> None:
        for clause in node.clauses:
            items = clause.condition.items
            last = items[-1].command if items else None
            nothing = [
                _words(item.command) for item in clause.body.items if isinstance(item.command, SimpleCommand)
            ]
            if isinstance(last, Pipeline) and last.negated and nothing in ([[":"]], [["true"]]):
                plain = last._replace(negated=False)
                self._visit(plain, way.losing("the branch for it does nothing"))
            else:
                self.sequence(items, way.used())
            self.sequence(clause.body.items, way)
        self.sequence(node.otherwise.items if node.otherwise is not None else (), way)

    def _simple(self, node: SimpleCommand, way: _Way) -> None:
        words = _words(node)
        self._substitutions(node, words, way)
        name = words[0] if words else None
        if name == "set":
            self._set(words)
        elif status := self._status(words, "exit"):
            if way.shell and way.shell_lost:
                self._add(node, way, f"exit {status} ends {way.shell} alone", way.shell_lost)
        elif (status := self._status(words, "return")) > 1:  # 1 is the usual answer "no"
            if way.call and way.call_lost:
                self._add(node, way, f"{way.call} returns {status}", way.call_lost)
        elif name in self._functions and name not in way.stack and len(way.stack) < _DEPTH:
            stack = (*way.stack, str(name))
            inner = way._replace(call=name, call_lost=way.lost, line=way.line or node.line, stack=stack)
            self._visit(self._functions[str(name)].body, inner)
        elif (script := self._called.get(node.words)) is not None and way.lost:
            self._add(node, way, f"{script[0]} exits with {script[1]}", way.lost)

    def _add(self, node: SimpleCommand, way: _Way, what: str, why: str) -> None:
        if way.moot:
            return
        line = way.line or node.line
        self.found.setdefault((line, what), Lost(f"{what}, and {why}", line))

    def _substitutions(self, node: SimpleCommand, words: Sequence[str | None], way: _Way) -> None:
        """Follow the substitutions of a command; its status is theirs only if it has no words."""
        name = words[0] or "the command" if words else ""
        why = f"`{name}` has a status of its own" if words else way.lost
        for part in _inner((node.assignments, node.words, node.redirections)):
            if isinstance(part, ProcessSubstitution):
                inner = way.inside("a process substitution", "nothing reads its status")
            else:
                inner = way.inside("a command substitution", why)
            items = _items(part)
            self.sequence(items, inner._replace(tested=True))

    def _set(self, words: Sequence[str | None]) -> None:
        for at, word in enumerate(words[1:], 1):
            letters = (word or "")[1:]
            is_named = letters == "o" and words[at + 1 : at + 2] == ["errexit"]
            if word and word[0] in "-+" and (("e" in letters and letters.isalpha()) or is_named):
                self._errexit = word[0] == "-"

    def _status(self, words: Sequence[str | None], name: str = "") -> int:
        """Return the status of ``exit`` or ``return``, if it refuses; else 0."""
        if len(words) < 2 or words[0] not in ((name,) if name else ("exit", "return")):
            return 0
        status = _number(words[1])
        return status if status is not None and self._refuses(status) else 0


def _words(node: SimpleCommand) -> list[str | None]:
    """Return the words of a command, None for one that is expanded."""
    return [literal(word) for word in node.words]


def _number(word: str | None) -> int | None:
    return int(word) & 255 if word is not None and word.isdecimal() and len(word) < 4 else None


def _reads_status(item: ListItem) -> bool:
    return any(
        isinstance(node, ParameterExpansion) and node.name in ("?", "PIPESTATUS") for node in walk(item)
    )


def _inner(node: object) -> Iterator[CommandSubstitution | ProcessSubstitution | Backquoted]:
    """Yield the outermost substitutions of a node."""
    if isinstance(node, (CommandSubstitution, ProcessSubstitution, Backquoted)):
        yield node
    elif isinstance(node, tuple):
        for part in node:
            yield from _inner(part)


def _items(node: CommandSubstitution | ProcessSubstitution | Backquoted) -> Sequence[ListItem]:
    if not isinstance(node, Backquoted):
        return node.body.items if node.body is not None else ()
    try:
        units = parse_cached(node.text)
    except (ShellSyntaxError, LimitExceeded):
        return ()
    return [item for unit in units if isinstance(unit, CommandList) for item in unit.items]
