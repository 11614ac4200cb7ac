"""What agents read as JSON beyond RFC 8259 and the bounds of sandhook's decoder, and what they do not read within them.

JavaScript and Python read numbers of any size, halves of surrogate pairs and values that nest deeply; Python reads NaN, too. Rust's
serde_json reads none of them, except in fields that the agent skips.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from sandhook.hooks.decode import DATA_DEPTH
from sandhook.hooks.model import RunResult, Verdict
from sandhook.lazy import lazily
from sandhook.typed import Literal

Reader = Literal["javascript", "python", "rust", "skipping"]
#: What is trimmed from an output: what JavaScript or Python trim, Unicode's white space (Rust, Go), that at the start alone,
#: or JSON's blanks alone.
Trimmer = Literal["javascript", "python", "unicode", "unicode start", "json"]

#: serde_json's own bound.
_RUST_DEPTH = 127
_TOKEN = lazily(r'"(?>[^"\\]++|\\.)*+"?|[\[{\]}]|-?\d[\d.eE+-]*+|-?Infinity|NaN', re.DOTALL)
_ESCAPE = lazily(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\.",
    re.DOTALL,
)
_UNUSUAL = lazily(r"\\u[dD][89a-fA-F]|\d[eE]\+?\d{3}|\d{300}|Infinity|NaN")
#: Outputs that may begin or end with a sign that one agent trims and another does not.
_EDGES = lazily(rb"[^\x20-\x7e\t\r\n]")
_SPACES = "\t\n\v\f\r \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
_MARK, _NEXT_LINE, _SEPARATORS = "\ufeff", "\x85", "\x1c\x1d\x1e\x1f"
_BLANKS = "\t\n\r "
_TRIMMED: Mapping[Trimmer, str] = {
    "javascript": _SPACES + _MARK,
    "python": _SPACES + _NEXT_LINE + _SEPARATORS,
    "unicode": _SPACES + _NEXT_LINE,
    "unicode start": _SPACES + _NEXT_LINE,
    "json": _BLANKS,
}
_TRIMMERS: Mapping[Reader, Trimmer] = {
    "javascript": "javascript",
    "python": "python",
    "rust": "unicode",
    "skipping": "unicode",
}
_EVERY = _SPACES + _MARK + _NEXT_LINE + _SEPARATORS
_LARGEST = "1.7976931348623157e308"


def as_read(
    ran: RunResult,
    reader: Reader,
    decode: Callable[[RunResult], Verdict],
    *,
    strict: bool,
    trimmer: Trimmer | None = None,
) -> Verdict:
    """Return what a run means to an agent whose reader of JSON is known.

    Args:
        decode: Returns the meaning of a run whose output means to sandhook's decoder what it means to the agent.
        strict: Without it a bound stays a bound, so that the hook refuses; only what the agent reads as JSON and
            the decoder does not is replaced.
        trimmer: What trims the output, where that is not what reads it.
    """

    def decode_rewritten(each: RunResult) -> Verdict:
        read = _with_tokens_of(each, reader, strict=strict)
        if strict or read is each:
            return decode(read)
        return _either(each, read, decode, "has NaN or Infinity, which are not JSON")

    return as_trimmed(ran, trimmer or _TRIMMERS[reader], decode_rewritten, strict=strict)


def as_trimmed(
    ran: RunResult, trimmer: Trimmer, decode: Callable[[RunResult], Verdict], *, strict: bool
) -> Verdict:
    """Return what a run means to an agent that trims its output.

    JSON next to a sign that the agent does not trim is text to it. Without ``strict`` a refusal in it counts, and an
    approval does not. A byte order mark is such a sign then for every agent: the output is not strict JSON.
    """
    inside = ran.stdout.strip(b" \t\r\n")
    if not _EDGES.search(inside[:1] + inside[-1:]):
        return decode(ran)
    text = inside.decode("utf-8", "surrogateescape")
    inner = text.strip(_EVERY)
    if inner[:1] not in ("{", "[", '"'):
        return decode(_printing(ran, text.strip(_TRIMMED[trimmer])))
    start = len(text) - len(text.lstrip(_EVERY))
    known = _TRIMMED[trimmer] if strict else _TRIMMED[trimmer].replace(_MARK, "")
    before = text[:start].strip(known)
    after = text[start + len(inner) :].strip(_BLANKS if trimmer == "unicode start" else known)
    odd = before + after
    if not odd:
        return decode(_printing(ran, inner))
    # a sign that no decoder trims makes the output the text that it is
    as_text = "\ufffd" * bool(before) + inner + "\ufffd" * bool(after)
    if strict:
        return decode(_printing(ran, as_text))
    read, text_only = _printing(ran, inner), _printing(ran, as_text)
    return _either(text_only, read, decode, f"has U+{ord(odd[0]):04X} next to its object")


def _either(
    text_only: RunResult, read: RunResult, decode: Callable[[RunResult], Verdict], what: str
) -> Verdict:
    """Return what a run means whose output is not strict JSON: a refusal in it counts, an approval does not."""
    verdict, effect = decode(read), "a refusal in it counts"
    if not (verdict.intervenes or verdict.permission == "ask" or verdict.could_not_run is not None):
        verdict, effect = decode(text_only), "nothing in it is an approval"
    note = f"the output {what}: {effect} (L-HOOKS-013)"
    return verdict._replace(input=None, diagnostics=(*verdict.diagnostics, note))


def _printing(ran: RunResult, text: str) -> RunResult:
    return ran._replace(stdout=text.encode("utf-8", "surrogateescape"))


def _with_tokens_of(ran: RunResult, reader: Reader, *, strict: bool) -> RunResult:
    if reader != "python" and not strict:
        return ran
    text = ran.stdout.decode("utf-8", "surrogateescape")
    start = text.lstrip()[:1]
    if start not in ("{", "[", '"') or not (
        text.count("[") + text.count("{") > _RUST_DEPTH or _UNUSUAL.search(text)
    ):
        return ran
    return _printing(ran, _rewritten(text, reader, strict=strict))


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
