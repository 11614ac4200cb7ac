"""What a hook executes: followed through every way to name a script, or listed as unknown."""

from __future__ import annotations

import re

import pytest

from sandhook.errors import TrustError
from sandhook.hooks.evidence.bounds import MAX_PLACES, MAX_STEPS
from tests.hooks.evidencetools import Files, looked, paths

#: One script at /p/d/x.sh, with others around it.
TREE = {
    "/p/d/x.sh": "echo x\n",
    "/p/d/y.sh": "echo y\n",
    "/p/d/notes.txt": "notes\n",
    "/p/d/x": "echo x\n",
    "/p/d/p.awk": "BEGIN { print 1 }\n",
    "/home/me/bin/x.sh": "echo home\n",
}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("cd d && ./x.sh", ["/p/d/x.sh"]),
        ("cd d; bash x.sh", ["/p/d/x.sh"]),
        ('cd "$CLAUDE_PROJECT_DIR"/d && ./x.sh', ["/p/d/x.sh"]),
        ("cd d || exit 1; . ./x.sh", ["/p/d/x.sh"]),
        ("(cd d && ./x.sh)", ["/p/d/x.sh"]),
        ("if cd d; then ./x.sh; fi", ["/p/d/x.sh"]),
        ("pushd d >/dev/null; ./x.sh; popd", ["/p/d/x.sh"]),
        ("cd d; cd ..; d/x.sh", ["/p/d/x.sh"]),
        ("cd d; cd - >/dev/null; d/x.sh", ["/p/d/x.sh"]),
        ("cd; bin/x.sh", ["/home/me/bin/x.sh"]),
        ("env -C d ./x.sh", ["/p/d/x.sh"]),
        ("env --chdir d A=1 bash x.sh", ["/p/d/x.sh"]),
        ("bash < d/x.sh", ["/p/d/x.sh"]),
        ("bash -s a b < d/x.sh", ["/p/d/x.sh"]),
        ("{ bash; } < d/x.sh", ["/p/d/x.sh"]),
        ("while bash; do :; done < d/x.sh", ["/p/d/x.sh"]),
        ("exec 3<d/x.sh; bash /dev/fd/3", ["/p/d/x.sh"]),
        ("exec 3<d/x.sh; bash <&3", ["/p/d/x.sh"]),
        ("exec 3<d/x.sh; . /dev/fd/3", ["/p/d/x.sh"]),
        ("bash /dev/stdin < d/x.sh", ["/p/d/x.sh"]),
        ('bash -c "./d/x.sh a"', ["/p/d/x.sh"]),
        ("sh -ec 'cd d; ./x.sh'", ["/p/d/x.sh"]),
        ("bash -c '\"$0\" a' d/x.sh", ["/p/d/x.sh"]),
        ("bash -c 'bash \"$1\"' _ d/x.sh", ["/p/d/x.sh"]),
        ("sh -c '. \"$@\"' _ d/x.sh", ["/p/d/x.sh"]),
        ('eval "./d/x.sh a"', ["/p/d/x.sh"]),
        ("eval ./d/x.sh a", ["/p/d/x.sh"]),
        ('trap "./d/x.sh a" EXIT', ["/p/d/x.sh"]),
        ("trap -- ./d/x.sh EXIT", ["/p/d/x.sh"]),
        ("alias g=./d/x.sh", ["/p/d/x.sh"]),
        ("bash <<E\n./d/x.sh\nE", ["/p/d/x.sh"]),
        ("bash <<'E'\ncd d; ./x.sh\nE", ["/p/d/x.sh"]),
        ("bash <<< 'cd d; ./x.sh'", ["/p/d/x.sh"]),
        ("cat <<E\n$(./d/x.sh)\nE", ["/p/d/x.sh"]),
        ("bash d/x*.sh", ["/p/d/x.sh"]),
        ('for f in d/*.sh; do bash "$f"; done', ["/p/d/x.sh", "/p/d/y.sh"]),
        ("for f in d/?.sh; do . $f; done", ["/p/d/x.sh", "/p/d/y.sh"]),
        ("for f in x y; do ./d/$f.sh; done", ["/p/d/x.sh", "/p/d/y.sh"]),
        ("for f in d/{x,y}.sh; do ./$f; done", ["/p/d/x.sh", "/p/d/y.sh"]),
        ('set -- d/x.sh; bash "$1"', ["/p/d/x.sh"]),
        ('set -- a d/x.sh; shift; bash "$@"', ["/p/d/x.sh"]),
        ("f() { ./d/x.sh; }; f", ["/p/d/x.sh"]),
        ("f() { ./d/x.sh; }", ["/p/d/x.sh"]),
        ('f() { bash "$1"; }; f d/x.sh', ["/p/d/x.sh"]),
        ("BASH_ENV=./d/x.sh bash -c :", ["/p/d/x.sh"]),
        ("export BASH_ENV=d/x.sh; bash -c :", ["/p/d/x.sh"]),
        ("export ENV='d/x.sh'; sh -c :", ["/p/d/x.sh"]),
        ("env BASH_ENV=d/x.sh bash -c :", ["/p/d/x.sh"]),
        ("PATH=$PWD/d:$PATH x", ["/p/d/x"]),
        ('export PATH="d:$PATH"; x', ["/p/d/x"]),
        ("PATH=$PWD/d:$PATH; . x.sh", ["/p/d/x.sh"]),
        ("hash -p d/x.sh foo; foo", ["/p/d/x.sh"]),
        ("find . -exec d/x.sh {} ';'", ["/p/d/x.sh"]),
        ("find . -name a -exec bash d/x.sh {} +", ["/p/d/x.sh"]),
        ("ls | xargs d/x.sh", ["/p/d/x.sh"]),
        ("ls | xargs -n 1 bash d/x.sh", ["/p/d/x.sh"]),
        ("awk --file=d/p.awk", []),
        ("awk -f d/p.awk < data", ["/p/d/p.awk"]),
        ("awk --file d/p.awk", ["/p/d/p.awk"]),
        ("sed -f d/p.awk", ["/p/d/p.awk"]),
        ("command . d/x.sh", ["/p/d/x.sh"]),
        ("builtin source d/x.sh", ["/p/d/x.sh"]),
        ("exec -a name d/x.sh", ["/p/d/x.sh"]),
        ("timeout -k 1 5 nice -n 3 env -i A=1 bash -e d/x.sh", ["/p/d/x.sh"]),
        ("nohup d/x.sh & wait", ["/p/d/x.sh"]),
        ("time d/x.sh", ["/p/d/x.sh"]),
        ("! d/x.sh || true", ["/p/d/x.sh"]),
        ("case $x in a) d/x.sh;; esac", ["/p/d/x.sh"]),
        ("echo `d/x.sh` $(: $(d/y.sh))", ["/p/d/x.sh", "/p/d/y.sh"]),
        ("[[ $(d/x.sh) == a ]] && (( $(d/y.sh) ))", ["/p/d/x.sh", "/p/d/y.sh"]),
        ("cat <(d/x.sh) > >(d/y.sh)", ["/p/d/x.sh", "/p/d/y.sh"]),
        ("coproc d/x.sh", ["/p/d/x.sh"]),
        ("c='bash d/x.sh'; $c", ["/p/d/x.sh"]),
        ("mapfile -C d/x.sh -c 1 a < data", ["/p/d/x.sh"]),
        ("bash --rcfile d/x.sh -i d/y.sh", ["/p/d/x.sh", "/p/d/y.sh"]),
        ("D=$(pwd)/d; cd /tmp && . $D/x.sh", ["/p/d/x.sh"]),
        ("cd d; D=$(pwd); cd ..; . $D/x.sh", ["/p/d/x.sh"]),
        ("env - bash d/x.sh", ["/p/d/x.sh"]),
        ("PATH=d:$PATH; bash x.sh", ["/p/d/x.sh"]),
        ("jq --arg a b -rf d/p.awk", ["/p/d/p.awk"]),
        ("jq --from-file d/p.awk", ["/p/d/p.awk"]),
        ("sed -n data -f d/p.awk", ["/p/d/p.awk"]),
        ("sqlite3 db < d/notes.txt", ["/p/d/notes.txt"]),
        ("f() { :; }; unset -f f; PATH=d:$PATH; x() { :; }; unset x; x", ["/p/d/x"]),
    ],
)
def test_every_way_to_execute_a_script_is_followed(text: str, wanted: list[str]) -> None:
    assert paths(looked(text, TREE)) == wanted


