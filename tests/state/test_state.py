"""Variables, scopes, and what a subshell shares with its parent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from sandhook.kernel.process import Kernel
from sandhook.limits import Limits
from sandhook.state.assigned import Assigned, Element
from sandhook.state.assignment import assign, unset
from sandhook.state.control import ShellError
from sandhook.state.fork import fork
from sandhook.state.frame import new_frame
from sandhook.state.locals import leave, make_local
from sandhook.state.options import Options
from sandhook.state.state import State
from sandhook.state.values import ASSOC, EXPORT, READONLY, AssociativeArray, IndexedArray
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.path import ROOT


class Runtime:
    """Subscripts in these tests are plain numbers; error messages are kept."""

    def __init__(self) -> None:
        self.errors: list[str] = []

    def error(self, state: State, text: str) -> None:
        self.errors.append(text)

    def assignment_error(self, state: State, error: ShellError) -> None:
        self.errors.append(error.message)

    def arithmetic(self, state: State, text: str) -> int:
        return int(text)

    def subscript(self, state: State, text: str) -> int:
        return int(text)


@pytest.fixture
def state() -> State:
    kernel = Kernel(MemoryFileSystem(), Limits())
    return State(kernel.new_process(1, {}, ROOT), Runtime())


def test_a_subshell_has_every_field(state: State) -> None:
    child = fork(state, state.process.fork())
    assert [name for name in State.__slots__ if not hasattr(child, name)] == []
    options = Options().copy()
    assert [name for name in Options.__slots__ if not hasattr(options, name)] == []


def test_a_subshell_changes_nothing_of_its_parent(state: State) -> None:
    state.set("x", "1")
    assign(state, Assigned("a", None, False, [Element(None, False, "0")]))
    before = {name: state.values[name] for name in ("x",)}
    child = fork(state, state.process.fork())
    child.set("x", "2")
    child.set_element("a", "0", "changed")
    child.set_option("errexit", True)
    child.traps["EXIT"] = ":"
    child.attributes["x"] = EXPORT
    assert {name: state.values[name] for name in before} == before
    assert state.element("a", "0") == "0"
    assert (state.options.errexit, state.traps, state.attributes.get("x")) == (False, {}, None)
    assert (child.subshell, child.element("a", "0")) == (1, "changed")


def test_locals_hide_and_come_back(state: State) -> None:
    state.set("x", "outer")
    frame = new_frame("f", 1, "main")
    state.frames.append(frame)
    make_local(state, "x")
    make_local(state, "new")
    assert state.get("x") is None
    state.set("x", "inner")
    state.set("new", "n")
    state.frames.pop()
    leave(state, frame)
    assert (state.get("x"), state.get("new")) == ("outer", None)


def test_readonly_refuses(state: State) -> None:
    state.set("x", "1")
    state.attributes["x"] = READONLY
    with pytest.raises(ShellError, match="x: readonly variable"):
        state.set("x", "2")
    with pytest.raises(ShellError, match="x: cannot unset: readonly variable"):
        unset(state, "x")
    assert state.get("x") == "1"


def test_a_nameref_reads_and_writes_its_target(state: State) -> None:
    state.namerefs["ref"] = "target"
    state.set("ref", "1")
    assert (state.values["target"], state.get("ref")) == ("1", "1")
    state.namerefs["part"] = "a[2]"
    state.set("part", "two")
    assert state.element("a", "2") == "two"


def test_sparse_arrays_are_listed_in_order() -> None:
    array = IndexedArray(["zero"])
    for index in (9, 3, 7):
        array.set(index, str(index))
    assert (array.keys(), array.values(), array.top()) == (["0", "3", "7", "9"], ["zero", "3", "7", "9"], 10)
    assert (array.get(-1), array.get(-7), array.get(5)) == ("9", "3", None)
    array.extend(["ten"])
    array.remove(0)
    assert array.keys() == ["3", "7", "9", "10"]


def test_associative_arrays_are_listed_as_bash_lists_them() -> None:
    """Recorded: bash 5.2, declare -A m; m[foo]=1; m[bar]=2; m[baz]=3; echo ${!m[@]}."""
    array = AssociativeArray()
    for key in ("foo", "bar", "baz"):
        array.set(key, key)
    assert array.keys() == ["foo", "bar", "baz"]


class Counting(dict[int, str]):
    """Items of an array that count how many of them are looked at."""

    visits = 0

    def _counted(self, visited: Iterator[Any]) -> Iterator[Any]:
        for each in visited:
            self.visits += 1
            yield each

    def __iter__(self) -> Iterator[int]:
        return self._counted(super().__iter__())

    def __reversed__(self) -> Iterator[int]:
        return self._counted(super().__reversed__())

    def items(self) -> Any:
        return self._counted(iter(super().items()))

    def keys(self) -> Any:
        return self._counted(iter(super().keys()))


def test_appending_looks_at_the_last_element_alone() -> None:
    array = IndexedArray(["x"] * 1_000)
    array.items = items = Counting(array.items)
    for _ in range(100):
        array.extend(["x"])
    assert array.items is items, "the array was built anew"
    assert (len(items), items.visits) == (1_100, 100)


def test_associative_assignment_takes_pairs(state: State) -> None:
    state.attributes["m"] = ASSOC
    assign(state, Assigned("m", None, False, [Element("k", False, "v"), Element("k", True, "w")]))
    assert state.element("m", "k") == "w"  # += adds to what was there before the list
    assign(state, Assigned("m", None, False, [Element("", False, "v"), Element("ok", False, "x")]))
    assert state.shell.errors == ["[]=v: bad array subscript"]
    assert state.element("m", "ok") == "x"


def test_large_values_are_charged(state: State) -> None:
    from sandhook.errors import LimitExceeded

    with pytest.raises(LimitExceeded, match="memory_bytes"):
        while True:
            state.append("x", "y" * (1 << 20))


def test_flags_are_in_bashs_order() -> None:
    options = Options()
    for name in ("xtrace", "errexit", "nounset"):
        options = options.with_option(name, True)
    assert options.flags() == "ehuxB"
