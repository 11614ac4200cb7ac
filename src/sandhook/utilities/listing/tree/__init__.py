"""tree: list the contents of directories as a tree.

Oracle: tree 2.1.0. Names are in byte order. Divergence: L-TREE-001, HTML, --gitignore, -R
and -S are not offered, and --du counts each byte once in the total.
"""

from __future__ import annotations

import stat as bits
from collections.abc import Callable, Sequence
from json import dumps

from sandhook.command.accounts import accounts
from sandhook.command.choices import one_of
from sandhook.command.context import Context
from sandhook.command.modes import mode_string
from sandhook.command.operands import stat_of
from sandhook.command.options import UsageError, also, opt, option_set
from sandhook.dates.clock import strftime
from sandhook.utilities.listing.sizes import HALF_YEAR, human_size
from sandhook.utilities.listing.tree import xml as xml
from sandhook.utilities.listing.tree.colours import Colours
from sandhook.utilities.listing.tree.nodes import MAX_DEPTH, Forest, Node, Rules, patterns
from sandhook.utilities.listing.tree.paths import PathForest

ANY_ORDER = True
WRITE_ERROR = ""

_BOXES = ("│\u00a0\u00a0 ", "├── ", "└── ")
_GRAPHICS = ("x   ", "tqq ", "mqq ")  #: between sequences that choose a terminal's graphic characters
_ASCII = ("|   ", "|-- ", "`-- ")
_SIGNS = {bits.S_IFDIR: "/", bits.S_IFIFO: "|", bits.S_IFSOCK: "="}


def _level(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text)):
        raise UsageError("Invalid level, must be greater than 0.", hint=False)
    return min(int(text), MAX_DEPTH)


