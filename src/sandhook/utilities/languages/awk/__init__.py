"""awk: scan records for patterns and process them.

Source: POSIX.1-2024 XCU 3, awk. Oracle: gawk 5.2 in C.UTF-8.
Divergences: L-AWK-002 (unsupported features), L-AWK-003 (order), L-AWK-004 (random numbers),
L-AWK-005 (nesting and warnings), L-AWK-007 (kinds of names), L-AWK-008 (faults of gawk).
"""

from __future__ import annotations

import errno
from collections.abc import Iterable, Sequence

from sandhook.command.context import Context, WriteError
from sandhook.command.options import Inform, UsageError, also, opt, option_set
from sandhook.kernel.signals import BrokenPipe
from sandhook.kernel.stack import stack_exceeds
from sandhook.text.locale import as_bytes, characters_are_bytes
from sandhook.utilities.languages.awk.compile import compile_program
from sandhook.utilities.languages.awk.compile.names import complete_trace
from sandhook.utilities.languages.awk.jumps import MisplacedJump
from sandhook.utilities.languages.awk.lexer import (
    BUILTINS,
    KEYWORDS,
    VARIABLE,
    Dialect,
    ProgramError,
    tokenize,
    unescape,
)
from sandhook.utilities.languages.awk.machine import run_program
from sandhook.utilities.languages.awk.runtime import Runtime
from sandhook.utilities.languages.awk.sources import SourceError, Sources
from sandhook.utilities.languages.awk.special import ARGC, ARGV, ENVIRON, FS, PROCINFO, SPECIAL
from sandhook.utilities.languages.awk.symbols import function_table
from sandhook.utilities.languages.awk.values import Array, Fatal, Misplaced, ScalarContext, Strnum, Unlabelled
from sandhook.utilities.languages.awk.warnings import Found, Warnings, unknown_escapes

READ_ERROR = "fatal: error reading input file `-': {}"
READ_STATUS = 2

PERMUTE = False
LONG_LETTER = "W"
FIXED_NAMES = dict.fromkeys(("awk", "gawk", "mawk", "nawk"), "")
BASE_NAME = True
USAGE = "Usage: NAME [-F FS] [-v NAME=VALUE]... PROGRAM [FILE]..."
_DEEP = 60  #: Python frames on the stack; when there are more, a program runs on a new stack


