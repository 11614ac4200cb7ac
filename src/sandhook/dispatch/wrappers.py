"""Commands whose operands are a command line: env, timeout, xargs and others, with their options.

Sources: the manuals of coreutils, findutils, util-linux and sudo. An option that is not in a table is reported,
because it may have an argument, which then looks like the command.
"""

from __future__ import annotations

from collections.abc import Mapping

from sandhook.dispatch.parts import Execution, Part, Words
from sandhook.record import Record


class Wrapper(Record):
    """The options of a wrapper.

    Attributes:
        short: Letters of options; ``:`` after a letter marks an argument, ``?`` an argument in the same word.
        long: Names of long options without dashes; ``=`` after a name marks an argument.
        operands: How many operands stand before the command line.
    """

    short: str = ""
    long: tuple[str, ...] = ()
    operands: int = 0


def _wrapper(short: str = "", long: str = "", operands: int = 0) -> Wrapper:
    return Wrapper(short, tuple(long.split()), operands)


_ARCHITECTURES = frozenset(
    {"i386", "i486", "i586", "i686", "linux32", "linux64", "x86_64", "aarch64", "arm64"}
)
_SETARCH = _wrapper(
    "BFILRSTXZ3v",
    "32bit fdpic-funcptrs short-inode addr-compat-layout addr-no-randomize whole-seconds sticky-timeouts"
    " read-implies-exec mmap-page-zero 3gb 4gb uname-2.6 verbose",
)
_SUDO_OPTIONS = """
    user= group= host= prompt= close-from= role= type= chdir= chroot= command-timeout= other-user= non-interactive
    preserve-env set-home background stdin askpass reset-timestamp remove-timestamp
"""
_XARGS_OPTIONS = """
    null arg-file= delimiter= eof replace max-lines max-args= open-tty max-procs= interactive no-run-if-empty
    max-chars= verbose exit show-limits process-slot-var=
"""
_ENV_OPTIONS = """
    ignore-environment null unset= chdir= split-string= block-signal default-signal ignore-signal
    list-signal-handling debug argv0=
"""

WRAPPERS: Mapping[str, Wrapper] = {
    "builtin": _wrapper(), "busybox": _wrapper(), "caffeinate": _wrapper("dimsut:w:"), "catchsegv": _wrapper(),
    "chronic": _wrapper("ve"), "chroot": _wrapper("", "groups= userspec= skip-chdir", 1),
    "chrt": _wrapper(
        "abdefiormRT:P:D:pv",
        "all-tasks batch deadline ext fifo idle other rr reset-on-fork sched-runtime= sched-period="
        " sched-deadline= max pid verbose",
        1,
    ),
    "command": _wrapper("pvV"), "cpulimit": _wrapper("l:e:p:P:zivb"), "dbus-run-session": _wrapper("", "config-file="),
    "doas": _wrapper("Lnsu:C:a:"), "dumb-init": _wrapper("cr:v"), "eatmydata": _wrapper(),
    "env": _wrapper("iu:C:S:v0a:", _ENV_OPTIONS), "exec": _wrapper("cla:"), "fakeroot": _wrapper(),
    "faketime": _wrapper("f", "", 1), "firejail": _wrapper(), "bwrap": _wrapper(),
    "flock": _wrapper(
        "sexnuE:w:c:oFv",
        "shared exclusive unlock nonblock nb wait= timeout= close conflict-exit-code= command= no-fork verbose",
        1,
    ),
    "gosu": _wrapper("", "", 1), "ifne": _wrapper("n"),
    "ionice": _wrapper("c:n:p:P:u:t", "class= classdata= pid= pgid= uid= ignore"), "ltrace": _wrapper("fSo:e:"),
    "nice": _wrapper("n:", "adjustment="), "nohup": _wrapper(), "nsenter": _wrapper(), "numactl": _wrapper(),
    "pkexec": _wrapper("", "user= keep-cwd disable-internal-agent"), "prlimit": _wrapper("p:o:v", "pid= verbose"),
    "proot": _wrapper(), "rlwrap": _wrapper(), "runuser": _wrapper("u:g:G:", "user= group= supp-group="),
    "setarch": _SETARCH, "setpriv": _wrapper(), "setsid": _wrapper("cfw", "ctty fork wait"),
    "setuidgid": _wrapper("", "", 1), "sg": _wrapper("", "", 1),
    "stdbuf": _wrapper("i:o:e:", "input= output= error="), "strace": _wrapper("fFqvtTo:e:E:p:s:u:a:P:I:O:S:X:b:"),
    "su-exec": _wrapper("", "", 1), "sudo": _wrapper("AbEHknPSBNu:g:h:p:C:r:t:D:R:T:U:", _SUDO_OPTIONS),
    "systemd-inhibit": _wrapper(), "taskset": _wrapper("apc", "all-tasks pid cpu-list", 1),
    "time": _wrapper("apvqf:o:", "append portability verbose quiet format= output="),
    "timeout": _wrapper("fk:ps:v", "foreground preserve-status verbose kill-after= signal=", 1),
    "tini": _wrapper("sgvwp:e:"), "torsocks": _wrapper(), "unbuffer": _wrapper("p"),
    "unshare": _wrapper("imnpuUCTfrc"), "xargs": _wrapper("0a:d:E:e?I:i?L:l?n:oP:prs:tx", _XARGS_OPTIONS),
    "xvfb-run": _wrapper("ae:f:ln:p:s:w:"),
}  # fmt: skip
_ALIASES = {"gtimeout": "timeout", "gxargs": "xargs", "genv": "env", "gtime": "time", "gnice": "nice"}


