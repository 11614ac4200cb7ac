"""yq, tomlq: filter YAML, TOML, JSON, CSV and TSV with jq.

Source: the manuals of Mike Farah's yq 4 and of Andrey Kislyuk's yq and tomlq. Where they disagree, the first one
applies: the output is YAML, and JSON with ``-o json``. Expressions are jq's (see ``yq.expression``).
Divergences: L-YQ-001 to L-YQ-003.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from sandhook.command.context import Context, Failure
from sandhook.command.options import Inform
from sandhook.command.pieces import split_lines
from sandhook.formats import FormatError, Number
from sandhook.formats.json_text import read_json, write_json
from sandhook.utilities.data.jq.embedded import run_filter
from sandhook.utilities.data.yq.arguments import Arguments, Options, parse
from sandhook.utilities.data.yq.expression import changes_only, translate

__all__ = ["Options"]

RAW = True  # two programs' options: see arguments.py

_SUFFIXES = {"json": "json", "toml": "toml", "csv": "csv", "tsv": "tsv", "xml": "xml", "ini": "ini"}

#: ``select(fileIndex == 0)`` of eval-all: the first file's document.
_FILE = re.compile(r"select\(\s*(?:fileIndex|fi)\s*==\s*([0-9]{1,4})\s*\)")

#: Bytes that a row of a table needs, and each of its cells.
_ROW_COST, _CELL_COST = 250, 80

#: The maximal nesting of documents.
_MAX_DEPTH = 256


def run(options: None, arguments: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 after an error in options, input or filter; with -e also 1 for a last result of false or null."""
    parsed = parse(arguments, toml=ctx.program == "tomlq")
    if parsed.inform:
        raise Inform(parsed.inform)
    if parsed.in_place and (
        parsed.null_input or not (parsed.files or _is_file(ctx, parsed.expression or ""))
    ):
        raise Failure("-i needs a file")
    try:
        return _Run(parsed, ctx).status()
    except _Stop as stop:
        return stop.status if ctx.program == "tomlq" else 1


def _is_file(ctx: Context, name: str) -> bool:
    if not name:
        return False
    path = ctx.path(name)
    return ctx.fs.exists(path) and not ctx.fs.is_dir(path)


