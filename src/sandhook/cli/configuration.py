"""The configurations of a command: the files that it names, or those that an agent would read."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence

from sandhook.cli.notes import print_note
from sandhook.errors import ConfigError, Problem
from sandhook.hooks import contracts
from sandhook.hooks.contracts import Contract, Document
from sandhook.hooks.sources import AgentConfiguration, discover, documents, layer_files, project_directory
from sandhook.text.names import is_name
from sandhook.typed import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from sandhook.cli.arguments import Parser
    from sandhook.hooks.engine import HookEngine
    from sandhook.hooks.loading import Trust
    from sandhook.hooks.model import Compat, HookSpec
    from sandhook.hooks.trust import TrustStore


def directory(name: str | None) -> str:
    """Return a directory that an option names, or the current one: absolute, with slashes.

    Raises UsageError if there is no such directory.
    """
    path = os.path.abspath(name or ".").replace("\\", "/")  # noqa: PTH100 - pathlib costs 10 ms
    if name is not None and not os.path.isdir(path):  # noqa: PTH112
        from sandhook.cli import UsageError

        raise UsageError(f"--cwd {name}: there is no such directory")
    return path


def add_places(parser: Parser) -> None:
    """Add the options that name the configurations."""
    add = parser.add_argument
    add("--hooks", action="append", metavar="FILE", help="a configuration of hooks (again for more layers)")
    add(
        "--contract",
        metavar="NAME",
        help="the agent whose format it is (default: recognised from FILE); without --hooks, read its own files",
    )
    add("--cwd", metavar="DIR", help="directory that the agent runs in (default: the current directory)")
    add("--store", metavar="FILE", help="file of approvals (default: that of `sandhook trust`)")


def add_write_back_also(parser: Parser) -> None:
    """Add the option that names changes which --write-back refuses by itself."""
    parser.add_argument(
        "--write-back-also",
        action="append",
        default=[],
        metavar="PATH",
        help="with --write-back: also write this file of DIR, although it may be executed later:"
        " a file of an agent or of git, a start-up file, a new executable, a link that leads out"
        " (again for more)",
    )


def guarded(command: Callable[[], int]) -> int:
    """Run a command; if a configuration has faults, print a line for each and return USAGE_ERROR."""
    from sandhook.cli import USAGE_ERROR, UsageError
    from sandhook.errors import TrustError
    from sandhook.hooks.contracts import ContractError
    from sandhook.hooks.decode import DecodeError

    try:
        return command()
    except ConfigError as error:
        for problem in error.problems:
            print_note(str(problem))
        return USAGE_ERROR
    except (ContractError, DecodeError, TrustError) as error:
        raise UsageError(str(error)) from None


def store_of(path: str | None) -> TrustStore:
    """Return the store that an option names, or the user's own."""
    from sandhook.hooks.trust import TrustStore

    return TrustStore(path) if path else TrustStore.default(dict(os.environ), sys.platform)


def find_project(options: argparse.Namespace) -> None:
    """Set ``options.cwd``, if no option names a file or a directory, to the nearest directory with an agent's files.

    For commands of people, who may be below the project's directory. An agent names its directory.
    """
    if options.cwd is None and not options.hooks:
        names = [options.contract] if options.contract else contracts.names()
        here = directory(None)
        project = project_directory(here, list(map(contracts.get, names)), os.environ, sys.platform)
        options.cwd = project if project != here else None


def nothing_found(configurations: Sequence[AgentConfiguration], options: argparse.Namespace) -> str:
    """Return the sentence about agents that have no hooks here: how many files they would read, and where."""
    place = f"(project: {directory(options.cwd)})"
    if options.hooks:
        return f"no hooks in {', '.join(options.hooks)}"
    files = [document.name for each in configurations for document in each.documents]
    if files:
        return f"no hooks in {', '.join(dict.fromkeys(files))} {place}"
    return f"no hooks: none of the {sought(configurations, options)} files that agents read exists {place}"


