"""Session.snapshot and Shell.restore: what is kept, what is new, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256

import pytest

from sandhook import Limits, Session, Shell, SnapshotError, UtilityContext, utility
from sandhook.sessions.reading import parse
from sandhook.vfs.delta import DeltaEntry, encode
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.mounts import MountTable
from sandhook.vfs.path import VirtualPath

HEAD = b"sandhook session 1\n"


def restored(session: Session) -> Session:
    """Return what a snapshot of the session restores, and check that it is stored alike."""
    data = session.snapshot()
    again = Shell.restore(data)
    assert again.snapshot() == data
    return again


#: What a session runs, what the restored one runs, and what that prints.
KEPT = [
    ("x=1 y='a  b'", 'echo "$x,$y"', "1,a  b\n"),
    ("b=$'\\xff\\xc3'", "printf %s \"$b\" | od -An -tx1", " ff c3\n"),
    ("declare -i n=3; declare -l l=AB; declare -u u=ab; declare -c c=ab", "n+=4; l+=C; echo $n $l $u $c", "7 abc AB Ab\n"),
    ("export E=1; declare -rx R=2", "env | grep -E '^(E|R)=' | sort; (R=3) 2>/dev/null; echo $?", "E=1\nR=2\n1\n"),
    ("declare -i empty; export later", "empty=2+2; later=x; declare -p empty later", 'declare -i empty="4"\ndeclare -x later="x"\n'),
    ("a=(0 1); a[9]=z", 'echo "${!a[@]}" "${a[@]}"', "0 1 9 0 1 z\n"),
    ("declare -A m=([z]=1 [a]=2 [m]=3)", "m[n]=4; declare -p m", None),
    ("x=1; declare -n r=x; declare -n none", "r=5; echo $x; declare -p r none", '5\ndeclare -n r="x"\ndeclare -n none\n'),
    ("unset RANDOM; unset SECONDS", "echo ${RANDOM-unset}${SECONDS-unset}", "unsetunset\n"),
    ("f() { echo \"f $1\"; }; export -f f; readonly -f f", "f 1; bash -c 'f 2'; f() { :; }", "f 1\nf 2\n"),
    ("f() { cat <<E\n$1 $LINENO\nE\n}; g() { [[ $1 == @(a|b) ]]; }", "f x | cut -c1; g a && echo yes", "x\nyes\n"),
    ("shopt -s extglob\nf() { case $1 in !(a)) echo other;; esac; }; shopt -u extglob", "shopt -s extglob; f b", "other\n"),
    ("f() { echo \"$_\"; }", ": one; f two; : $_", "one\n"),
    ("function a-b { echo dash; }; function if { echo kept; }", "a-b; \\if", "dash\nkept\n"),
    ("set -fu; set -o pipefail; shopt -s nullglob nocasematch", "echo $-; shopt -p nullglob nocasematch; [[ A == a ]]; echo $?", "fhuBc\nshopt -s nullglob\nshopt -s nocasematch\n0\n"),
    ("shopt -s expand_aliases; alias ll='echo aliased'", "ll x", "aliased x\n"),
    ("trap 'echo got' USR1; trap '' USR2; trap 'echo dbg' DEBUG; trap 'echo bye' EXIT; trap - DEBUG EXIT", "kill -USR2 $$; kill -USR1 $$; trap", "got\ntrap -- 'echo got' SIGUSR1\ntrap -- '' SIGUSR2\n"),
    ("trap 'echo err $?' ERR", "false", "err 1\n"),
    ("set -- 'a b' '' c", 'printf "<%s>" "$@"', "<a b><><c>"),
    ("cd /tmp; umask 077; pushd / >/dev/null", "pwd; umask; dirs; echo $OLDPWD; cd -", "/\n0077\n/ /tmp\n/tmp\n/tmp\n"),
    ("(exit 3)", "echo $?", "3\n"),
    ("false | true | (exit 4)", 'echo "${PIPESTATUS[@]}"', "1 0 4\n"),
    ("complete -W 'a b' cmd", "complete -p", "complete -W 'a b' cmd\n"),
    ("hash -p /bin/cat dog", "hash -t dog; dog <<< x", "/bin/cat\nx\n"),
    ("enable -n echo pwd", "enable -n", "enable -n echo\nenable -n pwd\n"),
    ("set -- -ab -c; getopts abc o", "getopts abc o; echo $o; getopts abc o; echo $o", "b\nc\n"),
    ("RANDOM=42; : $RANDOM", "echo $RANDOM", None),
    ("set -o history; history -s one; history -s two", "history", None),
    ("ls >/dev/null & wait $!", "echo ${!:+pid}", "pid\n"),
]  # fmt: skip


@pytest.mark.parametrize(("script", "probe", "wanted"), KEPT)
def test_a_restored_session_goes_on(script: str, probe: str, wanted: str | None) -> None:
    session = Shell().session()
    session.run(script)
    again = restored(session)
    result = again.run(probe)
    if wanted is not None:
        assert (result.stdout, result.defect) == (wanted, None)
    assert session.run(probe).stdout == result.stdout


def test_files_are_kept_with_modes_times_and_links() -> None:
    session = Shell(files={"a": "1\n", "run": "#!/bin/sh\n"}, cwd="/work").session()
    session.run(
        "ln a b; ln -s a c; mkfifo p; mkdir -m 700 -p d/e; touch -d 2001-02-03 a d; rm -r /home/agent; chmod 0 run"
    )
    probe = "ls -laR --time-style=full-iso /work /home /tmp; stat -c '%h %u %g %a' a run d"
    again = restored(session)
    assert again.run(probe).stdout == session.run(probe).stdout
    again.run("echo more >> a")
    assert again.run("cat b").stdout == "1\nmore\n"
    assert session.run("cat b").stdout == "1\n"


def test_a_session_that_has_run_nothing_can_be_stored() -> None:
    session = Shell(env={"A": "b"}).session(env={"C": "d"}, name="mine")
    assert restored(session).run('echo "$A$C$0"').stdout == "bdmine\n"


def test_limits_network_and_utilities_are_those_of_the_caller() -> None:
    @utility
    def greet(ctx: UtilityContext) -> str:
        return "hello\n"

    session = Shell(utilities=[greet], limits=Limits(steps=7_000)).session()
    assert session.run("greet; hash -t greet >/dev/null").stdout == "hello\n"
    data = session.snapshot()
    assert Shell.restore(data).run("greet").exit_status == 127
    again = Shell.restore(data, utilities=[greet], limits=Limits(steps=3_000))
    assert again.run("greet").stdout == "hello\n"
    assert again.run("while :; do :; done").limit == "steps"


def test_a_snapshot_executes_nothing() -> None:
    session = Shell().session()
    session.run(
        "f() { echo ran > /tmp/ran; }; trap 'echo ran > /tmp/ran' DEBUG EXIT ERR; PS4='$(echo ran > /tmp/ran)'; set -x"
    )
    session.shell.fs.unlink(VirtualPath("/tmp/ran"))
    again = restored(session)
    assert not again.shell.fs.exists("/tmp/ran")


def test_a_snapshot_is_a_moment_of_the_session() -> None:
    session = Shell().session()
    session.run("x=1; echo 1 > f")
    data = session.snapshot()
    session.run("x=2; echo 2 > f")
    assert Shell.restore(data).run("echo $x; cat f").stdout == "1\n1\n"


@pytest.mark.parametrize(
    ("script", "limits", "word"),
    [
        ("head -c 5000 /dev/zero > f", Limits(fs_bytes=4_000), "fs_bytes"),
        ("touch f{1..30}", Limits(fs_inodes=20), "fs_inodes"),
        ("x=$(printf '%60000s' x)", Limits(memory_bytes=50_000), "memory_bytes"),
        ("a=({1..2000})", Limits(memory_bytes=50_000), "memory_bytes"),
        (
            "f() { if if if if :; then :; fi; then :; fi; then :; fi; then :; fi; }",
            Limits(nesting=4),
            "nesting",
        ),
    ],
)
def test_the_limits_of_the_new_shell_apply(script: str, limits: Limits, word: str) -> None:
    session = Shell().session()
    session.run(script)
    data = session.snapshot()
    with pytest.raises(SnapshotError, match=word):
        Shell.restore(data, limits=limits)
    assert Shell.restore(data).snapshot() == data


def framed(text: bytes, entries: bytes = b"") -> bytes:
    """Return a snapshot with these sections and a right digest."""
    rest = b"state %d\n%sfiles %d\n%s" % (len(text), text, len(entries), entries)
    return HEAD + sha256(rest).hexdigest().encode() + b"\n" + rest


def sections(data: bytes) -> tuple[bytes, bytes]:
    after = data[len(HEAD) + 65 :]
    line, _, rest = after.partition(b"\n")
    size = int(line.split()[1])
    return rest[:size], rest[size:].partition(b"\n")[2]


def changed(change: Callable[[dict[str, dict[str, object]]], object], script: str = "") -> bytes:
    """Return the snapshot of a session whose document was changed."""
    session = Shell().session()
    session.run(script)
    text, entries = sections(session.snapshot())
    document = json.loads(text)
    change(document)
    return framed(json.dumps(document).encode(), entries)


def function(text: str, attributes: str = "") -> dict[str, object]:
    return {"f": {"text": text, "attributes": attributes, "source": "environment", "line": 1}}


def state(**parts: object) -> bytes:
    """Return a snapshot in which parts of the state are replaced."""
    return changed(lambda document: document["state"].update(parts))


MALFORMED: list[tuple[bytes, str]] = [
    (b"", "format"),
    (b"sandhook session 2\n", "format"),
    (b"sandhook session 1\n" + b"0" * 64 + b"\nx", "digest"),
    (framed(b"{}"), "document"),
    (framed(b"[" * 100_000), "document"),
    (framed(b'{"a": 1, "a": 2}'), "document"),
    (framed(b'{"a": NaN}'), "document"),
    (framed(b"\xff"), "document"),
    (framed(b"9" * 5_000), "document"),
    (state(values={"PATH": 1}), "document.state.values.PATH"),
    (state(values={"a b": "x"}), "document.state.values.a b"),
    (state(values={"x": "a\0b"}), "document.state.values.x"),
    (state(values={"x": "\ud800"}), "document.state.values.x"),
    (state(values={"x": {"indexed": [[-1, "x"]]}}), "document.state.values.x.indexed[0][0]"),
    (state(values={"x": {"indexed": [[1, "x"], [0, "y"]]}}), "document.state.values.x.indexed[1][0]"),
    (state(values={"x": {"indexed": [[1 << 63, "x"]]}}), "document.state.values.x.indexed[0][0]"),
    (state(values={"x": {"associative": [["k", "x"], ["k", "y"]]}}), "document.state.values.x.associative[1][0]"),
    (state(values={"x": {"other": []}}), "document.state.values.x"),
    (state(values={"x": {"indexed": []}}), "document.state.values"),
    (state(attributes={"x": "q"}), "document.state.attributes.x"),
    (state(attributes={"x": "xi"}), "document.state.attributes.x"),
    (state(attributes={"PATH": "A"}), "document.state.values"),
    (state(references={"a b": "x"}), "document.state.references"),
    (state(options=["errexit", "errexit"]), "document.state.options"),
    (state(options=["nosuch"]), "document.state.options"),
    (state(shopts=["nosuch"]), "document.state.shopts"),
    (state(unset=["PATHS"]), "document.state.unset"),
    (state(disabled=["nosuch"]), "document.state.disabled"),
    (state(traps={"NOSUCH": "x"}), "document.state.traps"),
    (state(process={"cwd": "relative", "umask": 0}), "document.state.process.cwd"),
    (state(process={"cwd": "/", "umask": 0o1000}), "document.state.process.umask"),
    (state(process={"cwd": "/", "umask": True}), "document.state.process.umask"),
    (state(getopts=-1), "document.state.getopts"),
    (state(getopts=1, values={"OPTIND": "x"}), "document.state.getopts"),
    (state(statuses={"status": 256, "substitution": 0, "pipeline": None}), "document.state.statuses.status"),
    (state(functions=function("f () { :; }; touch /tmp/ran")), "document.state.functions.f.text"),
    (state(functions=function("f () { :; }\ntouch /tmp/ran")), "document.state.functions.f.text"),
    (state(functions=function("f () { :; } &")), "document.state.functions.f.text"),
    (state(functions=function("g () { :; }")), "document.state.functions.f.text"),
    (state(functions=function("touch /tmp/ran")), "document.state.functions.f.text"),
    (state(functions=function("f () { f () { :; }")), "document.state.functions.f.text"),
    (state(functions=function("")), "document.state.functions.f.text"),
    (state(functions=function("f () { :; }", "A")), "document.state.functions.f.attributes"),
    (state(nosuch=1), "document.state"),
]  # fmt: skip


@pytest.mark.parametrize(("data", "where"), MALFORMED)
def test_what_is_malformed_is_refused_with_its_place(data: bytes, where: str) -> None:
    with pytest.raises(SnapshotError) as caught:
        Shell.restore(data)
    assert caught.value.where == where
    assert str(caught.value) == f"snapshot: {where}: {caught.value.reason}"


def test_the_same_document_without_a_change_is_restored() -> None:
    Shell.restore(state(functions=function("f () { echo ok; }"))).run("f")
    assert Shell.restore(changed(lambda document: None, "x=1")).run("echo $x").stdout == "1\n"


A, B = VirtualPath("/tmp/a"), VirtualPath("/tmp/b")


@pytest.mark.parametrize(
    "entries",
    [
        [DeltaEntry(VirtualPath("/tmp/../etc/a"), 0o100644)],
        [DeltaEntry(A, 0o60644)],
        [DeltaEntry(A, 1, content=b"/tmp/nosuch")],
        [DeltaEntry(A, 0o100644), DeltaEntry(A, 0o100644)],
        [DeltaEntry(B, 0o100644), DeltaEntry(A, 0o100644)],
        [DeltaEntry(A, 0o120777)],
        [DeltaEntry(VirtualPath("/dev/null/x"), 0o100644)],
        [DeltaEntry(VirtualPath("/proc/self/x"), 0o100644)],
        [DeltaEntry(VirtualPath("/tmp/" + "x" * 300), 0o100644)],
        [DeltaEntry(VirtualPath("/"), 0o40755)],
    ],
)
def test_entries_that_no_snapshot_has_are_refused(entries: list[DeltaEntry]) -> None:
    text, own = sections(Shell().session().snapshot())
    for each in (encode(entries), own + encode(entries)):
        with pytest.raises(SnapshotError, match="files"):
            Shell.restore(framed(text, each))


def test_every_byte_counts() -> None:
    session = Shell(files={"a": "b"}).session()
    session.run("x=1; f() { :; }")
    data = session.snapshot()
    for at in range(0, len(data), 7):
        damaged = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
        with pytest.raises(SnapshotError):
            Shell.restore(damaged)
        with pytest.raises(SnapshotError):
            Shell.restore(data[:at])
    with pytest.raises(SnapshotError):
        Shell.restore(data + b"x")


def test_files_that_are_not_in_memory_are_refused_by_name() -> None:
    session = Shell(fs=MountTable(MemoryFileSystem())).session()
    with pytest.raises(SnapshotError, match="MountTable"):
        session.snapshot()


def test_a_text_is_no_snapshot() -> None:
    with pytest.raises(TypeError, match="must be bytes, not str"):
        Shell.restore("x")  # type: ignore[arg-type]


def test_a_document_is_read_as_what_it_is() -> None:
    cursor = parse(b'{"a": [1, true]}', "top").fields("a")["a"]
    with pytest.raises(SnapshotError) as caught:
        cursor.items()[1].number()
    assert caught.value.where == "top.a[1]"
