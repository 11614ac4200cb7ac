"""Globs of rg: translates lines of ignore files, -g and -t to expressions for RE2.

Source: git's documentation of gitignore, "Pattern format"; ripgrep 13.0, whose ignore files also allow {a,b}.
"""

from __future__ import annotations

from collections.abc import Iterable

from sandhook.lazy import cache_short
from sandhook.pattern.engine import Find, compile_linear
from sandhook.pattern.errors import PatternError

_SPECIAL = frozenset("\\.+*?()|[]{}^$")
_MAX_LENGTH = 4096


@cache_short(512)
def compile_glob(glob: str, icase: bool) -> Find:
    """Compile a glob to a search that matches whole paths. Raises PatternError."""
    if len(glob) > _MAX_LENGTH:
        raise PatternError(f"glob of over {_MAX_LENGTH} characters")
    text = f"(?s)^(?:{_Translator(glob).run()})$"
    return compile_linear(text, latin1=False, icase=icase, longest=False, groups=False)


class _Translator:
    """Translates one glob to a regular expression; "*" and "?" do not match a slash."""

    def __init__(self, glob: str) -> None:
        self._glob = glob
        self._at = 0
        self._depth = 0

    def run(self) -> str:
        glob, out = self._glob, []
        while self._at < len(glob):
            char = glob[self._at]
            if char == "*":
                out.append(self._star())
            elif char == "[":
                out.append(self._class())
            elif char == "\\" and self._at + 1 < len(glob):
                out.append(_literal(glob[self._at + 1]))
                self._at += 2
            else:
                self._at += 1
                if char == "?":
                    out.append("[^/]")
                elif char == "{":
                    self._depth += 1
                    out.append("(?:")
                elif char == "}":
                    if not self._depth:
                        raise PatternError(
                            "unopened alternate group; missing '{' (maybe escape '}' with '[}]'?)"
                        )
                    self._depth -= 1
                    out.append(")")
                elif char == "," and self._depth:
                    out.append("|")
                else:
                    out.append(_literal(char))
        if self._depth:
            raise PatternError("unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)")
        return "".join(out)

    def _star(self) -> str:
        glob, start = self._glob, self._at
        while self._at < len(glob) and glob[self._at] == "*":
            self._at += 1
        is_component = start == 0 or glob[start - 1] == "/"
        if self._at - start == 2 and is_component:
            if glob.startswith("/", self._at):
                self._at += 1
                return "(?:.*/)?" if start else "(?:/?|.*/)"
            if self._at == len(glob):
                return ".+" if start else ".*"
        return "[^/]*"

    def _class(self) -> str:
        glob = self._glob
        at = self._at + 1
        negated = glob[at : at + 1] in ("!", "^") and glob[at : at + 1] != ""
        at += negated
        out = []
        first = True
        while True:
            if at >= len(glob):
                raise PatternError("unclosed character class; missing ']'")
            char = glob[at]
            if char == "]" and not first:
                break
            first = False
            if glob[at + 1 : at + 2] == "-" and glob[at + 2 : at + 3] not in ("", "]"):
                if char > glob[at + 2]:
                    raise PatternError(f"invalid range; '{char}' > '{glob[at + 2]}'")
                out.append(f"{_member(char)}-{_member(glob[at + 2])}")
                at += 3
            else:
                out.append(_member(char))
                at += 1
        self._at = at + 1
        return f"[{'^/' if negated else ''}{''.join(out)}]"


def _literal(char: str) -> str:
    return "\\" + char if char in _SPECIAL else char


def _member(char: str) -> str:
    return "\\" + char if char in "\\]^-[&~" else char


class Rules:
    """The lines of one ignore file, or of all -g; the last line that matches a path decides.

    Attributes:
        selects: A line does not begin with "!"; for -g, such a line selects paths.
    """

    __slots__ = ("_rules", "selects")

    def __init__(self, lines: Iterable[str], *, icase: bool = False, lenient: bool = True) -> None:
        self._rules: list[tuple[bool, bool, bool, Find]] = []
        self.selects = False
        for line in lines:
            try:
                self._add(line, icase)
            except PatternError:
                if not lenient:
                    raise

    def __bool__(self) -> bool:
        return bool(self._rules)

    def _add(self, line: str, icase: bool) -> None:
        if not line.endswith("\\ "):
            line = line.rstrip()
        if not line or line[0] == "#":
            return
        negated = line[0] == "!"
        if negated or line[:2] in ("\\!", "\\#"):
            line = line[1:]
        self.selects = self.selects or not negated
        directory = line[-1:] == "/"
        glob = line.rstrip("/") if directory else line
        anchored = "/" in glob
        if glob[:1] == "/":
            glob = glob[1:]
        if not glob:
            return
        if glob.startswith("**/") and "/" not in glob[3:] and glob[3:]:
            glob, anchored = glob[3:], False
        self._rules.append((negated, directory, anchored, compile_glob(glob, icase)))

    def verdict(self, path: str, is_directory: bool) -> bool | None:
        """Return True when the last matching line ignores a path, False when it has "!", None without a match.

        Args:
            path: Relative to the directory of the rules.
        """
        full_path = path.encode("utf-8", "surrogateescape")
        name = full_path[full_path.rfind(b"/") + 1 :]
        for negated, directory, anchored, find in reversed(self._rules):
            if directory and not is_directory:
                continue
            data = full_path if anchored else name
            if find(data, 0, len(data))[0][0] >= 0:
                return not negated
        return None

    def __len__(self) -> int:
        return len(self._rules)
