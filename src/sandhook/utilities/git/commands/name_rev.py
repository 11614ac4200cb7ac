"""git name-rev: name commits by references.

Source: git-name-rev(1).
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.options import opt, option_set
from sandhook.utilities.git.arguments import Parser
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.history.nearest_ref import NearestRefs
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.access import encode


@option_set
class NameOptions:
    """Options of git name-rev."""

    name_only: bool = opt("--name-only")
    tags: bool = opt("--tags")
    refs: tuple[str, ...] = opt("--refs", "PATTERN", "", append=True)
    exclude: tuple[str, ...] = opt("--exclude", "PATTERN", "", append=True)
    all: bool = opt("--all")
    stdin: bool = opt("--annotate-stdin")
    no_undefined: bool = opt("--no-undefined")
    always: bool = opt("--always")


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Print a name for each operand; return 0, and 128 for a commit without a name after --no-undefined."""
    parsed = Parser(NameOptions).parse(arguments)
    options, repository = parsed.of(NameOptions), call.repository
    if options.all or options.stdin:
        raise GitError(
            "name-rev --all and --annotate-stdin are not offered in the sandbox (L-GIT-003)", status=129
        )
    refs = NearestRefs(
        repository,
        tags=options.tags,
        patterns=options.refs,
        excluded=options.exclude,
        short=options.name_only,
    )
    names = Names(repository)
    for word in [*parsed.operands, *(parsed.paths or ())]:
        oid = names.find(word)
        if oid is None:
            call.error(f"Could not get sha1 for {word}. Skipping.")
            continue
        if not options.name_only:
            call.ctx.write(encode(f"{word} "))
        name = refs.name(oid)
        if name is None and options.no_undefined and not options.always:
            raise GitError(f"cannot describe '{oid}'")
        if name is None:
            name = names.abbreviate(oid, None) if options.no_undefined else "undefined"
        call.ctx.write_line(name)
    return 0
