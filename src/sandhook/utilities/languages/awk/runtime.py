"""The state of one run of an awk program: variables, the record and its fields, the main input.

Source: POSIX.1-2024 XCU 3, awk. Oracle: gawk 5.2.
"""

from __future__ import annotations

import errno

from sandhook.command.context import Context, Reader
from sandhook.kernel.descriptor import Input
from sandhook.text.locale import as_bytes, as_characters
from sandhook.utilities.languages.awk import records
from sandhook.utilities.languages.awk.arithmetic import to_count
from sandhook.utilities.languages.awk.connections import Connections
from sandhook.utilities.languages.awk.format import number_to_text
from sandhook.utilities.languages.awk.inplace import Replacement
from sandhook.utilities.languages.awk.operands import assigned_text, split_assignment, target
from sandhook.utilities.languages.awk.regex import Pattern, pattern
from sandhook.utilities.languages.awk.special import (
    ARGC,
    ARGIND,
    ARGV,
    COMPUTED,
    CONVFMT,
    ENTRY,
    ENVIRON,
    ERRNO,
    FIELDWIDTHS,
    FILENAME,
    FNR,
    FPAT,
    FS,
    FUNCTAB,
    IGNORECASE,
    INITIAL,
    LARGE,
    LARGE_ELEMENT,
    MAX_FIELD,
    NF,
    NR,
    OFMT,
    OFS,
    ORS,
    PROCINFO,
    RS,
    SPECIAL,
    SUBSEP,
    SYMTAB,
    WITH_EFFECTS,
)
from sandhook.utilities.languages.awk.symbols import Symbols, SymbolTable, function_table
from sandhook.utilities.languages.awk.values import Array, Fatal, FieldString, Strnum, Value, to_number
from sandhook.utilities.languages.awk.warnings import Warnings, unknown_escapes
from sandhook.vfs.errors import error_text, fs_error


class ProgramExit(Exception):
    """Raised by the exit statement."""


