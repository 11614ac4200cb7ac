"""The contracts: one per agent's hook format, found by name or by the content of a file.

A contract from elsewhere registers the entry point group ``sandhook.contracts``: its name, and
an object with the attributes of ``Contract``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module

from sandhook.errors import Problem, SandhookError
from sandhook.hooks.diagnostic import Diagnostic
from sandhook.record import Record
from sandhook.typed import TYPE_CHECKING, Literal, Protocol, TypeAlias, cast

if TYPE_CHECKING:
    from sandhook.hooks.contracts._launch import Launch
    from sandhook.hooks.contracts._vocabulary import Vocabulary
    from sandhook.hooks.event import Event, Json
    from sandhook.hooks.fold import FoldPolicy
    from sandhook.hooks.model import Compat, Decision, HookSpec, LayerName, Request, RunResult, Verdict

#: The values of ``model.Compat``.
COMPAT: tuple[Compat, ...] = ("better", "strict")


#: The layers of configurations, and whether their hooks run without approval. Whoever can write
#: to a repository must not be able to run code on the user's machine by that.
LAYERS: Mapping[LayerName, bool] = {
    "": True,  #: named or passed by the caller
    "managed": True,  #: the organisation's, on this machine
    "user": True,  #: the user's own
    "project": False,  #: comes with the repository
    "local": False,  #: in the project, not committed; anybody may have written it
    "bundle": False,  #: a plugin or a pack of a third party
}


def needs_trust(layer: LayerName) -> bool:
    """Return whether hooks of a layer run only after approval."""
    return not LAYERS.get(layer, False)


def may_override(layer: LayerName, other: LayerName) -> bool:
    """Return whether a file of a layer may switch off, replace or restrict hooks of another layer.

    The organisation may for all, the user and the caller for all but the organisation. A layer that needs
    trust may only for such layers, also when its hooks are approved: it adds refusals, and removes none.
    """
    return _authority(layer) >= _authority(other)


def _authority(layer: LayerName) -> int:
    return 2 if layer == "managed" else 0 if needs_trust(layer) else 1


#: What sandhook may do with the files of a layer: install hooks in them, install each hook as a file of its own there,
#: change the commands of their hooks, or only read them, because they belong to another agent, are no text of hooks,
#: or are shared by a machine.
LayerUse: TypeAlias = Literal["install", "file", "wrap", "read"]


class Layer(Record):
    """A place where an agent looks for configuration.

    Attributes:
        name: One of LAYERS.
        path: The file, in the host's own form; it need not exist. With a last part like "*.json" all
            files of the directory with that ending, in the order of their names. With a part "*" the
            file of every directory there.
        use: What ``sandhook install`` and ``sandhook wrap`` may do with it.
    """

    name: LayerName
    path: str
    use: LayerUse = "install"


class Document(Record):
    """One configuration, decoded.

    Attributes:
        value: The decoded text; None for an empty configuration.
        name: Its file, "" for a dictionary.
        duplicates: Keys that the text's objects have twice, as diagnostics.
        layer: One of LAYERS.
        contract: Name of its contract where that is known, or "".
        text: The text, for lines in messages and for approvals; "" for a dictionary.
        lines: Line of each path in the text, where the decoder reports that.
        diagnostics: What is unusual in the text itself.
        marked: Its file begins with a byte order mark, which ``text`` does not have.
    """

    value: Json
    name: str = ""
    duplicates: tuple[str, ...] = ()
    layer: LayerName = ""
    contract: str = ""
    text: str = ""
    lines: Mapping[str, int] | None = None
    diagnostics: tuple[str, ...] = ()
    marked: bool = False


class LoadOptions(Record):
    """What a loader receives in addition to the documents.

    Attributes:
        compat: One of COMPAT.
        executors: The executor types that the engine can run.
        contributions: Hooks that the host contributes: raw hooks by id of the capability.
        env: The agent's own environment, for contracts whose configurations or hooks use it.
    """

    compat: Compat = "better"
    executors: tuple[str, ...] = ()
    contributions: Mapping[str, Sequence[Json]] | None = None
    env: Mapping[str, str] = {}

    @property
    def strict(self) -> bool:
        """Reproduce the agent, including its defects."""
        return self.compat == "strict"


class Loaded(Record):
    """What a loader returns.

    Attributes:
        specs: The hooks that can run, in config order.
        problems: Every fault, each with its file and path; a hook with a fault is not in ``specs``.
        diagnostics: What is allowed but unusual.
        withheld: Hooks that are well formed and switched off, each with the reason.
    """

    specs: tuple[HookSpec, ...]
    problems: tuple[Problem, ...] = ()
    diagnostics: tuple[str, ...] = ()
    withheld: tuple[tuple[HookSpec, str], ...] = ()


class Answer(Record):
    """The output and exit status of a command hook; see ``Contract.answer``."""

    stdout: bytes = b""
    stderr: bytes = b""
    exit_status: int = 0


class Caller(Protocol):
    """Who fires an event: an agent with names of its own for tools. Every Contract is one."""

    @property
    def name(self) -> str: ...

    def vocabulary(self) -> Vocabulary:
        """Return the names of tools."""
        ...


class Contract(Protocol):
    """One agent's hook format. ``BaseContract`` has the defaults.

    Attributes:
        name: As in ``--contract``.
        fold: How its hooks compose.
        events: Its own names of events to neutral kinds, canonical names first.
        refusable: Neutral kinds on which a hook can refuse.
        own_limits: Fields of Limits that are bounds of the agent itself.
        has_own_format: ``parse`` reads another form than JSON, or selects a part of a file.
        reads_marked: The agent reads a file that begins with a byte order mark.
        outranked_rules: What of the agent's own refusals an approval of a hook replaces, or "".
        has_configuration: The agent reads a configuration; False where hooks are files.
        reads_status: The exit status of a hook means something to the agent.
    """

    name: str
    fold: FoldPolicy
    events: Mapping[str, str]
    refusable: frozenset[str]
    own_limits: frozenset[str]
    has_own_format: bool
    reads_marked: bool
    outranked_rules: str
    has_configuration: bool
    reads_status: bool

    def at(self, version: str) -> Contract:
        """Return the contract as an older version of its agent has it; ContractError when only one is known."""
        ...

    def fold_for(self, specs: Sequence[HookSpec], event: Event) -> FoldPolicy:
        """Return how the hooks that wait for an event compose; ``fold`` unless their configuration decides."""
        ...

    def layers(self, cwd: str, env: Mapping[str, str], platform: str) -> Sequence[Layer]:
        """Return the files that the agent reads, weakest first.

        Args:
            cwd: Where the agent runs, an absolute path.
            env: Its environment: HOME or USERPROFILE, XDG_CONFIG_HOME, its own variables.
            platform: As ``sys.platform`` has it.
        """
        ...

    def parse(self, text: str, name: str, env: Mapping[str, str]) -> Document:
        """Decode one file. Raises DecodeError when it cannot be decoded."""
        ...

    def load(self, documents: Sequence[Document], options: LoadOptions) -> Loaded:
        """Read configurations in the order of their layers, weakest first."""
        ...

    def request(self, spec: HookSpec, event: Event, compat: Compat) -> Request:
        """Encode an event for one hook; DecodeError when the event is not JSON."""
        ...

    def decode(self, spec: HookSpec, event: Event, ran: RunResult, compat: Compat) -> Verdict:
        """Return what a run means, its ``on_error`` included."""
        ...

    def event(self, name: str, payload: Json) -> Event:
        """Return the event that a payload (its data, or the whole envelope) describes.

        Raises ContractError when the payload does not fit.
        """
        ...

    def reads(self, file: str) -> bool:
        """Return whether the agent reads a file of a directory of its layers, by the file's name."""
        ...

    def event_name(self, payload: Json, env: Mapping[str, str]) -> str:
        """Return the contract's own name of the event that a payload on standard input describes.

        Raises ContractError when neither the payload nor the environment names it.
        """
        ...

    def native_name(self, name: str) -> str:
        """Return the contract's own name of an event for another spelling that the agent reads, or the name itself."""
        ...

    def message(self, decision: Decision, event: Event) -> str:
        """Return what the agent shows instead of a refused call, prompt or stop."""
        ...

    def answer(self, decision: Decision, event: Event) -> Answer:
        """Return what a command hook of this agent prints, and its exit status, for a decision.

        ``self.decode`` of that answer returns the same decision, where the agent's format can express it.
        """
        ...

    def refuse(self, reason: str) -> Answer:
        """Return the answer of a command hook that refuses whatever the event is, for one that cannot be read."""
        ...

    def schema(self) -> Json:
        """Return a JSON Schema (2020-12) of the configuration."""
        ...

    def render(self, specs: Sequence[HookSpec]) -> tuple[Json, tuple[str, ...]]:
        """Return a configuration with these hooks, and a line for each thing that it cannot express."""
        ...

    def literal(self, text: str) -> str:
        """Return a text as it stands in a file, for agents that expand variables when they read the file."""
        ...

    def fitted(self, rendered: Json, present: Json, *, foreign: bool) -> Json:
        """Return a rendered configuration with the names that a present configuration has, to be merged with it.

        Args:
            foreign: The hooks are those of another agent.
        """
        ...

    def vocabulary(self) -> Vocabulary:
        """Return the agent's names of tools, and of variables with directories."""
        ...

    def launch(self) -> Launch:
        """Return what starts the commands of hooks on each system."""
        ...

    def facts(self) -> Mapping[str, str]:
        """Return facts about the contract by aspect (``_facts.ASPECTS``), for the documentation."""
        ...


