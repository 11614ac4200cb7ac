"""What follows the trees of scripts, as the parts that follow commands see it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from sandhook.syntax import nodes as ast
from sandhook.vetting.bundle import Bundle
from sandhook.vetting.notes import Notes
from sandhook.vetting.scratch import Scratch
from sandhook.vetting.state import ShellState
from sandhook.vetting.values import Value


class Following(Protocol):
    """What follows the trees of scripts: ``walker.Walker``, whose methods say more."""

    bundle: Bundle
    notes: Notes
    scratch: Scratch
    file: str
    tests: int
    running: list[str]

    def text(self, text: str, state: ShellState, at: tuple[int, int]) -> Value: ...

    def script(self, text: str, name: str, state: ShellState) -> Value: ...

    def place(self, node: ast.Node) -> tuple[int, int]: ...

    def function(self, body: ast.Node, arguments: Sequence[Value], state: ShellState) -> Value: ...

    def called(self, name: str) -> None: ...

    def outside(self, name: str) -> Value: ...

    def texts_of_program(self, texts: Iterable[str], file: str, at: tuple[int, int]) -> None: ...

    def harm_in(self, command: str) -> str | None: ...

    def seek(self, value: Value) -> None: ...

    def persist(self, text: str, state: ShellState, at: tuple[int, int]) -> None: ...