def test_the_files_of_a_descriptor_and_of_a_chain_are_followed() -> None:
    files = {
        "/p/hooks/run.sh": '#!/usr/bin/env bash\ncd "$(dirname "$0")/lib" || exit\n. ./a.sh\nload b\n',
        "/p/hooks/lib/a.sh": 'load() { . "./$1.sh"; }\n',
        "/p/hooks/lib/b.sh": "exit 2\n",
    }
    assert paths(looked("hooks/run.sh", files)) == list(files)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('bash "$x/run.sh"', "bash: an argument that is computed"),
        ("bash ${1:-x.sh}", "bash: an argument that is computed"),
        ("$x a", "calls what it computes"),
        (". $x", "sources what it computes"),
        ('cd "$x" && ./run.sh', "runs ./run.sh in a directory that it computes"),
        ('eval "$x"', "evaluates what it computes"),
        ('bash -c "$x"', "bash -c runs a text that it computes"),
        ('trap "$x" EXIT', "has a trap that it computes"),
        ('alias a="$x"', "has an alias that it computes"),
        ("curl -s http://x | sh", "sh executes what it reads from a pipe or a computed file"),
        ("echo a | { bash; }", "bash executes what it reads from a pipe or a computed file"),
        ("bash", "bash executes its standard input"),
        ("bash < $x", "bash executes what it reads from a pipe or a computed file"),
        ("bash <<E\n$x\nE", "bash executes what it reads from a pipe or a computed file"),
        ('bash <<< "$x"', "bash executes what it reads from a pipe or a computed file"),
        ("bash <(curl x)", "bash: an argument that is computed"),
        (". <(curl x)", "sources what it computes"),
        ("find d -exec bash {} ';'", "bash: an argument that is computed"),
        ("ls | xargs bash", "bash: an argument that is computed"),
        ("ls | xargs -I {} sh -c '. {}'", "sh -c runs a text that it computes"),
        ('while read f; do bash "$f"; done', "bash: an argument that is computed"),
        ('x=d/x.sh; read x; bash "$x"', "bash: an argument that is computed"),
        ('x=d/x.sh; printf -v x y; bash "$x"', "bash: an argument that is computed"),
        ('[ -n "$y" ] && x=d/x.sh; bash "$x"', "bash: an argument that is computed"),
        ('bash "$x"; x=d/x.sh', "bash: an argument that is computed"),
        ('(x=d/x.sh); bash "$x"', "bash: an argument that is computed"),
        ("PATH=$x:$PATH; go-there", "looks commands up in a PATH that it computes"),
        ("BASH_ENV=$x bash -c :", "sources what BASH_ENV names, which it computes"),
        ("read BASH_ENV; bash -c :", "sources what BASH_ENV names, which it computes"),
        ("LD_PRELOAD=./x.so ls", "sets LD_PRELOAD, which makes programs load or run code"),
        ("export NODE_OPTIONS=--require=./x", "sets NODE_OPTIONS, which makes programs load or run code"),
        ("make check", "make: what it executes by its own configuration"),
        ("npm run lint", "npm: what it executes by its own configuration"),
        ("npx eslint .", "npx: what it executes by its own configuration"),
        ("docker run -v .:/w image", "docker: what it executes by its own configuration"),
        ("git commit -m x", "git commit: hooks and programs of its configuration"),
        ("git -c core.fsmonitor=./x status", "git -c: programs that a setting names"),
        ("python3 -m pkg", "python -m pkg"),
        ("python3 d/x.py", "python: modules and files that it loads"),
        ("node -e 'require(\"./x\")'", "node: modules and files that it loads"),
        ("node -r ./x d/y.js", "node -r ./x"),
        ("php -d auto_prepend_file=x y.php", "php -d auto_prepend_file=x"),
        ("php -dauto_prepend_file=x y.php", "php -d -dauto_prepend_file=x"),
        ("perl -Mx -e 1", "perl -Mx"),
        ("awk --file=d/p.awk", "awk --file=d/p.awk"),
        ("awk '{ system($0) }'", "awk: the commands of its program"),
        ("awk '{ print | \"sh\" }'", "awk: the commands of its program"),
        ("sed 's/a/b/e'", "sed: the commands of its program"),
        ("env -S 'bash x'", "env -S: a command in one word"),
        ("declare -n r=x; r=d/x.sh", "has a reference to a variable, which hides what it assigns"),
        ("if", "does not parse"),
        ("find d -execdir bash ./x.sh ';'", "runs ./x.sh in a directory that it computes"),
        ("tar -I ./x -xf a", "tar: the program that -I names"),
        ("tar cIf ./x a b", "tar: the program that cIf names"),
        (
            "tar --checkpoint-action=exec=./x -cf a b",
            "tar: the program that --checkpoint-action=exec=./x names",
        ),
        ("tcpdump -G 1 -z ./x", "tcpdump: the program that -z names"),
        ("sort --compress-program=./x a", "sort: the program that --compress-program=./x names"),
        ("rsync -e ./x a b", "rsync: the program that -e names"),
        ("sqlite3 db '.shell ./x'", "sqlite3: its dot-commands"),
        ("jq -L mods 'import \"a\" as a; a::b'", "jq -L: the modules of its program"),
        (". ~+/d/x.sh", "sources what it computes"),
        ("~me/x", "calls what it computes"),
        ("EDITOR=./x git config -l", "sets EDITOR, which makes programs load or run code"),
        ("trap 'x=d/y.sh' DEBUG; x=d/x.sh; bash $x", "has a trap that may change what it executes: x=d/y.sh"),
    ],
)
def test_what_cannot_be_known_is_listed(text: str, wanted: str) -> None:
    unknown = looked(text, {"/p/d/x.py": "import json\n", **TREE}).unknown
    assert any(wanted in each for each in unknown), unknown


