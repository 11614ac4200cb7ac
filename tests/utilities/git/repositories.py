"""Builds the repositories of the tests with the real git, always with the same objects.

``python -m tests.utilities.git.repositories [NAME...]`` writes the archives next to this file. The tests and the cases of
``conformance/utilities/git`` unpack them, so neither needs git.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from tests import machine

HERE = Path(__file__).parent

#: The shell text that makes each repository, below an empty directory.
SCRIPTS = {
    "project": r"""
git init -q -b main . ; git config user.name 'Ann Author'; git config user.email ann@example.com
mkdir d src lib; echo hello >a; seq 20 >d/b; git add .; at 1700000000 commit -qm 'first'
echo more >>a; git add a; at 1700000100 commit -qm 'second'
git tag v1; git branch topic; at 1700000150 tag -a -m 'annotated' v2
printf '*.o\n!keep.o\nbuild/\n/top\n**/deep/*.x\n' >.gitignore
printf '#include <stdio.h>\n\nint add(int a, int b)\n{\n\treturn a + b;\n}\n\nint main(void)\n{\n\tprintf("hi\\n");\n\treturn 0;\n}\n' >src/main.c
seq 100 >lib/long.txt; printf 'bin\0ary' >lib/bin; ln -s ../a lib/link; printf 'x y\n' >'sp ace'; printf 'u\n' >'ünï'
echo '#!/bin/sh' >run.sh; chmod +x run.sh; git add -A
at 1700000200 commit -qm 'third: many files

Body of the message.
Second line.'
git checkout -q topic; echo topic >t; git add t; at 1700000300 commit -qm 'on topic'
git checkout -q main; at 1700000400 merge -q -m "Merge branch 'topic'" topic
git mv lib/long.txt lib/renamed.txt; sed -i 's/^50$/fifty/' lib/renamed.txt; git add -A; at 1700000500 commit -qm 'rename'
git repack -adq; git pack-refs --all; git prune
sed -i 's/a + b/a - b/; s/hi/ho/' src/main.c; git rm -q --cached run.sh; echo new >staged; git add staged; echo more >>staged
echo un >untracked; mkdir -p newdir/sub build; echo 1 >newdir/sub/f; echo o >x.o; echo k >keep.o; echo b >build/b
rm d/b; printf 'bin\0ary2' >lib/bin; git mv a moved
git remote add origin https://example.com/x.git; git update-ref refs/remotes/origin/main HEAD~1
git config branch.main.remote origin; git config branch.main.merge refs/heads/main
git symbolic-ref refs/remotes/origin/HEAD refs/remotes/origin/main
git branch old v1; git config branch.old.remote origin; git config branch.old.merge refs/heads/main
git config --add x.multi 1; git config --add x.multi 2; git config x.flag true
git config alias.st 'status -s'; git config alias.bad '!echo hi'
""",
    "conflict": r"""
git init -q -b main . ; git config user.name 'Ann Author'; git config user.email ann@example.com
printf '1\n2\n3\n' >f; echo g >g; git add .; at 1700000000 commit -qm base
git checkout -qb other; printf '1\ntwo\n3\n' >f; git rm -q g; git add .; at 1700000100 commit -qm other
git checkout -q main; printf '1\nTWO\n3\n' >f; echo gg >g; git add .; at 1700000200 commit -qm main
at 1700000300 merge -q other >/dev/null || :
""",
    "evil": r"""
