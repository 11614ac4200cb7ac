"""What is said about a command that is not found although everybody knows it: it is a program of the host."""

from __future__ import annotations

from sandhook.interp.outside import outside
from sandhook.interp.protocol import Runtime
from sandhook.state.state import State

#: How the line of advice begins; what reads standard error for the shell's own message skips it.
PREFIX = "sandhook: the sandbox has no "

#: Interpreters, compilers, package managers and other programs that hooks often call.
HOST_PROGRAMS = """
    ansible ant apt apt-get aws az bazel biome black brew bun bundle bunx c++ cabal cargo cc clang clang-format
    clang-tidy cmake composer conda corepack crystal cypress dart deno docker docker-compose dotnet elixir eslint
    flake8 flutter g++ gcc gcloud gem gh ghc git gitleaks glab go gofmt goimports golangci-lint gradle helm hg iex
    irb isort java javac jest julia just kotlin kotlinc kubectl ld lua make mix mocha mvn mypy ninja node nodejs
    npm npx ocaml osv-scanner perl php phpunit pip pip3 pipenv pipx playwright pnpm podman poetry pre-commit
    prettier psql pulumi pylint pyright pytest python python2 python3 rails rake Rscript rspec rsync rubocop ruby
    ruff rustc rustfmt rustup sbt scala scp semgrep shellcheck shfmt ssh ssh-keygen sudo svn swift swiftc systemctl
    terraform tofu ts-node tsc tsx uv uvx vite vitest vue yarn zig
"""


def advise(runtime: Runtime, state: State, name: str) -> None:
    """Add a line to "command not found" when a program of the host was meant; not where the host can be reached."""
    program = name.rpartition("/")[2]
    if program in HOST_PROGRAMS.split() and outside(state) is None:
        runtime.write_error(
            state,
            f"{PREFIX}{program}, a program of the host: host mode, or a HostCommand that the caller allows, runs it\n",
        )
