"""Code that unzip and zipinfo share: command lines with -x, and finding the archive of a name."""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.operands import find, reason
from sandhook.record import Record
from sandhook.utilities.archive.zip.format import FormatError, Member, read_directory

NO_ARCHIVE = 9
_NOT_FOUND = """\
  End-of-central-directory signature not found.  Either this file is not
  a zipfile, or it constitutes one disk of a multi-part archive.  In the
  latter case the central directory and zipfile comment will be found on
  the last disk(s) of this archive.
"""


class Archive(Record):
    """An archive and its members."""

    name: str
    data: bytes
    members: Sequence[Member]


def split_words(words: list[str]) -> tuple[list[str], list[str]]:
    """Remove -x and all words after it, up to the next option, from a command line, and return those words.

    The option parser would consume only one word.
    """
    if "-x" not in words:
        return words, []
    at = words.index("-x")
    end = at + 1
    while end < len(words) and words[end][:1] != "-":
        end += 1
    return words[:at] + words[end:], words[at + 1 : end]


def find_archive(name: str, ctx: Context, tool: str) -> tuple[str, bytes, list[Member]] | None:
    """Return the archive of a name, which may lack its .zip; report a missing archive, and return None."""
    for candidate in (name, f"{name}.zip", f"{name}.ZIP"):
        try:
            with ctx.open(candidate) as reader:
                data = reader.read_all()
            return candidate, data, read_directory(data, ctx.environment.get("TZ"))
        except (FileNotFoundError, IsADirectoryError):
            continue
        except OSError as error:
            raise Failure(f"{candidate}: {reason(error)}", NO_ARCHIVE) from None
        except FormatError:
            indent = " " * (len(tool) + 3)
            text = (
                f"{_NOT_FOUND}{tool}:  cannot find zipfile directory in one of {name} or\n"
                f"{indent}{name}.zip, and cannot find {name}.ZIP, period.\n"
            )
            if tool == "zipinfo":
                text = f"[{candidate}]\n{text}"
            if candidate == name and find(ctx, f"{name}.zip") is not None:
                text = f"[{name}]\n{_NOT_FOUND}"
                ctx.process.write_error(text.encode("utf-8", "surrogateescape"))
                continue
            ctx.write_line(f"Archive:  {candidate}")
            ctx.write_error(text)
            return None
    message = f"{tool}:  cannot find or open {name}, {name}.zip or {name}.ZIP.\n"
    ctx.process.write_error(message.encode("utf-8", "surrogateescape"))
    return None
