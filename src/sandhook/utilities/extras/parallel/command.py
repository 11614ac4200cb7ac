"""The command line of a job of parallel: replacement strings, and quoting for the shell."""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.lazy import lazily
from sandhook.text.quoting import parallel_quote
from sandhook.typed import TYPE_CHECKING

if TYPE_CHECKING:
    import re

_MARK = lazily(r"\{(-?[0-9]{0,6})(//|/\.|/|\.|)\}|\{([#%])\}")
UNSUPPORTED = lazily(r"\{=|\{\+|\{\.\.")


class Job:
    """One job.

    Attributes:
        values: The values of the positions {1}, {2} and so on.
        number: The number of the job, from 1.
    """

    __slots__ = ("number", "values")

    def __init__(self, values: Sequence[str], number: int) -> None:
        self.values = values
        self.number = number


class Template:
    """A command with replacement strings; without any, all values are appended.

    Args:
        mark: The replacement string for {}.
        context: -X: a word with a replacement string is repeated for each value.
        quotes: Values are quoted for the shell.
        names: Names of positions, from --header.
        quotes_words: -q: the words of the command are quoted after the replacement.
    """

    def __init__(
        self,
        words: Sequence[str],
        mark: str,
        *,
        context: bool,
        quotes: bool,
        names: Sequence[str] = (),
        quotes_words: bool = False,
    ) -> None:
        text = [word.replace(mark, "{}") if mark != "{}" else word for word in words]
        for at, name in enumerate(names, 1):
            text = [word.replace("{" + name + "}", "{" + str(at) + "}") for word in text]
        self._quotes_words = quotes_words
        if not any(_MARK.search(word) for word in text):
            text.append("{}")
        self._words = text
        self._context = context
        self._quotes = quotes

    def fill(self, job: Job) -> str:
        """Return the command of a job."""
        pieces = []
        for word in self._words:
            if self._context and any(not match[1] and not match[3] for match in _MARK.finditer(word)):
                pieces += [self._word(word, Job([value], job.number)) for value in job.values]
            else:
                pieces.append(self._word(word, job))
        return " ".join(pieces)

    def _word(self, word: str, job: Job) -> str:
        quote = parallel_quote if self._quotes and not self._quotes_words else str

        def replace(match: re.Match[str]) -> str:
            position, form, special = match.groups()
            if special:
                return str(job.number) if special == "#" else "1"
            if not position:
                return " ".join([quote(_form(value, form)) for value in job.values])
            number = int(position)
            at = number - 1 if number > 0 else len(job.values) + number
            return quote(_form(job.values[at], form)) if 0 <= at < len(job.values) else ""

        text = _MARK.sub(replace, word)
        return parallel_quote(text) if self._quotes_words else text


def _form(value: str, form: str) -> str:
    """Return a value in the form of {.}, {/}, {//} or {/.}."""
    if form == "//":
        return value.rpartition("/")[0] or ("/" if value[:1] == "/" else ".")
    if form in ("/", "/."):
        value = value.rpartition("/")[2]
    if form in (".", "/."):
        head, dot, tail = value.rpartition(".")
        if dot and "/" not in tail:
            return head
    return value
