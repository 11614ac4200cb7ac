"""Record: fields by position, by keyword and by default."""

from __future__ import annotations

import pytest

from sandhook.record import Record, short_repr


class Point(Record):
    x: int
    y: int
    name: str = "p"
    tags: tuple[str, ...] = ()


class One(Record):
    value: int


@pytest.mark.parametrize(
    "point",
    [
        Point(1, 2, "p", ()),
        Point(1, 2),
        Point(1, 2, "p"),
        Point(1, y=2),
        Point(1, 2, tags=()),
        Point(y=2, x=1),
        Point(tags=(), name="p", y=2, x=1),
    ],
)
def test_fields_come_in_any_form(point: Point) -> None:
    assert tuple(point) == (1, 2, "p", ())
    assert point == Point(1, 2)


def test_a_record_of_one_field() -> None:
    assert tuple(One(3)) == tuple(One(value=3)) == (3,)


@pytest.mark.parametrize(
    ("args", "named", "message"),
    [
        ((), {}, "Point() lacks 'x'"),
        ((1,), {}, "Point() lacks 'y'"),
        ((), {"x": 1}, "Point() lacks 'y'"),
        ((), {"x": 1, "z": 2}, "Point() lacks 'y'"),
        ((), {"x": 1, "name": "n", "z": 2, "tags": ()}, "Point() lacks 'y'"),
        ((1, 2, "p", (), 5), {}, "unexpected arguments (1, 2, 'p', (), 5)"),
        ((1, 2), {"x": 1}, "unexpected arguments ['x']"),
        ((1, 2), {"z": 1}, "unexpected arguments ['z']"),
        ((), {"x": 1, "y": 2, "z": 3}, "unexpected arguments ['z']"),
        ((), {"x": 1, "y": 2, "name": "n", "tags": (), "z": 3}, "unexpected arguments ['z']"),
    ],
)
def test_wrong_arguments_are_named(args: tuple[object, ...], named: dict[str, object], message: str) -> None:
    with pytest.raises(TypeError) as raised:
        Point(*args, **named)  # type: ignore[arg-type]
    assert message in str(raised.value)


def test_a_short_form_has_no_defaults() -> None:
    assert repr(Point(1, 2)) == "Point(x=1, y=2, name='p', tags=())"
    assert short_repr(Point(1, 2)) == "Point(x=1, y=2)"
    assert short_repr(Point(1, 2, "q", ("a",))) == "Point(x=1, y=2, name='q', tags=('a',))"
    assert short_repr(Point(1, 2, tags=("a",)), long=("tags",)) == "Point(x=1, y=2, tags=(...))"
    assert short_repr(Point(1, 2), long=("tags",)) == "Point(x=1, y=2)"
