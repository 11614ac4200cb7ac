"""What files have: texts that a script writes and reads again, and texts that it prints."""

from __future__ import annotations

import posixpath
import re

from sandhook.syntax import nodes as ast
from sandhook.vetting.bundle import language_of
from sandhook.vetting.call import Call
from sandhook.vetting.effects.files import is_found
from sandhook.vetting.effects.programs import DOWNLOADS
from sandhook.vetting.following import Following
from sandhook.vetting.notes import Notes
from sandhook.vetting.places import SHELL_SCRIPTS, places_of
from sandhook.vetting.policy import executed, is_told, local, removed, starts_something
from sandhook.vetting.said import approves, commands_told, order_in, unseen_in
from sandhook.vetting.state import ENV_FILE_PATH, ShellState
from sandhook.vetting.tests import is_whim
from sandhook.vetting.values import HOLE, Origin, Value, known

#: Endings of files that are read by people, and of programs.
_PROSE = (".md", ".txt", ".rst", ".log", ".jsonl", ".html")

#: An answer with another input for a tool, and with another text of a file.
_NEW_INPUT = re.compile(r"updated_?[iI]nput|modified_?[aA]rgs|new_?[iI]nput|tool_input\W{1,4}\{")

_ELSEWHERE = re.compile(r"https?://([\w.-]+\.\w+)")
#: Files of a build that have commands or code.
_EXECUTED = re.compile(
    r"(?:^|/)(?:GNUmakefile|[Mm]akefile|conftest\.py|setup\.py|noxfile\.py|build\.rs|Rakefile|Gemfile|manage\.py|Gruntfile\.js|[Gg]ulpfile\.\w+|configure|[Jj]ustfile|CMakeLists\.txt)$"
    r"|\.(?:mk|gradle|config\.[cm]?[jt]s)$|Dockerfile"
)
_NEW_TEXT = re.compile(r"\b(?:content|new_string|contents|new_str)\b")

_JSON_TEXT = re.compile(r'"([^"\n]{4,})"')

_SHELL_LINE = re.compile(r"#!\s*/(?:\S*/env\s+)?[^\s]*sh\b")

PROGRAMS = (".py", ".pth", ".js", ".cjs", ".mjs", ".ts", ".rb", ".pl", ".php", ".lua")