git init -q -b main . ; git config user.name 'Ann Author'; git config user.email ann@example.com
{ echo 'int main(void)'; seq 2 40; } >f; seq 30 >moved; echo bin >bin; echo gone >gone; echo run >run; seq 9 >same; git add .; at 1700000000 commit -qm base
git checkout -qb one; sed -i '5s/.*/five one/;20s/.*/twenty one/;38d' f; git mv moved there; sed -i 3d there; printf 'a\0one' >bin; chmod +x run; seq 8 >same; echo new one >new; git add -A; at 1700000100 commit -qm one
git checkout -qb two main; sed -i '5s/.*/five two/;21s/.*/twentyone two/;10,12d' f; sed -i '20s/.*/x/' moved; printf 'a\0two' >bin; echo two >gone; seq 8 >same; echo new two >new; git add -A; at 1700000200 commit -qm two
git checkout -qb three main; sed -i '5s/.*/five three/;20i inserted' f; echo three >>moved; echo three >>run; git add -A; at 1700000300 commit -qm three
git checkout -q one; at 1700000400 merge -q two >/dev/null 2>&1 || :; { echo 'int main(void)'; seq 2 4; echo five both; seq 6 18; echo nineteen merged; seq 20 37; echo 'tail'; } >f
printf 'a\0both' >bin; rm -f gone; printf 'new one\nnew two' >new; seq 30 >there; sed -i '4s/.*/merged/' there; rm -f moved; chmod -x run; git add -A; at 1700000500 commit -qm 'evil merge'
git checkout -q --detach; tree=$(git write-tree); commit=$(at 1700000600 commit-tree -p one -p two -p three -m 'octopus' $tree); git branch octopus $commit
git checkout -q three; at 1700000700 merge -q one >/dev/null 2>&1 || :
""",
    "empty": "git init -q -b main . ; echo x >x; git add x; echo y >y",
    "index4": r"""
git init -q -b main . ; git config user.name A; git config user.email a@example.com
mkdir -p long/directory/name; for n in 1 2 3; do echo $n >long/directory/name/file$n; done; git add .
git update-index --index-version 4; at 1700000000 commit -qm one; echo x >long/directory/name/file2
printf 'a\r\nb\r\n' >crlf; printf '*.txt text\n' >.gitattributes; printf 'a\r\n' >t.txt; git add -N crlf; git config core.autocrlf input
""",
    "merges": r"""
git init -q -b main . ; git config user.name 'Ann Author'; git config user.email ann@example.com
who() { export GIT_AUTHOR_NAME="$1" GIT_AUTHOR_EMAIL="$2"; }
seq 10 >f; echo a >a; git add .; at 1700000000 commit -qm 'base: begin'; git tag v0.1
who 'Bob Builder' bob@example.org
git checkout -qb left; sed -i 's/^2$/two/' f; git add -A; at 1700000100 commit -qm 'left: two (#12)'
git checkout -qb right main; sed -i 's/^9$/nine/' f; git add -A; at 1700000100 commit -qm 'right: nine

Signed-off-by: Bob Builder <bob@example.org>
Reviewed-by: Ann Author <ann@example.com>'
git checkout -q left; at 1700000200 merge -q -m "Merge branch 'right' into left" right
git checkout -q right; at 1700000250 merge -q -m "Merge branch 'left~1' into right" left~1
who 'Ann Author' ann@example.com
git checkout -q main; at 1700000300 merge -q --no-ff -m "Merge branch 'left'" left
at 1700000310 tag -a -m 'Release one' -m 'Notes of the release.' v1.0
for n in 1 2 3; do git checkout -q -b o$n main; echo $n >o$n; git add .; at 170000040$n commit -qm "octopus $n"; done
git checkout -q main; at 1700000500 merge -q -m 'Merge three' o1 o2 o3
git mv a renamed; at 1700000600 commit -qm 'fix: rename a' ; at 1700000700 revert --no-edit HEAD >/dev/null
seq 40 >g; git add g; at 1700000800 commit -qm 'feat!: add g'; sed -i '5d;20s/.*/twenty/;35a new' g; cp f copy; git add .; at 1700000900 commit -qm 'edit g, copy f'
git tag v1.1-rc1; git tag -f same v1.0^{} >/dev/null; at 1700000950 tag -a -m 'a tree' tree-tag HEAD^{tree}
git remote add origin git@example.com:team/project.git; git remote add fork https://u:p@example.org/fork.git
git update-ref refs/remotes/origin/main main~2; git symbolic-ref refs/remotes/origin/HEAD refs/remotes/origin/main
git config branch.main.remote origin; git config branch.main.merge refs/heads/main; git config push.default simple
git update-ref refs/remotes/origin/left left~1; git config branch.left.remote origin; git config branch.left.merge refs/heads/left
git config branch.o1.remote origin; git config branch.o1.merge refs/heads/gone
git pack-refs --all; git repack -adq --depth=10 --window=10; git prune; echo more >>g; at 1700001000 commit -qam 'last one'
echo stashed >>f; at 1700001100 stash -q; echo 'kept back' >>g; git add g; at 1700001200 stash push -q -m 'second stash'
git branch -d o2 >/dev/null; git checkout -q --detach v1.0; git checkout -q main
""",
    "stashes": r"""
