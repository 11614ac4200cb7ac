"""csplit: split a file at matching lines.

Source: POSIX.1-2024 XCU 3, csplit. Oracle: GNU coreutils 9.1.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.counts import bounded_number
from sandhook.command.operands import reason
from sandhook.command.options import UsageError, opt, option_set
from sandhook.kernel.descriptor import Description
from sandhook.lazy import lazily
from sandhook.pattern.errors import PatternError
from sandhook.pattern.posix import Regex, compile_bre
from sandhook.text.quoting import quote_always, quote_odd
from sandhook.typed import TYPE_CHECKING

if TYPE_CHECKING:
    import re

READ_ERROR = "read error: {}"

_MAX_NUMBER = (1 << 63) - 1
_OFFSET = lazily(r"(?a)[+-]?[0-9]{1,19}")
_FORMAT = lazily(r"(?as)%([-' #0]*)([0-9]{0,4})((?:\.[0-9]{0,4})?)(.?)")


def _digits(text: str) -> int:
    return bounded_number(text, "invalid number:", 4096)


@option_set
class Options:
    """csplit [-ksz] [-f PREFIX] [-b FORMAT | -n DIGITS] FILE PATTERN...

    Write pieces of FILE (- is standard input) to xx00, xx01 and so on, and print their sizes. A PATTERN is a number (up
    to that line), /BRE/[OFFSET] (up to a line that matches), %BRE%[OFFSET] (skip to a line that matches), or
    {N} or {*} (repeat the previous pattern N times, or as often as possible).
    """

    format_: str | None = opt("-b", "--suffix-format", "FORMAT", "the printf format of numbers (%02d)")
    prefix: str = opt("-f", "--prefix", "PREFIX", "the prefix of names (xx)", default="xx")
    keep: bool = opt("-k", "--keep-files", help="keep the pieces after an error")
    suppress: bool = opt("--suppress-matched", help="leave out the lines that match")
    digits: int = opt("-n", "--digits", "DIGITS", "digits of numbers (2)", convert=_digits, default=2)
    quiet: bool = opt("-s", "-q", "--quiet", "--silent", help="do not print sizes")
    elide: bool = opt("-z", "--elide-empty-files", help="create no empty pieces")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a pattern does not match or a line number is out of range."""
    if len(operands) < 2:
        raise UsageError(f"missing operand after '{operands[0]}'" if operands else "missing operand")
    suffix = _Suffix(options.format_ if options.format_ is not None else f"%0{options.digits}d")
    try:
        reader = ctx.open(operands[0])
    except OSError as error:
        if not isinstance(error, IsADirectoryError):
            raise Failure(f"cannot open {quote_always(operands[0])} for reading: {reason(error)}") from None
        reader = None
    patterns = _patterns(operands[1:], ctx)
    lines: list[bytes] = []
    if reader is not None:
        with reader:
            data = reader.read_all()
        ctx.budget.check_fits(len(data) + 64 * data.count(b"\n"))
        lines = _lines(data)
        ctx.charge(len(lines) >> 3)
    splitter = _Splitter(options, suffix, lines, ctx)
    try:
        if reader is None:
            splitter.start()
            raise Failure("read error: Is a directory")
        for pattern in patterns:
            splitter.apply(pattern)
        splitter.write_remaining()
    except _Finished:
        pass
    except _NoInput:
        raise Failure("input disappeared") from None
    except Failure as failure:
        ctx.process.write_error(f"csplit: {failure}\n".encode("utf-8", "surrogateescape"))  # before the sizes
        splitter.clean_up()
        return 1
    finally:
        splitter.release()
    return 0


def _lines(data: bytes) -> list[bytes]:
    if b"\r" not in data:  # splitlines also splits at carriage returns
        return data.splitlines(keepends=True)
    pieces = [piece + b"\n" for piece in data.split(b"\n")]
    last = pieces.pop()[:-1]
    return [*pieces, last] if last else pieces


