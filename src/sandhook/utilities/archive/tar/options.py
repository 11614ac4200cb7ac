"""The options of tar, and their positions among the operands.

Source: GNU tar 1.34 manual, "GNU tar Operations".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from sandhook.command.backups import BY_ENVIRONMENT, parse_control
from sandhook.command.choices import one_of
from sandhook.command.context import Failure
from sandhook.command.options import Syntax, UsageError, also, opt, option_set

if TYPE_CHECKING:
    from sandhook.formats.compressed import Compression
    from sandhook.text.quoting import QuotingStyle

#: Options without effect: the behaviour is the default already, or is impossible here.
_WITHOUT_EFFECT = (
    "--acls", "--no-acls", "--xattrs", "--no-xattrs", "--selinux", "--no-selinux", "-S", "--sparse", "-B",
    "--read-full-records", "-l", "--check-links", "-s", "--preserve-order", "--same-order", "--one-file-system",
    "--delay-directory-restore", "--no-delay-directory-restore", "--no-overwrite-dir", "--overwrite-dir",
    "--no-auto-compress", "--recursion", "--force-local", "--seek", "-n", "--no-seek", "--atime-preserve", "-G",
    "--no-check-device", "--check-device", "--restrict", "--no-quote-chars",
    "--no-verbatim-files-from", "--unquote", "--no-unquote",
)  # fmt: skip
_PACKERS: dict[str, Compression] = {
    "gzip": "gzip",
    "pigz": "gzip",
    "bzip2": "bzip2",
    "pbzip2": "bzip2",
    "xz": "xz",
    "pxz": "xz",
    "lzma": "lzma",
}
FORMATS = {"gnu": "gnu", "oldgnu": "gnu", "ustar": "ustar", "pax": "pax", "posix": "pax", "v7": "v7"}
QUOTINGS: dict[str, QuotingStyle] = {"literal": "literal", "escape": "escape", "shell": "shell", "shell-always": "shell-always", "c": "c",
            "shell-escape": "escape-shell", "shell-escape-always": "escape-shell-always", "c-maybe": "c-maybe",
            "locale": "locale", "clocale": "c"}  # fmt: skip


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > 9:
        raise UsageError(f"{text}: Invalid number of elements", status=2)
    return int(text)


def _format(text: str) -> str:
    if text not in FORMATS:
        raise UsageError(f"{text}: Invalid archive format", hint=True, status=2)
    return FORMATS[text]


def _control(text: str) -> str:
    try:
        return parse_control(text, "--backup") if text else BY_ENVIRONMENT
    except UsageError as error:
        raise UsageError(str(error), hint=False, status=2) from None


def _packer(text: str) -> Compression:
    words = text.split()
    name = words[0].rpartition("/")[2] if words else ""
    if name not in _PACKERS:
        raise UsageError(f"-I: '{text}' is not offered (L-TAR-001)", hint=False, status=2)
    return _PACKERS[name]


_keyword = one_of(
    "--warning", "all", "alone-zero-block", "bad-dumpdir", "cachedir", "contiguous-cast", "file-changed",
    "file-ignored", "file-removed", "file-shrank", "file-unchanged", "filename-with-nuls", "ignore-archive",
    "ignore-newer", "new-directory", "rename-directory", "symlink-cast", "timestamp", "unknown-cast",
    "unknown-keyword", "xdev", "decompress-program", "existing-file", "xattr-write", "record-size", "failed-read",
    status=2, hint=False,
)  # fmt: skip


def _warning(text: str) -> str:
    """Return the word of --warning. Raises UsageError for one that GNU tar does not know."""
    return text if text == "none" else _keyword(text.removeprefix("no-"))


def listed_names(lines: Sequence[str], *, verbatim: bool) -> list[tuple[str, str]]:
    """Return the names in a file of -T, like ``interleave_directories``; a line may be -C with its directory.

    Raises:
        Failure: A line has another option.
    """
    names: list[tuple[str, str]] = []
    for line in filter(None, lines):
        directory = next((line[len(flag) :] for flag in ("-C", "--directory=") if line.startswith(flag)), "")
        if verbatim or line[:1] != "-":
            names.append(("", line))
        elif directory.strip():
            names.append((directory.lstrip(" \t"), ""))
        else:
            raise Failure(f"{line}: options in a file of -T other than -C are not offered (L-TAR-001)")
    return names


def _quoting(text: str) -> QuotingStyle:
    if text not in QUOTINGS:
        raise UsageError(
            f"Unknown quoting style '{text}'. Try '--quoting-style=help' to get a list.", hint=False
        )
    return QUOTINGS[text]


@option_set
class Options:
    """tar [OPTION...] [FILE]...

    Store the NAMEs in an archive, extract them from it, or list them; without NAMEs, all members. The archive is
    standard input or output without -f.
    """

    modes: tuple[str, ...] = also(
        opt("-c", "--create", help="put files into a new archive", const="c", append=True),
        opt("-x", "--extract", "--get", help="extract files", const="x", append=True),
        opt("-t", "--list", help="list its members", const="t", append=True),
        opt("-r", "--append", help="add files at its end", const="r", append=True),
        opt("-u", "--update", help="add files that are newer than its members", const="u", append=True),
        opt("--delete", help="delete members", const="delete", append=True),
        opt(
            "-d",
            "--diff",
            "--compare",
            help="print how files differ from its members",
            const="d",
            append=True,
        ),
        opt("--test-label", help="print the label of the archive", const="label", append=True),
        opt(
            "-A",
            "--catenate",
            "--concatenate",
            help="add the members of other archives at its end",
            const="A",
            append=True,
        ),
    )
    archive: str = opt("-f", "--file", "ARCHIVE", "the archive; - is a standard stream", default="-")
    packing: Compression | Literal["auto"] | None = also(
        opt("-z", "--gzip", "--gunzip", help="gzip", const="gzip", default=None),
        opt("-j", "--bzip2", help="bzip2", const="bzip2"),
        opt("-J", "--xz", help="xz", const="xz"),
        opt("--lzma", help="lzma", const="lzma"),
        opt(
            "-I",
            "--use-compress-program",
            "PROGRAM",
            "compress and expand as PROGRAM does: gzip, bzip2, xz or lzma",
            convert=_packer,
        ),
        opt("-a", "--auto-compress", help="choose the format by the archive's name", const="auto"),
    )
    verbose: tuple[bool, ...] = opt(
        "-v", "--verbose", help="list names; twice, or with -t, in full", append=True
    )
    directory: tuple[str, ...] = opt("-C", "--directory", "DIRECTORY", "change to DIRECTORY", append=True)
    to_stdout: bool = opt("-O", "--to-stdout", help="extract to standard output")
    keep: str = also(
        opt(
            "-k", "--keep-old-files", help="do not replace files: they are errors", const="error", default=""
        ),
        opt("--skip-old-files", help="do not replace files", const="skip"),
        opt("--keep-newer-files", help="do not replace files that are newer", const="newer"),
        opt("--overwrite", help="overwrite existing files", const=""),
        opt("-U", "--unlink-first", help="remove files first, as is always done", const=""),
    )
    permissions: bool = also(
        opt(
            "-p",
            "--preserve-permissions",
            "--same-permissions",
            help="ignore the umask",
            const=True,
            default=False,
        ),
        opt("--no-same-permissions", help="apply the umask (default)", const=False),
    )
    touch: bool = opt("-m", "--touch", help="do not restore times")
    follow: bool = opt("-h", "--dereference", help="store the targets of links")
    flat: bool = opt("--no-recursion", help="do not go into directories")
    strip: int = opt(
        "--strip-components",
        "--strip-path",
        "NUMBER",
        "drop leading components of names",
        convert=_count,
        default=0,
    )
    exclude: tuple[str, ...] = opt("--exclude", "PATTERN", "leave out files that match", append=True)
    wildcards: bool | None = also(
        opt("--wildcards", help="NAMEs are patterns", const=True, default=None),
        opt("--no-wildcards", help="NAMEs and patterns are literal text", const=False),
    )
    anchored: bool | None = also(
        opt("--anchored", help="patterns match from the beginning of names", const=True, default=None),
        opt("--no-anchored", help="patterns match after any slash", const=False),
    )
    ignore_case: bool = also(
        opt("--ignore-case", help="patterns ignore case", const=True, default=False),
        opt("--no-ignore-case", help="case counts (default)", const=False),
    )
    match_slash: bool = also(
        opt("--wildcards-match-slash", help="a * matches slashes too (default)", const=True, default=True),
        opt("--no-wildcards-match-slash", help="a * matches no slashes", const=False),
    )
    occurrence: int | None = opt("--occurrence", "NUMBER", "work on the NUMBERth member of each name (1)",
                                 convert=_count, optional=True, const=1)  # fmt: skip
    null: bool = opt("--null", help="the names in the file of -T end with NUL")
    verbatim: bool = opt("--verbatim-files-from", help="a name in the file of -T is never an option")
    newer: str | None = opt(
        "-N", "--newer", "--after-date", "DATE", "store files that changed after DATE (or FILE)"
    )
    newer_mtime: str | None = opt(
        "--newer-mtime", "DATE", "store files whose contents changed after DATE (or FILE)"
    )
    remove: bool = opt("--remove-files", help="remove files when they are stored")
    totals: bool = opt("--totals", help="print how much was written or read")
    mode_text: str | None = opt("--mode", "CHANGES", "store these permission bits")
    transformed: bool = opt(
        "--show-transformed-names", "--show-stored-names", help="list names as --transform makes them"
    )
    quoting: QuotingStyle = opt(
        "--quoting-style", "STYLE", "how names are listed", convert=_quoting, default="escape"
    )
    no_links: bool = opt("--hard-dereference", help="store every link of a file as a file")
    tolerant: bool = opt("--ignore-failed-read", help="do not fail for files that cannot be read")
    top: str | None = opt("--one-top-level", "DIRECTORY", "extract into DIRECTORY, or one named after the archive",
                          optional=True, const="")  # fmt: skip
    absolute: bool = opt("-P", "--absolute-names", help="store names with leading slashes")
    vcs: bool = opt("--exclude-vcs", help="leave out directories and files of version control systems")
    backups: bool = opt("--exclude-backups", help="leave out backups and lock files of editors")
    tags: tuple[tuple[str, str], ...] = also(
        opt("--exclude-tag", "FILE", "from directories with FILE, store only FILE", append=True,
            convert=lambda text: ("tag", text)),
        opt("--exclude-tag-under", "FILE", "store directories with FILE without their contents", append=True, convert=lambda text: ("under", text)),
        opt("--exclude-tag-all", "FILE", "leave out directories with FILE", append=True,
            convert=lambda text: ("all", text)),
    )  # fmt: skip
    zeros: bool = opt("-i", "--ignore-zeros", help="continue after the end of an archive")
    clamp: bool = opt("--clamp-mtime", help="store the time of --mtime only for files that are newer")
    label: str | None = opt("-V", "--label", "TEXT", "set the label of the archive")
    blocks: int = opt(
        "-b", "--blocking-factor", "NUMBER", "blocks of 512 bytes in a record", convert=_count, default=20
    )
    utc: bool = opt("--utc", help="list times in UTC")
    warning: str | None = opt("--warning", "WORD", convert=_warning, ignored="")
    without_effect: bool = opt(*_WITHOUT_EFFECT, ignored="")
    files_from: tuple[str, ...] = opt(
        "-T", "--files-from", "FILE", "take NAMEs from the lines of FILE", append=True
    )
    owner: str | None = opt("--owner", "NAME", "store NAME as the owner")
    group: str | None = opt("--group", "NAME", "store NAME as the group")
    mtime: str | None = opt("--mtime", "DATE", "store this time, or that of a file (/NAME, ./NAME)")
    exclude_from: tuple[str, ...] = opt(
        "-X", "--exclude-from", "FILE", "leave out files that match a line of FILE", append=True
    )
    transform: tuple[str, ...] = opt(
        "--transform", "--xform", "EXPRESSION", "change names by s/OLD/NEW/FLAGS", append=True
    )
    block_numbers: bool = opt("-R", "--block-number", help="list the numbers of blocks")
    command: str | None = opt("--to-command", "COMMAND", "run COMMAND with the contents of each file")
    ignores_commands: bool = also(
        opt("--ignore-command-error", help="ignore the exit statuses of COMMAND", default=False),
        opt("--no-ignore-command-error", help="report them (default)", const=False),
    )
    backup: str | None = opt("--backup", "CONTROL", "rename files that would be replaced: none, numbered, existing or simple",
                             convert=_control, optional=True, const=BY_ENVIRONMENT)  # fmt: skip
    suffix: str | None = opt("--suffix", "SUFFIX", "like --backup; names of backups end in SUFFIX (~)")
    checkpoints: tuple[str, ...] = opt("--checkpoint", "NUMBER", "act after every NUMBER of records (10)",
                                       optional=True, const="10", append=True)  # fmt: skip
    checkpoint_actions: tuple[str, ...] = opt(
        "--checkpoint-action", "ACTION", "act so: echo, echo=TEXT, dot, bell, totals, sleep=SECONDS or exec=COMMAND",
        append=True,
    )  # fmt: skip
    full_time: bool = opt("--full-time", help="list times with seconds")
    numeric: bool = opt("--numeric-owner", help="numbers for owners and groups")
    sort: str | None = opt(
        "--sort",
        "ORDER",
        ignored="the order is always that of names",
        convert=one_of("--sort", "none", "name", "inode", status=2, hint=False),
    )
    no_owner: bool = opt("--no-same-owner", "--same-owner", ignored="there is one user")
    layout: str = also(
        opt("-H", "--format", "FORMAT", "gnu, ustar, pax or v7", convert=_format, default="gnu"),
        opt("--posix", help="like --format=pax", const="pax"),
        opt(
            "-o",
            "--old-archive",
            "--portability",
            help="like --format=v7; with -x, --no-same-owner",
            const="v7",
        ),
    )


SYNTAX = Syntax(Options)


def with_dashes(arguments: list[str]) -> list[str]:
    """Rewrite ``xzf FILE`` as ``-x -z -f FILE``: letters with arguments consume the following words in order."""
    if not arguments or arguments[0][:1] == "-" or not arguments[0]:
        return arguments
    rest = arguments[1:]
    words = []
    for letter in arguments[0]:
        option = SYNTAX.short.get(letter)
        words.append(f"-{letter}")
        if option is not None and option.metavar is not None:
            if not rest:
                raise UsageError(f"Old option '{letter}' requires an argument.", status=2)
            words.append(rest.pop(0))
    return [*words, *rest]


def interleave_directories(
    arguments: Sequence[str], operands: Sequence[str], options: Options
) -> list[tuple[str, str]]:
    """Return the operands in order, with the directory of each -C before the operands that it applies to."""
    words = with_dashes(list(arguments))
    directories = list(options.directory)
    names = list(operands)
    placed: list[tuple[str, str]] = []
    previous = ""
    for word in words:
        if directories and (
            (previous in ("-C", "--directory") and word == directories[0])
            or word in (f"-C{directories[0]}", f"--directory={directories[0]}")
            or (
                previous[:1] == "-"
                and previous[:2] != "--"
                and previous[-1:] == "C"
                and word == directories[0]
            )
        ):
            placed.append((directories.pop(0), ""))
            word = ""
        elif names and word == names[0]:
            placed.append(("", names.pop(0)))
        previous = word
    return [*((directory, "") for directory in directories), *placed, *(("", name) for name in names)]


def directories_of(names: list[tuple[str, str]]) -> list[str]:
    """Return the directories of -C for reading an archive: after the last name -C has no effect."""
    last = max((at for at, (_, name) in enumerate(names) if name), default=len(names))
    return [directory for directory, _ in names[:last] if directory]


def trailing_exclusions(arguments: Sequence[str], operands: Sequence[str]) -> list[str]:
    """Return the --exclude patterns after the last operand, where they have no effect on -c."""
    words = with_dashes(list(arguments))
    last = max((at for at, word in enumerate(words) if word in operands), default=len(words))
    return [word.partition("=")[2] for word in words[last + 1 :] if word.startswith("--exclude=")]
