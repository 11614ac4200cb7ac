"""What agents read as JSON beyond RFC 8259 and the bounds of sandhook's decoder, and what they do not read within them.

JavaScript and Python read numbers of any size, halves of surrogate pairs and values that nest deeply; Python reads NaN, too. Rust's
serde_json reads none of them, except in fields that the agent skips.
"""

from __future__ import annotations

from sandhook.hooks.decode import DATA_DEPTH
from sandhook.hooks.model import RunResult
from sandhook.lazy import lazily
from sandhook.typed import Literal

Reader = Literal["javascript", "python", "rust", "skipping"]

#: serde_json's own bound.
_RUST_DEPTH = 127
_TOKEN = lazily(r'(?s)"(?>[^"\\]++|\\.)*+"?|[\[{\]}]|-?\d[\d.eE+-]*+|-?Infinity|NaN')
_ESCAPE = lazily(
    r"(?s)\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\.",
)
_UNUSUAL = lazily(r"\\u[dD][89a-fA-F]|\d[eE]\+?\d{3}|\d{300}|Infinity|NaN")
_JAVASCRIPT_BLANKS = "\t\n\v\f\r \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_LARGEST = "1.7976931348623157e308"


def as_read(ran: RunResult, reader: Reader, *, strict: bool, trimmer: Reader | None = None) -> RunResult:
    """Return a run whose output means to sandhook's decoder what it means to the agent.

    Args:
        strict: Without it a bound stays a bound, so that the hook refuses; only what the agent reads as JSON and
            the decoder does not is replaced.
        trimmer: What trims the output, where that is not what reads it.
    """
    if reader != "python":
        ran = _trimmed(ran, trimmer or reader, strict=strict)
        if not strict:
            return ran
    text = ran.stdout.decode("utf-8", "replace")
    start = text.lstrip()[:1]
    if start not in ("{", "[", '"') or not (
        text.count("[") + text.count("{") > _RUST_DEPTH or _UNUSUAL.search(text)
    ):
        return ran
    return ran._replace(stdout=_rewritten(text, reader, strict=strict).encode())


def _trimmed(ran: RunResult, reader: Reader, *, strict: bool) -> RunResult:
    """Return a run of whose output Python strips what the agent trims.

    JavaScript trims byte order marks, of which one stays, and not the next line. Neither it nor Rust trims the separators
    of ASCII. JSON next to a sign that the agent does not trim is no JSON in strict mode; else a refusal in it would be lost.
    """
    inside = ran.stdout.strip(b" \t\r\n")
    if not _has_odd_edge(inside):
        return ran
    text = ran.stdout.decode("utf-8", "replace")
    if reader == "javascript":
        whole, text = text, text.strip(_JAVASCRIPT_BLANKS)
        head = whole[: len(whole) - len(whole.lstrip(_JAVASCRIPT_BLANKS))]
        text = f"\ufeff{text}" if "\ufeff" in head else text
    kept = "\x1c\x1d\x1e\x1f\x85" if reader == "javascript" else "\x1c\x1d\x1e\x1f"
    inner = text.strip().removeprefix("\ufeff").strip()
    if strict and inner[:1] in ("{", "[", '"'):
        start, end = text.index(inner[0]), text.rindex(inner[-1]) + 1
        if any(sign in text[:start] for sign in kept):
            text = f"\ufffd{inner}"
        elif any(sign in text[end:] for sign in kept):
            text = _unread(inner)
    return ran._replace(stdout=text.encode())


def _has_odd_edge(output: bytes) -> bool:
    """Return whether an output begins or ends with a sign that one language may trim and another not."""
    edges = output[:1] + output[-1:]
    return not (edges.isascii() and edges.decode().isprintable())


def untrimmed(ran: RunResult) -> RunResult:
    """Return a run for an agent that parses its output untrimmed, in which JSON next to blanks that JSON does not know is text.

    The run itself is returned if nothing but JSON's own blanks stands around its output.
    """
    inside = ran.stdout.strip(b" \t\r\n")
    if not _has_odd_edge(inside):
        return ran
    text = inside.decode("utf-8", "replace")
    inner = text.strip(_JAVASCRIPT_BLANKS)
    if inner == text.removeprefix("\ufeff") or inner[:1] not in ("{", "[", '"'):
        return ran
    return ran._replace(stdout=_unread(inner).encode())


def _rewritten(text: str, reader: Reader, *, strict: bool) -> str:
    """Return the text with other tokens in place of those that the decoder and the agent read differently."""
    parts: list[str] = []
    depth, done = 0, 0
    most = _RUST_DEPTH if reader == "rust" else DATA_DEPTH
    for match in _TOKEN.finditer(text):
        token = match[0]
        before = text[done : match.start()]
        done = match.end()
        hidden = depth > most  # inside a value that is too deep
        if token in "[{":
            depth += 1
            shown = token if depth <= most or not strict else "null" if depth == most + 1 else ""
            if reader == "rust" and depth == most + 1:
                return _unread(text)
        elif token in "]}":
            shown = "" if hidden and strict else token
            depth -= 1
        else:
            changed = _token(token, reader, strict=strict)
            if changed is None:
                return _unread(text)
            shown = "" if hidden and strict else changed
        parts += ["" if hidden and strict else before, shown]
    return "".join(parts) + text[done:]


def _token(token: str, reader: Reader, *, strict: bool) -> str | None:
    """Return what the decoder reads in place of a token, or None for one that the agent does not read."""
    if token[-1] in "yN":
        return "null" if reader == "python" else token
    if not strict:
        return token
    if token[0] == '"':
        text = _ESCAPE.sub(lambda escape: r"\ufffd" if _is_half(escape[0]) else escape[0], token)
        return None if text != token and reader in ("rust", "skipping") else text
    try:
        value = float(token)
    except ValueError:
        return token
    if value - value == 0:
        return token
    return None if reader == "rust" else f"{'-' if value < 0 else ''}{_LARGEST}"


def _is_half(escape: str) -> bool:
    return len(escape) == 6 and escape[2] in "dD"


def _unread(text: str) -> str:
    """Return a text that no reader takes for JSON, and that begins as the given one does."""
    return text.lstrip()[:1] + " not read"
