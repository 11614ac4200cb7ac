"""sed: edit a stream of lines.

Source: POSIX.1-2024 XCU 3, sed. Oracle: GNU sed 4.9 in C.UTF-8.
Divergence: L-SED-001, the e command and flag; --debug is not offered.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.options import also, opt, option_set
from sandhook.command.pieces import Charge
from sandhook.command.write_errors import check_output
from sandhook.pattern.posix import compile_regex
from sandhook.pattern.translate import Dialect
from sandhook.text.locale import characters_are_bytes
from sandhook.utilities.languages.sed.actions import DELETE, QUIT, QUIT_SILENT, RESTART
from sandhook.utilities.languages.sed.commands import CompiledScript
from sandhook.utilities.languages.sed.fixed import replace_literal
from sandhook.utilities.languages.sed.machine import Machine, Settings
from sandhook.utilities.languages.sed.parser import Parser
from sandhook.utilities.languages.sed.records import Expression, RecordsRegex
from sandhook.utilities.languages.sed.script import Chunk, Language, Pattern, ScriptError
from sandhook.vfs.errors import error_text

READ_ERROR = "read error on stdin: {}"
READ_STATUS = 4

WRITE_ERROR = {
    "": "couldn't flush stdout: {}",
    "large": "couldn't write {items} to stdout: {}",
    "EBADF": "couldn't close stdout: {}",
}
WRITE_STATUS = 4

USAGE = "Usage: NAME [OPTION]... {script-only-if-no-other-script} [input-file]..."
_CACHE_SIZE = 128  #: compiled scripts in the cache
_MAX_CACHED_LENGTH = 8_192  #: characters of the longest script in the cache
_MAX_TOTAL_LENGTH = 65_536  #: characters of all of them; each needs some 170 bytes


def width(text: str) -> int:
    """Parse the argument of -l as atoi does."""
    digits = text[: len(text) - len(text.lstrip("0123456789"))]
    return int(digits[:9] or "0")


def default_width(columns: str) -> int:
    """Return the columns of the l command without -l: one less than COLS, 0 (no folding) for a negative COLS."""
    text = columns.strip()
    if text[:1] == "-" and width(text[1:]):
        return 0
    number = width(text.removeprefix("+"))
    return number - 1 if number > 1 else 70


@option_set
class Options:
    """sed [OPTION]... {script-only-if-no-other-script} [input-file]...

    Apply SCRIPT to the lines of the FILEs, or of standard input, and print them.
    """

    scripts: tuple[tuple[str, str], ...] = also(
        opt(
            "-e",
            "--expression",
            "SCRIPT",
            "add SCRIPT to the commands",
            append=True,
            convert=lambda text: ("e", text),
        ),
        opt(
            "-f",
            "--file",
            "FILE",
            "add the contents of FILE to the commands",
            append=True,
            convert=lambda text: ("f", text),
        ),
    )
    quiet: bool = opt("-n", "--quiet", "--silent", help="do not print lines unless a command does")
    extended: bool = opt("-E", "-r", "--regexp-extended", help="use extended regular expressions")
    in_place: str | None = opt(
        "-i",
        "--in-place",
        "SUFFIX",
        "edit the FILEs; with SUFFIX keep a copy of each",
        optional=True,
        const="",
    )
    sandbox: bool = opt("--sandbox", help="reject the commands e, r and w")
    follow: bool = opt("--follow-symlinks", help="with -i, edit the target of a link, not the link")
    separate: bool = opt("-s", "--separate", help="count the lines of each FILE separately")
    zero: bool = opt("-z", "--null-data", "--zero-terminated", help="lines end with NUL, not newline")
    width: int | None = opt(
        "-l", "--line-length", "N", "fold the output of the l command at N columns, default 70", convert=width
    )
    posix: bool = opt("--posix", help="without GNU's extensions; N at the end prints nothing")
    binary: bool = opt("-b", "--binary", ignored="lines are bytes")
    unbuffered: bool = opt("-u", "--unbuffered", help="write each line at once")


#: The cache of compiled scripts; bounded, and the values are immutable.
_CACHE: dict[tuple[tuple[Chunk, ...], Options, Language], CompiledScript] = {}


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, the status of q, 1 for a bad script, 2 for a missing input, or 4 for a failure."""
    if not options.scripts and not operands:
        ctx.flush()
        ctx.error_hint(USAGE)
        return 1
    if options.scripts:
        chunks, names = read_scripts(options, ctx), operands
    else:
        chunks, names = (Chunk(operands[0]),), operands[1:]
    if options.in_place is not None and not names:
        raise Failure("no input files", 4)
    posix = options.posix or "POSIXLY_CORRECT" in ctx.environment
    ctx.check_script(sum(len(chunk.text) for chunk in chunks))
    language = Language(posix, characters_are_bytes(ctx.environment.get))
    wrap = default_width(ctx.environment.get("COLS", "")) if options.width is None else options.width
    compiled = compile_script(chunks, options, language, ctx.charge, wrap)
    settings = Settings(options.separate, options.in_place, options.follow, options.unbuffered)
    machine = Machine(ctx, names or ("-",), settings, b"\0" if options.zero else b"\n", compiled.ranges)
    try:
        machine.open_files(compiled.files)
        edit(machine, compiled, options)
    finally:
        machine.close()
    check_output(ctx)
    return machine.input_status or machine.status


