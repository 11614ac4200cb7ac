"""iconv: convert text from one encoding to another.

Source: POSIX.1-2024 XCU 3, iconv. Oracle: glibc 2.36. Divergence: L-ICONV-001, the list of encodings is fixed;
//IGNORE is -c with an error message; //TRANSLIT writes ? for characters without Latin letters.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence

from sandhook.command.context import Context, Failure, Reader
from sandhook.command.operands import reason
from sandhook.command.options import opt, option_set
from sandhook.kernel.descriptor import Description
from sandhook.text.locale import characters_are_bytes
from sandhook.utilities.lines.transliteration import transliteration

READ_ERROR = "error while reading the input: {}"

WRITE_ERROR = {
    "": "error while closing output file: {}",
    "large": "conversion stopped due to problem in writing the output",
}

ARGP = True
HINT_QUOTE = "`"

USAGE_STATUS = 1


#: glibc's names of encodings, without "-" and "_", and the codec of each.
_CODECS = {
    "ANSIX3.41968": "ascii", "ASCII": "ascii", "USASCII": "ascii", "646": "ascii",
    "UTF8": "utf-8", "UTF7": "utf-7", "UTF16": "utf-16", "UTF16LE": "utf-16-le", "UTF16BE": "utf-16-be",
    "UCS2": "utf-16-le", "UNICODE": "utf-16", "WCHART": "utf-32-le", "UCS2LE": "utf-16-le", "UCS2BE": "utf-16-be", "UTF32": "utf-32", "UTF32LE": "utf-32-le",
    "UTF32BE": "utf-32-be", "UCS4": "utf-32-be", "UCS4LE": "utf-32-le", "UCS4BE": "utf-32-be",
    "LATIN1": "latin-1", "L1": "latin-1", "LATIN2": "iso8859-2", "LATIN9": "iso8859-15",
    "KOI8R": "koi8-r", "KOI8U": "koi8-u", "MACINTOSH": "mac-roman", "MAC": "mac-roman",
    "SHIFTJIS": "shift_jis", "SJIS": "shift_jis", "EUCJP": "euc_jp", "ISO2022JP": "iso2022_jp", "CP932": "cp932",
    "EUCKR": "euc_kr", "CP949": "cp949", "GB2312": "gb2312", "EUCCN": "gb2312", "GBK": "gbk", "CP936": "gbk",
    "GB18030": "gb18030", "BIG5": "big5", "CP950": "cp950", "BIG5HKSCS": "big5hkscs",
    **{f"ISO8859{part}": f"iso8859-{part}" for part in (*range(1, 12), *range(13, 17))},
    **{f"{head}{page}": f"cp{page}" for page in range(1250, 1259) for head in ("CP", "WINDOWS")},
    **{f"{head}{page}": f"cp{page}" for page in (437, 775, 850, 852, 855, 857, 858, 860, 861, 862, 863, 865, 866)
       for head in ("CP", "IBM", "")},
}  # fmt: skip


_WINDOW = 4_096  #: bytes that are converted at once


@option_set
class Options:
    """iconv [OPTION...] [FILE...]

    Convert each FILE (standard input) from one encoding to another; the locale's is the default.
    """

    source: str | None = opt("-f", "--from-code", "ENCODING", "the encoding of the input")
    target: str | None = opt(
        "-t", "--to-code", "ENCODING", "the encoding of the output; with //TRANSLIT, //IGNORE"
    )
    listing: bool = opt("-l", "--list", help="list the encodings that are known")
    omit: bool = opt("-c", help="leave out what cannot be converted")
    output: str | None = opt("-o", "--output", "FILE", "write to this file")
    silent: bool = opt("-s", "--silent", help="no warnings", ignored="")
    verbose: bool = opt("--verbose", help="print the name of each FILE on standard error")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when something could not be read or converted."""
    if options.listing:
        for name in sorted(_CODECS):
            ctx.write_line(f"{name}//")
        return 0
    source, _ = _encoding(options.source, ctx)
    target, suffixes = _encoding(options.target, ctx)
    output = None
    conversion = _Conversion(source, target, options.omit or "IGNORE" in suffixes, "TRANSLIT" in suffixes)
    conversion.accents = not characters_are_bytes(ctx.environment.get)
    try:
        for name in operands or ["-"]:
            if options.verbose:
                ctx.process.write_error(f"{name}:\n".encode("utf-8", "surrogateescape"))
            try:
                reader = ctx.open(name)
            except IsADirectoryError as error:
                raise Failure(f"error while reading the input: {reason(error)}") from None
            except OSError as error:
                ctx.fail(f"cannot open input file `{name}': {reason(error)}")
                continue
            with reader:
                for data in conversion.pieces(reader, ctx):
                    if options.output is None:
                        ctx.write(data)
                        continue
                    if output is None:
                        output = _create(options.output, ctx)
                    output.write(data)
    finally:
        if output is not None:
            output.release()
    if conversion.omitted and "IGNORE" in suffixes:
        ctx.fail(f"illegal input sequence at position {conversion.size}")
    return ctx.failed


