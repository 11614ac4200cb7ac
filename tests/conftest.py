"""Options shared by all tests."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--oracle",
        action="store_true",
        help="also ask the real programs (bash, GNU coreutils, grep, sed, jq); their absence is a failure",
    )


@pytest.fixture(scope="session")
def oracle(request: pytest.FixtureRequest) -> bool:
    """Whether recorded expectations are checked against the real programs too."""
    return bool(request.config.getoption("--oracle"))
