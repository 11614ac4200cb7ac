from __future__ import annotations

import pytest

from sandhook.dispatch.shebang import program_of


@pytest.mark.parametrize(
    ("head", "program"),
    [
        (b"#!/bin/sh\n", "sh"),
        (b"#! /usr/bin/python3 -u\n", "python3"),
        (b"\xef\xbb\xbf#!/bin/bash\r\n", "bash"),
        (b"#!/usr/bin/env node\n", "node"),
        (b"#!/usr/bin/env -S python3 -u\n", "python3"),
        (b"#!/usr/bin/env -Spython3 -u\n", "python3"),
        (b"#!/usr/bin/env -S A=b -i /opt/x/perl -w\n", "perl"),
        (b"#!/usr/bin/env\n", None),
        (b"#!\n", None),
        (b"#!/bin/" + b"x" * 300, None),
        (b"echo hi\n", None),
        (b"", None),
    ],
)
def test_the_program_that_a_script_is_for(head: bytes, program: str | None) -> None:
    assert program_of(head) == program