git init -q -b main . ; git config user.name 'Ann Author'; git config user.email ann@example.com
seq 20 >text; seq 20 >clean; seq 9 >gone; seq 9 >kept; printf 'a\0one\n' >bin; seq 9 >run; ln -s text link; printf '1\r\n2\r\n3\r\n' >crlf
printf 'a\nb' >open; seq 3 >list; echo 'list merge=union' >.gitattributes; seq 9 >'sp ace'; mkdir d; seq 9 >d/f; git add -A; at 1700000000 commit -qm base; git branch base
push() { at 1700000100 stash push -q -u -m "$1"; }
sed -i 's/^2$/two/' clean; push clean
sed -i 's/^5$/five stashed/;s/^15$/fifteen/' text; push content
sed -i 's/^5$/five/' gone; push changed-here-gone-there
git rm -q kept; push gone-here-changed-there
printf 'a\0two\n' >bin; push binary
chmod +x run; sed -i 's/^2$/two/' run; push mode
ln -sf clean link; push link
seq 4 >new; git add new; push added
seq 5 >extra; push untracked
printf '1\r\nzwei\r\n3\r\n' >crlf; push crlf
printf 'a\nstashed' >open; push open
echo stashed >>list; push union
git mv 'sp ace' moved; sed -i 's/^2$/two/' moved; push renamed
rm -r d; echo file >d; git add -A; push directory
sed -i 's/^2$/two/' clean; git add clean; sed -i 's/^9$/nine/' clean; push staged
git rm -q gone; git rm -q kept; push removed
sed -i 's/^5$/five both/' text; sed -i 's/^3$/three/' clean; sed -i 's/^5$/five/' gone; seq 4 >new; echo untracked >extra2; git add new; push many
sed -i 's/^5$/five main/' text; sed -i 's/^18$/eighteen/' clean; git rm -q gone; sed -i 's/^3$/three/' kept; printf 'a\0three\n' >bin; sed -i 's/^8$/eight/' run
ln -sf run link; seq 3 >new; printf '1\r\nzwo\r\n3\r\n' >crlf; printf 'a\nmain' >open; echo main >>list; sed -i 's/^8$/eight/' 'sp ace'; git add -A; at 1700000200 commit -qm main
""",
    "files": r"""
