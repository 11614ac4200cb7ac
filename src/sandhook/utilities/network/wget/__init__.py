"""wget: fetch files from URLs that the host allows.

Source: GNU Wget's manual. Oracle: GNU Wget 1.21.3. Without a ``Network`` of the host, every transfer fails with status
4, as on a machine without a network. Divergence: L-WGET-001.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.operands import reason
from sandhook.command.options import OptionError, Syntax, UsageError
from sandhook.command.pieces import Charge, split_lines
from sandhook.kernel.descriptor import Description
from sandhook.net.url import UrlRefused, join
from sandhook.utilities.network.cookies import Jar
from sandhook.utilities.network.transfer import Trouble, read_url
from sandhook.utilities.network.wget.options import Options
from sandhook.utilities.network.wget.transfer import UrlTransfer

RAW = True  # some of wget's short options have two letters
USAGE_STATUS = 2

_TWO_LETTERS = {
    "-nv": "--no-verbose", "-nc": "--no-clobber", "-nd": "--no-directories", "-nH": "--no-host-directories",
    "-np": "--no-parent",
}  # fmt: skip

_USAGE = "Usage: wget [OPTION]... [URL]...\n\nTry `wget --help' for more options."
_BOTH_OFFSETS = (
    b"Specifying both --start-pos and --continue is not recommended; --continue will be disabled.\n"
)

_SYNTAX = Syntax(Options)


def run(_: None, arguments: Sequence[str], ctx: Context) -> int:
    """Return wget's exit status: 0, 1 wrong URL, 2 usage, 3 files, 4 network, 5 certificates, 8 an error of the server's."""
    try:
        options, operands = _SYNTAX.parse([_TWO_LETTERS.get(word, word) for word in arguments])
    except OptionError as error:
        raise UsageError(f"{error}\n{_USAGE}", hint=False) from None
    return _run(options, operands, ctx)


def _run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    if options.no_check_certificate:
        raise UsageError("--no-check-certificate is not supported here (L-WGET-001)", hint=False)
    if options.compression not in ("auto", "gzip", "none"):
        raise UsageError(f"--compression: Invalid value '{options.compression}'.", hint=False)
    if options.start is not None and not (options.start.isascii() and options.start.isdigit()):
        raise UsageError(f"--start-pos: Invalid byte value '{options.start}'", hint=False)
    if options.start is not None and options.resume:
        ctx.process.write_error(_BOTH_OFFSETS)
    if not operands and options.input is None:
        ctx.process.write_error(f"wget: missing URL\n{_USAGE}\n".encode())
        return 1
    if not (options.redirects.isascii() and options.redirects.isdigit()):
        raise UsageError(f"--max-redirect: Invalid number '{options.redirects}'.", hint=False)
    descriptors = ctx.process.descriptors
    saved_stderr = descriptors.get(2)
    name = options.log_more if options.log_more is not None else options.log
    if name is None:
        return _fetch_all(options, operands, ctx)
    try:
        log = ctx.create(name, append=options.log_more is not None)
    except OSError as error:
        ctx.process.write_error(f"{name}: {reason(error)}\n".encode("utf-8", "surrogateescape"))
        return 1
    try:
        descriptors[2] = log
        return _fetch_all(options, operands, ctx)
    finally:
        log.release()
        if saved_stderr is None:
            del descriptors[2]
        else:
            descriptors[2] = saved_stderr


def _fetch_all(options: Options, operands: Sequence[str], ctx: Context) -> int:
    output: Description | None = None
    jar = None if options.no_cookies else Jar(ctx.now())
    name = ""
    try:
        urls = list(operands)
        if options.input is not None:
            urls += _parse_list(_read_list(ctx, options), options.base, ctx.charge)
        if jar is not None and options.load is not None:
            name = options.load
            jar.load(_text(ctx, name))
        if options.output is not None and options.output != "-" and not options.spider:
            name = options.output
            output = ctx.create(name, append=options.resume and options.start is None)
    except OSError as error:
        ctx.process.write_error(f"{name}: {reason(error)}\n".encode("utf-8", "surrogateescape"))
        return 1
    status = 0
    try:
        for text in urls:
            url_status = UrlTransfer(options, ctx, output, jar).run(text)
            status = url_status if status == 0 else min(status, url_status) if url_status else status
        if jar is not None and options.save is not None:
            file = ctx.create(options.save)
            file.write(_cookie_file(jar.text(), sessions=options.sessions).encode("utf-8", "surrogateescape"))
            file.release()
    except OSError as error:
        ctx.process.write_error(
            f"Cannot open cookies file '{options.save}': {reason(error)}\n".encode("utf-8", "replace")
        )
    finally:
        if output is not None:
            output.release()
    return status


def _read_list(ctx: Context, options: Options) -> str:
    """Return the text of -i; report a file that cannot be read, and return no text."""
    name = options.input or ""
    try:
        return _text(ctx, name)
    except OSError as error:
        note = "" if options.quiet else f"No URLs found in {name}.\n"
        ctx.process.write_error(f"{name}: {reason(error)}\n{note}".encode("utf-8", "surrogateescape"))
        return ""


def _text(ctx: Context, name: str) -> str:
    with ctx.open(name) as reader:
        data = reader.read_all()
    ctx.budget.check_fits(4 * len(data))
    return data.decode("utf-8", "surrogateescape")


def _parse_list(text: str, base: str | None, charge: Charge) -> list[str]:
    """Return the URLs of a list."""
    lines = [line.strip() for part in split_lines(text, charge) for line in part]
    if base is None:
        return [line for line in lines if line]
    try:
        return [str(join(read_url(base), line)) for line in lines if line]
    except (UrlRefused, Trouble) as error:
        raise UsageError(f"--base: {error}", hint=False) from None


def _cookie_file(text: str, *, sessions: bool) -> str:
    """Return the contents of a file of cookies; those of the session only with ``sessions``."""
    lines = [line for line in text.splitlines(keepends=True) if not line.startswith("# ")]
    return "# HTTP Cookie File\n# Edit at your own risk.\n" + "".join(
        line for line in lines if sessions or line.split("\t")[4:5] != ["0"]
    )
