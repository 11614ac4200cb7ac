"""Programs that read, write and delete files."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping, Sequence

from sandhook.dispatch.operands import is_system_program
from sandhook.vetting.call import Call
from sandhook.vetting.places import SHELL_SCRIPTS, is_precious, places_of
from sandhook.vetting.policy import removed, starts_something
from sandhook.vetting.said import replacements, weakens
from sandhook.vetting.values import EMPTY, HOLE, NOTHING, Origin, Value, concatenated, known

Effect = Callable[[Call], "Value | None"]


#: What a search for secrets in files looks for.
_SECRET_TEXT = re.compile(
    r"AKIA|BEGIN .*PRIVATE|password|passwd|secret|api[_-]?key|token|ghp_|sk-", re.IGNORECASE
)


def contents_of(call: Call, word: Value) -> list[Value]:
    """Return what the files that a word may name have, where that is known."""
    found = [call.runner.content(call.state.path(text), call.state) for text in word.texts if text != HOLE]
    return [each for each in found if each is not None]


def _content(call: Call) -> Value:
    """cat and other programs that print files: known texts of the script's own files are kept."""
    operands = [word for word in call.operands if not word.any_text.startswith("+")]
    if not operands or all(word.any_text == "-" for word in operands):
        return call.stdin
    parts: list[Value] = []
    for word in operands:
        written = contents_of(call, word)
        origins = call.access(word, "read") | (
            word.origins - call.stdin.origins if word.has("payload") else NOTHING
        )
        if word.any_text == "-":
            parts.append(call.stdin)
        elif written:
            parts.append(Value(written[0].texts, written[0].origins | origins))
        else:
            parts.append(Value((HOLE,), origins))
    return concatenated(parts)


def _cat(call: Call) -> Value:
    value = _content(call)
    if any(text not in (HOLE, "") for text in value.texts):
        call.runner.printed(call, value)
    return value


def _in_place(call: Call, files: Sequence[Value]) -> None:
    """Report what sed puts into files in place."""
    if any(weakens(text) for text in call.texts):
        call.find("V-REWRITE", call.line, "high")
    code = changed_code(" ".join(call.texts))
    if any(_LOCK.search(word.any_text) for word in files) and re.search(
        r"https?:|integrity|sha\d|resolved", " ".join(call.texts)
    ):
        call.find("V-PACKAGE-SOURCE", call.line)
    started = [text for text in call.texts if starts_something(text)]
    for word in files:
        call.writes(word)
        if code and is_found(word):
            call.find("V-REWRITE", f"puts into files that it looks for: {code}", "high")
        if started and word.any_text.endswith(SHELL_SCRIPTS):
            call.find("V-REWRITE", f"puts into {word.any_text}: {started[0]}", "high")
        call.runner.changed(" ".join(text for text in call.texts if text != word.any_text), word, call)
    if any(re.fullmatch(r"(?:1,\$)?d|/\.\*?/d|s/\.\*//g?", text) for text in call.texts):
        call.find("V-DELETE", call.line)


