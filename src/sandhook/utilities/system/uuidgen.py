"""uuidgen: print a new UUID, or the UUID of a name.

Oracle: util-linux 2.38. Random bytes come from the operating system; UUIDs of the time (-t) have a random node.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import md5, sha1

from sandhook.command.context import Context, Failure
from sandhook.command.options import VERSION, also, opt, option_set
from sandhook.text.uuids import uuid_text

#: The digit in which the namespaces of RFC 9562 differ.
_NAMESPACES = {"dns": 0, "url": 1, "oid": 2, "x500": 4}
_TICKS = 0x01B21DD213814000  #: from 1582-10-15 to 1970-01-01, in units of 100 ns


@option_set
class Options:
    """uuidgen [-r | -t] | uuidgen -n NAMESPACE -N NAME (-m | -s)

    Print a UUID that is random, or based on the time, or on the MD5 or SHA-1 digest of a name.
    """

    kind: str = also(
        opt("-r", "--random", help="a random UUID (default)", const="random", default="random"),
        opt("-t", "--time", help="a UUID of the time", const="time"),
        opt("-m", "--md5", help="the UUID of NAME, by MD5", const="md5"),
        opt("-s", "--sha1", help="the UUID of NAME, by SHA-1", const="sha1"),
    )
    namespace: str | None = opt("-n", "--namespace", "NS", "@dns, @url, @oid, @x500 or a UUID")
    name: str | None = opt("-N", "--name", "NAME", "the name")
    hexadecimal: bool = opt("-x", "--hex", help="NAME is in hexadecimal")
    version: bool = opt("-V", help="show the version", const=VERSION)


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 for incompatible or missing options."""
    if options.kind in ("md5", "sha1"):
        ctx.write_line(_name_uuid(options))
        return 0
    if options.namespace is not None or options.name is not None:
        raise Failure("--namespace and --name need --md5 or --sha1")
    with ctx.open("/dev/urandom") as reader:
        data = reader.read(16)
    if options.kind == "time":
        ticks = int(ctx.now() * 10_000_000) + _TICKS
        time = (ticks & 0xFFFFFFFF).to_bytes(4, "big") + (ticks >> 32 & 0xFFFF).to_bytes(2, "big")
        data = (
            time + (ticks >> 48 & 0x0FFF).to_bytes(2, "big") + data[8:10] + bytes([data[10] | 1]) + data[11:]
        )
        ctx.write_line(uuid_text(data, 1))
    else:
        ctx.write_line(uuid_text(data, 4))
    return 0


def _name_uuid(options: Options) -> str:
    if options.namespace is None or options.name is None:
        raise Failure(f"--{options.kind} requires --namespace and --name argument")
    name = options.name.encode("utf-8", "surrogateescape")
    if options.hexadecimal:
        try:
            name = bytes.fromhex(options.name)
        except ValueError:
            raise Failure("not a valid hex string") from None
    data = _namespace(options.namespace) + name
    if options.kind == "md5":
        return uuid_text(md5(data, usedforsecurity=False).digest(), 3)
    return uuid_text(sha1(data, usedforsecurity=False).digest()[:16], 5)


def _namespace(text: str) -> bytes:
    if text[:1] == "@":
        number = _NAMESPACES.get(text[1:])
        if number is None:
            raise Failure(f"unknown namespace alias: '{text}'")
        return bytes.fromhex(f"6ba7b81{number}9dad11d180b400c04fd430c8")
    digits = text.replace("-", "")
    if len(text) != 36 or len(digits) != 32 or any(text[place] != "-" for place in (8, 13, 18, 23)):
        raise Failure(f"invalid uuid for namespace: '{text}'")
    try:
        return bytes.fromhex(digits)
    except ValueError:
        raise Failure(f"invalid uuid for namespace: '{text}'") from None
