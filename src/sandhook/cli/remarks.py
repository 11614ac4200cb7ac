"""What a command says besides its result: lines on standard error, or texts in its JSON."""

from __future__ import annotations

from sandhook.cli.notes import print_note


class Remarks:
    """The losses and notes of one command.

    Args:
        is_json: Keep them for the JSON, and print nothing.
    """

    def __init__(self, *, is_json: bool) -> None:
        self.is_json = is_json
        self.lost: list[str] = []
        self.notes: list[str] = []

    def lose(self, text: str) -> None:
        """Report something that an agent cannot express."""
        self.lost.append(text)
        self._print(f"lost: {text}")

    def note(self, text: str) -> None:
        self.notes.append(text)
        self._print(f"note: {text}")

    def add(self, text: str) -> None:
        """Report something that is more than a note: it is printed without that word."""
        self.notes.append(text)
        self._print(text)

    def print_kept(self) -> None:
        """Print what was kept: an error ends the command without JSON."""
        if self.is_json:
            for text in self.lost:
                print_note(f"lost: {text}")
            for text in self.notes:
                print_note(text)

    def _print(self, text: str) -> None:
        if not self.is_json:
            print_note(text)
