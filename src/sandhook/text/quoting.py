"""Quotes values for reuse as shell input, as bash and other programs do, and names in messages.

``shell_quote``, ``at_quote``, ``double_quote``, ``set_quote``, ``trace_quote`` and ``key_quote`` are bash's forms;
they differ in which values they quote, and how.

Source: the Bash Reference Manual, printf %q and ``${parameter@Q}``. Oracle: bash 5.2, C.UTF-8.
"""

from __future__ import annotations

from sandhook.lazy import lazily
from sandhook.limits import timed_pieces
from sandhook.typed import Literal, TypeAlias

_SAFE = lazily(r"[A-Za-z0-9_./:@%+=-]+")
_SAFE_FOR_PARALLEL = lazily(r"[A-Za-z0-9_./+-]+")
_SAFE_FOR_DIFF = lazily(r"[A-Za-z0-9_@%+:,./-]+")
_SPECIAL = {ord(sign): "\\" + sign for sign in " !\"$&'()*,;<>?[\\]^`{|}"}
_METAS = frozenset(" \t\n'\"\\|&;()<>!{}*[]?^$`")
_DOUBLE = {ord(sign): "\\" + sign for sign in '\\"$`'}
_NAMED = {
    "\a": "\\a", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\v": "\\v", "\f": "\\f", "\r": "\\r",
    "\x1b": "\\E", "'": "\\'", "\\": "\\\\",
}  # fmt: skip


def shell_quote(text: str) -> str:
    """Quote text as printf's %q does: with backslashes, or ``$'...'`` if a character is not printable."""
    if _SAFE.fullmatch(text):
        return text
    if not text:
        return "''"
    if needs_ansi_c(text):
        return ansi_c(text)
    quoted = _translate(text, _SPECIAL).replace("=~", "=\\~").replace(":~", ":\\~")
    return "\\" + quoted if text[0] in "~#" else quoted


def _translate(text: str, table: dict[int, str]) -> str:
    """Return ``text.translate(table)``, with looks at the clock."""
    return "".join([piece.translate(table) for piece in timed_pieces(text)])


def in_single_quotes(text: str) -> str:
    """Return ``'text'`` with each inner quote as ``'\\''``."""
    return "'" + text.replace("'", "'\\''") + "'"


def single_quote(text: str) -> str:
    """Return the text in single quotes as ``alias``, ``trap -p`` and ``set -x`` do: a lone quote is ``\\'``."""
    return "\\'" if text == "'" else in_single_quotes(text)


def at_quote(text: str) -> str:
    """Quote text as ``${x@Q}`` does: with single quotes, or ``$'...'`` if a character is not printable."""
    return ansi_c(text) if needs_ansi_c(text) else single_quote(text)


def contains_metas(text: str) -> bool:
    """Return True when the shell would not read ``text`` as one plain word; "" is plain."""
    return not _METAS.isdisjoint(text) or text[:1] in ("#", "~") or "=~" in text or ":~" in text


def set_quote(text: str, posix: bool = False) -> str:
    """Return a value as ``set`` prints it: bare where possible, and "" stays empty; ``posix`` has no ``$'...'``."""
    if not posix and needs_ansi_c(text):
        return ansi_c(text)
    return single_quote(text) if contains_metas(text) else text


def trace_quote(text: str) -> str:
    """Return a word as ``set -x`` prints it: it prefers single quotes to ``$'...'``, unlike ``set_quote``."""
    if not text:
        return "''"
    if contains_metas(text):
        return single_quote(text)
    return ansi_c(text) if needs_ansi_c(text) else text


def key_quote(key: str) -> str:
    """Return the key of an associative array as ``declare -p`` prints it: bare where possible."""
    if key in ("", "@") or contains_metas(key) or needs_ansi_c(key):
        return double_quote(key)
    return key


def double_quote(text: str) -> str:
    """Quote text as ``declare -p`` does: with double quotes, or ``$'...'`` if a character is not printable."""
    if needs_ansi_c(text):
        return ansi_c(text)
    return f'"{_translate(text, _DOUBLE)}"'


def needs_ansi_c(text: str) -> bool:
    """Return True when a character (or a byte that is not UTF-8) cannot be printed."""
    return not text.isprintable() and not all(all(map(printable, piece)) for piece in timed_pieces(text))


def ansi_c(text: str) -> str:
    """Return ``$'...'`` with named and octal escapes."""
    return "$'" + "".join([_escape(piece) for piece in timed_pieces(text)]) + "'"


def _escape(text: str) -> str:
    pieces = []
    for letter in text:
        named = _NAMED.get(letter)
        if named is not None:
            pieces.append(named)
        elif printable(letter):
            pieces.append(letter)
        else:
            pieces.append(_octal(letter))
    return "".join(pieces)


def printable(letter: str) -> bool:
    """Return iswprint of C.UTF-8: it differs from Python for spaces, format characters and private use."""
    if letter.isprintable():
        return True
    if letter.isascii():
        return False
    from unicodedata import category

    return category(letter) in ("Zs", "Cf", "Co")


def quote_word(word: str) -> str:
    """Quote a word of a hook's command, unless it has only letters, digits and ``_-./:=@%+,``."""
    if word and all(c.isalnum() or c in "_-./:=@%+," for c in word):
        return word
    return in_single_quotes(word)


def diff_quote(word: str) -> str:
    """Quote an option as ``diff -r`` does in its command lines; ``=`` is quoted, unlike in ``quote_word``."""
    return word if _SAFE_FOR_DIFF.fullmatch(word) else in_single_quotes(word)


