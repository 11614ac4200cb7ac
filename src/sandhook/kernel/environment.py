"""The environment that a command gets when it is not that of the process which starts it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


class ChangedEnvironment(dict[str, str]):
    """Variables for a command that does not get all exported functions.

    Attributes:
        empty: It began empty, so no function is in it.
        unset: Names that were removed, those of functions as ``BASH_FUNC_name%%``.
    """

    def __init__(self, variables: Mapping[str, str], *, empty: bool, unset: Iterable[str] = ()) -> None:
        super().__init__(variables)
        self.empty = empty
        self.unset = frozenset(unset)
