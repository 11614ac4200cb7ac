"""Scripts that the kernel starts, and our plan for the same files: the interpreter sees the same words.

Every script here has the executable bit, so that the kernel takes it. The interpreters are scripts of sh
that print their name and arguments, one in angle brackets each; sh is a program, so they end every chain.
"""

from __future__ import annotations

import os
import random
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from sandhook.dispatch.model import Interpreter, Program
from sandhook.dispatch.plan import plan
from tests.dispatch.machine import RealFiles

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the rules are those of Linux")

SHOW = b'#!/bin/sh\nprintf "<%s>" "$0" "$@"\nprintf "%s" "${MADE+made:$MADE}" "${GONE-gone}"\n'
ENVIRONMENT = {"HOME": "/home/nobody", "GONE": "", "WORD": "two words"}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return a directory with interpreters ``show`` and ``./bin/tool``; ``bin`` is in PATH."""
    (tmp_path / "bin").mkdir()
    for name in ("show", "bin/tool", "bin/t"):
        write(tmp_path / name, SHOW)
    return tmp_path


def write(path: Path, text: bytes) -> None:
    path.write_bytes(text)
    path.chmod(0o755)


def by_kernel(place: Path, path: str, *operands: str) -> bytes | int:
    """Return what the interpreter printed, or the errno."""
    environment = {**ENVIRONMENT, "PATH": f"{place}/bin:/usr/bin:/bin"}
    try:
        done = subprocess.run([path, *operands], cwd=place, env=environment, capture_output=True, timeout=60)
    except OSError as error:
        return error.errno or -1
    return done.stdout if done.returncode == 0 else -done.returncode


def by_plan(place: Path, path: str, *operands: str) -> bytes | int:
    """Return the same for the plan, or its status, negative."""
    environment = {**ENVIRONMENT, "PATH": f"{place}/bin:/usr/bin:/bin"}
    files = RealFiles(str(place), environment["PATH"].split(":"))
    made = plan(path, [path, *operands], files, environment=environment)
    if not isinstance(made, Program | Interpreter):
        return -made.status if hasattr(made, "status") else -1
    if isinstance(made, Interpreter) and made.environment is not None:
        environment = dict(made.environment)
    done = subprocess.run(
        made.argv, executable=made.executable, cwd=place, env=environment, capture_output=True, timeout=60
    )
    return done.stdout if done.returncode == 0 else -done.returncode


def compare(place: Path, first_line: bytes, rest: bytes = b"") -> None:
    write(place / "script", first_line + rest)
    kernel = by_kernel(place, "./script", "one", "", "two words")
    if isinstance(kernel, bytes):
        assert by_plan(place, "./script", "one", "", "two words") == kernel


def lines(place: Path) -> dict[str, bytes]:
    """Return first lines of every shape, with their newline where they have one."""
    show = os.fsencode(place / "show")
    found = {
        "plain": b"#!%s\n",
        "blank before": b"#! %s\n",
        "blanks and tabs": b"#! \t %s \t a \t b \t \n",
        "one argument": b"#!%s -x\n",
        "two words are one argument": b"#!%s -x -y\n",
        "quotes mean nothing": b"#!%s 'a b' \"c\" \\d\n",
        "tab alone": b"#!%s\ta\n",
        "vertical tab and form feed are no blanks": b"#!%s \va\f\n",
        "no newline": b"#!%s",
        "no newline, argument": b"#!%s a",
        "no newline, blanks at the end stay": b"#!%s a  ",
        "no newline, blank only: an empty argument": b"#!%s ",
        "NUL after the name": b"#!%s\0abc def\n",
        "NUL in the argument": b"#!%s x\0abc def\n",
        "NUL after a blank": b"#!%s \0x\n",
        "NUL behind the line": b"#!%s x\n\0\0",
        "not UTF-8": b"#!%s \xff\xfe\n",
        "UTF-8": "#!%s äöü →\n".encode(),
        "number sign": b"#!%s #a\n",
    }
    return {name: line.replace(b"%s", show) for name, line in found.items()}


def test_the_kernel_runs_these_lines_and_so_do_we(place: Path) -> None:
    for name, line in lines(place).items():
        write(place / "script", line)
        kernel = by_kernel(place, "./script", "one", "", "two words")
        assert isinstance(kernel, bytes), name
        assert by_plan(place, "./script", "one", "", "two words") == kernel, name


@pytest.mark.parametrize("shape", ["argument", "blanks", "blanks before", "words", "name"])
def test_lines_around_the_length_of_the_kernels_buffer(place: Path, shape: str) -> None:
    show = os.fsencode(place / "show")
    for length in (120, 126, 127, 128, 129, *range(250, 262), 300, 600):
        left = length - len(show) - 2
        line = {
            "argument": b"#!" + show + b" " + b"y" * (left - 1),
            "blanks": b"#!" + show + b" " * left,
            "blanks before": b"#!" + b" " * left + show,
            "words": b"#!" + show + b" " + b"ab " * (left // 3) + b"c",
            "name": b"#!" + b"/" * left + show,
        }[shape]
        for end in (b"", b"\n", b" \n", b" z\n", b"\0"):
            compare(place, line + end)


def test_chains_of_interpreters(place: Path) -> None:
    before = "./show"
    for level in range(8):
        write(place / f"level{level}", f"#!{before} -{level} \n".encode())
        before = f"./level{level}"
        kernel = by_kernel(place, before, "one")
        if level < 4:  # show is a script itself
            assert isinstance(kernel, bytes)
            assert by_plan(place, before, "one") == kernel
        else:
            assert isinstance(kernel, int)
            assert by_plan(place, before, "one") == -126


def test_a_chain_through_env_starts_anew(place: Path) -> None:
    before = "show"
    for level in range(7):
        write(place / "bin" / f"level{level}", f"#!/usr/bin/env {before}\n".encode())
        before = f"level{level}"
    write(place / "bin" / "show", SHOW)
    kernel = by_kernel(place, "bin/level6", "one")
    assert isinstance(kernel, bytes)
    assert by_plan(place, "bin/level6", "one") == kernel


def test_paths_of_scripts_and_interpreters_are_handed_on_as_they_are_written(place: Path) -> None:
    (place / "sub").mkdir()
    write(place / "sub" / "tool", SHOW)
    for line in (
        b"#!show a\n",
        b"#!./show a\n",
        b"#!bin/../show\n",
        b"#!sub/tool\n",
        b"#!/usr/bin/env bin/tool\n",
    ):
        write(place / "script", line)
        for path in (
            "./script",
            "../" + place.name + "/script",
            str(place / "script"),
            ".//script",
            "sub/../script",
        ):
            kernel = by_kernel(place, path, "one")
            assert isinstance(kernel, bytes)
            assert by_plan(place, path, "one") == kernel


def test_the_interpreter_sees_its_own_name_as_from_the_kernel(place: Path) -> None:
    (place / "bin" / "reader").symlink_to("/bin/cat")  # prints the command line that it was started by
    for line in (b"#!/bin/cat /proc/self/cmdline\n", b"#!bin/reader /proc/self/cmdline\n"):
        write(place / "script", line)
        kernel = by_kernel(place, "./script")
        assert isinstance(kernel, bytes) and b"/proc/self/cmdline\0./script\0" in kernel
        assert by_plan(place, "./script") == kernel
    write(place / "script", b"#!/usr/bin/env -S reader /proc/self/cmdline\n")
    assert by_plan(place, "./script") == by_kernel(place, "./script")


ENV_LINES = [
    "tool", " tool", "-S tool", "-Stool", "-S tool -a -b", "-S  tool\t-a\t-b ", "--split-string=tool -a",
    "--split-string tool -a", "--split-s tool a", "-vS tool -a", "-iS tool", "-S -i tool", "-S -i -u GONE tool a",
    "-S - tool a", "-S -- tool a", "-S -u GONE tool", "-S -uGONE tool", "-S --unset=GONE tool", "-S --unset GONE tool",
    "-S --ignore-environment tool", "-S --ignore-env tool", "-S MADE=1 tool", "-S MADE='a b' tool x",
    "-S MADE=${WORD} tool", "-S -i MADE=$WORD tool", "-S tool ${WORD}", "-S tool \"${WORD}\" '${WORD}'",
    "-S tool ${NOSUCH}", "-S tool \"${NOSUCH}\" z", r"-S tool a\_b \_ c", r'-S tool "a\_b"', r"-S tool \ta\nb",
    r"-S tool \#a #b c", r"-S tool a#b", r"-S tool \$HOME", r"-S tool a\cb c", r"-S tool \\ \' \"", "-S tool '' \"\"",
    r"-S tool 'a\'b' 'c\\d' 'e\nf'", r'-S tool "a\"b" "c\\d"', "-S tool 'a'\"b\"c", "-S -S tool", "-S -S 'tool a' b",
    "-S PATH=/nowhere tool", "-S -i PATH=/bin printf %s<%s>", "-S -u PATH sh", "-S MADE=1 MADE=2 tool",
    "-S tool A=1", "-S a=b=c tool", "bin/tool", "./bin/tool", "-S ./bin/tool -a", "-S 'tool' x",
]  # fmt: skip


@pytest.mark.parametrize("argument", ENV_LINES)
def test_env_lines(place: Path, argument: str) -> None:
    write(place / "script", f"#!/usr/bin/env {argument}\n".encode())
    kernel = by_kernel(place, "./script", "one", "", "two words")
    ours = by_plan(place, "./script", "one", "", "two words")
    if isinstance(kernel, bytes):
        assert ours == kernel
    else:
        assert isinstance(ours, int), f"env refuses this with {-kernel}"


def test_lines_made_at_random(place: Path) -> None:
    """Some hundreds of them: whatever the kernel and env run, we run with the same words."""
    chance = random.Random(2026)
    show = str(place / "show")
    ran = 0
    for _ in range(400):
        made = [chance.choice(["#!", "#! ", "#!\t", "#!  \t "])]
        made.append(
            chance.choice([show, show, "./show", "/usr/bin/env", "/usr/bin/env -S", "/usr/bin/env\t-S "])
        )
        for _ in range(chance.randrange(4)):
            made.append(chance.choice([" ", "\t", "  ", " \t", ""]))
            made.append(
                chance.choice(["tool", "-x", "a b", "'q r'", '"s t"', r"\_", "${WORD}", "A=b", "-", "#", "t"])
            )
        made.append(chance.choice(["", " ", "\t \t", "\0", " \0z"]))
        made.append(chance.choice(["\n", "\n", "\n", "", "\n\n"]))
        write(place / "script", "".join(made).encode())
        if "env" in made[1] and not any(word in ("tool", "t") for word in shlex_words("".join(made[2:]))):
            continue  # env would start the script itself, for ever
        kernel = by_kernel(place, "./script", "one")
        if isinstance(kernel, bytes):
            ran += 1
            assert by_plan(place, "./script", "one") == kernel, made
    assert ran > 150


def shlex_words(text: str) -> list[str]:
    """Return the words up to a comment, roughly."""
    try:
        words = shlex.split(text.partition("\0")[0], comments=True)
    except ValueError:
        return []
    return [word for word in words if word != "-"][:1]
