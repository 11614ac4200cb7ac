"""The placeholders of --format.

Source: git 2.39, pretty.c; git-log(1), "PRETTY FORMATS".
"""

from __future__ import annotations

import re
from typing import Protocol

from sandhook.limits import check_fits
from sandhook.text.width import width_of
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.decorate import Decorations
from sandhook.utilities.git.history.messages import body, subject, wrapped_text
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.history.reflogs import ReflogWalk
from sandhook.utilities.git.history.trailers import Settings, find_block, trailers_of
from sandhook.utilities.git.names.colors import RESET, parse_color
from sandhook.utilities.git.store.commits import Commit, Identity
from sandhook.utilities.git.store.config import parse_boolean
from sandhook.utilities.git.store.repository import Repository

_DATES = {
    "d": "",
    "D": "rfc",
    "r": "relative",
    "t": "unix",
    "i": "iso",
    "I": "iso-strict",
    "s": "short",
    "h": "human",
}
_COLORS = re.compile(r"red|green|blue|reset|\(([^()]*)\)")
_PADDING = re.compile(r"([<>]|><|>>)(\|?)\(\s*(-?\d{1,5})\s*(?:,\s*(trunc|ltrunc|mtrunc)\s*)?\)")
_DESCRIBE = re.compile(r"\(describe(?::([^()]*))?\)")
_TRAILERS = re.compile(r"\(trailers(?::([^()]*))?\)")
_WRAP = re.compile(r"w\((?:(\d{1,4})(?:,(\d{1,4})(?:,(\d{1,4}))?)?)?\)")
_ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
_FLAGS = ("only", "unfold", "keyonly", "valueonly")
_ALONE = ("keyonly", "valueonly")


class Printer(Protocol):
    """What placeholders need of the printer of commits."""

    repository: Repository
    names: Names
    decorations: Decorations
    decoration: str
    length: int | None
    color: str | None
    paints_names: bool
    reflogs: ReflogWalk | None
    source: str | None

    def reflog_selector(self, *, short: bool = False) -> str:
        """Return "HEAD@{1}" for the reflog entry of the commit."""

    def painted_name(self, name: str) -> str:
        """Return the name of a commit in its colour after %C(auto)."""

    def note(self, oid: str) -> str | None:
        """Return the notes of a commit, "" for a commit without one; None if the options exclude notes."""

    def mapped(self, person: Identity) -> Identity:
        """Return a person as .mailmap has it."""

    def describe(self, oid: str, options: str) -> str | None:
        """Return the description of a commit, None for unknown options."""

    def show_date(self, person: Identity, mode: str) -> str:
        """Return the date of a person in a mode."""


