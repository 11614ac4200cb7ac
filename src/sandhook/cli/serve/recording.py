"""What ``sandhook serve`` records of events, from the options of the command."""

from __future__ import annotations

from collections.abc import Callable

from sandhook.cli import UsageError
from sandhook.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import Namespace

    from sandhook.cli.arguments import Parser
    from sandhook.hooks.audit import FiredEvent


def add_recording(result: Parser) -> None:
    """Add the options of the audit log and the record."""
    add = result.add_argument
    add(
        "--audit",
        metavar="FILE",
        help="write audit lines and a record of events to FILE, to a database (sqlite:FILE) or to parts (parquet:DIR)",
    )
    add(
        "--audit-mask",
        action="append",
        default=[],
        metavar="RULE",
        help="with --audit: also mask key:NAME, the values of a key, or text:REGEX (again for more)",
    )
    add("--audit-raw", action="store_true", help="with --audit: record events with their secrets")


def line_of(options: Namespace) -> Callable[[FiredEvent], str] | None:
    """Return the function that writes an event as a line of the record; None without --audit."""
    if options.audit is None:
        return None
    from sandhook.journal.journal import entry_of
    from sandhook.journal.masking import Masker
    from sandhook.journal.schema import encode

    masker = Masker(options.audit_mask, raw=options.audit_raw)
    return lambda fired: encode(entry_of(fired, masker))


def check_recording(options: Namespace) -> None:
    """Raise UsageError for rules that cannot be used."""
    from sandhook.journal.errors import JournalError
    from sandhook.journal.masking import Masker

    if options.audit is None and (options.audit_mask or options.audit_raw):
        raise UsageError("serve: --audit-mask and --audit-raw need --audit")
    try:
        Masker(options.audit_mask, raw=options.audit_raw)
    except JournalError as error:
        raise UsageError(f"serve: --audit-mask: {error}") from None
