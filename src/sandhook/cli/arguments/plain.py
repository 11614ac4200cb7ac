"""Plain command lines: declared options, each with its value as a word. They are read at once; argparse reads others."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandhook.record import Record
from sandhook.typed import Any, TypeAlias


class Argument(Record):
    """An option or a word of a command: what ``add_argument`` of argparse was given."""

    flags: tuple[str, ...]
    settings: dict[str, Any]

    @property
    def dest(self) -> str:
        """The name of its value, as argparse chooses it."""
        if "dest" in self.settings:
            return str(self.settings["dest"])
        long = [flag for flag in self.flags if flag.startswith("--")]
        return (long or self.flags)[0].lstrip("-").replace("-", "_")

    @property
    def default(self) -> Any:
        """The value if the argument is not given."""
        action, nargs = self.settings.get("action"), self.settings.get("nargs")
        if action == "store_true":
            return False
        return self.settings.get(
            "default", [] if nargs == "..." or (nargs == "*" and not self.is_option) else None
        )

    @property
    def is_option(self) -> bool:
        return self.flags[0].startswith("-")


#: What a plain command line may use; with anything else, argparse decides.
_SETTINGS = frozenset(
    {"action", "choices", "default", "dest", "help", "metavar", "nargs", "required", "type"}
)
_ACTIONS = (None, "store_true", "append", "extend")


class Group:
    """Arguments of which one at most may be given."""

    def __init__(self) -> None:
        self.arguments: list[Argument] = []

    def add_argument(self, *flags: str, **settings: Any) -> None:
        """Declare an argument of the group."""
        self.arguments.append(Argument(flags, settings))


Declared: TypeAlias = Sequence[Argument | Group]


def read_plain(declared: Declared, words: Sequence[str]) -> dict[str, Any] | None:
    """Return the value of each argument by its name, as argparse does; None for a command line that is not plain.

    It never reports an error: a command line that has one is not plain.
    """
    arguments = [each for each in declared if isinstance(each, Argument) and _is_plain(each)]
    if len(arguments) < len(declared):
        return None
    try:
        return _Reading(arguments).values(words)
    except _NotPlainError:
        return None


def _is_plain(argument: Argument) -> bool:
    settings = argument.settings
    return settings.keys() <= _SETTINGS and settings.get("action") in _ACTIONS


class _NotPlainError(Exception):
    """Argparse reads this command line."""


class _Reading:
    """One plain command line that is read."""

    def __init__(self, arguments: Sequence[Argument]) -> None:
        self._options = {flag: each for each in arguments if each.is_option for flag in each.flags}
        self._positional = [each for each in arguments if not each.is_option]
        self._values = {each.dest: each.default for each in reversed(arguments)}  # the first default counts
        self._given: set[str] = set()
        self._required = {each.dest for each in arguments if each.settings.get("required")}

    def values(self, words: Sequence[str]) -> dict[str, Any]:
        """Return the value of every argument by its name."""
        at = 0
        while at < len(words):
            word = words[at]
            if word[:1] == "-":
                at = self._option(words, at)
            elif len(self._positional) == 1 and self._positional[0].dest not in self._given:
                at = self._word(words, at)
            else:
                raise _NotPlainError
        if not self._required <= self._given or any(
            each.settings.get("nargs") not in ("?", "*", "...") and each.dest not in self._given
            for each in self._positional
        ):
            raise _NotPlainError
        return self._values

    def _option(self, words: Sequence[str], at: int) -> int:
        """Read the option at a place; return the place after it."""
        flag, equals, joined = words[at].partition("=")
        option = self._options.get(flag)
        if option is None or (equals and flag[:2] != "--") or joined == "--":  # which argparse removes
            raise _NotPlainError
        dest, action, nargs = option.dest, option.settings.get("action"), option.settings.get("nargs")
        self._given.add(dest)
        if action == "store_true":
            if equals:
                raise _NotPlainError
            self._values[dest] = True
            return at + 1
        if equals:
            given, end = [joined], at + 1
        else:
            end = _end(words, at + 1) if nargs in ("+", "*") else at + 2
            given = list(words[at + 1 : end])
            if not given or any(word[:1] == "-" for word in given):
                raise _NotPlainError
        values = [_value(option, word) for word in given]
        value = values if nargs in ("+", "*") else values[0]
        if nargs not in (None, "+", "*"):
            raise _NotPlainError
        if action is None:
            self._values[dest] = value
        else:  # a new list: the default is shared
            self._values[dest] = [*(self._values[dest] or ()), *(value if action == "extend" else [value])]
        return end

    def _word(self, words: Sequence[str], at: int) -> int:
        """Read the words at a place; return the place after them."""
        argument = self._positional[0]
        nargs = argument.settings.get("nargs")
        self._given.add(argument.dest)
        if nargs == "...":
            self._values[argument.dest] = list(words[at:])
            return len(words)
        end = _end(words, at) if nargs in ("*", "+") else at + 1
        values = [_value(argument, word) for word in words[at:end]]
        self._values[argument.dest] = values if nargs in ("*", "+") else values[0]
        return end


def _end(words: Sequence[str], start: int) -> int:
    """Return where the words that begin with no dash end."""
    return next((at for at in range(start, len(words)) if words[at][:1] == "-"), len(words))


def _value(argument: Argument, word: str) -> Any:
    """Return the value of a word. Raises _NotPlainError if it has none."""
    convert: Callable[[str], Any] | None = argument.settings.get("type")
    try:
        value = word if convert is None else convert(word)
    except Exception as error:  # argparse reports it
        raise _NotPlainError from error
    choices = argument.settings.get("choices")
    if choices is not None and value not in choices:
        raise _NotPlainError
    return value
