"""Programs that overwrite disks and files, or fill them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from sandhook.vetting.call import Call
from sandhook.vetting.effects.files import is_found
from sandhook.vetting.places import ENDLESS, is_precious
from sandhook.vetting.values import EMPTY, HOLE, Value, known

Effect = Callable[[Call], "Value | None"]


def _dd(call: Call) -> Value:
    values: dict[str, Value] = {}
    for word in call.words:
        name, _, text = word.any_text.partition("=")
        values[name] = Value((text,), word.origins)
    source = call.access(values["if"], "read") if "if" in values else call.stdin.origins
    if "of" in values:
        target = values["of"]
        if is_found(target):
            call.find("V-DESTROY", f"overwrites files that it looks for: {call.line}")
        call.writes(target, Value((HOLE,), source))
        size = _bytes(values.get("bs", known("512")).any_text) * _bytes(
            values.get("count", known("0")).any_text
        )
        if values.get("if", EMPTY).any_text in ENDLESS and ("count" not in values or size > _MUCH):
            call.find("V-EXHAUST")
    return Value((HOLE,), source)


def _chown(call: Call) -> Value:
    """chown of a whole tree: its owner cannot use it any more."""
    if call.has("-R", "--recursive") and any(is_precious(call.state.path(each)) for each in call.texts):
        call.find("V-DESTROY", call.line)
    return EMPTY


#: Bytes that fill a disk.
_MUCH = 8 << 30


def _bytes(text: str) -> int:
    """Return the number that a size such as ``10M`` stands for; 0 for another text."""
    match = re.fullmatch(r"(\d{1,18})([kKMGT]?)(?:i?B)?", text)
    return int(match[1]) << {"": 0, "k": 10, "K": 10, "M": 20, "G": 30, "T": 40}[match[2]] if match else 0


def _shred(call: Call) -> Value:
    for word in call.operands:
        call.access(word, "delete")
    call.find("V-DESTROY")
    return EMPTY


def _format(call: Call) -> Value:
    call.find("V-DESTROY")
    return EMPTY


def _allocate(call: Call) -> Value:
    size = " ".join(call.texts)
    if re.search(r"\d+[GgTt]|\d{10,}", size) or HOLE in (call.argument("-l", "--length") or EMPTY).any_text:
        call.find("V-EXHAUST")
    for word in call.operands[-1:]:
        call.writes(word)
    return EMPTY


EFFECTS: Mapping[str, Effect] = {
    "chown": _chown,
    "dd": _dd,
    "shred": _shred,
    **dict.fromkeys(
        (
            "mkfs",
            "mkfs.ext4",
            "mkfs.xfs",
            "mke2fs",
            "wipefs",
            "fdisk",
            "parted",
            "sgdisk",
            "blkdiscard",
            "cryptsetup",
        ),
        _format,
    ),
    "fallocate": _allocate,
    "mkfile": _allocate,
}
