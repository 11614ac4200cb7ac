"""git interpret-trailers: add trailers to messages, or print them.

Source: git-interpret-trailers(1). Oracle: git 2.39.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandhook.command.options import UsageError, also, opt, option_set
from sandhook.utilities.git.arguments import Parser
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.trailers import (
    WORDS,
    Behaviour,
    Settings,
    Trailer,
    add,
    find_block,
    refuse_commands,
    separator_at,
    shown,
    trailers_of,
)
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.access import decode, encode
from sandhook.utilities.git.store.config import Config
from sandhook.utilities.git.store.repository import read_settings
from sandhook.vfs.errors import error_text

#: One of --trailer, --where, --if-exists and --if-missing: its name and its word. Their order counts.
_Action = tuple[str, str]


def _word(field: str) -> Callable[[str], _Action]:
    def convert(text: str) -> _Action:
        if text.lower() not in WORDS[field]:
            raise UsageError("")
        return field, text.lower()

    return convert


@option_set
class TrailerOptions:
    """Options of git interpret-trailers."""

    in_place: bool = opt("--in-place")
    trim_empty: bool = opt("--trim-empty")
    only_trailers: bool = opt("--only-trailers")
    parse: bool = opt("--parse")
    only_input: bool = opt("--only-input")
    unfold: bool = opt("--unfold")
    no_divider: bool = also(opt("--no-divider"), opt("--divider", const=False))
    actions: tuple[_Action, ...] = also(
        opt("--trailer", "TRAILER", "", append=True, convert=lambda text: ("trailer", text)),
        opt("--where", "PLACE", "", append=True, convert=_word("where")),
        opt("--if-exists", "ACTION", "", append=True, convert=_word("if_exists")),
        opt("--if-missing", "ACTION", "", append=True, convert=_word("if_missing")),
        opt("--no-where", append=True, const=("where", "")),
        opt("--no-if-exists", append=True, const=("if_exists", "")),
        opt("--no-if-missing", append=True, const=("if_missing", "")),
    )


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Print each message, or change it with --in-place; return 0."""
    parsed = Parser(TrailerOptions).parse(arguments)
    options = parsed.of(TrailerOptions)
    names = [*parsed.operands, *(parsed.paths or ())]
    only_input = options.only_input or options.parse
    if only_input and any(kind == "trailer" for kind, _ in options.actions):
        raise GitError("--trailer with --only-input does not make sense", status=129)
    if options.in_place and not names:
        raise GitError("no input file given for in-place editing")
    repository = call.find_repository()
    config = (
        Config(list(read_settings(call.access, call.options, None)))
        if repository is None
        else repository.config
    )
    settings = Settings(config)
    if not only_input:
        refuse_commands(settings)
    new = _new_trailers(call, options.actions, settings)
    comment = _comment(config)
    for name in names or [None]:
        text = decode(_read(call, name))
        call.access.charge(1 + (len(text) >> 5))
        result = encode(_changed(text, settings, new, options, comment))
        if name is None or not options.in_place:
            call.ctx.write(result)
        else:
            _replace(call, name, result)
    return 0


def with_trailers(call: Invocation, text: str, trailers: Sequence[str]) -> str:
    """Return the message of a commit with the trailers of ``git commit --trailer``."""
    config = call.repository.config
    settings = Settings(config)
    refuse_commands(settings)
    new = _new_trailers(call, [("trailer", each) for each in trailers], settings)
    return _changed(text, settings, new, TrailerOptions(no_divider=True), _comment(config))


def _comment(config: Config) -> str:
    """Return the character that begins comments in messages."""
    comment = config.get("core.commentchar")
    return comment if comment and comment != "auto" else "#"


def _changed(
    text: str, settings: Settings, new: list[tuple[Trailer, Behaviour]], options: TrailerOptions, comment: str
) -> str:
    """Return a message with its new trailers, or its trailers alone."""
    only = options.only_trailers or options.parse
    block = find_block(text, settings, comment, divider=not options.no_divider)
    trailers = trailers_of(block, settings, comment, unfold=options.unfold or options.parse, only=only)
    for trailer, behaviour in new:
        add(trailers, trailer, behaviour)
    lines = [shown(each, settings.separators) for each in trailers if each.value or not options.trim_empty]
    if only:
        return "".join(lines)
    blank = "" if block.after_blank else "\n"
    return f"{text[: block.start]}{blank}{''.join(lines)}{text[block.end :]}"


def _new_trailers(
    call: Invocation, actions: Sequence[_Action], settings: Settings
) -> list[tuple[Trailer, Behaviour]]:
    """Return the trailers of the command line, each with its behaviour."""
    chosen: dict[str, str] = {}
    found = []
    for kind, text in actions:
        if kind != "trailer":
            chosen[kind] = text
            continue
        at = separator_at(text, "=" + settings.separators)
        if at == 0:
            call.error(f"error: empty trailer token in trailer '{text}'")
            continue
        key, value, behaviour = settings.parse(text, at)
        behaviour = behaviour._replace(**{field: word for field, word in chosen.items() if word})
        found.append((Trailer(key, value), behaviour))
    return found


def _read(call: Invocation, name: str | None) -> bytes:
    if name is None:
        with call.ctx.stdin_reader() as reader:
            return reader.read_all()
    try:
        with call.ctx.open(name) as reader:
            return reader.read_all()
    except OSError as error:
        raise GitError(f"could not read input file '{name}': {error_text(error)}") from None


def _replace(call: Invocation, name: str, data: bytes) -> None:
    try:
        file = call.ctx.create(name)
    except OSError as error:
        raise GitError(f"file {name} is not writable by user: {error_text(error)}") from None
    try:
        file.write(data)
    finally:
        file.release()
