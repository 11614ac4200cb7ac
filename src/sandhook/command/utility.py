"""Utility: a utility as the shell calls it, with what its module declares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sandhook.command.context import Context
from sandhook.command.options import Syntax, is_negative_number
from sandhook.typed import Any, Protocol


class Whole(str):
    """A message that is complete: the name of the program does not precede it."""

    __slots__ = ()


#: ``WRITE_ERROR`` of programs that report an error of writing once more when they end.
WRITE_ERROR_TWICE = {"": "write error: {}", "large": "write error: {}\n{name}: write error"}

#: That of the programs of util-linux, which report a full disk alone.
WRITE_ERROR_UTIL_LINUX = {"": "write error: {}", "large": "write error", "EPIPE": "", "EBADF": ""}

#: That of programs that report the reason only for a closed descriptor, where they write nothing.
WRITE_ERROR_CLOSED = {"": "write error", "EBADF": "write error: {}"}


class Declaration(Protocol):
    """What declares a utility: a module, or an object that ``@utility`` made.

    It has ``run``, a class ``Options`` unless it is RAW, and constants for what differs from most utilities:

    RAW: ``run`` parses the arguments; it receives None instead of options.
    PERMUTE: False if options end at the first operand. ANY_ORDER: True if they do not even where POSIXLY_CORRECT is
    set, or the names of such programs. NUMERIC, DIGITS, JOINS_DIGITS, LONG_LETTER, NEGATIVE: see
    ``Syntax``.
    INFORMS: False if --help and --version are ordinary words. HELP_ON_ERROR: True if --help prints
    on standard error.
    PROGRAMS: The ``Options`` of programs that do not have those of the module, by name.
    SUBCOMMANDS: The ``Options`` of subcommands, by name. OPERAND_WORDS: The words that operands may be, by a title.
    USAGE_STATUS: The exit status of usage errors and failures (default 1). OPTION_STATUS: That of an unknown option.
    USAGE: A line before the hint to --help, with NAME for the program. BASE_NAME: Both have the name without its
    directory, and so has --help. NAMED_HINT: The hint begins with the utility's name, or does so for these
    names. HINT_QUOTE: Its opening quote. ARGP: The hint also names --usage, as that of programs made with argp.
    WRITE_ERROR: The message for an error of output; see ``write_errors``. WRITE_STATUS: The exit status of that.
    IGNORED_WRITE_STATUS: The exit status if the program ignores such an error.
    READ_ERROR: The message for a standard input that cannot be read, where ``run`` raises that error; "{}" is the reason,
    and the name of the program precedes it unless the message is ``Whole``. READ_STATUS: The exit status of that.
    CLOSED_INPUT: What the last message names, if the program closes standard input when it ends and this was closed before.
    FIXED_NAMES: The names that messages of programs begin with, regardless of ``argv[0]``; "" for its last part.
    """

    def run(self, options: Any, operands: Sequence[str], ctx: Context, /) -> int:
        """Run the utility and return its exit status."""


class Utility:
    """A utility, whose declaration is read once.

    Attributes:
        declaration: What ``run``, ``Options`` and the docstring are from.
    """

    __slots__ = (
        "_syntax", "any_order", "argp", "base_name", "closed_input", "declaration", "fixed_names", "help_on_error", "hint_quote", "ignored_write_status", "informs", "named_hint", "operand_words",
        "option_status", "programs", "raw", "read_error", "read_status", "run", "subcommands", "usage", "usage_status", "write_error", "write_status",
    )  # fmt: skip

    def __init__(self, declaration: Declaration) -> None:
        self.declaration = declaration
        self.run = declaration.run
        self._syntax: Syntax | None = None
        self.raw: bool = getattr(declaration, "RAW", False)
        self.any_order: bool | frozenset[str] = getattr(declaration, "ANY_ORDER", False)
        self.informs: bool = getattr(declaration, "INFORMS", True)
        self.help_on_error: bool = getattr(declaration, "HELP_ON_ERROR", False)
        self.programs: Mapping[str, type] = getattr(declaration, "PROGRAMS", {})
        self.subcommands: Mapping[str, type] = getattr(declaration, "SUBCOMMANDS", {})
        self.operand_words: Mapping[str, Sequence[str]] = getattr(declaration, "OPERAND_WORDS", {})
        self.usage_status: int = getattr(declaration, "USAGE_STATUS", 1)
        self.usage: str = getattr(declaration, "USAGE", "")
        self.base_name: bool = getattr(declaration, "BASE_NAME", False)
        self.named_hint: bool | frozenset[str] = getattr(declaration, "NAMED_HINT", False)
        self.hint_quote: str = getattr(declaration, "HINT_QUOTE", "'")
        self.argp: bool = getattr(declaration, "ARGP", False)
        self.option_status: int = getattr(
            declaration, "OPTION_STATUS", _EX_USAGE if self.argp else self.usage_status
        )
        self.write_error: str | Mapping[str, str] = getattr(declaration, "WRITE_ERROR", "write error: {}")
        self.ignored_write_status: int = getattr(declaration, "IGNORED_WRITE_STATUS", 0)
        self.write_status: int = getattr(declaration, "WRITE_STATUS", self.usage_status)
        self.read_error: str = getattr(declaration, "READ_ERROR", "{}")
        self.read_status: int = getattr(declaration, "READ_STATUS", self.usage_status)
        self.closed_input: str = getattr(declaration, "CLOSED_INPUT", "")
        self.fixed_names: Mapping[str, str] = getattr(declaration, "FIXED_NAMES", {})

    def options_of(self, program: str) -> type | None:
        """Return the class of the options of a program; None if a RAW utility has none."""
        return self.programs.get(program) or getattr(self.declaration, "Options", None)

    @property
    def syntax(self) -> Syntax:
        """The parser of its options."""
        if self._syntax is None:
            declaration = self.declaration
            self._syntax = Syntax(
                declaration.Options,  # type: ignore[attr-defined]  # only a RAW utility may lack it
                permute=getattr(declaration, "PERMUTE", True),
                numeric=getattr(declaration, "NUMERIC", None),
                digits=getattr(declaration, "DIGITS", None),
                joins_digits=getattr(declaration, "JOINS_DIGITS", False),
                long_letter=getattr(declaration, "LONG_LETTER", None),
                is_operand=is_negative_number if getattr(declaration, "NEGATIVE", False) else None,
            )
        return self._syntax

    def permutes_always(self, name: str) -> bool:
        """Return True if POSIXLY_CORRECT does not change where the options of a program may be."""
        return self.any_order if isinstance(self.any_order, bool) else name in self.any_order

    def begins_hint(self, name: str) -> bool:
        """Return True if the hint after a usage error begins with the name."""
        return self.named_hint if isinstance(self.named_hint, bool) else name in self.named_hint


#: EX_USAGE of sysexits.h, with which programs made with argp report an unknown option.
_EX_USAGE = 64
