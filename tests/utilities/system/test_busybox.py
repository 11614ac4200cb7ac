"""busybox, and ash, which is a name of the shell."""

from __future__ import annotations

from sandhook import Shell


def test_ash_is_a_name_of_the_shell_as_sh_is() -> None:
    result = Shell().run(
        "ash -c 'echo $0 $1; case :$SHELLOPTS: in *:posix:*) echo posix;; esac' x y; type -t ash; busybox ash -c 'echo in'"
    )
    assert result.stdout.split("\n")[:3] == ["x y", "posix", "file"]
    assert result.stdout.endswith("in\n")
