"""The main loop: BEGIN, the records, END.

Source: POSIX.1-2024 XCU 3, awk; gawk 5.2 manual for BEGINFILE and ENDFILE.
"""

from __future__ import annotations

from contextlib import suppress
from functools import reduce
from operator import add

from sandhook.lazy import lazily
from sandhook.utilities.languages.awk.program import NEXTFILE, Program, Step
from sandhook.utilities.languages.awk.records import ODD, Source
from sandhook.utilities.languages.awk.runtime import ProgramExit, Runtime
from sandhook.utilities.languages.awk.special import RT
from sandhook.utilities.languages.awk.values import Fatal, NextInput, NextRecord


def run_program(rt: Runtime, program: Program) -> int:
    """Run a prepared program; return its exit status."""
    try:
        try:
            _section(rt, program.begin, "BEGIN")
            if program.rules or program.end or program.begin_file or program.end_file:
                _run_rules(rt, program)
        except ProgramExit:
            rt.frame = []
            rt.depth = 0
        with suppress(ProgramExit):
            _section(rt, program.end, "END")
    except Exception:  # not BaseException: a process that a signal ends does not wait for its commands
        if rt.budget.exhausted is None:
            rt.connections.close_all()
        raise
    rt.connections.close_all()
    return rt.status


def _section(rt: Runtime, actions: list[Step], name: str) -> None:
    """Run BEGIN or END, where a function must not call next or nextfile."""
    try:
        for action in actions:
            action(rt)
    except (NextRecord, NextInput) as error:
        what = "next" if isinstance(error, NextRecord) else "nextfile"
        raise Fatal(f"`{what}' cannot be called from a `{name}' rule", line=error.args[0]) from None


def _run_rules(rt: Runtime, program: Program) -> None:
    """Run the rules on every record of every input; getline may read records too, or open the next input."""
    rule = program.rules[0] if len(program.rules) == 1 else _all_rules(program.rules)
    started_source: object = None
    while True:
        source = rt.source
        if source is None:
            if not rt.next_source():
                return
            continue
        if started_source is not source:
            started_source = source
            if program.begin_file and _begin_file(rt, program) == NEXTFILE:
                failure, rt.failure, rt.directory = rt.failure, "", ""
                if not failure:
                    _end_file(rt, program)
                if not rt.next_source():
                    return
                continue
        if _batch(rt, program, source, rule) != NEXTFILE and (rt.source is not source or source.more()):
            continue
        if rt.source is source:
            _end_file(rt, program)
            if not rt.next_source():
                return


def _begin_file(rt: Runtime, program: Program) -> int | None:
    """Run BEGINFILE; NEXTFILE skips the input, even one that cannot be read. Raises Fatal."""
    try:
        for action in program.begin_file:
            if action(rt) == NEXTFILE:
                return NEXTFILE
    except NextInput:
        rt.frame = []
        rt.depth = 0
        return NEXTFILE
    if rt.failure and not rt.directory:
        raise Fatal(rt.failure)
    if rt.failure:
        rt.skip_directory()
        return NEXTFILE
    return None


def _end_file(rt: Runtime, program: Program) -> None:
    for action in program.end_file:
        action(rt)


def _batch(rt: Runtime, program: Program, source: Source, rule: Step) -> int | None:
    """Run the rules on the records in memory; return NEXTFILE when a rule skips the rest of the input."""
    counts = rt.symbols.uses_counts
    terminators = rt.symbols.uses_terminators
    try:
        if program.total is not None and not (counts or terminators) and rt.blanks:
            lines = list(source.lines)
            if lines and _sum_fields(rt, lines, *program.total):
                rt.record = lines[-1]
                rt.record_is_string = False
                return None
            source.lines = iter(lines)
        if not (counts or terminators):
            for rt.record in source.lines:
                rt.record_is_string = False
                rt.fields = None
                rt.dirty = False
                try:
                    outcome = rule(rt)
                except NextRecord:
                    rt.frame = []
                    rt.depth = 0
                    continue
                if outcome is not None and outcome == NEXTFILE:
                    return NEXTFILE
            return None
        for line in source.lines:
            if counts:
                rt.nr += 1.0
                rt.fnr += 1.0
            if terminators:
                rt.g[RT] = next(source.terminators, source.separator)
            rt.record = line
            rt.record_is_string = False
            rt.fields = None
            rt.dirty = False
            try:
                outcome = rule(rt)
            except NextRecord:
                rt.frame = []
                rt.depth = 0
                continue
            if outcome is not None and outcome == NEXTFILE:
                return NEXTFILE
    except NextInput:
        rt.frame = []
        rt.depth = 0
        return NEXTFILE
    return None


#: The characters of numbers that float() parses as awk does; for other texts of them float() raises ValueError.
_NUMERIC = lazily(r"[0-9.+-]*")


def _sum_fields(rt: Runtime, lines: list[str], at: int, field: int) -> bool:
    """Run ``{ s += $1 }`` for many records at once; return False, without effect, when one may not be a number.

    Args:
        at: Slot of the variable. field: Number of the field less one.
    """
    total = 0.0 if rt.g[at] is None else rt.g[at]
    text = "".join(lines)
    if type(total) is not float or not text.isascii():
        return False
    try:
        if field or not text.isdigit():
            if ODD.search(text):
                return False
            lines = [line.split(None, field + 1)[field] for line in lines]
            if not _NUMERIC.fullmatch("".join(lines)):
                return False
        rt.g[at] = reduce(add, map(float, lines), total)
    except (IndexError, ValueError):
        return False
    rt.fields = None
    rt.dirty = False
    return True


def _all_rules(rules: list[Step]) -> Step:
    def run(rt: Runtime) -> int | None:
        for rule in rules:
            outcome = rule(rt)
            if outcome is not None:
                return outcome
        return None

    return run
