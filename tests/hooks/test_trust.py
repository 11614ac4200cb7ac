"""Approvals: what a hook names, the hash over its bytes, the store, and that approved bytes are what runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sandhook.errors import TrustError
from sandhook.hooks import HookEngine, ToolPre
from sandhook.hooks.contracts import Document
from sandhook.hooks.trust import TrustStore
from sandhook.vfs.path import VirtualPath
from tests.hooks.evidencetools import looked, paths

# What a script names.


def test_commands_that_are_not_the_scripts_own() -> None:
    found = looked("f() { jq . | grep x; }; f; timeout 5 env -i A=1 python3 x.py; x=$(date); `who`; $y; (ls)")
    assert found.commands == ("jq", "grep", "timeout", "env", "python3", "date", "who", "ls")


@pytest.mark.parametrize(
    "text",
    [
        '. "$(dirname "$0")/lib.sh"',
        'DIR="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"; source "$DIR/lib.sh"',
        'source "${BASH_SOURCE%/*}/lib.sh"',
        "here=${0%/*}; . $here/lib.sh",
        ". hooks/lib.sh",
        "bash -e ./hooks/lib.sh",
        'exec "$CRUSH_PROJECT_DIR"/hooks/lib.sh',
    ],
)
def test_files_are_followed_through_the_usual_ways(text: str) -> None:
    files = {"/p/hooks/run.sh": "#!/bin/sh\n" + text, "/p/hooks/lib.sh": "bash more", "/p/more": "x"}
    assert paths(looked("./hooks/run.sh", files)) == ["/p/hooks/run.sh", "/p/hooks/lib.sh", "/p/more"]


def test_a_program_of_another_language_is_taken_and_not_read() -> None:
    files = {"/p/a.py": "#!/usr/bin/env python3\nprint('./b.sh')\n", "/p/b.sh": ""}
    assert paths(looked("python3 a.py", files)) == ["/p/a.py"]
    assert paths(looked(argv=("python3", "./a.py"), files=files)) == ["/p/a.py"]


def test_files_outside_the_project_are_taken_too() -> None:
    files = {"/home/me/bin/x": "#!/bin/sh\n", "/etc/y": "y"}
    assert paths(looked("~/bin/x; . /etc/y", files)) == ["/home/me/bin/x", "/etc/y"]


def test_what_is_computed_is_said_to_be_unknown() -> None:
    evidence = looked('x=$(pick); "$x" a; source "$(find . -name y)"', {})
    assert evidence.unknown == (
        "the command:1: calls what it computes",
        "the command:1: sources what it computes",
    )
    assert looked("if").unknown[0].startswith("the command does not parse")


def test_files_that_name_each_other_end() -> None:
    files = {"/p/a.sh": ". ./b.sh", "/p/b.sh": ". ./a.sh"}
    assert paths(looked("./a.sh", files)) == ["/p/a.sh", "/p/b.sh"]


def test_too_much_is_refused() -> None:
    files = {f"/p/f{n}": "x" for n in range(70)}
    with pytest.raises(TrustError, match="more than 64 files"):
        looked(";".join(f"./f{n}" for n in range(70)), files)
    with pytest.raises(TrustError, match="bytes"):
        looked("./big", {"/p/big": "x" * (4 << 20) + "x"})


# The hash.


def test_every_changed_byte_makes_another_hash() -> None:
    files = {"/p/a.sh": ". ./b.sh", "/p/b.sh": "echo 1"}
    base = looked("./a.sh", files, entry={"command": "./a.sh"})
    assert base.digest == looked("./a.sh", dict(files), entry={"command": "./a.sh"}).digest
    others = [
        looked("./a.sh", {**files, "/p/b.sh": "echo 2"}, entry={"command": "./a.sh"}),
        looked("./a.sh", {**files, "/p/a.sh": ". ./b.sh "}, entry={"command": "./a.sh"}),
        looked("./a.sh", {"/p/a.sh": ". ./b.sh"}, entry={"command": "./a.sh"}),
        looked("./a.sh", files, entry={"command": "./a.sh", "timeout": 5}),
        looked("./a.sh", files, entry={"command": "./a.sh"})._replace(),
    ]
    digests = {base.digest, *(each.digest for each in others)}
    assert len(digests) == 5


def test_the_order_of_keys_is_no_change() -> None:
    assert looked("x", entry={"a": 1, "b": 2}).digest == looked("x", entry={"b": 2, "a": 1}).digest


def test_bytes_cannot_move_between_files() -> None:
    first = looked("./a ./b", {"/p/a": "#!/bin/x\none", "/p/b": "two"})
    second = looked("./a ./b", {"/p/a": "#!/bin/x\nonet", "/p/b": "wo"})
    assert first.digest != second.digest


# The store, and engines.


CONFIG = {"hooks": {"PreToolUse": [{"command": "./guard.sh"}]}}


def project(tmp_path: Path) -> tuple[Document, TrustStore, str]:
    root = tmp_path / "p"
    root.mkdir()
    (root / "guard.sh").write_text("#!/bin/sh\n. ./words.sh\necho $words >&2; exit 2\n")
    (root / "words.sh").write_text("words=no\n")
    text = json.dumps(CONFIG)
    document = Document(CONFIG, str(root / "crush.json"), layer="project", contract="crush", text=text)
    return document, TrustStore(str(tmp_path / "data" / "trust.json"), home=str(tmp_path)), root.as_posix()


def test_a_hook_runs_after_its_approval_and_not_after_a_change(tmp_path: Path) -> None:
    document, store, root = project(tmp_path)

    def load() -> HookEngine:
        return HookEngine.load(document, trust=store.allows("crush", root))

    made = load()
    assert made.hooks == () and len(made.withheld) == 1
    spec = made.withheld[0].spec
    store.approve([store.examine(spec, "crush", root)])
    made = load()
    assert len(made.hooks) == 1 and made.hooks[0].trust_hash is not None
    decision = made.fire(ToolPre("bash", {"command": "x"}))
    assert (decision.refused, decision.reason) == (True, "no")
    (Path(root) / "words.sh").write_text("words=yes\n")
    assert load().hooks == ()


def test_the_bytes_that_were_hashed_are_the_bytes_that_run(tmp_path: Path) -> None:
    document, store, root = project(tmp_path)
    spec = HookEngine.load(document).withheld[0].spec
    store.approve([store.examine(spec, "crush", root)])
    made = HookEngine.load(document, trust=store.allows("crush", root))
    (Path(root) / "guard.sh").write_text("exit 0\n")
    assert made.fire(ToolPre("bash", {})).reason == "no"
    made.fs.write_bytes("/workspace/guard.sh", b"exit 0\n")  # type: ignore[arg-type]
    assert made.fire(ToolPre("bash", {})).reason == "no"


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("[ -f extra.sh ] && . ./extra.sh; echo no >&2; exit 2", "extra.sh"),
        ('for f in d/*.sh; do [ -f "$f" ] && . "$f"; done; echo no >&2; exit 2', "d/new.sh"),
        ("PATH=$PWD/bin:$PATH; jq . > /dev/null; echo no >&2; exit 2", "bin/jq"),
    ],
)
def test_a_file_that_appears_ends_the_approval_in_the_sandbox_too(
    command: str, name: str, tmp_path: Path
) -> None:
    root = (tmp_path / "p").as_posix()
    (tmp_path / "p").mkdir()
    config = {"hooks": {"PreToolUse": [{"command": command}]}}
    document = Document(config, f"{root}/crush.json", layer="project", contract="crush")
    store = TrustStore(str(tmp_path / "trust.json"), home=str(tmp_path))
    spec = HookEngine.load(document).withheld[0].spec
    store.approve([store.examine(spec, "crush", root)])
    made = HookEngine.load(document, trust=store.allows("crush", root))
    assert made.fire(ToolPre("bash", {})).reason == "no"
    made.fs.write_bytes(VirtualPath(f"/workspace/{name}"), b"exit 0\n", parents=True)
    decision = made.fire(ToolPre("bash", {}))
    assert decision.could_not_run == ("PreToolUse[0]",)
    why = decision.outcomes[0].verdict.could_not_run or ""
    assert f"{name}: was absent when the hook was approved, and exists now" in why


def test_only_hooks_with_an_approval_of_their_own_are_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of others may name any number of hooks, and to follow one takes seconds."""
    document, store, root = project(tmp_path)
    followed: list[str] = []
    examine = TrustStore.examine

    def counted(self: TrustStore, spec: Any, contract: str, directory: str) -> Any:
        followed.append(spec.executor.text)
        return examine(self, spec, contract, directory)

    monkeypatch.setattr(TrustStore, "examine", counted)
    others = [{"command": f"./other{number}.sh"} for number in range(20)]
    mine = CONFIG["hooks"]["PreToolUse"]
    config = {"hooks": {"PreToolUse": [*mine, *others]}}
    several = document._replace(value=config)
    assert HookEngine.load(several, trust=store.allows("crush", root)).hooks == () and followed == []
    store.approve([examine(store, HookEngine.load(document).withheld[0].spec, "crush", root)])
    made = HookEngine.load(several, trust=store.allows("crush", root))
    assert len(made.hooks) == 1 and followed == [mine[0]["command"]]
    entries = store.approved()
    for entry in entries.values():  # as older versions wrote them
        del entry["hook_digest"]
    Path(store.path).write_text(json.dumps({"version": 1, "approved": entries}))
    made = HookEngine.load(several, trust=store.allows("crush", root))
    assert len(made.hooks) == 1 and len(followed) == 22


