"""``sandhook install --service``: write the file by which the system starts ``sandhook serve`` with the user's session."""

# ruff: noqa: PTH103, PTH105, PTH120, PTH123 (as in `configuration`)

from __future__ import annotations

import os
import sys
from argparse import Namespace

from sandhook.cli import UsageError
from sandhook.cli.arguments import Parser, add_format
from sandhook.cli.output import put, put_record
from sandhook.cli.serve import check
from sandhook.cli.serve import parser as serve_parser
from sandhook.installation.service import DEFAULT_SOCKET, ServiceFile, service_file
from sandhook.serve.sockets import SocketError, split_address


def parser() -> Parser:
    result = Parser(
        "install",
        "--service [--dry-run] [--format text|json] [-- OPTION...]",
        "Write the files by which the system starts `sandhook serve` with the session of the user: user\n"
        "units of systemd, a property list of launchd, or a task of Windows. The options after -- are those\n"
        "of `sandhook serve`. Nothing is started; the last lines say how.",
    )
    result.add_argument("--service", action="store_true", required=True, help="write the file of the service")
    result.add_argument("--dry-run", action="store_true", help="print the file instead")
    add_format(result)
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
    if not options.dry_run:
        for path, text in files:
            _write(path, text)
    if options.layout == "json":
        _put_json(file, dry_run=options.dry_run)
        return 0
    for path, text in files:
        if options.dry_run:
            put(f"{path}:")
            put(text)
        else:
            put(f"{path}: written")
    if options.dry_run:
        return 0
    put(f"switch it on:  {file.switch_on}")
    put(f"switch it off: {file.switch_off}")
    return 0


def _put_json(file: ServiceFile, *, dry_run: bool) -> None:
    """Print the JSON of ``install``, without files of agents."""
    put_record(
        "install",
        dry_run=dry_run,
        written=True,
        source="",
        files=[],
        lost=[],
        service={
            "path": file.path,
            "text": file.text,
            "more": [{"path": path, "text": text} for path, text in file.more],
            "switch_on": file.switch_on,
            "switch_off": file.switch_off,
        },
        notes=[],
    )


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
