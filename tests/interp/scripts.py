"""Random scripts that end, write little, and touch nothing but their own directory."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

NAMES = ("x", "y", "z", "long")
ARRAYS = ("a", "b")
TEXTS = (
    "a",
    "b c",
    "",
    "*",
    "x:y",
    " q ",
    "a/b",
    "1",
    "07",
    "-n",
    "é",
    "[ab]",
    "f1",
    "a\\b",
    "'",
    "$x",
    "~",
    "{p,q}",
)
PATTERNS = ("a*", "?", "[a-c]", "*", "b", "[!x]*", "*/*", "", "*c", "\\*", "'*'", '"?"')
FILES = ("f1", "f2", "g")


class Scripts:
    """Makes scripts by a grammar; the same seed gives the same script."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._functions = 0
        self._loops = 0

    def script(self) -> str:
        """Return one script."""
        lines = ["set -- 'p q' '' r", "x=5 y='b c' a=(1 '2 3' '' 4)", ": > f1; echo data > f2"]
        if self._random.random() < 0.3:
            lines.append(f"IFS={self._pick((':', 'b', '', ' :', 'x', ','))!r}")
        lines += [self._command(3) for _ in range(self._random.randint(2, 6))]
        lines.append('printf "<%s>" "$?" "$x" "$y" "$z" "${a[@]}" "$#"')
        return "\n".join(lines)

    def _pick(self, choices: tuple[str, ...]) -> str:
        return self._random.choice(choices)

    def _one_of(self, *makers: Callable[[], str]) -> str:
        return self._random.choice(makers)()

    # ------------------------------------------------------------------ words

    def _word(self, depth: int = 2) -> str:
        parts = [self._part(depth) for _ in range(self._random.choice((1, 1, 1, 2, 3)))]
        return "".join(parts) or "''"

    def _part(self, depth: int) -> str:
        makers: list[Callable[[], str]] = [
            lambda: self._pick(("a", "w", "f*", "x=1", "1", "-", "a:b", "{1,2}", "{a..c}")),
            lambda: "'" + self._pick(TEXTS).replace("'", "") + "'",
            lambda: '"' + self._quoted(depth) + '"',
            lambda: self._parameter(depth),
            lambda: self._parameter(depth),
            lambda: f"$(({self._arithmetic(2)}))",
            lambda: "\\" + self._pick((" ", "a", "$", "*", '"', "'")),
        ]
        if depth:
            makers.append(lambda: f"$({self._substituted(depth - 1)})")
            makers.append(lambda: f"`echo {self._pick(('a', 'b c', '$x', '$y'))}`")
        return self._one_of(*makers)

    def _quoted(self, depth: int) -> str:
        parts = []
        for _ in range(self._random.randint(0, 3)):
            parts.append(
                self._one_of(
                    lambda: self._pick(("a", " ", "b c", "*", "'", "\\$", "\\\\", "~", ":")),
                    lambda: self._parameter(depth),
                    lambda: f"$(({self._arithmetic(1)}))",
                    lambda: f"$({self._substituted(depth - 1)})" if depth else "q",
                )
            )
        return "".join(parts)

    def _parameter(self, depth: int) -> str:
        name = self._pick(NAMES)
        inner = (lambda: self._operand(depth - 1)) if depth else (lambda: self._pick(("d", "e f", "")))
        return self._one_of(
            lambda: f"${name}",
            lambda: f"${{{name}}}",
            lambda: self._pick(
                ("$1", "$2", "$@", "$*", "$#", "${a[@]}", "${a[*]}", "${#a[@]}", "${!a[@]}", "$?")
            ),
            lambda: f"${{{name}{self._pick((':-', '-', ':+', '+', ':=', '='))}{inner()}}}",
            lambda: (
                f"${{{self._pick((*NAMES, '1', 'a[1]'))}{self._pick(('#', '##', '%', '%%'))}{self._pick(PATTERNS)}}}"
            ),
            lambda: f"${{{self._pick((*NAMES, 'a[@]', '@'))}{self._pick(('/', '//'))}{self._replacement()}}}",
            lambda: (
                f"${{{self._pick((*NAMES, 'a[@]', 'a[1]', '@'))}:{self._pick(('0', '1', ' -1', '1+1'))}{self._pick(('', ':1', ':2'))}}}"
            ),
            lambda: f"${{{self._pick((*NAMES, 'a[@]'))}{self._pick(('^', '^^', ',', ',,', '@Q', '@U'))}}}",
            lambda: f"${{#{self._pick((*NAMES, 'a[1]', '1', '@'))}}}",
            lambda: f"${{a[{self._pick(('0', '1', '-1', 'x-4', '9'))}]}}",
        )

    def _replacement(self) -> str:
        pattern = self._pick(("a", "b", "?", "[0-9]", " "))
        return pattern + "/" + self._pick(("d", "", "$y", "&", '"$x"', "\\'", "<&>"))

    def _operand(self, depth: int) -> str:
        return "".join(
            self._one_of(
                lambda: self._pick(("d", "e f", "*", "")),
                lambda: f'"{self._pick(("d", "e  f", "$y", "$*", "$@", ""))}"',
                lambda: self._parameter(depth) if depth > 0 else "$x",
            )
            for _ in range(self._random.choice((1, 1, 2)))
        )

    def _arithmetic(self, depth: int) -> str:
        if not depth:
            return self._pick(("1", "2", "7", "x", "i", "0x1f", "a[0]", "${#y}", "$#", "-3"))
        operator = self._pick(
            ("+", "-", "*", "<", "<=", "==", "!=", "&", "|", "^", "<<", "&&", "||", ",", "**")
        )
        left, right = self._arithmetic(depth - 1), self._arithmetic(depth - 1)
        return self._one_of(
            lambda: f"{left} {operator} {right}" if operator not in ("<<", "**") else f"{left} {operator} 2",
            lambda: f"({left}) ? {right} : 4",
            lambda: f"(n = {left})",
            lambda: f"{self._pick(('!', '~', '-'))} {left}",
            lambda: self._pick(("n++", "++n", "(n += 2)", "n--", "x / 2", "x % 3")),
        )

    def _plain(self) -> str:
        """Return text for a here-document: what it assigns would be lost where cat is a program."""
        return self._pick(
            ("$x $y", "a'b\"c", '${y:-"d"} $((x+1))', "\\$x \\\\ \\q", "$(echo $x)", "${a[@]} ${#a[@]}")
        )

    # ------------------------------------------------------------------ commands

    def _words(self, depth: int) -> str:
        return " ".join(self._word(depth) for _ in range(self._random.randint(0, 3)))

    def _substituted(self, depth: int) -> str:
        """Return what stands in ``$( )``: bash misreads quotes in declarations and arrays there."""
        return self._one_of(
            lambda: f"echo {self._words(depth)}",
            lambda: f"printf '<%s>' {self._words(depth)}",
            lambda: f"printf '[%s]' {self._words(depth)}; echo",
            lambda: f'set -- {self._words(depth)}; echo "$#"',
            lambda: self._pick(("false", ":", "exit 3", "x=sub; echo $x")),
        )

    def _simple(self, depth: int) -> str:
        depth = max(0, depth)
        return self._one_of(
            lambda: f"echo {self._words(depth)}",
            lambda: f"printf '<%s>' {self._words(depth)}",
            lambda: f"printf '[%s]' {self._words(depth)}; echo",
            lambda: f"{self._pick(NAMES)}={self._word(depth)}",
            lambda: self._pick(NAMES) + "+=" + self._pick(("1", "c", "' q'", "*")),  # bounded, also in loops
            lambda: f"a=({self._words(depth)})",
            lambda: "a+=(" + self._pick(("n", "'s t'", "{7,8}")) + ")",
            lambda: f"a[{self._pick(('0', '1', '3', 'x'))}]={self._word(depth)}",
            lambda: f"set -- {self._words(depth)}",
            lambda: self._pick(
                ("true", "false", ":", "shift", "unset y", "unset 'a[1]'", "((n++))", "(exit 3)")
            ),
            lambda: "read -r y z <<< " + self._pick(("a", "$x", "$y", "$*", '"$*"')),
            lambda: f"declare {self._pick(NAMES)}={self._word(depth)}",
        )

    def _test(self, depth: int) -> str:
        return self._one_of(
            lambda: f"[[ {self._word(depth)} == {self._pick(PATTERNS) or 'a'} ]]",
            lambda: f"[[ -n {self._word(depth)} && ! {self._word(depth)} < b ]]",
            lambda: f"(({self._arithmetic(2)}))",
            lambda: f'[ "{self._quoted(0)}" = "{self._quoted(0)}" ]',
            lambda: self._pick(("true", "false", "! true", "[[ -v y ]]", "test -f f1")),
        )

    def _redirected(self, command: str) -> str:
        where = self._pick(FILES)
        return self._one_of(
            lambda: f"{{ {command}; }} > {where}; cat {where}",
            lambda: f"{{ {command}; }} >> {where}; cat < {where}",
            lambda: f"{{ {command}; echo e >&2; }} 2>&1 | cat",
            lambda: f"{{ {command}; }} 3>&1 1>&3",
        )

    def _command(self, depth: int) -> str:
        """Return a command of one or several lines."""
        if depth <= 0:
            return self._simple(1)
        below = depth - 1
        return self._one_of(
            lambda: self._simple(2),
            lambda: self._simple(2),
            lambda: f"{self._test(1)} {self._pick(('&&', '||'))} {{ {self._simple(1)}; }}",
            lambda: f"if {self._test(1)}; then {self._command(below)}\nelse {self._command(below)}\nfi",
            lambda: f'for v in {self._words(0)}; do echo "$v"; {self._command(below)}\ndone',
            lambda: (
                f"case {self._word(1)} in {self._pick(PATTERNS[:5])}) {self._simple(1)};; *) {self._simple(1)};; esac"
            ),
            lambda: self._counted(below),
            lambda: f"( {self._command(below)}\n)",
            lambda: f"{{ {self._command(below)}\n}} | {{ cat; {self._simple(0)}; }}",
            lambda: self._redirected(self._simple(1)),
            lambda: self._function(below),
            lambda: f"cat <<E\n{self._plain()}\nE",
            lambda: "eval " + self._pick(("'echo \"$x\"'", '"x=1"', "false", '"echo \\$y"')),
            lambda: f"! {self._simple(1)}",
        )

    def _counted(self, depth: int) -> str:
        self._loops += 1
        name = f"k{self._loops}"
        leave = self._pick(("", "((n > 3)) && break\n", "[[ $x ]] || continue\n"))
        return f"for (({name}=0; {name}<2; {name}++)); do {self._command(depth)}\n{leave}done"

    def _function(self, depth: int) -> str:
        self._functions += 1
        name = f"f{self._functions}"
        local = self._pick(("", "local x=loc; ", "local y z=1; "))
        leave = self._pick(("", "return 4\n", "return\n"))
        return f"{name}() {{ {local}{self._command(depth)}\n{leave}}}\n{name} {self._words(1)}"
