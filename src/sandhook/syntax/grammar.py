"""The action of each production of the grammar, which makes a node.

An action receives the values of its production's symbols: a token for a terminal, for the others
what their own action returned (a list for words, redirections and unfinished lists, else a node).
"""

from __future__ import annotations

from sandhook.record import new_record
from sandhook.syntax.driver import Action, Driver, Symbols
from sandhook.syntax.lexer import Lexer
from sandhook.syntax.nodes import (
    AndOr,
    ArithmeticCommand,
    ArithmeticFor,
    Assignment,
    BraceGroup,
    Case,
    CaseClause,
    Command,
    CommandList,
    CondBinary,
    ConditionalCommand,
    CondNot,
    CondUnary,
    Coprocess,
    For,
    FunctionDefinition,
    If,
    IfClause,
    ListItem,
    Literal,
    Pipeline,
    Redirection,
    Select,
    SimpleCommand,
    Subshell,
    While,
    Word,
    renumbered,
)
from sandhook.syntax.tokens import END, Token
from sandhook.text.numbers import decimal
from sandhook.typed import Literal as OneOf

_CONNECTORS: dict[str, OneOf["&&", "||"]] = {"AND_AND": "&&", "OR_OR": "||"}


# --------------------------------------------------------------------------- lists


def _command_list(flat: Symbols) -> CommandList:
    """Make a list of ``[command, operator token, command, ...]``, with or without a last operator."""
    items: list[ListItem] = []
    commands: list[Command] = []
    operators: list[OneOf["&&", "||"]] = []
    for index in range(0, len(flat), 2):
        commands.append(flat[index])
        kind = flat[index + 1].kind if index + 1 < len(flat) else "NEWLINE"
        connector = _CONNECTORS.get(kind)
        if connector is not None:
            operators.append(connector)
            continue
        command = commands[0]
        if operators:
            span = (command.span[0], commands[-1].span[1])
            command = new_record(AndOr, (tuple(commands), tuple(operators), span))
            operators = []
        items.append(new_record(ListItem, (command, kind == "AMPERSAND", kind == "NEWLINE")))
        commands = []
    span = (items[0].command.span[0], items[-1].command.span[1])
    return new_record(CommandList, (tuple(items), span))


def _first(lexer: Lexer, p: Symbols) -> Symbols:
    return [p[0]]


def _append(lexer: Lexer, p: Symbols) -> Symbols:
    """``things : things thing``"""
    things: Symbols = p[0]
    things.append(p[1])
    return things


def _join(lexer: Lexer, p: Symbols) -> Symbols:
    """``list1 : list1 OPERATOR newline_list list1``"""
    flat: Symbols = p[0]
    flat.append(p[1])
    flat.extend(p[-1])
    return flat


def _list_with_end(lexer: Lexer, p: Symbols) -> CommandList:
    """``list1 OPERATOR newline_list``, ``simple_list1 [OPERATOR]``"""
    if len(p) > 1:
        p[0].append(p[1])
    return _command_list(p[0])


def _compound_list(lexer: Lexer, p: Symbols) -> CommandList:
    return _command_list(p[1])


def _second(lexer: Lexer, p: Symbols) -> object:
    return p[1]


def _nothing(lexer: Lexer, p: Symbols) -> None:
    return None


# --------------------------------------------------------------------------- pipelines


def _pipeline(lexer: Lexer, p: Symbols) -> Symbols:
    """Collect commands and bars backwards: the production recurses on its right. A single command stays itself."""
    flat: Symbols = p[3] if p[3].__class__ is list else [p[3]]
    flat.append(p[1])
    if p[0].__class__ is list:
        flat.extend(p[0])
    else:
        flat.append(p[0])
    return flat


def _pipeline_command(lexer: Lexer, p: Symbols) -> Command:
    if p[0].__class__ is not list:
        command: Command = p[0]
        return command
    flat: Symbols = p[0]
    flat.reverse()
    commands = tuple(flat[::2])
    both = tuple(bar.kind == "BAR_AND" for bar in flat[1::2])
    return Pipeline(commands, both, False, None, (commands[0].span[0], commands[-1].span[1]))


