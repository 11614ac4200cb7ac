"""git config --get-color, --get-colorbool and --get-urlmatch.

Source: git-config(1); git 2.39, builtin/config.c.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.utilities.git.errors import GitError, OptionFault
from sandhook.utilities.git.names.colors import parse_color
from sandhook.utilities.git.names.urls import Score, Url, match_url, parse_url
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.access import encode
from sandhook.utilities.git.store.config import Setting, normalize_key, parse_boolean

_NOT_FOUND = 1
_MOST_OPERANDS = 2


def check_operands(action: str, operands: Sequence[str]) -> None:
    """Raise OptionFault for a wrong number of operands."""
    least = _MOST_OPERANDS if action == "get-urlmatch" else 1
    if not least <= len(operands) <= _MOST_OPERANDS:
        expected = "should be 2" if least == _MOST_OPERANDS else "should be from 1 to 2"
        raise OptionFault(f"wrong number of arguments, {expected}")


def write_color(call: Invocation, settings: list[Setting], operands: Sequence[str]) -> int:
    """Print the sequence of a colour, without a newline."""
    key = normalize_key(operands[0])
    value = next((each.value for each in reversed(settings) if key is not None and each.key == key), None)
    color = parse_color(value) if value is not None else None
    if value is not None and color is None:
        raise GitError(f"invalid color value: {value}", prefix="error")
    if color is None and len(operands) > 1:
        color = parse_color(operands[1])
        if color is None:
            call.error(f"error: invalid color value: {operands[1]}")
            raise GitError("unable to parse default color value")
    call.ctx.write(encode(color or ""))
    return 0


def write_color_truth(call: Invocation, settings: list[Setting], operands: Sequence[str]) -> int:
    """Print whether a command prints colours, or return 1 if it does not."""
    key = normalize_key(operands[0]) or operands[0]
    values = {each.key: each.value for each in settings}
    value = next(
        (values[name] for name in (key, "diff.color" if key == "color.diff" else key, "color.ui") if name in values),
        "auto",
    )  # fmt: skip
    truth = _color_truth(value)
    if truth is None:
        has_terminal = len(operands) > 1 and parse_boolean(operands[1]) is True
        truth = has_terminal and call.options.environment.get("TERM", "dumb") != "dumb"
    if len(operands) > 1:
        call.ctx.write_line("true" if truth else "false")
        return 0
    return 0 if truth else _NOT_FOUND


def _color_truth(value: str | None) -> bool | None:
    """Return what the value of a setting says; None if it depends on the terminal."""
    word = (value if value is not None else "true").lower()
    if word in ("never", "always"):
        return word == "always"
    return None if word == "auto" or parse_boolean(value) is not False else False


def match_settings(settings: list[Setting], operands: Sequence[str]) -> list[Setting]:
    """Return the settings of a section that fit a URL best, one for each variable, in the order of their names.

    The key of a result lacks the URL.
    """
    url = parse_url(operands[1])
    if url is None:
        raise GitError("invalid URL scheme name or missing '://' suffix")
    section, dot, wanted = operands[0].lower().partition(".")
    best: dict[str, tuple[Score, Setting]] = {}
    parsed: dict[str, Url | None] = {}
    for setting in settings:
        head, _, rest = setting.key.partition(".")
        place, inner, variable = rest.rpartition(".")
        if head != section or (dot and variable != wanted):
            continue
        score: Score | None = Score(0, 0, False)
        if inner:
            if place not in parsed:
                parsed[place] = parse_url(place)
            pattern = parsed[place]
            score = None if pattern is None else match_url(pattern, url)
        if score is not None and (variable not in best or score >= best[variable][0]):
            best[variable] = (score, setting._replace(key=f"{head}.{variable}"))
    return [best[name][1] for name in sorted(best)]
