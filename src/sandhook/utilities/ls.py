"""ls: list files.

Source: POSIX.1-2024 XCU 3, ls. Oracle: GNU coreutils 9.1, its output not a terminal.
Divergence: L-LS-001, output is never coloured (--color=always is refused) and never a terminal's:
columns only when -C or -x asks. L-LS-002, -Z is not offered.
"""

from __future__ import annotations

import stat as bits
from collections.abc import Sequence

from sandhook.pattern.glob import compile_pattern
from sandhook.utilities import _listing as listing
from sandhook.utilities._base import Context, Failure, UsageError, also, opt, option_set
from sandhook.utilities._files import beneath, locate, one_of, quote_always, reason
from sandhook.utilities._listing import File

USAGE_STATUS = 2

_SORTS = {"none": "none", "time": "time", "size": "size", "extension": "extension", "version": "version",
          "width": "width"}  # fmt: skip
_FORMATS = {"verbose": "long", "long": "long", "commas": "commas", "horizontal": "across", "across": "across",
            "vertical": "columns", "single-column": "one"}  # fmt: skip
_TIMES = {"atime": "access", "access": "access", "use": "access", "ctime": "change", "status": "change",
          "mtime": "modification", "modification": "modification"}  # fmt: skip
_INDICATORS = {"none": "", "slash": "slash", "file-type": "type", "classify": "all"}
_QUOTINGS = {"literal": "literal", "shell": "shell", "shell-always": "shell-always", "shell-escape": "escape-shell",
             "shell-escape-always": "escape-shell-always", "c": "c", "escape": "escape", "locale": "locale"}  # fmt: skip
_WHEN = {"always": "always", "yes": "always", "force": "always", "never": "never", "no": "never", "none": "never",
         "auto": "never", "tty": "never", "if-tty": "never"}  # fmt: skip


def _one_of(name: str, table: dict[str, str]):  # type: ignore[no-untyped-def]
    read = one_of(name, *table)
    return lambda text: table[read(text)]


def _colour(text: str) -> str:
    if _WHEN[one_of("--color", *_WHEN)(text)] == "always":
        raise UsageError("--color=always is not supported (L-LS-001)", hint=False)
    return "never"


def _scale(text: str) -> str:
    """Return the argument of --block-size as Layout.human has it."""
    from sandhook.utilities.du import read_block_size

    unit, suffix = read_block_size(text)
    if not unit:
        return "si" if suffix == "si" else "binary"
    return f"{unit}:{suffix}"


