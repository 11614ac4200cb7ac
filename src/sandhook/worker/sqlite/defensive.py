"""SQLite's own defences: no writes to shadow tables, no function that registers a pointer.

Python 3.12 has ``Connection.setconfig``. Python 3.11 lacks it, so there the C function is called on the connection's
pointer, which is the first field of the object.
"""

from __future__ import annotations

import ctypes
import sqlite3
import sys

#: Source: sqlite3.h, "Database Connection Configuration Options".
_ENABLE_FTS3_TOKENIZER, _DEFENSIVE = 1004, 1010


def _library() -> ctypes.CDLL | None:
    """Return the library that the module sqlite3 uses; None where its variadic function cannot be called."""
    if sys.version_info >= (3, 12) or sys.platform != "linux":
        return None
    import _sqlite3

    return ctypes.CDLL(getattr(_sqlite3, "__file__", None))


_LIBRARY = _library()  # when the module is imported: a confined process opens no library


def defend(db: sqlite3.Connection) -> bool:
    """Put the defences in force for a connection; return False where this Python cannot."""
    if sys.version_info >= (3, 12):
        db.setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, True)
        db.setconfig(sqlite3.SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, False)
        return True
    if _LIBRARY is None:
        return False
    pointer = ctypes.c_void_p.from_address(id(db) + object.__basicsize__)
    state = ctypes.c_int(-1)
    refused = _LIBRARY.sqlite3_db_config(pointer, _DEFENSIVE, 1, ctypes.byref(state))
    _LIBRARY.sqlite3_db_config(pointer, _ENABLE_FTS3_TOKENIZER, 0, None)
    return not refused and state.value == 1
