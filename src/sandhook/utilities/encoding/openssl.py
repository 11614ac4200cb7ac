"""openssl: digests, base64 and random bytes, but no keys, certificates or ciphers.

Oracle: OpenSSL 3.0. Divergence: L-OPENSSL-001, other commands are rejected by name.
"""

from __future__ import annotations

import binascii
import hashlib
import hmac
from collections.abc import Sequence
from typing import Any

from sandhook.command.context import Context, Failure
from sandhook.command.operands import reason
from sandhook.command.options import option_set
from sandhook.kernel.descriptor import Description

RAW = True

#: Digests by their name on the command line: the name in hashlib, and the name in the output.
_DIGESTS = {
    "md5": ("md5", "MD5"),
    "sha1": ("sha1", "SHA1"),
    "sha224": ("sha224", "SHA2-224"),
    "sha256": ("sha256", "SHA2-256"),
    "sha384": ("sha384", "SHA2-384"),
    "sha512": ("sha512", "SHA2-512"),
    "sha3-224": ("sha3_224", "SHA3-224"),
    "sha3-256": ("sha3_256", "SHA3-256"),
    "sha3-384": ("sha3_384", "SHA3-384"),
    "sha3-512": ("sha3_512", "SHA3-512"),
    "blake2b512": ("blake2b", "BLAKE2B-512"),
    "blake2s256": ("blake2s", "BLAKE2S-256"),
}
_SPACE = b" \t\n\v\f\r"
_LINE = 48  #: bytes in a line of base64
_MAX_RANDOM = 1 << 20  #: maximal number of bytes for rand


@option_set
class Options:
    """openssl dgst [-DIGEST] [-r | -c | -binary] [-hmac KEY] [-out FILE] [FILE]... | openssl DIGEST [FILE]... | openssl base64 [-d] [-A] [-in FILE] [-out FILE] | openssl rand [-hex | -base64] NUMBER

    Print digests (md5, sha1, sha224 to sha512, sha3-224 to sha3-512, blake2b512, blake2s256), encode and
    decode base64, or print random bytes.
    """


