"""pyproject.toml declares what src imports: no dependency without an import, no import without a declaration."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from functools import cache

import pytest

from tests.source import ROOT, imports, modules

#: Distributions whose import package has another name.
PACKAGES = {
    "agent-framework-core": "agent_framework",
    "google-adk": "google",
    "google-re2": "re2",
    "openai-agents": "agents",
    "opentelemetry-api": "opentelemetry",
    "pydantic-ai-slim": "pydantic_ai",
    "ruamel.yaml": "ruamel",
    "vl-convert-python": "vl_convert",
}

#: Extras for those who develop sandhook; src imports nothing of them.
TOOLS = ("bench", "bridges-test", "browser", "dev", "dist", "docs", "fuzz")

#: Functions that find a package, or its data, by name: jq's place is for a worker, and tzdata is data.
LOCATORS = ("find_spec", "get_data")


def project() -> dict[str, object]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def packages(requirements: list[str]) -> set[str]:
    """Return the import packages of requirements such as ``google-re2>=1.1``."""
    names = [re.match(r"[\w.-]+", requirement)[0] for requirement in requirements]
    return {PACKAGES.get(name, name.replace("-", "_")) for name in names}


def required() -> set[str]:
    return packages(project()["dependencies"])


def optional() -> dict[str, set[str]]:
    extras = project()["optional-dependencies"]
    return {extra: packages(wanted) for extra, wanted in extras.items() if extra not in TOOLS}


@cache
def imported() -> dict[str, set[str]]:
    """Map each third-party package that src imports, or finds by its name, to the modules that do."""
    found: dict[str, set[str]] = {}
    for module in modules():
        for name in {name.split(".")[0] for name, _ in imports(module)} | located(module):
            if name != "sandhook" and name not in sys.stdlib_module_names and not in_worker(module, name):
                found.setdefault(name, set()).add(module)
    return found


def located(module: str) -> set[str]:
    """Return the packages that a module finds by their names, as ``find_spec("jq")`` does, and does not import."""
    text = modules()[module].read_text(encoding="utf-8")
    if not any(f"{name}(" in text for name in LOCATORS):
        return set()
    return {
        str(node.args[0].value).partition(".")[0]
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call)
        and getattr(node.func, "attr", getattr(node.func, "id", "")) in LOCATORS
        and node.args
        and isinstance(node.args[0], ast.Constant)
    }


def in_worker(module: str, name: str) -> bool:
    """Return True for a module of a worker that imports another: workers run as scripts, by bare names."""
    files = {path.stem for other, path in modules().items() if other.startswith("sandhook.worker.")}
    return module.startswith("sandhook.worker.") and name in files and name != "jq"


@pytest.mark.parametrize("package", sorted(required()))
def test_a_required_dependency_is_imported(package: str) -> None:
    assert package in imported(), f"{package} is required, and nothing in src imports it"


@pytest.mark.parametrize("extra", sorted(optional()))
def test_an_extra_is_imported(extra: str) -> None:
    assert optional()[extra] <= set(imported())


def test_every_import_is_declared() -> None:
    declared = required().union(*optional().values())
    assert {name: sorted(where) for name, where in imported().items() if name not in declared} == {}


def test_a_name_that_is_only_looked_up_counts() -> None:
    assert "sandhook.worker.launch" in imported()["jq"]
