"""What stands at the head of a jq program or module: ``module``, ``import`` and ``include``; and what a module defines.

Source: jq 1.8 manual, "Modules"; oracle: jq 1.8.2. libjq never sees these words: it would read the host's disk.
"""

from __future__ import annotations

from json import dumps, loads
from typing import Any

from sandhook.utilities.data.jq.lexer import KEYWORDS, OPENING, Token, keys, tokenize

_DEPTH = 64  #: of metadata

_WORDS: dict[str, Any] = {"true": True, "false": False, "null": None}


class Malformed(Exception):
    """The head of a text is not as jq wants it."""


class NotLibrary(Exception):
    """A module has more than definitions."""


class Dependency:
    """One import or include.

    Attributes:
        path: As written.
        alias: What it is to be called; empty for ``include``.
        is_data: It is a file of JSON texts, bound to a variable.
        meta: Its metadata.
    """

    __slots__ = ("alias", "is_data", "meta", "path")

    def __init__(self, path: str, alias: str, is_data: bool, meta: dict[str, Any]) -> None:
        self.path = path
        self.alias = alias
        self.is_data = is_data
        self.meta = meta

    def described(self) -> dict[str, Any]:
        """Return it as ``modulemeta`` does."""
        alias = {"as": self.alias} if self.alias else {}
        return {**self.meta, **alias, "is_data": self.is_data, "relpath": self.path}


class Text:
    """A program or module, with its head taken off.

    Attributes:
        meta: What ``module`` says; None without one.
        dependencies: In their order.
        tokens: Of the body.
        blanked: The text with blanks in place of the head, so that every place keeps its line and column.
    """

    __slots__ = ("_body", "_text", "blanked", "dependencies", "meta", "tokens")

    def __init__(self, text: str) -> None:
        """Read a text.

        Raises:
            Malformed: Its head is not as jq wants it.
            Unbalanced: Its brackets do not match.
        """
        tokens = tokenize(text)
        head = _Head(tokens)
        head.run()
        self._text = text
        self._body = tokens[head.at - 1].end if head.at else 0
        self.meta = head.meta
        self.dependencies = head.dependencies
        self.tokens = tokens[head.at :]
        before = text[: self._body]
        self.blanked = "".join("\n" if each == "\n" else " " for each in before) + text[self._body :]

    def names(self) -> frozenset[str]:
        """Return the names that the body uses."""
        key = keys(self.tokens)
        return frozenset(each.text for each in self.tokens if each.kind == "name" and each.start not in key)

    def variables(self) -> frozenset[str]:
        """Return the variables that the body uses."""
        return frozenset(each.text for each in self.tokens if each.kind == "variable")

    def definitions(self) -> list[tuple[str, int]]:
        """Return name and number of parameters of what a module defines. Raises NotLibrary."""
        found: list[tuple[str, int]] = []
        key = keys(self.tokens)
        depth = nested = 0
        for index, token in enumerate(self.tokens):
            is_start = token.kind == "name" and token.text == "def" and token.start not in key
            if depth == 0 and nested == 0 and not is_start:
                raise NotLibrary
            if token.kind == "open" or (not token.kind and token.text in OPENING):
                depth += 1
            elif token.kind == "close" or (not token.kind and token.text in ")]}"):
                depth -= 1
            elif depth == 0 and is_start:
                nested += 1
                if nested == 1:
                    found.append(self._heading(index))
            elif depth == 0 and not token.kind and token.text == ";":
                nested -= 1
        return found

    def _heading(self, index: int) -> tuple[str, int]:
        """Return name and number of parameters of the definition that begins at a token."""
        following = self.tokens[index + 1 : index + 3]
        if not following or following[0].kind != "name":
            raise NotLibrary
        count = 0
        if following[-1].text == "(" and not following[-1].kind:
            count = 1
            for token in self.tokens[index + 3 :]:
                if not token.kind and token.text == ")":
                    break
                count += not token.kind and token.text == ";"
        return following[0].text, count

    def flat(self, name: str) -> str:
        """Return the body on one line, without comments; ``$__loc__`` is the place in the file ``name``."""
        text = self._text
        pieces: list[str] = []
        at = line = self._body
        number = text.count("\n", 0, at) + 1
        for index, token in enumerate(self.tokens):
            if token.start > at:
                pieces.append(" ")
            piece = text[token.start : token.end]
            if token.kind == "variable":
                piece = f"${token.text}"
                if token.text == "__loc__":
                    number += text.count("\n", line, token.start)
                    line = token.start
                    piece = dumps({"file": name, "line": number})
                    if self._is_short(index):
                        piece = f'"__loc__":{piece}'
            pieces.append(piece.replace("\n", "\\n") if "\n" in piece else piece)
            at = token.end
        return "".join(pieces)

    def _is_short(self, index: int) -> bool:
        """Return whether a variable is key and value in one: ``{$a}``."""
        around = [*self.tokens[max(index - 1, 0) : index], *self.tokens[index + 1 : index + 2]]
        return len(around) == 2 and around[0].text in ("{", ",") and around[1].text in ("}", ",")