def sought(configurations: Sequence[AgentConfiguration], options: argparse.Namespace) -> int:
    """Return how many files the agents would read if all of them existed."""
    cwd = directory(options.cwd)
    return sum(len(each.contract.layers(cwd, os.environ, sys.platform)) for each in configurations)


def gather(options: argparse.Namespace) -> list[AgentConfiguration]:
    """Return the named files; without any, those that the agent, or every known agent, would read.

    A named file that cannot be read is a problem, and the hooks of the others run.

    Raises:
        ConfigError: None of the named files can be read.
        ContractError: No contract fits a named file.
    """
    env = dict(os.environ)
    cwd = directory(options.cwd)
    store = getattr(options, "store", None)
    if store and not os.path.isdir(os.path.dirname(store) or "."):  # noqa: PTH112, PTH120
        from sandhook.cli import UsageError

        raise UsageError(f"--store {store}: there is no such directory")
    if options.hooks:
        contract = contracts.get(options.contract) if options.contract else None
        named_documents, problems = _readable(options.hooks, contract, env)
        if contract is None:
            contract = contracts.recognise(named_documents)
            named_documents = [contracts.understand(document, env)[1] for document in named_documents]
        return [AgentConfiguration(contract, tuple(named_documents), tuple(problems))]
    if options.contract:
        return [own_layers(contracts.get(options.contract), cwd, env)]
    return _of_agents_in_use(
        [own_layers(contracts.get(name), cwd, env) for name in contracts.names()], cwd, env
    )


def unstarted(options: argparse.Namespace) -> list[AgentConfiguration]:
    """Return the files with hooks of an agent that starts none as faults of Claude Code's, whose form they have.

    None for a command that names files or an agent.
    """
    from sandhook.hooks.checks.unstarted import UNSTARTED, unstarted_files

    if options.hooks or options.contract:
        return []
    files = unstarted_files(directory(options.cwd), os.environ, sys.platform)
    problems = tuple(Problem("", UNSTARTED, file=file) for file in files)
    return [AgentConfiguration(contracts.get("claude_code"), (), problems)] if problems else []


def _of_agents_in_use(
    configurations: Sequence[AgentConfiguration], cwd: str, env: Mapping[str, str]
) -> list[AgentConfiguration]:
    """Leave out agents that have no files of their own here, and only read those of other agents.

    Copilot CLI reads Claude Code's settings: who does not use it need not see each hook a second time. Everruns and
    Antigravity have their hooks in files of one name: its content shows whose it is.
    """
    owned = {each.contract.name: _own_files(each.contract, cwd, env) for each in configurations}

    def is_in_use(configuration: AgentConfiguration) -> bool:
        files = {document.name for document in configuration.documents}
        files |= {problem.file for problem in configuration.problems}
        others = set().union(*owned.values()) - owned[configuration.contract.name]
        if files and files <= others:
            return False
        sharers = [name for name, own in owned.items() if files & own]
        return len(sharers) < 2 or not _is_of_another(configuration, sharers)

    return list(filter(is_in_use, configurations))


def _is_of_another(configuration: AgentConfiguration, sharers: Sequence[str]) -> bool:
    """Return whether all documents have the form of another agent that has these files, and not of this one."""

    if configuration.problems or not configuration.documents:
        return False
    agents = [set(contracts.fitting([document])) for document in configuration.documents]
    return all(configuration.contract.name not in names and names & set(sharers) for names in agents)


def _own_files(contract: Contract, cwd: str, env: Mapping[str, str]) -> set[str]:
    """Return the files of an agent's own places that exist; others it only reads."""
    places = [layer.path for layer in contract.layers(cwd, env, sys.platform) if layer.use != "read"]
    files = [file for place in places for file in layer_files(place.replace("\\", "/"))[0]]
    return set(filter(os.path.isfile, files))


