"""Random scripts: by the grammar, and valid ones with a few tokens changed."""

from __future__ import annotations

import random
import re

_FRAGMENTS = r"""; & && || | |& ( ) { } (( )) [[ ]] if then fi else elif for in do done while until case esac ;;
;& function select time ! coproc < > >> <<< >& <& &> $ ${ } $( $(( )) ` " ' # = a b x=1 a[1]=2 a=( $x ${x}
"$x" 'q' $'z' @( |b) <( >( 1 2> {fd}> -f == =~ -eq * ? [ ] ~ , - -p \ """.split()


def mutate(script: str, random_: random.Random) -> str:
    tokens = re.findall(r"\w+|\s|.", script)
    for _ in range(random_.randint(1, 3)):
        choice = random_.random()
        at = random_.randrange(len(tokens) + 1)
        if choice < 0.35 and tokens:
            del tokens[min(at, len(tokens) - 1)]
        elif choice < 0.85:
            tokens.insert(at, random_.choice([*_FRAGMENTS, "\n", " ", "<<E\nx\nE\n"]))
        elif tokens:
            other, at = random_.randrange(len(tokens)), min(at, len(tokens) - 1)
            tokens[at], tokens[other] = tokens[other], tokens[at]
    return "".join(tokens)


class Generator:
    """Makes scripts that bash accepts."""

    def __init__(self, seed: int, extglob: bool = False, here_documents: bool = True) -> None:
        self.random = random.Random(seed)
        self.extglob = extglob
        self.here_documents = here_documents
        self.depth = 0
        self.documents: list[str] = []

    def script(self) -> str:
        lines = []
        for _ in range(self.random.randint(1, 2)):
            lines.append(self.list(";") + self.end_line())
        return "".join(lines)

    def end_line(self) -> str:
        documents, self.documents = self.documents, []
        return "\n" + "".join(documents)

    def pick(self, *choices):
        choice = self.random.choice(choices)
        return choice() if callable(choice) else choice

    def maybe(self, text, chance=0.3):
        return (text() if callable(text) else text) if self.random.random() < chance else ""

    def many(self, make, low, high, between=" "):
        return between.join(make() for _ in range(self.random.randint(low, high)))

    def list(self, separator: str) -> str:
        out = self.and_or()
        for _ in range(self.random.randint(0, 2)):
            out += self.pick("; ", "; ", " & ") + self.and_or()
        return out

    def body(self) -> str:
        """A list within a compound command, with what must end it."""
        out = self.list(";")
        return out + (self.end_line() if self.documents or self.random.random() < 0.3 else "; ")

    def and_or(self) -> str:
        return self.many(self.pipeline, 1, 2, self.pick(" && ", " || "))

    def pipeline(self) -> str:
        prefix = self.maybe("! ", 0.1) or self.maybe("time ", 0.05) or self.maybe("time -p ", 0.03)
        commands = [self.command() for _ in range(self.random.randint(1, 2))]
        function = commands[0].startswith(("f (", "function"))  # bash prints its 2>&1 into the body
        bar = self.pick(" | ", " | ", " | " if function else " |& ")
        return prefix + bar.join(commands)

    def command(self) -> str:
        if self.depth > 2 or self.random.random() < 0.75:
            return self.simple()
        self.depth += 1
        out = self.pick(
            lambda: f"{{ {self.body()}}}",
            lambda: f"( {self.list(';')}{self.end_line() if self.documents else ''})",
            lambda: f"if {self.body()}then {self.body()}{self.maybe(self.elif_)}{self.maybe(self.else_)}fi",
            lambda: f"{self.pick('while', 'until')} {self.body()}do {self.body()}done",
            lambda: f"for x in {self.many(self.word, 0, 3)}; do {self.body()}done",
            lambda: f"for x; do {self.body()}done",
            lambda: f"select x in {self.many(self.word, 1, 2)}; do {self.body()}done",
            lambda: f"for (({self.pick('', 'i=0')}; i < 3; i++)); do {self.body()}done",
            lambda: f"case {self.word()} in {self.many(self.clause, 0, 2, '')}esac",
            lambda: f"(( {self.arithmetic()} ))",
            lambda: f"[[ {self.condition()} ]]",
            lambda: f"{self.pick('f ()', 'function g', 'function h ()')} {{ {self.body()}}}",
        )
        self.depth -= 1
        return out + self.maybe(lambda: " " + self.redirection(), 0.15)

    def elif_(self) -> str:
        return f"elif {self.body()}then {self.body()}"

    def else_(self) -> str:
        return f"else {self.body()}"

    def clause(self) -> str:
        patterns = self.many(self.pattern, 1, 2, " | ")
        return (
            f"{self.maybe('(')}{patterns}) {self.maybe(self.body, 0.8)}{self.pick(';;', ';;', ';&', ';;&')} "
        )

    def pattern(self) -> str:
        return self.pick("a*", "[a-z]?", "*", self.word, *(["@(a|b*)"] if self.extglob else []))

    def condition(self) -> str:
        self.depth += 1
        choices = [
            lambda: f"-f {self.word()}",
            lambda: f"{self.word()} == {self.pick('a*', self.word)}",
            lambda: f"{self.word()} =~ ^(a|b)+$",
            lambda: f"{self.word()} -lt {self.word()}",
            self.word,
        ]
        if self.depth < 5:
            choices += [
                lambda: f"! {self.condition()}",
                lambda: f"( {self.condition()} )",
                lambda: f"{self.condition()} && {self.condition()}",
                lambda: f"{self.condition()} || {self.condition()}",
            ]
        out = self.pick(*choices)
        self.depth -= 1
        return out

    def arithmetic(self) -> str:
        return self.pick("1 + 2", "x++", "a[1] * $x", "(1) ? x : y", "x = 5, y", "$(echo 1) - 1")

    def simple(self) -> str:
        elements = [self.assignment() for _ in range(self.random.randint(0, 1))]
        elements += [self.command_word()] + [self.word() for _ in range(self.random.randint(0, 3))]
        if self.random.random() < 0.1:
            elements = ["declare", self.assignment(), self.assignment()]
        if self.random.random() < 0.25:
            elements.append(self.redirection())
        return " ".join(elements)

    def assignment(self) -> str:
        value = self.pick(self.word, "", lambda: f"({self.many(self.element, 0, 3)})")
        name = self.pick("x", "long_name", "a[1]", "a[$x + 1]")
        return f"{name if value[:1] != '(' else 'x'}{self.pick('=', '=', '+=')}{value}"

    def element(self) -> str:
        return self.pick(self.word, lambda: f"[{self.pick('1', '$x')}]={self.word()}")

    def redirection(self) -> str:
        return self.pick(
            lambda: (
                f"{self.pick('>', '<', '>>', '>|', '<>', '2>', '&>', '&>>', '<<<', '{fd}>')} {self.word()}"
            ),
            lambda: self.pick("2>&1", ">&2", "<&-", "3<&4-", ">& file"),
            self.document if self.here_documents else "<&3",
        )

    def document(self) -> str:
        quote = self.pick("", "", "'")
        tab = self.pick("", "-")
        self.documents.append(f"{tab and chr(9)}body $x\n\n{tab and chr(9)}E\n")
        return f"<<{tab}{quote}E{quote}"

    def command_word(self) -> str:
        return self.pick("echo", "a", "cmd", "./x", '"quoted cmd"', "$x")

    def word(self) -> str:
        return self.many(self.part, 1, 2, "")

    def part(self) -> str:
        self.depth += 1
        deep = self.depth > 3
        out = self.pick(
            "a",
            "b1",
            "--y",
            "a.b",
            "~",
            "{a,b}",
            "*",
            "'single $x'",
            "$'an\\tsi'",
            "\\-",
            "\\a",
            "$x",
            "$1",
            "${#x}",
            "${x}",
            lambda: f'"{self.many(self.quoted, 0, 3, "")}"',
            lambda: "q" if deep else self.parameter(),
            lambda: f"$(({self.arithmetic()}))",
            lambda: "s" if deep else f"$({self.substituted()})",
            lambda: "p" if deep else f"<({self.substituted()})",
            "`echo \\`a\\``",
            *(["+(a|b)"] if self.extglob else []),
        )
        self.depth -= 1
        return out

    def substituted(self) -> str:
        documents, self.documents = self.documents, []
        out = self.simple()
        if self.documents:
            out += self.end_line()
        self.documents = documents
        return out

    def quoted(self) -> str:
        self.depth += 1
        deep = self.depth > 3
        out = self.pick(
            "text ",
            "'",
            "\\$",
            "\\x",
            "$x",
            "${x}",
            "$((1 + 2))",
            lambda: "q" if deep else f"$({self.substituted()})",
            lambda: "q" if deep else self.parameter(),
        )
        self.depth -= 1
        return out.replace("'", "") if out.startswith("${") else out

    def parameter(self) -> str:
        name = self.pick("x", "a[1]", "a[@]", "1", "@", "#")
        operator = self.pick(":-", "-", ":=", "+", ":?", "#", "##", "%", "%%", "^", ",,")
        return self.pick(
            lambda: f"${{{name}{operator}{self.pick('a', '$y', '', 'b*')}}}",
            lambda: f"${{{name}{self.pick('/', '//', '/#', '/%')}{self.pick('a', '?')}{self.maybe('/b')}}}",
            lambda: f"${{{name}:{self.pick('1', ' -1', 'x+1')}{self.maybe(':2')}}}",
            lambda: f"${{x@{self.pick(*'QEPAa')}}}",
            lambda: self.pick("${!x}", "${!x*}", "${!a[@]}", "${#a[@]}"),
        )
