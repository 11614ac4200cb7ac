"""find's expression: from arguments to one node.

The precedence of operators, from the highest: ( ), !, -a (also when omitted), -o, the comma. Long lists are flat, so
that only parentheses nest; their depth is bounded.
"""

from __future__ import annotations

from sandhook.command.context import Failure
from sandhook.utilities.listing.find.actions import ACTIONS, Print
from sandhook.utilities.listing.find.state import Node, Settings, all_of, any_of, guard, last_of, negate
from sandhook.utilities.listing.find.tests import TESTS

#: The greatest depth of nested parentheses.
MAX_NESTING = 50

_AND, _OR, _NOT = ("-a", "-and"), ("-o", "-or"), ("!", "-not")
_FLAGS = ("-noleaf", "-ignore_readdir_race", "-noignore_readdir_race", "-true")
#: Options that apply to the whole expression.
_GLOBAL = frozenset((
    "-d", "-depth", "-files0-from", "-ignore_readdir_race", "-maxdepth", "-mindepth", "-mount", "-noignore_readdir_race",
    "-noleaf", "-xdev",
))  # fmt: skip
_OPTIONS = _GLOBAL | {"-daystart", "-follow", "-nowarn", "-regextype", "-warn"}
_BY_NAME = frozenset({  # tests that do not need the status of a file
    "-false", "-ilname", "-iname", "-ipath", "-iregex", "-iwholename", "-lname", "-name", "-path", "-regex", "-true",
    "-type", "-wholename",
})  # fmt: skip
_REGEX_TYPES = (
    "findutils-default", "ed", "emacs", "gnu-awk", "grep", "posix-awk", "awk", "posix-basic", "posix-egrep",
    "egrep", "posix-extended", "posix-minimal-basic", "sed",
)  # fmt: skip


_UNCLOSED = (
    "invalid expression; expected to find a ')' but didn't see one. Perhaps you need an extra predicate"
    " after '('"
)

_DELETE_AND_PRUNE = (
    "The -delete action automatically turns on -depth, but -prune does nothing when -depth is in effect.  If you"
    " want to carry on anyway, just explicitly use the -depth option."
)


