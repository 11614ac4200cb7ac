"""Parses the arguments of a command by the options that it declares, with git's rules and messages.

Several ``Options`` classes can apply to one command: ``git log`` has options of its own, of the walk, and of diffs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from sandhook.command.options import Option, UsageError, declared_fields
from sandhook.text.numbers import is_number
from sandhook.utilities.git.errors import OptionFault

T = TypeVar("T")

#: The options of revisions and diffs that "no-" negates, besides those that are declared with it.
_NEGATABLE = frozenset(
    [
        "abbrev",
        "abbrev-commit",
        "color",
        "color-moved",
        "color-moved-ws",
        "compact-summary",
        "decorate",
        "decorate-refs",
        "decorate-refs-exclude",
        "diff-merges",
        "exit-code",
        "expand-tabs",
        "ext-diff",
        "filter",
        "find-copies",
        "find-copies-harder",
        "follow",
        "full-index",
        "function-context",
        "graph",
        "ignore-matching-lines",
        "indent-heuristic",
        "mailmap",
        "max-parents",
        "merges",
        "min-parents",
        "minimal",
        "notes",
        "object-names",
        "patch",
        "quiet",
        "relative",
        "rename-empty",
        "renames",
        "show-signature",
        "source",
        "standard-notes",
        "text",
        "textconv",
        "use-mailmap",
    ]
)


class Parsed:
    """The arguments of a command.

    Attributes:
        operands: Arguments that are not options, before "--".
        paths: Arguments after "--"; None without "--".
        unknown: Unknown options, if the command reads them itself.
        late: Options after operands, each with the number of operands before it.
    """

    def __init__(self) -> None:
        self.operands: list[str] = []
        self.paths: list[str] | None = None
        self.unknown: list[str] = []
        self.late: list[tuple[int, str]] = []
        self._values: dict[type, Any] = {}

    def of(self, options: type[T]) -> T:
        """Return the values of one class of options."""
        values: T = self._values[options]
        return values

    def keep(self, options: type, values: dict[str, Any]) -> None:
        """Store the values of one class."""
        self._values[options] = options(**values)


class _Table:
    """The options of several classes by their names."""

    def __init__(self, sets: Sequence[type], *, abbreviates: bool) -> None:
        self._abbreviates = abbreviates
        self.short: dict[str, tuple[type, Option]] = {}
        self.long: dict[str, tuple[type, Option]] = {}
        for each in sets:
            for declared in declared_fields(each).values():
                for option in declared.options:
                    for flag in option.flags:
                        if flag.startswith("--"):
                            self.long.setdefault(flag[2:], (each, option))
                        elif len(flag) == 2:
                            self.short.setdefault(flag[1:], (each, option))

    def find_long(self, name: str) -> tuple[type, Option, bool] | None:
        """Return the option of a name or of its unique abbreviation, and whether "no-" negates it; None for no option."""
        if (found := self.long.get(name)) is not None:
            return (*found, False)
        if name.startswith("no-") and (found := self.long.get(name[3:])) is not None:
            return (*found, True) if self._abbreviates or name[3:] in _NEGATABLE else None
        if not self._abbreviates:
            return None
        matches = {known: found for known, found in self.long.items() if known.startswith(name)}
        targets = {id(option) for _, option in matches.values()}
        if not matches or not name:
            return None
        if len(targets) > 1:
            names = list(matches)
            raise OptionFault(f"ambiguous option: {name} (could be --{names[0]} or --{names[1]})")
        return (*next(iter(matches.values())), False)


class Parser:
    """Parses the arguments of one command.

    An optional option-argument must be attached. If its name begins with "[", it may also be the next word.

    Args:
        sets: The classes of options.
        number: The field of the first class that "-5" sets, "" if it does not exist.
        stop: Options end at the first operand.
        lenient: Unknown options are kept in ``Parsed.unknown``, in place of an error.
        abbreviates: The beginning of a long option stands for it, and "no-" negates each. Commands of revisions and
            diffs refuse that.
        shorthands: Options that stand for several others.
        modes: Fields of which only one may be set, and only to one value. Several tuples exclude nothing of each other.
    """

    def __init__(
        self,
        *sets: type,
        number: str = "",
        stop: bool = False,
        lenient: bool = False,
        abbreviates: bool = True,
        shorthands: Mapping[str, Sequence[str]] | None = None,
        modes: Sequence[Sequence[str]] = (),
    ) -> None:
        self._modes = {field: number for number, fields in enumerate(modes) for field in fields}
        self._chosen: dict[int, tuple[str, tuple[str, Any]]] = {}
        self._shorthands = shorthands or {}
        self._sets = sets
        self._table = _Table(sets, abbreviates=abbreviates)
        self._number = number
        self._stop = stop
        self._lenient = lenient
        self._values: dict[type, dict[str, Any]] = {}
        self._result = Parsed()

    def parse(self, arguments: Sequence[str]) -> Parsed:
        """Return the parsed arguments. Raises OptionFault."""
        self._values = {each: {} for each in self._sets}
        self._chosen.clear()
        result = self._result = Parsed()
        rest = list(reversed(arguments))
        while rest:
            word = rest.pop()
            if word in ("--", "--end-of-options"):
                after = list(reversed(rest))
                if word == "--":
                    result.paths = after
                else:
                    result.operands += [each for each in after if each != "--"]
                break
            if result.operands and word[:1] == "-" != word:
                result.late.append((len(result.operands), word))
            if word in self._shorthands:
                rest += reversed(self._shorthands[word])
            elif word[:1] != "-" or word == "-":
                result.operands.append(word)
                if self._stop:
                    result.operands += reversed(rest)
                    break
            elif word[:2] == "--":
                self._long(word, rest)
            elif self._number and is_number(word[1:]):
                self._values[self._sets[0]][self._number] = word[1:]
            else:
                self._short(word, rest)
        for each, values in self._values.items():
            result.keep(each, {name: tuple(v) if isinstance(v, list) else v for name, v in values.items()})
        return result

    def _long(self, word: str, rest: list[str]) -> None:
        name, equals, attached = word[2:].partition("=")
        found = self._table.find_long(name)
        if found is None:
            self._unknown(word, f"unknown option `{word[2:]}'")
            return
        owner, option, negated = found
        if negated and equals:
            raise OptionFault(f"option `{name}' takes no value")
        self._choose(option, f"option `{name}'", f"--{name}")
        if negated:
            self._values[owner].pop(option.field, None)
        elif option.metavar is None:
            if equals:
                raise OptionFault(f"option `{name}' takes no value")
            self._store(owner, option, option.const)
        elif equals:
            self._store(owner, option, self._convert(option, attached))
        elif option.optional and not (option.metavar.startswith("[") and rest):
            self._store(owner, option, option.const)
        elif rest:
            self._store(owner, option, self._convert(option, rest.pop()))
        else:
            raise OptionFault(f"option `{name}' requires a value")

    def _short(self, word: str, rest: list[str]) -> None:
        index = 1
        while index < len(word):
            letter = word[index]
            found = self._table.short.get(letter)
            if found is None:
                self._unknown(word, f"unknown switch `{letter}'")
                return
            owner, option = found
            self._choose(option, f"switch `{letter}'", f"-{letter}")
            index += 1
            if option.metavar is None:
                self._store(owner, option, option.const)
                continue
            attached = word[index:]
            if attached:
                self._store(owner, option, self._convert(option, attached))
            elif option.optional:
                self._store(owner, option, option.const)
            elif rest:
                self._store(owner, option, self._convert(option, rest.pop()))
            else:
                raise OptionFault(f"switch `{letter}' requires a value")
            return

    def _choose(self, option: Option, shown: str, flag: str) -> None:
        """Note the mode that an option chooses. Raises OptionFault for a second one."""
        number = self._modes.get(option.field)
        if number is None:
            return
        chosen = option.field, option.const
        before, known = self._chosen.setdefault(number, (flag, chosen))
        if known != chosen:
            raise OptionFault(f"{shown} is incompatible with {before}")

    def _unknown(self, word: str, message: str) -> None:
        if not self._lenient:
            raise OptionFault(message)
        self._result.unknown.append(word)

    def _convert(self, option: Option, text: str) -> Any:
        if option.convert is None:
            return text
        try:
            return option.convert(text)
        except UsageError as error:
            raise OptionFault(str(error)) from None

    def _store(self, owner: type, option: Option, value: Any) -> None:
        values = self._values[owner]
        if option.append:
            values.setdefault(option.field, []).append(value)  # a tuple at the end: many of them stay linear
        else:
            values[option.field] = value


def count(text: str) -> int:
    """Convert an option-argument that is a number. Raises UsageError in git's words."""
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()) or len(digits) > 9:
        raise UsageError(f"'{text}': not an integer")
    return int(text)