git init -q -b main . ; git config user.name 'Ann Author'; git config user.email ann@example.com
printf '*.txt text\n*.bat eol=crlf\n*.png binary\n*.dat -text\n*.gen linguist-generated -diff\nraw/** -text diff\n' >.gitattributes
printf '*.log\n!keep.log\n/dist/\nnode_modules/\ndoc/*\n!doc/index.md\n# comment\n\\#hash\ntrail \n*.[oa]\n**/cache/**\n!important/\n' >.gitignore
mkdir -p src/deep/er doc raw 'dir with space' bin; printf 'a\nb\n' >text.txt; printf 'echo\r\n' >run.bat; printf '\x89PNG\0\1' >pic.png
printf 'x\r\ny\n' >mixed.dat; printf 'gen\n' >code.gen; printf '#!/bin/sh\necho hi\n' >bin/tool; chmod +x bin/tool
printf 'int main(void)\n{\n    return 0;\n}\n' >src/main.c; echo 'deep' >src/deep/er/file.py; ln -s ../text.txt src/link; ln -s nowhere dangling
echo s >'dir with space/a file'; echo q >'quo"te'; echo t >$'ta\tb'; echo u >'naïve ☃.md'; echo b >'back\slash'; echo i >doc/index.md; echo x >-dash; echo e >.env
printf 'no newline' >nonl; : >empty; printf 'trailing  \n\tindent\n  \tmixed\n' >ws.c; git add -A -f; at 1700000000 commit -qm 'all kinds of names'
git update-index --assume-unchanged code.gen; chmod -x bin/tool; chmod +x src/main.c; printf 'a\r\nB\r\n' >text.txt; printf 'echo\r\nmore\r\n' >run.bat
printf '\x89PNG\0\2longer' >pic.png; rm dangling; echo file >dangling; rm src/link; ln -s ../nonl src/link; printf 'no newline\n' >nonl; echo full >empty
printf 'trailing\n\tindent   \n \tmixed\n<<<<<<< HEAD\n\n\n' >ws.c; echo x >>'quo"te'; echo y >>$'ta\tb'; echo z >>'naïve ☃.md'; echo generated >>code.gen
git mv 'dir with space/a file' 'dir with space/b file'; mkdir -p dist node_modules/p src/cache/x important; echo d >dist/d; echo n >node_modules/p/n; echo l >a.log; echo k >keep.log
echo c >src/cache/x/c; echo o >x.o; echo d >doc/other.md; echo new >'new ü'; echo h >'#hash'; echo imp >important/a.log; mkdir -p nested/inner empty_dir
(cd nested; git init -q -b trunk .; me; echo n >n; git add n; at 1700000100 commit -qm nested); git rm -q --cached src/deep/er/file.py; echo 'staged new' >src/added.py; git add src/added.py; git add -N 'new ü'
""",
    "super": r"""
git init -q -b main . ; git config user.name 'Ann Author'; git config user.email ann@example.com
mkdir sub other; (cd sub; git init -q -b main .; me; echo 1 >s; git add s; at 1700000000 commit -qm 'sub one'; echo 2 >s; at 1700000100 commit -qam 'sub two')
(cd other; git init -q -b main .; me; echo 1 >o; git add o; at 1700000000 commit -qm 'other one')
printf '[submodule "sub"]\n\tpath = sub\n\turl = ../sub.git\n[submodule "other"]\n\tpath = other\n\turl = ../other.git\n' >.gitmodules
git add . 2>/dev/null; at 1700000200 commit -qm 'add submodules'; (cd sub; git checkout -q HEAD~1; echo dirty >>s; echo un >untracked); (cd other; echo un >untracked)
""",
    "linked": r"""
mkdir main; cd main; git init -q -b main . ; git config user.name 'Ann Author'; git config user.email ann@example.com
mkdir d; echo 1 >d/f; git add .; at 1700000000 commit -qm one; at 1700000010 worktree add -q -b topic ../tree; cd ../tree
echo 2 >d/f; at 1700000100 commit -qam 'on topic'; echo 3 >d/f; echo new >d/new; cd ..
printf 'gitdir: ../main/.git/worktrees/tree\n' >tree/.git; git init -q --bare bare.git; git -C main push -q ../bare.git main; git -C bare.git symbolic-ref HEAD refs/heads/main
""",
    "shallow": r"""
mkdir /tmp/sandhook-shallow; trap 'rm -rf /tmp/sandhook-shallow' EXIT; (cd /tmp/sandhook-shallow; git init -q -b main .
git config user.name 'Ann Author'; git config user.email ann@example.com
for n in 1 2 3 4 5; do echo $n >f; git add f; at 170000000$n commit -qm "commit $n"; done; git tag old HEAD~4)
git clone -q --depth 2 file:///tmp/sandhook-shallow . ; git config user.name 'Ann Author'; git config user.email ann@example.com
echo 6 >f; at 1700000010 commit -qam 'local'; echo 7 >f
""",
    "unborn": "git init -q -b trunk . ; mkdir d; echo x >d/x; printf '*.o\n' >.gitignore; echo o >a.o",
    "workspace": r"""
