"""Settings: the files of git config, with includes, -c, and the variables GIT_CONFIG_*.

dulwich's reader is not used: it does not keep the order of all lines, nor keys without a value.

Source: git-config(1).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from sandhook.record import Record
from sandhook.text.numbers import is_integer, is_number
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.names.wildmatch import wildmatch
from sandhook.utilities.git.store.access import Access, decode

_REMOTE_URLS = "remote.*.url:"
_INCLUDES = 10  #: levels of includes, as git has it
_ESCAPES = {"n": "\n", "t": "\t", "b": "\b", '"': '"', "\\": "\\"}
_QUOTED = r"'[^']*+'(?>\\[!']'[^']*+')*+"  #: a word as git quotes it for shells
_PARAMETER = re.compile(rf"({_QUOTED})(?>(=(?>({_QUOTED}))?+)?)(?=\s|$)")
_ESCAPED = re.compile(r"'\\([!'])'")
#: What follows the first letter of most lines: the rest of a name, "=", and words with single blanks between them.
_PLAIN_LINE = re.compile(r"([A-Za-z0-9-]*+)[ \t]*+=[ \t]*+([^\s\"\\#;]++(?> [^\s\"\\#;]++)*+)\n")
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


class Setting(Record):
    """One line of the settings.

    Fields:
        key: Section and variable in lower case, with the subsection as it is written.
        value: None for a key without "=".
        scope: "system", "global", "local", "worktree" or "command".
        origin: The file, or "command line:".
        line: The number of its line in the file; 0 for other places.
    """

    key: str
    value: str | None
    scope: str
    origin: str
    line: int = 0


class Config:
    """All settings that apply to a repository, the weakest first."""

    def __init__(self, settings: list[Setting]) -> None:
        self.settings = settings
        self._last = {setting.key: setting for setting in settings}

    def get(self, key: str) -> str | None:
        """Return the last value of a key; "" for one without "=", None if it is not set."""
        setting = self._last.get(key)
        return None if setting is None else setting.value or ""

    def word(self, key: str) -> str | None:
        """Return the last value of a key that is a truth value or a word; "true" for one without "="."""
        setting = self._last.get(key)
        return None if setting is None else "true" if setting.value is None else setting.value

    def get_all(self, key: str) -> list[str]:
        """Return all values of a key."""
        return [setting.value or "" for setting in self.settings if setting.key == key]

    def boolean(self, key: str, default: bool = False) -> bool:
        """Return a setting as a truth value. Raises GitError for another word."""
        setting = self._last.get(key)
        if setting is None:
            return default
        result = parse_boolean(setting.value)
        if result is None:
            raise GitError(f"bad boolean config value '{setting.value}' for '{key}'")
        return result

    def integer(self, key: str, default: int) -> int:
        """Return a setting as a number. Raises GitError for another word."""
        setting = self._last.get(key)
        if setting is None or setting.value is None:
            return default
        result = parse_integer(setting.value)
        if result is None:
            raise GitError(f"bad numeric config value '{setting.value}' for '{key}': invalid unit")
        return result

    def fault(self, key: str) -> GitError:
        """Return the error for a setting that does not have a value which git knows."""
        setting = self._last[key]
        if setting.scope == "command":
            return GitError(f"unable to parse '{key}' from command-line config")
        return GitError(f"bad config variable '{key}' in file '{setting.origin.removeprefix('file:')}'")

    def subsections(self, section: str) -> list[str]:
        """Return the names of the subsections of a section ("remote"), in order."""
        names: dict[str, None] = {}
        for setting in self.settings:
            head, _, rest = setting.key.partition(".")
            if head == section and "." in rest:
                names[rest.rpartition(".")[0]] = None
        return list(names)


def parse_boolean(value: str | None) -> bool | None:
    """Return a truth value; None for a word that is not one. A key without "=" is true."""
    if value is None:
        return True
    word = value.lower()
    if word in ("true", "yes", "on"):
        return True
    if word in ("false", "no", "off", ""):
        return False
    number = parse_integer(value)
    return None if number is None else number != 0


def parse_integer(value: str) -> int | None:
    """Return a number with an optional unit k, m or g."""
    text = value.strip().lower()
    unit = text[-1:] if text[-1:] in ("k", "m", "g") else ""
    digits = text[: len(text) - len(unit)]
    if not is_integer(digits) or len(digits) > 18:
        return None
    return int(digits) * _UNITS[unit]


def normalize_key(key: str) -> str | None:
    """Return a key with section and variable in lower case, None for a wrong one."""
    section, dot, rest = key.partition(".")
    subsection, inner, variable = rest.rpartition(".")
    if not dot or not section or not variable or not variable[0].isalpha():
        return None
    if not all(c.isascii() and (c.isalnum() or c == "-") for c in section + variable):
        return None
    return f"{section.lower()}.{subsection}{inner}{variable.lower()}"


class Event(Record):
    """A part of a file of settings: "section", "entry", "comment" or "space", from an offset to another one.

    Fields:
        key: The key of an entry; the beginning of keys that a section has, with a dot.
    """

    kind: str
    start: int
    end: int
    key: str = ""
    value: str | None = None


def config_events(text: str, origin: str) -> list[Event]:
    """Return the parts of the text of a file. Raises GitError for a wrong line."""
    return list(_Parser(text, origin).events())


class _Parser:
    """Reads the text of one file."""

    def __init__(self, text: str, origin: str, source: str = "file") -> None:
        self.source = source
        self.text = text.removeprefix("\ufeff")
        self.origin = origin
        self.at = 0
        self.line = 1

    def _next(self) -> str:
        if self.at >= len(self.text):
            return ""
        c = self.text[self.at]
        self.at += 1
        if c == "\r" and self.text[self.at : self.at + 1] == "\n":
            c = "\n"
            self.at += 1
        if c == "\n":
            self.line += 1
        return c

    def _fault(self) -> GitError:
        if self.source == "blob":
            text = f"bad config line {self.line} in {self.origin}\nfatal: error processing config file(s)"
            return GitError(text, prefix="error")
        return GitError(
            f"bad config line {self.line} in {'' if self.source != 'file' else 'file '}{self.origin}"
        )

    def read(self) -> Iterator[tuple[str, str | None]]:
        section = ""
        while c := self._next():
            if c.isspace():
                continue
            if c in "#;":
                self._skip_line()
            elif c == "[":
                section = self._section()
            elif c.isalpha() and c.isascii() and section:
                yield self._variable(c, section)
            else:
                raise self._fault()

    def events(self) -> Iterator[Event]:
        """Yield the parts of the text in order; nothing is between them."""
        section, blank = "", -1
        while True:
            start = self.at
            c = self._next()
            if c.isspace():
                blank = start if blank < 0 else blank
                continue
            if blank >= 0:
                yield Event("space", blank, start)
                blank = -1
            if not c:
                return
            if c in "#;":
                self._skip_line()
                yield Event("comment", start, self.at)
            elif c == "[":
                section = self._section()
                yield Event("section", start, self.at, section)
            elif c.isalpha() and c.isascii() and section:
                key, value = self._variable(c, section)
                yield Event("entry", start, self.at, key, value)
            else:
                raise self._fault()

    def _skip_line(self) -> None:
        while self._next() not in ("", "\n"):
            pass

    def _section(self) -> str:
        name = ""
        while (c := self._next()) != "]":
            if c in (" ", "\t"):
                return f"{name.lower()}.{self._subsection()}."
            self.line -= c == "\n"
            if not (c and c.isascii() and (c.isalnum() or c in "-.")):
                raise self._fault()
            name += c
        return name.lower() + "."

    def _subsection(self) -> str:
        while (c := self._next()) in (" ", "\t"):
            pass
        if c != '"':
            self.line -= c == "\n"
            raise self._fault()
        pieces = []
        while (c := self._next()) != '"':
            if c == "\\":
                c = self._next()
            if c in ("", "\n"):
                self.line -= c == "\n"
                raise self._fault()
            pieces.append(c)
        if self._next() != "]":
            raise self._fault()
        return "".join(pieces)

    def _variable(self, first: str, section: str) -> tuple[str, str | None]:
        if (plain := _PLAIN_LINE.match(self.text, self.at)) is not None:
            self.at = plain.end()
            self.line += 1
            return section + (first + plain[1]).lower(), plain[2]
        name = first
        while (c := self._next()) and c.isascii() and (c.isalnum() or c == "-"):
            name += c
        while c in (" ", "\t") and c:
            c = self._next()
        key = section + name.lower()
        if c in ("", "\n"):
            return key, None
        if c in "#;":
            self._skip_line()
            return key, None
        if c != "=":
            raise self._fault()
        return key, self._value()

    def _value(self) -> str:
        pieces: list[str] = []
        quoted = False
        end = 0  #: pieces up to the last character that is not a trailing blank
        while (c := self._next()) not in ("", "\n"):
            if c.isspace() and not quoted:
                if pieces:
                    pieces.append(" " if c != "\t" else c)
                continue
            if c in "#;" and not quoted:
                self._skip_line()
                return "".join(pieces[:end])
            if c == "\\":
                c = self._next()
                if c == "\n":
                    continue
                if c not in _ESCAPES:
                    raise self._fault()
                pieces.append(_ESCAPES[c])
            elif c == '"':
                quoted = not quoted
            else:
                pieces.append(c)
            end = len(pieces)
        if quoted:
            self.line -= c == "\n"
            raise self._fault()
        return "".join(pieces[:end])


class ConfigReader:
    """Reads the files of settings.

    Args:
        git_dir: The repository, for ``includeIf "gitdir:..."``; "" outside of one.
        branch: The checked-out branch, for ``includeIf "onbranch:..."``.
        urls: Returns the URLs of all remotes, for ``includeIf "hasconfig:remote.*.url:..."``.
    """

    def __init__(
        self,
        access: Access,
        home: str,
        git_dir: str,
        branch: str,
        urls: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        self._urls = urls
        self._access = access
        self._home = home
        self._git_dir = git_dir
        self._branch = branch

    def blob(self, data: bytes, name: str, source: str = "blob") -> Iterator[Setting]:
        """Yield the settings of a text that is not a file."""
        for key, value in _Parser(decode(data), f"{source} {name}".rstrip(), source).read():
            self._access.charge(1)
            yield Setting(key, value, "command", f"{source}:{name}")

    def file(
        self, path: str, scope: str, depth: int = 0, shown: str = "", *, follows: bool = True
    ) -> Iterator[Setting]:
        """Yield the settings of a file, and with ``follows`` of the files that it includes. A missing file has none."""
        text = self._access.text_or_none(path)
        if text is None:
            return
        self._access.charge(1 + (len(text) >> 4))
        if depth > _INCLUDES:
            raise GitError(f"exceeded maximum include depth ({_INCLUDES}) while including\n\t{path}")
        self._access.ctx.budget.check_fits(len(text) * 8)
        parser = _Parser(text, shown or path)
        for key, value in parser.read():
            self._access.charge(1)
            yield Setting(key, value, scope, f"file:{shown or path}", parser.line - 1)
            if follows and value is not None and self._includes(key, path):
                yield from self.file(self._included(value, path), scope, depth + 1)

    def of_command(self, setting: Setting) -> Iterator[Setting]:
        """Yield the settings of a file that a setting of the command line includes. Raises GitError."""
        if setting.value is None or not self._includes(setting.key, ""):
            return
        if not setting.value.startswith(("/", "~/")):
            raise _command_fault("relative config includes must come from files")
        yield from self.file(self._included(setting.value, ""), setting.scope, 1)

    def _included(self, value: str, path: str) -> str:
        if value.startswith("~/"):
            return f"{self._home}/{value[2:]}"
        return value if value.startswith("/") else f"{path.rpartition('/')[0]}/{value}"

    def _includes(self, key: str, path: str) -> bool:
        if key == "include.path":
            return True
        if not (key.startswith("includeif.") and key.endswith(".path")):
            return False
        kind, _, pattern = key[len("includeif.") : -len(".path")].partition(":")
        if kind == "onbranch":
            return bool(self._branch) and wildmatch(
                pattern + "**" if pattern.endswith("/") else pattern, self._branch, self._access.charge
            )
        if kind == "hasconfig" and pattern.startswith(_REMOTE_URLS):
            glob = pattern.removeprefix(_REMOTE_URLS)
            return any(wildmatch(glob, url, self._access.charge) for url in self._urls())
        if kind not in ("gitdir", "gitdir/i") or not self._git_dir:
            return False
        if pattern.startswith("~/"):
            pattern = f"{self._home}/{pattern[2:]}"
        elif pattern.startswith("./"):
            pattern = f"{path.rpartition('/')[0]}/{pattern[2:]}"
        elif not pattern.startswith("/"):
            pattern = f"**/{pattern}"
        pattern += "**" if pattern.endswith("/") else ""
        return wildmatch(pattern, self._git_dir, self._access.charge, ignore_case=kind == "gitdir/i")


def from_environment(environment: Mapping[str, str]) -> Iterator[Setting]:
    """Yield the settings of GIT_CONFIG_COUNT with its keys and values, and those of GIT_CONFIG_PARAMETERS."""
    yield from _counted(environment)
    yield from _parameters(environment.get("GIT_CONFIG_PARAMETERS", ""))


def _parameters(text: str) -> Iterator[Setting]:
    """Yield what ``git -c`` leaves for other processes: quoted 'KEY=VALUE', 'KEY'='VALUE', and 'KEY'= without a value."""
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        match = _PARAMETER.match(text, at)
        if match is None:
            raise _command_fault("bogus format in GIT_CONFIG_PARAMETERS")
        key, value = _unquoted(match[1]), None
        if match[2] is None:
            key, equals, rest = key.partition("=")
            value = rest if equals else None
        elif match[3] is not None:
            value = _unquoted(match[3])
        yield command_setting(key, value)
        at = match.end()


def _unquoted(text: str) -> str:
    return _ESCAPED.sub(r"\1", text[1:-1])


def _counted(environment: Mapping[str, str]) -> Iterator[Setting]:
    count = environment.get("GIT_CONFIG_COUNT", "")
    if not count:
        return
    if not is_number(count):
        raise _command_fault("bogus count in GIT_CONFIG_COUNT")
    for number in range(min(int(count[:9]), len(environment))):
        key = environment.get(f"GIT_CONFIG_KEY_{number}")
        value = environment.get(f"GIT_CONFIG_VALUE_{number}")
        if key is None or value is None:
            missing = "KEY" if key is None else "VALUE"
            raise _command_fault(f"missing config {missing.lower()} GIT_CONFIG_{missing}_{number}")
        yield command_setting(key, value)


def key_fault(key: str) -> str:
    """Return what is wrong with a key."""
    section, dot, rest = key.rpartition(".")
    if not dot or not section:
        return f"key does not contain a section: {key}"
    return f"invalid key: {key}" if rest else f"key does not contain variable name: {key}"


def command_setting(key: str, value: str | None) -> Setting:
    """Return a setting of ``-c KEY=VALUE``. Raises GitError for a wrong key."""
    normal = normalize_key(key)
    if normal is None:
        raise _command_fault(key_fault(key) if key else "empty config key")
    return Setting(normal, value, "command", "command line:")


def _command_fault(reason: str) -> GitError:
    return GitError(f"{reason}\nfatal: unable to parse command-line config", prefix="error")
