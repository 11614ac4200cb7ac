"""dircolors: print the shell command that sets LS_COLORS.

Oracle: GNU coreutils 9.1. Divergence: L-DIRCOLORS-001, there are fewer built-in colours: of file types and archives.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.operands import reason
from sandhook.command.options import UsageError, also, opt, option_set
from sandhook.command.pieces import split
from sandhook.pattern.glob import compile_pattern
from sandhook.text.quoting import quote_odd

_KEYWORDS = {
    "NORMAL": "no", "NORM": "no", "FILE": "fi", "RESET": "rs", "DIR": "di", "LNK": "ln", "LINK": "ln", "SYMLINK": "ln",
    "ORPHAN": "or", "MISSING": "mi", "FIFO": "pi", "PIPE": "pi", "SOCK": "so", "BLK": "bd", "BLOCK": "bd", "CHR": "cd",
    "CHAR": "cd", "DOOR": "do", "EXEC": "ex", "LEFT": "lc", "LEFTCODE": "lc", "RIGHT": "rc", "RIGHTCODE": "rc",
    "END": "ec", "ENDCODE": "ec", "SUID": "su", "SETUID": "su", "SGID": "sg", "SETGID": "sg", "STICKY": "st",
    "OTHER_WRITABLE": "ow", "OWR": "ow", "STICKY_OTHER_WRITABLE": "tw", "OWT": "tw", "CAPABILITY": "ca",
    "MULTIHARDLINK": "mh", "CLRTOEOL": "cl",
}  # fmt: skip
_IGNORED = ("OPTIONS", "COLOR", "EIGHTBIT")

#: What -p prints.
_DATABASE = """\
# Colours for LS_COLORS: a type of file or the end of a name, and the attributes of its text.
# Entries after TERM or COLORTERM are for terminals that match one of them.
COLORTERM ?*
TERM *color*
TERM ansi
TERM linux
TERM rxvt*
TERM screen*
TERM tmux*
TERM vt100
TERM xterm*
RESET 0
DIR 01;34
LINK 01;36
MULTIHARDLINK 00
FIFO 40;33
SOCK 01;35
DOOR 01;35
BLK 40;33;01
CHR 40;33;01
ORPHAN 40;31;01
MISSING 00
SETUID 37;41
SETGID 30;43
CAPABILITY 00
STICKY_OTHER_WRITABLE 30;42
OTHER_WRITABLE 34;42
STICKY 37;44
EXEC 01;32
.tar 01;31
.tgz 01;31
.txz 01;31
.zip 01;31
.gz 01;31
.xz 01;31
.zst 01;31
.bz2 01;31
.7z 01;31
.jar 01;31
.deb 01;31
.rpm 01;31
.jpg 01;35
.jpeg 01;35
.gif 01;35
.png 01;35
.svg 01;35
"""


#: Bytes that an entry or an error needs.
_ENTRY_COST = 250


@option_set
class Options:
    """dircolors [OPTION]... [FILE]

    Print commands that set LS_COLORS according to FILE (- is standard input), or to the built-in database.
    """

    shell: str = also(
        opt("-b", "--sh", "--bourne-shell", help="for sh", const="sh", default=""),
        opt("-c", "--csh", "--c-shell", help="for csh", const="csh"),
    )
    database: bool = opt("-p", "--print-database", help="print the built-in database")
    colours: bool = opt("--print-ls-colors", help="print each entry in its colour")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 for a file that cannot be read or is not valid."""
    if options.shell and (options.database or options.colours):
        raise UsageError(
            "the options to output non shell syntax,\nand to select a shell syntax are mutually exclusive"
        )
    if options.database and options.colours:
        raise UsageError("options --print-database and --print-ls-colors are mutually exclusive")
    if len(operands) > (0 if options.database else 1):
        explanation = (
            "\nfile operands cannot be combined with --print-database (-p)" if options.database else ""
        )
        raise UsageError(f"extra operand '{operands[0 if options.database else 1]}'{explanation}")
    if options.database:
        ctx.write(_DATABASE.encode())
        return 0
    chosen_shell = options.shell or ("csh" if ctx.environment.get("SHELL", "sh").endswith("csh") else "sh")
    if not options.shell and not options.colours and not ctx.environment.get("SHELL"):
        raise Failure("no SHELL environment variable, and no shell type option given")
    entries = _entries(_lines(operands, ctx), operands[0] if operands else "built in", ctx)
    if options.colours:
        for name, colour in entries:
            ctx.write_line(f"\x1b[{colour}m{name}\t{colour}\x1b[0m")
        return 0
    text = "".join([f"{name}={colour}:" for name, colour in entries]).replace("'", "'\\''")
    ctx.write_line(
        f"setenv LS_COLORS '{text}'" if chosen_shell == "csh" else f"LS_COLORS='{text}';\nexport LS_COLORS"
    )
    return 0


def _lines(operands: Sequence[str], ctx: Context) -> list[str]:
    if not operands:
        return _DATABASE.split("\n")
    try:
        with ctx.open(operands[0]) as reader:
            return split(reader.read_all().decode("utf-8", "surrogateescape"), "\n", ctx.charge)
    except OSError as error:
        raise Failure(f"{quote_odd(operands[0])}: {reason(error)}") from None


def _entries(lines: Sequence[str], source: str, ctx: Context) -> list[tuple[str, str]]:
    """Return the keys of LS_COLORS with their colours."""
    entries: list[tuple[str, str]] = []
    errors: list[str] = []
    is_active, in_header, header_seen = True, False, False
    for number, line in enumerate(lines, 1):
        ctx.charge()
        words = line.partition("#")[0].split(maxsplit=1)
        if not words:
            continue
        keyword = words[0]
        ctx.budget.check_fits(_ENTRY_COST * (len(errors) + len(entries)))
        if len(words) == 1:
            errors.append(f"{source}:{number}: invalid line;  missing second token")
            continue
        value = words[1].strip()
        name = keyword.upper()
        if name in ("TERM", "COLORTERM"):
            if not in_header:
                is_active = False
            in_header = header_seen = True
            terminal = ctx.environment.get(name, "" if name == "COLORTERM" else "none")
            is_active = is_active or compile_pattern(value, extglob=False).matches(terminal)
            continue
        in_header = False
        if keyword[0] in ".*":
            if is_active:
                entries.append((keyword if keyword[0] == "*" else f"*{keyword}", value))
        elif name in _KEYWORDS:
            if is_active:
                entries.append((_KEYWORDS[name], value))
        elif (
            name not in _IGNORED and header_seen and is_active
        ):  # before the first TERM, keywords of other programs are accepted
            errors.append(f"{source}:{number}: unrecognized keyword {keyword}")
    if errors:
        for fault in errors[:-1]:
            ctx.error(fault)
        raise Failure(errors[-1])
    return entries
