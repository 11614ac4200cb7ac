"""The built-ins of a hook's text that execute something, or change what is known after them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from typing import TypeAlias

from sandhook.dispatch.operands import is_system_program
from sandhook.hooks.evidence.commands import Commands, Fields
from sandhook.hooks.evidence.knowledge import Knowledge, absolute, descriptor_of, reachable
from sandhook.hooks.evidence.variables import CHANGING, has_substitution, hides_command, stays
from sandhook.lazy import lazily

#: A text that assigns, or changes the directory.
_CHANGES = lazily(
    r"=|\b(?:cd|pushd|popd|read|unset|eval|source|set|shift|printf|mapfile)\b|(?:^|[;&|\s])\.\s"
)
_IDENTIFIER = lazily(r"[A-Za-z_]\w*")

#: Built-ins whose arguments are assignments.
DECLARATIONS = frozenset({"declare", "export", "local", "readonly", "typeset"})


def _source(seeker: Commands, fields: Fields, known: Knowledge, line: int) -> None:
    fields = [field for field in fields if field != "--"]
    word = fields[1] if len(fields) > 1 else ""
    if word is None:
        seeker.note(line, "sources what it computes", names_file=True)
        known.forget()
        return
    descriptor = descriptor_of(word)
    if descriptor is not None:
        stream = known.streams.get(descriptor)
        if stream is None or (stream.path is None and stream.text is None):
            seeker.note(line, "sources its standard input or a pipe")
            known.forget()
        elif stream.path is not None:
            seeker.file(stream.path, known, line, how="sources")
        else:
            seeker.text(stream.text or "", known)
        return
    if not word:
        return
    if "/" not in word:  # PATH comes before the working directory
        for entry in known.variables.get("PATH", "").split(":"):
            place = f"{entry or '.'}/{word}"
            if not is_system_program(absolute(place, known.directories[0])):
                seeker.file(place, known, line, fields[1:], how="sources")
    seeker.file(word, known, line, fields[1:], how="sources")


def _eval(seeker: Commands, fields: Fields, known: Knowledge, line: int) -> None:
    if None in fields:
        seeker.note(line, "evaluates what it computes")
        known.forget()
        return
    seeker.text(" ".join(field for field in fields[1:] if field and field != "--"), known)


def _trap(seeker: Commands, fields: Fields, known: Knowledge, line: int) -> None:
    words = [field for field in fields[1:] if field != "--"]
    if len(words) < 2 or words[0] in ("-", "", "-p", "-l", "-P"):
        return
    if words[0] is None:
        seeker.note(line, "has a trap that it computes")
        return
    seeker.later(words[0])
    if not {*words[1:]} <= {"EXIT", "0"} and _CHANGES.search(words[0]):
        seeker.note(line, f"has a trap that may change what it executes: {words[0]}")


def _alias(seeker: Commands, fields: Fields, known: Knowledge, line: int) -> None:
    for field in fields[1:]:
        if field is None:
            seeker.note(line, "has an alias that it computes")
        elif "=" in field:
            name, _, text = field.partition("=")
            seeker.later(text)
            seeker.aliases.add(name)


def _cd(seeker: Commands, fields: Fields, known: Knowledge, line: int) -> None:
    del line
    letters_of = "-LPe" if fields[0] == "cd" else "-n"
    options = [field for field in fields[1:] if field and field[0] == "-" and not field.strip(letters_of)]
    options = [field for field in options if len(field) > 1]
    words = [field for field in fields[1:] if field not in options]
    if fields[0] == "popd" or words[:1] == ["-"] or (fields[0] == "pushd" and not words):
        known.directories = list(seeker.seen)
        return
    target = words[0] if words else known.variables.get("HOME")
    if target is not None and fields[0] == "pushd" and target[:1] in "+-":
        known.directories = list(seeker.seen)
        return
    letters = "".join(options)
    physical = letters.rfind("P") > letters.rfind("L")
    if target is not None and physical and known.directory is not None:
        target = seeker.machine.resolve(reachable(target, known.directory, seeker.machine)[-1])
    before = known.directories
    seeker.change_directory(target, known)
    only_stack = fields[0] == "pushd" and "n" in letters  # a later popd changes the directory
    if len(words) > 1 or only_stack:  # more words than one are an error in bash
        known.directories = list(dict.fromkeys((*known.directories, *before)))


def _names(seeker: Commands, fields: Fields, known: Knowledge, line: int) -> None:
    """read, mapfile, getopts, unset, let, printf -v: variables get values that are not known."""
    _callback(seeker, fields, line)
    if None in fields and fields[0] != "printf":
        known.forget()
        return
    words = fields[1:]
    if fields[0] == "printf":
        first = words[0] if words else None
        words = [] if first is None or first[:2] != "-v" else [first[2:] or words[1]] if words[1:] else []
    if None in words:
        known.forget()
        return
    if any(word and hides_command(word) for word in words):
        seeker.note(line, f"{fields[0]} runs a command in a subscript")
    names = [name for word in words if word for name in _IDENTIFIER.findall(word)]
    if fields[0] == "unset":
        if "-v" not in fields:
            for name in names:
                known.functions.pop(name, None)
        known.forget(names)
        return
    seeker.loses([*names, "REPLY", "MAPFILE", "OPTARG", "OPTIND"], known, line)


def _callback(seeker: Commands, fields: Fields, line: int) -> None:
    """``mapfile -C``: a text that runs while it reads."""
    if fields[0] not in ("mapfile", "readarray"):
        return
    for option, text in pairwise((*fields, "")):
        if option is None or option[:2] != "-C":
            continue
        text = option[2:] or text
        if text is None:
            seeker.note(line, f"{fields[0]} -C runs a text that it computes")
        else:
            seeker.later(text)


def _declare(seeker: Commands, fields: Fields, known: Knowledge, line: int) -> None:
    for field in fields[1:]:
        if field is not None and fields[0] not in ("export", "readonly") and seeker.locals:
            seeker.locals[-1].update(_IDENTIFIER.findall(field.partition("=")[0]))
        if field is None:
            known.forget()
        elif "=" in field:
            seeker.assign_text(field, known, line)
            if hides_command(field):
                seeker.note(line, f"{fields[0]} runs a command in a subscript")
        elif field[:1] == "-" and "n" in field and fields[0] not in ("export", "readonly"):
            seeker.note(line, "has a reference to a variable, which hides what it assigns")
            known.forget()
        elif fields[0] == "local" or (fields[0] in ("declare", "typeset") and field[:1] != "-"):
            known.variables.pop(field, None)
    names = [field.partition("=")[0] for field in fields[1:] if field and field[:1] not in "-+"]
    declares(seeker, fields, names, known)


def declares(seeker: Commands, fields: Fields, names: Iterable[str], known: Knowledge) -> None:
    """Follow the attributes that a declaration sets for variables, whose values are assigned already."""
    letters = "r" if fields[0] == "readonly" else ""
    for field in fields[1:]:
        if field is not None and field[:1] == "-":
            letters += "".join(letter for letter in field if letter in CHANGING)
    for name in names if letters else ():
        value = known.variables.get(name)
        if value is not None and not stays(name, value, value, letters):
            del known.variables[name]
        seeker.attributes[name] = seeker.attributes.get(name, "") + letters


def _set(seeker: Commands, fields: Fields, known: Knowledge, line: int) -> None:
    rest = list(fields[1:])
    while rest and rest[0] is not None and rest[0][:1] in ("-", "+") and rest[0] != "--":
        if rest[0][0] == "-" and ("P" in rest[0] or (rest[0][-1:] == "o" and rest[1:2] == ["physical"])):
            seeker.note(line, "sets an option by which cd follows links")
        rest = rest[2:] if rest[0][-1:] == "o" else rest[1:]
    if rest[:1] == ["--"]:
        known.positional = tuple(rest[1:])
    elif rest:
        known.positional = tuple(rest) if rest[0] is not None else None


def _leave(seeker: Commands, fields: Fields, known: Knowledge, line: int) -> None:
    """``return``, ``break`` and ``continue``: the script may go on after what they leave."""
    del fields, line
    for exits in seeker.left:
        exits.append(known.copy())


def _shift(seeker: Commands, fields: Fields, known: Knowledge, line: int) -> None:
    del seeker, line
    count = fields[1] if len(fields) > 1 else "1"
    usual = known.positional is not None and count is not None and count.isdecimal()
    known.positional = (known.positional or ())[int(count or 0) :] if usual else None


def _shopt(seeker: Commands, fields: Fields, known: Knowledge, line: int) -> None:
    known.usual = False
    for option in ("autocd", "cdable_vars", "cdspell"):
        if option in fields:
            seeker.note(line, f"shopt {option}: what cd does")


def _history(seeker: Commands, fields: Fields, known: Knowledge, line: int) -> None:
    """``fc`` runs commands again, from a list that files and ``history -s`` fill."""
    del known
    if fields[0] == "fc" and not any(field and field[:1] == "-" and "l" in field for field in fields[1:]):
        seeker.note(line, "fc runs commands of the history")


def _compgen(seeker: Commands, fields: Fields, known: Knowledge, line: int) -> None:
    """``compgen -C TEXT`` runs a text, ``-F NAME`` a function, ``-W WORDS`` expands words."""
    del known
    for option, text in pairwise((*fields, "")):
        letter = (option or "")[:2]
        text = (option or "")[2:] or text
        if letter == "-C" and text is not None:
            seeker.later(text)
        elif letter in ("-C", "-W") and (text is None or has_substitution(text)):
            seeker.note(line, f"compgen {letter} runs a text that it computes")


def _jobs(seeker: Commands, fields: Fields, known: Knowledge, line: int) -> None:
    """``jobs -x COMMAND`` runs a command."""
    if fields[1:2] == ["-x"] and len(fields) > 2:
        seeker.call(fields[2:], known, line)


def _test(seeker: Commands, fields: Fields, known: Knowledge, line: int) -> None:
    """``test -v`` and the numbers of ``test`` expand subscripts."""
    del known
    if any(field and hides_command(field) for field in fields[1:]):
        seeker.note(line, f"{fields[0]} runs a command in a subscript")


def _loads(seeker: Commands, fields: Fields, known: Knowledge, line: int) -> None:
    """``hash -p FILE NAME``, ``enable -f FILE NAME`` and ``enable -n NAME``."""
    if fields[0] == "enable" and any(field and field[:2] in ("-n", "-d") for field in fields[1:]):
        seeker.note(line, "switches a built-in off, so that its name is another command")
    for option, word in pairwise((*fields, "")):
        if option is not None and option[:2] in ("-p", "-f"):
            word = option[2:] or word
            if word is None:
                seeker.note(line, f"{fields[0]} names a file that it computes")
            else:
                seeker.file(word, known, line, [word])


_Effect: TypeAlias = Callable[[Commands, Fields, Knowledge, int], None]

EFFECTS: Mapping[str, _Effect] = {
    ".": _source, "[": _test, "alias": _alias, "break": _leave, "cd": _cd, "compgen": _compgen, "continue": _leave,
    "declare": _declare, "enable": _loads, "eval": _eval, "export": _declare, "fc": _history, "getopts": _names,
    "hash": _loads, "jobs": _jobs, "let": _names, "local": _declare, "mapfile": _names, "popd": _cd, "printf": _names,
    "pushd": _cd, "read": _names, "readarray": _names, "readonly": _declare, "return": _leave, "set": _set,
    "shift": _shift, "shopt": _shopt, "source": _source, "test": _test, "trap": _trap, "typeset": _declare,
    "unset": _names, "wait": _names,
}  # fmt: skip
