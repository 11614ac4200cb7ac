"""sqlite3: SQL and dot-commands as SQLite 3.40's command line, databases in the virtual file system, and what is refused."""

from __future__ import annotations

import sqlite3
import sys
import time
from contextlib import closing

import pytest

from sandhook import Limits, Shell
from sandhook.vfs.path import VirtualPath

TABLE = (
    "create table t(a integer primary key, b text, c real, d blob);"
    "insert into t values(1,'x',1.5,x'41'),(2,null,1e20,null),(3,'it''s \"q\", y',3.0,'l1\nl2');"
)


@pytest.mark.parametrize("mode", "ascii box column csv html json line list markdown quote table tabs".split())
@pytest.mark.parametrize("header", [(), ("-header",), ("-nullvalue", "N")])
def test_modes_look_as_sqlite_s(utility, mode, header):
    status, out, err = utility("sqlite3", f"-{mode}", *header, ":memory:", TABLE, "select a,b,c,d from t")
    assert (status, err) == (0, "") and "it" in out


@pytest.mark.parametrize(
    ("script", "status", "stdout", "stderr"),
    [
        ("select 1;\n-- c\n/* ; */ select 2; ; select ';';\n", 0, "1\n2\n;\n", ""),
        ("select 1", 0, "1\n", ""),
        ("select 0.1, 1/3.0, 1e100, -0.0, 123456789.123456789, 9e999;", 0, "0.1|0.333333333333333|1.0e+100|0.0|123456789.123457|Inf\n", ""),
        (".mode json\nselect 0.5 as a, 9e999 as b;", 0, '[{"a":0.5,"b":1e999}]\n', ""),
        ("create table a(x); insert into a values(1); select * from a;", 0, "1\n", ""),
        ("select 1 union", 1, "", "Parse error near line 1: incomplete input\n"),
        ("select 1;\nselec 2;\nselect 3;", 1, "1\n3\n", 'Parse error near line 2: near "selec": syntax error\n  selec 2;\n  ^--- error here\n'),
        ("create table a(x unique);\ninsert into a values(1),(1);", 1, "", "Runtime error near line 2: UNIQUE constraint failed: a.x (19)\n"),
        (".bail on\nselect * from nope;\nselect 1;", 1, "", "Parse error near line 2: no such table: nope\n"),
        (".headers on\nselect 1 as x;select 2 as y where 0;", 0, "x\n1\n", ""),
        (".mode line\nselect 1 as abc, 2 as d;select 3;", 0, "  abc = 1\n    d = 2\n    3 = 3\n", ""),
        (".mode insert\nselect 1,null;\n.mode insert foo\nselect 'a''b',x'00',1.5;", 0,
         "INSERT INTO \"table\" VALUES(1,NULL);\nINSERT INTO foo VALUES('a''b',X'00',1.5);\n", ""),
        (".mode csv\nselect 1,'a b','c';", 0, '1,"a b",c\r\n', ""),
        (".mode column\nselect 1 as a, 'x' as b;", 0, "a  b\n-  -\n1  x\n", ""),
        (".width 5 -8\n.mode column\nselect 1 as a, 2 as b;", 0, "a             b\n-----  --------\n1             2\n", ""),
        (".mode box\nselect printf('%70d',5) as y;", 0, None, ""),
        ('.print hi "a b"\n.nullvalue N\nselect null;', 0, "hi a b\nN\n", ""),
        ('.separator ", "\nselect 1,2;', 0, "1, 2\n", ""),
        (".separator \\t\nselect 1,2;", 0, "1\t2\n", ""),
        (".exit 3\nselect 1;", 3, "", ""),
        (".quit\nselect 1;", 0, "", ""),
        (".echo on\nselect 1;\n.print x", 0, "select 1;\n1\n.print x\nx\n", ""),
        (".mode\n", 0, "current output mode: list\n", ""),
        (".headers\n", 1, "", "Usage: .headers on|off\n"),
        (".mode nope\n", 1, "", None),
        (".nope\nselect 5;", 1, "5\n", 'Error: unknown command or invalid arguments:  "nope". Enter ".help" for help\n'),
        (".changes on\ncreate table q(x);insert into q values(1),(2);", 0, "changes: 2   total_changes: 2\n", ""),
        ("create table zz(a);create table \"odd name\"(b);create index i1 on zz(a);\n.tables\n.indexes\n.schema\n.tables z%\n", 0,
         "odd name  zz      \ni1\nCREATE TABLE zz(a);\nCREATE TABLE IF NOT EXISTS \"odd name\"(b);\nCREATE INDEX i1 on zz(a);\nzz\n", ""),
        ("create table zz(a);create view v as select 1;create trigger tr after insert on zz begin select 1; select 2; end;\n.schema\n.dump", 0, None, ""),
        ("create table a(x,y);insert into a values('two\nlines',1e20),(x'00',null);\n.dump a", 0,
         ("PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\nCREATE TABLE a(x,y);\nINSERT INTO a VALUES(replace('two\\nlines','\\n',char(10)),1.0e+20);\n"
         "INSERT INTO a VALUES(X'00',NULL);\nCOMMIT;\n"), ""),
        (".import --csv i.csv imp\nselect * from imp;\n.schema imp", 0, "1|x,y\n2|\nCREATE TABLE IF NOT EXISTS \"imp\"(\n\"a\" TEXT, \"b\" TEXT);\n", ""),
        ("create table p(a,b);\n.import p.txt p\nselect b,a from p;", 0, "2|1\n4|3\n", ""),
        (".import nofile x\n", 1, "", 'Error: cannot open "nofile"\n'),
        (".read r.sql\nselect 1;", 0, "r\n1\n", ""),
        (".read nofile\nselect 1;", 1, "1\n", 'Error: cannot open "nofile"\n'),
        ("with recursive n(i) as (select 1 union all select i+1 from n where i<5) select group_concat(i) from n;", 0, "1,2,3,4,5\n", ""),
        ("select json_extract('{\"a\":[1,2]}','$.a[1]'), date('2024-02-30','+1 day'), upper('é'), length('😀');", 0, "2|2024-03-02|é|1\n", ""),
    ],
)  # fmt: skip
def test_scripts(utility, script, status, stdout, stderr):
    files = {"i.csv": 'a,b\n1,"x,y"\n2,\n', "p.txt": "1|2\n3|4\n", "r.sql": "select 'r';\n"}
    got = utility("sqlite3", ":memory:", stdin=script, files=files)
    assert got[0] == status
    assert stdout is None or got[1] == stdout
    assert stderr is None or got[2] == stderr