def filtered(call: Call) -> Value | None:
    """A filter with files as operands; without files, None: the output is computed from the input."""
    skip = (
        1
        if call.name
        in ("grep", "egrep", "fgrep", "rgrep", "rg", "ag", "sed", "awk", "gawk", "mawk", "jq", "yq", "tr")
        else 0
    )
    if skip and (call.arguments("-e", "-f", "--expression", "--file", "--regexp")):
        skip = 0
    operands = call.operands[skip:]
    if call.name == "jq":
        return None
    files = [
        word
        for word in operands
        if word.any_text not in ("-", "") and not re.fullmatch(r"[+-]?\d+[a-zA-Z]?", word.any_text)
    ]
    if call.name == "head" and re.search(r"-c\s*\+?\d+[GTP]", call.line):
        call.find("V-EXHAUST")
    if call.name == "sed" and (
        call.has("--in-place") or any(re.match(r"-[a-zA-Z]*i", text) for text in call.texts)
    ):
        _in_place(call, files)
        return EMPTY
    if (
        call.name in ("grep", "egrep", "rgrep", "rg")
        and call.has("-r", "-R", "-rn")
        and _SECRET_TEXT.search(" ".join(call.texts[:3]))
    ):
        return Value((HOLE,), frozenset({Origin("secret", "a search for secrets")}))
    sources = [
        *(call.state.path(word.any_text) for word in files),
        *(each.name for each in call.stdin.origins),
    ]
    removes = call.has("-v", "--invert-match") or call.name != "grep"
    if removes and _IGNORED.search(" ".join(call.texts)) and any(each.endswith("ignore") for each in sources):
        call.find("V-DISABLE", f"takes secrets out of a list of what is ignored: {call.line}")
    if not files:
        return None
    origins = call.reads(files) | call.origins
    if any(posixpath.basename(word.any_text) == posixpath.basename(call.file) for word in files):
        origins |= {Origin("assembled", "its own text")}
    contents = contents_of(call, files[0]) if len(files) == 1 else []
    if contents and contents[0].text is not None:
        words = [word.text for word in call.words if word is not files[0]]
        texts = [word for word in words if word is not None]
        if len(texts) == len(words):
            output = call.runner.compute([call.name, *texts], contents[0].text)
            if output is not None:
                return Value((output[: 64 << 10],), contents[0].origins | origins)
    return Value((HOLE,), origins.union(*(each.origins for each in contents)))


#: Code in a replacement: comparisons, results, tests.
_CODE = re.compile(
    r"\bassert|\bexpect\s*\(|\breturn\b|\b[Tt]rue\b|\b[Ff]alse\b|(?:^|\s)[<>!=]=?(?:\s|$)|&&|\|\||\bif\b|\bpass\b|\bskip\b"
)


_LOCK = re.compile(
    r"(?:package-lock\.json|yarn\.lock|pnpm-lock\.yaml|poetry\.lock|uv\.lock|Cargo\.lock|go\.sum|composer\.lock)$"
)

#: Names of secret files in a pattern that takes lines out of a list.
_IGNORED = re.compile(r"\benv\b|\bpem\b|\bkeys?\b|secret|credential|npmrc|id_rsa", re.IGNORECASE)


def changed_code(program: str) -> str | None:
    """Return what a program of sed puts into code, or None."""
    return next((new for new in replacements(program) if _CODE.search(new)), None)


def is_found(word: Value) -> bool:
    """Return True for a file that a search found, and that no tool is about."""
    return (
        HOLE in word.any_text and word.has("file", "secret", "printed") and not word.has("payload", "mixed")
    )


def _copy(call: Call) -> Value:
    target = call.argument("-t", "--target-directory")
    operands = call.operands
    if target is None and operands:
        *sources, target = operands
    else:
        sources = operands
    if target is None:
        return EMPTY
    origins = call.reads(sources) if call.name != "ln" else NOTHING
    if call.name == "mv":
        for word in sources:
            path = call.state.path(word.any_text)
            place = places_of(path, "delete")
            gone = target.any_text.startswith(("/tmp", "/dev/", "/var/tmp"))
            if place is not None and place.rule == "V-TRACES" and not gone:
                call.runner.notes.access(path, "delete")  # a log that is rotated
            else:
                call.access(word, "delete")
    content = Value((HOLE,), origins)
    if sources and sources[0].any_text == "/dev/null" and call.name != "ln":
        _emptied(call, target)
    if len(sources) == 1:
        written = call.state.written.get(call.state.path(sources[0].any_text))
        content = written if written is not None else content
        path = call.state.path(sources[0].any_text)
        if is_system_program(path) and "/" in path and HOLE not in path:
            content = content.plus(Origin("program", posixpath.basename(path)))
    call.writes(target, content)
    call.runner.stored(content, target, call)
    if call.name == "ln":
        _link(call, sources, target)
        if sources and sources[0].any_text == "/dev/null":
            _emptied(call, target)
    if call.name == "mv" and target.any_text.startswith(("/tmp", "/var/tmp", "/dev/")):
        for word in sources:
            for each in removed(
                [call.state.path(text) for text in word.texts], word, call.state.written, recursive=True
            ):
                call.find(each.rule, each.detail, each.severity)
    if any(text in ("--remove-source-files", "--remove-files") for text in call.texts):
        call.find("V-DELETE")
    if call.name in ("mv", "cp"):
        _over_guard(call, sources, target)
    if call.name == "rsync" and any(text.startswith("--del") for text in call.texts):
        path = call.state.path(target.any_text)
        if ":" not in path and is_precious(path):
            call.find("V-DELETE", f"rsync --delete to {path}")
    return EMPTY


