"""curl's command line: its options, and those that are known and refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandhook.command.options import declared_fields
from sandhook.utilities.network.curl.options import REFUSED, Options

_OPTIONS = {
    flag.lstrip("-"): option
    for declared in declared_fields(Options).values()
    for option in declared.options
    for flag in option.flags
}

#: The long name of each option, by all of its names; a letter goes with the long name after it, if one follows.
_LONG: dict[str, str] = {}
for _option in _OPTIONS.values():
    _names = [flag.lstrip("-") for flag in _option.flags]
    for _at, _name in enumerate(_names):
        _LONG[_name] = _name if len(_name) > 1 else next(long for long in _names[_at:] if len(long) > 1)
_BY_LETTER = {name: long for name, long in _LONG.items() if len(name) == 1}
_BY_LETTER.update({letter: name for letter, name in REFUSED if letter})
_REFUSED_NAMES = frozenset(name for _, name in REFUSED)
_NAMES = sorted({*_LONG.values(), *_REFUSED_NAMES})

_LISTS = frozenset({"data", "form", "headers", "outputs", "urls", "cookies", "url_query"})
_NUMBERS = frozenset(
    {"max_time", "connect_timeout", "retry", "retry_delay", "retry_max_time", "max_redirects", "max_size"}
)


_MOST_FILES = 16  #: of options; they may name one another


class Misuse(Exception):
    """Wrong options: curl's message and status.

    Attributes:
        named: curl's name precedes the message.
        unknown: There is no such option; a configuration file goes on after it.
    """

    def __init__(
        self, message: str, *, hint: bool = True, status: int = 2, named: bool = True, unknown: bool = False
    ) -> None:
        super().__init__(message)
        self.unknown = unknown
        self.hint = hint
        self.status = status
        self.named = named


class Arguments:
    """A parsed command line. The lists have pairs of option and argument, in their order."""

    def __init__(self) -> None:
        self.silent = self.show_error = self.fail = self.follow = self.include = self.head = self.get = False
        self.compressed = self.fail_with_body = self.create_dirs = self.verbose = False
        self.retry_refused = self.retry_all = self.post301 = self.post302 = self.post303 = (
            self.junk_session
        ) = False
        self.plain_url = self.as_is = self.fail_early = self.header_name = self.remote_time = False
        self.remote_name_all = self.remove_on_error = False
        self.clobber: bool | None = None
        self.continue_at: str | None = None
        self.time_condition: str | None = None
        self.stderr: str | None = None
        self.data: list[tuple[str, str]] = []
        self.form: list[tuple[str, str]] = []
        self.headers: list[tuple[str, str]] = []
        self.outputs: list[tuple[str, str]] = []
        self.urls: list[tuple[str, str]] = []
        self.cookies: list[tuple[str, str]] = []
        self.url_query: list[tuple[str, str]] = []
        self.method: str | None = None
        self.agent: str | None = None
        self.referer: str | None = None
        self.user: str | None = None
        self.bearer: str | None = None
        self.jar: str | None = None
        self.write_out: str | None = None
        self.upload: str | None = None
        self.dump_header: str | None = None
        self.range: str | None = None
        self.output_dir: str | None = None
        self.max_time: float | None = None
        self.connect_timeout: float | None = None
        self.retry: float | None = None
        self.retry_delay: float | None = None
        self.retry_max_time: float | None = None
        self.max_redirects: float | None = None
        self.max_size: float | None = None
        self.inform = ""


#: Fields that hold for what follows --next, too.
_GLOBAL = ("silent", "show_error", "verbose", "fail_early", "stderr")


def parse(arguments: Sequence[str], read: Callable[[str], bytes]) -> tuple[list[Arguments], list[str]]:
    """Read a command line.

    Args:
        read: Gives a file of options; raises OSError.

    Returns:
        What stands between the --next, and warnings.

    Raises:
        Misuse: An option is wrong.
    """
    parser = _Parser(read)
    parser.run(arguments)
    return parser.made, parser.warnings


class _Parser:
    def __init__(self, read: Callable[[str], bytes]) -> None:
        self.made = [Arguments()]
        self.warnings: list[str] = []
        self._read = read
        self._files = 0

    def run(self, arguments: Sequence[str]) -> None:
        rest = list(reversed(arguments))
        options = True
        while rest:
            argument = rest.pop()
            if not options or not argument.startswith("-") or argument == "-":
                self.made[-1].urls.append(("url", argument))
            elif argument == "--":
                options = False
            elif argument.startswith("--"):
                self._take(_full(argument[2:], argument), argument, rest)
            else:
                self._letters(argument, rest)

    def _letters(self, argument: str, rest: list[str]) -> None:
        at = 1
        while at < len(argument):
            letter = argument[at]
            at += 1
            name = _BY_LETTER.get(letter)
            if name is None:
                raise Misuse(f"option {argument}: is unknown", unknown=True)
            if _takes_value(name) and at < len(argument):
                rest.append(argument[at:])
                at = len(argument)
            self._take(name, argument, rest)

    def _take(self, name: str, argument: str, rest: list[str]) -> None:
        if name == "next":
            before, made = self.made[-1], Arguments()
            for field in _GLOBAL:
                setattr(made, field, getattr(before, field))
            self.made.append(made)
        elif name == "config":
            if not rest:
                raise Misuse(f"option {argument}: requires parameter")
            self._config(rest.pop(), argument)
        else:
            _take(self.made[-1], name, argument, rest)

    def _config(self, name: str, argument: str) -> None:
        from sandhook.utilities.network.curl.config import words

        self._files += 1
        try:
            text = self._read(name).decode("utf-8", "surrogateescape")
        except OSError:
            raise Misuse(
                f"cannot read config from '{name}'\ncurl: option {argument}: error encountered when reading a file",
                status=26,
            ) from None
        if self._files > _MOST_FILES:
            raise Misuse(f"option {argument}: too many files of options", hint=False)
        for number, option, value in words(text):
            try:
                self.run([option] if value is None else [option, value])
            except Misuse as error:
                if not error.unknown:
                    raise
                self.warnings.append(f"{name}:{number}: warning: '{option.lstrip('-')}' is unknown")


def _takes_value(name: str) -> bool:
    return name in _OPTIONS and _OPTIONS[name].metavar is not None


def _full(name: str, argument: str) -> str:
    """Return the full name of an option that may be shortened."""
    if name in _NAMES or (name.startswith("no-") and name[3:] in _OPTIONS and not _takes_value(name[3:])):
        return name
    found = [known for known in _NAMES if known.startswith(name)]
    if not found:
        raise Misuse(f"option {argument}: is unknown", unknown=True)
    if len(found) > 1:
        raise Misuse(f"option {argument}: is ambiguous")
    return found[0]


def _take(made: Arguments, name: str, argument: str, rest: list[str]) -> None:
    if name in _REFUSED_NAMES:
        raise Misuse(f"option {argument}: is not supported here (L-CURL-001)", hint=False)
    if name == "remote-name":
        made.outputs.append((name, ""))
    elif _takes_value(name):
        if not rest:
            raise Misuse(f"option {argument}: requires parameter")
        _value(made, name, rest.pop(), argument)
    else:
        on = name in _OPTIONS
        if name == "no-remote-name":
            raise Misuse(f"option {argument}: is unknown", unknown=True)
        option = _OPTIONS[name if on else name[3:]]
        if not option.ignored:
            setattr(made, option.field, option.const if on else False)


def _value(made: Arguments, name: str, value: str, argument: str) -> None:
    field = _OPTIONS[name].field
    if field in _LISTS:
        getattr(made, field).append((name, value))
    elif field in _NUMBERS:
        try:
            number = float(value[:20])
        except ValueError:
            number = -1.0
        if not 0 <= number < 1e15:
            raise Misuse(f"option {argument}: expected a proper numerical parameter")
        setattr(made, field, number)
    elif not _OPTIONS[name].ignored:
        setattr(made, field, value)
