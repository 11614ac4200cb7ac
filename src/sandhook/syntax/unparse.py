"""Tree back to shell text, for function bodies, messages and fuzzing.

The layout is that of ``declare -f``, and of ``bash --pretty-print``. Where bash prints another
spelling than was read, so does this: ``elif`` as ``else`` with an ``if``, ``for x`` with
``in "$@"``, ``$'...'`` as '...', ``<&-`` as ``0>&-``, ``function f`` before every definition,
a function's body always in braces. Read again, the text means the same; where bash's own output
would not (a here-document before ``then``, a lost 1 in ``1<>f``, ``<f if``), the text is written so
that it does. Only ``declare -f`` and ``jobs`` print ``coproc COPROC a b``, as bash does.

Source: bash 5.2 print_cmd.c, as its output shows.
"""

from __future__ import annotations

from typing import Any

from sandhook.errors import LimitExceeded
from sandhook.syntax import nodes as n
from sandhook.syntax.wordprinter import delimiter_text, word_text
from sandhook.text.quoting import single_quote

#: Commands may stand in each other this deep; the parser's own bound keeps trees below it.
MAX_DEPTH = 400
_INDENT = 4

#: Names that need the keyword when they are a function's.
_RESERVED = frozenset((
    "if", "then", "else", "elif", "fi", "case", "esac", "for", "select", "while", "until", "do", "done", "in", "function",
    "time", "{", "}", "!", "[[", "]]", "coproc",
))  # fmt: skip

#: The words of a substitution that only times: its ")" needs no ";" before it.
_TIME_WORDS = frozenset(("time", "-p", "--", "!", ";"))


def unparse(node: n.Node, posix: bool = False, *, as_bash: bool = False) -> str:
    """Return shell text for any node, without a newline at its end.

    Args:
        node: A command, a list, a word or a part of one.
        posix: Write ``f ()`` rather than ``function f ()``, as bash does in POSIX mode.
        as_bash: See ``function_text``.

    Raises:
        LimitExceeded: The tree is nested more deeply than the parser makes one.
    """
    try:
        if isinstance(node, (n.CommandList, *_PRINTERS)):
            printer = Printer(posix)
            printer.names_coprocesses = as_bash
            printer.command(node)
            return printer.text()
        return word_text(node, substitution_text)
    except RecursionError:
        raise LimitExceeded("nesting", MAX_DEPTH, "unparse") from None


def function_text(name: str, body: n.Node, *, as_bash: bool = True, posix: bool = False) -> str:
    """Return a function's definition as ``declare -f`` and ``type`` print it; ``posix`` is that of ``unparse``.

    ``as_bash``: with ``coproc COPROC cat`` for ``coproc cat``, which bash reads as a command COPROC.
    """
    printer = Printer(posix)
    printer.names_coprocesses = as_bash
    printer.write(f"{'function ' if name in _RESERVED else ''}{name} () \n")
    printer.function_body(body)
    return printer.text()


def substitution_text(body: n.CommandList | None, *, as_bash: bool = False) -> str:
    """Return what stands between the parentheses of ``$( )``; see ``function_text`` for ``as_bash``."""
    if body is None:
        return ""
    printer = Printer(False)
    printer.in_substitution, printer.names_coprocesses = True, as_bash
    printer.command(body)
    text = printer.text() + _terminator(body)
    if text.startswith("time ") and text.endswith(" ;") and _TIME_WORDS.issuperset(text.split()):
        return text[:-2]
    return " " + text if text.startswith("(") else text


