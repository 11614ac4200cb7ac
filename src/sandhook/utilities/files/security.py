"""The options for security contexts (-Z, --context), which files do not have, as on a system without SELinux."""

from __future__ import annotations

from typing import Any

from sandhook.command.context import Context
from sandhook.command.options import also, opt


def context_option() -> Any:
    """Declare -Z and --context[=CONTEXT]; the value is None without either, "" without a CONTEXT."""
    return also(
        opt("-Z", help="the default security context: accepted, without effect", const="", default=None),
        opt(
            "--context",
            "CONTEXT",
            "a security context: prints a warning, because contexts are not supported",
            optional=True,
            const="",
        ),
    )


def warn_of_context(ctx: Context, context: str | None, systems: str = "SELinux/SMACK") -> None:
    """Warn that a CONTEXT is ignored; the option alone has no effect, as in GNU's.

    Args:
        systems: The systems that support contexts, in the words of the utility.
    """
    if context:
        ctx.error(f"warning: ignoring --context; it requires an {systems}-enabled kernel")
