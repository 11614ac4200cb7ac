"""git config: print settings, and change them where the caller of the sandbox allows it.

Source: git-config(1).
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.options import also, opt, option_set
from sandhook.pattern.errors import PatternError
from sandhook.pattern.posix import compile_ere
from sandhook.utilities.git.arguments import Parser
from sandhook.utilities.git.commands.settings.queries import (
    check_operands,
    match_settings,
    write_color,
    write_color_truth,
)
from sandhook.utilities.git.errors import GitError, OptionFault
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.names.colors import parse_color
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.access import encode
from sandhook.utilities.git.store.config import (
    Config,
    ConfigReader,
    Setting,
    key_fault,
    normalize_key,
    parse_boolean,
    parse_integer,
)
from sandhook.utilities.git.store.repository import global_files, read_settings
from sandhook.vfs.path import VirtualPath, join

_NOT_FOUND = 1
_TYPES = (None, "bool", "int", "bool-or-int", "bool-or-str", "path", "expiry-date", "color")
_TRUTHS = ("true", "yes", "on", "false", "no", "off", "")
_QUERIES = ("get-color", "get-colorbool", "get-urlmatch")


@option_set
class Options:
    """Options of git config."""

    action: str | None = also(
        opt("--get", const="get", default=None), opt("--get-all", const="get-all"), opt("--get-regexp", const="get-regexp"),
        opt("-l", const="list"), opt("--list", const="list"), opt("--get-urlmatch", const="get-urlmatch"),
        opt("--add", const="--add"), opt("--unset", const="--unset"), opt("--unset-all", const="--unset-all"),
        opt("--replace-all", const="--replace-all"), opt("--rename-section", const="--rename-section"),
        opt("--remove-section", const="--remove-section"), opt("-e", const="--edit"), opt("--edit", const="--edit"),
        opt("--get-color", const="get-color"), opt("--get-colorbool", const="get-colorbool"),
    )  # fmt: skip
    scope: str | None = also(
        opt("--global", const="global", default=None), opt("--system", const="system"), opt("--local", const="local"),
        opt("--worktree", const="worktree"),
    )  # fmt: skip
    file: str | None = also(opt("-f", "FILE", ""), opt("--file", "FILE", ""))
    blob: str | None = opt("--blob", "BLOB", "")
    type: str | None = also(
        opt("--type", "TYPE", ""), opt("--bool", const="bool"), opt("--int", const="int"), opt("--path", const="path"),
        opt("--bool-or-int", const="bool-or-int"), opt("--bool-or-str", const="bool-or-str"),
        opt("--expiry-date", const="expiry-date"), opt("--no-type", const=None),
    )  # fmt: skip
    nul: bool = also(opt("-z"), opt("--null"))
    name_only: bool = opt("--name-only")
    show_origin: bool = opt("--show-origin")
    show_scope: bool = opt("--show-scope")
    default: str | None = opt("--default", "VALUE", "")
    includes: bool | None = also(opt("--includes", default=None), opt("--no-includes", const=False))
    fixed: bool = opt("--fixed-value")


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Return 0; 1 if the key is not set."""
    modes = ("action",), ("scope", "file", "blob"), ("type",)
    try:
        parsed = Parser(Options, modes=modes, stop=True).parse(arguments)
    except OptionFault as fault:
        raise _in_words_of_config(fault) from None
    options, operands = parsed.of(Options), [*parsed.operands, *(parsed.paths or ())]
    action = options.action
    if action is None:
        if not operands:
            raise GitError("usage: git config [<options>]", prefix="", status=129)
        action = "get" if len(operands) == 1 else "set"
    _check_applies(options, action)
    if action.startswith("--") or action == "set":
        from sandhook.utilities.git.commands.settings.changes import Place, change

        return change(call, Place(options.scope, options.file, options.type, options.fixed), action, operands)
    if action in ("get", "get-all") and operands and normalize_key(operands[0]) is None:
        raise GitError(key_fault(operands[0]), prefix="error", status=1)  # before any setting is read
    if options.type not in _TYPES:
        raise GitError(f"unrecognized --type argument, {options.type}")
    config = _Printer(call, options)
    settings = config.settings()
    if action == "list":
        if operands:
            raise OptionFault("wrong number of arguments, should be 0")
        for setting in settings:
            config.write(setting, with_key=True)
        return 0
    if action in _QUERIES:
        return _query(call, config, settings, action, operands)
    if not operands or len(operands) > 2:
        raise OptionFault("wrong number of arguments, should be from 1 to 2")
    return config.find(settings, action, operands)