class Printer:
    """Collects text; a command prints its own first indentation unless ``skip_indent``."""

    def __init__(self, posix: bool) -> None:
        self.posix = posix
        self.in_substitution = False
        self.out: list[str] = []
        self.indent = 0
        self.skip_indent = False
        self.in_function = 0
        self.in_connection = 0
        self.wrote_document = False  # and no list has ended after it
        self.deferred: list[n.Redirection] = []  # here-documents whose bodies follow the operator
        self.depth = 0
        self.names_coprocesses = False

    def text(self) -> str:
        self.flush("")
        return "".join(self.out)

    def write(self, text: str) -> None:
        if text:
            self.out.append(text)

    def word_text(self, word: n.Node) -> str:
        """Return a word, with substitutions in the spelling of this printer."""
        return word_text(word, lambda body: substitution_text(body, as_bash=self.names_coprocesses))

    def newline(self, text: str = "") -> None:
        self.write("\n" + " " * self.indent + text)

    def semicolon(self) -> None:
        if not (self.out and self.out[-1][-1] in "&\n"):
            self.write(";")

    def word(self, word: n.Node) -> None:
        self.write(self.word_text(word))

    # ------------------------------------------------------------------ commands

    def command(self, node: n.Node) -> None:
        """Print a command or a list with the current indentation."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise LimitExceeded("nesting", MAX_DEPTH, "unparse")
        if isinstance(node, n.CommandList) and len(node.items) == 1 and not node.items[0].background:
            node = node.items[0].command
        if self.skip_indent:
            self.skip_indent = False
        else:
            self.write(" " * self.indent)
        _PRINTERS[node.__class__](self, node)
        redirections = getattr(node, "redirections", ())
        if redirections and not isinstance(node, n.SimpleCommand):
            self.write(" ")
            self.redirections(redirections)
        self.depth -= 1

    def inner(self, node: n.Node) -> None:
        """Print a command on the line that is being written."""
        self.skip_indent = True
        self.command(node)

    def body(self, node: n.Node) -> None:
        """Print a list on lines of its own, one level in."""
        self.indent += _INDENT
        self.command(node)
        self.flush("")
        self.indent -= _INDENT

    def command_list(self, node: n.CommandList) -> None:
        self.in_connection += 1
        last = len(node.items) - 1
        self.skip_indent = True
        for index, item in enumerate(node.items):
            self.command(item.command)
            if item.background:
                self.flush(" &")
                if index < last:
                    self.write(" ")
                    self.skip_indent = True
            elif index < last:
                first = index == 0 and len(getattr(item.command, "commands", ())) < 2
                self.end_command(self.in_substitution and item.newline, first)
        self.flush("")
        self.in_connection -= 1

    def end_command(self, newline: bool, first: bool) -> None:
        """Print what stands between two commands of a list.

        As in bash, a ";" in a function is lost after a here-document: the one that follows it, or, if the
        here-document is that of the ``first`` command, the next one.
        """
        if self.deferred:
            self.flush("" if self.in_function else ";")
            self.wrote_document = first
        elif self.out and self.out[-1].endswith("\n"):  # of a here-document
            newline = self.wrote_document = False
        elif self.wrote_document and self.in_function:
            self.wrote_document = False
        elif not newline:
            self.write(";")
        if self.in_function or newline:
            self.write("\n")
        else:
            self.write(" ")
        self.skip_indent = not self.in_function

    def and_or(self, node: n.AndOr) -> None:
        self.connection(node.commands, [f" {operator} " for operator in node.operators])

    def pipeline(self, node: n.Pipeline) -> None:
        if node.timed:
            self.write(node.timed + " ")
        if node.negated:
            self.write("! ")
        if not node.commands:
            self.write("" if node.negated or node.timed else "! !")
            return
        if node.timed == "time -p" and not node.negated and _first_text(node.commands[0]) == "--":
            self.write("-- ")  # the first one would end the options of time
        if len(node.commands) == 1:
            self.inner(node.commands[0])
            return
        bars = []
        commands = list(node.commands)
        for index, both in enumerate(node.both):
            bars.append(" | ")
            if both:
                commands[index] = _with_errors(commands[index])
        self.connection(tuple(commands), bars)

    def connection(self, commands: tuple[n.Command, ...], operators: list[str]) -> None:
        self.in_connection += 1
        self.inner(commands[0])
        for operator, command in zip(operators, commands[1:]):
            if self.deferred and operator == " | ":
                self.flush(" |")
                self.write(" ")
            else:
                self.flush(operator)
            self.inner(command)
        self.in_connection -= 1
        if not self.in_connection:  # else the bodies wait for the operator that follows
            self.flush("")

    def simple_command(self, node: n.SimpleCommand) -> None:
        texts = [self.word_text(word) for word in (*node.assignments, *node.words)]
        if node.redirections and not node.assignments and texts and texts[0] in (*_RESERVED, "--"):
            self.redirections(node.redirections, " " + " ".join(texts))  # "<f if" is the command "if"
            return
        self.write(" ".join(texts))
        if node.redirections:
            if texts:
                self.write(" ")
            self.redirections(node.redirections)

    def subshell(self, node: n.Subshell) -> None:
        self.write("( ")
        self.inner(node.body)
        self.flush("")
        self.write(f"{_terminator(node.body)} )")

    def group(self, node: n.BraceGroup) -> None:
        self.write("{ ")
        if self.in_function:
            self.write("\n")
            self.body(node.body)
            self.newline()
        else:
            self.inner(node.body)
            self.flush("")
            self.semicolon()
            self.write(" ")
        self.write("}")

    def if_clause(self, node: n.If) -> None:
        self.if_from(node, 0)

    def if_from(self, node: n.If, index: int) -> None:
        """Print from the clause at ``index`` on; later ones become ``else if``."""
        clause = node.clauses[index]
        self.write("if ")
        self.inner(clause.condition)
        self.flush("")
        self.semicolon()
        self.write(" then\n")
        self.body(clause.body)
        if index + 1 < len(node.clauses):
            self.semicolon()
            self.newline("else\n")
            self.depth += 1
            if self.depth > MAX_DEPTH:
                raise LimitExceeded("nesting", MAX_DEPTH, "unparse")
            self.indent += _INDENT
            self.write(" " * self.indent)
            self.if_from(node, index + 1)
            self.flush("")
            self.indent -= _INDENT
            self.depth -= 1
        elif node.otherwise is not None:
            self.semicolon()
            self.newline("else\n")
            self.body(node.otherwise)
        self.semicolon()
        self.newline("fi")

    def while_loop(self, node: n.While) -> None:
        self.write("until " if node.until else "while ")
        self.inner(node.condition)
        self.flush("")
        self.semicolon()
        self.write(" do\n")
        self.body(node.body)
        self.semicolon()
        self.newline("done")

    def for_loop(self, node: n.For | n.Select) -> None:
        words = ['"$@"'] if node.words is None else [self.word_text(w) for w in node.words]
        keyword = "for" if isinstance(node, n.For) else "select"
        self.write(f"{keyword} {node.name} in {' '.join(words)};")
        self.loop_body(node.body)

    def arithmetic_for(self, node: n.ArithmeticFor) -> None:
        texts = [self.word_text(word) or "1" for word in (node.init, node.condition, node.update)]
        self.write(f"for (({'; '.join(texts)}))")
        self.loop_body(node.body)

    def loop_body(self, body: n.CommandList) -> None:
        self.newline("do\n")
        self.body(body)
        self.semicolon()
        self.newline("done")

    def case(self, node: n.Case) -> None:
        self.write("case ")
        self.word(node.subject)
        self.write(" in ")
        self.indent += _INDENT
        for clause in node.clauses:
            patterns = [self.word_text(pattern) for pattern in clause.patterns]
            self.newline(("(" if patterns[0] == "esac" else "") + " | ".join(patterns))
            self.write(")\n")
            if clause.body is not None:
                self.body(clause.body)
            self.newline(clause.terminator)
        self.indent -= _INDENT
        self.newline("esac")

    def arithmetic_command(self, node: n.ArithmeticCommand) -> None:
        self.write("((")
        self.word(node.expression)
        self.write("))")

    def conditional_command(self, node: n.ConditionalCommand) -> None:
        self.write("[[ ")
        self.condition(node.expression)
        self.write(" ]]")

    def condition(self, node: n.Condition) -> None:
        if isinstance(node, n.CondUnary):
            self.write(node.operator + " ")
            self.word(node.operand)
        elif isinstance(node, n.CondBinary):
            self.word(node.left)
            self.write(f" {node.operator} ")
            self.word(node.right)
        elif isinstance(node, n.CondNot):
            self.write("! ")
            self.condition(node.operand)
        elif isinstance(node, n.CondGroup):
            self.write("( ")
            self.condition(node.operand)
            self.write(" )")
        else:
            self.condition(node.left)
            self.write(" && " if isinstance(node, n.CondAnd) else " || ")
            self.condition(node.right)

    def function(self, node: n.FunctionDefinition) -> None:
        self.write(f"{'' if self.posix else 'function '}{node.name} () \n")
        self.function_body(node.body)

    def function_body(self, body: n.Node) -> None:
        self.write(" " * self.indent + "{ \n")
        self.in_function += 1
        redirections: tuple[n.Redirection, ...] = ()
        if isinstance(body, n.BraceGroup):
            redirections = body.redirections
            self.body(body.body)
        else:
            self.body(body)
        self.in_function -= 1
        self.wrote_document = False
        self.newline("} " if redirections else "}")
        if redirections:
            self.redirections(redirections)

    def coprocess(self, node: n.Coprocess) -> None:
        # a name would be the first word of a simple command
        simple = isinstance(node.command, n.SimpleCommand) and not self.names_coprocesses
        self.write("coproc " if simple else f"coproc {node.name or 'COPROC'} ")
        self.inner(node.command)

    # ------------------------------------------------------------------ redirections

    def redirections(self, redirections: tuple[n.Redirection, ...], after_first: str = "") -> None:
        documents = []
        self.wrote_document = False
        for index, redirection in enumerate(redirections):
            if index:
                self.write(" ")
            self.write(redirection_text(redirection))
            if not index:
                self.write(after_first)
            if redirection.document is not None:
                documents.append(redirection)
        if documents:
            if self.in_connection:
                self.deferred.extend(documents)
            else:
                self.documents(documents)

    def documents(self, redirections: list[n.Redirection]) -> None:
        self.write("\n")
        self.wrote_document = True
        for redirection in redirections:
            document = redirection.document
            assert document is not None
            self.write(f"{document.text}{delimiter_text(document)}\n")

    def flush(self, operator: str) -> None:
        """Print an operator, and then the bodies that waited for it."""
        visible = operator not in ("", ";")
        if visible:
            self.write(operator)
        if self.deferred:
            documents, self.deferred = self.deferred, []
            self.documents(documents)
            if visible:
                self.write(" ")


def redirection_text(node: n.Redirection) -> str:
    """Return one redirection, a here-document's body not included."""
    operator, fd = node.operator, node.fd
    prefix = f"{{{node.variable}}}" if node.variable is not None else "" if fd is None else str(fd)
    default = "0" if operator.startswith("<") else "1"
    if operator in ("<<", "<<-"):
        assert node.document is not None
        delimiter = delimiter_text(node.document)
        if node.document.quoted:
            delimiter = single_quote(delimiter)
        space = " " if delimiter.startswith(("-", "<")) else ""  # "<<-E" and "<<<(E)" have other operators
        return f"{'' if prefix == '0' else prefix}{operator}{space}{delimiter}"
    target = word_text(node.target, substitution_text)
    if operator in ("<&", ">&"):
        if target == "-":
            return f"{prefix or default}>&-"
        if target.rstrip("-").isdigit():
            return f"{prefix or default}{operator}{target}"
        return f"{'' if prefix == default else prefix}{operator}{target}"
    if operator == "<>":
        return f"{prefix or default}<> {target}"
    if prefix == default:
        prefix = ""
    return f"{prefix}{operator} {target}"


