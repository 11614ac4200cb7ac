"""Built-ins: those that execute texts, set variables, change directories, and print."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from sandhook.vetting.answers import is_command
from sandhook.vetting.call import Call
from sandhook.vetting.values import EMPTY, HOLE, UNKNOWN, Origin, Value, concatenated, joined, known
from sandhook.vetting.variables import computed_names

Effect = Callable[[Call], "Value | None"]

#: Built-ins of bash, which are no programs.
BUILTINS = frozenset(
    [
        ":",
        ".",
        "[",
        "alias",
        "bg",
        "bind",
        "break",
        "builtin",
        "caller",
        "cd",
        "command",
        "compgen",
        "complete",
        "compopt",
        "continue",
        "declare",
        "dirs",
        "disown",
        "echo",
        "enable",
        "eval",
        "exec",
        "exit",
        "export",
        "false",
        "fc",
        "fg",
        "getopts",
        "hash",
        "help",
        "history",
        "jobs",
        "kill",
        "let",
        "local",
        "logout",
        "mapfile",
        "popd",
        "printf",
        "pushd",
        "pwd",
        "read",
        "readarray",
        "readonly",
        "return",
        "set",
        "shift",
        "shopt",
        "source",
        "suspend",
        "test",
        "times",
        "trap",
        "true",
        "type",
        "typeset",
        "ulimit",
        "umask",
        "unalias",
        "unset",
        "wait",
        "[[",
    ]
)

#: Escapes of printable characters in a format of printf or a word of echo -e.
_ESCAPES = re.compile(r"\\(?:x[2-7][0-9A-Fa-f]|0?[0-3]?[0-7]{2}|u00[2-7][0-9A-Fa-f])")

#: An escape whose number a script computes.
_COMPUTED_ESCAPE = re.compile(rf"\\(?:x|u|0|\d)?{HOLE}")
_DIRECTIVE = re.compile(r"%[-+ #0]{0,9}(?:\d{1,9}|\*)?(?:\.\d{1,9})?(?:\([^)]*\))?[a-zA-Z]")

#: How many of them are a disguise; a colour of a terminal has one or two.
_MANY = 4


#: Options with a value; the name after ``read -a`` is an array's.
_READ_VALUES, _MAPFILE_VALUES = "dinNptu", "dnOsuCc"


def _eval(call: Call) -> Value:
    value = (
        concatenated([part for word in call.words for part in (word, known(" "))]) if call.words else EMPTY
    )
    if value.text is not None:
        value = Value((value.text.strip(),), value.origins)
    return call.runner.run_text(value, call.state, "eval", call.at)


def _source(call: Call) -> Value:
    if not call.words:
        return EMPTY
    first = call.words[0]
    if first.any_text.startswith(("/dev/fd", "/dev/stdin")):
        return call.runner.run_text(call.stdin, call.state, "source", call.at)
    if first.has("download", "decoded") and not first.known:
        return call.runner.run_text(first, call.state, "source", call.at)
    return call.runner.run_file(first, call.state, call.words[1:], call.at, sourced=True)


def _echo(call: Call) -> Value:
    words = list(call.words)
    newline, escapes = True, False
    while words and re.fullmatch(r"-[neE]+", words[0].any_text):
        newline = newline and "n" not in words[0].any_text
        escapes = escapes or "e" in words[0].any_text
        words = words[1:]
    parts: list[Value] = []
    for word in words:
        parts += [known(" "), word] if parts else [word]
    value = concatenated([*parts, known("\n" if newline else "")])
    hidden = escapes and len(_ESCAPES.findall(value.any_text)) >= _MANY
    if escapes and value.text is not None:
        output = call.runner.compute(["printf", "%b", value.text], "")
        value = known(output, value.origins) if output is not None else value
    if hidden:
        value = value.plus(Origin("decoded", "echo -e"))
    call.runner.printed(call, value)
    return value


def _printf(call: Call) -> Value:
    words = list(call.words)
    target = None
    if words and words[0].any_text == "-v" and len(words) > 1:
        target, words = words[1].any_text, words[2:]
    if words and words[0].any_text == "--":
        words = words[1:]
    if not words:
        return EMPTY
    texts = [word.text for word in words]
    format_ = words[0].any_text
    hidden = sum(len(_ESCAPES.findall(word.any_text)) for word in words) >= _MANY
    complete = [text for text in texts if text is not None]
    output = call.runner.compute(["printf", *complete], "") if len(complete) == len(texts) else None
    if output is not None:
        value = known(output, call.origins)
    elif (
        format_.count("%") == format_.count("%s")
        and len(words) - 1 == format_.count("%s")
        and HOLE not in format_
    ):
        pieces = format_.replace("\\n", "\n").split("%s")
        parts = [known(pieces[0])]
        for word, piece in zip(words[1:], pieces[1:], strict=True):
            parts += [word, known(piece)]
        value = concatenated(parts)
    else:
        value = Value(
            (_DIRECTIVE.sub(HOLE, format_).replace("\\n", "\n").replace("\\\\", "\\"),), call.origins
        )
    if (
        hidden
        or _COMPUTED_ESCAPE.search(format_)
        or ("%b" in format_ and any(_COMPUTED_ESCAPE.search(word.any_text) for word in words[1:]))
    ):
        value = value.plus(Origin("decoded", "printf"))
    if target is not None:
        call.runner.evaluates(call.words[1], call)
        name, subscript, _ = target.partition("[")
        if subscript:
            call.state.set_elements(name, [value], append=True)
        else:
            call.state.variables[name] = value
        return EMPTY
    call.runner.printed(call, value)
    return value


def _cd(call: Call) -> Value:
    operands = call.operands
    target = operands[0] if operands else known("~")
    if target.any_text == "-":
        call.state.directory = UNKNOWN
        return EMPTY
    call.state.directory = Value(
        tuple(dict.fromkeys(call.state.path(text) for text in target.texts)), target.origins
    )
    return EMPTY


def _pwd(call: Call) -> Value:
    return call.state.directory


def _read(call: Call) -> Value:
    """``read`` and ``mapfile``: their variables have what standard input has."""
    names: list[str] = []
    skip = False
    if call.name == "read" and any(
        text[:1] == "-" and text[1:].isalpha() and "s" in text for text in call.texts
    ):
        call.find("V-SPY", call.line)
    for text in call.texts:
        if skip:
            skip = False
        elif text[:1] == "-" and len(text) > 1:
            letters = _MAPFILE_VALUES if call.name != "read" else _READ_VALUES
            skip = text[-1] in letters and len(text) == 2
        else:
            names.append(text)
    source = call.stdin
    number = call.argument("-u")
    if number is not None and call.name == "read":
        source = call.state.written.get(f"/dev/fd/{number.any_text}", UNKNOWN)
    callback = call.argument("-C") if call.name != "read" else None
    if callback is not None and callback.any_text.split()[:1] in (["eval"], ["source"], ["."]):
        call.runner.run_text(source, call.state.branch(), f"{call.name} -C", call.at)
    elif callback is not None:
        line = [Value((word,), callback.origins) for word in callback.any_text.split()]
        line += [Value((HOLE,)), source.without_text()]
        call.runner.run_words(line, call.state.branch(), call.at, own=True)
    for index, name in enumerate(names or ["REPLY"]):
        one = len(names) <= 1
        lines = source.text.splitlines() if source.text is not None and one else []
        if call.name in ("mapfile", "readarray"):
            elements = tuple(Value((line,), source.origins) for line in lines)
            call.state.set_elements(name, elements or (source.without_text(),))
        elif call.has("-a"):
            words = source.text.split() if source.text is not None else []
            split = tuple(Value((word,), source.origins) for word in words)
            call.state.set_elements(name, split or (source.without_text(),))
        elif 0 < len(lines) <= 8:
            call.state.variables[name] = joined([Value((line.strip(),), source.origins) for line in lines])
        else:
            words = source.text.split() if source.text is not None and "\n" not in source.text.strip() else []
            text = words[index] if index < len(words) else HOLE
            call.state.variables[name] = Value((text,), source.origins)
    return EMPTY


def _set(call: Call) -> Value:
    texts = call.texts
    if "--" in texts:
        call.state.positional = tuple(call.words[texts.index("--") + 1 :])
        return EMPTY
    if "-o" not in texts and "+o" not in texts and texts and texts[0][:1] not in ("-", "+"):
        call.state.positional = tuple(call.words)
    if texts[:2] == ["+o", "history"]:
        call.find("V-TRACES")
    return call.runner.all_variables() if not texts else EMPTY


def _shift(call: Call) -> Value:
    if call.state.positional is not None:
        count = int(call.texts[0]) if call.texts and call.texts[0].isdecimal() else 1
        call.state.positional = call.state.positional[count:]
    return EMPTY


def _unset(call: Call) -> Value:
    for word in call.words:
        call.runner.evaluates(word, call)
    for text in call.texts:
        if text == "HISTFILE":
            call.find("V-TRACES")
        call.state.variables.pop(text, None)
        call.state.arrays.pop(text, None)
        call.state.others.pop(text, None)
    return EMPTY


def _declare(call: Call) -> Value:
    """``declare`` with names that assignments of other words compute: ``export "$name=$value"``."""
    for word in call.words:
        name, equals, text = word.any_text.partition("=")
        call.runner.evaluates(Value((name,), word.origins), call)
        if name in call.state.functions and call.has("-f", "-fx", "-xf") and is_command(name):
            call.find("V-LOADER", f"gives every later shell another {name}")
        if equals and name.isidentifier():
            call.runner.assigned(name, Value((text,), word.origins), call)
            call.state.variables[name] = Value((text,), word.origins)
        elif name.isidentifier() and (call.name == "local" or call.has("-a", "-A", "-n")):
            call.state.declared |= {name}
    if not call.words or call.texts in (["-x"], ["-p"], ["-xp"], ["-px"]):
        return call.runner.all_variables()
    if call.name in ("declare", "typeset") and call.has("-f", "-F"):
        return Value((HOLE,), frozenset({Origin("assembled", "its own text")}))
    return EMPTY


def _let(call: Call) -> Value:
    for word in call.words:
        call.state.declared |= computed_names(word.any_text)
        for name in re.findall(r"[A-Za-z_]\w*", word.any_text):
            call.runner.evaluates(Value((f"[{HOLE}",), call.state.value(name).origins | word.origins), call)
    return EMPTY


def _wait(call: Call) -> Value:
    name = call.argument("-p")
    if name is not None:
        call.state.declared |= {name.any_text}
    return EMPTY


def _trap(call: Call) -> Value:
    operands = call.operands
    if operands and operands[0].any_text not in ("", "-") and not operands[0].any_text.isdecimal():
        call.runner.run_text(operands[0], call.state.branch(), "trap", call.at)
    return EMPTY


def _history(call: Call) -> Value:
    if call.has("-c", "-d", "-w"):
        call.find("V-TRACES")
    return Value((HOLE,), frozenset({Origin("secret", "the history of the shell")}))


def _alias(call: Call) -> Value:
    for word in call.words:
        name, equals, text = word.any_text.partition("=")
        if equals and text:
            call.runner.run_text(Value((text,), word.origins), call.state.branch(), "alias", call.at)
        if equals and name in ("sudo", "ssh", "git", "claude", "codex", "gemini", "npm", "docker", "su"):
            call.find("V-LOADER", f"the alias {word.any_text}")
    return EMPTY


def _enable(call: Call) -> Value:
    if call.has("-f"):
        call.find("V-LOADER", call.line)
    return EMPTY


def _fix(call: Call) -> Value:
    """fc: it prints the history, or executes a part of it."""
    if call.has("-s") or not call.has("-l"):
        call.find("V-RUN-TEXT", call.line, "high")
    return Value((HOLE,), frozenset({Origin("secret", "the history of the shell")}))


def _hash(call: Call) -> Value:
    """hash -p: another file for a name."""
    if call.has("-p"):
        call.find("V-PATH", call.line)
    return EMPTY


def _exec(call: Call) -> None:
    """``exec`` runs its operands, which ``execution`` follows."""


def _make_directory(call: Call) -> Value:
    call.state.made |= {call.state.path(text) for word in call.operands for text in word.texts}
    return EMPTY


def _parallel(call: Call) -> Value | None:
    """parallel without a command executes the lines of its input."""
    if not [word for word in call.operands if not word.any_text.isdecimal()]:
        return call.runner.run_text(call.stdin, call.state.copy(), "parallel", call.at)
    return None


def _nothing(call: Call) -> Value:
    return EMPTY


EFFECTS: Mapping[str, Effect] = {
    "eval": _eval,
    ".": _source,
    "source": _source,
    "echo": _echo,
    "printf": _printf,
    "cd": _cd,
    "pushd": _cd,
    "pwd": _pwd,
    "read": _read,
    "mapfile": _read,
    "readarray": _read,
    "set": _set,
    "shift": _shift,
    "unset": _unset,
    "export": _declare,
    "declare": _declare,
    "typeset": _declare,
    "local": _declare,
    "readonly": _declare,
    "let": _let,
    "wait": _wait,
    "trap": _trap,
    "history": _history,
    "alias": _alias,
    "enable": _enable,
    "exec": _exec,
    "mkdir": _make_directory,
    "compgen": lambda call: Value((HOLE,)),
    "hash": _hash,
    "fc": _fix,
    "parallel": _parallel,
    **dict.fromkeys(
        (
            "exit",
            "return",
            "true",
            "false",
            ":",
            "test",
            "[",
            "umask",
            "shopt",
            "break",
            "continue",
            "type",
            "disown",
        ),
        _nothing,
    ),
}
