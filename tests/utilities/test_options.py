"""Options is the truth about what a utility accepts: it is parsed by it, it is read, and --help shows it."""

from __future__ import annotations

import ast
import inspect
import re
import string
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from docs.generate import option_classes
from sandhook import Limits, Shell
from sandhook.command.options import VERSION, declared_fields, options_by_flag
from sandhook.utilities import load, names
from tests.sandbox.tools import every
from tests.source import PACKAGE
from tests.utilities.test_unknown_options import TAKES_ALL

GROUPS = {path.name for path in (PACKAGE / "utilities").iterdir() if path.is_dir()}

#: Letters that mean something other than an option: a mode, an expression.
NOT_OPTIONS = {
    "chmod": "agorstuwxX",
    "find": "d",  # of old: -depth
    "tail": "bl",  # of old: ten blocks, ten lines
}

#: Utilities that say what is wrong and continue, as the real ones do.
CONTINUES = {"less"}

#: Utilities that say what kind of option is wrong, without its name, as the real ones do.
NAMELESS = {"ps"}

#: Words after a dash are signals.
SIGNALS = {"kill"}

REFUSAL = re.compile(
    r"invalid|unrecognized|unknown|illegal|not offered|not supported|unexpected argument|bad usage|cannot be|usage:"
    r"|Usage:|predicate|wrong|is not an option|unsupported|There is no",
    re.IGNORECASE,
)

#: Utilities with OPERAND_WORDS: the ways to call each with a word, and how it refuses one that it does not know.
WORDS = {
    "[": (("'{}' x ]", "1 '{}' 1 ]"), "operator expected|missing argument"),
    "csv": (("'{}' /dev/null",), "unknown sub-command"),
    "dd": (
        ("'{}=xx'", "'conv={}'", "'iflag={}'", "'oflag={}'"),
        "unrecognized operand|invalid .*: '(?!xx')",
    ),
    "find": ((". '{}'",), "unknown predicate"),
    "getconf": (("'{}'", "'{}' /"), "Unrecognized variable|Usage:"),
    "ps": (("'{}'",), "unsupported option"),
    "stty": (("'{}'",), "invalid argument"),
    "test": (("'{}' x", "1 '{}' 1"), "operator expected|missing argument"),
    "tput": (("-T xterm '{}'",), "unknown terminfo capability"),
}

#: Of these, the utilities whose words all have a dash, or may have one.
WITH_DASH, PERHAPS_WITH_DASH = {"[", "find", "test"}, {"stty"}


class Program:
    """One Options class, and the command that has it."""

    def __init__(self, name: str, command: str, options: type) -> None:
        self.name = name
        self.command = command
        self.options = options
        self.module: Any = load(name)


def programs() -> Iterator[Program]:
    """Yield a Program for each name of a utility, and for each of its subcommands."""
    for name in sorted(names()):
        module: Any = load(name)
        yield Program(name, f"/usr/bin/'{name}'", getattr(module, "PROGRAMS", {}).get(name) or module.Options)
        for subcommand, options in getattr(module, "SUBCOMMANDS", {}).items():
            yield Program(name, f"/usr/bin/'{name}' {subcommand}", options)


def title(program: Program) -> str:
    return program.command.removeprefix("/usr/bin/").replace("'", "")


#: One Program for each Options class.
CLASSES = list({program.options: program for program in reversed(list(programs()))}.values())


def output(command: str) -> tuple[str, str]:
    """Run a command; return its output and errors, and its status."""
    result = Shell(limits=Limits(wall_seconds=20.0)).run(f"{command} 2>&1 < /dev/null; echo $?")
    text, _, status = result.stdout.rstrip("\n").rpartition("\n")
    return text, status


def outputs(commands: dict[str, str]) -> dict[str, tuple[str, str]]:
    """Run commands in one shell; return the output and errors of each, and its status, by their names."""
    script = "".join(
        f"{line} 2>&1 < /dev/null; echo $'\\n' END {name} $?\n" for name, line in commands.items()
    )
    result = Shell(limits=Limits(wall_seconds=20.0)).run(script)
    parts = re.split(r"\n END (\w+) (\d+)\n", result.stdout)
    found = {parts[at + 1]: (parts[at].rstrip("\n"), parts[at + 2]) for at in range(0, len(parts) - 1, 3)}
    assert list(found) == list(commands), (result.limit, result.stdout[-200:])
    return found


@cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def source_files(cls: type, module: Any) -> set[Path]:
    """Return the files that may read the options: the utility's file or package, and what its group shares."""
    files: set[Path] = set()
    for thing in (cls, module):
        path = Path(inspect.getfile(thing))
        whole = path.parent.name not in GROUPS and "utilities" in path.parts
        files |= {*path.parent.rglob("*.py")} if whole else {path, *path.parent.glob("*.py")}
    return files


