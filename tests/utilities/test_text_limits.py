"""What text utilities do with input without end, and with what would not fit."""

from __future__ import annotations

import pytest

from sandhook.command.context import Context
from sandhook.command.run import run_utility
from sandhook.command.utility import Utility
from sandhook.errors import LimitExceeded
from sandhook.kernel.descriptor import Capture, Input, OutputCap
from sandhook.kernel.process import Kernel
from sandhook.limits import Limits
from sandhook.utilities import load
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.path import VirtualPath
from tests.utilities.conftest import Sandbox

SMALL = Limits(wall_seconds=2, memory_bytes=1 << 20, steps=2_000_000)


def pipeline(*commands, limits=SMALL, stdin=b""):
    """Run utilities with pipes between them; return the statuses and the last one's output."""
    kernel = Kernel(MemoryFileSystem(), limits)
    cap = OutputCap(limits.output_bytes)
    out, error = Capture(kernel.budget, cap), Capture(kernel.budget, cap)
    source = Input(stdin)
    processes = []
    for number, argv in enumerate(commands):
        target, following = out, None
        if number < len(commands) - 1:
            following, target = kernel.pipe().ends()
        error.retain()
        process = kernel.new_process(1, {0: source, 1: target, 2: error}, VirtualPath("/workspace"))
        context = Context(argv[0], process, {}, None)
        process.start(
            lambda argv=argv, context=context: run_utility(Utility(load(argv[0])), argv[1:], context)
        )
        processes.append(process)
        source = following
    try:
        kernel.scheduler.run(lambda: all(process.done for process in processes))
    finally:
        kernel.scheduler.close()
    return [process.status for process in processes], out.getvalue().decode()


@pytest.mark.parametrize(
    ("command", "limit"),
    [
        (["cat", "/dev/zero"], "output_bytes"),
        (["seq", "1", "1000000000"], "output_bytes"),
        (["seq", "inf"], "output_bytes"),
        (["seq", "-f", "%999999999g", "1"], "memory_bytes"),
        (["sort", "/dev/zero"], "memory_bytes"),
        (["grep", "x", "/dev/zero"], "memory_bytes"),
        (["sed", "p", "/dev/zero"], "memory_bytes"),
        (["tail", "/dev/zero"], "memory_bytes"),
        (["head", "-n", "-1", "/dev/zero"], "memory_bytes"),
        (["cut", "-c1", "/dev/zero"], "memory_bytes"),
        (["uniq", "/dev/zero"], "memory_bytes"),
        (["tr", "a", "b"], "output_bytes"),
    ],
)
def test_input_without_end_ends_the_run(command, limit):
    limits = SMALL.with_(memory_bytes=1 << 20, output_bytes=100_000)
    box = Sandbox(limits)
    with pytest.raises(LimitExceeded) as caught:
        if command[0] == "tr":
            pipeline(["cat", "/dev/zero"], command, limits=limits)
        else:
            box.run(*command)
    assert caught.value.limit == limit


def test_ten_gigabytes_of_zeros_end_by_a_limit_or_are_counted():
    with pytest.raises(LimitExceeded):
        pipeline(["head", "-c", "10G", "/dev/zero"], ["wc", "-c"])
    assert pipeline(["head", "-c", "10M", "/dev/zero"], ["wc", "-c"]) == ([0, 0], "10485760\n")


def test_a_writer_nobody_reads_ends_at_once():
    assert pipeline(["seq", "1", "1000000000"], ["head", "-n", "1"]) == ([141, 0], "1\n")
    assert pipeline(["seq", "inf"], ["sed", "3q"]) == ([141, 0], "1\n2\n3\n")
    assert pipeline(["seq", "inf"], ["grep", "-m", "2", "7"]) == ([141, 0], "7\n17\n")
    assert pipeline(["seq", "inf"], ["grep", "-q", "^99$"]) == ([141, 0], "")


