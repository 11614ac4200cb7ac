"""Programs of other languages: what they do with what they read, and the shell texts in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from sandhook.text.quoting import in_single_quotes
from sandhook.vetting.policy import METADATA, local, payload_part
from sandhook.vetting.rules import RuleId
from sandhook.vetting.said import approves
from sandhook.vetting.values import HOLE, NOTHING
from sandhook.vetting.variables import belonging, origins_of

Power = Literal[
    "run",
    "evaluate",
    "fetch",
    "decode",
    "socket",
    "shell",
    "environment",
    "delete",
    "write",
    "listen",
    "duplicate",
    "send",
]

#: A host that a program has: of a URL, or before the number of a port.
_HOST = re.compile(
    r"""(?:https?|wss?|tcp|ftp)://(?:[^/@\s"']*@)?([\w.-]+)|["']((?:[\w-]+\.)+[a-z]{2,}|\d+\.\d+\.\d+\.\d+)["']\s*,\s*(?:\d+|port)"""
    r"""|host(?:name)?["']?\s*[:=]\s*["']([\w.-]+)["']|(?:HTTPS?Connection|SMTP(?:_SSL)?|FTP)\(\s*["']([\w.-]+)["']"""
)
#: Reading standard input.
READS_INPUT = re.compile(
    r"sys\.stdin|process\.stdin|STDIN|\$stdin|/dev/stdin|readFileSync\(\s*0|<STDIN>|<>|ARGF|php://(?:stdin|input)|io\.read|stdin\.read|input\(\)|Deno\.stdin|Bun\.stdin|fileinput"
)
_TREE = re.compile(
    r"os\.walk|\brglob\b|\bglob\b|readdirSync|scandir|listdir|Dir\[|Dir\.glob|File::Find|iterdir|\bwalk\s*\(|fs\.readdir|RecursiveDirectoryIterator"
)
#: Reading a file that the command line names.
_READS_ARGUMENT = re.compile(
    r"(?:open|readFileSync|readFile|File\.read|file_get_contents|Path)\s*\(\s*(?:sys\.argv|process\.argv|ARGV|\$argv|\$ARGV)"
)
_REMOVES = re.compile(
    r"os\.(?:remove|unlink)|\.unlink\(|unlinkSync|rmSync|File\.delete|FileUtils\.rm|\bunlink\b|rmtree|\.truncate\("
)
_MADE = re.compile(
    r"cache|tmp|temp|\.pyc|\.log|\.bak|\.orig|dist|build|coverage|backup|mtime|max_age|retention|stale|old",
    re.IGNORECASE,
)
_ENCRYPTS = re.compile(
    r"Fernet|\bAES\b|createCipher|nacl\.secret|ChaCha20|cryptography|Cipher\.new|crypto\.subtle\.encrypt|openssl_encrypt|\^\s*(?:0x|key)"
)
_SPIES = re.compile(
    r"TIOCSTI|\b0x5412\b|\b21522\b|pyperclip|ImageGrab|pynput|\bmss\b|pyautogui\.screenshot|clipboardy|sounddevice|pyaudio|VideoCapture|GetAsyncKeyState|hidden answer|getpass\.getpass|\bkeystroke\b|navigator\.clipboard|Clipboard::|clipboard_get"
)
_HIDDEN_NAME = re.compile(
    r"""\(\s*(?:[\w.]+\s*,\s*)?["'](?P<one>\w{1,8})["']\s*\+\s*["']\w{1,8}["']\s*\)|getattr\(\s*(?:__import__|__builtins__|builtins|os|subprocess|sys)\b[^)]*?(?:\+|\[::-1\]|join|chr\(|decode|replace)"""
    r"""|__import__\(\s*(?:['"]\w*['"]\s*\+|['"]{2}\.join|\w+\()|(?:globals|vars|locals)\(\)\[\s*(?:['"]\w*['"]\s*\+|\w+\()"""
    r"""|require\(\s*(?:['"]\w*['"]\s*\+|\[[^\]]*\]\.join|Buffer\.from|String\.fromCharCode|atob)|(?:process|global|globalThis|this|window)\[\s*(?:['"]\w*['"]\s*\+|\w+\()"""
    r"""|\]\s*\.join\(\s*['"]{2}\s*\)\s*\]\s*\(|(?:\\x[0-9a-f]{2}){6,}|(?:chr\(\d+\)\s*[+.]\s*){3,}|\bmap\(\s*chr\b"""
)
_RUNS_PAYLOAD = re.compile(
    r"""(?:os\.system|os\.popen|subprocess\.\w+|execSync|exec|eval|spawnSync|spawn|\bsystem|shell_exec|new Function|vm\.runIn\w+|instance_eval)\s*\(\s*[^;\n]{0,80}?(?:['"](?:command|prompt|content|tool_response)['"]|\.(?:command|prompt|content)\b)"""
)
_LOOKS_UP = re.compile(
    r"""(?:getaddrinfo|gethostbyname(?:_ex)?|dns\.(?:promises\.)?(?:resolve\w*|lookup)|resolver\.(?:resolve|query)|Resolv\.getaddress)\s*\(\s*(?:f["'][^"']*\{|`[^`]*\$\{|["'][^"']*#\{|\w+\s*\+|["'][^"']*["']\s*%|["'][^"']*["']\.format)"""
)
_VARIABLE = re.compile(
    r"""environ(?:\.get)?[\[(]\s*["'](\w+)|getenv\(\s*["'](\w+)|process\.env\.(\w+)|process\.env\[\s*["'](\w+)|ENV(?:\.fetch)?[\[(]\s*["'](\w+)|\$ENV\{["']?(\w+)"""
)

