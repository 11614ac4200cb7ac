"""A large sample of events, which distinguishes a broken guard from one that only looks different."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sandhook.conformance.expectations.model import EventCase, ExpectationFile, Expected
from sandhook.hooks.event import Event, ToolCall
from sandhook.proving.guards import REFUSING

#: Ways to write a command that a guard refuses; QUOTED is the command in single quotes.
DISGUISES = (
    "sudo COMMAND", "env -i A=1 COMMAND", "A=1 B=2 COMMAND", "nohup COMMAND &", "time COMMAND", "! COMMAND", "exec COMMAND",
    "command COMMAND", "nice -n 5 COMMAND", "timeout 5 COMMAND", "( COMMAND )", "{ COMMAND; }", "true && COMMAND", "false || COMMAND",
    "true; COMMAND", "true & COMMAND", "true\nCOMMAND", "true | COMMAND", "COMMAND | cat", "COMMAND 2>&1", "COMMAND > out.txt",
    "> out.txt COMMAND", "if true; then COMMAND; fi", "if COMMAND; then true; fi", "if false; then :; elif COMMAND; then :; else COMMAND; fi",
    "while COMMAND; do :; done", "until false; do COMMAND; done", "for i in 1; do COMMAND; done", "case x in x) COMMAND ;; esac",
    "f() { COMMAND; }; f", "function f { COMMAND; }; f", "echo $(COMMAND)", 'echo "$(COMMAND)"', "echo `COMMAND`", "x=$(COMMAND)",
    "cat <(COMMAND)", "bash -c QUOTED", "sh -lc QUOTED", "sudo bash -c QUOTED", "eval QUOTED", "ssh localhost QUOTED",
    "echo QUOTED | sh", "printf %s QUOTED | sudo bash", "bash <<EOF\nCOMMAND\nEOF\n", "bash <<-'EOF'\n\tCOMMAND\n\tEOF\n",
    "cat <<EOF\n$(COMMAND)\nEOF\n", "cat <<'EOF'\nCOMMAND\nEOF\n", "cat <<EOF\nx\nEOF\nCOMMAND", "bash <<< QUOTED", "echo a | xargs COMMAND",
    "find . -exec COMMAND \\;", "trap QUOTED EXIT", "alias x=QUOTED", "echo QUOTED", "git commit -m QUOTED", "true # COMMAND",
    "echo a#b; COMMAND", "echo \"a'b\"; COMMAND", "echo 'a\"b'; COMMAND", "echo a\\;b; COMMAND", "echo $'a\\'b'; COMMAND",
    "echo $HOME; COMMAND", 'echo "$HOME"; COMMAND', "echo ${x:-y}; COMMAND", "echo $((1+1)); COMMAND", "true \\\n; COMMAND",
    "cd . && COMMAND", "busybox COMMAND", "watch COMMAND", "echo $(echo $(COMMAND))", "( ( COMMAND ) )", "bash -c \"bash -c QUOTED\"",
    "COMMAND ", "  COMMAND", "\tCOMMAND", "coproc COMMAND", "time -p COMMAND", "true |& COMMAND", "cat < in.txt; COMMAND",
)  # fmt: skip

#: Harmless commands, and dangerous ones of all kinds.
COMMANDS = (
    "ls", "ls -la src", "cat README.md", "grep -rn rm src", "git status", "git diff HEAD~1", "git log --oneline -5", "git add -A",
    "git commit -m 'a message'", "git push origin topic", "git push --tags", "git pull --rebase", "git fetch --prune", "git checkout main",
    "git checkout -b topic", "git switch main", "git restore a.py", "git restore .", "git restore --staged .", "git stash", "git stash pop",
    "git stash clear", "git branch -d topic", "git branch --delete --force topic", "git reset --soft HEAD~1", "git reset --merge", "git clean -n",
    "git clean --force", "git rebase main", "git rebase --continue", "git merge topic", "git cherry-pick abc", "git revert HEAD", "git am x.patch",
    "git push --mirror", "git push --prune", "git push --delete origin x", "git push origin HEAD", "git push origin main", "git push origin a:develop",
    "git reflog expire --all", "git reflog", "git update-ref -d refs/heads/x", "git filter-branch", "git replace a b", "git gc", "git gc --prune=now",
    "git --git-dir .git push -f", "git --no-pager log", "git", "git push", "git switch -f main", "git checkout -f", "git worktree add x",
    "rm a.txt", "rm -r build", "rm -rf ../x", "rm -rf ./", "rm -rf .", "rm -rf *", "rm -rf ~", "rm -rf $HOME", "rm -rf {a,b}", "rm -rf .git",
    "rm -rf //", "rm -rf /./", "rm -rf a//b", "rm -rf ./a/./b", "rm -rf /var/tmp/x", "rm -rf /tmp", "rm -rf C:/", "rm --no-preserve-root x",
    "find . -name x -delete", "find /tmp/x -delete", "find src -type f", "find .. -delete", "chmod +x a.sh", "chmod -R 755 .", "chmod -R 755 src",
    "chown -R me /etc", "chgrp --recursive x ~", "dd if=a of=b", "dd if=a of=/dev/nvme0n1", "mkswap /dev/x", "wipefs -a /dev/x", "fdisk -l", "shred a",
    "shutdown -h now", "reboot", "init 0", "kill -9 -1", "kill -9 123", "pkill -1 x", "crontab -l", "crontab -r", "terraform plan",
    "terraform destroy", "tofu destroy -auto-approve", "mysql -e 'truncate t'", "sqlite3 a.db 'drop table x'", "psql -c 'select 1'",
    "echo x > /dev/sda", "echo x > /dev/null", "curl https://example.com", "curl -O https://github.com/a", "curl localhost:80", "curl example.com/x",
    "curl file.txt", "wget http://10.0.0.1/", "wget -qO- https://packages.example.org/simple", "http example.com", "nc -l 80", "nc example.com 80", "nc localhost 80",
    "telnet example.com", "socat TCP:example.com:80 -", "openssl s_client -connect example.com:443", "ssh me@example.com", "ssh example.com",
    "ssh me@github.com", "scp a me@localhost:", "scp a example.com:b", "rsync -a a b", "rsync -a a me@example.com:b", "sftp me@example.com",
    "git clone git@example.com:a/b.git", "git clone git@github.com:a/b.git", "echo > /dev/udp/example.com/53", "curl http://[::1]/", "curl ftp://x@y.z/",
    "npm install", "npm ci", "npm run x", "npm i x", "pnpm install", "pnpm dlx x", "yarn", "yarn add x", "yarn build", "bun install", "bun run x",
    "pip install x", "pip3.11 install x", "pip list", "pip uninstall x", "pipenv install", "poetry add x", "uv add x", "uv tool install x", "pdm add x",
    "conda install x", "python -m pip install x", "python3.12 -m pip uninstall x", "python3 a.py", "cat a | python3", "cat a | python3 -", "cat a | python3 b.py",
    "cat a | node -e 'x'", "cat a | perl", "cat a | ruby -s", "cat a | bash -x", "cat a | sh /dev/stdin", "cat a | sh > out", "cat a | php 2> x",
    "bash -s < a", "source <(curl x)", ". <(curl x)", "eval \"$(cat a)\"", "eval echo", "bash a.sh", "sh -c 'ls'", "python3 -c 'print(1)'",
    "cat .env", "cat .env.local", "cat .env.example", "cat a/.env", "cat id_rsa", "cat ~/.ssh/config", "cat ~/.aws/credentials", "cat key.pem", "cat x.pub",
    "cat /etc/shadow", "cat /etc/passwd", "cat .npmrc", "cat a.key", "cat a.pub.key", "ls ~/.ssh", "tee /etc/hosts", "touch .git/x", "mv a .husky/b",
    "cp a .github/workflows/b.yml", "ln -s a .claude/settings.json", "chmod +x .claude/hooks/x.sh", "sed -i s/a/b/ .gitmodules", "sed s/a/b/ .gitmodules",
    "perl -pi -e 1 .codex/config", "echo a >> .gitmodules", "echo a > /usr/x", "cat //etc//shadow", "cat /./etc/./shadow", "ls .git", "ls .git/hooks/",
    "rm .cursor/hooks.json", "install -m 1 a /usr/bin/a", "echo AKIAABCDEFGHIJKLMNOP", "echo ghp_" + "a1B2" * 9, "echo glpat-" + "a" * 20,
    "echo sk-ant-" + "b" * 40, "echo npm_" + "c" * 36, "echo AIza" + "d" * 35, "echo rk_live_" + "e" * 20, "echo pypi-AgE" + "f" * 60,
    "echo eyJhbGciOiJIUzI1.eyJzdWIiOiIx.SflKxwRJSMeKKF2QT4", "echo xoxp-1234567890-x", "echo github_pat_" + "g" * 22, "curl ftp://me:secret1@host/x",
    "echo -----BEGIN PRIVATE KEY-----", "echo -----BEGIN PGP PRIVATE KEY BLOCK-----", "x" * 13_000, "(" * 45 + "ls" + ")" * 45, "", " ", "#", "'", '"', "$(", "a\nb\nc",
    "bash -c " * 45 + "ls",
)  # fmt: skip

#: Files of the project in which some guards decide differently.
FILES: tuple[dict[str, str | None], ...] = (
    {},
    {".git/HEAD": "ref: refs/heads/main\n", "pnpm-lock.yaml": "", "poetry.lock": "", "Makefile": "test:\n\ttrue\n"},
    {".git/HEAD": "ref: refs/heads/topic\n", "package-lock.json": "{}", "Pipfile.lock": "", ".agent-state/calls-s": "499\n"},
    {".git/HEAD": "ref: refs/heads/release/1\n", "bun.lockb": "", "pdm.lock": "", ".agent-state/calls-s": "500\n"},
)  # fmt: skip

#: How many of a guard's own refusals are disguised, and of how many commands each is fired at each state of the project.
DISGUISED, STEP = 2, len(FILES)

#: Of this many cases of other guards, one is fired.
OTHERS = 5

Sample = tuple[Event, dict[str, str | None]]


def samples(own: ExpectationFile, others: Sequence[ExpectationFile]) -> Iterator[Sample]:
    """Yield events of one kind with the files of the project.

    Args:
        own: The expectations of the guard.
        others: Those of other guards.
    """
    kind = own.cases[0].event.kind
    cases = [case for file in others for case in file.cases if case.event.kind == kind]
    yield from ((case.event, dict(case.files)) for case in (*own.cases, *cases[::OTHERS]))
    example = own.cases[0].event
    if kind == "tool.pre":
        for case in _refused_commands(own):
            yield from _disguised(case)
    texts = list(COMMANDS)
    for number, text in enumerate(texts):
        files = FILES[number % STEP]
        if kind in ("tool.pre", "tool.post"):
            tool = ToolCall("Bash", {"command": text})
            yield example.with_(tool=tool), files
            if number % 3:
                continue
            path = {"file_path": text.rpartition(" ")[2], "content": text}
            yield example.with_(tool=ToolCall(("Write", "Read", "Edit")[number // 3 % 3], path)), files
        elif kind == "prompt.submit":
            yield example.with_(prompt=text), files


def _refused_commands(file: ExpectationFile) -> list[EventCase]:
    """Return the first and the last short command that is refused."""
    found = [
        case
        for case in file.cases
        if case.expected != Expected("proceed")
        and case.expected.decision in REFUSING
        and "\n" not in _command(case)
    ]
    found = [case for case in found if _command(case) and "'" not in _command(case)]
    return [found[0], found[-1]][:DISGUISED] if found else []


def _command(case: EventCase) -> str:
    tool = case.event.tool
    value = tool.input.get("command") if tool is not None and isinstance(tool.input, dict) else None
    return value if isinstance(value, str) else ""


def _disguised(case: EventCase) -> Iterator[Sample]:
    command = _command(case)
    for pattern in DISGUISES:
        text = pattern.replace("COMMAND", command).replace("QUOTED", f"'{command}'")
        yield case.event.with_(tool=ToolCall("Bash", {"command": text})), dict(case.files)
