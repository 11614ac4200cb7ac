"""ls: list files.

Source: POSIX.1-2024 XCU 3, ls. Oracle: GNU coreutils 9.1, its output not a terminal.
Divergence: L-LS-001, output is never a terminal: columns only with -C or -x, colours only with --color=always.
L-LS-002, no file has a security context for -Z.
"""

from __future__ import annotations

import stat as bits
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from sandhook.command.choices import one_of
from sandhook.command.context import Context, Failure
from sandhook.command.operands import beneath, locate, reason
from sandhook.command.options import UsageError, also, opt, option_set
from sandhook.lazy import lazily
from sandhook.pattern.glob import compile_pattern
from sandhook.text.quoting import QUOTING_STYLES, QuotingStyle, quote_always
from sandhook.utilities.listing.ls import layout as listing
from sandhook.utilities.listing.ls.colors import Colours, read_colours
from sandhook.utilities.listing.ls.dired import Dired
from sandhook.utilities.listing.ls.layout import File
from sandhook.vfs.base import Entry

USAGE_STATUS = 2

_NUMBER = lazily(r"0[xX]([0-9a-fA-F]+)|0[0-7]*|[1-9][0-9]*")
_SORTS = ("none", "time", "size", "extension", "version", "width")
_FORMATS = {
    "verbose": "long",
    "commas": "commas",
    "horizontal": "across",
    "vertical": "columns",
    "single-column": "one",
}
_FORMAT_WORDS = ("verbose long", "commas", "horizontal across", "vertical", "single-column")
_TIMES = {"atime": "access", "ctime": "change", "birth": "modification"}  # the time of birth is unknown
_TIME_WORDS = ("atime access use", "ctime status", "birth creation")
_INDICATORS = {"none": "", "slash": "slash", "file-type": "type", "classify": "all"}
_WHEN = ("always yes force", "never no none", "auto tty if-tty")


def _one_of(name: str, table: Mapping[str, str], *words: str) -> Callable[[str], str]:
    read = one_of(name, *(words or table), status=1)
    return lambda text: table[read(text)]


def _always(name: str) -> Callable[[str], bool]:
    """Return a parser of WHEN; auto means never, because output is not a terminal."""
    read = one_of(name, *_WHEN, status=1)
    return lambda text: read(text) == "always"


def _scale(text: str) -> str:
    """Return the argument of --block-size in the format of Layout.human."""
    from sandhook.utilities.listing.sizes import read_block_size

    unit, suffix = read_block_size(text.removeprefix("'"))  # "'" groups digits in some locales
    if not unit:
        return "si" if suffix == "si" else "binary"
    return f"{unit}:{suffix}"


