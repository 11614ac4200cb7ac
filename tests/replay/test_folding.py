"""Results of partitions: as bytes and back, and folded in any grouping."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandhook.hooks.event import JsonObject
from sandhook.journal.errors import JournalError
from sandhook.journal.reading import MOST_SKIPPED, Contents, Partition, Skipped, plan
from sandhook.journal.schema import decode, encode
from sandhook.replay.folding import Part, Partial, changed_row, fold, row_of
from sandhook.replay.job import Job, Replayer
from sandhook.replay.tally import Tally
from tests.replay.replaytools import bundle, entries, entry, write


def partial(number: int, losses: int = 1) -> bytes:
    """Return a result with one changed event, and with places that could not be read."""
    tally = Tally()
    tally.events, tally.counts["changed"], tally.timeline[f"h{number % 3}\told\tx"] = number, 1, number
    lasting: JsonObject = {"time": "t", "id": f"\ud800{number}", "hook": "", "tool": None, "shape": "ls"}
    lasting |= {"changes": ["changed"], "old": "x" * (number * 300)}
    row = changed_row(lasting, {"slower": True, "new_ms": 1.5}, ("changed", "slower"))
    lost = tuple(Skipped("f", "byte", place, 1, "why") for place in range(losses))
    return Partial(tally, (Part(number, losses, lost),), (row,)).to_bytes()


def plain(result: bytes) -> object:
    value = Partial.from_bytes(result)
    return value.tally.to_json(), value.parts, sorted(value.rows)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=9), st.data())
def test_results_are_folded_in_any_grouping(numbers: list[int], data: st.DataObject) -> None:
    left = [partial(number) for number in numbers]
    wanted = plain(fold(left))
    while len(left) > 1:
        at = data.draw(st.integers(0, len(left) - 2))
        end = data.draw(st.integers(at + 2, len(left)))
        left[at:end] = [fold(left[at:end])]
    assert plain(fold(left)) == plain(left[0]) == wanted
    assert Partial.from_bytes(left[0]).tally.events == sum(numbers)


def test_a_changed_event_comes_back_whole_also_a_long_one() -> None:
    for number in (0, 9):
        (row,) = Partial.from_bytes(partial(number)).rows
        value = row_of(row.data)
        assert value["id"] == f"\ud800{number}" and value["old"] == "x" * (number * 300)
        assert value["slower"] is True and row.keys[1] == f"\\ud800{number}"
        assert row.flags == (False, False, True, False, True)
        assert len(row.data) < 1_000


def test_what_depends_on_the_machine_is_not_in_the_digest() -> None:
    lasting: JsonObject = {"time": "t", "id": "1", "hook": "h", "tool": "x", "shape": ""}
    one, two = (changed_row(lasting, {"new_ms": each}, ("slower",)) for each in (1.0, 2.0))
    other = changed_row({**lasting, "new": 1}, {"new_ms": 1.0}, ("slower",))
    assert one.digest == two.digest != other.digest


def test_damaged_places_of_a_fold_are_bounded() -> None:
    folded = Partial.from_bytes(fold([partial(1, 700), partial(2, 700), partial(3, 700)]))
    assert [len(part.skipped) for part in folded.parts] == [700, 300, 0]
    assert sum(part.skipped_count for part in folded.parts) == 2_100
    assert MOST_SKIPPED == 1_000


@pytest.mark.parametrize("cut", [1, 9, 40, -1])
def test_a_result_that_was_cut_is_an_error(cut: int) -> None:
    with pytest.raises(ValueError, match=r"has .* bytes|Expecting|Unterminated"):
        Partial.from_bytes(partial(3)[:cut])


def test_partitions_folded_are_what_one_partition_is(tmp_path: Path) -> None:
    record = write(tmp_path / "r", entries(60))
    replayer = Replayer(Job(bundle()))
    (whole,) = plan([str(record)], 1 << 20).partitions
    pieces = [replayer.replay(each) for each in plan([str(record)], 3_000).partitions]
    assert len(pieces) > 5
    one, many = Partial.from_bytes(replayer.replay(whole)), Partial.from_bytes(fold(pieces))
    assert one.tally.hooks == many.tally.hooks and one.tally.timeline == many.tally.timeline
    assert lasting(one) == lasting(many) != []
    assert sum(part.lines for part in many.parts) == one.parts[0].lines == 60


def lasting(partial: Partial) -> list[bytes]:
    """Return the digests of the events that changed, however slow the machine was."""
    return sorted(row.digest for row in partial.rows if row_of(row.data)["changes"])


@pytest.mark.parametrize("kind", ["sqlite", "parquet"])
def test_a_file_that_a_worker_does_not_have_is_no_damage(
    tmp_path: Path, kind: Literal["sqlite", "parquet"]
) -> None:
    """A worker on another machine sees no such file: the partition fails, and is not a record of damaged rows."""
    partition = Partition(str(tmp_path / "gone"), kind, 0, 100)
    with pytest.raises(JournalError, match="gone: No such file"):
        list(Contents(partition).entries())


def test_a_payload_that_is_nested_deeply_costs_one_event(tmp_path: Path) -> None:
    """Neither a search for its command nor its report may end the partition."""
    payload: JsonObject = {}
    for _ in range(400):
        payload = (
            {"tool_input": payload, "args": [payload]} if len(str(payload)) < 900 else {"tool_input": payload}
        )
    nested = entry(1)._replace(payload={**entry(1).payload, "tool_input": payload})  # type: ignore[dict-item]
    assert decode(encode(nested).encode("ascii")) == nested
    record = write(tmp_path / "r", [nested, entry(2, "rm -rf x")])
    for runs in (False, True):
        replayer = Replayer(Job(bundle("exit 2"), runs=runs))
        result = Partial.from_bytes(replayer.replay(plan([str(record)]).partitions[0]))
        assert result.tally.events == 2 and result.tally.compared + result.tally.unfired.total() == 2
    assert len(list(Contents(plan([str(record)]).partitions[0]).entries())) == 2
