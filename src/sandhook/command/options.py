"""The options of a utility: their declarations, and the parser that uses these.

An ``Options`` class declares each option once, with its type, default and help; ``Syntax``
parses command lines by it, with GNU's rules and messages.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandhook.typed import Any, Literal, TypeAlias, TypeVar, dataclass_transform

CACHED_LINES = 128  #: command lines whose parse is cached, for each utility
CACHED_ARGUMENTS = 16  #: the longest cached command line, in arguments
CACHED_LENGTH = 512  #: and in characters


class UsageError(Exception):
    """Wrong options or operands: GNU's message, then "Try 'NAME --help' ...", status USAGE_STATUS."""

    def __init__(self, message: str, *, hint: bool = True, status: int | None = None) -> None:
        super().__init__(message)
        self.hint = hint
        self.status = status


class OptionError(UsageError):
    """An unknown option, or one whose argument is missing or not allowed.

    Attributes:
        unknown: The letter of an unknown short option, "" for any other error.
        unknown_long: The text of an unknown long option without "--", "" for any other error.
        word: The argument of the command line with the option, as typed.
    """

    def __init__(self, message: str, *, unknown: str = "", unknown_long: str = "") -> None:
        super().__init__(message)
        self.unknown = unknown
        self.unknown_long = unknown_long
        self.word = ""


class Option:
    """One declared option: its names, the converter of its argument, and its help."""

    __slots__ = (
        "append", "const", "convert", "field", "flags", "help", "ignored", "implies", "metavar", "optional",
    )  # fmt: skip

    def __init__(
        self,
        flags: tuple[str, ...] = (),
        metavar: str | None = None,
        *,
        help: str = "",
        convert: Callable[[str], Any] | None = None,
        append: bool = False,
        const: Any = None,
        optional: bool = False,
        ignored: bool = False,
        implies: str = "",
    ) -> None:
        self.field = ""
        self.flags = flags
        self.metavar = metavar
        self.help = help
        self.convert = convert
        self.append = append
        self.const = const
        self.optional = optional
        self.ignored = ignored
        self.implies = implies


class Declared:
    """The declaration of one field by ``opt``: its default, and the options that set it."""

    __slots__ = ("default", "options")

    def __init__(self, default: Any, options: tuple[Option, ...] = ()) -> None:
        self.default = default
        self.options = options


_UNSET: Any = object()
_OPEN_DIGITS = ""  #: the key of the digits that the next ones continue, while options are parsed
VERSION: Any = object()  #: the ``const`` of a flag that shows the version, as --version does


def opt(
    *declared: str,
    help: str | None = None,
    default: Any = _UNSET,
    convert: Callable[[str], Any] | None = None,
    append: bool = False,
    const: Any = True,
    optional: bool = False,
    ignored: str | None = None,
    implies: str = "",
) -> Any:
    """Declare one option of an ``Options`` dataclass.

    Args:
        declared: Names ("-s", "--suffix"), then the name of the option-argument if there is
            one, then the help text.
        help: The help text, if it is not among ``declared``.
        default: Value when the option is absent; by default False for a flag, None with an
            argument, () with ``append``.
        convert: Converts the option-argument; raises UsageError with GNU's message.
        append: Every occurrence adds to a tuple.
        const: The value that a flag stores; several options may share a field, see ``also``.
        optional: The argument may be missing (``-i[SUFFIX]``, ``--color[=WHEN]``); it must
            then be attached, and its absence stores ``const``.
        ignored: The option is accepted without effect, for this reason ("" for no reason). Without
            ``help`` that is the help text.
        implies: The field of a flag that the option also sets.
    """
    if ignored is not None and help is None:
        help = f"accepted, without effect: {ignored}" if ignored else "accepted, without effect"
    flags = tuple(name for name in declared if name[:1] == "-")
    rest = [name for name in declared if name[:1] != "-"]
    metavar = rest.pop(0) if rest and (len(rest) > 1 or help is not None) else None
    text = help if help is not None else (rest[0] if rest else "")
    option = Option(
        flags,
        metavar,
        help=text,
        convert=convert,
        append=append,
        const=const,
        optional=optional,
        ignored=ignored is not None,
        implies=implies,
    )
    if default is _UNSET:
        default = () if append else None if metavar else False
    return Declared(default, (option,))