@option_set
class Options:
    """ls [OPTION]... [FILE]...

    List each FILE (.), or the entries of a directory, in the order of names.
    """

    hidden: str = also(
        opt("-a", "--all", help="include names that begin with .", const="all", default=""),
        opt("-A", "--almost-all", help="like -a without . and ..", const="almost"),
    )
    order: tuple[str, ...] = also(
        opt("-l", help="one file a line, with its details", const="long", append=True),
        opt("-g", help="like -l without owner", const="g", append=True),
        opt("-o", help="like -l without group", const="o", append=True),
        opt("-n", "--numeric-uid-gid", help="like -l with numeric owner and group", const="n", append=True),
        opt("-C", help="columns", const="columns", append=True),
        opt("-x", help="columns, filled line by line", const="across", append=True),
        opt("-m", help="names with commas", const="commas", append=True),
        opt("-1", help="one name a line, unless lines are long", const="1", append=True),
        opt("--format", "WORD", "long, commas, across, vertical or single-column", append=True,
            convert=_one_of("--format", _FORMATS, *_FORMAT_WORDS)),
        opt("--full-time", help="like -l --time-style=full-iso", const="full", append=True),
        opt("-t", help="by time, newest first", const="sort time", append=True),
        opt("-S", help="by size, largest first", const="sort size", append=True),
        opt("-X", help="by the text after the last dot", const="sort extension", append=True),
        opt("-v", help="by version numbers in the names", const="sort version", append=True),
        opt("-U", help="in the order of the directory", const="sort none", append=True),
        opt("-f", help="like -aU, never with long lines or colours", const="f", append=True),
        opt("--sort", "WORD", "none, time, size, extension, version or width", append=True,
            convert=lambda text: "sort " + one_of("--sort", *_SORTS, status=1)(text)),
    )  # fmt: skip
    no_group: bool = opt("-G", "--no-group", "no group in long lines")
    author: bool = opt("--author", "repeat the owner in long lines")
    recursive: bool = opt("-R", "--recursive", "list subdirectories too")
    directory: bool = opt("-d", "--directory", "list directories themselves, not their entries")
    reverse: bool = opt("-r", "--reverse", "in reverse order")
    directories_first: bool = opt("--group-directories-first", "directories before files")
    time: str = also(
        opt("-c", help="time of the last change of status", const="change", default="modification"),
        opt("-u", help="time of the last access", const="access"),
        opt("--time", "WORD", "atime, ctime or mtime", convert=_one_of("--time", _TIMES, *_TIME_WORDS)),
    )
    time_style: str | None = opt("--time-style", "STYLE", "full-iso, long-iso, iso, locale or +FORMAT")
    human: str = also(
        opt("-h", "--human-readable", help="sizes like 1K 234M", const="binary", default=""),
        opt("--si", help="like -h, with powers of 1000", const="si"),
        opt("--block-size", "SIZE", "sizes in units of SIZE: K, 1K, MB, human-readable ...", convert=_scale),
    )
    kibibytes: bool = opt("-k", "--kibibytes", "blocks of 1024 bytes (default)")
    blocks: bool = opt("-s", "--size", "the blocks of each file")
    inode: bool = opt("-i", "--inode", "the number of each file")
    indicator: str = also(
        opt("-F", help="append one of */=@|", const="all", default=""),
        opt("-p", help="append / to directories", const="slash"),
        opt("--file-type", help="like -F without *", const="type"),
        opt("--classify", "WHEN", "like -F", optional=True, const="all",
            convert=lambda text: "all" if _always("--classify")(text) else ""),
        opt("--indicator-style", "WORD", "none, slash, file-type or classify",
            convert=_one_of("--indicator-style", _INDICATORS)),
    )  # fmt: skip
    follow: str = also(
        opt("-L", "--dereference", help="follow symbolic links", const="all", default=""),
        opt("-H", "--dereference-command-line", help="follow operands that are links", const="operands"),
        opt("--dereference-command-line-symlink-to-dir", help="follow operands that are links to directories",
            const="directories"),
    )  # fmt: skip
    quoting: QuotingStyle | Literal[""] = also(
        opt("-N", "--literal", help="unchanged names (default)", const="literal", default=""),
        opt("-Q", "--quote-name", help="names in double quotes", const="c"),
        opt("-b", "--escape", help="escapes for unprintable characters", const="escape"),
        opt("--quoting-style", "WORD", "literal, shell, shell-always, shell-escape, c or escape",
            convert=_one_of("--quoting-style", QUOTING_STYLES)),
    )  # fmt: skip
    hide_control: bool = also(
        opt("-q", "--hide-control-chars", help="? for unprintable characters", const=True, default=False),
        opt("--show-control-chars", help="unchanged control characters (default)", const=False),
    )
    zero: bool = opt("--zero", "end each line with NUL instead of a newline")
    dired: bool = opt("-D", "--dired", "with long lines, print the offsets of names, for Emacs")
    context: bool = opt("-Z", "--context", "the security context of each file: ?")
    width: str | None = opt("-w", "--width", "COLUMNS", "width of the output")
    tab: str | None = opt("-T", "--tabsize", "COLUMNS", "width of a tab")
    ignored: tuple[str, ...] = opt("-I", "--ignore", "PATTERN", "leave out names that match", append=True)
    hide: tuple[str, ...] = opt(
        "--hide", "PATTERN", "leave out entries that match PATTERN, but not with -a or -A", append=True
    )
    ignore_backups: bool = opt("-B", "--ignore-backups", "leave out names that end in ~")
    colour: bool = opt("--color", "WHEN", "colour names: always, auto (never, as output is not a terminal)",
                       convert=_always("--color"), optional=True)  # fmt: skip
    hyperlink: bool = opt("--hyperlink", "WHEN", "make names links: always, auto (default: never)",
                          convert=_always("--hyperlink"), optional=True)  # fmt: skip


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0; 1 when something below an operand failed, 2 when an operand did."""
    return _Lister(options, ctx).run(operands or ["."])


class _Order:
    """The combined options of format and order, of which the last one counts."""

    def __init__(self, options: Options) -> None:
        self.form = "one"
        self.sort = ""
        self.all_ = False
        self.plain = False
        for word in options.order:
            if word[:5] == "sort ":
                self.sort = word[5:]
            elif word == "f":
                self.sort, self.all_, self.plain = "none", True, True
                self.form = "one" if self.form == "long" else self.form
            elif word == "1":
                self.form = self.form if self.form == "long" else "one"
            else:
                self.form = "long" if word in ("g", "o", "n", "full") else word


class _Lister:
    """Collects files and directories, and prints them one listing after the other."""

    def __init__(self, options: Options, ctx: Context) -> None:
        self.options = options
        self.order = _Order(options)
        self.ctx = ctx
        self.printer = listing.Printer(_layout(options, self.order, ctx), ctx)
        if options.hyperlink and not self.order.plain:
            self.printer.hyperlinks = True
        if options.dired and self.order.form == "long" and not self.printer.hyperlinks:
            self.printer.dired = Dired(ctx)
        if options.colour and not self.order.plain:
            self.printer.colours = _colours(ctx)
        self.first = True
        show_all = options.hidden or self.order.all_
        texts = [*options.ignored, *(() if show_all else options.hide)]
        self._ignored = [(text[:1] == ".", compile_pattern(text, extglob=False)) for text in texts]

    def run(self, operands: Sequence[str]) -> int:
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
            self.printer.print(self._sort_files(files), total=False, others=directories)
            self.first = False
        titled = len(operands) > 1 or options.recursive
        self._directories([file.name for file in self._sort_files(directories)], titled, operand=True)
        self.printer.finish()
        return ctx.failed

    def _operand(self, name: str) -> File:
        """Return the file of an operand; the format determines which links are followed."""
        options = self.options
        long = self.order.form == "long"
        follow = options.follow in ("all", "operands") or name[-1:] == "/"
        info = None
        if not follow:
            to_directory = options.follow == "directories" or not (
                long or options.directory or options.indicator in ("all", "type")
            )
            if to_directory and name:
                try:
                    follow = bits.S_ISDIR(self.ctx.fs.stat(self.ctx.path(name)).mode)
                except FileNotFoundError:
                    follow = False  # a dangling link is listed, one that leads nowhere else is an error
        if follow:
            try:
                info = self.ctx.fs.stat(locate(self.ctx, name))
            except FileNotFoundError:
                if options.follow in ("all", "operands"):
                    raise
        if info is None:
            info = self.ctx.fs.stat(locate(self.ctx, name), follow=False)
        return File(name, name, info)

    def _directories(self, names: list[str], titled: bool, operand: bool) -> None:
        """List directories; with -R, subdirectories follow their parent."""
        names.reverse()
        stack = names
        operands = len(stack)
        loops = _Loops(self.ctx) if self.options.recursive and self.options.follow == "all" else None
        while stack:
            name = stack.pop()
            is_operand = operand and len(stack) < operands
            operands = min(operands, len(stack))
            if loops is not None and loops.closes_at(name):
                self.ctx.fail(f"{name}: not listing already-listed directory", 2)
                continue
            try:
                entries = self.ctx.fs.listdir(locate(self.ctx, name))
            except OSError as error:
                self.ctx.fail(
                    f"cannot open directory {quote_always(name)}: {reason(error)}", 2 if is_operand else 1
                )
                continue
            if titled:
                self.printer.heading(name, gap=not self.first)
            self.first = False
            files = self._sort_files(self._entries(name, entries))
            self.printer.print(files, total=True)
            if self.options.recursive:
                subdirectories = [
                    file.path for file in files
                    if bits.S_ISDIR(file.info.mode) and file.name not in (".", "..")
                ]  # fmt: skip
                stack += reversed(subdirectories)

    def _entries(self, directory: str, entries: list[Entry]) -> list[File]:
        options = self.options
        kinds = {entry.name: entry.mode for entry in entries}
        names = list(kinds)
        if options.hidden == "all" or self.order.all_:
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
                unknown = File.without_status(name, path, kinds.get(name, bits.S_IFDIR))
                if not self._needs_stat():
                    files.append(File(name, path, unknown.info))
                    continue
                title = name if directory == "." else path
                self.ctx.fail(f"cannot access {quote_always(title)}: {reason(error)}")
                files.append(unknown)
                continue
            files.append(File(name, path, info))
        return files

    def _is_ignored(self, name: str) -> bool:
        """Return whether a pattern of -I or --hide matches; a leading dot matches only a literal dot."""
        charge = self.ctx.budget.charge
        return any(
            pattern.matches(name, charge) for dotted, pattern in self._ignored if dotted or name[:1] != "."
        )

    def _needs_stat(self) -> bool:
        """Return whether the output or its order depends on more than the names and types of files."""
        options, order = self.options, self.order
        return bool(
            order.form == "long" or options.blocks or options.recursive or options.inode or options.indicator
            or order.sort in ("time", "size") or options.time != "modification" or self.printer.colours
        )  # fmt: skip

    def _sort_files(self, files: list[File]) -> list[File]:
        options = self.options
        sort = self.order.sort
        if not sort and options.time != "modification" and self.order.form != "long":
            sort = "time"  # -c and -u alone sort too
        if sort == "none":
            return files[::-1] if options.reverse and not self.order.all_ else files
        key = listing.sort_key(sort, options.time)
        ordered = sorted(files, key=key, reverse=options.reverse)
        if options.directories_first:
            ordered.sort(key=lambda file: not self._leads_to_directory(file))
        return ordered

    def _leads_to_directory(self, file: File) -> bool:
        return bits.S_ISDIR(file.info.mode) or (
            bits.S_ISLNK(file.info.mode) and self.ctx.fs.is_dir(self.ctx.path(file.path))
        )


class _Loops:
    """The directories that are listed, to notice a link to a directory that it is in."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._listed: dict[str, tuple[int, int]] = {}

    def closes_at(self, name: str) -> bool:
        """Note a directory; return whether one of those above it is the same one."""
        try:
            info = self._ctx.fs.stat(self._ctx.path(name))
        except OSError:
            return False  # the error appears when it is listed
        key = (info.device, info.inode)
        above = name
        while (above := above.rpartition("/")[0]) != "":
            if self._listed.get(above) == key:
                return True
        self._listed[name] = key
        self._ctx.budget.check_fits(64 * len(self._listed))
        return False