@pytest.mark.parametrize(
    "text",
    [
        "jq -r .tool_input.command | grep -q rm && exit 2",
        'input=$(cat); case "$input" in *rm*) echo no >&2; exit 2;; esac',
        "[ -f TODO ] && cat package.json README.md",
        "awk '{ print $1 || $2 }' | sed 's/a/b/g; 3d' | sort",
        "git rev-parse HEAD; git log -1; git -C d diff-tree HEAD",
        'while IFS= read -r line; do echo "$line"; done < data.txt',
        "x=$(date +%s); printf '%s\\n' \"$x\" > stamp",
        "sed 's/[x]e/x/; s,e,x,g; /e/d; y/e/f/; s/a/e/w out' a; sed -n '/a/,/e/{s/e/x/;p;}' a; sed '1!G;h;$!d' a",
        "sed -e ':a' -e 'N;$!ba;s/\\n/ /g' a; sed '/[[:space:]]/!{s|^|# |;b end' -e '}' a; sed 'a\\\nend' a",
        "git log -1 --oneline; git describe --tags; git tag -l 'v*'; git remote -v; git branch --show-current",
        "timeout -k 1 5 nice -n 5 env -u A B=c stdbuf --output=L xargs -0 -n 1 grep x < data.txt",
        "cp a b; mv c d; echo x > e; sed -i s/a/b/ f; tee g < h; awk '{ print $1 }' a > b; sort -o a b; cp a .",
        "pattern='\\$\\(|`'; [[ $x =~ $pattern ]] && exit 2; test -n 'a[1]'",
        "tmp=$(mktemp); trap 'rm -f \"$tmp\"' EXIT INT TERM; PAGER=cat git log -1; tar -czf a.tgz b; sort -u a",
    ],
)
def test_an_ordinary_hook_has_nothing_unknown(text: str) -> None:
    found = looked(text, {"/p/TODO": "t", "/p/package.json": "{}", "/p/data.txt": "d"})
    assert (found.unknown, found.files) == ((), ())


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "timeout 5 bash d/lib.sh",
            "sources /p/x.sh by its name, in a shell or a directory of another program",
        ),
        ("find . -exec bash d/lib.sh ';'", "sources /p/x.sh by its name"),
        ("nice bash -c './d/x.sh'", "runs /p/d/x.sh by its name"),
        ("dash -c '. d/x.sh'", "sources /p/d/x.sh by its name"),
        ("env -C d ./x.sh", "runs /p/d/x.sh by its name"),
        ("env PATH=d:/bin x", "runs /p/d/x by its name"),
        ("PATH=d:$PATH; timeout 5 x", "runs /p/d/x by its name"),
        ("timeout 5 bash -c '. /p/d/x.sh'", "sources /p/d/x.sh by its name"),
        ("env BASH_ENV=d/x.sh bash -c :", "sources /p/d/x.sh by its name"),
        ("cp d/y.sh d/x.sh; bash d/x.sh", "the command:1: writes /p/d/x.sh, which it executes"),
        ("bash d/x.sh; echo exit > d/x.sh", "the command:0: writes /p/d/x.sh, which it executes"),
        ('cp "$x" d; bash d/x.sh', "the command:1: writes /p/d/x.sh, which it executes"),
        ("cp -r e/. d; d/x.sh", "the command:1: writes /p/d/x.sh, which it executes"),
        ("mv -T e d; d/x.sh", "the command:1: writes /p/d/x.sh, which it executes"),
        ("rsync -a e/ d; d/x.sh", "the command:1: writes /p/d/x.sh, which it executes"),
        ("ln -sfn e d; d/x.sh", "the command:1: writes /p/d/x.sh, which it executes"),
        ("curl -so d/x.sh https://a.example; . d/x.sh", "the command:1: writes /p/d/x.sh, which it executes"),
        ("tar -xf a.tar; bash d/x.sh", "runs /p/d/x.sh, which tar may write"),
        ("timeout --nosuch 5 bash d/x.sh", "timeout: the option --nosuch, which is not known here"),
        ("HOME=$PWD git log -1", "sets HOME, below which programs find what they execute when they start"),
        ("git log -1 -p", "git log -p: programs of its configuration"),
        ("git --exec-path=d log", "git --exec-path=d: another program"),
        ("bash /proc/self/fd/../../x", "which is another file for each process"),
    ],
)
def test_what_approved_bytes_do_not_cover_is_listed(text: str, wanted: str) -> None:
    unknown = looked(text, {**TREE, "/p/d/lib.sh": ". ./x.sh\n"}).unknown
    assert any(wanted in each for each in unknown), unknown


