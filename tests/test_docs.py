"""What the documentation shows is run, and its generated pages are compared with the code.

A fenced block runs when its info string says so:

    ```python          run; all blocks of a page share their names. `print(x)  # -> text` must print text
    ```console         `$ sandhook ...` or `$ echo TEXT | sandhook ...` and what it prints; `$ echo $?`
    ```json NAME       written to the page's own directory as NAME, for the blocks after it
    ```sh NAME         the same with a name; without one it is not run

In expected output, `...` stands for anything within a line.
"""

from __future__ import annotations

import ast
import io
import os
import re
import shlex
import shutil
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from docs import generate
from sandhook.cli import main
from tests.conftest import exempt
from tests.source import PACKAGE, ROOT

PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
BLOCK = re.compile(r"^( *)```(\w+)(?: +(\S+))?\n(.*?)^\1```$", re.M | re.S)


class Block:
    """One fenced block of a page."""

    def __init__(self, language: str, name: str | None, text: str, line: int) -> None:
        self.language = language
        self.name = name
        self.text = text
        self.line = line


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    found = []
    for match in BLOCK.finditer(text):
        indent, language, name, body = match.groups()
        lines = [line.removeprefix(indent) for line in body.splitlines(keepends=True)]
        found.append(Block(language, name, "".join(lines), text.count("\n", 0, match.start()) + 2))
    return found


def runnable(page: Path) -> bool:
    return any(block.language in ("python", "console") for block in blocks(page))


@pytest.mark.parametrize(
    "page", [page for page in PAGES if runnable(page)], ids=lambda page: page.relative_to(ROOT).as_posix()
)
def test_examples_run(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SANDHOOK_NO_CACHE", "1")
    for name in ("HOME", "USERPROFILE", "LOCALAPPDATA"):  # where records of installed hooks are
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    module = ModuleType("example")
    monkeypatch.setitem(sys.modules, "example", module)
    for block in blocks(page):
        where = f"{page.relative_to(ROOT)}:{block.line}"
        if block.name is not None:
            path = tmp_path / block.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8", newline="\n")
            if block.text.startswith("#!"):
                path.chmod(0o755)
        elif block.language == "python":
            python(block, where, module.__dict__, capsysbinary)
        elif block.language == "console":
            console(block, where, monkeypatch, capsysbinary)


def python(block: Block, where: str, names: dict[str, Any], capture: pytest.CaptureFixture[bytes]) -> None:
    """Run a block and compare what it printed with its ``# ->`` comments."""
    exec(compile("\n" * (block.line - 1) + block.text, where, "exec"), names)
    printed = capture.readouterr().out.decode().splitlines()
    prints = [line for line in block.text.splitlines() if line.strip().startswith("print(")]
    expected = [line.split("# -> ")[1] for line in prints if "# -> " in line]
    assert len(expected) == len(prints), f"{where}: a print() does not say what it prints"
    same_lines(printed, expected, where)


def console(
    block: Block, where: str, monkeypatch: pytest.MonkeyPatch, capture: pytest.CaptureFixture[bytes]
) -> None:
    """Run each command line of a block and compare what it printed."""
    status = 0
    for part in re.split(r"^\$ ", block.text, flags=re.M)[1:]:
        command, _, output = part.partition("\n")
        while command.endswith("\\"):
            more, _, output = output.partition("\n")
            command = command[:-1] + more.lstrip("> ")
        if command == "echo $?":
            printed = f"{status}\n"
        else:
            status, printed = ran(command, where, monkeypatch, capture)
        same_lines(printed.splitlines(), output.splitlines(), f"{where}: {command}")


def ran(
    command: str, where: str, monkeypatch: pytest.MonkeyPatch, capture: pytest.CaptureFixture[bytes]
) -> tuple[int, str]:
    """Run ``[echo TEXT |] sandhook ARGUMENT...`` in this process; return its status and output."""
    words = shlex.split(command)
    stdin = b""
    if words[0] == "echo" and "|" in words:
        bar = words.index("|")
        stdin = " ".join(words[1:bar]).encode() + b"\n"
        words = words[bar + 1 :]
    assert words[0] == "sandhook", f"{where}: only sandhook can be run here: {command}"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), "utf-8"))
    monkeypatch.setenv("PATH", os.pathsep.join(programs()))
    capture.readouterr()
    status = main(words[1:])
    out, err = capture.readouterr()
    return status, (out + err).decode()


def programs() -> list[str]:
    """Return the directories of the PATH that the pages are for: there is ``python``, and there is ``jq``.

    The pages never start ``jq``; ``sandhook doctor`` looks for it.
    """
    path = [str(Path(sys.executable).parent), os.environ.get("PATH", "")]
    if shutil.which("jq") is None:
        stand_in = Path("home", "programs").resolve()
        stand_in.mkdir(parents=True, exist_ok=True)
        for name in ("jq", "jq.bat"):
            (stand_in / name).write_text("exit 1\n", encoding="utf-8", newline="\n")
            (stand_in / name).chmod(0o755)
        path.append(str(stand_in))
    return path


