"""Programs of a run: how they are started, how they end, and what they are given."""

from __future__ import annotations

import errno
import gc
import os
import signal
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from sandhook.host.child import LOST
from sandhook.host.children import Supervisor
from sandhook.host.poller import inbound
from tests.host.programs import (
    LONG,
    NULL,
    Left,
    line_of,
    linux,
    output,
    posix,
    read_all,
    shell,
    spawn,
    until,
    wait,
)

SAY = "import sys; sys.stdout.buffer.write({}.encode('utf-8', 'surrogateescape'))"


@pytest.mark.parametrize("status", [0, 1, 77, 255])
def test_the_status_is_the_programs(status: int) -> None:
    with Supervisor() as supervisor:
        child = supervisor.start(spawn(f"raise SystemExit({status})"))
        assert (wait(child), child.signal) == (status, 0)
        assert child.poll()


@posix
@pytest.mark.parametrize("number", [1, 2, 9, 15])
def test_after_a_signal_the_status_is_its_number_and_128(number: int) -> None:
    with Supervisor() as supervisor:
        child = supervisor.start(shell(f"kill -{number} $$"))
        assert (wait(child), child.signal) == (128 + number, number)


def test_while_it_runs_there_is_no_status() -> None:
    with Supervisor() as supervisor:
        child = supervisor.start(spawn("import time; time.sleep(100)"))
        assert (child.poll(), child.status, child.signal, child.user) == (False, None, 0, 0.0)
        child.send(signal.SIGTERM)
        assert (wait(child), child.signal) == (128 + 15, 15)
        child.send(signal.SIGTERM)  # it is gone: nothing happens


def test_a_signal_that_the_system_lacks_is_an_error() -> None:
    with Supervisor() as supervisor:
        child = supervisor.start(spawn("import time; time.sleep(100)"))
        with pytest.raises(OSError) as caught:
            child.send(999 if os.name == "posix" else 10)
        assert caught.value.errno == errno.EINVAL


@posix
def test_a_signal_goes_to_the_process_alone(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "go")
    ours, theirs = inbound()
    with Supervisor() as supervisor:
        text = "{ echo up; read line < go; echo yes; } & wait"
        child = supervisor.start(shell(text, files={1: theirs}, cwd=str(tmp_path)))
        os.close(theirs)
        assert line_of(ours) == "up"
        child.send(signal.SIGKILL)
        assert wait(child) == 128 + 9
        (tmp_path / "go").write_bytes(b"\n")
        assert read_all(ours) == b"yes\n"


def test_processor_time_is_known_at_the_end() -> None:
    with Supervisor() as supervisor:
        child = supervisor.start(spawn("import time\nwhile time.process_time() < 0.2: sum(range(1000))"))
        wait(child)
        assert 0.1 < child.user + child.system < LONG


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("missing", errno.ENOENT),
        ("missing/program", errno.ENOENT),
        pytest.param("directory", errno.EACCES),
        pytest.param("plain", errno.EACCES, marks=posix),
        pytest.param("plain/program", errno.ENOTDIR, marks=posix),
        pytest.param("no_format", errno.ENOEXEC),
        pytest.param("lost_interpreter", errno.ENOENT, marks=posix),
    ],
)
def test_what_cannot_be_started_says_why(name: str, number: int, tmp_path: Path) -> None:
    (tmp_path / "directory").mkdir()
    (tmp_path / "plain").write_text("text\n")
    for program, text in (("no_format", "text\n"), ("lost_interpreter", "#!/no/such\n")):
        (tmp_path / program).write_text(text)
        (tmp_path / program).chmod(0o755)
    before = Left()
    with Supervisor() as supervisor:
        with pytest.raises(OSError) as caught:
            supervisor.start(spawn("", executable=str(tmp_path / name)))
        assert caught.value.errno == number
        assert os.fsdecode(caught.value.filename) == str(tmp_path / name)
        assert supervisor.alive() == []
    assert Left() <= before


def test_a_directory_that_cannot_be_entered_is_named(tmp_path: Path) -> None:
    with Supervisor() as supervisor:
        with pytest.raises(OSError) as caught:
            supervisor.start(spawn("", cwd=str(tmp_path / "missing")))
        assert os.fsdecode(caught.value.filename) == str(tmp_path / "missing")


def test_too_long_arguments_are_refused() -> None:
    with Supervisor() as supervisor:
        with pytest.raises(OSError) as caught:
            supervisor.start(spawn("", *["x" * 100_000] * 40))
        assert caught.value.errno == errno.E2BIG


