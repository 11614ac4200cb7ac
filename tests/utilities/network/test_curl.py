"""curl against a server of the test's own; with --oracle the real program asks it the same."""

from __future__ import annotations

import time

import pytest

from sandhook import Limits, Network, Shell
from sandhook.vfs.path import VirtualPath
from tests.utilities.network.server import check_with_oracle, run


@pytest.mark.parametrize(
    "script",
    [
        "curl -s @/echo",
        "curl -s @",
        "curl -s '@/echo?a=1&b=2#frag'",
        "curl -s -d a=1 -d b=2 @/echo",
        "curl -s -d {at}data.txt @/echo",
        "curl -s --data-binary {at}data.txt @/echo",
        "curl -s --data-raw {at}data.txt @/echo",
        "curl -s --data-urlencode 'q=a b&c/ü' --data-urlencode 'x{at}data.txt' --data-urlencode '=p q' @/echo",
        "curl -s -G -d a=1 --data-urlencode 'b=x y' @/echo",
        "curl -s -G -d a=1 '@/echo?z=0'",
        "curl -s --json '{\"a\":1}' @/echo",
        "curl -s --json {at}body.json @/echo",
        "curl -s -X DELETE @/echo",
        "curl -s -XPATCH -d x @/echo",
        "curl -s -H 'X-A: 1' -H 'X-B:2' -H 'Accept:' -H 'User-Agent: me' @/echo",
        "curl -s -H 'X-A;' @/echo",
        "curl -s -u name:pass @/echo",
        "curl -s -A agent -e http://ref/ -r 0-4 @/echo",
        "curl -s --oauth2-bearer tok @/echo",
        "curl -s -T data.txt @/echo",
        "echo in | curl -s -d {at}- @/echo",
        "curl -s -b 'a=1; b=2' @/echo",
        "curl -s -L @/to/302",
        "curl -s -L -d x @/to/301",
        "curl -s -L -d x @/to/307",
        "curl -s -L -d x @/to/303",
        "curl -s -L -X POST -d x @/to/302",
        "curl -s -L --post302 -d x @/to/302",
        "curl -s @/to/302 -w '%{http_code} %{redirect_url} %{num_redirects}\\n'",
        "curl -s -L @/to/302 -o /dev/null -w '%{http_code} %{url_effective} %{num_redirects} %{content_type} %{size_download}%%\\n'",
        "curl -s -f @/status/404; echo $?",
        "curl -s --fail-with-body @/status/500; echo $?",
        "curl -s @/status/404; echo $?",
        "curl -s --max-redirs 3 -L @/loop; echo $?",
        "curl -s -o out @/echo; cat out",
        "curl -s -O @/name.txt; cat name.txt",
        "curl -s --create-dirs -o d/e/out @/echo; cat d/e/out",
        "curl -s -o one -o two @/status/200 @/name.txt; cat one two",
        "curl -s @/status/200 @/name.txt",
        "curl -s --compressed @/gzip",
        "curl -s -c jar -b '' @/cookie; curl -s -b jar @/echo; grep -c k jar",
        "curl -s -c $'/no/d\\xcf/x' -b '' @/cookie; echo $?",
        "curl -v -c $'/no/d\\xcf/x' -b '' @/cookie 2>&1 | grep -a WARNING | tr -cd '\\n -~'",
        "curl -s --max-filesize 10 @/long; echo $?",
        "curl -s @/cut; echo $?",
        "curl -s @/empty; echo $?",
        "curl -s -m 0.3 @/slow; echo $?",
        "curl -s http://127.0.0.1:1/; echo $?",
        "curl -s foo://x/; echo $?",
        "curl -s http://; echo $?",
        "curl -s -o /no/such/dir/file @/echo; echo $?",
        "curl -s -I @/status/200 | head -n 1",
        "curl -s -i @/status/204 | head -n 1",
        "curl -s -D heads -o /dev/null @/status/201; head -n 1 heads",
        "curl -sS -w '%{exitcode} %{errormsg}\\n' -f @/status/418 2>/dev/null; echo $?",
        "curl -s -w '{\"code\":%{http_code},\"t\":\"%{content_type}\"}' -o /dev/null @/echo",
        "curl -s @/echo -o /dev/null",
        "curl --retry 3 --retry-delay 1 -s -f @/flaky",
        "curl --retry 3 --retry-delay 2 --retry-max-time 3 -s -f @/flaky",
        "curl --retry 3 --retry-delay 2 --retry-max-time 1 -s -f @/flaky; echo $?",
        "curl --retry 3 --retry-delay 1 --retry-max-time 0 -s -f @/flaky",
        "curl --retry 2 -s -f @/later/503/2 2>&1",
        "curl --retry 2 --retry-delay 3 -s -f @/later/429/1 2>&1",
        "curl --retry 2 --retry-max-time 1 -f @/later/503/2 2>&1 | grep -c Retry-After",
        "curl --retry 2 --retry-max-time 1 -s @/later/503/2; echo $?",
        "curl --retry 2 --retry-all-errors -s @/later/404/1; echo $?",
        "curl --retry 2 --retry-all-errors -s -f @/later/404/9; echo $?",
        "curl -sS --proto =https @/name.txt 2>&1; echo $?; curl -sS --proto -https @/name.txt; curl -sS --proto = @/name.txt 2>&1; echo $?",
        "curl -sS -L --proto-redir =https @/to/302 2>&1; echo $?; curl -s -L --proto =http --proto-redir -all,http -o /dev/null @/to/302; echo $?",
        "curl -sS --proto =http --proto-default https x/ 2>&1; echo $?; curl --proto-default foo x 2>&1; echo $?",
        "curl -m -1 @/ 2>&1; curl --retry 1.5 @/ 2>&1; curl -C -3 @/ 2>&1; curl -s -L --max-redirs -1 -o /dev/null @/to/302; echo $?",
        "curl -d a -I @/ 2>&1; curl -T data.txt -d a @/ 2>&1; echo $?",
    ],
)  # fmt: skip
def test_as_the_real_program(servers, oracle, tmp_path, script):
    check_with_oracle(servers, script, tmp_path if oracle else None)


