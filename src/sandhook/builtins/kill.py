"""kill: send a virtual signal to processes of this run.

Source: POSIX.1-2024 XCU 3 kill; bash 5.2 reference manual 7.2.
Divergence: L-KILL-001, signals that stop a process do nothing, for no terminal could continue it;
a process group (0, or a negative number) is all processes of the run.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins._base import USAGE_STATUS, Fault, builtin, complain, numeric, show_usage, write
from sandhook.builtins._jobspec import find_job
from sandhook.builtins._signals import listing, trap_name
from sandhook.kernel.process import Process
from sandhook.kernel.signals import NAMES, NUMBERS, SIGTERM
from sandhook.state.state import State

USAGE = "kill [-s sigspec | -n signum | -sigspec] pid | jobspec ... or kill -l [sigspec]"


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return 0 when a signal was sent to any of them, else 1."""
    words = list(argv[1:])
    if not words:
        show_usage(state, "kill", USAGE)
        return USAGE_STATUS
    signal = SIGTERM
    while words and words[0][:1] == "-" and len(words[0]) > 1:
        word = words.pop(0)
        if word == "--":
            break
        if word in ("-l", "-L"):
            return _list(state, words)
        if word in ("-s", "-n"):
            if not words:
                raise Fault(f"{word}: option requires an argument")
            signal = _signal(words.pop(0))
        elif word == "--help":
            show_usage(state, "kill", USAGE)
            return USAGE_STATUS
        elif word[:2] in ("-s", "-n") and trap_name(word[1:]) is None and word[1:] != "0":
            signal = _signal(word[2:])
        else:
            signal = _signal(word[1:])
        if words and words[0] == "--":
            words.pop(0)
        break
    if not words:
        show_usage(state, "kill", USAGE)
        return USAGE_STATUS
    sent = False
    for word in words:
        try:
            targets = _targets(state, word)
        except Fault as fault:
            complain(state, f"kill: {fault.message}")
            continue
        sent = True
        for process in targets:
            process.kill(signal)
    if state.process.pending and not state.extra.pop("signals_wait", False):
        state.process.deliver()
    return 0 if sent else 1


def _signal(text: str) -> int:
    if text == "0":
        return 0
    name = trap_name(text)
    if name == "EXIT":
        return 0
    number = NUMBERS.get(name or "")
    if number is None:
        raise Fault(f"{text}: invalid signal specification")
    return number


def _targets(state: State, word: str) -> list[Process]:
    """Return the processes that an operand means. Raises Fault."""
    if word[:1] == "%":
        return [process for process in find_job(state, word).processes if not process.done]
    pid = numeric(word)
    if pid is None:
        raise Fault(f"{word}: arguments must be process or job IDs")
    processes = state.process.kernel.processes
    if pid == 0 or (pid < 0 and (pid == -1 or -pid in processes)):
        return list(processes.values())
    found = processes.get(pid)
    if found is None:
        raise Fault(f"({pid}) - No such process")
    return [found]


def _list(state: State, words: Sequence[str]) -> int:
    """kill -l: the table, or names for numbers and numbers for names."""
    if not words:
        write(state, listing())
        return 0
    status = 0
    for word in words:
        number = numeric(word)
        if number is not None and number > 128:
            number -= 128
        if number == 0:
            write(state, "EXIT\n")
        elif number is not None and number in NAMES:
            write(state, NAMES[number] + "\n")
        else:
            name = trap_name(word) if number is None else None
            if name is None or (name not in NUMBERS and name != "EXIT"):
                complain(state, f"kill: {word}: invalid signal specification")
                status = 1
            else:
                write(state, f"{NUMBERS.get(name, 0)}\n")
    return status
