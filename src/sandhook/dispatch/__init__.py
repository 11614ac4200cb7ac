"""Which program runs a file that a command names by its path.

Nothing here touches the host: a caller hands in what it sees of the machine (``Files``) and gets a
plan, which it carries out itself.
"""

from __future__ import annotations

from sandhook.dispatch.batch import UnsafeArgument, batch_arguments, windows_command_line
from sandhook.dispatch.model import Files, Interpreter, Plan, Program, Refused, Source
from sandhook.dispatch.plan import is_path, plan

__all__ = [
    "Files",
    "Interpreter",
    "Plan",
    "Program",
    "Refused",
    "Source",
    "UnsafeArgument",
    "batch_arguments",
    "is_path",
    "plan",
    "windows_command_line",
]