@pytest.mark.parametrize(
    ("argv", "status", "stdout", "stderr"),
    [
        ([":memory:", "select * from x"], 1, "", "Error: in prepare, no such table: x\n"),
        ([":memory:", "selec 1"], 1, "", 'Error: in prepare, near "selec": syntax error\n  selec 1\n  ^--- error here\n'),
        ([":memory:", "select 1; select * from nope; select 2"], 1, "1\n", "Error: in prepare, no such table: nope\n"),
        ([":memory:", "create table t(a unique); insert into t values(1),(1)"], 19, "", "Error: stepping, UNIQUE constraint failed: t.a (19)\n"),
        (["-nope"], 1, "", "sqlite3: Error: unknown option: -nope\nUse -help for a list of options.\n"),
        (["-separator", "#", "-nullvalue", "NULL", ":memory:", "select 1,null"], 0, "1#NULL\n", ""),
        (["-cmd", ".headers on", ":memory:", "select 1 as a"], 0, "a\n1\n", ""),
        (["-init", "init.sql", ":memory:", "select x from i"], 0, "7\n", ""),
        (["/nodir/a.db", "select 1"], 1, "", 'Error: unable to open database "/nodir/a.db": unable to open database file\n'),
        (["junk.db", "select * from sqlite_master"], 26, "", "Error: in prepare, file is not a database (26)\n"),
        ([":memory:", "select 1", ".print 2", "select 3"], 0, "1\n2\n3\n", ""),
    ],
)  # fmt: skip
def test_command_lines(utility, argv, status, stdout, stderr):
    files = {"junk.db": "junk" * 50, "init.sql": "create table i(x); insert into i values(7);\n"}
    assert utility("sqlite3", *argv, files=files) == (status, stdout, stderr)


def shell_with(database: str) -> tuple[Shell, bytes]:
    """Return a shell with a database that real SQLite made."""
    with closing(sqlite3.connect(":memory:")) as made:
        made.executescript(database)
        data = made.serialize()
    return Shell(files={"d.db": data}), data


def tables(data: bytes, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(":memory:")) as db:
        db.deserialize(data)
        return db.execute(query).fetchall()


def test_files_are_read_and_written_back() -> None:
    shell, _ = shell_with("create table t(a); insert into t values(1);")
    assert shell.run("sqlite3 d.db 'insert into t values(2); select sum(a) from t'").stdout == "3\n"
    assert shell.run("echo 'select count(*) from t' | sqlite3 d.db").stdout == "2\n"
    assert tables(shell.fs.read_bytes(VirtualPath("/workspace/d.db")), "select a from t") == [(1,), (2,)]