class _Suffix:
    """The suffix of a piece by the format of -b. Raises Failure for a format without exactly one conversion."""

    def __init__(self, text: str) -> None:
        parts: list[str] = []
        self._conversion: re.Match[str] | None = None
        at = start = 0
        while (at := text.find("%", at)) >= 0:
            if text.startswith("%%", at):
                parts.append(text[start : at + 1])
                start = at = at + 2
                continue
            if self._conversion is not None:
                raise Failure("too many % conversion specifications in suffix")
            parts.append(text[start:at])
            self._head = "".join(parts)
            parts = []
            self._conversion = _conversion(text, at)
            start = at = self._conversion.end()
        if self._conversion is None:
            raise Failure("missing % conversion specification in suffix")
        self._tail = "".join([*parts, text[start:]])

    def name(self, number: int) -> str:
        """Return the suffix of a piece."""
        assert self._conversion is not None
        flags, width, precision, letter = self._conversion.groups()
        digits = format(number, letter if letter in "oxX" else "d")
        if precision:
            digits = digits.zfill(int(precision[1:] or "0")) if number or precision[1:].strip("0") else ""
        prefix = ""
        if "#" in flags and (letter == "o" or number):
            prefix = "0" + letter.strip("o") if letter != "o" or digits[:1] != "0" else ""
        room = int(width or "0")
        if "-" in flags:
            digits = (prefix + digits).ljust(room)
        elif "0" in flags and not precision:
            digits = prefix + digits.zfill(room - len(prefix))
        else:
            digits = (prefix + digits).rjust(room)
        return f"{self._head}{digits}{self._tail}"


def _conversion(text: str, at: int) -> re.Match[str]:
    match = _FORMAT.match(text, at)
    if match is None or not match[4]:
        raise Failure("missing conversion specifier in suffix")
    flags, letter = match[1], match[4]
    if letter not in "diuoxX":
        letter_text = letter if " " < letter <= "~" else f"\\{ord(letter):03o}"
        raise Failure(f"invalid conversion specifier in suffix: {letter_text}")
    invalid_flag = "#" if letter in "diu" else "'"
    if invalid_flag in flags:
        raise Failure(f"invalid flags in conversion specification: %{invalid_flag}{letter}")
    return match


# --------------------------------------------------------------------------- patterns