@pytest.mark.parametrize("program", CLASSES, ids=title)
def test_every_field_is_read_or_without_effect(program: Program) -> None:
    made = program.options.__qualname__ == "Options" and program.name.startswith("csv")
    cls = program.options
    whole = "\n".join(map(text_of, sorted(source_files(program.module if made else cls, program.module))))
    declaration = "" if made and program.name != "csv" else inspect.getsource(cls)
    other = whole.replace(declaration, "") if declaration else whole
    for field, declared in declared_fields(cls).items():
        ignored = [option.ignored for option in declared.options]
        if any(option.const is VERSION for option in declared.options):
            continue  # the parser reads it
        read = re.search(rf"\.{field}\b", whole) or re.search(rf"""["']{field}["']""", other)
        assert read or (ignored and all(ignored)), f"{title(program)}: {field} is accepted and never read"
        if any(ignored):
            assert all(ignored), f"{title(program)}: {field} mixes options with and without effect"


@pytest.mark.parametrize(
    "program",
    every(
        3, [each for each in programs() if each.name not in TAKES_ALL.keys() - CONTINUES - NAMELESS - SIGNALS]
    ),
    ids=title,
)
def test_every_accepted_letter_is_declared(program: Program) -> None:
    """A letter that is not declared is refused."""
    accepted = {
        *options_by_flag(program.options),
        *(f"-{each}" for each in NOT_OPTIONS.get(program.name, "")),
    }
    refused = [letter for letter in string.ascii_letters if f"-{letter}" not in accepted]
    results = outputs({letter: f"{program.command} -{letter}" for letter in refused})
    for letter, (text, status) in results.items():
        assert (status != "0" or program.name in CONTINUES) and REFUSAL.search(text), (
            f"{title(program)} accepts -{letter}, which Options lacks: {text!r}"
        )


@pytest.mark.parametrize(
    "program",
    [each for each in programs() if getattr(each.module, "INFORMS", True) and each.name != "time"],
    ids=title,
)
def test_help_shows_every_option(program: Program) -> None:
    shown, status = output(f"/usr/bin/'{program.name}' --help")
    words = set(re.findall(r"(?<![\w-])--?[^\s,\[\]]+", shown))
    assert status == "0"
    missing = [flag for flag in options_by_flag(program.options) if flag not in words]
    assert not missing, f"{title(program)} --help lacks {missing}"


def test_a_utility_that_parses_its_arguments_gives_the_reason() -> None:
    raw = {inspect.getsourcefile(load(name)) for name in names() if getattr(load(name), "RAW", False)}
    for file in sorted(filter(None, raw)):
        assert re.search(r"^RAW = True  # \S", text_of(Path(file)), re.MULTILINE), file


# --------------------------------------------------------------------------- words that operands may be


def first_words(module: Any) -> set[str]:
    """Return the words of OPERAND_WORDS without their arguments."""
    entries = [entry for group in module.OPERAND_WORDS.values() for entry in group]
    if module.__name__.endswith(".find"):  # the words are in any place: E -a E
        return {word for entry in entries for word in entry.split() if word[0] in "-!(),"}
    return {re.split(r"[ =]", entry)[0] or entry for entry in entries}


def test_all_closed_sets_of_words_are_held() -> None:
    assert {name for name in names() if getattr(load(name), "OPERAND_WORDS", None)} == WORDS.keys()


@pytest.mark.parametrize("name", sorted(WORDS))
def test_help_shows_every_word(name: str) -> None:
    shown = Shell().run(f"man '{name}'").stdout
    for words in load(name).OPERAND_WORDS.values():  # type: ignore[attr-defined]
        for word in words:
            assert re.search(rf"  {re.escape(word)}(\n|  )", shown), f"{name} --help lacks {word}"


@pytest.mark.parametrize("name", every(6, sorted(WORDS)))
def test_a_word_is_accepted_if_it_is_declared(name: str) -> None:
    """The words are those in the source of the utility, and the same with a dash: what it knows is there."""
    module: Any = load(name)
    forms, refusal = WORDS[name]
    declared = first_words(module)
    if name == "stty":
        declared |= {f"-{word}" for word in module.OPERAND_WORDS["Settings, with a dash to switch them off"]}
    in_source = {
        word
        for path in source_files(module.Options, module)
        for node in ast.walk(ast.parse(text_of(path)))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        for word in re.split(r"[ =]", node.value)
    }
    words = {word for word in declared | in_source if re.fullmatch(r"-?[A-Za-z0-9][\w.]*", word)}
    if name == "ps":  # a word is a cluster of letters, or a number of a process
        words = set(string.ascii_letters)
    if name in WITH_DASH | PERHAPS_WITH_DASH:
        words |= {f"-{word.removeprefix('-')}" for word in words}
    options = options_by_flag(module.Options)
    for word in sorted(words):
        dash = word[0] == "-"
        if (dash != (name in WITH_DASH) and name not in PERHAPS_WITH_DASH) or options.keys() & {
            word,
            word[:2],
        }:
            continue
        texts = [output(f"/usr/bin/'{name}' {form.replace('{}', word)}")[0] for form in forms]
        accepted = any(re.search(refusal, text) is None for text in texts)
        assert accepted == (word in declared), f"{name} {word}: {texts}"


def test_every_option_class_is_in_the_reference() -> None:
    classes = {options for name in names() for options in option_classes(load(name))}
    assert {program.options for program in CLASSES} == classes
