"""The options of cpio."""

from __future__ import annotations

from sandhook.command.context import Failure
from sandhook.command.options import also, opt, option_set
from sandhook.utilities.extras.cpio import format as format_

HINT = "Try 'cpio --help' or 'cpio --usage' for more information."


def _format(text: str) -> str:
    kind = text.lower()
    if kind in ("ustar", "tar"):
        raise Failure(f"the archive format '{text}' is not offered here: tar has it")
    if kind not in format_.FORMATS:
        raise Failure(
            f"invalid archive format `{text}'; valid formats are:\ncrc newc odc bin (all-caps also recognized)\n{HINT}"
        )
    return kind


@option_set
class Options:
    """cpio -o [OPTION]... < NAMES > ARCHIVE | cpio -i [OPTION]... [PATTERN]... < ARCHIVE | cpio -p [OPTION]... DIRECTORY < NAMES

    Store the files whose names are on standard input in an archive, extract files from one, or copy them to DIRECTORY.
    """

    modes: tuple[str, ...] = also(
        opt("-o", "--create", help="create an archive", const="o", append=True),
        opt("-i", "--extract", help="extract files", const="i", append=True),
        opt("-p", "--pass-through", help="copy files", const="p", append=True),
    )
    list_: bool = opt("-t", "--list", help="list the members of the archive")
    kind: str = also(
        opt(
            "-H", "--format", "FORMAT", "newc, crc, odc or bin (the default)", convert=_format, default="bin"
        ),
        opt("-c", help="like -H odc", const="odc"),
    )
    archive: str | None = also(
        opt("-F", "--file", "ARCHIVE", "the archive, instead of a standard stream"),
        opt("-I", "ARCHIVE", "the archive to read"),
        opt("-O", "ARCHIVE", "the archive to write"),
    )
    zero: bool = opt("-0", "--null", help="names end with NUL")
    directory: str | None = opt("-D", "--directory", "DIRECTORY", "change to DIRECTORY")
    directories: bool = opt("-d", "--make-directories", help="create missing directories")
    pattern_files: tuple[str, ...] = opt("-E", "--pattern-file", "FILE", "patterns from FILE", append=True)
    inverse: bool = opt("-f", "--nonmatching", help="select files that match no pattern")
    follow: bool = opt("-L", "--dereference", help="copy the targets of links")
    link: bool = opt("-l", "--link", help="-p: link files instead of copying them")
    keep_time: bool = opt("-m", "--preserve-modification-time", help="keep the files' times")
    numeric: bool = opt("-n", "--numeric-uid-gid", help="numbers for owners and groups")
    quiet: bool = opt("--quiet", help="do not print the number of blocks")
    relative: bool = also(
        opt("--no-absolute-filenames", help="remove leading slashes from names (always, when extracting)"),
        opt("--absolute-filenames", help="accepted, without effect", const=False),
    )
    to_stdout: bool = opt("--to-stdout", help="-i: print the files")
    replace: bool = opt("-u", "--unconditional", help="replace newer files, too")
    verbose: bool = opt("-v", "--verbose", help="list names; with -t in full")
    dots: bool = opt("-V", "--dot", help="a dot for each file")
    block: str | None = also(
        opt("-C", "--io-size", "NUMBER", ignored="blocks have 512 bytes"),
        opt("-B", const="5120", ignored="blocks have 512 bytes"),
        opt("--block-size", "NUMBER", ignored="blocks have 512 bytes"),
    )
    reset: bool = opt("-a", "--reset-access-time", ignored="times of access do not change")
    owner: bool = opt("--no-preserve-owner", ignored="there is one user")
    reproducible: bool = opt(
        "--reproducible", "--ignore-devno", "--renumber-inodes", help="count files from 1, device 0"
    )
