"""Packages add utilities by entry points of the group ``sandhook.utilities``, as ``utilities.extras`` does."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sandhook import Result, Shell
from sandhook.builtins import commands
from sandhook.utilities import installed

HELLO = '''
"""hello: greet."""

from sandhook.command.context import Context
from sandhook.command.options import opt, option_set


@option_set
class Options:
    """hello [-u] [NAME]...

    Greet each NAME.
    """

    upper: bool = opt("-u", "--upper", "in capitals")


def run(options, operands, ctx: Context) -> int:
    for name in operands:
        text = f"hello {name}"
        ctx.write_line(text.upper() if options.upper else text)
    return 0
'''

SHOUT = """
from sandhook import utility


@utility
def shout(ctx):
    return " ".join(ctx.args).upper() + "!\\n"
"""

Install = Callable[[str, dict[str, str], dict[str, str]], None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Return a function that installs a package: its name, its modules' texts, its entry points."""
    before = set(sys.modules)

    def put(name: str, files: dict[str, str], points: dict[str, str]) -> None:
        site = tmp_path / name
        info = site / f"{name}-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        rows = "".join(f"{key} = {value}\n" for key, value in points.items())
        (info / "entry_points.txt").write_text(f"[sandhook.utilities]\n{rows}")
        for file, text in files.items():
            (site / file).write_text(text)
        monkeypatch.syspath_prepend(str(site))
        forget()

    def forget() -> None:
        installed.cache_clear()
        commands.standard_commands.cache_clear()

    yield put
    monkeypatch.undo()
    for module in set(sys.modules) - before:
        if module.startswith("stranger_"):
            del sys.modules[module]
    forget()


def run(script: str) -> Result:
    result = Shell().run(script)
    assert result.defect is None
    return result


def test_a_module_and_an_object_become_utilities(install: Install) -> None:
    install("stranger", {"stranger_hello.py": HELLO, "stranger_shout.py": SHOUT}, {
        "hello": "stranger_hello", "shout": "stranger_shout:shout",
    })  # fmt: skip
    result = run("hello -u a; hello b | cat; /usr/bin/hello c; type -P hello; shout x y; hello -z; echo $?")

    assert result.stdout == "HELLO A\nhello b\nhello c\n/usr/bin/hello\nX Y!\n1\n"
    assert "hello: invalid option -- 'z'" in result.stderr
    assert "Greet each NAME." in run("hello --help").stdout


def test_no_package_replaces_a_utility_or_a_shell(install: Install) -> None:
    install("stranger", {"stranger_hello.py": HELLO}, {"grep": "stranger_hello", "bash": "stranger_hello"})
    assert run("echo abc | grep -c b; bash -c 'echo shell'").stdout == "1\nshell\n"


def test_a_name_that_two_packages_offer_is_refused(install: Install) -> None:
    install("one", {"stranger_one.py": HELLO}, {"hello": "stranger_one"})
    install("two", {"stranger_two.py": HELLO}, {"hello": "stranger_two"})
    result = run("hello a")
    assert result.exit_status == 126
    assert result.stderr == "hello: offered by more than one installed package: stranger_one, stranger_two\n"


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("stranger_missing", "No module named 'stranger_missing'"),
        ("stranger_hello:nothing", "has no attribute 'nothing'"),
        ("stranger_broken", "ZeroDivisionError: division by zero"),
    ],
)
def test_a_package_that_is_broken_is_named(install: Install, value: str, reason: str) -> None:
    install("stranger", {"stranger_hello.py": HELLO, "stranger_broken.py": "1 / 0"}, {"hello": value})
    result = run("hello a || echo $?")
    assert result.stdout == "126\n"
    assert result.stderr.startswith(f"hello: {value} cannot be loaded: ") and reason in result.stderr


@pytest.mark.parametrize(
    ("module", "reason"),
    [
        (
            "def run(options, operands, ctx): ...",
            "it has no class Options made by @option_set, and is not RAW",
        ),
        ("RAW = True", "it has no function run(options, operands, ctx)"),
    ],
)
def test_a_module_that_is_no_utility_is_named(install: Install, module: str, reason: str) -> None:
    install("stranger", {"stranger_odd.py": module}, {"hello": "stranger_odd"})
    result = run("hello a || echo $?")
    assert (result.stdout, result.stderr) == ("126\n", f"hello: stranger_odd is no utility: {reason}\n")


def test_what_a_module_of_a_package_raises_is_one_line_and_a_status(install: Install) -> None:
    module = "RAW = True\ndef run(options, operands, ctx):\n    return operands[0]"
    install("stranger", {"stranger_raw.py": module}, {"hello": "stranger_raw"})
    result = run("hello; hello a")
    assert result.defect is None
    assert (result.stdout, result.stderr) == ("a", "hello: IndexError: list index out of range\n")


def test_extras_are_found_in_this_way_only(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("echo '1+2' | bc").stdout == "3\n"
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: ())
    installed.cache_clear()
    assert run("bc").exit_status == 127
