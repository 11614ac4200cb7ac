"""What the service decides now and decided before, with filters; and what each hook did in numbers."""

from __future__ import annotations

import json
from posixpath import dirname, join, relpath
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from sandhook.conformance.expectations.model import ENDINGS
from sandhook.errors import SandhookError
from sandhook.formats.yaml import read_yaml
from sandhook.formats.yaml_text import write_yaml
from sandhook.hooks.decode import decode_object
from sandhook.hooks.event import Json, JsonObject
from sandhook.proving import places
from sandhook.record import Record
from sandhook.serve.asgi import fired
from sandhook.serve.firing import MAX_PAYLOAD_SHOWN
from sandhook.studio.api import answer, object_of
from sandhook.studio.bench import StudioError

if TYPE_CHECKING:
    from sandhook.hooks.sources import AgentConfiguration
    from sandhook.serve.fires import Wanted
    from sandhook.studio.bench import Bench
    from sandhook.studio.workspaces import Desk

#: Fires of one answer.
_MOST_LISTED = 500

#: The file next to the hooks that has the events which people saved.
_RECORDED = f"recorded{ENDINGS[0]}"


class Filter(Record):
    """Which fires a person wants to see; an empty field wants all.

    Attributes:
        agent, event, tool, hook: The names.
        directory: The directory of the event is this one, or below it.
        outcome: "refused", "passed", or "failed": a hook could not run, or was withheld.
    """

    agent: str = ""
    event: str = ""
    tool: str = ""
    hook: str = ""
    directory: str = ""
    outcome: str = ""

    def wants(self, fire: JsonObject) -> bool:
        """Return whether a fire is wanted."""
        hooks = fire.get("hooks")
        names = (
            [each.get("hook_id") for each in hooks if isinstance(each, dict)]
            if isinstance(hooks, list)
            else []
        )
        place = f"{fire.get('cwd') or ''}/".replace("\\", "/")
        return (
            self.agent in ("", fire.get("agent"))
            and self.event in ("", fire.get("event"))
            and self.tool in ("", fire.get("tool"))
            and (not self.hook or self.hook in names)
            and (not self.directory or place.startswith(f"{self.directory.rstrip('/')}/"))
            and self.outcome in ("", outcome_of(fire))
        )


_OUTCOMES = ("", "refused", "passed", "failed")


def outcome_of(fire: JsonObject) -> str:
    """Return what became of a fire.

    It is "failed" when a hook that wanted the event could not run or was withheld, or when the event was not fired.
    """
    decision = fire.get("decision")
    if not isinstance(decision, dict) or fire.get("ending") == "failed":
        return "failed"
    if decision.get("could_not_run") or decision.get("withheld"):
        return "failed"
    return "refused" if decision.get("refused") else "passed"


