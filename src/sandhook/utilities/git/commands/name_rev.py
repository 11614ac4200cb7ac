"""git name-rev: name commits by references.

Source: git-name-rev(1).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sandhook.command.options import also, opt, option_set
from sandhook.utilities.git.arguments import Parser
from sandhook.utilities.git.errors import GitError, OptionFault
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.history.nearest_ref import NearestRefs
from sandhook.utilities.git.history.walk import Walk
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.access import encode

#: Names of objects, each all of the digits that stand together.
_NAMES = re.compile(rb"(?<![0-9a-fA-F])[0-9a-f]{40}(?![0-9a-fA-F])")


@option_set
class NameOptions:
    """Options of git name-rev."""

    name_only: bool = opt("--name-only")
    tags: bool = opt("--tags")
    refs: tuple[str, ...] = opt("--refs", "PATTERN", "", append=True)
    exclude: tuple[str, ...] = opt("--exclude", "PATTERN", "", append=True)
    all: bool = opt("--all")
    stdin: str | None = also(
        opt("--annotate-stdin", const="--annotate-stdin", default=None), opt("--stdin", const="--stdin")
    )
    no_undefined: bool = also(opt("--no-undefined"), opt("--undefined", const=False))
    always: bool = opt("--always")


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Print a name for each operand; return 0, and 128 for a commit without a name after --no-undefined."""
    parsed = Parser(NameOptions).parse(arguments)
    options, repository = parsed.of(NameOptions), call.repository
    operands = [*parsed.operands, *(parsed.paths or ())]
    if options.stdin == "--stdin":
        call.error(
            "warning: --stdin is deprecated. Please use --annotate-stdin instead, which is functionally equivalent."
        )
        call.error("This option will be removed in a future release.")
    if (options.stdin is not None) + options.all + bool(operands) > 1:
        raise OptionFault("Specify either a list, or --all, not both!")
    names = Names(repository)
    found = _named_objects(call, names, operands)
    commits = [each for _, oid in found if (each := repository.objects.peel(oid, "commit")) is not None]
    refs = NearestRefs(
        repository,
        tags=options.tags,
        patterns=options.refs,
        excluded=options.exclude,
        short=options.name_only,
        sought=[repository.objects.commit(each) for each in commits] if operands else None,
    )
    if options.stdin is not None:
        _annotate(call, refs, name_only=options.name_only)
        return 0
    if options.all:
        _write_all(call, refs, options)
        return 0
    for word, oid in found:
        if not options.name_only:
            call.ctx.write(encode(f"{word} "))
        name = refs.name(oid)
        if name is None and options.no_undefined and not options.always:
            raise GitError(f"cannot describe '{oid}'")
        if name is None:
            name = names.abbreviate(oid, None) if options.no_undefined else "undefined"
        call.ctx.write_line(name)
    return 0


def _named_objects(call: Invocation, names: Names, words: Sequence[str]) -> list[tuple[str, str]]:
    """Return the words that name objects, and these objects."""
    found = []
    for word in words:
        oid = names.find(word)
        if oid is None:
            call.error(f"Could not get sha1 for {word}. Skipping.")
        else:
            found.append((word, oid))
    return found


def _write_all(call: Invocation, refs: NearestRefs, options: NameOptions) -> None:
    """Print the commits that the selected references reach, the newest first, and those near other references."""
    repository, names = call.repository, Names(call.repository)
    peeled = (repository.objects.peel(oid, "commit") for oid in repository.refs.all("refs/").values())
    targets = {oid for oid in peeled if oid is not None}
    looked_at = {parent for oid in targets for parent in repository.objects.commit(oid).parents} | targets
    for commit in Walk(repository, sorted(targets), []):
        name = refs.name(commit.oid)
        if name is None and commit.oid not in looked_at:
            continue
        if name is None and options.no_undefined and not options.always:
            raise GitError(f"cannot describe '{commit.oid}'")
        if name is None:
            name = names.abbreviate(commit.oid, None) if options.no_undefined else "undefined"
        call.ctx.write_line(name if options.name_only else f"{commit.oid} {name}")


def _annotate(call: Invocation, refs: NearestRefs, *, name_only: bool) -> None:
    """Copy standard input, with the names of commits after their objects, or in their places."""
    objects = call.repository.objects

    def named(match: re.Match[bytes]) -> bytes:
        oid = match[0].decode()
        name = refs.name(oid) if objects.has(oid) else None
        if name is None:
            return match[0]
        return encode(name) if name_only else match[0] + encode(f" ({name})")

    with call.ctx.stdin_reader() as reader:
        for line in reader.lines():
            call.access.charge(1 + (len(line) >> 6))
            call.ctx.write(_NAMES.sub(named, line.removesuffix(b"\n")) + b"\n")