@pytest.mark.parametrize(
    ("when", "options", "seconds"),
    [
        ("5", "", 5),
        ("2.5", "", 2),
        ("5", "--retry-delay 1", 5),
        ("1", "--retry-delay 7", 1),
        ("0", "--retry-delay 3", 3),
        ("soon", "", 1),
        ("-4", "", 1),
        ("Sat,_01_Jan_2000_00:00:00_GMT", "", 1),
    ],
)
def test_curl_waits_as_the_server_asks(servers, when, options, seconds):
    """The waits are those of curl 7.88, which hangs at a date in the past."""
    servers[0].tries = 0
    port = servers[0].server_address[1]
    network = Network([f"http://127.0.0.1:{port}"])
    script = f"curl --retry 2 {options} http://127.0.0.1:{port}/later/503/{when} 2>&1 >/dev/null | grep -o 'in [0-9.]* s'"
    assert Shell(network=network).run(script).stdout == f"in {seconds} s\n"


def test_a_wait_that_the_server_asks_for_ends_with_the_run(servers):
    servers[0].tries = 0
    port = servers[0].server_address[1]
    shell = Shell(network=Network([f"http://127.0.0.1:{port}"]), limits=Limits(wall_seconds=1.0))
    assert shell.run(f"curl --retry 2 -s http://127.0.0.1:{port}/later/503/99999999999999999").limit


def test_what_is_not_listed_is_not_reached(port):
    for url in ("http://127.0.0.1:1/", f"https://127.0.0.1:{port}/", "http://example.com/"):
        status, out, err = run(port, f"curl -sS {url}")
        assert (status, out) == (7, "")
        assert "is not on the list of URLs that may be called" in err


def test_redirects_are_looked_at_anew(port, servers):
    for where in ("away", "inside"):
        status, out, err = run(port, f"curl -sS -L @/{where}")
        assert (status, out, "not on the list" in err) == (7, "", True)
    assert run(port, "curl -sS -L @/file")[0] == 3
    other = servers[1].server_port
    status, out, _ = run(
        port, "curl -sS -L -u me:secret -H 'X-A: 1' -b c=1 @/away", allow=(f"http://127.0.0.1:{other}",)
    )
    assert status == 0
    assert "authorization" not in out and "cookie" not in out and "x-a: 1" in out


def test_credentials_are_added_and_not_shown(port, servers):
    other = servers[1].server_port
    secret = {f"http://127.0.0.1:{port}": {"Authorization": "Bearer hidden"}}
    allow = (f"http://127.0.0.1:{other}",)
    assert "authorization: Bearer hidden" in run(port, "curl -s @/echo", credentials=secret)[1]
    assert "authorization: Bearer hidden" in run(port, "curl -s -u a:b @/echo", credentials=secret)[1]
    assert "hidden" not in "".join(
        map(str, run(port, "curl -v -i -o /dev/null @/status/200", credentials=secret))
    )
    assert "hidden" not in run(port, "curl -s -L @/away", credentials=secret, allow=allow)[1]


@pytest.mark.parametrize(
    "found", [["10.0.0.1"], ["93.184.215.14", "127.0.0.1"], ["::ffff:169.254.169.254"], ["fd00::1"]]
)
def test_names_that_lead_inside_are_refused(found):
    network = Network(["http://a.example"], resolve=lambda host, port: found)
    result = Shell(network=network).run("curl -sS http://a.example/")
    assert (result.exit_status, "which is not public" in result.stderr) == (7, True)


