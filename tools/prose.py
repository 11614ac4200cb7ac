"""prose: check the English of the documentation, of docstrings and comments, and of our own messages.

    python -m tools.prose [FILE...]

Print ``path:line: word: what to write instead`` for each finding, and exit with 1 if there are any. `tools/prose.toml`
has the files, the words with their replacements, the allowed phrases, and the paths that are not rewritten yet.
Operands restrict the check to these files.

Skipped are code spans, fenced blocks, link targets, and text in double quotes: a quoted word is a mention.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
CONFIGURATION = ROOT / "tools" / "prose.toml"

#: Prose as it stands in a file: its first line (1-based) and its text.
Passage = tuple[int, str]

#: What a passage of a module is.
Kind = Literal["docstring", "comment", "message"]


class Finding(NamedTuple):
    """One word or sentence that should be rewritten."""

    path: str  #: relative to the project, with slashes
    line: int  #: 1-based
    word: str  #: as it stands in the text
    advice: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.word}: {self.advice}"


class Rules:
    """The word list and the other settings of `tools/prose.toml`."""

    def __init__(self, settings: dict[str, Any]) -> None:
        #: Advice for each pattern; a pattern is a regular expression for whole words, in either case.
        self.words: dict[str, str] = settings["words"]
        self.openings: dict[str, str] = settings["openings"]
        self.longest: int = settings["longest_sentence"]
        self.markdown: list[str] = settings["markdown"]
        self.generated: list[str] = settings["generated"]
        self.python: list[str] = settings["python"]
        #: Files, and directories that end in "/".
        self.not_yet: list[str] = settings["not_yet"]
        self._word = _any_of(self.words, r"(?<![\w-])(?:{})(?![\w-])")
        self._opening = _any_of(self.openings, r"\A\W*(?:{})(?![\w-])")
        self._allowed = re.compile("|".join(settings["allowed"]) or r"(?!)", re.IGNORECASE)

    def words_in(self, text: str) -> Iterator[tuple[int, str, str]]:
        """Yield the offset, the word and the advice for each unwanted word in text."""
        if not self._word.search(text):
            return
        text = self._allowed.sub(_blank, text)
        for match in self._word.finditer(text):
            yield match.start(), match[0], _advice(self.words, match)

    def opening_of(self, docstring: str) -> tuple[str, str] | None:
        """Return an unwanted first phrase and the advice for it, if the docstring has one."""
        match = self._opening.match(docstring)
        return (match[0].strip(), _advice(self.openings, match)) if match else None


def _any_of(patterns: dict[str, str], frame: str) -> re.Pattern[str]:
    """Return one expression with a group for each pattern. A blank stands for any white space."""
    joined = "|".join(f"({pattern})" for pattern in patterns).replace(" ", r"\s+") or "(?!)"
    return re.compile(frame.format(joined), re.IGNORECASE)


def _advice(patterns: dict[str, str], match: re.Match[str]) -> str:
    return list(patterns.values())[(match.lastindex or 1) - 1]


def load(path: Path = CONFIGURATION) -> Rules:
    """Return the rules of a configuration file."""
    return Rules(tomllib.loads(path.read_text(encoding="utf-8")))


# --------------------------------------------------------------------------- what is not prose

#: Stands for the characters of a code span: no word, so that a list of options is not a long sentence.
_CODE = "\N{FULL BLOCK}"
_FENCE = re.compile(r"^( *)(`{3,}|~{3,}).*?^\1\2[ \t]*$", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_LINK = re.compile(r"\]\([^)]*\)")
_SPAN = re.compile(r"(?<!`)(`+)(?!`)(?:(?!\n\s*\n).)+?(?<!`)\1(?!`)", re.DOTALL)  # within a paragraph
_QUOTED = re.compile(r"\"[^\"\n]{1,200}\"|“[^”\n]{1,200}”")


def _blank(match: re.Match[str]) -> str:
    """Return as many spaces as were matched, with the line ends kept."""
    return re.sub(r"[^\n]", " ", match[0])


def _mark(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", _CODE, match[0])


def without_code(text: str) -> str:
    """Return text of the same length without code spans and quotations."""
    return _QUOTED.sub(_mark, _SPAN.sub(_mark, text))


# --------------------------------------------------------------------------- Markdown

_BLOCK_END = re.compile(r"^\s*$|^\s*(?:[-*+]|\d+\.)\s|^#|^\s*\|")
_SENTENCE_END = re.compile(r"(?<![.!?\s])(?<!\be\.g)(?<!\bi\.e)[.!?][)\"*_]*(?=\s|$)|:\s*$")


def passages(markdown: str) -> Iterator[Passage]:
    """Yield each paragraph, item of a list and heading of a page, and each clause of a table cell.

    A cell is often a list, with semicolons between its items; an item must not be longer than a sentence.
    """
    text = _LINK.sub(_blank_target, _COMMENT.sub(_blank, _FENCE.sub(_blank, markdown)))
    text = without_code(text)
    start, lines = 0, list[str]()
    for number, line in enumerate([*text.split("\n"), ""], 1):
        if _BLOCK_END.match(line) and lines:
            yield start, "\n".join(lines)
            lines = []
        if line.lstrip().startswith("|"):
            yield from ((number, cell) for cell in re.split(r"(?<!\\)\||;", line))
        elif line.strip():
            start = start if lines else number
            lines.append(line)


def _blank_target(match: re.Match[str]) -> str:
    return "]" + " " * (len(match[0]) - 1)


def check_markdown(path: str, text: str, rules: Rules) -> Iterator[Finding]:
    """Yield the unwanted words and the long sentences of a page."""
    for first, passage in passages(text):
        for offset, word, advice in rules.words_in(passage):
            yield Finding(path, first + passage.count("\n", 0, offset), " ".join(word.split()), advice)
        start = 0
        for end in [*(match.end() for match in _SENTENCE_END.finditer(passage)), len(passage)]:
            sentence = passage[start:end]
            length = len(re.findall(r"[^\W_][\w'’.-]*", sentence))
            if length > rules.longest:
                lead = passage[: start + len(sentence) - len(sentence.lstrip())]
                words = re.sub(f"{_CODE}+", "`...`", " ".join(sentence.split()[:4]))
                advice = f"a sentence of {length} words; write at most {rules.longest}"
                yield Finding(path, first + lead.count("\n"), f"{words} ...", advice)
            start = end


# --------------------------------------------------------------------------- Python

#: Strings and comments, of which one may contain what looks like the other. `tokenize` and `ast` find the same, but
#: take nine times as long: 4 seconds for src.
_TOKEN = re.compile(
    r'''(?P<string>(?:\b[rbfu]{1,2})?(?:"""(?:[^\\]|\\.)*?"""|\'{3}(?:[^\\]|\\.)*?\'{3}'''
    r"""|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'))|(?P<comment>\#[^\n]*)""",
    re.DOTALL | re.IGNORECASE,
)
_DIRECTIVE = re.compile(r"#\s*(?:type:|noqa|pragma|fmt:|!)")
#: Lines that may stand between a docstring and the colon of its definition.
_NOTHING = re.compile(r"[ \t]*(?:#.*)?\Z")


