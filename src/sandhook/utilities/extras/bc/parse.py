"""The language of bc, turned into instructions for a stack machine.

Source: POSIX.1-2024 XCU 3, bc, "Grammar"; GNU bc 1.07.1 manual.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from sandhook.utilities.extras.bc.lexer import Lexer

SPECIAL = frozenset({"scale", "ibase", "obase", "last"})
_RELATIONS = frozenset({"<", "<=", ">", ">=", "==", "!="})
_ASSIGNMENTS = frozenset({"=", "+=", "-=", "*=", "/=", "%=", "^="})
_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "q": '"', "t": "\t", "\\": "\\"}
MOST_NESTING = 50

Code = list[tuple[Any, ...]]


class BcSyntaxError(Exception):
    """A statement is none."""


class Quit(Exception):
    """``quit`` was read: everything ends at once."""


class Function:
    """A function that a program defines.

    Attributes:
        parameters, autos: Names, with "[]" for arrays and "*[]" for those that are passed on as they are.
        void: Its result is not printed.
    """

    __slots__ = ("autos", "code", "name", "parameters", "void")

    def __init__(self, name: str, parameters: list[str], void: bool) -> None:
        self.name = name
        self.parameters = parameters
        self.autos: list[str] = []
        self.code: Code = []
        self.void = void


class Parser:
    """Reads one input item after the other: a line of statements, or the definition of a function."""

    def __init__(self, lexer: Lexer, charge: Callable[[int], None]) -> None:
        self._lexer = lexer
        self._charge = charge
        self._code: Code = []
        self._depth = 0
        self._loops: list[tuple[list[int], list[int]]] = []
        self._function: Function | None = None

    def item(self) -> Code | Function | None:
        """Return the next item, None at the end. Raises BcSyntaxError and Quit."""
        self._code = []
        self._depth = 0
        self._loops = []
        self._function = None
        kind, text = self._lexer.peek()
        if kind == "end":
            return None
        if (kind, text) == ("word", "define"):
            return self._define()
        self._line()
        return self._code

    # ------------------------------------------------------------------ tokens

    def _is(self, *texts: str) -> bool:
        kind, text = self._lexer.peek()
        return kind in ("op", "word") and text in texts

    def _accept(self, *texts: str) -> str:
        return self._lexer.take()[1] if self._is(*texts) else ""

    def _expect(self, text: str) -> None:
        if not self._accept(text):
            raise self._wrong()

    def _wrong(self, message: str = "syntax error") -> BcSyntaxError:
        return BcSyntaxError(message)

    def _newlines(self) -> None:
        while self._lexer.peek()[0] == "newline":
            self._lexer.take()

    def _enter(self) -> None:
        self._charge(1)
        self._depth += 1
        if self._depth > MOST_NESTING:
            raise self._wrong("nesting too deep")

    def _emit(self, *instruction: Any) -> int:
        self._charge(1)
        self._code.append(instruction)
        return len(self._code) - 1

    def _patch(self, at: int, target: int | None = None) -> None:
        self._code[at] = (self._code[at][0], len(self._code) if target is None else target)

    # ------------------------------------------------------------------ statements

    def _line(self) -> None:
        """Read statements up to the end of the line."""
        while True:
            kind, text = self._lexer.peek()
            if kind == "newline":
                self._lexer.take()
                return
            if kind == "end":
                return
            if (kind, text) == ("op", ";"):
                self._lexer.take()
                continue
            self._statement()
            if self._lexer.peek()[0] not in ("newline", "end") and not self._is(";"):
                raise self._wrong()

    def _statement(self) -> None:
        self._enter()
        kind, text = self._lexer.peek()
        if kind == "string":
            self._lexer.take()
            self._emit("string", text)
        elif (kind, text) == ("op", "{"):
            self._block()
        elif kind == "word" and (reader := getattr(self, f"_{text}_statement", None)) is not None:
            self._lexer.take()
            reader()
        else:
            top = self._expression()
            self._emit("pop" if top == "assign" else "show_call" if top == "call" else "show")
        self._depth -= 1

    def _block(self) -> None:
        self._lexer.take()
        while not self._accept("}"):
            kind = self._lexer.peek()[0]
            if kind == "end":
                raise self._wrong()
            if kind == "newline" or self._is(";"):
                self._lexer.take()
                continue
            self._statement()
            if self._lexer.peek()[0] != "newline" and not self._is(";", "}"):
                raise self._wrong()

    def _quit_statement(self) -> None:
        raise Quit

    def _halt_statement(self) -> None:
        self._emit("halt")

    def _limits_statement(self) -> None:
        self._emit("limits")

    def _warranty_statement(self) -> None:
        self._emit("warranty")

    def _print_statement(self) -> None:
        while True:
            kind, text = self._lexer.peek()
            if kind == "string":
                self._lexer.take()
                self._emit("string", re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[0]), text))
            else:
                self._expression()
                self._emit("print")
            if not self._accept(","):
                return

    def _break_statement(self) -> None:
        if not self._loops:
            raise self._wrong("Break outside a for/while")
        self._loops[-1][0].append(self._emit("jump", 0))

    def _continue_statement(self) -> None:
        if not self._loops:
            raise self._wrong("Continue outside a for")
        self._loops[-1][1].append(self._emit("jump", 0))

    def _return_statement(self) -> None:
        if self._function is None:
            raise self._wrong("Return outside of a function.")
        if self._lexer.peek()[0] in ("newline", "end") or self._is(";", "}"):
            self._emit("zero")
        else:
            self._expression()
        self._emit("return")

    def _if_statement(self) -> None:
        self._expect("(")
        self._expression()
        self._expect(")")
        skip = self._emit("jump_zero", 0)
        self._newlines()
        self._statement()
        if self._accept("else"):
            over = self._emit("jump", 0)
            self._patch(skip)
            self._newlines()
            self._statement()
            skip = over
        self._patch(skip)

    def _while_statement(self) -> None:
        self._expect("(")
        start = len(self._code)
        self._expression()
        self._expect(")")
        leave = self._emit("jump_zero", 0)
        self._newlines()
        self._loop(start)
        self._patch(leave)

    def _loop(self, again: int) -> None:
        """Read the body of a loop, whose next turn begins at ``again``."""
        self._loops.append(([], []))
        self._statement()
        breaks, continues = self._loops.pop()
        for at in continues:
            self._patch(at, again)
        self._emit("jump", again)
        for at in breaks:
            self._patch(at)

    def _for_statement(self) -> None:
        self._expect("(")
        if not self._is(";"):
            self._expression()
            self._emit("pop")
        self._expect(";")
        test = len(self._code)
        leave = -1
        if not self._is(";"):
            self._expression()
            leave = self._emit("jump_zero", 0)
        self._expect(";")
        body = self._emit("jump", 0)
        step = len(self._code)
        if not self._is(")"):
            self._expression()
            self._emit("pop")
        self._emit("jump", test)
        self._expect(")")
        self._newlines()
        self._patch(body)
        self._loop(step)
        if leave >= 0:
            self._patch(leave)

    # ------------------------------------------------------------------ functions

    def _define(self) -> Function:
        self._lexer.take()
        void = bool(self._accept("void"))
        name = self._name()
        self._expect("(")
        function = Function(name, [] if self._is(")") else self._names(), void)
        self._expect(")")
        self._newlines()
        self._function = function
        if not self._is("{"):
            raise self._wrong()
        self._lexer.take()
        self._newlines()
        if self._accept("auto"):
            function.autos = self._names()
            if self._lexer.peek()[0] != "newline" and not self._is(";", "}"):
                raise self._wrong()
        while not self._accept("}"):
            if self._lexer.peek()[0] == "end":
                raise self._wrong()
            if self._lexer.peek()[0] == "newline" or self._is(";"):
                self._lexer.take()
                continue
            self._statement()
            if self._lexer.peek()[0] != "newline" and not self._is(";", "}"):
                raise self._wrong()
        self._emit("zero")
        self._emit("return")
        function.code = self._code
        return function

    def _name(self) -> str:
        kind, text = self._lexer.take()
        if kind != "name":
            raise self._wrong()
        return text

    def _names(self) -> list[str]:
        """Read parameters or automatic variables."""
        found = []
        while True:
            star = "*" if self._accept("*") else ""
            name = self._name()
            if self._accept("["):
                self._expect("]")
                name += star + "[]"
            elif star:
                raise self._wrong()
            found.append(name)
            if not self._accept(","):
                return found

    # ------------------------------------------------------------------ expressions

    def _expression(self) -> str:
        """Read an expression; return what it is at its top: "assign", "call" or "value"."""
        self._enter()
        top = self._conjunction()
        while self._accept("||"):
            done = self._emit("or", 0)
            self._conjunction()
            self._emit("truth")
            self._patch(done)
            top = "value"
        self._depth -= 1
        return top

    def _conjunction(self) -> str:
        top = self._negation()
        while self._accept("&&"):
            done = self._emit("and", 0)
            self._negation()
            self._emit("truth")
            self._patch(done)
            top = "value"
        return top

    def _negation(self) -> str:
        count = 0
        while self._accept("!"):
            count += 1
        top = self._relation()
        if count:
            for _ in range(min(count, 2 - (count & 1))):
                self._emit("not")
            top = "value"
        return top

    def _relation(self) -> str:
        top = self._binary(0)
        while self._is(*_RELATIONS):
            operator = self._lexer.take()[1]
            self._binary(0)
            self._emit("compare", operator)
            top = "value"
        return top

    _LEVELS = (frozenset({"+", "-"}), frozenset({"*", "/", "%"}))

    def _binary(self, level: int) -> str:
        if level == len(self._LEVELS):
            return self._power()
        top = self._binary(level + 1)
        while self._is(*self._LEVELS[level]):
            operator = self._lexer.take()[1]
            self._binary(level + 1)
            self._emit("binary", operator)
            top = "value"
        return top

    def _power(self) -> str:
        """Read a power; the operator groups from the right."""
        count = 0
        top = self._unary()
        while self._accept("^"):
            self._unary()
            count += 1
            top = "value"
        for _ in range(count):
            self._emit("binary", "^")
        return top

    def _unary(self) -> str:
        minus = 0
        while self._accept("-"):
            minus += 1
        if self._is("++", "--"):
            operator = self._lexer.take()[1]
            kind, text = self._lexer.take()
            target = self._target(kind, text)
            if target is None:
                raise self._wrong()
            self._emit("step", target, 1 if operator == "++" else -1, False)
            top = "value"
        else:
            top = self._primary()
        if minus:
            if minus & 1:
                self._emit("negate")
            top = "value"
        return top

    def _target(self, kind: str, text: str) -> tuple[str, str] | None:
        """Return what can be assigned to: a variable, an array's element (its index is computed), a special one."""
        if kind == "word" and text in SPECIAL:
            return "special", text
        if (kind, text) == ("op", "."):
            return "special", "last"
        if kind != "name":
            return None
        if self._accept("["):
            self._expression()
            self._expect("]")
            return "element", text
        return "variable", text

    def _primary(self) -> str:
        kind, text = self._lexer.take()
        if kind == "number":
            self._emit("number", text)
            return "value"
        if (kind, text) == ("op", "("):
            self._expression()
            self._expect(")")
            return "value"
        if kind == "word" and text in ("length", "sqrt", "read", "random", "scale") and self._is("("):
            return self._builtin(text)
        if kind == "name" and self._is("("):
            return self._call(text)
        target = self._target(kind, text)
        if target is None:
            if kind == "newline":
                self._lexer.give_back((kind, text))
            raise self._wrong()
        if self._is(*_ASSIGNMENTS):
            operator = self._lexer.take()[1]
            if operator != "=":
                self._emit("load_keep", target)
            self._assigned()
            if operator != "=":
                self._emit("binary", operator[0])
            self._emit("store", target)
            return "assign"
        if self._is("++", "--"):
            self._emit("step", target, 1 if self._lexer.take()[1] == "++" else -1, True)
            return "value"
        self._emit("load", target)
        return "value"

    def _assigned(self) -> None:
        """Read the right side of an assignment, which takes in sums but no comparison."""
        self._enter()
        self._binary(0)
        self._depth -= 1

    def _builtin(self, name: str) -> str:
        self._lexer.take()
        if name not in ("read", "random"):
            self._expression()
        self._expect(")")
        self._emit("builtin", name)
        return "value"

    def _call(self, name: str) -> str:
        self._lexer.take()
        kinds: list[str] = []
        while not self._is(")"):
            if kinds:
                self._expect(",")
            kinds.append(self._argument())
        self._expect(")")
        self._emit("call", name, tuple(kinds))
        return "call"

    def _argument(self) -> str:
        """Read an argument: an expression (""), or the name of an array."""
        token = self._lexer.peek()
        if token[0] == "name":
            self._lexer.take()
            if self._is("["):
                bracket = self._lexer.take()
                if self._accept("]"):
                    return token[1]
                self._lexer.give_back(bracket)
            self._lexer.give_back(token)
        self._expression()
        return ""
