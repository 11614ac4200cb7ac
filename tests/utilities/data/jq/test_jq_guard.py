"""The jq calls that published hooks make most: a field of the payload, as text."""

from __future__ import annotations

import json

import pytest

PAYLOAD = json.dumps(
    {
        "tool_name": "Bash",
        "tool_input": {"command": "rm -rf /tmp/x", "file_path": "/work/a b.py"},
        "data": {"message": "-----BEGIN RSA PRIVATE KEY-----\nMIIE"},
    }
)


@pytest.mark.parametrize(
    ("argv", "stdout"),
    [
        (["-r", ".data.message"], "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n"),
        (["-r", ".tool_input.command // empty"], "rm -rf /tmp/x\n"),
        (["-r", ".tool_input.path // empty"], ""),
        (["-r", '.tool_input.file_path // .tool_input.path // ""'], "/work/a b.py\n"),
        (["-c", '{decision: "block", reason: .tool_name}'], '{"decision":"block","reason":"Bash"}\n'),
        (["-r", '"\\(.tool_name): \\(.tool_input.command)"'], "Bash: rm -rf /tmp/x\n"),
        (["-e", '.tool_name == "Bash"'], "true\n"),
    ],
)
def test_reads_a_payload(utility, argv, stdout):
    assert utility("jq", *argv, stdin=PAYLOAD) == (0, stdout, "")


def test_builds_an_answer(utility):
    program = '{hookSpecificOutput: {permissionDecision: "deny", permissionDecisionReason: $reason}}'
    assert utility("jq", "-n", "--arg", "reason", 'say "no"', program) == (
        0,
        (
            '{\n  "hookSpecificOutput": {\n    "permissionDecision": "deny",\n'
            '    "permissionDecisionReason": "say \\"no\\""\n  }\n}\n'
        ),
        "",
    )
