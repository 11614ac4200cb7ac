"""getconf: print configuration values of the (virtual) system.

Source: POSIX.1-2024 XCU 3, getconf. Oracle: glibc 2.36. Divergence: L-GETCONF-001, only the values that scripts
commonly use are available; `-a` is not offered.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.options import opt, option_set

WRITE_ERROR = ""

PERMUTE = False
USAGE_STATUS = 2

#: Values of the system, of limits and of types.
_SYSTEM = {
    "ARG_MAX": "2097152", "CHAR_BIT": "8", "CHAR_MAX": "127", "CHAR_MIN": "-128", "CLK_TCK": "100",
    "HOST_NAME_MAX": "64", "INT_MAX": "2147483647", "INT_MIN": "-2147483648", "IOV_MAX": "1024",
    "LINE_MAX": "2048", "LOGIN_NAME_MAX": "256", "LONG_BIT": "64", "MB_LEN_MAX": "16", "NGROUPS_MAX": "65536", "OPEN_MAX": "256",
    "PAGESIZE": "4096", "PAGE_SIZE": "4096", "PATH": "/bin:/usr/bin", "CS_PATH": "/bin:/usr/bin", "RE_DUP_MAX": "32767",
    "SCHAR_MAX": "127", "SCHAR_MIN": "-128", "SHRT_MAX": "32767", "SHRT_MIN": "-32768",
    "SSIZE_MAX": "32767", "TTY_NAME_MAX": "32", "UCHAR_MAX": "255", "UINT_MAX": "4294967295",
    "ULONG_MAX": "18446744073709551615", "USHRT_MAX": "65535", "WORD_BIT": "32",
    "_NPROCESSORS_CONF": "1", "_NPROCESSORS_ONLN": "1", "_POSIX_VERSION": "200809", "_POSIX2_VERSION": "200809",
    "POSIX2_VERSION": "200809", "_XOPEN_VERSION": "700", "GNU_LIBC_VERSION": "glibc 2.36",
    "BC_BASE_MAX": "99", "BC_DIM_MAX": "2048", "BC_SCALE_MAX": "99", "BC_STRING_MAX": "1000",
    "COLL_WEIGHTS_MAX": "255", "EXPR_NEST_MAX": "32",
}  # fmt: skip
#: Values of a path.
_PATHS = {
    "NAME_MAX": "255", "_POSIX_NAME_MAX": "255", "PATH_MAX": "4096", "_POSIX_PATH_MAX": "4096", "PIPE_BUF": "4096",
    "MAX_CANON": "255", "MAX_INPUT": "255", "_POSIX_NO_TRUNC": "1", "_POSIX_CHOWN_RESTRICTED": "1",
}  # fmt: skip


OPERAND_WORDS = {"Names": tuple(_SYSTEM), "Names for a PATH": tuple(_PATHS)}


@option_set
class Options:
    """getconf [-v SPECIFICATION] NAME [PATH]

    Print the value of a limit or of another property; some are those of a PATH.
    """

    specification: str | None = opt("-v", "SPECIFICATION", ignored="")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 2 for an unknown name."""
    if not operands or len(operands) > 2:
        return _usage(ctx)
    name = operands[0]
    values = _SYSTEM if len(operands) == 1 else _PATHS
    if name not in values:
        if name in _SYSTEM or name in _PATHS:
            return _usage(ctx)
        raise Failure(f"Unrecognized variable `{name}'")
    open_files = str(ctx.budget.limits.open_files)
    ctx.write_line(open_files if name == "OPEN_MAX" else values[name])
    return 0


def _usage(ctx: Context) -> int:
    ctx.write_error(
        "Usage: getconf [-v specification] variable_name [pathname]\n       getconf -a [pathname]\n"
    )
    return USAGE_STATUS
