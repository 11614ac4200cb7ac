"""Texts that Python's ``isdigit`` accepts and ``int`` does not, wherever a script may write a number."""

from __future__ import annotations

import re

import pytest

from sandhook import Limits, Shell
from sandhook.hooks.contracts import get
from sandhook.hooks.decode import DecodeError
from sandhook.text.numbers import is_integer, is_number

#: A place for a number is written N.
SCRIPTS = """
    cal N
    cal -d -N
    cal -m N
    ps -o pid:N
    flock -w N f true
    rg -r '${N}' a f
    awk 'BEGIN { FIELDWIDTHS = "N 2" } { print $1 }' f
    awk 'BEGIN { FIELDWIDTHS = "2:N *" } { print $1 }' f
    tar -cf a.tar --owner=N --group=N:N f
    tar -cf a.tar --owner=x:N f
    tar -cf a.tar --transform s/a/b/N f
    LINES=N COLUMNS=N tput lines
    logger "<N>x"
    csvcut -q N g
    csvcut -q , -d , g
    csvcut -K N g
    csvsort -c N g
    sqlite3 :memory: '.quit N'
    sqlite3 :memory: '.import --skip N f t'
    sqlite3 :memory: '.width N'
    jq '.[N]' f
    seq N
    split -n l/N f
    printf '%(%Y)T' N
    date -d 'N days ago'
    date -d '10:00 +N'
    date -d '1 jan N'
    TZ=EST5EDT,M1.1.N,M3.1.1 date
    echo ${@:N}
    a[N]=3
    exec {N}> f
    echo x >&N
    dirs +N
    history -d N
    set -o history; HISTSIZE=N; echo x; history
    umask N
    git log -N
    git log -n N
    git log --skip=N
    git log --since=@N
    git log --since=N --until=1N
    git log --abbrev=N
    git -c core.abbrev=N log -1
    git -c core.x=N config --int core.x
    git rev-parse 'HEAD~N' 'HEAD^N' '@{-N}' 'HEAD@{N}'
    git rev-parse --symbolic-full-name '@{-N}'
    git check-ref-format --branch '@{-N}'
    git for-each-ref --format='%(refname:lstrip=N)%(refname:rstrip=-N)%(objectname:short=N)%(contents:lines=N)'
    git for-each-ref --sort=-version:refname --format='%(refname)'
    git branch -v --abbrev=N
    git show-ref --hash=N
    git show-ref --abbrev=N
    git diff --stat=N,N,N HEAD
    git diff --stat-graph-width=N HEAD
    git -c diff.statGraphWidth=N diff --stat HEAD
    COLUMNS=N git diff --stat HEAD
    git -c core.whitespace=tabwidth=N diff --check
    git blame -L N,+N f
    git blame -L 1,-N f
    git commit --allow-empty -m x --date='1700000000 +N'
    GIT_CONFIG_COUNT=N git config -l
""".strip().splitlines()

#: A superscript two, one after a digit, two signs, and a digit of another script.
WORDS = ("\u00b2", "1\u00b2", "+-1", "--1", "\u0663")


def repository() -> dict[str, str]:
    return {
        ".git/HEAD": "ref: refs/heads/main",
        ".git/config": "[user]\nname = A\nemail = a@b\n",
        ".git/objects/.keep": "",
        ".git/refs/tags/v\u00b2.1\u00b2": "0" * 40,
        ".git/refs/tags/v2.1": "0" * 40,
    }


@pytest.mark.parametrize("script", [each.strip() for each in SCRIPTS])
def test_a_word_that_is_no_number_is_no_defect(script: str) -> None:
    files = {"f": "a b\n1 2\n", "g": "a,b\n1,2\n", **repository()}
    setup = "git add f && git commit -qm 1; git tag v1; " if script.startswith(("git", "COL", "GIT")) else ""
    for word in WORDS:
        shell = Shell(files=files, git_writes=True)
        result = shell.run(
            setup + re.sub("(?<![A-Z])N(?![A-Z])", word, script), limits=Limits(wall_seconds=30.0)
        )
        assert (result.defect, result.limit) == (None, None), word


@pytest.mark.parametrize("word", WORDS)
def test_a_timeout_of_a_configuration_that_is_no_number_is_a_problem(word: str) -> None:
    text = f"hook add PreToolUse --command true --timeout={word}\n"
    with pytest.raises(DecodeError, match="is not a number of seconds"):
        get("crush").parse(text, "crushrc", {})


def test_numbers_have_ascii_digits_and_one_sign() -> None:
    assert [is_number(text) for text in ("0", "12", "", "-1", "\u00b2", "\u0663")] == [True, True] + [
        False
    ] * 4
    assert [is_integer(text) for text in ("-1", "+1", "1", "-", "--1", "+-1", "1-")] == [True] * 3 + [
        False
    ] * 4