class Runtime:
    """The state of one run, on which the compiled closures operate.

    Attributes:
        g: Values of the global variables by slot; a slot of an array holds the array.
        arrays: The global arrays by slot; other slots hold an unused array.
        frame: Values of the parameters of the function that runs.
        ranges: For each range pattern, whether a range is open.
        record: $0, unless ``dirty``: then it must be rebuilt from ``fields``.
        record_is_string: The program assigned a string to $0, which is never numeric.
        fields: $1 and on; None until the record is split.
        depth: Calls of functions that have not returned.
        charged_bytes: Memory that is charged for the values of variables.
        has_large: An array has contained a string that is charged by its length.
        blanks: Fields are separated by blanks.
        count_pieces: Charges for the pieces of a text before it is split.
        value: The value of the return statement, for the call.
        read_untyped: The slots of ``Symbols.mixed`` that were read: those are scalars.
        failure: The error of a main input that cannot be read, for BEGINFILE rules, which may skip it.
        file_rule: "BEGINFILE" or "ENDFILE" while such a rule runs, where getline cannot read the main input.
        directory: The name of that input when it is a directory.
        argument: Index in ARGV of the next operand.
        begun: A file of the main input was opened.
    """

    __slots__ = (
        "any_file", "argument", "arrays", "at_end", "begun", "blanks", "budget", "charged_bytes",
        "connections", "convfmt", "count_pieces", "ctx", "depth", "directory", "dirty", "failure", "fields", "file_rule", "fnr", "frame",
        "g", "has_large", "icase", "matching", "mode", "nr", "ofmt", "ofs", "ors", "random", "ranges", "read_untyped", "record",
        "record_is_string", "replacement", "rs", "seed", "source", "split_record", "status", "subsep", "symbols", "value", "warnings",
    )  # fmt: skip

    def __init__(self, ctx: Context, symbols: Symbols, warnings: Warnings) -> None:
        self.ctx = ctx
        self.warnings = warnings
        self.budget = ctx.budget
        self.count_pieces = records.piece_counter(ctx.budget)
        self.symbols = symbols
        count = len(symbols.slots)
        self.arrays = [Array()] * count
        for slot in symbols.arrays:
            self.arrays[slot] = Array()
        if symbols.uses_tables:
            self.arrays[SYMTAB] = SymbolTable(symbols.slots, self.value_of, self.set_global)
            self.arrays[FUNCTAB] = function_table(symbols.functions)
        self.g: list[Value] = [*INITIAL, *[None] * (count - len(INITIAL))]
        for slot in symbols.arrays:
            self.g[slot] = self.arrays[slot]
        self.read_untyped: set[int] = set()
        self.frame: list[Value] = []
        self.ranges = [False] * symbols.ranges
        self.record, self.record_is_string = "", False
        self.fields: list[str] | None = []
        self.dirty = False
        self.nr = self.fnr = 0.0
        self.depth = self.charged_bytes = self.status = 0
        self.has_large = False
        self.value: Value = None
        self.seed = 1
        self.random = 0
        self.source: records.Source | None = None
        self.connections = Connections(ctx, self._command_environment, self._set_error)
        self.replacement = Replacement(ctx)
        self.failure = self.file_rule = self.directory = ""
        self.argument = 1
        self.any_file = self.begun = self.at_end = self.icase = False
        self.matching = symbols.matching
        self.ofs, self.ors, self.subsep = " ", b"\n", "\x1c"
        self.convfmt = self.ofmt = "%.6g"
        self.rs = "\n"
        self.mode = FS
        self.split_record: records.Splitter = records.split_blanks
        self.blanks = True

    def characters(self, text: str) -> str:
        """Return a text from outside as the program's characters."""
        return as_bytes(text) if self.matching.bytewise and not text.isascii() else text

    # ------------------------------------------------------------------ memory

    def charge_memory(self, size: int) -> None:
        """Charge memory for the value of a variable, in bytes; a negative size releases memory."""
        self.charged_bytes += size
        self.budget.charge_memory(size)

    def grow(self, size: int) -> None:
        """Check that a string of ``size`` characters fits, and charge steps for building it."""
        self.budget.check_fits(size)
        self.budget.charge(size >> 10)

    def store(self, array: Array, key: str, value: Value) -> None:
        """Set an element, and charge memory for it. Raises Fatal when either value is an array."""
        if key not in array:
            self.charge_memory(ENTRY + len(key))
        old = array.get(key)
        if isinstance(value, Array) or isinstance(old, Array):
            to_number(value if isinstance(value, Array) else old)  # raises
        if isinstance(old, str) and len(old) > LARGE_ELEMENT:
            self.charge_memory(-len(old))
        if isinstance(value, str) and len(value) > LARGE_ELEMENT:
            self.charge_memory(len(value))
            self.has_large = True
        array[key] = value

    def charge_replacement(self, old: Value, new: str) -> None:
        """Charge memory for a long string that replaces the value of a variable."""
        self.budget.check_fits(len(new))
        self.charge_memory(len(new) - (len(old) if isinstance(old, str) and len(old) > LARGE else 0))

    def delete_element(self, array: Array, key: str) -> None:
        """Delete an element, and release its memory."""
        if key in array:
            old = array.pop(key)
            extra = len(old) if isinstance(old, str) and len(old) > LARGE_ELEMENT else 0
            self.charge_memory(-(ENTRY + len(key) + extra))

    def clear(self, array: Array) -> None:
        """Delete all elements, and release their memory."""
        self.budget.charge(len(array) >> 4)
        size = ENTRY * len(array) + sum(map(len, array))
        if self.has_large:
            texts = (value for value in array.values() if isinstance(value, str))
            size += sum(len(text) for text in texts if len(text) > LARGE_ELEMENT)
        array.clear()
        self.charge_memory(-size)

    def finish(self) -> None:
        """Release all memory and files."""
        self.budget.charge_memory(-self.charged_bytes)
        self.charged_bytes = 0
        if self.source is not None:
            self.source.close()
        self.connections.abandon()
        self.replacement.abandon()

    # ------------------------------------------------------------------ special variables

    def text(self, value: Value) -> str:
        """Convert a value to a string. Raises Fatal for an array."""
        if type(value) is float:
            return number_to_text(value, self.convfmt)
        if isinstance(value, str):
            return value
        if value is None:
            return ""
        return str(to_number(value))  # raises

    def special(self, slot: int) -> Value:
        """Return a variable of ``COMPUTED``."""
        if slot == NF:
            return float(len(self.split()))
        return self.nr if slot == NR else self.fnr

    def set_special(self, slot: int, value: Value, line: int = 0) -> None:
        """Set a variable of ``COMPUTED`` or ``WITH_EFFECTS``, with its effects; ``line`` is for warnings."""
        if slot == NF:
            self.set_count(to_number(value))
            return
        if slot == NR:
            self.nr = to_count(to_number(value))
            return
        if slot == FNR:
            self.fnr = to_count(to_number(value))
            return
        if slot in (FS, FPAT, FIELDWIDTHS, IGNORECASE, RS):
            self.split()
        if slot == OFS and self.dirty:
            self.rebuild()
        self.g[slot] = value
        self._apply_special(slot)
        self._check_expression(slot, line)

    def _check_expression(self, slot: int, line: int) -> None:
        """Print the warnings of an expression that divides. Raises Fatal for RS, which gawk compiles at once."""
        text = self.rs if slot == RS else self.text(self.g[slot]) if slot in (self.mode, FS) else ""
        if len(text) > 1 and slot != FIELDWIDTHS and ("\\" in text or slot == RS):
            self.pattern(text, line)

    def value_of(self, slot: int) -> Value:
        """Return a global variable or array."""
        return self.special(slot) if slot in COMPUTED else self.g[slot]

    def set_global(self, slot: int, value: Value) -> None:
        """Set a global variable."""
        if slot in COMPUTED or slot in WITH_EFFECTS:
            self.set_special(slot, value)
        else:
            self.g[slot] = value

    def _apply_special(self, slot: int) -> None:
        g = self.g
        text = self.text(g[slot])
        if slot in (FPAT, FIELDWIDTHS, IGNORECASE) and not self.symbols.extensions:
            return  # there, an ordinary variable
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
            self.arrays[PROCINFO]["FS"] = SPECIAL[slot]
        elif slot == IGNORECASE:
            self.icase = text not in ("", "0") if isinstance(g[slot], str) else to_number(g[slot]) != 0.0
            self.matching = self.matching._replace(icase=self.icase)
        elif slot == RS:
            self.rs = text if self.symbols.extensions else text[:1]
        if slot in (IGNORECASE, RS) and self.source is not None:
            self.source.set_separator(self.rs, self.matching)
        if slot in (FS, FPAT, FIELDWIDTHS, IGNORECASE, RS):
            self._choose_splitter()

    def _choose_splitter(self) -> None:
        text, paragraphs = self.text(self.g[self.mode]), not self.rs
        self.split_record = records.record_splitter(
            SPECIAL[self.mode],
            text,
            self.matching,
            paragraphs=paragraphs,
            empty_divides=self.symbols.extensions,
        )
        self.blanks = self.split_record is records.split_blanks

    # ------------------------------------------------------------------ the record

    def split(self) -> list[str]:
        """Return the fields of the record."""
        fields = self.fields
        if fields is None:
            record = self.record
            # of the white space of str.split(), such a record can contain the space alone
            if self.blanks and record.isascii() and record.isprintable():
                fields = self.fields = record.split()
            else:
                fields = self.fields = self.split_record(record, self.count_pieces)
            if len(fields) > 64:
                self.budget.charge(len(fields) >> 4)
                self.budget.check_fits(records.PIECE_BYTES * len(fields))
        return fields

    def rebuild(self) -> str:
        """Return $0; it is rebuilt from the fields when one was assigned."""
        if self.dirty:
            fields = self.split()
            self.grow(sum(map(len, fields)) + len(fields) * len(self.ofs))
            self.record = self.ofs.join(fields)
            self.record_is_string = True
            self.dirty = False
        return self.record

    def set_record(self, text: str, *, is_string: bool = False) -> None:
        """Set $0; ``is_string``: the program assigns a string to it, which is never numeric."""
        self.record = text
        self.record_is_string = is_string
        self.fields = None
        self.dirty = False

    def field(self, number: float) -> str | None:
        """Return a field as it is stored, or None when the record has fewer. Raises Fatal below 0."""
        index = int(number) if number - number == 0.0 else -1
        if index == 0:
            return self.rebuild()
        if index < 0:
            raise Fatal(f"attempt to access field {number_to_text(number, '%d')}")
        fields = self.split()
        return fields[index - 1] if index <= len(fields) else None

    def create_field(self, number: float) -> str:
        """Return the text of a field. An absent one is created: NF grows, $0 stays the same. Raises Fatal below 0."""
        text = self.field(number)
        if text is None:
            self._extend(self.split(), int(number))
        return text or ""

    def field_value(self, number: float) -> Value:
        """Return a field as a value: a Strnum, unless the program assigned a string to it."""
        text = self.field(number)
        if text is None:
            return Strnum("")
        is_string = self.record_is_string if int(number) == 0 else type(text) is FieldString
        return str(text) if is_string else Strnum(text)

    def set_field(self, number: float, value: Value) -> None:
        """Assign to a field or to $0. Raises Fatal below 0."""
        index = int(number) if number - number == 0.0 else -1
        text = self.text(value)
        if index == 0:
            self.set_record(text, is_string=type(value) is not Strnum and type(value) is not float)
            return
        if index < 0:
            raise Fatal(f"attempt to access field {number_to_text(number, '%d')}")
        fields = self.split()
        if index > len(fields):
            self._extend(fields, index)
        if len(text) > LARGE:
            self.grow(sum(map(len, fields)) + len(text))
        fields[index - 1] = FieldString(text) if type(value) is str else str(text)
        self.dirty = True

    def set_count(self, number: float) -> None:
        """Set NF, and drop or add fields. Raises Fatal below 0."""
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
        """Open the next operand that is a file, and carry out the assignments before it.

        Without such operands, standard input is the only source. Returns False when there are no more.
        """
        if self.source is not None:
            self.source.close()
            self.source = None
        if self.at_end:
            return False
        argv = self.arrays[ARGV]
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
            self.at_end = True
            return False
        self.any_file = self.at_end = True
        self._begin(self.ctx.stdin_reader(), "-")
        return True

    def _open_main(self, name: str) -> bool:
        try:
            path = "-" if name == "/dev/stdin" else as_characters(name)
            reader = self.ctx.open(path)
            if not name.startswith("/dev/") and name != "-" and self.ctx.fs.is_dir(self.ctx.path(path)):
                reader.close()
                raise fs_error(errno.EISDIR)
        except OSError as error:
            self.directory = name if error.errno == errno.EISDIR else ""
            self.failure = f"cannot open file `{name}' for reading: {error_text(error)}"
            if not self.symbols.has_begin_file:
                if not (self.directory and self.symbols.extensions):
                    symbols = self.symbols
                    line = (symbols.rule_line if self.g[FILENAME] else 0) or symbols.begin_line
                    self.fnr = 0.0
                    raise Fatal(self.failure, line=line) from None
                self.failure = ""
                self.skip_directory()
                return False
            self.g[ERRNO] = error_text(error)
            self._begin(Reader(Input(b""), self.ctx), name)
            return True
        if self.symbols.has_begin_file:
            self.g[ERRNO] = ""
        self._begin(reader, name)
        return True

    def skip_directory(self) -> None:
        """Print a warning that an operand is a directory, and skip it."""
        line = (self.symbols.rule_line if self.begun else 0) or self.symbols.begin_line
        self.fnr = 0.0
        self.warn(f"command line argument `{self.directory}' is a directory: skipped", line)
        self.g[FILENAME] = Strnum(self.directory)
        self.directory = ""

    def _begin(self, reader: Reader, name: str) -> None:
        self.g[FILENAME] = Strnum(name)
        self.fnr = 0.0
        self.begun = True
        self.source = records.Source(reader, self.rs, self.matching)

    def assign_operand(self, operand: str) -> bool:
        """Carry out ``name=value``; return False when the operand is not an assignment. Raises Fatal."""
        name, value = split_assignment(operand)
        if not name:
            return False
        self.warnings.print_found(unknown_escapes("string", value))
        if (slot := target(name, self.symbols, self.g)) is not None:
            self.set_global(slot, Strnum(self.characters(assigned_text(value))))
        return True

    def read_main(self) -> tuple[str, str] | None:
        """Return the next record of the main input and its terminator, or None at the very end."""
        while True:
            if self.source is None and not self.next_source():
                return None
            assert self.source is not None
            entry = self.source.next()
            if entry is not None:
                return entry
            if not self.next_source():
                return None

    def _command_environment(self) -> dict[str, str] | None:
        if not self.symbols.uses_environment:
            return None
        values = self.arrays[ENVIRON].items()
        return {as_characters(name): as_characters(self.text(value)) for name, value in values}

    def _set_error(self, text: str) -> None:
        self.g[ERRNO] = text

    def where(self) -> str:
        """Return the position of the record for messages, ``(FILENAME=f FNR=2) ``; "" before the first record."""
        return f"(FILENAME={self.text(self.g[FILENAME]) or '-'} FNR={int(self.fnr)}) " if self.fnr else ""

    def warn(self, text: str, line: int) -> None:
        """Print a warning about the statement on a line."""
        self.warnings.print(text, line, self.where())

    def pattern(self, source: str, line: int = 0) -> Pattern:
        """Compile a regular expression that is a string at run time, and report its escapes. Raises Fatal."""
        compiled = pattern(source, self.matching)
        if compiled.unknown:
            self.warnings.print_found(compiled.unknown, line, self.where() if line else "")
        return compiled