def also(first: Any, *more: Any) -> Any:
    """Declare several options of one field; the last one on the command line wins: ``also(opt("-E", const="ere"), ...)``."""
    return Declared(
        first.default, tuple(option for declared in (first, *more) for option in declared.options)
    )


T = TypeVar("T")


@dataclass_transform(frozen_default=True, kw_only_default=True)
def option_set(cls: type[T]) -> type[T]:
    """Convert a class of annotated ``opt`` fields to the options of a utility: immutable, with keyword arguments.

    It works like a frozen dataclass, without generating code (0.5 ms of import each, and
    10 ms for dataclasses itself): defaults of missing options are class attributes.
    """
    fields: dict[str, Declared] = {}
    for name in cls.__annotations__:
        value = cls.__dict__[name]
        fields[name] = value if isinstance(value, Declared) else Declared(value)
        setattr(cls, name, fields[name].default)
        for option in fields[name].options:
            option.field = name
    type.__setattr__(cls, "_declared", fields)
    type.__setattr__(cls, "__init__", _set_options)
    type.__setattr__(cls, "__setattr__", _raise_immutable)
    type.__setattr__(cls, "__eq__", _options_equal)
    type.__setattr__(cls, "__hash__", _options_hash)
    return cls


def declared_fields(options: type) -> dict[str, Declared]:
    """Return the fields of an ``option_set``, by name, in order."""
    fields: dict[str, Declared] = type.__getattribute__(options, "_declared")
    return fields


def options_by_flag(options: type) -> dict[str, Option]:
    """Return the options of an ``option_set`` by each of their names, with dashes."""
    return {
        flag: option
        for declared in declared_fields(options).values()
        for option in declared.options
        for flag in option.flags
    }


def _set_options(self: Any, **values: Any) -> None:
    for name in values:
        if name not in self._declared:
            raise TypeError(f"{self.__class__.__name__} has no option {name!r}")
    self.__dict__.update(values)


def _options_equal(self: Any, other: Any) -> bool:
    if self.__class__ is not other.__class__:
        return False
    return all(bool(getattr(self, name) == getattr(other, name)) for name in self._declared)


def _options_hash(self: Any) -> int:
    return hash(tuple([getattr(self, name) for name in self._declared]))


def _raise_immutable(self: Any, name: str, value: Any) -> None:
    raise AttributeError(f"{self.__class__.__name__} is immutable: {name!r} cannot be set")


