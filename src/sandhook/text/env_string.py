"""Splits one string into arguments, as ``env -S`` does."""

from __future__ import annotations

from collections.abc import Mapping

from sandhook.text.names import is_name

_ESCAPES = {
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "#": "#",
    "$": "$",
    '"': '"',
    "'": "'",
    "\\": "\\",
}
_BLANK = " \t\n\v\f\r"


class EnvStringError(ValueError):
    """A string that ``env -S`` cannot split; the message is GNU's."""


def split_string(text: str, environment: Mapping[str, str]) -> list[str]:
    """Return the arguments in env -S's STRING: quotes, backslashes, ${NAME} and comments.

    Raises:
        EnvStringError: An unclosed quote, an unknown escape, or a variable that is not written ``${NAME}``.

    Source: GNU coreutils 9.1 manual, "env: -S usage".
    """
    return _Splitter(text, environment).words()


class _Splitter:
    """Splits one string; ``_word`` is the current argument, None between arguments."""

    def __init__(self, text: str, environment: Mapping[str, str]) -> None:
        self._text = text
        self._environment = environment
        self._index = 0
        self._quote = ""
        self._word: list[str] | None = None
        self._words: list[str] = []

    def words(self) -> list[str]:
        while self._index < len(self._text):
            letter = self._text[self._index]
            self._index += 1
            if letter == "\\" and (self._quote != "'" or self._peek() in ("'", "\\")):
                if not self._escape():
                    break
            elif self._quote:
                self._read_quoted(letter)
            elif letter in "'\"":
                self._quote = letter
                self._add("")
            elif letter in _BLANK:
                self._end()
            elif letter == "#" and self._word is None:
                break
            elif letter == "$":
                value = self._variable()
                if value is not None:  # an unset variable begins no argument
                    self._add(value)
            else:
                self._add(letter)
        if self._quote:
            raise EnvStringError("no terminating quote in -S string")
        self._end()
        return self._words

    def _peek(self) -> str:
        return self._text[self._index : self._index + 1]

    def _add(self, text: str) -> None:
        if self._word is None:
            self._word = []
        self._word.append(text)

    def _end(self) -> None:
        """Finish the current argument, if there is one."""
        if self._word is not None:
            self._words.append("".join(self._word))
            self._word = None

    def _escape(self) -> bool:
        """Parse the escape after a backslash; return False where ``\\c`` ends the string."""
        letter = self._peek()
        self._index += 1
        if letter == "c":
            if self._quote:
                raise EnvStringError("'\\c' must not appear in double-quoted -S string")
            return False
        if letter == "_":
            if self._quote:
                self._add(" ")
            else:
                self._end()
        elif not letter:
            raise EnvStringError("invalid backslash at end of string in -S")
        elif letter not in _ESCAPES:
            raise EnvStringError(f"invalid sequence '\\{letter}' in -S")
        else:
            self._add(_ESCAPES[letter])
        return True

    def _read_quoted(self, letter: str) -> None:
        if letter == self._quote:
            self._quote = ""
        elif letter == "$" and self._quote == '"':
            self._add(self._variable() or "")
        else:
            self._add(letter)

    def _variable(self) -> str | None:
        """Return the value of the variable that a dollar sign begins, None when it is not set."""
        text, index = self._text, self._index
        end = text.find("}", index)
        name = text[index + 1 : end]
        if text[index : index + 1] != "{" or end <= 0 or not is_name(name):
            raise EnvStringError(f"only ${{VARNAME}} expansion is supported, error at: {text[index - 1 :]}")
        self._index = end + 1
        return self._environment.get(name)