def _create(name: str, ctx: Context) -> Description:
    """Return the file for the output. Raises Failure."""
    try:
        return ctx.create(name)
    except OSError as error:
        raise Failure(f"cannot open output file: {reason(error)}") from None


def _encoding(name: str | None, ctx: Context) -> tuple[str, list[str]]:
    """Return the codec of a name, and the suffixes after its slashes. Raises Failure."""
    if not name or name.startswith("//"):
        text = next(
            (ctx.environment[n] for n in ("LC_ALL", "LC_CTYPE", "LANG") if ctx.environment.get(n)), ""
        )
        name = ("ASCII" if text in ("C", "POSIX") else "UTF-8") + (name or "")
    head, *suffixes = name.upper().split("/")
    codec = _CODECS.get(head.replace("-", "").replace("_", ""))
    if codec is None:
        raise Failure("failed to start conversion processing")
    return codec, [suffix for suffix in suffixes if suffix]


class _Conversion:
    """Converts inputs piece by piece.

    Attributes:
        omitted: Something was left out: an invalid sequence, or a character that the target encoding lacks.
        size: The number of bytes of the last input.
        accents: //TRANSLIT removes accents, as in all locales but C.
    """

    def __init__(self, source: str, target: str, omit: bool, translate: bool) -> None:
        self.source = source
        self.omit = omit
        self.translate = translate
        self.accents = True
        self.omitted = False
        self.size = 0
        self._decoder = codecs.getincrementaldecoder(source)
        self._current = self._decoder()
        self._encoder = codecs.getincrementalencoder(target)()
        self._position = 0  #: of the first byte that is not decoded yet

    def pieces(self, reader: Reader, ctx: Context) -> Iterator[bytes]:
        """Yield the converted input. Raises Failure where it cannot be converted."""
        self._current = self._decoder()
        self._position = self.size = 0
        for data in reader.chunks():
            self.size += len(data)
            ctx.charge(1 + (len(data) >> 8))
            for at in range(0, len(data), _WINDOW):
                yield from self._window(data[at : at + _WINDOW], False, ctx)
        yield from self._window(b"", True, ctx)

    def _window(self, data: bytes, ended: bool, ctx: Context) -> Iterator[bytes]:
        """Convert a short piece. After an invalid sequence the rest is decoded again, so the piece is short."""
        while True:
            decoder = self._current
            try:
                text = decoder.decode(data, ended)
            except UnicodeError as error:
                if not isinstance(error, UnicodeDecodeError) or "BOM" in error.reason:
                    # UTF-16 or UTF-32 without a byte order mark: assume little endian
                    data = decoder.getstate()[0] + data
                    self._current = codecs.getincrementaldecoder(f"{self.source}-le")()
                    continue
                ctx.charge()
                buffer = error.object
                yield from self._encode(buffer[: error.start].decode(self.source))
                ctx.flush()
                if ended and ("unexpected end" in error.reason or "truncated" in error.reason):
                    raise Failure("incomplete character or shift sequence at end of buffer") from None
                if not self.omit:
                    raise Failure(f"illegal input sequence at position {self._position}") from None
                self.omitted = True
                self._position += error.end - error.start
                decoder.reset()
                data = buffer[error.end :]
                continue
            yield from self._encode(text)
            return

    def _encode(self, text: str) -> Iterator[bytes]:
        """Encode text, and continue after characters that the target encoding lacks."""
        while text:
            try:
                yield self._encoder.encode(text)
                self._advance(text)
                return
            except UnicodeEncodeError as error:
                valid, character, text = text[: error.start], text[error.start], text[error.start + 1 :]
                yield self._encoder.encode(valid)
                self._advance(valid)
                if self.translate:
                    yield self._encoder.encode(transliteration(character, accents=self.accents))
                elif not self.omit:
                    raise Failure(f"illegal input sequence at position {self._position}") from None
                else:
                    self.omitted = True
                self._advance(character)

    def _advance(self, text: str) -> None:
        self._position += len(
            text.encode(self.source, "surrogatepass" if "utf" in self.source else "replace")
        )
