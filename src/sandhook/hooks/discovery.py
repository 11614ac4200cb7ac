"""discover: an agent's own configurations below a directory, for programs that load them."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from sandhook.errors import Problem
from sandhook.hooks import contracts, sources
from sandhook.hooks.contracts import Contract, Document
from sandhook.record import Record


class Discovery(Record):
    """The configurations that an agent would read.

    Attributes:
        documents: Weakest layer first, for ``HookEngine.load``.
        problems: Faults of files that cannot be read or decoded; the hooks of these files are not in force.
    """

    documents: tuple[Document, ...]
    problems: tuple[Problem, ...]


def discover(
    contract: str | Contract, root: str | os.PathLike[str] = ".", *, env: Mapping[str, str] | None = None
) -> Discovery:
    """Read the files of all layers that an agent would read.

    Args:
        contract: The agent's contract, or its name.
        root: The project's directory.
        env: The agent's environment, which names the user's directory; that of this process when None.

    Raises:
        ContractError: No contract has this name.
        NotADirectoryError: ``root`` is not a directory.
    """
    known = contracts.get(contract) if isinstance(contract, str) else contract
    directory = os.path.abspath(root).replace("\\", "/")  # noqa: PTH100 - pathlib costs the command line 10 ms
    if not os.path.isdir(directory):  # noqa: PTH112
        raise NotADirectoryError(f"root must be a directory, not {os.fspath(root)!r}")
    documents, problems = sources.discover(known, directory, os.environ if env is None else env, sys.platform)
    return Discovery(tuple(documents), tuple(problems))
