"""libjq's C functions, called where they are: in the extension module of the package jq.

The package's own interface lacks further inputs, ``debug`` and halt; libjq has them, and on Linux
and macOS its functions are visible in the module's file. Windows hides them: see ``server.py``.
Runs inside the worker. A function frees every ``Value`` that it receives, as libjq's manual says,
unless its docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from ctypes import (
    CDLL,
    PYFUNCTYPE,
    PyDLL,
    Structure,
    byref,
    c_char_p,
    c_double,
    c_int,
    c_ubyte,
    c_uint64,
    c_ushort,
    c_void_p,
    cast,
    string_at,
)

from sandhook.worker.frames import OUT_OF_MEMORY

TYPE_CHECKING = False  # as a type checker reads it; the module typing costs time at each start

if TYPE_CHECKING:
    from typing import Any

INVALID, NULL, FALSE, TRUE, NUMBER, STRING, ARRAY, OBJECT = range(8)

# How a value is printed.
PRETTY, ASCII, COLOUR, TAB = 1, 2, 4, 64

# How texts are read.
PARSE_SEQ, PARSE_STREAM_ERRORS = 1, 4

#: The colours of -C when JQ_COLORS sets no others.
COLOURS = b"0;90:0;39:0;39:0;39:0;32:1;39:1;39:1;34"


class Value(Structure):
    """A JSON value of libjq, or INVALID, perhaps with a message. ``kind & 15`` is one of the kinds above."""

    _fields_ = [
        ("kind", c_ubyte),
        ("pad", c_ubyte),
        ("offset", c_ushort),
        ("size", c_int),
        ("payload", c_uint64),
    ]


class Block(Structure):
    """A program that was read, not yet compiled."""

    _fields_ = [("first", c_void_p), ("last", c_void_p)]


#: Receives a message of libjq's: the pointer that was registered with it, and a value.
Message = PYFUNCTYPE(None, c_void_p, Value)


class _Functions:
    """Looks functions up in a library. Raises AttributeError for one that the file does not show."""

    def __init__(self, library: PyDLL) -> None:
        self._library = library

    def function(self, name: str, result: Any, *takes: Any) -> Callable[..., Any]:
        """Return a function with its result and arguments declared."""
        pointer = self._library[name]
        pointer.restype = result
        pointer.argtypes = takes
        return pointer

    def value(self, name: str, *takes: Any) -> Callable[..., Value]:
        """Return a function whose result is a value."""
        return self.function(name, Value, *takes)

    def address(self, name: str) -> c_void_p:
        """Return where a function is."""
        return cast(self._library[name], c_void_p)


class LibJq:
    """The functions that the worker needs. Raises AttributeError if the file does not show them."""

    def __init__(self, file: str) -> None:
        functions = _Functions(PyDLL(file))
        self._bind_programs(functions)
        self._bind_inputs(functions)
        self._bind_values(functions)
        if self.text(self.string(b"x")) != b"x":
            raise AttributeError("values of libjq look different")

    def _bind_programs(self, functions: _Functions) -> None:
        function, value, program = functions.function, functions.value, c_void_p
        self._init = function("jq_init", program)
        self._set_nomem = function("jq_set_nomem_handler", None, program, c_void_p, c_void_p)
        self._exit = cast(CDLL(None)._exit, c_void_p)
        self.compile_args = function("jq_compile_args", c_int, program, c_char_p, Value)
        self.start = function("jq_start", None, program, Value, c_int)
        self.next = value("jq_next", program)
        self.teardown = function("jq_teardown", None, c_void_p)
        self._locations = function("locfile_init", program, program, c_char_p, c_char_p, c_int)
        self._forget_locations = function("locfile_free", None, program)
        self._parse_program = function("jq_parse", c_int, program, c_void_p)
        self._parse_library = function("jq_parse_library", c_int, program, c_void_p)
        self._forget_block = function("block_free", None, Block)
        self.set_attr = function("jq_set_attr", None, program, Value, Value)
        self.set_colors = function("jq_set_colors", c_int, c_char_p)
        self.format_error = value("jq_format_error", Value)
        self.halted = function("jq_halted", c_int, program)
        self.exit_code = value("jq_get_exit_code", program)
        self.error_message = value("jq_get_error_message", program)
        self._set_error = function("jq_set_error_cb", None, program, Message, c_void_p)
        self._set_debug = function("jq_set_debug_cb", None, program, Message, c_void_p)
        self._set_stderr = function("jq_set_stderr_cb", None, program, Message, c_void_p)
        self._set_input = function("jq_set_input_cb", None, program, c_void_p, c_void_p)

    def _bind_inputs(self, functions: _Functions) -> None:
        function, value = functions.function, functions.value
        self.parser_new = function("jv_parser_new", c_void_p, c_int)
        self.parser_free = function("jv_parser_free", None, c_void_p)
        self.parser_next = value("jv_parser_next", c_void_p)
        self.parser_remaining = function("jv_parser_remaining", c_int, c_void_p)
        self.parser_set_buf = function("jv_parser_set_buf", None, c_void_p, c_char_p, c_int, c_int)
        self._inputs_new = function("jq_util_input_init", c_void_p, c_void_p, c_void_p)
        self._inputs_set_parser = function("jq_util_input_set_parser", None, c_void_p, c_void_p, c_int)
        self.inputs_next = value("jq_util_input_next_input", c_void_p)
        self._inputs_free = function("jq_util_input_free", None, c_void_p)
        self._next_input = functions.address("jq_util_input_next_input_cb")

    def _bind_values(self, functions: _Functions) -> None:
        function, value = functions.function, functions.value
        self.null = value("jv_null")
        self.array = value("jv_array")
        self.append = value("jv_array_append", Value, Value)
        self.object = value("jv_object")
        self.set = value("jv_object_set", Value, Value, Value)
        self.number = value("jv_number", c_double)
        self.number_value = function("jv_number_value", c_double, Value)
        self.copy = value("jv_copy", Value)
        self.free = function("jv_free", None, Value)
        self._dump = value("jv_dump_string", Value, c_int)
        self._parse = value("jv_parse_sized", c_char_p, c_int)
        self._string_sized = value("jv_string_sized", c_char_p, c_int)
        self._string_value = function("jv_string_value", c_void_p, Value)
        self._string_length = function("jv_string_length_bytes", c_int, Value)
        self._has_message = function("jv_invalid_has_msg", c_int, Value)
        self.message_of = value("jv_invalid_get_msg", Value)

    # ------------------------------------------------------------------ values

    def string(self, data: bytes) -> Value:
        """Return a string value; bytes that are not UTF-8 become U+FFFD."""
        return self._string_sized(data, len(data))

    def text(self, value: Value) -> bytes:
        """Return the bytes of a string value."""
        length = self._string_length(self.copy(value))
        data = string_at(self._string_value(value), length)
        self.free(value)
        return data

    def dump(self, value: Value, flags: int = 0) -> bytes:
        """Return a value as JSON text."""
        return self.text(self._dump(value, flags))

    def parse(self, data: bytes) -> Value:
        """Return the one value of a JSON text; INVALID, with a message, for any other text."""
        return self._parse(data, len(data))

    def has_message(self, value: Value) -> bool:
        """Return True if an INVALID value has a message; ``value`` is not freed."""
        return bool(self._has_message(self.copy(value)))

    # ------------------------------------------------------------------ programs and inputs

    def init(self) -> int:
        """Return a new program. Without memory it ends the process with OUT_OF_MEMORY.

        libjq calls _exit(status) itself then. By default it aborts, as it does when it crashes.
        """
        program: int = self._init()
        self._set_nomem(program, self._exit, OUT_OF_MEMORY)
        return program

    def read(self, program: int, name: bytes, text: bytes, *, library: bool) -> int:
        """Parse a program or a module without what it imports; return the count of errors in its grammar."""
        locations = self._locations(program, name, text, len(text))
        block = Block()
        parse = self._parse_library if library else self._parse_program
        errors = int(parse(locations, byref(block)))
        if not errors:
            self._forget_block(block)
        self._forget_locations(locations)
        return errors

    def listen(self, program: int, error: Any, debug: Any, stderr: Any) -> None:
        """Register three callbacks (``Message``) for the messages of a program, which they must outlive."""
        self._set_error(program, error, None)
        self._set_debug(program, debug, None)
        self._set_stderr(program, stderr, None)

    def inputs(self, parser: int, *, slurp: bool) -> int:
        """Return inputs that a parser reads; they own the parser from now on."""
        inputs: int = self._inputs_new(None, None)
        self._inputs_set_parser(inputs, parser, slurp)
        return inputs

    def set_inputs(self, program: int, inputs: int) -> None:
        """Make ``input`` of a program read from ``inputs``."""
        self._set_input(program, self._next_input, inputs)

    def free_inputs(self, inputs: int) -> None:
        """Free inputs and their parser."""
        self._inputs_free(byref(c_void_p(inputs)))

    def free_program(self, program: int) -> None:
        """Free a program with all that it holds."""
        self.teardown(byref(c_void_p(program)))
