"""HostShell: the interpreter over real files and real programs, on the programs that every machine here has."""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path

import pytest

from sandhook import Cancellation, Host, HostShell, Limits
from tests.host.programs import LONG

POSIX = sys.platform != "win32"
PYTHON = f'"{Path(sys.executable).as_posix()}"'

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture
def shell(tmp_path):
    return HostShell(cwd=tmp_path)


def program(text: str) -> str:
    """Return a command that runs Python code as a program of the machine."""
    return f"{PYTHON} -c '{text}'"


def out(shell: HostShell, script: str, **options: object) -> str:
    result = shell.run(script, **options)
    assert result.defect is None, result.defect
    assert result.stderr == ""
    return result.stdout.replace("\r\n", "\n")


# --------------------------------------------------------------------------- streams


def test_a_program_takes_its_place_in_a_pipeline_between_ours(shell):
    upper = program("import sys; sys.stdout.write(sys.stdin.read().upper())")
    assert out(shell, f"printf 'b\\na\\n' | {upper} | sort") == "A\nB\n"


def test_programs_feed_programs(shell):
    numbers = program('print("\\n".join(map(str, range(50000))))')
    count = program("import sys; print(sum(1 for line in sys.stdin))")
    assert out(shell, f"{numbers} | {count}") == "50000\n"


def test_output_of_a_program_is_substituted(shell):
    assert out(shell, f'x=$({program("print(6 * 7)")}); echo "[$x]"').replace("\r", "") == "[42]\n"


def test_the_order_of_output_is_that_of_the_commands(shell):
    say = program('print("b", flush=True)')
    assert out(shell, f"echo a; {say}; echo c; {say} 2>&1; echo d") == "a\nb\nc\nb\nd\n"


def test_standard_error_is_apart_unless_it_is_joined(shell):
    both = program('import sys; print("out", flush=True); print("err", file=sys.stderr)')
    result = shell.run(both)
    assert (result.stdout.strip(), result.stderr.strip()) == ("out", "err")
    assert out(shell, f"{both} 2>&1") == "out\nerr\n"
    assert out(shell, f"{both} 2>/dev/null") == "out\n"


def test_input_that_a_program_leaves_is_there_for_the_next_command(shell):
    assert out(shell, f"{program('pass')}; cat", stdin="one\ntwo\n") == "one\ntwo\n"
    nothing = program("pass")
    assert out(shell, f"printf 'a\\nb\\n' | {{ {nothing}; read -r x; {nothing}; echo $x; cat; }}") == "a\nb\n"


def test_a_large_payload_reaches_a_program_that_reads_it_late(shell):
    late = program("import sys, time; time.sleep(0.2); print(len(sys.stdin.read()))")
    assert out(shell, late, stdin=b"x" * 3_000_000) == "3000000\n"


def test_a_payload_that_nobody_reads_harms_nobody(shell):
    assert out(shell, f"{program('pass')}; echo $?", stdin=b"x" * 3_000_000) == "0\n"


def test_a_here_document_and_a_here_string_are_input(shell):
    copy = program("import sys; sys.stdout.write(sys.stdin.read())")
    assert out(shell, f"{copy} <<X\nline\nX\n{copy} <<< word") == "line\nword\n"


def test_files_are_the_machines(shell, tmp_path):
    (tmp_path / "given").write_bytes(b"1\n2\n3\n")
    copy = program("import sys; sys.stdout.write(sys.stdin.read())")
    assert out(shell, f"{copy} < given > copied; {copy} <<< more >> copied; cat copied") == "1\n2\n3\nmore\n"
    assert (tmp_path / "copied").read_bytes().replace(b"\r\n", b"\n") == b"1\n2\n3\nmore\n"


def test_a_program_reads_on_where_the_shell_stopped(shell, tmp_path):
    (tmp_path / "given").write_bytes(b"1\n2\n3\n")
    copy = program("import sys; sys.stdout.write(sys.stdin.read())")
    assert out(shell, f"{{ read -r x; {copy}; }} < given") == "2\n3\n"


def test_a_loop_whose_body_runs_programs_keeps_its_input(shell):
    show = program("import sys; print(sys.argv[1])")
    assert out(shell, f'printf "a\\nb\\nc\\n" | while read -r x; do {show} "$x"; done') == "a\nb\nc\n"