@pytest.mark.parametrize("where", ["argv", "env", "name"])
def test_a_nul_is_refused(where: str) -> None:
    what = spawn("pass", "a\0b") if where == "argv" else spawn("pass")
    if where == "env":
        what = what._replace(env={**os.environ, "X": "a\0b"})
    elif where == "name":
        what = what._replace(env={**os.environ, "X=": "a"})
    with Supervisor() as supervisor:
        with pytest.raises(OSError) as caught:
            supervisor.start(what)
        assert caught.value.errno == errno.EINVAL


@pytest.mark.parametrize("word", ["", "a b", 'quo"te', "back\\", 'both\\"', "täxt", "$x %x% ^&|<>!", "a\nb"])
def test_arguments_arrive_as_they_are(word: str) -> None:
    with Supervisor() as supervisor:
        text = SAY.format("'|'.join(sys.argv[1:])")
        assert output(supervisor, spawn(text, word, word)).decode() == f"{word}|{word}"


@posix
def test_bytes_that_are_no_text_arrive_in_arguments_and_variables() -> None:
    odd = os.fsdecode(b"a\xff\xc3")
    with Supervisor() as supervisor:
        what = shell('printf %s "$0$X"')
        what = what._replace(argv=(*what.argv, odd), env={"X": odd})
        assert output(supervisor, what) == b"a\xff\xc3a\xff\xc3"


def test_the_environment_is_what_is_given_and_the_mark() -> None:
    kept = {name: os.environ[name] for name in ("SYSTEMROOT", "PATH") if name in os.environ}
    with Supervisor() as supervisor:
        text = SAY.format("'\\n'.join(sorted(__import__('os').environ))")
        names = set(output(supervisor, spawn(text, env={**kept, "ONE": "1"})).decode().split())
    assert names - {"LC_CTYPE"} >= {"ONE", "SANDHOOK_RUN"}
    if os.name == "posix":
        assert names - {"LC_CTYPE"} == {"PATH", "ONE", "SANDHOOK_RUN"}


def test_runs_within_runs_keep_the_marks_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    text = SAY.format("__import__('os').environ['SANDHOOK_RUN']")
    monkeypatch.setenv("SANDHOOK_RUN", "outer")
    with Supervisor() as supervisor:
        assert output(supervisor, spawn(text)).startswith(b"outer.")
    monkeypatch.setenv("SANDHOOK_RUN", "x" * 20_000)
    with Supervisor() as supervisor:
        assert len(output(supervisor, spawn(text))) < 1000


def test_it_starts_in_the_directory_given(tmp_path: Path) -> None:
    with Supervisor() as supervisor:
        found = output(supervisor, spawn(SAY.format("__import__('os').getcwd()"), cwd=str(tmp_path)))
    assert Path(found.decode()).samefile(tmp_path)


@posix
@pytest.mark.parametrize("mask", [0o022, 0o077, 0])
def test_it_has_the_mask_given(mask: int) -> None:
    with Supervisor() as supervisor:
        found = output(supervisor, spawn(SAY.format("str(__import__('os').umask(0))"), umask=mask))
    assert int(found) == mask


@posix
def test_it_leads_a_session_of_its_own() -> None:
    with Supervisor() as supervisor:
        found = output(supervisor, spawn(SAY.format("str(__import__('os').getsid(0))")))
    assert int(found) != os.getsid(0)


@posix
def test_signals_given_are_ignored_and_no_others() -> None:
    text = "import signal; " + SAY.format(
        "str([n for n in (1, 2, 13, 15) if signal.getsignal(n) is signal.SIG_IGN])"
    )
    isolated = spawn(text)._replace(argv=("python", "-I", "-S", "-c", text))
    with Supervisor() as supervisor:
        # Python itself ignores SIGPIPE
        assert output(supervisor, isolated) == b"[13]"
        assert output(supervisor, isolated._replace(ignored=frozenset({2, 15}))) == b"[2, 13, 15]"


@posix
def test_sigpipe_is_as_the_system_has_it() -> None:
    with Supervisor() as supervisor:
        assert wait(supervisor.start(shell("kill -PIPE $$"))) == 128 + 13


