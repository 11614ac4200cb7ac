"""unzip: list, test and extract zip archives.

Oracle: Info-ZIP UnZip 6.00. Divergence: L-ZIP-001, nothing is created outside the directory, not even through
links; encrypted members, ZIP64, and methods other than stored and deflated are skipped.
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

RAW = True  # -x consumes all words after it
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
    info: bool = opt("-Z", help="as the first option: run zipinfo")
    overwrite: bool = opt("-o", help="overwrite files without asking")
    never: bool = opt("-n", help="never overwrite files")
    quiet: tuple[bool, ...] = opt("-q", help="print less; twice, print nothing", append=True)
    junk: bool = opt("-j", help="extract without directories")
    icase: bool = opt("-C", help="MEMBERs ignore case")
    lower: bool = opt("-L", help="make names lower case")
    update: bool = opt("-u", help="only files that are newer or missing")
    freshen: bool = opt("-f", help="only files that exist and are newer")
    text: tuple[bool, ...] = opt(
        "-a", help="convert text members to LF line ends; twice, all members", append=True
    )
    binary: bool = opt("-b", help="convert no member, whatever -a says")
    special: bool = opt("-K", help="keep the bits for set-user-id, set-group-id and the sticky bit")
    directory: str | None = opt("-d", "DIRECTORY", "extract there")
    without_effect: bool = opt("-X", "-D", "-U", "-UU", "-B", "-M", ignored="")


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
    archive = find_archive(operands[0], ctx, "unzip")
    if archive is None:
        return NO_ARCHIVE
    name, data, members = archive
    return _Job(options, Archive(name, data, members), operands[1:], excluded, ctx).run()


class _Job:
    """One call of unzip."""

    def __init__(
        self,
        options: Options,
        archive: Archive,
        patterns: Sequence[str],
        excluded: Sequence[str],
        ctx: Context,
    ) -> None:
        self._options = options
        self._name, self._data, self._members = archive
        self._ctx = ctx
        self._patterns = [
            (text, compile_pattern(text, extglob=False, nocase=options.icase)) for text in patterns
        ]
        self._excluded = [compile_pattern(text, extglob=False, nocase=options.icase) for text in excluded]
        self._matched_patterns: set[str] = set()
        self._status = 0
        self._answer_for_all = "A" if options.overwrite else "N" if options.never else ""
        self._root = ""
        self._links: list[tuple[str, str]] = []
        self._directories: list[tuple[str, Member]] = []

    @property
    def _lists(self) -> bool:
        return self._options.list_ or self._options.verbose

    def run(self) -> int:
        """Print, list, test or extract; return the exit status."""
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
        selected = [member for member in self._members if self._is_selected(member)]
        if self._lists:
            self._list(selected)
        elif options.test:
            self._test(selected)
        elif options.pipe or options.show:
            self._print(selected)
        else:
            self._extract(selected)
        ctx.flush()
        for text, _ in self._patterns:
            if text not in self._matched_patterns:
                message = f"caution: filename not matched:  {text}\n"
                ctx.process.write_error(message.encode("utf-8", "surrogateescape"))
                self._status = max(self._status, _UNMATCHED)
        return _UNMATCHED if self._patterns and not self._matched_patterns else self._status

    def _is_selected(self, member: Member) -> bool:
        self._ctx.charge()
        selected = not self._patterns
        for text, pattern in self._patterns:
            if pattern.matches(member.name):
                self._matched_patterns.add(text)
                selected = True
        return selected and not any(pattern.matches(member.name) for pattern in self._excluded)

    # ------------------------------------------------------------------ lists

    def _list(self, members: Sequence[Member]) -> None:
        ctx, long_format, with_titles = self._ctx, self._options.verbose, len(self._options.quiet) < 2
        if with_titles:
            ctx.write_line(
                " Length   Method    Size  Cmpr    Date    Time   CRC-32   Name\n"
                "--------  ------  ------- ---- ---------- ----- --------  ----"
                if long_format
                else "  Length      Date    Time    Name\n---------  ---------- -----   ----"
            )
        for member in members:
            year, month, day, hour, minute, _ = member.wall
            time = f"{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}"
            if long_format:
                method = _method(member)
                ctx.write_line(
                    f"{member.size:8}  {method:<7}{member.compressed_size:8} {member.percent:3}% {time} {member.crc:08x}  "
                    f"{member.name}"
                )
            else:
                ctx.write_line(f"{member.size:9}  {time}   {member.name}")
        if not with_titles:
            return
        totals = Member("")
        totals.size = sum(each.size for each in members)
        totals.compressed_size = sum(each.compressed_size for each in members)
        count = f"{len(members)} file{'' if len(members) == 1 else 's'}"
        if long_format:
            ctx.write_line("--------          -------  ---                            -------")
            ctx.write_line(
                f"{totals.size:8}         {totals.compressed_size:8} {totals.percent:3}%"
                f"                            {count}"
            )
        else:
            ctx.write_line("---------                     -------")
            ctx.write_line(f"{totals.size:9}                     {count}")

    # ------------------------------------------------------------------ contents

    def _pieces(self, member: Member) -> Iterator[bytes]:
        """Yield a member's contents. Raises _DamagedError."""
        try:
            pieces = contents(packed_data(self._data, member), member, self._ctx.budget)
            yield from _as_text(pieces) if self._converts(member) else pieces
        except FormatError as error:
            self._status = max(self._status, _BROKEN)
            raise _DamagedError(str(error)) from None

    def _converts(self, member: Member) -> bool:
        """Return whether -a converts this member: never a link, and not for -t, which checks the stored bytes."""
        options = self._options
        requested = len(options.text) > 1 or (bool(options.text) and member.text)
        return requested and not (options.binary or options.test or bits.S_ISLNK(member.mode))

    def _heading(self, member: Member, name: str) -> str:
        """Return the line for a member that is written; a single -a adds whether it is text."""
        options = self._options
        label = ""
        if len(options.text) == 1 and not options.binary:
            label = "[text]  " if member.text else "[binary]"
        return f"{_verb(member)}: {name:<22}  {label}"

    def _is_supported(self, member: Member) -> bool:
        if member.is_encrypted:
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
            if not self._is_supported(member):
                continue
            head = f"    testing: {member.name:<22}   "
            try:
                for _ in self._pieces(member):
                    pass
            except _DamagedError as error:
                broken += 1
                ctx.write_line(f"{head}{error}")
                continue
            if not quiet:
                ctx.write_line(f"{head}OK")
        if len(self._options.quiet) < 2:
            if broken:
                ctx.write_line(f"At least one error was detected in {self._name}.")
            elif self._patterns or self._excluded:
                count = f"{len(members)} file{'' if len(members) == 1 else 's'}"
                ctx.write_line(f"No errors detected in {self._name} for the {count} tested.")
            else:
                ctx.write_line(f"No errors detected in compressed data of {self._name}.")

    def _print(self, members: Sequence[Member]) -> None:
        ctx = self._ctx
        with_names = self._options.show and not self._options.quiet
        for member in members:
            if member.is_directory or not self._is_supported(member):
                continue
            if with_names:
                ctx.write_line(self._heading(member, member.name))
            try:
                for piece in self._pieces(member):
                    ctx.write(piece)
            except _DamagedError as error:
                self._error(f"{member.name:<22}  {error}")
            if with_names:
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
            if not self._is_supported(member):
                continue
            name = self._target(member)
            if not name:
                continue
            target = f"{base}/{name}" if base and base != "/" else f"{base}{name}"
            try:
                self._extract_member(member, target)
            except OSError as error:
                self._status = max(self._status, _WARNING)
                ctx.error(f"cannot create {target}: {reason(error)}")
        self._finish()

    def _target(self, member: Member) -> str:
        """Return the name to create, relative to the directory, without leading slash and without ".."."""
        name = member.name.lower() if self._options.lower else member.name
        parts = [part for part in name.split("/") if part not in ("", ".", "..")]
        if name[:1] == "/" and not self._options.junk:
            self._name_warning(f"stripped absolute path spec from {name}")
        if ".." in name.split("/") and not self._options.junk:
            self._name_warning(f'skipped "../" path component(s) in {name}')
        if self._options.junk:
            return "" if member.is_directory else "".join(parts[-1:])
        return "/".join(parts) + ("/" if member.is_directory and parts else "")

    def _name_warning(self, text: str) -> None:
        """Warn of a changed name. With -q the exit status does not change either, as in Info-ZIP."""
        if not self._options.quiet:
            self._warning(text)

    def _warning(self, text: str) -> None:
        self._ctx.write_error(f"warning:  {text}\n")
        self._status = max(self._status, _WARNING)

    def _error(self, text: str) -> None:
        self._ctx.write_error(f"{text}\n")

    def _print_line(self, text: str) -> None:
        if not self._options.quiet:
            self._ctx.write_line(text)

    def _extract_member(self, member: Member, target: str) -> None:
        fs = self._ctx.fs
        if not self._make_parents(target):
            self._warning(f"{member.name} leads out of the directory; not extracted")
            return
        path = self._ctx.path(target)
        if member.is_directory:
            if self._options.freshen and not fs.is_dir(path):
                return
            if not fs.is_dir(path):
                self._print_line(f"   creating: {target}")
                fs.mkdir(path, 0o777 & ~self._ctx.process.umask)
            self._directories.append((target, member))
            return
        mtime = self._mtime(path)
        if mtime is None and self._options.freshen:
            return
        if mtime is not None:
            if (self._options.update or self._options.freshen) and mtime // 10**9 >= member.mtime:
                return
            renamed = self._may_replace(target)
            if renamed is None:
                return
            target, path = renamed, self._ctx.path(renamed)
            if self._mtime(path) is not None:
                fs.unlink(path)
        if bits.S_ISLNK(member.mode):
            link = b"".join(self._pieces(member)).decode("utf-8", "surrogateescape")
            self._links.append((target, link))
            self._print_line(f"    linking: {target:<22}  -> {link} ")
            return
        line_open = not self._options.quiet
        if line_open:
            self._ctx.write(self._heading(member, target).encode("utf-8", "surrogateescape"))
        file = self._ctx.create(target)
        try:
            for piece in self._pieces(member):
                file.write(piece)
        except _DamagedError as error:
            self._error(f" {error}" if line_open else f"{target:<22}   {error}")
            line_open = False
        finally:
            file.release()
        if line_open:
            self._ctx.write(b"\n")
        if member.mode:
            fs.chmod(path, member.mode & (0o7777 if self._options.special else 0o777))
        fs.utime(path, member.mtime * 10**9, member.mtime * 10**9)

    def _mtime(self, path: VirtualPath) -> int | None:
        """Return the modification time of a file in nanoseconds, None when there is no file."""
        try:
            return self._ctx.fs.stat(path, follow=False).mtime_ns
        except OSError:
            return None

    def _make_parents(self, target: str) -> bool:
        """Create the parent directories; return whether the last one, with links resolved, is below the root."""
        fs = self._ctx.fs
        parent = target.rstrip("/").rpartition("/")[0]
        ancestor = ""
        for part in parent.split("/") if parent else []:
            ancestor += part
            path = self._ctx.path(ancestor or "/")
            if not fs.exists(path):
                fs.mkdir(path, 0o777 & ~self._ctx.process.umask)
            ancestor += "/"
        real = str(fs.realpath(self._ctx.path(parent or ("/" if target[:1] == "/" else "."))))
        return real == self._root or real.startswith(self._root.rstrip("/") + "/")

    def _may_replace(self, target: str) -> str | None:
        """Ask whether to replace a file; return the name to write, None to skip the member."""
        ctx = self._ctx
        while not self._answer_for_all:
            ctx.flush()
            question = f"replace {target}? [y]es, [n]o, [A]ll, [N]one, [r]ename: "
            ctx.process.write_error(question.encode("utf-8", "surrogateescape"))
            answer = (
                ctx.process.descriptor(0).read_until(b"\n", 4096) if 0 in ctx.process.descriptors else b""
            )
            ctx.charge()
            if not answer:
                ctx.process.write_error(b' NULL\n(EOF or read error, treating as "[N]one" ...)\n')
                self._answer_for_all = "N"
                self._status = max(self._status, _WARNING)
            elif answer[:1] in (b"y", b"Y"):
                return target
            elif answer[:1] == b"n":
                return None
            elif answer[:1] in (b"A", b"N"):
                self._answer_for_all = answer[:1].decode()
            elif answer[:1] == b"r":
                ctx.process.write_error(b"new name: ")
                name = (
                    ctx.process.descriptor(0)
                    .read_until(b"\n", 4096)
                    .decode("utf-8", "surrogateescape")
                    .strip("\n")
                )
                if name and self._make_parents(name):
                    return name
        return target if self._answer_for_all == "A" else None

    def _finish(self) -> None:
        """Create the links, now that nothing is written through them any more, and set directory modes and times."""
        fs = self._ctx.fs
        if self._links:
            self._print_line("finishing deferred symbolic links:")
        for target, link in self._links:
            self._ctx.charge()
            if leads_out(target[len(self._options.directory or "") :].lstrip("/"), link):
                self._warning(f"{target}: link to {link} leads out of the directory; not extracted")
                continue
            fs.symlink(link, self._ctx.path(target))
            self._print_line(f"  {target:<22} -> {link}")
        for target, member in reversed(self._directories):
            path = self._ctx.path(target)
            if member.mode:
                fs.chmod(path, member.mode & 0o777)
            fs.utime(path, member.mtime * 10**9, member.mtime * 10**9)


class _DamagedError(Exception):
    """A member cannot be read completely."""


def _verb(member: Member) -> str:
    return " extracting" if member.method == STORED else "  inflating"


def _method(member: Member) -> str:
    if member.method == 8:
        return f"Defl:{'NXFS'[member.flags >> 1 & 3]}"
    return _METHODS.get(member.method, f"Unk:{member.method:03}")


def _as_text(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield text with LF instead of CR LF and CR, and without control-Z."""
    after_cr = False
    for piece in pieces:
        if after_cr and piece[:1] == b"\n":
            piece = piece[1:]
            after_cr = False
        if piece:
            after_cr = piece[-1:] == b"\r"
            yield piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n").replace(b"\x1a", b"")
