"""The utilities: one visible dict of names to modules, loaded when first used.

``UTILITIES`` maps the name of a utility to the module or package below this package that implements it. A module that
implements several programs (``[``, ``egrep``) distinguishes them by ``ctx.program``. Installed packages add utilities
through the entry-point group ``sandhook.utilities``, as do the rarely used ones of ``utilities.extras``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module

from sandhook.typed import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from sandhook.command.context import Context
    from sandhook.command.utility import Declaration

#: Names of entry points of this group are utilities, too; their values name modules or ``@utility`` objects.
GROUP = "sandhook.utilities"

UTILITIES: dict[str, str] = {
    # archive
    "bunzip2": "archive.gzip",
    "bzcat": "archive.gzip",
    "bzip2": "archive.gzip",
    "gunzip": "archive.gzip",
    "gzip": "archive.gzip",
    "lzcat": "archive.gzip",
    "lzma": "archive.gzip",
    "tar": "archive.tar",
    "uncompress": "archive.gzip",
    "unlzma": "archive.gzip",
    "unxz": "archive.gzip",
    "unzip": "archive.zip.unzip",
    "xz": "archive.gzip",
    "xzcat": "archive.gzip",
    "zcat": "archive.gzip",
    "zip": "archive.zip.zip",
    "zipinfo": "archive.zip.zipinfo",
    # compare
    "bzcmp": "compare.zdiff",
    "bzdiff": "compare.zdiff",
    "cmp": "compare.cmp",
    "diff": "compare.diff",
    "patch": "compare.patch",
    "xzcmp": "compare.zdiff",
    "xzdiff": "compare.zdiff",
    "zcmp": "compare.zdiff",
    "zdiff": "compare.zdiff",
    # data
    "csv": "data.csv",
    "jq": "data.jq",
    "sqlite3": "data.sqlite3",
    "tomlq": "data.yq",
    "yq": "data.yq",
    # encoding
    "b2sum": "encoding.checksum",
    "base32": "encoding.basenc",
    "base64": "encoding.base64",
    "basenc": "encoding.basenc",
    "cksum": "encoding.cksum",
    "crc32": "encoding.crc32",
    "hd": "encoding.hexdump",
    "hexdump": "encoding.hexdump",
    "md5sum": "encoding.checksum",
    "od": "encoding.od",
    "openssl": "encoding.openssl",
    "sha1sum": "encoding.checksum",
    "sha224sum": "encoding.checksum",
    "sha256sum": "encoding.checksum",
    "sha384sum": "encoding.checksum",
    "sha512sum": "encoding.checksum",
    "sum": "encoding.sum",
    "xxd": "encoding.xxd",
    # files
    "chgrp": "files.chown",
    "chmod": "files.chmod",
    "chown": "files.chown",
    "cp": "files.cp",
    "dd": "files.dd",
    "install": "files.install",
    "link": "files.link",
    "ln": "files.ln",
    "mkdir": "files.mkdir",
    "mkfifo": "files.mkfifo",
    "mknod": "files.mknod",
    "mktemp": "files.mktemp",
    "mountpoint": "files.mountpoint",
    "mv": "files.mv",
    "rename": "files.rename",
    "rename.ul": "files.rename",
    "rm": "files.rm",
    "rmdir": "files.rmdir",
    "sync": "files.sync",
    "touch": "files.touch",
    "truncate": "files.truncate",
    "unlink": "files.unlink",
    # git
    "git": "git.main",
    # languages
    "awk": "languages.awk",
    "expr": "languages.expr",
    "gawk": "languages.awk",
    "mawk": "languages.awk",
    "nawk": "languages.awk",
    "sed": "languages.sed",
    # lines
    "cat": "lines.cat",
    "col": "lines.col",
    "colrm": "lines.colrm",
    "column": "lines.column",
    "comm": "lines.comm",
    "cut": "lines.cut",
    "expand": "lines.expand",
    "fmt": "lines.fmt",
    "fold": "lines.fold",
    "head": "lines.head",
    "iconv": "lines.iconv",
    "join": "lines.join",
    "less": "lines.less",
    "more": "lines.more",
    "nl": "lines.nl",
    "paste": "lines.paste",
    "rev": "lines.rev",
    "seq": "lines.seq",
    "shuf": "lines.shuf",
    "sort": "lines.sort",
    "split": "lines.split",
    "sponge": "lines.sponge",
    "strings": "lines.strings",
    "tac": "lines.tac",
    "tail": "lines.tail",
    "tee": "lines.tee",
    "tr": "lines.tr",
    "ts": "lines.ts",
    "tsort": "lines.tsort",
    "ul": "lines.ul",
    "unexpand": "lines.unexpand",
    "uniq": "lines.uniq",
    "wc": "lines.wc",
    # listing
    "basename": "listing.basename",
    "df": "listing.df",
    "dir": "listing.dir",
    "dircolors": "listing.dircolors",
    "dirname": "listing.dirname",
    "du": "listing.du",
    "file": "listing.file",
    "find": "listing.find",
    "ls": "listing.ls",
    "pathchk": "listing.pathchk",
    "readlink": "listing.readlink",
    "realpath": "listing.realpath",
    "stat": "listing.stat",
    "tree": "listing.tree",
    "vdir": "listing.dir",
    "namei": "listing.namei",
    "whereis": "listing.whereis",
    "which": "listing.which",
    # network
    "curl": "network.curl",
    "wget": "network.wget",
    # processes
    "chronic": "processes.chronic",
    "env": "processes.env",
    "flock": "processes.flock",
    "ifne": "processes.ifne",
    "kill": "processes.kill",
    "killall": "processes.killall",
    "nice": "processes.nice",
    "nohup": "processes.nohup",
    "pgrep": "processes.pgrep",
    "pidof": "processes.pidof",
    "pkill": "processes.pgrep",
    "ps": "processes.ps",
    "run-parts": "processes.run_parts",
    "setsid": "processes.setsid",
    "sleep": "processes.sleep",
    "stdbuf": "processes.stdbuf",
    "time": "processes.time",
    "timeout": "processes.timeout",
    "usleep": "processes.usleep",
    "watch": "processes.watch",
    "xargs": "processes.xargs",
    # search
    "bzegrep": "search.zgrep",
    "bzfgrep": "search.zgrep",
    "bzgrep": "search.zgrep",
    "egrep": "search.grep",
    "fgrep": "search.grep",
    "rgrep": "search.grep",
    "grep": "search.grep",
    "rg": "search.rg",
    "xzegrep": "search.zgrep",
    "xzfgrep": "search.zgrep",
    "xzgrep": "search.zgrep",
    "zegrep": "search.zgrep",
    "zfgrep": "search.zgrep",
    "zgrep": "search.zgrep",
    # system
    "[": "system.test",
    "arch": "system.arch",
    "busybox": "system.busybox",
    "clear": "system.clear",
    "date": "system.date",
    "echo": "system.echo",
    "envsubst": "system.envsubst",
    "false": "system.false",
    "free": "system.free",
    "getconf": "system.getconf",
    "getent": "system.getent",
    "getopt": "system.getopt",
    "groups": "system.groups",
    "hostid": "system.hostid",
    "hostname": "system.hostname",
    "id": "system.id",
    "locale": "system.locale",
    "logger": "system.logger",
    "lsb_release": "system.lsb_release",
    "logname": "system.logname",
    "man": "system.man",
    "nproc": "system.nproc",
    "printenv": "system.printenv",
    "printf": "system.printf",
    "pwd": "system.pwd",
    "reset": "system.reset",
    "stty": "system.stty",
    "test": "system.test",
    "toybox": "system.busybox",
    "tput": "system.tput",
    "true": "system.true",
    "tty": "system.tty",
    "uname": "system.uname",
    "uptime": "system.uptime",
    "users": "system.users",
    "uuidgen": "system.uuidgen",
    "who": "system.who",
    "whoami": "system.whoami",
    "yes": "system.yes",
}


class Unusable:
    """An installed utility that cannot be used: calling it reports the reason, with status 126."""

    RAW = True

    def __init__(self, reason: str) -> None:
        self.reason = reason

    def run(self, options: None, operands: Sequence[str], ctx: Context) -> int:
        """Raise Failure."""
        from sandhook.command.context import Failure

        raise Failure(self.reason, 126)


@cache
def installed() -> Mapping[str, tuple[EntryPoint, ...]]:
    """Return the entry points of GROUP by name, without those of UTILITIES: no package can replace grep.

    Reading them costs some 30 ms, so nothing calls this before a name that is not in UTILITIES is looked up.
    """
    from importlib.metadata import entry_points

    points: dict[str, tuple[EntryPoint, ...]] = {}
    for point in entry_points(group=GROUP):
        if point.name not in UTILITIES:
            points[point.name] = (*points.get(point.name, ()), point)
    return points


def is_utility(name: str) -> bool:
    """Return True for the name of a utility, including those of installed packages."""
    return name in UTILITIES or name in installed()


def names() -> frozenset[str]:
    """Return the names of all utilities, including those of installed packages."""
    return frozenset((*UTILITIES, *installed()))


def load(name: str) -> Declaration:
    """Return the module of a utility, or the ``@utility`` object that an installed package offers.

    Return an Unusable if two packages offer the name, or if the module cannot be imported or is no utility.

    Raises:
        KeyError: There is no utility of that name.
    """
    if name in UTILITIES:
        return cast("Declaration", import_module(f"{__name__}.{UTILITIES[name]}"))
    points = installed()[name]
    values = sorted({point.value for point in points})
    if len(values) > 1:
        return Unusable(f"offered by more than one installed package: {', '.join(values)}")
    from sandhook.command.foreign import ForeignUtility, fault_of, is_foreign

    try:
        declaration = points[0].load()
    except Exception as error:  # the package's code, which may raise anything
        return Unusable(f"{values[0]} cannot be loaded: {type(error).__name__}: {error}")
    if not is_foreign(declaration):
        return cast("Declaration", declaration)
    fault = fault_of(declaration)
    return ForeignUtility(declaration) if fault is None else Unusable(f"{values[0]} is no utility: {fault}")


__all__ = ["GROUP", "UTILITIES", "Unusable", "installed", "is_utility", "load", "names"]