def _link(call: Call, sources: list[Value], target: Value) -> None:
    if (
        sources
        and sources[0].any_text == "/dev/null"
        and places_of(call.state.path(target.any_text), "delete")
    ):
        call.access(target, "delete")
    if sources and places_of(call.state.path(sources[0].any_text), "read"):
        call.reads(sources)


def _over_guard(call: Call, sources: list[Value], target: Value) -> None:
    if target.any_text == "/dev/null" and sources:
        for word in sources:
            call.access(word, "delete")


def _install(call: Call) -> Value:
    _copy(call)
    mode = call.argument("-m", "--mode")
    if (call.operands and call.operands[0].has("download")) or (
        mode is not None and mode.any_text[:1] in "4"
    ):
        call.find("V-DOWNLOAD-EXEC")
    return EMPTY


def _remove(call: Call) -> Value:
    recursive = call.has("-r", "-R", "--recursive") or call.name == "rmdir"
    for word in call.operands:
        call.access(word, "delete")
        if "found" in word.names("mixed"):
            continue
        _emptied(call, word, recursive=recursive)
        if not recursive:
            continue
        for text in word.texts:
            path = call.state.path(text)
            if text in ("", "/"):
                path = "/"
            if text == HOLE or path == HOLE:
                made = word.has("mixed")
                if not made:
                    call.find("V-DELETE-COMPUTED", f"rm -r {text}")
            elif is_precious(path):
                call.find("V-DELETE", f"rm -r {path}")
            elif path.startswith(HOLE) and not word.has("mixed"):
                call.find("V-DELETE-COMPUTED", f"rm -r {text}")
    if call.has("--no-preserve-root"):
        call.find("V-DELETE")
    return EMPTY


def _truncate(call: Call) -> Value:
    if re.search(r"\d+[GTP]", call.line):
        call.find("V-EXHAUST")
    for word in call.operands:
        call.access(word, "delete")
        call.access(word, "write")
        _emptied(call, word)
    return EMPTY


def _emptied(call: Call, word: Value, *, recursive: bool = False) -> None:
    """Report that nothing is left of a file; with ``recursive``, of a directory."""
    for each in removed(
        (call.state.path(text) for text in word.texts),
        word,
        {*call.state.written, *call.state.made},
        recursive=recursive,
    ):
        call.find(each.rule, each.detail, each.severity)


def _tee(call: Call) -> Value:
    for word in call.operands:
        call.writes(word, call.stdin, append=call.has("-a", "--append"))
        call.runner.stored(call.stdin, word, call)
        path = call.state.path(word.any_text)
        place = places_of(path, "write")
        if (place is not None and place.rule in ("V-STARTUP", "V-GIT-HOOK")) or path.startswith(
            "$CLAUDE_ENV"
        ):
            call.runner.lasting(call.stdin, call)
    return call.stdin


def _chmod(call: Call) -> Value:
    operands = [
        word
        for word in call.words
        if not (word.any_text.startswith("-") and len(word.any_text) > 2 and not word.any_text[1:2].islower())
    ]
    operands = [word for word in operands if word.any_text not in ("-R", "-v", "-f", "--recursive")]
    if len(operands) < 2:
        return EMPTY
    mode, files = operands[0].any_text, operands[1:]
    makes_executable = bool(re.search(r"\+[a-z]*x|[1357]\d{0,2}$|x", mode)) and not mode.startswith("-")
    for word in files:
        paths = [call.state.path(text) for text in word.texts]
        call.runner.notes.access(paths[0] if paths else "", "write")
        written = next((call.state.written[path] for path in paths if path in call.state.written), None)
        if makes_executable and written is not None and written.has("download"):
            call.find("V-DOWNLOAD-EXEC")
        if re.match(r"[ug]*\+s|[246]7\d\d$", mode):
            call.find("V-LOGIN", call.line)
        for path in paths:
            secret = places_of(path, "read")
            if (
                re.search(r"[4-7]$|[ao]\+[a-z]*r", mode)
                and secret is not None
                and secret.rule == "V-READ-SECRET"
            ):
                call.find("V-READ-SECRET", call.line)
            if re.search(r"[2367]$|[ao]\+[a-z]*w", mode) and (is_precious(path) or path in ("~", "~/")):
                call.find("V-DISABLE", call.line)
            place = places_of(path, "write")
            if place is not None and place.rule in ("V-AGENT-CONFIG", "V-LOGIN") and not makes_executable:
                call.find("V-DISABLE" if place.rule == "V-AGENT-CONFIG" else place.rule)
            if place is not None and place.rule == "V-GIT-HOOK" and makes_executable:
                call.find("V-GIT-HOOK")
    if mode in ("000", "0", "-x", "a-x", "a-rwx", "-rwx") and any(
        is_precious(call.state.path(w.any_text)) for w in files
    ):
        call.find("V-DESTROY")
    return EMPTY


