"""What agents read as JSON beyond RFC 8259 and the bounds of sandhook's decoder, and what they do not read within them.

JavaScript and Python read numbers of any size, halves of surrogate pairs and values that nest deeply; Python reads NaN, too. Rust's
serde_json reads none of them, except in fields that the agent skips.
"""

from __future__ import annotations

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
_TOKEN = lazily(r'(?s)"(?>[^"\\]++|\\.)*+"?|[\[{\]}]|-?\d[\d.eE+-]*+|-?Infinity|NaN')
_ESCAPE = lazily(
    r"(?s)\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\.",
)
_UNUSUAL = lazily(r"\\u[dD][89a-fA-F]|\d[eE]\+?\d{3}|\d{300}|Infinity|NaN")
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
#: What JavaScript's ``trim`` removes.
JAVASCRIPT_BLANKS = _TRIMMED["javascript"]
_EVERY = _SPACES + _MARK + _NEXT_LINE + _SEPARATORS
#: A plane of private characters.
_STAND_INS = 0xF0000
#: Bytes of an output that is read in both ways without ``strict``.
_LONG = 1 << 18
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
        strict: Without it a refusal counts that either the agent or the decoder reads, and an approval that both read.
            A bound of the decoder stays one, so that the hook refuses.
        trimmer: What trims the output, where that is not what reads it.
    """

    def decode_rewritten(each: RunResult) -> Verdict:
        if not strict and len(each.stdout) > _LONG:
            return decode(each)
        read = _with_tokens_of(each, reader)
        if strict or read is each:
            return decode(read)
        return _of_both(decode(read), decode(each))

    return as_trimmed(ran, trimmer or _TRIMMERS[reader], decode_rewritten, strict=strict)


def as_trimmed(
    ran: RunResult, trimmer: Trimmer, decode: Callable[[RunResult], Verdict], *, strict: bool
) -> Verdict:
    """Return what a run means to an agent that trims its output.

    JSON next to a sign that the agent does not trim is text to it. Without ``strict`` a refusal in it counts, and an
    approval does not. A byte order mark is such a sign then for every agent: the output is not strict JSON.
    """
    inside = ran.stdout.strip(b" \t\r\n")
    edges = inside[:1] + inside[-1:]
    if edges.isascii() and edges.decode().isprintable():  # nothing that one agent trims and another does not
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
    if strict:
        return _as_text(ran, before, inner, after, decode)
    verdict, effect, changes = decode(_printing(ran, inner)), "a refusal in it counts", None
    if not (_restricts(verdict) or verdict.could_not_run is not None):
        if not odd.strip(_TRIMMED[trimmer]):  # the agent makes the change, and without it the call is another
            changes = verdict.input
        verdict, effect = _as_text(ran, before, inner, after, decode), "nothing in it is an approval"
    note = f"the output has U+{ord(odd[0]):04X} next to its object: {effect} (L-HOOKS-013)"
    return verdict._replace(input=changes, diagnostics=(*verdict.diagnostics, note))


def _as_text(
    ran: RunResult, before: str, inner: str, after: str, decode: Callable[[RunResult], Verdict]
) -> Verdict:
    """Return what a run means whose output is text, because of the signs around the object in it.

    Python would trim the signs, so that others stand for them while the output is decoded.
    """
    signs = {ord(sign): _STAND_INS + ord(sign) for sign in before + after}
    text = f"{before.translate(signs)}{inner}{after.translate(signs)}"
    verdict, back = decode(_printing(ran, text)), {other: sign for sign, other in signs.items()}
    return verdict._replace(
        context=tuple((text.translate(back), place) for text, place in verdict.context),
        reason=verdict.reason and verdict.reason.translate(back),
        system_message=verdict.system_message and verdict.system_message.translate(back),
    )


def _restricts(verdict: Verdict) -> bool:
    return verdict.intervenes or verdict.permission == "ask" or verdict.label in ("block", "feedback")


def _of_both(agents: Verdict, decoders: Verdict) -> Verdict:
    """Return what an output means whose JSON the agent and the decoder read differently."""
    if _restricts(agents) and agents.undecodable is None and not _restricts(decoders):
        note = "the output is not what sandhook reads as JSON, and its agent reads a refusal (L-HOOKS-013)"
        return agents._replace(input=None, diagnostics=(*agents.diagnostics, note))
    if _restricts(decoders) or decoders.could_not_run is not None or decoders.undecodable is not None:
        return decoders
    return agents


def _printing(ran: RunResult, text: str) -> RunResult:
    return ran._replace(stdout=text.encode("utf-8", "surrogateescape"))


def _with_tokens_of(ran: RunResult, reader: Reader) -> RunResult:
    text = ran.stdout.decode("utf-8", "surrogateescape")
    start = text.lstrip()[:1]
    if start not in ("{", "[", '"') or not (
        text.count("[") + text.count("{") > _RUST_DEPTH or _UNUSUAL.search(text)
    ):
        return ran
    return _printing(ran, _rewritten(text, reader))


def _rewritten(text: str, reader: Reader) -> str:
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
            shown = token if depth <= most else "null" if depth == most + 1 else ""
            if reader == "rust" and depth == most + 1:
                return _unread(text)
        elif token in "]}":
            shown = "" if hidden else token
            depth -= 1
        else:
            changed = _token(token, reader)
            if changed is None:
                return _unread(text)
            shown = "" if hidden else changed
        parts += ["" if hidden else before, shown]
    return "".join(parts) + text[done:]


def _token(token: str, reader: Reader) -> str | None:
    """Return what the decoder reads in place of a token, or None for one that the agent does not read."""
    if token[-1] in "yN":
        return "null" if reader == "python" else token
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
