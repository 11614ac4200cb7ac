"""Every utility is the same program however it is named: by a path, a link, ``env``, ``xargs``, ``find -exec``.

A guard that calls /usr/bin/grep must see what one that calls grep sees.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import pytest

from sandhook import Limits, Shell
from sandhook.builtins import BUILTINS
from sandhook.utilities import names

#: How NAME may be called; each form prints what the command printed, then its status.
FORMS = {
    "path": "/usr/bin/NAME ARGS",
    "bin": "/bin/NAME ARGS",
    "relative": "../usr/bin/NAME ARGS",
    "dots": "/usr/../bin/./NAME ARGS",
    "link": "ln -s /usr/bin/NAME own; ./own ARGS",
    "link to a link": "ln -s ../usr/bin/NAME own; ln -s own other; ./other ARGS",
    "linked directory": "ln -s /usr/bin there; there/NAME ARGS",
    "found": '"$(type -P NAME)" ARGS',
    "env": "env NAME ARGS",
    "env path": "env /usr/bin/NAME ARGS",
    "command": "command NAME ARGS",
    "command path": "command /usr/bin/NAME ARGS",
    "exec": "(exec NAME ARGS)",
    "exec path": "(exec /usr/bin/NAME ARGS)",
    "exec -a": "(exec -a other /usr/bin/NAME ARGS)",
    "xargs": "xargs -a /dev/null /usr/bin/NAME ARGS",
    "find": "find . -maxdepth 0 -exec /usr/bin/NAME ARGS ';'",
}

#: Programs that decide by ``argv[0]`` are asked under their own name alone, as the real ones are.
BY_ARGV0 = {"link", "link to a link", "exec -a"}


def run(script: str, stdin: str = "") -> tuple[str, int]:
    shell = Shell(files={"one": "abc\nab+c\n", "two": "abd\n"}, cwd="/tmp", limits=Limits(wall_seconds=20.0))
    result = shell.run(script, stdin=stdin)
    assert result.defect is None
    return result.stdout, result.exit_status


#: A command line of every family whose members are distinguished, and what it prints.
FAMILIES = [
    ("grep", "'a.*[c]' one", "abc\nab+c\n"),
    ("egrep", "'ab[+]c|x' one", "ab+c\n"),
    ("fgrep", "b+c one", "ab+c\n"),
    ("zgrep", "'a.c' one", "abc\n"),
    ("zegrep", "'x|b.c' one", "ab+c\n"),
    ("zfgrep", "b+c one", "ab+c\n"),
    ("zcmp", "one two", "one two differ: byte 3, line 1\n"),
    ("zdiff", "one two", "1,2c1\n< abc\n< ab+c\n---\n> abd\n"),
    ("md5sum", "two", "8f0abafc5f8e6686a882c78cac4bcb9f  two\n"),
    ("sha1sum", "/dev/null", "da39a3ee5e6b4b0d3255bfef95601890afd80709  /dev/null\n"),
    ("base32", "two", "MFRGICQ=\n"),
    ("base64", "two", "YWJkCg==\n"),
    ("test", "a = b", ""),
    ("[", "a = b ]", ""),
    ("vdir", "-d --time-style=+ /proc", "dr-xr-xr-x 4 root root 4096  /proc\n"),
    ("dir", "-d /proc", "/proc\n"),
    ("ngettext", "one many 2", "many"),
    ("csvcut", "-c 1 two", "abd\n"),
    ("tomlq", "-r .a /dev/null", "null\n"),
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("name", "arguments", "stdout"), FAMILIES, ids=[row[0] for row in FAMILIES])
def test_members_of_a_family_stay_themselves(form: str, name: str, arguments: str, stdout: str) -> None:
    expected = run(f"env {name} {arguments}")
    if stdout:
        assert expected[0] == stdout
    script = FORMS[form].replace("NAME", name).replace("ARGS", arguments)
    printed, status = run(script)
    assert printed == expected[0]
    if form not in ("find", "xargs"):  # these have a status of their own
        assert status == expected[1]


def test_a_link_gives_programs_that_look_at_it_their_name() -> None:
    script = (
        "echo hi | xz > f.xz; ln -s /usr/bin/xz unxz; ./unxz < f.xz; ln -s /bin/hexdump hd; printf abc | ./hd"
    )
    line = "00000000  61 62 63                                          |abc|\n00000003\n"
    assert run(script) == (f"hi\n{line}", 0)


def test_a_guard_that_calls_grep_by_its_path_refuses() -> None:
    script = "cat | /usr/bin/grep -q 'rm.*-rf' && exit 2; exit 0"
    assert run(script, "rm foo -rf bar") == ("", 2)
    assert run(script, "ls -l") == ("", 0)


def test_a_file_of_the_same_name_wins_over_the_utility() -> None:
    script = (
        "printf '#!/bin/sh\\necho mine\\n' > grep; chmod +x grep; ./grep; /tmp/grep; ../tmp/grep; PATH=. grep"
    )
    assert run(script) == ("mine\n" * 4, 0)


def test_links_in_a_circle_are_an_error() -> None:
    script = "ln -s a b; ln -s b a; ./a; echo $?; [ -x a ] || echo no; ln -s /usr/bin/nosuch n; ./n; echo $?"
    assert run(script) == ("126\nno\n127\n", 0)


#: Forms that call a built-in where there is one of that name.
BY_NAME = {"plain", "command"}

#: Utilities whose output is chance, a time, the inode of a file or endless.
VARYING = {"mcookie", "shuf", "stat", "time", "uptime", "uuidgen", "yes"}

#: Every form, with links outside of the directory that utilities list.
WIDE_FORMS = {
    **{label: form for label, form in FORMS.items() if "ln -s" not in form},
    "plain": "NAME ARGS",
    "link": "/tmp/link1 ARGS",
    "link to a link": "../tmp/link2 ARGS",
    "linked directory": "/tmp/there/NAME ARGS",
    "exec -a": "(exec -a link1 /usr/bin/NAME ARGS)",
}


def answers(shell: Shell, name: str, arguments: str, labels: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return what one utility answers to each form: its output with its plain name, and its status."""
    script = f"ln -sf /usr/bin/{name} /tmp/link1\n"
    for label in labels:
        form = WIDE_FORMS[label].replace("NAME", name).replace("ARGS", arguments)
        script += f"{form} < ../tmp/one 2>&1; printf '\\036%s\\036' $?\n"
    result = shell.run(script)
    assert (result.defect, result.limit) == (None, None), name
    called = rf"[^\s'`]*/(?:link1|link2|{re.escape(name)})(?!\w)|\b(?:link1|link2)\b"
    parts = re.sub(called, name, result.stdout).split("\x1e")
    return dict(zip(labels, zip(parts[0::2], parts[1::2], strict=False), strict=True))


