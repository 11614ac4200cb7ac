"""Variables in the URL and the headers of a hook that posts: ``$NAME`` and ``${NAME}``."""

from __future__ import annotations

import re
from collections.abc import Mapping

_VARIABLE = re.compile(r"\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))")


def filled(text: str, variables: Mapping[str, str]) -> str:
    """Return a text with the values of its variables; unset ones are empty."""
    return _VARIABLE.sub(lambda match: variables.get(match[1] or match[2], ""), text)
