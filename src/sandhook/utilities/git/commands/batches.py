"""git cat-file --batch, --batch-check and --batch-command: objects that standard input names.

Source: git-cat-file(1), "BATCH OUTPUT"; git 2.39, builtin/cat-file.c.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.linked_paths import LinkedPath
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.access import decode
from sandhook.utilities.git.store.disk import Storage

_FIELD = re.compile(r"%\(([^()]*)\)|%%")
_STORED = ("objectsize:disk", "deltabase")
_DEFAULT = "%(objectname) %(objecttype) %(objectsize)"


class Batch:
    """Prints objects in a format.

    Args:
        format_: The line before each object, "" for the usual one.
        buffered: Output waits for "flush", which is an error otherwise.
        follows: Symbolic links in the tree of a name are followed.
    """

    def __init__(
        self, call: Invocation, format_: str, *, buffered: bool = False, follows: bool = False
    ) -> None:
        self._follows = follows
        self._call = call
        self._format = format_ or _DEFAULT
        self._buffered = buffered
        self._names = Names(call.repository)
        self._storage = Storage(call.repository.objects)
        for field in re.findall(_FIELD, self._format):
            self._check(field)

    def _check(self, field: str) -> None:
        if field and field not in ("objectname", "objecttype", "objectsize", "rest", *_STORED):
            raise GitError(f"unknown format element: {field}")

    def objects(self, lines: Iterator[str], *, contents: bool) -> None:
        """Print the object of each line."""
        for line in lines:
            name, rest = line, ""
            if "%(rest)" in self._format:
                name, _, rest = line.partition(" ")
            self._object(name, rest.lstrip(" \t"), contents=contents)

    def commands(self, lines: Iterator[str]) -> None:
        """Execute the commands info, contents and flush. Raises GitError for another one."""
        for line in lines:
            if not line:
                raise GitError("empty command in input")
            if line[0].isspace():
                raise GitError(f"whitespace before command: '{line}'")
            command, blank, name = line.partition(" ")
            if command not in ("info", "contents", "flush"):
                raise GitError(f"unknown command: '{line}'")
            if command == "flush":
                if blank:
                    raise GitError("flush takes no arguments")
                if not self._buffered:
                    raise GitError("flush is only for --buffer mode")
                continue
            if not blank:
                raise GitError(f"{command} requires arguments")
            self._object(name, "", contents=command == "contents")

    def _object(self, name: str, rest: str, *, contents: bool) -> None:
        """Print one object: the line of the format, and its contents."""
        call = self._call
        try:
            if self._follows and (split := self._names.split_path(name)) is not None and split[0]:
                followed = LinkedPath(call.repository, self._names).resolve(*split)
                if followed.problem:
                    call.ctx.write_line(followed.text(name))
                    return
                oid: str | None = followed.oid
            else:
                oid = self._names.find(name)
            found = None if oid is None else call.repository.objects.find(oid)
        except GitError:
            oid, found = None, None
        if oid is None or found is None:
            call.ctx.write_line(f"{name} missing")
            return
        values = {
            "objectname": oid,
            "objecttype": found.kind,
            "objectsize": str(len(found.data)),
            "rest": rest,
        }
        if any(f"%({name})" in self._format for name in _STORED):
            values |= {"objectsize:disk": str(self._storage.size(oid)), "deltabase": self._storage.base(oid)}
        call.access.charge(1 + (len(found.data) >> 10))
        call.ctx.write_line(
            _FIELD.sub(lambda match: values[match[1]] if match[1] is not None else "%", self._format)
        )
        if contents:
            call.ctx.write(found.data + b"\n")


def input_lines(call: Invocation, *, nul: bool = False) -> Iterator[str]:
    """Yield the lines of standard input, or what ends in NUL."""
    with call.ctx.stdin_reader() as reader:
        if nul:
            yield from decode(reader.read_all()).removesuffix("\0").split("\0")
            return
        for line in reader.lines():
            yield decode(line.removesuffix(b"\n"))
