"""Readers and writers of text formats, bounded: an alias cannot multiply and a tag cannot build an object."""

from __future__ import annotations


class FormatError(ValueError):
    """Text that is not what it should be, or more than is read; the message says what and where."""


class Number(str):
    """A number as it was written, so that no digit is lost between two texts."""

    __slots__ = ()
