"""The utilities stand in groups: who may import whom, what a name says, how large a room may be."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from sandhook.utilities import GROUP, UTILITIES, installed, is_utility, load, names
from tests.source import PACKAGE, facts, imports, modules

#: Modules that other groups may import: libraries that two groups need, and that are no group's own.
PUBLIC = {
    "sandhook.utilities.compare.matching",
    "sandhook.utilities.compare.sides",
    "sandhook.utilities.languages.sed.replacement",
}
LARGEST_ROOM = 0.15  #: of all lines, for a part or a group of utilities
MODULES_OF_A_FOLDER = 42
LONGEST_FUNCTION = 60  #: lines
MOST_POSITIONAL = 6
#: Functions of C that have no keywords. Each argument of ``pack`` belongs to a letter of its format.
WITHOUT_KEYWORDS = {"pack", "CreateFile", "CreateProcess"}
#: Calls that stay positional: a Record is made three times as fast as with keywords, and every stat(2) makes one.
HOT_CALLS = {("sandhook.vfs.inode", "Stat")}


def group_of(name: str) -> str:
    """Return the group of a module, "" for the dict of names itself and for other parts."""
    parts = name.split(".")
    return parts[2] if parts[:2] == ["sandhook", "utilities"] and len(parts) > 2 else ""


def test_a_group_imports_no_other_one() -> None:
    wrong = [
        f"{name}:{line}: imports {imported} of another group"
        for name in modules()
        if group_of(name)
        for imported, line in imports(name)
        if group_of(imported) not in ("", group_of(name)) and imported not in PUBLIC
    ]
    assert not wrong, "\n".join(wrong)


def test_public_modules_are_used_by_other_groups() -> None:
    used = {to for name in modules() for to, _ in imports(name) if group_of(to) not in ("", group_of(name))}
    assert used & PUBLIC == PUBLIC


def test_no_module_of_a_group_is_private() -> None:
    """A helper of one utility stands in that utility's package: privacy is the folder."""
    assert [name for name in modules() if group_of(name) and name.rpartition(".")[2].startswith("_")] == []


def test_folders_are_small_enough_to_be_read() -> None:
    sizes = Counter(
        path.parent.parent if path.name == "__init__.py" else path.parent for path in modules().values()
    )
    large = {
        str(folder.relative_to(PACKAGE)): size for folder, size in sizes.items() if size > MODULES_OF_A_FOLDER
    }
    assert large == {}


def test_no_room_is_a_large_part_of_the_house() -> None:
    """Contracts are a room of their own, as the groups of utilities are: a package for each agent, next to the core."""
    lines: Counter[str] = Counter()
    for name, path in modules().items():
        room = f"utilities/{group_of(name)}" if group_of(name) else [*name.split("."), ""][1]
        if name.startswith("sandhook.hooks.contracts."):
            room = "hooks/contracts"
        lines[room] += len(path.read_text(encoding="utf-8").splitlines())
    most = LARGEST_ROOM * lines.total()
    assert {room: count for room, count in lines.items() if count > most} == {}


def test_functions_fit_on_a_page() -> None:
    """At most 60 lines, and at most six positional parameters."""
    wrong = [
        f"{name}.{each.name}: {each.lines} lines, {each.positional} positional parameters"
        for name in modules()
        for each in facts(name).functions
        if each.lines > LONGEST_FUNCTION or each.positional > MOST_POSITIONAL
    ]
    assert wrong == []


def test_calls_name_their_arguments() -> None:
    """At most six positional arguments, except for those of ``*args``."""
    variadic = {each.name for name in modules() for each in facts(name).functions if each.variadic}
    long = {
        (name, called): line
        for name in modules()
        for called, line, count in facts(name).calls
        if count > MOST_POSITIONAL
    }
    exempt = variadic | WITHOUT_KEYWORDS
    assert {
        call: line for call, line in long.items() if call not in HOT_CALLS and call[1] not in exempt
    } == {}
    assert long.keys() >= HOT_CALLS


def test_the_dict_names_modules_of_groups() -> None:
    assert all(f"sandhook.utilities.{module}" in modules() for module in UTILITIES.values())
    assert not [module for module in UTILITIES.values() if module.startswith("extras.")]


def test_extras_are_registered_as_any_package_registers_its_own() -> None:
    text = Path(PACKAGE.parents[1], "pyproject.toml").read_text(encoding="utf-8")
    _, _, rows = text.partition(f'[project.entry-points."{GROUP}"]\n')
    declared = dict(row.split(" = ") for row in rows.partition("\n\n")[0].splitlines())
    assert {name.strip('"'): value.strip('"') for name, value in declared.items()} == {
        name: points[0].value
        for name, points in installed().items()
        if points[0].value.startswith("sandhook.utilities.extras.")
    }
    assert "ed" in installed() and "ed" not in UTILITIES
    assert is_utility("ed") and is_utility("grep") and not is_utility("no-such-utility")
    assert load("ed").__name__ == "sandhook.utilities.extras.ed"
    with pytest.raises(KeyError):
        load("no-such-utility")
    assert names() == {*UTILITIES, *installed()}
