"""The helper programs of the public format: as utilities for sandhook, and as files for real shells.

    argv.py ARG...                          the arguments as a Python 2 list of byte strings
    printenv.py NAME...                     the value of each variable, or None, a line each
    stdout_stderr.py [OUT [ERR [STATUS]]]   a line on standard output, one on standard error; an exit status
    read_from_fd.py FD...                   the input of each descriptor, at most 1024 bytes

Both forms write the same bytes; a test compares them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.options import UsageError


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def argv(options: object, operands: Sequence[str], ctx: Context) -> int:
    """Print the operands as Python 2 prints a list of byte strings."""
    ctx.write_line(f"[{', '.join(repr(_bytes(operand))[1:] for operand in operands)}]")
    return 0


def printenv(options: object, operands: Sequence[str], ctx: Context) -> int:
    """Print the value of each variable, None if it is not set."""
    for name in operands:
        ctx.write_line(ctx.environment.get(name, "None"))
    return 0


def stdout_stderr(options: object, operands: Sequence[str], ctx: Context) -> int:
    """Print a line on each stream and return the requested status."""
    out, err, status = (*operands[:3], *("STDOUT", "STDERR", "0")[len(operands) :])
    if not (status.isascii() and status.isdigit()):
        raise UsageError(f"{status}: not a number", hint=False)
    ctx.write_line(out)
    ctx.flush()
    ctx.process.descriptor(2).write(_bytes(err) + b"\n")
    return int(status[-9:]) & 255


def read_from_fd(options: object, operands: Sequence[str], ctx: Context) -> int:
    """Print the input of each descriptor."""
    for operand in operands:
        if not (operand.isascii() and operand.isdigit()):
            raise UsageError(f"{operand}: not a number", hint=False)
        try:
            data = ctx.process.descriptor(int(operand[-9:])).read(1024)
        except OSError as error:
            raise Failure(f"fd {operand}: {error.strerror}") from None
        ctx.charge(1 + (len(data) >> 10))
        ctx.write(_bytes(operand) + b": " + data)
    return 0


class Helper:
    """One helper as a utility, for ``Shell(utilities=...)``."""

    RAW = True

    def __init__(self, run: Callable[[object, Sequence[str], Context], int]) -> None:
        self.run = run


#: The helpers as utilities of sandhook.
UTILITIES = {
    "argv.py": Helper(argv),
    "printenv.py": Helper(printenv),
    "read_from_fd.py": Helper(read_from_fd),
    "stdout_stderr.py": Helper(stdout_stderr),
}

#: The helpers as Python programs, without their first line.
PROGRAMS = {
    "argv.py": """\
import os, sys
words = [repr(os.fsencode(word))[1:] for word in sys.argv[1:]]
sys.stdout.buffer.write(("[" + ", ".join(words) + "]\\n").encode())
""",
    "printenv.py": """\
import os, sys
for name in sys.argv[1:]:
    sys.stdout.buffer.write(os.environb.get(os.fsencode(name), b"None") + b"\\n")
""",
    "read_from_fd.py": """\
import os, sys
for word in sys.argv[1:]:
    if not (word.isascii() and word.isdigit()):
        sys.exit("read_from_fd.py: " + word + ": not a number")
    try:
        data = os.read(int(word), 1024)
    except OSError as error:
        sys.stdout.flush()
        sys.exit("read_from_fd.py: fd " + word + ": " + error.strerror)
    sys.stdout.buffer.write(word.encode() + b": " + data)
""",
    "stdout_stderr.py": """\
import os, sys
operands = sys.argv[1:4]
out, err, status = operands + ["STDOUT", "STDERR", "0"][len(operands):]
if not (status.isascii() and status.isdigit()):
    sys.exit("stdout_stderr.py: " + status + ": not a number")
sys.stdout.buffer.write(os.fsencode(out) + b"\\n")
sys.stdout.buffer.flush()
sys.stderr.buffer.write(os.fsencode(err) + b"\\n")
sys.stderr.buffer.flush()
sys.exit(int(status) & 255)
""",
}