@pytest.mark.skipif(not POSIX, reason="Windows has no such signal")
def test_a_writer_whose_reader_has_gone_gets_sigpipe(shell):
    assert out(shell, "/usr/bin/yes | head -n 1; echo ${PIPESTATUS[@]}") == "y\n141 0\n"
    assert out(shell, "yes | /usr/bin/head -n 1; echo ${PIPESTATUS[@]}") == "y\n141 0\n"


@pytest.mark.skipif(not POSIX, reason="programs of Windows get three descriptors")
def test_higher_descriptors_reach_a_program(shell):
    read = program('import os; print(os.read(3, 9).decode(), end="")')
    assert out(shell, f"{read} 3<<< three") == "three\n"
    assert out(shell, "/usr/bin/diff <(echo a) <(echo a) && echo same") == "same\n"


@pytest.mark.skipif(not POSIX, reason="Windows has no FIFOs")
def test_a_fifo_joins_a_program_and_a_builtin(shell):
    assert out(shell, "mkfifo p; (echo a > p) & /bin/cat < p; wait") == "a\n"
    assert out(shell, "/bin/cat p & echo b > p; wait") == "b\n"


@pytest.mark.skipif(not POSIX, reason="Windows has no FIFOs")
def test_a_fifo_that_nobody_opens_ends_with_the_run(tmp_path):
    before = threading.active_count()
    shell = HostShell(cwd=tmp_path, limits=Limits.generous().with_(wall_seconds=0.3))
    assert shell.run("mkfifo p; cat < p").limit == "wall_seconds"
    assert shell.run("echo x > p").limit == "wall_seconds"
    assert threading.active_count() == before


# --------------------------------------------------------------------------- statuses and signals


def test_an_exit_status_comes_back(shell):
    assert out(shell, f"{program('raise SystemExit(7)')}; echo $?") == "7\n"


def test_what_is_not_there_is_127_and_what_cannot_run_126(shell, tmp_path):
    (tmp_path / "dir").mkdir()
    result = shell.run("no-such-program-x; echo $?; ./nothing; echo $?; ./dir; echo $?")
    assert result.stdout == "127\n127\n126\n"
    assert result.stderr.splitlines() == [
        "bash: line 1: no-such-program-x: command not found",
        "bash: line 1: ./nothing: No such file or directory",
        "bash: line 1: ./dir: Is a directory",
    ]


@pytest.mark.skipif(not POSIX, reason="Windows has no signals")
def test_a_signal_is_128_and_its_number(shell):
    killed = shell.run("sh -c 'kill -9 $$'; echo $?")
    assert killed.stdout == "137\n"
    assert killed.stderr.endswith(" Killed                  sh -c 'kill -9 $$'\n")
    ended = shell.run("sh -c 'kill -TERM $$'; echo $?")
    assert (ended.stdout, ended.stderr) == ("143\n", "Terminated\n")


@pytest.mark.skipif(not POSIX, reason="Windows has no signals")
def test_a_background_program_can_be_killed_and_waited_for(shell):
    started = time.monotonic()
    assert shell.run("/bin/sleep 300 & p=$!; kill $p; wait $p; echo $?").stdout == "143\n"
    assert shell.run("/bin/sleep 300 & kill %1; wait; echo $?").stdout == "0\n"
    assert shell.run("timeout 0.2 /bin/sleep 300; echo $?").stdout == "124\n"
    assert time.monotonic() - started < LONG


@pytest.mark.skipif(not POSIX, reason="Windows has no signals")
def test_kill_reaches_other_processes_of_the_machine(shell):
    import subprocess

    other = subprocess.Popen(["/bin/sleep", "30"])
    try:
        assert shell.run(f"kill -0 {other.pid} && kill {other.pid}").exit_status == 0
        assert other.wait(5) == -15
        result = shell.run(f"kill {other.pid}")
        assert (result.exit_status, result.stderr) == (
            1,
            f"bash: line 1: kill: ({other.pid}) - No such process\n",
        )
    finally:
        other.kill()
        other.wait()


def test_exec_ends_the_shell_with_the_program(shell):
    assert out(shell, f"exec {program('print(1)')}; echo no") == "1\n"
    assert shell.run(f"exec {program('raise SystemExit(3)')}").exit_status == 3


def test_jobs_run_side_by_side(shell):
    """Each waits for all the others: one by one they would never end."""
    code = (
        "import os, sys, time\nopen(sys.argv[1], 'w').close()\nwhile len(os.listdir()) < 4: time.sleep(0.02)"
    )
    meet = f'{PYTHON} -c "$code"'
    assert (
        out(shell, f"{meet} a & {meet} b & {meet} c & {meet} d & wait; ls", env={"code": code})
        == "a\nb\nc\nd\n"
    )


