"""The database, the settings and the output of one call of sqlite3, which statements and dot-commands share.

Runs inside the worker. SQLite's code is C and its statements are the script's, so they run in a
process without files, with bounded memory and time.
"""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from typing import TYPE_CHECKING

from sandhook.worker import frames, process
from sandhook.worker.sqlite.defensive import defend
from sandhook.worker.sqlite.modes import MODES, Style
from sandhook.worker.sqlite.text import Field

if TYPE_CHECKING:
    from sandhook.worker.headers import SqliteHeader

#: Bytes of one value, and of one statement.
MAX_LENGTH = 64 << 20
MAX_SQL = 8 << 20


class Console:
    """The database of one call, its settings and its output.

    Attributes:
        header: The options of the call.
        db: The database, in memory.
        style: The layout of rows.
        parameters: Values that ``.parameter`` set, by name with its sign.
        files: Text of each file that a script may name; None if it cannot be read.
        bail: Stop at the first error.
        echo: Print commands before they run.
        changes: Print counts of changed rows after statements.
        once: Output returns to standard output after the next statements.
        depth: Nesting depth of ``.read`` (a count).
    """

    def __init__(self, header: SqliteHeader, image: bytes) -> None:
        self.header = header
        self.files = header["files"]
        self._pieces: list[bytes] = []
        self._size = 0
        self.once = False
        self.bail = header["bail"]
        self.echo = header["echo"]
        self.changes = False
        self.parameters: dict[str, Field] = {}
        self.depth = 0
        self.db = sqlite3.connect(":memory:", isolation_level=None, cached_statements=64)
        self._helper = sqlite3.connect(":memory:", isolation_level=None)
        if image:
            self.db.deserialize(image)
        defend(self.db)
        self.db.text_factory = lambda text: text.decode("utf-8", "surrogateescape")
        self._confine()
        self.style = Style(self._number)
        self._apply(header)

    def _confine(self) -> None:
        db = self.db
        db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_LENGTH)
        db.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, MAX_SQL)
        db.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        db.execute("PRAGMA temp_store = MEMORY")
        with suppress(sqlite3.Error):  # not a database: the first statement reports it
            page = db.execute("PRAGMA page_size").fetchone()[0]
            db.execute(f"PRAGMA max_page_count = {max(16, self.header['max_bytes'] // page)}")
        db.execute("PRAGMA trusted_schema = OFF")
        if self.header["readonly"]:
            db.execute("PRAGMA query_only = ON")
        self.forbid()

    def forbid(self) -> None:
        """Forbid everything that has effects outside the database."""
        self.db.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        self.db.set_authorizer(_authorize)

    def vacuum(self) -> None:
        """Pack the database. SQLite attaches another database for that."""
        self.db.set_authorizer(None)
        self.db.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 1)
        try:
            self.db.execute("VACUUM")
        finally:
            self.forbid()

    def _apply(self, header: SqliteHeader) -> None:
        style = self.style
        if header["mode"]:
            style.set_mode(MODES[header["mode"]], by_command=False)
        if header["headers"] is not None:
            style.headers, style.headers_set = header["headers"], True
        if header["null"] is not None:
            style.null = header["null"]
        if header["column"] is not None:
            style.column = header["column"]
        if header["row"] is not None:
            style.row = header["row"]

    def _number(self, value: float, digits: int) -> str:
        text: str = self._helper.execute(f"SELECT printf('%!.{digits}g', ?)", (value,)).fetchone()[0]
        return text

    # ------------------------------------------------------------------ output

    def write(self, text: str) -> None:
        """Print text."""
        data = text.encode("utf-8", "surrogateescape")
        self._pieces.append(data)
        self._size += len(data)
        if self._size > frames.CHUNK:
            self.flush()

    def flush(self) -> None:
        """Send the buffered output in pieces; the host accepts each piece before the next."""
        data = b"".join(self._pieces)
        self._pieces = []
        self._size = 0
        process.send_output(data)

    def error(self, text: str) -> None:
        """Send text for standard error, after the output before it."""
        self.flush()
        process.send(frames.FAILED, text.encode("utf-8", "surrogateescape"))

    def send_to(self, name: str) -> None:
        """Send later output to the file ``name``, or to standard output for ""."""
        self.flush()
        self.once = False
        process.send(frames.TARGET, name.encode("utf-8", "surrogateescape"))

    def image(self) -> bytes:
        """Return the database file's bytes, b"" for an empty database.

        For an empty database serialize() raises or returns a page, depending on SQLite's version.
        """
        if self.db.execute("PRAGMA page_count").fetchone() == (0,):
            return b""
        return self.db.serialize()


