"""The hooks of one agent as ``doctor`` examines them, and the expectations that reach none of them."""

from __future__ import annotations

from collections.abc import Iterator

from sandhook.conformance.expectations.model import EventCase, ExpectationFile, Expected
from sandhook.conformance.expectations.run import is_selected
from sandhook.hooks.checks import Finding
from sandhook.hooks.contracts import Contract, Document
from sandhook.hooks.inventory import Item
from sandhook.hooks.loading import Trust
from sandhook.proving.guards import REFUSING
from sandhook.record import Record


class Configuration(Record):
    """The hooks of one agent, loaded as the agent reads them.

    Attributes:
        contract: The agent.
        documents: Its files, weakest layer first.
        items: Its hooks and faults.
        findings: What is wrong with them, without running them.
        expectations: The files of expectations that are about them.
        project: The directory that the agent runs in.
        trust: The approvals.
    """

    contract: Contract
    documents: tuple[Document, ...]
    items: tuple[Item, ...]
    findings: tuple[Finding, ...]
    expectations: tuple[ExpectationFile, ...]
    project: str
    trust: Trust | None


class Unreached(Record):
    """A file of expectations with cases that reach no hook: its hooks are gone, or wait for other events.

    Attributes:
        agent: Name of the contract.
        file, line: The file, and the first of these cases.
        names: The cases.
        why: Why no hook is reached, for people.
    """

    agent: str
    file: str
    line: int
    names: tuple[str, ...]
    why: str


def unreached_cases(configuration: Configuration) -> Iterator[Unreached]:
    """Yield the files whose cases want something of a hook that is not there."""
    known = {document.name for document in configuration.documents}
    for file in configuration.expectations:
        if not any(document.name in known for document in file.documents):
            continue
        events = _events(configuration, file)
        cases = [case for case in file.cases if _wants_a_hook(case) and case.event.kind not in events]
        if not cases:
            continue
        why = f"no hook waits for {cases[0].event.kind}"
        if not events and file.only is not None:
            why = f"no hook has a command with a match of /{file.only.pattern}/"
        names = tuple(case.name for case in cases)
        yield Unreached(configuration.contract.name, file.path, cases[0].line, names, why)


def _events(configuration: Configuration, file: ExpectationFile) -> set[str]:
    """Return the events of the hooks that a file is about."""
    return {
        item.spec.event
        for item in configuration.items
        if item.spec is not None and is_selected(item.spec, file.only)
    }


def _wants_a_hook(case: EventCase) -> bool:
    expected = case.expected
    return expected.decision in REFUSING or expected != Expected(expected.decision)