class Syntax:
    """The parser made from one ``Options`` class."""

    __slots__ = (
        "_parsed",
        "digits",
        "is_operand",
        "joins_digits",
        "last",
        "long",
        "long_letter",
        "numeric",
        "options",
        "permute",
        "short",
    )

    def __init__(
        self,
        options: type,
        *,
        permute: bool = True,
        numeric: str | None = None,
        digits: str | None = None,
        joins_digits: bool = False,
        is_operand: Callable[[str], bool] | None = None,
        last: str | None = None,
        long_letter: str | None = None,
    ) -> None:
        """Make the parser.

        Args:
            options: The ``option_set``.
            permute: Options may follow operands.
            numeric: The field of ``-5``.
            digits: The field of the last digits in a cluster of letters (``-5c``).
            joins_digits: Digits continue those before, unless another option stands between: ``-3 -2`` is ``-32``.
            is_operand: Returns True for an argument with a dash that is an operand (``-1``, ``-echo``).
            last: The field of an option after which all arguments are operands.
            long_letter: The letter of an option whose argument is a long option: ``-W version``.
        """
        self._parsed: dict[tuple[str, ...], tuple[Any, tuple[str, ...]]] = {}
        self.options = options
        self.permute = permute
        self.numeric: Option | None = None
        self.digits = digits
        self.joins_digits = joins_digits
        self.is_operand = is_operand
        self.last = last
        self.long_letter = long_letter
        self.short: dict[str, Option] = {}
        self.long: dict[str, Option] = {}
        for flag, option in options_by_flag(options).items():
            if flag.startswith("--"):
                self.long[flag[2:]] = option
            else:
                self.short[flag[1:]] = option
        if numeric is not None:
            declared = declared_fields(options)[numeric].options
            self.numeric = next((option for option in declared if option.metavar is not None), Option())
            self.numeric.field = numeric

    def parse(self, arguments: Sequence[str], *, in_order: bool = False) -> tuple[Any, list[str]]:
        """Return the options and the operands. Raises UsageError in GNU's words.

        Results are cached, because a hook runs the same few commands repeatedly.

        Args:
            arguments: The arguments of the command.
            in_order: Options end at the first operand, as where POSIXLY_CORRECT is set.
        """
        key = tuple(arguments)
        if in_order:
            options, operands = self._parse(key, permute=False)
            return options, list(operands)
        result = self._parsed.get(key)
        if result is None:
            result = self._parse(key, permute=self.permute)
            if len(key) <= CACHED_ARGUMENTS and sum(map(len, key)) <= CACHED_LENGTH:
                if len(self._parsed) >= CACHED_LINES:
                    self._parsed.clear()
                self._parsed[key] = result
        return result[0], list(result[1])

    def parse_after_number(
        self, arguments: Sequence[str], message: str, *, in_order: bool = False
    ) -> tuple[str | None, Any, list[str]]:
        """Return what follows the dash of a first argument like ``-5c``, or None; options; operands.

        Args:
            arguments: The arguments of the command.
            message: The error of a digit among other options; "{}" is the digit.
            in_order: See ``parse``.
        """
        first = arguments[0] if arguments else ""
        number = first[1:] if first[:1] == "-" and first[1:2].isdecimal() and first.isascii() else None
        try:
            options, operands = self.parse(arguments[number is not None :], in_order=in_order)
        except OptionError as error:
            if error.unknown.isdecimal():
                raise UsageError(message.replace("{}", error.unknown)) from None
            raise
        return number, options, operands

    def _parse(self, arguments: tuple[str, ...], *, permute: bool) -> tuple[Any, tuple[str, ...]]:
        values: dict[str, Any] = {}
        operands: list[str] = []
        rest = list(reversed(arguments))
        while rest:
            argument = rest.pop()
            if argument == "--":
                operands += reversed(rest)
                break
            if (
                argument[:1] != "-"
                or argument == "-"
                or (self.is_operand is not None and self.is_operand(argument))
            ):
                operands.append(argument)
                values.pop(_OPEN_DIGITS, None)
                if not permute:
                    operands += reversed(rest)
                    break
            else:
                try:
                    self._option(argument, rest, values)
                except OptionError as error:
                    error.word = argument
                    raise
                if self.last in values:
                    operands += reversed(rest)
                    break
        values.pop(_OPEN_DIGITS, None)
        return self.options(**values), tuple(operands)

    def _option(self, argument: str, rest: list[str], values: dict[str, Any]) -> None:
        if argument[:2] == "--":
            self._long(argument[2:], rest, values)
        elif self.numeric is not None and argument[1:2].isdigit():
            self._store(self.numeric, self._read(self.numeric, argument[1:]), values)
        else:
            self._short(argument, rest, values)

    def _short(self, argument: str, rest: list[str], values: dict[str, Any]) -> None:
        index = 1
        while index < len(argument):
            letter = argument[index]
            option = self.short.get(letter)
            if self.digits is not None and letter.isdigit() and letter.isascii():
                end = len(argument) - len(argument[index:].lstrip("0123456789"))
                values[self.digits] = values.get(_OPEN_DIGITS, "") + argument[index:end]
                if self.joins_digits:
                    values[_OPEN_DIGITS] = values[self.digits]
                index = end
                continue
            if option is None and self.numeric is not None and self.numeric.metavar and letter.isdigit():
                self._store(self.numeric, self._read(self.numeric, argument[index:]), values)
                return
            if option is None and letter == self.long_letter and (rest or argument[index + 1 :]):
                self._long(argument[index + 1 :] or rest.pop(), rest, values)
                return
            if option is None:
                raise OptionError(f"invalid option -- '{letter}'", unknown=letter)
            index += 1
            if option.metavar is None:
                self._store(option, option.const, values)
            elif index < len(argument) or option.optional:
                attached = argument[index:]
                self._store(option, option.const if not attached else self._read(option, attached), values)
                return
            elif rest:
                self._store(option, self._read(option, rest.pop()), values)
            else:
                raise OptionError(f"option requires an argument -- '{letter}'")

    def _long(self, text: str, rest: list[str], values: dict[str, Any]) -> None:
        name, equals, attached = text.partition("=")
        option = self.long.get(name)
        if option is None and name in ("help", "version") and not equals:
            raise Inform(name)
        if option is None:
            matches = [known for known in (*self.long, "help", "version") if known.startswith(name)]
            targets = {id(self.long[known]) if known in self.long else known for known in matches}
            if not matches:
                raise OptionError(f"unrecognized option '--{text}'", unknown_long=text)
            if len(targets) > 1:
                possibilities = " ".join(f"'--{known}'" for known in matches)
                raise OptionError(f"option '--{text}' is ambiguous; possibilities: {possibilities}")
            name = matches[0]
            if name in ("help", "version") and name not in self.long:
                raise Inform(name)
            option = self.long[name]
        if option.metavar is None:
            if equals:
                raise OptionError(f"option '--{name}' doesn't allow an argument")
            self._store(option, option.const, values)
        elif equals:
            self._store(option, self._read(option, attached), values)
        elif option.optional:
            self._store(option, option.const, values)
        elif rest:
            self._store(option, self._read(option, rest.pop()), values)
        else:
            raise OptionError(f"option '--{name}' requires an argument")

    def _read(self, option: Option, text: str) -> Any:
        return text if option.convert is None else option.convert(text)

    def _store(self, option: Option, value: Any, values: dict[str, Any]) -> None:
        if value is VERSION:
            raise Inform("version")
        values.pop(_OPEN_DIGITS, None)
        if option.append:
            values[option.field] = (*values.get(option.field, ()), value)
        else:
            values[option.field] = value
        if option.implies:
            values[option.implies] = True


