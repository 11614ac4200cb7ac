"""Pipes of a run with programs at their ends: whose they are, and that nothing is lost on the way."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from sandhook import Host, HostShell, Limits
from tests.host.programs import LONG, Left, linux, posix

PYTHON = f'"{Path(sys.executable).as_posix()}" -S'

#: Lines more than any pipe holds.
MANY = 50_000

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture
def shell(tmp_path: Path) -> HostShell:
    return HostShell(cwd=tmp_path)


def program(text: str) -> str:
    """Return a command that runs Python code as a program of the machine."""
    return f"{PYTHON} -c '{text}'"


def out(shell: HostShell, script: str, **options: object) -> str:
    result = shell.run(script, **options)
    assert result.defect is None, result.defect
    assert result.stderr == ""
    return result.stdout.replace("\r\n", "\n")


COUNT = program("import sys; print(len(sys.stdin.read().splitlines()))")
LINES = program(f'import sys; sys.stdout.buffer.write("".join(f"{{n}}\\n" for n in range({MANY})).encode())')
COPY = program("import shutil, sys; shutil.copyfileobj(sys.stdin.buffer, sys.stdout.buffer)")


# --------------------------------------------------------------------------- whose pipe it is


@linux
@pytest.mark.parametrize("joint", ["|", "|&"])
def test_neighbouring_programs_have_one_pipe(shell: HostShell, joint: str) -> None:
    name = 'import os; n = os.readlink("/proc/self/fd/%d"); open("%s", "w").write(n)'
    out(shell, f"{program(name % (1, 'a'))} {joint} {program(name % (0, 'b'))}")
    assert out(shell, "cat a") == out(shell, "cat b")
    assert out(shell, "cat a").startswith("pipe:")


@linux
def test_a_substitution_gives_its_program_the_end_of_the_other(shell: HostShell) -> None:
    name = 'import os, sys; print(os.readlink(f"/proc/self/fd/{sys.argv[1]}"))'
    reader = program("import os, sys; print(os.stat(sys.argv[1]).st_ino); print(open(sys.argv[1]).read())")
    inode, named = out(shell, f"{reader} <({program(name)} 1)").split()
    assert named == f"pipe:[{inode}]"


@posix
def test_using_an_end_waits_for_programs_as_they_expect(shell: HostShell) -> None:
    waits = "import os, sys; print(os.get_blocking(0), os.get_blocking(1), file=sys.stderr)"
    result = shell.run(f"{{ echo first; {program(waits)}; }} | {{ read x; {program(waits)}; cat; }}")
    assert result.stderr == "True True\n" * 2


# --------------------------------------------------------------------------- nothing is lost


@pytest.mark.parametrize("ours", ["cat", "while read -r x; do echo $x; done"])
@pytest.mark.parametrize(
    "place",
    [
        "{ours} | {count}",
        "{ours} | {copy} | {count}",
        "{copy} | {ours} | {count}",
        "{copy} | {copy} | {ours} | wc -l",
    ],
)
def test_every_line_arrives(shell: HostShell, ours: str, place: str) -> None:
    script = place.format(ours=ours, copy=COPY, count=COUNT)
    assert out(shell, f"{LINES} > all; {script} < all").strip() == str(MANY)


def test_what_was_written_before_the_program_came_is_first(shell: HostShell) -> None:
    script = f"{{ echo a; echo b; {program('print(3)')}; echo c; }} | {{ {program('pass')}; {COPY}; }}"
    assert out(shell, script) == "a\nb\n3\nc\n"


def test_more_than_a_pipe_holds_was_written_before_the_program_came(tmp_path: Path) -> None:
    shell = HostShell(cwd=tmp_path, host=Host(prefer="own"))
    late = program("import time; time.sleep(0.2)")
    assert out(shell, f"{{ seq {MANY}; echo x; }} | {{ {late}; {COUNT}; }}") == f"{MANY + 1}\n"


def test_lines_that_the_shell_took_are_not_the_programs(shell: HostShell) -> None:
    script = f"{LINES} | {{ read -r a; read -r b; {program('pass')}; read -r c; echo $a$b$c; {COUNT}; }}"
    assert out(shell, script) == f"012\n{MANY - 3}\n"


def test_a_loop_feeds_each_program_from_the_rest(shell: HostShell) -> None:
    first = program("import os; os.read(0, 2)")
    assert out(shell, f"printf 'a\\nb\\nc\\nd\\n' | while read -r x; do echo $x; {first}; done") == "a\nc\n"


def test_a_program_beside_others_takes_nothing_of_their_input(shell: HostShell) -> None:
    late = program("import time; time.sleep(0.2)")
    assert out(shell, f"{LINES} > all; cat <({COPY} < all) <({late}; {COPY} < all) | wc -l").strip() == str(
        2 * MANY
    )


def test_jobs_write_to_one_pipe(shell: HostShell) -> None:
    script = f"{{ {LINES} & {LINES} & echo x; wait; echo y; }} | {COUNT}"
    assert out(shell, script) == f"{2 * MANY + 2}\n"


def test_a_coprocess_that_is_a_program_answers(shell: HostShell) -> None:
    upper = program(
        "import sys\nfor line in sys.stdin.buffer: sys.stdout.buffer.write(line.upper()); sys.stdout.flush()"
    )
    script = (
        f"coproc {upper}; echo a >&${{COPROC[1]}}; read -r x <&${{COPROC[0]}}; {program('pass')};"
        f"{program('print(1)')} >&${{COPROC[1]}}; read -r y <&${{COPROC[0]}}; exec {{COPROC[1]}}>&-; echo $x$y"
    )
    assert out(shell, script) == "A1\n"


def test_standard_error_in_the_pipe_keeps_its_place(shell: HostShell) -> None:
    both = "import sys\nfor n in range(3):\n print(n, flush=True); print(n, file=sys.stderr, flush=True)"
    assert out(shell, f"{program(both)} |& {COPY}") == "0\n0\n1\n1\n2\n2\n"


# --------------------------------------------------------------------------- who closes what when


@posix
def test_a_writer_ends_when_nobody_reads(shell: HostShell) -> None:
    assert out(shell, "yes | head -n 1; echo ${PIPESTATUS[@]}") == "y\n141 0\n"
    assert out(shell, "yes | { head -n 1; }; echo ${PIPESTATUS[@]}") == "y\n141 0\n"
    assert out(shell, "while echo y; do :; done | /bin/sh -c 'read x'; echo ${PIPESTATUS[@]}") == "141 0\n"


@posix
def test_a_writer_ends_when_the_reader_has_closed_its_input_and_goes_on(shell: HostShell) -> None:
    deaf = program('import os, time; os.close(0); time.sleep(1); print(os.path.exists("over"))')
    ended = "{ /bin/sh -c 'while echo y; do :; done'; echo > over; }"
    assert out(shell, f"{ended} 2>/dev/null | {deaf}") == "True\n"


def test_a_reader_ends_when_the_writer_has_closed_its_output_and_goes_on(shell: HostShell) -> None:
    mute = program(
        "import os, time; print(1, flush=True); os.close(1)\n"
        'for _ in range(1000): os.path.exists("x") and os._exit(1); time.sleep(0.02)'
    )
    assert out(shell, f"{mute} | {{ {COPY}; echo > x; }}; echo ${{PIPESTATUS[0]}}") == "1\n1\n"


def test_a_writer_that_stays_behind_keeps_the_reader(shell: HostShell) -> None:
    begun = time.monotonic()
    child = 'import subprocess, sys; subprocess.Popen([sys.executable, "-Sc", sys.argv[1]], stdin=0)'
    late = '"import time; time.sleep(0.7); print(2)"'
    assert out(shell, f"{program(child)} {late} | {COPY}") == "2\n"
    assert time.monotonic() - begun > 0.7


def test_the_end_of_the_run_ends_a_pipeline(shell: HostShell, tmp_path: Path) -> None:
    before = Left()
    timed = HostShell(cwd=tmp_path, limits=Limits.generous().with_(wall_seconds=1.5))
    sleep = program("import time; time.sleep(300)")
    begun = time.monotonic()
    result = timed.run(f"while :; do echo y; done | {sleep} | {COPY} | cat")
    assert result.limit == "wall_seconds"
    assert time.monotonic() - begun < LONG
    assert Left() <= before


def test_many_pipelines_leave_nothing_open(shell: HostShell) -> None:
    before = Left()
    one, two = program("print(1)"), "/bin/cat" if Path("/bin/cat").exists() else COPY
    script = f"for i in 1 2 3 4 5 6; do {one} | {two} | read -r x; echo a | {two}; {two} < <({one}); done >/dev/null"
    assert out(shell, script) == ""
    assert Left() <= before


@posix
@pytest.mark.slow
def test_runs_at_once_give_their_programs_the_same_numbers(tmp_path: Path) -> None:
    """Each program of ``<(...)`` gets 63, which is taken here for the moment of its start, in every run."""
    import threading

    wrong: list[object] = []

    def work() -> None:
        shell = HostShell(cwd=tmp_path)
        for _ in range(12):
            result = shell.run("cat <(echo a) <(cat <(echo b)) | sort -r; echo c | tee >(cat >&2) | cat")
            if (result.stdout, result.stderr) != ("b\na\nc\n", "c\n"):
                wrong.append(result)

    before = Left()
    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert Left() <= before


@linux
def test_without_descriptors_a_program_does_not_start(shell: HostShell) -> None:
    import os
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    taken = [os.open(os.devnull, os.O_RDONLY)]
    resource.setrlimit(resource.RLIMIT_NOFILE, (taken[0] + 20, hard))
    try:
        while True:
            taken.append(os.open(os.devnull, os.O_RDONLY))
    except OSError:
        os.close(taken.pop())
    try:
        result = shell.run("/bin/echo a | /bin/cat; echo ${PIPESTATUS[@]}")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        for fd in taken:
            os.close(fd)
    assert result.defect is None
    assert result.stdout == "126 126\n"
    assert result.stderr.count("Too many open files") == 2
