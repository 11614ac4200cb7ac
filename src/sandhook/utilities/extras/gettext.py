"""gettext, ngettext: print a message, always untranslated because there are no catalogs.

Source: POSIX.1-2024 XCU 3, gettext and ngettext. Oracle: GNU gettext 0.21.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.options import Inform, also, opt, option_set
from sandhook.text.escapes import unescape_echo

ANY_ORDER = True


@option_set
class Options:
    """gettext [-eEns] [-d DOMAIN] [DOMAIN] MESSAGE | gettext -s [-en] [-d DOMAIN] MESSAGE... | ngettext [-eE] [-d DOMAIN] [DOMAIN] ONE MANY COUNT

    Print MESSAGE, or ONE if COUNT is 1, else MANY.
    """

    context: str | None = opt("-c", "--context", "CONTEXT", ignored="")
    domain: str | None = opt("-d", "--domain", "DOMAIN", ignored="")
    escapes: bool = also(
        opt("-e", help="expand escapes"),
        opt("-E", help="do not (the default)", const=False),
    )
    bare: bool = opt("-n", help="with -s, no newline at the end")
    several: bool = opt("-s", help="print every MESSAGE and a newline, like echo")
    inform: str = also(
        opt("-V", help="show the version", const="version", default=""),
        opt("-h", help="show this help", const="help"),
    )


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 after a usage error."""
    if options.inform:
        raise Inform(options.inform)
    plural = ctx.program == "ngettext"
    words = list(operands)
    required = 3 if plural else 1
    if options.several and not plural:
        messages = [_expand(word, options) for word in words]
        ctx.write((" ".join(messages) + ("" if options.bare else "\n")).encode("utf-8", "surrogateescape"))
        return 0
    if len(words) < required:
        raise Failure("missing arguments")
    if len(words) > required + 1:
        raise Failure("too many arguments")
    if len(words) > required:
        words.pop(0)
    message = words[0]
    if plural:
        count = words[2]
        singular = count.isascii() and count.isdigit() and count.lstrip("0") == "1"
        message = words[0] if singular else words[1]
    ctx.write(_expand(message, options).encode("utf-8", "surrogateescape"))
    return 0


def _expand(text: str, options: Options) -> str:
    if not options.escapes:
        return text
    return unescape_echo(text.encode("utf-8", "surrogateescape"))[0].decode("utf-8", "surrogateescape")