def _limit(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise UsageError(f"invalid filelimit '{text}'", hint=False)
    return int(text)


@option_set
class Options:
    """tree [-aACdfFilnNpqsughDQrtcUvxJX] [-L LEVEL] [-P PATTERN] [-I PATTERN] [DIRECTORY]...

    List each DIRECTORY (.) and everything below it.
    """

    hidden: bool = opt("-a", help="hidden files too")
    directories: bool = opt("-d", help="only directories")
    full: bool = opt("-f", help="the whole path of each file")
    classify: bool = opt("-F", help="a sign after each name, as ls -F")
    flat: bool = opt("-i", help="no lines, and no indentation")
    follow: bool = opt("-l", help="follow links to directories")
    level: int = opt("-L", "LEVEL", "the greatest depth", convert=_level, default=MAX_DEPTH)
    plain: bool = opt("-n", help="no colours (default)", ignored="")
    colours: bool = opt("-C", help="colours, those of TREE_COLORS or LS_COLORS or its own")
    protections: bool = opt("-p", help="permissions")
    sizes: str = also(
        opt("-s", help="sizes in bytes", const="bytes", default=""),
        opt("-h", help="sizes like 4.0K", const="human"),
        opt("--si", help="like -h, with powers of 1000", const="si"),
    )
    usage: bool = opt("--du", help="sizes; of a directory, including everything below it")
    user: bool = opt("-u", help="owners")
    group: bool = opt("-g", help="groups")
    dates: bool = opt("-D", help="dates of last modification")
    time_format: str | None = opt(
        "--timefmt", "FORMAT", "dates of last modification, as strftime prints them"
    )
    inodes: bool = opt("--inodes", help="inode numbers")
    device: bool = opt("--device", help="numbers of devices")
    first_details: bool = opt("--metafirst", help="details of files before the lines of the tree")
    hide_control: bool = opt("-q", help="? for unprintable characters")
    quote: bool = opt("-Q", help="names in double quotes")
    literal: bool = opt("-N", help="unchanged names")
    sort: str = also(
        opt("-v", help="sort by version", const="version", default="name"),
        opt("-t", help="sort by time of last modification", const="mtime"),
        opt("-c", help="sort by time of last change", const="ctime"),
        opt("-U", help="do not sort", const="none"),
        opt("--sort", "NAME", "name, version, size, mtime, ctime or none",
            convert=one_of("--sort", "name", "version", "size", "mtime", "ctime", "none")),
    )  # fmt: skip
    reverse: bool = opt("-r", help="reverse the order")
    first: str = also(
        opt("--dirsfirst", help="directories before files", const="directories", default=""),
        opt("--filesfirst", help="files before directories", const="files"),
    )
    pattern: tuple[str, ...] = opt("-P", "PATTERN", "list only files that match", append=True)
    ignore: tuple[str, ...] = opt("-I", "PATTERN", "leave out files that match", append=True)
    ignore_case: bool = opt("--ignore-case", help="patterns ignore case")
    match_directories: bool = opt(
        "--matchdirs", help="-P matches directories too, and then selects everything in them"
    )
    prune: bool = opt("--prune", help="leave out empty directories")
    limit: int = opt(
        "--filelimit", "N", "do not list directories with more entries", convert=_limit, default=0
    )
    one_device: bool = opt("-x", help="stay on one file system")
    json: bool = opt("-J", help="JSON")
    xml: bool = opt("-X", help="XML")
    output: str | None = opt("-o", "FILE", "write to FILE")
    from_file: bool = opt("--fromfile", help="list the paths in files (. is standard input)")
    file_links: bool = opt("--fflinks", help="with --fromfile, NAME -> TARGET is a link")
    graphics: bool = opt("-A", help="lines of a terminal's graphic characters")
    no_report: bool = opt("--noreport", help="no count at the end")
    charset: str | None = opt("--charset", "NAME", "UTF-8 for lines of box characters, else ASCII")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 2 when an operand could not be read."""
    rules = Rules(
        hidden=options.hidden,
        directories=options.directories,
        follow=options.follow,
        level=options.level,
        limit=options.limit,
        one_device=options.one_device,
        prune=options.prune,
        sort=options.sort,
        reverse=options.reverse,
        first=options.first,
        patterns=patterns(options.pattern, options.ignore_case),
        ignored=patterns(options.ignore, options.ignore_case),
        match_directories=options.match_directories,
    )
    if options.output is not None:
        try:
            file = ctx.create(options.output)
        except OSError:
            raise UsageError(f"invalid filename '{options.output}'", hint=False) from None
        try:
            return _list(options, operands, rules, _Writer(options, ctx, file.write), ctx)
        finally:
            file.release()
    return _list(options, operands, rules, _Writer(options, ctx, ctx.write), ctx)


def _list(options: Options, operands: Sequence[str], rules: Rules, writer: _Writer, ctx: Context) -> int:
    if options.json or options.xml:
        writer.line("[" if options.json else xml.HEAD)
    for index, name in enumerate(operands or ["."]):
        ctx.charge()
        if options.json and index:
            writer.line(",")
        try:
            if options.from_file:
                with ctx.open("-" if name == "." else name) as reader:
                    writer.top(PathForest(rules, ctx, reader, links=options.file_links).top(name))
                continue
            info = stat_of(ctx, name)
        except OSError:
            writer.missing(name)
            continue
        top = Node(name, name, info)
        if top.is_directory:
            Forest(rules, ctx).read(top)
        writer.top(top)
    writer.report()
    return ctx.failed


class _Writer:
    def __init__(self, options: Options, ctx: Context, write: Callable[[bytes], object]) -> None:
        self.options = options
        self.write = write
        self.ctx = ctx
        self.directories = 0
        self.files = 0
        self.bytes = 0
        self.colours = Colours(ctx.environment) if options.colours and "TERM" in ctx.environment else None
        self.names = accounts(ctx.fs) if options.user or options.group else None
        charset = options.charset if options.charset is not None else _locale(ctx)
        self.boxes = (
            _GRAPHICS
            if options.graphics
            else _BOXES
            if charset.upper().replace("-", "") == "UTF8"
            else _ASCII
        )

    def line(self, text: str) -> None:
        """Write a line."""
        self.write(text.encode("utf-8", "surrogateescape") + b"\n")

    def missing(self, name: str, shown: str = "") -> None:
        """Report an operand that does not exist, or is no directory; ``shown`` is its name in colour."""
        self.ctx.failed = 2
        if self.options.json:
            self.line(f'  {{"type":"directory","name":{_json(name)},"error":"opening dir"}}')
        elif self.options.xml:
            self.line(xml.missing(xml.format_attributes([("name", name)]), "unknown"))
        else:
            self.line(f"{shown or name}  [error opening dir]")

    def top(self, node: Node) -> None:
        """Print an operand and everything below it."""
        if node.children is None:  # a file
            if self.options.xml:
                self.line(xml.missing(xml.format_attributes(self._attributes(node)), "file"))
            else:
                status = self.ctx.failed
                self.missing(node.name, self._paint(node.name, node))
                self.ctx.failed = status
            self.files += 1
            return
        self.directories += bool(node.children or node.note)
        self.bytes += node.total
        if self.options.json:
            self._json(node)
            return
        if self.options.xml:
            for each, text in xml.elements(node, self._attributes):
                if each is not None and each is not node:
                    self._count(each)
                self.line(text)
            return
        self._line("", node)
        stack = [(iter(node.children), len(node.children), "")]
        depth = 1
        while stack:
            children, remaining, indent = stack[-1]
            child = next(children, None)
            if child is None:
                stack.pop()
                continue
            stack[-1] = (children, remaining - 1, indent)
            last = remaining == 1
            self._count(child)
            branch = "" if self.options.flat else indent + self.boxes[2 if last else 1]
            self._line(branch, child)
            if child.children:
                depth += 1
                stack.append(
                    (iter(child.children), len(child.children), indent + ("    " if last else self.boxes[0]))
                )

    def _count(self, node: Node) -> None:
        self.ctx.charge()
        if node.is_directory or (node.target is not None and self._leads_to_directory(node)):
            self.directories += 1
        else:
            self.files += 1

    def _leads_to_directory(self, node: Node) -> bool:
        return not self.options.from_file and self.ctx.fs.is_dir(self.ctx.path(node.path))

    def _line(self, branch: str, node: Node) -> None:
        options = self.options
        name = self._paint(self._quote_name(node.path if options.full else node.name), node)
        if options.classify:
            name += self._sign(node.info.mode) if node.target is None else ""
        if node.target is not None:
            name += f" -> {self._paint_target(self._quote_name(node.target), node)}"
            if options.classify:
                name += self._sign_of_target(node)
        note = f"  [{node.note}]" if node.note else ""
        if branch and options.graphics:
            branch = f"\x1b(0{branch}\x1b(B"
        details = self._details(node)
        start = f"{details}{branch}" if options.first_details else f"{branch}{details}"
        self.line(f"{start}{name}{note}")

    def _paint(self, shown: str, node: Node) -> str:
        if self.colours is None:
            return shown
        dangling = node.target is not None and not self._target_mode(node)
        return self.colours.paint(shown, node.name, node.info.mode, dangling=dangling)

    def _paint_target(self, shown: str, node: Node) -> str:
        if self.colours is None or node.target is None:
            return shown
        return self.colours.paint(shown, node.target, self._target_mode(node))

    def _target_mode(self, node: Node) -> int:
        """Return the type and permissions of the target of a link, 0 if it is missing."""
        try:
            return self.ctx.fs.stat(self.ctx.path(node.path)).mode
        except OSError:
            return 0

    def _quote_name(self, name: str) -> str:
        if self.options.literal:
            return name
        if self.options.quote:
            name = name.replace("\\", "\\\\").replace('"', '\\"')
        else:
            name = name.replace("\\", "\\\\").replace(" ", "\\ ") if "\\" in name else name
        hide = self.options.hide_control
        text = "".join(
            c if c.isprintable() or ord(c) >= 0xDC80 else "?" if hide else f"\\{ord(c):03o}" for c in name
        )
        return f'"{text}"' if self.options.quote else text

    def _sign(self, mode: int) -> str:
        if bits.S_ISREG(mode):
            return "*" if mode & 0o111 else ""
        return _SIGNS.get(bits.S_IFMT(mode), "")

    def _sign_of_target(self, node: Node) -> str:
        try:
            return self._sign(self.ctx.fs.stat(self.ctx.path(node.path)).mode)
        except OSError:
            return ""

    def _details(self, node: Node) -> str:
        options, info = self.options, node.info
        parts = []
        if options.inodes:
            parts.append(f"{info.inode:7}")
        if options.device:
            parts.append(f"{info.device:3}")
        if options.protections:
            parts.append(mode_string(info.mode))
        if self.names is not None and options.user:
            parts.append(f"{self.names.user(info.uid):<8}")
        if self.names is not None and options.group:
            parts.append(f"{self.names.group(info.gid):<8}")
        if options.sizes or options.usage:
            size = node.total if options.usage else info.size
            parts.append(f"{size:11}" if options.sizes in ("", "bytes") else f"{self._human(size):>4}")
        if options.dates or options.time_format is not None:
            parts.append(self._date(info.mtime_ns // 10**9))
        return f"[{' '.join(parts)}]  " if parts else ""

    def _date(self, seconds: int) -> str:
        now = int(self.ctx.now())
        format_ = self.options.time_format
        if format_ is None:
            format_ = "%b %e %H:%M" if now - HALF_YEAR < seconds <= now else "%b %e  %Y"
        return strftime(format_, seconds, self.ctx.environment.get("TZ"))

    def _human(self, size: int) -> str:
        """Return a rounded size, with one decimal below ten."""
        if self.options.sizes == "si":
            return human_size(size, "si")
        if size < 1024:
            return str(size)
        value = float(size)
        for unit in "KMGTPEZY":
            value /= 1024
            if value < 1024 or unit == "Y":
                return f"{value:.1f}{unit}" if value < 10 else f"{value:.0f}{unit}"
        return str(size)

    # ------------------------------------------------------------------ JSON, and the end

    def _json(self, top: Node) -> None:
        """Print nested objects, each on a line of its own."""
        stack = [iter([top])]
        is_first = [True]
        while stack:
            node = next(stack[-1], None)
            if node is None:
                stack.pop()
                is_first.pop()
                if stack:
                    self.write(b"\n" + b"  " * len(stack) + b"]}")
                continue
            if node is not top:
                self._count(node)
                self.write(b"\n" if is_first[-1] else b",\n")
                is_first[-1] = False
            self.write(("  " * len(stack) + "{" + self._object(node)).encode("utf-8", "surrogateescape"))
            if node.children:
                self.write(b',"contents":[')
                stack.append(iter(node.children))
                is_first.append(True)
            elif node.children is not None and not node.note:
                self.write(b',"contents":[\n' + b"  " * len(stack) + b"]}" if node is top else b"}")
            else:
                self.write(b"}")
        self.write(b"\n")

    def _object(self, node: Node) -> str:
        options, info = self.options, node.info
        kind = "directory" if node.is_directory else "link" if node.target is not None else "file"
        fields = [f'"type":"{kind}"', f'"name":{_json(node.path if options.full else node.name)}']
        if node.target is not None:
            fields.append(f'"target":{_json(node.target)}')
        if options.inodes:
            fields.append(f'"inode":{info.inode}')
        if options.protections:
            fields.append(f'"mode":"{info.mode & 0o7777:04o}","prot":"{mode_string(info.mode)}"')
        if self.names is not None and options.user:
            fields.append(f'"user":{_json(self.names.user(info.uid))}')
        if self.names is not None and options.group:
            fields.append(f'"group":{_json(self.names.group(info.gid))}')
        if options.sizes or options.usage:
            fields.append(f'"size":{node.total if options.usage else info.size}')
        if options.dates or options.time_format is not None:
            fields.append(f'"time":{_json(self._date(info.mtime_ns // 10**9))}')
        return ",".join(fields)

    def _attributes(self, node: Node) -> list[tuple[str, str]]:
        """Return the XML attributes of a node."""
        options, info = self.options, node.info
        attributes = [("name", node.path if options.full else node.name)]
        if node.target is not None:
            attributes.append(("target", node.target))
        if options.inodes:
            attributes.append(("inode", str(info.inode)))
        if options.device:
            attributes.append(("dev", str(info.device)))
        if options.protections:
            attributes += [("mode", f"{info.mode & 0o7777:04o}"), ("prot", mode_string(info.mode))]
        if self.names is not None and options.user:
            attributes.append(("user", self.names.user(info.uid)))
        if self.names is not None and options.group:
            attributes.append(("group", self.names.group(info.gid)))
        if options.sizes or options.usage:
            attributes.append(("size", str(node.total if options.usage else info.size)))
        if options.dates or options.time_format is not None:
            attributes.append(("time", self._date(info.mtime_ns // 10**9)))
        return attributes

    def report(self) -> None:
        """Print the numbers of directories and files."""
        options, files = self.options, self.files
        if options.json:
            if not options.no_report:
                file_count = "" if options.directories else f',"files":{files}'
                self.line(f',\n  {{"type":"report","directories":{self.directories}{file_count}}}')
            self.line("\n]" if options.no_report else "]")
            return
        if options.xml:
            if not options.no_report:
                total = self.bytes if options.usage else None
                self.line(xml.report(total, self.directories, None if options.directories else files))
            self.line("</tree>")
            return
        if options.no_report:
            return
        text = f"{self.directories} director{'y' if self.directories == 1 else 'ies'}"
        if not options.directories:
            text += f", {files} file{'' if files == 1 else 's'}"
        if options.usage:
            size = f"{self.bytes:12}" if options.sizes in ("", "bytes") else f"{self._human(self.bytes):>5}"
            text = f"{size}{' bytes' if options.sizes in ('', 'bytes') else ''} used in {text}"
        self.line(f"\n{text}")


def _json(text: str) -> str:
    return dumps(text, ensure_ascii=False)


def _locale(ctx: Context) -> str:
    """Return the character set that the locale names."""
    for name in ("LC_ALL", "LC_CTYPE", "LANG"):
        value = ctx.environment.get(name)
        if value:
            return "ASCII" if value in ("C", "POSIX") else "UTF-8"
    return "UTF-8"
