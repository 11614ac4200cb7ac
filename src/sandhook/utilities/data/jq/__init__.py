"""jq: filter JSON.

Source: jq 1.8 manual. Oracle: jq 1.8.2; libjq runs in a worker process, see ``sandhook.worker``.
Divergences: L-JQ-001 to L-JQ-013.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.inform import inform
from sandhook.command.options import Inform, opt, option_set
from sandhook.utilities.data.jq.arguments import TRY_HELP, Misuse, parse
from sandhook.worker import client

JQ_VERSION = "jq-1.8.2"  #: of the libjq whose behaviour is promised

RAW = True  # jq's command line is like no other: see arguments.py
USAGE_STATUS = 2


@option_set
class Options:
    """jq [OPTION]... FILTER [FILE]... | jq [OPTION]... --args FILTER [STRING]...

    Run FILTER on every JSON value of the files or of standard input, and print the results.
    """

    null_input: bool = opt("-n", "--null-input", help="use null as the single input value")
    raw_input: bool = opt("-R", "--raw-input", help="read each line as a string")
    slurp: bool = opt("-s", "--slurp", help="read all inputs into one array")
    compact: bool = opt("-c", "--compact-output", help="print every result on one line")
    raw_output: bool = opt("-r", "--raw-output", help="print strings without quotes")
    raw_output0: bool = opt("--raw-output0", help="like -r, with NUL after each result")
    join: bool = opt("-j", "--join-output", help="like -r, without newlines")
    ascii_: bool = opt("-a", "--ascii-output", help="escape what is not ASCII")
    sort_keys: bool = opt("-S", "--sort-keys", help="sort the keys of objects")
    colour: bool = opt("-C", "--color-output", help="print in colour")
    monochrome: bool = opt("-M", "--monochrome-output", help="print without colour")
    tab: bool = opt("--tab", help="indent with tabulators")
    indent: str | None = opt("--indent", "N", "indent with N spaces, 0 to 7")
    unbuffered: bool = opt("--unbuffered", ignored="output is never held back")
    binary: bool = opt("-b", "--binary", ignored="lines end with a newline everywhere")
    stream: bool = opt("--stream", help="read values as paths and leaves")
    stream_errors: bool = opt("--stream-errors", help="like --stream, with errors as values")
    seq: bool = opt("--seq", help="read and write application/json-seq")
    from_file: bool = opt("-f", "--from-file", help="the first operand is the file of the filter")
    arg: tuple[str, ...] = opt("--arg", "NAME VALUE", "set $NAME to a string", append=True)
    argjson: tuple[str, ...] = opt("--argjson", "NAME JSON", "set $NAME to a JSON value", append=True)
    slurpfile: tuple[str, ...] = opt("--slurpfile", "NAME FILE", "set $NAME to a file's values", append=True)
    rawfile: tuple[str, ...] = opt("--rawfile", "NAME FILE", "set $NAME to a file's text", append=True)
    args: bool = opt("--args", help="further operands are strings in $ARGS")
    jsonargs: bool = opt("--jsonargs", help="further operands are JSON values in $ARGS")
    library: tuple[str, ...] = opt("-L", "--library-path", "DIRECTORY", "look for modules there", append=True)
    exit_status: bool = opt("-e", "--exit-status", help="1 for a last result of false or null, 4 for none")


def run(options: None, arguments: Sequence[str], ctx: Context) -> int:
    """Return jq's status: 0, 2 usage or file, 3 compilation, 5 run time; with -e 1 and 4 too."""
    try:
        command = parse(tuple(arguments))
    except Misuse as error:
        ctx.flush()
        ctx.process.complain(
            f"{'jq: ' if error.named else ''}{error}\n{TRY_HELP}\n".encode("utf-8", "replace")
        )
        return 2
    if command.inform == "help":
        raise Inform("help")
    if command.inform:
        ctx.write_line(JQ_VERSION)
        return 0
    if command.from_file and command.program is None:
        from sandhook.utilities import load

        ctx.flush()
        ctx.process.complain(inform(load("jq"), "jq", "help").encode())
        return 2
    if client.NATIVE:
        from sandhook.utilities.data.jq.native import Run

        return Run(command, ctx).status()
    from sandhook.utilities.data.jq.call import Run as Wrapped

    return Wrapped(command, ctx).status()
