"""Shell, Session, Result: what an embedder relies on."""

from __future__ import annotations

import asyncio
import threading

import pytest

from sandhook import Cancellation, Limits, Shell, ShellSyntaxError
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.path import VirtualPath


def test_a_run_gives_output_and_status() -> None:
    result = Shell().run("echo out; echo err >&2; exit 3")
    assert (result.stdout, result.stderr, result.exit_status) == ("out\n", "err\n", 3)
    assert (result.limit, result.truncated, result.defect) == (None, False, None)
    assert result.duration >= 0  # the clock may be too coarse to see it


def test_bytes_that_are_not_utf8_survive() -> None:
    result = Shell(files={"f": b"\xff\xfe\n"}).run("cat f; x=$(cat f); printf '%s' \"$x\"")
    assert result.stdout_bytes == b"\xff\xfe\n\xff\xfe"
    assert result.stdout.encode("utf-8", "surrogateescape") == result.stdout_bytes


def test_stdin_args_env_and_name() -> None:
    shell = Shell(env={"A": "1"})
    result = shell.run(
        'read -r l; echo "$0 $1 $# $A $B $l"', stdin="in\n", args=("x", "y"), env={"B": "2"}, name="hook"
    )
    assert result.stdout == "hook x 2 1 2 in\n"


def test_the_hosts_environment_is_not_inherited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SANDHOOK_SECRET", "s3cret")
    assert Shell().run('echo "[$SANDHOOK_SECRET]"; env | grep -c s3cret').stdout == "[]\n0\n"


def test_every_run_has_fresh_state_over_the_same_files() -> None:
    shell = Shell()
    shell.run("x=1; cd /tmp; set -f; f() { :; }; echo kept > /workspace/file")
    result = shell.run('echo "[$x] $PWD $-"; type f; cat file')
    assert result.stdout == "[] /workspace hBc\nkept\n"
    assert "f: not found" in result.stderr


def test_a_session_keeps_state() -> None:
    session = Shell().session()
    session.run("x=1; cd /tmp; f() { echo f $x; }; exit 4")
    assert session.run("f; pwd").stdout == "f 1\n/tmp\n"


def test_files_and_their_modes() -> None:
    shell = Shell(files={"s.sh": "#!/bin/bash\necho ran $1\n", "/etc/conf": "c\n", "d/plain": b"p"})
    assert shell.run("./s.sh x; cat /etc/conf d/plain; [ -x d/plain ] || echo no").stdout == "ran x\nc\npno\n"


@pytest.mark.parametrize("name", ["", "a/../../x", "nul\0"])
def test_unusable_file_names_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="name"):
        Shell(files={name: "x"})


def test_a_given_file_system_is_used() -> None:
    fs = MemoryFileSystem()
    Shell(fs=fs).run("echo hi > out")
    assert fs.read_bytes(VirtualPath("/workspace/out")) == b"hi\n"


def test_another_working_directory_is_made() -> None:
    assert Shell(cwd="/srv/app").run("pwd; echo x > f; cat /srv/app/f").stdout == "/srv/app\nx\n"


def test_a_syntax_error_is_told() -> None:
    result = Shell().run("echo before\nfi\n")
    assert (result.stdout, result.exit_status) == ("before\n", 2)
    assert isinstance(result.syntax_error, ShellSyntaxError)
    assert result.syntax_error.line == 2
    assert (
        result.stderr == "bash: -c: line 2: syntax error near unexpected token `fi'\nbash: -c: line 2: `fi'\n"
    )


def test_background_jobs_that_hold_the_output_are_waited_for() -> None:
    assert Shell().run("(sleep 1; echo late) & echo first").stdout == "first\nlate\n"


def test_background_jobs_that_do_not_end_with_the_run() -> None:
    result = Shell().run("sleep 1000 >/dev/null 2>&1 & echo first")
    assert (result.stdout, result.limit) == ("first\n", None)


