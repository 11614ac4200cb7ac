"""The compiler: calls the function for the class of each node."""

from __future__ import annotations

from collections.abc import Mapping

from sandhook.command.pieces import Charge, free
from sandhook.utilities.languages.awk.compile.arrays import compile_element
from sandhook.utilities.languages.awk.compile.assignments import (
    assignment_effect,
    compile_assignment,
    compile_increment,
    increment_effect,
    without_value,
)
from sandhook.utilities.languages.awk.compile.calls import (
    compile_builtin_call,
    compile_call,
    compile_getline,
    compile_indirect_call,
)
from sandhook.utilities.languages.awk.compile.conditions import (
    compile_and,
    compile_comparison,
    compile_match,
    compile_membership,
    compile_not,
    compile_or,
    compile_record_match,
    compile_truth,
)
from sandhook.utilities.languages.awk.compile.fields import (
    compile_field,
    compile_field_number,
    compile_field_text,
)
from sandhook.utilities.languages.awk.compile.operators import (
    compile_arithmetic,
    compile_concatenation,
    compile_conditional,
    compile_grouping,
    compile_grouping_condition,
    compile_grouping_number,
    compile_grouping_text,
    compile_negation,
    compile_unary_plus,
)
from sandhook.utilities.languages.awk.compile.output import compile_print, compile_printf
from sandhook.utilities.languages.awk.compile.protocol import Compile
from sandhook.utilities.languages.awk.compile.statements import (
    compile_block,
    compile_break,
    compile_continue,
    compile_delete,
    compile_do,
    compile_evaluation,
    compile_exit,
    compile_for,
    compile_for_in,
    compile_if,
    compile_located,
    compile_next,
    compile_next_file,
    compile_return,
    compile_switch,
    compile_while,
)
from sandhook.utilities.languages.awk.compile.variables import (
    compile_name,
    compile_name_number,
    compile_name_text,
    compile_number,
    compile_string,
)
from sandhook.utilities.languages.awk.nodes import (
    And,
    Arithmetic,
    Assignment,
    Block,
    Break,
    BuiltinCall,
    Call,
    Comparison,
    Concatenation,
    Conditional,
    Continue,
    Delete,
    Do,
    Element,
    Ere,
    Evaluation,
    Exit,
    Expression,
    Field,
    For,
    ForIn,
    Function,
    Getline,
    Grouping,
    If,
    Increment,
    IndirectCall,
    Located,
    Match,
    Membership,
    Name,
    Negation,
    Next,
    NextFile,
    Node,
    Not,
    Number,
    Or,
    Print,
    Printf,
    Return,
    Statement,
    String,
    Switch,
    UnaryPlus,
    While,
)
from sandhook.utilities.languages.awk.program import Evaluate, Program, Step, Test, ToNumber, ToText
from sandhook.utilities.languages.awk.runtime import Runtime
from sandhook.utilities.languages.awk.values import to_number, truth

