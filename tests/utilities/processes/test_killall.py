"""killall: what cannot be asked of the real program here."""

from __future__ import annotations

from sandhook import Shell


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
