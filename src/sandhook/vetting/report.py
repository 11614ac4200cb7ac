"""The report about a bundle: its hooks one by one, and the manifest that they make together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sandhook.errors import ManifestError, Problem, SandhookError
from sandhook.hooks.contracts import Contract, Document, UnrecognisedError, recognise
from sandhook.hooks.decode import DecodeError
from sandhook.hooks.engine import HookEngine
from sandhook.hooks.manifest import KINDS, Capabilities, Manifest, digest_of
from sandhook.hooks.manifest import parse as parse_manifest
from sandhook.hooks.manifest.hold import Hold, covers
from sandhook.hooks.model import HookSpec
from sandhook.hooks.sources import line_of, parse, problem_of
from sandhook.record import Record
from sandhook.text.quoting import in_single_quotes
from sandhook.vetting.answers import judge
from sandhook.vetting.bundle import Bundle, interpreters_of, language_of
from sandhook.vetting.notes import Notes, shown
from sandhook.vetting.observe import Observer, wants_powerful_tool
from sandhook.vetting.places import places_of
from sandhook.vetting.rules import RULES, SEVERITIES, Finding
from sandhook.vetting.walker import Walker

#: The most files and bytes of a bundle, and the most hooks that are followed.
MAX_FILES, MAX_BYTES, MAX_HOOKS = 2_000, 32 << 20, 200

#: The most bytes of one script, and of one configuration.
MAX_SCRIPT = 512 << 10

_CONFIGURATIONS = (".json", ".toml", ".yaml", ".yml")
_SHELL = (".sh", ".bash", ".zsh")
_SCRIPTS = (
    *_SHELL,
    ".py",
    ".js",
    ".mjs",
    ".cjs",
    ".ts",
    ".rb",
    ".pl",
    ".php",
    ".ps1",
    ".lua",
    ".fish",
)


class HookReport(Record):
    """One hook, or a script that no hook names.

    Attributes:
        capabilities: What it does; ``event`` is "" for a script.
        findings: What matters, the worst first.
        place: The configuration with its line, or the script.
    """

    capabilities: Capabilities
    findings: tuple[Finding, ...]
    place: str


class Report(Record):
    """What a bundle does.

    Attributes:
        hooks: The hooks in the order of the configurations, then the scripts that none of them names.
        manifest: What the hooks may do.
        problems: What could not be read.
    """

    hooks: tuple[HookReport, ...]
    manifest: Manifest
    problems: tuple[Problem, ...] = ()

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings of all hooks, the worst first, each once."""
        return _sorted(finding for hook in self.hooks for finding in hook.findings)


def vet(
    files: Mapping[str, bytes],
    *,
    contract: str | Contract | None = None,
    config: str | None = None,
    observe: bool = True,
) -> Report:
    """Return what the hooks of a bundle do.

    Args:
        files: The bundle: contents by path, relative, with "/". Nothing else is read.
        contract: The agent of the configurations; None recognises it.
        config: The one configuration, or the one script, to report about; None for all.
        observe: Also run the hooks on sample events in the sandbox.

    Raises:
        ValueError: The bundle has more than MAX_FILES files or MAX_BYTES bytes, or no file ``config``.
    """
    if len(files) > MAX_FILES or sum(map(len, files.values())) > MAX_BYTES:
        raise ValueError(f"a bundle may have {MAX_FILES} files with {MAX_BYTES} bytes")
    if config is not None and config not in files:
        raise ValueError(f"config: there is no file {config!r} in the bundle")
    bundle = Bundle(files)
    problems: list[Problem] = []
    reports: list[HookReport] = []
    observer = Observer(files) if observe else None
    for engine, document in _configurations(bundle, contract, config, problems):
        for spec in engine.hooks[: MAX_HOOKS - len(reports)]:
            reports.append(_of_hook(bundle, spec, document, engine.contracts[0], observer))
    declared = [report.capabilities for report in reports]
    reached = {name for each in declared for name in each.files}
    for name in [config] if config is not None and not reports else sorted(files):
        if config in (None, name) and name not in reached and _is_script(name, files[name]):
            reports.append(_of_script(bundle, name, observer))
    hashes = {name: bundle.digest(name) for name in sorted(reached)}
    return Report(tuple(reports), Manifest(tuple(declared), hashes), tuple(problems))


def _is_script(name: str, data: bytes) -> bool:
    return name.endswith(_SCRIPTS) or data[:2] == b"#!"


def _configurations(
    bundle: Bundle, contract: str | Contract | None, config: str | None, problems: list[Problem]
) -> list[tuple[HookEngine, Document]]:
    """Return the configurations of hooks in a bundle, loaded."""
    engines: list[tuple[HookEngine, Document]] = []
    for name in sorted(bundle.files) if config is None else [config]:
        if not name.endswith(_CONFIGURATIONS) or len(bundle.files[name]) > MAX_SCRIPT:
            continue
        try:
            document = parse(bundle.text(name), name)
            known = recognise([document]) if contract is None else contract
            engine = HookEngine.load(document, known, trust=lambda spec: True, prestart=False)
        except (UnrecognisedError, DecodeError) as error:
            if config is not None or contract is not None:
                problems.append(problem_of(error, name))
            continue
        except (SandhookError, ValueError, RecursionError) as error:
            problems.append(problem_of(error, name))
            continue
        if engine.problems and not engine.hooks and _is_manifest(bundle.text(name)):
            continue
        problems += engine.problems
        if engine.hooks:
            engines.append((engine, document))
    return engines


def _is_manifest(text: str) -> bool:
    """Return True for what an earlier run wrote: its list "hooks" looks like that of an agent."""
    try:
        parse_manifest(text)
    except ManifestError:
        return False
    return True