def _prefixed(lexer: Lexer, p: Symbols) -> Command:
    """``! pipeline``, ``time pipeline``, and either alone before a terminator."""
    prefix, rest = p
    timed = None
    if prefix.__class__ is Token:
        start, end = prefix.start, prefix.end
    else:
        timed, start, end = prefix
    if rest.__class__ is Token:
        if rest.kind != END:
            lexer.push_back(rest)
        return Pipeline((), (), timed is None, timed, (start, end))
    if rest.__class__ is Pipeline:
        commands, both, negated, inner, span = rest
    else:
        commands, both, negated, inner, span = (rest,), (), False, None, rest.span
    if timed is None:
        negated = not negated
    elif inner is None or timed == "time -p":
        inner = timed
    if len(commands) == 1 and not negated and inner is None:
        command: Command = commands[0]
        return command
    return Pipeline(commands, both, negated, inner, (start, span[1]))


def _timespec(lexer: Lexer, p: Symbols) -> tuple[OneOf["time", "time -p"], int, int]:
    posix = len(p) > 1  # in bash `--` means -p as well
    return "time -p" if posix else "time", p[0].start, p[-1].end


# --------------------------------------------------------------------------- simple commands


def _simple_command(lexer: Lexer, p: Symbols) -> SimpleCommand:
    assignments: list[Assignment] = []
    words: list[Word | Assignment] = []
    redirections: list[Redirection] = []
    elements = p[0]
    for element in elements:
        if element.__class__ is Redirection:
            redirections.append(element)
        elif element.kind == "ASSIGNMENT_WORD":
            assignments.append(element.value)
        else:
            words.append(element.value)
            words.extend(element.arguments)
    first, last = elements[0], elements[-1]
    start = first.start if first.__class__ is Token else first.span[0]
    if last.__class__ is not Token:
        end = last.span[1]
    else:
        end = last.arguments[-1].span[1] if last.arguments else last.end
    parts = tuple(assignments), tuple(words), tuple(redirections)
    line = lexer.line_at(_line_ends(lexer, elements))
    if lexer.is_divided(start, end):
        parts = renumbered(parts, line)
    return new_record(SimpleCommand, (*parts, line, (start, end)))


def _line_ends(lexer: Lexer, elements: Symbols) -> int:
    """Return the offset whose line bash counts as a command's: the parser's position when it begins one.

    That is after its first word and the token that follows, which may have newlines in quotes.
    """
    first = elements[0]
    if first.__class__ is Redirection:
        return int(first.span[1])
    if first.arguments:
        return int(first.arguments[0].span[1])
    if first.kind == "ASSIGNMENT_WORD":
        return int(first.end)
    if len(elements) == 1:
        return lexer.after_continuations(first.end)
    second = elements[1]
    return int(second.end if second.__class__ is Token else second.span[0])


def _redirection(lexer: Lexer, p: Symbols) -> Redirection:
    fd = variable = None
    start = p[0].start
    if len(p) == 3:
        source = p[0]
        if source.kind == "NUMBER":
            fd = decimal(source.text)
        else:
            variable = source.text
    operator, target = p[-2], p[-1]
    word = target.value
    if target.kind == "DASH":
        word = Word((Literal("-"),), (target.start, target.end))
    return Redirection(operator.text, word, fd, variable, target.document, (start, target.end))


def _redirected(lexer: Lexer, p: Symbols) -> Command:
    """``shell_command redirection_list``"""
    command: Command = p[0]
    if len(p) == 1:
        return command
    redirections: list[Redirection] = p[1]
    values = list(command)
    values[command._fields.index("redirections")] = tuple(redirections)
    values[-1] = (command.span[0], redirections[-1].span[1])
    return command.__class__(*values)


# --------------------------------------------------------------------------- compound commands


