"""The English of the project is checked: the checker finds what it should, and the project has no findings."""

from __future__ import annotations

import ast
import io
import tokenize
from typing import Any

import pytest

from sandhook.command.options import declared_fields
from sandhook.utilities import load, names
from tools import prose

RULES = prose.load()

SETTINGS: dict[str, Any] = {
    "words": {"behind": "write after", "tells?": "write return", "is none": "write is not"},
    "openings": {"Likewise": "state the fact"},
    "allowed": ["behind a proxy"],
    "longest_sentence": 6,
    "markdown": [],
    "generated": [],
    "python": [],
    "not_yet": [],
}


def found(text: str, *, python: bool = False) -> list[str]:
    check = prose.check_python if python else prose.check_markdown
    return [str(finding) for finding in check("page", text, prose.Rules(SETTINGS))]


@pytest.mark.slow  # `make test` asks the checker itself
def test_the_project_has_no_findings(capsys: pytest.CaptureFixture[str]) -> None:
    status = prose.main([])
    assert (status, capsys.readouterr().out) == (0, "")


def test_paths_without_findings_are_not_listed_as_not_rewritten() -> None:
    assert prose.overdue(RULES) == []


def test_a_listed_path_without_findings_is_an_error() -> None:
    rules = prose.load()
    rules.not_yet = ["tools/", "src/sandhook/gone/"]
    assert prose.overdue(rules) == ["tools/", "src/sandhook/gone/"]


@pytest.mark.parametrize(
    ("text", "findings"),
    [
        ("It comes behind.", ["page:1: behind: write after"]),
        ("One.\n\nTells.\nBehind it.", ["page:3: Tells: write return", "page:4: Behind: write after"]),
        ("- one\n- behind", ["page:2: behind: write after"]),
        ("| a | behind \\| `x` |", ["page:1: behind: write after"]),
        ("[behind](behind.md)", ["page:1: behind: write after"]),
        ("One ` open.\n\nBehind ` it.", ["page:3: Behind: write after"]),
        ("It\nis\nnone.", ["page:2: is none: write is not"]),
        # mentions, code and other words
        ('The word "behind" and `behind`.', []),
        ("```text\nbehind\n```\n  ````\n  behind\n  ````", []),
        ("<!-- behind\n-->", []),
        ("[x](behind.md)", []),
        ("It is behind a proxy.", []),
        ("stay-behind, behindhand", []),
        # sentences
        ("One two three four five six.", []),
        (
            "One.\nOne two three\nfour five six seven.",
            ["page:2: One two three four ...: a sentence of 7 words; write at most 6"],
        ),
        (
            "One two three, e.g. four five six seven.",
            ["page:1: One two three, e.g. ...: a sentence of 8 words; write at most 6"],
        ),
        ("One two `a` `b` `c` `d` `e` six.", []),
        ("One two three `four`. Five six seven.", []),
        ("One two three four.\n\nFive six seven.", []),
        ("- One two three four\n- Five six seven", []),
        ("| One two three four | Five six seven |", []),
        ("| One two three four; five six seven |", []),
    ],
)
def test_markdown(text: str, findings: list[str]) -> None:
    assert found(text) == findings


@pytest.mark.parametrize(
    ("source", "findings"),
    [
        ('"""Behind."""', ["page:1: Behind: write after"]),
        ('def f():\n    """A.\n\n    Behind.\n    """', ["page:4: Behind: write after"]),
        ('class A:\n    # why\n\n    r"""Likewise."""', ["page:4: Likewise: state the fact"]),
        ("x = 1  # behind", ["page:1: behind: write after"]),
        ("#: behind", ["page:1: behind: write after"]),
        # messages
        ("x = f'{a}: it is behind {b}'", ["page:1: behind: write after"]),
        ('x = """\nit is behind"""', ["page:2: behind: write after"]),
        # neither docstrings nor comments nor messages
        ("x = 'it''s #behind'", []),
        ('x = """\nbehind"""', []),
        ("x = f'{a}\\'#behind'", []),
        ("behind = 1  # noqa: behind", []),
        ('def f():\n    """A "behind" and ``behind``."""', []),
    ],
)
def test_python(source: str, findings: list[str]) -> None:
    assert found(source, python=True) == findings


def test_docstrings_and_comments_are_those_of_python() -> None:
    modules = [path for path in prose.files(RULES) if path.suffix == ".py"]
    for path in modules[::25]:
        source = path.read_text(encoding="utf-8")
        ours = {(kind, line) for kind, (line, _) in prose.passages_of_code(source) if kind != "message"}
        assert ours == from_python(source), path


def from_python(source: str) -> set[tuple[str, int]]:
    """Return the kind and line of each docstring and comment, by ast and tokenize."""
    lines = set[tuple[str, int]]()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and list(prose.passages_of_code(token.string)):
            lines.add(("comment", token.start[0]))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            if ast.get_docstring(node) is not None:
                lines.add(("docstring", node.body[0].lineno))
    return lines


@pytest.mark.parametrize(
    "word", ["behind", "beside", "is none", "are none", "likewise", "told", "as good as"]
)
def test_the_list_has_the_words_of_the_style_guide(word: str) -> None:
    assert [found for _, found, _ in RULES.words_in(f"it {word} x")] == [word]


def test_help_of_options_follows_the_word_list() -> None:
    """What --help prints of an option is prose, too; a word that is a value of the option may stand there."""
    wrong = [
        f"{name}: {option.flags[0]}: {word}: {advice}"
        for name in sorted(names())
        if getattr(load(name), "Options", None) is not None
        for declared in declared_fields(load(name).Options).values()
        for option in declared.options
        for _, word, advice in RULES.words_in(option.help)
        if "CONTROL is none" not in option.help
    ]
    assert wrong == []
