"""git check-mailmap: print contacts as .mailmap has them.

Source: git-check-mailmap(1).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sandhook.command.options import opt, option_set
from sandhook.utilities.git.arguments import Parser
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.mailmap import Mailmap
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.access import decode
from sandhook.utilities.git.store.commits import Identity

_CONTACT = re.compile(r"([^<]*)<([^>]*)>")


@option_set
class Options:
    """Options of git check-mailmap."""

    stdin: bool = opt("--stdin")


def run_mailmap(call: Invocation, arguments: Sequence[str]) -> int:
    """Print each contact of the arguments and of standard input; return 0."""
    parsed = Parser(Options).parse(arguments)
    from_input = parsed.of(Options).stdin
    contacts = [*parsed.operands, *(parsed.paths or ())]
    repository = call.repository
    if not contacts and not from_input:
        raise GitError("no contacts specified")
    mailmap = Mailmap(repository)
    if from_input:
        with call.ctx.stdin_reader() as reader:
            contacts += [line for line in decode(reader.read_all()).split("\n") if line]
    for contact in contacts:
        match = _CONTACT.match(contact)
        if match is None:
            raise GitError(f"unable to parse contact: {contact}")
        person = mailmap.of(Identity(match[1].strip(), match[2], 0, "+0000"))
        call.ctx.write_line(f"{person.name} <{person.email}>" if person.name else f"<{person.email}>")
    return 0
