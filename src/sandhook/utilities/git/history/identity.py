"""Who commits, and when: GIT_AUTHOR_NAME and the like, and the settings user.*.

Source: git 2.39, ident.c and date.c.
"""

from __future__ import annotations

import re

from sandhook.command.context import Context
from sandhook.dates.parse import BadDate
from sandhook.dates.parse import parse_date as parse_gnu_date
from sandhook.record import Record
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.dates import local_zone, parse_date
from sandhook.utilities.git.store.config import Config

_CRUD = "".join(map(chr, range(33))) + ".,:;<>\"\\'"  #: removed from both ends of a name
_RAW = re.compile(r"@?(\d{1,15})(?: +([+-]\d{4}))?")
_LEAST_SECONDS = 9  #: digits of a number that is a time without "@"
_ZONE = re.compile(r"(?:(?<=[\d ])([+-]\d\d):?(\d\d)|(?<=\d)Z|\b(?:UTC|GMT))$")


class Person(Record):
    """An author or a committer."""

    name: str
    email: str
    stamp: str  #: seconds since the epoch, and a zone: "1700000000 +0100"

    def text(self) -> str:
        """Return the person as a commit stores it."""
        return f"{self.name} <{self.email}> {self.stamp}"


def person_of(ctx: Context, config: Config | None, role: str) -> Person:
    """Return the person of a role, "AUTHOR" or "COMMITTER". Raises GitError without a name or an address."""
    environment = ctx.environment

    def setting(key: str) -> str | None:
        if config is None:
            return None
        return config.get(f"{role.lower()}.{key}") or config.get(f"user.{key}")

    name = environment.get(f"GIT_{role}_NAME") or setting("name")
    email = environment.get(f"GIT_{role}_EMAIL") or setting("email") or environment.get("EMAIL")
    if not name or not email:
        raise GitError(
            "unable to auto-detect email address: set user.name and user.email, which the sandbox never guesses"
        )
    name, email = clean_name(name), clean_name(email)
    if not name:
        raise GitError(f"empty ident name (for <{email}>) not allowed")
    date = environment.get(f"GIT_{role}_DATE")
    return Person(name, email, date_stamp(ctx, date) if date else now_stamp(ctx))


def clean_name(text: str) -> str:
    """Return a name without the characters at its ends that git drops, and without those that it never has."""
    return re.sub(r"[\n<>]", "", text.strip(_CRUD))


def now_stamp(ctx: Context) -> str:
    """Return the present time, in the zone of TZ."""
    now = int(ctx.now())
    return f"{now} {local_zone(now, ctx.environment.get('TZ'))}"


def date_stamp(ctx: Context, text: str, *, lenient: bool = False) -> str:
    """Return the time that a text means, with its zone. Raises GitError for a wrong one.

    Args:
        lenient: Words such as "yesterday" have a meaning, too (``git commit --date``).
    """
    tz = ctx.environment.get("TZ")
    word = text.strip()
    match = _RAW.fullmatch(word)
    if match is not None and (word.startswith("@") or len(match[1]) >= _LEAST_SECONDS):
        when = int(match[1])
        return f"{when} {match[2] or local_zone(when, tz)}"
    try:
        when = parse_gnu_date(word, int(ctx.now()) * 10**9, tz) // 10**9
    except BadDate:
        when = -1
    if when < 0 or not word[:1].isalnum() or (word.isalpha() and not lenient):
        if not lenient:
            raise GitError(f"invalid date format: {text}")
        when = parse_date(word, int(ctx.now()), tz)
    zone = _ZONE.search(word)
    if zone is None:
        return f"{when} {local_zone(when, tz)}"
    return f"{when} {zone[1]}{zone[2]}" if zone[1] else f"{when} +0000"
