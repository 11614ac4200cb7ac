"""The linker of modules: reads ``import`` and ``include`` from the virtual file system, and writes them into the program.

Imported functions precede the text. Each is wrapped in a function that contains its whole module:
``def a::f(p): MODULE f(p);``. So the names of a module are visible only inside it, as in jq. Unused functions
are omitted. Data is bound to variables, which are set like those of --slurpfile.

Source: jq 1.8 manual, "Modules"; oracle: jq 1.8.2.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from json import dumps
from typing import Any

from sandhook.command.context import Context
from sandhook.utilities.data.jq.directives import Dependency, HeadError, NotLibraryError, Text
from sandhook.utilities.data.jq.lexer import UnbalancedError
from sandhook.utilities.data.jq.linked import Linked, Part, call, start_file

#: The maximal length of a program with its modules, in characters.
_MAX_CHARACTERS = 1 << 20

#: The maximal size in bytes of an input that ``modulemeta`` searches for names of modules.
_MAX_NAME_INPUT = 4096

_DEFAULT_SEARCH = ("~/.jq", "$ORIGIN/../lib/jq", "$ORIGIN/../lib")
_ORIGIN = "/usr/bin"  #: the directory of jq, as ``which jq`` prints it

PREFIX = "__sandhook_"  #: the prefix of reserved names


class ModuleError(Exception):
    """A module is missing or invalid; the text is jq's message."""