def _place(lexer: Lexer, first: Token, last: Token) -> tuple[tuple[()], int, tuple[int, int]]:
    """Return a compound command's last three fields: redirections, line, span."""
    return (), lexer.line_at(first.start), (first.start, last.end)


def _shell_command(lexer: Lexer, p: Symbols) -> Command:
    if len(p) == 1:
        command: Command = p[0]
        return command
    return While(p[1], p[3], p[0].kind == "UNTIL", *_place(lexer, p[0], p[-1]))


def _for(lexer: Lexer, p: Symbols) -> For | Select:
    """``for name [in words]; do list; done``, and the same for ``select``."""
    words = None
    if any(symbol.__class__ is Token and symbol.kind == "IN" for symbol in p):
        words = next((tuple(symbol) for symbol in p if symbol.__class__ is list), ())
    node = For if p[0].kind == "FOR" else Select
    return node(p[1].text, words, p[-2], *_place(lexer, p[0], p[-1]))


def _word_list(lexer: Lexer, p: Symbols) -> list[Word]:
    if len(p) == 1:
        return [p[0].value]
    words: list[Word] = p[0]
    words.append(p[1].value)
    return words


def _arithmetic_for(lexer: Lexer, p: Symbols) -> ArithmeticFor:
    init, condition, update = p[1].value
    redirections, line, span = _place(lexer, p[0], p[-1])
    if lexer.last_arithmetic_for[0] > span[0]:  # bash keeps one record, which a nested loop changes
        line = lexer.last_arithmetic_for[1]
    lexer.last_arithmetic_for = (span[0], line)
    return new_record(ArithmeticFor, (init, condition, update, p[-2], redirections, line, span))


def _case(lexer: Lexer, p: Symbols) -> Case:
    clauses = next((tuple(symbol) for symbol in p if symbol.__class__ is list), ())
    return Case(p[1].value, clauses, *_place(lexer, p[0], p[-1]))


def _pattern_list(lexer: Lexer, p: Symbols) -> CaseClause:
    patterns = p[1] if p[1].__class__ is list else p[2]
    return new_record(CaseClause, (tuple(patterns), p[-1], ";;"))


def _case_clause(lexer: Lexer, p: Symbols) -> list[CaseClause]:
    """``case_clause : [case_clause_sequence] pattern_list``"""
    if len(p) == 1:
        return [p[0]]
    clauses: list[CaseClause] = p[0]
    clauses.append(p[1])
    return clauses


def _case_clause_sequence(lexer: Lexer, p: Symbols) -> list[CaseClause]:
    patterns, body, _ = p[-2]
    clause = new_record(CaseClause, (patterns, body, p[-1].text))
    if len(p) == 2:
        return [clause]
    clauses: list[CaseClause] = p[0]
    clauses.append(clause)
    return clauses


def _pattern(lexer: Lexer, p: Symbols) -> list[Word]:
    if len(p) == 1:
        return [p[0].value]
    words: list[Word] = p[0]
    words.append(p[2].value)
    return words


def _if(lexer: Lexer, p: Symbols) -> If:
    clauses, otherwise = [IfClause(p[1], p[3])], None
    if len(p) == 7:
        otherwise = p[5]
    elif len(p) == 6:
        more, otherwise = p[4]
        clauses.extend(reversed(more))
    return new_record(If, (tuple(clauses), otherwise, *_place(lexer, p[0], p[-1])))


def _elif(lexer: Lexer, p: Symbols) -> tuple[list[IfClause], CommandList | None]:
    """Collect clauses backwards: the production recurses on its right."""
    clause = IfClause(p[1], p[3])
    if len(p) == 5:
        more, otherwise = p[4]
        more.append(clause)
        return more, otherwise
    return [clause], p[5] if len(p) == 6 else None


def _subshell(lexer: Lexer, p: Symbols) -> Subshell:
    return Subshell(p[1], (), lexer.line_at(p[2].start), (p[0].start, p[2].end))  # bash counts its end


def _group(lexer: Lexer, p: Symbols) -> BraceGroup:
    return new_record(BraceGroup, (p[1], *_place(lexer, p[0], p[2])))


