"""Shapes of commands that matter whatever their words stand for: disguised names, connections, endless starts."""

from __future__ import annotations

import re

from sandhook.dispatch.operands import SHELLS, base_name
from sandhook.expand.shapes import has_braces
from sandhook.pattern.glob import compile_pattern
from sandhook.syntax import nodes as ast
from sandhook.syntax.unparse import unparse
from sandhook.vetting.notes import Notes


def check_pipeline(node: ast.Pipeline, notes: Notes, file: str, at: tuple[int, int]) -> None:
    """Report a pipeline in which a shell's input or output is a connection."""
    names = [_name_of(command) for command in node.commands]
    nets = {"nc", "ncat", "netcat", "socat", "telnet", "openssl"}
    if nets & set(names) and set(names) & SHELLS:
        notes.find("V-SOCKET", f"a pipeline of {' | '.join(filter(None, names))}", file, at)


def check_function(node: ast.FunctionDefinition, notes: Notes, file: str, at: tuple[int, int]) -> None:
    """Report a function that calls itself twice at once."""
    for each in ast.walk(node.body):
        if isinstance(each, ast.Pipeline) and [_name_of(c) for c in each.commands].count(node.name) > 1:
            notes.find("V-EXHAUST", f"the function {node.name} starts itself twice", file, at)
        if isinstance(each, ast.ListItem) and each.background and _name_of(each.command) == node.name:
            notes.find("V-EXHAUST", f"the function {node.name} starts itself in the background", file, at)


def check_loop(node: ast.While | ast.ArithmeticFor, notes: Notes, file: str, at: tuple[int, int]) -> None:
    """Report a loop without end."""
    if isinstance(node, ast.While) and _MANY.search(unparse(node.condition)):
        notes.find("V-EXHAUST", "a loop of millions of rounds", file, at)
    if _is_endless(node):
        notes.find("V-EXHAUST", "a loop without end", file, at)


def check_background(node: ast.Node, notes: Notes, file: str, at: tuple[int, int]) -> None:
    """Report a command that runs on after the hook: without end, or until it ends."""
    endless = any(
        isinstance(each, (ast.While, ast.ArithmeticFor)) and _is_endless(each) for each in ast.walk(node)
    )
    what = "a loop without end" if endless else "a command"
    notes.find("V-BACKGROUND", f"runs {what} in the background", file, at, "high" if endless else None)


_MANY = re.compile(r"(?:-l[te]|<=?)\s*\d{7,}")


def _is_endless(node: ast.While | ast.ArithmeticFor) -> bool:
    """Return whether a loop has a condition that always holds, and no command that leaves it."""
    if isinstance(node, ast.While):
        command = node.condition.items[-1].command if node.condition.items else None
        always = ("false",) if node.until else ("true", ":", "sleep")
        if _name_of(command) not in always and unparse(node.condition).strip() not in (
            "((1))",
            "((true))",
            "[ 1 ]",
            "[[ 1 ]]",
        ):
            return False
    elif node.condition is not None and unparse(node.condition).strip() not in ("", "1"):
        return False
    names = {_name_of(each) for each in ast.walk(node.body)}
    return not names & {"break", "exit", "return", "exec"}


def _name_of(node: object) -> str:
    """Return the literal name of a simple command, or ""."""
    if not isinstance(node, ast.SimpleCommand) or not node.words or not isinstance(node.words[0], ast.Word):
        return ""
    return base_name(
        "".join(p.text for p in node.words[0].parts if isinstance(p, (ast.Literal, ast.SingleQuoted)))
    )


def is_shell(node: ast.SimpleCommand) -> bool:
    """Return True for a shell that reads its commands from its input."""
    others = [unparse(word) for word in node.words[1:]]
    return _name_of(node) in SHELLS and all(text[:1] == "-" and "c" not in text for text in others)


#: Programs whose names are hidden.
_PROGRAMS = [
    "curl",
    "wget",
    "bash",
    "sh",
    "zsh",
    "dash",
    "nc",
    "ncat",
    "socat",
    "python3",
    "python",
    "perl",
    "ruby",
    "node",
    "php",
    "ssh",
    "scp",
    "base64",
    "openssl",
    "xxd",
    "awk",
    "sed",
    "env",
    "rm",
    "dd",
    "cat",
    "tee",
    "chmod",
    "crontab",
    "git",
]


def hidden_program(path: str) -> str | None:
    """Return the program that a path such as ``/???/b??/c?rl`` stands for, or None."""
    name = path.rpartition("/")[2]
    if not path.startswith("/") or not any(letter in path for letter in "?[") or not name.strip("?*"):
        return None
    pattern = compile_pattern(name[:90], extglob=False)
    return next((each for each in _PROGRAMS if pattern.matches(each)), None)


def is_pattern(word: ast.Word) -> bool:
    """Return True for a command such as ``/???/b??/c?rl`` or ``{ba,}sh``, whose name a pattern or braces hide."""
    text = "".join(part.text if isinstance(part, ast.Literal) else "x" for part in word.parts)
    if has_braces(word):
        return text != "{}"  # bash does not expand it: a JSON object, where a text is read as a script
    top, _, rest = text.removeprefix("/").partition("/")
    return text[:1] == "/" and bool(re.search(r"[?\[]", text) or "*" in top or "*" in rest.rpartition("/")[2])


def is_disguised(word: ast.Word) -> bool:
    r"""Return True for a name such as ``c''ur"l"`` or ``\c\u\r\l``: quotes that change nothing."""
    plain = [
        part
        for part in word.parts
        if isinstance(part, (ast.Escaped, ast.SingleQuoted, ast.Literal, ast.AnsiQuoted, ast.DoubleQuoted))
    ]
    if len(plain) != len(word.parts) or len(word.parts) < 2:
        return False
    quoted = [part for part in plain if not isinstance(part, ast.Literal)]
    texts = [
        "".join(getattr(p, "text", "") for p in part.parts)
        if isinstance(part, ast.DoubleQuoted)
        else part.text
        for part in plain
    ]
    if any(
        len(getattr(part, "parts", ()))
        and not all(isinstance(p, (ast.Literal, ast.Escaped)) for p in part.parts)
        for part in plain
        if isinstance(part, ast.DoubleQuoted)
    ):
        return False
    if len(quoted) == 1 and isinstance(plain[0], ast.Escaped):
        return False  # \rm: without an alias
    whole = "".join(texts)
    return whole.isalnum() and len(whole) > 1