class BaseContract:
    """Defaults of Contract: JSON files, no layers, no answers."""

    name = ""
    fold: FoldPolicy
    events: Mapping[str, str] = {}
    own_limits: frozenset[str] = frozenset()
    has_own_format = False
    reads_marked = True
    outranked_rules = ""
    has_configuration = True
    reads_status = True

    def at(self, version: str) -> Contract:
        raise ContractError(f"{self.name}: only one version is known; there is not a version {version!r}")

    def fold_for(self, specs: Sequence[HookSpec], event: Event) -> FoldPolicy:
        return self.fold

    def layers(self, cwd: str, env: Mapping[str, str], platform: str) -> Sequence[Layer]:
        return ()

    def parse(self, text: str, name: str, env: Mapping[str, str]) -> Document:
        from sandhook.hooks.decode import decode

        decoded = decode(text)
        return Document(
            decoded.value,
            name,
            decoded.diagnostics,
            contract=self.name if decoded.value is not None else "",
            text=text,
        )

    def event_name(self, payload: Json, env: Mapping[str, str]) -> str:
        """Return the field that most agents use: hook_event_name, hookEventName or event."""
        if isinstance(payload, dict):
            for key in ("hook_event_name", "hookEventName", "event"):
                if isinstance(payload.get(key), str):
                    return str(payload[key])
        raise ContractError(f"{self.name}: the payload does not name its event (hook_event_name)")

    def native_name(self, name: str) -> str:
        return name

    def reads(self, file: str) -> bool:
        return True

    def answer(self, decision: Decision, event: Event) -> Answer:
        raise ContractError(f"{self.name}: a hook of this agent cannot answer for others")

    def refuse(self, reason: str) -> Answer:
        """Return the exit status 2, which refuses for most agents, with the reason on standard error."""
        return Answer(stderr=reason.encode("utf-8", "replace") + b"\n", exit_status=2)

    def schema(self) -> Json:
        raise ContractError(f"{self.name}: there is no schema")

    def render(self, specs: Sequence[HookSpec]) -> tuple[Json, tuple[str, ...]]:
        raise ContractError(f"{self.name}: hooks cannot be converted to this format")

    def literal(self, text: str) -> str:
        return text

    def fitted(self, rendered: Json, present: Json, *, foreign: bool) -> Json:
        return rendered

    def vocabulary(self) -> Vocabulary:
        from sandhook.hooks.contracts._vocabulary import Vocabulary

        return Vocabulary()

    def launch(self) -> Launch:
        from sandhook.hooks.contracts._launch import Launch

        return Launch()

    def facts(self) -> Mapping[str, str]:
        return {}