#: Keys and fields by which a program takes something out of an object.
_KEY = re.compile(
    r"""\[\s*["'](\w+)["']\s*\]|\.get\(\s*["'](\w+)["']|\.(\w+)\b|\b(?:const|let|var)\s*\{([^}]*)\}|\{["']?(\w+)["']?\}|->\{(\w+)\}|\[:(\w+)\]"""
)

_CALL = r"(?:os\.system|os\.popen|subprocess\.\w+|\brun|\bcheck_output|\bcheck_call|\bPopen|\bexecSync|\bexec|\bspawnSync|\bspawn|\bexecFileSync|\bexecFile|\bsystem|\bpopen|shell_exec|passthru|IO\.popen|Open3\.\w+|do shell script|do script|io\.popen|os\.execute|Deno\.Command|Bun\.spawnSync|qx)"
_TEXT = r'''(?:[fbr]{0,2}"""(.+?)"""|[fbr]{0,2}"((?:[^"\\\n]|\\.)+)"|[fbr]{0,2}\'((?:[^\'\\\n]|\\.)+)\'|`((?:[^`\\]|\\.)+)`)'''
_SHELL_TEXT = re.compile(rf"{_CALL}\s*\(?\s*{_TEXT}", re.DOTALL)
_WORD_LIST = re.compile(rf"{_CALL}\s*\(?\s*(?:\[|(?=[\"'][\w/.-]+[\"']\s*,\s*\[))([^\]]+)\]")
_WORD = re.compile(
    r"""[fbr]{0,2}"((?:[^"\\\n]|\\.)*)"|[fbr]{0,2}\'((?:[^\'\\\n]|\\.)*)\'|`([^`]*)`|([A-Za-z_$][\w.$\[\]()]*)"""
)
_INTERPOLATED = re.compile(r"\$\{[^}]*\}|#\{[^}]*\}|\{[^{}]*\}|%s")


def combined(text: str, powers: frozenset[Power]) -> Iterator[tuple[RuleId, str]]:
    """Yield what a program does with what it reads."""
    hosts = [host for match in _HOST.findall(text) for host in match if host and not local(host)]
    reaches = bool(powers & {"fetch", "socket", "run"}) and bool(hosts)
    payload = READS_INPUT.search(text) is not None
    tree = _TREE.search(text) is not None
    if reaches and payload and "send" in powers and payload_part(_keys(text)).name != METADATA:
        yield "V-SEND-PAYLOAD", f"a program sends what it reads to {hosts[0]}"
    if reaches and tree and powers & {"send", "run"}:
        yield "V-SEND-FILE", f"a program sends files of a tree to {hosts[0]}"
    if reaches and "send" in powers and _READS_ARGUMENT.search(text):
        yield "V-SEND-FILE", f"a program sends the file of its argument to {hosts[0]}"
    for names in _VARIABLE.findall(text) if reaches else ():
        token = next(filter(None, names))
        is_token = any(each.kind == "token" for each in origins_of(token) or NOTHING)
        if is_token and all(belonging(token, host) == "other" for host in hosts):
            yield "V-SEND-TOKEN", f"a program sends {token} to {hosts[0]}"
    if tree and _REMOVES.search(text) and not _MADE.search(text):
        yield "V-DELETE", "a program deletes the files of a tree"
    if tree and _ENCRYPTS.search(text):
        yield "V-DESTROY", "a program encrypts the files of a tree"
    if _SPIES.search(text):
        yield "V-SPY", "a program records the screen, the clipboard or the keyboard"
    if _HIDDEN_NAME.search(text):
        yield "V-OBFUSCATED", "a program puts the name of what it calls together"
    match = _RUNS_PAYLOAD.search(text)
    if match is not None and payload:
        yield "V-RUN-PAYLOAD", f"a program executes {match.group()}"
    if _LOOKS_UP.search(text):
        yield "V-DNS", "a program looks up a name that it computes"
    if approves(text) and not _CONDITION.search(text):
        yield "V-APPROVE", "a program approves whatever it is asked"


_CONDITION = re.compile(r"\b(?:if|unless|when|case|match|switch|elif|and|or)\b|\?[^:\n]+:|&&|\|\|")


def _keys(text: str) -> str:
    """Return the keys by which a program takes something out of an object."""
    return " ".join(part for match in _KEY.findall(text) for part in match if part)


def commands_in(text: str) -> Iterator[str]:
    """Yield the shell texts that a program executes, with HOLE for what it computes."""
    for match in _SHELL_TEXT.finditer(text):
        literal = next(filter(None, match.groups()), "")
        for escape, plain in (('\\"', '"'), ("\\'", "'"), ("\\n", "\n")):
            literal = literal.replace(escape, plain)
        yield _INTERPOLATED.sub(HOLE, literal)
    for match in _WORD_LIST.finditer(text):
        words = [
            HOLE if name else in_single_quotes(_INTERPOLATED.sub(HOLE, first or second or third))
            for first, second, third, name in _WORD.findall(match.group(1))
        ]
        if len(words) > 1:
            yield " ".join(words).replace("'~/", "~'/")
