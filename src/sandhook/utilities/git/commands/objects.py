"""git cat-file, ls-tree, hash-object: print and name objects.

Source: git-cat-file(1), git-ls-tree(1), git-hash-object(1).
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.options import also, opt, option_set
from sandhook.utilities.git.arguments import Parser, count
from sandhook.utilities.git.commands.batches import Batch, input_lines
from sandhook.utilities.git.errors import GitError, OptionFault
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.names.pathspec import from_top
from sandhook.utilities.git.names.quote import quote, relative
from sandhook.utilities.git.names.templates import expanded
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.access import encode
from sandhook.utilities.git.store.object_checks import check_object
from sandhook.utilities.git.store.objects import GITLINK, TREE, Object, TreeItem, object_id
from sandhook.utilities.git.store.repository import Repository
from sandhook.utilities.git.store.writing import write_object
from sandhook.utilities.git.work.convert import clean_filter, line_end_warning, stored_form, working_form


@option_set
class CatOptions:
    """Options of git cat-file."""

    action: str | None = also(
        opt("-t", const="-t", default=None), opt("-s", const="-s"), opt("-e", const="-e"), opt("-p", const="-p"),
        opt("--textconv", const="--textconv"), opt("--filters", const="--filters"),
        opt("--batch-all-objects", const="--batch-all-objects"),
    )  # fmt: skip
    batch: str | None = opt("--batch", "FORMAT", "", optional=True, const="")
    batch_check: str | None = opt("--batch-check", "FORMAT", "", optional=True, const="")
    batch_command: str | None = opt("--batch-command", "FORMAT", "", optional=True, const="")
    nul: bool = opt("-z")
    unordered: bool = opt("--unordered")
    buffer: bool = opt("--buffer")
    path: str | None = opt("--path", "PATH", "")
    allow_unknown: bool = opt("--allow-unknown-type")
    follows: bool = opt("--follow-symlinks")


def run_cat(call: Invocation, arguments: Sequence[str]) -> int:
    """Return 0; 1 for "-e" of an object that does not exist."""
    parsed = Parser(CatOptions, modes=(("action",),)).parse(arguments)
    options, operands = parsed.of(CatOptions), [*parsed.operands, *(parsed.paths or ())]
    batches = [options.batch, options.batch_check, options.batch_command]
    if sum(each is not None for each in batches) > 1:
        raise OptionFault("only one batch option may be specified")
    is_batch = any(each is not None for each in batches)
    _check_cat(options, operands, is_batch=is_batch)
    if is_batch:
        return _batch(call, options)
    if options.action in ("--textconv", "--filters"):
        return _converted(call, options, operands)
    if options.action is None:
        return _typed(call, operands[0], operands[1])
    objects = call.repository.objects
    names = Names(call.repository)
    oid = names.find(operands[0])
    if oid is None and (error := names.missing_path(operands[0])) is not None:
        raise error
    found = None if oid is None else objects.find(oid)
    if options.action == "-e":
        if oid is None:
            raise _invalid(call, operands[0])
        return 0 if found is not None else 1
    if oid is None or found is None:
        raise (
            _invalid(call, operands[0])
            if oid is None
            else GitError("git cat-file: could not get object info")
        )
    if options.action == "-t":
        call.ctx.write_line(found.kind)
    elif options.action == "-s":
        call.ctx.write_line(str(len(found.data)))
    else:
        _print_object(call, oid, found)
    return 0


def _check_cat(options: CatOptions, operands: Sequence[str], *, is_batch: bool) -> None:
    """Raise GitError for options and operands that do not go together."""
    fault = ""
    converts = options.action in ("--textconv", "--filters")
    every = options.action == "--batch-all-objects"
    needing = (
        ("--follow-symlinks", options.follows),
        ("--buffer", options.buffer),
        ("--batch-all-objects", every),
        ("-z", options.nul),
    )
    needs_batch = next((name for name, is_set in needing if is_set), None)
    if options.path is not None and not converts:
        fault = "'--path=<path|tree-ish>' needs '--filters' or '--textconv'"
    elif needs_batch is not None and not is_batch:
        fault = f"'{needs_batch}' requires a batch mode"
    elif is_batch and converts:
        fault = f"cat-file {options.action} of a batch is not offered in the sandbox (L-GIT-003)"
    elif is_batch and options.action is not None and not every:
        fault = f"'{options.action}' is incompatible with batch mode"
    elif is_batch and operands:
        fault = "batch modes take no arguments"
    elif is_batch:
        return
    elif options.action is not None and not operands:
        fault = f"<{'rev' if converts else 'object'}> required with '{options.action}'"
    elif options.action is not None and len(operands) > 1:
        fault = "too many arguments"
    elif options.action is None and not operands:
        raise GitError("usage: git cat-file <type> <object>", prefix="", status=129)
    elif options.action is None and len(operands) != 2:
        fault = f"only two arguments allowed in <type> <object> mode, not {len(operands)}"
    if fault:
        raise GitError(fault, status=129)


def _print_object(call: Invocation, oid: str, found: Object) -> None:
    """Print an object as -p does."""
    if found.kind != "tree":
        call.ctx.write(found.data)
        return
    for item in call.repository.objects.tree(oid):
        call.ctx.write_line(_tree_line(item, item.oid, quote(item.name, call.repository.quotes_wide)))


def _converted(call: Invocation, options: CatOptions, operands: Sequence[str]) -> int:
    """Print a file as the working tree has it (--filters), or as diffs show it (--textconv); return 0.

    Raises:
        GitError: A program would have to convert it.
    """
    repository, names = call.repository, Names(call.repository)
    oid = names.find(operands[0])
    if oid is None and (error := names.missing_path(operands[0])) is not None:
        raise error
    if oid is None:
        raise _invalid(call, operands[0])
    split = names.split_path(operands[0])
    path = options.path if options.path is not None else split[1] if split is not None else ""
    if not path:
        raise GitError(f"<object>:<path> required, only <object> '{operands[0]}' given")
    found = repository.objects.get(oid)
    driver = repository.attributes.of(path).get("diff")
    has_program = isinstance(driver, str) and repository.config.get(f"diff.{driver}.textconv") is not None
    if options.action == "--textconv" and has_program:
        raise GitError(
            f"cat-file --textconv: the driver '{driver}' is a program, which git in the sandbox never starts (L-GIT-002)",
            status=129,
        )
    if found.kind != "blob":
        _print_object(call, oid, found)
        return 0
    converts = options.action == "--filters"
    call.ctx.write(working_form(repository, path, found.data) if converts else found.data)
    return 0


def _invalid(call: Invocation, name: str) -> GitError:
    """Return the error for a name that is not an object, after the reason why a suffix does not apply."""
    fault = Names(call.repository).type_fault(name)
    if fault is not None:
        call.error(f"error: {fault}")
    return GitError(f"Not a valid object name {name}")


def _batch(call: Invocation, options: CatOptions) -> int:
    """Print the objects that standard input names; return 0."""
    if options.batch_command is not None:
        batch = Batch(call, options.batch_command, buffered=options.buffer, follows=options.follows)
        batch.commands(input_lines(call, nul=options.nul))
        return 0
    batch = Batch(call, options.batch or options.batch_check or "", follows=options.follows)
    names = input_lines(call, nul=options.nul)
    if options.action == "--batch-all-objects":
        call.repository.objects.read_as_they_are()
        names = iter(sorted(set(call.repository.objects)))
    batch.objects(names, contents=options.batch is not None)
    return 0


def _typed(call: Invocation, kind: str, name: str) -> int:
    objects = call.repository.objects
    names = Names(call.repository)
    oid = names.find(name)
    if oid is None and (error := names.missing_path(name)) is not None:
        raise error
    if oid is None:
        raise _invalid(call, name)
    if kind not in ("blob", "tree", "commit", "tag"):
        raise GitError(f'invalid object type "{kind}"')
    found = objects.get(oid)
    if found.kind != kind:
        peeled = objects.peel(oid, kind)
        if peeled is None:
            raise GitError(f"git cat-file {name}: bad file")
        found = objects.get(peeled)
    call.ctx.write(found.data)
    return 0


def _tree_line(item: TreeItem, oid: str, name: str) -> str:
    return f"{item.mode:06o} {_kind(item)} {oid}\t{name}"


def _kind(item: TreeItem) -> str:
    return "tree" if item.mode == TREE else "commit" if item.mode == GITLINK else "blob"


@option_set
class TreeOptions:
    """Options of git ls-tree."""

    recurse: bool = opt("-r")
    trees: bool = opt("-t")
    only_trees: bool = opt("-d")
    long: bool = also(opt("-l"), opt("--long"))
    names: str | None = also(
        opt("--name-only", const="--name-only", default=None), opt("--name-status", const="--name-status")
    )
    ids: bool = opt("--object-only")
    nul: bool = opt("-z")
    full_name: bool = opt("--full-name")
    full_tree: bool = opt("--full-tree")
    abbrev: int | None = opt("--abbrev", "N", "", convert=count, optional=True, const=0)
    template: str | None = opt("--format", "FORMAT", "")


def run_tree(call: Invocation, arguments: Sequence[str]) -> int:
    """Print the entries of a tree; return 0."""
    parsed = Parser(TreeOptions, modes=(("long", "names", "ids"),)).parse(arguments)
    options = parsed.of(TreeOptions)
    operands = [*parsed.operands, *(parsed.paths or ())]
    if not operands:
        raise GitError("usage: git ls-tree [<options>] <tree-ish> [<path>...]", prefix="", status=129)
    if options.template is not None and (options.long or options.names or options.ids):
        raise GitError("--format can't be combined with other format-altering options", status=129)
    repository = call.repository
    oid = Names(repository).find(operands[0])
    if oid is None:
        raise _invalid(call, operands[0])
    tree = repository.objects.peel(oid, "tree")
    if tree is None:
        raise GitError("not a tree object")
    prefix = "" if options.full_tree else repository.prefix
    root = repository.place.root or "/"
    paths = [_wanted(path, prefix, root) for path in operands[1:]] or ([prefix] if prefix else [])
    if "" in paths:  # the top of the tree
        paths = []
    _TreeListing(call, options, prefix, paths).write(tree, "", 0)
    return 0


def _wanted(path: str, prefix: str, root: str) -> str:
    """Return an operand relative to the top; what ends with "." or ".." names the contents of a directory."""
    found = from_top(path, prefix, root, path)
    return f"{found}/" if found and path.rpartition("/")[2] in (".", "..") else found


class _TreeListing:
    def __init__(self, call: Invocation, options: TreeOptions, prefix: str, paths: list[str]) -> None:
        self.call = call
        self.options = options
        self.prefix = "" if options.full_name else prefix
        self.paths = paths
        self.names = Names(call.repository)

    def _relation(self, path: str, is_tree: bool) -> str:
        """Return "show", "enter" or "" for an entry."""
        if not self.paths:
            return "show"
        for wanted in self.paths:
            if path == wanted.rstrip("/"):
                return "enter" if wanted.endswith("/") and is_tree else "show"
            if path.startswith(wanted.rstrip("/") + "/"):
                return "show"
            if is_tree and wanted.startswith(path + "/"):
                return "enter"
        return ""

    def write(self, tree: str, base: str, depth: int) -> None:
        """Print the entries of a tree."""
        if depth > 1000:
            self.call.ctx.budget.fail("nesting")
        options = self.options
        for item in self.call.repository.objects.tree(tree):
            self.call.access.charge(2)
            path, is_tree = base + item.name, item.mode == TREE
            relation = self._relation(path, is_tree)
            if not relation:
                continue
            enters = is_tree and (relation == "enter" or options.recurse)
            shows = relation == "show" and (
                not is_tree or not options.recurse or options.trees or options.only_trees
            )
            if (shows and (is_tree or not options.only_trees)) or (
                is_tree and relation == "enter" and options.trees
            ):
                self._line(item, path)
            if enters:
                self.write(item.oid, path + "/", depth + 1)

    def _line(self, item: TreeItem, path: str) -> None:
        options, repository = self.options, self.call.repository
        shown = relative(path, self.prefix)
        name = shown if options.nul else quote(shown, repository.quotes_wide)
        oid = item.oid if options.abbrev is None else self.names.abbreviate(item.oid, options.abbrev or None)
        size = "-"
        if options.long or options.template is not None:
            found = repository.objects.kind_and_size(item.oid) if item.mode not in (TREE, GITLINK) else None
            size = "-" if found is None else str(found[1])
        if options.template is not None:
            values = {
                "objectmode": f"{item.mode:06o}",
                "objecttype": _kind(item),
                "objectname": oid,
                "objectsize": size,
                "objectsize:padded": f"{size:>7}",
                "path": name,
            }
            text = expanded("ls-tree", options.template, values.get)
        elif options.names:
            text = name
        elif options.ids:
            text = oid
        elif options.long:
            text = f"{item.mode:06o} {_kind(item)} {oid} {size:>7}\t{name}"
        else:
            text = _tree_line(item, oid, name)
        self.call.ctx.write(encode(text + ("\0" if options.nul else "\n")))


@option_set
class HashOptions:
    """Options of git hash-object."""

    kind: str = opt("-t", "TYPE", "", default="blob")
    write: bool = opt("-w")
    stdin: bool = opt("--stdin")
    stdin_paths: bool = opt("--stdin-paths")
    path: str | None = opt("--path", "FILE", "")
    no_filters: bool = opt("--no-filters")
    literally: bool = opt("--literally")


def run_hash(call: Invocation, arguments: Sequence[str]) -> int:
    """Print the names that files would have as objects; return 0."""
    parsed = Parser(HashOptions).parse(arguments)
    options = parsed.of(HashOptions)
    if options.write:
        call.check_may_write()
    if options.kind not in ("blob", "tree", "commit", "tag"):
        raise GitError(f'invalid object type "{options.kind}"')
    operands = [*parsed.operands, *(parsed.paths or ())]
    if options.stdin_paths:
        operands = [*input_lines(call), *operands]
    if options.stdin:
        with call.ctx.stdin_reader() as reader:
            _write_hash(call, options, reader.read_all(), options.path)
    for name in operands:
        try:
            with call.ctx.open(f"{call.options.cwd}/{name}" if not name.startswith("/") else name) as reader:
                data = reader.read_all()
        except OSError as error:
            raise GitError(f"could not open '{name}' for reading: {error.strerror}") from None
        _write_hash(call, options, data, options.path or name)
    return 0


def _write_hash(call: Invocation, options: HashOptions, data: bytes, path: str | None) -> None:
    if path is not None and not options.no_filters and options.kind == "blob":
        repository = call.find_repository()
        if repository is not None and repository.place.root is not None:
            if options.write and (warning := line_end_warning(repository, path, data)) is not None:
                call.error(warning)
            data = _converted_form(repository, path, data)
    call.access.charge(1 + (len(data) >> 10))
    if not options.literally:
        check_object(options.kind, data)
    if options.write:
        call.ctx.write_line(write_object(call.repository.objects, options.kind, data))
    else:
        call.ctx.write_line(object_id(options.kind, data))


def _converted_form(repository: Repository, name: str, data: bytes) -> bytes:
    """Return what git stores for a file. Raises GitError for a file that a program would have to convert."""
    try:
        path = from_top(name, repository.prefix, repository.root, name)
    except GitError:
        return data  # a file outside of the working tree has no attributes
    program = clean_filter(repository, path)
    if program is not None:
        raise GitError(
            f"cannot convert '{name}': its filter '{program}' is a program, which git in the sandbox never starts (L-GIT-002)"
        )
    return stored_form(repository, path, data)
