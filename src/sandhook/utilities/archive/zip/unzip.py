"""unzip: list, test and extract archives that zip made.

Oracle: Info-ZIP UnZip 6.00. Divergence: L-ZIP-001, nothing is made outside of the directory, through links
neither; encrypted members, ZIP64 and methods besides stored and deflated are skipped.
"""

from __future__ import annotations

import stat as bits
from collections.abc import Iterator, Sequence

from sandhook.command.context import Context
from sandhook.command.links import leads_out
from sandhook.command.operands import reason
from sandhook.command.options import Syntax, UsageError, opt, option_set
from sandhook.pattern.glob import compile_pattern
from sandhook.utilities.archive.zip import zipinfo
from sandhook.utilities.archive.zip.format import (
    STORED,
    FormatError,
    Member,
    comment_of,
    contents,
    packed_data,
)
from sandhook.utilities.archive.zip.search import NO_ARCHIVE, Archive, find_archive, split_words
from sandhook.vfs.path import VirtualPath

RAW = True  # -x takes all words after it
USAGE_STATUS = 10

_WARNING, _BROKEN, _UNMATCHED, _UNSUPPORTED, _ENCRYPTED = 1, 2, 11, 81, 82
_METHODS = {0: "Stored", 1: "Shrunk", 6: "Implode", 12: "BZip2", 14: "LZMA"}


@option_set
class Options:
    """unzip [-lvtpczZonqjaCLKuf] ARCHIVE [MEMBER]... [-x MEMBER...] [-d DIRECTORY]

    Extract the MEMBERs of ARCHIVE, all of them without any; MEMBERs may be patterns, whose * matches slashes, too.
    """

    exclude: tuple[str, ...] = opt(
        "-x", "PATTERN...", "leave members out; all words after it are patterns", append=True
    )
    list_: bool = opt("-l", help="list the members")
    verbose: bool = opt("-v", help="list them with sizes and methods")
    test: bool = opt("-t", help="check them")
    pipe: bool = opt("-p", help="write their contents to standard output")
    show: bool = opt("-c", help="write members to standard output, with their names")
    comment: bool = opt("-z", help="print the comment of the archive")
    info: bool = opt("-Z", help="as the first option: do what zipinfo does")
    overwrite: bool = opt("-o", help="overwrite files without asking")
    never: bool = opt("-n", help="never overwrite files")
    quiet: tuple[bool, ...] = opt("-q", help="say less; twice, say nothing", append=True)
    junk: bool = opt("-j", help="make no directories")
    icase: bool = opt("-C", help="MEMBERs ignore case")
    lower: bool = opt("-L", help="make names lower case")
    update: bool = opt("-u", help="only files that are newer or missing")
    freshen: bool = opt("-f", help="only files that are newer and there")
    text: tuple[bool, ...] = opt(
        "-a", help="lines of text end in LF; twice, those of all members", append=True
    )
    binary: bool = opt("-b", help="take all members as they are, whatever -a says")
    special: bool = opt("-K", help="keep the bits for set-user-id, set-group-id and the sticky bit")
    directory: str | None = opt("-d", "DIRECTORY", "extract there")
    taken: bool = opt("-X", "-D", "-U", "-UU", "-B", "-M", ignored="")


_SYNTAX = Syntax(Options)


def run(_: None, arguments: Sequence[str], ctx: Context) -> int:
    """Return 0, 1 after a warning, 2 for damage, 9 without an archive, 11 when no member matches."""
    if arguments and arguments[0][:2] == "-Z":
        rest = arguments[0][2:]
        return zipinfo.run(None, [*([f"-{rest}"] if rest else []), *arguments[1:]], ctx)
    words, excluded = split_words(list(arguments))
    options, operands = _SYNTAX.parse(words)
    excluded += options.exclude
    if not operands:
        if arguments and not options.verbose:
            raise UsageError("an archive is wanted")
        ctx.write_line(
            "unzip (sandhook): unzip [-lvtpcoqj] ARCHIVE [MEMBER]... [-x MEMBER...] [-d DIRECTORY]"
        )
        return 0
    if options.info:
        raise UsageError("-Z must be first option for ZipInfo mode")
    prints, updates = options.pipe or options.show, options.update or options.freshen
    if (
        (prints and (options.test or updates))
        or (options.test and updates)
        or (options.freshen and options.never)
    ):
        raise UsageError("-fn or any combination of -c, -l, -p, -t, -u and -v options invalid")
    found = find_archive(operands[0], ctx, "unzip")
    if found is None:
        return NO_ARCHIVE
    name, data, members = found
    return _Job(options, Archive(name, data, members), operands[1:], excluded, ctx).run()