def test_revoking_and_listing(tmp_path: Path) -> None:
    document, store, root = project(tmp_path)
    spec = HookEngine.load(document).withheld[0].spec
    store.approve([store.examine(spec, "crush", root)], now=0)
    (entry,) = store.approved().values()
    assert entry["approved"] == "1970-01-01T00:00:00Z" and entry["file"] == document.name
    assert store.revoke("/other") == 0 and store.revoke(document.name) == 1 and store.approved() == {}


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        '{"version": 2, "approved": {}}',
        '{"version": 1}',
        "\xff",
        '{"version": 1, "approved": {"x": 1}}',
    ],
)
def test_a_damaged_store_trusts_nothing(text: str, tmp_path: Path) -> None:
    path = tmp_path / "trust.json"
    path.write_text(text, encoding="latin-1")
    with pytest.raises(TrustError, match=r"trust\.json"):
        TrustStore(str(path)).approved()


def test_where_the_users_store_is() -> None:
    place = TrustStore.default({"HOME": "/h"}, "linux")
    assert place.path == "/h/.local/share/sandhook/trust.json" and place.home == "/h"
    assert TrustStore.default({"HOME": "/h", "XDG_DATA_HOME": "/d"}, "linux").path == "/d/sandhook/trust.json"
    for relative in (".", "data", ""):  # of whatever directory, which may be the project's
        assert TrustStore.default({"HOME": "/h", "XDG_DATA_HOME": relative}, "linux").path == place.path
    mac = TrustStore.default({"HOME": "/h"}, "darwin").path
    assert mac == "/h/Library/Application Support/sandhook/trust.json"
    windows = TrustStore.default({"USERPROFILE": "C:\\me", "LOCALAPPDATA": "C:\\me\\l"}, "win32")
    assert windows.path == "C:\\me\\l/sandhook/trust.json" and windows.home == "C:/me"
