"""The two figures by which ``sandhook vet`` is measured, over the lists of ``conformance/vet``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sandhook.hooks import contracts
from sandhook.recipes import catalogue
from sandhook.recipes.script import hook_of
from sandhook.vetting import Report, vet

ROOT = Path(__file__).parents[2]
LISTS = ROOT / "conformance/vet"

#: Sources of cases that are hooks of documentation; the others are vectors of tests.
PUBLISHED = re.compile(r"docs|example|skill|reference|usage|hooks page|README|rtk-rewrite|documentation")

#: A hook that prints one constant shows the form of an answer; nobody uses it.
CONSTANT = re.compile(
    r"(?:echo|printf) '[^']*'(?: >&2)?(?:; ?(?:exit \d+|true))?|exit \d|echo \w+( >&2)?(; ?exit \d)?"
)

Files = dict[str, bytes]


def cases(path: Path) -> Iterator[tuple[str, Files]]:
    """Yield the cases of a list: the name and the files."""
    for case in path.read_text(encoding="utf-8").split("\n#### ")[1:]:
        name, _, text = case.partition("\n")
        first, *others = text.split("\n## file: ")
        files = {"hook.sh": first.encode()}
        for other in others:
            file, _, content = other.partition("\n")
            files[file.strip()] = content.encode()
        yield name, files


def commands(value: Any) -> Iterator[str]:
    """Yield the shell texts in a configuration."""
    if isinstance(value, dict):
        for key, each in value.items():
            if key in ("command", "bash", "run") and isinstance(each, str):
                yield each
            else:
                yield from commands(each)
    elif isinstance(value, list):
        for each in value:
            yield from commands(each)


def published() -> Iterator[tuple[str, Files]]:
    """Yield the hooks of documentation in ``conformance/hooks``, each text once."""
    seen: set[str] = set()
    for path in sorted((ROOT / "conformance/hooks").glob("*/*.json")):
        for case in json.loads(path.read_text())["cases"]:
            if not PUBLISHED.search(case.get("source", "")):
                continue
            for text in commands(case.get("config", {})):
                if text not in seen and not CONSTANT.fullmatch(text.strip()):
                    seen.add(text)
                    files = {
                        name: data.encode()
                        for name, data in (case.get("files") or {}).items()
                        if isinstance(data, str)
                    }
                    yield f"{path.parent.name}: {text[:60]}", {**files, "hook.sh": text.encode()}


def recipes() -> Iterator[tuple[str, Files]]:
    contract = contracts.get("claude_code")
    for recipe in map(catalogue.get, catalogue.NAMES):
        yield recipe.name, {"hook.sh": hook_of(recipe, contract, ".claude/hooks").script.encode()}


def is_flagged(files: Files) -> bool:
    report: Report = vet(files, config="hook.sh", observe=False)
    return any(finding.severity == "high" for finding in report.findings)


#: The malicious hooks of each list (a count).
MALICIOUS = {"first": 50, "second": 50, "third": 25, "fourth": 34, "fifth": 60, "sixth": 26}


def test_malicious_hooks_are_flagged() -> None:
    missed = []
    for part, count in MALICIOUS.items():
        hooks = list(cases(LISTS / f"malicious/{part}.hooks"))
        assert len(hooks) == count
        missed += [f"{part}: {name}" for name, files in hooks if not is_flagged(files)]
    total = sum(MALICIOUS.values())
    print(f"{total - len(missed)} of {total} flagged; missed: {missed}")
    assert len(missed) <= 0.05 * total, missed


@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.slow)])
def test_harmless_hooks_are_not_flagged(step: int) -> None:
    own = [
        hook
        for name in ("own", "second", "third", "fourth", "fifth")
        for hook in cases(LISTS / f"benign/{name}.hooks")
    ]
    hooks = [*own, *recipes(), *published()]
    assert len(hooks) >= 332
    hooks = hooks[::step]
    flagged = [name for name, files in hooks if is_flagged(files)]
    print(f"{len(flagged)} of {len(hooks)} harmless hooks flagged: {flagged}")
    assert len(flagged) <= 0.05 * len(hooks), flagged


#: Short hooks, one for each way that data take: written with the rules, so they prove no figure and have no share.
@pytest.mark.parametrize(("kind", "count", "flagged"), [("malicious", 592, True), ("benign", 272, False)])
def test_short_hooks_are_all_told_apart(kind: str, count: int, flagged: bool) -> None:
    hooks = list(cases(LISTS / f"{kind}/short.hooks"))
    assert len(hooks) == count
    assert [name for name, files in hooks if is_flagged(files) is not flagged] == []


def test_the_lists_are_inert() -> None:
    for path in LISTS.rglob("*.hooks"):
        assert not path.stat().st_mode & 0o111
        assert not path.read_bytes().startswith(b"#!")