def read_scripts(options: Options, ctx: Context) -> tuple[Chunk, ...]:
    """Return the scripts of -e and -f in their order."""
    chunks = []
    for kind, text in options.scripts:
        if kind == "e":
            chunks.append(Chunk(text))
            continue
        try:
            with ctx.open(text) as reader:
                data = reader.read_all()
        except OSError as error:
            raise Failure(f"couldn't open file {text}: {error_text(error)}", 4) from None
        chunks.append(Chunk(data.decode("utf-8", "surrogateescape"), text))
    return tuple(chunks)


def compile_script(
    chunks: tuple[Chunk, ...], options: Options, language: Language, charge: Charge, wrap: int
) -> CompiledScript:
    """Compile a script, or return it from the cache; l folds lines at ``wrap`` columns. Raises Failure."""
    key_options = Options(
        quiet=options.quiet,
        extended=options.extended,
        width=wrap,
        sandbox=options.sandbox,
        zero=options.zero,
    )
    key = (chunks, key_options, language)
    compiled = _CACHE.get(key)
    if compiled is not None:
        return compiled

    def compile_(pattern: Pattern) -> Expression:
        data = pattern.text.encode("utf-8", "surrogateescape")
        records = options.zero and pattern.multiline
        dialect = Dialect(
            extended=options.extended,
            newline=pattern.multiline,
            stray_paren=not options.extended,
            lines=not records,
            gnu=not language.posix,
            bytewise=language.bytewise,
        )
        regex = compile_regex(data, dialect, icase=pattern.icase)
        return RecordsRegex(regex) if records else regex

    try:
        program = Parser(chunks, compile_, charge, sandbox=options.sandbox, language=language).parse()
    except ScriptError as error:
        raise Failure(str(error), error.status) from None
    compiled = CompiledScript(program, compile_, wrap=wrap, quiet=options.quiet, language=language)
    if sum(len(chunk.text) for chunk in chunks) <= _MAX_CACHED_LENGTH:
        if len(_CACHE) >= _CACHE_SIZE or _cached_length() > _MAX_TOTAL_LENGTH:
            _CACHE.clear()
        _CACHE[key] = compiled
    return compiled


def _cached_length() -> int:
    keys = tuple(_CACHE)  # another thread may add one
    return sum(len(chunk.text) for chunks, *_ in keys for chunk in chunks)


def replace_in_blocks(m: Machine, literals: list[tuple[bytes, bytes]]) -> None:
    """Run a script of ``s/old/new/g`` commands with literal text on many lines at once."""
    delimiter = m.delimiter
    for block in m.blocks():
        m.budget.charge(block.count(delimiter))
        data = block
        for old, new in literals:
            data = replace_literal(data, old, new, -1, m.budget)
        m.out.end_line(delimiter)
        m.out.write(data)
        m.out.lacks_newline = block[-1:] != delimiter


def edit(m: Machine, compiled: CompiledScript, options: Options) -> None:
    """Run the cycles: read a line, run the commands, print."""
    if compiled.literals and options.in_place is None and not options.unbuffered:
        replace_in_blocks(m, compiled.literals)
        return
    actions = compiled.actions
    size = len(actions)
    silent = compiled.silent
    budget = m.budget
    restart = False
    while True:
        if not restart:
            if not m.read():
                break
        else:
            m.flush_queue()
        restart = False
        at = 0
        while at < size:
            budget.slice_left -= 1
            if budget.slice_left < 0:
                m.ctx.charge(0)
            test, action = actions[at]
            if test is not None and not test(m):
                at += 1
                continue
            next_index = action(m)
            at = at + 1 if next_index is None else next_index
            if at < 0:
                break
        if at == QUIT_SILENT:
            break
        if at != DELETE and at != RESTART and not silent:
            m.print(m.space, m.has_newline)
        if at == QUIT:
            m.out.end_line(m.delimiter)
            break
        restart = at == RESTART
        if options.unbuffered:
            m.ctx.flush()
    m.stop()
