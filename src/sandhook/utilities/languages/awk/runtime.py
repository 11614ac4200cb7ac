"""The state of one run of an awk program: variables, the record and its fields, inputs and outputs.

Source: POSIX.1-2024 XCU 3, awk. Oracle: gawk 5.2.
"""

from __future__ import annotations

import errno
import re
from typing import TYPE_CHECKING

from sandhook.command.context import Context, Reader
from sandhook.kernel.descriptor import Input
from sandhook.text.locale import goes_by_bytes
from sandhook.utilities.languages.awk import records
from sandhook.utilities.languages.awk.connections import Connections
from sandhook.utilities.languages.awk.format import number_to_text
from sandhook.utilities.languages.awk.inplace import Replacement
from sandhook.utilities.languages.awk.regex import Invalid, Pattern, pattern
from sandhook.utilities.languages.awk.streams import Stream
from sandhook.utilities.languages.awk.symbols import SymbolTable, function_table
from sandhook.utilities.languages.awk.values import Array, Fatal, Fixed, Strnum, Value, to_number
from sandhook.vfs.errors import error_text, fs_error

if TYPE_CHECKING:
    from sandhook.utilities.languages.awk.program import Program

#: Special variables, in the order of their slots; user's globals follow.
SPECIAL = (
    "NF", "NR", "FNR", "FS", "OFS", "ORS", "RS", "SUBSEP", "CONVFMT", "OFMT", "RSTART", "RLENGTH", "FILENAME",
    "ENVIRON", "ARGC", "ARGV", "IGNORECASE", "FPAT", "FIELDWIDTHS", "RT", "PROCINFO", "ERRNO", "SYMTAB", "FUNCTAB",
    "ARGIND",
)  # fmt: skip
(
    NF, NR, FNR, FS, OFS, ORS, RS, SUBSEP, CONVFMT, OFMT, RSTART, RLENGTH, FILENAME, ENVIRON, ARGC, ARGV,
    IGNORECASE, FPAT, FIELDWIDTHS, RT, PROCINFO, ERRNO, SYMTAB, FUNCTAB, ARGIND,
) = range(len(SPECIAL))  # fmt: skip
#: Reading these needs more than their slot; setting the ones after them has effects.
COUNTED = (NF, NR, FNR)
HOOKED = (FS, OFS, ORS, RS, SUBSEP, CONVFMT, OFMT, IGNORECASE, FPAT, FIELDWIDTHS)
SPECIAL_ARRAYS = (ENVIRON, ARGV, PROCINFO, SYMTAB, FUNCTAB)

MAX_FIELD = 1_000_000  #: largest number of a field
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:::[A-Za-z_][A-Za-z0-9_]*)?")
LARGE = 1_024  #: characters of a string that is counted when it is kept
ENTRY = 120  #: bytes that an array's element takes besides its text


class Exit(Exception):
    """The exit statement."""


class Next(Exception):
    """next inside of a function, on the line that it is made with."""


class NextFile(Exception):
    """nextfile inside of a function, on the line that it is made with."""


