"""ed: edit text with line-oriented commands.

Source: POSIX.1-2024 XCU 3, ed. Oracle: GNU ed 1.19. Divergence: L-ED-001, ! is an error, as in a restricted ed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from sandhook.command.context import Context
from sandhook.command.options import Inform, opt, option_set
from sandhook.kernel.descriptor import File
from sandhook.pattern.posix import Regex, compile_bre, compile_ere
from sandhook.utilities.extras.ed.buffer import EdError
from sandhook.utilities.extras.ed.commands import COMMANDS
from sandhook.utilities.extras.ed.session import Quit, Session, Settings

WRITE_ERROR = ""
ANY_ORDER = True


@option_set
class Options:
    """ed [OPTION]... [FILE]

    Edit FILE with the commands on standard input.
    """

    extended: bool = opt("-E", "--extended-regexp", help="extended regular expressions")
    traditional: bool = opt("-G", "--traditional", ignored="")
    loose: bool = opt("-l", "--loose-exit-status", help="exit with 0 even if a command failed")
    prompt: str | None = opt("-p", "--prompt", "TEXT", "print TEXT before each command")
    quiet: bool = opt("-q", "--quiet", "--silent", help="no messages on standard error")
    restricted: bool = opt("-r", "--restricted", ignored="ed never runs commands")
    script: bool = opt("-s", "--script", help="do not print the number of bytes read and written")
    verbose: bool = opt("-v", "--verbose", help="explain errors")
    shows_help: bool = opt("-h", help="show this help")
    shows_version: bool = opt("-V", help="show the version")
    strip: bool = opt("--strip-trailing-cr", help="drop carriage returns at the end of lines")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, 1 when a command failed, or 2 when the commands end before a changed text was written.

    As in GNU's, operands after the first are ignored.
    """
    if options.shows_help or options.shows_version:
        raise Inform("help" if options.shows_help else "version")

    def compile_(text: str, icase: bool = False) -> Regex:
        return (compile_ere if options.extended else compile_bre)(text, icase=icase)

    settings = Settings(options.prompt, options.verbose, options.quiet, not options.script, options.strip)
    with ctx.stdin_reader() as reader:
        from_file = isinstance(reader.description, File)
        session = Session(settings, COMMANDS, ctx, _lines(reader.lines()), compile_)
        failed = False
        if operands:
            failed = not _run_command(session, ctx, lambda: session.read_first(operands[0]))
        while True:
            try:
                if not _run_command(session, ctx, session.command):
                    failed = True
                    if session.ended:
                        return 0 if options.loose else 2
                    if from_file:  # a script in a file stops at the first error
                        for _ in reader.chunks():
                            pass
                        return 0 if options.loose else 1
            except Quit:
                return 1 if failed and not options.loose else 0


def _lines(lines: Iterator[bytes]) -> Iterator[bytes]:
    for line in lines:
        yield line.removesuffix(b"\n")


def _run_command(session: Session, ctx: Context, action: Callable[[], None]) -> bool:
    """Run a command; print ``?`` and return False when it fails. Raises Quit."""
    try:
        action()
    except EdError as error:
        session.message = str(error)
        ctx.write(b"?\n")
        if session.explains:
            session.explain()
        return False
    return True
