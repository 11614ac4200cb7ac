"""Hand-written scripts that bash accepts, one construct after the other."""

from __future__ import annotations

from pathlib import Path

DATA = Path(__file__).parent / "data"

#: The scripts of data/scripts.txt, which are separated by lines "---".
SCRIPTS = [
    text + "\n" for text in (DATA / "scripts.txt").read_text("utf-8").removesuffix("\n").split("\n---\n")
]
