"""A caller's functions as commands."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

import sandhook
from sandhook import Limits, Shell, UtilityContext, utility
from sandhook.command.context import Context, Failure
from sandhook.command.options import UsageError, opt, option_set
from sandhook.hooks.engine import HookEngine
from sandhook.hooks.events import ToolPre


@utility
def greet(ctx: UtilityContext) -> str:
    """greet NAME: say hello."""
    return f"hello {ctx.args[0]}\n"


@utility(name="to-upper")
def to_upper(ctx: UtilityContext) -> None:
    for line in ctx.stdin.lines():
        ctx.stdout.print(line.upper())


@utility
def boom(ctx: UtilityContext) -> int:
    raise {
        "key": KeyError("x"),
        "empty": RuntimeError(),
        "lines": ValueError("first\nsecond\x1b[31m"),
        "os": FileNotFoundError(2, "No such file or directory", "gone"),
        "usage": UsageError("missing operand"),
        "failure": Failure("no such thing", 7),
        "deep": RecursionError("maximum recursion depth exceeded"),
        "exit": SystemExit(9),
        "exit-none": SystemExit(),
        "exit-text": SystemExit("stopped"),
    }[ctx.args[0]]


@utility
def give(ctx: UtilityContext) -> object:
    return {"none": None, "text": "t", "bytes": b"\xff", "status": 300, "true": True, "list": []}[ctx.args[0]]


def run(script: str, *utilities: object, **named: object) -> tuple[int, str, str]:
    result = Shell(utilities=list(utilities), **named).run(script)
    return result.exit_status, result.stdout, result.stderr


def test_a_command_stands_anywhere_in_a_script() -> None:
    assert run("for n in a b; do greet $n; done | to-upper", greet, to_upper) == (0, "HELLO A\nHELLO B\n", "")
    assert run("type -t greet; command -v greet; x=$(greet you); echo $x", greet)[1] == (
        "file\n/usr/bin/greet\nhello you\n"
    )
    assert run("printf 'a\\nb\\n' | xargs -n1 greet", greet)[1] == "hello a\nhello b\n"


def test_it_belongs_to_its_shell_alone() -> None:
    assert run("greet x", greet)[0] == 0
    assert run("greet x")[0] == 127


def test_the_function_is_still_a_function() -> None:
    assert greet.function is not None and greet.name == "greet" and greet.__doc__ == "greet NAME: say hello."


@pytest.mark.parametrize(
    ("what", "status", "stderr"),
    [
        ("key", 1, "boom: KeyError: 'x'\n"),
        ("empty", 1, "boom: RuntimeError\n"),
        ("lines", 1, "boom: ValueError: first\n"),
        ("os", 1, "boom: gone: No such file or directory\n"),
        ("usage", 1, "boom: missing operand\nTry 'boom --help' for more information.\n"),
        ("failure", 7, "boom: no such thing\n"),
        ("deep", 1, "boom: RecursionError: maximum recursion depth exceeded\n"),
        ("exit", 9, ""),
        ("exit-none", 0, ""),
        ("exit-text", 1, "boom: stopped\n"),
    ],
)
def test_what_it_raises_is_one_line_and_a_status(what: str, status: int, stderr: str) -> None:
    assert run(f"boom {what}; exit $?", boom) == (status, "", stderr)


@pytest.mark.parametrize(
    ("what", "status", "stdout", "stderr"),
    [
        ("none", 0, "", ""),
        ("text", 0, "t", ""),
        ("bytes", 0, "\udcff", ""),
        ("status", 44, "", ""),
        ("true", 1, "", "give: TypeError: wanted a status, text or None from give, got True\n"),
        ("list", 1, "", "give: TypeError: wanted a status, text or None from give, got []\n"),
    ],
)
def test_what_it_returns(what: str, status: int, stdout: str, stderr: str) -> None:
    assert run(f"give {what}", give) == (status, stdout, stderr)


def test_limits_pass_through_whatever_the_function_catches() -> None:
    @utility
    def spin(ctx: UtilityContext) -> int:
        try:
            while True:
                ctx.budget.charge(1)
        except Exception:
            return 0

    result = Shell(utilities=[spin], limits=Limits(steps=5000)).run("spin || echo caught; echo on")
    assert (result.limit, result.stdout, result.exit_status) == ("steps", "", 137)


def test_output_counts_against_the_limit() -> None:
    @utility
    def flood(ctx: UtilityContext) -> None:
        while True:
            ctx.stdout.write(b"x" * 1000)

    assert Shell(utilities=[flood]).run("flood").limit == "output_bytes"
    assert run("flood | head -c 3", flood) == (0, "xxx", "")


@pytest.mark.parametrize("count", [20, 200_000])
def test_an_error_of_output_is_reported_as_by_every_utility(count: int) -> None:
    @utility
    def fill(ctx: UtilityContext) -> None:
        ctx.stdout.write(b"x" * count)

    assert run("fill > /dev/full", fill)[2] == "fill: write error: No space left on device\n"
    assert run("fill >&-", fill)[2] == "fill: write error: Bad file descriptor\n"


@option_set
class LevelOptions:
    """level [-n COUNT]: say the level."""

    number: int = opt("-n", "COUNT", "which level", convert=int, default=0)


class Level:
    """A utility as a module declares it, which raises what its operand names."""

    Options = LevelOptions

    def run(self, options: LevelOptions, operands: list[str], ctx: Context) -> int | None:
        if operands == ["value"]:
            raise ValueError("no\nmore")
        if operands == ["leave"]:
            raise SystemExit(300)
        if operands == ["odd"]:
            return []  # type: ignore[return-value]
        while operands == ["spin"]:
            with suppress(Exception):
                ctx.budget.charge(100)
                continue
            break
        ctx.write(b"level %d\n" % options.number)
        return None


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("", (0, "level 0\n", "")),
        ("-n 3", (0, "level 3\n", "")),
        ("value", (1, "", "level: ValueError: no\n")),
        ("leave", (44, "", "")),
        ("odd", (1, "", "level: TypeError: wanted a status, text or None from level, got []\n")),
        ("-x", (1, "", "level: invalid option -- 'x'\nTry 'level --help' for more information.\n")),
        ("-n 1 > /dev/full", (1, "", "level: write error: No space left on device\n")),
    ],
)
def test_a_module_of_a_caller_raises_no_more_than_a_function(words: str, expected: object) -> None:
    result = Shell(utilities={"level": Level()}).run(f"level {words}")
    assert (result.exit_status, result.stdout, result.stderr) == expected
    assert "level [-n COUNT]" in Shell(utilities={"level": Level()}).run("level --help").stdout


def test_a_limit_passes_through_a_module_that_catches_it() -> None:
    result = Shell(utilities={"level": Level()}, limits=Limits(steps=5000)).run("level spin || echo caught")
    assert (result.limit, result.stdout) == ("steps", "")


@pytest.mark.parametrize("each", [object(), type("A", (), {"run": 3})(), type("B", (), {"run": print})()])
def test_what_cannot_be_a_command_is_an_error_at_once(each: object) -> None:
    with pytest.raises(TypeError, match="cannot be the command level: it has no"):
        Shell(utilities={"level": each})  # type: ignore[dict-item]


def test_files_variables_and_streams() -> None:
    @utility
    def all_of_it(ctx: UtilityContext) -> int:
        ctx.write("out", ctx.read("in") + ctx.read("-"))
        ctx.write("out", "!", append=True)
        ctx.stdout.print(ctx.env["V"], ctx.cwd, ctx.path("x"), ctx.name, sep=",")
        ctx.stderr.print("note")
        return ctx.run("cat", "out")

    script = "cd /tmp; echo 1 > in; echo 2 | V=v all_of_it 2>&1"
    assert run(script, all_of_it) == (0, "v,/tmp,/tmp/x,all_of_it\nnote\n1\n2\n!", "")


def test_it_stops_reading_where_it_stopped() -> None:
    @utility
    def first(ctx: UtilityContext) -> bytes:
        return next(iter(ctx.stdin))

    assert run("printf '1\\n2\\n' > f; { first; cat; } < f", first)[1] == "1\n2\n"


def test_options_are_parsed_as_of_any_utility() -> None:
    @option_set
    class Options:
        """repeat [-n COUNT] WORD

        Print WORD.
        """

        count: int = opt("-n", "--count", "COUNT", "how often", convert=int, default=1)

    @utility(options=Options)
    def repeat(ctx: UtilityContext) -> str:
        return f"{ctx.args[0]}\n" * ctx.options.count

    assert run("repeat a -n2; repeat --count=1 b", repeat)[1] == "a\na\nb\n"
    assert run("repeat -x", repeat)[2].startswith("repeat: invalid option -- 'x'\n")
    assert "how often" in run("repeat --help", repeat)[1]


def test_hooks_have_them() -> None:
    @utility
    def refuse(ctx: UtilityContext) -> int:
        ctx.stderr.print("not", ctx.stdin.text().count("rm x"))
        return 2

    hooks = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "refuse"}]}]}}
    engine = HookEngine.load(hooks, "claude_code", utilities=[refuse])
    decision = engine.fire(ToolPre("Bash", {"command": "rm x"}))
    assert decision.refused and "not 1" in (decision.reason or "")
    with pytest.raises(ValueError, match="pass them to the runner"):
        HookEngine.load(hooks, "claude_code", utilities=[refuse], runner=lambda request: None)  # type: ignore[arg-type, return-value]


def test_names_are_checked() -> None:
    for name in ("", "a/b", "a b", "-x", "a;b"):
        with pytest.raises(ValueError, match="cannot be the name of a command"):
            utility(name=name)(lambda ctx: 0)
    with pytest.raises(ValueError, match="two are called greet"):
        Shell(utilities=[greet, greet])
    with pytest.raises(TypeError, match="decorate it"):
        Shell(utilities=[lambda ctx: 0])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="option_set"):
        utility(name="x", options=Path)(lambda ctx: 0)


def test_an_async_function_is_no_command() -> None:
    @utility
    async def later(ctx: UtilityContext) -> int:
        return 0

    assert run("later", later) == (
        1,
        "",
        "later: TypeError: later is an async function, which cannot be a command\n",
    )


def test_the_public_names() -> None:
    assert sandhook.utility is utility and {"utility", "UtilityContext"} <= set(sandhook.__all__)