def same_lines(printed: list[str], expected: list[str], where: str) -> None:
    shown = "\n".join(printed)
    assert len(printed) == len(expected), f"{where}: printed\n{shown}"
    for got, wanted in zip(printed, expected):
        if sys.platform == "win32":  # the name of a program of the machine
            got, wanted = (re.sub(r"\.exe\b", "", text) for text in (got, wanted))
        pattern = ".*".join(re.escape(piece) for piece in wanted.split("..."))
        assert re.fullmatch(pattern, got), (
            f"{where}: printed {got!r}, the page says {wanted!r}; all of it:\n{shown}"
        )


# --------------------------------------------------------------------------- generated pages, links


@pytest.mark.parametrize("name", sorted(generate.PAGES))
def test_generated_pages_are_up_to_date(name: str) -> None:
    path = generate.DIRECTORY / name
    assert path.exists(), "run `make docs`"
    assert path.read_text(encoding="utf-8") == generate.PAGES[name](), "run `make docs`"


def test_no_generated_page_is_left_over() -> None:
    assert {path.name for path in generate.DIRECTORY.glob("*.md")} == set(generate.PAGES)


LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#([^)\s]+))?\)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    for target, anchor in LINK.findall(page.read_text(encoding="utf-8")):
        if "://" in target:
            continue
        path = (page.parent / target).resolve()
        assert path.exists(), f"{page.name}: {target}"
        if anchor and path.suffix == ".md":
            headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.M)
            assert anchor in {re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in headings}, (
                anchor
            )


DIVERGENCE = re.compile(r"\bL-[A-Z]+-\d{3}\b")


#: Explains the format of case files by an example that names no real divergence.
FORMAT = ROOT / "src" / "sandhook" / "conformance" / "reader.py"


def divergences() -> list[list[str]]:
    """Return the rows of docs/divergences.md: identifier, what, why, evidence."""
    text = (ROOT / "docs" / "divergences.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| `L-")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", row.strip("|"))] for row in rows]


def test_divergences_are_whole_and_in_order() -> None:
    rows = divergences()
    names = [row[0].strip("`") for row in rows]
    assert names == sorted(set(names)), "identifiers are unique and sorted"
    for row in rows:
        assert len(row) == 4 and all(row), row
        assert DIVERGENCE.fullmatch(row[0].strip("`")), row[0]


def test_divergences_that_the_code_names_are_in_the_table() -> None:
    known = {row[0].strip("`") for row in divergences()}
    named: dict[str, str] = {}
    for directory, suffix in (("src", "*.py"), ("conformance", "*")):
        for path in (ROOT / directory).rglob(suffix):
            if path.is_file() and path != FORMAT:
                text = path.read_text(encoding="utf-8", errors="replace")
                named |= dict.fromkeys(DIVERGENCE.findall(text), path.relative_to(ROOT).as_posix())
    assert {name: where for name, where in named.items() if name not in known} == {}


# --------------------------------------------------------------------------- names of files

#: Pages that say where things are.
GUIDES = [
    ROOT / "CONTRIBUTING.md",
    ROOT / "docs" / "where-things-are.md",
    *sorted((ROOT / "docs" / "decisions").glob("*.md")),
]
FILE = re.compile(r"(?<![\w./])[\w.-]+/[\w./-]*|(?<=`)\w+\.(?:py|md)(?=`)")
#: Stand for a name of the reader's.
PLACEHOLDER = re.compile(r"GROUP|NAME|AGENT")


def exists(name: str) -> bool:
    return (PACKAGE / name).exists() or (ROOT / name).exists()


def files_named_by(text: str) -> list[str]:
    """Return the paths in code spans and lists of files that begin in the project or in the package."""
    code = "\n".join(re.findall(r"`[^`\n]+`|^[\w./-]+$", text, re.M))
    found = [name for name in FILE.findall(code) if not PLACEHOLDER.search(name)]
    return [name for name in found if exists(name.split("/")[0]) or "/" not in name]


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_files_that_a_guide_names_exist(page: Path) -> None:
    named = files_named_by(page.read_text(encoding="utf-8"))
    assert [name for name in named if not exists(name)] == []


def test_guides_name_files() -> None:
    assert len(files_named_by(GUIDES[1].read_text(encoding="utf-8"))) > 60
    assert files_named_by("`expand/gone.py` or `a/b`, `kernel/`\ntests/x.py\n") == [
        "expand/gone.py",
        "kernel/",
        "tests/x.py",
    ]


def test_evidence_of_divergences_exists() -> None:
    named = {(row[0], name) for row in divergences() for name in re.findall(r"`([^`]+)`", row[3])}
    assert {row for row in named if not exists(row[1])} == set()


# --------------------------------------------------------------------------- the checker itself


def test_a_wrong_example_is_seen() -> None:
    same_lines(["took 3 ms"], ["took ... ms"], "")
    with pytest.raises(AssertionError):
        same_lines(["refused"], ["allowed"], "")
    with pytest.raises(AssertionError):
        same_lines(["a", "b"], ["a"], "")


def test_python_examples_are_valid() -> None:
    for page in PAGES:
        for block in blocks(page):
            if block.language == "python":
                ast.parse(block.text)


@pytest.mark.parametrize("test", exempt())
def test_what_wine_cannot_run_is_a_test(test: str) -> None:
    file, *_, name = test.partition("[")[0].split("::")
    found = [(ROOT / file).read_text(encoding="utf-8")]
    if (contract := ROOT / Path(file).parent / "contract.py").exists():
        found.append(contract.read_text(encoding="utf-8"))
    assert any(f"def {name}(" in text for text in found)
