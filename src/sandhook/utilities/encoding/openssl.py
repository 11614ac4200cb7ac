"""openssl: digests, base64 and random bytes, but no keys, certificates or ciphers.

Oracle: OpenSSL 3.0. Divergence: L-OPENSSL-001, other commands are rejected by name.
"""

from __future__ import annotations

import binascii
import hashlib
import hmac
from collections.abc import Sequence
from typing import Any

from sandhook.command.context import Context, Failure, WriteError
from sandhook.command.inform import usage
from sandhook.command.operands import reason
from sandhook.command.options import Inform, also, opt, option_set, options_by_flag
from sandhook.command.word_options import WordOptionError, WordSyntax
from sandhook.command.write_errors import C_BUFFER
from sandhook.kernel.descriptor import Description

WRITE_ERROR = ""  # only base64 and enc check it
RAW = True  # the first word is a command, which has options of its own

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
    """openssl COMMAND [OPTION]... [OPERAND]...

    Print digests, encode and decode base64, or print random bytes. COMMAND is dgst, the name of a digest, base64, enc,
    rand, version or help.
    """

    inform: str = also(
        opt("-h", "-help", "--help", help="show this help", const="help"),
        opt("--version", help="show the version", const="version"),
    )


@option_set
class DigestOptions:
    """openssl dgst [OPTION]... [FILE]... | openssl DIGEST [OPTION]... [FILE]...

    Print the digest of each FILE, or of standard input.
    """

    help: bool = opt("-help", help="show this help")
    digest: str = also(
        opt("-sha256", help="use the digest SHA2-256 (the default)", const="sha256", default=""),
        *(
            opt(f"-{name}", help=f"use the digest {title}", const=name)
            for name, (_, title) in _DIGESTS.items()
            if name != "sha256"
        ),
    )
    layout: str = also(
        opt("-c", help="separate the bytes of a digest by colons", const="colons", default=""),
        opt("-r", help="print digests as sha256sum does", const="coreutils"),
    )
    binary: bool = also(
        opt("-binary", help="print the bytes of the digest"),
        opt("-hex", help="print digests in hexadecimal (the default)", const=False),
    )
    key: str | None = opt("-hmac", "KEY", "print the HMAC with KEY")
    output: str | None = opt("-out", "FILE", "write to FILE")


@option_set
class EncodeOptions:
    """openssl base64 [OPTION]... | openssl enc -base64 [OPTION]...

    Encode or decode base64.
    """

    help: bool = opt("-help", help="show this help")
    decode: bool = also(
        opt("-d", help="decode"),
        opt("-e", help="encode (the default)", const=False),
    )
    base64: bool = opt("-a", "-base64", help="use base64, which enc needs")
    single: bool = opt("-A", help="print a single line")
    source: str = opt("-in", "FILE", "read FILE instead of standard input", default="-")
    output: str | None = opt("-out", "FILE", "write to FILE")


@option_set
class RandomOptions:
    """openssl rand [-hex | -base64] [-out FILE] NUMBER

    Print NUMBER random bytes.
    """

    help: bool = opt("-help", help="show this help")
    layout: str = also(
        opt("-hex", help="print them in hexadecimal", const="hex", default=""),
        opt("-base64", help="print them in base64", const="base64"),
    )
    output: str | None = opt("-out", "FILE", "write to FILE")


@option_set
class VersionOptions:
    """openssl version [-v]

    Print the version.
    """

    help: bool = opt("-help", help="show this help")
    version: bool = opt("-v", ignored="it is all that is printed")


_OPTIONS = options_by_flag(Options)
SUBCOMMANDS: dict[str, type] = {
    **dict.fromkeys(("dgst", *_DIGESTS), DigestOptions),
    **dict.fromkeys(("base64", "enc"), EncodeOptions),
    "rand": RandomOptions,
    "version": VersionOptions,
}

#: Options of dgst that OpenSSL has and this one has not.
_MISSING_DIGEST_OPTIONS = frozenset(
    {"engine", "mac", "macopt", "provider", "prverify", "sign", "signature", "verify", "xoflen"}
)