def _of_hook(
    bundle: Bundle, spec: HookSpec, document: Document, contract: Contract, observer: Observer | None
) -> HookReport:
    line = line_of(document, spec.path)
    notes = Notes()
    walker = Walker(bundle, notes)
    executor = spec.executor
    text = executor.text or " ".join(map(in_single_quotes, executor.argv))
    if executor.type in ("bash", "argv") and len(text) <= MAX_SCRIPT:
        walker.hook(text, document.name, at=(line, 1), variables=dict(executor.env))
    else:
        notes.find("V-UNREAD", f"runs by the executor {executor.type}", document.name, (line, 1))
    if not wants_powerful_tool(contract, spec):  # an approval of reading tools alone
        notes.findings = {_narrow(finding): None for finding in notes.findings}
    observed: dict[str, tuple[str, ...]] = {}
    if observer is not None and executor.type in ("bash", "argv"):
        observed = _observed(observer.observe(contract, spec, walker.sought), notes, document.name, line)
        _answered(observer, bundle, notes, document.name, line)
    entry = Capabilities(spec.id, spec.native_event, digest_of(executor), tuple(sorted(notes.files)))
    entry = _with_capabilities(entry, notes, observed)
    return HookReport(entry, _sorted(notes.findings), f"{document.name}:{line}" if line else document.name)


def _answered(observer: Observer, bundle: Bundle, notes: Notes, file: str, line: int) -> None:
    """Report what the answers of the runs mean."""

    def severe(command: str) -> frozenset[str]:
        inner = Notes()
        Walker(bundle, inner).hook(command, "command", at=(1, 1))
        return frozenset(finding.rule for finding in inner.findings if finding.severity == "high")

    for answer in judge(observer.asked, severe):
        severity = answer.severity or RULES[answer.rule].severity
        finding = Finding(answer.rule, severity, shown(answer.detail), file, line, 1, observed=True)
        notes.findings.setdefault(finding)


def _narrow(finding: Finding) -> Finding:
    return finding._replace(severity="medium") if finding.rule == "V-APPROVE" else finding


def _of_script(bundle: Bundle, name: str, observer: Observer | None) -> HookReport:
    """Report about a script that no hook names."""
    notes = Notes()
    data = bundle.files[name]
    walker = Walker(bundle, notes)
    if len(data) > MAX_SCRIPT:
        notes.find("V-BOUND", f"{len(data)} bytes", name, (0, 0))
    elif (language := language_of(name, data)) == "shell" or (language == "binary" and name.endswith(_SHELL)):
        walker.hook(bundle.text(name), name)
        if observer is not None:
            _run_alone(bundle, name, walker, observer)
    else:
        walker.other_language(bundle.text(name), name)
    for program in interpreters_of(data):
        notes.programs.setdefault(program)
    files = tuple(sorted({name, *notes.files}))
    entry = _with_capabilities(Capabilities(name, "", bundle.digest(name), files), notes, {})
    return HookReport(entry, _sorted(notes.findings), name)


def _run_alone(bundle: Bundle, name: str, walker: Walker, observer: Observer) -> None:
    """Run a script that no hook names as one that is asked about every tool, and report its answers."""
    hook = {"type": "command", "command": f"bash {in_single_quotes(name)}"}
    config = {"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [hook]}]}}
    engine = HookEngine.load(config, "claude_code", trust=lambda spec: True, prestart=False)
    holds = observer.observe(engine.contracts[0], engine.hooks[0], walker.sought)
    _observed(holds, walker.notes, name, 1)
    _answered(observer, bundle, walker.notes, name, 1)


def _with_capabilities(
    entry: Capabilities, notes: Notes, observed: Mapping[str, Sequence[str]]
) -> Capabilities:
    seen: Mapping[str, Mapping[str, None]] = {
        "reads": notes.reads,
        "writes": notes.writes,
        "programs": notes.programs,
        "hosts": notes.hosts,
        "variables": notes.variables,
    }
    values = {kind: tuple(sorted({*seen[kind], *observed.get(kind, ())})) for kind in KINDS}
    only = tuple((kind, tuple(sorted(observed[kind]))) for kind in KINDS if observed.get(kind))
    return entry._replace(**values, observed=only)


def _observed(holds: Sequence[Hold], notes: Notes, file: str, line: int) -> dict[str, tuple[str, ...]]:
    """Return what only the runs showed, and report the paths that matter."""
    own = {f"./{name}" for name in notes.files}
    paths = (("reads", notes.reads), ("writes", notes.writes))
    result: dict[str, tuple[str, ...]] = {}
    for kind, known in paths:
        is_known = covers((*known, *own) if kind == "reads" else known)
        names = sorted({name for hold in holds for name in getattr(hold, kind)})
        result[kind] = tuple(name for name in names if not is_known(name))
    for kind, table in (("programs", notes.programs), ("hosts", notes.hosts)):
        names = sorted({name for hold in holds for name in getattr(hold, kind)})
        result[kind] = tuple(name for name in names if name not in table and "*" not in table)
    for kind in ("reads", "writes"):
        for name in result[kind]:
            access = "read" if kind == "reads" else "write"
            place = places_of(name, "read" if access == "read" else "write")
            if place is not None:
                severity = place.severity or RULES[place.rule].severity
                finding = Finding(place.rule, severity, f"{access}s {name}", file, line, 1, observed=True)
                notes.findings.setdefault(finding)
    return result


def _sorted(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings, the worst first, then by place; each once."""
    return tuple(
        sorted(
            dict.fromkeys(findings),
            key=lambda each: (SEVERITIES.index(each.severity), each.file, each.line, each.rule, each.detail),
        )
    )
