"""Parsed scripts on disk: used again, private, bounded, and never trusted further than their digest."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sandhook.cli import cache
from sandhook.cli.cache import DiskStore, default_directory, tree_key
from sandhook.syntax.options import DEFAULT_OPTIONS, ParseOptions

Run = Callable[..., Any]


def entries(where: Path) -> list[Path]:
    return sorted((where / "trees").iterdir()) if (where / "trees").exists() else []


@pytest.fixture
def store(tmp_path: Path) -> DiskStore:
    return DiskStore(str(tmp_path / "trees"))


def test_what_was_put_is_got(store: DiskStore, tmp_path: Path) -> None:
    assert store.get("key") is None
    assert entries(tmp_path) == [], "looking makes no directory"
    store.put("key", b"data")
    assert store.get("key") == b"data"
    assert store.get("other") is None
    store.put("key", b"")
    assert store.get("key") == b""
    assert len(entries(tmp_path)) == 1


def test_a_damaged_entry_is_none_and_is_written_again(store: DiskStore, tmp_path: Path) -> None:
    store.put("key", b"data")
    (entry,) = entries(tmp_path)
    whole = entry.read_bytes()
    for damaged in (b"", whole[:-1], whole + b"x", whole.replace(b"data", b"dada")):
        entry.write_bytes(damaged)
        assert store.get("key") is None
        assert entries(tmp_path) == []
        store.put("key", b"data")
        assert store.get("key") == b"data"


def test_trees_come_back_and_a_stranger_does_not(store: DiskStore, tmp_path: Path) -> None:
    from sandhook.syntax.parser import parse_units

    units = parse_units("echo a | cat", "", DEFAULT_OPTIONS)
    store.save("echo a | cat", DEFAULT_OPTIONS, units)
    assert store.load("echo a | cat", DEFAULT_OPTIONS) == units
    assert store.load("echo a | cat", ParseOptions(extglob=True)) is None
    store.put(tree_key("echo b", repr(DEFAULT_OPTIONS)), b"not a tree")
    assert store.load("echo b", DEFAULT_OPTIONS) is None
    assert len(entries(tmp_path)) == 1


def test_keys_differ_by_text_options_and_version(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = {tree_key("ab", "c"), tree_key("a", "bc"), tree_key("abc"), tree_key("\udcff")}
    monkeypatch.setattr(cache, "__version__", "other")
    assert len(keys | {tree_key("abc")}) == 5


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="Windows has no permission bits")
def test_the_directory_is_private(store: DiskStore, tmp_path: Path) -> None:
    store.put("key", b"data")
    assert (tmp_path / "trees").stat().st_mode & 0o777 == 0o700
    assert entries(tmp_path)[0].stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="Windows has no permission bits")
def test_a_directory_that_others_can_write_to_is_not_used(tmp_path: Path) -> None:
    DiskStore(str(tmp_path / "trees")).put("key", b"data")
    (tmp_path / "trees").chmod(0o777)
    shared = DiskStore(str(tmp_path / "trees"))
    assert shared.get("key") is None
    shared.put("other", b"data")
    assert len(entries(tmp_path)) == 1


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="needs symbolic links")
def test_links_are_not_followed(store: DiskStore, tmp_path: Path) -> None:
    store.put("key", b"data")
    (entry,) = entries(tmp_path)
    elsewhere = tmp_path / "elsewhere"
    entry.rename(elsewhere)
    entry.symlink_to(elsewhere)
    assert store.get("key") is None
    (tmp_path / "linked").symlink_to(tmp_path / "trees")
    assert DiskStore(str(tmp_path / "linked")).get("key") is None


def test_a_place_that_cannot_be_written_costs_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    store = DiskStore(str(tmp_path / "file" / "trees"))
    store.put("key", b"data")
    assert store.get("key") is None


def test_the_number_and_the_size_of_entries_are_bounded(
    store: DiskStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "MAX_ENTRIES", 8)
    monkeypatch.setattr(cache, "MAX_ENTRY_BYTES", 100)
    for number in range(20):
        store.put(str(number), b"x" * 100)
        assert len(entries(tmp_path)) <= 8
    assert store.get("19") is not None and store.get("0") is None
    store.put("long", b"x" * 101)
    assert store.get("long") is None


def test_where_it_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("SANDHOOK_NO_CACHE", raising=False)
    monkeypatch.setenv("SANDHOOK_CACHE_DIR", str(tmp_path))
    assert default_directory() == str(tmp_path / "trees")
    monkeypatch.setenv("SANDHOOK_NO_CACHE", "1")
    assert default_directory() is None
    monkeypatch.delenv("SANDHOOK_NO_CACHE")
    monkeypatch.delenv("SANDHOOK_CACHE_DIR")
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_directory() == str(tmp_path / "sandhook" / "trees")
    monkeypatch.setattr("sys.platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    assert default_directory() == str(tmp_path / "sandhook" / "Cache" / "trees")
    monkeypatch.setenv("LOCALAPPDATA", "")
    assert default_directory() is None


def test_the_command_line_uses_it(sandhook: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    where = tmp_path / "cache"
    assert sandhook("exec", "-c", "echo cached once").stdout == "cached once\n"
    assert len(entries(where)) == 1
    for entry in entries(where):
        entry.write_bytes(b"damaged")
    assert sandhook("exec", "-c", "echo cached once").stdout == "cached once\n"
    monkeypatch.setenv("SANDHOOK_NO_CACHE", "1")
    sandhook("exec", "-c", "echo not cached")
    assert len(entries(where)) == 1
