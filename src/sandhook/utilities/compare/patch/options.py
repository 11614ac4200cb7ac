"""The options of patch."""

from __future__ import annotations

from sandhook.command.choices import one_of
from sandhook.command.context import Failure
from sandhook.command.options import VERSION, also, opt, option_set


def _number(name: str, text: str) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > 9:
        raise Failure(f"**** {name} {text} is not a number")
    return int(text)


@option_set
class Options:
    """patch [OPTION]... [ORIGFILE [PATCHFILE]]

    Apply the differences in PATCHFILE (standard input) to ORIGFILE, or to the files that they name.
    """

    strip: int | None = opt(
        "-p", "--strip", "NUM", "strip NUM leading components from names; without it, all but the last",
        convert=lambda text: _number("strip count", text),
    )  # fmt: skip
    fuzz: int = opt(
        "-F", "--fuzz", "LINES", "lines of context that need not match (2)",
        convert=lambda text: _number("fuzz factor", text), default=2,
    )  # fmt: skip
    loose: bool = opt("-l", "--ignore-whitespace", help="blanks may differ in number")
    kind: str = also(
        opt("-c", "--context", help="read the patch as a context difference", const="context", default=""),
        opt("-n", "--normal", help="read it as a normal difference", const="normal"),
        opt("-u", "--unified", help="read it as a unified difference", const="unified"),
    )
    forward: bool = opt("-N", "--forward", help="skip patches that seem to be applied already")
    reverse: bool = opt("-R", "--reverse", help="undo the patch")
    input: str | None = opt("-i", "--input", "PATCHFILE", "read the patch from PATCHFILE")
    output: str | None = opt("-o", "--output", "FILE", "write the result to FILE")
    reject: str | None = opt("-r", "--reject-file", "FILE", "write rejects to FILE; - drops them")
    remove_empty: bool = opt("-E", "--remove-empty-files", help="remove files that become empty")
    backup: bool = opt("-b", "--backup", help="keep the original of each file as FILE.orig")
    on_mismatch: bool = also(
        opt("--backup-if-mismatch", help="keep it when a hunk does not fit exactly (default)", default=True),
        opt("--no-backup-if-mismatch", help="do not", const=False),
    )
    prefix: str | None = opt("-B", "--prefix", "PREFIX", "names of backups begin with PREFIX")
    suffix: str | None = opt("-z", "--suffix", "SUFFIX", "names of backups end in SUFFIX (.orig)")
    batch: bool = opt("-t", "--batch", help="ask nothing, and treat a patch that seems reversed as reversed")
    force: bool = opt("-f", "--force", help="ask nothing, and treat no patch as reversed")
    quiet: bool = opt("-s", "--quiet", "--silent", help="print only errors")
    dry: bool = opt("--dry-run", help="change no file")
    posix: bool = opt("--posix", ignored="")
    directory: str | None = opt("-d", "--directory", "DIR", "change to DIR first")
    reject_format: str | None = opt(
        "--reject-format", "FORMAT", "format of rejects: context or unified",
        convert=one_of("--reject-format", "context", "unified"),
    )  # fmt: skip
    binary: bool = opt("--binary", ignored="data are never changed on the way")
    version: bool = opt("-v", help="show the version", const=VERSION)
