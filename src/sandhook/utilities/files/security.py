"""The options about security contexts (-Z, --context): files have none, as on a system without SELinux."""

from __future__ import annotations

from typing import Any

from sandhook.command.context import Context
from sandhook.command.options import also, opt


def context_option() -> Any:
    """Declare -Z and --context[=CONTEXT]: None is absent, "" without a CONTEXT."""
    return also(
        opt("-Z", help="the default security context: taken, and without effect", const="", default=None),
        opt(
            "--context",
            "CONTEXT",
            "a security context: there are no contexts, and a warning is printed",
            optional=True,
            const="",
        ),
    )


def warn_of_context(ctx: Context, context: str | None, systems: str = "SELinux/SMACK") -> None:
    """Warn that a CONTEXT is not looked at; the bare option is without effect, as GNU's.

    Args:
        systems: What would know of contexts, in the words of the utility.
    """
    if context:
        ctx.error(f"warning: ignoring --context; it requires an {systems}-enabled kernel")
