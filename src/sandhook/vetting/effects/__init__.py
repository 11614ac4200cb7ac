"""What commands do: a table from the name of a program to the function that reports its effects.

A function returns the output of its command, or None where the rule for all commands computes it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sandhook.vetting.call import Call
from sandhook.vetting.effects import files, network, other, programs, shell, system
from sandhook.vetting.effects.network import rsync_to
from sandhook.vetting.values import Value

EFFECTS: Mapping[str, Callable[[Call], Value | None]] = {
    **other.EFFECTS,
    **files.EFFECTS,
    **programs.EFFECTS,
    **network.EFFECTS,
    **system.EFFECTS,
    **shell.EFFECTS,
}


def finish(call: Call, output: Value) -> Value:
    """Report what concerns any command once its output is known, and return the output."""
    if call.name == "rsync":
        rsync_to(call)
    other.report(call)
    if call.stdin.names("mixed") == ["endless"] and call.name in ("tee", "dd", "cat"):
        call.find("V-EXHAUST")
    return output