def _check_applies(options: Options, action: str) -> None:
    """Raise OptionFault for options that the action does not have."""
    finds = ("get", "get-all", "get-regexp")
    if options.name_only and action not in ("list", "get-regexp"):
        raise OptionFault("--name-only is only applicable to --list or --get-regexp")
    if options.show_origin and action not in (*finds, "list"):
        raise OptionFault("--show-origin is only applicable to --get, --get-all, --get-regexp, and --list")
    if options.default is not None and action != "get":
        raise OptionFault("--default is only applicable to --get")


def _in_words_of_config(fault: OptionFault) -> OptionFault:
    """Return the error for options that exclude each other as git config has it."""
    if "incompatible" not in str(fault):
        return fault
    flags = dict.fromkeys(("global", "system", "local", "worktree", "f", "file", "blob"), "config file")
    flags |= dict.fromkeys(
        ("type", "bool", "int", "path", "bool-or-int", "bool-or-str", "expiry-date"), "type"
    )
    name = str(fault).partition("`")[2].partition("'")[0]
    return OptionFault(f"only one {flags.get(name, 'action')} at a time")


def _query(
    call: Invocation, config: _Printer, settings: list[Setting], action: str, operands: Sequence[str]
) -> int:
    """Answer --get-color, --get-colorbool and --get-urlmatch."""
    check_operands(action, operands)
    if action == "get-color":
        return write_color(call, settings, operands)
    if action == "get-colorbool":
        return write_color_truth(call, settings, operands)
    found = match_settings(settings, operands)
    for setting in found:
        config.write(setting, with_key="." not in operands[0])
    return 0 if found else _NOT_FOUND


