"""Computes what known words and known commands yield, by running them in an empty sandbox.

Only commands run here whose output depends on nothing but their arguments and their input. So a text that is
decoded, reversed or cut out of another is read as what it becomes, whatever tool the script uses for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import monotonic

from sandhook.errors import SandhookError
from sandhook.limits import Limits
from sandhook.shell import Shell
from sandhook.text.names import is_name
from sandhook.text.quoting import in_single_quotes

#: Commands whose output follows from their arguments and their input.
PURE = frozenset(
    [
        "[",
        "awk",
        "base32",
        "base64",
        "basename",
        "basenc",
        "bc",
        "cat",
        "cut",
        "dirname",
        "echo",
        "expr",
        "fold",
        "gawk",
        "gunzip",
        "gzip",
        "head",
        "hexdump",
        "jq",
        "nl",
        "od",
        "openssl",
        "paste",
        "printf",
        "rev",
        "sed",
        "seq",
        "sha1sum",
        "sha256sum",
        "md5sum",
        "sort",
        "tac",
        "tail",
        "test",
        "tr",
        "true",
        "uniq",
        "wc",
        "xxd",
        "zcat",
        "bzip2",
        "bunzip2",
        "bzcat",
        "xz",
        "unxz",
        "xzcat",
    ]
)

#: Those that do not read their input.
WITHOUT_INPUT = frozenset(["basename", "dirname", "echo", "expr", "printf", "seq", "test", "[", "true"])

#: Those to which no operand is the name of a file that they open or look for.
_WITHOUT_FILES = frozenset(["basename", "dirname", "echo", "expr", "printf", "seq", "true"])

#: Pure commands that turn text that people cannot read into text that they can, with the options that they need.
_DECODERS: Mapping[str, tuple[str, ...]] = {
    "base64": ("-d", "-D", "--decode", "-di"),
    "base32": ("-d", "--decode"),
    "basenc": ("-d", "--decode"),
    "xxd": ("-r",),
    "openssl": ("-d",),
    "gzip": ("-d", "--decompress", "-dc", "-cd"),
    "gunzip": (),
    "zcat": (),
    "bunzip2": (),
    "bzcat": (),
    "unxz": (),
    "xzcat": (),
    "uudecode": (),
    "rev": (),
    "tac": (),
    "tr": (),
    "gpg": ("-d", "--decrypt"),
}

_LIMITS = Limits(wall_seconds=5.0, steps=20_000, memory_bytes=4 << 20, output_bytes=64 << 10, processes=8)

#: The most runs of one vetting, and the most seconds that they have together.
MAX_RUNS, MAX_SECONDS = 400, 20.0


def decodes(name: str, arguments: Sequence[str]) -> bool:
    """Return True for a command that turns an encoded text into a readable one."""
    options = _DECODERS.get(name)
    if options is None:
        return False
    if name == "tr":  # a rotation of the alphabet; upper case and removed characters are no disguise
        sets = [word for word in arguments if word[:1] != "-"]
        plain = {"a-z", "A-Z", "[:lower:]", "[:upper:]", "[a-z]", "[A-Z]"}
        return len(sets) == 2 and not plain.issuperset(sets) and "-" in sets[0] and len(sets[1]) > 2
    return not options or any(word in options or word.startswith("--dec") for word in arguments)


class Scratch:
    """An empty sandbox with a budget."""

    def __init__(self) -> None:
        self._left = MAX_RUNS
        self._deadline = monotonic() + MAX_SECONDS

    def command(self, words: Sequence[str], stdin: str) -> str | None:
        """Return the output of a pure command, or None."""
        if words[0] not in PURE:
            return None
        if words[0] not in _WITHOUT_FILES and any(word[:1] == "/" or word == "-i" for word in words[1:]):
            return None
        return self._run('"$@"', stdin, words)

    def expansion(self, text: str, variables: Mapping[str, str | Sequence[str]]) -> str | None:
        """Return what a text in double quotes expands to, or None."""
        lines = [_assignment(name, value) for name, value in variables.items() if is_name(name)]
        positional = variables.get("@", ())
        return self._run("\n".join([*lines, f'printf %s "{text}"']), "", list(positional))

    def _run(self, script: str, stdin: str, words: Sequence[str]) -> str | None:
        if self._left <= 0 or monotonic() > self._deadline:
            return None
        self._left -= 1
        try:
            data = stdin.encode("utf-8", "surrogateescape")
            result = Shell(limits=_LIMITS).run(script, stdin=data, args=words)
        except (SandhookError, ValueError):
            return None
        if result.limit is not None or result.defect is not None or result.exit_status in (126, 127):
            return None
        if result.exit_status and not result.stdout_bytes:
            return None
        return result.stdout_bytes.decode("utf-8", "replace")


def _assignment(name: str, value: str | Sequence[str]) -> str:
    if isinstance(value, str):
        return f"{name}={in_single_quotes(value)}"
    return f"{name}=({' '.join(map(in_single_quotes, value))})"
