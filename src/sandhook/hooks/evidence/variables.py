"""Variables by which a script makes programs, or a shell, execute something."""

from __future__ import annotations

from sandhook.host.environment import loads_code
from sandhook.lazy import lazily

#: Variables of loads_code that only change how text is read or printed.
_HARMLESS = frozenset({"IFS", "TIMEFORMAT", "BASH_XTRACEFD", "PS0", "PROMPT_COMMAND"})

#: Variables that name a program, which another program starts.
_PROGRAM_NAMES = """
    BROWSER CC CXX EDITOR GIT_ASKPASS GIT_EDITOR GIT_PAGER GIT_SEQUENCE_EDITOR LESSEDIT MANPAGER MAKEFLAGS PAGER
    RSYNC_RSH RUSTC_WRAPPER SHELL SSH_ASKPASS SUDO_ASKPASS SUDO_EDITOR SVN_EDITOR SVN_SSH TAR_OPTIONS VISUAL
"""
_PROGRAMS = frozenset(_PROGRAM_NAMES.split())

#: Variables of bash's own that decide which file or function a name stands for.
_SHELL_NAMES = "BASH_ALIASES BASH_CMDS DIRSTACK OLDPWD PWD"
_OF_THE_SHELL = frozenset(_SHELL_NAMES.split())

#: Directories in which programs find files that they execute or obey when they start.
_PLACES = frozenset({"CURL_HOME", "GNUPGHOME", "HOME", "XDG_CONFIG_DIRS", "XDG_CONFIG_HOME"})

#: Letters of ``declare`` by which a variable has another value than an assignment has.
CHANGING = "clrui"

#: Variables of bash that have values of their own, whatever a script assigns.
_OWN_VALUES = """
    BASHPID BASH_ARGC BASH_ARGV BASH_ARGV0 BASH_COMMAND BASH_LINENO BASH_SOURCE BASH_SUBSHELL COMP_WORDBREAKS
    EPOCHREALTIME EPOCHSECONDS EUID FUNCNAME GROUPS HISTCMD LINENO PIPESTATUS PPID RANDOM SECONDS SHELLOPTS BASHOPTS SRANDOM UID _
"""
_DYNAMIC = frozenset(_OWN_VALUES.split())

#: Where a subscript begins.
_SUBSCRIPT = lazily(r"\w\[")

_SUBSTITUTION = lazily(r"\$\(|`")


def effect_of(name: str, value: str | None) -> str | None:
    """Return what an assignment makes execute, or None.

    Args:
        value: None when it is not known.
    """
    if name in _OF_THE_SHELL:
        return f"sets {name}, which changes what names stand for"
    if name in _PLACES:
        return f"sets {name}, below which programs find what they execute when they start"
    if name in _PROGRAMS and value and "/" not in value and " " not in value:
        return None
    if (loads_code(name) and name not in _HARMLESS) or name in _PROGRAMS:
        return f"sets {name}, which makes programs load or run code"
    if value is not None and hides_command(value):
        return f"has a text with a command in a subscript: {value}"
    return None


def stays(name: str, value: str, before: str | None, letters: str) -> bool:
    """Return whether a variable has the value that a script assigns.

    Args:
        before: Its value before the assignment, None when it is not known.
        letters: Its attributes, of CHANGING.
    """
    if name in _DYNAMIC or ("r" in letters and value != before):
        return False
    if "c" in letters or ("i" in letters and not (value.isdecimal() and value == str(int(value[:19])))):
        return False
    return ("l" not in letters or value == value.lower()) and ("u" not in letters or value == value.upper())


def hides_command(text: str) -> bool:
    """Return True for a text that runs a command where bash expects a number or a variable.

    It has a substitution in a subscript: arithmetic, ``test -v`` and ``printf -v`` expand it, wherever the text
    comes from.
    """
    for piece in text.split("]"):
        start = _SUBSCRIPT.search(piece)
        if start is not None and has_substitution(piece[start.end() :]):
            return True
    return False


def has_substitution(text: str) -> bool:
    """Return True for a text that runs a command when bash expands it."""
    return _SUBSTITUTION.search(text) is not None
