"""Files that sed -i edits: a new file replaces the old one, which a suffix renames.

Oracle: GNU sed 4.9. A file replaces a link unless --follow-symlinks is set. Other hard links to the old
file keep its contents.
"""

from __future__ import annotations

import errno
import stat
from itertools import count

from sandhook.command.context import Context, Failure
from sandhook.kernel.descriptor import Description
from sandhook.vfs.errors import error_text, fs_error

_MOST_LINKS = 40  #: links that are followed, as in Linux


def real_name(ctx: Context, name: str) -> str:
    """Return the name to which links lead (--follow-symlinks), relative as the links are.

    Raises Failure, and OSError for a missing file.
    """
    start = name
    for _ in range(_MOST_LINKS):
        ctx.charge()
        path = ctx.path(name)
        try:
            if not stat.S_ISLNK(ctx.fs.stat(path, follow=False).mode):
                return name
            target = ctx.fs.readlink(path)
        except OSError as error:
            raise Failure(f"couldn't readlink {name}: {error_text(error)}", 4) from None
        name = target if target[:1] == "/" else name[: name.rfind("/") + 1] + target
    raise Failure(f"couldn't follow symlink {start}: {error_text(fs_error(errno.ELOOP))}", 4)


def check(ctx: Context, name: str) -> None:
    """Check that a name is a regular file. Raises Failure, and OSError when it is missing."""
    if not stat.S_ISREG(ctx.fs.stat(ctx.path(name)).mode):
        raise Failure(f"couldn't edit {name}: not a regular file", 4)


def replace(ctx: Context, name: str, suffix: str, data: bytes) -> None:
    """Replace an edited file with its new contents.

    Args:
        ctx: The run.
        name: The file.
        suffix: Of the backup; a "*" in it stands for the name of the file. No backup when it is "".
        data: The new contents.
    """
    path = ctx.path(name)
    head, slash, base = name.rpartition("/")
    temporary, file = _create_temporary(ctx, head + slash)
    try:
        try:
            file.write(data)
        finally:
            file.release()
        ctx.fs.chmod(ctx.path(temporary), ctx.fs.stat(path).mode & 0o7777)
        if suffix:
            backup = suffix.replace("*", base) if "*" in suffix else base + suffix
            backup = backup if "/" in backup else head + slash + backup
            _rename(ctx, name, backup)
        _rename(ctx, temporary, name)
    except BaseException:
        if ctx.fs.exists(ctx.path(temporary)):
            ctx.fs.unlink(ctx.path(temporary))
        raise


def _create_temporary(ctx: Context, directory: str) -> tuple[str, Description]:
    """Create a file with a new name in a directory, which is "" or ends in a slash. Raises Failure."""
    for number in count(ctx.process.pid):
        ctx.charge()
        name = f"{directory}sed{number:06d}"
        try:
            return name, ctx.process.open(name, read=False, write=True, create=True, exclusive=True)
        except FileExistsError:
            continue
        except OSError as error:
            display_name = name if "/" in name else f"./{name}"
            raise Failure(f"couldn't open temporary file {display_name}: {error_text(error)}", 4) from None
    raise AssertionError("no more numbers")


def _rename(ctx: Context, old: str, new: str) -> None:
    try:
        ctx.fs.rename(ctx.path(old), ctx.path(new))
    except OSError as error:
        raise Failure(f"cannot rename {old}: {error_text(error)}", 4) from None
