"""curl's sets and ranges, files of options, names of files and the like; recorded from curl 7.88.1, which --oracle asks again."""

from __future__ import annotations

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from sandhook import Network, Shell
from tests.utilities.scripts import ask_host

FILES = {"data.txt": "one\ntwo\n", "body.json": '{"a": 1}\n', "up.bin": "x"}
SHOWN = ("accept", "content-type", "user-agent", "x-a")


class Server(BaseHTTPRequestHandler):
    """Shows what it was asked; some paths have answers of their own."""

    protocol_version = "HTTP/1.1"

    def answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        what, _, rest = self.path.partition("?")[0][1:].partition("/")
        if what == "disp":
            self.reply(
                200,
                b"disp\n",
                ("Content-Disposition", 'attachment; filename="given.txt"'),
                ("Last-Modified", "Wed, 21 Oct 2015 07:28:00 GMT"),
            )
        elif what == "range":
            first = int((self.headers.get("Range") or "bytes=0-")[6:].partition("-")[0])
            self.reply(206 if first else 200, b"0123456789"[first:], ("Content-Range", f"bytes {first}-9/10"))
        elif what == "part":  # the answer to a request for the rest: its status, and where it claims to begin
            status, _, start = rest.partition("/")
            headers = (
                [("Content-Range", f"bytes {start}-9/10" if start.isdigit() else start)] if start else []
            )
            self.reply(int(status), b"0123456789"[int(start) if start.isdigit() else 0 :], *headers)
        elif what == "four":
            self.reply(int(rest), b"0123")
        elif what == "status":
            self.reply(int(rest), b"status\n")
        elif what == "cut":
            self.send_response_only(200)
            self.send_header("Content-Length", "100")
            self.end_headers()
            self.wfile.write(b"half")
            self.close_connection = True
        elif what == "name.txt":
            self.reply(200, b"named\n")
        else:
            shown = "".join(f"{n}: {self.headers[n]}\n" for n in SHOWN if n in self.headers)
            self.reply(200, f"{self.command} {self.path}\n{shown}".encode() + b"\n" + body)

    def reply(self, status: int, body: bytes, *headers: tuple[str, str]) -> None:
        self.send_response_only(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_POST = do_PUT = do_HEAD = answer

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    server.daemon_threads = True
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


#: A script in which @/ is the server, and what it prints.
ROWS = [
    (
        "curl -s '@/echo?{a,b}'",
        "GET /echo?a\naccept: */*\nuser-agent: curl/7.88.1\n\nGET /echo?b\naccept: */*\nuser-agent: curl/7.88.1\n\n",
    ),
    ("curl -s '@/echo/[1-3]' | grep GET", "GET /echo/1\nGET /echo/2\nGET /echo/3\n"),
    ("curl -s '@/echo/[08-12:2]' | grep GET", "GET /echo/08\nGET /echo/10\nGET /echo/12\n"),
    ("curl -s '@/echo/[a-c]' | grep GET", "GET /echo/a\nGET /echo/b\nGET /echo/c\n"),
    ("curl -s '@/{x,y}/[1-2]' -o '#1_#2.txt'; grep -h GET x_1.txt y_2.txt", "GET /x/1\nGET /y/2\n"),
    ("curl -s -g '@/echo/{a}' | grep GET", "GET /echo/{a}\n"),
    ("curl -s '@/echo/\\{a\\}' | grep GET", "GET /echo/{a}\n"),
    ("curl -sO '@/echo/{q,r}.txt'; ls", "body.json\ndata.txt\nq.txt\nr.txt\nup.bin\n"),
    ("curl -s '@/echo/{a,b}' -w '%{url_effective} %{urlnum}\\n' | grep http", "@/echo/a 0\n@/echo/b 0\n"),
    ("curl -sJO @/disp/x; ls", "body.json\ndata.txt\ngiven.txt\nup.bin\n"),
    ("touch given.txt; curl -sJO @/disp/x; echo $?; cat given.txt", "23\n"),
    ("curl -sR -o f @/disp; date -u -r f +%F", "2015-10-21\n"),
    ("curl -s -C 4 @/range", "456789"),
    ("printf 0123 > r; curl -s -C - -o r @/range; cat r", "0123456789"),
    ("printf abcd > r; curl -s -C - -o r @/part/206/4; echo $?; cat r", "0\nabcd456789"),
    ("printf abcd > r; curl -s -C - -o r @/part/206; echo $?; cat r", "33\nabcd"),
    ("printf abcd > r; curl -s -C - -o r @/part/206/2; echo $?; cat r", "33\nabcd"),
    ("printf abcd > r; curl -s -C - -o r @/part/206/none; echo $?; cat r", "0\nabcd0123456789"),
    ("printf abcd > r; curl -s -C - -o r @/part/200; echo $?; cat r", "33\nabcd"),
    ("printf abcd > r; curl -s -C - -o r @/part/200/4; echo $?; cat r", "0\nabcd456789"),
    ("printf abcd > r; curl -s -C - -o r @/part/416; echo $?; cat r", "0\nabcd"),
    ("printf abcd > r; curl -s -C - -o r @/part/404; echo $?; cat r", "33\nabcd"),
    ("printf abcd > r; curl -s -C - -o r @/four/200; echo $?; cat r", "0\nabcd"),
    ("printf abcd > r; curl -s -C - -f -o r @/part/416; echo $?; cat r", "0\nabcd"),
    ("printf abcd > r; curl -s -C - -f -o r @/part/416/*; echo $?; cat r", "22\nabcd"),
    ("printf abcd > r; curl -s -C - -o r @/part/416/*; echo $?; cat r", "0\nabcd"),
    ("curl -s -r 4- @/part/206/2", "23456789"),
    (
        "printf '%s\\n' '# options' 'silent' 'url = \"@/echo\"' 'header = \"X-A: 1\"' > cfg; curl -K cfg",
        "GET /echo\naccept: */*\nuser-agent: curl/7.88.1\nx-a: 1\n\n",
    ),
    ("printf 'silent\\nurl=@/echo\\n' | curl -K -", "GET /echo\naccept: */*\nuser-agent: curl/7.88.1\n\n"),
    ("curl -K missing; echo $?", "26\n"),
    (
        "curl -s @/echo --next -d x=1 @/echo",
        "GET /echo\naccept: */*\nuser-agent: curl/7.88.1\n\nPOST /echo\naccept: */*\ncontent-type: application/x-www-form-urlencoded\nuser-agent: curl/7.88.1\n\nx=1",
    ),
    ("curl -s --remote-name-all @/name.txt @/a.txt; ls", "a.txt\nbody.json\ndata.txt\nname.txt\nup.bin\n"),
    (
        "curl -s -O @/name.txt @/echo; ls",
        "GET /echo\naccept: */*\nuser-agent: curl/7.88.1\n\nbody.json\ndata.txt\nname.txt\nup.bin\n",
    ),
    ("curl -s --no-clobber -o data.txt @/echo; ls", "body.json\ndata.txt\ndata.txt.1\nup.bin\n"),
    ("curl -s --remove-on-error -o x @/cut; echo $?; ls", "18\nbody.json\ndata.txt\nup.bin\n"),
    ("curl -s -T data.txt @/", "PUT /data.txt\naccept: */*\nuser-agent: curl/7.88.1\n\none\ntwo\n"),
    ("curl -s -T missing @/echo; echo $?", "26\n"),
    (
        "curl -s -d @missing @/echo; echo $?",
        "POST /echo\naccept: */*\ncontent-type: application/x-www-form-urlencoded\nuser-agent: curl/7.88.1\n\n0\n",
    ),
    ("curl -s -d a -I @/echo; echo $?", "2\n"),
    ("curl -s -F f=@data.txt @/echo | grep Content-Type", "Content-Type: text/plain\r\n"),
    ("curl -s -w '%header{x-none}|%{onerror}no\\n' -o /dev/null @/name.txt", "|"),
    ("curl -s -f --fail-early @/status/404 @/echo; echo $?", "22\n"),
    ("curl -s; echo $?", "2\n"),
]


def run(url: str, script: str) -> tuple[str, str]:
    shell = Shell(files=FILES, network=Network([url]))
    result = shell.run(script.replace("@/", f"{url}/"))
    return result.stdout.replace(f"{url}/", "@/"), result.stderr.replace(f"{url}/", "@/")


def run_on_host(url: str, script: str, program: str) -> str:
    return ask_host(script.replace("@/", f"{url}/"), FILES, program)[1].replace(f"{url}/", "@/")


@pytest.mark.parametrize(("script", "printed"), ROWS)
def test_prints_what_curl_prints(url, script, printed, oracle):
    assert run(url, script)[0] == printed
    if oracle:
        assert run_on_host(url, script, "curl") == printed


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{a", "unmatched brace in URL position 3:\n@/{a\n  ^"),
        ("{a,b}}", "unmatched close brace/bracket in URL position 7:\n@/{a,b}}\n      ^"),
        ("{}", "empty string within braces in URL position 4:\n@/{}\n   ^"),
        ("]x", "unmatched close brace/bracket in URL position 3:\n@/]x\n  ^"),
        ("[3-1]", "bad range in URL position 8:\n@/[3-1]\n       ^"),
        ("[1-3", "bad range in URL position 7:\n@/[1-3\n      ^"),
        ("{a,{b}}", "nested brace in URL position 6:\n@/{a,{b}}\n     ^"),
    ],
)
def test_sets_and_ranges_that_are_none(url, text, message):
    err = run(url, f"curl -sS '@/{text}'")[1]
    shift = len(url) - 1
    head, _, rest = err.partition(" in URL position ")
    number, _, tail = rest.partition(":\n")
    line, _, caret = tail.partition("\n")
    assert (
        f"{head} in URL position {int(number) - shift}:\n{line}\n{caret.rstrip()[shift:]}"
        == f"curl: (3) {message}"
    )


def test_a_range_has_a_limit(url):
    assert "stands for more than" in run(url, "curl -sS '@/[1-9999]/[1-9999]'")[1]


def test_a_file_of_options_lifts_no_refusal(url):
    for line in ("insecure", "proxy = x", "resolve = a:1:b", "unix-socket = s"):
        out, err = run(url, f"echo '{line}' > c; curl -K c @/echo; echo $?")
        assert (out, "is not supported here (L-CURL-001)" in err) == ("2\n", True)


def test_files_of_options_that_name_each_other_end(url):
    assert "too many files of options" in run(url, "echo 'config = c' > c; curl -K c @/echo")[1]


def test_a_user_in_a_url_is_sent_as_authorization_and_no_further(url):
    port = url.rpartition(":")[2]
    shell = Shell(network=Network([url]))
    result = shell.run(f"curl -sv http://us%65r:pw@127.0.0.1:{port}/name.txt")
    assert "> Authorization: Basic dXNlcjpwdw==\r\n" in result.stderr
    assert shell.run(f"curl -s http://a@b@127.0.0.1:{port}/name.txt; echo $?").stdout == "3\n"