git init -q -b main . ; git config user.name Ann; git config user.email ann@example.com; git remote add origin git@github.com:acme/demo.git
who() { export GIT_AUTHOR_NAME="$1" GIT_AUTHOR_EMAIL="$2"; }
mkdir src tests docs; printf '# demo\n\ntext\n' >README.md; printf "import os\n\ndef main():\n    print('hi')\n" >src/app.py
echo 'export const a = 1;' >src/util.js; printf 'all:\n\techo hi\n' >Makefile; git add .; at 1700000000 commit -qm 'feat: first

Body text.'; git tag v0.1.0
printf "import os\nimport sys\n\ndef main():\n    print('hello')\n" >src/app.py; echo 'def test(): pass' >tests/test_app.py; git add .
who 'Bob Lee' bob@example.com; at 1700000100 commit -qm 'fix(app): greet properly'; at 1700000150 tag -a -m second v0.2.0
who Ann ann@example.com; git checkout -qb feature/x-12; echo doc >'docs/a b.md'; git add .; at 1700000200 commit -qm 'docs: JIRA-42 add page'
git checkout -q main; printf 'export const a = 2;\nexport const b = 3;\n' >src/util.js; at 1700000300 commit -qam 'chore: bump'
at 1700000400 merge -q --no-ff -m "Merge branch 'feature/x-12'" feature/x-12
git mv Makefile GNUmakefile; echo 'password = hunter2' >config.ini; printf '#!/bin/sh\necho run\n' >run.sh; git add config.ini run.sh
printf "import os\nimport sys\n\ndef main():\n    print('changed')\n\nmain()\n" >src/app.py; echo untracked >'new file.txt'; echo 'x=1  ' >notes.py
rm README.md; printf '*.log\nbuild/\n' >.gitignore; echo l >x.log
""",
    "words": r"""
git init -q -b main . ; git config user.name 'Ann Author'; git config user.email ann@example.com
printf 'The quick brown fox\njumps over the lazy dog.\n\nSecond paragraph here.\n' >prose.md
printf 'import os\n\n\nclass A:\n    def first(self):\n        return 1\n\n    def second(self, x):\n        y = x + 1\n        return y\n\n\ndef top(a, b):\n    c = a*b\n    return c\n' >m.py
printf '#include <x.h>\n\nstatic int one(int a)\n{\n\tif (a)\n\t\treturn 1;\n\treturn 0;\n}\n\nint two(void)\n{\n\tint x = 1;\n\n\tx += 2;\n\treturn x;\n}\n' >a.c
seq 30 >n; printf 'alpha beta\n' >w; printf 'no end' >e; git add .; at 1700000000 commit -qm one
printf 'The slow brown fox\njumps over a lazy cat.\n\nSecond paragraph here, longer.\nNew line.\n' >prose.md
sed -i 's/return y/return y + 2/; s/c = a\*b/c = a * b + 1/' m.py; sed -i 's/x += 2/x += 22/' a.c; sed -i '3s/.*/three/;20d;25a new' n; printf 'alpha gamma beta\n' >w; printf 'no end now' >e
at 1700000100 commit -qam 'two: edits'
sed -i '1,4d' m.py; git mv w words.txt; at 1700000200 commit -qam 'three: moved'
sed -i 's/return 0;/return -1;/; s/x += 22/x -= 22/' a.c; at 1700000300 commit -qam 'four'
printf 'The slow red fox\njumps over a lazy cat.\n\n\nSecond  paragraph here, longer.\n' >prose.md; sed -i 's/def top(a, b)/def top(a, b, c=None)/' m.py; sed -i 's/int x = 1/long x=1/' a.c; printf '\t1\n' >tab; git add -N tab
printf '*.py diff=python\n*.md diff=custom\n' >.gitattributes; git config diff.custom.xfuncname '^(Second .*|The .*)$'; git config diff.custom.wordRegex '[a-z]+|[^[:space:]]'
""",
    "notes": r"""
git init -q -b main . ; git config user.name 'Ann Author'; git config user.email ann@example.com
for n in 1 2 3; do echo $n >f; git add f; at 170000000$n commit -qm "commit $n"; done
at 1700000100 notes add -m 'note on one' HEAD~2; at 1700000101 notes add -m 'note on three

