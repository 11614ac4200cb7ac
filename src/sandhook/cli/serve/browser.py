"""Prints the address of the page, and opens it in the browser."""

# ruff: noqa: PTH118 (pathlib costs 10 ms)

from __future__ import annotations

import os
import sys
import webbrowser
from html import escape
from tempfile import TemporaryDirectory
from threading import Thread


class Page:
    """The page of one service.

    Args:
        address: Its address with the token.
        opens: Open it in the browser.
    """

    def __init__(self, address: str, *, opens: bool) -> None:
        self._address = address
        self._opens = opens
        self._directory: TemporaryDirectory[str] | None = None

    def show(self) -> None:
        """Print the address and open it; call it when the service answers."""
        sys.stdout.write(f"{self._address}\n")
        sys.stdout.flush()
        if self._opens:
            self._directory = TemporaryDirectory(prefix="sandhook-studio-", ignore_cleanup_errors=True)
            Thread(target=webbrowser.open, args=(self._redirect(self._directory.name),), daemon=True).start()

    def _redirect(self, directory: str) -> str:
        """Write a private file that leads to the address, and return its name as a URL.

        Other users can read the arguments of a browser's process, so they must not have the token.
        """
        path = os.path.join(directory, "studio.html")
        with open(path, "x", encoding="utf-8", opener=_private) as file:
            file.write(
                '<!doctype html><meta charset="utf-8"><title>sandhook studio</title>'
                f'<meta http-equiv="refresh" content="0;url={escape(self._address)}">'
                f'<p><a href="{escape(self._address)}">sandhook studio</a></p>\n'
            )
        from urllib.request import pathname2url

        return f"file:{pathname2url(path)}"

    def close(self) -> None:
        """Remove the file."""
        if self._directory is not None:
            self._directory.cleanup()


def _private(name: str, flags: int) -> int:
    return os.open(name, flags, 0o600)