def test_a_shell_of_our_own_sources_the_approved_bytes() -> None:
    files = {**TREE, "/p/d/lib.sh": ". ./d/x.sh\n"}
    assert looked("bash d/lib.sh; command bash d/lib.sh; (exec d/lib.sh)", files).unknown == ()


@pytest.mark.parametrize(
    "line",
    [
        '. "$(dirname "$0")/x.sh"',
        '. "${0%/*}/x.sh"',
        '. "${BASH_SOURCE[0]%/*}/x.sh"',
        'D=$(cd "$(dirname "$0")" && pwd); . "$D/x.sh"',
        'D=$(dirname "$(readlink -f "$0")"); bash "$D"/x.sh',
        'D=$(cd "$(dirname "$0")" >/dev/null 2>&1 && pwd -P); bash "$D"/x.sh',
    ],
)
def test_a_script_that_a_program_starts_finds_the_copies_next_to_it(line: str) -> None:
    found = looked("timeout 5 bash d/run.sh", {**TREE, "/p/d/run.sh": line})
    assert (paths(found), found.unknown) == (["/p/d/run.sh", "/p/d/x.sh"], ())


# Data files.


@pytest.mark.parametrize(
    "text",
    [
        "cat /etc/shadow",
        "[ -f TODO ] && cat package.json",
        "grep -q x README.md",
        "jq . < data.json",
        "diff a b; sort a; test -f a",
        "cp run.sh other.sh",
        "while read l; do :; done < a",
        "exec 3<a; cat <&3",
        "rm -f run.sh; touch run.sh; ls d/*.sh",
    ],
)
def test_data_is_never_opened(text: str) -> None:
    machine = Files({"/etc/shadow": "root:*:1:\n", "/p/TODO": "ff it\n", "/p/a": "x", "/p/run.sh": "make\n"})
    found = looked(text, machine)
    assert (found.files, machine.opened, found.unknown) == ((), [], ())


