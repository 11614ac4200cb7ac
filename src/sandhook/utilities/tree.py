"""tree: list the contents of directories as a tree.

Oracle: tree 2.1.0. Names come in byte order. Divergence: L-TREE-001, colours, XML, HTML, --gitignore, --fromfile,
-o, -R and --matchdirs are not offered, and --du counts each byte once at the end.
"""

from __future__ import annotations

import stat as bits
from collections.abc import Sequence
from json import dumps

from sandhook.utilities._base import Context, UsageError, also, opt, option_set
from sandhook.utilities._files import accounts, one_of, stat_of
from sandhook.utilities._listing import HALF_YEAR, human_size
from sandhook.utilities._mode import mode_string
from sandhook.utilities._time import strftime
from sandhook.utilities._tree_nodes import MAX_DEPTH, Forest, Node, Rules, patterns

_BOXES = ("│\u00a0\u00a0 ", "├── ", "└── ")
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
    """tree [-adfFilnNpsughDQrtcUvxJ] [-L LEVEL] [-P PATTERN] [-I PATTERN] [DIRECTORY]...

    List each DIRECTORY (.) with all below it.
    """

    hidden: bool = opt("-a", help="hidden files too")
    directories: bool = opt("-d", help="directories alone")
    full: bool = opt("-f", help="the whole path of each file")
    classify: bool = opt("-F", help="a sign behind each name, as ls -F")
    flat: bool = opt("-i", help="no lines, and no indentation")
    follow: bool = opt("-l", help="go into directories that links lead to")
    level: int = opt("-L", "LEVEL", "how deep to go", convert=_level, default=MAX_DEPTH)
    plain: bool = opt("-n", help="no colours: there are none")
    protections: bool = opt("-p", help="permissions")
    sizes: str = also(
        opt("-s", help="sizes in bytes", const="bytes", default=""),
        opt("-h", help="sizes like 4.0K", const="human"),
        opt("--si", help="like -h, with powers of 1000", const="si"),
    )
    usage: bool = opt("--du", help="sizes; of a directory, with all below it")
    user: bool = opt("-u", help="owners")
    group: bool = opt("-g", help="groups")
    dates: bool = opt("-D", help="dates of last modification")
    inodes: bool = opt("--inodes", help="inode numbers")
    quote: bool = opt("-Q", help="names in double quotes")
    literal: bool = opt("-N", help="names as they are")
    sort: str = also(
        opt("-v", help="sort by version", const="version", default="name"),
        opt("-t", help="sort by time of last modification", const="mtime"),
        opt("-c", help="sort by time of last change", const="ctime"),
        opt("-U", help="do not sort", const="none"),
        opt("--sort", "NAME", "name, version, size, mtime, ctime or none",
            convert=one_of("--sort", "name", "version", "size", "mtime", "ctime", "none")),
    )  # fmt: skip
    reverse: bool = opt("-r", help="the other way round")
    first: str = also(
        opt("--dirsfirst", help="directories before files", const="directories", default=""),
        opt("--filesfirst", help="files before directories", const="files"),
    )
    pattern: tuple[str, ...] = opt("-P", "PATTERN", "list only files that match", append=True)
    ignore: tuple[str, ...] = opt("-I", "PATTERN", "leave out what matches", append=True)
    ignore_case: bool = opt("--ignore-case", help="patterns do not mind case")
    prune: bool = opt("--prune", help="leave out empty directories")
    limit: int = opt(
        "--filelimit", "N", "do not list directories with more entries", convert=_limit, default=0
    )
    one_device: bool = opt("-x", help="stay on one file system")
    json: bool = opt("-J", help="JSON")
    no_report: bool = opt("--noreport", help="no count at the end")
    charset: str | None = opt("--charset", "NAME", "UTF-8 for lines of box characters, else ASCII")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 2 when an operand could not be read."""
    rules = Rules(
        options.hidden, options.directories, options.follow, options.level, options.limit, options.one_device,
        options.prune, options.sort, options.reverse, options.first,
        patterns(options.pattern, options.ignore_case), patterns(options.ignore, options.ignore_case),
    )  # fmt: skip
    writer = _Writer(options, ctx)
    if options.json:
        ctx.write_line("[")
    for index, name in enumerate(operands or ["."]):
        ctx.charge()
        if options.json and index:
            ctx.write_line(",")
        try:
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
    def __init__(self, options: Options, ctx: Context) -> None:
        self.options = options
        self.ctx = ctx
        self.directories = 0
        self.files = 0
        self.bytes = 0
        self.names = accounts(ctx.fs) if options.user or options.group else None
        charset = options.charset if options.charset is not None else _locale(ctx)
        self.boxes = _BOXES if charset.upper().replace("-", "") == "UTF8" else _ASCII

    def missing(self, name: str) -> None:
        """Tell of an operand that is not there."""
        self.ctx.failed = 2
        if self.options.json:
            self.ctx.write_line(f'  {{"type":"directory","name":{_json(name)},"error":"opening dir"}}')
        else:
            self.ctx.write_line(f"{name}  [error opening dir]")

    def top(self, node: Node) -> None:
        """Print an operand with all below it."""
        if node.below is None:  # a file
            before = self.ctx.failed
            self.missing(node.name)
            self.ctx.failed = before
            self.files += 1
            return
        self.directories += bool(node.below or node.note)
        self.bytes += node.total
        if self.options.json:
            self._json(node)
            return
        self._line("", node)
        stack = [(iter(node.below), len(node.below), "")]
        depth = 1
        while stack:
            children, left, indent = stack[-1]
            child = next(children, None)
            if child is None:
                stack.pop()
                continue
            stack[-1] = (children, left - 1, indent)
            last = left == 1
            self._count(child)
            branch = "" if self.options.flat else indent + self.boxes[2 if last else 1]
            self._line(branch, child)
            if child.below:
                depth += 1
                stack.append(
                    (iter(child.below), len(child.below), indent + ("    " if last else self.boxes[0]))
                )

    def _count(self, node: Node) -> None:
        self.ctx.charge()
        if node.is_directory or (node.target is not None and self._leads_to_directory(node)):
            self.directories += 1
        else:
            self.files += 1

    def _leads_to_directory(self, node: Node) -> bool:
        return self.ctx.fs.is_dir(self.ctx.path(node.path))

    def _line(self, branch: str, node: Node) -> None:
        options = self.options
        shown = self._shown(node.path if options.full else node.name)
        if options.classify:
            shown += self._sign(node.info.mode) if node.target is None else ""
        if node.target is not None:
            shown += f" -> {self._shown(node.target)}"
            if options.classify:
                shown += self._sign_of_target(node)
        note = f"  [{node.note}]" if node.note else ""
        self.ctx.write_line(f"{branch}{self._details(node)}{shown}{note}")

    def _shown(self, name: str) -> str:
        if self.options.literal:
            return name
        if self.options.quote:
            name = name.replace("\\", "\\\\").replace('"', '\\"')
        else:
            name = name.replace("\\", "\\\\").replace(" ", "\\ ") if "\\" in name else name
        text = "".join(c if c.isprintable() or ord(c) >= 0xDC80 else f"\\{ord(c):03o}" for c in name)
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
        if options.protections:
            parts.append(mode_string(info.mode))
        if self.names is not None and options.user:
            parts.append(f"{self.names.user(info.uid):<8}")
        if self.names is not None and options.group:
            parts.append(f"{self.names.group(info.gid):<8}")
        if options.sizes or options.usage:
            size = node.total if options.usage else info.size
            parts.append(f"{size:11}" if options.sizes in ("", "bytes") else f"{self._human(size):>4}")
        if options.dates:
            seconds = info.mtime_ns // 10**9
            now = int(self.ctx.now())
            form = "%b %e %H:%M" if now - HALF_YEAR < seconds <= now else "%b %e  %Y"
            parts.append(strftime(form, seconds, self.ctx.environment.get("TZ")))
        return f"[{' '.join(parts)}]  " if parts else ""

    def _human(self, size: int) -> str:
        """Return a size rounded to the nearest, with one decimal below ten."""
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
        ended = [True]
        while stack:
            node = next(stack[-1], None)
            if node is None:
                stack.pop()
                ended.pop()
                if stack:
                    self.ctx.write(b"\n" + b"  " * len(stack) + b"]}")
                continue
            if node is not top:
                self._count(node)
                self.ctx.write(b"\n" if ended[-1] else b",\n")
                ended[-1] = False
            self.ctx.write(("  " * len(stack) + "{" + self._object(node)).encode("utf-8", "surrogateescape"))
            if node.below:
                self.ctx.write(b',"contents":[')
                stack.append(iter(node.below))
                ended.append(True)
            elif node.below is not None and not node.note:
                self.ctx.write(b',"contents":[\n' + b"  " * len(stack) + b"]}" if node is top else b"}")
            else:
                self.ctx.write(b"}")
        self.ctx.write(b"\n")

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
        return ",".join(fields)

    def report(self) -> None:
        """Print how many directories and files there were."""
        options, files = self.options, self.files
        if options.json:
            if not options.no_report:
                counted = "" if options.directories else f',"files":{files}'
                self.ctx.write_line(f',\n  {{"type":"report","directories":{self.directories}{counted}}}')
            self.ctx.write_line("\n]" if options.no_report else "]")
            return
        if options.no_report:
            return
        text = f"{self.directories} director{'y' if self.directories == 1 else 'ies'}"
        if not options.directories:
            text += f", {files} file{'' if files == 1 else 's'}"
        if options.usage:
            size = f"{self.bytes:12}" if options.sizes in ("", "bytes") else f"{self._human(self.bytes):>5}"
            text = f"{size}{' bytes' if options.sizes in ('', 'bytes') else ''} used in {text}"
        self.ctx.write_line(f"\n{text}")


def _json(text: str) -> str:
    return dumps(text, ensure_ascii=False)


def _locale(ctx: Context) -> str:
    """Return the character set that the locale names."""
    for name in ("LC_ALL", "LC_CTYPE", "LANG"):
        value = ctx.environment.get(name)
        if value:
            return "ASCII" if value in ("C", "POSIX") else "UTF-8"
    return "UTF-8"
