"""ub by the aspects of ``_facts.ASPECTS``."""

from __future__ import annotations

from sandhook.hooks.contracts._launch import Launch

FACTS = {
    "source": "the public feimingxliu/ub repository, package internal/hook v0.3.8",
    "files": "~/.config/ub/config.yaml and the nearest .ub/config.yaml",
    "trust": "the user's file; upstream trusts both",
    "matcher": "a list of exact tool names",
    "input": "JSON on standard input, UB_HOOK_* variables and those that `env` lists",
    "runs": "a program with arguments, without a shell",
    "order": "one by one, all of them",
    "timeout": "10, at most 60",
    "output": "4,096 each, the rest is dropped",
    "refuses": "`on_failure: block` and any status but 0, before a tool",
    "other status": "the same; a warning without `block`",
    "could not run": "the same as a failure: refused under `block`",
    "rewrites": "none",
    "context": "none",
}

LAUNCH = Launch("program", "program", "program")
