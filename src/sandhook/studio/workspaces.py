"""The workspaces of a service, of which the page shows one at a time: what is of one is not shown with another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException

from sandhook.record import Record

if TYPE_CHECKING:
    from starlette.requests import Request

    from sandhook.hooks.event import JsonObject
    from sandhook.serve.service import Service
    from sandhook.studio.bench import Bench

#: Benches that are kept; those of other workspaces are made again when the page wants them.
_MOST_BENCHES = 64


class Workspaces:
    """The directories whose hooks the page shows, each with a bench of its own.

    Args:
        first: Of the workspace that the page begins with.
        make: Returns the bench of a directory; None when there is no other.
        known: Returns the directories that the service serves.
    """

    def __init__(
        self,
        first: Bench,
        make: Callable[[str], Bench] | None = None,
        known: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        self._first = first.directory
        self._make = make
        self._known = known
        self._benches = {first.directory: first}

    def names(self) -> list[str]:
        """Return the directories, that of the beginning first."""
        others = self._known() if self._make is not None else ()
        return list(dict.fromkeys([self._first, *others]))

    def bench(self, name: str) -> Bench:
        """Return the bench of a directory; "" stands for that of the beginning. Raises HTTPException."""
        name = name or self._first
        if name not in self.names():
            raise HTTPException(404, f"{name}: this service has no such workspace")
        known = self._benches.get(name)
        if known is None:
            assert self._make is not None
            known = self._benches[name] = self._make(name)
            for other in list(self._benches)[1:-_MOST_BENCHES]:
                del self._benches[other]
        return known

    def of(self, fire: JsonObject) -> str:
        """Return the directory that a fire belongs to, "" for one of no workspace.

        The service notes where an event was fired. A client's command has only the directory that it ran in.
        """
        names = self.names()
        noted = fire.get("workspace")
        if isinstance(noted, str) and noted:
            return noted if noted in names else ""
        if len(names) == 1:
            return names[0]
        place = f"{fire.get('cwd') or ''}/".replace("\\", "/")
        return max((each for each in names if place.startswith(f"{each.rstrip('/')}/")), key=len, default="")


class Desk(Record):
    """What the handlers of the page work with.

    Attributes:
        workspaces: Of the service.
        service: Keeps the events that the page fires, for its history.
        editable: The page may save what it edits.
    """

    workspaces: Workspaces
    service: Service
    editable: bool

    def bench(self, request: Request) -> Bench:
        """Return the bench of the workspace that a request names: ``?workspace=DIR``. Raises HTTPException."""
        return self.workspaces.bench(request.query_params.get("workspace", ""))

    def is_of(self, bench: Bench, fire: JsonObject) -> bool:
        """Return whether a fire belongs to the workspace of a bench."""
        return self.workspaces.of(fire) == bench.directory