def _mktemp(call: Call) -> Value:
    directory = call.argument("-p", "--tmpdir")
    base = directory.any_text if directory is not None and directory.any_text else "/tmp"
    operands = [word for word in call.operands if directory is None or word is not directory]
    text = operands[-1].any_text if operands else f"{base}/tmp.XXXXXX"
    text = re.sub(r"X{3,}", HOLE, text)
    call.runner.notes.access(call.state.path(text), "write")
    return known(text, frozenset({Origin("mixed", "mktemp")}))


def _stores_input(call: Call) -> Value:
    """ed, ex and sponge: what comes from standard input changes their files."""
    for word in call.operands:
        call.writes(word, call.stdin)
        call.runner.stored(call.stdin, word, call)
    return EMPTY


def _digest(call: Call) -> Value:
    call.reads(call.operands)
    if call.has("-c", "--check"):  # whatever has the hash that the script names is what its author saw
        for line in (call.stdin.text or "").splitlines():
            path = call.state.path(line.rpartition(" ")[2].lstrip("*"))
            if path in call.state.written:
                call.state.written[path] = Value((HOLE,))
    digest = Origin("digest", call.name)
    if not call.operands and call.stdin.text is not None:
        return call.passed(digest)
    return Value((HOLE,), call.stdin.origins | {digest})


def _count(call: Call) -> Value:
    call.reads(word for word in call.operands if call.name == "wc")
    return Value((HOLE,), NOTHING)


def _mount(call: Call) -> Value:
    call.find("V-PRIVILEGE")
    return EMPTY


def _touch(call: Call) -> Value:
    for word in call.operands:
        call.writes(word)
    return EMPTY


#: Programs that print parts of what they read.
FILTERS = [
    "awk",
    "cut",
    "egrep",
    "fgrep",
    "rgrep",
    "gawk",
    "grep",
    "head",
    "less",
    "mawk",
    "more",
    "nl",
    "rg",
    "sed",
    "sort",
    "strings",
    "tail",
    "uniq",
    "xxd",
    "od",
    "hexdump",
    "base64",
    "base32",
    "basenc",
    "gzip",
    "pigz",
    "bzip2",
    "xz",
    "zstd",
    "lz4",
    "brotli",
    "compress",
    "age",
    "uuencode",
    "jc",
    "plutil",
    "fold",
    "column",
    "bat",
    "paste",
    "rev",
    "tac",
    "iconv",
]

EFFECTS: Mapping[str, Effect] = {
    "cat": _cat,
    **dict.fromkeys(("ed", "ex", "red", "vi", "vim", "nvim", "sponge"), _stores_input),
    "tee": _tee,
    **dict.fromkeys(("cp", "mv", "ln", "rsync", "ditto"), _copy),
    "install": _install,
    **dict.fromkeys(("rm", "unlink", "rmdir", "trash", "srm"), _remove),
    "truncate": _truncate,
    "chmod": _chmod,
    "mktemp": _mktemp,
    **dict.fromkeys(
        ("md5sum", "sha1sum", "sha256sum", "shasum", "md5", "cksum", "b2sum", "sha512sum"), _digest
    ),
    "wc": _count,
    "mount": _mount,
    "umount": _mount,
    "touch": _touch,
    **dict.fromkeys(FILTERS, filtered),
}