second paragraph' HEAD; at 1700000102 notes --ref=review add -m 'LGTM' HEAD
at 1700000103 tag -a v1.0 -m 'one point zero' HEAD~1; git tag v1.0-light HEAD~1; git tag v2.0; at 1700000104 tag -a v10.0 -m 'ten

body of ten'; git tag blobtag HEAD:f
""",
    "cherry": r"""
git init -q -b main . ; git config user.name 'Ann Author'; git config user.email ann@example.com
printf '1\n2\n3\n' >f; git add .; at 1700000000 commit -qm base
git checkout -qb other; printf '1\ntwo\n3\n' >f; at 1700000100 commit -qam 'other: two'
echo new >n; git add n; at 1700000150 commit -qm 'other: n'
git checkout -q main; printf '1\nTWO\n3\n' >f; at 1700000200 commit -qam main
at 1700000300 cherry-pick other~1 >/dev/null 2>&1 || :
""",
    "sparse": r"""
git init -q -b main . ; git config user.name 'Ann Author'; git config user.email ann@example.com
mkdir -p a/b c docs; echo 1 >a/1; echo 2 >a/b/2; echo 3 >c/3; echo d >docs/d; echo r >README; git add .; at 1700000000 commit -qm base
git sparse-checkout set --cone a >/dev/null; echo x >>a/1; git update-index --assume-unchanged README; echo y >>README; echo u >a/un
""",
    "rebase": r"""
git init -q -b main . ; git config user.name 'Ann Author'; git config user.email ann@example.com
printf '1\n2\n3\n' >f; git add .; at 1700000000 commit -qm base; git checkout -qb topic; printf '1\ntwo\n3\n' >f; at 1700000100 commit -qam 'topic one'
echo g >g; git add g; at 1700000200 commit -qm 'topic two'; git checkout -q main; printf '1\nTWO\n3\n' >f; at 1700000300 commit -qam 'on main'
git checkout -q topic; at 1700000400 rebase main >/dev/null 2>&1 || :
""",
    "moves": r"""
git init -q -b main . ; git config user.name 'Ann Author'; git config user.email ann@example.com
mk() { for i in 1 2 3 4 5 6; do printf 'def function_%s_%s(argument):\n    result = argument * %s\n    return result + len("%s")\n\n' $1 $i $i $1; done; }
mk alpha >a.py; mk beta >b.py; git add .; at 1700000000 commit -qm 'one: two modules'
{ sed -n 9,24p a.py; sed -n 1,8p a.py; } >t; mv t a.py; at 1700000100 commit -qam 'two: reorder a'
sed -n 1,12p b.py >c.py; sed -i 1,12d b.py; git add .; at 1700000200 commit -qm 'three: split b'
sed -i 's/    /\t/' a.py; at 1700000300 commit -qam 'four: reformat a'; git rev-parse HEAD >.git-blame-ignore-revs; git add .; at 1700000400 commit -qm 'five: ignore revs'
sed -n 5,12p c.py >>a.py; at 1700000500 commit -qam 'six: copy from c'; sed -i 's/result + len/len/' a.py; at 1700000600 commit -qam 'seven: edit'
printf '\0\1\2binary' >bin; git add bin; at 1700000700 commit -qm 'eight: binary'; printf '\0\1\3binary two\n' >bin; at 1700000800 commit -qam 'nine: binary'
sed -n 1,6p a.py >>c.py; sed -i 1,6d a.py
""",
    "latin": r"""
git init -q -b main . ; git config user.name 'Ann Author'; git config user.email ann@example.com
mkdir $'d\xe9'; echo 1 >$'caf\xe9.txt'; echo 2 >$'d\xe9/f'; echo ok >plain; git add .; at 1700000000 commit -qm 'utf8 sübject'
printf 'caf\xe9 subject\n\nb\xf6dy\n' >/tmp/sandhook-message; at 1700000100 -c i18n.commitEncoding=ISO-8859-1 commit -q --allow-empty -F /tmp/sandhook-message; rm /tmp/sandhook-message
printf 'r\xe9sum\xe9\n' >$'caf\xe9.txt'; git add .; at 1700000200 commit -qm 'change'; printf 'more\xff\n' >>$'caf\xe9.txt'; echo u >$'un\xfc'
""",
    "release": r"""
