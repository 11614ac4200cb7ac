"""rg --json: messages for the begin of a file, its matches and context, and its end.

Source: ripgrep 13.0; all times are zero.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from sandhook.command.context import Context
from sandhook.utilities.search.rg.print import Block

if TYPE_CHECKING:
    from sandhook.utilities.search.rg.options import Options

_NO_TIME = {"secs": 0, "nanos": 0, "human": "0.000000s"}


def _text(data: bytes) -> dict[str, str]:
    try:
        return {"text": data.decode()}
    except UnicodeDecodeError:
        return {"bytes": b64encode(data).decode()}


class Messages:
    """Writes the messages of all files, and adds up their statistics."""

    def __init__(self, options: Options, ctx: Context) -> None:
        self._options = options
        self._ctx = ctx
        self._before, self._after = options.context
        self._total = dict.fromkeys(
            (
                "searches",
                "searches_with_match",
                "bytes_searched",
                "bytes_printed",
                "matched_lines",
                "matches",
            ),
            0,
        )
        self._bytes_printed = 0
        self._line_mark = (0, 1)

    def _print(self, kind: str, data: dict[str, Any]) -> None:
        line = (
            json.dumps({"type": kind, "data": data}, ensure_ascii=False, separators=(",", ":")).encode()
            + b"\n"
        )
        self._bytes_printed += len(line)
        self._ctx.write(line)

    def file(self, name: str, data: bytes, blocks: Iterable[Block], zero: int) -> bool:
        """Write the messages of one file; return True when it matches."""
        ctx = self._ctx
        self._bytes_printed, self._line_mark = 0, (0, 1)
        path = _text(name.encode("utf-8", "surrogateescape"))
        printed_end, pending, lines, matches = 0, 0, 0, 0
        for block in blocks:
            if self._options.most is not None and lines >= self._options.most:
                break
            ctx.charge()
            if not lines:
                self._print("begin", {"path": path})
            lines += 1
            matches += len(block.spans)
            printed_end = self._context(path, data, printed_end, block.begin, pending)
            start = block.begin
            for _ in range(self._before):
                if start <= printed_end:
                    break
                start = data.rfind(b"\n", printed_end, start - 1) + 1 or printed_end
            self._context(path, data, start, block.begin, 1 << 60)
            self._print("match", self._lines(path, data, block))
            printed_end, pending = block.end, self._after
        if lines:
            self._context(path, data, printed_end, len(data), pending)
        stats: dict[str, Any] = {
            "elapsed": _NO_TIME, "searches": 1, "searches_with_match": int(lines > 0), "bytes_searched": len(data),
            "bytes_printed": self._bytes_printed, "matched_lines": lines, "matches": matches,
        }  # fmt: skip
        if lines:
            for key in self._total:
                self._total[key] += stats[key]
            self._print("end", {"path": path, "binary_offset": zero if zero >= 0 else None, "stats": stats})
        return lines > 0

    def _number(self, data: bytes, at: int) -> int:
        offset, number = self._line_mark
        number += data.count(b"\n", offset, at)
        self._line_mark = (at, number)
        return number

    def _context(self, path: dict[str, str], data: bytes, at: int, stop: int, lines: int) -> int:
        while lines and at < stop:
            self._ctx.charge()
            end = data.find(b"\n", at) + 1 or len(data)
            self._print("context", self._lines(path, data, Block(at, end, [])))
            at = end
            lines -= 1
        return at

    def _lines(self, path: dict[str, str], data: bytes, block: Block) -> dict[str, Any]:
        return {
            "path": path,
            "lines": _text(data[block.begin : block.end]),
            "line_number": self._number(data, block.begin),
            "absolute_offset": block.begin,
            "submatches": [
                {"match": _text(data[a:b]), "start": a - block.begin, "end": b - block.begin}
                for (a, b), *_ in block.spans
            ],
        }

    def summary(self) -> None:
        """Write the totals of all files."""
        stats = dict(sorted({**self._total, "elapsed": dict(sorted(_NO_TIME.items()))}.items()))
        data = {"elapsed_total": dict(sorted(_NO_TIME.items())), "stats": stats}
        line = json.dumps({"data": data, "type": "summary"}, separators=(",", ":"))
        self._ctx.write_line(line)
