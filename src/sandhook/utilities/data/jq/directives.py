"""The directives of a jq program or module (``module``, ``import`` and ``include``), and a module's definitions.

Source: jq 1.8 manual, "Modules"; oracle: jq 1.8.2. libjq never sees the directives: it would read the host's disk.
"""

from __future__ import annotations

from json import dumps, loads
from typing import Any

from sandhook.utilities.data.jq.lexer import KEYWORDS, OPENING, Token, keys, tokenize

_DEPTH = 64  #: levels of metadata

_WORDS: dict[str, Any] = {"true": True, "false": False, "null": None}


class HeadError(Exception):
    """The directives of a text have a syntax error."""


class NotLibraryError(Exception):
    """A module has a main expression, not only definitions."""


class Dependency:
    """One import or include.

    Attributes:
        path: As written.
        alias: The name after ``as``; empty for ``include``.
        is_data: It is a file of JSON texts, which is bound to a variable.
        meta: Its metadata.
    """

    __slots__ = ("alias", "is_data", "meta", "path")

    def __init__(self, path: str, alias: str, is_data: bool, meta: dict[str, Any]) -> None:
        self.path = path
        self.alias = alias
        self.is_data = is_data
        self.meta = meta

    def metadata(self) -> dict[str, Any]:
        """Return the object for ``modulemeta``."""
        alias = {"as": self.alias} if self.alias else {}
        return {**self.meta, **alias, "is_data": self.is_data, "relpath": self.path}


class Text:
    """A program or module, split into its directives and its body.

    Attributes:
        meta: The metadata of ``module``; None without one.
        dependencies: The imports and includes, in order.
        tokens: The tokens of the body.
        blanked: The text with blanks in place of the head, so that every place keeps its line and column.
    """

    __slots__ = ("_body", "_text", "blanked_text", "dependencies", "meta", "tokens")

    def __init__(self, text: str) -> None:
        """Parse a text.

        Raises:
            HeadError: Its directives have a syntax error.
            UnbalancedError: Its brackets do not match.
        """
        tokens = tokenize(text)
        head = _Head(tokens)
        head.run()
        self._text = text
        self._body = tokens[head.at - 1].end if head.at else 0
        self.meta = head.meta
        self.dependencies = head.dependencies
        self.tokens = tokens[head.at :]
        directives = text[: self._body]
        self.blanked_text = "".join("\n" if each == "\n" else " " for each in directives) + text[self._body :]

    def names(self) -> frozenset[str]:
        """Return the names that the body uses."""
        key = keys(self.tokens)
        return frozenset(each.text for each in self.tokens if each.kind == "name" and each.start not in key)

    def variables(self) -> frozenset[str]:
        """Return the variables that the body uses."""
        return frozenset(each.text for each in self.tokens if each.kind == "variable")

    def definitions(self) -> list[tuple[str, int]]:
        """Return name and number of parameters of a module's functions. Raises NotLibraryError."""
        functions: list[tuple[str, int]] = []
        key = keys(self.tokens)
        depth = nested = 0
        for index, token in enumerate(self.tokens):
            is_start = token.kind == "name" and token.text == "def" and token.start not in key
            if depth == 0 and nested == 0 and not is_start:
                raise NotLibraryError
            if token.kind == "open" or (not token.kind and token.text in OPENING):
                depth += 1
            elif token.kind == "close" or (not token.kind and token.text in ")]}"):
                depth -= 1
            elif depth == 0 and is_start:
                nested += 1
                if nested == 1:
                    functions.append(self._heading(index))
            elif depth == 0 and not token.kind and token.text == ";":
                nested -= 1
        return functions

    def _heading(self, index: int) -> tuple[str, int]:
        """Return name and number of parameters of the definition that begins at a token."""
        following = self.tokens[index + 1 : index + 3]
        if not following or following[0].kind != "name":
            raise NotLibraryError
        count = 0
        if following[-1].text == "(" and not following[-1].kind:
            count = 1
            for token in self.tokens[index + 3 :]:
                if not token.kind and token.text == ")":
                    break
                count += not token.kind and token.text == ";"
        return following[0].text, count

    def flat(self, name: str) -> str:
        """Return the body on one line, without comments; ``$__loc__`` becomes the line in the file ``name``."""
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
                    if self._is_shorthand_key(index):
                        piece = f'"__loc__":{piece}'
            pieces.append(piece.replace("\n", "\\n") if "\n" in piece else piece)
            at = token.end
        return "".join(pieces)

    def _is_shorthand_key(self, index: int) -> bool:
        """Return whether a variable is both key and value: ``{$a}``."""
        neighbours = [*self.tokens[max(index - 1, 0) : index], *self.tokens[index + 1 : index + 2]]
        return len(neighbours) == 2 and neighbours[0].text in ("{", ",") and neighbours[1].text in ("}", ",")


class _Head:
    """Parses the directives at the beginning of a text."""

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
            imported = self._next().text == "import"
            path = self._string(self._next())
            alias, is_data = "", False
            if imported:
                if not self._is_word("as"):
                    raise HeadError
                self.at += 1
                token = self._next()
                if token.kind not in ("name", "variable") or (
                    token.kind == "name" and token.text in KEYWORDS
                ):
                    raise HeadError
                alias, is_data = token.text, token.kind == "variable"
            meta = {} if self._is(";") else self._object()
            self._expect(";")
            self.dependencies.append(Dependency(path, alias, is_data, meta))

    def _peek(self) -> Token:
        if self.at >= len(self._tokens):
            raise HeadError
        return self._tokens[self.at]

    def _next(self) -> Token:
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
            raise HeadError
        self.at += 1

    def _string(self, token: Token) -> str:
        if token.kind != "string":
            raise HeadError
        try:
            return str(loads(f'"{token.text}"', strict=False))
        except ValueError:
            raise HeadError from None

    def _object(self, depth: int = 0) -> dict[str, Any]:
        self._expect("{")
        result: dict[str, Any] = {}
        while not self._is("}"):
            token = self._next()
            key = token.text if token.kind == "name" else self._string(token)
            self._expect(":")
            result[key] = self._value(depth + 1)
            if not self._is("}"):
                self._expect(",")
        self.at += 1
        return result

    def _value(self, depth: int) -> Any:
        if depth > _DEPTH:
            raise HeadError
        if self._is("{"):
            return self._object(depth)
        if self._is("["):
            self.at += 1
            items = []
            while not self._is("]"):
                items.append(self._value(depth + 1))
                if not self._is("]"):
                    self._expect(",")
            self.at += 1
            return items
        token = self._next()
        if not token.kind and token.text == "-" and self._peek().kind == "number":
            return -self._number(self._next())
        if token.kind == "number":
            return self._number(token)
        if token.kind == "name" and token.text in _WORDS:
            return _WORDS[token.text]
        return self._string(token)

    def _number(self, token: Token) -> float | int:
        try:
            return float(token.text) if not token.text.isdigit() else int(token.text[:400])
        except ValueError:
            raise HeadError from None
