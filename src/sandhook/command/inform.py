"""The output of --help and --version, made from the ``Options`` of a utility."""

from __future__ import annotations

from sandhook.command.options import declared_fields
from sandhook.version import __version__


def inform(options: type, name: str, what: str) -> str:
    """Return the text of --help or --version, which is in ``what`` without the hyphens."""
    if what == "version":
        return f"{name} (sandhook) {__version__}\n"
    lines = ["Usage: " + _plain(options.__doc__ or name), ""]
    declared = [option for field in declared_fields(options).values() for option in field.options]
    flags = {flag for option in declared for flag in option.flags}
    for option in declared:
        names = ", ".join(option.flags)
        if option.metavar:
            names += f"[{option.metavar}]" if option.optional else f" {option.metavar}"
        lines.append(f"  {names:<28} {option.help}")
    for flag, what_it_does in (("--help", "show this help"), ("--version", "show the version")):
        if flag not in flags:
            lines.append(f"  {flag:<28} {what_it_does}")
    return "\n".join(lines) + "\n"


def _plain(doc: str) -> str:
    return "\n".join(line.removeprefix("    ") for line in doc.strip().splitlines())