@option_set
class Options:
    """awk [POSIX or GNU style options] -f progfile [--] file ...
    Usage: awk [POSIX or GNU style options] [--] 'program' file ...

    Run PROGRAM on the records of the FILEs, or of standard input.
    """

    settings: tuple[tuple[str, str], ...] = also(
        opt(
            "-F",
            "--field-separator",
            "FS",
            "separate fields by FS",
            append=True,
            convert=lambda text: ("F", text),
        ),
        opt(
            "-v",
            "--assign",
            "NAME=VALUE",
            "set a variable before the program begins",
            append=True,
            convert=lambda text: ("v", text),
        ),
    )
    programs: tuple[tuple[str, str], ...] = also(
        opt(
            "-e",
            "--source",
            "PROGRAM",
            "add PROGRAM to the program",
            append=True,
            convert=lambda text: ("e", text),
        ),
        opt(
            "-f",
            "--file",
            "PROGFILE",
            "add the contents of PROGFILE to the program",
            append=True,
            convert=lambda text: ("f", text),
        ),
        opt(
            "-i",
            "--include",
            "PROGFILE",
            "add PROGFILE as @include does",
            append=True,
            convert=lambda text: ("i", text),
        ),
    )
    sandbox: bool = opt("-S", "--sandbox", help="disable system(), redirections and commands", default=False)
    re_interval: bool = opt(
        "-r", "--re-interval", ignored="interval expressions are always enabled", default=False
    )
    optimize: bool = opt("-O", "--optimize", ignored="programs are always compiled", default=False)
    no_optimize: bool = opt("-s", "--no-optimize", ignored="", default=False)
    by_bytes: bool = opt("-b", "--characters-as-bytes", help="count bytes, as in the C locale", default=False)
    traditional: bool = opt("-c", "--traditional", help="disable gawk's extensions", default=False)
    posix: bool = opt("-P", "--posix", help="like -c, and disable ** and \\x in strings", default=False)
    lint: str | None = opt(
        "-L", "--lint", "VALUE", ignored="no warnings are printed", optional=True, const="", default=None
    )
    lint_old: bool = opt("-t", "--lint-old", ignored="no warnings are printed", default=False)
    version: bool = opt("-V", help="show the version", default=False)
    help: bool = opt("-h", help="show this help", default=False)
    use_lc_numeric: bool = opt("-N", "--use-lc-numeric", ignored="the locale is C's", default=False)


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return the status of exit, 1 for an error in the program, 2 for an error at run time."""
    if options.version or options.help:
        raise Inform("version" if options.version else "help")
    if not operands and all(kind == "i" for kind, _ in options.programs):
        ctx.error_hint(USAGE, base=True)
        return 1
    sources = Sources(ctx)
    try:
        sources.read(options.programs)
        if all(kind == "i" for kind, _ in options.programs):
            sources.add(operands[0])
            operands = operands[1:]
    except SourceError as error:
        ctx.error(str(error))
        return error.status
    if stack_exceeds(_DEEP):
        status: int = ctx.kernel.scheduler.call_on_new_stack(lambda: _run(sources, options, operands, ctx))
        return status
    return _run(sources, options, operands, ctx)


def _run(sources: Sources, options: Options, names: Sequence[str], ctx: Context) -> int:
    rt: Runtime | None = None
    warnings = Warnings(ctx, sources.where, is_gawk=ctx.program != "mawk")
    text = sources.text
    dialect = _dialect(options, ctx)
    if dialect.bytewise and not text.isascii():
        text = as_bytes(text)
    try:
        ctx.budget.charge(len(text) >> 4)
        names_of_settings = _assigned_names(options)
        for _, setting in options.settings:
            warnings.print_found(unknown_escapes("string", setting))
        program = compile_program(text, dialect, ctx.charge, names_of_settings)
        warnings.print_found(program.warnings)
        rt = Runtime(ctx, program.symbols, warnings)
        _prepare(rt, options, names)
        status = run_program(rt, program)
        ctx.flush()
        return status
    except WriteError as error:
        return _report_lost_output(sources, rt, ctx, error)
    except ProgramError as error:
        # gawk has read the newline that it does not expect, and counts its line
        lines_read = 1 if text[error.at : error.at + 1] == "\n" else 0
        found = [each for each in _warnings_of(text, dialect, ctx) if each.at < error.at]
        _print_first(found, error.misplaced, warnings, sources, ctx)
        _print_error(ctx, text, error, sources.where(error.line, lines_read))
        return 1
    except MisplacedJump as error:
        _print_first(_warnings_of(text, dialect, ctx), error.misplaced, warnings, sources, ctx)
        return 1
    except Fatal as error:
        if rt is None and error.line:
            found = [each for each in _warnings_of(text, dialect, ctx) if each.line <= error.line]
            _print_first(found, error.misplaced, warnings, sources, ctx)
        if isinstance(error, ScalarContext) and rt is not None:
            complete_trace(rt, error)
        where = sources.where(error.line) if error.line else ""
        record = rt.where() if rt is not None and where else ""
        label = "" if isinstance(error, Unlabelled) else "fatal: " if error.status == 2 else "error: "
        ctx.error(f"{where}{record}{label}{error}")
        return error.status
    finally:
        if rt is not None:
            rt.finish()


def _print_first(
    found: Iterable[Found], misplaced: Iterable[Misplaced], warnings: Warnings, sources: Sources, ctx: Context
) -> None:
    """Print the warnings and errors of a program that come before the error that ends it."""
    pending = list(found)
    for error in misplaced:
        warnings.print_found(each for each in pending if each.at < error.at)
        pending = [each for each in pending if each.at >= error.at]
        ctx.error(f"{sources.where(error.line)}error: {error.text}")
    warnings.print_found(pending)


def _warnings_of(text: str, dialect: Dialect, ctx: Context) -> list[Found]:
    """Return the warnings about a program that has an error."""
    found: list[Found] = []
    tokenize(text, dialect, ctx.charge, found)
    return found


def _report_lost_output(sources: Sources, rt: Runtime | None, ctx: Context, error: WriteError) -> int:
    """Print what gawk prints when standard output cannot be written; return the exit status.

    gawk sends itself the signal of a broken pipe, also when it is ignored.
    """
    ctx.abandon()
    if error.code == errno.EPIPE:
        raise BrokenPipe
    record = rt.where() if rt is not None else ""
    from sandhook.command.write_errors import C_BUFFER

    if len(error.data) > C_BUFFER:
        where = "" if "\n" in sources.text.strip() else sources.where(1)  # of several lines none is known
        ctx.error(f'{where}{record}fatal: print to "standard output" failed: {error.reason}')
        return 2
    ctx.error(f"{record}warning: error writing standard output: {error.reason}")
    return 1


def _assigned_names(options: Options) -> tuple[str, ...]:
    """Return the variables of -v. Raises UsageError and Fatal."""
    names: list[str] = []
    for kind, assignment in options.settings:
        if kind != "v":
            continue
        name, equals, _ = assignment.partition("=")
        if not equals:
            raise UsageError(f"`{assignment}' argument to `-v' not in `var=value' form", status=1)
        if not VARIABLE.fullmatch(name):
            raise Fatal(f"`{name}' is not a legal variable name")
        if name in KEYWORDS or name in BUILTINS:
            raise Fatal(f"cannot use gawk builtin `{name}' as variable name")
        names.append(name.removeprefix("awk::"))
    return tuple(names)


def _dialect(options: Options, ctx: Context) -> Dialect:
    bytewise = options.by_bytes or characters_are_bytes(ctx.environment.get)
    posix = options.posix or "POSIXLY_CORRECT" in ctx.environment
    return Dialect(not (options.traditional or posix), posix, bytewise)


def _prepare(rt: Runtime, options: Options, names: Sequence[str]) -> None:
    """Set ARGV, ENVIRON, PROCINFO, and the variables of -F and -v. Raises UsageError and Fatal."""
    symbols = rt.symbols
    for number, name in enumerate((rt.ctx.name.rpartition("/")[2], *names)):
        rt.store(rt.arrays[ARGV], str(number), Strnum(rt.characters(name)))
    rt.g[ARGC] = float(len(names) + 1)
    if symbols.uses_environment or symbols.uses_tables:
        for name, value in rt.ctx.environment.items():
            rt.store(rt.arrays[ENVIRON], name, Strnum(rt.characters(value)))
    if symbols.uses_process or symbols.uses_tables:
        _describe_process(rt, names)
    rt.connections.sandbox = options.sandbox
    for kind, text in options.settings:
        if kind == "F":
            rt.set_special(FS, rt.characters(unescape(text)))
        else:
            rt.assign_operand(text)


def _describe_process(rt: Runtime, names: Sequence[str]) -> None:
    """Fill PROCINFO."""
    array, kernel, process = rt.arrays[PROCINFO], rt.ctx.kernel, rt.ctx.process
    entries: dict[str, str | float] = {
        "version": "5.2.1", "FS": SPECIAL[rt.mode], "strftime": "%a %b %e %H:%M:%S %Z %Y", "platform": "posix",
        "pid": float(process.pid), "ppid": float(process.parent_pid), "pgrpid": float(process.group),
        "uid": float(kernel.user_id), "euid": float(kernel.user_id),
        "gid": float(kernel.group_id), "egid": float(kernel.group_id),
    }  # fmt: skip
    for key, value in entries.items():
        rt.store(array, key, value)
    arguments, identifiers = Array(), Array()
    for number, name in enumerate((rt.ctx.name, *names)):
        rt.store(arguments, str(number), name)
    for name, slot in rt.symbols.slots.items():
        kind = "array" if slot in rt.symbols.arrays else "scalar"
        rt.store(identifiers, name, kind if slot < len(SPECIAL) else "untyped")
    for name in function_table(rt.symbols.functions):
        rt.store(identifiers, name, "user" if name in rt.symbols.functions else "builtin")
    for key, table in (("argv", arguments), ("identifiers", identifiers)):
        rt.store(array, key, None)
        array[key] = table


def _print_error(ctx: Context, text: str, error: ProgramError, where: str) -> None:
    """Print a syntax error as gawk does: the line, and a caret below the position."""
    start = text.rfind("\n", 0, error.at) + 1
    end = text.find("\n", error.at)
    line = text[start : end if end >= 0 else len(text)]
    ctx.error(f"{where}{line}")
    ctx.error(f"{where}{' ' * (error.at - start)}^ {error}")
