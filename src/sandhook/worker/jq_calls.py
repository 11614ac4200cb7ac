"""Whether the text of hooks calls jq with programs for which a worker must be started."""

from __future__ import annotations

#: What follows the name where jq is no command, as in ``command -v jq >/dev/null``.
_NO_ARGUMENT = (">", "&", "|", ";", *"0123456789")
#: What paths consist of, without blanks.
_PATH = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.[]"


def needs_worker(text: str) -> bool:
    """Return a guess from the text: a false positive costs an idle process, a false negative 25 ms of waiting.

    It takes no regular expressions, which would have to be compiled first.
    """
    for after in text.split("jq")[1:]:
        arguments = after.lstrip(" \t")
        if arguments == after or arguments.startswith(_NO_ARGUMENT):
            continue
        if not _is_plain(arguments):
            return True
    return False


def _is_plain(arguments: str) -> bool:
    """Return whether the program is a path, which needs no worker (see ``utilities/data/jq/paths.py``)."""
    while arguments.startswith("-"):
        option, _, arguments = arguments.partition(" ")
        if option == "-" or option[1:].strip("rec"):
            return False
    quote = next(
        (text for text in ('\\"', '"', "'") if arguments.startswith(text)), ""
    )  # \" in a JSON string
    program = arguments.removeprefix(quote)
    rest = program.lstrip(_PATH)
    path = program.removesuffix(rest)
    return path[:1] == "." < path and ".." not in path and rest.removeprefix(" // empty").startswith(quote)