git init -q -b main . ; git config user.name 'Ann Author'; git config user.email ann@example.com
n=0; c() { n=$((n+1)); echo "$n" >>file$((n%3)); git add .; at $((1700000000+n*3600)) commit -qm "$1"; }
printf '{"name":"x","version":"1.0.0"}\n' >package.json; printf '# Changelog\n' >CHANGELOG.md; mkdir -p packages/a packages/b; echo a >packages/a/i.js; echo b >packages/b/i.js
c 'chore: initial commit'; git tag v0.9.0; c 'feat: first feature'; c 'fix(parser): handle empty input

Fixes #12
Signed-off-by: Ann Author <ann@example.com>'; at 1700020000 tag -a v1.0.0 -m 'Release 1.0.0'
c 'feat(api)!: drop v1 endpoints

BREAKING CHANGE: the v1 endpoints are gone.
Refs: #34'; c 'docs: readme'; c 'Revert "docs: readme"

This reverts commit 0000.'; at 1700040000 tag -a v1.1.0-rc.1 -m 'rc'; echo a2 >packages/a/i.js; c 'perf(a): faster'; git checkout -q -b release/1.x v1.0.0; echo bp >bp; c2() { n=$((n+1)); git add .; at $((1700000000+n*3600)) commit -qm "$1"; }; c2 'fix: backport (#41)'; git tag v1.0.1; git checkout -q main
at 1700060000 merge -q --no-ff -m "Merge pull request #42 from fork/topic

A topic" release/1.x; c 'wip: fixup'; c 'fixup! perf(a): faster'; git tag nightly; echo dirty >>packages/b/i.js
git remote add origin https://github.com/acme/x.git; git update-ref refs/remotes/origin/main main~2; git symbolic-ref refs/remotes/origin/HEAD refs/remotes/origin/main; git config branch.main.remote origin; git config branch.main.merge refs/heads/main; git update-ref refs/remotes/origin/release/1.x release/1.x~1
""",
}

_AT = """
me() { git config user.name 'Ann Author'; git config user.email ann@example.com; }
at() { t=$1; shift; GIT_AUTHOR_DATE="$t +0100" GIT_COMMITTER_DATE="$t +0100" git "$@"; }
export GIT_CONFIG_GLOBAL=/nonexistent/settings GIT_CONFIG_NOSYSTEM=1 GIT_MERGE_AUTOEDIT=no LC_ALL=C.UTF-8; umask 022; set -e
"""


def build(name: str, directory: str) -> None:
    """Make a repository in an empty directory."""
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"}
    subprocess.run(["bash", "-c", _AT + SCRIPTS[name]], cwd=directory, env=environment, check=True)


def archive(directory: str) -> bytes:
    """Return a directory as a tar archive, without what changes from run to run."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:xz") as tar:
        for path in sorted(Path(directory).rglob("*")):
            name = path.relative_to(directory).as_posix()
            if re.search(r"(^|[/.])git/(hooks/|description$)", name):
                continue
            info = tar.gettarinfo(path, name)
            info.uid = info.gid = 0
            info.uname = info.gname = ""
            info.mtime = 1_700_001_000
            if path.is_file() and not path.is_symlink():
                tar.addfile(info, io.BytesIO(path.read_bytes()))
            else:
                tar.addfile(info)
    return out.getvalue()


def unpack(name: str, directory: Path) -> None:
    """Unpack the archive of a repository."""
    with tarfile.open(HERE / f"{name}.tar.xz") as tar:
        machine.unpack(tar, directory, "tar")


if __name__ == "__main__":
    for each in sys.argv[1:] or SCRIPTS:
        with tempfile.TemporaryDirectory() as temporary:
            build(each, temporary)
            (HERE / f"{each}.tar.xz").write_bytes(archive(temporary))
