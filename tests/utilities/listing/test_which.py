from __future__ import annotations


def test_finds_what_is_built_in(utility):
    env = {"PATH": "/usr/bin:/bin"}
    assert utility("which", "ls", env=env) == (0, "/usr/bin/ls\n", "")
    assert utility("which", "-a", "ls", env=env) == (0, "/usr/bin/ls\n/bin/ls\n", "")
    assert utility("which", "ls", "no-such-command", env=env) == (1, "/usr/bin/ls\n", "")
    assert utility("which", "/usr/bin/ls", env=env) == (0, "/usr/bin/ls\n", "")
    assert utility("which", env=env) == (1, "", "")


def test_finds_programs_in_files(steps):
    files = {"bin/tool": "#!/bin/sh\n", "bin/data": "x"}
    steps("chmod", "755", "bin/tool", files=files)
    env = {"PATH": "bin:/usr/bin"}
    assert steps("which", "tool", env=env) == (0, "bin/tool\n", "")
    assert steps("which", "data", env=env) == (1, "", "")
    assert steps("which", "bin/tool", env=env) == (0, "bin/tool\n", "")
    assert steps("which", "tool", env={"PATH": "/usr/bin"}) == (1, "", "")
