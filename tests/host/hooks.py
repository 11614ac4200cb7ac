"""Hooks that ``test_like_bash`` runs in two ways: a name, the text, and what is on standard input."""

from __future__ import annotations

_PAYLOAD = b'{"tool": "Bash", "tool_input": {"command": "rm -rf /", "file_path": "src/a.py"}}'

_TEXTS = {
    # ---------------------------------------------------------------- git
    "status in a pipeline": "git status --short | awk '{print $2}' | sort",
    "files that have changed": """
git diff --quiet || echo dirty
git diff --name-only | while read -r f; do echo "[$f]"; git show "HEAD:$f" | wc -l; done
git ls-files -m -z | xargs -0 -r -n1 sh -c 'echo "mod: $0"'
""",
    "mapfile of files": """
mapfile -t files < <(git ls-files)
mapfile -d '' -t exact < <(git ls-files -z)
echo ${#files[@]} ${#exact[@]} "${files[0]}"
""",
    "old against new": "diff -u <(git show HEAD:names) names | tail -n +3; comm -13 <(git show HEAD:names | sort) <(sort names)",
    # ---------------------------------------------------------------- programs from here-documents
    "python reads its program": """
python3 - a "b c" <<PY
import sys
print(sys.argv[1:], 6 * $((3 + 4)))
sys.exit(4)
PY
echo $?
""",
    "node reads its program": """
node - <<'JS'
console.log([1, 2].map(x => x * 2).join(' '));
process.exit(5);
JS
echo $?
""",
    "a here-string": "python3 <<< 'print(1 + 1)'; tr a-z A-Z <<< text | rev",
    "here-documents of programs that run at the same time": """
{ cat <(cat); } <<< group
f() { cat <(cat); }; f <<< function
{ cat & wait; } <<< job
exec 4<<< descriptor; cat <&4 & wait
while read -r x; do echo "read $x"; cat <(cat); done <<< $'1\n2\n3'
exec 3<<X
one
two
three
X
read -r a <&3; cat <&3; echo "$a"
x=$(printf '%0200000d' 1); { cat; } <<< "$x" | wc -c
""",
    "descriptors by other names": """
h() ( cd "$(dirname "$1")" && cat < "$(basename "$1")" ); h <(echo function)
cd /dev/fd && . ./63 63< <(echo echo sourced)
. 63 63< <(echo echo again); [ -e ../fd/0 ]; echo $?
""",
    "a process substitution as a clock": "read -t 0.2 <> <(:); echo $?; exec 3<> <(:); echo hi >&3; read -r x <&3; echo $x",
    "much from node to node": (
        "node -e 'process.stdout.write(\"y\".repeat(300000))' |"
        ' node -e \'let n = 0; process.stdin.on("data", d => n += d.length).on("end", () => console.log(n))\''
    ),
    # ---------------------------------------------------------------- temporary files and traps
    "cleanup at the end": """
tmp=$(mktemp) && trap 'rm -f "$tmp"; echo cleaned' EXIT
echo data > "$tmp"; cat "$tmp"; false
""",
    "a trap tells of errors": """
set -euo pipefail
trap 'echo "failed at $LINENO: $BASH_COMMAND" >&2' ERR
ls names; cat nosuch | sort; echo never
""",
    "signals to itself": "trap 'echo got' TERM; kill -TERM $$; echo after; trap - TERM; kill -s USR1 $$; echo never",
    "a handler runs after the program that runs": """
trap 'echo handler; cat made' USR1; trap 'echo end; cat made' EXIT
(sleep 0.1; kill -USR1 $$; : > sent) & sh -c 'until [ -e sent ]; do sleep 0.02; done; echo x > made'
echo "after $?"; wait
trap 'echo stop; exit 4' TERM; rm sent
(kill -TERM $$; : > sent) & sh -c 'until [ -e sent ]; do sleep 0.02; done; echo y > made; exit 7'; echo never
""",
    "an interrupt": "trap 'echo int; exit 5' INT; kill -INT $$; echo x",
    # ---------------------------------------------------------------- background
    "a server that is killed": "sleep 30 & pid=$!; kill $pid; wait $pid; echo $?; sleep 30 & kill -9 $!; wait $!; echo $?",
    "a server in a subshell": '(cd src && sleep 29.731) & sleep 0.2; kill $!; wait $!; echo $?; pgrep -f "^sleep 29.731"; echo $?',
    "whoever is first": """
for i in 7 1 4; do (until [ -e go$i ]; do sleep 0.02; done; exit $i) & done
for i in 1 4 7; do : > go$i; wait -n; echo $?; done
wait -n; echo $?; rm go?
""",
    "statuses in order": 'pids=(); for i in 3 1 2; do (sleep 0.$i; exit $i) & pids+=($!); done; for p in "${pids[@]}"; do wait $p; echo $?; done',
    "a port that is waited for": """
python3 -c '
import socket
s = socket.create_server(("127.0.0.1", 0)); open("port", "w").write(str(s.getsockname()[1]) + "\\n")
c, _ = s.accept(); c.sendall(c.recv(9).upper())' &
until [ -s port ]; do sleep 0.05; done
exec 3<>/dev/tcp/127.0.0.1/$(cat port); rm port
echo hello >&3; cat <&3; wait
""",
    "a port where nobody is": "echo x > /dev/tcp/127.0.0.1/1; echo $?; (: < /dev/tcp/127.0.0.1) || echo no; : < /dev/tcp/nosuch.invalid/1 || echo none",
    # ---------------------------------------------------------------- pipelines and substitutions
    "sorted differences": "diff <(sort names) <(sleep 0.1; sort names crlf.txt); echo $?",
    "everything to a log": "exec > log 2>&1; echo out; echo err >&2; ls nosuch; python3 -c 'print(1)'",
    "tee to programs": 'echo data | tee >(cat > copy) >(wc -c > count) > /dev/null; sleep 0.3; cat copy; tr -d " " < count',
    "names with blanks": "find . -name '*.py' -print0 | sort -z | xargs -0 -n1 python3 -m py_compile 2>/dev/null; echo $?; find . -name '*.pyc' | wc -l",
    "a reader that goes": "yes | head -n 2; echo ${PIPESTATUS[@]}; seq 1000000 | head -n 1; set -o pipefail; yes | head -n 1 > /dev/null; echo $?",
    "who eats the input": "printf '1\\n2\\n3\\n' | while read -r x; do echo $x; cat > /dev/null; done; printf 'a\\nb\\n' | while read h; do sh -c 'read y; echo got $y'; done",
    "descriptors of its own": "exec 3> out; echo a >&3; sh -c 'echo b >&3'; exec 3>&-; cat out; exec 4< names; read -u 4 x; head -c 2 <&4; cat <&4",
    "a coprocess": "coproc BC { bc -q; }; echo '6*7' >&${BC[1]}; read x <&${BC[0]}; echo $x; exec {BC[1]}>&-; wait $BC_PID; echo $?",
    "a FIFO": 'mkfifo p; (sleep 0.1; /bin/echo one; /bin/echo two) > p & while read -r l; do echo "got $l"; done < p; wait; rm p',
    "two ways apart": "{ echo a; ls nosuch; } > >(sed s/^/o:/) 2> >(sed s/^/e:/ >&2); sleep 0.3",
    "closed streams": "/bin/echo x >&-; echo $?; sh -c 'read x; echo $?' <&-; (exec 2>&-; ls nosuch; echo $?); /bin/cat names >&- 2>&-; echo $?",
    "binary data": "head -c 100000 /dev/zero | tr '\\0' '\\377' | gzip | gunzip | cksum; printf 'a\\0b' | od -c | head -n 1",
    # ---------------------------------------------------------------- how programs end
    "time is up": "timeout 0.3 sleep 5; echo $?; timeout -s KILL 0.3 sleep 5; echo $?",
    "killed programs": 'for s in 9 TERM SEGV PIPE INT HUP XCPU; do sh -c "kill -$s \\$\\$"; echo $?; done',
    "killed, with redirections": "A=1 sh -c 'kill -9 $$' 2>/dev/null; sh -c 'kill -9 $$' > out; echo $?",
    "killed in a pipeline": "echo a | sh -c 'cat; kill -9 $$' | cat | sh -c 'cat > /dev/null; exit 3' | sh -c 'cat; kill -SEGV $$'; echo ${PIPESTATUS[@]}",
    "killed, and pipefail": "set -o pipefail; sh -c 'kill -9 $$' | cat; echo $?; sh -c 'kill -PIPE $$' | cat; echo $?",
    "killed in subshells": "(sh -c 'kill -9 $$'); (true; sh -c 'kill -9 $$'); (sh -c 'kill -9 $$'; echo $?); (true && sh -c 'kill -9 $$'); echo $?",
    "killed in a substitution": "x=$(sh -c 'kill -9 $$'); echo $?; x=$(sh -c 'kill -TERM $$'; (sh -c 'kill -9 $$'); echo y); echo $x",
    "killed as a condition": "if sh -c 'kill -SEGV $$'; then echo y; else echo n $?; fi; ! sh -c 'kill -ABRT $$'; echo $?; f() { sh -c 'kill -9 $$'; }; f || echo $?",
    "it is replaced": "exec sh -c 'kill -9 $$'",
    # ---------------------------------------------------------------- limits, masks, places
    "limits of programs": "(ulimit -n 64; ulimit -n; sh -c 'ulimit -n'); ulimit -Sn 100; sh -c 'ulimit -n; ulimit -Hn' | head -n 1; ulimit -c 0; sh -c 'ulimit -c'",
    "limits shown": "ulimit -n; ulimit -Hn; ulimit -c; ulimit -f; ulimit -s; ulimit -v; ulimit -u; ulimit -t",
    "a limit that is reached": "(ulimit -f 1; sh -c 'head -c 5000 /dev/zero > big'; echo $?); (ulimit -v 400000; python3 -c 'x = \"a\" * 10**9' 2>&1 | tail -n 1)",
    "masks": "umask 077; touch f1; umask 022; touch f2; mkdir d1; stat -c '%a %n' f1 f2 d1; sh -c umask",
    "a subshell elsewhere": "(cd src && ls | head -n 1); ls names; (cd nosuch && ls); echo $?; cd src; sh -c 'basename $PWD; basename $OLDPWD'",
    "a removed directory": "mkdir -p gone/a; cd gone/a; rm -r ../../gone; /bin/echo hi | cat; git --version > /dev/null; echo $?; ls; touch x 2> /dev/null; echo $? $(/bin/echo sub); exec 3>&1 4> /dev/null 5>&1 6>&1 7>&1 8>&1 9>&1; sh -c 'echo three >&3; echo nine >&9; echo four >&4'; python3 -c 'print(1)'; cd ../..; ls names",
    "the environment": "env -i /bin/sh -c 'echo \"[$HOME]\"'; env -u HOME sh -c 'echo ${HOME-unset}'; export A=1; B=2; C=3 sh -c 'echo $A$B$C'; f() { echo fn; }; export -f f; bash -c f",
    "PATH changes": "mkdir bin; printf '#!/bin/sh\\necho mine\\n' > bin/tool; chmod +x bin/tool; PATH=$PWD/bin:$PATH; tool; rm bin/tool; tool; echo $?; PATH=/nonexistent; ls; command -p ls names",
    # ---------------------------------------------------------------- scripts
    "scripts by their first line": './link.sh a "b c"; ./runs a b; ./run.py "a b"; ./plain p; ./b.sh; echo $?; ./p.pl x y',
    "what is no script": "./src; echo $?; ./nosuch; echo $?; nosuch; echo $?; : > empty; chmod +x empty; ./empty; echo $?",
    "names in any language": 'cat "ünï cödé.txt"; cp "ünï cödé.txt" "dir with space/x y"; ls "dir with space"; python3 -c "import sys; print(sys.argv)" ünï "*"',
    "carriage returns": "while IFS= read -r l; do printf '%q\\n' \"$l\"; done < crlf.txt; tr -d '\\r' < crlf.txt | od -c | head -n 2",
    "no terminal": "read -t 1 x < /dev/tty; echo $?; test -t 0; echo $?; read -p 'Go on? ' x; echo \"[$x] $?\"",
}

_WITH_PAYLOAD = {
    "a decision": """
case $(jq -r .tool_input.command) in *"rm -rf"*) echo blocked >&2; exit 2;; esac
""",
    "a file is checked": 'jq -r .tool_input.file_path | { read -r f; python3 -m py_compile "$f" && echo "ok $f"; }',
    "python reads it": "python3 -c 'import json, sys; print(json.load(sys.stdin)[\"tool\"])'",
    "one line each": "IFS= read -r -d '' input || true; echo ${#input}; python3 -c 'import json, sys; print(json.loads(sys.argv[1])[\"tool\"])' \"$input\"",
    "taken in pieces": "head -c 5; sh -c 'head -c 3'; read -n 4 x; echo \"<$x>\"; cat",
    "read twice": "payload=$(< /dev/stdin); jq -r .tool <<< \"$payload\"; cat | wc -c | tr -d ' '",
}

#: By name.
HOOKS: dict[str, tuple[str, bytes]] = {
    **{name: (text, b"") for name, text in _TEXTS.items()},
    **{name: (text, _PAYLOAD) for name, text in _WITH_PAYLOAD.items()},
}
