"""Quoting of values for reuse as shell input, as bash and other programs write them, and of names in messages.

``shell_quote``, ``at_quote``, ``double_quote``, ``set_quote``, ``trace_quote`` and ``key_quote`` are bash's forms;
they differ in when they quote, and with what.

Source: the Bash Reference Manual, printf %q and ``${parameter@Q}``. Oracle: bash 5.2, C.UTF-8.
"""

from __future__ import annotations

from sandhook.lazy import lazily

_SAFE = lazily(r"[A-Za-z0-9_./:@%+=-]+")
_SAFE_FOR_PARALLEL = lazily(r"[A-Za-z0-9_./+-]+")
_SAFE_FOR_DIFF = lazily(r"[A-Za-z0-9_@%+:,./-]+")
_SPECIAL = lazily(r"""[ !"$&'()*,;<>?\[\\\]^`{|}]|(?:^|(?<=[=:]))~|^\#""")
_METAS = frozenset(" \t\n'\"\\|&;()<>!{}*[]?^$`")
_DOUBLE = lazily(r"""[\\"$`]""")
_NAMED = {
    "\a": "\\a", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\v": "\\v", "\f": "\\f", "\r": "\\r",
    "\x1b": "\\E", "'": "\\'", "\\": "\\\\",
}  # fmt: skip


def shell_quote(text: str) -> str:
    """Return what printf's %q writes: backslashes, or ``$'...'`` if something is not printable."""
    if _SAFE.fullmatch(text):
        return text
    if not text:
        return "''"
    if needs_ansi_c(text):
        return ansi_c(text)
    return _SPECIAL.sub(r"\\\g<0>", text)


def in_single_quotes(text: str) -> str:
    """Return ``'text'`` with each inner quote as ``'\\''``, whatever the text is."""
    return "'" + text.replace("'", "'\\''") + "'"


def single_quote(text: str) -> str:
    """Return the text in single quotes as ``alias``, ``trap -p`` and ``set -x`` do: a lone quote is ``\\'``."""
    return "\\'" if text == "'" else in_single_quotes(text)


def at_quote(text: str) -> str:
    """Return what ``${x@Q}`` gives: single quotes, or ``$'...'`` if something is not printable."""
    return ansi_c(text) if needs_ansi_c(text) else single_quote(text)


def contains_metas(text: str) -> bool:
    """Return True when the shell would read ``text`` as anything but one plain word; "" is plain."""
    return not _METAS.isdisjoint(text) or text[:1] in ("#", "~") or "=~" in text or ":~" in text


def set_quote(text: str) -> str:
    """Return a value as ``set`` prints it: bare where possible, and "" stays empty."""
    if needs_ansi_c(text):
        return ansi_c(text)
    return single_quote(text) if contains_metas(text) else text


def trace_quote(text: str) -> str:
    """Return a word as ``set -x`` prints it: single quotes go before ``$'...'``, unlike ``set_quote``."""
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
    """Return what ``declare -p`` writes: double quotes, or ``$'...'`` if something is not printable."""
    if needs_ansi_c(text):
        return ansi_c(text)
    return '"' + _DOUBLE.sub(r"\\\g<0>", text) + '"'


def needs_ansi_c(text: str) -> bool:
    """Return True when a character (or a byte that is not UTF-8) cannot be printed."""
    return not text.isprintable() and not all(map(printable, text))


def ansi_c(text: str) -> str:
    """Return ``$'...'`` with named and octal escapes."""
    pieces = ["$'"]
    for letter in text:
        named = _NAMED.get(letter)
        if named is not None:
            pieces.append(named)
        elif printable(letter):
            pieces.append(letter)
        else:
            pieces += [f"\\{byte:03o}" for byte in letter.encode("utf-8", "surrogateescape")]
    pieces.append("'")
    return "".join(pieces)


def printable(letter: str) -> bool:
    """Return what iswprint says in C.UTF-8: Python's view, but for spaces, formats and private use."""
    if letter.isprintable():
        return True
    if letter.isascii():
        return False
    from unicodedata import category

    return category(letter) in ("Zs", "Cf", "Co")


def quote_word(word: str) -> str:
    """Return a word of a hook's command as shell text: bare if it has letters, digits and ``_-./:=@%+,`` alone."""
    if word and all(c.isalnum() or c in "_-./:=@%+," for c in word):
        return word
    return in_single_quotes(word)


