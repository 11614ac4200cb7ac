"""The output of --help and --version, made from the ``Options`` of a utility."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sandhook.command.options import Topic, options_by_flag
from sandhook.command.utility import Utility
from sandhook.command.versions import first_line
from sandhook.lazy import lazily
from sandhook.version import __version__

_WIDTH = 100  #: columns

#: The name of a program in the lines of its synopsis.
_PROGRAM = lazily(r"(?m)^(Usage: |  or:  )[^ ]+")


def inform(utility: Utility, name: str, what: Topic, program: str | None = None) -> str:
    """Return the text of --help or --version, which is in ``what`` without the hyphens.

    Args:
        utility: The utility.
        name: The name in the output.
        what: "help" or "version".
        program: The program, if it differs from the name.
    """
    if what == "version":
        base = name.rpartition("/")[2]
        line = first_line(base)
        return f"{base} (sandhook) {__version__}\n" if line is None else f"{line}\nsandhook {__version__}\n"
    options = utility.options_of(name if program is None else program)
    if options is None:
        return f"Usage: {name} [ARGUMENT]...\n"
    return usage(
        options,
        name,
        subcommands=utility.subcommands,
        operands=utility.operand_words,
    )


def usage(
    options: type,
    name: str,
    *,
    informs: bool = True,
    subcommands: Mapping[str, type] | None = None,
    operands: Mapping[str, Sequence[str]] | None = None,
) -> str:
    """Return the text of --help for one ``Options`` class, and for those of subcommands."""
    text = "Usage: " + _plain(options.__doc__ or name)
    synopsis, separator, rest = text.partition("\n\n")
    base = name.rpartition("/")[2]
    if base in synopsis.split():
        synopsis = " ".join(name if word == base else word for word in synopsis.split(" "))
    else:  # one class describes several programs
        synopsis = _PROGRAM.sub(lambda match: match[1] + name, synopsis)
    sections = [[synopsis + separator + rest], _option_lines(options)]
    if informs:
        flags = options_by_flag(options)
        for flag, what_it_does in (("--help", "show this help"), ("--version", "show the version")):
            if flag not in flags:
                sections[-1].append(f"  {flag:<28} {what_it_does}")
    for of_command in dict.fromkeys((subcommands or {}).values()):
        sections += [[_plain(of_command.__doc__ or "")], _option_lines(of_command)]
    sections += [[f"{title}:", *_wrap_words(words)] for title, words in (operands or {}).items()]
    return "\n".join("".join(f"{line}\n" for line in lines) for lines in sections if lines)


def _option_lines(options: type) -> list[str]:
    lines = []
    for option in dict.fromkeys(options_by_flag(options).values()):
        names = ", ".join(option.flags)
        if option.metavar:
            names += f"[{option.metavar}]" if option.optional else f" {option.metavar}"
        lines.append(f"  {names:<28} {option.help}")
    return lines


def _wrap_words(words: Sequence[str]) -> list[str]:
    """Return lines of words, each of which may have blanks."""
    lines = [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + 2 + len(word) > _WIDTH:
            lines.append("")
        lines[-1] += f"  {word}"
    return lines


def _plain(doc: str) -> str:
    return "\n".join(line.removeprefix("    ") for line in doc.strip().splitlines())
