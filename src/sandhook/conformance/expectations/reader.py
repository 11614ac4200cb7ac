"""Reads a file of expectations with its hook files, and reports every fault with its line."""

from __future__ import annotations

import ntpath
import os
from collections.abc import Mapping, Sequence
from posixpath import dirname, join, normpath

from sandhook.conformance.expectations.events import event_of
from sandhook.conformance.expectations.keys import CASE_KEYS, EXPECT_KEYS, FILE_KEYS
from sandhook.conformance.expectations.model import (
    VERSION,
    WORDS,
    Changed,
    EventCase,
    ExpectationFile,
    Expected,
)
from sandhook.conformance.expectations.section import Faults, Section
from sandhook.errors import ConfigError, Problem
from sandhook.hooks import contracts
from sandhook.hooks.contracts import COMPAT, Contract, ContractError, Document
from sandhook.hooks.decode import DecodeError, type_name
from sandhook.hooks.event import Json
from sandhook.hooks.sources import documents, parse, project_around, read_text
from sandhook.hooks.sources import problem_of as problem_of_file
from sandhook.typed import TYPE_CHECKING

if TYPE_CHECKING:
    import re


def read_expectations(path: str, env: Mapping[str, str] | None = None) -> ExpectationFile:
    """Read a file.

    Args:
        path: The file; a path with slashes.
        env: Variables that hook files may refer to.

    Raises:
        ConfigError: The file, or a hook file that it names, has faults; all of them are listed.
    """
    try:
        document = parse(read_text(path), path)
    except (OSError, DecodeError, ConfigError) as error:
        raise ConfigError([problem_of_file(error, path)]) from None
    faults = Faults(document)
    for text in document.duplicates:
        faults.add("", text)
    top = Section(faults, document.value, "", list(FILE_KEYS))
    if top.values and top.values.get("version") != VERSION:
        faults.add("version", f"wanted {VERSION}, got {_shown(top.values.get('version'))}")
    contract, hook_documents = _hooks(top, dirname(path), env or {})
    cases: list[EventCase] = []
    if top.values:
        entries = top.list_of("cases")
        if contract is not None:
            cases = [_case(top, entry, f"cases[{index}]", contract) for index, entry in enumerate(entries)]
    _report_repeated_names(cases, faults)
    only = top.pattern("only")
    project = _project(top, dirname(path), contract, hook_documents)
    if faults.problems or contract is None:
        raise ConfigError(faults.sorted())
    return ExpectationFile(path, project, contract, hook_documents, tuple(cases), only)


def _project(top: Section, directory: str, contract: Contract | None, hooks: Sequence[Document]) -> str:
    """Return the directory that the hooks see; one that is not there is a fault."""
    name = top.text("project") or _agents_project(directory, contract, hooks)
    project = below(directory, name)
    if "project" in top.values and not os.path.isdir(project or "."):  # noqa: PTH112 - pathlib costs 10 ms
        top.add(
            "project", f"there is no directory {name}; wanted that which the hooks see, relative to this file"
        )
    return project


def _agents_project(directory: str, contract: Contract | None, hooks: Sequence[Document]) -> str:
    """Return the agent's project, relative to a directory, if that holds its configuration, as ``.claude`` does; else "."."""
    if contract is None:
        return "."
    here = os.path.abspath(directory).replace("\\", "/")  # noqa: PTH100 - pathlib costs 10 ms
    for document in hooks:
        file = os.path.abspath(document.name).replace("\\", "/")  # noqa: PTH100
        project = project_around(file, contract)
        if project is not None and f"{here}/".startswith(f"{dirname(file)}/") and here != project:
            return os.path.relpath(project, here).replace("\\", "/")
    return "."


def below(directory: str, name: str) -> str:
    """Return a path that may be relative to a directory, with slashes.

    The form of both shows the system: "C:/x" is a relative name only in an absolute directory of POSIX.
    """
    of_windows = ntpath.splitdrive(directory)[0] != "" or (
        ntpath.splitdrive(name)[0] != "" and not directory.startswith("/")
    )
    if of_windows:
        return ntpath.normpath(ntpath.join(directory, name)).replace("\\", "/")
    return normpath(join(directory, name))


