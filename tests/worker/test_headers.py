"""The headers of requests, as both sides read them."""

from __future__ import annotations

from sandhook.worker import frames
from sandhook.worker.headers import JqHeader


def test_a_header_leaves_out_only_fields_whose_value_the_worker_knows() -> None:
    assert set(frames.JQ_DEFAULTS) == set(JqHeader.__annotations__)


def test_the_values_of_fields_that_a_header_leaves_out_are_empty() -> None:
    assert not any(frames.JQ_DEFAULTS.values())