def run(_: None, arguments: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 for a file that cannot be read or a command that is not offered."""
    from sandhook.command.options import Inform

    name, rest = (arguments[0], list(arguments[1:])) if arguments else ("", [])
    if name in ("--help", "--version"):
        raise Inform(name[2:])
    program_name, ctx.name = ctx.name, name  # messages begin with the command, not with openssl
    if name in ("dgst", *_DIGESTS):
        return _digest(name, rest, ctx)
    if name == "base64" or (name == "enc" and ("-base64" in rest or "-a" in rest)):
        return _base64(rest, ctx)
    if name == "rand":
        return _random(rest, ctx)
    ctx.name = program_name
    if name == "version" and not rest:
        ctx.write_line("OpenSSL 3.0 (sandhook)")
        return 0
    raise Failure(f"'{name}' is not offered: dgst, base64, rand and version are (L-OPENSSL-001)")


class _OptionParser:
    """Parses options that begin with one or two dashes."""

    def __init__(self, words: list[str]) -> None:
        self.rest = list(reversed(words))

    def option(self) -> str:
        """Return the next option without its dash, or "" if an operand is next."""
        if not self.rest or self.rest[-1][:1] != "-" or self.rest[-1] == "-":
            return ""
        word = self.rest.pop()
        return word[2:] if word[:2] == "--" else word[1:]

    def argument(self, name: str) -> str:
        if not self.rest:
            raise Failure(f"Option -{name} needs a value")
        return self.rest.pop()

    def unknown(self, name: str) -> Failure:
        return Failure(f"Unknown option: -{name}")


def _digest(command: str, words: list[str], ctx: Context) -> int:
    kind = command if command in _DIGESTS else ""
    form, key, output = "", None, None
    parser = _OptionParser(words)
    while name := parser.option():
        if name in _DIGESTS:
            kind = name
        elif name in ("r", "c", "binary", "hex"):
            form = name
        elif name == "hmac":
            key = parser.argument(name).encode("utf-8", "surrogateescape")
        elif name == "out":
            output = parser.argument(name)
        elif name in (
            "sign",
            "verify",
            "prverify",
            "signature",
            "mac",
            "macopt",
            "engine",
            "provider",
            "xoflen",
        ):
            raise Failure(f"-{name} is not offered (L-OPENSSL-001)")
        else:
            raise Failure(f"Unknown option or message digest: {name}")
    algorithm, title = _DIGESTS[kind] if kind else ("sha256", "SHA256")
    out = _Output(output, ctx)
    try:
        for operand in list(reversed(parser.rest)) or [""]:
            state: Any = hashlib.new(algorithm, usedforsecurity=False)
            if key is not None:
                state = hmac.new(key, digestmod=algorithm)
            try:
                with ctx.open(operand or "-") as reader:
                    for data in reader.chunks():
                        state.update(data)
            except OSError as error:
                ctx.process.descriptor(2).write(
                    f"{operand}: {reason(error)}\n".encode("utf-8", "surrogateescape")
                )
                ctx.failed = 1
                continue
            out.write(_line(state, form, title, operand, key is not None))
    finally:
        out.close()
    return ctx.failed


def _line(state: Any, form: str, title: str, operand: str, keyed: bool) -> bytes:
    digest: str = state.hexdigest()
    if form == "binary":
        return bytes(state.digest())
    if form == "r":
        return f"{digest} *{operand or 'stdin'}\n".encode("utf-8", "surrogateescape")
    if form == "c":
        digest = ":".join(digest[index : index + 2] for index in range(0, len(digest), 2))
    head = f"HMAC-{title}" if keyed and operand else title
    return f"{head}({operand or 'stdin'})= {digest}\n".encode("utf-8", "surrogateescape")


def _base64(words: list[str], ctx: Context) -> int:
    decode = single = False
    source, output = "-", None
    parser = _OptionParser(words)
    while name := parser.option():
        if name == "d":
            decode = True
        elif name in ("e", "base64", "a"):
            pass
        elif name == "A":
            single = True
        elif name == "in":
            source = parser.argument(name)
        elif name == "out":
            output = parser.argument(name)
        else:
            raise parser.unknown(name)
    if parser.rest:
        raise Failure("Extra arguments given.")
    try:
        reader = ctx.open(source)
    except OSError as error:
        text = f'Can\'t open "{source}" for reading, {reason(error)}\n'
        ctx.process.descriptor(2).write(text.encode("utf-8", "surrogateescape"))
        return 1
    out = _Output(output, ctx)
    try:
        with reader:
            if decode:
                data = b"".join([chunk.translate(None, _SPACE) for chunk in reader.chunks()])
                try:
                    out.write(binascii.a2b_base64(data, strict_mode=True) if data else b"")
                except binascii.Error:
                    ctx.error("error reading input file")
                    return 1
                return 0
            buffer = b""
            for piece in reader.chunks():
                buffer += piece
                size = len(buffer) // _LINE * _LINE
                out.write(_encoded(buffer[:size], single))
                buffer = buffer[size:]
            out.write(_encoded(buffer, single))
    finally:
        out.close()
    return 0


def _encoded(data: bytes, single: bool) -> bytes:
    if single:
        return binascii.b2a_base64(data, newline=False)
    return b"".join([binascii.b2a_base64(data[at : at + _LINE]) for at in range(0, len(data), _LINE)])


def _random(words: list[str], ctx: Context) -> int:
    form, output = "", None
    parser = _OptionParser(words)
    while name := parser.option():
        if name in ("hex", "base64"):
            form = name
        elif name == "out":
            output = parser.argument(name)
        else:
            raise parser.unknown(name)
    has_number = bool(parser.rest)
    text = parser.rest.pop() if has_number else "0"
    if parser.rest:
        raise Failure("Extra arguments given.")
    if not (text.isascii() and text.isdigit()) or (text.strip("0") == "" and has_number):
        raise Failure(f'Can\'t parse "{text}" as a number')
    count = int(text[:10])
    if count > _MAX_RANDOM:
        raise Failure(f"more than {_MAX_RANDOM} bytes are not offered (L-OPENSSL-001)")
    pieces = []
    with ctx.open("/dev/urandom") as reader:
        while count:
            pieces.append(reader.read(min(count, 65_536)))
            count -= len(pieces[-1])
    data = b"".join(pieces)
    out = _Output(output, ctx)
    try:
        if form == "hex":
            out.write(data.hex().encode() + b"\n")
        else:
            out.write(_encoded(data, False) if form else data)
    finally:
        out.close()
    return 0


class _Output:
    """Standard output, or the file of -out."""

    def __init__(self, name: str | None, ctx: Context) -> None:
        self._ctx = ctx
        self._file: Description | None = None
        if name is not None:
            try:
                self._file = ctx.create(name)
            except OSError as error:
                raise Failure(f'Can\'t open "{name}" for writing, {reason(error)}') from None

    def write(self, data: bytes) -> None:
        if self._file is None:
            self._ctx.write(data)
        else:
            self._file.write(data)

    def close(self) -> None:
        if self._file is not None:
            self._file.release()
