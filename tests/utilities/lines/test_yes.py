"""yes: it ends at a limit alone."""

from __future__ import annotations

import pytest

from sandhook.errors import LimitExceeded


def test_goes_on_until_a_limit(sandbox):
    with pytest.raises(LimitExceeded):
        sandbox.run("yes", "a", "b")
