"""zipinfo, unzip -Z: list the members of a zip archive.

Oracle: Info-ZIP ZipInfo 3.00. Divergence: L-ZIP-001, -v is not offered; modes are shown as those of Unix or MS-DOS.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.modes import mode_string
from sandhook.command.options import Syntax, UsageError, also, opt, option_set
from sandhook.pattern.glob import compile_pattern
from sandhook.utilities.archive.zip.format import Member, comment_of, per_mille
from sandhook.utilities.archive.zip.search import NO_ARCHIVE, Archive, find_archive, split_words

RAW = True  # -x consumes all words after it
USAGE_STATUS = 10

_WARNING, _UNMATCHED = 1, 11
_EXTENDED = 1 << 3  #: a flag: sizes and checksum follow the contents
_SYSTEMS = (
    "fat", "ami", "vms", "unx", "cms", "atr", "hpf", "mac", "zzz", "cpm", "t20", "ntf", "qds", "aco", "vft", "mvs",
    "be ", "nsk", "ths", "osx", "ath",
)  # fmt: skip
_DOS_LIKE = frozenset((0, 4, 6, 11, 13, 14, 15))  #: systems with the attributes of MS-DOS
_PROGRAMS = (".com", ".exe", ".btm", ".cmd", ".bat")
_METHODS = {
    0: "stor",
    1: "shrk",
    2: "re:1",
    3: "re:2",
    4: "re:3",
    5: "re:4",
    7: "tokn",
    12: "bzp2",
    14: "lzma",
}
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


@option_set
class Options:
    """zipinfo [-12smlCMhtTz] ARCHIVE [MEMBER]... [-x MEMBER...]

    List the MEMBERs of ARCHIVE, all of them without any; MEMBERs may be patterns, whose * matches slashes, too.
    """

    exclude: tuple[str, ...] = opt(
        "-x", "PATTERN...", "leave members out; all words after it are patterns", append=True
    )
    form: str = also(
        opt("-s", help="modes, sizes, methods, dates and names (default)", const="short", default=""),
        opt("-m", help="medium lines, with compression ratios", const="medium"),
        opt("-l", help="long lines, with the compressed sizes", const="long"),
        opt("-1", help="only names", const="1"),
        opt("-2", help="names, and the lines of -h, -t and -z", const="2"),
    )
    header: bool = opt("-h", help="the name and the size of the archive")
    total: bool = opt("-t", help="the totals at the end")
    comment: bool = opt("-z", help="the comment of the archive")
    decimal: bool = opt("-T", help="times in digits that sort")
    icase: bool = opt("-C", help="MEMBERs ignore case")
    without_effect: bool = opt("-M", ignored="")


_SYNTAX = Syntax(Options)


def run(_: None, arguments: Sequence[str], ctx: Context) -> int:
    """Return 0, 1 after a warning, 9 without an archive, 11 when no member matches."""
    words, excluded = split_words(list(arguments))
    options, operands = _SYNTAX.parse(words)
    excluded += options.exclude
    if not operands:
        raise UsageError("an archive is wanted")
    archive = find_archive(operands[0], ctx, "zipinfo")
    if archive is None:
        return NO_ARCHIVE
    name, data, members = archive
    patterns = [(text, compile_pattern(text, extglob=False, nocase=options.icase)) for text in operands[1:]]
    exclusions = [compile_pattern(text, extglob=False, nocase=options.icase) for text in excluded]
    matched: set[str] = set()
    selected = []
    for member in members:
        ctx.charge()
        is_selected = not patterns
        for text, pattern in patterns:
            if pattern.matches(member.name, ctx.charge):
                matched.add(text)
                is_selected = True
        if is_selected and not any(pattern.matches(member.name, ctx.charge) for pattern in exclusions):
            selected.append(member)
    unrestricted = not (patterns or excluded)
    status = _print_listing(options, Archive(name, data, members), selected, unrestricted, ctx)
    ctx.flush()
    for text, _pattern in patterns:
        if text not in matched:
            ctx.process.write_error(
                f"caution: filename not matched:  {text}\n".encode("utf-8", "surrogateescape")
            )
            status = _UNMATCHED
    return status


def _print_listing(
    options: Options, archive: Archive, selected: Sequence[Member], unrestricted: bool, ctx: Context
) -> int:
    """Print the requested parts: header, lines and totals. Without MEMBERs, -h and -t alone suppress the lines."""
    name, data, members = archive
    names_only = options.form == "1"
    summary_only = unrestricted and not options.form and (options.header or options.total)
    default_form = unrestricted and not summary_only and options.form not in ("1", "2")
    header = not names_only and (options.header or default_form)
    if header:
        ctx.write_line(f"Archive:  {name}")
    if options.comment and not names_only:
        comment = comment_of(data)
        ctx.write(comment + (b"\n" if comment else b""))
    if header:
        ctx.write_line(f"Zip file size: {len(data)} bytes, number of entries: {len(members)}")
    if not members:
        ctx.write_line("Empty zipfile.")
        return _WARNING
    extra = min(member.offset for member in members)
    if extra:
        ctx.flush()
        text = f"warning [{name}]:  {extra} extra byte{'' if extra == 1 else 's'} at beginning or within zipfile\n"
        ctx.process.write_error(
            f"{text}  (attempting to process anyway)\n".encode("utf-8", "surrogateescape")
        )
    if not summary_only:
        for member in selected:
            ctx.charge()
            ctx.write_line(member.name if options.form in ("1", "2") else _line(member, options))
    if not names_only and (options.total or default_form):
        size, packed = sum([each.size for each in selected]), sum([each.compressed_size for each in selected])
        count = f"{len(selected)} file{'' if len(selected) == 1 else 's'}"
        saved = per_mille(size, packed)
        sign = "-" if saved < 0 else ""
        ctx.write_line(
            f"{count}, {size} bytes uncompressed, {packed} bytes compressed:  "
            f"{sign}{abs(saved) // 10}.{abs(saved) % 10}%"
        )
    return _WARNING if extra else 0


def _line(member: Member, options: Options) -> str:
    system, version = member.version_made_by >> 8, member.version_made_by & 255
    host = _SYSTEMS[system] if system < len(_SYSTEMS) else "???"
    kind = "t" if member.text else "b"
    extended = bool(member.flags & _EXTENDED)
    extra = ("X" if extended else "x") if member.extra else "l" if extended else "-"
    details = ""
    if options.form == "medium":
        details = f"{(per_mille(member.size, member.compressed_size) + 5) // 10:2}% "
    elif options.form == "long":
        details = f"{member.compressed_size:8} "
    return (
        f"{_attributes(member):<12}{version // 10}.{version % 10} {host} {member.size:8} "
        f"{kind.upper() if member.is_encrypted else kind}{extra} {details}{_method(member)} "
        f"{_time(member, options.decimal)} {member.name}"
    )


def _attributes(member: Member) -> str:
    if member.version_made_by >> 8 not in _DOS_LIKE:
        return mode_string(member.attributes >> 16)
    dos_bits = member.attributes & 0xFF
    directory = bool(dos_bits & 16)
    executable = directory or member.name.lower().endswith(_PROGRAMS)
    return "".join((
        "d" if directory else "-", "r", "-" if dos_bits & 1 else "w", "x" if executable else "-",
        "a" if dos_bits & 32 else "-", "h" if dos_bits & 2 else "-", "s" if dos_bits & 4 else "-",
    ))  # fmt: skip


def _method(member: Member) -> str:
    if member.method == 8:
        return f"def{'NXFS'[member.flags >> 1 & 3]}"
    if member.method == 6:
        return f"i{8 if member.flags & 2 else 4}:{3 if member.flags & 4 else 2}"
    return _METHODS.get(member.method, f"u{member.method:03}")


def _time(member: Member, decimal: bool) -> str:
    year, month, day, hour, minute, second = member.wall
    if decimal:
        return f"{year:04}{month:02}{day:02}.{hour:02}{minute:02}{second:02}"
    name = _MONTHS[month - 1] if 1 <= month <= 12 else "???"
    return f"{year % 100:02}-{name}-{day:02} {hour:02}:{minute:02}"
