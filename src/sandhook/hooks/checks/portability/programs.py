"""Which programs and options a system brings: GNU's on Linux and in Git Bash, BSD's on macOS, few on Windows.

Sources: GNU coreutils 9, findutils 4.9, sed 4.9 and grep 3.8; the manual pages of macOS 13 to 15; the package list of
Git for Windows 2.4x; the programs below ``C:\\Windows\\System32``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Literal, TypeAlias

from sandhook.hooks.checks.portability.model import State
from sandhook.hooks.contracts._launch import System

#: GNU's programs, BSD's, or none of both.
Family: TypeAlias = Literal["gnu", "bsd", "none"]

FAMILIES: Mapping[System, Family] = {"linux": "gnu", "macos": "bsd", "git-bash": "gnu", "windows": "none"}

#: Programs that each system but a bare Windows has.
_COMMON = frozenset(
    """
    awk base64 basename bash cat chmod chown cksum cmp comm cp curl cut date dd df diff dirname du echo env expand
    expr false find fold fmt grep egrep fgrep gzip gunzip zcat head hostname id install join kill less link ln ls
    mkdir mkfifo mktemp mv nl nohup od openssl paste patch perl pr printf ps pwd rm rmdir sed sh sleep sort split ssh
    ssh-keygen scp stat strings stty sum sync tail tar tee test touch tr true tsort tty uname unexpand uniq unzip
    bzip2 bunzip2 wc which whoami xargs yes zsh [ readlink realpath seq tput clear sha1sum
    """.split()  # noqa: SIM905
)

_OWN: Mapping[System, frozenset[str]] = {
    "linux": frozenset(
        """
        timeout tac nproc shuf numfmt flock setsid stdbuf getent sha256sum sha512sum md5sum sha224sum sha384sum b2sum
        ionice chrt free ip ss lsblk mount umount nice renice su login ldd getconf script logger top watch pgrep pkill
        column rev hexdump mesg wall uptime xz pidof truncate base32 basenc pinky users who groups logname vdir dir
        dircolors factor csplit ptx runcon chcon chroot hostid shred unlink nsenter unshare dmesg mawk more
        """.split()  # noqa: SIM905
    ),
    "macos": frozenset(
        """
        osascript pbcopy pbpaste say open afplay sw_vers defaults launchctl plutil mdfind mdls screencapture security
        caffeinate shasum md5 sha256 zip bc dc jot rev column script logger top pgrep pkill lsof nc rsync mount umount
        nice renice su file hexdump xxd vim vi nano ed ex m4 banner cal getconf who users groups logname csplit
        truncate xcode-select xcrun ditto hdiutil sips sysctl ifconfig netstat ping dig host nslookup more gzcat sudo
        sandbox-exec dscl networksetup pmset tmutil unlink uptime ruby
        """.split()  # noqa: SIM905
    ),
    "git-bash": frozenset(
        """
        git timeout tac nproc shuf numfmt stdbuf sha256sum sha512sum md5sum sha224sum sha384sum b2sum getent truncate
        base32 basenc cygpath winpty start dos2unix unix2dos xz file gawk gpg vim vi nano column tig
        groups logname users who csplit ptx factor shred unlink dir vdir dircolors hostid pinky mintty notepad
        cmd.exe powershell.exe powershell where where.exe clip.exe clip taskkill tasklist msg explorer.exe explorer
        cmd schtasks reg sc more nice getconf ldd mount umount
        """.split()  # noqa: SIM905
    ),
    "windows": frozenset(
        """
        cmd cmd.exe powershell powershell.exe curl curl.exe tar tar.exe where where.exe findstr clip clip.exe whoami
        hostname taskkill tasklist timeout explorer explorer.exe more reg schtasks sc msg notepad xcopy robocopy ping
        nslookup netstat ipconfig certutil ssh scp ssh-keygen
        """.split()  # noqa: SIM905
    ),
}

#: Programs of a system and what is there instead on another one.
_INSTEAD: Mapping[str, str] = {
    "timeout": "`brew install coreutils` adds it",
    "sha256sum": "`shasum -a 256` is there",
    "sha512sum": "`shasum -a 512` is there",
    "md5sum": "`md5` is there",
    "tac": "`tail -r` is there",
    "nproc": "`sysctl -n hw.ncpu` is there",
    "free": "`vm_stat` is there",
    "notify-send": "`osascript -e 'display notification ...'` is there",
    "xdg-open": "`open` is there",
    "wl-copy": "`pbcopy` is there",
    "xclip": "`pbcopy` is there",
}

#: Programs of one system alone, although no system has them in every installation.
_OF_ONE: Mapping[str, tuple[System, ...]] = {
    "notify-send": ("linux",),
    "xdg-open": ("linux",),
    "xclip": ("linux",),
    "wl-copy": ("linux",),
    "paplay": ("linux",),
    "aplay": ("linux",),
    "systemctl": ("linux",),
    "journalctl": ("linux",),
    "apt": ("linux",),
    "apt-get": ("linux",),
    "dpkg": ("linux",),
    "inotifywait": ("linux",),
    "strace": ("linux",),
    "brew": ("macos", "linux"),
    "terminal-notifier": ("macos",),
}

#: What people install on each system, although one of the systems brings it.
_INSTALLED = frozenset(
    {"git", "gpg", "gawk", "file", "vim", "vi", "nano", "tig", "xz", "dos2unix", "unix2dos"}
)

#: What no system brings, but which people install on each.
_PYTHON = frozenset({"python3", "pip3"})

_TITLES: Mapping[System, str] = {
    "linux": "Linux",
    "macos": "macOS",
    "git-bash": "Git for Windows",
    "windows": "Windows",
}


def is_common(name: str) -> bool:
    """Return whether every system but a bare Windows has a program."""
    return name in _COMMON


def missing(name: str, system: System) -> tuple[State, str] | None:
    """Return what it means that a system does not bring a program, and the sentence; None if it brings it."""
    if name in _OWN[system] or (name in _COMMON and system != "windows"):
        return None
    others = [each for each in _OWN if name in _OWN[each] and name not in _INSTALLED]
    own = _OF_ONE.get(name, tuple(others) if name not in _COMMON else ())
    on_windows = system in ("git-bash", "windows")
    title = _TITLES[system]
    if own and system not in own:
        instead = f": {_INSTEAD[name]}" if name in _INSTEAD and system == "macos" else ""
        return "fails", f"{title} has no {name}{instead}"
    if on_windows and name in _PYTHON:
        return "fails", f"installations of Python for Windows have no {name}: it is {name[:-1]} there"
    if system == "windows" and name in _COMMON:
        return "fails", f"Windows without Git Bash has no {name}"
    if system == "git-bash" and name == "jq":
        return "fails", "Git for Windows brings no jq: status 127, which lets the action pass for most agents"
    return "runs", f"needs {name}, which not every {title} has"


# Options.

_GNU_LONG = frozenset(
    """
    basename cat chmod chown cp cut date dd df dirname du env expand fold head id install join ln ls mkdir mktemp mv
    nl od paste readlink realpath rm rmdir seq sleep split stat sum tail tee touch tr uname uniq wc
    """.split()  # noqa: SIM905
)

#: Long options of these programs that macOS has too.
_BSD_LONG = frozenset({"--color", "--help", "--version"})

#: Program to options of one letter that BSD's program lacks or reads in another way, with what it makes of them.
_GNU_SHORT: Mapping[str, Mapping[str, str]] = {
    "grep": {"P": "macOS' grep has no -P"},
    "date": {"d": "macOS' date has no -d for a date (-v and -j -f)"},
    "stat": {"c": "macOS' stat has no -c (-f has formats)"},
    "base64": {"w": "macOS' base64 has no -w"},
    "cp": {"t": "macOS' cp has no -t", "u": "macOS' cp has no -u", "T": "macOS' cp has no -T"},
    "mv": {"t": "macOS' mv has no -t", "u": "macOS' mv has no -u", "T": "macOS' mv has no -T"},
    "ln": {"r": "macOS' ln has no -r", "T": "macOS' ln has no -T"},
    "cat": {"A": "macOS' cat has no -A", "E": "macOS' cat has no -E", "T": "macOS' cat has no -T"},
    "du": {"b": "macOS' du has no -b"},
    "xargs": {"d": "macOS' xargs has no -d", "a": "macOS' xargs has no -a"},
    "sed": {"z": "macOS' sed has no -z"},
    "realpath": {
        "m": "macOS' realpath has no -m",
        "e": "macOS' realpath has no -e",
        "s": "macOS' realpath has no -s",
    },
}

_BSD_SHORT: Mapping[str, Mapping[str, str]] = {
    "date": {"v": "GNU date has no -v (-d)", "j": "GNU date has no -j (-d)"},
    "stat": {"f": "GNU stat has other formats: -f describes the file system (-c)"},
    "base64": {"D": "GNU base64 has no -D (-d)"},
    "tail": {"r": "GNU tail has no -r (tac)"},
}

_GNU_FIND = frozenset(
    {"-printf", "-fprintf", "-regextype", "-readable", "-writable", "-executable", "-daystart"}
)

#: Options with arguments, whose words are not options themselves.
_WITH_ARGUMENT: Mapping[str, str] = {
    "grep": "efmABCD",
    "sed": "efl",
    "date": "dfrIvs",
    "stat": "cft",
    "base64": "wbio",
    "xargs": "dInPLsEaRSJ",
    "head": "nc",
    "tail": "ncs",
    "cut": "bcdf",
    "sort": "kotST",
    "cp": "tS",
    "mv": "tS",
    "ln": "tS",
    "mktemp": "pt",
    "du": "dBt",
    "realpath": "",
    "readlink": "",
    "touch": "drtA",
}


def options(words: Sequence[str | None], system: System) -> Iterator[tuple[State, str]]:
    """Yield what the programs of a system make of options that only the others have."""
    name, family = (words[0] or "").rpartition("/")[2], FAMILIES[system]
    if family == "none" or not name:
        return
    known = [word for word in words[1:] if word is not None]
    letters = list(_letters(name, known))
    if name == "sed":
        yield from _sed_in_place(words, family)
    if name == "mktemp":
        yield from _mktemp(known, letters, family)
    if family == "gnu":
        rows = _BSD_SHORT.get(name, {})
        yield from (("fails", rows[letter]) for letter in letters if letter in rows)
        return
    rows = _GNU_SHORT.get(name, {})
    yield from (("fails", rows[letter]) for letter in letters if rows.get(letter))
    if name == "readlink" and "f" in letters:
        yield "runs", "readlink -f needs macOS 12.3 or later"
    if name == "find":
        yield from (("fails", f"macOS' find has no {word}") for word in known if word in _GNU_FIND)
        if words[1:2] and (known[:1] or [""])[0].startswith("-") and known[0] not in ("-H", "-L", "-P"):
            yield "fails", "macOS' find needs a directory before its tests"
    if name == "head" and _negative(known):
        yield "fails", "macOS' head has no negative counts"
    for word in known:
        if word == "--":
            break
        long = word.partition("=")[0]
        if name in _GNU_LONG and re.fullmatch(r"--[a-z][a-z-]+", long) and long not in _BSD_LONG:
            yield "fails", f"macOS' {name} has no {long}"
        elif name == "sed" and long in ("--in-place", "--null-data", "--follow-symlinks"):
            yield "fails", f"macOS' sed has no {long}"
        elif name == "grep" and long == "--perl-regexp":
            yield "fails", "macOS' grep has no --perl-regexp"
    if name == "date" and any(word[:1] == "+" and "%N" in word for word in known):
        yield "differs", "%N of date is not known to all releases of macOS: it prints N"


def _letters(name: str, words: Sequence[str]) -> Iterator[str]:
    """Yield the letters of short options; words that are arguments of options are left out."""
    takes = _WITH_ARGUMENT.get(name, "")
    skip = False
    for word in words:
        if skip:
            skip = False
            continue
        if word == "--":
            return
        if word[:1] != "-" or word[1:2] in ("", "-") or name == "find":
            continue
        for at, letter in enumerate(word[1:], 1):
            yield letter
            if letter in takes:
                skip = at == len(word) - 1
                break


def _negative(words: Sequence[str]) -> bool:
    return any(re.fullmatch(r"-[nc]-\d+", word) for word in words) or any(
        word in ("-n", "-c") and re.fullmatch(r"-\d+", following) for word, following in pairwise(words)
    )


def _sed_in_place(words: Sequence[str | None], family: Family) -> Iterator[tuple[State, str]]:
    """Yield what ``sed -i`` with and without a suffix means: BSD's is the next word, GNU's the same word."""
    for at, word in enumerate(words[1:], 1):
        if word is None or not re.fullmatch(r"-[nErsuz]*i.*", word):
            continue
        suffix = word.partition("i")[2]
        following = words[at + 1] if at + 1 < len(words) else None
        if suffix:
            if family == "bsd" and suffix[:1] not in ".~_-":
                yield "differs", f"macOS' sed reads {suffix!r} after -i as the suffix of a backup"
            return
        if following == "":
            if family == "gnu":
                yield "fails", "GNU sed reads the empty word after -i as the script (-i alone)"
        elif family == "bsd":
            yield (
                "fails",
                "macOS' sed reads the word after -i as the suffix of a backup (-i.bak works everywhere)",
            )
        return


def _mktemp(words: Sequence[str], letters: Sequence[str], family: Family) -> Iterator[tuple[State, str]]:
    """Yield what templates mean: BSD's replaces X at the end alone, and -t has a prefix."""
    template = next((word for word in words if word[:1] != "-" and "X" in word), None)
    if family == "bsd":
        if template is not None and not template.endswith("X"):
            yield "differs", f"macOS' mktemp replaces no X before a suffix: the name is {template!r} itself"
        if "p" in letters:
            yield "runs", "mktemp -p needs macOS 14 or later"
    elif "t" in letters and template is None and any(word[:1] != "-" for word in words):
        yield "fails", "GNU mktemp -t needs a template with XXX"