def test_an_edit_of_a_data_file_keeps_the_approval() -> None:
    files = {"/p/g.sh": "[ -f TODO ] && cat package.json"}
    before = looked("./g.sh", files)
    after = looked("./g.sh", {**files, "/p/TODO": "x", "/p/package.json": "{}"})
    assert before.digest == after.digest


# Absence.


@pytest.mark.parametrize(
    ("text", "appears"),
    [
        ("[ -f extra.sh ] && . ./extra.sh", "/p/extra.sh"),
        ("cd sub && ./x", "/p/sub/x"),
        ('for f in d/*.sh; do . "$f"; done', "/p/d/z.sh"),
        ("bash d/*.sh", "/p/d/a.sh"),
        ("PATH=$PWD/d:$PATH; jq .", "/p/d/jq"),
        ("bash -c './d/new'", "/p/d/new"),
        ("BASH_ENV=env.sh bash -c :", "/p/env.sh"),
    ],
)
def test_a_file_that_appears_is_a_change(text: str, appears: str) -> None:
    assert looked(text, TREE).digest != looked(text, {**TREE, appears: "echo\n"}).digest


def test_a_file_that_nothing_executes_may_appear() -> None:
    text = 'for f in d/*.sh; do . "$f"; done; . ./extra.sh'
    assert looked(text, TREE).digest == looked(text, {**TREE, "/p/d/more.txt": "", "/p/other.sh": ""}).digest


# Tricks: the reading must not differ from what the shell does.


def test_a_link_is_followed_where_the_script_follows_it() -> None:
    files = Files(
        {"/p/hooks/run.sh": '. "$(dirname "$(readlink -f "$0")")/lib.sh"', "/p/hooks/lib.sh": "echo"},
        {"/p/run.sh": "/p/hooks/run.sh"},
    )
    assert paths(looked("./run.sh", files)) == ["/p/run.sh", "/p/hooks/lib.sh"]


def test_a_relative_name_counts_from_the_directory_of_its_moment() -> None:
    files = {
        "/p/h/run.sh": 'cd sub; . "$(dirname "$0")/lib.sh"',
        "/p/sub/h/lib.sh": "echo",
        "/p/h/lib.sh": "x",
    }
    assert "/p/sub/h/lib.sh" in paths(looked("h/run.sh", files))


def test_a_quoted_tilde_and_a_quoted_star_are_names() -> None:
    files = {"/p/~/x.sh": "echo", "/p/d/*.sh": "echo"}
    assert paths(looked("bash '~/x.sh'; bash 'd/*.sh'", files)) == ["/p/~/x.sh", "/p/d/*.sh"]


def test_a_second_call_sees_what_changed_meanwhile() -> None:
    lib = {"/p/lib.sh": ". d/$x.sh", **TREE}
    assert paths(looked("x=x; . ./lib.sh; x=y; . ./lib.sh", lib)) == ["/p/lib.sh", "/p/d/x.sh", "/p/d/y.sh"]
    assert paths(looked("f() { d/$x.sh; }; x=x; f; x=y; f", TREE)) == ["/p/d/x.sh", "/p/d/y.sh"]
    recursive = looked("f() { d/$x.sh; x=y; [ -f stop ] || f; }; x=x; f", TREE)
    assert paths(recursive) == ["/p/d/x.sh", "/p/d/y.sh"]
    sets = {"/p/lib.sh": "x=d/x.sh", **TREE}
    assert "/p/d/x.sh" in paths(looked("x=d/y.sh; . ./lib.sh; x=d/y.sh; . ./lib.sh; bash $x", sets))


@pytest.mark.parametrize(
    "declare", ["local x=d/y.sh", "local x; x=d/y.sh", "declare x=d/y.sh", "typeset x; x=d/y.sh"]
)
def test_a_local_variable_ends_with_its_function(declare: str) -> None:
    found = looked(f"x=d/x.sh; f() {{ {declare}; }}; f; bash $x", TREE)
    assert paths(found) == ["/p/d/x.sh"] or found.unknown


def test_another_ifs_makes_words_unknown() -> None:
    assert looked("IFS=:; c=bash:d/x.sh; $c", TREE).unknown


def test_the_first_line_names_the_interpreter() -> None:
    files = {
        "/p/a": "#!/p/bin/sh-like\n",
        "/p/bin/sh-like": "\0ELF",
        "/p/b": "#!/usr/bin/env -S bash -e\n./c\n",
        "/p/c": "#!/usr/bin/awk -f\n",
        "/p/e": "#!/usr/bin/env python3\n",
    }
    assert paths(looked("./a; ./b; ./e", files)) == ["/p/a", "/p/bin/sh-like", "/p/b", "/p/c", "/p/e"]
    assert "/p/e:1: python: modules and files that it loads" in looked("./e", files).unknown


