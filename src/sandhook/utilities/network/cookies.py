"""The cookies of one call of curl or wget: those of options, of responses, and of files in Netscape's format."""

from __future__ import annotations

from calendar import timegm

from sandhook.lazy import lazily
from sandhook.net.url import Url
from sandhook.record import Record
from sandhook.text.numbers import is_integer, is_number

#: Limits of the number of cookies, and of the characters of one.
MAX_COOKIES, MAX_LENGTH = 300, 4096


class Cookie(Record):
    """One cookie.

    Attributes:
        domain: It begins with a dot if subdomains receive the cookie, too.
        expires: Seconds since the epoch; 0 for the end of the session.
    """

    domain: str
    path: str
    secure: bool
    expires: int
    name: str
    value: str


class Jar:
    """The cookies of one call."""

    def __init__(self, now: float) -> None:
        self._now = now
        self._cookies: dict[tuple[str, str, str], Cookie] = {}
        self._custom: list[str] = []

    def add(self, text: str) -> None:
        """Add "name=value; name=value" of -b, which is sent with every request to the call's first origin."""
        self._custom.append(text.strip("; "))

    def load(self, text: str, *, without_session: bool = False) -> None:
        """Load the text of a file in Netscape's format."""
        for line in text.splitlines():
            fields = line.removeprefix("#HttpOnly_").split("\t")
            if len(fields) == 7 and not line.startswith("# "):
                domain, subdomains, path, secure, expires, name, value = fields
                expiry = int(expires[:15]) if is_number(expires) else 0
                if expiry or not without_session:
                    domain = domain.lstrip(".").lower()
                    self._store(
                        Cookie(
                            "." + domain if subdomains == "TRUE" else domain,
                            path,
                            secure == "TRUE",
                            expiry,
                            name,
                            value,
                        )
                    )

    def store(self, url: Url, header: str) -> None:
        """Store the cookie of a Set-Cookie header, unless that host may not set it."""
        first, *settings = header.split(";")
        name, equals, value = first.partition("=")
        name, value = name.strip(), value.strip()
        if not equals or not name or len(header) > MAX_LENGTH or any(ord(c) < 32 for c in header):
            return
        domain, path, secure, expires = url.host, _directory(url.path), False, 0
        for setting in settings:
            key, _, text = setting.strip().partition("=")
            match key.lower():
                case "domain" if text.strip("."):
                    parent_domain = text.strip().lstrip(".").lower()
                    if parent_domain != url.host and not (
                        url.host.endswith("." + parent_domain) and "." in parent_domain
                    ):
                        return  # a host must not set cookies for another host or a top-level domain
                    domain = "." + parent_domain if not url.host.replace(".", "").isdigit() else url.host
                case "path" if text.startswith("/"):
                    path = text
                case "secure":
                    secure = True
                case "max-age" if is_integer(text):
                    expires = max(1, int(self._now + max(-1, min(int(text[:12]), 10**9))))
                case "expires":
                    expires = expires or date_seconds(text)
                case _:
                    pass
        self._store(Cookie(domain, path, secure, expires, name, value))

    def _store(self, cookie: Cookie) -> None:
        key = (cookie.domain, cookie.path, cookie.name)
        if cookie.expires and cookie.expires <= self._now:
            self._cookies.pop(key, None)
        elif len(self._cookies) < MAX_COOKIES or key in self._cookies:
            self._cookies[key] = cookie

    def header(self, url: Url, *, first_host: bool) -> str:
        """Return the value of a request's Cookie header, "" without cookies."""
        path = url.path.partition("?")[0]
        cookies = [
            cookie
            for cookie in self._cookies.values()
            if (
                cookie.domain == url.host
                or (cookie.domain[0] == "." and ("." + url.host).endswith(cookie.domain))
            )
            and (path == cookie.path or path.startswith(cookie.path.rstrip("/") + "/"))
            and (not cookie.secure or url.scheme == "https")
        ]
        cookies.sort(key=lambda cookie: -len(cookie.path))
        return "; ".join(
            [*(f"{each.name}={each.value}" for each in cookies), *(self._custom if first_host else ())]
        )

    def text(self) -> str:
        """Return all cookies in Netscape's format."""
        lines = [
            "# Netscape HTTP Cookie File",
            "# https://curl.se/docs/http-cookies.html",
            "# This file was generated by libcurl! Edit at your own risk.",
            "",
        ]
        for cookie in self._cookies.values():
            subdomains = "TRUE" if cookie.domain.startswith(".") else "FALSE"
            secure = "TRUE" if cookie.secure else "FALSE"
            lines.append(
                "\t".join(
                    (
                        cookie.domain,
                        subdomains,
                        cookie.path,
                        secure,
                        str(cookie.expires),
                        cookie.name,
                        cookie.value,
                    )
                )
            )
        return "\n".join(lines) + "\n"


def _directory(path: str) -> str:
    return path.partition("?")[0].rpartition("/")[0] or "/"


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DATE = lazily(r"(?a)(\d{1,2})[ -]([A-Za-z]{3})[ -](\d{2,4}) (\d{1,2}):(\d\d):(\d\d)")


def date_seconds(text: str) -> int:
    """Return the seconds since the epoch of "Wdy, 02 Jan 2030 03:04:05 GMT", 0 for other text."""
    match = _DATE.search(text[:80])
    if match is None or match[2].lower() not in _MONTHS:
        return 0
    day, year, *clock = (int(part) for part in (match[1], match[3], match[4], match[5], match[6]))
    year += 0 if year > 99 else 1900 if year >= 70 else 2000
    try:
        return max(1, timegm((year, _MONTHS.index(match[2].lower()) + 1, day, *clock)))
    except (ValueError, OverflowError):
        return 0
