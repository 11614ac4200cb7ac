"""The main loop: BEGIN, the records, END.

Source: POSIX.1-2024 XCU 3, awk; gawk 5.2 manual for BEGINFILE and ENDFILE.
"""

from __future__ import annotations

import re
from contextlib import suppress
from functools import reduce
from operator import add

from sandhook.utilities.languages.awk import runtime as special
from sandhook.utilities.languages.awk.program import Run
from sandhook.utilities.languages.awk.records import ODD, Source
from sandhook.utilities.languages.awk.runtime import Exit, Next, NextFile, Runtime
from sandhook.utilities.languages.awk.statements import NEXTFILE
from sandhook.utilities.languages.awk.values import Fatal


def run_program(rt: Runtime) -> int:
    """Run a prepared program; return its exit status."""
    program = rt.program
    try:
        try:
            _section(rt, program.begin, "BEGIN")
            if program.rules or program.end or program.begin_file or program.end_file:
                read_all(rt)
        except Exit:
            rt.frame = []
            rt.depth = 0
        with suppress(Exit):
            _section(rt, program.end, "END")
    except Exception:  # a signal is none: who dies of one waits for no command
        if rt.budget.exhausted is None:
            rt.close_all()
        raise
    rt.close_all()
    return rt.status


def _section(rt: Runtime, actions: list[Run], name: str) -> None:
    """Run BEGIN or END, where a function must not go to the next record."""
    try:
        for action in actions:
            action(rt)
    except (Next, NextFile) as error:
        what = "next" if isinstance(error, Next) else "nextfile"
        raise Fatal(f"`{what}' cannot be called from a `{name}' rule", line=error.args[0]) from None


def read_all(rt: Runtime) -> None:
    """Run the rules on every record of every input; getline may take some, or go to the next input."""
    program = rt.program
    rule = program.rules[0] if len(program.rules) == 1 else _all_rules(program.rules)
    begun: object = None
    while True:
        source = rt.source
        if source is None:
            if not rt.next_source():
                return
            continue
        if begun is not source:
            begun = source
            if program.begin_file and _begin_file(rt) == NEXTFILE:
                failed, rt.failure, rt.directory = rt.failure, "", ""
                if not failed:
                    _end_file(rt)
                if not rt.next_source():
                    return
                continue
        if _batch(rt, source, rule) != NEXTFILE and (rt.source is not source or source.more()):
            continue
        if rt.source is source:
            _end_file(rt)
            if not rt.next_source():
                return


def _begin_file(rt: Runtime) -> int | None:
    """Run BEGINFILE; NEXTFILE passes the input by, even one that cannot be read."""
    try:
        for action in rt.program.begin_file:
            if action(rt) == NEXTFILE:
                return NEXTFILE
    except NextFile:
        rt.frame = []
        rt.depth = 0
        return NEXTFILE
    if rt.failure and not rt.directory:
        raise Fatal(rt.failure)
    if rt.failure:
        rt.skip_directory()
        return NEXTFILE
    return None


def _end_file(rt: Runtime) -> None:
    for action in rt.program.end_file:
        action(rt)


def _batch(rt: Runtime, source: Source, rule: Run) -> int | None:
    """Run the rules on the records that were read already."""
    counts = rt.program.counts
    terminators = rt.program.terminators
    try:
        if rt.program.total is not None and not (counts or terminators) and rt.blanks:
            lines = list(source.lines)
            if lines and _totalled(rt, lines, *rt.program.total):
                rt.record = lines[-1]
                return None
            source.lines = iter(lines)
        if not (counts or terminators):
            for rt.record in source.lines:
                rt.fields = None
                rt.dirty = False
                try:
                    left = rule(rt)
                except Next:
                    rt.frame = []
                    rt.depth = 0
                    continue
                if left is not None and left == NEXTFILE:
                    return NEXTFILE
            return None
        for line in source.lines:
            if counts:
                rt.nr += 1.0
                rt.fnr += 1.0
            if terminators:
                rt.g[special.RT] = next(source.terminators, source.separator)
            rt.record = line
            rt.fields = None
            rt.dirty = False
            try:
                left = rule(rt)
            except Next:
                rt.frame = []
                rt.depth = 0
                continue
            if left is not None and left == NEXTFILE:
                return NEXTFILE
    except NextFile:
        rt.frame = []
        rt.depth = 0
        return NEXTFILE
    return None


#: What the columns that are totalled at once are made of; what is no number all the same is left to float().
_PLAIN = re.compile(r"[0-9.+-]*")


def _totalled(rt: Runtime, lines: list[str], at: int, place: int) -> bool:
    """Do ``{ s += $1 }`` for many records at once; False when one of them needs a closer look."""
    total = 0.0 if rt.g[at] is None else rt.g[at]
    text = "".join(lines)
    if type(total) is not float or not text.isascii():
        return False
    try:
        if place or not text.isdigit():
            if ODD.search(text):
                return False
            lines = [line.split(None, place + 1)[place] for line in lines]
            if not _PLAIN.fullmatch("".join(lines)):
                return False
        rt.g[at] = reduce(add, map(float, lines), total)
    except (IndexError, ValueError):
        return False
    rt.fields = None
    rt.dirty = False
    return True


def _all_rules(rules: list[Run]) -> Run:
    def run(rt: Runtime) -> int | None:
        for rule in rules:
            left: int | None = rule(rt)
            if left is not None:
                return left
        return None

    return run
