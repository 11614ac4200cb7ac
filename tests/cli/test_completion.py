"""sandhook completion: the scripts in the real shells that this machine has."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sandhook.cli import COMMANDS
from sandhook.cli.commands import options_of, parser_of
from sandhook.cli.completion import SHELLS, script
from sandhook.hooks import contracts
from sandhook.recipes.catalogue import NAMES

Sandhook = Callable[..., Any]

#: Completes the words that are arguments, as bash does at a press of the tabulator, and prints what is offered.
_PRESS = """
set -u
. ./script
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE} COMPREPLY=()
spec=$(complete -p sandhook)
function=${spec#*-F } function=${function%% *}
"$function" sandhook "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}" 2>errors
printf '%s\\n' "${COMPREPLY[@]-}"
"""


@pytest.fixture(scope="module")
def bash(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., set[str]]:
    directory = tmp_path_factory.mktemp("completion")
    (directory / "script").write_text(script("bash"), encoding="utf-8", newline="\n")
    (directory / "guard.json").write_text("{}")
    (directory / "hooks").mkdir()

    def press(*words: str) -> set[str]:
        ended = subprocess.run(
            ["bash", "--norc", "-c", _PRESS, "bash", "sandhook", *words],
            cwd=directory, capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        assert ended.returncode == 0, ended.stderr
        return {word.strip() for word in ended.stdout.splitlines()} - {""}

    return press


with_bash = pytest.mark.skipif(
    shutil.which("bash") is None or sys.platform == "win32", reason="there is no bash of Unix on this machine"
)


@with_bash
def test_bash_completes_commands(bash: Callable[..., set[str]]) -> None:
    assert bash("") >= set(COMMANDS)
    assert bash("port") == {"portability"}
    assert bash("un") == {"uninstall", "unwrap"}


@with_bash
@pytest.mark.parametrize("command", COMMANDS)
def test_bash_completes_the_options_of_every_command(bash: Callable[..., set[str]], command: str) -> None:
    wanted = {
        flag
        for action in options_of(parser_of(command))
        for flag in action.option_strings
        if flag[:2] == "--"
    }
    assert bash(command, "--") >= wanted


@with_bash
@pytest.mark.parametrize(
    ("words", "offers"),
    [
        (("install", "guard.json", "--agent", "claude"), {"claude_code"}),
        (("install", "guard.json", "--agent", "crush", "mist"), {"mistral_vibe"}),
        (("portability", "--system", ""), {"linux", "macos", "git-bash", "windows"}),
        (("list", "--format", ""), {"text", "json"}),
        (("convert", "--to", "jc"), {"jcode"}),
        (("fire", "PreTool"), {"PreToolUse", "PreToolUseResult"}),
        (("explain", "tool.p"), {"tool.pre", "tool.post"}),
        (("schema", "exp"), {"expectations"}),
        (("schema", "--output", "ch"), {"chaos", "check"}),
        (("completion", ""), set(SHELLS)),
        (("help", "check"), {"check"}),
        (("check", "gua"), {"guard.json"}),
        (("init", "--recipe", NAMES[0]), {NAMES[0]}),
        (("chaos", "--fault", "no-j"), {"no-jq"}),
        (("record", "--output", "gua"), {"guard.json"}),
        (("list", "--contract", ""), set(contracts.names())),
        (("list", "--cwd", "h"), {"hooks"}),
    ],
)
def test_bash_completes_names_and_files(
    bash: Callable[..., set[str]], words: tuple[str, ...], offers: set[str]
) -> None:
    assert bash(*words) == offers


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_parse_their_script(tmp_path: Path, shell: str) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"there is no {shell} on this machine")
    (tmp_path / "script").write_text(script(shell), encoding="utf-8")
    ended = subprocess.run(
        [program, "-n", "script"], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert (ended.returncode, ended.stderr) == (0, "")


#: Types a line in a zsh of a pseudo-terminal, presses the tabulator, and prints what the screen shows.
_ZSH = r"""
zmodload zsh/zpty
zpty shell zsh -f -i
type_line() { zpty -w shell "$1"; }
type_line 'PS1=; unsetopt beep zle_bracketed_paste; fpath=($PWD/functions $fpath); autoload -Uz compinit; compinit -u -d $PWD/dump; echo re""ady'
zpty -r -m shell seen '*ready*'
zpty -w -n shell $'sandhook '"$1"$'\t\t'
for i in {1..100}; do
  sleep 0.1
  while zpty -r -t shell piece; do print -rn -- $piece; done
  ((i > 20)) && [[ -z $piece ]] && break
done
zpty -d shell
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "offer"),
    [
        ("port", "portability"),
        ("doctor --sand", "--sandbox"),
        ("init --agent clau", "claude_code"),
        ("chaos --ho", "--host"),
    ],
)
def test_zsh_completes(tmp_path: Path, words: str, offer: str) -> None:
    zsh = shutil.which("zsh")
    if zsh is None:
        pytest.skip("there is no zsh on this machine")
    (tmp_path / "functions").mkdir()
    (tmp_path / "functions" / "_sandhook").write_text(script("zsh"), encoding="utf-8")
    ended = subprocess.run(
        [zsh, "-f", "-c", _ZSH, "zsh", words], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert offer in ended.stdout, (ended.stdout, ended.stderr)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "offer"),
    [("doctor --sand", "--sandbox"), ("init --agent clau", "claude_code"), ("chaos --ho", "--host")],
)
def test_fish_completes_options_and_names(tmp_path: Path, line: str, offer: str) -> None:
    fish = shutil.which("fish")
    if fish is None:
        pytest.skip("there is no fish on this machine")
    (tmp_path / "script").write_text(script("fish"), encoding="utf-8")
    ended = subprocess.run(
        [fish, "--no-config", "-c", f"source script; complete -C 'sandhook {line}'"],
        cwd=tmp_path, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert offer in ended.stdout.split(), (ended.stdout, ended.stderr)


def test_fish_completes(tmp_path: Path) -> None:
    fish = shutil.which("fish")
    if fish is None:
        pytest.skip("there is no fish on this machine")
    (tmp_path / "script").write_text(script("fish"), encoding="utf-8")
    ended = subprocess.run(
        [fish, "--no-config", "-c", "source script; complete -C 'sandhook port'"],
        cwd=tmp_path, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert ended.stdout.split()[:1] == ["portability"]


def test_powershell_completes(tmp_path: Path) -> None:
    program = shutil.which("pwsh")
    if program is None:
        pytest.skip("there is no PowerShell 7 on this machine")
    (tmp_path / "script.ps1").write_text(script("powershell"), encoding="utf-8")
    line = "sandhook port"
    call = (
        f". ./script.ps1; [System.Management.Automation.CommandCompletion]::CompleteInput('{line}', {len(line)}, "
        "$null).CompletionMatches.CompletionText"
    )
    ended = subprocess.run(
        [program, "-NoProfile", "-c", call], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert "portability" in ended.stdout.split(), ended.stderr


def nodes_of(node: Any) -> Iterator[Any]:
    """Yield a node of tree-sitter and all nodes below it."""
    yield node
    for child in node.children:
        yield from nodes_of(child)


@pytest.fixture(scope="module")
def powershell() -> Any:
    """The tree of the script for PowerShell, by a grammar of that language."""
    tree_sitter = pytest.importorskip("tree_sitter")
    grammar = pytest.importorskip("tree_sitter_powershell")
    parser = tree_sitter.Parser(tree_sitter.Language(grammar.language()))
    assert parser.parse(b"if ($x { }").root_node.has_error  # it can fail
    return parser.parse(script("powershell").encode()).root_node


def test_powershell_can_parse_the_script(powershell: Any) -> None:
    assert not powershell.has_error
    assert [node.start_point for node in nodes_of(powershell) if node.is_missing] == []


def test_powershell_expands_nothing_in_what_the_script_knows(powershell: Any) -> None:
    """Names, choices and help are in quotes in which PowerShell reads no variable and no call."""
    literals = [node for node in nodes_of(powershell) if node.type == "hash_literal_expression"]
    tables = [node for node in literals if b"'_shtab_sandhook" in node.text]
    assert len(tables) > 3
    kinds = {node.type for table in tables for node in nodes_of(table)}
    assert "verbatim_string_characters" in kinds
    assert not kinds & {"expandable_string_literal", "sub_expression", "variable", "command"}


def test_powershell_calls_what_it_has_or_what_the_script_defines(powershell: Any) -> None:
    nodes = list(nodes_of(powershell))
    own = {node.text for node in nodes if node.type == "function_name"}
    called = {node.text for node in nodes if node.type == "command_name"}
    known = {b"ForEach-Object", b"Get-ChildItem", b"New-Object", b"Register-ArgumentCompleter", b"Write-Host"}
    assert called <= own | known
    (register,) = [
        node for node in nodes if node.type == "command" and b"Register-Arg" in node.children[0].text
    ]
    assert b"-Native" in register.text and b"-CommandName sandhook " in register.text


def test_powershell_has_the_options_of_every_command(powershell: Any) -> None:
    entries = [node.text.decode() for node in nodes_of(powershell) if node.type == "hash_entry"]
    for command in ("doctor", "chaos", "check", "vet"):
        (found,) = [each for each in entries if each.startswith(f"'_shtab_sandhook_{command}' = @('-h'")]
        options = {option for action in parser_of(command)._actions for option in action.option_strings}
        assert options <= set(re.findall(r"'([^']*)'", found))


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_names_every_command(sandhook: Sandhook, shell: str) -> None:
    ran = sandhook("completion", shell)
    assert (ran.status, ran.stderr) == (0, "")
    assert [name for name in COMMANDS if name not in ran.stdout] == []
    assert str(Path.home()) not in ran.stdout


def test_an_unknown_shell_is_an_error(sandhook: Sandhook) -> None:
    ran = sandhook("completion", "tcsh")
    assert ran.status == 2 and "tcsh" in ran.stderr
