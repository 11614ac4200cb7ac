"""Imports run one way, from right to left of the line in docs/architecture.md; files stay short."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.source import PACKAGE, code, imports, modules, part_of, section, table

LONGEST = 500  #: lines of a file that needs no reason


def places() -> dict[str, int]:
    """Map each part to its place from the left; parts of one place stand side by side."""
    match = re.search(r"```text\n(.*?)```", section("Parts and layers"), re.S)
    assert match is not None
    found = {}
    for place, group in enumerate(match.group(1).split("<")):
        for part in group.split():
            assert part not in found, f"{part} is twice in the line"
            found[part] = place
    return found


PLACES = places()


def allowed(importer: str, imported: str) -> bool:
    """Whether a module of one part may import one of another."""
    return importer == imported or PLACES[imported] < PLACES[importer]


def test_every_part_has_its_place_and_every_place_its_part() -> None:
    parts = {part_of(name) for name in modules()} - {""}
    assert parts == set(PLACES)


@pytest.mark.parametrize("part", sorted({part_of(name) for name in modules()}))
def test_imports_run_one_way(part: str) -> None:
    wrong = [breach for name in modules() if part_of(name) == part for breach in breaches(name)]
    assert not wrong, "\n".join(wrong)


def breaches(name: str) -> Iterator[str]:
    """Yield a message for every import of a module that runs the wrong way."""
    for imported, line in imports(name):
        if imported.split(".")[0] != "sandhook":
            continue
        if part_of(imported) == "":
            yield f"{name}:{line}: imports the public face; import the part that it comes from"
        elif name != "sandhook" and not allowed(part_of(name), part_of(imported)):
            yield f"{name}:{line}: {part_of(name)} may not import {part_of(imported)} ({imported})"
        elif imported not in modules():
            yield f"{name}:{line}: there is no module {imported}"


#: Parts that most others import; the picture leaves them out.
BASE = {"", "errors", "lazy", "limits", "record", "typed", "version"}


def picture() -> set[tuple[str, str]]:
    """Return the arrows of the picture in docs/architecture.md."""
    return set(re.findall(r"^ +(\w+) --> (\w+)$", section("The parts in a picture"), re.M))


def uses() -> dict[str, set[str]]:
    """Map each part to the parts that it imports, without BASE."""
    found: dict[str, set[str]] = {}
    for name in modules():
        importer = part_of(name)
        imported = {part_of(to) for to, _ in imports(name) if to.split(".")[0] == "sandhook"}
        if importer not in BASE:
            found.setdefault(importer, set()).update(imported - BASE - {importer})
    return found


def below(part: str, arrows: set[tuple[str, str]]) -> set[str]:
    """Return the parts that the arrows lead to from a part."""
    direct = {to for start, to in arrows if start == part}
    return direct.union(*(below(to, arrows) for to in direct))


def test_the_picture_shows_the_imports() -> None:
    arrows, real = picture(), {(part, to) for part, used in uses().items() for to in used}
    assert {arrow for arrow in arrows if arrow not in real} == set(), (
        "the picture has arrows without an import"
    )
    assert {(part, to) for part, to in real if to not in below(part, arrows)} == set(), (
        "the picture lacks them"
    )
    implied = {(part, to) for part, to in arrows if to in below(part, arrows - {(part, to)})}
    assert implied == set(), "a longer path implies them"


def test_no_module_imports_itself_by_way_of_others() -> None:
    uses = {
        name: sorted({to for to, _ in imports(name) if to in modules() and to != name}) for name in modules()
    }
    circular = {tuple(circle) for circle in circles(uses)}
    assert not circular, "\n".join(" -> ".join(circle) for circle in sorted(circular))


def test_no_module_loads_itself_by_way_of_others() -> None:
    uses = {
        name: sorted({to for to, _ in imports(name, types_too=False) if to in modules() and to != name})
        for name in modules()
    }
    assert not (loading := circles(uses)), "\n".join(" -> ".join(circle) for circle in loading)


def circles(uses: dict[str, list[str]]) -> list[list[str]]:
    """Return a circle for every import that closes one."""
    found: list[list[str]] = []
    done: set[str] = set()

    def visit(name: str, path: list[str]) -> None:
        if name in path:
            found.append([*path[path.index(name) :], name])
            return
        if name in done:
            return
        for used in uses[name]:
            visit(used, [*path, name])
        done.add(name)

    for name in uses:
        visit(name, [])
    return found


def test_circles_are_found() -> None:
    assert circles({"a": ["b"], "b": ["c"], "c": []}) == []
    assert circles({"a": ["b"], "b": ["c"], "c": ["b"]}) == [["b", "c", "b"]]


def test_a_breach_is_seen() -> None:
    assert allowed("kernel", "vfs")
    assert allowed("kernel", "kernel")
    assert not allowed("vfs", "kernel")
    assert not allowed("vfs", "syntax"), "parts side by side do not know each other"
    assert not allowed("expand", "utilities")
    assert not allowed("utilities", "expand")


def test_long_files_have_their_reason() -> None:
    lengths = {
        path.relative_to(PACKAGE).as_posix(): len(path.read_text(encoding="utf-8").splitlines())
        for path in modules().values()
    }
    too_long = {name for name, length in lengths.items() if length > LONGEST}
    excused = {name: row[1] for row in table("Long files") for name in code(row[0])}
    assert too_long == set(excused), "the table of long files is not up to date"
    assert all(excused.values()), "a long file has no reason"