class Contents:
    """The files of the scripts of one hook.

    A subclass follows commands.
    """

    _walker: Following
    notes: Notes

    #: Whether the output of the present command goes to a file, and so is not shown to a model.
    to_file = False

    @property
    def _file(self) -> str:
        return self._walker.file

    def run_text(self, value: Value, state: ShellState, how: str, at: tuple[int, int]) -> Value:
        """Follow a text that a shell executes; return its output."""
        raise NotImplementedError

    def call(self, name: str, target: Value, state: ShellState, place: tuple[str, tuple[int, int]]) -> Call:
        """Return a redirection as the effects see it."""
        raise NotImplementedError

    def code(self, value: Value, at: tuple[int, int], file: str | None = None) -> None:
        """Report what a program of another language does."""
        raise NotImplementedError

    def content_of_parents(self, path: str, state: ShellState) -> Value | None:
        """Return what a directory has that a path is in, where the script filled it."""
        while path not in ("/", "~", ".", ""):
            if path in state.written:
                return state.written[path]
            path = posixpath.dirname(path)
        return None

    def stored(self, content: Value, path: Value, call: Call) -> None:
        """Report a program in a text that is written to a file: it runs a download, or is in another language."""
        name = path.any_text
        if name.startswith("/dev/"):
            return
        place = places_of(call.state.path(name), "write")
        if place is not None and place.rule == "V-INSTRUCTIONS" and is_told(content):
            call.find("V-INSTRUCTIONS", f"writes {name}: {content.any_text}", "high")
        if name.endswith(_PROSE) and (place is None or place.rule != "V-PIPELINE"):
            return
        if HOLE in name and call.name != "curl":
            for text in content.texts:
                if starts_something(text) and not _SHELL_LINE.match(text):
                    call.find(
                        "V-REWRITE",
                        f"puts into {name}: {text}",
                        "high" if path.has("payload", "file") else None,
                    )
        build = place is not None and place.rule == "V-PIPELINE" and place.severity is not None
        if build and content.has("download", "decoded", "secret"):
            call.find("V-PIPELINE", f"writes {name}", "high")
        for text in content.texts:
            if build:
                self.changed(text, path, call)
            if text.strip(f"{HOLE} \n") and (name.endswith(SHELL_SCRIPTS) or _SHELL_LINE.match(text)):
                inner = call.state.branch()
                inner.functions = {}
                self._walker.text(text, inner, call.at)
            if (found := DOWNLOADS.search(text)) is not None:
                call.find("V-DOWNLOAD-EXEC", f"writes to {name}: {found.group()}")
            if name.endswith(PROGRAMS):
                self.code(Value((text,)), call.at)

    def changed(self, text: str, path: Value, call: Call) -> None:
        """Report a text that becomes a part of a file of a build, if it starts something there."""
        name = call.state.path(path.any_text)
        place = places_of(name, "write")
        if place is None or place.rule != "V-PIPELINE" or not text.strip(f"{HOLE} \n"):
            return
        if starts_something(text):
            call.find("V-PIPELINE", f"writes to {name}: {text}", "high")
        elif name.rpartition("/")[2].startswith(("requirements", "go.mod", "Gemfile")) and call.name != "sed":
            call.find("V-PACKAGE-SOURCE", f"adds to {name}: {text}")

    def lasting(self, content: Value, call: Call) -> None:
        """Report a text that later shells execute."""
        if content.has("download", "decoded", "payload", "secret"):
            verdict = executed(content.without_text(), "later shells")
            if verdict is not None:
                call.find(verdict.rule, verdict.detail, verdict.severity)
        for each in content.known or content.texts:
            self._walker.persist(each, call.state, call.at)

    def source(self, target: Value, state: ShellState, node: ast.Node, file: str) -> Value:
        """Return what a file has that a command reads as its input."""
        call = self.call("<", target, state, (file, self._walker.place(node)))
        self.connection(target, state, call.at, file)
        origins = call.reads([target])
        for text in target.texts:
            written = self.content(state.path(text), state)
            if written is not None and self._walker.bundle.find(state.path(text)) in self._walker.running:
                origins |= {Origin("assembled", "its own text")}
            if written is not None:
                return written.plus(*origins)
        return Value((HOLE,), origins)

    def content(self, path: str, state: ShellState) -> Value | None:
        """Return what a file has: what the script wrote, or a text of the bundle."""
        written = state.written.get(path)
        if written is not None:
            return written
        inside = self.content_of_parents(path, state)
        if inside is not None:
            return inside.without_text()
        name = self._walker.bundle.find(path)
        if name is None or language_of(name, self._walker.bundle.files[name]) == "binary":
            return None
        return known(self._walker.bundle.text(name), frozenset({Origin("file", path)}))

    def sink(
        self,
        target: Value,
        content: Value | None,
        state: ShellState,
        place: tuple[str, tuple[int, int]],
        *,
        append: bool,
    ) -> None:
        """Follow a file that the output of a command is written to."""
        call = self.call(">", target, state, place)
        if target.has("decoded", "assembled"):
            call.find("V-OBFUSCATED", f"the path {target.any_text} is put together from pieces")
        call.writes(target, content, append=append)
        if content is not None:
            self.stored(content, target, call)
            if (
                not append
                and is_found(target)
                and not content.has("file")
                and content.texts not in ((HOLE,), ("",))
            ):
                call.find(
                    "V-DELETE", f"overwrites files that it looks for: {', '.join(target.names('file'))}"
                )
            if content.names("mixed") == ["endless"] and not target.any_text.startswith("/dev/"):
                call.find("V-EXHAUST", f"writes to {target.any_text} without end")
        for text in target.texts:
            path = state.path(text)
            matters = places_of(path, "write")
            if append and matters is not None and matters.rule == "V-PIPELINE" and _EXECUTED.search(path):
                call.find("V-PIPELINE", f"adds to {path}", "high")
            lasting = path == ENV_FILE_PATH or (
                matters is not None and matters.rule in ("V-STARTUP", "V-GIT-HOOK")
            )
            if lasting and content is not None:
                self.lasting(content, call)

    def emptied(self, target: Value, state: ShellState, at: tuple[int, int], file: str) -> None:
        """Follow a file of which nothing is left: a command without output writes it."""
        call = self.call(">", target, state, (file, at))
        call.access(target, "delete")
        own = {*state.written, *state.made}
        for each in removed((state.path(text) for text in target.texts), target, own, recursive=False):
            call.find(each.rule, each.detail, each.severity)

    def connection(self, target: Value, state: ShellState, at: tuple[int, int], file: str) -> None:
        """Report a redirection that is a connection."""
        for text in target.texts:
            if text.startswith(("/dev/tcp/", "/dev/udp/")):
                host = text.split("/")[3]
                self.notes.hosts.setdefault(
                    text.removeprefix("/dev/").partition("/")[2].replace("/", ":").replace(HOLE, "*")
                )
                self.notes.find("V-SOCKET", text, file, at, "low" if local(host) else None)

    def printed(self, call: Call, value: Value) -> None:
        """Report a text that a command prints."""
        for text in value.texts:
            if (order := order_in(text)) is not None:
                call.find("V-INJECTION", order)
            for command in commands_told(text) if not self.to_file else ():
                if (rule := self._walker.harm_in(command)) is not None:
                    call.find("V-INJECTION", f"recommends what breaks {rule}: {command}")
            if (unseen := unseen_in(text)) is not None:
                call.find("V-HIDDEN-TEXT", unseen)
            if approves(text) and not (self._walker.tests or call.state.conditional):
                call.find("V-APPROVE", text)
            elif approves(text) and is_whim(call.state.tests):
                call.find("V-APPROVE", f"by a word, a name or a time: {text}")
            if _NEW_INPUT.search(text):
                for host in _ELSEWHERE.findall(text):
                    if not local(host):
                        call.find("V-REWRITE", f"sends a tool to {host}", "high")
                self.notes.rewrites = self.notes.rewrites or bool(_NEW_TEXT.search(text))
                for literal in _JSON_TEXT.findall(text.replace('\\"', "'")):
                    if re.search(r"[|;&]|\$\(|`", literal):
                        self.run_text(Value((literal,)), call.state.branch(), "the new input", call.at)
