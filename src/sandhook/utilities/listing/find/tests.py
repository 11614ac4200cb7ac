"""find's tests. Each maker takes its arguments from the parser and returns a node."""

from __future__ import annotations

import errno
import stat as bits
from collections.abc import Callable
from typing import Protocol

from sandhook.command.context import Failure
from sandhook.command.modes import Mode
from sandhook.command.operands import reason, stat_of
from sandhook.dates.clock import moment, zone_of
from sandhook.dates.parse import BadDate, parse_date
from sandhook.lazy import lazily
from sandhook.pattern.errors import PatternError, UnmatchedBracketError
from sandhook.pattern.glob import compile_pattern
from sandhook.pattern.posix import compile_bre, compile_ere
from sandhook.text.locale import as_bytes
from sandhook.text.quoting import quote_escaped
from sandhook.utilities.listing.find.printf import FILE_SYSTEM
from sandhook.utilities.listing.find.state import Node, Settings, Visit
from sandhook.vfs.base import Stat

_DAY = 86_400 * 10**9
_TYPES = {
    "b": bits.S_IFBLK, "c": bits.S_IFCHR, "d": bits.S_IFDIR, "f": bits.S_IFREG, "l": bits.S_IFLNK,
    "p": bits.S_IFIFO, "s": bits.S_IFSOCK,
}  # fmt: skip
_UNITS = {"c": 1, "w": 2, "b": 512, "k": 1 << 10, "M": 1 << 20, "G": 1 << 30}


class Arguments(Protocol):
    """The source of a maker's arguments, which is the parser."""

    def argument(self, word: str) -> str: ...

    def remaining(self) -> int: ...

    def command(self, word: str) -> tuple[list[str], str]: ...


Maker = Callable[[str, Arguments, Settings], Node]


def _constant(value: bool) -> Maker:
    return lambda word, arguments, settings: lambda visit, walk: value


# Names.


def _glob(text_of: Callable[[Visit], str], *, nocase: bool) -> Maker:
    def make(word: str, arguments: Arguments, settings: Settings) -> Node:
        text = arguments.argument(word)
        if text_of is _path and text[-1:] == "/" and text != "/":
            settings.ctx.error(f"warning: {word} {text} will not match anything because it ends with /.")
        charge = settings.ctx.budget.charge
        if settings.bytewise:
            byte_pattern = compile_pattern(as_bytes(text), extglob=False, nocase=nocase)
            return lambda visit, walk: byte_pattern.matches(as_bytes(text_of(visit)), charge)
        pattern = compile_pattern(text, extglob=False, nocase=nocase)
        return lambda visit, walk: pattern.matches(text_of(visit), charge)

    return make


def _link_glob(*, nocase: bool) -> Maker:
    def make(word: str, arguments: Arguments, settings: Settings) -> Node:
        pattern = compile_pattern(arguments.argument(word), extglob=False, nocase=nocase)
        charge = settings.ctx.budget.charge
        return lambda visit, walk: bits.S_ISLNK(visit.mode) and pattern.matches(visit.target(), charge)

    return make


#: A bracket expression or an escaped character, or a brace that opens no interval.
_INVALID_INTERVAL = lazily(r"(?s)(\[\^?\]?(?:\[:[a-z]+:\]|[^]])*\]|\\.)|\{(?![0-9]*(?:,[0-9]*)?\})")
_ANY_INTERVAL = lazily(r"(?s)(\[\^?\]?(?:\[:[a-z]+:\]|[^]])*\]|\\.)|([{}])")
_CLASS_START = lazily(r"(?<!^)\[([:.=])")
_MINIMAL = lazily(r"(?s)(\[\^?\]?(?:\[:[a-z]+:\]|[^]])*\]|\\[^+?|])|\\([+?|])")


def _extended(text: str, kind: str) -> str:
    """Return an expression of a type with extended syntax, in which braces may be ordinary characters."""
    if kind == "awk":
        return _ANY_INTERVAL.sub(lambda match: match[1] or f"\\{match[2]}", text)
    if kind == "posix-extended":
        return text
    return _INVALID_INTERVAL.sub(lambda match: match[1] or "\\{", text)


def _from_emacs(pattern: str) -> str:
    """Return an Emacs expression as GNU's basic one: the operators + and ? become \\+ and \\?."""
    pieces = []
    index = 0
    while index < len(pattern):
        letter = pattern[index]
        if letter == "[":
            end = pattern.find("]", index + (3 if pattern[index + 1 : index + 2] == "^" else 2))
            end = len(pattern) if end < 0 else end + 1
            pieces.append(_CLASS_START.sub(r"\1[", pattern[index:end]))  # Emacs has no classes
            index = end
            continue
        if letter == "\\":
            following = pattern[index + 1 : index + 2]
            pieces.append(following if following and following in "+?{}" else letter + following)
            index += 2
            continue
        pieces.append("\\" + letter if letter in "+?" and index else letter)
        index += 1
    return "".join(pieces)


