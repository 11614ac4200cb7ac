"""Random awk programs with their inputs, for a comparison with gawk.

Loops are bounded, files have names of a closed list, and pipes start cat, sort and echo alone: a program neither runs
for long nor touches anything but the directory in which it runs.
"""

from __future__ import annotations

from random import Random
from typing import NamedTuple

FILES = {
    "f": "a b c\n1 2 3\n\n10 9 0x1A\n-4 +5 .5\nab,cd e:f\n1e2 100\n  lead  trail  \nfoo bar foo\n3x 017 1.\n",
    "g": "x:1:2\n\n\ny:é:3\nz\n\n a b\n- 0 -0\n",
    "p": "one 1\ntwo 2\n\n\nthree 3 3\nfour\n\nfive\n",
    "e": "",
    "n": "no newline\nat end",
}  # fmt: skip

_STRINGS = (
    "a", "b", "ab", "abc", "", "10", "9", "3x", " 3 ", "0x1A", "017", "1e2", "-5", "+5", ".5", "5.", "é", "aéb", "foo bar",
    "a.b.c", "a,b;c", "inf", "nan", "A", "\\n", "\\t", "\\/", "\\\\", "\\101", "\\x41", "a\\\"b", "&", "\\\\&",
)  # fmt: skip
_REGEXES = (
    "a", "b+", "[0-9]+", "^a", "b$", "a|b", "(a)(b)", "[a-c]", ".", "x*", "", "^", "$", "[[:digit:]]", "[^a]", "a{2}", "o{1,2}",
    "\\.", "\\/", "[/]", "\\<a", "\\y", "\\s", "\\w+", "(a|b)*", "[ab]|c", "^ +", "[[:space:]]", "a?", "\\$", "[.]", "(^a)", "+", "*a",
)  # fmt: skip
_BAD_REGEXES = ("(", "[", "a{", "a{1", "a**", "a)", "[z-a]", "[[:nope:]]", "a{2,1}", "()", "\\\\")
_NUMBERS = (
    "0", "1", "2", "3", "10", "-1", "0.5", "1.5", "2.5", "1e3", "1e6", "123456789", "2147483648", "9007199254740993",
    "1e18", "1e19", "1e300", "0.1", "017", "0x11", "3.0", "1e-5", "100000", "1234567.8", ".5", "5.",
)  # fmt: skip
_FORMATS = (
    "%d", "%i", "%5d", "%-5d|", "%05d", "%+d", "% d", "%x", "%X", "%#x", "%o", "%#o", "%u", "%c", "%5c", "%s", "%5s", "%-5s|",
    "%.2s", "%.0s", "%f", "%.2f", "%e", "%g", "%G", "%E", "%10.3e", "%.3g", "%#g", "%%", "%5%", "%.5d", "%8.3d", "%-8.3f|", "%+.1f",
    "%a", "%F", "%.d", "%.0f", "%'d", "%ld", "%hd",
)  # fmt: skip
_BAD_FORMATS = (
    "%",
    "%z",
    "%5",
    "%.",
    "%1$d",
    "%2$s %1$s",
    "%*d",
    "%.*f",
    "%-*s|",
    "%*.*f",
    "%k%d",
    "a%",
    "%0$d",
    "%1$d %d",
    "%*",
    "%lld",
)


class Case(NamedTuple):
    """The arguments of gawk, and its standard input."""

    arguments: tuple[str, ...]
    stdin: str