@option_set
class Options:
    """ls [OPTION]... [FILE]...

    List each FILE, of directories their entries (of . if there is none), in order of the names.
    """

    hidden: str = also(
        opt("-a", "--all", help="do not leave names out that begin with .", const="all", default=""),
        opt("-A", "--almost-all", help="like -a without . and ..", const="almost"),
    )
    format_: str = also(
        opt("-l", help="one file a line, with all that is known", const="long", default="one"),
        opt("-C", help="columns", const="columns"),
        opt("-x", help="columns, filled line by line", const="across"),
        opt("-m", help="names with commas", const="commas"),
        opt("--format", "WORD", "long, commas, across, vertical or single-column",
            convert=_one_of("--format", _FORMATS)),
    )  # fmt: skip
    one: bool = opt("-1", "one name a line, unless lines are long")
    no_owner: bool = opt("-g", "like -l without owner")
    short: bool = opt("-o", "like -l without group")
    numeric: bool = opt("-n", "--numeric-uid-gid", "like -l with numeric owner and group")
    full_time: bool = opt("--full-time", "like -l --time-style=full-iso")
    no_group: bool = opt("-G", "--no-group", "no group in long lines")
    author: bool = opt("--author", "the owner once more in long lines")
    recursive: bool = opt("-R", "--recursive", "list directories below too")
    directory: bool = opt("-d", "--directory", "list directories themselves, not their entries")
    sort: str = also(
        opt("-t", help="by time, newest first", const="time", default=""),
        opt("-S", help="by size, largest first", const="size"),
        opt("-X", help="by what stands behind the last dot", const="extension"),
        opt("-v", help="by version numbers in the names", const="version"),
        opt("-U", help="in the directory's order", const="none"),
        opt("-f", help="like -aU", const="f"),
        opt(
            "--sort",
            "WORD",
            "none, time, size, extension, version or width",
            convert=_one_of("--sort", _SORTS),
        ),
    )
    reverse: bool = opt("-r", "--reverse", "in reverse order")
    directories_first: bool = opt("--group-directories-first", "directories before files")
    time: str = also(
        opt("-c", help="time of the last change of status", const="change", default="modification"),
        opt("-u", help="time of the last access", const="access"),
        opt("--time", "WORD", "atime, ctime or mtime", convert=_one_of("--time", _TIMES)),
    )
    time_style: str | None = opt("--time-style", "STYLE", "full-iso, long-iso, iso, locale or +FORMAT")
    human: str = also(
        opt("-h", "--human-readable", help="sizes like 1K 234M", const="binary", default=""),
        opt("--si", help="likewise, with powers of 1000", const="si"),
        opt("--block-size", "SIZE", "sizes in units of SIZE: K, 1K, MB, human-readable ...", convert=_scale),
    )
    kibibytes: bool = opt("-k", "--kibibytes", "blocks of 1024 bytes (default)")
    blocks: bool = opt("-s", "--size", "the blocks that each file takes")
    inode: bool = opt("-i", "--inode", "the number of each file")
    indicator: str = also(
        opt("-F", help="append one of */=@|", const="all", default=""),
        opt("-p", help="append / to directories", const="slash"),
        opt("--file-type", help="like -F without *", const="type"),
        opt("--classify", "WHEN", "like -F", convert=_one_of("--classify", _WHEN), optional=True, const="always"),
        opt("--indicator-style", "WORD", "none, slash, file-type or classify",
            convert=_one_of("--indicator-style", _INDICATORS)),
    )  # fmt: skip
    follow: str = also(
        opt("-L", "--dereference", help="follow symbolic links", const="all", default=""),
        opt("-H", "--dereference-command-line", help="follow operands that are links", const="operands"),
        opt("--dereference-command-line-symlink-to-dir", help="follow operands that lead to directories",
            const="directories"),
    )  # fmt: skip
    quoting: str = also(
        opt("-N", "--literal", help="names as they are (default)", const="literal", default="literal"),
        opt("-Q", "--quote-name", help="names in double quotes", const="c"),
        opt("-b", "--escape", help="escapes for what cannot be printed", const="escape"),
        opt("--quoting-style", "WORD", "literal, shell, shell-always, shell-escape, c or escape",
            convert=_one_of("--quoting-style", _QUOTINGS)),
    )  # fmt: skip
    hide_control: bool = also(
        opt("-q", "--hide-control-chars", help="? for what cannot be printed", const=True, default=False),
        opt("--show-control-chars", help="control characters as they are (default)", const=False),
    )
    zero: bool = opt("--zero", "end each line with NUL instead of a newline")
    width: str | None = opt("-w", "--width", "COLUMNS", "width of the output")
    tab: str | None = opt("-T", "--tabsize", "COLUMNS", "width of a tab")
    ignored: tuple[str, ...] = opt("-I", "--ignore", "PATTERN", "leave names out that match", append=True)
    hidden_too: tuple[str, ...] = opt("--hide", "PATTERN", "likewise, but not with -a or -A", append=True)
    ignore_backups: bool = opt("-B", "--ignore-backups", "leave names out that end in ~")
    colour: str | None = opt(
        "--color", "WHEN", "never or auto", convert=_colour, optional=True, const="always"
    )


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0; 1 when something below an operand failed, 2 when an operand did."""
    if options.colour == "always":
        raise UsageError("--color=always is not supported (L-LS-001)", hint=False)
    return _Lister(options, ctx).run(operands or ["."], bool(operands))


class _Lister:
    """Collects files and directories, and prints them one listing after the other."""

    def __init__(self, options: Options, ctx: Context) -> None:
        self.options = options
        self.ctx = ctx
        self.printer = listing.Printer(_layout(options), ctx)
        self.first = True
        texts = [*options.ignored, *(() if options.hidden or options.sort == "f" else options.hidden_too)]
        self._ignored = [(text[:1] == ".", compile_pattern(text, extglob=False)) for text in texts]

    def run(self, operands: Sequence[str], given: bool) -> int:
        ctx, options = self.ctx, self.options
        files: list[File] = []
        directories: list[File] = []
        for name in operands:
            ctx.charge()
            try:
                file = self._operand(name)
            except OSError as error:
                ctx.fail(f"cannot access {quote_always(name)}: {reason(error)}", 2)
                continue
            (directories if bits.S_ISDIR(file.info.mode) and not options.directory else files).append(file)
        if files:
            self.printer.print(self._sorted(files), total=False)
            self.first = False
        titled = len(operands) > 1 or options.recursive
        self._directories([file.name for file in self._sorted(directories)], titled, operand=True)
        return ctx.failed

    def _operand(self, name: str) -> File:
        """Look one operand up; which links are followed depends on the format."""
        options = self.options
        long = _form(options) == "long"
        follow = options.follow in ("all", "operands") or name[-1:] == "/"
        info = None
        if not follow:
            to_directory = options.follow == "directories" or not (
                long or options.directory or options.indicator in ("all", "always", "type")
            )
            if to_directory and name and self.ctx.fs.is_dir(self.ctx.path(name)):
                follow = True
        if follow:
            try:
                info = self.ctx.fs.stat(locate(self.ctx, name))
            except FileNotFoundError:
                if options.follow == "all":
                    raise
        if info is None:
            info = self.ctx.fs.stat(locate(self.ctx, name), follow=False)
        return File(name, name, info)

    def _directories(self, names: list[str], titled: bool, operand: bool) -> None:
        """List directories; those found below (-R) come right behind their parent."""
        names.reverse()
        stack = names
        operands = len(stack)
        while stack:
            name = stack.pop()
            is_operand = operand and len(stack) < operands
            operands = min(operands, len(stack))
            try:
                entries = self.ctx.fs.listdir(locate(self.ctx, name))
            except OSError as error:
                self.ctx.fail(
                    f"cannot open directory {quote_always(name)}: {reason(error)}", 2 if is_operand else 1
                )
                continue
            if titled:
                if not self.first:
                    self.ctx.write(b"\n")
                self.ctx.write(self.printer.quoted(name).encode("utf-8", "surrogateescape") + b":\n")
            self.first = False
            files = self._sorted(self._entries(name, [entry.name for entry in entries]))
            self.printer.print(files, total=True)
            if self.options.recursive:
                below = [
                    file.path for file in files
                    if bits.S_ISDIR(file.info.mode) and file.name not in (".", "..")
                ]  # fmt: skip
                stack += reversed(below)

    def _entries(self, directory: str, names: list[str]) -> list[File]:
        options = self.options
        if options.hidden == "all" or options.sort == "f":
            names = [".", "..", *names]
        elif not options.hidden:
            names = [name for name in names if name[0] != "."]
        files = []
        for name in names:
            self.ctx.charge()
            if (options.ignore_backups and name[-1] == "~") or (self._ignored and self._is_ignored(name)):
                continue
            path = beneath(directory, name)
            try:
                info = self.ctx.fs.stat(self.ctx.path(path), follow=options.follow == "all")
            except OSError as error:
                if options.follow == "all" and not self._needs_stat():
                    info = self.ctx.fs.stat(self.ctx.path(path), follow=False)
                else:
                    shown = name if directory == "." else path
                    self.ctx.fail(f"cannot access {quote_always(shown)}: {reason(error)}")
                    files.append(File.unknown(name, path))
                    continue
            files.append(File(name, path, info))
        return files

    def _is_ignored(self, name: str) -> bool:
        """Tell whether a pattern of -I or --hide matches; a leading dot must be written."""
        charge = self.ctx.budget.charge
        return any(
            pattern.matches(name, charge) for dotted, pattern in self._ignored if dotted or name[:1] != "."
        )

    def _needs_stat(self) -> bool:
        """Tell whether more than the names and types of files is shown or sorted by."""
        options = self.options
        return bool(
            _form(options) == "long" or options.blocks or options.recursive or options.inode
            or options.indicator or options.sort in ("time", "size") or options.time != "modification"
        )  # fmt: skip

    def _sorted(self, files: list[File]) -> list[File]:
        options = self.options
        sort = options.sort
        if not sort and options.time != "modification" and _form(options) != "long":
            sort = "time"  # -c and -u alone sort too
        if sort in ("none", "f"):
            return files[::-1] if options.reverse and sort == "none" else files
        key = listing.sort_key(sort, options.time)
        ordered = sorted(files, key=key, reverse=options.reverse)
        if options.directories_first:
            ordered.sort(key=lambda file: not self._leads_to_directory(file))
        return ordered

    def _leads_to_directory(self, file: File) -> bool:
        return bits.S_ISDIR(file.info.mode) or (
            bits.S_ISLNK(file.info.mode) and self.ctx.fs.is_dir(self.ctx.path(file.path))
        )


def _form(options: Options) -> str:
    """Return the format: several options mean the long one, and -1 does not take it back."""
    if options.format_ == "long" or options.no_owner or options.short or options.numeric or options.full_time:
        return "long"
    return "one" if options.one else options.format_


def _layout(options: Options) -> listing.Layout:
    """Return how lines look."""
    numeric = {"width": options.width, "tab": options.tab}
    for what, text in numeric.items():
        if text is not None and not (text.isascii() and text.isdigit()):
            noun = "line width" if what == "width" else "tab size"
            raise Failure(f"invalid {noun}: '{text}'")
    return listing.Layout(
        form=_form(options),
        owner=not options.no_owner,
        group=not (options.short or options.no_group),
        author=options.author,
        numeric=options.numeric,
        blocks=options.blocks,
        inode=options.inode,
        human=options.human,
        time=options.time,
        style=listing.time_style(
            "full-iso" if options.full_time and options.time_style is None else options.time_style
        ),
        indicator={"always": "all", "never": ""}.get(options.indicator, options.indicator),
        quoting=options.quoting,
        hide_control=options.hide_control,
        end=b"\0" if options.zero else b"\n",
        width=80 if options.width is None else min(int(options.width[:9]), 1 << 20) or 1 << 20,
        tab=8 if options.tab is None else min(int(options.tab[:9]), 1 << 20),
    )
