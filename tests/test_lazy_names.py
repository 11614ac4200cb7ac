"""Packages whose public names load at their first use: every name is there, and no other."""

from __future__ import annotations

from importlib import import_module

import pytest


@pytest.mark.parametrize("package", ["sandhook", "sandhook.hooks", "sandhook.host"])
def test_every_public_name_loads(package: str) -> None:
    module = import_module(package)
    for name in module.__all__:
        assert getattr(module, name) is not None, name
    assert set(module._HOMES) == set(module.__all__) - {"__version__"}
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'nosuch'"):
        module.nosuch
