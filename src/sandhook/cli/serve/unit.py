"""``sandhook install --service``: write the file by which the system starts ``sandhook serve`` with the user's session."""

# ruff: noqa: PTH103, PTH105, PTH120, PTH123 (as in `configuration`)

from __future__ import annotations

import os
import sys
from argparse import Namespace

from sandhook.cli import UsageError
from sandhook.cli.arguments import Parser
from sandhook.cli.output import put
from sandhook.cli.serve import check
from sandhook.cli.serve import parser as serve_parser
from sandhook.installation.service import DEFAULT_SOCKET, service_file
from sandhook.serve.sockets import SocketError, split_address


def parser() -> Parser:
    result = Parser(
        "install",
        "--service [--dry-run] [-- OPTION...]",
        "Write the files by which the system starts `sandhook serve` with the session of the user: user\n"
        "units of systemd, a property list of launchd, or a task of Windows. The options after -- are those\n"
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
    command = [sys.executable, "-m", "sandhook", "serve", *own]
    file = service_file(command, os.environ, sys.platform, _sockets(parsed))
    files = [(file.path, file.text), *file.more]
    for path, text in files:
        if options.dry_run:
            put(f"{path}:")
            put(text)
        else:
            _write(path, text)
            put(f"{path}: written")
    if options.dry_run:
        return 0
    put(f"switch it on:  {file.switch_on}")
    put(f"switch it off: {file.switch_off}")
    return 0


def _sockets(options: Namespace) -> list[str]:
    """Return the sockets that systemd can have for a service: those whose place is known before it starts."""
    found = []
    if not options.no_socket:
        path = options.socket
        if path is None:
            found.append(DEFAULT_SOCKET)
        elif os.path.isabs(path):  # noqa: PTH117 - as in `configuration`
            found.append(path.replace("%", "%%"))
    if options.listen is not None:
        try:
            address, port = split_address(options.listen, remote=options.allow_remote)
        except SocketError as error:
            raise UsageError(f"install: {error}") from None
        if port:
            found.append(f"{f'[{address}]' if ':' in address else address}:{port}")
    return found


def _write(path: str, text: str) -> None:
    fresh = f"{path}.{os.getpid()}.new"
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(fresh, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
        os.replace(fresh, path)
    except OSError as error:
        raise UsageError(f"install: {path}: {error.strerror}") from None
