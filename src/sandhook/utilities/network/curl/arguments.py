"""curl's command line: its options, and the unsupported ones, which are errors."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from sandhook.command.options import options_by_flag
from sandhook.utilities.network.curl.options import UNSUPPORTED, Options
from sandhook.utilities.network.curl.protocols import OFFERED, allowed

_OPTIONS = {flag.lstrip("-"): option for flag, option in options_by_flag(Options).items()}

#: The long name of each option by each of its names; that of a letter is the long name after it.
_LONG_NAMES: dict[str, str] = {}
for _option in _OPTIONS.values():
    _names = [flag.lstrip("-") for flag in _option.flags]
    for _at, _name in enumerate(_names):
        _LONG_NAMES[_name] = _name if len(_name) > 1 else next(long for long in _names[_at:] if len(long) > 1)
_BY_LETTER = {name: long for name, long in _LONG_NAMES.items() if len(name) == 1}
_BY_LETTER.update({letter: name for letter, name in UNSUPPORTED if letter})
_UNSUPPORTED_NAMES = frozenset(name for _, name in UNSUPPORTED)
_NAMES = sorted({*_LONG_NAMES.values(), *_UNSUPPORTED_NAMES})

_LISTS = frozenset({"data", "form", "headers", "outputs", "urls", "cookies", "url_query"})
_NUMBERS = frozenset(
    {"max_time", "connect_timeout", "retry", "retry_delay", "retry_max_time", "max_redirects", "max_size"}
)
#: Those with a fraction.
_SECONDS = frozenset({"max_time", "connect_timeout"})

_MAX_FILES = 16  #: of options, which may refer to one another


class Misuse(Exception):
    """An error in the options, with curl's message and status.

    Attributes:
        hint: The hint at ``curl --help`` follows the message.
        named: curl's name precedes the message.
        unknown: There is no such option; the rest of a configuration file is still read.
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
    """A parsed segment of the command line. The lists contain pairs of option and argument, in order."""

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
        self.protocols = self.redirect_protocols = OFFERED
        self.default_protocol = "http"
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


#: Fields that also apply to the segments after --next.
_GLOBAL = ("silent", "show_error", "verbose", "fail_early", "stderr")


def parse(arguments: Sequence[str], read: Callable[[str], bytes]) -> tuple[list[Arguments], list[str]]:
    """Parse a command line.

    Args:
        read: Returns the contents of a file of options; raises OSError.

    Returns:
        The segments between the --next options, and warnings.

    Raises:
        Misuse: An option is not valid.
    """
    parser = _Parser(read)
    parser.run(arguments)
    return parser.segments, parser.warnings


#: Options whose argument is a file name.
_FILE_NAMES = frozenset({"output", "dump-header", "upload-file", "config", "stderr"})


class _Parser:
    def __init__(self, read: Callable[[str], bytes]) -> None:
        self.segments = [Arguments()]
        self.warnings: list[str] = []
        self._read = read
        self._files = 0

    def run(self, arguments: Sequence[str]) -> None:
        pending = list(reversed(arguments))
        options = True
        while pending:
            argument = pending.pop()
            if not options or not argument.startswith("-"):
                self.segments[-1].urls.append(("url", argument))
            elif argument == "--":
                options = False
            elif argument == "-":
                raise Misuse(f"option {argument}: is unknown", unknown=True)
            elif argument.startswith("--"):
                self._apply(_full(argument[2:], argument), argument, pending)
            else:
                self._letters(argument, pending)

    def _letters(self, argument: str, pending: list[str]) -> None:
        index = 1
        while index < len(argument):
            letter = argument[index]
            index += 1
            name = _BY_LETTER.get(letter)
            if name is None:
                raise Misuse(f"option {argument}: is unknown", unknown=True)
            if _takes_value(name) and index < len(argument):
                pending.append(argument[index:])
                index = len(argument)
            self._apply(name, argument, pending)

    def _apply(self, name: str, argument: str, pending: list[str]) -> None:
        value = pending[-1] if pending and name in _FILE_NAMES else ""
        if value[:1] == "-" and len(value) > 1 and not self.segments[-1].silent:
            self.warnings.append(f"The file name argument '{value}' looks like a flag.")
        if name == "next":
            previous, segment = self.segments[-1], Arguments()
            for field in _GLOBAL:
                setattr(segment, field, getattr(previous, field))
            self.segments.append(segment)
        elif name == "config":
            if not pending:
                raise Misuse(f"option {argument}: requires parameter")
            self._config(pending.pop(), argument)
        else:
            _apply(self.segments[-1], name, argument, pending)

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
        if self._files > _MAX_FILES:
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
    """Return the full name of a possibly shortened option. Raises Misuse."""
    if name in _NAMES or (name.startswith("no-") and name[3:] in _OPTIONS and not _takes_value(name[3:])):
        return name
    matches = [candidate for candidate in _NAMES if candidate.startswith(name)]
    if not matches:
        raise Misuse(f"option {argument}: is unknown", unknown=True)
    if len(matches) > 1:
        raise Misuse(f"option {argument}: is ambiguous")
    return matches[0]


def _apply(target: Arguments, name: str, argument: str, pending: list[str]) -> None:
    if name in _UNSUPPORTED_NAMES:
        raise Misuse(f"option {argument}: is not supported here (L-CURL-001)", hint=False)
    if name == "remote-name":
        target.outputs.append((name, ""))
    elif _takes_value(name):
        if not pending:
            raise Misuse(f"option {argument}: requires parameter")
        _value(target, name, pending.pop(), argument)
    else:
        enabled = name in _OPTIONS
        if name == "no-remote-name":
            raise Misuse(f"option {argument}: is unknown", unknown=True)
        option = _OPTIONS[name if enabled else name[3:]]
        if not option.ignored:
            setattr(target, option.field, option.const if enabled else False)


def _value(target: Arguments, name: str, value: str, argument: str) -> None:
    field = _OPTIONS[name].field
    if field in _LISTS:
        getattr(target, field).append((name, value))
    elif field in _NUMBERS:
        setattr(target, field, _number(field, value, argument))
    elif field in ("protocols", "redirect_protocols"):
        if not value.strip("+-="):
            if value:
                raise Misuse(f"option {argument}: is badly used here")
            return
        setattr(target, field, allowed(value, getattr(target, field)))
    elif field == "default_protocol" and value.lower() not in OFFERED:
        raise Misuse(f"option {argument}: a specified protocol is unsupported by libcurl", status=1)
    elif not _OPTIONS[name].ignored:
        setattr(target, field, value)


def _number(field: str, value: str, argument: str) -> float:
    """Return the number of an option. Raises Misuse."""
    try:
        number = float(value[:20])
    except ValueError:
        number = math.nan
    if field == "max_redirects" and number == -1.0:
        return math.inf
    if number < 0:
        raise Misuse(f"option {argument}: expected a positive numerical parameter")
    whole = number == number and (field in _SECONDS or not set(value) - set("+0123456789"))
    if not whole or number >= 1e15:
        raise Misuse(f"option {argument}: expected a proper numerical parameter")
    return number
