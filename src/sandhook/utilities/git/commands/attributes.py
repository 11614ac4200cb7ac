"""git check-attr: print the attributes of paths.

Source: git-check-attr(1).
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.options import also, opt, option_set
from sandhook.utilities.git.arguments import Parser
from sandhook.utilities.git.commands.ignored import input_names
from sandhook.utilities.git.errors import GitError, OptionFault
from sandhook.utilities.git.names.attributes import Value
from sandhook.utilities.git.names.pathspec import from_top
from sandhook.utilities.git.names.quote import quote
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.access import encode


@option_set
class Options:
    """Options of git check-attr."""

    all_: bool = also(opt("-a"), opt("--all"))
    cached: bool = opt("--cached")
    stdin: bool = opt("--stdin")
    nul: bool = opt("-z")


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Return 0."""
    parsed = Parser(Options).parse(arguments)
    options = parsed.of(Options)
    names, paths = _names_and_paths(options, parsed.operands, parsed.paths)
    for path in input_names(call, options.nul) if options.stdin else paths:
        _print(call, options, names, path)
    return 0


def _names_and_paths(
    options: Options, operands: Sequence[str], after: Sequence[str] | None
) -> tuple[Sequence[str], Sequence[str]]:
    """Return the attributes and the paths among the operands; ``after`` follows "--". Raises GitError."""
    names: Sequence[str] = ()
    if options.all_:
        if after is not None and operands:
            raise OptionFault("Attributes and --all both specified")
        paths = (*operands, *(after or ()))
    elif after is not None or options.stdin:
        names, paths = tuple(operands), tuple(after or ())
    else:
        names, paths = tuple(operands[:1]), tuple(operands[1:])
    if not options.all_ and not names:
        raise OptionFault("No attribute specified")
    if options.stdin and paths:
        raise OptionFault("Can't specify files with --stdin")
    if not options.stdin and not paths:
        raise OptionFault("No file specified")
    for name in names:
        if name.startswith("-") or not all(c.isalnum() or c in "-._" for c in name):
            raise GitError(f"{name}: not a valid attribute name", prefix="error", status=255)
    return names, paths


def _print(call: Invocation, options: Options, names: Sequence[str], path: str) -> None:
    """Print the attributes of one path: those of the call, or with -a those that are set or unset."""
    repository = call.repository
    attributes = repository.staged_attributes if options.cached else repository.attributes
    values = attributes.of(from_top(path, repository.prefix, repository.root, path).rstrip("/"))
    if options.all_:
        names = [name for name in attributes.order if values.get(name) is not None]
    for name in names:
        fields = (path, name, _shown(values.get(name)))
        if options.nul:
            text = "".join(f"{field}\0" for field in fields)
        else:
            text = ": ".join((quote(path, repository.quotes_wide), *fields[1:])) + "\n"
        call.ctx.write(encode(text))


def _shown(value: Value) -> str:
    if isinstance(value, str):
        return value
    return {True: "set", False: "unset", None: "unspecified"}[value]
