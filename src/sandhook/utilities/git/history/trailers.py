"""The trailers of a message: the last paragraph, with lines such as ``Signed-off-by: Ann <ann@example.com>``.

Source: git-interpret-trailers(1); git 2.39 for which paragraph counts as a block of trailers.
"""

from __future__ import annotations

import re

from sandhook.record import Record
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.writing_messages import SCISSORS
from sandhook.utilities.git.store.config import Config

#: Lines that git itself writes: next to one of them, a quarter of trailers is enough for a block.
_GENERATED = ("Signed-off-by: ", "(cherry picked from commit ")

_AFTER = ("after", "end")


class Behaviour(Record):
    """Where a trailer is added, and whether.

    Fields:
        where: "after", "before", "end" or "start".
        if_exists: What to do if the block has the same key.
        if_missing: What to do if it does not.
    """

    where: str = "end"
    if_exists: str = "addifdifferentneighbor"
    if_missing: str = "add"


#: The words of each field of ``Behaviour``, in lower case.
WORDS = {
    "where": ("after", "before", "end", "start"),
    "if_exists": ("addifdifferentneighbor", "addifdifferent", "add", "replace", "donothing"),
    "if_missing": ("donothing", "add"),
}

_FIELDS = {"where": "where", "ifexists": "if_exists", "ifmissing": "if_missing"}


class Token(Record):
    """The settings ``trailer.NAME.*``; ``key`` is the text in messages, "" for the name or the text as given."""

    name: str
    key: str
    behaviour: Behaviour
    has_command: bool

    def matches(self, text: str) -> bool:
        """Return True for a key that begins the name, or the text of the key."""
        short = _significant(text).lower()
        return self.name.lower().startswith(short) or self.key.lower().startswith(short or "\n")


class Settings:
    """The settings ``trailer.*``."""

    def __init__(self, config: Config) -> None:
        self.separators = ":"
        self.default = Behaviour()
        self.tokens: list[Token] = []
        named: dict[str, dict[str, str]] = {}
        for setting in config.settings:
            section, _, rest = setting.key.partition(".")
            if section != "trailer":
                continue
            name, _, variable = rest.rpartition(".")
            value = setting.value or ""
            if name:
                named.setdefault(name, {})[variable] = value
            elif variable == "separators":
                self.separators = value
            elif variable in _FIELDS:
                self.default = _changed(self.default, _FIELDS[variable], value)
        for name, values in named.items():
            behaviour = self.default
            for variable, field in _FIELDS.items():
                behaviour = _changed(behaviour, field, values.get(variable, ""))
            has_command = "command" in values or "cmd" in values
            self.tokens.append(Token(name, values.get("key", ""), behaviour, has_command))

    def find_token(self, text: str) -> Token | None:
        """Return the settings of a key, None without them."""
        return next((token for token in self.tokens if token.matches(text)), None)

    def parse(self, line: str, at: int) -> tuple[str, str, Behaviour]:
        """Return key, value and behaviour of a line with its separator at ``at``; -1 for a line without one."""
        key, value = (line[:at].strip(), line[at + 1 :].strip()) if at >= 0 else (line.strip(), "")
        token = self.find_token(key)
        if token is None:
            return key, value, self.default
        return token.key or key, value, token.behaviour


class Trailer:
    """One entry of a block. ``key`` is None for a line that is not a trailer."""

    __slots__ = ("key", "value")

    def __init__(self, key: str | None, value: str) -> None:
        self.key = key
        self.value = value

    def has_key_of(self, other: Trailer) -> bool:
        """Return True if the shorter key begins the other one, without regard to case and separators."""
        if self.key is None or other.key is None:
            return False
        mine, theirs = _significant(self.key).lower(), _significant(other.key).lower()
        return mine.startswith(theirs) or theirs.startswith(mine)

    def equals(self, other: Trailer) -> bool:
        """Return True for the same key and value."""
        return self.has_key_of(other) and self.value.lower() == other.value.lower()


class Block(Record):
    """The block of trailers of a message.

    Fields:
        start, end: Its place in the message.
        lines: Its lines, each with its continuations and newlines.
        after_blank: A blank line precedes it.
    """

    start: int
    end: int
    lines: list[str]
    after_blank: bool


def separator_at(line: str, separators: str) -> int:
    """Return the place of the separator after a key of letters, digits and "-"; -1 without one."""
    blank = False
    for at, c in enumerate(line):
        if c in separators:
            return at
        if not blank and ((c.isascii() and c.isalnum()) or c == "-"):
            continue
        if not at or c not in " \t":
            break
        blank = True
    return -1


def find_block(message: str, settings: Settings, comment: str = "#", *, divider: bool = True) -> Block:
    """Return the block of trailers of a message, which may be empty.

    Args:
        divider: A line that begins with ``---`` ends the message, as in a patch.
    """
    limit = len(message)
    if divider and (found := re.search(r"^---\s", message, re.MULTILINE)) is not None:
        limit = found.start()
    end = limit - _ignored(message[:limit], comment)
    lines = _lines(message[:end])
    first = _first_line(lines, settings, comment)
    start = sum(map(len, lines[:first]))
    joined: list[list[str]] = []
    for line in lines[first:]:
        if joined and line[:1].isspace():
            joined[-1].append(line)
        else:
            joined.append([line])
    return Block(start, end, ["".join(each) for each in joined], first > 0 and not lines[first - 1].strip())


