"""The first line of --version: the program that a utility follows, in that program's own words.

Scripts that run on several systems ask for it: ``sed --version | grep -q GNU`` decides between ``sed -i`` and
``sed -i ''``. The versions are those of the oracles.
"""

from __future__ import annotations

#: Names of programs by what follows the name in the line.
_PACKAGES = {
    "(GNU coreutils) 9.1": (
        "[ arch b2sum base32 base64 basename basenc cat chgrp chmod chown cksum comm cp csplit cut date df dir dircolors "
        "dirname du echo env expand expr factor false fmt fold groups head hostid id install join link ln logname ls md5sum "
        "mkdir mkfifo mknod mktemp mv nice nl nohup nproc numfmt od paste pathchk pr printenv printf pwd readlink realpath "
        "rm rmdir seq sha1sum sha224sum sha256sum sha384sum sha512sum shred shuf sleep sort split stat stdbuf stty sum sync "
        "tac tail tee timeout touch tr true truncate tsort tty uname unexpand uniq unlink users vdir wc who whoami yes"
    ),
    "from util-linux 2.38.1": (
        "chrt col colrm column fallocate flock getopt hd hexdump ionice logger look mcookie more mountpoint namei rename rename.ul "
        "renice rev setsid taskset ul uuidgen whereis"
    ),
    "from procps-ng 4.0.2": "free kill pgrep pkill ps uptime watch",
    "(XZ Utils) 5.4.1": "xz xzcmp xzdiff xzegrep xzfgrep xzgrep",
    "(gzip) 1.12": "gunzip zcat zcmp zdiff zgrep",
    "(GNU diffutils) 3.8": "cmp diff diff3 sdiff",
    "(GNU gettext-runtime) 0.21": "envsubst gettext ngettext",
    "(GNU findutils) 4.9.0": "find xargs",
    "(GNU sharutils) 4.15.2": "uudecode uuencode",
    "(PSmisc) 23.6": "killall",
    "(GNU cpio) 2.13": "cpio",
    "(GNU grep) 3.8": "grep",
    "(GNU sed) 4.9": "sed",
    "(GNU tar) 1.34": "tar",
    "(GNU bc 1.07.1) 1.4.1": "dc",
    "(coreutils) 9.1": "dd",
    "(GNU libc) 2.36": "getconf getent iconv locale",
    "1.07.1": "bc",
    "1.12": "gzip",
    "3.23": "hostname",
}

#: Whole lines, of programs that do not begin with their name.
_LINES = {
    **dict.fromkeys(("awk", "gawk", "nawk"), "GNU Awk 5.2.1"),
    **dict.fromkeys(("egrep", "fgrep", "rgrep"), "grep (GNU grep) 3.8"),
    **dict.fromkeys(("unxz", "xzcat", "lzma", "unlzma", "lzcat"), "xz (XZ Utils) 5.4.1"),
    **dict.fromkeys(("zegrep", "zfgrep"), "zgrep (gzip) 1.12"),
    "uncompress": "gunzip (gzip) 1.12",
    "curl": "curl 7.88.1",
    "ed": "GNU ed 1.19",
    "file": "file-5.44",
    "patch": "GNU patch 2.7.6",
    "rg": "ripgrep 13.0.0",
    "tree": "tree v2.1.0",
    "wget": "GNU Wget 1.21.3",
    "xxd": "xxd 2022-01-14 by Juergen Weigert et al.",
}


def first_line(name: str) -> str | None:
    """Return the first line that a program prints with --version; None for one that has no other version than ours."""
    line = _LINES.get(name)
    if line is not None:
        return line
    package = next((package for package, names in _PACKAGES.items() if name in names.split(" ")), None)
    return None if package is None else f"{name} {package}"