class ContractError(SandhookError):
    """An unknown contract, or a payload that does not fit one."""


class UnrecognisedError(ContractError):
    """Configurations that fit no contract, or several.

    Attributes:
        files: The names of the configurations, or what stands for them.
        problem: What is wrong, without the names.
    """

    def __init__(self, files: str, problem: str) -> None:
        super().__init__(f"{files}: {problem}")
        self.files = files
        self.problem = problem


#: The modules of the contracts that come with sandhook; ``_recognise.ROWS`` recognises their files.
_BUILTINS = {
    name: f"sandhook.hooks.contracts.{name}"
    for name in (
        *("everruns", "crush", "jcode", "ub", "claude_code", "codex", "gemini", "mistral_vibe", "cursor"),
        *("copilot", "docker_agent", "kiro", "qwen", "kimi", "goose", "antigravity", "grok", "hermes"),
        *("openhands", "droid", "cline"),
    )
}


def names() -> list[str]:
    """Return the contracts that come with sandhook."""
    return list(_BUILTINS)


def configured() -> list[str]:
    """Return those of them whose agents read a configuration."""
    return [name for name in _BUILTINS if get(name).has_configuration]


def get(name: str) -> Contract:
    """Return a contract by name, ``NAME@VERSION`` as an older version of its agent has it.

    Raises ContractError, which lists what is known, or has what is wrong with a contract of a package.
    """
    base, at, version = name.partition("@")
    if at:
        return get(base).at(version)
    if name in _BUILTINS:
        known: Contract = import_module(_BUILTINS[name]).CONTRACT
        return known
    from sandhook.hooks.contracts._installed import contract_of

    try:
        return cast("Contract", contract_of(name, names()))
    except ValueError as error:
        raise ContractError(str(error)) from None


