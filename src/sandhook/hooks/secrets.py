"""Removes secrets from logged texts: keys, tokens, passwords, whatever a hook may quote.

Patterns match the formats of known issuers, and values after telling names. A harmless text that looks
like a secret is removed too, which for a log is the better mistake.
"""

from __future__ import annotations

import re
from functools import cache

MARK = "[redacted]"

#: Formats of issuers, with fixed prefixes, so that a search over a long text stays linear.
_FORMS = (
    r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----END)){0,65536}(?:-----END [A-Z ]{0,40}-----)?",
    r"\b(?:AKIA|ASIA|AIDA|AROA|AGPA|ANPA|ANVA)[A-Z0-9]{16}\b",  # AWS
    r"\bgh[opsur]_[A-Za-z0-9]{20,255}",  # GitHub
    r"\bgithub_pat_[A-Za-z0-9_]{20,255}",
    r"\bglpat-[A-Za-z0-9_-]{20,255}",  # GitLab
    r"\bsk-(?:ant-|proj-|live-|or-)?[A-Za-z0-9_-]{16,255}",  # OpenAI, Anthropic and others
    r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{10,255}",  # Stripe
    r"\bwhsec_[A-Za-z0-9]{16,255}",
    r"\bxox[abeoprs]-[A-Za-z0-9-]{10,255}",  # Slack
    r"\bxapp-[A-Za-z0-9-]{10,255}",
    r"hooks\.slack\.com/services/[A-Za-z0-9/]{10,255}",
    r"\bAIza[A-Za-z0-9_-]{35}",  # Google
    r"\bya29\.[A-Za-z0-9_-]{20,1024}",
    r"\bnpm_[A-Za-z0-9]{36}",
    r"\bpypi-[A-Za-z0-9_-]{50,255}",
    r"\bdop_v1_[a-f0-9]{64}",  # DigitalOcean
    r"\bhf_[A-Za-z0-9]{30,100}",
    r"\bSG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,64}",  # SendGrid
    r"\bey[A-Za-z0-9_-]{8,4096}\.ey[A-Za-z0-9_-]{8,8192}(?:\.[A-Za-z0-9_-]{0,4096})?",  # JSON Web Tokens
)

#: Names whose values are secret, and headers with credentials; the value is removed.
_NAMED = (
    (
        r"(\b(?:authorization|proxy-authorization)[\"']?\s{0,8}[:=]\s{0,8}[\"']?(?:basic|bearer|token|digest|negotiate)?\s{0,8})"
        r"[^\s\"',;]{4,8192}"
    ),
    r"(\b(?:bearer|basic)\s{1,8})[A-Za-z0-9+/=._~-]{12,8192}",
    (
        r"(\b[A-Za-z0-9_.-]{0,64}(?:password|passwd|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key"
        r"|credential|auth[_-]?key|session[_-]?key)s?[\"']?\s{0,8}(?:=|:|=>)\s{0,8})(?:\"[^\"]{1,4096}\"|'[^']{1,4096}'|[^\s\"',;&)}\]]{1,4096})"
    ),
    r"(--?(?:password|passwd|token|secret|api-key|apikey|access-key|auth)(?:=|\s{1,8}))(?:\"[^\"]{1,4096}\"|'[^']{1,4096}'|[^\s\"']{1,4096})",
    r"(\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@]{0,256}:)[^\s/@]{1,1024}(?=@)",  # password in a URL
)


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    named = "|".join(f"(?:{each})" for each in _NAMED)
    return re.compile("|".join(_FORMS)), re.compile(named, re.I)


def redact(text: str) -> str:
    """Return the text with every secret in it replaced by MARK."""
    if len(text) < 8:
        return text
    forms, named = _patterns()
    return forms.sub(MARK, named.sub(_keep_name, text))


def _keep_name(match: re.Match[str]) -> str:
    name = next((group for group in match.groups() if group is not None), "")
    return name + MARK