def _first_text(command: n.Command) -> str:
    """Return the text of a simple command's first word, "" for another command."""
    if isinstance(command, n.SimpleCommand) and command.words and not command.assignments:
        return word_text(command.words[0], substitution_text)
    return ""


def _terminator(body: n.CommandList) -> str:
    """Return what separates a list from a ")": a ";" after "!" or "time" without a command."""
    if not body.items or body.items[-1].background:
        return ""
    last: n.Command = body.items[-1].command
    if isinstance(last, n.AndOr):
        last = last.commands[-1]
    return ";" if isinstance(last, n.Pipeline) and not last.commands else ""


def _with_errors(command: n.Command) -> n.Command:
    """Return the command of ``command |&`` with the redirection that ``|&`` abbreviates."""
    if "redirections" not in command._fields:
        return command
    values = list(command)
    index = command._fields.index("redirections")
    word = n.Word((n.Literal("1"),))
    values[index] = (*values[index], n.Redirection(">&", word, 2))
    return command.__class__(*values)


_PRINTERS: dict[type[n.Node], Any] = {
    n.CommandList: Printer.command_list,
    n.SimpleCommand: Printer.simple_command,
    n.Pipeline: Printer.pipeline,
    n.AndOr: Printer.and_or,
    n.Subshell: Printer.subshell,
    n.BraceGroup: Printer.group,
    n.If: Printer.if_clause,
    n.While: Printer.while_loop,
    n.For: Printer.for_loop,
    n.Select: Printer.for_loop,
    n.ArithmeticFor: Printer.arithmetic_for,
    n.Case: Printer.case,
    n.ArithmeticCommand: Printer.arithmetic_command,
    n.ConditionalCommand: Printer.conditional_command,
    n.FunctionDefinition: Printer.function,
    n.Coprocess: Printer.coprocess,
}