class _Pattern:
    """One operand with its repeat count.

    Attributes:
        line: The number of a line; 0 for an expression.
        skips: The lines before the match are not written.
        repeats: Number of repetitions; None for as many as possible.
    """

    __slots__ = ("line", "offset", "regex", "repeats", "skips", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.line = 0
        self.regex: Regex | None = None
        self.skips = text[:1] == "%"
        self.offset = 0
        self.repeats: int | None = 0


def _patterns(operands: Sequence[str], ctx: Context) -> list[_Pattern]:
    patterns: list[_Pattern] = []
    previous = 0
    for at, text in enumerate(operands):
        if text[:1] == "{" and at and operands[at - 1][:1] != "{":
            patterns[-1].repeats = _repeats(text)
            continue
        pattern = _Pattern(text)
        if text[:1] in ("/", "%"):
            _read_expression(pattern)
        else:
            if not (text.isascii() and text.isdigit()) or len(text) > 19 or int(text) > _MAX_NUMBER:
                raise Failure(f"'{text}': invalid pattern")
            pattern.line = int(text)
            if not pattern.line:
                raise Failure(f"{text}: line number must be greater than zero")
            if pattern.line < previous:
                raise Failure(f"line number '{text}' is smaller than preceding line number, {previous}")
            if pattern.line == previous:
                ctx.error(f"warning: line number '{text}' is the same as preceding line number")
            previous = pattern.line
        patterns.append(pattern)
    return patterns


def _repeats(text: str) -> int | None:
    if text[-1:] != "}":
        raise Failure(f"'{text}': '}}' is required in repeat count")
    inner = text[1:-1]
    if inner == "*":
        return None
    if not (inner.isascii() and inner.isdigit()) or len(inner) > 18:
        raise Failure(f"'{text[:-1]}'}}: integer required between '{{' and '}}'")
    return int(inner)


def _read_expression(pattern: _Pattern) -> None:
    text = pattern.text
    end = text.rfind(text[0])
    if not end:
        raise Failure(f"{text}: closing delimiter '{text[0]}' missing")
    offset_text = text[end + 1 :]
    if offset_text:
        if _OFFSET.fullmatch(offset_text) is None or abs(int(offset_text)) > _MAX_NUMBER:
            raise Failure(f"'{text}': integer expected after delimiter")
        pattern.offset = int(offset_text)
    try:
        pattern.regex = compile_bre(text[1:end])
    except PatternError as error:
        escaped = text.replace("\\", "\\\\")
        raise Failure(f"'{escaped}': invalid regular expression: {error}") from None


# --------------------------------------------------------------------------- pieces


class _Finished(Exception):
    """A pattern with the repeat count ``{*}`` has no more matches."""


class _NoInput(Exception):
    """The input has no lines; like GNU's, csplit keeps the piece that it has created."""


class _Splitter:
    """Divides the lines into pieces: the position in the lines, and the current piece."""

    def __init__(self, options: Options, suffix: _Suffix, lines: list[bytes], ctx: Context) -> None:
        self._options = options
        self._suffix = suffix
        self._lines = lines
        self._ctx = ctx
        self._position = 0  #: lines that are written or skipped
        self._current = 0  #: the line of the last match, from 1
        self._names: list[str] = []
        self._file: Description | None = None
        self._size = 0

    def apply(self, pattern: _Pattern) -> None:
        """Apply a pattern, with its repetitions."""
        repetition = 0
        while pattern.repeats is None or repetition <= pattern.repeats:
            self._ctx.charge()
            if pattern.regex is None:
                self._to_line(pattern, repetition)
            else:
                self._to_match(pattern, pattern.regex, repetition)
            repetition += 1

    def write_remaining(self) -> None:
        """Write all remaining lines as the last piece."""
        self.start()
        self._write(len(self._lines))
        self._close()

    def _to_line(self, pattern: _Pattern, repetition: int) -> None:
        line = pattern.line * (repetition + 1)
        suppress = self._options.suppress
        turn = f" on repetition {repetition}" if repetition else ""
        if not self._lines:
            self.start()
            self.release()
            raise _NoInput
        self.start()
        if suppress and self._position == len(self._lines):
            raise Failure(f"'{pattern.text}': line number out of range{turn}")
        if self._position + 1 < line:
            self._write(min(line - 1, len(self._lines)))
            if self._position + 1 < line:
                raise Failure(f"'{pattern.text}': line number out of range{turn}")
        self._close()
        if suppress:
            self._position = min(self._position + 1, len(self._lines))
        elif self._position == len(self._lines):
            raise Failure(f"'{pattern.text}': line number out of range{turn}")

    def _to_match(self, pattern: _Pattern, regex: Regex, repetition: int) -> None:
        if not pattern.skips:
            self.start()
        line = self._next_match(regex)
        if line is None:
            if pattern.repeats is None:
                if not pattern.skips:
                    self._write(len(self._lines))
                    self._close()
                raise _Finished
            turn = f" on repetition {repetition}" if repetition else ""
            if not pattern.skips:
                self._write(len(self._lines))
            raise Failure(f"'{pattern.text}': match not found{turn}")
        self._current = line
        end = line + pattern.offset
        if end <= self._position or end > len(self._lines) + 1:
            if end > self._position:
                self._advance(len(self._lines), pattern)
            raise Failure(f"'{pattern.text}': line number out of range")
        self._advance(end - 1, pattern)
        self._close()
        if pattern.offset > 0:
            self._current = end
        if self._options.suppress:
            self._position = min(self._position + 1, len(self._lines))

    def _next_match(self, regex: Regex) -> int | None:
        budget = self._ctx.budget
        for number in range(max(self._current, self._position) + 1, len(self._lines) + 1):
            budget.charge(1)
            if regex.test(self._lines[number - 1].removesuffix(b"\n"), remaining=budget.remaining):
                return number
        return None

    def _advance(self, end: int, pattern: _Pattern) -> None:
        if pattern.skips:
            self._position = max(self._position, end)
        else:
            self._write(end)

    # ------------------------------------------------------------------ files

    def start(self) -> None:
        """Begin the next piece."""
        name = self._options.prefix + self._suffix.name(len(self._names))
        self._ctx.charge()
        try:
            self._file = self._ctx.create(name)
        except OSError as error:
            raise Failure(f"{quote_odd(name)}: {reason(error)}") from None
        self._names.append(name)
        self._size = 0

    def _write(self, end: int) -> None:
        """Write the lines up to number ``end``, inclusive."""
        if self._file is None or end <= self._position:
            return
        while self._position < end:
            data = b"".join(self._lines[self._position : min(end, self._position + 1000)])
            self._position = min(end, self._position + 1000)
            self._ctx.charge(1 + (len(data) >> 10))
            self._size += len(data)
            self._file.write(data)

    def _close(self) -> None:
        if self._file is None:
            return
        self.release()
        if not self._size and self._options.elide:
            self._ctx.fs.unlink(self._ctx.path(self._names.pop()))
        elif not self._options.quiet:
            self._ctx.write_line(str(self._size))

    def release(self) -> None:
        """Close the current piece's file."""
        file, self._file = self._file, None
        if file is not None:
            file.release()

    def clean_up(self) -> None:
        """Remove all pieces after an error, unless -k."""
        self._close()
        if not self._options.keep:
            for name in self._names:
                self._ctx.fs.unlink(self._ctx.path(name))
