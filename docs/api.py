"""The page of the Python API: every public name, for mkdocstrings, which reads the docstrings when the site is built."""

from __future__ import annotations

import sandhook
from sandhook import hooks


def page() -> str:
    """Return docs/reference/api.md, without its notice."""
    parts = [
        "# Python API\n",
        "What is not on this page may change in any version. [Upgrading](../upgrading.md) says what a version promises.\n",
    ]
    for module, title in ((sandhook, "sandhook"), (hooks, "sandhook.hooks")):
        parts.append(f"## {title}\n")
        for name in module.__all__:
            value = getattr(module, name)
            if isinstance(value, str):
                parts.append(f"### `{name}`\n\nThe version, for example `0.2.0`.\n")
            elif isinstance(value, type) and value.__name__ != name:
                parts.append(f"### `{name}`\n\nAn older name of `{value.__name__}`.\n")
            else:
                parts.append(f"::: {title}.{module._HOMES[name]}.{name}\n")
    return "\n".join(parts)
