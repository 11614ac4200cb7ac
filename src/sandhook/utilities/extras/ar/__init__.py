"""ar: create and read POSIX archives of files, which have no directories.

Source: POSIX.1-2024 XCU 3, ar. Oracle: GNU binutils 2.40.
Divergence: L-AR-001, there are no symbol tables, scripts or thin archives.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.modes import mode_string
from sandhook.command.operands import last_component, reason, stat_of
from sandhook.command.options import Inform, Syntax, UsageError, also, opt, option_set
from sandhook.dates.clock import strftime
from sandhook.utilities.extras.ar.format import ArchiveError, Member, parse, render

RAW = True  # the first word is options, even without a dash
_NO_ARCHIVE = 9


@option_set
class Options:
    """ar [-]d|m|p|q|r|s|t|x[MODIFIER]... [MEMBER] ARCHIVE [FILE]...

    Delete, move, print, append, replace, list or extract members of ARCHIVE. MEMBER follows -a, -b or -i.
    """

    commands: tuple[str, ...] = also(
        opt("-d", help="delete members", const="d", append=True),
        opt("-m", help="move members to the end, or to MEMBER", const="m", append=True),
        opt("-p", help="print members", const="p", append=True),
        opt("-q", help="append each FILE", const="q", append=True),
        opt("-r", help="replace members, or append each FILE", const="r", append=True),
        opt("-t", help="list members", const="t", append=True),
        opt("-x", help="extract members", const="x", append=True),
    )
    index: bool = opt("-s", help="check the archive; symbol tables are never created")
    no_index: bool = opt("-S", ignored="symbol tables are never created")
    position: str = also(
        opt("-a", help="with -m or -r, place members after MEMBER", const="after", default=""),
        opt("-b", "-i", help="with -m or -r, place members before MEMBER", const="before"),
    )
    create: bool = opt("-c", help="create ARCHIVE without a message")
    store_times: bool = also(
        opt("-U", help="store times, owners and permissions"),
        opt("-D", help="do not (the default)", const=False),
    )
    truncate: bool = opt("-f", help="truncate names to 15 characters")
    restore_times: bool = opt("-o", help="with -x, restore the times")
    offsets: bool = opt("-O", help="with -t, print the offset of each member")
    only_newer: bool = opt("-u", help="with -r and -U, replace only members that are older")
    verbose: bool = opt("-v", help="print each action, or with -t what is known of a member")
    version: bool = opt("-V", help="show the version")


_SYNTAX = Syntax(Options)


def run(_: None, arguments: Sequence[str], ctx: Context) -> int:
    """Return 0, 1 after an error, 9 when ARCHIVE does not exist."""
    words = list(arguments)
    if words and words[0][:1] != "-":
        words[0] = f"-{words[0]}"
    try:
        options, operands = _SYNTAX.parse(words)
    except UsageError as error:
        raise _misuse(str(error), ctx) from None
    if options.version:
        raise Inform("version")
    commands = set(options.commands) or ({"s"} if options.index else set())
    if len(commands) != 1:
        raise _misuse(
            "two different operation options specified" if commands else "no operation specified", ctx
        )
    neighbour = operands.pop(0) if operands and options.position else None
    if not operands:
        raise _misuse("no archive specified", ctx)
    return _Worker(commands.pop(), options, neighbour, operands[0], operands[1:], ctx).run()


def _misuse(text: str, ctx: Context) -> Failure:
    return Failure(
        f"{text}\nUsage: {ctx.name} {{dmpqrstx}}[abcDfioOsSuUvV] [member-name] archive-file file..."
    )


class _Worker:
    def __init__(
        self,
        command: str,
        options: Options,
        neighbour: str | None,
        archive: str,
        names: Sequence[str],
        ctx: Context,
    ) -> None:
        self._command = command
        self._options = options
        self._neighbour = neighbour
        self._archive = archive
        self._names = list(names)
        self._ctx = ctx
        self._only_newer = options.only_newer and options.store_times

    def run(self) -> int:
        members = self._read()
        if self._command == "s":
            return 0
        {
            "d": self._delete, "m": self._move, "p": self._print, "q": self._append, "r": self._replace,
            "t": self._table, "x": self._extract,
        }[self._command](members)  # fmt: skip
        if self._command in "dmqr" and not self._ctx.failed:
            self._write(members)
        return self._ctx.failed

    def _read(self) -> list[Member]:
        ctx = self._ctx
        try:
            with ctx.open(self._archive if self._archive != "-" else "./-") as reader:
                data = reader.read_all()
        except FileNotFoundError as error:
            if self._command not in "rq":
                raise Failure(f"{self._archive}: {reason(error)}", _NO_ARCHIVE) from None
            if not self._options.create:
                ctx.error(f"creating {self._archive}")
            return []
        except OSError as error:
            raise Failure(f"{self._archive}: {reason(error)}", _NO_ARCHIVE) from None
        ctx.budget.check_fits(3 * len(data))
        try:
            return parse(data)
        except ArchiveError as error:
            raise Failure(f"{self._archive}: {error}") from None

    def _write(self, members: list[Member]) -> None:
        self._ctx.budget.check_fits(2 * sum(len(member.data) + 64 for member in members))
        try:
            file = self._ctx.create(self._archive)
        except OSError as error:
            raise Failure(f"{self._archive}: {reason(error)}") from None
        try:
            for piece in render(members, truncate=self._options.truncate):
                self._ctx.charge(1 + (len(piece) >> 10))
                file.write(piece)
        finally:
            file.release()

    def _print_action(self, mark: str, name: str) -> None:
        if self._options.verbose:
            self._ctx.write_line(f"{mark} - {name}")

    def _insertion_index(self, members: list[Member]) -> int:
        """Return the index for new members: next to the member of -a, -b or -i, or the end."""
        if self._neighbour is not None:
            for at, member in enumerate(members):
                if member.name == self._neighbour:
                    return at + (self._options.position == "after")
        return len(members)

    # ------------------------------------------------------------------ commands

    def _delete(self, members: list[Member]) -> None:
        for name in self._names:
            member = next((member for member in members if member.name == last_component(name)), None)
            if member is not None:
                members.remove(member)
                self._print_action("d", name)
            elif self._options.verbose:
                self._ctx.write_line(f"No member named `{name}'")

    def _move(self, members: list[Member]) -> None:
        for name in self._names:
            member = next((member for member in members if member.name == last_component(name)), None)
            if member is None:
                raise Failure(f"no entry {name} in archive {self._archive}!")
            members.remove(member)
            members.insert(self._insertion_index(members), member)
            self._print_action("m", name)

    def _load(self, name: str) -> Member | None:
        ctx = self._ctx
        try:
            info = stat_of(ctx, name)
            with ctx.open(name) as reader:
                data = reader.read_all()
        except OSError as error:
            ctx.fail(f"{name}: {reason(error)}")
            return None
        ctx.budget.charge_memory(len(data))
        base = last_component(name)
        if not self._options.store_times:
            return Member(base, 0, 0, 0, 0o644, data)
        return Member(base, info.mtime_ns // 10**9, info.uid, info.gid, info.mode, data)

    def _append(self, members: list[Member]) -> None:
        for name in self._names:
            member = self._load(name)
            if member is None:
                return
            members.append(member)
            self._print_action("a", name)

    def _replace(self, members: list[Member]) -> None:
        if self._options.only_newer and not self._only_newer:
            self._ctx.error("`u' modifier ignored since `D' is the default (see `U')")
        for name in self._names:
            member = self._load(name)
            if member is None:
                return
            at = next((at for at, each in enumerate(members) if each.name == member.name), None)
            if at is None:
                members.insert(self._insertion_index(members), member)
                self._print_action("a", name)
            elif not self._only_newer or member.mtime > members[at].mtime:
                if self._neighbour in (None, member.name):
                    members[at] = member
                else:
                    del members[at]
                    members.insert(self._insertion_index(members), member)
                self._print_action("r", name)

    def _selected_members(self, members: list[Member]) -> list[Member]:
        """Return the members that the operands name, or all; report names without a member."""
        if not self._names:
            return members
        selected = []
        for name in self._names:
            member = next((each for each in members if each.name == last_component(name)), None)
            if member is None:
                self._ctx.write_error(f"no entry {name} in archive\n")
            else:
                selected.append(member)
        return selected

    def _print(self, members: list[Member]) -> None:
        for member in self._selected_members(members):
            if self._options.verbose:
                self._ctx.write(f"\n<{member.name}>\n\n".encode("utf-8", "surrogateescape"))
            self._ctx.write(member.data)

    def _table(self, members: list[Member]) -> None:
        for member in self._selected_members(members):
            self._ctx.charge()
            head = ""
            if self._options.verbose:
                time = strftime("%b %e %H:%M %Y", member.mtime, self._ctx.environment.get("TZ"))
                head = (
                    f"{mode_string(member.mode)[1:]} {member.uid}/{member.gid} {len(member.data):6} {time} "
                )
            tail = f" {member.offset:#x}" if self._options.offsets else ""
            self._ctx.write_line(head + member.name + tail)

    def _extract(self, members: list[Member]) -> None:
        ctx = self._ctx
        for member in self._selected_members(members):
            name = last_component(member.name)
            if name in ("", ".", "..", "/"):
                ctx.fail(f"illegal output pathname for archive member: {member.name}")
                continue
            self._print_action("x", member.name)
            try:
                file = ctx.create(name)
            except OSError as error:
                ctx.fail(f"{name}: {reason(error)}")
                continue
            try:
                file.write(member.data)
            finally:
                file.release()
            ctx.fs.chmod(ctx.path(name), member.mode & 0o777 & ~ctx.process.umask)
            if self._options.restore_times:
                ctx.fs.utime(ctx.path(name), member.mtime * 10**9, member.mtime * 10**9)