class Runtime(Connections):
    """One run. The compiled closures work on it.

    Attributes:
        g: Global variables by slot. frame: Those of the function that runs.
        record: $0, unless ``dirty``: then it is to be made again from ``fields``.
        fields: $1 and on; None until the record is split.
        large: An array has ever held a text that is counted.
        blanks: Fields are what stands between blanks.
        failure: Why the main input that was begun cannot be read; a BEGINFILE rule may pass it by.
        directory: Its name, if that is why.
    """

    def __init__(self, ctx: Context, program: Program) -> None:
        self.ctx = ctx
        self.budget = ctx.budget
        self.program = program
        self.g: list[Value] = [Array() if slot in program.arrays else None for slot in range(program.slots)]
        self.frame: list[Value] = []
        self.ranges = [False] * program.ranges
        self.record = ""
        self.fields: list[str] | None = []
        self.dirty = False
        self.nr = 0.0
        self.fnr = 0.0
        self.depth = 0
        self.held = 0
        self.large = False
        self.status = 0
        self.value: Value = None
        self.seed = 1
        self.random = 0
        self.source: records.Source | None = None
        self.replacement = Replacement(ctx)
        self.failure = ""
        self.directory = ""
        self.sandbox = False
        self.argument = 1
        self.any_file = False
        self.ended = False
        self.streams: dict[tuple[str, str], Stream] = {}
        self.icase = False
        self.bytewise: bool | None = None
        self.ofs = " "
        self.ors = b"\n"
        self.subsep = "\x1c"
        self.convfmt = self.ofmt = "%.6g"
        self.rs = "\n"
        self.mode = FS
        self.split_record: records.Splitter = records.split_blanks
        self.blanks = True
        g = self.g
        if program.symbols:
            g[SYMTAB], g[FUNCTAB] = SymbolTable(self), function_table(program)
        for slot, value in (
            (FS, " "), (OFS, " "), (ORS, "\n"), (RS, "\n"), (SUBSEP, "\x1c"), (CONVFMT, "%.6g"), (OFMT, "%.6g"),
            (RSTART, 0.0), (RLENGTH, -1.0), (FILENAME, ""), (IGNORECASE, 0.0), (FPAT, "[^[:space:]]+"),
            (FIELDWIDTHS, ""), (RT, ""), (ERRNO, ""), (ARGIND, 0.0),
        ):  # fmt: skip
            g[slot] = value

    def goes_by_bytes(self) -> bool:
        """Return whether characters are bytes, as in the C locale."""
        if self.bytewise is None:
            self.bytewise = goes_by_bytes(self.ctx.environment)
        return self.bytewise

    # ------------------------------------------------------------------ memory

    def keep(self, size: int) -> None:
        """Count bytes that a variable keeps; negative gives back."""
        self.held += size
        self.budget.charge_memory(size)

    def grow(self, size: int) -> None:
        """Refuse a string of ``size`` characters that could never fit; charge making it."""
        self.budget.check_fits(size)
        self.budget.charge(size >> 10)

    def store(self, array: Array, key: str, value: Value) -> None:
        """Set an element, counting what it keeps."""
        if key not in array:
            self.keep(ENTRY + len(key))
        if isinstance(value, Array):
            raise Fatal("attempt to use array in a scalar context")
        old = array.get(key)
        if isinstance(old, Array):
            raise Fatal("attempt to use array in a scalar context")
        if isinstance(old, str) and len(old) > LARGE:
            self.keep(-len(old))
        if isinstance(value, str) and len(value) > LARGE:
            self.keep(len(value))
            self.large = True
        array[key] = value

    def replaced(self, old: Value, new: str) -> None:
        """Count a long text that a variable gets."""
        self.budget.check_fits(len(new))
        self.keep(len(new) - (len(old) if isinstance(old, str) and len(old) > LARGE else 0))

    def forget(self, array: Array, key: str) -> None:
        """Delete an element."""
        if key in array:
            old = array.pop(key)
            extra = len(old) if isinstance(old, str) and len(old) > LARGE else 0
            self.keep(-(ENTRY + len(key) + extra))

    def clear(self, array: Array) -> None:
        self.budget.charge(len(array) >> 4)
        size = ENTRY * len(array) + sum(map(len, array))
        if self.large:
            for value in array.values():
                if isinstance(value, str) and len(value) > LARGE:
                    size += len(value)
        array.clear()
        self.keep(-size)

    def finish(self) -> None:
        """Give all memory and files back."""
        self.budget.charge_memory(-self.held)
        self.held = 0
        if self.source is not None:
            self.source.close()
        for stream in self.streams.values():
            stream.abandon()
        self.replacement.abandon()

    # ------------------------------------------------------------------ special variables

    def text(self, value: Value) -> str:
        """Return a value as a string."""
        if type(value) is float:
            return number_to_text(value, self.convfmt)
        if value is None:
            return ""
        if isinstance(value, Array):
            raise Fatal("attempt to use array in a scalar context")
        return value  # type: ignore[no-any-return]

    def special(self, slot: int) -> Value:
        """Return NF, NR or FNR."""
        if slot == NF:
            return float(len(self.split()))
        return self.nr if slot == NR else self.fnr

    def set_special(self, slot: int, value: Value) -> None:
        """Set a special variable, with its effects."""
        if slot == NF:
            self.set_count(to_number(value))
            return
        if slot == NR:
            self.nr = to_number(value)
            return
        if slot == FNR:
            self.fnr = to_number(value)
            return
        if slot in (FS, FPAT, FIELDWIDTHS, IGNORECASE, RS):
            self.split()
        if slot == OFS and self.dirty:
            self.rebuild()
        self.g[slot] = value
        self._effect(slot)

    def value_of(self, slot: int) -> Value:
        """Return any global variable, or array."""
        return self.special(slot) if slot in COUNTED else self.g[slot]

    def set_global(self, slot: int, value: Value) -> None:
        """Set any global variable."""
        if slot in COUNTED or slot in HOOKED:
            self.set_special(slot, value)
        else:
            self.g[slot] = value

    def _effect(self, slot: int) -> None:
        g = self.g
        text = self.text(g[slot])
        if slot == OFS:
            self.ofs = text
        elif slot == ORS:
            self.ors = text.encode("utf-8", "surrogateescape")
        elif slot == SUBSEP:
            self.subsep = text
        elif slot == CONVFMT:
            self.convfmt = text
        elif slot == OFMT:
            self.ofmt = text
        elif slot in (FS, FPAT, FIELDWIDTHS):
            self.mode = slot
            g[PROCINFO]["FS"] = SPECIAL[slot]
        elif slot == IGNORECASE:
            self.icase = to_number(g[slot]) != 0.0 if not isinstance(g[slot], str) else text not in ("", "0")
        elif slot == RS:
            self.rs = text
        if slot in (IGNORECASE, RS) and self.source is not None:
            self.source.set_separator(self.rs, self.icase)
        if slot in (FS, FPAT, FIELDWIDTHS, IGNORECASE, RS):
            self._choose_splitter()

    def _choose_splitter(self) -> None:
        if self.mode == FPAT:
            self.split_record = records.by_content(pattern(self.text(self.g[FPAT]), self.icase))
        elif self.mode == FIELDWIDTHS:
            self.split_record = records.by_widths(self.text(self.g[FIELDWIDTHS]))
        else:
            self.split_record = records.splitter(self.text(self.g[FS]), self.icase, not self.rs)
        self.blanks = self.split_record is records.split_blanks

    # ------------------------------------------------------------------ the record

    def split(self) -> list[str]:
        """Return the fields of the record."""
        fields = self.fields
        if fields is None:
            record = self.record
            if (
                self.blanks and record.isascii() and record.isprintable()
            ):  # what str.split() takes for blanks are
                fields = self.fields = record.split()
            else:
                fields = self.fields = self.split_record(record)
            if len(fields) > 64:
                self.budget.charge(len(fields) >> 4)
        return fields

    def rebuild(self) -> str:
        """Return $0, made from the fields when one was changed."""
        if self.dirty:
            fields = self.split()
            self.grow(sum(map(len, fields)) + len(fields) * len(self.ofs))
            self.record = self.ofs.join(fields)
            self.dirty = False
        return self.record

    def set_record(self, text: str) -> None:
        self.record = text
        self.fields = None
        self.dirty = False

    def field(self, number: float) -> str | None:
        """Return a field as it is kept, or None when there is none. Raises Fatal below 0."""
        index = int(number) if number - number == 0.0 else -1
        if index == 0:
            return self.rebuild()
        if index < 0:
            raise Fatal(f"attempt to access field {number_to_text(number, '%d')}")
        fields = self.split()
        return fields[index - 1] if index <= len(fields) else None

    def reached(self, number: float) -> str:
        """Return the text of a field, which is there from then on: NF grows, and $0 stays. Raises Fatal below 0."""
        found = self.field(number)
        if found is None:
            self._extend(self.split(), int(number))
        return found or ""

    def field_value(self, number: float) -> Value:
        """Return a field as a value: text from outside, unless the program has put a string there."""
        found = self.field(number)
        if found is None:
            return Strnum("")
        return str(found) if type(found) is Fixed else Strnum(found)

    def set_field(self, number: float, value: Value) -> None:
        index = int(number) if number - number == 0.0 else -1
        text = self.text(value)
        if index == 0:
            self.set_record(text)
            return
        if index < 0:
            raise Fatal(f"attempt to access field {number_to_text(number, '%d')}")
        fields = self.split()
        if index > len(fields):
            self._extend(fields, index)
        if len(text) > LARGE:
            self.grow(sum(map(len, fields)) + len(text))
        fields[index - 1] = Fixed(text) if type(value) is str else str(text)
        self.dirty = True

    def set_count(self, number: float) -> None:
        """NF = number."""
        if not 0 <= number < 2**31:
            raise Fatal("NF set to negative value")
        fields = self.split()
        count = int(number)
        if count < len(fields):
            del fields[count:]
        else:
            self._extend(fields, count)
        self.dirty = True

    def _extend(self, fields: list[str], count: int) -> None:
        if count > MAX_FIELD:
            self.budget.fail("memory_bytes")
        self.budget.check_fits(8 * count)
        self.budget.charge((count - len(fields)) >> 4)
        fields.extend([""] * (count - len(fields)))

    # ------------------------------------------------------------------ main input

    def next_source(self) -> bool:
        """Open the next operand that is a file, after the assignments before it; standard input without any."""
        if self.source is not None:
            self.source.close()
            self.source = None
        if self.ended:
            return False
        argv = self.g[ARGV]
        while self.argument < to_number(self.g[ARGC]):
            self.budget.charge(1)
            name = self.text(argv.get(str(self.argument)))
            self.argument += 1
            if not name or self.assign_operand(name):
                continue
            self.any_file = True
            self.g[ARGIND] = float(self.argument - 1)
            if self._open_main(name):
                return True
        if self.any_file:
            self.ended = True
            return False
        self.any_file = self.ended = True
        self._begin(self.ctx.stdin_reader(), "")
        return True

    def _open_main(self, name: str) -> bool:
        try:
            reader = self.ctx.open("-" if name == "/dev/stdin" else name)
            if not name.startswith("/dev/") and name != "-" and self.ctx.fs.is_dir(self.ctx.path(name)):
                reader.close()
                raise fs_error(errno.EISDIR)
        except OSError as error:
            self.directory = name if error.errno == errno.EISDIR else ""
            self.failure = f"cannot open file `{name}' for reading: {error_text(error)}"
            if not self.program.begin_file:
                if not self.directory:
                    raise Fatal(self.failure) from None
                self.failure = ""
                self.skip_directory()
                return False
            self.g[ERRNO] = error_text(error)
            self._begin(Reader(Input(b""), self.ctx), name)
            return True
        if self.program.begin_file:
            self.g[ERRNO] = ""
        self._begin(reader, name)
        return True

    def skip_directory(self) -> None:
        """Pass an operand by that is a directory."""
        self.warn(f"command line argument `{self.directory}' is a directory: skipped")
        self.directory = ""

    def _begin(self, reader: Reader, name: str) -> None:
        self.g[FILENAME] = Strnum(name)
        self.fnr = 0.0
        self.source = records.Source(reader, self.rs, self.icase)

    def assign_operand(self, operand: str) -> bool:
        """Carry out ``name=value``; False when the operand is none."""
        name, equals, value = operand.partition("=")
        if not equals or not _NAME.fullmatch(name):
            return False
        name = name.removeprefix("awk::")
        self.set_variable(name, value)
        return True

    def set_variable(self, name: str, value: str) -> None:
        """-v and operands: escapes are replaced, and the value may count as a number."""
        from sandhook.utilities.languages.awk.lexer import BUILTINS, KEYWORDS, unescape

        slot = self.program.names.get(name)
        if name in BUILTINS or name in KEYWORDS:
            raise Fatal(f"cannot use gawk builtin `{name}' as variable name")
        if name in self.program.functions:
            raise Fatal(f"cannot use function `{name}' as variable name")
        if slot is None:
            return
        if slot in self.program.arrays:
            raise Fatal(f"cannot use array `{name}' as variable name")
        made = Strnum(unescape(value))
        self.set_global(slot, made)

    def warn(self, message: str) -> None:
        self.ctx.error(f"warning: {message}")

    def read_main(self) -> tuple[str, str] | None:
        """Take the next record of the main input, or None at the very end."""
        while True:
            if self.source is None and not self.next_source():
                return None
            assert self.source is not None
            found = self.source.next()
            if found is not None:
                return found
            if not self.next_source():
                return None

    def environment(self) -> dict[str, str] | None:
        """Return the environment of commands, None for the one that awk itself has."""
        if not self.program.environment:
            return None
        return {name: self.text(value) for name, value in self.g[ENVIRON].items()}

    def set_error(self, text: str) -> None:
        """Set ERRNO."""
        self.g[ERRNO] = text

    def where(self) -> str:
        """Return what messages say about the record, ``(FILENAME=f FNR=2) ``; "" before the first."""
        return f"(FILENAME={self.text(self.g[FILENAME]) or '-'} FNR={int(self.fnr)}) " if self.fnr else ""

    def pattern(self, source: str) -> Pattern:
        """Compile an expression that was made while the program runs. Raises Fatal."""
        try:
            return pattern(source, self.icase)
        except Invalid as error:
            raise Fatal(f"invalid regexp: {error}") from None
