"""Matchers: which events they want, and that they say why; every agent's rules can be expressed."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from sandhook.hooks import Event, SessionStart, Stop, ToolPre
from sandhook.hooks import matcher as matcher_module
from sandhook.hooks.flavour import compile_search
from sandhook.hooks.matcher import (
    ALWAYS,
    All,
    AnyOf,
    Argument,
    Exact,
    Field,
    Glob,
    Matcher,
    Never,
    NotEmpty,
    OneOf,
    Prefixes,
    Regex,
    TextTest,
    ToolName,
)
from sandhook.pattern.errors import PatternError
from tests.hooks.hooktools import engine, hook


def regex(pattern: str, flavour: str = "go") -> Regex:
    return Regex(pattern, flavour, compile_search(pattern, flavour))


# Everruns' rules, as its configuration has them.


def fires(matcher: dict[str, str], tool: str, arguments: Any) -> bool:
    made, runner = engine(hook(matcher=matcher))
    assert made.problems == ()
    made.fire(ToolPre(tool, arguments))
    return bool(runner.requests)


@pytest.mark.parametrize(
    ("matcher", "tool", "wanted"),
    [
        ({}, "anything", True),
        ({"tool_name": "bash"}, "bash", True),
        ({"tool_name": "bash"}, "Bash", False),
        ({"tool_name": "bash"}, "bash2", False),
        ({"tool_name_glob": " bash* | edit_file "}, "bash_x", True),
        ({"tool_name_glob": " bash* | edit_file "}, "edit_file", True),
        ({"tool_name_glob": " bash* | edit_file "}, "edit_file2", False),
        ({"tool_name_glob": "mcp_*"}, "mcp_github_get_me", True),
        ({"tool_name_glob": "*"}, "", True),
        ({"tool_name_glob": "| |"}, "x", False),
        ({"tool_name": "bash", "tool_name_glob": "b*"}, "bash", True),
        ({"tool_name": "bash", "tool_name_glob": "e*"}, "bash", False),
    ],
)
def test_names(matcher: dict[str, str], tool: str, wanted: bool) -> None:
    assert fires(matcher, tool, {}) is wanted


@pytest.mark.parametrize(
    ("matcher", "arguments", "wanted"),
    [
        ({"args_jsonpath": "$.a"}, {"a": "x"}, True),
        ({"args_jsonpath": "a"}, {"a": "x"}, True),
        ({"args_jsonpath": "$.a"}, {"a": ""}, False),
        ({"args_jsonpath": "$.a"}, {"a": None}, False),
        ({"args_jsonpath": "$.a"}, {}, False),
        ({"args_jsonpath": "$.a"}, [1], False),
        ({"args_jsonpath": "$.a"}, {"a": 0}, True),
        ({"args_jsonpath": "$.a"}, {"a": False}, True),
        ({"args_jsonpath": "$.a..b."}, {"a": {"b": 1}}, True),
        ({"args_jsonpath": "$.a[0]"}, {"a": [1]}, False),
        ({"args_jsonpath": "$.a.0"}, {"a": [1]}, False),
        ({"args_jsonpath": "$"}, {"a": 1}, False),
        ({"args_jsonpath": "$."}, {"a": 1}, True),
        ({"args_jsonpath": "$.a", "match_regex": "^x$"}, {"a": "x"}, True),
        ({"args_jsonpath": "$.a", "match_regex": "^x$"}, {"a": "x\n"}, False),
        ({"args_jsonpath": "$.a", "deny_regex": "x"}, {"a": "axb"}, True),
        ({"args_jsonpath": "$.a", "deny_regex": "x"}, {"a": "b"}, False),
        ({"args_jsonpath": "$.a", "match_regex": "^$"}, {}, True),
        ({"args_jsonpath": "$.a", "match_regex": '"b":\\[1,2\\]'}, {"a": {"b": [1, 2]}}, True),
        (
            {"args_jsonpath": "$.a", "match_regex": "(^|[;&|()[:space:]])git([[:space:]]|$)"},
            {"a": "git status"},
            True,
        ),
        ({"args_jsonpath": "$.a", "match_regex": r"^\w+\s\d$"}, {"a": "größe\u2003٣"}, True),
        ({"args_jsonpath": "$.a", "match_regex": "(?i)DROP"}, {"a": "drop table"}, True),
        ({"args_jsonpath": "$.a", "match_regex": "a.b"}, {"a": "a\nb"}, False),
        ({"args_jsonpath": "$.a", "match_regex": "\ufffd|x"}, {"a": "\ud800x"}, True),
        ({"match_regex": "."}, {"a": "x"}, False),
        ({"deny_regex": ""}, {"a": "x"}, False),
    ],
)
def test_arguments(matcher: dict[str, str], arguments: Any, wanted: bool) -> None:
    assert fires(matcher, "bash", arguments) is wanted


@pytest.mark.parametrize("pattern", [r"\<a", r"a\>", r"\b{start}a", r"\\\<a"])
def test_what_re2_would_read_otherwise_is_refused(pattern: str) -> None:
    with pytest.raises(PatternError, match="L-EVERRUNS-005"):
        compile_search(pattern, "rust")


@pytest.mark.parametrize("pattern", [r"\\<a", r"\ba\B", r"\\b{2}", "<a>"])
def test_their_harmless_neighbours_are_not(pattern: str) -> None:
    assert compile_search(pattern, "rust")("<a>") in (True, False)


def test_a_matcher_is_linear_in_its_text() -> None:
    assert not fires({"args_jsonpath": "$.a", "match_regex": "(a*)*b"}, "bash", {"a": "a" * 200_000})


# The parts, in other agents' rules.

ALIASES = {"execute": ("Bash", "run_shell"), "write": ("Write",)}


@pytest.mark.parametrize(
    ("matcher", "event", "wanted"),
    [
        # Crush: an expression anywhere in the raw name; nothing wants everything.
        (ToolName(regex("bash")), ToolPre("mcp_x_bash"), True),
        (ToolName(regex("^bash$")), ToolPre("mcp_x_bash"), False),
        # jcode: exact parts and expressions between bars, over the name and its aliases.
        (
            AnyOf((ToolName(Exact("write"), ALIASES), ToolName(Exact("edit"), ALIASES))),
            ToolPre("write"),
            True,
        ),
        (ToolName(Exact("Bash"), ALIASES), ToolPre("execute"), True),
        (ToolName(Exact("write"), ALIASES), ToolPre("todowrite"), False),
        (ToolName(Exact("write"), ALIASES, absent=""), Stop(), False),
        (ToolName(Exact(""), ALIASES, absent=""), Stop(), True),
        (ToolName(Exact("write")), Stop(), False),
        # ub: list membership.
        (ToolName(OneOf(("edit", "write"))), ToolPre("multiedit"), False),
        (ToolName(OneOf(("edit", "write"))), ToolPre("edit"), True),
        # Claude Code: other fields of the event.
        (Field("source", Exact("startup")), SessionStart(extras={"source": "startup"}), True),
        (Field("source", Exact("startup")), SessionStart(), False),
        (Field("session_id", NotEmpty()), SessionStart(session_id="s"), True),
        (
            All((ToolName(Glob("b*")), Argument(("command",), Glob("git *"), "command"))),
            ToolPre("bash", {"command": "git push"}),
            True,
        ),
        (All(()), ToolPre("x"), True),
        (AnyOf(()), ToolPre("x"), False),
        (ALWAYS, ToolPre("x"), True),
        (Never("a reason"), ToolPre("x"), False),
    ],
)
def test_parts(matcher: Matcher, event: Event, wanted: bool) -> None:
    match = matcher.check(event)
    assert match.matched is wanted
    assert match.why


@pytest.mark.parametrize(
    ("test", "said"),
    [
        (Exact("b"), 'tool name "a" is not "b"'),
        (OneOf(("b", "c")), 'tool name "a" is not one of "b", "c"'),
        (Prefixes(("b*", "c")), 'tool name "a" is not like "b*|c"'),
        (Glob("b*"), 'tool name "a" is not like "b*"'),
        (regex("^b"), 'tool name "a" is not matched by /^b/'),
        (regex("b" * 100), f'tool name "a" is not matched by /{"b" * 77}.../'),
    ],
)
def test_why_not(test: TextTest, said: str) -> None:
    assert ToolName(test).check(ToolPre("a")).why == said


def test_the_first_part_that_fails_says_why() -> None:
    both = All((ToolName(Exact("bash")), Argument(("command",), regex("^git"), "$.command")))
    assert both.check(ToolPre("bash", {"command": "ls"})).why == '$.command = "ls" is not matched by /^git/'
    assert both.check(ToolPre("edit", {"command": "ls"})).why == 'tool name "edit" is not "bash"'
    yes = both.check(ToolPre("bash", {"command": "git x"})).why
    assert yes == 'tool name "bash" is "bash", $.command = "git x" is matched by /^git/'


@pytest.mark.parametrize(
    ("pattern", "hit", "miss"),
    [
        ("^(?!Edit)", ["Bash", "NotebookEdit", ""], ["Edit", "Edits"]),
        ("^(?!Edit|Write).*t$", ["Test"], ["Edit", "Writet", "Bash"]),
        ("^(?=mcp__)(?!mcp__bad).*__read", ["mcp__a__read"], ["mcp__bad__read", "a__read"]),
        ("(?=Bash)", ["Bash", "xBash"], ["Edit"]),
        ("^(?![(|)])x", ["x"], ["(x"]),
    ],
)
def test_lookaheads_at_the_beginning(pattern: str, hit: list[str], miss: list[str]) -> None:
    search = compile_search(pattern, "js")
    assert [text for text in hit if not search(text)] == []
    assert [text for text in miss if search(text)] == []


@pytest.mark.parametrize("pattern", ["^(?!a)b|c", "(?=a)b", "a(?!b)", "^(?<!a)b", "^(?!a", "(?!a)"])
def test_other_lookaround_is_an_error(pattern: str) -> None:
    with pytest.raises(PatternError):
        compile_search(pattern, "js")


class TestWhatIsKnownOfATool:
    """A matcher remembers what it decided about a name."""

    @staticmethod
    def tool(name: str) -> Event:
        return ToolPre(name)

    def test_each_name_and_each_case_is_decided_by_itself(self) -> None:
        matcher = ToolName(OneOf(("Bash", "Read")))
        names = ("Bash", "bash", "BASH", "Read", "Bash ", "Write")
        for _ in range(3):
            assert [matcher.check(self.tool(name)).matched for name in names] == [
                True,
                False,
                False,
                True,
                False,
                False,
            ]
        for name in names:
            known = matcher.known(self.tool(name))
            assert (
                known is not None
                and known == matcher.check(self.tool(name))
                and repr(name)[1:-1] in known.why
            )

    def test_nothing_is_known_of_a_new_name_and_of_another_matcher(self) -> None:
        matcher, other = ToolName(OneOf(("Bash",))), ToolName(OneOf(("Bash",)))
        assert matcher == other and matcher.known(self.tool("Bash")) is None
        assert matcher.check(self.tool("Bash")).matched
        assert matcher.known(self.tool("Bash")) is not None
        assert other.known(self.tool("Bash")) is matcher.known(self.tool("bash")) is None

    def test_an_identity_that_is_used_again_knows_nothing(self) -> None:
        """An entry keeps its matcher; one that is removed, and whose identity another has, is not believed."""
        first = ToolName(OneOf(("Bash",)))
        event = self.tool("Bash")
        decided = first.check(event)
        second = ToolName(OneOf(("Read",)))
        matcher_module._OF_NAMES[id(second), "Bash"] = (first, decided)
        assert second.known(event) is None and not second.check(event).matched
        references = sys.getrefcount(first)
        matcher_module._OF_NAMES.clear()
        assert sys.getrefcount(first) < references, "the entries kept it"
        assert first.known(event) is None and first.check(event).matched

    def test_matchers_that_come_and_go_are_never_confused(self) -> None:
        for number in range(500):
            wanted = f"tool{number % 7}"
            assert ToolName(OneOf((wanted,))).check(self.tool(wanted)).matched
            assert not ToolName(OneOf((wanted,))).check(self.tool("tool7")).matched

    def test_what_is_remembered_is_bounded(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(matcher_module, "_MOST_NAMES", 3)
        matcher_module._OF_NAMES.clear()
        matcher = ToolName(OneOf(("t5",)))
        decided = [matcher.check(self.tool(f"t{number}")).matched for number in range(10)]
        assert decided == [number == 5 for number in range(10)] and len(matcher_module._OF_NAMES) <= 3
        long = self.tool("x" * (matcher_module._LONGEST_NAME + 1))
        assert not matcher.check(long).matched and matcher.known(long) is None

    def test_aliases_and_events_without_a_tool(self) -> None:
        matcher = ToolName(OneOf(("Bash",)), {"shell": ("Bash",)}, absent="*")
        for _ in range(2):
            assert matcher.check(self.tool("shell")).matched and not matcher.check(self.tool("Shell")).matched
            assert not matcher.check(Stop()).matched
        assert not ToolName(OneOf(("Bash",))).check(Stop()).matched
        assert ToolName(OneOf(("*",)), absent="*").check(Stop()).matched
