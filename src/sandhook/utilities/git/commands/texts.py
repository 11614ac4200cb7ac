"""git stripspace and check-ref-format: the rules of git for messages and for names, without a repository.

Source: git-stripspace(1), git-check-ref-format(1); git 2.39, builtin/stripspace.c and builtin/check-ref-format.c.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.options import also, opt, option_set
from sandhook.text.numbers import is_number
from sandhook.utilities.git.arguments import Parser
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.history.writing_messages import cleaned
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.access import decode, encode
from sandhook.utilities.git.store.refs import is_valid_name


@option_set
class StripOptions:
    """Options of git stripspace."""

    comments: bool = also(opt("-s"), opt("--strip-comments"))
    mark: bool = also(opt("-c"), opt("--comment-lines"))


@option_set
class NameOptions:
    """Options of git check-ref-format."""

    branch: bool = opt("--branch")
    one_level: bool = also(opt("--allow-onelevel"), opt("--no-allow-onelevel", const=False))
    pattern: bool = opt("--refspec-pattern")
    normalize: bool = also(opt("--normalize"), opt("--print"))


def run_strip(call: Invocation, arguments: Sequence[str]) -> int:
    """Print standard input without needless blanks, or as comments; return 0."""
    parsed = Parser(StripOptions).parse(arguments)
    options = parsed.of(StripOptions)
    if parsed.operands or (options.comments and options.mark):
        raise GitError("usage: git stripspace [-s | --strip-comments]", prefix="", status=129)
    repository = call.find_repository()
    setting = repository.config.get("core.commentchar") if repository is not None else None
    comment = setting if setting and setting != "auto" else "#"
    with call.ctx.stdin_reader() as reader:
        text = decode(reader.read_all())
    call.access.charge(1 + (len(text) >> 6))
    if options.mark:
        lines = text.removesuffix("\n").split("\n") if text else []
        shown = (comment if not line or line[0] == "\t" else f"{comment} " for line in lines)
        call.ctx.write(encode("".join(f"{mark}{line}\n" for mark, line in zip(shown, lines))))
    else:
        call.ctx.write(encode(cleaned(text, "strip" if options.comments else "whitespace", comment)))
    return 0


def run_name(call: Invocation, arguments: Sequence[str]) -> int:
    """Return 0 for a name that a reference may have, else 1; 128 with --branch."""
    if len(arguments) == 2 and arguments[0] == "--branch":
        return _branch(call, arguments[1])  # whatever it begins with
    parsed = Parser(NameOptions).parse(arguments)
    options = parsed.of(NameOptions)
    operands = [*parsed.operands, *(parsed.paths or ())]
    if len(operands) != 1:
        raise GitError(
            "usage: git check-ref-format [--normalize] [<options>] <refname>", prefix="", status=129
        )
    name = operands[0]
    if options.branch:
        raise GitError("usage: git check-ref-format --branch <branchname-shorthand>", prefix="", status=129)
    if options.normalize:
        name = "/".join(filter(None, name.split("/")))
    tested = name.replace("*", "x", 1) if options.pattern else name
    if not is_valid_name(tested) or ("/" not in tested and not (options.one_level or options.pattern)):
        return 1
    if options.normalize:
        call.ctx.write_line(name)
    return 0


def _branch(call: Invocation, name: str) -> int:
    """Print the name of a branch, for which "@{-1}" may stand."""
    repository = call.find_repository()
    short = name
    if repository is not None and name.startswith("@{-") and name.endswith("}") and is_number(name[3:-1]):
        short = Names(repository).previous_branch(int(name[3:-1][:6])) or name
    if short.startswith("-") or short == "HEAD" or not is_valid_name(f"refs/heads/{short}"):
        raise GitError(f"'{name}' is not a valid branch name")
    call.ctx.write_line(short)
    return 0