class _Padding:
    """A pending %<(N): how the next placeholder is padded or cut. ">>" also takes the blanks before it."""

    def __init__(self, side: str, width: int, cut: str) -> None:
        self.side = side
        self.width = width
        self.cut = cut

    def widen(self, before: str, text: str) -> str:
        """Return the text before without the blanks at its end that ">>" takes for a longer text."""
        missing = width_of(_ESCAPE.sub("", text)) - self.width
        blanks = len(before) - len(before.rstrip(" "))
        taken = min(missing, blanks, len(before) - 1) if self.side == ">>" else 0
        if taken <= 0:
            return before
        self.width += taken
        return before[:-taken]

    def apply(self, text: str) -> str:
        size = width_of(_ESCAPE.sub("", text))
        if size > self.width:
            return self._cut(text)
        missing = self.width - size
        if self.side == "<":
            return text + " " * missing
        if self.side == "><":
            return " " * (missing // 2) + text + " " * (missing - missing // 2)
        return " " * missing + text

    def _cut(self, text: str) -> str:
        keep = max(0, self.width - 2)
        if self.cut == "trunc":
            return text[:keep] + ".."
        if self.cut == "ltrunc":
            return ".." + text[len(text) - keep :]
        if self.cut == "mtrunc":
            half = keep // 2
            return text[:half] + ".." + text[len(text) - (keep - half) :]
        return text


class _Wrapping:
    """The width and the indentations of %w, which apply to the text after it."""

    def __init__(self) -> None:
        self._measures: tuple[int, ...] = (0, 0, 0)
        self._start = 0

    def go(self, text: str, measures: tuple[int, ...]) -> str:
        """Return the text so far, wrapped from the last %w on; the following text has other measures."""
        if measures == self._measures:
            return text
        if self._start < len(text):
            width, first, other = self._measures
            text = text[: self._start] + wrapped_text(text[self._start :], width, first, other)
        self._start, self._measures = len(text), measures
        return text


def _measures(match: re.Match[str]) -> tuple[int, ...]:
    """Return the numbers of %w."""
    return tuple(int(number or 0) for number in match.groups())


def expand(printer: Printer, text: str, commit: Commit, mark: str) -> str:
    """Return a format with the values of one commit."""
    pieces: list[str] = []
    at = made = 0
    padding: _Padding | None = None
    wrapping = _Wrapping()
    printer.paints_names = False
    while at < len(text):
        percent = text.find("%", at)
        if percent < 0:
            pieces.append(text[at:])
            break
        pieces.append(text[at:percent])
        sign = text[percent + 1 : percent + 2]
        start = percent + 2 if sign in ("+", "-", " ") and sign else percent + 1
        if (wrap := _WRAP.match(text, start)) is not None:
            printer.repository.access.charge(1 + (made >> 6))
            pieces, at = [wrapping.go("".join(pieces), _measures(wrap))], wrap.end()
            continue
        match = _PADDING.match(text, start)
        if match is not None:
            width = int(match[3])
            if match[2] or width < 0:
                printer.repository.access.charge(made >> 8)
                width = max(0, abs(width) - width_of("".join(pieces).rpartition("\n")[2]))
            padding = _Padding(match[1], width, match[4] or "")
            at = match.end()
            continue
        printer.repository.access.charge(1)
        value, size = _value(printer, text, start, commit, mark, made)
        if start > percent + 1 and (value is None or text[start : start + 1] == "%"):
            value, size = (
                "",
                0,
            )  # a sign before what is no placeholder is dropped, and the text after it is kept
        if value is None:
            pieces.append((padding.apply("") if padding is not None else "") + "%")
            at, padding = percent + 1, None
            continue
        at = start + size
        while padding is not None and text[start] == "C" and text[at : at + 1] == "%":
            start = at + 1  # a colour is padded with the placeholder after it
            more, size = _value(printer, text, start, commit, mark, made + len(value))
            value, at = value + (more or ""), start + size
        if padding is not None:
            if padding.side == ">>":
                printer.repository.access.charge(made >> 8)
                pieces = [padding.widen("".join(pieces), value)]
            value, padding = padding.apply(value), None
        if sign == "+" and value:
            value = "\n" + value
        elif sign == " " and value:
            value = " " + value
        elif sign == "-" and not value:
            printer.repository.access.charge(made >> 10)
            pieces = ["".join(pieces).rstrip("\n")]
        pieces.append(value)
        made += len(value)
        check_fits(2 * made)  # the pieces, and the text of them
    return wrapping.go("".join(pieces), (0, 0, 0))


def _value(
    printer: Printer, text: str, at: int, commit: Commit, mark: str, made: int
) -> tuple[str | None, int]:
    """Return the value of the placeholder at an offset, and its length; None for another text."""
    letter = text[at : at + 1]
    if letter in ("%", "n"):
        return ("%" if letter == "%" else "\n"), 1
    if letter == "x":
        digits = text[at + 1 : at + 3]
        if len(digits) == 2 and all(c in "0123456789abcdefABCDEF" for c in digits):
            return bytes((int(digits, 16),)).decode("utf-8", "surrogateescape"), 3
        return None, 0
    if letter == "C":
        return _color(printer, text, at + 1, made)
    if letter in ("a", "c"):
        person = commit.author if letter == "a" else commit.committer
        return _person(printer, person, text[at + 1 : at + 2])
    if letter == "(":
        if (match := _DESCRIBE.match(text, at)) is not None:
            value = printer.describe(commit.oid, match[1] or "")
            return (value, len(match[0])) if value is not None else (None, 0)
        match = _TRAILERS.match(text, at)
        value = (
            trailers_text(printer.repository, commit.message, match[1] or "") if match is not None else None
        )
        return (value, len(match[0])) if match is not None and value is not None else (None, 0)
    if letter == "G":
        return {"?": "N", "T": "undefined"}.get(text[at + 1 : at + 2], ""), 2
    if letter == "g" and (value := _of_reflog(printer, text[at + 1 : at + 2])) is not None:
        return value, 2
    return _simple(printer, letter, commit, mark)


def _of_reflog(printer: Printer, letter: str) -> str | None:
    """Return a fact of the reflog entry, "" without a walk of reflogs; None for another letter."""
    position = printer.reflogs.current if printer.reflogs is not None else None
    if letter in ("d", "D"):
        return printer.reflog_selector(short=letter == "d")
    entry = position.entry if position is not None else None
    match letter:
        case "s":
            return entry.message if entry is not None else ""
        case "n" | "N":
            return entry.person.name if entry is not None else ""
        case "e" | "E":
            return entry.person.email if entry is not None else ""
    return None


def _simple(printer: Printer, letter: str, commit: Commit, mark: str) -> tuple[str | None, int]:
    short = printer.names.abbreviate
    match letter:
        case "H":
            value = printer.painted_name(commit.oid)
        case "h":
            value = printer.painted_name(short(commit.oid, printer.length))
        case "T":
            value = commit.tree
        case "t":
            value = short(commit.tree, printer.length)
        case "P":
            value = " ".join(commit.parents)
        case "p":
            value = " ".join(short(parent, printer.length) for parent in commit.parents)
        case "s":
            value = subject(commit.message)
        case "f":
            value = as_file_name(subject(commit.message))
        case "b":
            value = body(commit.message)
        case "B":
            value = commit.message.lstrip("\n")
        case "e":
            value = commit.encoding
        case "d":
            names = ", ".join(printer.decorations.of(commit.oid, full=printer.decoration == "full"))
            value = f" ({names})" if names else ""
            if printer.paints_names and printer.color is not None:
                value = printer.decorations.painted(
                    commit.oid, printer.color, full=printer.decoration == "full"
                )
        case "D":
            value = ", ".join(printer.decorations.of(commit.oid, full=printer.decoration == "full"))
        case "m":
            value = mark or ">"
        case "S":
            if printer.source is None:
                return None, 0
            value = printer.source
        case "N":
            note = printer.note(commit.oid)
            if note is None:
                return None, 0
            value = note
        case _:
            return None, 0
    return value, 1


def _color(printer: Printer, text: str, at: int, made: int) -> tuple[str | None, int]:
    """Return the sequence of a colour, "" where colours are not printed. Raises GitError for a wrong colour."""
    match = _COLORS.match(text, at)
    if match is None:
        return None, 0
    size = 1 + len(match[0])
    when, comma, words = (match[1] if match[1] is not None else match[0]).rpartition(",")
    is_colored = printer.color is not None
    if words == "auto" and not comma:
        printer.paints_names = is_colored
        return (RESET if is_colored and made else ""), size
    if comma and when not in ("auto", "always"):
        words = f"{when},{words}"
    printer.paints_names = False
    if not is_colored and when != "always":
        return "", size
    color = parse_color(words)
    if color is None:
        raise GitError(
            f"invalid color value: {words}\nfatal: unable to parse --pretty format", prefix="error"
        )
    return color, size


def _person(printer: Printer, person: Identity, letter: str) -> tuple[str | None, int]:
    if letter in ("N", "E", "L"):
        person, letter = printer.mapped(person), letter.lower()
    if letter == "n":
        return person.name, 2
    if letter == "e":
        return person.email, 2
    if letter == "l":
        return person.email.partition("@")[0], 2
    if letter in _DATES:
        return printer.show_date(person, _DATES[letter]), 2
    return None, 0


def as_file_name(text: str) -> str:
    """Return a subject with other characters than letters, digits, dots and "_" replaced, as %f has it."""
    text = re.sub(r"[^A-Za-z0-9._]+", "-", text)
    return re.sub(r"\.+", ".", text).strip("-").rstrip(".-")


def trailers_text(repository: Repository, message: str, words: str) -> str | None:
    """Return the trailers of a message; None for an option that git does not know."""
    settings = Settings(repository.config)
    block = find_block(message, settings, divider=False)
    if not words:
        return message[block.start : block.end]
    options = [part.partition("=")[::2] for part in words.split(",")]
    known = ("key", "only", "separator", "unfold", "keyonly", "valueonly", "key_value_separator")
    if any(name not in known for name, _ in options):
        return None
    values = dict(options)
    keys = [value.rstrip(":").lower() for name, value in options if name == "key"]
    flags = {name: name in values and parse_boolean(values[name] or None) is True for name in _FLAGS}
    only = flags["only"] or bool(keys and "only" not in values)
    separator = _literal(values["separator"]) if "separator" in values else None
    between = settings.separators[:1] + " "
    between = _literal(values["key_value_separator"]) if "key_value_separator" in values else between
    shown_lines = []
    trailers = trailers_of(block, settings, "\0", unfold=flags["unfold"], only=only)
    check_fits(2 * len(trailers) * (len(separator or "") + len(between)))
    for trailer in trailers:
        if trailer.key is None or (keys and trailer.key.lower() not in keys):
            shown_lines += [trailer.value] if trailer.key is None else []
            continue
        parts = ["" if flags["valueonly"] else trailer.key, "" if flags["keyonly"] else trailer.value]
        shown_lines.append(parts[0] + (between if all(not flags[name] for name in _ALONE) else "") + parts[1])
    if separator is not None:
        return separator.join(shown_lines)
    return "".join(f"{line}\n" for line in shown_lines)


def _literal(text: str) -> str:
    """Return a separator with its %n and %xNN replaced."""
    return re.sub(
        r"%(?:x([0-9a-fA-F]{2})|n)", lambda match: chr(int(match[1], 16)) if match[1] else "\n", text
    )
