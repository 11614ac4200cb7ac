"""Programs that change a file in place, or write what they make to a file that an option names."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from sandhook.vetting.call import Call
from sandhook.vetting.values import EMPTY, HOLE, Value, known

Effect = Callable[[Call], "Value | None"]

#: Programs for which ``-o`` is no file that they write.
_OTHER_MEANING = frozenset(
    [
        "[",
        "test",
        "set",
        "shopt",
        "ssh",
        "scp",
        "sftp",
        "mount",
        "grep",
        "egrep",
        "fgrep",
        "rgrep",
        "rg",
        "ps",
        "find",
        "ls",
        "lsof",
        "ip",
        "ss",
        "xclip",
        "xsel",
        "pgrep",
        "curl",
        "wget",
        "git",
        "jq",
        "id",
        "stat",
        "kubectl",
        "docker",
        "read",
        "gh",
        "ping",
        "sqlite3",
        "psql",
        "rsync",
        "trap",
        "umask",
        "ulimit",
        "less",
        "column",
        "join",
        "type",
    ]
)

_TARGET = re.compile(r"^\+\+\+ (?:b/)?([^\t\n]+)", re.MULTILINE)
_IN_PLACE = re.compile(r"^-[a-hj-zA-Z0-9]*i")


def outputs(call: Call) -> None:
    """Report the files that ``-o`` and the like name."""
    if call.name in _OTHER_MEANING:
        return
    for option in call.arguments("-o", "--output", "--out", "-out", "--output-file", "--outfile"):
        if re.match(r"[~/.$]|[\w-]+/", option.any_text) and not option.any_text.startswith("/dev/"):
            call.writes(option, call.stdin.without_text())


def _patch(call: Call) -> Value:
    """patch: the file that it names, or those that the patch names."""
    directory = call.argument("-d", "--directory")
    before = "" if directory is None else f"{directory.any_text}/"
    targets = call.operands[:1]
    for text in call.stdin.texts:
        targets += [known(f"{before}{name}") for name in _TARGET.findall(text)]
    for word in targets:
        call.writes(word, call.stdin)
        call.runner.changed(call.stdin.any_text, word, call)
    return EMPTY


def _edits(call: Call) -> Value | None:
    """perl -i, yq -i and the like: they replace parts of files."""
    if any(_IN_PLACE.match(text) for text in call.texts) or call.has(
        "--inplace", "--in-place", "put", "set", "--set", "ed"
    ):
        programs = [text for text in call.texts if re.search(r"[\s=(|;]", text)]
        for word in call.operands:
            if word.any_text not in programs and word.any_text not in ("", HOLE):
                call.writes(word)
                call.runner.changed(" ".join(programs), word, call)
    return None


EFFECTS: Mapping[str, Effect] = {
    "patch": _patch,
    **dict.fromkeys(
        ("perl", "ruby", "yq", "tomlq", "xq", "dasel", "crudini", "toml", "json", "xmlstarlet", "augtool"),
        _edits,
    ),
}
