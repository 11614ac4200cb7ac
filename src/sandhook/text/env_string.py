"""Splitting one string into arguments, as ``env -S`` does."""

from __future__ import annotations

from collections.abc import Mapping

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
        EnvStringError: A quote is open, an escape unknown or a variable not written ``${NAME}``.

    Source: GNU coreutils 9.1 manual, "env: -S usage".
    """
    words: list[str] = []
    word: list[str] | None = None
    quote = ""
    index = 0
    while index < len(text):
        letter = text[index]
        index += 1
        if letter == "\\" and (quote != "'" or text[index : index + 1] in ("'", "\\")):
            following = text[index : index + 1]
            index += 1
            if following == "c":
                if quote:
                    raise EnvStringError("'\\c' must not appear in double-quoted -S string")
                break
            if following == "_":
                if quote:
                    word = [*(word or []), " "]
                elif word is not None:
                    words.append("".join(word))
                    word = None
                continue
            if following not in _ESCAPES or not following:
                if not following:
                    raise EnvStringError("invalid backslash at end of string in -S")
                raise EnvStringError(f"invalid sequence '\\{following}' in -S")
            word = word if word is not None else []
            word.append(_ESCAPES[following])
        elif quote:
            if letter == quote:
                quote = ""
            elif letter == "$" and quote == '"':
                value, index = _variable(text, index, environment)
                word = [*(word or []), value or ""]
            else:
                word = word if word is not None else []
                word.append(letter)
        elif letter in "'\"":
            quote = letter
            word = word if word is not None else []
        elif letter in _BLANK:
            if word is not None:
                words.append("".join(word))
                word = None
        elif letter == "#" and word is None:
            break
        elif letter == "$":
            value, index = _variable(text, index, environment)
            if value is not None:  # one that is not set begins no word
                word = [*(word or []), value]
        else:
            word = word if word is not None else []
            word.append(letter)
    if quote:
        raise EnvStringError("no terminating quote in -S string")
    if word is not None:
        words.append("".join(word))
    return words


def _variable(text: str, index: int, environment: Mapping[str, str]) -> tuple[str | None, int]:
    end = text.find("}", index)
    name = text[index + 1 : end]
    good = text[index : index + 1] == "{" and end > 0 and name.isidentifier() and name.isascii()
    if not good:
        raise EnvStringError(f"only ${{VARNAME}} expansion is supported, error at: {text[index - 1 :]}")
    return environment.get(name), end + 1
