"""rg: search directories for lines that match, except hidden and ignored files.

Oracle: ripgrep 13.0. Divergence: L-RG-001, directories are read in the order of names; \\b is ASCII's; set
operations in classes, -z, --pre, --null-data, --crlf, --stats and encodings besides UTF-8 and UTF-16 are not offered.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sandhook.command.context import Context, Failure
from sandhook.command.options import UsageError
from sandhook.command.pieces import splits
from sandhook.kernel.descriptor import Feed, File, Input
from sandhook.kernel.pipe import Duplex, PipeReader
from sandhook.pattern.errors import PatternError
from sandhook.utilities.search.rg.files import Files, message_of
from sandhook.utilities.search.rg.globs import Rules
from sandhook.utilities.search.rg.options import Options
from sandhook.utilities.search.rg.pattern import PatternSpec, is_lower

USAGE_STATUS = 2
WRITE_ERROR = {"": "", "large": "{}", "EBADF": ""}  # what is left at the end is written without a check
ANY_ORDER = True


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0 when something matches, 1 when nothing does, 2 after an error."""
    try:
        return _Run(options, list(operands), ctx).run()
    except PatternError as error:
        ctx.write_error(f"{error}\n")
        return 2


class _Run:
    """One run of rg: the search or listing that its options select."""

    def __init__(self, options: Options, operands: list[str], ctx: Context) -> None:
        self._options = options
        self._operands = operands
        self._ctx = ctx

    def run(self) -> int:
        options, ctx = self._options, self._ctx
        types = self._types()
        if options.type_list:
            for name, globs in sorted(types.items()):
                ctx.write_line(f"{name}: {', '.join(sorted(globs))}")
            return 0
        spec = None if options.files else self._spec()
        implicit = not self._operands
        if implicit:
            self._operands = ["-"] if spec and self._has_input() else ["./"]
            implicit = self._operands == ["./"]
        files = Files(options, self._operands, implicit, self._selection(types), self._overrides(), ctx)
        if spec is None:
            return self._list(files)
        from sandhook.utilities.search.rg.search import Search

        with_names = implicit or len(self._operands) > 1 or self._is_directory(self._operands[0])
        status = Search(options, spec, with_names, ctx).run(self._in_order(files), files)
        if implicit and not files.file_count and not options.no_messages:
            files.print(
                "No files were searched, which means ripgrep probably applied a filter you didn't expect.\n"
                "Running with --debug will show why files are being skipped."
            )
            return 2
        return 2 if ctx.failed and not (options.quiet and status == 0) else status

    def _has_input(self) -> bool:
        """Return True when standard input is a file or a pipe, or holds data."""
        stdin = self._ctx.process.descriptors.get(0)
        if isinstance(stdin, Input):
            position = stdin.tell()
            stdin.seek(1)
            has_data = stdin.tell() > 0
            stdin.seek(position)
            return has_data
        return isinstance(stdin, (File, PipeReader, Duplex, Feed))

    def _is_directory(self, name: str) -> bool:
        return name != "-" and self._ctx.fs.is_dir(self._ctx.path(name))

    def _spec(self) -> PatternSpec:
        options, ctx = self._options, self._ctx
        patterns = dict.fromkeys(options.patterns)
        for name in options.pattern_files:
            try:
                with ctx.open(name) as reader:
                    text = reader.read_all().decode("utf-8", "surrogateescape")
            except OSError as error:
                raise PatternError(f"{name}: {message_of(error)}") from None
            for lines in splits(text.removesuffix("\n"), "\n", ctx.charge) if text else ():
                patterns |= dict.fromkeys([line.removesuffix("\r") for line in lines])
        if not options.patterns and not options.pattern_files:
            if not self._operands:
                raise UsageError("The following required arguments were not provided: <PATTERN>")
            patterns[self._operands.pop(0)] = None
        unique = tuple(patterns)
        icase = options.case == "i" or (options.case == "S" and is_lower(unique, options.fixed))
        return PatternSpec(
            patterns=unique,
            fixed=options.fixed,
            icase=icase,
            words=options.bounds == "w",
            lines=options.bounds == "x",
            multiline=options.multiline,
            dotall=options.dotall and options.multiline,
        )

    # ------------------------------------------------------------------ which files

    def _overrides(self) -> Rules:
        options = self._options
        lines = []
        icase = options.glob_icase
        for kind, glob in options.globs:
            icase = icase or kind == "i"
            lines.append(glob)
        for glob in lines:
            try:
                Rules([glob], lenient=False)
            except PatternError as error:
                raise PatternError(f"error parsing glob '{glob}': {error}") from None
        return Rules(lines, icase=icase)

    def _types(self) -> dict[str, list[str]]:
        options = self._options
        if not (options.types or options.type_changes or options.type_list):
            return {}
        from sandhook.utilities.search.rg.types import type_table

        types = {name: list(globs) for name, globs in type_table()}
        for kind, text in options.type_changes:
            if kind == "clear":
                types[text] = []
                continue
            name, colon, glob = text.partition(":")
            if not colon or not name or not glob:
                raise PatternError(
                    "invalid type definition, must be 'type:glob' or 'type:include:othertype,…'"
                )
            if glob.startswith("include:"):
                for other in glob[8:].split(","):
                    types.setdefault(name, []).extend(types.get(other, []))
            else:
                types.setdefault(name, []).append(glob)
        return types

    def _selection(self, types: dict[str, list[str]]) -> list[tuple[bool, Rules]]:
        selection = []
        for kind, name in self._options.types:
            if name == "all":
                globs = [glob for type_globs in types.values() for glob in type_globs]
            elif name in types:
                globs = types[name]
            else:
                raise PatternError(f"unrecognized file type: {name}")
            selection.append((kind == "t", Rules(globs)))
        return selection

    def _in_order(self, files: Files) -> Any:
        key, backwards = self._options.order
        if key in ("path", "none") and not backwards:
            return files
        entries = list(files)
        if key not in ("path", "none"):
            fs, ctx = self._ctx.fs, self._ctx
            field = {"modified": "mtime_ns", "accessed": "atime_ns", "created": "ctime_ns"}[key]
            entries.sort(
                key=lambda entry: 0 if entry[0] == "-" else getattr(fs.stat(ctx.path(entry[0])), field),
                reverse=backwards,
            )
        elif backwards:
            entries.reverse()
        return entries

    def _list(self, files: Files) -> int:
        if self._options.patterns:
            raise Failure("-e cannot be used with --files")
        any_file = False
        end = "\0" if self._options.null else "\n"
        for name, _ in self._in_order(files):
            any_file = True
            if self._options.quiet:
                break
            self._ctx.write(f"{name}{end}".encode("utf-8", "surrogateescape"))
        return 2 if self._ctx.failed else 0 if any_file else 1
