"""Only the files that docs/architecture.md names may touch the host, and each does what its row says.

The test reads the source text. It knows the modules that are harmless everywhere; any other
import, and any use of a power below, needs a row.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.powers import uses
from tests.source import PACKAGE, code, facts, imports, modules, part_of, table

#: Modules that reach no file, variable, descriptor, process or socket of the host.
HARMLESS = frozenset(
    """
    __future__ _collections _json _thread abc array base64 binascii bisect calendar collections collections.abc contextlib copy csv dataclasses datetime
    decimal difflib enum errno functools hashlib heapq hmac io itertools json math numbers operator posixpath random re
    shlex stat string struct sys textwrap threading time types typing unicodedata weakref zlib
    greenlet re2
    """.split()
)


def powers(path_name: str) -> Iterator[tuple[str, int]]:
    """Yield (power, line) for everything in a module that needs a row."""
    for imported, line in imports(path_name):
        if imported.split(".")[0] != "sandhook" and imported not in HARMLESS:
            yield imported.split(".")[0], line
    yield from facts(path_name).uses


def granted() -> dict[str, set[str]]:
    """Return the rows of the table: file, or directory with a slash at its end, to powers."""
    rows: dict[str, set[str]] = {}
    for row in table("Who may touch the host"):
        assert len(row) == 3 and row[2], f"a row has no reason: {row}"
        for name in code(row[0]):
            assert name not in rows, f"{name} has two rows"
            rows[name] = set(code(row[1]))
    return rows


def test_the_rows_are_sorted() -> None:
    assert list(granted()) == sorted(granted())


def row_of(file: str, rows: dict[str, set[str]]) -> str | None:
    """Return the row for a file of the package: its own, or else that of the nearest directory."""
    if file in rows:
        return file
    parts = file.split("/")
    for count in range(len(parts) - 1, 0, -1):
        if (directory := "/".join(parts[:count]) + "/") in rows:
            return directory
    return None


@pytest.mark.parametrize("part", sorted({part_of(name) for name in modules()}))
def test_touches_the_host_only_as_its_rows_say(part: str) -> None:
    rows = granted()
    breaches = set()
    for name, path in modules().items():
        if part_of(name) == part:
            file = path.relative_to(PACKAGE).as_posix()
            row = row_of(file, rows)
            mine = rows[row] if row is not None else set()
            breaches |= {f"{file}:{line}: {power}" for power, line in powers(name) if power not in mine}
    assert not breaches, "not in the table 'Who may touch the host':\n" + "\n".join(sorted(breaches))


def test_no_row_grants_more_than_is_used() -> None:
    rows = granted()
    used: dict[str, set[str]] = {row: set() for row in rows}
    for name, path in modules().items():
        if (row := row_of(path.relative_to(PACKAGE).as_posix(), rows)) is not None:
            used[row] |= {power for power, _ in powers(name)}
    assert {row: sorted(rows[row] - used[row]) for row in rows if rows[row] - used[row]} == {}


@pytest.mark.parametrize(
    ("text", "power"),
    [
        ("open('/etc/passwd')", "open"),
        ("f = open", "open"),
        ("input()", "input"),
        ("x = [eval][0]('1')", "eval"),
        ("import sys\nsys.modules['os']", "sys.modules"),
        ("from sys import modules", "sys.modules"),
        ("().__class__.__base__.__subclasses__()", "__subclasses__"),
        ("text.format(1)", "str.format"),
        ("import time\ntime.tzset()", "time.tzset"),
        ("import io\nio.open('x')", "io.open"),
    ],
)
def test_a_breach_is_seen(text: str, power: str) -> None:
    assert power in [found for found, _ in uses(ast.walk(ast.parse(text)))]


@pytest.mark.parametrize(
    "text",
    [
        "re.compile('x')",
        "ctx.open('x')",
        "'{}'.format(1)",
        "fs.exec('x')",
        "def open(x): ...",
        "sys.maxsize",
        "f(input)",
    ],
)
def test_a_harmless_neighbour_is_not(text: str) -> None:
    assert [found for found, _ in uses(ast.walk(ast.parse(text)))] == []