def differing(arguments: str, labels_of: Callable[[int], Sequence[str]]) -> list[tuple[str, object]]:
    """Return the answers that differ from those of ``env NAME``, in one sandbox for all utilities."""
    files = {"/work/one": "abc\nab+c\n", "/tmp/one": "abc\nab+c\n"}
    shell = Shell(files=files, cwd="/work", limits=Limits(wall_seconds=120.0, output_bytes=64 << 20))
    shell.run("ln -s link1 /tmp/link2; ln -s /usr/bin /tmp/there")
    differ: list[tuple[str, object]] = []
    for number, name in enumerate(sorted(names() - VARYING if arguments == "one" else names())):
        by_name = BY_NAME if name in BUILTINS or name == "time" else set()
        found = answers(shell, name, arguments, ["env", *labels_of(number)])
        for label, answer in found.items():
            if label in (
                "find",
                "xargs",
            ):  # these have a status of their own, and xargs reports that of the utility
                answer = (answer[0].partition(f"xargs: {name}: exited")[0], found["env"][1])
            if label not in by_name and answer != found["env"]:
                differ.append((name, (label, answer, found["env"])))
    return differ


def test_every_utility_answers_alike() -> None:
    labels = list(WIDE_FORMS)
    assert differing("--no-such-option", lambda number: labels[number % 3 :: 3]) == []


@pytest.mark.slow
@pytest.mark.parametrize("arguments", ["--help", "--no-such-option", "one"])
def test_every_utility_answers_alike_in_every_form(arguments: str) -> None:
    labels = list(WIDE_FORMS)
    if arguments == "--help":  # find reads the option itself, and the usage line has the name of a link
        labels = [label for label in labels if label not in {"find", *BY_ARGV0}]
    assert differing(arguments, lambda number: labels) == []
