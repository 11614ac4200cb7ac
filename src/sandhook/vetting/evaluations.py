"""Texts that a shell evaluates without a command: expressions, prompts; and what the tests of a script decide by."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sandhook.dispatch.operands import base_name
from sandhook.vetting.call import Call
from sandhook.vetting.contents import Contents
from sandhook.vetting.policy import computed, executed, is_exposed, local
from sandhook.vetting.rules import Severity
from sandhook.vetting.state import ShellState
from sandhook.vetting.tests import hides_text, kinds_of_values, of_circumstances, of_pattern
from sandhook.vetting.values import HOLE, Value
from sandhook.vetting.words import Evaluation

#: Programs that print what they read as it is.
_WHOLE = frozenset(
    [
        "curl",
        "wget",
        "http",
        "https",
        "xh",
        "cat",
        "head",
        "tail",
        "tee",
        "echo",
        "printf",
        "fold",
        "fmt",
        "sed",
        "bat",
        "base64",
        "gunzip",
        "zcat",
        "tac",
    ]
)


#: Options by which curl and wget send something.
_SENDING = re.compile(r"-(?:d|X|F|T)|--(?:data|request|form|upload|json|post|method)")


class Evaluations(Contents):
    """What scripts evaluate and compare."""

    def evaluated(self, value: Value, how: Evaluation, state: ShellState, at: tuple[int, int]) -> None:
        """Follow a text that the shell reads as an expression or a prompt: it runs the substitutions in it."""
        verdict = executed(value, "a prompt") if how == "prompt" else computed(value)
        if verdict is not None:
            self.notes.find(verdict.rule, verdict.detail, self._file, at, verdict.severity)
        for text in value.texts:
            if "$(" in text or "`" in text:
                escaped = text.replace('"', '\\"')
                self._walker.text(f': "{escaped}"', state.branch(), at)

    def shown(self, output: Value, words: Sequence[str], at: tuple[int, int]) -> None:
        """Report a text of the network that becomes the output of a hook, which a model reads."""
        hosts = sorted(
            each.name for each in output.origins if each.kind == "download" and not local(each.name)
        )
        lines = [line.strip() for text in output.texts for line in text.splitlines()]
        answers = any(_SENDING.match(word) for word in words)  # what comes back says whether it arrived
        if hosts and HOLE in lines and base_name(words[0]) in _WHOLE and not answers:
            severity: Severity = "high" if any(map(is_exposed, hosts)) else "medium"
            self.notes.find("V-INJECTION", f"prints what {', '.join(hosts)} sends", self._file, at, severity)

    def compared(self, left: Value, right: Value, at: tuple[int, int]) -> None:
        """Report a comparison that does not show what it looks for."""
        if hides_text(left, right):
            self.notes.find("V-OBFUSCATED", "looks for a text of which it has the hash alone", self._file, at)

    def evaluates(self, value: Value, call: Call) -> None:
        """Report a name of a variable whose subscript a shell evaluates."""
        if "[" in value.any_text or value.texts == (HOLE,):
            self.evaluated(value, "arithmetic", call.state, call.at)

    def tested(self, call: Call) -> None:
        """Note what a ``[`` decides by."""
        words, texts = call.words, call.texts
        for index, text in enumerate(texts):
            if text in ("=", "==") and 0 < index < len(words) - 1:
                left, right = words[index - 1], words[index + 1]
                found = of_pattern(left, right.any_text, expression=False)
                call.state.tests |= frozenset(filter(None, [found])) | kinds_of_values(left, right)
                self.compared(left, right, call.at)
            elif text == "-v" and index + 1 < len(words):
                self.evaluated(words[index + 1], "arithmetic", call.state, call.at)
        call.state.tests |= of_circumstances(*words)
