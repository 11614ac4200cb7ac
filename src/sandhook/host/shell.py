"""HostShell: the interpreter over the real file system and real programs, for trusted scripts."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from sandhook.host.convert import shell_environment
from sandhook.host.environment import build
from sandhook.host.files import WINDOWS
from sandhook.host.world import Host, HostWorld
from sandhook.limits import Limits
from sandhook.shell import Shell

if TYPE_CHECKING:
    from sandhook.command.own import Utilities
    from sandhook.host.approved import ApprovedFiles
    from sandhook.interp.program import TreeStore


class HostShell(Shell):
    """A shell on this machine: ``HostShell().run("git status | grep -c modified")``.

    The language, the built-ins and the limits are those of ``Shell``. Files are the machine's, and time is
    real. A command that is neither a function nor a built-in is a program of the machine, or sandhook's utility
    if the machine has no such program. No system shell is needed. All processes of a run end with it.

    Args:
        host: What scripts may use of the machine, and how.
        env: The environment of the scripts; None copies that of this process, without the variables that make
            programs load foreign code (``host.environment``).
        cwd: Native working directory, by default that of this process. It must exist.
        limits: Bounds of each run; by default ``Limits.generous()``.
        utilities: Additional commands.
        parse_cache: Keeps parsed scripts beyond the process.
        approved: Files that run by their approved bytes.
        dispatches_scripts, crlf: See ``Shell``.

    Raises:
        NotADirectoryError: ``cwd`` is not a directory.
    """

    def __init__(
        self,
        *,
        host: Host | None = None,
        env: Mapping[str, str] | None = None,
        cwd: str | os.PathLike[str] | None = None,
        limits: Limits | None = None,
        utilities: Utilities | None = None,
        parse_cache: TreeStore | None = None,
        approved: ApprovedFiles | None = None,
        dispatches_scripts: bool = False,
        crlf: bool = True,
    ) -> None:
        working = os.path.abspath(os.getcwd() if cwd is None else cwd)  # noqa: PTH100, PTH109
        if not os.path.isdir(working):  # noqa: PTH112
            raise NotADirectoryError(f"host: cwd: {working}: not a directory")
        world = HostWorld(host or Host(), working, approved)
        variables = build("inherit", os.environ, windows=WINDOWS) if env is None else dict(env)
        super().__init__(
            env=shell_environment(variables),
            cwd=world.fs.virtual(working),
            limits=limits or Limits.generous(),
            utilities=utilities,
            parse_cache=parse_cache,
            dispatches_scripts=dispatches_scripts,
            crlf=crlf,
            world=world,
        )
