"""Secrets do not reach what is kept; what merely stands next to them does."""

from __future__ import annotations

import json
import time

import pytest

from sandhook.hooks.audit import line
from sandhook.hooks.events import ToolPre
from sandhook.hooks.model import RunResult
from sandhook.hooks.secrets import MARK, redact
from tests.hooks.hooktools import engine, hook

B = "a1B2c3D4e5F6g7H8i9J0"

SECRETS = [
    ("AKIA" + "ABCDEFGHIJKLMNOP", MARK),
    ("ghp_" + B * 2, MARK),
    ("github_pat_" + B * 2, MARK),
    ("glpat-" + B, MARK),
    ("key sk-ant-" + B * 2 + " end", f"key {MARK} end"),
    ("sk-proj-" + B, MARK),
    ("sk_live_" + B, MARK),
    ("xoxb-" + "12345678-" + B, MARK),
    ("AIza" + B + "abcdefghijklmno", MARK),
    ("npm_" + B + "abcdefghijklmnop", MARK),
    ("hf_" + B * 2, MARK),
    ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N", MARK),
    ("Authorization: Bearer " + B, f"Authorization: Bearer {MARK}"),
    ('curl -H "authorization: token ' + B + '" x', f'curl -H "authorization: token {MARK}" x'),
    ("Authorization: Basic dXNlcjpwYXNz", f"Authorization: Basic {MARK}"),
    ("bearer " + B, f"bearer {MARK}"),
    ("password=hunter2", f"password={MARK}"),
    ("DB_PASSWORD='hunter two' x", f"DB_PASSWORD={MARK} x"),
    ('{"api_key": "abc", "x": 1}', f'{{"api_key": {MARK}, "x": 1}}'),
    ("AWS_SECRET_ACCESS_KEY=abc/def+ghi", f"AWS_SECRET_ACCESS_KEY={MARK}"),
    ("mysql --password hunter2 db", f"mysql --password {MARK} db"),
    ("tool --api-key=abc --other=1", f"tool --api-key={MARK} --other=1"),
    ("https://user:hunter2@example.org/x", f"https://user:{MARK}@example.org/x"),
    ("postgres://:hunter2@db/x", f"postgres://:{MARK}@db/x"),
    (
        "a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\n+/=\n-----END RSA PRIVATE KEY-----\nb",
        f"a\n{MARK}\nb",
    ),
    ("-----BEGIN OPENSSH PRIVATE KEY-----\ncut off", MARK),
]


@pytest.mark.parametrize(("text", "shown"), SECRETS, ids=range(len(SECRETS)))
def test_a_secret_is_taken_out(text: str, shown: str) -> None:
    assert redact(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "no rm -rf here",
        "the token was refused",
        "passwords are bad",
        "skip sk-1 and task-force",
        "https://example.org:8080/x@y",
        "git@example.org:a/b.git",
        "basic rules apply",
        "-----BEGIN CERTIFICATE-----",
        "sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "commit 78b9611 of AKIAMORI",
    ],
)
def test_plain_words_stay(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "-" * 200_000,
        "ey" * 100_000,
        "-----BEGIN PRIVATE KEY-----" * 8_000,
        "a" * 200_000,
        "token" * 40_000,
        "x://" * 50_000,
        "password=" * 20_000,
        "api_" * 50_000,
        ":" * 200_000,
        "bearer " * 30_000,
    ],
)
def test_takes_no_longer_on_a_hostile_text(text: str) -> None:
    began = time.process_time()
    line({"reason": text})
    assert time.process_time() - began < 10  # hours, if it were quadratic


def test_audit_lines_hold_no_secret_and_no_control_character() -> None:
    lines: list[str] = []
    secret = "sk-ant-" + B * 2
    said = {"decision": "block", "reason": f"\x1b[31mkey {secret}\u202e", "user_message": "password=hunter2"}
    made, _ = engine(hook(), answers=(RunResult(0, json.dumps(said).encode()),), audit=lines.append)
    decision = made.fire(ToolPre("bash", {"command": secret}))
    assert decision.refused and secret in (decision.reason or "")  # the decision itself is untouched
    whole = "\n".join(lines)
    assert secret not in whole and "hunter2" not in whole and "\x1b" not in whole
    assert all(each.isascii() and each.isprintable() for each in lines)
    (blocked,) = [each for each in map(json.loads, lines) if each["type"] == "hook.blocked"]
    assert blocked["reason"] == f"\x1b[31mkey {MARK}\u202e"
    assert blocked["user_message"] == f"password={MARK}"


def test_a_secret_that_the_cut_would_halve_is_gone_whole() -> None:
    text = "x" * 2040 + " sk-ant-" + B * 10
    assert "a1B2" not in line({"reason": text})


def test_what_shrinks_lets_nothing_follow_that_was_not_looked_at() -> None:
    key = "-----BEGIN PRIVATE KEY-----" + "A" * 20_000 + "sk-ant-" + B * 3
    shown = json.loads(line({"reason": key}))["reason"]
    assert shown.startswith(f"{MARK}... (") and "A" not in shown and "a1B2" not in shown
