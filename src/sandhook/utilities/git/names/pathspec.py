"""Pathspecs: the operands that limit a command to some paths.

Source: gitglossary(7), "pathspec", and git's pathspec.c.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sandhook.command.context import Context
from sandhook.record import Record
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.names.attributes import Value
from sandhook.utilities.git.names.quote import unquote
from sandhook.utilities.git.names.wildmatch import has_wildcard, wildmatch
from sandhook.vfs.path import normalize

_MAGIC = ("top", "exclude", "icase", "glob", "literal", "attr")  # "attr" without attributes has no effect
_SHORT = {"/": "top", "!": "exclude", "^": "exclude"}


class Item(Record):
    """One pathspec: its pattern from the top of the working tree, and its magic words.

    Fields:
        text: The operand, for messages.
        attributes: Names of attributes and what they must be: True for set, False for unset, None for unspecified.
        prefix: Characters of the pattern that are compared exactly: the directory of the caller.
    """

    text: str
    pattern: str
    magic: frozenset[str]
    prefix: int
    attributes: tuple[tuple[str, Value], ...] = ()


class Pathspec:
    """Decides which paths a command is about; without items, all of them."""

    def __init__(
        self,
        items: list[Item],
        charge: Callable[[int], None],
        attributes_of: Callable[[str], Mapping[str, Value]] = lambda path: {},
    ) -> None:
        self.items = items
        self._charge = charge
        self._attributes_of = attributes_of
        self._wanted = [item for item in items if "exclude" not in item.magic]
        self._excluded = [item for item in items if "exclude" in item.magic]

    def __bool__(self) -> bool:
        return bool(self.items)

    def matches(self, path: str) -> bool:
        """Return True if a file is selected."""
        if not self.items:
            return True
        if self._wanted and not any(self._item_matches(item, path) for item in self._wanted):
            return False
        return not any(self._item_matches(item, path) for item in self._excluded)

    def refuse_attributes(self) -> None:
        """Raise GitError for a pathspec with "attr", which not all commands have."""
        for item in self.items:
            if item.attributes:
                raise GitError(f"{item.text}: pathspec magic not supported by this command: 'attr'")

    def may_match_below(self, directory: str) -> bool:
        """Return True if a file below a directory could be selected."""
        if not self._wanted:
            return True
        return any(self._may_match_below(item, directory) for item in self._wanted)

    def _may_match_below(self, item: Item, directory: str) -> bool:
        pattern = item.pattern.rstrip("/")
        if not pattern or "icase" in item.magic:
            return True
        if directory == pattern or directory.startswith(pattern + "/") or pattern.startswith(directory + "/"):
            return True
        if "literal" in item.magic or not has_wildcard(pattern):
            return False
        fixed = pattern[: next(at for at, c in enumerate(pattern) if c in "*?[\\")]
        return fixed.startswith((directory + "/", directory)) or directory.startswith(fixed)

    def _item_matches(self, item: Item, path: str) -> bool:
        self._charge(1)
        if item.attributes and not self._has_attributes(item, path):
            return False
        pattern, ignore_case = item.pattern, "icase" in item.magic
        if ignore_case:
            pattern, path = pattern.lower(), path.lower()
        if (
            not pattern
            or path == pattern
            or path.startswith(pattern if pattern.endswith("/") else pattern + "/")
        ):
            return True
        if "literal" in item.magic or not has_wildcard(pattern[item.prefix :]):
            return False
        if item.prefix and path[: item.prefix] != pattern[: item.prefix]:
            return False
        return wildmatch(
            pattern[item.prefix :], path[item.prefix :], self._charge, pathname="glob" in item.magic
        )

    def _has_attributes(self, item: Item, path: str) -> bool:
        values = self._attributes_of(path.rstrip("/"))
        return all(values.get(name) == wanted for name, wanted in item.attributes)


def parse_pathspec(
    operands: Sequence[str],
    prefix: str,
    root: str,
    charge: Callable[[int], None],
    *,
    defaults: frozenset[str] = frozenset(),
    attributes_of: Callable[[str], Mapping[str, Value]] = lambda path: {},
) -> Pathspec:
    """Return the pathspec of operands. Raises GitError for one outside of the working tree.

    Args:
        prefix: The directory of the caller below the working tree, "" or "dir/".
        root: The working tree, for messages.
        defaults: Magic words of all operands: "literal", "glob", "noglob", "icase".
        attributes_of: Returns the attributes of a path.
    """
    items = [_parse(operand, prefix, root, defaults) for operand in operands]
    return Pathspec(items, charge, attributes_of)


def operands_of(ctx: Context, operands: Sequence[str], name: str | None, nul: bool) -> list[str]:
    """Return the operands, or those in a file (--pathspec-from-file, --pathspec-file-nul)."""
    if name is None:
        if nul:
            raise GitError("the option '--pathspec-file-nul' requires '--pathspec-from-file'")
        return list(operands)
    if operands:
        raise GitError("'--pathspec-from-file' and pathspec arguments cannot be used together")
    try:
        with ctx.open(name) as reader:
            text = reader.read_all().decode("utf-8", "surrogateescape")
    except OSError as error:
        raise GitError(f"could not open '{name}' for reading: {error.strerror}") from None
    if nul:
        return [each for each in text.split("\0") if each]
    return [unquote(line.removesuffix("\r")) for line in text.split("\n") if line]


def _parse(operand: str, prefix: str, root: str, defaults: frozenset[str]) -> Item:
    if operand == "":
        raise GitError(
            "empty string is not a valid pathspec. please use . instead if you meant to match all paths"
        )
    literal = "literal" in defaults
    magic = set(defaults & {"literal", "icase"})
    text = operand
    attributes: tuple[tuple[str, Value], ...] = ()
    if not literal and operand.startswith(":("):
        words, closing, text = operand[2:].partition(")")
        if not closing:
            raise GitError(f"Missing ')' at the end of pathspec magic in '{operand}'")
        for word in filter(None, words.split(",")):
            if word.startswith("attr:"):
                if attributes:
                    raise GitError("Only one 'attr:' specification is allowed.")
                attributes = _parse_attributes(word[5:])
                continue
            if word not in _MAGIC:
                raise GitError(f"Invalid pathspec magic '{word}' in '{operand}'")
            magic.add(word)
    elif not literal and operand.startswith(":"):
        text = operand[1:]
        while text[:1] in _SHORT and text:
            magic.add(_SHORT[text[0]])
            text = text[1:]
        text = text.removeprefix(":")
    if not literal and not magic & {"literal", "glob"}:
        magic |= {"literal"} if "noglob" in defaults else defaults & {"glob"}
    if "literal" in magic and "glob" in magic:
        raise GitError(f"{operand}: 'literal' and 'glob' are incompatible")
    base = "" if "top" in magic else prefix
    pattern = from_top(text, base, root, operand)
    length = len(base) if pattern.startswith(base) else 0
    return Item(operand, pattern, frozenset(magic), length, attributes)


def _parse_attributes(text: str) -> tuple[tuple[str, Value], ...]:
    """Return the conditions of "attr:text -diff !x eol=lf". Raises GitError for a wrong name."""
    if not text:
        raise GitError("attr spec must not be empty")
    conditions: list[tuple[str, Value]] = []
    for word in text.split():
        name, value = word, True if word[0] not in "!-" else None if word[0] == "!" else False
        wanted: Value = value
        if value is not True:
            name = word[1:]
        elif "=" in word:
            name, _, wanted = word.partition("=")
        if not name or name[0] == "-" or not all(c.isascii() and (c.isalnum() or c in "-._") for c in name):
            raise GitError(f"invalid attribute name {name}")
        conditions.append((name, wanted))
    return tuple(conditions)


def from_top(name: str, prefix: str, root: str, shown: str) -> str:
    """Return a name relative to the working tree, with a slash at its end if it has one.

    Raises:
        GitError: The name is outside.
    """
    absolute = name if name.startswith("/") else f"{root}/{prefix}{name}"
    path = normalize(absolute)
    base = root.rstrip("/")
    slash = "/" if name.endswith("/") and path != base else ""
    if path in (root, base):
        return ""
    if not path.startswith(base + "/"):
        raise GitError(f"{shown}: '{shown}' is outside repository at '{root}'")
    return path[len(base) + 1 :] + slash