def kind_of(contract: Contract, name: str) -> tuple[str, str]:
    """Return the contract's own name and the neutral kind of an event; ``name`` is either, or the agent's other name.

    Raises ContractError, which lists what is known.
    """
    for native, kind in contract.events.items():
        if name in (native, kind):
            return native, kind
    own = contract.native_name(name)
    if own in contract.events:
        return own, contract.events[own]
    from sandhook.text.nearest import nearest

    near = nearest(name, [*contract.events, *contract.events.values()])
    known = ", ".join(f"{native} ({kind})" for native, kind in contract.events.items())
    advice = f"did you mean {near}?" if near is not None else f"known are {known}"
    raise ContractError(f"unknown event {name!r} for {contract.name}; {advice}")


#: The agent whose form the others adopted: a file that means the same in several of them is read as its own.
_ORIGIN = "claude_code"


def fitting(documents: Sequence[Document]) -> list[str]:
    """Return the names of the contracts whose form the documents have."""
    module = import_module("sandhook.hooks.contracts._recognise")  # it reads contracts' tables
    names: list[str] = module.fitting([(document.value, document.name) for document in documents])
    return names


def recognise(documents: Sequence[Document]) -> Contract:
    """Return the contract of the documents.

    Raises UnrecognisedError if none fits, or several that differ in the form of their files.
    """
    fitting_names = fitting(documents)
    if len(fitting_names) == 1:
        return get(fitting_names[0])
    if _ORIGIN in fitting_names:
        return get(_ORIGIN)
    where = ", ".join(doc.name or "the configuration" for doc in documents)
    if fitting_names:
        raise UnrecognisedError(where, f"fits {', '.join(fitting_names)}; say which with --contract")
    raise UnrecognisedError(where, f"fits none of the known contracts ({', '.join(_BUILTINS)})")


def understand(document: Document, env: Mapping[str, str]) -> tuple[Contract, Document]:
    """Return the contract of a document, and the document as that contract parses it.

    A document that fits several contracts has a diagnostic about that.

    Args:
        env: Variables that the file may refer to.
    """
    contract = recognise([document])
    others = [name for name in fitting([document]) if name != contract.name]
    if others:
        text = f"fits {', '.join(others)} too: read as {contract.name}; --contract names another agent"
        document = document._replace(diagnostics=(*document.diagnostics, Diagnostic(text, "", document.name)))
    if document.text and contract.has_own_format:
        layer = document.layer
        document = contract.parse(document.text, document.name, env)._replace(layer=layer)
    return contract, document
