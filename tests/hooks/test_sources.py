"""Where configurations are found, YAML and TOML as plain values, and the lines of what they hold."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from sandhook.hooks.contracts import Document, Layer
from sandhook.hooks.contracts.everruns import Everruns
from sandhook.hooks.decode import DecodeError
from sandhook.hooks.locate import json_lines
from sandhook.hooks.sources import MAX_FILES, discover, layer_files, line_of, parse
from sandhook.hooks.toml import decode_toml
from sandhook.hooks.yaml import decode_yaml

TEXT = """{
  "hooks": {
    "Pre": [
      {"a": 1, "b": [1,
        2]},
      {"c": "}{\\"", "d": {"e": null}}
    ]
  },
  "last": true
}
"""


def test_lines_of_a_json_text() -> None:
    lines = json_lines(TEXT)
    assert lines == {
        "": 1, "hooks": 2, "hooks.Pre": 3, "hooks.Pre[0]": 4, "hooks.Pre[0].a": 4, "hooks.Pre[0].b": 4,
        "hooks.Pre[0].b[0]": 4, "hooks.Pre[0].b[1]": 5, "hooks.Pre[1]": 6, "hooks.Pre[1].c": 6,
        "hooks.Pre[1].d": 6, "hooks.Pre[1].d.e": 6, "last": 9,
    }  # fmt: skip


def test_a_path_that_is_not_there_has_the_line_above_it() -> None:
    document = Document(json.loads(TEXT), "f", text=TEXT)
    assert [line_of(document, path) for path in ("hooks.Pre[1].zz", "hooks.Pre[7].x", "nosuch", "")] == [
        6,
        3,
        1,
        1,
    ]
    assert line_of(Document({}), "hooks") == 0


@pytest.mark.parametrize("text", ["{", '{"a', "[[[[", "}}}", '{"a": }', ""])
def test_lines_of_a_broken_text_do_not_fail(text: str) -> None:
    assert json_lines(text)[""] == 1


YAML = """\
hooks:
  pre_tool_call:
    - command: ["./a.sh", 'x: y']   # a comment
      timeout: 5s
      n: [0x10, 0o17, -3, 1.5, 1e3, ~, null, true, yes]
      text: |
        one
        two
    - &a {b: 1}
    - *a
"""


def test_yaml_is_read_as_json_values() -> None:
    document = decode_yaml(YAML)
    first, second, third = document.value["hooks"]["pre_tool_call"]
    assert first["command"] == ["./a.sh", "x: y"] and first["timeout"] == "5s"
    assert first["n"] == [16, 15, -3, 1.5, 1000.0, None, None, True, "yes"]
    assert first["text"] == "one\ntwo\n" and second == third == {"b": 1}
    assert line_of(document, "hooks.pre_tool_call[0].n") == 5
    assert line_of(document, "hooks.pre_tool_call[1].b") == 9


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [1\n", "at line 2"),
        ("a: 1\n---\nb: 2\n", "a second document begins at line 2"),
        ("!!python/object:os.system x", "the tag tag:yaml.org,2002:python/object:os.system at line 1"),
        ("? [1]\n: 2\n", "a key must be a string at line 1"),
        ("a: *nosuch", "unknown alias .nosuch at line 1"),
        ("a: &a [*a]", "unknown alias .a at line 1"),
        ("[" * 65 + "]" * 65, "nesting of 64 exceeded at line 1"),
        ("- " * 65 + "x", "nesting of 64 exceeded at line 1"),
    ],
)
def test_yaml_that_is_refused(text: str, message: str) -> None:
    with pytest.raises(DecodeError, match=message):
        decode_yaml(text)


def test_yaml_aliases_are_counted_as_often_as_they_are_used() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    started = time.process_time()
    with pytest.raises(DecodeError, match="more than 20000 values"):
        decode_yaml("\n".join(lines))
    assert time.process_time() - started < 10


def test_yaml_notes_a_key_that_is_there_twice() -> None:
    document = decode_yaml("a: 1\na: 2\n")
    assert document.value == {"a": 2}
    assert document.duplicates == ("duplicate key 'a' at line 2: the last one counts",)


def test_toml_with_its_lines() -> None:
    text = '[[hooks]]\nname = "a"\n\n[[hooks]]\nname = "b"\n[hooks.env]\nX = 1\n[tool.x]\nwhen = 2020-01-01\n'
    document = decode_toml(text)
    assert document.value == {
        "hooks": [{"name": "a"}, {"name": "b", "env": {"X": 1}}], "tool": {"x": {"when": "2020-01-01"}}
    }  # fmt: skip
    paths = ("hooks[0].name", "hooks[1]", "hooks[1].env.X", "tool.x.when")
    assert [line_of(document, path) for path in paths] == [2, 4, 7, 9]
    with pytest.raises(DecodeError, match="line 1"):
        decode_toml("a = \n")


def test_the_ending_of_a_name_says_the_format() -> None:
    assert parse("a: 1", "x.yaml").value == parse("a: 1", "X.YML").value == {"a": 1}
    assert parse("a = 1", "x.toml").value == parse('{"a": 1}', "x.json").value == {"a": 1}


class Layered(Everruns):
    def layers(self, cwd: str, env: Mapping[str, str], platform: str) -> Sequence[Layer]:
        names = {"user": "user.json", "project": "repo.json", "local": "nosuch.json"}
        return [Layer(name, f"{env['HOME']}/{file}") for name, file in names.items()]


def test_layers_are_read_where_they_exist(tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path), "USERPROFILE": str(tmp_path)}
    (tmp_path / "user.json").write_text('{"hooks": []}')
    (tmp_path / "repo.json").write_text("{")
    found, problems = discover(Layered(), str(tmp_path), env, sys.platform)
    assert [(each.layer, each.contract, each.value) for each in found] == [
        ("user", "everruns", {"hooks": []})
    ]
    assert [each.file for each in problems] == [f"{tmp_path.as_posix()}/repo.json"]
    (tmp_path / "repo.json").write_bytes(b"\xff")
    assert "not UTF-8 at byte 1" in str(discover(Layered(), str(tmp_path), env, sys.platform)[1][0])


class Scattered(Layered):
    def layers(self, cwd: str, env: Mapping[str, str], platform: str) -> Sequence[Layer]:
        return [Layer("project", f"{cwd}/hooks/*.json")]


def test_all_files_of_a_directory_are_a_layer(tmp_path: Path) -> None:
    assert discover(Scattered(), tmp_path.as_posix(), {}, "linux") == ([], [])
    (tmp_path / "hooks").mkdir()
    for name in ("b.json", "a.json", "c.txt", ".d.json"):
        (tmp_path / "hooks" / name).write_text('{"hooks": []}')
    (tmp_path / "hooks" / "e.json").write_text("{")
    found, problems = discover(Scattered(), tmp_path.as_posix(), {}, "linux")
    assert [(each.name.rpartition("/")[2], each.layer) for each in found] == [
        ("a.json", "project"),
        ("b.json", "project"),
    ]
    assert [each.file.rpartition("/")[2] for each in problems] == ["e.json"]


@pytest.mark.parametrize("below", ["", "/hooks.json"])
def test_a_directory_with_too_many_files_is_a_problem_and_the_other_layers_stay(
    tmp_path: Path, below: str
) -> None:
    class Crowded(Layered):
        def layers(self, cwd: str, env: Mapping[str, str], platform: str) -> Sequence[Layer]:
            ending = "" if below else ".json"
            return [Layer("user", f"{cwd}/user.json"), Layer("project", f"{cwd}/hooks/*{ending}{below}")]

    (tmp_path / "user.json").write_text('{"hooks": []}')
    for number in range(MAX_FILES):
        file = tmp_path / f"hooks/{number:05}.json{below}"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text('{"hooks": []}')
    (tmp_path / "hooks" / ("0.txt" if not below else ".hidden")).write_text("not one of them")
    found, problems = discover(Crowded(), tmp_path.as_posix(), {}, "linux")
    assert (len(found), problems) == (1 + MAX_FILES, [])

    (tmp_path / f"hooks/000000.json{below}").parent.mkdir(exist_ok=True)
    (tmp_path / f"hooks/000000.json{below}").write_text('{"hooks": []}')
    found, problems = discover(Crowded(), tmp_path.as_posix(), {}, "linux")
    assert [each.layer for each in found] == ["user"] + ["project"] * MAX_FILES
    (problem,) = problems
    assert str(problem) == (
        f"{tmp_path.as_posix()}/hooks: has more than 1000 configurations; those after 00998.json are not read"
    )


def test_a_directory_of_very_many_files_is_read_in_the_order_of_their_names(tmp_path: Path) -> None:
    (tmp_path / "hooks").mkdir()
    for number in range(9 * MAX_FILES):
        (tmp_path / "hooks" / f"{number * 7919 % 9000:04}.json").write_text("{")
    paths, problems = layer_files(f"{tmp_path.as_posix()}/hooks/*.json")
    assert [path[-9:-5] for path in paths] == [f"{number:04}" for number in range(MAX_FILES)]
    assert len(problems) == 1


def test_an_error_while_listing_a_directory_is_a_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(directory: str) -> None:
        raise PermissionError(13, "Permission denied", directory)

    monkeypatch.setattr("sandhook.hooks.sources.os.scandir", fail)
    found, problems = discover(Scattered(), tmp_path.as_posix(), {}, "linux")
    assert (found, [str(each) for each in problems]) == (
        [],
        [f"{tmp_path.as_posix()}/hooks: Permission denied"],
    )


def test_what_may_be_done_with_the_files_of_a_layer() -> None:
    """Files of other agents, scripts and settings without hooks are only read."""
    from sandhook.hooks.contracts import get, names

    uses = {
        name: {each.path for each in get(name).layers("/p", {"HOME": "/h"}, "linux") if each.use == "read"}
        for name in names()
    }
    assert {name: paths for name, paths in uses.items() if paths} == {
        "crush": {"/h/.config/crush/crushrc", "/p/crushrc", "/p/.crushrc"},
        "copilot": {"/p/.claude/settings.json", "/p/.claude/settings.local.json"},
        "goose": {"/h/.config/goose/settings.json", "/p/.config/goose/settings.json"},
        "grok": {
            *("/etc/grok/requirements.toml", "/etc/grok/managed_config.toml"),
            *("/h/.grok/managed_config.toml", "/h/.grok/config.toml"),
            *("/h/.claude/settings.json", "/h/.claude/settings.local.json"),
            *("/p/.claude/settings.json", "/p/.claude/settings.local.json"),
        },
    }
