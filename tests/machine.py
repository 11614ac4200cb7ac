"""What the machine of the tests has, and what differs between its Pythons."""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
from functools import cache
from pathlib import Path
from typing import Literal

BASH = shutil.which("bash") or ""


@cache
def has_bash_5_2() -> bool:
    """Return whether the machine's bash is of the version whose behaviour and messages ours are."""
    if os.name == "nt" or not BASH:
        return False
    text = subprocess.run(
        [BASH, "-c", "echo ${BASH_VERSINFO[0]}.${BASH_VERSINFO[1]}"], capture_output=True, text=True
    )
    return text.stdout.strip() == "5.2"


def unpack(archive: tarfile.TarFile, directory: Path, filter: Literal["data", "tar"] = "data") -> None:
    """Unpack an archive of our own, whose owners do not count. The first releases of 3.11 have no filters."""
    if hasattr(tarfile, "data_filter"):
        archive.extractall(directory, filter=filter)
        return
    archive.chown = lambda *arguments, **named: None  # type: ignore[method-assign]
    archive.extractall(directory)