def _colours(ctx: Context) -> Colours | None:
    """Return the colours of the environment; report those that are not valid, and return None."""
    environment = ctx.environment
    try:
        return read_colours(
            environment.get("LS_COLORS"), environment.get("TERM"), environment.get("COLORTERM")
        )
    except ValueError as error:
        if str(error):
            ctx.error(f"unrecognized prefix: {quote_always(str(error))}")
        ctx.error("unparsable value for LS_COLORS environment variable")
        return None


def _quoting(options: Options, ctx: Context) -> QuotingStyle:
    if options.quoting:
        return options.quoting
    style = ctx.environment.get("QUOTING_STYLE", "literal")
    if style not in QUOTING_STYLES:
        ctx.error(f"ignoring invalid value of environment variable QUOTING_STYLE: {quote_always(style)}")
    return QUOTING_STYLES.get(style, "literal")


def _width(options: Options, ctx: Context) -> int:
    """Return the width of the output: that of -w, of COLUMNS, or 80."""
    text, variable = options.width, ctx.environment.get("COLUMNS")
    if text is None and variable:
        if _columns(variable) is not None:
            text = variable
        else:
            ctx.error(f"ignoring invalid width in environment variable COLUMNS: {quote_always(variable)}")
    return 80 if text is None else _columns(text) or listing.NO_LIMIT