@pytest.mark.parametrize(
    "script",
    [
        ":a;s/.*/&&/;ba",
        ":a;G;h;ba",
        ":a;H;x;ba",
        ":a;s/x/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx/g;ba",
        "s/.*/" + "&" * 500 + "/;s/.*/" + "&" * 500 + "/;s/.*/" + "&" * 500 + "/",
    ],
)
def test_a_growing_space_ends_by_its_size(script):
    with pytest.raises(LimitExceeded, match="memory_bytes"):
        Sandbox(SMALL).run("sed", script, stdin=b"xyz\n")


def test_an_endless_script_ends_by_steps():
    with pytest.raises(LimitExceeded, match=r"steps|wall_seconds"):
        Sandbox(SMALL).run("sed", ":a;ba", stdin=b"x\n")


def test_words_in_a_long_line_are_charged():
    with pytest.raises(LimitExceeded):
        Sandbox(SMALL.with_(steps=20_000)).run("grep", "-w", "a*b", stdin=b"ab" * 50_000 + b"\n")


def test_back_references_end_in_time():
    with pytest.raises(LimitExceeded):
        Sandbox(SMALL.with_(wall_seconds=0.5)).run("grep", "-E", r"(a+)+\1x", stdin=b"a" * 3_000 + b"\n")


@pytest.mark.parametrize("pattern", ["((a{1000}){1000}){1000}", "(((((a{100}){100}){100}){100}){100})"])
def test_repeats_are_added_up_before_anything_is_compiled(pattern):
    for kind in ("-E", "-P"):
        status, out, error = Sandbox().run("grep", kind, pattern, stdin=b"a\n")
        assert (status, out) == (2, b"")
        assert b"too" in error.lower() or b"invalid" in error.lower()


def test_perl_patterns_end_in_time():
    with pytest.raises(LimitExceeded, match="wall_seconds"):
        Sandbox(SMALL.with_(wall_seconds=0.2)).run(
            "grep", "-P", "^(a|aa|a?)+(?=x)$", stdin=b"a" * 3_000 + b"\n"
        )


def test_following_a_file_ends_when_the_run_does(sandbox):
    box = Sandbox(SMALL)
    with pytest.raises(LimitExceeded, match="wall_seconds"):
        box.run("tail", "-f", "log", files={"log": "a\n"})


def test_following_ends_with_the_process_that_is_waited_for(sandbox):
    assert sandbox.run("tail", "-f", "--pid", "1", "log", files={"log": "a\n"}) == (0, b"a\n", b"")


def test_a_file_is_not_read_while_it_is_written(sandbox):
    sandbox.fs.populate({"f": "a\n"}, VirtualPath("/workspace"))
    kernel = Kernel(sandbox.fs, SMALL)
    error = Capture(kernel.budget, OutputCap(1000))
    for name, message in (
        ("cat", "f: input file is output file"),
        ("grep", "f: input file is also the output"),
    ):
        process = kernel.new_process(1, {0: Input(b""), 2: error}, VirtualPath("/workspace"))
        process.descriptors[1] = process.open("f", read=False, write=True, append=True)
        arguments = ["f"] if name == "cat" else ["a", "f"]
        assert run_utility(Utility(load(name)), arguments, Context(name, process, {}, None)) == (
            1 if name == "cat" else 2
        )
        assert error.getvalue().decode().endswith(f"{name}: {message}\n")


def test_what_is_not_used_of_an_input_stays_for_the_next_reader():
    for command in (["head", "-n1"], ["sed", "1q"], ["grep", "-m1", "1"]):
        kernel = Kernel(MemoryFileSystem(), SMALL)
        source, out = Input(b"1\n2\n3\n"), Capture(kernel.budget, OutputCap(100))
        process = kernel.new_process(1, {0: source, 1: out}, VirtualPath("/workspace"))
        run_utility(Utility(load(command[0])), command[1:], Context(command[0], process, {}, None))
        assert (out.getvalue(), source.read(10)) == (b"1\n", b"2\n3\n"), command
