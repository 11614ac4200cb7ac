"""A compiled program: closures over the Runtime, and the symbols that they share.

Source: POSIX.1-2024 XCU 3, awk, "overall program structure".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias

from sandhook.utilities.languages.awk.nodes import Rule
from sandhook.utilities.languages.awk.runtime import Runtime
from sandhook.utilities.languages.awk.symbols import Symbols
from sandhook.utilities.languages.awk.values import Array, Value
from sandhook.utilities.languages.awk.warnings import Found

Evaluate: TypeAlias = Callable[[Runtime], Value]
ToNumber: TypeAlias = Callable[[Runtime], float]
ToText: TypeAlias = Callable[[Runtime], str]
Test: TypeAlias = Callable[[Runtime], bool]
ToArray: TypeAlias = Callable[[Runtime], Array]
Store: TypeAlias = Callable[[Runtime, Value], None]
#: A statement: returns None, or one of the constants below when it leaves the block.
Step: TypeAlias = Callable[[Runtime], "int | None"]
BREAK, CONTINUE, NEXT, NEXTFILE, RETURN = 1, 2, 3, 4, 5


class BlockRules(Protocol):
    """The rules, compiled for many records at once."""

    def run(self, rt: Runtime, records: list[str]) -> bool:
        """Run the rules on records; return False, without effect, when the ordinary path must run them."""
        ...


class Program:
    """A compiled program. Immutable after compilation; runs share it.

    Attributes:
        begin, end, begin_file, end_file: The actions of the special rules.
        rules: The other rules, which test their patterns themselves.
        bodies: The user's functions by name; arguments are in ``Runtime.frame``.
        tree: The rules with patterns, as they were parsed.
        warnings: What gawk reports about the text.
        block_rules: The rules for many records at once; None before ``is_planned``, and when the rules do not suit.
        is_planned: A block of records was long enough to ask for ``block_rules``.
    """

    def __init__(self, symbols: Symbols) -> None:
        self.symbols = symbols
        self.begin: list[Step] = []
        self.end: list[Step] = []
        self.begin_file: list[Step] = []
        self.end_file: list[Step] = []
        self.rules: list[Step] = []
        self.bodies: dict[str, Evaluate] = {}
        self.tree: list[Rule] = []
        self.warnings: list[Found] = []
        self.block_rules: BlockRules | None = None
        self.is_planned = False
