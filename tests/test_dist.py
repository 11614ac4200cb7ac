"""The release tool: what it does before and after the programs that it runs (``make dist`` runs them)."""

from __future__ import annotations

import io
import re
import sys
import tarfile
import tomllib
from pathlib import Path

import pytest

from tools import dist


@pytest.fixture
def sdist(tmp_path: Path) -> Path:
    path = tmp_path / "sandhook-1.0.0.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        info = tarfile.TarInfo("sandhook-1.0.0/README.md")
        info.size, info.mode = 3, 0o644
        archive.addfile(info, io.BytesIO(b"hi\n"))
    return path


def test_the_sdist_is_unpacked(sdist: Path, tmp_path: Path) -> None:
    tree = dist._unpacked(sdist, tmp_path / "out")
    assert (tree / "README.md").read_text(encoding="utf-8") == "hi\n"


def test_the_sdist_is_unpacked_where_tarfile_has_no_filters(
    sdist: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # as Python 3.11.2, which is older than the filters
    unpacked: list[Path] = []
    monkeypatch.delattr(tarfile, "data_filter", raising=False)
    monkeypatch.setattr(tarfile.TarFile, "extractall", lambda archive, path: unpacked.append(path))
    dist._unpacked(sdist, tmp_path)
    assert unpacked == [tmp_path]


def program(directory: Path, name: str, script: str) -> None:
    path = directory / name
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8", newline="\n")
    path.chmod(0o755)


@pytest.mark.skipif(sys.platform == "win32", reason="the Pythons of this test are scripts for sh")
def test_every_python_that_starts_tries_the_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    this = ".".join(map(str, sys.version_info[:2]))
    works, broken, *absent = [name for name in dist.SUPPORTED if name != this]
    program(tmp_path, f"python{works}", "exit 0")
    program(tmp_path, f"python{broken}", "echo 'pyenv: python: command not found'; exit 127")
    program(tmp_path, f"python{this}", "exit 0")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert dist.interpreters() == [sys.executable, str(tmp_path / f"python{works}")]
    missing = capsys.readouterr().out.splitlines()
    assert missing == [
        f"dist: python{name}: not found" for name in dist.SUPPORTED if name in (broken, *absent)
    ]


def test_this_version_fits_its_documents() -> None:
    assert dist.problems(dist.version()) == []
    assert dist.problems("9.8.7") == [
        "CHANGELOG.md has no '## [9.8.7] - '",
        "CITATION.cff has no 'version: 9.8.7'",
        "docs/upgrading.md has no ' to 9.8'",
    ]


def test_a_package_of_another_version_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dist, "_environment", lambda python, place, package: sys.executable)
    with pytest.raises(SystemExit) as raised:
        dist._install("python3", Path("sandhook-9.8.7.tar.gz"), tmp_path, tmp_path, "9.8.7")
    said = f"sandhook-9.8.7.tar.gz on python3 prints 'sandhook {dist.version()}' as its version, not 9.8.7"
    assert said in str(raised.value)


def test_a_program_that_fails_ends_the_release() -> None:
    with pytest.raises(SystemExit, match=r"dist: .* ended with status 3"):
        dist._run([sys.executable, "-c", "raise SystemExit(3)"])


def test_every_supported_version_is_declared() -> None:
    text = (dist.ROOT / "pyproject.toml").read_text(encoding="utf-8")
    declared = [line.split("::")[-1].strip('", ') for line in text.splitlines() if "Python :: 3." in line]
    assert tuple(declared) == dist.SUPPORTED


def test_the_sdist_has_what_the_tests_read() -> None:
    text = (dist.ROOT / "pyproject.toml").read_text(encoding="utf-8")
    included = tomllib.loads(text)["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    named = {
        name
        for path in (dist.ROOT / "tests").rglob("*.py")
        for name in re.findall(r"\bROOT / f?\"([^/\"{]+)", path.read_text(encoding="utf-8"))
    }
    assert {".pre-commit-config.yaml", "docs", "Makefile"} <= named
    others = {".git", ".mypy_cache", "pyproject.toml"}  # of a checkout, made by tests, in every sdist
    assert {name for name in named - {*included} - others if (dist.ROOT / name).exists()} == set()
