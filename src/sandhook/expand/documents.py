"""The bodies of here-documents."""

from __future__ import annotations

from sandhook.expand.text import Text
from sandhook.expand.word import WordCompiler
from sandhook.syntax.nodes import Word, renumbered


def compile_document(words: WordCompiler, body: Word, line: int) -> Text:
    """Compile a body. Its substitutions have the lines of the source from ``line`` on: bash does not print them."""
    words.in_document = True
    try:
        return words.string(renumbered(body, line), quoted=True)
    finally:
        words.in_document = False