def passages_of_code(source: str) -> Iterator[tuple[Kind, Passage]]:
    """Yield each docstring, comment and message of a module.

    A docstring is a string in three double quotes that begins a line, after a line that ends with a colon or at
    the start of the module. A message is any other string with two blanks.
    """
    for match in _TOKEN.finditer(source):
        line = source.count("\n", 0, match.start()) + 1
        text = match[0]
        if match["comment"] is not None:
            if not _DIRECTIVE.match(text):
                yield "comment", (line, text)
        elif text.lstrip("rR").startswith('"""') and _begins_body(source, match.start()):
            yield "docstring", (line, text.lstrip("rR"))
        elif text.count(" ") > 1:
            yield "message", (line, text)


def _begins_body(source: str, start: int) -> bool:
    """Return True if a string at start is the first statement of a module, class or function."""
    line_start = source.rfind("\n", 0, start) + 1
    if source[line_start:start].strip():
        return False
    while line_start > 0:
        end = line_start - 1
        line_start = source.rfind("\n", 0, end) + 1
        line = source[line_start:end]
        if not _NOTHING.match(line):
            return line.partition("  #")[0].rstrip().endswith(":")
    return True


def check_python(path: str, source: str, rules: Rules) -> Iterator[Finding]:
    """Yield the unwanted words of a module, and the unwanted openings of its docstrings."""
    messages_are_ours = not path.startswith("tests/")  # tests quote what real programs print
    for kind, (first, passage) in passages_of_code(source):
        if kind == "docstring" and (opening := rules.opening_of(passage)):
            yield Finding(path, first, opening[0].strip('"'), opening[1])
        if kind == "docstring":
            passage = passage[3:-3]
        if kind == "message":
            prose = passage if messages_are_ours else ""
        else:
            prose = without_code(passage)
        for offset, word, advice in rules.words_in(prose):
            yield Finding(path, first + prose.count("\n", 0, offset), " ".join(word.split()), advice)


# --------------------------------------------------------------------------- files


def files(rules: Rules) -> list[Path]:
    """Return the files that the configuration names, without the generated ones."""
    found = [path for pattern in rules.markdown for path in ROOT.glob(pattern)]
    found = [path for path in found if not _is_below(path, rules.generated)]
    return sorted(found) + sorted(path for pattern in rules.python for path in ROOT.glob(pattern))


def _is_below(path: Path, names: list[str]) -> bool:
    relative = path.relative_to(ROOT).as_posix()
    return any(relative == name or (name.endswith("/") and relative.startswith(name)) for name in names)


def check(path: Path, rules: Rules) -> list[Finding]:
    """Return the findings of one file."""
    relative = path.relative_to(ROOT).as_posix()
    text = path.read_text(encoding="utf-8")
    checker = check_markdown if path.suffix == ".md" else check_python
    return list(checker(relative, text, rules))


def overdue(rules: Rules) -> list[str]:
    """Return the paths of `not_yet` that have no findings any more, or do not exist."""
    with_findings = set[str]()
    for name in rules.not_yet:
        below = [path for path in files(rules) if _is_below(path, [name])]
        if any(check(path, rules) for path in below):
            with_findings.add(name)
    return [name for name in rules.not_yet if name not in with_findings]


def main(operands: list[str]) -> int:
    """Check the files and print the findings; return 1 if there are any, else 0."""
    rules = load()
    named = {Path(name).resolve() for name in operands}
    chosen = [path for path in files(rules) if not named or path in named]
    chosen = [path for path in chosen if not _is_below(path, rules.not_yet)]
    messages = [str(finding) for path in chosen for finding in check(path, rules)]
    if not operands:
        stale = "has no findings left; remove it from not_yet in tools/prose.toml"
        messages += [f"{name}:1: not_yet: {stale}" for name in overdue(rules)]
    if messages:
        print("\n".join(messages))
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
