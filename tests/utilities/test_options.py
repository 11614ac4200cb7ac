"""Options is the truth about what a utility accepts: it is parsed by it, it is read, and --help shows it."""

from __future__ import annotations

import inspect
import re
import string
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from sandhook import Limits, Shell
from sandhook.command.options import Option, declared_fields
from sandhook.utilities import load, names
from tests.source import PACKAGE
from tests.utilities.test_unknown_options import TAKES_ALL

GROUPS = {path.name for path in (PACKAGE / "utilities").iterdir() if path.is_dir()}

#: Letters that mean something other than an option: a mode, an expression.
NOT_OPTIONS = {
    "chmod": "agorstuwxX",
    "find": "d",  # of old: -depth
}

#: Programs that have an Options class for each of their names.
CSVKIT = {name for name in names() if name.startswith("csv") and name != "csv"}

REFUSAL = re.compile(
    r"invalid|unrecognized|unknown|illegal|not offered|not supported|unexpected argument|bad usage|cannot be|usage:"
    r"|Usage:|predicate|wrong|is not an option|unsupported",
    re.IGNORECASE,
)


def utilities() -> dict[type, tuple[str, Any]]:
    """Map each Options class to a name that has it and its module."""
    found: dict[type, tuple[str, Any]] = {}
    for name in sorted(names()):
        module = load(name)
        if getattr(module, "Options", None) is not None:
            found.setdefault(module.Options, (name, module))
    return found


def options(cls: type) -> list[Option]:
    return [option for declared in declared_fields(cls).values() for option in declared.options]


@cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def source(cls: type, module: Any) -> str:
    """Return the text that may read the options: the utility's file or package, and what its group shares."""
    files: set[Path] = set()
    for thing in (cls, module):
        path = Path(inspect.getfile(thing))
        whole = path.parent.name not in GROUPS and "utilities" in path.parts
        files |= {*path.parent.rglob("*.py")} if whole else {path, *path.parent.glob("*.py")}
    return "\n".join(map(text_of, sorted(files)))


CLASSES = utilities()


@pytest.mark.parametrize("cls", CLASSES, ids=[name for name, _ in CLASSES.values()])
def test_every_field_is_read_or_without_effect(cls: type) -> None:
    name, module = CLASSES[cls]
    whole = source(cls, module)
    other = whole.replace(inspect.getsource(cls), "") if name not in CSVKIT else whole
    for field, declared in declared_fields(cls).items():
        ignored = [option.ignored for option in declared.options]
        read = re.search(rf"\.{field}\b", whole) or re.search(rf"""["']{field}["']""", other)
        assert read or (ignored and all(ignored)), f"{name}: {field} is accepted and never read"
        if any(ignored):
            assert all(ignored), f"{name}: {field} mixes options with and without effect"


@pytest.mark.parametrize("name", sorted(names() - TAKES_ALL.keys() - CSVKIT | {"kill", "ps"}))
def test_every_accepted_letter_is_declared(name: str) -> None:
    """A letter that is not declared is refused."""
    module = load(name)
    declared = {flag for option in options(module.Options) for flag in option.flags}
    shell = Shell(limits=Limits(wall_seconds=20.0))
    for letter in string.ascii_letters:
        if f"-{letter}" in declared or letter in NOT_OPTIONS.get(name, ""):
            continue
        result = shell.run(f"/usr/bin/'{name}' -{letter} 2>&1 < /dev/null; echo $?")
        text, _, status = result.stdout.rstrip("\n").rpartition("\n")
        assert status != "0" and REFUSAL.search(text), (
            f"{name} accepts -{letter}, which Options lacks: {text!r}"
        )


@pytest.mark.parametrize(
    "name", sorted(names() - {"[", "echo", "false", "printf", "test", "true", "time", "watch"})
)
def test_help_shows_every_option(name: str) -> None:
    shown = Shell(limits=Limits(wall_seconds=20.0)).run(f"/usr/bin/'{name}' --help").stdout
    words = set(re.findall(r"(?<!\w)--?[\w.:#@%^+-]+", shown))
    module = load(name)
    if getattr(module, "Options", None) is None or name in CSVKIT:
        return
    missing = [flag for option in options(module.Options) for flag in option.flags if flag not in words]
    assert not missing, f"{name} --help lacks {missing}"


@pytest.mark.parametrize("name", sorted(CSVKIT))
def test_programs_of_csvkit_have_options_of_their_own(name: str) -> None:
    from sandhook.utilities.extras.csvkit.options import PROGRAMS

    shown = Shell().run(f"{name} --help").stdout
    for option in options(PROGRAMS[name]):
        assert all(flag in shown for flag in option.flags), option.flags