class Linker:
    """Loads and links the modules of one call.

    Attributes:
        texts: File and text of the program and of each module read so far.
    """

    def __init__(self, ctx: Context, search: Sequence[str]) -> None:
        """``search``: the directories of -L."""
        self.texts: list[tuple[str, str]] = []
        self._ctx = ctx
        self._home = ctx.environment.get("HOME", "")
        self._search_path = [self._real(name) if self._exists(name) else name for name in search] or list(
            _DEFAULT_SEARCH
        )
        self._modules: dict[str, Part] = {}
        self._variables: dict[tuple[str, bool], str] = {}
        self._open: list[str] = []
        self._linked = Linked("")
        self._size = 0

    def link(self, text: str, file: str, data: Callable[[], bytes]) -> Linked:
        """Return a program with its modules.

        Args:
            file: The file of the program (-f); empty for a program on the command line.
            data: Returns the input, for ``modulemeta``.

        Raises:
            ModuleError: A module is missing or invalid.
            HeadError: The directives of the program have a syntax error.
            UnbalancedError: The brackets of the program do not match.
        """
        self.texts.append(("<top-level>", text))
        start = start_file(self._ctx)
        linked = self._linked
        part = Part("", text)
        part.text = Text(text)
        origin = posixpath.dirname(self._absolute(file)) if file else self._ctx.path(".")
        if start:
            part.prelude = self._functions(self._module(start), "", part.text.names())
        part.prelude += self._prelude(part.text, origin)
        names = part.text.names()
        if "get_search_list" in names or any("get_search_list" in each.flat for each in linked.parts):
            part.prelude = f"def get_search_list:{dumps(self._search_path)};{part.prelude}"
        if "modulemeta" in names:
            metadata = self._module_metadata(part.text, data())
            part.prelude += (
                'def modulemeta: if type!="string" then error("modulemeta input module name must be a string") else '
                f'. as $n|{dumps(metadata)}|if has($n) then .[$n] else error("module not found: \\($n)") end end;'
            )
        self._charge_size(part.prelude)
        linked.parts.append(part)
        linked.prelude = part.prelude
        linked.body = part.text.blanked_text
        return linked

    # ------------------------------------------------------------------ preludes

    def _prelude(self, text: Text, origin: str) -> str:
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
        """Return definitions of the module's functions that a text uses, under their names in that text."""
        head = f"{alias}::" if alias else ""
        used_functions = {function: None for function in module.functions if head + function[0] in names}
        module.used_functions.update(used_functions)
        pieces = [
            f"def {head}{call(name, count, f'{PREFIX}p')}: {module.prelude} {module.flat} "
            f"{call(name, count, f'{PREFIX}p')};"
            for name, count in used_functions
        ]
        return self._charge_size("".join(pieces))

    def _data(self, path: str, dependency: Dependency) -> str:
        """Return the binding of a data file's variable."""
        raw = dependency.meta.get("raw") is True
        variable = self._variables.get((path, raw))
        if variable is None:
            variable = self._variables[path, raw] = f"{PREFIX}d{len(self._variables)}"
            self._linked.data.append((variable, "rawfile" if raw else "data", path, self._read(path)))
        alias = dependency.alias
        return f"${variable} as ${alias}::{alias}|${variable} as ${alias}|"

    def _module(self, path: str) -> Part:
        """Return a module; each is read only once."""
        if path in self._open:
            raise ModuleError(f"jq: error: circular import of {path}\n")
        known_part = self._modules.get(path)
        if known_part is not None:
            return known_part
        self._open.append(path)
        part = Part(path, self._read(path))
        self.texts.append((path, part.original))
        try:
            part.text = Text(part.original)
            part.functions = part.text.definitions()
        except NotLibraryError:
            raise ModuleError(
                "jq: error: jq: error: library should only have function definitions, not a main expression"
            ) from None
        except (HeadError, UnbalancedError):
            raise ModuleError(f"jq: error: syntax error in module {path}") from None
        for name in part.text.names() | part.text.variables():
            if name.startswith(PREFIX):
                raise ModuleError(f"jq: error: {name} is not supported (L-JQ-001)")
        part.prelude = self._prelude(part.text, posixpath.dirname(path))
        part.flat = part.text.flat(path)
        self._modules[path] = part
        self._linked.parts.append(part)
        self._open.pop()
        return part

    def _charge_size(self, text: str) -> str:
        self._size += len(text)
        self._ctx.budget.check_fits(4 * self._size)
        if self._size > _MAX_CHARACTERS:
            raise ModuleError("jq: error: the program is too large with its modules (L-JQ-001)")
        return text

    # ------------------------------------------------------------------ the search path

    def _find(self, dependency: Dependency, origin: str, suffix: str) -> str:
        """Return the file of a module; empty when an optional module does not exist. Raises ModuleError."""
        name = dependency.path
        pieces = name.split("/")
        if "\\" in name:
            self._error(f"Modules must be named by relative paths using '/', not '\\' ({name})")
        if ".." in pieces:
            self._error(f"Relative paths to modules may not traverse to parent directories ({name})")
        if any(one == other for one, other in pairwise(pieces)):
            self._error(f"module names must not have equal consecutive components: {name}")
        for directory in self._directories(dependency.meta, origin):
            for candidate in (f"{name}{suffix}", f"{name}/jq/main{suffix}", f"{name}/{pieces[-1]}{suffix}"):
                path = posixpath.join(directory, candidate.lstrip("/"))
                if self._exists(path):
                    return self._real(path)
        if dependency.meta.get("optional") is not True:
            self._error(f"module not found: {name}")
        return ""

    def _directories(self, meta: dict[str, Any], origin: str) -> Iterable[str]:
        search = meta.get("search")
        if "search" not in meta:
            search = [".", *self._search_path]
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

    def _error(self, message: str) -> None:
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

    def _module_metadata(self, text: Text, data: bytes) -> dict[str, Any]:
        """Return the result of ``modulemeta`` for every module named by a string of the program or its input."""
        names = {token.text for token in text.tokens if token.kind == "string"}
        if len(data) <= _MAX_NAME_INPUT:
            names.update(data.decode("utf-8", "replace").split('"')[1::2])
        result: dict[str, Any] = {}
        for name in sorted(names):
            try:
                path = self._find(Dependency(name, "", False, {}), self._ctx.path("."), ".jq")
                module = Text(self._read(path))
                functions = [f"{each}/{count}" for each, count in module.definitions()]
            except (ModuleError, HeadError, UnbalancedError, NotLibraryError):
                continue
            deps = [each.metadata() for each in module.dependencies]
            result[name] = {**(module.meta or {}), "deps": deps, "defs": functions}
        return result
