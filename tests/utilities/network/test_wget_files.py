"""Where wget puts what it fetches, and lists of URLs; recorded from GNU Wget 1.21.3, which --oracle asks again."""

from __future__ import annotations

import pytest

from sandhook import Network, Shell
from tests.utilities.network.test_curl_words import FILES, Server, run, run_on_host, url

__all__ = ["Server", "url"]

#: A script in which @/ is the server, and what it prints.
ROWS = [
    ("wget -q @/name.txt; wget -q @/name.txt; ls", "body.json\ndata.txt\nname.txt\nname.txt.1\nup.bin\n"),
    ("wget -q @/disp; stat -c %Y disp", "1445412480\n"),
    ("wget -q --no-use-server-timestamps @/disp; [ $(stat -c %Y disp) -gt 1500000000 ] && echo new", "new\n"),
    ("wget -q -N @/disp; wget -q -N @/disp; ls", "body.json\ndata.txt\ndisp\nup.bin\n"),
    (
        "printf '@/name.txt\\n\\n@/echo\\n' > l; wget -q -i l; ls",
        "body.json\ndata.txt\necho\nl\nname.txt\nup.bin\n",
    ),
    ("printf '@/name.txt\\n' | wget -q -i - -O -", "named\n"),
    ("wget -q -B @/ -i data.txt -O - | grep GET", "GET /one\nGET /two\n"),
    ("wget -q -i missing; echo $?", "0\n"),
    ("printf 0123 > range; wget -q -c @/range; cat range", "0123456789"),
    ("wget -q -c @/range; cat range", "0123456789"),
    ("wget -q --start-pos=3 -O - @/range", "3456789"),
    ("printf abcd > f; wget -q -c -O f @/range; cat f", "abcd456789"),
    ("printf abcd > f; wget -q --start-pos=4 -O f @/range; cat f", "456789"),
    ("printf abcd > 4; wget -q -c @/part/206/4; echo $?; cat 4", "0\nabcd456789"),
    ("printf abcd > 206; wget -q -t 1 -c @/part/206; echo $?; cat 206", "4\nabcd"),
    ("printf abcd > 2; wget -q -t 1 -c @/part/206/2; echo $?; cat 2", "4\nabcd"),
    ("printf abcd > 200; wget -q -c @/part/200; echo $?; cat 200", "0\nabcd456789"),
    ("printf abcd > 4; wget -q -c @/part/200/4; echo $?; cat 4", "0\nabcd456789"),
    ("printf abcd > 200; wget -q -c @/four/200; echo $?; cat 200", "0\nabcd"),
    ("printf abcd > 416; wget -q -c @/part/416; echo $?; cat 416", "0\nabcd"),
    ("printf abcd > 404; wget -q -c --content-on-error @/part/404; echo $?; cat 404", "8\nabcd456789"),
    ("wget -q --start-pos=4 @/part/416; echo $?; ls", "0\nbody.json\ndata.txt\nup.bin\n"),
    ("wget -q --start-pos=4 -O - @/part/200", "456789"),
    (
        "printf abcd > 4; wget -nv -c @/part/206/4 2>&1 | grep -o '\\[.*'; cat 4",
        '[10/10] -> "4" [1]\nabcd456789',
    ),
    ("wget -q --content-disposition @/disp/x; ls", "body.json\ndata.txt\ngiven.txt\nup.bin\n"),
    ("wget -q -x -nH @/a/b.txt; cat a/b.txt | head -1", "GET /a/b.txt\n"),
    ("wget -q -P d/e @/name.txt; ls d/e", "name.txt\n"),
    ("wget -q --default-page=x @/; ls", "body.json\ndata.txt\nup.bin\nx\n"),
    ("wget -q --delete-after @/name.txt; ls", "body.json\ndata.txt\nup.bin\n"),
    ("wget -o log @/status/404; echo $?; grep -c 'ERROR 404' log", "8\n1\n"),
    ("wget -nv -O /dev/null @/name.txt 2>&1 | grep -o '\\[.*'", '[6/6] -> "/dev/null" [1]\n'),
    ("wget -q -nc @/name.txt; wget -q -nc @/name.txt; ls", "body.json\ndata.txt\nname.txt\nup.bin\n"),
    ("wget -q --user-agent= -O - @/echo", "GET /echo\naccept: */*\n\n"),
    ("wget -q --limit-rate=1m -w 0 -4 -nd --no-cache --no-hsts -O - @/name.txt", "named\n"),
    ("wget -q --retry-connrefused -t 1 -O - @/name.txt", "named\n"),
    ("wget -q --compression=gzip -O - @/name.txt", "named\n"),
    ("wget -q --compression=x -O - @/name.txt; echo $?", "2\n"),
]


@pytest.mark.parametrize(("script", "printed"), ROWS)
def test_prints_what_wget_prints(url, script, printed, oracle):
    assert run(url, script)[0] == printed
    if oracle:
        assert run_on_host(url, script, "wget") == printed


def test_cookies_are_kept_in_a_file(url):
    shell = Shell(files=FILES, network=Network([url]))
    host = url.partition("://")[2].partition(":")[0]
    shell.run(f"printf '# HTTP Cookie File\\n{host}\\tFALSE\\t/\\tFALSE\\t0\\tk\\tv\\n' > jar")
    shell.run(f"wget -q --load-cookies jar --save-cookies out --keep-session-cookies -O f {url}/echo")
    assert shell.run("grep -v '^#' out").stdout == f"\n{host}\tFALSE\t/\tFALSE\t0\tk\tv\n"
    shell.run(f"wget -q --load-cookies jar --save-cookies out -O f {url}/echo")
    assert shell.run("grep -v '^#' out").stdout == "\n"
