"""What the tests of the source text share: the modules of src/sandhook and the tables of docs/architecture.md."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

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


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def imports(name: str, *, types_too: bool = True) -> Iterator[tuple[str, int]]:
    """Yield (dotted module, line) for every import of a module, wherever in the file it stands.

    ``from package import name`` yields ``package.name`` when that is a module of the project, else
    ``package``. With ``types_too=False`` what stands under ``if TYPE_CHECKING:`` is left out.
    """
    path = modules()[name]
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in _statements(tree(path), types_too):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, base] if base else above)
            for alias in node.names:
                whole = f"{base}.{alias.name}"
                yield (whole if whole in modules() else base), node.lineno


def _statements(root: ast.AST, types_too: bool) -> Iterator[ast.AST]:
    for node in ast.iter_child_nodes(root):
        if not types_too and isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield from (inner for part in node.orelse for inner in ast.walk(part))
            continue
        yield node
        yield from _statements(node, types_too)


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
