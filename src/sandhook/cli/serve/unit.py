"""``sandhook install --service``: write the file by which the system starts ``sandhook serve`` with the user's session."""

# ruff: noqa: PTH103, PTH105, PTH120, PTH123 (as in `configuration`)

from __future__ import annotations

import os
import sys

from sandhook.cli import UsageError
from sandhook.cli.arguments import Parser
from sandhook.cli.output import put
from sandhook.cli.serve import check
from sandhook.cli.serve import parser as serve_parser
from sandhook.installation.service import ServiceFile, service_file


def parser() -> Parser:
    result = Parser(
        "install",
        "--service [--dry-run] [-- OPTION...]",
        "Write the file by which the system starts `sandhook serve` with the session of the user: a user\n"
        "unit of systemd, a property list of launchd, or a task of Windows. The options after -- are those\n"
        "of `sandhook serve`. Nothing is started; the last lines say how.",
    )
    result.add_argument("--service", action="store_true", required=True, help="write the file of the service")
    result.add_argument("--dry-run", action="store_true", help="print the file instead")
    return result


def run(arguments: list[str]) -> int:
    """Run the command and return its exit status."""
    at = arguments.index("--") if "--" in arguments else len(arguments)
    options = parser().parse_args(arguments[:at])
    own = arguments[at + 1 :]
    parsed = serve_parser().parse_args(own)
    check(parsed)
    if parsed.action is not None:
        raise UsageError(f"install: --service goes without --{parsed.action}")
    if any('"' in word or "\n" in word for word in own):
        raise UsageError("install: an option of the service must not have quotation marks or line feeds")
    if not os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "HOME"):
        raise UsageError("install: --service needs the user's directory, and no variable names it")
    file = service_file([sys.executable, "-m", "sandhook", "serve", *own], os.environ, sys.platform)
    if options.dry_run:
        put(f"{file.path}:")
        put(file.text)
        return 0
    _write(file)
    put(f"{file.path}: written")
    put(f"switch it on:  {file.switch_on}")
    put(f"switch it off: {file.switch_off}")
    return 0


def _write(file: ServiceFile) -> None:
    fresh = f"{file.path}.{os.getpid()}.new"
    try:
        os.makedirs(os.path.dirname(file.path), exist_ok=True)
        with open(fresh, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(file.text)
        os.replace(fresh, file.path)
    except OSError as error:
        raise UsageError(f"install: {file.path}: {error.strerror}") from None