# --------------------------------------------------------------------------- environment and lookup


def test_exported_variables_reach_a_program(shell):
    show = program('import os; print(os.environ.get("A"), os.environ.get("B"), os.environ.get("C"))')
    assert out(shell, f"A=1; export B=2; C=3 {show}") == "None 2 3\n"


def test_the_environment_is_the_callers_and_nothing_else(tmp_path):
    env = {"PATH": os.environ["PATH"], "ONLY": "this"}
    shell = HostShell(cwd=tmp_path, env=env)
    assert "ONLY=this" in shell.run("env").stdout.splitlines()
    assert "HOME=" not in shell.run("export -p").stdout.replace("declare -x ", "") or not POSIX


def test_variables_that_load_code_are_not_inherited(tmp_path, monkeypatch):
    for name in ("LD_PRELOAD", "PYTHONPATH", "NODE_OPTIONS", "BASH_ENV", "BASH_FUNC_f%%"):
        monkeypatch.setenv(name, "x")
    monkeypatch.setenv("MINE", "y")
    names = {line.partition("=")[0] for line in HostShell(cwd=tmp_path).run("env").stdout.splitlines()}
    assert "MINE" in names
    assert not names & {"LD_PRELOAD", "PYTHONPATH", "NODE_OPTIONS", "BASH_ENV", "BASH_FUNC_f%%"}


@pytest.mark.skipif(not POSIX, reason="programs of POSIX")
def test_the_machines_utilities_win_unless_ours_are_preferred(tmp_path):
    (tmp_path / "bin").mkdir()
    mine = tmp_path / "bin" / "seq"
    mine.write_text("#!/bin/sh\necho machine\n")
    mine.chmod(0o755)
    env = {"PATH": f"{tmp_path}/bin:/usr/bin:/bin"}
    assert HostShell(cwd=tmp_path, env=env).run("seq 1").stdout == "machine\n"
    mine.rename(tmp_path / "bin" / "other")
    (tmp_path / "empty").mkdir()
    ours = HostShell(cwd=tmp_path, host=Host(prefer="own"))
    assert ours.run("echo '{\"a\": 1}' | jq .a; type -P sort").stdout == "1\n/usr/bin/sort\n"


def test_jq_is_always_there(shell):
    assert out(shell, "echo '{\"a\": [1, 2]}' | jq -c .a") == "[1,2]\n"


def test_the_current_directory_is_not_searched(shell, tmp_path):
    for name in ("zz-tool", "zz-tool.bat", "zz-tool.exe"):
        (tmp_path / name).write_bytes(b"#!/bin/sh\necho found\n")
        (tmp_path / name).chmod(0o755)
    assert shell.run("zz-tool").exit_status == 127


@pytest.mark.skipif(not POSIX, reason="bash and its functions")
def test_exported_functions_reach_a_real_bash(shell):
    assert out(shell, "f() { echo \"f $1\"; }; export -f f; bash -c 'f x'") == "f x\n"


@pytest.mark.skipif(not POSIX, reason="there is a umask")
def test_the_umask_is_that_of_the_script(shell, tmp_path):
    shell.run("umask 027; : > ours; /usr/bin/touch theirs")
    assert (tmp_path / "ours").stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "theirs").stat().st_mode & 0o777 == 0o640


@pytest.mark.skipif(not POSIX, reason="the numbers of POSIX")
def test_what_the_shell_says_of_the_machine_is_true(shell):
    assert out(shell, "echo $UID $EUID $HOSTNAME") == f"{os.getuid()} {os.getuid()} {os.uname().nodename}\n"
    assert out(shell, "echo $$") == f"{os.getpid()}\n"


def test_cd_moves_programs_too(shell, tmp_path):
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "s").write_text('echo from $(basename "$PWD")\n')
    where = program("import os; print(os.path.basename(os.getcwd()))")
    assert out(shell, f"cd below; {where}; ./s; cd ..; below/s 2>/dev/null || ./below/s") == (
        f"below\nfrom below\nfrom {tmp_path.name}\n"
    )


# --------------------------------------------------------------------------- ends


