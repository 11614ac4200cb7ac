"""Compiles the tree to closures over the Runtime: one file per family of nodes.

``compile_program`` compiles a whole program.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import count

from sandhook.command.pieces import Charge, free
from sandhook.utilities.languages.awk.compile.compiler import Compiler
from sandhook.utilities.languages.awk.compile.failure import can_fail
from sandhook.utilities.languages.awk.compile.statements import with_line
from sandhook.utilities.languages.awk.lexer import Dialect
from sandhook.utilities.languages.awk.nodes import Located, Print, Rule
from sandhook.utilities.languages.awk.parser import parse_program
from sandhook.utilities.languages.awk.program import RETURN, Evaluate, Program, Step
from sandhook.utilities.languages.awk.regex import Matching
from sandhook.utilities.languages.awk.runtime import Runtime
from sandhook.utilities.languages.awk.scope import Scope
from sandhook.utilities.languages.awk.special import SPECIAL, SPECIAL_ARRAYS
from sandhook.utilities.languages.awk.symbols import Symbols
from sandhook.utilities.languages.awk.values import Fatal, Value

_MAX_CACHED_LENGTH = 8_192  #: characters of the longest program in the cache
_SHORT = 1_024  #: of longer ones, few are cached: one needs some 250 bytes for each character
_PRINT = Print((), "", None)  #: the action of a rule without one


def compile_program(text: str, dialect: Dialect, charge: Charge, names: tuple[str, ...] = ()) -> Program:
    """Compile a program, or return it from the cache; only the work on a long one is charged.

    ``names`` are the variables that exist before the program, which no function can be called.

    Raises:
        ProgramError, Fatal: The program has an error.
    """
    if len(text) <= _SHORT:
        return _compile_cached(text, dialect, names)
    if len(text) <= _MAX_CACHED_LENGTH:
        return _compile_cached_long(text, dialect, names)
    return _compile(text, dialect, names, charge)


def _compile(text: str, dialect: Dialect, names: tuple[str, ...], charge: Charge = free) -> Program:
    rules, scope = parse_program(text, dialect, charge, names)
    program = Program(_symbols(rules, scope, Matching(bytewise=dialect.bytewise)))
    program.symbols.extensions = dialect.extensions
    program.warnings = scope.warnings
    program.is_planned = bool(scope.mixed)  # the rules for many records know each name as one of the two
    compiler = Compiler(program, nests=scope.nests or "SYMTAB" in scope.names, charge=charge)
    try:
        for name, function in scope.functions.items():
            compiler.function = function
            program.bodies[name] = _function(compiler.statement(function.body))
        compiler.function = None
        ranges = count()
        for rule in rules:
            compiler.line = rule.line
            _add_rule(compiler, rule, ranges)
        program.tree = [rule for rule in rules if not rule.kind]
    except Fatal as error:
        error.line = error.line or compiler.line
        raise
    return program


_compile_cached = lru_cache(maxsize=64)(_compile)
_compile_cached_long = lru_cache(maxsize=8)(_compile)


def _symbols(rules: list[Rule], scope: Scope, matching: Matching) -> Symbols:
    slots = {name: slot for slot, name in enumerate(SPECIAL)}
    for name in sorted(scope.names | scope.arrays):
        slots.setdefault(name, len(slots))
    arrays = {slots[name] for name in scope.arrays} | set(SPECIAL_ARRAYS)
    symbols = Symbols(scope.functions, slots, arrays, matching)
    symbols.mixed = {slots[name] for name in scope.mixed}
    symbols.ranges = sum(rule.second is not None for rule in rules)
    symbols.uses_counts = bool(scope.names & {"NR", "FNR"}) or can_fail(rules)
    symbols.uses_terminators = "RT" in scope.names
    symbols.uses_process = "PROCINFO" in scope.names
    symbols.uses_tables = bool(scope.names & {"SYMTAB", "FUNCTAB"})
    symbols.uses_environment = "ENVIRON" in scope.names
    symbols.begin_line = max((_last_line(rule) for rule in rules if rule.kind == "BEGIN"), default=0)
    symbols.rule_line = max((_last_line(rule) for rule in rules if not rule.kind), default=0)
    symbols.has_begin_file = any(rule.kind == "BEGINFILE" for rule in rules)
    return symbols


def _last_line(rule: Rule) -> int:
    """Return the line of the last statement of an action that always runs, else of the pattern."""
    statements = rule.action.statements if rule.action is not None and rule.first is None else ()
    located = [statement.line for statement in statements if isinstance(statement, Located)]
    return located[-1] if located else rule.line


def _function(body: Step) -> Evaluate:
    def function(rt: Runtime) -> Value:
        rt.value = None
        if body(rt) != RETURN:
            return None
        value, rt.value = rt.value, None
        return value

    return function


# --------------------------------------------------------------------------- rules


def _add_rule(compiler: Compiler, rule: Rule, ranges: Iterator[int]) -> None:
    program = compiler.program
    action = compiler.statement(_PRINT if rule.action is None else rule.action)
    if not rule.kind:
        program.rules.append(_rule(compiler, rule, action, ranges))
        return
    section = {
        "BEGIN": program.begin, "END": program.end, "BEGINFILE": program.begin_file, "ENDFILE": program.end_file,
    }[rule.kind]  # fmt: skip
    section.append(action)


def _rule(compiler: Compiler, rule: Rule, action: Step, ranges: Iterator[int]) -> Step:
    """Compile a pattern and its action."""
    if rule.first is None:
        return action
    compiler.line = rule.line
    step = _with_pattern(compiler, rule, action, ranges)
    return with_line(step, rule.line) if can_fail(rule.first) or can_fail(rule.second) else step


def _with_pattern(compiler: Compiler, rule: Rule, action: Step, ranges: Iterator[int]) -> Step:
    assert rule.first is not None
    is_start = compiler.condition(rule.first)
    if rule.second is None:
        return lambda rt: action(rt) if is_start(rt) else None
    is_end = compiler.condition(rule.second)
    at = next(ranges)

    def run_range(rt: Runtime) -> int | None:
        if not rt.ranges[at]:
            if not is_start(rt):
                return None
            rt.ranges[at] = True
        if is_end(rt):
            rt.ranges[at] = False
        return action(rt)

    return run_range