def _regex(*, icase: bool) -> Maker:
    def make(word: str, arguments: Arguments, settings: Settings) -> Node:
        text = arguments.argument(word)
        kind, bytewise = settings.regex_type, settings.bytewise
        try:
            if kind in ("emacs", "findutils-default"):
                regex = compile_bre(_from_emacs(text), icase=icase, bytewise=bytewise)
            elif kind in ("ed", "grep", "posix-basic", "posix-minimal-basic", "sed"):
                regex = compile_bre(
                    _MINIMAL.sub(lambda match: match[1] or match[2], text)
                    if kind == "posix-minimal-basic"
                    else text,
                    icase=icase,
                    bytewise=bytewise,
                )
            else:
                regex = compile_ere(_extended(text, kind), icase=icase, bytewise=bytewise)
        except PatternError as error:
            problem = "Invalid regular expression" if isinstance(error, UnmatchedBracketError) else error
            raise Failure(f"failed to compile regular expression '{text}': {problem}") from None
        budget = settings.ctx.budget

        def matches(visit: Visit, walk: object) -> bool:
            budget.charge(1)
            data = visit.path.encode("utf-8", "surrogateescape")
            match = regex.search(data, remaining=budget.remaining)
            return match is not None and match.span() == (0, len(data))

        return matches

    return make


# Numbers.


def _parse_comparison(word: str, text: str, unit: float = 1) -> tuple[str, float]:
    """Return the sign and the number of N, +N or -N."""
    sign = text[:1] if text[:1] in ("+", "-") else ""
    digits = text[len(sign) :]
    whole, _, fraction = digits.partition(".")
    if not (digits.isascii() and (whole + fraction).isdigit()) or len(digits) > 18:
        if word == "-used":
            raise Failure(f"Invalid argument {text} to -used")
        raise Failure(f"invalid argument `{text}' to `{word}'")
    return sign, float(digits) * unit


def _satisfies(sign: str, value: float, operand: float) -> bool:
    return value > operand if sign == "+" else value < operand if sign == "-" else value == operand


def _number(value_of: Callable[[Stat], int]) -> Maker:
    def make(word: str, arguments: Arguments, settings: Settings) -> Node:
        sign, operand = _parse_comparison(word, arguments.argument(word))
        return lambda visit, walk: _satisfies(sign, value_of(visit.stat()), operand)

    return make


