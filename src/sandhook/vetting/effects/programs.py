"""Programs of awk and sed: the commands in their texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from sandhook.dispatch.sedtext import runs_commands
from sandhook.vetting.call import Call
from sandhook.vetting.effects.files import filtered
from sandhook.vetting.policy import local, starts_something
from sandhook.vetting.values import HOLE, Origin, Value

#: A text in quotes that awk passes to a shell: before ``| getline``, after ``|``, in ``system()``.
_AWK_TEXT = re.compile(
    r'"((?:[^"\\]|\\.)*)"\s*\|&?\s*getline|\|&?\s*"((?:[^"\\]|\\.)*)"|\bsystem\s*\(\s*"((?:[^"\\]|\\.)*)"'
)

#: A call with something else than a text.
_AWK_COMPUTED = re.compile(r'\bsystem\s*\(\s*[^"\s)]|[\w)\]]\s*\|&?\s*getline')

#: A file of gawk that is a connection.
_AWK_SOCKET = re.compile(r"/inet[46]?/(?:(?:tcp|udp)/[^/\"]*/([^/\"]+)/)?")

#: Commands that reach the network, or read what they execute.
_REACHES = re.compile(r"\b(?:curl|wget|nc|ncat|socat|bash|sh)\b")

#: Commands that send their words to other machines.
_SENDS = re.compile(r"\b(?:curl|wget|nc|ncat|dig|nslookup|host|ping|ssh)\s")

#: A text that runs a download, as it is written into a file for later.
DOWNLOADS = re.compile(r"\b(?:curl|wget)\\?\s[^|]*\bhttps?://[^|\s][^|]*\|\s*(?:sudo\s+)?(?:ba|z|da|k)?sh\b")


def _awk(call: Call) -> Value | None:
    program = _program(call, "-f", "--file", valued=("-v", "-F", "--assign", "--field-separator"))
    fetches = False
    for match in _AWK_TEXT.finditer(program):
        text = next(filter(None, match.groups()), "").replace('\\"', '"')
        output = call.runner.run_text(Value((text,)), call.state.branch(), call.name, call.at)
        fetches = fetches or output.has("download")
        if call.stdin.has("secret", "environment", "transcript") and _SENDS.search(text):
            call.find("V-SEND-SECRET", f"{call.name} passes its input to: {text}")
    for host in _AWK_SOCKET.findall(program):
        where = host or "a computed address"
        call.find("V-SOCKET", f"{call.name}: a connection to {where}", "low" if local(host) else None)
    _awk_writes(call, program)
    if re.search(r"\bin\s+ENVIRON\b", program):
        call.runner.all_variables()
        content = filtered(call)
        return (content or call.passed()).plus(Origin("environment", "the environment"))
    if _AWK_COMPUTED.search(program):
        texts = " ".join(re.findall(r'"((?:[^"\\]|\\.)*)"', program))
        severe = (
            starts_something(texts) or _REACHES.search(texts) or call.stdin.has("payload", "file", "download")
        )
        what = f"{call.name}: the commands of its program"
        call.find("V-RUN-DOWNLOAD" if fetches else "V-RUN-TEXT", what, "high" if severe else None)
    return filtered(call)


#: A file to which awk prints: texts and variables one after the other.
_AWK_FILE = re.compile(
    r'[\w")\]]\s{0,9}>>?\s{0,9}\(?((?:(?:"(?:[^"\\\n]|\\.){0,90}"|ENVIRON\["\w{1,40}"\]|[A-Za-z_]\w{0,40}\b)[ \t]{0,9}){1,9})'
)
_AWK_PART = re.compile(r'"((?:[^"\\\n]|\\.)*)"|ENVIRON\["(\w+)"\]|[A-Za-z_]\w*')


def _awk_writes(call: Call, program: str) -> None:
    """Report the files to which a program of awk prints."""
    if ">" not in program:
        return
    content = Value(("\n".join(re.findall(r'"((?:[^"\\]|\\.)*)"', program)),), call.stdin.origins)
    for match in _AWK_FILE.finditer(program):
        pieces = [
            call.state.value(variable).any_text if variable else text or HOLE
            for text, variable in _AWK_PART.findall(match[1])
        ]
        path = Value(("".join(pieces),))
        if re.match(r"[~/.]|[\w-]+[./]", path.any_text):
            call.writes(path, content)
            call.runner.stored(content, path, call)


def _sed(call: Call) -> Value | None:
    program = _program(call, "-f", "--file")
    call.runner.notes.inserted += [match["new"] for match in _PUT_IN.finditer(program)]
    for match in _SED_FILE.finditer(program):
        call.writes(Value(((match[1] or match[2]).strip(),)), call.stdin)
    if program and runs_commands(program):
        severe = _REACHES.search(program) is not None or call.stdin.has("download", "decoded", "payload")
        call.find("V-RUN-TEXT", "sed: a command of its program", "high" if severe else None)
    for word in call.operands[:1] if not program and not call.has("-f", "--file") else ():
        if _EXECUTES.search(word.any_text):
            severe = word.has("download", "decoded", "assembled", "payload", "secret")
            call.find("V-RUN-TEXT", "sed: a command that is not known", "high" if severe else None)
    report_downloads(call)
    return filtered(call)


#: The command ``w``, and the flag of ``s``.
_SED_FILE = re.compile(
    r"(?m)(?:^|[;{}]|[\d$/])[ \t]*w[ \t]+([~/.$\w][^\n;}]*)|[/|#,]g?p?w[ \t]+([~/.$\w][^\n;}]*)"
)

#: The command ``e`` with a text that is not known.
_EXECUTES = re.compile(rf"(?:^|[;\n{{]|\b\d+|\$|/)[ \t]*e\s[^\n]{{0,300}}{HOLE}")

#: The second text of ``s``.
_PUT_IN = re.compile(
    r"(?m)(?:^|[;{\s])s(?P<by>[/|#,~])(?:(?!(?P=by)).)*(?P=by)(?P<new>(?:(?!(?P=by)).)+)(?P=by)"
)


def _program(call: Call, *files: str, valued: Sequence[str] = ()) -> str:
    """Return the program of a call, "" if it is in a file or not known; ``valued`` are options before a word."""
    if call.has(*files):
        return ""
    texts = [value.any_text for value in call.arguments("-e", "--expression", "--source")]
    operands = [
        word.any_text
        for word, before in zip(call.words, ["", *call.texts])
        if word in call.operands and before not in valued
    ]
    text = "\n".join(texts) or next(iter(operands), "")
    return "" if HOLE in text else text


def report_downloads(call: Call) -> None:
    """Report a text among the words of a call that runs a download when somebody executes it later."""
    for text in call.texts:
        if DOWNLOADS.search(text):
            call.find("V-DOWNLOAD-EXEC", f"{call.name} writes: {text.strip()}")


EFFECTS: Mapping[str, Callable[[Call], Value | None]] = {
    **dict.fromkeys(("awk", "gawk", "mawk"), _awk),
    "sed": _sed,
}
