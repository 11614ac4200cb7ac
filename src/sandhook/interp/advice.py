"""A hint for commands that are not found because they are programs of the host."""

from __future__ import annotations

from sandhook.state.state import State

#: Interpreters, compilers, package managers and other programs that hooks often call.
HOST_PROGRAMS = """
    Rscript ansible ant apk apt apt-get at aws az batch bazel biome bison black brew bun bundle bunx c++ cabal
    cargo cc chroot clang clang-format clang-tidy cmake composer conda corepack crontab crystal ctags cypress
    dart deno dig dnf docker docker-compose dotnet dpkg elixir emacs eslint ffmpeg fish flake8 flatpak flex
    flutter ftp g++ gcc gcloud gdb gem gh ghc gitleaks glab go gofmt goimports golangci-lint gpg gradle helm
    hg host htop iex ifconfig ip irb isort java javac jest journalctl julia just kotlin kotlinc kubectl latexmk
    ld ldd lex lsof ltrace lua lynx m4 mail mailx make mix mocha mongo mount mvn mypy mysql nano nc ncat
    netstat ninja nix nm nmap node nodejs npm npx nslookup objdump ocaml osv-scanner pacman pandoc passwd
    pdflatex perl php phpunit ping pip pip3 pipenv pipx playwright pnpm podman poetry pre-commit prettier psql
    pulumi pwsh pylint pyright pytest python python2 python3 rails rake redis-cli rpm rspec rsync rubocop ruby
    ruff rustc rustfmt rustup sbt scala scp screen semgrep service sftp shellcheck shfmt size snap ss ssh
    ssh-keygen strace strip su sudo svn swift swiftc systemctl systemd-run tclsh telnet terraform tmux tofu top
    traceroute ts-node tsc tsx umount unzstd useradd uv uvx valgrind vi vim vite vitest vue yacc yarn yum zig
    zstd zstdcat
"""


def hint(state: State, name: str) -> str:
    """Return a hint for a missing command that is a known host program; "" for others, and in host mode."""
    program = name.rpartition("/")[2]
    if program not in HOST_PROGRAMS.split() or state.programs is not None:
        return ""
    return f"sandhook: the sandbox has no {program}, a program of the host: host mode, or a HostCommand that the caller allows, runs it\n"
