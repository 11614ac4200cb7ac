"""What a hook prints: instructions for the model, approvals, and characters that nobody sees."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sandhook.vetting.values import HOLE

_TARGETS = r"(?:the |this |that |it |anything |our )?(?:to |from |with )?(?:the )?(?:user|human|developer|operator|anyone)"

#: Sentences by which a text makes a model act against its user.
_ORDERS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:ignore|disregard|forget|override|bypass)\b[^.!?\n]{0,40}\b(?:previous|prior|earlier|above|existing|all|any|your|system|safety)\b[^.!?\n]{0,40}\b(?:instructions?|rules?|prompts?|guidelines?|polic(?:y|ies)|guardrails?|restrictions?|warnings?)",
        rf"\b(?:do not|don't|never|without|avoid)\b[^.!?\n]{{0,30}}\b(?:mention|tell|inform|reveal|show|notify|alert|report|disclos|ask|warn|discuss)\w*\b[^.!?\n]{{0,40}}{_TARGETS}",
        r"\b(?:do not|don't|never|without)\s+(?:ever\s+)?(?:mention(?:ing)?|tell(?:ing)?|report(?:ing)?|disclos\w+|reveal(?:ing)?|comment(?:ing)? on|explain(?:ing)?|list(?:ing)?)\s+(?:this|that|these|those|them|it|the change|what|why|how)\b",
        r"\b(?:from|add|install|fetch|download|use|import|clone|run|load|get|open|visit)\b[^\n]{0,60}https?://(?:\d{1,3}\.){3}\d{1,3}",
        r"\b(?:hide|conceal|keep)\b[^.!?\n]{0,40}\b(?:from the user|secret from|hidden from)",
        r"\b(?:you are now|act as|pretend (?:to be|that))\b[^.!?\n]{0,60}\b(?:unrestricted|developer mode|jailbr|without restrictions|root|admin)",
        r"\b(?:user|operator|owner|developer)\b[^.!?\n]{0,30}\b(?:has|have) (?:already )?(?:approved|authori[sz]ed|consented|agreed|granted|permitted)",
        r"\b(?:skip|disable|turn off|circumvent)\b[^.!?\n]{0,40}\b(?:confirmation|permission|approval|sandbox|safety|guard|hook|review)",
        r"\b(?:read|print|include|send|copy|post|upload|paste|append|collect|exfiltrate|email|output)\b.{0,80}(?:\.ssh|\.aws|id_rsa|\.env\b|credentials|api[ _-]?keys?|secrets?|passwords?|private keys?|tokens?)\b[^.!?\n]{0,80}\b(?:to|in|into|with|at|https?)\b",
        r"\b(?:run|execute|use)\b[^.!?\n]{0,30}(?:curl|wget)\b[^.!?\n]{0,120}\|\s*(?:ba|z)?sh\b",
        r"<\s*/?\s*(?:system|im_start|admin|instructions)\b[^>]*>|\[/?(?:SYSTEM|INST)\]|^\s*(?:system|assistant)\s*:",
        r"\b(?:new|updated|real|actual) (?:system )?(?:instructions?|prompt)\b\s*[:.]",
    )
)

#: The same, of which texts that explain a policy have words, too.
_DOUBTFUL = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:leave|keep|omit|exclude|strip|remove)\b[^.!?\n]{0,60}\b(?:out of|from|outside)\b[^.!?\n]{0,12}\b(?:summar(?:y|ies)|report|answers?|chat|response|repl(?:y|ies)|explanations?|change ?log|diff|commit messages?|description)",
        r"\b(?:include|add|append|put|write|print|paste|embed|copy|insert|attach|send|post|log|record|encode)\b[^.!?\n]{0,40}\b(?:value|values|contents?|output) of\b[^.!?\n]{0,40}(?:\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b|\benv(?:ironment)?\b|\bprintenv\b|~/\.|\.env\b|/etc/)",
        r"\b(?:also|always|silently|additionally)\s+(?:accept|allow|permit|trust|grant)\b[^.!?\n]{0,40}\b(?:password|token|header|user|key|admin|login|certificate|request)",
        r"\b(?:skip|omit|disable|remove|bypass|relax|comment out|turn off)\b[^.!?\n]{0,30}\b(?:auth(?:entication|orization)?|signature|certificate|csrf|permission|input|tls|ssl)\b[^.!?\n]{0,16}\b(?:checks?|validation|verification|tests?)",
        r"\b(?:fetch|download|load|read|open|visit|get|retrieve|curl)\b[^.!?\n]{0,60}https?://[^\n]{0,100}\b(?:follow|obey|execute|apply|do (?:what|as)|as instructed|comply)\b",
        r"\b(?:do not|don't|never|stop|no need to)\b[^.!?\n]{0,20}\b(?:flag|warn|mention|raise|report|comment on|check|review|scan|look for)\w*\b[^.!?\n]{0,24}\b(?:security|vulnerabilit|secrets?\b|risks?\b|injection|backdoor)",
        r"\b(?:push|send|post|upload|mirror|forward|publish|submit|report)\b[^.!?\n]{0,60}\bto\s+https?://(?!localhost|127\.)",
        r"\b(?:report|claim|state|say|pretend|announce)\b[^.!?\n]{0,30}\b(?:success\b|that (?:all|every|the) (?:tests?|checks?|builds?)[^.!?\n]{0,20}pass)",
        r"\b(?:failures?|errors?|warnings?|findings?|alerts?)\b[^.!?\n]{0,40}\b(?:are|is|as)\b[^.!?\n]{0,12}\b(?:noise|harmless|false positives?|irrelevant)\b",
        r"\bwithout (?:asking|confirmation|telling|mentioning|informing|waiting for)\b",
        r"--(?:extra-)?index-url[ =]https?://|--registry[ =]https?://",
        r"(?:^|[.!?:;\n][ \t]*|\b(?:first|then|now|please|always|task|and)[ \t]+)(?:delete|wipe|erase|drop|truncate|remove)\s+(?:all (?!tempor|gener|unus|build|debug|stale|obso)|every |the (?:entire |whole )?)[^.!?\n]{0,24}\b(?:files|tests?|director(?:y|ies)|folders?|src|tables?|databases?|branches|backups?|histor(?:y|ies)|repositor(?:y|ies))\b",
    )
)

#: Words of texts that explain how to do something right, or what is missing.
_POLICY = re.compile(
    r"\b(?:instead|policy|not found|missing|not installed|please install|forbids?|only use|must use|use only)\b",
    re.IGNORECASE,
)

#: Code that a text recommends, unless it forbids it.
_WEAKENED = re.compile(
    r"\b(?:verify\s*=\s*False|rejectUnauthorized\W{1,3}false|NODE_TLS_REJECT_UNAUTHORIZED\s*=\s*0|StrictHostKeyChecking[= ]no|permissions:\s*write-all|InsecureSkipVerify:\s*true|_create_unverified_context|@?csrf_exempt|assert True|CURLOPT_SSL_VERIFYPEER\W{1,3}(?:0|false)|ssl[_-]?verify\W{1,3}(?:0|[Ff]alse))\b"
)

#: A replacement of sed.
_CHANGES = re.compile(r"s(?P<by>[/|#,~@])(?:(?!(?P=by)).)*(?P=by)(?P<new>(?:(?!(?P=by)).)+)(?P=by)")

#: Words of texts that forbid such things; a guard's message is no order to do them.
_REFUSAL = re.compile(
    r"\b(?:block(?:ed|s|ing)?|den(?:y|ied)|refus\w+|forbidden|not allowed|not permitted|never|avoid|remove|cannot|must not|detected|suspicious|possible|looks like|warning:|protected)\b",
    re.IGNORECASE,
)

#: Characters that are not shown, or change the order of those that are: zero width, bidirectional, tags.
_UNSEEN = re.compile(
    "[\ufe00-\ufe0f]{3}|[\u3164\u115f\u1160\uffa0\u2800\u180e\U000e0100-\U000e01ef\u200b\u200c\u2060-\u2064\u202a-\u202e\u2066-\u2069\u00ad\U000e0000-\U000e007f]"
)
_ERASING = re.compile("\x1b\\]52;|\x1b\\[[0-9;]*[AKJHsu]|\x1b\\[8m|\x08{3,}|\r(?!\n)[^\n]*\x1b")

#: Letters of another alphabet that look like Latin ones, in a word with Latin ones.
_MIXED = re.compile(
    "(?<![A-Za-z])[A-Za-z]+[\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u0501\u0261]\\w*|(?<![\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455])[\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455]+[A-Za-z]\\w*"
)

_APPROVES = re.compile(
    r"""["']?(?:permissionDecision|permission|decision|behavior)["']?\s*[:=]\s*["']?(?:allow|approve|proceed)\b""",
    re.IGNORECASE,
)

#: Blanks in a line before more text: an editor shows the begin of the line alone.
_FAR = re.compile(r"^[^\n]*\S[^\S\n]{80,}\S|^[^\S\n]{150,}\S", re.MULTILINE)


def order_in(text: str) -> str | None:
    """Return the first sentence of a text that makes a model act against its user, or None."""
    for pattern in _ORDERS:
        match = pattern.search(text)
        if match is not None and not _REFUSAL.search(re.split(r'["\n]', text[: match.start()][-60:])[-1]):
            return match.group()
    for pattern in _DOUBTFUL:
        for match in pattern.finditer(text):
            sentence = _around(text, match)
            negated = _NEGATED.search(text[max(0, match.start() - 24) : match.start()])
            if not negated and not _REFUSAL.search(sentence) and not _POLICY.search(sentence):
                return match.group()
    match = _WEAKENED.search(text)
    if match is not None and not _REFUSAL.search(text[max(0, match.start() - 80) : match.end() + 80]):
        return match.group()
    return None


#: A command in a text: between back quotes, after a word that asks to run it, at the begin of a line.
_TOLD = re.compile(
    r"`([^`\n]{4,300})`|\b(?:run|execute|running|executing|type|paste|invoke|with|using|via|command)\b:?[ \t]+[\"']?([a-z][\w.+-]*[ \t][^\n]{4,300})|(?m:^[ \t]*(?:\$|[-*]|\d+[.)])[ \t]+([a-z][\w.+-]*[ \t][^\n]{4,300}))"
    r"|[:;][ \t]+((?:curl|wget|npm|pip3?|bash|sh|git|echo|cat|chmod|env|python3?|node|npx|nc|ssh|docker|sudo)[ \t][^\n]{4,300})"
)


def commands_told(text: str) -> Iterator[str]:
    """Yield the commands in a text that somebody may run because the text says so, unless it forbids them."""
    for match in _TOLD.finditer(text):
        before, after = text[max(0, match.start() - 100) : match.start()], text[match.end() :][:60]
        if (
            not _REFUSAL.search(before)
            and not _FORBIDS.search(f"{before} {after}")
            and not _POLICY.search(before)
            and not _HINT.search(before)
        ):
            yield next(filter(None, match.groups()))


_HINT = re.compile(r"\b(?:install (?:it )?(?:with|via|by)|to install|get it)\b", re.IGNORECASE)
_FORBIDS = re.compile(
    r"\b(?:do(?:es)? not|don't|instead|dangerous|unsafe|insecure|no longer|must not|should not|disabled|ask)\b",
    re.IGNORECASE,
)


def _around(text: str, match: re.Match[str]) -> str:
    """Return what is found with the rest of its sentence before and after, but without it."""
    before = _END_OF_SENTENCE.split(text[max(0, match.start() - 200) : match.start()])[-1]
    after = _END_OF_SENTENCE.split(text[match.end() : match.end() + 200])[0]
    return f"{before} {after}"


_NEGATED = re.compile(r"\b(?:not|never|don't|cannot|no)\s+(?:ever\s+)?$", re.IGNORECASE)
_END_OF_SENTENCE = re.compile(r"[.!?](?=\s|$)|\n")


def weakens(text: str) -> bool:
    """Return True for a change of code that puts a check out of force."""
    return any(_WEAKENED.search(new) for new in replacements(text))


def replacements(program: str) -> Iterator[str]:
    """Yield what a program of sed puts in place of something."""
    return (match["new"] for match in _CHANGES.finditer(program))


def unseen_in(text: str) -> str | None:
    """Return what a reader of a text does not see, or None."""
    match = _UNSEEN.search(text.replace(HOLE, ""))
    if match is not None:
        return f"the character U+{ord(match.group()[0]):04X}"
    mixed = _MIXED.search(text)
    if mixed is not None:
        return f"letters of two alphabets in one word: {mixed.group()}"
    if _ERASING.search(text):
        return "a sequence that erases or hides text on a terminal"
    return None


def far_line(text: str) -> int:
    """Return the number of a line whose text goes on after many blanks, 0 without one."""
    match = _FAR.search(text)
    return text.count("\n", 0, match.end()) + 1 if match is not None else 0


def approves(text: str) -> bool:
    """Return whether a text is an answer that approves a tool call."""
    return bool(_APPROVES.search(text.replace('\\"', '"')))