def _shown(value: Json) -> str:
    return "nothing" if value is None else repr(value) if isinstance(value, (str, int)) else type_name(value)


def _hooks(
    top: Section, directory: str, env: Mapping[str, str]
) -> tuple[Contract | None, tuple[Document, ...]]:
    """Return the contract and the configurations of a file; None after a fault."""
    if not top.values:
        return None, ()
    value = top.values.get("hooks")
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        what = "is missing: wanted" if value is None else "wanted"
        top.add("hooks", f"{what} the hook file, or a list of files")
        return None, ()
    contract_name = top.text("contract")
    try:
        contract = contracts.get(contract_name) if contract_name else None
    except ContractError as error:
        top.add("contract", str(error))
        return None, ()
    try:
        found = documents([below(directory, str(name)) for name in names], contract, env)
        if contract is None:
            contract = contracts.recognise(found)
            found = [contracts.understand(each, env)[1] for each in found]
    except ConfigError as error:
        top.faults.problems += [_at_hooks(top, each) for each in error.problems]
        return None, ()
    except ContractError as error:
        top.add("hooks", str(error))
        return None, ()
    return contract, tuple(found)


def _at_hooks(top: Section, problem: Problem) -> Problem:
    """Return a fault of a hook file as a fault of the key that names it."""
    top.add("hooks", str(problem))
    return top.faults.problems.pop()


def _report_repeated_names(cases: Sequence[EventCase], faults: Faults) -> None:
    lines: dict[str, int] = {}
    for index, case in enumerate(cases):
        if case.name in lines:
            faults.add(f"cases[{index}].name", f"the case of line {lines[case.name]} has this name too")
        lines.setdefault(case.name, case.line)


def _case(top: Section, entry: Json, path: str, contract: Contract) -> EventCase:
    section = Section(top.faults, entry, path, list(CASE_KEYS))
    name = section.text("name", required=bool(section.values))
    event = event_of(top, section, contract)
    return EventCase(
        name,
        top.faults.line(path),
        section.text("because"),
        event,
        _expected(section),
        files={**_paths(top, "files"), **_paths(section, "files")},
        env={**top.texts("env"), **section.texts("env")},
        compat=section.choice("compat", COMPAT, top.choice("compat", COMPAT, "better")),
        host=section.flag("host", top.flag("host", False)),
    )


def _expected(case: Section) -> Expected:
    value = case.values.get("expect")
    if value is None:
        if case.values:
            case.add("expect", f"is missing: wanted one of {', '.join(WORDS)}, or a mapping")
        return Expected("proceed")
    if isinstance(value, str):
        return Expected(case.choice("expect", WORDS, "proceed"))
    section = Section(case.faults, value, case.at("expect"), list(EXPECT_KEYS))
    if section.values and "decision" not in section.values:
        section.add("decision", f"is missing: wanted one of {', '.join(WORDS)}")
    files: dict[str, re.Pattern[str] | None] = {}
    for name, text in _paths(section, "files").items():
        files[name] = None if text is None else section.compiled(f"files.{name}", text)
    return Expected(
        section.choice("decision", WORDS, "proceed"),
        reason=section.pattern("reason"),
        context=section.pattern("context"),
        message=section.pattern("message"),
        input=_changed(section, "input"),
        prompt=_changed(section, "prompt"),
        result=_changed(section, "result"),
        files=files,
    )


def _changed(section: Section, key: str) -> Changed | None:
    return Changed(section.values[key]) if key in section.values else None


def _paths(section: Section, key: str) -> dict[str, str | None]:
    """Return contents by path; the paths stay in the project."""
    found = section.optional_texts(key)
    for name in found:
        if name.startswith(("/", "\\")) or name[1:2] == ":" or ".." in name.split("/") or not name:
            section.add(f"{key}.{name}", "wanted a path in the project, without ..")
    return found
