"""The options of csvkit's programs: the common ones, and those of each program."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from sandhook.command.options import Syntax, UsageError, opt, option_set

_ENCODINGS = frozenset(
    {"utf-8", "utf8", "utf-8-sig", "utf-16", "ascii", "us-ascii", "latin-1", "latin1", "iso-8859-1", "cp1252"}
)

#: Options of all programs, by field.
_COMMON: dict[str, Any] = {
    "delimiter": opt("-d", "--delimiter", "CHARACTER", "the separator of input fields"),
    "tabs": opt("-t", "--tabs", help="input fields are separated by tabs"),
    "quote": opt("-q", "--quotechar", "CHARACTER", 'the quote around input fields (")', default='"'),
    "encoding": opt("-e", "--encoding", "NAME", "utf-8, utf-16, ascii, latin-1 or cp1252", default="utf-8"),
    "skip_space": opt("-S", "--skipinitialspace", help="leave out blanks after delimiters"),
    "no_header": opt("-H", "--no-header-row", help="the first line is a row; columns are called a, b, c ..."),
    "skip": opt("-K", "--skip-lines", "N", "leave out the first N lines", default="0"),
    "line_numbers": opt("-l", "--linenumbers", help="insert a first column of line numbers"),
    "zero": opt("--zero", help="columns are counted from 0"),
    "ignored": opt("-v", "--verbose", "--add-bom", ignored=""),
    "limits": opt("-z", "--maxfieldsize", "-u", "--quoting", "-p", "--escapechar", "N", ignored=""),
}
_NAMES: dict[str, Any] = {
    "names": opt("-n", "--names", help="print the names of the columns with their numbers"),
    "columns": opt(
        "-c", "--columns", "COLUMNS", "names, numbers from 1 and ranges of numbers, separated by commas"
    ),
}
_TYPES: dict[str, Any] = {
    "no_inference": opt("-I", "--no-inference", help="all columns are text"),
    "sniff": opt("-y", "--snifflimit", "N", ignored=""),
}


def _make_options(doc: str, *fields: dict[str, Any]) -> type:
    """Return an option set with the common options and further fields."""
    merged: dict[str, Any] = dict(_COMMON)
    for each in fields:
        merged.update(each)
    return option_set(
        type("Options", (), {"__doc__": doc, "__annotations__": dict.fromkeys(merged, ""), **merged})
    )


PROGRAMS = {
    "csvcut": _make_options(
        "csvcut [OPTION]... [FILE]\n\nPrint some columns of a table.",
        _NAMES,
        {
            "not_columns": opt("-C", "--not-columns", "COLUMNS", "all columns but these"),
            "delete_empty": opt("-x", "--delete-empty-rows", help="leave out rows without a value"),
        },
    ),
    "csvgrep": _make_options(
        "csvgrep -c COLUMNS [OPTION]... [FILE]\n\nPrint the rows of a table that match.",
        _NAMES,
        {
            "match": opt("-m", "--match", "TEXT", "cells with TEXT in them"),
            "regex": opt("-r", "--regex", "REGEX", "cells that match REGEX"),
            "file": opt("-f", "--file", "FILE", "cells that are a line of FILE"),
            "invert": opt("-i", "--invert-match", help="rows that do not match"),
            "any_match": opt("-a", "--any-match", help="one of the columns suffices; else all must match"),
        },
    ),
    "csvsort": _make_options(
        "csvsort [OPTION]... [FILE]\n\nSort the rows of a table.",
        _NAMES,
        _TYPES,
        {
            "reverse": opt("-r", "--reverse", help="sort in descending order"),
            "ignore_case": opt("-i", "--ignore-case", help="ignore case"),
        },
    ),
    "csvjson": _make_options(
        "csvjson [OPTION]... [FILE]\n\nPrint a table as JSON.",
        _TYPES,
        {
            "indent": opt("-i", "--indent", "N", "print on several lines, indented by N spaces"),
            "key": opt("-k", "--key", "COLUMN", "one object, with the values of COLUMN as keys"),
            "stream": opt("--stream", help="one object on each line"),
        },
    ),
    "csvlook": _make_options(
        "csvlook [OPTION]... [FILE]\n\nPrint a table for people.",
        _TYPES,
        {
            "max_rows": opt("--max-rows", "N", "the number of rows to print"),
            "max_columns": opt("--max-columns", "N", "the number of columns to print"),
            "max_width": opt("--max-column-width", "N", "the number of characters to print of a column"),
            "precision": opt("--max-precision", "N", "the number of decimals to print (3)", default="3"),
        },
    ),
    "csvstack": _make_options(
        "csvstack [OPTION]... FILE...\n\nPrint the rows of several tables as one.",
        {
            "groups": opt("-g", "--groups", "NAMES", "insert a first column with a name for each table"),
            "group_name": opt("-n", "--group-name", "NAME", "the name of that column (group)"),
            "filenames": opt("--filenames", help="use the names of the files for -g"),
        },
    ),
    "csvjoin": _make_options(
        "csvjoin [OPTION]... FILE...\n\nJoin the rows of tables whose columns have the same cells.",
        _TYPES,
        {
            "columns": opt("-c", "--columns", "COLUMNS", "the column of each table, or one name for all"),
            "outer": opt("--outer", help="print rows of either side that have no partner"),
            "left": opt("--left", help="print rows of the first table that have no partner"),
            "right": opt("--right", help="print rows of the last table that have no partner"),
        },
    ),
    "csvformat": _make_options(
        "csvformat [OPTION]... [FILE]\n\nPrint a table in another format.",
        {
            "skip_header": opt("-E", "--skip-header", help="leave out the names of the columns"),
            "out_delimiter": opt(
                "-D", "--out-delimiter", "CHARACTER", "the separator of output fields (,)", default=","
            ),
            "out_tabs": opt("-T", "--out-tabs", help="separate output fields by tabs"),
            "out_asv": opt("-A", "--out-asv", help="separate fields and rows by the ASCII separators"),
            "out_quote": opt(
                "-Q", "--out-quotechar", "CHARACTER", 'the quote around output fields (")', default='"'
            ),
            "quoting": opt(
                "-U",
                "--out-quoting",
                "N",
                "quote 0 where needed, 1 all, 2 all but numbers, 3 none",
                default="0",
            ),
            "terminator": opt("-M", "--out-lineterminator", "TEXT", "the end of each row", default="\n"),
        },
    ),
}

#: The options that represent all programs in the reference.
Options = PROGRAMS["csvcut"]


@cache
def syntax_of(name: str) -> Syntax:
    """Return the parser of a program's options. Raises KeyError."""
    return Syntax(PROGRAMS[name])


def options_of(program: str, arguments: Sequence[str]) -> tuple[Any, list[str]]:
    """Return a program's options and operands. Raises UsageError, and Inform for --help."""
    options, operands = syntax_of(program).parse(arguments)
    if options.encoding.lower().replace("_", "-") not in _ENCODINGS:
        raise UsageError(f"the encoding {options.encoding} is not supported (L-CSV-001)", hint=False)
    if not (options.skip.isascii() and options.skip.isdigit()):
        raise UsageError(f"argument -K/--skip-lines: invalid int value: '{options.skip}'", hint=False)
    return options, list(operands)