class _Printer:
    """Selects and prints settings."""

    def __init__(self, call: Invocation, options: Options) -> None:
        self.call = call
        self.options = options

    def settings(self) -> list[Setting]:
        """Return the settings of the files that the options name."""
        call, options = self.call, self.options
        environment = call.options.environment
        reader = ConfigReader(call.access, environment.get("HOME", ""), "", "")
        if options.blob is not None:
            return self._of_blob(reader, options.blob)
        if options.file == "-":
            with call.ctx.stdin_reader() as stdin:
                return list(reader.blob(stdin.read_all(), "", "standard input"))
        if options.file is not None:
            path = join(VirtualPath(call.options.cwd), options.file)
            if call.access.stat(path, follow=True) is None:
                if options.action != "list":
                    return []
                raise GitError(f"unable to read config file '{options.file}': No such file or directory")
            if call.access.is_dir(path):
                call.error(f"warning: unable to access '{options.file}': Is a directory")
                return []
            return list(reader.file(path, "command", shown=options.file, follows=options.includes is True))
        if options.scope == "global":
            return [each for path in global_files(environment) for each in reader.file(path, "global")]
        repository = call.find_repository()
        if options.scope in ("local", "worktree") and repository is None:
            raise GitError("--local can only be used inside a git repository")
        place = repository.place if repository is not None else None
        every = list(read_settings(call.access, call.options, place))
        if options.scope is None:
            return every
        if options.scope == "worktree" and not Config(every).boolean("extensions.worktreeconfig"):
            return [each for each in every if each.scope == "local"]
        return [each for each in every if each.scope == options.scope]

    def _of_blob(self, reader: ConfigReader, name: str) -> list[Setting]:
        """Return the settings of a file in the repository. Raises GitError for a name that is not one."""
        repository = self.call.repository
        oid = Names(repository).find(name)
        found = None if oid is None else repository.objects.find(oid)
        if found is None:
            self.call.error(f"error: unable to resolve config blob '{name}'")
        elif found.kind != "blob":
            self.call.error(f"error: reference '{name}' does not point to a blob")
        else:
            return list(reader.blob(found.data, name))
        if self.options.action == "list":
            raise GitError("error processing config file(s)")
        raise GitError("", prefix="", status=1)

    def find(self, settings: list[Setting], action: str, operands: list[str]) -> int:
        """Print the settings of a key; return 1 if it does not exist."""
        value_matches = self._value_pattern(operands[1] if len(operands) > 1 else None)
        if action == "get-regexp":
            pattern = self._compile(self._lowered(operands[0]), "key pattern")
            found = [
                each
                for each in settings
                if pattern.search(encode(each.key)) is not None and value_matches(each.value or "")
            ]
            for each in found:
                self.write(each, with_key=True)
            return 0 if found else _NOT_FOUND
        key = normalize_key(operands[0])
        if key is None:
            raise GitError(key_fault(operands[0]), prefix="error", status=1)
        found = [each for each in settings if each.key == key and value_matches(each.value or "")]
        if not found and self.options.default is not None:
            found = [Setting(key, self.options.default, "command", "command line:")]
        for each in found if action == "get-all" else found[-1:]:
            self.write(each, with_key=False)
        return 0 if found else _NOT_FOUND

    def _lowered(self, pattern: str) -> str:
        """Return a pattern with section and variable in lower case."""
        section, dot, rest = pattern.partition(".")
        middle, inner, variable = rest.rpartition(".")
        return f"{section.lower()}{dot}{middle}{inner}{variable.lower()}"

    def _compile(self, pattern: str, name: str = "pattern"):  # type: ignore[no-untyped-def]
        try:
            return compile_ere(pattern)
        except PatternError:
            raise GitError(f"invalid {name}: {pattern}", prefix="error", status=6) from None

    def _value_pattern(self, pattern: str | None):  # type: ignore[no-untyped-def]
        if pattern is None:
            return lambda value: True
        if self.options.fixed:
            return lambda value: value == pattern
        negated = pattern.startswith("!")
        regex = self._compile(pattern[1:] if negated else pattern)
        return lambda value: (regex.search(encode(value)) is not None) != negated

    def _typed(self, setting: Setting) -> str | None:
        """Return the value in the form of --type."""
        value, kind = setting.value, self.options.type
        if kind is None or self.options.action == "list":  # lists have no types
            return value
        if kind == "bool":
            truth = parse_boolean(value)
            if truth is None:
                raise GitError(f"bad boolean config value '{value}' for '{setting.key}'")
            return "true" if truth else "false"
        if kind in ("int", "bool-or-int"):
            number = parse_integer(value or "")
            if number is None and kind == "bool-or-int" and (truth := parse_boolean(value)) is not None:
                return "true" if truth else "false"
            if number is None:
                raise GitError(
                    f"bad numeric config value '{value}' for '{setting.key}'{self._place(setting)}: invalid unit"
                )
            return str(number)
        if kind == "bool-or-str":
            truth = parse_boolean(value) if (value or "").lower() in _TRUTHS or value is None else None
            return value if truth is None else "true" if truth else "false"
        if kind == "path":
            home = self.call.options.environment.get("HOME", "")
            return home + value[1:] if value is not None and value.startswith("~/") else value
        if kind == "color":
            color = parse_color(value or "")
            if color is None:
                text = f"invalid color value: {value}"
                if setting.line:
                    text += f"\nfatal: bad config line {setting.line}{self._place(setting)}"
                elif setting.scope == "command":
                    text += "\nfatal: unable to parse command-line config"
                raise GitError(text, prefix="error")
            return color
        raise GitError(f"--type={kind} is not offered in the sandbox (L-GIT-003)", status=129)

    def _place(self, setting: Setting) -> str:
        """Return " in file X" for a setting of a file."""
        kind, _, name = setting.origin.partition(":")
        return f" in file {name}" if kind == "file" else ""

    def write(self, setting: Setting, *, with_key: bool) -> None:
        """Print one setting."""
        options = self.options
        value = self._typed(setting)
        tab, end = ("\0", "\0") if options.nul else ("\t", "\n")
        text = (setting.scope + tab) * options.show_scope + (setting.origin + tab) * options.show_origin
        if not with_key:
            text += value or ""
        elif options.name_only:
            text += setting.key
        else:
            separator = "\n" if options.nul else "=" if options.action == "list" else " "
            text += setting.key + (separator + value if value is not None else "")
        self.call.ctx.write(encode(text + end))