def _readable(
    names: Sequence[str], contract: Contract | None, env: Mapping[str, str]
) -> tuple[list[Document], list[Problem]]:
    """Return the documents of the files that can be read, and what is wrong with the others."""
    readable: list[Document] = []
    problems: list[Problem] = []
    for name in names:
        try:
            readable += documents(name, contract, env)
        except ConfigError as error:
            problems += error.problems
    if not readable:
        raise ConfigError(problems)
    return readable, problems


def own_layers(contract: Contract, cwd: str, env: Mapping[str, str]) -> AgentConfiguration:
    """Return the configurations that an agent would read."""
    layers, problems = discover(contract, cwd, env, sys.platform)
    return AgentConfiguration(contract, tuple(layers), tuple(problems))


def load(
    configuration: AgentConfiguration, options: argparse.Namespace, *, compat: Compat = "better"
) -> HookEngine:
    """Load configurations without running hooks; hooks that lack their approval are in ``engine.withheld``.

    Prints a note for each hook that should run in a worker process and cannot.
    """
    from sandhook.cli.notes import print_note
    from sandhook.hooks.engine import HookEngine
    from sandhook.hooks.placement import notes
    from sandhook.hooks.runner import SandboxRunner

    trust = trust_of(configuration, options)
    runner = SandboxRunner()
    engine = HookEngine.load(
        list(configuration.documents),
        configuration.contract,
        trust=trust,
        compat=compat,
        prestart=False,
        runner=runner,
    )
    for note in notes(engine.hooks, runner, {}, on_host=False):
        print_note(f"note: {note}")
    return engine


def trust_of(configuration: AgentConfiguration, options: argparse.Namespace) -> Trust | None:
    """Return the approvals of configurations that need approval; None if no configuration needs it."""
    if not any(contracts.needs_trust(document.layer) for document in configuration.documents):
        return None
    return store_of(options.store).allows(configuration.contract.name, directory(options.cwd))


def carried(specs: Sequence[HookSpec], contract: str, project: str, store: TrustStore) -> dict[str, bytes]:
    """Return the host's files that hooks name, as a map from paths in the sandbox to contents.

    A hook of the user's own layer names its scripts by paths of the host, or below ``~``.
    """
    from sandhook.errors import TrustError
    from sandhook.hooks.trust import shell_name

    workspace = shell_name(project) + "/"
    contents: dict[str, bytes] = {}
    for spec in specs:
        try:
            evidence = store.examine(spec, contract, project)
        except TrustError:
            continue  # too many or too large files; the hook runs without them
        for file in evidence.files:
            if file.sha256:
                continue  # a large program, which the sandbox cannot run
            for path in shown_paths(file.path, store):
                if not path.startswith(workspace):  # the workspace contains others
                    contents[path] = file.data
    return contents


def shown_paths(path: str, store: TrustStore) -> list[str]:
    """Return the paths in the sandbox of a file outside of the project: its own, and that below the sandbox's home."""
    from sandhook.hooks.trust import shell_name
    from sandhook.interp.beginning import DEFAULT_ENVIRONMENT

    home = shell_name(store.home.rstrip("/")) + "/"
    if sys.platform == "win32":  # /c/work/C:/x is /c/x
        from sandhook.host.drives import sandbox_path

        path = sandbox_path(path)
    if not path.startswith(home):
        return [path]
    return [path, f"{DEFAULT_ENVIRONMENT['HOME']}/{path.removeprefix(home)}"]


def environment(assignments: Sequence[str], inherit: bool) -> dict[str, str]:
    """Return the agent's environment according to ``--env NAME[=VALUE]`` and ``--inherit-env``."""
    from sandhook.cli import UsageError

    env = dict(os.environ) if inherit else {}
    for text in assignments:
        name, equals, value = text.partition("=")
        if not is_name(name):
            raise UsageError(f"--env {text}: wanted NAME or NAME=VALUE")
        if equals:
            env[name] = value
        elif name in os.environ:
            env[name] = os.environ[name]
        else:
            raise UsageError(f"--env {name}: there is no such variable")
    return env
