"""The table of built-ins, and what every one of them has."""

from __future__ import annotations

import inspect
import shutil
import subprocess

import pytest

from sandhook.builtins import BUILTINS, DECLARATIONS, KEYWORDS, NAMES, SPECIAL, load
from sandhook.builtins.base import usage_of
from tests.builtins.conftest import ENVIRONMENT, run_ours


def usage(name: str) -> str:
    module = load(name)
    return usage_of(name, getattr(module, "OTHER_USAGES", {}).get(name, module.USAGE))


@pytest.mark.parametrize("name", sorted(BUILTINS))
def test_has_what_a_built_in_has(name: str) -> None:
    module = load(name)
    assert list(inspect.signature(module.run).parameters)[:2] == ["state", "argv"]
    assert usage(name).split(" ")[0] == name
    assert "Source:" in module.__doc__
    summary = module.__doc__.partition("\n")[0]
    assert ": " in summary, "the first line says what it does"
    assert summary.endswith(".")


def test_names_are_told_apart() -> None:
    assert set(BUILTINS) >= SPECIAL | DECLARATIONS
    assert not set(KEYWORDS) & NAMES


def ask_bash(script: str) -> str:
    bash = shutil.which("bash")
    assert bash, "--oracle: bash is not installed"
    return subprocess.run(
        [bash, "-c", script], capture_output=True, text=True, env=ENVIRONMENT, check=False
    ).stdout


def test_lists_are_bash_s(oracle: bool) -> None:
    assert run_ours("compgen -b; compgen -k").stdout.split() == [*sorted(NAMES), *KEYWORDS]
    if oracle:
        assert ask_bash("compgen -b").split() == sorted(NAMES)
        assert ask_bash("compgen -k").split() == list(KEYWORDS)


@pytest.mark.parametrize("name", sorted(BUILTINS))
def test_usage_is_bash_s(name: str, oracle: bool) -> None:
    script = f"help -s '{name.replace('[', '[[]')}'"
    shown = f"{name}: {usage(name)}"
    assert shown in run_ours(script).stdout.splitlines()
    if oracle:
        assert shown in ask_bash(script).splitlines()


@pytest.mark.parametrize(
    "name", sorted(set(BUILTINS) - {":", "[", "echo", "false", "test", "true", "kill", "let"})
)
def test_help_option_explains_and_fails(name: str) -> None:
    ran = run_ours(f"{'f() { local --help; }; f' if name == 'local' else name + ' --help'}")
    if name in ("return", "break", "continue", "logout", "caller", "popd", "pushd"):
        assert ran.status <= 2
    else:
        assert ran.status in (1, 2)