def test_a_file_that_is_only_read_keeps_its_bytes() -> None:
    shell, data = shell_with("create table t(a);")
    before = shell.fs.stat(VirtualPath("/workspace/d.db")).mtime_ns
    assert shell.run("sqlite3 d.db .tables; chmod 444 d.db; sqlite3 d.db 'select 1'").stdout == "t\n1\n"
    assert shell.fs.read_bytes(VirtualPath("/workspace/d.db")) == data
    assert shell.fs.stat(VirtualPath("/workspace/d.db")).mtime_ns == before
    assert shell.run("sqlite3 new.db 'select 1'; wc -c < new.db").stdout == "1\n0\n"


def test_readonly_refuses_changes() -> None:
    shell, data = shell_with("create table t(a);")
    result = shell.run("sqlite3 -readonly d.db 'insert into t values(1)'")
    assert (result.exit_status, result.stderr) == (
        8,
        "Error: stepping, attempt to write a readonly database (8)\n",
    )
    assert shell.fs.read_bytes(VirtualPath("/workspace/d.db")) == data


def test_an_open_transaction_is_rolled_back() -> None:
    shell, _ = shell_with("create table t(a);")
    shell.run("sqlite3 d.db 'begin; insert into t values(1)'")
    assert shell.run("sqlite3 d.db 'select count(*) from t'").stdout == "0\n"


def test_output_files_and_saved_databases() -> None:
    shell = Shell()
    script = ".once out\nselect 1;\nselect 2;\n.output o2\nselect 3;\n.output\ncreate table q(x);\n.save s.db\nselect 4;"
    assert shell.run("sqlite3", stdin=script).stdout == "2\n4\n"
    assert shell.run("cat out o2; sqlite3 s.db .tables").stdout == "1\n3\nq\n"
    assert "cannot open" in shell.run("echo '.output /no/such' | sqlite3").stderr


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("attach 'other.db' as o", "(L-SQLITE-001)"),
        ("attach '/etc/passwd' as o", "(L-SQLITE-001)"),
        ("vacuum into 'copy.db'", "rror"),
        ("select load_extension('x')", "(L-SQLITE-001)"),
        ("pragma temp_store_directory='/tmp'", "(L-SQLITE-001)"),
        (".shell ls", "Error: .shell is not supported (L-SQLITE-001)"),
        (".system ls", "Error: .system is not supported (L-SQLITE-001)"),
        (".open other.db", "Error: .open is not supported (L-SQLITE-001)"),
        (".load x", "Error: .load is not supported (L-SQLITE-001)"),
        ("select readfile('/etc/passwd')", "no such function: readfile"),
        ("select writefile('x','y')", "no such function: writefile"),
        ("select edit('x')", "no such function: edit"),
    ],
)
def test_nothing_leads_out_of_the_database(sql: str, message: str) -> None:
    result = Shell().run('sqlite3 x.db "$1"', args=(sql,))
    assert result.exit_status != 0
    assert message in result.stderr
    assert Shell().run("ls").stdout == ""


@pytest.mark.parametrize(
    "sql",
    [
        "select hex(fts3_tokenizer('simple'))",
        "select FTS3_Tokenizer('simple', x'4242424242424242')",
        "select fts3_tokenizer('simple', fts3_tokenizer('porter'))",
        "create view v as select fts3_tokenizer('simple') as p; select hex(p) from v",
        "create table t(a); create trigger g after insert on t begin select fts3_tokenizer('simple'); end; insert into t values(1)",
        "create table t(a); insert into t values(1); update t set a = fts3_tokenizer('simple')",
        "create table t(a, b default (fts3_tokenizer('simple'))); insert into t(a) values(1)",
        "create table t(a); create index i on t(fts3_tokenizer(a))",
        "with x(p) as (select fts3_tokenizer('simple')) select length(p) from x",
        "select count(*) filter (where fts3_tokenizer('simple') is not null)",
        "select load_extension('x')",
        "select sqlite_log(1, 'x')",
        "select rtreenode(2, x'00')",
        "select fts5(1)",
    ],
)
def test_functions_that_reach_pointers_code_or_logs_are_refused(sql: str) -> None:
    result = Shell().run('sqlite3 :memory: "$1"', args=(sql,))
    assert result.exit_status not in (0, 137), result.stdout
    assert result.limit is None
    words = ("not authorized", "no such function", "unsafe use of")
    assert any(word in result.stderr for word in words), result.stderr


