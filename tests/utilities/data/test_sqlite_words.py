"""sqlite3: widths and wraps, variables, plans; recorded from sqlite3 3.40.1, which --oracle asks again."""

from __future__ import annotations

import pytest

from sandhook import Shell
from tests.utilities.scripts import ask_host

MADE = "sqlite3 w.db \"create table t(a,b,c); insert into t values(1,'hello world foo','x'),(22,'y','long long text'),(3,null,'a'||char(10)||'b')\"; "

#: A script, its status, and what it prints.
ROWS = [
    (
        "printf '.mode column\\n.width 2 5 -6\\nselect * from t;\\n' | sqlite3 w.db",
        0,
        "a   b           c\n--  -----  ------\n1   hello       x\n     worl        \n    d foo        \n\n22  y      long l\n           ong te\n               xt\n\n3               a\n                b\n",
    ),
    (
        "printf '.mode box\\n.width 2 5 -6\\nselect * from t;\\n' | sqlite3 w.db",
        0,
        "┌────┬───────┬────────┐\n│ a  │   b   │   c    │\n├────┼───────┼────────┤\n│ 1  │ hello │      x │\n│    │  worl │        │\n│    │ d foo │        │\n├────┼───────┼────────┤\n│ 22 │ y     │ long l │\n│    │       │ ong te │\n│    │       │     xt │\n├────┼───────┼────────┤\n│ 3  │       │      a │\n│    │       │      b │\n└────┴───────┴────────┘\n",
    ),
    (
        "printf '.mode table\\n.width 2 5 -6\\nselect * from t;\\n' | sqlite3 w.db",
        0,
        "+----+-------+--------+\n| a  |   b   |   c    |\n+----+-------+--------+\n| 1  | hello |      x |\n|    |  worl |        |\n|    | d foo |        |\n+----+-------+--------+\n| 22 | y     | long l |\n|    |       | ong te |\n|    |       |     xt |\n+----+-------+--------+\n| 3  |       |      a |\n|    |       |      b |\n+----+-------+--------+\n",
    ),
    (
        "printf '.mode markdown\\n.width 2 5 -6\\nselect * from t;\\n' | sqlite3 w.db",
        0,
        "| a  |   b   |   c    |\n|----|-------|--------|\n| 1  | hello |      x |\n|    |  worl |        |\n|    | d foo |        |\n| 22 | y     | long l |\n|    |       | ong te |\n|    |       |     xt |\n| 3  |       |      a |\n|    |       |      b |\n",
    ),
    (
        "printf '.mode column --wrap 4\\nselect * from t;\\n' | sqlite3 w.db",
        0,
        "a   b     c   \n--  ----  ----\n1   hell  x   \n    o wo      \n    rld       \n    foo       \n\n22  y     long\n           lon\n          g te\n          xt  \n\n3         a   \n          b   \n",
    ),
    (
        "printf '.mode column --wrap 6 --wordwrap on\\nselect * from t;\\n' | sqlite3 w.db",
        0,
        "a   b       c    \n--  ------  -----\n1   hello   x    \n    world        \n    foo          \n\n22  y       long \n            long \n            text \n\n3           a    \n            b    \n",
    ),
    (
        "printf '.mode box --quote\\nselect * from t;\\n' | sqlite3 w.db",
        0,
        "┌────┬───────────────────┬──────────────────┐\n│ a  │         b         │        c         │\n├────┼───────────────────┼──────────────────┤\n│ 1  │ 'hello world foo' │ 'x'              │\n├────┼───────────────────┼──────────────────┤\n│ 22 │ 'y'               │ 'long long text' │\n├────┼───────────────────┼──────────────────┤\n│ 3  │ NULL              │ 'a               │\n│    │                   │ b'               │\n└────┴───────────────────┴──────────────────┘\n",
    ),
    (
        "printf '.mode tcl\\n.headers on\\nselect * from t;\\n' | sqlite3 w.db",
        0,
        '"a" "b" "c"\n"1" "hello world foo" "x"\n"22" "y" "long long text"\n"3" "" "a\\nb"\n',
    ),
    (
        "printf '.mode column --ww --wrap 10\\n.width 0 20\\nselect * from t;\\n' | sqlite3 w.db",
        0,
        "a   b                     c         \n--  --------------------  ----------\n1   hello world foo       x         \n\n22  y                     long long \n                          text      \n\n3                         a         \n                          b         \n",
    ),
    (
        'printf ".parameter set :x \\"\'a b\'\\"\\n.parameter set @n 5\\n.parameter list\\nselect :x, @n;\\n.parameter unset :x\\nselect :x;\\n.parameter clear\\nselect @n is null;\\n" | sqlite3 w.db',
        0,
        ":x 'a b'\n@n 5\na b|5\n\n1\n",
    ),
    ("sqlite3 w.db 'select ?1, ?2'", 0, "|\n"),
    ("sqlite3 w.db 'vacuum' 'analyze' 'select count(*) from t' 'vacuum main;'", 0, "3\n"),
    (
        "sqlite3 w.db 'explain query plan select * from t, t as u order by t.c'",
        0,
        "QUERY PLAN\n|--SCAN t\n|--SCAN u\n`--USE TEMP B-TREE FOR ORDER BY\n",
    ),
    ("sqlite3 w.db '.timer off' '.stats off' \"select 'a:b@c?'\"", 0, "a:b@c?\n"),
    ("sqlite3 -safe -interactive w.db 'select 1'", 0, "1\n"),
    ("sqlite3 w.db '.mode nosuch'; echo $?", 0, "1\n"),
    (
        "printf '.mode qbox\\nselect * from t;\\n' | sqlite3 w.db",
        0,
        "┌────┬───────────────────┬──────────────────┐\n│ a  │         b         │        c         │\n├────┼───────────────────┼──────────────────┤\n│ 1  │ 'hello world foo' │ 'x'              │\n├────┼───────────────────┼──────────────────┤\n│ 22 │ 'y'               │ 'long long text' │\n├────┼───────────────────┼──────────────────┤\n│ 3  │ NULL              │ 'a               │\n│    │                   │ b'               │\n└────┴───────────────────┴──────────────────┘\n",
    ),
    (
        "printf 'a,b\\n1,2\\n' > c.csv; printf '.mode csv\\n.import c.csv n\\nselect * from n;\\n' | sqlite3 w.db | od -c",
        0,
        "0000000   1   ,   2  \\n\n0000004\n",
    ),
]


@pytest.mark.parametrize(("script", "status", "printed"), ROWS)
def test_prints_what_sqlite3_prints(script, status, printed, oracle):
    result = Shell().run(MADE + script)
    assert (result.exit_status, result.stdout) == (status, printed)
    if oracle:
        assert ask_host(MADE + script, {}, "sqlite3")[:2] == (status, printed)


@pytest.mark.parametrize("script", ["vacuum into 'x'", "attach 'x' as y", "VACUUM other"])
def test_packing_opens_no_way_out(script):
    result = Shell().run(MADE + "sqlite3 w.db 'vacuum' && sqlite3 w.db \"" + script + '"; ls')
    assert result.stdout == "w.db\n"
    assert "Error" in result.stderr


def test_timers_are_refused():
    assert "L-SQLITE-001" in Shell().run("sqlite3 '' '.timer on'").stderr