class _Writer:
    """Writes one program; every choice is the generator's."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.loops = 0
        self.in_function = False
        self.in_loop = False
        self.in_special = False  #: in BEGIN or END

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    # ------------------------------------------------------------------ expressions

    def string(self) -> str:
        return f'"{self.random.choice(_STRINGS)}"'

    def regex(self) -> str:
        """Return a constant, or an expression that is used as one."""
        kind = self.random.random()
        text = self.random.choice(_BAD_REGEXES if self.chance(0.04) else _REGEXES)
        if kind < 0.7:
            return f"/{text}/"
        if kind < 0.9:
            return '"' + (text if self.chance(0.1) else text.replace("\\", "\\\\")) + '"'
        return self.pick("$1", "unset", "v", "s", "$2")

    def variable(self) -> str:
        return self.pick("x", "y", "z", "s", "v")

    def lvalue(self) -> str:
        kind = self.random.random()
        if kind < 0.6:
            return self.variable()
        if kind < 0.8:
            return self.element()
        return self.pick("$1", "$2", "$3", "$NF", "$0", "$(NF+1)", "NF", "NR", "$5")

    def element(self) -> str:
        subscripts = ", ".join(self.simple() for _ in range(self.random.choice([1, 1, 1, 2])))
        return f"{self.pick('m', 'q')}[{subscripts}]"

    def simple(self) -> str:
        return self.pick(
            self.variable(), self.string(), self.random.choice(_NUMBERS), "$1", "$2", "$3", "$NF", "$0", "NR", "NF", "FNR",
            "unset", "i", "FILENAME", "length", "RSTART", "RLENGTH", "m[1]", "$9", "$(NF - (NF > 0))", "SUBSEP", "ARGC", "RT",
        )  # fmt: skip

    def value(self, depth: int) -> str:
        if depth <= 0 or self.chance(0.3):
            return self.simple()
        a, b = self.value(depth - 1), self.value(depth - 1)
        kind = self.random.random()
        if kind < 0.2:
            divisor = b if self.chance(0.05) else self.pick("2", "3", "7.5", f"({b} ? {b} : 1)")
            return self.pick(
                f"({a} {self.pick('+', '-', '*', '^', '**')} {b})", f"({a} {self.pick('/', '%')} {divisor})"
            )
        if kind < 0.35:
            return f"({a} {self.pick('<', '<=', '==', '!=', '>', '>=')} {b})"
        if kind < 0.45:
            return f"({a} {b})"
        if kind < 0.8:
            return self.call(a, b)
        return self.pick(
            f"({a} {self.pick('~', '!~')} {self.regex()})", f"({a} && {b})", f"({a} || {b})", f"!{a}", f"-{a}", f"+{a}",
            f"({a} ? {b} : {self.simple()})", f"({self.lvalue()} = {a})", f"({self.lvalue()} {self.pick('+=', '-=', '*=', '^=')} {a})",
            f"({self.simple()} in m)", f"(({a}, {b}) in q)", f"{self.lvalue()}++", f"--{self.lvalue()}", f"$({self.pick('1', '2', 'NF', 'i', '0')})",
            f"{a} {b}", f"{a} - {b}", f"{a} < {b}", f"-{a} ^ 2", f"!{a} ~ {b}", f"1 - -{self.simple()}", "$NF-1", "$i++", f"2 ^ 3 ^ {self.simple()}",
        )  # fmt: skip

    def call(self, a: str, b: str) -> str:
        text = self.random.choice(_STRINGS)
        format = self.random.choice(_BAD_FORMATS if self.chance(0.1) else _FORMATS)
        return self.pick(
            f"length({a})", f"substr({a}, {b})", f"substr({a}, {b}, {self.simple()})", f"substr({a}, {self.pick('0', '-1', '1.5', '2', '0.5', '1.49', 'NF')}, {self.pick('1', '2.5', '-1', '1.5', '100')})",
            f"index({a}, {self.string()})", f"split({a}, {self.pick('m', 'q')})", f"split({a}, m, {self.regex()})", f'split({a}, m, "{text}")', f"split({a}, m, {self.regex()}, q)",
            f"sub({self.regex()}, {self.replacement()}, {self.lvalue()})", f"gsub({self.regex()}, {self.replacement()}, {self.lvalue()})", f"gsub({self.regex()}, {self.replacement()})",
            f"gensub({self.regex()}, {self.replacement()}, {self.pick('1', '2', '0', chr(34) + 'g' + chr(34), chr(34) + 'x' + chr(34), '-1')}, ({a} \"\"))",
            f"match({a}, {self.regex()})", f"match({a}, {self.regex()}, q)", f"tolower({a})", f"toupper({a})", f"int({a})",
            f"sprintf(\"{format}\", {a})", f"sprintf(\"{format}\", {a}, {b})", f"sprintf({a}, {b})", f"sqrt({a})", f"exp({a})", f"log({a})", f"sin({a})", f"cos({a})",
            f"atan2({a}, {b})", f"f({a}, m)", f"f({a}, q)", f"g({a})", f"h({self.pick('0', '1', '3', '5')})", f"strtonum({a})", f"and({a}, {b})", f"or({a}, {b})",
            f"xor({a}, {b})", f"lshift({a}, {self.pick('1', '3', b)})", f"rshift({a}, 1)", f"compl({a})", f"typeof({self.pick(a, self.variable(), 'm', 'm[1]', '$1', '/a/', '@/a/')})",
            f"close({a})", f"patsplit({a}, m, {self.regex()})", "length(m)", "length(q)", "asort(m)", "asorti(m, q)", "isarray(m)", f"mkbool({a})",
        )  # fmt: skip

    def replacement(self) -> str:
        return self.pick(
            '"X"',
            '""',
            '"[&]"',
            '"\\\\&"',
            '"\\\\\\\\&"',
            '"\\\\\\\\\\\\&"',
            '"<\\\\1>"',
            '"\\\\0"',
            '"a&b&"',
            "$1",
            "v",
            '"\\&"',
            '"\\\\q"',
            "1.5",
        )

    # ------------------------------------------------------------------ statements

    def output(self) -> str:
        kind = self.random.random()
        if kind < 0.55:
            text = "print " + ", ".join(self.value(2) for _ in range(self.random.choice([1, 1, 2, 3])))
        elif kind < 0.6:
            text = self.pick(
                "print",
                "print $0",
                "print(1)(2)",
                "print (1,2)",
                'print (1) "a"',
                'print -1 " " -1',
                "print 1,",
            )
        else:
            formats = [
                self.random.choice(_BAD_FORMATS if self.chance(0.06) else _FORMATS)
                for _ in range(self.random.choice([1, 2]))
            ]
            text = f'printf "{" ".join(formats)}\\n"' + "".join(
                f", {self.value(1)}" for _ in range(len(formats) - self.chance(0.03) + self.chance(0.1))
            )
        if ">" in text and self.chance(0.9):
            keyword, _, rest = text.partition(" ")
            text = f"{keyword}({rest})" if rest and not rest.endswith(",") else text
        if self.chance(0.08):
            text += self.pick(
                ' > "o"',
                ' >> "o"',
                ' | "sort"',
                ' > "/dev/stdout"',
                ' > "/dev/stderr"',
                ' > ""',
                ' > "no/dir"',
                ' > "o" "1"',
            )
        return text

    def read(self) -> str:
        line = self.pick("", " x", " m[1]", " $2", " $0", " NF")
        return self.pick(
            f"getline{line}", f'getline{line} < "g"', f'getline{line} < "none"', f'"echo a b; echo c" | getline{line}', f'r = (getline{line} < "p"); print r',
            'while ((getline l < "p") > 0) print "L", l; close("p")', f'while (("echo 1 2; echo 3" | getline{line}) > 0) if (k++ > 3) break', 'print (getline l < "none"), ERRNO',
            'getline x < "/"; print ERRNO', f'print getline{line} < "n"', 'print close("none")', 'close("sort")', 'print "b\\na" | "sort"; print close("sort")',
            'print close("cat")', 'print system("exit 3")', 'print "x" > "o"; close("o"); getline y < "o"; print y', '"exit 5" | getline; print close("exit 5")', "print -getline", 'print "a" "b" > "o" ".1"',
        )  # fmt: skip

    def statement(self, depth: int) -> str:
        kind = self.random.random()
        if kind < 0.4 or depth <= 0:
            return self.output()
        if kind < 0.6:
            return self.pick(
                f"{self.lvalue()} = {self.value(2)}", f"{self.lvalue()} {self.pick('+=', '-=', '*=', '^=')} {self.value(1)}", f"{self.lvalue()} {self.pick('/=', '%=')} {self.pick('2', '3', '0.5', 'NF')}",
                self.value(2), f"{self.lvalue()}{self.pick('++', '--')}",
            )  # fmt: skip
        if kind < 0.68:
            rest = f"; else {self.statement(depth - 1)}" if self.chance(0.5) else ""
            return f"if ({self.value(2)}) {self.statement(depth - 1)}{rest}"
        if kind < 0.76:
            return self.loop(depth)
        if kind < 0.82:
            return self.read()
        if kind < 0.84:
            return self.mishap()
        if kind < 0.88:
            return self.jump()
        return self.pick(
            "delete m", f"delete {self.element()}", f"delete m[{self.simple()}]",
            'OFS = "-"', "$1 = $1", "NF = 2", "$5 = \"x\"", "$0 = \"p q r\"", 'FS = ":"', 'CONVFMT = "%.2g"', 'OFMT = "%.2f"', 'ORS = "|\\n"', 'SUBSEP = ":"', "NR = 10",
            'RS = ""', f"IGNORECASE = {self.pick('1', '0')}", f"srand({self.simple()})", "NF++", "switch ($1) { case 1: print \"one\"; break; case /a/: print \"re\"; default: print \"d\" }",
            f"switch ({self.value(1)}) {{ case \"a\": case 11: print 10; case \"10\": print \"s\"; break; default: print \"D\" }}", "{ print 1 }", ";",
            'FPAT = "[a-z]+"', 'FIELDWIDTHS = "1 2 *"', 'FS = "[ ]"', 'FS = ""', "FS = \"\\\\|\"", 'FS = "\\t"', 'FS = ","', "RS = \"[0-9]\"", 'RS = "a"', 'ARGV[2] = "g"', 'ARGC = 5', "delete ARGV[1]",
        )  # fmt: skip

    def mishap(self) -> str:
        """Return a statement that ends the program, or that is an error in it."""
        return self.pick(
            "NF = -1", "$(-1) = 3", "print $(-1)", "f()", "undefined(1)", "return 1", "break", "continue", 'printf "%s"', "printf",
            'printf("%s %s\\n", $1)', "x = 1 / unset", "x %= 0", 'print "a" ~ "("', 'print > ""', 'print | ""', "compl(-1)",
        )  # fmt: skip

    def jump(self) -> str:
        choices = ["next", "nextfile", "exit", "exit", f"exit {self.value(1)}"]
        if self.in_special and not self.chance(0.1):
            choices = choices[2:]
        if self.in_loop:
            choices += ["break", "continue"]
        if self.in_function:
            choices += ["return", "return 1", f"return {self.value(1)}"]
        return self.random.choice(choices)

    def loop(self, depth: int) -> str:
        self.loops += 1
        outer, self.in_loop = self.in_loop, True
        counter = f"c{self.loops}"
        body = self.pick(
            self.statement(depth - 1),
            f"{{ {self.statement(depth - 1)}; {self.statement(0)} }}",
            self.pick("break", "continue"),
        )
        self.in_loop = outer
        return self.pick(
            f"for ({counter} = 0; {counter} < {self.pick('2', '3')}; {counter}++) {body}", f"while ({counter}++ < 2) {body}",
            f"do {{ {body} }} while ({counter}++ < 2)", f"do {body}; while ({counter}++ < 2)", "for (u in m) delete m[u]", "for (u in m) n++", "for (i = 1; i <= NF; i++) if (i > 9) break; else s = s $i",
        )  # fmt: skip

    def block(self, most: int = 4) -> str:
        separators = self.random.choices(["; ", "\n  "], [3, 1])[0]
        return "{ " + separators.join(self.statement(2) for _ in range(self.random.randint(1, most))) + " }"

    def pattern(self) -> str:
        return self.pick(
            f"/{self.random.choice(_REGEXES)}/", self.value(2), f"NR == {self.pick('1', '2', '3')}", f"$1 {self.pick('<', '==', '>')} {self.simple()}",
            f"/{self.random.choice(_REGEXES)}/, /{self.random.choice(_REGEXES)}/", f"NR == 2, {self.value(1)}", "NF", "!NF", "!m[$1]++", "END", "BEGIN", "$2 ~ /[0-9]/", "1",
        )  # fmt: skip

    def rule(self) -> str:
        pattern = self.pattern()
        if self.chance(0.25):
            return self.block()
        self.in_special = pattern in ("BEGIN", "END")
        if not self.in_special and self.chance(0.3):
            return pattern
        block = self.block()
        self.in_special = False
        return f"{pattern} {block}"

    def special(self, name: str, most: int) -> str:
        self.in_special = True
        block = self.block(most)
        self.in_special = False
        return f"{name} {block}"

    def program(self) -> str:
        parts: list[str] = []
        if self.chance(0.5):
            parts.append(self.special("BEGIN", 5))
        if self.chance(0.7):
            parts.extend(self.rule() for _ in range(self.random.randint(1, 3)))
        if self.chance(0.4):
            parts.append(self.special("END", 3))
        if not parts:
            parts.append(self.special("BEGIN", 5))
        parts.insert(0, "BEGIN { delete m; delete q }")  # from here on they are arrays, in gawk too
        self.in_function = True
        parts += [
            f"function f(a, t,  k) {{ t[a] = k; {self.statement(1)}; return length(t) a }}",
            f'function g(a) {{ a = a "!"; {self.statement(1)}; return a }}',
            "function h(n) { return n <= 1 ? 1 : n * h(n - 1) }",
        ]
        self.in_function = False
        text = "\n".join(parts)
        return self.damage(text) if self.chance(0.06) else text

    def damage(self, text: str) -> str:
        """Remove or insert a token, for syntax errors."""
        at = self.random.randrange(len(text))
        kind = self.random.random()
        if kind < 0.5:
            return text[:at] + text[at + 1 :]
        return (
            text[:at]
            + self.pick(
                "{",
                "}",
                "(",
                ")",
                ";",
                ",",
                " if ",
                " in ",
                "\n",
                "++",
                "=",
                "'",
                "@",
                '"',
                "/",
                "[",
                "]",
                "#",
                "\\",
            )
            + text[at:]
        )


def case(seed: int) -> Case:
    """Return the case of a seed."""
    writer = _Writer(seed)
    program = writer.program()
    options: list[str] = []
    if writer.chance(0.2):
        options += [
            "-F",
            writer.pick(":", ",", "\\t", "t", " ", "[ab]", "\\|", "|", "", ".", "b+", "\\\\", "^a"),
        ]
    if writer.chance(0.25):
        options += [
            "-v",
            writer.pick(
                "v=1",
                "v=a\\tb",
                "v=a\\",
                "v=010",
                "v= 7 ",
                "v=0x10",
                "v=\\x41\\101",
                "x=é",
                "v=a\\qb",
                "RS=",
                "RS=a+",
                "OFS=-",
                "1v=3",
                "v",
                "NF=3",
                "v=a\\/b",
                "s=3x",
                "CONVFMT=%d",
                "OFMT=%.2f",
                "f=1",
                "length=1",
            ),
        ]
    operands = writer.random.choice([["f"], ["f"], ["g"], ["p"], ["n"], ["f", "g"], ["e", "p"], [], ["v=9", "f"], ["f", "FS=:", "g"], ["none"], ["f", "none", "g"], ["-"], ["/"], ["x=\\t1", "RS=", "p"], [""], ["", "g"]])  # fmt: skip
    stdin = writer.random.choice(["a b\nc d\n", "1\n2\n10\n", "", "k: v\n\nx\n"])
    return Case((*options, program, *operands), stdin)