class Parser:
    """Parses the words of an expression."""

    def __init__(self, words: list[str], settings: Settings) -> None:
        self._words = words
        self._at = 0
        self._settings = settings
        self._has_action = False
        self._explicit_depth = False
        self._first = ""  #: the first word that is no option
        self._last = ""  #: the last predicate or operator

    def parse(self) -> Node:
        """Return the expression; one without an action prints the files that pass. Raises Failure."""
        printing: Node = Print(self._settings.ctx.write)
        if not self._words:
            return printing
        node = self._comma(0)
        settings = self._settings
        if settings.deletes and settings.prunes and not self._explicit_depth:
            raise Failure(_DELETE_AND_PRUNE)
        if self._at < len(self._words):
            raise Failure("you have too many ')'")
        return node if self._has_action else all_of([node, printing])

    def _peek(self) -> str:
        return self._words[self._at] if self._at < len(self._words) else ""

    def _comma(self, depth: int) -> Node:
        parts = [self._or(depth)]
        while self._peek() == ",":
            self._at += 1
            self._need_operand(",")
            parts.append(self._or(depth))
        return last_of(parts)

    def _or(self, depth: int) -> Node:
        parts = [self._and(depth)]
        while self._peek() in _OR:
            word = self._words[self._at]
            self._at += 1
            self._need_operand(word)
            parts.append(self._and(depth))
        return any_of(parts)

    def _and(self, depth: int) -> Node:
        parts = [self._factor(depth)]
        while self._at < len(self._words) and self._peek() not in (*_OR, ",", ")"):
            if self._peek() in _AND:
                word = self._words[self._at]
                self._at += 1
                self._need_operand(word)
            parts.append(self._factor(depth))
        return all_of(parts)

    def _need_operand(self, operator: str) -> None:
        self._last = operator
        if self._at >= len(self._words):
            raise Failure(f"expected an expression after '{operator}'")

    def _factor(self, depth: int) -> Node:
        negative = False
        while self._peek() in _NOT:
            word = self._words[self._at]
            self._at += 1
            self._first = self._first or word
            self._need_operand(word)
            negative = not negative
        node = self._primary(depth)
        return negate(node) if negative else node

    def _primary(self, depth: int) -> Node:
        word = self._words[self._at]
        if word in _AND or word in _OR or word == ",":
            raise Failure(
                f"invalid expression; you have used a binary operator '{word}' with nothing before it."
            )
        if word == ")":
            if self._at and self._words[self._at - 1] == "(":
                raise Failure("invalid expression; empty parentheses are not allowed.")
            if depth:
                raise Failure("invalid expression; expected an expression before ')'")
            raise Failure("invalid expression; you have too many ')'")
        if word == "(":
            self._first, self._last = self._first or word, word
            return self._group(depth)
        self._at += 1
        if word[:1] != "-":
            raise Failure(f"paths must precede expression: `{word}'{self._possible_pattern(word)}")
        self._last = word
        return self._predicate(word)

    def _possible_pattern(self, word: str) -> str:
        """Return a second message for a word that a shell may have made of a pattern."""
        ctx = self._settings.ctx
        if self._last and ctx.fs.exists(ctx.path(word)):
            return f"\n{ctx.name}: possible unquoted pattern after predicate `{self._last}'?"
        return ""

    def _warn(self, word: str) -> None:
        """Warn of a global option after a test, and of a test that can never be true."""
        ctx, first = self._settings.ctx, self._first
        if word not in _GLOBAL:
            if word in ("-name", "-iname") and "/" in self._peek():
                whole = word.replace("name", "wholename")
                ctx.error(
                    f"warning: '{word}' matches against basenames only, but the given pattern contains a directory"
                    " separator ('/'), thus the expression will evaluate to false all the time. "
                    f" Did you mean '{whole}'?"
                )
            return
        if first:
            ctx.error(
                f"warning: you have specified the global option {word} after the argument {first}, but global"
                f" options are not positional, i.e., {word} affects tests specified before it as well as those"
                " specified after it.  Please specify global options before other arguments."
            )
        if word == "-d":
            ctx.error(
                "warning: the -d option is deprecated; please use -depth instead, because the latter is a"
                " POSIX-compliant feature."
            )

    def _group(self, depth: int) -> Node:
        if depth >= MAX_NESTING:
            raise Failure(f"parentheses nest over {MAX_NESTING} levels (L-FIND-003)")
        self._at += 1
        if self._at >= len(self._words):
            raise Failure(_UNCLOSED)
        node = self._comma(depth + 1)
        if self._peek() != ")":
            raise Failure("invalid expression; I was expecting to find a ')' somewhere but did not see one.")
        self._at += 1
        return node

    def argument(self, word: str) -> str:
        """Return the next word, which is an argument of the predicate ``word``."""
        if self._at >= len(self._words):
            raise Failure(f"missing argument to `{word}'")
        self._at += 1
        return self._words[self._at - 1]

    def remaining(self) -> int:
        """Return the number of remaining words."""
        return len(self._words) - self._at

    def command(self, word: str) -> tuple[list[str], str]:
        """Return the words of -exec up to its ";" or "+" after "{}", and that terminator."""
        start = self._at
        while self._at < len(self._words):
            terminator = self._words[self._at]
            if terminator == ";" or (
                terminator == "+"
                and word[:3] != "-ok"
                and self._at > start
                and "{}" in self._words[self._at - 1]
            ):
                self._at += 1
                words = self._words[start : self._at - 1]
                if not words:
                    raise Failure(f"invalid argument `{terminator}' to `{word}'")
                return words, terminator
            self._at += 1
        raise Failure(f"missing argument to `{word}'")

    def _predicate(self, word: str) -> Node:
        settings = self._settings
        if settings.warns:
            self._warn(word)
        if word not in _OPTIONS:
            self._first = self._first or word
        if word in ("-warn", "-nowarn"):
            settings.warns = word == "-warn"
            return _true
        if word in _FLAGS:
            return _true
        if word in ("-maxdepth", "-mindepth"):
            self._depth(word)
            return _true
        if word in ("-depth", "-d"):
            settings.depth_first = self._explicit_depth = True
            return _true
        if word in ("-mount", "-xdev"):
            settings.one_device = True
            return _true
        if word == "-daystart":
            settings.daystart = True
            return _true
        if word == "-follow":
            settings.follow = "all"
            return _true
        if word == "-regextype":
            self._regex_type()
            return _true
        if word == "-files0-from":
            settings.names = self.argument(word)
            return _true
        if word in ACTIONS:
            self._has_action = self._has_action or word != "-prune"
            action = ACTIONS[word](word, self, settings)
            return guard(action) if "ls" in word or "printf" in word else action
        if word in TESTS:
            test = TESTS[word](word, self, settings)
            return test if word in _BY_NAME else guard(test)
        if word[:6] == "-newer" and len(word) == 8:
            return guard(TESTS["-newerXY"](word, self, settings))
        raise Failure(f"unknown predicate `{word}'")

    def _depth(self, word: str) -> None:
        text = self.argument(word)
        if not (text.isascii() and text.isdigit()):
            raise Failure(f"Expected a positive decimal integer argument to {word}, but got '{text}'")
        value = int(text[:9])
        if word == "-maxdepth":
            self._settings.maxdepth = value
        else:
            self._settings.mindepth = value

    def _regex_type(self) -> None:
        text = self.argument("-regextype")
        if text not in _REGEX_TYPES:
            choices = ", ".join(f"'{name}'" for name in _REGEX_TYPES)
            raise Failure(f"Unknown regular expression type '{text}'; valid types are {choices}.")
        self._settings.regex_type = text


def _true(*_: object) -> bool:
    return True
