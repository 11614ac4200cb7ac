"""The messages between the host and a worker: length-prefixed binary frames.

A request is REQUEST, then the program, the variables (JSON), the data and, if HALTS is set,
the probe program, all UTF-8. A worker that is ready sends READY once, with its greeting, a line feed and the report of ``confine``. It answers a request with any
number of OUTPUT and FAILED frames and a last DONE, BROKEN or MEMORY frame; HEADER precedes each frame.
After an OUTPUT frame the worker waits for one byte, GO or STOP; after an ALSO frame, which is output,
too, it does not wait. The worker that calls libjq's own functions and the worker for SQLite receive
NATIVE, a header and the data; their FAILED frames are plain text for standard error.
"""

from __future__ import annotations

from struct import Struct

#: A worker's descriptor of the pipe that its host holds open and never writes to; not on Windows
LIFELINE = 3

#: flags, indent, step, seconds until the worker ends itself, four lengths in bytes
REQUEST = Struct("<IBIdIIII")

#: To a worker that calls libjq's own functions: seconds, lengths of the header (JSON) and the data
NATIVE = Struct("<dII")

#: The longest time of an answer in seconds: poll(2) counts milliseconds in 31 bits, which is 24 days
LONGEST = 2_000_000.0

#: Exit status of a worker in which libjq got no memory
OUT_OF_MEMORY = 77

#: The result of such a run: that of the last turn, and whether the last output was true (-1: no output)
RUN_RESULT = Struct("<ib")

#: The result of an invalid command line, whose message names --help
USAGE_ERROR = 1 << 20

#: kind of frame, length of its payload in bytes
HEADER = Struct("<BI")

#: inputs begun, result of the last output (see NOTHING), whether the last input failed,
#: how the run ended (see HALTED), status of a halt; then the rest of the output
DONE_HEAD = Struct("<IBBBi")

#: number of the input (0-based) that a FAILED frame is about, kind of failure; then its text
FAILED_HEAD = Struct("<IB")

#: Bytes of output in one frame.
CHUNK = 65_536

# Frames from the worker.
OUTPUT, FAILED, DONE, BROKEN, MEMORY, READY, ALSO = 1, 2, 3, 4, 5, 6, 7

# From the worker for SQLite: where output goes from now on, and a file (its name, NUL, its bytes).
TARGET, FILE = 8, 9

# Answers to OUTPUT.
GO, STOP = b"g", b"s"

# The last output: no output, false or null, anything else.
NOTHING, FALSY, TRUTHY = 0, 1, 2

# The end of a run: after its last input, by halt, by a halt that the program itself caught.
FINISHED, HALTED, HALT_CAUGHT = 0, 1, 2

# Kinds of failure: error(string), error(any other value), input that is not JSON, an error after
# which it is unknown which inputs were read, halt_error.
ERROR, ERROR_VALUE, NOT_JSON, LOST, HALT_STRING, HALT_VALUE = 0, 1, 2, 3, 4, 5

#: The fields that a ``headers.JqHeader`` leaves out when they have these values, all empty: a call needs few of them.
JQ_DEFAULTS: dict[str, object] = {
    "program": "", "before": "", "check": False, "reads": False, "bind": [], "host_functions": [], "env": {},
    "definitions": [], "positional": [], "files": [], "zone": None, "skew": 0, "null_input": False,
    "slurp": False, "raw_input": False, "parse": 0, "layout": 0, "raw": False, "ascii": False, "join": False,
    "nul": False, "seq": False, "colour": False, "colours": "",
}  # fmt: skip

# Flags of a request.
GATHER = 1  # give the program one array [bad tail or null, variables, value...] instead of each value
LINES = 2  # the data is text: every line is a string
WHOLE = 4  # with LINES: the whole text is one string; without: one bad value spoils the data
JOIN = 8  # print no newline after an output
ASCII = 16  # escape what is not ASCII
COLOUR = 32
TAB = 64
SEQ = 128  # print RS before every output
NUL = 256  # print NUL after every output instead of a newline
HALTS = 512  # a probe program follows, in which halt is libjq's own
PRETTY = 1024  # print arrays and objects over several lines, ``indent`` spaces a level
COMPILE = 2048  # compile the program only
NULL_INPUT = 4096  # with GATHER: only the program itself reads values, and meets a bad one

#: By what a worker runs: the bytes that frames of a kind have at least.
SHORTEST = {
    "jq.native": {DONE: RUN_RESULT.size},
    "sqlite.session": {DONE: RUN_RESULT.size},
    "jq.server": {DONE: DONE_HEAD.size, FAILED: FAILED_HEAD.size},
}
