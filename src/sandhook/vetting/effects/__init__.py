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
    if call.name in _ENDING or (call.name in ("od", "hexdump", "xxd") and call.has("-N", "-n", "-l")):
        return Value(output.texts, frozenset(each for each in output.origins if each.name != "endless"))
    if "endless" in (
        *call.stdin.names("mixed"),
        *(n for word in call.words for n in word.names("mixed")),
    ) and (call.name in _READS_ALL or call.name in ("tee", "dd")):
        call.find("V-EXHAUST")
    if call.name in _READS_ALL and "endless" in output.names("mixed"):
        call.find("V-EXHAUST")
    return output


#: Programs that stop before their input ends, and those that read all of it before they print.
_ENDING = frozenset({"head", "read", "dd", "timeout", "fold"})
_READS_ALL = frozenset(
    "sort tail tac wc gzip bzip2 xz zstd md5sum sha1sum sha256sum sha512sum b2sum cksum openssl shasum base64 cat".split()
)
