"""git check-ignore: print which paths the rules of .gitignore match.

Source: git-check-ignore(1).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sandhook.command.options import also, opt, option_set
from sandhook.utilities.git.arguments import Parser
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.names.ignore import Ignore
from sandhook.utilities.git.names.pathspec import from_top
from sandhook.utilities.git.names.quote import quote, unquote
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.access import decode, encode
from sandhook.utilities.git.store.objects import GITLINK


@option_set
class Options:
    """Options of git check-ignore."""

    quiet: bool = also(opt("-q"), opt("--quiet"))
    verbose: bool = also(opt("-v"), opt("--verbose"))
    stdin: bool = opt("--stdin")
    nul: bool = opt("-z")
    non_matching: bool = also(opt("-n"), opt("--non-matching"))
    no_index: bool = opt("--no-index")


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Return 0 if a path is ignored, else 1."""
    parsed = Parser(Options).parse(arguments)
    options = parsed.of(Options)
    operands = [*parsed.operands, *(parsed.paths or ())]
    repository = call.repository
    if options.stdin and operands:
        raise GitError("cannot specify pathnames with --stdin")
    if options.nul and not options.stdin:
        raise GitError("-z only makes sense with --stdin")
    if not options.stdin and not operands:
        raise GitError("no path specified")
    if options.quiet and len(operands) > 1:
        raise GitError("--quiet is only valid with a single pathname")
    if options.quiet and options.verbose:
        raise GitError("cannot have both --quiet and --verbose")
    if options.non_matching and not options.verbose:
        raise GitError("--non-matching is only valid with --verbose")
    rules = repository.ignore()
    found = 0
    for name in operands if not options.no_index else ():
        _check_place(call, name)
    for name in input_names(call, options.nul) if options.stdin else operands:
        if options.stdin and not options.no_index:
            _check_place(call, name)
        found += _check(call, options, rules, name)
    return 0 if found else 1


def input_names(call: Invocation, nul: bool) -> Iterator[str]:
    """Yield the names of --stdin."""
    end = b"\0" if nul else b"\n"
    with call.ctx.stdin_reader() as reader:
        for line in reader.lines(end):
            name = decode(line.removesuffix(end))
            yield name if nul else unquote(name)


def _check_place(call: Invocation, name: str) -> None:
    """Raise GitError for a path within a submodule, or outside of the repository."""
    repository = call.repository
    path = from_top(name, repository.prefix, repository.root, name)
    call.access.charge(1 + path.count("/"))
    for index in (at for at, letter in enumerate(path.rstrip("/")) if letter == "/"):
        entry = repository.index.get(path[:index])
        if entry is not None and entry.mode == GITLINK:
            raise GitError(f"Pathspec '{name}' is in submodule '{path[:index]}'")


def _check(call: Invocation, options: Options, rules: Ignore, name: str) -> bool:
    """Print one path; return True if a rule matches it."""
    repository = call.repository
    path = from_top(name, repository.prefix, repository.root, name)
    rule = None
    if path.rstrip("/") and (options.no_index or not _is_tracked(call, path.rstrip("/"))):
        is_directory = path.endswith("/") or call.access.is_dir(f"{repository.root}/{path}")
        rule = rules.rule_for(path.rstrip("/"), is_directory)
    if rule is not None and rule.negated and not options.verbose:
        rule = None
    if options.quiet or (rule is None and not options.non_matching):
        return rule is not None
    shown = name if options.nul else quote(name, repository.quotes_wide)
    if not options.verbose:
        call.ctx.write(encode(shown + ("\0" if options.nul else "\n")))
    elif options.nul:
        fields = ("", "", "") if rule is None else (rule.source, str(rule.line), rule.text)
        call.ctx.write(encode("".join(f"{field}\0" for field in (*fields, name))))
    else:
        head = (
            "::" if rule is None else f"{quote(rule.source, repository.quotes_wide)}:{rule.line}:{rule.text}"
        )
        call.ctx.write_line(f"{head}\t{shown}")
    return rule is not None


def _is_tracked(call: Invocation, path: str) -> bool:
    by_path = call.repository.index.by_path
    call.access.charge(1 + (len(by_path) >> 3))
    return path in by_path or any(each.startswith(path + "/") for each in by_path)
