"""Reads the mappings of a document: every fault has its path, and an unknown key is a fault."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TypeVar, cast

from sandhook.errors import Problem
from sandhook.hooks.contracts import Document
from sandhook.hooks.decode import type_name
from sandhook.hooks.event import Json, JsonObject
from sandhook.hooks.sources import line_of
from sandhook.text.nearest import nearest

Choice = TypeVar("Choice", bound=str)


class Faults:
    """The faults of a document, each with the line of its path."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.problems: list[Problem] = []

    def add(self, path: str, message: str) -> None:
        """Report a fault at a path, once."""
        problem = Problem(path, message, file=self.document.name, line=self.line(path))
        if problem not in self.problems:
            self.problems.append(problem)

    def sorted(self) -> list[Problem]:
        """Return all faults in the order of the file."""
        return sorted(self.problems, key=lambda problem: problem.line)

    def line(self, path: str) -> int:
        """Return the line of a path, or of its nearest parent that has one."""
        return line_of(self.document, path)


class Section:
    """One mapping of a document.

    Args:
        value: The mapping; another value is a fault, and reads as an empty one.
        path: Where it stands.
        known: The keys that it may have.
    """

    def __init__(self, faults: Faults, value: Json, path: str, known: Sequence[str]) -> None:
        self.faults = faults
        self.path = path
        self.values: JsonObject = {}
        if not isinstance(value, dict):
            faults.add(path, f"wanted a mapping, got {type_name(value)}")
            return
        self.values = value
        for key in value:
            if key not in known:
                hint = near(key, known) or f"; known are {', '.join(known)}"
                faults.add(self.at(key), f"unknown key{hint}")

    def at(self, key: str) -> str:
        """Return the path of a key."""
        return f"{self.path}.{key}" if self.path else key

    def add(self, key: str, message: str) -> None:
        """Report a fault of a key."""
        self.faults.add(self.at(key), message)

    def text(self, key: str, default: str = "", *, required: bool = False) -> str:
        """Return a string."""
        value = self.values.get(key)
        if value is None:
            if required:
                self.add(key, "is missing: wanted a string")
            return default
        if not isinstance(value, str):
            self.add(key, f"wanted a string, got {type_name(value)}")
            return default
        return value

    def flag(self, key: str, default: bool) -> bool:
        """Return a boolean."""
        value = self.values.get(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            self.add(key, f"wanted true or false, got {type_name(value)}")
            return default
        return value

    def choice(self, key: str, known: Sequence[Choice], default: Choice) -> Choice:
        """Return one of several words."""
        value = self.text(key, default)
        for word in known:
            if word == value:
                return word
        self.add(key, f"wanted one of {', '.join(known)}, got {value!r}{near(value, known)}")
        return default

    def pattern(self, key: str) -> re.Pattern[str] | None:
        """Return a regular expression; None without one."""
        return self.compiled(key, self.text(key)) if key in self.values else None

    def compiled(self, key: str, text: str) -> re.Pattern[str] | None:
        """Return the regular expression of a text that stands at a key."""
        try:
            return re.compile(text, re.MULTILINE)
        except re.error as error:
            self.add(key, f"not a regular expression: {error}")
            return None

    def texts(self, key: str) -> dict[str, str]:
        """Return a mapping of names to strings; numbers and booleans are faults, because YAML rewrites them."""
        found = self.optional_texts(key)
        for name, value in found.items():
            if value is None:
                self.add(f"{key}.{name}", "wanted a string, got null")
        return {name: value for name, value in found.items() if value is not None}

    def optional_texts(self, key: str) -> dict[str, str | None]:
        """Return a mapping of names to strings or null."""
        value = self.values.get(key)
        if value is None:
            return {}
        if not isinstance(value, dict):
            self.add(key, f"wanted a mapping, got {type_name(value)}")
            return {}
        found: dict[str, str | None] = {}
        for name, item in value.items():
            if item is None or isinstance(item, str):
                found[name] = item
            else:
                self.add(f"{key}.{name}", f"wanted a string, got {type_name(item)}; put it in quotes")
        return found

    def list_of(self, key: str) -> Sequence[Json]:
        """Return a list that has an entry at least."""
        value = self.values.get(key)
        if not isinstance(value, list) or not value:
            what = "is missing: wanted" if value is None else "wanted"
            got = (
                "" if value is None else ", got an empty one" if value == [] else f", got {type_name(value)}"
            )
            self.add(key, f"{what} a list{got}")
            return ()
        return cast("Sequence[Json]", value)


def near(word: str, known: Sequence[str] | Mapping[str, object]) -> str:
    """Return a hint at a similar word; "" without one."""
    found = nearest(word, known)
    return f"; did you mean {found}?" if found is not None else ""
