"""The instructions of bc."""

from __future__ import annotations

from sandhook.utilities.extras.bc import execute
from sandhook.utilities.extras.bc.instructions import Instruction


def test_every_instruction_is_executed() -> None:
    assert set(execute._EXECUTE) == set(Instruction.__subclasses__())
