"""What the tests of the source text share: the modules of src/sandhook and the tables of docs/architecture.md."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "sandhook"
ARCHITECTURE = ROOT / "docs" / "architecture.md"


@cache
def modules() -> dict[str, Path]:
    """Map dotted names to files: ``sandhook.vfs.path`` and ``sandhook.vfs`` for a package's ``__init__``."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(name: str, *, types_too: bool = True) -> Iterator[tuple[str, int]]:
    """Yield (dotted module, line) for every import of a module, wherever in the file it stands.

    ``from package import name`` yields ``package.name`` when that is a module of the project, else
    ``package``. With ``types_too=False`` what stands under ``if TYPE_CHECKING:`` is left out.
    """
    for imported, line, for_types in facts(name).imports:
        if types_too or not for_types:
            yield imported, line


class Function(NamedTuple):
    """A function of a module: how long it is, and which parameters it has."""

    name: str
    lines: int
    positional: int  #: parameters without ``self`` and ``cls``
    variadic: bool  #: whether it has ``*args``


class Facts(NamedTuple):
    """What the tests want to know of a module's source."""

    imports: tuple[tuple[str, int, bool], ...]  #: module, line, whether it stands under ``if TYPE_CHECKING:``
    uses: tuple[tuple[str, int], ...]  #: power, line
    functions: tuple[Function, ...]
    calls: tuple[
        tuple[str, int, int], ...
    ]  #: last name of what is called, line, positional arguments: five or more


@cache
def facts(name: str) -> Facts:
    """Read a module once. The tree itself is not kept: those of all modules make every collection slow."""
    from tests.powers import uses

    path = modules()[name]
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))))
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    return Facts(
        tuple(_imports(nodes, package)),
        tuple(uses(nodes)),
        tuple(_function(node) for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)),
        tuple(
            (ast.unparse(node.func).rpartition(".")[2], node.lineno, len(node.args))
            for node in nodes
            if isinstance(node, ast.Call) and len(node.args) > 4
        ),
    )


def _function(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Function:
    positional = [each.arg for each in (*node.args.posonlyargs, *node.args.args)]
    return Function(
        node.name,
        lines=(node.end_lineno or node.lineno) - node.lineno + 1,
        positional=len(positional) - (positional[:1] in (["self"], ["cls"])),
        variadic=node.args.vararg is not None,
    )


def _imports(nodes: list[ast.AST], package: str) -> Iterator[tuple[str, int, bool]]:
    for_types = {
        node
        for branch in nodes
        if isinstance(branch, ast.If) and "TYPE_CHECKING" in ast.dump(branch.test)
        for statement in branch.body
        for node in ast.walk(statement)
    }
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno, node in for_types
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, base] if base else above)
            for alias in node.names:
                whole = f"{base}.{alias.name}"
                yield (whole if whole in modules() else base), node.lineno, node in for_types


def part_of(name: str) -> str:
    """Return the part that a module belongs to: ``vfs`` for ``sandhook.vfs.path``, "" for ``sandhook``."""
    return [*name.split("."), ""][1]


@cache
def section(heading: str) -> str:
    """Return the text of the section of docs/architecture.md with this heading."""
    text = ARCHITECTURE.read_text(encoding="utf-8")
    match = re.search(rf"^(#+) {re.escape(heading)}\n(.*?)(?=^#|\Z)", text, re.M | re.S)
    assert match is not None, f"docs/architecture.md has no section {heading!r}"
    return match.group(2)


def table(heading: str) -> list[list[str]]:
    """Return the rows of the section's table, cells stripped, without its head."""
    rows = [line for line in section(heading).splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", row.strip("|"))] for row in rows[2:]]


def code(cell: str) -> list[str]:
    """Return what a cell says in `code`."""
    return re.findall(r"`([^`]+)`", cell)
