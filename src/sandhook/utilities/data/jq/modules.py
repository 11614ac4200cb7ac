"""Modules: ``import`` and ``include``, read from the virtual file system and written into the program.

What a text imports stands before it, each function in one of its own that holds its whole module:
``def a::f(p): MODULE f(p);``. So names of a module are seen in it alone, as jq has it. Only functions that are used
are written. Data is bound to variables, which are set like those of --slurpfile.

Source: jq 1.8 manual, "Modules"; oracle: jq 1.8.2.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from json import dumps
from typing import Any

from sandhook.command.context import Context
from sandhook.utilities.data.jq.directives import Dependency, Malformed, NotLibrary, Text
from sandhook.utilities.data.jq.lexer import Unbalanced
from sandhook.utilities.data.jq.linked import Linked, Part, call, start_file

#: Characters that a program may have with its modules written into it.
_MOST = 1 << 20

#: Bytes of input in which names of modules are looked for, for ``modulemeta``.
_MOST_NAMES = 4096

_DEFAULT_SEARCH = ("~/.jq", "$ORIGIN/../lib/jq", "$ORIGIN/../lib")
_ORIGIN = "/usr/bin"  #: where jq itself is, as ``which jq`` prints

PREFIX = "__sandhook_"  #: of names that no text may have


class ModuleError(Exception):
    """A module is missing or wrong; the message, as jq prints it."""


class Linker:
    """One call's modules.

    Attributes:
        texts: File and text of all that was read so far, the program first.
    """

    def __init__(self, ctx: Context, search: Sequence[str]) -> None:
        """Begin; ``search`` are the directories of -L."""
        self.texts: list[tuple[str, str]] = []
        self._ctx = ctx
        self._home = ctx.environment.get("HOME", "")
        self._listed = [self._real(name) if self._exists(name) else name for name in search] or list(
            _DEFAULT_SEARCH
        )
        self._modules: dict[str, Part] = {}
        self._variables: dict[tuple[str, bool], str] = {}
        self._open: list[str] = []
        self._linked = Linked("")
        self._size = 0

    def link(self, text: str, file: str, data: Callable[[], bytes]) -> Linked:
        """Return a program with what it imports.

        Args:
            file: Where the program was read from (-f); empty for one of the command line.
            data: Gives the input, for ``modulemeta``.

        Raises:
            ModuleError: A module is missing or wrong.
            Malformed: The head of the program is not as jq wants it.
            Unbalanced: So are its brackets.
        """
        self.texts.append(("<top-level>", text))
        start = start_file(self._ctx)
        linked = self._linked
        part = Part("", text)
        part.text = Text(text)
        origin = posixpath.dirname(self._absolute(file)) if file else self._ctx.path(".")
        if start:
            part.before = self._functions(self._module(start), "", part.text.names())
        part.before += self._before(part.text, origin)
        names = part.text.names()
        if "get_search_list" in names or any("get_search_list" in each.flat for each in linked.parts):
            part.before = f"def get_search_list:{dumps(self._listed)};{part.before}"
        if "modulemeta" in names:
            described = self._described(part.text, data())
            part.before += (
                'def modulemeta: if type!="string" then error("modulemeta input module name must be a string") else '
                f'. as $n|{dumps(described)}|if has($n) then .[$n] else error("module not found: \\($n)") end end;'
            )
        self._limit(part.before)
        linked.parts.append(part)
        linked.before = part.before
        linked.body = part.text.blanked
        return linked

    # ------------------------------------------------------------------ what stands before a text

    def _before(self, text: Text, origin: str) -> str:
        pieces: list[str] = []
        names = text.names()
        for dependency in text.dependencies:
            if dependency.is_data:
                path = self._find(dependency, origin, ".json")
                if path:
                    pieces.append(self._data(path, dependency))
                continue
            path = self._find(dependency, origin, ".jq")
            if path:
                pieces.append(self._functions(self._module(path), dependency.alias, names))
        return "".join(pieces)

    def _functions(self, module: Part, alias: str, names: frozenset[str]) -> str:
        """Return those of a module's functions that a text uses, under their names there."""
        head = f"{alias}::" if alias else ""
        used = {function: None for function in module.functions if head + function[0] in names}
        module.used.update(used)
        made = [
            f"def {head}{call(name, count, f'{PREFIX}p')}: {module.before} {module.flat} "
            f"{call(name, count, f'{PREFIX}p')};"
            for name, count in used
        ]
        return self._limit("".join(made))

    def _data(self, path: str, dependency: Dependency) -> str:
        """Return what binds the variable of a data file."""
        raw = dependency.meta.get("raw") is True
        variable = self._variables.get((path, raw))
        if variable is None:
            variable = self._variables[path, raw] = f"{PREFIX}d{len(self._variables)}"
            self._linked.data.append((variable, "rawfile" if raw else "data", path, self._read(path)))
        alias = dependency.alias
        return f"${variable} as ${alias}::{alias}|${variable} as ${alias}|"

    def _module(self, path: str) -> Part:
        """Return a module, read but once."""
        if path in self._open:
            raise ModuleError(f"jq: error: circular import of {path}\n")
        found = self._modules.get(path)
        if found is not None:
            return found
        self._open.append(path)
        part = Part(path, self._read(path))
        self.texts.append((path, part.original))
        try:
            part.text = Text(part.original)
            part.functions = part.text.definitions()
        except NotLibrary:
            raise ModuleError(
                "jq: error: jq: error: library should only have function definitions, not a main expression"
            ) from None
        except (Malformed, Unbalanced):
            raise ModuleError(f"jq: error: syntax error in module {path}") from None
        for name in part.text.names() | part.text.variables():
            if name.startswith(PREFIX):
                raise ModuleError(f"jq: error: {name} is not supported (L-JQ-001)")
        part.before = self._before(part.text, posixpath.dirname(path))
        part.flat = part.text.flat(path)
        self._modules[path] = part
        self._linked.parts.append(part)
        self._open.pop()
        return part

    def _limit(self, text: str) -> str:
        self._size += len(text)
        self._ctx.budget.check_fits(4 * self._size)
        if self._size > _MOST:
            raise ModuleError("jq: error: the program is too large with its modules (L-JQ-001)")
        return text

    # ------------------------------------------------------------------ where modules are

    def _find(self, dependency: Dependency, origin: str, suffix: str) -> str:
        """Return the file of a module; empty when no file is there and none is needed."""
        name = dependency.path
        pieces = name.split("/")
        if "\\" in name:
            self._refuse(f"Modules must be named by relative paths using '/', not '\\' ({name})")
        if ".." in pieces:
            self._refuse(f"Relative paths to modules may not traverse to parent directories ({name})")
        if any(one == other for one, other in pairwise(pieces)):
            self._refuse(f"module names must not have equal consecutive components: {name}")
        for directory in self._directories(dependency.meta, origin):
            for way in (f"{name}{suffix}", f"{name}/jq/main{suffix}", f"{name}/{pieces[-1]}{suffix}"):
                path = posixpath.join(directory, way.lstrip("/"))
                if self._exists(path):
                    return self._real(path)
        if dependency.meta.get("optional") is not True:
            self._refuse(f"module not found: {name}")
        return ""

    def _directories(self, meta: dict[str, Any], origin: str) -> Iterable[str]:
        search = meta.get("search")
        if "search" not in meta:
            search = [".", *self._listed]
        elif isinstance(search, str):
            search = [search]
        for name in search if isinstance(search, list) else []:
            if not isinstance(name, str):
                continue
            if name == "~" or name.startswith("~/"):
                yield self._home + name[1:]
            elif name.startswith("$ORIGIN/"):
                yield _ORIGIN + name[7:]
            elif name == "." or name.startswith("/"):
                yield self._ctx.path(name)
            else:
                yield posixpath.join(origin, name)

    def _refuse(self, message: str) -> None:
        raise ModuleError(f"jq: error: {message}\n")

    def _absolute(self, name: str) -> str:
        return self._ctx.path(name)

    def _exists(self, name: str) -> bool:
        return self._ctx.fs.exists(self._ctx.path(name))

    def _real(self, name: str) -> str:
        return self._ctx.fs.realpath(self._ctx.path(name))

    def _read(self, path: str) -> str:
        try:
            with self._ctx.open(path) as reader:
                data = reader.read_all()
        except OSError as error:
            reason = "It's a directory" if self._ctx.fs.is_dir(self._ctx.path(path)) else error.strerror
            raise ModuleError(f"jq: error: Could not open {path}: {reason}\n") from None
        self._ctx.budget.check_fits(4 * len(data))
        return data.decode("utf-8", "replace")

    # ------------------------------------------------------------------ modulemeta

    def _described(self, text: Text, data: bytes) -> dict[str, Any]:
        """Return what ``modulemeta`` gives for every name that the program or its input has as a string."""
        names = {token.text for token in text.tokens if token.kind == "string"}
        if len(data) <= _MOST_NAMES:
            names.update(data.decode("utf-8", "replace").split('"')[1::2])
        found: dict[str, Any] = {}
        for name in sorted(names):
            try:
                path = self._find(Dependency(name, "", False, {}), self._ctx.path("."), ".jq")
                read = Text(self._read(path))
                functions = [f"{each}/{count}" for each, count in read.definitions()]
            except (ModuleError, Malformed, Unbalanced, NotLibrary):
                continue
            deps = [each.described() for each in read.dependencies]
            found[name] = {**(read.meta or {}), "deps": deps, "defs": functions}
        return found
