"""git version: print the version that the utility follows."""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.utilities.git.program import Invocation, version


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Return 0."""
    call.ctx.write_line(f"git version {version()}")
    return 0
