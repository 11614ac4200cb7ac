"""Read hook configurations: paths that the caller names, or values that are decoded already.

The one place in this part that opens a host file; only what a caller names is opened.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from sandhook.errors import ConfigError, Problem
from sandhook.hooks.contracts import Document
from sandhook.hooks.decode import DecodeError, decode

if TYPE_CHECKING:

    class Path(Protocol):
        """What ``pathlib.Path`` and its like have."""

        def __fspath__(self) -> str: ...

    Source = str | Path | Mapping[str, Any] | Document | None

#: Bytes of one file; every contract's own bound is far below.
MAX_BYTES = 4 << 20


def documents(sources: Source | Sequence[Source]) -> list[Document]:
    """Return what the sources hold, in their order.

    Args:
        sources: A path, a decoded configuration, a Document, or several of them, weakest layer first.

    Raises:
        ConfigError: A file that cannot be read, or that is no JSON; all such files are named.
    """
    one = isinstance(sources, Document) or not isinstance(sources, (list, tuple))
    several: list[Any] = [sources] if one else list(sources)  # type: ignore[arg-type]
    found: list[Document] = []
    problems: list[Problem] = []
    for source in several:
        if isinstance(source, Document):
            found.append(source)
            continue
        if source is None or isinstance(source, Mapping):
            found.append(Document(None if source is None else dict(source)))
            continue
        name = str(source)
        try:
            found.append(_read(name))
        except OSError as error:
            problems.append(Problem(name, error.strerror or str(error)))
        except ValueError as error:  # DecodeError, and bytes that are no UTF-8
            problems.append(Problem(name, str(error)))
    if problems:
        raise ConfigError(problems)
    return found


def _read(name: str) -> Document:
    with open(name, "rb") as file:  # noqa: PTH123 - pathlib costs the command line 10 ms
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise DecodeError(f"longer than {MAX_BYTES} bytes")
    try:
        text = data.decode("utf-8-sig")  # Windows editors begin files with a byte order mark
    except UnicodeDecodeError as error:
        raise DecodeError(f"not UTF-8 at byte {error.start + 1}") from None
    decoded = decode(text)
    return Document(decoded.value, name, decoded.diagnostics)
