"""`if`: commands, paths, and what cannot be judged."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sandhook.hooks import HookEngine, ToolPre
from sandhook.hooks.contracts import LoadOptions, get
from sandhook.hooks.contracts.claude_code.profile import Profile
from sandhook.hooks.contracts.claude_code.rule import RuleError, rule, wild
from tests.hooks.hooktools import Scripted, said

TABLES = Path(__file__).parent / "tables"


def runs(
    condition: str,
    tool: str,
    given: dict[str, Any],
    *,
    version: str = "",
    compat: str = "better",
    **more: Any,
) -> bool:
    profile = Profile(version) if version else Profile()
    made = rule(condition, profile, LoadOptions(compat, env={"HOME": "/home/me"}))
    return made.check(ToolPre(tool, given, **{"cwd": "/w/sub", "project_dir": "/w", **more})).matched


@pytest.mark.parametrize(
    ("condition", "hit", "miss"),
    [
        ("Bash", ["ls", ""], []),
        ("Bash(*)", ["ls", ""], []),
        ("Bash(ls)", ["ls", "cd x; ls", "A=1 ls"], ["ls -l", "lsof"]),
        ("Bash(ls *)", ["ls", "ls -la", "ls -la /x y"], ["lsof", "als"]),
        ("Bash(ls:*)", ["ls", "ls -la"], ["lsof"]),
        ("Bash(ls*)", ["ls", "lsof"], ["als"]),
        ("Bash(git push *)", ["git push", "git push --force o m"], ["git pull", "git pushy"]),
        ("Bash(* --force)", ["git push --force", "x --force"], ["git push --force now"]),
        ("Bash(git * main)", ["git checkout main", "git push origin main"], ["git main", "git checkout x"]),
        (
            "Bash(rm *)",
            [
                *("a && rm x", "a || rm x", "a; rm x", "a | rm x", "a |& rm x", "a & rm x", "a\nrm x"),
                *("echo $(rm x)", "echo `rm x`", 'echo "$(rm x)"', "cat <(rm x)", "f() { rm x; }; f"),
                *("if true; then rm x; fi", "for i in 1; do rm $i; done", "( rm x )", "{ rm x; }"),
                *("X=1 Y=2 rm x", "timeout 5 rm x", "timeout -k 1 5 rm x", "time rm x", "nice -n 5 rm x"),
                *("nohup rm x", "stdbuf -oL rm x", "command rm x", "builtin rm x", "xargs rm", "r\\m x"),
                *("'rm' x", "! rm x", "echo $(echo `rm x`)", "rm", "x > $(rm y)", "cat <<E\n$(rm x)\nE"),
                *(
                    "cat <<'E'\n$(rm x)\nE",
                    "cat <(ls)",
                    "while ls; do ls; done",
                ),  # the agent compares nothing here
                *("[[ $(rm x) ]]", "(( `rm x` ))", "echo ${x:-$(rm y)}", "x=$(rm y)", 'echo <<<"$(rm x)"'),
            ],
            [
                "lsrm x",
                "echo rm",
                "echo 'a; rm x'",
                "xargs -0 rm",
                "# rm x",
                "rmdir x",
            ],
        ),
        ("Bash(npm run test *)", ["npm run test", "npm run test -- -u"], ["npm run testing"]),
        ('Bash(echo "a b" *)', ['echo "a b" c'], ["echo a"]),
        ('Bash(node -e "f()")', ['node -e "f()"'], ["node -e g"]),
    ],
)
def test_commands(condition: str, hit: list[str], miss: list[str]) -> None:
    assert [text for text in hit if not runs(condition, "Bash", {"command": text})] == []
    assert [text for text in miss if runs(condition, "Bash", {"command": text})] == []


def test_what_cannot_be_judged_runs_the_hook() -> None:
    for command in ("if", "echo 'a", "echo $(", "echo `if`"):
        assert runs("Bash(rm *)", "Bash", {"command": command}), command
    for command in ("echo $(date)", "echo `date`", "echo $X"):
        assert runs("Bash(git push *)", "Bash", {"command": command}), command
        assert not runs("Bash(git *)", "Bash", {"command": command}), command
    assert not runs("Bash(git push *)", "Bash", {"command": "echo $HOME"})
    assert not runs("Bash(git push *)", "Bash", {"command": "echo '$HOME'"})
    assert runs("Bash(rm *)", "Bash", {"command": "nohup " * 20_000 + "ls"})
    assert not runs("Bash(rm *)", "Bash", {"command": "nohup " * 30 + "ls"})


def recorded(step: int) -> Iterator[tuple[str, str, bool]]:
    """Yield a rule, a command, and whether Claude Code ran a hook with this rule; of one in so many commands."""
    tables = json.loads((TABLES / "claude_code_if.json").read_text(encoding="utf-8"))["tables"]
    for table in tables:
        for command, numbers in table["commands"][::step]:
            for number, each in enumerate(table["rules"]):
                yield each, command, number in numbers


STEPS = (10, pytest.param(1, marks=pytest.mark.slow))


@pytest.mark.parametrize("step", STEPS)
def test_a_rule_for_commands_matches_as_recorded(step: int) -> None:
    for each, command, ran in recorded(step):
        assert runs(each, "Bash", {"command": command}, compat="strict") == ran, (each, command)


@pytest.mark.parametrize("step", STEPS)
def test_in_better_mode_a_hook_runs_wherever_claude_code_runs_it(step: int) -> None:
    for each, command, ran in recorded(step):
        looked_through = command.startswith("time ")  # as the documentation promises: L-CLAUDE-013
        assert not ran or looked_through or runs(each, "Bash", {"command": command}), (each, command)


def test_before_2_1_163_substitutions_are_not_looked_into() -> None:
    for command in ("echo $(rm x)", "echo `rm x`"):
        assert not runs("Bash(rm *)", "Bash", {"command": command}, version="2.1.162")
        assert runs("Bash(rm *)", "Bash", {"command": command}, version="2.1.163")
    assert not runs("Bash(git push *)", "Bash", {"command": "echo $HOME"}, version="2.1.162")
    assert runs("Bash(rm *)", "Bash", {"command": "a; rm x"}, version="2.1.162")


@pytest.mark.parametrize(
    ("pattern", "hit", "miss"),
    [
        ("src/**", ["/w/sub/src/a.c", "src/a/b.c"], ["/w/src/a.c", "/w/sub/x/src/a.c", "/w/sub/src2/a"]),
        ("./src/**", ["/w/sub/src/a.c"], ["/w/src/a.c"]),
        ("**/src/**", ["/w/sub/src/a", "/w/sub/x/src/a"], ["/w/src/a"]),
        ("/src/**", ["/w/src/a.c"], ["/w/sub/src/a.c"]),
        ("/a.c", ["/w/a.c"], ["/w/sub/a.c"]),
        ("//etc/**", ["/etc/passwd", "/etc/ssh/x"], ["/w/etc/passwd"]),
        ("~/.ssh/**", ["/home/me/.ssh/id"], ["/w/sub/.ssh/id"]),
        ("*.ts", ["/w/sub/a.ts", "/w/sub/x/y.TS", "/x/a.ts"], ["/w/sub/a.tsx"]),
        (".env", ["/w/sub/.env", "/w/sub/x/.env"], ["/w/sub/xenv"]),
        ("src", ["/w/sub/src/a/b"], ["/w/sub/srcs"]),
        ("src/*.c", ["/w/sub/src/a.c"], ["/w/sub/src/x/a.c"]),
        ("a?.[ch]", ["/w/sub/ab.c"], ["/w/sub/a.c", "/w/sub/ab.o"]),
        ("[!a].c", ["/w/sub/b.c"], ["/w/sub/a.c"]),
        ("a+(b).c", ["/w/sub/a+(b).c"], ["/w/sub/aab.c"]),
        ("src/**", ["/w/sub/x/../src/a"], ["/w/sub/src/../b", "src/../../x"]),
    ],
)
def test_paths(pattern: str, hit: list[str], miss: list[str]) -> None:
    condition = f"Edit({pattern})"
    assert [text for text in hit if not runs(condition, "Write", {"file_path": text})] == []
    assert [text for text in miss if runs(condition, "Edit", {"file_path": text})] == []


def test_paths_of_windows() -> None:
    where = {"cwd": "C:\\w", "project_dir": "C:\\w"}
    assert runs("Edit(src/**)", "Edit", {"file_path": "C:\\w\\src\\a.c"}, **where)
    assert runs("Edit(src/**)", "Edit", {"file_path": "c:\\w\\src\\a.c"}, **where)
    assert not runs("Edit(src/**)", "Edit", {"file_path": "C:\\x\\src\\a.c"}, **where)


def test_before_2_1_214_a_directory_is_any_of_that_name() -> None:
    deep = {"file_path": "/w/sub/x/src/a"}
    assert runs("Edit(src/**)", "Edit", deep, version="2.1.213")
    assert not runs("Edit(src/**)", "Edit", deep, version="2.1.214")


@pytest.mark.parametrize(
    ("condition", "tool", "given", "wanted"),
    [
        ("Edit(*.c)", "NotebookEdit", {"notebook_path": "/w/sub/a.c"}, True),
        ("Edit(*.c)", "Read", {"file_path": "/w/sub/a.c"}, False),
        ("Write(*.c)", "Edit", {"file_path": "/w/sub/a.c"}, False),
        ("Read(*.c)", "Grep", {"path": "/w/sub/a.c"}, True),
        ("Read", "Glob", {"pattern": "*"}, True),
        ("WebFetch(domain:example.com)", "WebFetch", {"url": "https://u@Example.com:8/x"}, True),
        ("WebFetch(domain:example.com)", "WebFetch", {"url": "https://example.com.evil.org/"}, False),
        ("WebFetch(domain:*.example.com)", "WebFetch", {"url": "https://a.example.com"}, True),
        ("Agent(reviewer)", "Agent", {"subagent_type": "reviewer"}, True),
        ("Agent(reviewer)", "Agent", {"subagent_type": "other"}, False),
        ("mcp__memory", "mcp__memory__read", {}, True),
        ("mcp__memory", "mcp__memory2__read", {}, False),
        ("mcp__memory__*", "mcp__memory__read", {}, True),
        ("mcp__memory__read", "mcp__memory__write", {}, False),
        ("PowerShell(Remove-Item *)", "PowerShell", {"command": "Remove-Item x"}, True),
        ("Bash(rm *)", "PowerShell", {"command": "rm x"}, False),
        ("TodoWrite(x)", "TodoWrite", {}, True),  # nothing is known of its arguments
        ("Bash(rm *)", "Bash", {"command": 5}, False),
    ],
)
def test_other_tools(condition: str, tool: str, given: dict[str, Any], wanted: bool) -> None:
    assert runs(condition, tool, given) is wanted


@pytest.mark.parametrize(
    "text",
    [
        *("Bash(", "Bash)", "(x)", "Bash(a) && Edit(b)", "Bash(a) || Bash(b)", "Bash(a), Edit(b)"),
        *("Bash|Edit", "Bash Edit", "Bash(a) Edit"),
    ],
)
def test_what_is_no_single_rule_is_a_fault(text: str) -> None:
    with pytest.raises(RuleError, match="wanted one permission rule"):
        rule(text, Profile(), LoadOptions())
    hook = {"type": "command", "command": "x", "if": text}
    made = HookEngine.load(
        {"hooks": {"PreToolUse": [{"hooks": [hook]}]}}, "claude_code", runner=Scripted(said())
    )
    assert [problem.path for problem in made.problems] == ["hooks.PreToolUse[0].hooks[0].if"]


def test_stars_are_matched_in_linear_time() -> None:
    assert not wild("*a" * 2000 + "b", "a" * 20_000)
    assert wild("a*b*c", "axxbxxc") and not wild("ab*ba", "aba")


def test_a_rule_says_what_it_looked_at() -> None:
    hook = {"type": "command", "command": "x", "if": "Bash(rm *)"}
    made = HookEngine.load(
        {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}},
        get("claude_code"),
        runner=Scripted(said()),
    )
    assert made.fire(ToolPre("Bash", {"command": "ls"})).outcomes[0].why == (
        '`if` Bash(rm *): no command of "ls" is like it'
    )
