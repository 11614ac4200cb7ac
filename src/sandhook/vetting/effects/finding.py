"""find, ls and others: names of files, which lead to their contents or remove them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from sandhook.vetting.call import Call
from sandhook.vetting.places import places_of
from sandhook.vetting.policy import is_made_again
from sandhook.vetting.values import HOLE, Origin, Value

Effect = Callable[[Call], "Value | None"]


#: Names of secret files as ``find -name`` and grep look for them.
_SECRET_NAME = re.compile(
    r"id_(?:rsa|dsa|ecdsa|ed25519)|\.env|\.pem|\.key\b|\.ovpn|\.jks|\.asc|\.gpg|\.htpasswd|\.tfstate|hosts\.yml|\.p12|\.pfx|credentials|\.netrc|wallet|keystore|\.kdbx|secrets?\b|password|token",
    re.IGNORECASE,
)


_FIND_NAMES = frozenset({"-name", "-iname", "-path", "-ipath", "-regex", "-wholename"})


def _find(call: Call) -> Value:
    """find: deletes, and lists files whose names are those of secrets."""
    texts = call.texts
    roots: list[Value] = []
    for word in call.words:
        if word.any_text.startswith(("-", "(", "!", "\\")):
            break
        roots.append(word)
    path = call.state.path(roots[0].any_text) if roots else "."
    removes = "-delete" in texts or any(text in ("rm", "unlink", "shred") for text in texts)
    away = any(text.startswith(("/tmp", "/dev/null", "/var/tmp")) for text in texts[1:])
    removes = removes or ("mv" in texts and away)
    named = [texts[i + 1] for i, text in enumerate(texts[:-1]) if text in _FIND_NAMES]
    again = (
        is_made_again(path)
        or any(is_made_again(name.strip("*")) or is_made_again(name) for name in named)
        or "-empty" in texts
    )
    if removes:
        for root in roots:
            call.runner.notes.access(call.state.path(root.any_text), "delete")
        wide = path in ("~", "/", "/home", "/Users", "..") or path.endswith(".git")
        old = any(text in ("-mtime", "-mmin", "-ctime", "-atime", "-older") for text in texts) and path != "."
        own = path in call.state.written or path in call.state.made
        if wide or not (again or old or own or HOLE in path or is_made_again(path)):
            call.find("V-DELETE", call.line)
    overwrites = any(text in ("-exec", "-execdir") for text in texts) and any(
        text in ("shred", "truncate", "dd", "chmod") for text in texts
    )
    unusable = any(text in ("shred", "truncate", "dd") for text in texts) or "000" in texts
    if overwrites and unusable and path in ("~", "/", "."):
        call.find("V-DESTROY", call.line)
    names = [
        call.texts[i + 1]
        for i, text in enumerate(texts[:-1])
        if text in ("-name", "-iname", "-path", "-regex")
    ]
    origins: set[Origin] = set()
    if any(_SECRET_NAME.search(name) for name in names):
        origins.add(Origin("secret", "files named " + names[0]))
    else:
        origins.add(Origin("file", path))
    if again:
        origins.add(Origin("mixed", "made again"))
    return Value((HOLE,), frozenset(origins))


def _list(call: Call) -> Value:
    """Programs that look at names and times of files, not at contents; names of secret files lead to the contents."""
    paths = [call.state.path(text) for word in call.operands for text in word.texts]
    places = [(path, places_of(path, "read")) for path in paths]
    secret = [path for path, place in places if place is not None and place.rule == "V-READ-SECRET"]
    return Value((HOLE,), frozenset(Origin("secret", f"files named {path}") for path in secret))


def path_of_program(call: Call) -> Value:
    """which, command -v: the file of a program, which may then get another name."""
    names = [word for word in call.operands if word.text is not None]
    if len(names) != 1 or len(call.operands) != 1 or "/" in (names[0].text or "/"):
        return Value((HOLE,), call.origins)
    return Value((f"/usr/bin/{names[0].text}",), names[0].origins)


EFFECTS: Mapping[str, Effect] = {
    "find": _find,
    "fd": _find,
    **dict.fromkeys(("ls", "stat", "du", "df", "file", "tree", "realpath", "readlink"), _list),
    "which": path_of_program,
}
