"""wget against a server of the test's own; with --oracle the real program asks it the same."""

from __future__ import annotations

import pytest

from sandhook import Shell
from tests.utilities.network.server import check_with_oracle, run


@pytest.mark.parametrize(
    "script",
    [
        "wget -q -O - @/echo | grep -v Accept",
        "wget -q @/name.txt; cat name.txt",
        "wget -q -O out @/echo; grep GET out",
        "wget -q --header='X-A: 1' -O - @/echo | grep x-a",
        "wget -q --post-data='a=1' -O - @/echo | grep -v accept",
        "wget -q --post-file=data.txt -O - @/echo | tail -n 2",
        "wget -q --method=DELETE -O - @/echo | head -n 1",
        "wget -q --spider @/name.txt; echo $?",
        "wget -q --spider @/status/404; echo $?",
        "wget -q -O - @/status/404; echo $?",
        "wget -q -O - @/to/302 | head -n 1",
        "wget -q -t 1 -O - http://127.0.0.1:1/; echo $?",
        "wget -q -t 1 -T 0.5 -O - @/slow; echo $?",
        "wget -q -U me -O - @/echo | grep agent",
        "wget -q -P dir @/name.txt; cat dir/name.txt",
        "wget -q @/name.txt; wget -q @/name.txt; ls name*",
        "wget -nv -q -nc @/name.txt; wget -q -nc @/name.txt; ls name*",
        "wget -q @/a @/name.txt -O -",
    ],
)
def test_as_the_real_program(servers, oracle, tmp_path, script):
    check_with_oracle(servers, script, tmp_path if oracle else None)


def test_what_is_not_listed_is_not_reached(port):
    assert run(port, "wget -q -O - http://example.com/; echo $?")[1] == "4\n"


def test_without_a_network_it_is_off():
    assert Shell().run("wget -q http://example.com/ || echo $?").stdout == "4\n"
    assert Shell().run("type wget").exit_status == 0


def test_what_leads_around_the_checks_is_refused(port):
    assert run(port, "wget --no-check-certificate @/echo")[0] == 2


def test_messages(port):
    err = run(port, "wget -O f @/status/404")[2]
    assert "HTTP request sent, awaiting response... 404 Not Found" in err and "ERROR 404: Not Found." in err
    err = run(port, "wget @/name.txt")[2]
    assert "'name.txt' saved [6/6]" in err
