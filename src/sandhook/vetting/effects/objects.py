"""jq: what it takes out of a payload, and what its texts say, change and answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from sandhook.vetting.answers import weaker
from sandhook.vetting.call import Call
from sandhook.vetting.effects.programs import report_downloads
from sandhook.vetting.policy import is_exposed, local, payload_part
from sandhook.vetting.values import HOLE, Origin, Origins, Value

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

#: A change of where the packages of a lock file come from, or of their digests.
_LOCKED = re.compile(
    r"del\(\s*\.[\w.\[\]]*(?:integrity|checksum|shasum)|\.(?:resolved|tarball|integrity)\s*\|?=|\.(?:resolved|tarball)\b[^|\n]{0,40}\|\s*g?sub\("
)

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
    operands = _operands(call)
    text, files = (operands[0].any_text, operands[1:]) if operands else ("", [])
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
        _new_input(call, text, list(named.values()))
    if "additionalContext" in text or "systemMessage" in text:
        _context(call, list(named.values()))
    if _LOCKED.search(text):
        call.find("V-PACKAGE-SOURCE", call.line)
    if _SCRIPTS.search(text):
        call.find("V-PIPELINE", call.line, "high")
    if re.search(r"disableAllHooks\s*[=:]\s*true|del\(\s*\.hooks|\.hooks\s*=\s*(?:\{\}|\[\]|null)", text):
        call.find("V-DISABLE", call.line)
    return _output(call, text, files)


def _operands(call: Call) -> list[Value]:
    """Return the program and the files; the files of ``--slurpfile`` are read."""
    skip: set[int] = set()
    for index, each in enumerate(call.texts):
        if each in ("--arg", "--argjson", "--slurpfile", "--rawfile"):
            skip |= {index, index + 1, index + 2}
            if each in ("--slurpfile", "--rawfile") and index + 2 < len(call.words):
                call.access(call.words[index + 2], "read")
        elif each in ("--indent", "--tab", "-L"):
            skip |= {index + 1}
    return [word for index, word in enumerate(call.words) if index not in skip and word.any_text[:1] != "-"]


def _new_input(call: Call, text: str, named: Sequence[Value]) -> None:
    """Report what an answer makes of the input of a tool."""
    call.find("V-REWRITE", call.line)
    for value in named:
        for each in value.texts:
            if (added := weaker("", each)) is not None and value.has("payload"):
                call.find("V-REWRITE", f"adds {added} to a command", "high")
        if value.has("payload") and any(each.strip(f"{HOLE} \n") for each in value.texts):
            call.runner.run_text(value, call.state.branch(), "the new input", call.at)
    if (moved := _OTHER_FILE.search(text)) is not None:
        call.find("V-REWRITE", f"makes the file another one: {moved.group()}", "high")
    for literal in re.findall(r'"((?:[^"\\]|\\.){4,})"', text):
        if literal[:1] == " " and (added := weaker("", literal)) is not None:
            call.find("V-REWRITE", f"adds {added} to a command", "high")
        if re.search(r"[|;&]|\$\(", literal):
            new = Value((literal.replace('\\"', '"'),))
            call.runner.run_text(new, call.state.branch(), "the new input", call.at)


def _context(call: Call, named: Sequence[Value]) -> None:
    """Report a text of the network that becomes the context of a model."""
    for value in named:
        hosts = sorted(
            each.name for each in value.origins if each.kind == "download" and not local(each.name)
        )
        if hosts and any(line.strip() == HOLE for each in value.texts for line in each.splitlines()):
            severe = any(map(is_exposed, hosts))
            what = f"makes what {', '.join(hosts)} sends the context of a model"
            call.find("V-INJECTION", what, "high" if severe else "medium")


def _output(call: Call, text: str, files: Sequence[Value]) -> Value:
    """Return what jq prints: computed where all is known, or the origins of what it reads."""
    read = call.stdin.origins if not call.has("-n", "--null-input") else frozenset()
    origins: Origins = call.origins | (call.reads(files) if files else read)
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
    fields = {Origin("field", each.name) for each in origins if each.kind in ("download", "decoded")}
    return Value((HOLE,), origins | fields)


EFFECTS: Mapping[str, Callable[[Call], Value | None]] = {"jq": _jq}