class _Run:
    """One call of yq or tomlq."""

    def __init__(self, arguments: Arguments, ctx: Context) -> None:
        self._arguments = arguments
        self._ctx = ctx
        self._program = ""
        self._output = arguments.output
        self._printed = False
        self._last = 4
        self._source = ""  # the text of the last file
        self._input_format = ""
        self._only_changes = False

    def status(self) -> int:
        """Run it and return the exit status."""
        arguments = self._arguments
        expression = self._expression()
        self._only_changes = changes_only(expression)
        self._program = self._translate(expression)
        if arguments.null_input:
            self._print(self._filter("", b"", null_input=True))
        elif arguments.in_place:
            for name in arguments.files:
                self._edit(name)
        elif arguments.all_at_once:
            documents = [value for name in arguments.files or ["-"] for value in self._read(name)]
            self._print(self._filter("", write_json(documents).encode()))
        else:
            for name in arguments.files or ["-"]:
                self._print_file(name)
        return int(arguments.exit_status and self._last != 0)

    # ------------------------------------------------------------------ input

    def _expression(self) -> str:
        arguments = self._arguments
        if arguments.from_file is not None:
            return self._text(arguments.from_file)
        text = arguments.expression
        if (
            text is not None
            and not arguments.files
            and not arguments.null_input
            and _is_file(self._ctx, text)
        ):
            arguments.files = [text]
            return "."
        return "." if text is None else text

    def _translate(self, text: str) -> str:
        arguments = self._arguments
        stream = arguments.all_at_once and not arguments.slurp
        if stream:
            text = _FILE.sub(r".[\1]", text)
        program = translate(
            text, self._ctx.environment, lambda value: write_json(self._yaml(value, "env")[0])
        )
        if not stream or text.strip() == "[.]" or _FILE.search(arguments.expression or ""):
            return "." if text.strip() == "[.]" and stream else program
        if "ireduce" in text:
            return re.sub(r"reduce\s+\.\s+as\b", "reduce .[] as", program)
        return f".[] | {program}"

    def _text(self, name: str) -> str:
        try:
            with self._ctx.open(name) as reader:
                data = reader.read_all()
        except OSError as error:
            error.filename = name
            raise
        self._ctx.budget.check_fits(4 * len(data))
        return data.decode("utf-8", "surrogateescape").removeprefix("\ufeff")

    def _read(self, name: str) -> list[Any]:
        """Return the documents of a file."""
        input_format = self._arguments.input
        if input_format == "auto":
            input_format = _SUFFIXES.get(name.rpartition(".")[2].lower(), "yaml")
        if self._arguments.output == "auto":
            keep_format = self._arguments.input == "auto" and (
                self._arguments.in_place or input_format in ("xml", "ini")
            )
            self._output = input_format if input_format == "json" or keep_format else "yaml"
        text = self._source = self._text(name)
        self._input_format = input_format
        display_name = "standard input" if name == "-" else name
        try:
            if input_format == "yaml":
                return self._yaml(text, display_name)
            if input_format == "json":
                return self._values(text)
            if input_format == "toml":
                from sandhook.formats.toml import read_toml

                self._ctx.charge(1 + len(text) // 32)
                return [read_toml(text)]
            if input_format == "xml":
                from sandhook.formats.xml_text import read_xml

                self._ctx.charge(1 + len(text) // 16)
                return [read_xml(text)]
            if input_format == "ini":
                from sandhook.formats.ini_text import read_ini

                self._ctx.charge(1 + len(text) // 16)
                return [read_ini(text)]
            return [list(self._table(text, "\t" if input_format == "tsv" else ","))]
        except FormatError as error:
            raise Failure(f"{display_name}: {error}") from None

    def _yaml(self, text: str, display_name: str) -> list[Any]:
        from sandhook.formats.yaml import read_yaml

        try:
            documents = read_yaml(
                text, several=True, exact=True, charge=self._ctx.charge, max_depth=_MAX_DEPTH
            )
        except FormatError as error:
            raise Failure(f"{display_name}: {error}") from None
        return [each.value for each in documents] or [None]

    def _values(self, text: str) -> list[Any]:
        status, out = run_filter(self._ctx, ".", text.encode("utf-8", "surrogateescape"))
        if status not in (0, 1, 4):
            raise _Stop(status)
        return [read_json(line) for line in out.decode().splitlines()]

    def _table(self, text: str, delimiter: str) -> Iterator[dict[str, Any]]:
        from sandhook.formats.table import read_rows
        from sandhook.formats.yaml import read_scalar

        names: list[str] = []
        lines = chain.from_iterable(split_lines(text, self._ctx.charge))
        for count, row in enumerate(read_rows(lines, delimiter=delimiter)):
            self._ctx.charge(1)
            self._ctx.budget.check_fits((_ROW_COST + _CELL_COST * len(names)) * count)
            if names:
                yield {name: read_scalar(field) for name, field in zip(names, row)}
            else:
                names = row

    # ------------------------------------------------------------------ output

    def _filter(self, name: str, data: bytes, *, null_input: bool = False) -> list[Any]:
        """Run the program on one document; return its results."""
        arguments = self._arguments
        status, out = run_filter(
            self._ctx,
            self._program,
            data,
            definitions=arguments.definitions,
            null_input=null_input,
            sort_keys=arguments.sort_keys,
        )
        if status not in (0, 1, 4):
            raise _Stop(status)
        self._last = status
        return [read_json(line) for line in out.decode("utf-8", "replace").split("\n") if line]

    def _print_file(self, name: str) -> None:
        """Print the results for a file's documents; keep comments if the program only edits the documents."""
        values = self._read(name)
        if not (self._edits_source() and (self._arguments.round_trip or has_comments(self._source))):
            for value in values:
                self._print(self._filter(name, write_json(value).encode()))
            return
        results = [self._filter(name, write_json(value).encode()) for value in values]
        text = self._edited_text(values, results)
        if text is None:
            for result in results:
                self._print(result)
            return
        if self._printed and not self._arguments.no_separators:
            text = f"---\n{text}"
        self._printed = True
        self._ctx.write(text.encode("utf-8", "replace"))

    def _edit(self, name: str) -> None:
        """Write the results for a file's documents back to the file."""
        self._printed = False
        values = self._read(name)
        results = [self._filter(name, write_json(value).encode()) for value in values]
        text = self._edited_text(values, results) if self._edits_source() else None
        if text is None:
            text = "".join(piece for result in results for piece in self._render(result))
        file = self._ctx.create(name)
        try:
            file.write(text.encode("utf-8", "surrogateescape"))
        finally:
            file.release()

    def _edits_source(self) -> bool:
        """Return whether the results are edits of the documents that can be made in the source text."""
        arguments = self._arguments
        plain = not (arguments.pretty or arguments.nul or arguments.sort_keys or arguments.no_separators)
        return (
            plain
            and self._input_format == self._output == "yaml"
            and arguments.indent == 2
            and self._only_changes
        )

    def _edited_text(self, values: list[Any], results: list[list[Any]]) -> str | None:
        """Return the source text with the program's changes; None if they cannot be made in the text."""
        from sandhook.formats import NotEditable
        from sandhook.formats.yaml_edit import edit_yaml

        if not all(len(result) == 1 for result in results):
            return None
        expected = [result[0] for result in results]
        try:
            text = edit_yaml(self._source, values, expected, self._ctx.charge)
            return text if self._yaml(text, "") == expected else None
        except (NotEditable, RecursionError, Failure):
            return None

    def _print(self, results: list[Any]) -> None:
        for piece in self._render(results):
            self._ctx.write(piece.encode("utf-8", "replace"))

    def _render(self, results: list[Any]) -> Iterator[str]:
        """Yield the text of one document's results, after a separator if needed."""
        arguments = self._arguments
        if self._printed and results and self._output in ("yaml", "auto") and not arguments.no_separators:
            yield "---\n"
        for value in results:
            self._ctx.charge(1)
            self._printed = True
            text = self._layout(value)
            yield text.removesuffix("\n") + "\0" if arguments.nul else text

    def _layout(self, value: Any) -> str:
        arguments = self._arguments
        is_text = isinstance(value, str) and not isinstance(value, Number)
        try:
            if self._output == "json":
                if is_text and arguments.raw:
                    return f"{value}\n"
                return write_json(value, " " * arguments.indent) + "\n"
            if self._output == "toml":
                return _toml(value)
            if self._output == "xml":
                from sandhook.formats.xml_text import write_xml

                return write_xml(value, indent=arguments.indent)
            if self._output == "ini":
                from sandhook.formats.ini_text import write_ini

                if not isinstance(value, dict):
                    raise Failure("INI is a mapping of sections")
                return write_ini(value, _plain)
            if self._output in ("csv", "tsv"):
                return _table_text(value, "\t" if self._output == "tsv" else ",")
            if self._output == "props":
                return "".join(f"{path} = {text}\n" for path, text in _properties(value, ""))
            if is_text and not arguments.wrapped:
                return f"{value}\n"
            from sandhook.formats.yaml_text import write_yaml

            return write_yaml(value, indent=arguments.indent or 2)
        except RecursionError:
            raise Failure("the value nests too deeply") from None
        except FormatError as error:
            raise Failure(str(error)) from None


def has_comments(text: str) -> bool:
    """Return whether a YAML text may have comments."""
    return "#" in text


class _Stop(Exception):
    """jq ended with this exit status, after writing its messages."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


def _toml(value: Any) -> str:
    from sandhook.formats.toml_text import write_toml

    if not isinstance(value, dict):
        raise Failure(f"TOML is a mapping, not {write_json(value)[:40]}")
    return write_toml(value)


def _table_text(value: Any, delimiter: str) -> str:
    """Return a table of an array of arrays, or of an array of mappings, whose keys become the header."""
    from sandhook.formats.table import write_row

    if not isinstance(value, list):
        raise Failure("a table is a sequence of sequences or of mappings")
    if not all(isinstance(row, dict) for row in value):
        rows = value if all(isinstance(row, list) for row in value) else [value]
        return "".join(write_row([_plain(field) for field in row], delimiter=delimiter) for row in rows)
    names = list(dict.fromkeys(name for row in value for name in row))
    rows = [names, *([_plain(row.get(name)) for name in names] for row in value)]
    return "".join(write_row(row, delimiter=delimiter) for row in rows)


def _properties(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict | list) and value:
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in items:
            yield from _properties(item, f"{path}.{key}" if path else str(key))
    else:
        yield path or "value", "" if isinstance(value, dict | list) else _plain(value).replace("\n", "\\n")


def _plain(value: Any) -> str:
    if value is None:
        return ""
    return str(value) if isinstance(value, str) else write_json(value)