def is_negative_number(word: str) -> bool:
    """Return True for a word with a dash that is a number, or begins as one."""
    return word[1] == "." or word[1].isdigit()


#: What a utility prints instead of running.
Topic: TypeAlias = Literal["help", "version"]


class Inform(Exception):
    """The command line has --help or --version.

    Args:
        option: The option without the hyphens.
        status: The exit status.

    Attributes:
        topic: What the utility prints.
    """

    def __init__(self, option: str, status: int = 0) -> None:
        super().__init__(option)
        self.status = status
        self.topic: Topic = "version" if option == "version" else "help"


def inform_alone(arguments: Sequence[str], status: int = 0) -> None:
    """Raise Inform if --help or --version is the one argument: elsewhere the words of echo and true are text."""
    if len(arguments) == 1 and arguments[0] in ("--help", "--version"):
        raise Inform(arguments[0][2:], status)


def split_arguments(
    arguments: Sequence[str], syntax: Syntax, *, in_order: bool = False
) -> tuple[list[str], list[str]]:
    """Split valid arguments into the unchanged words of options and the operands; see ``Syntax.parse``."""
    words: list[str] = []
    operands: list[str] = []
    rest = list(reversed(arguments))
    while rest:
        word = rest.pop()
        if word == "--":
            operands += reversed(rest)
            break
        if word[:1] != "-" or word == "-":
            operands.append(word)
            if in_order:
                operands += reversed(rest)
                break
            continue
        words.append(word)
        if _takes_next_word(word, syntax):
            words.append(rest.pop())
    return words, operands


def _takes_next_word(word: str, syntax: Syntax) -> bool:
    if word[:2] == "--":
        name, equals, _ = word[2:].partition("=")
        option = syntax.long.get(name) or next(
            (syntax.long[known] for known in syntax.long if known.startswith(name)), None
        )
        return not equals and option is not None and option.metavar is not None and not option.optional
    for end, letter in enumerate(word[1:], 2):
        option = syntax.short.get(letter)
        if option is not None and option.metavar is not None:
            return end == len(word) and not option.optional
    return False
