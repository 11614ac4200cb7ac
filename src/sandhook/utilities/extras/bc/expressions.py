"""The parser of bc's expressions. It emits instructions that leave the value on the stack.

Source: POSIX.1-2024 XCU 3, bc, "Grammar"; GNU bc 1.07.1 manual.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

from sandhook.utilities.extras.bc.assembler import Assembler, BcSyntaxError
from sandhook.utilities.extras.bc.instructions import (
    Binary,
    BuiltinName,
    Call,
    CallBuiltin,
    Compare,
    Element,
    Load,
    LoadKeepingIndex,
    Negate,
    Not,
    Operator,
    PushNumber,
    Relation,
    SkipIfFalse,
    SkipIfTrue,
    Special,
    SpecialName,
    Step,
    Store,
    Target,
    Truth,
    Variable,
)

_SPECIAL: dict[str, SpecialName] = {"scale": "scale", "ibase": "ibase", "obase": "obase", "last": "last"}
_BUILTINS: dict[str, BuiltinName] = {
    "length": "length", "sqrt": "sqrt", "read": "read", "random": "random", "scale": "scale",
}  # fmt: skip
_RELATIONS: dict[str, Relation] = {"<": "<", "<=": "<=", ">": ">", ">=": ">=", "==": "==", "!=": "!="}
_SUMS: dict[str, Operator] = {"+": "+", "-": "-"}
_PRODUCTS: dict[str, Operator] = {"*": "*", "/": "/", "%": "%"}
#: The operator of an assignment, None for a plain one.
_ASSIGNMENTS: dict[str, Operator | None] = {
    "=": None, "+=": "+", "-=": "-", "*=": "*", "/=": "/", "%=": "%", "^=": "^",
}  # fmt: skip

#: What an expression is at its top, which decides whether a statement prints it.
Top: TypeAlias = Literal["assignment", "call", "value"]


class ExpressionParser:
    """Parses expressions at the position of an assembler."""

    def __init__(self, code: Assembler) -> None:
        self._code = code

    def expression(self) -> Top:
        """Parse an expression."""
        self._code.enter()
        top = self._conjunction()
        while self._code.accept("||"):
            end_jump = self._code.emit(SkipIfTrue(0))
            self._conjunction()
            self._code.emit(Truth())
            self._code.patch(end_jump)
            top = "value"
        self._code.leave()
        return top

    def _conjunction(self) -> Top:
        top = self._negation()
        while self._code.accept("&&"):
            end_jump = self._code.emit(SkipIfFalse(0))
            self._negation()
            self._code.emit(Truth())
            self._code.patch(end_jump)
            top = "value"
        return top

    def _negation(self) -> Top:
        count = 0
        while self._code.accept("!"):
            count += 1
        top = self._relation()
        if count:
            for _ in range(min(count, 2 - (count & 1))):
                self._code.emit(Not())
            top = "value"
        return top

    def _relation(self) -> Top:
        top = self._sum()
        while self._code.next_is(*_RELATIONS):
            relation = _RELATIONS[self._code.lexer.next()[1]]
            self._sum()
            self._code.emit(Compare(relation))
            top = "value"
        return top

    def _sum(self) -> Top:
        return self._operators(_SUMS, self._product)

    def _product(self) -> Top:
        return self._operators(_PRODUCTS, self._power)

    def _operators(self, operators: dict[str, Operator], operand: Callable[[], Top]) -> Top:
        """Parse operators that group from the left."""
        top = operand()
        while self._code.next_is(*operators):
            operator = operators[self._code.lexer.next()[1]]
            operand()
            self._code.emit(Binary(operator))
            top = "value"
        return top

    def _power(self) -> Top:
        """Parse a power; the operator groups from the right."""
        count = 0
        top = self._unary()
        while self._code.accept("^"):
            self._unary()
            count += 1
            top = "value"
        for _ in range(count):
            self._code.emit(Binary("^"))
        return top

    def _unary(self) -> Top:
        top: Top
        minus = 0
        while self._code.accept("-"):
            minus += 1
        if self._code.next_is("++", "--"):
            operator = self._code.lexer.next()[1]
            kind, text = self._code.lexer.next()
            target = self._target(kind, text)
            if target is None:
                raise BcSyntaxError
            self._code.emit(Step(target, 1 if operator == "++" else -1, False))
            top = "value"
        else:
            top = self._primary()
        if minus:
            if minus & 1:
                self._code.emit(Negate())
            top = "value"
        return top

    def _target(self, kind: str, text: str) -> Target | None:
        """Return the assignable target of a token, or None. The index of an element is parsed."""
        if kind == "word" and text in _SPECIAL:
            return Special(_SPECIAL[text])
        if (kind, text) == ("op", "."):
            return Special("last")
        if kind != "name":
            return None
        if self._code.accept("["):
            self.expression()
            self._code.expect("]")
            return Element(text)
        return Variable(text)

    def _primary(self) -> Top:
        kind, text = self._code.lexer.next()
        if kind == "number":
            self._code.emit(PushNumber(text))
            return "value"
        if (kind, text) == ("op", "("):
            self.expression()
            self._code.expect(")")
            return "value"
        if kind == "word" and text in _BUILTINS and self._code.next_is("("):
            return self._builtin(_BUILTINS[text])
        if kind == "name" and self._code.next_is("("):
            return self._call(text)
        target = self._target(kind, text)
        if target is None:
            if kind == "newline":
                self._code.lexer.push_back((kind, text))
            raise BcSyntaxError
        if self._code.next_is(*_ASSIGNMENTS):
            return self._assignment(target)
        if self._code.next_is("++", "--"):
            self._code.emit(Step(target, 1 if self._code.lexer.next()[1] == "++" else -1, True))
            return "value"
        self._code.emit(Load(target))
        return "value"

    def _assignment(self, target: Target) -> Top:
        """Parse an assignment; its right side has sums but no relations."""
        operator = _ASSIGNMENTS[self._code.lexer.next()[1]]
        if operator is not None:
            self._code.emit(LoadKeepingIndex(target))
        self._code.enter()
        self._sum()
        self._code.leave()
        if operator is not None:
            self._code.emit(Binary(operator))
        self._code.emit(Store(target))
        return "assignment"

    def _builtin(self, name: BuiltinName) -> Top:
        self._code.lexer.next()
        if name not in ("read", "random"):
            self.expression()
        self._code.expect(")")
        self._code.emit(CallBuiltin(name))
        return "value"

    def _call(self, name: str) -> Top:
        self._code.lexer.next()
        arguments: list[str | None] = []
        while not self._code.next_is(")"):
            if arguments:
                self._code.expect(",")
            arguments.append(self._argument())
        self._code.expect(")")
        self._code.emit(Call(name, tuple(arguments)))
        return "call"

    def _argument(self) -> str | None:
        """Parse an argument: return the name of an array, or None for an expression."""
        token = self._code.lexer.peek()
        if token[0] == "name":
            self._code.lexer.next()
            if self._code.next_is("["):
                bracket = self._code.lexer.next()
                if self._code.accept("]"):
                    return token[1]
                self._code.lexer.push_back(bracket)
            self._code.lexer.push_back(token)
        self.expression()
        return None