def test_streaming_output() -> None:
    pieces: list[bytes] = []
    result = Shell().run("echo a; echo b", stdout=pieces.append)
    assert (b"".join(pieces), result.stdout_bytes) == (b"a\nb\n", b"")


def test_from_many_threads() -> None:
    wrong: list[str] = []

    def work(number: int) -> None:
        for _ in range(5):
            out = Shell(env={"N": str(number)}).run("for i in 1 2; do echo $N | cat; done; N=9").stdout
            if out != f"{number}\n" * 2:
                wrong.append(out)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_one_shell_from_many_threads() -> None:
    shell = Shell(files={"n": "0\n"})
    threads = [threading.Thread(target=lambda: shell.run("echo $(($(cat n) + 1)) > n")) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert shell.run("cat n").stdout == "20\n"


def test_in_an_event_loop() -> None:
    async def main() -> list[str]:
        shells = [Shell() for _ in range(10)]
        results = await asyncio.gather(*(shell.arun(f"sleep 2; echo {n}") for n, shell in enumerate(shells)))
        return [result.stdout for result in results] + [Shell().run("echo sync").stdout]

    assert asyncio.run(main()) == [f"{n}\n" for n in range(10)] + ["sync\n"]


def test_from_a_deep_stack() -> None:
    def descend(depth: int) -> str:
        return (
            descend(depth - 1)
            if depth
            else Shell().run("f() { (($1)) && f $(($1-1)) || echo end; }; f 300").stdout
        )

    assert descend(700) == "end\n"


#: A script that reaches the limit, and one that stops short of it.
BOUNDS = [
    ("steps", {"steps": 1000}, "while :; do :; done", "for ((i=0;i<200;i++)); do :; done"),
    ("wall_seconds", {"wall_seconds": 5}, "sleep 6", "sleep 4"),
    ("output_bytes", {"output_bytes": 1000}, "printf '%01001d' 0", "printf '%01000d' 0"),
    (
        "memory_bytes",
        {"memory_bytes": 1 << 20},
        "x=a; while :; do x=$x$x; done",
        "x=a; for i in {1..15}; do x=$x$x; done",
    ),
    ("call_depth", {"call_depth": 50}, "f() { f; }; f", "f() { (($1 < 45)) && f $(($1+1)) || :; }; f 0"),
    ("processes", {"processes": 20}, ":() { :|:& }; :", "for i in {1..15}; do sleep 1 & done; wait"),
    ("input_bytes", {"input_bytes": 3000}, None, "cat >/dev/null"),
    ("script_bytes", {"script_bytes": 100}, ": " + "x" * 100, ": " + "x" * 90),
    ("fields", {"fields": 100}, "echo {1..101}", "echo {1..100}"),
    ("nesting", {"nesting": 10}, "echo " + "$(echo " * 12 + ")" * 12, "( ( ( ( : ) ) ) )"),
]


@pytest.mark.parametrize(("limit", "bounds", "over", "under"), BOUNDS, ids=[bound[0] for bound in BOUNDS])
def test_every_limit_is_named(limit: str, bounds: dict[str, float], over: str | None, under: str) -> None:
    limits = Limits().with_(**bounds)
    result = Shell(limits=limits).run(over or "cat", stdin=b"x" * (4000 if over is None else 0))
    assert result.limit == limit
    assert result.exit_status != 0
    assert result.defect is None
    result = Shell(limits=limits).run(under)
    assert (result.limit, result.exit_status, result.defect) == (None, 0, None)


def test_file_system_bounds_are_errors_that_a_script_can_handle() -> None:
    shell = Shell(limits=Limits(fs_bytes=1000, fs_inodes=60))
    assert (
        shell.run("printf '%0900d' 0 > a && echo ok; printf '%0900d' 0 > b || echo full").stdout
        == "ok\nfull\n"
    )


@pytest.mark.parametrize(
    "script",
    [
        "while :; do :; done || echo caught",
        "trap 'echo caught' EXIT; while :; do :; done",
        "(while :; do :; done); echo caught",
        "x=$(while :; do :; done); echo caught",
        "set +e; { while :; do :; done; } 2>/dev/null; echo caught",
        "while :; do :; done | cat; echo caught",
    ],
)
def test_a_limit_cannot_be_caught(script: str) -> None:
    result = Shell(limits=Limits(steps=5000)).run(script)
    assert (result.limit, result.stdout) == ("steps", "")


def test_output_that_is_cut_says_so() -> None:
    result = Shell(limits=Limits(output_bytes=100)).run("while :; do echo 123456789; done")
    assert (result.truncated, result.limit) == (True, "output_bytes")
    assert len(result.stdout_bytes) == 100


def test_limits_can_differ_for_one_run() -> None:
    shell = Shell()
    assert shell.run("sleep 6").limit == "wall_seconds"
    assert shell.run("sleep 6", limits=Limits.generous()).limit is None


@pytest.mark.parametrize(
    "bounds", [{"wall_seconds": 0}, {"steps": -1}, {"fs_bytes": None}, {"wall_seconds": float("nan")}]
)
def test_limits_are_numbers_above_zero(bounds: dict[str, float]) -> None:
    (name,) = bounds
    with pytest.raises(ValueError, match=f"limits: {name}: wanted a finite number above 0"):
        Limits(**bounds)
    with pytest.raises(ValueError, match=f"limits: {name}: wanted a finite number above 0"):
        Limits().with_(**bounds)
    assert Limits(**{name: 1}) == Limits().with_(**{name: 1})


def pieces(*given: bytes):  # type: ignore[no-untyped-def]
    """Return a callable that gives these pieces, then the end, and counts how often it was asked."""
    rest = list(given)
    asked: list[int] = []

    def read(count: int, seconds: float) -> bytes:
        asked.append(count)
        assert 0 < seconds <= 5
        return rest.pop(0) if rest else b""

    return read, asked


def test_standard_input_can_come_piece_by_piece() -> None:
    read, _ = pieces(b"one\ntw", b"o\nthr", b"ee")
    result = Shell().run('read -r a; read -r b; echo "$a,$b,$(cat)"; cat', stdin=read)
    assert result.stdout == "one,two,three\n"


def test_standard_input_is_not_asked_for_more_than_is_read() -> None:
    read, asked = pieces(*[b"y\n" * 1000] * 100)
    assert Shell().run("head -n 1", stdin=read).stdout == "y\n"
    assert len(asked) == 1
    read, asked = pieces(b"unused")
    assert Shell().run("echo x", stdin=read).stdout == "x\n"
    assert asked == []


def test_standard_input_that_does_not_come_is_a_timeout() -> None:
    def never(count: int, seconds: float) -> bytes:
        raise TimeoutError

    result = Shell().run("cat; echo no", stdin=never)
    assert (result.limit, result.exit_status, result.stdout) == ("wall_seconds", 124, "")


def test_standard_input_is_bounded() -> None:
    result = Shell(limits=Limits(input_bytes=5000)).run(
        "cat >/dev/null", stdin=lambda count, seconds: b"x" * 1000
    )
    assert result.limit == "input_bytes"


def test_a_script_file_is_called_by_its_name() -> None:
    result = Shell().run('echo "$0 ${BASH_SOURCE[0]} $-"\nnosuch\nfi\n', name="hook.sh", from_file=True)
    assert (result.stdout, result.exit_status) == ("hook.sh hook.sh hB\n", 2)
    assert result.stderr == (
        "hook.sh: line 2: nosuch: command not found\n"
        "hook.sh: line 3: syntax error near unexpected token `fi'\nhook.sh: line 3: `fi'\n"
    )


# Output beyond the bound, and runs that their host ends.


def test_output_beyond_the_bound_is_dropped_when_asked() -> None:
    limits = Limits(output_bytes=10)
    result = Shell(limits=limits).run("echo 123456789012; echo err >&2; echo more; exit 3", overflow="drop")
    assert (result.stdout, result.stderr, result.exit_status) == ("1234567890", "err\n", 3)
    assert (result.limit, result.truncated, result.stdout_truncated) == (None, True, True)
    result = Shell(limits=limits).run("echo 12; echo 123456789012 >&2", overflow="drop")
    assert (result.truncated, result.stdout_truncated, result.stderr) == (True, False, "1234567890")


def test_dropped_output_still_costs_steps() -> None:
    result = Shell(limits=Limits(steps=20_000, output_bytes=10)).run("yes", overflow="drop")
    assert result.limit == "steps"


def test_an_unknown_overflow_is_refused() -> None:
    with pytest.raises(ValueError, match="overflow must be"):
        Shell().run("", overflow="maybe")


def test_a_run_can_be_cancelled_from_another_thread() -> None:
    cancellation = Cancellation()
    threading.Timer(0.05, cancellation.cancel).start()
    result = Shell(limits=Limits(wall_seconds=60, steps=10**12)).run(
        "while :; do :; done", cancel=cancellation
    )
    assert (result.limit, result.exit_status) == ("cancelled", 137)


def test_a_cancelled_run_does_not_begin() -> None:
    cancellation = Cancellation()
    cancellation.cancel()
    result = Shell().run("echo never", cancel=cancellation)
    assert (result.limit, result.stdout) == ("cancelled", "")


def test_a_cancellation_lets_go_of_runs_that_are_over() -> None:
    cancellation = Cancellation()
    shell = Shell()
    for _ in range(3):
        assert shell.run("echo x", cancel=cancellation).stdout == "x\n"
    cancellation.cancel()
    assert shell.run("echo x").stdout == "x\n"


def test_the_exit_trap_of_one_run_leaves_nothing_to_the_next() -> None:
    session = Shell().session()
    assert session.run("trap 'true' EXIT; false").exit_status == 1
    result = session.run("set -x; true; exit")
    assert (result.exit_status, result.stderr) == (0, "+ true\n+ exit\n")


CRLF = "echo a\r\ncase x in\r\nx) echo b;;\r\nesac\r\n"


@pytest.mark.parametrize("from_file", [False, True])
def test_lines_may_end_in_crlf_and_a_note_says_so(from_file: bool) -> None:
    result = Shell().run(CRLF, from_file=from_file, name="f.sh" if from_file else "bash")
    assert (result.stdout, result.stderr, result.exit_status) == ("a\nb\n", "", 0)
    assert len(result.notes) == 1 and "CRLF" in result.notes[0]


def test_a_nested_script_with_crlf_has_a_note_of_its_own() -> None:
    result = Shell(files={"f.sh": CRLF}).run("bash f.sh")
    assert result.stdout == "a\nb\n"
    assert [note.partition(":")[0] for note in result.notes] == ["f.sh"]


def test_a_sourced_file_with_crlf_has_one_note() -> None:
    result = Shell(files={"f.sh": CRLF}).run("for i in 1 2; do . ./f.sh; done; bash f.sh")
    assert result.stdout == "a\nb\n" * 3
    assert [note.partition(":")[0] for note in result.notes] == ["./f.sh", "f.sh"]
    many = Shell(files={"f.sh": CRLF}).run("for i in {1..120}; do cp f.sh $i; . ./$i; done")
    assert len(many.notes) == 100


def test_an_archive_after_a_script_has_no_lines() -> None:
    archive = b"#!/bin/bash\ntail -n 1 $0\nexit\n\x1f\x8b\x08\0a\r\nb\n"
    mixed = archive.replace(b"tail -n 1 $0\n", b":\r\n")
    result = Shell(files={"f.sh": archive, "g.sh": mixed}).run("bash f.sh; . ./g.sh")
    assert result.stdout == "b\n"
    assert [note.partition(":")[0] for note in result.notes] == ["./g.sh"]


def test_without_crlf_a_carriage_return_is_part_of_a_word() -> None:
    result = Shell(crlf=False).run(CRLF, from_file=True, name="f.sh")
    assert result.stdout == "a\r\n" and result.exit_status == 2 and not result.notes
    assert "syntax error near unexpected token `$'in\\r''" in result.stderr


def test_carriage_returns_in_data_need_no_note() -> None:
    result = Shell(files={"d": "a\r\nb\r\n"}).run("while read -r x; do echo ${#x}; done < d")
    assert (result.stdout, result.notes) == ("2\n2\n", ())


def test_a_session_has_the_arguments_of_a_run() -> None:
    session = Shell().session(env={"base": "b"})
    pieces: list[bytes] = []
    result = session.run(
        'read -r line; echo "$line $1 $2 $base $X"; echo e >&2; cat /tmp/f',
        stdin=lambda count, seconds: b"in\n",
        args=["a", "b c"],
        env={"X": "x"},
        stdout=pieces.append,
        stderr=pieces.append,
        temporary_files=[("/tmp/f", b"file\n")],
    )
    assert (result.exit_status, b"".join(pieces)) == (0, b"in a b c b x\ne\nfile\n")
    assert (result.stdout, result.stderr) == ("", "")
    assert session.run("cat /tmp/f").exit_status == 1


def test_arguments_and_variables_of_a_session_stay() -> None:
    session = Shell().session()
    session.run(":", args=["a", "b"], env={"X": "1"})
    assert session.run('echo "$*"; printenv X').stdout == "a b\n1\n"
    assert session.run('echo "$*:$#"; printenv X', args=[], env={"X": "2"}).stdout == ":0\n2\n"
    session.run("set -- c; X=3")
    assert session.run('echo "$*"; printenv X').stdout == "c\n3\n"


def test_a_readonly_variable_of_a_session_is_a_note() -> None:
    session = Shell().session()
    session.run("readonly R=1; declare -n ref=T; declare -a list=(a b)")
    result = session.run(
        'echo "$R $T ${list[0]} ${list[1]}"', env={"R": "2", "ref": "t", "list": "c", "odd.name": "o"}
    )
    assert (result.stdout, result.notes) == ("1 t c b\n", ("env: R: readonly variable",))
    assert session.run("printenv T odd.name").stdout == "t\no\n"


def test_a_value_that_a_session_cannot_evaluate_is_a_note() -> None:
    session = Shell().session()
    session.run("declare -i N")
    assert session.run('echo "$N"', env={"N": "2+3"}).stdout == "5\n"
    result = session.run('echo "$N"', env={"N": "1/0"})
    assert (result.stdout, result.notes) == ("5\n", ('env: 1/0: division by 0 (error token is "0")',))
    result = session.run('echo "$N"', env={"N": "a[$(echo executed >&2)]"})
    assert (result.stdout, result.stderr) == ("5\n", "")


def test_the_output_of_a_session_can_be_dropped() -> None:
    limits = Limits(output_bytes=10)
    session = Shell(limits=limits).session()
    result = session.run("echo 0123456789abc; echo 0123456789abc >&2; echo kept", overflow="drop")
    assert (result.limit, len(result.stdout_bytes), len(result.stderr_bytes)) == (None, 10, 10)
    with pytest.raises(ValueError, match="overflow"):
        session.run("echo", overflow="keep")  # type: ignore[arg-type]


def test_the_arguments_of_a_session_count_as_input() -> None:
    session = Shell(limits=Limits(input_bytes=1000)).session()
    assert session.run("echo", args=["x" * 2000]).limit == "input_bytes"
    assert session.run("echo", env={"X": "x" * 2000}).limit == "input_bytes"
    assert session.run("echo on").stdout == "on\n"


def test_arun_of_a_session_passes_its_arguments() -> None:
    result = asyncio.run(Shell().session().arun('echo "$1 $X"', args=["a"], env={"X": "x"}))
    assert result.stdout == "a x\n"
