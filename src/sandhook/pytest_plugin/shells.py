"""The shell of a test: a new one, or one over the files of pyfakefs's ``fs``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Unpack

from sandhook.pytest_plugin.fakefs import paused
from sandhook.shell import Session, Shell

if TYPE_CHECKING:
    import pytest
    from pyfakefs.fake_filesystem import FakeFilesystem

    from sandhook.interp.beginning import RunArguments, SessionArguments
    from sandhook.interp.result import Result


def shell_of(node: pytest.Item, fake: FakeFilesystem | None) -> Shell:
    """Return a shell with the arguments of the nearest marker ``sandhook_shell``."""
    marker = node.get_closest_marker("sandhook_shell")
    arguments = {} if marker is None else marker.kwargs
    return Shell(**arguments) if fake is None else FakeFilesShell(fake, arguments)


class FakeFilesShell(Shell):
    """A shell over the files of a test; the patches of pyfakefs are lifted during each run."""

    def __init__(self, fake: FakeFilesystem, arguments: Mapping[str, object]) -> None:
        from sandhook.vfs.pyfakefs_adapter import PyfakefsFileSystem

        self._fake = fake
        super().__init__(**{"fs": PyfakefsFileSystem(fake), "cwd": fake.cwd, **arguments})  # type: ignore[arg-type]

    def run(self, script: str, **arguments: Unpack[RunArguments]) -> Result:
        """Run a script as ``Shell.run`` does."""
        with paused(self._fake):
            return super().run(script, **arguments)

    def session(self, *, env: Mapping[str, str] | None = None, name: str = "bash") -> Session:
        """Return a session as ``Shell.session`` does."""
        return _FakeFilesSession(self._fake, self, env, name)


class _FakeFilesSession(Session):
    def __init__(self, fake: FakeFilesystem, shell: Shell, env: Mapping[str, str] | None, name: str) -> None:
        self._fake = fake
        super().__init__(shell, env, name)

    def run(self, script: str, **arguments: Unpack[SessionArguments]) -> Result:
        with paused(self._fake):
            return super().run(script, **arguments)