def is_wrapper(name: str) -> bool:
    """Return True for a command whose operands are a command line."""
    return name in WRAPPERS or name in _ALIASES or name in _ARCHITECTURES or _is_linker(name)


def wrapped(name: str, words: Words) -> Execution:
    """Return what a wrapper executes: the command line in its operands."""
    reader = _Reader(_ALIASES.get(name, name), words)
    reader.read()
    if reader.shows:
        return Execution()
    if reader.opaque or reader.at >= len(words):
        return Execution(unknown=tuple(reader.unknown))
    xargs = reader.name == "xargs"
    part = Part(
        reader.at, len(words), reader.directory, tuple(reader.assigned), computed=xargs, marker=reader.marker
    )
    return Execution(parts=(part,), unknown=tuple(reader.unknown))


def _is_linker(name: str) -> bool:
    """Return True for the dynamic linker, which runs the program that its first operand names."""
    return name.startswith(("ld-linux", "ld-musl", "ld.so"))


class _Reader:
    """Reads the words before the inner command.

    Attributes:
        at: The index of the inner command.
        directory: The index of the word that names its directory.
        assigned: The indexes of words that set a variable for it.
        unknown: What cannot be known.
        opaque: The inner command is not known.
        shows: The command only shows what a name stands for.
        marker: The text that xargs replaces.
    """

    def __init__(self, name: str, words: Words) -> None:
        self.name = name
        self.words = words
        self.at = 1
        self.directory: int | None = None
        self.assigned: list[int] = []
        self.unknown: list[str] = []
        self.opaque = self.shows = False
        self.marker = "{}"
        self._known = WRAPPERS.get(name, _SETARCH if name in _ARCHITECTURES else Wrapper())

    def read(self) -> None:
        left = self._known.operands
        if self.name == "chroot":
            self.unknown.append("chroot: what it runs in another directory of files")
        while self.at < len(self.words):
            word = self.words[self.at]
            if word is None:
                self._give_up("a command that is computed")
                return
            if word == "--" or (word == "-" and self.name == "env"):
                self.at += 1
            elif word[:2] == "--":
                self._long(word)
            elif word[:1] == "-" and len(word) > 1:
                self._letters(word)
            elif self.name in ("env", "sudo", "doas") and "=" in word:
                self.assigned.append(self.at)
                self.at += 1
            elif left:
                left -= 1
                self.at += 1
            elif self.name == "setarch" and word in _ARCHITECTURES and self.at + 1 < len(self.words):
                self.at += 1
            else:
                return

    def _long(self, word: str) -> None:
        name, equals, value = word[2:].partition("=")
        fitting = {long for long in self._known.long if long.rstrip("=").startswith(name)} if name else set()
        exact = {long for long in fitting if long.rstrip("=") == name}
        option = next(iter(exact or fitting), "") if len(exact or fitting) == 1 else ""
        self.at += 1
        if not option:
            self.unknown.append(f"{self.name}: the option {word}, which is not known here")
            return
        if not option.endswith("="):
            if option == "replace":
                self.marker = value or "{}"
            return
        if not equals:
            self.at += 1
        self._argument(option[:-1], self.at - 1 if not equals else None, value)

    def _letters(self, word: str) -> None:
        if self.name == "nice" and word[1:].lstrip("+-").isdigit():
            self.at += 1
            return
        here = self.at
        self.at += 1
        for place, letter in enumerate(word[1:], 1):
            index = self._known.short.find(letter) if letter not in ":?" else -1
            if index < 0:
                self.unknown.append(f"{self.name}: the option -{letter}, which is not known here")
                continue
            kind = self._known.short[index + 1 : index + 2]
            rest = word[place + 1 :]
            if kind == "?":
                if letter == "i":
                    self.marker = rest or "{}"
                return
            if kind == ":":
                if not rest:
                    self.at += 1
                self._argument(letter, here + 1 if not rest else None, rest)
                return
            if self.name == "command" and letter in "vV":
                self.shows = True

    def _argument(self, option: str, index: int | None, value: str) -> None:
        """Look at the argument of an option: the word ``index``, or the rest of the option's own word."""
        if self.name == "env" and option in ("S", "split-string"):
            self._give_up("-S: a command in one word")
        elif option in ("C", "chdir", "D") and self.name in ("env", "sudo"):
            if index is None:
                self._give_up("a directory in one word with its option")
            self.directory = index
        elif self.name == "flock" and option in ("c", "command"):
            self._give_up("-c: a command in one word")
        elif self.name == "xargs" and option in ("I", "replace"):
            word = value if index is None else self.words[index] if index < len(self.words) else None
            if word:
                self.marker = word
            else:
                self._give_up("a text to replace that is computed")
        elif self.name in ("sudo", "doas") and option in ("R", "chroot"):
            self._give_up("what it runs in another directory of files")

    def _give_up(self, why: str) -> None:
        self.opaque = True
        self.unknown.append(f"{self.name}{' ' if why[:1] == '-' else ': '}{why}")