def _authorize(action: int, first: str | None, *rest: object) -> int:
    """Deny access outside the database, a second barrier: the process itself has no files either."""
    if action in (sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH):
        return sqlite3.SQLITE_DENY
    if action == sqlite3.SQLITE_PRAGMA and str(first).lower() in _PRAGMAS:
        return sqlite3.SQLITE_DENY
    if action == sqlite3.SQLITE_FUNCTION and str(rest[0] if rest else "").lower() not in FUNCTIONS:
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK


#: Functions that statements may call: those that SQLite documents for SQL text. An allow-list, because a
#: build can have functions that read or set pointers (fts3_tokenizer), load code or write a log.
FUNCTIONS = frozenset(
    [
        "->",
        "->>",
        "abs",
        "avg",
        "changes",
        "char",
        "coalesce",
        "concat",
        "concat_ws",
        "count",
        "cume_dist",
        "current_date",
        "current_time",
        "current_timestamp",
        "date",
        "datetime",
        "dense_rank",
        "first_value",
        "format",
        "glob",
        "group_concat",
        "hex",
        "if",
        "ifnull",
        "iif",
        "instr",
        "julianday",
        "lag",
        "last_insert_rowid",
        "last_value",
        "lead",
        "length",
        "like",
        "likelihood",
        "likely",
        "lower",
        "ltrim",
        "max",
        "min",
        "nth_value",
        "ntile",
        "nullif",
        "octet_length",
        "percent_rank",
        "printf",
        "quote",
        "random",
        "randomblob",
        "rank",
        "replace",
        "round",
        "row_number",
        "rtrim",
        "sign",
        "soundex",
        "sqlite_compileoption_get",
        "sqlite_compileoption_used",
        "sqlite_source_id",
        "sqlite_version",
        "strftime",
        "string_agg",
        "substr",
        "substring",
        "subtype",
        "sum",
        "time",
        "timediff",
        "total",
        "total_changes",
        "trim",
        "typeof",
        "unhex",
        "unicode",
        "unixepoch",
        "unlikely",
        "unistr",
        "unistr_quote",
        "upper",
        "zeroblob",
        "acos",
        "acosh",
        "asin",
        "asinh",
        "atan",
        "atan2",
        "atanh",
        "ceil",
        "ceiling",
        "cos",
        "cosh",
        "degrees",
        "exp",
        "floor",
        "ln",
        "log",
        "log10",
        "log2",
        "median",
        "mod",
        "percentile",
        "percentile_cont",
        "percentile_disc",
        "pi",
        "pow",
        "power",
        "radians",
        "sin",
        "sinh",
        "sqrt",
        "tan",
        "tanh",
        "trunc",
        "json",
        "json_array",
        "json_array_insert",
        "json_array_length",
        "json_each",
        "json_error_position",
        "json_extract",
        "json_group_array",
        "json_group_object",
        "json_insert",
        "json_object",
        "json_patch",
        "json_pretty",
        "json_quote",
        "json_remove",
        "json_replace",
        "json_set",
        "json_tree",
        "json_type",
        "json_valid",
        "jsonb",
        "jsonb_array",
        "jsonb_array_insert",
        "jsonb_each",
        "jsonb_extract",
        "jsonb_group_array",
        "jsonb_group_object",
        "jsonb_insert",
        "jsonb_object",
        "jsonb_patch",
        "jsonb_remove",
        "jsonb_replace",
        "jsonb_set",
        "jsonb_tree",
        "bm25",
        "highlight",
        "match",
        "matchinfo",
        "offsets",
        "optimize",
        "snippet",
    ]
)


_PRAGMAS = frozenset(
    ("temp_store", "temp_store_directory", "data_store_directory", "max_page_count", "hard_heap_limit",
     "soft_heap_limit", "trusted_schema", "writable_schema", "mmap_size", "threads")
)  # fmt: skip