#: Expressions that are true or false.
_CONDITIONS: Mapping[type[Node], Compile[Test]] = {
    Comparison: compile_comparison,
    Match: compile_match,
    And: compile_and,
    Or: compile_or,
    Not: compile_not,
    Membership: compile_membership,
    Ere: compile_record_match,
}
#: Expressions whose value is a number.
_NUMERIC: Mapping[type[Node], Compile[ToNumber]] = {
    Number: compile_number,
    Arithmetic: compile_arithmetic,
    Negation: compile_negation,
    UnaryPlus: compile_unary_plus,
    Increment: compile_increment,
    Getline: compile_getline,
    **dict.fromkeys(_CONDITIONS, compile_truth),
}
#: Expressions whose value is a string.
_TEXTUAL: Mapping[type[Node], Compile[ToText]] = {
    String: compile_string,
    Concatenation: compile_concatenation,
}
_VALUES: Mapping[type[Node], Compile[Evaluate]] = {
    **_NUMERIC,
    **_TEXTUAL,
    Name: compile_name,
    Field: compile_field,
    Element: compile_element,
    Grouping: compile_grouping,
    Conditional: compile_conditional,
    Assignment: compile_assignment,
    Call: compile_call,
    IndirectCall: compile_indirect_call,
    BuiltinCall: compile_builtin_call,
}
#: How an expression is compiled for a number, a string and a truth. Other expressions are converted.
_NUMBERS: Mapping[type[Node], Compile[ToNumber]] = {
    **_NUMERIC,
    Name: compile_name_number,
    Field: compile_field_number,
    Grouping: compile_grouping_number,
}
_TEXTS: Mapping[type[Node], Compile[ToText]] = {
    **_TEXTUAL,
    Name: compile_name_text,
    Field: compile_field_text,
    Grouping: compile_grouping_text,
}
_TRUTHS: Mapping[type[Node], Compile[Test]] = {**_CONDITIONS, Grouping: compile_grouping_condition}
#: Expressions that are compiled differently when their value is not used.
_EFFECTS: Mapping[type[Node], Compile[Step]] = {Increment: increment_effect, Assignment: assignment_effect}
_STATEMENTS: Mapping[type[Node], Compile[Step]] = {
    Block: compile_block,
    Located: compile_located,
    Evaluation: compile_evaluation,
    Print: compile_print,
    Printf: compile_printf,
    If: compile_if,
    While: compile_while,
    Do: compile_do,
    For: compile_for,
    ForIn: compile_for_in,
    Switch: compile_switch,
    Break: compile_break,
    Continue: compile_continue,
    Next: compile_next,
    NextFile: compile_next_file,
    Exit: compile_exit,
    Return: compile_return,
    Delete: compile_delete,
}


class Compiler:
    """Compiles the expressions and statements of one program; see ``protocol.Compiler``."""

    def __init__(
        self, program: Program, *, nests: bool, function: Function | None = None, charge: Charge = free
    ) -> None:
        self.program = program
        self._charge = charge
        self.function = function
        self.line = 0
        self.nests = nests

    def for_function(self, function: Function | None) -> Compiler:
        """Return the compiler of a function's body."""
        return Compiler(self.program, nests=self.nests, function=function, charge=self._charge)

    def value(self, node: Expression) -> Evaluate:
        """Compile an expression for its value."""
        return _VALUES[type(node)](self, node)

    def number(self, node: Expression) -> ToNumber:
        """Compile an expression for a number."""
        self._charge(2)
        compile_ = _NUMBERS.get(type(node))
        if compile_ is not None:
            return compile_(self, node)
        run = self.value(node)

        def number(rt: Runtime) -> float:
            value = run(rt)
            return value if type(value) is float else to_number(value)

        return number

    def text(self, node: Expression) -> ToText:
        """Compile an expression for a string."""
        self._charge(2)
        compile_ = _TEXTS.get(type(node))
        if compile_ is not None:
            return compile_(self, node)
        run = self.value(node)

        def text(rt: Runtime) -> str:
            value = run(rt)
            return value if type(value) is str else rt.text(value)

        return text

    def condition(self, node: Expression) -> Test:
        """Compile an expression for its truth."""
        self._charge(2)
        compile_ = _TRUTHS.get(type(node))
        if compile_ is not None:
            return compile_(self, node)
        if type(node) in _NUMERIC:
            number = self.number(node)
            return lambda rt: number(rt) != 0.0
        run = self.value(node)
        return lambda rt: truth(run(rt))

    def effect(self, node: Expression) -> Step:
        """Compile an expression whose value is not used."""
        compile_ = _EFFECTS.get(type(node))
        return without_value(self.value(node)) if compile_ is None else compile_(self, node)

    def statement(self, node: Statement) -> Step:
        """Compile a statement."""
        self._charge(4)
        return _STATEMENTS[type(node)](self, node)