class _Head:
    """One pass over the tokens of a head."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self.at = 0
        self.meta: dict[str, Any] | None = None
        self.dependencies: list[Dependency] = []

    def run(self) -> None:
        if self._is_word("module"):
            self.at += 1
            self.meta = self._object()
            self._expect(";")
        while self._is_word("import") or self._is_word("include"):
            imported = self._take().text == "import"
            path = self._string(self._take())
            alias, is_data = "", False
            if imported:
                if not self._is_word("as"):
                    raise Malformed
                self.at += 1
                token = self._take()
                if token.kind not in ("name", "variable") or (
                    token.kind == "name" and token.text in KEYWORDS
                ):
                    raise Malformed
                alias, is_data = token.text, token.kind == "variable"
            meta = {} if self._is(";") else self._object()
            self._expect(";")
            self.dependencies.append(Dependency(path, alias, is_data, meta))

    def _peek(self) -> Token:
        if self.at >= len(self._tokens):
            raise Malformed
        return self._tokens[self.at]

    def _take(self) -> Token:
        token = self._peek()
        self.at += 1
        return token

    def _is_word(self, word: str) -> bool:
        token = self._tokens[self.at] if self.at < len(self._tokens) else None
        return token is not None and token.kind == "name" and token.text == word

    def _is(self, text: str) -> bool:
        token = self._peek()
        return not token.kind and token.text == text

    def _expect(self, text: str) -> None:
        if not self._is(text):
            raise Malformed
        self.at += 1

    def _string(self, token: Token) -> str:
        if token.kind != "string":
            raise Malformed
        try:
            return str(loads(f'"{token.text}"', strict=False))
        except ValueError:
            raise Malformed from None

    def _object(self, depth: int = 0) -> dict[str, Any]:
        self._expect("{")
        made: dict[str, Any] = {}
        while not self._is("}"):
            token = self._take()
            key = token.text if token.kind == "name" else self._string(token)
            self._expect(":")
            made[key] = self._value(depth + 1)
            if not self._is("}"):
                self._expect(",")
        self.at += 1
        return made

    def _value(self, depth: int) -> Any:
        if depth > _DEPTH:
            raise Malformed
        if self._is("{"):
            return self._object(depth)
        if self._is("["):
            self.at += 1
            made = []
            while not self._is("]"):
                made.append(self._value(depth + 1))
                if not self._is("]"):
                    self._expect(",")
            self.at += 1
            return made
        token = self._take()
        if not token.kind and token.text == "-" and self._peek().kind == "number":
            return -self._number(self._take())
        if token.kind == "number":
            return self._number(token)
        if token.kind == "name" and token.text in _WORDS:
            return _WORDS[token.text]
        return self._string(token)

    def _number(self, token: Token) -> float | int:
        try:
            return float(token.text) if not token.text.isdigit() else int(token.text[:400])
        except ValueError:
            raise Malformed from None