def run(_: None, arguments: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 for a file that cannot be read or a command that is not offered."""
    name = arguments[0] if arguments else ""
    if name == "help" or name in _OPTIONS:
        raise Inform("help" if name == "help" else _OPTIONS[name].const)
    declared = SUBCOMMANDS.get(name)
    if declared is None:
        raise Failure(f"'{name}' is not offered: dgst, base64, enc, rand and version are (L-OPENSSL-001)")
    ctx.name = name  # messages begin with the command, not with openssl
    try:
        options, operands = WordSyntax(declared, permute=False, equals=True).parse(arguments[1:])
    except WordOptionError as error:
        raise _misuse(_describe(error, declared), ctx) from None
    if options.help:
        ctx.write(usage(declared, name, informs=False).encode())
        return 0
    if isinstance(options, DigestOptions):
        return _print_digests(options, operands, ctx)
    if isinstance(options, RandomOptions):
        return _print_random(options, operands, ctx)
    if operands:
        raise _misuse("Extra arguments given.", ctx)
    if isinstance(options, EncodeOptions):
        if name == "enc" and not options.base64:
            raise Failure("ciphers are not offered, only -base64 (L-OPENSSL-001)")
        try:
            status = _convert_base64(options, ctx)
            ctx.flush()
        except WriteError as error:
            ctx.abandon()
            is_long = len(error.data) > C_BUFFER  # OpenSSL notices a short text when it ends
            ctx.write_error("error writing output file\n" if is_long else "bad encrypt\n")
            return 1
        return status
    ctx.write_line("OpenSSL 3.0 (sandhook)")
    return 0


def _misuse(message: str, ctx: Context) -> Failure:
    return Failure(f"{message}\n{ctx.name}: Use -help for summary.")


def _describe(error: WordOptionError, declared: type) -> str:
    """Return OpenSSL's message for an error in the options of a command."""
    if error.problem == "missing":
        return f"Option -{error.name} needs a value"
    if error.problem == "not allowed":
        return f"Option -{error.name} does not take a value"
    if declared is DigestOptions:
        if error.name in _MISSING_DIGEST_OPTIONS:
            return f"-{error.name} is not offered (L-OPENSSL-001)"
        return f"Unknown option or message digest: {error.name}"
    if declared is EncodeOptions:
        return f"Unknown cipher: {error.name} (ciphers are not offered, L-OPENSSL-001)"
    return f"Unknown option: -{error.name}"


def _print_digests(options: DigestOptions, operands: Sequence[str], ctx: Context) -> int:
    kind = options.digest or (ctx.name if ctx.name in _DIGESTS else "")
    key = None if options.key is None else options.key.encode("utf-8", "surrogateescape")
    algorithm, title = _DIGESTS[kind] if kind else ("sha256", "SHA256")
    out = _Output(options.output, ctx)
    try:
        for operand in operands or [""]:
            state: Any = hashlib.new(algorithm, usedforsecurity=False)
            if key is not None:
                state = hmac.new(key, digestmod=algorithm)
            try:
                with ctx.open(operand or "-") as reader:
                    for data in reader.chunks():
                        state.update(data)
            except OSError as error:
                ctx.write_error(f"{operand}: {reason(error)}\n")
                ctx.failed = 1
                continue
            out.write(_format_digest(state, options, title, operand))
    finally:
        out.close()
    return ctx.failed


def _format_digest(state: Any, options: DigestOptions, title: str, operand: str) -> bytes:
    if options.binary:
        return bytes(state.digest())
    digest: str = state.hexdigest()
    if options.layout == "coreutils":
        return f"{digest} *{operand or 'stdin'}\n".encode("utf-8", "surrogateescape")
    if options.layout == "colons":
        digest = ":".join(digest[index : index + 2] for index in range(0, len(digest), 2))
    head = f"HMAC-{title}" if options.key is not None and operand else title
    return f"{head}({operand or 'stdin'})= {digest}\n".encode("utf-8", "surrogateescape")


def _convert_base64(options: EncodeOptions, ctx: Context) -> int:
    try:
        reader = ctx.open(options.source)
    except OSError as error:
        text = f'Can\'t open "{options.source}" for reading, {reason(error)}\n'
        ctx.write_error(text)
        return 1
    out = _Output(options.output, ctx)
    try:
        with reader:
            if options.decode:
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
                out.write(_encode(buffer[:size], options.single))
                buffer = buffer[size:]
            out.write(_encode(buffer, options.single))
    finally:
        out.close()
    return 0


def _encode(data: bytes, single: bool) -> bytes:
    if single:
        return binascii.b2a_base64(data, newline=False)
    return b"".join([binascii.b2a_base64(data[at : at + _LINE]) for at in range(0, len(data), _LINE)])


def _print_random(options: RandomOptions, operands: Sequence[str], ctx: Context) -> int:
    if len(operands) > 1:
        raise _misuse("Extra arguments given.", ctx)
    text = operands[0] if operands else "0"
    if not (text.isascii() and text.isdigit()) or (operands and not text.strip("0")):
        raise _misuse(f'Can\'t parse "{text}" as a number', ctx)
    count = int(text[:10])
    if count > _MAX_RANDOM:
        raise Failure(f"more than {_MAX_RANDOM} bytes are not offered (L-OPENSSL-001)")
    pieces = []
    with ctx.open("/dev/urandom") as reader:
        while count:
            pieces.append(reader.read(min(count, 65_536)))
            count -= len(pieces[-1])
    data = b"".join(pieces)
    out = _Output(options.output, ctx)
    try:
        if options.layout == "hex":
            out.write(data.hex().encode() + b"\n")
        else:
            out.write(_encode(data, False) if options.layout else data)
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