class LiveApi:
    """The handlers for the view of fires."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def routes(self) -> list[BaseRoute]:
        return [
            Route("/v1/studio/live", self.live),
            Route("/v1/studio/history", self.history),
            Route("/v1/studio/numbers", self.numbers),
            Route("/v1/studio/expectation", self.expectation, methods=["POST"]),
        ]

    async def live(self, request: Request) -> Response:
        """Stream the fires that a filter wants, as server-sent events; with ``?workspace=DIR`` those of one."""
        return StreamingResponse(
            fired(self._desk.service, self._wanted(request)),
            media_type="text/event-stream",
            headers={"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"},
        )

    async def history(self, request: Request) -> Response:
        """List the last fires that a filter wants, the newest first: ``?count=N&before=ID``."""
        wanted = self._wanted(request)
        count = min(_number(request, "count", 100), _MOST_LISTED)
        before = _number(request, "before", 0) or None
        fires: list[Json] = list(self._desk.service.fires.listed(count, before, wanted))
        return await answer(lambda: {"fires": fires})

    async def numbers(self, request: Request) -> Response:
        """Return for each hook how often it ran, decided what, could not run, and a histogram of its times.

        With ``?workspace=DIR``, only what was fired there counts.
        """
        chosen = request.query_params.get("workspace")
        numbers = self._desk.service.metrics.json(self._desk.bench(request).directory if chosen else "")
        return await answer(lambda: numbers)

    async def expectation(self, request: Request) -> Response:
        """Save a fire as an expectation next to its hooks, if the service was started with ``--edit``."""
        value = await object_of(request)
        if not self._desk.editable:
            raise HTTPException(403, "the page may not save: start sandhook studio with --edit")
        number = value.get("id")
        kept = number if isinstance(number, int) and not isinstance(number, bool) else -1
        text = self._desk.service.fires.text_of(kept)
        if text is None:
            raise HTTPException(404, "this fire is not kept, or never was")
        fire: JsonObject = json.loads(text)
        place = self._desk.workspaces.of(fire)
        if not place:
            raise HTTPException(400, "this fire is of no workspace of this service")
        bench, name = self._desk.workspaces.bench(place), value.get("name")
        return await answer(lambda: _saved(bench, fire, name if isinstance(name, str) else ""))

    def _wanted(self, request: Request) -> Wanted:
        """Return whether a fire is wanted, as a request says."""
        chosen = _filter(request)
        if not request.query_params.get("workspace"):
            return chosen.wants
        bench, desk = self._desk.bench(request), self._desk
        return lambda fire: chosen.wants(fire) and desk.is_of(bench, fire)


def _filter(request: Request) -> Filter:
    query = request.query_params
    values = {name: query.get(name, "") for name in Filter._fields}
    if values["outcome"] not in _OUTCOMES:
        raise HTTPException(400, "outcome: wanted refused, passed or failed")
    return Filter(**values)


def _number(request: Request, name: str, default: int) -> int:
    text = request.query_params.get(name, str(default))
    if not text.isdecimal() or len(text) > 12:
        raise HTTPException(400, f"{name}: wanted a number, got {text!r}")
    return int(text)


def _saved(bench: Bench, fire: JsonObject, name: str) -> JsonObject:
    """Add a fire to the expectations that people recorded. Raises StudioError."""
    setup = bench.setup(str(fire.get("agent") or ""))
    documents = [each.name for each in setup.documents if each.name]
    if not documents:
        raise StudioError("the hooks of this fire are in no file")
    case: JsonObject = {
        "name": name.strip() or f"{fire.get('event')} of {fire.get('time')}",
        "event": str(fire.get("event") or ""),
        "payload": _payload(fire),
        "expect": _word(fire),
    }
    path = join(dirname(documents[-1].replace("\\", "/")), _RECORDED)
    whole = _with_case(bench, setup, path, documents[-1].replace("\\", "/"), case)
    before = bench.read(path)
    bench.save(path, f"# Events that were saved in sandhook studio.\n{write_yaml(whole)}".encode())
    problems = places.read([path]).problems
    if problems:
        if before is not None:
            bench.save(path, before)
        raise StudioError(f"it would not be an expectation: {problems[0]}")
    return {"path": path, "name": case["name"], "expect": case["expect"]}


def _payload(fire: JsonObject) -> Json:
    text = fire.get("payload")
    if not isinstance(text, str) or len(text.encode("utf-8", "surrogatepass")) >= MAX_PAYLOAD_SHOWN:
        raise StudioError("the payload of this fire is not kept whole")
    return decode_object(text).value


def _word(fire: JsonObject) -> str:
    """Return what a fire decided, in the words of expectations. Raises StudioError if a hook could not run."""
    decision = fire.get("decision")
    if not isinstance(decision, dict) or decision.get("could_not_run") or decision.get("withheld"):
        raise StudioError("a hook of this fire could not run, which nobody should expect")
    if decision.get("halt"):
        return "halt"
    if decision.get("refused"):
        return "deny"
    if decision.get("force_continue"):
        return "keep-working"
    permission = str(decision.get("permission") or "none")
    return "proceed" if permission == "none" else permission


def _with_case(
    bench: Bench, setup: AgentConfiguration, path: str, hooks: str, case: JsonObject
) -> JsonObject:
    """Return the file of recorded expectations with another case."""
    data = bench.read(path)
    if data is None:
        inside = hooks.startswith(f"{bench.directory.rstrip('/')}/")
        project: JsonObject = {"project": relpath(bench.directory, dirname(path))} if inside else {}
        own: JsonObject = {
            "version": 1,
            "hooks": relpath(hooks, dirname(path)),
            "contract": setup.contract.name,
        }
        return {**own, **project, "cases": [case]}
    try:
        value = read_yaml(data.decode("utf-8"))[0].value
    except (SandhookError, ValueError) as error:
        raise StudioError(f"{path}: cannot be read: {error}") from None
    cases = value.get("cases") if isinstance(value, dict) else None
    if not isinstance(value, dict) or not isinstance(cases, list):
        raise StudioError(f"{path}: it has no list of cases")
    if value.get("contract") != setup.contract.name:
        raise StudioError(f"{path}: it is about the hooks of another agent")
    names = {each.get("name") for each in cases if isinstance(each, dict)}
    if case["name"] in names:
        raise StudioError(f"{path}: it has a case of the name {case['name']!r}")
    return {**value, "cases": [*cases, case]}
