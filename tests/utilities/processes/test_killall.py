"""killall, man and asa: what cannot be asked of the real programs here."""

from __future__ import annotations

from collections.abc import Callable

from sandhook import Shell
from tests.utilities.conftest import Ran


def test_killall_ends_the_processes_of_a_name_in_this_run_alone() -> None:
    result = Shell().run(
        "sleep 3 & one=$!; (exec sleep 3) & two=$!; cat /dev/zero >/dev/null & three=$!\n"
        "killall sleep; echo $?; wait $one; echo $?; wait $two; echo $?; killall -9 -q sleep; echo $?\n"
        "kill -0 $three && echo alive; killall -HUP -r 'c.t'; wait $three; echo $?"
    )
    assert result.stdout.split() == ["0", "143", "143", "1", "alive", "129"]


def test_killall_says_what_it_kills_and_finds_names_in_any_case() -> None:
    result = Shell().run("sleep 3 & killall -v -I SLEEP; killall -w sleep")
    assert result.stderr.startswith("Killed ")
    assert "with signal 15\n" in result.stderr


def test_man_prints_the_help_of_a_utility(utility: Callable[..., Ran]) -> None:
    assert utility("man", "cut", same=False)[1] == utility("cut", "--help", same=False)[1]
    assert utility("man", "1", "cut", same=False)[0] == 0
    assert utility("man", "3", "cut", same=False) == (16, "", "No manual entry for cut in section 3\n")


def test_asa_obeys_the_first_character(utility: Callable[..., Ran]) -> None:
    text = " one\n0two\n1three\n+over\n\n four\n"
    assert utility("asa", stdin=text, same=False) == (0, "one\n\ntwo\n\fthree\rover\n\nfour\n", "")
    assert utility("asa", stdin="", same=False) == (0, "", "")
    assert utility("asa", "nosuch", same=False)[0] == 1


def test_ash_is_a_name_of_the_shell_as_sh_is() -> None:
    result = Shell().run(
        "ash -c 'echo $0 $1; case :$SHELLOPTS: in *:posix:*) echo posix;; esac' x y; type -t ash; busybox ash -c 'echo in'"
    )
    assert result.stdout.split("\n")[:3] == ["x y", "posix", "file"]
    assert result.stdout.endswith("in\n")
