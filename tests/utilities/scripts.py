"""Scripts whose output is recorded from real programs: with --oracle, bash runs them with these programs again."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path


def ask_host(script: str, files: Mapping[str, str], *programs: str) -> tuple[int, str, str]:
    """Return the status and the output of a script over these files; fail if bash or one of the programs is missing."""
    for program in ("bash", *programs):
        assert shutil.which(program), f"--oracle: {program} is not installed"
    with tempfile.TemporaryDirectory() as where:
        for name, content in files.items():
            Path(where, name).write_bytes(content.encode("utf-8", "surrogateescape"))
        done = subprocess.run(
            ["bash", "-c", script],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            cwd=where,
            env={"PATH": os.environ["PATH"], "HOME": where, "LC_ALL": "C.UTF-8", "TZ": "UTC0"},
            timeout=60,
            check=False,
        )
    out, err = (each.decode("utf-8", "surrogateescape") for each in (done.stdout, done.stderr))
    return done.returncode, out, err
