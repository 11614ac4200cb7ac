"""Programs of awk, sed and jq: the commands in their texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from sandhook.dispatch.sedtext import runs_commands
from sandhook.vetting.answers import weaker
from sandhook.vetting.call import Call
from sandhook.vetting.effects.files import filtered
from sandhook.vetting.policy import is_exposed, local, payload_part, starts_something
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
    r'[\w")\]]\s*>>?\s*\(?((?:(?:"(?:[^"\\\n]|\\.)*"|ENVIRON\["\w+"\]|[A-Za-z_]\w*)[ \t]*)+)'
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
    texts = [value.any_text for value in call.arguments("-e", "--expression")]
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


#: Programs of jq that change what an installation or a build runs.
_SCRIPTS = re.compile(
    r"\.?scripts\W{0,4}(?:pre|post)?(?:install|prepare|publish|pack|test|build|dev|start)\w*\W{0,3}\s*[|+]?=(?!=)|scripts\s*\+=|scripts\"\s*,\s*\"\w+\"\s*\]\s*;"
)


def _with(text: str, name: str, value: str) -> str:
    """Return a program of jq with a text in place of a variable."""
    return re.sub(rf"\${name}\b", lambda _: value, text)


def _computed(call: Call) -> str | None:
    """Return what jq prints where all that it reads is known."""
    texts = [word.text for word in call.words]
    known = [text for text in texts if text is not None]
    if len(known) < len(texts):
        return None
    return call.runner.compute(["jq", *known], call.stdin.text or "")


#: A payload of which jq takes a part.
_WHOLE = frozenset({Origin("payload"), Origin("argument")})

#: Fields that say in which session a hook runs, and nothing of the tool.
_WHERE = re.compile(r"^[^\w]*\.(?:cwd|session_id|model|transcript_path|workspace)\b(?!.*\btool)")

#: An answer by which a tool is about a file that the script names.
_OTHER_FILE = re.compile(r"\b(?:file_path|path|notebook_path)\W{0,2}\s*[|]?[=:]\s*\"[~/.]")


def _named_values(call: Call) -> dict[str, Value]:
    """Return the values of ``--arg NAME VALUE``."""
    words = call.words
    return {
        words[index + 1].any_text: words[index + 2]
        for index, text in enumerate(call.texts[:-2])
        if text == "--arg" and words[index + 1].any_text.isidentifier()
    }


def _jq(call: Call) -> Value | None:
    """jq: the program's texts, and what it takes out of the payload."""
    files = [word for word in call.operands[1:] if word.any_text not in ("-", "")]
    program = next((word for word in call.operands), None)
    text = program.any_text if program is not None else ""
    taking = {"--arg", "--argjson", "--slurpfile", "--rawfile", "--args", "--jsonargs"}
    skip: set[int] = set()
    for index, each in enumerate(call.texts):
        if each in taking - {"--args", "--jsonargs"}:
            skip |= {index, index + 1, index + 2}
            if each in ("--slurpfile", "--rawfile") and index + 2 < len(call.words):
                call.access(call.words[index + 2], "read")
        elif each in ("--indent", "--tab", "-L"):
            skip |= {index + 1}
    operands = [
        word for index, word in enumerate(call.words) if index not in skip and word.any_text[:1] != "-"
    ]
    if operands:
        program, files = operands[0], operands[1:]
        text = program.any_text
    report_downloads(call)
    named = _named_values(call)
    for name, value in named.items():
        if value.text is not None:
            text = _with(text, name, f'"{value.text}"')
    shown = [text]
    for name, value in named.items():
        if value.text is None:  # one of several
            shown = [_with(each, name, new) for each in shown for new in value.texts][:8]
    call.runner.printed(call, Value(tuple(each.replace('\\"', '"') for each in shown)))
    if "updatedInput" in text or "updated_input" in text:
        for value in named.values():
            for each in value.texts:
                if (added := weaker("", each)) is not None and value.has("payload"):
                    call.find("V-REWRITE", f"adds {added} to a command", "high")
            if value.has("payload") and any(each.strip(f"{HOLE} \n") for each in value.texts):
                call.runner.run_text(value, call.state.branch(), "the new input", call.at)
    if "additionalContext" in text or "systemMessage" in text:
        for value in named.values():
            hosts = sorted(
                each.name for each in value.origins if each.kind == "download" and not local(each.name)
            )
            if hosts and any(line.strip() == HOLE for each in value.texts for line in each.splitlines()):
                severe = any(map(is_exposed, hosts))
                what = f"makes what {', '.join(hosts)} sends the context of a model"
                call.find("V-INJECTION", what, "high" if severe else "medium")
    if _SCRIPTS.search(text):
        call.find("V-PIPELINE", call.line, "high")
    if re.search(r"disableAllHooks\s*[=:]\s*true|del\(\s*\.hooks|\.hooks\s*=\s*(?:\{\}|\[\]|null)", text):
        call.find("V-DISABLE", call.line)
    if "updatedInput" in text or "updated_input" in text:
        call.find("V-REWRITE", call.line)
        if (moved := _OTHER_FILE.search(text)) is not None:
            call.find("V-REWRITE", f"makes the file another one: {moved.group()}", "high")
        for literal in re.findall(r'"((?:[^"\\]|\\.){4,})"', text):
            if literal[:1] == " " and (added := weaker("", literal)) is not None:
                call.find("V-REWRITE", f"adds {added} to a command", "high")
            if re.search(r"[|;&]|\$\(", literal):
                call.runner.run_text(
                    Value((literal.replace('\\"', '"'),)), call.state.branch(), "the new input", call.at
                )
    origins = call.origins | (
        call.reads(files)
        if files
        else call.stdin.origins
        if not call.has("-n", "--null-input")
        else frozenset()
    )
    if re.search(r"@base64d|\bimplode\b", text):
        origins |= {Origin("decoded", "jq")}
    if "transcript" in text and any(origin.kind == "payload" for origin in origins):
        origins |= {Origin("payload", "transcript")}
    if "@sh" in text:
        origins = frozenset(origin for origin in origins if origin.kind != "payload")
    if re.search(r"\benv\b(?!\.\w)|\$ENV\b(?!\.)", text):
        origins |= {Origin("environment", "the environment")}
    if not files and call.stdin.text and (output := _computed(call)) is not None:
        return Value((output,), origins)
    if any(origin in _WHOLE for origin in origins):
        origins = (origins - _WHOLE) | {payload_part(text)}
        if _WHERE.search(text):
            origins |= {Origin("when", "the session")}
    return Value((HOLE,), origins | {Origin("field", "jq")})


EFFECTS: Mapping[str, Callable[[Call], Value | None]] = {
    **dict.fromkeys(("awk", "gawk", "mawk"), _awk),
    "sed": _sed,
    "jq": _jq,
}
