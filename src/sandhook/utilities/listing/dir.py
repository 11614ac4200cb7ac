"""dir, vdir: ls with columns, or with long lines, and with unprintable characters escaped.

Oracle: GNU coreutils 9.1. Divergence: L-LS-001, as for ls.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.utilities.listing import ls

USAGE_STATUS = 2
Options = ls.Options


def run(options: ls.Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0; 1 when something below an operand failed, 2 when an operand did."""
    layout = "long" if ctx.program == "vdir" else "columns"
    has_format = any(word[:5] != "sort " and word != "f" for word in options.order)
    order = options.order if has_format else (layout, *options.order)
    changes = {"order": order, "quoting": options.quoting or "escape"}
    return ls.run(Options(**{**options.__dict__, **changes}), operands, ctx)
