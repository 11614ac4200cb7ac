"""git rev-parse --parseopt: parse the options of a script, which the script describes on standard input.

Source: git-rev-parse(1), "PARSEOPT". Oracle: git 2.39.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from sandhook.command.options import opt, option_set
from sandhook.record import Record
from sandhook.text.width import width_of
from sandhook.utilities.git.arguments import Parser
from sandhook.utilities.git.errors import GitError, OptionFault
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.access import decode, encode

_USAGE = """\
usage: git rev-parse --parseopt [<options>] -- [<args>...]

    --keep-dashdash       keep the `--` passed as an arg
    --stop-at-non-option  stop parsing after the first non-option argument
    --stuck-long          output in stuck long form

"""
_STATUS = 129
_COLUMN = 24
_SPEC = re.compile(r"([^\s*=?!]*+)([*=?!]*+)(\S*+)")


@option_set
class ParseOptions:
    """Options of git rev-parse --parseopt."""

    keep: bool = opt("--keep-dashdash")
    stop: bool = opt("--stop-at-non-option")
    stuck: bool = opt("--stuck-long")


class _Option(Record):
    """An option of the script, or a heading, which has neither name."""

    short: str = ""
    long: str = ""
    flags: str = ""
    hint: str = ""
    help: str = ""

    @property
    def is_heading(self) -> bool:
        return not (self.short or self.long)

    @property
    def takes_value(self) -> bool:
        return "=" in self.flags or "?" in self.flags

    @property
    def may_negate(self) -> bool:
        return "!" not in self.flags

    @property
    def names(self) -> str:
        """The names as the usage shows them."""
        return ", ".join([f"-{self.short}"] * bool(self.short) + [f"--{self.long}"] * bool(self.long))

    def value(self) -> str:
        """Return the option-argument as the usage shows it."""
        if not self.takes_value:
            return ""
        is_literal = not self.hint or any(mark in self.hint for mark in "()<>[]|")
        value = (self.hint or "...") if is_literal else f"<{self.hint}>"
        if "?" not in self.flags:
            return f" {value}"
        return f"[={value}]" if self.long else f"[{value}]"


class _Negatable(Record):
    """An option that a word stands for, and whether the word negates it."""

    option: _Option
    negated: bool


class _Help(Exception):
    """The usage is wanted: on standard output, for the script to evaluate; with the options that are hidden."""

    def __init__(self, *, full: bool = False) -> None:
        super().__init__()
        self.full = full


class _Unknown(Exception):
    """There is no such option: the message, and the usage on standard error."""


def quoted(word: str) -> str:
    """Return a word as git quotes it for shells."""
    return "'" + word.replace("'", "'\\''").replace("!", "'\\!'") + "'"


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Print the normalized arguments of a script; return 0, or 129 with its usage."""
    words = list(arguments)
    at = words.index("--") if "--" in words else len(words)
    try:
        if {"-h"} == set(words[:at]) or "--help" in words[:at] or "--help-all" in words[:at]:
            call.ctx.write(encode(_USAGE))
            return _STATUS
        parsed = Parser(ParseOptions).parse(words[:at])
    except OptionFault as error:
        call.error(error.text())
        if str(error).startswith("ambiguous"):
            call.ctx.write(encode(_USAGE))
        elif str(error).startswith("unknown"):
            call.error(_USAGE.removesuffix("\n"))
        return _STATUS
    if at == len(words) or parsed.operands:
        call.error(_USAGE.removesuffix("\n"))
        return _STATUS
    with call.ctx.stdin_reader() as reader:
        text = decode(reader.read_all())
    call.access.charge(1 + (len(text) >> 4))
    usage, options = _read(text)
    run = _Run(call, options, parsed.of(ParseOptions))
    try:
        call.ctx.write(encode(run.parse(words[at + 1 :])))
    except _Help as wanted:
        shown = _shown(usage, options, full=wanted.full)
        call.ctx.write(encode(f"cat <<\\EOF\n{shown}EOF\n"))
        return _STATUS
    except _Unknown as error:
        call.error(f"error: {error}\n{_shown(usage, options)}".removesuffix("\n"))
        return _STATUS
    return 0


# --------------------------------------------------------------------------- the description


def _read(text: str) -> tuple[list[str], list[_Option]]:
    """Return the lines of the usage, and the options. Raises GitError."""
    lines = text.removesuffix("\n").split("\n") if text else []
    if "--" not in lines:
        raise GitError("premature end of input")
    at = lines.index("--")
    if not at:
        raise GitError("no usage string given before the `--' separator")
    return lines[:at], [_option(line) for line in lines[at + 1 :] if line]


def _option(line: str) -> _Option:
    """Return the option of a line, or its heading."""
    spec, blank, rest = re.sub(r"[\t\v\f\r]", " ", line).partition(" ")
    if not spec or not blank:
        return _Option(help=line.lstrip())
    names, flags, hint = _SPEC.fullmatch(spec).groups()  # type: ignore[union-attr]  # it matches each word
    if not names:
        raise GitError("missing opt-spec before option flags")
    help_text = line[len(line) - len(rest) :].lstrip()
    is_switch = names[0].isascii() and names[1:2] in ("", ",")
    if not is_switch:
        return _Option(long=names, flags=flags, hint=hint, help=help_text)
    return _Option(short=names[0], long=names[2:], flags=flags, hint=hint, help=help_text)