def test_programs_of_the_machine_are_commands() -> None:
    found = looked("/usr/bin/jq . | /bin/bash d/x.sh", {"/usr/bin/jq": "\0" * 9_000_000, **TREE})
    assert paths(found) == ["/p/d/x.sh"]
    assert found.commands == ("/usr/bin/jq", "/bin/bash")


def test_built_ins_are_no_programs() -> None:
    script = 'set -e; x=$(jq -r .x); [ -n "$x" ] || exit 0; printf \'%s\' "$x"; read -r y; test a; kill -9 1; exit 2'
    assert looked(script, {}).commands == ("jq", "kill")
    assert looked("f() { return 0; }; f; :", {}).commands == ()


def test_what_never_ends_is_followed_to_an_end() -> None:
    assert looked("f() { f; f a; }; f").unknown == ()
    assert looked("while :; do cd d; ./x.sh; cd ..; done", TREE).files
    deep = "while :; do cd sub; ./x; done"
    assert any("in a directory that it computes" in each for each in looked(deep).unknown)
    files = {"/p/a.sh": ". ./b.sh; ./a.sh", "/p/b.sh": ". ./a.sh"}
    assert paths(looked("./a.sh", files)) == ["/p/a.sh", "/p/b.sh"]
    with pytest.raises(TrustError, match="characters to be followed"):
        looked(":" + " " * (256 << 10))


def test_the_directory_of_the_hook_is_bound() -> None:
    from sandhook.hooks.evidence import examine
    from sandhook.hooks.model import Executor, HookSpec

    spec = HookSpec("h", "tool.pre", "PreToolUse", Executor("bash", "make check"))
    here, there = (examine(spec, "crush", place, "/home/me", Files()) for place in ("/p", "/q"))
    assert here.digest != there.digest


@pytest.mark.parametrize("name", ["C:/x.sh", "C:\\x.sh", "c:/d/../x.sh"])
def test_a_drive_is_a_name_in_the_working_directory(name: str) -> None:
    """Our shell joins the two on every system, and the machine reads /p/C:/x.sh as C:/x.sh where that means something."""
    path = "/p/c:/x.sh" if ".." in name else f"/p/{name}"
    assert paths(looked(f". '{name}'", {path: "echo"})) == [path]


def test_a_share_may_be_another_file() -> None:
    assert paths(looked(". //server/share/x.sh", {"//server/share/x.sh": "echo"})) == ["//server/share/x.sh"]
    there = {"//server/p/d/x.sh": "echo"}
    evidence = looked("for f in //server/p/d/*.sh; do . $f; done", there)
    assert (paths(evidence), evidence.absent[-1]) == (["//server/p/d/x.sh"], "/server/p/d/x.sh")
    assert "//server/p/d/*.sh" in evidence.absent


def nested(depth: int) -> str:
    text = "./x"
    for _ in range(depth):
        text = "eval '" + text.replace("'", "'\\''") + "'"
    return text


@pytest.mark.parametrize(
    "text",
    [
        "(" * 150 + "./x" + ")" * 150,
        "$(" * 150 + "./x" + ")" * 150,
        "if :; then " * 90 + "./x" + "; fi" * 90,
        "while :; do " * 12 + "cd a; ./x; x=$x" + "; done" * 12,
        "for a in {1..300}; do for b in {1..300}; do ./x$a; done; done",
        nested(7),
        "f() { " * 60 + "./x" + "; }" * 60,
        "${x:-" * 150 + "./x" + "}" * 150,
        "x=\\" + "$x" * 5000,
        "{a,b}" * 30,
    ],
)
def test_whatever_the_text_is_it_is_followed_or_refused(text: str) -> None:
    """No traceback, no endless walk."""
    try:
        looked(text, {"/p/x": "echo"})
    except TrustError as error:
        assert "to be followed" in str(error) or "more than" in str(error)


@pytest.mark.parametrize(
    "text",
    [
        "readonly D=d; . $D/x.sh",
        "declare -r D=d; readonly E=1; . $D/x.sh",
        "declare -i n=0; declare -l b=d; . $b/x.sh",
        "f() { local -i n=3; [ -f a ] || return 1; . d/x.sh; }; f",
        "for b in d; do [ -d $b ] || continue; . $b/x.sh >&2; done",
        "b=d; echo x >&2; { . $b/x.sh; } 2>/dev/null",
        "alias ll='ls -l'; . d/x.sh",
        "pushd d >/dev/null; . ./x.sh",
    ],
)
def test_attributes_ways_out_and_redirections_that_change_nothing_leave_all_known(text: str) -> None:
    evidence = looked(text, {"/p/d/x.sh": ":", "/p/a": ""})
    assert (paths(evidence), evidence.unknown) == (["/p/d/x.sh"], ())


