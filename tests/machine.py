"""What the machine of the tests has."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache

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