def _shown(usage: Sequence[str], options: Iterable[_Option], *, full: bool = False) -> str:
    """Return the usage of the script, with its options."""
    at = usage.index("") if "" in usage else len(usage)
    rows = [f"{'   or' if number else 'usage'}: {line}" for number, line in enumerate(usage[:at])]
    rows += [f"    {line}" if line else "" for line in usage[at:]]
    needs_gap = True
    for option in options:
        if option.is_heading:
            rows += ["", option.help] if option.help else [""]
            needs_gap = False
            continue
        if "*" in option.flags and not full:
            continue
        rows += [""] * needs_gap
        needs_gap = False
        shown = f"    {option.names}{option.value()}"
        width = 4 + len(encode(option.names)) + width_of(option.value())  # git counts the bytes of names
        if width > _COLUMN:
            rows.append(shown)
            shown, width = "", 0
        rows.append(f"{shown}{' ' * (_COLUMN + 2 - width)}{option.help}")
    return "".join(f"{row}\n" for row in [*rows, ""])


# --------------------------------------------------------------------------- the arguments


class _Run:
    """The arguments of one call."""

    def __init__(self, call: Invocation, options: Sequence[_Option], settings: ParseOptions) -> None:
        self._call = call
        self._options = [option for option in options if not option.is_heading]
        self._short: dict[str, _Option] = {}
        for option in self._options:
            if option.short:
                self._short.setdefault(option.short, option)
        self._settings = settings
        self._words: list[str] = []

    def parse(self, arguments: Sequence[str]) -> str:
        """Return the line that a script evaluates."""
        operands: list[str] = []
        rest = list(reversed(arguments))
        while rest:
            word = rest.pop()
            if word == "-h" and len(arguments) == 1:
                raise _Help
            if word[:1] != "-" or word == "-":
                operands.append(word)
                if self._settings.stop:
                    break
            elif word[:2] != "--":
                self._switches(word, rest)
            elif word == "--":
                operands += ["--"] * self._settings.keep
                break
            elif word == "--end-of-options":
                break
            elif word in ("--help", "--help-all"):
                raise _Help(full=word == "--help-all")
            else:
                self._long(word[2:], rest)
        operands += reversed(rest)
        return "".join(
            [
                "set --",
                *(f" {word}" for word in self._words),
                " --",
                *(f" {quoted(w)}" for w in operands),
                "\n",
            ]
        )

    def _switches(self, word: str, rest: list[str]) -> None:
        index = 1
        while index < len(word):
            if index == 2:
                self._check_dashes(word[1:])
            letter = word[index]
            option = self._short.get(letter)
            if option is None:
                if index == 1:
                    self._check_dashes(word[1:])
                if letter == "h":
                    raise _Help
                shown = f"unknown switch `{letter}'"
                odd = f"unknown non-ascii option in string: `-{word[index:]}'"
                raise _Unknown(shown if letter.isascii() else odd)
            index += 1
            if not option.takes_value:
                self._keep(option, None)
                continue
            attached = word[index:]
            if attached or "?" in option.flags:
                self._keep(option, attached or None)
            elif rest:
                self._keep(option, rest.pop())
            else:
                raise OptionFault(f"switch `{letter}' requires a value")
            return

    def _check_dashes(self, word: str) -> None:
        """Raise OptionFault for switches that are meant to be the name of an option."""
        if len(word) < 3:
            return
        if word.startswith("no-") or any(option.long.startswith(word) for option in self._options):
            raise OptionFault(f"did you mean `--{word}` (with two dashes)?")

    def _long(self, word: str, rest: list[str]) -> None:
        self._call.access.charge(1 + (len(self._options) >> 3))
        name, equals, value = word.partition("=")
        found = self._find(name, word)
        option, negated = found.option, found.negated
        shown = f"no-{option.long}" if negated else option.long
        if equals and (negated or not option.takes_value):
            raise OptionFault(f"option `{shown}' takes no value")
        if negated:
            self._words.append(f"--no-{option.long}")
        elif not option.takes_value or equals or "?" in option.flags:
            self._keep(option, value if equals else None)
        elif rest:
            self._keep(option, rest.pop())
        else:
            raise OptionFault(f"option `{shown}' requires a value")

    def _find(self, name: str, word: str) -> _Negatable:
        """Return the option of a name or of its beginning. Raises OptionFault, _Help or _Unknown."""
        begun: list[_Negatable] = []
        for option in self._options:
            if not option.long:
                continue
            forms = [(option.long, name, False)]
            if option.may_negate:
                forms.append((f"no-{option.long}", word, True))  # whose beginning takes no value at all
                if option.long.startswith("no-"):
                    forms.append((option.long[3:], name, True))
            for form, _, negated in forms:
                if form == name:
                    return _Negatable(option=option, negated=negated)
            match = next((negated for form, begin, negated in forms if form.startswith(begin)), None)
            if match is not None:
                begun.append(_Negatable(option=option, negated=match))
        if len(begun) > 1:
            last, first = begun[-1], begun[-2]
            shown = [f"--{'no-' * each.negated}{each.option.long}" for each in (first, last)]
            self._call.error(f"error: ambiguous option: {word} (could be {shown[0]} or {shown[1]})")
            raise _Help
        if not begun:
            raise _Unknown(f"unknown option `{word}'")
        return begun[0]

    def _keep(self, option: _Option, value: str | None) -> None:
        """Keep an option in the form that the script reads."""
        stuck = self._settings.stuck and bool(option.long)
        shown = f"-{option.short}" if option.short and not stuck else f"--{option.long}"
        if value is not None:
            joint = ("=" if option.long else "") if self._settings.stuck else " "
            shown += joint + quoted(value)
        self._words.append(shown)
