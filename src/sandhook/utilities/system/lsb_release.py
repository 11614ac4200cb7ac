"""lsb_release: print facts about the distribution, from $LSB_OS_RELEASE or /etc/os-release.

Oracle: lsb_release of Debian 12 (lsb-release-minimal 12.0).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.options import also, opt, option_set

USAGE_STATUS = 2

_SETTING = re.compile(r"([A-Z_]+)=(.*)")


@option_set
class Options:
    """lsb_release [OPTION]...

    Print facts about the distribution.
    """

    id: bool = also(opt("-i", "show distributor ID"), opt("--id"))
    description: bool = also(opt("-d", "show description of this distribution"), opt("--description"))
    release: bool = also(opt("-r", "show release number of this distribution"), opt("--release"))
    codename: bool = also(opt("-c", "show code name of this distribution"), opt("--codename"))
    all: bool = also(opt("-a", "show all of the above information"), opt("--all"))
    short: bool = also(opt("-s", "show requested information in short format"), opt("--short"))
    modules: bool = opt("-v", ignored="there are no LSB modules")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0."""
    facts = _read(ctx)
    name = facts.get("ID", "Linux")
    name = name[:1].upper() + name[1:]
    if facts.get("NAME", "").lower() == name.lower():
        name = facts["NAME"]
    shown = (
        (options.id, "Distributor ID", name),
        (options.description, "Description", facts.get("PRETTY_NAME") or "n/a"),
        (options.release, "Release", facts.get("VERSION_ID") or "n/a"),
        (options.codename, "Codename", facts.get("VERSION_CODENAME") or "n/a"),
    )
    for is_wanted, title, value in shown:
        if is_wanted or options.all:
            ctx.write_line(value if options.short else f"{title}:\t{value}")
    return 0


def _read(ctx: Context) -> dict[str, str]:
    """Return the settings of the file; none without it."""
    path = ctx.path(ctx.environment.get("LSB_OS_RELEASE") or "/etc/os-release")
    try:
        with ctx.open(path if ctx.fs.exists(path) else "/etc/os-release") as reader:
            text = reader.read_all().decode("utf-8", "surrogateescape")
    except OSError:
        return {}
    found = {}
    for line in text.split("\n"):
        ctx.charge()
        if (match := _SETTING.fullmatch(line.strip())) is not None:
            found[match[1]] = match[2].strip("\"'")
    return found
