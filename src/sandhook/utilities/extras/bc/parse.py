"""The parser of bc. It emits instructions for a stack machine.

Source: POSIX.1-2024 XCU 3, bc, "Grammar"; GNU bc 1.07.1 manual.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from sandhook.utilities.extras.bc.assembler import Assembler, BcSyntaxError
from sandhook.utilities.extras.bc.expressions import ExpressionParser
from sandhook.utilities.extras.bc.instructions import (
    Code,
    Function,
    Halt,
    Jump,
    JumpIfZero,
    Parameter,
    Pop,
    Print,
    PushZero,
    Return,
    Show,
    ShowCall,
    ShowLimits,
    ShowWarranty,
    Write,
)
from sandhook.utilities.extras.bc.lexer import Lexer

_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "q": '"', "t": "\t", "\\": "\\"}


class Quit(Exception):
    """``quit`` was read: bc ends at once, even where it is not executed."""


class _Loop:
    """The jumps of a loop that are patched at its end: indexes in the code."""

    __slots__ = ("breaks", "continues")

    def __init__(self) -> None:
        self.breaks: list[int] = []
        self.continues: list[int] = []


class Parser:
    """Parses the input item by item: a line of statements, or the definition of a function."""

    def __init__(self, lexer: Lexer, charge: Callable[[int], None]) -> None:
        self._code = Assembler(lexer, charge)
        self._expressions = ExpressionParser(self._code)
        self._loops: list[_Loop] = []
        self._function: Function | None = None

    def item(self) -> Code | Function | None:
        """Return the next item, None at the end. Raises BcSyntaxError and Quit."""
        self._code.begin()
        self._loops = []
        self._function = None
        kind, text = self._code.lexer.peek()
        if kind == "end":
            return None
        if (kind, text) == ("word", "define"):
            return self._define()
        self._line()
        return self._code.code

    # ------------------------------------------------------------------ statements

    def _line(self) -> None:
        """Parse statements up to the end of the line."""
        while True:
            kind, text = self._code.lexer.peek()
            if kind == "newline":
                self._code.lexer.next()
                return
            if kind == "end":
                return
            if (kind, text) == ("op", ";"):
                self._code.lexer.next()
                continue
            self._statement()
            if self._code.lexer.peek()[0] not in ("newline", "end") and not self._code.next_is(";"):
                raise BcSyntaxError

    def _statement(self) -> None:
        self._code.enter()
        kind, text = self._code.lexer.peek()
        if kind == "string":
            self._code.lexer.next()
            self._code.emit(Write(text))
        elif (kind, text) == ("op", "{"):
            self._block()
        elif kind == "word" and (parse := _STATEMENTS.get(text)) is not None:
            self._code.lexer.next()
            parse(self)
        else:
            top = self._expressions.expression()
            self._code.emit(Pop() if top == "assignment" else ShowCall() if top == "call" else Show())
        self._code.leave()

    def _block(self) -> None:
        self._code.lexer.next()
        while not self._code.accept("}"):
            kind = self._code.lexer.peek()[0]
            if kind == "end":
                raise BcSyntaxError
            if kind == "newline" or self._code.next_is(";"):
                self._code.lexer.next()
                continue
            self._statement()
            if self._code.lexer.peek()[0] != "newline" and not self._code.next_is(";", "}"):
                raise BcSyntaxError

    def _quit(self) -> None:
        raise Quit

    def _halt(self) -> None:
        self._code.emit(Halt())

    def _limits(self) -> None:
        self._code.emit(ShowLimits())

    def _warranty(self) -> None:
        self._code.emit(ShowWarranty())

    def _print(self) -> None:
        while True:
            kind, text = self._code.lexer.peek()
            if kind == "string":
                self._code.lexer.next()
                self._code.emit(Write(re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[0]), text)))
            else:
                self._expressions.expression()
                self._code.emit(Print())
            if not self._code.accept(","):
                return

    def _break(self) -> None:
        if not self._loops:
            raise BcSyntaxError("Break outside a for/while")
        self._loops[-1].breaks.append(self._code.emit(Jump(0)))

    def _continue(self) -> None:
        if not self._loops:
            raise BcSyntaxError("Continue outside a for")
        self._loops[-1].continues.append(self._code.emit(Jump(0)))

    def _return(self) -> None:
        if self._function is None:
            raise BcSyntaxError("Return outside of a function.")
        if self._code.lexer.peek()[0] in ("newline", "end") or self._code.next_is(";", "}"):
            self._code.emit(PushZero())
        else:
            self._expressions.expression()
        self._code.emit(Return())

    def _if(self) -> None:
        self._code.expect("(")
        self._expressions.expression()
        self._code.expect(")")
        skip = self._code.emit(JumpIfZero(0))
        self._code.skip_newlines()
        self._statement()
        if self._code.accept("else"):
            end = self._code.emit(Jump(0))
            self._code.patch(skip)
            self._code.skip_newlines()
            self._statement()
            skip = end
        self._code.patch(skip)

    def _while(self) -> None:
        self._code.expect("(")
        start = self._code.next_index
        self._expressions.expression()
        self._code.expect(")")
        exit_jump = self._code.emit(JumpIfZero(0))
        self._code.skip_newlines()
        self._loop(start)
        self._code.patch(exit_jump)

    def _loop(self, next_turn: int) -> None:
        """Parse the body of a loop, whose next turn begins at ``next_turn``."""
        loop = _Loop()
        self._loops.append(loop)
        self._statement()
        self._loops.pop()
        for at in loop.continues:
            self._code.patch(at, next_turn)
        self._code.emit(Jump(next_turn))
        for at in loop.breaks:
            self._code.patch(at)

    def _for(self) -> None:
        self._code.expect("(")
        if not self._code.next_is(";"):
            self._expressions.expression()
            self._code.emit(Pop())
        self._code.expect(";")
        test = self._code.next_index
        exit_jump = -1
        if not self._code.next_is(";"):
            self._expressions.expression()
            exit_jump = self._code.emit(JumpIfZero(0))
        self._code.expect(";")
        body = self._code.emit(Jump(0))
        step = self._code.next_index
        if not self._code.next_is(")"):
            self._expressions.expression()
            self._code.emit(Pop())
        self._code.emit(Jump(test))
        self._code.expect(")")
        self._code.skip_newlines()
        self._code.patch(body)
        self._loop(step)
        if exit_jump >= 0:
            self._code.patch(exit_jump)

    # ------------------------------------------------------------------ functions

    def _define(self) -> Function:
        self._code.lexer.next()
        void = bool(self._code.accept("void"))
        name = self._name()
        self._code.expect("(")
        function = Function(name, [] if self._code.next_is(")") else self._parameters(), void)
        self._code.expect(")")
        self._code.skip_newlines()
        self._function = function
        if not self._code.next_is("{"):
            raise BcSyntaxError
        self._code.lexer.next()
        self._code.skip_newlines()
        if self._code.accept("auto"):
            function.autos = self._parameters()
            if self._code.lexer.peek()[0] != "newline" and not self._code.next_is(";", "}"):
                raise BcSyntaxError
        while not self._code.accept("}"):
            if self._code.lexer.peek()[0] == "end":
                raise BcSyntaxError
            if self._code.lexer.peek()[0] == "newline" or self._code.next_is(";"):
                self._code.lexer.next()
                continue
            self._statement()
            if self._code.lexer.peek()[0] != "newline" and not self._code.next_is(";", "}"):
                raise BcSyntaxError
        self._code.emit(PushZero())
        self._code.emit(Return())
        function.code = self._code.code
        return function

    def _name(self) -> str:
        kind, text = self._code.lexer.next()
        if kind != "name":
            raise BcSyntaxError
        return text

    def _parameters(self) -> list[Parameter]:
        """Parse parameters or automatic variables."""
        parameters = []
        while True:
            shared = bool(self._code.accept("*"))
            name = self._name()
            array = bool(self._code.accept("["))
            if array:
                self._code.expect("]")
            elif shared:
                raise BcSyntaxError
            parameters.append(Parameter(name, array, shared))
            if not self._code.accept(","):
                return parameters


_STATEMENTS: dict[str, Callable[[Parser], None]] = {
    "quit": Parser._quit, "halt": Parser._halt, "limits": Parser._limits, "warranty": Parser._warranty,
    "print": Parser._print, "break": Parser._break, "continue": Parser._continue, "return": Parser._return,
    "if": Parser._if, "while": Parser._while, "for": Parser._for,
}  # fmt: skip