def test_a_timeout_ends_the_program_and_says_so(tmp_path):
    shell = HostShell(cwd=tmp_path, limits=Limits.generous().with_(wall_seconds=0.5))
    started = time.monotonic()
    result = shell.run(f"echo before; {program('import time; time.sleep(300)')}; echo after")
    assert (result.limit, result.exit_status, result.stdout) == ("wall_seconds", 124, "before\n")
    assert time.monotonic() - started < LONG


def test_sleep_takes_real_time_here(shell):
    started = time.monotonic()
    shell.run("sleep 0.3")
    assert time.monotonic() - started >= 0.3


def test_output_beyond_its_cap_ends_the_run_while_it_goes_on(tmp_path):
    shell = HostShell(cwd=tmp_path, limits=Limits.generous().with_(output_bytes=10_000))
    endless = program('import sys\nwhile True: sys.stdout.write("x" * 1000)')
    result = shell.run(endless)
    assert (result.limit, len(result.stdout)) == ("output_bytes", 10_000)
    dropped = shell.run(program('print("x" * 20000); raise SystemExit(3)'), overflow="drop")
    assert (dropped.limit, dropped.exit_status, dropped.truncated) == (None, 3, True)
    assert len(dropped.stdout) == 10_000


def test_another_thread_can_cancel_a_run(shell):
    cancel = Cancellation()
    timer = threading.Timer(0.3, cancel.cancel)
    timer.start()
    started = time.monotonic()
    assert shell.run(program("import time; time.sleep(300)"), cancel=cancel).limit == "cancelled"
    assert time.monotonic() - started < LONG


def test_an_orphan_that_holds_the_output_does_not_hold_the_run(tmp_path):
    orphan = "import subprocess, sys; print(subprocess.Popen([sys.executable, chr(45) + chr(99), sys.argv[1]]).pid)"
    shell = HostShell(cwd=tmp_path, host=Host(linger=0.2))
    started = time.monotonic()
    result = shell.run(f'{program(orphan)} "import time; time.sleep(300)"')
    assert time.monotonic() - started < LONG
    assert result.exit_status == 0
    assert not _lives(int(result.stdout))


def _lives(pid: int) -> bool:
    """Return whether a process runs; an orphan's remains are for init to collect."""
    import psutil

    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_runs_leave_nothing_behind(tmp_path):
    import psutil

    me = psutil.Process()
    shell = HostShell(cwd=tmp_path)
    script = f"{program('pass')} | cat; x=$({program('print(1)')}); echo $x > f; {program('pass')} < f & wait"

    def held() -> int:
        return me.num_fds() if POSIX else me.num_handles()

    shell.run(script)
    descriptors, threads = held(), threading.active_count()
    for _ in range(10):
        assert shell.run(script).exit_status == 0
    assert held() <= descriptors + (0 if POSIX else 20)
    assert threading.active_count() == threads
    assert not [child for child in me.children() if child.status() == psutil.STATUS_ZOMBIE]


def test_ten_at_once(tmp_path):
    results: list[str] = []

    def run(number: int) -> None:
        show = program("import sys; print(sys.argv[1])")
        results.append(HostShell(cwd=tmp_path).run(f"{show} {number} | cat").stdout.strip())

    threads = [threading.Thread(target=run, args=(number,)) for number in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(int, results)) == list(range(10))


def test_a_directory_that_is_not_there_is_named():
    with pytest.raises(NotADirectoryError, match=r"host: cwd: .*no-such-directory"):
        HostShell(cwd="no-such-directory")


def test_wrong_switches_are_named(tmp_path):
    with pytest.raises(ValueError, match=r"prefer: wanted 'machine' or 'own', got 'both'"):
        HostShell(cwd=tmp_path, host=Host(prefer="both"))
    with pytest.raises(ValueError, match=r"own_shell: wanted .* got 'yes'"):
        HostShell(cwd=tmp_path, host=Host(own_shell="yes"))


@pytest.mark.skipif(not POSIX, reason="Windows has no signals")
@pytest.mark.parametrize(
    "job",
    [
        "{ x=$(sleep 300); echo never; }",
        "(echo a; (sleep 300); echo never)",
        "{ sleep 300 | sleep 300; echo never; }",
    ],
)
def test_a_job_that_waits_for_a_part_of_it_ends_at_once_by_a_signal(shell, job):
    begun = time.monotonic()
    result = shell.run(f"{job} & sleep 0.2; kill $!; wait $!; echo $?")
    assert result.stdout.splitlines()[-1] == "143"
    assert time.monotonic() - begun < LONG
