"""Collects what scripts do: their findings, and what a manifest lists."""

from __future__ import annotations

import re

from sandhook.vetting.places import Access, places_of
from sandhook.vetting.rules import RULES, Finding, RuleId, Severity
from sandhook.vetting.values import HOLE

#: The most findings of one hook.
MAX_FINDINGS = 500


#: Code rather than a comment, a header or white space.
_CODE = re.compile(
    r"\b(?:if|return|import|require|exec|eval|def|function|fetch|open|system|while|not|True|true)\b.{0,200}(?:[=(!<>]|\|\||&&)|(?:\|\||&&|[!=]==?)"
)


def shown(text: str, most: int = 120) -> str:
    """Return a text for people: ``*`` for what is not known, one line, no control characters."""
    line = " ".join(text.replace(HOLE, "*").split())
    line = "".join(letter if letter.isprintable() else "?" for letter in line)
    return line if len(line) <= most else f"{line[: most - 1]}…"


class Notes:
    """What the scripts of one hook do.

    Attributes:
        reads, writes: Paths in the notation of manifests, ``*`` for unknown parts.
        programs: Names of programs.
        hosts: Hosts with their port, ``*`` for unknown parts.
        variables: Names of variables of the environment.
        files: Files of the bundle that run, relative to it.
        findings: In the order in which they were seen.
        rewrites: Whether an answer has a new text of a file.
        inserted: What filters put into texts.
    """

    def __init__(self) -> None:
        self.reads: dict[str, None] = {}
        self.writes: dict[str, None] = {}
        self.programs: dict[str, None] = {}
        self.hosts: dict[str, None] = {}
        self.variables: dict[str, None] = {}
        self.files: dict[str, None] = {}
        self.findings: dict[Finding, None] = {}
        self.rewrites = False
        self.inserted: list[str] = []

    def find(
        self,
        rule: RuleId,
        detail: str,
        file: str,
        at: tuple[int, int],
        severity: Severity | None = None,
    ) -> None:
        """Add a finding, unless there are too many."""
        if len(self.findings) < MAX_FINDINGS:
            finding = Finding(rule, severity or RULES[rule].severity, shown(detail), file, *at)
            self.findings.setdefault(finding)

    def conclude(self, file: str, at: tuple[int, int]) -> None:
        """Report what is known only at the end: code that is put into what an agent writes."""
        for text in self.inserted if self.rewrites else ():
            if _CODE.search(text):
                self.find("V-REWRITE", f"puts into files: {text}", file, at, "high")

    def access(self, path: str, access: Access) -> None:
        """Record a path that is read, written or deleted."""
        if not path or path.startswith(("/dev/null", "/dev/std", "/dev/tty", "/dev/fd", "-")):
            return
        table = self.reads if access == "read" else self.writes
        table.setdefault(path.replace(HOLE, "*"))

    def place(self, path: str, access: Access, file: str, at: tuple[int, int]) -> RuleId | None:
        """Record an access, and a finding if the path matters; return its rule."""
        self.access(path, access)
        place = places_of(path, access)
        if place is None:
            return None
        rule: RuleId = "V-DELETE" if place.rule == "V-READ-SECRET" and access != "read" else place.rule
        self.find(rule, f"{access}s {path}", file, at, place.severity)
        return rule
