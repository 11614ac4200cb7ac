"""Attacks found by review that got past a bound, an address check or an approval; each with its siblings."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from sandhook import Limits, Network, Shell
from sandhook.formats import FormatError
from sandhook.formats.toml import read_toml
from sandhook.hooks.decode import DecodeError
from sandhook.hooks.engine import HookEngine
from sandhook.hooks.sources import read_text
from sandhook.net.addresses import is_public
from sandhook.net.url import UrlRefused, parse


@pytest.mark.parametrize("value", [float("inf"), float("-inf"), float("nan"), 0, -1, True, "5"])
@pytest.mark.parametrize("field", ["wall_seconds", "steps", "memory_bytes"])
def test_no_limit_can_be_switched_off(field: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"limits: {field}: wanted a finite number above 0"):
        Limits(**{field: value})
    with pytest.raises(ValueError, match="finite number above 0"):
        Limits().with_(**{field: value})


@pytest.mark.parametrize(
    "text",
    [
        "a = " + "9" * 5000,
        "a = -" + "9" * 5000,
        "a = [" + "9" * 5000 + "]",
        "[t]\nb = { c = " + "9" * 5000 + " }",
    ],
)
def test_numbers_that_python_does_not_read_are_an_error_of_the_file(text: str) -> None:
    with pytest.raises(FormatError):
        read_toml(text)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no FIFOs")
def test_a_configuration_that_is_no_file_is_an_error_and_does_not_wait(tmp_path: Path) -> None:
    fifo = tmp_path / "settings.json"
    os.mkfifo(fifo)
    with pytest.raises(DecodeError, match="not a regular file"):
        read_text(str(fifo))
    with pytest.raises(DecodeError, match="not a regular file"):
        read_text("/dev/zero")
    with pytest.raises(OSError):
        read_text(str(tmp_path))


HOOK = {"type": "command", "command": "./guard.sh"}


@pytest.mark.parametrize(
    ("contract", "event"),
    [("claude_code", "PreToolUse"), ("codex", "PreToolUse"), ("gemini", "BeforeTool")],
)
def test_a_matcher_inside_a_hook_does_not_hide_that_of_its_group(contract: str, event: str) -> None:
    """What is approved is the matcher that decides: the group's."""

    def entries(pattern: str) -> list[object]:
        config = {"hooks": {event: [{"matcher": pattern, "hooks": [{**HOOK, "matcher": "Never"}]}]}}
        return [hook.entry for hook in HookEngine.load(config, contract=contract).hooks]

    first, second = entries("Bash"), entries("Write")
    assert first and first != second


@pytest.mark.parametrize(
    "address",
    [
        "fec0::1", "feff::1", "2000::5efe:7f00:1", "2001:db9::200:5efe:a00:1", "192.88.99.1", "192.0.0.8",
        "192.0.0.192", "168.63.129.16", "169.254.169.254", "100.100.100.200", "fd00:ec2::254", "3fff::1", "5f00::1",
        "64:ff9b:1::1", "fd20:ce::254", "::ffff:168.63.129.16", "2002:a83f:8110::1", "2002:c058:6301::1", "2002:a9fe:a9fe::",
        "64:ff9b::a83f:8110", "::168.63.129.16", "2001:0:4136:e378:8000:63bf:57c0:7eef", "::ffff:0:7f00:1",
        "fe80::1%eth0", "127.1", "0x7f000001", "2130706433", "", "localhost",
    ],
)  # fmt: skip
def test_addresses_that_lead_inside_are_never_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "address", ["168.63.129.17", "192.0.1.1", "192.88.98.1", "2606:4700::5eff:1", "101.0.0.1"]
)
def test_their_neighbours_are_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "path",
    [
        "/v1/..;/admin", "/v1/..;a=b/admin", "/v1/%2e%2e;/admin", "/v1/..%5cadmin", "/v1/..%5Cadmin", "/v1/%252e%252e/admin",
        "/v1/%c0%ae%c0%ae/x", "/v1/..%c0%afx", "/v1/..%c1%9cx", "/v1/%e0%80%ae./x", "/v1/..%u005cx", "/v1/%uff0e%2e/..",
        "/v1/..%00/x", "/v1/..%20/x", "/v1/..%09", "/v1/..%23/x", "/v1/..%3fa", "/v1/%ef%bc%8e./x", "/v1/..%ef%bc%8fx",
        "/v1/%25252e./admin", "/v1/..%252fadmin", "/v1/%2e%2e%3b/x", "/v1/.;/x", "/v1/%5c..%5cx",
    ],
)  # fmt: skip
def test_paths_that_a_server_may_read_upwards_are_refused(path: str) -> None:
    with pytest.raises(UrlRefused, match="goes up in its path"):
        parse(f"https://api.example{path}")


