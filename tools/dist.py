"""Builds a release and tries it: ``python -m tools.dist [--python PYTHON...] [--quick]``.

dist/ receives the sdist, a wheel without compiled code, a bill of materials in CycloneDX's format, and SHA256SUMS. Each
Python installs the sdist and the wheel into new environments and runs the demo in both. With the wheel it runs the tests
of the unpacked sdist. Without ``--python``, every supported Python that is found does so. ``--quick`` runs a few tests
instead of all. The first page of the documentation is followed in both cases. The extra ``dist`` has the tools.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"

PIP = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")

#: The versions that try a release.
SUPPORTED = ("3.11", "3.12", "3.13", "3.14")

#: The tests of ``--quick``.
FEW = ("tests/test_shell.py", "tests/test_record.py")

#: What is in every sdist, or somebody could not build, test or redistribute it.
NEEDED = (
    "LICENSE",
    "README.md",
    "CHANGELOG.md",
    "SECURITY.md",
    "pyproject.toml",
    "src/sandhook/py.typed",
    "tests",
    "docs",
)


def version() -> str:
    """Return the version that the source declares."""
    text = (ROOT / "src/sandhook/version.py").read_text(encoding="utf-8")
    found = re.search(r'__version__ = "([^"]+)"', text)
    assert found is not None
    return found[1]


def problems(release: str) -> list[str]:
    """Return what the files of the repository say about this version that does not fit."""
    texts = {
        name: (ROOT / name).read_text(encoding="utf-8")
        for name in ("CHANGELOG.md", "CITATION.cff", "docs/upgrading.md")
    }
    minor = release.rpartition(".")[0]
    wanted = {
        "CHANGELOG.md": f"## [{release}] - ",
        "CITATION.cff": f"version: {release}",
        "docs/upgrading.md": f" to {minor}",
    }
    return [f"{name} has no {text!r}" for name, text in wanted.items() if text not in texts[name]]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.dist", description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--python",
        nargs="+",
        metavar="PYTHON",
        help="interpreters that try the release (default: every supported one that is found)",
    )
    parser.add_argument("--quick", action="store_true", help="run the demo and a few tests instead of all")
    options = parser.parse_args(arguments)
    pythons = options.python or interpreters()
    release = version()
    faults = problems(release)
    if faults:
        print("\n".join(faults), file=sys.stderr)
        return 1
    shutil.rmtree(DIST, ignore_errors=True)
    _run([sys.executable, "-m", "build", "--outdir", str(DIST), str(ROOT)])
    sdist, wheel = DIST / f"sandhook-{release}.tar.gz", DIST / f"sandhook-{release}-py3-none-any.whl"
    _run([sys.executable, "-m", "twine", "check", "--strict", str(sdist), str(wheel)])
    with tempfile.TemporaryDirectory(prefix="sandhook-dist-") as directory:
        tree = _unpacked(sdist, Path(directory))
        lacking = [name for name in NEEDED if not (tree / name).exists()]
        if lacking:
            print(f"{sdist.name} lacks {', '.join(lacking)}", file=sys.stderr)
            return 1
        for number, python in enumerate(pythons):
            print(f"dist: {python}", flush=True)
            place = Path(directory, str(number))
            _install(python, sdist, place / "sdist", tree, release)
            own = _install(python, wheel, place / "wheel", tree, release)
            _run([own, *PIP, f"{wheel}[dev]"])
            _tests(own, tree, *(FEW if options.quick else ()))
            _tests(own, tree, "-m", "slow", "tests/test_five_minutes.py")
        _bill(pythons[0], wheel, Path(directory, "plain"), release)
    sums = "".join(
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in sorted(DIST.iterdir())
    )
    (DIST / "SHA256SUMS").write_text(sums, encoding="utf-8", newline="\n")
    print(f"{sums}dist: version {release} is built, and ran on {len(pythons)} Python(s)")
    return 0


def interpreters() -> list[str]:
    """Return the Python that runs this, and one of each other supported version that is found and starts."""
    found = {".".join(map(str, sys.version_info[:2])): sys.executable}
    for name in SUPPORTED:
        program = shutil.which(f"python{name}")
        # a name on PATH need not lead to an interpreter: pyenv has a script for each version
        if (
            name not in found
            and program
            and subprocess.run([program, "-c", ""], capture_output=True).returncode == 0
        ):
            found[name] = program
    for name in SUPPORTED:
        if name not in found:
            print(f"dist: python{name}: not found", flush=True)
    return list(found.values())


def _unpacked(sdist: Path, directory: Path) -> Path:
    with tarfile.open(sdist) as archive:
        # the first releases of 3.11 have no filters, and the archive is our own
        if hasattr(tarfile, "data_filter"):
            archive.extractall(directory, filter="data")
        else:
            archive.extractall(directory)
    return directory / sdist.name.removesuffix(".tar.gz")


def _environment(python: str, place: Path, package: Path) -> str:
    """Make a virtual environment with a package; return its interpreter."""
    _run([python, "-m", "venv", str(place)])
    own = str(place / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
    _run([own, *PIP, str(package)])
    return own


def _install(python: str, package: Path, place: Path, tree: Path, release: str) -> str:
    """Install an sdist or a wheel as a user does, and run the demo there; return the environment's interpreter."""
    own = _environment(python, place, package)
    done = subprocess.run([own, "-m", "sandhook", "--version"], cwd=place, capture_output=True, text=True)
    if done.stdout.strip() != f"sandhook {release}":
        printed = (done.stdout + done.stderr).strip()
        raise SystemExit(f"dist: {package.name} on {python} prints {printed!r} as its version, not {release}")
    _run([own, str(tree / "examples/guard_settings.py")], place)
    return own


def _tests(own: str, tree: Path, *arguments: str) -> None:
    _run([own, "-m", "pytest", "-q", "-n", "auto", "-p", "no:cacheprovider", *arguments], tree)


def _bill(python: str, wheel: Path, place: Path, release: str) -> None:
    """Write the bill of materials of an environment that has nothing but the wheel."""
    own = _environment(python, place, wheel)
    _run([own, "-m", "pip", "uninstall", "--quiet", "--yes", "setuptools", "pip"])
    output = str(DIST / f"sandhook-{release}.cdx.json")
    command = [
        "cyclonedx_py",
        "environment",
        "--output-reproducible",
        "--pyproject",
        str(ROOT / "pyproject.toml"),
    ]
    _run([sys.executable, "-m", *command, "--output-file", output, own])


def _run(command: Sequence[str], directory: Path | None = None) -> None:
    """Run a program; a failure ends the release with its status."""
    done = subprocess.run(command, cwd=directory)
    if done.returncode:
        raise SystemExit(f"dist: {' '.join(command)} ended with status {done.returncode}")


if __name__ == "__main__":
    sys.exit(main())
