"""Fuzzing: random inputs for every reader of text or bytes that somebody else wrote.

    make fuzz                                            every target, FUZZ_RUNS inputs each
    python -m fuzz parser scripts --runs 100000          some targets
    python -m fuzz.seeds                                 write the corpora anew

A target is a module of ``fuzz.targets`` with ``target(data)``, which raises an exception for an input that breaks
a promise, ``seeds()``, ``WORDS`` and, when it needs a program of the machine, ``unavailable()``.
"""
