"""tr: translate, squeeze or delete bytes.

Source: POSIX.1-2024 XCU 3, tr. Oracle: GNU coreutils 9.1, which translates bytes, not characters.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.options import UsageError, opt, option_set
from sandhook.command.utility import WRITE_ERROR_TWICE
from sandhook.utilities.lines.tr.sets import Set, parse_set

READ_ERROR = "read error: {}"

WRITE_ERROR = WRITE_ERROR_TWICE

PERMUTE = False
_ALL = bytes(range(256))


@option_set
class Options:
    """tr [OPTION]... STRING1 [STRING2]

    Copy standard input, with bytes of STRING1 replaced by those of STRING2, squeezed or deleted.
    """

    complement: bool = opt("-c", "-C", "--complement", help="use all bytes that are not in STRING1")
    delete: bool = opt("-d", "--delete", help="delete bytes in STRING1")
    squeeze: bool = opt("-s", "--squeeze-repeats", help="write repeated bytes of the last STRING once")
    truncate: bool = opt("-t", "--truncate-set1", help="first truncate STRING1 to the length of STRING2")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0."""
    check_operands(options, operands)
    first = parse_set(operands[0].encode("utf-8", "surrogateescape"), ctx)
    second = parse_set(operands[1].encode("utf-8", "surrogateescape"), ctx) if len(operands) > 1 else None
    if first.fills:
        raise UsageError("the [c*] repeat construct may not appear in string1", hint=False)
    if second is not None and second.fills and options.delete:
        raise UsageError("the [c*] construct may appear in string2 only when translating", hint=False)
    members = first.members()
    if options.complement:
        members = bytes(byte for byte in _ALL if byte not in frozenset(members))
    table: bytes | None = None
    deleted = members if options.delete else b""
    squeezed = b""
    if second is not None and not options.delete:
        table = translation(options, first, members, second)
    if options.squeeze:
        squeezed = members if second is None else second.members(len(members))
    copy(table, deleted, squeezed, ctx)
    return 0


def check_operands(options: Options, operands: Sequence[str]) -> None:
    """Raise UsageError unless the number of strings is right."""
    if not operands:
        raise UsageError("missing operand")
    needs_two = options.delete == options.squeeze
    if len(operands) < 2 and needs_two:
        situation = "when both deleting and squeezing repeats" if options.delete else "when translating"
        raise UsageError(
            f"missing operand after {_quote(operands[0])}\nTwo strings must be given {situation}."
        )
    maximum = 1 if options.delete and not options.squeeze else 2
    if len(operands) > maximum:
        explanation = "\nOnly one string may be given when deleting without squeezing repeats."
        raise UsageError(
            f"extra operand {_quote(operands[maximum])}{explanation if maximum == 1 and len(operands) == 2 else ''}"
        )


def _quote(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("\n", "\\n").replace("'", "\\'") + "'"


def translation(options: Options, first: Set, members: bytes, second: Set) -> bytes:
    """Return the table that maps STRING1 to STRING2."""
    if second.equivalences:
        raise UsageError("[=c=] expressions may not appear in string2 when translating", hint=False)
    if second.other_classes:
        raise UsageError(
            "when translating, the only character classes that may appear in\nstring2 are 'upper' and 'lower'",
            hint=False,
        )
    if second.fills > 1:
        raise UsageError("only one [c*] repeat construct may appear in string2", hint=False)
    target = second.members(len(members))
    size = len(members)
    if not options.complement:
        for offset in second.case_classes:
            if offset not in first.case_classes:
                raise UsageError("misaligned [:upper:] and/or [:lower:] construct", hint=False)
    if options.truncate:
        members = members[: len(target)]
    elif not target:
        if members:
            raise UsageError("when not truncating set1, string2 must be non-empty", hint=False)
    elif len(target) < len(members):
        if second.ends_in_class:
            raise UsageError(
                "when translating with string1 longer than string2,\n"
                "the latter string must not end with a character class",
                hint=False,
            )
        target += target[-1:] * (len(members) - len(target))
    if (
        options.complement
        and (first.case_classes or first.other_classes)
        and (len(set(target)) > 1 or len(target) < size)
    ):
        raise UsageError(
            "when translating with complemented character classes,\n"
            "string2 must map all characters in the domain to one",
            hint=False,
        )
    table = bytearray(_ALL)
    for source, byte in zip(members, target):
        table[source] = byte
    return bytes(table)


def copy(table: bytes | None, deleted: bytes, squeezed: bytes, ctx: Context) -> None:
    """Copy standard input after translation, deletion and squeezing."""
    runs = (
        re.compile(b"([%b])\\1+" % re.escape(bytes(sorted(set(squeezed)))), re.DOTALL) if squeezed else None
    )
    members = frozenset(squeezed)
    last = b""
    with ctx.stdin_reader() as reader:
        for data in reader.chunks():
            if table is not None or deleted:
                data = data.translate(table, deleted)
            if runs is not None and data:
                if last and last[0] in members:
                    data = data.lstrip(last)
                data = runs.sub(rb"\1", data)
                last = data[-1:] or last
            ctx.write(data)
