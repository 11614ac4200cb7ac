"""What the command line of jq defines, as values of libjq. Runs inside the worker, for ``native.py``."""

from __future__ import annotations

from sandhook.worker import frames
from sandhook.worker.jq import libjq
from sandhook.worker.jq.libjq import Value

TYPE_CHECKING = False  # as a type checker reads it; the module typing costs time at each start

if TYPE_CHECKING:
    from sandhook.worker.headers import JqHeader


class ValueRejected(Exception):
    """A value that is defined for a program is wrong: the message, and jq's exit status."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class Values:
    """Variables of a program. Raises ValueRejected for those that are not JSON, where they must be."""

    def __init__(self, lib: libjq.LibJq, header: JqHeader) -> None:
        self._lib = lib
        self._header = header
        self._named = {each[1]: self._value(*each) for each in header["definitions"]}
        self._positional = [self._argument(*each) for each in header["positional"]]

    def bound(self) -> Value:
        """Return the array of the variables that the first line binds."""
        lib = self._lib
        result = lib.array()
        for name in self._header["bind"]:
            result = lib.append(
                result, self._special(name) if name in ("ENV", "ARGS") else lib.copy(self._named[name])
            )
        return result

    def all(self) -> Value:
        """Return all variables, as jq itself passes them to a program."""
        result = self._of_names(own=True)
        return self._lib.set(result, self._lib.string(b"ARGS"), self._special("ARGS"))

    def _of_names(self, *, own: bool = False) -> Value:
        """Return the variables that options define; with ``own``, those of sandhook too."""
        lib = self._lib
        result = lib.object()
        for name, value in self._named.items():
            if not own and name.startswith("__sandhook_"):
                continue
            result = lib.set(result, lib.string(name.encode("utf-8", "replace")), lib.copy(value))
        return result

    def _special(self, name: str) -> Value:
        lib = self._lib
        result = lib.object()
        if name == "ENV":
            for key, text in self._header["env"].items():
                result = lib.set(result, self._text(key), self._text(text))
            return result
        positional = lib.array()
        for value in self._positional:
            positional = lib.append(positional, lib.copy(value))
        result = lib.set(result, lib.string(b"positional"), positional)
        return lib.set(result, lib.string(b"named"), self._of_names())

    def _text(self, text: str) -> Value:
        return self._lib.string(text.encode("utf-8", "replace"))

    def _value(self, option: str, name: str, text: str, path: str) -> Value:
        if option in ("arg", "rawfile"):
            return self._text(text)
        if option == "argjson":
            return self._json(text, "argjson")
        lib = self._lib
        data = text.encode("utf-8", "replace")
        parser = lib.parser_new(0)
        lib.parser_set_buf(parser, data, len(data), 0)
        result = lib.array()
        while True:
            value = lib.parser_next(parser)
            if value.kind & 15 == libjq.INVALID:
                break
            result = lib.append(result, value)
        broken = lib.text(lib.message_of(value)).decode("utf-8", "replace") if lib.has_message(value) else ""
        lib.parser_free(parser)
        if broken:
            if option == "data":
                raise ValueRejected(
                    f"jq: error loading data file {path}: {broken}\n\njq: 1 compile error\n", 3
                )
            raise ValueRejected(f"jq: Bad JSON in --{option} {name} {path}: {broken}\n", 2)
        return result

    def _argument(self, is_json: bool, text: str) -> Value:
        return self._json(text, "jsonargs") if is_json else self._text(text)

    def _json(self, text: str, option: str) -> Value:
        value = self._lib.parse(text.encode("utf-8", "replace"))
        if value.kind & 15 == libjq.INVALID:
            raise ValueRejected(f"jq: invalid JSON text passed to --{option}\n", frames.USAGE_ERROR)
        return value