@posix
class TestDescriptors:
    def numbers(self, supervisor: Supervisor, files: dict[int, int]) -> list[int]:
        """Return which descriptors a program finds open below 100."""
        text = """
import os
found = []
for number in range(100):
    try:
        os.fstat(number)
    except OSError:
        continue
    found.append(number)
os.write(1, repr(found).encode())
"""
        return list(eval(output(supervisor, spawn(text, files=files))))

    def test_only_those_given_are_there(self) -> None:
        loud = os.dup2(NULL, 90, inheritable=True)
        try:
            with Supervisor() as supervisor:
                assert self.numbers(supervisor, {}) == [0, 1, 2]
                assert self.numbers(supervisor, {3: NULL, 50: NULL}) == [0, 1, 2, 3, 50]
        finally:
            os.close(loud)

    def test_each_is_what_was_given(self, tmp_path: Path) -> None:
        first, second = (os.open(tmp_path / name, os.O_RDWR | os.O_CREAT) for name in "ab")
        try:
            with Supervisor() as supervisor:
                # numbers in use here, in the order that overwrites, and one that is free
                files = {first: second, second: first, 77: first, 0: second}
                text = "import os, sys\nfor n in sys.argv[1:]: os.write(int(n), f'{n} '.encode())"
                child = supervisor.start(spawn(text, f"{first}", f"{second}", "77", "0", files=files))
                assert wait(child) == 0
            assert (tmp_path / "a").read_text() == f"{second} 77 "
            assert (tmp_path / "b").read_text() == f"{first} 0 "
        finally:
            os.close(first)
            os.close(second)

    def test_standard_ones_may_be_ours_in_any_order(self) -> None:
        code = """
import os, sys
from sandhook.host.children import Supervisor
from tests.host.programs import shell, wait
with Supervisor() as supervisor:
    what = shell("read x; echo out >&1; echo err >&2; echo three-$x >&3", files={0: 1, 1: 2, 2: 0, 3: 1})
    raise SystemExit(wait(supervisor.start(what)))
"""
        pairs = [os.pipe() for _ in range(3)]
        os.write(pairs[1][1], b"in\n")
        # our 0 and 2 are written to; our 1 is read from, and is 3, too, where writing fails
        process = subprocess.run(
            [sys.executable, "-c", code], stdin=pairs[0][1], stdout=pairs[1][0], stderr=pairs[2][1],
            cwd=Path(__file__).parents[2], env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}, timeout=LONG,
        )  # fmt: skip
        for _, writing in pairs:
            os.close(writing)
        assert os.read(pairs[0][0], 100).startswith(b"err\n")
        assert os.read(pairs[2][0], 100) == b"out\n"
        assert process.returncode != 0
        for reading, _ in pairs:
            os.close(reading)

    def test_ours_stay_as_they_were(self) -> None:
        reading, writing = os.pipe()
        try:
            with Supervisor() as supervisor:
                wait(supervisor.start(shell(":", files={0: reading, 1: writing, 3: reading, 4: writing})))
            assert not os.get_inheritable(reading) and not os.get_inheritable(writing)
            assert os.write(writing, b"x") == 1
        finally:
            os.close(reading)
            os.close(writing)

    def test_a_program_that_cannot_start_is_told_of_with_many_descriptors(self) -> None:
        with Supervisor() as supervisor:
            files = dict.fromkeys(range(3, 20), NULL)
            with pytest.raises(FileNotFoundError):
                supervisor.start(spawn("", executable="/no/such", files=files))


@posix
def test_a_file_that_is_being_written_is_tried_again(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_bytes(Path("/bin/true").read_bytes())
    program.chmod(0o755)
    with Supervisor() as supervisor:
        with program.open("ab"):
            with pytest.raises(OSError) as caught:
                supervisor.start(spawn("", executable=str(program)))
            assert caught.value.errno == errno.ETXTBSY
        assert wait(supervisor.start(spawn("", executable=str(program)))) == 0


@posix
def test_a_status_that_somebody_else_took_is_no_success() -> None:
    with Supervisor() as supervisor:
        child = supervisor.start(shell("exit 0"))
        os.waitpid(child.pid, 0)
        assert (wait(child), child.signal) == (LOST, 0)


@posix
def test_children_of_others_are_left_to_them() -> None:
    other = subprocess.Popen(["sh", "-c", "exit 7"])
    with Supervisor() as supervisor:
        assert wait(supervisor.start(shell("sleep 0.1"))) == 0
        supervisor.end()
    assert other.wait() == 7


@linux
def test_nothing_is_left_and_nothing_is_said() -> None:
    before = Left()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        for _ in range(20):
            with Supervisor() as supervisor:
                wait(supervisor.start(shell("exit 1")))
                supervisor.start(shell("sleep 100"))
            del supervisor
        gc.collect()
    assert [str(one.message) for one in said] == []
    assert Left() <= before


def test_a_closed_supervisor_starts_nothing() -> None:
    supervisor = Supervisor()
    supervisor.close()
    supervisor.close()
    supervisor.end()
    assert supervisor.alive() == []
    with pytest.raises(ValueError):
        supervisor.start(spawn(""))


def test_an_ended_supervisor_starts_again() -> None:
    with Supervisor() as supervisor:
        first = supervisor.start(spawn("import time; time.sleep(100)"))
        supervisor.end()
        assert first.status == 128 + 9
        assert wait(supervisor.start(spawn("raise SystemExit(3)"))) == 3
        supervisor.end()
        until(lambda: supervisor.alive() == [])
