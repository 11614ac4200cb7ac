"""The input that here-documents and here-strings provide."""

from __future__ import annotations

from sandhook.kernel.descriptor import Description, Input
from sandhook.state.state import State
from sandhook.state.values import LARGE, Charge


class _LongInput(Input):
    """The bytes of a long document, which are charged as long as a process has them open."""

    __slots__ = ("_charge",)

    def __init__(self, data: bytes, charge: Charge) -> None:
        super().__init__(data)
        self._charge = charge


def open_document(state: State, text: str) -> Description:
    """Return the description of a here-document or here-string.

    In host mode it is a pipe, as in bash: programs that run at the same time share what is left of it.
    """
    data = text.encode("utf-8", "surrogateescape")
    kernel = state.process.kernel
    if kernel.outside is None:
        return Input(data) if len(data) <= LARGE else _LongInput(data, Charge(len(data), kernel.budget))
    reader, writer = kernel.pipe().ends()
    reader.pipe.buffer += data
    writer.release()
    return reader
