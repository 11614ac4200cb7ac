"""All paths through the tree of a script: lists, branches, loops, pipelines and definitions, without running anything.

``Paths`` has the flow of control. A subclass has what is known of a shell, and what a simple command does to that.
Where paths meet again, what is known is joined.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sandhook.syntax import nodes as ast
from sandhook.typed import Any, Generic, Protocol, Self, TypeVar


class Known(Protocol):
    """What is known of a shell at one place of a script."""

    def copy(self) -> Self:
        """Return the same for another shell."""

    def branch(self) -> Self:
        """Return a copy for commands that may not run."""

    def become(self, other: Self) -> None:
        """Continue as another state."""

    def join(self, other: Self) -> None:
        """Continue as either of two states."""


S = TypeVar("S", bound=Known)
R = TypeVar("R")


class Paths(Generic[S, R]):
    """Follows nodes; every method returns what the node yields, such as its output."""

    def body(self, node: ast.Node, state: S) -> R:
        """Follow a command or a list."""
        self.step()
        method = _METHODS.get(node.__class__)
        return self.other(node, state) if method is None else method(self, node, state)

    # What a subclass has.

    def step(self) -> None:
        """Count a node. May raise."""
        raise NotImplementedError

    def simple(self, node: ast.SimpleCommand, state: S) -> R:
        """Follow a simple command."""
        raise NotImplementedError

    def other(self, node: ast.Node, state: S) -> R:
        """Follow a node without commands of its own, such as ``[[ ]]``."""
        raise NotImplementedError

    def define(self, node: ast.FunctionDefinition, state: S) -> R:
        """Follow the definition of a function, whose body runs later."""
        raise NotImplementedError

    def expand(self, word: ast.Word, state: S) -> None:
        """Follow the substitutions of a word that is no argument: of ``case``."""
        raise NotImplementedError

    def compute(self, word: ast.Word, state: S) -> None:
        """Follow an arithmetic expression of ``for ((;;))``."""
        raise NotImplementedError

    def around(self, node: ast.Node, state: S, follow: Callable[[S], R]) -> R:
        """Follow a compound command with its redirections."""
        raise NotImplementedError

    def loop(self, node: ast.Node, state: S, once: Callable[[S], R]) -> R:
        """Follow the rounds of a loop."""
        raise NotImplementedError

    def each_word(self, node: ast.For | ast.Select, state: S) -> R:
        """Follow the rounds of ``for`` or ``select``."""
        raise NotImplementedError

    def connect(self, state: S, output: R | None) -> None:
        """Make the output of a command the input of a shell; None is the output of whoever writes to it."""
        raise NotImplementedError

    def piped(self, node: ast.Node, state: S) -> R:
        """Follow a command whose output is the input of another one."""
        return self.body(node, state)

    def sequence(self, results: Sequence[R]) -> R:
        """Return what several commands yield one after the other."""
        raise NotImplementedError

    def tested(self) -> None:
        """Note that what follows depends on a condition."""

    def chosen(self, clause: ast.CaseClause, node: ast.Case, state: S) -> None:
        """Note that a shell follows a clause of ``case``, as its patterns fit."""

    def followed(self, node: ast.Node) -> None:
        """Note that a pipeline of several commands, or a command in the background, was followed."""

    # Lists.

    def _list(self, node: ast.CommandList, state: S) -> R:
        results: list[R] = []
        for item in node.items:
            results.append(self.body(item.command, state.branch() if item.background else state))
            if item.background:
                self.followed(item)
        return self.sequence(results)

    def _and_or(self, node: ast.AndOr, state: S) -> R:
        """In ``a || b && c``, c follows a or b."""
        results = [self.body(node.commands[0], state)]
        self.tested()
        success, failure = state.copy(), state.copy()
        for operator, command in zip(node.operators, node.commands[1:], strict=True):
            current = (success if operator == "&&" else failure).branch()
            results.append(self.body(command, current))
            if operator == "&&":
                success = current
                failure.join(current)
            else:
                failure = current
                success.join(current)
        success.join(failure)
        state.become(success)
        return self.sequence(results)

    def _pipeline(self, node: ast.Pipeline, state: S) -> R:
        if not node.commands:  # a bare "!" or "time"
            return self.sequence([])
        if len(node.commands) == 1:
            return self.body(node.commands[0], state)
        output = self.piped(node.commands[0], state.copy())
        for command in node.commands[1:]:
            inner = state.copy()
            self.connect(inner, output)
            follow = self.body if command is node.commands[-1] else self.piped
            output = follow(command, inner)
        self.followed(node)
        return output

    # Compound commands.

    def _subshell(self, node: ast.Subshell, state: S) -> R:
        return self.around(node, state.copy(), lambda inner: self.body(node.body, inner))

    def _group(self, node: ast.BraceGroup, state: S) -> R:
        return self.around(node, state, lambda inner: self.body(node.body, inner))

    def _if(self, node: ast.If, state: S) -> R:
        def follow(current: S) -> R:
            results: list[R] = []
            ends: list[S] = []
            for clause in node.clauses:
                results.append(self.body(clause.condition, current))
                self.tested()
                branch = current.branch()
                results.append(self.body(clause.body, branch))
                ends.append(branch)
            if node.otherwise is not None:
                branch = current.branch()
                results.append(self.body(node.otherwise, branch))
                current.become(branch)
            for branch in ends:
                current.join(branch)
            return self.sequence(results)

        return self.around(node, state, follow)

    def _case(self, node: ast.Case, state: S) -> R:
        def follow(current: S) -> R:
            self.expand(node.subject, current)
            self.tested()
            before = current.copy()
            results: list[R] = []
            falls: list[S] = []
            for clause in node.clauses:
                for pattern in clause.patterns:
                    self.expand(pattern, current)
                branch = before.branch()
                self.chosen(clause, node, branch)
                for each in falls:
                    branch.join(each)
                if clause.body is not None:
                    results.append(self.body(clause.body, branch))
                current.join(branch)
                if clause.terminator in (";&", ";;&"):
                    falls.append(branch)
            return self.sequence(results)

        return self.around(node, state, follow)

    def _while(self, node: ast.While, state: S) -> R:
        def once(current: S) -> R:
            return self.sequence([self.body(node.condition, current), self.body(node.body, current)])

        return self.around(node, state, lambda inner: self.loop(node, inner, once))

    def _for(self, node: ast.For | ast.Select, state: S) -> R:
        return self.around(node, state, lambda inner: self.each_word(node, inner))

    def _arithmetic_for(self, node: ast.ArithmeticFor, state: S) -> R:
        def once(current: S) -> R:
            for word in (node.init, node.condition, node.update):
                self.compute(word, current)
            return self.body(node.body, current)

        return self.around(node, state, lambda inner: self.loop(node, inner, once))

    def coprocess(self, node: ast.Coprocess, state: S) -> R:
        inner = state.branch()
        self.connect(inner, None)
        return self.body(node.command, inner)


_METHODS: Mapping[type, Callable[[Any, Any, Any], Any]] = {
    ast.SimpleCommand: lambda paths, node, state: paths.simple(node, state),
    ast.CommandList: Paths._list,
    ast.AndOr: Paths._and_or,
    ast.Pipeline: Paths._pipeline,
    ast.Subshell: Paths._subshell,
    ast.BraceGroup: Paths._group,
    ast.If: Paths._if,
    ast.Case: Paths._case,
    ast.While: Paths._while,
    ast.For: Paths._for,
    ast.Select: Paths._for,
    ast.ArithmeticFor: Paths._arithmetic_for,
    ast.FunctionDefinition: lambda paths, node, state: paths.define(node, state),
    ast.Coprocess: lambda paths, node, state: paths.coprocess(node, state),
}
