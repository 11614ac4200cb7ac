"""Readers and writers of text formats, bounded: an alias cannot multiply and a tag cannot build an object."""

from __future__ import annotations


class FormatError(ValueError):
    """A text that is malformed, or too long; the message names the error and its position."""


class Number(str):
    """A number as it was written, so that no digit is lost in a conversion."""

    __slots__ = ()


class NotEditable(Exception):
    """A change of a value cannot be made in the text of its file."""
