"""The destinations of cp, mv and ln: SOURCE DEST, SOURCE... DIRECTORY or -t DIRECTORY SOURCE..."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.operands import beneath, last_component, reason, stat_of
from sandhook.command.options import UsageError
from sandhook.text.quoting import quote_always


def pairs(
    ctx: Context,
    operands: Sequence[str],
    directory: str | None,
    plain: bool,
    strip: bool = False,
    *,
    accesses: bool = False,
) -> Iterator[tuple[str, str]]:
    """Yield each source with its destination.

    Args:
        operands: The operands; the last one is the destination unless ``directory`` is set.
        directory: The option-argument of -t.
        plain: -T is set, so that the destination is a file.
        strip: Slashes at the end of sources are removed if the destination is a directory.
        accesses: An option-argument of -t that is no directory is reported in the words of ln.

    Raises:
        UsageError: Operands are missing or too many.
        Failure: The target must be a directory, but is not.
    """
    if not operands:
        raise UsageError("missing file operand")
    if directory is not None:
        if plain:
            raise Failure("cannot combine --target-directory (-t) and --no-target-directory (-T)")
        require_directory(ctx, directory, "target directory", accesses)
        for name in operands:
            yield stripped(name) if strip else name, beneath(directory.rstrip("/") or directory, _base(name))
        return
    if len(operands) == 1:
        raise UsageError(f"missing destination file operand after {quote_always(operands[0])}")
    *sources, target = operands
    if plain:
        if len(sources) > 1:
            raise UsageError(f"extra operand {quote_always(operands[2])}")
        yield sources[0], target
        return
    if len(sources) == 1 and not (target and ctx.fs.is_dir(ctx.path(target))):
        yield sources[0], target
        return
    require_directory(ctx, target, "target")
    for name in sources:
        yield stripped(name) if strip else name, beneath(target.rstrip("/") or target, _base(name))


def stripped(name: str) -> str:
    """Return a name without slashes at its end; "/" alone stays."""
    return name.rstrip("/") or name[:1]


def _base(name: str) -> str:
    base = last_component(name)
    return "" if base == "/" else base


def require_directory(ctx: Context, name: str, what: str, accesses: bool = False) -> None:
    """Raise Failure if the target of several files is not a directory; ``accesses`` selects the words of ln -t."""
    try:
        if not ctx.fs.is_dir(ctx.path(name)) or not name:
            stat_of(ctx, name)
            if accesses:
                raise Failure(f"target {quote_always(name)} is not a directory")
            raise Failure(f"{what} {quote_always(name)}: Not a directory")
    except OSError as error:
        if accesses:
            raise Failure(f"failed to access {quote_always(name)}: {reason(error)}") from None
        raise Failure(f"{what} {quote_always(name)}: {reason(error)}") from None