def trailers_of(block: Block, settings: Settings, comment: str, *, unfold: bool, only: bool) -> list[Trailer]:
    """Return the entries of a block; ``only``: without lines that are not trailers."""
    found = []
    for line in block.lines:
        if line.startswith(comment):
            continue
        at = separator_at(line, settings.separators)
        if at >= 1:
            key, value, _ = settings.parse(line, at)
            found.append(Trailer(key, unfolded(value) if unfold else value))
        elif not only:
            found.append(Trailer(None, line.removesuffix("\n")))
    return found


def shown(trailer: Trailer, separators: str) -> str:
    """Return an entry as a line; "" for one with an empty key."""
    if trailer.key is None:
        return f"{trailer.value}\n"
    last = trailer.key.rstrip()[-1:]
    if not last:
        return ""
    return f"{trailer.key}{'' if last in separators else separators[:1] + ' '}{trailer.value}\n"


def unfolded(value: str) -> str:
    """Return a value on one line."""
    return re.sub(r"\n\s*", " ", value).strip()


def add(trailers: list[Trailer], new: Trailer, behaviour: Behaviour) -> None:
    """Add a trailer to a block, in the place and under the conditions of its behaviour."""
    backwards = behaviour.where in _AFTER
    places = range(len(trailers) - 1, -1, -1) if backwards else range(len(trailers))
    same = next((at for at in places if trailers[at].has_key_of(new)), None)
    if same is None:
        if behaviour.if_missing == "add":
            trailers.insert(len(trailers) if backwards else 0, new)
        return
    near = same if behaviour.where in ("after", "before") else places[0]
    if behaviour.if_exists == "donothing":
        return
    if behaviour.if_exists == "addifdifferent":
        checked = trailers[: same + 1] if backwards else trailers[same:]
        if any(each.equals(new) for each in checked):
            return
    elif behaviour.if_exists == "addifdifferentneighbor" and trailers[near].equals(new):
        return
    trailers.insert(near + 1 if backwards else near, new)
    if behaviour.if_exists == "replace":
        del trailers[same if backwards else same + 1]


# --------------------------------------------------------------------------- the parts of a message


def _lines(text: str) -> list[str]:
    """Return the lines of a text with their newlines; only a newline ends a line."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _ignored(message: str, comment: str) -> int:
    """Return how many characters at the end are no part of the trailers: comments, blank lines, old conflicts."""
    mark = f"\n{comment} {SCISSORS}\n"
    cut = 0 if message.startswith(mark[1:]) else message.find(mark) + 1 or len(message)
    start = None
    in_conflicts = False
    at = 0
    for line in _lines(message[:cut]):
        if line.startswith((comment, "\n")):
            start = at if start is None else start
        elif line.startswith("Conflicts:\n"):
            in_conflicts = True
            start = at if start is None else start
        elif not (in_conflicts and line.startswith("\t")):
            start, in_conflicts = None, False
        at += len(line)
    return len(message) - (cut if start is None else start)


def _first_line(lines: list[str], settings: Settings, comment: str) -> int:
    """Return the number of the first line of the block, that of the end without one.

    The block follows a blank line. Its lines are all trailers, or a quarter of them is and git wrote or knows one.
    """
    title = 0
    while title < len(lines) and (lines[title].startswith(comment) or lines[title].strip()):
        title += 1
    trailers = others = continuations = 0
    known = False
    only_blank = True
    for at in range(len(lines) - 1, title - 1, -1):
        line = lines[at]
        if line.startswith(comment):
            others += continuations
            continuations = 0
            continue
        if not line.strip():
            if only_blank:
                continue
            others += continuations
            is_block = (known and trailers * 3 >= others) or (trailers > 0 and not others)
            return at + 1 if is_block else len(lines)
        only_blank = False
        place = separator_at(line, settings.separators)
        if line.startswith(_GENERATED):
            known = True
        elif place >= 1 and not line[0].isspace():
            known = known or settings.find_token(line[:place]) is not None
        elif line[0].isspace():
            continuations += 1
            continue
        else:
            others += 1 + continuations
            continuations = 0
            continue
        trailers += 1
        continuations = 0
    return len(lines)


def _significant(key: str) -> str:
    """Return a key up to its last letter or digit."""
    end = len(key)
    while end and not (key[end - 1].isascii() and key[end - 1].isalnum()):
        end -= 1
    return key[:end]


def _changed(behaviour: Behaviour, field: str, value: str) -> Behaviour:
    """Return a behaviour with one word of a setting; git ignores an unknown word."""
    word = value.lower()
    return behaviour._replace(**{field: word}) if word in WORDS[field] else behaviour


def refuse_commands(settings: Settings) -> None:
    """Raise GitError if a setting would start a program."""
    for token in settings.tokens:
        if token.has_command:
            raise GitError(
                f"trailer.{token.name} runs a program, which git in the sandbox never does (L-GIT-002)",
                prefix="git",
                status=1,
            )
