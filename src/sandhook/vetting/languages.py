"""Programs of other languages that a script starts: their texts, files and input."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sandhook.dispatch.operands import LANGUAGES, SHELLS
from sandhook.dispatch.ownline import NAME, decoded
from sandhook.dispatch.parts import Execution
from sandhook.vetting.call import Call, Runner
from sandhook.vetting.code import evaluates_input, findings_in
from sandhook.vetting.evaluations import Evaluations
from sandhook.vetting.policy import local
from sandhook.vetting.program import commands_in
from sandhook.vetting.rules import RuleId
from sandhook.vetting.said import order_in
from sandhook.vetting.state import ShellState
from sandhook.vetting.values import EMPTY, UNKNOWN, Origin, Value, concatenated

#: Options by which an interpreter reads a program and does not run it.
_CHECKS = {"php": ("-l",), "perl": ("-c",), "ruby": ("-c",), "node": ("--check", "-c")}


#: Functions of languages that quote words for a shell.
_QUOTES = re.compile(r"shlex\.(?:quote|join)|shellescape|Shellwords|escapeshellarg")


#: Programs that are what their names say, also outside the directories of the system: /opt/homebrew/bin/bash.
INTERPRETERS = frozenset((*SHELLS, *LANGUAGES, NAME))


class Languages(Evaluations, Runner):
    """Follows interpreters of other languages, and sandhook itself."""

    def _own(self, call: Call, found: Execution, fields: Sequence[Value], at: tuple[int, int]) -> Value:
        """Follow the script of ``sandhook hook -- -b``, or report what another command of sandhook executes."""
        scripts = [] if found.encoded is None else [decoded(text) for text in fields[found.encoded].known]
        texts = tuple(script for script in scripts if script is not None)
        if not texts:
            self.notes.find("V-RUN-TEXT", found.unknown[0], self._file, at)
            return UNKNOWN
        return self.run_text(Value(texts), call.state.copy(), "sandhook hook", at)

    def _language(
        self, call: Call, found: Execution, fields: Sequence[Value], state: ShellState, at: tuple[int, int]
    ) -> list[Value]:
        """Follow an interpreter of another language: its program's text, file or input."""
        language = LANGUAGES[call.name]
        rule: RuleId
        letters = [f"-{name}" if len(name) == 1 else f"--{name}" for name in language.text]
        texts = list(call.arguments(*letters))
        for index, field in enumerate(fields):  # perl -ne '...', ruby -rsocket -e
            text = field.any_text
            if (
                text[:1] == "-" != text[1:2]
                and len(text) > 2
                and text[-1] in language.text
                and index + 1 < len(fields)
            ):
                texts.append(fields[index + 1])
        known_texts = [text for value in texts for text in value.texts]
        if call.stdin.has("download", "decoded") and any(map(evaluates_input, known_texts)):
            rule = "V-RUN-DOWNLOAD" if call.stdin.has("download") else "V-RUN-DECODED"
            self.notes.find(rule, f"{call.name} evaluates what it reads", self._file, at)
        for value in texts:
            self.code(concatenated((Value((" ".join(call.texts[:2]) + "\n",)), value)), at)
        operands = [word for word in call.operands if all(word is not text for text in texts)]
        if not texts:
            if call.has(*_CHECKS.get(call.name, ())):
                return [EMPTY]
            file = next(iter(operands), None)
            if (module := call.argument("-m")) is not None:
                if module.any_text in ("http.server", "SimpleHTTPServer", "pyftpdlib", "wsgidav"):
                    bound = call.argument("--bind", "-b")
                    call.find(
                        "V-TUNNEL",
                        call.line,
                        "low"
                        if bound is not None and local(bound.any_text) and bound.any_text != "0.0.0.0"
                        else None,
                    )
                decoding = module.any_text in ("base64", "quopri", "uu", "zipfile", "tarfile", "gzip")
                return [call.passed(Origin("decoded", module.any_text)) if decoding else call.passed()]
            if file is None or file.any_text == "-":
                if call.stdin.has("download"):
                    self.notes.find("V-RUN-DOWNLOAD", call.line, self._file, at)
                elif call.stdin.has("decoded", "assembled"):
                    self.notes.find("V-RUN-DECODED", call.line, self._file, at)
                self.code(call.stdin, at)
            else:
                return [self.run_file(file, state, operands[1:], at, language="other")]
        elif any(value.has("download", "decoded") for value in texts):
            rule = "V-RUN-DOWNLOAD" if any(v.has("download") for v in texts) else "V-RUN-DECODED"
            self.notes.find(rule, call.line, self._file, at)
        output = call.passed()
        if any(_QUOTES.search(text) for value in (*texts, call.stdin) for text in value.texts):
            return [Value(output.texts, frozenset(each for each in output.origins if each.kind != "payload"))]
        return [output]

    def code(self, value: Value, at: tuple[int, int], file: str | None = None) -> None:
        """Report what a program of another language does."""
        for text in value.texts:
            for rule, detail in findings_in(text):
                sends = rule in ("V-SEND-PAYLOAD", "V-SEND-FILE")
                self.notes.find(rule, detail, file or self._file, at, "high" if sends else None)
            self._walker.texts_of_program(commands_in(text), file or self._file, at)
            if (order := order_in(text)) is not None:
                self.notes.find("V-INJECTION", order, file or self._file, at)
