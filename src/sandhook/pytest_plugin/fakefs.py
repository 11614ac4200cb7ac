"""pyfakefs in the same test: its files are found, and its patches are lifted while sandhook works.

A module that is imported under the patches would have pyfakefs's ``os``, and would be forgotten after the test.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest
    from pyfakefs.fake_filesystem import FakeFilesystem

_FIXTURES = ("fs", "fs_class", "fs_module", "fs_session")

#: The file systems whose patches are lifted now: pyfakefs would end an outer pause with an inner one.
_PAUSED: list[FakeFilesystem] = []


def fake_files(request: pytest.FixtureRequest) -> FakeFilesystem | None:
    """Return the fake file system of a test; None without one, also if a fixture of another package has its name."""
    for name in _FIXTURES:
        if name in request.fixturenames:
            value: FakeFilesystem = request.getfixturevalue(name)
            if type(value).__module__.partition(".")[0] == "pyfakefs":
                return value
    return None


@contextmanager
def paused(fake: FakeFilesystem | None) -> Iterator[None]:
    """Provide Python's own ``os`` and ``open`` in the test of a fake file system; None changes nothing."""
    if fake is None or any(each is fake for each in _PAUSED):
        yield
        return
    from pyfakefs.fake_filesystem_unittest import Pause

    _PAUSED.append(fake)
    try:
        with Pause(fake):
            yield
    finally:
        _PAUSED.remove(fake)