def parallel_quote(text: str) -> str:
    """Quote a value as GNU parallel does: an inner quote is ``'"'"'``, and few characters need no quotes."""
    if _SAFE_FOR_PARALLEL.fullmatch(text):
        return text
    return "'" + text.replace("'", "'\"'\"'") + "'"


#: Characters that GNU's shell-escape quoting does not change inside single quotes.
_PLAIN = frozenset(chr(code) for code in range(32, 127) if chr(code) != "'")


_ESCAPES = {
    "\a": "\\a", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\v": "\\v", "\f": "\\f", "\r": "\\r",
}  # fmt: skip


def quote_always(name: str) -> str:
    """Quote a name as GNU's messages do, so that a shell reads it back."""
    if "'" in name and not any(letter in name for letter in '"$`\\!\n\t\r') and not needs_ansi_c(name):
        return f'"{name}"'
    pieces = []
    escaping = False
    for piece in timed_pieces(name):
        quoted, escaping = _in_dollar_quotes(piece, escaping)
        pieces.append(quoted)
    return f"'{''.join(pieces)}'"


def _in_dollar_quotes(text: str, escaping: bool) -> tuple[str, bool]:
    """Return the inside of GNU's quotes, and whether ``$'`` is open at its end; ``escaping`` is that of its start."""
    pieces = []
    for letter in text:
        if letter in _PLAIN or (ord(letter) > 126 and printable(letter)):
            pieces.append("''" + letter if escaping else letter)
            escaping = False
        elif letter == "'":
            pieces.append("'\\''")
            escaping = False
        else:
            escape = _ESCAPES.get(letter) or _octal(letter)
            pieces.append(escape if escaping else f"'$'{escape}")
            escaping = True
    return "".join(pieces), escaping


def _octal(letter: str) -> str:
    """Return the octal escapes of the bytes of a character."""
    return "".join([f"\\{byte:03o}" for byte in letter.encode("utf-8", "surrogateescape")])


#: Characters because of which GNU's messages quote a name.
_NEEDS_QUOTES = frozenset("\t\n !\"$&'()*:;<=>?[\\^`|")


def quote_odd(name: str) -> str:
    """Quote a name as in "cat: NAME: reason": only if the shell would not read it back as one word."""
    if not needs_ansi_c(name) and _NEEDS_QUOTES.isdisjoint(name) and name[:1] not in ("#", "~", ""):
        return name if name not in ("{", "}") else quote_always(name)
    return quote_always(name)


def quote_escaped(name: str) -> str:
    """Quote a name as the messages of find and tar do: with the escapes of a C string."""
    return f"'{''.join([_c_string(piece) for piece in timed_pieces(name)])}'"


def _c_string(text: str) -> str:
    pieces = []
    for letter in text:
        if letter in "'\\":
            pieces.append("\\" + letter)
        elif letter in _PLAIN or (ord(letter) > 126 and printable(letter)):
            pieces.append(letter)
        else:
            pieces.append(_ESCAPES.get(letter) or _octal(letter))
    return "".join(pieces)


_C_ESCAPES = {"\a": "\\a", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\v": "\\v", "\f": "\\f", "\r": "\\r",
              "\\": "\\\\"}  # fmt: skip


#: How ``quoted_name`` quotes.
QuotingStyle: TypeAlias = Literal[
    "literal",
    "shell",
    "shell-always",
    "escape-shell",
    "escape-shell-always",
    "c",
    "c-maybe",
    "escape",
    "locale",
]

#: The words of QUOTING_STYLE and --quoting-style, and the style of ``quoted_name`` that each selects.
QUOTING_STYLES: dict[str, QuotingStyle] = {
    "literal": "literal", "shell": "shell", "shell-always": "shell-always", "shell-escape": "escape-shell",
    "shell-escape-always": "escape-shell-always", "c": "c", "c-maybe": "c-maybe", "escape": "escape",
    "locale": "locale", "clocale": "c",
}  # fmt: skip

_SHELL_SPECIAL = frozenset("\t\n !\"$&'()*;<=>?[\\^`|")


def quoted_name(name: str, style: QuotingStyle) -> str:
    """Return a name in one of ls's quoting styles."""
    if style == "literal":
        return name
    if style == "c-maybe":
        quoted = quoted_name(name, "c")
        return name if len(quoted) == len(name) + name.count("\\") + 2 else quoted
    if style in ("shell", "shell-always", "escape-shell", "escape-shell-always"):
        escapes = "escape" in style
        needs_quotes = (
            not name
            or name[0] in "#~"
            or name in ("{", "}")
            or not _SHELL_SPECIAL.isdisjoint(name)
            or (escapes and needs_ansi_c(name))
        )
        if not needs_quotes and not style.endswith("always"):
            return name
        if escapes or ("'" in name and not any(letter in name for letter in '"$`\\!\n\t')):
            return quote_always(name)
        return in_single_quotes(name)
    mark = {"c": '"', "locale": "'", "escape": " "}[style]
    text = "".join([_escape_c(piece, mark) for piece in timed_pieces(name)])
    return text if style == "escape" else f"{mark}{text}{mark}"


def _escape_c(text: str, mark: str) -> str:
    pieces = []
    for letter in text:
        if letter in _C_ESCAPES:
            pieces.append(_C_ESCAPES[letter])
        elif letter == mark:
            pieces.append("\\" + letter)
        elif printable(letter):
            pieces.append(letter)
        else:
            pieces.append(_octal(letter))
    return "".join(pieces)