def test_the_checked_address_is_the_one_that_is_called(port):
    asked = []

    def resolve(host: str, number: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"]

    network = Network([f"http://a.example:{port}"], private=True, resolve=resolve)
    result = Shell(network=network).run(f"curl -s http://a.example:{port}/echo -w '%{{remote_ip}}'")
    assert result.stdout.endswith("127.0.0.1") and asked == ["a.example"]


def test_an_unknown_host(port):
    def resolve(host: str, number: int) -> list[str]:
        raise OSError("unknown")

    network = Network(["http://a.example"], resolve=resolve)
    result = Shell(network=network).run("curl -sS http://a.example/")
    assert (result.exit_status, result.stderr) == (6, "curl: (6) Could not resolve host: a.example\n")


def test_without_a_network_it_is_off():
    result = Shell().run("curl -sS http://example.com/")
    assert (result.exit_status, result.stderr) == (
        6, "curl: (6) Could not resolve host: example.com (the network is off in this sandbox)\n",
    )  # fmt: skip
    assert Shell().run("type curl").exit_status == 0


@pytest.mark.parametrize(
    "option",
    [
        "-k",
        "--insecure",
        "-x http://p",
        "--proxy p",
        "--unix-socket s",
        "--resolve a:1:b",
        "--connect-to x",
        "-n",
        "--cacert f",
    ],
)
def test_what_leads_around_the_checks_is_refused_by_name(port, option):
    status, out, err = run(port, f"curl {option} @/echo")
    assert (status, out) == (2, "")
    assert "is not supported here (L-CURL-001)" in err


@pytest.mark.parametrize(
    "options", ["--nope", "-d", "-H 'Content-Length: 5' @/", "-m x @/", "-F a @/", "--ma 1 @/"]
)
def test_wrong_options(port, options):
    assert run(port, f"curl {options}")[0] == 2


@pytest.mark.parametrize(
    "url", ["http://user{at}pw{at}127.0.0.1:1/", "'http://a b/'", "http://a\\\\b/", "http://127.0.0.1:99999/"]
)
def test_urls_that_are_none(port, url):
    assert run(port, f"curl -s {url}")[0] == 3


def test_caps_of_bytes_and_time(port):
    status, out, err = run(port, "curl -sS @/long", max_bytes=5000)
    assert (status, "Maximum file size exceeded" in err, len(out) < 80_000) == (63, True, True)
    assert run(port, "curl -sS --compressed @/bomb -o f", max_bytes=100_000)[0] == 63
    began = time.monotonic()
    assert run(port, "curl -sS @/slow", max_seconds=0.3)[0] == 28
    assert time.monotonic() - began < 15  # of the 20 that the server waits


def test_a_slow_server_ends_with_the_run(port):
    network = Network([f"http://127.0.0.1:{port}"])
    began = time.monotonic()
    result = Shell(network=network, limits=Limits(wall_seconds=0.5)).run(
        f"curl -s http://127.0.0.1:{port}/slow; echo on"
    )
    assert (result.limit, result.stdout) == ("wall_seconds", "")
    assert time.monotonic() - began < 15  # of the 20 that the server waits


def test_a_form(port):
    status, out, _ = run(
        port,
        "curl -s -F a=1 -F 'f={at}data.txt;type=text/plain' -F 't=<data.txt' --form-string 's={at}x' @/echo",
    )
    assert status == 0 and "content-type: multipart/form-data; boundary=" in out
    assert (
        'name="a"\r\n\r\n1\r\n' in out
        and 'name="f"; filename="data.txt"\r\nContent-Type: text/plain\r\n\r\none\ntwo\n' in out
    )
    assert 'name="t"\r\n\r\none\ntwo\n' in out and 'name="s"\r\n\r\n@x\r\n' in out
    assert run(port, "curl -sS -F f={at}none @/echo")[0] == 26


def test_cookies_of_another_domain_are_not_taken(port):
    assert "evil" not in run(port, "curl -s -c - -b '' @/cookie")[1]


def test_messages(port):
    assert run(port, "curl -sS -f @/status/404")[2] == "curl: (22) The requested URL returned error: 404\n"
    assert run(port, "curl -s -f @/status/404")[2] == ""
    assert "> GET /status/200 HTTP/1.1\r\n" in run(port, "curl -v @/status/200")[2]


def test_limits_of_files(port):
    network = Network([f"http://127.0.0.1:{port}"])
    shell = Shell(network=network, limits=Limits(fs_bytes=50_000))
    result = shell.run(f"curl -sS -o f http://127.0.0.1:{port}/long")
    assert (result.exit_status, "Failure writing output" in result.stderr) == (23, True)
    assert shell.fs.exists(VirtualPath("/workspace"))


def test_a_hook_asks_a_server(port):
    from sandhook.hooks.engine import HookEngine
    from sandhook.hooks.events import ToolPre

    command = f"curl -s -f http://127.0.0.1:{port}/status/403 || exit 2"
    hooks = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": command}]}]}}
    network = Network([f"http://127.0.0.1:{port}"])
    assert HookEngine.load(hooks, "claude_code", network=network).fire(ToolPre("Bash", {})).refused
