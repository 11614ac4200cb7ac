"""The grammar of awk's statements, rules and functions.

Source: POSIX.1-2024 XCU 3, awk, "grammar"; gawk 5.2 manual for its statements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sandhook.command.pieces import Charge, free
from sandhook.utilities.languages.awk.expressions import ExpressionParser
from sandhook.utilities.languages.awk.format import number_to_text
from sandhook.utilities.languages.awk.jumps import Jumps, MisplacedJump
from sandhook.utilities.languages.awk.lexer import GAWK, Dialect, ProgramError, Token
from sandhook.utilities.languages.awk.nodes import (
    Block,
    Break,
    Continue,
    Delete,
    Do,
    Evaluation,
    Exit,
    Expression,
    ExpressionList,
    For,
    ForIn,
    If,
    Located,
    Name,
    Negation,
    Next,
    NextFile,
    Number,
    OutputRedirection,
    Print,
    Printf,
    Return,
    Rule,
    RuleKind,
    Statement,
    String,
    Switch,
    SwitchCase,
    UnaryPlus,
    While,
)
from sandhook.utilities.languages.awk.scope import Scope
from sandhook.utilities.languages.awk.special import SPECIAL
from sandhook.utilities.languages.awk.tokens import Tokens
from sandhook.utilities.languages.awk.values import Fatal, Regexp, Unlabelled

_SPECIAL_RULES: dict[str, RuleKind] = {
    "BEGIN": "BEGIN", "END": "END", "BEGINFILE": "BEGINFILE", "ENDFILE": "ENDFILE",
}  # fmt: skip
_REDIRECTIONS: dict[str, OutputRedirection] = {">": ">", ">>": ">>", "|": "|", "|&": "|&"}


def parse_program(
    text: str, dialect: Dialect = GAWK, charge: Charge = free, names: Iterable[str] = ()
) -> tuple[list[Rule], Scope]:
    """Return the rules of a program and its names and functions; ``names`` are variables that exist before it.

    Raises:
        ProgramError, Fatal: The program has an error.
    """
    parser = _Parser(text, dialect, charge)
    parser.scope.names.update(names)
    try:
        rules = parser.rules()
    except (ProgramError, Fatal) as error:
        parser.jumps.end_run(parser.tokens.current.at)
        error.misplaced = tuple(parser.jumps.misplaced)
        raise
    if parser.jumps.misplaced:
        raise MisplacedJump(parser.jumps.misplaced)
    parser.scope.resolve()
    parser.scope.warnings = parser.tokens.warnings
    return rules, parser.scope


class _Parser:
    """Parses one program; it is used once."""

    def __init__(self, text: str, dialect: Dialect, charge: Charge) -> None:
        self.scope = Scope()
        self.tokens = Tokens(text, dialect, charge)
        self._expressions = ExpressionParser(self.tokens, self.scope, extensions=dialect.extensions)
        self.jumps = Jumps()
        self._loops = 0
        self._switches = 0

    # ------------------------------------------------------------------ rules and functions

    def rules(self) -> list[Rule]:
        """Parse the whole program; functions are added to ``scope``."""
        tokens = self.tokens
        rules: list[Rule] = []
        while True:
            tokens.skip_newlines()
            kind = tokens.kind
            if kind == "end":
                return rules
            if kind == ";":
                tokens.advance()
                line = tokens.current.line + tokens.at_line_end
                raise Unlabelled("each rule must have a pattern or an action part", 1, line)
            if kind == "function":
                self._function()
            elif kind in _SPECIAL_RULES:
                rules.append(self._special_rule(_SPECIAL_RULES[kind]))
            else:
                rules.append(self._rule())
            tokens.skip_newlines()
            tokens.accept(";")

    def _special_rule(self, kind: RuleKind) -> Rule:
        tokens = self.tokens
        line = tokens.advance().line
        if tokens.kind in ("newline", "end"):
            raise Unlabelled(f"{kind} blocks must have an action part", 1, line + tokens.at_line_end)
        if tokens.kind != "{":
            tokens.fail_unexpected()
        self._expressions.rule_kind = kind
        action = self._block()
        self._expressions.rule_kind = ""
        return Rule(kind, None, None, action, line)

    def _rule(self) -> Rule:
        tokens = self.tokens
        line = tokens.current.line
        first = second = None
        if tokens.kind != "{":
            first = self._expressions.expression()
            if tokens.accept(","):
                tokens.skip_newlines()
                second = self._expressions.expression()
        action = self._block() if tokens.kind == "{" else None
        if action is None and tokens.kind not in ("newline", ";", "end"):
            tokens.fail_unexpected()
        return Rule("", first, second, action, line)

    def _function(self) -> None:
        tokens = self.tokens
        tokens.advance()
        if tokens.kind == "builtin":
            tokens.fail(f"`{tokens.current.value}' is a built-in function, it cannot be redefined")
        if tokens.kind not in ("name", "call"):
            tokens.fail_unexpected()
        token = tokens.advance()
        tokens.expect("(")
        params = self._parameters(token.value, token.line)
        tokens.expect(")")
        tokens.skip_newlines()
        function = self.scope.define(token, params)
        self.scope.function = function
        function.body = self._block()
        self.scope.function = None

    def _parameters(self, function: str, line: int) -> list[str]:
        tokens = self.tokens
        params: list[str] = []
        while tokens.kind == "name":
            name = tokens.advance().value
            _check_parameter(function, name, params, line)
            params.append(name)
            if not tokens.accept(","):
                break
            tokens.skip_newlines()
            if tokens.kind != "name":
                tokens.fail_unexpected()
        return params

    # ------------------------------------------------------------------ blocks

    def _block(self) -> Block:
        tokens = self.tokens
        tokens.expect("{")
        tokens.enter()
        statements: list[Statement] = []
        while True:
            tokens.skip_terminators()
            if tokens.accept("}"):
                break
            statements.append(self._statement())
        self.jumps.end_run(tokens.current.at)
        tokens.leave()
        return Block(tuple(statements))

    def _body(self) -> Statement:
        """Parse the statement after a condition; ";" alone is an empty statement."""
        tokens = self.tokens
        tokens.skip_newlines()
        if tokens.accept(";"):
            return Block(())
        tokens.enter()
        node = self._statement()
        self.jumps.end_run(tokens.current.at)
        tokens.leave()
        return node

    def _loop_body(self) -> Statement:
        self._loops += 1
        node = self._body()
        self._loops -= 1
        return node

    def _statement(self) -> Statement:
        """Parse a statement; all but a block carry their line."""
        token = self.tokens.current
        self.jumps.begin(token.kind, token.at)
        node = self._unnoted_statement(token)
        self.jumps.end(token.kind)
        return node

    def _unnoted_statement(self, token: Token) -> Statement:
        if token.kind == "{":
            return self._block()
        compound = _COMPOUND.get(token.kind)
        if compound is not None:
            return Located(token.line, compound(self))
        node = self._simple()
        self._end_statement()
        return Located(token.line, node)

    def _end_statement(self) -> None:
        if self.tokens.kind in ("newline", ";"):
            self.tokens.advance()
        elif self.tokens.kind != "}":
            self.tokens.fail_unexpected()

    # ------------------------------------------------------------------ simple statements

    def _simple(self) -> Statement:
        parse = _SIMPLE.get(self.tokens.kind)
        return Evaluation(self._expressions.expression()) if parse is None else parse(self)

    def _delete(self) -> Statement:
        self.tokens.advance()
        if not self.tokens.accept("("):
            return Delete(self._expressions.array_name())
        token = self.tokens.expect("name")  # only an array may be in parentheses
        self.scope.add_name(token.value, token.line)
        self.tokens.expect(")")
        return Delete(self._expressions.as_array(Name(token.value)))

    def _break(self) -> Statement:
        if not (self._loops or self._switches):
            token = self.tokens.current
            self.jumps.add("`break' is not allowed outside a loop or switch", token.line, token.at)
        self.tokens.advance()
        return Break()

    def _continue(self) -> Statement:
        if not self._loops:
            token = self.tokens.current
            self.jumps.add("`continue' is not allowed outside a loop", token.line, token.at)
        self.tokens.advance()
        return Continue()

    def _next(self) -> Statement:
        rule = self._expressions.rule_kind
        if rule:
            self.jumps.add_once(f"`next' used in {rule} action", self.tokens.current.line)
        self.tokens.advance()
        return Next()

    def _next_file(self) -> Statement:
        rule = self._expressions.rule_kind
        if rule and rule != "BEGINFILE":
            self.jumps.add_once(f"`nextfile' used in {rule} action", self.tokens.current.line)
        self.tokens.advance()
        return NextFile()

    def _exit(self) -> Statement:
        self.tokens.advance()
        return Exit(self._optional_value())

    def _return(self) -> Statement:
        token = self.tokens.advance()
        if self.scope.function is None:
            self.tokens.fail("`return' used outside function context", token)
        if self.tokens.kind == "regexp":
            return Return(self._expressions.regexp())
        return Return(self._optional_value())

    def _optional_value(self) -> Expression | None:
        at_end = self.tokens.kind in ("newline", ";", "}", "end")
        return None if at_end else self._expressions.expression()

    def _print(self) -> Statement:
        self.tokens.advance()
        return Print(tuple(self._print_arguments()), *self._redirection())

    def _printf(self) -> Statement:
        self.tokens.advance()
        return Printf(tuple(self._print_arguments()), *self._redirection())

    def _print_arguments(self) -> list[Expression]:
        if self.tokens.kind in ("newline", ";", "}", ">", ">>", "|", "|&", "end"):
            return []
        self._expressions.redirects = True
        arguments = self._expressions.expressions(group=True)
        self._expressions.redirects = False
        if len(arguments) == 1 and isinstance(arguments[0], ExpressionList):
            return list(arguments[0].expressions)
        return arguments

    def _redirection(self) -> tuple[OutputRedirection, Expression | None]:
        redirection = _REDIRECTIONS.get(self.tokens.kind)
        if redirection is None:
            return "", None
        self.tokens.advance()
        return redirection, self._expressions.redirection()

    # ------------------------------------------------------------------ compound statements

    def _if(self) -> Statement:
        tokens = self.tokens
        arms: list[tuple[Expression, Statement]] = []
        otherwise: Statement | None = None
        while True:
            tokens.advance()
            condition = self._condition()
            arms.append((condition, self._body()))
            mark = tokens.at
            tokens.skip_newlines()
            if tokens.kind != "else":
                tokens.rewind(mark)
                break
            tokens.advance()
            tokens.skip_newlines()
            if tokens.kind != "if":
                otherwise = self._body()
                break
        return If(tuple(arms), otherwise)

    def _condition(self) -> Expression:
        self.tokens.expect("(")
        node = self._expressions.expression()
        self.tokens.expect(")")
        return node

    def _while(self) -> Statement:
        self.tokens.advance()
        condition = self._condition()
        if self.tokens.accept(";"):
            return While(condition, Block(()))
        return While(condition, self._loop_body())

    def _do(self) -> Statement:
        self.tokens.advance()
        body = self._loop_body()
        self.tokens.skip_newlines()
        self.tokens.expect("while")
        return Do(body, self._condition())  # needs no terminator

    def _for(self) -> Statement:
        tokens = self.tokens
        tokens.advance()
        tokens.expect("(")
        over_array = self._for_in()
        if over_array is not None:
            return over_array
        start = None if tokens.kind == ";" else self._simple()
        tokens.expect(";")
        tokens.skip_newlines()
        condition = None if tokens.kind == ";" else self._expressions.expression()
        tokens.expect(";")
        tokens.skip_newlines()
        step = None if tokens.kind == ")" else self._simple()
        tokens.expect(")")
        return For(start, condition, step, self._loop_body())

    def _for_in(self) -> Statement | None:
        """Parse the rest of a loop that begins with ``for (name in``; return None for another loop."""
        tokens = self.tokens
        if tokens.kind != "name" or tokens.following != "in":
            return None
        variable = self._expressions.name()
        tokens.advance()
        array = self._expressions.array_name()
        tokens.expect(")")
        return ForIn(variable, array, self._loop_body())

    def _empty(self) -> Statement:
        self.tokens.advance()
        return Block(())

    def _switch(self) -> Statement:
        tokens = self.tokens
        tokens.advance()
        subject = self._condition()
        tokens.skip_newlines()
        tokens.expect("{")
        tokens.enter()
        self._switches += 1
        cases: list[SwitchCase] = []
        line = tokens.current.line
        while True:
            tokens.skip_newlines()
            if tokens.accept("}"):
                break
            line = tokens.current.line if not cases else line
            cases.append(self._case())
        _check_cases(cases, line)
        self._switches -= 1
        tokens.leave()
        return Switch(subject, tuple(cases))

    def _case(self) -> SwitchCase:
        tokens = self.tokens
        label: Expression | None = None
        if tokens.accept("case"):
            if tokens.kind not in ("number", "string", "ere", "regexp", "-", "+"):
                tokens.fail_unexpected()
            is_regexp = tokens.kind == "regexp"
            label = self._expressions.regexp() if is_regexp else self._expressions.unary()
        else:
            tokens.expect("default")
        tokens.expect(":")
        body: list[Statement] = []
        while True:
            tokens.skip_terminators()
            if tokens.kind in ("case", "default", "}"):
                return SwitchCase(label, tuple(body))
            body.append(self._statement())


_COMPOUND: dict[str, Callable[[_Parser], Statement]] = {
    "if": _Parser._if, "while": _Parser._while, "do": _Parser._do, "for": _Parser._for,
    "switch": _Parser._switch, ";": _Parser._empty,
}  # fmt: skip
_SIMPLE: dict[str, Callable[[_Parser], Statement]] = {
    "print": _Parser._print, "printf": _Parser._printf, "delete": _Parser._delete, "break": _Parser._break,
    "continue": _Parser._continue, "next": _Parser._next, "nextfile": _Parser._next_file,
    "exit": _Parser._exit, "return": _Parser._return,
}  # fmt: skip


def _check_cases(cases: list[SwitchCase], line: int) -> None:
    """Check the labels of a switch; two constants are equal when their texts are. Raises Fatal for a duplicate."""
    labels: set[str] = set()
    defaults = 0
    for case in cases:
        label, sign = case.label, ""
        while isinstance(label, (Negation, UnaryPlus)):
            sign = "-" if isinstance(label, Negation) else sign
            label = label.operand
        defaults += label is None
        if defaults > 1:
            raise Fatal("duplicate `default' detected in switch body", 1, line)
        if not isinstance(label, (Number, String)) or isinstance(label.value, Regexp):
            continue
        text = sign + (label.value if isinstance(label, String) else number_to_text(label.value, "%.6g"))
        if text in labels:
            raise Fatal(f"duplicate case values in switch body: {text}", 1, line)
        labels.add(text)


def _check_parameter(function: str, name: str, params: list[str], line: int) -> None:
    """Check the name of a parameter. Raises Fatal for a name that gawk rejects."""
    if name in params:
        raise Fatal(
            f"function `{function}': parameter #{len(params) + 1}, `{name}',"
            f" duplicates parameter #{params.index(name) + 1}",
            1,
            line,
        )
    if name == function:
        raise Fatal(f"function `{name}': cannot use function name as parameter name", 1, line)
    if name in SPECIAL:
        raise Fatal(
            f"function `{function}': cannot use special variable `{name}' as a function parameter", 1, line
        )