def _arithmetic_command(lexer: Lexer, p: Symbols) -> ArithmeticCommand:
    redirections, _, span = _place(lexer, p[0], p[0])
    return ArithmeticCommand(
        p[0].value, redirections, lexer.line_at(span[1] - 1), span
    )  # bash counts its last line


_SINGLE = (CondBinary, CondUnary)


def _conditional_command(lexer: Lexer, p: Symbols) -> ConditionalCommand:
    redirections, _, span = _place(lexer, p[0], p[2])
    condition = p[1].value
    last = condition
    while last.__class__ is CondNot:
        last = last.operand
    # bash counts where the condition ends: a single one with its last word, others with the token after it
    end = last[2 if last.__class__ is CondBinary else 1].span[1] if last.__class__ in _SINGLE else span[1]
    return new_record(ConditionalCommand, (condition, redirections, lexer.line_at(end - 1), span))


def _function(lexer: Lexer, p: Symbols) -> FunctionDefinition:
    keyword = p[0].kind == "FUNCTION"
    name = p[1] if keyword else p[0]
    body = p[-1]
    start = p[0].start
    line = lexer.line_at(start)
    # bash keeps one record of both lines, which a nested definition changes
    if lexer.last_function[0] > start:
        line = lexer.last_function[1]
    lexer.last_function = (start, line)
    if body.__class__ is BraceGroup:
        if lexer.last_brace[0] > start:
            body = body._replace(line=lexer.last_brace[1])
        lexer.last_brace = (start, body.line)
    return new_record(FunctionDefinition, (name.text, body, keyword, line, (start, body.span[1])))


def _coprocess(lexer: Lexer, p: Symbols) -> Coprocess:
    name = None
    rest = p[1:]
    if rest[0].__class__ is Token:
        name = rest.pop(0).text
    if rest[0].__class__ is list:
        command: Command = _simple_command(lexer, rest)
    else:
        command = _redirected(lexer, rest)
    start = p[0].start
    return Coprocess(name, command, lexer.line_at(start), (start, command.span[1]))


ACTIONS: dict[str, Action] = {
    "inputunit : DOLPAREN compound_list RIGHT_PAREN": _second,
    "inputunit : DOLPAREN newline_list RIGHT_PAREN": _nothing,
    "word_list": _word_list,
    "redirection": _redirection,
    "redirection_list : redirection": _first,
    "redirection_list": _append,
    "simple_command : simple_command_element": _first,
    "simple_command": _append,
    "command : simple_command": _simple_command,
    "command : shell_command redirection_list": _redirected,
    "shell_command : WHILE compound_list DO compound_list DONE": _shell_command,
    "shell_command : UNTIL compound_list DO compound_list DONE": _shell_command,
    "for_command": _for,
    "select_command": _for,
    "arith_for_command": _arithmetic_for,
    "case_command": _case,
    "case_clause": _case_clause,
    "case_clause_sequence": _case_clause_sequence,
    "pattern_list": _pattern_list,
    "pattern": _pattern,
    "function_def": _function,
    "function_body": _redirected,
    "subshell": _subshell,
    "group_command": _group,
    "coproc": _coprocess,
    "if_command": _if,
    "elif_clause": _elif,
    "arith_command": _arithmetic_command,
    "cond_command": _conditional_command,
    "list : newline_list list0": _second,
    "compound_list : newline_list list1": _compound_list,
    "list0": _list_with_end,
    "list1 : pipeline_command": _first,
    "list1": _join,
    "simple_list": _list_with_end,
    "simple_list1 : pipeline_command": _first,
    "simple_list1": _join,
    "pipeline_command : pipeline": _pipeline_command,
    "pipeline_command": _prefixed,
    "pipeline : pipeline BAR newline_list pipeline": _pipeline,
    "pipeline : pipeline BAR_AND newline_list pipeline": _pipeline,
    "timespec": _timespec,
    "newline_list : newline_list NEWLINE": _nothing,
}

DRIVER = Driver(ACTIONS)
