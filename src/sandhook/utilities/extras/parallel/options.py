"""The options of parallel."""

from __future__ import annotations

from sandhook.command.context import Failure
from sandhook.command.options import UsageError, also, opt, option_set
from sandhook.lazy import lazily

MAX_COMMAND = 131_072  #: characters of a command
_JOBS = lazily(r"(?a)[+-]?[0-9]+%?")


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise UsageError(f'Value "{text}" invalid for an option that takes a number', hint=False)
    return int(text[:9])


def _jobs(text: str) -> str:
    if _JOBS.fullmatch(text) is None:
        raise Failure("Error: Parsing of --jobs/-j/--max-procs/-P failed.")
    return text


@option_set
class Options:
    """parallel [OPTION]... [COMMAND [ARGUMENT]...] [::: VALUE... | :::: FILE...]...

    Run COMMAND, a line for bash, for each VALUE, line of FILE, or line of standard input, and for all combinations of several
    lists. {} is the value, {.} without its suffix, {/} without directories, {//} the directory, {/.} without both; {1} the
    first list's value, {#} the number of the job. Without COMMAND the values are the commands.
    """

    jobs: str | None = opt(
        "-j", "-P", "--jobs", "--max-procs", "NUMBER", ignored="one job runs at a time", convert=_jobs
    )
    keep: bool = opt("-k", "--keep-order", ignored="output is always in order")
    each: int | None = opt("-n", "--max-args", "NUMBER", "values for each job", convert=_count)
    replace: int | None = also(
        opt(
            "-N",
            "--max-replace-args",
            "NUMBER",
            "values for each job; {1}, {2} ... are the values",
            convert=_count,
        ),
        opt("-L", "--max-lines", "NUMBER", "lines for each job", convert=_count),
    )
    context: str = also(
        opt("-X", help="as many values as fit; a word with {} is repeated", const="X", default=""),
        opt("-m", "--xargs", help="as many values as fit", const="m"),
    )
    max_chars: int = opt(
        "-s", "--max-chars", "NUMBER", "characters of a command", convert=_count, default=MAX_COMMAND
    )
    null: bool = opt("-0", "--null", help="values end with NUL")
    delimiter: str | None = opt("-d", "--delimiter", "CHARACTER", "values end with this")
    eof: str | None = opt("-E", "VALUE", "the value that ends the list")
    files: tuple[str, ...] = opt("-a", "--arg-file", "FILE", "values are the lines of FILE", append=True)
    colsep: str | None = opt("-C", "--colsep", "REGEX", "values have columns {1}, {2} ...")
    header: str | None = opt("--header", "REGEX", "the first value names the list: {name}")
    link: bool = opt("--link", "--xapply", help="pair the values of several lists")
    trim: str = opt("--trim", "n|l|r|lr|rl", "drop white space around values", default="n")
    mark: str = opt("-I", "TEXT", "TEXT instead of {}", default="{}")
    quote: bool = opt("-q", "--quote", help="quote COMMAND, too")
    dry: bool = opt("--dry-run", "--dryrun", help="print the commands")
    shell_quote: bool = opt("--shellquote", "--shell-quote", help="print the values quoted")
    verbose: bool = opt("-v", "--verbose", help="print each command")
    trace: bool = opt("-t", help="print each command on standard error")
    tag: bool = opt("--tag", help="put the value before each line of output")
    tagstring: str | None = opt(
        "--tagstring", "TEXT", "put TEXT before each line; it may have replacement strings"
    )
    halt: str | None = opt(
        "--halt", "--halt-on-error", "WHEN", "never, or now or soon,fail|success|done=NUMBER[%]"
    )
    joblog: str | None = opt("--joblog", "FILE", "write a line for each job to FILE")
    no_run: bool = opt("-r", "--no-run-if-empty", help="skip empty values")
    retries: int = opt("--retries", "NUMBER", "try a job up to NUMBER times", convert=_count, default=1)
    timeout: str | None = opt("--timeout", "SECONDS", "end a job after SECONDS")
    delay: str = opt("--delay", "SECONDS", "wait between jobs", default="0")
    directory: str | None = opt("--wd", "--workdir", "DIRECTORY", "run the jobs there")
    group: bool = opt(
        "-u",
        "--ungroup",
        "--group",
        "--lb",
        "--line-buffer",
        "--linebuffer",
        ignored="",
    )
    cite: bool = opt("--will-cite", "--no-notice", "--plain", ignored="")
