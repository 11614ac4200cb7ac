"""The special variables of awk and the slots that hold them.

Source: POSIX.1-2024 XCU 3, awk, "variables and special variables"; gawk 5.2 manual, "Predefined Variables".
"""

from __future__ import annotations

#: Special variables in the order of their slots; the user's globals follow.
SPECIAL = (
    "NF", "NR", "FNR", "FS", "OFS", "ORS", "RS", "SUBSEP", "CONVFMT", "OFMT", "RSTART", "RLENGTH", "FILENAME",
    "ENVIRON", "ARGC", "ARGV", "IGNORECASE", "FPAT", "FIELDWIDTHS", "RT", "PROCINFO", "ERRNO", "SYMTAB", "FUNCTAB",
    "ARGIND",
)  # fmt: skip
(
    NF, NR, FNR, FS, OFS, ORS, RS, SUBSEP, CONVFMT, OFMT, RSTART, RLENGTH, FILENAME, ENVIRON, ARGC, ARGV,
    IGNORECASE, FPAT, FIELDWIDTHS, RT, PROCINFO, ERRNO, SYMTAB, FUNCTAB, ARGIND,
) = range(len(SPECIAL))  # fmt: skip
#: Variables that are computed when they are read.
COMPUTED = (NF, NR, FNR)
#: Variables whose assignment has effects.
WITH_EFFECTS = (FS, OFS, ORS, RS, SUBSEP, CONVFMT, OFMT, IGNORECASE, FPAT, FIELDWIDTHS)
SPECIAL_ARRAYS = (ENVIRON, ARGV, PROCINFO, SYMTAB, FUNCTAB)

_INITIAL: dict[int, float | str] = {
    FS: " ", OFS: " ", ORS: "\n", RS: "\n", SUBSEP: "\x1c", CONVFMT: "%.6g", OFMT: "%.6g", RSTART: 0.0,
    RLENGTH: 0.0, FILENAME: "", IGNORECASE: 0.0, FPAT: "[^[:space:]]+", FIELDWIDTHS: "", RT: "", ERRNO: "",
    ARGIND: 0.0,
}  # fmt: skip
#: The initial values of the special variables in the order of their slots; None for arrays and unset ones.
INITIAL = tuple(_INITIAL.get(slot) for slot in range(len(SPECIAL)))

MAX_FIELD = 1_000_000  #: largest number of a field
LARGE = 1_024  #: characters; memory is charged for longer strings in variables
LARGE_ELEMENT = 64  #: the same for elements of arrays, of which there may be hundreds of thousands
ENTRY = 120  #: bytes of memory for an element of an array, in addition to its text
