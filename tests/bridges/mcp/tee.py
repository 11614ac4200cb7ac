"""tee.py LOG -- COMMAND...: run a program, and log the lines of both directions."""

from __future__ import annotations

import subprocess
import sys
import threading
from typing import IO


def copy(source: IO[bytes], target: IO[bytes], log: IO[bytes], sign: bytes) -> None:
    for line in iter(source.readline, b""):
        log.write(sign + line)
        log.flush()
        target.write(line)
        target.flush()
    target.close()


def main() -> int:
    log = open(sys.argv[1], "ab")
    process = subprocess.Popen(sys.argv[3:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None and process.stdout is not None
    forth = threading.Thread(target=copy, args=(sys.stdin.buffer, process.stdin, log, b">"), daemon=True)
    forth.start()
    copy(process.stdout, sys.stdout.buffer, log, b"<")
    return process.wait()


sys.exit(main())
