"""The main loop: BEGIN, the records, END.

Source: POSIX.1-2024 XCU 3, awk; gawk 5.2 manual for BEGINFILE and ENDFILE.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import chain, islice
from operator import length_hint

from sandhook.lazy import lazy_module
from sandhook.utilities.languages.awk.program import NEXTFILE, Program, Step
from sandhook.utilities.languages.awk.records import Source
from sandhook.utilities.languages.awk.runtime import ProgramExit, Runtime
from sandhook.utilities.languages.awk.special import RT
from sandhook.utilities.languages.awk.values import Fatal, NextInput, NextRecord

block = lazy_module("sandhook.utilities.languages.awk.block")

_WORTH_PLANNING = 64  #: records in memory from which on the rules are planned for blocks
_BLOCK = 2_048  #: records whose columns are in memory at once


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
            rt.ctx.flush()
            rt.connections.close_all()
        raise
    rt.connections.close_all()
    return rt.status


def _section(rt: Runtime, actions: list[Step], name: str) -> None:
    """Run the rules of a section where a function must not call next or nextfile."""
    try:
        for action in actions:
            action(rt)
    except (NextRecord, NextInput) as error:
        raise _misplaced(error, name) from None


def _misplaced(error: NextRecord | NextInput, name: str) -> Fatal:
    what = "next" if isinstance(error, NextRecord) else "nextfile"
    return Fatal(f"`{what}' cannot be called from a `{name}' rule", line=error.args[0])


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
    rt.file_rule = "BEGINFILE"
    try:
        for action in program.begin_file:
            if action(rt) == NEXTFILE:
                return NEXTFILE
    except NextInput:
        rt.frame = []
        rt.depth = 0
        return NEXTFILE
    except NextRecord as error:
        raise _misplaced(error, "BEGINFILE") from None
    finally:
        rt.file_rule = ""
    if rt.failure and not rt.directory:
        raise Fatal(rt.failure)
    if rt.failure:
        rt.skip_directory()
        return NEXTFILE
    return None


def _end_file(rt: Runtime, program: Program) -> None:
    rt.file_rule = "ENDFILE"
    _section(rt, program.end_file, "ENDFILE")
    rt.file_rule = ""


def _batch(rt: Runtime, program: Program, source: Source, rule: Step) -> int | None:
    """Run the rules on the records in memory; return NEXTFILE when a rule skips the rest of the input."""
    counts = rt.symbols.uses_counts
    terminators = rt.symbols.uses_terminators
    try:
        if length_hint(source.lines) >= _WORTH_PLANNING and _run_blocks(rt, program, source):
            return None
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
                rt.g[RT] = next(source.terminators, source.separator) or None
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
    except NextRecord as error:
        raise _misplaced(error, "BEGINFILE") from None
    return None


def _run_blocks(rt: Runtime, program: Program, source: Source) -> bool:
    """Run the rules on many records at once; return False when records are left for the ordinary path."""
    if not program.is_planned:
        program.block_rules = block.plan_rules(program)
        program.is_planned = True
    if program.block_rules is None:
        return False
    while records := list(islice(source.lines, _BLOCK)):
        if not program.block_rules.run(rt, records):
            source.lines = chain(records, source.lines)
            return False
    return True


def _all_rules(rules: list[Step]) -> Step:
    def run(rt: Runtime) -> int | None:
        for rule in rules:
            outcome = rule(rt)
            if outcome is not None:
                return outcome
        return None

    return run