def _size(word: str, arguments: Arguments, settings: Settings) -> Node:
    text = arguments.argument(word)
    unit = _UNITS.get(text[-1:])
    if unit is None:
        if not text[-1:].isdigit():
            raise Failure(f"invalid -size type `{text[-1:]}'" if text else "invalid null argument to -size")
        unit = 512
    digits = text[1:] if text[:1] in ("+", "-") else text
    digits = digits[:-1] if digits[-1:] in _UNITS else digits
    if not (digits.isascii() and digits.isdigit() and len(digits) < 19):
        raise Failure(f"Invalid argument `{text}' to -size")
    sign, operand = text[: text.index(digits)], int(digits)
    return lambda visit, walk: _satisfies(sign, -(-visit.stat().size // unit), operand)


# Times.


def _days(value_of: Callable[[Stat], int]) -> Maker:
    def make(word: str, arguments: Arguments, settings: Settings) -> Node:
        sign, days = _parse_comparison(word, arguments.argument(word), _DAY)
        start = settings.now - _DAY
        if settings.daystart:
            start = _midnight(settings)
        bound = start - days  # the oldest time that is N days ago

        def matches(visit: Visit, walk: object) -> bool:
            time = value_of(visit.stat())
            if sign == "+":
                return time <= bound
            if sign == "-":  # like GNU's, a second more, so that a file that is exactly N days old passes
                return time > bound + _DAY - 10**9
            return bound < time <= bound + _DAY

        return matches

    return make


def _midnight(settings: Settings) -> int:
    zone = zone_of(settings.ctx.environment.get("TZ"))
    now = moment(settings.now // 10**9, zone)
    return (now.seconds - now.hour * 3600 - now.minute * 60 - now.second) * 10**9


def _minutes(value_of: Callable[[Stat], int]) -> Maker:
    def make(word: str, arguments: Arguments, settings: Settings) -> Node:
        sign, span = _parse_comparison(word, arguments.argument(word), 60 * 10**9)
        now = _midnight(settings) + _DAY if settings.daystart else settings.now
        bound = now - span

        def matches(visit: Visit, walk: object) -> bool:
            time = value_of(visit.stat())
            if sign == "+":
                return time < bound
            return time > bound if sign == "-" else bound < time <= bound + 60 * 10**9

        return matches

    return make


_TIME_OF: dict[str, Callable[[Stat], int]] = {
    "a": lambda info: info.atime_ns,
    "c": lambda info: info.ctime_ns,
    "m": lambda info: info.mtime_ns,
}


def _newer_than(kind: str) -> Maker:
    def make(word: str, arguments: Arguments, settings: Settings) -> Node:
        reference = _reference(arguments.argument(word), settings).mtime_ns
        value_of = _TIME_OF[kind]
        return lambda visit, walk: value_of(visit.stat()) > reference

    return make


def _newer_xy(word: str, arguments: Arguments, settings: Settings) -> Node:
    kind, reference_kind = word[6], word[7]
    if kind not in _TIME_OF or reference_kind not in "acmt":
        raise Failure(f"invalid predicate `{word}'")
    text = arguments.argument(word)
    if reference_kind == "t":
        try:
            reference = parse_date(text, settings.now, settings.ctx.environment.get("TZ"))
        except BadDate:
            raise Failure(f"I cannot figure out how to interpret '{text}' as a date or time") from None
    else:
        reference = _TIME_OF[reference_kind](_reference(text, settings))
    value_of = _TIME_OF[kind]
    return lambda visit, walk: value_of(visit.stat()) > reference


def _reference(name: str, settings: Settings) -> Stat:
    try:
        return stat_of(settings.ctx, name, follow=settings.follow != "none")
    except OSError as error:
        raise Failure(f"{quote_escaped(name)}: {reason(error)}") from None


# Types, bits, owners.


def _type(word: str, arguments: Arguments, settings: Settings) -> Node:
    types = _parse_types(word, arguments.argument(word))
    return lambda visit, walk: bits.S_IFMT(visit.mode) in types


def _xtype(word: str, arguments: Arguments, settings: Settings) -> Node:
    """-xtype: like -type, but links are followed exactly if -type does not follow them."""
    types = _parse_types(word, arguments.argument(word))

    def matches(visit: Visit, walk: object) -> bool:
        ctx = settings.ctx
        try:
            info = ctx.fs.stat(ctx.path(visit.path), follow=settings.follow != "all")
        except OSError as error:
            if error.errno == errno.ELOOP:
                ctx.fail(f"{quote_escaped(visit.path)}: {reason(error)}")
                return False
            return bits.S_IFLNK in types
        return bits.S_IFMT(info.mode) in types

    return matches


def _parse_types(word: str, text: str) -> frozenset[int]:
    if not text:
        raise Failure(f"Arguments to {word} should contain at least one letter")
    types: set[int] = set()
    for at, letter in enumerate(text):
        if at % 2:
            if letter != ",":
                raise Failure(f"Must separate multiple arguments to {word} using: ','")
        elif letter == "D":
            raise Failure(
                f"{word} D is not supported because Solaris doors are not supported on the platform find was"
                " compiled on."
            )
        elif letter not in _TYPES:
            raise Failure(f"Unknown argument to {word}: {letter}")
        elif _TYPES[letter] in types:
            raise Failure(f"Duplicate file type '{letter}' in the argument list to {word}.")
        else:
            types.add(_TYPES[letter])
    if text[-1] == ",":
        raise Failure(f"Last file type in list argument to {word} is missing, i.e., list is ending on: ','")
    return frozenset(types)


def _perm(word: str, arguments: Arguments, settings: Settings) -> Node:
    text = arguments.argument(word)
    prefix = text[:1] if text[:1] in ("-", "/") else ""
    try:
        if text[:1] == "+" and text[1:2].isdigit():
            raise ValueError
        mode = Mode(text[len(prefix) :])
    except ValueError:
        raise Failure(f"invalid mode '{text}'") from None

    if prefix == "/" and not (mode.apply(0, 0) or mode.apply(0, 0, directory=True)):
        settings.ctx.error(
            f"warning: you have specified a mode pattern {text} (which is equivalent to /000). The meaning of"
            " -perm /000 has now been changed to be consistent with -perm -000; that is, while it used to match"
            " no files, it now matches all files."
        )

    def matches(visit: Visit, walk: object) -> bool:
        expected = mode.apply(0, 0, directory=bits.S_ISDIR(visit.mode))
        actual = visit.stat().mode & 0o7777
        if prefix == "-":
            return actual & expected == expected
        if prefix == "/":
            return not expected or bool(actual & expected)
        return actual == expected

    return matches


def _access(mask: int) -> Maker:
    def make(word: str, arguments: Arguments, settings: Settings) -> Node:
        ctx = settings.ctx
        return lambda visit, walk: ctx.fs.access(ctx.path(visit.path), mask)

    return make


def _owner(*, group: bool) -> Maker:
    def make(word: str, arguments: Arguments, settings: Settings) -> Node:
        name = arguments.argument(word)
        if not name:
            raise Failure(f"The argument to {word} should not be empty")
        names = settings.accounts.groups if group else settings.accounts.users
        ids = [number for number, account in names.items() if account == name]
        if not ids:
            if not (name.isascii() and name.isdigit() and len(name) < 11):
                what = "an existing group" if group else "a known user"
                raise Failure(f"{quote_escaped(name)} is not the name of {what}")
            ids = [int(name)]
        expected = ids[0]
        return lambda visit, walk: (visit.stat().gid if group else visit.stat().uid) == expected

    return make


def _ownerless(*, group: bool) -> Maker:
    def make(word: str, arguments: Arguments, settings: Settings) -> Node:
        names = settings.accounts.groups if group else settings.accounts.users
        return lambda visit, walk: (visit.stat().gid if group else visit.stat().uid) not in names

    return make


def _empty(word: str, arguments: Arguments, settings: Settings) -> Node:
    ctx = settings.ctx

    def matches(visit: Visit, walk: object) -> bool:
        if bits.S_ISDIR(visit.mode):
            try:
                return not ctx.fs.listdir(ctx.path(visit.path))
            except OSError as error:
                ctx.fail(f"{quote_escaped(visit.path)}: {reason(error)}")
                return False
        return bits.S_ISREG(visit.mode) and visit.stat().size == 0

    return matches


def _same_file(word: str, arguments: Arguments, settings: Settings) -> Node:
    reference = _reference(arguments.argument(word), settings)
    return lambda visit, walk: (
        (visit.stat().device, visit.stat().inode) == (reference.device, reference.inode)
    )


def _used(word: str, arguments: Arguments, settings: Settings) -> Node:
    """-used: days from the last change of the status to the last access, rounded up."""
    sign, days = _parse_comparison(word, arguments.argument(word), _DAY)

    def matches(visit: Visit, walk: object) -> bool:
        span = visit.stat().atime_ns - visit.stat().ctime_ns
        if span < 0:
            return False
        if sign == "+":
            return span > days
        return span < days if sign == "-" else days - _DAY <= span < days

    return matches


def _file_system(word: str, arguments: Arguments, settings: Settings) -> Node:
    name = arguments.argument(word)
    return lambda visit, walk: name == FILE_SYSTEM


def _path(visit: Visit) -> str:
    return visit.path


def _name(visit: Visit) -> str:
    return visit.name


TESTS: dict[str, Maker] = {
    "-amin": _minutes(_TIME_OF["a"]),
    "-anewer": _newer_than("a"),
    "-atime": _days(_TIME_OF["a"]),
    "-cmin": _minutes(_TIME_OF["c"]),
    "-cnewer": _newer_than("c"),
    "-ctime": _days(_TIME_OF["c"]),
    "-empty": _empty,
    "-executable": _access(1),
    "-false": _constant(False),
    "-fstype": _file_system,
    "-gid": _number(lambda info: info.gid),
    "-group": _owner(group=True),
    "-ilname": _link_glob(nocase=True),
    "-iname": _glob(_name, nocase=True),
    "-inum": _number(lambda info: info.inode),
    "-ipath": _glob(_path, nocase=True),
    "-iregex": _regex(icase=True),
    "-iwholename": _glob(_path, nocase=True),
    "-links": _number(lambda info: info.links),
    "-lname": _link_glob(nocase=False),
    "-mmin": _minutes(_TIME_OF["m"]),
    "-mtime": _days(_TIME_OF["m"]),
    "-name": _glob(_name, nocase=False),
    "-newer": _newer_than("m"),
    "-newerXY": _newer_xy,
    "-nogroup": _ownerless(group=True),
    "-nouser": _ownerless(group=False),
    "-path": _glob(_path, nocase=False),
    "-perm": _perm,
    "-readable": _access(4),
    "-regex": _regex(icase=False),
    "-samefile": _same_file,
    "-size": _size,
    "-true": _constant(True),
    "-type": _type,
    "-used": _used,
    "-uid": _number(lambda info: info.uid),
    "-user": _owner(group=False),
    "-wholename": _glob(_path, nocase=False),
    "-writable": _access(2),
    "-xtype": _xtype,
}
