"""Findings for programs of others: what ``check``, ``vet`` and ``chaos`` report, as SARIF and as commands of GitHub."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from sandhook.cli.output import put

if TYPE_CHECKING:
    from sandhook.cli.outputs.annotations.model import Annotated

#: Values of ``--format`` in addition to text and JSON.
FORMATS = ("sarif", "github")


def put_annotations(layout: str, annotated: Annotated) -> None:
    """Print annotations in one of FORMATS."""
    if layout == "sarif":
        from sandhook.cli.output import put_json
        from sandhook.cli.outputs.annotations.sarif import to_sarif

        put_json(to_sarif(annotated))
        return
    from sandhook.cli.outputs.annotations.github import to_github

    for line in to_github(annotated):
        put(line)


def shown_file(name: str) -> str:
    """Return a path as annotations have it."""
    if not name:
        return ""
    path, here = os.path.abspath(name).replace("\\", "/"), os.getcwd().replace("\\", "/")  # noqa: PTH100, PTH109
    return path.removeprefix(f"{here.rstrip('/')}/")
