"""getent: print entries of the files of accounts and of the network.

Source: getent(1). Oracle: getent of glibc 2.36. The databases are files below /etc; there is no name service.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from sandhook.command.accounts import account_lines
from sandhook.command.context import Context
from sandhook.command.options import also, opt, option_set
from sandhook.text.numbers import is_number
from sandhook.vfs.path import VirtualPath

ARGP = True
HINT_QUOTE = "`"
USAGE_STATUS = 64
_USAGE, _UNKNOWN, _NOT_FOUND, _NOT_LISTED = 1, 1, 2, 3

_HINT = "Try `getent --help' or `getent --usage' for more information."

_Entry = list[str]


@option_set
class Options:
    """getent [OPTION]... DATABASE [KEY]...

    Print the entries of a database whose names or numbers are the KEYs, without a KEY all of them: passwd, group, hosts,
    ahosts, services, protocols, networks and initgroups. Other databases are known and empty.
    """

    service: str | None = also(
        opt("-s", "CONFIG", help="accepted, without effect: the files are the only service", ignored=""),
        opt("--service", "CONFIG", help="accepted, without effect", ignored=""),
    )
    no_idn: bool = also(opt("-i", ignored="names are not encoded"), opt("--no-idn", ignored=""))


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0; 1 for an unknown database, 2 if a KEY was not found, 3 if a database cannot be listed."""
    if not operands:
        ctx.error("wrong number of arguments")
        ctx.write_line(_HINT)
        return _USAGE
    name, *keys = operands
    if name in _EMPTY:
        return _NOT_FOUND if keys else _NOT_LISTED if name in _UNLISTED else 0
    if name not in _DATABASES:
        ctx.write_error(f"Unknown database: {name}\n")
        ctx.write_line(_HINT)
        return _UNKNOWN
    find, show = _DATABASES[name]
    if name == "initgroups" and not keys:
        return _NOT_LISTED
    status = 0
    for key in keys or (None,):
        lines = [show(entry) for entry in find(ctx, key)]
        if key is not None and not lines:
            status = _NOT_FOUND
        for line in lines:
            ctx.write(f"{line}\n".encode("utf-8", "surrogateescape"))
    return status


def _entries(ctx: Context, path: str) -> Iterator[_Entry]:
    """Yield the words of the lines of a file, without comments; none if it cannot be read."""
    try:
        with ctx.open(VirtualPath(path)) as reader:
            text = reader.read_all().decode("utf-8", "surrogateescape")
    except OSError:
        return
    for line in text.split("\n"):
        ctx.charge()
        if words := line.partition("#")[0].split():
            yield words


def _accounts(path: str) -> Callable[[Context, str | None], Iterator[_Entry]]:
    def find(ctx: Context, key: str | None) -> Iterator[_Entry]:
        at = 2 if key is not None and is_number(key) else 0
        for fields in account_lines(ctx.fs, path):
            ctx.charge()
            if len(fields) > max(at, 1) and (key is None or fields[at] == key):
                yield fields
                if key is not None:
                    return

    return find


def _hosts(ctx: Context, key: str | None) -> Iterator[_Entry]:
    """Yield the hosts: by address, by name (IPv6 before IPv4), or all as IPv4."""
    entries = [fields for fields in _entries(ctx, "/etc/hosts") if len(fields) > 1]
    if key is None:
        yield from (
            ["127.0.0.1" if each[0] == "::1" else each[0], *each[1:]]
            for each in entries
            if ":" not in each[0] or each[0] == "::1"
        )
        return
    for wide in (True, False):
        same = [each for each in entries if (":" in each[0]) == wide and key in each]
        if key not in {each[0] for each in same}:
            yield from same
        elif same:
            yield same[0]
        if same:
            return


def _addresses(ctx: Context, key: str | None) -> Iterator[_Entry]:
    if key is None:
        yield from _hosts(ctx, None)
        return
    for fields in _entries(ctx, "/etc/hosts"):
        if key in fields:
            for kind in ("STREAM", "DGRAM", "RAW"):
                yield [fields[0], f"{kind:<6} {key if kind == 'STREAM' else ''}"]


def _numbered(path: str) -> Callable[[Context, str | None], Iterator[_Entry]]:
    """Return a search by name, alias or number, which may have a protocol (``80/tcp``)."""

    def find(ctx: Context, key: str | None) -> Iterator[_Entry]:
        for fields in _entries(ctx, path):
            if len(fields) < 2:
                continue
            name, number, *aliases = fields
            protocol = number.partition("/")[2]
            names = {name, number, number.partition("/")[0], *aliases}
            if key is None or key in names or key in {f"{each}/{protocol}" for each in names}:
                yield fields
                if key is not None:
                    return

    return find


def _initial_groups(ctx: Context, key: str | None) -> Iterator[_Entry]:
    numbers = [
        fields[2]
        for fields in account_lines(ctx.fs, "/etc/group")
        if len(fields) > 3 and key in fields[3].split(",")
    ]
    yield [key or "", *numbers]


def _columns(width: int) -> Callable[[_Entry], str]:
    return lambda fields: f"{fields[0]:<{width}}" + "".join(f" {field}" for field in fields[1:])


_Database = tuple[Callable[[Context, "str | None"], Iterator[_Entry]], Callable[[_Entry], str]]

_DATABASES: dict[str, _Database] = {
    "passwd": (_accounts("/etc/passwd"), ":".join),
    "group": (_accounts("/etc/group"), ":".join),
    "shadow": (_accounts("/etc/shadow"), ":".join),
    "gshadow": (_accounts("/etc/gshadow"), ":".join),
    "hosts": (_hosts, _columns(15)),
    "ahosts": (_addresses, _columns(15)),
    "initgroups": (_initial_groups, _columns(21)),
    "networks": (_numbered("/etc/networks"), _columns(21)),
    "protocols": (_numbered("/etc/protocols"), _columns(21)),
    "services": (_numbered("/etc/services"), _columns(21)),
}

#: Databases without files here.
_EMPTY = ("aliases", "ethers", "netgroup", "rpc")
_UNLISTED = ("netgroup",)
