"""The drivers of differences, which the attribute "diff" names: how they find the headings of functions.

Source: gitattributes(5), "Defining a custom hunk-header". The built-in expressions are our own, for lines that begin a
function, a class or a section.
"""

from __future__ import annotations

from collections.abc import Callable

from sandhook.pattern.errors import PatternError
from sandhook.pattern.posix import LINE_BRE, LINE_ERE, Regex, compile_regex
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.store.repository import Repository

_BUILT_IN = {
    "bash": r"^[ \t]*((function[ \t]+[A-Za-z_][A-Za-z0-9_]*([ \t]*\([ \t]*\))?|[A-Za-z_][A-Za-z0-9_]*[ \t]*\([ \t]*\))[ \t]*([{(]|\(\(|\[\[).*|(function[ \t]+[A-Za-z_][A-Za-z0-9_]*([ \t]*\([ \t]*\))?|[A-Za-z_][A-Za-z0-9_]*[ \t]*\([ \t]*\))[ \t]*)$",
    "golang": r"^[ \t]*(func[ \t]*.*|type[ \t].*(struct|interface)[ \t]*\{.*)$",
    "html": r"^[ \t]*(<[Hh][1-6]([ \t].*)?>.*)$",
    "markdown": r"^ {0,3}#{1,6}[ \t].*",
    "python": r"^[ \t]*((class|(async[ \t]+)?def)[ \t].*)$",
    "ruby": r"^[ \t]*((class|module|def)[ \t].*)$",
    "rust": r"^[ \t]*((pub(\([^)]+\))?[ \t]+)?((async|const|unsafe|extern([ \t]+\"[^\"]+\"))[ \t]+)*(struct|enum|union|mod|trait|fn|impl|macro_rules!)([<> \t].*)?)$",
    "tex": r"^(\\((sub)*section|chapter|part)\*{0,1}\{.*)$",
}  # fmt: skip

_NAME, _ANY = "[a-zA-Z_][a-zA-Z0-9_]*", "[^[:space:]]"
_TAGGED = f"[^<>= \t]+|{_ANY}"
_WORDS = {
    "golang": rf"{_NAME}|[-+0-9.eE]+i?|0[xX]?[0-9a-fA-F]+i?|[-+*/<>%&^|=!:]=|--|\+\+|<<=?|>>=?|&\^=?|&&|\|\||<-|\.{{3}}|{_ANY}",
    "html": _TAGGED,
    "markdown": _TAGGED,
    "python": rf"{_NAME}|[-+0-9.e]+[jJlL]?|0[xX]?[0-9a-fA-F]+[lL]?|[-+*/<>%&^|=!]=|//=?|<<=?|>>=?|\*\*=?|{_ANY}",
    "rust": rf"{_NAME}|[0-9][0-9_a-fA-Fiosuxz]*(\.([0-9]*[eE][+-]?)?[0-9_fF]*)?|[-+*/<>%&^|=!:]=|<<=?|>>=?|&&|\|\||->|=>|\.\.=|\.\.\.|::|{_ANY}",
}  # fmt: skip

#: The longest heading of a hunk, in bytes.
LONGEST = 80
_BLANKS = b" \t\n\v\f\r"


def is_heading(line: bytes) -> bool:
    """Return True for a line that begins with a letter, "_" or "$"."""
    first = line[:1]
    return first.isalpha() or first in (b"_", b"$")


def plain_heading(line: bytes) -> bytes | None:
    """Return the heading that a line begins in a file without a driver, None for another line."""
    return line[:LONGEST].rstrip(_BLANKS) if is_heading(line) else None


class _Headings:
    """Finds headings by expressions, of which those that begin with "!" exclude lines."""

    def __init__(self, expressions: str, *, extended: bool) -> None:
        self._rules: list[tuple[bool, Regex]] = []
        for text in expressions.split("\n"):
            negated = text.startswith("!")
            try:
                regex = compile_regex(text[negated:], LINE_ERE if extended else LINE_BRE)
            except PatternError:
                raise GitError(f"Invalid regexp to look for hunk header: {text[negated:]}") from None
            self._rules.append((negated, regex))

    def __call__(self, line: bytes) -> bytes | None:
        text = line.removesuffix(b"\n").removesuffix(b"\r")
        for negated, regex in self._rules:
            match = regex.search(text)
            if match is None:
                continue
            if negated:
                return None
            found = match.group(1) if len(match.spans) > 1 and match.spans[1][0] >= 0 else match.group()
            return (found or b"")[:LONGEST].rstrip(_BLANKS)
        return None


class Drivers:
    """The drivers of a repository's files."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._known: dict[str, Callable[[bytes], bytes | None]] = {}

    def heading(self, path: str) -> Callable[[bytes], bytes | None]:
        """Return the function that finds the headings of a file."""
        name = self._repository.attributes.of(path).get("diff")
        if not isinstance(name, str):
            return plain_heading
        if name not in self._known:
            self._known[name] = self._headings(name)
        return self._known[name]

    def words(self, path: str) -> str | None:
        """Return the expression of the words of a file, None if its driver has none."""
        name = self._repository.attributes.of(path).get("diff")
        if not isinstance(name, str):
            return None
        return self._repository.config.get(f"diff.{name}.wordregex") or _WORDS.get(name)

    def _headings(self, name: str) -> Callable[[bytes], bytes | None]:
        keys = (f"diff.{name}.xfuncname", f"diff.{name}.funcname")
        last = next((each for each in reversed(self._repository.config.settings) if each.key in keys), None)
        if last is not None and last.value:
            return _Headings(last.value, extended=last.key == keys[0])
        return _Headings(_BUILT_IN[name], extended=True) if name in _BUILT_IN else plain_heading