def _columns(text: str) -> int | None:
    """Return a number of columns, which may be octal or hexadecimal; None for another text."""
    match = _NUMBER.fullmatch(text)
    if match is None:
        return None
    digits = text.lower().removeprefix("0x").lstrip("0")
    base = 16 if match[1] else 8 if text[0] == "0" else 10
    if len(digits) > 15:
        return 0  # more than the largest width is no limit
    return min(int(digits or "0", base), 1 << 20)


def _size_unit(options: Options, ctx: Context) -> tuple[str, str]:
    """Return the units of sizes and of blocks, by an option or by the environment."""
    if options.human:
        return options.human, options.human
    for name in ("LS_BLOCK_SIZE", "BLOCK_SIZE", "BLOCKSIZE"):
        text = ctx.environment.get(name)
        if text:
            try:
                unit = _scale(text)
            except UsageError:
                break
            blocks = "" if options.kibibytes else unit
            return ("" if name == "BLOCKSIZE" else unit), blocks
    return "", "512:" if "POSIXLY_CORRECT" in ctx.environment and not options.kibibytes else ""


def _layout(options: Options, order: _Order, ctx: Context) -> listing.Layout:
    """Return the layout of lines. Raises Failure for an invalid width."""
    numeric = {"width": options.width, "tab": options.tab}
    for option, text in numeric.items():
        if text is not None and _columns(text) is None:
            noun = "line width" if option == "width" else "tab size"
            raise Failure(f"invalid {noun}: '{text}'")
    sizes, blocks = _size_unit(options, ctx)
    style = options.time_style
    if style is None:
        style = "full-iso" if "full" in options.order else ctx.environment.get("TIME_STYLE")
    return listing.Layout(
        form=order.form,
        owner="g" not in options.order,
        group=not ("o" in options.order or options.no_group),
        author=options.author,
        numeric="n" in options.order,
        blocks=options.blocks and not order.plain,
        inode=options.inode,
        human=sizes,
        block_unit=blocks,
        time=options.time,
        style=listing.time_style(style if order.form == "long" else None),
        indicator=options.indicator,
        quoting=_quoting(options, ctx),
        hide_control=options.hide_control,
        context=options.context,
        end=b"\0" if options.zero else b"\n",
        width=_width(options, ctx),
        tab=8 if options.tab is None else _columns(options.tab) or 0,
    )
