"""The hooks of pre-commit run what ``make lint`` runs."""

from __future__ import annotations

import re

from tests.source import ROOT


def test_pre_commit_runs_the_lint() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    platforms = re.findall(r"^PLATFORMS = (.*)$", makefile, re.MULTILINE)[0].split()
    recipe = re.findall(r"^lint: .*\n((?:\t.*\n)+)", makefile, re.MULTILINE)[0]
    commands = re.findall(r"\$\(BIN\)/(.*)", recipe)
    assert commands and "$(TYPES)" in recipe
    commands = [command.removesuffix(" .") for command in commands]
    commands += [
        f"mypy --no-error-summary --platform {each} --cache-dir .mypy_cache/{each}" for each in platforms
    ]
    config = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    entries = re.findall(r"entry: \.venv/bin/(.*)", config)
    assert len(entries) == len(commands)
    assert [command for command in commands if not any(entry.startswith(command) for entry in entries)] == []
