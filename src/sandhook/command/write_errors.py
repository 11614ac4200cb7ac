"""What a utility prints when its standard output cannot be written.

``WRITE_ERROR`` of a declaration is a template, or a dictionary of templates by case: the name of an error ("EPIPE"),
"large" for more output than the C library keeps, and "" for the rest. In a template, "{}" is the reason, "{name}" the
name of the program, with which the message begins unless the template is ``Whole``, and "{items}" what ``sed`` could not write. An empty
template means that the program ignores the error.
"""

from __future__ import annotations

import errno
from collections.abc import Mapping

from sandhook.command.context import Context, WriteError
from sandhook.command.utility import Whole

#: Bytes that the C library collects before it writes. A program notices the error while it writes more than these,
#: and otherwise when it ends.
C_BUFFER = 4096


def check_output(ctx: Context) -> None:
    """Flush the output; for programs that find a closed output without writing. Raises WriteError, BrokenPipe."""
    ctx.flush()
    try:
        ctx.process.descriptor(1)
    except OSError as error:
        raise WriteError(error, b"") from None


def message(templates: str | Mapping[str, str], error: WriteError, name: str) -> str:
    """Return the message, with name and newline; "" when the program ignores the error."""
    text = templates if isinstance(templates, str) else _choose(templates, error)
    if not text:
        return ""
    shown = text.replace("{items}", _items(error.data)) if "{items}" in text else text
    shown = shown.replace("{name}", name).replace("{}", error.reason)
    return f"{shown}\n" if isinstance(text, Whole) else f"{name}: {shown}\n"


def _choose(templates: Mapping[str, str], error: WriteError) -> str:
    if len(error.data) > C_BUFFER and "large" in templates:
        return templates["large"]
    return templates.get(errno.errorcode.get(error.code, ""), templates[""])


def _items(data: bytes) -> str:
    """Return the size of the call of fwrite that fills the buffer: of a line, or of its newline."""
    start = data.rfind(b"\n", 0, C_BUFFER) + 1
    end = data.find(b"\n", start)
    size = 1 if end == C_BUFFER else (len(data) if end < 0 else end) - start
    return "1 item" if size == 1 else f"{size} items"
