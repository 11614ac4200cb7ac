"""Rules over a block of records at once: a column for each expression instead of a closure's call for each record.

``plan_rules`` compiles the rules of a program whose effects do not depend on each other: a variable or an array that a
rule changes is changed in one place only, and not read. Every column is computed before anything changes. When one
cannot be, the ordinary path runs the rules on these records, with its messages and charges.

Source: POSIX.1-2024 XCU 3, awk. Oracle: the ordinary path.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.utilities.languages.awk.block.columns import Columns, Unsupported
from sandhook.utilities.languages.awk.block.rows import BlockRun, Rows, Unfit, is_blank_safe
from sandhook.utilities.languages.awk.block.steps import BlockStep, Steps, written_names
from sandhook.utilities.languages.awk.program import Program
from sandhook.utilities.languages.awk.runtime import Runtime
from sandhook.utilities.languages.awk.special import LARGE
from sandhook.utilities.languages.awk.values import Fatal

_MOST_NODES = 64  #: expressions of the largest program that is planned
_EXACT = 2.0**52
_CELL = 64  #: bytes of memory for an entry of a column, in addition to its text


class Plan:
    """The rules of a program over blocks. Immutable; runs share it."""

    def __init__(self, rules: Sequence[BlockStep], columns: Columns) -> None:
        self._rules = rules
        self._fields = columns.last_field
        self._nodes = columns.nodes
        self._constants = columns.constants
        self._copies = columns.copies

    def run(self, rt: Runtime, records: list[str]) -> bool:
        """Run the rules on records; return False, without effect, when the ordinary path must run them."""
        rt.budget.check_clock()
        text = "".join(records)
        are_digits = text.isascii() and text.encode().isdigit()  # that of bytes is ten times as fast
        if rt.blanks and not (are_digits or is_blank_safe(text)):
            return False
        if not self._suits(rt, records, len(text)):
            return False
        run = BlockRun(rt, len(records), self._fields)
        undivided = rt.blanks and (are_digits or not any(blank in text for blank in " \t\n"))
        whole = rows = Rows(
            run, records, range(len(records)), digits=rt.blanks and are_digits, undivided=undivided
        )
        try:
            for rule in self._rules:
                if len(rows := rows.remaining()):
                    rule(rows)
        except (
            Unfit,
            Fatal,
            ArithmeticError,
            ValueError,
        ):  # the ordinary path has the message of a division by zero
            return False
        for change in run.changes:
            change()
        rt.record = whole.records[-1]
        rt.record_is_string = run.last_substituted
        rt.dirty = False
        rt.fields = None
        if rt.symbols.uses_counts:
            rt.nr += len(records)
            rt.fnr += len(records)
        if run.pieces:
            rt.ctx.write(run.output().encode("utf-8", "surrogateescape"))
        return True

    def _suits(self, rt: Runtime, records: list[str], length: int) -> bool:
        """Return True when columns of these records, of ``length`` characters, are as on the ordinary path and fit into memory."""
        if rt.icase or not (_is_exact(rt.nr) and _is_exact(rt.fnr)):
            return False
        size = len(records) * (_CELL + self._constants) + length
        budget = rt.budget
        if budget.memory_used + self._nodes * size > budget.memory_bytes:
            return False
        return not self._copies or self._copies * max(map(len, records)) + self._constants <= LARGE


def _is_exact(count: float) -> bool:
    """Return True when NR or FNR grows by one for each record; a program may set it to any number."""
    return count.is_integer() and abs(count) < _EXACT


def plan_rules(program: Program) -> Plan | None:
    """Compile the rules with patterns for blocks; return None when they do not suit."""
    rules, symbols = program.tree, program.symbols
    written = written_names(rules)
    if written is None or symbols.uses_terminators or symbols.uses_tables:
        return None
    columns = Columns(symbols, written)
    steps = Steps(columns, symbols)
    try:
        plan = Plan([steps.rule(rule) for rule in rules], columns)
    except Unsupported:
        return None
    return plan if rules and columns.nodes <= _MOST_NODES else None
