"""git for-each-ref, show-ref, symbolic-ref and tag -l: list references.

Source: git-for-each-ref(1), git-show-ref(1), git-symbolic-ref(1), git-tag(1).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandhook.command.options import also, opt, option_set
from sandhook.text.numbers import is_number
from sandhook.utilities.git.arguments import Parser, count
from sandhook.utilities.git.commands.writers.ref_changes import (
    NewTag,
    create_tag,
    delete_symbolic,
    delete_tags,
    set_symbolic,
)
from sandhook.utilities.git.errors import GitError, OptionFault, RevisionError
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.history.ref_format import Ref, RefFields
from sandhook.utilities.git.names.columns import Layout, Measures, arranged, parse_layout
from sandhook.utilities.git.names.wildmatch import has_wildcard, wildmatch
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.access import decode, encode
from sandhook.utilities.git.store.config import Config
from sandhook.utilities.git.store.refs import is_valid_name
from sandhook.utilities.git.store.repository import Repository
from sandhook.utilities.git.store.working_trees import checked_out


@option_set
class FilterOptions:
    """Options that select and print references."""

    template: str | None = opt("--format", "FORMAT", "")
    sort: tuple[str, ...] = opt("--sort", "KEY", "", append=True)
    contains: tuple[str, ...] = opt("--contains", "[COMMIT]", "", optional=True, const="HEAD", append=True)
    no_contains: tuple[str, ...] = opt(
        "--no-contains", "[COMMIT]", "", optional=True, const="HEAD", append=True
    )
    merged: tuple[str, ...] = opt("--merged", "[COMMIT]", "", optional=True, const="HEAD", append=True)
    no_merged: tuple[str, ...] = opt("--no-merged", "[COMMIT]", "", optional=True, const="HEAD", append=True)
    points_at: tuple[str, ...] = opt("--points-at", "OBJECT", "", append=True)
    ignore_case: bool = also(opt("-i"), opt("--ignore-case"))
    color: str | None = also(
        opt("--color", "WHEN", "", optional=True, const="always"), opt("--no-color", const="never")
    )
    column: str | None = also(
        opt("--column", "STYLE", "", optional=True, const="always"), opt("--no-column", const=None)
    )

    @property
    def selects(self) -> bool:
        """True if only references of some commits are wanted."""
        return bool(self.contains or self.no_contains or self.merged or self.no_merged or self.points_at)


def _object(names: Names, option: str, name: str) -> str:
    """Return the object that an option names. Raises GitError in the words of the option."""
    try:
        return names.resolve(name)
    except RevisionError:
        shown = f"'{name}'" if option == "--points-at" else name
        text = f"malformed object name {shown}"
    if option in ("--merged", "--no-merged"):
        raise GitError(text)
    raise GitError(text, prefix="error", status=129)


def _commit(names: Names, option: str, name: str) -> str:
    """Return the commit that an option names. Raises GitError in the words of the option."""
    oid = _object(names, option, name)
    found, kind = names.peeled(oid)
    if found is not None:
        return found
    why = f"no such commit {name}"
    if option in ("--merged", "--no-merged"):
        why = f"option `{option[2:]}' must point to a commit"
    raise GitError(f"object {oid} is a {kind}, not a commit\nerror: {why}", prefix="error", status=129)


def select(
    repository: Repository,
    options: FilterOptions,
    refs: Sequence[Ref],
    default_sort: str,
) -> list[Ref]:
    """Return the references that the options select, in order."""
    fields, names = RefFields(repository), Names(repository)
    result = list(refs)
    checks: tuple[tuple[str, tuple[str, ...], Callable[[Ref, str], bool]], ...] = (
        ("--contains", options.contains, fields.contains),
        ("--no-contains", options.no_contains, fields.contains),
        ("--merged", options.merged, fields.merged),
        ("--no-merged", options.no_merged, fields.merged),
    )
    if any(words for _, words, _ in checks):  # tags of trees and of files are left out, whatever is asked
        result = [ref for ref in result if repository.objects.peel(ref.oid, "commit") is not None]
    for option, words, holds in checks:
        oids = [_commit(names, option, word) for word in words]
        wanted = not option.startswith("--no-")
        result = [ref for ref in result if not oids or any(holds(ref, oid) for oid in oids) == wanted]
    if options.points_at:
        targets = {_object(names, "--points-at", word) for word in options.points_at}
        result = [ref for ref in result if not targets.isdisjoint((ref.oid, fields.tagged(ref.oid)))]
    return fields.sort(result, options.sort or (default_sort,), ignore_case=options.ignore_case)


def chosen_layout(config: Config, command: str, option: str | None) -> Layout | None:
    """Return the layout that --column or the settings column.* ask for, None for one name on a line."""
    settings = [config.get("column.ui") or "", config.get(f"column.{command}") or ""]
    if option is None and not any(settings):
        return None
    layout = parse_layout(
        ",".join(filter(None, (*settings, option or ""))), "" if option is not None else "never"
    )
    return layout if layout.enabled else None


def write_lines(repository: Repository, lines: Sequence[str], layout: Layout | None, *, padding: int) -> None:
    """Print lines, in columns if there is a layout."""
    if layout is None:
        for line in lines:
            repository.ctx.write_line(line)
        return
    columns = repository.options.environment.get("COLUMNS", "")
    width = int(columns) - 1 if is_number(columns) and 0 < len(columns) < 6 else 79
    for text in arranged(lines, layout, Measures(width, padding=padding), repository.access.charge):
        repository.ctx.write(encode(text))


@option_set
class EachOptions:
    """Options of git for-each-ref."""

    number: int = opt("--count", "N", "", convert=count, default=0)
    quotes: tuple[str, ...] = also(
        opt("-s", const="shell", append=True), opt("--shell", const="shell", append=True), opt("-p", const="perl", append=True),
        opt("--perl", const="perl", append=True), opt("--python", const="python", append=True),
        opt("--tcl", const="tcl", append=True),
    )  # fmt: skip


def run_each(call: Invocation, arguments: Sequence[str]) -> int:
    """Print references in a format; return 0."""
    parsed = Parser(EachOptions, FilterOptions).parse(arguments)
    options, filters = parsed.of(EachOptions), parsed.of(FilterOptions)
    repository = call.repository
    if len(set(options.quotes)) > 1:
        raise OptionFault("more than one quoting style?")
    patterns, icase = parsed.operands, filters.ignore_case
    refs = [
        Ref(name, oid)
        for name, oid in repository.refs.all().items()
        if not patterns or any(_matches_path(call, pattern, name, icase=icase) for pattern in patterns)
    ]
    fields = RefFields(repository)
    format_ = filters.template if filters.template is not None else "%(objectname) %(objecttype)\t%(refname)"
    chosen = select(repository, filters, refs, "refname")
    fields.quotes = options.quotes[0] if options.quotes else ""
    fields.colored, fields.trees = filters.color == "always", lambda: checked_out(repository)
    for ref in chosen[: options.number or len(chosen)]:
        call.ctx.write_line(fields.line(format_, ref))
    return 0


def _matches_path(call: Invocation, pattern: str, name: str, *, icase: bool) -> bool:
    """Return True for a pattern that is the name, a directory above it, or matches it."""
    prefix = pattern.rstrip("/")
    if name == pattern or name.startswith(prefix + "/"):
        return True
    if not (icase or has_wildcard(pattern)):
        return False
    return wildmatch(pattern, name, call.access.charge, ignore_case=icase)


@option_set
class TagOptions:
    """Options of git tag."""

    list: bool = also(opt("-l"), opt("--list"))
    lines: str | None = opt("-n", "N", "", optional=True, const="1")
    annotate: bool = also(opt("-a"), opt("--annotate"))
    delete: bool = also(opt("-d"), opt("--delete"))
    force: bool = also(opt("-f"), opt("--force"))
    program: str | None = also(
        opt("-s", const="-s", default=None), opt("--sign", const="-s"), opt("-v", const="-v"), opt("--verify", const="-v"),
        opt("-e", const="-e"), opt("--edit", const="-e"),
    )  # fmt: skip
    key: str | None = also(opt("-u", "KEY", ""), opt("--local-user", "KEY", ""))
    messages: tuple[str, ...] = also(
        opt("-m", "TEXT", "", append=True), opt("--message", "TEXT", "", append=True)
    )
    file: str | None = also(opt("-F", "FILE", ""), opt("--file", "FILE", ""))
    cleanup: str = opt("--cleanup", "MODE", "", default="strip")


def run_tag(call: Invocation, arguments: Sequence[str]) -> int:
    """Print the tags; return 0."""
    parsed = Parser(TagOptions, FilterOptions).parse(arguments)
    options, filters = parsed.of(TagOptions), parsed.of(FilterOptions)
    listing = options.list or options.lines is not None or not parsed.operands
    listing = listing or filters.selects
    changes = (
        options.annotate or options.delete or options.messages or options.program or options.key is not None
    )
    if changes or options.file is not None or not listing:
        return _change_tag(call, options, [*parsed.operands, *(parsed.paths or ())])
    repository = call.repository
    refs = [
        Ref(name, oid)
        for name, oid in repository.refs.all("refs/tags/").items()
        if not parsed.operands
        or any(
            wildmatch(
                pattern,
                name.removeprefix("refs/tags/"),
                call.access.charge,
                ignore_case=filters.ignore_case,
                pathname=False,
            )
            for pattern in parsed.operands
        )
    ]
    fields = RefFields(repository)
    fields.colored = filters.color == "always"
    format_ = filters.template if filters.template is not None else "%(refname:lstrip=2)"
    default = repository.config.get("tag.sort") or "refname"
    layout = chosen_layout(repository.config, "tag", filters.column)
    if options.lines is not None and filters.column is not None and layout is not None:
        raise GitError("options '--column' and '-n' cannot be used together")
    lines = []
    for ref in select(repository, filters, refs, default):
        line = fields.line(format_, ref)
        if options.lines is not None and filters.template is None:
            line = f"{line:<15} {fields.field(f'contents:lines={options.lines}', ref)}"
        lines.append(line)
    write_lines(repository, lines, None if options.lines is not None else layout, padding=2)
    return 0


def _change_tag(call: Invocation, options: TagOptions, operands: list[str]) -> int:
    """Make or remove tags; return the exit status."""
    if options.program is not None or options.key is not None:
        raise GitError(
            f"tag {options.program or '-u'}: it starts a program, which git in the sandbox never does (L-GIT-002)",
            status=129,
        )
    call.check_may_write()
    if options.delete:
        return delete_tags(call, operands)
    if not 1 <= len(operands) <= 2:
        raise GitError(
            "too many arguments" if operands else "tag name required", status=128 if operands else 129
        )
    message = "\n\n".join(options.messages) if options.messages else None
    if options.file is not None:
        message = call.access.text_or_none(call.repository.expand(options.file))
        if message is None:
            raise GitError(f"could not open or read '{options.file}': No such file or directory")
    if message is None and options.annotate:
        raise GitError(
            "tag -a without -m or -F: an editor is a program, which git in the sandbox never starts (L-GIT-002)"
        )
    if options.cleanup not in ("strip", "verbatim", "whitespace"):
        raise GitError(f"Invalid cleanup mode {options.cleanup}")
    target = operands[1] if len(operands) == 2 else "HEAD"
    return create_tag(call, NewTag(operands[0], target, message, options.force, options.cleanup))


@option_set
class ShowOptions:
    """Options of git show-ref."""

    head: bool = opt("--head")
    heads: bool = opt("--heads")
    tags: bool = opt("--tags")
    dereference: bool = also(opt("-d"), opt("--dereference"))
    hash: str | None = also(
        opt("-s", "N", "", optional=True, const=""), opt("--hash", "N", "", optional=True, const="")
    )
    verify: bool = opt("--verify")
    quiet: bool = also(opt("-q"), opt("--quiet"))
    abbrev: str | None = opt("--abbrev", "N", "", optional=True, const="")
    excluding: str | None = opt("--exclude-existing", "PATTERN", "", optional=True, const="")


def _write_missing(call: Invocation, pattern: str) -> int:
    """Print the lines of standard input whose references do not exist; return 0."""
    known = call.repository.refs.all()
    with call.ctx.stdin_reader() as reader:
        lines = decode(reader.read_all()).split("\n")
    for line in filter(None, lines):
        call.access.charge(1)
        name = line.removesuffix("^{}").rpartition(" ")[2].rpartition("\t")[2]
        if pattern and not name.startswith(pattern):
            continue
        if not is_valid_name(name):
            call.error(f"warning: ref '{name}' ignored")
        elif name not in known:
            call.ctx.write_line(line.removesuffix("^{}"))
    return 0


def run_show(call: Invocation, arguments: Sequence[str]) -> int:
    """Print references and their objects; return 1 without one."""
    parsed = Parser(ShowOptions).parse(arguments)
    options, repository = parsed.of(ShowOptions), call.repository
    operands = [*parsed.operands, *(parsed.paths or ())]
    if options.excluding is not None:
        return _write_missing(call, options.excluding)
    if options.verify:
        return _verify(call, options, operands)
    found = False
    refs = dict(repository.refs.all())
    if options.head and (head := repository.refs.resolve("HEAD")) is not None:
        refs = {"HEAD": head, **refs}
    for name, oid in refs.items():
        if name != "HEAD" and (options.heads or options.tags):
            kinds = ("refs/heads/",) * options.heads + ("refs/tags/",) * options.tags
            if not name.startswith(kinds):
                continue
        if operands and name != "HEAD" and not any(f"/{name}".endswith(f"/{each}") for each in operands):
            continue
        found = True
        if not options.quiet:
            _show_one(call, options, name, oid)
    return 0 if found else 1


def _verify(call: Invocation, options: ShowOptions, operands: list[str]) -> int:
    if not operands:
        raise GitError("--verify requires a reference")
    for name in operands:
        oid = call.repository.refs.resolve(name) if name.startswith("refs/") or name == "HEAD" else None
        if oid is None:
            if options.quiet:
                return 1
            raise GitError(f"'{name}' - not a valid ref")
        if not options.quiet:
            _show_one(call, options, name, oid)
    return 0


def _show_one(call: Invocation, options: ShowOptions, name: str, oid: str) -> None:
    names = Names(call.repository)

    def shown(each: str) -> str:
        digits = options.hash or options.abbrev
        if digits is None or (options.hash == "" and options.abbrev is None):
            return each
        return names.abbreviate(each, int(digits[:3]) if is_number(digits) else None)

    call.ctx.write_line(shown(oid) if options.hash is not None else f"{shown(oid)} {name}")
    peeled = call.repository.objects.peel(oid) if options.dereference else oid
    if peeled is not None and peeled != oid:
        call.ctx.write_line(shown(peeled) if options.hash is not None else f"{shown(peeled)} {name}^{{}}")


@option_set
class SymbolicOptions:
    """Options of git symbolic-ref."""

    quiet: bool = also(opt("-q"), opt("--quiet"))
    short: bool = opt("--short")
    delete: bool = also(opt("-d"), opt("--delete"))
    message: str | None = opt("-m", "TEXT", "")


def run_symbolic(call: Invocation, arguments: Sequence[str]) -> int:
    """Print the target of a symbolic reference; return 1 for another one with -q."""
    parsed = Parser(SymbolicOptions).parse(arguments)
    options, repository = parsed.of(SymbolicOptions), call.repository
    if options.message == "":
        raise GitError("Refusing to perform update with empty message")
    if not 1 <= len(parsed.operands) <= 1 + (not options.delete):
        raise GitError("usage: git symbolic-ref [-m <reason>] <name> <ref>", prefix="", status=129)
    if options.delete:
        call.check_may_write()
        return delete_symbolic(call, parsed.operands[0])
    if len(parsed.operands) == 2:
        call.check_may_write()
        return set_symbolic(call, parsed.operands[0], parsed.operands[1], options.message)
    name = parsed.operands[0]
    target = repository.refs.target(name)
    if target is None:
        if options.quiet:
            return 1
        raise GitError(f"ref {name} is not a symbolic ref")
    if not is_valid_name(target):
        raise GitError(f"No such ref: {name}")
    call.ctx.write_line(Names(repository).short_ref(target, strict=False) if options.short else target)
    return 0
