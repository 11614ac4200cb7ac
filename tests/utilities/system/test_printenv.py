from __future__ import annotations


def test_prints(utility):
    env = {"A": "1", "B": "x y"}
    assert utility("printenv", "A", "B", env=env) == (0, "1\nx y\n", "")
    assert utility("printenv", "-0", "A", env=env) == (0, "1\0", "")
    assert utility("printenv", "A", "nope", env=env) == (1, "1\n", "")
    assert utility("printenv", env=env, same=False) == (0, "A=1\nB=x y\n", "")


def test_refuses(utility):
    hint = "Try 'printenv --help' for more information.\n"
    assert utility("printenv", "-q") == (2, "", f"printenv: invalid option -- 'q'\n{hint}")