class _Job:
    """What is asked for, and how the work goes."""

    def __init__(
        self,
        options: Options,
        archive: Archive,
        wanted: Sequence[str],
        excluded: Sequence[str],
        ctx: Context,
    ) -> None:
        self._options = options
        self._name, self._data, self._members = archive
        self._ctx = ctx
        self._wanted = [(text, compile_pattern(text, extglob=False, nocase=options.icase)) for text in wanted]
        self._excluded = [compile_pattern(text, extglob=False, nocase=options.icase) for text in excluded]
        self._seen: set[str] = set()
        self._status = 0
        self._every = "A" if options.overwrite else "N" if options.never else ""
        self._root = ""
        self._links: list[tuple[str, str]] = []
        self._directories: list[tuple[str, Member]] = []

    @property
    def _lists(self) -> bool:
        return self._options.list_ or self._options.verbose

    def run(self) -> int:
        """Do it; return the exit status."""
        ctx, options = self._ctx, self._options
        comment = comment_of(self._data)
        if options.comment and not options.list_ and not options.verbose and not options.test:
            if not options.quiet:
                ctx.write_line(f"Archive:  {self._name}")
            ctx.write(comment + (b"\n" if comment else b""))
            return 0
        if not (options.pipe or options.quiet):
            ctx.write_line(f"Archive:  {self._name}")
            ctx.write(comment + (b"\n" if comment else b""))
        if not self._members:
            self._error(f"warning [{self._name}]:  zipfile is empty")
            return _WARNING
        extra = min(member.offset for member in self._members)
        if extra:
            self._error(
                f"warning [{self._name}]:  {extra} extra byte{'' if extra == 1 else 's'} at beginning or within zipfile\n"
                "  (attempting to process anyway)"
            )
            self._status = _WARNING
        chosen = [member for member in self._members if self._chosen(member)]
        if self._lists:
            self._list(chosen)
        elif options.test:
            self._test(chosen)
        elif options.pipe or options.show:
            self._print(chosen)
        else:
            self._extract(chosen)
        ctx.flush()
        for text, _ in self._wanted:
            if text not in self._seen:
                message = f"caution: filename not matched:  {text}\n"
                ctx.process.write_error(message.encode("utf-8", "surrogateescape"))
                self._status = max(self._status, _UNMATCHED)
        return _UNMATCHED if self._wanted and not self._seen else self._status

    def _chosen(self, member: Member) -> bool:
        self._ctx.charge()
        good = not self._wanted
        for text, pattern in self._wanted:
            if pattern.matches(member.name):
                self._seen.add(text)
                good = True
        return good and not any(pattern.matches(member.name) for pattern in self._excluded)

    # ------------------------------------------------------------------ lists

    def _list(self, members: Sequence[Member]) -> None:
        ctx, full, titled = self._ctx, self._options.verbose, len(self._options.quiet) < 2
        if titled:
            ctx.write_line(
                " Length   Method    Size  Cmpr    Date    Time   CRC-32   Name\n"
                "--------  ------  ------- ---- ---------- ----- --------  ----"
                if full
                else "  Length      Date    Time    Name\n---------  ---------- -----   ----"
            )
        for member in members:
            year, month, day, hour, minute, _ = member.wall
            when = f"{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}"
            if full:
                method = _method(member)
                ctx.write_line(
                    f"{member.size:8}  {method:<7}{member.packed:8} {member.percent:3}% {when} {member.crc:08x}  "
                    f"{member.name}"
                )
            else:
                ctx.write_line(f"{member.size:9}  {when}   {member.name}")
        if not titled:
            return
        size, packed = sum(each.size for each in members), sum(each.packed for each in members)
        count = f"{len(members)} file{'' if len(members) == 1 else 's'}"
        if full:
            whole = Member("")
            whole.size, whole.packed = size, packed
            ctx.write_line("--------          -------  ---                            -------")
            ctx.write_line(
                f"{size:8}         {packed:8} {whole.percent:3}%                            {count}"
            )
        else:
            ctx.write_line("---------                     -------")
            ctx.write_line(f"{size:9}                     {count}")

    # ------------------------------------------------------------------ contents

    def _pieces(self, member: Member) -> Iterator[bytes]:
        """Yield a member's contents; report why it cannot be read."""
        try:
            pieces = contents(packed_data(self._data, member), member, self._ctx.budget)
            yield from _as_text(pieces) if self._converts(member) else pieces
        except FormatError as error:
            self._status = max(self._status, _BROKEN)
            raise _Broken(str(error)) from None

    def _converts(self, member: Member) -> bool:
        """Return whether -a is for this member; a link is none of text, and -t checks what is there."""
        options = self._options
        wanted = len(options.text) > 1 or (bool(options.text) and member.text)
        return wanted and not (options.binary or options.test or bits.S_ISLNK(member.mode))

    def _heading(self, member: Member, name: str) -> str:
        """Return what is said of a member that is written; a single -a adds how it is taken."""
        options = self._options
        label = ""
        if len(options.text) == 1 and not options.binary:
            label = "[text]  " if member.text else "[binary]"
        return f"{_verb(member)}: {name:<22}  {label}"

    def _usable(self, member: Member) -> bool:
        if member.encrypted:
            self._skip(member, "unable to get password", _ENCRYPTED)
        elif member.method not in (0, 8):
            self._skip(member, f"unsupported compression method {member.method}", _UNSUPPORTED)
        else:
            return True
        return False

    def _skip(self, member: Member, why: str, status: int) -> None:
        self._ctx.flush()
        text = f"   skipping: {member.name:<22}  {why}\n"
        self._ctx.process.write_error(text.encode("utf-8", "surrogateescape"))
        self._status = max(self._status, status)

    def _test(self, members: Sequence[Member]) -> None:
        ctx, quiet = self._ctx, bool(self._options.quiet)
        broken = 0
        for member in members:
            if not self._usable(member):
                continue
            head = f"    testing: {member.name:<22}   "
            try:
                for _ in self._pieces(member):
                    pass
            except _Broken as error:
                broken += 1
                ctx.write_line(f"{head}{error}")
                continue
            if not quiet:
                ctx.write_line(f"{head}OK")
        if len(self._options.quiet) < 2:
            if broken:
                ctx.write_line(f"At least one error was detected in {self._name}.")
            elif self._wanted or self._excluded:
                count = f"{len(members)} file{'' if len(members) == 1 else 's'}"
                ctx.write_line(f"No errors detected in {self._name} for the {count} tested.")
            else:
                ctx.write_line(f"No errors detected in compressed data of {self._name}.")

    def _print(self, members: Sequence[Member]) -> None:
        ctx = self._ctx
        named = self._options.show and not self._options.quiet
        for member in members:
            if member.is_directory or not self._usable(member):
                continue
            if named:
                ctx.write_line(self._heading(member, member.name))
            try:
                for piece in self._pieces(member):
                    ctx.write(piece)
            except _Broken as error:
                self._error(f"{member.name:<22}  {error}")
            if named:
                ctx.write(b"\n")

    # ------------------------------------------------------------------ extracting

    def _extract(self, members: Sequence[Member]) -> None:
        ctx, base = self._ctx, self._options.directory
        if base is not None:
            path = ctx.path(base)
            if not ctx.fs.exists(path):
                ctx.fs.mkdir(path, 0o777 & ~ctx.process.umask)
        base = "" if base is None else base.rstrip("/") or "/"
        self._root = str(ctx.fs.realpath(ctx.path(base or ".")))
        for member in members:
            ctx.charge()
            if not self._usable(member):
                continue
            name = self._target(member)
            if not name:
                continue
            target = f"{base}/{name}" if base and base != "/" else f"{base}{name}"
            try:
                self._one(member, target)
            except OSError as error:
                self._status = max(self._status, _WARNING)
                ctx.error(f"cannot create {target}: {reason(error)}")
        self._finish()

    def _target(self, member: Member) -> str:
        """Return the name to make, relative to the directory: no leading slash, and no ".."."""
        name = member.name.lower() if self._options.lower else member.name
        parts = [part for part in name.split("/") if part not in ("", ".", "..")]
        if name[:1] == "/" and not self._options.junk:
            self._warn_name(f"stripped absolute path spec from {name}")
        if ".." in name.split("/") and not self._options.junk:
            self._warn_name(f'skipped "../" path component(s) in {name}')
        if self._options.junk:
            return "" if member.is_directory else "".join(parts[-1:])
        return "/".join(parts) + ("/" if member.is_directory and parts else "")

    def _warn_name(self, text: str) -> None:
        """Warn of a changed name, which is worth a status of its own only where it is said."""
        if not self._options.quiet:
            self._warning(text)

    def _warning(self, text: str) -> None:
        self._ctx.flush()
        self._ctx.process.write_error(f"warning:  {text}\n".encode("utf-8", "surrogateescape"))
        self._status = max(self._status, _WARNING)

    def _error(self, text: str) -> None:
        self._ctx.flush()
        self._ctx.process.write_error(f"{text}\n".encode("utf-8", "surrogateescape"))

    def _say(self, text: str) -> None:
        if not self._options.quiet:
            self._ctx.write_line(text)

    def _one(self, member: Member, target: str) -> None:
        fs = self._ctx.fs
        if not self._way(target):
            self._warning(f"{member.name} leads out of the directory; not extracted")
            return
        path = self._ctx.path(target)
        if member.is_directory:
            if self._options.freshen and not fs.is_dir(path):
                return
            if not fs.is_dir(path):
                self._say(f"   creating: {target}")
                fs.mkdir(path, 0o777 & ~self._ctx.process.umask)
            self._directories.append((target, member))
            return
        there = self._present(path)
        if there is None and self._options.freshen:
            return
        if there is not None:
            if (self._options.update or self._options.freshen) and there // 10**9 >= member.mtime:
                return
            renamed = self._may_replace(target)
            if renamed is None:
                return
            target, path = renamed, self._ctx.path(renamed)
            if self._present(path) is not None:
                fs.unlink(path)
        if bits.S_ISLNK(member.mode):
            link = b"".join(self._pieces(member)).decode("utf-8", "surrogateescape")
            self._links.append((target, link))
            self._say(f"    linking: {target:<22}  -> {link} ")
            return
        said = not self._options.quiet
        if said:
            self._ctx.write(self._heading(member, target).encode("utf-8", "surrogateescape"))
        file = self._ctx.create(target)
        try:
            for piece in self._pieces(member):
                file.write(piece)
        except _Broken as error:
            self._error(f" {error}" if said else f"{target:<22}   {error}")
            said = False
        finally:
            file.release()
        if said:
            self._ctx.write(b"\n")
        if member.mode:
            fs.chmod(path, member.mode & (0o7777 if self._options.special else 0o777))
        fs.utime(path, member.mtime * 10**9, member.mtime * 10**9)

    def _present(self, path: VirtualPath) -> int | None:
        """Return when what is there was changed, None for nothing."""
        try:
            return self._ctx.fs.stat(path, follow=False).mtime_ns
        except OSError:
            return None

    def _way(self, target: str) -> bool:
        """Make the directories above; return whether they are below the root, links followed."""
        fs = self._ctx.fs
        parent = target.rstrip("/").rpartition("/")[0]
        made = ""
        for part in parent.split("/") if parent else []:
            made += part
            path = self._ctx.path(made or "/")
            if not fs.exists(path):
                fs.mkdir(path, 0o777 & ~self._ctx.process.umask)
            made += "/"
        real = str(fs.realpath(self._ctx.path(parent or ("/" if target[:1] == "/" else "."))))
        return real == self._root or real.startswith(self._root.rstrip("/") + "/")

    def _may_replace(self, target: str) -> str | None:
        """Ask whether a file may be replaced; return the name to write, None for none."""
        ctx = self._ctx
        while not self._every:
            ctx.flush()
            question = f"replace {target}? [y]es, [n]o, [A]ll, [N]one, [r]ename: "
            ctx.process.write_error(question.encode("utf-8", "surrogateescape"))
            answer = (
                ctx.process.descriptor(0).read_until(b"\n", 4096) if 0 in ctx.process.descriptors else b""
            )
            ctx.charge()
            if not answer:
                ctx.process.write_error(b' NULL\n(EOF or read error, treating as "[N]one" ...)\n')
                self._every = "N"
                self._status = max(self._status, _WARNING)
            elif answer[:1] in (b"y", b"Y"):
                return target
            elif answer[:1] == b"n":
                return None
            elif answer[:1] in (b"A", b"N"):
                self._every = answer[:1].decode()
            elif answer[:1] == b"r":
                ctx.process.write_error(b"new name: ")
                name = (
                    ctx.process.descriptor(0)
                    .read_until(b"\n", 4096)
                    .decode("utf-8", "surrogateescape")
                    .strip("\n")
                )
                if name and self._way(name):
                    return name
        return target if self._every == "A" else None

    def _finish(self) -> None:
        """Make the links, now that nothing more is written through them, and finish directories."""
        fs = self._ctx.fs
        if self._links:
            self._say("finishing deferred symbolic links:")
        for target, link in self._links:
            self._ctx.charge()
            if leads_out(target[len(self._options.directory or "") :].lstrip("/"), link):
                self._warning(f"{target}: link to {link} leads out of the directory; not extracted")
                continue
            fs.symlink(link, self._ctx.path(target))
            self._say(f"  {target:<22} -> {link}")
        for target, member in reversed(self._directories):
            path = self._ctx.path(target)
            if member.mode:
                fs.chmod(path, member.mode & 0o777)
            fs.utime(path, member.mtime * 10**9, member.mtime * 10**9)


class _Broken(Exception):
    """A member cannot be read to its end."""


def _verb(member: Member) -> str:
    return " extracting" if member.method == STORED else "  inflating"


def _method(member: Member) -> str:
    if member.method == 8:
        return f"Defl:{'NXFS'[member.flags >> 1 & 3]}"
    return _METHODS.get(member.method, f"Unk:{member.method:03}")


def _as_text(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield text with lines that end in LF, whatever ended them, and without control-Z."""
    ended = False
    for piece in pieces:
        if ended and piece[:1] == b"\n":
            piece = piece[1:]
            ended = False
        if piece:
            ended = piece[-1:] == b"\r"
            yield piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n").replace(b"\x1a", b"")
