"""Worker processes: answers in order, and a process that dies takes nothing but its own script along."""

from __future__ import annotations

import os

from sandhook.conformance.workers import CHUNK, MIN_SCRIPTS, Sandhook


def dying(tasks, root, seconds):
    """Stand in for a worker's work: a script that says so kills the process."""
    for script, _ in tasks:
        if script == "die":
            os._exit(9)
    return [(0, f"{script} {root} {seconds}".encode(), b"", "", 0.0, None) for script, _ in tasks]


class Mortal(Sandhook):
    work = staticmethod(dying)


def test_answers_come_in_order():
    scripts = [f"echo {number}; exit {number % 7}" for number in range(MIN_SCRIPTS + CHUNK + 3)]
    results = list(Sandhook(jobs=2).map(scripts))
    assert [(each.status, each.stdout) for each in results] == [
        (number % 7, b"%d\n" % number) for number in range(len(scripts))
    ]


def test_a_worker_that_dies_fails_its_script_alone():
    scripts = [str(number) for number in range(MIN_SCRIPTS + 20)]
    scripts[MIN_SCRIPTS + 3] = scripts[7] = "die"
    results = list(Mortal(jobs=2, root="r", timeout=3.0).map(scripts))
    assert [each.trouble for each in results] == [
        "defect: the process that ran it died" if script == "die" else "" for script in scripts
    ]
    assert results[-1].stdout == b"83 r 3.0"


def test_who_stops_early_leaves_no_worker():
    answers = Sandhook(jobs=2).map(["echo a"] * (MIN_SCRIPTS * 2))
    assert next(answers).stdout == b"a\n"
    answers.close()


def test_a_few_scripts_need_no_worker(monkeypatch):
    monkeypatch.setattr("sandhook.conformance.workers._pool", None)
    assert [each.stdout for each in Sandhook(jobs=8).map(["echo a"] * (MIN_SCRIPTS - 1))] == [b"a\n"] * (
        MIN_SCRIPTS - 1
    )
