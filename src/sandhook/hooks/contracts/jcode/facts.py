"""jcode by the aspects of ``_facts.ASPECTS``."""

from __future__ import annotations

from sandhook.hooks.contracts._launch import Launch

FACTS = {
    "source": "the public cnjack/jcode repository, pull request 114 at a83871f",
    "files": "~/.jcode/hooks.json, .jcode/hooks.json, .jcode/hooks.local.json",
    "trust": "the user's file; all with JCODE_HOOKS_TRUST_PROJECT=1",
    "matcher": "names or RE2 parts joined by `|`, with aliases",
    "input": "JSON on standard input, JCODE_* variables",
    "runs": "shell text, with the agent's environment",
    "order": "one by one, rewrites chained; the first refusal ends the chain",
    "timeout": "60, no maximum; 30 for async hooks",
    "output": "1 MiB each, cut",
    "refuses": "exit 2; `permissionDecision: deny`; `decision: block` on prompts; on Stop both go on working",
    "other status": "no opinion; standard error becomes a note",
    "could not run": "an allow, which is logged",
    "rewrites": "`updatedInput` replaces the input, `modifiedResult` the result",
    "context": "`additionalContext`: result, prompt, or the session's first prompt",
}

LAUNCH = Launch(
    "sh",
    "sh",
    "absent",
    git_bash_note="jcode looks sh up in PATH; a usual installation of Git for Windows does not add it",
)