@pytest.mark.parametrize(
    "path",
    [
        "/v1/...",
        "/v1/a..b",
        "/v1/a;b=c",
        "/v1/x%2fy",
        "/v1/%25",
        "/a%20b",
        "/a..%20b",
        "/v1/%c3%a4",
        "/v1/..a%00",
        "/v1/.hidden",
    ],
)
def test_ordinary_paths_are_not(path: str) -> None:
    assert parse(f"https://api.example{path}").path == path


def test_methods_that_repeat_credentials_are_refused() -> None:
    def resolve(host: str, port: int) -> Sequence[str]:
        raise AssertionError("nothing is looked up")

    network = Network(["https://api.example"], resolve=resolve)
    for method in ("TRACE", "trace", "TRACK", "CONNECT"):
        with pytest.raises(UrlRefused, match="is refused"):
            network.send(method, parse("https://api.example/"), [], None, lambda: 5.0)


@pytest.mark.parametrize(
    "command",
    [
        "curl -sS -H 'Host: evil.example'",
        "curl -sS -H 'hOST: evil.example'",
        "wget --header='Host: evil.example' -O-",
    ],
)
def test_scripts_cannot_name_another_host(command: str) -> None:
    network = Network(
        ["https://api.example"], credentials={"https://api.example": {"Authorization": "secret"}}
    )
    result = Shell(network=network).run(f"{command} https://api.example/v1/x")
    assert result.exit_status != 0
    assert "is made here and cannot be set" in result.stderr


@pytest.mark.parametrize("text", ["\ud800", "\udbff", "\udfff", "\ud83d", "a\udc80\ud800b", "\ud83d\ude00"])
def test_surrogates_in_what_the_caller_gives_are_bytes(text: str) -> None:
    """As with ``$'\\ud800'`` in bash, each is the three bytes of its number; a byte stays the byte that it is."""
    spelled = "".join(
        f"\\x{ord(c) - 0xDC00:02x}"
        if 0xDC80 <= ord(c) <= 0xDCFF
        else f"\\u{ord(c):04x}"
        if ord(c) > 127
        else c
        for c in text
    )
    expected = Shell().run(f"printf '%s' $'{spelled}'").stdout_bytes
    assert expected
    shell = Shell(env={"V": text, f"N{text}": "x"}, files={"f": text})
    for script in (
        f"printf '%s' '{text}'",
        'printf "%s" "$V"',
        'printf "%s" "$1"',
        "cat f",
        "cat",
        f"printf %s {text}",
    ):
        result = shell.run(script, args=[text], stdin=text)
        assert (result.defect, result.stdout_bytes) == (None, expected), script
    session = Shell().session()
    assert session.run(f"x='{text}'; printf '%s' \"$x\"", stdin=text).stdout_bytes == expected
    assert Shell().run(f"cat <<E\n{text}\nE\n").stdout_bytes == expected + b"\n"
    assert Shell().run(text).exit_status == 127
    assert Shell().run(f"printf '%s' '{text}'", name=text, from_file=True).stdout_bytes == expected


@pytest.mark.parametrize(
    "script",
    [
        "x='${x@P}'; echo \"${x@P}\"",
        "x='a${x@P}b'; y=${x@P}",
        "x='${y@P}' y='${x@P}'; : \"${x@P}\"",
        "PS4='${PS4@P}'; set -x; :",
        "a=('${a[0]@P}'); echo ${a[0]@P}",
        "x='$((${x@P}))'; echo ${x@P}",
        "x='$(echo ${x@P})'; echo ${x@P}",
    ],
)
def test_prompts_that_expand_each_other_end_at_a_limit(script: str) -> None:
    result = Shell(limits=Limits(wall_seconds=60.0)).run(script)
    assert result.defect is None
    assert result.limit in ("call_depth", "processes"), (result.exit_status, result.stderr)