def diff_quote(word: str) -> str:
    """Return an option as ``diff -r`` prints it in its command lines; ``=`` needs quotes, unlike in ``quote_word``."""
    return word if _SAFE_FOR_DIFF.fullmatch(word) else in_single_quotes(word)


def parallel_quote(text: str) -> str:
    """Return a value as GNU parallel quotes it: an inner quote is ``'"'"'``, and few signs stay bare."""
    if _SAFE_FOR_PARALLEL.fullmatch(text):
        return text
    return "'" + text.replace("'", "'\"'\"'") + "'"


#: What GNU's shell-escape quoting leaves alone inside single quotes.
_PLAIN = frozenset(chr(code) for code in range(32, 127) if chr(code) != "'")


_ESCAPES = {
    "\a": "\\a", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\v": "\\v", "\f": "\\f", "\r": "\\r",
}  # fmt: skip


def quote_always(name: str) -> str:
    """Return a name as GNU's messages quote it: so that a shell would read it back."""
    if "'" in name and not any(letter in name for letter in '"$`\\!\n\t\r') and name.isprintable():
        return f'"{name}"'
    pieces = ["'"]
    dollar = False
    for letter in name:
        printable = letter in _PLAIN or (ord(letter) > 126 and letter.isprintable())
        if printable:
            pieces.append("''" + letter if dollar else letter)
            dollar = False
        elif letter == "'":
            pieces.append("'\\''")
            dollar = False
        else:
            escape = _ESCAPES.get(letter) or "".join(
                f"\\{byte:03o}" for byte in letter.encode("utf-8", "surrogateescape")
            )
            pieces.append(escape if dollar else f"'$'{escape}")
            dollar = True
    return "".join(pieces) + "'"


#: What makes GNU's messages quote a name that they otherwise leave bare.
_NEEDS_QUOTES = frozenset("\t\n !\"$&'()*:;<=>?[\\^`|")


def quote_odd(name: str) -> str:
    """Return a name as "cat: NAME: reason" has it: quoted where it would not be read back as one word."""
    if name.isprintable() and _NEEDS_QUOTES.isdisjoint(name) and name[:1] not in ("#", "~", ""):
        return name if name not in ("{", "}") else quote_always(name)
    return quote_always(name)


def quote_escaped(name: str) -> str:
    """Return a name as the messages of find and tar quote it: with the escapes of a string of C."""
    pieces = []
    for letter in name:
        if letter in "'\\":
            pieces.append("\\" + letter)
        elif letter in _PLAIN or (ord(letter) > 126 and letter.isprintable()):
            pieces.append(letter)
        else:
            octal = "".join(f"\\{byte:03o}" for byte in letter.encode("utf-8", "surrogateescape"))
            pieces.append(_ESCAPES.get(letter) or octal)
    return "'" + "".join(pieces) + "'"


_C_ESCAPES = {"\a": "\\a", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\v": "\\v", "\f": "\\f", "\r": "\\r",
              "\\": "\\\\"}  # fmt: skip


_SHELL_SPECIAL = frozenset("\t\n !\"$&'()*;<=>?[\\^`|")


def quoted_name(name: str, style: str) -> str:
    """Return a name in one of ls's quoting styles."""
    if style == "literal":
        return name
    if style == "c-maybe":
        quoted = quoted_name(name, "c")
        return name if len(quoted) == len(name) + name.count("\\") + 2 else quoted
    if style in ("shell", "shell-always", "escape-shell", "escape-shell-always"):
        escapes = "escape" in style
        needed = (
            not name
            or name[0] in "#~"
            or name in ("{", "}")
            or any(letter in _SHELL_SPECIAL or (escapes and not letter.isprintable()) for letter in name)
        )
        if not needed and not style.endswith("always"):
            return name
        if escapes or ("'" in name and not any(letter in name for letter in '"$`\\!\n\t')):
            return quote_always(name)
        return in_single_quotes(name)
    extra = {"c": '"', "locale": "'", "escape": " "}[style]
    pieces = []
    for letter in name:
        if letter in _C_ESCAPES:
            pieces.append(_C_ESCAPES[letter])
        elif letter == extra:
            pieces.append("\\" + letter)
        elif letter.isprintable():
            pieces.append(letter)
        else:
            pieces += [f"\\{byte:03o}" for byte in letter.encode("utf-8", "surrogateescape")]
    text = "".join(pieces)
    return text if style == "escape" else f"{extra}{text}{extra}"