@pytest.mark.parametrize(
    "sql",
    [
        "create virtual table t using fts4(x); insert into t values('a'); update t_segdir set root = x'00'",
        "create virtual table t using fts5(x); insert into t values('a'); delete from t_data",
        "create virtual table r using rtree(a, b, c); insert into r values(1, 2, 3); delete from r_node",
    ],
)
@pytest.mark.skipif(
    sys.version_info < (3, 12) and sys.platform != "linux", reason="Python 3.11 has no defensive mode there"
)
def test_shadow_tables_cannot_be_written(sql: str) -> None:
    result = Shell().run('sqlite3 :memory: "$1"', args=(sql,))
    assert "may not be modified" in result.stderr


def test_full_text_search_and_ordinary_functions_still_work() -> None:
    script = """
create virtual table t using fts4(x, tokenize=porter); insert into t values('running far');
select snippet(t) from t where x match 'run';
create virtual table u using fts5(x); insert into u values('one two'); select highlight(u, 0, '[', ']') from u('two');
select json_extract('{"a":[1,2]}', '$.a[1]'), upper('x'), round(2.5), date(0, 'unixepoch'), total(3), pi() > 3;
"""
    result = Shell().run("sqlite3 :memory:", stdin=script)
    assert result.stderr == ""
    assert result.stdout == "<b>running</b> far\none [two]\n2|X|3.0|1970-01-01|3.0|1\n"


def test_every_function_of_this_sqlite_is_allowed_or_refused_on_purpose() -> None:
    from sandhook.worker.sqlite.console import FUNCTIONS

    with closing(sqlite3.connect(":memory:")) as database:
        known = {row[0].lower() for row in database.execute("pragma function_list")}
    pointers_and_logs = {"fts3_tokenizer", "fts5", "fts5_source_id", "load_extension", "sqlite_log"}
    inner = {name for name in known if name.startswith(("rtree", "fts5_", "fts3_", "geopoly"))}
    assert known - FUNCTIONS <= pointers_and_logs | inner


@pytest.mark.parametrize(
    "sql",
    [
        "with recursive n(i) as (select 1 union all select i+1 from n) select count(*) from n",
        "select count(*) from (with recursive n(i) as (select 1 union all select i+1 from n) select i from n), (select 1)",
    ],
)
def test_an_endless_statement_ends_with_the_time(sql: str) -> None:
    shell = Shell(limits=Limits(wall_seconds=0.5))
    began = time.monotonic()
    assert shell.run('sqlite3 :memory: "$1"; echo on', args=(sql,)).limit == "wall_seconds"
    assert time.monotonic() - began < 30
    assert Shell(limits=Limits(wall_seconds=60.0)).run("sqlite3 :memory: 'select 1'").stdout == "1\n"


@pytest.mark.parametrize(
    "sql",
    [
        "with recursive n(i,s) as (select 1,zeroblob(1000000) union all select i+1,zeroblob(1000000) from n where i<5000) select count(*) from (select * from n order by s||i)",
        "select length(zeroblob(1000000000))",
        "select hex(zeroblob(60000000))||hex(zeroblob(60000000))",
        "create table t(x); with recursive n(i) as (select 1 union all select i+1 from n where i<100) insert into t select zeroblob(1000000) from n",
    ],
)
def test_memory_is_bounded(sql: str) -> None:
    result = Shell(limits=Limits(wall_seconds=20)).run('sqlite3 x.db "$1"', args=(sql,))
    assert result.limit in ("memory_bytes", "output_bytes") or result.exit_status in (7, 13, 18, 1), result
    assert Shell(limits=Limits(wall_seconds=60.0)).run("sqlite3 :memory: 'select 1'").stdout == "1\n"


def test_output_is_limited() -> None:
    sql = "with recursive n(i) as (select 1 union all select i+1 from n) select i from n"
    assert Shell().run('sqlite3 :memory: "$1"', args=(sql,)).limit == "output_bytes"
    assert Shell().run('sqlite3 :memory: "$1" | head -n 2', args=(sql,)).stdout == "1\n2\n"


def test_logs_beside_a_database_are_refused() -> None:
    shell, _ = shell_with("create table t(a);")
    result = shell.run("echo x > d.db-wal; sqlite3 d.db 'select 1'")
    assert (result.exit_status, "write-ahead log" in result.stderr) == (1, True)
