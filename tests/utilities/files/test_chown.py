"""chown and chgrp: the run's user is no superuser and can give nothing away."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("argv", "out", "err"),
    [
        (
            ("chown", "-v", "root", "f"),
            "failed to change ownership of 'f' from agent to root\n",
            "chown: changing ownership of 'f': Operation not permitted\n",
        ),
        (
            ("chgrp", "-v", "root", "f"),
            "failed to change group of 'f' from agent to root\n",
            "chgrp: changing group of 'f': Operation not permitted\n",
        ),
        (
            ("chown", "-v", "agent:root", "f"),
            "failed to change ownership of 'f' from agent:agent to agent:root\n",
            "chown: changing ownership of 'f': Operation not permitted\n",
        ),
        (("chown", "-f", "root", "f"), "", ""),
    ],
)
def test_nothing_is_given_away(utility, argv, out, err):  # type: ignore[no-untyped-def]
    status, got_out, got_err = utility(*argv, files={"f": ""}, same=False)
    assert (status, got_out, got_err) == (1, out, err)


def test_install_cannot_give_a_file_away(utility):  # type: ignore[no-untyped-def]
    assert utility("install", "-o", "root", "f", "g", files={"f": "x"}, same=False) == (
        1,
        "",
        "install: cannot change ownership of 'g': Operation not permitted\n",
    )
