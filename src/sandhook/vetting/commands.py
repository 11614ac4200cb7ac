"""What a command line does: its program's own effect, and what it executes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sandhook.dispatch.operands import LANGUAGES, LOADERS, SHELLS, base_name, execution, is_system_program
from sandhook.dispatch.ownline import is_own
from sandhook.dispatch.wrappers import is_wrapper
from sandhook.syntax import nodes as ast
from sandhook.syntax.unparse import unparse
from sandhook.vetting.bundle import Language, interpreters_of, language_of
from sandhook.vetting.call import Call, access_unknown, only_parses
from sandhook.vetting.contents import PROGRAMS
from sandhook.vetting.effects import EFFECTS, finish
from sandhook.vetting.effects.files import FILTERS
from sandhook.vetting.effects.finding import path_of_program
from sandhook.vetting.effects.other import unknown
from sandhook.vetting.effects.shell import BUILTINS
from sandhook.vetting.following import Following
from sandhook.vetting.languages import INTERPRETERS, Languages
from sandhook.vetting.places import SHELL_SCRIPTS, places_of
from sandhook.vetting.policy import METADATA, executed, named
from sandhook.vetting.rules import RuleId
from sandhook.vetting.scratch import PURE, WITHOUT_INPUT, decodes
from sandhook.vetting.shapes import hidden_program, is_disguised, is_pattern
from sandhook.vetting.starting import started
from sandhook.vetting.state import PAYLOAD, ShellState
from sandhook.vetting.tests import of_pattern
from sandhook.vetting.values import EMPTY, HOLE, NOTHING, UNKNOWN, Origin, Origins, Value, concatenated, known
from sandhook.vetting.variables import check_assignment

#: Words of many programs by which they start another one.
_STARTED = re.compile(r"(?:ProxyCommand|LocalCommand)[= ](.+)|^(?:\+|:)!(.+)", re.DOTALL)

#: The most texts that a command's input may have for its output to be computed.
_MOST_INPUTS = 4

#: Programs whose output is their input, or computed.
_PASSING = PURE | BUILTINS | frozenset(FILTERS)

#: Commands whose words are texts.
_PRINTING = frozenset(
    {"echo", "printf", "grep", "egrep", "fgrep", "rgrep", "rg", "jq", "cat", "[", "test", "git"}
)

#: A program of an editor, a debugger or another language that starts a shell, or reaches the network.
_STARTS_SHELL = re.compile(
    r"\b(?:curl|wget|ncat?|socat)\b[^\n]*(?:\||;|&&)|/dev/tcp/|\b(?:syscmd|esyscmd|shell-command|call-process|spawn)\b[^\n]*(?:sh|curl|wget)\b"
)

#: Directories in which programs keep data, and hidden files in hidden directories.
_KEPT = re.compile(
    r"^~/(?:\.cache|\.config|\.local/(?:share|state)|\.[Tt]rash|Library/Caches)/|^(?:\./)?(?:[^/]+/)*\.cache/|^~/\.[^/]+/(?:[^/]+/)*\.[^/]+$|^(?:\./)?\.git/(?!hooks/)"
)


class Commands(Languages):
    """Follows command lines for a walker."""

    def __init__(self, walker: Following) -> None:
        self._walker = walker
        self.notes = walker.notes

    def run(
        self, fields: Sequence[Value], nodes: Sequence[ast.Word], state: ShellState, node: ast.SimpleCommand
    ) -> Value:
        """Follow a simple command; return its output."""
        at = self._walker.place(node)
        if nodes and is_disguised(nodes[0]):
            self.notes.find(
                "V-OBFUSCATED", f"the name {fields[0].any_text} is quoted letter by letter", self._file, at
            )
        if nodes and is_pattern(nodes[0]):
            self.notes.find("V-OBFUSCATED", f"the name {unparse(nodes[0])} is a pattern", self._file, at)
        return self.line(fields, state, at)

    def line(self, fields: Sequence[Value], state: ShellState, at: tuple[int, int], depth: int = 0) -> Value:
        """Follow a command line; its first field is the command."""
        if not fields:
            return EMPTY
        outputs = [self._named(text, fields, state, at, depth) for text in fields[0].texts or (HOLE,)]
        return outputs[0] if len(outputs) == 1 else concatenated(outputs[:1]).without_text()

    def _named(
        self, name: str, fields: Sequence[Value], state: ShellState, at: tuple[int, int], depth: int
    ) -> Value:
        first = fields[0]
        if (program := hidden_program(name)) is not None and depth < 8:
            self.notes.find("V-OBFUSCATED", f"the name {name} is a pattern", self._file, at)
            return self.line([known(program), *fields[1:]], state, at, depth + 1)
        if depth == 0 and self._some_function(name, fields, state):
            return Value((HOLE,), first.origins)
        if HOLE in name and (name == HOLE or not name.startswith(("~", ".", "/"))):
            self._computed(first, name, at)
            if name == HOLE and len(fields) > 1 and fields[1].known and depth < 8:  # $SUDO tee FILE
                return self.line(fields[1:], state, at, depth + 1)
            return Value((HOLE,), first.origins)
        if first.has("decoded", "assembled") or "letters" in first.names("mixed"):
            self.notes.find("V-OBFUSCATED", f"the command {name} is put together from pieces", self._file, at)
        if " " in name and len(fields) == 1 and HOLE not in name:  # no field splitting was seen
            return self._walker.text(name, state, at)
        if " " in name.strip() and HOLE not in name and "/" not in name and depth < 8:
            words = [Value((word,), first.origins) for word in name.split()]
            return self.line([*words, *fields[1:]], state, at, depth + 1)
        if name in state.functions and depth == 0:
            self._walker.called(name)
            return self._walker.function(state.functions[name], fields[1:], state)
        arguments = list(fields[1:])
        program = base_name(name)
        if name not in BUILTINS and ("/" not in name or is_system_program(name)):
            self.notes.programs.setdefault(program)
        if "/" in name and not is_system_program(name):
            output = self.run_file(Value((name,), first.origins), state, arguments, at)
            if name[0] not in "/~" or program not in INTERPRETERS:
                return output
        call = Call(program, arguments, state, (self._file, at), self)
        if program in ("grep", "egrep", "fgrep", "rgrep", "rg") and call.operands:
            whole = call.has("-x")
            found = of_pattern(call.stdin, "^" if whole else call.operands[0].any_text, expression=True)
            state.tests |= frozenset(filter(None, [found]))
        if program in ("[", "test"):
            self.tested(call)
        if program in ("grep", "egrep", "fgrep", "rgrep", "rg", "[", "test", "jq", "sed"):
            for word in arguments:
                self._walker.seek(word)
        effect = EFFECTS.get(program)
        read: Origins = NOTHING
        result = effect(call) if effect is not None else None
        if effect is None and program not in LANGUAGES and program not in SHELLS and program not in BUILTINS:
            read = access_unknown(call)
            if not is_wrapper(program):
                result = unknown(call)
        self._loaded(call)
        if program not in _PRINTING:
            self._shells_within(call)
        executed = self._executed(call, fields, at, depth, result)
        if executed is not None:
            result = executed if result is None else concatenated((result, executed))
        if result is None:
            result = self._output(call)
            if not (is_wrapper(program) or program in _PASSING):
                result = result.plus(Origin("printed", program), *read)
        return finish(call, result)

    def _some_function(self, name: str, fields: Sequence[Value], state: ShellState) -> bool:
        """Follow the functions that a partly known name may stand for: ``check_$extension``; return whether there are any."""
        functions = [each for each in state.functions if HOLE in name and _fits(each, name)]
        for each in functions:
            self._walker.called(each)
            self._walker.function(state.functions[each], fields[1:], state.branch())
        return bool(functions)

    def _shells_within(self, call: Call) -> None:
        """Follow ``sh -c TEXT`` among the words of a program, which starts it somewhere: in a container, a terminal."""
        texts = call.texts
        for index, text in enumerate(texts[:-2]):
            if base_name(text) in SHELLS and re.fullmatch(r"-[a-z]*c", texts[index + 1]):
                self.run_text(call.words[index + 2], call.state.branch(), f"{call.name}: a shell", call.at)
        if call.name in LOADERS:
            for text in texts:
                if _STARTS_SHELL.search(text):
                    call.find("V-RUN-TEXT", call.line, "high")

    def _loaded(self, call: Call) -> None:
        """Report programs that execute what is in their directory, in an option, or in a file of the network."""
        for text in call.texts:
            if (match := _STARTED.search(text)) is not None:
                self.run_text(
                    Value((match.group(1) or match.group(2),)),
                    call.state.branch(),
                    f"{call.name}: an option",
                    call.at,
                )
        for command in started(call):
            self.run_text(command, call.state.branch(), f"{call.name}: an option", call.at)
        if call.name not in LOADERS and call.name not in LANGUAGES:
            return
        directory = call.state.path(".")
        fetched = self.content_of_parents(directory, call.state) if directory != "." else None
        sources = [
            word for word in call.words if word.texts == (HOLE,) or word.any_text.startswith("/dev/fd")
        ]
        for each in (*sources, *filter(None, [fetched])):
            if each.has("download", "decoded"):
                rule: RuleId = "V-RUN-DOWNLOAD" if each.has("download") else "V-RUN-DECODED"
                call.find(rule)
                return
        for option in call.arguments("-C", "--prefix", "--directory", "--cwd", "-f", "--file"):
            inner = self.content_of_parents(call.state.path(option.any_text), call.state)
            if inner is not None and inner.has("download"):
                call.find("V-RUN-DOWNLOAD")

    def _computed(self, value: Value, name: str, at: tuple[int, int]) -> None:
        self.notes.programs.setdefault("*")
        verdict = named(value, name)
        self.notes.find(verdict.rule, verdict.detail, self._file, at, verdict.severity)

    def _output(self, call: Call) -> Value:
        """Return the output of a command without an effect of its own: computed where all is known."""
        if (call.name == "command" and call.has("-v", "-V")) or (
            call.name == "type" and call.has("-p", "-P")
        ):
            return path_of_program(call)
        texts = [word.text for word in call.words]
        words = [text for text in texts if text is not None]
        encoded = decodes(call.name, call.texts)
        extra = (Origin("decoded", call.name),) if encoded else ()
        stdin = Value(("",)) if call.name in WITHOUT_INPUT else call.stdin
        if len(words) == len(texts) and 0 < len(stdin.texts) == len(stdin.known) <= _MOST_INPUTS:
            outputs = [self._walker.scratch.command([call.name, *words], text) for text in stdin.known]
            made = tuple(dict.fromkeys(each[: 64 << 10] for each in outputs if each is not None))
            if len(outputs) == sum(each is not None for each in outputs):
                return Value(made, stdin.origins | call.origins | frozenset(extra))
        if call.name in WITHOUT_INPUT:
            return Value((HOLE,), call.origins | frozenset(extra))
        if (
            call.name not in BUILTINS and not encoded and call.stdin is PAYLOAD
        ):  # few programs read the hook's own input
            return Value((HOLE,), call.origins)
        return call.passed(*extra)

    # What it executes.

    def _executed(
        self, call: Call, fields: Sequence[Value], at: tuple[int, int], depth: int, result: Value | None
    ) -> Value | None:
        state = call.state
        words = [field.text if HOLE not in field.any_text else None for field in fields]
        words[0] = call.name
        source = state.stdin if call.name not in ("find", "fd") else result or UNKNOWN
        if call.name in ("find", "fd"):  # what it removes is judged by where it looks
            source = source.plus(Origin("mixed", "found"))
        found = execution(words)
        if call.name in SHELLS and only_parses(call):
            return EMPTY
        outputs: list[Value] = []
        own = is_own(words)
        is_language = call.name in LANGUAGES and not own
        if is_language:
            outputs += self._language(call, found, fields, state, at)
        elif own and found.unknown:
            outputs.append(self._own(call, found, fields, at))
        elif found.text is not None:
            inner = state.copy()
            rest = fields[found.text + 1 :]
            inner.zero = rest[0].any_text if rest else "bash"
            inner.positional = tuple(rest[1:])
            outputs.append(self.run_text(fields[found.text], inner, f"{call.name} -c", at))
        elif found.stdin and call.name in SHELLS:
            outputs.append(self.run_text(call.stdin, state.copy(), call.name, at))
        elif call.name in SHELLS and None in words and not found.files:
            outputs.append(self._shell_with_unknown(fields, state, at))
        if not is_language:
            language: Language | None = "shell" if call.name in SHELLS else None
            outputs += [
                self.run_file(fields[index], state, fields[index + 1 :], at, language=language)
                for index in found.files
            ]
        for part in found.parts:
            if depth < 8 and part.start < part.end:
                outputs.append(
                    self._part(
                        fields[part.start : part.end],
                        state,
                        at,
                        depth,
                        source=source if part.computed else None,
                    )
                )
        return concatenated(outputs) if outputs else None

    def _part(
        self,
        fields: Sequence[Value],
        state: ShellState,
        at: tuple[int, int],
        depth: int,
        *,
        source: Value | None,
    ) -> Value:
        """Follow a command line in another one.

        Args:
            source: What becomes arguments: what xargs reads, what find finds.
        """
        inner = state.copy()
        if source is not None:
            extra = source.without_text()
            if len(source.texts) == 1 and source.texts != (HOLE,) and len(source.any_text.split()) < 20:
                more = [Value((word,), source.origins) for word in source.any_text.split()]
            else:
                more = [extra]
            fields = [_replaced(field, extra) for field in fields]
            if is_wrapper(fields[0].any_text) and all(field.any_text[:1] == "-" for field in fields[1:]):
                return self.run_text(source, inner, fields[0].any_text, at)
            if fields[0].text in SHELLS and len(fields) > 1 and fields[1].text == "-c" and len(fields) == 2:
                return self.run_text(extra, inner, "xargs", at)
            fields = [*fields, *more]
            inner.stdin = EMPTY
        return self.line(fields, inner, at, depth + 1)

    def _shell_with_unknown(self, fields: Sequence[Value], state: ShellState, at: tuple[int, int]) -> Value:
        """Follow a shell with words that are not known: ``bash "$file"``, ``sh -c "$text"``."""
        for index, field in enumerate(fields[1:], 1):
            text = field.any_text
            if text == "-c" or (text[:1] == "-" and text.endswith("c") and text[1:2] != "-"):
                value = fields[index + 1] if index + 1 < len(fields) else UNKNOWN
                return self.run_text(value, state.copy(), "sh -c", at)
            if text[:1] != "-":
                return self.run_file(field, state, fields[index + 1 :], at, language="shell")
        return UNKNOWN

    # For effects, see call.Runner.

    def run_text(self, value: Value, state: ShellState, how: str, at: tuple[int, int]) -> Value:
        """Follow a text that a shell executes; return its output."""
        verdict = executed(value, how)
        if verdict is not None:
            self.notes.find(verdict.rule, verdict.detail, self._file, at, verdict.severity)
        outputs = [self._walker.text(text, state, at) for text in value.texts if text.strip(f"{HOLE} \n;")]
        return concatenated(outputs) if outputs else UNKNOWN

    def run_words(
        self, words: Sequence[Value], state: ShellState, at: tuple[int, int], *, own: bool = False
    ) -> Value:
        """Follow a command line whose words are these; return its output."""
        return self.line(words, state, at, 0 if own else 1)

    def run_file(
        self,
        path: Value,
        state: ShellState,
        arguments: Sequence[Value],
        at: tuple[int, int],
        *,
        sourced: bool = False,
        language: Language | None = None,
    ) -> Value:
        """Follow a file that is executed or sourced; see ``call.Runner``."""
        outputs: list[Value] = []
        for text in path.texts:
            name = state.path(text)
            if text in ("/dev/stdin", "/dev/fd/0", "-"):
                outputs.append(self.run_text(state.stdin, state, "a shell", at))
            elif (copied := state.written.get(name, EMPTY).names("program")) and arguments is not None:
                self.notes.find("V-OBFUSCATED", f"runs {copied[0]} under the name {name}", self._file, at)
                outputs.append(self.line([known(copied[0]), *arguments], state, at, 1))
            elif (written := state.written.get(name) or self.content_of_parents(name, state)) is not None:
                outputs.append(self._written(name, written, state, at))
            elif (file := self._walker.bundle.find(name)) is not None:
                language = "shell" if sourced else language
                outputs.append(self._bundled(file, state, arguments, at, sourced=sourced, language=language))
            elif path.has("decoded", "download", "assembled") or text == HOLE:
                outputs.append(
                    self.run_text(path, state, "a shell", at)
                    if not arguments and path.has("decoded", "download")
                    else UNKNOWN
                )
                self._computed(path, text, at)
            elif not is_system_program(name):
                self._outside(name, path, at)
                outputs.append(UNKNOWN)
        return concatenated(outputs) if outputs else UNKNOWN

    def _outside(self, name: str, path: Value, at: tuple[int, int]) -> None:
        """Report a file that is executed and is not of the bundle."""
        self.notes.access(name, "read")
        foreign = name.startswith(("/tmp/", "/var/tmp/", "/dev/shm/", "/Users/Shared/"))
        hidden = name.startswith("~/.") and "/bin/" not in name and name.count("/") <= 3
        foreign = foreign or (
            _KEPT.match(name) is not None and not name.endswith((*SHELL_SCRIPTS, *PROGRAMS))
        )
        place = places_of(name, "read")
        if place is not None and place.rule == "V-READ-ENV-FILE":
            self.notes.find("V-READ-ENV-FILE", f"sources {name}", self._file, at)
        elif path.has("payload") and (
            name == HOLE or any(each != METADATA for each in path.names("payload"))
        ):
            self.notes.find("V-RUN-PAYLOAD", f"executes {name}", self._file, at)
        elif foreign or hidden:
            self.notes.find("V-UNREAD", f"executes {name}", self._file, at, "high" if foreign else "medium")
        else:
            self.notes.find("V-UNREAD", f"executes {name}", self._file, at)

    def _written(self, name: str, content: Value, state: ShellState, at: tuple[int, int]) -> Value:
        """Follow a file that the script itself wrote."""
        if content.has("download", "decoded"):
            rule: RuleId = "V-RUN-DOWNLOAD" if content.has("download") else "V-RUN-DECODED"
            self.notes.find(rule, f"executes {name}, which it wrote", self._file, at)
        else:
            verdict = executed(content, "later")
            severity = verdict.severity if verdict is not None else None
            self.notes.find("V-RUN-WRITTEN", f"executes {name}", self._file, at, severity)
        outputs = [self._walker.text(text, state.branch(), at) for text in content.known]
        return concatenated(outputs) if outputs else UNKNOWN

    def _bundled(
        self,
        file: str,
        state: ShellState,
        arguments: Sequence[Value],
        at: tuple[int, int],
        *,
        sourced: bool,
        language: Language | None,
    ) -> Value:
        """Follow a file of the bundle."""
        known = file in self.notes.files
        self.notes.files.setdefault(file)
        data = self._walker.bundle.files[file]
        if language is None:
            language = language_of(file, data)
            for program in interpreters_of(data):
                self.notes.programs.setdefault(program)
        if language == "other":
            if not known:
                self.code(Value((self._walker.bundle.text(file),)), (1, 1), file)
            return Value((HOLE,), state.stdin.origins)
        if language == "binary":
            self.notes.find("V-UNREAD", f"{file} is a program that cannot be read", self._file, at, "high")
            return UNKNOWN
        if file in self._walker.running and not sourced:
            if not state.conditional:
                self.notes.find("V-EXHAUST", f"{file} starts itself", self._file, at)
            return UNKNOWN
        inner = state if sourced else state.copy()
        outer = inner.positional, inner.zero
        if arguments or not sourced:
            inner.positional = tuple(arguments)
        if not sourced or (inner.zero and file):
            inner.zero = f"./{file}"
        output = self._walker.script(self._walker.bundle.text(file), file, inner)
        inner.positional, inner.zero = outer
        return output

    def call(self, name: str, target: Value, state: ShellState, place: tuple[str, tuple[int, int]]) -> Call:
        """Return a redirection as the effects see it."""
        return Call(name, [target], state, place, self)

    def compute(self, words: Sequence[str], stdin: str) -> str | None:
        """Return the output of a command without effects, or None."""
        return self._walker.scratch.command(words, stdin)

    def all_variables(self) -> Value:
        """Return the value of a list of all variables."""
        self.notes.variables.setdefault("*")
        return Value((HOLE,), frozenset({Origin("environment", "the environment")}))

    def variable(self, name: str) -> Value:
        """Return a variable of the environment."""
        return self._walker.outside(name)

    def assigned(self, name: str, value: Value, call: Call) -> None:
        """Report an assignment to an exported variable."""
        check_assignment(name, value, self.notes, call.file, call.at, exported=True)


def _fits(function: str, name: str) -> bool:
    """Return True for a function that a name may stand for which is known at its begin."""
    begin, _, end = name.partition(HOLE)
    return len(begin) > 2 and HOLE not in end and function.startswith(begin) and function.endswith(end)


def _replaced(field: Value, read: Value) -> Value:
    """Return a word of xargs's command with what xargs reads in place of ``{}``."""
    if not any("{}" in text for text in field.texts):
        return field
    return Value(tuple(text.replace("{}", HOLE) for text in field.texts), field.origins | read.origins)
