"""Runs the tests of the bridges with the oldest framework that each extra allows: ``python -m tools.oldest [EXTRA...]``.

Each framework has an environment of its own, because the oldest versions of two may want different versions of a third package.
Without arguments, all frameworks are tried. Ends with 1 if the tests of one fail or cannot run: those of the Claude Agent SDK need
its CLI, `claude`, in PATH.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).parents[1]

#: The framework of each extra, and its tests.
FRAMEWORKS = {
    "agent-framework": ("agent-framework-core", "agent_framework"),
    "claude-agent-sdk": ("claude-agent-sdk", "claude_agent_sdk"),
    "google-adk": ("google-adk", "google_adk"),
    "langchain": ("langchain", "langchain"),
    "openai-agents": ("openai-agents", "openai_agents"),
    "pydantic-ai": ("pydantic-ai-slim", "pydantic_ai"),
    "smolagents": ("smolagents", "smolagents"),
}

#: What the oldest versions need besides: their own bounds allow versions with which they do not work.
OF_THEIR_TIME = {"claude-agent-sdk": ("mcp<2",), "openai-agents": ("openai==2.9.0",)}


def oldest(extra: str) -> str:
    """Return the least version of a framework that its extra allows."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    package, _ = FRAMEWORKS[extra]
    for requirement in project["optional-dependencies"][extra]:
        if found := re.fullmatch(rf"{re.escape(package)}>=([\w.]+)(,.*)?", requirement):
            return found[1]
    raise LookupError(f"{extra}: no lower bound for {package} in pyproject.toml")


def tried(extra: str, directory: Path) -> bool:
    """Install the oldest framework of an extra into a new environment, and run its tests; return True if they pass."""
    package, module = FRAMEWORKS[extra]
    version = oldest(extra)
    venv.create(directory, with_pip=True)
    python = directory / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    pinned = (f"{package}=={version}", *OF_THEIR_TIME.get(extra, ()))
    subprocess.run([*pip, "-e", f"{ROOT}[{extra}]", "pytest>=9", "pytest-xdist>=3.6", *pinned], check=True)
    print(f"== {package} {version}", flush=True)
    report = directory / "report.xml"
    tests = ROOT / "tests" / "bridges" / f"test_{module}.py"
    run = [python, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", f"--junitxml={report}", tests]
    passes = subprocess.run(run, cwd=ROOT).returncode == 0
    cases = list(ElementTree.parse(report).iter("testcase"))
    if all(case.find("skipped") is not None for case in cases):
        print(f"{package} {version}: no test ran, for the reasons above")
        return False
    return passes


def main() -> int:
    """Try the frameworks that the command line names."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.oldest", description=(__doc__ or "").partition("\n\n")[0]
    )
    parser.add_argument(
        "extras", nargs="*", choices=[*FRAMEWORKS, []], metavar="EXTRA", help=", ".join(FRAMEWORKS)
    )
    extras = parser.parse_args().extras or list(FRAMEWORKS)
    failed = []
    with tempfile.TemporaryDirectory(prefix="sandhook-oldest-") as directory:
        for extra in extras:
            if not tried(extra, Path(directory) / extra):
                failed.append(extra)
    print(
        f"oldest: {len(extras) - len(failed)} of {len(extras)} pass"
        + "".join(f"; {each} fails" for each in failed)
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