@pytest.fixture(params=[10, pytest.param(1, marks=pytest.mark.slow)])
def part(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Lower the limits that take long to reach, and return by what."""
    from sandhook.hooks.evidence import commands, walker

    monkeypatch.setattr(commands, "MAX_PLACES", MAX_PLACES // request.param)
    monkeypatch.setattr(walker, "MAX_STEPS", MAX_STEPS // request.param)
    divisor: int = request.param
    return divisor


def bombs(part: int) -> dict[str, str]:
    """Return texts that name far more than they have letters, or that were followed again and again."""
    return {
        "a value that doubles": "x=aaaaaaaaaaaaaaaa; " + "x=$x$x; " * 60 + "./$x",
        "quoted": "x=aaaaaaaaaaaaaaaa; " + 'x="$x$x"; ' * 60 + '"$x"',
        "many variables": f"x={'a' * 100_000}; " + "; ".join(f"y{number}=${{x}}b" for number in range(2_000)),
        "parameters that double": "set -- a; " + 'set -- "$@" "$@"; ' * 60 + './x "$@"',
        "words of a variable": f"x='{'a ' * 5_000}'; echo " + "$x " * 5_000,
        "values of a loop": f"x='{'a ' * 5_000}'; for y in " + "$x " * 5_000 + "; do :; done",
        "entries of PATH": "PATH=" + "a:" * (60_000 // part) + "; " + "x; " * 50,
        "directories": "".join(f"cd d{number}; " for number in range(5_000 // part)) + "./x",
        "a directory that grows": "cd a; " * (6_000 // part) + "./x",
    }


@pytest.mark.parametrize("name", bombs(1))
def test_a_text_that_stands_for_too_much_is_refused_or_unknown(name: str, part: int) -> None:
    try:
        assert looked(bombs(part)[name]).unknown
    except TrustError as error:
        assert re.search(r"more than \d+ (?:paths|words|characters|parts)|expand to more", str(error))


def test_loops_in_loops_are_refused(part: int) -> None:
    loops = f"for a in {{1..{250 // part}}}; do for b in {{1..250}}; do :; done; done"
    with pytest.raises(TrustError, match="parts to be followed"):
        looked(loops)


@pytest.mark.parametrize(
    "text",
    [
        f"x={'a' * 100_000}",
        f"x='{'a[' * 50_000}'",
        f"let {'a' * 100_000}",
        f"[[ -v {'a' * 100_000} ]]",
        "sqlite3 db '" + "\n" * 100_000 + "'",
    ],
    ids=["assignment", "subscripts", "let", "test", "sqlite3"],
)
def test_a_long_text_is_followed_once(text: str) -> None:
    assert looked(text).unknown == ()


def test_a_long_command_in_quotes_is_followed() -> None:
    text = "bash -c '" + ": comment\n" * 2_000 + "./d/x.sh'"
    assert paths(looked(text, TREE)) == ["/p/d/x.sh"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("x='a[$(d/x.sh)]'", True),
        ("x='b]a[`d/x.sh`]'", True),
        ("x='a[1][$(d/x.sh)]'", False),
        ("x='a[1]$(d/x.sh)'", False),
        ("x='[$(d/x.sh)]'", False),
        ("x='$(a)[1'", False),
    ],
)
def test_a_command_in_a_subscript(text: str, wanted: bool) -> None:
    assert bool(looked(text, TREE).unknown) is wanted


@pytest.mark.parametrize(
    "text",
    [
        """awk 'BEGIN { print "echo" > "q.sh" }'; bash q.sh""",
        """awk '{ print >> "q.sh" }' data; bash q.sh""",
        "sed -n '1wq.sh' data; bash q.sh",
        "sed -n '1w q.sh' data; bash q.sh",
        "sed 's/a/b/w q.sh' data; bash q.sh",
        "sed 's/a/b/gw q.sh' data; bash q.sh",
        "sed -n '/x/{W d/x.sh\n}' data; bash d/x.sh",
        "cd d; sed -n 'w x.sh' data; ./x.sh",
    ],
)
def test_what_a_program_text_writes_and_the_hook_executes_is_unknown(text: str) -> None:
    assert any("which it executes" in each for each in looked(text, TREE).unknown)


@pytest.mark.parametrize(
    "text",
    [
        """awk 'BEGIN { print "x" > "other" }'; bash d/x.sh""",
        "awk '$1 > 3' data; bash d/x.sh",
        "sed 's/w d/x/' data; bash d/x.sh",
        "sed -n 's/a/b/w other' data; bash d/x.sh",
    ],
)
def test_other_program_texts_are_fine(text: str) -> None:
    assert looked(text, TREE).unknown == ()


# --------------------------------------------------------------------------- interpreters


def test_a_link_to_the_machines_interpreter_is_bound_and_its_program_is_not_read() -> None:
    venv = "/p/venv/bin/python"
    machine = Files({"/p/guard.py": "pass", "/usr/bin/python3.14": "program"}, {venv: "/usr/bin/python3.14"})
    evidence = looked(f"{venv} guard.py", machine)
    assert paths(evidence) == ["/p/guard.py"]
    assert (venv, "/usr/bin/python3.14") in evidence.links
    assert venv not in machine.opened
    moved = Files({"/p/guard.py": "pass"}, {venv: "/usr/bin/python3.13"})
    assert looked(f"{venv} guard.py", moved).digest != evidence.digest


@pytest.mark.parametrize(
    ("path", "target"),
    [
        ("/p/bin/python", "/p/evil"),
        ("/p/bin/python", "/usr/bin/env"),
        ("/p/bin/python", "/home/me/bin/python"),
        ("/p/bin/guard", "/usr/bin/python3"),
    ],
)
def test_other_links_are_read(path: str, target: str) -> None:
    machine = Files({target: "program"}, {path: target})
    assert path in paths(looked(f"{path} x", machine))


# The top of a repository.


REPOSITORY = {**TREE, "/p/.git/HEAD": "ref: refs/heads/main\n", "/p/.git/config": "[core]\n\tbare = false\n"}

TOPLEVEL = [
    'bash "$(git rev-parse --show-toplevel)/d/x.sh"',
    'bash "$(git rev-parse --show-toplevel 2>/dev/null || pwd)/d/x.sh"',
    '"`git rev-parse --show-toplevel`"/d/x.sh',
    'root=$(git -C . rev-parse --show-toplevel); . "$root/d/x.sh"',
    'cd "$(git rev-parse --show-toplevel)" && ./d/x.sh',
    'cd "$(git rev-parse --show-toplevel 2> /dev/null || echo .)" && bash d/x.sh',
]


@pytest.mark.parametrize("text", TOPLEVEL)
def test_the_top_of_a_repository_is_found_as_git_finds_it(text: str) -> None:
    found = looked(text, REPOSITORY)
    assert (paths(found), found.unknown) == (["/p/d/x.sh"], ())


@pytest.mark.parametrize("text", TOPLEVEL)
def test_a_repository_above_the_project_is_found_and_a_nearer_one_is_a_change(text: str) -> None:
    above = {"/.git/HEAD": "ref: x\n", "/d/x.sh": "echo\n", "/p/d/x.sh": "echo other\n"}
    found = looked(text, above)
    assert (paths(found), found.unknown) == (["/d/x.sh"], ())
    assert {"/p/.git", "/p/.git/HEAD"} <= set(found.absent)


def test_without_a_repository_the_alternative_is_what_runs() -> None:
    text = 'bash "$(git rev-parse --show-toplevel 2>/dev/null || {})/d/x.sh"'
    for other in ("pwd", "echo .", 'echo "$PWD"'):
        found = looked(text.replace("{}", other), TREE)
        assert (paths(found), found.unknown) == (["/p/d/x.sh"], ())
        assert "/p/.git/HEAD" in found.absent
    assert looked('bash "$(git rev-parse --show-toplevel)/d/x.sh"', TREE).unknown


@pytest.mark.parametrize(
    ("config", "known"),
    [
        ("[core]\n\tworktree = /elsewhere\n", False),
        ("[core]\n\tworktree = ..\n", True),
        ("[CORE] WorkTree = ../sub\n", False),
        ("[core]\n\tbare = true\n", False),
        ("[core]\n\tbare\n", False),
        ('[remote "worktree"]\n\tworktree = /x\n', True),
    ],
)
def test_a_setting_of_git_may_place_the_files_elsewhere(config: str, known: bool) -> None:
    found = looked(TOPLEVEL[0], {**REPOSITORY, "/p/.git/config": config})
    assert (not found.unknown) is known


@pytest.mark.parametrize(
    ("files", "known"),
    [
        ({"/p/.git": "gitdir: /r/.git/worktrees/p\n", "/r/.git/worktrees/p/commondir": "../..\n"}, True),
        ({"/p/.git": "gitdir: ../m/p\n", "/m/p/config": "[core]\n\tworktree = ../../p\n"}, True),
        ({"/p/.git": "gitdir: ../m/p\n", "/m/p/config": "[core]\n\tworktree = ../../q\n"}, False),
        ({"/p/.git": "text\n"}, False),
    ],
)
def test_a_linked_worktree_and_a_submodule_are_repositories(files: dict[str, str], known: bool) -> None:
    found = looked(TOPLEVEL[0], {**TREE, **files})
    assert (not found.unknown) is known


@pytest.mark.parametrize(
    "text",
    [
        'git() { echo /tmp; }; bash "$(git rev-parse --show-toplevel)/d/x.sh"',
        'dirname() { echo /tmp; }; bash "$(dirname d/y)/x.sh"',
        'pwd() { echo /tmp; }; bash "$(pwd)/d/x.sh"',
        'bash "$(GIT_DIR=/x git rev-parse --show-toplevel)/d/x.sh"',
        'export GIT_WORK_TREE=/x; bash "$(git rev-parse --show-toplevel)/d/x.sh"',
        'bash "$(dirname d/y >/dev/null)/d/x.sh"',
        'bash "$(git -c core.worktree=/x rev-parse --show-toplevel)/d/x.sh"',
        'bash "$(git rev-parse --show-toplevel | head -1)/d/x.sh"',
    ],
)
def test_what_prints_something_else_is_not_taken_for_the_usual_command(text: str) -> None:
    assert looked(text, REPOSITORY).unknown
