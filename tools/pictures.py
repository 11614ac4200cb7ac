"""Draws the pictures of the documentation from text: ``python -m tools.pictures`` needs Graphviz (``dot``).

Each ``docs/pictures/NAME.dot`` becomes ``docs/images/NAME.svg``, and the picture of the parts in docs/architecture.md
becomes ``docs/images/parts.svg``. An image has the hash of its text, by which a test sees that it is up to date.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"

_STYLE = """digraph parts {
  bgcolor="transparent"; ranksep=0.35; nodesep=0.2;
  node [shape=box, style="rounded,filled", fillcolor="#e0f2f1", color="#00796b", fontname="Helvetica", fontsize=12];
  edge [color="#00796b", arrowsize=0.6];
"""


def sources() -> dict[str, str]:
    """Return the text of each picture in Graphviz's language, by the picture's name."""
    texts = {
        path.stem: path.read_text(encoding="utf-8") for path in sorted((DOCS / "pictures").glob("*.dot"))
    }
    page = (DOCS / "architecture.md").read_text(encoding="utf-8")
    arrows = re.findall(r"^ +(\w+) --> (\w+)$", page, re.M)
    texts["parts"] = _STYLE + "".join(f"  {start} -> {end};\n" for start, end in arrows) + "}\n"
    return texts


def mark(text: str) -> str:
    """Return the line by which an image names its text."""
    return f"<!-- drawn from {hashlib.sha256(text.encode()).hexdigest()[:16]} by python -m tools.pictures -->"


def main() -> None:
    for name, text in sources().items():
        done = subprocess.run(["dot", "-Tsvg"], input=text, capture_output=True, text=True, check=True)
        svg = done.stdout[done.stdout.index("<svg") :]
        (DOCS / "images").mkdir(exist_ok=True)
        (DOCS / "images" / f"{name}.svg").write_text(f"{mark(text)}\n{svg}", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
