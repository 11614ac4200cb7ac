"""Loads the hooks of configurations: those that run, those that are withheld, and every fault."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sandhook.errors import ConfigError, NotApproved, Problem, TrustError
from sandhook.hooks import contracts
from sandhook.hooks.contracts import Contract, Document, Loaded, LoadOptions
from sandhook.hooks.diagnostic import Diagnostic
from sandhook.hooks.model import HookSpec
from sandhook.hooks.sources import documents, line_of, problem_of, with_lines
from sandhook.limits import Budget, Limits, use_budget
from sandhook.record import Record
from sandhook.typed import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from sandhook.hooks.sources import Source

#: Decides whether a hook of a layer that needs trust may run. It may return the hook itself, with its approved bytes;
#: True approves the hook whatever its files contain. It may raise NotApproved with the reason.
Trust = Callable[[HookSpec], "bool | HookSpec | None"]

#: The time after which the expressions of matchers are compiled when they are first needed.
_COMPILING = Limits(wall_seconds=5.0)

#: What a timeout above ``max_timeout`` does: it is shortened, or it is a fault.
LongTimeout = Literal["clamp", "reject"]


class Group(Record):
    """The hooks of one contract, in config order."""

    contract: Contract
    specs: tuple[HookSpec, ...]


class Withheld(Record):
    """A hook of the configuration that does not run.

    Attributes:
        spec: The hook.
        why: The reason, for people.
        state: "untrusted" when nobody approved it, "muted" when the configuration switches it off.
        contract: Name of its contract.
    """

    spec: HookSpec
    why: str
    state: Literal["untrusted", "muted"]
    contract: str


class Findings(Record):
    """What is in a configuration in addition to the hooks that run; see the attributes of HookEngine."""

    problems: tuple[Problem, ...] = ()
    withheld: tuple[Withheld, ...] = ()
    diagnostics: tuple[str, ...] = ()


class Loading:
    """Collects the hooks and faults that the contracts' loaders return."""

    def __init__(self, trust: Trust | None, max_timeout: float | None, on_long_timeout: LongTimeout) -> None:
        self.groups: list[Group] = []
        self.problems: list[Problem] = []
        self.withheld: list[Withheld] = []
        self.diagnostics: list[str] = []
        self._trust = trust
        self._max_timeout = max_timeout
        if on_long_timeout not in ("clamp", "reject"):
            raise ValueError(f"on_long_timeout must be 'clamp' or 'reject', not {on_long_timeout!r}")
        self._on_long_timeout = on_long_timeout

    def read(
        self,
        sources: Source | Sequence[Source],
        contract: str | Contract | None,
        options: LoadOptions,
        *,
        strict: bool,
    ) -> bool:
        """Load the hooks of all sources; return False when nothing is configured.

        Raises ConfigError for a file that cannot be read, and with ``strict`` for every problem.
        """
        if isinstance(contract, str):
            contract = contracts.get(contract)
        configurations = documents(sources, contract, options.env)
        if contract is None and not options.contributions and all(not each.value for each in configurations):
            return False
        for known, own_documents in _by_contract(configurations, contract, options.env):
            readable = self._readable(known, own_documents, options)
            self._add(known, self._loaded(known, readable, options))
        self._locate(configurations)
        if self.problems and strict:
            raise ConfigError(self.problems)
        return True

    def _readable(self, contract: Contract, own: list[Document], options: LoadOptions) -> list[Document]:
        """Return the documents that the agent reads; in better mode also those with a mark that it does not read."""
        if contract.reads_marked:
            return own
        marked = [each for each in own if each.marked]
        why = "begins with a byte order mark: the agent does not read the file, and none of its hooks runs there"
        self.problems += [Problem("", why, file=each.name) for each in marked]
        return [each for each in own if not each.marked] if options.strict else own

    def _loaded(self, contract: Contract, own_documents: list[Document], options: LoadOptions) -> Loaded:
        """Load the documents of a contract. One that makes its loader fail is a problem; the others stay in force."""
        outer = use_budget(Budget(_COMPILING))
        try:
            return self._loaded_in_time(contract, own_documents, options)
        finally:
            use_budget(outer)

    def _loaded_in_time(
        self, contract: Contract, own_documents: list[Document], options: LoadOptions
    ) -> Loaded:
        try:
            return contract.load(own_documents, options)
        except Exception as error:
            if len(own_documents) < 2:
                names = [document.name for document in own_documents]
                self.problems.append(problem_of(error, "".join(names)))
                return Loaded(())
        good = []
        for document in own_documents:
            try:
                contract.load([document], options)
            except Exception as error:
                self.problems.append(problem_of(error, document.name))
            else:
                good.append(document)
        return contract.load(good, options)

    def findings(self) -> Findings:
        return Findings(tuple(self.problems), tuple(self.withheld), tuple(self.diagnostics))

    def _add(self, contract: Contract, loaded: Loaded) -> None:
        """Add one contract's hooks: those that are trusted, with their timeouts bounded."""
        self.problems.extend(loaded.problems)
        self.withheld.extend(Withheld(spec, why, "muted", contract.name) for spec, why in loaded.withheld)
        self.diagnostics.extend(loaded.diagnostics)
        trusted = [spec for each in loaded.specs if (spec := self._trusted(each, contract)) is not None]
        self.groups.append(Group(contract, tuple(filter(None, map(self._bounded, trusted)))))

    def specs(self) -> list[HookSpec]:
        return [spec for group in self.groups for spec in group.specs]

    def _locate(self, configurations: Sequence[Document]) -> None:
        """Set the line of every problem whose file's text is known."""
        if not self.problems:
            return
        by_name = {document.name: with_lines(document) for document in configurations}
        for problem in self.problems:
            if not problem.line and problem.file in by_name:
                problem.line = line_of(by_name[problem.file], problem.path)

    def _trusted(self, spec: HookSpec, contract: Contract) -> HookSpec | None:
        if not contracts.needs_trust(spec.layer) and not spec.wants_approval:
            return spec
        where = spec.wants_approval or f"{spec.file or 'a configuration'} is of the {spec.layer} layer"
        why = f"not trusted: {where}"
        try:
            answer = self._trust(spec) if self._trust is not None else None
        except TrustError as error:
            answer, why = None, str(error) if isinstance(error, NotApproved) else f"not trusted: {error}"
        except Exception as error:  # an approval that cannot be read must not end the other layers' guards
            answer, why = None, f"not trusted: {error.__class__.__name__}: {error}"
        if answer:
            return (answer if isinstance(answer, HookSpec) else spec)._replace(approved=True)
        self.withheld.append(Withheld(spec, why, "untrusted", contract.name))
        return None

    def _bounded(self, spec: HookSpec) -> HookSpec | None:
        most = self._max_timeout
        if most is None or spec.timeout <= most:
            return spec
        if self._on_long_timeout == "reject":
            message = f"timeout: {spec.timeout:g} seconds; at most {most:g} are allowed"
            self.problems.append(Problem(spec.path, message, file=spec.file))
            return None
        shortened = f"timeout of {spec.timeout:g} seconds shortened to {most:g}"
        self.diagnostics.append(Diagnostic(shortened, spec.path))
        return spec._replace(timeout=most)


def _by_contract(
    configurations: Sequence[Document], contract: Contract | None, env: Mapping[str, str]
) -> list[tuple[Contract, list[Document]]]:
    """Return the documents of each contract, in the order in which the contracts come first."""
    if contract is not None:
        return [(contract, list(configurations))]
    groups: dict[str, tuple[Contract, list[Document]]] = {}
    nothing: list[Document] = []
    for document in configurations:
        if document.value is None:
            nothing.append(document)
        elif document.contract:
            known = contracts.get(document.contract)
            groups.setdefault(known.name, (known, []))[1].append(document)
        else:
            known, document = contracts.understand(document, env)
            groups.setdefault(known.name, (known, []))[1].append(document)
    return list(groups.values()) or [(contracts.recognise(nothing), nothing)]
