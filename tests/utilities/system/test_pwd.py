from __future__ import annotations


def test_prints(steps):
    steps("mkdir", "d")
    steps("ln", "-s", "d", "l")
    assert steps("pwd", same=False) == (0, "/workspace\n", "")
    assert steps("env", "-C", "l", "pwd", same=False)[1] == "/workspace/d\n"
    env = {"PWD": "/workspace/l"}
    assert steps("env", "-C", "l", "pwd", "-L", env=env, same=False)[1] == "/workspace/l\n"
    assert steps("env", "-C", "l", "pwd", "-L", env={"PWD": "/tmp"}, same=False)[1] == "/workspace/d\n"
    assert steps("pwd", "x", same=False) == (0, "/workspace\n", "pwd: ignoring non-option arguments\n")
